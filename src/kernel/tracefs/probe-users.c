/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "probe-lines.h"

#include <stdlib.h>

#include "lines.h"
#include "trigger.h"
#include "write.h"

/* Finds the instances that use the event of a probe. */

static bool uses(const struct tsh_instance *in, const struct tsh_event *event)
{
	char *path = tsh_event_path(event, "enable"), *state = tsh_file_text(in, path), *triggers;
	struct tsh_strlist lines = { 0 };
	bool used = state && *state != '0';

	free(path);
	path = tsh_event_path(event, "trigger");
	triggers = used ? NULL : tsh_file_text(in, path);
	if (triggers)
		tsh_lines_split(triggers, &lines);
	used = used || lines.n;
	tsh_strlist_release(&lines);
	free(triggers);
	free(state);
	free(path);
	return used;
}

int tsh_probe_users(struct tsh_dir *dir, const struct tsh_event *event,
		    int (*user)(void *ctx, struct tsh_instance *in), void *ctx)
{
	struct tsh_strlist names = { 0 };
	size_t i;
	int r = 0;

	tsh_instance_list(dir, &names);
	for (i = 0; !r && i < names.n + 1; i++) {
		struct tsh_err ignored = { 0 };
		struct tsh_instance *in;

		if (tsh_instance_open(dir, i ? names.v[i - 1] : NULL, &in, &ignored) < 0) {
			tsh_err_release(&ignored);
			continue;
		}
		r = uses(in, event) ? user(ctx, in) : 0;
		tsh_instance_close(in);
	}
	tsh_strlist_release(&names);
	return r;
}

static int disable_event(void *ctx, struct tsh_instance *in)
{
	const struct tsh_event *event = ctx;
	char *path = tsh_event_path(event, "trigger"), *text = tsh_file_text(in, path);
	struct tsh_strlist lines = { 0 };
	size_t i;

	if (text)
		tsh_lines_split(text, &lines);
	for (i = 0; i < lines.n; i++) {
		struct tsh_trigger trigger;

		if (!tsh_trigger_parse(lines.v[i], &trigger)) {
			char *removal = tsh_trigger_removal(&trigger);

			/* A trigger that stays keeps the probe busy, and removing the probe reports
			 * that. */
			(void)tsh_write_raw(in, path, false, removal);
			free(removal);
		}
		tsh_trigger_release(&trigger);
	}
	free(path);
	path = tsh_event_path(event, "enable");
	(void)tsh_write_raw(in, path, false, "0");
	tsh_strlist_release(&lines);
	free(text);
	free(path);
	return 0;
}

void tsh_probe_disable_event(struct tsh_dir *dir, const struct tsh_event *event)
{
	struct tsh_event copy = *event;

	(void)tsh_probe_users(dir, event, disable_event, &copy);
}
