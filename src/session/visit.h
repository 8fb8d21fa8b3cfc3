/* session/visit.h - lets a session work on a recording for a while */
/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_SESSION_VISIT_H
#define TRACESH_SESSION_VISIT_H

#include "session.h"

/* Holds what the session works on else. */
struct tsh_visit {
	struct tsh_dir *dir;
	struct tsh_instance *in;
	struct tsh_function_names *functions;
	struct tsh_btf *btf;
	struct tsh_strlist came_from;
};

/* Lets the session work on the recording at `path`, a folder or a file. Returns 0, or -1 with
 * err, which refuses a tracefs. */
int tsh_visit_begin(struct tsh_visit *visit, struct tsh_session *s, const char *path, struct tsh_err *err);
/* Lets the session go on where it was. */
void tsh_visit_end(struct tsh_visit *visit, struct tsh_session *s);

#endif
