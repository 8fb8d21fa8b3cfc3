/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "stacks-parts.h"

#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "own.h"
#include "tasks.h"
#include "tracesh/now.h"
#include "tracesh/number.h"
#include "tracesh/utf8.h"
#include "util.h"

/* Processes whose maps are kept; and how long they are taken for true: a process may exec. */
#define PROCESSES_MAX 1024
#define TRUE_NS (250 * INT64_C(1000000))
/* Code that is mapped: in a process, and in all of them. */
#define MAPS_MAX 16384
#define MAPS_ALL_MAX (1u << 20)
/* Bytes of names that stacks had. */
#define NAMES_MAX (UINT64_C(64) << 20)
/* Places in programs that are kept with the functions that the debug information has there, and of these, each. */
#define PLACES_MAX (1u << 20)
#define DEEP_MAX 32
/* How long after the time that was asked for the last events may still be looked up. */
#define GRACE_NS INT64_C(1000000000)
/* Waits so long for a process's mappings, and reads none any more after so many that did not come. */
#define PATIENCE_MS 2000
#define SILENT_MAX 8
/* Bytes of the mappings of a process: all that are kept, with paths of a common length. */
#define MAPS_BYTES_MAX (16u << 20)
/* Writes so many bytes at once. */
#define PIECE 65536u

struct mapping {
	uint64_t begin, end, offset;
	size_t object;
};

struct process {
	int tgid;
	int64_t read;			/* CLOCK_MONOTONIC, ns */
	bool is_silent;			/* its mappings did not come, and are not asked for again */
	TSH_VEC(struct mapping) maps;	/* by address, as the kernel lists them */
};

/* A place that the debug information was asked about. */
struct place {
	size_t object;
	uint64_t offset;
	uint64_t function;		/* the number of the function that it lies in, where the symbols have none; 0 */
	size_t n;
	uint64_t inlined[];		/* the numbers of those that were put into that, the innermost first */
};

/* A name that was found by debug information. */
struct named {
	uint64_t number;
	char *text;
};

struct stacks_users {
	struct tsh_own_place place;
	struct tsh_apart_host host;	/* leaves processes out there */
	struct tsh_tasks readers;	/* these */
	bool are_ours;			/* the kernel's numbers are those of /proc here */
	struct stacks_objects *objects;
	TSH_VEC(struct process) processes;
	size_t nmaps;			/* of all processes */
	void *places, *named;		/* struct place and struct named, by tsearch(3) */
	size_t nplaces;
	struct tsh_strlist names;	/* by number */
	uint64_t name_bytes;
	uint64_t names_left_out, maps_left_out, processes_left_out;
	uint64_t processes_silent;
	int64_t until;			/* CLOCK_MONOTONIC, ns: nothing is read any more; 0: no end */
	struct tsh_apart_helper helper;	/* reads mappings */
	/* Lent to the stream: what is heard here ends it. */
	struct tsh_waiter waiter;
	const struct tsh_waiter *session;
	enum tsh_wait_result heard;	/* TSH_WAIT_TIMEOUT: nothing */
};

/* ---- signals ---- */

static enum tsh_wait_result wait_or_heard(void *ctx, struct pollfd *fds, unsigned int nfds,
					  int timeout_ms)
{
	struct stacks_users *users = ctx;
	enum tsh_wait_result result = users->heard;

	users->heard = TSH_WAIT_TIMEOUT;
	return result != TSH_WAIT_TIMEOUT ? result : tsh_wait(users->session, fds, nfds, timeout_ms);
}

/* Hears the end of the time, too: of that the stream needs not be told. */
static enum tsh_wait_result hear(void *ctx, struct pollfd *fds, unsigned int nfds, int timeout_ms)
{
	struct stacks_users *users = ctx;
	enum tsh_wait_result result;

	if (users->until && tsh_now_ns(CLOCK_MONOTONIC) > users->until)
		return TSH_WAIT_STOP;
	if (users->heard != TSH_WAIT_TIMEOUT)
		return users->heard;
	result = tsh_wait(users->session, fds, nfds, timeout_ms);
	if (result == TSH_WAIT_STOP || result == TSH_WAIT_ABORT)
		users->heard = result;
	return result;
}

