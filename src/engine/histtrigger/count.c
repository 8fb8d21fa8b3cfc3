/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "count.h"

#include <ctype.h>
#include <stdlib.h>

#include "engine/pipeline/own-stream.h"
#include "engine/pipeline/run.h"
#include "kernel/tracefs/errlog.h"
#include "session/event-format.h"
#include "session/filters.h"
#include "session/util.h"
#include "triggers.h"

/*
 * Runs hist --in-kernel: histogram triggers count (kernel/trace/trace_events_hist.c), in an
 * instance of the command's own, into whose buffer nothing is written. The kernel counts plain
 * numbers; ranges, names and functions are made of them here, as without --in-kernel.
 */

/* Limit the keys of a table: the kernel allocates all of it at once, some hundred bytes a key. */
#define SIZE_USUAL 8192
#define SIZE_LEAST 128
#define SIZE_MOST  131072

/* ---- what the kernel can count ---- */

static int refuse(const struct by_item *item, const char *why, struct tsh_err *err)
{
	tsh_err_at(err, item->span, "the kernel cannot count by that: %s", why);
	tsh_err_hint(err, "without --in-kernel it is counted here");
	return -1;
}

static bool is_name(const char *text, size_t len)
{
	size_t i;

	for (i = 0; i < len; i++)
		if (!isalnum((unsigned char)text[i]) && text[i] != '_')
			return false;
	return len && !isdigit((unsigned char)*text);
}

/* Returns why a field cannot be a key; NULL: it can. */
static const char *unfit(const struct tsh_field *field)
{
	const char *type = field->type;

	if (field->kind == TSH_FIELD_ARRAY || field->kind == TSH_FIELD_DYNAMIC)
		return "it is an array";
	/* filter_assign_type: the kernel would count the string that it points to */
	if (field->kind == TSH_FIELD_POINTER &&
	    (!strcmp(type, "char *") || !strcmp(type, "const char *")))
		return "it takes a pointer to characters for the characters";
	return NULL;
}

/* Returns the kernel's name of comm, pid or cpu, for an event without such a field; or NULL. */
static const char *property(const char *name, enum tsh_hist_kind *ret_kind)
{
	*ret_kind = TSH_HIST_NUMBER;
	if (!strcmp(name, "pid"))
		return "common_pid";
	if (!strcmp(name, "cpu") || !strcmp(name, "CPU"))
		return "common_cpu";
	if (strcmp(name, "comm") != 0 && strcmp(name, "COMM") != 0)
		return NULL;
	*ret_kind = TSH_HIST_COMM;
	return "common_pid.execname";
}

/* Finds the kernel's name of a key, and its kind. ret->name is freed with ret. */
static int resolve_key(const struct kernel_event *e, const struct by_item *item,
		       struct kernel_key *ret, enum tsh_hist_kind *ret_kind, struct tsh_err *err)
{
	const char *why;

	*ret_kind = TSH_HIST_NUMBER;
	if (item->modifier == BY_EVENT || item->modifier == BY_STACK) {
		ret->name = tsh_xstrdup(item->modifier == BY_EVENT ? "common_type" : "stacktrace");
		*ret_kind = item->modifier == BY_EVENT ? TSH_HIST_NUMBER : TSH_HIST_STACK;
		return 0;
	}
	if (!is_name(item->title, item->len))
		return refuse(item, "it is no field", err);
	ret->name = tsh_xstrndup(item->title, item->len);
	ret->field = tsh_event_format_field(e->format, ret->name);
	if (ret->field) {
		why = unfit(ret->field);
		*ret_kind = by_kernel_is_text(ret->field) ? TSH_HIST_TEXT : TSH_HIST_NUMBER;
		return why ? refuse(item, why, err) : 0;
	}
	why = property(ret->name, ret_kind);
	if (!why) {
		why = tsh_xasprintf("'%s:%s' has no such field", e->event.system, e->event.name);
		refuse(item, why, err);
		free((char *)why);
		return -1;
	}
	free(ret->name);
	ret->name = tsh_xstrdup(why);
	return 0;
}

