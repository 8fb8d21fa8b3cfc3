/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "mappings.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/now.h"
#include "base/strbuf.h"
#include "base/vec.h"

/* Opens one perf event on each CPU, the tracepoint sched_process_exec, together with perf's records
 * of mappings and tasks. */

/* Sets the size of a CPU's ring in pages. perf_event_mlock_kb limits the memory without
 * CAP_IPC_LOCK, so machines with many CPUs get smaller rings. */
#define RING_PAGES 128
#define RING_PAGES_MANY 32
#define CPUS_MANY 16
#define PATH_ROOM 4096

struct ring {
	int fd;
	struct perf_event_mmap_page *page;	/* the first page; the data is behind it */
	size_t size;
};

/* Holds a record that was read. */
struct reported {
	struct tsh_mapping mapping;
	size_t number;			/* number in the order of reading */
	size_t path;			/* its place in `paths` */
};

struct tsh_mappings {
	clockid_t clock, perfs;		/* the wanted clock, and the one of perf */
	int64_t ahead;			/* how far perf's clock is ahead, in ns */
	TSH_VEC(struct ring) rings;
	TSH_VEC(struct reported) heard;	/* records that the caller has not got yet */
	struct tsh_strbuf paths;	/* the paths of these */
	size_t page_size;
	size_t data_size;		/* size of a ring */
};

/* Follows each record, and is part of a sample (sample_type). */
struct trailer {
	uint32_t pid, tid;
	uint64_t time;
};

/* Copies the layout of perf records behind their header (linux/perf_event.h). */
struct mmap2 {
	uint32_t pid, tid;
	uint64_t address, len, offset;
	uint32_t major, minor;
	uint64_t inode, generation;
	uint32_t protection, flags;
};

struct task {
	uint32_t pid, parent, tid, parent_tid;
	uint64_t time;
};

/* ---- the clock ---- */

/* Sets how many times both clocks are sampled. The best sample is exact to some ten ns. */
#define LOOKS 20
/* Sets the change of the offset between the clocks that counts as a step: larger than the error of
 * samples, smaller than a suspend or a new TAI offset. */
#define STEP_NS 100000

/*
 * Measures how far the wanted clock is ahead of perf's, in ns. This offset is constant: for a
 * tracepoint perf only accepts CLOCK_MONOTONIC and CLOCK_MONOTONIC_RAW (kernel/events/core.c,
 * perf_event_set_clock).
 */
static int64_t measure_ahead(const struct tsh_mappings *mappings)
{
	int64_t least = INT64_MAX, ahead = 0;
	unsigned int i;

	for (i = 0; i < LOOKS && mappings->clock != mappings->perfs; i++) {
		int64_t before = tsh_kernel_ns(mappings->perfs), now = tsh_kernel_ns(mappings->clock);
		int64_t took = tsh_kernel_ns(mappings->perfs) - before;

		if (took >= least)
			continue;
		least = took;
		ahead = now - before - took / 2;
	}
	return ahead;
}

/* Says whether the offset between the clocks is the same as before. The first measurement is used
 * until the offset steps, because each measurement has an error. */
static bool is_as_far_ahead(struct tsh_mappings *mappings)
{
	int64_t ahead = measure_ahead(mappings), step = ahead - mappings->ahead;

	if (step < STEP_NS && step > -STEP_NS)
		return true;
	mappings->ahead = ahead;
	return false;
}

/* ---- beginning ---- */

static int open_on(struct tsh_mappings *mappings, unsigned int cpu, uint64_t id)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_TRACEPOINT, .size = sizeof(attr), .config = id,
		.sample_period = 1, .sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_TIME, .sample_id_all = 1,
		.mmap = 1, .mmap2 = 1, .comm = 1, .comm_exec = 1, .task = 1,
		.use_clockid = 1, .clockid = mappings->perfs,
		/* wakes nobody up */
		.watermark = 1, .wakeup_watermark = UINT32_MAX,
	};
	struct ring ring = { .size = mappings->page_size + mappings->data_size };

	ring.fd = (int)syscall(SYS_perf_event_open, &attr, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC);
	if (ring.fd < 0)
		return -errno;
	ring.page = mmap(NULL, ring.size, PROT_READ | PROT_WRITE, MAP_SHARED, ring.fd, 0);
	if (ring.page == MAP_FAILED) {
		int number = errno;

		close(ring.fd);
		return -number;
	}
	*tsh_vec_push(&mappings->rings) = ring;
	return 0;
}

