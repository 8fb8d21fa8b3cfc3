/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pair.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"

/* Prints single pairs: --slower, --worst, --stop-at. */

/* ---- texts ---- */

/* Returns key i of START, whose name is printed for the key: "pid=7". */
static const struct by_item *on_item(const struct tsh_by *by, size_t i)
{
	return &by->latency->spec.keys[LATENCY_BEGIN][i];
}

/*
 * Returns the first key that names another task than that of END, as pid of a wakeup; or .nkeys of
 * the spec.
 */
static size_t other_task(const struct tsh_by *by, const struct latency_pair *pair)
{
	size_t i;

	for (i = 0; i < by->latency->spec.nkeys; i++)
		if (pair_names_task(on_item(by, i)) && (int)pair->on[i].number != pair->pid)
			break;
	return i;
}

static void add_part(const struct tsh_by *by, const struct by_item *item,
		     const struct tsh_tally *texts, struct tsh_tally_part part,
		     struct tsh_strbuf *to)
{
	struct tsh_strbuf text = TSH_STRBUF_INIT;

	tsh_strbuf_addf(&text, ", %s=", item->title);
	by_add_part(by, item, texts, part, &text);
	tsh_sanitize(to, text.buf, text.len);
	tsh_strbuf_release(&text);
}

/* Returns the CPU by whose clock the stamp of START is converted: that of END if the CPU of START
 * is not known. */
static int begin_cpu(const struct latency_pair *pair)
{
	return pair->begin.cpu < 0 ? pair->cpu : pair->begin.cpu;
}

static void add_time(const struct tsh_by *by, struct tsh_time_text *style, int cpu, int pid,
		     uint64_t stamp, struct tsh_strbuf *to)
{
	uint64_t error;
	int64_t wall;
	bool has = tsh_clock_wall(by->clock, cpu, stamp, &wall, &error);

	tsh_time_text_set_task(style, cpu, pid);
	tsh_time_text_add(style, to, by->clock->kind, stamp, has, wall);
}

/* Prints the events within a pair, a line each, and how many older ones there are. */
static void print_between(const struct latency_pair *pair, struct tsh_strbuf *to)
{
	struct tsh_strlist lines = { 0 };
	size_t i;

	tsh_strlist_split_lines(&lines, pair->between);
	if (pair->more || (pair->may_be_more && lines.n))
		tsh_strbuf_addf(to, "        .. %llu%s earlier\n", (unsigned long long)pair->more,
				pair->may_be_more ? " or more" : "");
	for (i = 0; i < lines.n; i++)
		tsh_strbuf_addf(to, "        %s\n", lines.v[i]);
	tsh_strlist_release(&lines);
}

/*
 * Prints a pair like a line of stream for its END: "            bash-1234    [001] 2024-01-02
 * 22:47:33.843825: 5.43ms since 22:47:33.838395 [000], pid=42 (cat)".
 */
static void print_text(struct tsh_by *by, const struct latency_pair *pair)
{
	struct by_latency *l = by->latency;
	struct tsh_strbuf *to = &by->out->data;
	struct tsh_strbuf comm = TSH_STRBUF_INIT;
	size_t other = other_task(by, pair), i;

	tsh_sanitize(&comm, pair->comm, strlen(pair->comm));
	tsh_strbuf_addf(to, "%16s-%-7d [%03d] ", comm.buf, pair->pid, pair->cpu);
	if (l->style != TSH_TIME_NONE) {
		add_time(by, &l->time, pair->cpu, pair->pid, pair->stamp, to);
		tsh_strbuf_adds(to, ": ");
	}
	tsh_append_ns(pair->ns, to);
	if (tsh_time_style_is_wall(l->style) || l->style == TSH_TIME_TRACE) {
		tsh_strbuf_adds(to, " since ");
		add_time(by, &l->begin_time, begin_cpu(pair), pair->begin.pid, pair->begin.stamp,
			 to);
	}
	if (pair->begin.cpu != pair->cpu && pair->begin.cpu >= 0)
		tsh_strbuf_addf(to, " [%03d]", pair->begin.cpu);
	for (i = 0; i < l->spec.nkeys; i++) {
		add_part(by, on_item(by, i), l->pairing.texts, pair->on[i], to);
		if (i != other || !*pair->other)
			continue;
		tsh_strbuf_adds(to, " (");
		tsh_sanitize(to, pair->other, strlen(pair->other));
		tsh_strbuf_addc(to, ')');
	}
	for (i = 0; i < by->spec.nkeys; i++)
		add_part(by, &by->spec.keys[i], by->tally, pair->begin.with[i], to);
	tsh_strbuf_addc(to, '\n');
	if (pair->between)
		print_between(pair, to);
	tsh_strbuf_release(&comm);
}

