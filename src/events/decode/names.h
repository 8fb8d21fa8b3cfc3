/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_EVENTS_DECODE_NAMES_H
#define TRACESH_EVENTS_DECODE_NAMES_H

#include <stddef.h>

#include "decode.h"

/* Names and thread groups by task. */
struct tsh_names;

struct tsh_names *tsh_names_new(const struct tsh_provider *provider);
void tsh_names_free(struct tsh_names *names);
/* An event told it. `comm` need not end in NUL. */
void tsh_names_learn(struct tsh_names *names, int pid, const char *comm, size_t len);
/* The same of a name that the task soon has no more: others, who know better, are asked first.
 * Or of one that ends with the task: soon another one may have its number. */
void tsh_names_guess(struct tsh_names *names, int pid, const char *comm, size_t len, bool ends);
/* The same, unless something is known of the task: its name when the stream began. */
void tsh_names_see(struct tsh_names *names, int pid, const char *comm);
/* A record that comes later, at `stamp`, tells what the task is called until then. comm NULL: it
 * tells that the number is a new task's from then on, so that nobody needs to be asked. */
void tsh_names_foresee(struct tsh_names *names, int pid, uint64_t stamp, const char *comm,
		       size_t len);
/* A record of that stamp tells of its birth. */
void tsh_names_bear(struct tsh_names *names, int pid, uint64_t stamp);
/* The stamp of the last one; 0: none did. */
uint64_t tsh_names_birth(const struct tsh_names *names, int pid);
/* Events tell each change from now on: nobody who knows a later name is asked again. */
void tsh_names_tell_all(struct tsh_names *names);
/* Some of those events are missing: all are asked for again, and unknown where nobody knows them. */
void tsh_names_doubt(struct tsh_names *names);
/* Every name that is known now. */
void tsh_names_each(const struct tsh_names *names, void (*tell)(void *ctx, int pid, const char *comm),
		    void *ctx);
const char *tsh_names_comm(struct tsh_names *names, int pid);
int tsh_names_tgid(struct tsh_names *names, int pid);
void tsh_names_refresh(struct tsh_names *names);
/* Only what saved_cmdlines says, as the kernel's own text has it. */
void tsh_names_set_saved_only(struct tsh_names *names);
const unsigned int *tsh_names_version(const struct tsh_names *names);
/* See tsh_decoder_task_column. */
const char *tsh_names_column(struct tsh_names *names, int pid, bool raw, size_t *ret_len);

#endif
