/* kernel/tracefs/defaults.h - what the settings of an untouched kernel are */
/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_KERNEL_TRACEFS_DEFAULTS_H
#define TRACESH_KERNEL_TRACEFS_DEFAULTS_H

#include <stdbool.h>

#include "tracefs.h"

enum tsh_default_kind {
	TSH_DEFAULT_TEXT,	/* .text, after tsh_class_normalize */
	TSH_DEFAULT_CLOCK,	/* tsh_default_clock; in an instance .text */
	TSH_DEFAULT_LIST,	/* no lines */
	TSH_DEFAULT_SIZE,	/* 1408 KB, as the kernel rounds it */
	TSH_DEFAULT_PAGE,	/* a page, in KB */
	TSH_DEFAULT_MASK,	/* every CPU that is there */
	TSH_DEFAULT_CMDLINES,	/* 128, which newer kernels round up a lot */
	TSH_DEFAULT_OPTION,	/* by the option's name */
};

/* One setting of an instance. */
struct tsh_default {
	const char *path;	/* glob over the path below the instance */
	enum tsh_default_kind kind;
	const char *text;
};

/*
 * Every setting, in the order in which they are made: sizes and the clock erase the
 * buffer, a probe is there before what uses it, and events come last. A pattern with '*'
 * stands for many files. A nameless entry ends it.
 */
extern const struct tsh_default tsh_defaults[];

/* The setting that a path is, or NULL: none that is known. */
const struct tsh_default *tsh_default_find(const char *path);
/* Whether a file's text is what it reads where nobody has changed it. */
bool tsh_is_default(const struct tsh_instance *in, const char *path, const char *text);
/* The clock that the kernel has started the instance with: local, in the top instance the one of its command line
 * (trace_clock=), or global, where it found its own unstable. NULL: its log no longer tells. The caller frees it. */
char *tsh_default_clock(const struct tsh_instance *in);
/* What a file of an instance that was just made reads, without the last newline; NULL: the
 * table does not say. The caller frees it. */
char *tsh_default_text(const struct tsh_instance *top, const char *path);
/* Whether an option is on in an untouched kernel. */
bool tsh_default_option(const struct tsh_instance *in, const char *name);
/* The options that are not so, as trace_options has them, "NAME" or "noNAME"; also those of tracers that do not run. */
void tsh_options_changed(const struct tsh_instance *in, struct tsh_strlist *ret);

/* The list of a choice with another word in its [brackets]; NULL when it is none of them.
 * The caller frees it. */
char *tsh_choose(const char *list, const char *word);

#endif
