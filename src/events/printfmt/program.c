/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdlib.h>

#include "base/utf8.h"
#include "events/symbols/digits.h"
#include "events/symbols/symbols.h"
#include "program-internal.h"

#define TEXT_MAX 65536	/* limit for the text of an event */

/*
 * The functions below append to a text whose memory was made before: `o` points to the place of the
 * next byte, and each returns that place behind what it has written. Nothing checks for room there:
 * program.room bytes are free, as much as all numbers, names and literals of the program can take
 * (see make_room). A string of the record, which has no such limit, calls make_room before.
 */

static char *copy(char *o, const char *text, size_t len)
{
	memcpy(o, text, LITERAL_MAX);
	if (__builtin_expect(len > LITERAL_MAX, 0))
		memcpy(o + LITERAL_MAX, text + LITERAL_MAX, len - LITERAL_MAX);
	return o + len;
}

static char *copy_text(const struct program *p, char *o, uint32_t text)
{
	return copy(o, p->pool + p->texts[text].at, p->texts[text].len);
}

#ifdef __SSE2__
/* Copies a char[16], which holds the name of a task; always all 16 bytes. A NUL is the first byte
 * that is not printable, unless the name has another one: as a signed byte, a control character and
 * a byte that is no ASCII are below a blank. */
static inline char *write_chars_16(struct run *run, char *o, const unsigned char *chars)
{
	__m128i all = _mm_loadu_si128((const __m128i *)(const void *)chars);
	__m128i odd = _mm_or_si128(_mm_cmplt_epi8(all, _mm_set1_epi8(' ')), _mm_cmpeq_epi8(all, _mm_set1_epi8(0x7f)));
	unsigned int zeros = (unsigned int)_mm_movemask_epi8(_mm_cmpeq_epi8(all, _mm_setzero_si128())) | 1 << 16;

	_mm_storeu_si128((__m128i *)(void *)o, all);
	run->is_dirty |= ((unsigned int)_mm_movemask_epi8(odd) & (zeros - 1) & ~zeros) != 0;
	return o + __builtin_ctz(zeros);
}
#else
static char *write_chars_16(struct run *run, char *o, const unsigned char *chars)
{
	size_t len = strnlen((const char *)chars, 16);

	memcpy(o, chars, 16);
	run->is_dirty |= !tsh_is_clean(o, len);
	return o + len;
}
#endif

static char *write_chars(struct run *run, char *o, const unsigned char *chars, size_t size)
{
	size_t len = strnlen((const char *)chars, size);

	memcpy(o, chars, len);
	run->is_dirty |= !tsh_is_clean(o, len);
	return o + len;
}

/* Says whether eight bytes are printable ASCII. Says no when a byte behind a control character is
 * one. */
static inline bool is_plain_word(uint64_t word)
{
	const uint64_t ones = UINT64_C(0x0101010101010101);

	return !((word | (word - ' ' * ones) | (word + ones)) & 0x80 * ones);
}

/* Prints a value for which a table has no name. */
static char *write_unnamed(char *o, const struct table *table, uint64_t value)
{
	*o++ = '0';
	*o++ = 'x';
	o = digits_write_hex(o, value);
	if (table->is_incomplete)
		*o++ = '?';
	return o;
}

static uint32_t table_find(const struct table *table, uint64_t value)
{
	uint32_t i, mask = table->nslots - 1;

	if (table->is_dense)
		return value - table->base < table->nslots ?
			table->slot[value - table->base] : 0;
	for (i = table_hash(value) & mask; table->slot[i]; i = (i + 1) & mask)
		if (table->value[table->slot[i] - 1] == value)
			return table->slot[i];
	return 0;
}

/* Prints as trace_print_symbols_seq (kernel/trace/trace_output.c): an empty name counts as none. */
static char *write_symbolic(const struct program *p, char *o, uint32_t index, uint64_t value)
{
	const struct table *table = &p->tables[index];
	uint32_t i = table_find(table, value);

	if (!i && table->otherwise.len)
		return copy(o, p->pool + table->otherwise.at, table->otherwise.len);
	if (!i || !table->name[i - 1].len)
		return write_unnamed(o, table, value);
	return copy(o, p->pool + table->name[i - 1].at, table->name[i - 1].len);
}

