/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "query.h"

#include <stdlib.h>
#include <string.h>

#include "base/xmalloc.h"
#include "lex.h"
#include "regex.h"

struct parser {
	struct query_lexer lx;
	struct tsh_err *err;
	unsigned int nodes;
	unsigned int depth;
	unsigned int parentheses;	/* parentheses that are open; inside of one, "|" is an operator */
};

typedef struct tsh_query_node *parse_rule(struct parser *p);

static parse_rule parse_or, parse_bits;

/* ---- nodes ---- */

void tsh_query_node_free(struct tsh_query_node *node)
{
	size_t i;

	if (!node)
		return;
	for (i = 0; i < node->nargs; i++)
		tsh_query_node_free(node->arg[i]);
	free(node->arg);
	free(node->text);
	tsh_cpuset_release(&node->cpus);
	free(node);
}

static struct tsh_query_node *refuse(struct parser *p, struct tsh_span span, const char *message)
{
	tsh_err_at(p->err, span, "%s", message);
	return NULL;
}

/* Makes a node without arguments. Returns NULL with err when there are too many nodes. */
static struct tsh_query_node *new_node(struct parser *p, enum tsh_query_kind kind,
				       struct tsh_span span)
{
	struct tsh_query_node *node;

	if (++p->nodes > TSH_QUERY_NODES_MAX)
		return refuse(p, span, "this expression is too long");
	node = tsh_xcalloc(1, sizeof(*node));
	node->kind = kind;
	node->span = span;
	return node;
}

/* Appends arg, which the node then owns; NULL appends nothing. */
static void add_arg(struct tsh_query_node *node, struct tsh_query_node *arg)
{
	if (!arg)
		return;
	node->arg = tsh_xreallocarray(node->arg, node->nargs + 1, sizeof(struct tsh_query_node *));
	node->arg[node->nargs++] = arg;
	if (arg->depth >= node->depth)
		node->depth = arg->depth + 1;
	if (arg->span.begin < node->span.begin)
		node->span.begin = arg->span.begin;
	if (arg->span.end > node->span.end)
		node->span.end = arg->span.end;
}

/* Returns the node, or NULL with err when its tree is too deep. */
static struct tsh_query_node *checked(struct parser *p, struct tsh_query_node *node)
{
	if (node->depth <= TSH_QUERY_DEPTH_MAX)
		return node;
	refuse(p, node->span, "this expression is too deep");
	tsh_query_node_free(node);
	return NULL;
}

/* Joins two nodes, which it takes over. Returns NULL, and frees both, when the second is NULL or
 * there are too many nodes. */
static struct tsh_query_node *join(struct parser *p, enum tsh_query_kind kind,
				   enum tsh_query_op op, struct tsh_query_node *a,
				   struct tsh_query_node *b)
{
	struct tsh_query_node *node = b ? new_node(p, kind, a->span) : NULL;

	if (!node) {
		tsh_query_node_free(a);
		tsh_query_node_free(b);
		return NULL;
	}
	node->op = op;
	add_arg(node, a);
	add_arg(node, b);
	return checked(p, node);
}

/* Makes a node with one argument, which it takes over. Returns NULL when arg is NULL. */
static struct tsh_query_node *wrap(struct parser *p, enum tsh_query_kind kind,
				   enum tsh_query_op op, struct tsh_span span,
				   struct tsh_query_node *arg)
{
	struct tsh_query_node *node = arg ? new_node(p, kind, span) : NULL;

	if (!node) {
		tsh_query_node_free(arg);
		return NULL;
	}
	node->op = op;
	add_arg(node, arg);
	return checked(p, node);
}

/* ---- tokens ---- */

static bool is_op(const struct parser *p, enum tsh_query_op op)
{
	return p->lx.token == QUERY_OPERATOR && p->lx.op == op;
}

static int next(struct parser *p, bool wants_operand)
{
	return query_lexer_next(&p->lx, wants_operand);
}

/* Checks that the present token is this one, and reads the next. */
static int expect(struct parser *p, enum query_token token, struct tsh_span begin,
		  const char *message)
{
	struct tsh_span span = { begin.begin, p->lx.span.end };

	if (p->lx.token != token)
		return tsh_err_at(p->err, p->lx.token == QUERY_END ? begin : span, "%s", message);
	return next(p, false);
}

