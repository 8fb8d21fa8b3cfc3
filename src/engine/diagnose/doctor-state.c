/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "doctor.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/machine.h"
#include "base/number.h"
#include "base/utf8.h"
#include "events/source/stream.h"
#include "kernel/tracefs/lines.h"
#include "session/memory.h"
#include "session/names.h"
#include "session/util.h"

/* Checks access, tracing_on, readers, the buffer and the clock for doctor. */

/* Limits below which a CPU's buffer is called small, in bytes, and above which a clock is called
 * coarse. */
#define SMALL_BUFFER (UINT64_C(64) << 10)
#define COARSE_NS 1000000

/* ---- access ---- */

static void find_lockdown(struct tsh_doctor *d)
{
	static const char path[] = "/sys/kernel/security/lockdown";
	char line[128];

	if (tsh_read_line(path, line, sizeof(line)) && strstr(line, "[confidentiality]"))
		tsh_doctor_find(d, "lockdown", "!cat /sys/kernel/security/lockdown",
				"the kernel is locked down for confidentiality: it refuses tracefs, "
				"even to root");
}

/* Checks access to tracing_on, in place of all files: every kernel has it. */
void tsh_doctor_access(struct tsh_doctor *d)
{
	int fd = tsh_file_open(d->in, "tracing_on", 0);

	find_lockdown(d);
	if (fd >= 0)
		close(fd);
	if (fd == -ENODEV) {
		tsh_doctor_find(d, "disabled", "!dmesg | tail -n 100",
				"the kernel has switched tracing off for good after an error of its "
				"own: its log says which, and only a reboot mends it");
	} else if (fd < 0) {
		tsh_doctor_find(d, "permission", "!sudo tracesh", "tracing_on cannot be read: %s",
				strerror(-fd));
	} else if (faccessat(d->in->fd, "tracing_on", W_OK, AT_EACCESS) < 0) {
		char *word = tsh_typed_word(d->in->dir->path);
		char *remount = tsh_xasprintf("!mount -o remount,rw %s", word);

		tsh_doctor_find(d, "permission", errno == EROFS ? remount : "!sudo tracesh",
				"nothing can be changed here: %s", strerror(errno));
		free(remount);
		free(word);
	}
}

/* ---- tracing_on ---- */

static bool is_sysctl_set(const char *path)
{
	char line[32];

	return tsh_read_line(path, line, sizeof(line)) && strcmp(line, "0") != 0;
}

static void find_trigger(struct tsh_doctor *d, const struct tsh_event *event, const char *line)
{
	char *fix = tsh_xasprintf("trigger %s:%s !traceoff", event->system, event->name);

	tsh_doctor_find(d, "traceoff-trigger", fix, "a trigger of %s:%s switches tracing off: %s",
			event->system, event->name, line);
	free(fix);
}

/* Reports traceoff triggers of all events, because a trigger also runs when its event is not
 * enabled. */
static void find_triggers(struct tsh_doctor *d)
{
	struct tsh_events all = { 0 };
	struct tsh_err ignored = { 0 };
	size_t i, k;

	if (tsh_events_available(d->in->dir, &all, &ignored) < 0)
		tsh_err_release(&ignored);
	for (i = 0; i < all.n; i++) {
		char *path = tsh_event_path(&all.v[i], "trigger");
		struct tsh_strlist lines = { 0 };

		tsh_file_lines(d->in, path, &lines);
		for (k = 0; k < lines.n; k++)
			if (!strncmp(lines.v[k], "traceoff", strlen("traceoff")))
				find_trigger(d, &all.v[i], lines.v[k]);
		tsh_strlist_release(&lines);
		free(path);
	}
	tsh_events_release(&all);
}

/* Reports functions with a command such as "schedule:traceoff:unlimited". */
static void find_function_commands(struct tsh_doctor *d)
{
	struct tsh_strlist lines = { 0 };
	size_t i;

	tsh_file_lines(d->in, "set_ftrace_filter", &lines);
	for (i = 0; i < lines.n; i++) {
		const char *command = strstr(lines.v[i], ":traceoff");
		char *fix;

		if (!command)
			continue;
		fix = tsh_xasprintf("append set_ftrace_filter '!%.*s:traceoff'",
				    (int)(command - lines.v[i]), lines.v[i]);
		tsh_doctor_find(d, "traceoff-function", fix,
				"a command of a function switches tracing off: %s", lines.v[i]);
		free(fix);
	}
	tsh_strlist_release(&lines);
}

void tsh_doctor_switch(struct tsh_doctor *d)
{
	if (d->on)
		return;
	/* Report first what switches tracing off: so the fixes work in the order in which they
	 * are printed. */
	find_triggers(d);
	find_function_commands(d);
	if (is_sysctl_set("/proc/sys/kernel/traceoff_on_warning"))
		tsh_doctor_find(d, "traceoff-on-warning", "!sysctl kernel.traceoff_on_warning=0",
				"a warning of the kernel switches tracing off "
				"(kernel.traceoff_on_warning)");
	tsh_doctor_find(d, "off", "on", "tracing is off: the buffer takes nothing");
}

/* ---- readers ---- */

