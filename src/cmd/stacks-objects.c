/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "stacks-parts.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "tracesh/elf.h"
#include "util.h"

/* The functions of programs and libraries, by their places in the files. */

#define OBJECTS_MAX 4096
/* Of names that begin alike the order is that of the file: to compare more takes time. */
#define COMPARED_MAX 64

struct stacks_objects {
	TSH_VEC(struct stacks_object) all;
	struct tsh_waiter waiter;
	uint64_t functions, bytes;	/* of all of them */
	uint64_t symbols_left_out, objects_left_out;
};

/* ---- the file ---- */

/* What a line of /proc/PID/maps calls a file. */
struct file_id {
	uint64_t device, inode;
};

static struct file_id parse_id(const char *device, const char *inode)
{
	struct file_id id = { .inode = strtoull(inode, NULL, 10) };
	char *end;

	id.device = strtoull(device, &end, 16);
	id.device = makedev(id.device, *end == ':' ? strtoull(end + 1, NULL, 16) : 0);
	return id;
}

static bool is_same(const struct file_id *a, const struct file_id *b)
{
	return a->device == b->device && a->inode == b->inode;
}

/* Opens a path for looks only; what is no ordinary file stays closed. */
static int open_path(const char *path, int flags, struct stat *ret)
{
	int fd = open(path, O_PATH | O_CLOEXEC | flags);

	if (fd >= 0 && (fstat(fd, ret) < 0 || !S_ISREG(ret->st_mode))) {
		close(fd);
		return -1;
	}
	return fd;
}

/* Opens the same file for reading, and closes the other descriptor. */
static int reopen(int path_fd)
{
	char *name = tsh_xasprintf("/proc/self/fd/%d", path_fd);
	int fd = open(name, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);

	free(name);
	close(path_fd);
	return fd;
}

/* Finds what our own maps call the file at an address of ours. */
static bool find_id(const void *at, struct file_id *ret)
{
	FILE *maps = fopen("/proc/self/maps", "re");
	struct tsh_strlist words = { 0 };
	char *line = NULL;
	bool found = false;
	size_t size = 0;

	while (!found && maps && getline(&line, &size, maps) > 0) {
		tsh_strlist_split_words(&words, line);
		found = words.n >= 5 && strtoull(words.v[0], NULL, 16) == (uintptr_t)at;
		if (found)
			*ret = parse_id(words.v[3], words.v[4]);
		tsh_strlist_release(&words);
	}
	if (maps)
		fclose(maps);
	free(line);
	return found;
}

/* Maps the file here: on btrfs and overlays stat(2) calls it otherwise than the maps do. */
static bool has_id(int fd, const struct file_id *id)
{
	void *at = mmap(NULL, 1, PROT_READ, MAP_PRIVATE, fd, 0);
	struct file_id here;
	bool is;

	if (at == MAP_FAILED)
		return false;
	is = find_id(at, &here) && is_same(&here, id);
	munmap(at, 1);
	return is;
}

/*
 * Opens what a process has mapped, also when it lies elsewhere by now, which only root may; or
 * what its path leads to. The process may change both meanwhile: another file is not read, and
 * what is no file is not even opened.
 */
static int open_mapped(int tgid, const char *range, const char *path, const struct file_id *id)
{
	char *name = tsh_xasprintf("/proc/%d/map_files/%s", tgid, range);
	struct stat st;
	int fd = open_path(name, 0, &st);

	free(name);
	if (fd < 0) {
		name = tsh_xasprintf("/proc/%d/root%s", tgid, path);
		fd = open_path(name, O_NOFOLLOW, &st);
		free(name);
		if (fd >= 0 && !is_same(&(struct file_id){ st.st_dev, st.st_ino }, id)) {
			close(fd);
			fd = -1;
		}
	}
	fd = fd < 0 ? -1 : reopen(fd);
	if (fd >= 0 && !has_id(fd, id)) {
		close(fd);
		return -1;
	}
	return fd;
}

/* ---- its functions ---- */

struct reading {
	struct stacks_objects *objects;
	struct stacks_object *object;
};

