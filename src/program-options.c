/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "program-options.h"

#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "base/xmalloc.h"
#include "complete/complete.h"
#include "shell/engine.h"

#define FLAG(member) .flag = offsetof(struct tsh_engine_options, member) + 1

const struct tsh_program_option tsh_program_options[TSH_PROGRAM_OPTIONS + 1] = {
	{ NULL, "-c", "", "run a command", .action = TSH_PROGRAM_COMMAND },
	{ NULL, "-f", "source", "run a batch file; - is stdin", .action = TSH_PROGRAM_FILE },
	{ NULL, "-i", "instance use", "work in an instance", .action = TSH_PROGRAM_INSTANCE },
	{ NULL, "-I", "instance use", "work in an instance, created when it is missing",
	  .action = TSH_PROGRAM_NEW_INSTANCE },
	{ "--check", "-n", NULL, "parse and resolve everything, write nothing", FLAG(check) },
	{ "--dry-run", NULL, NULL, "print the writes as a script for sh, write nothing",
	  FLAG(dry_run) },
	{ "--restore", NULL, NULL, "take all changes back at the end", FLAG(restore) },
	{ "--no-rc", NULL, NULL, "read no rc file before the prompt", .action = TSH_PROGRAM_NO_RC },
	{ "--keep-going", NULL, NULL, "an error does not end the batch", FLAG(keep_going) },
	{ "--private", NULL, NULL, "work in an instance of its own, which goes at the end",
	  FLAG(private_instance) },
	{ "--read-only", NULL, NULL, "refuse to write", FLAG(read_only) },
	{ "--yes", NULL, NULL, "do also what one would be asked about",
	  .setting = "confirm", .fixed = "off" },
	{ "--tracefs", NULL, "source", "another mount, or a recorded tree",
	  .action = TSH_PROGRAM_TRACEFS },
	{ "--format", NULL, "set format", "text, json, csv, kernel", .setting = "format" },
	{ "--json", NULL, NULL, "one JSON object a line", .setting = "format", .fixed = "json" },
	{ NULL, "-o", "source", "write the output there", .action = TSH_PROGRAM_OUTPUT },
	{ "--time", NULL, "set time", "how times are printed", .setting = "time" },
	{ "--precision", NULL, "set precision", "us or ns", .setting = "precision" },
	{ "--columns", NULL, "set columns", "of events in text", .setting = "columns" },
	{ "--show-error", NULL, NULL, "the bound of its error behind each time",
	  .setting = "show-error", .fixed = "on" },
	{ "--tz", NULL, "set tz", "time zone", .setting = "tz" },
	{ "--pool", NULL, "256K 1M 8M", "memory for what is read and decoded", .setting = "pool" },
	{ "--threads", NULL, "auto 1 2 4", "how many threads print or record", .setting = "threads" },
	{ "--color", NULL, "auto always never", "when to use colours",
	  .action = TSH_PROGRAM_COLOR },
	{ "--quiet", "-q", NULL, "no notes", FLAG(quiet) },
	{ "--verbose", "-v", NULL, "show every write", .setting = "show-writes", .fixed = "on" },
	{ "--version", "-V", NULL, "print the version", .action = TSH_PROGRAM_VERSION },
	{ "--help", "-h", NULL, "print the usage", .action = TSH_PROGRAM_HELP },
	{ "--help-man", NULL, NULL, NULL, .action = TSH_PROGRAM_HELP_MAN },
	{ "--help-examples", NULL, NULL, NULL, .action = TSH_PROGRAM_HELP_EXAMPLES },
	{ "--complete", NULL, NULL, NULL, .action = TSH_PROGRAM_COMPLETE },
	{ 0 }
};

static const struct tsh_program_option *find(const char *word)
{
	const struct tsh_program_option *o;

	for (o = tsh_program_options; o->name || o->shorter; o++)
		if ((o->name && !strcmp(o->name, word)) ||
		    (o->shorter && !strcmp(o->shorter, word)))
			return o;
	return NULL;
}

