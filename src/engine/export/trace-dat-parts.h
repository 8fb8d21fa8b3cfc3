/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_ENGINE_EXPORT_TRACE_DAT_PARTS_H
#define TRACESH_ENGINE_EXPORT_TRACE_DAT_PARTS_H

#include "base/strbuf.h"
#include "base/vec.h"
#include "events/clock/clock.h"
#include "events/source/raw-pages.h"
#include "trace-dat.h"
#include "writer.h"

struct dat_buffer {
	struct tsh_instance *in;
	struct tsh_source *src;
	unsigned int page_size;
	bool is_borrowed;		/* the instance */
};

struct dat_section {
	unsigned int id;
	uint64_t at;
};

/* Holds what is written. */
struct dat_out {
	const struct tsh_trace_dat_options *opt;
	struct tsh_trace_dat_summary *sum;
	struct tsh_writer *w;
	bool packs, big_endian, is_stopped;
	bool clock_option;		/* readers know the clock, and then print times as seconds */
	unsigned int long_size, page_size, cpus;	/* of the top buffer; all CPUs */
	char *clock_name;
	struct tsh_clock clock;
	TSH_VEC(struct dat_buffer) buffers;	/* the top one first */
	TSH_VEC(struct dat_section) sections;
	struct tsh_strbuf files;	/* that trace.dat has no place for */
	struct tsh_strbuf strings;
};

/* Opens the recording. Returns 0, or -1 with err; dat_close frees in any case. */
int dat_open(struct dat_out *o, const struct tsh_instance *top, struct tsh_err *err);
void dat_close(struct dat_out *o);

/* Write the parts that both versions have. */
void dat_write_headers(struct dat_out *o);
void dat_write_ftrace(struct dat_out *o);
void dat_write_formats(struct dat_out *o);
void dat_write_kallsyms(struct dat_out *o);
void dat_write_printk(struct dat_out *o);
void dat_write_cmdlines(struct dat_out *o);
/* Writes the options that are not about buffers, without the end of the list. */
void dat_write_options(struct dat_out *o);

/* Make an option in memory. */
void dat_option_begin(const struct dat_out *o, struct tsh_strbuf *options, unsigned int id);
void dat_option_number(const struct dat_out *o, struct tsh_strbuf *options, uint64_t number, unsigned int size);
/* Sets the size of the option that was begun at `begin`. */
void dat_option_end(const struct dat_out *o, struct tsh_strbuf *options, size_t begin);

#endif
