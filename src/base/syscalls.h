/* base/syscalls.h - names of system calls */
/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_BASE_SYSCALLS_H
#define TRACESH_BASE_SYSCALLS_H

#include <stddef.h>
#include <stdint.h>

/* "read", which does not end there but *ret_len bytes on; NULL: none has that number. Of the
 * machine that this was built for; bits: of the program, as 32-bit ones have others on one of 64. */
const char *tsh_syscall_name(unsigned int bits, uint64_t number, size_t *ret_len);

#endif
