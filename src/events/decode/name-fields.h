/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_EVENTS_DECODE_NAME_FIELDS_H
#define TRACESH_EVENTS_DECODE_NAME_FIELDS_H

#include "decode.h"
#include "name-log.h"

#define NAME_FIELDS_MAX	2

/* Names two fields of a record: a task's pid, and its name. Borrows the fields of the format. */
struct name_field {
	const struct tsh_field *pid;
	const struct tsh_field *comm;
	/* Say, for a quick comparison, where both are. The pid has 4 bytes, and the name TSH_COMM_SIZE, in
	 * each record of at least `end` bytes; it is no path or guess. */
	bool is_plain;
	uint32_t pid_at, comm_at, end;
	/* the same, but the name is a string that a word of 4 bytes refers to */
	bool is_string;
	bool is_path;			/* the name is the part behind the last slash */
	/* the name is a guess: a child may exec now, or the task ends */
	bool is_guess;
	bool ends;			/* the task ends with this event */
};

/* Holds where the records of an event have names of tasks. */
struct name_fields {
	size_t n;
	struct name_field v[NAME_FIELDS_MAX];
	/* The fields of an event that renames or starts a task: its pid (NULL: it does neither), and
	 * the name that it had before (NULL: it is a new task). */
	struct {
		const struct tsh_field *pid;
		const struct tsh_field *comm;
	} renamed;
};

/* Finds the fields of sched_switch, sched_wakeup, task_rename and so on. Leaves *ret empty for
 * other events. */
void name_fields_find(struct name_fields *ret, const struct tsh_event_format *format);
/* Learns the names that a record has: tsh_decoder_learn, for fields that are known. */
void name_fields_learn(struct tsh_decoder *d, const struct name_fields *fields,
		       const struct tsh_record *rec);
/* Appends the names that a record has: tsh_decoder_read_names, for fields that are known. */
void name_fields_read(const struct tsh_decoder *d, const struct name_fields *fields, const struct tsh_record *rec,
		      struct tsh_name_changes *ret);
/* Learns the name that a task has until a later record changes it: tsh_decoder_learn_ahead, for
 * fields that are known. fields->renamed.pid must be set. */
void name_fields_learn_ahead(struct tsh_decoder *d, const struct name_fields *fields,
			     const struct tsh_record *rec);

#endif
