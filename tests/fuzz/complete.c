/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Completion of a line in a recorded tree: the input is the line, and behind it the files of the
 * tree, whose names and texts are somebody else's. The tree is the working directory, and bin in
 * it the PATH. An answer can be shown on a terminal, and what is typed for it is read back as it.
 */
#include "trees.h"

#include "cmd/table.h"
#include "complete/complete.h"
#include "complete/words.h"
#include "help/help.h"
#include "lang/lexer.h"

#define WORDS_MAX 32

static const struct fuzz_file given[] = {
	{ "events/header_page", "" },
	{ "events/sched/sched_switch/format",
	  "name: sched_switch\nID: 319\nformat:\n"
	  "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
	  "\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
	  "\tfield:char prev_comm[16];\toffset:8;\tsize:16;\tsigned:1;\n"
	  "\tfield:pid_t prev_pid;\toffset:24;\tsize:4;\tsigned:1;\n\n"
	  "print fmt: \"%s %d\", REC->prev_comm, REC->prev_pid\n" },
	{ "available_events", "sched:sched_switch\n" },
	{ "available_tracers", "function nop\n" },
	{ "available_filter_functions", "schedule\nvfs_read\n" },
	{ "trace_clock", "[local] boot\n" },
	{ "options/overwrite", "1\n" },
	{ "instances/one/tracing_on", "1\n" },
	{ "saved_cmdlines", "1 init\n" },
	{ "bin/program", "" },
	{ NULL, NULL }
};

/* Every variable is set: one in an answer is seen. */
static const char *get_variable(void *ctx, const char *name)
{
	(void)ctx;
	(void)name;
	return "value";
}

static const struct tsh_vars variables = { .get = get_variable };

/* Whether the lexer reads one word there, which is the text. */
static bool is_word(const char *typed, const char *text)
{
	struct tsh_err err = { 0 };
	struct tsh_lexer lx;
	struct tsh_word word;
	bool same = false;

	tsh_lexer_init(&lx, typed, strlen(typed), &variables);
	if (tsh_lexer_word(&lx, &word, &err) == TSH_TOKEN_WORD) {
		same = !strcmp(word.text, text) &&
		       tsh_lexer_word(&lx, NULL, &err) == TSH_TOKEN_END && lx.pos == lx.len;
		tsh_word_release(&word);
	}
	tsh_err_release(&err);
	return same;
}

/* The same for sh: '..', and a backslash before what is special outside of it. */
static bool is_sh_word(const char *typed, const char *text)
{
	bool in_quotes = false;

	for (; *typed; typed++) {
		if (*typed == '\'') {
			in_quotes = !in_quotes;
			continue;
		}
		if (!in_quotes && *typed == '\\')
			typed++;
		else if (!in_quotes && strchr(" \t\n|&;<>()$`\"*?[#~=%!{}", *typed) &&
			 !strchr("=%~#{}!", *typed))
			return false;
		if (!*typed || *typed != *text++)
			return false;
	}
	return !in_quotes && !*text;
}

/* Whether it is the last word of the line, in the place of what was typed of it; or one that
 * nothing is offered for, as behind a '$'. */
static bool is_last_word(const char *line, size_t begin, const char *typed, const char *text)
{
	char *whole = tsh_xasprintf("%.*s%s", (int)begin, line, typed);
	struct tsh_cut cut = { 0 };
	bool same = tsh_cut_line(whole, strlen(whole), &cut) != TSH_CUT_COMMAND ||
		    !strcmp(cut.v[cut.n - 1].text, text);

	tsh_cut_release(&cut);
	free(whole);
	return same;
}

static void check_candidate(const char *line, const struct tsh_completion *found, size_t i)
{
	const struct tsh_candidate *c = &found->v[i];
	char *typed = tsh_completion_typed(found, i);
	char *whole = tsh_completion_quoted(found, c->text, false);

	check_text(c->text, strlen(c->text), false);
	check_text(c->help, strlen(c->help), false);
	check_text(typed, strlen(typed), false);
	if (found->is_raw ? strcmp(whole, c->text) != 0 :
	    found->is_shell ? !is_sh_word(whole, c->text) : !is_word(whole, c->text) ||
	    !is_last_word(line, found->begin, whole, c->text)) {
		fprintf(stderr, "'%s' is typed as %s\n", c->text, whole);
		abort();
	}
	free(typed);
	free(whole);
}

