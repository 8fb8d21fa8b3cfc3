/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "recover.h"

#include <stdlib.h>
#include <string.h>

#include "base/machine.h"
#include "base/number.h"
#include "base/process.h"
#include "kernel/journal/journal.h"
#include "session/note-left.h"
#include "session/util.h"
#include "sweep.h"

/* Takes back what a tracesh has left that was killed together with its guard process. */

/* ---- what there is ---- */

static void list_orphans(struct tsh_session *s, const struct tsh_orphans *orphans)
{
	static const struct tsh_column columns[] = {
		{ "process", TSH_COLUMN_NUMBER }, { "began", TSH_COLUMN_TEXT },
		{ "commands", TSH_COLUMN_NUMBER }, { "settings", TSH_COLUMN_NUMBER },
		{ "instances", TSH_COLUMN_NUMBER }, { "theirs", TSH_COLUMN_NUMBER },
		{ "name", TSH_COLUMN_TEXT }, { "recover", TSH_COLUMN_TEXT }, { 0 }
	};
	struct tsh_table *table = tsh_table_begin(s->out, "orphan", columns);
	struct tsh_strbuf began = TSH_STRBUF_INIT;
	unsigned int theirs = 0;
	size_t i;

	for (i = 0; i < orphans->n; i++) {
		const struct tsh_orphan *orphan = &orphans->v[i];
		struct tsh_journal_ours ours;

		if (i)
			tsh_journal_pass_others(orphans->v[i - 1].journal, orphan->journal);
		tsh_journal_count_ours(s->dir, orphan->journal, &ours);
		tsh_strbuf_clear(&began);
		tsh_orphans_append_start(&began, orphan->owner.time);
		tsh_table_row(table);
		tsh_table_number(table, (uint64_t)orphan->owner.pid);
		tsh_table_text(table, began.buf);
		tsh_table_number(table, tsh_journal_count_commands(orphan->journal));
		tsh_table_number(table, ours.settings);
		tsh_table_number(table, ours.instances);
		tsh_table_number(table, ours.theirs);
		tsh_table_text(table, NULL);
		tsh_table_text(table, "takes it back");
		theirs += ours.theirs;
	}
	tsh_sweep_add_rows(s, orphans, table);
	tsh_table_end(table);
	for (i = 0; i < orphans->outlived.n; i++)
		tsh_out_note(s->out, "%s lists what was set before this boot: recover removes it", orphans->outlived.v[i]);
	if (theirs)
		tsh_out_note(s->out, "not counted: %u setting%s that somebody else has changed since; recover --forget gives "
			     "%s up", theirs, tsh_plural(theirs), theirs == 1 ? "it" : "them");
	tsh_strbuf_release(&began);
}

/* ---- taking back ---- */

/* Limits the wait for a guard, which saves up to 16 MB of unread events. */
#define BUSY_MS 10000
#define LOOK_AGAIN_MS 100

static const struct tsh_busy_orphan *wanted_busy(const struct tsh_recover_spec *spec, const struct tsh_orphans *orphans)
{
	const struct tsh_value *pid = spec->pid;
	size_t i;

	for (i = 0; i < orphans->busy.n; i++)
		if (!pid || (uint64_t)orphans->busy.v[i].owner == pid->number)
			return &orphans->busy.v[i];
	return NULL;
}

/* Finds the journals of ended sessions. Waits while another process takes back the changes of a
 * wanted one. */
static int find_idle(struct tsh_session *s, const struct tsh_recover_spec *spec,
		     struct tsh_orphans *orphans, struct tsh_err *err)
{
	const struct tsh_value *pid = spec->pid;
	enum tsh_orphans_mode take = spec->forget ? TSH_ORPHANS_FORGET :
									   TSH_ORPHANS_CLAIM;
	const struct tsh_busy_orphan *busy;
	int left = BUSY_MS;
	size_t i;

	for (;; left -= LOOK_AGAIN_MS) {
		/* Passes -1 for a number that no process can have. */
		tsh_orphans_find(s->dir, take, !pid ? 0 : pid->number > INT32_MAX ? -1 :
				 (pid_t)pid->number, orphans);
		for (i = 0; i < orphans->given_up.n; i++)
			tsh_out_note(s->out, "%s is given up", orphans->given_up.v[i]);
		for (i = 0; i < orphans->outlived.n; i++)
			tsh_out_note(s->out, "%s is removed: what it lists was set before this boot",
				     orphans->outlived.v[i]);
		busy = wanted_busy(spec, orphans);
		if (!busy)
			return 0;
		if (left == BUSY_MS)
			tsh_out_note(s->out, "process %d is just taking back what process %d has "
				     "left: waiting for it", (int)busy->at_work, (int)busy->owner);
		if (left <= 0)
			break;
		tsh_orphans_release(orphans);
		memset(orphans, 0, sizeof(*orphans));
		if (tsh_wait(s->waiter, NULL, 0, LOOK_AGAIN_MS) != TSH_WAIT_TIMEOUT)
			return tsh_err_set(err, TSH_FAILED, "stopped");
	}
	tsh_err_set(err, TSH_FAILED, "process %d, which takes back what process %d has left, has "
		    "not come to its end", (int)busy->at_work, (int)busy->owner);
	tsh_err_hint(err, "recover again later; it hangs, or is stopped: kill -CONT %d",
		     (int)busy->at_work);
	return -1;
}

