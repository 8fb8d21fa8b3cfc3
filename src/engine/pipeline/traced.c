/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "traced.h"

#include <stdlib.h>
#include <string.h>

#include "base/now.h"
#include "base/number.h"
#include "session/util.h"

/* Is the kernel's limit for pids (include/linux/threads.h, PID_MAX_LIMIT). */
#define PIDS 4194304
/* Limits how often a list is read that changes without an event, in ns. */
#define PATIENCE_NS INT64_C(100000000)

static const char only_file[] = TSH_TRACED_ONLY, not_file[] = "set_event_notrace_pid";

/* ---- sets ---- */

static void set_add(struct traced_set *set, int pid, bool is_in)
{
	size_t at = (size_t)pid / 8;

	if (pid < 0 || pid >= PIDS || (!is_in && at >= set->bytes.n))
		return;
	while (set->bytes.n <= at)
		(void)tsh_vec_push(&set->bytes);
	set->bytes.v[at] &= (uint8_t)~(1U << pid % 8);
	set->bytes.v[at] |= (uint8_t)((unsigned int)is_in << pid % 8);
	set->any |= is_in;
}

static bool set_has(const struct traced_set *set, int pid)
{
	return pid >= 0 && (size_t)pid / 8 < set->bytes.n && set->bytes.v[pid / 8] >> pid % 8 & 1;
}

static void read_list(const struct tsh_instance *in, const char *path, struct traced_set *set)
{
	char *text = tsh_file_text(in, path);
	struct tsh_strlist words = { 0 };
	size_t i;
	int pid;

	if (text)
		tsh_strlist_split_words(&words, text);
	for (i = 0; i < words.n; i++)
		if (!tsh_parse_int(words.v[i], &pid))
			set_add(set, pid, true);
	tsh_strlist_release(&words);
	free(text);
}

/* ---- the kernel's lists ---- */

static bool is_set(const struct tsh_instance *in, const char *path)
{
	struct traced_set tasks = { 0 };

	read_list(in, path, &tasks);
	tsh_vec_release(&tasks.bytes);
	return tasks.any;
}

const char *tsh_traced_list(const struct tsh_instance *in)
{
	return is_set(in, only_file) ? only_file : is_set(in, not_file) ? not_file : NULL;
}

static bool follows(const struct tsh_instance *in)
{
	return tsh_file_number(in, "options/event-fork", 0) == 1;
}

/* Says whether the kernel adds children to the list while no event shows them. */
static bool is_untold(const struct tsh_instance *in, const struct tsh_task_names *task_names)
{
	struct tsh_strlist enabled = { 0 };
	bool tell;

	tsh_file_words(in, "set_event", &enabled);
	tell = task_names->has_births || tsh_strlist_has(&enabled, "sched:sched_process_fork");
	tsh_strlist_release(&enabled);
	return follows(in) && !tell;
}

/* Reads the list again when it may have children that no event has shown: because they began
 * before tracing, or because their events were lost. */
static void read_list_again(struct tsh_traced *t)
{
	int64_t now = tsh_now_ns(CLOCK_MONOTONIC);

	if (!t->is_live || (!t->is_stale && (t->shows_children || now - t->read_at < PATIENCE_NS)))
		return;
	t->is_stale = false;
	t->read_at = now;
	read_list(t->stage.stream->in, only_file, &t->listed);
}

static bool is_listed(struct tsh_traced *t, int pid)
{
	if (!t->listed.any || set_has(&t->listed, pid))
		return true;
	/* the idle task is never listed */
	if (pid)
		read_list_again(t);
	return set_has(&t->listed, pid);
}

static bool is_whole(void *ctx, int pid)
{
	struct tsh_traced *t = ctx;

	return !set_has(&t->left_out, pid) && is_listed(t, pid);
}

/* ---- the stage ---- */

enum event_kind { UNSEEN, OTHER, NEWTASK, FORK, SWITCH, WAKEUP };

static enum event_kind kind_of(struct tsh_traced *t, const struct tsh_event_format *format)
{
	static const struct { const char *system, *name; enum event_kind kind; } known[] = {
		{ "task", "task_newtask", NEWTASK },
		{ "sched", "sched_process_fork", FORK },
		{ "sched", "sched_switch", SWITCH },
		{ "sched", "sched_waking", WAKEUP },
		{ "sched", "sched_wakeup", WAKEUP },
		{ "sched", "sched_wakeup_new", WAKEUP },
	};
	size_t i;

