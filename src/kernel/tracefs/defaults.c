/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "defaults.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/number.h"
#include "base/suggest.h"

#define BUFFER_KB 1408		/* TRACE_BUF_SIZE_DEFAULT in kernel/trace/trace.c */

const struct tsh_default tsh_defaults[] = {
	{ "buffer_subbuf_size_kb", TSH_DEFAULT_PAGE, NULL },
	{ "buffer_size_kb", TSH_DEFAULT_SIZE, NULL },
	{ "per_cpu/*/buffer_size_kb", TSH_DEFAULT_SIZE, NULL },
	{ "buffer_percent", TSH_DEFAULT_TEXT, "50" },
	{ "saved_cmdlines_size", TSH_DEFAULT_CMDLINES, NULL },
	{ "trace_clock", TSH_DEFAULT_CLOCK, "local" },
	{ "options/*", TSH_DEFAULT_OPTION, NULL },
	{ "tracing_cpumask", TSH_DEFAULT_MASK, NULL },
	{ "tracing_thresh", TSH_DEFAULT_TEXT, "0" },
	{ "max_graph_depth", TSH_DEFAULT_TEXT, "0" },
	{ "hwlat_detector/window", TSH_DEFAULT_TEXT, "1000000" },
	{ "hwlat_detector/width", TSH_DEFAULT_TEXT, "500000" },
	{ "hwlat_detector/mode", TSH_DEFAULT_TEXT, "round-robin" },
	{ "osnoise/period_us", TSH_DEFAULT_TEXT, "1000000" },
	{ "osnoise/runtime_us", TSH_DEFAULT_TEXT, "1000000" },
	{ "osnoise/stop_tracing_us", TSH_DEFAULT_TEXT, "0" },
	{ "osnoise/stop_tracing_total_us", TSH_DEFAULT_TEXT, "0" },
	{ "osnoise/print_stack", TSH_DEFAULT_TEXT, "0" },
	{ "osnoise/timerlat_period_us", TSH_DEFAULT_TEXT, "1000" },
	{ "set_event_pid", TSH_DEFAULT_LIST, NULL },
	{ "set_event_notrace_pid", TSH_DEFAULT_LIST, NULL },
	{ "set_ftrace_pid", TSH_DEFAULT_LIST, NULL },
	{ "set_ftrace_notrace_pid", TSH_DEFAULT_LIST, NULL },
	{ "set_ftrace_filter", TSH_DEFAULT_LIST, NULL },
	{ "set_ftrace_notrace", TSH_DEFAULT_LIST, NULL },
	{ "set_graph_function", TSH_DEFAULT_LIST, NULL },
	{ "set_graph_notrace", TSH_DEFAULT_LIST, NULL },
	{ "stack_trace_filter", TSH_DEFAULT_LIST, NULL },
	{ "function_profile_enabled", TSH_DEFAULT_TEXT, "0" },
	{ "dynamic_events", TSH_DEFAULT_LIST, NULL },
	{ "kprobe_events", TSH_DEFAULT_LIST, NULL },
	{ "uprobe_events", TSH_DEFAULT_LIST, NULL },
	{ "synthetic_events", TSH_DEFAULT_LIST, NULL },
	{ "events/*/*/filter", TSH_DEFAULT_TEXT, "0" },
	{ "events/*/*/trigger", TSH_DEFAULT_LIST, NULL },
	{ "current_tracer", TSH_DEFAULT_TEXT, "nop" },
	{ "events/*/*/enable", TSH_DEFAULT_TEXT, "0" },
	{ "set_event", TSH_DEFAULT_LIST, NULL },
	{ "tracing_on", TSH_DEFAULT_TEXT, "1" },
	{ 0 }
};

/* Lists the options that are on at boot (TRACE_DEFAULT_FLAGS, and those of the tracers). */
static const char *const usually_on[] = {
	"annotate", "context-info", "funcgraph-cpu", "funcgraph-duration", "funcgraph-irqs",
	"funcgraph-overhead", "function-trace", "graph-time", "hash-ptr", "irq-info", "markers",
	"overwrite", "print-parent", "record-cmd", "sleep-time", "trace_printk", NULL
};
/* Lists the options that are on at boot in the top instance only. */
static const char *const on_in_top[] = { "copy_trace_marker", "trace_printk_dest", NULL };

static bool is_one_of(const char *const *names, const char *name)
{
	while (*names && strcmp(*names, name))
		names++;
	return *names != NULL;
}

bool tsh_default_option(const struct tsh_instance *in, const char *name)
{
	return is_one_of(usually_on, name) || (!in->name && is_one_of(on_in_top, name));
}

static void add_changed(const struct tsh_instance *in, const char *word, struct tsh_strlist *ret)
{
	bool off = !strncmp(word, "no", 2);

	if (tsh_default_option(in, word + (off ? 2 : 0)) == off)
		tsh_strlist_add(ret, word);
}

static bool has_option(const struct tsh_strlist *words, const char *name)
{
	size_t i;

	for (i = 0; i < words->n; i++)
		if (!strcmp(words->v[i] + (strncmp(words->v[i], "no", 2) ? 0 : 2), name))
			return true;
	return false;
}

