/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "base/xmalloc.h"
#include "events/symbols/digits.h"
#include "special-internal.h"

/* Prints system calls (kernel/trace/trace_syscalls.c). */

#define ENTER	"sys_enter_"
#define EXIT	"sys_exit_"

struct arg {
	char *label;			/* ", count: " */
	size_t label_len;
	struct special_number number;
	bool is_pointer;
	/* the record has a copy of the caller's memory (since 6.19) */
	bool has_data;
	bool is_string;			/* the copy is a string; otherwise bytes */
	uint32_t data;			/* offset of the word with the copy's length and offset */
};

struct flag {
	uint64_t mask;
	char *name;
};

struct syscall {
	char *head;			/* "sys_read(", "sys_read -> 0x" */
	size_t head_len;
	/* bytes that the text needs at most, without copies of memory */
	size_t room;
	bool bare_hex;
	TSH_VEC(struct arg) args;
	TSH_VEC(struct flag) flags;	/* names of openat's flags, which some kernels print */
	struct special_number ret;	/* result, for an exit */
};

static void free_syscall(void *state)
{
	struct syscall *call = state;
	size_t i;

	for (i = 0; i < call->args.n; i++)
		free(call->args.v[i].label);
	for (i = 0; i < call->flags.n; i++)
		free(call->flags.v[i].name);
	tsh_vec_release(&call->args);
	tsh_vec_release(&call->flags);
	free(call->head);
	free(call);
}

/* ---- arguments ---- */

/* Writes a value: %lx before 6.18; later 0x%lx, but %lu below 10. The caller has made room. */
static char *write_value(const struct syscall *call, char *o, uint64_t value)
{
	if (!call->bare_hex && value >= 10) {
		memcpy(o, "0x", 2);
		o += 2;
	}
	return digits_write_hex(o, value);
}

static bool is_print(unsigned char c)
{
	return c >= ' ' && c <= '~';
}

/* Adds bytes in hexadecimal, and as text if any of them is printable. `whole`: size of the memory,
 * which may be larger than the copy. */
static void add_bytes(const unsigned char *bytes, size_t len, int whole, struct tsh_strbuf *out)
{
	bool is_cut = whole > 0 && len < (size_t)whole, has_text = false;
	size_t i;

	tsh_strbuf_adds(out, " (");
	for (i = 0; i < len; i++) {
		tsh_strbuf_addf(out, "%s%02x", i ? ":" : "", bytes[i]);
		has_text |= is_print(bytes[i]);
	}
	tsh_strbuf_adds(out, is_cut ? ", ...)" : ")");
	if (!has_text)
		return;
	tsh_strbuf_adds(out, " \"");
	for (i = 0; i < len; i++)
		tsh_strbuf_addc(out, is_print(bytes[i]) ? (char)bytes[i] : '.');
	tsh_strbuf_adds(out, is_cut ? "\"..." : "\"");
}

/* Adds the memory that an argument points to, as the kernel has copied it. The next argument, if
 * there is one, is its size. */
static void add_data(const struct tsh_decoder *d, const struct syscall *call, size_t i,
		     const struct tsh_record *rec, struct tsh_strbuf *out)
{
	const struct arg *arg = &call->args.v[i];
	uint64_t whole = 0;
	uint32_t word, begin, len;

	if (rec->size < 4 || arg->data > rec->size - 4)
		return;
	word = load_u32(rec->data + arg->data, d->layout.big_endian);
	begin = word & 0xffff;
	len = word >> 16;
	if (begin > rec->size || len > rec->size - begin)
		return;
	if (arg->is_string) {
		tsh_strbuf_adds(out, " \"");
		tsh_strbuf_add(out, rec->data + begin,
			       strnlen((const char *)rec->data + begin, len));
		tsh_strbuf_addc(out, '"');
		return;
	}
	if (i + 1 < call->args.n)
		special_load(d, &call->args.v[i + 1].number, rec, &whole);
	add_bytes(rec->data + begin, len, (int)whole, out);
}

static void print_enter(struct tsh_decoder *d, const void *state,
			const struct tsh_event_format *format, const struct tsh_record *rec,
			struct tsh_strbuf *out)
{
	const struct syscall *call = state;
	bool is_hidden;
	uint64_t value;
	size_t i;
	char *o;

	(void)format;
	tsh_strbuf_grow(out, call->room);
	o = mempcpy(out->buf + out->len, call->head, call->head_len);
	for (i = 0; i < call->args.n; i++) {
		const struct arg *arg = &call->args.v[i];

		if (!special_load(d, &arg->number, rec, &value))
			break;
		o = mempcpy(o, arg->label, arg->label_len);
		is_hidden = arg->is_pointer && value && d->env.pointer.hidden;
		if (!is_hidden)
			o = write_value(call, o, value);
		if (!arg->has_data && !is_hidden)
			continue;
		out->len = (size_t)(o - out->buf);
		if (is_hidden)
			tsh_decoder_pointer(d, value, out);
		if (arg->has_data)
			add_data(d, call, i, rec, out);
		tsh_strbuf_grow(out, call->room);
		o = out->buf + out->len;
	}
	*o++ = ')';
	out->len = (size_t)(o - out->buf);
	*o = '\0';
}

