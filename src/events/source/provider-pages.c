/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "kernel/tracefs/event.h"
#include "provider-internal.h"

#define PAGES 64
/* Sets the buffer size of each CPU, the kernel's default, in bytes. */
#define BUFFER_SIZE UINT64_C(1441792)

/* ---- the text ---- */

struct sample {
	uint64_t page;			/* address of its struct page */
	uint64_t pfn;
};

/* Parses a line "..: mm_page_alloc: page=ffffea0004a1b2c0 pfn=0x1286cb order=0 .."; the number is
 * decimal before 5.15. */
static bool parse_sample(const char *line, struct sample *ret)
{
	const char *page = strstr(line, " page="), *pfn = strstr(line, " pfn=");
	char *end;

	if (!page || !pfn || pfn < page)
		return false;
	ret->page = strtoull(page + 6, &end, 16);
	if (end == page + 6 || *end != ' ')
		return false;
	ret->pfn = strtoull(pfn + 5, &end, 0);
	return end > pfn + 5 && ret->page && ret->pfn;
}

/* Computes the address of struct page 0, and the size of a struct page, from two pages. Checks both
 * with the other pages. Fails for hidden addresses. */
static bool solve(const struct sample *v, size_t n, uint64_t *ret_base, uint64_t *ret_size)
{
	uint64_t pages, size;
	size_t i, other = 0;

	for (i = 1; i < n && !other; i++)
		if (v[i].pfn != v[0].pfn)
			other = i;
	if (!other)
		return false;
	pages = v[other].pfn - v[0].pfn;
	size = (v[other].page - v[0].page) / pages;
	if (v[other].pfn < v[0].pfn)
		size = (v[0].page - v[other].page) / (v[0].pfn - v[other].pfn);
	if (size < 16 || size > 1024)
		return false;
	for (i = 0; i < n; i++)
		if (v[i].page - v[i].pfn * size != v[0].page - v[0].pfn * size)
			return false;
	*ret_base = v[0].page - v[0].pfn * size;
	*ret_size = size;
	return true;
}

bool tsh_pages_parse(const char *text, uint64_t *ret_base, uint64_t *ret_size)
{
	TSH_VEC(struct sample) samples = { 0 };
	struct tsh_strlist lines = { 0 };
	struct sample sample;
	bool r;
	size_t i;

	tsh_strlist_split_lines(&lines, text);
	for (i = 0; i < lines.n; i++)
		if (*lines.v[i] != '#' && parse_sample(lines.v[i], &sample))
			*tsh_vec_push(&samples) = sample;
	r = samples.n > 1 && solve(samples.v, samples.n, ret_base, ret_size);
	tsh_vec_release(&samples);
	tsh_strlist_release(&lines);
	return r;
}

/* ---- the events ---- */

static bool write_file(struct tsh_instance *in, const char *path, const char *text)
{
	struct tsh_err ignored = { 0 };
	int r = tsh_file_write(in, path, TSH_WRITE_SET, text, &ignored);

	tsh_err_release(&ignored);
	return r >= 0;
}

static void allocate_pages(void)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE), i;
	char *memory = mmap(NULL, PAGES * page, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (memory == MAP_FAILED)
		return;
	for (i = 0; i < PAGES; i++)
		((volatile char *)memory)[i * page] = 1;
	munmap(memory, PAGES * page);
}

/* Returns the kernel's text of our own allocations; NULL: there is none. */
static char *record(const struct tsh_live_provider *p, struct tsh_instance *in)
{
	static const char event[] = "events/kmem/mm_page_alloc";
	char *path = tsh_xasprintf("%s/filter", event);
	char *filter = tsh_xasprintf("common_pid == %ld", syscall(SYS_gettid));
	char *text = NULL;
	bool good;

	/* in a pid namespace the kernel has another number for us */
	good = write_file(in, "options/hash-ptr", "0") && (!p->has_tasks || write_file(in, path, filter));
	free(path);
	free(filter);
	path = tsh_xasprintf("%s/enable", event);
	if (good && write_file(in, path, "1")) {
		allocate_pages();
		write_file(in, path, "0");
		text = tsh_file_text(in, "trace");
	}
	free(path);
	return text;
}

/* Says whether the buffers would use more than a small part of the free memory. */
static bool is_too_large(const struct tsh_live_provider *p)
{
	long pages = sysconf(_SC_AVPHYS_PAGES), page = sysconf(_SC_PAGESIZE);
	unsigned int *cpus;
	size_t n = tsh_cpus_present(p->in, &cpus);

	free(cpus);
	return pages < 0 || page < 0 || n * BUFFER_SIZE > (uint64_t)pages * (uint64_t)page / 4;
}

bool tsh_pages_measure(struct tsh_live_provider *p, uint64_t *ret_base, uint64_t *ret_size)
{
	struct tsh_err ignored = { 0 };
	struct tsh_instance *in;
	char *text;
	bool r;

	if (tsh_provider_is_tree(p) || p->in->dir->read_only || is_too_large(p))
		return false;
	if (tsh_instance_create_own(p->in->dir, &in, &ignored) < 0) {
		tsh_err_release(&ignored);
		return false;
	}
	text = record(p, in);
	p->removal = tsh_removal_begin(p->in->dir, in->name);
	tsh_instance_close(in);
	r = text && tsh_pages_parse(text, ret_base, ret_size);
	free(text);
	return r;
}
