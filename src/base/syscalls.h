/* base/syscalls.h - names of system calls */
/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_BASE_SYSCALLS_H
#define TRACESH_BASE_SYSCALLS_H

#include <stddef.h>
#include <stdint.h>

/*
 * Returns the name of a system call, which is *ret_len bytes long and not NUL-terminated; NULL: no
 * call has that number. The numbers are those of the machine that this was built for; bits (32 or
 * 64) are those of the calling program.
 */
const char *tsh_syscall_name(unsigned int bits, uint64_t number, size_t *ret_len);

#endif
