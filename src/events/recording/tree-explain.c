/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tree.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "events/symbols/saved-comms.h"

/*
 * Writes the names, symbols and memory that the records of a recording refer to and do not contain.
 * Prints each record once and drops the text. The decoder's provider passes all requests to the
 * live provider, and notes the answers.
 */

#define BUDGET 64		/* pages of one CPU between two checks for signals */
#define MEMORY_MAX 4096		/* limit of bytes in one request for memory */
#define QUESTIONS_MAX 65536
#define ASKED_BYTES ((1U << 22) / 8)	/* PID_MAX_LIMIT */

struct explain {
	const struct tsh_tree *tree;
	const struct tsh_provider *live;
	struct tsh_provider asking;	/* passes requests to `live`, and notes the answers */
	struct tsh_decoder *decoder;
	struct tsh_decoder *first;	/* knows the names that tasks had at the beginning */
	struct tsh_used_symbols *symbols;
	/* "system:name" of events that occur, without ftrace's own */
	struct tsh_strlist events;
	struct tsh_strlist words;	/* names in their print formats */
	struct tsh_strlist asked_variables;
	struct tsh_strbuf comms, tgids, programs, memory, variables;
	unsigned char *asked_programs;	/* pids that are in `programs`: a bit for each */
	uint64_t asked[1024];		/* addresses of memory, hashed */
	size_t nquestions;
	bool has_gaps;			/* some of the events are missing */
	int error;
};

static void write_file(struct explain *x, const char *path, const char *text, size_t len)
{
	if (!x->error)
		x->error = tsh_tree_write(x->tree, path, text, len);
}

/* ---- formats ---- */

static bool is_word(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == '_';
}

/* Collects the identifiers of a print format, outside of strings. */
static void collect_words(struct tsh_strlist *words, const char *p)
{
	const char *begin;

	while (*p && *p != '\n') {
		if (*p == '"') {
			for (p++; *p && *p != '"' && *p != '\n'; p++)
				p += *p == '\\' && p[1];
			p += *p == '"';
		} else if (is_word(*p)) {
			for (begin = p; is_word(*p); p++)
				;
			if (*begin > '9')
				tsh_strlist_addn(words, begin, (size_t)(p - begin));
		} else {
			p++;
		}
	}
}

/* Returns the value of a line "KEY: VALUE"; the caller frees it. */
static char *format_line(const char *text, const char *key)
{
	size_t len = strlen(key);

	while (strncmp(text, key, len)) {
		text = strchr(text, '\n');
		if (!text)
			return NULL;
		text++;
	}
	return tsh_xstrndup(text + len, strcspn(text + len, "\n"));
}

static bool is_path_part(const char *text)
{
	return text && *text && *text != '.' && !strpbrk(text, "/\n");
}

static void note_format(struct explain *x, unsigned int id, const char *system, const char *text)
{
	char *name = format_line(text, "name: "), *print = format_line(text, "print fmt: ");
	char *path, *number;

	if (print)
		collect_words(&x->words, print);
	if (is_path_part(name) && is_path_part(system)) {
		path = tsh_xasprintf("events/%s/%s/format", system, name);
		write_file(x, path, text, strlen(text));
		free(path);
		path = tsh_xasprintf("events/%s/%s/id", system, name);
		number = tsh_xasprintf("%u\n", id);
		write_file(x, path, number, strlen(number));
		free(number);
		free(path);
		if (strcmp(system, "ftrace") && !tsh_tree_is_hidden(x->tree, system, name))
			tsh_strlist_add_owned(&x->events, tsh_xasprintf("%s:%s", system, name));
	}
	free(name);
	free(print);
}

static int ask_format(void *ctx, unsigned int id, char **ret_system, char **ret_text)
{
	struct explain *x = ctx;
	int r = x->live->format(x->live->ctx, id, ret_system, ret_text);

	if (!r)
		note_format(x, id, *ret_system, *ret_text);
	return r;
}

/* ---- tasks ---- */

static char *ask_cmdlines(void *ctx)
{
	struct explain *x = ctx;

	return x->live->cmdlines(x->live->ctx);
}

static bool ask_comm(void *ctx, int pid, char comm[16])
{
	struct explain *x = ctx;

	if (!x->live->comm || !x->live->comm(x->live->ctx, pid, comm))
		return false;
	tsh_saved_comms_write(&x->comms, pid, comm);
	return true;
}

