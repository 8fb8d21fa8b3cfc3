/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "rows.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "engine/pipeline/attach-stacks.h"
#include "output/sink.h"
#include "query/query.h"
#include "session/util.h"

#define STARTS_MAX 65536 /* STARTs that wait for their END */
#define TEXTS_MAX	262144 /* different strings that are kept */
/*
 * Limits a stack as the kernel does when it passes one on (kernel/trace/trace.h,
 * HIST_STACKTRACE_DEPTH).
 */
#define FRAMES_MAX 31

/* Holds the source of a value of START or END. */
enum what { IS_FIELD, IS_PID, IS_CPU, IS_TIME, IS_USECS, IS_STACK };
struct operand {
	enum what what;
	const struct synth_operand *of;
	unsigned int id; /* id of the event that .field is of; 0: not looked up */
	/* belongs to the stream's decoder; NULL: the event has no such field */
	const struct tsh_field *field;
	size_t kept; /* index of the value in .with of a START */
};

struct joined_field {
	const struct synth_field *of;
	struct operand operands[2];
};

struct tsh_pair_rows {
	struct tsh_stage stage; /* the first member */
	struct synth_plan *plan;
	TSH_VEC(struct joined_field) fields;
	size_t nkept;
	struct tsh_query *filters[LATENCY_ROLES]; /* filters that tracesh evaluates */
	struct tsh_rows rows;
	/* for the present stream */
	struct tsh_by by; /* reads the keys */
	struct pairing pairing;
	struct tsh_tally_part *row; /* a part for each field */
	struct tsh_event_stacks stacked; /* if the plan has a stack */
};

/* ---- the rows ---- */

static void fill(void *ctx, const struct tsh_record *rec, size_t i, struct tsh_cell *ret)
{
	const struct tsh_pair_rows *j = ctx;
	const struct tsh_tally_part *part;
	const char *text;
	uint64_t error;
	int64_t wall;
	size_t len;

	if (!i) {
		if (tsh_clock_wall(j->stage.stream->clock, rec->cpu, rec->stamp, &wall, &error))
			*ret = (struct tsh_cell){ TSH_CELL_TIME, true, (uint64_t)wall, ret->text };
		return;
	}
	part = &j->row[i - 1];
	if (part->kind == TSH_TALLY_NO_ROOM) {
		ret->kind = TSH_CELL_NONE;
	} else if (part->kind == TSH_TALLY_TEXT) {
		ret->kind = TSH_CELL_TEXT;
		text = tsh_tally_text_of(j->pairing.texts, part->number, &len);
		tsh_strbuf_add(ret->text, text, len);
	} else {
		ret->kind = TSH_CELL_NUMBER;
		ret->number = part->number;
		ret->is_signed = part->kind == TSH_TALLY_SIGNED;
		tsh_strbuf_addf(ret->text, ret->is_signed ? "%" PRId64 : "%" PRIu64, part->number);
	}
}

static void set_rows(struct tsh_pair_rows *j)
{
	const char **names = tsh_xcalloc(j->fields.n + 1, sizeof(*names));
	size_t i;

	names[0] = "time";
	for (i = 0; i < j->fields.n; i++)
		names[i + 1] = j->fields.v[i].of->name;
	j->row = tsh_xcalloc(j->fields.n + 1, sizeof(*j->row));
	j->rows = (struct tsh_rows){ .names = names, .n = j->fields.n + 1, .cell = fill, .ctx = j };
}

/* ---- the plan ---- */

static enum what what_is(const char *name)
{
	static const char *const names[] = { [IS_PID] = "common_pid",
					     [IS_CPU] = "common_cpu",
					     [IS_TIME] = SYNTH_TIME,
					     [IS_USECS] = SYNTH_TIME_USEC,
					     [IS_STACK] = SYNTH_STACK };
	enum what what;

	for (what = IS_PID; what <= IS_STACK; what++)
		if (!strcmp(names[what], name))
			return what;
	return IS_FIELD;
}

static void set_operand(struct tsh_pair_rows *j, const struct synth_operand *of, struct operand *to)
{
	to->of = of;
	to->what = what_is(of->name);
	if (of->role == LATENCY_BEGIN)
		to->kept = j->nkept++;
}

