/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "names.h"

#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "settings.h"
#include "topic.h"

static void add_words(const struct tsh_session *s, const char *path, struct tsh_strlist *ret)
{
	if (s->in)
		tsh_file_words(s->in, path, ret);
}

void tsh_names_tracers(const struct tsh_session *s, struct tsh_strlist *ret)
{
	add_words(s, "available_tracers", ret);
}

void tsh_names_clocks(const struct tsh_session *s, struct tsh_strlist *ret)
{
	size_t i, len;

	add_words(s, "trace_clock", ret);
	for (i = 0; i < ret->n; i++) {
		len = strlen(ret->v[i]);
		if (ret->v[i][0] == '[' && len >= 2) {
			memmove(ret->v[i], ret->v[i] + 1, len - 2);
			ret->v[i][len - 2] = '\0';
		}
	}
}

void tsh_names_options(const struct tsh_session *s, struct tsh_strlist *ret)
{
	if (s->in)
		tsh_file_list(s->in, "options", ret);
}

void tsh_names_settings(struct tsh_strlist *ret)
{
	size_t i;

	for (i = 0; tsh_settings_table[i].name; i++)
		tsh_strlist_add(ret, tsh_settings_table[i].name);
}

void tsh_names_commands(const struct tsh_session *s, struct tsh_strlist *ret)
{
	tsh_cmd_add_names(s->commands, ret);
}

void tsh_names_topics(const struct tsh_session *s, struct tsh_strlist *ret)
{
	size_t i;

	for (i = 0; s->topics[i].name; i++)
		tsh_strlist_add(ret, s->topics[i].name);
}

void tsh_names_instances(const struct tsh_session *s, struct tsh_strlist *ret)
{
	if (s->dir)
		tsh_instance_list(s->dir, ret);
}
