/* SPDX-License-Identifier: GPL-2.0-or-later */
/* library-sql NAME STATEMENT: the commands that libtracefs would have the kernel make the event with, for sh. */
#include <stdio.h>
#include <tracefs/tracefs.h>

int main(int argc, char **argv)
{
	struct tep_handle *tep = tracefs_local_events(NULL);
	struct tracefs_synth *synth;
	struct trace_seq text;
	char *why = NULL;

	if (argc != 3 || !tep)
		return 2;
	synth = tracefs_sql(tep, argv[1], argv[2], &why);
	if (!synth) {
		fprintf(stderr, "%s\n", why ? why : "no reason is given");
		return 1;
	}
	trace_seq_init(&text);
	if (tracefs_synth_echo_cmd(&text, synth) < 0)
		return 1;
	return trace_seq_do_printf(&text) < 0;
}
