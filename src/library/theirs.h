/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_LIBRARY_THEIRS_H
#define TRACESH_LIBRARY_THEIRS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tracesh/decode.h"
#include "tracesh/page.h"

/*
 * What libtraceevent and its plugins do, in a process of its own without privileges: others' code reads what others
 * have written. A question is a head and its bytes: with number 0 a format ("SYSTEM\0TEXT\0"), else a record of
 * the event that has that number. So is an answer: the number and who prints it, or 1 and the text; number 0: no.
 */
struct theirs_head {
	uint32_t number;
	uint32_t len;		/* of the bytes behind it */
	uint32_t id;		/* of a format */
	int32_t cpu;
	uint64_t stamp;
};

#define THEIRS_MAX (1u << 20)

/* Answers until nobody asks any more. Does not return. */
void theirs_serve(int fd, const struct tsh_page_layout *layout, bool all) __attribute__((noreturn));

#endif
