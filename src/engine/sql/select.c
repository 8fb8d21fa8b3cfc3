/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sql.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/now.h"
#include "call/resolve.h"
#include "engine/histtrigger/count.h"
#include "session/commands.h"
#include "session/filters.h"

/* Reads statements about one event: what hist counts, or what stream prints. */

struct selecting {
	const struct sql_query *q;
	struct tsh_call *call;
	struct count_spec *spec;	/* the call's spec if events are counted; otherwise NULL */
	struct tsh_err *err;
};

/* ---- what is counted ---- */

/* Lists the types of CAST: a modifier of a key, or the task's name. */
static const struct cast {
	const char *type;
	const char *suffix;
	bool is_name; /* of common_pid only */
} casts[] = {
	{ "hex", ".hex", false },	{ "sym", ".sym", false },
	{ "sym-offset", ".sym_offset", false }, { "syscall", ".syscall", false },
	{ "execname", NULL, true },	{ "comm", NULL, true },
	{ "log", ".log2", false },	{ "log2", ".log2", false },
	{ "_counter_", NULL, false },	{ "__counter__", NULL, false },
};
#define CASTS "hex, sym, sym-offset, syscall, comm, log2, buckets=N, _COUNTER_"
#define BUCKETS "buckets="

static const struct cast *find_cast(const struct selecting *c, const struct tsh_sql_item *item)
{
	size_t i;

	for (i = 0; i < sizeof(casts) / sizeof(casts[0]); i++)
		if (!strcmp(casts[i].type, item->word.text))
			return &casts[i];
	tsh_err_at(c->err, sql_span_in_line(c->q, item->word.span), "there is no type '%s'",
		   item->word.text);
	tsh_err_hint(c->err, "there are: " CASTS);
	return NULL;
}

static int find_field(const struct selecting *c, const struct tsh_sql_name *name,
		      struct sql_field *ret)
{
	if (sql_find_field(c->q, name, ret, c->err) < 0)
		return -1;
	if (!ret->time)
		return 0;
	tsh_err_at(c->err, sql_span_in_line(c->q, name->span), "times are of a JOIN");
	tsh_err_hint(c->err,
		     "SELECT (b.TIMESTAMP - a.TIMESTAMP) AS lat FROM START AS a JOIN END AS b "
		     "ON a.FIELD = b.FIELD");
	return -1;
}

static bool is_counter(const struct tsh_sql_item *item)
{
	return item->kind == TSH_SQL_CAST &&
	       (!strcmp(item->word.text, "_counter_") || !strcmp(item->word.text, "__counter__"));
}

static bool is_key(const struct tsh_sql_item *item)
{
	return item->kind == TSH_SQL_FIELD || item->kind == TSH_SQL_ADD ||
	       item->kind == TSH_SQL_SUBTRACT || (item->kind == TSH_SQL_CAST && !is_counter(item));
}

/* Returns a text as a clause that is blamed at a place of the statement. */
static struct tsh_value clause_at(const struct selecting *c, const char *text, struct tsh_span place)
{
	return (struct tsh_value){ .word = { .text = (char *)text, .len = strlen(text),
					     .span = sql_span_in_line(c->q, place) } };
}

/* Returns the place of a field, without the event's name before it. */
static struct tsh_span place_of(const struct tsh_sql_name *name, const struct sql_field *field)
{
	return (struct tsh_span){ name->span.end - strlen(field->name), name->span.end };
}

/* Checks that the event has a field; the error blames it alone. */
static int check_field(const struct selecting *c, const struct tsh_sql_name *name, const struct sql_field *field)
{
	const struct tsh_value clause = clause_at(c, field->name, place_of(name, field));
	struct by_item item = { 0 };
	int r = count_parse_item(c->q->session, c->call, &clause, 0, clause.word.len, NULL, &item, c->err);

	by_free_item(&item);
	return r;
}

/* Appends the key that CAST makes of a field. */
static int add_cast(const struct selecting *c, const struct tsh_sql_item *item, const struct sql_field *field,
		    struct tsh_strbuf *to)
{
	const struct cast *cast;

