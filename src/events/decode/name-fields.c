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
		.comm = a, .pid = b,
		.is_plain = a->kind == TSH_FIELD_CHARS && a->size == TSH_COMM_SIZE && b->size == 4 &&
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
static bool repeats_name(const struct tsh_decoder *d, const struct name_field *field,
			 const struct tsh_record *rec)
{
	const struct tsh_field *pid = field->pid, *comm = field->comm;

	return field->is_plain && rec->size >= (size_t)pid->offset + pid->size &&
	       rec->size >= (size_t)comm->offset + comm->size &&
	       tsh_names_repeats(d->names, (int)load_u32(rec->data + pid->offset, d->layout.big_endian),
				 (const char *)rec->data + comm->offset);
}

void name_fields_learn(struct tsh_decoder *d, const struct name_fields *fields,
		       const struct tsh_record *rec)
{
	struct tsh_field_value comm, pid;
	size_t i;

	if (fields->renamed.pid && !fields->renamed.comm) {
		tsh_decoder_value(d, fields->renamed.pid, rec, &pid);
		if (pid.kind != TSH_VALUE_MISSING)
			tsh_names_note_birth(d->names, (int)pid.u, rec->stamp);
	}
	for (i = 0; i < fields->n; i++) {
		const struct name_field *field = &fields->v[i];

		if (repeats_name(d, field, rec))
			continue;
		tsh_decoder_value(d, field->pid, rec, &pid);
		tsh_decoder_value(d, field->comm, rec, &comm);
		if (pid.kind == TSH_VALUE_MISSING || comm.kind != TSH_VALUE_STRING)
			continue;
		if (field->is_path) {
			const char *slash = memrchr(comm.bytes, '/', comm.len);

			if (slash) {
				comm.len -= (size_t)(slash + 1 - comm.bytes);
				comm.bytes = slash + 1;
			}
		}
		if (field->is_guess && !(d->trusts_forks && !field->ends))
			tsh_names_guess(d->names, (int)pid.u, comm.bytes, comm.len, field->ends);
		else
			tsh_names_learn(d->names, (int)pid.u, comm.bytes, comm.len);
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
