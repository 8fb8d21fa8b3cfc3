/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "filter-random.h"

#include <inttypes.h>
#include <string.h>

unsigned int filter_random_pick(struct filter_random *r, size_t n)
{
	r->state ^= r->state << 13;
	r->state ^= r->state >> 7;
	r->state ^= r->state << 17;
	return (unsigned int)((r->state >> 11) % n);
}

static void add_expression(struct filter_random *r, const struct filter_samples *event,
			   unsigned int depth, struct tsh_strbuf *out);

static const struct tsh_record *sample(struct filter_random *r, const struct filter_samples *event)
{
	return &event->records[filter_random_pick(r, event->n)];
}

/* A number near one that the field had, or one at an end of its type; where the kernel reads
 * signed ones as such, it may be less than 0. */
static void add_number(struct filter_random *r, const struct tsh_field *field, const struct tsh_record *rec,
		       struct tsh_strbuf *out)
{
	static const int64_t edges[] = { 0, 1, -1, 127, 128, 255, 65535, INT32_MAX, INT64_MAX };
	struct tsh_field_value value;
	uint64_t n;

	tsh_decoder_value(r->decoder, field, rec, &value);
	n = filter_random_pick(r, 4) ? value.u + filter_random_pick(r, 3) - 1 : (uint64_t)edges[filter_random_pick(r, sizeof(edges) / sizeof(edges[0]))];
	if (!field->is_signed && (int64_t)n < 0 && field->size < 8)
		n &= (UINT64_C(1) << (8 * field->size)) - 1;
	if (field->is_signed)
		tsh_strbuf_addf(out, "%" PRId64, (int64_t)n);
	else
		tsh_strbuf_addf(out, filter_random_pick(r, 2) ? "%" PRIu64 : "0x%" PRIx64, n);
}

static const char *const glob_pieces[] = { "?", "[a-z]", "[!0-9]", "[^-~]" };

/* A string of the field, whole or with wildcards for parts of it. */
static void add_string(struct filter_random *r, const struct tsh_field *field, const struct tsh_record *rec,
		       bool is_glob, struct tsh_strbuf *out)
{
	struct tsh_field_value value;
	size_t i, cut;

	tsh_decoder_value(r->decoder, field, rec, &value);
	cut = value.len ? filter_random_pick(r, value.len + 1) : 0;
	tsh_strbuf_addc(out, '"');
	/* one * is looked for at the end of a char[16], not of its string: see src/query/kernel.c */
	if (is_glob && !filter_random_pick(r, 4))
		tsh_strbuf_adds(out, field->kind == TSH_FIELD_CHARS ? "**" : "*");
	for (i = 0; i < value.len; i++) {
		char c = value.bytes[i];

		if (is_glob && i >= cut && filter_random_pick(r, 2)) {
			tsh_strbuf_addc(out, '*');
			break;
		}
		if (is_glob && !filter_random_pick(r, 6))
			tsh_strbuf_adds(out, glob_pieces[filter_random_pick(r, 4)]);
		else
			tsh_strbuf_addc(out, !filter_random_pick(r, 30) ? 'x' : c == '"' || c < ' ' ? '?' : c);
	}
	tsh_strbuf_addc(out, '"');
}

static bool is_string(const struct tsh_field *field)
{
	return field->kind == TSH_FIELD_STRING || field->kind == TSH_FIELD_CHARS;
}

/* A `char *` is a string to the kernel, which it reads from where it points to. */
static bool is_number(const struct tsh_field *field)
{
	return field->kind == TSH_FIELD_INT ||
	       (field->kind == TSH_FIELD_POINTER && !strstr(field->type, "char"));
}

/* An event goes into one buffer after the other: an interrupt, or the parent of a task that
 * exits, may change this meanwhile. */
static bool may_change(const struct tsh_field *field)
{
	return !strcmp(field->name, "common_flags") || !strcmp(field->name, "common_preempt_count") ||
	       !strcmp(field->name, "prev_state");
}

static void add_comparison(struct filter_random *r, const struct filter_samples *event, struct tsh_strbuf *out)
{
	static const char *const numeric[] = { "==", "!=", "<", "<=", ">", ">=", "&" };
	static const char *const strings[] = { "==", "!=", "~" };
	const struct tsh_event_format *format = event->format;
	const struct tsh_record *rec = sample(r, event);
	const struct tsh_field *field;
	unsigned int op;

	if (!filter_random_pick(r, 12)) {
		tsh_strbuf_addf(out, "CPU %s %u", numeric[filter_random_pick(r, 6)], filter_random_pick(r, 3));
		return;
	}
	do {
		field = &format->fields[filter_random_pick(r, format->nfields)];
	} while (may_change(field) || (!is_string(field) && !is_number(field)));
	tsh_strbuf_addf(out, "%s ", field->name);
	op = filter_random_pick(r, is_string(field) ? 3 : 7);
	tsh_strbuf_addf(out, "%s ", is_string(field) ? strings[op] : numeric[op]);
	if (is_string(field))
		add_string(r, field, rec, op == 2, out);
	else
		add_number(r, field, rec, out);
}

static void add_junction(struct filter_random *r, const struct filter_samples *event, unsigned int depth, struct tsh_strbuf *out)
{
	unsigned int i, n = 2 + filter_random_pick(r, 2);

	for (i = 0; i < n; i++) {
		if (i)
			tsh_strbuf_adds(out, filter_random_pick(r, 2) ? " && " : " || ");
		add_expression(r, event, depth - 1, out);
	}
}

static void add_expression(struct filter_random *r, const struct filter_samples *event, unsigned int depth, struct tsh_strbuf *out)
{
	switch (depth ? filter_random_pick(r, 4) : 0) {
	case 0:
		add_comparison(r, event, out);
		break;
	case 1:
		add_junction(r, event, depth, out);
		break;
	default:
		tsh_strbuf_adds(out, filter_random_pick(r, 3) ? "(" : "!(");
		add_junction(r, event, depth, out);
		tsh_strbuf_addc(out, ')');
	}
}

void filter_random_expression(struct filter_random *r, const struct filter_samples *event,
			      unsigned int depth, struct tsh_strbuf *out)
{
	add_expression(r, event, depth, out);
}
