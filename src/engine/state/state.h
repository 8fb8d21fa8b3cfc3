/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_ENGINE_STATE_STATE_H
#define TRACESH_ENGINE_STATE_STATE_H

/* The settings that are not what an untouched kernel has: save, diff. */

#include "session/session.h"

/* One setting, or one line of a list; or a remark that no command can make true. */
struct tsh_state_item {
	char *instance;		/* NULL: the one that is saved */
	char *path;		/* below the instance; empty: a remark */
	char *value;		/* as it is written back; of a remark its text */
	bool line;		/* one of several lines of the file */
};

/* Items of a state: no kernel has so many settings, but a tree or a file may say so. */
#define TSH_STATE_MAX ((size_t)1 << 20)

/* In the order in which they are made again. Zeroed memory is an empty state. */
struct tsh_state {
	TSH_VEC(struct tsh_state_item) items;
	struct tsh_strlist instances;	/* that have a section of their own */
	struct tsh_strlist unread;	/* "FILE (why)" that cannot be read; each is a remark, too */
	bool stopped;			/* by a signal: the rest has not been read */
	size_t left_out;		/* items beyond TSH_STATE_MAX */
};

void tsh_state_release(struct tsh_state *state);
/* Adds an item; the strings are copied. */
void tsh_state_add(struct tsh_state *state, const char *instance, const char *path,
		   const char *value, bool line);
void tsh_state_remark(struct tsh_state *state, const char *instance, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* Says what could not be read. */
void tsh_state_note_unread(struct tsh_session *s, const struct tsh_state *state);
/* Looks at signals; true, now and later, when one has come. */
bool tsh_state_is_stopped(const struct tsh_instance *in, struct tsh_state *state);
/* -1 with how many settings were left out, else 0. */
int tsh_state_check_items(const struct tsh_state *state, struct tsh_err *err);
/* -1 with the reason when not all was read, else 0. */
int tsh_state_finish(struct tsh_session *s, const struct tsh_state *state, struct tsh_err *err);

/* The settings of an instance, or `stopped`; `label` (may be NULL) is the items' instance. */
void tsh_state_read(const struct tsh_instance *in, const char *label, struct tsh_state *ret);
/* Of every instance, the top one first, each with its section; those that running
 * sessions of tracesh made for themselves are left out. */
int tsh_state_read_all(struct tsh_dir *dir, struct tsh_state *ret, struct tsh_err *err);
/*
 * Takes tasks that have ended out of the lists of pids; with `remarks` it is said before each list.
 * A list of which nothing would be left stays: it lets nothing pass. Only where all
 * processes can be seen, and of the running kernel.
 */
void tsh_state_drop_ended(struct tsh_state *state, bool remarks);
/* Says whether item i counts as a setting: a remark does not, and a list of tasks does once. */
bool tsh_state_is_counted(const struct tsh_state *state, size_t i);
/* events.c: filters and triggers; what is enabled. */
void tsh_state_read_filters(const struct tsh_instance *in, const char *label,
			    struct tsh_state *ret);
void tsh_state_read_enabled(const struct tsh_instance *in, const char *label,
			    struct tsh_state *ret);
/* A trigger, or a function with a command, as it is written, from how the kernel prints it:
 * without ":unlimited" and "[active]", ":count=5" as ":5". The caller frees it. */
char *tsh_state_trigger_text(const char *printed);

/* As a batch file, without the comment at its head. */
void tsh_state_print(const struct tsh_state *state, struct tsh_strbuf *out);
/* One item as a command, without a newline. */
void tsh_state_print_item(const struct tsh_state_item *item, struct tsh_strbuf *out);
/*
 * Reads what tsh_state_print and a person's small changes made. -1: `err` names what is no
 * setting, with its place in `text`, or a signal has come (ret->stopped). waiter may be NULL.
 */
int tsh_state_parse(const struct tsh_waiter *waiter, const char *text, size_t len,
		    struct tsh_state *ret, struct tsh_err *err);

#endif
