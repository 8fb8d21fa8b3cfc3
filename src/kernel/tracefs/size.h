/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_KERNEL_TRACEFS_SIZE_H
#define TRACESH_KERNEL_TRACEFS_SIZE_H

#include <stdbool.h>
#include <stdint.h>

/* Sizes as the kernel has them: buffer_size_kb, and per_cpu/cpuN/buffer_size_kb; saved_cmdlines_size. */

bool tsh_is_size(const char *path);
/* Says whether saved_cmdlines_size is what the kernel makes of a size that is asked for: as many names as its pages
 * hold. */
bool tsh_is_names_size(uint64_t asked, uint64_t is);
/* Gives the number of the CPU whose size it is; -1: of all. */
int tsh_size_cpu(const char *path);
/* Gives the size of a CPU in a text of buffer_size_kb ("X", then lines "CPU SIZE", when they differ); NULL:
 * it does not say. The caller frees it. */
char *tsh_size_of_cpu(const char *text, int cpu);
/* Gives the size, in KB, that the kernel makes of one: 2 whole sub-buffers or more (ring_buffer_resize). */
uint64_t tsh_rounded_size(uint64_t kb, uint64_t subbuf_kb);
/* Gives how many sub-buffers the kernel makes of a size, both in bytes. */
uint64_t tsh_subbufs_of(uint64_t bytes, uint64_t subbuf);

#endif
