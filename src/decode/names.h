/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef DECODE_NAMES_H
#define DECODE_NAMES_H

#include <stddef.h>

#include "tracesh/decode.h"

/* Names and thread groups by task. */
struct tsh_names;

struct tsh_names *tsh_names_new(const struct tsh_provider *provider);
void tsh_names_free(struct tsh_names *names);
/* An event told it. `comm` need not end in NUL. */
void tsh_names_learn(struct tsh_names *names, int pid, const char *comm, size_t len);
/* The same of a name that the task soon has no more: others, who know better, are asked first.
 * Or of one that ends with the task: soon another one may have its number. */
void tsh_names_guess(struct tsh_names *names, int pid, const char *comm, size_t len, bool ends);
const char *tsh_names_comm(struct tsh_names *names, int pid);
int tsh_names_tgid(struct tsh_names *names, int pid);
void tsh_names_refresh(struct tsh_names *names);
/* Only what saved_cmdlines says, as the kernel's own text has it. */
void tsh_names_set_saved_only(struct tsh_names *names);
const unsigned int *tsh_names_version(const struct tsh_names *names);
/* See tsh_decoder_task_column. */
const char *tsh_names_column(struct tsh_names *names, int pid, bool raw, size_t *ret_len);

#endif
