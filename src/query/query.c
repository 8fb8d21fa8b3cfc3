/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "query.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/xmalloc.h"
#include "bound.h"
#include "deltas.h"

/* Holds the expression, bound to one event. */
struct bound_event {
	const struct tsh_event_format *format;	/* the format that it was bound to, owned by the decoder */
	struct bound *bound;		/* NULL: something in the event cannot be compared so */
	struct bound_value *value;	/* set instead of `bound` for a value */
	char *comm;			/* the name of all tasks that the kernel's filter lets pass; or NULL */
};

struct tsh_query {
	struct tsh_query_node *node;
	bool is_copy;			/* borrows node: see tsh_query_fork */
	bool is_value;			/* made by tsh_query_new_value */
	TSH_VEC(struct bound_event *) events;	/* by id; NULL: no record of it has come */
	bool uses_delta;
	bool observes_all;			/* tsh_query_set_observes_all was called */
	uint64_t losses;		/* count of losses when `deltas` was last valid */
	bool uses_comm;
	struct tsh_strlist fields;	/* names seen by tsh_query_note_fields */
	TSH_VEC(unsigned int) filtered;	/* ids: the kernel has the filter of tsh_query_split */
	struct query_deltas deltas;
	struct query_run run;		/* state for the present record */
	bool stamps_are_ns;
	struct tsh_query_account account;
};

static bool is_sign(const struct tsh_query_node *node)
{
	return node->kind == TSH_QUERY_UNARY && node->op != TSH_QUERY_NOT;
}

/* Finds the first place of a name in a tree, and the node whose argument it is (a sign before it
 * is skipped). */
static const struct tsh_query_node *find_name(const struct tsh_query_node *node, const char *name,
					      const struct tsh_query_node **parent)
{
	const struct tsh_query_node *found = NULL;
	size_t i;

	if (node->kind == TSH_QUERY_NAME && !strcmp(node->text, name))
		return node;
	for (i = 0; i < node->nargs && !found; i++) {
		found = find_name(node->arg[i], name, parent);
		if (found && (found == node->arg[i] || (*parent == node->arg[i] && is_sign(node->arg[i]))))
			*parent = node;
	}
	return found;
}

static bool names_comm(const struct tsh_query_node *node)
{
	const struct tsh_query_node *parent;

	return find_name(node, "comm", &parent) || find_name(node, "COMM", &parent);
}

typedef bool check_event_name(void *ctx, const struct tsh_query_event_name *name);

static bool is_event_property(const struct tsh_query_node *node, bool *ret_is_system)
{
	if (node->kind != TSH_QUERY_NAME)
		return false;
	*ret_is_system = !strcmp(node->text, "system");
	return *ret_is_system || !strcmp(node->text, "event");
}

static bool check_operands(const struct tsh_query_node *node, check_event_name *check, void *ctx)
{
	struct tsh_query_event_name name = { 0 };
	size_t of, i;

	for (of = 0; of < node->nargs; of++)
		if (is_event_property(node->arg[of], &name.is_system))
			break;
	for (i = 0; of < node->nargs && i < node->nargs; i++) {
		const struct tsh_query_node *word = node->arg[i];

		if (i == of || (word->kind != TSH_QUERY_NAME && word->kind != TSH_QUERY_STRING))
			continue;
		name.text = word->text;
		name.span = word->span;
		if (!check(ctx, &name))
			return false;
	}
	return true;
}

static bool each_event_name(const struct tsh_query_node *node, check_event_name *check, void *ctx)
{
	bool is_set = node->kind == TSH_QUERY_IN;
	size_t i;

	if (node->kind == TSH_QUERY_BINARY)
		is_set = node->op == TSH_QUERY_EQ || node->op == TSH_QUERY_NE;
	if (is_set && !check_operands(node, check, ctx))
		return false;
	for (i = 0; i < node->nargs; i++)
		if (!each_event_name(node->arg[i], check, ctx))
			return false;
	return true;
}

bool tsh_query_each_event_name(const struct tsh_query *q, check_event_name *check, void *ctx)
{
	return each_event_name(q->node, check, ctx);
}

bool tsh_query_name_at(const struct tsh_query *q, const char *name, struct tsh_span *ret,
		       const char **ret_beside)
{
	const struct tsh_query_node *parent = NULL, *node = find_name(q->node, name, &parent);
	size_t i;

	*ret_beside = NULL;
	if (!node)
		return false;
	*ret = node->span;
	for (i = 0; parent && i < parent->nargs && parent->arg[i] != node; i++)
		if (parent->arg[i]->kind == TSH_QUERY_NAME)
			*ret_beside = parent->arg[i]->text;
	return true;
}

