/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "record.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "config.h"
#include "base/machine.h"
#include "base/now.h"
#include "base/safe-file.h"
#include "events/source/clock-watch.h"
#include "events/source/source.h"
#include "ring.h"

#define NAMES_NS UINT64_C(1000000000)
#define NICE (-10)
/* Names a file that reserves room. When the disk is full, the file is removed, and the files that
 * explain the pages are written instead. */
#define RESERVE "tracesh/reserve"
#define RESERVE_BYTES (1 << 20)

struct tsh_recorder {
	const struct tsh_record_options *opt;
	struct tsh_tree tree;
	struct tsh_rings rings;
	struct tsh_clock clock;
	struct tsh_saved_comms first;	/* names of tasks at the beginning */
	struct tsh_tree_names *names;
	uint64_t named_ns;
	struct utsname machine;
	char boot_id[40];
	char began[40];
	bool has_migrate_depth;
	uint64_t start;			/* in ns of CLOCK_MONOTONIC */
	struct clock_watch watch;
	bool lost_clock;		/* the trace clock was changed */
	uint64_t ended_ns;
	const char *end;		/* why the recording ended; NULL: it goes on */
	bool failed;			/* nothing more can be written or read */
};

/* ---- tracesh/info and tracesh/clock ---- */

static void wall_text(char *buf, size_t size)
{
	struct tsh_strbuf now = TSH_STRBUF_INIT;

	tsh_time_utc(&now, tsh_now_ns(CLOCK_REALTIME));
	snprintf(buf, size, "%s", now.buf);
	tsh_strbuf_release(&now);
}

/* Adds "KEY VALUE", escaped: a name may have bytes that a line may not. */
static void add_line(struct tsh_strbuf *out, const char *key, const char *value)
{
	size_t at = out->len + strlen(key);

	tsh_strbuf_addf(out, "%s %s", key, value);
	for (; at < out->len; at++)
		if ((unsigned char)out->buf[at] < ' ')
			out->buf[at] = ' ';
	tsh_strbuf_addc(out, '\n');
}

static bool is_ring(const struct tsh_recorder *r)
{
	size_t i;

	for (i = 0; i < r->rings.n; i++)
		if (r->rings.v[i].has_wrapped)
			return true;
	/* Without an end, the file of a bounded recording may still become a ring. */
	return r->rings.bounded && !r->end;
}

static int write_info(const struct tsh_recorder *r, const struct tsh_tree_cpu *cpus)
{
	const struct tsh_instance *in = r->opt->in;
	struct tsh_strbuf text = TSH_STRBUF_INIT;
	char now[40];
	size_t i;
	int result;

	add_line(&text, "format", "1");
	add_line(&text, "tracesh", PACKAGE_VERSION);
	add_line(&text, "host", r->machine.nodename);
	add_line(&text, "kernel", r->machine.release);
	add_line(&text, "version", r->machine.version);
	add_line(&text, "machine", r->machine.machine);
	add_line(&text, "byte_order", r->rings.layout.big_endian ? "big" : "little");
	add_line(&text, "boot_id", r->boot_id);
	add_line(&text, "instance", in->own ? "own" : tsh_instance_label(in));
	add_line(&text, "migrate_depth", r->has_migrate_depth ? "yes" : "no");
	add_line(&text, "pages", is_ring(r) ? "ring" : "in order");
	add_line(&text, "began", r->began);
	for (i = 0; r->tree.hidden && i < r->tree.hidden->n; i++)
		tsh_strbuf_addf(&text, "%s%s%s", i ? " " : TSH_RECORD_HIDDEN " ", r->tree.hidden->v[i],
				i + 1 < r->tree.hidden->n ? "" : "\n");
	add_line(&text, TSH_RECORD_NAMES, r->opt->records_names ? "all" : "some");
	if (r->end) {
		wall_text(now, sizeof(now));
		add_line(&text, "ended", now);
		add_line(&text, "ended_by", r->end);
		tsh_strbuf_addf(&text, "nanoseconds %" PRIu64 "\n", r->ended_ns - r->start);
	}
	for (i = 0; cpus && i < r->rings.n; i++)
		tsh_strbuf_addf(&text, "cpu%d events %" PRIu64 " lost %" PRIu64 " overwritten %"
				PRIu64 "\n", cpus[i].cpu, cpus[i].events, cpus[i].lost,
				cpus[i].overwritten);
	result = tsh_tree_write(&r->tree, TREE_INFO, text.buf, text.len);
	tsh_strbuf_release(&text);
	return result;
}

static int write_clock(const struct tsh_recorder *r)
{
	struct tsh_strbuf text = TSH_STRBUF_INIT;
	int result;

	tsh_clock_save(&r->clock, &text);
	result = tsh_tree_write(&r->tree, TREE_CLOCK, text.buf, text.len);
	tsh_strbuf_release(&text);
	return result;
}

