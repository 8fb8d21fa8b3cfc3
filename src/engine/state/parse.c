/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "state.h"

#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"

/* Parses a saved state: accepts the commands that tsh_state_print writes, and no others. */

struct parser {
	struct tsh_lexer lx;
	struct tsh_state *state;
	char *instance;			/* present section; NULL: there is none */
	bool off;			/* the last on or off in the section was off */
	/* Has the names of the instances, in a tree of tsearch(3); state owns them. */
	void *names;
};

static const char *no_variable(void *ctx, const char *name)
{
	(void)ctx, (void)name;
	return NULL;
}

/* Ends a section: adds tracing_on as one item when it is off at the end. */
static void end_section(struct parser *p)
{
	if (p->off)
		tsh_state_add(p->state, p->instance, "tracing_on", "0", false);
	p->off = false;
}

/* Returns the next word, which the caller frees; NULL with err when there is none. */
static char *need_word(struct parser *p, struct tsh_err *err)
{
	struct tsh_word word;
	size_t pos = p->lx.pos;
	char *text;
	int token = tsh_lexer_word(&p->lx, &word, err);

	if (token < 0)
		return NULL;
	if (token != TSH_TOKEN_WORD) {
		tsh_err_at(err, (struct tsh_span){ pos, pos }, "a word is missing");
		return NULL;
	}
	text = tsh_xstrdup(word.text);
	tsh_word_release(&word);
	return text;
}

/* Sets the error for a word that the command does not accept. Returns -1. */
static int refuse(struct parser *p, size_t begin, const char *word, const char *what,
		  struct tsh_err *err)
{
	return tsh_err_at(err, (struct tsh_span){ begin, p->lx.pos }, "'%s' is no %s", word, what);
}

/* Returns the next word as need_word does, but skips an option --yes before it, which only
 * answers a question. */
static char *need_word_behind_yes(struct parser *p, struct tsh_err *err)
{
	struct tsh_span next = tsh_lexer_peek(&p->lx);

	if (next.end - next.begin == 5 && !memcmp(p->lx.text + next.begin, "--yes", 5))
		p->lx.pos = next.end;
	return need_word(p, err);
}

/* Parses a word as the value of a file. Frees `path`. */
static int parse_word(struct parser *p, char *path, bool line, struct tsh_err *err)
{
	char *value = need_word_behind_yes(p, err);

	if (value)
		tsh_state_add(p->state, p->instance, path, value, line);
	free(path);
	free(value);
	return value ? 0 : -1;
}

static int parse_words(struct parser *p, const char *path, struct tsh_err *err)
{
	struct tsh_word word;
	int token;

	while ((token = tsh_lexer_word(&p->lx, &word, err)) == TSH_TOKEN_WORD) {
		tsh_state_add(p->state, p->instance, path, word.text, true);
		tsh_word_release(&word);
	}
	return token < 0 ? -1 : 0;
}

/* Parses a path, and the rest of the command as its text. */
static int parse_text(struct parser *p, bool line, struct tsh_err *err)
{
	size_t begin = p->lx.pos, i;
	char *path = need_word(p, err);
	struct tsh_strlist words = { 0 };
	struct tsh_word text;

	if (path && !*path) {
		free(path);
		return refuse(p, begin, "", "file", err);
	}
	if (!path || tsh_lexer_text(&p->lx, NULL, &text, err) < 0) {
		free(path);
		return -1;
	}
	/* A list becomes one item for each word. */
	if (!line && (tsh_file_class(path)->flags & TSH_CLASS_LIST)) {
		tsh_strlist_split_words(&words, text.text);
		for (i = 0; i < words.n; i++)
			tsh_state_add(p->state, p->instance, path, words.v[i], true);
		tsh_strlist_release(&words);
	} else {
		tsh_state_add(p->state, p->instance, path, text.text, line);
	}
	tsh_word_release(&text);
	free(path);
	return 0;
}

/* Returns "events/sched/sched_switch/filter" for "sched:sched_switch", which the caller frees;
 * NULL with err. Frees `name`. */
static char *event_path(struct parser *p, size_t begin, char *name, const char *file,
			struct tsh_err *err)
{
	size_t system = strcspn(name, ":/");
	const char *event = name + system + (name[system] != '\0');
	char *path = NULL;

	if (system && *event && !strpbrk(event, ":/"))
		path = tsh_xasprintf("events/%.*s/%s/%s", (int)system, name, event, file);
	else
		refuse(p, begin, name, "event", err);
	free(name);
	return path;
}

/* Parses the next word, an event, and returns the path of one of its files. */
static char *need_event(struct parser *p, const char *file, struct tsh_err *err)
{
	size_t begin = p->lx.pos;
	char *name = need_word(p, err);

	return name ? event_path(p, begin, name, file, err) : NULL;
}

