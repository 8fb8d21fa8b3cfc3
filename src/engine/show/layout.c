/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "layout.h"

#include <limits.h>
#include <string.h>

#include "events/decode/page.h"

/* TASK_COMM_LEN: a name has 15 bytes, so the column of 16 begins with a blank */
#define COMM_WIDTH 16
/* TRACE_GRAPH_PROCINFO_LENGTH and the longest name (kernel/trace/trace_functions_graph.c) */
#define GRAPH_PROC_WIDTH 14
#define GRAPH_COMM_MAX 7

/* ---- a cursor over the columns ---- */

struct cursor {
	const char *p;
	const char *end;
};

static bool parse_char(struct cursor *c, char wanted)
{
	if (c->p == c->end || *c->p != wanted)
		return false;
	c->p++;
	return true;
}

static bool parse_text(struct cursor *c, const char *text)
{
	size_t len = strlen(text);

	if ((size_t)(c->end - c->p) < len || memcmp(c->p, text, len))
		return false;
	c->p += len;
	return true;
}

static size_t skip_blanks(struct cursor *c)
{
	const char *from = c->p;

	while (parse_char(c, ' '))
		;
	return (size_t)(c->p - from);
}

/* Parses decimal digits. Returns how many; 0 when there are none, or the number exceeds max. */
static size_t parse_number(struct cursor *c, uint64_t max, uint64_t *ret)
{
	const char *from = c->p;
	uint64_t value = 0;

	for (; c->p < c->end && *c->p >= '0' && *c->p <= '9'; c->p++) {
		unsigned int digit = (unsigned int)(*c->p - '0');

		if (value > (max - digit) / 10)
			return 0;
		value = value * 10 + digit;
	}
	*ret = value;
	return (size_t)(c->p - from);
}

static bool parse_int(struct cursor *c, int *ret)
{
	uint64_t value;

	if (!parse_number(c, INT_MAX, &value))
		return false;
	*ret = (int)value;
	return true;
}

/* Parses "3.170348" to ns, or an integer. */
static bool parse_time(struct cursor *c, struct tsh_show_item *ret)
{
	uint64_t value, usecs;
	const char *from = c->p;

	if (!parse_number(c, UINT64_MAX, &value))
		return false;
	ret->bare = !parse_char(c, '.');
	ret->stamp = value;
	if (!ret->bare) {
		if (parse_number(c, 999999, &usecs) != 6 || value > UINT64_MAX / 1000000000 - 1)
			return false;
		ret->stamp = value * 1000000000 + usecs * 1000;
	}
	ret->time = (size_t)(from - ret->text);
	ret->time_len = (size_t)(c->p - from);
	return true;
}

/* ---- the standard layout: "%16s-%-7d (%7d) [%03d] d..2. %5lu.%06lu: " ---- */

/* Parses "(%7d) " or "(-------) "; the column has five digits before 5.10. */
static bool parse_tgid(struct cursor *c, struct tsh_show_item *ret)
{
	if (!parse_char(c, '('))
		return false;
	if (parse_char(c, '-')) {
		while (parse_char(c, '-'))
			;
	} else {
		skip_blanks(c);
		if (!parse_int(c, &ret->tgid))
			return false;
	}
	return parse_char(c, ')') && skip_blanks(c);
}

static bool parse_flags(struct cursor *c, struct tsh_show_item *ret)
{
	const char *from = c->p;

	while (c->p < c->end && *c->p > ' ' && *c->p < 0x7f)
		c->p++;
	ret->flags = (size_t)(from - ret->text);
	ret->flags_len = (size_t)(c->p - from);
	/* four, five since 5.14; seven on real-time kernels, whose depths can have two digits
	 * each */
	return ret->flags_len >= 4 && ret->flags_len <= 10;
}

static bool parse_comm(struct cursor *c, struct tsh_show_item *ret)
{
	const char *comm = c->p, *end = c->p + COMM_WIDTH;

	if (c->end - c->p <= COMM_WIDTH || *comm != ' ')
		return false;
	while (comm < end && *comm == ' ')
		comm++;
	ret->comm = (size_t)(comm - ret->text);
	ret->comm_len = (size_t)(end - comm);
	c->p = end;
	return parse_char(c, '-');
}

