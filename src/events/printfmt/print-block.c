/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "print-parser.h"

/* Parses statement expressions, such as those of min(): code without branches, whose variables are
 * replaced by their values. */

#define LOCALS_MAX 256

/* Skips everything up to the semicolon that ends the statement. */
static void skip_statement(struct parser *p)
{
	size_t open = 0;

	for (; p->token.kind != TOKEN_END; parser_next(p)) {
		if (parser_is(p, '(') || parser_is(p, '{') || parser_is(p, '['))
			open++;
		else if (parser_is(p, ')') || parser_is(p, '}') || parser_is(p, ']'))
			open -= open > 0;
		else if (!open && parser_is(p, ';'))
			break;
	}
	parser_expect(p, ';');
}

/* Says whether a statement is a check by the compiler, which does nothing:
 * `(void)(&x == &y);`, `do { .. } while (0);`. */
static bool is_check(struct parser *p)
{
	struct parser_mark mark = parser_mark(p);
	bool is_void;

	if (token_is_name(&p->token, "do") || token_is_name(&p->token, "_Static_assert") ||
	    token_is_name(&p->token, "static_assert"))
		return true;
	is_void = parser_accept(p, '(') && parser_accept_name(p, "void") && parser_is(p, ')');
	parser_back(p, mark);
	return is_void;
}

static struct print_local *new_local(struct parser *p, struct ctype type)
{
	struct print_local *local = tree_alloc(&p->tree, sizeof(*local));

	if (p->token.kind != TOKEN_NAME)
		tree_fail(&p->tree, "the name of a variable is missing");
	/* limits variables: each use searches all of them */
	if (++p->nlocals > LOCALS_MAX)
		tree_fail(&p->tree, "too many variables");
	local->name = p->token.text;
	local->len = p->token.len;
	local->type = type;
	parser_next(p);
	if (parser_is(p, '['))
		tree_fail(&p->tree, "an array that is declared in a block");
	return local;
}

/* Parses the declared names behind a type; with `is_auto` the value gives the type. */
static void parse_variables(struct parser *p, struct ctype type, bool is_auto)
{
	struct print_local *local;
	struct expr *value;

	do {
		local = new_local(p, type);
		if (parser_accept(p, '=')) {
			value = parse_cond(p);
			local->type = is_auto ? value->type : type;
			local->value = tree_cast(&p->tree, local->type, value);
		}
		local->outer = p->locals;
		p->locals = local;
	} while (parser_accept(p, ','));
	parser_expect(p, ';');
}

static bool parse_declaration(struct parser *p)
{
	struct ctype type = { 0 };
	bool is_auto;

	while (parser_accept_name(p, "const") || parser_accept_name(p, "static"))
		;
	is_auto = parser_accept_name(p, "__auto_type");
	if (!is_auto && !parse_type(p, &type))
		return false;
	parse_variables(p, type, is_auto);
	return true;
}

/* Parses `x = ..;` for a variable of this block. */
static bool parse_assignment(struct parser *p, const struct print_local *outer)
{
	struct print_local *local = p->token.kind == TOKEN_NAME ?
					    parser_local(p, &p->token) : NULL;
	struct parser_mark mark = parser_mark(p);
	const struct print_local *l;

	if (!local)
		return false;
	parser_next(p);
	if (!parser_accept(p, '=')) {
		parser_back(p, mark);
		return false;
	}
	for (l = p->locals; l != outer && l != local; l = l->outer)
		;
	if (l == outer)
		tree_fail(&p->tree, "a variable of an outer block that is set");
	local->value = tree_cast(&p->tree, local->type, parse_cond(p));
	parser_expect(p, ';');
	return true;
}

struct expr *parse_block(struct parser *p)
{
	struct print_local *outer = p->locals;
	struct expr *value = NULL;

	parser_expect(p, '{');
	while (!p->tree.fault && !parser_is(p, '}')) {
		if (value) {
			tree_fail(&p->tree, "a statement with an effect");
		} else if (parser_accept(p, ';')) {
			continue;
		} else if (is_check(p)) {
			skip_statement(p);
		} else if (!parse_assignment(p, outer) && !parse_declaration(p)) {
			value = parse_expr(p);
			parser_expect(p, ';');
		}
	}
	p->locals = outer;
	parser_expect(p, '}');
	parser_expect(p, ')');
	if (!value)
		tree_fail(&p->tree, "a block without a value");
	return value ? value : tree_int(&p->tree, 0);
}
