/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "number.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "strbuf.h"
#include "xmalloc.h"

#define WORDS (TSH_CPU_MAX / 64)
#define GROUPS (TSH_CPU_MAX / 32)	/* 32-bit groups of the kernel's mask text */

bool tsh_cpuset_has(const struct tsh_cpuset *set, unsigned int cpu)
{
	return set->bits && cpu < TSH_CPU_MAX && (set->bits[cpu / 64] >> cpu % 64 & 1);
}

static void need_bits(struct tsh_cpuset *set)
{
	if (!set->bits)
		set->bits = tsh_xcalloc(WORDS, sizeof(*set->bits));
}

void tsh_cpuset_add(struct tsh_cpuset *set, unsigned int cpu)
{
	if (cpu >= TSH_CPU_MAX)
		return;
	need_bits(set);
	set->bits[cpu / 64] |= UINT64_C(1) << cpu % 64;
}

size_t tsh_cpuset_count(const struct tsh_cpuset *set)
{
	size_t count = 0;
	size_t i;

	for (i = 0; set->bits && i < WORDS; i++)
		count += (size_t)__builtin_popcountll(set->bits[i]);
	return count;
}

void tsh_cpuset_release(struct tsh_cpuset *set)
{
	free(set->bits);
	set->bits = NULL;
}

static void replace(struct tsh_cpuset *set, struct tsh_cpuset *with)
{
	tsh_cpuset_release(set);
	*set = *with;
}

/*
 * Reads one CPU number and moves *text behind it. A number that is too large becomes TSH_CPU_MAX,
 * so that the caller can first check the form of the whole text.
 */
static int scan_cpu(const char **text, unsigned int *ret)
{
	const char *p = *text;
	unsigned int cpu = 0;

	for (; *p >= '0' && *p <= '9'; p++) {
		cpu = cpu * 10 + (unsigned int)(*p - '0');
		if (cpu > TSH_CPU_MAX)
			cpu = TSH_CPU_MAX;
	}
	if (p == *text)
		return -EINVAL;
	*text = p;
	*ret = cpu;
	return 0;
}

/* Adds "0-3,7" to the set. */
static int add_list(struct tsh_cpuset *set, const char *text)
{
	bool too_large = false;

	for (;;) {
		unsigned int first, last;

		if (scan_cpu(&text, &first))
			return -EINVAL;
		last = first;
		if (*text == '-') {
			text++;
			if (scan_cpu(&text, &last) || last < first)
				return -EINVAL;
		}
		too_large |= last >= TSH_CPU_MAX;
		for (; first <= last && first < TSH_CPU_MAX; first++)
			tsh_cpuset_add(set, first);
		if (!*text)
			return too_large ? -ERANGE : 0;
		if (*text++ != ',')
			return -EINVAL;
	}
}

int tsh_parse_cpus(const char *text, struct tsh_cpuset *ret)
{
	struct tsh_cpuset set = { 0 };
	int r = 0;

	if (!strcmp(text, "all")) {
		need_bits(&set);
		memset(set.bits, 0xff, WORDS * sizeof(*set.bits));
	} else {
		r = add_list(&set, text);
	}
	if (r)
		tsh_cpuset_release(&set);
	else
		replace(ret, &set);
	return r;
}

static uint32_t get_group(const struct tsh_cpuset *set, size_t group)
{
	return (uint32_t)(set->bits[group / 2] >> group % 2 * 32);
}

void tsh_cpuset_format_mask(const struct tsh_cpuset *set, struct tsh_strbuf *out)
{
	size_t group = GROUPS - 1;

	if (!set->bits) {
		tsh_strbuf_addc(out, '0');
		return;
	}
	while (group && !get_group(set, group))
		group--;
	tsh_strbuf_addf(out, "%x", (unsigned int)get_group(set, group));
	while (group--)
		tsh_strbuf_addf(out, ",%08x", (unsigned int)get_group(set, group));
}

/* Reads one group of at most eight hexadecimal digits and moves *text behind it. */
static int scan_group(const char **text, uint32_t *ret)
{
	static const char digits[] = "0123456789abcdefABCDEF";
	size_t n = strspn(*text, digits);
	uint32_t value = 0;
	size_t i;

	if (!n || n > 8)
		return -EINVAL;
	for (i = 0; i < n; i++) {
		size_t digit = (size_t)(strchr(digits, (*text)[i]) - digits);

		value = value << 4 | (uint32_t)(digit < 16 ? digit : digit - 6);
	}
	*text += n;
	*ret = value;
	return 0;
}

/* Adds the CPUs of a mask to the set; `group` is the number of commas in the mask. */
static int add_mask(struct tsh_cpuset *set, const char *text, size_t group)
{
	bool too_large = false;

	for (;; group--) {
		uint32_t bits;

		if (scan_group(&text, &bits))
			return -EINVAL;
		if (bits && group < GROUPS) {
			need_bits(set);
			set->bits[group / 2] |= (uint64_t)bits << group % 2 * 32;
		} else if (bits) {
			too_large = true;
		}
		if (!group)
			break;
		text++; /* skip the comma */
	}
	if (*text == '\n')
		text++;
	if (*text)
		return -EINVAL;
	return too_large ? -ERANGE : 0;
}

int tsh_cpuset_parse_mask(const char *text, struct tsh_cpuset *ret)
{
	struct tsh_cpuset set = { 0 };
	size_t commas = 0;
	const char *p;
	int r;

	for (p = text; *p; p++)
		commas += *p == ',';
	r = add_mask(&set, text, commas);
	if (r)
		tsh_cpuset_release(&set);
	else
		replace(ret, &set);
	return r;
}

void tsh_cpuset_format_list(const struct tsh_cpuset *set, struct tsh_strbuf *out)
{
	bool again = false;
	unsigned int cpu;

	for (cpu = 0; set->bits && cpu < TSH_CPU_MAX; cpu++) {
		unsigned int first = cpu;

		if (!tsh_cpuset_has(set, cpu))
			continue;
		while (tsh_cpuset_has(set, cpu + 1))
			cpu++;
		if (again)
			tsh_strbuf_addc(out, ',');
		again = true;
		tsh_strbuf_addu(out, first);
		if (cpu > first) {
			tsh_strbuf_addc(out, '-');
			tsh_strbuf_addu(out, cpu);
		}
	}
}
