/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pieces.h"

static bool is_blank(char c)
{
	/* a carriage return too, so that a file with DOS line ends works */
	return c == ' ' || c == '\t' || c == '\r';
}

/* Returns the length of the continuation at pos, or 0. */
static size_t continuation(const struct tsh_lexer *lx, size_t pos)
{
	size_t left = lx->len - pos;
	const char *p = lx->text + pos;

	if (left >= 2 && p[0] == '\\' && p[1] == '\n')
		return 2;
	if (left >= 3 && p[0] == '\\' && p[1] == '\r' && p[2] == '\n')
		return 3;
	return 0;
}

static bool begins_word(const struct tsh_lexer *lx, size_t pos)
{
	char before;

	if (!pos)
		return true;
	before = lx->text[pos - 1];
	return is_blank(before) || before == '\n' || before == ';';
}

static bool is_name(char c, bool first)
{
	return c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	       (!first && c >= '0' && c <= '9');
}

/* Holds the place of a variable in the source: its name, and all of it. */
struct variable {
	struct tsh_span name;
	struct tsh_span whole;
	bool malformed;		/* "${" without a name and '}' */
};

/* Finds the variable whose '$' is at pos. Returns false when the '$' is the kernel's. */
static bool variable_at(const struct tsh_lexer *lx, size_t pos, size_t end, struct variable *ret)
{
	const char *text = lx->text;
	size_t p = pos + 1;

	if (p >= end)
		return false;
	if ((text[p] >= '1' && text[p] <= '9') || text[p] == '#' || text[p] == '?') {
		*ret = (struct variable){ .name = { p, p + 1 }, .whole = { pos, p + 1 } };
		return true;
	}
	if (text[p] != '{')
		return false;
	p++;
	if (p < end && text[p] >= '1' && text[p] <= '9') {
		while (p < end && text[p] >= '0' && text[p] <= '9')
			p++;
	} else if (p < end && (text[p] == '#' || text[p] == '?')) {
		p++;
	} else {
		while (p < end && is_name(text[p], p == pos + 2))
			p++;
	}
	*ret = (struct variable){ .name = { pos + 2, p }, .whole = { pos, p } };
	ret->malformed = p == pos + 2 || p >= end || text[p] != '}';
	if (p < end && text[p] == '}')
		ret->whole.end++;
	return true;
}

struct tsh_piece tsh_piece_at(const struct tsh_lexer *lx, size_t pos)
{
	struct variable var;
	const char *quote;
	size_t n;
	char c;

	if (pos >= lx->len)
		return (struct tsh_piece){ TSH_PIECE_END, pos };
	c = lx->text[pos];
	if (c == '\n' || c == ';' || (c == '#' && begins_word(lx, pos)))
		return (struct tsh_piece){ TSH_PIECE_END, pos };
	if (is_blank(c))
		return (struct tsh_piece){ TSH_PIECE_BLANK, pos + 1 };
	n = continuation(lx, pos);
	if (n)
		return (struct tsh_piece){ TSH_PIECE_BLANK, pos + n };
	if (c == '\'' || c == '"') {
		quote = memchr(lx->text + pos + 1, c, lx->len - pos - 1);
		if (!quote)
			return (struct tsh_piece){ TSH_PIECE_OPEN, pos + 1 };
		return (struct tsh_piece){ c == '"' ? TSH_PIECE_DOUBLE : TSH_PIECE_SINGLE,
					   (size_t)(quote - lx->text) + 1 };
	}
	if (c == '$' && variable_at(lx, pos, lx->len, &var)) {
		if (var.malformed)
			return (struct tsh_piece){ TSH_PIECE_MALFORMED, pos + 1 };
		return (struct tsh_piece){ TSH_PIECE_VARIABLE, var.whole.end };
	}
	if (c == '|') {
		if (pos + 1 < lx->len && lx->text[pos + 1] == '|')
			return (struct tsh_piece){ TSH_PIECE_PLAIN, pos + 2 };
		return (struct tsh_piece){ TSH_PIECE_PIPE, pos + 1 };
	}
	return (struct tsh_piece){ TSH_PIECE_PLAIN, pos + 1 };
}

size_t tsh_skip_blanks(const struct tsh_lexer *lx, size_t pos)
{
	struct tsh_piece piece;

	while ((piece = tsh_piece_at(lx, pos)).kind == TSH_PIECE_BLANK)
		pos = piece.end;
	return pos;
}

size_t tsh_skip_line(const struct tsh_lexer *lx, size_t pos, bool continued)
{
	size_t n;

	while (pos < lx->len && lx->text[pos] != '\n') {
		n = continued ? continuation(lx, pos) : 0;
		pos += n ? n : 1;
	}
	return pos;
}