/* ---- openat of 6.19 and later: sys_enter_openat_print ---- */

#define OPEN_ACCMODE	3U
#define OPEN_TMPFILE	020000000U

static uint64_t flag_mask(const struct syscall *call, const char *name)
{
	size_t i;

	for (i = 0; i < call->flags.n; i++)
		if (!strcmp(call->flags.v[i].name, name))
			return call->flags.v[i].mask;
	return 0;
}

static void add_flags(const struct syscall *call, uint64_t bits, struct tsh_strbuf *out)
{
	const char *bar = "";
	size_t i;

	tsh_strbuf_adds(out, "flags: ");
	if (!(bits & OPEN_ACCMODE)) {
		tsh_strbuf_adds(out, bits ? "O_RDONLY|" : "O_RDONLY");
		if (!bits)
			return;
	}
	for (i = 0; i < call->flags.n && bits; i++) {
		const struct flag *flag = &call->flags.v[i];

		if ((bits & flag->mask) != flag->mask)
			continue;
		bits &= ~flag->mask;
		tsh_strbuf_adds(out, bar);
		tsh_strbuf_adds(out, flag->name);
		bar = "|";
	}
	if (bits)
		tsh_strbuf_addf(out, "%s0x%llx", bar, (unsigned long long)bits);
}

static void print_openat(struct tsh_decoder *d, const void *state,
			 const struct tsh_event_format *format, const struct tsh_record *rec,
			 struct tsh_strbuf *out)
{
	const struct syscall *call = state;
	uint64_t mode_matters = flag_mask(call, "O_CREAT") | flag_mask(call, "O_TMPFILE");
	uint64_t value;
	size_t i;

	(void)format;
	tsh_strbuf_add(out, call->head, call->head_len);
	for (i = 0; i < call->args.n; i++) {
		const struct arg *arg = &call->args.v[i];

		if (!special_load(d, &arg->number, rec, &value))
			break;
		if (i == 2) {
			/* an int, which the kernel extends to a long */
			value = (uint64_t)(int32_t)value;
			tsh_strbuf_adds(out, ", ");
			add_flags(call, d->layout.long_size == 4 ? (uint32_t)value : value, out);
			if (!(value & mode_matters))
				break;
			continue;
		}
		tsh_strbuf_add(out, arg->label, arg->label_len);
		if (i == 3)
			tsh_strbuf_addf(out, "0%03o", (unsigned int)value);
		else if (arg->is_pointer && value && d->env.pointer.hidden)
			tsh_decoder_pointer(d, value, out);
		else
			tsh_strbuf_addu(out, value);
		if (arg->has_data)
			add_data(d, call, i, rec, out);
	}
	tsh_strbuf_addc(out, ')');
}

/* Reads the flags `{ 0x1, "O_WRONLY" }` of the print format. Puts O_TMPFILE before them, which the
 * print format lacks. */
static void find_open_flags(struct syscall *call, const char *print_fmt)
{
	const char *p = strstr(print_fmt, "__print_flags(REC->flags");
	struct flag *flag, *first;

	if (!p)
		return;
	first = tsh_vec_push(&call->flags);
	first->name = tsh_xstrdup("O_TMPFILE");
	while ((p = strstr(p, "{ 0x"))) {
		char *end;
		uint64_t mask = strtoull(p + 2, &end, 16);
		const char *name = !strncmp(end, ", \"", 3) ? end + 3 : NULL;

		p += 4;
		if (!name || !strchr(name, '"'))
			continue;
		flag = tsh_vec_push(&call->flags);
		flag->mask = mask;
		flag->name = tsh_xstrndup(name, (size_t)(strchr(name, '"') - name));
	}
	call->flags.v[0].mask = OPEN_TMPFILE | flag_mask(call, "O_DIRECTORY");
}

/* ---- exits ---- */

static void print_exit(struct tsh_decoder *d, const void *state,
		       const struct tsh_event_format *format, const struct tsh_record *rec,
		       struct tsh_strbuf *out)
{
	const struct syscall *call = state;
	uint64_t value;

	(void)format;
	tsh_strbuf_add(out, call->head, call->head_len);
	if (special_load(d, &call->ret, rec, &value)) {
		tsh_strbuf_add(out, " -> 0x", 6);
		special_add_hex(out, value);
	}
}

/* ---- finding ---- */

/* Finds the field `__buf_val` of an argument `buf`. A kernel that has such a field prints 0x.
 * Without the field, the kernel's version decides whether 0x is printed. */
