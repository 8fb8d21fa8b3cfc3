/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_ENGINE_DIAGNOSE_CAPS_H
#define TRACESH_ENGINE_DIAGNOSE_CAPS_H

#include "session/session.h"

/* Says how to find out, by reading, whether the kernel can do something. */
enum tsh_cap_how {
	TSH_CAP_FILE,		/* a file of the top instance */
	TSH_CAP_README,		/* a text in its README */
	TSH_CAP_TRACER,		/* a name of available_tracers */
	TSH_CAP_CLOCK,		/* a name of trace_clock */
	TSH_CAP_OPTION,		/* a name in options/ */
	TSH_CAP_PATH,		/* a file of the machine */
	TSH_CAP_SYMBOL,		/* a function of the kernel, by /proc/kallsyms */
	TSH_CAP_VERSION,	/* only the kernel's version */
};

/* Describes a capability. Versions are those of the mainline kernel; names of options are those
 * of kernel/trace/Kconfig. The last entry of the table has no name. */
struct tsh_cap {
	const char *group;
	const char *name;
	enum tsh_cap_how how;
	/* Is the file, the text, the name or the function; for VERSION an event and a filter. */
	const char *what;
	unsigned int since;	/* kernel version (TSH_KERNEL_VERSION); 0: always */
	const char *needs;	/* option or boot parameter; or NULL */
	const char *summary;
};

extern const struct tsh_cap tsh_caps[];

/* Tries a capability in an instance of our own. Returns "works", or the reason why it does not,
 * which the caller frees. NULL: it cannot be tried without harm. */
char *tsh_cap_try(struct tsh_session *s, struct tsh_instance *own, const struct tsh_cap *cap);

#endif
