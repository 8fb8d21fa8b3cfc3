/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "trigger.h"

#include <stdlib.h>
#include <string.h>

#include "lines.h"
#include "write.h"

/* Counts the rows of histograms that are lost when a line is written to an event's trigger file. */

/* Says whether a line clears its histogram. The kernel ignores "clear" beside "pause" or "cont"
 * (hist_register_trigger). */
static bool is_emptying(const char *line)
{
	struct tsh_trigger trigger;
	bool clears = false, goes_on = false;
	char *word, *rest;

	if (!tsh_trigger_parse(line, &trigger) && trigger.is_hist)
		for (rest = trigger.command; (word = strsep(&rest, ":"));) {
			clears = clears || !strcmp(word, "clear");
			goes_on = goes_on || !strcmp(word, "pause") || !strcmp(word, "cont") || !strcmp(word, "continue");
		}
	tsh_trigger_release(&trigger);
	return clears && !goes_on;
}

/* Counts the rows of the histograms that the line refers to. A string in a row may look like a row
 * or a title, so that the count can be too high; it is 0 only when there are no rows. */
static uint64_t count_rows(const char *path, const char *text, const char *written, size_t *ret_histograms)
{
	static const char info[] = "# trigger info: ";
	bool is_meant = false;
	uint64_t rows = 0;

	for (; *text; text += strcspn(text, "\n"), text += *text == '\n') {
		if (!strncmp(text, info, strlen(info))) {
			char *line = tsh_xstrndup(text + strlen(info), strcspn(text + strlen(info), "\n"));

			is_meant = tsh_line_is_from(path, line, written);
			*ret_histograms += is_meant;
			free(line);
		}
		rows += is_meant && !strncmp(text, "{ ", 2);
	}
	return rows;
}

uint64_t tsh_hist_rows_emptied(const struct tsh_instance *in, const char *path, const char *text,
			       size_t *ret_histograms)
{
	const struct tsh_dir *dir = in->dir;
	char *line, *hist, *file;
	uint64_t rows = 0;

	*ret_histograms = 0;
	if (!text || !(tsh_file_class(path)->flags & TSH_CLASS_TRIGGER) || dir->kind == TSH_DIR_TREE ||
	    tsh_dir_is_script(dir))
		return 0;
	line = tsh_write_text(path, text);
	file = tsh_xasprintf("%.*shist", (int)(strrchr(path, '/') + 1 - path), path);
	hist = is_emptying(line) ? tsh_file_text(in, file) : NULL;
	if (hist)
		rows = count_rows(path, hist, line, ret_histograms);
	free(hist);
	free(file);
	free(line);
	return rows;
}