/* ---- operands ---- */

static struct tsh_query_node *parse_value(struct parser *p)
{
	struct tsh_query_node *node = new_node(p, p->lx.value.kind, p->lx.span);

	if (!node)
		return NULL;
	*node = p->lx.value;
	p->lx.value = (struct tsh_query_node){ 0 };
	if (next(p, false) == 0)
		return node;
	tsh_query_node_free(node);
	return NULL;
}

/* Reads NAME.function or NAME.ustring. */
static struct tsh_query_node *parse_suffix(struct parser *p, struct tsh_query_node *name)
{
	struct tsh_span span = p->lx.span;
	enum tsh_query_kind kind;

	if (!strcmp(p->lx.value.text, "function")) {
		kind = TSH_QUERY_FUNCTION;
	} else if (!strcmp(p->lx.value.text, "ustring")) {
		kind = TSH_QUERY_USTRING;
	} else {
		refuse(p, span, "fields have no property of that name");
		tsh_err_hint(p->err, "FIELD.function is the function at an address, FIELD.ustring a "
				     "string in the process's memory");
		tsh_query_node_free(name);
		return NULL;
	}
	span.begin = name->span.begin;
	name = wrap(p, kind, 0, span, name);
	if (name && next(p, false) < 0) {
		tsh_query_node_free(name);
		return NULL;
	}
	return name;
}

/* Reads what stands in brackets behind an operand. */
static struct tsh_query_node *parse_index(struct parser *p, struct tsh_query_node *array)
{
	struct tsh_span bracket = p->lx.span;
	size_t end;

	array = next(p, true) < 0 ? join(p, TSH_QUERY_INDEX, 0, array, NULL) :
				    join(p, TSH_QUERY_INDEX, 0, array, parse_bits(p));
	end = p->lx.span.end;
	if (array && expect(p, QUERY_CLOSE_INDEX, bracket, "missing ']'") < 0) {
		tsh_query_node_free(array);
		return NULL;
	}
	if (array)
		array->span.end = end;
	return array;
}

static struct tsh_query_node *parse_parenthesis(struct parser *p)
{
	struct tsh_span open = p->lx.span;
	struct tsh_query_node *node;
	size_t end;

	if (next(p, true) < 0)
		return NULL;
	p->parentheses++;
	node = parse_or(p);
	p->parentheses--;
	end = p->lx.span.end;
	if (node && expect(p, QUERY_CLOSE, open, "missing ')'") < 0) {
		tsh_query_node_free(node);
		return NULL;
	}
	if (node)
		node->span = (struct tsh_span){ open.begin, end };
	return node;
}

static struct tsh_query_node *refuse_operand(struct parser *p)
{
	const struct query_lexer *lx = &p->lx;

	if (lx->token == QUERY_END)
		return refuse(p, lx->span, "the expression ends where a value is missing");
	return refuse(p, lx->span, "a value is missing before this");
}

static struct tsh_query_node *parse_primary(struct parser *p)
{
	struct tsh_query_node *node;

	if (p->lx.token == QUERY_OPEN)
		return parse_parenthesis(p);
	if (p->lx.token != QUERY_OPERAND)
		return refuse_operand(p);
	node = parse_value(p);
	if (node && p->lx.token == QUERY_SUFFIX && node->kind == TSH_QUERY_NAME)
		node = parse_suffix(p, node);
	while (node && p->lx.token == QUERY_OPEN_INDEX)
		node = parse_index(p, node);
	return node;
}

/* Parses a rule, and counts the depth, which limits hostile texts. */
static struct tsh_query_node *deeper(struct parser *p, parse_rule *rule)
{
	struct tsh_query_node *node = NULL;

	if (p->depth < TSH_QUERY_DEPTH_MAX) {
		p->depth++;
		node = rule(p);
		p->depth--;
	} else {
		refuse(p, p->lx.span, "this expression is too deep");
	}
	return node;
}

static struct tsh_query_node *parse_unary(struct parser *p)
{
	enum tsh_query_op op = is_op(p, TSH_QUERY_SUB) ? TSH_QUERY_NEG : TSH_QUERY_COMPL;
	struct tsh_span span = p->lx.span;

