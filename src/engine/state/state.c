/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "state.h"

#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/machine.h"
#include "base/number.h"
#include "kernel/tracefs/defaults.h"
#include "kernel/tracefs/lines.h"
#include "kernel/tracefs/probe.h"

#define MANY_FUNCTIONS 1000
#define INVALID_FUNCTION "__ftrace_invalid_address__"

static void release_item(struct tsh_state_item *item)
{
	free(item->instance);
	free(item->path);
	free(item->value);
}

void tsh_state_release(struct tsh_state *state)
{
	size_t i;

	for (i = 0; i < state->items.n; i++)
		release_item(&state->items.v[i]);
	tsh_vec_release(&state->items);
	tsh_strlist_release(&state->instances);
	tsh_strlist_release(&state->unread);
}

void tsh_state_add(struct tsh_state *state, const char *instance, const char *path,
		   const char *value, bool line)
{
	struct tsh_state_item *item;

	if (state->items.n == TSH_STATE_MAX) {
		state->left_out++;
		return;
	}
	item = tsh_vec_push(&state->items);
	item->instance = instance ? tsh_xstrdup(instance) : NULL;
	item->path = tsh_xstrdup(path);
	item->value = tsh_xstrdup(value);
	item->line = line;
}

void tsh_state_remark(struct tsh_state *state, const char *instance, const char *fmt, ...)
{
	struct tsh_strbuf text = TSH_STRBUF_INIT;
	va_list ap;

	va_start(ap, fmt);
	tsh_strbuf_vaddf(&text, fmt, ap);
	va_end(ap);
	tsh_state_add(state, instance, "", text.buf, false);
	tsh_strbuf_release(&text);
}

void tsh_state_note_unread(struct tsh_session *s, const struct tsh_state *state)
{
	struct tsh_strbuf text = TSH_STRBUF_INIT;
	size_t i;

	for (i = 0; i < state->unread.n; i++)
		tsh_strbuf_addf(&text, "%s%s", i ? ", " : "", state->unread.v[i]);
	if (text.len)
		tsh_out_note(s->out, "not looked at: %s", text.buf);
	tsh_strbuf_release(&text);
}

/* ---- signals ---- */

bool tsh_state_is_stopped(const struct tsh_instance *in, struct tsh_state *state)
{
	const struct tsh_waiter *waiter = in->dir->waiter;

	if (!state->stopped && waiter)
		state->stopped = tsh_wait(waiter, NULL, 0, 0) != TSH_WAIT_TIMEOUT;
	return state->stopped;
}

int tsh_state_check_items(const struct tsh_state *state, struct tsh_err *err)
{
	if (!state->left_out)
		return 0;
	return tsh_err_set(err, TSH_FAILED, "there are more than %zu settings: %zu are left out",
			   TSH_STATE_MAX, state->left_out);
}

int tsh_state_finish(struct tsh_session *s, const struct tsh_state *state, struct tsh_err *err)
{
	if (tsh_state_check_items(state, err) < 0)
		return -1;
	if (!state->stopped)
		return tsh_dir_check_unread(s->dir, err);
	if (tsh_wait(s->waiter, NULL, 0, 0) == TSH_WAIT_ABORT)
		s->aborted = true;
	tsh_err_set(err, TSH_FAILED, "stopped before all settings were read");
	return -1;
}

/* ---- files with one value ---- */

/* Returns the text of a file, which the caller frees. NULL: there is no such file, or it cannot
 * be read; then adds a remark. */
static char *read_setting(const struct tsh_instance *in, const char *label, const char *path,
			  struct tsh_state *ret)
{
	struct tsh_strbuf text = TSH_STRBUF_INIT;
	int r = tsh_file_read(in, path, &text);

