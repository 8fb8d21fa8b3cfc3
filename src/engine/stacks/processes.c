/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "internal.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/now.h"
#include "base/safe-file.h"
#include "events/clock/clock.h"
#include "events/source/mappings.h"
#include "events/source/stream.h"
#include "session/tasks.h"
#include "session/util.h"

/*
 * Knows which files processes have mapped, and when. /proc/PID/maps has the mappings that a process
 * had when it was first seen, and perf reports the later ones. So an address is looked up in the
 * mappings at the time of its event, before or after an exec.
 */

/* Limit the processes that are known. Beyond PROCESSES_MAX those are dropped that ended more
 * than ENDED_NS ago. */
#define PROCESSES_MAX 4096
#define ENDED_NS (5 * INT64_C(1000000000))
#define HEADS 1024
/* Limit the mappings of code: those of a process that are read from its maps, those of a process
 * that perf reports later, and those of all processes together. */
#define MAPS_MAX 16384
#define HEARD_MAX 4096
#define MAPS_ALL_MAX (1u << 20)
/* Limits the search of mappings that a process has inherited from its parents. */
#define PARENTS_MAX 32
/* Says how long mappings are used without perf before they are read again, in ns. */
#define TRUE_NS (250 * INT64_C(1000000))
/* Limit the wait for a process's mappings, and the processes that may fail to answer before no
 * more are read. */
#define PATIENCE_MS 2000
#define SILENT_MAX 8
/* Limits the text of a process's mappings: enough for MAPS_MAX with paths of a usual length. */
#define MAPS_BYTES_MAX (16u << 20)
/* Is the number of bytes that are written at a time. */
#define PIECE 65536u

struct mapping {
	uint64_t begin, end, offset;
	uint64_t since;			/* time of a mapping that perf has reported */
	size_t programs;		/* its program, counted as in `begun` */
	size_t object;
};
struct mappings { struct mapping *v; size_t n, cap; };

/* Holds a process; times are of the instance's clock. */
struct process {
	struct process *next;		/* next one with the same hash value */
	int tgid, parent;		/* parent 0: unknown, or not needed any more */
	uint64_t born, ended;
	uint64_t known;			/* time before which nothing is known of it */
	/* Counts the programs that it has executed since `known`; program 0 was there before. */
	size_t begun;
	TSH_VEC(uint64_t) runs;		/* times at which these programs began to run */
	struct mappings heard;		/* reported by perf, in that order */
	struct mappings maps;		/* mappings of program 0, from /proc, by address */
	bool is_read;			/* maps were read, or cannot be read any more */
	/* reading maps had no answer in time, and is not tried again */
	bool is_silent;
	bool are_there;			/* maps were read successfully */
	/* Is an upper bound of the time at which maps was read; without perf by CLOCK_MONOTONIC,
	 * ns. */
	uint64_t read;
};

struct stacks_processes {
	struct stacks_objects *objects;
	struct tsh_waiter waiter;
	struct tsh_apart_helper helper;	/* process that reads mappings */
	bool are_ours;			/* our pids are the kernel's (tsh_tasks_have_kernel_numbers) */
	struct tsh_mappings *perf;	/* NULL: perf reports nothing */
	int deaf;			/* why perf reports nothing, -errno; or 0 */
	struct process *heads[HEADS];
	size_t n, nmaps;		/* processes, and mappings of all processes */
	uint64_t known, heard;		/* `known` as in a process; perf was read up to `heard` */
	uint64_t maps_left_out, processes_left_out, processes_silent, lost;
};

/* ---- processes ---- */

static struct process **head_of(struct stacks_processes *all, int tgid)
{
	return &all->heads[(unsigned int)tgid % HEADS];
}

static void forget_mappings(struct stacks_processes *all, struct mappings *maps)
{
	all->nmaps -= maps->n;
	tsh_vec_release(maps);
}

