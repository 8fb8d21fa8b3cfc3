/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cmd/commands.h"

#include <errno.h>
#include <sched.h>

#include "base/number.h"
#include "session/util.h"

/* Declares marker: writes a line of the user into the trace. */

static int write_marker(struct tsh_session *s, const struct tsh_value *text, struct tsh_err *err)
{
	return tsh_session_write(s, "trace_marker", TSH_WRITE_SET, text->word.text, text, err);
}

/* Finds the CPUs whose buffers record. */
static void traced_cpus(const struct tsh_session *s, struct tsh_cpuset *ret)
{
	struct tsh_strbuf mask = TSH_STRBUF_INIT;

	if (!tsh_file_read(s->in, "tracing_cpumask", &mask)) {
		tsh_strbuf_rtrim(&mask);
		(void)tsh_cpuset_parse_mask(mask.buf, ret);
	}
	tsh_strbuf_release(&mask);
}

/* Writes the marker from a CPU that is traced: the buffer of another CPU refuses it, as one that is
 * off does. */
static bool write_on_traced_cpu(struct tsh_session *s, const struct tsh_value *text,
				struct tsh_err *err)
{
	size_t size = CPU_ALLOC_SIZE(TSH_CPU_MAX);
	cpu_set_t *before = CPU_ALLOC(TSH_CPU_MAX), *one = CPU_ALLOC(TSH_CPU_MAX);
	struct tsh_cpuset traced = { 0 };
	bool done = false;
	unsigned int cpu;

	if (before && one && err->number == EBADF && tsh_file_number(s->in, "tracing_on", 0) &&
	    !sched_getaffinity(0, size, before)) {
		traced_cpus(s, &traced);
		for (cpu = 0; cpu < TSH_CPU_MAX && !done && err->number == EBADF; cpu++) {
			if (!tsh_cpuset_has(&traced, cpu) || !CPU_ISSET_S(cpu, size, before))
				continue;
			CPU_ZERO_S(size, one);
			CPU_SET_S(cpu, size, one);
			if (sched_setaffinity(0, size, one) < 0)
				continue;
			tsh_err_release(err);
			done = write_marker(s, text, err) >= 0;
		}
		sched_setaffinity(0, size, before);
		tsh_cpuset_release(&traced);
	}
	CPU_FREE(before);
	CPU_FREE(one);
	return done;
}

static int marker_run(struct tsh_session *s, const struct tsh_call *call, struct tsh_err *err)
{
	const struct tsh_value *text = tsh_args_get(&call->args, "TEXT");

	s->dir->pieces = 0;
	if (write_marker(s, text, err) >= 0 || write_on_traced_cpu(s, text, err)) {
		if (s->dir->pieces > 1)
			tsh_out_note(s->out, "the marker is longer than this kernel takes at once: it is %u events",
				     s->dir->pieces);
		return 0;
	}
	if (err->number == EBADF && tsh_file_number(s->in, "tracing_on", 1)) {
		tsh_err_set(err, TSH_FAILED, "the marker was not taken in '%s': the CPUs that are "
			    "traced are none of those where tracesh may run",
			    tsh_instance_label(s->in));
		tsh_err_blame(err, text->word.span);
		tsh_err_hint(err, "cpus all");
	} else if (err->number == EBADF) {
		tsh_err_set(err, TSH_FAILED, "tracing is off in '%s': the marker was not taken",
			    tsh_instance_label(s->in));
		tsh_err_hint(err, "on");
	} else if (err->number == EINVAL) {
		tsh_err_set(err, TSH_FAILED, "the option 'markers' is off in '%s'",
			    tsh_instance_label(s->in));
		tsh_err_hint(err, "option markers on");
	}
	return -1;
}

static const struct tsh_arg marker_args[] = {
	{ .name = "TEXT", .type = TSH_ARG_TEXT, .help = "the rest of the command" },
	{ 0 }
};

static const struct tsh_example marker_examples[] = {
	{ "marker the test begins here", "a line of one's own in the trace" }, { 0 }
};

const struct tsh_cmd tsh_cmd_marker = {
	.name = "marker", .group = TSH_GROUP_CONTROL, .summary = "write a line into the trace",
	.description = "A text that is longer than the kernel takes at once (1,024 bytes in older ones, some 4,000 "
		       "in newer) is several events, which is said.",
	.see_also = "show time",
	.args = marker_args, .examples = marker_examples,
	.flags = TSH_CMD_WRITES | TSH_CMD_NEEDS_TRACEFS | TSH_CMD_LIVE,
	.run = marker_run,
};
