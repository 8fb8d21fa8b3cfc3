/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "base/suggest.h"
#include "base/utf8.h"
#include "kernel/journal/others.h"
#include "kernel/tracefs/lines.h"
#include "kernel/journal/setting.h"
#include "plan.h"

/* Formats what undo changes, for people: "buffer 2M -> 1410K". */

#define VALUE_MAX 48

/* Says how a setting is called, and how its values are printed. */
enum kind {
	KIND_VALUE, KIND_ENABLE, KIND_SWITCH, KIND_SIZE, KIND_LINES,
	KIND_TASKS, KIND_TASKS_LEFT_OUT, KIND_CPUS,
};

struct what {
	char *name;
	enum kind kind;
};

/* Returns "sched:sched_switch" for "events/sched/sched_switch/enable". The caller frees it. */
static char *event_of(const char *path)
{
	const char *system = path + strlen("events/"), *slash = strchr(system, '/');
	const char *end = strrchr(path, '/');

	return tsh_xasprintf("%.*s:%.*s", (int)(slash - system), system, (int)(end - slash - 1),
			     slash + 1);
}

static struct what event_what(const struct tsh_journal_entry *entry)
{
	const char *file = strrchr(entry->path, '/') + 1;
	char *event = event_of(entry->path);
	struct what what = { event, KIND_ENABLE };

	if (strcmp(file, "enable") != 0) {
		what.name = tsh_xasprintf("%s of %s:", file, event);
		what.kind = strcmp(file, "trigger") ? KIND_VALUE : KIND_LINES;
		free(event);
	}
	return what;
}

static struct what find_what(const struct tsh_journal_entry *entry)
{
	static const struct {
		const char *pattern, *name;
		enum kind kind;
	} names[] = {
		{ "tracing_on", "tracing", KIND_SWITCH },
		{ "current_tracer", "tracer", KIND_VALUE },
		{ "trace_clock", "clock", KIND_VALUE },
		{ "buffer_size_kb", "buffer", KIND_SIZE },
		{ "per_cpu/*/buffer_size_kb", "buffer", KIND_SIZE },
		{ "tracing_cpumask", "CPUs", KIND_CPUS },
		{ "set_event_pid", "tasks traced:", KIND_TASKS },
		{ "set_event_notrace_pid", "tasks not traced:", KIND_TASKS_LEFT_OUT },
		{ "set_ftrace_pid", "tasks whose functions are traced:", KIND_TASKS },
		{ "set_ftrace_notrace_pid", "tasks whose functions are not traced:",
		  KIND_TASKS_LEFT_OUT },
	};
	const struct tsh_file_class *cls = tsh_file_class(entry->path);
	size_t i;

	if (tsh_glob_match("events/*/*/*", entry->path))
		return event_what(entry);
	if (tsh_glob_match("options/*", entry->path))
		return (struct what){ tsh_xasprintf("option %s", strchr(entry->path, '/') + 1),
				      KIND_SWITCH };
	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (tsh_glob_match(names[i].pattern, entry->path))
			return (struct what){ tsh_xstrdup(names[i].name), names[i].kind };
	if (cls->flags & TSH_CLASS_ADD_ONLY)
		return (struct what){ tsh_xasprintf("%s:", entry->path), KIND_LINES };
	return (struct what){ tsh_xstrdup(entry->path), KIND_VALUE };
}

/* Appends the first line of a text, cut to VALUE_MAX bytes. */
static void add_short(struct tsh_strbuf *out, const char *text)
{
	size_t len = strcspn(text, "\n"), begin = out->len;
	const char *rest = text + len + strspn(text + len, "\n");

	tsh_strbuf_add(out, text, len < VALUE_MAX ? len : VALUE_MAX);
	if (!len)
		tsh_strbuf_adds(out, "nothing");
	if (out->len - begin < len || *rest)
		tsh_strbuf_adds(out, " ..");
}

static void add_tasks(struct tsh_strbuf *out, const char *none, const char *text)
{
	struct tsh_strlist tasks = { 0 };
	size_t i, begin = out->len;

	tsh_strlist_split_words(&tasks, text);
	if (!tasks.n)
		tsh_strbuf_adds(out, none);
	for (i = 0; i < tasks.n && out->len - begin < VALUE_MAX; i++)
		tsh_strbuf_addf(out, "%s%s", i ? " " : "", tasks.v[i]);
	if (i < tasks.n)
		tsh_strbuf_adds(out, " ..");
	tsh_strlist_release(&tasks);
}