void tsh_program_words_read(char **words, struct tsh_program_words *ret)
{
	*ret = (struct tsh_program_words){ .rest = words };
	for (; *ret->rest && ret->rest[1] && ret->rest[0][0] == '-'; ret->rest++) {
		const struct tsh_program_option *o = find(ret->rest[0]);

		if (!strcmp(ret->rest[0], "--")) {
			ret->rest++;
			return;
		}
		if (!o || !o->values)
			continue;
		ret->rest++;
		if (!ret->rest[1]) {
			ret->value_of = o;
			return;
		}
		if (o->action == TSH_PROGRAM_INSTANCE || o->action == TSH_PROGRAM_NEW_INSTANCE) {
			ret->instance = *ret->rest;
			ret->creates = o->action == TSH_PROGRAM_NEW_INSTANCE;
		} else if (o->action == TSH_PROGRAM_TRACEFS) {
			ret->tracefs = *ret->rest;
		}
	}
}

static void offer(struct tsh_strbuf *out, const char *text, const char *help, const char *typed)
{
	if (text && !strncmp(text, typed, strlen(typed)))
		tsh_strbuf_addf(out, "%s\t%s\n", text, help);
}

/* Completes typed as an argument of a command: "set format". */
static void complete_as(struct tsh_session *s, const char *command, char *typed,
			struct tsh_strbuf *out)
{
	struct tsh_strlist words = { 0 };
	char **argv;

	tsh_strlist_split_words(&words, command);
	argv = tsh_xcalloc(words.n + 2, sizeof(*argv));
	if (words.n)
		memcpy(argv, words.v, words.n * sizeof(*argv));
	argv[words.n] = typed;
	tsh_complete_words(s, argv, out);
	free(argv);
	tsh_strlist_release(&words);
}

/* Completes the one word of -c, which is a whole command line. */
static void complete_command(struct tsh_session *s, const char *typed, struct tsh_strbuf *out)
{
	struct tsh_completion found;
	size_t i;

	tsh_complete_line(s, typed, strlen(typed), &found);
	for (i = 0; found.is_exact && i < found.n; i++) {
		tsh_strbuf_add(out, typed, found.begin);
		tsh_strbuf_addf(out, "%s\t%s\n", found.v[i].text, found.v[i].help);
	}
	tsh_completion_release(&found);
}

static void complete_value(struct tsh_session *s, const struct tsh_program_option *o, char *typed,
			   struct tsh_strbuf *out)
{
	struct tsh_strlist words = { 0 };
	size_t i;

	if (!*o->values) {
		complete_command(s, typed, out);
	} else if (!strcmp(o->values, "source") || strstr(o->values, "set ") ||
		   !strcmp(o->values, "instance use")) {
		complete_as(s, o->values, typed, out);
	} else {
		tsh_strlist_split_words(&words, o->values);
		for (i = 0; i < words.n; i++)
			offer(out, words.v[i], o->help, typed);
		tsh_strlist_release(&words);
	}
}

void tsh_program_words_complete(struct tsh_session *s, const struct tsh_program_words *words,
				struct tsh_strbuf *out)
{
	char **rest = words->rest, *last;
	const struct tsh_program_option *o;
	size_t n = 0;

	while (rest[n])
		n++;
	last = n ? rest[n - 1] : (char *)"";
	if (words->value_of) {
		complete_value(s, words->value_of, last, out);
	} else if (n == 1 && *last == '-') {
		for (o = tsh_program_options; o->help; o++) {
			offer(out, o->name, o->help, last);
			offer(out, o->shorter, o->help, last);
		}
	} else if (n && strpbrk(rest[0], "/.")) {
		/* a batch file and its arguments */
		complete_as(s, "source", last, out);
	} else {
		tsh_complete_words(s, rest, out);
	}
}