/* Prints as trace_print_flags_seq (kernel/trace/trace_output.c). */
static char *write_flags(const struct program *p, char *o, uint32_t index, uint64_t flags)
{
	const struct table *table = &p->tables[index];
	bool is_first = true;
	uint32_t i;

	for (i = 0; i < table->n && flags; i++) {
		if ((flags & table->value[i]) != table->value[i])
			continue;
		flags &= ~table->value[i];
		if (!is_first)
			o = copy(o, p->pool + table->delimiter.at, table->delimiter.len);
		is_first = false;
		o = copy(o, p->pool + table->name[i].at, table->name[i].len);
	}
	if (!flags)
		return o;
	if (!is_first)
		o = copy(o, p->pool + table->delimiter.at, table->delimiter.len);
	return write_unnamed(o, table, flags);
}

/* Makes room for `more` bytes, and for all bounded text, behind out->len. The kernel's texts end at
 * 8 KB. When a hostile format makes a text above TEXT_MAX, drops it and marks the run as bad. */
static char *make_room(struct run *run, size_t more)
{
	struct tsh_strbuf *out = run->out;

	if (out->len - run->begin > TEXT_MAX) {
		run->is_bad = true;
		out->len = run->mark = run->begin;
	}
	tsh_strbuf_grow(out, more + run->p->room);
	return out->buf + out->len;
}

static char *__attribute__((noinline)) write_any_string(struct run *run, char *o, uint32_t place)
{
	const unsigned char *text;
	size_t len;

	if (!program_place(run, place, &text, &len))
		return o;
	len = strnlen((const char *)text, len);
	run->out->len = (size_t)(o - run->out->buf);
	o = make_room(run, len);
	memcpy(o, text, len);
	run->is_dirty |= !tsh_is_clean(o, len);
	return o + len;
}

/* Writes a string. Copies one of 4 to 16 plain characters and a NUL, such as the name of a task, as
 * two words that may overlap. */
static inline char *write_string(struct run *run, char *o, uint32_t index)
{
	const struct place *place = &run->p->places[index];
	uint32_t word, begin, len, half;
	const unsigned char *text;
	uint64_t first, last;

	if (place->kind != PLACE_DYNAMIC || place->skip != NO_SOURCE)
		return write_any_string(run, o, index);
	word = load_u32(run->data + place->offset, run->p->env->layout.big_endian);
	begin = word & 0xffff;
	len = (word >> 16) - 1;
	/* the length has the NUL */
	if (len - 4 > STRING_SHORT - 4 || begin > run->size || len >= run->size - begin)
		return write_any_string(run, o, index);
	text = run->data + begin;
	if (len >= 8) {
		memcpy(&first, text, 8);
		memcpy(&last, text + len - 8, 8);
		memcpy(o, &first, 8);
		memcpy(o + len - 8, &last, 8);
	} else {
		memcpy(&half, text, 4);
		memcpy(o, &half, 4);
		first = half | UINT64_C(0x2020202000000000);
		memcpy(&half, text + len - 4, 4);
		memcpy(o + len - 4, &half, 4);
		last = half | UINT64_C(0x2020202000000000);
	}
	if (text[len] || !is_plain_word(first) || !is_plain_word(last))
		return write_any_string(run, o, index);
	return o + len;
}

static inline char *write_value(char *o, uint64_t value)
{
	o[0] = '0';
	o[1] = 'x';
	return digits_write_hex(value >= 10 ? o + 2 : o, value);
}

static char *write_rare(struct run *run, char *o, const struct op *op)
{
	run->out->len = (size_t)(o - run->out->buf);
	*o = '\0';
	program_print(run, op);
	return make_room(run, 0);
}

/* Prints %03d for numbers that are neither negative nor large. */
static char *write_dec_wide(struct run *run, char *o, const struct op *op)
{
	uint64_t v = run_source(run, op->a);

	return v < DIGITS_E8 ? digits_write_wide(o, (uint32_t)v, op->c) : write_rare(run, o, op);
}

static char *write_pointer(struct run *run, char *o, const struct op *op)
{
	uint64_t v;

	if (__builtin_expect(run->p->env->pointer.hidden != NULL, 0))
		return write_rare(run, o, op);
	v = run_source(run, op->a);
	return digits_write_hex_wide(o, op->c == 8 ? (uint32_t)v : v, op->c);
}

static char *write_symbol(struct run *run, char *o, const struct op *op)
{
	const struct pointer_env *env = &run->p->env->pointer;
	const char *text;
	size_t len;

	if (__builtin_expect(!env->symbols || env->hidden, 0))
		return write_rare(run, o, op);
	text = tsh_symbols_text(env->symbols, (enum tsh_symbol_style)op->c,
				run_source(run, op->a), &len);
	run->out->len = (size_t)(o - run->out->buf);
	o = make_room(run, len);
	memcpy(o, text, len);
	return o + len;
}

