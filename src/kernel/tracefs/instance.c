/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "backend.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/machine.h"
#include "base/process.h"
#include "base/safe-file.h"
#include "base/suggest.h"
#include "base/utf8.h"
#include "why-busy.h"
#include "write.h"

bool tsh_instance_name_is_valid(const char *name)
{
	static const char allowed[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
				      "0123456789._-";
	size_t len = strlen(name);

	return len >= 1 && len <= 64 && strspn(name, allowed) == len && strcmp(name, ".") &&
	       strcmp(name, "..");
}

const char *tsh_instance_label(const struct tsh_instance *in)
{
	return tsh_instance_word(in->name);
}

const char *tsh_instance_word(const char *name)
{
	return !name ? "top" : !strcmp(name, "top") ? "instances/top" : name;
}

const char *tsh_instance_parse_word(const char *word)
{
	static const char folder[] = "instances/";

	if (!strcmp(word, "top"))
		return NULL;
	return word + (strncmp(word, folder, strlen(folder)) ? 0 : strlen(folder));
}

static int invalid_name(struct tsh_err *err, const char *name)
{
	tsh_err_set(err, TSH_USAGE, "'%s' cannot be the name of an instance", name);
	tsh_err_hint(err, "letters, digits, '.', '_' and '-' (not first), at most 64");
	return -1;
}

static int unknown_instance(const struct tsh_dir *dir, struct tsh_err *err, const char *name)
{
	struct tsh_strlist names = { 0 };
	struct tsh_suggest near;
	size_t i;

	tsh_err_set(err, TSH_FAILED, "unknown instance '%s'", name);
	tsh_instance_list(dir, &names);
	tsh_suggest_init(&near, name);
	for (i = 0; i < names.n; i++)
		tsh_suggest_offer(&near, names.v[i]);
	if (tsh_suggest_best(&near))
		tsh_err_hint(err, "did you mean '%s'?", tsh_suggest_best(&near));
	else
		tsh_err_hint(err, "instance lists them, instance create %s makes it, as tracesh -I %s does", name, name);
	tsh_suggest_release(&near);
	tsh_strlist_release(&names);
	return -1;
}

/* Says whether a script has made or removed an instance, as has_instance of struct tsh_model. */
static int is_in_model(const struct tsh_dir *dir, const char *name)
{
	const struct tsh_model *model = tsh_dir_model(dir);

	return model && name ? model->has_instance(dir, name) : 0;
}

/* Returns the inode of an instance's directory. A directory that is made later with the same name
 * gets another one (get_next_ino). */
static uint64_t identity_of(int fd)
{
	struct stat st;

	return fstat(fd, &st) < 0 ? 0 : st.st_ino;
}

int tsh_instance_open(struct tsh_dir *dir, const char *name, struct tsh_instance **ret,
		      struct tsh_err *err)
{
	int modelled = is_in_model(dir, name), fd;
	struct tsh_instance *in;
	char *path;

	if (name && !tsh_instance_name_is_valid(name))
		return invalid_name(err, name);
	if (modelled < 0)
		return unknown_instance(dir, err, name);
	if (name && dir->file) {
		fd = tsh_instance_exists(dir, name) ? fcntl(dir->fd, F_DUPFD_CLOEXEC, 0) : -ENOENT;
	} else if (name && !modelled) {
		path = tsh_xasprintf("instances/%s", name);
		fd = tsh_open_beneath(dir->fd, path, O_RDONLY | O_DIRECTORY);
		free(path);
	} else {
		fd = fcntl(dir->fd, F_DUPFD_CLOEXEC, 0);
		if (fd < 0)
			fd = -errno;
	}
	if (fd == -ENOENT)
		return unknown_instance(dir, err, name);
	if (fd < 0)
		return tsh_err_errno(err, -fd, "cannot open instance '%s'", tsh_instance_word(name));
	in = tsh_xcalloc(1, sizeof(*in));
	in->dir = dir;
	in->name = name ? tsh_xstrdup(name) : NULL;
	in->fd = fd;
	in->held = -1;
	in->imagined = modelled > 0;
	in->identity = name && !in->imagined ? identity_of(fd) : 0;
	*ret = in;
	return 0;
}

int tsh_instance_open_any(struct tsh_dir *dir, const char *name, struct tsh_instance **ret)
{
	char *path = name ? tsh_xasprintf("instances/%s", name) : tsh_xstrdup(".");
	int fd = tsh_open_beneath(dir->fd, path, O_RDONLY | O_DIRECTORY);

	free(path);
	if (fd < 0)
		return fd;
	*ret = tsh_xcalloc(1, sizeof(**ret));
	**ret = (struct tsh_instance){
		.dir = dir, .name = name ? tsh_xstrdup(name) : NULL, .fd = fd, .held = -1,
	};
	return 0;
}

void tsh_instance_close(struct tsh_instance *in)
{
	if (!in)
		return;
	close(in->fd);
	if (in->held >= 0)
		close(in->held);
	free(in->name);
	free(in);
}

static int may_change(const struct tsh_dir *dir, struct tsh_err *err)
{
	const struct tsh_backend *backend = dir->backend;

	if (dir->kind == TSH_DIR_TREE && tsh_dir_is_script(dir))
		return 0;
	if (dir->kind == TSH_DIR_TREE)
		tsh_err_set(err, TSH_ENVIRONMENT, "'%s' is a recorded tree: nothing in it can be changed", dir->path);
	else if (dir->read_only)
		tsh_err_set(err, TSH_FAILED, "instances are not changed: --read-only was given");
	else
		return backend && backend->may_begin ? backend->may_begin(dir, err) : 0;
	tsh_err_hint(err, "instance lists those that there are, instance use NAME, or -i NAME, goes to one");
	return -1;
}

static void report_change(struct tsh_dir *dir, const char *program, const char *name)
{
	const struct tsh_instance in = { .dir = dir, .name = (char *)name };

	if (dir->wrote)
		dir->wrote(dir->wrote_ctx, &(const struct tsh_wrote){ .in = &in, .program = program });
}

static int make_directory(struct tsh_dir *dir, const char *name)
{
	const struct tsh_model *model = tsh_dir_model(dir);
	int parent, r;

	if (model)
		return model->make_instance(dir, name);
	parent = tsh_open_beneath(dir->fd, "instances", O_RDONLY | O_DIRECTORY);
	if (parent < 0)
		return parent;
	do {
		r = mkdirat(parent, name, 0700) < 0 ? -errno : 0;
	} while (r == -EINTR);
	close(parent);
	if (!r)
		report_change(dir, "mkdir", name);
	return r;
}

static int exists_already(struct tsh_err *err, const char *name)
{
	return tsh_err_set(err, TSH_FAILED, "instance '%s' exists already", name);
}

/* Hints at what a group can do. When tracefs is mounted for a group, its members read and write
 * files, but only root makes directories, also for the group. */
static void hint_group(const struct tsh_dir *dir, struct tsh_err *err)
{
	char *word = tsh_typed_word(dir->path);

	tsh_err_hint(err, "run it as root, or let root make one for your group: mkdir %s/instances/NAME && chgrp -R GROUP "
		     "%s/instances/NAME && chmod -R g+rwX %s/instances/NAME; then tracesh -i NAME stream --here EVENT",
		     word, word, word);
	free(word);
}

static int open_per_cpu(const struct tsh_dir *dir, const char *name)
{
	char *path = tsh_xasprintf("instances/%s/per_cpu", name);
	int fd = tsh_open_beneath(dir->fd, path, O_RDONLY | O_DIRECTORY);

	free(path);
	return fd;
}

/* Define the tries and the microseconds between them: recover holds the lock while it checks an
 * instance, and while the kernel removes it. */
#define HOLD_TRIES 500
#define HOLD_STEP_US 1000

/* Marks an own instance as used. The lock is on per_cpu: the lock of the instance's directory
 * itself belongs to its reader. Returns false when recover has removed the instance before. */
static bool lock_own_instance(struct tsh_instance *in)
{
	unsigned int tries;

	if (tsh_dir_is_script(in->dir))
		return true;
	in->held = open_per_cpu(in->dir, in->name);
	for (tries = 0; in->held >= 0 && flock(in->held, LOCK_SH | LOCK_NB) < 0 && tries < HOLD_TRIES; tries++)
		usleep(HOLD_STEP_US);
	return tsh_instance_still_exists(in);
}

bool tsh_instance_is_held(const struct tsh_dir *dir, const char *name)
{
	int fd = open_per_cpu(dir, name);
	bool held = fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) < 0;

	if (fd >= 0)
		close(fd);
	return held;
}

