/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "special-events.h"

/* ---- system calls ---- */

static void put_openat(struct world *w)
{
	put(w, 16, 8, (uint32_t)-100);
	put(w, 24, 8, 0x7ffd1000);
	put(w, 32, 8, 0x80241);
	put(w, 40, 8, 0644);
}

static void system_calls(void **state)
{
	struct world w;

	(void)state;
	begin(&w, "", 17);
	put_openat(&w);
	check(&w, 100, 48, "sys_openat(dfd: ffffff9c, filename: 7ffd1000, flags: 80241, "
	      "mode: 1a4)");
	put(&w, 32, 8, 0);
	check(&w, 100, 44, "sys_openat(dfd: ffffff9c, filename: 7ffd1000, flags: 0)");
	put(&w, 16, 8, UINT64_MAX - 1);
	check(&w, 101, 24, "sys_openat -> 0xfffffffffffffffe");
	check(&w, 101, 20, "sys_openat");
	end(&w);

	begin(&w, "", 18);
	put_openat(&w);
	put(&w, 40, 8, 9);
	check(&w, 100, 48, "sys_openat(dfd: 0xffffff9c, filename: 0x7ffd1000, flags: 0x80241, "
	      "mode: 9)");
	end(&w);

	begin(&w, "verbose", 18);
	check(&w, 100, 48, "sys_openat(int dfd: 0, const char * filename: 0, int flags: 0, "
	      "umode_t mode: 0)");
	end(&w);
}

static void system_call_data(void **state)
{
	struct world w;

	(void)state;
	begin(&w, "", 1);
	put(&w, 16, 8, 1);
	put(&w, 24, 8, 0x1000);
	put(&w, 32, 8, 3);
	put(&w, 40, 4, 3 << 16 | 44);
	memcpy(w.data + 44, "a\001b", 4);
	check(&w, 102, 48, "sys_write(fd: 1, buf: 0x1000 (61:01:62) \"a.b\", count: 3)");
	put(&w, 32, 8, 300);
	check(&w, 102, 48,
	      "sys_write(fd: 1, buf: 0x1000 (61:01:62, ...) \"a.b\"..., count: 0x12c)");
	memcpy(w.data + 44, "\002\001\003", 4);
	check(&w, 102, 48, "sys_write(fd: 1, buf: 0x1000 (02:01:03, ...), count: 0x12c)");
	put(&w, 40, 4, 30 << 16 | 44);
	check(&w, 102, 48, "sys_write(fd: 1, buf: 0x1000, count: 0x12c)");
	end(&w);
}

static void system_call_openat(void **state)
{
	struct world w;

	(void)state;
	begin(&w, "", 19);
	put_openat(&w);
	put(&w, 48, 4, 12 << 16 | 52);
	put_text(&w, 52, "/etc/passwd");
	check(&w, 103, 64, "sys_openat(dfd: 4294967196, filename: 2147291136 \"/etc/passwd\", "
	      "flags: O_WRONLY|O_CREAT|O_TRUNC|O_CLOEXEC, mode: 0644)");
	put(&w, 32, 8, 0);
	check(&w, 103, 64, "sys_openat(dfd: 4294967196, filename: 2147291136 \"/etc/passwd\", "
	      "flags: O_RDONLY)");
	put(&w, 32, 8, 0x80004);
	check(&w, 103, 64, "sys_openat(dfd: 4294967196, filename: 2147291136 \"/etc/passwd\", "
	      "flags: O_RDONLY|O_CLOEXEC|0x4)");
	put(&w, 32, 8, 020000000 | 0x10002);
	check(&w, 103, 64, "sys_openat(dfd: 4294967196, filename: 2147291136 \"/etc/passwd\", "
	      "flags: O_TMPFILE|O_RDWR, mode: 0644)");
	end(&w);
}

/* ---- functions and stacks ---- */

static void functions(void **state)
{
	struct world w;

	(void)state;
	begin(&w, "print-parent", 18);
	put(&w, 8, 8, TEXT + 0x1000);
	put(&w, 16, 8, TEXT + 0x2045);
	check(&w, 1, 24, "vfs_read <-ksys_read");
	check(&w, 1, 72, "vfs_read() <-ksys_read");
	put(&w, 24, 8, UINT64_C(1000000000) << 32 | 1 << 16 | 3);
	check(&w, 19, 32, "vfs_read <-ksys_read (repeats: 3, last_ts:     7.050712)");
	put(&w, 16, 8, TEXT + 0x3000);
	check(&w, 1, 24, "vfs_read <-[unknown/kretprobe'd]");
	put(&w, 16, 8, 0);
	check(&w, 1, 24, "vfs_read");
	put(&w, 8, 8, 0x1234);
	check(&w, 1, 24, "0x00001234");
	check(&w, 1, 12, "0");
	end(&w);

	begin(&w, "sym-offset sym-addr", 18);
	put(&w, 8, 8, TEXT + 0x1010);
	put(&w, 16, 8, TEXT + 0x2045);
	check(&w, 1, 24, "vfs_read+0x10/0x1000 <ffffffff81001010>");
	put(&w, 8, 8, UINT64_C(0xffffffffc0000004));
	check(&w, 1, 24, "get_inode+0x4/0x1000 [somefs] <ffffffffc0000004>");
	end(&w);
}

