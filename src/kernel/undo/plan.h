/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_KERNEL_UNDO_PLAN_H
#define TRACESH_KERNEL_UNDO_PLAN_H

#include "kernel/journal/journal.h"

/*
 * Taking back is a plan of steps, a file each, and not the writes in reverse: a filter
 * that goes before its event is off would let the event flood.
 */

enum tsh_phase {
	TSH_PHASE_LOAD_OFF,	/* events and tracing that go off */
	TSH_PHASE_TRACER_OFF,	/* before the lists of functions that it is bound to */
	TSH_PHASE_PROBES_BACK,	/* those that we removed, before what is set on them */
	TSH_PHASE_TRIGGERS,	/* they use variables, events, probes; lists of functions have them, too */
	TSH_PHASE_SETTINGS,
	TSH_PHASE_OWN_INSTANCES,	/* of commands: their events use probes */
	TSH_PHASE_PROBES,	/* after their users */
	TSH_PHASE_PROBES_AGAIN,	/* those that we removed, and all that is older, where newer ones had their names */
	TSH_PHASE_LOAD_ON,	/* events and tracing that come on again, filtered by now */
	TSH_PHASE_ERASING,
	TSH_PHASE_SIZES,	/* of buffers: the kernel rounds them to the sub-buffers of then */
	TSH_PHASE_INSTANCES,
	TSH_PHASE_STAYING,	/* what would erase events, and would have gone with an instance that stays */
	TSH_PHASE_N
};

/* NONE: not yet. GONE: nothing is left of the write, since its instance is not there any more. THEIRS:
 * somebody else has changed it since. LEFT: there is no way back. */
enum tsh_outcome {
	TSH_OUTCOME_NONE,
	TSH_OUTCOME_BACK,
	TSH_OUTCOME_GONE,
	TSH_OUTCOME_LEFT,
	TSH_OUTCOME_THEIRS,
	TSH_OUTCOME_FAILED,
};

/* What the writes between two entries, both included, did to one file. */
struct tsh_step {
	size_t newest, oldest;		/* places in the journal */
	size_t next;			/* while it is made: another one of that key, + 1 */
	bool closed;			/* likewise: by another file of that setting */
	bool switches, writes;		/* it has what a trigger of ours switches with no write; other writes */
	enum tsh_phase phase;
	enum tsh_outcome outcome;
	bool kept;			/* in the journal, whatever the outcome */
	bool was_so;			/* somebody had taken it back already */
	bool gone;			/* and not by writes of ours that lead there and back */
	bool under;			/* what it asks for, an older step of the list has brought, and takes back */
	char *size, *sizes_read;	/* what was written back to a file of sizes, and what all CPUs'
					 * read then (tsh_image_sizes); or NULL; owned */
	char *was, *is;			/* what a list of tasks read before and after it was taken back; or NULL; owned */
	char *list;			/* as our write has left it, where the journal has only what came by it; owned */
	bool rounded;			/* that is set once more when sub-buffers go back */
	bool given;			/* to another session, which takes it back, or has kept it */
};

/* Tasks of a list that may stay, as others may have listed them. */
struct tsh_stay { size_t entry; struct tsh_strlist tasks; };

struct tsh_plan {
	struct tsh_dir *dir;
	struct tsh_journal *j;
	size_t first;			/* the oldest entry that is taken back */
	size_t *step_of;		/* by the entry's place behind first */
	TSH_VEC(struct tsh_step) steps;	/* the newest first */
	struct tsh_undo_report *report;
	bool may_redo;			/* the user takes it back, not a failure */
	bool quiet_left;		/* what was left before is tried without a word */
	bool foresees;			/* nothing is written, or given: what would be is asked for */
	size_t said;			/* problems that were there before it: they are not said again */
	bool outdated;			/* another session has given us something that goes between */
	unsigned int kept;		/* settings that another session has kept */
	unsigned int given;		/* settings that another session takes back, */
	pid_t heir;			/* the last one of which is this */
	unsigned int asked;		/* settings that were so before we asked for them */
	struct tsh_strlist names_kept, names_given, names_asked;	/* of all three; owned */
	TSH_VEC(struct tsh_stay) stay;	/* until it is said of whom that is true */
};

/* The steps for the entries from .first on; the caller frees .step_of and .steps. */
void tsh_plan_make(struct tsh_plan *plan);
/* Ends steps for files of an event where the entry, which is older, has removed its probe: they are files of another
 * one then. And takes a removed probe back after ours that have its name, with what was set on it (again.c). */