	if (r < 0) {
		if (r != -ENOENT) {
			tsh_state_remark(ret, label, "%s cannot be read: %s", path, strerror(-r));
			tsh_strlist_add_owned(&ret->unread, tsh_xasprintf("%s%s%s (%s)", path,
					 label ? " of " : "", label ? label : "", strerror(-r)));
		}
		tsh_strbuf_release(&text);
		return NULL;
	}
	if (text.len && text.buf[text.len - 1] == '\n')
		tsh_strbuf_truncate(&text, text.len - 1);
	return tsh_strbuf_detach(&text);
}

static void read_plain(const struct tsh_instance *in, const char *label, const char *path,
		       struct tsh_state *ret)
{
	char *text = read_setting(in, label, path, ret), *value;

	if (text && !tsh_is_default(in, path, text)) {
		value = tsh_class_normalize(tsh_file_class(path), text);
		tsh_state_add(ret, label, path, value, false);
		free(value);
	}
	free(text);
}

/* Reads the sizes of the buffers: one value when all CPUs have the same, otherwise one for each
 * CPU. */
static void read_sizes(const struct tsh_instance *in, const char *label, struct tsh_state *ret)
{
	char *text = tsh_file_text(in, "buffer_size_kb");
	unsigned int *cpus;
	size_t i, n;

	if (!text || strcmp(text, "X")) {
		free(text);
		read_plain(in, label, "buffer_size_kb", ret);
		return;
	}
	free(text);
	n = tsh_cpus_present(in, &cpus);
	if (!n) {
		tsh_state_remark(ret, label, "the sizes of the buffers are left out: the CPUs cannot be listed");
		tsh_strlist_add_owned(&ret->unread, tsh_xasprintf("buffer_size_kb%s%s (the CPUs cannot be listed)",
				 label ? " of " : "", label ? label : ""));
	}
	for (i = 0; i < n; i++) {
		char *path = tsh_xasprintf("per_cpu/cpu%u/buffer_size_kb", cpus[i]);

		read_plain(in, label, path, ret);
		free(path);
	}
	free(cpus);
}

/* Reads whether a snapshot buffer is allocated, not its events. While a latency tracer uses one,
 * the kernel does not allow reading it. */
static void read_snapshot(const struct tsh_instance *in, const char *label,
			  struct tsh_state *ret)
{
	enum tsh_snapshot_state state = tsh_snapshot_state(in);

	if (state == TSH_SNAPSHOT_EMPTY || state == TSH_SNAPSHOT_FULL)
		tsh_state_add(ret, label, "snapshot", "1", false);
}

/* ---- options ---- */

/* Says whether an option belongs to the tracer function, which refuses to set it while it is not
 * the present tracer. */
static bool is_of_function(const char *name)
{
	return !strcmp(name, "func_stack_trace") || !strcmp(name, "func-no-repeats") ||
	       !strcmp(name, "func-args");
}

static void read_options(const struct tsh_instance *in, const char *label, bool of_function,
			 struct tsh_state *ret)
{
	char *tracer = tsh_file_text(in, "current_tracer");
	bool is_function = tracer && !strcmp(tracer, "function");
	struct tsh_strlist names = { 0 };
	size_t i;

	tsh_file_list(in, "options", &names);
	for (i = 0; i < names.n; i++) {
		char *path = tsh_xasprintf("options/%s", names.v[i]);
		char *text = tsh_file_text(in, path);

		if (is_of_function(names.v[i]) != of_function || !text ||
		    tsh_is_default(in, path, text))
			;
		else if (of_function && !is_function)
			tsh_state_remark(ret, label, "option %s is %s, which can be set only "
					 "while the tracer is function", names.v[i],
					 strcmp(text, "0") ? "on" : "off");
		else if (!strcmp(names.v[i], "trace_printk_dest") && !strcmp(text, "0"))
			/* another instance has set it, and resets it when it is removed */
			tsh_state_remark(ret, label, "trace_printk writes to another instance");
		else
			tsh_state_add(ret, label, path, strcmp(text, "0") ? "1" : "0", false);
		free(text);
		free(path);
	}
	tsh_strlist_release(&names);
	free(tracer);
}

/* ---- lists ---- */

