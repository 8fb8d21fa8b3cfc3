/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_EVENTS_RECORDING_TREE_H
#define TRACESH_EVENTS_RECORDING_TREE_H

/* Writes a recording; the code calls its folder a tree. */

#include "events/clock/clock.h"
#include "events/decode/decode.h"
#include "events/symbols/saved-comms.h"
#include "kernel/tracefs/event.h"
#include "record.h"

/* Holds the folder of a recording that is being written. */
struct tsh_tree {
	int fd;
	char *path;		/* absolute */
	bool made;		/* the folder was made by us */
	const struct tsh_strlist *hidden;	/* see struct tsh_record_options */
	const char *filter;	/* see struct tsh_record_options */
};

/* Says whether an event was added by us, so that the user did not ask for it. */
bool tsh_tree_is_hidden(const struct tsh_tree *tree, const char *system, const char *name);

/* Makes the folder, or uses an empty one. Returns 0, or -1 with err. */
int tsh_tree_make(struct tsh_tree *tree, const char *path, struct tsh_err *err);
void tsh_tree_close(struct tsh_tree *tree);
/* Removes what was written, and the folder if we have made it. */
void tsh_tree_remove(struct tsh_tree *tree);
/* Creates a file of the recording for pages, and the folders above it. Returns a descriptor or
 * -errno. */
int tsh_tree_create(const struct tsh_tree *tree, const char *path);
/* Writes a whole file; at any time it is either the old one or the new one. Returns 0 or -errno. */
int tsh_tree_write(const struct tsh_tree *tree, const char *path, const char *text, size_t len);
/* Copies a file of the instance, if it exists. Returns 0, or -errno of writing. */
int tsh_tree_copy(const struct tsh_tree *tree, const struct tsh_instance *in, const char *path);

/* Counts what a recording did with the pages of one CPU. */
struct tsh_tree_cpu {
	int cpu;
	uint64_t events;	/* events in the recording */
	uint64_t hidden;	/* events of these that the user did not ask for */
	uint64_t bytes;		/* bytes of their pages */
	uint64_t oldest;	/* stamp of the first one; only set when there are events */
	uint64_t lost;
	uint64_t overwritten;
	uint64_t gone;		/* events missing by the pages; or TSH_LOST_UNKNOWN */
	bool has_gap;		/* events were lost or overwritten */
};

/* Writes settings, formats of the enabled events, and options: everything that is known before the
 * first page. Called again at the end. Returns 0, or -errno of a file that could not be written. */
int tsh_tree_write_settings(const struct tsh_tree *tree, const struct tsh_instance *in);
/* Writes the event's filter, if it has one. Returns 0, or -errno of writing. */
int tsh_tree_write_filter(const struct tsh_tree *tree, const struct tsh_instance *in, const struct tsh_event *event);
/* Writes per_cpu/cpuN/stats, with the numbers of the recorded events. */
int tsh_tree_write_stats(const struct tsh_tree *tree, const struct tsh_instance *in,
			 const struct tsh_tree_cpu *cpu);
/* Holds names of tasks that saved_cmdlines had during the recording. */
struct tsh_tree_names;
struct tsh_tree_names *tsh_tree_names_new(void);
void tsh_tree_names_free(struct tsh_tree_names *names);
void tsh_tree_names_read(struct tsh_tree_names *names, const struct tsh_instance *top);
/* Appends lines of a recording's comms (tsh_saved_comms_write), one for each task. */
void tsh_tree_names_text(const struct tsh_tree_names *names, struct tsh_strbuf *out);
/*
 * Reads every record, and writes what explains it: formats, names of tasks, symbols, memory,
 * variables, enumerators. Counts the events of each CPU. `first`: names of tasks at the beginning.
 * Returns 0 or -errno; -EINTR when the waiter (may be NULL) was stopped.
 */
int tsh_tree_explain(const struct tsh_tree *tree, const struct tsh_instance *in,
		     const struct tsh_saved_comms *first, const struct tsh_tree_names *names, const struct tsh_waiter *waiter,
		     struct tsh_tree_cpu *cpus, size_t ncpus);

/* ---- the parts of kallsyms and BTF that a recording needs ---- */

/* Collects the addresses whose symbols are needed. */
struct tsh_used_symbols;
struct tsh_used_symbols *tsh_used_symbols_new(const struct tsh_provider *provider,
					      unsigned int long_size);
void tsh_used_symbols_free(struct tsh_used_symbols *used);
/* Notes every number of a record that may be the address of a symbol. */
void tsh_used_symbols_scan(struct tsh_used_symbols *used, const struct tsh_record *rec,
			   bool big_endian);
/* Notes a function whose arguments are recorded. */
void tsh_used_symbols_call(struct tsh_used_symbols *used, uint64_t function);
/*
 * Appends the needed lines of kallsyms: each symbol with the one behind it, which is its end, and
 * those of `names`, which are sorted. When one of these is a module's, also the last function of
 * each module. Adds the names of functions that were called to `called`.
 */
void tsh_used_symbols_text(struct tsh_used_symbols *used, const struct tsh_strlist *names,
			   struct tsh_strbuf *out, struct tsh_strlist *called);
/*
 * Appends a BTF with the enumerations of the kernel and its modules that have enumerators among
 * `names` (sorted, each one once), reduced to these, and with the prototypes of `functions`.
 * Appends nothing when there are none.
 */
void tsh_btf_extract(const struct tsh_provider *provider, const struct tsh_strlist *names,
		     const struct tsh_strlist *functions, struct tsh_strbuf *out);

#endif
