/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "engine/hosts/gather.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/strbuf.h"
#include "base/xmalloc.h"
#include "events/clock/clock.h"

#define N(array) (sizeof(array) / sizeof((array)[0]))

static void test_iso(void **state)
{
	static const struct {
		const char *text;
		int64_t want;			/* -1: it is none */
	} rows[] = {
		{ "1970-01-01T00:00:00Z", 0 },
		{ "2024-01-02T22:47:33.843825123+08:00", 1704206853843825123 },
		{ "2024-01-02T14:47:33.843825123+00:00", 1704206853843825123 },
		{ "2024-01-02T09:17:33.8-05:30", 1704206853800000000 },
		{ "2024-02-29T00:00:00Z", 1709164800000000000 },
		{ "2262-04-11T23:47:16.854775807Z", INT64_MAX },
		{ "1970-01-01T01:00:00+01:00", 0 },
		{ "2262-04-11T23:47:16.854775808Z", -1 },
		{ "1969-12-31T23:59:59Z", -1 },
		{ "2023-02-29T00:00:00Z", -1 },
		{ "2024-13-01T00:00:00Z", -1 },
		{ "2024-01-01T24:00:00Z", -1 },
		{ "2024-01-01 00:00:00Z", -1 },
		{ "2024-01-01T00:00:00", -1 },
		{ "2024-01-01T00:00:00.Z", -1 },
		{ "2024-01-01T00:00:00.1234567891Z", -1 },
		{ "2024-01-01T00:00:00+1:00", -1 },
		{ "2024-01-01T00:00:00Zx", -1 },
		{ "", -1 },
	};
	int64_t wall;
	size_t i;

	(void)state;
	for (i = 0; i < N(rows); i++) {
		size_t len = strlen(rows[i].text);
		char *copy = tsh_xmalloc(len + 1);

		/* no NUL behind it */
		memcpy(copy + 1, rows[i].text, len);
		wall = -1;
		assert_int_equal(tsh_time_read_iso(copy + 1, len, &wall), rows[i].want != -1);
		assert_true(wall == rows[i].want);
		free(copy);
	}
}

static void test_find(void **state)
{
	static const struct {
		const char *line;
		size_t begin, name;
	} rows[] = {
		{ "{}", 0, 0 },
		{ "board1\t{}", 7, 6 },
		{ "board1: {}", 8, 6 },
		{ "trace/board1 {}", 13, 12 },
		{ "fe80::1: {}", 9, 7 },
		{ "  {}", 2, 0 },
		{ "board1{}", SIZE_MAX, 0 },
		{ "error: no such {}", SIZE_MAX, 0 },
		{ "a\\b\t{}", SIZE_MAX, 0 },
		{ "board1", SIZE_MAX, 0 },
		{ "", SIZE_MAX, 0 },
	};
	size_t i, name;

	(void)state;
	for (i = 0; i < N(rows); i++) {
		assert_int_equal(tsh_host_line_find(rows[i].line, strlen(rows[i].line), &name),
				 rows[i].begin);
		if (rows[i].begin != SIZE_MAX)
			assert_int_equal(name, rows[i].name);
	}
}

static void test_line(void **state)
{
	static const char event[] =
		"{\"type\":\"event\",\"time\":\"1970-01-01T00:00:01+00:00\",\"ts\":\"9007199254740993\","
		"\"error_ns\":18,\"cpu\":3,\"pid\":7,\"tgid\":null,\"comm\":\"a\\nb\",\"flags\":\"d..\","
		"\"event\":\"a:b\",\"late\":true,\"fields\":{\"x\":[1,2],\"late\":false}}\r";
	static const char *const bad[] = { "{}", "{\"type\":1}", "[\"type\",\"event\"]", "{\"type\":\"event\"",
					   "{\"type\":\"event\"} {}", "null" };
	struct tsh_host_line line;
	size_t i;

	(void)state;
	assert_true(tsh_host_line_read(event, strlen(event), &line));
	assert_int_equal(line.kind, TSH_HOST_EVENT);
	assert_true(line.has_wall && line.wall == 1000000000);
	assert_true(line.has_error && line.error_ns == 18);
	assert_int_equal(line.cpu, 3);
	assert_int_equal(line.pid, 7);
	assert_int_equal(line.tgid, 0);
	assert_true(tsh_json_is(&line.event, "a:b"));
	assert_false(line.comm.is_plain);
	assert_true(line.late && !line.unordered);
	assert_int_equal(line.fields.len, strlen("{\"x\":[1,2],\"late\":false}"));
	assert_int_equal(line.text[line.len - 1], '}');
	assert_true(tsh_host_line_read("{\"type\":\"end\",\"seconds\":2.000123}", 33, &line));
	assert_true(line.kind == TSH_HOST_END && line.ns == 2000123000);
	assert_true(tsh_host_line_read("{\"type\":\"new\",\"cpu\":-4}", 23, &line));
	assert_true(line.kind == TSH_HOST_OTHER && line.cpu == -1);
	for (i = 0; i < N(bad); i++)
		assert_false(tsh_host_line_read(bad[i], strlen(bad[i]), &line));
}

