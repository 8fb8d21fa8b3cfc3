/* events/symbols/saved-comms.h - tables of tasks' names: saved_cmdlines, tracesh/comms */
/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_EVENTS_SYMBOLS_SAVED_COMMS_H
#define TRACESH_EVENTS_SYMBOLS_SAVED_COMMS_H

#include <stdbool.h>
#include <stddef.h>

#define TSH_COMM_SIZE 16		/* TASK_COMM_LEN, with its NUL */

struct tsh_strbuf;

/* A line "PID COMM". */
struct tsh_saved_comm {
	int pid;
	bool doubtful;			/* it may be the rest of the name before it */
	char comm[TSH_COMM_SIZE];	/* filled up with NULs */
};
struct tsh_saved_comms { struct tsh_saved_comm *v; size_t n, cap; };

/*
 * Appends the lines of the kernel's saved_cmdlines, in their order; a pid may occur twice. The
 * kernel prints names as they are: a name may have newlines, so a line can be the rest of a name
 * and name another task. A line that would fit into the name before it is doubtful.
 */
void tsh_saved_comms_parse(struct tsh_saved_comms *comms, const char *text);

/* Marks a recording's comms as escaped; it is their first line. */
#define TSH_COMMS_ESCAPED "# escaped\n"
/* Appends a line to the comms of a recording: control bytes, DEL and '\' as \xNN. */
void tsh_saved_comms_write(struct tsh_strbuf *out, int pid, const char *comm);
/* Appends the lines of a recording's comms. Those of a recording without the first line, from
 * before names were escaped, are read as saved_cmdlines is. */
void tsh_saved_comms_read(struct tsh_saved_comms *comms, const char *text);

#endif
