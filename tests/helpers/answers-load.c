/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * answers-load LOG		does what it is told on stdin, and writes what it did to LOG, an object of JSON a line
 * answers-load --probes GROUP	prints definitions for uprobe_events, of the functions that it calls
 *
 * On stdin: "go COUNT SEED [CPU]": COUNT acts that follow from SEED, on that CPU; then it prints "done". Values come from
 * small pools with the ends of each type in them, so that keys repeat and differ in their signs only.
 * An act is a call of row() with values of every type, of begin() and end() with a sleep between, or a system call whose
 * event says what it was given: the names in LOG are those of the events' fields.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define ARRAY_SIZE(array) (sizeof(array) / sizeof((array)[0]))

/* Holds a value of each type that a probe can have. */
struct row {
	int8_t s8;
	uint8_t u8;
	int16_t s16;
	uint16_t u16;
	int32_t s32;
	uint32_t u32;
	int64_t s64;
	uint64_t u64;
	uint32_t bits;
	uint16_t list[4];
	char text[24];
};

static const struct {
	const char *name, *type;
	size_t offset;
} members[] = {
	{ "s8", "s8", offsetof(struct row, s8) },
	{ "u8", "u8", offsetof(struct row, u8) },
	{ "s16", "s16", offsetof(struct row, s16) },
	{ "u16", "u16", offsetof(struct row, u16) },
	{ "s32", "s32", offsetof(struct row, s32) },
	{ "u32", "u32", offsetof(struct row, u32) },
	{ "s64", "s64", offsetof(struct row, s64) },
	{ "u64", "u64", offsetof(struct row, u64) },
	{ "x8", "x8", offsetof(struct row, u8) },
	{ "x16", "x16", offsetof(struct row, u16) },
	{ "x32", "x32", offsetof(struct row, u32) },
	{ "x64", "x64", offsetof(struct row, u64) },
	{ "bits", "b5@3/32", offsetof(struct row, bits) },
	{ "list", "u16[4]", offsetof(struct row, list) },
	{ "text", "string", offsetof(struct row, text) },
};

/* Are what the probes are on. */
__attribute__((noipa)) static void answers_row(const struct row *row)
{
	__asm__ volatile("" ::"r"(row) : "memory");
}

__attribute__((noipa)) static void answers_begin(unsigned int id)
{
	__asm__ volatile("" ::"r"(id) : "memory");
}

__attribute__((noipa)) static void answers_end(unsigned int id)
{
	__asm__ volatile("" ::"r"(id) : "memory");
}

static uint64_t random_state;

/* Gives the next number of splitmix64. */
static uint64_t next_random(void)
{
	uint64_t z = random_state += 0x9e3779b97f4a7c15;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return z ^ z >> 31;
}

static size_t pick(size_t count)
{
	return (size_t)(next_random() % count);
}

/* Gives a number whose low bytes are the ends of every type, or small. */
static uint64_t pick_number(void)
{
	static const uint64_t numbers[] = {
		0, 1, 2, 7, 100, 127, 128, 200, 255, 256, 32767, 32768, 65535, 65536, INT32_MAX, (uint64_t)1 << 31,
		UINT32_MAX, (uint64_t)1 << 32, INT64_MAX, (uint64_t)1 << 63, UINT64_MAX, UINT64_MAX - 1, (uint64_t)-100,
	};

	return numbers[pick(ARRAY_SIZE(numbers))];
}

static const char *const texts[] = { "plain", "a b", "x,y", "q\"uote", "back\\slash", "k=v", "", "gr\303\274n", "it's", "#1" };
static const char *const names[] = { "alpha", "be ta", "c,d", "e-1", "kworker/9:1", "f\"g", "<h>", "ij:kl" };

static FILE *log_file;

/* Appends what each act has: the task, the CPU, and what it is called. */
static void log_begin(const char *act)
{
	char name[17] = "";

	prctl(PR_GET_NAME, name);
	fprintf(log_file, "{\"act\":\"%s\",\"pid\":%d,\"comm\":\"", act, getpid());
	for (const char *c = name; *c; c++)
		fprintf(log_file, *c == '"' || *c == '\\' ? "\\%c" : "%c", *c);
	fprintf(log_file, "\",\"cpu\":%d", sched_getcpu());
}

static void log_text(const char *name, const char *text)
{
	fprintf(log_file, ",\"%s\":\"", name);
	for (const char *c = text; *c; c++)
		fprintf(log_file, *c == '"' || *c == '\\' ? "\\%c" : "%c", *c);
	fprintf(log_file, "\"");
}

