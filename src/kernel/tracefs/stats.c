/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tracefs.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/number.h"
#include "base/suggest.h"
#include "lines.h"
#include "size.h"
#include "write.h"

/* Finds what a buffer and its snapshot hold, and what of it a write makes the kernel erase. */

uint64_t tsh_stats_number(const char *stats, const char *name)
{
	size_t len = strlen(name);
	const char *line = stats;
	uint64_t value = 0;

	for (; line && *line; line = strchr(line, '\n'), line = line ? line + 1 : NULL) {
		if (strncmp(line, name, len) || line[len] != ':')
			continue;
		for (line += len + 1; *line == ' '; line++)
			;
		for (; *line >= '0' && *line <= '9'; line++)
			value = value * 10 + (uint64_t)(*line - '0');
		break;
	}
	return value;
}

/*
 * Says whether the unread events of a CPU may need more than `kb`. The kernel removes whole
 * sub-buffers, empty ones first. Two sub-buffers that follow each other hold more than one has room
 * for, since an event begins a new one only when it does not fit. Some kernels count bytes wrong
 * after the first smaller size: then this returns true.
 */
static bool may_drop(const struct tsh_instance *in, unsigned int cpu, uint64_t kb, uint64_t subbuf)
{
	char *path = tsh_xasprintf("per_cpu/cpu%u/stats", cpu), *stats = tsh_file_text(in, path);
	uint64_t bytes = tsh_stats_number(stats, "bytes"), entries = tsh_stats_number(stats, "entries");
	uint64_t room = (kb * 1024 + subbuf - 1) / subbuf;

	free(stats);
	free(path);
	if (!entries)
		return false;
	/* The kernel makes no buffer of fewer sub-buffers. */
	if (room < 2)
		room = 2;
	return !bytes || bytes / subbuf >= room || 2 * bytes / subbuf + 1 > room;
}

/* Returns what setting the size of one CPU's buffer (in KB) erases. A CPU's snapshot has no stats,
 * so its events may be lost whenever it becomes smaller. */
static unsigned int cpu_size_erases(const struct tsh_instance *in, unsigned int cpu, const char *size, uint64_t subbuf)
{
	char *file = tsh_xasprintf("per_cpu/cpu%u/buffer_size_kb", cpu);
	uint64_t now = tsh_file_number(in, file, 0), kb;
	unsigned int what = 0;

	free(file);
	if (tsh_parse_kernel(size, 10, &kb) < 0)
		return 0;
	/* Does as the kernel, which multiplies the number in an unsigned long and loses its upper
	 * bits. */
	kb = (unsigned long)kb * 1024 / 1024;
	if (kb < now && may_drop(in, cpu, kb, subbuf))
		what |= TSH_ERASES_SOME;
	if (kb < now && tsh_subbufs_of(kb * 1024, subbuf) < tsh_subbufs_of(now * 1024, subbuf))
		what |= TSH_ERASES_SNAPSHOT_SOME;
	return what;
}

static unsigned int size_erases(const struct tsh_instance *in, const char *path, const char *text)
{
	uint64_t subbuf = tsh_file_number(in, "buffer_subbuf_size_kb", 0) * 1024;
	unsigned int *cpus, what = 0;
	int its = tsh_size_cpu(path);
	size_t i, n = tsh_cpus_present(in, &cpus);

	if (!subbuf)
		subbuf = (uint64_t)sysconf(_SC_PAGESIZE);
	for (i = 0; i < n; i++) {
		char *size = its < 0 || its == (int)cpus[i] ? tsh_size_of_cpu(text, (int)cpus[i]) : NULL;

		if (size)
			what |= cpu_size_erases(in, cpus[i], size, subbuf);
		free(size);
	}
	free(cpus);
	return what;
}

/* Says whether a tracer stores the longest latency in the snapshot's buffer, and shows it in
 * `trace` (use_max_tr). */
static bool is_latency_tracer(const char *name)
{
	return tsh_glob_match("*irqsoff", name) || tsh_glob_match("preempt*", name) || tsh_glob_match("wakeup*", name);
}

