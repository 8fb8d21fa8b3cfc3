/* tracesh/number.h - numbers, sizes, times and CPU lists as people type them (src/base) */
/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_NUMBER_H
#define TRACESH_NUMBER_H

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
 * 4096, 64K, 1.5M, 2G: bytes; powers of 1024 up to E; also KB, KiB, and in small
 * letters. What a fraction has below one byte is cut off; bytes have no fraction.
 */
int tsh_parse_size(const char *text, uint64_t *ret_bytes);
/* 10ns 5us 20ms 2s 1.5s .5s 3m 1h, a bare number is seconds: nanoseconds, cut likewise. */
int tsh_parse_time(const char *text, uint64_t *ret_ns);

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

#endif
