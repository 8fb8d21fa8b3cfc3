/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "bind.h"

#include <stdlib.h>
#include <string.h>

#include "base/xmalloc.h"
#include "names.h"

/* ---- comparisons ---- */

/*
 * Resolves a word by the operand beside it:
 * - beside `event`, `system` or comm (the task's name, or a field comm): the word is that text. But
 *   beside comm, a word that is a string field of another event is that field, and unknown here;
 * - beside a field whose text shows numbers under names: the number of that name;
 * - beside anything else: a field that this event lacks, and unknown.
 */
static void resolve_word(const struct query_binding *to, struct operand *word,
			 const struct operand *beside)
{
	uint64_t n;

	if (word->kind != OPERAND_WORD)
		return;
	if (beside->kind == OPERAND_TEXT && (!beside->field || !strcmp(beside->field->name, "comm")) &&
	    beside->node->kind != TSH_QUERY_STRING &&
	    (beside->bound->code == BOUND_TEXT || !to->fields || !tsh_strlist_has(to->fields, word->node->text))) {
		word->kind = OPERAND_TEXT;
		word->bound = bound_text(word->node->text);
	} else if (beside->field && query_value_of(to->decoder, to->format, beside->field,
						   word->node->text, &n)) {
		query_bind_number(n, word);
	} else {
		query_note_unknown_word(to, word);
	}
}

/* Compares FIELD OP NUMBER as the kernel does: the number is cut to the field's size. */
static struct bound *compare_field(enum tsh_query_op op, const struct operand *field,
				   const struct operand *literal)
{
	struct bound *b = bound_new(BOUND_FIELD);
	unsigned int unused = 64 - 8 * field->bound->load.size;

	b->op = op;
	b->field = field->field;
	b->load = field->bound->load;
	b->number = literal->bound->number << unused;
	b->number = b->load.is_signed ? (uint64_t)((int64_t)b->number >> unused) :
					b->number >> unused;
	return b;
}

/* Binds a & b as a truth: some bit is set in both. Takes over what the operands own. */
static struct bound *bind_bits(struct operand *a, struct operand *b)
{
	struct bound *bits = bound_of(BOUND_BINARY, a->bound, b->bound);

	bits->op = TSH_QUERY_BIT_AND;
	bits->type = query_type_common(a->type, b->type);
	a->bound = b->bound = NULL;
	return bound_of(BOUND_NONZERO, bits, NULL);
}

static struct bound *compare_numbers(enum tsh_query_op op, struct operand *a, struct operand *b)
{
	struct bound *result;

	if (a->field && a->bound->code == BOUND_LOAD && b->is_literal)
		return compare_field(op, a, b);
	result = bound_of(BOUND_COMPARE, a->bound, b->bound);
	result->op = op;
	result->type = query_type_common(a->type, b->type);
	a->bound = b->bound = NULL;
	return result;
}

static struct bound *negated_if(bool negate, struct bound *b)
{
	return negate ? bound_of(BOUND_NOT, b, NULL) : b;
}

static struct bound *compare_texts(enum tsh_query_op op, struct operand *a, struct operand *b)
{
	struct bound *equal = bound_of(BOUND_EQUAL_TEXT, a->bound, b->bound);

	a->bound = b->bound = NULL;
	return negated_if(op == TSH_QUERY_NE, equal);
}

/* Makes a node for the bytes of a field, in the order of the record. */
static struct bound *bytes_of(const struct tsh_field *field)
{
	bool is_fixed = field->kind == TSH_FIELD_INT || field->kind == TSH_FIELD_ARRAY;
	struct bound *b = bound_new(is_fixed ? BOUND_RAW : BOUND_BYTES);

	b->load.offset = field->offset;
	b->number = field->size;
	b->field = field;
	return b;
}

