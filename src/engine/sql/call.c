/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sql.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/now.h"
#include "call/resolve.h"
#include "engine/aggregate/internal.h"
#include "engine/pair/rows.h"
#include "session/cmd.h"

/* A statement in the words of hist and stream; each byte of them knows its place in it. */

struct calling {
	const struct sql_query *q;
	struct tsh_call *call;
	struct tsh_err *err;
};

/* ---- arguments ---- */

static const struct tsh_arg *find_arg(const struct tsh_cmd *cmd, const char *name,
				      const char *clause)
{
	const struct tsh_arg *arg;

	for (arg = cmd->args; arg->name; arg++)
		if (!strcmp(arg->name, name) &&
		    (!clause || (arg->clause && !strcmp(arg->clause, clause))))
			return arg;
	return NULL;
}

/* Takes the word. A clause tells apart arguments of one name. */
static struct tsh_value *add_word(const struct calling *c, const char *name, const char *clause,
				  struct tsh_word *word)
{
	struct tsh_value *value = tsh_vec_push(&c->call->args);

	value->arg = find_arg(c->call->cmd, name, clause);
	value->word = *word;
	*word = (struct tsh_word){ 0 };
	return value;
}

static struct tsh_value *add_text(const struct calling *c, const char *name, const char *clause,
				  const char *text, struct tsh_span place)
{
	struct sql_text made = { .text = TSH_STRBUF_INIT };
	struct tsh_word word;

	sql_text_add(c->q, &made, text, place.begin);
	sql_text_finish(c->q, &made, &word);
	word.span = sql_place(c->q, place);
	return add_word(c, name, clause, &word);
}

/* An option of sql's that the other command has, too. */
static void copy_option(const struct calling *c, const char *name)
{
	const struct tsh_value *from = tsh_args_get(&c->q->call->args, name);
	struct tsh_value *to;

	if (!from || !find_arg(c->call->cmd, name, NULL))
		return;
	to = tsh_vec_push(&c->call->args);
	to->arg = find_arg(c->call->cmd, name, NULL);
	to->word.text = tsh_xstrdup(from->word.text);
	to->word.len = from->word.len;
	to->word.span = from->word.span;
	to->number = from->number;
}

/* -n and LIMIT: how many rows. */
static void add_limit(const struct calling *c, const char *name)
{
	const struct tsh_value *n = tsh_args_get(&c->q->call->args, "N");
	uint64_t limit = c->q->sql.limit;
	struct tsh_value *to;
	char *text;

	if (!n && !limit)
		return;
	if (n && (!limit || n->number < limit))
		limit = n->number;
	text = tsh_xasprintf("%llu", (unsigned long long)limit);
	to = add_text(c, name, NULL, text, c->q->sql.limit_span);
	to->number = limit;
	free(text);
}

static void begin_call(const struct calling *c, const char *command)
{
	static const char *const options[] = { "TIME", "EVERY", "in-kernel" };
	size_t i;

	*c->call = (struct tsh_call){ .cmd = tsh_cmd_among(c->q->session->commands, command) };
	c->call->args.command = c->q->call->args.command;
	c->call->args.whole = c->q->call->args.whole;
	for (i = 0; i < sizeof(options) / sizeof(options[0]); i++)
		copy_option(c, options[i]);
}

static void add_event(const struct calling *c, const struct tsh_event *event)
{
	char *name = tsh_xasprintf("%s:%s", event->system, event->name);

	add_text(c, "EVENT", NULL, name, c->q->sql.from.span);
	free(name);
}

/* ---- hist ---- */

/* Lists what CAST makes of a field: a modifier of ours, or the task's name. */
static const struct cast {
	const char *type;
	const char *suffix;
	bool is_name; /* of the task's number only */
} casts[] = {
	{ "hex", ".hex", false },	{ "sym", ".sym", false },
	{ "sym-offset", ".sym_offset", false }, { "syscall", ".syscall", false },
	{ "execname", NULL, true },	{ "comm", NULL, true },
	{ "log", ".log2", false },	{ "log2", ".log2", false },
	{ "_counter_", NULL, false },	{ "__counter__", NULL, false },
};
#define CASTS "hex, sym, sym-offset, syscall, comm, log2, buckets=N, _COUNTER_"
#define BUCKETS "buckets="

static const struct cast *find_cast(const struct calling *c, const struct tsh_sql_item *item)
{
	size_t i;

	for (i = 0; i < sizeof(casts) / sizeof(casts[0]); i++)
		if (!strcmp(casts[i].type, item->word.text))
			return &casts[i];
	tsh_err_at(c->err, sql_place(c->q, item->word.span), "there is no type '%s'",
		   item->word.text);
	tsh_err_hint(c->err, "there are: " CASTS);
	return NULL;
}

