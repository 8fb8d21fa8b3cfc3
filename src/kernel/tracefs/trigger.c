/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "trigger.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"

/*
 * Parses triggers. The kernel lists a trigger in a form that cannot be written: ":unlimited",
 * ":count=3" for the remaining count, " [active]" after a histogram
 * (kernel/trace/trace_events_trigger.c, trace_events_hist.c).
 */

static bool starts_with(const char *text, const char *start)
{
	return !strncmp(text, start, strlen(start));
}

/* Removes `end` from the end of text; returns false when it is not there. */
static bool cut(char *text, const char *end)
{
	size_t len = strlen(text), n = strlen(end);

	if (len < n || strcmp(text + len - n, end) != 0)
		return false;
	text[len - n] = '\0';
	return true;
}

/* Returns the offset of the blank before "if FILTER", or of the end of the text. */
static size_t command_length(const char *line)
{
	size_t len = 0, blanks;

	for (;;) {
		len += strcspn(line + len, " \t");
		blanks = strspn(line + len, " \t");
		if (!line[len] || !line[len + blanks])
			return len;
		if (starts_with(line + len + blanks, "if") &&
		    strchr(" \t(", line[len + blanks + 2]))
			return len;
		len += blanks;
	}
}

/* Moves ":3", ":count=3" or ":unlimited" from the end of a command to .left. Returns 0 or
 * -EINVAL. */
static int cut_count(struct tsh_trigger *trigger)
{
	char *last = strrchr(trigger->command, ':');
	const char *number;
	uint64_t value;
	int r;

	trigger->left = -1;
	if (!last || cut(trigger->command, ":unlimited"))
		return 0;
	number = starts_with(last, ":count=") ? last + strlen(":count=") : last + 1;
	/* Not a count: the name of an event may begin with a digit (9p_client_req). */
	r = tsh_parse_kernel(number, 0, &value);
	if (r == -EINVAL)
		return number == last + 1 ? 0 : r;
	if (r || value > INT64_MAX)
		return -EINVAL;
	trigger->left = (int64_t)value;
	*last = '\0';
	return 0;
}

/* Removes the "cpu" or "common_cpu" that Linux 7.2 lists after the key common_cpu, and does not
 * accept. */
static void cut_repeated_cpu(char *text)
{
	static const char cpu[] = "common_cpu";
	const size_t len = sizeof(cpu) - 1;

	while ((text = strstr(text, cpu))) {
		size_t more;

		text += len;
		more = starts_with(text, cpu) ? len : starts_with(text, "cpu") ? strlen("cpu") : 0;
		memmove(text, text + more, strlen(text + more) + 1);
	}
}

/* Returns a copy in which "hist:NAME:keys=.." becomes "hist:name=NAME:keys=..". */
static char *copy_line(const char *line)
{
	const char *name = line + strlen("hist:");
	size_t len = starts_with(line, "hist:") ? strcspn(name, ":= ") : 0;

	/* These words are attributes, not names. */
	if (len && starts_with(name + len, ":keys=") && !starts_with(name, "pause:") &&
	    !starts_with(name, "cont:") && !starts_with(name, "clear:") &&
	    !starts_with(name, "nohitcount:"))
		return tsh_xasprintf("hist:name=%s", name);
	return tsh_xstrdup(line);
}

int tsh_trigger_parse(const char *line, struct tsh_trigger *ret)
{
	char *text = copy_line(line + strspn(line, " \t"));
	size_t len;
	int r = 0;

	*ret = (struct tsh_trigger){ .is_hist = starts_with(text, "hist:"), .left = -1 };
	if (ret->is_hist)
		cut_repeated_cpu(text);
	if (ret->is_hist && !cut(text, " [active]"))
		ret->is_paused = cut(text, " [paused]");
	len = command_length(text);
	ret->command = tsh_xstrndup(text, len);
	len += strspn(text + len, " \t");
	if (text[len]) {
		len += strlen("if");
		ret->filter = tsh_xstrdup(text + len + strspn(text + len, " \t"));
	}
	if (!ret->is_hist)
		r = cut_count(ret);
	if (!*ret->command || *ret->command == '#' || *ret->command == ':')
		r = -EINVAL;
	free(text);
	return r;
}

void tsh_trigger_release(struct tsh_trigger *trigger)
{
	free(trigger->command);
	free(trigger->filter);
	*trigger = (struct tsh_trigger){ 0 };
}

char *tsh_trigger_text(const struct tsh_trigger *trigger)
{
	struct tsh_strbuf out = TSH_STRBUF_INIT;

	tsh_strbuf_adds(&out, trigger->command);
	if (trigger->left >= 0)
		tsh_strbuf_addf(&out, ":%lld", (long long)trigger->left);
	if (trigger->is_paused)
		tsh_strbuf_adds(&out, ":pause");
	if (trigger->filter)
		tsh_strbuf_addf(&out, " if %s", trigger->filter);
	return tsh_strbuf_detach(&out);
}

char *tsh_trigger_pausing(const struct tsh_trigger *trigger)
{
	return tsh_xasprintf("%s:%s%s%s", trigger->command, trigger->is_paused ? "pause" : "cont",
			     trigger->filter ? " if " : "", trigger->filter ? trigger->filter : "");
}