static int resolve_value(const struct count_spec *spec, struct kernel_event *e, size_t value, struct tsh_err *err)
{
	const struct by_item *item = &spec->values[value];
	const struct tsh_field *field;

	if (spec->kinds[value] > 1)
		return refuse(item, "its histograms have sums, and no min or max", err);
	field = is_name(item->title, item->len) ? tsh_event_format_field(e->format, item->title) : NULL;
	if (!field)
		return refuse(item, "it is no field of each event", err);
	if (field->kind != TSH_FIELD_INT)
		return refuse(item, "it is no number", err);
	if (field->is_network && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__)
		return refuse(item, "it would add numbers whose bytes are in the order of the network", err);
	e->values[value] = field;
	return 0;
}

static int resolve_event(struct tsh_session *s, const struct count_spec *spec, struct kernel_event *e,
			 struct tsh_err *err)
{
	size_t i;

	if (tsh_trigger_lacks_hist(s->in, &e->event)) {
		tsh_err_set(err, TSH_ENVIRONMENT, "this kernel has no histograms");
		tsh_err_hint(err, "it was built without CONFIG_HIST_TRIGGERS; without --in-kernel "
				  "it is counted here");
		return -1;
	}
	e->format = tsh_event_format_read(s->in, &e->event);
	if (!e->format)
		return tsh_err_set(err, TSH_FAILED, "the format of '%s:%s' cannot be read",
				   e->event.system, e->event.name);
	for (i = 0; i < spec->nkeys; i++) {
		if (resolve_key(e, &spec->keys[i], &e->keys[i], &e->shape.keys[i].kind, err) < 0)
			return -1;
		e->shape.keys[i].name = e->keys[i].name;
	}
	for (i = 0; i < spec->nvalues; i++)
		if (resolve_value(spec, e, i, err) < 0)
			return -1;
	e->shape.nkeys = spec->nkeys;
	e->shape.nvalues = spec->nvalues;
	return 0;
}

/* Lists arguments that a histogram of the kernel has no use for, or cannot do. */
static const struct by_refused_arg not_with[] = {
	{ "here", "the histogram has an instance of its own", NULL },
	{ "TASK", "a histogram follows no children", "as in: if common_pid == 1234" },
	{ "LIST", "a histogram is of all CPUs", "as in: if CPU == 0" },
	{ "SIZE", "nothing is written into a buffer", NULL },
	{ "EXPR", "a question of where is answered here", "the kernel takes 'if FILTER'" },
	{ 0 }
};

int by_kernel_refuse(const struct tsh_call *call, const struct by_refused_arg *v, struct tsh_err *err)
{
	for (; v->name; v++) {
		const struct tsh_value *value = tsh_args_get(&call->args, v->name);

		if (!value)
			continue;
		tsh_err_at(err, value->word.span, "not in the kernel: %s", v->why);
		if (v->hint)
			tsh_err_hint(err, "%s", v->hint);
		return -1;
	}
	return 0;
}

int by_kernel_resolve(struct tsh_session *s, struct tsh_call *call, struct tsh_err *err)
{
	const struct tsh_value *option = tsh_args_get(&call->args, "in-kernel");
	struct tsh_by *by = tsh_by_of(call);
	struct by_kernel *k;
	size_t i;

	if (by_kernel_refuse(call, not_with, err) < 0)
		return -1;
	if (!by->spec.events->n) {
		tsh_err_at(err, call->args.command,
			   "the kernel counts events that come: EVENT is missing");
		tsh_err_hint(err, "%s --in-kernel EVENT.. by KEYS", tsh_call_name(call));
		return -1;
	}
	k = by->kernel = tsh_xcalloc(1, sizeof(*k));
	by->engine = &by_kernel_engine;
	k->n = by->spec.events->n;
	k->events = tsh_xcalloc(k->n, sizeof(*k->events));
	for (i = 0; i < k->n; i++) {
		k->events[i].event = by->spec.events->v[i];
		if (s->dir && resolve_event(s, &by->spec, &k->events[i], err) < 0) {
			if (option)
				tsh_err_blame(err, option->word.span);
			return -1;
		}
	}
	return 0;
}

