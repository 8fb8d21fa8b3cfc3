/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "programs.h"

/* What is not printed, and why. */

static void beyond_us_is_said(void **state)
{
	static const struct {
		const char *print_fmt, *why;
	} cases[] = {
		{ "\"%d\", NOBODY", "'NOBODY'" },
		{ "\"%d\", nobody_knows(REC->one)", "'nobody_knows'" },
		{ "\"%s\", nobody_knows(REC->one)", "'nobody_knows'" },
		{ "\"%d %d\", REC->one", "too few arguments" },
		{ "\"%d\", REC->comm", "a string" },
		{ "\"%d\", REC->words[3]", "beyond its field" },
		{ "\"%d\", *(int *)REC->ip", "not in the record" },
		{ "\"%s\", __print_hex(REC->ip, 4)", "not in the record" },
		{ "\"%s\", __print_array(REC->words, 3)", "other arguments" },
		{ "\"%d\", REC->", "" },
	};
	struct world w;
	size_t i;

	(void)state;
	set_up(&w, false, 8);
	for (i = 0; i < N(cases); i++) {
		struct tsh_event_format *format = parse(&w, cases[i].print_fmt);
		char *why = NULL;

		assert_null(program_compile(&w.env, format, &why));
		assert_non_null(why);
		if (!strstr(why, cases[i].why))
			fail_msg("%s: '%s'", cases[i].print_fmt, why);
		free(why);
		tsh_event_format_free(format);
	}
	tear_down(&w);
}

/* (c ? (c ? s : s) : (c ? s : s)), so many deep */
static void add_choices(struct tsh_strbuf *text, unsigned int depth)
{
	if (!depth) {
		tsh_strbuf_addc(text, 's');
		return;
	}
	tsh_strbuf_adds(text, "(REC->one ? ");
	add_choices(text, depth - 1);
	tsh_strbuf_adds(text, " : ");
	add_choices(text, depth - 1);
	tsh_strbuf_addc(text, ')');
}

static void refused(struct world *w, const char *print_fmt, const char *want)
{
	struct tsh_event_format *format = parse(w, print_fmt);
	char *why = NULL;

	assert_null(program_compile(&w->env, format, &why));
	assert_non_null(why);
	if (!strstr(why, want))
		fail_msg("'%s'", why);
	free(why);
	tsh_event_format_free(format);
}

/* Small formats that would make large programs. */
static void formats_that_grow_are_refused(void **state)
{
	struct tsh_strbuf text = TSH_STRBUF_INIT;
	struct world w;
	unsigned int i;

	(void)state;
	set_up(&w, false, 8);
	tsh_strbuf_adds(&text, "\"%s\", ({ const char *s = \"");
	tsh_strbuf_addn(&text, 'A', 100000);
	tsh_strbuf_adds(&text, "\"; ");
	add_choices(&text, 8);
	tsh_strbuf_adds(&text, "; })");
	refused(&w, text.buf, "too long");

	tsh_strbuf_clear(&text);
	tsh_strbuf_adds(&text, "\"%d\", ({ ");
	for (i = 0; i < 300; i++)
		tsh_strbuf_addf(&text, "int v%u = 1; ", i);
	tsh_strbuf_adds(&text, "1; })");
	refused(&w, text.buf, "too many variables");
	tsh_strbuf_release(&text);
	tear_down(&w);
}

/* A text of some megabytes from one record. */
static void texts_that_grow_are_dropped(void **state)
{
	struct tsh_strbuf text = TSH_STRBUF_INIT, out = TSH_STRBUF_INIT;
	struct tsh_event_format *format;
	struct program *p;
	struct world w;
	unsigned int i;

	(void)state;
	set_up(&w, false, 8);
	tsh_strbuf_addc(&text, '"');
	for (i = 0; i < 500; i++)
		tsh_strbuf_adds(&text, "%8191d");
	tsh_strbuf_addc(&text, '"');
	for (i = 0; i < 500; i++)
		tsh_strbuf_adds(&text, ", REC->one");
	format = parse(&w, text.buf);
	p = compile(&w, format);
	tsh_strbuf_adds(&out, "x");
	assert_false(run(p, w.record, w.size, &out));
	assert_string_equal(out.buf, "x");
	assert_true(out.cap < 1u << 20);
	program_free(p);
	tsh_event_format_free(format);
	tsh_strbuf_release(&out);
	tsh_strbuf_release(&text);
	tear_down(&w);
}

