/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "decoder.h"

#include <stdlib.h>
#include <string.h>

#include "base/load.h"
#include "base/xmalloc.h"
#include "events/printfmt/program.h"
#include "events/symbols/btf-internal.h"
#include "events/symbols/printk-formats.h"
#include "events/symbols/symbols.h"
#include "name-fields.h"
#include "names.h"
#include "record-json.h"
#include "special-bprint.h"
#include "special-internal.h"
#include "special.h"

#define ID_MAX		65535	/* common_type has 16 bits */

/* Holds what is known about an id. */
struct tsh_slot {
	struct tsh_event_format *format;	/* NULL: it has no valid format file */
	char *text;		/* format file of an event that may go (a probe); else NULL */
	unsigned int age;	/* when the text was last checked */
	/* the event's number in d->printer; 0: d->printer does not print it */
	unsigned int others;
	struct program *program;		/* NULL: special, or unprintable */
	struct name_fields names;	/* where its records have names of tasks */
	struct record_json *json;	/* NULL until it is needed */
	struct tsh_special special;
};

static const struct tsh_common_field usual_id = { 0, 2 }, usual_flags = { 2, 1 },
	usual_preempt = { 3, 1 }, usual_pid = { 4, 4 };

static bool is_same(struct tsh_common_field a, struct tsh_common_field b)
{
	return a.offset == b.offset && a.size == b.size;
}

/* ---- the decoder ---- */

struct tsh_decoder *tsh_decoder_new(const struct tsh_provider *provider,
				    const struct tsh_page_layout *layout)
{
	struct tsh_decoder *d = tsh_xcalloc(1, sizeof(*d));

	d->provider = provider;
	d->layout = *layout;
	/* uses struct trace_entry (include/linux/trace_events.h), until a format says otherwise */
	d->id = usual_id;
	d->flags = usual_flags;
	d->preempt = usual_preempt;
	d->pid = usual_pid;
	d->common_end = 8;
	d->common_is_usual = layout->big_endian == TSH_HOST_BIG_ENDIAN;
	d->names = tsh_names_new(provider);
	d->symbols = tsh_symbols_new(provider);
	d->printk = printk_formats_new(provider);
	d->env.provider = provider;
	d->env.strings = kernel_strings_new(provider, d->printk);
	d->env.layout = *layout;
	d->env.enums = tsh_enums_new(provider);
	d->env.pointer.long_size = layout->long_size;
	d->env.pointer.big_endian = layout->big_endian;
	d->env.pointer.symbols = d->symbols;
	return d;
}

static void free_slot(struct tsh_slot *slot)
{
	tsh_special_release(&slot->special);
	program_free(slot->program);
	record_json_free(slot->json);
	tsh_event_format_free(slot->format);
	free(slot->text);
	free(slot);
}

static void free_formats(struct tsh_decoder *d)
{
	size_t i;

	for (i = 0; i < d->nslots; i++) {
		if (!d->slots[i])
			continue;
		free_slot(d->slots[i]);
	}
	for (i = 0; i < d->retired.n; i++)
		free_slot(d->retired.v[i]);
	tsh_vec_release(&d->retired);
	free(d->slots);
	memset(d->nameless, 0, sizeof(d->nameless));
	d->slots = NULL;
	d->nslots = 0;
	if (d->printer.ctx)
		d->printer.forget(d->printer.ctx);
	tsh_special_forget(d);
}

void tsh_decoder_free(struct tsh_decoder *d)
{
	if (!d)
		return;
	free_formats(d);
	if (d->printer.ctx)
		d->printer.free(d->printer.ctx);
	tsh_names_free(d->names);
	kernel_strings_free(d->env.strings);
	printk_formats_free(d->printk);
	tsh_enums_free(d->env.enums);
	hidden_pointers_free(d->env.pointer.hidden);
	tsh_symbols_free(d->symbols);
	free(d);
}

void tsh_decoder_bound(struct tsh_decoder *d, size_t bytes)
{
	tsh_symbols_bound(d->symbols, bytes);
}

void tsh_decoder_forget(struct tsh_decoder *d)
{
	free_formats(d);
	printk_formats_forget(d->printk);
	kernel_strings_forget(d->env.strings);
	tsh_symbols_forget(d->symbols);
}

void tsh_decoder_hide_pointers(struct tsh_decoder *d)
{
	size_t i;

	if (!d->env.pointer.hidden)
		d->env.pointer.hidden = hidden_pointers_new();
	for (i = 0; i < d->nslots; i++)
		if (d->slots[i] && d->slots[i]->format)
			d->slots[i]->format->quick = d->slots[i]->others ? NULL : d->slots[i]->program;
}

/* ---- the common fields ---- */

