/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A whole recorded tree, as record makes it, with all that explains its events. Everything that
 * reads one is run on it, once in each format: what is printed can be shown on a terminal.
 */
#include "trees.h"

static const struct fuzz_file given[] = {
	{ "events/header_page",
	  "\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n"
	  "\tfield: local_t commit;\toffset:8;\tsize:8;\tsigned:1;\n"
	  "\tfield: int overwrite;\toffset:8;\tsize:1;\tsigned:1;\n"
	  "\tfield: char data;\toffset:16;\tsize:4080;\tsigned:1;\n" },
	{ NULL, NULL }
};

/* By the first byte. */
static const char *const commands[] = {
	"drain\nstatus -a\n",
	"drain --since -5s\ndrain -n 3 --cpu 0\nshow\nshow -n 2\nstats\n",
	"hist by comm,pid.log2\nhist by event sum common_pid\ncount\nstacks\nprofile\n"
	"latency sched_switch sched_switch by pid\nlatency sched_wakeup sched_switch\n",
	"drain where pid > 0 and comm != 'x' fields comm,pid,cpu\ndrain --raw fields *\nps\n"
	"sql SELECT comm, count(*) FROM sched_switch GROUP BY comm\n",
	"info *:*\nevents --on\nclock\ntime now\ntime 1.5\nfunctions\nstruct node\njournal\n"
	"graph\ndoctor\n",
};
#define COMMANDS_N (sizeof(commands) / sizeof(commands[0]))

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *chosen;
	char top[64], *all;
	int fd;

	if (size < 4 || size > 65536)
		return 0;
	name_tree(top, sizeof(top));
	make_tree(top, given, (const char *)data + 1, size - 1);
	chosen = commands[data[0] % COMMANDS_N];
	all = tsh_xasprintf("%sset format json\n%sset format csv\n%s", chosen, chosen, chosen);
	fd = open_memory();
	run_on_tree(top, TSH_FORMAT_TEXT, all, fd);
	check_printed(fd);
	remove_tree(top);
	free(all);
	return 0;
}
