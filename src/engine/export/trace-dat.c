/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "trace-dat.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/new-file.h"
#include "base/safe-file.h"
#include "base/xmalloc.h"
#include "events/decode/decode.h"
#include "trace-dat-parts.h"
#include "tracedat/trace-dat.h"
#include "tracedat/unpack.h"

/* Writes the two layouts of trace.dat, see trace-cmd.dat.v6(5) and trace-cmd.dat.v7(5). */

/* Sets the bytes that are copied at once. */
#define COPY_BYTES (256u << 10)
/* Counts the pages of a compressed chunk, as trace-cmd does. */
#define CHUNK_PAGES 10

bool tsh_trace_dat_can_pack(void)
{
	return unpack_is_known(UNPACK_ZSTD);
}

/* ---- pages ---- */

static bool is_stopped(struct dat_out *o)
{
	o->is_stopped |= tsh_wait(o->opt->waiter, NULL, 0, 0) > TSH_WAIT_READY;
	return o->is_stopped;
}

/* Copies the pages of a lane, in pieces. */
static void copy_pages(struct dat_out *o, struct tsh_source *src, size_t lane, size_t step)
{
	unsigned char *data = tsh_xmalloc(step);
	struct tsh_strbuf packed = TSH_STRBUF_INIT;
	ssize_t n;

	while (!o->w->error && !is_stopped(o) && (n = tsh_source_read_pages(src, lane, data, step)) != 0) {
		if (n < 0) {
			o->w->error = (int)n;
			break;
		}
		o->sum->bytes += (uint64_t)n;
		if (!o->packs) {
			tsh_writer_bytes(o->w, data, (size_t)n);
			continue;
		}
		tsh_strbuf_clear(&packed);
		if (pack_zstd(data, (size_t)n, &packed) < 0) {
			o->w->error = -ENOMEM;
			break;
		}
		tsh_writer_number(o->w, packed.len, 4);
		tsh_writer_number(o->w, (uint64_t)n, 4);
		tsh_writer_bytes(o->w, packed.buf, packed.len);
	}
	tsh_strbuf_release(&packed);
	free(data);
}

static void note_cut(struct dat_out *o, struct tsh_source *src, size_t lane, uint64_t *ret_bytes)
{
	uint64_t cut;

	*ret_bytes = tsh_source_lane_bytes(src, lane, &cut);
	o->sum->cut += cut;
}

/* ---- version 6 ---- */

#define TABLE_ENTRY 16

/* Writes the table of a buffer's CPUs, whose pages begin at *at, which then is their end. */
static void write_table(struct dat_out *o, struct tsh_source *src, unsigned int cpus, uint64_t *at)
{
	uint64_t bytes;
	size_t lane = 0;
	unsigned int cpu;

	tsh_writer_string(o->w, "flyrecord");
	for (cpu = 0; cpu < cpus; cpu++) {
		bytes = 0;
		if (lane < tsh_source_lanes(src) && tsh_source_lane_cpu(src, lane) == (int)cpu)
			note_cut(o, src, lane++, &bytes);
		tsh_writer_number(o->w, *at, 8);
		tsh_writer_number(o->w, bytes, 8);
		*at += bytes;
	}
	if (o->clock_option) {
		char *clock = tsh_xasprintf("[%s]", o->clock_name);

		tsh_writer_number(o->w, strlen(clock), 8);
		tsh_writer_bytes(o->w, clock, strlen(clock));
		free(clock);
	}
}

static uint64_t table_bytes(const struct dat_out *o, unsigned int cpus)
{
	return strlen("flyrecord") + 1 + (uint64_t)cpus * TABLE_ENTRY + (o->clock_option ? 10 + strlen(o->clock_name) : 0);
}

static void write_pages(struct dat_out *o, struct tsh_source *src)
{
	size_t lane;

	for (lane = 0; lane < tsh_source_lanes(src); lane++)
		copy_pages(o, src, lane, (COPY_BYTES / o->page_size + 1) * o->page_size);
}

