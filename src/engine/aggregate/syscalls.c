/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "internal.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/now.h"
#include "base/syscalls.h"

/*
 * Names system calls for FIELD.syscall. 32-bit programs on a 64-bit kernel have numbers of their
 * own, and no event says which table a number is of. A call with more than 32 bits in an argument
 * is of a 64-bit program; for others the program of the task is looked up, if the task still
 * exists.
 */

enum { OF_KERNEL, OF_32, OF_NOBODY };	/* the table that a number is of; NOBODY: not known */
#define WHOSE_SHIFT 40
/* Limits how long a task is taken to run the same program, unless it calls execve. */
#define BELIEF_NS 1000000
#define TASKS 1024			/* indexed by the low bits of the pid */
#define NUMBERS 512			/* execve and execveat have lower numbers in all tables */
#if defined(__x86_64__)
#define X32_BIT UINT64_C(0x40000000)
#else
#define X32_BIT UINT64_C(0)
#endif

struct by_syscall_tasks {
	struct {
		int pid;
		unsigned int bits;	/* 32 or 64, of its program; 0: not known */
		bool is_proven;		/* by a wide argument or result */
		int64_t until;		/* when to look it up again, CLOCK_MONOTONIC */
	} tasks[TASKS];
	const struct tsh_event_format *format;	/* of the last event, with its fields */
	const struct tsh_field *args, *ret;
	/* by number: 32 and 64, ORed, for each table in which the number is execve or execveat */
	unsigned char execs[NUMBERS];
	bool sees_exec;			/* an execve was among the events */
	uint64_t unknown;		/* events whose table is not known */
};

void by_syscall_tasks_free(struct by_syscall_tasks *calls)
{
	free(calls);
}

uint64_t by_count_unknown_syscalls(const struct by_syscall_tasks *calls)
{
	return calls ? calls->unknown : 0;
}

static bool is_wide(int64_t number)
{
	return number < INT32_MIN || number > UINT32_MAX;
}

/* Says whether an argument or the result has more than 32 bits. */
static bool has_wide(struct tsh_by *by, const struct tsh_record *rec, unsigned int id)
{
	const struct tsh_event_format *format = tsh_decoder_format(by->decoder, id);
	struct by_syscall_tasks *calls = by->tasks;
	struct tsh_field_value value, one;
	size_t i;

	if (calls->format != format) {
		calls->format = format;
		calls->args = format ? tsh_event_format_field(format, "args") : NULL;
		calls->ret = format ? tsh_event_format_field(format, "ret") : NULL;
	}
	if (calls->ret) {
		tsh_decoder_value(by->decoder, calls->ret, rec, &value);
		return value.kind == TSH_VALUE_SIGNED && is_wide(value.s);
	}
	if (!calls->args)
		return false;
	tsh_decoder_value(by->decoder, calls->args, rec, &value);
	for (i = 0; tsh_decoder_element(by->decoder, calls->args, &value, i, &one); i++)
		/* negative numbers too: 32-bit arguments are not sign-extended */
		if (one.u > UINT32_MAX)
			return true;
	return false;
}

/* Finds the numbers of the calls that replace a task's program. */
static void find_execs(struct by_syscall_tasks *calls)
{
	unsigned int bits, number;
	const char *name;
	size_t len;

	for (number = 0; number < NUMBERS; number++)
		for (bits = 32; bits <= 64; bits += 32) {
			name = tsh_syscall_name(bits, number, &len);
			if (name && ((len == 6 && !strncmp(name, "execve", len)) ||
				     (len == 8 && !strncmp(name, "execveat", len))))
				calls->execs[number] |= (unsigned char)bits;
		}
}

/*
 * Says whether an execve has ended in a 64-bit program: x86 ends it with the number of execve in
 * the table of the new program (__set_personality_ia32).
 */
static bool is_native_exec(const struct tsh_by *by, const struct tsh_record *rec, uint64_t number)
{
	struct tsh_field_value ret = { 0 };

#if defined(__x86_64__)
	if (by->tasks->ret && by->tasks->execs[number] & 64)
		tsh_decoder_value(by->decoder, by->tasks->ret, rec, &ret);
	return ret.kind == TSH_VALUE_SIGNED && by->tasks->ret && by->tasks->execs[number] & 64 && !ret.s;
#else
	(void)by, (void)rec, (void)number, (void)ret;
	return false;
#endif
}

