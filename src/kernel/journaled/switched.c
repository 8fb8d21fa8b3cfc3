/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "journaled.h"

#include <stdlib.h>
#include <string.h>

#include "kernel/journal/value.h"
#include "kernel/sharing/share.h"
#include "kernel/tracefs/lines.h"
#include "kernel/tracefs/trigger.h"

/* Records the files that triggers and functions' commands switch when they fire. */

/* Reduces the entry to the histograms that will be paused or continued. Returns false when there is
 * none. */
static bool expect_hists(struct tsh_journal_entry *entry, bool pauses)
{
	struct tsh_strlist lines = { 0 }, before = { 0 }, after = { 0 };
	struct tsh_trigger trigger;
	bool any;
	size_t i;

	tsh_lines_split(entry->before, &lines);
	for (i = 0; i < lines.n; i++) {
		if (!tsh_trigger_parse(lines.v[i], &trigger) && trigger.is_hist && trigger.is_paused != pauses) {
			tsh_strlist_add(&before, lines.v[i]);
			/* "hist:.. [active]", as the kernel lists it */
			tsh_strlist_add_owned(&after,
					      tsh_xasprintf("%.*s[%s]", (int)strcspn(lines.v[i], "["), lines.v[i],
							    pauses ? "paused" : "active"));
		}
		tsh_trigger_release(&trigger);
	}
	any = before.n > 0;
	free(entry->before);
	free(entry->text);
	free(entry->after);
	entry->before = tsh_lines_join(&before);
	entry->text = tsh_lines_join(&after);
	entry->after = tsh_xstrdup(entry->text);
	tsh_strlist_release(&lines);
	tsh_strlist_release(&before);
	tsh_strlist_release(&after);
	return any;
}

bool tsh_expect_switched(struct tsh_instance *in, const char *trigger)
{
	struct tsh_journal *j = in->dir->journal;
	struct tsh_journal_entry *entry;
	const char *to;
	char *path = tsh_dir_is_script(in->dir) ? NULL : tsh_switched_file(trigger, &to);
	bool can;

	if (!path)
		return false;
	entry = tsh_journal_add(j, in, path);
	entry->how = TSH_WRITE_EXPECTED;
	entry->text = tsh_xstrdup(to);
	entry->after = tsh_xstrdup(to);
	/* A trigger that disables what is off changes nothing, unless another session has written
	 * it. */
	can = tsh_write_image(in, path, entry->text, &entry->before) == 0 && entry->before;
	if (tsh_file_class(path)->flags & TSH_CLASS_TRIGGER)
		can = can && expect_hists(entry, *to == '0');
	else
		can = can && (*to == '1' || *entry->before == '1' || tsh_share_is_set(in->dir, j, entry)) &&
		      (strcmp(path, "tracing_on") != 0 || *entry->before == '0');
	free(path);
	if (!can) {
		tsh_journal_drop_last(j);
		return false;
	}
	tsh_journal_record(j, in->dir);
	tsh_journal_record_success(j);
	return true;
}
