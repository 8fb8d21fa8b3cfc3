/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_EVENTS_DECODE_SPECIAL_H
#define TRACESH_EVENTS_DECODE_SPECIAL_H

#include "decoder.h"

/* Prints an event whose text the kernel makes by C code of its own, so that the print format of its
 * format file is wrong, or there is no file at all. */
typedef void tsh_special_print(struct tsh_decoder *d, const void *state,
			       const struct tsh_event_format *format,
			       const struct tsh_record *rec, struct tsh_strbuf *out);

/* Says how to print one event. */
struct tsh_special {
	tsh_special_print *print;
	void *state;			/* for print; lives as long as the format */
	void (*free_state)(void *state);	/* NULL: there is nothing to free */
	/* Prints whole records quicker than print does, as long as pointers are not hidden; NULL: there is
	 * none. */
	struct program *program;
	/* Becomes format->label_in_text: the kernel prints no name before the text. */
	bool label_in_text;
	bool is_repeatable;		/* becomes format->is_repeatable */
};

/*
 * Finds how the kernel prints an event. Returns false, and zeroes *ret, for an ordinary event.
 * Options of the instance and dynamic_events are read at the first call and stored in d->special.
 */
bool tsh_special_find(struct tsh_decoder *d, const struct tsh_event_format *format,
		      struct tsh_special *ret);
void tsh_special_release(struct tsh_special *special);
/* Forgets what was read; to be called with the formats, and at the end of the decoder. */
void tsh_special_forget(struct tsh_decoder *d);

/*
 * Returns a format file (malloc'd; its system is "ftrace") for an id that has none, which
 * tsh_special_find then knows: TRACE_BLK (kernel/trace/trace.h, enum trace_type;
 * kernel/trace/blktrace.c). Returns NULL for any other id.
 */
char *tsh_special_format(struct tsh_decoder *d, unsigned int id);

/* Appends the text before the colon: format->label, or for ftrace:print the function that has
 * written the event (trace_output.c, trace_print_print). */
void tsh_special_label(struct tsh_decoder *d, const struct tsh_event_format *format,
		       const struct tsh_record *rec, struct tsh_strbuf *out);

#endif
