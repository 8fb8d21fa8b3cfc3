/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "save-boot.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/suggest.h"

/* Writes parameters of Documentation/admin-guide/kernel-parameters.txt. Blanks of a probe become
 * commas. A value with blanks is put in double quotes, and cannot contain one. */

/* Are the sizes of the kernel's command line: on most architectures, and on those where it is
 * smaller, such as arm. */
#define COMMAND_LINE_MAX 2048
#define SMALL_LINE_MAX 1024
/* Is MAX_BOOT_TRIGGERS: the kernel ignores further triggers without a message. */
#define TRIGGERS_MAX 32

enum how {
	ALONE,		/* name */
	ONE,		/* name=value */
	COMMAS,		/* name=a,b */
	OPTIONS,	/* name=a,nob */
	SIZE,		/* name=1408K */
	EVENTS,		/* name=system:event,.. */
	PROBES,		/* name="p,f,$arg1;p,g" */
	TRIGGERS,	/* name="event.trigger if filter,.." */
};

struct parameter {
	const char *pattern;	/* glob for the path */
	const char *name;
	enum how how;
	const char *since;	/* first kernel version with it, if that is recent */
};

static const struct parameter parameters[] = {
	{ "buffer_size_kb", "trace_buf_size", SIZE, NULL },
	{ "snapshot", "alloc_snapshot", ALONE, NULL },
	{ "trace_clock", "trace_clock", ONE, NULL },
	{ "options/*", "trace_options", OPTIONS, NULL },
	{ "tracing_thresh", "tracing_thresh", ONE, NULL },
	{ "max_graph_depth", "ftrace_graph_max_depth", ONE, NULL },
	{ "set_ftrace_filter", "ftrace_filter", COMMAS, NULL },
	{ "set_ftrace_notrace", "ftrace_notrace", COMMAS, NULL },
	{ "set_graph_function", "ftrace_graph_filter", COMMAS, NULL },
	{ "set_graph_notrace", "ftrace_graph_notrace", COMMAS, NULL },
	{ "dynamic_events", "kprobe_event", PROBES, "5.2" },
	{ "kprobe_events", "kprobe_event", PROBES, "5.2" },
	{ "events/*/*/trigger", "trace_trigger", TRIGGERS, "6.2" },
	{ "current_tracer", "ftrace", ONE, NULL },
	{ "events/*/*/enable", "trace_event", EVENTS, NULL },
	{ 0 }
};

static const char *file_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* Appends "sched:sched_switch", or only the event's name. */
static void add_event(struct tsh_strbuf *out, const char *path, bool with_system)
{
	const char *system = path + strlen("events/");
	size_t len = strcspn(system, "/");

	if (with_system)
		tsh_strbuf_addf(out, "%.*s:", (int)len, system);
	system += len + (system[len] == '/');
	tsh_strbuf_add(out, system, strcspn(system, "/"));
}

/*
 * Says whether a text has only letters, digits and these bytes. The text may be hostile: the kernel
 * separates parameters also at bytes other than blanks (0xa0), and a shell reads /etc/default/grub.
 */
static bool has_only(const char *text, const char *others)
{
	for (; *text; text++) {
		if (isascii((unsigned char)*text) && isalnum((unsigned char)*text))
			continue;
		if (!strchr(others, *text))
			return false;
		/* a shell expands "$arg1", but executes "$(..)" and "${..}" */
		if (*text == '$' && !isalpha((unsigned char)text[1]) && text[1] != '_')
			return false;
	}
	return true;
}

#define IN_NAMES "_-./+@%*?[]"

/* Says whether the parameter can have that value. */
static bool fits(const struct parameter *p, const struct tsh_state_item *item)
{
	static const char *const in_values[] = {
		[PROBES] = IN_NAMES " $():=",
		/* commas are not allowed: they separate triggers */
		[TRIGGERS] = IN_NAMES " $():=<>!~&|",
	};
	const char *others = p->how == PROBES || p->how == TRIGGERS ? in_values[p->how] : IN_NAMES;

	if (!has_only(item->path, IN_NAMES) || !has_only(item->value, others))
		return false;
	switch (p->how) {
	case PROBES:
		/* uprobes ("p:.. /bin/sh:0x10"), synthetic events and others have no parameter */
		return (*item->value == 'p' || *item->value == 'r') && !strstr(item->value, " /");
	default:
		return true;
	}
}