static struct bound *compare_address(enum tsh_query_op op, const struct operand *a,
				     const struct operand *b)
{
	const struct operand *address = a->kind == OPERAND_ADDRESS ? a : b;
	struct bound *in = bound_of(BOUND_IN_NETWORK, bytes_of(address == a ? b->field : a->field), NULL);

	in->address = address->node->address;
	return negated_if(op == TSH_QUERY_NE, in);
}

/*
 * Compares FIELD == FUNCTION: the address lies in the function (predicate .function,
 * trace_events_filter.c). Returns NULL when it is no such comparison, or nothing has that name.
 */
static struct bound *compare_function(enum tsh_query_op op, const struct query_binding *to,
				      const struct operand *field, const struct operand *function)
{
	uint64_t address, size, unused;
	struct bound *in;

	if ((op != TSH_QUERY_EQ && op != TSH_QUERY_NE) || !field->field || !to->decoder ||
	    !query_may_be_code(field->field, to))
		return NULL;
	if (function->kind == OPERAND_WORD ?
		    query_value_of(to->decoder, to->format, field->field, function->node->text,
				   &unused) ||
			    !tsh_decoder_symbol_range(to->decoder, function->node->text, &address, &size) :
		    !field->is_code || !function->is_literal ||
			    !tsh_decoder_code_range(to->decoder, function->bound->number, &address, &size))
		return NULL;
	in = bound_of(BOUND_AND, bound_new(BOUND_FIELD), bound_new(BOUND_FIELD));
	in->arg[0]->load = in->arg[1]->load = field->bound->load;
	in->arg[0]->load.is_signed = in->arg[1]->load.is_signed = false;
	in->arg[0]->field = in->arg[1]->field = field->field;
	in->arg[0]->op = TSH_QUERY_GE;
	in->arg[0]->number = address;
	in->arg[1]->op = TSH_QUERY_LE;
	in->arg[1]->number = address + (size ? size - 1 : 0);
	return negated_if(op == TSH_QUERY_NE, in);
}

/* Compares with CPUS{LIST}: a number (is it one of the list?) or a mask of CPUs (as
 * do_filter_cpumask and the like in trace_events_filter.c). Takes over what x owns. */
static struct bound *compare_cpus(enum tsh_query_op op, struct tsh_span span,
				  const struct query_binding *to, struct operand *x,
				  const struct operand *cpus)
{
	const struct tsh_cpuset *set = &cpus->node->cpus;
	bool is_equality = op == TSH_QUERY_EQ || op == TSH_QUERY_NE;
	struct bound *result = NULL;

	if (!is_equality && op != TSH_QUERY_BIT_AND) {
		query_refuse(to, span, "CPUS{..} goes with ==, != and &");
	} else if (x->kind == OPERAND_NUMBER && is_equality && tsh_cpuset_count(set) != 1) {
		/* a single number is never equal to several CPUs */
		result = bound_constant(op == TSH_QUERY_NE ? QUERY_YES : QUERY_NO);
	} else if (x->kind == OPERAND_NUMBER) {
		result = bound_of(BOUND_IN_CPUS, x->bound, NULL);
		result->cpus = set;
		result = negated_if(op == TSH_QUERY_NE, result);
		x->bound = NULL;
	} else if (x->field && x->field->kind == TSH_FIELD_DYNAMIC) {
		result = bound_new(BOUND_CPUMASK);
		result->op = op;
		result->field = x->field;
		result->cpus = set;
		result->type = (struct query_type){ (uint8_t)to->long_size, false };
	} else {
		query_refuse(to, span, "this is neither a CPU nor a set of CPUs");
	}
	return result;
}

