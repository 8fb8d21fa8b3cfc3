/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_COMPLETE_VALUES_H
#define TRACESH_COMPLETE_VALUES_H

/* For completion: the values that an argument can have here and now. */

#include <stdio.h>
#include <string.h>

#include "complete.h"
#include "lang/filter-place.h"
#include "lang/sql-place.h"
#include "session/session.h"

/* Where the cursor stands. */
struct tsh_cursor {
	struct tsh_session *s;
	const struct tsh_cmd *cmd;	/* NULL: before its name */
	const char *word;		/* what is typed of the word */
	const struct tsh_strlist *events;	/* the EVENT words before */
	const char *setting;		/* the SETTING word before, or NULL */
	const char *choice, *probe;	/* likewise a CHOICE, a PROBE */
	bool is_question;		/* in a `where`, which knows more than a filter */
	bool is_program;		/* the first word of what is executed */
	bool starts_only;		/* no candidates that have the word inside */
	bool all;			/* keep as many as there are */
	bool in_expression;		/* what is added is put into one as it is */
	char wrapper;			/* the open quote around that expression, or '\0' */
	FILE *apart;			/* where a process apart says what is to be added; NULL: it is added */
	struct tsh_completion *ret;
};

/* Whether a terminal shows the text as it is: a task may be called "\033[2J", which nobody can
 * choose. */
bool tsh_can_be_shown(const char *text);
/* Adds a candidate when it has the word and can be shown. help may be NULL. */
void tsh_candidate_add(const struct tsh_cursor *at, const char *text, const char *help,
		       bool partial);
/* Adds a value that may be looked for by what it is called, too. */
void tsh_candidate_add_called(const struct tsh_cursor *at, const char *text, const char *name);
/* Adds the names and frees them; one help for all of them, or NULL. */
void tsh_candidates_names(const struct tsh_cursor *at, struct tsh_strlist *names,
			  const char *help);
/* Adds the values that an argument can have; of an EXPRESSION only its choices. */
void tsh_candidates_of(const struct tsh_cursor *at, const struct tsh_arg *arg);
/* Adds what `find` adds, which looks at files: where their file system does not answer that is nothing. */
void tsh_candidates_apart(const struct tsh_cursor *at, void (*find)(const struct tsh_cursor *at));
/* The machine's files; those below the instance. */
void tsh_candidates_files(const struct tsh_cursor *at);
/* The recipes, with what each shows, for the file of `source`. */
void tsh_candidates_recipes(const struct tsh_cursor *at);
/* What can be executed: by its name in $PATH, or by its path. */
void tsh_candidates_programs(const struct tsh_cursor *at);
void tsh_candidates_trace_files(const struct tsh_cursor *at);
/* Their names, or numbers once a digit is typed. */
void tsh_candidates_tasks(const struct tsh_cursor *at);
/* As values of a filter: numbers; names in quotes. */
void tsh_candidates_pids(const struct tsh_cursor *at);
void tsh_candidates_comms(const struct tsh_cursor *at);
void tsh_candidates_users(const struct tsh_cursor *at);
void tsh_candidates_events(const struct tsh_cursor *at);
/* The first or the second event of a pair, and what pairs are called. */
void tsh_candidates_pairs(const struct tsh_cursor *at);
void tsh_candidates_commands(const struct tsh_cursor *at);
/* Functions that can be traced; those of the kernel, which a probe can stand on; its types. */
void tsh_candidates_functions(const struct tsh_cursor *at);
void tsh_candidates_symbols(const struct tsh_cursor *at);
void tsh_candidates_types(const struct tsh_cursor *at);
/* TARGET and ARG of a probe (probe.c). */
void tsh_candidates_probe(const struct tsh_cursor *at);
void tsh_candidates_probe_arg(const struct tsh_cursor *at);
/* "${NAME}" of the session's variables; the jobs' numbers. */
void tsh_candidates_variables(const struct tsh_cursor *at);
void tsh_candidates_cpus(const struct tsh_cursor *at);
/* Tracers, kernel options, choices and triggers: what has a table of descriptions. */
void tsh_candidates_tracers(const struct tsh_cursor *at);
void tsh_candidates_options(const struct tsh_cursor *at);
void tsh_candidates_choices(const struct tsh_cursor *at, const struct tsh_arg *arg);
void tsh_candidates_triggers(const struct tsh_cursor *at);
/*
 * What may stand at a place of a filter (`text` is all of it, up to the cursor) on the
 * events of the cursor: fields that all of them have, operators, values, && and ||.
 */
void tsh_candidates_filter(const struct tsh_cursor *at, const char *text,
			   const struct tsh_filter_place *place);
/* What may stand at a place of a SELECT, `text` up to the cursor. */
void tsh_candidates_sql(const struct tsh_cursor *at, const char *text,
			const struct tsh_sql_place *place);
/* The last of `fields NAME,NAME`, `on A=B`, or of the keys of `by`: what one of the events has,
 * or all have; behind a key's dot how it is grouped. */
void tsh_candidates_columns(const struct tsh_cursor *at, bool are_keys);

#endif
