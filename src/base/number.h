/* base/number.h - numbers, sizes, times and CPU lists as people type them */
/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_BASE_NUMBER_H
#define TRACESH_BASE_NUMBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct tsh_strbuf;

/*
 * Each parses the whole text or fails: 0, -EINVAL (not of the form) or -ERANGE.
 * On failure the result is untouched. No locale, no leading blanks.
 */
int tsh_parse_u64(const char *text, uint64_t *ret);	/* decimal or 0x.. */
int tsh_parse_s64(const char *text, int64_t *ret);	/* the same with a sign */
int tsh_parse_int(const char *text, int *ret);
/*
 * Reads what is written to a file of the kernel as that does (kstrtoul_from_user in lib/kstrtox.c): a plus, one newline
 * at the end, no more than the first 66 bytes (34 where a long has 32 bits). base: 10, as most files do; 0: also 0x.. and
 * 0.., octal.
 */
int tsh_parse_kernel(const char *text, unsigned int base, uint64_t *ret);
/*
 * The decimal digits that *text begins with; *text is then behind them. false: there are
 * none, or too many for it; *ret is then unchanged.
 */
bool tsh_take_u64(const char **text, uint64_t *ret);
/*
 * 4096, 64K, 1.5M, 2G: bytes; powers of 1024 up to E; also KB, KiB, and in small
 * letters. What a fraction has below one byte is cut off; bytes have no fraction.
 */
int tsh_parse_size(const char *text, uint64_t *ret_bytes);
/*
 * 10ns 5us 20ms 2s 1.5s .5s 3m 1h 1d, 2h30m 1m30.5s (each unit once, the larger first); a
 * bare number is seconds, a day 24 hours: nanoseconds, cut likewise.
 */
int tsh_parse_time(const char *text, uint64_t *ret_ns);
/* The same; of what is not of the form *ret_bad is the part that is to blame. */
int tsh_scan_time(const char *text, uint64_t *ret_ns, const char **ret_bad);

/* A set of CPUs below TSH_CPU_MAX. Zeroed memory is the empty set. */
#define TSH_CPU_MAX 8192
struct tsh_cpuset {
	uint64_t *bits;		/* NULL when empty; TSH_CPU_MAX bits otherwise */
};

/*
 * "0-3,7", "all" (every CPU below TSH_CPU_MAX). The set that was in ret is
 * released when the text is good, here and in tsh_cpuset_parse_mask.
 */
int tsh_parse_cpus(const char *text, struct tsh_cpuset *ret);
bool tsh_cpuset_has(const struct tsh_cpuset *set, unsigned int cpu);
/* A CPU that is not below TSH_CPU_MAX is ignored. */
void tsh_cpuset_add(struct tsh_cpuset *set, unsigned int cpu);
size_t tsh_cpuset_count(const struct tsh_cpuset *set);
/* The kernel's mask text: "f", "3,ffffffff" (32-bit groups, highest first). */
void tsh_cpuset_format_mask(const struct tsh_cpuset *set, struct tsh_strbuf *out);
/* Parses that text, which may end in the kernel's newline. */
int tsh_cpuset_parse_mask(const char *text, struct tsh_cpuset *ret);
/* "0-3,7" */
void tsh_cpuset_format_list(const struct tsh_cpuset *set, struct tsh_strbuf *out);
void tsh_cpuset_release(struct tsh_cpuset *set);

/* "1.4M", "12K", "900": for people. */
void tsh_format_size(uint64_t bytes, struct tsh_strbuf *out);
/* "1,234,567" */
void tsh_format_count(uint64_t count, struct tsh_strbuf *out);
/* "180 ns", "20 us", "1.5 ms", "2 s": three digits or all of the seconds. */
void tsh_format_ns(uint64_t ns, struct tsh_strbuf *out);
/* The same, of what may be long: "78 min 45 s", "5 h 54 min", "3 d 4 h"; cut. */
void tsh_format_span(uint64_t ns, struct tsh_strbuf *out);
/* Rounded up to the three digits that tsh_format_ns prints: for bounds. */
uint64_t tsh_round_bound(uint64_t ns);
/* "+-180ns", "+-1.24us": rounded like that, and no blank in it. */
void tsh_format_bound(uint64_t ns, struct tsh_strbuf *out);

/* ---- sums that stay where they are ---- */

/* a + b and a - b, or the end of the int64 where they would leave it. */
static inline int64_t tsh_saturating_add(int64_t a, uint64_t b)
{
	/* what is left up to INT64_MAX is at most 2^64 - 1 */
	uint64_t room = (uint64_t)INT64_MAX - (uint64_t)a;

	return b > room ? INT64_MAX : (int64_t)((uint64_t)a + b);
}

static inline int64_t tsh_saturating_sub(int64_t a, uint64_t b)
{
	uint64_t room = (uint64_t)a - (uint64_t)INT64_MIN;

	return b > room ? INT64_MIN : (int64_t)((uint64_t)a - b);
}

/* The same of what cannot be negative. */
static inline uint64_t tsh_saturating_sum(uint64_t a, uint64_t b)
{
	return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

/* Appends a time as tsh_format_ns has it, without blanks: "1.5ms". */
void tsh_append_ns(uint64_t ns, struct tsh_strbuf *to);

/* The CRC-32 of zlib and of Ethernet (polynomial 0xedb88320, reflected). */
uint32_t tsh_crc32(const void *data, size_t len);

#endif