int tsh_mappings_open(const struct tsh_instance *in, clockid_t clock, struct tsh_mappings **ret)
{
	uint64_t id = tsh_file_number(in, "events/sched/sched_process_exec/id", 0);
	struct tsh_mappings *mappings;
	unsigned int *cpus;
	size_t n, i;
	int r;

	*ret = NULL;
	if (!id)
		return -ENOSYS;
	mappings = tsh_xcalloc(1, sizeof(*mappings));
	mappings->clock = clock;
	mappings->perfs = clock == CLOCK_MONOTONIC_RAW ? clock : CLOCK_MONOTONIC;
	mappings->ahead = measure_ahead(mappings);
	mappings->page_size = (size_t)sysconf(_SC_PAGESIZE);
	n = tsh_cpus_present(in, &cpus);
	mappings->data_size = (n > CPUS_MANY ? RING_PAGES_MANY : RING_PAGES) * mappings->page_size;
	r = n ? 0 : -ENOENT;
	for (i = 0; i < n && !r; i++) {
		r = open_on(mappings, cpus[i], id);
		/* a CPU that is offline runs no process */
		r = r == -ENODEV ? 0 : r;
	}
	free(cpus);
	if (r < 0)
		tsh_mappings_close(mappings);
	else
		*ret = mappings;
	return r;
}

void tsh_mappings_close(struct tsh_mappings *mappings)
{
	size_t i;

	if (!mappings)
		return;
	for (i = 0; i < mappings->rings.n; i++) {
		munmap(mappings->rings.v[i].page, mappings->rings.v[i].size);
		close(mappings->rings.v[i].fd);
	}
	tsh_vec_release(&mappings->rings);
	tsh_vec_release(&mappings->heard);
	tsh_strbuf_release(&mappings->paths);
	free(mappings);
}

/* ---- records ---- */

/* Copies `len` bytes from a ring, which wraps around at its end. */
static void copy_from(const struct tsh_mappings *mappings, const struct ring *ring, uint64_t at, void *to, size_t len)
{
	const unsigned char *data = (const unsigned char *)ring->page + mappings->page_size;
	size_t size = mappings->data_size, begin = (size_t)(at % size);
	size_t first = len < size - begin ? len : size - begin;

	memcpy(to, data + begin, first);
	memcpy((unsigned char *)to + first, data, len - first);
}

/* Parses a record of a mapping. Terminates the path, which fills its field when it is too long for
 * the kernel. */
static void read_code(struct tsh_mappings *mappings, const unsigned char *body, size_t len, struct reported *heard)
{
	const char *path = (const char *)body + sizeof(struct mmap2);
	struct mmap2 code;

	memcpy(&code, body, sizeof(code));
	heard->mapping = (struct tsh_mapping){
		.what = TSH_MAPPING_CODE, .stamp = heard->mapping.stamp, .tgid = (int)code.pid,
		.begin = code.address, .end = code.address + code.len, .offset = code.offset,
		.device = makedev(code.major, code.minor), .inode = code.inode,
	};
	heard->path = mappings->paths.len;
	/* "//anon" is no file */
	if (strncmp(path, "//", 2) != 0)
		tsh_strbuf_add(&mappings->paths, path, strnlen(path, len - sizeof(code)));
	tsh_strbuf_addc(&mappings->paths, '\0');
}

/* Parses a record; body is what follows its header, with the trailer. Returns false when it has
 * nothing to do with mappings. */
