/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "record-json.h"

#include <stdlib.h>
#include <string.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "base/json.h"
#include "base/load.h"
#include "base/utf8.h"
#include "base/vec.h"
#include "base/xmalloc.h"
#include "decoder.h"
#include "events/symbols/digits.h"

#define MAX_EXACT (UINT64_C(1) << 53)	/* tsh_json_u64 quotes what is above */

/* Says how a value is written. All but OTHER are for records in the machine's byte order. */
enum step_kind {
	STEP_U8, STEP_U16, STEP_U32, STEP_U64,
	STEP_S8, STEP_S16, STEP_S32, STEP_S64,
	STEP_POINTER_4, STEP_POINTER_8,
	STEP_COMM,			/* char[16], as all names of tasks are */
	STEP_CHARS,			/* char[N] */
	STEP_STRING,			/* __data_loc char[] */
	STEP_OTHER,
	STEP_END,			/* no value: the end of the line */
};

/* Holds a text, and the value that follows it. */
struct step {
	const struct tsh_field *field;
	const char *text;
	uint32_t text_len;
	uint32_t offset, size;		/* place of the value */
	unsigned char kind;
	/* The text begins with what closes the value before it, a quote, and ends with what opens
	 * its own, a quote or "0x behind one: so many bytes. */
	unsigned char closes, opens;
};

struct record_json {
	TSH_VEC(struct step) steps;
	struct tsh_strbuf text;		/* the text of all steps; BLOCK bytes more than is used */
	uint32_t name_len;		/* "event":"SYSTEM:NAME", that the first text begins with */
	uint32_t least;			/* size of a record with all fields of a fixed place */
	size_t room;			/* enough for a line without dynamic strings and escapes */
};

/* Is the size of a step of a copy, which may copy so many bytes too many. */
#define BLOCK 16
/* Is the room for a number or a pointer. */
#define NUMBER_ROOM DIGITS_ROOM

/* ---- the steps of a format ---- */

static enum step_kind kind_of(const struct tsh_field *field)
{
	unsigned int log2 = (unsigned int)__builtin_ctz(field->size | 8);

	switch (field->kind) {
	case TSH_FIELD_INT:
		if (field->is_network)
			return STEP_OTHER;
		return (field->is_signed ? STEP_S8 : STEP_U8) + log2;
	case TSH_FIELD_POINTER:
		return field->size == 4 ? STEP_POINTER_4 : STEP_POINTER_8;
	case TSH_FIELD_CHARS:
		if (!field->size)
			return STEP_OTHER;
		return field->size == BLOCK ? STEP_COMM : STEP_CHARS;
	case TSH_FIELD_STRING:
		return STEP_STRING;
	default:
		return STEP_OTHER;
	}
}

/* Returns what opens a value of this kind, behind its key. */
static const char *opening(enum step_kind kind)
{
	switch (kind) {
	case STEP_POINTER_4:
	case STEP_POINTER_8:
		return "\"0x";
	case STEP_COMM:
	case STEP_CHARS:
	case STEP_STRING:
		return "\"";
	default:
		return "";
	}
}

/* Begins the text of a step with what closes the value before, and a comma unless it is the first
 * one. Returns the step. */
static struct step *begin_step(struct record_json *json, enum step_kind kind, bool has_comma)
{
	size_t n = json->steps.n;
	struct step *step = tsh_vec_push(&json->steps);

	*step = (struct step){ .kind = (unsigned char)kind };
	step->closes = n && json->steps.v[n - 1].opens;
	tsh_strbuf_adds(&json->text, step->closes ? "\"" : "");
	tsh_strbuf_adds(&json->text, has_comma ? "," : "");
	return step;
}

