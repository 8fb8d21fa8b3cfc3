/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Files, on the file systems that are given, and io_uring. */
#include <errno.h>
#include <fcntl.h>
#include <linux/fiemap.h>
#include <linux/fs.h>
#include <linux/fsmap.h>
#include <linux/io_uring.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "workload.h"

/* ---- files ---- */

static void files_locks(const char *path)
{
	struct flock lock = { .l_type = F_WRLCK, .l_len = 10 };
	int fd = open(path, O_RDWR | O_CREAT, 0600), other;

	if (fd < 0)
		return;
	fcntl(fd, F_SETLK, &lock);
	lock.l_type = F_UNLCK;
	fcntl(fd, F_SETLK, &lock);
	lock = (struct flock){ .l_type = F_RDLCK, .l_start = 5 };
	fcntl(fd, F_OFD_SETLK, &lock);
	flock(fd, LOCK_EX | LOCK_NB);
	flock(fd, LOCK_UN);
	close(fd);
	fd = open(path, O_RDWR);
	signal(SIGIO, SIG_IGN);
	fcntl(fd, F_SETLEASE, F_WRLCK);
	other = open(path, O_RDONLY | O_NONBLOCK);
	fcntl(fd, F_SETLEASE, F_UNLCK);
	if (other >= 0)
		close(other);
	close(fd);
	unlink(path);
}

static void files_extents(int fd)
{
	static const int modes[] = {
		0,
		FALLOC_FL_KEEP_SIZE,
		FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
		FALLOC_FL_ZERO_RANGE,
		FALLOC_FL_COLLAPSE_RANGE,
		FALLOC_FL_INSERT_RANGE,
		FALLOC_FL_UNSHARE_RANGE,
	};
	union {
		struct fiemap map;
		char room[sizeof(struct fiemap) + 8 * sizeof(struct fiemap_extent)];
	} map = {
		.map = { .fm_length = ~0ULL, .fm_flags = FIEMAP_FLAG_SYNC, .fm_extent_count = 8 },
	};
	struct fstrim_range trim = { .len = ~0ULL };

	for (size_t i = 0; i < ARRAY_SIZE(modes); i++)
		fallocate(fd, modes[i], 65536, 65536);
	ioctl(fd, FS_IOC_FIEMAP, &map);
	lseek(fd, 0, SEEK_HOLE);
	lseek(fd, 0, SEEK_DATA);
	ftruncate(fd, 1 << 20);
	ftruncate(fd, 5000);
	sync_file_range(fd, 0, 4096, SYNC_FILE_RANGE_WRITE);
	posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
	readahead(fd, 0, 1 << 20);
	ioctl(fd, FITRIM, &trim);
}

/* Every second block: more extents than fit into an inode. */
static void files_fragmented(const char *path)
{
	int fd = open(path, O_RDWR | O_CREAT, 0600);

	if (fd < 0)
		return;
	for (int i = 0; i < 100; i++)
		try(pwrite(fd, "x", 1, (off_t)i * 8192) < 0);
	fsync(fd);
	for (int i = 0; i < 100; i += 3)
		fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)i * 8192, 4096);
	fsync(fd);
	close(fd);
	unlink(path);
}

/* struct xfs_scrub_metadata, and its ioctl */
struct scrub {
	uint32_t type, flags;
	uint64_t inode;
	uint32_t generation, group;
	uint64_t reserved[5];
};

/* What only some file systems know: the others refuse it. */
static void files_special(int dirfd)
{
	struct {
		uint64_t command, status;
	} quota = { .command = 1 };
	union {
		struct fsmap_head head;
		char room[4096];
	} map = {
		.head = { .fmh_count = 16 },
	};

	for (uint32_t type = 0; type < 32; type++) {
		struct scrub scrub = { .type = type };

		ioctl(dirfd, _IOWR('X', 60, struct scrub), &scrub);
	}
	memset(&map.head.fmh_keys[1], 0xff, sizeof(map.head.fmh_keys[1]));
	map.head.fmh_keys[1].fmr_length = 0;
	memset(map.head.fmh_keys[1].fmr_reserved, 0, sizeof(map.head.fmh_keys[1].fmr_reserved));
	ioctl(dirfd, FS_IOC_GETFSMAP, &map);
	/* BTRFS_IOC_QUOTA_CTL */
	ioctl(dirfd, _IOC(_IOC_READ | _IOC_WRITE, 0x94, 40, sizeof(quota)), &quota);
}

static void files_mapped(int fd)
{
	size_t size = (size_t)sysconf(_SC_PAGESIZE) * 4;
	char *map;

	try(ftruncate(fd, (off_t)size) < 0);
	map = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (map == MAP_FAILED)
		return;
	for (size_t at = 0; at < size; at += 512)
		map[at]++;
	msync(map, size, MS_SYNC);
	madvise(map, size, MADV_DONTNEED);
	map[0]++;
	munmap(map, size);
}

