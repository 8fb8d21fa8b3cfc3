/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "internal.h"

#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/now.h"
#include "base/number.h"
#include "base/utf8.h"
#include "session/own-instance.h"
#include "session/tasks.h"
#include "session/util.h"

/* Limits the bytes of all names. */
#define NAMES_MAX (UINT64_C(64) << 20)
/* Limit the places whose inlined functions are kept, and the inlined functions of a place. */
#define PLACES_MAX (1u << 20)
#define DEEP_MAX 32
/* Limits the pids of ended readers that are not released yet. */
#define ENDED_MAX 1024
/* Says how long after max_ns the last events may still be looked up, in ns. */
#define GRACE_NS INT64_C(1000000000)
/* Holds the result of the debug information for a place. */
struct place {
	size_t object;
	uint64_t offset;
	/* Is the number of its function by debug information, for use without a symbol; 0: none. */
	uint64_t function;
	size_t n;
	uint64_t inlined[];		/* numbers of the inlined functions, innermost first */
};

/* Holds a name from debug information. */
struct named {
	uint64_t number;
	char *text;
};

struct stacks_users {
	struct tsh_own_place place;
	struct tsh_apart_host host;	/* leaves readers out of the trace */
	/* Hold the processes that read files: all of them, and those for which the wait(2) is
	 * delayed. */
	struct tsh_tasks readers, ended;
	struct stacks_objects *objects;
	struct stacks_processes *processes;
	void *places, *named;		/* struct place and struct named, in trees of tsearch(3) */
	size_t nplaces;
	struct tsh_strlist names;	/* indexed by number */
	uint64_t name_bytes;
	uint64_t names_left_out, unknown;
	int64_t until;			/* end of reading files, CLOCK_MONOTONIC, ns; 0: none */
	/* Is the stream's waiter; also reports the signal in `heard`. */
	struct tsh_waiter waiter;
	const struct tsh_waiter *session;
	enum tsh_wait_result heard;	/* TSH_WAIT_TIMEOUT: no signal */
};

/* ---- signals ---- */

static enum tsh_wait_result wait_or_report(void *ctx, struct pollfd *fds, unsigned int nfds,
					   int timeout_ms)
{
	struct stacks_users *users = ctx;
	enum tsh_wait_result result = users->heard;

	stacks_processes_read_reports(users->processes);
	users->heard = TSH_WAIT_TIMEOUT;
	return result != TSH_WAIT_TIMEOUT ? result : tsh_wait(users->session, fds, nfds, timeout_ms);
}

/* Notes signals while files are read. Also ends the reading when the time is up; does not note
 * that, because the stream ends by its own limit. */
static enum tsh_wait_result wait_for_signal(void *ctx, struct pollfd *fds, unsigned int nfds, int timeout_ms)
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

/* ---- processes that read files ---- */

/* Excludes a reader from the trace. Its first system call is still traced, because libc makes it in
 * fork(3). */
static void exclude_process(void *ctx, pid_t pid)
{
	struct stacks_users *users = ctx;

	tsh_own_exclude(&users->place, pid);
	tsh_tasks_add(&users->readers, pid);
}

/* Delays wait(2) for a reader that has ended, so that no other process gets its pid, which is
 * left out of the trace. */
static void delay_wait(void *ctx, pid_t pid)
{
	struct stacks_users *users = ctx;

	tsh_tasks_add(&users->ended, pid);
	if (users->ended.n > ENDED_MAX)
		(void)waitpid(users->ended.v[users->ended.n - 1 - ENDED_MAX], NULL, WNOHANG);
}

bool stacks_users_is_reader(const struct stacks_users *users, int tgid)
{
	return tsh_tasks_has(&users->readers, tgid);
}

/* ---- names ---- */

/* Adds a name and returns its number; `other` when the names have too many bytes. */
static uint64_t add_name(struct stacks_users *users, const char *text, uint64_t other)
{
	struct tsh_strbuf clean = TSH_STRBUF_INIT;

	if (users->name_bytes >= NAMES_MAX) {
		users->names_left_out++;
		return other;
	}
	tsh_sanitize(&clean, text, strlen(text));
	users->name_bytes += clean.len + sizeof(char *);
	tsh_strlist_add_owned(&users->names, tsh_strbuf_detach(&clean));
	return users->names.n - 1;
}