static struct process *add_process(struct stacks_processes *all, int tgid, uint64_t born)
{
	struct process *process = tsh_xcalloc(1, sizeof(*process)), **head = head_of(all, tgid);

	process->tgid = tgid;
	process->born = born;
	process->ended = UINT64_MAX;
	process->known = all->known;
	process->next = *head;
	*head = process;
	all->n++;
	return process;
}

static void remove_process(struct stacks_processes *all, struct process **at)
{
	struct process *process = *at;

	*at = process->next;
	forget_mappings(all, &process->heard);
	forget_mappings(all, &process->maps);
	tsh_vec_release(&process->runs);
	free(process);
	all->n--;
}

/* Finds the process that had a pid at a time. If perf has reported none, adds a process that
 * existed before perf was opened. */
static struct process *process_at(struct stacks_processes *all, int tgid, uint64_t stamp)
{
	struct process *process, *found = NULL, *later = NULL;

	for (process = *head_of(all, tgid); process; process = process->next) {
		if (process->tgid != tgid)
			continue;
		if (process->born > stamp)
			later = process;
		else if (!found || process->born > found->born)
			found = process;
	}
	if (found)
		return found;
	found = add_process(all, tgid, 0);
	/* The pid belongs to another process by now. */
	if (later)
		found->ended = later->born;
	return found;
}

/* Drops everything that is known of a process; its mappings will be read again. */
static void reset_process(struct stacks_processes *all, struct process *process, uint64_t stamp)
{
	forget_mappings(all, &process->heard);
	forget_mappings(all, &process->maps);
	tsh_vec_release(&process->runs);
	process->begun = 0;
	process->parent = 0;
	process->known = stamp;
	process->is_read = process->are_there = false;
}

/* Returns the number of the program that a process ran at a time. */
static size_t program_at(const struct process *process, uint64_t stamp)
{
	size_t n = process->runs.n;

	while (n && process->runs.v[n - 1] > stamp)
		n--;
	return n;
}

static const struct mapping *reported_at(const struct process *process, uint64_t stamp, uint64_t address)
{
	size_t program = program_at(process, stamp), i;

	for (i = process->heard.n; i-- > 0;) {
		const struct mapping *m = &process->heard.v[i];

		if (m->programs == program && m->since <= stamp && m->begin <= address && address < m->end)
			return m;
	}
	return NULL;
}

/* Says whether perf has reported a mapping at an address between a time and the reading of the
 * maps. */
static bool was_mapped_since(const struct process *process, uint64_t stamp, uint64_t address)
{
	size_t i;

	for (i = process->heard.n; i-- > 0;) {
		const struct mapping *m = &process->heard.v[i];

		if (!m->programs && m->since > stamp && m->since <= process->read && m->begin <= address && address < m->end)
			return true;
	}
	return false;
}

/* ---- reports of perf ---- */

static void handle_code(struct stacks_processes *all, struct process *process, const struct tsh_mapping *code)
{
	const struct stacks_file_id id = { .device = code->device, .inode = code->inode };
	const struct mapping made = {
		.begin = code->begin, .end = code->end, .offset = code->offset, .since = code->stamp,
		.programs = process->begun, .object = stacks_object_find(all->objects, &id, code->path),
	};
	size_t i;

	/* mprotect(2) also reports mappings that were known before */
	for (i = process->heard.n; i-- > 0;) {
		const struct mapping *m = &process->heard.v[i];

		if (m->programs != made.programs || m->end <= made.begin || made.end <= m->begin)
			continue;
		if (m->begin <= made.begin && made.end <= m->end && m->object == made.object &&
		    m->offset - m->begin == made.offset - made.begin)
			return;
		break;
	}
	if (process->heard.n == HEARD_MAX || all->nmaps == MAPS_ALL_MAX) {
		reset_process(all, process, code->stamp);
		return;
	}
	*tsh_vec_push(&process->heard) = made;
	all->nmaps++;
}