static void log_number(const char *name, int64_t number)
{
	fprintf(log_file, ",\"%s\":%" PRId64, name, number);
}

static void log_end(void)
{
	fprintf(log_file, "}\n");
}

static int64_t now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_BOOTTIME, &ts);
	return (int64_t)ts.tv_sec * 1000000000 + ts.tv_nsec;
}

static void act_row(void)
{
	uint64_t number = pick_number();
	struct row row = {
		.s8 = (int8_t)number, .u8 = (uint8_t)number, .s16 = (int16_t)number, .u16 = (uint16_t)number,
		.s32 = (int32_t)number, .u32 = (uint32_t)number, .s64 = (int64_t)number, .u64 = number,
		.bits = (uint32_t)next_random(),
	};

	for (size_t i = 0; i < ARRAY_SIZE(row.list); i++)
		row.list[i] = (uint16_t)pick_number();
	strcpy(row.text, texts[pick(ARRAY_SIZE(texts))]);
	log_begin("row");
	log_number("s8", row.s8);
	log_number("s16", row.s16);
	log_number("s32", row.s32);
	log_number("s64", row.s64);
	fprintf(log_file, ",\"u8\":%u,\"u16\":%u,\"u32\":%" PRIu32 ",\"u64\":%" PRIu64, row.u8, row.u16, row.u32, row.u64);
	fprintf(log_file, ",\"x8\":%u,\"x16\":%u,\"x32\":%" PRIu32 ",\"x64\":%" PRIu64, row.u8, row.u16, row.u32, row.u64);
	fprintf(log_file, ",\"bits\":%" PRIu32, row.bits >> 3 & 31);
	fprintf(log_file, ",\"list\":[%u,%u,%u,%u]", row.list[0], row.list[1], row.list[2], row.list[3]);
	log_text("text", row.text);
	log_end();
	answers_row(&row);
}

/* Calls begin and end, and logs between which times of the clock boot each was. */
static void act_span(void)
{
	struct timespec pause = { .tv_nsec = (long)pick(4) * 300000 + 1000 };
	unsigned int id = (unsigned int)pick(1000000);
	int64_t times[4];

	log_begin("span");
	times[0] = now();
	answers_begin(id);
	times[1] = now();
	clock_nanosleep(CLOCK_MONOTONIC, 0, &pause, NULL);
	times[2] = now();
	answers_end(id);
	times[3] = now();
	log_number("id", id);
	log_number("shortest", times[2] - times[1]);
	log_number("longest", times[3] - times[0]);
	log_end();
}

static void act_signal(void)
{
	static const int signals[] = { 10, 12, 28, 34, 40, 64 };
	int sig = signals[pick(ARRAY_SIZE(signals))];

	log_begin("signal");
	log_number("sig", sig);
	log_end();
	kill(getpid(), sig);
}

static void act_name(void)
{
	const char *name = names[pick(ARRAY_SIZE(names))];

	log_begin("name");
	log_text("newcomm", name);
	log_end();
	prctl(PR_SET_NAME, name);
}

static void act_oom(void)
{
	static const int scores[] = { 0, 1, 500, 1000, -1, -1000 };
	int score = scores[pick(ARRAY_SIZE(scores))];
	char text[16];
	int fd = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);

	if (fd < 0)
		return;
	snprintf(text, sizeof(text), "%d", score);
	// a lower one than the task has begun with takes a capability that root may lack
	if (write(fd, text, strlen(text)) > 0) {
		log_begin("oom");
		log_number("oom_score_adj", score);
		log_end();
	}
	close(fd);
}

static void act_seek(void)
{
	int64_t offset = (int64_t)pick_number();
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);

	log_begin("seek");
	log_number("offset", offset);
	errno = 0;
	log_number("ret", lseek(fd, offset, SEEK_SET) < 0 ? -errno : offset);
	log_end();
	close(fd);
}

/* Asks for a connection that is refused, from which the log has the addresses as the events print them. */
static void act_connect(void)
{
	bool six = pick(2);
	struct sockaddr_in6 to6 = { .sin6_family = AF_INET6, .sin6_addr = IN6ADDR_LOOPBACK_INIT };
	struct sockaddr_in to = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK + (uint32_t)pick(3)) };
	static const uint16_t ports[] = { 7, 33000, 65535 };
	uint16_t port = ports[pick(ARRAY_SIZE(ports))];
	int fd = socket(six ? AF_INET6 : AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	to.sin_port = to6.sin6_port = htons(port);
	log_begin("connect");
	log_number("dport", port);
	log_number("family", six ? AF_INET6 : AF_INET);
	log_text("daddr", six ? "::1" : inet_ntoa(to.sin_addr));
	errno = 0;
	if (connect(fd, six ? (void *)&to6 : (void *)&to, six ? sizeof(to6) : sizeof(to)) < 0)
		log_number("error", errno);
	log_end();
	close(fd);
}

