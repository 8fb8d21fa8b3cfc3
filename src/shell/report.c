/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "engine-internal.h"

#include <string.h>

#include "base/caret.h"
#include "base/utf8.h"
#include "kernel/dryrun/sh-lines.h"

/* Limits the length of a line that is shown; a longer one is shown from near the blamed word. */
#define LINE_SHOWN 160

static void write_err(struct tsh_engine *e, const struct tsh_strbuf *text)
{
	struct tsh_out err;

	/* writes what was printed before the message */
	tsh_out_flush(&e->out);
	tsh_out_init(&err, e->err_fd, TSH_FORMAT_TEXT);
	err.is_terminal = e->err_is_terminal;
	err.waiter = &e->loop->strict;
	tsh_strbuf_add(&err.data, text->buf, text->len);
	tsh_out_flush(&err);
	tsh_out_release(&err);
}

void tsh_engine_note(void *engine, const char *text)
{
	struct tsh_engine *e = engine;
	struct tsh_strbuf out = TSH_STRBUF_INIT;

	if (e->guard.is_us) {
		tsh_strlist_add(&e->guard.notes, text);
		return;
	}
	tsh_strbuf_adds(&out, text);
	tsh_strbuf_addc(&out, '\n');
	write_err(e, &out);
	tsh_strbuf_release(&out);
}

void tsh_note_not_run(struct tsh_engine *e, const struct tsh_input *input)
{
	static const char between[] = "; \t\n";
	const char *rest = input->text + e->stopped_at;

	rest += strspn(rest, between);
	if (!*rest || *rest == '#')
		return;
	if (!input->prompt)
		tsh_out_warn(&e->out, "'%s' was not run to its end", input->name);
	else if (!memchr(input->text + e->stopped_at, '\n', (size_t)(rest - input->text) - e->stopped_at))
		tsh_out_warn(&e->out, "not run: %.*s", (int)strcspn(rest, "\n"), rest);
}

void tsh_engine_show_write(void *engine, const struct tsh_wrote *what)
{
	struct tsh_engine *e = engine;
	struct tsh_strbuf lines = TSH_STRBUF_INIT, out = TSH_STRBUF_INIT;
	const char *p, *end;

	if (!e->session.settings.show_writes || e->guard.is_us)
		return;
	tsh_sh_append_change(&lines, what);
	for (p = lines.buf; *p; p = end + (*end == '\n')) {
		end = p + strcspn(p, "\n");
		tsh_strbuf_adds(&out, p == lines.buf ? "+ " : "");
		tsh_sanitize(&out, p, (size_t)(end - p));
		tsh_strbuf_addc(&out, '\n');
	}
	write_err(e, &out);
	tsh_strbuf_release(&out);
	tsh_strbuf_release(&lines);
}

struct tsh_span tsh_alias_outer_span(const struct tsh_input *input, struct tsh_span span)
{
	struct tsh_span name = input->alias_name, outer = name;

	if (span.begin >= span.end)
		return (struct tsh_span){ 0, 0 };
	if (span.begin >= input->alias_len)
		outer.begin = name.end + span.begin - input->alias_len;
	if (span.end > input->alias_len)
		outer.end = name.end + span.end - input->alias_len;
	return outer;
}

void tsh_alias_unwind(const struct tsh_input **input, struct tsh_span *span)
{
	for (; *input && (*input)->alias_of; *input = (*input)->alias_of)
		*span = tsh_alias_outer_span(*input, *span);
}

static struct tsh_place find_place(const struct tsh_input *input, size_t offset)
{
	struct tsh_place place = tsh_place_of(input->text, input->len, offset, input->last);

	if (input->last)
		*input->last = place;
	return place;
}