struct tsh_query *tsh_query_new_value(const char *text, size_t len, struct tsh_err *err)
{
	struct tsh_query *q = tsh_query_new(text, len, err);

	if (q)
		q->is_value = true;
	return q;
}

struct tsh_query *tsh_query_new(const char *text, size_t len, struct tsh_err *err)
{
	struct tsh_query_node *node = tsh_query_parse(text, len, err);
	const struct tsh_query_node *parent;
	struct tsh_query *q;

	if (!node)
		return NULL;
	q = tsh_xcalloc(1, sizeof(*q));
	q->node = node;
	q->uses_delta = find_name(node, "delta", &parent);
	q->uses_comm = names_comm(node);
	return q;
}

struct tsh_query *tsh_query_fork(const struct tsh_query *q)
{
	struct tsh_query *copy;
	size_t i;

	if (q->uses_delta || q->filtered.n)
		return NULL;
	copy = tsh_xcalloc(1, sizeof(*copy));
	copy->node = q->node;
	copy->is_copy = true;
	copy->is_value = q->is_value;
	copy->observes_all = q->observes_all;
	copy->uses_comm = q->uses_comm;
	copy->stamps_are_ns = q->stamps_are_ns;
	copy->run.clock = q->run.clock;
	for (i = 0; i < q->fields.n; i++)
		tsh_strlist_add(&copy->fields, q->fields.v[i]);
	return copy;
}

void tsh_query_join(struct tsh_query *q, struct tsh_query *copy)
{
	struct tsh_query_account *from = &copy->account, *to = &q->account;

	to->asked += from->asked;
	to->unknown += from->unknown;
	q->run.divisions += copy->run.divisions;
	from->asked = from->unknown = copy->run.divisions = 0;
}

static void release_bound(struct bound_event *event)
{
	query_bound_free(event->bound);
	query_value_free(event->value);
	free(event->comm);
}

static void free_bound(struct bound_event *event)
{
	if (event)
		release_bound(event);
	free(event);
}

void tsh_query_forget(struct tsh_query *q)
{
	size_t i;

	for (i = 0; i < q->events.n; i++)
		free_bound(q->events.v[i]);
	tsh_vec_release(&q->events);
}

void tsh_query_free(struct tsh_query *q)
{
	if (!q)
		return;
	tsh_query_forget(q);
	query_deltas_release(&q->deltas);
	tsh_vec_release(&q->filtered);
	tsh_strlist_release(&q->fields);
	if (!q->is_copy)
		tsh_query_node_free(q->node);
	tsh_strlist_release(&q->account.words);
	free(q->account.refused);
	free(q);
}

void tsh_query_set_clock(struct tsh_query *q, const struct tsh_clock *clock)
{
	q->stamps_are_ns = clock->kind->in_ns;
	q->run.clock = clock;
}

bool tsh_query_needs_names(const struct tsh_query *q)
{
	return q->uses_comm;
}

bool tsh_query_needs_all(const struct tsh_query *q)
{
	return q->uses_delta;
}

void tsh_query_filtered(struct tsh_query *q, unsigned int id)
{
	if (q->uses_comm)
		*tsh_vec_push(&q->filtered) = id;
}

/* Returns the place of an id among the filtered ones, or their number when it is none. */
static size_t filtered_place(const struct tsh_query *q, unsigned int id)
{
	size_t i;

	for (i = 0; i < q->filtered.n; i++)
		if (q->filtered.v[i] == id)
			break;
	return i;
}

void tsh_query_unfiltered(struct tsh_query *q, unsigned int id)
{
	size_t at = filtered_place(q, id);

	if (at == q->filtered.n)
		return;
	q->filtered.v[at] = q->filtered.v[--q->filtered.n];
	/* the expressions that are bound rely on the filter */
	tsh_query_forget(q);
}

static bool is_comm(const struct tsh_query_node *node)
{
	return node->kind == TSH_QUERY_NAME && !strcasecmp(node->text, "comm");
}

static bool names_tasks(const struct tsh_query_node *node)
{
	bool has_comm = false, has_word = false, found = false;
	size_t i;

	for (i = 0; i < node->nargs; i++) {
		has_comm |= is_comm(node->arg[i]);
		has_word |= node->arg[i]->kind == TSH_QUERY_NAME && !is_comm(node->arg[i]);
		found |= names_tasks(node->arg[i]);
	}
	return found || (has_comm && has_word);
}

bool tsh_query_names_tasks(const struct tsh_query *q)
{
	return names_tasks(q->node);
}

/* Adds the names of a tree that are string fields of the event. */
static void note_fields(const struct tsh_query_node *node, const struct tsh_event_format *format,
			struct tsh_strlist *ret)
{
	const struct tsh_field *field =
		node->kind == TSH_QUERY_NAME ? tsh_event_format_field(format, node->text) : NULL;
	size_t i;

