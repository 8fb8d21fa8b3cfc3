/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_KERNEL_UNDO_PLAN_H
#define TRACESH_KERNEL_UNDO_PLAN_H

#include "kernel/journal/journal.h"

/* Undo is a plan of steps, one for each file, and not the writes in reverse order: an event whose
 * filter is removed before the event is disabled would record everything. */

enum tsh_phase {
	TSH_PHASE_LOAD_OFF,	/* events and tracing to be disabled */
	TSH_PHASE_TRACER_OFF,	/* before the lists of functions that the tracer uses */
	TSH_PHASE_PROBES_BACK,	/* probes that we removed, before what is set on them */
	/* Has triggers, which use variables, events and probes, and lists of functions, which may
	 * have triggers, too. */
	TSH_PHASE_TRIGGERS,
	TSH_PHASE_SETTINGS,
	TSH_PHASE_OWN_INSTANCES,	/* of commands; their events use probes */
	TSH_PHASE_PROBES,	/* after what uses them */
	/* Has probes that we removed and whose names were used again, all older changes of probes,
	 * and what is set on these. */
	TSH_PHASE_PROBES_AGAIN,
	TSH_PHASE_LOAD_ON,	/* events and tracing to be enabled, now filtered */
	TSH_PHASE_ERASING,
	TSH_PHASE_SIZES,	/* of buffers: the kernel rounds them to present sub-buffers */
	TSH_PHASE_INSTANCES,
	/* Has settings whose undo erases events, in an instance that should have been removed but
	 * stays. */
	TSH_PHASE_STAYING,
	TSH_PHASE_N
};

/*
 * Says how a step ended.
 * NONE: not yet.
 * BACK: the old value is there.
 * GONE: its instance no longer exists, and nothing is left to undo.
 * LEFT: it cannot be undone.
 * THEIRS: somebody else has changed the value since.
 * FAILED: it may be tried again.
 */
enum tsh_outcome {
	TSH_OUTCOME_NONE,
	TSH_OUTCOME_BACK,
	TSH_OUTCOME_GONE,
	TSH_OUTCOME_LEFT,
	TSH_OUTCOME_THEIRS,
	TSH_OUTCOME_FAILED,
};

/* Describes the effect on one file of all writes between two entries, both included. */
struct tsh_step {
	size_t newest, oldest;		/* indexes in the journal */
	size_t next;			/* while the plan is made: next step of that key, + 1 */
	bool closed;			/* likewise: older entries need another step */
	/* Say whether it has switches by a trigger of ours, and whether it has writes. */
	bool switches, writes;
	enum tsh_phase phase;
	enum tsh_outcome outcome;
	bool kept;			/* stays in the journal in any case */
	bool already_restored;		/* the old value was there already */
	bool gone;			/* somebody else has undone it, not writes of ours */
	/* Says that an older step of the list added the lines that this one asks for, and undoes
	 * them. */
	bool older_undoes_it;
	/* Hold the value that was restored in a file of sizes, and all sizes read afterwards
	 * (tsh_image_sizes); or NULL; owned. */
	char *size, *sizes_read;
	/* Hold the text of a list of tasks before and after undo; or NULL; owned. */
	char *before, *after;
	/* Holds the list after our write, when the journal only has the lines that it added;
	 * owned. */
	char *list;
	bool rounded;			/* its size is set again when sub-buffers are restored */
	bool is_handed_over;		/* to another session, which undoes it or has kept it */
};

/* Holds tasks that may stay in a list, because others may have listed them. */
struct tsh_staying_tasks { size_t entry; struct tsh_strlist tasks; };