static bool parse(struct tsh_mappings *mappings, const struct perf_event_header *header, const unsigned char *body,
		  size_t len, struct reported *heard)
{
	struct tsh_mapping *mapping = &heard->mapping;
	struct trailer trailer;
	struct task task = { 0 };

	if (len < sizeof(trailer))
		return false;
	memcpy(&trailer, header->type == PERF_RECORD_SAMPLE ? body : body + len - sizeof(trailer), sizeof(trailer));
	len -= sizeof(trailer);
	*mapping = (struct tsh_mapping){ .stamp = trailer.time + (uint64_t)mappings->ahead, .tgid = (int)trailer.pid };
	switch (header->type) {
	case PERF_RECORD_SAMPLE:
		mapping->what = TSH_MAPPING_RUNS;
		return true;
	case PERF_RECORD_COMM:
		mapping->what = TSH_MAPPING_EXEC;
		return header->misc & PERF_RECORD_MISC_COMM_EXEC;
	case PERF_RECORD_LOST:
		mapping->what = TSH_MAPPING_LOST;
		return true;
	case PERF_RECORD_MMAP2:
		if (len <= sizeof(struct mmap2))
			return false;
		read_code(mappings, body, len, heard);
		return true;
	case PERF_RECORD_FORK:
	case PERF_RECORD_EXIT:
		memcpy(&task, body, len < sizeof(task) ? len : sizeof(task));
		mapping->what = header->type == PERF_RECORD_FORK ? TSH_MAPPING_FORK : TSH_MAPPING_EXIT;
		mapping->tgid = (int)task.pid;
		mapping->parent = (int)task.parent;
		/* Ignores threads. */
		return header->type == PERF_RECORD_FORK ? task.pid != task.parent : task.pid == task.tid;
	default:
		return false;
	}
}

static void read_ring(struct tsh_mappings *mappings, struct ring *ring)
{
	uint64_t head = __atomic_load_n(&ring->page->data_head, __ATOMIC_ACQUIRE), tail = ring->page->data_tail;
	unsigned char body[sizeof(struct mmap2) + PATH_ROOM + sizeof(struct trailer) + sizeof(uint64_t)];

	while (tail < head) {
		struct reported heard = { .number = mappings->heard.n };
		struct perf_event_header header;
		size_t len;

		copy_from(mappings, ring, tail, &header, sizeof(header));
		if (header.size < sizeof(header) || header.size > head - tail)
			break;
		len = header.size - sizeof(header);
		if (len <= sizeof(body)) {
			copy_from(mappings, ring, tail + sizeof(header), body, len);
			if (parse(mappings, &header, body, len, &heard))
				*tsh_vec_push(&mappings->heard) = heard;
		}
		tail += header.size;
	}
	__atomic_store_n(&ring->page->data_tail, head, __ATOMIC_RELEASE);
}

/* ---- giving ---- */

static int compare_reported(const void *a, const void *b)
{
	const struct reported *x = a, *y = b;

	if (x->mapping.stamp != y->mapping.stamp)
		return x->mapping.stamp < y->mapping.stamp ? -1 : 1;
	return (x->number > y->number) - (x->number < y->number);
}

/* Removes the first `given` records. Keeps the others, with their paths. */
static void store_rest(struct tsh_mappings *mappings, size_t given)
{
	struct tsh_strbuf paths = TSH_STRBUF_INIT;
	size_t i, n = 0;

	for (i = given; i < mappings->heard.n; i++) {
		struct reported heard = mappings->heard.v[i];
		const char *path = mappings->paths.buf + heard.path;

		if (heard.mapping.what == TSH_MAPPING_CODE) {
			heard.path = paths.len;
			tsh_strbuf_add(&paths, path, strlen(path) + 1);
		}
		heard.number = n;
		mappings->heard.v[n++] = heard;
	}
	mappings->heard.n = n;
	tsh_strbuf_release(&mappings->paths);
	mappings->paths = paths;
}

uint64_t tsh_mappings_read(struct tsh_mappings *mappings, void (*handle)(void *ctx, const struct tsh_mapping *mapping),
			   void *ctx)
{
	/* The time is read before the rings: while one CPU's ring is read, later records may arrive
	 * in another. */
	uint64_t now = (uint64_t)tsh_kernel_ns(mappings->clock);
	const struct tsh_mapping lost = { .what = TSH_MAPPING_LOST, .stamp = now };
	bool is_stepped = !is_as_far_ahead(mappings);
	size_t i;

	for (i = 0; i < mappings->rings.n; i++)
		read_ring(mappings, &mappings->rings.v[i]);
	if (mappings->heard.n)
		qsort(mappings->heard.v, mappings->heard.n, sizeof(*mappings->heard.v), compare_reported);
	for (i = 0; i < mappings->heard.n && mappings->heard.v[i].mapping.stamp <= now; i++) {
		struct tsh_mapping mapping = mappings->heard.v[i].mapping;

		if (mapping.what == TSH_MAPPING_CODE)
			mapping.path = mappings->paths.buf + mappings->heard.v[i].path;
		handle(ctx, &mapping);
	}
	store_rest(mappings, i);
	if (is_stepped)
		handle(ctx, &lost);
	return now;
}
