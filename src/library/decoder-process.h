/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_LIBRARY_DECODER_PROCESS_H
#define TRACESH_LIBRARY_DECODER_PROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * Runs libtraceevent and its plugins in a process without privileges: foreign code that reads
 * foreign data.
 *
 * A question is a head and `len` bytes. With number 0, the bytes are a format ("SYSTEM\0TEXT\0");
 * otherwise they are a record of the event with that number.
 *
 * An answer is a head and bytes, too. The answer to a format has the new number of the event, and
 * the name of the printer. The answer to a record has number 1, and the text. Number 0 means that
 * the process cannot print it.
 *
 * Before an answer, the process may send a head with DECODER_SYMBOL, to ask for the function at the
 * address `stamp`. It gets the function's own address in `stamp`, and "NAME\0MODULE\0"; or no bytes
 * when the function is unknown.
 */
struct decoder_head {
	uint32_t number;
	uint32_t len;		/* of the bytes that follow */
	uint16_t id;		/* id of a format */
	uint16_t is_doubtful;	/* the text needs a plugin that does not use the print format */
	int32_t cpu;
	uint64_t stamp;		/* stamp of a record, or address of a symbol */
};

#define DECODER_SYMBOL UINT32_MAX

#define DECODER_BYTES_MAX (1u << 20)

/* Comes before all questions, followed by that many bytes of printk_formats. */
struct decoder_begin {
	uint32_t long_size;
	uint32_t strings;
	bool big_endian, all;
};

/* Waits for the beginning, and answers until the descriptor is closed; `parent` is the asking
 * process. Does not return. */
void decoder_serve(int fd, pid_t parent) __attribute__((noreturn));

#endif