bool tsh_instance_is_abandoned(const struct tsh_dir *dir, const char *name)
{
	pid_t owner = tsh_instance_owner(name);

	return owner && tsh_is_initial_pid_namespace() && !tsh_instance_is_held(dir,
										name) && !tsh_process_has_number(owner);
}

int tsh_instance_sweep(struct tsh_dir *dir, const char *name, struct tsh_err *err)
{
	int fd = open_per_cpu(dir, name), r;

	if (fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) < 0)
		r = tsh_err_set(err, TSH_FAILED, "a tracesh holds it by now");
	else
		r = tsh_instance_delete(dir, name, err);
	if (fd >= 0)
		close(fd);
	return r;
}

pid_t tsh_instance_owner(const char *name)
{
	static const char prefix[] = "tracesh-";
	char *end;
	long pid;

	if (strncmp(name, prefix, sizeof(prefix) - 1))
		return 0;
	pid = strtol(name + sizeof(prefix) - 1, &end, 10);
	return pid > 0 && pid <= INT32_MAX && *end == '-' && end[1] &&
	       strspn(end + 1, "0123456789") == strlen(end + 1) ? (pid_t)pid : 0;
}

static int reserved_name(struct tsh_err *err, const char *name)
{
	tsh_err_set(err, TSH_USAGE, "'%s' is the name of an instance of tracesh's own, which recover "
		    "removes", name);
	tsh_err_hint(err, "any name but tracesh-NUMBER-NUMBER");
	return -1;
}

