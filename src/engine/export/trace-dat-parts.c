/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "trace-dat-parts.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/load.h"
#include "base/number.h"
#include "base/xmalloc.h"
#include "events/decode/decode.h"
#include "events/source/recorded.h"
#include "events/symbols/saved-comms.h"
#include "kernel/tracefs/event.h"
#include "tracedat/trace-dat.h"

/* Reads the parts of a recording, and writes them as trace.dat has them. */

/* Limits a file that is kept, and all of them, in bytes. */
#define FILE_MAX (4u << 20)
#define FILES_MAX (8u << 20)
#define DEPTH_MAX 8

/* ---- files that trace.dat has no place for ---- */

/* Says whether a file is a part of trace.dat, or said by one. */
static bool is_part(const char *path)
{
	static const char *const parts[] = { "events/header_page", "events/header_event", "kallsyms", "printk_formats" };
	const char *name = strrchr(path, '/');
	size_t i;

	for (i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		if (!strcmp(path, parts[i]))
			return true;
	name = name ? name + 1 : path;
	return !strcmp(name, "trace_pipe_raw") || !strcmp(path, "instances") ||
	       (tsh_begins_with(path, "events/") && (!strcmp(name, "format") || !strcmp(name, "id")));
}

static void append_number(const struct dat_out *o, struct tsh_strbuf *out, uint64_t number, unsigned int size)
{
	unsigned int i;

	for (i = 0; i < size; i++)
		tsh_strbuf_addc(out, (char)(number >> 8 * (o->big_endian ? size - 1 - i : i)));
}

static void keep_file(struct dat_out *o, const struct tsh_instance *in, const char *path)
{
	struct tsh_strbuf text = TSH_STRBUF_INIT;
	int r = tsh_file_read(in, path, &text);

	if (!r && text.len <= FILE_MAX && o->files.len + text.len <= FILES_MAX) {
		tsh_strbuf_add(&o->files, path, strlen(path) + 1);
		append_number(o, &o->files, text.len, 8);
		tsh_strbuf_add(&o->files, text.buf, text.len);
	} else if (!r || r == -EFBIG) {
		o->sum->left_out++;
	}
	tsh_strbuf_release(&text);
}

static void keep_folder(struct dat_out *o, const struct tsh_instance *in, const char *folder, int depth)
{
	struct tsh_strlist names = { 0 };
	size_t i;

	if (tsh_file_list(in, folder, &names) < 0 || depth > DEPTH_MAX)
		names.n = 0;
	for (i = 0; i < names.n; i++) {
		char *path = strcmp(folder, ".") ? tsh_xasprintf("%s/%s", folder, names.v[i]) : tsh_xstrdup(names.v[i]);
		struct tsh_strlist below = { 0 };

		if (is_part(path)) {
			free(path);
			continue;
		}
		if (!tsh_file_list(in, path, &below))
			keep_folder(o, in, path, depth + 1);
		else
			keep_file(o, in, path);
		tsh_strlist_release(&below);
		free(path);
	}
	tsh_strlist_release(&names);
}

static void keep_files(struct dat_out *o)
{
	tsh_strbuf_adds(&o->files, TSH_TRACE_DAT_FILES_MAGIC);
	tsh_strbuf_addc(&o->files, '\0');
	keep_folder(o, o->buffers.v[0].in, ".", 0);
	/* an empty path */
	tsh_strbuf_addc(&o->files, '\0');
}

/* ---- opening ---- */

static int open_buffer(struct dat_out *o, struct tsh_instance *in, bool is_borrowed, struct tsh_err *err)
{
	struct dat_buffer *buffer = tsh_vec_push(&o->buffers);
	const struct tsh_page_layout *layout;
	size_t lanes;
	int cpu;

	*buffer = (struct dat_buffer){ .in = in, .is_borrowed = is_borrowed };
	if (tsh_source_open(in, NULL, &buffer->src, err) < 0)
		return -1;
	layout = tsh_source_layout(buffer->src);
	buffer->page_size = layout->page_size;
	lanes = tsh_source_lanes(buffer->src);
	cpu = tsh_source_lane_cpu(buffer->src, lanes - 1);
	if (cpu >= 0 && (unsigned int)cpu >= o->cpus)
		o->cpus = (unsigned int)cpu + 1;
	if (o->buffers.n == 1) {
		o->big_endian = layout->big_endian;
		o->long_size = layout->long_size;
		o->page_size = layout->page_size;
	} else if (buffer->page_size != o->page_size && o->opt->version < 7) {
		tsh_err_set(err, TSH_FAILED, "instance '%s' has pages of another size than the top one: version 6 has one size",
			    in->name);
		tsh_err_hint(err, "--to trace.dat:7 has a size for each");
		return -1;
	}
	return 0;
}

/* Lists the clocks whose stamps trace-cmd and KernelShark know to be nanoseconds: they print others
 * as plain numbers when they are told the name (trace-cmd 3.1 to 3.4). */
static bool is_known_clock(const char *name)
{
	static const char *const known[] = { "local", "global", "uptime", "perf", "mono", "mono_raw", "tai" };
	size_t i;

	for (i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (!strcmp(name, known[i]))
			return true;
	return false;
}

static void read_clock(struct dat_out *o)
{
	const struct tsh_instance *in = o->buffers.v[0].in;
	struct tsh_err ignored = { 0 };
	char *text = tsh_file_text(in, "trace_clock"), *name = text ? strchr(text, '[') : NULL;

	o->clock_name = name ? tsh_xstrndup(name + 1, strcspn(name + 1, "]")) : tsh_xstrdup("local");
	o->clock_option = name && is_known_clock(o->clock_name);
	free(text);
	tsh_clock_init(&o->clock, tsh_clock_kind(o->clock_name));
	if (tsh_tree_load_clock(&o->clock, in, &ignored) < 0)
		tsh_err_release(&ignored);
}

int dat_open(struct dat_out *o, const struct tsh_instance *top, struct tsh_err *err)
{
	struct tsh_strlist names = { 0 };
	struct tsh_instance *in;
	size_t i;
	int r;

	tsh_strbuf_init(&o->files);
	tsh_strbuf_init(&o->strings);
	r = open_buffer(o, (struct tsh_instance *)(uintptr_t)top, true, err);
	tsh_instance_list(top->dir, &names);
	for (i = 0; i < names.n && !r; i++) {
		r = tsh_instance_open(top->dir, names.v[i], &in, err);
		if (!r)
			r = open_buffer(o, in, false, err);
	}
	tsh_strlist_release(&names);
	if (r < 0)
		return -1;
	read_clock(o);
	keep_files(o);
	return 0;
}

void dat_close(struct dat_out *o)
{
	size_t i;

	for (i = 0; i < o->buffers.n; i++) {
		tsh_source_close(o->buffers.v[i].src);
		if (!o->buffers.v[i].is_borrowed)
			tsh_instance_close(o->buffers.v[i].in);
	}
	tsh_vec_release(&o->buffers);
	tsh_vec_release(&o->sections);
	tsh_clock_release(&o->clock);
	tsh_strbuf_release(&o->files);
	tsh_strbuf_release(&o->strings);
	free(o->clock_name);
}

/* ---- headers, formats, names ---- */

/* Writes a file with its size before it; size_bytes: of that number. A file that is not there is
 * empty. */
static void write_file(struct dat_out *o, const char *path, unsigned int size_bytes)
{
	struct tsh_strbuf text = TSH_STRBUF_INIT;

	if (tsh_file_read(o->buffers.v[0].in, path, &text) < 0)
		tsh_strbuf_clear(&text);
	tsh_writer_number(o->w, text.len, size_bytes);
	tsh_writer_bytes(o->w, text.buf, text.len);
	tsh_strbuf_release(&text);
}

void dat_write_headers(struct dat_out *o)
{
	tsh_writer_string(o->w, "header_page");
	write_file(o, "events/header_page", 8);
	tsh_writer_string(o->w, "header_event");
	write_file(o, "events/header_event", 8);
}

/* Adds the events of a system that have a format. */
static void list_formats(const struct dat_out *o, const char *system, struct tsh_strlist *ret)
{
	const struct tsh_instance *in = o->buffers.v[0].in;
	struct tsh_strlist names = { 0 };
	char *folder = tsh_xasprintf("events/%s", system);
	size_t i;

	if (tsh_file_list(in, folder, &names) < 0)
		names.n = 0;
	for (i = 0; i < names.n; i++) {
		char *path = tsh_xasprintf("%s/%s/format", folder, names.v[i]);

		if (tsh_file_exists(in, path))
			tsh_strlist_add_owned(ret, path);
		else
			free(path);
	}
	tsh_strlist_release(&names);
	free(folder);
}

static void write_formats_of(struct dat_out *o, const struct tsh_strlist *paths)
{
	size_t i;

	tsh_writer_number(o->w, paths->n, 4);
	for (i = 0; i < paths->n; i++)
		write_file(o, paths->v[i], 8);
}

void dat_write_ftrace(struct dat_out *o)
{
	struct tsh_strlist paths = { 0 };

	list_formats(o, "ftrace", &paths);
	write_formats_of(o, &paths);
	tsh_strlist_release(&paths);
}

void dat_write_formats(struct dat_out *o)
{
	struct tsh_strlist systems = { 0 }, paths = { 0 };
	TSH_VEC(struct tsh_strlist) all = { 0 };
	size_t i, n = 0;

	if (tsh_file_list(o->buffers.v[0].in, "events", &systems) < 0)
		systems.n = 0;
	for (i = 0; i < systems.n; i++) {
		paths = (struct tsh_strlist){ 0 };
		if (strcmp(systems.v[i], "ftrace") != 0)
			list_formats(o, systems.v[i], &paths);
		n += paths.n > 0;
		*tsh_vec_push(&all) = paths;
	}
	tsh_writer_number(o->w, n, 4);
	for (i = 0; i < systems.n; i++) {
		if (all.v[i].n) {
			tsh_writer_string(o->w, systems.v[i]);
			write_formats_of(o, &all.v[i]);
		}
		tsh_strlist_release(&all.v[i]);
	}
	tsh_vec_release(&all);
	tsh_strlist_release(&systems);
}

void dat_write_kallsyms(struct dat_out *o)
{
	write_file(o, "kallsyms", 4);
}

void dat_write_printk(struct dat_out *o)
{
	write_file(o, "printk_formats", 4);
}

static int compare_comms(const void *a, const void *b)
{
	const struct tsh_saved_comm *x = a, *y = b;

	return x->pid != y->pid ? (x->pid > y->pid) - (x->pid < y->pid) : (x > y) - (x < y);
}

/* Writes each task once: readers disagree on which of two lines counts. Names that the recording
 * itself has come before the kernel's. */
void dat_write_cmdlines(struct dat_out *o)
{
	const struct tsh_instance *in = o->buffers.v[0].in;
	char *own = tsh_file_text(in, TREE_COMMS), *kernel = tsh_file_text(in, "saved_cmdlines");
	struct tsh_strbuf text = TSH_STRBUF_INIT;
	struct tsh_saved_comms comms = { 0 };
	size_t i;

	if (own)
		tsh_saved_comms_read(&comms, own);
	if (kernel)
		tsh_saved_comms_parse(&comms, kernel);
	tsh_vec_sort(&comms, compare_comms);
	for (i = 0; i < comms.n; i++)
		if ((!i || comms.v[i].pid != comms.v[i - 1].pid) && comms.v[i].pid > 0)
			tsh_saved_comms_write(&text, comms.v[i].pid, comms.v[i].comm);
	tsh_writer_number(o->w, text.len, 8);
	tsh_writer_bytes(o->w, text.buf, text.len);
	tsh_strbuf_release(&text);
	tsh_vec_release(&comms);
	free(own);
	free(kernel);
}

/* ---- options ---- */

void dat_option_begin(const struct dat_out *o, struct tsh_strbuf *options, unsigned int id)
{
	append_number(o, options, id, 2);
	append_number(o, options, 0, 4);
}

void dat_option_number(const struct dat_out *o, struct tsh_strbuf *options, uint64_t number, unsigned int size)
{
	append_number(o, options, number, size);
}

void dat_option_end(const struct dat_out *o, struct tsh_strbuf *options, size_t begin)
{
	uint64_t size = options->len - begin - 6;
	unsigned int i;

	for (i = 0; i < 4; i++)
		options->buf[begin + 2 + i] = (char)(size >> 8 * (o->big_endian ? 3 - i : i));
}

static void text_option(struct dat_out *o, unsigned int id, const char *text)
{
	tsh_writer_number(o->w, id, 2);
	tsh_writer_number(o->w, strlen(text) + 1, 4);
	tsh_writer_string(o->w, text);
}

/* Writes the options that turn stamps into wall-clock time. */
static void write_wall(struct dat_out *o)
{
	int64_t wall;
	char text[32];

	if (!o->clock.constant.is_on)
		return;
	wall = o->clock.constant.offset;
	if (wall < 0)
		return;
	o->sum->has_wall = true;
	snprintf(text, sizeof(text), "0x%" PRIx64, (uint64_t)wall / 1000);
	text_option(o, 1, text);
	snprintf(text, sizeof(text), "%" PRId64, wall % 1000);
	text_option(o, 7, text);
}

static void write_uname(struct dat_out *o)
{
	static const char *const keys[] = { "host", "kernel", "machine" };
	struct tsh_strbuf text = TSH_STRBUF_INIT;
	bool is_whole = true;
	size_t i;

	tsh_strbuf_adds(&text, "Linux");
	for (i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		char *value = tsh_tree_info(o->buffers.v[0].in, keys[i]);

		is_whole &= value != NULL;
		tsh_strbuf_addf(&text, " %s", value ? value : "");
		free(value);
	}
	if (is_whole)
		text_option(o, 5, text.buf);
	tsh_strbuf_release(&text);
}

static void write_stats(struct dat_out *o)
{
	const struct dat_buffer *top = &o->buffers.v[0];
	char path[48], *text, *option;
	size_t i;

	for (i = 0; i < tsh_source_lanes(top->src); i++) {
		int cpu = tsh_source_lane_cpu(top->src, i);

		snprintf(path, sizeof(path), "per_cpu/cpu%d/stats", cpu);
		text = tsh_file_text(top->in, path);
		if (!text)
			continue;
		option = tsh_xasprintf("CPU: %d\n%s\n", cpu, text);
		text_option(o, 2, option);
		free(option);
		free(text);
	}
}

void dat_write_options(struct dat_out *o)
{
	char *text = o->clock_option ? tsh_file_text(o->buffers.v[0].in, "trace_clock") : NULL;

	write_wall(o);
	if (text)
		text_option(o, 4, text);
	free(text);
	write_uname(o);
	write_stats(o);
	tsh_writer_number(o->w, 8, 2);
	tsh_writer_number(o->w, 4, 4);
	tsh_writer_number(o->w, o->cpus, 4);
}
