/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * library-ask TRACEFS WHAT..: what libtracefs says. Status 0, or 1 and a line that says why not; 77: this build is without.
 *
 *	verify SYSTEM EVENT FILTER			whether it takes the filter
 *	hist SYSTEM EVENT KEY,.. [VALUE,..] [FIELD VALUE]	the command that makes the histogram, for sh; a KEY is FIELD,
 *						FIELD.TYPE or FIELD.buckets=N, the last two are a filter: FIELD == VALUE
 *	synth NAME SYSTEM EVENT SYSTEM EVENT START-FIELD END-FIELD [PART..]	the commands that make the event; a PART is
 *						delta=NAME, start:FIELD=NAME, end:FIELD=NAME, start-if:FIELD=VALUE
 *						(a string with ~), or end-if:FIELD=VALUE
 *	kprobe GROUP NAME ADDRESS ARGS		makes it
 *	kretprobe GROUP NAME ADDRESS ARGS MAX
 *	uprobe, uretprobe GROUP NAME FILE OFFSET ARGS
 *	eprobe GROUP NAME SYSTEM EVENT ARGS
 */
#include <stdio.h>

#if !defined(LIBTRACEFS_VERSION) || !defined(LIBTRACEEVENT_VERSION)
int main(void)
{
	return 77;
}
#else
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <tracefs/tracefs.h>

#define AXES_MAX 8

static const char *tracefs;
static struct tep_handle *tep;

static int fail(const char *what)
{
	printf("%s\n", what);
	return 1;
}

/* Reads one format: those of all events would take long. */
static struct tep_event *learn(const char *system, const char *name)
{
	static char text[1 << 18];
	char path[4096];
	FILE *file;
	size_t len;

	snprintf(path, sizeof(path), "%s/events/%s/%s/format", tracefs, system, name);
	file = fopen(path, "r");
	if (!file)
		return NULL;
	len = fread(text, 1, sizeof(text) - 1, file);
	text[len] = '\0';
	fclose(file);
	(void)tep_parse_event(tep, text, len, system);
	return tep_find_event_by_name(tep, system, name);
}

static int print_sequence(struct trace_seq *seq, int r)
{
	if (r < 0)
		return fail("no text");
	return trace_seq_do_printf(seq) < 0;
}

static int verify(char **words)
{
	struct tep_event *event = learn(words[0], words[1]);
	char *why = NULL;

	if (!event)
		return fail("no such event");
	return tracefs_filter_string_verify(event, words[2], &why) ? fail(why ? why : "no reason") : 0;
}

/* "call_site.sym", "ret.buckets=1024" */
static struct tracefs_hist_axis_cnt axis_of(char *word)
{
	static const char *const types[] = {
		[TRACEFS_HIST_KEY_HEX] = "hex", [TRACEFS_HIST_KEY_SYM] = "sym", [TRACEFS_HIST_KEY_SYM_OFFSET] = "sym-offset",
		[TRACEFS_HIST_KEY_SYSCALL] = "syscall", [TRACEFS_HIST_KEY_EXECNAME] = "execname",
		[TRACEFS_HIST_KEY_LOG] = "log2", [TRACEFS_HIST_KEY_USECS] = "usecs", [TRACEFS_HIST_KEY_BUCKETS] = "buckets",
	};
	struct tracefs_hist_axis_cnt axis = { .key = strsep(&word, ".") };
	const char *type = strsep(&word, "=");
	size_t i;

	for (i = 1; type && i < sizeof(types) / sizeof(types[0]); i++)
		if (!strcmp(type, types[i]))
			axis.type = (enum tracefs_hist_key_type)i;
	axis.cnt = word ? atoi(word) : 0;
	return axis;
}

static int hist(char **words, int n)
{
	struct tracefs_hist_axis_cnt axes[AXES_MAX + 1] = { { 0 } };
	struct tracefs_hist *hist;
	struct trace_seq seq;
	char *word;
	int i = 0, r = 0;

	if (!learn(words[0], words[1]))
		return fail("no such event");
	while (i < AXES_MAX && (word = strsep(&words[2], ",")))
		axes[i++] = axis_of(word);
	hist = tracefs_hist_alloc_nd_cnt(tep, words[0], words[1], axes);
	if (!hist)
		return fail("no histogram");
	while (n > 3 && (word = strsep(&words[3], ",")))
		if (*word)
			r |= tracefs_hist_add_value(hist, word);
	if (n > 5)
		r |= tracefs_hist_append_filter(hist, TRACEFS_FILTER_COMPARE, words[4], TRACEFS_COMPARE_EQ, words[5]);
	if (r)
		return fail("not all of it");
	trace_seq_init(&seq);
	return print_sequence(&seq, tracefs_hist_echo_cmd(&seq, NULL, hist, TRACEFS_HIST_CMD_START));
}

