/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "flood-check.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ask.h"
#include "base/suggest.h"
#include "kernel/tracefs/lines.h"
#include "filters.h"
#include "util.h"

/* Compares with the list of all events only when a call has at least so many. */
#define MANY_EVENTS 64

/* Names systems that flood a machine when all their events are enabled. `alone` is a glob of the
 * events that do so even if only one is enabled. */
static const struct storm {
	const char *system;
	const char *alone;
} storms[] = {
	{ "lock", "lock_*" },	 { "preemptirq", "*" }, { "rcu", "" },
	{ "kmem", "" },		 { "irq_vectors", "" },
};

static const struct storm *find_storm(const struct tsh_event *event)
{
	size_t i;

	for (i = 0; i < sizeof(storms) / sizeof(storms[0]); i++)
		if (!strcmp(storms[i].system, event->system))
			return &storms[i];
	return NULL;
}

bool tsh_flood_is_by_itself(const char *path)
{
	size_t len = strcspn(path, "/");
	struct tsh_event event = { .system = tsh_xstrndup(path, len) };
	const struct storm *storm = find_storm(&event);
	bool floods = false;

	if (storm && path[len]) {
		event.name = tsh_xstrndup(path + len + 1, strcspn(path + len + 1, "/"));
		floods = tsh_glob_match(storm->alone, event.name);
	}
	free(event.system);
	free(event.name);
	return floods;
}

/* Holds events, and the words that named them. */
struct named {
	const struct tsh_events *events;
	struct tsh_strlist words;
};

static struct named events_of(const struct tsh_call *call)
{
	struct named named = { .events = &call->events };
	size_t i;

	for (i = 0; i < call->args.n; i++)
		if (call->args.v[i].arg->type == TSH_ARG_EVENT)
			tsh_strlist_add(&named.words, call->args.v[i].word.text);
	return named;
}

/* Says whether the event was named in full ("kmem:kfree"), so that the user means just this one. */
static bool is_spelled_out(const struct named *named, const struct tsh_event *event)
{
	size_t len = strlen(event->system), i;

	for (i = 0; i < named->words.n; i++) {
		const char *text = named->words.v[i];

		if (!strncmp(text, event->system, len) && (text[len] == ':' || text[len] == '/'))
			text += len;
		if (*text == ':' || *text == '/')
			text++;
		if (!strcmp(text, event->name))
			return true;
	}
	return false;
}

static bool is_enabled(const struct tsh_instance *in, const struct tsh_event *event)
{
	char *path = tsh_event_path(event, "enable");
	char *state = tsh_file_text(in, path);
	bool enabled = state && *state == '1';

	free(state);
	free(path);
	return enabled;
}

static bool is_filtered(const struct tsh_instance *in, const struct tsh_event *event)
{
	char *filter = in ? tsh_event_filter(in, event) : NULL;
	bool filtered = filter != NULL;

	free(filter);
	return filtered;
}

/* Says whether the call enables events or clears their filters. */
enum change { CHANGE_ENABLES, CHANGE_CLEARS };

static bool floods(const struct tsh_instance *in, const struct named *named,
		   const struct tsh_event *event, enum change change)
{
	const struct storm *storm = find_storm(event);

	if (!storm || (is_spelled_out(named, event) && !tsh_glob_match(storm->alone, event->name)))
		return false;
	if (change == CHANGE_CLEARS)
		return is_filtered(in, event) && is_enabled(in, event);
	return !is_filtered(in, event);
}

/* Appends "18 of kmem and 4 of lock"; appends no text when there are none. Returns how many there
 * are. Events are sorted by system. */
static size_t list_storms(const struct tsh_instance *in, const struct named *named,
			  enum change change, struct tsh_strbuf *out)
{
	const struct tsh_events *events = named->events;
	struct tsh_strlist parts = { 0 };
	size_t i, count = 0, total = 0;

	for (i = 0; i < events->n; i++) {
		bool last = i + 1 == events->n ||
			    strcmp(events->v[i].system, events->v[i + 1].system);

		count += floods(in, named, &events->v[i], change);
		if (last && count)
			tsh_strlist_add_owned(&parts, tsh_xasprintf("%zu of %s", count,
							       events->v[i].system));
		total += last ? count : 0;
		count = last ? 0 : count;
	}
	for (i = 0; i < parts.n; i++)
		tsh_strbuf_addf(out, "%s%s", !i ? "" : i + 1 == parts.n ? " and " : ", ",
				parts.v[i]);
	tsh_strlist_release(&parts);
	return total;
}

