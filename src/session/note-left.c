/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "note-left.h"

#include <stdlib.h>
#include <string.h>

#include "util.h"

/* Reports what sessions that are gone have left, so that the user can run recover. */

void tsh_orphans_append_start(struct tsh_strbuf *out, int64_t wall)
{
	char text[TSH_TIME_ROOM];
	struct tsh_time_text t;

	tsh_time_text_init(&t, TSH_TIME_WALL, false);
	*tsh_time_text_write(&t, text, wall) = '\0';
	tsh_time_text_release(&t);
	tsh_strbuf_add(out, text, strcspn(text, "."));
}

/* Appends "left 3 settings and 1 instance". Returns how many there are of both. */
static unsigned int add_left(const struct tsh_journal_ours *ours, bool lacks,
			     struct tsh_strbuf *out)
{
	unsigned int n = ours->settings + ours->instances;

	tsh_strbuf_adds(out, n ? "left " : "perhaps left settings");
	if (ours->settings)
		tsh_strbuf_addf(out, "%u setting%s", ours->settings, tsh_plural(ours->settings));
	if (ours->settings && ours->instances)
		tsh_strbuf_adds(out, " and ");
	if (ours->instances)
		tsh_strbuf_addf(out, "%u instance%s", ours->instances,
				tsh_plural(ours->instances));
	if (n && lacks)
		tsh_strbuf_adds(out, ", and perhaps more");
	return n;
}

size_t tsh_orphans_count_unrestored(struct tsh_session *s, const struct tsh_orphans *orphans)
{
	struct tsh_journal_ours ours;
	size_t i, n = 0;

	for (i = 0; i < orphans->n; i++) {
		tsh_journal_count_ours(s->dir, orphans->v[i].journal, &ours);
		n += ours.settings || ours.instances;
	}
	return n;
}

/* Reports what one session has left. all: " --all", the option of recover when several sessions
 * have left something, or "". */
static void note_orphan(struct tsh_session *s, const struct tsh_orphan *orphan, const char *all)
{
	const char *program = s->interactive ? "" : "tracesh ";
	char *lacks = tsh_journal_missing_text(orphan->journal, false);
	struct tsh_strbuf text = TSH_STRBUF_INIT;
	struct tsh_journal_ours ours;
	unsigned int n;

	/* Counts only settings that are still as that session set them, because others may have
	 * changed the rest since. */
	tsh_journal_count_ours(s->dir, orphan->journal, &ours);
	tsh_strbuf_addf(&text, "a tracesh that is gone (process %d, since ",
			(int)orphan->owner.pid);
	tsh_orphans_append_start(&text, orphan->owner.time);
	tsh_strbuf_adds(&text, ") has ");
	n = add_left(&ours, lacks, &text);
	if (lacks)
		tsh_out_note(s->out, "%s: its journal is %s; %srecover%s takes back what can be read, "
			     "recover --forget only deletes the journal", text.buf, lacks, program, all);
	else if (n)
		tsh_out_note(s->out, "%s: %srecover%s takes %s back", text.buf, program, all,
			     n == 1 ? "it" : "them");
	tsh_strbuf_release(&text);
	free(lacks);
}

/* Limits the sessions that are reported one by one. */
#define NOTES_MAX 8

void tsh_cmd_note_left(struct tsh_session *s)
{
	struct tsh_orphans orphans = { 0 };
	const char *all;
	size_t i;

	tsh_orphans_find(s->dir, TSH_ORPHANS_READ, 0, &orphans);
	all = tsh_orphans_count_unrestored(s, &orphans) > 1 ? " --all" : "";
	for (i = 0; i < orphans.n && i < NOTES_MAX; i++)
		note_orphan(s, &orphans.v[i], all);
	if (orphans.n > NOTES_MAX)
		tsh_out_note(s->out, "%s%zu more have left something: %srecover --list",
			     orphans.more ? "more than " : "", orphans.n - NOTES_MAX, s->interactive ? "" : "tracesh ");
	for (i = 0; i < orphans.refused.n && i < NOTES_MAX; i++)
		tsh_out_note(s->out, "a tracesh that is gone may have left settings: %s", orphans.refused.v[i]);
	for (i = 0; i < orphans.busy.n; i++)
		tsh_out_note(s->out, "process %d is just taking back the changes of a tracesh that is gone "
			     "(process %d)", (int)orphans.busy.v[i].at_work, (int)orphans.busy.v[i].owner);
	tsh_orphans_release(&orphans);
}

void tsh_cmd_note_orphans(struct tsh_session *s)
{
	tsh_cmd_note_rescued(s);
	tsh_cmd_note_left(s);
}
