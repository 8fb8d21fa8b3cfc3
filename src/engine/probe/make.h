/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_ENGINE_PROBE_MAKE_H
#define TRACESH_ENGINE_PROBE_MAKE_H

/* Declares functions that make.c (one probe) and many.c (a probe for each function that a glob
 * matches) share. */

#include "probe.h"

struct making {
	const struct tsh_value *value;	/* the word of the target */
	struct tsh_target target;
	struct tsh_probe_line line;
	const char *file;
	char *name;
};

/* Sets m->file to the tracefs file for the kind of m->target. Returns 0, or -1 with err when the
 * kernel has no such probes. */
int probe_find_file(struct tsh_session *s, struct making *m, struct tsh_err *err);
/* Makes the kernel's line for m->target, m->file and m->name, with the event in that group.
 * Returns 0, or -1 with err. */
int probe_make_line(struct tsh_session *s, const struct tsh_call *call, struct making *m,
		    const char *group, struct tsh_err *err);
/* Writes the line, and checks that the kernel has the probe. Returns 0, or -1 with an error that
 * explains the kernel's refusal. */
int probe_write(struct tsh_session *s, struct making *m, struct tsh_err *err);
/* Releases m, except for m->name, which the caller frees. */
void probe_release(struct making *m);

/* ---- many.c ---- */

/* Says whether the target of a call is a glob of functions. */
bool probe_is_glob(const struct tsh_call *call);
/* Makes a probe for each function that the glob matches, as tsh_probe_make does. After Ctrl-C
 * removes the probes that it has made. */
int probe_make_many(struct tsh_session *s, const struct tsh_call *call, struct tsh_events *ret,
		    struct tsh_err *err);

#endif
