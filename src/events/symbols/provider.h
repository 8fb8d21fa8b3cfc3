/* events/symbols/provider.h - where names, symbols and formats come from */
/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_EVENTS_SYMBOLS_PROVIDER_H
#define TRACESH_EVENTS_SYMBOLS_PROVIDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Where formats, names and symbols come from: a live instance, a recorded tree, a
 * test. decode opens no file. Strings that it returns are malloc'd and given away.
 */
struct tsh_provider {
	/* The format file of event `id`; -ENOENT when no event has it. */
	int (*format)(void *ctx, unsigned int id, char **ret_system, char **ret_text);
	/* saved_cmdlines: "PID COMM" lines; NULL when there is none. */
	char *(*cmdlines)(void *ctx);
	/* The present name of a task (/proc/PID/comm) into comm; false when unknown. */
	bool (*comm)(void *ctx, int pid, char comm[16]);
	/* Tells `see` the present name of every task; false: nobody can list them. May be NULL. */
	bool (*tasks)(void *ctx, void (*see)(void *to, int pid, const char *comm), void *to);
	/* 32 or 64, what the task's program is made for; 0: unknown. May be NULL. */
	unsigned int (*bits)(void *ctx, int pid);
	/* thread group of a task, or -1 */
	int (*tgid)(void *ctx, int pid);
	/* printk_formats, for bprint and bputs; may return NULL. */
	char *(*printk_formats)(void *ctx);
	/* ---- from here on each may be NULL: the kernel has no such thing ---- */
	/* A descriptor of kallsyms, at its begin: "ADDRESS TYPE NAME[\t[MODULE]]" lines.
	 * -1: none. The caller closes it. */
	int (*kallsyms)(void *ctx);
	/* A descriptor of the kernel's BTF (raw, no ELF), at its begin; -1: none. */
	int (*btf)(void *ctx);
	/* The same of the modules, index 0, 1, .. until -1; its strings go on from the
	 * kernel's. */
	int (*module_btf)(void *ctx, unsigned int index);
	/* `len` bytes of the kernel's memory; false: they cannot be had. */
	bool (*memory)(void *ctx, uint64_t address, void *ret, size_t len);
	/* Gives what print formats use of the kernel by name: "HZ", "jiffies", "vmemmap_base". */
	bool (*variable)(void *ctx, const char *name, uint64_t *ret);
	/* dynamic_events (of old kernels kprobe_events and uprobe_events); may return NULL. */
	char *(*dynamic_events)(void *ctx);
	/* An option of the instance ("sym-offset"): 1, 0, or -1 when it has none such. */
	int (*option)(void *ctx, const char *name);
	void *ctx;
	bool tasks_change;	/* of the running kernel: tasks come and go meanwhile */
};

#endif