const struct tsh_waiter *stacks_users_waiter(const struct stacks_users *users)
{
	return &users->waiter;
}

/* ---- processes that read ---- */

/* The first call of each is traced all the same: fork(3) makes it. */
static void leave_out(void *ctx, pid_t pid)
{
	struct stacks_users *users = ctx;

	tsh_own_leave_out(&users->place, pid);
	tsh_tasks_add(&users->readers, pid);
}

bool stacks_users_are(const struct stacks_users *users, int tgid)
{
	return tsh_tasks_has(&users->readers, tgid);
}

/* ---- names ---- */

/* The number of a name; `other` once there are too many bytes of them. */
static uint64_t add_name(struct stacks_users *users, const char *text, uint64_t other)
{
	struct tsh_strbuf clean = TSH_STRBUF_INIT;

	if (users->name_bytes >= NAMES_MAX) {
		users->names_left_out++;
		return other;
	}
	tsh_sanitize(&clean, text, strlen(text));
	users->name_bytes += clean.len + sizeof(char *);
	tsh_strlist_take(&users->names, tsh_strbuf_detach(&clean));
	return users->names.n - 1;
}

/* ---- its mappings, by a process apart ---- */

/* Checks a line of /proc/PID/maps: "5581e0a00000-5581e0a2f000 r-xp 0002f000 fe:01 131090   /usr/bin/bash" */
static bool is_code(const char *line)
{
	const char *blank = strchr(line, ' ');

	return blank && strnlen(blank, 4) == 4 && blank[3] == 'x';
}

static void flush(struct tsh_strbuf *text, int out)
{
	/* Ends here: whoever reads it has gone. */
	if (tsh_write_all(out, text->buf, text->len) < 0)
		_exit(1);
	tsh_strbuf_clear(text);
}

/* Waits for a task that changes its mappings, which may itself wait for a file system that never answers. */
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

/* ---- processes ---- */

static void add_mapping(struct stacks_users *users, struct process *process, const char *line)
{
	struct tsh_strlist words = { 0 };
	struct mapping mapping = { 0 };
	const char *path = strpbrk(line, "/[");
	char *end;

	tsh_strlist_split_words(&words, line);
	if (words.n < 5) {
		tsh_strlist_release(&words);
		return;
	}
	if (process->maps.n == MAPS_MAX || users->nmaps == MAPS_ALL_MAX) {
		users->maps_left_out++;
		tsh_strlist_release(&words);
		return;
	}
	mapping.begin = strtoull(words.v[0], &end, 16);
	mapping.end = strtoull(end + (*end == '-'), NULL, 16);
	mapping.offset = strtoull(words.v[2], NULL, 16);
	mapping.object = stacks_object_find(users->objects, process->tgid, words.v[0], words.v[3],
					    words.v[4], path ? path : "");
	*tsh_vec_push(&process->maps) = mapping;
	users->nmaps++;
	tsh_strlist_release(&words);
}

static void forget_maps(struct stacks_users *users, struct process *process)
{
	users->nmaps -= process->maps.n;
	tsh_vec_release(&process->maps);
}

static enum tsh_apart ask_for_maps(struct stacks_users *users, const struct process *process,
				   const struct tsh_waiter *ears, struct tsh_strbuf *text)
{
	enum tsh_apart result;

	if (!users->are_ours)
		return TSH_APART_FAILED;
	if (tsh_wait(ears, NULL, 0, 0) != TSH_WAIT_TIMEOUT)
		return TSH_APART_SIGNAL;
	if (users->processes_silent >= SILENT_MAX)
		return TSH_APART_SILENT;
	result = tsh_apart_ask(&users->helper, &process->tgid, ears, PATIENCE_MS, MAPS_BYTES_MAX, text);
	if (text->len <= MAPS_BYTES_MAX)
		return result;
	users->maps_left_out++;
	return TSH_APART_DONE;
}

