/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "count.h"

#include <stdlib.h>

#include "engine/pipeline/attach-stacks.h"
#include "session/util.h"

/* Reads the kernel's histograms into a tally, as if tracesh had counted. */

#define ROWS_MOST 16777216	/* of all events together */
/* Bounds the sums that are certainly right. The kernel adds in 64 bits, and a larger sum loses its
 * carries. */
#define SUM_LARGE (UINT64_C(1) << 62)

/* Finds how the numbers of the keys are shown, when a stream begins. */
static void begin(struct tsh_by *by, const struct tsh_stream_options *opt)
{
	struct by_kernel *k = by->kernel;
	size_t i, j;

	(void)opt;
	k->hits = 0;
	for (i = 0; i < k->n; i++)
		for (j = 0; j < by->spec.nkeys; j++) {
			const struct tsh_field *field = k->events[i].keys[j].field;
			struct by_item *key = &by->spec.keys[j];

			if (!field || key->modifier != BY_PLAIN)
				continue;
			key->is_pointer |= field->kind == TSH_FIELD_POINTER;
			by_text_of(by, key, k->events[i].format, field);
		}
}

/* Says whether a frame is a function of the tracer, or code without a name right after one, which
 * is a trampoline of ftrace. */
static bool is_tracer(const char *name, size_t len, bool after_tracer)
{
	char *text = tsh_xstrndup(name, len);
	bool is = tsh_event_stacks_is_tracer(text) || (after_tracer && !strncmp(text, "0x", 2));

	free(text);
	return is;
}

/*
 * Appends lines "function+0x10/0x20 [module]" as "function [module]" with " <- " between them, and
 * leaves out the functions of the tracer that come first.
 */
static void add_frames(const char *text, size_t len, struct tsh_strbuf *to)
{
	const char *end = text + len, *line, *module;
	bool after_tracer = false;

	for (; text < end; text = line < end ? line + 1 : end) {
		size_t name;

		while (text < end && *text == ' ')
			text++;
		for (line = text; line < end && *line != '\n'; line++)
			;
		for (name = 0; text + name < line && !strchr("+ ", text[name]); name++)
			;
		if (!name)
			continue;
		if (!to->len && line + 1 < end && is_tracer(text, name, after_tracer)) {
			after_tracer = true;
			continue;
		}
		if (to->len)
			tsh_strbuf_adds(to, BY_FRAME_BETWEEN);
		tsh_strbuf_add(to, text, name);
		module = memchr(text, '[', (size_t)(line - text));
		if (module)
			tsh_strbuf_addf(to, " %.*s", (int)(line - module), module);
	}
}

/* Returns a stack as a number in k->stacks: it may be longer than the texts of a tally. */
static struct tsh_tally_part stack_part(struct by_kernel *k, const char *text, size_t len)
{
	struct tsh_strbuf frames = TSH_STRBUF_INIT;
	size_t i;

	add_frames(text, len, &frames);
	for (i = 0; i < k->stacks.n; i++)
		if (!strcmp(k->stacks.v[i], frames.buf ? frames.buf : ""))
			break;
	if (i == k->stacks.n)
		tsh_strlist_add(&k->stacks, frames.buf ? frames.buf : "");
	tsh_strbuf_release(&frames);
	return (struct tsh_tally_part){ TSH_TALLY_UNSIGNED, i };
}

static void add_stack(const struct tsh_by *by, uint64_t number, struct tsh_strbuf *to)
{
	const struct by_kernel *k = by->kernel;

	tsh_strbuf_adds(to, number < k->stacks.n ? k->stacks.v[number] : "");
}

/*
 * Returns a number in the byte order of its field: the kernel reads all as numbers of this machine.
 */
static uint64_t number_of(const struct tsh_field *field, uint64_t number)
{
	bool swaps = field && field->is_network && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__;

	return swaps ? __builtin_bswap64(number) >> (64 - 8 * field->size) : number;
}

/* Returns a number of the kernel's as a part of a key. */
static struct tsh_tally_part number_part(struct tsh_by *by, struct by_item *key, const struct kernel_event *e,
					 const struct tsh_field *field, uint64_t number)
{
	const struct tsh_field_text *text =
		field && key->modifier == BY_PLAIN ? by_text_of(by, key, e->format, field) : NULL;
	bool is_signed = field && field->is_signed;

	number = number_of(field, number);
	return by_is_shown(key, text) ? by_shown_part(by, key, by->tally, text, number, is_signed) :
					by_number_part(by, key, number, is_signed);
}

/* Says whether a sum may have lost a carry; with fields of 4 bytes that would take 2^32 events. */
static bool may_wrap(const struct tsh_field *field, uint64_t count, uint64_t sum)
{
	if (field->is_signed && (int64_t)sum < 0)
		sum = 0 - sum;
	return field->size == 8 && count > 1 && sum > SUM_LARGE;
}

