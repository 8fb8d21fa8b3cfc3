/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "whole-calls.h"

#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "base/suggest.h"
#include "session/util.h"

enum call_kind { OTHER, ENTRY, EXIT };

/* Precedes each entry or return that is kept; the bytes of its record follow. */
struct item {
	uint64_t stamp;
	int cpu;
	uint32_t size;
	bool late;
};

/* Holds a task that is in a call. The idle task of each CPU is a task of its own, with its own
 * key. */
struct task {
	uint64_t key;
	int cpu;			/* CPU of its last event */
	int depth;			/* depth of the outermost function */
	bool is_open;
	bool is_wanted;
	uint64_t left_out;		/* entries and returns beyond the limits of memory */
	struct tsh_strbuf items;
};

/* Describes an event and its fields. */
struct shape {
	const struct tsh_event_format *format;
	enum call_kind kind;
	const struct tsh_field *func, *depth, *calltime, *rettime;
};

/* Caches whether a function is wanted. */
struct known {
	uint64_t func;
	bool is_wanted;
};

struct tsh_whole_calls {
	struct tsh_stage stage;		/* must be the first member */
	uint64_t slower, max;
	struct tsh_strlist names;
	TSH_VEC(struct known) known;	/* functions that were looked up so far */
	struct shape shapes[4];		/* formats of the events that came last */
	size_t next_shape;
	TSH_VEC(struct task) tasks;	/* sorted by key */
	size_t bytes;			/* size of all items */
	uint64_t calls, passed, torn;
	/* Describe the call that is passed on at present, so that the sink can read ahead in it. */
	struct tsh_ahead ahead;
	const struct tsh_strbuf *giving;
	size_t at;
};

struct tsh_whole_calls *tsh_whole_calls_new(uint64_t slower, uint64_t max, const struct tsh_strlist *names)
{
	struct tsh_whole_calls *calls = tsh_xcalloc(1, sizeof(*calls));
	size_t i;

	for (i = 0; i < names->n; i++)
		tsh_strlist_add(&calls->names, names->v[i]);

	calls->slower = slower;
	calls->max = max;
	return calls;
}

static void forget_tasks(struct tsh_whole_calls *calls)
{
	size_t i;

	for (i = 0; i < calls->tasks.n; i++)
		tsh_strbuf_release(&calls->tasks.v[i].items);
	tsh_vec_release(&calls->tasks);
	calls->bytes = 0;
}

void tsh_whole_calls_free(struct tsh_whole_calls *calls)
{
	if (!calls)
		return;
	forget_tasks(calls);
	tsh_strlist_release(&calls->names);
	tsh_vec_release(&calls->known);
	free(calls);
}

/* Says whether `max` calls were passed on. */
static bool is_done(const struct tsh_whole_calls *calls)
{
	return calls->max && calls->passed >= calls->max;
}

/* ---- kinds of events ---- */

static enum call_kind kind_of(const struct tsh_event_format *format)
{
	if (strcmp(format->system, "ftrace") != 0)
		return OTHER;
	if (!strcmp(format->name, "funcgraph_entry") ||
	    !strcmp(format->name, "fgraph_retaddr_entry"))
		return ENTRY;
	return !strcmp(format->name, "funcgraph_exit") ? EXIT : OTHER;
}

static const struct shape *shape_of(struct tsh_whole_calls *calls, unsigned int id)
{
	const struct tsh_event_format *format = tsh_decoder_format(calls->stage.stream->decoder, id);
	struct shape *shape;
	size_t i;

	if (!format)
		return NULL;
	for (i = 0; i < sizeof(calls->shapes) / sizeof(calls->shapes[0]); i++)
		if (calls->shapes[i].format == format)
			return &calls->shapes[i];
	shape = &calls->shapes[calls->next_shape++ % i];
	*shape = (struct shape){
		.format = format, .kind = kind_of(format),
		.func = tsh_event_format_field(format, "func"),
		.depth = tsh_event_format_field(format, "depth"),
		.calltime = tsh_event_format_field(format, "calltime"),
		.rettime = tsh_event_format_field(format, "rettime"),
	};
	return shape;
}

