/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_EVENTS_DECODE_SPECIAL_H
#define TRACESH_EVENTS_DECODE_SPECIAL_H

#include "decoder.h"

/*
 * Events whose text the kernel makes in C code of its own; the print format in their
 * format file is another, or there is no such file at all.
 */
typedef void tsh_special_print(struct tsh_decoder *d, const void *state,
			       const struct tsh_event_format *format,
			       const struct tsh_record *rec, struct tsh_strbuf *out);

/* What prints one event. */
struct tsh_special {
	tsh_special_print *print;
	void *state;			/* for print; lives as long as the format */
	void (*free_state)(void *state);	/* NULL: there is nothing to free */
	/* The kernel prints no name before this text: becomes format->label_in_text. */
	bool label_in_text;
	bool is_repeatable;		/* becomes format->is_repeatable */
};

/*
 * False: an event like any other, *ret is zeroed. Options of the instance and
 * dynamic_events are asked for at the first call and kept (d->special).
 */
bool tsh_special_find(struct tsh_decoder *d, const struct tsh_event_format *format,
		      struct tsh_special *ret);
void tsh_special_release(struct tsh_special *special);
/* Forgets what was asked for: with the formats, and when the decoder ends. */
void tsh_special_forget(struct tsh_decoder *d);

/*
 * The text of a format file, malloc'd, as it would be if this id had one (its system is
 * "ftrace"), which tsh_special_find then knows: TRACE_BLK (kernel/trace/trace.h, enum
 * trace_type; kernel/trace/blktrace.c). NULL: nobody knows the id.
 */
char *tsh_special_format(struct tsh_decoder *d, unsigned int id);

/*
 * What stands before the colon of an event that does not name itself: format->label, but
 * of ftrace:print the function that wrote it (trace_output.c, trace_print_print).
 */
void tsh_special_label(struct tsh_decoder *d, const struct tsh_event_format *format,
		       const struct tsh_record *rec, struct tsh_strbuf *out);

#endif
