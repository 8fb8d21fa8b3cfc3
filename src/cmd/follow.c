/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "follow.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "tracesh/sink.h"
#include "util.h"

#define CALIBRATION_ROUNDS 32

/* What stays the same while one stream runs. */
struct scene {
	struct utsname machine;
	char boot_id[40];
	char *clock_name;
	struct tsh_clock clock;
	struct tsh_live_provider *provider;
	struct tsh_decoder *decoder;
	struct tsh_sink sink;
};

static void read_boot_id(char *buf, size_t size)
{
	int fd = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? 0 : read(fd, buf, size - 1);

	if (fd >= 0)
		close(fd);
	buf[n > 0 ? n : 0] = '\0';
	buf[strcspn(buf, "\n")] = '\0';
}

/* The header of `trace` shows whether the kernel prints the migrate-disable depth.
 * Kernels that would stop tracing while it is read are older than that depth. */
static bool has_migrate_column(const struct tsh_instance *in)
{
	char head[2048];
	ssize_t n;
	int fd;

	if (in->dir->kind != TSH_DIR_TREE && !tsh_file_exists(in, "options/pause-on-trace"))
		return false;
	fd = tsh_file_open(in, "trace", 0);
	if (fd < 0)
		return true;
	n = read(fd, head, sizeof(head) - 1);
	close(fd);
	head[n > 0 ? n : 0] = '\0';
	return !strstr(head, "preempt-depth") || strstr(head, "migrate-disable");
}

/*
 * The trace clock's present time. Clocks that no system call reads stand in the
 * stats, in microseconds (kernel/trace/trace.c, tracing_stats_read).
 */
static bool present_stamp(const struct tsh_instance *in, const struct tsh_clock_kind *kind,
			  uint64_t *ret)
{
	static const char key[] = "\nnow ts: ";
	uint64_t seconds = 0, usecs = 0;
	const char *found;
	char *stats;

	if (tsh_clock_now(kind, ret))
		return true;
	if (!kind->in_ns)
		return false;
	stats = tsh_file_text(in, "per_cpu/cpu0/stats");
	found = stats ? strstr(stats, key) : NULL;
	if (found && sscanf(found + strlen(key), "%" SCNu64 ".%6" SCNu64, &seconds, &usecs) != 2)
		found = NULL;
	free(stats);
	*ret = seconds * 1000000000 + usecs * 1000;
	return found != NULL;
}

static int open_scene(struct tsh_session *s, const struct tsh_follow *f, struct scene *scene,
		      struct tsh_err *err)
{
	bool live = tsh_source_is_live(f->source);
	struct tsh_stream_info info = { .live = live };

	scene->clock_name = tsh_clock_name(f->in);
	tsh_clock_init(&scene->clock,
		       tsh_clock_kind(scene->clock_name ? scene->clock_name : "unknown"));
	if (tsh_clock_sample_instance(&scene->clock, f->in, CALIBRATION_ROUNDS, err) < 0)
		return -1;
	uname(&scene->machine);
	read_boot_id(scene->boot_id, sizeof(scene->boot_id));
	info.instance = f->in->own ? "own" : tsh_instance_label(f->in);
	info.host = live ? scene->machine.nodename : NULL;
	info.kernel = live ? scene->machine.release : NULL;
	info.boot_id = live ? scene->boot_id : NULL;
	info.with_migrate = has_migrate_column(f->in);
	info.with_tgid = tsh_file_number(f->in, "options/record-tgid", 0) == 1;
	scene->provider = tsh_live_provider_new(f->in);
	scene->decoder = tsh_decoder_new(tsh_live_provider(scene->provider),
					 tsh_source_layout(f->source));
	tsh_sink_init(&scene->sink, s->out, scene->decoder, &scene->clock, &info,
		      s->settings.time, s->settings.precision_ns);
	return 0;
}

static void close_scene(struct scene *scene)
{
	if (scene->decoder) {
		tsh_sink_release(&scene->sink);
		tsh_decoder_free(scene->decoder);
		tsh_live_provider_free(scene->provider);
	}
	tsh_clock_release(&scene->clock);
	free(scene->clock_name);
}

/* "1,204 events, 21 lost (more room: buffer 8M), 2 s" */
static void summarize(struct tsh_session *s, const struct tsh_follow *f,
		      const struct tsh_stream_summary *sum, enum tsh_stream_end end)
{
	struct tsh_strbuf text = TSH_STRBUF_INIT;

	tsh_format_count(sum->events, &text);
	tsh_strbuf_addf(&text, " event%s, ", tsh_plural(sum->events));
	if (sum->lost_unknown)
		tsh_strbuf_adds(&text, "at least ");
	tsh_format_count(sum->lost, &text);
	tsh_strbuf_adds(&text, " lost");
	if (sum->late)
		tsh_strbuf_addf(&text, ", %llu late", (unsigned long long)sum->late);
	tsh_strbuf_adds(&text, ", ");
	tsh_format_ns(sum->ns, &text);
	if (sum->lost || sum->lost_unknown)
		tsh_strbuf_adds(&text, f->in->own ?
					       " (a filter, fewer events or -o FILE lose less)" :
					       " (more room: buffer 8M)");
	if (end == TSH_STREAM_ABORT)
		tsh_strbuf_adds(&text, "; ended by a signal, what was not read by then is not here");
	tsh_out_note(s->out, "%s", text.buf);
	tsh_strbuf_release(&text);
}

int tsh_follow_run(struct tsh_session *s, const struct tsh_follow *f, struct tsh_err *err)
{
	struct scene scene = { 0 };
	struct tsh_stream_options opt = {
		.waiter = f->waiter ? f->waiter : s->waiter, .in = f->in, .drain = f->drain,
		.max_events = f->max_events, .max_ns = f->max_ns, .done = f->done,
		.done_ctx = f->done_ctx,
	};
	struct tsh_stream_summary sum = { 0 };
	enum tsh_stream_end end = TSH_STREAM_EMPTY;
	int r = open_scene(s, f, &scene, err);

	if (!r) {
		opt.clock = &scene.clock;
		opt.has_before = f->mark_before &&
				 present_stamp(f->in, scene.clock.kind, &opt.before_stamp);
		tsh_sink_start(&scene.sink);
		/* A pipe's reader sees at once that there is something to wait for. */
		tsh_out_flush(s->out);
		if (f->started)
			r = f->started(f->started_ctx, err);
	}
	if (!r)
		r = tsh_stream_run(f->source, &scene.sink.consumer, &opt, &sum, &end, err);
	if (!r) {
		tsh_sink_end(&scene.sink, &sum);
		s->aborted = end == TSH_STREAM_ABORT;
		if (end != TSH_STREAM_CLOSED)
			summarize(s, f, &sum, end);
	}
	close_scene(&scene);
	return r < 0 || s->aborted ? -1 : 0;
}
