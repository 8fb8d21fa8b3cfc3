/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "values.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/apart.h"
#include "base/utf8.h"
#include "lang/lexer.h"

/* Collects the candidates of a completion. */

/* Limits the candidates for the prompt: a terminal shows a few hundred. */
#define KEPT_MAX 1000
/* Limits the candidates for another shell, which asks for all: a program may have any number of
 * symbols. */
#define KEPT_ALL_MAX 131072
/* Bound a search in files, in milliseconds without output and in bytes of output. */
#define PATIENCE_MS 2000
#define SAID_MAX (64u << 20)
/* Mark a candidate in the output of the search process. */
#define PARTIAL '+'
#define WHOLE '-'

bool tsh_can_be_shown(const char *text)
{
	char *clean;
	bool same;

	if (tsh_is_clean(text, strlen(text)))
		return true;
	clean = tsh_sanitize_dup(text);
	same = !strcmp(clean, text);
	free(clean);
	return same;
}

/*
 * Says whether a name stays within its place in an expression. If a name could end the expression,
 * or the quote around the expression, Enter would execute the rest of the name. The quote that
 * begins a string is our own.
 */
static bool stays_in_place(const struct tsh_cursor *at, const char *text)
{
	return !at->in_expression || !strcmp(text, "\"") ||
	       tsh_lexer_is_one_piece(text, at->wrapper);
}

/* Counts a candidate over the limit, and shortens the common beginning of all such candidates. */
static void count_dropped(struct tsh_completion *ret, const char *text)
{
	size_t n = 0;

	ret->more++;
	if (!ret->more_start) {
		ret->more_start = tsh_xstrdup(text);
		return;
	}
	while (text[n] && text[n] == ret->more_start[n])
		n++;
	ret->more_start[n] = '\0';
}

/* Drops the candidates that only contain the word, at the first candidate that begins with the
 * word. */
static void begin_exact(struct tsh_completion *ret)
{
	struct tsh_completion kept = *ret;

	tsh_completion_release(ret);
	*ret = (struct tsh_completion){ .begin = kept.begin, .quote = kept.quote,
					.is_raw = kept.is_raw, .is_shell = kept.is_shell,
					.is_exact = true };
}

static void add(const struct tsh_cursor *at, const char *text, const char *help, bool partial,
		bool is_exact)
{
	struct tsh_candidate *c;

	if (!tsh_can_be_shown(text) || !stays_in_place(at, text))
		return;
	if (is_exact && !at->ret->is_exact)
		begin_exact(at->ret);
	if (at->ret->n >= (at->all ? KEPT_ALL_MAX : KEPT_MAX)) {
		count_dropped(at->ret, text);
		return;
	}
	c = tsh_vec_push(at->ret);
	c->text = tsh_xstrdup(text);
	c->help = tsh_sanitize_dup(help ? help : "");
	c->partial = partial;
}

/* Says whether candidates may contain the word elsewhere than at their start. Nearly all names
 * contain any single letter. */
static bool may_be_inside(const struct tsh_cursor *at)
{
	return !at->ret->is_exact && !at->starts_only && at->word[0] && at->word[1];
}

void tsh_candidate_add(const struct tsh_cursor *at, const char *text, const char *help,
		       bool partial)
{
	if (!*text)
		return;
	if (at->apart && strstr(text, at->word))
		fprintf(at->apart, "%c%s%c%s%c", partial ? PARTIAL : WHOLE, text, '\0', help ? help : "", '\0');
	else if (tsh_begins_with(text, at->word))
		add(at, text, help, partial, true);
	else if (may_be_inside(at) && strstr(text, at->word))
		add(at, text, help, partial, false);
}

void tsh_candidate_add_called(const struct tsh_cursor *at, const char *text, const char *name)
{
	size_t len = strlen(at->word);

	if (tsh_begins_with(text, at->word))
		add(at, text, name, false, true);
	else if (!at->ret->is_exact && !at->starts_only && !strncasecmp(name, at->word, len))
		add(at, text, name, false, false);
}

/* ---- in another process ---- */

struct apart {
	const struct tsh_cursor *at;
	void (*find)(const struct tsh_cursor *at);
};

static void add_apart(void *ctx, int out)
{
	const struct apart *apart = ctx;
	struct tsh_cursor at = *apart->at;

	at.apart = fdopen(out, "w");
	if (!at.apart)
		return;
	apart->find(&at);
	fflush(at.apart);
}

void tsh_candidates_apart(const struct tsh_cursor *at, void (*find)(const struct tsh_cursor *at))
{
	struct apart apart = { at, find };
	struct tsh_strbuf said = TSH_STRBUF_INIT;
	const char *p, *help, *zero, *end;

	(void)tsh_apart_run(add_apart, &apart, at->s->waiter, PATIENCE_MS, SAID_MAX, &said);
	end = said.buf + said.len;
	/* Adds only whole candidates: the output may end within one. */
	for (p = said.buf; (help = memchr(p, '\0', (size_t)(end - p))) &&
			   (zero = memchr(help + 1, '\0', (size_t)(end - help - 1))); p = zero + 1)
		tsh_candidate_add(at, p + 1, help + 1, *p == PARTIAL);
	tsh_strbuf_release(&said);
}

void tsh_candidates_names(const struct tsh_cursor *at, struct tsh_strlist *names,
			  const char *help)
{
	size_t i;

	for (i = 0; i < names->n; i++)
		tsh_candidate_add(at, names->v[i], help, false);
	tsh_strlist_release(names);
}

void tsh_completion_release(struct tsh_completion *c)
{
	size_t i;

	for (i = 0; i < c->n; i++) {
		free(c->v[i].text);
		free(c->v[i].help);
	}
	free(c->more_start);
	c->more_start = NULL;
	c->more = 0;
	tsh_vec_release(c);
}