static void files_copied(int fd, const char *path)
{
	int flags = 0, to = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);

	if (to < 0)
		return;
	try(copy_file_range(fd, &(loff_t){ 0 }, to, &(loff_t){ 0 }, 4096, 0) < 0);
	ioctl(to, FICLONE, fd);
	try(pwrite(to, "diverged", 8, 0) < 0);
	fsync(to);
	ioctl(to, FS_IOC_GETFLAGS, &flags);
	flags |= FS_NODUMP_FL;
	ioctl(to, FS_IOC_SETFLAGS, &flags);
	close(to);
	unlink(path);
}

static void files_direct(const char *path)
{
	void *block;
	int fd = open(path, O_RDWR | O_CREAT | O_DIRECT, 0600);

	if (fd < 0)
		return;
	if (!posix_memalign(&block, 4096, 65536)) {
		memset(block, 'x', 65536);
		try(write(fd, block, 65536) < 0);
		try(pread(fd, block, 4096, 4096) < 0);
		try(pwrite(fd, block, 4096, 1 << 20) < 0);
		free(block);
	}
	fdatasync(fd);
	close(fd);
	unlink(path);
}

static void files_names(void)
{
	char name[256], value[3000];
	struct stat info;

	mkdir("dir", 0700);
	for (int i = 0; i < 80; i++) {
		snprintf(name, sizeof(name), "dir/%0*d", 1 + i * 3, i);
		close(open(name, O_WRONLY | O_CREAT, 0600));
	}
	symlink("a target\n\033[1m", "link");
	link("dir/0", "hard");
	rename("hard", "dir/re \303\274 named");
	syscall(SYS_renameat2, AT_FDCWD, "link", AT_FDCWD, "dir/re \303\274 named",
		RENAME_EXCHANGE);
	mknod("fifo", S_IFIFO | 0600, 0);
	memset(value, 'v', sizeof(value));
	setxattr("dir", "user.small", "x", 1, 0);
	setxattr("dir", "user.large", value, sizeof(value), 0);
	for (int i = 0; i < 20; i++) {
		snprintf(name, sizeof(name), "user.%d", i);
		setxattr("dir", name, value, 200, 0);
	}
	setxattr("dir", "user.large", value, 10, 0);
	try(getxattr("dir", "user.large", value, sizeof(value)) < 0);
	try(listxattr("dir", name, sizeof(name)) < 0);
	removexattr("dir", "user.small");
	chmod("dir", 0755);
	chown("dir", 1, 1);
	utimensat(AT_FDCWD, "dir", NULL, 0);
	stat("dir", &info);
	access("nothing", R_OK);
	sync();
	try(system("exec >/dev/null 2>&1; ls -l dir; rm -rf dir link fifo"));
}

static void files_in(const char *dir)
{
	char *big = malloc(1 << 20);
	int fd, dirfd;

	if (!big || chdir(dir)) {
		free(big);
		return;
	}
	memset(big, 'x', 1 << 20);
	fd = open("file", O_RDWR | O_CREAT | O_TRUNC, 0600);
	if (fd >= 0) {
		try(write(fd, big, 1 << 20) < 0);
		fsync(fd);
		try(pwrite(fd, "hole", 4, 8 << 20) < 0);
		fdatasync(fd);
		posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
		try(pread(fd, big, 1 << 20, 0) < 0);
		files_extents(fd);
		files_mapped(fd);
		files_copied(fd, "copy");
		syncfs(fd);
		close(fd);
		unlink("file");
	}
	files_fragmented("fragments");
	files_direct("direct");
	files_locks("locks");
	files_names();
	dirfd = open(".", O_RDONLY | O_DIRECTORY);
	files_special(dirfd);
	fd = openat(dirfd, ".", O_TMPFILE | O_RDWR, 0600);
	if (fd >= 0)
		close(fd);
	close(dirfd);
	free(big);
}

void workload_files(const struct options *o)
{
	char dir[] = "/dev/shm/workload.XXXXXX";
	int watch = inotify_init1(IN_NONBLOCK);

	if (mkdtemp(dir)) {
		inotify_add_watch(watch, dir, IN_ALL_EVENTS);
		files_in(dir);
		rmdir(dir);
	}
	for (size_t i = 0; i < o->dir_count; i++)
		files_in(o->dirs[i]);
	close(watch);
}

/* ---- io_uring, without a library ---- */

struct ring {
	int fd;
	char *map;
	struct io_uring_sqe *sqes;
	struct io_uring_params params;
};