/* Everything that reads memory. */
static const char all_of_it[] =
	"\"%s %s %s %s %s %s %s %pM %c %llx %d\", REC->comm, REC->short_name, __get_str(str), "
	"__get_rel_str(rel), __print_array(__get_dynamic_array(longs), 9, 8), "
	"__print_hex(__get_dynamic_array(blob), 99), __get_bitmask(cpus), REC->mac, "
	"REC->comm[REC->u8], ((u64 *)__get_dynamic_array(longs))[REC->one], REC->words[REC->zero]";

static void short_records_print_nothing(void **state)
{
	struct tsh_strbuf out = TSH_STRBUF_INIT;
	struct tsh_event_format *format;
	struct program *p;
	struct world w;
	uint32_t size;
	unsigned int big;
	bool good;

	(void)state;
	for (big = 0; big < 2; big++) {
		set_up(&w, big, 8);
		format = parse(&w, all_of_it);
		p = compile(&w, format);
		for (size = 0; size <= w.size; size++) {
			tsh_strbuf_clear(&out);
			tsh_strbuf_adds(&out, "x");
			/* comm[200] is in no record */
			assert_false(run(p, w.record, size, &out));
			assert_string_equal(out.buf, "x");
		}
		put(&w, word_offset(&w, "u8"), 2, 1);
		for (size = 0; size <= w.size; size++) {
			tsh_strbuf_clear(&out);
			good = run(p, w.record, size, &out);
			assert_int_equal(good, out.len > 0);
			assert_true(size >= w.fixed_size || !out.len);
		}
		assert_true(out.len > 0);
		program_free(p);
		tsh_event_format_free(format);
		tear_down(&w);
	}
	tsh_strbuf_release(&out);
}

static void hostile_words_are_bounded(void **state)
{
	static const char *const names[] = { "str", "blob", "longs", "cpus", "rel" };
	static const uint32_t words[] = { 0, 0xffffffff, 0x0000ffff, 0xffff0000, 0x00010000,
					  0x00080001, 0x00ff0000, 0x7fff7fff, 0x000003ff };
	struct tsh_strbuf out = TSH_STRBUF_INIT;
	struct tsh_event_format *format;
	struct program *p;
	struct world w;
	size_t i, k;
	bool good;

	(void)state;
	set_up(&w, false, 8);
	put(&w, word_offset(&w, "u8"), 2, 1);
	format = parse(&w, all_of_it);
	p = compile(&w, format);
	for (i = 0; i < N(names); i++) {
		for (k = 0; k < N(words); k++) {
			uint32_t old, at = word_offset(&w, names[i]);

			memcpy(&old, w.record + at, 4);
			put(&w, at, words[k], 4);
			tsh_strbuf_clear(&out);
			good = run(p, w.record, w.size, &out);
			assert_int_equal(good, out.len > 0);
			if (words[k] == 0xffffffff)
				assert_int_equal(out.len, 0);
			memcpy(w.record + at, &old, 4);
		}
	}
	program_free(p);
	tsh_event_format_free(format);
	tear_down(&w);
	tsh_strbuf_release(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(beyond_us_is_said),
		cmocka_unit_test(formats_that_grow_are_refused),
		cmocka_unit_test(texts_that_grow_are_dropped),
		cmocka_unit_test(short_records_print_nothing),
		cmocka_unit_test(hostile_words_are_bounded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
