/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "complete-program.h"

#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "base/xmalloc.h"
#include "complete/complete.h"

struct tsh_program_option {
	const char *name;
	const char *shorter;
	const char *values;		/* a command whose arguments its values are; NULL: none */
	const char *help;
};

/* As getopt_long has them in main.c; a test compares the two. */
static const struct tsh_program_option options[] = {
	{ NULL, "-c", "", "run a command" },
	{ NULL, "-f", "source", "run a batch file; - is stdin" },
	{ NULL, "-i", "instance use", "work in an instance" },
	{ NULL, "-I", "instance use", "work in an instance, created when it is missing" },
	{ "--check", "-n", NULL, "parse and resolve everything, write nothing" },
	{ "--dry-run", NULL, NULL, "print the writes as a script for sh, write nothing" },
	{ "--restore", NULL, NULL, "take all changes back at the end" },
	{ "--no-rc", NULL, NULL, "read no rc file before the prompt" },
	{ "--keep-going", NULL, NULL, "an error does not end the batch" },
	{ "--private", NULL, NULL, "work in an instance of its own, which goes at the end" },
	{ "--read-only", NULL, NULL, "refuse to write" },
	{ "--yes", NULL, NULL, "do also what one would be asked about" },
	{ "--tracefs", NULL, "source", "another mount, or a recorded tree" },
	{ "--format", NULL, "set format", "text, json, csv, kernel" },
	{ "--json", NULL, NULL, "one JSON object a line" },
	{ NULL, "-o", "source", "write the output there" },
	{ "--time", NULL, "set time", "how times are printed" },
	{ "--precision", NULL, "set precision", "us or ns" },
	{ "--columns", NULL, "set columns", "of events in text" },
	{ "--show-error", NULL, NULL, "the bound of its error behind each time" },
	{ "--tz", NULL, "set tz", "time zone" },
	{ "--pool", NULL, "256K 1M 8M", "memory for what is read and decoded" },
	{ "--color", NULL, "auto always never", "when to use colours" },
	{ "--quiet", "-q", NULL, "no notes" },
	{ "--verbose", "-v", NULL, "show every write" },
	{ "--version", "-V", NULL, "print the version" },
	{ "--help", "-h", NULL, "print the usage" },
	{ 0 }
};

static const struct tsh_program_option *find(const char *word)
{
	const struct tsh_program_option *o;

	for (o = options; o->help; o++)
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
		if (!strcmp(o->values, "instance use")) {
			ret->instance = *ret->rest;
			ret->creates = !strcmp(o->shorter, "-I");
		} else if (o->name && !strcmp(o->name, "--tracefs")) {
			ret->tracefs = *ret->rest;
		}
	}
}

static void offer(struct tsh_strbuf *out, const char *text, const char *help, const char *typed)
{
	if (text && !strncmp(text, typed, strlen(typed)))
		tsh_strbuf_addf(out, "%s\t%s\n", text, help);
}

/* As the arguments of a command, "set format": the words of it, then the one at the cursor. */
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

/* Of `-c COMMAND` all is one word. */
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
		for (o = options; o->help; o++) {
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