	if (field->is_stack)
		return tsh_err_at(c->err, sql_span_in_line(c->q, item->a.span), "a stack has no CAST");
	if (!strncmp(item->word.text, BUCKETS, strlen(BUCKETS))) {
		tsh_strbuf_addf(to, "%s.linear(%s)", field->name, item->word.text + strlen(BUCKETS));
		return check_field(c, &item->a, field);
	}
	cast = find_cast(c, item);
	if (!cast)
		return -1;
	if (cast->is_name && strcmp(field->name, "common_pid") != 0)
		return tsh_err_at(c->err, sql_span_in_line(c->q, item->a.span), "only common_pid has a task's name");
	/* an event may have a field comm, which is another task's name */
	if (cast->is_name)
		tsh_strbuf_adds(to, tsh_event_format_field(c->q->formats[0], "comm") ? "COMM" : "comm");
	else
		tsh_strbuf_addf(to, "%s%s", field->name, cast->suffix ? cast->suffix : "");
	return 0;
}

/* Appends an item as a key of hist is written. *ret_place: the place that errors blame. */
static int make_key(const struct selecting *c, const struct tsh_sql_item *item, struct tsh_strbuf *to,
		    struct tsh_span *ret_place)
{
	struct sql_field a, b;

	if (find_field(c, &item->a, &a) < 0 || (item->b.text && find_field(c, &item->b, &b) < 0))
		return -1;
	*ret_place = place_of(&item->a, &a);
	if (item->kind == TSH_SQL_CAST) {
		if (!strncmp(item->word.text, BUCKETS, strlen(BUCKETS)))
			*ret_place = item->word.span;
		return add_cast(c, item, &a, to);
	}
	if (!item->b.text) {
		tsh_strbuf_adds(to, a.is_stack ? "stack" : a.name);
		return 0;
	}
	*ret_place = item->span;
	tsh_strbuf_addf(to, "(%s%c%s)", a.name, item->kind == TSH_SQL_ADD ? '+' : '-', b.name);
	return check_field(c, &item->a, &a) < 0 ? -1 : check_field(c, &item->b, &b);
}

/* Sets the name of a column to the item's label, if it has one. */
static void set_label(const struct tsh_sql_item *from, char **column)
{
	if (from->label.text)
		*column = tsh_xstrdup(from->label.text);
}

static int add_key(const struct selecting *c, const struct tsh_sql_item *item)
{
	struct tsh_strbuf text = TSH_STRBUF_INIT;
	struct tsh_value clause;
	struct tsh_span place;
	int r = make_key(c, item, &text, &place);

	if (!r) {
		clause = clause_at(c, text.buf, place);
		r = count_parse_keys(c->q->session, c->call, &clause, c->spec, c->err);
	}
	if (!r)
		set_label(item, &c->spec->keys[c->spec->nkeys - 1].column);
	tsh_strbuf_release(&text);
	return r;
}

static int add_value(const struct selecting *c, const struct tsh_sql_item *item)
{
	struct tsh_value clause;
	struct sql_field field;
	int r;

	if (find_field(c, &item->a, &field) < 0)
		return -1;
	if (c->spec->nvalues == BY_VALUES)
		return tsh_err_at(c->err, sql_span_in_line(c->q, item->span), "there can be %d sums and the like",
				  BY_VALUES);
	clause = clause_at(c, field.name, item->a.span);
	r = count_parse_value(c->q->session, c->call, is_counter(item) ? "sum" : item->word.text, &clause, c->spec,
			      c->err);
	set_label(item, &c->spec->values[c->spec->nvalues - 1].column);
	return r;
}

/* Says whether a name in GROUP BY is this item's. */
static bool is_called(const struct tsh_sql_item *item, const struct tsh_sql_name *name)
{
	return is_key(item) && (!strcmp(item->a.text, name->text) ||
				(item->label.text && !strcmp(item->label.text, name->text)));
}

