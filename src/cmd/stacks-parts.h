/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_CMD_STACKS_PARTS_H
#define TRACESH_CMD_STACKS_PARTS_H

/* The parts of the command stacks. */

#include "tracesh/cmd.h"
#include "tracesh/stacks.h"

/* Prints what was counted as the options of the call want it (stacks-print.c). */
void stacks_print(struct tsh_session *s, const struct tsh_call *call,
		  const struct tsh_stacks *stacks, tsh_stack_name *name, void *name_ctx);

/*
 * Functions of programs by the addresses in their processes (stacks-users.c). They are looked
 * up when a stack comes, as a process may have ended when it is printed, and numbered.
 */
struct stacks_users;

struct stacks_users *stacks_users_new(void);
/* NULL is fine. */
void stacks_users_free(struct stacks_users *users);
/* The number of the function at an address of a process. */
uint64_t stacks_users_look(struct stacks_users *users, int tgid, uint64_t address);
/* "readline [bash]"; "[bash]" where it has no symbol, "[unknown]" where the process has ended.
 * Borrowed. */
const char *stacks_users_name(const struct stacks_users *users, uint64_t number);

#endif
