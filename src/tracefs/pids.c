/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pids.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lines.h"
#include "tracesh/machine.h"
#include "tracesh/number.h"

bool tsh_pid_is_alive(const char *pid)
{
	static const ino_t first_pid_namespace = 0xEFFFFFFC;	/* PROC_PID_INIT_INO */
	struct stat st;
	char *path;
	bool alive;

	/* Elsewhere the kernel's numbers are not ours. */
	if (stat("/proc/self/ns/pid", &st) < 0 || st.st_ino != first_pid_namespace)
		return false;
	path = tsh_xasprintf("/proc/%.20s", pid);
	alive = !access(path, F_OK);
	free(path);
	return alive;
}

/* A number of /proc/PID/status, as text; "" when there is none. */
static void status_number(const char *pid, const char *name, char out[16])
{
	char *path = tsh_xasprintf("/proc/%.20s/status", pid);
	char text[1024];
	const char *found;
	size_t len;

	out[0] = '\0';
	(void)tsh_read_small(path, text, sizeof(text));
	found = strstr(text, name);
	if (found) {
		found += strlen(name);
		found += strspn(found, " \t");
		len = strspn(found, "0123456789");
		if (len < 16) {
			memcpy(out, found, len);
			out[len] = '\0';
		}
	}
	free(path);
}

/* Whether the kernel may have listed a task because one of these is listed: it is their
 * thread or child, or it could have been: an orphan. */
static bool may_descend(const char *pid, const struct tsh_strlist *from)
{
	char current[16], next[16];
	int depth;

	status_number(pid, "\nTgid:", current);
	for (depth = 0; depth < 64 && *current; depth++) {
		if (tsh_strlist_has(from, current))
			return true;
		status_number(current, "\nPPid:", next);
		if (!strcmp(next, "1") && !depth)
			return strcmp(current, "1") != 0;
		memcpy(current, next, sizeof(current));
		if (!strcmp(current, "0") || !strcmp(current, "1"))
			return tsh_strlist_has(from, current);
	}
	return false;
}

/* Adds those of `now` to `list` that the kernel may have listed because of it: children of
 * children, too, whose parents have become orphans. */
static void add_descendants(const struct tsh_strlist *now, struct tsh_strlist *list)
{
	size_t known, i;

	do {
		known = list->n;
		for (i = 0; i < now->n; i++)
			if (!tsh_strlist_has(list, now->v[i]) && may_descend(now->v[i], list))
				tsh_strlist_add(list, now->v[i]);
	} while (list->n > known);
}

bool tsh_pids_follow_forks(const struct tsh_instance *in)
{
	char *events = tsh_file_text(in, "options/event-fork");
	char *functions = tsh_file_text(in, "options/function-fork");
	bool follows = (events && strcmp(events, "0")) || (functions && strcmp(functions, "0"));

	free(events);
	free(functions);
	return follows;
}

void tsh_pids_before(const struct tsh_strlist *before, const struct tsh_strlist *after,
		     const struct tsh_strlist *now, bool forks, struct tsh_strlist *ret)
{
	struct tsh_strlist ours = { 0 };
	size_t i;

	for (i = 0; i < after->n; i++)
		tsh_strlist_add(&ours, after->v[i]);
	if (after->n && forks)
		add_descendants(now, &ours);
	for (i = 0; i < before->n; i++)
		if (tsh_strlist_has(now, before->v[i]) ||
		    !tsh_strlist_has(after, before->v[i]))
			tsh_strlist_add(ret, before->v[i]);
	for (i = 0; i < now->n; i++)
		if (!tsh_strlist_has(&ours, now->v[i]) && !tsh_strlist_has(before, now->v[i]) &&
		    tsh_pid_is_alive(now->v[i]))
			tsh_strlist_add(ret, now->v[i]);
	tsh_strlist_release(&ours);
}
