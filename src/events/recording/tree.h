/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_EVENTS_RECORDING_TREE_H
#define TRACESH_EVENTS_RECORDING_TREE_H

/* How a recorded tree comes into being. */

#include "events/clock/clock.h"
#include "events/decode/decode.h"
#include "events/symbols/saved-comms.h"
#include "kernel/tracefs/event.h"
#include "record.h"

/* A tree that is being written. */
struct tsh_tree {
	int fd;
	char *path;		/* absolute */
	bool made;		/* the folder was not there */
	const struct tsh_strlist *hidden;	/* see struct tsh_record_options */
	const char *filter;	/* the same */
};

/* Whether nobody has asked for the event. */
bool tsh_tree_hides(const struct tsh_tree *tree, const char *system, const char *name);

/* Makes the folder; it may be there when it is empty. */
int tsh_tree_make(struct tsh_tree *tree, const char *path, struct tsh_err *err);
void tsh_tree_close(struct tsh_tree *tree);
/* Removes what was written, and the folder if it was made for it. */
void tsh_tree_remove(struct tsh_tree *tree);
/* A file of the tree for pages, made with the folders above it; -errno. */
int tsh_tree_create(const struct tsh_tree *tree, const char *path);
/* Writes a whole file, which is either the old one or the new one. 0 or -errno. */
int tsh_tree_put(const struct tsh_tree *tree, const char *path, const char *text, size_t len);
/* Copies a file of the instance, if it has it. 0 or -errno of the writing. */
int tsh_tree_copy(const struct tsh_tree *tree, const struct tsh_instance *in, const char *path);

/* What a recording did with the pages of one CPU. */
struct tsh_tree_cpu {
	int cpu;
	uint64_t events;	/* that the tree holds */
	uint64_t hidden;	/* of them */
	uint64_t bytes;		/* of their pages */
	uint64_t oldest;	/* stamp of the first; with events only */
	uint64_t lost;
	uint64_t overwritten;
	uint64_t gone;		/* by the pages; TSH_LOST_UNKNOWN: nobody knows how many */
	bool has_gap;		/* any of the two */
};

/* Settings, formats of the enabled events, options: all that is known before the first
 * page. Called again at the end. 0 or -errno of a file that could not be written. */
int tsh_tree_put_settings(const struct tsh_tree *tree, const struct tsh_instance *in);
/* The event's filter, if it has one. 0 or -errno of the writing. */
int tsh_tree_put_filter(const struct tsh_tree *tree, const struct tsh_instance *in, const struct tsh_event *event);
/* per_cpu/cpuN/stats of the live buffer, as of a buffer that holds what the tree has. */
int tsh_tree_put_stats(const struct tsh_tree *tree, const struct tsh_instance *in,
		       const struct tsh_tree_cpu *cpu);
/* The names of tasks that saved_cmdlines had while the recording went on. */
struct tsh_tree_names;
struct tsh_tree_names *tsh_tree_names_new(void);
void tsh_tree_names_free(struct tsh_tree_names *names);
void tsh_tree_names_look(struct tsh_tree_names *names, const struct tsh_instance *top);
/* Lines of a recording's comms (tsh_saved_comms_write), each task once. */
void tsh_tree_names_text(const struct tsh_tree_names *names, struct tsh_strbuf *out);
/*
 * Looks at every record and writes what explains it: formats, names of tasks, symbols,
 * memory, variables, enumerators. Counts the events of each of the CPUs. `first`: what tasks were
 * called at the begin.
 * 0 or -errno; -EINTR when the waiter (may be NULL) was stopped.
 */
int tsh_tree_explain(const struct tsh_tree *tree, const struct tsh_instance *in,
		     const struct tsh_saved_comms *first, const struct tsh_tree_names *names, const struct tsh_waiter *waiter,
		     struct tsh_tree_cpu *cpus, size_t ncpus);

/* ---- the parts of kallsyms and BTF that a recording needs ---- */

/* The addresses that symbols are asked for. */
struct tsh_used_symbols;
struct tsh_used_symbols *tsh_used_symbols_new(const struct tsh_provider *provider,
					      unsigned int long_size);
void tsh_used_symbols_free(struct tsh_used_symbols *used);
/* Notes every number of a record that may be the address of a symbol. */
void tsh_used_symbols_scan(struct tsh_used_symbols *used, const struct tsh_record *rec,
			   bool big_endian);
/* Notes a function whose arguments are recorded. */
void tsh_used_symbols_call(struct tsh_used_symbols *used, uint64_t function);
/* The lines of kallsyms that were asked for, each symbol with the one behind it (it ends
 * there), and those of `names`, which are sorted; where one is a module's, also the last function of each module. Adds the
 * names of the functions to `called`. */
void tsh_used_symbols_text(struct tsh_used_symbols *used, const struct tsh_strlist *names,
			   struct tsh_strbuf *out, struct tsh_strlist *called);
/* A BTF with the enumerations of the kernel and its modules that have enumerators among
 * `names`, which are sorted and each once, with those alone, and with the prototypes of
 * `functions`. Empty when there is none. */
void tsh_btf_extract(const struct tsh_provider *provider, const struct tsh_strlist *names,
		     const struct tsh_strlist *functions, struct tsh_strbuf *out);

#endif
