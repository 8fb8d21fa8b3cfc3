/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A recorded tree from elsewhere. The first byte says what is printed of it and in which
 * format; then "@@PATH\n" begins a file, which goes on to the next one.
 */
#include "trees.h"

static const char *const commands[] = {
	"drain\n",
	"drain --since -5s\ndrain --cpu 0 -n 3\n",
	"show\nshow -n 2\nshow --since 1.0\n",
	"status -a\nstats\nevents --on\nclock\nbuffer\ntracer\noption\npid\nenable\n",
	"info *:*\nfilter *:* common_pid == 1\nevents\ntime 1.5\ntime now\nfunctions a*\n",
};
#define COMMANDS_N (sizeof(commands) / sizeof(commands[0]))

static const struct fuzz_file given[] = { { "events/header_page", "" }, { NULL, NULL } };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char top[64];
	int fd;

	if (size < 4 || size > 65536)
		return 0;
	name_tree(top, sizeof(top));
	make_tree(top, given, (const char *)data + 1, size - 1);
	fd = open_memory();
	run_on_tree(top, (enum tsh_format)(data[0] % 4), commands[data[0] / 4 % COMMANDS_N], fd);
	close(fd);
	remove_tree(top);
	return 0;
}
