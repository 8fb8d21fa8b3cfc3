/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_SESSION_MEMORY_H
#define TRACESH_SESSION_MEMORY_H

#include "session.h"

/*
 * Buffers are taken from the kernel at once, and for every CPU: one that does not fit sends
 * the machine into its OOM killer. What is refused says the sum, in all and for each CPU.
 */

/* Before `what` ("the buffer") takes `each` bytes for each of the CPUs; `have` of all that
 * it has already. An eighth of the available memory stays free. 0, or -1 with err. */
int tsh_memory_check(const char *what, uint64_t each, size_t ncpus, uint64_t have,
		     struct tsh_err *err);
/* A buffer of that size in place of the present one, with the snapshot's if there is one. */
int tsh_memory_check_buffer(const struct tsh_instance *in, uint64_t each, struct tsh_err *err);
/* A snapshot, which is as large as the buffer; 0 also when it is there already. */
int tsh_memory_check_snapshot(const struct tsh_instance *in, struct tsh_err *err);
/* What a text that is written to a file would need: buffer_size_kb, snapshot. */
int tsh_memory_check_write(const struct tsh_instance *in, const char *path, const char *text,
			   struct tsh_err *err);
/* Whether an instance has a snapshot buffer. */
bool tsh_memory_has_snapshot(const struct tsh_instance *in);
/* What is in buffer_size_kb or per_cpu/cpuN/buffer_size_kb, in bytes; 0: cannot be read. */
uint64_t tsh_memory_buffer_size(const struct tsh_instance *in, const char *path);

#endif
