/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_ENGINE_DIAGNOSE_CAPS_H
#define TRACESH_ENGINE_DIAGNOSE_CAPS_H

#include "session/session.h"

/* How one sees by reading that the kernel can do something. */
enum tsh_cap_how {
	TSH_CAP_FILE,		/* a file of the top instance */
	TSH_CAP_README,		/* its README has the text */
	TSH_CAP_TRACER,		/* a name of available_tracers */
	TSH_CAP_CLOCK,		/* a name of trace_clock */
	TSH_CAP_OPTION,		/* a name in options/ */
	TSH_CAP_PATH,		/* a file of the machine */
	TSH_CAP_SYMBOL,		/* a function of the kernel, by /proc/kallsyms */
	TSH_CAP_VERSION,	/* nothing tells but the kernel's version */
};

/*
 * The versions are those of the mainline in which it appeared; Kconfig's names are of
 * kernel/trace/Kconfig. The last one of the table has no name.
 */
struct tsh_cap {
	const char *group;
	const char *name;
	enum tsh_cap_how how;
	const char *what;	/* the file, the text, the name, the function; of VERSION the event and the filter */
	unsigned int since;	/* see TSH_KERNEL_VERSION; 0: always */
	const char *needs;	/* the option or the boot parameter, or NULL */
	const char *summary;
};

extern const struct tsh_cap tsh_caps[];

/*
 * Does it, in an instance of our own; the caller frees the answer: "works", or why it does
 * not. NULL: that cannot be tried without harm.
 */
char *tsh_cap_try(struct tsh_session *s, struct tsh_instance *own, const struct tsh_cap *cap);

#endif
