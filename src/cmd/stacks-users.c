/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "stacks-parts.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tasks.h"
#include "tracesh/elf.h"
#include "tracesh/now.h"
#include "tracesh/utf8.h"
#include "util.h"

/* Processes whose maps are kept; and how long they are taken for true: a process may exec. */
#define PROCESSES_MAX 1024
#define TRUE_NS (250 * INT64_C(1000000))

/* A function of a file, by its place there. */
struct function {
	uint64_t offset, size;
	char *name;
	uint64_t number;		/* in names, from 1 on; 0: not asked for yet */
};

/* A program or library, known by where it lies. */
struct object {
	char *key;			/* device and inode, as the maps have them */
	char *label;			/* "[bash]" */
	uint64_t number;		/* of what has no symbol there */
	TSH_VEC(struct function) functions;	/* by offset */
};

struct mapping {
	uint64_t begin, end, offset;
	size_t object;
};

struct process {
	int tgid;
	int64_t read;			/* CLOCK_MONOTONIC, ns */
	TSH_VEC(struct mapping) maps;	/* by address, as the kernel lists them */
};

struct stacks_users {
	bool are_ours;			/* the kernel's numbers are those of /proc here */
	TSH_VEC(struct object) objects;
	TSH_VEC(struct process) processes;
	struct tsh_strlist names;	/* by number */
};

/* ---- objects ---- */

static uint64_t add_name(struct stacks_users *users, const char *text)
{
	struct tsh_strbuf clean = TSH_STRBUF_INIT;

	tsh_sanitize(&clean, text, strlen(text));
	tsh_strlist_take(&users->names, tsh_strbuf_detach(&clean));
	return users->names.n - 1;
}

struct reading {
	const struct tsh_elf *elf;
	struct object *object;
};

static void add_function(void *ctx, const struct tsh_elf_symbol *symbol)
{
	const struct reading *reading = ctx;
	struct function *function;
	uint64_t offset;

	if (!tsh_elf_offset(reading->elf, symbol->address, &offset))
		return;
	function = tsh_vec_push(&reading->object->functions);
	function->offset = offset;
	function->size = symbol->size;
	function->name = tsh_xstrdup(symbol->name);
}

/* Of names for one place the one that nm lists first is taken. */
static int compare_functions(const void *a, const void *b)
{
	const struct function *x = a, *y = b;

	if (x->offset != y->offset)
		return x->offset < y->offset ? -1 : 1;
	return strcmp(x->name, y->name);
}

