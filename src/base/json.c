/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "json.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "strbuf.h"
#include "utf8.h"

#define MAX_DEPTH 32
#define MAX_EXACT (UINT64_C(1) << 53)	/* doubles are exact up to here */

void tsh_json_init(struct tsh_json *js, struct tsh_strbuf *out)
{
	*js = (struct tsh_json){ .out = out };
}

/* Returns the bit of the current level in has_member and is_object. */
static uint32_t level(const struct tsh_json *js)
{
	return UINT32_C(1) << (js->depth - 1);
}

/* Says whether the writer is in an object. Only assertions call this. */
static bool __attribute__((unused)) in_object(const struct tsh_json *js)
{
	return js->depth && (js->is_object & level(js));
}

static void comma(struct tsh_json *js)
{
	if (!js->depth)
		return;
	if (js->has_member & level(js))
		tsh_strbuf_addc(js->out, ',');
	js->has_member |= level(js);
}

/* Writes the comma before an element of an array, unless it is the first one. */
static void begin_value(struct tsh_json *js)
{
	assert(in_object(js) == js->after_key);
	if (!js->after_key)
		comma(js);
	js->after_key = false;
}

static void open_level(struct tsh_json *js, char bracket, bool is_object)
{
	begin_value(js);
	assert(js->depth < MAX_DEPTH);
	js->depth++;
	js->has_member &= ~level(js);
	if (is_object)
		js->is_object |= level(js);
	else
		js->is_object &= ~level(js);
	tsh_strbuf_addc(js->out, bracket);
}

static void close_level(struct tsh_json *js, char bracket, bool is_object)
{
	assert(js->depth && in_object(js) == is_object && !js->after_key);
	(void)is_object; /* unused under NDEBUG */
	js->depth--;
	tsh_strbuf_addc(js->out, bracket);
}

void tsh_json_object(struct tsh_json *js)
{
	open_level(js, '{', true);
}

void tsh_json_object_end(struct tsh_json *js)
{
	close_level(js, '}', true);
}

void tsh_json_array(struct tsh_json *js)
{
	open_level(js, '[', false);
}

void tsh_json_array_end(struct tsh_json *js)
{
	close_level(js, ']', false);
}

static void add_unit(struct tsh_strbuf *out, uint32_t unit)
{
	static const char hex[] = "0123456789abcdef";
	char text[6] = { '\\', 'u', hex[unit >> 12 & 0xf], hex[unit >> 8 & 0xf],
			 hex[unit >> 4 & 0xf], hex[unit & 0xf] };

	tsh_strbuf_add(out, text, sizeof(text));
}

static void add_escaped(struct tsh_strbuf *out, uint32_t code)
{
	switch (code) {
	case '"':
		tsh_strbuf_adds(out, "\\\"");
		return;
	case '\\':
		tsh_strbuf_adds(out, "\\\\");
		return;
	case '\n':
		tsh_strbuf_adds(out, "\\n");
		return;
	case '\t':
		tsh_strbuf_adds(out, "\\t");
		return;
	case '\r':
		tsh_strbuf_adds(out, "\\r");
		return;
	}
	if (code > 0xffff) {
		/* JSON has UTF-16 only: write a surrogate pair */
		code -= 0x10000;
		add_unit(out, 0xd800 + (code >> 10));
		code = 0xdc00 + (code & 0x3ff);
	}
	add_unit(out, code);
}

void tsh_json_add_text(struct tsh_strbuf *out, const char *text, size_t len)
{
	size_t begin = 0; /* start of the bytes that are not yet copied */
	size_t i = 0;

	tsh_strbuf_grow(out, len);
	while (i < len) {
		uint32_t code;
		size_t n;

		i += tsh_plain_run(text + i, len - i, '"', '\\');
		if (i == len)
			break;
		n = tsh_utf8_decode(text + i, len - i, &code);
		if (n > 1 && !tsh_utf8_is_hostile(code)) {
			i += n;
			continue;
		}
		tsh_strbuf_add(out, text + begin, i - begin);
		add_escaped(out, n ? code : (unsigned char)text[i]);
		i += n ? n : 1;
		begin = i;
	}
	if (begin < len)
		tsh_strbuf_add(out, text + begin, len - begin);
}

static void add_string(struct tsh_strbuf *out, const char *text, size_t len)
{
	tsh_strbuf_grow(out, len + 2);
	tsh_strbuf_addc(out, '"');
	tsh_json_add_text(out, text, len);
	tsh_strbuf_addc(out, '"');
}