static bool is_in_group(const struct tsh_sql *sql, const struct tsh_sql_item *item)
{
	size_t i;

	for (i = 0; i < sql->group.n; i++)
		if (is_called(item, &sql->group.v[i]))
			return true;
	return false;
}

static bool is_selected(const struct tsh_sql *sql, const struct tsh_sql_name *name)
{
	size_t i;

	for (i = 0; i < sql->items.n; i++)
		if (is_called(&sql->items.v[i], name))
			return true;
	return false;
}

/* Checks that GROUP BY names exactly the keys. */
static int check_group(const struct selecting *c)
{
	const struct tsh_sql *sql = &c->q->sql;
	size_t i;

	for (i = 0; i < sql->group.n; i++) {
		if (is_selected(sql, &sql->group.v[i]))
			continue;
		tsh_err_at(c->err, sql_span_in_line(c->q, sql->group.v[i].span), "'%s' is not selected",
			   sql->group.v[i].text);
		tsh_err_hint(c->err, "rows are told apart by what is selected");
		return -1;
	}
	for (i = 0; sql->group.n && i < sql->items.n; i++)
		if (is_key(&sql->items.v[i]) && !is_in_group(sql, &sql->items.v[i]))
			return tsh_err_at(c->err, sql_span_in_line(c->q, sql->items.v[i].span),
					  "it is not in GROUP BY, and not summed up");
	return 0;
}

/* Says whether each row has a member of that name, besides what is selected. */
static bool is_in_each_row(const struct selecting *c, const char *name, bool counts)
{
	return !strcmp(name, "type") || !strcmp(name, "key") || (!counts && !strcmp(name, "count")) ||
	       (c->spec->every && !strcmp(name, "seconds"));
}

/*
 * Checks that each name is that of one key, of one number, and of one label. counts: COUNT is
 * selected.
 */
static int check_columns(const struct selecting *c, bool counts)
{
	const struct tsh_sql_item *items = c->q->sql.items.v;
	const char *names[TSH_TALLY_PARTS_MAX + BY_VALUES + 1];
	size_t i, k, nkeys = 0, nvalues = 0;

	for (i = 0; i < c->q->sql.items.n; i++) {
		const struct tsh_sql_item *item = &items[i];
		bool is_other = false;

		names[i] = is_key(item) ? by_key_column(&c->spec->keys[nkeys++]) :
			   item->kind == TSH_SQL_COUNT ? by_count_column(tsh_by_of(c->call)) :
							 by_value_column(tsh_by_of(c->call), nvalues++);
		for (k = 0; k < i; k++)
			is_other |= !strcmp(names[i], names[k]) &&
				    (is_key(item) == is_key(&items[k]) || (item->label.text && items[k].label.text));
		if (!is_other && (is_key(item) || !is_in_each_row(c, names[i], counts)))
			continue;
		tsh_err_at(c->err, sql_span_in_line(c->q, item->label.text ? item->label.span : item->span),
			   "there is another '%s'", names[i]);
		tsh_err_hint(c->err, "AS gives one of them another name");
		return -1;
	}
	return 0;
}

static int add_items(const struct selecting *c)
{
	const struct tsh_sql *sql = &c->q->sql;
	bool counts = false;
	size_t i;

	for (i = 0; i < sql->items.n; i++) {
		const struct tsh_sql_item *item = &sql->items.v[i];

		if (item->kind == TSH_SQL_COUNT && counts)
			return tsh_err_at(c->err, sql_span_in_line(c->q, item->span), "COUNT is selected already");
		counts |= item->kind == TSH_SQL_COUNT;
		if (item->kind == TSH_SQL_COUNT)
			set_label(item, &c->spec->count_column);
		else if ((is_key(item) ? add_key(c, item) : add_value(c, item)) < 0)
			return -1;
	}
	if (check_columns(c, counts) < 0)
		return -1;
	if (!c->spec->nkeys)
		count_spec_use_event(c->spec);
	return 0;
}

