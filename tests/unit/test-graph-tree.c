/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "events/source/source.h"
#include "output/graph.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A recorded kernel: what `trace` had, from its pages. */

static char *read_text(const char *path)
{
	char *text = calloc(1, 1 << 18);
	FILE *f = fopen(path, "r");

	assert_non_null(text);
	if (!f)
		fail_msg("no file '%s'", path);
	assert_true(fread(text, 1, (1 << 18) - 1, f) > 0);
	(void)fclose(f);
	return text;
}

/* The lines of the header are no events'. */
static void cut_header(char *text)
{
	char *from = text, *to = text;

	while (*from) {
		size_t len = strcspn(from, "\n") + 1;

		if (*from != '#') {
			memmove(to, from, len);
			to += len;
		}
		from += len;
	}
	*to = '\0';
}

static bool peek_source(void *ctx, int cpu, struct tsh_record *ret)
{
	return tsh_source_peek(ctx, cpu, ret);
}

static void skip_source(void *ctx, int cpu)
{
	tsh_source_skip(ctx, cpu);
}

static void print_source(struct tsh_source *src, struct tsh_decoder *decoder,
			 const struct tsh_provider *provider, struct tsh_strbuf *out)
{
	struct tsh_ahead ahead = { peek_source, skip_source, src };
	struct tsh_graph *graph = tsh_graph_new(decoder, provider);
	const struct tsh_event_format *format;
	enum tsh_source_item item;
	struct tsh_common common;
	struct tsh_record rec;
	uint64_t lost;
	bool late;

	tsh_graph_set_raw(graph, true);
	while ((item = tsh_source_next(src, UINT64_MAX, &rec, &lost, &late)) != TSH_ITEM_NONE) {
		assert_int_equal(item, TSH_ITEM_EVENT);
		assert_true(tsh_decoder_common(decoder, &rec, &common));
		format = tsh_decoder_format(decoder, common.id);
		assert_non_null(format);
		assert_true(tsh_graph_print(graph, &rec, format, &common,
					    tsh_decoder_comm(decoder, common.pid), NULL, &ahead,
					    out));
	}
	tsh_graph_free(graph);
}

static void test_tree(void **state)
{
	const char *srcdir = getenv("SRC");
	char *path = tsh_xasprintf("%s/tests/unit/trees/graph-6.12", srcdir ? srcdir : ".");
	char *trace = tsh_xasprintf("%s/trace", path), *want = read_text(trace);
	struct tsh_strbuf out = TSH_STRBUF_INIT;
	struct tsh_live_provider *provider;
	struct tsh_decoder *decoder;
	struct tsh_err err = { 0 };
	struct tsh_instance *in;
	struct tsh_source *src;
	struct tsh_dir *dir;
	bool drained;

	(void)state;
	assert_int_equal(tsh_dir_open(path, &dir, &err), 0);
	assert_int_equal(tsh_instance_open(dir, NULL, &in, &err), 0);
	assert_int_equal(tsh_source_open(in, NULL, &src, &err), 0);
	provider = tsh_live_provider_new(in);
	decoder = tsh_decoder_new(tsh_live_provider(provider), tsh_source_layout(src));
	tsh_decoder_use_saved_names(decoder);
	assert_true(tsh_source_fill(src, 1000, &drained) > 0);
	assert_true(drained);
	print_source(src, decoder, tsh_live_provider(provider), &out);
	cut_header(want);
	/* The pages of one CPU go on after the other's are at their end; the text does not. */
	assert_true(out.len > strlen(want) && strlen(want) > 20000);
	tsh_strbuf_truncate(&out, strlen(want));
	assert_string_equal(out.buf, want);
	tsh_decoder_free(decoder);
	tsh_live_provider_free(provider);
	tsh_source_close(src);
	tsh_instance_close(in);
	tsh_dir_close(dir);
	tsh_strbuf_release(&out);
	free(want);
	free(trace);
	free(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_tree),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
