/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "base/xmalloc.h"
#include "special-internal.h"

/*
 * Prints the blk tracer's events, which have no format file: kernel/trace/blktrace.c,
 * include/uapi/linux/blktrace_api.h. In a record, struct trace_entry takes the place of the first
 * two numbers of struct blk_io_trace (since 6.19 blk_io_trace2).
 */

/* enum blktrace_cat, as bits of .action >> 16 */
enum {
	CAT_WRITE = 1 << 1, CAT_FLUSH = 1 << 2, CAT_SYNC = 1 << 3, CAT_PC = 1 << 9,
	CAT_NOTIFY = 1 << 10, CAT_AHEAD = 1 << 11, CAT_META = 1 << 12, CAT_DISCARD = 1 << 13,
	CAT_FUA = 1 << 15, CAT_WRITE_ZEROES = 1 << 22,
};
#define CAT_SHIFT	16
#define ACT_CGROUP	(1U << 8)
#define NOTIFY_MESSAGE	((uint64_t)CAT_NOTIFY << CAT_SHIFT | 2)

typedef unsigned long long ull;

struct blk {
	const struct tsh_record *rec;
	uint64_t sector, action, cgroup;
	uint32_t bytes, pid, device;
	uint16_t error;
	bool has_cgroup;
	const unsigned char *data;	/* .pdu, without the cgroup */
	uint32_t len;
	int task;			/* from struct trace_entry */
};

/* ---- records ---- */

/* Holds the places of the numbers, which differ between the versions. */
struct layout {
	uint32_t action, action_size, pid, device, error, end;
};

static const struct layout old_layout = { 28, 4, 32, 36, 44, 48 };
static const struct layout new_layout = { 32, 8, 28, 40, 48, 64 };

static bool fits(const struct tsh_decoder *d, const struct layout *layout,
		 const struct tsh_record *rec)
{
	bool big = d->layout.big_endian;
	uint32_t end;

	if (rec->size < layout->end)
		return false;
	end = layout->end + load_u16(rec->data + layout->error + 2, big);
	/* The record has the task twice: in the common fields, and in the pid of the blk record. */
	return end <= rec->size && rec->size - end < 8 &&
	       load_u32(rec->data + layout->pid, big) ==
	       load_unsigned(rec->data + d->pid.offset, d->pid.size, big);
}

static bool parse(const struct tsh_decoder *d, const struct tsh_record *rec, struct blk *ret)
{
	const struct layout *layout;
	bool big = d->layout.big_endian;

	/* a format that was read for this record may say that the common fields end later */
	if (rec->size < d->common_end)
		return false;
	layout = fits(d, &new_layout, rec) ? &new_layout : &old_layout;
	if (rec->size < layout->end)
		return false;
	ret->rec = rec;
	ret->task = (int)load_unsigned(rec->data + d->pid.offset, d->pid.size, big);
	ret->sector = load_u64(rec->data + 16, big);
	ret->bytes = load_u32(rec->data + 24, big);
	ret->action = load_unsigned(rec->data + layout->action, layout->action_size, big);
	ret->device = load_u32(rec->data + layout->device, big);
	ret->error = load_u16(rec->data + layout->error, big);
	ret->len = load_u16(rec->data + layout->error + 2, big);
	ret->data = rec->data + layout->end;
	if (ret->len > rec->size - layout->end)
		ret->len = rec->size - layout->end;
	ret->has_cgroup = ret->action & ACT_CGROUP;
	if (ret->has_cgroup && ret->len >= 8) {
		ret->cgroup = load_u64(ret->data, big);
		ret->data += 8;
		ret->len -= 8;
	}
	return true;
}

/* Reads a big-endian number of the data; 0 when it is not there. */
static uint64_t data_number(const struct blk *blk, uint32_t offset, uint32_t size)
{
	return blk->len < offset + size ? 0 : load_unsigned(blk->data + offset, size, true);
}

static bool is_message(const struct blk *blk)
{
	return (blk->action & ~(uint64_t)ACT_CGROUP) == NOTIFY_MESSAGE;
}

/* ---- text ---- */