/* Returns the number in a field; 0: there is none. */
static uint64_t number_of(const struct tsh_whole_calls *calls, const struct tsh_field *field,
			  const struct tsh_record *rec)
{
	struct tsh_field_value value;

	if (!field)
		return 0;
	tsh_decoder_value(calls->stage.stream->decoder, field, rec, &value);
	return value.kind == TSH_VALUE_MISSING || value.kind == TSH_VALUE_STRING ||
			       value.kind == TSH_VALUE_ARRAY ?
		       0 :
		       value.u;
}

static bool has_name(struct tsh_whole_calls *calls, uint64_t func)
{
	struct tsh_strbuf name = TSH_STRBUF_INIT;
	bool has = false;
	size_t i;

	tsh_decoder_symbol_name(calls->stage.stream->decoder, func, &name);
	/* cut the module's name: "ext4_iget [ext4]" */
	name.buf[strcspn(name.buf, " ")] = '\0';
	for (i = 0; i < calls->names.n && !has; i++)
		has = tsh_glob_match(calls->names.v[i], name.buf);
	tsh_strbuf_release(&name);
	return has;
}

static bool is_wanted(struct tsh_whole_calls *calls, uint64_t func)
{
	size_t i;

	if (!calls->names.n)
		return true;
	for (i = 0; i < calls->known.n; i++)
		if (calls->known.v[i].func == func)
			return calls->known.v[i].is_wanted;
	*tsh_vec_push(&calls->known) = (struct known){ func, has_name(calls, func) };
	return calls->known.v[i].is_wanted;
}

/* ---- calls that are kept ---- */

static struct task *task_of(struct tsh_whole_calls *calls, int pid, int cpu)
{
	uint64_t key = pid ? (uint32_t)pid : UINT64_C(1) << 32 | (uint32_t)cpu;
	size_t from = 0, to = calls->tasks.n;

	while (from < to) {
		size_t middle = from + (to - from) / 2;

		if (calls->tasks.v[middle].key < key)
			from = middle + 1;
		else
			to = middle;
	}
	if (from < calls->tasks.n && calls->tasks.v[from].key == key)
		return &calls->tasks.v[from];
	tsh_vec_push(&calls->tasks);
	memmove(&calls->tasks.v[from + 1], &calls->tasks.v[from],
		(calls->tasks.n - 1 - from) * sizeof(*calls->tasks.v));
	calls->tasks.v[from] = (struct task){ .key = key, .items = TSH_STRBUF_INIT };
	return &calls->tasks.v[from];
}

/* Ends the call of a task. Frees the task when there are many, because tasks come and go. */
static void close_task(struct tsh_whole_calls *calls, struct task *task)
{
	calls->bytes -= task->items.len;
	task->is_open = false;
	if (calls->tasks.n > 256) {
		size_t i = (size_t)(task - calls->tasks.v);

		tsh_strbuf_release(&task->items);
		memmove(task, task + 1, (calls->tasks.n - 1 - i) * sizeof(*task));
		calls->tasks.n--;
		return;
	}
	tsh_strbuf_clear(&task->items);
}

static void drop_call(struct tsh_whole_calls *calls, struct task *task)
{
	calls->torn += task->is_wanted;
	close_task(calls, task);
}

/* Stores a record with the call of its task. Counts it in .left_out instead when the limits of
 * memory are reached, unless `must` is set. */
static void append_item(struct tsh_whole_calls *calls, struct task *task, const struct tsh_record *rec,
			bool late, bool must)
{
	const struct item item = { .stamp = rec->stamp, .cpu = rec->cpu, .size = rec->size,
				   .late = late };
	size_t size = sizeof(item) + rec->size;

	task->cpu = rec->cpu;
	if (!must && (task->items.len + size > TSH_WHOLE_CALLS_ONE_BYTES ||
		      calls->bytes + size > TSH_WHOLE_CALLS_BYTES)) {
		task->left_out++;
		return;
	}
	tsh_strbuf_add(&task->items, (const char *)&item, sizeof(item));
	tsh_strbuf_add(&task->items, (const char *)rec->data, rec->size);
	calls->bytes += size;
}

