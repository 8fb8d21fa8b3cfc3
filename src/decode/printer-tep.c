/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "printer.h"

#include <stdlib.h>
#include <string.h>
#include <event-parse.h>
#include <event-utils.h>

#include "tracesh/number.h"
#include "tracesh/xmalloc.h"

/*
 * Zeros behind the copy of a record: the library looks for the NUL of a string, and for
 * the arguments of a bprint, without regard to the end.
 */
#define TAIL 4096

struct tsh_printer {
	const struct tsh_provider *provider;
	struct tep_handle *tep;		/* NULL: no memory for it, nothing is printable */
	bool has_printk;
	struct trace_seq seq;
	unsigned char *copy;		/* of a record, aligned */
	size_t copy_size;
	size_t copy_used;		/* bytes that are not zero */
};

/* The library's weak one writes to the terminal. The name is the library's. */
int tep_vprint(const char *name, enum tep_loglevel level, bool print_err, const char *fmt,
	       va_list ap)
{
	(void)name;
	(void)level;
	(void)print_err;
	(void)fmt;
	(void)ap;
	return 0;
}

struct tsh_printer *tsh_printer_new(const struct tsh_provider *provider,
				    const struct tsh_page_layout *layout)
{
	struct tsh_printer *p = tsh_xcalloc(1, sizeof(*p));

	tep_set_loglevel(TEP_LOG_NONE);
	p->provider = provider;
	p->tep = tep_alloc();
	trace_seq_init(&p->seq);
	if (!p->tep)
		return p;
	tep_set_file_bigendian(p->tep, layout->big_endian ? TEP_BIG_ENDIAN : TEP_LITTLE_ENDIAN);
	tep_set_local_bigendian(p->tep, tep_is_bigendian() ? TEP_BIG_ENDIAN : TEP_LITTLE_ENDIAN);
	tep_set_long_size(p->tep, (int)layout->long_size);
	tep_set_page_size(p->tep, (int)layout->page_size);
	return p;
}

void tsh_printer_free(struct tsh_printer *p)
{
	if (!p)
		return;
	trace_seq_destroy(&p->seq);
	tep_free(p->tep);
	free(p->copy);
	free(p);
}

/* ---- formats ---- */

/* `0xADDRESS : "TEXT"`; the library takes the text with its quotes and escapes. */
static void add_printk_line(struct tsh_printer *p, const char *line, size_t len)
{
	char *text = tsh_xstrndup(line, len);
	char *blank = strchr(text, ' ');
	char *quote = strchr(text, '"');
	uint64_t address;

	if (blank && quote && blank < quote) {
		*blank = '\0';
		if (quote[1] && !tsh_parse_u64(text, &address))
			tep_register_print_string(p->tep, quote, address);
	}
	free(text);
}

static void load_printk(struct tsh_printer *p)
{
	char *all, *line;

	p->has_printk = true;
	all = p->provider->printk_formats ?
		p->provider->printk_formats(p->provider->ctx) : NULL;
	for (line = all; line && *line;) {
		size_t len = strcspn(line, "\n");

		add_printk_line(p, line, len);
		line += len + (line[len] == '\n');
	}
	free(all);
}

/* Strings that events have only the address of are in printk_formats. */
static bool wants_printk(const struct tsh_event_format *format)
{
	size_t i;

	for (i = 0; i < format->nfields; i++)
		if (format->fields[i].kind == TSH_FIELD_POINTER &&
		    strstr(format->fields[i].type, "char"))
			return true;
	return false;
}

bool tsh_printer_add(struct tsh_printer *p, struct tsh_event_format *format, const char *text,
		     size_t len)
{
	struct tep_event *event;

	if (!p->tep)
		return false;
	if (!p->has_printk && wants_printk(format))
		load_printk(p);
	if (tep_parse_event(p->tep, text, len, format->system))
		return false;
	event = tep_find_event(p->tep, (int)format->id);
	if (!event || ((unsigned int)event->flags & (unsigned int)TEP_EVENT_FL_FAILED))
		return false;
	format->printer = event;
	return true;
}

/* ---- events ---- */

/* The library checks no bound of a record. */
static bool is_whole(const struct tsh_decoder *d, const struct tsh_event_format *format,
		     const struct tsh_record *rec)
{
	struct tsh_field_value value;
	size_t i;

	for (i = 0; i < format->nfields; i++) {
		const struct tsh_field *field = &format->fields[i];

		if (field->offset > rec->size || field->size > rec->size - field->offset)
			return false;
		if (field->kind != TSH_FIELD_STRING && field->kind != TSH_FIELD_DYNAMIC)
			continue;
		tsh_decoder_value(d, field, rec, &value);
		if (value.kind == TSH_VALUE_MISSING)
			return false;
		/* __get_bitmask and __get_cpumask of nothing: it wants gigabytes. */
		if (field->kind == TSH_FIELD_DYNAMIC && !value.len &&
		    strstr(format->print_fmt, "mask("))
			return false;
	}
	return true;
}

static void copy_record(struct tsh_printer *p, const struct tsh_record *rec)
{
	if (p->copy_size < rec->size + (size_t)TAIL) {
		free(p->copy);
		p->copy_size = 2 * (size_t)rec->size + TAIL;
		p->copy = tsh_xcalloc(1, p->copy_size);
		p->copy_used = 0;
	}
	memcpy(p->copy, rec->data, rec->size);
	if (p->copy_used > rec->size)
		memset(p->copy + rec->size, 0, p->copy_used - rec->size);
	p->copy_used = rec->size;
}

bool tsh_printer_print(struct tsh_printer *p, const struct tsh_decoder *d,
		       const struct tsh_event_format *format, const struct tsh_record *rec,
		       struct tsh_strbuf *out)
{
	struct tep_record record = { .ts = rec->stamp, .cpu = rec->cpu };

	if (!is_whole(d, format, rec))
		return false;
	copy_record(p, rec);
	record.data = p->copy;
	record.size = (int)rec->size;
	record.record_size = record.size;
	trace_seq_reset(&p->seq);
	p->seq.state = TRACE_SEQ__GOOD;
	tep_print_event(p->tep, &p->seq, &record, "%s", TEP_PRINT_INFO);
	tsh_strbuf_add(out, p->seq.buffer, p->seq.len);
	return true;
}
