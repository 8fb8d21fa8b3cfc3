/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_BASE_ZONE_H
#define TRACESH_BASE_ZONE_H

#include "err.h"
#include "vec.h"

/* Checks that the zone database (TZDIR) has a name, or that it is a rule of POSIX. Returns 0, or
 * -1 with err and a hint. */
int tsh_zone_check(const char *name, struct tsh_err *err);
/* Lists the names of the database, sorted; only "UTC" where there is none. */
void tsh_zone_names(struct tsh_strlist *ret);

#endif