static bool parse_standard(const struct tsh_show_layout *layout, struct cursor *c,
			   struct tsh_show_item *ret)
{
	if (!parse_comm(c, ret) || !parse_int(c, &ret->pid) || !skip_blanks(c))
		return false;
	if (layout->tgid && !layout->tgid_last && !parse_tgid(c, ret))
		return false;
	if (!parse_char(c, '[') || !parse_int(c, &ret->cpu) || !parse_text(c, "] "))
		return false;
	if (layout->tgid && layout->tgid_last && !parse_tgid(c, ret))
		return false;
	if (layout->flags && !parse_flags(c, ret))
		return false;
	ret->head_len = (size_t)(c->p - ret->text);
	if (!layout->flags)
		ret->head_len--;
	/* without flags, a time that fills its "%5lu" has no blank before it */
	if ((!skip_blanks(c) && layout->flags) || !parse_time(c, ret) || !parse_text(c, ": "))
		return false;
	ret->body = (size_t)(c->p - ret->text);
	return true;
}

/* ---- function_graph: "%5lu.%06lu |   1)  task-123    |   2.944 us    |  f();" ---- */

/* Parses a column of 14 bytes, or more without blanks: at most seven bytes of the name, '-', and
 * the pid, centred. " | " follows. */
static bool parse_proc(struct cursor *c, struct tsh_show_item *ret)
{
	size_t width, left, digits = 0, right = 0;
	const char *end;
	uint64_t pid;
	struct cursor number;

	for (width = GRAPH_PROC_WIDTH; width <= GRAPH_COMM_MAX + 1 + 10; width++)
		if ((size_t)(c->end - c->p) >= width + 3 && !memcmp(c->p + width, " | ", 3))
			break;
	if (width > GRAPH_COMM_MAX + 1 + 10)
		return false;
	end = c->p + width;
	while (end > c->p && end[-1] == ' ') {
		end--;
		right++;
	}
	while (end - digits > c->p && end[-(ptrdiff_t)digits - 1] >= '0' &&
	       end[-(ptrdiff_t)digits - 1] <= '9')
		digits++;
	number = (struct cursor){ end - digits, end };
	if (!parse_number(&number, INT_MAX, &pid) || end - digits == c->p ||
	    end[-(ptrdiff_t)digits - 1] != '-')
		return false;
	/* an odd blank is on the right */
	for (left = 0; left < right && c->p[left] == ' '; left++)
		;
	ret->pid = (int)pid;
	ret->comm = (size_t)(c->p + left - ret->text);
	ret->comm_len = (size_t)(end - digits - 1 - (c->p + left));
	c->p += width;
	return ret->comm_len <= GRAPH_COMM_MAX;
}

static bool parse_graph(const struct tsh_show_layout *layout, struct cursor *c,
			struct tsh_show_item *ret)
{
	skip_blanks(c);
	if (!parse_time(c, ret) || ret->bare || !parse_text(c, " | "))
		return false;
	if (layout->cpu) {
		skip_blanks(c);
		if (!parse_int(c, &ret->cpu) || !parse_text(c, ") "))
			return false;
	} else if (!parse_char(c, ' ')) {
		return false;
	}
	if (layout->proc && (!parse_proc(c, ret) || !parse_text(c, " | ")))
		return false;
	ret->body = (size_t)(c->p - ret->text);
	return true;
}

/* ---- the kernel's own lines between the events ---- */

static bool parse_lost(struct cursor *c, struct tsh_show_item *ret)
{
	if (!parse_text(c, "CPU:") || !parse_int(c, &ret->cpu) || !parse_text(c, " [LOST "))
		return false;
	ret->lost = TSH_LOST_UNKNOWN;
	if (!parse_text(c, "EVENTS]\n")) {
		if (!parse_number(c, UINT64_MAX - 1, &ret->lost) || !parse_text(c, " EVENTS]\n"))
			return false;
	}
	ret->kind = TSH_SHOW_LOST;
	return true;
}

static bool parse_started(struct cursor *c, struct tsh_show_item *ret)
{
	if (!parse_text(c, "##### CPU ") || !parse_int(c, &ret->cpu) ||
	    !parse_text(c, " buffer started ####\n"))
		return false;
	ret->kind = TSH_SHOW_STARTED;
	return true;
}

