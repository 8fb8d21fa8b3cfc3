/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "field-text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/load.h"
#include "base/number.h"
#include "base/xmalloc.h"
#include "decoder.h"
#include "events/symbols/digits.h"
#include "value-names.h"

/* Sets the length of a sample string, long enough for a directive such as "%.16s" to cut it. */
#define SAMPLE_SIZE 256

struct tsh_field_text {
	struct tsh_decoder *decoder;
	const struct tsh_field *field;
	struct program *program;	/* NULL: the format does not print the field separately */
	/* without a program: names that the format has for values */
	struct tsh_value_names names;
	bool is_result, is_argument;
	/* "0x" or "0", without which digits would be misread; or NULL */
	const char *prefix;
	bool is_bare_pointer;		/* the format prints it as "%p" */
};

/* Says whether a field is the result of a system call, which the kernel prints as a hexadecimal
 * number. */
static bool is_result(const struct tsh_event_format *format, const struct tsh_field *field)
{
	return field->kind == TSH_FIELD_INT && !strcmp(field->name, "ret") &&
	       !strncmp(format->name, "sys_exit", strlen("sys_exit"));
}

/* Says whether a field is an argument of a system call. */
static bool is_argument(const struct tsh_event_format *format, const struct tsh_field *field)
{
	return field->kind == TSH_FIELD_INT && !strcmp(format->system, "syscalls") &&
	       !strncmp(format->name, "sys_enter_", strlen("sys_enter_"));
}

static bool run_program(const struct tsh_field_text *text, const struct tsh_field_value *value,
			struct tsh_strbuf *out);

static uint64_t swapped(const struct tsh_field_text *text, uint64_t number)
{
	return __builtin_bswap64(number) >> (64 - 8 * text->field->size);
}

/* Says whether the program prints the sample as plain text. A number may have zeros before it, as
 * with "%03d". A big-endian number may be printed in the machine's byte order. */
static bool is_bare(const struct tsh_field_text *text, const struct tsh_field_value *sample)
{
	struct tsh_strbuf out = TSH_STRBUF_INIT;
	bool is = run_program(text, sample, &out) && out.len;
	uint64_t number;
	char *end;

	if (is && sample->bytes)
		is = !strcmp(out.buf, sample->bytes);
	else if (is && text->is_argument)
		is = !strncmp(out.buf, "0x", 2) && (number = strtoull(out.buf, &end, 16), !*end) && number == sample->u;
	else if (is)
		is = (number = strtoull(out.buf, &end, 10), !*end) &&
		     (number == sample->u || (text->field->is_network && number == swapped(text, sample->u)));
	tsh_strbuf_release(&out);
	return is;
}

/* Says whether the program is just "%s" for a string, or "%d" for a number, as most are. */
static bool adds_nothing(const struct tsh_field_text *text)
{
	static const int64_t samples[] = { 0, 100, -1 };
	char bytes[SAMPLE_SIZE] = "a b";
	struct tsh_field_value sample = { .kind = TSH_VALUE_STRING, .bytes = bytes };
	const struct tsh_field *field = text->field;
	unsigned int unused = 64 - 8 * field->size;
	size_t i;

	if (field->kind == TSH_FIELD_CHARS || field->kind == TSH_FIELD_STRING) {
		/* The sample fills the field, so that "%.16s" cuts it. */
		sample.len = sizeof(bytes) - 1;
		if (field->kind == TSH_FIELD_CHARS && field->size > 1 && field->size < sizeof(bytes))
			sample.len = field->size - 1;
		for (i = 3; i < sample.len; i++)
			bytes[i] = 'c';
		bytes[sample.len] = '\0';
		return is_bare(text, &sample);
	}
	if (field->kind != TSH_FIELD_INT || !field->size || field->size > 8)
		return false;
	for (i = 0; i < sizeof(samples) / sizeof(samples[0]); i++) {
		sample = (struct tsh_field_value){ .u = (uint64_t)samples[i] };
		if (!field->is_signed)
			sample.u = sample.u << unused >> unused;
		if (!is_bare(text, &sample))
			return false;
	}
	return true;
}

/* Says whether the program prints a number as digits of this base only; *ret_len is how many. */
static bool is_in_base(const struct tsh_field_text *text, uint64_t number, int base, size_t *ret_len)
{
	struct tsh_field_value sample = { .u = number };
	struct tsh_strbuf out = TSH_STRBUF_INIT;
	bool is = run_program(text, &sample, &out) && out.len && strspn(out.buf, "0123456789abcdefABCDEF") == out.len;
	uint64_t value = is ? strtoull(out.buf, NULL, base) : 0;

	*ret_len = out.len;
	tsh_strbuf_release(&out);
	return is && (value == number || (text->field->is_network && value == swapped(text, number)));
}

