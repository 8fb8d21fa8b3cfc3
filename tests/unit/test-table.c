/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "outputs.h"

#include "base/utf8.h"

/* ---- CSV ---- */

static void test_csv(void **state)
{
	static const struct {
		const char *text, *expected;
	} cases[] = {
		{ "", "" },
		{ "plain text", "plain text" },
		{ "a,b", "\"a,b\"" },
		{ "say \"x\"", "\"say \"\"x\"\"\"" },
		{ "\"", "\"\"\"\"" },
		{ "two\nlines", "two\\nlines" },
		{ CLEAR, "\\x1b[2J" },
		{ "=1+1", "'=1+1" },
		{ "@SUM(A1)", "'@SUM(A1)" },
		{ "+x", "'+x" },
		{ "-x,\"", "\"'-x,\"\"\"" },
		{ "\t=1", "'\\t=1" },
		{ "\r=1", "'\\r=1" },
		{ "=5", "'=5" },
		{ "-", "'-" },
		{ "-5", "-5" },
		{ "+5.25", "+5.25" },
		{ "-1e-9", "-1e-9" },
		{ "-1E5", "-1E5" },
		{ "-1e", "'-1e" },
		{ "-1.", "'-1." },
		{ "-.5", "'-.5" },
		{ "-1+2", "'-1+2" },
		{ "-0x1", "'-0x1" },
		{ "a=b", "a=b" },
		{ "\xff", "\\xff" },
		{ "\xe6\x97\xa5", "\xe6\x97\xa5" },
	};
	struct tsh_strbuf sb = TSH_STRBUF_INIT;
	size_t i;

	(void)state;
	for (i = 0; i < SIZE(cases); i++) {
		tsh_strbuf_clear(&sb);
		tsh_csv_cell(&sb, cases[i].text, strlen(cases[i].text));
		assert_string_equal(sb.buf, cases[i].expected);
	}
	tsh_strbuf_release(&sb);
}

/* ---- tables ---- */

static const struct tsh_column columns[] = {
	{ "task", TSH_COLUMN_TEXT },
	{ "pid", TSH_COLUMN_NUMBER },
	{ "size", TSH_COLUMN_SIZE },
	{ "on", TSH_COLUMN_BOOL },
	{ "note", TSH_COLUMN_TEXT },
	{ .name = NULL },
};

static void fill_table(struct tsh_out *out, bool plain)
{
	struct tsh_table *table = tsh_table_begin(out, "task", columns);

	if (plain)
		tsh_table_set_plain(table);
	tsh_table_row(table);
	tsh_table_text(table, "bash");
	tsh_table_number(table, 7);
	tsh_table_number(table, 4096);
	tsh_table_bool(table, true);
	tsh_table_text(table, "a, \"b\"");
	tsh_table_row(table);
	/* two wide characters, and what would clear the screen */
	tsh_table_text(table, "\xe6\x97\xa5\xe6\x9c\xac" CLEAR);
	tsh_table_number(table, 12345);
	tsh_table_number(table, 100);
	tsh_table_bool(table, false);
	tsh_table_text(table, NULL);
	tsh_table_texts(table, "=e\xcc\x81", NULL);
	tsh_table_end(table);
}