/* One that has ended keeps what it had, and so does one that there is no time for or that is silent. */
static void read_maps(struct stacks_users *users, struct process *process)
{
	const struct tsh_waiter ears = { hear, users };
	struct tsh_strbuf text = TSH_STRBUF_INIT;
	enum tsh_apart result = ask_for_maps(users, process, &ears, &text);
	bool is_first = !process->read;
	char *line, *end;

	process->read = tsh_now_ns(CLOCK_MONOTONIC);
	process->is_silent = result == TSH_APART_SILENT;
	users->processes_silent += process->is_silent;
	users->processes_left_out += result == TSH_APART_SIGNAL && is_first;
	if (result == TSH_APART_DONE && text.len)
		forget_maps(users, process);
	for (line = text.buf; result == TSH_APART_DONE && (end = strchr(line, '\n')); line = end + 1) {
		*end = '\0';
		add_mapping(users, process, line);
	}
	tsh_strbuf_release(&text);
}

static struct process *process_of(struct stacks_users *users, int tgid)
{
	struct process *process = NULL;
	size_t i;

	for (i = 0; i < users->processes.n && !process; i++)
		if (users->processes.v[i].tgid == tgid)
			process = &users->processes.v[i];
	if (!process) {
		/* the room of the oldest is not looked for: one in a thousand is read again */
		if (users->processes.n == PROCESSES_MAX) {
			users->processes.n--;
			forget_maps(users, &users->processes.v[users->processes.n]);
		}
		process = tsh_vec_push(&users->processes);
		process->tgid = tgid;
	}
	if (!process->is_silent &&
	    (!process->read || tsh_now_ns(CLOCK_MONOTONIC) - process->read > TRUE_NS))
		read_maps(users, process);
	return process;
}

/* ---- looking up ---- */

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

/* The number of an object's own name. */
static uint64_t label_number(struct stacks_users *users, struct stacks_object *object)
{
	if (!object->number)
		object->number = (uint32_t)add_name(users, object->label, 0);
	return object->number;
}

static int compare_places(const void *a, const void *b)
{
	const struct place *x = a, *y = b;

	if (x->object != y->object)
		return x->object < y->object ? -1 : 1;
	return (x->offset > y->offset) - (x->offset < y->offset);
}

static int compare_named(const void *a, const void *b)
{
	return strcmp(((const struct named *)a)->text, ((const struct named *)b)->text);
}

/* The number of a name that may have been there before; takes it. */
static uint64_t named_number(struct stacks_users *users, char *text, uint64_t other)
{
	struct named *named = tsh_xmalloc(sizeof(*named)), **found;

	*named = (struct named){ .text = text };
	found = tsearch(named, &users->named, compare_named);
	if (found && *found == named) {
		named->number = add_name(users, text, other);
		return named->number;
	}
	free(named);
	free(text);
	return found ? (*found)->number : other;
}

/* Puts what the debug information says, the function's own name at last, into a place. */
static struct place *new_place(struct stacks_users *users, const struct place *key, const char *text)
{
	struct stacks_object *object = stacks_object(users->objects, key->object);
	struct place *place = tsh_xcalloc(1, sizeof(*place) + DEEP_MAX * sizeof(*place->inlined));
	uint64_t other = label_number(users, object);
	const char *end;

	*place = *key;
	for (; (end = strchr(text, '\n')); text = end + 1) {
		if (!end[1])
			place->function = named_number(users, tsh_xasprintf("%.*s %s", (int)(end - text), text,
									    object->label), other);
		else if (place->n < DEEP_MAX)
			place->inlined[place->n++] = named_number(users, tsh_xasprintf("%.*s (inlined) %s",
										       (int)(end - text), text,
										       object->label), other);
	}
	return tsh_xreallocarray(place, 1, sizeof(*place) + place->n * sizeof(*place->inlined));
}

/* NULL: nothing is known. */
static const struct place *look_at_debug(struct stacks_users *users, size_t object, uint64_t offset)
{
	const struct place key = { .object = object, .offset = offset };
	struct tsh_strbuf text = TSH_STRBUF_INIT;
	struct place *place, *const *found;

	found = tfind(&key, &users->places, compare_places);
	if (found)
		return *found;
	if (!stacks_object(users->objects, object)->debug || users->nplaces == PLACES_MAX)
		return NULL;
	stacks_object_inlined(users->objects, stacks_object(users->objects, object), offset, &text);
	place = new_place(users, &key, text.buf);
	users->nplaces += tsearch(place, &users->places, compare_places) != NULL;
	tsh_strbuf_release(&text);
	return place;
}

