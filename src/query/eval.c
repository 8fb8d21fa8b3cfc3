/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "bound.h"

#include <stdlib.h>
#include <string.h>

bool query_wall(const struct query_run *run, int64_t *ret)
{
	return run->clock && tsh_clock_wall(run->clock, run->rec->cpu, run->rec->stamp, ret, NULL);
}

/* ---- loads ---- */

static uint64_t swapped(uint64_t value, unsigned int size)
{
	switch (size) {
	case 2:
		return __builtin_bswap16((uint16_t)value);
	case 4:
		return __builtin_bswap32((uint32_t)value);
	case 8:
		return __builtin_bswap64(value);
	default:
		return value;
	}
}

/* Reads an integer of the record. Returns false when the record ends before it. */
static inline bool load(const struct bound_load *at, const struct query_run *run, uint64_t *ret)
{
	const unsigned char *p = run->rec->data + at->offset;
	uint64_t value = 0;

	if (run->rec->size < at->size || at->offset > run->rec->size - at->size)
		return false;
	switch (at->size) {
	case 1:
		value = *p;
		break;
	case 2: {
		uint16_t v;

		memcpy(&v, p, sizeof(v));
		value = v;
		break;
	}
	case 4: {
		uint32_t v;

		memcpy(&v, p, sizeof(v));
		value = v;
		break;
	}
	default:
		memcpy(&value, p, sizeof(value));
	}
	if ((run->big_endian || at->is_network) != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__))
		value = swapped(value, at->size);
	if (at->is_signed && at->size < 8)
		value = (uint64_t)((int64_t)(value << (64 - 8 * at->size)) >> (64 - 8 * at->size));
	*ret = value;
	return true;
}

/* ---- numbers ---- */

struct query_type query_type_common(struct query_type a, struct query_type b)
{
	if (a.size != b.size)
		return a.size > b.size ? a : b;
	return (struct query_type){ a.size, a.is_signed && b.is_signed };
}

uint64_t query_type_wrap(struct query_type type, uint64_t value)
{
	if (type.size == 8)
		return value;
	return type.is_signed ? (uint64_t)(int64_t)(int32_t)value : (uint32_t)value;
}

/* Divides. Returns false for a division by zero. */
static bool divide(enum tsh_query_op op, struct query_type type, uint64_t a, uint64_t b,
		   uint64_t *ret)
{
	bool is_quotient = op == TSH_QUERY_DIV;

	if (!b)
		return false;
	if (!type.is_signed)
		*ret = is_quotient ? a / b : a % b;
	else if (b == UINT64_MAX)	/* -1: dividing the smallest number by it would trap */
		*ret = is_quotient ? 0 - a : 0;
	else
		*ret = (uint64_t)(is_quotient ? (int64_t)a / (int64_t)b : (int64_t)a % (int64_t)b);
	return true;
}

/* Shifts. A count of the type's width or more, which C leaves undefined, gives 0; or -1 for a
 * negative number that is shifted right. */
static uint64_t shift(enum tsh_query_op op, struct query_type type, uint64_t a, uint64_t b)
{
	bool all = b >= type.size * UINT64_C(8);

	if (op == TSH_QUERY_SHL)
		return all ? 0 : a << b;
	if (type.is_signed)
		return (uint64_t)((int64_t)a >> (all ? 63 : b));
	return all ? 0 : a >> b;
}

static bool calculate(const struct bound *b, struct query_run *run, uint64_t x, uint64_t y,
		      uint64_t *ret)
{
	uint64_t value = 0;

	switch (b->op) {
	case TSH_QUERY_ADD:
		value = x + y;
		break;
	case TSH_QUERY_SUB:
		value = x - y;
		break;
	case TSH_QUERY_MUL:
		value = x * y;
		break;
	case TSH_QUERY_BIT_AND:
		value = x & y;
		break;
	case TSH_QUERY_BIT_OR:
		value = x | y;
		break;
	case TSH_QUERY_BIT_XOR:
		value = x ^ y;
		break;
	case TSH_QUERY_SHL:
	case TSH_QUERY_SHR:
		value = shift(b->op, b->type, x, y);
		break;
	default:
		if (!divide(b->op, b->type, x, y, &value)) {
			run->divisions++;
			return false;
		}
	}
	*ret = query_type_wrap(b->type, value);
	return true;
}

static bool element(const struct bound *b, struct query_run *run, uint64_t *ret)
{
	struct tsh_field_value array, one;
	uint64_t i;

	if (!query_eval_number(b->arg[0], run, &i))
		return false;
	tsh_decoder_value(run->decoder, b->field, run->rec, &array);
	if (i > SIZE_MAX || !tsh_decoder_element(run->decoder, b->field, &array, (size_t)i, &one))
		return false;
	*ret = query_type_wrap(b->type, one.u);
	return true;
}

