/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdio.h>
#include <string.h>

#include "base/strbuf.h"
#include "print-parser.h"

#define DEPTH_MAX	400		/* a parenthesis takes two levels */

/* ---- tokens ---- */

void parser_next(struct parser *p)
{
	if (p->tree.fault) {
		p->token = (struct token){ .kind = TOKEN_END, .text = p->end };
		return;
	}
	p->next = token_next(p->next, p->end, p->tree.long_size, &p->token);
	p->tree.at = p->token.text;
	if (p->token.kind == TOKEN_BAD) {
		tree_fail(&p->tree, *p->token.text == '"' ? "a string without an end" : "an unknown token");
		p->token.kind = TOKEN_END;
	}
}

struct parser_mark parser_mark(const struct parser *p)
{
	return (struct parser_mark){ p->next, p->token };
}

void parser_back(struct parser *p, struct parser_mark mark)
{
	if (p->tree.fault)
		return;
	p->next = mark.next;
	p->token = mark.token;
	p->tree.at = mark.token.text;
}

bool parser_is(const struct parser *p, unsigned int punct)
{
	return p->token.kind == TOKEN_PUNCT && p->token.punct == punct && !p->tree.fault;
}

bool parser_accept(struct parser *p, unsigned int punct)
{
	if (!parser_is(p, punct))
		return false;
	parser_next(p);
	return true;
}

bool parser_accept_name(struct parser *p, const char *name)
{
	if (!token_is_name(&p->token, name))
		return false;
	parser_next(p);
	return true;
}

void parser_expect(struct parser *p, unsigned int punct)
{
	if (!parser_accept(p, punct))
		tree_fail(&p->tree, "'%c' is missing", (char)punct);
}

/* Reads a token that has to be a name. */
char *parser_dup_name(struct parser *p)
{
	char *name;

	if (p->token.kind != TOKEN_NAME) {
		tree_fail(&p->tree, "a name is missing");
		return tree_strdup(&p->tree, "", 0);
	}
	name = tree_strdup(&p->tree, p->token.text, p->token.len);
	parser_next(p);
	return name;
}

struct print_local *parser_local(const struct parser *p, const struct token *name)
{
	struct print_local *local = p->locals;

	while (local && (local->len != name->len || memcmp(local->name, name->text, name->len)))
		local = local->outer;
	return local;
}

const struct tsh_field *parser_field(const struct parser *p, const char *name, size_t len)
{
	size_t i;

	for (i = 0; i < p->format->nfields; i++)
		if (!strncmp(p->format->fields[i].name, name, len) &&
		    !p->format->fields[i].name[len])
			return &p->format->fields[i];
	return NULL;
}

/* Limits the depth: hostile text could overflow the stack. */
static bool enter_level(struct parser *p)
{
	if (++p->depth > DEPTH_MAX)
		tree_fail(&p->tree, "nested too deep");
	return !p->tree.fault;
}

static struct expr *end_level(struct parser *p, struct expr *e)
{
	p->depth--;
	return e;
}

/* ---- names ---- */

static const struct ctype int_type = { .size = 4, .is_signed = true };

/* Returns the type of a kernel variable that macros leave in print formats. */
static struct ctype variable_type(const struct parser *p, const char *name)
{
	static const char *const longs[] = {
		"jiffies", "vmemmap_base", "page_offset_base", "phys_base", "kimage_voffset",
		"vmalloc_base", "__pv_phys_pfn_offset",
	};
	struct ctype type;
	size_t i;

	if ((!strcmp(name, "mem_map") || !strcmp(name, "vmemmap")) &&
	    ctype_parse("struct page *", 13, p->tree.long_size, &type))
		return type;
	if (!strcmp(name, "jiffies_64"))
		return (struct ctype){ .size = 8 };
	if (!strcmp(name, "memstart_addr"))
		return (struct ctype){ .size = 8, .is_signed = true };
	for (i = 0; i < sizeof(longs) / sizeof(longs[0]); i++)
		if (!strcmp(name, longs[i]))
			return tree_type_size_t(&p->tree);
	return int_type;
}

static struct ctype enumerator_type(int64_t value)
{
	if (value == (int32_t)value)
		return int_type;
	if (value == (int64_t)(uint32_t)value)
		return (struct ctype){ .size = 4 };
	return (struct ctype){ .size = 8, .is_signed = value < 0 };
}

static struct expr *name_value(struct parser *p, char *name)
{
	struct ctype void_pointer = { .size = (uint8_t)p->tree.long_size, .stars = 1 };
	int64_t value;

