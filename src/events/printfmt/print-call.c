/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <string.h>

#include "print-parser.h"

/* Calls of the kernel's functions, which stay in the tree, and the tables they take. */

/* ---- what functions return ---- */

enum result {
	RESULT_CHARS,			/* const char * */
	RESULT_FIELD_CHARS,		/* char *, of a field */
	RESULT_FIELD,			/* a pointer to a field's elements */
	RESULT_FIELD_LEN,
	RESULT_FIELD_STRUCT,		/* a pointer to a structure in a field */
	RESULT_FIELD_TEXT,		/* const char *, made of a field */
	RESULT_UINT, RESULT_LONG, RESULT_U64, RESULT_S64,
};

struct function {
	const char *name;
	enum result result;
};

/* include/trace/stages/stage3_trace_output.h; include/linux/{jiffies,ktime,swab}.h */
static const struct function functions[] = {
	{ "__get_str", RESULT_FIELD_CHARS },
	{ "__get_rel_str", RESULT_FIELD_CHARS },
	{ "__get_dynamic_array", RESULT_FIELD },
	{ "__get_rel_dynamic_array", RESULT_FIELD },
	{ "__get_dynamic_array_len", RESULT_FIELD_LEN },
	{ "__get_rel_dynamic_array_len", RESULT_FIELD_LEN },
	{ "__get_sockaddr", RESULT_FIELD_STRUCT },
	{ "__get_rel_sockaddr", RESULT_FIELD_STRUCT },
	{ "__get_bitmask", RESULT_FIELD_TEXT },
	{ "__get_rel_bitmask", RESULT_FIELD_TEXT },
	{ "__get_cpumask", RESULT_FIELD_TEXT },
	{ "__get_rel_cpumask", RESULT_FIELD_TEXT },
	{ "__get_stacktrace", RESULT_FIELD_TEXT },
	{ "__get_rel_stacktrace", RESULT_FIELD_TEXT },
	{ "__print_dynamic_array", RESULT_FIELD_TEXT },
	{ "__print_flags", RESULT_CHARS },
	{ "__print_flags_u64", RESULT_CHARS },
	{ "__print_symbolic", RESULT_CHARS },
	{ "__print_symbolic_u64", RESULT_CHARS },
	{ "__print_hex", RESULT_CHARS },
	{ "__print_hex_str", RESULT_CHARS },
	{ "__print_hex_dump", RESULT_CHARS },
	{ "__print_array", RESULT_CHARS },
	{ "__print_bitmask", RESULT_CHARS },
	{ "__print_ns_to_secs", RESULT_U64 },
	{ "__print_ns_without_secs", RESULT_UINT },
	{ "blk_op_str", RESULT_CHARS },
	{ "mc_event_error_type", RESULT_CHARS },
	{ "xen_hypercall_name", RESULT_CHARS },
	{ "scsi_trace_parse_cdb", RESULT_CHARS },
	{ "trace_seq_buffer_ptr", RESULT_CHARS },
	{ "jiffies_to_msecs", RESULT_UINT },
	{ "jiffies_to_usecs", RESULT_UINT },
	{ "jiffies_to_clock_t", RESULT_LONG },
	{ "ktime_to_ns", RESULT_S64 },
	{ "ktime_to_us", RESULT_S64 },
	{ "ktime_to_ms", RESULT_S64 },
	{ "div_u64", RESULT_U64 },
	{ "div_s64", RESULT_S64 },
	{ "div64_u64", RESULT_U64 },
	{ "hweight32", RESULT_UINT },
	{ "hweight_long", RESULT_LONG },
};

static const struct function *find_function(const char *name)
{
	size_t i;

	for (i = 0; i < sizeof(functions) / sizeof(functions[0]); i++)
		if (!strcmp(functions[i].name, name))
			return &functions[i];
	return NULL;
}

static bool wants_field(enum result result)
{
	return result >= RESULT_FIELD_CHARS && result <= RESULT_FIELD_TEXT;
}

static struct ctype result_type(const struct parser *p, enum result result,
				const struct tsh_field *field)
{
	struct ctype type = { .size = (uint8_t)p->tree.long_size, .stars = 1 };

	switch (result) {
	case RESULT_FIELD:
		return ctype_of_field(field, p->tree.long_size);
	case RESULT_FIELD_STRUCT:
		type.target_is_struct = true;
		return type;
	case RESULT_UINT:
	case RESULT_FIELD_LEN:
		return (struct ctype){ .size = 4 };
	case RESULT_U64:
		return (struct ctype){ .size = 8 };
	case RESULT_S64:
		return (struct ctype){ .size = 8, .is_signed = true };
	case RESULT_LONG:
		type.stars = 0;
		type.is_signed = true;
		return type;
	case RESULT_CHARS:
	case RESULT_FIELD_CHARS:
	case RESULT_FIELD_TEXT:
		break;
	}
	type.target_size = 1;
	type.target_is_char = true;
	type.target_signed = result == RESULT_FIELD_CHARS && field->is_signed;
	return type;
}

/* ---- tables ---- */

/* `{ value, "name" }`, at the brace. The kernel stops at the first without a name. */
static void parse_pair(struct parser *p, struct expr ***list, size_t *n, bool *ended)
{
	struct expr *value, *name = NULL;

	parser_expect(p, '{');
	if (parser_take(p, '}'))
		return;
	value = parse_cond(p);
	if (parser_take(p, ',') && !parser_is(p, '}'))
		name = parse_cond(p);
	parser_take(p, ',');
	parser_expect(p, '}');
	if (!name || tree_is_null(name))
		*ended = true;
	if (*ended)
		return;
	tree_push(&p->tree, list, n, value);
	tree_push(&p->tree, list, n, name);
}

static struct expr *parse_table(struct parser *p)
{
	struct expr **list = NULL;
	bool ended = false;
	size_t n = 0;

	while (parser_is(p, '{')) {
		parse_pair(p, &list, &n, &ended);
		if (!parser_take(p, ','))
			break;
	}
	return tree_table(&p->tree, list, n);
}

/* ---- calls ---- */

/* A bare name as the first argument: the record's field, if it has one of that name. */
static const struct tsh_field *take_field(struct parser *p)
{
	struct parser_mark mark = parser_mark(p);
	const struct tsh_field *field;

	if (p->token.kind != TOKEN_NAME || parser_local(p, &p->token))
		return NULL;
	field = parser_field(p, p->token.text, p->token.len);
	parser_next(p);
	if (field && (parser_is(p, ')') || parser_take(p, ',')))
		return field;
	parser_back(p, mark);
	return NULL;
}

static struct expr *parse_function(struct parser *p, char *name)
{
	const struct function *function = find_function(name);
	const struct tsh_field *field = take_field(p);
	struct ctype type = { 0 };
	struct expr **arg = NULL;
	size_t n = 0;

	if (function && wants_field(function->result) && !field) {
		tree_fail(&p->tree, "%s() of no field", name);
		return tree_int(&p->tree, 0);
	}
	if (function)
		type = result_type(p, function->result, field);
	while (!p->tree.fault && !parser_is(p, ')')) {
		tree_push(&p->tree, &arg, &n,
			  parser_is(p, '{') ? parse_table(p) : parse_cond(p));
		if (!parser_take(p, ','))
			break;
	}
	parser_expect(p, ')');
	return tree_call(&p->tree, name, type, field, arg, n);
}

struct expr *parse_call(struct parser *p, char *name)
{
	struct expr *e;

	parser_expect(p, '(');
	e = parse_builtin(p, name);
	if (!e)
		return parse_function(p, name);
	parser_expect(p, ')');
	return e;
}