void tsh_json_keyn(struct tsh_json *js, const char *key, size_t len)
{
	assert(in_object(js) && !js->after_key);
	comma(js);
	add_string(js->out, key, len);
	tsh_strbuf_addc(js->out, ':');
	js->after_key = true;
}

void tsh_json_key_text(struct tsh_json *js, const char *text, size_t len)
{
	assert(in_object(js) && !js->after_key);
	comma(js);
	tsh_strbuf_add(js->out, text, len);
	js->after_key = true;
}

void tsh_json_key(struct tsh_json *js, const char *key)
{
	tsh_json_keyn(js, key, strlen(key));
}

void tsh_json_string(struct tsh_json *js, const char *text, size_t len)
{
	begin_value(js);
	add_string(js->out, text, len);
}

void tsh_json_str(struct tsh_json *js, const char *text)
{
	if (text)
		tsh_json_string(js, text, strlen(text));
	else
		tsh_json_null(js);
}

static void add_number(struct tsh_json *js, bool negative, uint64_t magnitude)
{
	bool quoted = magnitude > MAX_EXACT;

	begin_value(js);
	if (quoted)
		tsh_strbuf_addc(js->out, '"');
	if (negative)
		tsh_strbuf_addc(js->out, '-');
	tsh_strbuf_addu(js->out, magnitude);
	if (quoted)
		tsh_strbuf_addc(js->out, '"');
}

void tsh_json_u64(struct tsh_json *js, uint64_t value)
{
	add_number(js, false, value);
}

void tsh_json_s64(struct tsh_json *js, int64_t value)
{
	add_number(js, value < 0, value < 0 ? -(uint64_t)value : (uint64_t)value);
}

void tsh_json_seconds(struct tsh_json *js, uint64_t ns)
{
	uint64_t rest = ns % 1000000000;
	int digits = rest % 1000 ? 9 : 6;

	begin_value(js);
	tsh_strbuf_addu(js->out, ns / 1000000000);
	tsh_strbuf_addc(js->out, '.');
	for (; digits; digits--) {
		rest *= 10;
		tsh_strbuf_addc(js->out, (char)('0' + rest / 1000000000));
		rest %= 1000000000;
	}
}

void tsh_json_bool(struct tsh_json *js, bool value)
{
	begin_value(js);
	tsh_strbuf_adds(js->out, value ? "true" : "false");
}

void tsh_json_null(struct tsh_json *js)
{
	begin_value(js);
	tsh_strbuf_adds(js->out, "null");
}

void tsh_json_raw(struct tsh_json *js, const char *text, size_t len)
{
	begin_value(js);
	tsh_strbuf_add(js->out, text, len);
}

void tsh_json_digits(struct tsh_json *js, const char *text)
{
	/* strtoull gives its maximum for what is too large */
	if (text && strtoull(text + (*text == '-'), NULL, 10) > MAX_EXACT)
		tsh_json_str(js, text);
	else
		tsh_json_raw(js, text ? text : "null", strlen(text ? text : "null"));
}

void tsh_json_kstr(struct tsh_json *js, const char *key, const char *text)
{
	tsh_json_key(js, key);
	tsh_json_str(js, text);
}

void tsh_json_ku64(struct tsh_json *js, const char *key, uint64_t value)
{
	tsh_json_key(js, key);
	tsh_json_u64(js, value);
}

void tsh_json_ks64(struct tsh_json *js, const char *key, int64_t value)
{
	tsh_json_key(js, key);
	tsh_json_s64(js, value);
}

void tsh_json_kbool(struct tsh_json *js, const char *key, bool value)
{
	tsh_json_key(js, key);
	tsh_json_bool(js, value);
}

void tsh_json_maybe(struct tsh_json *js, bool is_known, uint64_t value)
{
	if (is_known)
		tsh_json_u64(js, value);
	else
		tsh_json_null(js);
}

void tsh_json_kmaybe(struct tsh_json *js, const char *key, bool is_known, uint64_t value)
{
	tsh_json_key(js, key);
	tsh_json_maybe(js, is_known, value);
}

void tsh_json_line(struct tsh_json *js, struct tsh_strbuf *out, const char *type)
{
	tsh_json_init(js, out);
	tsh_json_object(js);
	tsh_json_kstr(js, "type", type);
}

void tsh_json_line_end(struct tsh_json *js)
{
	tsh_json_object_end(js);
	tsh_strbuf_addc(js->out, '\n');
}