static bool has_latency_tracer(const struct tsh_instance *in)
{
	char *tracer = tsh_file_text(in, "current_tracer");
	bool has = tracer && is_latency_tracer(tracer);

	free(tracer);
	return has;
}

static bool differs(const struct tsh_instance *in, const char *path, const char *text)
{
	char *now = tsh_file_text(in, path);
	bool is_other = !now || !tsh_class_equal(tsh_file_class(path), text, now);

	free(now);
	return is_other;
}

/* Says whether a line of the text removes probes. */
static bool removes_probes(const char *text)
{
	struct tsh_strlist lines = { 0 };
	bool removes = false;
	size_t i;

	tsh_lines_split(text, &lines);
	for (i = 0; i < lines.n && !removes; i++)
		removes = strspn(lines.v[i] + strspn(lines.v[i], " \t"), "-!") > 0;
	tsh_strlist_release(&lines);
	return removes;
}

/* Returns what a write erases, as bits of enum tsh_erases, by what kernel/trace/trace.c,
 * ring_buffer.c, trace_events.c and trace_events_hist.c do. */
static unsigned int erases(const struct tsh_instance *in, const char *path, enum tsh_write_how how, const char *text)
{
	const struct tsh_file_class *cls = tsh_file_class(path);
	uint64_t number;

	if (tsh_is_trace_file(path))
		return how != TSH_WRITE_CLEAR ? 0 : has_latency_tracer(in) ? TSH_ERASES_SNAPSHOT : TSH_ERASES_BUFFER;
	if (!text || !*text)
		return 0;
	/* 0 frees the snapshot, 1 swaps it with the buffer, any other number empties it. */
	if (tsh_glob_match("*snapshot", path))
		return !tsh_parse_kernel(text, 10, &number) && number != 1 ? TSH_ERASES_SNAPSHOT : 0;
	if (tsh_is_size(path))
		return size_erases(in, path, text);
	/* The kernel makes a new table for any other size. */
	if (!strcmp(path, "saved_cmdlines_size"))
		return !tsh_parse_kernel(text, 10, &number) && number &&
		       !tsh_is_names_size(number, tsh_file_number(in, path, 0)) ? TSH_ERASES_NAMES : 0;
	/* The kernel strips blanks around the name of a tracer, and setting the current one erases
	 * nothing. It strips them around a clock, too, but setting the current clock erases. */
	if (!strcmp(path, "current_tracer"))
		text += strspn(text, " \t\n\v\f\r");
	if (cls->flags & TSH_CLASS_ERASES && !strcmp(path, "current_tracer") && !is_latency_tracer(text) &&
	    !has_latency_tracer(in))
		return differs(in, path, text) ? TSH_ERASES_BUFFER : 0;
	if (cls->flags & TSH_CLASS_ERASES)
		return differs(in, path, text) ? TSH_ERASES_ALL : 0;
	/* This trigger sets the clock, and thus erases the buffer, even when it is the current
	 * one. */
	if (cls->flags & TSH_CLASS_TRIGGER && !strncmp(text, "hist:", strlen("hist:")) &&
	    strstr(text, "common_timestamp"))
		return TSH_ERASES_ALL;
	if (cls->flags & TSH_CLASS_PROBE && removes_probes(text))
		return TSH_ERASES_ELSEWHERE;
	return 0;
}

unsigned int tsh_write_erases(const struct tsh_instance *in, const char *path, enum tsh_write_how how,
			      const char *text)
{
	const unsigned int snapshot = TSH_ERASES_SNAPSHOT | TSH_ERASES_SNAPSHOT_SOME;
	char *plain = text ? tsh_write_text(path, text) : NULL;
	unsigned int what = erases(in, path, how, plain);

	free(plain);
	return what & snapshot && tsh_snapshot_state(in) != TSH_SNAPSHOT_FULL ? what & ~snapshot : what;
}

bool tsh_is_trace_file(const char *path)
{
	return !strcmp(path, "trace") || tsh_glob_match("per_cpu/*/trace", path);
}