/* Finds the prefix that the digits need: "0x", "0", or none. Tests "%p" with 0 only: with hidden
 * addresses any other address would get a number. */
static void find_prefix(struct tsh_field_text *text)
{
	const struct tsh_field *field = text->field;
	size_t len;

	if ((field->kind != TSH_FIELD_INT && field->kind != TSH_FIELD_POINTER) || !field->size || field->size > 8 ||
	    !is_in_base(text, 0, 16, &len))
		return;
	text->is_bare_pointer = len == 2 * (size_t)text->decoder->layout.long_size;
	if (text->is_bare_pointer)
		return;
	if (is_in_base(text, 10, 16, &len) && is_in_base(text, 100, 16, &len))
		text->prefix = "0x";
	else if (is_in_base(text, 10, 8, &len) && is_in_base(text, 100, 8, &len))
		text->prefix = "0";
}

struct tsh_field_text *tsh_field_text_new(struct tsh_decoder *d,
					  const struct tsh_event_format *format,
					  const struct tsh_field *field)
{
	struct tsh_field_text *text = tsh_xcalloc(1, sizeof(*text));

	text->decoder = d;
	text->field = field;
	text->is_result = is_result(format, field);
	text->is_argument = is_argument(format, field);
	text->program = text->is_result ? NULL : program_compile_field(&d->env, format, field);
	if (text->program && adds_nothing(text)) {
		program_free(text->program);
		text->program = NULL;
	} else {
		text->is_argument = false;
		if (text->program)
			find_prefix(text);
	}
	if (!text->program && field->kind == TSH_FIELD_INT)
		tsh_value_names_of(d, format, field, &text->names);
	return text;
}

void tsh_field_text_free(struct tsh_field_text *text)
{
	if (!text)
		return;
	program_free(text->program);
	tsh_value_names_release(&text->names);
	free(text);
}

bool tsh_field_text_is_own(const struct tsh_field_text *text)
{
	return text->program || text->names.n || text->is_result || text->is_argument;
}

bool tsh_field_text_is_same(const struct tsh_field_text *a, const struct tsh_field_text *b)
{
	return a == b || (a->is_result && b->is_result) || (a->is_argument && b->is_argument);
}

/* ---- by the print format ---- */

static void add_number(uint64_t number, uint32_t size, bool big_endian, struct tsh_strbuf *to)
{
	uint32_t i;

	for (i = 0; i < size; i++)
		tsh_strbuf_addc(to, (char)(number >> 8 * (big_endian ? size - 1 - i : i)));
}

/* Appends a record with the value at its place, and zeros elsewhere. */
static void add_record(const struct tsh_field_text *text, const struct tsh_field_value *value,
		       struct tsh_strbuf *to)
{
	const struct tsh_field *field = text->field;
	bool big_endian = text->decoder->layout.big_endian;
	uint32_t where = field->is_relative ? 0 : field->offset + 4;

	tsh_strbuf_addn(to, '\0', field->offset);
	switch (field->kind) {
	case TSH_FIELD_STRING:
	case TSH_FIELD_DYNAMIC:
		/* adds the NUL of a string */
		add_number((uint64_t)(value->len + (field->kind == TSH_FIELD_STRING)) << 16 | where, 4,
			   big_endian, to);
		tsh_strbuf_add(to, value->bytes, value->len);
		tsh_strbuf_addc(to, '\0');
		return;
	case TSH_FIELD_CHARS:
	case TSH_FIELD_ARRAY:
		tsh_strbuf_add(to, value->bytes, value->len);
		if (value->len < field->size)
			tsh_strbuf_addn(to, '\0', field->size - value->len);
		/* ends a string whose length the record does not have */
		tsh_strbuf_addc(to, '\0');
		return;
	default:
		add_number(value->u, field->size, big_endian || field->is_network, to);
	}
}

/* Replaces the digits of a bare pointer by "0x.." with all digits, or by the function that it
 * points into. */
static void mend_pointer(const struct tsh_field_text *text, uint64_t number, size_t begin,
			 struct tsh_strbuf *out)
{
	struct tsh_decoder *d = text->decoder;
	uint64_t address, size;
	char bare[24];

	snprintf(bare, sizeof(bare), "%0*" PRIx64, (int)(2 * d->layout.long_size), number);
	if (strcmp(out->buf + begin, bare) != 0)
		return;
	tsh_strbuf_truncate(out, begin);
	if (tsh_decoder_code_range(d, number, &address, &size))
		tsh_decoder_symbol_offset(d, number, out);
	else
		tsh_strbuf_addf(out, "0x%s", bare);
}

