/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "base/xmalloc.h"
#include "dat.h"

/* Shows a trace.dat as the files of a recorded tree. */

static const struct dat *dat_of(const struct tsh_tree_file *tree)
{
	return (const struct dat *)tree;
}

/* ---- texts that are made ---- */

/* Appends the words of the UNAME option, "Linux HOST RELEASE MACHINE"; a longer one has the
 * version before the machine. */
static void append_uname(const char *uname, struct tsh_strbuf *out)
{
	struct tsh_strlist words = { 0 };
	size_t i;

	tsh_strlist_split_words(&words, uname);
	if (words.n > 3) {
		tsh_strbuf_addf(out, "host %s\nkernel %s\n", words.v[1], words.v[2]);
		for (i = 3; i + 1 < words.n; i++)
			tsh_strbuf_addf(out, "%s%s%s", i == 3 ? "version " : " ", words.v[i], i + 2 == words.n ? "\n" : "");
		tsh_strbuf_addf(out, "machine %s\n", words.v[words.n - 1]);
	}
	tsh_strlist_release(&words);
}

static void append_info(const struct dat *dat, const struct buffer *buffer, struct tsh_strbuf *out)
{
	tsh_strbuf_addf(out, "format 1\ntrace.dat %u\n", dat->version);
	if (dat->uname)
		append_uname(dat->uname, out);
	tsh_strbuf_addf(out, "byte_order %s\npages in order\n", dat->is_big_endian ? "big" : "little");
	if (*buffer->name)
		tsh_strbuf_addf(out, "instance %s\n", buffer->name);
}

static void append_available(const struct dat *dat, struct tsh_strbuf *out)
{
	size_t i;

	for (i = 0; i < dat->formats.n; i++) {
		const char *system = dat->formats.v[i].path + strlen("events/"), *event = strchr(system, '/') + 1;

		if (!tsh_begins_with(system, "ftrace/"))
			tsh_strbuf_addf(out, "%.*s:%.*s\n", (int)(event - system - 1), system,
					(int)strcspn(event, "/"), event);
	}
}

/* Appends header_page with the size of this buffer's pages: the file's own is that of the top
 * buffer. */
static int append_header_page(const struct dat *dat, const struct buffer *buffer, size_t max, struct tsh_strbuf *out)
{
	struct tsh_strbuf text = TSH_STRBUF_INIT;
	int r = dat_read(dat, &dat->header_page, max, &text);
	const char *data = r < 0 ? NULL : strstr(text.buf, " data;"), *size = data ? strstr(data, "size:") : NULL;
	const char *offset = data ? strstr(data, "offset:") : NULL;
	uint64_t before = 0;

	if (offset)
		offset += strlen("offset:");
	if (size && offset && tsh_parse_u64_prefix(&offset, &before) && before < buffer->page_size) {
		size += strlen("size:");
		tsh_strbuf_add(out, text.buf, (size_t)(size - text.buf));
		tsh_strbuf_addf(out, "%llu", (unsigned long long)(buffer->page_size - before));
		size += strspn(size, "0123456789");
	} else {
		size = text.buf;
	}
	if (r >= 0)
		tsh_strbuf_adds(out, size);
	tsh_strbuf_release(&text);
	return r;
}

/* ---- paths ---- */

/* Finds the buffer that a path is of: *path then is what follows "instances/NAME/". Returns NULL
 * when there is no such instance. */
static const struct buffer *buffer_of(const struct dat *dat, const char **path)
{
	static const char instances[] = "instances/";
	const char *name = "";
	size_t len = 0, i;

	if (tsh_begins_with(*path, instances)) {
		name = *path + strlen(instances);
		len = strcspn(name, "/");
		*path = name + len + (name[len] == '/');
	}
	for (i = 0; i < dat->buffers.n; i++)
		if (strlen(dat->buffers.v[i].name) == len && !strncmp(dat->buffers.v[i].name, name, len))
			return &dat->buffers.v[i];
	return NULL;
}

static const struct cpu *cpu_of(const struct buffer *buffer, const char **path)
{
	const char *p = *path;
	uint64_t cpu;
	size_t i;

	if (!tsh_begins_with(p, "per_cpu/cpu"))
		return NULL;
	p += strlen("per_cpu/cpu");
	if (!tsh_parse_u64_prefix(&p, &cpu) || (*p && *p != '/'))
		return NULL;
	*path = *p ? p + 1 : p;
	for (i = 0; i < buffer->cpus.n; i++)
		if (buffer->cpus.v[i].cpu == cpu)
			return &buffer->cpus.v[i];
	return NULL;
}

static int compare_format(const void *key, const void *element)
{
	return strcmp(key, ((const struct format *)element)->path);
}

/* Lists the files that a buffer has beside formats and CPUs. */
static const char *const files[] = {
	"available_events", "events/header_event", "events/header_page", "kallsyms", "printk_formats", "saved_cmdlines",
	"trace", "trace_clock", "tracesh/clock", "tracesh/info",
};

