/* tracedat/trace-dat.h - trace.dat, the file that trace-cmd keeps a trace in, as a recorded tree */
/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_TRACEDAT_TRACE_DAT_H
#define TRACESH_TRACEDAT_TRACE_DAT_H

#include "kernel/tracefs/tree-file.h"

/*
 * Reads trace.dat of the versions 6 and 7 (trace-cmd.dat.v6(5), trace-cmd.dat.v7(5)), of any byte
 * order and word size. The file may come from anybody: each size, number and offset in it is
 * checked, and nothing is allocated that the file itself is too small for.
 */

/*
 * Begins the files that tracesh keeps in a trace.dat besides: this word, and then each path with
 * its NUL, u64 size, and bytes; an empty path ends them. In version 6 they lie between the table
 * of the top buffer and its first page, in version 7 in a section of this id, the first of the
 * file, that no option names.
 */
#define TSH_TRACE_DAT_FILES_MAGIC "tracesh"
#define TSH_TRACE_DAT_FILES 0x7001

/* Says whether a file begins as a trace.dat does. */
bool tsh_is_trace_dat(int fd);
/* Does what tsh_dir_open does, and also opens a trace.dat. */
int tsh_trace_dir_open(const char *path, struct tsh_dir **ret_dir, struct tsh_err *err);
/* Says whether a path is that of a recording: a folder, or a trace.dat. */
bool tsh_is_recording(const char *path);
/*
 * Reads a trace.dat as a recorded tree. Takes over fd, also when it fails. path: for messages.
 * Returns the tree, or NULL with err, which says at which byte the file is damaged.
 */
struct tsh_tree_file *tsh_trace_dat_open(int fd, const char *path, struct tsh_err *err);

#endif