static void handle_loss(struct stacks_processes *all, uint64_t stamp)
{
	struct process *process;
	size_t i;

	for (i = 0; i < HEADS; i++)
		for (process = all->heads[i]; process; process = process->next)
			reset_process(all, process, stamp);
	all->known = stamp;
}

/* Notes an exec. The process has not ended, although its leader exits when another thread calls
 * exec. */
static void begin_program(struct process *process)
{
	process->begun++;
	process->ended = UINT64_MAX;
}

static void handle_report(void *ctx, const struct tsh_mapping *told)
{
	struct stacks_processes *all = ctx;
	struct process *process;

	if (told->what == TSH_MAPPING_LOST) {
		all->lost++;
		handle_loss(all, told->stamp);
		return;
	}
	if (told->what == TSH_MAPPING_FORK) {
		process = add_process(all, told->tgid, told->stamp);
		process->parent = told->parent;
		return;
	}
	process = process_at(all, told->tgid, told->stamp);
	if (told->what == TSH_MAPPING_CODE)
		handle_code(all, process, told);
	else if (told->what == TSH_MAPPING_EXEC)
		begin_program(process);
	else if (told->what == TSH_MAPPING_EXIT)
		process->ended = told->stamp;
	else if (process->runs.n < process->begun)
		*tsh_vec_push(&process->runs) = told->stamp;
	else
		reset_process(all, process, told->stamp);
}

/* Drops processes that have ended when there are too many; all of them when that is not enough. */
static void limit_processes(struct stacks_processes *all)
{
	struct process **at;
	size_t i;

	for (i = 0; i < HEADS && all->n > PROCESSES_MAX; i++)
		for (at = &all->heads[i]; *at;) {
			if (tsh_saturating_sum((*at)->ended, ENDED_NS) < all->heard)
				remove_process(all, at);
			else
				at = &(*at)->next;
		}
	if (all->n <= PROCESSES_MAX)
		return;
	for (i = 0; i < HEADS; i++)
		while (all->heads[i])
			remove_process(all, &all->heads[i]);
	all->known = all->heard;
}

static void read_reports(struct stacks_processes *all)
{
	if (all->perf)
		all->heard = tsh_mappings_read(all->perf, handle_report, all);
}

void stacks_processes_read_reports(struct stacks_processes *all)
{
	read_reports(all);
	limit_processes(all);
}

/* ---- /proc/PID/maps, read by another process ---- */

/* Says whether a line of the maps is code: "5581e0a00000-5581e0a2f000 r-xp 0002f000 fe:01 131090
 * /usr/bin/bash". */
static bool is_code(const char *line)
{
	const char *blank = strchr(line, ' ');

	return blank && strnlen(blank, 4) == 4 && blank[3] == 'x';
}

static void flush(struct tsh_strbuf *text, int out)
{
	/* The reader has gone. */
	if (tsh_write_all(out, text->buf, text->len) < 0)
		_exit(1);
	tsh_strbuf_clear(text);
}

/* Writes the lines of code. Opening the maps can block as long as the process changes its
 * mappings, which may wait for a file system that never answers. */
static void write_maps(void *ctx, int out)
{
	char *path = tsh_xasprintf("/proc/%d/maps", *(const int *)ctx), *line = NULL;
	struct tsh_strbuf text = TSH_STRBUF_INIT;
	FILE *maps = fopen(path, "re");
	size_t size = 0;

	while (maps && getline(&line, &size, maps) > 0) {
		if (is_code(line))
			tsh_strbuf_adds(&text, line);
		if (text.len >= PIECE)
			flush(&text, out);
	}
	flush(&text, out);
	tsh_strbuf_release(&text);
	if (maps)
		fclose(maps);
	free(line);
	free(path);
}

