/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finds the formats of a folder of events, for programs that ask libtraceevent about them. */
#ifndef TESTS_HELPERS_FORMATS_H
#define TESTS_HELPERS_FORMATS_H

#include <event-parse.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Calls take with each EVENTS/SYSTEM/EVENT/format. Hidden folders are none. */
static void each_format(struct tep_handle *tep, const char *events,
			void (*take)(struct tep_handle *tep, const char *path, const char *system))
{
	glob_t found = { 0 };
	char *pattern, *system;
	size_t i;

	if (asprintf(&pattern, "%s/*/*/format", events) < 0)
		return;
	if (!glob(pattern, 0, NULL, &found))
		for (i = 0; i < found.gl_pathc; i++) {
			const char *begin = found.gl_pathv[i] + strlen(events) + 1;

			system = strndup(begin, strcspn(begin, "/"));
			if (system)
				take(tep, found.gl_pathv[i], system);
			free(system);
		}
	globfree(&found);
	free(pattern);
}

#endif
