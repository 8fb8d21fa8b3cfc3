/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "task-names.h"

#include <stdlib.h>
#include <string.h>

#include "counter.h"
#include "events/recording/record.h"
#include "kernel/tracefs/tracefs.h"
#include "query/query.h"
#include "session/filters.h"
#include "where.h"

enum { NAME_BIRTH, NAME_RENAME };
static const char *const names[TSH_NAME_EVENTS] = { [NAME_BIRTH] = "task_newtask",
					   [NAME_RENAME] = "task_rename" };
/* Is the number of pages of each CPU that are read at a time. */
#define PAGES 64

/* ---- the stage ---- */

/* Says whether a CPU is read only for the names. */
static bool is_read_for_names(const struct tsh_task_names *task_names, int cpu)
{
	return task_names->cpus && !tsh_cpuset_has(task_names->cpus, (unsigned int)cpu);
}

/* Learns a change of a name, also when a later stage drops the event. Says whether it is read only
 * for that. */
static bool learns_and_hides(const struct tsh_task_names *task_names, size_t i, const struct tsh_record *rec)
{
	struct tsh_common common;
	bool damaged;

	tsh_decoder_begin_record(task_names->stage.stream->decoder, rec, &common, &damaged);
	return task_names->hides[i];
}

static bool names_event(struct tsh_consumer *consumer, const struct tsh_record *rec, bool late)
{
	struct tsh_task_names *task_names = (struct tsh_task_names *)consumer;
	struct tsh_decoder *decoder = task_names->stage.stream->decoder;
	unsigned int id = tsh_decoder_id(decoder, rec);
	bool hides = is_read_for_names(task_names, rec->cpu);

	if (id && id == task_names->ids[NAME_BIRTH])
		hides |= learns_and_hides(task_names, NAME_BIRTH, rec);
	else if (id && id == task_names->ids[NAME_RENAME])
		hides |= learns_and_hides(task_names, NAME_RENAME, rec);
	if (hides)
		return false;
	task_names->stage.next->ahead = consumer->ahead;
	return task_names->stage.next->event(task_names->stage.next, rec, late);
}

static void learn_ahead(void *ctx, int cpu, const struct tsh_page_event *first,
			const struct tsh_page_walk *walk)
{
	tsh_decoder_learn_page_ahead(ctx, cpu, first, walk);
}

static void set_first_comm(void *ctx, int pid, const char *comm)
{
	tsh_decoder_set_first_comm(ctx, pid, comm);
}

static void names_lost(struct tsh_consumer *consumer, int cpu, uint64_t count, uint64_t stamp)
{
	struct tsh_task_names *task_names = (struct tsh_task_names *)consumer;
	struct tsh_decoder *decoder = task_names->stage.stream->decoder;

	if (task_names->source) {
		tsh_decoder_doubt_names(decoder);
		tsh_source_set_preview(task_names->source, learn_ahead, decoder);
	}
	if (is_read_for_names(task_names, cpu)) {
		if (count != TSH_LOST_UNKNOWN)
			task_names->stage.stream->sum->lost -= count;
		return;
	}
	task_names->stage.stream->sum->lost_hidden |= tsh_task_names_are_hidden(task_names);
	tsh_decoder_note_loss(decoder);
	task_names->stage.next->lost(task_names->stage.next, cpu, count, stamp);
}

/* Passes on every event, when none is hidden, and the next stage learns from each of them. */
static bool pass_event(struct tsh_consumer *consumer, const struct tsh_record *rec, bool late)
{
	struct tsh_consumer *next = ((struct tsh_task_names *)consumer)->stage.next;

	next->ahead = consumer->ahead;
	return next->event(next, rec, late);
}

static int names_begin(struct tsh_stage *stage, struct tsh_err *err)
{
	const struct tsh_task_names *task_names = (const struct tsh_task_names *)stage;

	(void)err;
	if (task_names->are_all)
		tsh_decoder_trust_forks(stage->stream->decoder);
	if (stage->next && stage->next->learns_all && !tsh_task_names_are_hidden(task_names) && !task_names->cpus)
		stage->consumer.event = pass_event;
	return 0;
}

/* Makes a copy that doubts no name after a loss: see tsh_task_names_need_losses. */
static bool names_fork(const struct tsh_stage *stage, struct tsh_stage **ret)
{
	struct tsh_task_names *copy = tsh_xcalloc(1, sizeof(*copy));

	*copy = *(const struct tsh_task_names *)stage;
	copy->source = NULL;
	*ret = &copy->stage;
	return true;
}

static void names_free(struct tsh_stage *copy)
{
	free(copy);
}

static const struct tsh_stage_kind kind = {
	.name = "task names", .begin = names_begin, .event = names_event, .lost = names_lost, .fork = names_fork,
	.free = names_free,
};