/* ---- calls that are passed on ---- */

/* Reads the item at offset `at`. Returns false at the end. */
static bool item_at(const struct tsh_strbuf *items, size_t at, struct item *ret,
		    struct tsh_record *ret_rec)
{
	if (at >= items->len)
		return false;
	memcpy(ret, items->buf + at, sizeof(*ret));
	*ret_rec = (struct tsh_record){
		.stamp = ret->stamp, .cpu = ret->cpu, .size = ret->size,
		.data = (const unsigned char *)items->buf + at + sizeof(*ret),
	};
	return true;
}

static bool peek(void *ctx, int cpu, struct tsh_record *ret)
{
	const struct tsh_whole_calls *calls = ctx;
	struct item item;

	return item_at(calls->giving, calls->at, &item, ret) && item.cpu == cpu;
}

static void skip(void *ctx, int cpu)
{
	struct tsh_whole_calls *calls = ctx;
	struct tsh_record rec;
	struct item item;

	(void)cpu;
	if (!item_at(calls->giving, calls->at, &item, &rec))
		return;
	calls->stage.stream->sum->events++;
	calls->stage.stream->sum->late += item.late;
	calls->at += sizeof(item) + item.size;
}

static void note_left_out(struct tsh_whole_calls *calls, const struct task *task)
{
	struct tsh_strbuf text = TSH_STRBUF_INIT;

	tsh_format_count(task->left_out, &text);
	tsh_strbuf_addf(&text, " event%s of this call left out: it is longer than what is kept",
			tsh_plural(task->left_out));
	calls->stage.next->note(calls->stage.next, text.buf);
	tsh_strbuf_release(&text);
}

/* Passes on a call. last: the offset of its return. */
static void pass_call(struct tsh_whole_calls *calls, const struct task *task, size_t last)
{
	struct tsh_consumer *to = calls->stage.next;
	struct tsh_record rec;
	struct item item;

	calls->giving = &task->items;
	calls->at = 0;
	calls->ahead = (struct tsh_ahead){ .peek = peek, .skip = skip, .ctx = calls };
	to->ahead = &calls->ahead;
	while (item_at(&task->items, calls->at, &item, &rec)) {
		if (task->left_out && calls->at == last)
			note_left_out(calls, task);
		calls->at += sizeof(item) + item.size;
		tsh_stage_pass_held(&calls->stage, &rec, item.late);
	}
	to->ahead = NULL;
}

/* ---- the stage ---- */

static void handle_entry(struct tsh_whole_calls *calls, struct task *task, const struct tsh_record *rec,
			 const struct shape *shape, int depth, bool late)
{
	/* the return of the last call is missing: lost events are noted elsewhere */
	if (task->is_open && depth <= task->depth) {
		calls->torn += task->is_wanted;
		calls->bytes -= task->items.len;
		tsh_strbuf_clear(&task->items);
		task->is_open = false;
	}
	if (!task->is_open) {
		task->is_open = true;
		task->depth = depth;
		task->left_out = 0;
		task->is_wanted = is_wanted(calls, number_of(calls, shape->func, rec));
	}
	if (task->is_wanted)
		append_item(calls, task, rec, late, false);
}

static void handle_return(struct tsh_whole_calls *calls, struct task *task, const struct tsh_record *rec,
			  const struct shape *shape, int depth, bool late)
{
	size_t last = task->items.len;
	uint64_t ns;

	/* the call began before the stream did, or its entry was lost */
	if (!task->is_open)
		return;
	/* the return of the outermost function is missing */
	if (depth < task->depth) {
		drop_call(calls, task);
		return;
	}
	if (task->is_wanted)
		append_item(calls, task, rec, late, depth == task->depth);
	if (depth > task->depth)
		return;
	if (!task->is_wanted) {
		close_task(calls, task);
		return;
	}
	ns = number_of(calls, shape->rettime, rec) - number_of(calls, shape->calltime, rec);
	calls->calls++;
	if (ns >= calls->slower) {
		calls->passed++;
		pass_call(calls, task, last);
	}
	close_task(calls, task);
}

