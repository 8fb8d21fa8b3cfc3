/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/klog.h>
#include <unistd.h>

#include "base/safe-file.h"
#include "base/xmalloc.h"
#include "defaults.h"

/* Finds the clock that the kernel chose at boot (kernel/trace/trace.c,
 * tracing_set_default_clock). */

#define LOG_READ_ALL 3		/* commands of syslog(2) */
#define LOG_SIZE 10
#define LOG_MAX (64 << 20)
#define COMMAND_LINE_MAX 65536

/* Returns the value of the last NAME=VALUE on the kernel's command line, or NULL when there is
 * none. The caller frees it. */
static char *boot_parameter(const char *name)
{
	struct tsh_strbuf text = TSH_STRBUF_INIT;
	struct tsh_strlist words = { 0 };
	int fd = open("/proc/cmdline", O_RDONLY | O_CLOEXEC);
	size_t i, len = strlen(name);
	char *value = NULL;

	if (fd >= 0 && tsh_is_on_proc(fd))
		(void)tsh_strbuf_read(&text, fd, COMMAND_LINE_MAX);
	if (fd >= 0)
		close(fd);
	tsh_strlist_split_words(&words, text.buf);
	for (i = 0; i < words.n; i++)
		if (!strncmp(words.v[i], name, len) && words.v[i][len] == '=') {
			free(value);
			value = tsh_xstrdup(words.v[i] + len + 1);
		}
	tsh_strlist_release(&words);
	tsh_strbuf_release(&text);
	return value;
}

/* Says whether the kernel's log has the message that it chose the clock 'global'. *ret_is_whole:
 * the log reaches back to the boot. */
static bool log_says_global(bool *ret_is_whole)
{
	int size = klogctl(LOG_SIZE, NULL, 0), n;
	char *text = size > 0 && size <= LOG_MAX ? tsh_xcalloc(1, (size_t)size + 1) : NULL;
	const char *end;
	bool says;

	n = text ? klogctl(LOG_READ_ALL, text, size) : -1;
	if (n < 0)
		n = 0;
	end = text ? memchr(text, '\n', (size_t)n) : NULL;
	*ret_is_whole = end && memmem(text, (size_t)(end - text), "Linux version", strlen("Linux version"));
	says = text && strstr(text, "] Unstable clock detected, switching default tracing clock to \"global\"");
	free(text);
	return says;
}

static bool has_clock(const struct tsh_instance *in, const char *clock)
{
	char *list = tsh_file_text(in, "trace_clock"), *chosen = list ? tsh_choose(list, clock) : NULL;
	bool has = chosen;

	free(chosen);
	free(list);
	return has;
}

char *tsh_default_clock(const struct tsh_instance *in)
{
	bool is_whole;
	char *asked;

	if (in->name || in->dir->kind == TSH_DIR_TREE)
		return tsh_xstrdup("local");
	asked = boot_parameter("trace_clock");
	if (asked && has_clock(in, asked))
		return asked;
	free(asked);
	/* A kernel ignores a clock that it does not know, and then does not choose one itself. */
	if (asked)
		return tsh_xstrdup("local");
	if (log_says_global(&is_whole))
		return tsh_xstrdup("global");
	return is_whole ? tsh_xstrdup("local") : NULL;
}