static int count(struct selecting *c)
{
	c->spec = by_add_to_call(c->call, NULL);
	if (check_group(c) < 0 || count_parse_options(c->call, c->spec, c->err) < 0 || add_items(c) < 0)
		return -1;
	c->spec->top = sql_limit(c->q);
	return 0;
}

/* ---- one event ---- */

/* Limits the events that are printed: sets -n, or adds it. 0: no limit. */
static void set_events(struct tsh_call *call, uint64_t n)
{
	static const struct tsh_arg arg = { .name = "N", .option = "-n", .type = TSH_ARG_NUMBER };
	size_t i;

	for (i = 0; i < call->args.n && strcmp(call->args.v[i].arg->name, arg.name) != 0; i++)
		;
	if (i == call->args.n && n)
		tsh_vec_push(&call->args)->arg = &arg;
	if (n)
		call->args.v[i].number = n;
}

/* Adds the event to the arguments as a word with its full name. The user is not asked whether an
 * event that is named in full would flood the buffer. */
static void add_event(struct tsh_call *call, struct tsh_span span)
{
	static const struct tsh_arg arg = { .name = "EVENT", .type = TSH_ARG_EVENT };
	struct tsh_value *value = tsh_vec_push(&call->args);

	value->arg = &arg;
	value->word.text = tsh_xasprintf("%s:%s", call->events.v->system, call->events.v->name);
	value->word.len = strlen(value->word.text);
	value->word.span = span;
}

static int refuse_all(const struct selecting *c, const struct tsh_sql_item *item)
{
	tsh_err_at(c->err, sql_span_in_line(c->q, item->span), "* stands alone");
	tsh_err_hint(c->err, "SELECT * prints the events; fields are counted");
	return -1;
}

int sql_select(const struct sql_query *q, struct tsh_call *ret, struct tsh_err *err)
{
	struct selecting c = { .q = q, .call = ret, .err = err };
	bool all = q->sql.items.v[0].kind == TSH_SQL_ALL, in_kernel = tsh_args_has(&q->call->args, "in-kernel");
	struct tsh_span from = sql_span_in_line(q, q->sql.from.span);
	struct tsh_word filters[LATENCY_ROLES];
	uint64_t limit = sql_limit(q);
	size_t i;
	int r;

	for (i = 0; i < q->sql.items.n; i++)
		if (q->sql.items.n > 1 && q->sql.items.v[i].kind == TSH_SQL_ALL)
			return refuse_all(&c, &q->sql.items.v[i]);
	if (!all && count(&c) < 0)
		return -1;
	r = sql_filters(q, filters, err);
	/* moves the arguments: q->word is not valid any more */
	if (!r && filters[0].text)
		sql_add_filter(ret, &filters[0]);
	add_event(ret, from);
	if (all)
		set_events(ret, limit);
	tsh_word_release(&filters[0]);
	tsh_word_release(&filters[1]);
	if (r < 0 || tsh_filters_check(q->session, ret, err) < 0)
		return -1;
	return !all && in_kernel ? by_kernel_resolve(q->session, ret, err) : 0;
}

/* ---- stream ---- */

static bool is_time(const struct synth_operand *operand, enum latency_role role)
{
	return operand->role == role && operand->name && !strncmp(operand->name, SYNTH_TIME, strlen(SYNTH_TIME));
}

/*
 * Appends "ns < 12345", which leaves out pairs longer than 7/8 of the uptime. The kernel makes such
 * pairs while another CPU writes the START of the same key: its time is later than that of the END,
 * or not written yet.
 */
static void add_possible(const struct synth_plan *plan, struct tsh_strbuf *filter)
{
	uint64_t most = (uint64_t)tsh_now_ns(CLOCK_MONOTONIC) / 8 * 7;
	size_t i;

	for (i = 0; i < plan->fields.n; i++) {
		const struct synth_field *field = &plan->fields.v[i];

		if (field->op == '-' && is_time(&field->of[0], LATENCY_END) && is_time(&field->of[1], LATENCY_BEGIN))
			tsh_strbuf_addf(filter, "%s%s < %" PRIu64, filter->len ? " && " : "", field->name,
					strcmp(field->of[0].name, SYNTH_TIME) ? most / 1000 : most);
	}
}

