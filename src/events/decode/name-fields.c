/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "name-fields.h"

#include <string.h>

#include "base/load.h"
#include "decoder.h"
#include "names.h"

/* Finds names of tasks in the records of events. */

static bool add(struct name_fields *ret, const struct tsh_event_format *format, const char *comm,
		const char *pid, bool is_path)
{
	bool ends = !strcmp(format->name, "sched_process_exit");
	bool is_guess = !strcmp(pid, "child_pid") || !strcmp(format->name, "task_newtask") ||
			ends;
	const struct tsh_field *a = tsh_event_format_field(format, comm);
	const struct tsh_field *b = tsh_event_format_field(format, pid);

	if (!a || !b || ret->n == NAME_FIELDS_MAX || b->kind != TSH_FIELD_INT ||
	    (a->kind != TSH_FIELD_CHARS && a->kind != TSH_FIELD_STRING))
		return false;
	ret->v[ret->n++] = (struct name_field){
		.comm = a, .pid = b, .pid_at = b->offset, .comm_at = a->offset,
		.end = a->offset + a->size > b->offset + b->size ? a->offset + a->size : b->offset + b->size,
		.is_plain = a->kind == TSH_FIELD_CHARS && a->size == TSH_COMM_SIZE && b->size == 4 &&
			    !b->is_network && !is_path && !is_guess,
		.is_string = a->kind == TSH_FIELD_STRING && a->size == 4 && !a->is_relative && b->size == 4 &&
			     !b->is_network && !is_path && !is_guess,
		.is_path = is_path, .is_guess = is_guess, .ends = ends,
	};
	return true;
}

static void find_renamed(struct name_fields *ret, const struct tsh_event_format *format)
{
	bool is_birth = !strcmp(format->name, "task_newtask");
	const struct tsh_field *pid = tsh_event_format_field(format, "pid");
	const struct tsh_field *comm = is_birth ? NULL : tsh_event_format_field(format, "oldcomm");

	if (strcmp(format->system, "task") || !pid || pid->kind != TSH_FIELD_INT || (!is_birth && !comm))
		return;
	ret->renamed.pid = pid;
	ret->renamed.comm = comm;
}

void name_fields_find(struct name_fields *ret, const struct tsh_event_format *format)
{
	*ret = (struct name_fields){ 0 };
	find_renamed(ret, format);
	if (strcmp(format->system, "sched") && strcmp(format->system, "task"))
		return;
	/* This event has the name of the waiting task, but the pid of the awaited one. */
	if (!strcmp(format->name, "sched_process_wait"))
		return;
	/* a task is named after the file that it executes */
	if (!strcmp(format->name, "sched_process_exec")) {
		add(ret, format, "filename", "pid", true);
		return;
	}
	if (add(ret, format, "newcomm", "pid", false) || add(ret, format, "comm", "pid", false))
		return;
	/* order matters: a task can be switched to itself */
	add(ret, format, "parent_comm", "parent_pid", false);
	add(ret, format, "child_comm", "child_pid", false);
	add(ret, format, "prev_comm", "prev_pid", false);
	add(ret, format, "next_comm", "next_pid", false);
}

/* Says whether a record only repeats a name that an earlier one has given. Most records do. */
static inline bool repeats_name(const struct tsh_decoder *d, const struct name_field *field,
			 const struct tsh_record *rec)
{
	uint32_t begin = field->comm_at, len = TSH_COMM_SIZE, word;

	if (!(field->is_plain | field->is_string) || rec->size < field->end)
		return false;
	if (field->is_string) {
		word = load_u32(rec->data + field->comm_at, d->layout.big_endian);
		begin = word & 0xffff;
		len = word >> 16;
		/* an array of 16 bytes is compared in another way */
		if (len >= TSH_COMM_SIZE || begin > rec->size || len > rec->size - begin)
			return false;
	}
	return tsh_names_repeats(d->names, (int)load_u32(rec->data + field->pid_at, d->layout.big_endian),
				 (const char *)rec->data + begin, len);
}

/* Reads the task that a record starts. Returns false when it starts none. */
static bool read_birth(const struct tsh_decoder *d, const struct name_fields *fields, const struct tsh_record *rec,
		       int *ret)
{
	struct tsh_field_value pid;

	if (!fields->renamed.pid || fields->renamed.comm)
		return false;
	tsh_decoder_value(d, fields->renamed.pid, rec, &pid);
	*ret = (int)pid.u;
	return pid.kind != TSH_VALUE_MISSING;
}