static void check_line(struct tsh_session *s, const char *line, size_t len)
{
	struct tsh_completion found;
	size_t i;

	tsh_complete_line(s, line, len, &found);
	if (found.begin > len)
		abort();
	for (i = 0; i < found.n; i++)
		check_candidate(line, &found, i);
	tsh_completion_release(&found);
}

/* What the other shells get: "VALUE<TAB>DESCRIPTION". */
static void check_answers(const struct tsh_strbuf *out)
{
	const char *line = out->buf, *tab, *end;

	for (; out->len && *line; line = end + 1) {
		end = strchr(line, '\n');
		tab = end ? memchr(line, '\t', (size_t)(end - line)) : NULL;
		if (!tab)
			abort();
		check_text(line, (size_t)(tab - line), false);
		check_text(tab + 1, (size_t)(end - tab - 1), false);
	}
}

static void check_words(struct tsh_session *s, const char *line, size_t len)
{
	struct tsh_strbuf out = TSH_STRBUF_INIT;
	char *words[WORDS_MAX + 1] = { NULL };
	struct tsh_cut cut = { 0 };
	size_t i;

	if (tsh_cut_line(line, len, &cut) == TSH_CUT_COMMAND) {
		for (i = 0; i < cut.n && i < WORDS_MAX; i++)
			words[i] = cut.v[i].text;
		tsh_complete_words(s, words, &out);
		check_answers(&out);
	}
	tsh_cut_release(&cut);
	tsh_strbuf_release(&out);
}

static void check_help(struct tsh_session *s, const char *line, size_t len)
{
	struct tsh_strbuf out = TSH_STRBUF_INIT;

	tsh_complete_usage(s, line, len, &out);
	if (!out.len)
		abort();
	check_text(out.buf, out.len, false);
	tsh_strbuf_clear(&out);
	tsh_complete_hint(s, line, len, &out);
	if (out.len)
		check_text(out.buf, out.len, false);
	tsh_strbuf_clear(&out);
	if (tsh_complete_explain(s, line, len, &out))
		check_text(out.buf, out.len, true);
	tsh_strbuf_release(&out);
}

static void complete(const char *top, const char *line, size_t len)
{
	struct tsh_session s = { .commands = tsh_commands, .topics = tsh_topics };
	struct tsh_err err = { 0 };
	char *copy = tsh_xstrndup(line, len);

	/* A line has no NUL. */
	len = strlen(copy);
	if (tsh_dir_open(top, &s.dir, &err) < 0 || tsh_instance_open(s.dir, NULL, &s.in, &err) < 0)
		abort();
	tsh_alias_set(&s.aliases, "switches", "filter sched_switch");
	check_line(&s, copy, len);
	check_words(&s, copy, len);
	check_help(&s, copy, len);
	tsh_cmd_session_release(&s);
	tsh_alias_release(&s.aliases);
	tsh_instance_close(s.in);
	tsh_dir_close(s.dir);
	free(copy);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *text = (const char *)data, *files = memmem(data, size, "\n@@", 3);
	size_t len = files ? (size_t)(files - text) : size;
	char top[64], bin[80];
	int here;

	if (len > 1000 || size > 65536)
		return 0;
	here = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	name_tree(top, sizeof(top));
	make_tree(top, given, files ? files + 1 : "", files ? size - len - 1 : 0);
	snprintf(bin, sizeof(bin), "%s/bin", top);
	setenv("PATH", bin, 1);
	setenv("HOME", top, 1);
	if (here < 0 || chdir(top) < 0)
		abort();
	complete(top, text, len);
	if (fchdir(here) < 0)
		abort();
	close(here);
	remove_tree(top);
	return 0;
}
