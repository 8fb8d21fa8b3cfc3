/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cmd/commands.h"

#include <stdlib.h>
#include <string.h>

#include "kernel/dryrun/dryrun.h"
#include "session/ask.h"
#include "session/check-only.h"
#include "session/memory.h"
#include "session/util.h"

/* Declares buffer and cpus: the size of the buffers, and which CPUs are traced. */

/* Stores the buffer size of a CPU in bytes; a recording has one size for all CPUs. Returns false
 * when there is no size. */
static bool size_of(struct tsh_session *s, unsigned int cpu, uint64_t *ret)
{
	char *path = tsh_xasprintf("per_cpu/cpu%u/buffer_size_kb", cpu);
	const char *file = tsh_file_exists(s->in, path) ? path : "buffer_size_kb";
	bool has = tsh_file_exists(s->in, file);

	*ret = has ? tsh_memory_buffer_size(s->in, file) : 0;
	free(path);
	return has;
}

static void add_sizes(struct tsh_session *s, struct tsh_fields *f)
{
	struct tsh_strbuf text = TSH_STRBUF_INIT;
	unsigned int *cpus;
	size_t i, n = tsh_cpus_present(s->in, &cpus);
	uint64_t total = 0, first = 0, size;
	bool same = true, known = true;

	for (i = 0; i < n; i++) {
		known = size_of(s, cpus[i], &size) && known;
		first = i ? first : size;
		same = same && size == first;
		total += size;
	}
	free(cpus);
	if (!known) {
		tsh_fields_text(f, "per_cpu", s->out->format == TSH_FORMAT_TEXT ? "not recorded" : NULL);
		return;
	}
	if (same) {
		tsh_format_size(first, &text);
		tsh_fields_text(f, "per_cpu", text.buf);
	} else {
		tsh_fields_text(f, "per_cpu", "differs (per_cpu/cpuN/buffer_size_kb)");
	}
	tsh_strbuf_clear(&text);
	tsh_format_size(total, &text);
	tsh_fields_text(f, "total", text.buf);
	tsh_fields_number(f, "total_bytes", total);
	tsh_strbuf_release(&text);
}

static int show_buffer(struct tsh_session *s)
{
	uint64_t subbuf = tsh_file_number(s->in, "buffer_subbuf_size_kb", 0);
	struct tsh_strbuf text = TSH_STRBUF_INIT;
	struct tsh_fields *f = tsh_fields_begin(s->out, "buffer");
	char *name = tsh_cmd_instance_name(s->in);

	tsh_fields_text(f, "instance", name);
	free(name);
	add_sizes(s, f);
	if (subbuf) {
		tsh_format_size(subbuf * 1024, &text);
		tsh_fields_text(f, "sub_buffer", text.buf);
	}
	tsh_fields_number(f, "events", tsh_cmd_entries(s->in));
	tsh_fields_end(f);
	tsh_strbuf_release(&text);
	return 0;
}

static int buffer_run(struct tsh_session *s, const struct tsh_call *call, struct tsh_err *err)
{
	const struct tsh_value *value = tsh_args_get(&call->args, "SIZE");
	struct tsh_strbuf size = TSH_STRBUF_INIT;
	char *kb;
	int r;

	if (!value)
		return show_buffer(s);
	if (tsh_memory_check_buffer(s->in, value->number, err) < 0) {
		tsh_err_blame(err, value->word.span);
		return -1;
	}
	kb = tsh_xasprintf("%llu", (unsigned long long)((value->number + 1023) / 1024));
	/* Sets all CPUs in one write, so that undo can restore buffers that the kernel has not
	 * expanded yet, and sizes that differ. */
	r = tsh_cmd_confirm_write(s, s->in, "buffer_size_kb", TSH_WRITE_SET, kb, err);
	if (!r)
		r = tsh_session_write(s, "buffer_size_kb", TSH_WRITE_SET, kb, value, err);
	if (r >= 0) {
		tsh_format_size(tsh_file_number(s->in, "buffer_total_size_kb", 0) * 1024, &size);
		/* Says which size the kernel has set: it rounds up to whole sub-buffers. */
		tsh_out_note(s->out, "buffer of '%s': %llu KB a CPU, %s in all%s",
			     tsh_instance_label(s->in),
			     (unsigned long long)tsh_file_number(s->in, "buffer_size_kb", 0), size.buf,
			     r ? "" : " (as before)");
	}
	tsh_strbuf_release(&size);
	free(kb);
	return r < 0 ? -1 : 0;
}

