/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_KERNEL_DRYRUN_SH_FUNCTIONS_H
#define TRACESH_KERNEL_DRYRUN_SH_FUNCTIONS_H

/* The functions that the script of a dry run calls. */

#include "dryrun.h"

/* Of enum tsh_sh_function, with those that they need themselves. */
unsigned int tsh_sh_functions_needed(unsigned int functions);
/* Their text, each in its order; appends to out. */
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
