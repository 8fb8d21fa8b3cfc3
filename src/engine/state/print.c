/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "state.h"

#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "engine/histtrigger/triggers.h"
#include "kernel/tracefs/trigger.h"
#include "session/flood-check.h"

/* Prints a state as commands; settings without a command of their own as write and append. */

#define LINE_MAX 96

static const char *const function_lists[][2] = {
	{ "set_ftrace_filter", "filter" },
	{ "set_ftrace_notrace", "notrace" },
	{ "set_graph_function", "graph" },
};

/* Returns the command for a list of words: "functions filter", "write set_event_pid". The caller
 * frees it. */
static char *list_command(const char *path)
{
	size_t i;

	for (i = 0; i < sizeof(function_lists) / sizeof(function_lists[0]); i++)
		if (!strcmp(function_lists[i][0], path))
			return tsh_xasprintf("functions %s", function_lists[i][1]);
	return tsh_xasprintf("write %s", path);
}

/* Says whether a path is events/SYSTEM/EVENT/FILE, with names that can be written as
 * SYSTEM:EVENT. */
static bool is_event_file(const char *path, const char *file)
{
	const char *event;
	size_t system, name;

	if (strncmp(path, "events/", strlen("events/")) != 0)
		return false;
	path += strlen("events/");
	system = strcspn(path, "/:");
	event = path + system + 1;
	name = path[system] == '/' ? strcspn(event, "/:") : 0;
	return system && name && event[name] == '/' && !strcmp(event + name + 1, file);
}

/* Appends "sched:sched_switch" for "events/sched/sched_switch/filter". */
static void add_event(struct tsh_strbuf *out, const char *path)
{
	const char *system = path + strlen("events/");
	size_t len = strcspn(system, "/");
	const char *event = system + len + 1;
	char *name = tsh_xasprintf("%.*s:%.*s", (int)len, system, (int)strcspn(event, "/"), event);

	tsh_lexer_quote_value(out, name);
	free(name);
}

static bool is_plain(const char *word)
{
	struct tsh_strbuf quoted = TSH_STRBUF_INIT;
	bool plain;

	tsh_lexer_quote_value(&quoted, word);
	plain = !strcmp(quoted.buf, word);
	tsh_strbuf_release(&quoted);
	return plain;
}

/* Says whether an item is a word that can share a command with others; a function with a command
 * cannot. */
static bool is_list_word(const struct tsh_state_item *item)
{
	return item->line && (tsh_file_class(item->path)->flags & TSH_CLASS_LIST) &&
	       !strpbrk(item->value, ": ") && is_plain(item->value);
}

/* The following functions return false, and append nothing, when the command cannot have that
 * value. */

static bool add_mask(struct tsh_strbuf *out, const char *mask)
{
	struct tsh_cpuset set = { 0 };
	struct tsh_strbuf list = TSH_STRBUF_INIT;
	bool can;

	if (!tsh_cpuset_parse_mask(mask, &set))
		tsh_cpuset_format_list(&set, &list);
	can = list.len > 0;
	if (can)
		tsh_strbuf_addf(out, "cpus %s", list.buf);
	tsh_cpuset_release(&set);
	tsh_strbuf_release(&list);
	return can;
}

static bool add_size(struct tsh_strbuf *out, const char *value)
{
	uint64_t kb;

	if (tsh_parse_u64(value, &kb) < 0 || kb > UINT64_MAX / 1024)
		return false;
	tsh_strbuf_addf(out, "buffer %lluK", (unsigned long long)kb);
	return true;
}

/* Appends a filter if the lexer reads it back as the same text, which it does only for operators
 * that a kernel accepts. */
static bool add_expression(struct tsh_strbuf *out, const char *text)
{
	struct tsh_strbuf quoted = TSH_STRBUF_INIT;
	struct tsh_err ignored = { 0 };
	struct tsh_word word;
	struct tsh_lexer lx;
	bool same = false;

	tsh_lexer_quote_value(&quoted, text);
	tsh_lexer_init(&lx, quoted.buf, quoted.len, NULL);
	if (!tsh_lexer_expression(&lx, NULL, &word, &ignored)) {
		same = lx.pos == quoted.len && !strcmp(word.text, text);
		tsh_word_release(&word);
	}
	if (same)
		tsh_strbuf_adds(out, quoted.buf);
	tsh_err_release(&ignored);
	tsh_strbuf_release(&quoted);
	return same;
}

static bool add_filter(struct tsh_strbuf *out, const struct tsh_state_item *item)
{
	size_t start = out->len;

	tsh_strbuf_adds(out, "filter ");
	add_event(out, item->path);
	tsh_strbuf_addc(out, ' ');
	if (add_expression(out, item->value))
		return true;
	tsh_strbuf_truncate(out, start);
	return false;
}