static void add_mapping(struct stacks_processes *all, struct process *process, const char *line)
{
	struct tsh_strlist words = { 0 };
	struct mapping mapping = { 0 };
	const char *path = strpbrk(line, "/[");
	struct stacks_file_id id;
	char *end;

	tsh_strlist_split_words(&words, line);
	if (words.n < 5) {
		tsh_strlist_release(&words);
		return;
	}
	if (process->maps.n == MAPS_MAX || all->nmaps == MAPS_ALL_MAX) {
		all->maps_left_out++;
		tsh_strlist_release(&words);
		return;
	}
	mapping.begin = strtoull(words.v[0], &end, 16);
	mapping.end = strtoull(end + (*end == '-'), NULL, 16);
	mapping.offset = strtoull(words.v[2], NULL, 16);
	id = stacks_file_id(words.v[3], words.v[4]);
	mapping.object = stacks_object_find(all->objects, &id, path ? path : "");
	stacks_object_read(all->objects, mapping.object, process->tgid, mapping.begin, mapping.end);
	*tsh_vec_push(&process->maps) = mapping;
	all->nmaps++;
	tsh_strlist_release(&words);
}

static enum tsh_apart_result ask_for_maps(struct stacks_processes *all, const struct process *process,
					  struct tsh_strbuf *text)
{
	enum tsh_apart_result result;

	if (!all->are_ours)
		return TSH_APART_FAILED;
	if (tsh_wait(&all->waiter, NULL, 0, 0) != TSH_WAIT_TIMEOUT)
		return TSH_APART_SIGNAL;
	if (all->processes_silent >= SILENT_MAX)
		return TSH_APART_SILENT;
	result = tsh_apart_ask(&all->helper, &process->tgid, &all->waiter, PATIENCE_MS, MAPS_BYTES_MAX, text);
	if (text->len <= MAPS_BYTES_MAX)
		return result;
	all->maps_left_out++;
	return TSH_APART_DONE;
}

/* Reads the mappings of program 0, and drops them when another program has begun meanwhile.
 * Leaves the old ones when there is no time, or no answer. */
static void read_maps(struct stacks_processes *all, struct process *process)
{
	struct tsh_strbuf text = TSH_STRBUF_INIT;
	uint64_t known = process->known;
	enum tsh_apart_result result = ask_for_maps(all, process, &text);
	char *line, *end;

	read_reports(all);
	process->is_silent = result == TSH_APART_SILENT;
	all->processes_silent += process->is_silent;
	all->processes_left_out += result == TSH_APART_SIGNAL && !process->is_read;
	process->is_read = true;
	process->read = all->perf ? all->heard : (uint64_t)tsh_now_ns(CLOCK_MONOTONIC);
	if (process->known != known)
		process->is_read = false;
	else if (result == TSH_APART_DONE && text.len && !process->begun && process->ended == UINT64_MAX) {
		forget_mappings(all, &process->maps);
		process->are_there = true;
		for (line = text.buf; (end = strchr(line, '\n')); line = end + 1) {
			*end = '\0';
			add_mapping(all, process, line);
		}
	}
	tsh_strbuf_release(&text);
}

static bool is_to_be_read(const struct stacks_processes *all, const struct process *process)
{
	if (process->is_silent)
		return false;
	if (!all->perf)
		return !process->is_read || tsh_now_ns(CLOCK_MONOTONIC) - (int64_t)process->read > TRUE_NS;
	return !process->is_read && !process->begun && process->ended == UINT64_MAX;
}

static const struct mapping *mapping_at(const struct process *process, uint64_t address)
{
	size_t low = 0, high = process->maps.n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (process->maps.v[middle].end <= address)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == process->maps.n || address < process->maps.v[low].begin)
		return NULL;
	return &process->maps.v[low];
}

/* ---- finding addresses ---- */

static enum stacks_found set_place(const struct mapping *mapping, uint64_t address, struct stacks_place *ret)
{
	if (!mapping)
		return STACKS_NOTHING;
	*ret = (struct stacks_place){
		.object = mapping->object, .offset = address - mapping->begin + mapping->offset,
		.begin = mapping->begin, .end = mapping->end,
	};
	return STACKS_FOUND;
}

