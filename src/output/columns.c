/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "columns.h"

#include <stdlib.h>
#include <string.h>

#include "base/suggest.h"
#include "base/utf8.h"
#include "base/xmalloc.h"

/* Is the width of most events' names, so that the rest of the line is aligned. */
#define EVENT_WIDTH_MIN 20
#define EVENT_WIDTH_MAX 40

#define NS_PER_S 1000000000
#define SLOW_NS 10000000	/* yellow from here on; function_graph's mark '*' */
#define SLOWER_NS NS_PER_S	/* red from here on; function_graph's mark '$' */

const char *const tsh_line_column_names[] = {
	[TSH_LINE_TASK] = "task", [TSH_LINE_COMM] = "comm", [TSH_LINE_PID] = "pid",
	[TSH_LINE_TGID] = "tgid", [TSH_LINE_CPU] = "cpu", [TSH_LINE_FLAGS] = "flags",
	[TSH_LINE_TIME] = "time", [TSH_LINE_DELTA] = "delta", [TSH_LINE_EVENT] = "event",
	[TSH_LINE_TEXT] = "text", NULL
};

const char *const tsh_line_column_help[TSH_LINE_N] = {
	[TSH_LINE_TASK] = "the task's name and pid, as the kernel has them",
	[TSH_LINE_COMM] = "the task's name", [TSH_LINE_PID] = "the task's pid",
	[TSH_LINE_TGID] = "its process, with option record-tgid on", [TSH_LINE_CPU] = "the CPU of the event",
	[TSH_LINE_FLAGS] = "interrupts, preemption, depth: d..2.",
	[TSH_LINE_TIME] = "in the form that set time has chosen", [TSH_LINE_DELTA] = "since the line before",
	[TSH_LINE_EVENT] = "the event's name",
	[TSH_LINE_TEXT] = "the event's text, after its name if there is no column event",
};

const char tsh_line_columns_usual[] = "task,cpu,flags,time,event,text";

/* Are the widths in the kernel's own lines; 0: as wide as the text. */
static const struct {
	size_t width;
	bool is_right;
} shapes[TSH_LINE_N] = {
	[TSH_LINE_TASK] = { 24, false }, [TSH_LINE_COMM] = { 15, false },
	[TSH_LINE_PID] = { 7, true }, [TSH_LINE_TGID] = { 7, true }, [TSH_LINE_CPU] = { 3, true },
	[TSH_LINE_FLAGS] = { 5, false }, [TSH_LINE_DELTA] = { 12, true },
};

/* ---- the list ---- */

static int refuse_name(const char *name, struct tsh_err *err)
{
	struct tsh_strbuf all = TSH_STRBUF_INIT;
	struct tsh_suggest near;
	const char *best;
	size_t i;

	tsh_suggest_init(&near, name);
	for (i = 0; i < TSH_LINE_N; i++) {
		tsh_suggest_offer(&near, tsh_line_column_names[i]);
		tsh_strbuf_addf(&all, "%s%s", i ? ", " : "", tsh_line_column_names[i]);
	}
	best = tsh_suggest_best(&near);
	tsh_err_set(err, TSH_USAGE, "there is no column '%s'", name);
	if (best)
		tsh_err_hint(err, "did you mean '%s'?", best);
	else
		tsh_err_hint(err, "%s, with commas between", all.buf);
	tsh_strbuf_release(&all);
	tsh_suggest_release(&near);
	return -1;
}

static int add_name(struct tsh_line_columns *c, const char *name, struct tsh_err *err)
{
	unsigned char i;

	for (i = 0; i < TSH_LINE_N; i++)
		if (!strcmp(tsh_line_column_names[i], name))
			break;
	if (i == TSH_LINE_N)
		return refuse_name(name, err);
	if (tsh_line_columns_has(c, i)) {
		tsh_err_set(err, TSH_USAGE, "the column '%s' is given twice", name);
		return -1;
	}
	c->v[c->n++] = i;
	return 0;
}

int tsh_line_columns_parse(struct tsh_line_columns *c, const char *list, struct tsh_err *err)
{
	const char *end;
	char *name;
	int r = 0;

	memset(c, 0, sizeof(*c));
	c->event_width = EVENT_WIDTH_MIN;
	for (; !r; list = end + 1) {
		end = list + strcspn(list, ",");
		name = tsh_xstrndup(list, (size_t)(end - list));
		r = add_name(c, name, err);
		free(name);
		if (!*end)
			break;
	}
	return r;
}

bool tsh_line_columns_has(const struct tsh_line_columns *c, enum tsh_line_column column)
{
	return c->n && memchr(c->v, column, c->n);
}

/* ---- cells ---- */

static const char *style_of(const struct tsh_line_columns *c, const struct tsh_out *out,
			    enum tsh_line_column column, int pid)
{
	switch (column) {
	case TSH_LINE_TASK:
	case TSH_LINE_COMM:
	case TSH_LINE_PID:
		return tsh_out_task_style(out, pid);
	case TSH_LINE_EVENT:
		return tsh_out_style(out, TSH_STYLE_EVENT);
	case TSH_LINE_DELTA:
		if (c->delta >= SLOWER_NS)
			return tsh_out_style(out, TSH_STYLE_ERROR);
		return c->delta >= SLOW_NS ? tsh_out_style(out, TSH_STYLE_WARNING) : "";
	default:
		return "";
	}
}

void tsh_line_cell(struct tsh_line_columns *c, struct tsh_out *out, size_t i, const char *text,
		   size_t len, int pid)
{
	enum tsh_line_column column = c->v[i];
	bool is_last = i + 1 == c->n;
	const char *style = style_of(c, out, column, pid);
	size_t width = shapes[column].width, has = tsh_utf8_width(text, len), blanks;

	if (column == TSH_LINE_EVENT) {
		if (has > c->event_width)
			c->event_width = has < EVENT_WIDTH_MAX ? has : EVENT_WIDTH_MAX;
		width = c->event_width;
	}
	blanks = has < width ? width - has : 0;
	if (shapes[column].is_right)
		tsh_strbuf_addn(&out->data, ' ', blanks);
	tsh_strbuf_adds(&out->data, style);
	tsh_strbuf_add(&out->data, text, len);
	if (*style)
		tsh_strbuf_adds(&out->data, tsh_out_style(out, TSH_STYLE_NONE));
	if (is_last)
		return;
	if (!shapes[column].is_right)
		tsh_strbuf_addn(&out->data, ' ', blanks);
	tsh_strbuf_addc(&out->data, ' ');
}

void tsh_line_no_delta(struct tsh_line_columns *c, struct tsh_strbuf *text)
{
	c->delta = 0;
	tsh_strbuf_addc(text, '-');
}

void tsh_line_delta(struct tsh_line_columns *c, bool by_wall, int64_t ns, struct tsh_strbuf *text)
{
	int64_t last = c->has_last && c->by_wall == by_wall ? c->last : ns;
	uint64_t size = ns < last ? (uint64_t)last - (uint64_t)ns : (uint64_t)ns - (uint64_t)last;

	c->has_last = true;
	c->by_wall = by_wall;
	c->last = ns;
	c->delta = ns < last || size > INT64_MAX ? 0 : (int64_t)size;
	size += c->in_ns ? 0 : 500;
	tsh_strbuf_addf(text, c->in_ns ? "%c%llu.%09llu" : "%c%llu.%06llu", ns < last ? '-' : '+',
			(unsigned long long)(size / NS_PER_S),
			(unsigned long long)(size % NS_PER_S / (c->in_ns ? 1 : 1000)));
}
