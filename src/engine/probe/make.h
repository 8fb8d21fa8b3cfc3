/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_ENGINE_PROBE_MAKE_H
#define TRACESH_ENGINE_PROBE_MAKE_H

/* Stands between make.c (one probe) and many.c (one for each function that a glob matches). */

#include "probe.h"

struct making {
	const struct tsh_value *value;	/* the target's word */
	struct tsh_target target;
	struct tsh_probe_line line;
	const char *file;
	char *name;
};

/* The list that the kernel has for such a target, into m->file. */
int probe_find_file(struct tsh_session *s, struct making *m, struct tsh_err *err);
/* The kernel's line, in that group, for its target, file and name. */
int probe_make_line(struct tsh_session *s, const struct tsh_call *call, struct making *m,
		    const char *group, struct tsh_err *err);
/* Gives the line to the kernel, and looks whether it has it. -1 with err, in words for the user. */
int probe_write(struct tsh_session *s, struct making *m, struct tsh_err *err);
/* What it is called, which is not freed, is the caller's. */
void probe_release(struct making *m);

/* ---- many.c ---- */

/* Whether the target of a call is a glob of functions. */
bool probe_is_glob(const struct tsh_call *call);
/* As tsh_probe_make; what Ctrl-C ends is taken back. */
int probe_make_many(struct tsh_session *s, const struct tsh_call *call, struct tsh_events *ret,
		    struct tsh_err *err);

#endif
