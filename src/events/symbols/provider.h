/* events/symbols/provider.h - the source of names, symbols and formats */
/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_EVENTS_SYMBOLS_PROVIDER_H
#define TRACESH_EVENTS_SYMBOLS_PROVIDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Provides formats, names and symbols: of a live instance, a recording, or a test. The decoder
 * itself opens no file. Strings that are returned are malloc'd, and belong to the caller. */
struct tsh_provider {
	/* Returns the format file of the event `id`; -ENOENT: no event has it. */
	int (*format)(void *ctx, unsigned int id, char **ret_system, char **ret_text);
	/* Returns saved_cmdlines, lines "PID COMM"; NULL: there is none. */
	char *(*cmdlines)(void *ctx);
	/* Returns the present name of a task (/proc/PID/comm); false: it is not known. */
	bool (*comm)(void *ctx, int pid, char comm[16]);
	/* Calls `see` with the present name of every task. Returns false when they cannot be
	 * listed. May be NULL. */
	bool (*tasks)(void *ctx, void (*each)(void *to, int pid, const char *comm), void *to);
	/* Returns whether a task's program is made for 32 or 64 bits; 0: unknown. May be NULL. */
	unsigned int (*bits)(void *ctx, int pid);
	/* Returns the thread group of a task, or -1. */
	int (*tgid)(void *ctx, int pid);
	/* Returns printk_formats, for bprint and bputs, or NULL. */
	char *(*printk_formats)(void *ctx);
	/* ---- each of the following may be NULL, when the kernel does not have that data ---- */
	/* Returns a descriptor of kallsyms, at its beginning; -1: there is none. The caller
	 * closes it. Lines are "ADDRESS TYPE NAME[\t[MODULE]]". */
	int (*kallsyms)(void *ctx);
	/* Returns a descriptor of the kernel's BTF (raw, no ELF), at its beginning; -1: there is
	 * none. */
	int (*btf)(void *ctx);
	/* Returns a descriptor of the BTF of a module, at its beginning: of number 0, 1, .. until
	 * it returns -1. A module's strings follow those of the kernel. */
	int (*module_btf)(void *ctx, unsigned int index);
	/* Reads `len` bytes of the kernel's memory; false: they cannot be read. */
	bool (*memory)(void *ctx, uint64_t address, void *ret, size_t len);
	/* Returns a value that print formats refer to by name: "HZ", "jiffies", "vmemmap_base". */
	bool (*variable)(void *ctx, const char *name, uint64_t *ret);
	/* Returns dynamic_events (for old kernels kprobe_events and uprobe_events), or NULL. */
	char *(*dynamic_events)(void *ctx);
	/* Returns an option of the instance ("sym-offset"): 1, 0, or -1 when it has no
	 * such option. */
	int (*option)(void *ctx, const char *name);
	void *ctx;
	bool tasks_change;	/* tasks begin and end meanwhile: a running kernel */
};

#endif