/* Says whether a list has all functions: it was set with '*'. Writing the names instead would
 * take minutes, because the kernel compares each of them with all functions. */
static bool has_all_functions(const struct tsh_instance *in, const char *path,
			      const struct tsh_strlist *list)
{
	const struct tsh_instance top = tsh_top(in->dir);
	struct tsh_strlist all = { 0 };
	size_t i, names = 0, invalid = 0;
	char *text;

	for (i = 0; i < list->n; i++)
		names += !strchr(list->v[i], ':') || strstr(list->v[i], ":mod:");
	if (names < MANY_FUNCTIONS || tsh_file_class(path)->inverse != TSH_BACK_FUNCTIONS)
		return false;
	text = tsh_file_text(&top, "available_filter_functions");
	if (text)
		tsh_strlist_split_lines(&all, text);
	free(text);
	/* omit overridden weak functions (FTRACE_INVALID_FUNCTION), which no glob matches */
	for (i = 0; i < all.n; i++)
		invalid += !strncmp(all.v[i], INVALID_FUNCTION, strlen(INVALID_FUNCTION));
	i = all.n - invalid;
	tsh_strlist_release(&all);
	return names == i;
}

/* Adds the lines of a list: with `plain` the names, which replace the list; otherwise the lines
 * that are appended to it: functions with a command (as a trigger), or of a module. */
static void add_lines(const struct tsh_strlist *list, bool plain, const char *label,
		      const char *path, struct tsh_state *ret)
{
	const char *last = NULL;
	size_t i;

	for (i = 0; i < list->n; i++) {
		char *value;

		if (!strchr(list->v[i], ':') != plain)
			continue;
		/* functions with the same name are listed several times */
		value = tsh_state_trigger_text(list->v[i]);
		if (!last || strcmp(last, list->v[i]))
			tsh_state_add(ret, label, path, value, true);
		last = list->v[i];
		free(value);
	}
}

/* Drops names, and keeps functions with a command. */
static void drop_names(struct tsh_strlist *list)
{
	struct tsh_strlist commands = { 0 };
	size_t i;

	for (i = 0; i < list->n; i++)
		if (strchr(list->v[i], ':') && !strstr(list->v[i], ":mod:"))
			tsh_strlist_add(&commands, list->v[i]);
	tsh_strlist_release(list);
	*list = commands;
}

static void read_list(const struct tsh_instance *in, const char *label, const char *path,
		      struct tsh_state *ret)
{
	char *text = read_setting(in, label, path, ret), *lines = NULL;
	struct tsh_strlist list = { 0 };

	if (text)
		lines = tsh_class_normalize(tsh_file_class(path), text);
	if (lines)
		tsh_strlist_split_lines(&list, lines);
	if (has_all_functions(in, path, &list)) {
		tsh_state_add(ret, label, path, "*", true);
		drop_names(&list);
	}
	add_lines(&list, true, label, path, ret);
	add_lines(&list, false, label, path, ret);
	tsh_strlist_release(&list);
	free(lines);
	free(text);
}

/* ---- probes ---- */

static void add_probe(const char *label, const char *path, const char *line, bool everybodys,
		      struct tsh_state *ret)
{
	char *value = tsh_xstrdup(line), *p;

	for (p = value; *p; p++)
		if (*p == '\t')
			*p = ' ';
	if (!strncmp(value, "u:", 2))
		tsh_state_remark(ret, label, "the event %s belongs to the program that made it",
				 value + 2);
	else if (everybodys)
		tsh_state_remark(ret, label, "all instances have: append %s '%s'", path, value);
	else if (tsh_probe_owner(value))
		tsh_state_remark(ret, label, "a session removes this probe at its end: %s", value);
	else
		tsh_state_add(ret, label, path, value, true);
	free(value);
}

static void read_probe_file(const struct tsh_instance *in, const char *label, const char *path,
			    struct tsh_state *ret)
{
	const struct tsh_instance top = tsh_top(in->dir);
	char *text = read_setting(&top, label, path, ret);
	struct tsh_strlist lines = { 0 };
	size_t i;