	if (!is_op(p, TSH_QUERY_SUB) && !is_op(p, TSH_QUERY_GLOB))
		return deeper(p, parse_primary);
	return next(p, true) < 0 ? NULL :
				   wrap(p, TSH_QUERY_UNARY, op, span, deeper(p, parse_unary));
}

/* ---- arithmetic ---- */

/* Lists the operators by how tightly they bind, the loosest first. */
static const struct {
	enum tsh_query_op ops[3];
	size_t n;
} levels[] = {
	{ { TSH_QUERY_BIT_OR }, 1 }, { { TSH_QUERY_BIT_XOR }, 1 }, { { TSH_QUERY_BIT_AND }, 1 },
	{ { TSH_QUERY_SHL, TSH_QUERY_SHR }, 2 }, { { TSH_QUERY_ADD, TSH_QUERY_SUB }, 2 },
	{ { TSH_QUERY_MUL, TSH_QUERY_DIV, TSH_QUERY_MOD }, 3 },
};
#define LEVELS (sizeof(levels) / sizeof(levels[0]))

static bool is_of_level(const struct parser *p, size_t level)
{
	size_t i;

	for (i = 0; i < levels[level].n; i++)
		if (is_op(p, levels[level].ops[i]))
			return true;
	return false;
}

static struct tsh_query_node *parse_level(struct parser *p, size_t level)
{
	struct tsh_query_node *node;

	if (level == LEVELS)
		return parse_unary(p);
	node = parse_level(p, level + 1);
	while (node && is_of_level(p, level)) {
		enum tsh_query_op op = p->lx.op;

		if (op == TSH_QUERY_BIT_OR && !p->parentheses) {
			refuse(p, p->lx.span, "put '|' in parentheses");
			tsh_err_hint(p->err, "or is ||");
			tsh_query_node_free(node);
			return NULL;
		}
		node = join(p, TSH_QUERY_BINARY, op, node,
			    next(p, true) < 0 ? NULL : parse_level(p, level + 1));
		if (node && (op == TSH_QUERY_DIV || op == TSH_QUERY_MOD) &&
		    node->arg[1]->kind == TSH_QUERY_NUMBER && !node->arg[1]->number) {
			refuse(p, node->span, "a division by zero has no value");
			tsh_query_node_free(node);
			return NULL;
		}
	}
	return node;
}

static struct tsh_query_node *parse_bits(struct parser *p)
{
	return parse_level(p, 0);
}

/* ---- comparisons ---- */

/* Parses one item of a set: a value, or a range. */
static struct tsh_query_node *parse_item(struct parser *p)
{
	struct tsh_query_node *node = parse_bits(p);

	if (!node || p->lx.token != QUERY_DOTS)
		return node;
	node = join(p, TSH_QUERY_RANGE, 0, node, next(p, true) < 0 ? NULL : parse_bits(p));
	if (node && node->arg[0]->kind == TSH_QUERY_NUMBER &&
	    node->arg[1]->kind == TSH_QUERY_NUMBER && node->arg[0]->number > node->arg[1]->number) {
		refuse(p, node->span, "this range is empty: the smaller number comes first");
		tsh_query_node_free(node);
		return NULL;
	}
	return node;
}

/* Adds the members of "{a, b, c}". Returns -1 with err. */
static int parse_members(struct parser *p, struct tsh_query_node *in)
{
	struct tsh_span brace = p->lx.span;

	do {
		struct tsh_query_node *item = next(p, true) < 0 ? NULL : parse_item(p);

		if (!item)
			return -1;
		add_arg(in, item);
	} while (p->lx.token == QUERY_COMMA);
	in->span.end = p->lx.span.end;
	return expect(p, QUERY_CLOSE_SET, brace, "missing '}'");
}

/* Parses what stands behind `in`; takes over the value. */
static struct tsh_query_node *parse_in(struct parser *p, struct tsh_query_node *value)
{
	struct tsh_query_node *in = wrap(p, TSH_QUERY_IN, 0, value->span, value), *item;

	if (!in)
		return NULL;
	if (next(p, true) < 0)
		goto fail;
	if (p->lx.token == QUERY_OPEN_SET) {
		if (parse_members(p, in) < 0)
			goto fail;
		return in;
	}
	item = parse_item(p);
	if (!item)
		goto fail;
	add_arg(in, item);
	return in;
fail:
	tsh_query_node_free(in);
	return NULL;
}

