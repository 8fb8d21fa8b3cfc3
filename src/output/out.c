/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "output.h"

#include <stdlib.h>

#include "base/json.h"
#include "base/utf8.h"

const char *const tsh_format_names[] = {
	[TSH_FORMAT_TEXT] = "text",
	[TSH_FORMAT_JSON] = "json",
	[TSH_FORMAT_CSV] = "csv",
	[TSH_FORMAT_KERNEL] = "kernel",
	NULL
};

void tsh_out_init(struct tsh_out *out, int fd, enum tsh_format format)
{
	*out = (struct tsh_out){ .fd = fd, .format = format, .full = TSH_OUT_FULL,
				 .nonblocking.fd = -1 };
	tsh_strbuf_init(&out->data);
}

void tsh_out_release(struct tsh_out *out)
{
	tsh_out_end_live(out);
	if (out->writer)
		(void)tsh_out_flush(out);
	tsh_vec_release(&out->ends);
	tsh_strbuf_release(&out->data);
}

int tsh_out_finish(struct tsh_out *out, struct tsh_err *err)
{
	if (!tsh_out_flush(out))
		return 0;
	if (!out->name)
		return tsh_err_errno(err, out->error, "cannot write to standard output");
	return tsh_err_path(err, out->error, "write", out->name);
}

static void add_json_text(struct tsh_out *out, const char *line, size_t len)
{
	struct tsh_json js;

	tsh_json_line(&js, &out->data, "text");
	tsh_json_key(&js, "text");
	tsh_json_string(&js, line, len);
	tsh_json_object_end(&js);
}

static void add_lines(struct tsh_out *out, const char *text, size_t len, bool raw)
{
	if (raw)
		tsh_strbuf_add(&out->data, text, len);
	else
		tsh_sanitize_lines(&out->data, text, len);
	tsh_out_flush_if_full(out);
}

void tsh_out_script(struct tsh_out *out, const char *text, size_t len)
{
	add_lines(out, text, len, out->may_be_raw);
}

void tsh_out_text(struct tsh_out *out, const char *text, size_t len)
{
	const char *end = text + len;

	if (out->format == TSH_FORMAT_TEXT || out->format == TSH_FORMAT_KERNEL) {
		add_lines(out, text, len, tsh_out_is_raw(out));
		return;
	}
	while (text < end) {
		const char *newline = memchr(text, '\n', (size_t)(end - text));
		size_t n = (size_t)((newline ? newline : end) - text);

		if (out->format == TSH_FORMAT_JSON)
			add_json_text(out, text, n);
		else
			tsh_csv_cell(&out->data, text, n);
		tsh_strbuf_addc(&out->data, '\n');
		tsh_out_flush_if_full(out);
		text += n + !!newline;
	}
}

void tsh_out_line(struct tsh_out *out, const char *fmt, ...)
{
	struct tsh_strbuf line = TSH_STRBUF_INIT;
	va_list ap;

	if (out->format == TSH_FORMAT_JSON || out->format == TSH_FORMAT_CSV)
		return;
	va_start(ap, fmt);
	tsh_strbuf_vaddf(&line, fmt, ap);
	va_end(ap);
	tsh_sanitize(&out->data, line.buf, line.len);
	tsh_strbuf_addc(&out->data, '\n');
	tsh_strbuf_release(&line);
	tsh_out_flush_if_full(out);
}

static void __attribute__((format(printf, 2, 0)))
note(struct tsh_out *out, const char *fmt, va_list ap)
{
	struct tsh_strbuf text = TSH_STRBUF_INIT;
	char *clean;

	if (!out->note)
		return;
	/* writes the buffered output first: the note goes to the same screen */
	if (out->is_terminal)
		tsh_out_flush(out);
	tsh_strbuf_vaddf(&text, fmt, ap);
	tsh_strbuf_shorten(&text, 0);
	clean = tsh_sanitize_dup(text.buf);
	out->note(out->note_ctx, clean);
	free(clean);
	tsh_strbuf_release(&text);
}

void tsh_out_note(struct tsh_out *out, const char *fmt, ...)
{
	va_list ap;

	if (out->quiet)
		return;
	va_start(ap, fmt);
	note(out, fmt, ap);
	va_end(ap);
}

void tsh_out_warn(struct tsh_out *out, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	note(out, fmt, ap);
	va_end(ap);
}

const char *tsh_out_style(const struct tsh_out *out, enum tsh_style style)
{
	static const char *const sequences[TSH_STYLE_N] = {
		[TSH_STYLE_NONE] = "\033[0m",
		[TSH_STYLE_BOLD] = "\033[1m",
		[TSH_STYLE_DIM] = "\033[2m",
		[TSH_STYLE_ERROR] = "\033[1;31m",
		[TSH_STYLE_WARNING] = "\033[33m",
		[TSH_STYLE_EVENT] = "\033[36m",
		[TSH_STYLE_MARK] = "\033[1;35m",
	};

	return out->color && out->format == TSH_FORMAT_TEXT ? sequences[style] : "";
}

const char *tsh_out_task_style(const struct tsh_out *out, int pid)
{
	/* Has neither red, the colour of losses, nor cyan, that of events. */
	static const char *const sequences[] = {
		"\033[32m", "\033[34m", "\033[35m", "\033[33m",
		"\033[92m", "\033[94m", "\033[95m", "\033[93m",
	};
	size_t n = sizeof(sequences) / sizeof(sequences[0]);

	if (!out->color || out->format != TSH_FORMAT_TEXT)
		return "";
	/* the idle tasks of all CPUs share a colour */
	if (!pid)
		return tsh_out_style(out, TSH_STYLE_DIM);
	/* Fibonacci hashing gives different colours to tasks that were started one after the
	 * other. */
	return sequences[((uint32_t)pid * UINT32_C(2654435769)) >> 16 & (n - 1)];
}
