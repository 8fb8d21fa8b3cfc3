/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "internal.h"

#include <stdlib.h>
#include <string.h>

#include "engine/pipeline/attach-stacks.h"
#include "engine/tally/stacks.h"
#include "kernel/tracefs/tracefs.h"

/* Counts by the key `stack`: the kernel stack of each event. */

/*
 * Limits a stack as the kernel's histograms do (HIST_STACKTRACE_DEPTH in kernel/trace/trace.h), so
 * that both have the same rows.
 */
#define FRAMES_MAX 16

struct by_stacks {
	struct tsh_event_stacks stacked;
	struct tsh_stacks *seen;	/* each frame is the begin of a function */
};

static const char option[] = "options/stacktrace";

bool by_has_stack(const struct tsh_by *by)
{
	size_t i;

	for (i = 0; i < by->spec.nkeys; i++)
		if (by->spec.keys[i].modifier == BY_STACK)
			return true;
	return false;
}

bool by_needs_stacks(const struct tsh_by *by)
{
	return by_has_stack(by) && !by->engine->add_stack;
}

int by_stacks_prepare(const struct tsh_counter *counter, struct tsh_instance *in, struct tsh_err *err)
{
	if (!by_needs_stacks((const struct tsh_by *)counter))
		return 0;
	if (in->own)
		return tsh_file_write(in, option, TSH_WRITE_SET, "1", err) < 0 ? -1 : 0;
	if (tsh_file_number(in, option, 0) == 1)
		return 0;
	if (in->dir->kind == TSH_DIR_TREE) {
		tsh_err_set(err, TSH_FAILED, "what was recorded has no stacks: %s was off", option);
		return -1;
	}
	tsh_err_set(err, TSH_FAILED, "in '%s' events have no stacks: %s is off",
		    tsh_instance_label(in), option);
	tsh_err_hint(err, "write %s 1, for those that come", option);
	return -1;
}

struct tsh_stage *by_stacks_stage(struct tsh_by *by)
{
	if (!by_needs_stacks(by))
		return NULL;
	by_stacks_free(by->stacks);
	by->stacks = tsh_xcalloc(1, sizeof(*by->stacks));
	by->stacks->seen = tsh_stacks_new(count_spec_size(&by->spec));
	return tsh_event_stacks_stage(&by->stacks->stacked);
}

bool by_stack_part(struct tsh_by *by, struct tsh_tally_part *ret)
{
	uint64_t frames[TSH_EVENT_STACKS_TRACERS + FRAMES_MAX];
	size_t n, number, i;

	if (!by->stacks->stacked.stack)
		return false;
	n = tsh_event_stacks_frames(&by->stacks->stacked, frames, TSH_EVENT_STACKS_TRACERS + FRAMES_MAX);
	if (!n)
		return false;
	n = n < FRAMES_MAX ? n : FRAMES_MAX;
	for (i = 0; i < n; i++)
		frames[i] = by_begin_of(by, frames[i]);
	number = tsh_stacks_add(by->stacks->seen, frames, n);
	*ret = (struct tsh_tally_part){
		.kind = number == TSH_STACKS_OTHER ? TSH_TALLY_NO_ROOM : TSH_TALLY_UNSIGNED,
		.number = number,
	};
	return true;
}

void by_add_stack(const struct tsh_by *by, uint64_t number, struct tsh_strbuf *to)
{
	const uint64_t *frames;
	size_t n, i;

	if (by->engine->add_stack) {
		by->engine->add_stack(by, number, to);
		return;
	}
	frames = tsh_stacks_frames(by->stacks->seen, number, &n);
	for (i = 0; i < n; i++) {
		if (i)
			tsh_strbuf_adds(to, BY_FRAME_BETWEEN);
		if (frames[i] == TSH_STACK_TRAMPOLINE)
			tsh_strbuf_adds(to, "[FTRACE TRAMPOLINE]");
		else
			tsh_decoder_symbol_name(by->decoder, frames[i], to);
	}
}

void by_stacks_free(struct by_stacks *stacks)
{
	if (!stacks)
		return;
	tsh_stacks_free(stacks->seen);
	free(stacks);
}

const char *by_next_frame(const char **frames, size_t *ret_len)
{
	const char *frame = *frames, *end = strstr(frame, BY_FRAME_BETWEEN);

	*ret_len = end ? (size_t)(end - frame) : strlen(frame);
	*frames = end ? end + strlen(BY_FRAME_BETWEEN) : frame + *ret_len;
	return *frame ? frame : NULL;
}
