/* events/decode/name-log.h - changes of task names, which one decoder passes on to others */
/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_EVENTS_DECODE_NAME_LOG_H
#define TRACESH_EVENTS_DECODE_NAME_LOG_H

#include "base/vec.h"
#include "decode.h"
#include "events/symbols/saved-comms.h"

enum tsh_name_op_kind {
	TSH_NAME_LEARN,		/* tsh_names_learn */
	TSH_NAME_GUESS,		/* tsh_names_guess */
	TSH_NAME_BIRTH,		/* tsh_names_note_birth */
	TSH_NAME_AHEAD,		/* tsh_names_learn_ahead */
	TSH_NAME_COMPLETE,	/* tsh_names_set_complete */
	TSH_NAME_DOUBT,		/* tsh_names_doubt */
};

/* Holds a change of what is known of a task. */
struct tsh_name_op {
	enum tsh_name_op_kind kind;
	bool ends;			/* of a GUESS */
	bool has_comm;			/* false: the old name is unknown; of an AHEAD */
	int pid;
	uint64_t stamp;			/* of a BIRTH or an AHEAD */
	char comm[TSH_COMM_SIZE];	/* ends in NUL */
};

struct tsh_name_ops {
	struct tsh_name_op *v;
	size_t n, cap;
};

/* Holds the names that a row of records sets, in their order. A name that the row repeats is in it
 * once. */
#define TSH_NAME_CHANGES 256		/* a power of 2 */
struct tsh_name_changes {
	struct tsh_name_ops ops;
	/* the last op of a task, by the low bits of its pid: its place + 1; 0: none */
	size_t last[TSH_NAME_CHANGES];
};
void tsh_name_changes_clear(struct tsh_name_changes *changes);
/* Returns the last op of the tasks that share a place with this one; NULL: there is none. */
static inline const struct tsh_name_op *tsh_name_changes_last(const struct tsh_name_changes *changes, int pid)
{
	size_t last = changes->last[(unsigned int)pid % TSH_NAME_CHANGES];

	return last ? &changes->ops.v[last - 1] : NULL;
}
/* Appends a name, unless it is the one that the row has set last for this task. */
void tsh_name_changes_add(struct tsh_name_changes *changes, const struct tsh_name_op *op);
void tsh_name_changes_release(struct tsh_name_changes *changes);

/* Appends to `ret` the names that a record sets, without learning them. Returns the record's
 * format; NULL: it is unknown. */
const struct tsh_event_format *tsh_decoder_read_names(struct tsh_decoder *d, const struct tsh_record *rec,
						      struct tsh_name_changes *ret);
/* Carries out ops in their order. */
void tsh_decoder_apply_names(struct tsh_decoder *d, const struct tsh_name_op *ops, size_t n);
/* From now on appends to `log` each change of the names of this decoder; borrows log. NULL: no
 * more. */
void tsh_decoder_log_names(struct tsh_decoder *d, struct tsh_name_ops *log);
/* Copies everything that `from` knows of tasks by records, and its promises. `to` must be new. */
void tsh_decoder_copy_names(struct tsh_decoder *to, struct tsh_decoder *from);

#endif
