/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "internal.h"

#include <string.h>

/* Writes keys and ranges as JSON. */

static void json_number(struct tsh_json *js, struct tsh_tally_number n)
{
	if (n.is_negative)
		tsh_json_s64(js, (int64_t)n.bits);
	else
		tsh_json_u64(js, n.bits);
}

void by_json_range(struct tsh_json *js, struct tsh_tally_number low, struct tsh_tally_number high)
{
	tsh_json_array(js);
	json_number(js, low);
	json_number(js, high);
	tsh_json_array_end(js);
}

/* Writes a stack as an array of its functions. */
static void json_frames(struct tsh_json *js, const char *frames)
{
	const char *frame;
	size_t len;

	tsh_json_array(js);
	while ((frame = by_next_frame(&frames, &len)))
		tsh_json_string(js, frame, len);
	tsh_json_array_end(js);
}

void by_json_part(const struct tsh_by *by, const struct by_item *key, const struct tsh_tally *texts,
		  struct tsh_tally_part part, struct tsh_json *js)
{
	bool is_signed = part.kind == TSH_TALLY_SIGNED;
	struct tsh_strbuf text = TSH_STRBUF_INIT;
	struct tsh_tally_number low, high;

	tsh_json_key(js, by_key_column(key));
	if (by_is_bucket(key)) {
		by_range(key, part, &low, &high);
		by_json_range(js, low, high);
	} else if (key->modifier == BY_STACK) {
		by_add_stack(by, part.number, &text);
		json_frames(js, text.buf);
	} else {
		by_add_part(by, key, texts, part, &text);
		/* a text that is the number itself is written as a number */
		if (part.kind != TSH_TALLY_TEXT && key->modifier == BY_PLAIN && !key->is_pointer &&
		    tsh_text_is_number(text.buf, part.number, is_signed))
			json_number(js, (struct tsh_tally_number){ part.number, is_signed && (int64_t)part.number < 0 });
		else
			tsh_json_string(js, text.buf, text.len);
	}
	tsh_strbuf_release(&text);
}

void by_json_keys(const struct tsh_by *by, struct tsh_json *js, size_t row, size_t n)
{
	size_t i;

	if (row == TSH_TALLY_OTHER) {
		tsh_json_null(js);
		return;
	}
	tsh_json_object(js);
	for (i = 0; i < n; i++)
		by_json_part(by, &by->spec.keys[i], by->tally, tsh_tally_part(by->tally, row, i), js);
	tsh_json_object_end(js);
}

void by_json_round(const struct tsh_by *by, uint64_t ns)
{
	struct tsh_json js;

	tsh_json_line(&js, &by->out->data, "round");
	tsh_json_key(&js, "seconds");
	tsh_json_seconds(&js, ns);
	tsh_json_line_end(&js);
}