/* ---- merging ---- */

static int file_of(const char *text)
{
	int fd = memfd_create("lines", MFD_CLOEXEC);

	assert_true(fd > 0);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	lseek(fd, 0, SEEK_SET);
	return fd;
}

/* "host:LINE" of each: an event's comm with its marks, other lines by their kind. */
static bool take(void *ctx, const struct tsh_host_line *line, struct tsh_host *host)
{
	static const char *const kinds[] = { "start", "", "lost", "note", "end", "other" };
	struct tsh_strbuf *out = ctx;

	tsh_strbuf_addf(out, "%s%s:%s", out->len ? " " : "", host->name, kinds[line->kind]);
	if (line->kind == TSH_HOST_EVENT)
		tsh_strbuf_addf(out, "%s%s%.*s", line->late ? "!" : "", line->unordered ? "~" : "",
				(int)line->comm.len, line->comm.text);
	return true;
}

#define START(host, boot) "{\"type\":\"start\",\"host\":\"" host "\",\"boot_id\":\"" boot "\"}\n"
#define EVENT(second, error, comm) "{\"type\":\"event\",\"time\":\"1970-01-01T00:00:" second \
	"Z\",\"error_ns\":" error ",\"comm\":\"" comm "\"}\n"
#define LOST(second) "{\"type\":\"lost\",\"time\":\"1970-01-01T00:00:" second "Z\",\"cpu\":0,\"count\":5}\n"
#define NOTE "{\"type\":\"note\",\"text\":\"x\"}\n"
#define END "{\"type\":\"end\",\"seconds\":1.5}\n"

static struct tsh_gather *merge(const char *const *files, size_t n, uint64_t skew_ns,
				struct tsh_strbuf *got, struct tsh_err *err)
{
	const struct tsh_gather_options opt = { .out_fd = -1, .skew_ns = skew_ns, .room = 1 << 20,
						.line = take, .ctx = got };
	struct tsh_gather *g = tsh_gather_new(&opt);
	enum tsh_gather_end end;
	char name[32];
	size_t i;

	tsh_strbuf_clear(got);
	for (i = 0; i < n; i++) {
		(void)snprintf(name, sizeof(name), "f%zu.json", i);
		tsh_gather_add(g, name, file_of(files[i]));
	}
	if (!tsh_gather_run(g, &end, err))
		assert_int_equal(end, TSH_GATHER_EMPTY);
	return g;
}

static void check(const char *const *files, size_t n, uint64_t skew_ns, const char *want)
{
	struct tsh_strbuf got = TSH_STRBUF_INIT;
	struct tsh_err err = { 0 };

	tsh_gather_free(merge(files, n, skew_ns, &got, &err));
	assert_null(err.message);
	assert_string_equal(got.buf, want);
	tsh_strbuf_release(&got);
}

static void test_order(void **state)
{
	static const char *const two[] = {
		START("a", "1") EVENT("01", "0", "a1") LOST("03") EVENT("03", "0", "a3") NOTE END,
		START("b", "2") EVENT("02", "0", "b2") EVENT("03", "0", "b3") EVENT("04", "0", "b4") END,
	};
	static const char *const back[] = {
		START("a", "1") EVENT("05", "0", "a5") EVENT("01", "0", "a1") EVENT("06", "0", "a6") END,
		START("b", "2") EVENT("02", "0", "b2") EVENT("03", "0", "b3") END,
	};
	static const char *const mixed[] = {
		"a\t" START("one", "1") "b: " START("two", "2") "b: " EVENT("02", "0", "b2")
		"a\t" EVENT("01", "0", "a1") "a\t" END "b: " END,
	};

	(void)state;
	check(two, 2, 0, "a:start b:start a:a1 b:b2 a:lost a:a3 a:note a:end b:~b3 b:b4 b:end");
	check(back, 2, 0, "a:start b:start b:b2 b:b3 b:end a:a5 a:!a1 a:a6 a:end");
	check(mixed, 1, 0, "one@a:start two@b:start one@a:a1 one@a:end two@b:b2 two@b:end");
}

