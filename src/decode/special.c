/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "special.h"

#include <string.h>

#define ENTER	"sys_enter_"
#define EXIT	"sys_exit_"

/* A field's value; false when the event has no such field, or the record is too short. */
static bool get(const struct tsh_decoder *d, const struct tsh_event_format *format,
		const struct tsh_record *rec, const char *name, struct tsh_field_value *ret)
{
	const struct tsh_field *field = tsh_event_format_field(format, name);

	if (!field)
		return false;
	tsh_decoder_value(d, field, rec, ret);
	return ret->kind != TSH_VALUE_MISSING;
}

/* ---- system calls: kernel/trace/trace_syscalls.c ---- */

static uint64_t as_long(const struct tsh_decoder *d, uint64_t value)
{
	return d->layout.long_size == 4 ? (uint32_t)value : value;
}

/* What was read of the caller's memory, behind the argument that points to it. */
static void print_user_data(const struct tsh_decoder *d, const struct tsh_event_format *format,
			    const struct tsh_record *rec, const struct tsh_field *arg,
			    struct tsh_strbuf *out)
{
	struct tsh_field_value value;
	size_t i, len = strlen(arg->name);

	for (i = 0; i < format->nfields; i++) {
		const struct tsh_field *field = &format->fields[i];

		if (field->kind != TSH_FIELD_STRING || strncmp(field->name, "__", 2) ||
		    strncmp(field->name + 2, arg->name, len) ||
		    strcmp(field->name + 2 + len, "_val"))
			continue;
		tsh_decoder_value(d, field, rec, &value);
		if (value.kind == TSH_VALUE_STRING) {
			tsh_strbuf_adds(out, " \"");
			tsh_strbuf_add(out, value.bytes, value.len);
			tsh_strbuf_addc(out, '"');
		}
	}
}

static void print_enter(const struct tsh_decoder *d, const struct tsh_event_format *format,
			const struct tsh_record *rec, struct tsh_strbuf *out)
{
	struct tsh_field_value value;
	bool has_number = false;
	const char *comma = "";
	size_t i;

	tsh_strbuf_adds(out, "sys_");
	tsh_strbuf_adds(out, format->name + sizeof(ENTER) - 1);
	tsh_strbuf_addc(out, '(');
	for (i = 0; i < format->nfields; i++) {
		const struct tsh_field *field = &format->fields[i];

		if (field->is_common)
			continue;
		/* The first is the call's number, by any name; an argument can be `nr` too. */
		if (!has_number || field->kind == TSH_FIELD_STRING) {
			has_number = true;
			continue;
		}
		tsh_decoder_value(d, field, rec, &value);
		if (value.kind == TSH_VALUE_MISSING)
			break;
		value.u = as_long(d, value.u);
		tsh_strbuf_addf(out, "%s%s: %s%llx", comma, field->name,
				d->bare_hex || value.u < 10 ? "" : "0x",
				(unsigned long long)value.u);
		print_user_data(d, format, rec, field, out);
		comma = ", ";
	}
	tsh_strbuf_addc(out, ')');
}

static void print_exit(const struct tsh_decoder *d, const struct tsh_event_format *format,
		       const struct tsh_record *rec, struct tsh_strbuf *out)
{
	struct tsh_field_value value;

	tsh_strbuf_adds(out, "sys_");
	tsh_strbuf_adds(out, format->name + sizeof(EXIT) - 1);
	if (get(d, format, rec, "ret", &value))
		tsh_strbuf_addf(out, " -> 0x%llx", (unsigned long long)as_long(d, value.u));
}

/* ---- the tracers' own: kernel/trace/trace_output.c ---- */

static void print_marker(const struct tsh_decoder *d, const struct tsh_event_format *format,
			 const struct tsh_record *rec, struct tsh_strbuf *out)
{
	struct tsh_field_value value;

	if (get(d, format, rec, "buf", &value))
		tsh_strbuf_add(out, value.bytes, value.len);
}

static void print_raw_data(const struct tsh_decoder *d, const struct tsh_event_format *format,
			   const struct tsh_record *rec, struct tsh_strbuf *out)
{
	struct tsh_field_value value;
	const struct tsh_field *buf = tsh_event_format_field(format, "buf");
	uint32_t i;

	if (!get(d, format, rec, "id", &value) || !buf)
		return;
	tsh_strbuf_addf(out, "# %x buf:", (unsigned int)value.u);
	/* All of it, strings or not */
	for (i = buf->offset; i < rec->size; i++)
		tsh_strbuf_addf(out, " %02x", rec->data[i]);
}

/* As the kernel prints an address that no symbol is at. */
static void print_address(uint64_t address, struct tsh_strbuf *out)
{
	if (address)
		tsh_strbuf_addf(out, "0x%08llx", (unsigned long long)address);
	else
		tsh_strbuf_addc(out, '0');
}

static void print_function(const struct tsh_decoder *d, const struct tsh_event_format *format,
			   const struct tsh_record *rec, struct tsh_strbuf *out)
{
	struct tsh_field_value value;

	if (get(d, format, rec, "ip", &value))
		print_address(value.u, out);
	if (get(d, format, rec, "parent_ip", &value) && value.u) {
		tsh_strbuf_adds(out, " <-");
		print_address(value.u, out);
	}
}

/* It may be longer than the 8 entries that its format tells of. */
static void print_stack(const struct tsh_decoder *d, const struct tsh_event_format *format,
			const struct tsh_record *rec, struct tsh_strbuf *out)
{
	const struct tsh_field *caller = tsh_event_format_field(format, "caller");
	bool is_user = format->name[0] == 'u';
	uint64_t last = is_user ? 0 : d->layout.long_size == 4 ? UINT32_MAX : UINT64_MAX;
	struct tsh_field_value all, value;
	struct tsh_field rest;
	size_t i;

	tsh_strbuf_adds(out, is_user ? "<user stack trace>" : "<stack trace>");
	if (!caller || caller->kind != TSH_FIELD_ARRAY)
		return;
	rest = *caller;
	if (!is_user)
		rest.size = 0;
	tsh_decoder_value(d, &rest, rec, &all);
	for (i = 0; tsh_decoder_element(d, &rest, &all, i, &value) && value.u != last; i++) {
		tsh_strbuf_adds(out, "\n => ");
		if (is_user)
			tsh_strbuf_addf(out, " <%0*llx>", (int)(2 * d->layout.long_size),
					(unsigned long long)value.u);
		else
			print_address(value.u, out);
	}
}

tsh_special_print *tsh_special_find(const struct tsh_event_format *format)
{
	static const struct {
		const char *name;
		tsh_special_print *print;
	} own[] = {
		{ "print", print_marker },
		{ "raw_data", print_raw_data },
		{ "function", print_function },
		{ "kernel_stack", print_stack },
		{ "user_stack", print_stack },
	};
	size_t i;

	if (!strcmp(format->system, "syscalls") && format->label_in_text)
		return strncmp(format->name, ENTER, sizeof(ENTER) - 1) ? print_exit : print_enter;
	if (!strcmp(format->system, "ftrace"))
		for (i = 0; i < sizeof(own) / sizeof(own[0]); i++)
			if (!strcmp(format->name, own[i].name))
				return own[i].print;
	return NULL;
}
