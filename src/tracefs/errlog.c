/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "errlog.h"

#include <stdlib.h>
#include <string.h>

/*
 * "[ts] LOCATION: error: MESSAGE\n  Command: CMD\n" and a caret below CMD. CMD is
 * what somebody wrote, newlines and all: so the entry is read from its ends.
 */
bool tsh_errlog_last(const struct tsh_instance *in, struct tsh_errlog_entry *ret)
{
	static const char error[] = ": error: ";
	static const char command[] = "  Command: ";
	char *text = tsh_file_text(in, "error_log");
	const char *found = NULL, *next, *line, *p;

	for (p = text; p && (next = strstr(p, error)); p = next + 1)
		found = next;
	if (!found) {
		free(text);
		return false;
	}
	found += strlen(error);
	ret->message = tsh_xstrndup(found, strcspn(found, "\n"));
	line = strrchr(text, '\n');
	line = line ? line + 1 : text;
	p = line + strspn(line, " ");
	ret->has_pos = *p == '^' && (size_t)(p - line) >= strlen(command);
	if (ret->has_pos)
		ret->pos = (size_t)(p - line) - strlen(command);
	free(text);
	return true;
}

void tsh_errlog_entry_release(struct tsh_errlog_entry *entry)
{
	free(entry->message);
	entry->message = NULL;
}