static bool add_function(void *ctx, const struct tsh_elf_symbol *symbol)
{
	const struct reading *reading = ctx;
	struct stacks_function *function;
	uint64_t offset;

	if (!tsh_elf_offset(reading->object->elf, symbol->address, &offset))
		return true;
	if (reading->objects->functions + reading->object->functions.n >= TSH_ELF_SYMBOLS_MAX) {
		reading->objects->symbols_left_out++;
		return true;
	}
	function = tsh_vec_push(&reading->object->functions);
	function->offset = offset;
	function->size = symbol->size < UINT32_MAX ? (uint32_t)symbol->size : UINT32_MAX;
	function->name = symbol->text;
	return true;
}

/* Of names for one place the one that nm lists first is taken. */
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

/* Sorts them, and keeps one for each place. */
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

static void read_functions(struct stacks_objects *objects, struct stacks_object *object, int fd)
{
	struct reading reading = { objects, object };
	struct tsh_err ignored = { 0 };

	if (tsh_elf_open(fd, TSH_ELF_BYTES_MAX - objects->bytes, &objects->waiter, &object->elf,
			 &ignored) < 0) {
		tsh_err_release(&ignored);
		return;
	}
	tsh_elf_symbols(object->elf, add_function, &reading);
	objects->symbols_left_out += tsh_elf_left_out(object->elf);
	if (object->functions.n) {
		sort_functions(object);
		objects->functions += object->functions.n;
		objects->bytes += tsh_elf_bytes(object->elf);
		return;
	}
	tsh_elf_close(object->elf);
	object->elf = NULL;
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
	/* assembly has functions without a size */
	return !function->size || offset - function->offset < function->size ? function : NULL;
}

/* ---- all of them ---- */

static bool is_object(const struct stacks_object *object, const struct file_id *id,
		      const char *path)
{
	if (object->device != id->device || object->inode != id->inode)
		return false;
	/* what has no file is known by its name */
	return id->inode || !strcmp(object->path, path);
}

static struct stacks_object *add_object(struct stacks_objects *objects, const struct file_id *id,
					const char *path)
{
	struct stacks_object *object = tsh_vec_push(&objects->all);
	const char *base = strrchr(path, '/');

	object->device = id->device;
	object->inode = id->inode;
	object->path = tsh_xstrdup(id->inode ? "" : path);
	object->label = path[0] == '[' ? tsh_xstrdup(path) :
					 tsh_xasprintf("[%s]", base ? base + 1 : "anonymous");
	return object;
}

size_t stacks_object_find(struct stacks_objects *objects, int tgid, const char *range,
			  const char *device, const char *inode, const char *path)
{
	struct file_id id = parse_id(device, inode);
	struct stacks_object *object;
	size_t i;
	int fd;

	for (i = 1; i < objects->all.n; i++)
		if (is_object(&objects->all.v[i], &id, path))
			return i;
	if (objects->all.n == OBJECTS_MAX) {
		objects->objects_left_out++;
		return 0;
	}
	object = add_object(objects, &id, path);
	fd = path[0] == '/' ? open_mapped(tgid, range, path, &id) : -1;
	if (fd >= 0) {
		read_functions(objects, object, fd);
		close(fd);
	}
	return objects->all.n - 1;
}

struct stacks_object *stacks_object(struct stacks_objects *objects, size_t i)
{
	return &objects->all.v[i];
}

void stacks_objects_left_out(const struct stacks_objects *objects, struct tsh_strbuf *text)
{
	if (objects->symbols_left_out)
		tsh_strbuf_addf(text, "%s%llu symbols (4 M, 64 MB of their names)",
				text->len ? ", " : "", (unsigned long long)objects->symbols_left_out);
	if (objects->objects_left_out)
		tsh_strbuf_addf(text, "%s%llu mapped files (4,096)", text->len ? ", " : "",
				(unsigned long long)objects->objects_left_out);
}

struct stacks_objects *stacks_objects_new(struct tsh_waiter waiter)
{
	struct stacks_objects *objects = tsh_xcalloc(1, sizeof(*objects));

	objects->waiter = waiter;
	/* the first stands for those that are too many */
	add_object(objects, &(struct file_id){ 0 }, "[other]");
	return objects;
}

void stacks_objects_free(struct stacks_objects *objects)
{
	size_t i;

	for (i = 0; i < objects->all.n; i++) {
		struct stacks_object *object = &objects->all.v[i];

		tsh_vec_release(&object->functions);
		tsh_elf_close(object->elf);
		free(object->path);
		free(object->label);
	}
	tsh_vec_release(&objects->all);
	free(objects);
}