static void add_place(struct tsh_strbuf *out, const struct tsh_input *input,
		      const struct tsh_err *err)
{
	struct tsh_place place = find_place(input, err->span.begin);
	size_t begin = place.text.begin, end = place.text.end;

	if (input->prompt && !memchr(input->text, '\n', input->len)) {
		/* the line is on the screen already, behind the prompt */
		tsh_strbuf_addn(out, ' ', input->prompt_width);
		tsh_caret_add(out, input->text, begin, end, err->span);
		return;
	}
	if (end - begin > LINE_SHOWN) {
		if (err->span.begin - begin > LINE_SHOWN / 2)
			begin = err->span.begin - LINE_SHOWN / 2;
		if (end - begin > LINE_SHOWN)
			end = begin + LINE_SHOWN;
	}
	tsh_strbuf_adds(out, "  ");
	tsh_caret_source(out, input->text + begin, end - begin);
	tsh_strbuf_adds(out, "\n  ");
	tsh_caret_add(out, input->text, begin, end, err->span);
}

static void add_includes(struct tsh_strbuf *out, const struct tsh_input *input)
{
	while (input->outer) {
		struct tsh_span span = input->outer_span;
		struct tsh_place place;

		input = input->outer;
		tsh_alias_unwind(&input, &span);
		if (input->prompt)
			return;
		place = find_place(input, span.begin);
		tsh_strbuf_adds(out, "  included from ");
		tsh_sanitize(out, input->name, strlen(input->name));
		tsh_strbuf_addf(out, ":%u\n", place.line + input->first_line);
	}
}

/* Returns the length of "$name" at the place of an error, where a variable was meant. Returns 0
 * when there is none, or when the error is about something else and has its own hint. */
static size_t variable_at(const struct tsh_input *input, const struct tsh_err *err)
{
	static const char bytes[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789";
	const char *p = input->text + err->span.begin;
	size_t len;
	char *word;
	bool says;

	if (err->span.end > input->len || *p != '$' || (p[1] >= '0' && p[1] <= '9') || !(len = strspn(p + 1, bytes)))
		return 0;
	word = tsh_xasprintf("'%.*s'", (int)len + 1, p);
	says = err->span.end - err->span.begin == len + 1 && strstr(err->message, word);
	free(word);
	return says || !err->hint ? len + 1 : 0;
}

static void add_hint(struct tsh_strbuf *out, const struct tsh_input *input, const struct tsh_err *err)
{
	size_t len = input && err->span.end > err->span.begin ? variable_at(input, err) : 0;

	if (!len && !err->hint)
		return;
	tsh_strbuf_adds(out, "hint: ");
	if (len)
		tsh_strbuf_addf(out, "variables look like ${%.*s}", (int)len - 1, input->text + err->span.begin + 1);
	else
		tsh_sanitize(out, err->hint, strlen(err->hint));
	tsh_strbuf_addc(out, '\n');
}

static void report(struct tsh_engine *e, const struct tsh_input *input, const char *severity,
		   const struct tsh_err *err)
{
	bool has_place = input && err->span.end > err->span.begin;
	struct tsh_strbuf out = TSH_STRBUF_INIT;
	struct tsh_place place;

	if (has_place && input->prompt && !memchr(input->text, '\n', input->len))
		add_place(&out, input, err);
	if (input && !input->prompt) {
		tsh_sanitize(&out, input->name, strlen(input->name));
		place = find_place(input, err->span.begin);
		if (has_place)
			tsh_strbuf_addf(&out, ":%u:%u", place.line + input->first_line,
					place.column);
		tsh_strbuf_adds(&out, ": ");
	} else if (!input) {
		tsh_strbuf_adds(&out, "tracesh: ");
	}
	tsh_strbuf_addf(&out, "%s%s:%s ", e->err_color ? "\033[1;31m" : "", severity,
			e->err_color ? "\033[0m" : "");
	tsh_sanitize(&out, err->message, strlen(err->message));
	tsh_strbuf_addc(&out, '\n');
	if (has_place && !(input->prompt && !memchr(input->text, '\n', input->len)))
		add_place(&out, input, err);
	add_hint(&out, input, err);
	if (input)
		add_includes(&out, input);
	write_err(e, &out);
	tsh_strbuf_release(&out);
}

void tsh_report(struct tsh_engine *e, const struct tsh_input *input, const char *severity,
		const struct tsh_err *err)
{
	struct tsh_err shown = *err;	/* borrows its texts */

	tsh_alias_unwind(&input, &shown.span);
	report(e, input, severity, &shown);
}

void tsh_engine_report(struct tsh_engine *e, const struct tsh_err *err)
{
	tsh_report(e, NULL, "error", err);
}