struct tsh_plan {
	struct tsh_dir *dir;
	struct tsh_journal *j;
	size_t first;			/* index of the oldest entry to undo */
	size_t *step_of;		/* number of the step + 1, by index from `first` on */
	TSH_VEC(struct tsh_step) steps;	/* newest first */
	struct tsh_undo_report *report;
	bool may_redo;			/* the user undoes it, it is not a failure */
	bool quiet_left;		/* entries that were left before are tried silently */
	bool only_predicts;		/* only predicts: nothing is written or handed over */
	size_t reported;		/* number of problems that were reported before */
	bool outdated;			/* another session has handed over entries meanwhile */
	unsigned int kept;		/* settings that another session has kept */
	unsigned int handed_over;	/* settings that another session will undo */
	pid_t heir;			/* the session of the last one of these */
	unsigned int existed;		/* settings that existed before we asked for them */
	struct tsh_strlist names_kept, names_handed_over, names_existed;	/* their names; owned */
	TSH_VEC(struct tsh_staying_tasks) staying;	/* until tsh_plan_note_staying_tasks */
};

/* Makes the steps for the entries from .first on. The caller frees .step_of and .steps. */
void tsh_plan_make(struct tsh_plan *plan);
/*
 * tsh_plan_close_removed closes the steps for files of an event whose probe the (older) entry has
 * removed: they are files of another event then. tsh_plan_remake_removed moves the step that
 * restores a removed probe behind the steps for our newer probe of that name, with all settings on
 * both (remake-probe.c).
 */
void tsh_plan_close_removed(struct tsh_plan *plan, const struct tsh_journal_entry *entry);
void tsh_plan_remake_removed(struct tsh_plan *plan);
/* Says whether the step's event has another probe than before, or none, because restoring the
 * removed one has failed. */
bool tsh_plan_lacks_probe(const struct tsh_plan *plan, const struct tsh_step *step);
/* Says whether a newer step, not taken yet, will restore the event's probe. */
bool tsh_plan_will_restore_probe(const struct tsh_plan *plan, const struct tsh_step *step);
/* Returns the phase of a file, by its oldest write. */
enum tsh_phase tsh_plan_phase(const struct tsh_journal_entry *oldest);
/* Records in the journal's file that step k is undone, so that nobody undoes it again when we are
 * killed. Does nothing while a newer step of the same setting is still to be taken. */
void tsh_plan_record_undone(struct tsh_plan *plan, size_t k);
/* Says whether there is an older step of the same setting, which decides its value. */
bool tsh_plan_has_older(const struct tsh_plan *plan, size_t k);
/* Says whether a newer step of the same setting has failed, so that the present value is that
 * step's, and nobody else's. */
bool tsh_plan_has_failed_newer(const struct tsh_plan *plan, const struct tsh_step *step);
/*
 * Preserves the entries of older steps of a setting whose newer step failed or was left: when that
 * one is undone later, its old value is there again, and the older steps are needed, even those
 * that had nothing to do.
 */
void tsh_plan_require_older(struct tsh_plan *plan);

/* ---- the result of a step, by reading files only (judge.c) ---- */

struct tsh_rest;
/* Opens the instance of a write. When *ret is NULL, the returned outcome is final, and was
 * reported. */
enum tsh_outcome tsh_plan_open(struct tsh_plan *plan, const struct tsh_step *step, struct tsh_instance **ret);
/* Returns the outcome of a step whose file has the text `now`, or NONE when the value in `rest` is
 * to be written. rest: the texts before and after the step; afterwards what is left to undo. The
 * caller holds tsh_write_lock, unless this only predicts. */
enum tsh_outcome tsh_plan_judge(struct tsh_plan *plan, struct tsh_step *step, struct tsh_rest *rest, const char *now);

/* ---- the result of an instance (instance.c) ---- */

/* Says whether the entry's instance was replaced by another one of that name. */
bool tsh_plan_is_other(const struct tsh_journal_entry *entry, const struct tsh_instance *in);
/* Does the same with the present instance, which it opens. */
bool tsh_plan_is_made_anew(const struct tsh_plan *plan, const struct tsh_journal_entry *entry);
/* Says whether somebody, who is not a running session, has set a tracer, an event, a trigger or
 * tasks in an instance of ours. */
