/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TESTS_UNIT_SPECIAL_EVENTS_H
#define TESTS_UNIT_SPECIAL_EVENTS_H

#include "specials.h"

/* ---- formats ---- */

#define FIELD(declaration, offset, size, is_signed) \
	"\tfield:" declaration ";\toffset:" #offset ";\tsize:" #size ";\tsigned:" #is_signed ";\n"
#define NUMBER(type, name, offset, size) FIELD(type " " name, offset, size, 0)
#define FORMAT(name, id, fields, print_fmt) \
	"name: " name "\nID: " #id "\nformat:\n" \
	FIELD("unsigned short common_type", 0, 2, 0) \
	FIELD("unsigned char common_flags", 2, 1, 0) \
	FIELD("unsigned char common_preempt_count", 3, 1, 0) \
	FIELD("int common_pid", 4, 4, 1) "\n" fields "\nprint fmt: " print_fmt "\n"
#define LONG(name, offset) NUMBER("unsigned long", name, offset, 8)

#define SWITCH_FIELDS NUMBER("unsigned int", "prev_pid", 8, 4) \
	NUMBER("unsigned int", "next_pid", 12, 4) NUMBER("unsigned int", "next_cpu", 16, 4) \
	NUMBER("unsigned char", "prev_prio", 20, 1) NUMBER("unsigned char", "prev_state", 21, 1) \
	NUMBER("unsigned char", "next_prio", 22, 1) NUMBER("unsigned char", "next_state", 23, 1)
#define OPEN_FIELDS FIELD("int __syscall_nr", 8, 4, 1) FIELD("int dfd", 16, 8, 0) \
	FIELD("const char * filename", 24, 8, 0) FIELD("int flags", 32, 8, 0) \
	FIELD("umode_t mode", 40, 8, 0)