static int parse_filter(struct parser *p, struct tsh_err *err)
{
	char *path = need_event(p, "filter", err);
	struct tsh_word filter;

	if (!path || tsh_lexer_expression(&p->lx, NULL, &filter, err) < 0) {
		free(path);
		return -1;
	}
	tsh_state_add(p->state, p->instance, path, filter.text, false);
	tsh_word_release(&filter);
	free(path);
	return 0;
}

/* Parses the condition behind a trigger's action. Returns 1 with the filter, 0 when there is
 * none, -1 with err. */
static int parse_condition(struct parser *p, struct tsh_word *ret_filter, struct tsh_err *err)
{
	struct tsh_span next = tsh_lexer_peek(&p->lx);

	if (next.end - next.begin != 2 || memcmp(p->lx.text + next.begin, "if", 2) != 0)
		return 0;
	p->lx.pos = next.end;
	return tsh_lexer_expression(&p->lx, NULL, ret_filter, err) < 0 ? -1 : 1;
}

static int parse_trigger(struct parser *p, struct tsh_err *err)
{
	char *path = need_event(p, "trigger", err), *action = path ? need_word(p, err) : NULL;
	struct tsh_word filter;
	int r = action ? parse_condition(p, &filter, err) : -1;
	char *value = NULL;

	if (r > 0) {
		value = tsh_xasprintf("%s if %s", action, filter.text);
		tsh_word_release(&filter);
	}
	if (r >= 0)
		tsh_state_add(p->state, p->instance, path, value ? value : action, true);
	free(value);
	free(action);
	free(path);
	return r < 0 ? -1 : 0;
}

static int parse_enables(struct parser *p, const char *state, struct tsh_err *err)
{
	struct tsh_word word;
	size_t begin = p->lx.pos;
	int token;

	while ((token = tsh_lexer_word(&p->lx, &word, err)) == TSH_TOKEN_WORD) {
		bool unasked = !word.quoted && !strcmp(word.text, "--yes");
		char *path = unasked ? NULL :
			     event_path(p, begin, tsh_xstrdup(word.text), "enable", err);

		tsh_word_release(&word);
		if (!unasked && !path)
			return -1;
		if (path)
			tsh_state_add(p->state, p->instance, path, state, false);
		free(path);
		begin = p->lx.pos;
	}
	return token < 0 ? -1 : 0;
}

static int parse_option(struct parser *p, struct tsh_err *err)
{
	char *name = need_word(p, err), *path, *state;
	size_t begin = p->lx.pos;
	int r = -1;

	if (!name)
		return -1;
	state = need_word(p, err);
	path = tsh_xasprintf("options/%s", name);
	if (state && strcmp(state, "on") != 0 && strcmp(state, "off") != 0)
		refuse(p, begin, state, "state of an option", err);
	else if (state)
		r = 0;
	if (!r)
		tsh_state_add(p->state, p->instance, path, strcmp(state, "on") ? "0" : "1", false);
	free(path);
	free(name);
	free(state);
	return r;
}

static int parse_size(struct parser *p, struct tsh_err *err)
{
	size_t begin = p->lx.pos;
	char *size = need_word(p, err), *kb;
	uint64_t bytes = 0;
	int r = -1;

	if (!size)
		return -1;
	if (tsh_parse_size(size, &bytes) < 0) {
		refuse(p, begin, size, "size", err);
	} else {
		kb = tsh_xasprintf("%llu", (unsigned long long)(bytes / 1024 + (bytes % 1024 != 0)));
		tsh_state_add(p->state, p->instance, "buffer_size_kb", kb, false);
		free(kb);
		r = 0;
	}
	free(size);
	return r;
}

static int parse_cpus(struct parser *p, struct tsh_err *err)
{
	size_t begin = p->lx.pos;
	char *list = need_word(p, err);
	struct tsh_strbuf mask = TSH_STRBUF_INIT;
	struct tsh_cpuset set = { 0 };
	int r = -1;

	if (!list)
		return -1;
	if (tsh_parse_cpus(list, &set) < 0) {
		refuse(p, begin, list, "list of CPUs", err);
	} else {
		tsh_cpuset_format_mask(&set, &mask);
		tsh_state_add(p->state, p->instance, "tracing_cpumask", mask.buf, false);
		r = 0;
	}
	tsh_strbuf_release(&mask);
	tsh_cpuset_release(&set);
	free(list);
	return r;
}

static int parse_snapshot(struct parser *p, struct tsh_err *err)
{
	size_t begin = p->lx.pos;
	char *action = need_word(p, err);
	int r = -1;

	if (action && strcmp(action, "alloc") != 0) {
		refuse(p, begin, action, "setting of a snapshot", err);
	} else if (action) {
		tsh_state_add(p->state, p->instance, "snapshot", "1", false);
		r = 0;
	}
	free(action);
	return r;
}

