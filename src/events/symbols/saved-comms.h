/* events/symbols/saved-comms.h - tables of tasks' names: saved_cmdlines, tracesh/comms */
/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_EVENTS_SYMBOLS_SAVED_COMMS_H
#define TRACESH_EVENTS_SYMBOLS_SAVED_COMMS_H

#include <stdbool.h>
#include <stddef.h>

#define TSH_COMM_SIZE 16		/* TASK_COMM_LEN, counting its NUL */

struct tsh_strbuf;

/* Holds a line "PID COMM". */
struct tsh_saved_comm {
	int pid;
	bool doubtful;			/* the line may be the rest of the name before it */
	char comm[TSH_COMM_SIZE];	/* padded with NULs */
};
struct tsh_saved_comms { struct tsh_saved_comm *v; size_t n, cap; };

/*
 * Appends the lines of the kernel's saved_cmdlines in their order; a pid may occur twice. The kernel prints names as
 * they are. A name may have newlines, so a line may be the rest of a name that looks like another task; a line that
 * would fit into the name before it is marked doubtful.
 */
void tsh_saved_comms_parse(struct tsh_saved_comms *comms, const char *text);

/* Is the first line of a recording's comms when their names are escaped. */
#define TSH_COMMS_ESCAPED "# escaped\n"
/* Appends a line of a recording's comms; control bytes, DEL and '\' become \xNN. */
void tsh_saved_comms_write(struct tsh_strbuf *out, int pid, const char *comm);
/* Appends the lines of a recording's comms. Old recordings without the first line, whose names are not escaped, are
 * read like saved_cmdlines. */
void tsh_saved_comms_read(struct tsh_saved_comms *comms, const char *text);

#endif