/* Reads a depth; 0 for records of the tracer blk, which end before that field. */
static unsigned char load_depth(const struct tsh_common_field *at, const struct tsh_record *rec, bool big)
{
	if (!at->size || at->offset + at->size > rec->size)
		return 0;
	return (unsigned char)load_unsigned(rec->data + at->offset, at->size, big);
}

/* Reads the common fields when their places are unusual, or there are more of them. */
static void __attribute__((noinline))
read_unusual(const struct tsh_decoder *d, const struct tsh_record *rec, struct tsh_common *ret)
{
	bool big = d->layout.big_endian;

	ret->id = (unsigned int)load_unsigned(rec->data + d->id.offset, d->id.size, big);
	ret->flags = (unsigned char)load_unsigned(rec->data + d->flags.offset, d->flags.size, big);
	ret->preempt = (unsigned char)load_unsigned(rec->data + d->preempt.offset,
						    d->preempt.size, big);
	ret->pid = (int)load_unsigned(rec->data + d->pid.offset, d->pid.size, big);
	ret->lazy = load_depth(&d->lazy_depth, rec, big);
	ret->migrate = load_depth(&d->migrate_depth, rec, big);
}

static inline bool read_common(const struct tsh_decoder *d, const struct tsh_record *rec,
			       struct tsh_common *ret)
{
	uint16_t both;

	if (rec->size < d->common_end)
		return false;
	if (!d->common_is_usual) {
		read_unusual(d, rec, ret);
		return true;
	}
	ret->id = load_u16(rec->data, TSH_HOST_BIG_ENDIAN);
	/* copies both at once: who reads them together would wait for two stores */
	memcpy(&both, rec->data + 2, sizeof(both));
	memcpy(&ret->flags, &both, sizeof(both));
	ret->lazy = ret->migrate = 0;
	ret->pid = (int)load_u32(rec->data + 4, TSH_HOST_BIG_ENDIAN);
	return true;
}

bool tsh_decoder_common(const struct tsh_decoder *d, const struct tsh_record *rec,
			struct tsh_common *ret)
{
	return read_common(d, rec, ret);
}

unsigned int tsh_decoder_id(const struct tsh_decoder *d, const struct tsh_record *rec)
{
	if (rec->size < d->common_end)
		return 0;
	return d->common_is_usual ? load_u16(rec->data, TSH_HOST_BIG_ENDIAN) :
				    (unsigned int)load_unsigned(rec->data + d->id.offset, d->id.size,
								d->layout.big_endian);
}

static struct tsh_common_field depth_field(const struct tsh_event_format *format, const char *name)
{
	const struct tsh_field *field = tsh_event_format_field(format, name);

	if (!field || field->kind != TSH_FIELD_INT)
		return (struct tsh_common_field){ 0, 0 };
	return (struct tsh_common_field){ field->offset, field->size };
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
	memset(d->known_flags, 0, sizeof(d->known_flags));
	d->lazy_depth = depth_field(format, "common_preempt_lazy_count");
	d->migrate_depth = depth_field(format, "common_migrate_disable");
	d->common_is_usual = d->layout.big_endian == TSH_HOST_BIG_ENDIAN &&
			     is_same(d->id, usual_id) && is_same(d->flags, usual_flags) &&
			     is_same(d->preempt, usual_preempt) && is_same(d->pid, usual_pid) &&
			     !d->lazy_depth.size && !d->migrate_depth.size;
}

/* ---- formats ---- */

static void ask_printer(struct tsh_decoder *d, struct tsh_slot *slot, const char *text)
{
	struct tsh_event_format *format = slot->format;
	bool is_doubtful = false;
	char *known;

	if (!printer_is_for(d, format))
		return;
	known = d->printer.all ? NULL : printer_text(d, text, &is_doubtful);
	slot->others = d->printer.accept(d->printer.ctx, format, known ? known : text, is_doubtful,
					 &format->printed_by);
	free(known);
	if (!slot->others)
		return;
	tsh_special_release(&slot->special);
	format->label_in_text = format->is_clean = format->is_repeatable = false;
}

/* Loads the format of an id. Returns false when the file is of another event. */
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
	name_fields_find(&slot->names, format);
	if (tsh_special_find(d, format, &slot->special))
		format->label_in_text = slot->special.label_in_text;
	else
		slot->program = program_compile(&d->env, format, &format->unprintable);
	format->is_clean = (slot->program && program_is_clean(slot->program)) ||
			   (slot->special.program && program_is_clean(slot->special.program));
	format->is_repeatable = d->common_is_usual && (slot->program ?
		program_is_repeatable(slot->program) : slot->special.is_repeatable &&
		(!slot->special.program || program_is_repeatable(slot->special.program)));
	ask_printer(d, slot, text);
	if (!slot->others)
		format->quick = slot->program;
	if (!slot->others && !slot->program && !d->env.pointer.hidden)
		format->quick = slot->special.program;
	return true;
}