static void add_fields(struct tsh_pair_rows *j)
{
	size_t i;

	for (i = 0; i < j->plan->fields.n; i++) {
		struct joined_field *field = tsh_vec_push(&j->fields);

		field->of = &j->plan->fields.v[i];
		set_operand(j, &field->of->of[0], &field->operands[0]);
		if (field->of->op)
			set_operand(j, &field->of->of[1], &field->operands[1]);
	}
}

static int read_filters(struct tsh_pair_rows *j, struct tsh_err *err)
{
	unsigned int role;

	for (role = 0; j->plan->spec.is_one && role < LATENCY_ROLES; role++) {
		const char *text = j->plan->filters[role];

		if (text && !(j->filters[role] = tsh_query_new(text, strlen(text), err)))
			return -1;
	}
	return 0;
}

struct tsh_pair_rows *tsh_pair_rows_new(struct synth_plan *plan, struct tsh_err *err)
{
	struct tsh_pair_rows *j = tsh_xcalloc(1, sizeof(*j));

	j->plan = plan;
	add_fields(j);
	set_rows(j);
	if (j->nkept > TSH_PAIRS_WITH_MAX)
		tsh_err_set(err, TSH_USAGE, "more than %d values are kept of %s",
			    TSH_PAIRS_WITH_MAX, plan->spec.events[LATENCY_BEGIN].name);
	else if (!read_filters(j, err))
		return j;
	tsh_pair_rows_free(j);
	return NULL;
}

void tsh_pair_rows_free(struct tsh_pair_rows *j)
{
	if (!j)
		return;
	tsh_query_free(j->filters[LATENCY_BEGIN]);
	tsh_query_free(j->filters[LATENCY_END]);
	tsh_vec_release(&j->fields);
	free((void *)(uintptr_t)j->rows.names);
	free(j->row);
	free(j);
}

/* ---- values ---- */

static struct tsh_tally_part number(uint64_t n)
{
	return (struct tsh_tally_part){ TSH_TALLY_UNSIGNED, n };
}

static struct tsh_tally_part text_part(struct tsh_pair_rows *j, const struct tsh_field_value *value)
{
	struct tsh_tally_part part = tsh_tally_text(j->pairing.texts, value->bytes, value->len);

	j->pairing.no_room += part.kind == TSH_TALLY_NO_ROOM;
	return part;
}

/*
 * Returns the stack of the event that is passed on now, as text like the kernel's
 * (print_synth_event).
 */
static struct tsh_tally_part stack_part(struct tsh_pair_rows *j)
{
	uint64_t frames[TSH_EVENT_STACKS_TRACERS + FRAMES_MAX];
	struct tsh_strbuf text = TSH_STRBUF_INIT;
	struct tsh_field_value value = { 0 };
	struct tsh_tally_part part;
	size_t n = 0, i;

	if (j->stacked.stack)
		n = tsh_event_stacks_frames(&j->stacked, frames, TSH_EVENT_STACKS_TRACERS + FRAMES_MAX);
	if (!n)
		return (struct tsh_tally_part){ TSH_TALLY_NO_ROOM, 0 };
	tsh_strbuf_adds(&text, "STACK:\n");
	for (i = 0; i < n && i < FRAMES_MAX; i++) {
		tsh_strbuf_adds(&text, "=> ");
		if (frames[i] == TSH_STACK_TRAMPOLINE)
			tsh_strbuf_adds(&text, "[FTRACE TRAMPOLINE]");
		else
			tsh_decoder_symbol_offset(j->by.decoder, frames[i], &text);
		tsh_strbuf_addc(&text, '\n');
	}
	value.bytes = text.buf;
	value.len = text.len;
	part = text_part(j, &value);
	tsh_strbuf_release(&text);
	return part;
}