/* Runs the program on the value. Returns false when the program reads other fields too. */
static bool run_program(const struct tsh_field_text *text, const struct tsh_field_value *value,
			struct tsh_strbuf *out)
{
	struct tsh_strbuf bytes = TSH_STRBUF_INIT;
	struct tsh_record rec = { 0 };
	size_t begin = out->len;
	bool done;

	if (text->field->kind == TSH_FIELD_ARRAY && value->len < text->field->size)
		return false;

	add_record(text, value, &bytes);
	rec.data = (const unsigned char *)bytes.buf;
	rec.size = (uint32_t)bytes.len;
	if (text->prefix)
		tsh_strbuf_adds(out, text->prefix);
	done = program_run(text->program, &rec, out) != PROGRAM_NOTHING;
	if (!done)
		tsh_strbuf_truncate(out, begin);
	tsh_strbuf_release(&bytes);
	if (done && text->is_bare_pointer)
		mend_pointer(text, value->u, begin, out);
	return done;
}

/* ---- without the print format ---- */

bool tsh_text_is_number(const char *text, uint64_t number, bool is_signed)
{
	bool is_hex = text[0] == '0' && text[1] == 'x' && text[2];
	bool is_int = is_signed && (int64_t)number < 0 && (int64_t)number >= INT32_MIN;
	char *end, digits[DIGITS_ROOM + 1];
	uint64_t value;

	if (!is_hex) {
		end = is_signed ? digits_write_signed(digits, (int64_t)number) : digits_write_unsigned(digits, number);
		*end = '\0';
		return !strcmp(text, digits);
	}
	value = strtoull(text, &end, 16);
	return !*end && (value == number || (is_int && value == (uint32_t)number));
}

/* Appends a result: "3", "-ENOENT", or an address in hex, of the field's width. */
static void add_result(int64_t n, uint32_t size, struct tsh_strbuf *out)
{
	const char *name = n < 0 && n > -4096 ? tsh_error_name((unsigned int)-n) : NULL;

	if (name)
		tsh_strbuf_addf(out, "-%s", name);
	else if (n > INT32_MAX || n < -4095)
		tsh_strbuf_addf(out, "0x%" PRIx64, size == 4 ? (uint64_t)(uint32_t)n : (uint64_t)n);
	else
		tsh_strbuf_adds(out, n < 0 ? "-" : ""), tsh_strbuf_addu(out, n < 0 ? -(uint64_t)n : (uint64_t)n);
}

/*
 * Appends an argument as the kernel does since 6.18 (kernel/trace/trace_syscalls.c,
 * print_syscall_enter). The print format says 0x%08lx, which no kernel prints; older kernels
 * printed 100 as 64.
 */
static void add_argument(uint64_t number, struct tsh_strbuf *out)
{
	tsh_strbuf_addf(out, number < 10 ? "%" PRIx64 : "0x%" PRIx64, number);
}

/* Appends names as the kernel does (kernel/trace/trace_output.c, trace_print_flags_seq): "S",
 * "A|B", then bits without a name. Returns false when no name fits the number. */
static bool add_named(const struct tsh_value_names *names, uint64_t number, struct tsh_strbuf *to)
{
	uint64_t rest = number;
	bool any = false;
	size_t i;

	for (i = 0; i < names->n; i++)
		if (names->v[i].value == number) {
			tsh_strbuf_adds(to, names->v[i].name);
			return true;
		}
	for (i = 0; i < names->n; i++) {
		uint64_t flag = names->v[i].is_flag ? names->v[i].value : 0;

		if (!flag || (rest & flag) != flag)
			continue;
		tsh_strbuf_addf(to, "%s%s", any ? "|" : "", names->v[i].name);
		rest &= ~flag;
		any = true;
	}
	if (any && rest)
		tsh_strbuf_addf(to, "|0x%" PRIx64, rest);
	return any;
}

void tsh_field_text_add(const struct tsh_field_text *text, const struct tsh_field_value *value,
			struct tsh_strbuf *out)
{
	bool is_pointer = text->field->kind == TSH_FIELD_POINTER;
	bool is_number = text->field->kind == TSH_FIELD_INT || is_pointer;

	if (value->kind == TSH_VALUE_MISSING)
		return;
	if (text->is_result && is_number)
		add_result((int64_t)value->u, text->field->size, out);
	else if (text->is_argument)
		add_argument(value->u, out);
	else if (!(text->program && run_program(text, value, out)) &&
		 !(is_number && add_named(&text->names, value->u, out))) {
		if (is_pointer)
			tsh_decoder_pointer(text->decoder, value->u, out);
		else
			tsh_decoder_add_value(text->decoder, text->field, value, out);
	}
}
