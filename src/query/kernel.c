/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <inttypes.h>
#include <string.h>

#include "base/xmalloc.h"
#include "bind.h"
#include "query.h"

/*
 * Translates a question into the grammar of the kernel's filter
 * (kernel/trace/trace_events_filter.c), as far as that can answer it. Each function returns NULL
 * when it has translated its part, or the reason why the kernel cannot answer that part; then `out`
 * has no meaning.
 */

/* Limits a string: MAX_FILTER_STR_VAL is 256, and most kernels limit a whole filter to a page. */
#define STRING_MAX 250
#define FILTER_MAX 3000

static const char *const ops[] = {
	[TSH_QUERY_EQ] = "==", [TSH_QUERY_NE] = "!=", [TSH_QUERY_LT] = "<", [TSH_QUERY_LE] = "<=",
	[TSH_QUERY_GT] = ">",  [TSH_QUERY_GE] = ">=", [TSH_QUERY_BIT_AND] = "&",
};

/* Adds `FIELD OP NUMBER`, the number in the field's type, as the kernel reads it. */
static const char *add_field(const struct bound *b, struct tsh_strbuf *out)
{
	bool swaps = b->load.is_network && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__;
	uint64_t number = swaps ? __builtin_bswap64(b->number) >> (64 - 8 * b->load.size) : b->number;

	if (swaps && b->op != TSH_QUERY_EQ && b->op != TSH_QUERY_NE && b->op != TSH_QUERY_BIT_AND)
		return "the kernel compares this field in the machine's byte order";
	if (b->load.is_signed)
		tsh_strbuf_addf(out, "%s %s %" PRId64, b->field->name, ops[b->op],
				(int64_t)number);
	else
		tsh_strbuf_addf(out, b->field->kind == TSH_FIELD_POINTER ? "%s %s 0x%" PRIx64 :
			"%s %s %" PRIu64, b->field->name, ops[b->op], number);
	return NULL;
}

/* Adds the pid or the CPU, ints that every event has. */
static const char *add_common(const struct bound *b, struct tsh_strbuf *out)
{
	const struct bound *property = b->arg[0], *value = b->arg[1];
	int64_t n = (int64_t)value->number;

	if (value->code != BOUND_NUMBER || n < INT32_MIN || n > INT32_MAX)
		return "the kernel compares a field only with a constant";
	if (property->code != BOUND_PID && property->code != BOUND_CPU)
		return "the kernel compares a field only with a constant";
	tsh_strbuf_addf(out, "%s %s %" PRId64, property->code == BOUND_PID ? "common_pid" : "CPU",
			ops[b->op], n);
	return NULL;
}

/* Describes a string that can be compared: a field, or the task's name. */
struct string {
	const char *name;
	size_t room;		/* in bytes; 0: no limit */
};

/* Says whether a text is too long: for a string without wildcards the kernel compares only as
 * much as the field holds. */
static bool is_too_long(const struct string *string, bool is_glob, const char *text)
{
	const char *p = text + (*text == '!');

	if (strlen(text) >= STRING_MAX)
		return true;
	if (is_glob && !(*p >= '0' && *p <= '9') && strpbrk(p, "*?[\\"))
		return false;
	return string->room && strlen(text) >= string->room;
}

/* Adds `NAME == "TEXT"` or `NAME ~ "PATTERN"`. */
static const char *add_text(const struct string *string, bool is_glob, const char *text,
			    struct tsh_strbuf *out)
{
	char quote = strchr(text, '"') ? '\'' : '"';
	bool negated = is_glob && *text == '!';

	if (strchr(text, quote))
		return "the kernel takes no string with both quotes";
	if (is_too_long(string, is_glob, text))
		return "the kernel takes no string that long";
	/*
	 * Writes "**sh" for "*sh", which the kernel matches as a glob. The kernel would compare
	 * "*sh" with the end of the whole char[16], not with the end of the text in it
	 * (regex_match_end), and would look for "*sh*" in the whole char[16].
	 */
	text += negated;
	tsh_strbuf_addf(out, "%s %s %c%s%s%s%c", string->name, is_glob ? "~" : "==", quote,
			negated ? "!" : "", is_glob && text[0] == '*' && text[1] ? "*" : "", text, quote);
	return NULL;
}

