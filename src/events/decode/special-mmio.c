/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <string.h>

#include "special-internal.h"

/* Prints mmiotrace_rw and mmiotrace_map (kernel/trace/trace_mmiotrace.c). With that tracer these
 * are whole lines, without a task, a CPU or a time before them. */

/* enum mm_io_opcode (include/linux/mmiotrace.h) */
enum { OP_READ = 1, OP_WRITE, OP_PROBE, OP_UNPROBE, OP_UNKNOWN };

typedef unsigned long long ull;

static void add_begin(const struct tsh_record *rec, uint64_t map_id, struct tsh_strbuf *out)
{
	uint64_t us = (rec->stamp + 500) / 1000;	/* ns2usecs */

	tsh_strbuf_addf(out, "%u.%06u %d ", (unsigned int)(us / 1000000),
			(unsigned int)(us % 1000000), (int)map_id);
}

static void print_rw(struct tsh_decoder *d, const void *state,
		     const struct tsh_event_format *format, const struct tsh_record *rec,
		     struct tsh_strbuf *out)
{
	uint64_t opcode = special_field(d, format, "opcode", rec);
	uint64_t map_id = special_field(d, format, "map_id", rec);
	uint64_t phys = special_field(d, format, "phys", rec);
	uint64_t value = special_field(d, format, "value", rec);
	uint64_t pc = special_field(d, format, "pc", rec);

	(void)state;
	if (opcode == OP_READ || opcode == OP_WRITE) {
		tsh_strbuf_addf(out, "%c %d ", opcode == OP_READ ? 'R' : 'W',
				(int)special_field(d, format, "width", rec));
		add_begin(rec, map_id, out);
		tsh_strbuf_addf(out, "0x%llx 0x%llx 0x%llx 0", (ull)phys, (ull)value, (ull)pc);
	} else if (opcode == OP_UNKNOWN) {
		tsh_strbuf_adds(out, "UNKNOWN ");
		add_begin(rec, map_id, out);
		tsh_strbuf_addf(out, "0x%llx %02x,%02x,%02x 0x%llx 0", (ull)phys,
				(unsigned int)(value >> 16 & 0xff),
				(unsigned int)(value >> 8 & 0xff),
				(unsigned int)(value & 0xff), (ull)pc);
	} else {
		tsh_strbuf_adds(out, "rw what?");
	}
}

static void print_map(struct tsh_decoder *d, const void *state,
		      const struct tsh_event_format *format, const struct tsh_record *rec,
		      struct tsh_strbuf *out)
{
	uint64_t opcode = special_field(d, format, "opcode", rec);
	uint64_t map_id = special_field(d, format, "map_id", rec);

	(void)state;
	if (opcode == OP_PROBE) {
		tsh_strbuf_adds(out, "MAP ");
		add_begin(rec, map_id, out);
		tsh_strbuf_addf(out, "0x%llx 0x%llx 0x%llx 0x0 0",
				(ull)special_field(d, format, "phys", rec),
				(ull)special_field(d, format, "virt", rec),
				(ull)special_field(d, format, "len", rec));
	} else if (opcode == OP_UNPROBE) {
		tsh_strbuf_adds(out, "UNMAP ");
		add_begin(rec, map_id, out);
		tsh_strbuf_adds(out, "0x0 0");
	} else {
		tsh_strbuf_adds(out, "map what?");
	}
}

bool special_find_mmio(struct tsh_decoder *d, const struct tsh_event_format *format,
		       struct tsh_special *ret)
{
	(void)d;
	ret->print = strcmp(format->name, "mmiotrace_rw") ? print_map : print_rw;
	ret->label_in_text = true;
	return true;
}
