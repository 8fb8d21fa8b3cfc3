/* lang/grammar.h - declared arguments, and the parser that reads them */
/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_LANG_GRAMMAR_H
#define TRACESH_LANG_GRAMMAR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/number.h"
#include "lexer.h"

#define TSH_JOB_ALL UINT64_MAX
/* value.number of a TIME that is the word none */
#define TSH_NO_LIMIT UINT64_MAX

enum tsh_arg_type {
	TSH_ARG_FLAG,		/* an option without value */
	TSH_ARG_WORD,		/* any word */
	TSH_ARG_CHOICE,		/* one of .choices */
	TSH_ARG_NUMBER,		/* value.number, >= 0 */
	TSH_ARG_SIZE,		/* value.number in bytes */
	TSH_ARG_TIME,		/* value.number in ns */
	TSH_ARG_CPUS,		/* value.cpus */
	TSH_ARG_MOMENT,		/* a wall time; src/call resolves it; positional: read as a TEXT */
	TSH_ARG_EVENT,		/* an event glob; src/call resolves it */
	TSH_ARG_TASK,		/* number, name, tid:N; src/call resolves it */
	TSH_ARG_TRIGGER,	/* ACTION[:COUNT], !ACTION, clear; engine/histtrigger checks it */
	TSH_ARG_FUNCTION,	/* a function glob; the kernel resolves it */
	TSH_ARG_PROBE,		/* where a probe stands, or its name; src/call resolves it */
	TSH_ARG_PROBE_ARG,	/* what a probe records */
	TSH_ARG_TYPE,		/* a structure of the kernel, with members behind dots; engine/types finds it */
	TSH_ARG_TRACER,
	TSH_ARG_CLOCK,
	TSH_ARG_OPTION,
	TSH_ARG_INSTANCE,
	TSH_ARG_SETTING,
	TSH_ARG_COMMAND_NAME,
	TSH_ARG_ALIAS,
	TSH_ARG_JOB,		/* value.number; 2 or %2; TSH_JOB_ALL for the word all */
	TSH_ARG_TRACE_FILE,	/* a file below the instance */
	TSH_ARG_FILE,		/* a file of the machine */
	TSH_ARG_USER,		/* an account name */
	TSH_ARG_TEXT,		/* the rest of the command as typed */
	TSH_ARG_EXPRESSION,	/* a filter of the kernel, or one of `where`, verbatim */
	TSH_ARG_ARGV,		/* words to the end, after the clause "--" */
	TSH_ARG_STATEMENT,	/* a nested command (try .. else ..); src/shell parses it */
	/* NAME = VALUE, one word: the value of the argument is NAME, that of "value" is VALUE */
	TSH_ARG_ASSIGNMENT,
	TSH_ARG_N
};

enum tsh_arg_flags {
	TSH_ARG_OPTIONAL = 1 << 0,
	TSH_ARG_MANY = 1 << 1,	/* one or more; with OPTIONAL any number */
	TSH_ARG_KB = 1 << 2,	/* a SIZE without a unit is KB, as in the kernel's files */
	TSH_ARG_NONE = 1 << 3,	/* a TIME may be the word none: TSH_NO_LIMIT */
	TSH_ARG_LATE = 1 << 4,	/* an option may stand behind a clause, too */
	TSH_ARG_NOT_ZERO = 1 << 5,	/* a NUMBER, SIZE or TIME must not be 0 */
};

/* Says for an argument what TAB offers, when its type does not say it. */
enum tsh_arg_completes {
	TSH_COMPLETES_TYPE,
	TSH_COMPLETES_PAIRS,	/* for an EVENT: the events, and the names of pairs */
	TSH_COMPLETES_STACK,	/* for a TEXT of keys: the fields, and the key `stack` */
	TSH_COMPLETES_SELECT,	/* for a TEXT: the words of a SELECT */
	TSH_COMPLETES_RECIPES,	/* for a FILE: also the batch files that came with tracesh */
};