/* Writes a time in ISO 8601; nothing if it is not known. */
static void iso_of(const struct tsh_by *by, int cpu, uint64_t stamp, struct tsh_strbuf *ret)
{
	uint64_t error;
	int64_t wall;

	tsh_strbuf_clear(ret);
	if (tsh_clock_wall(by->clock, cpu, stamp, &wall, &error))
		tsh_time_iso(ret, wall);
}

static void json_time(const struct tsh_by *by, struct tsh_json *js, const char *name, int cpu,
		      uint64_t stamp)
{
	struct tsh_strbuf text = TSH_STRBUF_INIT;

	iso_of(by, cpu, stamp, &text);
	tsh_json_kstr(js, name, text.len ? text.buf : NULL);
	tsh_strbuf_release(&text);
}

static void json_stamp(struct tsh_json *js, const char *name, uint64_t stamp)
{
	char text[24];

	snprintf(text, sizeof(text), "%llu", (unsigned long long)stamp);
	tsh_json_kstr(js, name, text);
}

static void json_between(struct tsh_json *js, const struct latency_pair *pair)
{
	struct tsh_strlist lines = { 0 };
	size_t i;

	tsh_strlist_split_lines(&lines, pair->between);
	tsh_json_key(js, "between");
	tsh_json_array(js);
	for (i = 0; i < lines.n; i++)
		tsh_json_raw(js, lines.v[i], strlen(lines.v[i]));
	tsh_json_array_end(js);
	tsh_json_ku64(js, "between_earlier", pair->more);
	tsh_json_kbool(js, "between_whole", !pair->may_be_more);
	tsh_strlist_release(&lines);
}

static void print_json(struct tsh_by *by, const struct latency_pair *pair, const char *type)
{
	const struct by_latency *l = by->latency;
	struct tsh_json js;
	size_t i;

	tsh_json_line(&js, &by->out->data, type);
	json_time(by, &js, "time", pair->cpu, pair->stamp);
	json_time(by, &js, "since", begin_cpu(pair), pair->begin.stamp);
	json_stamp(&js, "ts", pair->stamp);
	json_stamp(&js, "since_ts", pair->begin.stamp);
	tsh_json_ku64(&js, "ns", pair->ns);
	tsh_json_ks64(&js, "cpu", pair->cpu);
	tsh_json_kmaybe(&js, "since_cpu", pair->begin.cpu >= 0, (uint64_t)pair->begin.cpu);
	tsh_json_ks64(&js, "pid", pair->pid);
	tsh_json_kstr(&js, "comm", pair->comm);
	tsh_json_key(&js, "on");
	tsh_json_object(&js);
	for (i = 0; i < l->spec.nkeys; i++)
		by_json_part(by, on_item(by, i), l->pairing.texts, pair->on[i], &js);
	tsh_json_object_end(&js);
	tsh_json_key(&js, "key");
	tsh_json_object(&js);
	for (i = 0; i < by->spec.nkeys; i++)
		by_json_part(by, &by->spec.keys[i], by->tally, pair->begin.with[i], &js);
	tsh_json_object_end(&js);
	if (pair->between)
		json_between(&js, pair);
	tsh_json_line_end(&js);
}

static void csv_titles(struct tsh_by *by)
{
	struct by_latency *l = by->latency;
	struct tsh_strbuf *to = &by->out->data;
	size_t i;

	tsh_strbuf_adds(to, "time,since,ns,cpu,since_cpu,pid,comm");
	for (i = 0; i < l->spec.nkeys + by->spec.nkeys; i++) {
		/* "on_pid", as the column pid is the task of END */
		char *title = i < l->spec.nkeys ? tsh_xasprintf("on_%s", on_item(by, i)->title) :
						  tsh_xasprintf("by_%s", by->spec.keys[i - l->spec.nkeys].title);

		tsh_strbuf_addc(to, ',');
		tsh_csv_cell(to, title, strlen(title));
		free(title);
	}
	tsh_strbuf_addc(to, '\n');
	l->has_titles = true;
}

