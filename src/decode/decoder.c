/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "decoder.h"

#include <stdlib.h>
#include <string.h>

#include "load.h"
#include "names.h"
#include "printer.h"
#include "special.h"
#include "tracesh/xmalloc.h"

#define ID_MAX		65535	/* common_type has 16 bits */
#define LEARN_MAX	2

/* A pair of fields that tells a task's name. */
struct learn {
	uint32_t comm;			/* in format->fields */
	uint32_t pid;
	bool is_path;			/* the name is what stands after the last slash */
};

/* An id that was asked for. */
struct tsh_slot {
	struct tsh_event_format *format;	/* NULL: its file is none */
	tsh_special_print *special;
	struct learn learn[LEARN_MAX];
	size_t nlearn;
};

/* ---- the decoder ---- */

struct tsh_decoder *tsh_decoder_new(const struct tsh_provider *provider,
				    const struct tsh_page_layout *layout)
{
	struct tsh_decoder *d = tsh_xcalloc(1, sizeof(*d));

	d->provider = provider;
	d->layout = *layout;
	/* struct trace_entry (include/linux/trace_events.h), until a format tells */
	d->id = (struct tsh_common_field){ 0, 2 };
	d->flags = (struct tsh_common_field){ 2, 1 };
	d->preempt = (struct tsh_common_field){ 3, 1 };
	d->pid = (struct tsh_common_field){ 4, 4 };
	d->common_end = 8;
	d->names = tsh_names_new(provider);
	return d;
}

static void free_formats(struct tsh_decoder *d)
{
	size_t i;

	for (i = 0; i < d->nslots; i++) {
		if (!d->slots[i])
			continue;
		tsh_event_format_free(d->slots[i]->format);
		free(d->slots[i]);
	}
	free(d->slots);
	d->slots = NULL;
	d->nslots = 0;
	tsh_printer_free(d->printer);
	d->printer = NULL;
}

void tsh_decoder_free(struct tsh_decoder *d)
{
	if (!d)
		return;
	free_formats(d);
	tsh_names_free(d->names);
	free(d);
}

void tsh_decoder_forget(struct tsh_decoder *d)
{
	free_formats(d);
}

void tsh_decoder_set_bare_hex(struct tsh_decoder *d, bool bare)
{
	d->bare_hex = bare;
}

/* ---- the common fields ---- */

bool tsh_decoder_common(const struct tsh_decoder *d, const struct tsh_record *rec,
			struct tsh_common *ret)
{
	bool big = d->layout.big_endian;

	if (rec->size < d->common_end)
		return false;
	ret->id = (unsigned int)load_unsigned(rec->data + d->id.offset, d->id.size, big);
	ret->flags = (unsigned char)load_unsigned(rec->data + d->flags.offset, d->flags.size, big);
	ret->preempt = (unsigned char)load_unsigned(rec->data + d->preempt.offset,
						    d->preempt.size, big);
	ret->pid = (int)load_unsigned(rec->data + d->pid.offset, d->pid.size, big);
	return true;
}

static void learn_common(struct tsh_decoder *d, const struct tsh_event_format *format)
{
	const struct {
		const char *name;
		struct tsh_common_field *place;
	} all[] = {
		{ "common_type", &d->id },
		{ "common_flags", &d->flags },
		{ "common_preempt_count", &d->preempt },
		{ "common_pid", &d->pid },
	};
	uint32_t end = 0;
	size_t i;

	for (i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		const struct tsh_field *field = tsh_event_format_field(format, all[i].name);

		if (field && field->kind == TSH_FIELD_INT) {
			all[i].place->offset = field->offset;
			all[i].place->size = field->size;
		}
		if (all[i].place->offset + all[i].place->size > end)
			end = all[i].place->offset + all[i].place->size;
	}
	d->common_end = end;
	d->has_common = true;
}

/* ---- formats ---- */

static bool add_learn(struct tsh_slot *slot, const char *comm, const char *pid, bool is_path)
{
	const struct tsh_event_format *format = slot->format;
	const struct tsh_field *a = tsh_event_format_field(format, comm);
	const struct tsh_field *b = tsh_event_format_field(format, pid);

	if (!a || !b || slot->nlearn == LEARN_MAX || b->kind != TSH_FIELD_INT ||
	    (a->kind != TSH_FIELD_CHARS && a->kind != TSH_FIELD_STRING))
		return false;
	slot->learn[slot->nlearn++] = (struct learn){ (uint32_t)(a - format->fields),
						      (uint32_t)(b - format->fields), is_path };
	return true;
}

