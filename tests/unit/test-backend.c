/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "kernel/tracefs/backend.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

/* Who takes what is written to a folder: nobody but the files, a backend, or a model in their place. */

struct folder {
	char path[32];
	struct tsh_dir *dir;
	struct tsh_instance top;
	struct tsh_strbuf said;		/* what was called */
};

static struct tsh_strbuf *said_of(const struct tsh_dir *dir)
{
	return dir->wrote_ctx;
}

static void wrote(void *ctx, const struct tsh_wrote *what)
{
	if (what->program)
		tsh_strbuf_addf(ctx, "%s %s;", what->program, what->in->name);
	else
		tsh_strbuf_addf(ctx, "%s %s;", what->text, what->path);
}

static void begin(struct folder *f)
{
	int fd;

	*f = (struct folder){ .path = "/tmp/tracesh-backend-XXXXXX", .said = TSH_STRBUF_INIT };
	assert_non_null(mkdtemp(f->path));
	fd = open(f->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	f->dir = tsh_dir_open_tree(fd, f->path);
	assert_non_null(f->dir);
	close(fd);
	f->dir->kind = TSH_DIR_TRACEFS;
	f->dir->read_only = false;
	f->dir->wrote = wrote;
	f->dir->wrote_ctx = &f->said;
	f->top = (struct tsh_instance){ .dir = f->dir, .fd = f->dir->fd };
	assert_int_equal(mkdirat(f->top.fd, "instances", 0700), 0);
	close(openat(f->top.fd, "trace_clock", O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
}

static void end(struct folder *f)
{
	assert_int_equal(unlinkat(f->top.fd, "trace_clock", 0), 0);
	assert_int_equal(unlinkat(f->top.fd, "instances", AT_REMOVEDIR), 0);
	tsh_dir_close(f->dir);
	assert_int_equal(rmdir(f->path), 0);
	tsh_strbuf_release(&f->said);
}

static void said(struct folder *f, const char *what)
{
	assert_string_equal(f->said.len ? f->said.buf : "", what);
	tsh_strbuf_clear(&f->said);
}

static void reads(const struct tsh_instance *in, const char *path, const char *what)
{
	char *text = tsh_file_text(in, path);

	assert_string_equal(text ? text : "(none)", what);
	free(text);
}

static void put(struct tsh_instance *in, const char *text, int r)
{
	struct tsh_err err = { 0 };

	assert_int_equal(tsh_file_write(in, "trace_clock", TSH_WRITE_SET, text, &err), r);
	tsh_err_release(&err);
}

static int note_write(struct tsh_instance *in, const char *path, enum tsh_write_how how, const char *text,
		      struct tsh_err *err)
{
	(void)how, (void)err;
	tsh_strbuf_addf(said_of(in->dir), "write %s %s;", path, text);
	return 1;
}

static int note_may_begin(const struct tsh_dir *dir, struct tsh_err *err)
{
	tsh_strbuf_adds(said_of(dir), "may;");
	return dir->pieces == 7 ? tsh_err_set(err, TSH_FAILED, "no") : 0;
}

static void note_begin(struct tsh_dir *dir, const char *name, bool own)
{
	tsh_strbuf_addf(said_of(dir), "begin %s%s;", name, own ? " own" : "");
}

static void note_end(struct tsh_dir *dir, bool made, uint64_t identity)
{
	tsh_strbuf_addf(said_of(dir), "end %d %d;", made, identity != 0);
}

static void note_forget(struct tsh_dir *dir, const char *name)
{
	tsh_strbuf_addf(said_of(dir), "forget %s;", name);
}

static void note_close(struct tsh_dir *dir)
{
	tsh_strbuf_adds(said_of(dir), "close;");
}

static const struct tsh_backend noting = {
	.write = note_write,
	.may_begin = note_may_begin,
	.begin_instance = note_begin,
	.end_instance = note_end,
	.forget_instance = note_forget,
	.close = note_close,
};

static void test_plain(void **state)
{
	struct folder f;

	(void)state;
	begin(&f);
	put(&f.top, "mono", 1);
	said(&f, "mono trace_clock;");
	reads(&f.top, "trace_clock", "mono");
	end(&f);
}

static void test_backend(void **state)
{
	struct tsh_instance *in, own;
	struct tsh_err err = { 0 };
	struct folder f;

	(void)state;
	begin(&f);
	f.dir->backend = &noting;
	put(&f.top, "mono", 1);
	said(&f, "may;write trace_clock mono;");
	reads(&f.top, "trace_clock", "");
	/* what nobody wants back goes past it */
	own = f.top;
	own.own = true;
	put(&own, "boot", 1);
	said(&f, "may;boot trace_clock;");
	f.dir->pieces = 7;
	put(&f.top, "mono", -1);
	put(&own, "mono", -1);
	said(&f, "may;may;");
	f.dir->pieces = 0;
	assert_int_equal(tsh_instance_create(f.dir, "x", &in, &err), 0);
	said(&f, "may;begin x;mkdir x;end 1 1;");
	tsh_instance_close(in);
	assert_int_equal(tsh_instance_create(f.dir, "x", &in, &err), -1);
	tsh_err_release(&err);
	said(&f, "may;");
	assert_int_equal(tsh_instance_delete(f.dir, "x", &err), 0);
	said(&f, "may;rmdir x;forget x;");
	end(&f);
}

/* ---- a model ---- */

static int model_write(const struct tsh_instance *in, const char *path, bool truncate, const char *text)
{
	(void)truncate;
	tsh_strbuf_addf(said_of(in->dir), "model %s %s;", path, text);
	return 0;
}

static int model_instance(struct tsh_dir *dir, const char *name)
{
	tsh_strbuf_addf(said_of(dir), "model %s;", name);
	return -EBUSY;
}

static int model_has(const struct tsh_dir *dir, const char *name)
{
	(void)dir;
	return !strcmp(name, "made") ? 1 : !strcmp(name, "gone") ? -1 : 0;
}

static int model_read(const struct tsh_instance *in, const char *path, struct tsh_strbuf *out)
{
	(void)in;
	if (!strcmp(path, "refused"))
		return -EACCES;
	if (strcmp(path, "made") != 0)
		return 0;
	tsh_strbuf_adds(out, "of the model\n");
	return 1;
}

static int model_exists(const struct tsh_instance *in, const char *path)
{
	return model_has(in->dir, path);
}

static void model_list(const struct tsh_instance *in, const char *path, struct tsh_strlist *ret)
{
	(void)in;
	if (!strcmp(path, "instances"))
		tsh_strlist_add(ret, "made");
}

static const struct tsh_model model = {
	.write = model_write,
	.make_instance = model_instance,
	.remove_instance = model_instance,
	.has_instance = model_has,
	.read = model_read,
	.exists = model_exists,
	.list = model_list,
};
static const struct tsh_backend modelled = { .model = &model };

static void test_model(void **state)
{
	struct tsh_instance *in, own;
	struct tsh_strlist names = { 0 };
	struct tsh_err err = { 0 };
	struct folder f;

	(void)state;
	begin(&f);
	put(&f.top, "mono", 1);
	said(&f, "mono trace_clock;");
	f.dir->backend = &modelled;
	assert_true(tsh_dir_is_script(f.dir));
	own = f.top;
	own.own = true;
	put(&own, "boot", 1);
	said(&f, "model trace_clock boot;");
	reads(&f.top, "trace_clock", "mono");
	reads(&f.top, "made", "of the model");
	reads(&f.top, "refused", "(none)");
	assert_true(tsh_file_exists(&f.top, "made") && tsh_file_exists(&f.top, "trace_clock"));
	assert_false(tsh_file_exists(&f.top, "gone") || tsh_file_exists(&f.top, "other"));
	tsh_instance_list(f.dir, &names);
	assert_int_equal(names.n, 1);
	tsh_strlist_release(&names);
	assert_int_equal(tsh_instance_open(f.dir, "made", &in, &err), 0);
	assert_true(in->imagined);
	tsh_instance_close(in);
	assert_int_equal(tsh_instance_open(f.dir, "gone", &in, &err), -1);
	tsh_err_release(&err);
	assert_int_equal(tsh_instance_create(f.dir, "new", &in, &err), -1);
	assert_int_equal(err.number, EBUSY);
	tsh_err_release(&err);
	said(&f, "model new;");
	end(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_plain),
		cmocka_unit_test(test_backend),
		cmocka_unit_test(test_model),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