static void write_v6(struct dat_out *o)
{
	uint64_t at, pages = 0, table, cut;
	unsigned int cpus = o->cpus;
	size_t i, lane;

	dat_write_headers(o);
	dat_write_ftrace(o);
	dat_write_formats(o);
	dat_write_kallsyms(o);
	dat_write_printk(o);
	dat_write_cmdlines(o);
	tsh_writer_number(o->w, cpus, 4);
	tsh_writer_string(o->w, "options  ");
	dat_write_options(o);
	/* instances: their tables follow their pages, which follow those of the buffer before */
	table = o->w->at + 2;
	for (i = 1; i < o->buffers.n; i++)
		table += 2 + 4 + 8 + strlen(o->buffers.v[i].in->name) + 1;
	table += table_bytes(o, cpus) + o->files.len;
	at = (table + o->page_size - 1) / o->page_size * o->page_size;
	for (lane = 0; lane < tsh_source_lanes(o->buffers.v[0].src); lane++)
		pages += tsh_source_lane_bytes(o->buffers.v[0].src, lane, &cut);
	table = at + pages;
	for (i = 1; i < o->buffers.n; i++) {
		tsh_writer_number(o->w, 3, 2);
		tsh_writer_number(o->w, 8 + strlen(o->buffers.v[i].in->name) + 1, 4);
		tsh_writer_number(o->w, table, 8);
		tsh_writer_string(o->w, o->buffers.v[i].in->name);
		table = (table + table_bytes(o, cpus) + o->page_size - 1) / o->page_size * o->page_size;
		for (lane = 0; lane < tsh_source_lanes(o->buffers.v[i].src); lane++)
			table += tsh_source_lane_bytes(o->buffers.v[i].src, lane, &cut);
	}
	tsh_writer_number(o->w, 0, 2);
	for (i = 0; i < o->buffers.n; i++) {
		if (i)
			at = (o->w->at + table_bytes(o, cpus) + o->page_size - 1) / o->page_size * o->page_size;
		write_table(o, o->buffers.v[i].src, cpus, &at);
		if (!i)
			tsh_writer_bytes(o->w, o->files.buf, o->files.len);
		tsh_writer_pad(o->w, o->page_size);
		write_pages(o, o->buffers.v[i].src);
	}
}

/* ---- version 7 ---- */

/* Begins a section. Returns where its size is to be written. */
static uint64_t begin_section(struct dat_out *o, unsigned int id, const char *what, bool is_packed)
{
	tsh_writer_number(o->w, id, 2);
	tsh_writer_number(o->w, is_packed, 2);
	tsh_writer_number(o->w, o->strings.len, 4);
	tsh_strbuf_add(&o->strings, what, strlen(what) + 1);
	tsh_writer_number(o->w, 0, 8);
	return o->w->at - 8;
}

static void end_section(struct dat_out *o, uint64_t size_at)
{
	tsh_writer_patch(o->w, size_at, o->w->at - size_at - 8, 8);
}

/* Writes a part as a section, and notes where it is. */
static void write_section(struct dat_out *o, unsigned int id, const char *what, void (*write)(struct dat_out *o))
{
	struct tsh_strbuf plain = TSH_STRBUF_INIT, packed = TSH_STRBUF_INIT;
	uint64_t at = o->w->at, size_at = begin_section(o, id, what, o->packs);

	if (o->packs)
		tsh_writer_collect(o->w, &plain);
	write(o);
	if (o->packs) {
		tsh_writer_collect(o->w, NULL);
		if (pack_zstd(plain.buf, plain.len, &packed) < 0 && !o->w->error)
			o->w->error = -ENOMEM;
		tsh_writer_number(o->w, packed.len, 4);
		tsh_writer_number(o->w, plain.len, 4);
		tsh_writer_bytes(o->w, packed.buf, packed.len);
	}
	end_section(o, size_at);
	tsh_strbuf_release(&plain);
	tsh_strbuf_release(&packed);
	*tsh_vec_push(&o->sections) = (struct dat_section){ id, at };
}

/* Writes the pages of a buffer, and appends its option. */
static void write_buffer(struct dat_out *o, const struct dat_buffer *buffer, struct tsh_strbuf *options)
{
	struct tsh_source *src = buffer->src;
	const char *name = buffer->in->name ? buffer->in->name : "";
	uint64_t at = o->w->at, size_at = begin_section(o, 3, "buffer flyrecord", o->packs), bytes, begin, chunk;
	size_t lane, n = tsh_source_lanes(src), option = options->len;

	chunk = (uint64_t)buffer->page_size * (o->packs ? CHUNK_PAGES : COPY_BYTES / buffer->page_size + 1);
	dat_option_begin(o, options, 3);
	dat_option_number(o, options, at, 8);
	tsh_strbuf_add(options, name, strlen(name) + 1);
	tsh_strbuf_add(options, o->clock_name, strlen(o->clock_name) + 1);
	dat_option_number(o, options, buffer->page_size, 4);
	dat_option_number(o, options, n, 4);
	for (lane = 0; lane < n; lane++) {
		if (!o->packs)
			tsh_writer_pad(o->w, o->page_size);
		begin = o->w->at;
		note_cut(o, src, lane, &bytes);
		if (o->packs)
			tsh_writer_number(o->w, (bytes + chunk - 1) / chunk, 4);
		copy_pages(o, src, lane, (size_t)chunk);
		dat_option_number(o, options, (uint64_t)tsh_source_lane_cpu(src, lane), 4);
		dat_option_number(o, options, begin, 8);
		dat_option_number(o, options, o->w->at - begin, 8);
	}
	dat_option_end(o, options, option);
	end_section(o, size_at);
}