/* Takes samples of the clock. A clock that cannot be read has no wall time, which does not end the
 * recording. */
static void sample(struct tsh_recorder *r, unsigned int rounds)
{
	struct tsh_err err = { 0 };

	if (tsh_clock_sample_instance(&r->clock, r->opt->in, rounds, &err) < 0)
		tsh_err_release(&err);
}

/* Drops the calibration when the trace clock was changed: the pages have stamps of two clocks. */
static void watch_clock(struct tsh_recorder *r)
{
	struct tsh_err err = { 0 };

	if (r->lost_clock || clock_watch_check(&r->watch))
		r->lost_clock = true;
	else if (clock_watch_sample(&r->watch, &err) < 0)
		tsh_err_release(&err);
}

/* Reads saved_cmdlines again: tasks that end are dropped from it. */
static void read_saved_names(struct tsh_recorder *r)
{
	const struct tsh_instance *in = r->opt->in;
	const struct tsh_instance top = tsh_top(in->dir);

	tsh_tree_names_read(r->names, &top);
	r->named_ns = tsh_mono_ns();
}

static void store_comm(void *ctx, int pid, const char *comm)
{
	struct tsh_saved_comm *saved = tsh_vec_push(&((struct tsh_recorder *)ctx)->first);

	*saved = (struct tsh_saved_comm){ .pid = pid };
	memcpy(saved->comm, comm, sizeof(saved->comm));
}

/* Stores the present names of all tasks when events record all later changes. */
static void read_task_names(struct tsh_recorder *r)
{
	struct tsh_live_provider *provider = tsh_live_provider_new(r->opt->in);
	const struct tsh_provider *live = tsh_live_provider(provider);

	if (r->opt->records_names && live->tasks)
		live->tasks(live->ctx, store_comm, r);
	tsh_live_provider_free(provider);
}

/* ---- the begin ---- */

/* Reserves room for the files that explain the pages: at most a quarter of the free space, because
 * the pages need room too. With opt->whole, all RESERVE_BYTES or none. */
static void reserve(const struct tsh_recorder *r)
{
	int fd = tsh_tree_create(&r->tree, RESERVE);
	uint64_t bytes = RESERVE_BYTES, quarter;
	struct statvfs fs;

	if (fd < 0)
		return;
	/* a tmpfs without a limit reports no blocks */
	if (!r->opt->whole && !fstatvfs(fd, &fs) && fs.f_blocks) {
		quarter = (uint64_t)fs.f_bfree * fs.f_frsize / 4;
		bytes = quarter < bytes ? quarter : bytes;
	}
	if (fallocate(fd, 0, 0, (off_t)bytes) < 0)
		(void)tsh_unlink_beneath(r->tree.fd, RESERVE);
	close(fd);
}

static int write_begin(struct tsh_recorder *r, struct tsh_err *err)
{
	int result;

	uname(&r->machine);
	tsh_boot_id(r->boot_id, sizeof(r->boot_id));
	wall_text(r->began, sizeof(r->began));
	r->has_migrate_depth = tsh_has_migrate_depth(r->opt->in);
	sample(r, TSH_CLOCK_ROUNDS);
	clock_watch_begin(&r->watch, &r->clock, r->opt->in, NULL);
	read_saved_names(r);
	result = tsh_tree_write_settings(&r->tree, r->opt->in);
	if (!result)
		result = write_clock(r);
	if (!result)
		result = write_info(r, NULL);
	if (result)
		return tsh_err_path(err, result, "write to", r->tree.path);
	reserve(r);
	return 0;
}

static int reserve_all(struct tsh_recorder *r, struct tsh_err *err)
{
	int number = tsh_rings_reserve_all(&r->rings);

	return number ? tsh_err_path(err, number, "write the events to", r->tree.path) : 0;
}

int tsh_recorder_open(const struct tsh_record_options *opt, struct tsh_recorder **ret,
		      struct tsh_err *err)
{
	struct tsh_recorder *r = tsh_xcalloc(1, sizeof(*r));
	char *clock = tsh_clock_name(opt->in);

	r->opt = opt;
	r->names = tsh_tree_names_new();
	r->start = tsh_mono_ns();
	tsh_clock_init(&r->clock, tsh_clock_kind(clock ? clock : "unknown"));
	r->watch = (struct clock_watch){ .set_fd = -1, .name_fd = -1 };
	free(clock);
	r->tree.fd = -1;
	if (tsh_rings_init(&r->rings, opt->in, opt->max_bytes, err) < 0 ||
	    tsh_tree_make(&r->tree, opt->path, err) < 0) {
		tsh_recorder_free(r);
		return -1;
	}
	r->tree.hidden = opt->hidden;
	r->tree.filter = opt->filter;
	if (tsh_rings_open(&r->rings, &r->tree, err) < 0 || write_begin(r, err) < 0 ||
	    (opt->whole && reserve_all(r, err) < 0)) {
		tsh_tree_remove(&r->tree);
		tsh_recorder_free(r);
		return -1;
	}
	*ret = r;
	return 0;
}