/* ---- its triggers ---- */

static uint64_t map_size(const struct count_spec *spec)
{
	if (!spec->size)
		return SIZE_USUAL;
	return spec->size < SIZE_LEAST ? SIZE_LEAST : spec->size > SIZE_MOST ? SIZE_MOST : spec->size;
}

/* Appends "hist:keys=a,b:vals=c:size=8192". ret_keys: where each key begins. */
static void add_trigger(const struct count_spec *spec, const struct kernel_event *e, struct tsh_strbuf *to,
			size_t *ret_keys)
{
	size_t i;

	tsh_strbuf_adds(to, "hist:keys=");
	for (i = 0; i < spec->nkeys; i++) {
		tsh_strbuf_adds(to, i ? "," : "");
		ret_keys[i] = to->len;
		tsh_strbuf_adds(to, e->keys[i].name);
	}
	for (i = 0; i < spec->nvalues; i++)
		tsh_strbuf_addf(to, "%s%s", i ? "," : ":vals=", e->values[i]->name);
	tsh_strbuf_addf(to, ":size=%llu", (unsigned long long)map_size(spec));
}

/* Makes err, which blames a place in the trigger, blame the words of the command from which that
 * place was made. */
static void convert_span(const struct tsh_by *by, const struct tsh_call *call, const size_t *keys,
			 size_t filter_at, struct tsh_err *err)
{
	const struct tsh_value *filter = tsh_filters_value(call);
	struct tsh_span at = err->span, place = call->args.command;
	size_t i;

	if (filter && at.end > at.begin && at.begin >= filter_at)
		place = at.end - filter_at <= filter->word.len ?
				tsh_word_span(&filter->word, at.begin - filter_at, at.end - filter_at) :
				filter->word.span;
	else
		for (i = 0; i < by->spec.nkeys; i++)
			if (at.end > at.begin && at.begin >= keys[i] && by->spec.keys[i].span.end)
				place = by->spec.keys[i].span;
	tsh_err_blame(err, place);
}

static int write_trigger(struct by_kernel *k, const struct tsh_by *by, struct kernel_event *e,
			 const char *text, const size_t *keys, size_t filter_at,
			 struct tsh_err *err)
{
	char *path = tsh_event_path(&e->event, "trigger"), *mark = tsh_errlog_mark(k->in);
	int r = tsh_file_write(k->in, path, TSH_WRITE_ADD, text, err);

	if (r < 0 && tsh_errlog_explain(k->in, mark, "the histogram", text, err))
		convert_span(by, k->call, keys, filter_at, err);
	else if (r < 0)
		tsh_err_blame(err, k->call->args.command);
	else
		e->trigger = tsh_xstrdup(text);
	free(mark);
	free(path);
	return r < 0 ? -1 : 0;
}

static const char pausing[] = ":pause", going_on[] = ":cont";

/* Appends the trigger with its filter. Returns where the user's filter begins in it. */
static size_t make_trigger(struct tsh_session *s, const struct tsh_by *by,
			   const struct kernel_event *e, const struct tsh_call *call,
			   struct tsh_instance *in, bool paused, struct tsh_strbuf *to, size_t *ret_keys)
{
	const struct tsh_value *filter = tsh_filters_value(call);
	struct tsh_strbuf all = TSH_STRBUF_INIT;
	size_t filter_at;

	add_trigger(&by->spec, e, to, ret_keys);
	tsh_strbuf_adds(to, paused ? pausing : "");
	tsh_strbuf_adds(&all, filter ? filter->word.text : "");
	tsh_own_hist_filter(s, in, &e->event, &all);
	filter_at = to->len + strlen(" if ") + (all.len > (filter ? filter->word.len : 0));
	if (all.len)
		tsh_strbuf_addf(to, " if %s", all.buf);
	tsh_strbuf_release(&all);
	return filter_at;
}