bool query_eval_number(const struct bound *b, struct query_run *run, uint64_t *ret)
{
	enum query_truth truth;
	uint64_t x, y;
	int tgid;

	switch (b->code) {
	case BOUND_NUMBER:
		*ret = b->number;
		return true;
	case BOUND_LOAD:
		return load(&b->load, run, ret);
	case BOUND_ELEMENT:
		return element(b, run, ret);
	case BOUND_CPU:
		*ret = (uint64_t)run->rec->cpu;
		return true;
	case BOUND_PID:
		*ret = (uint64_t)run->pid;
		return true;
	case BOUND_TGID:
		tgid = tsh_decoder_tgid(run->decoder, run->pid);
		*ret = (uint64_t)tgid;
		return tgid >= 0;
	case BOUND_TIME:
		*ret = 0;
		return query_wall(run, (int64_t *)ret);
	case BOUND_DELTA:
		*ret = run->delta;
		return run->has_delta;
	case BOUND_UNARY:
		if (!query_eval_number(b->arg[0], run, &x))
			return false;
		x = query_type_wrap(b->type, x);
		*ret = query_type_wrap(b->type, b->op == TSH_QUERY_NEG ? 0 - x : ~x);
		return true;
	case BOUND_BINARY:
		if (!query_eval_number(b->arg[0], run, &x) || !query_eval_number(b->arg[1], run, &y))
			return false;
		return calculate(b, run, query_type_wrap(b->type, x), query_type_wrap(b->type, y), ret);
	case BOUND_TRUTH:
		truth = query_eval(b->arg[0], run);
		*ret = truth == QUERY_YES;
		return truth != QUERY_UNKNOWN;
	default:
		return false;
	}
}

static inline bool compare(enum tsh_query_op op, bool is_signed, uint64_t x, uint64_t y)
{
	switch (op) {
	case TSH_QUERY_EQ:
		return x == y;
	case TSH_QUERY_NE:
		return x != y;
	case TSH_QUERY_LT:
		return is_signed ? (int64_t)x < (int64_t)y : x < y;
	case TSH_QUERY_LE:
		return is_signed ? (int64_t)x <= (int64_t)y : x <= y;
	case TSH_QUERY_GT:
		return is_signed ? (int64_t)x > (int64_t)y : x > y;
	case TSH_QUERY_BIT_AND:
		return (x & y) != 0;
	default:
		return is_signed ? (int64_t)x >= (int64_t)y : x >= y;
	}
}

static enum query_truth compare_numbers(const struct bound *b, struct query_run *run)
{
	uint64_t x, y;

	if (!query_eval_number(b->arg[0], run, &x) || !query_eval_number(b->arg[1], run, &y))
		return QUERY_UNKNOWN;
	return compare(b->op, b->type.is_signed, query_type_wrap(b->type, x),
		       query_type_wrap(b->type, y));
}

/* ---- strings ---- */

/* Makes the text that the event shows for a field. It is kept in the bound expression itself. */
static bool shown(const struct bound *b, struct query_run *run, const char **ret, size_t *ret_len)
{
	struct tsh_strbuf *text = (struct tsh_strbuf *)(uintptr_t)&b->shown_text;
	struct tsh_field_value value;

	tsh_decoder_value(run->decoder, b->field, run->rec, &value);
	tsh_strbuf_clear(text);
	tsh_field_text_add(b->shown, &value, text);
	*ret = text->len ? text->buf : "";
	*ret_len = text->len;
	return value.kind != TSH_VALUE_MISSING;
}

bool query_eval_text(const struct bound *b, struct query_run *run, const char **ret,
		     size_t *ret_len)
{
	struct tsh_field_value value;

	switch (b->code) {
	case BOUND_TEXT:
		*ret = b->text;
		*ret_len = strlen(b->text);
		return true;
	case BOUND_RAW:
		*ret = (const char *)run->rec->data + b->load.offset;
		*ret_len = b->number;
		return run->rec->size >= b->number && b->load.offset <= run->rec->size - b->number;
	case BOUND_COMM:
		*ret = tsh_decoder_comm(run->decoder, run->pid);
		*ret_len = strlen(*ret);
		return true;
	case BOUND_SHOWN:
		return shown(b, run, ret, ret_len);
	default:
		tsh_decoder_value(run->decoder, b->field, run->rec, &value);
		*ret = value.bytes;
		*ret_len = value.len;
		return value.kind == TSH_VALUE_STRING || value.kind == TSH_VALUE_ARRAY;
	}
}

