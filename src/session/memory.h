/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_SESSION_MEMORY_H
#define TRACESH_SESSION_MEMORY_H

#include "session.h"

/*
 * Checks that buffers fit into memory. The kernel allocates a buffer at once, for every CPU, and a
 * buffer that does not fit starts the OOM killer. The errors name the memory for all CPUs and for
 * each.
 */

/*
 * Checks that there is memory for `each` bytes on each of `ncpus` CPUs. what: the subject of the
 * error ("the buffer"). have: bytes of all CPUs that are allocated already. An eighth of the
 * available memory must stay free. Returns 0, or -1 with err.
 */
int tsh_memory_check(const char *what, uint64_t each, size_t ncpus, uint64_t have,
		     struct tsh_err *err);
/* Checks a buffer of `each` bytes per CPU in place of the present one; counts the snapshot, if
 * there is one. Returns 0, or -1 with err. */
int tsh_memory_check_buffer(const struct tsh_instance *in, uint64_t each, struct tsh_err *err);
/* Checks a snapshot, which is as large as the buffer. Returns 0, also when there is one already, or
 * -1 with err. */
int tsh_memory_check_snapshot(const struct tsh_instance *in, struct tsh_err *err);
/* Checks a text that is to be written to a file that sizes buffers: buffer_size_kb, snapshot.
 * Returns 0, or -1 with err. */
int tsh_memory_check_write(const struct tsh_instance *in, const char *path, const char *text,
			   struct tsh_err *err);
/* Says whether an instance has a snapshot buffer. */
bool tsh_memory_has_snapshot(const struct tsh_instance *in);
/* Returns the value of buffer_size_kb or per_cpu/cpuN/buffer_size_kb, in bytes; 0 when it cannot be
 * read. */
uint64_t tsh_memory_buffer_size(const struct tsh_instance *in, const char *path);

#endif
