/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_EVENTS_SYMBOLS_PRINTK_FORMATS_H
#define TRACESH_EVENTS_SYMBOLS_PRINTK_FORMATS_H

#include "directive.h"
#include "provider.h"

/*
 * The texts at addresses that records carry in place of the text: formats of
 * trace_printk(), and the strings of tracepoint_string() (kernel/trace/trace_printk.c,
 * t_show). A decoder owns one: tsh_decoder_new() makes it, d->printk, tsh_decoder_forget()
 * calls printk_formats_forget(), tsh_decoder_free() frees it.
 */
struct printk_formats;

/* Reads nothing yet. provider->printk_formats may be NULL: nothing is found then. */
struct printk_formats *printk_formats_new(const struct tsh_provider *provider);
void printk_formats_free(struct printk_formats *formats);
/* Modules come and go: read anew at the next question. */
void printk_formats_forget(struct printk_formats *formats);
/*
 * The text at an address, its escapes resolved; NULL when the kernel lists none there.
 * Borrowed until the next call with `formats`. An unknown address has the list read anew,
 * ever more rarely.
 */
const char *printk_formats_find(struct printk_formats *formats, uint64_t address);

/* A literal and the directive behind it. */
struct printk_part {
	const char *literal;		/* borrowed from the text */
	size_t literal_len;
	struct directive directive;
};

struct printk_text {
	uint64_t address;
	char *text;			/* in printk_formats' memory */
	struct printk_part *parts;	/* made when first asked for */
	size_t nparts;
	bool has_small;			/* a number of less than 4 bytes is among them */
};

/* Finds how vbin_printf() stores numbers of less than 4 bytes: as an int since 6.15. */
enum printk_small { PRINTK_SMALL_UNKNOWN, PRINTK_SMALL_PACKED, PRINTK_SMALL_INT };

struct printk_formats {
	const struct tsh_provider *provider;
	char *memory;
	struct printk_text *texts;	/* by address */
	size_t ntexts;
	bool is_read;
	unsigned int misses;		/* since the last forgetting */
	enum printk_small small;
};

/* printk_formats_find() with the text's parts. */
const struct printk_text *printk_formats_parts(struct printk_formats *formats,
					       unsigned int long_size, uint64_t address);

#endif
