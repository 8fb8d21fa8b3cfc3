/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "internal.h"

#include <inttypes.h>

#include "engine/pipeline/fields.h"

/* Makes the texts of keys, values and rates. */

#define NS_PER_S 1000000000

const char *const by_value_names[BY_VALUES] = { "sum", "avg", "min", "max" };

bool by_is_bucket(const struct by_item *key)
{
	return key->modifier == BY_LOG2 || key->modifier == BY_LINEAR;
}

void by_range(const struct by_item *key, struct tsh_tally_part part,
	      struct tsh_tally_number *ret_low, struct tsh_tally_number *ret_high)
{
	if (key->modifier == BY_LOG2)
		tsh_tally_log2_range((int)(int64_t)part.number, ret_low, ret_high);
	else
		tsh_tally_linear_range(part, key->width, ret_low, ret_high);
}

void by_add_number(struct tsh_tally_number n, struct tsh_strbuf *to)
{
	if (n.is_negative)
		tsh_strbuf_addf(to, "%" PRId64, (int64_t)n.bits);
	else
		tsh_strbuf_addu(to, n.bits);
}

void by_add_range(const struct by_item *key, struct tsh_tally_part part, struct tsh_strbuf *to)
{
	struct tsh_tally_number low, high;

	by_range(key, part, &low, &high);
	if (key->modifier == BY_LOG2 && low.is_negative) {
		tsh_strbuf_adds(to, "below 0");
		return;
	}
	by_add_number(low, to);
	tsh_strbuf_adds(to, " -> ");
	by_add_number(high, to);
}

static void add_event(const struct tsh_by *by, unsigned int id, struct tsh_strbuf *to)
{
	const struct tsh_event_format *format = tsh_decoder_format(by->decoder, id);

	if (format)
		tsh_strbuf_addf(to, "%s:%s", format->system, format->name);
	else
		tsh_strbuf_addf(to, "unknown:%u", id);
}

bool by_is_number(const struct by_item *key)
{
	return key->modifier == BY_PLAIN && !key->has_text && !key->is_pointer && !key->hz &&
	       !(key->text && tsh_field_text_is_own(key->text));
}

static void add_plain(const struct tsh_by *by, const struct by_item *key, struct tsh_tally_part part,
		      struct tsh_strbuf *to)
{
	bool is_signed = part.kind == TSH_TALLY_SIGNED;
	struct tsh_field_value value = by_number_value(part.number, is_signed);
	size_t begin = to->len;

	if (key->hz) {
		tsh_ticks_add(key->hz, by->layout->long_size, key->jiffies, part.number, to);
		return;
	}
	if (key->text)
		tsh_field_text_add(key->text, &value, to);
	/* a number that has a name in one event may have none in another */
	if (key->text && (key->is_compared || !tsh_field_text_is_own(key->text) ||
			  (to->len > begin && tsh_text_is_number(to->buf + begin, part.number, is_signed))))
		return;
	tsh_strbuf_truncate(to, begin);
	by_add_number((struct tsh_tally_number){ part.number, is_signed && value.s < 0 }, to);
}

/* Says whether a part is a negative number of a 32-bit machine. */
static bool is_negative_word(const struct tsh_by *by, struct tsh_tally_part part)
{
	int64_t n = (int64_t)part.number;

	return by->layout->long_size == 4 && part.kind == TSH_TALLY_SIGNED && n < 0 && n >= INT32_MIN;
}

void by_add_part(const struct tsh_by *by, const struct by_item *key, const struct tsh_tally *texts,
		 struct tsh_tally_part part, struct tsh_strbuf *to)
{
	const char *text;
	size_t len;

