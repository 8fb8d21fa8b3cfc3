/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "base/xmalloc.h"
#include "events/symbols/btf.h"
#include "events/symbols/digits.h"
#include "events/symbols/printk-formats.h"
#include "events/symbols/symbols.h"
#include "special-bprint.h"
#include "special-internal.h"

/* ---- what they share ---- */

/* An option that the instance has not: as the kernel's defaults are. */
static bool option(struct tsh_decoder *d, const char *name, bool fallback)
{
	int value = d->provider->option ? d->provider->option(d->provider->ctx, name) : -1;

	return value < 0 ? fallback : value != 0;
}

static struct tsh_special_options *get_options(struct tsh_decoder *d)
{
	struct tsh_special_options *options = d->special;

	if (options)
		return options;
	options = tsh_xcalloc(1, sizeof(*options));
	d->special = options;
	options->sym_offset = option(d, "sym-offset", false);
	options->sym_addr = option(d, "sym-addr", false);
	options->print_parent = option(d, "print-parent", true);
	options->verbose = option(d, "verbose", false);
	options->blk_classic = option(d, "blk_classic", false);
	return options;
}

const struct tsh_special_options *special_options(struct tsh_decoder *d)
{
	return get_options(d);
}

const char *special_dynamic_events(struct tsh_decoder *d, bool anew)
{
	struct tsh_special_options *options = get_options(d);

	if (anew) {
		free(options->dynamic_events);
		options->dynamic_events = NULL;
	}
	if (!options->dynamic_events && d->provider->dynamic_events)
		options->dynamic_events = d->provider->dynamic_events(d->provider->ctx);
	if (!options->dynamic_events)
		options->dynamic_events = tsh_xstrdup("");
	return options->dynamic_events;
}

bool special_has_nmi_time(struct tsh_decoder *d)
{
	struct tsh_special_options *options = get_options(d);
	uint64_t address;

	/* Where there is none all symbols are read to find that out. */
	if (!options->knows_nmi_time)
		options->has_nmi_time = !d->symbols ||
			!tsh_symbols_address(d->symbols, "sched_clock_suspend", &address);
	options->knows_nmi_time = true;
	return options->has_nmi_time;
}

struct tsh_btf *special_btf(struct tsh_decoder *d)
{
	struct tsh_special_options *options = get_options(d);

	if (!options->btf)
		options->btf = tsh_btf_new(d->provider);
	return options->btf;
}

bool special_is_since(const struct tsh_decoder *d, unsigned int major, unsigned int minor)
{
	uint64_t version;

	return !d->provider->variable ||
	       !d->provider->variable(d->provider->ctx, "LINUX_VERSION_CODE", &version) ||
	       version >= (major << 16 | minor << 8);
}

void tsh_special_forget(struct tsh_decoder *d)
{
	if (!d->special)
		return;
	free(d->special->dynamic_events);
	tsh_btf_free(d->special->btf);
	free(d->special);
	d->special = NULL;
}

struct special_number special_number(const struct tsh_event_format *format, const char *name)
{
	const struct tsh_field *field = tsh_event_format_field(format, name);
	struct special_number number = { 0, 0, false };

	if (!field || (field->kind != TSH_FIELD_INT && field->kind != TSH_FIELD_POINTER))
		return number;
	if (field->size != 1 && field->size != 2 && field->size != 4 && field->size != 8)
		return number;
	number.offset = field->offset;
	number.size = (uint8_t)field->size;
	number.is_signed = field->is_signed && field->kind == TSH_FIELD_INT;
	return number;
}

uint64_t special_field(const struct tsh_decoder *d, const struct tsh_event_format *format,
		       const char *name, const struct tsh_record *rec)
{
	struct special_number number = special_number(format, name);
	uint64_t value;

	special_load(d, &number, rec, &value);
	return value;
}

void special_add_hex(struct tsh_strbuf *out, uint64_t value)
{
	tsh_strbuf_grow(out, DIGITS_ROOM);
	out->len = (size_t)(digits_put_hex(out->buf + out->len, value) - out->buf);
	out->buf[out->len] = '\0';
}

/* Where functions return to that a kretprobe waits for: nobody knows their caller. */
static bool is_trampoline(struct tsh_decoder *d, uint64_t address, const char *text, size_t len)
{
	static const char names[][24] = {
		"arch_rethook_trampoline", "__kretprobe_trampoline", "kretprobe_trampoline",
	};
	struct tsh_symbol symbol;
	size_t i, n;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (text[0] != names[i][0])
			continue;
		n = strlen(names[i]);
		if (len < n || memcmp(text, names[i], n) || (text[n] && text[n] != '+'))
			continue;
		return tsh_symbols_find(d->symbols, address, &symbol) &&
		       symbol.address == address;
	}
	return false;
}

void special_add_ip(struct tsh_decoder *d, uint64_t address, bool with_offset,
		    struct tsh_strbuf *out)
{
	const char *text = NULL;
	size_t len = 0;

	if (!address) {
		tsh_strbuf_addc(out, '0');
		return;
	}
	if (d->symbols)
		text = tsh_symbols_text(d->symbols,
					with_offset ? TSH_SYMBOL_OFFSET : TSH_SYMBOL_NAME, address,
					&len);
	if (!text)
		tsh_strbuf_addf(out, with_offset ? "0x%llx" : "0x%08llx",
				(unsigned long long)address);
	else if (is_trampoline(d, address, text, len))
		tsh_strbuf_adds(out, "[unknown/kretprobe'd]");
	else
		tsh_strbuf_add(out, text, len);
	if (special_options(d)->sym_addr)
		tsh_strbuf_addf(out, " <%0*llx>", (int)(2 * d->layout.long_size),
				(unsigned long long)address);
}

void special_add_time(uint64_t stamp, struct tsh_strbuf *out)
{
	uint64_t us = (stamp + 500) / 1000;	/* ns2usecs */

	tsh_strbuf_addf(out, " %5llu.%06llu", (unsigned long long)(us / 1000000),
			(unsigned long long)(us % 1000000));
}

/* ---- those of a line or two: kernel/trace/trace_output.c, trace_branch.c ---- */

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
	/* All of it, strings or not */
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

/* trace_puts() records where a text is that the kernel has for good. */
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
	memset(special, 0, sizeof(*special));
}
