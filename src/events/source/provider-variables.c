/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/machine.h"
#include "base/number.h"
#include "events/symbols/symbols.h"
#include "provider-internal.h"

/* Sets for how long jiffies is not read again. Meanwhile it is computed from
 * CLOCK_MONOTONIC_COARSE. */
#define JIFFIES_NS UINT64_C(1000000000)
#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

static const char page_base[] = "vmemmap_base", page_size[] = "sizeof(struct page)";

/* ---- values that were read before ---- */

static void store_variable(struct tsh_live_provider *p, const char *name, bool is_known, uint64_t value)
{
	struct tsh_known_variable *variable = tsh_vec_push(&p->variables);

	variable->name = tsh_xstrdup(name);
	variable->is_known = is_known;
	variable->value = value;
}

static const struct tsh_known_variable *kept(const struct tsh_live_provider *p, const char *name)
{
	size_t i;

	for (i = 0; i < p->variables.n; i++)
		if (!strcmp(p->variables.v[i].name, name))
			return &p->variables.v[i];
	return NULL;
}

void tsh_provider_variables_release(struct tsh_live_provider *p)
{
	size_t i;

	for (i = 0; i < p->variables.n; i++)
		free(p->variables.v[i].name);
	tsh_vec_release(&p->variables);
}

/* ---- the kernel's memory ---- */

/* Returns the address of a variable; 0: unknown. */
static uint64_t symbol_address(struct tsh_live_provider *p, const char *name)
{
	char *key = tsh_xasprintf("&%s", name);
	const struct tsh_known_variable *known = kept(p, key);
	struct tsh_symbols *symbols;
	uint64_t address = 0;

	if (!known) {
		symbols = tsh_symbols_new(&p->provider);
		if (!tsh_symbols_address(symbols, name, &address))
			address = 0;
		tsh_symbols_free(symbols);
		store_variable(p, key, true, address);
	} else {
		address = known->value;
	}
	free(key);
	return address;
}

static bool read_symbol(struct tsh_live_provider *p, const char *name, uint64_t *ret)
{
	uint64_t address;

	/* without kcore the address is of no use */
	if (!tsh_kcore_open(&p->kcore))
		return false;
	address = symbol_address(p, name);
	return address && tsh_kcore_long(&p->kcore, address, ret);
}

/* Says whether print formats use that variable of the kernel; functions have symbols too. */
static bool is_variable(const char *name)
{
	static const char *const names[] = {
		"kimage_voffset", "mem_map", "memstart_addr", "page_offset_base", "phys_base",
		"physvirt_offset", "vmalloc_base", page_base,
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(names); i++)
		if (!strcmp(names[i], name))
			return true;
	return false;
}

/* ---- time ---- */

static uint64_t coarse_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* Returns the period of the tick in ns, from the resolution of CLOCK_MONOTONIC_COARSE
 * (kernel/time/hrtimer.c, KTIME_LOW_RES); 0: unknown. */
static uint64_t tick_ns(void)
{
	struct timespec tick;

	if (clock_getres(CLOCK_MONOTONIC_COARSE, &tick) < 0 || tick.tv_sec || tick.tv_nsec <= 0)
		return 0;
	return (uint64_t)tick.tv_nsec;
}

static bool read_hz(uint64_t *ret)
{
	uint64_t tick = tick_ns();

	if (!tick)
		return false;
	*ret = (UINT64_C(1000000000) + tick / 2) / tick;
	return true;
}

/* Computes nr_cpu_ids: the highest present CPU plus 1. */
static bool count_cpus(const struct tsh_live_provider *p, uint64_t *ret)
{
	unsigned int *cpus = NULL;
	size_t n = tsh_cpus_present(tsh_provider_top(p), &cpus);

	*ret = n ? cpus[n - 1] + 1 : 0;
	free(cpus);
	return n > 0;
}

/* Says whether x86's page of vsyscalls counts as an address of the kernel: only when tasks have it
 * mapped. */
static bool read_vsyscall(uint64_t *ret)
{
	FILE *f = fopen("/proc/self/maps", "re");
	char line[512];

	*ret = 0;
	while (f && fgets(line, sizeof(line), f))
		if (strstr(line, "[vsyscall]"))
			*ret = 1;
	if (f)
		(void)fclose(f);
	return f != NULL;
}