/* Says whether the trigger command accepts a trigger: it refuses a count of 0 and unknown names. */
static bool is_for_command(const struct tsh_trigger *trigger, const char *text)
{
	size_t len = strcspn(trigger->command, ":"), i;
	char *again = tsh_trigger_text(trigger);
	bool same = !strcmp(again, text) && trigger->left != 0;

	free(again);
	for (i = 0; same && tsh_trigger_names[i]; i++)
		if (strlen(tsh_trigger_names[i]) == len &&
		    !memcmp(tsh_trigger_names[i], text, len))
			return true;
	return false;
}

static bool add_trigger(struct tsh_strbuf *out, const struct tsh_state_item *item)
{
	size_t start = out->len, len = strlen(item->value);
	struct tsh_trigger trigger;
	bool can;

	can = !tsh_trigger_parse(item->value, &trigger) && is_for_command(&trigger, item->value);
	if (can) {
		/* including its count and :pause */
		size_t behind = trigger.filter ? strlen(" if ") + strlen(trigger.filter) : 0;
		char *action = tsh_xstrndup(item->value, len - behind);

		tsh_strbuf_adds(out, "trigger ");
		add_event(out, item->path);
		tsh_strbuf_addc(out, ' ');
		tsh_lexer_quote_value(out, action);
		free(action);
	}
	if (can && trigger.filter) {
		tsh_strbuf_adds(out, " if ");
		can = add_expression(out, trigger.filter);
	}
	tsh_trigger_release(&trigger);
	if (!can)
		tsh_strbuf_truncate(out, start);
	return can;
}

/* Appends a command for the setting. Returns false, and appends nothing, when there is none. */
static bool add_command(struct tsh_strbuf *out, const struct tsh_state_item *item)
{
	const char *path = item->path, *value = item->value;
	char *command;

	if (!strcmp(path, "tracing_cpumask"))
		return add_mask(out, value);
	if (!strcmp(path, "buffer_size_kb"))
		return add_size(out, value);
	if (is_event_file(path, "filter"))
		return add_filter(out, item);
	if (is_event_file(path, "trigger") && item->line &&
	    strncmp(path, "events/ftrace/", strlen("events/ftrace/")) != 0)
		return add_trigger(out, item);
	if (!strcmp(path, "tracing_on")) {
		tsh_strbuf_adds(out, strcmp(value, "0") ? "on" : "off");
	} else if (!strcmp(path, "snapshot") && !strcmp(value, "1")) {
		tsh_strbuf_adds(out, "snapshot alloc");
	} else if (!strcmp(path, "trace_clock") || !strcmp(path, "current_tracer")) {
		tsh_strbuf_adds(out, *path == 't' ? "clock " : "tracer ");
		tsh_lexer_quote_value(out, value);
	} else if (!strncmp(path, "options/", 8)) {
		tsh_strbuf_adds(out, "option ");
		tsh_lexer_quote_value(out, path + 8);
		tsh_strbuf_adds(out, strcmp(value, "0") ? " on" : " off");
	} else if (is_event_file(path, "enable")) {
		tsh_strbuf_adds(out, strcmp(value, "0") ? "enable " : "disable ");
		add_event(out, path);
	} else if (is_list_word(item)) {
		command = list_command(path);
		tsh_strbuf_addf(out, "%s %s", command, value);
		free(command);
	} else {
		return false;
	}
	return true;
}

void tsh_state_print_item(const struct tsh_state_item *item, struct tsh_strbuf *out)
{
	if (add_command(out, item))
		return;
	tsh_strbuf_adds(out, item->line ? "append " : "write ");
	tsh_lexer_quote_value(out, item->path);
	tsh_strbuf_addc(out, ' ');
	tsh_lexer_quote_value(out, item->value);
}

/* ---- several items in one command ---- */

static bool same_instance(const struct tsh_state_item *a, const struct tsh_state_item *b)
{
	return a->instance == b->instance ||
	       (a->instance && b->instance && !strcmp(a->instance, b->instance));
}

/* Says whether item b can share the command of item a: words of a list, or events of one system. */
static bool can_share(const struct tsh_state_item *a, const struct tsh_state_item *b)
{
	if (!same_instance(a, b))
		return false;
	if (is_list_word(a) && is_list_word(b))
		return !strcmp(a->path, b->path);
	if (!is_event_file(a->path, "enable") || !is_event_file(b->path, "enable") ||
	    strcmp(a->value, b->value) != 0)
		return false;
	return strcspn(a->path + 7, "/") == strcspn(b->path + 7, "/") &&
	       !strncmp(a->path, b->path, 7 + strcspn(a->path + 7, "/"));
}

static bool chooses_functions(const struct tsh_state *state, const struct tsh_state_item *tracer)
{
	bool graph = !strcmp(tracer->value, "function_graph");
	size_t i;

	for (i = 0; i < state->items.n; i++) {
		const struct tsh_state_item *item = &state->items.v[i];

		if (same_instance(item, tracer) && !strchr(item->value, ':') &&
		    (!strcmp(item->path, "set_ftrace_filter") ||
		     (graph && !strcmp(item->path, "set_graph_function"))))
			return true;
	}
	return false;
}

