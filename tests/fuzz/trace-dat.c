/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A trace.dat, of any version, whole or damaged. Everything that reads a recording is run on it, and it is written anew.
 */
#include "trees.h"

static const char commands[] =
	"drain\nstats\nevents\nstatus -a\nshow -n 2\ncount by event\nreport /dev/null stats\nset format json\ndrain -n 5\n";

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char path[80];
	int file, fd;

	if (size < 4 || size > 262144)
		return 0;
	name_tree(path, sizeof(path) - 4);
	strcat(path, ".dat");
	file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (file < 0 || write(file, data, size) != (ssize_t)size || close(file) < 0)
		abort();
	fd = open_memory();
	run_on_tree(path, TSH_FORMAT_TEXT, commands, fd);
	check_printed(fd);
	unlink(path);
	return 0;
}
