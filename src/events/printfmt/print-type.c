/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <string.h>

#include "print-parser.h"

/* Parses types in expressions: in casts, sizeof, typeof and declarations. */

/* Finds a typedef or an enum that is the type of a field: the field's line has its size and sign.
 * System calls have all fields as longs, so their lines do not help. */
static bool type_of_fields(const struct parser *p, const char *words, size_t len,
			   struct ctype *ret)
{
	const struct tsh_field *field;
	size_t i;

	for (i = 0; strcmp(p->format->system, "syscalls") && i < p->format->nfields; i++) {
		field = &p->format->fields[i];
		if (field->kind == TSH_FIELD_INT && strlen(field->type) == len &&
		    !memcmp(field->type, words, len)) {
			*ret = ctype_of_field(field, p->tree.long_size);
			return true;
		}
	}
	return false;
}

static bool known_type(const struct parser *p, const char *words, size_t len,
		       struct ctype *ret)
{
	if (len > 5 && !memcmp(words, "enum ", 5) && type_of_fields(p, words, len, ret))
		return true;
	return ctype_parse(words, len, p->tree.long_size, ret) ||
	       type_of_fields(p, words, len, ret);
}

static enum ctype_word token_word(const struct token *token)
{
	return token->kind == TOKEN_NAME ? ctype_word(token->text, token->len) : CTYPE_OTHER;
}

/* Says whether `foo_t *` and `)` follow. This is a pointer type even when foo_t is unknown. */
static bool is_unknown_pointer(struct parser *p)
{
	struct parser_mark mark = parser_mark(p);
	bool is_pointer;

	parser_next(p);
	is_pointer = parser_is(p, '*');
	while (parser_is(p, '*') || token_is_name(&p->token, "const"))
		parser_next(p);
	is_pointer = is_pointer && parser_is(p, ')');
	parser_back(p, mark);
	return is_pointer;
}

/* Says whether a typedef begins here. */
static bool is_typedef(struct parser *p)
{
	struct ctype type;

	return p->token.kind == TOKEN_NAME && !parser_local(p, &p->token) &&
	       (known_type(p, p->token.text, p->token.len, &type) || is_unknown_pointer(p));
}

/* Reads all words of a type but its stars. Returns their end; `begin` when there is none. */
static const char *read_words(struct parser *p)
{
	const char *end = p->token.text;
	bool has_base = false;

	for (;; parser_next(p)) {
		switch (token_word(&p->token)) {
		case CTYPE_QUALIFIER:
			break;
		case CTYPE_SPECIFIER:
			has_base = true;
			break;
		case CTYPE_TAG:
			if (has_base)
				return end;
			has_base = true;
			parser_next(p);
			if (p->token.kind != TOKEN_NAME)
				return end;
			break;
		case CTYPE_OTHER:
			if (has_base || !is_typedef(p))
				return end;
			has_base = true;
			break;
		}
		end = p->token.text + p->token.len;
	}
}

/* Parses the (type) or (expression) behind typeof. */
static struct ctype parse_typeof(struct parser *p)
{
	struct ctype type;

	parser_expect(p, '(');
	if (!parse_type(p, &type))
		type = parse_expr(p)->type;
	parser_expect(p, ')');
	return type;
}

static struct ctype add_star(const struct parser *p, struct ctype type)
{
	if (type.stars) {
		type.stars++;
		type.target_is_char = false;
		return type;
	}
	return (struct ctype){
		.size = (uint8_t)p->tree.long_size,
		.stars = 1,
		.target_size = type.target_is_struct ? type.target_size : type.size,
		.target_signed = type.is_signed,
		.target_is_struct = type.target_is_struct,
	};
}

static bool read_typeof(struct parser *p)
{
	return parser_accept_name(p, "typeof") || parser_accept_name(p, "__typeof__") ||
	       parser_accept_name(p, "__typeof") || parser_accept_name(p, "typeof_unqual") ||
	       parser_accept_name(p, "__typeof_unqual__");
}

bool parse_type(struct parser *p, struct ctype *ret)
{
	struct parser_mark mark = parser_mark(p);
	const char *begin, *end;

	while (token_word(&p->token) == CTYPE_QUALIFIER)
		parser_next(p);
	if (read_typeof(p)) {
		*ret = parse_typeof(p);
		while (parser_accept(p, '*') || parser_accept_name(p, "const"))
			*ret = add_star(p, *ret);
		return true;
	}
	begin = p->token.text;
	end = read_words(p);
	if (end == begin) {
		parser_back(p, mark);
		return false;
	}
	if (!parser_is(p, '*') && known_type(p, begin, (size_t)(end - begin), ret))
		return true;
	while (parser_is(p, '*') || token_is_name(&p->token, "const")) {
		end = p->token.text + p->token.len;
		parser_next(p);
	}
	if (!ctype_parse(begin, (size_t)(end - begin), p->tree.long_size, ret))
		tree_fail(&p->tree, "the type '%.*s' is not known", (int)(end - begin), begin);
	return true;
}

/* ---- sizeof ---- */

static struct expr *size_of(struct parser *p, struct ctype type)
{
	unsigned int size = type.size;

	if (!type.stars && type.target_is_struct)
		size = type.target_size;
	else if (!size)
		size = 1;		/* as GNU C has it for void */
	if (!size)
		tree_fail(&p->tree, "a structure whose size is not known");
	return tree_number(&p->tree, tree_type_size_t(&p->tree), size);
}

/* Makes the size of an expression. For an array that is the whole array, not a pointer. */
static struct expr *size_of_expr(struct parser *p, const struct expr *e)
{
	size_t size = 0;

	if (e->kind == EXPR_STRING)
		size = e->len + 1;
	else if (e->kind == EXPR_FIELD)
		size = e->field->size;
	else
		return size_of(p, e->type);
	if (!size || (e->kind == EXPR_FIELD && (e->field->kind == TSH_FIELD_STRING ||
						e->field->kind == TSH_FIELD_DYNAMIC)))
		tree_fail(&p->tree, "an array whose size is not known");
	return tree_number(&p->tree, tree_type_size_t(&p->tree), size);
}

struct expr *parse_sizeof(struct parser *p)
{
	struct parser_mark mark = parser_mark(p);
	struct ctype type;

	if (parser_accept(p, '(')) {
		if (parse_type(p, &type)) {
			parser_expect(p, ')');
			return size_of(p, type);
		}
		parser_back(p, mark);
	}
	return size_of_expr(p, parse_unary(p));
}