static void add_step(struct record_json *json, const struct tsh_field *field)
{
	enum step_kind kind = kind_of(field);
	bool is_first = !json->steps.n;
	size_t begin = is_first ? 0 : json->text.len, end;
	struct step *step = begin_step(json, kind, !is_first);

	step->field = field;
	step->offset = field->offset;
	step->size = field->size;
	tsh_strbuf_addc(&json->text, '"');
	tsh_json_add_text(&json->text, field->name, strlen(field->name));
	tsh_strbuf_adds(&json->text, "\":");
	tsh_strbuf_adds(&json->text, opening(kind));
	step->opens = (unsigned char)strlen(opening(kind));
	step->text_len = (uint32_t)(json->text.len - begin);
	json->room += NUMBER_ROOM + field->size;
	end = (size_t)field->offset + (kind == STEP_STRING ? 4 : field->size);
	if (kind != STEP_OTHER && end > json->least)
		json->least = (uint32_t)end;
}

struct record_json *record_json_new(const struct tsh_event_format *format)
{
	struct record_json *json = tsh_xcalloc(1, sizeof(*json));
	size_t i, at = 0;
	struct step *last;
	bool has_fields;

	tsh_strbuf_init(&json->text);
	tsh_strbuf_adds(&json->text, "\"event\":\"");
	tsh_json_add_text(&json->text, format->full_name, format->full_len);
	tsh_strbuf_adds(&json->text, "\",");
	json->name_len = (uint32_t)json->text.len;
	tsh_strbuf_adds(&json->text, "\"fields\":{");
	for (i = 0; i < format->nfields; i++)
		if (!format->fields[i].is_common)
			add_step(json, &format->fields[i]);
	has_fields = json->steps.n;
	at = has_fields ? json->text.len : 0;
	last = begin_step(json, STEP_END, false);
	tsh_strbuf_adds(&json->text, "}}\n");
	last->text_len = (uint32_t)(json->text.len - at);
	json->room += json->text.len + BLOCK;
	tsh_strbuf_addn(&json->text, '\0', BLOCK);
	for (i = 0, at = 0; i < json->steps.n; at += json->steps.v[i++].text_len)
		json->steps.v[i].text = json->text.buf + at;
	return json;
}

void record_json_free(struct record_json *json)
{
	if (!json)
		return;
	tsh_vec_release(&json->steps);
	tsh_strbuf_release(&json->text);
	free(json);
}

/* ---- any record ---- */

static void add_number(bool is_negative, uint64_t magnitude, struct tsh_strbuf *out)
{
	const char *quote = magnitude > MAX_EXACT ? "\"" : "";

	tsh_strbuf_adds(out, quote);
	tsh_strbuf_adds(out, is_negative ? "-" : "");
	tsh_strbuf_addu(out, magnitude);
	tsh_strbuf_adds(out, quote);
}

static void add_scalar(const struct tsh_decoder *d, const struct tsh_field_value *value,
		       struct tsh_strbuf *out)
{
	switch (value->kind) {
	case TSH_VALUE_SIGNED:
		add_number(value->s < 0, value->s < 0 ? -value->u : value->u, out);
		break;
	case TSH_VALUE_UNSIGNED:
		add_number(false, value->u, out);
		break;
	case TSH_VALUE_POINTER:
		tsh_strbuf_addc(out, '"');
		tsh_decoder_pointer(d, value->u, out);
		tsh_strbuf_addc(out, '"');
		break;
	case TSH_VALUE_STRING:
		tsh_strbuf_addc(out, '"');
		tsh_json_add_text(out, value->bytes, value->len);
		tsh_strbuf_addc(out, '"');
		break;
	case TSH_VALUE_ARRAY:
	case TSH_VALUE_MISSING:
		tsh_strbuf_adds(out, "null");
		break;
	}
}

/* Appends the value of any field. */
static void add_value(const struct tsh_decoder *d, const struct tsh_field *field,
		      const struct tsh_record *rec, struct tsh_strbuf *out)
{
	struct tsh_field_value value, element;
	size_t i;

	tsh_decoder_value(d, field, rec, &value);
	if (value.kind != TSH_VALUE_ARRAY) {
		add_scalar(d, &value, out);
		return;
	}
	tsh_strbuf_addc(out, '[');
	for (i = 0; tsh_decoder_element(d, field, &value, i, &element); i++) {
		tsh_strbuf_adds(out, i ? "," : "");
		add_scalar(d, &element, out);
	}
	tsh_strbuf_addc(out, ']');
}

