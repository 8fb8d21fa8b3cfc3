/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "output.h"

#include <stdlib.h>

#include "base/json.h"
#include "base/utf8.h"
#include "base/vec.h"
#include "base/xmalloc.h"

/* Holds the fields until the end, when the longest name is known; JSON is written at once. */
struct tsh_fields {
	struct tsh_out *out;
	struct tsh_json js;
	struct tsh_strbuf json;
	struct tsh_strlist names;
	struct tsh_strlist values;
};

static bool is_json(const struct tsh_fields *f)
{
	return f->out->format == TSH_FORMAT_JSON;
}

struct tsh_fields *tsh_fields_begin(struct tsh_out *out, const char *type)
{
	struct tsh_fields *f = tsh_xcalloc(1, sizeof(*f));

	f->out = out;
	tsh_strbuf_init(&f->json);
	if (is_json(f)) {
		tsh_json_init(&f->js, &f->json);
		tsh_json_object(&f->js);
		tsh_json_kstr(&f->js, "type", type);
	}
	return f;
}

static void add_field(struct tsh_fields *f, const char *name, const char *value)
{
	tsh_strlist_add(&f->names, name);
	tsh_strlist_add(&f->values, value);
}

void tsh_fields_text(struct tsh_fields *f, const char *name, const char *text)
{
	if (is_json(f))
		tsh_json_kstr(&f->js, name, text);
	else
		add_field(f, name, text ? text : "");
}

void tsh_fields_number(struct tsh_fields *f, const char *name, uint64_t value)
{
	struct tsh_strbuf text = TSH_STRBUF_INIT;

	if (is_json(f)) {
		tsh_json_ku64(&f->js, name, value);
		return;
	}
	tsh_strbuf_addu(&text, value);
	add_field(f, name, text.buf);
	tsh_strbuf_release(&text);
}

static void print_csv_row(struct tsh_strbuf *out, const struct tsh_strlist *cells)
{
	size_t i;

	for (i = 0; i < cells->n; i++) {
		if (i)
			tsh_strbuf_addc(out, ',');
		tsh_csv_cell(out, cells->v[i], strlen(cells->v[i]));
	}
	tsh_strbuf_addc(out, '\n');
}

static void print_text(const struct tsh_fields *f)
{
	struct tsh_strbuf *data = &f->out->data;
	const char *bold = f->out->is_terminal ? tsh_out_style(f->out, TSH_STYLE_BOLD) : "";
	const char *reset = *bold ? tsh_out_style(f->out, TSH_STYLE_NONE) : "";
	size_t longest = 0;
	size_t i;

	for (i = 0; i < f->names.n; i++) {
		char *name = tsh_sanitize_dup(f->names.v[i]);
		size_t width = tsh_utf8_width(name, strlen(name));

		/* replaces the name by the form that is printed */
		free(f->names.v[i]);
		f->names.v[i] = name;
		if (width > longest)
			longest = width;
	}
	for (i = 0; i < f->names.n; i++) {
		const char *name = f->names.v[i];
		const char *value = f->values.v[i];

		tsh_strbuf_adds(data, bold);
		tsh_strbuf_adds(data, name);
		tsh_strbuf_addc(data, ':');
		tsh_strbuf_adds(data, reset);
		if (*value) {
			tsh_strbuf_addn(data, ' ',
					longest + 2 - tsh_utf8_width(name, strlen(name)));
			tsh_sanitize(data, value, strlen(value));
		}
		tsh_strbuf_addc(data, '\n');
	}
}

void tsh_fields_end(struct tsh_fields *f)
{
	if (is_json(f)) {
		tsh_json_object_end(&f->js);
		tsh_strbuf_addc(&f->json, '\n');
		tsh_strbuf_add(&f->out->data, f->json.buf, f->json.len);
	} else if (f->out->format == TSH_FORMAT_CSV) {
		print_csv_row(&f->out->data, &f->names);
		print_csv_row(&f->out->data, &f->values);
	} else {
		print_text(f);
	}
	tsh_out_flush_if_full(f->out);
	tsh_strbuf_release(&f->json);
	tsh_strlist_release(&f->names);
	tsh_strlist_release(&f->values);
	free(f);
}