/* Appends the sizes of CPUs that differ: "X" and a line for each, as from tsh_image_sizes. */
static void add_sizes(struct tsh_strbuf *out, const char *text)
{
	struct tsh_strlist lines = { 0 };
	size_t i, begin = out->len;

	tsh_lines_split(text, &lines);
	for (i = 1; i < lines.n && out->len - begin < VALUE_MAX; i++)
		tsh_strbuf_addf(out, "%s%sK", i > 1 ? ", " : "", lines.v[i] + strcspn(lines.v[i], " ") + 1);
	if (i < lines.n)
		tsh_strbuf_adds(out, " ..");
	tsh_strlist_release(&lines);
}

static void add_value(struct tsh_strbuf *out, const struct tsh_file_class *cls, enum kind kind,
		      const char *text)
{
	char *value = tsh_class_normalize(cls, text);
	struct tsh_cpuset cpus = { 0 };
	uint64_t kb;

	if (kind == KIND_TASKS || kind == KIND_TASKS_LEFT_OUT)
		add_tasks(out, kind == KIND_TASKS ? "all" : "none", text);
	else if (kind == KIND_ENABLE)
		tsh_strbuf_adds(out, *value == '1' ? "enabled" : "disabled");
	else if (kind == KIND_SWITCH && (!strcmp(value, "0") || !strcmp(value, "1")))
		tsh_strbuf_adds(out, *value == '1' ? "on" : "off");
	else if (kind == KIND_SIZE && !tsh_parse_u64(value, &kb))
		tsh_strbuf_addf(out, kb % 1024 ? "%lluK" : "%lluM",
				(unsigned long long)(kb % 1024 ? kb : kb / 1024));
	else if (kind == KIND_SIZE && *value == 'X')
		add_sizes(out, value);
	else if (kind == KIND_CPUS && !tsh_cpuset_parse_mask(value, &cpus))
		tsh_cpuset_format_list(&cpus, out);
	else if (cls->compare == TSH_SAME_FILTER && !strcmp(value, "0"))
		tsh_strbuf_adds(out, "none");
	else
		add_short(out, value);
	tsh_cpuset_release(&cpus);
	free(value);
}

/* Appends a change. after: the text after the newest write; NULL: unknown. */
static void add_change(struct tsh_strbuf *out, const struct tsh_journal_entry *newest,
		       const struct tsh_journal_entry *oldest, const char *after)
{
	const struct tsh_file_class *cls = tsh_file_class(newest->path);
	const char *text = newest->text ? newest->text : "";
	bool removal = *text == '!' || *text == '-', off = !strncmp(text, "no", 2);
	struct what what;

	if (cls->compare == TSH_SAME_OPTION) {
		tsh_strbuf_addf(out, "option %s %s", text + (off ? 2 : 0),
				off ? "off -> on" : "on -> off");
		return;
	}
	what = find_what(newest);
	tsh_strbuf_addf(out, "%s ", what.name);
	if (what.kind == KIND_LINES) {
		/* skips the colon of "-:GROUP/NAME" */
		add_short(out, text + removal + (removal && text[1] == ':'));
		tsh_strbuf_adds(out, removal ? " restored" : " removed");
	} else {
		/* the size as it was typed, not as the kernel has rounded it */
		add_value(out, cls, what.kind, after && what.kind != KIND_SIZE ? after : text);
		tsh_strbuf_adds(out, " -> ");
		add_value(out, cls, what.kind, oldest->before);
	}
	free(what.name);
}

