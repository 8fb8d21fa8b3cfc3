/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_BASE_ACCOUNT_H
#define TRACESH_BASE_ACCOUNT_H

#include <stddef.h>
#include <sys/types.h>

#include "err.h"

/* Describes an account. Read from /etc/passwd and /etc/group directly, because a static program
 * cannot load the modules of NSS. */
struct tsh_account {
	uid_t uid;
	gid_t gid;
	gid_t groups[64];
	size_t ngroups;
	char name[64];
	char home[256];
	char shell[256];		/* home and shell are empty when it has none */
};

/* Finds an account by its name or its number. Returns -1 with err when there is none. */
int tsh_account_find(const char *name, struct tsh_account *ret, struct tsh_err *err);
/* Switches this process (a child) to the account for good, and sets HOME, USER, LOGNAME and
 * SHELL. Returns 0 or -errno. */
int tsh_account_become(const struct tsh_account *account);

#endif
