/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "probe.h"

#include <ctype.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/number.h"
#include "session/util.h"

/* Parses [NAME=]TARGET[%return[:AT_ONCE]]. */

static const char raw_prefix[] = "rawtracepoint:";
static const char return_suffix[] = "%return";

void tsh_target_release(struct tsh_target *target)
{
	free(target->name);
	free(target->base);
	free(target->place);
	free(target->function);
	free(target->event.system);
	free(target->event.name);
	*target = (struct tsh_target){ 0 };
}

char tsh_target_letter(const struct tsh_target *target)
{
	switch (target->kind) {
	case TSH_TARGET_EVENT:
		return 'e';
	case TSH_TARGET_TRACEPOINT:
		return 't';
	default:
		return target->is_return ? 'r' : 'p';
	}
}

const char *tsh_target_return(const char *text, unsigned int *ret_at_once)
{
	const char *at = NULL, *next = text;
	int n = 0;

	while ((next = strstr(next, return_suffix)))
		at = next++;
	if (!at || at == text)
		return NULL;
	next = at + strlen(return_suffix);
	/* the limit is KRETPROBE_MAXACTIVE_MAX (include/linux/kprobes.h,
	 * kernel/trace/trace_kprobe.c) */
	if (*next && (*next != ':' || tsh_parse_int(next + 1, &n) || n < 1 || n > 4096))
		return NULL;
	*ret_at_once = (unsigned int)n;
	return at;
}

bool tsh_target_offset(char *name, uint64_t *ret)
{
	char *plus = strchr(name, '+');

	*ret = 0;
	if (!plus)
		return true;
	*plus = '\0';
	return !tsh_parse_u64(plus + 1, ret);
}

static int blame(const struct tsh_value *value, size_t at, const char *text, struct tsh_err *err)
{
	err->span = tsh_word_span(&value->word, at, at + strlen(text));
	return -1;
}

/* ---- functions of the kernel ---- */

static int explain_unknown(const struct tsh_symbol_find *found, const char *name,
			   const char *module, struct tsh_err *err)
{
	if (found->variant) {
		tsh_err_set(err, TSH_FAILED, "the kernel has no function '%s': the compiler has made "
			    "'%s' of it", name, found->variant);
		tsh_err_hint(err, "probe '%s%s%s': its arguments may be others", module ? module : "",
			     module ? ":" : "", found->variant);
		return -1;
	}
	tsh_err_set(err, TSH_FAILED, "%s%s has no function '%s': it may be inlined%s",
		    module ? "the module " : "the kernel", module ? module : "", name,
		    module ? "" : ", or in a module that is not loaded");
	if (found->near)
		tsh_err_hint(err, "did you mean '%s'?", found->near);
	return -1;
}

static int check_function(const struct tsh_value *value, size_t at, const char *name,
			  const char *module, struct tsh_err *err)
{
	struct tsh_symbol_find found;
	int r = 0;

	tsh_symbol_find(name, module, &found);
	if (found.is_unknown) {
		r = 0;
	} else if (!found.n) {
		r = explain_unknown(&found, name, module, err);
	} else if (found.n > 1) {
		r = tsh_err_set(err, TSH_FAILED, "there are %zu functions '%s'", found.n, name);
		if (found.address)
			tsh_err_hint(err, "say which by its address in /proc/kallsyms: 0x%llx is the "
				     "first", (unsigned long long)found.address);
	}
	tsh_symbol_find_release(&found);
	return r < 0 ? blame(value, at, name, err) : 0;
}

static bool is_loaded(const char *module)
{
	char *path = tsh_xasprintf("/sys/module/%s", module);
	bool loaded = access(path, F_OK) == 0;

	free(path);
	return loaded;
}

/* Returns the path of a program for `bash:readline`, because the kernel needs the whole path.
 * The caller frees it; NULL: no such program is found. */
static char *program_path(const char *name)
{
	static const char *const folders[] = { "/usr/bin", "/bin", "/usr/sbin", "/sbin",
					       "/usr/local/bin" };
	size_t i;

	for (i = 0; i < sizeof(folders) / sizeof(folders[0]); i++) {
		char *path = tsh_xasprintf("%s/%s", folders[i], name);

		if (access(path, X_OK) == 0)
			return path;
		free(path);
	}
	return NULL;
}

static int unknown_module(const struct tsh_value *value, size_t at, const char *text,
			  const char *module, struct tsh_err *err)
{
	const char *name = text + strlen(module) + 1;
	char *path = program_path(module);

	tsh_err_set(err, TSH_FAILED, "there is no event '%s', and no module '%s' is loaded", text,
		    module);
	if (path)
		tsh_err_hint(err, "a program has its path: probe %s:%s", path, name);
	else if (!strncmp(module, "lib", 3))
		tsh_err_hint(err, "a library has its path: probe /PATH/%s.so:%s; ldd PROGRAM tells it",
			     module, name);
	else
		tsh_err_hint(err, "events '*%s*' searches; modprobe %s loads a module", name, module);
	free(path);
	return blame(value, at, text, err);
}