static bool is_everything(struct tsh_session *s, const struct tsh_events *events)
{
	struct tsh_events all = { 0 };
	struct tsh_err ignored = { 0 };
	bool everything = false;

	if (events->n >= MANY_EVENTS && !tsh_events_available(s->dir, &all, &ignored))
		everything = events->n >= all.n;
	tsh_err_release(&ignored);
	tsh_events_release(&all);
	return everything;
}

static int check_named(struct tsh_session *s, const struct tsh_instance *in,
		       const struct named *named, const struct tsh_value *word,
		       const char *instead, struct tsh_err *err)
{
	struct tsh_strbuf text = TSH_STRBUF_INIT;
	size_t n = list_storms(in, named, CHANGE_ENABLES, &text);
	int r = 0;

	if (is_everything(s, named->events)) {
		tsh_strbuf_clear(&text);
		tsh_format_count(named->events->n, &text);
		r = tsh_cmd_confirm(s, word, instead, err, "this enables all %s events that there are, "
				    "without a filter", text.buf);
	} else if (n) {
		r = tsh_cmd_confirm(s, word, instead, err, "this enables events that can flood the "
				    "machine, without a filter: %s", text.buf);
	}
	tsh_strbuf_release(&text);
	return r;
}

int tsh_flood_check_events(struct tsh_session *s, const struct tsh_instance *in,
			  const struct tsh_call *call, struct tsh_err *err)
{
	struct named named;
	int r;

	if (tsh_filters_value(call) || s->settings.confirm_off)
		return 0;
	named = events_of(call);
	r = check_named(s, in, &named, tsh_args_get(&call->args, "EVENT"),
			"add a filter: .. if FILTER", err);
	tsh_strlist_release(&named.words);
	return r;
}

int tsh_flood_check_clear(struct tsh_session *s, const struct tsh_call *call, struct tsh_err *err)
{
	struct tsh_strbuf text = TSH_STRBUF_INIT;
	struct named named;
	int r = 0;

	if (s->settings.confirm_off)
		return 0;
	named = events_of(call);
	if (list_storms(s->in, &named, CHANGE_CLEARS, &text))
		r = tsh_cmd_confirm(s, tsh_args_get(&call->args, "EVENT"), "disable EVENT first",
				    err, "this leaves events that can flood the machine without a "
				    "filter: %s", text.buf);
	tsh_strlist_release(&named.words);
	tsh_strbuf_release(&text);
	return r;
}

/* ---- writes to files ---- */

/* Finds the events that the text enables; "!WORD" disables some. */
static void events_of_text(const struct tsh_events *all, const char *text, struct named *named,
			   struct tsh_events *ret)
{
	struct tsh_strlist words = { 0 };
	size_t i, k;

	tsh_strlist_split_words(&words, text);
	for (i = 0; i < words.n; i++)
		if (*words.v[i] != '!')
			tsh_strlist_add(&named->words, words.v[i]);
	for (i = 0; i < all->n; i++) {
		for (k = 0; k < named->words.n; k++)
			if (tsh_event_word_selects(named->words.v[k], all->v[i].system,
						   all->v[i].name))
				break;
		if (k < named->words.n)
			tsh_events_add(ret, all->v[i].system, all->v[i].name);
	}
	tsh_strlist_release(&words);
	named->events = ret;
}

static int check_set_event(struct tsh_session *s, const struct tsh_value *text,
			   struct tsh_err *err)
{
	struct tsh_events all = { 0 }, events = { 0 };
	struct named named = { 0 };
	int r = tsh_events_available(s->dir, &all, err);

	if (!r) {
		events_of_text(&all, text->word.text, &named, &events);
		r = check_named(s, s->in, &named, text, "add a filter: enable EVENT.. if FILTER", err);
	}
	tsh_strlist_release(&named.words);
	tsh_events_release(&events);
	tsh_events_release(&all);
	return r;
}

/* Checks the file of one event. Asks only about events that flood a machine alone, because the
 * event is named in full. */
