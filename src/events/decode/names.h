/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_EVENTS_DECODE_NAMES_H
#define TRACESH_EVENTS_DECODE_NAMES_H

#include <stddef.h>

#include "decode.h"
#include "events/symbols/saved-comms.h"
#include "name-log.h"

/* Knows the names and the thread groups of tasks. */
struct tsh_names;

struct tsh_names *tsh_names_new(const struct tsh_provider *provider);
void tsh_names_free(struct tsh_names *names);
/* Sets a name from an event. `comm` need not end in NUL. */
void tsh_names_learn(struct tsh_names *names, int pid, const char *comm, size_t len);
/* Says quickly that tsh_names_learn of a name would change nothing; false: it may change something.
 * The name is TSH_COMM_SIZE bytes whose unused ones are NUL, or fewer that end in NUL. */
bool tsh_names_repeats(const struct tsh_names *names, int pid, const char *comm, size_t len);
/* Sets a name that may soon be wrong. Other sources are asked before it is used. ends: the task
 * ends, so other sources may soon name another task with this pid, and are not asked. */
void tsh_names_guess(struct tsh_names *names, int pid, const char *comm, size_t len, bool ends);
/* Sets the name that a task had when the stream began, unless something is known of the task. */
void tsh_names_set_first(struct tsh_names *names, int pid, const char *comm);
/* Sets the name that a task has until a later record, at `stamp`, changes it. comm NULL: that
 * record starts a new task with this pid; the name of the old one is unknown. */
void tsh_names_learn_ahead(struct tsh_names *names, int pid, uint64_t stamp, const char *comm,
			   size_t len);
/* Notes that a record at `stamp` starts a task with this number. */
void tsh_names_note_birth(struct tsh_names *names, int pid, uint64_t stamp);
/* Returns the stamp of the last record that started a task with this pid; 0: there was none. */
uint64_t tsh_names_birth(const struct tsh_names *names, int pid);
/* Promises that the following events have each change of a name, so no other source is
 * asked again. */
void tsh_names_set_complete(struct tsh_names *names);
/* Notes that some events with changes of names are missing. All names are asked for again; a name
 * that no source knows is unknown then. */
void tsh_names_doubt(struct tsh_names *names);
/* Appends each change by the functions above to `log` from now on; borrows log. NULL: no more. */
void tsh_names_set_log(struct tsh_names *names, struct tsh_name_ops *log);
/* Calls the function above that an op stands for. */
void tsh_names_apply(struct tsh_names *names, const struct tsh_name_op *op);
/* Copies what these functions have set in `from`; `to` must be new. */
void tsh_names_copy(struct tsh_names *to, struct tsh_names *from);
/* Calls back for every known name. */
void tsh_names_each(struct tsh_names *names, void (*each)(void *ctx, int pid, const char *comm), void *ctx);
/* See tsh_decoder_set_ahead. */
void tsh_names_set_ahead(struct tsh_names *names, void (*ahead)(void *ctx), void *ctx);
/* Return the name of a task (see tsh_decoder_comm), and its thread group or -1. */
const char *tsh_names_comm(struct tsh_names *names, int pid);
int tsh_names_tgid(struct tsh_names *names, int pid);
/* Asks again for names that are not from events. */
void tsh_names_refresh(struct tsh_names *names);
/* Uses only the names of saved_cmdlines, as the kernel's own text does. */
void tsh_names_set_saved_only(struct tsh_names *names);
const unsigned int *tsh_names_version(const struct tsh_names *names);
struct tsh_task_columns *tsh_names_columns(const struct tsh_names *names);
/* Returns the column of a task; see tsh_decoder_task_column. */
const char *tsh_names_column(struct tsh_names *names, int pid, bool raw, size_t *ret_len);

#endif
