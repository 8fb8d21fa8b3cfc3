/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_SESSION_SCRIPT_H
#define TRACESH_SESSION_SCRIPT_H

#include "session.h"

/*
 * Write a command into the script of --dry-run (.script of struct tsh_cmd). Append one pipeline of
 * sh, without a newline, to `sh`, and lines that must stand before the pipeline to the script.
 * Return false when sh cannot do the command; the script then gets at most a comment with the
 * reason.
 */
bool tsh_script_cat(struct tsh_session *s, const struct tsh_call *call, struct tsh_strbuf *sh);
bool tsh_script_snapshot(struct tsh_session *s, const struct tsh_call *call, struct tsh_strbuf *sh);
bool tsh_script_show(struct tsh_session *s, const struct tsh_call *call, struct tsh_strbuf *sh);
bool tsh_script_stream(struct tsh_session *s, const struct tsh_call *call,
		       struct tsh_strbuf *sh);
bool tsh_script_drain(struct tsh_session *s, const struct tsh_call *call, struct tsh_strbuf *sh);
bool tsh_script_wait(struct tsh_session *s, const struct tsh_call *call, struct tsh_strbuf *sh);
bool tsh_script_run(struct tsh_session *s, const struct tsh_call *call, struct tsh_strbuf *sh);
/* Returns false: for a command whose effect is more than writes to tracefs. */
bool tsh_script_none(struct tsh_session *s, const struct tsh_call *call, struct tsh_strbuf *sh);

/* Says whether the call has an argument that is not in `known` (ends with NULL). Adds a comment
 * then: sh cannot do that argument. */
bool tsh_script_lacks(struct tsh_session *s, const struct tsh_call *call,
		      const char *const *known);

#endif