void tsh_plan_close_removed(struct tsh_plan *plan, const struct tsh_journal_entry *entry);
void tsh_plan_put_again(struct tsh_plan *plan);
/* Says whether the step's event has another probe than then, or none: that which was removed has not come back. */
bool tsh_plan_lacks_probe(const struct tsh_plan *plan, const struct tsh_step *step);
/* Says whether a newer step, still to be taken, brings it back. */
bool tsh_plan_brings_probe(const struct tsh_plan *plan, const struct tsh_step *step);
/* When a file is taken back, by what its oldest write was. */
enum tsh_phase tsh_plan_phase(const struct tsh_journal_entry *oldest);
/*
 * Tells the journal's file that step k has come back, as whoever goes on when we are killed finds what is older
 * in its place; but not where a newer step is still to be taken.
 */
void tsh_plan_record_back(struct tsh_plan *plan, size_t k);
/* Says whether an older step of the same setting has the last word. */
bool tsh_plan_has_older(const struct tsh_plan *plan, size_t k);
/* Says whether a newer step of the same setting has failed: what that one has set is there, and nobody else's. */
bool tsh_plan_waits(const struct tsh_plan *plan, const struct tsh_step *step);
/*
 * A step that failed or was left, taken again later, brings back what its file read before it: then the
 * older ones of the same setting are needed once more, also those that found nothing to do.
 */
void tsh_plan_keep_older(struct tsh_plan *plan);

/* ---- what comes of a step, as far as the files tell it before anything is written (judge.c) ---- */

struct tsh_rest;
/* Opens the instance of a write; *ret NULL: what comes of the step is returned, and said. */
enum tsh_outcome tsh_plan_open(struct tsh_plan *plan, const struct tsh_step *step, struct tsh_instance **ret);
/* Says what comes of a step whose file reads `now`. NONE: what rest holds, the step's first, is to be written. With the
 * lock of tsh_write_lock, but where it is foreseen. */
enum tsh_outcome tsh_plan_judge(struct tsh_plan *plan, struct tsh_step *step, struct tsh_rest *rest, const char *now);

/* ---- what comes of an instance (instance.c) ---- */

/* Says whether the entry's instance is gone, and somebody has made this one of that name. */
bool tsh_plan_is_other(const struct tsh_journal_entry *entry, const struct tsh_instance *in);
/* Opens the one that is there now to see that. */
bool tsh_plan_is_made_anew(const struct tsh_plan *plan, const struct tsh_journal_entry *entry);
/* Says whether somebody has set a tracer, an event, a trigger or tasks in an instance of ours, and no session that
 * lives. */
bool tsh_plan_is_used(const struct tsh_plan *plan, const struct tsh_journal_entry *made);
/* Says whether a step in an instance of ours was left as somebody else's. */
bool tsh_plan_has_left(const struct tsh_plan *plan, const struct tsh_journal_entry *made);
/* Says whether the plan removes the entry's instance, with all that is in it. */
bool tsh_plan_removes_instance(const struct tsh_plan *plan, const struct tsh_journal_entry *entry);
/* Says what comes of an instance; *ret, which the caller closes, NULL: it is an own one, or cannot be opened. */
enum tsh_outcome tsh_plan_judge_instance(struct tsh_plan *plan, const struct tsh_journal_entry *made,
					 struct tsh_instance **ret);
/* Says, once for all that was set there, that an instance is gone; has_other: another one has its name. GONE. */
enum tsh_outcome tsh_plan_gone(struct tsh_plan *plan, const struct tsh_journal_entry *entry, bool has_other);
/* Says that an instance stays, since another session has kept something in it. */
void tsh_plan_note_kept(struct tsh_plan *plan, const struct tsh_journal_entry *made);

/* ---- what other sessions have set, too (shared-step.c) ---- */

/*
 * Gives what they build upon to them, and says whose the rest is that now reads `now`. NULL, or why that
 * cannot be done. With the lock of tsh_write_lock.
 */
const char *tsh_plan_share(struct tsh_plan *plan, struct tsh_step *step, struct tsh_rest *rest,
			   const char *now, enum tsh_standing *ret);
/* Gives a step whose file is gone, as that of a removed probe's event is, to another session that brings it back.
 * False: it cannot be told, which is said. With the lock of tsh_write_lock. */
bool tsh_plan_give_missing(struct tsh_plan *plan, struct tsh_step *step);
/*
 * Tells the journal that a value is about to go back, where others have journals: when they end before whoever goes on
 * after us has looked, what the file reads stands in the middle of all that it was written. So does a size in any case,
 * as the kernel may round it: then it reads neither what it did before nor after.
 */
void tsh_plan_record_going(struct tsh_plan *plan, const struct tsh_step *step);
/*
 * A list of tasks is emptied before it is written: before that the journal is told that our write
 * has removed those that were there before, for the case that we are killed in between.
 */
void tsh_plan_record_emptying(struct tsh_plan *plan, struct tsh_step *step, const struct tsh_rest *rest);
/*
 * Takes into account what the kernel has done to a list of tasks since: those that came by a fork because
 * of us go with ours, and those that have ended do not come back (tasks.c). Where nobody can tell that the
 * kernel has listed any, they stay.
 */
void tsh_plan_follow_tasks(struct tsh_plan *plan, const struct tsh_step *step, struct tsh_rest *rest,
			   const char *now);