static bool ring_open(struct ring *ring)
{
	struct io_uring_params *p = &ring->params;
	size_t size;

	memset(p, 0, sizeof(*p));
	ring->fd = (int)syscall(SYS_io_uring_setup, 8, p);
	if (ring->fd < 0 || !(p->features & IORING_FEAT_SINGLE_MMAP))
		return false;
	size = p->sq_off.array + p->sq_entries * sizeof(uint32_t);
	if (size < p->cq_off.cqes + p->cq_entries * sizeof(struct io_uring_cqe))
		size = p->cq_off.cqes + p->cq_entries * sizeof(struct io_uring_cqe);
	ring->map =
		mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, ring->fd, IORING_OFF_SQ_RING);
	ring->sqes = mmap(NULL, p->sq_entries * sizeof(*ring->sqes), PROT_READ | PROT_WRITE,
			  MAP_SHARED, ring->fd, IORING_OFF_SQES);
	return ring->map != MAP_FAILED && ring->sqes != MAP_FAILED;
}

/* One request, or those of a chain; what is complete is taken off. */
static void ring_submit(struct ring *ring, const struct io_uring_sqe *sqes, unsigned int count)
{
	uint32_t *tail = (uint32_t *)(ring->map + ring->params.sq_off.tail);
	uint32_t *cq_head = (uint32_t *)(ring->map + ring->params.cq_off.head);
	uint32_t *cq_tail = (uint32_t *)(ring->map + ring->params.cq_off.tail);

	for (unsigned int i = 0; i < count; i++) {
		uint32_t at = (*tail + i) % ring->params.sq_entries;

		ring->sqes[at] = sqes[i];
		((uint32_t *)(ring->map + ring->params.sq_off.array))[at] = at;
	}
	__atomic_store_n(tail, *tail + count, __ATOMIC_RELEASE);
	syscall(SYS_io_uring_enter, ring->fd, count, 0, IORING_ENTER_GETEVENTS, NULL, 0);
	pause_ns(100000);
	__atomic_store_n(cq_head, __atomic_load_n(cq_tail, __ATOMIC_ACQUIRE), __ATOMIC_RELEASE);
}

void workload_uring(const struct options *o)
{
	struct __kernel_timespec soon = { .tv_nsec = 100000 };
	int file = memfd_create("uring", 0), pipe_fds[2] = { -1, -1 };
	struct iovec room = { .iov_base = malloc(4096), .iov_len = 4096 };
	struct ring ring;

	(void)o;
	try(pipe(pipe_fds));
	if (!room.iov_base || !ring_open(&ring))
		return;
	const struct io_uring_sqe requests[] = {
		{ .opcode = IORING_OP_NOP, .user_data = 1 },
		{ .opcode = IORING_OP_WRITE,
		  .fd = file,
		  .addr = (uintptr_t) "text",
		  .len = 4,
		  .user_data = 2 },
		{ .opcode = IORING_OP_READ,
		  .fd = file,
		  .addr = (uintptr_t)room.iov_base,
		  .len = 4,
		  .user_data = ~0ULL },
		{ .opcode = IORING_OP_FSYNC, .fd = file, .flags = IOSQE_ASYNC },
		{ .opcode = IORING_OP_TIMEOUT, .fd = -1, .addr = (uintptr_t)&soon, .len = 1 },
		{ .opcode = IORING_OP_POLL_ADD,
		  .fd = pipe_fds[0],
		  .poll_events = POLLIN,
		  .user_data = 7 },
		{ .opcode = IORING_OP_READ,
		  .fd = pipe_fds[0],
		  .addr = (uintptr_t)room.iov_base,
		  .len = 4 },
		{ .opcode = IORING_OP_WRITE,
		  .fd = pipe_fds[1],
		  .addr = (uintptr_t) "pipe",
		  .len = 4 },
		{ .opcode = IORING_OP_POLL_ADD,
		  .fd = pipe_fds[0],
		  .poll_events = POLLIN,
		  .user_data = 8 },
		{ .opcode = IORING_OP_POLL_REMOVE, .fd = -1, .addr = 8 },
		{ .opcode = IORING_OP_ASYNC_CANCEL, .fd = -1, .addr = 99 },
		{ .opcode = IORING_OP_NOP, .flags = IOSQE_IO_DRAIN },
		{ .opcode = IORING_OP_READ, .fd = -1, .flags = IOSQE_IO_LINK, .user_data = 3 },
		{ .opcode = IORING_OP_NOP, .user_data = 4 },
		{ .opcode = 250 },
	};

	for (size_t i = 0, n; i < ARRAY_SIZE(requests); i += n) {
		n = requests[i].flags & IOSQE_IO_LINK ? 2 : 1;
		ring_submit(&ring, &requests[i], (unsigned int)n);
	}
	syscall(SYS_io_uring_enter, ring.fd, 0, 0, IORING_ENTER_GETEVENTS, NULL, 0);
	syscall(SYS_io_uring_register, ring.fd, IORING_REGISTER_BUFFERS, &room, 1);
	syscall(SYS_io_uring_register, ring.fd, IORING_REGISTER_FILES, &file, 1);
	close(ring.fd);
}