static const struct tsh_arg buffer_args[] = {
	{ .name = "SIZE", .type = TSH_ARG_SIZE, .flags = TSH_ARG_OPTIONAL | TSH_ARG_KB | TSH_ARG_NOT_ZERO,
	  .help = "of each CPU's buffer: 512K, 8M; a bare number is KB" },
	{ 0 }
};

static const struct tsh_example buffer_examples[] = {
	{ "buffer", "the present sizes" },
	{ "buffer 4M", "four megabytes a CPU" },
	{ 0 }
};

const struct tsh_cmd tsh_cmd_buffer = {
	.name = "buffer", .group = TSH_GROUP_CONTROL, .summary = "show or set the buffer's size",
	.description = "A smaller buffer has no room for all unread events: the oldest are erased, of a snapshot, too. "
		       "How many went is said, and at the prompt asked before. Undo of a larger one saves them first (help "
		       "undo).",
	.see_also = "stats clear boards",
	.args = buffer_args, .examples = buffer_examples,
	.flags = TSH_CMD_WRITES | TSH_CMD_NEEDS_TRACEFS | TSH_CMD_PRINTS,
	.run = buffer_run,
};

static int show_cpus(struct tsh_session *s, struct tsh_err *err)
{
	struct tsh_strbuf text = TSH_STRBUF_INIT, list = TSH_STRBUF_INIT;
	struct tsh_cpuset set = { 0 };
	struct tsh_fields *f;

	if (tsh_cmd_read_file(s, "tracing_cpumask", &text, err) < 0) {
		tsh_strbuf_release(&text);
		return -1;
	}
	tsh_strbuf_rtrim(&text);
	if (!tsh_cpuset_parse_mask(text.buf, &set))
		tsh_cpuset_format_list(&set, &list);
	f = tsh_fields_begin(s->out, "cpus");
	tsh_fields_text(f, "traced", list.buf);
	tsh_fields_end(f);
	tsh_cpuset_release(&set);
	tsh_strbuf_release(&text);
	tsh_strbuf_release(&list);
	return 0;
}

static int cpus_run(struct tsh_session *s, const struct tsh_call *call, struct tsh_err *err)
{
	const struct tsh_value *value = tsh_args_get(&call->args, "LIST");
	bool all = value && !strcmp(value->word.text, "all");
	struct tsh_cpuset set = { 0 };
	struct tsh_strbuf mask = TSH_STRBUF_INIT;
	unsigned int *cpus;
	size_t i, n;
	int r;

	if (!value)
		return show_cpus(s, err);
	if (s->dir->dry && all)
		return tsh_session_write(s, "tracing_cpumask", TSH_WRITE_SET, TSH_CPUS_ALL, value, err) < 0 ? -1 : 0;
	if (tsh_cmd_check_cpus(s, value, err) < 0)
		return -1;
	n = tsh_cpus_present(s->in, &cpus);
	/* Refuses an empty mask, with which no event would be recorded. */
	if (!n) {
		tsh_err_set(err, TSH_FAILED, "the CPUs of '%s' cannot be listed", tsh_instance_label(s->in));
		tsh_err_blame(err, value->word.span);
		return -1;
	}
	for (i = 0; i < n; i++)
		if (all || tsh_cpuset_has(&value->cpus, cpus[i]))
			tsh_cpuset_add(&set, cpus[i]);
	tsh_cpuset_format_mask(&set, &mask);
	r = tsh_session_write(s, "tracing_cpumask", TSH_WRITE_SET, mask.buf, value, err);
	if (r >= 0)
		tsh_out_note(s->out, "CPUs %s are traced in '%s'%s", value->word.text,
			     tsh_instance_label(s->in), r ? "" : " (as before)");
	tsh_cpuset_release(&set);
	tsh_strbuf_release(&mask);
	free(cpus);
	return r < 0 ? -1 : 0;
}

static const struct tsh_arg cpus_args[] = {
	{ .name = "LIST", .type = TSH_ARG_CPUS, .flags = TSH_ARG_OPTIONAL,
	  .help = "0-3,7 or all" },
	{ 0 }
};

static const struct tsh_example cpus_examples[] = {
	{ "cpus", "which are traced" },
	{ "cpus 0", "only the first" },
	{ 0 }
};

const struct tsh_cmd tsh_cmd_cpus = {
	.name = "cpus", .group = TSH_GROUP_CONTROL, .summary = "show or set which CPUs are traced",
	.see_also = "buffer",
	.args = cpus_args, .examples = cpus_examples,
	.flags = TSH_CMD_WRITES | TSH_CMD_NEEDS_TRACEFS | TSH_CMD_PRINTS,
	.run = cpus_run,
};
