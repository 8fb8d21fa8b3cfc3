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

/* Holds the place of a common field in a record. */
struct tsh_common_field {
	uint32_t offset;
	uint32_t size;
};

#define TSH_KNOWN_FLAGS 16

struct tsh_decoder {
	const struct tsh_provider *provider;
	struct tsh_page_layout layout;
	struct tsh_slot **slots;	/* by id */
	size_t nslots;
	/* a bit for each id whose event is known to rename and start no task */
	uint64_t nameless[1024];
	/* old slots, whose ids now belong to other events */
	TSH_VEC(struct tsh_slot *) retired;
	unsigned int age;		/* counts calls of tsh_decoder_renew */
	struct tsh_common_field id, flags, preempt, pid;
	uint32_t common_end;		/* end of the last common field */
	/* a bit for each id that is known not to be the tracer blk's */
	uint64_t not_blk;
	/* Depths that real-time kernels have in fields of their own; size 0: there is no such
	 * field. */
	struct tsh_common_field lazy_depth, migrate_depth;
	struct tsh_flag_bits {
		bool known;
		/* NEED_RESCHED_LAZY, PREEMPT_RESCHED; 0: the kernel has no such bit */
		unsigned char lazy, preempt;
		unsigned char no_irqs;		/* IRQS_NOSUPPORT */
	} bits;				/* see flags.c */
	/* letters of flags and depths that came before; key 0: none */
	struct tsh_known_flags {
		uint64_t key;
		char letters[TSH_FLAGS_ROOM];
	} known_flags[TSH_KNOWN_FLAGS];
	bool has_common;		/* a format was read */
	bool common_is_usual;		/* all fields are where struct trace_entry has them */
	struct tsh_names *names;
	bool trusts_forks;		/* set by tsh_decoder_trust_forks */
	bool (*is_whole)(void *ctx, int pid);	/* set by tsh_decoder_set_whole; or NULL */
	void *whole_ctx;
	uint64_t losses;		/* counts calls of tsh_decoder_note_loss */
	struct tsh_symbols *symbols;	/* equals env.pointer.symbols */
	struct program_env env;		/* for programs and special-* */
	struct tsh_printer printer;	/* ctx NULL: there is none */
	struct tsh_special_options *special;	/* special-internal.h; NULL: not needed yet */
	struct printk_formats *printk;	/* special-bprint.h */
};

/* Says whether the event can be removed, so that its id is reused. Events of modules do not count:
 * they are seldom unloaded. */
bool format_is_removable(const struct tsh_event_format *format);
/* Says whether d->printer is used for this event. */
bool printer_is_for(const struct tsh_decoder *d, const struct tsh_event_format *format);
/*
 * Returns a format file in whose print format BTF's enumerators are numbers; the caller frees it.
 * *ret_doubtful: libtraceevent may parse it wrongly, because it associates operators from right to
 * left, and knows no sign.
 */
char *printer_text(const struct tsh_decoder *d, const char *text, bool *ret_doubtful);
/* Appends the plain value of a field. */
void tsh_decoder_add_value(const struct tsh_decoder *d, const struct tsh_field *field,
			   const struct tsh_field_value *value, struct tsh_strbuf *out);
/* Appends all fields but the common ones, as "name=value name=value". */
void tsh_decoder_print_fields(const struct tsh_decoder *d, const struct tsh_event_format *format,
			      const struct tsh_record *rec, struct tsh_strbuf *out);

#endif