/* Parses [MODULE:]FUNCTION[+OFFSET], or an address. */
static int parse_function(const struct tsh_value *value, const char *text,
			  size_t at, struct tsh_target *ret, struct tsh_err *err)
{
	const char *colon = strchr(text, ':'), *name = colon ? colon + 1 : text;
	char *module = colon ? tsh_xstrndup(text, (size_t)(colon - text)) : NULL;
	int r = 0;

	if (!*name || colon == text) {
		free(module);
		tsh_err_at(err, value->word.span, "no function is named");
		tsh_err_hint(err, "FUNCTION, or MODULE:FUNCTION; of a program /PATH:FUNCTION");
		return -1;
	}
	at += (size_t)(name - text);
	ret->kind = TSH_TARGET_FUNCTION;
	ret->base = tsh_xstrdup(name);
	ret->place = tsh_xstrdup(text);
	if (module && !is_loaded(module)) {
		r = unknown_module(value, at - strlen(module) - 1, text, module, err);
	} else if (*name < '0' || *name > '9') {
		ret->function = tsh_xstrdup(name);
		if (!tsh_target_offset(ret->function, &ret->offset)) {
			r = tsh_err_set(err, TSH_USAGE, "what stands behind the + is no number");
			tsh_err_hint(err, "in bytes: %s+0x10", ret->function);
			blame(value, at, name, err);
		} else {
			r = check_function(value, at, ret->function, module, err);
		}
	}
	free(module);
	return r;
}

/* ---- events ---- */

static bool event_is_there(struct tsh_session *s, const char *system, const char *name)
{
	const struct tsh_event event = { (char *)system, (char *)name };
	struct tsh_instance top = tsh_top(s->dir);
	char *path;
	bool there;

	if (!*system || !*name || strpbrk(system, "/.*") || strpbrk(name, "/.*"))
		return false;
	path = tsh_event_path(&event, "format");
	there = tsh_file_exists(&top, path);
	free(path);
	return there;
}

static int parse_event(struct tsh_session *s, const struct tsh_value *value, const char *text,
		       size_t at, struct tsh_target *ret, struct tsh_err *err)
{
	const char *colon = strchr(text, ':');
	char *system = tsh_xstrndup(text, colon ? (size_t)(colon - text) : 0);

	if (!colon || !event_is_there(s, system, colon + 1)) {
		free(system);
		return parse_function(value, text, at, ret, err);
	}
	ret->kind = TSH_TARGET_EVENT;
	ret->event.system = system;
	ret->event.name = tsh_xstrdup(colon + 1);
	/* an event of the same name could not be distinguished from this one */
	ret->base = tsh_xasprintf("%s_probe", colon + 1);
	ret->place = tsh_xasprintf("%s.%s", system, colon + 1);
	return 0;
}

static int parse_tracepoint(const char *name, struct tsh_target *ret)
{
	ret->kind = TSH_TARGET_TRACEPOINT;
	ret->event.name = tsh_xstrdup(name);
	ret->base = tsh_xasprintf("%s_probe", name);
	ret->place = tsh_xstrdup(name);
	return 0;
}

/* ---- the word ---- */

static size_t name_length(const char *text)
{
	size_t n = 0;

	while (isalnum((unsigned char)text[n]) || text[n] == '_')
		n++;
	return text[n] == '=' ? n : 0;
}

static int check_name(const struct tsh_value *value, size_t len, struct tsh_err *err)
{
	if (!isdigit((unsigned char)*value->word.text))
		return 0;
	tsh_err_at(err, tsh_word_span(&value->word, 0, len), "an event's name begins with a letter");
	return -1;
}

static int refuse_relative(const struct tsh_value *value, const char *text, size_t at,
			   struct tsh_err *err)
{
	char folder[PATH_MAX], *path;

	tsh_err_at(err, tsh_word_span(&value->word, at, at + strcspn(text, ":")),
		   "the path of a program begins with a /");
	/* realpath(3) could hang: the file system may never answer */
	if (getcwd(folder, sizeof(folder)) && *folder == '/') {
		path = tsh_xasprintf("%s/%s", folder[1] ? folder : "", text);
		tsh_err_hint_word(err, "probe ", path, "");
		free(path);
	}
	return -1;
}

/* Makes a valid event's name of the base: adds a prefix or suffix, and replaces characters that
 * the kernel does not allow. */
static void clean_base(struct tsh_target *target)
{
	char *p, *old = target->base;

	if (isdigit((unsigned char)*old) || target->is_return) {
		target->base = tsh_xasprintf("%s%s%s", isdigit((unsigned char)*old) ? "at_" : "", old,
					     target->is_return ? "_return" : "");
		free(old);
	}
	for (p = target->base; *p; p++)
		if (!isalnum((unsigned char)*p))
			*p = '_';
}

int tsh_target_parse(struct tsh_session *s, const struct tsh_value *value, struct tsh_target *ret,
		     struct tsh_err *err)
{
	size_t at = name_length(value->word.text);
	const char *mark;
	char *text;
	int r;

	if (at && check_name(value, at, err) < 0)
		return -1;
	if (at)
		ret->name = tsh_xstrndup(value->word.text, at++);
	ret->begin = at;
	text = tsh_xstrdup(value->word.text + at);
	mark = tsh_target_return(text, &ret->at_once);
	if (mark) {
		ret->is_return = true;
		text[mark - text] = '\0';
	}
	if (!*text)
		r = tsh_err_at(err, value->word.span, "the place of the probe is missing");
	else if (*text == '/')
		r = tsh_target_program(s, value, text, at, ret, err);
	else if (strchr(text, '/'))
		r = refuse_relative(value, text, at, err);
	else if (tsh_begins_with(text, raw_prefix))
		r = parse_tracepoint(text + strlen(raw_prefix), ret);
	else
		r = parse_event(s, value, text, at, ret, err);
	if (!r && ret->is_return && ret->kind != TSH_TARGET_FUNCTION && ret->kind != TSH_TARGET_PROGRAM)
		r = tsh_err_at(err, value->word.span, "only a function has a return");
	if (!r && ret->at_once && ret->kind != TSH_TARGET_FUNCTION)
		r = tsh_err_at(err, value->word.span, ":N is only for functions of the kernel: write "
						      "%%return alone");
	if (!r && ret->is_return && (ret->offset || strchr(text, '+')))
		r = tsh_err_at(err, value->word.span, "a return has no offset");
	if (!r)
		clean_base(ret);
	free(text);
	return r;
}