static int parse_functions(struct parser *p, struct tsh_err *err)
{
	char *action = need_word(p, err);
	int r = -1;

	if (!action)
		return -1;
	if (!strcmp(action, "filter"))
		r = parse_words(p, "set_ftrace_filter", err);
	else if (!strcmp(action, "notrace"))
		r = parse_words(p, "set_ftrace_notrace", err);
	else if (!strcmp(action, "graph"))
		r = parse_words(p, "set_graph_function", err);
	else
		tsh_err_at(err, (struct tsh_span){ p->lx.pos, p->lx.pos },
			   "'functions %s' sets nothing", action);
	free(action);
	return r;
}

static int compare_texts(const void *a, const void *b)
{
	return strcmp(a, b);
}

static void add_instance(struct parser *p, const char *name)
{
	struct tsh_strlist *names = &p->state->instances;

	if (tfind(name, &p->names, compare_texts))
		return;
	tsh_strlist_add(names, name);
	/* tsearch(3) has no memory: ends, as every allocation does. */
	if (!tsearch(names->v[names->n - 1], &p->names, compare_texts))
		abort();
}

static void free_nothing(void *name)
{
	(void)name;
}

/* Parses `use NAME` or `create NAME (else use NAME)`. */
static int parse_instance(struct parser *p, struct tsh_err *err)
{
	char *action = need_word(p, err), *name;
	size_t begin = p->lx.pos;

	if (!action)
		return -1;
	if (strcmp(action, "use") != 0 && strcmp(action, "create") != 0) {
		tsh_err_at(err, (struct tsh_span){ begin, begin }, "'instance %s' is no command of a save",
			   action);
		free(action);
		return -1;
	}
	name = need_word(p, err);
	if (name && strcmp(name, "top") != 0 && !tsh_instance_name_is_valid(tsh_instance_parse_word(name))) {
		refuse(p, begin, name, "name of an instance", err);
		free(name);
		name = NULL;
	}
	if (name)
		add_instance(p, name);
	if (name) {
		end_section(p);
		free(p->instance);
		p->instance = name;
	}
	free(action);
	tsh_lexer_skip_command(&p->lx);
	return name ? 0 : -1;
}

static int parse_command(struct parser *p, const char *verb, struct tsh_span span,
			 struct tsh_err *err)
{
	if (!strcmp(verb, "on") || !strcmp(verb, "off")) {
		p->off = verb[1] == 'f';
		return 0;
	}
	if (!strcmp(verb, "clock"))
		return parse_word(p, tsh_xstrdup("trace_clock"), false, err);
	if (!strcmp(verb, "tracer"))
		return parse_word(p, tsh_xstrdup("current_tracer"), false, err);
	if (!strcmp(verb, "option"))
		return parse_option(p, err);
	if (!strcmp(verb, "buffer"))
		return parse_size(p, err);
	if (!strcmp(verb, "cpus"))
		return parse_cpus(p, err);
	if (!strcmp(verb, "functions"))
		return parse_functions(p, err);
	if (!strcmp(verb, "filter"))
		return parse_filter(p, err);
	if (!strcmp(verb, "enable") || !strcmp(verb, "disable"))
		return parse_enables(p, *verb == 'e' ? "1" : "0", err);
	if (!strcmp(verb, "trigger"))
		return parse_trigger(p, err);
	if (!strcmp(verb, "snapshot"))
		return parse_snapshot(p, err);
	if (!strcmp(verb, "write") || !strcmp(verb, "append"))
		return parse_text(p, *verb == 'a', err);
	if (!strcmp(verb, "instance"))
		return parse_instance(p, err);
	tsh_err_at(err, span, "'%s' is no command of a save", verb);
	tsh_err_hint(err, "save FILE writes the files that diff reads");
	return -1;
}

static int parse_statement(struct parser *p, struct tsh_err *err)
{
	struct tsh_span span = { p->lx.pos, p->lx.pos };
	char *verb = need_word(p, err);
	int r;

	if (verb && !strcmp(verb, "try")) {
		free(verb);
		verb = need_word(p, err);
	}
	if (!verb)
		return -1;
	span.end = p->lx.pos;
	r = parse_command(p, verb, span, err);
	free(verb);
	if (!r && tsh_lexer_word(&p->lx, NULL, err) != TSH_TOKEN_END)
		r = tsh_err_is_set(err) ? -1 : tsh_err_at(err, span, "too many words");
	return r;
}

int tsh_state_parse(const struct tsh_waiter *waiter, const char *text, size_t len,
		    struct tsh_state *ret, struct tsh_err *err)
{
	const struct tsh_vars vars = { no_variable, NULL };
	struct parser p = { .state = ret };
	int r = 0;

	tsh_lexer_init(&p.lx, text, len, &vars);
	while (!r && tsh_lexer_next_command(&p.lx)) {
		ret->stopped = waiter && tsh_wait(waiter, NULL, 0, 0) != TSH_WAIT_TIMEOUT;
		r = ret->stopped ? tsh_err_set(err, TSH_FAILED, "stopped") :
				   parse_statement(&p, err);
	}
	if (!r)
		end_section(&p);
	if (!r)
		r = tsh_state_check_items(ret, err);
	tdestroy(p.names, free_nothing);
	free(p.instance);
	return r;
}