static void end_instance(struct tsh_dir *dir, bool made, uint64_t identity)
{
	const struct tsh_backend *backend = dir->backend;

	if (backend && backend->end_instance)
		backend->end_instance(dir, made, identity);
}

static int create(struct tsh_dir *dir, const char *name, bool own, struct tsh_instance **ret,
		  struct tsh_err *err)
{
	const struct tsh_backend *backend = dir->backend;
	int r;

	if (may_change(dir, err) < 0)
		return -1;
	/* A name that begins with a dash would be taken for an option. */
	if (!tsh_instance_name_is_valid(name) || *name == '-')
		return invalid_name(err, name);
	if (!own && tsh_instance_owner(name))
		return reserved_name(err, name);
	/* An instance of somebody else must never be in the journal, so its existence is checked
	 * before. */
	if (!tsh_dir_is_script(dir) && tsh_instance_exists(dir, name))
		return exists_already(err, name);
	if (backend && backend->begin_instance)
		backend->begin_instance(dir, name, own);
	r = make_directory(dir, name);
	if (r < 0) {
		end_instance(dir, false, 0);
		if (r == -EEXIST)
			return exists_already(err, name);
		tsh_err_errno(err, -r, "cannot create instance '%s'", name);
		if (r == -ENOENT)
			tsh_err_hint(err, "this kernel has no instances (Linux 3.10 has)");
		else if (r == -ENOMEM)
			tsh_err_hint(err, "its buffers do not fit into memory");
		else if (r == -EACCES || r == -EPERM)
			hint_group(dir, err);
		return -1;
	}
	if (tsh_instance_open(dir, name, ret, err) < 0) {
		end_instance(dir, true, 0);
		return -1;
	}
	(*ret)->own = own;
	if (own && !lock_own_instance(*ret)) {
		end_instance(dir, false, 0);
		tsh_instance_close(*ret);
		/* The caller tries another name, as if this one existed. */
		return exists_already(err, name);
	}
	end_instance(dir, true, (*ret)->identity);
	return 0;
}

int tsh_instance_create(struct tsh_dir *dir, const char *name, struct tsh_instance **ret,
			struct tsh_err *err)
{
	return create(dir, name, false, ret, err);
}