/* An interval that reaches to another host's event above. */
static void test_unordered(void **state)
{
	static const char *const files[] = {
		START("a", "1") EVENT("01.0", "1000", "a1") EVENT("01.000001", "1000", "a2")
		EVENT("02.0", "0", "a3") END,
		START("b", "2") EVENT("01.000002", "10", "b1") EVENT("01.000003", "10", "b2")
		EVENT("02.001", "0", "b3") END,
		START("c", "3") EVENT("01.000000990", "0", "c1") END,
	};

	(void)state;
	check(files, 3, 0, "a:start b:start c:start a:a1 c:~c1 c:end a:~a2 b:~b1 b:b2 a:a3 a:end "
			   "b:b3 b:end");
	check(files, 2, 2000000, "a:start b:start a:a1 a:a2 b:~b1 b:~b2 a:a3 a:end b:~b3 b:end");
}

static void test_hosts(void **state)
{
	/* two machines of one name, one that was booted anew, one that says nothing */
	static const char *const files[] = {
		START("pi", "1") EVENT("01", "0", "x") START("pi", "2") EVENT("04", "0", "y") END,
		START("pi", "3") EVENT("02", "0", "z") END,
		EVENT("03", "0", "u"),
	};
	struct tsh_strbuf got = TSH_STRBUF_INIT;
	struct tsh_err err = { 0 };
	struct tsh_gather *g = merge(files, 3, 0, &got, &err);

	(void)state;
	assert_string_equal(got.buf, "pi:start pi#2:start pi:x pi:start pi#2:z pi#2:end f2:u pi:y "
			    "pi:end");
	assert_int_equal(tsh_gather_host(g, 0)->cut, 1);
	assert_int_equal(tsh_gather_host(g, 0)->events, 2);
	assert_int_equal(tsh_gather_host(g, 1)->cut, 0);
	assert_true(tsh_gather_host(g, 1)->ns == 1500000000);
	assert_null(tsh_gather_host(g, 3));
	tsh_gather_free(g);
	tsh_strbuf_release(&got);
}

static void test_bad_lines(void **state)
{
	static const char *const files[] = {
		START("a", "1") "no JSON\n" EVENT("01", "0", "x") "\n{\"type\":3}\n{\"type\":\"eve",
	};
	struct tsh_strbuf got = TSH_STRBUF_INIT;
	struct tsh_err err = { 0 };
	struct tsh_gather *g = merge(files, 1, 0, &got, &err);
	const struct tsh_gather_input *in = tsh_gather_input(g, 0);

	(void)state;
	assert_string_equal(got.buf, "a:start a:x");
	assert_int_equal(in->lines, 6);
	assert_int_equal(in->bad, 3);
	assert_int_equal(in->first_bad, 2);
	assert_true(in->is_cut);
	assert_int_equal(tsh_gather_host(g, 0)->cut, 1);
	assert_null(tsh_gather_input(g, 1));
	tsh_gather_free(g);
	tsh_strbuf_release(&got);
}

/* A line of more than a megabyte is no event, and is not kept. */
static void test_long_line(void **state)
{
	struct tsh_strbuf text = TSH_STRBUF_INIT, got = TSH_STRBUF_INIT;
	struct tsh_err err = { 0 };
	const char *files[1];
	struct tsh_gather *g;

	(void)state;
	tsh_strbuf_adds(&text, START("a", "1") "{\"type\":\"note\",\"text\":\"");
	tsh_strbuf_addn(&text, 'x', 5 << 20);
	tsh_strbuf_adds(&text, "\"}\n" EVENT("01", "0", "x"));
	tsh_strbuf_addn(&text, 'y', 3 << 20);
	files[0] = text.buf;
	g = merge(files, 1, 0, &got, &err);
	assert_string_equal(got.buf, "a:start a:x");
	assert_int_equal(tsh_gather_input(g, 0)->bad, 2);
	assert_int_equal(tsh_gather_input(g, 0)->first_bad, 2);
	assert_int_equal(tsh_gather_input(g, 0)->lines, 4);
	tsh_gather_free(g);
	tsh_strbuf_release(&text);
	tsh_strbuf_release(&got);
}

#define UNTIMED(comm) "{\"type\":\"event\",\"time\":null,\"comm\":\"" comm "\"}\n"