/* Appends the values one by one: of a record that is too short, or in the other byte order, or with
 * pointers to be hidden. */
static void __attribute__((noinline))
add_each(const struct tsh_decoder *d, const struct record_json *json, const struct tsh_record *rec,
	 uint32_t skip, struct tsh_strbuf *out)
{
	const struct step *step = json->steps.v;

	for (;; step++, skip = 0) {
		tsh_strbuf_add(out, step->text + skip + step->closes,
			       step->text_len - skip - step->closes - step->opens);
		if (step->kind == STEP_END)
			return;
		add_value(d, step->field, rec, out);
	}
}

/* ---- the usual record ---- */

/* Copies a text by blocks, and returns its end. */
static inline char *write_text(char *p, const char *text, size_t len)
{
	memcpy(p, text, BLOCK);
	if (len > BLOCK) {
		memcpy(p + BLOCK, text + BLOCK, BLOCK);
		if (len > 2 * BLOCK)
			memcpy(p + 2 * BLOCK, text + 2 * BLOCK, len - 2 * BLOCK);
	}
	return p + len;
}

static inline char *write_unsigned(char *p, uint64_t value)
{
	if (value <= MAX_EXACT)
		return digits_write_unsigned(p, value);
	*p = '"';
	p = digits_write_unsigned(p + 1, value);
	*p = '"';
	return p + 1;
}

static inline char *write_signed(char *p, int64_t value)
{
	uint64_t magnitude = value < 0 ? -(uint64_t)value : (uint64_t)value;

	if ((uint64_t)value < DIGITS_SMALL)
		return digits_write_small(p, (uint64_t)value);
	if (magnitude <= MAX_EXACT)
		return digits_write_signed(p, value);
	*p = '"';
	p = digits_write_signed(p + 1, value);
	*p = '"';
	return p + 1;
}

/* Writes a string of up to `size` bytes, of which none must be escaped. Returns NULL otherwise. */
static inline char *write_plain(char *p, const char *bytes, size_t size)
{
	size_t len = strnlen(bytes, size);

	if (tsh_plain_run(bytes, len, '"', '\\') < len)
		return NULL;
	memcpy(p, bytes, len);
	return p + len;
}

/* Writes a string of up to BLOCK bytes as write_plain does. */
static inline char *write_comm(char *p, const char *bytes)
{
#ifdef __SSE2__
	__m128i text = _mm_loadu_si128((const __m128i *)(const void *)bytes);
	unsigned int ends = (unsigned int)_mm_movemask_epi8(_mm_cmpeq_epi8(text, _mm_setzero_si128())) | 1U << BLOCK;
	/* as signed bytes, control characters and bytes that are no ASCII are below a blank */
	__m128i odd = _mm_or_si128(_mm_or_si128(_mm_cmplt_epi8(text, _mm_set1_epi8(' ')),
						_mm_cmpeq_epi8(text, _mm_set1_epi8(0x7f))),
				   _mm_or_si128(_mm_cmpeq_epi8(text, _mm_set1_epi8('"')),
						_mm_cmpeq_epi8(text, _mm_set1_epi8('\\'))));

	_mm_storeu_si128((__m128i *)(void *)p, text);
	/* checks the bytes before the first NUL */
	if ((unsigned int)_mm_movemask_epi8(odd) & (ends - 1) & ~ends)
		return NULL;
	return p + __builtin_ctz(ends);
#else
	return write_plain(p, bytes, BLOCK);
#endif
}

/* Ends the text in `out` at p, and appends the value of a step the general way, without the quotes
 * that its text has. Returns the new end, with room for all other steps. */
static char *__attribute__((noinline))
write_other(const struct tsh_decoder *d, const struct record_json *json, const struct step *step,
	    const struct tsh_record *rec, struct tsh_strbuf *out, char *p)
{
	struct tsh_field_value value;

	out->len = (size_t)(p - out->buf);
	if (step->kind == STEP_OTHER) {
		add_value(d, step->field, rec, out);
	} else {
		tsh_decoder_value(d, step->field, rec, &value);
		tsh_json_add_text(out, value.bytes, value.len);
	}
	tsh_strbuf_grow(out, json->room);
	return out->buf + out->len;
}