static void add_value(const struct parameter *p, const struct tsh_state_item *item,
		      struct tsh_strbuf *out)
{
	const char *c;

	switch (p->how) {
	case OPTIONS:
		tsh_strbuf_addf(out, "%s%s", strcmp(item->value, "0") ? "" : "no",
				file_name(item->path));
		break;
	case SIZE:
		tsh_strbuf_addf(out, "%sK", item->value);
		break;
	case PROBES:
		for (c = item->value; *c; c++)
			tsh_strbuf_addc(out, *c == ' ' ? ',' : *c);
		break;
	case TRIGGERS:
		add_event(out, item->path, false);
		tsh_strbuf_addf(out, ".%s", item->value);
		break;
	default:
		tsh_strbuf_adds(out, item->value);
		break;
	}
}

static const struct parameter event_parameter = { "events/*/*/enable", NULL, EVENTS, NULL };

static bool is_instance_event(const struct tsh_state_item *item)
{
	return tsh_glob_match(event_parameter.pattern, item->path) && fits(&event_parameter, item);
}

/* Says whether a saved probe makes an event of that system: at boot, it may be made too late. */
static bool has_probes(const struct tsh_state *state, const char *system, size_t len)
{
	size_t i;

	for (i = 0; i < state->items.n; i++) {
		const char *at = strchr(state->items.v[i].value, ':');

		if (at && (!strcmp(state->items.v[i].path, "dynamic_events") ||
			   !strcmp(state->items.v[i].path, "kprobe_events")) &&
		    !strncmp(at + 1, system, len) && at[1 + len] == '/')
			return true;
	}
	return false;
}

/* Says whether all events of an item's system are enabled, which "system:" stands for.
 * *ret_first: the item is the first of them. */
static bool is_whole_system(const struct tsh_state *state, size_t item, const struct tsh_events *all, bool *ret_first)
{
	const char *system = state->items.v[item].path + strlen("events/");
	size_t i, len = strcspn(system, "/"), on = 0, there = 0;

	*ret_first = true;
	for (i = 0; i < state->items.n; i++) {
		const struct tsh_state_item *other = &state->items.v[i];

		if (!is_instance_event(other) || strncmp(other->path + strlen("events/"), system, len + 1) != 0)
			continue;
		on++;
		*ret_first = *ret_first && i >= item;
	}
	for (i = 0; i < all->n; i++)
		there += strlen(all->v[i].system) == len && !strncmp(all->v[i].system, system, len);
	return there > 1 && on == there && !has_probes(state, system, len);
}

/* Appends an item's event, or its system. Returns false when the system was appended for another
 * item. */
static bool add_events(struct tsh_strbuf *out, const struct tsh_state *state, size_t item, const struct tsh_events *all,
		       const char *comma)
{
	const char *path = state->items.v[item].path, *system = path + strlen("events/");
	bool first, whole = is_whole_system(state, item, all, &first);

	if (whole && !first)
		return false;
	tsh_strbuf_adds(out, comma);
	if (whole)
		tsh_strbuf_addf(out, "%.*s:", (int)strcspn(system, "/"), system);
	else
		add_event(out, path, true);
	return true;
}