	if (field && (field->kind == TSH_FIELD_CHARS || field->kind == TSH_FIELD_STRING) &&
	    !tsh_strlist_has(ret, node->text))
		tsh_strlist_add(ret, node->text);
	for (i = 0; i < node->nargs; i++)
		note_fields(node->arg[i], format, ret);
}

void tsh_query_note_fields(struct tsh_query *q, const struct tsh_event_format *format)
{
	note_fields(q->node, format, &q->fields);
}

/* Binds the question, or the value. Returns false with err when it cannot be bound. */
static bool bind_either(const struct tsh_query *q, const struct query_binding *to,
			struct bound_event *ret)
{
	if (q->is_value)
		ret->value = query_bind_value(q->node, to);
	else
		ret->bound = query_bind(q->node, to);
	return ret->value || ret->bound;
}

int tsh_query_check(const struct tsh_query *q, struct tsh_decoder *decoder,
		    const struct tsh_event_format *format, unsigned int long_size,
		    struct tsh_strlist *words, struct tsh_err *err)
{
	const struct query_binding to = { .format = format, .decoder = decoder,
					  .long_size = long_size, .unknown = words, .fields = &q->fields,
					  .err = err };
	struct bound_event event = { 0 };
	bool can = bind_either(q, &to, &event);

	release_bound(&event);
	return can ? 0 : -1;
}

enum tsh_query_value_kind tsh_query_kind_of(const struct tsh_query *q, struct tsh_decoder *decoder,
					    const struct tsh_event_format *format,
					    unsigned int long_size)
{
	struct tsh_strlist words = { 0 };
	struct tsh_err ignored = { 0 };
	const struct query_binding to = { .format = format, .decoder = decoder,
					  .long_size = long_size, .unknown = &words, .fields = &q->fields,
					  .err = &ignored };
	struct bound_value *v = query_bind_value(q->node, &to);
	enum tsh_query_value_kind kind = TSH_QUERY_VALUE_UNKNOWN;

	if (v && v->bound)
		kind = !v->is_number ? TSH_QUERY_VALUE_TEXT :
		       v->is_time    ? TSH_QUERY_VALUE_TIME :
				       TSH_QUERY_VALUE_NUMBER;
	query_value_free(v);
	tsh_strlist_release(&words);
	tsh_err_release(&ignored);
	return kind;
}

/* Returns the term that a part of a split came from. */
static const struct tsh_query_node *term_of(const struct tsh_query *q, size_t part)
{
	bool is_and = q->node->kind == TSH_QUERY_BINARY && q->node->op == TSH_QUERY_AND;

	return is_and ? q->node->arg[part] : q->node;
}

/* Drops the kernel's filter when a term on comm has to be evaluated here, because names of tasks
 * are learnt from every event. */
static void drop_filter_for_comm(const struct tsh_query *q, struct tsh_query_split *split)
{
	size_t i;

	for (i = 0; i < split->parts.n; i++)
		if (split->parts.v[i].why && names_comm(term_of(q, i)))
			break;
	if (i == split->parts.n)
		return;
	tsh_strbuf_clear(&split->filter);
	for (i = 0; i < split->parts.n; i++)
		if (!split->parts.v[i].why)
			split->parts.v[i].why = "the names of tasks (comm) are learnt from all events";
}

int tsh_query_split(const struct tsh_query *q, struct tsh_decoder *decoder,
		    const struct tsh_event_format *format, unsigned int long_size,
		    struct tsh_query_split *ret, struct tsh_err *err)
{
	struct tsh_strlist words = { 0 };
	const struct query_binding to = { .format = format, .decoder = decoder,
					  .long_size = long_size, .unknown = &words, .fields = &q->fields,
					  .err = err };
	struct bound *b = query_bind(q->node, &to);

	if (b)
		query_split(q->node, b, ret);
	query_bound_free(b);
	tsh_strlist_release(&words);
	if (q->uses_comm)
		drop_filter_for_comm(q, ret);
	return b ? 0 : -1;
}

/* Binds the expression to an event that was not seen before. */
static struct bound_event *bind(struct tsh_query *q, struct tsh_decoder *decoder,
				const struct tsh_event_format *format,
				const struct tsh_page_layout *layout)
{
	struct bound_event *event = tsh_xcalloc(1, sizeof(*event));
	struct tsh_err err = { 0 };
	const struct query_binding to = { .format = format, .decoder = decoder,
					  .long_size = layout->long_size,
					  .unknown = &q->account.words, .fields = &q->fields,
					  .err = &err };

	event->format = format;
	if (!bind_either(q, &to, event) && !q->account.refused)
		q->account.refused = tsh_xasprintf("%s:%s: %s", format->system, format->name,
						   err.message);
	tsh_err_release(&err);
	if (event->bound && filtered_place(q, format->id) < q->filtered.n)
		event->bound = query_replace_comm(event->bound, &event->comm);
	return event;
}

