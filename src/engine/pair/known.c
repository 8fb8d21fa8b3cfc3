/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pair.h"

#include <string.h>

#include "base/suggest.h"
#include "engine/probe/call.h"
#include "session/function-names.h"

/* Finds the two events that the words of latency name. */

/*
 * Is the task that is preempted, or 0. A task that is woken while it runs is not switched to, so
 * that its wakeup waits for an END. When the task is preempted, that wakeup is dropped; otherwise
 * the next switch to the task would end it. When the task sleeps instead, its next wakeup replaces
 * the old one.
 */
#define PREEMPTED "prev_pid*((prev_state&0xff)==0)"
/* Is not 0 for a task that never runs again (EXIT_DEAD, EXIT_ZOMBIE). */
#define DEAD "prev_state&0x30"

const struct latency_known latency_known[] = {
	{ "block", "block:block_rq_issue", "block:block_rq_complete", "dev,sector", NULL, NULL,
	  NULL, false, "requests, from the driver's start to their end" },
	{ "irq", "irq:irq_handler_entry", "irq:irq_handler_exit", "cpu,irq", "name", NULL, NULL, false,
	  "interrupt handlers, by name" },
	/* pid 0, idle, does not wait */
	{ "off-cpu", "sched:sched_switch", "sched:sched_switch", "prev_pid=next_pid", NULL, NULL,
	  DEAD, true, "from when a task leaves a CPU until it runs again" },
	{ "softirq", "irq:softirq_entry", "irq:softirq_exit", "cpu,vec", "vec", NULL, NULL, false,
	  "softirqs, by their names" },
	{ "wakeup", "sched:sched_waking", "sched:sched_switch", "pid=next_pid", NULL, PREEMPTED,
	  NULL, false, "from a task's wakeup until it runs" },
	{ NULL, "sched:sched_wakeup", "sched:sched_switch", "pid=next_pid", NULL, PREEMPTED,
	  NULL, false, NULL },
	{ NULL, "sched:sched_wakeup_new", "sched:sched_switch", "pid=next_pid", NULL, NULL, NULL, false,
	  NULL },
	{ NULL, "raw_syscalls:sys_enter", "raw_syscalls:sys_exit", "common_pid", "id.syscall",
	  NULL, NULL, false, NULL },
	{ 0 }
};

static const struct tsh_value *begin_word(const struct tsh_call *call)
{
	return tsh_args_get(&call->args, "START");
}

static const struct tsh_value *end_word(const struct tsh_call *call)
{
	return tsh_args_get(&call->args, "END");
}

static bool is_event(const struct tsh_event *event, const char *text)
{
	size_t len = strlen(event->system);

	return !strncmp(text, event->system, len) && text[len] == ':' &&
	       !strcmp(text + len + 1, event->name);
}

bool latency_is_same_event(const struct tsh_event *events)
{
	return !strcmp(events[LATENCY_BEGIN].name, events[LATENCY_END].name) &&
	       !strcmp(events[LATENCY_BEGIN].system, events[LATENCY_END].system);
}

const struct latency_known *latency_known_of(const struct tsh_events *events)
{
	const struct latency_known *known;

	for (known = latency_known; known->begin; known++)
		if (is_event(&events->v[LATENCY_BEGIN], known->begin) &&
		    is_event(&events->v[LATENCY_END], known->end))
			return known;
	return NULL;
}

static const struct latency_known *known_called(const char *name)
{
	const struct latency_known *known;

	for (known = latency_known; known->begin; known++)
		if (known->name && !strcmp(known->name, name))
			return known;
	return NULL;
}

static bool is_syscall(const struct tsh_call *call)
{
	return !strcmp(begin_word(call)->word.text, LATENCY_SYSCALL);
}

/* ---- the events ---- */

#define NAMES "block, irq, off-cpu, softirq, wakeup, syscall NAME"

static int refuse_missing_end(const struct tsh_call *call, struct tsh_err *err)
{
	const struct tsh_value *word = begin_word(call);
	const struct latency_known *known;

	tsh_err_at(err, word->word.span, "the event that ends it is missing");
	if (tsh_call_probe(call, word)) {
		tsh_err_hint(err, "latency %s %s%%return: how long it takes", word->word.text,
			     word->word.text);
		return -1;
	}
	tsh_err_hint(err, "latency START END on KEY, or one of: " NAMES);
	for (known = latency_known; known->begin && call->events.n == 1; known++)
		if (is_event(&call->events.v[0], known->begin)) {
			tsh_err_hint(err, "latency %s %s, or one of: " NAMES, known->begin,
				     known->end);
			break;
		}
	return -1;
}

/* Suggests the name of a pair that is similar to a word (off-cpu for offcpu). Otherwise does not
 * change the hint about events. */
