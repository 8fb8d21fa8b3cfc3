/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "base/xmalloc.h"
#include "special-internal.h"

/* ---- function, func_repeats: kernel/trace/trace_output.c, print_fn_trace ---- */

#define ARGS_MIN 6	/* the lower limit of FTRACE_REGS_MAX_ARGS */

struct function {
	struct special_number ip, parent_ip;
	struct special_number count, delta_high, delta_low;	/* of func_repeats */
	uint32_t args;			/* offset of the arguments; 0: they are not recorded */
};

static void add_function(struct tsh_decoder *d, const struct function *fn,
			 const struct tsh_record *rec, struct tsh_strbuf *out)
{
	const struct tsh_special_options *options = special_options(d);
	uint64_t ip, parent;

	special_load(d, &fn->ip, rec, &ip);
	special_add_ip(d, ip, options->sym_offset, out);
	if (fn->args && rec->size > fn->args &&
	    rec->size - fn->args >= ARGS_MIN * d->layout.long_size)
		special_add_args(d, ip, rec, fn->args, out);
	special_load(d, &fn->parent_ip, rec, &parent);
	if (options->print_parent && parent) {
		tsh_strbuf_add(out, " <-", 3);
		special_add_ip(d, parent, options->sym_offset, out);
	}
}

static void print_function(struct tsh_decoder *d, const void *state,
			   const struct tsh_event_format *format, const struct tsh_record *rec,
			   struct tsh_strbuf *out)
{
	(void)format;
	add_function(d, state, rec, out);
}

static void print_repeats(struct tsh_decoder *d, const void *state,
			  const struct tsh_event_format *format, const struct tsh_record *rec,
			  struct tsh_strbuf *out)
{
	const struct function *fn = state;
	uint64_t count, high, low;

	(void)format;
	add_function(d, fn, rec, out);
	special_load(d, &fn->count, rec, &count);
	special_load(d, &fn->delta_high, rec, &high);
	special_load(d, &fn->delta_low, rec, &low);
	tsh_strbuf_adds(out, " (repeats: ");
	tsh_strbuf_addu(out, count);
	tsh_strbuf_adds(out, ", last_ts:");
	special_add_time(rec->stamp - (high << 32 | low), out);
	tsh_strbuf_addc(out, ')');
}

bool special_find_function(struct tsh_decoder *d, const struct tsh_event_format *format,
			   struct tsh_special *ret)
{
	const struct tsh_field *args = tsh_event_format_field(format, "args");
	struct function *fn = tsh_xcalloc(1, sizeof(*fn));

	(void)d;
	fn->ip = special_number(format, "ip");
	fn->parent_ip = special_number(format, "parent_ip");
	fn->count = special_number(format, "count");
	fn->delta_high = special_number(format, "top_delta_ts");
	fn->delta_low = special_number(format, "bottom_delta_ts");
	if (args)
		fn->args = args->offset;
	ret->print = fn->count.size ? print_repeats : print_function;
	ret->state = fn;
	ret->free_state = free;
	ret->label_in_text = true;
	return true;
}

/* ---- stacks: trace_stack_print, trace_user_stack_print ---- */

/* Reads an address. Returns false at the end of the record. */
static bool next_address(const struct tsh_decoder *d, const struct tsh_record *rec,
			 struct special_number *place, uint64_t *ret)
{
	if (!special_load(d, place, rec, ret))
		return false;
	place->offset += place->size;
	return true;
}

/* Prints a kernel stack, which may be longer than the 8 entries of its format. */
static void print_kernel_stack(struct tsh_decoder *d, const void *state,
			       const struct tsh_event_format *format,
			       const struct tsh_record *rec, struct tsh_strbuf *out)
{
	bool with_offset = special_options(d)->sym_offset;
	uint64_t end = d->layout.long_size == 4 ? UINT32_MAX : UINT64_MAX;
	struct special_number place = *(const struct special_number *)state;
	uint64_t address;

	(void)format;
	tsh_strbuf_adds(out, "<stack trace>");
	while (next_address(d, rec, &place, &address) && address != end) {
		tsh_strbuf_adds(out, "\n => ");
		if (address == TSH_STACK_TRAMPOLINE)
			tsh_strbuf_adds(out, "[FTRACE TRAMPOLINE]");
		else
			special_add_ip(d, address, with_offset, out);
	}
}

size_t tsh_decoder_stack(const struct tsh_decoder *d, const struct tsh_event_format *format,
			 const struct tsh_record *rec, uint64_t *ret, size_t max)
{
	uint64_t end = d->layout.long_size == 4 ? UINT32_MAX : UINT64_MAX;
	const struct tsh_field *caller = tsh_event_format_field(format, "caller");
	struct special_number place = { .size = (uint8_t)d->layout.long_size };
	size_t n = 0;

	if (!caller || caller->kind != TSH_FIELD_ARRAY || strcmp(format->name, "kernel_stack") != 0)
		return 0;
	place.offset = caller->offset;
	while (n < max && next_address(d, rec, &place, &ret[n]) && ret[n] != end)
		n++;
	return n;
}

size_t tsh_decoder_user_stack(const struct tsh_decoder *d, const struct tsh_event_format *format,
			      const struct tsh_record *rec, int *ret_tgid, uint64_t *ret, size_t max)
{
	const struct tsh_field *caller = tsh_event_format_field(format, "caller");
	struct special_number place = { .size = (uint8_t)d->layout.long_size };
	size_t n = 0;

	*ret_tgid = (int)special_field(d, format, "tgid", rec);
	if (!caller || caller->kind != TSH_FIELD_ARRAY || strcmp(format->name, "user_stack") != 0)
		return 0;
	place.offset = caller->offset;
	while (n < max && place.offset < caller->offset + caller->size &&
	       next_address(d, rec, &place, &ret[n]) && ret[n])
		n++;
	return n;
}

/* Prints a user stack. With sym-userobj the kernel reads the task's maps when the text is read, not
 * when the event happened; so we print what it prints for a task that has ended. */
static void print_user_stack(struct tsh_decoder *d, const void *state,
			     const struct tsh_event_format *format,
			     const struct tsh_record *rec, struct tsh_strbuf *out)
{
	const struct tsh_field *caller = tsh_event_format_field(format, "caller");
	struct special_number place = *(const struct special_number *)state;
	uint32_t end = caller->offset + caller->size;
	uint64_t address;

	tsh_strbuf_adds(out, "<user stack trace>");
	while (place.offset < end && next_address(d, rec, &place, &address) && address)
		tsh_strbuf_addf(out, "\n =>  <%0*llx>", (int)(2 * d->layout.long_size),
				(unsigned long long)address);
}

bool special_find_stack(struct tsh_decoder *d, const struct tsh_event_format *format,
			struct tsh_special *ret)
{
	const struct tsh_field *caller = tsh_event_format_field(format, "caller");
	struct special_number *place;

	if (!caller || caller->kind != TSH_FIELD_ARRAY)
		return false;
	place = tsh_xcalloc(1, sizeof(*place));
	place->offset = caller->offset;
	place->size = (uint8_t)d->layout.long_size;
	ret->print = format->name[0] == 'u' ? print_user_stack : print_kernel_stack;
	ret->state = place;
	ret->free_state = free;
	ret->label_in_text = true;
	return true;
}