/* Warns of what a journal lacks. given_up: --forget removes the journal. */
static void warn_of_lack(struct tsh_session *s, const struct tsh_orphan *orphan, bool given_up)
{
	char *lacks = tsh_journal_missing_text(orphan->journal, given_up);

	if (lacks)
		tsh_out_warn(s->out, "the journal of process %d is %s", (int)orphan->owner.pid,
			     lacks);
	free(lacks);
}

/* Limits the rounds in which sessions that changed the same files alternately are taken back. */
#define ROUNDS_MAX 100

/* Takes back the settings of all orphans, in rounds, until a round takes nothing back. reports: one
 * for each orphan, with the problems of the last round and the settings of all rounds, without
 * those that had their old value already. */
static void undo_orphans(struct tsh_session *s, struct tsh_orphan *orphans, size_t n,
			 struct tsh_undo_report *reports)
{
	unsigned int rounds = 0, settings;
	size_t i, left;

	do {
		settings = 0;
		left = 0;
		for (i = 0; i < n; i++) {
			unsigned int before = reports[i].settings, gone = reports[i].gone;
			struct tsh_strlist removed = reports[i].removed;

			reports[i].removed = (struct tsh_strlist){ 0 };
			tsh_undo_report_release(&reports[i]);
			reports[i].removed = removed;
			tsh_journal_pass_others(orphans[i ? i - 1 : n - 1].journal, orphans[i].journal);
			tsh_journal_undo_to(s->dir, orphans[i].journal, 0, &reports[i]);
			settings += reports[i].settings + reports[i].gone;
			left += orphans[i].journal->entries.n;
			reports[i].settings += before - reports[i].already_restored;
			reports[i].gone += gone;
			reports[i].already_restored = 0;
		}
	} while (left && settings && n > 1 && ++rounds < ROUNDS_MAX);
}

/* Prints what was taken back of one orphan, and its problems. Returns how many of its settings are
 * left. */
static size_t report_one(struct tsh_session *s, struct tsh_orphan *orphan,
			 const struct tsh_undo_report *report, bool forget)
{
	bool lacks = orphan->journal->cut || orphan->journal->damaged;
	int pid = (int)orphan->owner.pid;
	unsigned int forgotten = 0;
	char *text;
	size_t i;

	for (i = 0; i < report->problems.n; i++)
		tsh_out_warn(s->out, "%s", report->problems.v[i]);
	for (i = 0; i < report->notes.n; i++)
		tsh_out_warn(s->out, "%s", report->notes.v[i]);
	if (forget)
		forgotten = tsh_journal_forget_left(orphan->journal);
	warn_of_lack(s, orphan, forget && !orphan->journal->entries.n);
	if (forget)
		orphan->journal->cut = orphan->journal->damaged = false;
	/* Says how much is back, unless its notes or problems say it all. */
	if (report->settings || report->gone || report->removed.n ||
	    !(report->notes.n || report->problems.n || (forget && lacks))) {
		text = tsh_undo_report_text(report, true);
		tsh_out_note(s->out, "process %d: %s", pid, text);
		free(text);
	}
	if (forgotten)
		tsh_out_note(s->out, "process %d: %u setting%s forgotten", pid, forgotten,
			     tsh_plural(forgotten));
	return forget ? orphan->journal->entries.n : report->problems.n;
}

static size_t recover_all(struct tsh_session *s, struct tsh_orphan *orphans, size_t n, bool forget,
			  bool *erasing)
{
	struct tsh_undo_report *reports = tsh_xcalloc(n + 1, sizeof(*reports));
	size_t i, problems = 0;

	for (i = 0; i < n; i++)
		orphans[i].journal->hooks = s->dir->journal->hooks;
	undo_orphans(s, orphans, n, reports);
	for (i = 0; i < n; i++) {
		problems += report_one(s, &orphans[i], &reports[i], forget);
		*erasing |= reports[i].erasing;
		tsh_undo_report_release(&reports[i]);
	}
	free(reports);
	return problems;
}