/* ---- the events ---- */

static bool is_asked(const struct tsh_call *call, const char *name)
{
	size_t i;

	for (i = 0; i < call->events.n; i++)
		if (!strcmp(call->events.v[i].name, name) &&
		    !strcmp(call->events.v[i].system, "task"))
			return true;
	return false;
}

/* Returns an event's id; 0: this kernel does not have it. */
static unsigned int id_of(const struct tsh_instance *in, const char *name)
{
	char *path = tsh_xasprintf("events/task/%s/id", name);
	unsigned int id = (unsigned int)tsh_file_number(in, path, 0);

	free(path);
	return id;
}

static bool enable(struct tsh_instance *in, const char *name)
{
	char *path = tsh_xasprintf("events/task/%s/enable", name);
	struct tsh_err ignored = { 0 };
	bool done = tsh_file_exists(in, path) &&
		    tsh_file_write(in, path, TSH_WRITE_SET, "1", &ignored) >= 0;

	tsh_err_release(&ignored);
	free(path);
	return done;
}

/* Says whether a call needs names of tasks. If not, task_newtask and task_rename are not recorded,
 * so that none of these events can be lost. */
static bool needs_names(const struct tsh_call *call)
{
	const struct tsh_counter *counter = tsh_counter_of(call);
	struct tsh_query *where = tsh_where_query(call);

	/* the children of listed tasks must be known too */
	if ((where && (tsh_query_needs_names(where) || tsh_query_needs_all(where))) || tsh_args_has(&call->args, "TASK"))
		return true;
	return counter ? counter->ops->needs_names(counter) : tsh_call_shows_tasks(call);
}

void tsh_task_names_enable(struct tsh_instance *in, const struct tsh_call *call, struct tsh_task_names *ret)
{
	size_t i;

	*ret = (struct tsh_task_names){ .stage.kind = &kind };
	/* a script (--dry-run) prints the text of the kernel, which has the names already */
	if (!in->own || in->dir->dry || !needs_names(call))
		return;
	ret->are_all = true;
	ret->learns_ahead = true;
	for (i = 0; i < TSH_NAME_EVENTS; i++) {
		ret->ids[i] = id_of(in, names[i]);
		ret->hides[i] = !is_asked(call, names[i]);
		if (ret->hides[i])
			ret->are_all &= enable(in, names[i]);
		else
			ret->are_all &= !tsh_filters_value(call) && !tsh_where_of(call);
		if (i == NAME_BIRTH)
			ret->has_births = ret->are_all;
	}
}

/* Says whether the instance records every event of system task with that name: it is enabled,
 * without a filter. */
static bool is_whole(const struct tsh_instance *in, const char *name)
{
	char *path = tsh_xasprintf("events/task/%s/enable", name), *filter;
	bool whole = tsh_file_number(in, path, 0) == 1;

	free(path);
	path = tsh_xasprintf("events/task/%s/filter", name);
	filter = whole ? tsh_file_text(in, path) : NULL;
	whole = filter && !strncmp(filter, "none", 4);
	free(filter);
	free(path);
	return whole;
}

/* Reads from a recording which events were recorded only for the names, and whether all changes
 * of names are in it. */
static void find_recorded(const struct tsh_instance *in, struct tsh_task_names *ret)
{
	char *hidden = tsh_tree_info(in, TSH_RECORD_HIDDEN), *told = tsh_tree_info(in, TSH_RECORD_NAMES);
	struct tsh_strlist words = { 0 };
	size_t i;

	tsh_strlist_split_words(&words, hidden ? hidden : "");
	for (i = 0; i < TSH_NAME_EVENTS; i++) {
		ret->ids[i] = id_of(in, names[i]);
		ret->hides[i] = tsh_strlist_has(&words, names[i]);
	}
	ret->are_all = told && !strcmp(told, "all");
	ret->has_births = ret->ids[NAME_BIRTH];
	/* A recording whose info has TSH_RECORD_NAMES has the first names in a file
	 * (tracesh/comms). */
	ret->learns_ahead = !told && ret->ids[NAME_RENAME];
	tsh_strlist_release(&words);
	free(told);
	free(hidden);
}

void tsh_task_names_find(const struct tsh_instance *in, struct tsh_task_names *ret)
{
	size_t i;

	*ret = (struct tsh_task_names){ .stage.kind = &kind };
	if (in->dir->kind == TSH_DIR_TREE) {
		find_recorded(in, ret);
		return;
	}
	for (i = 0; i < TSH_NAME_EVENTS; i++)
		ret->ids[i] = is_whole(in, names[i]) ? id_of(in, names[i]) : 0;
	ret->learns_ahead = ret->ids[NAME_RENAME];
	ret->has_births = ret->ids[NAME_BIRTH];
	ret->are_all = ret->learns_ahead && ret->has_births;
}

