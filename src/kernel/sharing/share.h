/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_KERNEL_SHARING_SHARE_H
#define TRACESH_KERNEL_SHARING_SHARE_H

#include "kernel/journal/journal.h"

/*
 * Undoes settings that several sessions have made.
 *
 * The writes of all sessions to a setting form a stack, the oldest at the bottom. A session that
 * ends, or undoes a write, removes its own write from the stack. The kernel's file changes only
 * when that write was the topmost one. When another session has written the setting later, or has
 * asked for the value that was set already, our entry is handed over: it is appended to that
 * session's journal, and that session (the heir) restores the value from before both writes. In a
 * list each line is such a setting. A value that somebody without a journal has set in between is
 * left, as everywhere.
 */

/* Says what is left to undo of a step, the writes to one file that are undone together (struct
 * tsh_step in kernel/undo/plan.h). */
enum tsh_share {
	TSH_SHARE_OURS,		/* undo restores what is in rest */
	TSH_SHARE_BACK,		/* nothing is left to undo */
	TSH_SHARE_THEIRS,	/* somebody without a journal changed it before others wrote */
	TSH_SHARE_FAILED,	/* the entry cannot be handed over */
	TSH_SHARE_UNREAD,	/* the CPUs whose sizes are concerned cannot be listed */
};

/* Holds what is left to undo of a step; the strings are owned. */
struct tsh_rest {
	char *before, *after;
	/* Lists texts that the file may have instead of .after, because an undo was interrupted
	 * (tsh_plan_record_restoring). */
	struct tsh_strlist interrupted;
	/* Lists sizes of CPUs that somebody else has set since, while others are ours. */
	struct tsh_strlist foreign;
	/* Lists tasks of .after that came to a list of tasks by a fork. */
	struct tsh_strlist forked;
	bool shared;			/* .before, .after: only our lines, or our CPUs' sizes */
	bool switches;			/* a trigger of ours switches it: both values are ours */
	bool only_predicts;		/* only predicts: nothing is handed over */
	pid_t heir;			/* pid of the session that got something; 0: none */
};

/*
 * Finds out what this session has to undo of a step. When other sessions have written the setting
 * since, hands the step over to the next of them. newest: the step's newest entry. rest: the file's
 * text before the step and after it; afterwards it has what is left to undo. now: the file's
 * present text. The caller holds tsh_write_lock.
 */
enum tsh_share tsh_share_resolve(struct tsh_dir *dir, struct tsh_journal *j,
				 const struct tsh_journal_entry *newest, struct tsh_rest *rest,
				 const char *now);
void tsh_rest_release(struct tsh_rest *rest);
/* Drops entries that are in two journals, because a session was killed while it handed them over.
 * Drops ours when another session has them already, and those in the file of another session when
 * we have them. */
void tsh_share_drop_handed_over(struct tsh_others *others, struct tsh_journal *j);
/* Returns the text that the file had right after a write of ours that was interrupted: the text
 * that the next session found, or `now` when there is none. The caller frees it. The caller holds
 * tsh_write_lock. */
char *tsh_share_read_after(struct tsh_dir *dir, struct tsh_journal *j,
			   const struct tsh_journal_entry *mine, const char *now);

struct tsh_other;
struct tsh_other_entry;
struct tsh_other_entries;
struct tsh_others;
/* Finds the writes of other sessions to the setting of `mine` after a time, oldest first.
 * with_users: also those that may use a probe or a histogram that `mine` made. */
void tsh_share_find(struct tsh_others *others, const struct tsh_journal_entry *mine, int64_t after,
		    bool with_users, struct tsh_other_entries *ret);
/* Says whether two writes are about one setting; for a list, to the same list. */
bool tsh_share_is_related(struct tsh_journal_entry *theirs, struct tsh_journal_entry *mine);
/* Removes from `tasks` those that running sessions have written to the list. */
void tsh_share_without_listed(struct tsh_others *others, struct tsh_journal_entry *list, struct tsh_strlist *tasks);
/* Says whether a file is a list in which each line is a setting. */
bool tsh_share_is_listed(const struct tsh_file_class *cls);

/* Returns the number of CPUs of an entry's instance, and sets *ret_cpus, which the caller frees.
 * Returns 0 and sets NULL when the instance is gone, or cannot be read. */
size_t tsh_share_cpus(struct tsh_dir *dir, const struct tsh_journal_entry *entry, unsigned int **ret_cpus);
/* Says whether a write of another session counts. A write that changed nothing counts only while
 * its session runs, since that still asks for the value, or when the value will be undone in any
 * case. */
bool tsh_share_is_relevant(const struct tsh_other_entry *e);
/* Resolves a value that a trigger of ours switches; later: what others have written since, oldest
 * first (switched.c). */
enum tsh_share tsh_share_resolve_switched(const struct tsh_other_entries *later,
					  const struct tsh_journal_entry *newest, struct tsh_rest *rest,
					  const char *now);

/* ---- lists: lines.c ---- */

/* Does as tsh_share_resolve for a list; related: all writes of others to it, oldest first. */
enum tsh_share tsh_share_resolve_lines(const struct tsh_other_entries *related,
				       const struct tsh_journal_entry *newest,
				       struct tsh_rest *rest, const char *now);
