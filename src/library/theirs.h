/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_LIBRARY_THEIRS_H
#define TRACESH_LIBRARY_THEIRS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * What libtraceevent and its plugins do, in a process of its own without privileges: others' code reads what others
 * have written. A question is a head and its bytes: with number 0 a format ("SYSTEM\0TEXT\0"), else a record of
 * the event that has that number. So is an answer: the number and who prints it, or 1 and the text; number 0: no.
 * Before an answer it may ask back, with THEIRS_SYMBOL, for the function at the address `stamp`: "NAME\0MODULE\0" and the
 * function's own address come back, or nothing.
 */
struct theirs_head {
	uint32_t number;
	uint32_t len;		/* of the bytes behind it */
	uint16_t id;		/* of a format */
	uint16_t is_doubtful;	/* only a plugin that does without the print format may have it */
	int32_t cpu;
	uint64_t stamp;		/* of a record; of a symbol the address */
};

#define THEIRS_SYMBOL UINT32_MAX

#define THEIRS_MAX (1u << 20)

/* Comes before all questions, with that many bytes of printk_formats behind it. */
struct theirs_begin {
	uint32_t long_size;
	uint32_t strings;
	bool big_endian, all;
};

/* Waits to be told what to begin with, and answers until nobody asks any more; `parent` is who asks. Does not return. */
void theirs_serve(int fd, pid_t parent) __attribute__((noreturn));

#endif
