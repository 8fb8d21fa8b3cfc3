/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cmd/commands.h"

#include "engine/hosts/gather.h"
#include "engine/hosts/merge.h"
#include "session/script.h"

/* Declares merge: prints the JSON streams of several hosts in the order of the wall clock. */

static uint64_t number_or(const struct tsh_call *call, const char *name, uint64_t otherwise)
{
	const struct tsh_value *value = tsh_args_get(&call->args, name);

	return value ? value->number : otherwise;
}

static int merge_run(struct tsh_session *s, const struct tsh_call *call, struct tsh_err *err)
{
	const struct tsh_value *limit = tsh_args_get(&call->args, "N"), *file = NULL;
	const struct tsh_merge_spec spec = {
		.limit = limit ? &limit->number : NULL, .delay_ns = number_or(call, "DELAY", TSH_MERGE_DELAY_NS),
		.skew_ns = number_or(call, "SKEW", 0), .room = number_or(call, "SIZE", TSH_MERGE_ROOM),
	};
	struct tsh_merge *m;
	struct tsh_range range;
	int r = 0;

	if (s->out->format == TSH_FORMAT_KERNEL) {
		tsh_err_at(err, call->args.command, "JSON lines do not have the kernel's own text");
		tsh_err_hint(err, "--format text, json or csv");
		return -1;
	}
	m = tsh_merge_new(s, &spec);
	while (!r && (file = tsh_args_next(&call->args, "FILE", file)))
		r = tsh_merge_add(m, file, err);
	if (!r) {
		tsh_range_init(&range, s, call);
		r = tsh_merge_run(m, &range, err);
		tsh_range_release(&range);
	}
	tsh_merge_free(m);
	return r;
}

/* Finds the latest end of the files. */
static bool merge_find_end(const struct tsh_call *call, int64_t *ret)
{
	const struct tsh_value *file = NULL;
	bool found = false;
	int64_t end;
	int has;

	while ((file = tsh_args_next(&call->args, "FILE", file))) {
		has = tsh_host_last_time(file->word.text, &end);
		if (has < 0)
			return false;
		if (!has)
			continue;
		if (!found || end > *ret)
			*ret = end;
		found = true;
	}
	return found;
}

static const struct tsh_arg merge_args[] = {
	{ .name = "N", .option = "-n", .type = TSH_ARG_NUMBER, .flags = TSH_ARG_OPTIONAL | TSH_ARG_NOT_ZERO,
	  .help = "stop after that many events" },
	TSH_RANGE_SINCE,
	TSH_RANGE_UNTIL,
	{ .name = "SKEW", .option = "--skew", .type = TSH_ARG_TIME, .flags = TSH_ARG_OPTIONAL,
	  .help = "by how much the hosts' clocks may differ, as chronyc tracking tells; else 0" },
	{ .name = "DELAY", .option = "--delay", .type = TSH_ARG_TIME, .flags = TSH_ARG_OPTIONAL,
	  .help = "how long lines wait for a pipe that is silent; else 1s" },
	{ .name = "SIZE", .option = "--buffer", .type = TSH_ARG_SIZE, .flags = TSH_ARG_OPTIONAL | TSH_ARG_NOT_ZERO,
	  .help = "the most that is held of inputs that mix hosts, and of pipes; else 64M" },
	{ .name = "FILE", .type = TSH_ARG_FILE, .flags = TSH_ARG_MANY,
	  .help = "what tracesh --json has written; a pipe, or - for stdin" },
	{ 0 }
};

static const struct tsh_example merge_examples[] = {
	{ "try merge board1.json board2.json", "two hosts in one view" },
	{ "try merge --skew 2ms board1.json board2.json",
	  "their clocks are within 2 ms of each other" },
	{ 0 }
};

const struct tsh_cmd tsh_cmd_merge = {
	.name = "merge", .group = TSH_GROUP_SEE,
	.summary = "merge the JSON streams of several hosts by the wall clock",
	.description =
		"Each FILE is what tracesh --json stream, drain or run wrote on one host, or lines of "
		"several hosts with the host's name before each: as parallel --tag, pdsh, or "
		"mosquitto_sub -F '%t %p' have them. In text the host stands in the first column "
		"and the event as its fields, in JSON each line has a \"host\", and a last one of type "
		"merged the summary (\"unread\":true: a signal has left something out).\n"
		"The times are each host's own wall clock, with the error that its stream states; by "
		"how much the clocks differ from each other only their own service knows (chronyc "
		"tracking): --skew tells merge. Before a time stands ~ (\"unordered\":true) where the "
		"errors let the event also be before one of another host above it, and ! "
		"(\"late\":true) where it is older than what was printed already.\n"
		"Lines wait for a pipe that is silent, a second at most (--delay), and those of a pipe "
		"that mixes hosts always do; files are read to their ends. Of a mix up to 64 MB are "
		"held (--buffer): one file for each host needs next to nothing. A stream without an "
		"end line was cut off, which the summary says; lines that are no JSON are counted, and "
		"events that have no wall-clock time.\n"
		"A time of day and an age (22:47:33, -5s) of --since and --until count from the last event of "
		"the files, as in a recording; from now, where one is a pipe.",
	.see_also = "hosts stream drain",
	.args = merge_args, .examples = merge_examples,
	.flags = TSH_CMD_PRINTS | TSH_CMD_JOB,
	.run = merge_run, .find_end = merge_find_end, .script = tsh_script_none,
};