/* Which tasks' names the event tells: sched_switch, sched_wakeup, task_rename and so on. */
static void find_learn(struct tsh_slot *slot)
{
	const struct tsh_event_format *format = slot->format;

	if (strcmp(format->system, "sched") && strcmp(format->system, "task"))
		return;
	/* A task is named after the file that it executes. */
	if (!strcmp(format->name, "sched_process_exec")) {
		add_learn(slot, "filename", "pid", true);
		return;
	}
	if (add_learn(slot, "newcomm", "pid", false) || add_learn(slot, "comm", "pid", false))
		return;
	/* In this order: a task can be switched to itself. */
	add_learn(slot, "parent_comm", "parent_pid", false);
	add_learn(slot, "child_comm", "child_pid", false);
	add_learn(slot, "prev_comm", "prev_pid", false);
	add_learn(slot, "next_comm", "next_pid", false);
}

/* False: the file is another event's. */
static bool load_format(struct tsh_decoder *d, struct tsh_slot *slot, unsigned int id,
			const char *system, const char *text)
{
	struct tsh_event_format *format;
	size_t len = strlen(text), i;

	if (tsh_event_format_parse(system, text, len, &format) < 0)
		return true;
	if (format->id != id) {
		tsh_event_format_free(format);
		return false;
	}
	for (i = 0; i < format->nfields; i++)
		if (!format->fields[i].element_size)
			format->fields[i].element_size = d->layout.long_size;
	if (!d->has_common)
		learn_common(d, format);
	slot->format = format;
	slot->special = tsh_special_find(format);
	find_learn(slot);
	if (slot->special)
		return true;
	if (!d->printer)
		d->printer = tsh_printer_new(d->provider, &d->layout);
	format->unprintable = !tsh_printer_add(d->printer, format, text, len);
	return true;
}

static struct tsh_slot *read_format(struct tsh_decoder *d, unsigned int id)
{
	struct tsh_slot *slot;
	char *system = NULL, *text = NULL;
	size_t nslots;
	bool good;

	if (d->provider->format(d->provider->ctx, id, &system, &text) < 0)
		return NULL;
	slot = tsh_xcalloc(1, sizeof(*slot));
	good = load_format(d, slot, id, system, text);
	free(system);
	free(text);
	/* The id was given to another event just now. */
	if (!good) {
		free(slot);
		return NULL;
	}
	if (id >= d->nslots) {
		nslots = (id | 255U) + 1;
		d->slots = tsh_xreallocarray(d->slots, nslots, sizeof(*d->slots));
		memset(d->slots + d->nslots, 0, (nslots - d->nslots) * sizeof(*d->slots));
		d->nslots = nslots;
	}
	d->slots[id] = slot;
	return slot;
}

const struct tsh_event_format *tsh_decoder_format(struct tsh_decoder *d, unsigned int id)
{
	struct tsh_slot *slot;

	if (id > ID_MAX)
		return NULL;
	slot = id < d->nslots ? d->slots[id] : NULL;
	if (!slot)
		slot = read_format(d, id);
	return slot ? slot->format : NULL;
}

/* ---- events ---- */

static const struct tsh_slot *slot_of(const struct tsh_decoder *d,
				      const struct tsh_event_format *format)
{
	return d->slots[format->id];
}

void tsh_decoder_print(struct tsh_decoder *d, const struct tsh_event_format *format,
		       const struct tsh_record *rec, struct tsh_strbuf *out)
{
	const struct tsh_slot *slot = slot_of(d, format);
	size_t begin = out->len;

	if (slot->special)
		slot->special(d, format, rec, out);
	else if (format->unprintable || !tsh_printer_print(d->printer, d, format, rec, out))
		tsh_decoder_print_fields(d, format, rec, out);
	if (out->len > begin && out->buf[out->len - 1] == '\n')
		tsh_strbuf_truncate(out, out->len - 1);
}

void tsh_decoder_learn(struct tsh_decoder *d, const struct tsh_event_format *format,
		       const struct tsh_record *rec)
{
	const struct tsh_slot *slot = slot_of(d, format);
	struct tsh_field_value comm, pid;
	size_t i;

	for (i = 0; i < slot->nlearn; i++) {
		const struct learn *learn = &slot->learn[i];

		tsh_decoder_value(d, &format->fields[learn->pid], rec, &pid);
		tsh_decoder_value(d, &format->fields[learn->comm], rec, &comm);
		if (pid.kind == TSH_VALUE_MISSING || comm.kind != TSH_VALUE_STRING)
			continue;
		if (learn->is_path) {
			const char *slash = memrchr(comm.bytes, '/', comm.len);

			if (slash) {
				comm.len -= (size_t)(slash + 1 - comm.bytes);
				comm.bytes = slash + 1;
			}
		}
		tsh_names_learn(d->names, (int)pid.u, comm.bytes, comm.len);
	}
}

const char *tsh_decoder_comm(struct tsh_decoder *d, int pid)
{
	return tsh_names_comm(d->names, pid);
}

int tsh_decoder_tgid(struct tsh_decoder *d, int pid)
{
	return tsh_names_tgid(d->names, pid);
}

void tsh_decoder_refresh(struct tsh_decoder *d)
{
	tsh_names_refresh(d->names);
}