/* Writes the letters of fill_rwbs. */
static const char *flags_text(const struct blk *blk, char text[10])
{
	uint32_t cat = (uint32_t)(blk->action >> CAT_SHIFT);
	char *p = text;

	if (is_message(blk))
		return "N";
	if (cat & CAT_FLUSH)
		*p++ = 'F';
	if (cat & CAT_DISCARD) {
		*p++ = 'D';
	} else if (cat & CAT_WRITE_ZEROES) {
		*p++ = 'W';
		*p++ = 'Z';
	} else {
		*p++ = cat & CAT_WRITE ? 'W' : blk->bytes ? 'R' : 'N';
	}
	if (cat & CAT_FUA)
		*p++ = 'F';
	if (cat & CAT_AHEAD)
		*p++ = 'A';
	if (cat & CAT_SYNC)
		*p++ = 'S';
	if (cat & CAT_META)
		*p++ = 'M';
	*p = '\0';
	return text;
}

/* Adds the text that blk_log_action prints, or blk_log_action_classic with the option
 * blk_classic. */
static void add_action(struct tsh_decoder *d, const struct blk *blk, const char *act,
		       struct tsh_strbuf *out)
{
	char text[10];
	const char *flags = flags_text(blk, text);

	tsh_strbuf_addf(out, "%3u,%-3u ", blk->device >> 20, blk->device & 0xfffff);
	if (special_options(d)->blk_classic)
		tsh_strbuf_addf(out, "%2d %5u.%09u %5u ", blk->rec->cpu,
				(unsigned int)(blk->rec->stamp / 1000000000),
				(unsigned int)(blk->rec->stamp % 1000000000),
				(unsigned int)blk->task);
	else if (blk->has_cgroup)
		tsh_strbuf_addf(out, "%llx,%-llx ", (ull)(uint32_t)blk->cgroup,
				(ull)(blk->cgroup >> 32));
	tsh_strbuf_addf(out, "%2s %3s ", act, flags);
}

/* Adds the data as blk_log_dump_pdu does, without zeros at the end. */
static void add_dump(const struct blk *blk, struct tsh_strbuf *out)
{
	uint32_t i, end = blk->len;

	if (!blk->len)
		return;
	while (end && !blk->data[end - 1])
		end--;
	for (i = 0; i < blk->len; i++) {
		tsh_strbuf_addf(out, "%c%02x", i ? ' ' : '(', blk->data[i]);
		if (i == end && end != blk->len - 1) {
			tsh_strbuf_adds(out, " ..) ");
			return;
		}
	}
	tsh_strbuf_adds(out, ") ");
}

typedef void add_detail(struct tsh_decoder *d, const struct blk *blk, struct tsh_strbuf *out);

static void add_task(struct tsh_decoder *d, const struct blk *blk, struct tsh_strbuf *out)
{
	tsh_strbuf_addc(out, '[');
	tsh_strbuf_adds(out, tsh_decoder_comm(d, blk->task));
	tsh_strbuf_addc(out, ']');
}

static void add_generic(struct tsh_decoder *d, const struct blk *blk, struct tsh_strbuf *out)
{
	if (blk->action >> CAT_SHIFT & CAT_PC) {
		tsh_strbuf_addf(out, "%u ", blk->bytes);
		add_dump(blk, out);
	} else if (blk->bytes >> 9) {
		tsh_strbuf_addf(out, "%llu + %u ", (ull)blk->sector, blk->bytes >> 9);
	}
	add_task(d, blk, out);
}

static void add_with_error(struct tsh_decoder *d, const struct blk *blk, struct tsh_strbuf *out)
{
	(void)d;
	if (blk->action >> CAT_SHIFT & CAT_PC)
		add_dump(blk, out);
	else if (blk->bytes >> 9)
		tsh_strbuf_addf(out, "%llu + %u ", (ull)blk->sector, blk->bytes >> 9);
	else
		tsh_strbuf_addf(out, "%llu ", (ull)blk->sector);
	tsh_strbuf_addf(out, "[%d]", blk->error);
}

static void add_unplug(struct tsh_decoder *d, const struct blk *blk, struct tsh_strbuf *out)
{
	add_task(d, blk, out);
	tsh_strbuf_addf(out, " %llu", (ull)data_number(blk, 0, 8));
}

static void add_split(struct tsh_decoder *d, const struct blk *blk, struct tsh_strbuf *out)
{
	tsh_strbuf_addf(out, "%llu / %llu ", (ull)blk->sector, (ull)data_number(blk, 0, 8));
	add_task(d, blk, out);
}