static int check_event_file(struct tsh_session *s, const char *path,
			    const struct tsh_value *text, struct tsh_err *err)
{
	struct tsh_events events = { 0 };
	struct named named = { .events = &events };
	size_t len = strcspn(path, "/");
	char *system = tsh_xstrndup(path, len);
	char *name = tsh_xstrndup(path + len + 1, strcspn(path + len + 1, "/"));
	int r;

	tsh_events_add(&events, system, name);
	tsh_strlist_add_owned(&named.words, tsh_xasprintf("%s:%s", system, name));
	r = check_named(s, s->in, &named, text, "add a filter: enable EVENT if FILTER", err);
	tsh_strlist_release(&named.words);
	tsh_events_release(&events);
	free(system);
	free(name);
	return r;
}

int tsh_flood_check_write(struct tsh_session *s, const struct tsh_value *file,
			 const struct tsh_value *text, struct tsh_err *err)
{
	const char *path = file->word.text;

	if (s->settings.confirm_off)
		return 0;
	if (!strcmp(path, "set_event"))
		return check_set_event(s, text, err);
	if (tsh_glob_match("events/*/*/enable", path) && strcmp(text->word.text, "0") != 0)
		return check_event_file(s, path + strlen("events/"), text, err);
	if (!strcmp(path, "current_tracer") && tsh_cmd_differs(s->in, path, text->word.text))
		return tsh_flood_check_tracer(s, text, err);
	return 0;
}

bool tsh_flood_is_function_tracer(const char *name)
{
	return !strcmp(name, "function") || !strcmp(name, "function_graph");
}

bool tsh_flood_has_functions(const struct tsh_instance *in, const char *path)
{
	struct tsh_strlist lines = { 0 };
	bool found = false;
	size_t i;

	tsh_file_lines(in, path, &lines);
	for (i = 0; i < lines.n && !found; i++)
		found = !strchr(lines.v[i], ':');
	tsh_strlist_release(&lines);
	return found;
}

uint64_t tsh_flood_count_functions(const struct tsh_dir *dir)
{
	const struct tsh_instance top = tsh_top(dir);
	int fd = tsh_file_open(&top, "available_filter_functions", 0);
	char buf[8192];
	uint64_t lines = 0;
	ssize_t n, i;

	if (fd < 0)
		return 0;
	while ((n = read(fd, buf, sizeof(buf))) > 0)
		for (i = 0; i < n; i++)
			lines += buf[i] == '\n';
	close(fd);
	return lines;
}

static bool chooses_functions(const struct tsh_instance *in, const char *tracer)
{
	return tsh_flood_has_functions(in, "set_ftrace_filter") ||
	       (!strcmp(tracer, "function_graph") &&
		tsh_flood_has_functions(in, "set_graph_function"));
}

static int confirm_functions(struct tsh_session *s, const struct tsh_value *value,
			     const char *tracer, const char *instead, struct tsh_err *err)
{
	uint64_t n = tsh_flood_count_functions(s->dir);
	struct tsh_strbuf count = TSH_STRBUF_INIT;
	int r;

	if (n)
		tsh_format_count(n, &count);
	r = tsh_cmd_confirm(s, value, instead, err, "without a function filter '%s' traces all "
			    "%s%sfunctions", tracer, count.buf, n ? " " : "");
	tsh_strbuf_release(&count);
	return r;
}

int tsh_flood_check_tracer(struct tsh_session *s, const struct tsh_value *tracer,
			  struct tsh_err *err)
{
	const char *name = tracer->word.text;

	if (s->settings.confirm_off || !tsh_flood_is_function_tracer(name) ||
	    chooses_functions(s->in, name))
		return 0;
	return confirm_functions(s, tracer, name, "choose functions first: functions filter GLOB..", err);
}

int tsh_flood_check_function(struct tsh_session *s, const struct tsh_value *glob, const char *tracer,
			    struct tsh_err *err)
{
	if (s->settings.confirm_off || strcmp(glob->word.text, "*") != 0)
		return 0;
	return confirm_functions(s, glob, tracer, "use a narrower glob, as 'vfs_*'", err);
}

int tsh_flood_check_all_functions(struct tsh_session *s, struct tsh_err *err)
{
	char *tracer = tsh_file_text(s->in, "current_tracer");
	int r = 0;

	if (!s->settings.confirm_off && tracer && tsh_flood_is_function_tracer(tracer) &&
	    chooses_functions(s->in, tracer))
		r = confirm_functions(s, NULL, tracer, "tracer nop first", err);
	free(tracer);
	return r;
}
