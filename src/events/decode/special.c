/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "events/symbols/printk-formats.h"
#include "special-bprint.h"
#include "special-internal.h"

/* ---- texts of a line or two: kernel/trace/trace_output.c, trace_branch.c ---- */

static void print_marker(struct tsh_decoder *d, const void *state,
			 const struct tsh_event_format *format, const struct tsh_record *rec,
			 struct tsh_strbuf *out)
{
	const struct tsh_field *buf = tsh_event_format_field(format, "buf");
	struct tsh_field_value value;

	(void)state;
	if (!buf)
		return;
	tsh_decoder_value(d, buf, rec, &value);
	if (value.kind == TSH_VALUE_STRING)
		tsh_strbuf_add(out, value.bytes, value.len);
}

void tsh_special_label(struct tsh_decoder *d, const struct tsh_event_format *format,
		       const struct tsh_record *rec, struct tsh_strbuf *out)
{
	struct tsh_symbol symbol;
	uint64_t ip;

	if (d->symbols && !strcmp(format->system, "ftrace") && !strcmp(format->name, "print")) {
		ip = special_field(d, format, "ip", rec);
		if (!ip || tsh_symbols_find(d->symbols, ip, &symbol)) {
			special_add_ip(d, ip, special_options(d)->sym_offset, out);
			return;
		}
	}
	tsh_strbuf_adds(out, format->label);
}

static void print_raw_data(struct tsh_decoder *d, const void *state,
			   const struct tsh_event_format *format, const struct tsh_record *rec,
			   struct tsh_strbuf *out)
{
	const struct tsh_field *buf = tsh_event_format_field(format, "buf");
	uint32_t i;

	(void)state;
	if (!buf)
		return;
	tsh_strbuf_adds(out, "# ");
	special_add_hex(out, (uint32_t)special_field(d, format, "id", rec));
	tsh_strbuf_adds(out, " buf:");
	/* prints all bytes to the record's end, also those behind the string */
	for (i = buf->offset; i < rec->size; i++)
		tsh_strbuf_addf(out, " %02x", rec->data[i]);
}

static void add_string(struct tsh_decoder *d, const struct tsh_event_format *format,
		       const char *name, const struct tsh_record *rec, struct tsh_strbuf *out)
{
	const struct tsh_field *field = tsh_event_format_field(format, name);
	struct tsh_field_value value;

	if (!field)
		return;
	tsh_decoder_value(d, field, rec, &value);
	if (value.kind == TSH_VALUE_STRING)
		tsh_strbuf_add(out, value.bytes, value.len);
}

static void print_branch(struct tsh_decoder *d, const void *state,
			 const struct tsh_event_format *format, const struct tsh_record *rec,
			 struct tsh_strbuf *out)
{
	(void)state;
	tsh_strbuf_adds(out, special_field(d, format, "correct", rec) ? "[  ok  ] " : "[ MISS ] ");
	add_string(d, format, "func", rec, out);
	tsh_strbuf_addc(out, ':');
	add_string(d, format, "file", rec, out);
	tsh_strbuf_addf(out, ":%u", (unsigned int)special_field(d, format, "line", rec));
}

static void print_bprint(struct tsh_decoder *d, const void *state,
			 const struct tsh_event_format *format, const struct tsh_record *rec,
			 struct tsh_strbuf *out)
{
	(void)state;
	special_print_bprint(d, format, rec, out);
}

/* Prints trace_puts(), whose record only has the address of a constant text in the kernel. */
static void print_bputs(struct tsh_decoder *d, const void *state,
			const struct tsh_event_format *format, const struct tsh_record *rec,
			struct tsh_strbuf *out)
{
	uint64_t address = special_field(d, format, "str", rec);
	const char *text = d->printk ? printk_formats_find(d->printk, address) : NULL;

	(void)state;
	special_add_ip(d, special_field(d, format, "ip", rec), special_options(d)->sym_offset,
		       out);
	tsh_strbuf_adds(out, ": ");
	if (text)
		tsh_strbuf_adds(out, text);
	else
		tsh_strbuf_addf(out, "0x%llx", (unsigned long long)address);
}

/* ---- finding ---- */

static bool find_plain(struct tsh_decoder *d, const struct tsh_event_format *format,
		       struct tsh_special *ret)
{
	(void)d;
	ret->label_in_text = true;
	if (!strcmp(format->name, "print")) {
		ret->print = print_marker;
		ret->label_in_text = false;
	} else if (!strcmp(format->name, "raw_data")) {
		ret->print = print_raw_data;
	} else if (!strcmp(format->name, "bprint")) {
		ret->print = print_bprint;
	} else if (!strcmp(format->name, "bputs")) {
		ret->print = print_bputs;
	} else {
		ret->print = print_branch;
	}
	return true;
}

static bool find_own(struct tsh_decoder *d, const struct tsh_event_format *format,
		     struct tsh_special *ret)
{
	static const struct {
		const char *name;
		special_find *find;
	} own[] = {
		{ "function", special_find_function },
		{ "func_repeats", special_find_function },
		{ "kernel_stack", special_find_stack },
		{ "user_stack", special_find_stack },
		{ "print", find_plain },
		{ "raw_data", find_plain },
		{ "bprint", find_plain },
		{ "bputs", find_plain },
		{ "branch", find_plain },
		{ "osnoise", special_find_latency },
		{ "timerlat", special_find_latency },
		{ "hwlat", special_find_latency },
		{ "wakeup", special_find_sched },
		{ "context_switch", special_find_sched },
		{ "mmiotrace_rw", special_find_mmio },
		{ "mmiotrace_map", special_find_mmio },
		{ "blk", special_find_blk },
	};
	size_t i;

	for (i = 0; i < sizeof(own) / sizeof(own[0]); i++)
		if (!strcmp(format->name, own[i].name))
			return own[i].find(d, format, ret);
	return false;
}

bool tsh_special_find(struct tsh_decoder *d, const struct tsh_event_format *format,
		      struct tsh_special *ret)
{
	memset(ret, 0, sizeof(*ret));
	if (!strcmp(format->system, "ftrace"))
		return find_own(d, format, ret);
	if (!strcmp(format->system, "syscalls"))
		return special_find_syscall(d, format, ret);
	if (!strcmp(format->system, "synthetic"))
		return special_find_synthetic(d, format, ret);
	return special_find_probe(d, format, ret);
}

void tsh_special_release(struct tsh_special *special)
{
	if (special->free_state)
		special->free_state(special->state);
	program_free(special->program);
	memset(special, 0, sizeof(*special));
}