/* struct blk_io_trace_remap */
static void add_remap(struct tsh_decoder *d, const struct blk *blk, struct tsh_strbuf *out)
{
	uint32_t from = (uint32_t)data_number(blk, 0, 4);

	(void)d;
	tsh_strbuf_addf(out, "%llu + %u <- (%u,%u) %llu", (ull)blk->sector, blk->bytes >> 9,
			from >> 20, from & 0xfffff, (ull)data_number(blk, 8, 8));
}

static void print_blk(struct tsh_decoder *d, const void *state,
		      const struct tsh_event_format *format, const struct tsh_record *rec,
		      struct tsh_strbuf *out)
{
	/* what2act, by enum blktrace_act */
	static const struct {
		const char *act, *long_act;
		add_detail *add;
	} acts[] = {
		{ NULL, NULL, NULL },
		{ "Q", "queue", add_generic },
		{ "M", "backmerge", add_generic },
		{ "F", "frontmerge", add_generic },
		{ "G", "getrq", add_generic },
		{ "S", "sleeprq", add_generic },
		{ "R", "requeue", add_with_error },
		{ "D", "issue", add_generic },
		{ "C", "complete", add_with_error },
		{ "P", "plug", add_task },
		{ "U", "unplug_io", add_unplug },
		{ "UT", "unplug_timer", add_unplug },
		{ "I", "insert", add_generic },
		{ "X", "split", add_split },
		{ "B", "bounce", add_generic },
		{ "A", "remap", add_remap },
	};
	bool is_long = special_options(d)->verbose;
	unsigned int act;
	struct blk blk;

	(void)state;
	(void)format;
	memset(&blk, 0, sizeof(blk));
	if (!parse(d, rec, &blk))
		return;
	act = (unsigned int)(blk.action & 0xffff & ~ACT_CGROUP);
	if (is_message(&blk)) {
		add_action(d, &blk, is_long ? "message" : "m", out);
		tsh_strbuf_add(out, blk.data, blk.len);
	} else if (!act || act >= sizeof(acts) / sizeof(acts[0])) {
		tsh_strbuf_addf(out, "Unknown action %x", act);
	} else {
		add_action(d, &blk, is_long ? acts[act].long_act : acts[act].act, out);
		acts[act].add(d, &blk, out);
	}
}

bool special_find_blk(struct tsh_decoder *d, const struct tsh_event_format *format,
		      struct tsh_special *ret)
{
	(void)d;
	(void)format;
	ret->print = print_blk;
	ret->label_in_text = true;
	return true;
}

/* ---- a format for what has none ---- */

/* Says whether an id belongs to the event ftrace:NAME. */
static bool is_own(struct tsh_decoder *d, unsigned int id, const char *name)
{
	char *system = NULL, *text = NULL;
	bool is = false;

	if (d->provider->format(d->provider->ctx, id, &system, &text) < 0)
		return false;
	if (!strcmp(system, "ftrace") && !strncmp(text, "name: ", 6)) {
		const char *p = text + 6;

		is = !strncmp(p, name, strlen(name)) && p[strlen(name)] == '\n';
	}
	free(system);
	free(text);
	return is;
}

#define FIELD(declaration, is_signed) \
	"\tfield:" declaration ";\toffset:%u;\tsize:%u;\tsigned:" #is_signed ";\n"

/* Limits the ids of events that are no tracepoints: __TRACE_LAST_TYPE is some 20. */
#define OWN_ID_MAX 63

/* Finds the id by its neighbours, which always surround TRACE_BLK in enum trace_type: new types are
 * added in the middle of the enum, so the number differs between kernels. */
char *tsh_special_format(struct tsh_decoder *d, unsigned int id)
{
	if (!id || id > OWN_ID_MAX || d->not_blk >> id & 1)
		return NULL;
	if (!is_own(d, id - 1, "user_stack") || !is_own(d, id + 1, "bputs")) {
		d->not_blk |= UINT64_C(1) << id;
		return NULL;
	}
	return tsh_xasprintf("name: blk\nID: %u\nformat:\n"
			     FIELD("unsigned short common_type", 0)
			     FIELD("unsigned char common_flags", 0)
			     FIELD("unsigned char common_preempt_count", 0)
			     FIELD("int common_pid", 1) "\nprint fmt: \"\"\n",
			     id, d->id.offset, d->id.size, d->flags.offset, d->flags.size,
			     d->preempt.offset, d->preempt.size, d->pid.offset, d->pid.size);
}