static void stacks(void **state)
{
	struct world w;

	(void)state;
	begin(&w, "", 18);
	put(&w, 8, 4, 4);
	put(&w, 16, 8, TEXT + 0x1010);
	put(&w, 24, 8, 0x7fffffff);
	put(&w, 32, 8, TEXT + 0x2045);
	put(&w, 40, 8, UINT64_MAX);
	check(&w, 4, 80, "<stack trace>\n => vfs_read\n => [FTRACE TRAMPOLINE]\n => ksys_read");
	check(&w, 4, 30, "<stack trace>\n => vfs_read");
	memset(w.data + 16, 0, 64);
	put(&w, 16, 8, 0x55aa);
	check(&w, 12, 80, "<user stack trace>\n =>  <00000000000055aa>");
	end(&w);
}

static void markers(void **state)
{
	struct tsh_record rec = { 0, 0, 24, NULL };
	struct world w;

	(void)state;
	begin(&w, "sym-offset", 18);
	put(&w, 8, 8, TEXT + 0x4010);
	put_text(&w, 16, "hello\n");
	check(&w, 5, 24, "hello\n");
	rec.data = w.data;
	tsh_strbuf_clear(&w.out);
	tsh_decoder_label(w.d, tsh_decoder_format(w.d, 5), &rec, &w.out);
	assert_string_equal(w.out.buf, "tracing_mark_write+0x10/0x1000");
	put(&w, 8, 4, 0xabc);
	memcpy(w.data + 12, "\001\377", 2);
	check(&w, 18, 14, "# abc buf: 01 ff");
	check(&w, 18, 12, "# abc buf:");
	put(&w, 8, 8, TEXT + 0x1000);
	put(&w, 16, 8, 0x1234);
	check(&w, 14, 24, "vfs_read+0x0/0x1000: 0x1234");
	put(&w, 8, 4, 12);
	put_text(&w, 12, "f");
	put_text(&w, 43, "a.c");
	put(&w, 64, 1, 1);
	check(&w, 20, 68, "[  ok  ] f:a.c:12");
	end(&w);
}

/* ---- dynamic events ---- */

static void probes(void **state)
{
	struct world w;

	(void)state;
	begin(&w, "", 18);
	put(&w, 8, 8, TEXT + 0x1000);
	put(&w, 16, 4, (uint32_t)-2);
	put(&w, 20, 4, 0x030201 << 8 | 'q');
	put(&w, 24, 4, 4 << 16 | 44);
	put(&w, 28, 8, TEXT + 0x2001);
	put(&w, 36, 4, 0);
	put(&w, 40, 4, 4 << 16 | 44);
	put_text(&w, 44, "abc");
	check(&w, 200, 48, "(vfs_read+0x0/0x1000) fd=-2 c='q' x={0x1,0x2,0x3} name=\"abc\" "
	      "sym=ksys_read+0x1/0x1000 two={(fault),\"abc\"}");
	put(&w, 24, 4, 4 << 16 | 9999);
	check(&w, 200, 36, "(vfs_read+0x0/0x1000) fd=-2 c='q' x={0x1,0x2,0x3} name=\"\" "
	      "sym=ksys_read+0x1/0x1000 two={}");
	put(&w, 16, 8, TEXT + 0x2001);
	put(&w, 24, 8, 44);
	check(&w, 201, 32, "(ksys_read+0x1/0x1000 <- vfs_read) ret=0x2c");
	put(&w, 8, 8, 0x55d300);
	check(&w, 202, 16, "(0x55d300)");
	put(&w, 16, 8, 0x55d400);
	check(&w, 203, 24, "(0x55d400 <- 0x55d300)");
	put(&w, 8, 8, (uint64_t)-5);
	check(&w, 204, 16, "(sched.sched_switch) a=-5");
	check(&w, 205, 16, " a=-5");
	end(&w);
}

static void synthetic(void **state)
{
	struct world w;

	(void)state;
	begin(&w, "", 18);
	put(&w, 8, 4, 7);
	put(&w, 16, 1, 0xff);
	put_text(&w, 24, "longer than its sixteen bytes");
	put(&w, 280, 4, 5 << 16 | 304);
	put_text(&w, 304, "text");
	put(&w, 288, 4, 24 << 16 | 312);
	put(&w, 312, 8, 2);
	put(&w, 320, 8, TEXT + 0x1001);
	put(&w, 328, 8, TEXT + 0x2001);
	put(&w, 296, 8, (uint64_t)-9);
	check(&w, 300, 336, "pid=7 low=255 comm=longer than its sixteen bytes text=text "
	      "stack=STACK:\n=> vfs_read+0x1/0x1000\n=> ksys_read+0x1/0x1000\nlast=-9");
	end(&w);
}

/* ---- records that are not what they should be ---- */

static void hostile(void **state)
{
	unsigned int seed = 1;
	struct world w;
	size_t i, round, n;

	(void)state;
	begin(&w, "sym-offset print-parent", 18);
	for (round = 0; round < 300; round++) {
		for (n = 0; n < sizeof(w.data); n++) {
			seed = seed * 1103515245 + 12345;
			w.data[n] = (unsigned char)(seed >> 16 & (round & 1 ? 0x3f : 0xff));
		}
		for (i = 0; i < NFIXTURES; i++)
			print(&w, fixtures[i].id, (uint32_t)(round * 7 % sizeof(w.data)));
		print(&w, 13, (uint32_t)(round * 5 % 100));
	}
	end(&w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(system_calls),
		cmocka_unit_test(system_call_data),
		cmocka_unit_test(system_call_openat),
		cmocka_unit_test(functions),
		cmocka_unit_test(stacks),
		cmocka_unit_test(markers),
		cmocka_unit_test(probes),
		cmocka_unit_test(synthetic),
		cmocka_unit_test(hostile),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