/* Says whether tracesh has kept all files of a buffer's tree, so that none has to be made. */
static bool is_kept(const struct dat *dat, const struct buffer *buffer)
{
	return dat->files.n && !*buffer->name;
}

/* Says whether a file is a part of trace.dat even where tracesh has kept the others. */
static bool is_part(const char *path)
{
	return tsh_begins_with(path, "events/") || !strcmp(path, "kallsyms") || !strcmp(path, "printk_formats");
}

/* Appends the text of one of `files`. out may be NULL: then only says whether the file is there. */
static int read_known(const struct dat *dat, const struct buffer *buffer, const char *path, size_t max,
		      struct tsh_strbuf *out)
{
	const struct piece *piece = NULL;
	size_t before = out ? out->len : 0;

	if (is_kept(dat, buffer) && !is_part(path))
		return -ENOENT;
	if (!strcmp(path, "saved_cmdlines"))
		piece = &dat->cmdlines;
	else if (!strcmp(path, "kallsyms"))
		piece = &dat->kallsyms;
	else if (!strcmp(path, "printk_formats"))
		piece = &dat->printk;
	else if (!strcmp(path, "events/header_event"))
		piece = &dat->header_event;
	else if (!strcmp(path, "trace"))
		piece = &buffer->text;
	if (piece)
		return !piece->size ? -ENOENT : out ? dat_read(dat, piece, max, out) : 0;
	if (!strcmp(path, "events/header_page"))
		return out ? append_header_page(dat, buffer, max, out) : 0;
	if (!strcmp(path, "trace_clock") && !dat->clock)
		return -ENOENT;
	if (!strcmp(path, "tracesh/clock")) {
		struct tsh_strbuf clock = TSH_STRBUF_INIT;
		bool has;

		dat_append_clock(dat, &clock);
		has = clock.len;
		if (out)
			tsh_strbuf_add(out, clock.buf, clock.len);
		tsh_strbuf_release(&clock);
		return has ? 0 : -ENOENT;
	}
	if (!out)
		return 0;
	if (!strcmp(path, "trace_clock"))
		tsh_strbuf_addf(out, "%s\n", dat->clock);
	else if (!strcmp(path, "tracesh/info"))
		append_info(dat, buffer, out);
	else
		append_available(dat, out);
	return out->len - before > max ? -EFBIG : 0;
}

static bool is_known(const char *path)
{
	size_t i;

	for (i = 0; i < sizeof(files) / sizeof(files[0]); i++)
		if (!strcmp(path, files[i]))
			return true;
	return false;
}

/* Finds the format of the event whose id a path is of: "events/sched/sched_switch/id". */
static const struct format *format_of_id(const struct dat *dat, const char *path)
{
	size_t len = strlen(path);
	const struct format *format;
	char *of;

	if (len < 3 || strcmp(path + len - 3, "/id") != 0)
		return NULL;
	of = tsh_xasprintf("%.*s/format", (int)(len - 3), path);
	format = tsh_vec_find(&dat->formats, of, compare_format);
	free(of);
	return format;
}

/* Appends the id that a format has in its line "ID: 314". */
static int append_id(const struct dat *dat, const struct format *format, size_t max, struct tsh_strbuf *out)
{
	struct tsh_strbuf text = TSH_STRBUF_INIT;
	int r = dat_read(dat, &format->piece, max, &text);
	const char *id = r < 0 ? NULL : strstr(text.buf, "\nID: ");
	uint64_t number;

	if (id)
		id += strlen("\nID: ");
	if (id && tsh_parse_u64_prefix(&id, &number))
		tsh_strbuf_addf(out, "%llu\n", (unsigned long long)number);
	else if (!r)
		r = -ENOENT;
	tsh_strbuf_release(&text);
	return r;
}

/* Finds a file that tracesh has kept of the top buffer's tree. */
static const struct format *kept_file(const struct dat *dat, const struct buffer *buffer, const char *path)
{
	return *buffer->name ? NULL : tsh_vec_find(&dat->files, path, compare_format);
}

static int read_file(const struct tsh_tree_file *tree, const char *path, size_t max, struct tsh_strbuf *out)
{
	const struct dat *dat = dat_of(tree);
	const struct buffer *buffer = buffer_of(dat, &path);
	const struct format *format;

	if (!buffer)
		return -ENOENT;
	format = kept_file(dat, buffer, path);
	if (format)
		return dat_read(dat, &format->piece, max, out);
	if (is_known(path))
		return read_known(dat, buffer, path, max, out);
	format = format_of_id(dat, path);
	if (format)
		return append_id(dat, format, max, out);
	format = tsh_vec_find(&dat->formats, path, compare_format);
	return format ? dat_read(dat, &format->piece, max, out) : -ENOENT;
}

/* ---- folders ---- */

/* Adds the component of `file` that follows the folder, if the file is below it. Returns whether it
 * is. */
