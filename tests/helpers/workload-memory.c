/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Memory, and control groups that have little of it. */
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "workload.h"

/* ---- memory ---- */

static void memory_advise(char *map, size_t size)
{
	static const int advice[] = {
		MADV_WILLNEED, MADV_SEQUENTIAL,	       MADV_HUGEPAGE,	 MADV_MERGEABLE,
		MADV_COLD,     MADV_PAGEOUT,	       MADV_FREE,	 MADV_DONTFORK,
		MADV_DOFORK,   25 /* MADV_COLLAPSE */, MADV_UNMERGEABLE, MADV_NOHUGEPAGE,
		MADV_DONTNEED,
	};

	/* part of it only: each page that is touched makes many events */
	for (size_t i = 0; i < ARRAY_SIZE(advice); i++) {
		memset(map, (int)i, size / 8);
		madvise(map, size, advice[i]);
	}
}

static void memory_cow(const struct options *o)
{
	size_t size = (size_t)sysconf(_SC_PAGESIZE) * 64;
	char *map = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	pid_t pid;

	(void)o;
	if (map == MAP_FAILED)
		return;
	memset(map, 1, size);
	pid = fork();
	if (pid == 0) {
		memset(map, 2, size);
		_exit(0);
	}
	waitpid(pid, NULL, 0);
	munmap(map, size);
}

void workload_memory(const struct options *o)
{
	size_t huge = 2 << 20, size = huge * 2;
	char *map = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0),
	     *moved;
	unsigned char there[1024];
	void *page;
	int status = -1;

	if (map == MAP_FAILED)
		return;
	memory_advise((char *)(((uintptr_t)map + huge - 1) & ~(uintptr_t)(huge - 1)), huge);
	mincore(map, huge, there);
	mlock(map, 65536);
	munlock(map, 65536);
	mprotect(map, 65536, PROT_READ);
	page = map;
	syscall(SYS_move_pages, 0, 1L, &page, NULL, &status, 2);
	moved = mremap(map, size, size * 2, MREMAP_MAYMOVE);
	if (moved != MAP_FAILED)
		munmap(moved, size * 2);
	in_child(memory_cow, o, 5);
	map = mmap(NULL, huge, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_HUGETLB,
		   -1, 0);
	if (map != MAP_FAILED)
		munmap(map, huge);
	syscall(SYS_membarrier, 0, 0, 0);
	syscall(SYS_membarrier, 1 << 4, 0, 0);
	syscall(SYS_membarrier, 1 << 3, 0, 0);
	try(brk((char *)sbrk(0) + 65536));
}

/* ---- control groups ---- */

static void enter_cgroup(const struct options *o)
{
	char pid[16];

	snprintf(pid, sizeof(pid), "%d", getpid());
	put_text(o->cgroup, "cgroup.procs", pid);
}

/* More file pages than the limit of 8 MB, then more anonymous ones: reclaim, and the end by the OOM killer. */
static void cgroup_fill(const struct options *o)
{
	size_t chunk = 1 << 20;
	char *block = malloc(chunk);
	int fd;

	if (!block)
		return;
	enter_cgroup(o);
	memset(block, 'x', chunk);
	if (o->dir_count && !chdir(o->dirs[0]) &&
	    (fd = open("filler", O_RDWR | O_CREAT, 0600)) >= 0) {
		unlink("filler");
		for (int i = 0; i < 10; i++)
			try(write(fd, block, chunk) < 0);
		for (int i = 0; i < 10; i++)
			try(pread(fd, block, chunk, (off_t)((size_t)i * chunk)) < 0);
	}
	put("/proc/self/oom_score_adj", "1000", 4);
	for (int i = 0; i < 16; i++) {
		char *map = mmap(NULL, chunk, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
				 -1, 0);

		if (map != MAP_FAILED)
			memset(map, 1, chunk);
	}
}

/* A task that sleeps in a group, frozen for a moment. */
static void cgroup_freeze(const char *below)
{
	char text[16];
	pid_t pid = fork();

	if (pid == 0) {
		alarm(5);
		pause();
		_exit(0);
	}
	snprintf(text, sizeof(text), "%d", pid);
	put_text(below, "cgroup.procs", text);
	put_text(below, "cgroup.freeze", "1");
	pause_ns(10000000);
	put_text(below, "cgroup.freeze", "0");
	pause_ns(1000000);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

void workload_cgroups(const struct options *o)
{
	char below[4096];

	if (!o->cgroup)
		return;
	in_child(cgroup_fill, o, 15);
	put_text(o->cgroup, "cgroup.subtree_control", "+memory");
	snprintf(below, sizeof(below), "%s/below", o->cgroup);
	mkdir(below, 0755);
	cgroup_freeze(below);
	rmdir(below);
	put_text(o->cgroup, "cgroup.subtree_control", "-memory");
}
