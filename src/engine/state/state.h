/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_ENGINE_STATE_STATE_H
#define TRACESH_ENGINE_STATE_STATE_H

/* Reads, prints and parses the settings that differ from the kernel's defaults, for save and
 * diff. */

#include "session/session.h"

/* Holds one setting, or one line of a list; or a remark, which no command can restore. */
struct tsh_state_item {
	char *instance;		/* NULL: the saved instance */
	char *path;		/* file of the instance; empty: this is a remark */
	char *value;		/* text to write, or the remark */
	bool line;		/* one of several lines of the file */
};

/* Limits the items of a state. No kernel has as many, but a recording or a file may. */
#define TSH_STATE_MAX ((size_t)1 << 20)

/* Holds settings in the order in which they are to be written. Zeroed memory is an empty state. */
struct tsh_state {
	TSH_VEC(struct tsh_state_item) items;
	struct tsh_strlist instances;	/* instances with a section of their own */
	struct tsh_strlist unread;	/* unreadable files, "FILE (why)"; each has a remark too */
	bool stopped;			/* a signal came: the rest was not read */
	size_t left_out;		/* items beyond TSH_STATE_MAX */
};

void tsh_state_release(struct tsh_state *state);
/* Appends an item; copies the strings. */
void tsh_state_add(struct tsh_state *state, const char *instance, const char *path,
		   const char *value, bool line);
void tsh_state_remark(struct tsh_state *state, const char *instance, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* Prints a note with the files that could not be read. */
void tsh_state_note_unread(struct tsh_session *s, const struct tsh_state *state);
/* Checks for a signal. Returns true when one has come, also at all later calls. */
bool tsh_state_is_stopped(const struct tsh_instance *in, struct tsh_state *state);
/* Returns 0, or -1 with err when items were left out. */
int tsh_state_check_items(const struct tsh_state *state, struct tsh_err *err);
/* Returns 0, or -1 with err when a signal or a limit ended the reading. */
int tsh_state_finish(struct tsh_session *s, const struct tsh_state *state, struct tsh_err *err);

/* Reads the settings of an instance; a signal sets ret->stopped. label: the instance of the
 * items; may be NULL. */
void tsh_state_read(const struct tsh_instance *in, const char *label, struct tsh_state *ret);
/*
 * Reads the settings of every instance, the top one first, each with a section. Leaves out
 * instances that running sessions of tracesh have made for themselves. Returns 0, or -1 with err.
 */
int tsh_state_read_all(struct tsh_dir *dir, struct tsh_state *ret, struct tsh_err *err);
/*
 * Drops tasks that have ended from the lists of pids; with `remarks` adds a remark before each
 * list. Keeps a list when all of its tasks have ended, because an empty list would not exclude any
 * task. Does nothing in a pid namespace where not all processes can be seen. To be called for the
 * running kernel only.
 */
void tsh_state_drop_ended(struct tsh_state *state, bool remarks);
/* Says whether item i counts as a setting: a remark does not, and a list of tasks counts once. */
bool tsh_state_is_counted(const struct tsh_state *state, size_t i);
/* Read filters and triggers, and the enabled events (events.c). */
void tsh_state_read_filters(const struct tsh_instance *in, const char *label,
			    struct tsh_state *ret);
void tsh_state_read_enabled(const struct tsh_instance *in, const char *label,
			    struct tsh_state *ret);
/*
 * Converts a trigger, or a function with a command, from the form that the kernel prints to the
 * form that it reads: without ":unlimited" and "[active]", and with ":5" for ":count=5". The caller
 * frees it.
 */
char *tsh_state_trigger_text(const char *printed);

/* Prints a state as a batch file, without the comment at its beginning. */
void tsh_state_print(const struct tsh_state *state, struct tsh_strbuf *out);
/* Prints one item as a command, without a newline. */
void tsh_state_print_item(const struct tsh_state_item *item, struct tsh_strbuf *out);
/*
 * Parses a file that tsh_state_print has written, perhaps with small changes of a user. Returns 0,
 * or -1 with err, which names the first command that is not a setting, with a span that counts in
 * text; or because a signal has come (ret->stopped). waiter may be NULL.
 */
int tsh_state_parse(const struct tsh_waiter *waiter, const char *text, size_t len,
		    struct tsh_state *ret, struct tsh_err *err);

#endif
