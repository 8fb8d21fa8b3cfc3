/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <string.h>

#include "base/json.h"
#include "base/utf8.h"
#include "print.h"

/* Prints lines as JSON, as they came but for the host and the marks. */

/* Returns a string or key without escapes, valid until the next call. */
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

static void add_key(struct tsh_json *js, const struct tsh_strbuf *text)
{
	tsh_json_keyn(js, text->buf, text->len);
}

/* Copies a value, with all that is in it. */
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
			add_key(js, unescape(p, &rd->value));
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

/* Says whether a key is not copied: merge writes it itself, or it was ignored for its escapes. A
 * program that reads the output would accept such a key, and one in C can end it at a NUL. */
static bool is_left_out(const struct tsh_json_text *key, const char *text)
{
	return !strcmp(text, "host") || !strcmp(text, "late") || !strcmp(text, "unordered") ||
	       (!key->is_plain && tsh_host_line_has_member(text, strlen(text)));
}

/* Copies a line member by member, where keys must be left out or bytes escaped. */
static void copy_members(struct tsh_merge_printer *p, const struct tsh_host_line *line,
			 struct tsh_json *js)
{
	const struct tsh_strbuf *name;
	struct tsh_json_reader rd;

	tsh_json_read(&rd, line->text, line->len);
	(void)tsh_json_next(&rd);
	while (tsh_json_next(&rd) == TSH_JSON_KEY) {
		struct tsh_json_text key = rd.value;
		enum tsh_json_token token = tsh_json_next(&rd);

		name = unescape(p, &key);
		if (is_left_out(&key, name->buf)) {
			(void)tsh_json_skip(&rd, token);
			continue;
		}
		add_key(js, name);
		copy_value(p, &rd, token, js);
	}
}

void tsh_merge_json(struct tsh_merge_printer *p, const struct tsh_host_line *line,
		    const struct tsh_host *host)
{
	struct tsh_strbuf *out = &p->out->data;
	struct tsh_json js;

	tsh_json_init(&js, out);
	tsh_json_object(&js);
	tsh_json_kstr(&js, "host", host->name);
	if (!tsh_is_clean(line->text, line->len) || line->text[1] != '"' || line->is_rewritten) {
		copy_members(p, line, &js);
	} else {
		tsh_strbuf_addc(out, ',');
		tsh_strbuf_add(out, line->text + 1, line->len - 2);
	}
	if (line->late)
		tsh_json_kbool(&js, "late", true);
	if (line->unordered)
		tsh_json_kbool(&js, "unordered", true);
	tsh_json_line_end(&js);
}