static void test_untimed(void **state)
{
	static const char *const first[] = {
		START("a", "1") UNTIMED("x") UNTIMED("y") EVENT("02", "0", "z") UNTIMED("u") END,
		START("b", "2") EVENT("01", "0", "v") END,
	};
	static const char *const none[] = { START("a", "1") UNTIMED("x") END };
	struct tsh_strbuf got = TSH_STRBUF_INIT;
	struct tsh_err err = { 0 };
	struct tsh_gather *g = merge(first, 2, 0, &got, &err);

	(void)state;
	/* Leaves out what no time stands before; what follows a time has its place. */
	assert_string_equal(got.buf, "a:start b:start b:v b:end a:z a:u a:end");
	assert_int_equal(tsh_gather_input(g, 0)->untimed, 2);
	assert_int_equal(tsh_gather_input(g, 0)->first_untimed, 2);
	assert_int_equal(tsh_gather_input(g, 1)->untimed, 0);
	assert_int_equal(tsh_gather_host(g, 0)->events, 2);
	assert_int_equal(tsh_gather_host(g, 0)->untimed, 1);
	tsh_gather_free(g);
	check(none, 1, 0, "a:start a:end");
	tsh_strbuf_release(&got);
}

static bool is_no_lost(void *ctx, const struct tsh_host_line *line)
{
	(void)ctx;
	return line->kind != TSH_HOST_LOST && !(line->has_wall && line->wall == 1000000000);
}

/* Lines that are not wanted are counted nowhere, and are not those that another one is late to. */
static void test_wanted(void **state)
{
	struct tsh_strbuf got = TSH_STRBUF_INIT;
	const struct tsh_gather_options opt = { .out_fd = -1, .room = 1 << 20, .is_wanted = is_no_lost,
						.line = take, .ctx = &got };
	struct tsh_gather *g = tsh_gather_new(&opt);
	enum tsh_gather_end end;
	struct tsh_err err = { 0 };

	(void)state;
	tsh_gather_add(g, "f", file_of(START("a", "1") EVENT("01", "0", "x") LOST("02") EVENT("03", "0", "y") END));
	assert_int_equal(tsh_gather_run(g, &end, &err), 0);
	assert_string_equal(got.buf, "a:start a:y a:end");
	assert_int_equal(tsh_gather_host(g, 0)->events, 1);
	assert_int_equal(tsh_gather_host(g, 0)->lost, 0);
	tsh_gather_free(g);
	tsh_strbuf_release(&got);
}

/* The last time stands a megabyte before the end. */
static void test_far_time(void)
{
	struct tsh_strbuf text = TSH_STRBUF_INIT;
	int64_t last = -1;
	char path[40];
	int fd;

	tsh_strbuf_adds(&text, EVENT("04", "0", "x"));
	while (text.len < 1 << 20)
		tsh_strbuf_adds(&text, "no JSON\n");
	fd = file_of(text.buf);
	(void)snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	assert_int_equal(tsh_host_last_time(path, &last), 1);
	assert_true(last == 4000000000);
	close(fd);
	tsh_strbuf_release(&text);
}

static void test_last_time(void **state)
{
	static const struct {
		const char *text;
		int64_t want;			/* -1: there is none */
	} rows[] = {
		{ START("a", "1") EVENT("03", "0", "x") EVENT("02", "0", "y") END, 3000000000 },
		{ EVENT("01", "0", "x") "no JSON\n" LOST("02") "b\t" EVENT("01", "0", "z"), 2000000000 },
		{ EVENT("01", "0", "x") "{\"type\":\"event\",\"time\":\"1970-01-01T00:00:09Z\"}", 9000000000 },
		/* a line that is being written, and one of another program */
		{ EVENT("01", "0", "x") "{\"type\":\"event\",\"time\":\"1970-01-01T00:00:09Z\"", 1000000000 },
		{ EVENT("01", "0", "x") "{\"type\":\"other\",\"time\":\"1970-01-01T00:00:09Z\"}\n", 1000000000 },
		{ START("a", "1") END, -1 },
		{ "", -1 },
	};
	int64_t last;
	char path[40];
	size_t i;

	(void)state;
	for (i = 0; i < N(rows); i++) {
		int fd = file_of(rows[i].text);

		(void)snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
		last = -1;
		assert_int_equal(tsh_host_last_time(path, &last), rows[i].want == -1 ? 0 : 1);
		assert_true(last == rows[i].want);
		close(fd);
	}
	assert_int_equal(tsh_host_last_time("/dev/null", &last), -1);
	assert_int_equal(tsh_host_last_time("/nonexistent", &last), -1);
	test_far_time();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_iso),	  cmocka_unit_test(test_find),
		cmocka_unit_test(test_line),	  cmocka_unit_test(test_order),
		cmocka_unit_test(test_unordered), cmocka_unit_test(test_hosts),
		cmocka_unit_test(test_bad_lines), cmocka_unit_test(test_long_line),
		cmocka_unit_test(test_untimed), cmocka_unit_test(test_wanted), cmocka_unit_test(test_last_time),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
