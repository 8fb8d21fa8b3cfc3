/* kernel/tracefs/defaults.h - the settings that a freshly booted kernel has */
/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_KERNEL_TRACEFS_DEFAULTS_H
#define TRACESH_KERNEL_TRACEFS_DEFAULTS_H

#include <stdbool.h>

#include "tracefs.h"

enum tsh_default_kind {
	TSH_DEFAULT_TEXT,	/* .text, compared after tsh_class_normalize */
	TSH_DEFAULT_CLOCK,	/* tsh_default_clock; in an instance .text */
	TSH_DEFAULT_LIST,	/* no lines */
	TSH_DEFAULT_SIZE,	/* 1408 KB, as the kernel rounds it */
	TSH_DEFAULT_PAGE,	/* a page, in KB */
	TSH_DEFAULT_MASK,	/* every CPU that is present */
	TSH_DEFAULT_CMDLINES,	/* 128; kernels from 6.8 on round it up */
	TSH_DEFAULT_OPTION,	/* depends on the option's name */
};

/* Describes one setting of an instance. */
struct tsh_default {
	const char *path;	/* a glob for the path below the instance */
	enum tsh_default_kind kind;
	const char *text;
};

/*
 * Lists every setting, in the order in which they have to be written: sizes and the clock come
 * first, because they erase the buffer; a probe comes before what uses it; events come last. A
 * pattern with '*' matches many files. The last entry has no path.
 */
extern const struct tsh_default tsh_defaults[];

/* Returns the entry of tsh_defaults that matches a path, or NULL when there is none. */
const struct tsh_default *tsh_default_find(const char *path);
/* Says whether `text` is the default of a file. */
bool tsh_is_default(const struct tsh_instance *in, const char *path, const char *text);
/*
 * Returns the default clock of an instance or of a recorded tree, "local". For the top instance
 * returns the clock that the kernel chose at boot: the one of its command line (trace_clock=;
 * "local" when the kernel does not know it), else "global" when the kernel found its own clock
 * unstable, else "local". Returns NULL when the kernel's log does not reach back to the boot. The
 * caller frees it.
 */
char *tsh_default_clock(const struct tsh_instance *in);
/* Returns the text that a file has in a newly created instance, without the last newline, or NULL
 * when the table does not say. The caller frees it. */
char *tsh_default_text(const struct tsh_instance *top, const char *path);
/* Says whether an option is on by default. */
bool tsh_default_option(const struct tsh_instance *in, const char *name);
/* Adds the options that differ from their defaults to ret, as in trace_options: "NAME" or "noNAME".
 * Includes the options of tracers that are not the current one. */
void tsh_options_changed(const struct tsh_instance *in, struct tsh_strlist *ret);

/* Returns the list of a choice with `word` in the [brackets], or NULL when the list does not have
 * the word. The caller frees it. */
char *tsh_choose(const char *list, const char *word);

#endif
