/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <string.h>

#include "special-internal.h"

/* Prints wakeup and context_switch of the wakeup tracers (trace_output.c, trace_ctxwake_print). */

/* Returns the letter of a task's state, as task_index_to_char (include/linux/sched.h). */
static char state_letter(uint64_t index)
{
	static const char letters[] = "RSDTtXZPI";

	return index < sizeof(letters) - 1 ? letters[index] : '?';
}

static void print_switch(struct tsh_decoder *d, const void *state,
			 const struct tsh_event_format *format, const struct tsh_record *rec,
			 struct tsh_strbuf *out)
{
	int next = (int)special_field(d, format, "next_pid", rec);

	(void)state;
	tsh_strbuf_addf(out, " %7d:%3d:%c %s [%03d] %7d:%3d:%c %s",
			(int)special_field(d, format, "prev_pid", rec),
			(int)special_field(d, format, "prev_prio", rec),
			state_letter(special_field(d, format, "prev_state", rec)),
			format->name[0] == 'w' ? "  +" : "==>",
			(int)special_field(d, format, "next_cpu", rec), next,
			(int)special_field(d, format, "next_prio", rec),
			state_letter(special_field(d, format, "next_state", rec)),
			tsh_decoder_comm(d, next));
}

bool special_find_sched(struct tsh_decoder *d, const struct tsh_event_format *format,
			struct tsh_special *ret)
{
	(void)d;
	(void)format;
	ret->print = print_switch;
	ret->label_in_text = true;
	return true;
}