static bool is_comparison(const struct parser *p)
{
	return p->lx.token == QUERY_OPERATOR && p->lx.op >= TSH_QUERY_EQ &&
	       p->lx.op <= TSH_QUERY_NO_MATCH;
}

/* Compiles a regular expression to report its faults now, and frees it. bind-truth.c compiles it
 * again for each event that it is bound to. */
static bool is_regex(struct parser *p, const char *text)
{
	const char *why;
	struct query_regex *regex = query_regex_new(text, &why);

	if (!regex) {
		refuse(p, p->lx.span, why);
		return false;
	}
	query_regex_free(regex);
	return true;
}

/* Reads the string behind `~`, `=~` or `!~`. */
static struct tsh_query_node *parse_pattern(struct parser *p, enum tsh_query_op op)
{
	if (p->lx.token != QUERY_OPERAND || p->lx.value.kind != TSH_QUERY_STRING)
		refuse(p, p->lx.span, "put the pattern in quotes");
	else if (op == TSH_QUERY_GLOB || is_regex(p, p->lx.value.text))
		return parse_value(p);
	return NULL;
}

static struct tsh_query_node *parse_comparison(struct parser *p)
{
	struct tsh_query_node *node = parse_bits(p);
	enum tsh_query_op op = p->lx.op;

	if (!node)
		return NULL;
	if (p->lx.token == QUERY_IN)
		return parse_in(p, node);
	if (!is_comparison(p))
		return node;
	node = join(p, TSH_QUERY_BINARY, op, node, next(p, true) < 0 ? NULL :
		    op >= TSH_QUERY_GLOB ? parse_pattern(p, op) : parse_bits(p));
	if (node && (is_comparison(p) || p->lx.token == QUERY_IN)) {
		refuse(p, p->lx.span, "put the comparison before this in parentheses");
		tsh_query_node_free(node);
		return NULL;
	}
	return node;
}

/* ---- logic ---- */

static struct tsh_query_node *parse_not(struct parser *p)
{
	struct tsh_span span = p->lx.span;

	if (!is_op(p, TSH_QUERY_NOT))
		return parse_comparison(p);
	return next(p, true) < 0 ? NULL :
				   wrap(p, TSH_QUERY_UNARY, TSH_QUERY_NOT, span, deeper(p, parse_not));
}

static struct tsh_query_node *parse_chain(struct parser *p, enum tsh_query_op op, parse_rule *part)
{
	struct tsh_query_node *node = part(p), *more;

	if (!node || !is_op(p, op))
		return node;
	node = join(p, TSH_QUERY_BINARY, op, node, next(p, true) < 0 ? NULL : part(p));
	while (node && is_op(p, op)) {
		more = next(p, true) < 0 ? NULL : part(p);
		if (!more) {
			tsh_query_node_free(node);
			return NULL;
		}
		add_arg(node, more);
		node = checked(p, node);
	}
	return node;
}

static struct tsh_query_node *parse_and(struct parser *p)
{
	return parse_chain(p, TSH_QUERY_AND, parse_not);
}

static struct tsh_query_node *parse_or(struct parser *p)
{
	return parse_chain(p, TSH_QUERY_OR, parse_and);
}

/* Refuses what stands behind the whole expression. */
static struct tsh_query_node *refuse_rest(struct parser *p)
{
	if (p->lx.token == QUERY_CLOSE)
		return refuse(p, p->lx.span, "there is no '(' for this");
	if (p->lx.token == QUERY_OPERAND)
		return refuse(p, p->lx.span, "an operator is missing before this");
	return refuse(p, p->lx.span, "this cannot stand here");
}

struct tsh_query_node *tsh_query_parse(const char *text, size_t len, struct tsh_err *err)
{
	struct parser p = { .err = err };
	struct tsh_query_node *node = NULL;

	query_lexer_init(&p.lx, text, len, err);
	if (next(&p, true) == 0)
		node = parse_or(&p);
	if (node && p.lx.token != QUERY_END) {
		refuse_rest(&p);
		tsh_query_node_free(node);
		node = NULL;
	}
	query_lexer_release(&p.lx);
	return node;
}