bool tsh_task_names_are_hidden(const struct tsh_task_names *task_names)
{
	return (task_names->ids[NAME_BIRTH] && task_names->hides[NAME_BIRTH]) ||
	       (task_names->ids[NAME_RENAME] && task_names->hides[NAME_RENAME]);
}

void tsh_task_names_append_lost(bool hidden, struct tsh_strbuf *text)
{
	if (hidden)
		tsh_strbuf_adds(text, " (perhaps some of task_newtask and task_rename: names may be wrong)");
}

bool tsh_task_names_need_losses(const struct tsh_task_names *task_names)
{
	return task_names->source;
}

bool tsh_task_names_are_extra(const struct tsh_task_names *task_names)
{
	return task_names->ids[NAME_BIRTH] || task_names->ids[NAME_RENAME];
}

void tsh_task_names_hidden(const struct tsh_task_names *task_names, struct tsh_strlist *ret)
{
	size_t i;

	for (i = 0; i < TSH_NAME_EVENTS; i++)
		if (task_names->hides[i] && task_names->ids[i])
			tsh_strlist_add(ret, names[i]);
}

static bool has_one_of(const struct tsh_instance *in, const struct tsh_cpuset *set)
{
	unsigned int *present = NULL;
	size_t i, n = tsh_cpus_present(in, &present);

	for (i = 0; i < n && !tsh_cpuset_has(set, present[i]); i++)
		;
	free(present);
	return i < n;
}

const struct tsh_cpuset *tsh_task_names_cpus(struct tsh_task_names *task_names, const struct tsh_instance *in,
					     const struct tsh_value *cpus)
{
	const struct tsh_cpuset *set = cpus ? &cpus->cpus : NULL;

	/* opening the source will report that there is no such CPU */
	if (!set || !tsh_task_names_are_extra(task_names) || !has_one_of(in, set))
		return set;
	task_names->cpus = set;
	return NULL;
}

/* Reads a whole recording that has no file of first names, to find them in its events. */
static void read_all_records(void *ctx)
{
	const struct tsh_open_stream *stream = ctx;
	struct tsh_decoder *decoder = stream->decoder;
	struct tsh_err ignored = { 0 };
	struct tsh_source *all;
	bool drained = false;

	if (tsh_source_open(stream->in, NULL, &all, &ignored) < 0) {
		tsh_err_release(&ignored);
		return;
	}
	tsh_source_set_preview(all, learn_ahead, decoder);
	while (!drained && tsh_source_fill(all, PAGES, &drained) >= 0)
		tsh_source_drop_waiting(all);
	tsh_source_close(all);
}

/*
 * Finds the names that tasks had when the stream began. A recording is only read for them when a name
 * is needed that no event has told. The present name of a task is that name,
 * unless a record changes it. All records written until now are read here; later changes come with
 * their records.
 */
void tsh_task_names_begin(struct tsh_task_names *task_names)
{
	struct tsh_open_stream *stream = task_names->stage.stream;
	const struct tsh_provider *provider = stream->provider;
	bool drained = false;

	if (!task_names->learns_ahead)
		return;
	if (stream->in->dir->kind == TSH_DIR_TREE) {
		tsh_decoder_set_ahead(stream->decoder, read_all_records, stream);
		return;
	}
	task_names->source = stream->source;
	tsh_source_set_preview(task_names->source, learn_ahead, stream->decoder);
	if (!task_names->are_all || !stream->in->own || !provider->tasks ||
	    !provider->tasks(provider->ctx, set_first_comm, stream->decoder))
		return;
	while (!drained && tsh_source_fill(task_names->source, PAGES, &drained) > 0)
		;
	tsh_source_set_preview(task_names->source, NULL, NULL);
	tsh_decoder_set_names_complete(stream->decoder);
}

void tsh_task_names_end(struct tsh_task_names *task_names)
{
	if (task_names->source)
		tsh_source_set_preview(task_names->source, NULL, NULL);
}

const char *tsh_task_names_time(const struct tsh_task_names *task_names, const struct tsh_instance *in)
{
	if (in->own || task_names->are_all || task_names->ids[NAME_RENAME])
		return NULL;
	return in->dir->kind == TSH_DIR_TREE ? "the end of the recording" : "the time of reading";
}

void tsh_task_names_note(const struct tsh_task_names *task_names, const struct tsh_instance *in, struct tsh_out *out)
{
	const char *late = tsh_task_names_time(task_names, in);

	if (late && in->dir->kind == TSH_DIR_TREE)
		tsh_out_note(out, "names are those of %s: it has no task:task_rename", late);
	else if (late)
		tsh_out_note(out, "names are those of %s: task:task_rename is not recorded in '%s'", late,
			     tsh_instance_label(in));
}