static const struct fixture {
	unsigned int id;
	const char *system;
	const char *text;
} fixtures[] = {
	{ 1, "ftrace", FORMAT("function", 1, LONG("ip", 8) LONG("parent_ip", 16)
			      FIELD("unsigned long args[]", 24, 0, 0), "\"\"") },
	{ 2, "ftrace", FORMAT("context_switch", 2, SWITCH_FIELDS, "\"\"") },
	{ 3, "ftrace", FORMAT("wakeup", 3, SWITCH_FIELDS, "\"\"") },
	{ 4, "ftrace", FORMAT("kernel_stack", 4, FIELD("int size", 8, 4, 1)
			      FIELD("unsigned long caller[8]", 16, 64, 0), "\"\"") },
	{ 5, "ftrace", FORMAT("print", 5, LONG("ip", 8) FIELD("char buf[]", 16, 0, 0), "\"\"") },
	{ 7, "ftrace", FORMAT("mmiotrace_rw", 7, NUMBER("resource_size_t", "phys", 8, 8)
			      LONG("value", 16) LONG("pc", 24) FIELD("int map_id", 32, 4, 1)
			      NUMBER("unsigned char", "opcode", 36, 1)
			      NUMBER("unsigned char", "width", 37, 1), "\"\"") },
	{ 8, "ftrace", FORMAT("mmiotrace_map", 8, NUMBER("resource_size_t", "phys", 8, 8)
			      LONG("virt", 16) LONG("len", 24) FIELD("int map_id", 32, 4, 1)
			      NUMBER("unsigned char", "opcode", 36, 1), "\"\"") },
	{ 12, "ftrace", FORMAT("user_stack", 12, NUMBER("unsigned int", "tgid", 8, 4)
			       FIELD("unsigned long caller[8]", 16, 64, 0), "\"\"") },
	{ 14, "ftrace", FORMAT("bputs", 14, LONG("ip", 8) FIELD("const char * str", 16, 8, 0),
			       "\"\"") },
	{ 15, "ftrace", FORMAT("hwlat", 15, NUMBER("u64", "duration", 8, 8)
			       NUMBER("u64", "outer_duration", 16, 8)
			       NUMBER("u64", "nmi_total_ts", 24, 8) FIELD("s64 tv_sec", 32, 8, 1)
			       FIELD("long tv_nsec", 40, 8, 1)
			       NUMBER("unsigned int", "nmi_count", 48, 4)
			       NUMBER("unsigned int", "seqnum", 52, 4)
			       NUMBER("unsigned int", "count", 56, 4), "\"\"") },
	{ 16, "ftrace", FORMAT("osnoise", 16, NUMBER("u64", "noise", 8, 8)
			       NUMBER("u64", "runtime", 16, 8) NUMBER("u64", "max_sample", 24, 8)
			       NUMBER("unsigned int", "hw_count", 32, 4)
			       NUMBER("unsigned int", "nmi_count", 36, 4)
			       NUMBER("unsigned int", "irq_count", 40, 4)
			       NUMBER("unsigned int", "softirq_count", 44, 4)
			       NUMBER("unsigned int", "thread_count", 48, 4), "\"\"") },
	{ 17, "ftrace", FORMAT("timerlat", 17, NUMBER("unsigned int", "seqnum", 8, 4)
			       FIELD("int context", 12, 4, 1)
			       NUMBER("u64", "timer_latency", 16, 8), "\"\"") },
	{ 18, "ftrace", FORMAT("raw_data", 18, NUMBER("unsigned int", "id", 8, 4)
			       FIELD("char buf[]", 12, 0, 0), "\"\"") },
	{ 19, "ftrace", FORMAT("func_repeats", 19, LONG("ip", 8) LONG("parent_ip", 16)
			       NUMBER("u16", "count", 24, 2) NUMBER("u16", "top_delta_ts", 26, 2)
			       NUMBER("u32", "bottom_delta_ts", 28, 4), "\"\"") },
	{ 20, "ftrace", FORMAT("branch", 20, NUMBER("unsigned int", "line", 8, 4)
			       FIELD("char func[31]", 12, 31, 0) FIELD("char file[21]", 43, 21, 0)
			       NUMBER("char", "correct", 64, 1), "\"\"") },
	{ 100, "syscalls", FORMAT("sys_enter_openat", 100, OPEN_FIELDS, "\"dfd: 0x%08lx\"") },
	{ 101, "syscalls", FORMAT("sys_exit_openat", 101, FIELD("int __syscall_nr", 8, 4, 1)
				  FIELD("long ret", 16, 8, 1), "\"0x%lx\", REC->ret") },
	{ 102, "syscalls", FORMAT("sys_enter_write", 102, FIELD("int __syscall_nr", 8, 4, 1)
				  FIELD("unsigned int fd", 16, 8, 0)
				  FIELD("const char * buf", 24, 8, 0)
				  FIELD("size_t count", 32, 8, 0)
				  FIELD("__data_loc char[] __buf_val", 40, 4, 0),
				  "\"buf: 0x%08lx (%s)\", ((unsigned long)(REC->buf)), "
				  "__print_dynamic_array(__buf_val, 1)") },
	{ 103, "syscalls", FORMAT("sys_enter_openat", 103, OPEN_FIELDS
				  FIELD("__data_loc char[] __filename_val", 48, 4, 0),
				  "\"flags: %s%s\", __get_str(__filename_val), REC->flags ? "
				  "__print_flags(REC->flags, \"|\", { 0x1, \"O_WRONLY\" }, "
				  "{ 0x2, \"O_RDWR\" }, { 0x40, \"O_CREAT\" }, "
				  "{ 0x200, \"O_TRUNC\" }, { 0x10000, \"O_DIRECTORY\" }, "
				  "{ 0x80000, \"O_CLOEXEC\" }) : "
				  "\"O_RDONLY\"") },
	{ 200, "kprobes", FORMAT("p", 200, LONG("__probe_ip", 8) FIELD("s32 fd", 16, 4, 1)
				 FIELD("u8 c", 20, 1, 0) FIELD("u8 x[3]", 21, 3, 0)
				 FIELD("__data_loc char[] name", 24, 4, 0)
				 FIELD("u64 sym", 28, 8, 0)
				 FIELD("__data_loc char[][2] two", 36, 8, 0),
				 "\"(%lx) fd=%d c='%c' x={0x%x,0x%x,0x%x} name=\\\"%s\\\""
				 " sym=%pS two={\\\"%s\\\",\\\"%s\\\"}\", REC->__probe_ip") },
	{ 201, "kprobes", FORMAT("r", 201, LONG("__probe_func", 8) LONG("__probe_ret_ip", 16)
				 FIELD("u64 ret", 24, 8, 0),
				 "\"(%lx <- %lx) ret=0x%Lx\", REC->__probe_func") },
	{ 202, "uprobes", FORMAT("u", 202, LONG("__probe_ip", 8), "\"(%lx)\", REC->__probe_ip") },
	{ 203, "uprobes", FORMAT("gone", 203, LONG("__probe_func", 8) LONG("__probe_ret_ip", 16),
				 "\"(%lx <- %lx)\", REC->__probe_func") },
	{ 204, "eprobes", FORMAT("e", 204, FIELD("s64 a", 8, 8, 1), "\" a=%Ld\", REC->a") },
	{ 205, "mine", FORMAT("plain", 205, FIELD("s64 a", 8, 8, 1), "\" a=%Ld\", REC->a") },
	{ 300, "synthetic", FORMAT("s", 300, FIELD("pid_t pid", 8, 4, 1) FIELD("s8 low", 16, 1, 1)
				   FIELD("char comm[16]", 24, 16, 0)
				   FIELD("__data_loc char[] text", 280, 8, 0)
				   FIELD("__data_loc unsigned long[] stack", 288, 8, 0)
				   FIELD("s64 last", 296, 8, 1), "\"\"") },
};