/* Adds the task's name at the moment of the event, for events that have no field of that name. */
static const char *add_comm(bool is_glob, const char *text, struct tsh_strbuf *out)
{
	static const struct string comm = { "COMM", 16 /* TASK_COMM_LEN */ };
	static const char *const ours[] = { TSH_COMM_IDLE, TSH_COMM_UNKNOWN };
	size_t i;

	for (i = 0; i < sizeof(ours) / sizeof(ours[0]); i++)
		if (is_glob ? query_kernel_match(text, ours[i], strlen(ours[i])) :
			      !strcmp(text, ours[i]))
			return "no task has this name in the kernel";
	return add_text(&comm, is_glob, text, out);
}

static const char *add_string(const struct bound *b, bool is_glob, const char *text,
			      struct tsh_strbuf *out)
{
	struct string string;

	if (b->code == BOUND_COMM)
		return add_comm(is_glob, text, out);
	if (b->code != BOUND_BYTES)
		return is_glob ? "the kernel matches fields only" :
				 "the kernel compares a field only with a constant";
	if (!b->field ||
	    (b->field->kind != TSH_FIELD_CHARS && b->field->kind != TSH_FIELD_STRING))
		return "this is no string to the kernel";
	string = (struct string){ b->field->name,
				  b->field->kind == TSH_FIELD_CHARS ? b->field->size : 0 };
	return add_text(&string, is_glob, text, out);
}

static const char *add_equal_text(const struct bound *b, struct tsh_strbuf *out)
{
	const struct bound *string = b->arg[0], *text = b->arg[1];

	if (string->code == BOUND_TEXT) {
		string = b->arg[1];
		text = b->arg[0];
	}
	if (text->code != BOUND_TEXT)
		return "the kernel compares a field only with a constant";
	return add_string(string, false, text->text, out);
}

/* Adds `CPU & CPUS{1,3}`. Kernels that do not have CPUS{} refuse the filter. */
static const char *add_cpus(const char *name, const char *op, const struct tsh_cpuset *cpus,
			    struct tsh_strbuf *out)
{
	tsh_strbuf_addf(out, "%s %s CPUS{", name, op);
	tsh_cpuset_format_list(cpus, out);
	tsh_strbuf_addc(out, '}');
	return NULL;
}

static const char *add_in_cpus(const struct bound *b, struct tsh_strbuf *out)
{
	const struct bound *x = b->arg[0];

	if (x->code == BOUND_CPU)
		return add_cpus("CPU", "&", b->cpus, out);
	if (x->code == BOUND_LOAD && x->field)
		return add_cpus(x->field->name, "&", b->cpus, out);
	return "the kernel compares a field only with a constant";
}

static const char *add(const struct bound *b, struct tsh_strbuf *out);

static const char *add_all(const struct bound *b, const char *between, struct tsh_strbuf *out)
{
	const char *why = NULL;
	size_t i;

	tsh_strbuf_addc(out, '(');
	for (i = 0; i < b->nargs && !why; i++) {
		tsh_strbuf_adds(out, i ? between : "");
		why = add(b->arg[i], out);
	}
	tsh_strbuf_addc(out, ')');
	return why;
}

/* Adds a negation, nested no deeper than it was typed, because the kernel limits the depth too. */
static const char *add_not(const struct bound *arg, struct tsh_strbuf *out)
{
	const char *why;

	if (arg->code == BOUND_NOT)
		return add(arg->arg[0], out);
	tsh_strbuf_addc(out, '!');
	if (arg->code == BOUND_AND || arg->code == BOUND_OR)
		return add(arg, out);
	tsh_strbuf_addc(out, '(');
	why = add(arg, out);
	tsh_strbuf_addc(out, ')');
	return why;
}