/* Says whether the text is the name of a task that is not known, so that the comparison is
 * unknown too. */
static bool is_nameless(const struct bound *b, const char *text)
{
	return b->code == BOUND_COMM && !strcmp(text, TSH_COMM_UNKNOWN);
}

static enum query_truth equal_texts(const struct bound *b, struct query_run *run)
{
	const char *x, *y;
	size_t x_len, y_len;

	if (!query_eval_text(b->arg[0], run, &x, &x_len) || !query_eval_text(b->arg[1], run, &y, &y_len))
		return QUERY_UNKNOWN;
	if (x_len == y_len && !memcmp(x, y, x_len))
		return QUERY_YES;
	return is_nameless(b->arg[0], x) || is_nameless(b->arg[1], y) ? QUERY_UNKNOWN : QUERY_NO;
}

/* Says whether a byte is in the class behind '['; *class moves behind its ']'. Sets *class to
 * NULL when it is no class: then the '[' stands for itself (lib/glob.c). */
static bool in_class(unsigned char c, const char **class)
{
	const char *p = *class;
	bool negated = *p == '!', found = false;

	p += negated;
	do {
		unsigned char low = (unsigned char)*p++, high = low;

		if (!low) {
			*class = NULL;
			return false;
		}
		if (p[0] == '-' && p[1] != ']' && p[1]) {
			high = (unsigned char)p[1];
			p += 2;
		}
		found |= low <= c && c <= high;
	} while (*p != ']');
	*class = p + 1;
	return found != negated;
}

/* Matches one byte of the text with the next element of the pattern, which moves behind it. */
static bool matches_one(const char **pattern, char c)
{
	const char *p = *pattern, *class;
	bool matches;

	if (!*p)
		return false;
	*pattern = p + 1;
	if (*p == '?')
		return true;
	if (*p == '[') {
		class = p + 1;
		matches = in_class((unsigned char)c, &class);
		if (class) {
			*pattern = class;
			return matches;
		}
	}
	if (*p == '\\' && p[1]) {
		*pattern = p + 2;
		return p[1] == c;
	}
	return *p == c;
}

/* Matches globs as lib/glob.c does, on bytes; what follows the last `*` is tried at each place. */
static bool glob_matches(const char *pattern, const char *text, const char *end)
{
	const char *star = NULL, *from = text;

	for (;;) {
		if (*pattern == '*') {
			star = ++pattern;
			from = text;
			if (!*star)
				return true;
		} else if (text == end) {
			return !*pattern;
		} else if (matches_one(&pattern, *text)) {
			text++;
		} else if (star) {
			pattern = star;
			text = ++from;
		} else {
			return false;
		}
	}
}

static bool matches_glob(const char *pattern, const char *text, size_t len, bool as_kernel)
{
	bool negated = *pattern == '!', matches;

	pattern += negated;
	len = strnlen(text, len);
	/* compares the bytes: the kernel matches no glob that begins with a digit (MATCH_INDEX) */
	if (as_kernel && *pattern >= '0' && *pattern <= '9')
		matches = strlen(pattern) == len && !memcmp(pattern, text, len);
	else
		matches = glob_matches(pattern, text, text + len);
	return matches != negated;
}

bool query_kernel_match(const char *pattern, const char *text, size_t len)
{
	return matches_glob(pattern, text, len, true);
}

static enum query_truth match_text(const struct bound *b, struct query_run *run)
{
	const char *text;
	size_t len;

	if (!query_eval_text(b->arg[0], run, &text, &len) || is_nameless(b->arg[0], text))
		return QUERY_UNKNOWN;
	if (b->code == BOUND_GLOB)
		/* matches texts that the kernel's filter does not have (shown texts, names of
		 * events and systems) as plain globs */
		return matches_glob(b->text, text, len, b->arg[0]->code != BOUND_SHOWN && b->arg[0]->code != BOUND_TEXT);
	return query_regex_matches(b->regex, text, strnlen(text, len)) !=
	       (b->op == TSH_QUERY_NO_MATCH);
}

/* ---- addresses ---- */

/* Finds the address in a struct sockaddr, whose first two bytes are its family (the kernel's
 * numbers are the same on every architecture). Returns false for another family. */
static bool in_sockaddr(bool wants_v6, bool big_endian, const char **bytes)
{
	unsigned int low = (unsigned char)(*bytes)[big_endian], high = (unsigned char)(*bytes)[!big_endian];

	if (high || low != (wants_v6 ? 10 : 2))
		return false;
	*bytes += wants_v6 ? 8 : 4;
	return true;
}

