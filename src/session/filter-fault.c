/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "filter-fault.h"

#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/machine.h"
#include "event-format.h"
#include "events/decode/decode.h"
#include "lang/contradiction.h"
#include "tasks.h"

/* Finds filters that the kernel accepts, but that match no event, or that compare with another
 * number than the one in their text. */

/* Limits the length of comm, which is no field but the task's name
 * (kernel/trace/trace_events_filter.c). */
#define COMM_SIZE 16
/* Limits the events whose filters are checked before a command runs. */
#define EVENTS_MAX 64

struct facts {
	struct tsh_session *s;
	const struct tsh_event *event;
	const struct tsh_event_format *format;
	const struct tsh_cpuset *cpus;	/* traced CPUs; NULL: not known */
	bool is_where;
	char *strange;			/* warning about a filter; NULL: none */
};

static bool is_comm(const char *field)
{
	return !strcmp(field, "comm") || !strcmp(field, "COMM");
}

/* Says whether a field has the number of a task that exists: "pid", "next_pid". The child of
 * child_pid may not exist yet. */
static bool is_pid(const char *field)
{
	size_t len = strlen(field);

	if (!strcmp(field, "child_pid"))
		return false;
	return !strcmp(field, "pid") || (len > 4 && !strcmp(field + len - 4, "_pid"));
}

static const struct tsh_field *field_of(const struct facts *facts, const char *name)
{
	return facts->format ? tsh_event_format_field(facts->format, name) : NULL;
}

/* Says whether a name means the CPU of the event, which is no field. */
static bool is_cpu(const struct facts *facts, const char *name)
{
	return !field_of(facts, name) && (!strcmp(name, "cpu") || !strcmp(name, "CPU"));
}

/* Returns the size of a string field in bytes, with the NUL. Returns 0 for other fields, and for
 * strings without a limit. */
static size_t string_size(const struct facts *facts, const char *name)
{
	const struct tsh_field *field = field_of(facts, name);

	if (!field)
		return is_comm(name) ? COMM_SIZE : 0;
	return field->kind == TSH_FIELD_CHARS ? field->size : 0;
}

/* Returns the length of the shortest text that a glob matches. */
static size_t glob_length(const char *glob)
{
	size_t n = 0;

	for (; *glob; glob++) {
		const char *close = *glob == '[' ? strchr(glob, ']') : NULL;

		if (close)
			glob = close;
		else if (*glob == '\\' && glob[1])
			glob++;
		n += *glob != '*';
	}
	return n;
}

/* Says whether a field is an address in a program's memory, at which the kernel's filter does not
 * read the string (test_string). */
static bool is_user_pointer(const struct facts *facts, const char *name)
{
	const struct tsh_field *field = field_of(facts, name);

	return field && !facts->is_where && field->kind == TSH_FIELD_POINTER &&
	       !strcmp(facts->event->system, "syscalls") && tsh_field_filter_kind(field) == TSH_FILTER_STRING;
}

static char *never_string(const struct facts *facts, const struct tsh_comparison *c)
{
	size_t size = string_size(facts, c->field), len;

	if (!c->inverted && is_user_pointer(facts, c->field))
		return tsh_xasprintf("it is an address of the program's memory, which %s.ustring reads", c->field);
	if (!size || (c->op != TSH_COMPARE_EQ && c->op != TSH_COMPARE_MATCH))
		return NULL;
	len = c->op == TSH_COMPARE_MATCH ? glob_length(c->value) : strlen(c->value);
	if (len < size)
		return NULL;
	return tsh_xasprintf("it has at most %zu characters", size - 1);
}

static char *never_number(const struct facts *facts, const struct tsh_comparison *c)
{
	if (c->op == TSH_COMPARE_BITS && is_cpu(facts, c->field) && !facts->is_where)
		return tsh_xasprintf("the kernel has no & for the number of a CPU: where %s & %s", c->field, c->value);
	if (c->op == TSH_COMPARE_BITS && !c->number)
		return tsh_xstrdup("it tests no bit");
	if (c->op != TSH_COMPARE_EQ || c->number < 0)
		return NULL;
	if (is_pid(c->field) && tsh_tasks_have_kernel_numbers() && c->number > 0 && c->number <= INT_MAX &&
	    !tsh_task_is_alive((int)c->number))
		return tsh_xstrdup("there is no such task");
	if (facts->cpus && is_cpu(facts, c->field) &&
	    (c->number >= TSH_CPU_MAX || !tsh_cpuset_has(facts->cpus, (unsigned int)c->number)))
		return tsh_xstrdup("that CPU is not traced");
	return NULL;
}

static char *never(void *ctx, const struct tsh_comparison *c)
{
	const struct facts *facts = ctx;

	if (c->quoted)
		return never_string(facts, c);
	return c->has_number ? never_number(facts, c) : NULL;
}

static void range(void *ctx, const char *name, int64_t *lowest, int64_t *highest)
{
	const struct facts *facts = ctx;
	const struct tsh_field *field = field_of(facts, name);

	if (field && field->kind == TSH_FIELD_INT && field->size < 8) {
		unsigned int bits = field->size * 8 - field->is_signed;

		*highest = ((int64_t)1 << bits) - 1;
		*lowest = field->is_signed ? -*highest - 1 : 0;
	} else if (field && field->kind == TSH_FIELD_INT && !field->is_signed) {
		*lowest = 0;
	}
	if (is_pid(name) || is_cpu(facts, name))
		*lowest = 0;
}

