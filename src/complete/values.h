/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_COMPLETE_VALUES_H
#define TRACESH_COMPLETE_VALUES_H

/* Adds the values that an argument can have now. */

#include <stdio.h>
#include <string.h>

#include "complete.h"
#include "lang/filter-place.h"
#include "lang/sql-place.h"
#include "session/session.h"

/* Describes the word at the cursor, and its place. */
struct tsh_cursor {
	struct tsh_session *s;
	const struct tsh_cmd *cmd;	/* NULL: the word is the command's name */
	const char *word;		/* the typed part of the word */
	const struct tsh_strlist *events;	/* EVENT words before the cursor */
	const char *setting;		/* SETTING word before the cursor, or NULL */
	const char *choice, *probe;	/* CHOICE and PROBE word before the cursor, or NULL */
	/* Says that the word is in a `where`, which has more fields and operators than the kernel's
	 * filter. */
	bool is_where;
	bool is_program;		/* the word is the program to execute, not its argument */
	bool starts_only;		/* only candidates that begin with the word */
	bool all;			/* for another shell, which wants all candidates */
	bool in_expression;		/* candidates go into an expression, without quotes */
	char wrapper;			/* open quote around that expression, or '\0' */
	/* Takes the candidates of a search process (a pipe); NULL: candidates go to ret. */
	FILE *apart;
	struct tsh_completion *ret;
};

/* Says whether a terminal shows a text unchanged. A task's name may be "\033[2J", which no user can
 * choose. */
bool tsh_can_be_shown(const char *text);
/* Adds a candidate that contains the word and can be shown; ignores others. help may be NULL.
 * partial: more of the word will follow. */
void tsh_candidate_add(const struct tsh_cursor *at, const char *text, const char *help,
		       bool partial);
/* Adds a value that the user may also find by typing `name`. */
void tsh_candidate_add_called(const struct tsh_cursor *at, const char *text, const char *name);
/* Adds names, and frees the list. help: the description of all these names, or NULL. */
void tsh_candidates_names(const struct tsh_cursor *at, struct tsh_strlist *names,
			  const char *help);
/* Adds the values of an argument; for an EXPRESSION only its choices. */
void tsh_candidates_of(const struct tsh_cursor *at, const struct tsh_arg *arg);
/* Calls `find` in another process, and adds the candidates from there. `find` reads files: when a
 * file system does not answer, no candidate is added. */
void tsh_candidates_apart(const struct tsh_cursor *at, void (*find)(const struct tsh_cursor *at));
/* Adds files of the machine. */
void tsh_candidates_files(const struct tsh_cursor *at);
/* Adds the recipes and their descriptions, for the file of `source`. */
void tsh_candidates_recipes(const struct tsh_cursor *at);
/* Adds programs: by name in $PATH, or by path. */
void tsh_candidates_programs(const struct tsh_cursor *at);
/* Adds files of the instance. */
void tsh_candidates_trace_files(const struct tsh_cursor *at);
/* Adds the names of tasks, or their numbers once a digit is typed. */
void tsh_candidates_tasks(const struct tsh_cursor *at);
/* Adds numbers of tasks, as values for a filter. */
void tsh_candidates_pids(const struct tsh_cursor *at);
/* Adds names of tasks in quotes, as values for a filter. */
void tsh_candidates_comms(const struct tsh_cursor *at);
/* Adds the users of /etc/passwd. */
void tsh_candidates_users(const struct tsh_cursor *at);
/* Adds events, and systems. */
void tsh_candidates_events(const struct tsh_cursor *at);
/* Adds the events of a pair for latency: pairs with a name, events, or system calls. */
void tsh_candidates_pairs(const struct tsh_cursor *at);
/* Adds commands and aliases. */
void tsh_candidates_commands(const struct tsh_cursor *at);
/* Adds functions that can be traced. */
void tsh_candidates_functions(const struct tsh_cursor *at);
/* Adds functions of the kernel that a probe can be set on. */
void tsh_candidates_symbols(const struct tsh_cursor *at);
/* Adds types of the kernel, and members behind a dot. */
void tsh_candidates_types(const struct tsh_cursor *at);
/* Adds values for the TARGET of a probe (probe.c). */
void tsh_candidates_probe(const struct tsh_cursor *at);
/* Adds values for the ARG of a probe (probe.c). */
void tsh_candidates_probe_arg(const struct tsh_cursor *at);
/* Adds the session's variables as "${NAME}". */
void tsh_candidates_variables(const struct tsh_cursor *at);
/* Adds "all" and the numbers of the CPUs. */
void tsh_candidates_cpus(const struct tsh_cursor *at);
/* Adds tracers with a description. */
void tsh_candidates_tracers(const struct tsh_cursor *at);
/* Adds options of the kernel, with their state and a description. */
void tsh_candidates_options(const struct tsh_cursor *at);
/* Adds the choices of an argument, with what its help has about each. */
void tsh_candidates_choices(const struct tsh_cursor *at, const struct tsh_arg *arg);
/* Adds triggers with a description. */
void tsh_candidates_triggers(const struct tsh_cursor *at);
/* Adds candidates for a place in a filter, whose text up to the cursor is `text`: fields that all
 * events of the cursor have, operators, values, && and ||. */
void tsh_candidates_filter(const struct tsh_cursor *at, const char *text,
			   const struct tsh_filter_place *place);
/* Adds candidates for a place in a SELECT, whose text up to the cursor is `text`. */
void tsh_candidates_sql(const struct tsh_cursor *at, const char *text,
			const struct tsh_sql_place *place);
/* Adds candidates for the last item of `fields NAME,NAME`, `on A=B` or the keys of `by`: fields of
 * the events; behind the dot of a key its modifiers. */
void tsh_candidates_columns(const struct tsh_cursor *at, bool are_keys);

#endif