/* Locks a part of a file: the event has a device, an inode, flags and signed 64-bit places. */
static void act_lock(void)
{
	static const short types[] = { F_RDLCK, F_WRLCK, F_UNLCK };
	struct flock lock = {
		.l_type = types[pick(ARRAY_SIZE(types))], .l_start = (off_t)pick(1000), .l_len = (off_t)pick(1000),
	};

	log_begin("lock");
	log_number("fl_start", lock.l_start);
	log_number("ret", fcntl(fileno(log_file), F_SETLK, &lock) < 0 ? -errno : 0);
	log_end();
}

/* Has a child that does one thing, under its parent's name, and ends. */
static void act_child(void)
{
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC), state;
	int64_t offset = (int64_t)pick(1000);
	pid_t child;

	fflush(log_file);
	child = fork();
	if (child == 0) {
		log_begin("seek");
		log_number("offset", offset);
		log_number("ret", offset);
		log_end();
		fflush(log_file);
		if (lseek(fd, offset, SEEK_SET) < 0)
			_exit(1);
		_exit(0);
	}
	if (child < 0 || waitpid(child, &state, 0) != child || state)
		exit(1);
	log_begin("child");
	log_number("child_pid", child);
	log_end();
	close(fd);
}

static void act(void)
{
	static void (*const acts[])(void) = {
		act_row, act_row, act_row, act_span, act_signal, act_name, act_oom, act_seek, act_connect,
		act_child, act_lock,
	};

	acts[pick(ARRAY_SIZE(acts))]();
}

static void go(const char *line)
{
	unsigned int count;
	unsigned long long seed;
	int cpu = -1;
	cpu_set_t set;

	if (sscanf(line, "go %u %llu %d", &count, &seed, &cpu) < 2)
		exit(2);
	CPU_ZERO(&set);
	if (cpu >= 0)
		CPU_SET((unsigned int)cpu, &set);
	for (unsigned int i = 0; cpu < 0 && i < CPU_SETSIZE; i++)
		CPU_SET(i, &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		exit(1);
	random_state = seed;
	while (count--)
		act();
	fflush(log_file);
	puts("done");
}

/* Finds where in its file a function is: a probe takes that. */
static int print_probes(const char *group)
{
	static const struct {
		const char *name;
		void *address;
	} functions[] = {
		{ "row", (void *)(uintptr_t)answers_row },
		{ "begin", (void *)(uintptr_t)answers_begin },
		{ "end", (void *)(uintptr_t)answers_end },
	};
	char path[4096] = "", line[8192];
	unsigned long from, to, offset;
	FILE *maps = fopen("/proc/self/maps", "re");

	if (readlink("/proc/self/exe", path, sizeof(path) - 1) < 0 || !maps)
		return 1;
	while (fgets(line, sizeof(line), maps)) {
		if (sscanf(line, "%lx-%lx %*s %lx", &from, &to, &offset) != 3)
			continue;
		for (size_t i = 0; i < ARRAY_SIZE(functions); i++) {
			unsigned long address = (unsigned long)functions[i].address;

			if (address < from || address >= to)
				continue;
			printf("p:%s/%s %s:0x%lx", group, functions[i].name, path, address - from + offset);
			if (i > 0)
				printf(" id=%%di:u32");
			for (size_t m = 0; i == 0 && m < ARRAY_SIZE(members); m++)
				printf(" %s=+%zu(%%di):%s", members[m].name, members[m].offset, members[m].type);
			printf("\n");
		}
	}
	fclose(maps);
	return 0;
}

int main(int argc, char **argv)
{
	char line[256];

	if (argc == 3 && !strcmp(argv[1], "--probes"))
		return print_probes(argv[2]);
	log_file = argc == 2 ? fopen(argv[1], "ae") : NULL;
	if (!log_file) {
		fprintf(stderr, "usage: answers-load LOG | --probes GROUP\n");
		return 2;
	}
	setvbuf(stdout, NULL, _IOLBF, 0);
	for (int sig = 10; sig <= 64; sig++)
		if (sig == 10 || sig == 12 || sig == 28 || sig >= 34)
			signal(sig, SIG_IGN);
	while (fgets(line, sizeof(line), stdin))
		go(line);
	return 0;
}
