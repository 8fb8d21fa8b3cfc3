/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "internal.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/elf.h"
#include "session/util.h"

/* Finds functions of programs and libraries by their offsets in the files. */

#define OBJECTS_MAX 4096
/* Limits the comparison of names, which takes time; equal beginnings are in the order of the
 * file. */
#define COMPARED_MAX 64
/* Stops reading files when so many devices have not answered, and debug information when libdw
 * has failed for so many files. */
#define SILENT_MAX 8
/* Limits the attempts to read a file, each by another process that has it mapped and may end. */
#define TRIES_MAX 3
/* Limits the files whose debug information is read, by a process for each. */
#define DEBUG_MAX 64
/* Limits the files that a warning names. */
#define NAMED_MAX 8

struct stacks_objects {
	TSH_VEC(struct stacks_object) all;
	const struct tsh_apart_host *host;
	struct tsh_waiter waiter;
	uint64_t functions, bytes;	/* sums of all objects */
	uint64_t symbols_left_out, objects_left_out;
	TSH_VEC(uint64_t) silent;	/* devices that have not answered */
	uint64_t files_silent;		/* files on these devices */
	uint64_t files_late;		/* files that were not read because the time was up */
	uint64_t with_debug, debug_left_out, debug_failed;
	size_t first_failed;		/* index of the first of debug_failed */
};

/* ---- functions of an object ---- */

/* Orders functions by offset; with the same offset, the name that nm lists first comes first. */
static int compare_functions(const void *a, const void *b)
{
	const struct stacks_function *x = a, *y = b;
	int order;

	if (x->offset != y->offset)
		return x->offset < y->offset ? -1 : 1;
	order = strncmp(x->name, y->name, COMPARED_MAX);
	if (order)
		return order;
	return (x->name > y->name) - (x->name < y->name);
}

/* Sorts the functions, and keeps one for each offset. */
static void sort_functions(struct stacks_object *object)
{
	struct stacks_function *all = object->functions.v;
	size_t i, n = 0;

	qsort(all, object->functions.n, sizeof(*all), compare_functions);
	for (i = 0; i < object->functions.n; i++)
		if (!n || all[n - 1].offset != all[i].offset)
			all[n++] = all[i];
	object->functions.v = tsh_xreallocarray(all, n, sizeof(*all));
	object->functions.n = object->functions.cap = n;
}

static bool is_silent(const struct stacks_objects *objects, uint64_t device)
{
	size_t i;

	for (i = 0; i < objects->silent.n && objects->silent.v[i] != device; i++)
		;
	return i < objects->silent.n || objects->silent.n == SILENT_MAX;
}

/* Counts an object for which libdw has failed, and remembers the first. */
static void count_debug_failure(struct stacks_objects *objects, const struct stacks_object *object)
{
	if (!objects->debug_failed++)
		objects->first_failed = (size_t)(object - objects->all.v);
}

static void open_debug(struct stacks_objects *objects, struct stacks_object *object, struct stacks_file *file)
{
	if (objects->debug_failed >= SILENT_MAX)
		return;
	object->debug = tsh_debug_open(stacks_file_open, file, file->path, objects->host, &objects->waiter, &object->debug_why);
	if (object->debug_why == tsh_debug_died)
		count_debug_failure(objects, object);
	if (object->debug && objects->with_debug == DEBUG_MAX) {
		tsh_debug_close(object->debug);
		object->debug = NULL;
		objects->debug_left_out++;
	}
	objects->with_debug += object->debug != NULL;
	objects->files_late += !object->debug && tsh_wait(&objects->waiter, NULL, 0, 0) != TSH_WAIT_TIMEOUT;
}

void stacks_object_inlined(struct stacks_objects *objects, struct stacks_object *object, uint64_t offset,
			   struct tsh_strbuf *ret)
{
	if (!object->debug || objects->debug_failed >= SILENT_MAX || tsh_debug_functions(object->debug, offset, ret))
		return;
	tsh_debug_close(object->debug);
	object->debug = NULL;
	count_debug_failure(objects, object);
	tsh_strbuf_clear(ret);
}

/* Reads the functions of an object, unless its device has not answered before. */
static void read_functions(struct stacks_objects *objects, struct stacks_object *object,
			   struct stacks_file *file)
{
	struct stacks_function function;
	enum tsh_apart_result result;
	size_t at = 0;

	if (is_silent(objects, file->id.device)) {
		objects->files_silent++;
		return;
	}
	file->functions_max = TSH_ELF_SYMBOLS_MAX - objects->functions;
	file->bytes_max = TSH_ELF_BYTES_MAX - objects->bytes;
	result = stacks_file_read(file, objects->host, &objects->waiter, &object->text);
	if (result == TSH_APART_SILENT) {
		objects->files_silent++;
		*tsh_vec_push(&objects->silent) = file->id.device;
	}
	objects->files_late += result == TSH_APART_SIGNAL;
	while (stacks_file_next(&object->text, &at, &function, &objects->symbols_left_out)) {
		*tsh_vec_push(&object->functions) = function;
		objects->bytes += strlen(function.name);
	}
	if (result == TSH_APART_DONE)
		open_debug(objects, object, file);
	objects->functions += object->functions.n;
	if (object->functions.n)
		sort_functions(object);
	else
		tsh_strbuf_release(&object->text);
}

size_t stacks_function_length(const struct stacks_function *function)
{
	size_t len = strnlen(function->name, TSH_ELF_NAME_MAX);
	const char *version = memchr(function->name, '@', len);

	return version ? (size_t)(version - function->name) : len;
}

