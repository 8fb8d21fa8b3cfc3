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

/* A part of the kernel's memory in /proc/kcore. */
struct tsh_kcore_segment {
	uint64_t address;
	uint64_t size;
	uint64_t offset;		/* in the file */
};

struct tsh_kcore {
	bool tried;
	int fd;				/* -1: there is none */
	unsigned int long_size;
	TSH_VEC(struct tsh_kcore_segment) segments;
};

/* A variable of the kernel that does not change. */
struct tsh_known_variable {
	char *name;
	uint64_t value;
	bool is_known;
};

struct tsh_live_provider {
	struct tsh_provider provider;
	const struct tsh_instance *in;	/* NULL: there is no tracefs */
	struct tsh_instance *top;	/* NULL when `in` is it, or it cannot be opened */

	/* provider-events.c */
	TSH_VEC(struct tsh_known_event) events;
	struct tsh_strlist available;	/* available_events, as the kernel lists them */
	struct {
		unsigned int id;
		uint64_t at;		/* CLOCK_MONOTONIC; 0: none */
	} failed[8];			/* ids that nothing has */
	unsigned int nfailed;
	bool has_searched;		/* of a tree: all that it has is known */
	unsigned char *bad_ids;		/* of a tree: a bit for each that it has no format of; or NULL */

	/* provider-tasks.c */
	bool has_tasks;			/* /proc shows the tasks of the events */
	char *programs;			/* of a tree: what its file says; or NULL */
	char *tgids;			/* saved_tgids, or NULL */
	bool has_comms;			/* a tree that has names of its own */
	struct tsh_saved_comms comms;	/* these, without those that are doubtful */
	uint64_t tgids_at;		/* when it was read; live */

	/* provider-kernel.c */
	struct tsh_strlist modules;	/* that have BTF */
	struct tsh_kcore kcore;
	char *memory;			/* of a tree: the file, or NULL */
	bool has_memory;		/* it was looked for */

	/* provider-variables.c */
	TSH_VEC(struct tsh_known_variable) variables;
	struct tsh_removal *removal;	/* of the instance that was asked; or NULL */
	uint64_t jiffies;		/* at jiffies_at; live */
	uint64_t jiffies_at;		/* CLOCK_MONOTONIC_COARSE; 0: not read */
};

/* The top instance: what an instance has no files of. */
static inline const struct tsh_instance *tsh_provider_top(const struct tsh_live_provider *p)
{
	return p->top ? p->top : p->in;
}
static inline bool tsh_provider_is_tree(const struct tsh_live_provider *p)
{
	return p->in && p->in->dir->kind == TSH_DIR_TREE;
}

/* ---- the callbacks of struct tsh_provider; ctx is the struct tsh_live_provider ---- */

int tsh_provide_format(void *ctx, unsigned int id, char **ret_system, char **ret_text);
char *tsh_provide_printk_formats(void *ctx);
char *tsh_provide_dynamic_events(void *ctx);
int tsh_provide_option(void *ctx, const char *name);
void tsh_provider_events_release(struct tsh_live_provider *p);

char *tsh_provide_cmdlines(void *ctx);
bool tsh_provide_comm(void *ctx, int pid, char comm[16]);
unsigned int tsh_provide_bits(void *ctx, int pid);
bool tsh_provide_tasks(void *ctx, void (*see)(void *to, int pid, const char *comm), void *to);
int tsh_provide_tgid(void *ctx, int pid);
void tsh_provider_tasks_init(struct tsh_live_provider *p);

int tsh_provide_kallsyms(void *ctx);
int tsh_provide_btf(void *ctx);
int tsh_provide_module_btf(void *ctx, unsigned int index);
bool tsh_provide_memory(void *ctx, uint64_t address, void *ret, size_t len);
void tsh_provider_kernel_release(struct tsh_live_provider *p);
/* An ordinary file of a tree, without its last newline; NULL: there is none. */
char *tsh_provider_tree_text(const struct tsh_live_provider *p, const char *path);

bool tsh_provide_variable(void *ctx, const char *name, uint64_t *ret);
void tsh_provider_variables_release(struct tsh_live_provider *p);

/* ---- provider-kcore.c ---- */

/* Opened at the first question. False: this kernel has none, or not for us. */
bool tsh_kcore_open(struct tsh_kcore *kcore);
bool tsh_kcore_read(struct tsh_kcore *kcore, uint64_t address, void *ret, size_t len);
/* An unsigned long of the kernel. */
bool tsh_kcore_long(struct tsh_kcore *kcore, uint64_t address, uint64_t *ret);
void tsh_kcore_release(struct tsh_kcore *kcore);

/* ---- provider-pages.c ---- */

/*
 * Where struct page 0 is and how large one is, as the kernel's own text of kmem:mm_page_alloc
 * tells: an instance is made for a moment and some pages are allocated. False when it
 * cannot be made, or hides pointers.
 */
bool tsh_pages_ask(struct tsh_live_provider *p, uint64_t *ret_base, uint64_t *ret_size);
/* The same from such a text. */
bool tsh_pages_solve(const char *text, uint64_t *ret_base, uint64_t *ret_size);

#endif
