/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "engine/pair/pair.h"

#include "pair-events.h"

#include <stdlib.h>

/* Rows of hist, count and latency, in each format. */

static struct tsh_event both[] = { { .system = (char *)"sched", .name = (char *)"waking" },
				   { .system = (char *)"sched", .name = (char *)"switch" } };

struct fixture {
	struct tsh_by by;
	struct by_latency latency;
	struct tsh_dir dir;
	struct tsh_instance in;
	struct tsh_stream_options opt;
	struct tsh_clock clock;
	struct tsh_decoder *decoder;
	struct tsh_out out;
	struct tsh_strbuf notes;
	struct tsh_stream_summary sum;
	struct tsh_open_stream stream;
	struct tsh_stream_spec follow;
	struct tsh_consumer *to;
};

static void take_note(void *ctx, const char *text)
{
	tsh_strbuf_addf(ctx, "%s\n", text);
}

static struct by_item item_of(const char *title, const char *value, enum by_modifier modifier)
{
	struct tsh_err err = { 0 };

	return (struct by_item){ .title = strdup(title), .len = strlen(value), .modifier = modifier, .width = 10,
				 .value = tsh_query_new_value(value, strlen(value), &err) };
}

static void init(struct fixture *f, const struct by_engine *engine, enum tsh_format format)
{
	memset(f, 0, sizeof(*f));
	f->by.engine = engine;
	f->by.spec.size = 100;
	f->in = (struct tsh_instance){ .dir = &f->dir, .fd = -1 };
	f->dir.fd = -1;
	f->opt = (struct tsh_stream_options){ .in = &f->in, .drain = true };
	tsh_clock_init(&f->clock, tsh_clock_kind("local"));
	f->decoder = make_decoder();
	tsh_out_init(&f->out, -1, format);
	f->out.note = take_note;
	f->out.note_ctx = &f->notes;
	f->out.full = SIZE_MAX;
}

static void begin(struct fixture *f)
{
	struct tsh_err err = { 0 };

	f->stream = (struct tsh_open_stream){ .in = &f->in, .decoder = f->decoder, .layout = &page_layout,
					      .clock = &f->clock, .out = &f->out, .options = &f->opt, .sum = &f->sum };
	tsh_by_push(&f->by, &f->follow);
	assert_int_equal(tsh_stage_begin(f->follow.sink, &f->stream, &f->to, &err), 0);
}

static void give(struct fixture *f, unsigned int id, uint64_t stamp, int pid, const char *comm, unsigned int prio)
{
	struct pair_event data;
	struct tsh_record rec = make_event(&data, id, stamp, 0, pid, comm, prio);

	f->to->event(f->to, &rec, false);
}

/* Ends it, and checks what stands in the output. */
static void end(struct fixture *f, const char *expected)
{
	size_t i;

	f->sum.events = 4;
	f->follow.sink->kind->show(f->follow.sink);
	assert_string_equal(f->out.data.buf, expected);
	f->follow.sink->kind->forget(f->follow.sink);
	for (i = 0; i < f->by.spec.nkeys; i++)
		by_free_item(&f->by.spec.keys[i]);
	for (i = 0; i < f->by.spec.nvalues; i++)
		by_free_item(&f->by.spec.values[i]);
	tsh_out_release(&f->out);
	tsh_decoder_free(f->decoder);
	tsh_clock_release(&f->clock);
	tsh_strbuf_release(&f->notes);
}

/* ---- hist and count ---- */

static void count(enum tsh_format format, bool rates, const char *expected)
{
	static const struct by_engine here;
	struct fixture f;

	init(&f, &here, format);
	f.by.spec.rates = rates;
	f.by.spec.keys[f.by.spec.nkeys++] = item_of("pid", "pid", BY_PLAIN);
	f.by.spec.keys[f.by.spec.nkeys++] = item_of("comm", "comm", BY_PLAIN);
	f.by.spec.values[f.by.spec.nvalues++] = item_of("prio", "prio", BY_PLAIN);
	f.by.spec.values[f.by.spec.nvalues] = item_of("prio", "prio", BY_PLAIN);
	f.by.spec.kinds[f.by.spec.nvalues++] = 1;
	begin(&f);
	give(&f, WAKING, 1000000000, 7, "bash", 100);
	give(&f, WAKING, 1500000000, 8, "a,b", 3);
	give(&f, WAKING, 2000000000, 7, "bash", 121);
	give(&f, WAKING, 3000000000, 7, "bash", 120);
	end(&f, expected);
}

static void test_hist(void **state)
{
	(void)state;
	count(TSH_FORMAT_TEXT, false,
	      "PID  COMM  COUNT  SUM     AVG  SHARE\n"
	      "  7  bash      3  341  113.67  #############################\n"
	      "  8  a,b       1    3    3.00  #\n");
	count(TSH_FORMAT_CSV, false, "pid,comm,count,sum,avg\n7,bash,3,341,113.67\n8,\"a,b\",1,3,3.00\n");
	count(TSH_FORMAT_JSON, false,
	      "{\"type\":\"hist\",\"key\":{\"pid\":7,\"comm\":\"bash\"},\"count\":3,\"sum\":341,\"avg\":113.67}\n"
	      "{\"type\":\"hist\",\"key\":{\"pid\":8,\"comm\":\"a,b\"},\"count\":1,\"sum\":3,\"avg\":3.00}\n"
	      "{\"type\":\"end\",\"events\":4,\"lost\":0,\"seconds\":0.000000}\n");
}