	if (!strcmp(name, "REC"))
		return tree_name(&p->tree, name, void_pointer);
	if (!strcmp(name, "NULL"))
		return tree_number(&p->tree, void_pointer, 0);
	if (!strcmp(name, "true") || !strcmp(name, "false"))
		return tree_int(&p->tree, *name == 't');
	if (p->resolve && p->resolve(p->resolve_ctx, name, &value))
		return tree_number(&p->tree, enumerator_type(value), (uint64_t)value);
	/* handles a slip of some events: a local of trace_raw_output_EVENT, which is
	 * TRACE_TYPE_HANDLED */
	if (!strcmp(name, "ret"))
		return tree_int(&p->tree, 1);
	return tree_name(&p->tree, name, variable_type(p, name));
}

static struct expr *parse_name(struct parser *p)
{
	struct print_local *local = parser_local(p, &p->token);
	char *name;

	if (local) {
		if (!local->value)
			tree_fail(&p->tree, "a variable without a value");
		parser_next(p);
		return local->value ? tree_share(&p->tree, local->value) : tree_int(&p->tree, 0);
	}
	name = parser_dup_name(p);
	return parser_is(p, '(') ? parse_call(p, name) : name_value(p, name);
}

/* ---- expressions ---- */

struct expr *parse_string(struct parser *p)
{
	struct tsh_strbuf text = TSH_STRBUF_INIT;
	struct expr *e;
	char *copy;

	while (p->token.kind == TOKEN_STRING) {
		tsh_strbuf_grow(&text, p->token.len);
		text.len += token_unescape(p->token.text + 1, p->token.len - 2,
					   text.buf + text.len);
		parser_next(p);
	}
	copy = tree_strdup(&p->tree, text.len ? text.buf : "", text.len);
	e = tree_string(&p->tree, copy, text.len);
	tsh_strbuf_release(&text);
	return e;
}

static struct expr *parse_primary(struct parser *p)
{
	struct expr *e;

	switch (p->token.kind) {
	case TOKEN_NUMBER:
		e = tree_number(&p->tree, p->token.type, p->token.number);
		parser_next(p);
		return e;
	case TOKEN_STRING:
		return parse_string(p);
	case TOKEN_NAME:
		return parse_name(p);
	default:
		break;
	}
	if (!parser_accept(p, '(')) {
		tree_fail(&p->tree, "an expression is missing");
		return tree_int(&p->tree, 0);
	}
	if (parser_is(p, '{'))
		return parse_block(p);
	e = parse_expr(p);
	parser_expect(p, ')');
	return e;
}

/* Parses the name behind `->`, and what follows it. */
static struct expr *parse_arrow(struct parser *p, struct expr *e)
{
	const struct tsh_field *field;
	char *name = parser_dup_name(p);
	char common[40];

	if (e->kind != EXPR_NAME || strcmp(e->text, "REC"))
		return parse_member_of(p, e, name);
	/* handles struct trace_entry, with which a record begins: its pid is common_pid */
	if (!strcmp(name, "ent") && parser_accept(p, '.')) {
		name = parser_dup_name(p);
		snprintf(common, sizeof(common), "common_%s", name);
		field = parser_field(p, common, strlen(common));
	} else {
		field = parser_field(p, name, strlen(name));
	}
	if (!field) {
		tree_fail(&p->tree, "the record has no field '%s'", name);
		return e;
	}
	return tree_field(&p->tree, field);
}

/* Parses the name behind `.`. A number that is wrapped in a structure for type safety (kuid_t,
 * pte_t) is the only member, so the field has its size. */
static struct expr *parse_point(struct parser *p, struct expr *e)
{
	static const char *const names[] = {
		"val", "pte", "pmd", "pud", "p4d", "pgd", "pgprot", "counter",
	};
	char *name = parser_dup_name(p);
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (e->kind == EXPR_FIELD && e->field->kind == TSH_FIELD_INT &&
		    !strcmp(name, names[i]))
			return e;
	return parse_member_of(p, e, name);
}

static struct expr *parse_postfix(struct parser *p)
{
	struct expr *e = parse_primary(p), *i;

	for (;;) {
		if (parser_accept(p, '[')) {
			i = parse_expr(p);
			parser_expect(p, ']');
			e = tree_index(&p->tree, e, i);
		} else if (parser_accept(p, PUNCT2('-', '>'))) {
			e = parse_arrow(p, e);
		} else if (parser_accept(p, '.')) {
			e = parse_point(p, e);
		} else {
			return e;
		}
	}
}

/* Refuses `(foo_t) x`, where the type foo_t is in no format and no table. */
static void refuse_unknown_type(struct parser *p)
{
	struct token name = p->token;
	bool is_cast;

	if (name.kind != TOKEN_NAME || parser_local(p, &name) || token_is_name(&name, "REC"))
		return;
	parser_next(p);
	if (!parser_accept(p, ')'))
		return;
	is_cast = p->token.kind == TOKEN_NAME || p->token.kind == TOKEN_NUMBER ||
		  p->token.kind == TOKEN_STRING || parser_is(p, '(') || parser_is(p, '~') ||
		  parser_is(p, '!');
	if (is_cast)
		tree_fail(&p->tree, "the type '%.*s' is not known", (int)name.len, name.text);
}