static struct tsh_slot *read_format(struct tsh_decoder *d, unsigned int id)
{
	struct tsh_slot *slot;
	char *system = NULL, *text = NULL;
	size_t nslots;
	bool good;

	if (d->provider->format(d->provider->ctx, id, &system, &text) < 0) {
		text = tsh_special_format(d, id);
		system = text ? tsh_xstrdup("ftrace") : NULL;
		if (!text)
			return NULL;
	}
	slot = tsh_xcalloc(1, sizeof(*slot));
	good = load_format(d, slot, id, system, text);
	if (good && slot->format && format_is_removable(slot->format)) {
		slot->text = text;
		slot->age = d->age;
		text = NULL;
	}
	free(system);
	free(text);
	/* The id was given to another event while its format was read. */
	if (!good) {
		free_slot(slot);
		return NULL;
	}
	if (id >= d->nslots) {
		nslots = (id | 255U) + 1;
		d->slots = tsh_xreallocarray(d->slots, nslots, sizeof(*d->slots));
		memset(d->slots + d->nslots, 0, (nslots - d->nslots) * sizeof(*d->slots));
		d->nslots = nslots;
	}
	d->slots[id] = slot;
	if (!slot->text && !slot->names.renamed.pid)
		d->nameless[id / 64] |= UINT64_C(1) << id % 64;
	return slot;
}

/* Reads the format of an id again. Returns the new slot when the id belongs to another event now;
 * the old slot when the event is the same, or is removed. */
static struct tsh_slot *recheck_slot(struct tsh_decoder *d, unsigned int id)
{
	struct tsh_slot *slot = d->slots[id], *now;
	char *system, *text;
	bool same;

	slot->age = d->age;
	if (d->provider->format(d->provider->ctx, id, &system, &text) < 0)
		return slot;
	same = !strcmp(text, slot->text) && !strcmp(system, slot->format->system);
	free(system);
	free(text);
	if (same)
		return slot;
	d->slots[id] = NULL;
	now = read_format(d, id);
	if (!now) {
		d->slots[id] = slot;
		return slot;
	}
	*tsh_vec_push(&d->retired) = slot;
	return now;
}

void tsh_decoder_renew(struct tsh_decoder *d)
{
	d->age++;
}

const struct tsh_event_format *tsh_decoder_format(struct tsh_decoder *d, unsigned int id)
{
	struct tsh_slot *slot;

	if (id > ID_MAX)
		return NULL;
	slot = id < d->nslots ? d->slots[id] : NULL;
	if (!slot)
		slot = read_format(d, id);
	else if (slot->text && slot->age != d->age)
		slot = recheck_slot(d, id);
	return slot ? slot->format : NULL;
}

/* ---- events ---- */

/* Returns the slot of an id whose format has been read and need not be checked again, or NULL. */
static inline const struct tsh_slot *known_slot(const struct tsh_decoder *d, unsigned int id)
{
	const struct tsh_slot *slot = id < d->nslots ? d->slots[id] : NULL;

	return slot && !slot->text ? slot : NULL;
}

static struct tsh_slot *slot_of(const struct tsh_decoder *d,
				const struct tsh_event_format *format)
{
	return d->slots[format->id];
}

bool tsh_decoder_print(struct tsh_decoder *d, const struct tsh_event_format *format,
		       const struct tsh_record *rec, struct tsh_strbuf *out)
{
	const struct tsh_slot *slot = slot_of(d, format);
	const struct program *program = slot->program;
	enum program_text made;

	if (slot->others && d->printer.print(d->printer.ctx, slot->others, rec, out))
		return false;
	if (!program && !d->env.pointer.hidden)
		program = slot->special.program;
	made = program ? program_run(program, rec, out) : PROGRAM_NOTHING;
	if (made != PROGRAM_NOTHING)
		return made == PROGRAM_CLEAN;
	if (slot->special.print)
		slot->special.print(d, slot->special.state, format, rec, out);
	else
		tsh_decoder_print_fields(d, format, rec, out);
	return false;
}

void tsh_decoder_add_json(struct tsh_decoder *d, const struct tsh_event_format *format,
			  const struct tsh_record *rec, bool with_name, struct tsh_strbuf *out)
{
	struct tsh_slot *slot = slot_of(d, format);

	if (!slot->json)
		slot->json = record_json_new(slot->format);
	record_json_add(d, slot->json, rec, with_name, out);
}

void tsh_decoder_label(struct tsh_decoder *d, const struct tsh_event_format *format,
		       const struct tsh_record *rec, struct tsh_strbuf *out)
{
	tsh_special_label(d, format, rec, out);
}

void tsh_decoder_learn(struct tsh_decoder *d, const struct tsh_event_format *format,
		       const struct tsh_record *rec)
{
	name_fields_learn(d, &slot_of(d, format)->names, rec);
}