static bool add_below(const char *file, const char *folder, struct tsh_strlist *ret)
{
	size_t len = strlen(folder), n;

	if (strncmp(file, folder, len) != 0 || (len && file[len] != '/'))
		return false;
	file += len ? len + 1 : 0;
	n = strcspn(file, "/");
	if (ret && (!ret->n || strlen(ret->v[ret->n - 1]) != n || strncmp(ret->v[ret->n - 1], file, n) != 0))
		tsh_strlist_addn(ret, file, n);
	return true;
}

/* Adds what is in a folder; ret NULL: only says whether there is such a folder. */
static bool list_below(const struct dat *dat, const struct buffer *buffer, const char *folder, struct tsh_strlist *ret)
{
	bool is = false;
	char file[64];
	size_t i;

	for (i = 0; i < sizeof(files) / sizeof(files[0]); i++)
		if (read_known(dat, buffer, files[i], SIZE_MAX, NULL) == 0)
			is |= add_below(files[i], folder, ret);
	for (i = 0; i < dat->files.n && !*buffer->name && (ret || !is); i++)
		is |= add_below(dat->files.v[i].path, folder, ret);
	for (i = 0; i < dat->formats.n && (ret || !is); i++)
		is |= add_below(dat->formats.v[i].path, folder, ret);
	for (i = 0; i < buffer->cpus.n && (ret || !is); i++) {
		snprintf(file, sizeof(file), "per_cpu/cpu%u/trace_pipe_raw", buffer->cpus.v[i].cpu);
		is |= add_below(file, folder, ret);
	}
	return is;
}

static int list_instances(const struct dat *dat, struct tsh_strlist *ret)
{
	size_t i;

	for (i = 0; i < dat->buffers.n; i++)
		if (*dat->buffers.v[i].name)
			tsh_strlist_add(ret, dat->buffers.v[i].name);
	return ret->n ? 0 : -ENOENT;
}

static int list(const struct tsh_tree_file *tree, const char *path, struct tsh_strlist *ret)
{
	const struct dat *dat = dat_of(tree);
	const struct buffer *buffer;
	struct tsh_strlist names = { 0 };
	size_t i;

	if (!strcmp(path, "instances"))
		return list_instances(dat, ret);
	buffer = buffer_of(dat, &path);
	if (!buffer || !list_below(dat, buffer, strcmp(path, ".") ? path : "", &names)) {
		tsh_strlist_release(&names);
		return -ENOENT;
	}
	tsh_strlist_sort(&names);
	for (i = 0; i < names.n; i++)
		if (!i || strcmp(names.v[i], names.v[i - 1]) != 0)
			tsh_strlist_add(ret, names.v[i]);
	tsh_strlist_release(&names);
	return 0;
}

static enum tsh_tree_entry find(const struct tsh_tree_file *tree, const char *path)
{
	const struct dat *dat = dat_of(tree);
	const struct buffer *buffer;
	struct tsh_strlist names = { 0 };
	const struct cpu *cpu;
	const char *rest;
	bool is;

	if (!strcmp(path, "instances")) {
		is = !list_instances(dat, &names);
		tsh_strlist_release(&names);
		return is ? TSH_TREE_FOLDER : TSH_TREE_NONE;
	}
	buffer = buffer_of(dat, &path);
	if (!buffer)
		return TSH_TREE_NONE;
	if (!*path)
		return TSH_TREE_FOLDER;
	if (is_known(path) && !kept_file(dat, buffer, path))
		return read_known(dat, buffer, path, SIZE_MAX, NULL) ? TSH_TREE_NONE : TSH_TREE_FILE;
	rest = path;
	cpu = cpu_of(buffer, &rest);
	if (cpu && !strcmp(rest, "trace_pipe_raw"))
		return TSH_TREE_FILE;
	if (tsh_vec_find(&dat->formats, path, compare_format) || kept_file(dat, buffer, path) ||
	    format_of_id(dat, path))
		return TSH_TREE_FILE;
	return list_below(dat, buffer, path, NULL) ? TSH_TREE_FOLDER : TSH_TREE_NONE;
}

static int open_pages(const struct tsh_tree_file *tree, const char *path, struct tsh_tree_pages *ret)
{
	const struct dat *dat = dat_of(tree);
	const struct buffer *buffer = buffer_of(dat, &path);
	const struct cpu *cpu = buffer ? cpu_of(buffer, &path) : NULL;

	if (!cpu || strcmp(path, "trace_pipe_raw") != 0)
		return -ENOENT;
	if (buffer->is_packed)
		return dat_open_packed(dat, cpu, ret);
	*ret = (struct tsh_tree_pages){ .fd = dat->fd, .start = cpu->at, .size = cpu->size, .missing = cpu->missing };
	return 0;
}

static void free_tree(struct tsh_tree_file *tree)
{
	dat_free((struct dat *)tree);
}

const struct tsh_tree_file_ops dat_tree_ops = { find, read_file, list, open_pages, free_tree };