static bool parse_banner(struct cursor *c, struct tsh_show_item *ret)
{
	if (!parse_text(c, " ------------------------------------------\n"))
		return false;
	ret->kind = TSH_SHOW_BANNER;
	return true;
}

bool tsh_show_parse(const struct tsh_show_layout *layout, const char *text, size_t len,
		    struct tsh_show_item *ret)
{
	const struct cursor start = { text, text + len };
	const struct tsh_show_item plain = {
		.kind = TSH_SHOW_TEXT, .text = text, .cpu = -1, .pid = -1, .tgid = -1,
	};
	struct cursor c = start;

	*ret = plain;
	if (layout->kind == TSH_SHOW_OTHER)
		return false;
	ret->kind = TSH_SHOW_EVENT;
	if (layout->kind == TSH_SHOW_STANDARD ? parse_standard(layout, &c, ret) :
						parse_graph(layout, &c, ret))
		return true;
	*ret = plain;
	c = start;
	if (parse_lost(&c, ret))
		return true;
	c = start;
	if (parse_started(&c, ret))
		return true;
	c = start;
	if (layout->kind == TSH_SHOW_GRAPH && parse_banner(&c, ret))
		return true;
	*ret = plain;
	return false;
}

/* ---- finding the layout ---- */

/* Returns the first line of the header that contains the word. */
static bool header_line(const char *header, size_t len, const char *word, const char **ret,
			size_t *ret_len)
{
	const char *line = header, *end = header + len, *next;

	for (; line < end; line = next) {
		next = memchr(line, '\n', (size_t)(end - line));
		next = next ? next + 1 : end;
		if (memmem(line, (size_t)(next - line), word, strlen(word))) {
			*ret = line;
			*ret_len = (size_t)(next - line);
			return true;
		}
	}
	return false;
}

static void find_graph(const struct tsh_show_options *opt, const char *header, size_t len,
		       struct tsh_show_layout *ret)
{
	bool abstime = opt->funcgraph_abstime;
	const char *line;
	size_t n;

	ret->cpu = opt->funcgraph_cpu;
	ret->proc = opt->funcgraph_proc;
	if (header_line(header, len, "FUNCTION CALLS", &line, &n)) {
		abstime = memmem(line, n, " TIME ", 6) != NULL;
		ret->cpu = memmem(line, n, " CPU ", 5) != NULL;
		ret->proc = memmem(line, n, "TASK/PID", 8) != NULL;
	}
	if (abstime)
		ret->kind = TSH_SHOW_GRAPH;
	else
		ret->why = "the option funcgraph-abstime is off, so the lines have no time";
}

static void find_standard(const struct tsh_show_options *opt, const char *header, size_t len,
			  struct tsh_show_layout *ret)
{
	const char *line, *tgid, *cpu;
	size_t n;

	ret->kind = TSH_SHOW_STANDARD;
	ret->cpu = true;
	ret->proc = true;
	ret->tgid = opt->record_tgid;
	ret->flags = opt->irq_info;
	if (!header_line(header, len, "TASK-PID", &line, &n))
		return;
	tgid = memmem(line, n, "TGID", 4);
	cpu = memmem(line, n, "CPU#", 4);
	ret->tgid = tgid != NULL;
	ret->tgid_last = tgid && cpu && tgid > cpu;
	ret->flags = memchr(line, '|', n) != NULL;
}

void tsh_show_layout_find(const struct tsh_show_options *opt, const char *header, size_t len,
			  struct tsh_show_layout *ret)
{
	const char *line;
	size_t n;

	memset(ret, 0, sizeof(*ret));
	if (opt->latency_format || header_line(header, len, " latency trace v", &line, &n))
		ret->why = "the option latency-format is on";
	else if (header_line(header, len, "# tracer: function_graph\n", &line, &n))
		find_graph(opt, header, len, ret);
	else if (opt->bin)
		ret->why = "the option bin is on";
	else if (opt->hex)
		ret->why = "the option hex is on";
	else if (opt->raw)
		ret->why = "the option raw is on";
	else if (!opt->context_info)
		ret->why = "the option context-info is off, so the lines have no time";
	else
		find_standard(opt, header, len, ret);
}