static const struct tsh_field *find_data(const struct tsh_event_format *format,
					 const char *name)
{
	char *data = tsh_xasprintf("__%s_val", name);
	const struct tsh_field *field = tsh_event_format_field(format, data);

	free(data);
	return field && field->kind == TSH_FIELD_STRING ? field : NULL;
}

static void add_arg(struct tsh_decoder *d, struct syscall *call,
		    const struct tsh_event_format *format, const struct tsh_field *field)
{
	const struct tsh_field *data = find_data(format, field->name);
	const char *comma = call->args.n ? ", " : "";
	struct arg *arg = tsh_vec_push(&call->args);
	char *get_string;

	if (special_options(d)->verbose)
		arg->label = tsh_xasprintf("%s%s %s: ", comma, field->type, field->name);
	else
		arg->label = tsh_xasprintf("%s%s: ", comma, field->name);
	arg->label_len = strlen(arg->label);
	arg->is_pointer = strchr(field->type, '*') != NULL;
	call->room += arg->label_len + DIGITS_ROOM;
	/* all arguments are longs; no format has their sign */
	arg->number = (struct special_number){ field->offset, (uint8_t)field->size, false };
	if (!data)
		return;
	call->bare_hex = false;
	arg->has_data = true;
	arg->data = data->offset;
	get_string = tsh_xasprintf("__get_str(%s)", data->name);
	arg->is_string = strstr(format->print_fmt, get_string);
	free(get_string);
}

static void find_args(struct tsh_decoder *d, struct syscall *call,
		      const struct tsh_event_format *format)
{
	bool has_number = false;
	size_t i;

	for (i = 0; i < format->nfields; i++) {
		const struct tsh_field *field = &format->fields[i];

		if (field->is_common)
			continue;
		/* the first field is the call's number, under any name; an argument can be called
		 * `nr` too */
		if (!has_number || field->kind == TSH_FIELD_STRING) {
			has_number = true;
			continue;
		}
		if (field->size == 4 || field->size == 8)
			add_arg(d, call, format, field);
	}
}

/* Makes the program of an enter, if its arguments are numbers alone. */
static struct program *compile_enter(const struct tsh_decoder *d, const struct syscall *call)
{
	struct program_value *values;
	struct program *program;
	char *first;
	size_t i;

	if (!call->args.n)
		return NULL;
	for (i = 0; i < call->args.n; i++)
		if (call->args.v[i].has_data)
			return NULL;
	values = tsh_xcalloc(call->args.n, sizeof(*values));
	first = tsh_xasprintf("%s%s", call->head, call->args.v[0].label);
	for (i = 0; i < call->args.n; i++) {
		const struct arg *arg = &call->args.v[i];

		values[i] = (struct program_value){ i ? arg->label : first, arg->number.offset, arg->number.size,
						    !call->bare_hex };
	}
	program = program_of_values(&d->env, values, call->args.n, ")");
	free(first);
	free(values);
	return program;
}

static struct program *compile_exit(const struct tsh_decoder *d, const struct syscall *call)
{
	char *text = tsh_xasprintf("%s -> 0x", call->head);
	const struct program_value value = { text, call->ret.offset, call->ret.size, false };
	struct program *program = NULL;

	if (value.size == 4 || value.size == 8)
		program = program_of_values(&d->env, &value, 1, "");
	free(text);
	return program;
}

/* Makes a program for records in this machine's byte order. */
static struct program *compile(const struct tsh_decoder *d, const struct syscall *call, bool is_exit)
{
	if (d->layout.big_endian != TSH_HOST_BIG_ENDIAN || call->flags.n)
		return NULL;
	return is_exit ? compile_exit(d, call) : compile_enter(d, call);
}

bool special_find_syscall(struct tsh_decoder *d, const struct tsh_event_format *format,
			  struct tsh_special *ret)
{
	bool is_exit = !strncmp(format->name, EXIT, sizeof(EXIT) - 1);
	struct syscall *call;

	if (!is_exit && strncmp(format->name, ENTER, sizeof(ENTER) - 1))
		return false;
	call = tsh_xcalloc(1, sizeof(*call));
	ret->state = call;
	ret->free_state = free_syscall;
	ret->label_in_text = true;
	ret->is_repeatable = true;
	if (is_exit) {
		call->head = tsh_xasprintf("sys_%s", format->name + sizeof(EXIT) - 1);
		call->ret = special_number(format, "ret");
		call->ret.is_signed = false;
		ret->print = print_exit;
	} else {
		call->head = tsh_xasprintf("sys_%s(", format->name + sizeof(ENTER) - 1);
		call->bare_hex = !special_is_since(d, 6, 18);
		find_args(d, call, format);
		if (!strcmp(format->name, "sys_enter_openat") && !special_options(d)->verbose)
			find_open_flags(call, format->print_fmt);
		ret->print = call->flags.n ? print_openat : print_enter;
	}
	call->head_len = strlen(call->head);
	call->room += call->head_len + DIGITS_ROOM;
	ret->program = compile(d, call, is_exit);
	return true;
}