static void test_table(void **state)
{
	static const struct {
		enum tsh_format format;
		bool is_terminal, color, plain;
		const char *expected;
	} cases[] = {
		{ TSH_FORMAT_TEXT, true, false, false,
		  "TASK           PID  SIZE  ON  NOTE\n"
		  "bash             7    4K  *   a, \"b\"\n"
		  "\xe6\x97\xa5\xe6\x9c\xac\\x1b[2J  12345   100\n"
		  "=e\xcc\x81\n" },
		{ TSH_FORMAT_TEXT, true, true, false,
		  "\033[1mTASK           PID  SIZE  ON  NOTE\033[0m\n"
		  "bash             7    4K  *   a, \"b\"\n"
		  "\xe6\x97\xa5\xe6\x9c\xac\\x1b[2J  12345   100\n"
		  "=e\xcc\x81\n" },
		{ TSH_FORMAT_TEXT, false, false, false,
		  "bash             7   4K  *  a, \"b\"\n"
		  "\xe6\x97\xa5\xe6\x9c\xac\\x1b[2J  12345  100\n"
		  "=e\xcc\x81\n" },
		{ TSH_FORMAT_KERNEL, false, false, true,
		  "bash\t7\t4K\t*\ta, \"b\"\n"
		  "\xe6\x97\xa5\xe6\x9c\xac\\x1b[2J\t12345\t100\t\t\n"
		  "=e\xcc\x81\t\t\t\t\n" },
		{ TSH_FORMAT_CSV, false, false, false,
		  "task,pid,size,on,note\n"
		  "bash,7,4096,true,\"a, \"\"b\"\"\"\n"
		  "\xe6\x97\xa5\xe6\x9c\xac\\x1b[2J,12345,100,false,\n"
		  "'=e\xcc\x81,,,,\n" },
		{ TSH_FORMAT_JSON, true, true, false,
		  "{\"type\":\"task\",\"task\":\"bash\",\"pid\":7,\"size\":4096,\"on\":true,"
		  "\"note\":\"a, \\\"b\\\"\"}\n"
		  "{\"type\":\"task\",\"task\":\"\xe6\x97\xa5\xe6\x9c\xac\\u001b[2J\","
		  "\"pid\":12345,\"size\":100,\"on\":false,\"note\":null}\n"
		  "{\"type\":\"task\",\"task\":\"=e\xcc\x81\",\"pid\":null,\"size\":null,"
		  "\"on\":null,\"note\":null}\n" },
	};
	struct tsh_out out;
	size_t i;

	(void)state;
	for (i = 0; i < SIZE(cases); i++) {
		tsh_out_init(&out, -1, cases[i].format);
		out.is_terminal = cases[i].is_terminal;
		out.color = cases[i].color;
		fill_table(&out, cases[i].plain);
		check_data(&out, cases[i].expected);
	}
}

static void test_single_column(void **state)
{
	static const struct {
		bool is_terminal, plain;
		const char *expected;
	} cases[] = {
		{ true, false, "TASK\nx\ny\\n\n" },
		{ true, true, "x\ny\\n\n" },
		{ false, false, "x\ny\\n\n" },
	};
	static const struct tsh_column one[] = { { "task", TSH_COLUMN_TEXT }, { NULL, 0 } };
	struct tsh_table *table;
	struct tsh_out out;
	size_t i;

	(void)state;
	for (i = 0; i < SIZE(cases); i++) {
		tsh_out_init(&out, -1, TSH_FORMAT_TEXT);
		out.is_terminal = cases[i].is_terminal;
		table = tsh_table_begin(&out, "t", one);
		if (cases[i].plain)
			tsh_table_set_plain(table);
		tsh_table_row(table);
		tsh_table_text(table, "x");
		tsh_table_row(table);
		tsh_table_text(table, "y\n");
		tsh_table_end(table);
		check_data(&out, cases[i].expected);
	}
}

static void test_empty_table(void **state)
{
	static const char *const expected[] = { "", "", "task,pid,size,on,note\n", "" };
	struct tsh_out out;
	int format;

	(void)state;
	for (format = 0; format <= TSH_FORMAT_KERNEL; format++) {
		tsh_out_init(&out, -1, format);
		out.is_terminal = true;
		tsh_table_end(tsh_table_begin(&out, "t", columns));
		assert_string_equal(out.data.buf, expected[format]);
		tsh_out_release(&out);
	}
}

/* ---- fields ---- */

static void test_fields(void **state)
{
	static const struct {
		enum tsh_format format;
		bool is_terminal, color;
		const char *expected;
	} cases[] = {
		{ TSH_FORMAT_TEXT, false, true,
		  "clock:    boot\\n\nevents:   5\n\xe6\x97\xa5\xe6\x9c\xac:     yes\n"
		  "comment:\n" },
		{ TSH_FORMAT_TEXT, true, true,
		  "\033[1mclock:\033[0m    boot\\n\n\033[1mevents:\033[0m   5\n"
		  "\033[1m\xe6\x97\xa5\xe6\x9c\xac:\033[0m     yes\n"
		  "\033[1mcomment:\033[0m\n" },
		{ TSH_FORMAT_CSV, false, false,
		  "clock,events,\xe6\x97\xa5\xe6\x9c\xac,comment\nboot\\n,5,yes,\n" },
		{ TSH_FORMAT_JSON, true, true,
		  "{\"type\":\"status\",\"clock\":\"boot\\n\",\"events\":5,"
		  "\"\xe6\x97\xa5\xe6\x9c\xac\":\"yes\",\"comment\":null}\n" },
	};
	struct tsh_fields *f;
	struct tsh_out out;
	size_t i;

	(void)state;
	for (i = 0; i < SIZE(cases); i++) {
		tsh_out_init(&out, -1, cases[i].format);
		out.is_terminal = cases[i].is_terminal;
		out.color = cases[i].color;
		f = tsh_fields_begin(&out, "status");
		tsh_fields_text(f, "clock", "boot\n");
		tsh_fields_number(f, "events", 5);
		tsh_fields_text(f, "\xe6\x97\xa5\xe6\x9c\xac", "yes");
		tsh_fields_text(f, "comment", NULL);
		tsh_fields_end(f);
		check_data(&out, cases[i].expected);
	}
}