struct stacks_function *stacks_object_function(const struct stacks_object *object, uint64_t offset)
{
	size_t low = 0, high = object->functions.n;
	struct stacks_function *function;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (object->functions.v[middle].offset <= offset)
			low = middle + 1;
		else
			high = middle;
	}
	if (!low)
		return NULL;
	function = &object->functions.v[low - 1];
	/* functions written in assembly can have no size */
	return !function->size || offset - function->offset < function->size ? function : NULL;
}

/* ---- all objects ---- */

static bool is_object(const struct stacks_object *object, const struct stacks_file_id *id,
		      const char *path)
{
	if (object->device != id->device || object->inode != id->inode)
		return false;
	/* without a file, compare the names */
	return id->inode || !strcmp(object->path, path);
}

static void add_object(struct stacks_objects *objects, const struct stacks_file_id *id,
		       const char *path)
{
	struct stacks_object *object = tsh_vec_push(&objects->all);
	const char *base = strrchr(path, '/');

	tsh_strbuf_init(&object->text);
	object->device = id->device;
	object->inode = id->inode;
	object->path = tsh_xstrdup(path);
	object->label = path[0] == '[' ? tsh_xstrdup(path) :
					 tsh_xasprintf("[%s]", base ? base + 1 : "anonymous");
}

size_t stacks_object_find(struct stacks_objects *objects, const struct stacks_file_id *id, const char *path)
{
	size_t i;

	for (i = 1; i < objects->all.n; i++)
		if (is_object(&objects->all.v[i], id, path))
			return i;
	if (objects->all.n == OBJECTS_MAX) {
		objects->objects_left_out++;
		return 0;
	}
	add_object(objects, id, path);
	return objects->all.n - 1;
}

void stacks_object_read(struct stacks_objects *objects, size_t i, int tgid, uint64_t begin, uint64_t end)
{
	struct stacks_object *object = &objects->all.v[i];
	struct stacks_file file = { .id = { object->device, object->inode }, .tgid = tgid, .path = object->path };
	char *range;

	if (object->path[0] != '/' || object->functions.n || object->debug || object->debug_why ||
	    object->tries == TRIES_MAX || object->tried == tgid)
		return;
	object->tries++;
	object->tried = tgid;
	range = tsh_xasprintf("%" PRIx64 "-%" PRIx64, begin, end);
	file.range = range;
	read_functions(objects, object, &file);
	free(range);
}

struct stacks_object *stacks_object(struct stacks_objects *objects, size_t i)
{
	return &objects->all.v[i];
}

void stacks_objects_append_failed_debug(const struct stacks_objects *objects, struct tsh_strbuf *text)
{
	size_t i, n = 0;

	for (i = 0; i < objects->all.n; i++) {
		const struct stacks_object *object = &objects->all.v[i];

		if (!object->debug_why || object->debug_why == tsh_debug_died || ++n > NAMED_MAX)
			continue;
		tsh_strbuf_addf(text, "%s%s (%s)", text->len ? ", " : "", object->label, object->debug_why);
	}
	if (n > NAMED_MAX)
		tsh_strbuf_addf(text, ", and of %zu others", n - NAMED_MAX);
}

void stacks_objects_left_out(const struct stacks_objects *objects, struct tsh_strbuf *text)
{
	if (objects->debug_left_out)
		tsh_strbuf_addf(text, "%sdebug information of %llu files (64)", text->len ? ", " : "",
				(unsigned long long)objects->debug_left_out);
	if (objects->debug_failed == 1)
		tsh_strbuf_addf(text, "%sdebug information of %s (libdw died, or did not answer in time)",
				text->len ? ", " : "", objects->all.v[objects->first_failed].label);
	else if (objects->debug_failed)
		tsh_strbuf_addf(text, "%sdebug information of %llu files, %s the first (libdw died, or did not answer in time)",
				text->len ? ", " : "", (unsigned long long)objects->debug_failed,
				objects->all.v[objects->first_failed].label);
	if (objects->symbols_left_out)
		tsh_strbuf_addf(text, "%s%llu symbols (4 M, 64 MB of their names)",
				text->len ? ", " : "", (unsigned long long)objects->symbols_left_out);
	if (objects->objects_left_out)
		tsh_strbuf_addf(text, "%s%llu mapped files (4,096)", text->len ? ", " : "",
				(unsigned long long)objects->objects_left_out);
	if (objects->files_silent)
		tsh_strbuf_addf(text, "%s%llu mapped files (their file systems do not answer)",
				text->len ? ", " : "", (unsigned long long)objects->files_silent);
	if (objects->files_late)
		tsh_strbuf_addf(text, "%s%llu mapped files (time was up)", text->len ? ", " : "",
				(unsigned long long)objects->files_late);
}

struct stacks_objects *stacks_objects_new(const struct tsh_apart_host *host, struct tsh_waiter waiter)
{
	struct stacks_objects *objects = tsh_xcalloc(1, sizeof(*objects));

	objects->host = host;
	objects->waiter = waiter;
	/* object 0 stands for all beyond OBJECTS_MAX */
	add_object(objects, &(struct stacks_file_id){ 0 }, "[other]");
	return objects;
}

void stacks_objects_free(struct stacks_objects *objects)
{
	size_t i;

	for (i = 0; i < objects->all.n; i++) {
		struct stacks_object *object = &objects->all.v[i];

		tsh_debug_close(object->debug);
		tsh_vec_release(&object->functions);
		tsh_strbuf_release(&object->text);
		free(object->path);
		free(object->label);
	}
	tsh_vec_release(&objects->all);
	tsh_vec_release(&objects->silent);
	free(objects);
}