/* Parses `(type) operand`. Returns NULL, and reads nothing, when the parenthesis begins something
 * else. */
static struct expr *parse_cast(struct parser *p)
{
	struct parser_mark mark = parser_mark(p);
	const char *begin, *end;
	struct ctype type = { 0 };
	struct expr *e;

	if (!parser_accept(p, '('))
		return NULL;
	begin = p->token.text;
	if (parse_type(p, &type)) {
		end = p->token.text;
		parser_expect(p, ')');
		e = tree_cast(&p->tree, type, parse_unary(p));
		if (type.target_is_struct && e->kind == EXPR_CAST && !e->text)
			e->text = tree_strdup(&p->tree, begin, (size_t)(end - begin));
		return e;
	}
	refuse_unknown_type(p);
	parser_back(p, mark);
	return NULL;
}

static struct expr *parse_operator(struct parser *p)
{
	static const struct {
		char punct;
		enum expr_op op;
	} unary[] = {
		{ '-', EXPR_NEG }, { '+', EXPR_PLUS }, { '!', EXPR_NOT }, { '~', EXPR_COMPL },
	};
	struct expr *e;
	size_t i;

	for (i = 0; i < sizeof(unary) / sizeof(unary[0]); i++)
		if (parser_accept(p, (unsigned char)unary[i].punct))
			return tree_unary(&p->tree, unary[i].op, parse_unary(p));
	if (parser_accept(p, '*'))
		return tree_deref(&p->tree, parse_unary(p));
	if (parser_accept(p, '&'))
		return tree_address(&p->tree, parse_unary(p));
	if (parser_accept_name(p, "sizeof"))
		return parse_sizeof(p);
	if (parser_accept_name(p, "__extension__"))
		return parse_unary(p);
	e = parse_cast(p);
	return e ? e : parse_postfix(p);
}

struct expr *parse_unary(struct parser *p)
{
	return end_level(p, enter_level(p) ? parse_operator(p) : tree_int(&p->tree, 0));
}

struct binary {
	unsigned int punct;
	int precedence;
	enum expr_op op;
};

static const struct binary *find_binary(const struct token *token)
{
	static const struct binary all[] = {
		{ '*', 10, EXPR_MUL }, { '/', 10, EXPR_DIV }, { '%', 10, EXPR_MOD },
		{ '+', 9, EXPR_ADD }, { '-', 9, EXPR_SUB },
		{ PUNCT2('<', '<'), 8, EXPR_SHL }, { PUNCT2('>', '>'), 8, EXPR_SHR },
		{ '<', 7, EXPR_LT }, { '>', 7, EXPR_GT },
		{ PUNCT2('<', '='), 7, EXPR_LE }, { PUNCT2('>', '='), 7, EXPR_GE },
		{ PUNCT2('=', '='), 6, EXPR_EQ }, { PUNCT2('!', '='), 6, EXPR_NE },
		{ '&', 5, EXPR_AND }, { '^', 4, EXPR_XOR }, { '|', 3, EXPR_OR },
		{ PUNCT2('&', '&'), 2, EXPR_LOGICAL_AND },
		{ PUNCT2('|', '|'), 1, EXPR_LOGICAL_OR },
	};
	size_t i;

	for (i = 0; token->kind == TOKEN_PUNCT && i < sizeof(all) / sizeof(all[0]); i++)
		if (all[i].punct == token->punct)
			return &all[i];
	return NULL;
}

/* Parses operators that bind at least as tightly as `precedence`; all of them associate to the
 * left. */
static struct expr *parse_binary(struct parser *p, int precedence)
{
	struct expr *e = parse_unary(p);
	const struct binary *binary;

	while ((binary = find_binary(&p->token)) && binary->precedence >= precedence) {
		parser_next(p);
		e = tree_binary(&p->tree, binary->op, e, parse_binary(p, binary->precedence + 1));
	}
	return e;
}

struct expr *parse_cond(struct parser *p)
{
	struct expr *e, *a, *b;

	if (!enter_level(p))
		return end_level(p, tree_int(&p->tree, 0));
	e = parse_binary(p, 1);
	if (parser_accept(p, '?')) {
		/* handles GNU's a ?: b */
		a = parser_is(p, ':') ? tree_share(&p->tree, e) : parse_expr(p);
		parser_expect(p, ':');
		b = parse_cond(p);
		e = tree_cond(&p->tree, e, a, b);
	}
	return end_level(p, e);
}

struct expr *parse_expr(struct parser *p)
{
	struct expr *e = parse_cond(p);

	while (parser_accept(p, ','))
		e = parse_cond(p);
	return e;
}