/* ---- the snapshot ---- */

#define SNAPSHOT_BEGINNING 4096

/* Reads the beginning of the file. Returns its length, or 0; the caller closes *ret_fd. */
static size_t read_beginning(const struct tsh_instance *in, char *text, int *ret_fd)
{
	ssize_t n;

	*ret_fd = tsh_file_open(in, "snapshot", 0);
	n = *ret_fd < 0 ? 0 : read(*ret_fd, text, SNAPSHOT_BEGINNING - 1);
	text[n > 0 ? n : 0] = '\0';
	return n > 0 ? (size_t)n : 0;
}

static const char *after_line(const char *line)
{
	line += strcspn(line, "\n");
	return line + (*line == '\n');
}

/*
 * Returns the header behind its first lines: "# tracer: nop", "#" and the warning of
 * test_ftrace_alive. Everything else in the file may be text from programs, such as a name, and is
 * not searched.
 */
static const char *header_rest(const char *text)
{
	if (strncmp(text, "# tracer: ", strlen("# tracer: ")) != 0)
		return text;
	text = after_line(after_line(text));
	while (!strncmp(text, "#  ", 3))
		text = after_line(text);
	return text;
}

/* Says whether lines begin with the task and time, and have a header before them. Otherwise they
 * may be only the text of a print. */
static bool has_begun_lines(const struct tsh_instance *in)
{
	return tsh_file_number(in, "options/context-info", 1) || !tsh_file_number(in, "options/printk-msg-only", 0);
}

enum tsh_snapshot_state tsh_snapshot_state(const struct tsh_instance *in)
{
	static const char freed[] = "#\n# * Snapshot is freed *\n", allocated[] = "#\n# * Snapshot is allocated *\n";
	char text[SNAPSHOT_BEGINNING];
	const char *rest;
	bool is_freed;
	size_t n;
	int fd;

	n = read_beginning(in, text, &fd);
	if (fd >= 0)
		close(fd);
	if (!n)
		return TSH_SNAPSHOT_NONE;
	rest = header_rest(text);
	is_freed = !strncmp(rest, freed, strlen(freed));
	/* Anything else counts as full, so that events are saved rather than lost. */
	if ((is_freed || !strncmp(rest, allocated, strlen(allocated))) && has_begun_lines(in))
		return is_freed ? TSH_SNAPSHOT_FREE : TSH_SNAPSHOT_EMPTY;
	return TSH_SNAPSHOT_FULL;
}

/* Reads the number of events from the header; some options and tracers leave it out. */
static bool has_count(const char *rest, uint64_t *ret)
{
	static const char counts[] = "# entries-in-buffer/entries-written: ";

	if (strncmp(rest, counts, strlen(counts)) != 0)
		return false;
	rest += strlen(counts);
	return tsh_parse_u64_prefix(&rest, ret);
}

uint64_t tsh_snapshot_entries(const struct tsh_instance *in)
{
	bool in_header = tsh_file_number(in, "options/context-info", 1), begins = true;
	char text[SNAPSHOT_BEGINNING];
	uint64_t lines = 0;
	const char *rest;
	size_t n, i;
	ssize_t more;
	int fd;

	if (tsh_snapshot_state(in) != TSH_SNAPSHOT_FULL)
		return 0;
	n = read_beginning(in, text, &fd);
	rest = header_rest(text);
	if (in_header && has_count(rest, &lines)) {
		close(fd);
		return lines;
	}
	for (i = (size_t)(rest - text); n; i = 0) {
		for (; i < n; i++) {
			in_header = in_header && (!begins || text[i] == '#');
			lines += begins && !in_header && text[i] != '\n';
			begins = text[i] == '\n';
		}
		more = read(fd, text, sizeof(text));
		n = more > 0 ? (size_t)more : 0;
	}
	if (fd >= 0)
		close(fd);
	/* Lines that look like a header may be events, so a full snapshot has at least one. */
	return lines ? lines : 1;
}