/* Says whether an expression is a time: 1s, 3 * 1s, 1s / 2, but not 1s / 1ms. */
static bool has_time_unit(const struct tsh_query_node *node)
{
	if (node->kind == TSH_QUERY_UNARY)
		return has_time_unit(node->arg[0]);
	if (node->kind != TSH_QUERY_BINARY)
		return node->kind == TSH_QUERY_NUMBER && node->unit == TSH_QUERY_TIME;
	if (node->op == TSH_QUERY_DIV || node->op == TSH_QUERY_MOD)
		return has_time_unit(node->arg[0]) && !has_time_unit(node->arg[1]);
	return (node->op == TSH_QUERY_ADD || node->op == TSH_QUERY_SUB || node->op == TSH_QUERY_MUL) &&
	       (has_time_unit(node->arg[0]) || has_time_unit(node->arg[1]));
}

/*
 * Prepares a comparison of `ticks` of the kernel's timer with `beside`. Makes a difference of two
 * moments signed, although C would make it unsigned: it is negative when something is late.
 * Converts ticks to ns when `beside` has a unit of time. Does nothing when `ticks` is no number of
 * ticks. Returns -1 with err.
 */
static int bind_ticks(const struct query_binding *to, struct operand *ticks,
		      const struct operand *beside)
{
	enum tsh_query_jiffies kind = query_jiffies_of(ticks->bound, to->format);
	unsigned int hz;
	struct operand tick = { 0 };

	if (kind == TSH_QUERY_JIFFIES_SPAN)
		ticks->type.is_signed = ticks->bound->type.is_signed = true;
	if (!kind || !has_time_unit(beside->node))
		return 0;
	if (kind == TSH_QUERY_JIFFIES_MOMENT)
		return query_refuse(to, beside->node->span, "this counts ticks since boot: compare a "
							    "time with a difference, as expires - now");
	hz = to->decoder ? tsh_decoder_hz(to->decoder) : 0;
	if (!hz)
		return query_refuse(to, beside->node->span,
				    "the length of the kernel's tick is not known here: give a number of ticks");
	query_bind_number(1000000000 / hz, &tick);
	ticks->bound = bound_of(BOUND_BINARY, ticks->bound, tick.bound);
	ticks->bound->op = TSH_QUERY_MUL;
	ticks->type = ticks->bound->type = (struct query_type){ 8, true };
	return 0;
}

static const char in_memory[] =
	"the field is an address in the program's memory, which only the kernel reads: if FIELD.ustring ..";

static bool is_array(const struct operand *o)
{
	return o->kind == OPERAND_TEXT && o->field &&
	       (o->field->kind == TSH_FIELD_ARRAY || o->field->kind == TSH_FIELD_DYNAMIC);
}

static const char *why_not(enum tsh_query_op op, const struct query_binding *to, const struct operand *a,
			   const struct operand *b)
{
	bool is_equality = op == TSH_QUERY_EQ || op == TSH_QUERY_NE;
	bool are_array_and_number = (is_array(a) && b->kind == OPERAND_NUMBER) || (is_array(b) && a->kind == OPERAND_NUMBER);

	if (a->kind == OPERAND_NUMBER && b->kind == OPERAND_NUMBER)
		return NULL;
	if (!is_equality && are_array_and_number)
		return "an array has no order: compare one of its elements, as FIELD[0]";
	if (!is_equality)
		return "only numbers are less or greater";
	if (a->kind == OPERAND_TEXT && b->kind == OPERAND_TEXT)
		return NULL;
	if ((a->kind == OPERAND_ADDRESS && b->field) || (b->kind == OPERAND_ADDRESS && a->field))
		return NULL;
	if ((a->kind == OPERAND_TEXT && query_is_user_string(to, b)) ||
	    (b->kind == OPERAND_TEXT && query_is_user_string(to, a)))
		return in_memory;
	if (are_array_and_number)
		return "an array cannot be compared with a number: compare one of its elements, as FIELD[0]";
	if (a->kind == OPERAND_TEXT || b->kind == OPERAND_TEXT)
		return "a string cannot be compared with a number";
	return "these cannot be compared";
}

