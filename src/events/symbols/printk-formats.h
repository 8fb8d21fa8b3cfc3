/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_EVENTS_SYMBOLS_PRINTK_FORMATS_H
#define TRACESH_EVENTS_SYMBOLS_PRINTK_FORMATS_H

#include "directive.h"
#include "provider.h"

/* Knows the texts of which records have only the address: formats of trace_printk(), and strings of
 * tracepoint_string() (kernel/trace/trace_printk.c, t_show). A decoder owns it as d->printk. */
struct printk_formats;

/* Makes an empty table; the first printk_formats_find reads the list. provider->printk_formats may
 * be NULL: then no text is found. */
struct printk_formats *printk_formats_new(const struct tsh_provider *provider);
void printk_formats_free(struct printk_formats *formats);
/* Drops all texts, because modules come and go. The next call that needs the list reads
 * it again. */
void printk_formats_forget(struct printk_formats *formats);
/*
 * Returns the text at an address without its escapes, borrowed until the next call; NULL: the
 * kernel lists none there. Reads the list again at the 1st, 2nd, 4th, 8th .. address that it does
 * not have.
 */
const char *printk_formats_find(struct printk_formats *formats, uint64_t address);

/* Holds a literal text and the directive behind it. */
struct printk_part {
	const char *literal;		/* borrowed from the text */
	size_t literal_len;
	struct directive directive;
};

struct printk_text {
	uint64_t address;
	char *text;			/* owned by printk_formats */
	struct printk_part *parts;	/* NULL until printk_formats_parts is called */
	size_t nparts;
	bool has_small;			/* one of the numbers has less than 4 bytes */
};

/* Says how vbin_printf() stores numbers of less than 4 bytes: as an int since 6.15. */
enum printk_small { PRINTK_SMALL_UNKNOWN, PRINTK_SMALL_PACKED, PRINTK_SMALL_INT };

struct printk_formats {
	const struct tsh_provider *provider;
	char *memory;
	struct printk_text *texts;	/* sorted by address */
	size_t ntexts;
	bool is_read;
	unsigned int misses;		/* since the last call of printk_formats_forget */
	enum printk_small small;
};

/* Returns the text at an address with its parts, as printk_formats_find. long_size: bytes of the
 * kernel's long. */
const struct printk_text *printk_formats_parts(struct printk_formats *formats,
					       unsigned int long_size, uint64_t address);

#endif
