/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "internal.h"

#include <string.h>

/* Rows as JSON. */

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

/* A stack as an array of its functions. */
static void json_frames(struct tsh_json *js, const char *frames)
{
	const char *end;

	tsh_json_array(js);
	for (; *frames; frames = end) {
		end = strstr(frames, BY_FRAME_BETWEEN);
		end = end ? end : frames + strlen(frames);
		tsh_json_string(js, frames, (size_t)(end - frames));
		end += *end ? strlen(BY_FRAME_BETWEEN) : 0;
	}
	tsh_json_array_end(js);
}

void by_json_part(const struct tsh_by *by, const struct by_item *key, const struct tsh_tally *texts,
		  struct tsh_tally_part part, struct tsh_json *js)
{
	bool is_signed = part.kind == TSH_TALLY_SIGNED;
	struct tsh_strbuf text = TSH_STRBUF_INIT;
	struct tsh_tally_number low, high;

	tsh_json_key(js, key->title);
	if (by_is_bucket(key)) {
		by_range(key, part, &low, &high);
		by_json_range(js, low, high);
	} else if (key->modifier == BY_STACK) {
		by_add_stack(by, part.number, &text);
		json_frames(js, text.buf ? text.buf : "");
	} else {
		by_add_part(by, key, texts, part, &text);
		/* what stands for a number may be it */
		if (part.kind != TSH_TALLY_TEXT && key->modifier == BY_PLAIN && !key->is_pointer &&
		    tsh_text_is_number(text.buf, part.number, is_signed))
			json_number(js, (struct tsh_tally_number){ part.number, is_signed && (int64_t)part.number < 0 });
		else
			tsh_json_string(js, text.buf, text.len);
	}
	tsh_strbuf_release(&text);
}

void by_json_key(const struct tsh_by *by, struct tsh_json *js, size_t row, size_t i)
{
	by_json_part(by, &by->keys[i], by->tally, tsh_tally_part(by->tally, row, i), js);
}

void by_json_keys(const struct tsh_by *by, struct tsh_json *js, size_t row)
{
	size_t i;

	if (row == TSH_TALLY_OTHER) {
		tsh_json_null(js);
		return;
	}
	tsh_json_object(js);
	for (i = 0; i < by->nkeys; i++)
		by_json_key(by, js, row, i);
	tsh_json_object_end(js);
}

void by_json_round(const struct tsh_by *by, uint64_t ns)
{
	struct tsh_json js;

	tsh_json_init(&js, &by->out->data);
	tsh_json_object(&js);
	tsh_json_kstr(&js, "type", "round");
	tsh_json_key(&js, "seconds");
	tsh_json_seconds(&js, ns);
	tsh_json_object_end(&js);
	tsh_strbuf_addc(&by->out->data, '\n');
}
