/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Random filters in the kernel's grammar, with values that events had. */
#ifndef FILTER_RANDOM_H
#define FILTER_RANDOM_H

#include "events/decode/decode.h"

struct filter_random {
	uint64_t state;			/* not 0 */
	struct tsh_decoder *decoder;	/* of the samples; borrowed */
};

/* Some records of an event, at least one. */
struct filter_samples {
	const struct tsh_event_format *format;
	struct tsh_record records[16];
	size_t n;
};

/* A number below n. */
unsigned int filter_random_pick(struct filter_random *r, size_t n);
/* Appends an expression with parentheses at most so deep. */
void filter_random_expression(struct filter_random *r, const struct filter_samples *event,
			      unsigned int depth, struct tsh_strbuf *out);

#endif