uint64_t tsh_recorder_bytes(const struct tsh_recorder *r)
{
	uint64_t bytes = 0;
	size_t i;

	for (i = 0; i < r->rings.n; i++)
		bytes += r->rings.v[i].size;
	return bytes;
}

const char *tsh_recorder_path(const struct tsh_recorder *r)
{
	return r->tree.path;
}

void tsh_recorder_free(struct tsh_recorder *r)
{
	if (!r)
		return;
	tsh_rings_close(&r->rings);
	tsh_tree_names_free(r->names);
	tsh_vec_release(&r->first);
	clock_watch_end(&r->watch);
	tsh_clock_release(&r->clock);
	tsh_tree_close(&r->tree);
	free(r);
}

/* ---- while it goes on ---- */

/* Returns how long to wait, in ms, for the next tick, or for the end of the recording. */
static int choose_wait(struct tsh_recorder *r, unsigned int fill)
{
	uint64_t spent = tsh_mono_ns() - r->start, left;
	unsigned int ms = tsh_mover_wait_ms(&r->rings.mover, fill);

	if (ms && r->opt->max_ns) {
		left = spent < r->opt->max_ns ? r->opt->max_ns - spent : 0;
		if (left / 1000000 < ms)
			ms = (unsigned int)((left + 999999) / 1000000);
	}
	return (int)ms;
}

/* Says whether the recording is over, and sets why. */
static bool is_over(struct tsh_recorder *r, enum tsh_wait_result waited,
		    enum tsh_stream_end *ret_end)
{
	if (waited == TSH_WAIT_STOP || waited == TSH_WAIT_ABORT) {
		*ret_end = waited == TSH_WAIT_STOP ? TSH_STREAM_STOP : TSH_STREAM_ABORT;
		r->end = waited == TSH_WAIT_STOP ? "Ctrl-C" : "a signal";
	} else if (r->opt->done && r->opt->done(r->opt->done_ctx)) {
		*ret_end = TSH_STREAM_DONE;
		r->end = "the end of the program";
	} else if (r->opt->max_ns && tsh_mono_ns() - r->start >= r->opt->max_ns) {
		*ret_end = TSH_STREAM_TIME;
		r->end = "its time";
	}
	return r->end != NULL;
}

static int note_failure(struct tsh_recorder *r, const struct tsh_err *err)
{
	r->failed = true;
	r->end = err->number == ENOSPC || err->number == EDQUOT ? "a full disk" : "an error";
	return -1;
}

static int loop(struct tsh_recorder *r, enum tsh_stream_end *ret_end, struct tsh_err *err)
{
	enum tsh_wait_result waited;
	unsigned int fill;

	do {
		if (tsh_rings_move_own(&r->rings, &fill, err) < 0)
			return note_failure(r, err);
		watch_clock(r);
		if (tsh_mono_ns() - r->named_ns >= NAMES_NS)
			read_saved_names(r);
		waited = tsh_wait(r->opt->waiter, NULL, 0, choose_wait(r, fill));
	} while (!is_over(r, waited, ret_end));
	return 0;
}

/* Moves pages until the end, with the other threads. */
static int move_all(struct tsh_recorder *r, enum tsh_stream_end *ret_end, struct tsh_err *err)
{
	struct tsh_err theirs = { 0 };
	int result;

	tsh_rings_begin_threads(&r->rings, r->opt->threads);
	result = loop(r, ret_end, err);
	if (tsh_rings_end_threads(&r->rings, result < 0 ? &theirs : err) < 0 && !result)
		result = note_failure(r, err);
	tsh_err_release(&theirs);
	return result;
}

int tsh_record_raise_priority(void)
{
	int nice;

	errno = 0;
	nice = getpriority(PRIO_PROCESS, 0);
	if (!errno && nice > NICE)
		setpriority(PRIO_PROCESS, 0, NICE);
	return nice;
}

void tsh_record_restore_priority(int nice)
{
	if (nice > NICE)
		setpriority(PRIO_PROCESS, 0, nice);
}

int tsh_recorder_run(struct tsh_recorder *r, enum tsh_stream_end *ret_end, struct tsh_err *err)
{
	int nice = tsh_record_raise_priority(), result;

	r->start = tsh_mono_ns();
	read_task_names(r);
	result = move_all(r, ret_end, err);
	tsh_record_restore_priority(nice);
	return result;
}