/* Gives tasks of a list without those that the first n entries of ours have brought. The caller frees it. */
char *tsh_plan_without_ours(const struct tsh_plan *plan, size_t n, const struct tsh_journal_entry *list, const char *tasks);
/* Says whether the journal has set an option by which the kernel lists children, in the instance of the list. */
bool tsh_tasks_follow(const struct tsh_journal *j, const struct tsh_journal_entry *list);
/*
 * Where the step is such an option, or a list in which the kernel may have listed children: tells the lists of tasks of
 * others, and of ours, of it, as nothing else will when it has gone back. With the lock of tsh_write_lock.
 */
void tsh_plan_tell_forks(const struct tsh_plan *plan, const struct tsh_step *step);
/* Remembers what the step's list of tasks read, and reads now that it was taken back. */
void tsh_plan_note_tasks(struct tsh_step *step, const struct tsh_instance *in, const struct tsh_journal_entry *newest,
			 const char *now);
/* Says in step k what its list of tasks would read before and after it, if all was taken back now. */
void tsh_plan_foresee_tasks(struct tsh_plan *plan, size_t k);
/* Says how many stay in lists of tasks, as others may have listed them, when all of the plan has been taken back. */
void tsh_plan_note_stay(struct tsh_plan *plan);
/* in_part: the rest of it is ours to take back. */
void tsh_plan_count_given(struct tsh_plan *plan, const struct tsh_journal_entry *entry, pid_t heir, bool in_part);
void tsh_plan_note_given(struct tsh_plan *plan);

/*
 * Looks at the sizes that were written back: those that the kernel has rounded to sub-buffers of another size
 * are set once more when these go back, by whoever has set them (sizes.c).
 */
void tsh_plan_check_sizes(struct tsh_plan *plan);
/* Says whether what the step has written back to a file of sizes was rounded. */
bool tsh_plan_is_rounded(const struct tsh_plan *plan, const struct tsh_step *step);
/* Remembers in a step of sizes what was written back, and what came of it. */
void tsh_plan_note_size(struct tsh_step *step, const struct tsh_instance *in, const char *size);
/* Gives what the step's file of sizes reads as newer steps have written it, before it was rounded. Takes over
 * now; the caller frees it. NULL: it has no size. */
char *tsh_plan_unrounded(const struct tsh_plan *plan, const struct tsh_step *step,
			 const struct tsh_instance *in, char *now);
/* Frees what the steps hold, and the names. */
void tsh_plan_release_texts(struct tsh_plan *plan);

/* Leaves what a trigger would have switched that has provably not fired: it is somebody else's
 * (unfired.c). Before the first step. */
void tsh_plan_leave_unfired(struct tsh_plan *plan);
/* As tsh_restore_file; what the kernel erases with a probe in instances that nobody knows is said afterwards. */
int tsh_plan_restore(const struct tsh_plan *plan, struct tsh_instance *in, const struct tsh_journal_entry *entry,
		     const char *now);
/* What a trigger that has gone back did when it fired. */
void tsh_plan_note_fired(struct tsh_plan *plan);
/* Counts what came back, and forgets what was dealt with. */
void tsh_plan_settle(struct tsh_plan *plan);

/* Says a thing once. Takes over the text. */
void tsh_plan_note_once(struct tsh_plan *plan, char *text);
/* Why a setting of somebody else is left: short and escaped, with its value now and what it would go back to (either may be
 * NULL: not told). The caller frees it. */
char *tsh_plan_theirs(const struct tsh_journal_entry *newest, const char *now, const char *before);
/*
 * Say what of an entry is not taken back, and why; of a file that is many settings also which of them: those that
 * are still so where it reads now (NULL: not told). An errno of 0 is not told; otherwise: what is said of an instance
 * in use where nothing keeps it (problem.c).
 */
void tsh_plan_problem(struct tsh_plan *plan, const struct tsh_journal_entry *entry, const char *why);
void tsh_plan_problem_left(struct tsh_plan *plan, const struct tsh_journal_entry *entry, const char *now,
			   const char *why);
void tsh_plan_problem_errno(struct tsh_plan *plan, const struct tsh_journal_entry *entry, const char *what, int number);
void tsh_plan_problem_busy(struct tsh_plan *plan, const struct tsh_journal_entry *entry, const char *otherwise);
/* Says whether a file that read what it did before the entry reads otherwise after it; NULL: that is not known. */
bool tsh_plan_is_changed(const struct tsh_journal_entry *oldest, const char *after);
/* Names what an entry has set, short and escaped: "clock in 'NAME'". The caller frees it. */
char *tsh_plan_name(const struct tsh_journal_entry *entry);
/* Adds what a step changes, or changed: nothing of what stands as before; no line twice. */
void tsh_plan_words(const struct tsh_plan *plan, const struct tsh_step *step,
		    struct tsh_strlist *ret);

#endif