static int add_event(struct by_kernel *k, const struct tsh_by *by, struct kernel_event *e,
		     struct tsh_err *err)
{
	size_t keys[TSH_TALLY_PARTS_MAX] = { 0 };
	struct tsh_strbuf text = TSH_STRBUF_INIT;
	size_t filter_at = make_trigger(k->session, by, e, k->call, k->in, k->n > 1, &text, keys);
	int r = write_trigger(k, by, e, text.buf, keys, filter_at, err);

	tsh_strbuf_release(&text);
	return r;
}

char *by_kernel_trigger(struct tsh_session *s, const struct tsh_call *call, size_t event)
{
	size_t keys[TSH_TALLY_PARTS_MAX] = { 0 };
	struct tsh_strbuf text = TSH_STRBUF_INIT;
	struct tsh_by *by = tsh_by_of(call);

	make_trigger(s, by, &by->kernel->events[event], call, s->in, false, &text, keys);
	return tsh_strbuf_detach(&text);
}

/* Continues a trigger that was made paused: it counts from now on. */
static int continue_trigger(struct by_kernel *k, const struct kernel_event *e, struct tsh_err *err)
{
	const char *at = strstr(e->trigger, pausing);
	char *path = tsh_event_path(&e->event, "trigger");
	char *text = tsh_xasprintf("%.*s%s%s", (int)(at - e->trigger), e->trigger, going_on, at + strlen(pausing));
	int r = tsh_file_write(k->in, path, TSH_WRITE_ADD, text, err);

	free(text);
	free(path);
	return r < 0 ? -1 : 0;
}

/*
 * Makes the triggers (.started of struct tsh_stream_spec). Making one takes long: several are made
 * paused, and begin together.
 */
static int start(void *ctx, struct tsh_err *err)
{
	const struct tsh_by *by = ctx;
	size_t i;

	for (i = 0; i < by->kernel->n; i++)
		if (add_event(by->kernel, by, &by->kernel->events[i], err) < 0)
			return -1;
	for (i = 0; by->kernel->n > 1 && i < by->kernel->n; i++)
		if (continue_trigger(by->kernel, &by->kernel->events[i], err) < 0)
			return -1;
	return 0;
}

/* Removes the triggers. Removing the instance would remove them as well, but not while another
 * program uses the instance. */
static void stop(struct by_kernel *k)
{
	size_t i;

	for (i = k->n; i-- > 0;) {
		struct kernel_event *e = &k->events[i];
		struct tsh_err ignored = { 0 };
		char *path = tsh_event_path(&e->event, "trigger");
		char *text = e->trigger ? tsh_xasprintf("!%s", e->trigger) : NULL;

		if (text && tsh_file_write(k->in, path, TSH_WRITE_ADD, text, &ignored) < 0)
			tsh_err_release(&ignored);
		free(e->trigger);
		e->trigger = NULL;
		free(text);
		free(path);
	}
}

static int run(void *ctx, struct tsh_own_stream *own, struct tsh_err *err)
{
	const struct tsh_call *call = ctx;
	struct tsh_by *by = tsh_by_of(call);
	struct by_kernel *k = by->kernel;
	struct tsh_stream_spec f = {
		.in = own->in, .source = own->source, .max_ns = tsh_args_number(&call->args, "TIME"),
		.started = start, .started_ctx = by,
	};
	int r;

	k->session = own->session;
	k->call = call;
	k->in = own->in;
	tsh_by_push(by, &f);
	r = tsh_print_stream(own->session, &f, err);
	stop(k);
	k->in = NULL;
	return r;
}

int by_kernel_run(struct tsh_session *s, const struct tsh_call *call, struct tsh_err *err)
{
	struct tsh_own_stream own = { .session = s, .run = run, .ctx = (void *)(uintptr_t)call };

	return tsh_own_stream_run(&own, err);
}