/* Reads a name and its task. Returns false when the record does not have both. */
static bool read_name(const struct tsh_decoder *d, const struct name_field *field, const struct tsh_record *rec,
		      int *ret_pid, struct tsh_field_value *comm)
{
	struct tsh_field_value pid;

	tsh_decoder_value(d, field->pid, rec, &pid);
	tsh_decoder_value(d, field->comm, rec, comm);
	if (pid.kind == TSH_VALUE_MISSING || comm->kind != TSH_VALUE_STRING)
		return false;
	*ret_pid = (int)pid.u;
	if (field->is_path) {
		const char *slash = memrchr(comm->bytes, '/', comm->len);

		if (slash) {
			comm->len -= (size_t)(slash + 1 - comm->bytes);
			comm->bytes = slash + 1;
		}
	}
	return true;
}

static bool is_guess(const struct tsh_decoder *d, const struct name_field *field)
{
	return field->is_guess && !(d->trusts_forks && !field->ends);
}

static void __attribute__((noinline))
learn_name(struct tsh_decoder *d, const struct name_field *field, const struct tsh_record *rec)
{
	struct tsh_field_value comm;
	int pid;

	if (!read_name(d, field, rec, &pid, &comm))
		return;
	if (is_guess(d, field))
		tsh_names_guess(d->names, pid, comm.bytes, comm.len, field->ends);
	else
		tsh_names_learn(d->names, pid, comm.bytes, comm.len);
}

void name_fields_learn(struct tsh_decoder *d, const struct name_fields *fields,
		       const struct tsh_record *rec)
{
	size_t i;
	int pid;

	if (read_birth(d, fields, rec, &pid))
		tsh_names_note_birth(d->names, pid, rec->stamp);
	for (i = 0; i < fields->n; i++)
		if (!repeats_name(d, &fields->v[i], rec))
			learn_name(d, &fields->v[i], rec);
}

/* Says whether a record only repeats the name that the row has set last for the task. */
static bool repeats_change(const struct tsh_decoder *d, const struct name_field *field, const struct tsh_record *rec,
			   const struct tsh_name_changes *changes)
{
	const struct tsh_field *pid = field->pid, *comm = field->comm;
	const struct tsh_name_op *last;
	int of;

	if (!field->is_plain || rec->size < (size_t)pid->offset + pid->size ||
	    rec->size < (size_t)comm->offset + comm->size)
		return false;
	of = (int)load_u32(rec->data + pid->offset, d->layout.big_endian);
	last = tsh_name_changes_last(changes, of);
	return last && last->kind == TSH_NAME_LEARN && last->pid == of &&
	       !memcmp(last->comm, rec->data + comm->offset, TSH_COMM_SIZE);
}

void name_fields_read(const struct tsh_decoder *d, const struct name_fields *fields, const struct tsh_record *rec,
		      struct tsh_name_changes *ret)
{
	struct tsh_name_op op = { .kind = TSH_NAME_BIRTH, .stamp = rec->stamp };
	struct tsh_field_value comm;
	size_t i, len;

	if (read_birth(d, fields, rec, &op.pid))
		tsh_name_changes_add(ret, &op);
	for (i = 0; i < fields->n; i++) {
		const struct name_field *field = &fields->v[i];

		if (repeats_change(d, field, rec, ret))
			continue;
		op = (struct tsh_name_op){ .ends = field->ends };
		if (!read_name(d, field, rec, &op.pid, &comm))
			continue;
		op.kind = is_guess(d, field) ? TSH_NAME_GUESS : TSH_NAME_LEARN;
		op.has_comm = true;
		len = comm.len < TSH_COMM_SIZE ? comm.len : TSH_COMM_SIZE - 1;
		memcpy(op.comm, comm.bytes, strnlen(comm.bytes, len));
		tsh_name_changes_add(ret, &op);
	}
}

void name_fields_learn_ahead(struct tsh_decoder *d, const struct name_fields *fields,
			     const struct tsh_record *rec)
{
	struct tsh_field_value pid, comm = { 0 };

	tsh_decoder_value(d, fields->renamed.pid, rec, &pid);
	if (fields->renamed.comm)
		tsh_decoder_value(d, fields->renamed.comm, rec, &comm);
	if (pid.kind != TSH_VALUE_MISSING && (!fields->renamed.comm || comm.kind == TSH_VALUE_STRING))
		tsh_names_learn_ahead(d->names, (int)pid.u, rec->stamp, fields->renamed.comm ? comm.bytes : NULL,
				      comm.len);
}
