/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "events/symbols/saved-comms.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "base/strbuf.h"
#include "base/vec.h"

/* "12=comm 13=?comm ": with a question mark where it is doubtful. */
static void assert_comms(struct tsh_saved_comms *comms, const char *want)
{
	struct tsh_strbuf got = TSH_STRBUF_INIT;
	size_t i;

	for (i = 0; i < comms->n; i++)
		tsh_strbuf_addf(&got, "%d=%s%.*s|", comms->v[i].pid, comms->v[i].doubtful ? "?" : "",
				TSH_COMM_SIZE, comms->v[i].comm);
	assert_string_equal(got.buf ? got.buf : "", want);
	tsh_strbuf_release(&got);
	tsh_vec_release(comms);
}

/* The kernel's table: a line may be the rest of a name, and name another task. */
static void test_parse(void **state)
{
	static const struct {
		const char *text, *want;
	} rows[] = {
		{ "", "" },
		{ "1 systemd\n2 kthreadd\n", "1=systemd|2=kthreadd|" },
		{ "1 init", "1=init|" },
		{ "1 a-name-of-fiftee\n2 x\n", "1=a-name-of-fifte|2=x|" },
		{ "1 evil\n2 good\n2 better\n", "1=evil|2=?good|2=?better|" },
		{ "1 two\nlines\n", "1=two\nlines|" },
		{ "1 \n\n2 x\n", "1=\n|2=?x|" },
		{ "1 fifteen-letters\nno-room\n", "1=fifteen-letters|" },
		{ "no pid\n7 x\n", "7=x|" },
		{ "0 swapper\n-5 x\n 6 x\n7x\n8", "" },
		{ "99999999999999999999 x\n134217727 y\n", "134217727=y|" },
		{ "3 \x1b[1m\xff\n", "3=\x1b[1m\xff|" },
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct tsh_saved_comms comms = { 0 };

		tsh_saved_comms_parse(&comms, rows[i].text);
		assert_comms(&comms, rows[i].want);
	}
}

/* What a recording holds is read as it was, and one task names no other. */
static void test_recording(void **state)
{
	static const char *const names[] = {
		"plain", "", "2 other", "a\n2 other", "\\x41", "\\", "\x1b\x7f\x01", "\xc3\xa4\xff",
		"fifteen-letters",
	};
	struct tsh_strbuf text = TSH_STRBUF_INIT;
	struct tsh_saved_comms comms = { 0 };
	size_t i, n = sizeof(names) / sizeof(names[0]);

	(void)state;
	tsh_strbuf_adds(&text, TSH_COMMS_ESCAPED);
	for (i = 0; i < n; i++)
		tsh_saved_comms_write(&text, (int)i + 1, names[i]);
	tsh_saved_comms_read(&comms, text.buf);
	assert_int_equal(comms.n, n);
	for (i = 0; i < n; i++) {
		assert_int_equal(comms.v[i].pid, i + 1);
		assert_false(comms.v[i].doubtful);
		assert_string_equal(comms.v[i].comm, names[i]);
	}
	tsh_vec_release(&comms);
	tsh_strbuf_release(&text);
}

static void test_read(void **state)
{
	static const struct {
		const char *text, *want;
	} rows[] = {
		{ TSH_COMMS_ESCAPED, "" },
		{ TSH_COMMS_ESCAPED "1 \\x4\n2 \\xAB\n3 \\y41\n4 \\x", "1=\\x4|2=\\xAB|3=\\y41|4=\\x|" },
		{ TSH_COMMS_ESCAPED "1 fifteen-letters-and-more\n", "1=fifteen-letters|" },
		{ TSH_COMMS_ESCAPED "1 fifteen-letter\\x41\n2 fifteen-letters\\x41\n", "1=fifteen-letterA|2=fifteen-letters|" },
		{ TSH_COMMS_ESCAPED "1 a\\x00b\nrest\n2 c\n", "1=a|2=c|" },
		{ "# escape\n1 \\x41\n", "1=\\x41|" },
		{ "1 old\n2 x\n", "1=old|2=?x|" },
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct tsh_saved_comms comms = { 0 };

		tsh_saved_comms_read(&comms, rows[i].text);
		assert_comms(&comms, rows[i].want);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_parse),
		cmocka_unit_test(test_recording),
		cmocka_unit_test(test_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