/* ---- any bytes ---- */

/* Past a JSON string, number or word; NULL when it is none. */
static const char *skip_value(const char *p)
{
	if (*p != '"') {
		size_t n = strspn(p, "0123456789truefalsn");

		return n ? p + n : NULL;
	}
	for (p++; *p != '"'; p++) {
		if ((unsigned char)*p < ' ')
			return NULL;
		if (*p != '\\')
			continue;
		p++;
		if (*p == 'u' && strspn(p + 1, "0123456789abcdefABCDEF") >= 4)
			p += 4;
		else if (!*p || !strchr("\"\\/bfnrt", *p))
			return NULL;
	}
	return p + 1;
}

static void check_json_line(const char *p)
{
	assert_int_equal(*p++, '{');
	for (;;) {
		p = skip_value(p);
		assert_non_null(p);
		assert_int_equal(*p++, ':');
		p = skip_value(p);
		assert_non_null(p);
		if (*p != ',')
			break;
		p++;
	}
	assert_string_equal(p, "}\n");
}

/* No byte may reach a terminal that is not text, and a row is a line. */
static void check_clean(const struct tsh_strbuf *data, size_t lines)
{
	size_t i = 0;

	while (i < data->len) {
		uint32_t code;
		size_t n = tsh_utf8_decode(data->buf + i, data->len - i, &code);

		assert_true(n > 0);
		if (code == '\n')
			lines--;
		else
			assert_false(tsh_utf8_is_hostile(code));
		i += n;
	}
	assert_int_equal(lines, 0);
}

static void test_any_bytes(void **state)
{
	static const struct tsh_column two[] = {
		{ "a", TSH_COLUMN_TEXT }, { "b", TSH_COLUMN_TEXT }, { NULL, 0 },
	};
	static const char specials[] = "\033\n\r\t\",=\\\x7f\xc2\x9b\xe2\x80\xae\xf0\x9f";
	uint64_t random = 99;
	struct tsh_out out;
	int i, j;

	(void)state;
	for (i = 0; i < 4000; i++) {
		struct tsh_table *table;
		struct tsh_fields *f;
		char text[24];

		for (j = 0; j < 23; j++) {
			random = random * 6364136223846793005u + 1442695040888963407u;
			text[j] = random >> 62 ? (char)(random >> 40) :
						 specials[(random >> 40) % SIZE(specials)];
		}
		text[23] = '\0';
		tsh_out_init(&out, -1, i % 3);
		table = tsh_table_begin(&out, "row", two);
		tsh_table_row(table);
		tsh_table_text(table, text);
		tsh_table_text(table, text + 11);
		tsh_table_end(table);
		check_clean(&out.data, out.format == TSH_FORMAT_CSV ? 2 : 1);
		if (out.format == TSH_FORMAT_JSON)
			check_json_line(out.data.buf);
		tsh_strbuf_clear(&out.data);
		f = tsh_fields_begin(&out, "record");
		tsh_fields_text(f, "key", text);
		tsh_fields_text(f, text, "value");
		tsh_fields_end(f);
		check_clean(&out.data, out.format == TSH_FORMAT_JSON ? 1 : 2);
		if (out.format == TSH_FORMAT_JSON)
			check_json_line(out.data.buf);
		tsh_out_release(&out);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_csv),
		cmocka_unit_test(test_table),
		cmocka_unit_test(test_single_column),
		cmocka_unit_test(test_empty_table),
		cmocka_unit_test(test_fields),
		cmocka_unit_test(test_any_bytes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