bool tsh_plan_is_used(const struct tsh_plan *plan, const struct tsh_journal_entry *made);
/* Says whether a step in an instance of ours was left, because the value is somebody else's. */
bool tsh_plan_has_left(const struct tsh_plan *plan, const struct tsh_journal_entry *made);
/* Says whether the plan removes the entry's instance, and all settings in it. */
bool tsh_plan_removes_instance(const struct tsh_plan *plan, const struct tsh_journal_entry *entry);
/* Returns the outcome of an instance. *ret, which the caller closes, is NULL for an own one, or one
 * that cannot be opened. */
enum tsh_outcome tsh_plan_judge_instance(struct tsh_plan *plan, const struct tsh_journal_entry *made,
					 struct tsh_instance **ret);
/* Reports, once for all settings in it, that an instance is gone; has_other: another one has its
 * name. Returns GONE. */
enum tsh_outcome tsh_plan_report_missing_instance(struct tsh_plan *plan, const struct tsh_journal_entry *entry,
						  bool has_other);
/* Reports that an instance stays, because another session has kept settings in it. */
void tsh_plan_note_kept(struct tsh_plan *plan, const struct tsh_journal_entry *made);

/* ---- settings that other sessions have written, too (shared-step.c) ---- */

/* Calls tsh_share_resolve for a step whose file has the text `now`, and sets *ret to say whose
 * value that is. Returns NULL, or the reason why the step cannot be undone. The caller holds
 * tsh_write_lock. */
const char *tsh_plan_resolve_sharing(struct tsh_plan *plan, struct tsh_step *step, struct tsh_rest *rest,
				     const char *now, enum tsh_standing *ret);
/* Hands over a step whose file is gone, such as that of an event whose probe was removed, to a
 * session that will restore it. Returns false when its journal cannot be written, which is
 * reported. The caller holds tsh_write_lock. */
bool tsh_plan_hand_over_missing(struct tsh_plan *plan, struct tsh_step *step);
/*
 * Records that a value is about to be restored, if other sessions have journals: after a kill, they
 * may end before our journal is undone, and then the file's value is older than our last write.
 * Always records it for a size, which the kernel may round, so that the file has neither of our
 * values.
 */
void tsh_plan_record_restoring(struct tsh_plan *plan, const struct tsh_step *step);
/* Records, before a list of tasks is restored, that our write removed the old tasks. The list is
 * emptied before it is written, and we may be killed in between. */
void tsh_plan_record_emptying(struct tsh_plan *plan, struct tsh_step *step, const struct tsh_rest *rest);
/*
 * Applies the kernel's own changes to a list of tasks: tasks that came by a fork because of us are
 * undone with ours, and those that have exited are not restored (tasks.c). Tasks stay when it is
 * unknown whether the kernel added them.
 */
void tsh_plan_follow_tasks(struct tsh_plan *plan, const struct tsh_step *step, struct tsh_rest *rest,
			   const char *now);
/* Returns the tasks of a list without those that our first n entries have added. The caller frees
 * it. */
char *tsh_plan_without_ours(const struct tsh_plan *plan, size_t n, const struct tsh_journal_entry *list, const char *tasks);
/* Says whether the journal has set an option that lets the kernel add children, in the instance of
 * the list. */
bool tsh_tasks_list_children(const struct tsh_journal *j, const struct tsh_journal_entry *list);
/*
 * Records in other lists of tasks, ours and those of other sessions, that the kernel may have added
 * children, when the step is such an option, or a list to which it may have added them. After the
 * step nothing else shows that. The caller holds tsh_write_lock.
 */
void tsh_plan_append_forks(const struct tsh_plan *plan, const struct tsh_step *step);
/* Stores the text of the step's list of tasks before it was undone, and the present one. */
void tsh_plan_note_tasks(struct tsh_step *step, const struct tsh_instance *in, const struct tsh_journal_entry *newest,
			 const char *now);
/* Predicts the text of the list of tasks of step k before and after it is undone. */
void tsh_plan_predict_tasks(struct tsh_plan *plan, size_t k);
/* Reports how many tasks stay in lists, because others may have listed them, after the plan was
 * carried out. */
