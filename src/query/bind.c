/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "bind.h"

#include <stdlib.h>
#include <string.h>

#include "base/xmalloc.h"
#include "names.h"

static const struct query_type int_type = { 4, true };

void query_bound_free(struct bound *b)
{
	size_t i;

	if (!b)
		return;
	for (i = 0; i < b->nargs; i++)
		query_bound_free(b->arg[i]);
	free(b->arg);
	free(b->text);
	query_regex_free(b->regex);
	tsh_field_text_free(b->shown);
	tsh_strbuf_release(&b->shown_text);
	free(b);
}

struct bound *bound_new(enum bound_code code)
{
	struct bound *b = tsh_xcalloc(1, sizeof(*b));

	b->code = code;
	return b;
}

/* Appends an argument, which b then owns. */
void bound_add(struct bound *b, struct bound *arg)
{
	b->arg = tsh_xreallocarray(b->arg, b->nargs + 1, sizeof(struct bound *));
	b->arg[b->nargs++] = arg;
}

/* Makes a node of a and, unless it is NULL, b; takes over both. */
struct bound *bound_of(enum bound_code code, struct bound *a, struct bound *b)
{
	struct bound *result = bound_new(code);

	bound_add(result, a);
	if (b)
		bound_add(result, b);
	return result;
}

struct bound *bound_constant(enum query_truth truth)
{
	struct bound *b = bound_new(BOUND_CONST);

	b->truth = truth;
	return b;
}

static struct bound *number(uint64_t value, struct query_type type)
{
	struct bound *b = bound_new(BOUND_NUMBER);

	b->number = value;
	b->type = type;
	return b;
}

int query_refuse(const struct query_binding *to, struct tsh_span span, const char *message)
{
	return tsh_err_at(to->err, span, "%s", message);
}

/* ---- fields ---- */

static struct query_type type_of_load(const struct bound_load *load)
{
	/* promotes as C does: what is smaller than an int becomes one */
	if (load->size < 4)
		return int_type;
	return (struct query_type){ load->size, load->is_signed };
}

static void bind_integer(const struct tsh_field *field, struct operand *ret)
{
	struct bound *b = bound_new(BOUND_LOAD);

	b->load = (struct bound_load){ .offset = field->offset, .size = (uint8_t)field->size,
				       .is_signed = field->is_signed,
				       .is_network = field->is_network };
	b->field = field;
	ret->kind = OPERAND_NUMBER;
	ret->type = b->type = type_of_load(&b->load);
	ret->bound = b;
}

static void bind_field(const struct tsh_field *field, struct operand *ret)
{
	ret->field = field;
	switch (field->kind) {
	case TSH_FIELD_INT:
	case TSH_FIELD_POINTER:
		if (field->size == 1 || field->size == 2 || field->size == 4 || field->size == 8)
			bind_integer(field, ret);
		return;
	default:
		ret->kind = OPERAND_TEXT;
		ret->bound = bound_new(BOUND_BYTES);
		ret->bound->field = field;
	}
}

struct bound *bound_text(const char *text)
{
	struct bound *b = bound_new(BOUND_TEXT);

	b->text = tsh_xstrdup(text);
	return b;
}

bool query_is_user_string(const struct query_binding *to, const struct operand *o)
{
	return o->field && o->field->kind == TSH_FIELD_POINTER && strstr(o->field->type, "char *") &&
	       !strcmp(to->format->system, "syscalls");
}

void query_bind_shown(const struct query_binding *to, struct operand *o)
{
	struct tsh_field_text *shown;
	bool is_bytes = o->kind == OPERAND_TEXT;

	if (!o->field || !to->decoder || !o->bound || o->field->kind == TSH_FIELD_CHARS ||
	    o->field->kind == TSH_FIELD_STRING || query_is_user_string(to, o) || !(is_bytes || o->kind == OPERAND_NUMBER))
		return;
	shown = tsh_field_text_new(to->decoder, to->format, o->field);
	if (!is_bytes && o->field->kind != TSH_FIELD_POINTER && !tsh_field_text_is_own(shown)) {
		tsh_field_text_free(shown);
		return;
	}
	query_bound_free(o->bound);
	o->kind = OPERAND_TEXT;
	o->bound = bound_new(BOUND_SHOWN);
	o->bound->field = o->field;
	o->bound->shown = shown;
	tsh_strbuf_init(&o->bound->shown_text);
}

