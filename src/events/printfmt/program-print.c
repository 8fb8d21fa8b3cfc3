/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "events/symbols/digits.h"
#include "program-internal.h"

#define ERRNO_MAX 4095
#define FIRST_PAGE 4096

static void add_hex(struct tsh_strbuf *out, uint64_t value, unsigned int width)
{
	tsh_strbuf_grow(out, DIGITS_ROOM);
	out->len = (size_t)(digits_write_hex_wide(out->buf + out->len, value, width) - out->buf);
	out->buf[out->len] = '\0';
}

/* Returns a directive with the values of its `*`. */
static struct directive directive_of(struct run *run, uint32_t index)
{
	const struct conversion *conversion = &run->p->conversions[index];
	struct directive d = conversion->d;

	if (conversion->width != NO_SOURCE)
		directive_set_width(&d, (int)run_source(run, conversion->width));
	if (conversion->precision != NO_SOURCE)
		directive_set_precision(&d, (int)run_source(run, conversion->precision));
	return d;
}

/* ---- strings ---- */

/* Prints as string() and check_pointer() of lib/vsprintf.c. */
static void print_kernel_string(struct run *run, uint64_t address)
{
	const struct program_env *env = run->p->env;
	const char *text = NULL;
	size_t len;
	uint64_t last = env->layout.long_size == 4 ? UINT32_MAX : UINT64_MAX;

	if (!address) {
		tsh_strbuf_adds(run->out, "(null)");
	} else if (address < FIRST_PAGE || address > last - ERRNO_MAX) {
		tsh_strbuf_adds(run->out, "(efault)");
	} else {
		if (env->strings)
			text = kernel_strings_find(env->strings, address, &len);
		if (text) {
			tsh_strbuf_add(run->out, text, len);
		} else {
			tsh_strbuf_adds(run->out, "0x");
			add_hex(run->out, address, 1);
		}
	}
}

/* ---- pointers ---- */

static void print_address(struct run *run, const struct op *op)
{
	struct directive d = directive_of(run, op->b);

	directive_pointer(run->out, &d, &run->p->env->pointer, run_source(run, op->a), NULL, 0);
}

static void print_memory(struct run *run, const struct op *op)
{
	struct directive d = directive_of(run, op->b);
	const unsigned char *bytes;
	size_t len;

	if (program_place(run, op->a, &bytes, &len))
		directive_pointer(run->out, &d, &run->p->env->pointer, 0, bytes, len);
}

/* Prints as print_synth_event (kernel/trace/trace_events_synth.c): the first entry is the number of
 * the others. */
static void print_stack(struct run *run, const struct op *op)
{
	const struct directive d = { .kind = DIRECTIVE_POINTER, .width = -1, .precision = -1,
				     .extension = "S" };
	const struct tsh_page_layout *layout = &run->p->env->layout;
	const unsigned char *bytes;
	size_t i, len;

	if (!program_place(run, op->a, &bytes, &len))
		return;
	tsh_strbuf_adds(run->out, "STACK:\n");
	for (i = 1; i < len / layout->long_size; i++) {
		tsh_strbuf_adds(run->out, "=> ");
		directive_pointer(run->out, &d, &run->p->env->pointer,
				  load_unsigned(bytes + i * layout->long_size,
						layout->long_size, layout->big_endian), NULL, 0);
		tsh_strbuf_addc(run->out, '\n');
	}
}

/* ---- bytes ---- */

/* Prints as trace_print_bitmask_seq (kernel/trace/trace_output.c), also with the option
 * "bitmask-list". */
static void print_bitmask(struct run *run, const struct op *op)
{
	struct directive d = { .kind = DIRECTIVE_POINTER, .precision = -1, .extension = "b" };
	const unsigned char *bytes;
	size_t len;

	if (!program_place(run, op->a, &bytes, &len))
		return;
	d.width = (int)len * 8;
	if (op->b)
		memcpy(d.extension, "bl", 3);
	directive_pointer(run->out, &d, &run->p->env->pointer, 0, bytes, len);
}

/* Returns the smaller of a length that the record states and what is really there. */
static size_t bounded(uint64_t want, size_t len)
{
	int64_t n = (int32_t)want;

	return n < 0 ? 0 : (uint64_t)n < len ? (size_t)n : len;
}

/* Prints as trace_print_hex_seq. */
static void print_hex_bytes(struct run *run, const struct op *op)
{
	const unsigned char *bytes;
	size_t i, len;

	if (!program_place(run, op->a, &bytes, &len))
		return;
	len = bounded(run_source(run, op->b), len);
	tsh_strbuf_grow(run->out, 3 * len + DIGITS_ROOM);
	for (i = 0; i < len; i++) {
		if (i && op->c)
			tsh_strbuf_addc(run->out, ' ');
		add_hex(run->out, bytes[i], 2);
	}
}