/* Writes a dynamic string. Returns the new end; NULL when its place is not in the record. */
static char *write_string(const struct tsh_decoder *d, const struct record_json *json, const struct step *step,
			  const struct tsh_record *rec, struct tsh_strbuf *out, char *p)
{
	uint32_t word = load_u32(rec->data + step->offset, TSH_HOST_BIG_ENDIAN);
	uint32_t offset = (word & 0xffff) + (step->field->is_relative ? step->offset + 4 : 0);
	uint32_t len = word >> 16;
	char *end;

	if (offset > rec->size || len > rec->size - offset)
		return NULL;
	out->len = (size_t)(p - out->buf);
	tsh_strbuf_grow(out, json->room + len);
	p = out->buf + out->len;
	end = write_plain(p, (const char *)rec->data + offset, len);
	return end ? end : write_other(d, json, step, rec, out, p);
}

/* Appends the text and the value of each step. Returns false when a value is not in the record. */
static bool add_steps(const struct tsh_decoder *d, const struct record_json *json,
		      const struct tsh_record *rec, uint32_t skip, struct tsh_strbuf *out)
{
	const struct step *step = json->steps.v;
	const unsigned char *at;
	char *p, *end;

	tsh_strbuf_grow(out, json->room);
	p = out->buf + out->len;
	for (;; step++, skip = 0) {
		p = write_text(p, step->text + skip, step->text_len - skip);
		at = rec->data + step->offset;
		switch ((enum step_kind)step->kind) {
		case STEP_U8:
			p = digits_write_small(p, *at);
			break;
		case STEP_U16:
			p = write_unsigned(p, load_u16(at, TSH_HOST_BIG_ENDIAN));
			break;
		case STEP_U32:
			p = write_unsigned(p, load_u32(at, TSH_HOST_BIG_ENDIAN));
			break;
		case STEP_U64:
			p = write_unsigned(p, load_u64(at, TSH_HOST_BIG_ENDIAN));
			break;
		case STEP_S8:
			p = write_signed(p, (signed char)*at);
			break;
		case STEP_S16:
			p = write_signed(p, (int16_t)load_u16(at, TSH_HOST_BIG_ENDIAN));
			break;
		case STEP_S32:
			p = write_signed(p, (int32_t)load_u32(at, TSH_HOST_BIG_ENDIAN));
			break;
		case STEP_S64:
			p = write_signed(p, (int64_t)load_u64(at, TSH_HOST_BIG_ENDIAN));
			break;
		case STEP_POINTER_4:
			p = digits_write_hex(p, load_u32(at, TSH_HOST_BIG_ENDIAN));
			break;
		case STEP_POINTER_8:
			p = digits_write_hex(p, load_u64(at, TSH_HOST_BIG_ENDIAN));
			break;
		case STEP_COMM:
			end = write_comm(p, (const char *)at);
			p = end ? end : write_other(d, json, step, rec, out, p);
			break;
		case STEP_CHARS:
			end = write_plain(p, (const char *)at, step->size);
			p = end ? end : write_other(d, json, step, rec, out, p);
			break;
		case STEP_STRING:
			p = write_string(d, json, step, rec, out, p);
			if (!p)
				return false;
			break;
		case STEP_OTHER:
			p = write_other(d, json, step, rec, out, p);
			break;
		case STEP_END:
			*p = '\0';
			out->len = (size_t)(p - out->buf);
			return true;
		}
	}
}

void record_json_add(const struct tsh_decoder *d, const struct record_json *json,
		     const struct tsh_record *rec, bool with_name, struct tsh_strbuf *out)
{
	uint32_t skip = with_name ? 0 : json->name_len;
	size_t begin = out->len;

	if (rec->size >= json->least && d->layout.big_endian == TSH_HOST_BIG_ENDIAN && !d->env.pointer.hidden) {
		if (add_steps(d, json, rec, skip, out))
			return;
		tsh_strbuf_truncate(out, begin);
	}
	add_each(d, json, rec, skip, out);
}