	while (t->kinds.n <= format->id)
		(void)tsh_vec_push(&t->kinds);
	if (t->kinds.v[format->id] != UNSEEN)
		return t->kinds.v[format->id];
	t->kinds.v[format->id] = OTHER;
	for (i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (!strcmp(known[i].system, format->system) && !strcmp(known[i].name, format->name))
			t->kinds.v[format->id] = known[i].kind;
	return t->kinds.v[format->id];
}

/* Returns the number in a field; 0: there is none. */
static int number_of(struct tsh_traced *t, const struct tsh_event_format *format, const char *name,
		     const struct tsh_record *rec)
{
	const struct tsh_field *field = tsh_event_format_field(format, name);
	struct tsh_field_value value = { 0 };

	if (field)
		tsh_decoder_value(t->stage.stream->decoder, field, rec, &value);
	return field && (value.kind == TSH_VALUE_SIGNED || value.kind == TSH_VALUE_UNSIGNED) ? (int)value.u : 0;
}

/* Are the bits EXIT_DEAD and EXIT_ZOMBIE of sched_switch's prev_state. The kernel removes such a
 * task from the list, and its pid can be used again. */
#define ENDED (0x10 | 0x20)

/* Adds a new child to our list, when the kernel does so. */
static void add_child(struct tsh_traced *t, enum event_kind kind, const struct tsh_event_format *format,
		      const struct tsh_record *rec, int parent)
{
	if ((kind == NEWTASK || kind == FORK) && t->follows && set_has(&t->listed, parent))
		set_add(&t->listed, number_of(t, format, kind == FORK ? "child_pid" : "pid", rec), true);
}

static bool traced_event(struct tsh_consumer *consumer, const struct tsh_record *rec, bool late)
{
	struct tsh_traced *t = (struct tsh_traced *)consumer;
	const struct tsh_event_format *format;
	enum event_kind kind = OTHER;
	struct tsh_common common;
	bool damaged, counts;

	format = tsh_decoder_begin_record(t->stage.stream->decoder, rec, &common, &damaged);
	if (format && format->id <= UINT16_MAX)
		kind = kind_of(t, format);
	if (t->drops && format && !is_listed(t, common.pid) && (t->shows_children || kind == SWITCH ||
								kind == WAKEUP)) {
		t->others++;
		return false;
	}
	if (format)
		add_child(t, kind, format, rec, common.pid);
	t->stage.next->ahead = consumer->ahead;
	counts = t->stage.next->event(t->stage.next, rec, late);
	/* the event that ends a task still belonged to it */
	if (kind == SWITCH && set_has(&t->listed, common.pid) && number_of(t, format, "prev_state", rec) & ENDED)
		set_add(&t->listed, common.pid, false);
	return counts;
}

static void traced_lost(struct tsh_consumer *consumer, int cpu, uint64_t count, uint64_t stamp)
{
	struct tsh_traced *t = (struct tsh_traced *)consumer;

	t->is_stale = true;
	t->stage.next->lost(t->stage.next, cpu, count, stamp);
}

static int traced_begin(struct tsh_stage *stage, struct tsh_err *err)
{
	struct tsh_traced *t = (struct tsh_traced *)stage;
	const struct tsh_instance *in = stage->stream->in;

	(void)err;
	t->is_live = t->is_stale = in->dir->kind != TSH_DIR_TREE;
	t->follows = follows(in);
	t->shows_children = !is_untold(in, t->task_names);
	read_list(in, only_file, &t->listed);
	read_list(in, not_file, &t->left_out);
	t->drops = t->drops && t->listed.any;
	if (t->listed.any || t->left_out.any)
		tsh_decoder_set_whole(stage->stream->decoder, is_whole, t);
	return !t->listed.any;
}

static void traced_report(const struct tsh_stage *stage)
{
	const struct tsh_traced *t = (const struct tsh_traced *)stage;

	if (t->others)
		tsh_summary_add_left_out(stage->stream->sum, "others", t->others);
}

static void traced_clause(const struct tsh_stage *stage, struct tsh_strbuf *text)
{
	const struct tsh_traced *t = (const struct tsh_traced *)stage;

	if (!t->others)
		return;
	tsh_format_count(t->others, text);
	tsh_strbuf_adds(text, " of other tasks not counted, ");
}

static void traced_forget(struct tsh_stage *stage)
{
	struct tsh_traced *t = (struct tsh_traced *)stage;

	tsh_vec_release(&t->listed.bytes);
	tsh_vec_release(&t->left_out.bytes);
	tsh_vec_release(&t->kinds);
}

/* Needs no copy: a stage that drops nothing only follows the list for `delta`, which has no copy. */
static bool traced_fork(const struct tsh_stage *stage, struct tsh_stage **ret)
{
	(void)ret;
	return !((const struct tsh_traced *)stage)->drops;
}

static const struct tsh_stage_kind kind = {
	.name = "traced", .is_reported_last = true, .begin = traced_begin, .event = traced_event, .lost = traced_lost,
	.report = traced_report, .fork = traced_fork,
	.append_clause = traced_clause, .forget = traced_forget,
};

struct tsh_stage *tsh_traced_stage(struct tsh_traced *t, const struct tsh_task_names *task_names, bool drops)
{
	*t = (struct tsh_traced){ .stage.kind = &kind, .task_names = task_names, .drops = drops };
	return &t->stage;
}

const char *tsh_traced_warning(const struct tsh_traced *t)
{
	return t->listed.any && !t->shows_children ?
		       "children of listed tasks may be counted as other tasks: only "
		       "task:task_newtask shows them" :
		       NULL;
}