/* Reads "jiffies: 4295344444" of /proc/timer_list (kernel/time/timer_list.c). */
static bool read_timer_list(uint64_t *ret)
{
	FILE *f = fopen("/proc/timer_list", "re");
	static const char key[] = "jiffies: ";
	bool found = false;
	char line[256];

	if (!f)
		return false;
	while (!found && fgets(line, sizeof(line), f))
		if (!strncmp(line, key, strlen(key))) {
			const char *p = line + strlen(key);

			found = tsh_parse_u64_prefix(&p, ret);
		}
	fclose(f);
	return found;
}

static bool read_jiffies(struct tsh_live_provider *p, uint64_t *ret)
{
	uint64_t now = coarse_ns(), tick = tick_ns();

	if (!p->jiffies_at || !tick || now - p->jiffies_at >= JIFFIES_NS) {
		if (!read_symbol(p, "jiffies", &p->jiffies) && !read_timer_list(&p->jiffies))
			return false;
		p->jiffies_at = coarse_ns();
		now = p->jiffies_at;
	}
	*ret = p->jiffies + (tick ? (now - p->jiffies_at) / tick : 0);
	return true;
}

/* ---- the callback ---- */

/* Computes KERNEL_VERSION of include/generated/uapi/linux/version.h. */
static bool read_version(uint64_t *ret)
{
	*ret = tsh_kernel_version();
	return *ret != 0;
}

/* Measures vmemmap_base and sizeof(struct page) together, stores both, and returns the one that is
 * asked for. */
static bool ask_pages(struct tsh_live_provider *p, const char *name, uint64_t *ret)
{
	uint64_t base = 0, size = 0;
	bool is_known = tsh_pages_measure(p, &base, &size);

	if (!kept(p, page_base))
		store_variable(p, page_base, is_known, base);
	if (!kept(p, page_size))
		store_variable(p, page_size, is_known, size);
	*ret = name == page_base ? base : size;
	return is_known;
}

static bool find_out(struct tsh_live_provider *p, const char *name, uint64_t *ret)
{
	bool is_known = false;

	if (!strcmp(name, "HZ"))
		is_known = read_hz(ret);
	else if (!strcmp(name, "LINUX_VERSION_CODE"))
		is_known = read_version(ret);
	else if (!strcmp(name, "vsyscall"))
		is_known = read_vsyscall(ret);
	else if (!strcmp(name, "nr_cpu_ids"))
		is_known = count_cpus(p, ret);
	else if (is_variable(name))
		is_known = read_symbol(p, name, ret);
	if (!is_known && !strcmp(name, page_base))
		return ask_pages(p, page_base, ret);
	if (!strcmp(name, page_size))
		return ask_pages(p, page_size, ret);
	store_variable(p, name, is_known, is_known ? *ret : 0);
	return is_known;
}

/* Finds a line "NAME 0xVALUE"; a name may have blanks. */
static bool find_in_tree(struct tsh_live_provider *p, const char *name, uint64_t *ret)
{
	char *text = tsh_provider_tree_text(p, "variables");
	struct tsh_strlist lines = { 0 };
	size_t i, len = strlen(name);
	bool is_known = false;

	tsh_strlist_split_lines(&lines, text ? text : "");
	for (i = 0; i < lines.n && !is_known; i++)
		is_known = !strncmp(lines.v[i], name, len) && lines.v[i][len] == ' ' &&
			   !tsh_parse_u64(lines.v[i] + len + 1, ret);
	tsh_strlist_release(&lines);
	free(text);
	store_variable(p, name, is_known, is_known ? *ret : 0);
	return is_known;
}

bool tsh_provide_variable(void *ctx, const char *name, uint64_t *ret)
{
	struct tsh_live_provider *p = ctx;
	const struct tsh_known_variable *known;

	if (!tsh_provider_is_tree(p) && !strcmp(name, "jiffies"))
		return read_jiffies(p, ret);
	known = kept(p, name);
	if (!known)
		return tsh_provider_is_tree(p) ? find_in_tree(p, name, ret) :
		       find_out(p, name, ret);
	if (known->is_known)
		*ret = known->value;
	return known->is_known;
}