const struct tsh_event_format *tsh_decoder_read_names(struct tsh_decoder *d, const struct tsh_record *rec,
						      struct tsh_name_changes *ret)
{
	unsigned int id = tsh_decoder_id(d, rec);
	const struct tsh_slot *slot = known_slot(d, id);

	if (!slot && id && tsh_decoder_format(d, id))
		slot = d->slots[id];
	if (!slot)
		return NULL;
	if (slot->names.n || slot->names.renamed.pid)
		name_fields_read(d, &slot->names, rec, ret);
	return slot->format;
}

void tsh_decoder_learn_ahead(struct tsh_decoder *d, const struct tsh_record *rec)
{
	unsigned int id = tsh_decoder_id(d, rec);
	const struct tsh_slot *slot = known_slot(d, id);

	if (id && !slot && tsh_decoder_format(d, id))
		slot = d->slots[id];
	if (slot && slot->names.renamed.pid)
		name_fields_learn_ahead(d, &slot->names, rec);
}

static void __attribute__((noinline)) learn_event_ahead(struct tsh_decoder *d, int cpu, const struct tsh_page_event *event)
{
	const struct tsh_record rec = { .stamp = event->stamp, .cpu = cpu, .size = event->size,
					.data = event->data };

	tsh_decoder_learn_ahead(d, &rec);
}

void tsh_decoder_learn_page_ahead(struct tsh_decoder *d, int cpu, const struct tsh_page_event *first,
				  const struct tsh_page_walk *walk)
{
	struct tsh_page_walk rest = *walk;
	struct tsh_page_event event;

	if (first)
		learn_event_ahead(d, cpu, first);
	for (;;) {
		/* most events rename and start no task */
		if (d->common_is_usual)
			tsh_page_walk_skip(&rest, d->nameless);
		if (!tsh_page_walk_next(&rest, &event))
			break;
		learn_event_ahead(d, cpu, &event);
	}
}

const struct tsh_event_format *tsh_decoder_begin_record(struct tsh_decoder *d,
							const struct tsh_record *rec,
							struct tsh_common *ret, bool *ret_damaged)
{
	const struct tsh_event_format *format;
	const struct tsh_slot *slot;

	*ret_damaged = !read_common(d, rec, ret);
	if (*ret_damaged) {
		*ret = (struct tsh_common){ 0 };
		return NULL;
	}
	slot = known_slot(d, ret->id);
	if (slot) {
		if (slot->names.n)
			name_fields_learn(d, &slot->names, rec);
		return slot->format;
	}
	format = tsh_decoder_format(d, ret->id);
	/* The first format shows where the common fields are, so they are read again. */
	if (!d->common_is_usual)
		(void)read_common(d, rec, ret);
	if (format)
		tsh_decoder_learn(d, format, rec);
	return format;
}

unsigned int tsh_decoder_hz(const struct tsh_decoder *d)
{
	const struct tsh_provider *provider = d->env.provider;
	uint64_t hz;

	if (!provider->variable || !provider->variable(provider->ctx, "HZ", &hz) || hz > 1000000)
		return 0;
	return (unsigned int)hz;
}

/* ---- names of addresses ---- */

void tsh_decoder_symbol_name(struct tsh_decoder *d, uint64_t address, struct tsh_strbuf *out)
{
	size_t len;
	const char *text = tsh_symbols_text(d->symbols, TSH_SYMBOL_NAME_MODULE, address, &len);

	tsh_strbuf_add(out, text, len);
}

void tsh_decoder_symbol_offset(struct tsh_decoder *d, uint64_t address, struct tsh_strbuf *out)
{
	special_add_ip(d, address, true, out);
}

void tsh_decoder_arguments(struct tsh_decoder *d, uint64_t function, const struct tsh_record *rec,
			   uint32_t offset, struct tsh_strbuf *out)
{
	special_add_args(d, function, rec, offset, out);
}

bool tsh_decoder_symbol_address(struct tsh_decoder *d, const char *name, uint64_t *ret)
{
	return tsh_symbols_address(d->symbols, name, ret);
}

bool tsh_decoder_code_range(struct tsh_decoder *d, uint64_t address, uint64_t *ret_address,
			    uint64_t *ret_size)
{
	struct tsh_symbol symbol;

	if (!tsh_symbols_find(d->symbols, address, &symbol))
		return false;
	*ret_address = symbol.address;
	*ret_size = symbol.size;
	return true;
}

bool tsh_decoder_symbol_range(struct tsh_decoder *d, const char *name, uint64_t *ret_address,
			      uint64_t *ret_size)
{
	uint64_t address;

	return tsh_symbols_address(d->symbols, name, &address) &&
	       tsh_decoder_code_range(d, address, ret_address, ret_size);
}
