/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_EVENTS_SOURCE_PROVIDER_INTERNAL_H
#define TRACESH_EVENTS_SOURCE_PROVIDER_INTERNAL_H

#include "events/symbols/saved-comms.h"
#include "stream.h"

struct tsh_known_event {
	unsigned int id;
	char *system;
	char *name;
};

/* Describes a part of the kernel's memory in /proc/kcore. */
struct tsh_kcore_segment {
	uint64_t address;
	uint64_t size;
	uint64_t offset;		/* offset in the file */
};

struct tsh_kcore {
	bool tried;
	int fd;				/* -1: it cannot be opened */
	unsigned int long_size;
	TSH_VEC(struct tsh_kcore_segment) segments;
};

/* Holds a variable of the kernel that does not change. */
struct tsh_known_variable {
	char *name;
	uint64_t value;
	bool is_known;
};

struct tsh_live_provider {
	struct tsh_provider provider;
	const struct tsh_instance *in;	/* NULL: there is no tracefs */
	/* the top instance; NULL when `in` is the top, or when it cannot be opened */
	struct tsh_instance *top;

	/* provider-events.c */
	TSH_VEC(struct tsh_known_event) events;
	struct tsh_strlist available;	/* lines of available_events, in the kernel's order */
	struct {
		unsigned int id;
		uint64_t at;		/* in ns of CLOCK_MONOTONIC; 0: the slot is free */
	} failed[8];			/* ids that were searched for in vain */
	unsigned int nfailed;
	/* for a recording: all its events are known, but the ends of system calls; these too */
	bool has_searched, has_exits;
	/* for a recording: a bit for each id that has no format; or NULL */
	unsigned char *bad_ids;

	/* provider-tasks.c */
	bool has_tasks;			/* /proc shows the tasks of the events */
	char *programs;			/* for a recording: the text of tracesh/programs; or NULL */
	char *tgids;			/* saved_tgids, or NULL */
	bool has_comms;			/* for a recording: it has a file of task names */
	struct tsh_saved_comms comms;	/* names of that file, without uncertain ones */
	uint64_t tgids_at;		/* when saved_tgids was read, for a live instance */

	/* provider-kernel.c */
	struct tsh_strlist modules;	/* modules that have BTF */
	struct tsh_kcore kcore;
	/* for a recording: the text of its file `memory`; or NULL */
	char *memory;
	bool has_memory;		/* the file `memory` was searched for */

	/* provider-variables.c */
	TSH_VEC(struct tsh_known_variable) variables;
	/* of the instance that was made to measure struct page; or NULL */
	struct tsh_removal *removal;
	uint64_t jiffies;		/* value at jiffies_at, for a live instance */
	uint64_t jiffies_at;		/* CLOCK_MONOTONIC_COARSE; 0: not read */
};

/* Returns the top instance, for files that other instances lack. */
static inline const struct tsh_instance *tsh_provider_top(const struct tsh_live_provider *p)
{
	return p->top ? p->top : p->in;
}
static inline bool tsh_provider_is_tree(const struct tsh_live_provider *p)
{
	return p->in && p->in->dir->kind == TSH_DIR_TREE;
}

/* ---- callbacks of struct tsh_provider; ctx is the struct tsh_live_provider ---- */

int tsh_provide_format(void *ctx, unsigned int id, char **ret_system, char **ret_text);
char *tsh_provide_printk_formats(void *ctx);
char *tsh_provide_dynamic_events(void *ctx);
int tsh_provide_option(void *ctx, const char *name);
void tsh_provider_events_release(struct tsh_live_provider *p);

char *tsh_provide_cmdlines(void *ctx);
bool tsh_provide_comm(void *ctx, int pid, char comm[16]);
unsigned int tsh_provide_bits(void *ctx, int pid);
bool tsh_provide_tasks(void *ctx, void (*each)(void *to, int pid, const char *comm), void *to);
int tsh_provide_tgid(void *ctx, int pid);
void tsh_provider_tasks_init(struct tsh_live_provider *p);

int tsh_provide_kallsyms(void *ctx);
int tsh_provide_btf(void *ctx);
int tsh_provide_module_btf(void *ctx, unsigned int index);
bool tsh_provide_memory(void *ctx, uint64_t address, void *ret, size_t len);
void tsh_provider_kernel_release(struct tsh_live_provider *p);
/* Returns the text of a regular file of a recording, without its last newline; the caller frees it.
 * NULL: there is none. */
char *tsh_provider_tree_text(const struct tsh_live_provider *p, const char *path);

bool tsh_provide_variable(void *ctx, const char *name, uint64_t *ret);
void tsh_provider_variables_release(struct tsh_live_provider *p);

/* ---- provider-kcore.c ---- */

/* Opens /proc/kcore at the first call. Returns false when the kernel has none, or when we may not
 * read it. */
bool tsh_kcore_open(struct tsh_kcore *kcore);
bool tsh_kcore_read(struct tsh_kcore *kcore, uint64_t address, void *ret, size_t len);
/* Reads an unsigned long of the kernel. */
bool tsh_kcore_long(struct tsh_kcore *kcore, uint64_t address, uint64_t *ret);
void tsh_kcore_release(struct tsh_kcore *kcore);

/* ---- provider-pages.c ---- */

/*
 * Finds the address of struct page 0, and the size of a struct page, from the kernel's own text of
 * kmem:mm_page_alloc: makes an instance for a moment, and has some pages allocated. Returns false
 * when it cannot be made, or hides pointers.
 */
bool tsh_pages_measure(struct tsh_live_provider *p, uint64_t *ret_base, uint64_t *ret_size);
/* Finds both numbers in a given text of mm_page_alloc events. Returns false when they are not in
 * it. */
bool tsh_pages_parse(const char *text, uint64_t *ret_base, uint64_t *ret_size);

#endif