/* Reports a task number of our pid namespace, where the kernel has another number. */
static void check_task_number(struct facts *facts, const struct tsh_comparison *c)
{
	struct tsh_tasks one = { 0 };
	struct tsh_err ignored = { 0 };

	if ((!is_pid(c->field) && strcmp(c->field, "tgid") != 0) || c->number <= 0 || c->number > INT_MAX ||
	    facts->strange || tsh_tasks_have_kernel_numbers() || !tsh_task_is_alive((int)c->number))
		return;
	tsh_tasks_add(&one, (int)c->number);
	if (tsh_tasks_translate(facts->s, &one, &ignored) < 0 || !one.n)
		tsh_err_release(&ignored);
	else if (one.v[0] != c->number)
		facts->strange = tsh_xasprintf("uses a task number of this pid namespace: the kernel's events have "
					       "%d for task %" PRId64 " (--pid %" PRId64 " translates)", one.v[0],
					       c->number, c->number);
	tsh_tasks_release(&one);
}

/* Says whether a number fits a field. In a field of 16 bits with a sign 65535 stands for -1 and
 * fits; a number below 0 does not fit a field without a sign. */
static bool fits(int64_t number, unsigned int bits, bool is_signed)
{
	return number < 0 ? is_signed && number >= -(INT64_C(1) << (bits - 1)) : !(number >> bits);
}

/* Cuts the number to the size of the field, as the kernel does before it compares. */
static void as_kernel(void *ctx, struct tsh_comparison *c)
{
	struct facts *facts = ctx;
	const struct tsh_field *field = field_of(facts, c->field);
	unsigned int size = field ? field->size : is_cpu(facts, c->field) && !facts->is_where ? 4 : 8, unused;
	bool is_signed = field ? field->is_signed : true;
	uint64_t n;

	if (size < 8 && (!field || field->kind == TSH_FIELD_INT)) {
		unused = 64 - 8 * size;
		n = (uint64_t)c->number << unused;
		n = is_signed ? (uint64_t)((int64_t)n >> unused) : n >> unused;
		if (!facts->strange && !fits(c->number, 64 - unused, is_signed))
			facts->strange = tsh_xasprintf("compares '%s' with %" PRId64 ": %s does not fit its %u bits",
						       c->field, (int64_t)n, c->value, 64 - unused);
		c->number = (int64_t)n;
	} else if (facts->is_where && c->number < 0 && field && !field->is_signed) {
		/* does not check this number: a where compares its bits, as a large number */
		c->has_number = false;
	}
	check_task_number(facts, c);
}

bool tsh_read_traced_cpus(const struct tsh_instance *in, struct tsh_cpuset *ret)
{
	char *mask = tsh_file_text(in, "tracing_cpumask");
	bool known = mask && !tsh_cpuset_parse_mask(mask, ret);

	free(mask);
	return known;
}

char *tsh_filter_fault_text(struct tsh_session *s, const struct tsh_event *event, const char *filter, bool is_where)
{
	struct tsh_event_format *format = tsh_event_format_read(s->in, event);
	struct tsh_cpuset cpus = { 0 };
	struct facts facts = { .s = s, .event = event, .format = format, .is_where = is_where };
	const struct tsh_contradiction_facts about = {
		.why_never = never, .range = range, .as_kernel = as_kernel, .ctx = &facts
	};
	char *why, *text;

	if (tsh_read_traced_cpus(s->in, &cpus))
		facts.cpus = &cpus;
	why = tsh_contradiction(filter, &about);
	text = why ? tsh_xasprintf("matches nothing: %s", why) : facts.strange;
	if (why)
		free(facts.strange);
	free(why);
	tsh_cpuset_release(&cpus);
	tsh_event_format_free(format);
	return text;
}

void tsh_filter_note_fault(struct tsh_session *s, const struct tsh_events *events, const char *filter, bool is_where)
{
	char *why = NULL;
	size_t i;

	if (s->check || s->dir->dry || s->dir->kind == TSH_DIR_TREE)
		return;
	for (i = 0; i < events->n && i < EVENTS_MAX && !why; i++)
		why = tsh_filter_fault_text(s, &events->v[i], filter, is_where);
	if (why)
		tsh_out_warn(s->out, "%s of %s:%s %s", is_where ? "the where" : "the filter", events->v[i - 1].system,
			     events->v[i - 1].name, why);
	free(why);
}

bool tsh_task_lacks_calls(const struct tsh_events *events, int tid)
{
	size_t i;

	for (i = 0; i < events->n && strcmp(events->v[i].system, "syscalls") != 0; i++)
		;
	return sizeof(long) == 8 && i < events->n && tsh_task_bits(tid) == 32;
}

int tsh_find_task_without_calls(const struct tsh_instance *in)
{
	char *list = tsh_tasks_have_kernel_numbers() ? tsh_file_text(in, "set_event_pid") : NULL;
	struct tsh_strlist pids = { 0 };
	struct tsh_events enabled = { 0 };
	struct tsh_err ignored = { 0 };
	int pid, found = 0;
	size_t i;

	tsh_strlist_split_words(&pids, list ? list : "");
	if (pids.n && tsh_events_read_recording(in, &enabled, &ignored) < 0)
		tsh_err_release(&ignored);
	for (i = 0; i < pids.n && !found; i++)
		if (!tsh_parse_int(pids.v[i], &pid) && tsh_task_lacks_calls(&enabled, pid))
			found = pid;
	tsh_events_release(&enabled);
	tsh_strlist_release(&pids);
	free(list);
	return found;
}