char *tsh_plan_name(const struct tsh_journal_entry *entry)
{
	const struct tsh_file_class *cls = tsh_file_class(entry->path);
	struct tsh_strbuf text = TSH_STRBUF_INIT;
	const char *written = entry->text ? entry->text : "";
	struct what what;
	char *clean;

	if (entry->op == TSH_JOURNAL_MKDIR) {
		tsh_strbuf_addf(&text, "instance %s", entry->instance);
	} else if (cls->compare == TSH_SAME_OPTION) {
		tsh_strbuf_addf(&text, "option %s", written + (strncmp(written, "no", 2) ? 0 : 2));
	} else {
		what = find_what(entry);
		tsh_strbuf_adds(&text, what.name);
		free(what.name);
		if (text.len && text.buf[text.len - 1] == ':')
			tsh_strbuf_truncate(&text, text.len - 1);
		if (what.kind == KIND_LINES) {
			tsh_strbuf_addc(&text, ' ');
			add_short(&text, written);
		}
	}
	if (entry->instance && entry->op != TSH_JOURNAL_MKDIR)
		tsh_strbuf_addf(&text, " in '%s'", tsh_instance_word(entry->instance));
	clean = tsh_sanitize_dup(text.buf);
	tsh_strbuf_release(&text);
	return clean;
}

char *tsh_plan_foreign_reason(const struct tsh_journal_entry *newest, const char *now, const char *before)
{
	const struct tsh_file_class *cls = tsh_file_class(newest->path);
	struct what what = find_what(newest);
	struct tsh_strbuf text = TSH_STRBUF_INIT;
	char *clean;

	tsh_strbuf_adds(&text, "changed by somebody else since");
	/* The first lines of a file with many lines would not show the change. */
	if (now && before && what.kind != KIND_LINES && cls->compare != TSH_SAME_OPTION) {
		tsh_strbuf_adds(&text, " (now ");
		add_value(&text, cls, what.kind, now);
		tsh_strbuf_adds(&text, ", it would go back to ");
		add_value(&text, cls, what.kind, before);
		tsh_strbuf_addc(&text, ')');
	}
	tsh_strbuf_adds(&text, "; left as it is");
	clean = tsh_sanitize_dup(text.buf);
	tsh_strbuf_release(&text);
	free(what.name);
	return clean;
}

bool tsh_plan_is_changed(const struct tsh_journal_entry *oldest, const char *after)
{
	const struct tsh_file_class *cls = tsh_file_class(oldest->path);

	if (!oldest->before || !after)
		return true;
	/* tsh_class_equal takes all lists of tasks as equal, because the kernel changes them. */
	return cls->compare == TSH_SAME_PIDS ? strcmp(oldest->before, after) != 0 :
					       !tsh_class_equal(cls, oldest->before, after);
}

/* Says whether a newer step asks for lines that this one, which was handed over, undoes. */
static bool is_asked(const struct tsh_plan *plan, const struct tsh_journal_entry *given)
{
	size_t i;

	for (i = 0; i < plan->steps.n; i++)
		if (plan->steps.v[i].older_undoes_it && tsh_same_setting(&plan->j->entries.v[plan->steps.v[i].newest],
									 given))
			return true;
	return false;
}

void tsh_plan_add_change(const struct tsh_plan *plan, const struct tsh_step *step,
			 struct tsh_strlist *ret)
{
	const struct tsh_journal_entry *newest = &plan->j->entries.v[step->newest];
	struct tsh_journal_entry oldest = plan->j->entries.v[step->oldest];
	const char *after = step->before ? step->before : step->list ? step->list : newest->after;
	struct tsh_strbuf text = TSH_STRBUF_INIT;

	if (!tsh_journal_is_setting(newest) && !step->before && newest->op != TSH_JOURNAL_MKDIR && !is_asked(plan,
													     newest))
		return;
	/* A list that other sessions have written, too, gets another text than before. */
	if (step->after)
		oldest.before = step->after;
	if (newest->op == TSH_JOURNAL_MKDIR) {
		tsh_strbuf_addf(&text, "instance %s removed", newest->instance);
	} else if (oldest.before && !tsh_plan_removes_instance(plan, newest) &&
		   tsh_plan_is_changed(&oldest, after)) {
		add_change(&text, newest, &oldest, after);
		if (newest->instance)
			tsh_strbuf_addf(&text, " in '%s'", tsh_instance_word(newest->instance));
	}
	/* Adds a line once: the lines of all CPUs' buffers are mostly the same. */
	if (text.len && !tsh_strlist_has(ret, text.buf))
		tsh_strlist_add(ret, text.buf);
	tsh_strbuf_release(&text);
}
