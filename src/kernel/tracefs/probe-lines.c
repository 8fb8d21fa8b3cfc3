/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "probe-lines.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/apart.h"
#include "base/number.h"
#include "base/safe-file.h"

/* Parses the lines of lists of probes. */

static const char prefix[] = TSH_PROBE_PREFIX, synthetic[] = TSH_PROBE_SYNTHETIC, digits[] = "0123456789";

/* milliseconds to wait for the file system of a program */
#define PATIENCE_MS 2000

bool tsh_probe_event(const char *line, struct tsh_event *ret)
{
	size_t word = strcspn(line, " \t"), len;
	const char *colon = memchr(line, ':', word), *slash;

	if (!colon)
		return false;
	colon++;
	len = word - (size_t)(colon - line);
	slash = memchr(colon, '/', len);
	if (!slash || slash == colon || (size_t)(slash + 1 - colon) == len)
		return false;
	ret->system = tsh_xstrndup(colon, (size_t)(slash - colon));
	ret->name = tsh_xstrndup(slash + 1, len - (size_t)(slash + 1 - colon));
	/* The names become parts of a path, so they are checked, although the list is the
	 * kernel's. */
	if (!strpbrk(ret->system, "/.*?[") && !strpbrk(ret->name, "/.*?["))
		return true;
	tsh_probe_event_release(ret);
	return false;
}

void tsh_probe_event_release(struct tsh_event *event)
{
	free(event->system);
	free(event->name);
	*event = (struct tsh_event){ 0 };
}

char *tsh_probe_folder(const char *line)
{
	struct tsh_event event;
	char *folder = NULL;

	if (tsh_probe_event(line, &event)) {
		folder = tsh_event_path(&event, "");
		tsh_probe_event_release(&event);
	} else if (!strchr(line, '/')) {
		folder = tsh_xasprintf("events/%s%.*s/", synthetic, (int)strcspn(line, " \t;"), line);
	}
	return folder;
}

/* Returns the text after the "_N" of a group, or p when there is none. */
static const char *behind_number(const char *p)
{
	return *p == '_' && p[1] >= '0' && p[1] <= '9' ? p + 1 + strspn(p + 1, digits) : p;
}

pid_t tsh_probe_owner(const char *line)
{
	const char *colon = memchr(line, ':', strcspn(line, " \t"));
	long pid;
	char *end;

	if (!colon || strncmp(colon + 1, prefix, strlen(prefix)) != 0)
		return 0;
	colon += 1 + strlen(prefix);
	pid = *colon >= '1' && *colon <= '9' ? strtol(colon, &end, 10) : 0;
	return pid > 0 && pid <= INT32_MAX && *behind_number(end) == '/' ? (pid_t)pid : 0;
}

pid_t tsh_probe_group_owner(const char *group)
{
	const char *at;
	uint64_t pid;

	for (at = strchr(group, '_'); at; at = strchr(at, '_')) {
		at++;
		if (tsh_parse_u64_prefix(&at, &pid) && (!*at || *at == '_'))
			return pid <= INT32_MAX ? (pid_t)pid : 0;
	}
	return 0;
}

bool tsh_probe_is_group(const char *group)
{
	const char *pid = group + strlen(prefix);

	return !strncmp(group, prefix, strlen(prefix)) && *pid >= '0' && *pid <= '9' &&
	       !*behind_number(pid + strspn(pid, digits));
}

static void write_check(void *ctx, int out)
{
	int fd = tsh_open_protected(ctx);

	(void)tsh_write_all(out, (const char *)&fd, sizeof(fd));
}

/* Opens a path in another process: undo must not wait for a file system that never answers. */
static int check_firm(char *path)
{
	struct tsh_strbuf text = TSH_STRBUF_INIT;
	int r = -ETIMEDOUT;

	if (tsh_apart_run(write_check, path, NULL, PATIENCE_MS, sizeof(r), &text) == TSH_APART_DONE)
		memcpy(&r, text.buf, sizeof(r));
	tsh_strbuf_release(&text);
	return r < 0 ? r : 0;
}

int tsh_probe_check_path(const char *line)
{
	const char *place = line + strcspn(line, " \t"), *end;
	char *path;
	int r;

	place += strspn(place, " \t");
	end = place + strcspn(place, " \t");
	/* The kernel lists a path as it was typed; a relative one is another file in another
	 * directory. */
	if ((*line == 'p' || *line == 'r') && *place != '/' &&
	    memchr(place, '/', (size_t)(end - place)))
		return -EXDEV;
	if (*place != '/' || *line == '-')
		return 0;
	while (end > place && *end != ':')
		end--;
	path = tsh_xstrndup(place, (size_t)(end - place));
	r = check_firm(path);
	free(path);
	return r;
}