char *tsh_trigger_removal(const struct tsh_trigger *trigger)
{
	if (trigger->is_hist && trigger->filter)
		return tsh_xasprintf("!%s if %s", trigger->command, trigger->filter);
	return tsh_xasprintf("!%s", trigger->command);
}

bool tsh_trigger_same(const struct tsh_trigger *a, const struct tsh_trigger *b)
{
	return !strcmp(a->command, b->command) &&
	       !strcmp(a->filter ? a->filter : "", b->filter ? b->filter : "");
}

char *tsh_trigger_kind(const struct tsh_trigger *trigger)
{
	const char *command = trigger->command;

	if (!strcmp(command, "traceon") || !strcmp(command, "traceoff"))
		return tsh_xstrdup("tracing");
	if (starts_with(command, "disable_event:") || starts_with(command, "disable_hist:"))
		return tsh_xasprintf("en%s", command + strlen("dis"));
	return tsh_xstrdup(command);
}

bool tsh_trigger_collides(const struct tsh_trigger *a, const struct tsh_trigger *b)
{
	char *x = tsh_trigger_kind(a), *y = tsh_trigger_kind(b);
	bool same = a->is_hist ? tsh_trigger_same(a, b) : !strcmp(x, y);

	free(x);
	free(y);
	return same;
}

void tsh_triggers_parse(const char *text, struct tsh_triggers *ret)
{
	struct tsh_strlist lines = { 0 };
	struct tsh_trigger trigger;
	size_t i;

	tsh_strlist_split_lines(&lines, text);
	for (i = 0; i < lines.n; i++) {
		/* a comment, "# Available triggers:" */
		if (tsh_trigger_parse(lines.v[i], &trigger) < 0)
			tsh_trigger_release(&trigger);
		else
			*(struct tsh_trigger *)tsh_vec_push(ret) = trigger;
	}
	tsh_strlist_release(&lines);
}

int tsh_triggers_read(const struct tsh_instance *in, const struct tsh_event *event,
		      struct tsh_triggers *ret)
{
	struct tsh_strbuf text = TSH_STRBUF_INIT;
	char *path = tsh_event_path(event, "trigger");
	int r = tsh_file_read(in, path, &text);

	if (!r)
		tsh_triggers_parse(text.buf, ret);
	tsh_strbuf_release(&text);
	free(path);
	return r;
}

const struct tsh_trigger *tsh_triggers_find(const struct tsh_triggers *triggers,
					    const struct tsh_trigger *wanted)
{
	size_t i;

	for (i = 0; i < triggers->n; i++)
		if (tsh_trigger_same(&triggers->v[i], wanted))
			return &triggers->v[i];
	return NULL;
}

const struct tsh_trigger *tsh_triggers_find_same_kind(const struct tsh_triggers *triggers,
						      const struct tsh_trigger *wanted)
{
	size_t i;

	for (i = 0; i < triggers->n; i++)
		if (tsh_trigger_collides(&triggers->v[i], wanted))
			return &triggers->v[i];
	return NULL;
}

void tsh_triggers_release(struct tsh_triggers *triggers)
{
	size_t i;

	for (i = 0; i < triggers->n; i++)
		tsh_trigger_release(&triggers->v[i]);
	tsh_vec_release(triggers);
}

char *tsh_trigger_event(const char *path)
{
	char *event = tsh_xstrdup(path + strlen("events/"));

	event[strcspn(event, "/")] = ':';
	event[strcspn(event, "/")] = '\0';
	return event;
}

/* ---- the files that triggers change ---- */

/* Returns the text behind an action in the first `len` bytes of a trigger or a function's command;
 * NULL when it has no such action. */
static const char *find_action(const char *text, size_t len, const char *action)
{
	const char *at = strstr(text, action);

	return at && at < text + len && (at == text || at[-1] == ':') ? at + strlen(action) : NULL;
}

char *tsh_switched_file(const char *text, const char **ret_to)
{
	enum { HISTS = 2 };	/* index of the first action on a trigger file */
	static const struct { const char *action, *to; } actions[] = {
		{ "enable_event:", "1" }, { "disable_event:", "0" },
		{ "enable_hist:", "1" }, { "disable_hist:", "0" },
	};
	size_t len = strcspn(text, " \t"), i;
	const char *event, *colon;

	*ret_to = "1";
	if (*text == '!')
		return NULL;
	event = find_action(text, len, "traceon");
	if (event && (!*event || strchr(": \t", *event)))
		return tsh_xstrdup("tracing_on");
	for (i = 0; i < sizeof(actions) / sizeof(actions[0]); i++) {
		event = find_action(text, len, actions[i].action);
		colon = event ? strchr(event, ':') : NULL;
		if (event && !colon)
			return NULL;
		*ret_to = actions[i].to;
		if (event)
			return tsh_xasprintf("events/%.*s/%.*s/%s", (int)(colon - event), event,
					     (int)strcspn(colon + 1, ": \t"), colon + 1,
					     i < HISTS ? "enable" : "trigger");
	}
	return NULL;
}
