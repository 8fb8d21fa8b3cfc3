/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_KERNEL_SHARING_SHARE_H
#define TRACESH_KERNEL_SHARING_SHARE_H

#include "kernel/journal/journal.h"

/*
 * Settings that several sessions have made.
 *
 * The writes of all sessions to a setting are a stack, the oldest at the bottom. A session that
 * ends, or undoes one, takes its own out of it: the kernel's file changes only when that was the
 * topmost one. When another session has written, or asked for what was set already, after it, the
 * entry is given to that session (it is appended to its journal), which then goes back to what was
 * there before both. In a list each line is such a setting. Whatever a third party sets in between
 * is left, as everywhere.
 */

enum tsh_share {
	TSH_SHARE_OURS,		/* what rest holds is ours to take back */
	TSH_SHARE_BACK,		/* nothing is left for us to do */
	TSH_SHARE_THEIRS,	/* a third party changed it before the next session did */
	TSH_SHARE_FAILED,	/* it cannot be given over */
	TSH_SHARE_UNREAD,	/* which CPUs' sizes it is about cannot be read */
};

/* What is left to take back of a step; the strings are owned. */
struct tsh_rest {
	char *before, *after;
	struct tsh_strlist went_back;	/* what it may read in place of .after (tsh_plan_record_going) */
	struct tsh_strlist foreign;	/* sizes of CPUs that somebody else has set since, where others are ours */
	struct tsh_strlist forked;	/* of .after in a list of tasks: those that came by a fork */
	bool shared;			/* only the lines, or the CPUs' sizes, that we have changed */
	bool switches;			/* a trigger of ours does: both values are ours */
	bool looks;			/* nothing is given: what would be is asked for */
	pid_t heir;			/* who was given something; 0: nobody */
};

/*
 * Gives what others build upon to them. newest: the step's newest entry; rest: what the file read
 * before the step and after it; now: what it reads. With the lock of tsh_write_lock.
 */
enum tsh_share tsh_share_settle(struct tsh_dir *dir, struct tsh_journal *j,
				const struct tsh_journal_entry *newest, struct tsh_rest *rest,
				const char *now);
void tsh_rest_release(struct tsh_rest *rest);
/* Drops values of a session that was killed after it had given them to another one, and before its journal said so: ours,
 * where another one has them, and those of another one, which is told, where we have them. */
void tsh_share_drop_given(struct tsh_others *others, struct tsh_journal *j);
/* Gives what the file read right after a write of ours that was cut off: what the next session found; what it
 * reads now, where there is none. The caller frees it. With the lock of tsh_write_lock. */
char *tsh_share_read_after(struct tsh_dir *dir, struct tsh_journal *j,
			   const struct tsh_journal_entry *mine, const char *now);

struct tsh_other;
struct tsh_other_entry;
struct tsh_other_entries;
struct tsh_others;
/* Finds what others have written to the setting of `mine` after a moment, the oldest first; with_users: also
 * what may use a probe, or uses a histogram, that is `mine`. */
void tsh_share_find(struct tsh_others *others, const struct tsh_journal_entry *mine, int64_t after,
		    bool with_users, struct tsh_other_entries *ret);
/* Says whether two writes are about one setting; of a list, to it. */
bool tsh_share_is_related(struct tsh_journal_entry *theirs, struct tsh_journal_entry *mine);
/* Takes out of tasks of a list those that other sessions, which live, have listed. */
void tsh_share_without_listed(struct tsh_others *others, struct tsh_journal_entry *list, struct tsh_strlist *tasks);
/* Says whether a file is a list, each line of which is a setting. */
bool tsh_share_is_listed(const struct tsh_file_class *cls);

/* Lists the CPUs of an entry's instance. The caller frees them; 0 and NULL: it is gone, or cannot be read. */
size_t tsh_share_cpus(struct tsh_dir *dir, const struct tsh_journal_entry *entry, unsigned int **ret_cpus);
/* Says whether a write of theirs counts: a session that is gone asks for nothing any more. */
bool tsh_share_counts(const struct tsh_other_entry *e);
/* Settles a value that a trigger of ours switches; later: what others have written since, the oldest first
 * (switched.c). */
enum tsh_share tsh_share_settle_switched(const struct tsh_other_entries *later,
					 const struct tsh_journal_entry *newest, struct tsh_rest *rest,
					 const char *now);

/* ---- of a list: lines.c ---- */

/* The same of a list; related: all that others have written to it, the oldest first. */
enum tsh_share tsh_share_settle_lines(const struct tsh_other_entries *related,
				      const struct tsh_journal_entry *newest,
				      struct tsh_rest *rest, const char *now);
/* Puts an entry of ours, with these texts, before theirs. False: their journal cannot be written. */
bool tsh_share_give(const struct tsh_other_entry *e, const struct tsh_journal_entry *mine,
		    const char *before, const char *after);
