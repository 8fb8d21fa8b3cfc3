/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <string.h>

#include "base/utf8.h"
#include "graph-lines.h"

/* as TRACE_GRAPH_PROCINFO_LENGTH */
#define PROC_WIDTH 14
#define RULE " ------------------------------------------\n"

static unsigned int digits_of(uint64_t value)
{
	unsigned int digits = 1;

	while (value /= 10)
		digits++;
	return digits;
}

/* Appends "%*llu", or with fill '0' "%0*llu". */
static void add_right(struct tsh_strbuf *out, uint64_t value, unsigned int width, char fill)
{
	unsigned int digits = digits_of(value);

	if (digits < width)
		tsh_strbuf_addn(out, fill, width - digits);
	tsh_strbuf_addu(out, value);
}

static void add_int(struct tsh_strbuf *out, int value)
{
	if (value < 0)
		tsh_strbuf_addc(out, '-');
	tsh_strbuf_addu(out, value < 0 ? 0U - (unsigned int)value : (unsigned int)value);
}

void graph_sanitize(struct graph_line *line, size_t begin, bool lines)
{
	struct tsh_strbuf *out = line->out, *raw = &line->g->scratch;
	size_t len = out->len - begin;

	if (line->g->raw || tsh_is_clean(out->buf + begin, len))
		return;
	tsh_strbuf_clear(raw);
	tsh_strbuf_add(raw, out->buf + begin, len);
	tsh_strbuf_truncate(out, begin);
	if (lines)
		tsh_sanitize_lines(out, raw->buf, raw->len);
	else
		tsh_sanitize(out, raw->buf, raw->len);
}

/* ---- columns before the duration ---- */

static void add_cpu(struct graph_line *line)
{
	tsh_strbuf_addc(line->out, ' ');
	add_right(line->out, (unsigned int)line->rec->cpu, line->g->cpu_width, ' ');
	tsh_strbuf_adds(line->out, ") ");
}

/* Appends "ls-1234", centred; an odd blank goes to the right. */
static void add_proc(struct graph_line *line, const char *comm, int pid)
{
	struct tsh_strbuf *text = &line->g->scratch;
	size_t len = strnlen(comm, sizeof(line->comm) - 1), blanks = 0;

	tsh_strbuf_clear(text);
	if (line->g->raw)
		tsh_strbuf_add(text, comm, len);
	else
		tsh_sanitize(text, comm, len);
	tsh_strbuf_addc(text, '-');
	add_int(text, pid);
	if (text->len < PROC_WIDTH)
		blanks = PROC_WIDTH - text->len;
	tsh_strbuf_addn(line->out, ' ', blanks / 2);
	tsh_strbuf_add(line->out, text->buf, text->len);
	tsh_strbuf_addn(line->out, ' ', blanks - blanks / 2);
}

static void add_time(struct graph_line *line)
{
	const uint64_t second = 1000000000;

	if (line->time_text) {
		if (!*line->time_text)
			return;
		tsh_strbuf_adds(line->out, line->time_text);
	} else if (line->g->opt.abstime) {
		/* prints the stamp of any clock as ns, and rounds down, while other layouts
		 * round to the nearest */
		add_right(line->out, line->rec->stamp / second, 5, ' ');
		tsh_strbuf_addc(line->out, '.');
		add_right(line->out, line->rec->stamp % second / 1000, 6, '0');
	} else {
		return;
	}
	tsh_strbuf_adds(line->out, " |  ");
}

void graph_add_head(struct graph_line *line)
{
	const struct graph_options *opt = &line->g->opt;
	char flags[TSH_FLAGS_ROOM];

	if (!opt->context_info)
		return;
	add_time(line);
	if (opt->cpu)
		add_cpu(line);
	if (opt->proc) {
		add_proc(line, line->comm, line->common->pid);
		tsh_strbuf_adds(line->out, " | ");
	}
	if (opt->latency_format) {
		tsh_decoder_flags(line->g->decoder, line->common,
				  line->g->with_migrate, flags);
		tsh_strbuf_addc(line->out, ' ');
		tsh_strbuf_adds(line->out, flags);
		tsh_strbuf_adds(line->out, " | ");
	}
}

