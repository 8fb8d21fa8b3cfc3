/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_BASE_ZONE_H
#define TRACESH_BASE_ZONE_H

#include "err.h"
#include "vec.h"

/* 0 when the zone database (TZDIR) has it, or it is a rule of POSIX; -1 with a hint. */
int tsh_zone_check(const char *name, struct tsh_err *err);
/* The names of the database's own list, sorted; just "UTC" where there is none. */
void tsh_zone_names(struct tsh_strlist *ret);

#endif