static struct tsh_tally_part value_of(struct tsh_pair_rows *j, struct operand *operand,
				      const struct tsh_record *rec, const struct tsh_common *common)
{
	static const struct tsh_tally_part none = { TSH_TALLY_NO_ROOM, 0 };
	const struct tsh_event_format *format;
	struct tsh_field_value value;

	switch (operand->what) {
	case IS_PID:
		return (struct tsh_tally_part){ TSH_TALLY_SIGNED, (uint64_t)(int64_t)common->pid };
	case IS_CPU:
		return number((uint64_t)rec->cpu);
	case IS_TIME:
		return number(rec->stamp);
	case IS_USECS:
		/* as the kernel's ns2usecs */
		return number((rec->stamp + 500) / 1000);
	case IS_STACK:
		return stack_part(j);
	default:
		break;
	}
	if (operand->id != common->id) {
		format = tsh_decoder_format(j->by.decoder, common->id);
		operand->field = format ? tsh_event_format_field(format, operand->of->name) : NULL;
		operand->id = common->id;
	}
	if (!operand->field)
		return none;
	tsh_decoder_value(j->by.decoder, operand->field, rec, &value);
	switch (value.kind) {
	case TSH_VALUE_SIGNED:
		return (struct tsh_tally_part){ TSH_TALLY_SIGNED, value.u };
	case TSH_VALUE_UNSIGNED:
	case TSH_VALUE_POINTER:
		return number(value.u);
	case TSH_VALUE_STRING:
		return text_part(j, &value);
	default:
		return none;
	}
}

/* Returns a number as the new event's field holds it: cut to its size, with its sign. */
static struct tsh_tally_part as_type(const struct synth_operand *type, struct tsh_tally_part part)
{
	unsigned int unused = type->size && type->size < 8 ? 64 - type->size * 8 : 0;

	if (part.kind != TSH_TALLY_SIGNED && part.kind != TSH_TALLY_UNSIGNED)
		return part;
	part.kind = type->is_signed ? TSH_TALLY_SIGNED : TSH_TALLY_UNSIGNED;
	part.number <<= unused;
	part.number = type->is_signed ? (uint64_t)((int64_t)part.number >> unused) :
					part.number >> unused;
	return part;
}

static struct tsh_tally_part compute(const struct synth_field *of, struct tsh_tally_part a,
				     struct tsh_tally_part b)
{
	if (!of->op)
		return as_type(&of->of[0], a);
	if (b.kind != TSH_TALLY_SIGNED && b.kind != TSH_TALLY_UNSIGNED)
		return b;
	a.number = of->op == '+' ? a.number + b.number : a.number - b.number;
	return as_type(&of->of[0], a);
}

/* ---- the stream ---- */

static void begin_pair(struct tsh_pair_rows *j, const struct tsh_record *rec,
		       const struct tsh_common *common, const struct tsh_tally_part *key)
{
	struct tsh_pairs_begin begin;
	size_t i, k;

	begin.stamp = rec->stamp;
	begin.cpu = rec->cpu;
	begin.pid = common->pid;
	for (i = 0; i < j->fields.n; i++)
		for (k = 0; k < 2; k++) {
			struct operand *operand = &j->fields.v[i].operands[k];

			if (operand->of && operand->of->role == LATENCY_BEGIN)
				begin.with[operand->kept] = value_of(j, operand, rec, common);
		}
	tsh_pairs_begin(j->pairing.pairs, key, &begin);
}

/* Ends a pair. Returns true if its row was made. */
static bool end_pair(struct tsh_pair_rows *j, const struct tsh_record *rec,
		     const struct tsh_common *common, const struct tsh_tally_part *key)
{
	struct tsh_pairs_begin begin;
	size_t i, k;

	if (!pairing_end(&j->pairing, key, rec->stamp, &begin))
		return false;
	for (i = 0; i < j->fields.n; i++) {
		struct joined_field *field = &j->fields.v[i];
		struct tsh_tally_part parts[2] = { { 0 } };

		for (k = 0; k < 2; k++) {
			struct operand *operand = &field->operands[k];

			if (operand->of)
				parts[k] = operand->of->role == LATENCY_BEGIN ?
						   begin.with[operand->kept] :
						   value_of(j, operand, rec, common);
		}
		j->row[i] = compute(field->of, parts[0], parts[1]);
	}
	return true;
}

static bool is_wanted(struct tsh_pair_rows *j, enum latency_role role, const struct tsh_record *rec)
{
	return !j->filters[role] || tsh_query_match(j->filters[role], j->by.decoder, j->by.layout, rec);
}

/* Reads the keys of an event. Returns false if it is not to be one of a pair. */
static bool has_key(struct tsh_pair_rows *j, enum latency_role role, const struct tsh_record *rec,
		    const struct tsh_common *common, struct tsh_tally_part *ret)
{
	return is_wanted(j, role, rec) && pairing_key(&j->pairing, role, rec, common->id, ret) &&
	       pairing_is_traced(&j->pairing, ret);
}