/* Prints all items of one parameter as one line. */
static void print_parameter(const struct parameter *p, const struct tsh_state *state,
			    const struct tsh_events *all, struct tsh_strbuf *out)
{
	struct tsh_strbuf value = TSH_STRBUF_INIT;
	size_t i, n = 0;
	const char *quote;

	for (i = 0; i < state->items.n; i++) {
		const struct tsh_state_item *item = &state->items.v[i];

		if (!tsh_glob_match(p->pattern, item->path) || !fits(p, item) ||
		    (p->how == TRIGGERS && ++n > TRIGGERS_MAX))
			continue;
		if (p->how == EVENTS) {
			add_events(&value, state, i, all, value.len ? "," : "");
			continue;
		}
		if (value.len && p->how == ONE)
			tsh_strbuf_clear(&value);
		if (value.len)
			tsh_strbuf_addc(&value, p->how == PROBES ? ';' : ',');
		add_value(p, item, &value);
	}
	if (value.len && p->since)
		tsh_strbuf_addf(out, "# since Linux %s\n", p->since);
	quote = strpbrk(value.buf ? value.buf : "", " ;") ? "\"" : "";
	/* The kernel uses the text between the quotes unchanged, but quotes in a shell end
	 * there. */
	if (*quote && strpbrk(value.buf, "<>&|();$"))
		tsh_strbuf_adds(out, "# in /etc/default/grub its quotes are \\\" and a dollar is \\$\n");
	if (value.len && p->how == ALONE)
		tsh_strbuf_addf(out, "%s\n", p->name);
	else if (value.len)
		tsh_strbuf_addf(out, "%s=%s%s%s\n", p->name, quote, value.buf, quote);
	tsh_strbuf_release(&value);
}

static const struct parameter *find(const struct tsh_state_item *item)
{
	const struct parameter *p;

	for (p = parameters; p->name; p++)
		if (tsh_glob_match(p->pattern, item->path))
			return fits(p, item) ? p : NULL;
	return NULL;
}

static void print_comment(const struct tsh_state_item *item, struct tsh_strbuf *out)
{
	struct tsh_strbuf line = TSH_STRBUF_INIT;
	size_t i;

	if (*item->path)
		tsh_state_print_item(item, &line);
	else
		tsh_strbuf_adds(&line, item->value);
	for (i = 0; i < line.len; i++)
		if ((unsigned char)line.buf[i] < ' ')
			line.buf[i] = ' ';
	tsh_strbuf_addf(out, *item->path ? "# no parameter: %s\n" : "# %s\n", line.buf);
	tsh_strbuf_release(&line);
}

static void print_instance(const struct tsh_state *state, const char *instance,
			   const struct tsh_events *all, struct tsh_strbuf *out)
{
	size_t i;

	tsh_strbuf_addf(out, "# since Linux 6.4\ntrace_instance=%s", instance);
	for (i = 0; i < state->items.n; i++)
		if (is_instance_event(&state->items.v[i]))
			add_events(out, state, i, all, ",");
	tsh_strbuf_addc(out, '\n');
}

/* Returns the length of the parameters, each with a blank behind it. */
static size_t line_length(const char *text)
{
	size_t n = 0, len;

	for (; *text; text += len) {
		len = strcspn(text, "\n");
		len += text[len] == '\n';
		n += *text == '#' ? 0 : len;
	}
	return n;
}

size_t tsh_save_boot(const struct tsh_state *state, const char *instance, const struct tsh_events *all,
		     struct tsh_strbuf *out)
{
	const struct parameter *p;
	size_t i, start = out->len, triggers = 0, without = 0, length;

	if (instance)
		print_instance(state, instance, all, out);
	for (p = parameters; !instance && p->name; p++)
		print_parameter(p, state, all, out);
	length = out->buf ? line_length(out->buf + start) : 0;
	if (length > SMALL_LINE_MAX)
		tsh_strbuf_addf(out, "# that is more than the %d bytes of %s\n",
				length > COMMAND_LINE_MAX ? COMMAND_LINE_MAX : SMALL_LINE_MAX,
				length > COMMAND_LINE_MAX ? "most kernels" : "arm and of many boot loaders");
	for (i = 0; i < state->items.n; i++) {
		const struct tsh_state_item *item = &state->items.v[i];
		const struct parameter *its = instance ? NULL : find(item);
		bool is_more = its && its->how == TRIGGERS && ++triggers > TRIGGERS_MAX;

		if (is_more && triggers == TRIGGERS_MAX + 1)
			tsh_strbuf_addf(out, "# the kernel takes %d triggers there, not these:\n",
					TRIGGERS_MAX);
		if (is_more || (instance ? !is_instance_event(item) : !its)) {
			print_comment(item, out);
			without += tsh_state_is_counted(state, i);
		}
	}
	return without;
}
