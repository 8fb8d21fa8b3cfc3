/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_SESSION_NAMES_H
#define TRACESH_SESSION_NAMES_H

/* Append the names that there are now, for checks, suggestions and completion. A file that cannot
 * be read adds none. */

#include "session.h"

void tsh_names_tracers(const struct tsh_session *s, struct tsh_strlist *ret);
void tsh_names_clocks(const struct tsh_session *s, struct tsh_strlist *ret);
void tsh_names_options(const struct tsh_session *s, struct tsh_strlist *ret);
void tsh_names_settings(struct tsh_strlist *ret);
void tsh_names_commands(const struct tsh_session *s, struct tsh_strlist *ret);
void tsh_names_topics(const struct tsh_session *s, struct tsh_strlist *ret);
void tsh_names_instances(const struct tsh_session *s, struct tsh_strlist *ret);

#endif