static bool rows_event(struct tsh_consumer *consumer, const struct tsh_record *rec, bool late)
{
	struct tsh_pair_rows *j = (struct tsh_pair_rows *)consumer;
	struct tsh_tally_part key[TSH_TALLY_PARTS_MAX];
	enum latency_role role = LATENCY_NEITHER;
	struct tsh_common common;
	bool is_pair;

	if (tsh_decoder_common(j->by.decoder, rec, &common) && common.id <= UINT16_MAX)
		role = pairing_role(&j->pairing, common.id);
	/* if one event is both, the kernel runs END's trigger first */
	is_pair = role == LATENCY_END && has_key(j, role, rec, &common, key) && end_pair(j, rec, &common, key);
	if (j->plan->spec.is_one && role == LATENCY_END)
		role = LATENCY_BEGIN;
	if (role == LATENCY_BEGIN && has_key(j, role, rec, &common, key))
		begin_pair(j, rec, &common, key);
	return is_pair && j->stage.next->event(j->stage.next, rec, late);
}

static void rows_lost(struct tsh_consumer *consumer, int cpu, uint64_t count, uint64_t stamp)
{
	struct tsh_pair_rows *j = (struct tsh_pair_rows *)consumer;

	tsh_pairs_lost(j->pairing.pairs, cpu);
	j->stage.next->lost(j->stage.next, cpu, count, stamp);
}

static int rows_prepare(struct tsh_stage *stage, struct tsh_open_stream *stream, struct tsh_err *err)
{
	(void)err;
	stream->rows = &((struct tsh_pair_rows *)stage)->rows;
	return 0;
}

static int rows_begin(struct tsh_stage *stage, struct tsh_err *err)
{
	struct tsh_pair_rows *j = (struct tsh_pair_rows *)stage;
	const struct pairing_room room = { .starts = STARTS_MAX, .with = j->nkept, .texts = TEXTS_MAX };

	(void)err;
	j->by.decoder = stage->stream->decoder;
	j->by.layout = stage->stream->layout;
	j->by.age = 1;
	pairing_begin(&j->pairing, &j->plan->spec, &j->by, &room);
	return 0;
}

/* Notes which pairs are missing, and frees what belongs to the stream. */
static void rows_end(struct tsh_stage *stage)
{
	struct tsh_pair_rows *j = (struct tsh_pair_rows *)stage;
	struct tsh_out *out = stage->stream->out;
	const struct tsh_pairs_account *account = tsh_pairs_account(j->pairing.pairs);
	uint64_t unsure = account->unsure + account->backwards;

	if (unsure)
		tsh_out_note(out, "%" PRIu64 " pair%s not shown: events between the two were lost",
			     unsure, tsh_plural(unsure));
	if (account->evicted)
		tsh_out_note(out, "%" PRIu64 " of %s given up: more than %d waited",
			     account->evicted, j->plan->spec.events[LATENCY_BEGIN].name,
			     STARTS_MAX);
	if (j->pairing.no_room)
		tsh_out_warn(out,
			     "%" PRIu64 " string%s not kept: there were more than %d different "
			     "ones",
			     j->pairing.no_room, tsh_plural(j->pairing.no_room), TEXTS_MAX);
	pairing_release(&j->pairing);
	tsh_strbuf_release(&j->by.text);
	if (j->filters[LATENCY_BEGIN])
		tsh_query_forget(j->filters[LATENCY_BEGIN]);
	if (j->filters[LATENCY_END])
		tsh_query_forget(j->filters[LATENCY_END]);
}

static const struct tsh_stage_kind kind = {
	.name = "rows of pairs", .prepare = rows_prepare, .begin = rows_begin, .event = rows_event, .lost = rows_lost,
	.end = rows_end,
};

void tsh_pair_rows_push(struct tsh_pair_rows *j, struct tsh_stages *stages)
{
	j->stage.kind = &kind;
	if (synth_plan_has_stack(j->plan))
		tsh_stages_push(stages, tsh_event_stacks_stage(&j->stacked));
	tsh_stages_push(stages, &j->stage);
}