static const char *add(const struct bound *b, struct tsh_strbuf *out)
{
	switch (b->code) {
	case BOUND_CONST:
		return b->truth == QUERY_UNKNOWN ? "it is unknown for every event" :
						   "it is the same for every event";
	case BOUND_AND:
		return add_all(b, " && ", out);
	case BOUND_OR:
		return add_all(b, " || ", out);
	case BOUND_NOT:
		return add_not(b->arg[0], out);
	case BOUND_FIELD:
		return add_field(b, out);
	case BOUND_COMPARE:
		return add_common(b, out);
	case BOUND_EQUAL_TEXT:
		return add_equal_text(b, out);
	case BOUND_GLOB:
		return add_string(b->arg[0], true, b->text, out);
	case BOUND_MATCH:
		return "the kernel has no regular expressions";
	case BOUND_IN_NETWORK:
		return "the kernel does not compare addresses";
	case BOUND_IN_CPUS:
		return add_in_cpus(b, out);
	case BOUND_CPUMASK:
		return add_cpus(b->field->name, ops[b->op], b->cpus, out);
	default:
		return "the kernel does not calculate";
	}
}

/* Adds one of the terms that all have to be true. */
static void add_part(const struct tsh_query_node *node, const struct bound *b,
		     struct tsh_query_split *ret)
{
	struct tsh_strbuf text = TSH_STRBUF_INIT;
	struct tsh_query_part *part = tsh_vec_push(&ret->parts);

	*part = (struct tsh_query_part){ .span = node->span, .why = add(b, &text) };
	if (!part->why && text.len + ret->filter.len > FILTER_MAX)
		part->why = "the filter would be too long";
	if (!part->why) {
		tsh_strbuf_adds(&ret->filter, ret->filter.len ? " && " : "");
		tsh_strbuf_add(&ret->filter, text.buf, text.len);
	}
	tsh_strbuf_release(&text);
}

void query_split(const struct tsh_query_node *node, const struct bound *b,
		 struct tsh_query_split *ret)
{
	bool is_and = node->kind == TSH_QUERY_BINARY && node->op == TSH_QUERY_AND;
	size_t i;

	if (!is_and)
		add_part(node, b, ret);
	for (i = 0; is_and && i < node->nargs; i++)
		add_part(node->arg[i], b->arg[i], ret);
}

/* ---- names of tasks ---- */

static bool has_comm(const struct bound *b)
{
	bool has = b->code == BOUND_COMM;
	size_t i;

	for (i = 0; i < b->nargs && !has; i++)
		has = has_comm(b->arg[i]);
	return has;
}

/* Returns the name with which a term compares the task's name; NULL: it does not. */
static const char *is_named(const struct bound *b)
{
	if (b->code != BOUND_EQUAL_TEXT)
		return NULL;
	if (b->arg[0]->code == BOUND_COMM && b->arg[1]->code == BOUND_TEXT)
		return b->arg[1]->text;
	if (b->arg[1]->code == BOUND_COMM && b->arg[0]->code == BOUND_TEXT)
		return b->arg[0]->text;
	return NULL;
}

/* Replaces a term on the task's name by "true" when the kernel's filter has answered it. */
static struct bound *replace_answered(struct bound *term, char **ret_comm)
{
	struct tsh_strbuf text = TSH_STRBUF_INIT;
	const char *comm = is_named(term);

	if (has_comm(term) && !add(term, &text)) {
		if (comm && !*ret_comm)
			*ret_comm = tsh_xstrdup(comm);
		query_bound_free(term);
		term = bound_constant(QUERY_YES);
	}
	tsh_strbuf_release(&text);
	return term;
}

struct bound *query_replace_comm(struct bound *b, char **ret_comm)
{
	size_t i;

	if (b->code != BOUND_AND)
		return replace_answered(b, ret_comm);
	for (i = 0; i < b->nargs; i++)
		b->arg[i] = replace_answered(b->arg[i], ret_comm);
	return b;
}

void tsh_query_split_release(struct tsh_query_split *split)
{
	tsh_strbuf_release(&split->filter);
	tsh_vec_release(&split->parts);
}