/* Adds an argument of the call's command, and returns it. */
static struct tsh_value *add_word(struct tsh_call *call, const char *name, const char *text, struct tsh_span span)
{
	struct tsh_value *value = tsh_vec_push(&call->args);

	for (value->arg = tsh_cmd_args(call->cmd); strcmp(value->arg->name, name) != 0; value->arg++)
		;
	value->word = (struct tsh_word){ .text = tsh_xstrdup(text), .len = strlen(text), .span = span };
	return value;
}

int sql_stream(const struct sql_query *q, const struct synth_plan *plan, struct tsh_call *ret, struct tsh_err *err)
{
	const struct tsh_args *args = &q->call->args;
	const struct tsh_value *time = tsh_args_get(args, "TIME");
	struct tsh_word filter = { .span = q->word->span };
	struct tsh_strbuf text = TSH_STRBUF_INIT;
	size_t i;

	*ret = (struct tsh_call){ .cmd = tsh_cmd_find_in(q->session->commands, "stream"),
				  .includes_tracesh = !plan->spec.has_task,
				  .args = { .command = args->command, .whole = args->whole } };
	if (time)
		add_word(ret, "TIME", time->word.text, time->word.span)->number = time->number;
	set_events(ret, sql_limit(q));
	tsh_strbuf_addf(&text, "synthetic:%s", plan->name);
	add_word(ret, "EVENT", text.buf, sql_span_in_line(q, q->sql.from.span));
	tsh_strbuf_clear(&text);
	add_possible(plan, &text);
	filter.len = text.len;
	filter.text = text.len ? tsh_strbuf_detach(&text) : NULL;
	if (filter.text)
		sql_add_filter(ret, &filter);
	tsh_strbuf_adds(&text, "time");
	for (i = 0; i < plan->fields.n; i++)
		tsh_strbuf_addf(&text, ",%s", plan->fields.v[i].name);
	add_word(ret, "FIELDS", text.buf, q->word->span);
	tsh_strbuf_release(&text);
	return tsh_cmd_resolve(q->session, ret, err);
}

/* ---- in words ---- */

/* Says whether hist takes these sums and the like: one of each kind, in its own order. */
static bool are_of_hist(const struct count_spec *spec)
{
	size_t i;

	for (i = 1; i < spec->nvalues; i++)
		if (spec->kinds[i] <= spec->kinds[i - 1])
			return false;
	return true;
}

char *sql_select_text(const struct sql_query *q, const struct tsh_call *call)
{
	static const char *const options[] = { "TIME", "EVERY", "in-kernel" };
	const struct tsh_value *filter = tsh_filters_value(call);
	struct tsh_strbuf text = TSH_STRBUF_INIT;
	uint64_t limit = sql_limit(q);
	size_t i;

	if (tsh_by_of(call) && !are_of_hist(&tsh_by_of(call)->spec))
		return NULL;
	tsh_strbuf_adds(&text, tsh_by_of(call) ? "hist" : "stream");
	for (i = 0; i < (tsh_by_of(call) ? sizeof(options) / sizeof(options[0]) : 1); i++) {
		const struct tsh_value *value = tsh_args_get(&call->args, options[i]);

		if (value)
			tsh_strbuf_addf(&text, " %s", value->arg->option);
		if (value && value->arg->type != TSH_ARG_FLAG)
			tsh_strbuf_addf(&text, " %s", value->word.text);
	}
	if (limit)
		tsh_strbuf_addf(&text, " %s %" PRIu64, tsh_by_of(call) ? "--top" : "-n", limit);
	tsh_strbuf_addf(&text, " %s:%s", call->events.v[0].system, call->events.v[0].name);
	if (tsh_by_of(call))
		count_spec_append(&tsh_by_of(call)->spec, &text);
	if (filter)
		tsh_strbuf_addf(&text, " if %s", filter->word.text);
	return tsh_strbuf_detach(&text);
}