#define NFIXTURES (sizeof(fixtures) / sizeof(fixtures[0]))

/* ---- a provider, and records ---- */

static inline int get_format(void *ctx, unsigned int id, char **ret_system, char **ret_text)
{
	size_t i;

	(void)ctx;
	for (i = 0; i < NFIXTURES; i++) {
		if (fixtures[i].id != id)
			continue;
		*ret_system = strdup(fixtures[i].system);
		*ret_text = strdup(fixtures[i].text);
		return 0;
	}
	return -ENOENT;
}

static inline char *get_cmdlines(void *ctx)
{
	(void)ctx;
	return strdup("7 seven\n");
}

static inline int get_kallsyms(void *ctx)
{
	static const char text[] =
		"ffffffff81000000 T _stext\n"
		"ffffffff81001000 T vfs_read\n"
		"ffffffff81002000 T ksys_read\n"
		"ffffffff81003000 T arch_rethook_trampoline\n"
		"ffffffff81004000 T tracing_mark_write\n"
		"ffffffff81005000 T _etext\n"
		"ffffffffc0000000 t get_inode\t[somefs]\n"
		"ffffffffc0001000 t put_inode\t[somefs]\n";

	(void)ctx;
	return symbols_file(text);
}

static inline char *get_dynamic_events(void *ctx)
{
	(void)ctx;
	return strdup("p:kprobes/p vfs_read fd=%di\nr8:kprobes/r vfs_read ret=$retval\n"
		      "p:uprobes/u /bin/true:0x1000\ne:eprobes/e sched.sched_switch a=$next_pid\n");
}

static inline int get_option(void *ctx, const char *name)
{
	const struct world *w = ctx;

	return strstr(w->options, name) != NULL;
}

static inline void begin(struct world *w, const char *options, unsigned int minor)
{
	static const struct tsh_provider own = {
		.format = get_format, .cmdlines = get_cmdlines, .kallsyms = get_kallsyms,
		.dynamic_events = get_dynamic_events, .option = get_option,
	};

	begin_version(w, &own, 6, minor, options);
}

static inline void put(struct world *w, uint32_t offset, uint32_t size, uint64_t value)
{
	uint32_t i;

	for (i = 0; i < size; i++)
		w->data[offset + i] = (unsigned char)(value >> 8 * i);
}

static inline void put_text(struct world *w, uint32_t offset, const char *text)
{
	memcpy(w->data + offset, text, strlen(text) + 1);
}

/* Returns the text of w->data as an event at 12.345678901 on CPU 1, of exactly `size` bytes. */
static inline const char *print(struct world *w, unsigned int id, uint32_t size)
{
	unsigned char *exact = malloc(size ? size : 1);
	struct tsh_record rec = { UINT64_C(12345678901), 1, size, exact };
	const struct tsh_event_format *format = tsh_decoder_format(w->d, id);

	assert_non_null(exact);
	assert_non_null(format);
	put(w, 0, 2, id);
	memcpy(exact, w->data, size);
	tsh_strbuf_clear(&w->out);
	tsh_decoder_print(w->d, format, &rec, &w->out);
	free(exact);
	return w->out.buf;
}

#define check(w, id, size, text) assert_string_equal(print(w, id, size), text)

#endif