static int choose(struct tsh_session *s, const struct tsh_recover_spec *spec,
		  const struct tsh_orphans *orphans, size_t *ret_begin, size_t *ret_end,
		  struct tsh_err *err)
{
	const struct tsh_value *pid = spec->pid;
	size_t i;

	*ret_begin = 0;
	*ret_end = orphans->n;
	if (!pid) {
		if (orphans->n <= 1 || spec->all ||
		    tsh_orphans_count_unrestored(s, orphans) <= 1)
			return 0;
		tsh_err_at(err, spec->command, "%zu sessions have left settings", orphans->n);
		err->status = TSH_FAILED;
		tsh_err_hint(err, "recover --list shows them; recover --all, or recover PID");
		return -1;
	}
	for (i = 0; i < orphans->n; i++)
		if ((uint64_t)orphans->v[i].owner.pid == pid->number)
			break;
	if (i == orphans->n && (orphans->given_up.n || tsh_sweep_has_left(s, pid->number))) {
		*ret_end = 0;
		return 0;
	}
	if (i == orphans->n) {
		tsh_err_at(err, pid->word.span,
			   orphans->refused.n || orphans->error || orphans->more ?
			   "no journal that can be read is of process %s" :
			   "process %s has left nothing behind", pid->word.text);
		err->status = TSH_FAILED;
		tsh_err_hint(err, "recover --list shows who has");
		return -1;
	}
	*ret_begin = i;
	*ret_end = i + 1;
	return 0;
}

/* Says that nothing was left. Fails where no journal can be written: then a missing one proves
 * nothing. */
static int note_nothing_left(struct tsh_session *s, const struct tsh_orphans *orphans,
			    struct tsh_err *err)
{
	int r = tsh_journal_check_writable();

	if (r < 0) {
		tsh_err_set(err, TSH_FAILED, "no journal can be kept (%s), and of what was left "
			    "without one nothing is known", strerror(-r));
		tsh_err_hint(err, "instance and doctor show what there is");
		return -1;
	}
	if (orphans->unseen)
		tsh_out_note(s->out, "a journal is in use by a process that is not seen from here");
	else
		tsh_out_note(s->out, "nothing was left behind, as far as the journals in "
			     "/run/tracesh and /var/lib/tracesh tell");
	return 0;
}

/* Names the journals in other mount namespaces. The root of a container can put files there: so
 * they change no exit status, and no program there is run. */
static void warn_elsewhere(struct tsh_session *s)
{
	struct tsh_elsewhere elsewhere = { 0 };
	size_t i;

	tsh_orphans_elsewhere(s->waiter, &elsewhere);
	for (i = 0; i < elsewhere.orphans.n; i++)
		tsh_out_warn(s->out, "a tracesh in the mount namespace of process %s has left a "
			     "journal there: tracesh recover has to be run inside it",
			     elsewhere.orphans.v[i]);
	for (i = 0; i < elsewhere.many.n; i++)
		tsh_out_warn(s->out, "in the mount namespace of process %s the first 1,000 files "
			     "are no journals that were left; there are more", elsewhere.many.v[i]);
	for (i = 0; i < elsewhere.silent.n; i++)
		tsh_out_warn(s->out, "the mount namespace of process %s does not answer: whether "
			     "a journal is left there is not known", elsewhere.silent.v[i]);
	if (elsewhere.cut)
		tsh_out_warn(s->out, "not all other mount namespaces were looked at");
	tsh_elsewhere_release(&elsewhere);
}

/* Fails where a journal was not read, or not whole: what else was set is unknown. Returns 0, or -1
 * with err. */
static int check_lacks(const struct tsh_orphans *orphans, size_t begin, size_t end,
		       struct tsh_err *err)
{
	size_t i, n = orphans->refused.n, others = n - orphans->unreadable;
	char *cure = NULL, *wrong;

	if (orphans->error) {
		wrong = tsh_journal_dir_fault(0, &cure);
		if (wrong)
			tsh_err_set(err, TSH_FAILED, "cannot look for journals: %s", wrong);
		else
			tsh_err_errno(err, orphans->error, "cannot look for journals in /run/tracesh");
		tsh_err_hint(err, "%s", wrong ? cure : "run it as root");
		free(wrong);
		free(cure);
		return -1;
	}
	for (i = begin; i < end; i++)
		n += orphans->v[i].journal->cut || orphans->v[i].journal->damaged;
	if (!n)
		return 0;
	tsh_err_set(err, TSH_FAILED, "%zu journal%s cannot be read whole: what else was set is not "
		    "known", n, tsh_plural(n));
	tsh_err_hint(err, "status -a and doctor show what is set; when that is right, %s",
		     n > others ? "recover --forget gives the journal up" : "remove the file");
	return -1;
}