static void bind_property(enum bound_code code, struct operand *ret)
{
	ret->kind = OPERAND_NUMBER;
	ret->type = int_type;
	ret->bound = bound_new(code);
	ret->bound->type = int_type;
}

/*
 * Binds a name that every event has: one of the kernel's generic fields, such as cpu, or one of our
 * own, such as time. The caller has found no field of that name in the event. Returns false for any
 * other name.
 */
static bool bind_common(const char *name, const struct query_binding *to, struct operand *ret)
{
	if (!strcmp(name, "cpu") || !strcmp(name, "CPU")) {
		bind_property(BOUND_CPU, ret);
	} else if (!strcmp(name, "pid")) {
		bind_property(BOUND_PID, ret);
	} else if (!strcmp(name, "tgid")) {
		bind_property(BOUND_TGID, ret);
	} else if (!strcmp(name, "time") || !strcmp(name, "delta")) {
		bind_property(*name == 't' ? BOUND_TIME : BOUND_DELTA, ret);
		ret->type = ret->bound->type = (struct query_type){ 8, true };
	} else if (!strcmp(name, "comm") || !strcmp(name, "COMM")) {
		ret->kind = OPERAND_TEXT;
		ret->bound = bound_new(BOUND_COMM);
	} else if (!strcmp(name, "event") || !strcmp(name, "system")) {
		ret->kind = OPERAND_TEXT;
		ret->bound = bound_text(*name == 'e' ? to->format->name : to->format->system);
	} else {
		return false;
	}
	return true;
}

/* ---- operands ---- */

void query_bind_number(uint64_t n, struct operand *ret)
{
	ret->kind = OPERAND_NUMBER;
	ret->is_literal = true;
	ret->type = n <= INT32_MAX ? int_type : (struct query_type){ 8, n <= INT64_MAX };
	ret->bound = number(n, ret->type);
}

static void bind_name(const struct tsh_query_node *node, const struct query_binding *to,
		      struct operand *ret)
{
	const struct tsh_field *field = tsh_event_format_field(to->format, node->text);
	uint64_t n;

	if (field)
		bind_field(field, ret);
	else if (bind_common(node->text, to, ret))
		;
	else if (query_constant(node->text, &n))
		query_bind_number(n, ret);
	else
		ret->kind = OPERAND_WORD;
}

/* Makes a word unknown, because it stands where a number or a string is needed. */
void query_note_unknown_word(const struct query_binding *to, struct operand *o)
{
	if (o->kind != OPERAND_WORD)
		return;
	o->kind = OPERAND_UNKNOWN;
	if (!tsh_strlist_has(to->unknown, o->node->text))
		tsh_strlist_add(to->unknown, o->node->text);
}

/* Binds an operand that must be a number; it may be unknown. Returns -1 with err when it is no
 * number. */
int query_bind_numeric(const struct tsh_query_node *node, const struct query_binding *to,
		       struct operand *ret)
{
	if (query_bind_operand(node, to, ret) < 0)
		return -1;
	query_note_unknown_word(to, ret);
	if (ret->kind == OPERAND_NUMBER || ret->kind == OPERAND_UNKNOWN)
		return 0;
	query_bound_free(ret->bound);
	ret->bound = NULL;
	return query_refuse(to, node->span, "this is no number");
}

/* Binds a comparison in parentheses as a number: 0 or 1. */
static int bind_truth_as_number(const struct tsh_query_node *node, const struct query_binding *to,
				struct operand *ret)
{
	struct bound *truth = query_bind_truth(node, to);

	if (!truth)
		return -1;
	ret->kind = OPERAND_NUMBER;
	ret->type = int_type;
	ret->bound = bound_of(BOUND_TRUTH, truth, NULL);
	ret->bound->type = int_type;
	return 0;
}

/* Applies the sign or ~ to a literal, which stays a literal. */
static int bind_unary(const struct tsh_query_node *node, const struct query_binding *to,
		      struct operand *ret)
{
	struct bound *b;

	if (query_bind_numeric(node->arg[0], to, ret) < 0)
		return -1;
	ret->field = NULL;
	if (ret->kind == OPERAND_UNKNOWN)
		return 0;
	if (ret->bound->code == BOUND_NUMBER) {
		b = ret->bound;
		/* -9223372036854775808 is a signed number, as 9223372036854775808 is none */
		if (node->op == TSH_QUERY_NEG && b->number == UINT64_C(1) << 63)
			ret->type.is_signed = b->type.is_signed = !ret->type.is_signed;
		b->number = node->op == TSH_QUERY_NEG ? 0 - b->number : ~b->number;
		b->number = query_type_wrap(ret->type, b->number);
		return 0;
	}
	b = bound_of(BOUND_UNARY, ret->bound, NULL);
	b->op = node->op;
	b->type = ret->type;
	ret->bound = b;
	return 0;
}

