/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "csv.h"

#include <string.h>

#include "base/number.h"
#include "events/decode/page.h"
#include "output/sink.h"

static void add_number(struct tsh_strbuf *out, int value)
{
	if (value >= 0)
		tsh_strbuf_addu(out, (unsigned int)value);
	tsh_strbuf_addc(out, ',');
}

static void add_time(struct tsh_show_printer *p, const struct tsh_show_item *item, bool has_wall,
		     int64_t wall)
{
	struct tsh_strbuf text = TSH_STRBUF_INIT;
	const char *begin;

	tsh_time_text_of(&p->time, item->cpu, item->pid);
	tsh_time_text_add(&p->time, &text, p->clock.kind, item->stamp, has_wall, wall);
	/* the blanks are for columns, and - is of a task that was forgotten */
	begin = text.buf + strspn(text.buf, " ");
	if (strcmp(begin, "-") != 0)
		tsh_strbuf_adds(&p->out->data, begin);
	tsh_strbuf_release(&text);
}

/* The name that has its own column is not in the text, as of stream. */
static void add_event(struct tsh_show_printer *p, const struct tsh_show_item *item)
{
	struct tsh_strbuf *out = &p->out->data;
	const char *text = item->text + item->body;
	size_t len = tsh_show_body_len(item), skip;
	const struct tsh_event *event = tsh_show_names_find(p->names, text, len, &skip);

	if (event)
		tsh_strbuf_addf(out, "%s:%s", event->system, event->name);
	tsh_strbuf_addc(out, ',');
	tsh_csv_cell(out, text + skip, len - skip);
}

void tsh_show_csv_event(struct tsh_show_printer *p, const struct tsh_show_item *item)
{
	struct tsh_strbuf *out = &p->out->data;
	uint64_t error = 0;
	int64_t wall = 0;
	bool has_wall = tsh_show_wall(p, item, &wall, &error);

	add_time(p, item, has_wall, wall);
	tsh_strbuf_addc(out, ',');
	tsh_strbuf_addu(out, item->stamp);
	tsh_strbuf_addc(out, ',');
	if (has_wall)
		tsh_strbuf_addu(out, tsh_saturating_sum(error, tsh_time_text_rounding(&p->time)));
	tsh_strbuf_addc(out, ',');
	add_number(out, item->cpu);
	add_number(out, item->pid);
	add_number(out, item->tgid);
	tsh_csv_cell(out, item->text + item->comm, item->comm_len);
	tsh_strbuf_addc(out, ',');
	tsh_csv_cell(out, item->text + item->flags, item->flags_len);
	tsh_strbuf_addc(out, ',');
	add_event(p, item);
	tsh_strbuf_addc(out, '\n');
}

void tsh_show_csv_lost(struct tsh_out *out, int cpu, uint64_t count)
{
	tsh_strbuf_addf(&out->data, ",,,%d,,,,,lost,", cpu);
	if (count != TSH_LOST_UNKNOWN)
		tsh_strbuf_addu(&out->data, count);
	else
		tsh_strbuf_adds(&out->data, "unknown");
	tsh_strbuf_addc(&out->data, '\n');
}