static const struct bound_event *__attribute__((noinline))
find_new(struct tsh_query *q, struct tsh_decoder *decoder, const struct tsh_event_format *format,
	 const struct tsh_page_layout *layout)
{
	struct bound_event **event;

	while (q->events.n <= format->id)
		*tsh_vec_push(&q->events) = NULL;
	event = &q->events.v[format->id];
	/* the id may have belonged to another event */
	if (*event && (*event)->format != format) {
		free_bound(*event);
		*event = NULL;
	}
	if (!*event)
		*event = bind(q, decoder, format, layout);
	return *event;
}

static inline const struct bound_event *find_bound(struct tsh_query *q, struct tsh_decoder *decoder,
						   const struct tsh_event_format *format,
						   const struct tsh_page_layout *layout)
{
	const struct bound_event *event = format->id < q->events.n ? q->events.v[format->id] : NULL;

	return event && event->format == format ? event : find_new(q, decoder, format, layout);
}

static void __attribute__((noinline)) set_delta(struct tsh_query *q, int pid)
{
	struct query_run *run = &q->run;
	uint64_t stamp = run->rec->stamp, birth = tsh_decoder_birth(run->decoder, pid);

	/* forgets all tasks, because the last event of any task may be lost */
	if (q->losses != tsh_decoder_losses(run->decoder))
		query_deltas_release(&q->deltas);
	q->losses = tsh_decoder_losses(run->decoder);
	/* the previous event may be one that was not recorded */
	run->has_delta = tsh_decoder_is_whole(run->decoder, pid) && (q->stamps_are_ns ||
			  query_wall(run, (int64_t *)&stamp)) &&
			 query_deltas_next(&q->deltas, pid, birth, run->rec->cpu, stamp, &run->delta);
}

/* Prepares q->run for a record. Returns NULL when its event is not known. */
static inline const struct bound_event *prepare(struct tsh_query *q, struct tsh_decoder *decoder,
					 const struct tsh_page_layout *layout,
					 const struct tsh_record *rec, bool sees)
{
	const struct tsh_event_format *format;
	struct query_run *run = &q->run;
	struct tsh_common common;
	bool damaged;

	format = tsh_decoder_begin_record(decoder, rec, &common, &damaged);
	q->account.asked++;
	run->decoder = decoder;
	run->rec = rec;
	run->big_endian = layout->big_endian;
	if (q->uses_delta && sees && !damaged)
		set_delta(q, common.pid);
	if (!format)
		return NULL;
	run->pid = common.pid;
	return find_bound(q, decoder, format, layout);
}

void tsh_query_observe(struct tsh_query *q, struct tsh_decoder *decoder, const struct tsh_page_layout *layout,
		       const struct tsh_record *rec)
{
	(void)prepare(q, decoder, layout, rec, true);
	q->account.asked--;
}

void tsh_query_set_observes_all(struct tsh_query *q)
{
	q->observes_all = true;
}

bool tsh_query_match(struct tsh_query *q, struct tsh_decoder *decoder,
		     const struct tsh_page_layout *layout, const struct tsh_record *rec)
{
	const struct bound_event *event = prepare(q, decoder, layout, rec, !q->observes_all);
	enum query_truth truth = QUERY_UNKNOWN;

	/* most events have none of the fields */
	if (event && event->bound)
		truth = event->bound->code == BOUND_CONST ? event->bound->truth : query_eval(event->bound, &q->run);
	q->account.unknown += truth == QUERY_UNKNOWN;
	if (truth == QUERY_YES && event->comm)
		tsh_decoder_set_comm(decoder, q->run.pid, event->comm);
	return truth == QUERY_YES;
}

void tsh_query_value(struct tsh_query *q, struct tsh_decoder *decoder,
		     const struct tsh_page_layout *layout, const struct tsh_record *rec,
		     struct tsh_query_value *ret)
{
	const struct bound_event *event = prepare(q, decoder, layout, rec, !q->observes_all);

	*ret = (struct tsh_query_value){ 0 };
	if (event && event->value)
		query_eval_value(event->value, &q->run, ret);
	q->account.unknown += ret->kind == TSH_QUERY_VALUE_UNKNOWN;
}

const struct tsh_query_account *tsh_query_account(struct tsh_query *q)
{
	q->account.divisions = q->run.divisions;
	return &q->account;
}
