/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sh-lines.h"

#include <stdlib.h>
#include <string.h>

#include "dryrun.h"

/* Limits a text for the shell's printf, whose buffer may be as small as this (musl, busybox): a
 * longer text would be several writes to the kernel. */
#define PRINTF_MAX 1000

void tsh_sh_quote(struct tsh_strbuf *out, const char *text)
{
	tsh_strbuf_addc(out, '\'');
	for (; *text; text++) {
		if (*text == '\'')
			tsh_strbuf_adds(out, "'\\''");
		else
			tsh_strbuf_addc(out, *text);
	}
	tsh_strbuf_addc(out, '\'');
}

static bool needs_quotes(const char *text)
{
	static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
				    "0123456789._-/:,=+@%";

	return !*text || text[strspn(text, plain)] != '\0';
}

void tsh_sh_word(struct tsh_strbuf *out, const char *text)
{
	if (needs_quotes(text))
		tsh_sh_quote(out, text);
	else
		tsh_strbuf_adds(out, text);
}

/* Appends the path of a file or directory `below` the top one. */
static void add_below(struct tsh_strbuf *out, const char *root, const char *below)
{
	char *path = tsh_xasprintf("%s/%s", root, below);

	if (*root == '$') {
		tsh_strbuf_addf(out, "\"%s\"/", root);
		tsh_sh_word(out, below);
	} else {
		tsh_sh_word(out, path);
	}
	free(path);
}

static void add_path(struct tsh_strbuf *out, const char *root, const struct tsh_instance *in,
		     const char *path)
{
	char *below = in->name ? tsh_xasprintf("instances/%s/%s", in->name, path) :
				 tsh_xstrdup(path);

	add_below(out, root, below);
	free(below);
}

void tsh_sh_path(struct tsh_strbuf *out, const struct tsh_instance *in, const char *path)
{
	add_path(out, "$TRACEFS", in, path);
}

/* Appends a printf of the text: a word for each line of a list, else one word. */
static void add_printf(struct tsh_strbuf *out, const struct tsh_file_class *cls, const char *text)
{
	struct tsh_strlist lines = { 0 };
	size_t i;

	tsh_strbuf_adds(out, cls->flags & TSH_CLASS_PLAIN_TEXT ? "printf %s" : "printf '%s\\n'");
	if (cls->flags & TSH_CLASS_LIST)
		tsh_strlist_split_lines(&lines, text);
	else
		tsh_strlist_add(&lines, text);
	for (i = 0; i < lines.n; i++) {
		tsh_strbuf_addc(out, ' ');
		tsh_sh_word(out, lines.v[i]);
	}
	tsh_strlist_release(&lines);
}

/* Appends a cat of a here-document: cat writes in one write(2) what it has read. */
static void add_document(struct tsh_strbuf *out, const char *operator, const char *target,
			 const char *text)
{
	struct tsh_strlist lines = { 0 };
	struct tsh_strbuf end = TSH_STRBUF_INIT;
	size_t i, longest = 0;

	/* Makes an end mark that is longer than any line of its kind in the text. */
	tsh_strlist_split_lines(&lines, text);
	for (i = 0; i < lines.n; i++)
		if (!strncmp(lines.v[i], "END", 3) && !lines.v[i][3 + strspn(lines.v[i] + 3, "_")] &&
		    strlen(lines.v[i]) > longest)
			longest = strlen(lines.v[i]);
	tsh_strbuf_adds(&end, "END");
	while (end.len <= longest)
		tsh_strbuf_addc(&end, '_');
	tsh_strbuf_addf(out, "cat %s %s <<'%s'\n%s\n%s\n", operator, target, end.buf, text, end.buf);
	tsh_strbuf_release(&end);
	tsh_strlist_release(&lines);
}

/* Appends a list of pids in several printfs: a number that is split over two writes would be two
 * numbers. */
static void add_pieces(struct tsh_strbuf *out, const char *operator, const char *target,
		       const char *text)
{
	struct tsh_strlist words = { 0 };
	size_t i, len = 0;

	tsh_strlist_split_words(&words, text);
	for (i = 0; i < words.n; i++) {
		if (!len)
			tsh_strbuf_adds(out, "printf '%s\\n'");
		tsh_strbuf_addc(out, ' ');
		tsh_sh_word(out, words.v[i]);
		len += strlen(words.v[i]) + 1;
		/* Leaves room for one more number. */
		if (len + 24 > PRINTF_MAX || i + 1 == words.n) {
			tsh_strbuf_addf(out, " %s %s\n", operator, target);
			operator = ">>";
			len = 0;
		}
	}
	tsh_strlist_release(&words);
}

void tsh_sh_write(struct tsh_strbuf *out, const char *root, const struct tsh_instance *in,
		  const char *path, bool truncate, const char *text)
{
	const struct tsh_file_class *cls = tsh_file_class(path);
	struct tsh_strbuf target = TSH_STRBUF_INIT;
	/* Appends where the text must not replace the list: the shell's > opens the file with
	 * O_TRUNC, which empties it. */
	bool append = !truncate && (cls->flags & (TSH_CLASS_LIST | TSH_CLASS_ADD_ONLY));
	const char *operator = append ? ">>" : ">";

	add_path(&target, root, in, path);
	if (!text || !*text) {
		tsh_strbuf_addf(out, ": %s %s\n", operator, target.buf);
	} else if (strlen(text) > PRINTF_MAX && (cls->flags & TSH_CLASS_PIDS)) {
		add_pieces(out, operator, target.buf, text);
	} else if (strlen(text) > PRINTF_MAX &&
		   !(cls->flags & (TSH_CLASS_LIST | TSH_CLASS_PLAIN_TEXT))) {
		add_document(out, operator, target.buf, text);
	} else {
		add_printf(out, cls, text);
		tsh_strbuf_addf(out, " %s %s\n", operator, target.buf);
	}
	tsh_strbuf_release(&target);
}

void tsh_sh_directory(struct tsh_strbuf *out, const char *root, const char *program,
		      const char *name)
{
	char *below = tsh_xasprintf("instances/%s", name);

	tsh_strbuf_addf(out, "%s ", program);
	add_below(out, root, below);
	tsh_strbuf_addc(out, '\n');
	free(below);
}

void tsh_sh_append_change(struct tsh_strbuf *out, const struct tsh_wrote *what)
{
	const char *root = what->in->dir->path;

	if (what->program)
		tsh_sh_directory(out, root, what->program, what->in->name);
	else
		tsh_sh_write(out, root, what->in, what->path, what->truncate, what->text);
}
