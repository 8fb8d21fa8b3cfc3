/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_SESSION_SCRIPT_H
#define TRACESH_SESSION_SCRIPT_H

#include "session.h"

/*
 * What takes a command's place in the script of --dry-run (.script of struct tsh_cmd): one
 * pipeline of sh, without a newline; lines before it go into the script. False: sh cannot do
 * that; nothing is in the script then but a comment, if it is said why.
 */
bool tsh_script_cat(struct tsh_session *s, const struct tsh_call *call, struct tsh_strbuf *sh);
bool tsh_script_snapshot(struct tsh_session *s, const struct tsh_call *call, struct tsh_strbuf *sh);
bool tsh_script_show(struct tsh_session *s, const struct tsh_call *call, struct tsh_strbuf *sh);
bool tsh_script_stream(struct tsh_session *s, const struct tsh_call *call,
		       struct tsh_strbuf *sh);
bool tsh_script_drain(struct tsh_session *s, const struct tsh_call *call, struct tsh_strbuf *sh);
bool tsh_script_wait(struct tsh_session *s, const struct tsh_call *call, struct tsh_strbuf *sh);
bool tsh_script_run(struct tsh_session *s, const struct tsh_call *call, struct tsh_strbuf *sh);
/* For what has an effect that is no write to tracefs. */
bool tsh_script_none(struct tsh_session *s, const struct tsh_call *call, struct tsh_strbuf *sh);

/* Whether the call has an argument that is none of these; a comment says that sh cannot do it. */
bool tsh_script_lacks(struct tsh_session *s, const struct tsh_call *call,
		      const char *const *known);

#endif