static void free_place(void *place)
{
	free(place);
}

static void free_named(void *node)
{
	struct named *named = node;

	free(named->text);
	free(named);
}

/* The number of the function that a place lies in, by the symbols. 0: they have none. */
static uint64_t function_number(struct stacks_users *users, struct stacks_object *object, uint64_t offset)
{
	struct stacks_function *function = stacks_object_function(object, offset);
	char *name;

	if (!function)
		return 0;
	if (!function->number) {
		name = tsh_xasprintf("%.*s %s", (int)stacks_function_length(function), function->name,
				     object->label);
		function->number = (uint32_t)add_name(users, name, label_number(users, object));
		free(name);
	}
	return function->number;
}

size_t stacks_users_look(struct stacks_users *users, int tgid, uint64_t address, uint64_t *ret, size_t max)
{
	const struct mapping *mapping = mapping_at(process_of(users, tgid), address);
	struct stacks_object *object;
	const struct place *place;
	uint64_t offset;
	size_t n = 0;

	*ret = 0;
	if (!mapping)
		return 1;
	offset = address - mapping->begin + mapping->offset;
	object = stacks_object(users->objects, mapping->object);
	place = look_at_debug(users, mapping->object, offset);
	for (; place && n < place->n && n + 1 < max; n++)
		ret[n] = place->inlined[n];
	ret[n] = function_number(users, object, offset);
	if (!ret[n] && place)
		ret[n] = place->function;
	if (!ret[n])
		ret[n] = label_number(users, object);
	return n + 1;
}

const char *stacks_users_name(const struct stacks_users *users, uint64_t number)
{
	return users->names.v[number < users->names.n ? number : 0];
}

void stacks_users_unused(const struct stacks_users *users, struct tsh_strbuf *text)
{
	stacks_objects_unused(users->objects, text);
}

void stacks_users_left_out(const struct stacks_users *users, struct tsh_strbuf *text)
{
	stacks_objects_left_out(users->objects, text);
	if (users->names_left_out)
		tsh_strbuf_addf(text, "%s%llu names (64 MB of them)", text->len ? ", " : "",
				(unsigned long long)users->names_left_out);
	if (users->maps_left_out)
		tsh_strbuf_addf(text, "%s%llu mappings (16,384 a process, 1 M of all)",
				text->len ? ", " : "", (unsigned long long)users->maps_left_out);
	if (users->processes_left_out)
		tsh_strbuf_addf(text, "%s%llu processes (time was up)", text->len ? ", " : "",
				(unsigned long long)users->processes_left_out);
	if (users->processes_silent)
		tsh_strbuf_addf(text, "%s%llu processes (their mappings did not come in 2 s)",
				text->len ? ", " : "", (unsigned long long)users->processes_silent);
}

struct stacks_users *stacks_users_new(struct tsh_session *s, struct tsh_instance *in, uint64_t max_ns)
{
	struct stacks_users *users = tsh_xcalloc(1, sizeof(*users));

	users->session = s->waiter;
	users->place = (struct tsh_own_place){ s, in };
	users->host = (struct tsh_apart_host){ leave_out, users };
	users->helper = (struct tsh_apart_helper){ .work = write_maps, .size = sizeof(int), .host = &users->host };
	if (max_ns)
		users->until = tsh_saturating_add(tsh_now_ns(CLOCK_MONOTONIC) + GRACE_NS, max_ns);
	users->waiter = (struct tsh_waiter){ wait_or_heard, users };
	users->are_ours = tsh_tasks_are_the_kernels();
	users->objects = stacks_objects_new(&users->host, (struct tsh_waiter){ hear, users });
	add_name(users, "[unknown]", 0);
	return users;
}

void stacks_users_free(struct stacks_users *users)
{
	size_t i;

	if (!users)
		return;
	for (i = 0; i < users->processes.n; i++)
		tsh_vec_release(&users->processes.v[i].maps);
	tsh_vec_release(&users->processes);
	tdestroy(users->places, free_place);
	tdestroy(users->named, free_named);
	tsh_apart_end(&users->helper);
	tsh_tasks_release(&users->readers);
	stacks_objects_free(users->objects);
	tsh_strlist_release(&users->names);
	free(users);
}