	if (text)
		tsh_lines_split(text, &lines);
	for (i = 0; i < lines.n; i++)
		add_probe(label, path, lines.v[i], in->name != NULL, ret);
	tsh_strlist_release(&lines);
	free(text);
}

/* Reads the probes. All instances share them, but only the top one has their files. */
static void read_probes(const struct tsh_instance *in, const char *label, struct tsh_state *ret)
{
	const struct tsh_instance top = tsh_top(in->dir);

	if (tsh_file_exists(&top, "dynamic_events")) {
		read_probe_file(in, label, "dynamic_events", ret);
		return;
	}
	read_probe_file(in, label, "kprobe_events", ret);
	read_probe_file(in, label, "uprobe_events", ret);
	read_probe_file(in, label, "synthetic_events", ret);
}

/* ---- all settings ---- */

static bool has_clock_trigger(const struct tsh_state *state, size_t from)
{
	size_t i;

	for (i = from; i < state->items.n; i++)
		if (strstr(state->items.v[i].value, ":clock="))
			return true;
	return false;
}

/* Reads the settings of one row of the table of defaults. */
static void read_one(const struct tsh_instance *in, const char *label,
		     const struct tsh_default *d, struct tsh_state *ret)
{
	size_t before = ret->items.n;
	char *clock;

	if (!strcmp(d->path, "buffer_size_kb")) {
		read_sizes(in, label, ret);
		read_snapshot(in, label, ret);
	} else if (!strcmp(d->path, "options/*")) {
		read_options(in, label, false, ret);
	} else if (!strcmp(d->path, "dynamic_events")) {
		read_probes(in, label, ret);
	} else if (!strcmp(d->path, "events/*/*/filter")) {
		tsh_state_read_filters(in, label, ret);
		/* A histogram of times sets the clock when it is made. */
		clock = tsh_file_text(in, "trace_clock");
		if (clock && has_clock_trigger(ret, before)) {
			char *value = tsh_class_normalize(tsh_file_class("trace_clock"), clock);

			tsh_state_add(ret, label, "trace_clock", value, false);
			free(value);
		}
		free(clock);
	} else if (!strcmp(d->path, "events/*/*/enable")) {
		tsh_state_read_enabled(in, label, ret);
	} else if (d->kind == TSH_DEFAULT_LIST) {
		if (!(tsh_file_class(d->path)->flags & TSH_CLASS_ADD_ONLY))
			read_list(in, label, d->path, ret);
	} else if (!strchr(d->path, '*')) {
		read_plain(in, label, d->path, ret);
		if (!strcmp(d->path, "current_tracer"))
			read_options(in, label, true, ret);
	}
}

void tsh_state_read(const struct tsh_instance *in, const char *label, struct tsh_state *ret)
{
	const struct tsh_default *d;

	for (d = tsh_defaults; d->path && !tsh_state_is_stopped(in, ret); d++)
		read_one(in, label, d, ret);
}

/* Says whether an instance belongs to a session ("tracesh-PID-N"), which removes it at its end. */
static bool is_own(const char *name)
{
	static const char prefix[] = "tracesh-";
	const char *p = name;
	uint64_t number;

	if (strncmp(name, prefix, strlen(prefix)) != 0)
		return false;
	p += strlen(prefix);
	return tsh_parse_u64_prefix(&p, &number) && *p++ == '-' && tsh_parse_u64_prefix(&p, &number) && !*p;
}

static void drop_instance(struct tsh_state *state, size_t i)
{
	struct tsh_strlist *names = &state->instances;

	free(names->v[i]);
	names->n--;
	memmove(&names->v[i], &names->v[i + 1], (names->n - i) * sizeof(*names->v));
}

