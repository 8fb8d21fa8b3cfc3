/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_KERNEL_DRYRUN_SH_FUNCTIONS_H
#define TRACESH_KERNEL_DRYRUN_SH_FUNCTIONS_H

/* Holds the functions that the script of a dry run calls. */

#include "dryrun.h"

/* Returns the given functions (bits of enum tsh_sh_function) with those that they call. */
unsigned int tsh_sh_functions_needed(unsigned int functions);
/* Appends the text of the functions to out, in their order. */
void tsh_sh_functions(struct tsh_strbuf *out, unsigned int functions);

/* sh-functions-lists.c */
extern const char tsh_sh_lines_functions[];
extern const char tsh_sh_list_functions[];
extern const char tsh_sh_add_functions[];
extern const char tsh_sh_drop_function[];
/* sh-functions-run.c */
extern const char tsh_sh_tasks_functions[];
extern const char tsh_sh_own_functions[];

#endif
