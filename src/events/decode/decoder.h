/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_EVENTS_DECODE_DECODER_H
#define TRACESH_EVENTS_DECODE_DECODER_H

#include "base/vec.h"
#include "decode.h"
#include "events/printfmt/program.h"

struct printk_formats;
struct tsh_names;
struct tsh_slot;
struct tsh_special_options;

/* Where a number of struct trace_entry is. */
struct tsh_common_field {
	uint32_t offset;
	uint32_t size;
};

struct tsh_decoder {
	const struct tsh_provider *provider;
	struct tsh_page_layout layout;
	struct tsh_slot **slots;	/* by id */
	size_t nslots;
	TSH_VEC(struct tsh_slot *) retired;	/* their ids are other events' now */
	unsigned int age;		/* counts tsh_decoder_renew */
	struct tsh_common_field id, flags, preempt, pid;
	uint32_t common_end;		/* of the farthest of them */
	uint64_t not_blk;		/* a bit for each id that is not the tracer blk's */
	/* Depths that real-time kernels count in fields of their own; size 0: it has no such field. */
	struct tsh_common_field lazy_depth, migrate_depth;
	struct tsh_flag_bits {
		bool known;
		unsigned char lazy, preempt;	/* NEED_RESCHED_LAZY, PREEMPT_RESCHED; 0: none */
		unsigned char no_irqs;		/* IRQS_NOSUPPORT */
	} bits;				/* see flags.c */
	bool has_common;		/* a format was seen */
	bool common_is_usual;		/* all are where struct trace_entry has them */
	struct tsh_names *names;
	bool forks_tell;		/* tsh_decoder_trust_forks */
	bool (*is_whole)(void *ctx, int pid);	/* tsh_decoder_set_whole; or NULL */
	void *whole_ctx;
	uint64_t losses;		/* tsh_decoder_lose */
	struct tsh_symbols *symbols;	/* also env.pointer.symbols */
	struct program_env env;		/* what programs and specials print with */
	struct tsh_printer printer;	/* ctx NULL: none */
	struct tsh_special_options *special;	/* special-internal.h; NULL: not asked for yet */
	struct printk_formats *printk;	/* special-bprint.h */
};

/* Whether the event can go and its id become another one's. Modules are not unloaded so often. */
bool format_may_go(const struct tsh_event_format *format);
/* Whether the printer is to be asked for it. */
bool printer_is_for(const struct tsh_decoder *d, const struct tsh_event_format *format);
/*
 * Gives a format file with the enumerators of BTF as numbers in its print format; the caller frees it. *ret_doubtful:
 * libtraceevent's parser may take its operators for others: it goes from right to left, and knows no sign.
 */
char *printer_text(const struct tsh_decoder *d, const char *text, bool *ret_doubtful);
/* Appends a value of a field as it stands. */
void tsh_decoder_add_value(const struct tsh_decoder *d, const struct tsh_field *field,
			   const struct tsh_field_value *value, struct tsh_strbuf *out);
/* All fields but the common ones, as "name=value name=value". */
void tsh_decoder_print_fields(const struct tsh_decoder *d, const struct tsh_event_format *format,
			      const struct tsh_record *rec, struct tsh_strbuf *out);

#endif
