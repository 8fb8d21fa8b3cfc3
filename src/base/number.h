/* base/number.h - numbers, sizes, times and CPU lists as people type them */
/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_BASE_NUMBER_H
#define TRACESH_BASE_NUMBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct tsh_strbuf;

/*
 * Each of these parses the whole text, without regard to the locale, and accepts no leading blanks.
 * Returns 0; or -EINVAL (wrong form) or -ERANGE, and then does not change *ret.
 */
int tsh_parse_u64(const char *text, uint64_t *ret);	/* decimal or 0x.. */
int tsh_parse_s64(const char *text, int64_t *ret);	/* the same with a sign */
int tsh_parse_int(const char *text, int *ret);
/*
 * Reads a number as the kernel reads what is written to its files (kstrtoul_from_user in
 * lib/kstrtox.c): with a plus, one newline at the end, at most 66 bytes (34 where a long has 32
 * bits). base: 10, as most files have it; 0: also 0x.. and octal 0...
 */
int tsh_parse_kernel(const char *text, unsigned int base, uint64_t *ret);
/*
 * Reads the decimal digits at *text and moves *text behind them. Returns false, and does not change
 * *ret, when there are none or the number exceeds 64 bits.
 */
bool tsh_parse_u64_prefix(const char **text, uint64_t *ret);
/*
 * Parses a size in bytes: 4096, 64K, 1.5M, 2G, also KB, KiB and small letters; powers of 1024 up to
 * E. A fraction is rounded down to a whole byte; a size without a unit has no fraction.
 */
int tsh_parse_size(const char *text, uint64_t *ret_bytes);
/*
 * Parses a time to ns: 10ns 5us 20ms 2s 1.5s .5s 3m 1h 1d, 2h30m 1m30.5s (each unit once, larger
 * ones first). A number without a unit is seconds, a day has 24 hours. Rounds down to a whole ns.
 */
int tsh_parse_time(const char *text, uint64_t *ret_ns);
/* Does the same; when the form is wrong, *ret_bad points to the part that is to blame. */
int tsh_scan_time(const char *text, uint64_t *ret_ns, const char **ret_bad);

/* Holds a set of CPUs below TSH_CPU_MAX. Zeroed memory is the empty set. */
#define TSH_CPU_MAX 8192
struct tsh_cpuset {
	uint64_t *bits;		/* NULL when empty; TSH_CPU_MAX bits otherwise */
};

/*
 * Parses "0-3,7" or "all" (every CPU below TSH_CPU_MAX). When the text is good, releases the set
 * that was in ret; so does tsh_cpuset_parse_mask.
 */
int tsh_parse_cpus(const char *text, struct tsh_cpuset *ret);
bool tsh_cpuset_has(const struct tsh_cpuset *set, unsigned int cpu);
/* Adds a CPU; ignores one that is not below TSH_CPU_MAX. */
void tsh_cpuset_add(struct tsh_cpuset *set, unsigned int cpu);
size_t tsh_cpuset_count(const struct tsh_cpuset *set);
/* Appends the kernel's mask text: "f", "3,ffffffff" (32-bit groups, highest first). */
void tsh_cpuset_format_mask(const struct tsh_cpuset *set, struct tsh_strbuf *out);
/* Parses the kernel's mask text, which may end in a newline. */
int tsh_cpuset_parse_mask(const char *text, struct tsh_cpuset *ret);
/* Appends a list: "0-3,7". */
void tsh_cpuset_format_list(const struct tsh_cpuset *set, struct tsh_strbuf *out);
void tsh_cpuset_release(struct tsh_cpuset *set);

/* Appends a size for people: "1.4M", "12K", "900". */
void tsh_format_size(uint64_t bytes, struct tsh_strbuf *out);
/* Appends a count: "1,234,567". */
void tsh_format_count(uint64_t count, struct tsh_strbuf *out);
/* Appends a time, "180 ns", "20 us", "1.5 ms", "2 s": three digits, or all whole seconds. */
void tsh_format_ns(uint64_t ns, struct tsh_strbuf *out);
/* Appends a time that may be long, "78 min 45 s", "5 h 54 min", "3 d 4 h", rounded down. */
void tsh_format_span(uint64_t ns, struct tsh_strbuf *out);
/* Rounds a bound up to the three digits that tsh_format_ns prints. */
uint64_t tsh_round_bound(uint64_t ns);
/* Appends a bound without a blank, "+-180ns", "+-1.24us", rounded up by tsh_round_bound. */
void tsh_format_bound(uint64_t ns, struct tsh_strbuf *out);

/* ---- sums that cannot overflow ---- */

/* Adds or subtracts, and stays within the range of int64. */
static inline int64_t tsh_saturating_add(int64_t a, uint64_t b)
{
	/* fits: INT64_MAX - INT64_MIN is 2^64 - 1 */
	uint64_t room = (uint64_t)INT64_MAX - (uint64_t)a;

	return b > room ? INT64_MAX : (int64_t)((uint64_t)a + b);
}

static inline int64_t tsh_saturating_sub(int64_t a, uint64_t b)
{
	uint64_t room = (uint64_t)a - (uint64_t)INT64_MIN;

	return b > room ? INT64_MIN : (int64_t)((uint64_t)a - b);
}

/* Adds two numbers that cannot be negative, and stays within the range of uint64. */
static inline uint64_t tsh_saturating_sum(uint64_t a, uint64_t b)
{
	return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

/* Appends a time as tsh_format_ns does, but without blanks: "1.5ms". */
void tsh_append_ns(uint64_t ns, struct tsh_strbuf *to);

/* Returns the CRC-32 of zlib and of Ethernet (polynomial 0xedb88320, reflected). */
uint32_t tsh_crc32(const void *data, size_t len);

#endif
