/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_BASE_ACCOUNT_H
#define TRACESH_BASE_ACCOUNT_H

#include <stddef.h>
#include <sys/types.h>

#include "err.h"

/* An account of the machine, from /etc/passwd and /etc/group themselves: a static
 * program has no name service. */
struct tsh_account {
	uid_t uid;
	gid_t gid;
	gid_t groups[64];
	size_t ngroups;
	char name[64];
	char home[256];
	char shell[256];		/* both empty: it has none */
};

/* By name or number. -1 with err when there is none. */
int tsh_account_find(const char *name, struct tsh_account *ret, struct tsh_err *err);
/* Becomes that account for good (in a child), HOME, USER, LOGNAME and SHELL too. 0 or -errno. */
int tsh_account_become(const struct tsh_account *account);

#endif