/* Inserts an entry like `mine`, with these texts, before e in the other journal. Returns false when
 * that journal cannot be written. */
bool tsh_share_hand_over(const struct tsh_other_entry *e, const struct tsh_journal_entry *mine,
			 const char *before, const char *after);
/*
 * Hands over a size, whose present value is in .after, to a session that has set the size of the
 * sub-buffers in its instance: that session restores the sub-buffers first, and then the size.
 * *ret_heir is its pid, or 0 when there is none. Returns false when its journal cannot be
 * written.
 */
bool tsh_share_hand_over_size(struct tsh_dir *dir, struct tsh_journal *j, const struct tsh_journal_entry *size,
			      pid_t *ret_heir);
/* Says whether an entry of a list is about the line; one that replaces a list of tasks is about
 * each line. */
bool tsh_share_names_line(const struct tsh_journal_entry *entry, const char *line);

/* ---- tasks that came to a list by a fork: children.c ---- */

/* Says whether an entry of a list names tasks that are to be in it. */
bool tsh_share_lists_tasks(const struct tsh_journal_entry *entry);
/* Says whether entry i is the last one of a running session. */
bool tsh_share_is_last(const struct tsh_other_entries *related, size_t i);
/*
 * Adds to ret those tasks of `forked` that are, or may be, in the list because of another session.
 * `forked` has the tasks that came because of our write. A task is added when the first of its
 * ancestors that anybody has listed was listed by that session, or when that is unknown. after: our
 * part of the list, whose present text is `now`. related: all writes of others to it.
 */
void tsh_share_add_children(const struct tsh_other_entries *related, const struct tsh_other *session,
			    const struct tsh_file_class *cls, const struct tsh_strlist *after,
			    const struct tsh_strlist *forked, const char *now, struct tsh_strlist *ret);
/* Removes from `after`, our part of a list, the tasks that stay for running sessions. */
void tsh_share_without_children(struct tsh_others *others, struct tsh_journal_entry *list,
				const struct tsh_strlist *forked, const char *now, struct tsh_strlist *after);
/* Removes from `tasks` those that running sessions have listed, and those that are, or may be,
 * their descendants. */
void tsh_share_without_family(struct tsh_others *others, struct tsh_journal_entry *list, struct tsh_strlist *tasks);

/* ---- what uses a setting: uses.c ---- */

/* Says whether the entry uses the event that a line of probes makes: it writes one of the event's
 * files, or a trigger that uses it, or made a command's own instance in which the event is enabled.
 * dir NULL: does not read what is enabled in that instance. */
bool tsh_share_uses_probe(const struct tsh_dir *dir, const struct tsh_journal_entry *entry, const char *line);
/* Does the same with the event's folder, "events/S/E/". */
bool tsh_share_uses_event(const struct tsh_dir *dir, const struct tsh_journal_entry *entry, const char *folder);
/* Says whether the entry needs one of the histograms of `text`, lines of a trigger file that
 * `trigger` has written: it uses the event that a histogram makes, or one of its variables. */
bool tsh_share_uses_trigger(const struct tsh_dir *dir, const struct tsh_journal_entry *entry,
			    const struct tsh_journal_entry *trigger, const char *text);
/* Says whether the entry is a histogram of times in the instance whose clock `mine` has set. */
bool tsh_share_needs_clock(const struct tsh_journal_entry *entry, const struct tsh_journal_entry *mine);
/* Says whether `list`, a write to a list of probes, made the event to which the entry `file`
 * belongs. */
bool tsh_share_makes_event(const struct tsh_journal_entry *list, const struct tsh_journal_entry *file);

/* Finds a running session that has set something in an instance. hand_over: hands the instance over
 * to it. Returns 1 when there is one, 0 when there is none, -1 when its journal cannot be written.
 * dir NULL: uses the journals that tsh_others_read has read before. */
int tsh_share_instance(const struct tsh_dir *dir, struct tsh_journal *j,
		       const struct tsh_journal_entry *made, bool hand_over, pid_t *ret_heir);
/* Says whether another session has written the same setting: then our write is recorded though it
 * changes nothing. */
bool tsh_share_is_set(const struct tsh_dir *dir, struct tsh_journal *j,
		      const struct tsh_journal_entry *entry);
/* Says whether another session wrote to the setting between two entries of ours, by the journals
 * that were read before. */
bool tsh_share_wrote_between(const struct tsh_journal *j, const struct tsh_journal_entry *older,
			     const struct tsh_journal_entry *newer);

/* ---- who undoes it: holder.c ---- */

/* Returns the pid of a running session that has set what the entry asks for and the file holds, and
 * that will undo it; for a list, one of the lines that it names. Returns 0 when there is none. */
pid_t tsh_share_holder(const struct tsh_dir *dir, struct tsh_journal *j, const struct tsh_journal_entry *entry,
		       const char *now);
/* Says whether an older entry of ours, from index `first` on, has added one of the lines that the
 * entry names and its list has. */
bool tsh_share_has_older_line(const struct tsh_journal *j, size_t first, const struct tsh_journal_entry *entry,
			      const char *now);
/* Says whether the entry's file, with the text `now`, has what the entry asks for; for a list, one
 * of the lines that it names. */
bool tsh_share_is_in_effect(const struct tsh_journal_entry *entry, const char *now);
#endif