void tsh_options_changed(const struct tsh_instance *in, struct tsh_strlist *ret)
{
	struct tsh_strlist words = { 0 }, names = { 0 };
	size_t i;

	tsh_file_words(in, "trace_options", &words);
	for (i = 0; i < words.n; i++)
		add_changed(in, words.v[i], ret);
	/* trace_options lists only the options of the current tracer. */
	if (in->dir->kind != TSH_DIR_TREE)
		tsh_file_list(in, "options", &names);
	for (i = 0; i < names.n; i++) {
		char *path = tsh_xasprintf("options/%s", names.v[i]);
		char *text = has_option(&words, names.v[i]) ? NULL : tsh_file_text(in, path);
		char *word = text ? tsh_xasprintf("%s%s", *text == '0' ? "no" : "", names.v[i]) : NULL;

		if (word)
			add_changed(in, word, ret);
		free(word);
		free(text);
		free(path);
	}
	tsh_strlist_release(&names);
	tsh_strlist_release(&words);
}

const struct tsh_default *tsh_default_find(const char *path)
{
	const struct tsh_default *d;

	for (d = tsh_defaults; d->path; d++)
		if (tsh_glob_match(d->path, path))
			return d;
	return NULL;
}

/* Says whether a size is the default one: the kernel rounds it up to whole sub-buffers, which have
 * headers. */
static bool is_default_size(const struct tsh_instance *in, const char *kb)
{
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE) / 1024, size;

	page = tsh_file_number(in, "buffer_subbuf_size_kb", page);
	return !tsh_parse_u64(kb, &size) && size >= BUFFER_KB && size <= BUFFER_KB + page;
}

static bool covers_all_cpus(const struct tsh_instance *in, const char *mask)
{
	struct tsh_cpuset set = { 0 };
	unsigned int *cpus = NULL;
	bool covers = true;
	size_t i, n;

	if (tsh_cpuset_parse_mask(mask, &set))
		return false;
	n = tsh_cpus_present(in, &cpus);
	for (i = 0; i < n; i++)
		covers = covers && tsh_cpuset_has(&set, cpus[i]);
	tsh_cpuset_release(&set);
	free(cpus);
	return covers;
}

static bool is_default_clock(const struct tsh_instance *in, const char *clock)
{
	char *usual = tsh_default_clock(in);
	bool is = !strcmp(clock, usual ? usual : "local");

	free(usual);
	return is;
}

bool tsh_is_default(const struct tsh_instance *in, const char *path, const char *text)
{
	const struct tsh_default *d = tsh_default_find(path);
	char *value = tsh_class_normalize(tsh_file_class(path), text);
	uint64_t kb = (uint64_t)sysconf(_SC_PAGESIZE) / 1024;
	bool same = false;

	switch (d ? d->kind : TSH_DEFAULT_LIST) {
	case TSH_DEFAULT_TEXT:
		same = !strcmp(value, d->text);
		break;
	case TSH_DEFAULT_CLOCK:
		same = is_default_clock(in, value);
		break;
	case TSH_DEFAULT_LIST:
		same = !*value;
		break;
	case TSH_DEFAULT_SIZE:
		same = is_default_size(in, value);
		break;
	case TSH_DEFAULT_PAGE:
		same = !tsh_parse_u64(value, &kb) &&
		       kb == (uint64_t)sysconf(_SC_PAGESIZE) / 1024;
		break;
	case TSH_DEFAULT_MASK:
		same = covers_all_cpus(in, value);
		break;
	case TSH_DEFAULT_CMDLINES:
		/* Accepts 128, or the names that fit into a power of two of pages beside the table
		 * of pids: 8190 in Linux 6.8, 6552 later. */
		same = !strcmp(value, "128") || !strcmp(value, "8190") || !strcmp(value, "6552");
		break;
	case TSH_DEFAULT_OPTION:
		same = !strcmp(value, tsh_default_option(in, path + strlen("options/")) ? "1" : "0");
		break;
	}
	free(value);
	return same;
}

char *tsh_choose(const char *list, const char *word)
{
	bool found = false;
	struct tsh_strbuf out = TSH_STRBUF_INIT;
	struct tsh_strlist words = { 0 };
	size_t i;

	tsh_strlist_split_some(&words, list, TSH_WORDS_MAX);
	for (i = 0; i < words.n; i++) {
		char *name = words.v[i];
		size_t len = strlen(name);
		bool marked = *name == '[' && len > 2 && name[len - 1] == ']';

		if (marked) {
			name[len - 1] = '\0';
			name++;
		}
		found = found || !strcmp(name, word);
		tsh_strbuf_addf(&out, strcmp(name, word) ? "%s%s" : "%s[%s]", i ? " " : "", name);
	}
	tsh_strlist_release(&words);
	if (!found)
		tsh_strbuf_release(&out);
	return !found ? NULL : tsh_strbuf_detach(&out);
}

char *tsh_default_text(const struct tsh_instance *top, const char *path)
{
	const struct tsh_default *d = tsh_default_find(path);
	const struct tsh_instance other = { .dir = top->dir, .name = (char *)"", .fd = top->fd };
	char *list, *text;

	switch (d ? d->kind : TSH_DEFAULT_PAGE) {
	case TSH_DEFAULT_TEXT:
	case TSH_DEFAULT_CLOCK:
		if (tsh_file_class(path)->flags & TSH_CLASS_FILTER)
			return tsh_xstrdup("none");
		if (tsh_file_class(path)->compare != TSH_SAME_CHOICE)
			return tsh_xstrdup(d->text);
		list = tsh_file_text(top, path);
		text = list ? tsh_choose(list, d->text) : NULL;
		free(list);
		return text;
	case TSH_DEFAULT_LIST:
		return tsh_xstrdup("");
	case TSH_DEFAULT_SIZE:
		return tsh_xasprintf("%u", BUFFER_KB);
	case TSH_DEFAULT_OPTION:
		return tsh_xstrdup(tsh_default_option(&other, path + strlen("options/")) ? "1" : "0");
	default:
		return NULL;
	}
}