static void test_count(void **state)
{
	(void)state;
	count(TSH_FORMAT_TEXT, true,
	      "PID  COMM  RATE  COUNT  SUM     AVG\n"
	      "  7  bash   1.1      3  341  113.67\n"
	      "  8  a,b    0.4      1    3    3.00\n");
	count(TSH_FORMAT_CSV, true, "pid,comm,rate,count,sum,avg\n7,bash,1.1,3,341,113.67\n8,\"a,b\",0.4,1,3,3.00\n");
	count(TSH_FORMAT_JSON, true,
	      "{\"type\":\"count\",\"key\":{\"pid\":7,\"comm\":\"bash\"},\"count\":3,\"rate\":1.1,"
	      "\"sum\":341,\"avg\":113.67}\n"
	      "{\"type\":\"count\",\"key\":{\"pid\":8,\"comm\":\"a,b\"},\"count\":1,\"rate\":0.4,\"sum\":3,\"avg\":3.00}\n"
	      "{\"type\":\"end\",\"events\":4,\"lost\":0,\"seconds\":0.000000}\n");
}

/* Has a key of ranges, one that is called as a column is, and no room for all. */
static void buckets(enum tsh_format format, const char *expected)
{
	static const struct by_engine here;
	struct fixture f;

	init(&f, &here, format);
	f.by.spec.size = 1;
	f.by.spec.keys[f.by.spec.nkeys++] = item_of("count", "pid", BY_PLAIN);
	f.by.spec.keys[f.by.spec.nkeys++] = item_of("prio.linear(10)", "prio", BY_LINEAR);
	begin(&f);
	give(&f, WAKING, 1, 7, "bash", 100);
	give(&f, WAKING, 2, 7, "bash", 109);
	give(&f, WAKING, 3, 8, "bash", 3);
	end(&f, expected);
}

static void test_buckets(void **state)
{
	(void)state;
	buckets(TSH_FORMAT_CSV,
		"key.count,prio.linear(10).low,prio.linear(10).high,count\n7,100,109,2\nother,,,1\n");
	buckets(TSH_FORMAT_JSON,
		"{\"type\":\"hist\",\"key\":{\"count\":7,\"prio.linear(10)\":[100,109]},\"count\":2}\n"
		"{\"type\":\"hist\",\"key\":null,\"count\":1}\n"
		"{\"type\":\"percentiles\",\"key\":{\"count\":7},\"count\":2,\"p50\":[100,109],\"p90\":[100,109],"
		"\"p99\":[100,109]}\n"
		"{\"type\":\"end\",\"events\":4,\"lost\":0,\"seconds\":0.000000}\n");
}

static void test_histogram(void **state)
{
	(void)state;
	buckets(TSH_FORMAT_TEXT,
		"count = 7\n"
		"         prio.linear(10) : count     distribution\n"
		"              100 -> 109 : 2        |****************************************|\n"
		"2 events, p50 100 -> 109, p90 100 -> 109, p99 100 -> 109\n"
		"other: 1 event, for whose keys there was no room\n");
}

/* Columns are called otherwise than the keys. */
static void label(enum tsh_format format, const char *expected)
{
	static const struct by_engine here;
	struct fixture f;

	init(&f, &here, format);
	f.by.spec.keys[f.by.spec.nkeys++] = item_of("pid", "pid", BY_PLAIN);
	f.by.spec.values[f.by.spec.nvalues++] = item_of("prio", "prio", BY_PLAIN);
	f.by.spec.keys[0].column = strdup("task");
	f.by.spec.values[0].column = strdup("total");
	f.by.spec.count_column = strdup("n");
	begin(&f);
	give(&f, WAKING, 1, 7, "bash", 100);
	give(&f, WAKING, 2, 7, "bash", 20);
	end(&f, expected);
	free(f.by.spec.count_column);
}

static void test_labels(void **state)
{
	(void)state;
	label(TSH_FORMAT_TEXT, "TASK  N  TOTAL  SHARE\n   7  2    120  ########################################\n");
	label(TSH_FORMAT_CSV, "task,n,total\n7,2,120\n");
	label(TSH_FORMAT_JSON, "{\"type\":\"hist\",\"key\":{\"task\":7},\"n\":2,\"total\":120}\n"
	      "{\"type\":\"end\",\"events\":4,\"lost\":0,\"seconds\":0.000000}\n");
}