static void hint_names(const struct tsh_call *call, const struct tsh_value *word,
		       struct tsh_err *err)
{
	const struct latency_known *known;
	struct tsh_suggest nearest;
	const char *best;

	tsh_suggest_init(&nearest, word->word.text);
	tsh_suggest_offer(&nearest, LATENCY_SYSCALL);
	for (known = latency_known; known->begin; known++)
		if (known->name)
			tsh_suggest_offer(&nearest, known->name);
	best = end_word(call) ? NULL : tsh_suggest_best(&nearest);
	if (best)
		tsh_err_hint(err, "did you mean '%s'?", best);
	else if (!err->hint)
		tsh_err_hint(err, "latency START END on KEY, or one of: " NAMES);
	tsh_suggest_release(&nearest);
}

/* Adds the one event that a word names to those of the call. */
static int add_event(const struct tsh_events *all, const struct tsh_value *word, const char *which,
		     struct tsh_call *call, struct tsh_err *err)
{
	const struct tsh_event *probe = tsh_call_probe(call, word);
	struct tsh_events found = { 0 };
	int r;

	if (probe) {
		tsh_events_add(&call->events, probe->system, probe->name);
		return 0;
	}
	r = tsh_events_match(all, word->word.text, &found, err);
	if (r < 0 && tsh_call_has_probes(call))
		tsh_err_hint(err, "a function that is paired with something else than its own "
			     "return: probe NAME=%s makes an event of it",
			     word->word.text);
	else if (r < 0 && !strpbrk(word->word.text, ":/_*?["))
		hint_names(call, word, err);
	if (!r && found.n != 1) {
		r = tsh_err_set(err, TSH_USAGE, "'%s' is %zu events: one %s a pair",
				word->word.text, found.n, which);
		tsh_err_hint(err, "events '%s' lists them", word->word.text);
	}
	if (!r)
		tsh_events_add(&call->events, found.v[0].system, found.v[0].name);
	else
		tsh_err_blame(err, word->word.span);
	tsh_events_release(&found);
	return r;
}

/* Adds an event to a list, if it exists. Returns false if it does not. */
static bool add_named(const struct tsh_events *all, const char *name, struct tsh_events *ret)
{
	struct tsh_events found = { 0 };
	struct tsh_err ignored = { 0 };
	bool is_there = !tsh_events_match(all, name, &found, &ignored) && found.n == 1;

	if (is_there)
		tsh_events_add(ret, found.v[0].system, found.v[0].name);
	tsh_err_release(&ignored);
	tsh_events_release(&found);
	return is_there;
}

static int add_known(const struct tsh_events *all, const struct tsh_call *call, const char *begin,
		     const char *end, struct tsh_events *ret, struct tsh_err *err)
{
	const char *missing = !add_named(all, begin, ret) ? begin :
			      !add_named(all, end, ret)   ? end :
							    NULL;

	if (!missing)
		return 0;
	tsh_err_at(err, begin_word(call)->word.span, "there is no event %s here", missing);
	err->status = TSH_FAILED;
	tsh_err_hint(err, "events lists what there is; latency START END takes any two");
	return -1;
}

/* Refuses a system call that has no events, as `latency syscall raed`. */
static int refuse_syscall(const struct tsh_events *all, const struct tsh_value *word,
			  struct tsh_err *err)
{
	static const char enter[] = "sys_enter_";
	struct tsh_suggest nearest;
	bool any = false;
	size_t i;

	tsh_suggest_init(&nearest, word->word.text);
	for (i = 0; i < all->n; i++) {
		if (strcmp(all->v[i].system, "syscalls") ||
		    strncmp(all->v[i].name, enter, strlen(enter)) != 0)
			continue;
		any = true;
		tsh_suggest_offer(&nearest, all->v[i].name + strlen(enter));
	}
	if (any)
		tsh_err_at(err, word->word.span, "no system call '%s' has events here",
			   word->word.text);
	else
		tsh_err_at(err, word->word.span, "system calls have no events of their own here");
	err->status = TSH_FAILED;
	if (tsh_suggest_best(&nearest))
		tsh_err_hint(err, "did you mean '%s'?", tsh_suggest_best(&nearest));
	else
		tsh_err_hint(err, any ? "events 'syscalls:sys_enter_*' lists them" :
					"'latency syscall' takes all of them");
	tsh_suggest_release(&nearest);
	return -1;
}

/*
 * Adds both events of a system call by its name in libc: the kernel names some by their function,
 * as sys_newfstat, sys_sendfile64, sys_umount.
 */