/* What the process has mapped, also when it lies elsewhere by now: only root may. */
static int open_mapped(int tgid, const char *range, const char *path)
{
	char *name = tsh_xasprintf("/proc/%d/map_files/%s", tgid, range);
	int fd = open(name, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

	free(name);
	if (fd >= 0)
		return fd;
	name = tsh_xasprintf("/proc/%d/root%s", tgid, path);
	fd = open(name, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	free(name);
	return fd;
}

static void read_functions(struct object *object, int fd)
{
	struct reading reading = { .object = object };
	struct tsh_err ignored = { 0 };
	struct tsh_elf *elf;

	if (tsh_elf_open(fd, &elf, &ignored) < 0) {
		tsh_err_release(&ignored);
		return;
	}
	reading.elf = elf;
	tsh_elf_symbols(elf, add_function, &reading);
	tsh_elf_close(elf);
	if (object->functions.n)
		qsort(object->functions.v, object->functions.n, sizeof(*object->functions.v),
		      compare_functions);
}

static size_t object_of(struct stacks_users *users, int tgid, const char *range, const char *key,
			const char *path)
{
	const char *base = strrchr(path, '/');
	struct object *object;
	size_t i;
	int fd;

	for (i = 0; i < users->objects.n; i++)
		if (!strcmp(users->objects.v[i].key, key))
			return i;
	object = tsh_vec_push(&users->objects);
	object->key = tsh_xstrdup(key);
	object->label = path[0] == '[' ? tsh_xstrdup(path) :
					 tsh_xasprintf("[%s]", base ? base + 1 : "anonymous");
	object->number = add_name(users, object->label);
	fd = path[0] == '/' ? open_mapped(tgid, range, path) : -1;
	if (fd >= 0) {
		read_functions(object, fd);
		close(fd);
	}
	return users->objects.n - 1;
}

/* ---- processes ---- */

/* "5581e0a00000-5581e0a2f000 r-xp 0002f000 fe:01 131090   /usr/bin/bash" */
static void add_mapping(struct stacks_users *users, struct process *process, const char *line)
{
	struct tsh_strlist words = { 0 };
	struct mapping mapping = { 0 };
	const char *path = strpbrk(line, "/[");
	char *key, *end;

	tsh_strlist_split_words(&words, line);
	if (words.n >= 5 && strchr(words.v[1], 'x')) {
		mapping.begin = strtoull(words.v[0], &end, 16);
		mapping.end = strtoull(end + (*end == '-'), NULL, 16);
		mapping.offset = strtoull(words.v[2], NULL, 16);
		path = path ? path : "";
		/* what has no file is known by its name */
		key = tsh_xasprintf("%s %s %s", words.v[3], words.v[4],
				    strcmp(words.v[4], "0") ? "" : path);
		mapping.object = object_of(users, process->tgid, words.v[0], key, path);
		*(struct mapping *)tsh_vec_push(&process->maps) = mapping;
		free(key);
	}
	tsh_strlist_release(&words);
}

/* One that has ended keeps what it had. */
static void read_maps(struct stacks_users *users, struct process *process)
{
	char *path = tsh_xasprintf("/proc/%d/maps", process->tgid), *line = NULL;
	FILE *maps = users->are_ours ? fopen(path, "re") : NULL;
	size_t size = 0;
	bool first = true;

	process->read = tsh_now_ns(CLOCK_MONOTONIC);
	while (maps && getline(&line, &size, maps) > 0) {
		if (first)
			process->maps.n = 0;
		first = false;
		line[strcspn(line, "\n")] = '\0';
		add_mapping(users, process, line);
	}
	if (maps)
		fclose(maps);
	free(line);
	free(path);
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
			tsh_vec_release(&users->processes.v[users->processes.n].maps);
		}
		process = tsh_vec_push(&users->processes);
		process->tgid = tgid;
	}
	if (!process->read || tsh_now_ns(CLOCK_MONOTONIC) - process->read > TRUE_NS)
		read_maps(users, process);
	return process;
}

/* ---- looking up ---- */

static struct function *function_at(const struct object *object, uint64_t offset)
{
	size_t low = 0, high = object->functions.n;
	struct function *function;

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
	while (function > object->functions.v && function[-1].offset == function->offset)
		function--;
	/* assembly has functions without a size */
	return !function->size || offset - function->offset < function->size ? function : NULL;
}

uint64_t stacks_users_look(struct stacks_users *users, int tgid, uint64_t address)
{
	const struct process *process = process_of(users, tgid);
	size_t i;

	for (i = 0; i < process->maps.n; i++) {
		const struct mapping *mapping = &process->maps.v[i];
		struct function *function;
		struct object *object;

		if (address < mapping->begin || address >= mapping->end)
			continue;
		object = &users->objects.v[mapping->object];
		function = function_at(object, address - mapping->begin + mapping->offset);
		if (!function)
			return object->number;
		if (!function->number) {
			char *name = tsh_xasprintf("%s %s", function->name, object->label);

			function->number = add_name(users, name);
			free(name);
		}
		return function->number;
	}
	return 0;
}

const char *stacks_users_name(const struct stacks_users *users, uint64_t number)
{
	return users->names.v[number < users->names.n ? number : 0];
}

struct stacks_users *stacks_users_new(void)
{
	struct stacks_users *users = tsh_xcalloc(1, sizeof(*users));

	users->are_ours = tsh_tasks_are_the_kernels();
	add_name(users, "[unknown]");
	return users;
}

void stacks_users_free(struct stacks_users *users)
{
	size_t i, k;

	if (!users)
		return;
	for (i = 0; i < users->objects.n; i++) {
		struct object *object = &users->objects.v[i];

		for (k = 0; k < object->functions.n; k++)
			free(object->functions.v[k].name);
		tsh_vec_release(&object->functions);
		free(object->key);
		free(object->label);
	}
	for (i = 0; i < users->processes.n; i++)
		tsh_vec_release(&users->processes.v[i].maps);
	tsh_vec_release(&users->objects);
	tsh_vec_release(&users->processes);
	tsh_strlist_release(&users->names);
	free(users);
}