void tsh_doctor_readers(struct tsh_doctor *d)
{
	uint64_t ahead = tsh_cmd_session_pending(d->s);
	struct tsh_strlist holders = { 0 };
	struct tsh_strbuf count = TSH_STRBUF_INIT;
	size_t i;
	bool all;

	/* Do not suggest to end these programs, which belong to others. */
	all = tsh_pipe_holders(d->in, &holders);
	for (i = 0; i < holders.n; i++)
		tsh_doctor_find(d, "reader", "show", "%s reads the events of this buffer as they "
				"come; show prints what is left, and takes nothing", holders.v[i]);
	if (!all)
		tsh_doctor_find(d, "reader", "show", "whether another program reads the events of "
				"this buffer is not known: more files are open than can be looked at "
				"in %d s", TSH_HOLDERS_SECONDS);
	tsh_format_count(ahead, &count);
	if (ahead)
		tsh_doctor_find(d, "read-ahead", "drain", "%s event%s read ahead of an earlier "
				"stream or drain, and not printed yet", count.buf,
				ahead == 1 ? " was" : "s were");
	tsh_strbuf_release(&count);
	tsh_strlist_release(&holders);
}

/* ---- the buffer ---- */

struct losses {
	uint64_t overrun, dropped, entries;
};

static struct losses sum_losses(const struct tsh_instance *in)
{
	struct losses sum = { 0 };
	unsigned int *cpus;
	size_t i, n = tsh_cpus_present(in, &cpus);

	for (i = 0; i < n; i++) {
		char *path = tsh_xasprintf("per_cpu/cpu%u/stats", cpus[i]);
		char *stats = tsh_file_text(in, path);

		if (stats) {
			sum.entries += tsh_stats_number(stats, "entries");
			sum.overrun += tsh_stats_number(stats, "overrun");
			sum.dropped += tsh_stats_number(stats, "dropped events");
			sum.dropped += tsh_stats_number(stats, "commit overrun");
		}
		free(stats);
		free(path);
	}
	free(cpus);
	return sum;
}

/* Returns "buffer 2816K" with twice the present size; the caller frees it. */
static char *larger_buffer(uint64_t size)
{
	return tsh_xasprintf("buffer %lluK", (unsigned long long)(size * 2 / 1024));
}

/* Returns the size of the largest buffer, in bytes: the CPUs may have different ones. */
static uint64_t buffer_size(const struct tsh_instance *in)
{
	unsigned int *cpus;
	size_t i, n = tsh_cpus_present(in, &cpus);
	uint64_t size = 0;

	for (i = 0; i < n; i++) {
		char *path = tsh_xasprintf("per_cpu/cpu%u/buffer_size_kb", cpus[i]);
		uint64_t one = tsh_memory_buffer_size(in, path);

		size = one > size ? one : size;
		free(path);
	}
	free(cpus);
	return size;
}

static void find_losses(struct tsh_doctor *d, const struct losses *lost, uint64_t size)
{
	bool overwrites = tsh_file_number(d->in, "options/overwrite", 1) != 0;
	struct tsh_strbuf count = TSH_STRBUF_INIT;
	char *fix = larger_buffer(size);

	tsh_format_count(lost->overrun, &count);
	if (lost->overrun)
		tsh_doctor_find(d, "overwritten", fix, "%s event%s overwritten before anybody read "
				"them: the buffer is too small, or too much is enabled", count.buf,
				lost->overrun == 1 ? " was" : "s were");
	tsh_strbuf_clear(&count);
	tsh_format_count(lost->dropped, &count);
	if (lost->dropped)
		tsh_doctor_find(d, "dropped", overwrites ? fix : "option overwrite on",
				"%s new event%s dropped%s", count.buf, tsh_plural(lost->dropped),
				overwrites ? "" : ": the buffer is full and keeps the old ones");
	free(fix);
	tsh_strbuf_release(&count);
}

void tsh_doctor_buffer(struct tsh_doctor *d)
{
	struct losses lost = sum_losses(d->in);
	uint64_t size = buffer_size(d->in);
	struct tsh_strbuf text = TSH_STRBUF_INIT;

	tsh_format_size(size, &text);
	if (size < SMALL_BUFFER)
		tsh_doctor_find(d, "small-buffer", "buffer 1408K", "the buffer has %s for each CPU: "
				"that is room for a few events", size ? text.buf : "nothing");
	find_losses(d, &lost, size < SMALL_BUFFER ? UINT64_C(1408) << 10 : size);
	tsh_strbuf_release(&text);
}

/* ---- the clock ---- */

/* Returns "clock boot", or a similar clock that this kernel has; the caller frees it. */
static char *better_clock(struct tsh_doctor *d)
{
	struct tsh_strlist names = { 0 };
	char *fix;

	tsh_names_clocks(d->s, &names);
	fix = tsh_xasprintf("clock %s", tsh_strlist_has(&names, "boot") ? "boot" :
			    tsh_strlist_has(&names, "mono") ? "mono" : "local");
	tsh_strlist_release(&names);
	return fix;
}

void tsh_doctor_clock(struct tsh_doctor *d)
{
	char *name = tsh_clock_name(d->in), *fix = better_clock(d);
	const struct tsh_clock_kind *kind = tsh_clock_kind(name ? name : "unknown");

	if (name && !kind->has_time)
		tsh_doctor_find(d, "clock", fix, "the clock '%s' counts events and has no times "
				"(another one erases the buffer)", name);
	else if (name && kind->unit_ns >= COARSE_NS)
		tsh_doctor_find(d, "clock", fix, "the clock '%s' has ticks of %llu ms (another one "
				"erases the buffer)", name,
				(unsigned long long)kind->unit_ns / 1000000);
	free(fix);
	free(name);
}