static int add_part(struct tracefs_synth *synth, char *word)
{
	char *name = strchr(word, '='), *field = strchr(word, ':');
	enum tracefs_compare compare;

	if (!name)
		return -1;
	*name++ = '\0';
	if (!strcmp(word, "delta"))
		return tracefs_synth_add_compare_field(synth, TRACEFS_TIMESTAMP, TRACEFS_TIMESTAMP, TRACEFS_SYNTH_DELTA_END,
						       name);
	if (!field)
		return -1;
	*field++ = '\0';
	compare = strchr(name, '*') ? TRACEFS_COMPARE_RE : TRACEFS_COMPARE_EQ;
	if (!strcmp(word, "start"))
		return tracefs_synth_add_start_field(synth, field, name);
	if (!strcmp(word, "end"))
		return tracefs_synth_add_end_field(synth, field, name);
	if (!strcmp(word, "start-if"))
		return tracefs_synth_append_start_filter(synth, TRACEFS_FILTER_COMPARE, field, compare, name);
	return tracefs_synth_append_end_filter(synth, TRACEFS_FILTER_COMPARE, field, compare, name);
}

static int synth(char **words, int n)
{
	struct tracefs_synth *synth;
	struct trace_seq seq;
	int i;

	if (!learn(words[1], words[2]) || !learn(words[3], words[4]))
		return fail("no such event");
	synth = tracefs_synth_alloc(tep, words[0], words[1], words[2], words[3], words[4], words[5], words[6], NULL);
	if (!synth)
		return fail("no synthetic event");
	for (i = 7; i < n; i++)
		if (add_part(synth, words[i]))
			return fail("not all of it");
	trace_seq_init(&seq);
	return print_sequence(&seq, tracefs_synth_echo_cmd(&seq, synth));
}

/* Makes a probe, which stays. */
static int probe(const char *what, char **words, int n)
{
	struct tracefs_dynevent *made = NULL;
	unsigned long long offset = n > 4 ? strtoull(words[3], NULL, 0) : 0;

	if (!strcmp(what, "kprobe"))
		made = tracefs_kprobe_alloc(words[0], words[1], words[2], words[3]);
	else if (!strcmp(what, "kretprobe"))
		made = tracefs_kretprobe_alloc(words[0], words[1], words[2], words[3], n > 4 ? (unsigned int)atoi(words[4]) : 0);
	else if (n < 5)
		return 2;
	else if (!strcmp(what, "uprobe"))
		made = tracefs_uprobe_alloc(words[0], words[1], words[2], offset, words[4]);
	else if (!strcmp(what, "uretprobe"))
		made = tracefs_uretprobe_alloc(words[0], words[1], words[2], offset, words[4]);
	else if (!strcmp(what, "eprobe"))
		made = tracefs_eprobe_alloc(words[0], words[1], words[2], words[3], words[4]);
	if (!made)
		return fail("no probe");
	return tracefs_dynevent_create(made) ? fail("it is not made") : 0;
}

int main(int argc, char **argv)
{
	static const struct {
		const char *what;
		int least;
	} questions[] = {
		{ "verify", 3 }, { "hist", 3 }, { "synth", 7 }, { "kprobe", 4 }, { "kretprobe", 4 },
		{ "uprobe", 5 }, { "uretprobe", 5 }, { "eprobe", 5 },
	};
	size_t i, n = sizeof(questions) / sizeof(questions[0]);

	if (argc < 3)
		return 2;
	tracefs = argv[1];
	for (i = 0; i < n && (strcmp(argv[2], questions[i].what) || argc - 3 < questions[i].least); i++)
		;
	tep = tep_alloc();
	if (i == n || !tep || tracefs_set_tracing_dir(argv[1]))
		return 2;
	tep_set_loglevel(TEP_LOG_NONE);
	if (i == 0)
		return verify(argv + 3);
	if (i == 1)
		return hist(argv + 3, argc - 3);
	if (i == 2)
		return synth(argv + 3, argc - 3);
	return probe(argv[2], argv + 3, argc - 3);
}
#endif
