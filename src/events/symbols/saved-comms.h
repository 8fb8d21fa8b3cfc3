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
	bool doubtful;			/* the line may be the second line of the name before it */
	char comm[TSH_COMM_SIZE];	/* padded with NULs */
};
struct tsh_saved_comms { struct tsh_saved_comm *v; size_t n, cap; };

/*
 * Appends the lines of the kernel's saved_cmdlines in their order; a pid may occur twice. The
 * kernel does not escape names. A name may have a newline, so what follows the newline may look
 * like the line of another task. A line that would fit into the name before it is marked as
 * doubtful.
 */
void tsh_saved_comms_parse(struct tsh_saved_comms *comms, const char *text);

/* Begins a recording's comms whose names are escaped. */
#define TSH_COMMS_ESCAPED "# escaped\n"
/* Appends a line of a recording's comms; control bytes, DEL and '\' become \xNN. */
void tsh_saved_comms_write(struct tsh_strbuf *out, int pid, const char *comm);
/* Appends the entries of a recording's comms. Old recordings have no first line TSH_COMMS_ESCAPED,
 * and their names are not escaped: they are parsed as saved_cmdlines. */
void tsh_saved_comms_read(struct tsh_saved_comms *comms, const char *text);

#endif
