/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "trace-dat.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/number.h"
#include "base/xmalloc.h"
#include "dat.h"

/* Begins each trace.dat. */
static const char magic[] = "\x17\x08\x44tracing";
#define MAGIC_BYTES (sizeof(magic) - 1)

bool tsh_is_trace_dat(int fd)
{
	char found[MAGIC_BYTES];

	return tsh_read_at(fd, 0, found, sizeof(found)) && !memcmp(found, magic, sizeof(found));
}

void dat_free(struct dat *dat)
{
	size_t i;

	for (i = 0; i < dat->formats.n; i++)
		free(dat->formats.v[i].path);
	for (i = 0; i < dat->buffers.n; i++) {
		free(dat->buffers.v[i].name);
		tsh_vec_release(&dat->buffers.v[i].cpus);
	}
	for (i = 0; i < dat->sections.n; i++) {
		tsh_strbuf_release(dat->sections.v[i]);
		free(dat->sections.v[i]);
	}
	for (i = 0; i < dat->files.n; i++)
		free(dat->files.v[i].path);
	tsh_vec_release(&dat->files);
	tsh_vec_release(&dat->formats);
	tsh_vec_release(&dat->buffers);
	tsh_vec_release(&dat->sections);
	tsh_vec_release(&dat->shifts);
	free(dat->clock);
	free(dat->uname);
	free(dat->path);
	close(dat->fd);
	free(dat);
}

/* ---- the wall clock ---- */

/* Returns the clock that trace_clock has in brackets. The caller frees it. */
static char *clock_name(const struct dat *dat)
{
	const char *name = dat->clock ? strchr(dat->clock, '[') : NULL;

	return name ? tsh_xstrndup(name + 1, strcspn(name + 1, "]")) : tsh_xstrdup(dat->clock ? dat->clock : "local");
}

void dat_append_clock(const struct dat *dat, struct tsh_strbuf *out)
{
	int64_t wall;
	char *name;

	if (!dat->has_date && !dat->has_offset)
		return;
	name = clock_name(dat);
	wall = (int64_t)((uint64_t)dat->date * 1000u + (uint64_t)dat->offset);
	tsh_strbuf_addf(out, "%s\ndated\nwall 0 %" PRId64 " %" PRId64 " 0 0 0\n", name, wall, wall);
	free(name);
}

/* ---- opening ---- */

static int compare_formats(const void *a, const void *b)
{
	return strcmp(((const struct format *)a)->path, ((const struct format *)b)->path);
}

static int read_head(struct dat *dat, struct cursor *c, struct tsh_err *err)
{
	uint64_t version = 0;
	char *text;

	(void)dat_expect(c, magic, MAGIC_BYTES, "it does not begin as a trace.dat does");
	text = dat_string(c, 16);
	if (text && tsh_parse_u64(text, &version) < 0)
		dat_fault(c, "its version is no number");
	dat->version = (unsigned int)version;
	dat->is_big_endian = dat_number(c, 1) == 1;
	dat->long_size = (unsigned int)dat_number(c, 1);
	dat->page_size = (uint32_t)dat_number(c, 4);
	if (c->fault) {
		free(text);
		return dat_check(c, err);
	}
	if (version != 6 && version != 7) {
		tsh_err_set(err, TSH_FAILED, "'%s' is a trace.dat of version %s; 6 and 7 can be read", dat->path, text);
		tsh_err_hint(err, "trace-cmd convert makes one of version 6 or 7 of it");
		free(text);
		return -1;
	}
	free(text);
	return 0;
}

static int read_all(struct dat *dat, struct tsh_err *err)
{
	struct cursor *c = tsh_xcalloc(1, sizeof(*c));
	int r;

	dat_begin(c, dat, &(struct piece){ .size = dat->size });
	r = read_head(dat, c, err);
	if (!r)
		r = dat->version == 6 ? dat_read_v6(dat, c, err) : dat_read_v7(dat, c, err);
	if (!r && !dat->header_page.size)
		r = tsh_err_set(err, TSH_FAILED, "'%s' is damaged: it does not describe its pages", dat->path);
	if (!r && !dat->buffers.n)
		r = tsh_err_set(err, TSH_FAILED, "'%s' has no buffer", dat->path);
	tsh_vec_sort(&dat->formats, compare_formats);
	tsh_vec_sort(&dat->files, compare_formats);
	free(c);
	return r;
}

struct tsh_tree_file *tsh_trace_dat_open(int fd, const char *path, struct tsh_err *err)
{
	struct dat *dat = tsh_xcalloc(1, sizeof(*dat));
	struct stat st;

	dat->tree.ops = &dat_tree_ops;
	dat->fd = fd;
	dat->path = tsh_xstrdup(path);
	if (fstat(fd, &st) < 0 || st.st_size < 0)
		tsh_err_errno(err, errno, "cannot read '%s'", path);
	else
		dat->size = (uint64_t)st.st_size;
	if (dat->size && !read_all(dat, err))
		return &dat->tree;
	dat_free(dat);
	return NULL;
}

/* Gives a folder that was opened as a text the files of the trace.dat that it is. Returns 0,
 * also for any other folder; -1 with err. */
static int read_as_dat(struct tsh_dir *dir, struct tsh_err *err)
{
	int fd = tsh_dir_text_fd(dir);
	struct tsh_tree_file *file;

	if (fd < 0 || !tsh_is_trace_dat(fd))
		return 0;
	fd = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	if (fd < 0)
		return tsh_err_errno(err, errno, "cannot read '%s'", dir->path);
	file = tsh_trace_dat_open(fd, dir->path, err);
	if (!file)
		return -1;
	tsh_dir_set_file(dir, file);
	return 0;
}

int tsh_trace_dir_open(const char *path, struct tsh_dir **ret_dir, struct tsh_err *err)
{
	if (tsh_dir_open(path, ret_dir, err) < 0)
		return -1;
	if (!read_as_dat(*ret_dir, err))
		return 0;
	err->status = TSH_ENVIRONMENT;
	tsh_dir_close(*ret_dir);
	*ret_dir = NULL;
	return -1;
}

bool tsh_is_recording(const char *path)
{
	struct tsh_err ignored = { 0 };
	struct tsh_dir *dir;
	bool is;

	if (tsh_trace_dir_open(path, &dir, &ignored) < 0) {
		tsh_err_release(&ignored);
		return false;
	}
	is = dir->kind == TSH_DIR_TREE && tsh_dir_text_fd(dir) < 0;
	tsh_dir_close(dir);
	return is;
}