static unsigned int bits_of(struct tsh_by *by, const struct tsh_record *rec, unsigned int id, uint64_t number)
{
	struct by_syscall_tasks *calls = by->tasks;
	struct tsh_common common;
	bool wide = has_wide(by, rec, id);
	unsigned int i, now;
	int64_t ns;

	if (!tsh_decoder_common(by->decoder, rec, &common) || common.pid <= 0)
		return 64;
	i = (unsigned int)common.pid % TASKS;
	if (calls->tasks[i].pid != common.pid) {
		memset(&calls->tasks[i], 0, sizeof(calls->tasks[i]));
		calls->tasks[i].pid = common.pid;
	}
	ns = wide || (calls->tasks[i].is_proven && calls->sees_exec) ? 0 : tsh_now_ns(CLOCK_MONOTONIC);
	if (wide) {
		calls->tasks[i].bits = 64;
		calls->tasks[i].is_proven = true;
	} else if (ns && ns >= calls->tasks[i].until) {
		now = tsh_decoder_bits(by->decoder, common.pid);
		/* if the task has ended, use the last known bits */
		if (now) {
			calls->tasks[i].bits = now;
			calls->tasks[i].is_proven = false;
		}
		calls->tasks[i].until = ns + BELIEF_NS;
	}
	now = calls->tasks[i].bits;
	if (number < NUMBERS && calls->execs[number] & (calls->ret ? 32 | 64 : now ? now : 64)) {
		calls->sees_exec = true;
		memset(&calls->tasks[i], 0, sizeof(calls->tasks[i]));
		calls->tasks[i].pid = common.pid;
		calls->tasks[i].is_proven = is_native_exec(by, rec, number);
		calls->tasks[i].bits = calls->tasks[i].is_proven ? 64 : 0;
	}
	return now;
}

uint64_t by_syscall_part(struct tsh_by *by, const struct tsh_record *rec, unsigned int id, uint64_t number)
{
	unsigned int bits;

	/* -1 is no call, and numbers of x32 have a bit of their own */
	if (!by->has_syscalls || by->layout->long_size != 8 || number > UINT32_MAX || number & X32_BIT)
		return number;
	if (!by->tasks) {
		by->tasks = tsh_xcalloc(1, sizeof(*by->tasks));
		find_execs(by->tasks);
	}
	bits = bits_of(by, rec, id, number);
	by->tasks->unknown += !bits;
	return number | (uint64_t)(bits == 64 ? OF_KERNEL : bits ? OF_32 : OF_NOBODY) << WHOSE_SHIFT;
}

static void add_name(unsigned int bits, uint64_t number, struct tsh_strbuf *to)
{
	size_t len;
	const char *name = tsh_syscall_name(bits, number, &len);

	if (name)
		tsh_strbuf_add(to, name, len);
	else
		tsh_strbuf_addf(to, "%" PRIu64, number);
}

void by_add_syscall(const struct tsh_by *by, uint64_t part, struct tsh_strbuf *to)
{
	uint64_t number = part & ((UINT64_C(1) << WHOSE_SHIFT) - 1);
	unsigned int bits = 8 * by->layout->long_size;

	if (!by->has_syscalls || (int64_t)part < 0) {
		tsh_strbuf_addf(to, "%" PRId64, (int64_t)part);
		return;
	}
	switch (part >> WHOSE_SHIFT) {
	case OF_32:
		add_name(32, number, to);
		tsh_strbuf_adds(to, " (32-bit)");
		break;
	case OF_NOBODY:
		tsh_strbuf_addf(to, "?%" PRIu64 " (", number);
		add_name(bits, number, to);
		tsh_strbuf_adds(to, " or ");
		add_name(32, number, to);
		tsh_strbuf_addc(to, ')');
		break;
	default:
		add_name(bits, number & X32_BIT ? number & ~X32_BIT : number, to);
		tsh_strbuf_adds(to, number & X32_BIT ? " (x32)" : "");
	}
}
