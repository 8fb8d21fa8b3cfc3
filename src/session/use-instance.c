/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "util.h"

#include <stdlib.h>
#include <string.h>

int tsh_cmd_use_instance(struct tsh_session *s, const char *name, struct tsh_err *err)
{
	struct tsh_instance *in;

	/* Accepts an instance that the checked file would have created. */
	if (s->check && tsh_strlist_has(&s->check_instances, name))
		return 0;
	if (tsh_instance_open(s->dir, tsh_instance_parse_word(name), &in, err) < 0)
		return -1;
	tsh_instance_close(s->in);
	s->in = in;
	return 0;
}

void tsh_cmd_return_to(struct tsh_session *s, const char *label)
{
	struct tsh_err err = { 0 };

	if (strcmp(label, tsh_instance_label(s->in)) != 0 &&
	    tsh_cmd_use_instance(s, label, &err) < 0)
		tsh_out_warn(s->out, "%s", err.message);
	tsh_err_release(&err);
}

void tsh_cmd_use_previous_instance(struct tsh_session *s)
{
	struct tsh_err ignored = { 0 };
	bool left = false;

	while (!left && s->came_from.n) {
		char *before = s->came_from.v[--s->came_from.n];

		left = !tsh_cmd_use_instance(s, before, &ignored);
		free(before);
		tsh_err_release(&ignored);
	}
	if (!left)
		tsh_cmd_use_instance(s, "top", &ignored);
	tsh_err_release(&ignored);
}