static void add_row(struct tsh_by *by, const struct kernel_event *e, const struct tsh_hist_row *row)
{
	struct tsh_tally_part parts[TSH_TALLY_PARTS_MAX];
	size_t i, place;

	for (i = 0; i < by->spec.nkeys; i++) {
		const struct tsh_field *field = e->keys[i].field;
		struct by_item *key = &by->spec.keys[i];

		switch (e->shape.keys[i].kind) {
		case TSH_HIST_NUMBER:
			parts[i] = number_part(by, key, e, field, row->keys[i].number);
			break;
		case TSH_HIST_STACK:
			parts[i] = stack_part(by->kernel, row->keys[i].text, row->keys[i].len);
			break;
		default:
			key->has_text = true;
			parts[i] = tsh_tally_text(by->tally, row->keys[i].text, row->keys[i].len);
		}
	}
	place = tsh_tally_add_many(by->tally, parts, row->count);
	for (i = 0; i < by->spec.nvalues; i++) {
		by->kernel->may_wrap |= may_wrap(e->values[i], row->count, row->values[i]);
		tsh_tally_add_sum(by->tally, place, i, row->count, row->values[i],
				  e->values[i]->is_signed);
	}
}

static int read_event(struct tsh_by *by, const struct kernel_event *e, struct tsh_err *err)
{
	static const struct tsh_tally_part nowhere = { TSH_TALLY_NO_ROOM, 0 };
	const struct tsh_tally_part other[TSH_TALLY_PARTS_MAX] = { nowhere, nowhere, nowhere };
	char *path = tsh_event_path(&e->event, "hist");
	struct tsh_strbuf text = TSH_STRBUF_INIT;
	uint64_t hits = 0, dropped = 0;
	struct tsh_hist_row row;
	int r = tsh_file_read(by->kernel->in, path, &text);
	const char *at = text.buf ? text.buf : "";

	while (!r && tsh_hist_text_row(&at, &e->shape, &row))
		add_row(by, e, &row);
	if (r < 0)
		tsh_err_errno(err, r, "the histogram of '%s:%s' cannot be read", e->event.system,
			      e->event.name);
	else if (!tsh_hist_text_totals(at, &hits, &dropped))
		r = tsh_err_set(err, TSH_FAILED, "the kernel's histogram of '%s:%s' is not understood",
				e->event.system, e->event.name);
	if (dropped)
		tsh_tally_add_many(by->tally, other, dropped);
	by->kernel->hits += hits + dropped;
	tsh_strbuf_release(&text);
	free(path);
	return r < 0 ? -1 : 0;
}

/* Reads the tables of all events into an empty tally. */
static int read_all(struct tsh_by *by, struct tsh_err *err)
{
	struct by_kernel *k = by->kernel;
	size_t i;

	tsh_tally_free(by->tally);
	by->tally = tsh_tally_new(by->spec.nkeys, by->spec.nvalues, ROWS_MOST);
	k->hits = 0;
	k->may_wrap = false;
	for (i = 0; i < k->n; i++)
		if (k->events[i].trigger && read_event(by, &k->events[i], err) < 0)
			return -1;
	by->counted = k->hits;
	return 0;
}

/* Says whether system calls are among the keys, on a machine that may run 32-bit programs, too. */
static bool has_calls(const struct tsh_by *by)
{
	size_t i;

	for (i = 0; i < by->spec.nkeys; i++)
		if (by->spec.keys[i].modifier == BY_SYSCALL)
			return by->layout->long_size == 8;
	return false;
}

static void note(const struct tsh_by *by)
{
	if (has_calls(by))
		tsh_out_note(by->out, "--in-kernel cannot tell the calls of 32-bit programs, which have other "
			     "numbers, from those of 64 bits");
	if (by->kernel->may_wrap)
		tsh_out_note(by->out, "the kernel's sums have 64 bits, and lose what is beyond: large ones here, and their "
			     "averages, may be too small");
}

static void free_all(struct tsh_by *by)
{
	struct by_kernel *k = by->kernel;
	size_t i, j;

	for (i = 0; i < k->n; i++) {
		for (j = 0; j < TSH_TALLY_PARTS_MAX; j++)
			free(k->events[i].keys[j].name);
		tsh_event_format_free(k->events[i].format);
		free(k->events[i].trigger);
	}
	tsh_strlist_release(&k->stacks);
	free(k->events);
	free(k);
}

const struct by_engine by_kernel_engine = {
	.free = free_all, .begin = begin, .read = read_all, .note = note, .add_stack = add_stack,
};