/* Gives a size, with what it reads now in .after, to whoever else has set the sub-buffers of its instance, and
 * takes them back before it; *ret_heir 0: nobody has. False: their journal cannot be written. */
bool tsh_share_give_size(struct tsh_dir *dir, struct tsh_journal *j, const struct tsh_journal_entry *size,
			 pid_t *ret_heir);
/* Says whether the entry of a list is about the line: one that replaces a list of tasks is about each. */
bool tsh_share_names_line(const struct tsh_journal_entry *entry, const char *line);

/* ---- children that came to a list of tasks by a fork: children.c ---- */

/* Says whether an entry of a list names tasks that are to be in it. */
bool tsh_share_lists_tasks(const struct tsh_journal_entry *entry);
/* Says whether entry i is the last one of a session that lives. */
bool tsh_share_is_last(const struct tsh_other_entries *related, size_t i);
/*
 * Adds those of `forked`, by which our list is longer than what we have written, that are in it because of another
 * session, too, or may be: it has listed whoever is the first above them that somebody has listed, or nobody knows who
 * is. after: what is ours of the list, which reads `now`; related: all that others have written to it.
 */
void tsh_share_children(const struct tsh_other_entries *related, const struct tsh_other *session,
			const struct tsh_file_class *cls, const struct tsh_strlist *after,
			const struct tsh_strlist *forked, const char *now, struct tsh_strlist *ret);
/* Takes those out of what is ours of a list, as they stay for the sessions that live. */
void tsh_share_without_children(struct tsh_others *others, struct tsh_journal_entry *list,
				const struct tsh_strlist *forked, const char *now, struct tsh_strlist *after);
/* Takes out of tasks of a list those that other sessions, which live, have listed, and who came by a fork of those, or
 * may have. */
void tsh_share_without_family(struct tsh_others *others, struct tsh_journal_entry *list, struct tsh_strlist *tasks);

/* ---- who uses it: uses.c ---- */

/* Says whether the entry is a write to a file of the event that a line of probes makes, or a trigger that uses it, or
 * has made a command's own instance where it is enabled; dir NULL: what is enabled there now is not asked. */
bool tsh_share_uses_probe(const struct tsh_dir *dir, const struct tsh_journal_entry *entry, const char *line);
/* The same of the event's folder, "events/S/E/". */
bool tsh_share_uses_event(const struct tsh_dir *dir, const struct tsh_journal_entry *entry, const char *folder);
/* Says whether the entry needs one of the histograms, lines of a trigger file that `trigger` has written: it uses the
 * event that this makes, or names a variable of it. */
bool tsh_share_uses_trigger(const struct tsh_dir *dir, const struct tsh_journal_entry *entry,
			    const struct tsh_journal_entry *trigger, const char *text);
/* Says whether the entry is a histogram of times in the instance whose clock `mine` has set. */
bool tsh_share_needs_clock(const struct tsh_journal_entry *entry, const struct tsh_journal_entry *mine);
/* Says whether a write to a list of probes has made the event that the entry is about. */
bool tsh_share_makes_event(const struct tsh_journal_entry *list, const struct tsh_journal_entry *file);

/* Gives an instance to a living session that has set something in it: 1 when there is one, 0 when there is none;
 * -1: its journal cannot be written. dir NULL: by what tsh_others_read has read before. */
int tsh_share_instance(const struct tsh_dir *dir, struct tsh_journal *j,
			const struct tsh_journal_entry *made, bool give, pid_t *ret_heir);
/* Whether a living session has set what the entry sets: then it is kept though it changes nothing. */
bool tsh_share_is_set(const struct tsh_dir *dir, struct tsh_journal *j,
		      const struct tsh_journal_entry *entry);
/* Whether another session wrote to the setting between two entries of ours; of tsh_others_read. */
bool tsh_share_between(const struct tsh_journal *j, const struct tsh_journal_entry *older,
		       const struct tsh_journal_entry *newer);

/* ---- who takes it back: holder.c ---- */

/* Gives a living session that has set what the entry asks for and the file reads, and takes it back; of a list, one of
 * the lines that it names. 0: there is none. */
pid_t tsh_share_holder(const struct tsh_dir *dir, struct tsh_journal *j, const struct tsh_journal_entry *entry,
		       const char *now);
/* Says whether one of the lines that the entry names and its list reads was brought by an older entry of ours, from the
 * place `first` on. */
bool tsh_share_is_under(const struct tsh_journal *j, size_t first, const struct tsh_journal_entry *entry, const char *now);
/* Says whether the entry's file reads `now` what it asks for: of a list, one of the lines that it names. */
bool tsh_share_stands(const struct tsh_journal_entry *entry, const char *now);
#endif