void graph_add_switch(struct graph_line *line, int from_pid)
{
	tsh_strbuf_adds(line->out, RULE);
	add_cpu(line);
	add_proc(line, tsh_decoder_comm(line->g->decoder, from_pid), from_pid);
	tsh_strbuf_adds(line->out, " => ");
	add_proc(line, line->comm, line->common->pid);
	tsh_strbuf_adds(line->out, "\n" RULE "\n");
}

/* ---- the duration ---- */

static bool has_duration(const struct graph_line *line)
{
	return line->g->opt.duration && line->g->opt.context_info;
}

/* Returns the mark for a duration, as trace_find_mark of kernel/trace/trace_output.c. */
static char mark_of(uint64_t ns)
{
	static const struct {
		uint64_t above;
		char mark;
	} marks[] = {
		{ 1000000000, '$' }, { 100000000, '@' }, { 10000000, '*' },
		{ 1000000, '#' }, { 100000, '!' }, { 10000, '+' },
	};
	size_t i;

	for (i = 0; i < sizeof(marks) / sizeof(marks[0]); i++)
		if (ns > marks[i].above)
			return marks[i].mark;
	return ' ';
}

/* Appends microseconds in eight columns, with as much of the fraction as fits. */
void graph_add_duration(struct graph_line *line, uint64_t ns)
{
	struct tsh_strbuf *out = line->out;
	uint64_t usecs = ns / 1000, rest = ns % 1000;
	unsigned int width, fraction = 3;

	if (!has_duration(line))
		return;
	tsh_strbuf_addc(out, line->g->opt.overhead ? mark_of(ns) : ' ');
	tsh_strbuf_addc(out, ' ');
	if (line->g->long_size == 4)
		usecs = (uint32_t)usecs;
	width = digits_of(usecs);
	tsh_strbuf_addu(out, usecs);
	if (width < 7) {
		for (; fraction > 7 - width; fraction--)
			rest /= 10;
		tsh_strbuf_addc(out, '.');
		add_right(out, rest, fraction, '0');
		width += fraction + 1;
	}
	tsh_strbuf_adds(out, " us ");
	if (width < 8)
		tsh_strbuf_addn(out, ' ', 8 - width);
	tsh_strbuf_adds(out, "|  ");
}

void graph_add_no_duration(struct graph_line *line)
{
	if (has_duration(line))
		tsh_strbuf_adds(line->out, "              |  ");
}

/* ---- functions ---- */

void graph_add_function(struct graph_line *line, uint64_t func)
{
	size_t begin = line->out->len;

	tsh_decoder_symbol_name(line->g->decoder, func, line->out);
	graph_sanitize(line, begin, false);
}

bool graph_is_irq(struct tsh_graph *g, uint64_t func)
{
	if (!g->irq_known) {
		g->irq_known = true;
		if (!tsh_decoder_symbol_address(g->decoder, "__irqentry_text_start",
						&g->irq_begin) ||
		    !tsh_decoder_symbol_address(g->decoder, "__irqentry_text_end", &g->irq_end))
			g->irq_begin = g->irq_end = 0;
	}
	return func >= g->irq_begin && func < g->irq_end;
}

void graph_add_irq(struct graph_line *line, uint64_t func, bool is_entry)
{
	if (!graph_is_irq(line->g, func))
		return;
	graph_add_head(line);
	if (has_duration(line))
		tsh_strbuf_adds(line->out, "  ");
	tsh_strbuf_adds(line->out, is_entry ? "==========>" : "<==========");
	if (has_duration(line))
		tsh_strbuf_adds(line->out, " |");
	tsh_strbuf_addc(line->out, '\n');
}