static int ask_tgid(void *ctx, int pid)
{
	struct explain *x = ctx;
	int tgid = x->live->tgid ? x->live->tgid(x->live->ctx, pid) : -1;

	if (tgid > 0)
		tsh_strbuf_addf(&x->tgids, "%d %d\n", pid, tgid);
	return tgid;
}

/* Notes whether a task's program is made for 32 or 64 bits, which decides on the numbers of its
 * system calls. */
static void note_program(struct explain *x, int pid)
{
	unsigned int bits, place = (unsigned int)pid / 8 % ASKED_BYTES;

	if (pid <= 0 || x->asked_programs[place] & 1U << pid % 8)
		return;
	x->asked_programs[place] |= (unsigned char)(1U << pid % 8);
	bits = x->live->bits ? x->live->bits(x->live->ctx, pid) : 0;
	if (bits)
		tsh_strbuf_addf(&x->programs, "%d %u\n", pid, bits);
}

/* ---- data of the kernel ---- */

static char *ask_printk_formats(void *ctx)
{
	struct explain *x = ctx;

	return x->live->printk_formats(x->live->ctx);
}

static int ask_kallsyms(void *ctx)
{
	struct explain *x = ctx;

	return x->live->kallsyms(x->live->ctx);
}

static int ask_btf(void *ctx)
{
	struct explain *x = ctx;

	return x->live->btf(x->live->ctx);
}

static int ask_module_btf(void *ctx, unsigned int index)
{
	struct explain *x = ctx;

	return x->live->module_btf(x->live->ctx, index);
}

static char *ask_dynamic_events(void *ctx)
{
	struct explain *x = ctx;

	return x->live->dynamic_events(x->live->ctx);
}

static int ask_option(void *ctx, const char *name)
{
	struct explain *x = ctx;

	return x->live->option(x->live->ctx, name);
}

static bool ask_memory(void *ctx, uint64_t address, void *ret, size_t len)
{
	struct explain *x = ctx;
	const unsigned char *bytes = ret;
	uint64_t key = address ^ (uint64_t)len << 48;
	uint64_t *asked = &x->asked[key * UINT64_C(0x9e3779b97f4a7c15) >> 54];
	size_t i;

	if (!x->live->memory(x->live->ctx, address, ret, len))
		return false;
	/* many records refer to the same string */
	if (len > MEMORY_MAX || *asked == key || x->nquestions >= QUESTIONS_MAX)
		return true;
	*asked = key;
	x->nquestions++;
	tsh_strbuf_addf(&x->memory, "%" PRIx64 " ", address);
	for (i = 0; i < len; i++)
		tsh_strbuf_addf(&x->memory, "%02x", bytes[i]);
	tsh_strbuf_addc(&x->memory, '\n');
	return true;
}

static bool ask_variable(void *ctx, const char *name, uint64_t *ret)
{
	struct explain *x = ctx;


	if (!x->live->variable(x->live->ctx, name, ret))
		return false;
	/* the first value of a variable that changes (jiffies) counts */
	if (!tsh_strlist_has(&x->asked_variables, name)) {
		tsh_strlist_add(&x->asked_variables, name);
		tsh_strbuf_addf(&x->variables, "%s 0x%" PRIx64 "\n", name, *ret);
	}
	return true;
}

/* Makes the noting provider, without the functions that the live provider does not have. */
static void make_provider(struct explain *x)
{
	const struct tsh_provider *live = x->live;

	x->asking = (struct tsh_provider){
		.format = ask_format,
		.comm = ask_comm,
		.tgid = ask_tgid,
		.cmdlines = live->cmdlines ? ask_cmdlines : NULL,
		.printk_formats = live->printk_formats ? ask_printk_formats : NULL,
		.kallsyms = live->kallsyms ? ask_kallsyms : NULL,
		.btf = live->btf ? ask_btf : NULL,
		.module_btf = live->module_btf ? ask_module_btf : NULL,
		.memory = live->memory ? ask_memory : NULL,
		.variable = live->variable ? ask_variable : NULL,
		.dynamic_events = live->dynamic_events ? ask_dynamic_events : NULL,
		.option = live->option ? ask_option : NULL,
		.ctx = x,
		.tasks_change = live->tasks_change,
	};
}

/* ---- writing ---- */