static void print_csv(struct tsh_by *by, const struct latency_pair *pair)
{
	const struct by_latency *l = by->latency;
	struct tsh_strbuf *to = &by->out->data, text = TSH_STRBUF_INIT;
	size_t i;

	if (!l->has_titles)
		csv_titles(by);
	iso_of(by, pair->cpu, pair->stamp, &text);
	tsh_strbuf_addf(to, "%s,", text.buf);
	iso_of(by, begin_cpu(pair), pair->begin.stamp, &text);
	tsh_strbuf_addf(to, "%s,%llu,%d,", text.buf, (unsigned long long)pair->ns,
			pair->cpu);
	if (pair->begin.cpu >= 0)
		tsh_strbuf_addf(to, "%d", pair->begin.cpu);
	tsh_strbuf_addf(to, ",%d,", pair->pid);
	tsh_csv_cell(to, pair->comm, strlen(pair->comm));
	for (i = 0; i < l->spec.nkeys + by->spec.nkeys; i++) {
		tsh_strbuf_clear(&text);
		if (i < l->spec.nkeys)
			by_add_part(by, on_item(by, i), l->pairing.texts, pair->on[i], &text);
		else
			by_add_part(by, &by->spec.keys[i - l->spec.nkeys], by->tally,
				    pair->begin.with[i - l->spec.nkeys], &text);
		tsh_strbuf_addc(to, ',');
		tsh_csv_cell(to, text.buf, text.len);
	}
	tsh_strbuf_addc(to, '\n');
	tsh_strbuf_release(&text);
}

static void print(struct tsh_by *by, const struct latency_pair *pair, const char *type)
{
	if (by->out->format == TSH_FORMAT_JSON)
		print_json(by, pair, type);
	else if (by->out->format == TSH_FORMAT_CSV)
		print_csv(by, pair);
	else
		print_text(by, pair);
	tsh_out_flush_if_full(by->out);
}

/* ---- the worst ---- */

/* Restores the heap after its top, the shortest, was replaced. */
static void sift(struct latency_pair *v, size_t n)
{
	struct latency_pair moved = v[0];
	size_t at = 0, child;

	while ((child = 2 * at + 1) < n) {
		child += child + 1 < n && v[child + 1].ns < v[child].ns;
		if (v[child].ns >= moved.ns)
			break;
		v[at] = v[child];
		at = child;
	}
	v[at] = moved;
}

static void insert_worst(struct by_latency *l, const struct latency_pair *pair)
{
	size_t at, parent;

	if (l->worst.n == l->worst_max) {
		free(l->worst.v[0].between);
		l->worst.v[0] = *pair;
		sift(l->worst.v, l->worst.n);
		return;
	}
	(void)tsh_vec_push(&l->worst);
	for (at = l->worst.n - 1; at; at = parent) {
		parent = (at - 1) / 2;
		if (l->worst.v[parent].ns <= pair->ns)
			break;
		l->worst.v[at] = l->worst.v[parent];
	}
	l->worst.v[at] = *pair;
}

static int compare(const void *a, const void *b)
{
	const struct latency_pair *x = a, *y = b;

	if (x->ns != y->ns)
		return x->ns > y->ns ? -1 : 1;
	return x->stamp < y->stamp ? -1 : x->stamp > y->stamp;
}

void latency_show_worst(struct tsh_by *by)
{
	struct by_latency *l = by->latency;
	size_t i;

	if (!l->worst.n)
		return;
	qsort(l->worst.v, l->worst.n, sizeof(*l->worst.v), compare);
	tsh_out_line(by->out, "%s", "");
	for (i = 0; i < l->worst.n; i++)
		print(by, &l->worst.v[i], "worst");
}

/* ---- as they come ---- */

void latency_handle_pair(struct tsh_by *by, struct latency_pair *pair)
{
	struct by_latency *l = by->latency;
	bool stops = l->has_stop && pair->ns >= l->stop_at;
	bool is_slow = stops || (l->has_slower && pair->ns >= l->slower);
	bool is_worst = l->worst_max && (l->worst.n < l->worst_max || pair->ns > l->worst.v[0].ns);
	size_t other;

	if (!is_slow && !is_worst)
		return;
	/* read the name now: the task may be gone at the end */
	snprintf(pair->comm, sizeof(pair->comm), "%s", tsh_decoder_comm(by->decoder, pair->pid));
	other = other_task(by, pair);
	*pair->other = 0;
	if (other < l->spec.nkeys)
		snprintf(pair->other, sizeof(pair->other), "%s",
			 tsh_decoder_comm(by->decoder, (int)pair->on[other].number));
	if (is_slow)
		print(by, pair, "pair");
	if (is_worst && l->between)
		latency_between_read(by, pair);
	if (is_worst)
		insert_worst(l, pair);
	l->stopped = stops;
}