/* Removes the journals of the orphans that were taken back. Returns 0, or -1 with err. */
static int remove_done(struct tsh_session *s, struct tsh_orphan *orphans, size_t n,
		       size_t *ret_removed, struct tsh_err *err)
{
	size_t i, kept = 0;
	char *path;
	int r;

	for (i = 0; i < n; i++) {
		r = tsh_journal_remove(orphans[i].journal, &path);
		*ret_removed += r > 0;
		if (r >= 0)
			continue;
		if (!kept)
			tsh_out_warn(s->out, "%s cannot be removed: %s", path, strerror(-r));
		kept++;
		free(path);
	}
	if (!kept)
		return 0;
	tsh_err_set(err, TSH_FAILED, "%zu journal%s of what is taken back cannot be removed",
		    kept, tsh_plural(kept));
	tsh_err_hint(err, "what stands in %s is taken back again by the next recover",
		     kept == 1 ? "it" : "them");
	return -1;
}

/* Takes back what was chosen. *removed: journals that are removed. */
static int recover_chosen(struct tsh_session *s, const struct tsh_recover_spec *spec,
			  struct tsh_orphans *orphans, size_t *removed, struct tsh_err *err)
{
	const struct tsh_value *pid = spec->pid;
	bool swept, erasing = false, forget = spec->forget;
	size_t begin, end, i, problems;
	int r = 0;

	for (i = 0; i < orphans->refused.n; i++)
		tsh_out_warn(s->out, "%s: it is kept, and what it holds is left as it "
			     "is", orphans->refused.v[i]);
	if (choose(s, spec, orphans, &begin, &end, err) < 0)
		return -1;
	problems = begin == end ? 0 : recover_all(s, orphans->v + begin, end - begin, forget, &erasing);
	swept = tsh_sweep(s, spec->all, pid ? pid->number : 0);
	if (problems) {
		tsh_err_set(err, TSH_FAILED, "%zu setting%s could not be taken back", problems,
			    tsh_plural(problems));
		tsh_err_hint(err, "%s", erasing ? "recover tries again; the unread events want another "
			     "XDG_STATE_HOME, clear or instance delete NAME before" :
			     forget ? "recover tries again; what is in the way stands above" :
			     "recover tries again; recover --forget gives up what somebody else has "
			     "changed since");
		return -1;
	}
	if (begin != end)
		r = remove_done(s, orphans->v + begin, end - begin, removed, err);
	if (r < 0 || check_lacks(orphans, begin, end, err) < 0)
		return -1;
	return orphans->n || orphans->given_up.n || swept ? 0 : note_nothing_left(s, orphans, err);
}

/* Takes back as many journals as can be open at once, then the next. */
static int recover_in_turn(struct tsh_session *s, const struct tsh_recover_spec *spec,
			   struct tsh_orphans *orphans, struct tsh_err *err)
{
	size_t removed;
	int r;

	for (;;) {
		removed = 0;
		r = find_idle(s, spec, orphans, err);
		if (!r)
			r = recover_chosen(s, spec, orphans, &removed, err);
		if (r || !orphans->more || spec->pid)
			return r;
		if (!removed)
			return tsh_err_set(err, TSH_FAILED, "%u more journals are not looked at",
					   orphans->more);
		if (tsh_wait(s->waiter, NULL, 0, 0) != TSH_WAIT_TIMEOUT)
			return tsh_err_set(err, TSH_FAILED, "stopped");
		tsh_orphans_release(orphans);
		*orphans = (struct tsh_orphans){ 0 };
	}
}

int tsh_recover_list(struct tsh_session *s, struct tsh_err *err)
{
	struct tsh_orphans orphans = { 0 };
	int r;

	tsh_orphans_find(s->dir, TSH_ORPHANS_READ, 0, &orphans);
	list_orphans(s, &orphans);
	r = check_lacks(&orphans, 0, orphans.n, err);
	warn_elsewhere(s);
	tsh_orphans_release(&orphans);
	return r;
}

int tsh_recover(struct tsh_session *s, const struct tsh_recover_spec *spec, struct tsh_err *err)
{
	struct tsh_orphans orphans = { 0 };
	int r;

	if (s->dir->read_only) {
		r = tsh_err_set(err, TSH_FAILED, "nothing is taken back: --read-only was given");
		tsh_err_hint(err, "recover --list shows what there is");
	} else {
		r = recover_in_turn(s, spec, &orphans, err);
	}
	warn_elsewhere(s);
	tsh_orphans_release(&orphans);
	return r;
}