/* Says whether the result of two literals exceeds the type, where C would wrap around. */
static bool overflows(enum tsh_query_op op, struct query_type type, uint64_t a, uint64_t b)
{
	int64_t result = 0;
	uint64_t unused;
	bool is = false;

	if (op == TSH_QUERY_ADD)
		is = type.is_signed ? __builtin_add_overflow((int64_t)a, (int64_t)b, &result) : __builtin_add_overflow(a, b, &unused);
	else if (op == TSH_QUERY_SUB)
		is = type.is_signed ? __builtin_sub_overflow((int64_t)a, (int64_t)b, &result) : __builtin_sub_overflow(a, b, &unused);
	else if (op == TSH_QUERY_MUL)
		is = type.is_signed ? __builtin_mul_overflow((int64_t)a, (int64_t)b, &result) : __builtin_mul_overflow(a, b, &unused);
	return is || (type.size == 4 && (result > INT32_MAX || result < INT32_MIN));
}

/* Computes the result of two literals, so that it is a literal too; does nothing for a division
 * by 0. */
static void fold(struct operand *ret)
{
	struct query_run none = { 0 };
	struct bound *b = ret->bound;
	uint64_t n;

	if (b->arg[0]->code != BOUND_NUMBER || b->arg[1]->code != BOUND_NUMBER || !query_eval_number(b, &none, &n))
		return;
	ret->bound = number(n, ret->type);
	query_bound_free(b);
}

static int bind_binary(const struct tsh_query_node *node, const struct query_binding *to,
		       struct operand *ret)
{
	bool is_shift = node->op == TSH_QUERY_SHL || node->op == TSH_QUERY_SHR;
	struct operand a = { 0 }, b = { 0 };

	if (query_has_cpus(node))
		return bind_truth_as_number(node, to, ret);
	if (query_bind_numeric(node->arg[0], to, &a) < 0)
		return -1;
	if (query_bind_numeric(node->arg[1], to, &b) < 0) {
		query_bound_free(a.bound);
		return -1;
	}
	if (is_shift && a.kind == OPERAND_NUMBER && b.kind == OPERAND_NUMBER && b.bound->code == BOUND_NUMBER &&
	    b.bound->number >= a.type.size * UINT64_C(8)) {
		query_bound_free(a.bound);
		query_bound_free(b.bound);
		return query_refuse(to, node->arg[1]->span, "the value does not have that many bits");
	}
	if (a.kind == OPERAND_UNKNOWN || b.kind == OPERAND_UNKNOWN) {
		query_bound_free(a.bound);
		query_bound_free(b.bound);
		return 0;
	}
	ret->type = is_shift ? a.type : query_type_common(a.type, b.type);
	if (a.bound->code == BOUND_NUMBER && b.bound->code == BOUND_NUMBER &&
	    overflows(node->op, ret->type, a.bound->number, b.bound->number)) {
		query_bound_free(a.bound);
		query_bound_free(b.bound);
		return query_refuse(to, node->span,
				    "the result does not fit its type (as in C: 32 bits, or 64 when "
				    "an operand needs them)");
	}
	ret->kind = OPERAND_NUMBER;
	ret->bound = bound_of(BOUND_BINARY, a.bound, b.bound);
	ret->bound->op = node->op;
	ret->bound->type = ret->type;
	/* shifts wrap as in C: (1 << 31) - 1 has 31 bits */
	if (!is_shift)
		fold(ret);
	return 0;
}

/* Says whether no record has that element of an array. */
static bool is_beyond(const struct tsh_field *field, uint64_t index, unsigned int long_size)
{
	unsigned int size = field->element_size ? field->element_size : long_size;

	return index > INT32_MAX || (field->kind == TSH_FIELD_ARRAY && field->size && index >= field->size / size);
}

static int bind_index(const struct tsh_query_node *node, const struct query_binding *to,
		      struct operand *ret)
{
	const struct tsh_query_node *name = node->arg[0];
	const struct tsh_field *field = name->kind == TSH_QUERY_NAME ?
		tsh_event_format_field(to->format, name->text) : NULL;
	struct operand i = { 0 };