/* Compares two operands; takes over what they own. */
static struct bound *compare(enum tsh_query_op op, struct tsh_span span,
			     const struct query_binding *to, struct operand *a, struct operand *b)
{
	struct bound *result = NULL;
	const char *why;

	result = compare_function(op, to, a, b);
	if (!result)
		result = compare_function(op, to, b, a);
	if (result) {
		query_bound_free(a->bound);
		query_bound_free(b->bound);
		return result;
	}
	resolve_word(to, a, b);
	resolve_word(to, b, a);
	if (a->node->kind == TSH_QUERY_STRING)
		query_bind_shown(to, b);
	if (b->node->kind == TSH_QUERY_STRING)
		query_bind_shown(to, a);
	why = why_not(op, to, a, b);
	if (a->kind == OPERAND_UNKNOWN || b->kind == OPERAND_UNKNOWN)
		result = bound_constant(QUERY_UNKNOWN);
	else if (b->kind == OPERAND_CPUS)
		result = compare_cpus(op, span, to, a, b);
	else if (a->kind == OPERAND_CPUS)
		result = compare_cpus(op, span, to, b, a);
	else if (why)
		query_refuse(to, span, why);
	else if (a->kind == OPERAND_NUMBER && b->kind == OPERAND_NUMBER)
		result = bind_ticks(to, a, b) < 0 || bind_ticks(to, b, a) < 0 ?
				 NULL : compare_numbers(op, a, b);
	else if (a->kind == OPERAND_TEXT && b->kind == OPERAND_TEXT)
		result = compare_texts(op, a, b);
	else
		result = compare_address(op, a, b);
	query_bound_free(a->bound);
	query_bound_free(b->bound);
	return result;
}

static struct bound *bind_comparison(enum tsh_query_op op, struct tsh_span span,
				     const struct tsh_query_node *left,
				     const struct tsh_query_node *right,
				     const struct query_binding *to)
{
	struct operand a = { 0 }, b = { 0 };

	if (query_bind_operand(left, to, &a) < 0)
		return NULL;
	if (query_bind_operand(right, to, &b) < 0) {
		query_bound_free(a.bound);
		return NULL;
	}
	return compare(op, span, to, &a, &b);
}

/* ---- patterns ---- */

static int compile_regex(const struct tsh_query_node *pattern, const struct query_binding *to,
			 struct bound *b)
{
	const char *why;

	b->regex = query_regex_new(pattern->text, &why);
	return b->regex ? 0 : query_refuse(to, pattern->span, why);
}

static struct bound *bind_pattern(const struct tsh_query_node *node, const struct query_binding *to)
{
	struct operand text = { 0 };
	struct bound *b;

	if (query_bind_operand(node->arg[0], to, &text) < 0)
		return NULL;
	query_note_unknown_word(to, &text);
	query_bind_shown(to, &text);
	if (text.kind == OPERAND_UNKNOWN)
		return bound_constant(QUERY_UNKNOWN);
	if (text.kind != OPERAND_TEXT) {
		query_bound_free(text.bound);
		query_refuse(to, node->arg[0]->span, query_is_user_string(to, &text) ? in_memory :
			     "only a string has a pattern");
		return NULL;
	}
	b = bound_of(node->op == TSH_QUERY_GLOB ? BOUND_GLOB : BOUND_MATCH, text.bound, NULL);
	b->op = node->op;
	b->text = tsh_xstrdup(node->arg[1]->text);
	if (b->code == BOUND_GLOB || compile_regex(node->arg[1], to, b) == 0)
		return b;
	query_bound_free(b);
	return NULL;
}

/* ---- truths ---- */

static struct bound *bind_item(const struct tsh_query_node *value,
			       const struct tsh_query_node *item, const struct query_binding *to)
{
	struct bound *low, *high;

	if (item->kind != TSH_QUERY_RANGE)
		return bind_comparison(TSH_QUERY_EQ, item->span, value, item, to);
	low = bind_comparison(TSH_QUERY_GE, item->span, value, item->arg[0], to);
	high = low ? bind_comparison(TSH_QUERY_LE, item->span, value, item->arg[1], to) : NULL;
	if (high)
		return bound_of(BOUND_AND, low, high);
	query_bound_free(low);
	return NULL;
}

