/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "special-internal.h"

#include <stdlib.h>
#include <string.h>

#include "base/xmalloc.h"
#include "events/symbols/btf.h"
#include "events/symbols/digits.h"
#include "events/symbols/symbols.h"

/* Functions and options that several of the special-* files need. */

/* Returns an option of the instance, or `fallback`, the kernel's default, when the instance does
 * not have it. */
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

	/* This may read all symbols, when there is no such symbol. */
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
	out->len = (size_t)(digits_write_hex(out->buf + out->len, value) - out->buf);
	out->buf[out->len] = '\0';
}

/* Says whether a symbol is the trampoline of kretprobes. It is printed instead of a caller that is
 * not known. */
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
