/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is of the tracer's own, and what belongs nowhere else: markers, probes, bpf, every system call. */
#include <fcntl.h>
#include <linux/bpf.h>
#include <linux/perf_event.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/fanotify.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/timex.h>
#include <time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "workload.h"

/* ---- markers ---- */

static const char *const texts[] = {
	"",
	"\n",
	"plain",
	"a newline\n",
	"two\nlines",
	"two newlines\n\n",
	"escape \033[31mred\033[0m",
	"bell\a and \r return",
	"100% %s %n %p",
	"# like a comment",
	"tab\tand  blanks ",
	"gr\303\274\303\237e \342\202\254 \360\237\230\200",
	"bad \377\300 UTF-8",
	"x-1 [000] d..2. 1.000000: fake: event",
	"a nul is the end",
};

void workload_markers(const struct options *o)
{
	char text[4096 * 2];
	struct {
		uint32_t id;
		char bytes[60];
	} raw = { .id = 0xdeadbeef };

	for (size_t i = 0; o->marker && i < ARRAY_SIZE(texts); i++)
		put(o->marker, texts[i], strlen(texts[i]));
	for (size_t size = 1; o->marker && size <= sizeof(text); size = size * 3 + 1) {
		memset(text, 'a' + (int)(size % 26), size);
		put(o->marker, text, size);
	}
	if (o->marker)
		put(o->marker, "a nul\0here", 10);
	for (size_t i = 0; i < sizeof(raw.bytes); i++)
		raw.bytes[i] = (char)(i * 37);
	for (size_t size = 4; o->raw && size <= sizeof(raw); size += 3)
		put(o->raw, &raw, size);
}

/* ---- bpf programs that do nothing much ---- */

static int bpf_load(uint32_t type, const struct bpf_insn *code, size_t count)
{
	union bpf_attr attr = { 0 };

	attr.prog_type = type;
	attr.insns = (uintptr_t)code;
	attr.insn_cnt = (uint32_t)count;
	attr.license = (uintptr_t) "GPL";
	return (int)syscall(SYS_bpf, BPF_PROG_LOAD, &attr, sizeof(attr));
}

static void bpf_run(int fd)
{
	union bpf_attr attr = { 0 };
	char packet[64] = { 0 };

	if (fd < 0)
		return;
	attr.test.prog_fd = (uint32_t)fd;
	attr.test.data_in = (uintptr_t)packet;
	attr.test.data_size_in = sizeof(packet);
	attr.test.repeat = 1;
	syscall(SYS_bpf, BPF_PROG_TEST_RUN, &attr, sizeof(attr));
	close(fd);
}

void workload_bpf(const struct options *o)
{
	static const struct bpf_insn pass[] = {
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = 0, .imm = 2 },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	/* bpf_trace_printk("hello", 6) */
	static const struct bpf_insn print[] = {
		{ .code = BPF_LD | BPF_IMM | BPF_DW, .dst_reg = 1, .imm = 0x6c6c6568 },
		{ .imm = 0x6f },
		{ .code = BPF_STX | BPF_MEM | BPF_DW, .dst_reg = 10, .src_reg = 1, .off = -8 },
		{ .code = BPF_ALU64 | BPF_MOV | BPF_X, .dst_reg = 1, .src_reg = 10 },
		{ .code = BPF_ALU64 | BPF_ADD | BPF_K, .dst_reg = 1, .imm = -8 },
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = 2, .imm = 6 },
		{ .code = BPF_JMP | BPF_CALL, .imm = BPF_FUNC_trace_printk },
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = 0, .imm = 0 },
		{ .code = BPF_JMP | BPF_EXIT },
	};

	(void)o;
	bpf_run(bpf_load(BPF_PROG_TYPE_XDP, pass, ARRAY_SIZE(pass)));
	bpf_run(bpf_load(BPF_PROG_TYPE_SOCKET_FILTER, print, ARRAY_SIZE(print)));
}

/* ---- what belongs nowhere else ---- */

static void misc_fuse(void)
{
	char dir[] = "/dev/shm/workload.XXXXXX", data[64];
	int fd = open("/dev/fuse", O_RDWR | O_NONBLOCK);

	if (fd < 0 || unshare(CLONE_NEWNS) || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
	    !mkdtemp(dir))
		return;
	snprintf(data, sizeof(data), "fd=%d,rootmode=40000,user_id=0,group_id=0", fd);
	mount("workload", dir, "fuse", 0, data);
	close(fd);
	umount2(dir, MNT_DETACH);
	rmdir(dir);
}

#if defined(__x86_64__)
/* The time, as programs asked for it long ago: emulated, or the end of the child. */
static void misc_vsyscall(const struct options *o)
{
	long (*old_time)(long *) = (long (*)(long *))0xffffffffff600400UL;
	struct rlimit none = { 0, 0 };

	(void)o;
	setrlimit(RLIMIT_CORE, &none);
	old_time(NULL);
}
#endif

static void misc_power(void)
{
	int32_t latency = 1000000;
	int fd = open("/dev/cpu_dma_latency", O_RDWR);

	try(write(fd, &latency, sizeof(latency)) < 0);
	close(fd);
}

static void misc_perf(void)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_CPU_CLOCK,
		.sample_period = 100000,
		.sample_type = PERF_SAMPLE_IP,
	};
	int fd = (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0);
	uint64_t count;

	for (volatile int i = 0; i < 1000000; i++)
		;
	if (fd >= 0) {
		try(read(fd, &count, sizeof(count)) < 0);
		close(fd);
	}
}