/* Finds what a process had mapped at a time: its own mappings, or those inherited from a parent. */
static enum stacks_found find(struct stacks_processes *all, struct process *process, uint64_t stamp,
			      uint64_t address, struct stacks_place *ret)
{
	unsigned int depth;

	for (depth = 0; depth < PARENTS_MAX; depth++) {
		const struct mapping *mapping = reported_at(process, stamp, address);

		if (stamp < process->known)
			return STACKS_UNKNOWN;
		if (mapping || program_at(process, stamp))
			return set_place(mapping, address, ret);
		if (is_to_be_read(all, process))
			read_maps(all, process);
		if (process->are_there && all->perf && stamp < process->read && was_mapped_since(process, stamp, address))
			return STACKS_UNKNOWN;
		if (process->are_there)
			return set_place(mapping_at(process, address), address, ret);
		if (!process->parent)
			return STACKS_UNKNOWN;
		stamp = process->born;
		process = process_at(all, process->parent, stamp);
	}
	return STACKS_UNKNOWN;
}

enum stacks_found stacks_processes_find(struct stacks_processes *all, int tgid, uint64_t stamp, uint64_t address,
					struct stacks_place *ret)
{
	enum stacks_found found;

	if (!all->perf)
		stamp = UINT64_MAX;
	else if (stamp > all->heard)
		stacks_processes_read_reports(all);
	found = find(all, process_at(all, tgid, stamp), stamp, address, ret);
	if (found == STACKS_FOUND)
		stacks_object_read(all->objects, ret->object, tgid, ret->begin, ret->end);
	return found;
}

int stacks_processes_report_error(const struct stacks_processes *all)
{
	return all->deaf;
}

void stacks_processes_left_out(const struct stacks_processes *all, struct tsh_strbuf *text)
{
	if (all->maps_left_out)
		tsh_strbuf_addf(text, "%s%" PRIu64 " mappings (16,384 a process, 1 M of all)", text->len ? ", " : "",
				all->maps_left_out);
	if (all->processes_left_out)
		tsh_strbuf_addf(text, "%s%" PRIu64 " processes (time was up)", text->len ? ", " : "",
				all->processes_left_out);
	if (all->processes_silent)
		tsh_strbuf_addf(text, "%s%" PRIu64 " processes (their mappings did not come in 2 s)",
				text->len ? ", " : "", all->processes_silent);
	if (all->lost)
		tsh_strbuf_addf(text, "%sperf's reports of mappings, lost "
				      "%" PRIu64 " times", text->len ? ", " : "", all->lost);
}

struct stacks_processes *stacks_processes_new(const struct tsh_instance *in, const struct tsh_apart_host *host,
					      struct tsh_waiter waiter, struct stacks_objects *objects)
{
	struct stacks_processes *all = tsh_xcalloc(1, sizeof(*all));
	char *name = tsh_clock_name(in);
	const struct tsh_clock_kind *kind = tsh_clock_kind(name ? name : "unknown");

	all->objects = objects;
	all->waiter = waiter;
	all->helper = (struct tsh_apart_helper){ .work = write_maps, .size = sizeof(int), .host = host };
	all->are_ours = tsh_tasks_have_kernel_numbers();
	all->deaf = kind->posix == TSH_CLOCK_NO_POSIX ? -EOPNOTSUPP : tsh_mappings_open(in, kind->posix, &all->perf);
	free(name);
	return all;
}

void stacks_processes_free(struct stacks_processes *all)
{
	size_t i;

	for (i = 0; i < HEADS; i++)
		while (all->heads[i])
			remove_process(all, &all->heads[i]);
	tsh_apart_end(&all->helper);
	tsh_mappings_close(all->perf);
	free(all);
}