/* Prints as trace_print_array_seq. */
static void print_array(struct run *run, const struct op *op)
{
	const unsigned char *bytes;
	size_t i, n, len, size;

	if (!program_place(run, op->a, &bytes, &len))
		return;
	size = (size_t)run_source(run, op->c);
	if (size != 1 && size != 2 && size != 4 && size != 8) {
		run->is_bad = true;
		return;
	}
	n = bounded(run_source(run, op->b), len / size);
	tsh_strbuf_addc(run->out, '{');
	for (i = 0; i < n; i++) {
		tsh_strbuf_adds(run->out, i ? ",0x" : "0x");
		add_hex(run->out, load_unsigned(bytes + i * size, (uint32_t)size,
						run->p->env->layout.big_endian), 1);
	}
	tsh_strbuf_addc(run->out, '}');
}

/* ---- hex dumps: lib/hexdump.c, hex_dump_to_buffer; lib/seq_buf.c, seq_buf_hex_dump ---- */

/* Prints numbers of `group` bytes, or single bytes in a short last line. With dump->ascii,
 * printable characters follow in a column. */
static void print_dump_line(struct run *run, const struct hex_dump *dump,
			    const unsigned char *bytes, size_t len, size_t row)
{
	uint64_t group = run_source(run, dump->group);
	struct tsh_strbuf *out = run->out;
	size_t i, used, column, begin = out->len;

	if ((group != 2 && group != 4 && group != 8) || len % group)
		group = 1;
	for (i = 0; i < len; i += group) {
		if (i)
			tsh_strbuf_addc(out, ' ');
		add_hex(out, load_unsigned(bytes + i, (uint32_t)group,
					   run->p->env->layout.big_endian),
			2 * (unsigned int)group);
	}
	if (!run_source(run, dump->ascii))
		return;
	used = out->len - begin;
	column = 2 * row + row / group + 1;
	tsh_strbuf_addn(out, ' ', column > used ? column - used : 0);
	for (i = 0; i < len; i++)
		tsh_strbuf_addc(out, bytes[i] >= ' ' && bytes[i] < 0x7f ? (char)bytes[i] : '.');
}

/* Prints a hex dump. Prints no prefix of addresses: the kernel prints the addresses of its own
 * copy. */
static void print_hex_dump(struct run *run, const struct op *op)
{
	enum { PREFIX_OFFSET = 2 };	/* DUMP_PREFIX_OFFSET */
	const struct hex_dump *dump = &run->p->dumps[op->b];
	struct tsh_strbuf *out = run->out;
	const unsigned char *bytes;
	size_t i, len, row;

	if (!program_place(run, op->a, &bytes, &len))
		return;
	len = bounded(run_source(run, dump->len), len);
	row = run_source(run, dump->row) == 32 ? 32 : 16;
	tsh_strbuf_addc(out, '\n');
	for (i = 0; i < len; i += row) {
		tsh_strbuf_add(out, run->p->pool + dump->prefix.at, dump->prefix.len);
		if (run_source(run, dump->prefix_type) == PREFIX_OFFSET) {
			add_hex(out, i, 8);
			tsh_strbuf_adds(out, ": ");
		}
		print_dump_line(run, dump, bytes + i, len - i < row ? len - i : row, row);
		tsh_strbuf_addc(out, '\n');
	}
}

/* ---- all of them ---- */

void program_print(struct run *run, const struct op *op)
{
	struct directive d;

	switch ((enum op_code)op->code) {
	case OP_NUMBER:
	case OP_DEC_WIDE:
		d = directive_of(run, op->b);
		directive_number(run->out, &d, run_source(run, op->a));
		break;
	case OP_ODD_CHAR:
		d = directive_of(run, op->b);
		directive_char(run->out, &d, (unsigned char)run_source(run, op->a));
		break;
	case OP_MARK:
		run->mark = run->out->len;
		break;
	case OP_PAD:
		d = directive_of(run, op->b);
		directive_pad(run->out, &d, run->mark);
		break;
	case OP_KERNEL_STRING:
		print_kernel_string(run, run_source(run, op->a));
		break;
	case OP_POINTER:
	case OP_SYMBOL:
	case OP_ADDRESS:
		print_address(run, op);
		break;
	case OP_MEMORY:
		print_memory(run, op);
		break;
	case OP_BITMASK:
		print_bitmask(run, op);
		break;
	case OP_HEX_BYTES:
		print_hex_bytes(run, op);
		break;
	case OP_ARRAY:
		print_array(run, op);
		break;
	case OP_HEX_DUMP:
		print_hex_dump(run, op);
		break;
	default:
		print_stack(run, op);
	}
}