static bool add_call(const struct tsh_events *all, const char *name, struct tsh_events *ret)
{
	static const struct { const char *before, *behind; } spelled[] = { { "", "" }, { "new", "" }, { "", "64" } };
	bool found = false;
	size_t i;

	if (!strcmp(name, "umount2"))
		name = "umount";
	for (i = 0; i < sizeof(spelled) / sizeof(spelled[0]) && !found; i++) {
		char *begin = tsh_xasprintf("syscalls:sys_enter_%s%s%s", spelled[i].before, name, spelled[i].behind);
		char *end = tsh_xasprintf("syscalls:sys_exit_%s%s%s", spelled[i].before, name, spelled[i].behind);

		found = add_named(all, begin, ret) && add_named(all, end, ret);
		free(begin);
		free(end);
	}
	return found;
}

static int add_syscall(const struct tsh_events *all, struct tsh_call *call, struct tsh_err *err)
{
	const struct tsh_value *word = end_word(call);

	if (!word)
		return add_known(all, call, "raw_syscalls:sys_enter", "raw_syscalls:sys_exit",
				 &call->events, err);
	if (tsh_is_glob(word->word.text)) {
		tsh_err_at(err, word->word.span, "one system call has to be named");
		tsh_err_hint(err, "'latency syscall' takes all of them");
		return -1;
	}
	return add_call(all, word->word.text, &call->events) ? 0 : refuse_syscall(all, word, err);
}

static int add_both(const struct tsh_events *all, struct tsh_call *call, struct tsh_err *err)
{
	const struct tsh_value *begin = begin_word(call), *end = end_word(call);
	const struct latency_known *known = known_called(begin->word.text);

	if (is_syscall(call))
		return add_syscall(all, call, err);
	if (known && !end)
		return add_known(all, call, known->begin, known->end, &call->events, err);
	if (known) {
		tsh_err_at(err, end->word.span, "'%s' is two events already", known->name);
		tsh_err_hint(err, "latency %s, or latency START END: two events", known->name);
		return -1;
	}
	if (add_event(all, begin, "begins", call, err) < 0)
		return -1;
	return end ? add_event(all, end, "ends", call, err) : refuse_missing_end(call, err);
}

/* Hints that a word is a function, which a probe can be on: `latency vfs_read`. */
static void hint_function(struct tsh_session *s, const struct tsh_call *call, struct tsh_err *err)
{
	const struct tsh_instance top = tsh_top(s->dir);
	const char *name = begin_word(call)->word.text;
	char *unknown;
	size_t len;

	if (strpbrk(name, ":/*?[%") || !tsh_file_exists(&top, "kprobe_events") ||
	    !tsh_function_names(s, &len))
		return;
	unknown = tsh_function_names_unknown(s, name);
	if (!unknown)
		tsh_err_hint(err, "it is a function of the kernel: latency %s %s%%return", name, name);
	free(unknown);
}

int latency_name_events(struct tsh_session *s, struct tsh_call *call, struct tsh_err *err)
{
	struct tsh_events all = { 0 };
	int r = tsh_events_available(s->dir, &all, err);

	if (!r)
		r = add_both(&all, call, err);
	if (r < 0 && !end_word(call) && !call->events.n && !is_syscall(call))
		hint_function(s, call, err);
	tsh_events_release(&all);
	if (!r && latency_is_same_event(call->events.v) && !latency_known_of(&call->events) &&
	    !tsh_args_has(&call->args, "KEY")) {
		tsh_err_at(err, end_word(call)->word.span,
			   "an event that begins and ends a pair needs a key");
		tsh_err_hint(err, "on A=B: A of the one that begins, B of the one that ends; hist %s by "
				  "delta.log2 has the times between two in a task",
			     call->events.v[0].name);
		return -1;
	}
	return r;
}

void latency_events_of(const struct tsh_events *all, const struct tsh_strlist *words,
		       struct tsh_events *ret)
{
	const char *first = words->n ? words->v[0] : "";
	const struct latency_known *known = known_called(first);
	struct tsh_strlist names = { 0 };
	size_t i;

	if (!strcmp(first, LATENCY_SYSCALL)) {
		const char *name = words->n > 1 ? words->v[1] : NULL;

		tsh_strlist_add_owned(&names, name ? tsh_xasprintf("syscalls:sys_enter_%s", name) :
						tsh_xstrdup("raw_syscalls:sys_enter"));
		tsh_strlist_add_owned(&names, name ? tsh_xasprintf("syscalls:sys_exit_%s", name) :
						tsh_xstrdup("raw_syscalls:sys_exit"));
	} else if (known) {
		tsh_strlist_add(&names, known->begin);
		tsh_strlist_add(&names, known->end);
	}
	for (i = 0; i < (names.n ? names.n : words->n); i++)
		(void)add_named(all, names.n ? names.v[i] : words->v[i], ret);
	tsh_strlist_release(&names);
}
