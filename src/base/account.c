/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "account.h"

#include <errno.h>
#include <linux/capability.h>
#include <linux/keyctl.h>
#include <grp.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "number.h"

/* Splits a line at its colons into at most n fields; returns how many. */
static size_t split_fields(char *line, char **fields, size_t n)
{
	size_t count = 0;

	line[strcspn(line, "\n")] = '\0';
	while (count < n) {
		fields[count++] = line;
		line = strchr(line, ':');
		if (!line)
			break;
		*line++ = '\0';
	}
	return count;
}

static bool in_list(const char *list, const char *name)
{
	size_t len = strlen(name), part;

	for (; *list; list += part + (list[part] == ',')) {
		part = strcspn(list, ",");
		if (part == len && !strncmp(list, name, len))
			return true;
	}
	return false;
}

/* name:password:gid:member,member */
static void find_groups(const char *user, struct tsh_account *account)
{
	FILE *f = fopen("/etc/group", "re");
	size_t cap = 0, max = sizeof(account->groups) / sizeof(account->groups[0]);
	char *line = NULL, *fields[4];
	uint64_t gid;

	while (f && account->ngroups < max && getline(&line, &cap, f) > 0)
		if (split_fields(line, fields, 4) == 4 && !tsh_parse_u64(fields[2], &gid) &&
		    in_list(fields[3], user))
			account->groups[account->ngroups++] = (gid_t)gid;
	free(line);
	if (f)
		fclose(f);
}

int tsh_account_find(const char *name, struct tsh_account *ret, struct tsh_err *err)
{
	FILE *f = fopen("/etc/passwd", "re");
	char *line = NULL, *fields[7];
	uint64_t uid, gid;
	size_t cap = 0;
	bool found = false;

	/* name:password:uid:gid:comment:home:shell */
	while (f && !found && getline(&line, &cap, f) > 0) {
		size_t n = split_fields(line, fields, 7);

		if (n < 4 || tsh_parse_u64(fields[2], &uid) < 0 ||
		    tsh_parse_u64(fields[3], &gid) < 0)
			continue;
		if (strcmp(fields[0], name) && strcmp(fields[2], name))
			continue;
		found = true;
		*ret = (struct tsh_account){ .uid = (uid_t)uid, .gid = (gid_t)gid };
		ret->groups[ret->ngroups++] = (gid_t)gid;
		find_groups(fields[0], ret);
		snprintf(ret->name, sizeof(ret->name), "%s", fields[0]);
		snprintf(ret->home, sizeof(ret->home), "%s", n > 5 ? fields[5] : "");
		snprintf(ret->shell, sizeof(ret->shell), "%s", n > 6 ? fields[6] : "");
	}
	free(line);
	if (f)
		fclose(f);
	if (!found)
		return tsh_err_set(err, TSH_FAILED, "there is no user '%s'", name);
	return 0;
}

/* Drops the inheritable capabilities, so that a program with file capabilities does not inherit
 * ours. Returns 0 or -1. */
static int empty_inheritable(void)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct sets[_LINUX_CAPABILITY_U32S_3];

	if (syscall(SYS_capget, &header, sets) < 0)
		return -1;
	sets[0].inheritable = sets[1].inheritable = 0;
	return (int)syscall(SYS_capset, &header, sets);
}

int tsh_account_become(const struct tsh_account *account)
{
	if (setgroups(account->ngroups, account->groups) < 0 || setgid(account->gid) < 0 ||
	    setuid(account->uid) < 0 || empty_inheritable() < 0)
		return -errno;
	/* Clears the ambient capabilities too. Kernels that have none refuse this, which does no
	 * harm. */
	(void)prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
	(void)syscall(SYS_keyctl, KEYCTL_JOIN_SESSION_KEYRING, NULL);
	/* Sets the variables as login(1) does, so that the program does not read the files of
	 * root's home. */
	setenv("USER", account->name, 1);
	setenv("LOGNAME", account->name, 1);
	setenv("HOME", *account->home ? account->home : "/", 1);
	setenv("SHELL", *account->shell ? account->shell : "/bin/sh", 1);
	return 0;
}