	if (name->kind != TSH_QUERY_NAME)
		return query_refuse(to, name->span, "this is no array");
	if (field && field->kind != TSH_FIELD_ARRAY && field->kind != TSH_FIELD_DYNAMIC)
		return query_refuse(to, name->span, "this field is no array");
	if (query_bind_numeric(node->arg[1], to, &i) < 0)
		return -1;
	if (!field || i.kind == OPERAND_UNKNOWN) {
		struct operand word = { .kind = field ? OPERAND_UNKNOWN : OPERAND_WORD, .node = name };

		query_note_unknown_word(to, &word);
		query_bound_free(i.bound);
		return 0;
	}
	if (i.bound->code == BOUND_NUMBER && is_beyond(field, i.bound->number, to->long_size)) {
		query_bound_free(i.bound);
		return query_refuse(to, node->arg[1]->span, "the array has no such element: the first is [0]");
	}
	ret->kind = OPERAND_NUMBER;
	ret->bound = bound_of(BOUND_ELEMENT, i.bound, NULL);
	ret->bound->field = field;
	ret->type = int_type;
	if (!field->element_size || field->element_size >= 4)
		ret->type = (struct query_type){ field->element_size == 4 ? 4 :
			(uint8_t)(field->element_size ? 8 : to->long_size), field->is_signed };
	ret->bound->type = ret->type;
	return 0;
}

bool query_may_be_code(const struct tsh_field *field, const struct query_binding *to)
{
	return (field->kind == TSH_FIELD_INT || field->kind == TSH_FIELD_POINTER) &&
	       field->size == to->long_size;
}

bool query_is_truth(const struct tsh_query_node *node)
{
	if (node->kind == TSH_QUERY_IN)
		return true;
	if (node->kind == TSH_QUERY_UNARY)
		return node->op == TSH_QUERY_NOT;
	return node->kind == TSH_QUERY_BINARY && node->op <= TSH_QUERY_NO_MATCH;
}

bool query_has_cpus(const struct tsh_query_node *node)
{
	return node->kind == TSH_QUERY_BINARY && node->op == TSH_QUERY_BIT_AND &&
	       (node->arg[0]->kind == TSH_QUERY_CPUS || node->arg[1]->kind == TSH_QUERY_CPUS);
}

/* Binds NAME.function: the address of code. */
static int bind_function(const struct tsh_query_node *node, const struct query_binding *to,
			 struct operand *ret)
{
	if (query_bind_operand(node->arg[0], to, ret) < 0)
		return -1;
	query_note_unknown_word(to, ret);
	if (ret->kind == OPERAND_UNKNOWN || (ret->field && query_may_be_code(ret->field, to))) {
		ret->is_code = true;
		return 0;
	}
	query_bound_free(ret->bound);
	ret->bound = NULL;
	return query_refuse(to, node->arg[0]->span, "this field does not have the size of an address");
}

/* Binds an operand; *ret must be zeroed. Returns -1 with err, and then leaves nothing to free. */
int query_bind_operand(const struct tsh_query_node *node, const struct query_binding *to,
		       struct operand *ret)
{
	ret->node = node;
	if (query_is_truth(node))
		return bind_truth_as_number(node, to, ret);
	switch (node->kind) {
	case TSH_QUERY_NUMBER:
		query_bind_number(node->number, ret);
		/* computes in 64 bits: times and sizes are large (1s * 60) */
		if (node->unit != TSH_QUERY_PLAIN)
			ret->type.size = ret->bound->type.size = 8;
		return 0;
	case TSH_QUERY_STRING:
		ret->kind = OPERAND_TEXT;
		ret->bound = bound_text(node->text);
		return 0;
	case TSH_QUERY_NAME:
		bind_name(node, to, ret);
		return 0;
	case TSH_QUERY_ADDRESS:
		ret->kind = OPERAND_ADDRESS;
		return 0;
	case TSH_QUERY_CPUS:
		ret->kind = OPERAND_CPUS;
		return 0;
	case TSH_QUERY_UNARY:
		return bind_unary(node, to, ret);
	case TSH_QUERY_BINARY:
		return bind_binary(node, to, ret);
	case TSH_QUERY_INDEX:
		return bind_index(node, to, ret);
	case TSH_QUERY_FUNCTION:
		return bind_function(node, to, ret);
	default:
		query_refuse(to, node->span, "only the kernel can read the process's memory");
		tsh_err_hint(to->err, "behind 'if' it does");
		return -1;
	}
}
