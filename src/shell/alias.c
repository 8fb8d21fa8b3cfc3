/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "engine-internal.h"

#include <string.h>

/* Runs a command whose first word is an alias: the meaning of the alias and the rest of the line
 * become a text. Errors show an offset in that text as an offset in the typed text. */

/* Returns the end of the line from `pos` on, which a command that begins before it may use. A
 * newline in quotes does not end it. */
static size_t end_of_line(const struct tsh_lexer *lx, size_t pos)
{
	struct tsh_lexer rest = *lx;

	for (rest.pos = pos;; rest.pos++) {
		tsh_lexer_skip_command(&rest);
		if (rest.pos >= rest.len || rest.text[rest.pos] == '\n')
			return rest.pos < rest.len ? rest.pos : rest.len;
	}
}

const char *tsh_alias_at(const struct tsh_engine *e, const struct tsh_lexer *lx,
			 struct tsh_span *ret_name)
{
	struct tsh_lexer at = *lx;

	*ret_name = tsh_lexer_peek(&at);
	/* does not expand the meaning of an alias again */
	if (ret_name->begin == ret_name->end ||
	    (e->input->alias_of && ret_name->begin < e->input->alias_len))
		return NULL;
	return tsh_alias_find(&e->session.aliases, lx->text + ret_name->begin,
			      ret_name->end - ret_name->begin);
}

/* Hints at the meaning of the alias when an error is about it: these words were not typed here. */
static void explain(const struct tsh_input *input, struct tsh_err *err)
{
	if (!err->hint && err->span.end > err->span.begin && err->span.begin < input->alias_len)
		tsh_err_hint(err, "'%.*s' is an alias of: %.*s",
			     (int)(input->alias_name.end - input->alias_name.begin),
			     input->alias_of->text + input->alias_name.begin,
			     (int)input->alias_len, input->text);
}

int tsh_alias_run(struct tsh_engine *e, struct tsh_lexer *lx, struct tsh_span name,
		  const char *meaning, struct tsh_err *err)
{
	const struct tsh_input *outer = e->input;
	struct tsh_input input = *outer;
	struct tsh_strbuf text = TSH_STRBUF_INIT;
	struct tsh_lexer inner;
	int r = 0;

	tsh_strbuf_adds(&text, meaning);
	input.alias_len = text.len;
	tsh_strbuf_add(&text, lx->text + name.end, end_of_line(lx, name.end) - name.end);
	input.text = text.buf;
	input.len = text.len;
	input.last = NULL;
	input.alias_of = outer;
	input.alias_name = name;
	e->input = &input;
	tsh_lexer_init(&inner, text.buf, text.len, lx->vars);
	/* Runs the commands of the alias. The last one gets the typed words behind the alias. */
	while (!r && inner.pos < input.alias_len && !e->session.quit && !e->session.aborted &&
	       tsh_lexer_next_command(&inner))
		r = tsh_run_statement(e, &inner, err);
	e->input = outer;
	lx->pos = name.end + (inner.pos > input.alias_len ? inner.pos - input.alias_len : 0);
	if (r < 0) {
		explain(&input, err);
		err->span = tsh_alias_outer_span(&input, err->span);
	}
	tsh_strbuf_release(&text);
	return r;
}