/*
 * Declares one argument of a command. Options (.option is set) stand before the first clause, in
 * any order (a LATE one may stand behind it). Clauses (.clause is set: "if", "where", "fields",
 * "--") stand behind the positional arguments, in the order of the table. All others are
 * positional.
 *
 * An EXPRESSION ends before each clause word of the table. As an option or a clause it also ends
 * before an option (-n), which is an error behind a clause. An expression that is an option and
 * begins with a quote ends with the closing quote. A positional TEXT ends before a clause word
 * only, not before an unknown option. A clause without OPTIONAL is required; options never are.
 * Usage shows a choice by its choices, or by its name when they are many.
 */
struct tsh_arg {
	const char *name;		/* "EVENT": as usage shows it, and the key for values */
	const char *option;		/* "-n" or "--for" */
	const char *clause;
	const char *const *choices;	/* NULL-terminated; for an EXPRESSION: other words that it may be */
	const char *help;		/* one line, no capital, no full stop */
	enum tsh_arg_type type;
	enum tsh_arg_completes completes;
	unsigned int flags;
};

/* Holds a parsed argument. */
struct tsh_value {
	const struct tsh_arg *arg;
	struct tsh_word word;		/* its text and place */
	uint64_t number;		/* NUMBER, SIZE, TIME */
	struct tsh_cpuset cpus;		/* CPUS */
};

/* Holds the arguments of one command, in the order in which they were typed. */
struct tsh_args {
	struct tsh_value *v;
	size_t n;
	size_t cap;
	struct tsh_span command;	/* the command's name */
	struct tsh_span whole;		/* from the name to the last argument, without a pipe */
};

/* Returns the first value of the argument called `name`, or NULL when it was not given. */
const struct tsh_value *tsh_args_get(const struct tsh_args *args, const char *name);
/* Returns the next value of that argument after `prev`; NULL: the first one. */
const struct tsh_value *tsh_args_next(const struct tsh_args *args, const char *name,
				      const struct tsh_value *prev);
/* Returns the text of that value, or NULL. */
const char *tsh_args_text(const struct tsh_args *args, const char *name);
/* Returns the number of that value, or 0. */
uint64_t tsh_args_number(const struct tsh_args *args, const char *name);
bool tsh_args_has(const struct tsh_args *args, const char *name);
size_t tsh_args_count(const struct tsh_args *args, const char *name);
void tsh_args_release(struct tsh_args *args);

/*
 * Reads the arguments of one command; its name, the word before lx->pos, has been read. Stops
 * before the end of the command or its pipe, or before the word `else` when in_try. `table` ends
 * with an entry without a name; `common` (may be NULL) holds options that src/shell adds to every
 * command that prints. Errors have the word's span, and a hint with the usage or the nearest option
 * or choice. Returns 0, or -1 with ret_args empty.
 *
 * Skips a positional CHOICE that is OPTIONAL when the word is none of its choices (a quoted word
 * never is) and another positional argument can take the word.
 */
int tsh_grammar_parse(struct tsh_lexer *lx, const char *command, const struct tsh_arg *table,
		      const struct tsh_arg *common, bool in_try, struct tsh_args *ret_args,
		      struct tsh_err *err);

/* Says whether a word begins a clause of some command, such as `where`; then it is no misspelt
 * name. */
bool tsh_grammar_is_clause(const char *word);

struct tsh_strbuf;
struct tsh_strlist;

/* Appends the usage of a command, made from its table: "enable EVENT.. [if FILTER]". */
void tsh_grammar_usage(struct tsh_strbuf *out, const char *command, const struct tsh_arg *table);

/* Says how far a command has been read. */
struct tsh_grammar_progress {
	const struct tsh_arg *slot;	/* the next positional argument; nameless when there is none */
	bool in_slot;			/* the argument has a word, and may have more */
	const struct tsh_arg *clause;	/* the clause that was begun, or NULL */
	const struct tsh_strlist *options;	/* options that were given; may be NULL */
};
/* Appends what can still come, " [EVENT..] [-n N] [if FILTER]"; may append nothing. */
void tsh_grammar_rest(struct tsh_strbuf *out, const struct tsh_arg *table,
		      const struct tsh_grammar_progress *progress);
/* Appends what stands for an argument, "EVENT..", "on|off", without its option or clause. */
void tsh_grammar_name(struct tsh_strbuf *out, const struct tsh_arg *arg);

#endif
