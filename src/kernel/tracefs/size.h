/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_KERNEL_TRACEFS_SIZE_H
#define TRACESH_KERNEL_TRACEFS_SIZE_H

#include <stdbool.h>
#include <stdint.h>

/* Computes sizes as the kernel does. */

/* Says whether a path is buffer_size_kb or per_cpu/cpuN/buffer_size_kb. */
bool tsh_is_size(const char *path);
/* Says whether the kernel sets saved_cmdlines_size to `is` when `asked` is written: it rounds up to
 * the names that fit into its pages. */
bool tsh_is_names_size(uint64_t asked, uint64_t is);
/* Returns the CPU of per_cpu/cpuN/buffer_size_kb, or -1 for any other path. */
int tsh_size_cpu(const char *path);
/* Returns the size of a CPU from a text of buffer_size_kb, which is one number, or "X" and lines
 * "CPU SIZE" when sizes differ. Returns NULL when the text does not have it. The caller frees
 * it. */
char *tsh_size_of_cpu(const char *text, int cpu);
/* Returns the size in KB that the kernel sets when `kb` is written: it rounds up to whole
 * sub-buffers, at least two (ring_buffer_resize). */
uint64_t tsh_rounded_size(uint64_t kb, uint64_t subbuf_kb);
/* Returns how many sub-buffers of `subbuf` bytes the kernel needs for a size of `bytes`. */
uint64_t tsh_subbufs_of(uint64_t bytes, uint64_t subbuf);

#endif
