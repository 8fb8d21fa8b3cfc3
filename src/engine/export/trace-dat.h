/* engine/export/trace-dat.h - writes a recording as a trace.dat */
/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_ENGINE_EXPORT_TRACE_DAT_H
#define TRACESH_ENGINE_EXPORT_TRACE_DAT_H

#include "kernel/tracefs/tracefs.h"

struct tsh_trace_dat_options {
	const struct tsh_waiter *waiter;
	unsigned int version;		/* 6 or 7 */
	bool packs;			/* of version 7: compresses with zstd */
};

struct tsh_trace_dat_summary {
	uint64_t bytes;			/* of pages */
	uint64_t cut;			/* bytes of pages that are not whole, which are left out */
	size_t left_out;		/* files of the recording that are too large to be kept */
	bool has_wall;			/* the file says the wall-clock time */
};

/* Says whether tracesh was built with zstd. */
bool tsh_trace_dat_can_pack(void);
/*
 * Writes the recording of `top`, the top instance of a tree, and of the tree's other instances,
 * into the new file fd. Files of the tree that trace.dat has no place for (tracesh/clock, names,
 * settings) are kept where other readers do not see them, so that tracesh reads the same
 * recording from the file. Returns 0; -1 with err; 1: a signal ended it.
 */
int tsh_trace_dat_write(const struct tsh_instance *top, int fd, const struct tsh_trace_dat_options *opt,
			struct tsh_trace_dat_summary *ret, struct tsh_err *err);
/* Says whether a path ends as that of a trace.dat does: ".dat". */
bool tsh_export_is_dat(const char *path);
/* Writes the recording in a folder as the trace.dat `path`, which must be missing, and removes
 * the folder. Returns 0; -1 with err; 1: a signal ended it. The folder then stays. */
int tsh_export_folder(const char *folder, const char *path, const struct tsh_waiter *waiter, struct tsh_err *err);

#endif