void workload_misc(const struct options *o)
{
	struct timex clock = { .modes = 0 };
	struct rusage usage;
	char text[4096];
	int fd;

	(void)o;
	adjtimex(&clock);
	clock_adjtime(CLOCK_REALTIME, &clock);
	getrusage(RUSAGE_SELF, &usage);
	for (const char *const *path =
		     (const char *const[]){
			     "/proc/self/maps",
			     "/proc/meminfo",
			     "/proc/interrupts",
			     "/proc/self/smaps",
			     "/proc/loadavg",
			     NULL,
		     };
	     *path; path++) {
		fd = open(*path, O_RDONLY);
		try(read(fd, text, sizeof(text)) < 0);
		close(fd);
	}
	put("/dev/kmsg", "<7>workload: a message\n", 23);
	put("/proc/self/oom_score_adj", "500", 3);
	close(fanotify_init(FAN_CLASS_NOTIF, O_RDONLY));
	misc_perf();
	misc_power();
#if defined(__x86_64__)
	in_child(misc_vsyscall, o, 5);
#endif
	misc_fuse();
}

/* ---- uprobes ---- */

struct probed {
	int32_t number;
	const char *text;
	uint8_t bytes[4];
};

/* The targets: not static, so that no compiler changes what is passed. */
int probed_function(int number, const char *text, const struct probed *structure, long negative);

__attribute__((noinline)) int probed_function(int number, const char *text,
					      const struct probed *structure, long negative)
{
	__asm__ volatile("" : : "r"(text), "r"(structure), "r"(negative) : "memory");
	return number * 2;
}

void workload_probes(const struct options *o)
{
	struct probed structure = { .number = -2,
				    .text = "inner text",
				    .bytes = { 1, 2, 254, 255 } };

	(void)o;
	for (int i = -3; i < 4; i++)
		probed_function(i, i ? "some \033 text" : NULL, i & 1 ? &structure : NULL,
				-1L * i * i);
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++)
		probed_function(1000000 + (int)i, texts[i], &structure, INT32_MIN);
}

/* Where an address of this program lies in its file. */
static long file_offset(uintptr_t address)
{
	FILE *maps = fopen("/proc/self/maps", "re");
	unsigned long from, to, offset;
	char line[4096];
	long found = -1;

	while (maps && fgets(line, sizeof(line), maps)) {
		if (sscanf(line, "%lx-%lx %*s %lx", &from, &to, &offset) == 3 && address >= from &&
		    address < to)
			found = (long)(address - from + offset);
	}
	if (maps)
		fclose(maps);
	return found;
}

int workload_print_probes(void)
{
#if defined(__x86_64__)
	static const char args[] =
		"u8=%di:u8 s8=%di:s8 x16=%di:x16 s16=%di:s16 u32=%di:u32 s32=%di:s32 s64=%cx:s64 x64=%cx:x64 "
		"text=+0(%si):string inner=+0(+8(%dx)):string bytes=+16(%dx):u8[4] bits=%di:b4@3/32 any=%cx "
		"symbol=@0 comm=$comm";
#else
	static const char args[] = "comm=$comm";
#endif
	long offset = file_offset((uintptr_t)probed_function);
	char path[4096];
	ssize_t size = readlink("/proc/self/exe", path, sizeof(path) - 1);

	if (offset < 0 || size < 0)
		return 1;
	path[size] = '\0';
	printf("p:uprobes/workload_plain %s:0x%lx\n", path, offset);
	printf("p:uprobes/workload_args %s:0x%lx %s\n", path, offset, args);
	printf("r:uprobes/workload_return %s:0x%lx value=$retval:s32 raw=$retval\n", path, offset);
	return 0;
}

/* ---- every system call once, with arguments that it refuses ---- */

/*
 * Those that would do something, wait or end us, whatever their arguments; and some that nobody wants to try. Newer
 * architectures have none of the oldest calls.
 */
static const int dangerous[] = {
	SYS_exit,
	SYS_exit_group,
	SYS_rt_sigreturn,
	SYS_clone,
	SYS_kill,
	SYS_reboot,
	SYS_vhangup,
	SYS_sync,
	SYS_kexec_load,
	SYS_kexec_file_load,
	SYS_init_module,
	SYS_finit_module,
	SYS_delete_module,
	SYS_swapon,
	SYS_swapoff,
#ifdef SYS_fork
	SYS_fork,
	SYS_vfork,
#endif
#ifdef SYS_pause
	SYS_pause,
#endif
#ifdef SYS_alarm
	SYS_alarm,
#endif
#ifdef SYS_sigsuspend
	SYS_sigsuspend,
	SYS_sigreturn,
#endif
#if defined(__x86_64__)
	335 /* uretprobe */,
	336 /* uprobe */,
#endif
};

static bool is_dangerous(long number)
{
	for (size_t i = 0; i < ARRAY_SIZE(dangerous); i++) {
		if (dangerous[i] == number)
			return true;
	}
	return false;
}

void workload_syscalls(const struct options *o)
{
	(void)o;
	try(chdir("/"));
	for (long number = 0; number < 480; number++) {
		if (!is_dangerous(number))
			syscall(number, -1L, -1L, -1L, -1L, -1L, -1L);
	}
}