	if (part.kind == TSH_TALLY_TEXT) {
		text = tsh_tally_text_of(texts, part.number, &len);
		tsh_strbuf_add(to, text, len);
	} else if (key->modifier == BY_EVENT) {
		add_event(by, (unsigned int)part.number, to);
	} else if (key->modifier == BY_STACK) {
		by_add_stack(by, part.number, to);
	} else if (by_is_bucket(key)) {
		by_add_range(key, part, to);
	} else if (key->modifier == BY_SYM) {
		tsh_decoder_symbol_name(by->decoder, part.number, to);
	} else if (key->modifier == BY_SYM_OFFSET) {
		tsh_decoder_symbol_offset(by->decoder, part.number, to);
	} else if (key->modifier == BY_SYSCALL) {
		by_add_syscall(by, part.number, to);
	} else if (key->modifier == BY_HEX) {
		/* the kernel's histograms print as many bits as a word of the machine has */
		tsh_strbuf_addf(to, "0x%" PRIx64, is_negative_word(by, part) ? (uint64_t)(uint32_t)part.number : part.number);
	} else {
		add_plain(by, key, part, to);
	}
}

void by_add_key(const struct tsh_by *by, size_t row, size_t i, struct tsh_strbuf *to)
{
	by_add_part(by, &by->spec.keys[i], by->tally, tsh_tally_part(by->tally, row, i), to);
}

bool by_value_number(const struct tsh_by *by, size_t row, size_t value, struct tsh_tally_number *ret)
{
	const struct tsh_tally_sum *sum = tsh_tally_sum(by->tally, row, value);
	double average;

	*ret = (struct tsh_tally_number){ 0, false };
	if (!sum->n)
		return false;
	if (by->spec.kinds[value] == 0) {
		tsh_tally_total(sum, ret);
	} else if (by->spec.kinds[value] == 1) {
		average = tsh_tally_average(sum);
		ret->bits = average > 0 ? (uint64_t)average : 0;
	} else {
		*ret = by->spec.kinds[value] == 2 ? sum->min : sum->max;
	}
	return true;
}

void by_add_value(const struct tsh_by *by, size_t row, size_t value, struct tsh_strbuf *to)
{
	const struct tsh_tally_sum *sum = tsh_tally_sum(by->tally, row, value);
	char room[TSH_TALLY_TOTAL_LEN];
	struct tsh_tally_number n;

	if (!by_value_number(by, row, value, &n))
		return;
	if (by->spec.kinds[value] > 1)
		by_add_number(n, to);
	else
		tsh_strbuf_adds(to, by->spec.kinds[value] ? tsh_tally_average_text(sum, room) :
							    tsh_tally_total_text(sum, room));
}

double by_rate(const struct tsh_by *by, size_t row, uint64_t ns)
{
	uint64_t n = tsh_tally_count(by->tally, row), counted;
	double rate;

	if (row < by->minutes.n)
		n -= by->minutes.v[row].before;
	n -= by_window_before(by, row);
	rate = ns ? (double)n * NS_PER_S / (double)ns : BY_NO_RATE;
	if (by->is_live || by->recorded_ns || !ns)
		return rate;
	/* the time from the first event to the last is that of all events but one */
	counted = by->counted - by->window.counted;
	return counted > 1 ? rate - rate / (double)counted : BY_NO_RATE;
}

/* Prints a rate below 10 with a digit behind the point. */
void by_add_rate(struct tsh_strbuf *to, double rate, const char *unknown)
{
	uint64_t tenths = rate < 0 ? 0 : rate < 1.8e18 ? (uint64_t)(rate * 10 + 0.5) : UINT64_MAX;

	if (rate < 0)
		tsh_strbuf_adds(to, unknown);
	else if (tenths < 100)
		tsh_strbuf_addf(to, "%u.%u", (unsigned int)tenths / 10, (unsigned int)tenths % 10);
	else
		tsh_strbuf_addf(to, "%" PRIu64, rate < 1.8e18 ? (uint64_t)(rate + 0.5) : UINT64_MAX);
}

size_t *by_order(const struct tsh_by *by, size_t *ret_n)
{
	static const enum tsh_tally_by orders[BY_VALUES] = { TSH_TALLY_BY_SUM, TSH_TALLY_BY_AVG,
							     TSH_TALLY_BY_MIN, TSH_TALLY_BY_MAX };

	return tsh_tally_order(by->tally, by->spec.nvalues ? orders[by->spec.kinds[0]] : TSH_TALLY_BY_COUNT,
			       0, ret_n);
}