void tsh_plan_note_staying_tasks(struct tsh_plan *plan);
/* Count and report settings that are handed over; in_part: the rest of it is undone by us. */
void tsh_plan_count_handed_over(struct tsh_plan *plan, const struct tsh_journal_entry *entry, pid_t heir, bool in_part);
void tsh_plan_note_handed_over(struct tsh_plan *plan);

/*
 * Checks the sizes that were restored. Those that the kernel has rounded to sub-buffers of another
 * size are to be set once more when these are restored, by the session that has set them (sizes.c).
 */
void tsh_plan_check_sizes(struct tsh_plan *plan);
/* Says whether a size that the step has restored was rounded. */
bool tsh_plan_is_rounded(const struct tsh_plan *plan, const struct tsh_step *step);
/* Stores in a step the size that was restored, and the sizes read afterwards. */
void tsh_plan_note_size(struct tsh_step *step, const struct tsh_instance *in, const char *size);
/* Returns the text of the step's file of sizes as newer steps have written it, before it was
 * rounded. Frees `now`; the caller frees the result. Returns NULL when there is no size. */
char *tsh_plan_unrounded(const struct tsh_plan *plan, const struct tsh_step *step,
			 const struct tsh_instance *in, char *now);
/* Frees the texts of the steps, and the names. */
void tsh_plan_release_texts(struct tsh_plan *plan);

/* Leaves values that a trigger of ours would have switched, when it has provably not fired, so that
 * they are somebody else's (unfired-triggers.c). To be called before the first step. */
void tsh_plan_skip_unfired(struct tsh_plan *plan);
/* Acts like tsh_restore_file, and reports afterwards which events the kernel erased with a probe in
 * instances that use it without a journal entry. */
int tsh_plan_restore(const struct tsh_plan *plan, struct tsh_instance *in, const struct tsh_journal_entry *entry,
		     const char *now);
/* Reports what undone triggers may have left behind: tracing that is off, and the memory and events
 * of a snapshot. */
void tsh_plan_note_fired(struct tsh_plan *plan);
/* Counts what was undone, and drops the entries that need not be undone any more. */
void tsh_plan_finish(struct tsh_plan *plan);

/* Reports a text once. Owns the text from now on. */
void tsh_plan_note_once(struct tsh_plan *plan, char *text);
/* Returns a reason why a setting of somebody else is left: short and escaped, with its present
 * value and the one that undo would restore (either may be NULL: left out). The caller frees it. */
char *tsh_plan_foreign_reason(const struct tsh_journal_entry *newest, const char *now, const char *before);
/*
 * Report that an entry is not undone, and why; for a file with many settings also which of them.
 * tsh_plan_problem_left names only those that are still there in the text `now` (may be NULL: names
 * all). tsh_plan_problem_errno adds strerror(number), unless that is 0. tsh_plan_problem_busy is
 * for an instance in use; `otherwise` is used when nothing is found that keeps it busy (problem.c).
 */
void tsh_plan_problem(struct tsh_plan *plan, const struct tsh_journal_entry *entry, const char *why);
void tsh_plan_problem_left(struct tsh_plan *plan, const struct tsh_journal_entry *entry, const char *now,
			   const char *why);
void tsh_plan_problem_errno(struct tsh_plan *plan, const struct tsh_journal_entry *entry, const char *what, int number);
void tsh_plan_problem_busy(struct tsh_plan *plan, const struct tsh_journal_entry *entry, const char *otherwise);
/* Says whether `after` differs from the text before the entry; true when either is NULL. */
bool tsh_plan_is_changed(const struct tsh_journal_entry *oldest, const char *after);
/* Returns the name of an entry's setting, short and escaped: "clock in 'NAME'". The caller frees
 * it. */
char *tsh_plan_name(const struct tsh_journal_entry *entry);
/* Adds a line for what a step changes or has changed; none when nothing changes, and no line
 * twice. */
void tsh_plan_add_change(const struct tsh_plan *plan, const struct tsh_step *step,
			 struct tsh_strlist *ret);

#endif
