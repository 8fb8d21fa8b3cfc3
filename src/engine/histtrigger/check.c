/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "triggers.h"

#include <stdlib.h>
#include <string.h>

#include "base/suggest.h"
#include "session/util.h"

/*
 * Checks the text of a trigger before it is written: the kernel answers "invalid argument" to any
 * mistake.
 */

const char *const tsh_trigger_names[] = {
	"traceon", "traceoff", "stacktrace", "snapshot", "enable_event", "disable_event",
	"enable_hist", "disable_hist", "hist", NULL
};

static bool has_target(const char *name, size_t len)
{
	return memmem(name, len, "able_", strlen("able_")) != NULL;
}

static bool is_hist(const char *name, size_t len)
{
	return memmem(name, len, "hist", strlen("hist")) != NULL;
}

static int check_name(const struct tsh_value *action, const char *name, size_t len,
		      struct tsh_err *err)
{
	size_t begin = (size_t)(name - action->word.text), i;
	struct tsh_strlist names = { 0 };
	char *typed;

	for (i = 0; tsh_trigger_names[i]; i++)
		if (strlen(tsh_trigger_names[i]) == len && !memcmp(tsh_trigger_names[i], name, len))
			return 0;
	for (i = 0; tsh_trigger_names[i]; i++)
		tsh_strlist_add(&names, tsh_trigger_names[i]);
	typed = tsh_xstrndup(name, len);
	tsh_err_at(err, len ? tsh_word_span(&action->word, begin, begin + len) : action->word.span, "unknown trigger '%s'",
		   typed);
	err->status = TSH_FAILED;
	tsh_cmd_suggest(err, typed, &names);
	tsh_strlist_release(&names);
	free(typed);
	return -1;
}

bool tsh_trigger_lacks_hist(const struct tsh_instance *in, const struct tsh_event *event)
{
	char *format = tsh_event_path(event, "format"), *hist = tsh_event_path(event, "hist");
	bool lacks = tsh_file_exists(in, format) && !tsh_file_exists(in, hist);

	free(format);
	free(hist);
	return lacks;
}

/* Checks that the kernel was built with such triggers. */
static int check_kernel(struct tsh_session *s, const struct tsh_call *call,
			const struct tsh_value *action, const char *name, size_t len,
			struct tsh_err *err)
{
	const char *config = NULL;

	/* A recorded tree may lack the files. */
	if (s->check && s->dir->kind == TSH_DIR_TREE)
		return 0;
	if (!strncmp(name, "snapshot", len) && !tsh_file_exists(s->in, "snapshot"))
		config = "CONFIG_TRACER_SNAPSHOT";
	else if (is_hist(name, len) && tsh_trigger_lacks_hist(s->in, &call->events.v[0]))
		config = "CONFIG_HIST_TRIGGERS";
	if (!config)
		return 0;
	tsh_err_set(err, TSH_ENVIRONMENT, "this kernel has no %.*s triggers", (int)len, name);
	tsh_err_hint(err, "it was built without %s", config);
	tsh_err_blame(err, action->word.span);
	return -1;
}

static int blame_rest(const struct tsh_value *action, const char *from, struct tsh_err *err)
{
	size_t begin = (size_t)(from - action->word.text);

	err->span = tsh_word_span(&action->word, begin, action->word.len);
	return -1;
}

/* Checks the count at the end of a trigger, ":3", if there is one. */
static int check_count(const struct tsh_value *action, const char *rest, struct tsh_err *err)
{
	const char *number = *rest == ':' ? rest + 1 : rest;
	uint64_t value = 1;

	if (!strncmp(number, "count=", strlen("count=")))
		number += strlen("count=");
	if (!*rest || !strcmp(rest, ":unlimited"))
		return 0;
	if (tsh_parse_kernel(number, 0, &value) < 0 || value > INT64_MAX) {
		tsh_err_set(err, TSH_USAGE, "'%s' is no count", number);
		tsh_err_hint(err, "how often it fires: %.*s:3", (int)(rest - action->word.text),
			     action->word.text);
		return blame_rest(action, number, err);
	}
	if (!value) {
		tsh_err_set(err, TSH_USAGE, "with a count of 0 it would never fire");
		return blame_rest(action, number, err);
	}
	return 0;
}

/* Checks ":SYSTEM:EVENT[:COUNT]". */
static int check_target(struct tsh_session *s, const struct tsh_value *action, const char *rest,
			struct tsh_err *err)
{
	size_t system = *rest ? strcspn(rest + 1, ":") : 0, name = 0;
	struct tsh_events all = { 0 }, found = { 0 };
	char *word;
	int r;

	if (system && rest[1 + system])
		name = strcspn(rest + 2 + system, ":");
	if (!name) {
		tsh_err_set(err, TSH_USAGE, "missing the event that '%.*s' is about",
			    (int)(rest - action->word.text), action->word.text);
		tsh_err_hint(err, "%.*s:SYSTEM:EVENT", (int)(rest - action->word.text),
			     action->word.text);
		err->span = action->word.span;
		return -1;
	}
	word = tsh_xstrndup(rest + 1, system + 1 + name);
	tsh_events_of_system(s->dir, word, &all);
	r = all.n ? 0 : tsh_events_available(s->dir, &all, err);
	if (!r)
		r = tsh_events_match(&all, word, &found, err);
	if (!r && tsh_is_glob(word))
		r = tsh_err_set(err, TSH_USAGE, "a trigger is about one event, not about '%s'", word);
	if (r < 0)
		err->span = tsh_word_span(&action->word, (size_t)(rest + 1 - action->word.text),
					  (size_t)(rest + 2 - action->word.text) + system + name);
	free(word);
	tsh_events_release(&all);
	tsh_events_release(&found);
	return r < 0 ? -1 : check_count(action, rest + 2 + system + name, err);
}

static int check_words(struct tsh_session *s, const struct tsh_call *call,
		       const struct tsh_value *action, const char *name, struct tsh_err *err)
{
	size_t len = strcspn(name, ":");

	if (check_name(action, name, len, err) < 0 ||
	    check_kernel(s, call, action, name, len, err) < 0)
		return -1;
	if (has_target(name, len))
		return check_target(s, action, name + len, err);
	return is_hist(name, len) ? 0 : check_count(action, name + len, err);
}

int tsh_trigger_check(struct tsh_session *s, const struct tsh_call *call,
		      const struct tsh_value *action, const struct tsh_value *filter,
		      struct tsh_trigger *ret, struct tsh_err *err)
{
	const char *name = action->word.text + (*action->word.text == '!');
	char *text;
	int r;

	*ret = (struct tsh_trigger){ 0 };
	if (check_words(s, call, action, name, err) < 0)
		return -1;
	text = filter ? tsh_xasprintf("%s if %s", name, filter->word.text) : tsh_xstrdup(name);
	r = tsh_trigger_parse(text, ret);
	free(text);
	if (r < 0)
		tsh_err_at(err, action->word.span, "'%s' is no trigger", action->word.text);
	return r < 0 ? -1 : 0;
}