static int find_field(const struct calling *c, const struct tsh_sql_name *name,
		      struct sql_field *ret)
{
	if (sql_find_field(c->q, name, ret, c->err) < 0)
		return -1;
	if (!ret->time)
		return 0;
	tsh_err_at(c->err, sql_place(c->q, name->span), "times are of a JOIN");
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

/* "buckets=100": steps of so many. */
static void add_buckets(const struct calling *c, const struct tsh_sql_item *item,
			const struct sql_field *field, struct sql_text *keys)
{
	const char *number = item->word.text + strlen(BUCKETS);

	sql_text_typed(c->q, keys, field->name, item->a.span.end - strlen(field->name));
	sql_text_add(c->q, keys, ".linear(", item->word.span.begin);
	sql_text_typed(c->q, keys, number, item->word.span.end - strlen(number));
	sql_text_add(c->q, keys, ")", item->word.span.end - 1);
}

static int add_cast(const struct calling *c, const struct tsh_sql_item *item,
		    const struct sql_field *field, struct sql_text *keys)
{
	const struct cast *cast;

	if (field->is_stack)
		return tsh_err_at(c->err, sql_place(c->q, item->a.span), "a stack has no CAST");
	if (!strncmp(item->word.text, BUCKETS, strlen(BUCKETS))) {
		add_buckets(c, item, field, keys);
		return 0;
	}
	cast = find_cast(c, item);
	if (!cast)
		return -1;
	if (cast->is_name && strcmp(field->name, "common_pid") != 0) {
		tsh_err_at(c->err, sql_place(c->q, item->a.span),
			   "only common_pid has a task's name");
		return -1;
	}
	/* of an event that has a comm of its own, which need not be the task's */
	if (cast->is_name)
		sql_text_add(c->q, keys, tsh_event_format_field(c->q->formats[0], "comm") ? "COMM" : "comm",
			     item->a.span.begin);
	else
		sql_text_typed(c->q, keys, field->name, item->a.span.end - strlen(field->name));
	if (cast->suffix)
		sql_text_add(c->q, keys, cast->suffix, item->word.span.begin);
	return 0;
}

static int add_key(const struct calling *c, const struct tsh_sql_item *item, struct sql_text *keys)
{
	struct sql_field a, b;

	if (find_field(c, &item->a, &a) < 0 || (item->b.text && find_field(c, &item->b, &b) < 0))
		return -1;
	if (keys->text.len)
		sql_text_add(c->q, keys, ",", item->span.begin);
	if (item->kind == TSH_SQL_CAST)
		return add_cast(c, item, &a, keys);
	if (a.is_stack && !item->b.text) {
		sql_text_add(c->q, keys, "stack", item->a.span.begin);
		return 0;
	}
	if (item->b.text)
		sql_text_add(c->q, keys, "(", item->span.begin);
	sql_text_typed(c->q, keys, a.name, item->a.span.end - strlen(a.name));
	if (!item->b.text)
		return 0;
	sql_text_add(c->q, keys, item->kind == TSH_SQL_ADD ? "+" : "-", item->span.begin);
	sql_text_typed(c->q, keys, b.name, item->b.span.end - strlen(b.name));
	sql_text_add(c->q, keys, ")", item->span.begin);
	return 0;
}

/* Whether the name in GROUP BY is this item's. */
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

/* What stands behind GROUP BY is what the rows are told apart by: the keys, no more and no less. */
static int check_group(const struct calling *c)
{
	const struct tsh_sql *sql = &c->q->sql;
	size_t i;

	for (i = 0; i < sql->group.n; i++) {
		if (is_selected(sql, &sql->group.v[i]))
			continue;
		tsh_err_at(c->err, sql_place(c->q, sql->group.v[i].span), "'%s' is not selected",
			   sql->group.v[i].text);
		tsh_err_hint(c->err, "rows are told apart by what is selected");
		return -1;
	}
	for (i = 0; sql->group.n && i < sql->items.n; i++)
		if (is_key(&sql->items.v[i]) && !is_in_group(sql, &sql->items.v[i]))
			return tsh_err_at(c->err, sql_place(c->q, sql->items.v[i].span),
					  "it is not in GROUP BY, and not summed up");
	return 0;
}

static int add_keys(const struct calling *c)
{
	struct sql_text keys = { .text = TSH_STRBUF_INIT };
	struct tsh_word word;
	size_t i;
	int r = 0;

	for (i = 0; !r && i < c->q->sql.items.n; i++)
		if (is_key(&c->q->sql.items.v[i]))
			r = add_key(c, &c->q->sql.items.v[i], &keys);
	if (!r && keys.text.len) {
		sql_text_finish(c->q, &keys, &word);
		add_word(c, "KEYS", NULL, &word);
	}
	tsh_strbuf_release(&keys.text);
	tsh_vec_release(&keys.from);
	return r;
}

static int add_values(const struct calling *c)
{
	size_t i;

	for (i = 0; i < c->q->sql.items.n; i++) {
		const struct tsh_sql_item *item = &c->q->sql.items.v[i];
		const char *clause = is_counter(item) ? "sum" : item->word.text;
		struct sql_field field;

		if (item->kind != TSH_SQL_VALUE && !is_counter(item))
			continue;
		if (find_field(c, &item->a, &field) < 0)
			return -1;
		if (tsh_args_count(&c->call->args, "FIELD") == BY_VALUES)
			return tsh_err_at(c->err, sql_place(c->q, item->span),
					  "there can be %d sums and the like", BY_VALUES);
		add_text(c, "FIELD", clause, field.name, item->a.span);
	}
	return 0;
}

/* Columns are called as the statement calls them. */
static void set_titles(const struct calling *c)
{
	const struct tsh_sql *sql = &c->q->sql;
	struct tsh_by *by = c->call->by;
	size_t i, key = 0, value = 0;

	for (i = 0; i < sql->items.n; i++) {
		const struct tsh_sql_item *item = &sql->items.v[i];
		struct by_item *to = NULL;

		if (is_key(item))
			to = &by->keys[key++];
		/* the statement outlives what is counted for it */
		else if (item->kind == TSH_SQL_VALUE || is_counter(item))
			by->values[value++].column = item->label.text;
		else if (item->kind == TSH_SQL_COUNT)
			by->count_column = item->label.text;
		if (!to || !item->label.text)
			continue;
		free(to->title);
		to->title = tsh_xstrdup(item->label.text);
	}
}

static int add_filter(const struct calling *c)
{
	struct tsh_word filters[LATENCY_ROLES];
	int r = sql_filters(c->q, filters, c->err);

	if (!r && filters[0].text)
		add_word(c, "FILTER", "if", &filters[0]);
	tsh_word_release(&filters[0]);
	tsh_word_release(&filters[1]);
	return r;
}

static int refuse_all(const struct calling *c, const struct tsh_sql_item *item)
{
	tsh_err_at(c->err, sql_place(c->q, item->span), "* stands alone");
	tsh_err_hint(c->err, "SELECT * prints the events; fields are counted");
	return -1;
}

int sql_call(const struct sql_query *q, struct tsh_call *ret, struct tsh_err *err)
{
	const struct calling c = { .q = q, .call = ret, .err = err };
	bool all = q->sql.items.v[0].kind == TSH_SQL_ALL;
	size_t i;

	begin_call(&c, all ? "stream" : "hist");
	for (i = 0; i < q->sql.items.n; i++)
		if (q->sql.items.n > 1 && q->sql.items.v[i].kind == TSH_SQL_ALL)
			return refuse_all(&c, &q->sql.items.v[i]);
	add_limit(&c, all ? "N" : "TOP");
	add_event(&c, q->events);
	if (check_group(&c) < 0 || (!all && (add_keys(&c) < 0 || add_values(&c) < 0)) ||
	    add_filter(&c) < 0 || tsh_cmd_resolve(q->session, ret, err) < 0)
		return -1;
	if (!all)
		set_titles(&c);
	return 0;
}

/* ---- stream ---- */

static bool is_time(const struct synth_operand *operand, enum latency_role role)
{
	return operand->role == role && operand->name && !strncmp(operand->name, SYNTH_TIME, strlen(SYNTH_TIME));
}

/*
 * Appends "ns < 12345": no pair can be longer than the machine is up, nearly. The kernel makes such where another CPU is
 * just writing the START of the same key: its time is later than that of the END, or not there yet.
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

int sql_stream(const struct sql_query *q, const struct synth_plan *plan, struct tsh_call *ret,
	       struct tsh_err *err)
{
	const struct calling c = { .q = q, .call = ret, .err = err };
	const struct tsh_event event = { .system = (char *)"synthetic",
					 .name = (char *)plan->name };
	struct tsh_strbuf columns = TSH_STRBUF_INIT, possible = TSH_STRBUF_INIT;
	size_t i;

	begin_call(&c, "stream");
	add_limit(&c, "N");
	add_event(&c, &event);
	add_possible(plan, &possible);
	if (possible.len)
		add_text(&c, "FILTER", "if", possible.buf, q->word->span);
	tsh_strbuf_release(&possible);
	tsh_strbuf_adds(&columns, "time");
	for (i = 0; i < plan->fields.n; i++)
		tsh_strbuf_addf(&columns, ",%s", plan->fields.v[i].name);
	add_text(&c, "FIELDS", NULL, columns.buf, q->word->span);
	tsh_strbuf_release(&columns);
	ret->of_all = !plan->spec.has_task;
	return tsh_cmd_resolve(q->session, ret, err);
}

/* ---- in words ---- */

char *sql_call_text(const struct tsh_call *call)
{
	struct tsh_strbuf text = TSH_STRBUF_INIT;
	size_t i;

	tsh_strbuf_adds(&text, tsh_call_name(call));
	for (i = 0; i < call->args.n; i++) {
		const struct tsh_value *value = &call->args.v[i];

		if (value->arg->option || value->arg->clause)
			tsh_strbuf_addf(&text, " %s",
					value->arg->option ? value->arg->option :
							     value->arg->clause);
		if (value->arg->type != TSH_ARG_FLAG)
			tsh_strbuf_addf(&text, " %s", value->word.text);
	}
	return tsh_strbuf_detach(&text);
}