static char *run_ops(struct run *run, char *o)
{
	const struct program *p = run->p;
	const unsigned char *data = run->data;
	const bool big = TSH_HOST_BIG_ENDIAN;
	const struct op *op;

	for (op = p->ops; ; op++) {
		memcpy(o, op->literal, LITERAL_MAX);
		o += op->literal_len;
		switch ((enum op_code)op->code) {
		case OP_END: return o;
		case OP_LITERAL: break;
		case OP_TEXT: o = copy_text(p, o, op->a); break;
		case OP_FIELD_DEC_S4:
			o = digits_write_signed(o, load_signed(data + op->a, 4, big));
			break;
		case OP_FIELD_DEC_U4:
			o = digits_write_unsigned(o, load_u32(data + op->a, big));
			break;
		case OP_FIELD_DEC_U8:
			o = digits_write_unsigned(o, load_u64(data + op->a, big));
			break;
		case OP_FIELD_HEX_U4: o = digits_write_hex(o, load_u32(data + op->a, big)); break;
		case OP_FIELD_HEX_U8: o = digits_write_hex(o, load_u64(data + op->a, big)); break;
		case OP_FIELD_VALUE_U4: o = write_value(o, load_u32(data + op->a, big)); break;
		case OP_FIELD_VALUE_U8: o = write_value(o, load_u64(data + op->a, big)); break;
		case OP_FIELD_CHARS_16: o = write_chars_16(run, o, data + op->a); break;
		case OP_FIELD_CHARS: o = write_chars(run, o, data + op->a, op->b); break;
		case OP_SIGNED: o = digits_write_signed(o, (int64_t)run_source(run, op->a)); break;
		case OP_UNSIGNED: o = digits_write_unsigned(o, run_source(run, op->a)); break;
		case OP_HEX: o = digits_write_hex(o, run_source(run, op->a)); break;
		case OP_HEX_WIDE: o = digits_write_hex_wide(o, run_source(run, op->a), op->b); break;
		case OP_DEC_WIDE: o = write_dec_wide(run, o, op); break;
		case OP_CHAR: *o++ = (char)run_source(run, op->a); break;
		case OP_CHOICE: o = copy_text(p, o, run_source(run, op->a) ? op->b : op->c); break;
		case OP_INDEXED:
			o = copy_text(p, o, op->b + (uint32_t)run_source(run, op->a));
			break;
		case OP_POINTER: o = write_pointer(run, o, op); break;
		case OP_SYMBOL: o = write_symbol(run, o, op); break;
		case OP_SYMBOLIC: o = write_symbolic(p, o, op->b, run_source(run, op->a)); break;
		case OP_FLAGS: o = write_flags(p, o, op->b, run_source(run, op->a)); break;
		case OP_BRANCH:
			if (!run_source(run, op->a))
				op = p->ops + op->b - 1;
			break;
		case OP_JUMP: op = p->ops + op->b - 1; break;
		case OP_STRING: o = write_string(run, o, op->a); break;
		default: o = write_rare(run, o, op);
		}
	}
}

enum program_text program_run(const struct program *p, const struct tsh_record *rec, struct tsh_strbuf *out)
{
	size_t begin = out->len;
	struct run run = { .p = p, .data = rec->data, .size = rec->size, .out = out,
			   .begin = begin };
	char *o;

	if (rec->size < p->need)
		return PROGRAM_NOTHING;
	tsh_strbuf_grow(out, p->room);
	o = run_ops(&run, out->buf + begin);
	out->len = run.is_bad ? begin : (size_t)(o - out->buf);
	out->buf[out->len] = '\0';
	if (run.is_bad)
		return PROGRAM_NOTHING;
	return p->is_checked && !run.is_dirty ? PROGRAM_CLEAN : PROGRAM_TEXT;
}

void program_table_release(struct table *table)
{
	free(table->value);
	free(table->name);
	free(table->slot);
}

void program_free(struct program *p)
{
	size_t i;

	if (!p)
		return;
	for (i = 0; i < p->ntables; i++)
		program_table_release(&p->tables[i]);
	free(p->ops);
	free(p->code);
	free(p->sources);
	free(p->places);
	free(p->conversions);
	free(p->texts);
	free(p->tables);
	free(p->dumps);
	free(p->pool);
	free(p);
}

bool program_is_clean(const struct program *p)
{
	return p->is_clean;
}

bool program_is_repeatable(const struct program *p)
{
	return p->is_repeatable;
}