static void write_v7(struct dat_out *o)
{
	struct tsh_strbuf options = TSH_STRBUF_INIT;
	uint64_t options_at, at, size_at;
	size_t i;

	tsh_writer_string(o->w, o->packs ? "zstd" : "none");
	tsh_writer_string(o->w, o->packs ? "1.5" : "");
	options_at = o->w->at;
	tsh_writer_number(o->w, 0, 8);
	size_at = begin_section(o, TSH_TRACE_DAT_FILES, "files of tracesh", false);
	tsh_writer_bytes(o->w, o->files.buf, o->files.len);
	end_section(o, size_at);
	write_section(o, 16, "headers", dat_write_headers);
	write_section(o, 17, "ftrace events", dat_write_ftrace);
	write_section(o, 18, "events format", dat_write_formats);
	write_section(o, 19, "kallsyms", dat_write_kallsyms);
	write_section(o, 20, "trace_printk", dat_write_printk);
	write_section(o, 21, "command lines", dat_write_cmdlines);
	for (i = 0; i < o->buffers.n && !o->w->error && !o->is_stopped; i++)
		write_buffer(o, &o->buffers.v[i], &options);
	at = o->w->at;
	size_at = begin_section(o, 0, "options", false);
	dat_write_options(o);
	for (i = 0; i < o->sections.n; i++) {
		tsh_writer_number(o->w, o->sections.v[i].id, 2);
		tsh_writer_number(o->w, 8, 4);
		tsh_writer_number(o->w, o->sections.v[i].at, 8);
	}
	tsh_writer_bytes(o->w, options.buf, options.len);
	tsh_writer_number(o->w, 0, 2);
	tsh_writer_number(o->w, 8, 4);
	tsh_writer_number(o->w, 0, 8);
	end_section(o, size_at);
	size_at = begin_section(o, 15, "strings", false);
	tsh_writer_bytes(o->w, o->strings.buf, o->strings.len);
	end_section(o, size_at);
	tsh_writer_patch(o->w, options_at, at, 8);
	tsh_strbuf_release(&options);
}

/* ---- the whole ---- */

int tsh_trace_dat_write(const struct tsh_instance *top, int fd, const struct tsh_trace_dat_options *opt,
			struct tsh_trace_dat_summary *ret, struct tsh_err *err)
{
	static const char magic[] = "\x17\x08\x44tracing";
	struct dat_out o = { .opt = opt, .sum = ret, .packs = opt->version >= 7 && opt->packs };
	char version[16];
	int r = 0;

	*ret = (struct tsh_trace_dat_summary){ 0 };
	if (dat_open(&o, top, err) < 0) {
		dat_close(&o);
		return -1;
	}
	o.w = tsh_xmalloc(sizeof(*o.w));
	tsh_writer_init(o.w, fd, o.big_endian);
	tsh_writer_bytes(o.w, magic, sizeof(magic) - 1);
	snprintf(version, sizeof(version), "%u", opt->version);
	tsh_writer_string(o.w, version);
	tsh_writer_number(o.w, o.big_endian, 1);
	tsh_writer_number(o.w, o.long_size, 1);
	tsh_writer_number(o.w, o.page_size, 4);
	if (opt->version >= 7)
		write_v7(&o);
	else
		write_v6(&o);
	if (tsh_writer_flush(o.w) < 0)
		r = tsh_err_errno(err, -o.w->error, "cannot write the file");
	else if (o.is_stopped)
		r = 1;
	free(o.w);
	dat_close(&o);
	return r;
}

bool tsh_export_is_dat(const char *path)
{
	static const char ending[] = ".dat";
	size_t len = strlen(path), n = strlen(ending);

	return len > n && path[len - n - 1] != '/' && !strcmp(path + len - n, ending);
}

/* Removes the folder that was written as a file. */
static void remove_folder(const char *folder)
{
	char *name;
	int parent = tsh_open_parent(folder, &name);

	if (parent < 0)
		return;
	(void)tsh_remove_beneath(parent, name);
	close(parent);
	free(name);
}

int tsh_export_folder(const char *folder, const char *path, const struct tsh_waiter *waiter, struct tsh_err *err)
{
	const struct tsh_trace_dat_options opt = { .waiter = waiter, .version = 6 };
	struct tsh_trace_dat_summary sum;
	struct tsh_instance top;
	struct tsh_new_file file;
	struct tsh_dir *dir;
	int r;

	if (tsh_dir_open(folder, &dir, err) < 0)
		return -1;
	dir->bounds_text = false;
	top = tsh_top(dir);
	r = tsh_new_file_open(&file, path, false, err);
	if (!r) {
		r = tsh_trace_dat_write(&top, file.fd, &opt, &sum, err);
		if (!r)
			r = tsh_new_file_end(&file, path, false, err);
		tsh_new_file_drop(&file);
	}
	tsh_dir_close(dir);
	if (!r)
		remove_folder(folder);
	return r;
}
