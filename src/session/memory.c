/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "memory.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/number.h"
#include "base/suggest.h"
#include "util.h"

/* Equals the kernel's default size of each CPU's buffer in KB, if it was started without
 * trace_buf_size= (TRACE_BUF_SIZE_DEFAULT of kernel/trace/trace.c). */
#define DEFAULT_KB 1408

uint64_t tsh_memory_buffer_size(const struct tsh_instance *in, const char *path)
{
	char *text = tsh_file_text(in, path);
	char *kb = text ? tsh_class_normalize(tsh_file_class(path), text) : NULL;
	uint64_t value = 0;

	if (kb && tsh_parse_u64(kb, &value) < 0)
		value = 0;
	free(kb);
	free(text);
	return value * 1024;
}

/* Counts the CPUs that have a buffer: those that are online, not those that the machine could
 * have. */
static size_t count_cpus(const struct tsh_instance *in)
{
	long online = sysconf(_SC_NPROCESSORS_ONLN);
	unsigned int *cpus;
	size_t n = tsh_cpus_present(in, &cpus);

	free(cpus);
	return online > 0 && (!n || (size_t)online < n) ? (size_t)online : n;
}

int tsh_memory_check(const char *what, uint64_t each, size_t ncpus, uint64_t have,
		     struct tsh_err *err)
{
	uint64_t available = tsh_cmd_memory_available(), total, need;
	struct tsh_strbuf sum = TSH_STRBUF_INIT, one = TSH_STRBUF_INIT, room = TSH_STRBUF_INIT;
	int r = 0;

	if (__builtin_mul_overflow(each, (uint64_t)ncpus, &total))
		total = UINT64_MAX;
	need = total > have ? total - have : 0;
	if (need > available - available / 8) {
		tsh_format_size(total, &sum);
		tsh_format_size(each, &one);
		tsh_format_size(available, &room);
		r = tsh_err_set(err, TSH_FAILED, "%s would take %s (%s for each of %zu CPU%s), but "
				"only %s of memory are available", what, sum.buf, one.buf, ncpus,
				tsh_plural(ncpus), room.buf);
	}
	tsh_strbuf_release(&sum);
	tsh_strbuf_release(&one);
	tsh_strbuf_release(&room);
	return r;
}

bool tsh_memory_has_snapshot(const struct tsh_instance *in)
{
	enum tsh_snapshot_state state = tsh_snapshot_state(in);

	return state == TSH_SNAPSHOT_EMPTY || state == TSH_SNAPSHOT_FULL;
}

/* Returns the size of the buffer of all CPUs; buffer_total_size_kb does not count the snapshot. */
static uint64_t present_bytes(const struct tsh_instance *in)
{
	return tsh_file_number(in, "buffer_total_size_kb", 0) * 1024;
}

static uint64_t doubled(uint64_t bytes)
{
	return bytes > UINT64_MAX / 2 ? UINT64_MAX : bytes * 2;
}

int tsh_memory_check_buffer(const struct tsh_instance *in, uint64_t each, struct tsh_err *err)
{
	bool snapshot = tsh_memory_has_snapshot(in);
	uint64_t have = present_bytes(in);

	if (snapshot)
		return tsh_memory_check("the buffer with its snapshot", doubled(each),
					count_cpus(in), doubled(have), err);
	return tsh_memory_check("the buffer", each, count_cpus(in), have, err);
}

int tsh_memory_check_snapshot(const struct tsh_instance *in, struct tsh_err *err)
{
	size_t ncpus = count_cpus(in);

	if (!ncpus || tsh_memory_has_snapshot(in))
		return 0;
	return tsh_memory_check("the snapshot", present_bytes(in) / ncpus, ncpus, 0, err);
}

int tsh_memory_check_write(const struct tsh_instance *in, const char *path, const char *text,
			   struct tsh_err *err)
{
	const struct tsh_file_class *cls = tsh_file_class(path);
	uint64_t kb;

	if (tsh_parse_kernel(text, 10, &kb) < 0)
		return 0;
	if (tsh_glob_match("*snapshot", path) && kb == 1)
		return tsh_memory_check_snapshot(in, err);
	if (cls->compare != TSH_SAME_SIZE)
		return 0;
	if (kb > UINT64_MAX / 1024)
		kb = UINT64_MAX / 1024;
	if (!strcmp(path, "buffer_size_kb"))
		return tsh_memory_check_buffer(in, kb * 1024, err);
	return tsh_memory_check("the buffer", kb * 1024, 1, tsh_memory_buffer_size(in, path), err);
}

int tsh_cmd_check_instance(struct tsh_dir *dir, struct tsh_err *err)
{
	const struct tsh_instance top = tsh_top(dir);
	char *text = tsh_file_text(&top, "buffer_size_kb");
	uint64_t kb = DEFAULT_KB;

	/* Reads the size that the top-level buffer would have after it is expanded: each instance
	 * gets this size. */
	if (text && strstr(text, "expanded"))
		kb = tsh_memory_buffer_size(&top, "buffer_size_kb") / 1024;
	free(text);
	return tsh_memory_check("an instance", kb * 1024, count_cpus(&top), 0, err);
}