static bool calls_event(struct tsh_consumer *consumer, const struct tsh_record *rec, bool late)
{
	struct tsh_whole_calls *calls = (struct tsh_whole_calls *)(void *)consumer;
	const struct shape *shape = NULL;
	struct tsh_common common;
	struct task *task;
	int depth;

	if (tsh_decoder_common(calls->stage.stream->decoder, rec, &common))
		shape = shape_of(calls, common.id);
	if (!shape || shape->kind == OTHER) {
		calls->stage.next->ahead = NULL;
		return calls->stage.next->event(calls->stage.next, rec, late);
	}
	if (is_done(calls))
		return false;
	depth = (int)(int32_t)(uint32_t)number_of(calls, shape->depth, rec);
	task = task_of(calls, common.pid, rec->cpu);
	if (shape->kind == ENTRY)
		handle_entry(calls, task, rec, shape, depth, late);
	else
		handle_return(calls, task, rec, shape, depth, late);
	return false;
}

/* Drops the calls of that CPU's tasks, because some of their events are missing. */
static void calls_lost(struct tsh_consumer *consumer, int cpu, uint64_t count, uint64_t stamp)
{
	struct tsh_whole_calls *calls = (struct tsh_whole_calls *)(void *)consumer;
	size_t i;

	for (i = calls->tasks.n; i-- > 0;)
		if (calls->tasks.v[i].is_open && (cpu < 0 || calls->tasks.v[i].cpu == cpu))
			drop_call(calls, &calls->tasks.v[i]);
	calls->stage.next->lost(calls->stage.next, cpu, count, stamp);
}

static int calls_begin(struct tsh_stage *stage, struct tsh_err *err)
{
	struct tsh_whole_calls *calls = (struct tsh_whole_calls *)(void *)stage;

	(void)err;
	memset(calls->shapes, 0, sizeof(calls->shapes));
	calls->calls = calls->passed = calls->torn = 0;
	return 0;
}

static bool calls_are_done(struct tsh_stage *stage)
{
	return is_done((const struct tsh_whole_calls *)(void *)stage);
}

static void add_count(struct tsh_strbuf *text, const char *before, uint64_t count,
		      const char *behind)
{
	tsh_strbuf_adds(text, before);
	tsh_format_count(count, text);
	tsh_strbuf_adds(text, behind);
}

/* Notes how many calls there were, and frees those that are still kept. */
static void calls_end(struct tsh_stage *stage)
{
	struct tsh_whole_calls *calls = (struct tsh_whole_calls *)(void *)stage;
	struct tsh_strbuf text = TSH_STRBUF_INIT;
	uint64_t open = 0;
	size_t i;

	for (i = 0; i < calls->tasks.n; i++)
		open += calls->tasks.v[i].is_open && calls->tasks.v[i].is_wanted;
	tsh_format_count(calls->calls, &text);
	tsh_strbuf_addf(&text, " call%s", tsh_plural(calls->calls));
	if (calls->slower) {
		add_count(&text, ", ", calls->passed, " of them took ");
		tsh_format_ns(calls->slower, &text);
		tsh_strbuf_adds(&text, " or more");
	}
	if (open && !is_done(calls))
		add_count(&text, ", ", open, " had not returned yet");
	if (calls->torn)
		add_count(&text, ", ", calls->torn, " not printed: events of them were lost");
	tsh_out_note(stage->stream->out, "%s", text.buf);
	tsh_strbuf_release(&text);
	forget_tasks(calls);
}

static const struct tsh_stage_kind kind = {
	.name = "whole calls", .begin = calls_begin, .event = calls_event, .lost = calls_lost,
	.is_done = calls_are_done, .end = calls_end,
};

struct tsh_stage *tsh_whole_calls_stage(struct tsh_whole_calls *calls)
{
	if (!calls)
		return NULL;
	calls->stage.kind = &kind;
	return &calls->stage;
}
