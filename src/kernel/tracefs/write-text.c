/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "write.h"

#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "base/suggest.h"
#include "size.h"

/* Converts texts that the kernel reads in several spellings into one. */

static const char blanks[] = " \t\n\v\f\r";

/* Returns a copy without blanks at both ends, as strstrip in trace.c and strim in
 * trace_events_trigger.c make it. */
static char *strip(const char *text)
{
	size_t len;

	text += strspn(text, blanks);
	for (len = strlen(text); len && strchr(blanks, text[len - 1]); len--)
		continue;
	return tsh_xstrndup(text, len);
}

static bool reads_number(const struct tsh_file_class *cls, const char *path)
{
	return cls->flags & TSH_CLASS_BITS || tsh_is_size(path) || tsh_glob_match("options/*", path) ||
	       tsh_glob_match("*snapshot", path) || !strcmp(path, "buffer_subbuf_size_kb") ||
	       !strcmp(path, "saved_cmdlines_size");
}

static char *number_in(const char *text, unsigned int base)
{
	uint64_t number;

	return tsh_parse_kernel(text, base, &number) < 0 ? NULL : tsh_xasprintf("%llu", (unsigned long long)number);
}

/* Returns a list of tasks with decimal pids: each is a word in any base (trace_pid_write). */
static char *pids_in(const char *text)
{
	struct tsh_strbuf out = TSH_STRBUF_INIT;
	char *word, *pid;
	size_t len;

	tsh_strbuf_adds(&out, "");
	while (*text) {
		len = strspn(text, blanks);
		tsh_strbuf_add(&out, text, len);
		text += len;
		len = strcspn(text, blanks);
		word = tsh_xstrndup(text, len);
		pid = number_in(word, 0);
		tsh_strbuf_adds(&out, pid ? pid : word);
		free(pid);
		free(word);
		text += len;
	}
	return tsh_strbuf_detach(&out);
}

/* Returns a trigger with the colon after its first word; the kernel also accepts a blank there
 * (trigger_process_regex). */
static char *trigger_in(const char *text)
{
	char *trigger = strip(text), *spelled;
	size_t len = strcspn(trigger, ": \t");
	const char *rest = trigger + len + (trigger[len] != '\0');
	bool is_filter;

	rest += strspn(rest, blanks);
	is_filter = !strncmp(rest, "if", 2) && (!rest[2] || strchr(" \t(", rest[2]));
	spelled = tsh_xasprintf("%.*s%s%s", (int)len, trigger, !*rest ? "" : is_filter ? " " : ":", rest);
	free(trigger);
	return spelled;
}

char *tsh_write_text(const char *path, const char *text)
{
	const struct tsh_file_class *cls = tsh_file_class(path);
	char *plain = NULL;

	if (cls->flags & TSH_CLASS_OPTIONS)
		plain = strip(text);
	else if (cls->flags & TSH_CLASS_TRIGGER)
		plain = trigger_in(text);
	else if (cls->compare == TSH_SAME_PIDS)
		plain = pids_in(text);
	else if (reads_number(cls, path))
		plain = number_in(text, 10);
	return plain ? plain : tsh_xstrdup(text);
}