static enum query_truth in_network(const struct bound *b, struct query_run *run)
{
	const struct tsh_query_address *net = &b->address;
	unsigned int whole = net->bits / 8, rest = net->bits % 8;
	bool is_sockaddr;
	const char *bytes;
	size_t len;

	if (!query_eval_text(b->arg[0], run, &bytes, &len))
		return QUERY_UNKNOWN;
	is_sockaddr = len == 28 || (len == 16 && !net->is_v6);
	if (!is_sockaddr && len != (net->is_v6 ? 16 : 4))
		return len == 4 || len == 16 ? QUERY_NO : QUERY_UNKNOWN;
	if (is_sockaddr && !in_sockaddr(net->is_v6, run->big_endian, &bytes))
		return QUERY_NO;
	if (memcmp(bytes, net->bytes, whole) != 0)
		return QUERY_NO;
	return !rest || !(((unsigned char)bytes[whole] ^ net->bytes[whole]) >> (8 - rest));
}

/* ---- CPUs ---- */

static bool has_cpu(const struct tsh_cpuset *set, uint64_t cpu)
{
	return cpu < TSH_CPU_MAX && tsh_cpuset_has(set, (unsigned int)cpu);
}

static enum query_truth in_cpus(const struct bound *b, struct query_run *run)
{
	uint64_t cpu;

	return query_eval_number(b->arg[0], run, &cpu) ? has_cpu(b->cpus, cpu) : QUERY_UNKNOWN;
}

/* Compares one CPU after the other, because the mask's longs are those of the kernel that wrote
 * it. */
static enum query_truth compare_cpumask(const struct bound *b, struct query_run *run)
{
	unsigned int word_bits, word_size = b->type.size;
	size_t equal = 0, common = 0, all = 0;
	struct tsh_field_value mask;
	size_t bit, byte;

	tsh_decoder_value(run->decoder, b->field, run->rec, &mask);
	if (mask.kind != TSH_VALUE_ARRAY)
		return QUERY_UNKNOWN;
	word_bits = word_size * 8;
	for (bit = 0; bit < mask.len * 8 && bit < TSH_CPU_MAX; bit++) {
		byte = bit % word_bits / 8;
		if (run->big_endian)
			byte = word_size - 1 - byte;
		byte += bit / word_bits * word_size;
		if (byte >= mask.len || !((unsigned char)mask.bytes[byte] >> bit % 8 & 1))
			continue;
		all++;
		common += has_cpu(b->cpus, bit);
	}
	equal = common == all && common == tsh_cpuset_count(b->cpus);
	return b->op == TSH_QUERY_BIT_AND ? common > 0 : (b->op == TSH_QUERY_EQ) == equal;
}

/* ---- truths ---- */

static enum query_truth all_or_any(const struct bound *b, struct query_run *run)
{
	enum query_truth decides = b->code == BOUND_AND ? QUERY_NO : QUERY_YES;
	enum query_truth truth = b->code == BOUND_AND ? QUERY_YES : QUERY_NO, one;
	size_t i;

	for (i = 0; i < b->nargs; i++) {
		one = query_eval(b->arg[i], run);
		if (one == decides)
			return one;
		if (one == QUERY_UNKNOWN)
			truth = one;
	}
	return truth;
}

enum query_truth query_eval(const struct bound *b, struct query_run *run)
{
	enum query_truth truth;
	uint64_t x;

	switch (b->code) {
	case BOUND_CONST:
		return b->truth;
	case BOUND_FIELD:
		return load(&b->load, run, &x) ? compare(b->op, b->load.is_signed, x, b->number) :
						 QUERY_UNKNOWN;
	case BOUND_AND:
	case BOUND_OR:
		return all_or_any(b, run);
	case BOUND_NOT:
		truth = query_eval(b->arg[0], run);
		return truth == QUERY_UNKNOWN ? truth : !truth;
	case BOUND_NONZERO:
		return query_eval_number(b->arg[0], run, &x) ? x != 0 : QUERY_UNKNOWN;
	case BOUND_COMPARE:
		return compare_numbers(b, run);
	case BOUND_EQUAL_TEXT:
		return equal_texts(b, run);
	case BOUND_GLOB:
	case BOUND_MATCH:
		return match_text(b, run);
	case BOUND_IN_NETWORK:
		return in_network(b, run);
	case BOUND_IN_CPUS:
		return in_cpus(b, run);
	case BOUND_CPUMASK:
		return compare_cpumask(b, run);
	default:
		return b->truth;
	}
}