/* ---- the end ---- */

/* Counts events that were removed from the buffer and are not in the file, and those that are lost
 * with the buffer. */
static void count_missing(const struct tsh_recorder *r, const struct tsh_ring *ring, struct tsh_tree_cpu *cpu)
{
	uint64_t read = tsh_ring_events_read(&r->rings, ring) - ring->read_before;

	if (r->failed && r->opt->in->own)
		cpu->lost += tsh_ring_entries(&r->rings, ring);
	if (read <= cpu->events)
		return;
	if (r->rings.bounded && (!r->failed || ring->has_overwritten))
		cpu->overwritten = read - cpu->events;
	else if (r->failed)
		cpu->lost += read - cpu->events;
}

/* Drops the names from the beginning when pages were overwritten, because these may have held
 * changes of names. Only the present names are written then. */
static void forget_old_names(struct tsh_recorder *r)
{
	size_t i;

	for (i = 0; i < r->rings.n && !r->rings.v[i].has_overwritten; i++)
		;
	if (i == r->rings.n)
		return;
	r->first.n = 0;
	tsh_tree_names_free(r->names);
	r->names = tsh_tree_names_new();
	read_saved_names(r);
}

/* Writes the files that explain the pages. Goes on after an error; returns the first one. */
static int write_end(struct tsh_recorder *r, bool hurry, struct tsh_tree_cpu *cpus)
{
	const struct tsh_instance *in = r->opt->in;
	int first, result;
	size_t i;

	tsh_rings_trim(&r->rings);
	(void)tsh_unlink_beneath(r->tree.fd, RESERVE);
	r->lost_clock = r->lost_clock || clock_watch_check(&r->watch);
	if (!r->lost_clock)
		sample(r, TSH_CLOCK_ROUNDS);
	clock_watch_end(&r->watch);
	first = write_clock(r);
	result = tsh_tree_write_settings(&r->tree, in);
	first = first ? first : result;
	forget_old_names(r);
	/* Rings that could not be straightened can still be read. */
	tsh_rings_rotate(&r->rings);
	result = write_info(r, NULL);
	first = first ? first : result;
	result = tsh_tree_explain(&r->tree, in, &r->first, r->names, hurry ? NULL : r->opt->waiter,
				  cpus, r->rings.n);
	first = first ? first : result == -EINTR ? 0 : result;
	for (i = 0; i < r->rings.n; i++) {
		/* After an interrupt the events were not all read, so their number is too small. */
		if (result != -EINTR)
			count_missing(r, &r->rings.v[i], &cpus[i]);
		tsh_tree_write_stats(&r->tree, in, &cpus[i]);
	}
	result = write_info(r, cpus);
	return first ? first : result;
}

static void sum_up(const struct tsh_recorder *r, const struct tsh_tree_cpu *cpus,
		   struct tsh_record_summary *ret)
{
	size_t i;

	memset(ret, 0, sizeof(*ret));
	for (i = 0; i < r->rings.n; i++) {
		ret->events += cpus[i].events - cpus[i].hidden;
		ret->bytes += cpus[i].bytes;
		ret->lost += cpus[i].lost;
		ret->overwritten += cpus[i].overwritten;
		/* Counts events that are missing by the pages, unless they are counted as lost or
		 * overwritten. */
		if (!r->rings.v[i].has_overwritten && !cpus[i].lost)
			ret->gone = tsh_saturating_sum(ret->gone, cpus[i].gone);
	}
	ret->lost_clock = r->lost_clock;
	ret->ns = r->ended_ns - r->start;
}

int tsh_recorder_finish(struct tsh_recorder *r, bool hurry, struct tsh_record_summary *ret,
			struct tsh_err *err)
{
	struct tsh_tree_cpu *cpus = tsh_xcalloc(r->rings.n, sizeof(*cpus));
	int result = 0, number;
	size_t i;

	r->ended_ns = tsh_mono_ns();
	if (!r->failed && tsh_rings_move_rest(&r->rings, err) < 0)
		result = note_failure(r, err);
	if (!r->end)
		r->end = "what was there";
	for (i = 0; i < r->rings.n; i++) {
		cpus[i].cpu = r->rings.v[i].cpu;
		cpus[i].bytes = r->rings.v[i].size;
		cpus[i].lost = tsh_ring_losses(&r->rings, &r->rings.v[i]) -
			       r->rings.v[i].lost_before;
		cpus[i].has_gap = cpus[i].lost || r->rings.v[i].has_overwritten;
	}
	number = write_end(r, hurry, cpus);
	sum_up(r, cpus, ret);
	if (number && !result)
		result = tsh_err_path(err, number, "write to", r->tree.path);
	free(cpus);
	return result < 0 ? -1 : 0;
}