int tsh_instance_create_own(struct tsh_dir *dir, struct tsh_instance **ret, struct tsh_err *err)
{
	char *name;
	int r;

	do {
		name = tsh_xasprintf("tracesh-%d-%u", (int)getpid(), ++dir->own_instances);
		tsh_err_release(err);
		r = create(dir, name, true, ret, err);
		free(name);
		/* A process with the same pid as ours has left this name behind. */
	} while (r < 0 && err->number == 0 && err->status == TSH_FAILED && err->message &&
		 strstr(err->message, "exists already") && dir->own_instances < 1000);
	return r;
}

int tsh_instance_remove(struct tsh_dir *dir, const char *name)
{
	const struct tsh_model *model = tsh_dir_model(dir);
	int parent, r = 0, tries;

	if (model)
		return model->remove_instance(dir, name);
	parent = tsh_open_beneath(dir->fd, "instances", O_RDONLY | O_DIRECTORY);
	if (parent < 0)
		return parent;
	/* A reader that has just closed its file may still keep the instance busy. */
	for (tries = 0; tries < 20; tries++) {
		r = unlinkat(parent, name, AT_REMOVEDIR) < 0 ? -errno : 0;
		if (r != -EBUSY && r != -EINTR)
			break;
		usleep(5000);
	}
	close(parent);
	if (!r)
		report_change(dir, "rmdir", name);
	return r;
}

/* Sets the hint: who keeps the instance busy, or why that is unknown. */
static void hint_busy(struct tsh_dir *dir, const char *name, struct tsh_err *err)
{
	char *why = tsh_instance_why_busy(dir, name);
	struct tsh_err lack = { 0 };

	if (why)
		tsh_err_hint(err, "%s", why);
	else if (tsh_check_proc(&lack) < 0)
		tsh_err_hint(err, "the process that has a file of it open can be found when /proc is mounted: %s", lack.hint);
	else
		tsh_err_hint(err, "the process that has a file of it open is not visible: it may be in another pid namespace");
	tsh_err_release(&lack);
	free(why);
}

int tsh_instance_delete(struct tsh_dir *dir, const char *name, struct tsh_err *err)
{
	const struct tsh_backend *backend = dir->backend;
	int r;

	if (may_change(dir, err) < 0)
		return -1;
	if (!tsh_instance_name_is_valid(name))
		return invalid_name(err, name);
	r = tsh_instance_remove_whole(dir, name);
	if (r == -ENOENT)
		return unknown_instance(dir, err, name);
	if (r < 0) {
		tsh_err_errno(err, -r, "cannot delete instance '%s'", name);
		if (r == -EBUSY)
			hint_busy(dir, name, err);
		return -1;
	}
	if (backend && backend->forget_instance)
		backend->forget_instance(dir, name);
	return 0;
}

void tsh_instance_list(const struct tsh_dir *dir, struct tsh_strlist *ret)
{
	const struct tsh_instance top = { .dir = (struct tsh_dir *)dir, .fd = dir->fd };
	struct tsh_strlist names = { 0 };
	size_t i;

	tsh_file_list(&top, "instances", &names);
	for (i = 0; i < names.n; i++)
		if (is_in_model(dir, names.v[i]) >= 0)
			tsh_strlist_add(ret, names.v[i]);
	tsh_strlist_release(&names);
}

bool tsh_instance_still_exists(const struct tsh_instance *in)
{
	struct tsh_err ignored = { 0 };
	struct tsh_instance *now;
	bool same;

	if (!in->name || in->imagined)
		return true;
	same = !tsh_instance_open(in->dir, in->name, &now, &ignored);
	if (same) {
		same = now->identity == in->identity;
		tsh_instance_close(now);
	}
	tsh_err_release(&ignored);
	return same;
}

bool tsh_instance_exists(const struct tsh_dir *dir, const char *name)
{
	const struct tsh_instance top = { .dir = (struct tsh_dir *)dir, .fd = dir->fd };
	char *path = tsh_xasprintf("instances/%s", name);
	bool exists = tsh_file_exists(&top, path);

	free(path);
	return exists;
}