/* Writes the lines of a text, each one once; no file when there are none. */
static void write_lines(struct explain *x, const char *path, struct tsh_strbuf *text)
{
	struct tsh_strlist lines = { 0 };
	struct tsh_strbuf out = TSH_STRBUF_INIT;
	size_t i;

	tsh_strlist_split_lines(&lines, text->len ? text->buf : "");
	tsh_strlist_sort(&lines);
	for (i = 0; i < lines.n; i++)
		if (!i || strcmp(lines.v[i], lines.v[i - 1]))
			tsh_strbuf_addf(&out, "%s\n", lines.v[i]);
	if (out.len)
		write_file(x, path, out.buf, out.len);
	tsh_strlist_release(&lines);
	tsh_strbuf_release(&out);
}

/* Writes the list of events: those that are enabled, and those that occur. */
static void write_event_list(struct explain *x, const struct tsh_instance *recorded)
{
	struct tsh_strbuf text = TSH_STRBUF_INIT;
	size_t i;

	tsh_file_read(recorded, "available_events", &text);
	for (i = 0; i < x->events.n; i++)
		tsh_strbuf_addf(&text, "%s\n", x->events.v[i]);
	write_lines(x, "available_events", &text);
	tsh_strbuf_release(&text);
}

/* Sorts the words, each one once, and adds those that the decoder itself needs. */
static void finish_words(struct explain *x)
{
	struct tsh_strlist sorted = { 0 };
	char *probes = x->live->dynamic_events ? x->live->dynamic_events(x->live->ctx) : NULL;
	const char *line;
	size_t i;

	for (line = probes; line && *line; line += strcspn(line, "\n"), line += *line == '\n')
		collect_words(&x->words, line);
	free(probes);
	tsh_strlist_add(&x->words, "sched_clock_suspend");
	/* for the letters of flags: src/events/decode/flags.c */
	tsh_strlist_add(&x->words, "TRACE_FLAG_NEED_RESCHED_LAZY");
	tsh_strlist_add(&x->words, "TRACE_FLAG_PREEMPT_RESCHED");
	tsh_strlist_add(&x->words, "TRACE_FLAG_IRQS_NOSUPPORT");
	/* for interrupts in the function graph: src/output/graph-columns.c */
	tsh_strlist_add(&x->words, "__irqentry_text_start");
	tsh_strlist_add(&x->words, "__irqentry_text_end");
	tsh_strlist_sort(&x->words);
	for (i = 0; i < x->words.n; i++)
		if (!i || strcmp(x->words.v[i], x->words.v[i - 1]))
			tsh_strlist_add(&sorted, x->words.v[i]);
	tsh_strlist_release(&x->words);
	x->words = sorted;
}

/* Writes the filters of all events that occur: they may be disabled by now. */
static void write_filters(struct explain *x, const struct tsh_instance *in)
{
	size_t i;

	for (i = 0; i < x->events.n && !x->error; i++) {
		char *system = x->events.v[i], *colon = strchr(system, ':');
		const struct tsh_event event = { system, colon + 1 };

		*colon = '\0';
		x->error = tsh_tree_write_filter(x->tree, in, &event);
		*colon = ':';
	}
}

/* Lists variables that no format names: HZ for the unit of a timer, nr_cpu_ids for the width of a
 * CPU in a graph, and the kernel's version. */
static const char *const always[] = { "HZ", "LINUX_VERSION_CODE", "nr_cpu_ids" };

static void write_kernel(struct explain *x)
{
	struct tsh_strbuf text = TSH_STRBUF_INIT;
	struct tsh_strlist functions = { 0 };
	uint64_t value;
	size_t i;

	for (i = 0; x->live->variable && i < sizeof(always) / sizeof(always[0]); i++)
		(void)ask_variable(x, always[i], &value);
	finish_words(x);
	write_lines(x, "memory", &x->memory);
	write_lines(x, "variables", &x->variables);
	tsh_used_symbols_text(x->symbols, &x->words, &text, &functions);
	if (text.len)
		write_file(x, "kallsyms", text.buf, text.len);
	tsh_strbuf_clear(&text);
	tsh_strlist_sort(&functions);
	tsh_btf_extract(x->live, &x->words, &functions, &text);
	if (text.len)
		write_file(x, "btf", text.buf, text.len);
	tsh_strlist_release(&functions);
	tsh_strbuf_release(&text);
}