/* ---- finding functions ---- */

/* Returns the number of an object's label. */
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

/* Returns the number of a name, which may be known already. Frees text. */
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

/* Makes a place from the text of the debug information. Each line of the text is an inlined
 * function; the last line is the function that contains them. */
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

/* Returns the place with its inlined functions; NULL: there is no debug information. */
static const struct place *find_place(struct stacks_users *users, size_t object, uint64_t offset)
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

/* Returns the number of the function at an offset, by the symbols; 0: there is none. */
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

size_t stacks_users_find(struct stacks_users *users, int tgid, uint64_t stamp, uint64_t address, uint64_t *ret,
			 size_t max)
{
	struct stacks_place at;
	enum stacks_found found = stacks_processes_find(users->processes, tgid, stamp, address, &at);
	const struct place *place;
	size_t n = 0;

	*ret = 0;
	users->unknown += found == STACKS_UNKNOWN;
	if (found != STACKS_FOUND)
		return 1;
	place = find_place(users, at.object, at.offset);
	for (; place && n < place->n && n + 1 < max; n++)
		ret[n] = place->inlined[n];
	ret[n] = function_number(users, stacks_object(users->objects, at.object), at.offset);
	if (!ret[n] && place)
		ret[n] = place->function;
	if (!ret[n])
		ret[n] = label_number(users, stacks_object(users->objects, at.object));
	return n + 1;
}

uint64_t stacks_users_unknown(const struct stacks_users *users)
{
	return users->unknown;
}

const char *stacks_users_name(const struct stacks_users *users, uint64_t number)
{
	return users->names.v[number < users->names.n ? number : 0];
}

void stacks_users_append_failed_debug(const struct stacks_users *users, struct tsh_strbuf *text)
{
	stacks_objects_append_failed_debug(users->objects, text);
}

void stacks_users_left_out(const struct stacks_users *users, struct tsh_strbuf *text)
{
	stacks_objects_left_out(users->objects, text);
	if (users->names_left_out)
		tsh_strbuf_addf(text, "%s%llu names (64 MB of them)", text->len ? ", " : "",
				(unsigned long long)users->names_left_out);
	stacks_processes_left_out(users->processes, text);
}

/* Warns when the times of mappings are not known. */
static void warn_deaf(struct tsh_session *s, int number)
{
	if (number)
		tsh_out_warn(s->out, "perf reports no mappings of programs (%s): for 250 ms after an "
				     "exec or dlclose, functions may have names from "
				     "before", strerror(-number));
}

struct stacks_users *stacks_users_new(struct tsh_session *s, struct tsh_instance *in, uint64_t max_ns)
{
	struct stacks_users *users = tsh_xcalloc(1, sizeof(*users));

	users->session = s->waiter;
	users->place = (struct tsh_own_place){ s, in };
	users->host = (struct tsh_apart_host){ exclude_process, users, delay_wait };
	if (max_ns)
		users->until = tsh_saturating_add(tsh_now_ns(CLOCK_MONOTONIC) + GRACE_NS, max_ns);
	users->waiter = (struct tsh_waiter){ wait_or_report, users };
	users->objects = stacks_objects_new(&users->host, (struct tsh_waiter){ wait_for_signal, users });
	users->processes = stacks_processes_new(in, &users->host, (struct tsh_waiter){ wait_for_signal, users },
						users->objects);
	warn_deaf(s, stacks_processes_report_error(users->processes));
	add_name(users, "[unknown]", 0);
	return users;
}

void stacks_users_free(struct stacks_users *users)
{
	size_t i;

	if (!users)
		return;
	tdestroy(users->places, free_place);
	tdestroy(users->named, free_named);
	stacks_processes_free(users->processes);
	stacks_objects_free(users->objects);
	for (i = 0; i < users->ended.n; i++)
		(void)waitpid(users->ended.v[i], NULL, WNOHANG);
	tsh_tasks_release(&users->ended);
	tsh_tasks_release(&users->readers);
	tsh_strlist_release(&users->names);
	free(users);
}