/* Says whether the command would ask a question, which a file cannot answer. */
static bool asks(const struct tsh_state *state, const struct tsh_state_item *item)
{
	if (!strcmp(item->path, "current_tracer"))
		return tsh_flood_is_function_tracer(item->value) && !chooses_functions(state, item);
	return is_event_file(item->path, "enable") && strcmp(item->value, "0") != 0 &&
	       tsh_flood_is_by_itself(item->path + strlen("events/"));
}

/* Prints the command and the first of the items [from, end) that share it. */
static void print_first(const struct tsh_state *state, size_t from, size_t end,
			struct tsh_strbuf *out)
{
	const struct tsh_state_item *item = &state->items.v[from];
	struct tsh_strbuf text = TSH_STRBUF_INIT;
	size_t verb;

	tsh_state_print_item(item, &text);
	verb = strcspn(text.buf, " ");
	tsh_strbuf_add(out, text.buf, verb);
	while (from < end && !asks(state, &state->items.v[from]))
		from++;
	if (from < end)
		tsh_strbuf_adds(out, " --yes");
	tsh_strbuf_adds(out, text.buf + verb);
	tsh_strbuf_release(&text);
}

/* Prints items [from, end) as one command, with continued lines of a usual length. */
static void print_together(const struct tsh_state *state, size_t from, size_t end,
			   struct tsh_strbuf *out)
{
	size_t start = out->len, i;

	print_first(state, from, end, out);
	for (i = from + 1; i < end; i++) {
		const struct tsh_state_item *item = &state->items.v[i];
		struct tsh_strbuf word = TSH_STRBUF_INIT;

		if (is_list_word(item))
			tsh_strbuf_adds(&word, item->value);
		else
			add_event(&word, item->path);
		if (out->len - start + word.len > LINE_MAX) {
			tsh_strbuf_adds(out, " \\\n\t");
			start = out->len - 8;
		} else {
			tsh_strbuf_addc(out, ' ');
		}
		tsh_strbuf_add(out, word.buf, word.len);
		tsh_strbuf_release(&word);
	}
	tsh_strbuf_addc(out, '\n');
}

static void print_remark(const char *text, struct tsh_strbuf *out)
{
	tsh_strbuf_adds(out, "# ");
	for (; *text; text++)
		tsh_strbuf_addc(out, (unsigned char)*text < ' ' ? ' ' : *text);
	tsh_strbuf_addc(out, '\n');
}

static bool is_switched_off(const struct tsh_state *state, size_t from, size_t end)
{
	for (; from < end; from++)
		if (!strcmp(state->items.v[from].path, "tracing_on"))
			return !strcmp(state->items.v[from].value, "0");
	return false;
}

/* Prints the items of one instance. Tracing is off until all of them are set. */
static void print_section(const struct tsh_state *state, size_t from, size_t end,
			  struct tsh_strbuf *out)
{
	bool settings = false, off = is_switched_off(state, from, end);
	size_t i, next;

	for (i = from; i < end; i++)
		settings = settings || *state->items.v[i].path;
	if (settings)
		tsh_strbuf_adds(out, "off\n");
	for (i = from; i < end; i = next) {
		const struct tsh_state_item *item = &state->items.v[i];

		next = i + 1;
		if (!*item->path) {
			print_remark(item->value, out);
			continue;
		}
		if (!strcmp(item->path, "tracing_on"))
			continue;
		while (next < end && can_share(item, &state->items.v[next]))
			next++;
		print_together(state, i, next, out);
	}
	if (settings && !off)
		tsh_strbuf_adds(out, "on\n");
}

/* Says whether `instance create` would refuse that name. */
static bool is_left_out(const char *instance)
{
	return *instance == '-';
}

static void print_create(const char *instance, struct tsh_strbuf *out)
{
	if (is_left_out(instance)) {
		tsh_strbuf_addf(out, "# instance %s is left out: its name begins with '-'\n", instance);
		return;
	}
	tsh_strbuf_adds(out, "try instance create ");
	tsh_lexer_quote_value(out, instance);
	tsh_strbuf_adds(out, " else instance use ");
	tsh_lexer_quote_value(out, instance);
	tsh_strbuf_addc(out, '\n');
}

void tsh_state_print(const struct tsh_state *state, struct tsh_strbuf *out)
{
	size_t i, from, end;

	/* Create all instances first: a new one inherits the options of the top one, which are
	 * set later. */
	for (i = 1; i < state->instances.n; i++)
		print_create(state->instances.v[i], out);
	if (!state->instances.n)
		print_section(state, 0, state->items.n, out);
	for (i = 0, from = 0; i < state->instances.n; i++, from = end) {
		for (end = from; end < state->items.n; end++)
			if (strcmp(state->items.v[end].instance, state->instances.v[i]))
				break;
		if (is_left_out(state->instances.v[i]))
			continue;
		tsh_strbuf_adds(out, "\ninstance use ");
		tsh_lexer_quote_value(out, state->instances.v[i]);
		tsh_strbuf_addc(out, '\n');
		print_section(state, from, end, out);
	}
}
