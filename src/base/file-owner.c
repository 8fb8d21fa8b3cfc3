/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "number.h"
#include "safe-file.h"
#include "strbuf.h"

static bool is_ours(const struct stat *st)
{
	return st->st_uid == geteuid() || st->st_uid == 0;
}

/* Says whether the user who called sudo owns a file. The caller cannot choose SUDO_UID: sudo
 * sets it. */
static bool is_sudo_callers(const struct stat *st)
{
	const char *caller = geteuid() ? NULL : getenv("SUDO_UID");
	uint64_t uid;

	return caller && !tsh_parse_u64(caller, &uid) && st->st_uid == uid;
}

bool tsh_is_safe(const struct stat *st)
{
	return is_ours(st) && !(st->st_mode & (S_IWGRP | S_IWOTH));
}

bool tsh_is_owned(const struct stat *st)
{
	return is_ours(st) || is_sudo_callers(st);
}

/* Says whether a file has an ACL beside its mode. Returns true where that cannot be known. */
static bool has_acl(int fd)
{
	char path[32];

	/* uses the name in /proc: fgetxattr(2) refuses an O_PATH descriptor */
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	return getxattr(path, "system.posix_acl_access", NULL, 0) >= 0 ||
	       (errno != ENODATA && errno != EOPNOTSUPP);
}

bool tsh_is_trusted(int fd, const struct stat *st)
{
	return tsh_is_owned(st) && !(st->st_mode & S_IWOTH) &&
	       (!(st->st_mode & S_IWGRP) ||
		(st->st_uid && st->st_gid == st->st_uid && !has_acl(fd)));
}

const char *tsh_kind_name(mode_t mode)
{
	switch (mode & S_IFMT) {
	case S_IFLNK:
		return "a symbolic link";
	case S_IFIFO:
		return "a FIFO";
	case S_IFSOCK:
		return "a socket";
	case S_IFDIR:
		return "a folder";
	case S_IFREG:
		return "a file";
	default:
		return "a device";
	}
}

void tsh_owner_name(uid_t uid, struct tsh_strbuf *out)
{
	FILE *f = fopen("/etc/passwd", "re");
	char *line = NULL;
	size_t cap = 0;
	bool found = false;
	uint64_t number;

	/* name:password:uid:.. */
	while (f && !found && getline(&line, &cap, f) > 0) {
		const char *text = strchr(line, ':');

		text = text ? strchr(text + 1, ':') : NULL;
		if (text)
			text++;
		found = text && tsh_parse_u64_prefix(&text, &number) && number == uid;
		if (found)
			tsh_strbuf_addf(out, "%.*s (user %u)", (int)strcspn(line, ":"), line,
					(unsigned int)uid);
	}
	if (!found)
		tsh_strbuf_addf(out, "user %u", (unsigned int)uid);
	free(line);
	if (f)
		fclose(f);
}