/* ---- reading the recording ---- */

/* Notes a function that was called with its arguments: by the function tracer, or an entry of
 * function_graph. */
static void note_call(struct explain *x, const struct tsh_event_format *format, const struct tsh_record *rec)
{
	const struct tsh_field *args = tsh_event_format_field(format, "args"), *function;
	struct tsh_field_value value;

	if (!args || rec->size <= args->offset)
		return;
	function = tsh_event_format_field(format, "ip");
	if (!function)
		function = tsh_event_format_field(format, "func");
	if (!function)
		return;
	tsh_decoder_value(x->decoder, function, rec, &value);
	if (value.kind != TSH_VALUE_MISSING)
		tsh_used_symbols_call(x->symbols, value.u);
}

static void scan_record(struct explain *x, const struct tsh_record *rec, bool big_endian,
			struct tsh_tree_cpu *cpu, struct tsh_strbuf *scratch)
{
	const struct tsh_event_format *format;
	struct tsh_common common;

	tsh_used_symbols_scan(x->symbols, rec, big_endian);
	if (!tsh_decoder_common(x->decoder, rec, &common))
		return;
	format = tsh_decoder_format(x->decoder, common.id);
	tsh_decoder_learn_ahead(x->first, rec);
	if (format) {
		if (!strcmp(format->system, "raw_syscalls"))
			note_program(x, common.pid);
		else if (!strcmp(format->system, "ftrace"))
			note_call(x, format, rec);
		if (cpu && tsh_tree_is_hidden(x->tree, format->system, format->name))
			cpu->hidden++;
		tsh_decoder_learn(x->decoder, format, rec);
		tsh_strbuf_clear(scratch);
		tsh_decoder_print(x->decoder, format, rec, scratch);
	}
	tsh_decoder_comm(x->decoder, common.pid);
	tsh_decoder_tgid(x->decoder, common.pid);
}

static struct tsh_tree_cpu *find_cpu(struct tsh_tree_cpu *cpus, size_t ncpus, int cpu)
{
	size_t i;

	for (i = 0; i < ncpus; i++)
		if (cpus[i].cpu == cpu)
			return &cpus[i];
	return NULL;
}

/* Returns the next event, in any order: the printed text is dropped. Adds missing events to the
 * CPU's `gone`. */
static bool next_event(struct tsh_source *src, struct tsh_record *rec, struct tsh_tree_cpu *cpus, size_t ncpus)
{
	enum tsh_source_item item;
	struct tsh_tree_cpu *cpu;
	uint64_t lost;
	bool late;

	while ((item = tsh_source_next(src, UINT64_MAX, rec, &lost, &late)) == TSH_ITEM_LOST) {
		cpu = find_cpu(cpus, ncpus, rec->cpu);
		if (cpu)
			cpu->gone = tsh_saturating_sum(cpu->gone, lost);
	}
	return item == TSH_ITEM_EVENT;
}

/* Reads all events, and notes what they refer to. Returns 0, -errno, or -EINTR for a signal. */
static int scan_records(struct explain *x, struct tsh_source *src, const struct tsh_waiter *waiter,
			struct tsh_tree_cpu *cpus, size_t ncpus)
{
	bool big_endian = tsh_source_layout(src)->big_endian, drained = false;
	struct tsh_strbuf scratch = TSH_STRBUF_INIT;
	enum tsh_wait_result result = TSH_WAIT_TIMEOUT;
	struct tsh_tree_cpu *cpu;
	struct tsh_record rec;
	int r = 0;

	while (r >= 0 && !drained) {
		r = tsh_source_fill(src, BUDGET, &drained);
		while (r >= 0 && next_event(src, &rec, cpus, ncpus)) {
			cpu = find_cpu(cpus, ncpus, rec.cpu);
			if (cpu && !cpu->events++)
				cpu->oldest = rec.stamp;
			scan_record(x, &rec, big_endian, cpu, &scratch);
		}
		if (waiter)
			result = tsh_wait(waiter, NULL, 0, 0);
		if (r >= 0 && (result == TSH_WAIT_STOP || result == TSH_WAIT_ABORT))
			r = -EINTR;
	}
	tsh_strbuf_release(&scratch);
	return r < 0 ? r : 0;
}