/* Adds an argument to b. When there is none, frees b and returns NULL. */
static struct bound *with(struct bound *b, struct bound *arg)
{
	if (arg) {
		bound_add(b, arg);
		return b;
	}
	query_bound_free(b);
	return NULL;
}

static struct bound *bind_in(const struct tsh_query_node *node, const struct query_binding *to)
{
	struct bound *any = bound_new(BOUND_OR);
	size_t i;

	for (i = 1; any && i < node->nargs; i++)
		any = with(any, bind_item(node->arg[0], node->arg[i], to));
	return any;
}

static struct bound *bind_logic(const struct tsh_query_node *node, const struct query_binding *to)
{
	struct bound *b = bound_new(node->op == TSH_QUERY_AND ? BOUND_AND :
				    node->op == TSH_QUERY_OR ? BOUND_OR : BOUND_NOT);
	size_t i;

	for (i = 0; b && i < node->nargs; i++)
		b = with(b, query_bind_truth(node->arg[i], to));
	return b;
}

/* Says whether it is FIELD & NUMBER, a term of the kernel's filter: the number is cut to the
 * field's size. */
static bool is_bit_test(const struct tsh_query_node *node)
{
	return node->kind == TSH_QUERY_BINARY && node->op == TSH_QUERY_BIT_AND &&
	       node->arg[0]->kind == TSH_QUERY_NAME;
}

static struct bound *bind_bit_test(const struct tsh_query_node *node, const struct query_binding *to)
{
	struct operand field = { 0 }, number = { 0 };
	struct bound *b = NULL;

	if (query_bind_operand(node->arg[0], to, &field) < 0)
		return NULL;
	if (query_bind_operand(node->arg[1], to, &number) < 0) {
		query_bound_free(field.bound);
		return NULL;
	}
	resolve_word(to, &number, &field);
	query_note_unknown_word(to, &field);
	if (field.kind == OPERAND_UNKNOWN || number.kind == OPERAND_UNKNOWN)
		b = bound_constant(QUERY_UNKNOWN);
	else if (field.kind != OPERAND_NUMBER || number.kind != OPERAND_NUMBER)
		query_refuse(to, node->span, "only numbers have bits");
	else if (field.field && number.is_literal)
		b = compare_field(TSH_QUERY_BIT_AND, &field, &number);
	else
		b = bind_bits(&field, &number);
	query_bound_free(field.bound);
	query_bound_free(number.bound);
	return b;
}

/* Binds a number as a truth: it is not 0. */
static struct bound *bind_nonzero(const struct tsh_query_node *node, const struct query_binding *to)
{
	struct operand o = { 0 };

	if (query_bind_numeric(node, to, &o) < 0)
		return NULL;
	return o.kind == OPERAND_UNKNOWN ? bound_constant(QUERY_UNKNOWN) :
					   bound_of(BOUND_NONZERO, o.bound, NULL);
}

struct bound *query_bind_truth(const struct tsh_query_node *node, const struct query_binding *to)
{
	if (node->kind == TSH_QUERY_IN)
		return bind_in(node, to);
	if (query_has_cpus(node))
		return bind_comparison(node->op, node->span, node->arg[0], node->arg[1], to);
	if (is_bit_test(node))
		return bind_bit_test(node, to);
	if (!query_is_truth(node))
		return bind_nonzero(node, to);
	if (node->op <= TSH_QUERY_NOT)
		return bind_logic(node, to);
	if (node->op >= TSH_QUERY_GLOB)
		return bind_pattern(node, to);
	return bind_comparison(node->op, node->span, node->arg[0], node->arg[1], to);
}

struct bound *query_bind(const struct tsh_query_node *node, const struct query_binding *to)
{
	return query_bind_truth(node, to);
}