/* Shows values as times, as profile does, and of three rows the first. */
static void times(enum tsh_format format, const char *expected)
{
	static const struct by_engine here;
	struct fixture f;
	size_t i;

	init(&f, &here, format);
	f.by.spec.are_times = true;
	f.by.spec.top = 1;
	f.by.spec.keys[f.by.spec.nkeys++] = item_of("comm", "comm", BY_PLAIN);
	for (i = 0; i < BY_VALUES; i++) {
		f.by.spec.values[i] = item_of("prio*1000", "prio*1000", BY_PLAIN);
		f.by.spec.kinds[i] = (unsigned int)i;
	}
	f.by.spec.nvalues = BY_VALUES;
	begin(&f);
	give(&f, WAKING, 1, 7, "bash", 100);
	give(&f, WAKING, 2, 7, "bash", 21);
	give(&f, WAKING, 3, 7, "cat", 3);
	give(&f, WAKING, 4, 7, "dd", 3);
	end(&f, expected);
}

static void test_times(void **state)
{
	(void)state;
	times(TSH_FORMAT_TEXT,
	      "COMM  COUNT    SUM     AVG   MIN    MAX  SHARE\n"
	      "bash      2  121us  60.5us  21us  100us  ######\n"
	      ".. and 2 more, with 2 events\n");
	times(TSH_FORMAT_CSV, "comm,count,sum,avg,min,max\nbash,2,121000,60500.00,21000,100000\n");
}

/* ---- latency ---- */

static void pair(enum tsh_format format, bool by_comm, const char *expected)
{
	static const char *const names[] = { "pid", "next_pid" };
	struct by_engine engine = latency_engine;
	struct pair_spec *spec;
	struct fixture f;
	size_t i;

	engine.free = NULL;
	init(&f, &engine, format);
	f.by.latency = &f.latency;
	spec = &f.latency.spec;
	spec->events = both;
	for (i = 0; i < LATENCY_ROLES; i++) {
		spec->keys[i][0] = item_of(names[i], names[i], BY_PLAIN);
		spec->keys[i][0].is_compared = true;
	}
	pair_spec_key_done(spec);
	if (by_comm)
		f.by.spec.keys[f.by.spec.nkeys++] = item_of("comm", "comm", BY_PLAIN);
	begin(&f);
	give(&f, WAKING, 1000, 7, "bash", 0);
	give(&f, WAKING, 1100, 8, "cat", 0);
	give(&f, SWITCH, 2000, 7, "x", 0);
	give(&f, SWITCH, 2001, 9, "x", 0);
	give(&f, WAKING, 3000, 7, "bash", 0);
	give(&f, SWITCH, 13000, 7, "x", 0);
	end(&f, expected);
	pair_spec_release(spec);
}

static void test_latency(void **state)
{
	(void)state;
	pair(TSH_FORMAT_TEXT, true,
	     "COMM  COUNT    AVG     P50   P90   P99  P99.9   MAX\n"
	     "bash      2  5.5us  1.02us  10us  10us   10us  10us\n");
	pair(TSH_FORMAT_CSV, true,
	     "comm,count,avg_ns,p50_ns,p90_ns,p99_ns,p999_ns,max_ns\nbash,2,5500,1023,10000,10000,10000,10000\n");
	pair(TSH_FORMAT_JSON, true,
	     "{\"type\":\"latency\",\"key\":{\"comm\":\"bash\"},\"count\":2,\"min_ns\":1000,\"avg_ns\":5500,\"p50_ns\":1023,"
	     "\"p90_ns\":10000,\"p99_ns\":10000,\"p999_ns\":10000,\"max_ns\":10000,"
	     "\"buckets\":[[512,1023,1],[8192,16383,1]]}\n"
	     "{\"type\":\"pairs\",\"pairs\":2,\"ends_alone\":1,\"starts_open\":1,\"started_again\":0,\"given_up\":0,"
	     "\"woken_running\":0,\"unmatched\":0,\"of_others\":0,\"across_loss\":0,\"backwards\":0,\"stopped\":false}\n"
	     "{\"type\":\"end\",\"events\":4,\"lost\":0,\"seconds\":0.000000}\n");
	pair(TSH_FORMAT_TEXT, false,
	     "                 latency : count     distribution\n"
	     "         512ns -> 1.02us : 1        |****************************************|\n"
	     "        1.02us -> 2.05us : 0        |                                        |\n"
	     "         2.05us -> 4.1us : 0        |                                        |\n"
	     "         4.1us -> 8.19us : 0        |                                        |\n"
	     "        8.19us -> 16.4us : 1        |****************************************|\n"
	     "2 pairs, min 1us, avg 5.5us, p50 1.02us, p90 10us, p99 10us, p99.9 10us, max 10us\n");
	pair(TSH_FORMAT_CSV, false, "count,avg_ns,p50_ns,p90_ns,p99_ns,p999_ns,max_ns\n2,5500,1023,10000,10000,10000,10000\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_hist), cmocka_unit_test(test_count), cmocka_unit_test(test_buckets),
		cmocka_unit_test(test_histogram), cmocka_unit_test(test_labels), cmocka_unit_test(test_times),
		cmocka_unit_test(test_latency),
	};

	/* bars of ASCII */
	setenv("LC_ALL", "C", 1);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
