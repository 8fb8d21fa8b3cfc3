/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <string.h>

#include "merge-print.h"
#include "tracesh/json.h"
#include "tracesh/utf8.h"

/* merge: lines as JSON, as they came but for the host and the marks. */

/* A string or key that was read. */
static const struct tsh_strbuf *unescape(struct tsh_merge_printer *p,
					 const struct tsh_json_text *text)
{
	tsh_strbuf_clear(&p->raw);
	tsh_json_unescape(text, &p->raw);
	return &p->raw;
}

static void add_string(struct tsh_json *js, const struct tsh_strbuf *text)
{
	tsh_json_string(js, text->buf, text->len);
}

/* One value, what is below it too. */
static void copy_value(struct tsh_merge_printer *p, struct tsh_json_reader *rd,
		       enum tsh_json_token token, struct tsh_json *js)
{
	unsigned int outside = token == TSH_JSON_OBJECT || token == TSH_JSON_ARRAY ?
				       rd->depth - 1 : rd->depth;

	for (;; token = tsh_json_next(rd)) {
		if (token == TSH_JSON_OBJECT)
			tsh_json_object(js);
		else if (token == TSH_JSON_ARRAY)
			tsh_json_array(js);
		else if (token == TSH_JSON_OBJECT_END)
			tsh_json_object_end(js);
		else if (token == TSH_JSON_ARRAY_END)
			tsh_json_array_end(js);
		else if (token == TSH_JSON_KEY)
			tsh_json_key(js, unescape(p, &rd->value)->buf);
		else if (token == TSH_JSON_STRING)
			add_string(js, unescape(p, &rd->value));
		else if (token == TSH_JSON_NUMBER)
			tsh_json_raw(js, rd->value.text, rd->value.len);
		else if (token == TSH_JSON_NULL)
			tsh_json_null(js);
		else
			tsh_json_bool(js, token == TSH_JSON_TRUE);
		if (rd->depth == outside && token != TSH_JSON_KEY)
			return;
	}
}

/* What merge says itself. */
static bool is_own(const struct tsh_json_text *key)
{
	return tsh_json_is(key, "host") || tsh_json_is(key, "late") ||
	       tsh_json_is(key, "unordered");
}

/* Member by member: it holds bytes that a terminal should not get, or a host already. */
static void copy_members(struct tsh_merge_printer *p, const struct tsh_host_line *line,
			 struct tsh_json *js)
{
	struct tsh_json_reader rd;

	tsh_json_read(&rd, line->text, line->len);
	(void)tsh_json_next(&rd);
	while (tsh_json_next(&rd) == TSH_JSON_KEY) {
		struct tsh_json_text key = rd.value;
		enum tsh_json_token token = tsh_json_next(&rd);

		if (is_own(&key)) {
			(void)tsh_json_skip(&rd, token);
			continue;
		}
		tsh_json_key(js, unescape(p, &key)->buf);
		copy_value(p, &rd, token, js);
	}
}

static bool has_own(const struct tsh_host_line *line)
{
	return line->host.text || memmem(line->text, line->len, "\"late\"", 6) ||
	       memmem(line->text, line->len, "\"unordered\"", 11);
}

void tsh_merge_json(struct tsh_merge_printer *p, const struct tsh_host_line *line,
		    const struct tsh_host *host)
{
	struct tsh_strbuf *out = &p->out->data;
	struct tsh_json js;

	tsh_json_init(&js, out);
	tsh_json_object(&js);
	tsh_json_kstr(&js, "host", host->name);
	if (!tsh_is_clean(line->text, line->len) || line->text[1] != '"' || has_own(line)) {
		copy_members(p, line, &js);
	} else {
		tsh_strbuf_addc(out, ',');
		tsh_strbuf_add(out, line->text + 1, line->len - 2);
	}
	if (line->late)
		tsh_json_kbool(&js, "late", true);
	if (line->unordered)
		tsh_json_kbool(&js, "unordered", true);
	tsh_json_object_end(&js);
	tsh_strbuf_addc(out, '\n');
}
