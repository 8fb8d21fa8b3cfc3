/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "namers.h"

#include <stdlib.h>
#include <string.h>

#include "filters.h"
#include "tracesh/tracefs.h"

static const char *const names[NAMERS] = { "task_newtask", "task_rename" };

static bool is_asked(const struct tsh_call *call, const char *name)
{
	size_t i;

	for (i = 0; i < call->events.n; i++)
		if (!strcmp(call->events.v[i].name, name) &&
		    !strcmp(call->events.v[i].system, "task"))
			return true;
	return false;
}

/* False: this kernel has no such event. */
static bool enable(struct tsh_instance *in, const char *name, unsigned int *ret_id)
{
	char *id = tsh_xasprintf("events/task/%s/id", name);
	char *path = tsh_xasprintf("events/task/%s/enable", name);
	struct tsh_err ignored = { 0 };
	bool done = false;

	*ret_id = (unsigned int)tsh_file_number(in, id, 0);
	if (*ret_id)
		done = tsh_file_write(in, path, TSH_WRITE_SET, "1", &ignored) >= 0;
	tsh_err_release(&ignored);
	free(path);
	free(id);
	return done;
}

void tsh_namers_enable(struct tsh_instance *in, const struct tsh_call *call, struct tsh_namers *ret)
{
	size_t i;

	*ret = (struct tsh_namers){ 0 };
	/* A script prints what the kernel prints. */
	if (!in->own || in->dir->dry)
		return;
	ret->are_all = true;
	for (i = 0; i < NAMERS; i++)
		if (is_asked(call, names[i]))
			ret->are_all &= !tsh_filters_value(call) && !call->where;
		else if (enable(in, names[i], &ret->ids[ret->n]))
			ret->n++;
		else
			ret->are_all = false;
}

static bool is_namer(const struct tsh_namers *namers, unsigned int id)
{
	size_t i;

	for (i = 0; i < namers->n; i++)
		if (namers->ids[i] == id)
			return true;
	return false;
}

static void take(struct tsh_consumer *consumer, const struct tsh_record *rec, bool late)
{
	struct tsh_namers *namers = (struct tsh_namers *)consumer;
	struct tsh_common common;
	bool damaged;

	if (!tsh_decoder_common(namers->decoder, rec, &common) || !is_namer(namers, common.id)) {
		namers->relay.to->event(namers->relay.to, rec, late);
		return;
	}
	tsh_decoder_look(namers->decoder, rec, &common, &damaged);
	/* counted behind this call: modulo 2^64 that comes out right */
	namers->sum->events--;
	namers->sum->late -= late;
}

void tsh_namers_init(struct tsh_namers *namers, struct tsh_consumer *to,
		     struct tsh_decoder *decoder, struct tsh_stream_summary *sum)
{
	if (namers->are_all)
		tsh_decoder_trust_forks(decoder);
	namers->decoder = decoder;
	namers->sum = sum;
	tsh_relay_init(&namers->relay, to, take, NULL);
}