int tsh_state_read_all(struct tsh_dir *dir, struct tsh_state *ret, struct tsh_err *err)
{
	struct tsh_strlist names = { 0 };
	struct tsh_instance *in;
	size_t i;
	int r;

	tsh_strlist_add(&ret->instances, "top");
	tsh_instance_list(dir, &names);
	for (i = 0; i < names.n; i++)
		if (!is_own(names.v[i]) && tsh_instance_name_is_valid(names.v[i]))
			tsh_strlist_add(&ret->instances, tsh_instance_word(names.v[i]));
	tsh_strlist_release(&names);
	for (i = 0, r = 0; !r && !ret->stopped && i < ret->instances.n;) {
		const char *label = ret->instances.v[i], *name = tsh_instance_parse_word(label);

		r = tsh_instance_open(dir, name, &in, err);
		if (r < 0 && i && !tsh_instance_exists(dir, name)) {
			/* the instance was removed meanwhile */
			tsh_err_release(err);
			r = 0;
			drop_instance(ret, i);
			continue;
		}
		if (!r) {
			tsh_state_read(in, label, ret);
			tsh_instance_close(in);
		}
		i++;
	}
	return r;
}

/* ---- tasks that have ended ---- */

static bool names_ended(const struct tsh_state_item *item)
{
	uint64_t pid;

	return item->line && (tsh_file_class(item->path)->flags & TSH_CLASS_PIDS) &&
	       !tsh_parse_u64(item->value, &pid) && pid && pid <= INT32_MAX &&
	       kill((pid_t)pid, 0) < 0 && errno == ESRCH;
}

static bool same_list(const struct tsh_state_item *a, const struct tsh_state_item *b)
{
	return !strcmp(a->path, b->path) &&
	       !strcmp(a->instance ? a->instance : "", b->instance ? b->instance : "");
}

bool tsh_state_is_counted(const struct tsh_state *state, size_t i)
{
	const struct tsh_state_item *item = &state->items.v[i];

	return *item->path && (!i || !(tsh_file_class(item->path)->flags & TSH_CLASS_PIDS) ||
			       !same_list(item - 1, item));
}

static bool has_living(const struct tsh_state *state, const struct tsh_state_item *item)
{
	size_t i;

	for (i = 0; i < state->items.n; i++)
		if (same_list(&state->items.v[i], item) && !names_ended(&state->items.v[i]))
			return true;
	return false;
}

/* Adds a remark that names the ended tasks of a list, which is the items [from, end). */
static void remark_ended(struct tsh_state *state, const struct tsh_state_item *items, const bool *ended,
			 size_t from, size_t end)
{
	struct tsh_strbuf text = TSH_STRBUF_INIT;
	size_t i, n = 0;

	for (i = from; i < end; i++)
		n += ended[i];
	tsh_strbuf_addf(&text, "tasks of %s that have ended:", items[from].path);
	for (i = from; i < end; i++)
		if (ended[i])
			tsh_strbuf_addf(&text, " %s", items[i].value);
	if (n)
		tsh_state_remark(state, items[from].instance, "%s", text.buf);
	tsh_strbuf_release(&text);
}

void tsh_state_drop_ended(struct tsh_state *state, bool remarks)
{
	struct tsh_state_item *items = state->items.v;
	size_t i, end, n = state->items.n;
	bool *ended;

	if (!tsh_is_initial_pid_namespace())
		return;
	ended = tsh_xcalloc(n + 1, sizeof(*ended));
	for (i = 0; i < n; i++)
		ended[i] = names_ended(&items[i]) && has_living(state, &items[i]);
	memset(&state->items, 0, sizeof(state->items));
	for (i = 0; i < n; i = end) {
		for (end = i + 1; end < n && same_list(&items[i], &items[end]);)
			end++;
		/* The remark must come first: after it, a new command would begin, which
		 * replaces the list. */
		if (remarks)
			remark_ended(state, items, ended, i, end);
		for (; i < end; i++) {
			if (ended[i])
				release_item(&items[i]);
			else
				*tsh_vec_push(&state->items) = items[i];
		}
	}
	free(items);
	free(ended);
}