/* Writes the first name of a task; one that began later has none. */
static void write_first(void *ctx, int pid, const char *comm)
{
	if (strcmp(comm, TSH_COMM_UNKNOWN) != 0)
		tsh_saved_comms_write(ctx, pid, comm);
}

/*
 * Writes tracesh/comms. A reader uses the first line of a task, so the order is: the task's first
 * name by x->first, names that the live provider has returned, newest names of saved_cmdlines,
 * names at the beginning. When the recording has gaps, x->first was made without the names at the
 * beginning, because a change may be missing.
 */
static void write_comms(struct explain *x, const struct tsh_saved_comms *first,
			const struct tsh_tree_names *names)
{
	struct tsh_strbuf text = TSH_STRBUF_INIT;
	size_t i;

	tsh_strbuf_adds(&text, TSH_COMMS_ESCAPED);
	tsh_decoder_each_comm(x->first, write_first, &text);
	tsh_strbuf_add(&text, x->comms.buf, x->comms.len);
	tsh_tree_names_text(names, &text);
	for (i = 0; i < first->n; i++)
		tsh_saved_comms_write(&text, first->v[i].pid, first->v[i].comm);
	write_file(x, TREE_COMMS, text.buf, text.len);
	tsh_strbuf_release(&text);
}

static int explain_source(struct explain *x, const struct tsh_instance *in,
			  const struct tsh_instance *recorded, struct tsh_source *src,
			  const struct tsh_saved_comms *first, const struct tsh_tree_names *names, const struct tsh_waiter *waiter,
			  struct tsh_tree_cpu *cpus, size_t ncpus)
{
	struct tsh_live_provider *provider = tsh_live_provider_new(in);
	size_t i;
	int r;

	x->live = tsh_live_provider(provider);
	make_provider(x);
	x->symbols = tsh_used_symbols_new(x->live, tsh_source_layout(src)->long_size);
	x->asked_programs = tsh_xcalloc(ASKED_BYTES, 1);
	x->decoder = tsh_decoder_new(&x->asking, tsh_source_layout(src));
	x->first = tsh_decoder_new(&x->asking, tsh_source_layout(src));
	for (i = 0; i < first->n && !x->has_gaps; i++)
		tsh_decoder_set_first_comm(x->first, first->v[i].pid, first->v[i].comm);
	r = scan_records(x, src, waiter, cpus, ncpus);
	write_event_list(x, recorded);
	write_filters(x, in);
	write_comms(x, first, names);
	write_lines(x, TREE_TGIDS, &x->tgids);
	write_lines(x, TREE_PROGRAMS, &x->programs);
	write_kernel(x);
	tsh_decoder_free(x->decoder);
	tsh_decoder_free(x->first);
	free(x->asked_programs);
	tsh_used_symbols_free(x->symbols);
	tsh_live_provider_free(provider);
	return r ? r : x->error;
}

int tsh_tree_explain(const struct tsh_tree *tree, const struct tsh_instance *in,
		     const struct tsh_saved_comms *first, const struct tsh_tree_names *names, const struct tsh_waiter *waiter,
		     struct tsh_tree_cpu *cpus, size_t ncpus)
{
	struct explain x = { .tree = tree };
	size_t i;
	struct tsh_instance *recorded = NULL;
	struct tsh_source *src = NULL;
	struct tsh_dir *dir = tsh_dir_open_tree(tree->fd, tree->path);
	struct tsh_err err = { 0 };
	int r = -EIO;

	for (i = 0; i < ncpus; i++)
		x.has_gaps = x.has_gaps || cpus[i].has_gap;
	if (dir && !tsh_instance_open(dir, NULL, &recorded, &err) &&
	    !tsh_source_open(recorded, NULL, &src, &err))
		r = explain_source(&x, in, recorded, src, first, names, waiter, cpus, ncpus);
	else if (err.number)
		r = -err.number;
	tsh_err_release(&err);
	tsh_source_close(src);
	tsh_instance_close(recorded);
	tsh_dir_close(dir);
	tsh_strlist_release(&x.events);
	tsh_strlist_release(&x.words);
	tsh_strlist_release(&x.asked_variables);
	tsh_strbuf_release(&x.comms);
	tsh_strbuf_release(&x.tgids);
	tsh_strbuf_release(&x.programs);
	tsh_strbuf_release(&x.memory);
	tsh_strbuf_release(&x.variables);
	return r;
}