struct tsh_span tsh_raw_word(const struct tsh_lexer *lx, size_t pos)
{
	struct tsh_span span = { pos, pos };
	const struct tsh_span none = { pos, pos };
	struct tsh_piece piece;

	for (;;) {
		piece = tsh_piece_at(lx, span.end);
		switch (piece.kind) {
		case TSH_PIECE_END:
		case TSH_PIECE_PIPE:
		case TSH_PIECE_BLANK:
			return span;
		case TSH_PIECE_SINGLE:
		case TSH_PIECE_DOUBLE:
		case TSH_PIECE_OPEN:
		case TSH_PIECE_VARIABLE:
		case TSH_PIECE_MALFORMED:
			return none;
		case TSH_PIECE_PLAIN:
			break;
		}
		span.end = piece.end;
	}
}

bool tsh_span_is(const struct tsh_lexer *lx, struct tsh_span span, const char *text)
{
	size_t len = strlen(text);

	return span.end - span.begin == len && !memcmp(lx->text + span.begin, text, len);
}

void tsh_builder_add(struct tsh_builder *b, char c, size_t from)
{
	tsh_strbuf_addc(&b->text, c);
	*tsh_vec_push(&b->from) = (uint32_t)from;
}

void tsh_builder_copy(struct tsh_builder *b, const struct tsh_lexer *lx, size_t begin, size_t end)
{
	for (; begin < end; begin++)
		tsh_builder_add(b, lx->text[begin], begin);
}

/* Refuses a "${" that begins no variable. Blames the text up to the '}', or what could be read
 * of a name when none follows. */
static int refuse_variable(const struct tsh_lexer *lx, const struct variable *var, size_t end,
			   struct tsh_err *err)
{
	struct tsh_span whole = var->whole;
	size_t p = whole.end;

	while (p < end && lx->text[p] && !strchr("} \t\r\n'\";|", lx->text[p]))
		p++;
	if (p < end && lx->text[p] == '}')
		whole.end = p + 1;
	tsh_err_at(err, whole, "'%.*s' is not a variable", (int)(whole.end - whole.begin),
		   lx->text + whole.begin);
	tsh_err_hint(err, "variables look like ${name}; in '..' a '$' is an ordinary character");
	return -1;
}

/* Limits the bytes that replace the variables of a command: a variable that stands in its own
 * new value can double each time. */
#define EXPANDED_MAX (1u << 20)

static int add_variable(struct tsh_builder *b, struct tsh_lexer *lx,
			const struct variable *var, struct tsh_err *err)
{
	const char *value = NULL;
	char *name;
	int ret = 0;

	name = tsh_xstrndup(lx->text + var->name.begin, var->name.end - var->name.begin);
	if (lx->vars)
		value = lx->vars->get(lx->vars->ctx, name);
	lx->expanded += value ? strlen(value) : 0;
	if (lx->expanded > EXPANDED_MAX) {
		ret = tsh_err_at(err, var->whole, "with the value of '%s' the command's variables are "
				 "longer than 1 MB", name);
	} else if (value) {
		for (; *value; value++)
			tsh_builder_add(b, *value, var->whole.begin);
	} else if (*name >= '1' && *name <= '9') {
		ret = tsh_err_at(err, var->whole, "no argument $%s", name);
	} else {
		ret = tsh_err_at(err, var->whole, "unknown variable '%s'", name);
		if (is_name(*name, true))
			tsh_err_hint(err, "set it: let %s = VALUE", name);
	}
	free(name);
	return ret;
}

int tsh_builder_expand(struct tsh_builder *b, struct tsh_lexer *lx, size_t begin, size_t end,
		       struct tsh_err *err)
{
	struct variable var;

	while (begin < end) {
		if (lx->text[begin] == '$' && variable_at(lx, begin, end, &var)) {
			if (var.malformed)
				return refuse_variable(lx, &var, end, err);
			if (add_variable(b, lx, &var, err) < 0)
				return -1;
			begin = var.whole.end;
		} else {
			tsh_builder_add(b, lx->text[begin], begin);
			begin++;
		}
	}
	return 0;
}

void tsh_builder_truncate(struct tsh_builder *b, size_t len)
{
	tsh_strbuf_truncate(&b->text, len);
	b->from.n = len;
}

void tsh_builder_finish(struct tsh_builder *b, size_t end, struct tsh_span span, bool quoted,
			struct tsh_word *ret)
{
	if (ret) {
		*tsh_vec_push(&b->from) = (uint32_t)end;
		*ret = (struct tsh_word){
			.len = b->text.len,
			.from = b->from.v,
			.span = span,
			.quoted = quoted,
		};
		ret->text = tsh_strbuf_detach(&b->text);
		b->from.v = NULL;
	}
	tsh_builder_release(b);
}

void tsh_builder_release(struct tsh_builder *b)
{
	tsh_strbuf_release(&b->text);
	tsh_vec_release(&b->from);
}
