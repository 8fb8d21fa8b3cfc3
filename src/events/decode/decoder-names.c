/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <string.h>

#include "decoder.h"
#include "names.h"

/* Passes calls of a decoder on to its table of task names. */

void tsh_decoder_apply_names(struct tsh_decoder *d, const struct tsh_name_op *ops, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++) {
		d->trusts_forks &= ops[i].kind != TSH_NAME_DOUBT;
		tsh_names_apply(d->names, &ops[i]);
	}
}

void tsh_decoder_log_names(struct tsh_decoder *d, struct tsh_name_ops *log)
{
	tsh_names_set_log(d->names, log);
}

void tsh_decoder_copy_names(struct tsh_decoder *to, struct tsh_decoder *from)
{
	to->trusts_forks = from->trusts_forks;
	tsh_names_copy(to->names, from->names);
}

void tsh_decoder_set_first_comm(struct tsh_decoder *d, int pid, const char *comm)
{
	tsh_names_set_first(d->names, pid, comm);
}

void tsh_decoder_each_comm(struct tsh_decoder *d,
			   void (*each)(void *ctx, int pid, const char *comm), void *ctx)
{
	tsh_names_each(d->names, each, ctx);
}

void tsh_decoder_set_ahead(struct tsh_decoder *d, void (*ahead)(void *ctx), void *ctx)
{
	tsh_names_set_ahead(d->names, ahead, ctx);
}

void tsh_decoder_set_names_complete(struct tsh_decoder *d)
{
	tsh_names_set_complete(d->names);
}

void tsh_decoder_doubt_names(struct tsh_decoder *d)
{
	d->trusts_forks = false;
	tsh_names_doubt(d->names);
}

const unsigned int *tsh_decoder_names_version(const struct tsh_decoder *d)
{
	return tsh_names_version(d->names);
}

const char *tsh_decoder_comm(struct tsh_decoder *d, int pid)
{
	return tsh_names_comm(d->names, pid);
}

void tsh_decoder_set_whole(struct tsh_decoder *d, bool (*is_whole)(void *ctx, int pid), void *ctx)
{
	d->is_whole = is_whole;
	d->whole_ctx = ctx;
}

bool tsh_decoder_is_whole(const struct tsh_decoder *d, int pid)
{
	return !d->is_whole || d->is_whole(d->whole_ctx, pid);
}

void tsh_decoder_note_loss(struct tsh_decoder *d)
{
	d->losses++;
}

uint64_t tsh_decoder_losses(const struct tsh_decoder *d)
{
	return d->losses;
}

uint64_t tsh_decoder_birth(const struct tsh_decoder *d, int pid)
{
	return tsh_names_birth(d->names, pid);
}

void tsh_decoder_trust_forks(struct tsh_decoder *d)
{
	d->trusts_forks = true;
}

void tsh_decoder_set_comm(struct tsh_decoder *d, int pid, const char *comm)
{
	tsh_names_learn(d->names, pid, comm, strlen(comm));
}

const char *tsh_decoder_task_column(struct tsh_decoder *d, int pid, bool raw, size_t *ret_len)
{
	return tsh_names_column(d->names, pid, raw, ret_len);
}

struct tsh_task_columns *tsh_decoder_task_columns(const struct tsh_decoder *d)
{
	return tsh_names_columns(d->names);
}

void tsh_decoder_use_saved_names(struct tsh_decoder *d)
{
	tsh_names_set_saved_only(d->names);
}

unsigned int tsh_decoder_bits(struct tsh_decoder *d, int pid)
{
	return d->provider->bits ? d->provider->bits(d->provider->ctx, pid) : 0;
}

int tsh_decoder_tgid(struct tsh_decoder *d, int pid)
{
	return tsh_names_tgid(d->names, pid);
}

void tsh_decoder_refresh(struct tsh_decoder *d)
{
	tsh_names_refresh(d->names);
}
