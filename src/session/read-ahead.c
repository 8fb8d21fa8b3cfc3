/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "read-ahead.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "events/symbols/btf.h"
#include "function-names.h"
#include "util.h"

static bool same_text(const char *a, const char *b)
{
	return a && b ? !strcmp(a, b) : a == b;
}

static void release_reader(struct tsh_reader *reader)
{
	tsh_source_close(reader->source);
	tsh_instance_close(reader->in);
	free(reader->instance);
	free(reader->clock);
	free(reader->cpus);
}

/* Moves into this reader what other readers of the same buffer (of single CPUs, or of all) have
 * read ahead, so that no event is left behind. */
static void adopt_pending(struct tsh_session *s, struct tsh_reader *reader)
{
	size_t i;

	for (i = 0; i < s->readers.n; i++)
		if (&s->readers.v[i] != reader && tsh_source_is_live(reader->source) &&
		    same_text(s->readers.v[i].instance, reader->instance))
			tsh_source_adopt(reader->source, s->readers.v[i].source);
}

/* Checks whether the clock was changed since the last read, which has emptied the buffer. */
static void check_clock(struct tsh_session *s, struct tsh_reader *reader)
{
	char *now = tsh_source_is_live(reader->source) ? tsh_clock_name(reader->in) : NULL;
	uint64_t pending = tsh_source_pending(reader->source);

	if (now && reader->clock && strcmp(now, reader->clock) != 0) {
		tsh_source_restart_order(reader->source);
		if (pending)
			tsh_out_warn(s->out, "the trace clock was changed from %s to %s: the times of "
				     "the first %llu event%s, read before the change, are wrong",
				     reader->clock, now, (unsigned long long)pending,
				     tsh_plural(pending));
	}
	free(reader->clock);
	reader->clock = now;
}

static struct tsh_reader *prepare_reader(struct tsh_session *s, struct tsh_reader *reader)
{
	adopt_pending(s, reader);
	check_clock(s, reader);
	return reader;
}

int tsh_reader_open(struct tsh_session *s, const struct tsh_value *cpus,
		    struct tsh_reader **ret, struct tsh_err *err)
{
	const char *list = cpus ? cpus->word.text : NULL;
	struct tsh_reader made = { 0 };
	size_t i;

	for (i = 0; i < s->readers.n; i++)
		if (same_text(s->readers.v[i].instance, s->in->name) &&
		    same_text(s->readers.v[i].cpus, list)) {
			*ret = prepare_reader(s, &s->readers.v[i]);
			return 0;
		}
	if (tsh_instance_open(s->dir, s->in->name, &made.in, err) < 0)
		return -1;
	if (tsh_source_open(made.in, cpus ? &cpus->cpus : NULL, &made.source, err) < 0) {
		if (cpus)
			tsh_err_blame(err, cpus->word.span);
		tsh_instance_close(made.in);
		return -1;
	}
	made.instance = s->in->name ? tsh_xstrdup(s->in->name) : NULL;
	made.cpus = list ? tsh_xstrdup(list) : NULL;
	*ret = tsh_vec_push(&s->readers);
	**ret = made;
	(void)prepare_reader(s, *ret);
	return 0;
}

void tsh_reader_drop(struct tsh_session *s, const char *instance)
{
	size_t i;

	for (i = s->readers.n; i-- > 0;) {
		if (!same_text(s->readers.v[i].instance, instance))
			continue;
		release_reader(&s->readers.v[i]);
		s->readers.v[i] = s->readers.v[--s->readers.n];
	}
}

uint64_t tsh_cmd_session_pending(const struct tsh_session *s)
{
	uint64_t pending = 0;
	size_t i;

	for (i = 0; i < s->readers.n; i++)
		pending += tsh_source_pending(s->readers.v[i].source);
	return pending;
}

void tsh_cmd_session_release(struct tsh_session *s)
{
	size_t i;

	for (i = 0; i < s->readers.n; i++)
		release_reader(&s->readers.v[i]);
	tsh_vec_release(&s->readers);
	tsh_function_names_free(s->functions);
	s->functions = NULL;
	tsh_btf_free(s->btf);
	s->btf = NULL;
	tsh_strlist_release(&s->came_from);
}

static int refuse(struct tsh_session *s, const char *who, struct tsh_err *err)
{
	tsh_err_set(err, TSH_FAILED, "%s is reading the events of '%s': two readers would each "
		    "get only a part", who, tsh_instance_label(s->in));
	err->number = EBUSY;
	tsh_err_hint(err, "show prints events and leaves them there; stream EVENT.. uses a buffer of its own");
	return -1;
}

int tsh_reader_claim(struct tsh_session *s, struct tsh_err *err)
{
	struct tsh_strlist holders = { 0 };
	int fd, r = 0;
	bool all;

	if (s->dir->kind == TSH_DIR_TREE)
		return -2;
	/* Locks out other sessions of tracesh, by a lock on the instance's directory. */
	if (flock(s->in->fd, LOCK_EX | LOCK_NB) < 0 && errno == EWOULDBLOCK)
		return refuse(s, "another tracesh", err);
	/* Opens trace_pipe, but does not read: newer kernels let only one process open the file. */
	fd = tsh_file_open(s->in, "trace_pipe", O_NONBLOCK);
	all = tsh_pipe_holders(s->in, &holders);
	if (holders.n || fd == -EBUSY)
		r = refuse(s, holders.n ? holders.v[0] : "another process", err);
	else if (!all)
		tsh_out_warn(s->out, "another program may be reading these events, too: more files are open "
			     "than can be checked in %d s",
			     TSH_HOLDERS_SECONDS);
	tsh_strlist_release(&holders);
	if (r < 0) {
		if (fd >= 0)
			close(fd);
		flock(s->in->fd, LOCK_UN);
		return -1;
	}
	return fd >= 0 ? fd : -2;
}

void tsh_reader_release_claim(struct tsh_session *s, int claim)
{
	if (claim >= 0)
		close(claim);
	if (s->in)
		flock(s->in->fd, LOCK_UN);
}

int tsh_with_claim(struct tsh_session *s, int (*work)(void *ctx, struct tsh_err *err), void *ctx, struct tsh_err *err)
{
	int claim = tsh_reader_claim(s, err), r;

	if (claim == -1)
		return -1;
	r = work(ctx, err);
	tsh_reader_release_claim(s, claim);
	return r;
}

int tsh_with_here(struct tsh_session *s, int (*work)(void *ctx, struct tsh_err *err), void *ctx, struct tsh_err *err)
{
	unsigned int mark = tsh_cmd_mark(s);
	int r = tsh_with_claim(s, work, ctx, err);

	tsh_cmd_undo_since(s, mark);
	return r;
}
