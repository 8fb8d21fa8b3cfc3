/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "settings.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "base/suggest.h"
#include "base/team.h"
#include "base/zone.h"
#include "names.h"
#include "output/columns.h"
#include "util.h"

static const char *const on_off[] = { "off", "on", NULL };
static const char *const off_names[] = { "on", "off", NULL };
static const char *const at_exit_names[] = { "ask", "keep", "restore", NULL };
static const char *const pointer_names[] = { "shown", "hidden", NULL };
static const char *const decoders_names[] = { "on", "off", "all", NULL };
static const char *const precision_names[] = { "us", "ns", NULL };

static const char *const format_help[] = {
	[TSH_FORMAT_TEXT] = "for people to read, with wall-clock times",
	[TSH_FORMAT_JSON] = "one object a line",
	[TSH_FORMAT_CSV] = "one row per line, names in the first line",
	[TSH_FORMAT_KERNEL] = "byte for byte as cat trace has it",
};

static const char *const time_help[] = {
	[TSH_TIME_WALL] = "date and time of day", [TSH_TIME_SHORT] = "time of day",
	[TSH_TIME_ISO] = "2024-01-02T22:47:33.123456+01:00",
	[TSH_TIME_UTC] = "date and time of day in UTC",
	[TSH_TIME_REL] = "since the first event", [TSH_TIME_DELTA] = "since the event before",
	[TSH_TIME_DELTA_CPU] = "since the event before on that CPU",
	[TSH_TIME_DELTA_TASK] = "since the event before of that task",
	[TSH_TIME_TRACE] = "as the trace clock has it", [TSH_TIME_NONE] = "no time",
};

static const char *const at_exit_help[] = {
	[TSH_AT_EXIT_ASK] = "ask at the prompt whether to keep them",
	[TSH_AT_EXIT_KEEP] = "settings stay as they are", [TSH_AT_EXIT_RESTORE] = "all is taken back",
};

static const char *const pointer_help[] = {
	"addresses as they are", "as ptr-1, ptr-2: equal ones stay equal",
};

static const char *const decoders_help[] = {
	[TSH_DECODERS_ON] = "by libtraceevent and its plugins, where they know them",
	[TSH_DECODERS_OFF] = "as name=value",
	[TSH_DECODERS_ALL] = "all events are printed by libtraceevent and its plugins, to compare: less exact, slower",
};

static const char *const precision_help[] = { "six digits of a second", "nine" };

/* Makes "tracesh:top [off] function 3ev lost ro> ". */
const char tsh_prompt_default[] = "%btracesh:%i%d%s%t%n%l%r%p> ";

#define PROMPT_LETTERS "istnlr?bdp%"

/* Names the memory for pages when no pool is set. The memory for symbols is not limited then. */
static const char pool_usual[] = "8M";
#define POOL_MIN 65536

static const char threads_usual[] = "auto";
/* Limits the threads that are started when the user has not chosen: beyond it, merging and writing
 * take as long as formatting. */
#define THREADS_USUAL_MAX 8

#define SETTING(field) offsetof(struct tsh_settings, field)

const struct tsh_setting tsh_settings_table[] = {
	{ "format", TSH_SETTING_CHOICE, SETTING(format), tsh_format_names,
	  "how lists and events are printed", format_help },
	{ "time", TSH_SETTING_CHOICE, SETTING(time), tsh_time_style_names,
	  "how the time of an event is printed", time_help },
	{ "precision", TSH_SETTING_BOOL, SETTING(precision_ns), precision_names,
	  "digits of the seconds: us for six, ns for nine", precision_help },
	{ "columns", TSH_SETTING_COLUMNS, SETTING(columns), NULL,
	  "of the lines of events in text, as time,comm,event,text: task, comm, pid, tgid, cpu, "
	  "flags, time, delta, event, text; '' prints lines as the kernel does", NULL },
	{ "show-error", TSH_SETTING_BOOL, SETTING(show_error), on_off,
	  "a wall-clock time in text is followed by the bound of its error: +-180ns", NULL },
	{ "tz", TSH_SETTING_ZONE, SETTING(tz), NULL,
	  "time zone, as Europe/Berlin, UTC or <+08>-8; local: the machine's", NULL },
	{ "pointers", TSH_SETTING_BOOL, SETTING(pointers_hidden), pointer_names,
	  "addresses in events: shown, or hidden as ptr-1, ptr-2 (equal ones stay equal)",
	  pointer_help },
	{ "decoders", TSH_SETTING_CHOICE, SETTING(decoders), decoders_names,
	  "which code prints events whose print format calls functions of the kernel: on means "
	  "libtraceevent and its plugins", decoders_help },
	{ "pipefail", TSH_SETTING_BOOL, SETTING(pipefail), on_off,
	  "a failing program behind | fails the command", NULL },
	{ "show-writes", TSH_SETTING_BOOL, SETTING(show_writes), on_off,
	  "show each write to tracefs as a shell command", NULL },
	{ "hints", TSH_SETTING_BOOL, SETTING(hints_off), off_names,
	  "show dimly, at the prompt, what can come next in a command", NULL },
	{ "confirm", TSH_SETTING_BOOL, SETTING(confirm_off), off_names,
	  "ask before what floods the machine or erases events; off is as --yes", NULL },
	{ "at-exit", TSH_SETTING_CHOICE, SETTING(at_exit), at_exit_names,
	  "what becomes of the settings at the end: ask (at the prompt), keep, restore",
	  at_exit_help },
	{ "prompt", TSH_SETTING_PROMPT, SETTING(prompt), NULL,
	  "the text of the prompt; '' is the default", NULL },
	{ "pool", TSH_SETTING_SIZE, SETTING(pool), NULL,
	  "memory for pages that wait to be printed, 64K at least; a size that is set also "
	  "limits the memory for names of the kernel's addresses: beyond it each name is looked "
	  "up when it is needed, which is slow. '' is the default", NULL },
	{ "threads", TSH_SETTING_THREADS, SETTING(threads), NULL,
	  "how many threads print a busy stream or a recording, or record (8 at most), 1 to 64; auto: half "
	  "of the CPUs that may be used, 8 at most", NULL },
	{ "pager", TSH_SETTING_BOOL, SETTING(pager_off), off_names,
	  "lists at the prompt that are longer than the screen go through a pager", NULL },
	{ 0 }
};

const struct tsh_setting *tsh_setting_find(const char *name)
{
	const struct tsh_setting *setting;

	for (setting = tsh_settings_table; setting->name; setting++)
		if (!strcmp(setting->name, name))
			return setting;
	return NULL;
}

const char *tsh_setting_text(const struct tsh_settings *set, const struct tsh_setting *setting)
{
	const char *field = (const char *)set + setting->offset;
	const char *text;

	switch (setting->kind) {
	case TSH_SETTING_CHOICE:
		return setting->choices[*(const unsigned int *)(const void *)field];
	case TSH_SETTING_BOOL:
		return setting->choices[*(const bool *)field];
	default:
		text = *(char *const *)(const void *)field;
		if (text)
			return text;
		if (setting->kind == TSH_SETTING_COLUMNS)
			return tsh_line_columns_usual;
		if (setting->kind == TSH_SETTING_SIZE)
			return pool_usual;
		if (setting->kind == TSH_SETTING_THREADS)
			return threads_usual;
		return setting->kind == TSH_SETTING_PROMPT ? tsh_prompt_default : "local";
	}
}

static int find_choice(const struct tsh_setting *setting, const char *value)
{
	int i;

	for (i = 0; setting->choices[i]; i++)
		if (!strcmp(setting->choices[i], value))
			return i;
	return -1;
}

const char *tsh_setting_choice_help(const struct tsh_setting *setting, const char *choice)
{
	int i = setting->choice_help ? find_choice(setting, choice) : -1;

	return i < 0 ? setting->help : setting->choice_help[i];
}

static int bad_choice(const struct tsh_setting *setting, const char *value, struct tsh_err *err)
{
	struct tsh_strbuf list = TSH_STRBUF_INIT;
	struct tsh_suggest near;
	const char *best;
	int i;

	tsh_suggest_init(&near, value);
	for (i = 0; setting->choices[i]; i++) {
		tsh_strbuf_addf(&list, "%s%s", i ? ", " : "", setting->choices[i]);
		tsh_suggest_offer(&near, setting->choices[i]);
	}
	best = tsh_suggest_best(&near);
	tsh_err_set(err, TSH_USAGE, "'%s' is no value of '%s'", value, setting->name);
	if (best && strcmp(setting->choices[0], "off") && strcmp(setting->choices[0], "on"))
		tsh_err_hint(err, "did you mean '%s'? one of: %s", best, list.buf);
	else
		tsh_err_hint(err, "one of: %s", list.buf);
	tsh_suggest_release(&near);
	tsh_strbuf_release(&list);
	return -1;
}

/* Sets the time zone; NULL is the machine's. */
static int set_zone(char **zone, const char *value, struct tsh_err *err)
{
	bool own = !*value || !strcmp(value, "local");

	if (!own && tsh_zone_check(value, err) < 0)
		return -1;
	free(*zone);
	*zone = own ? NULL : tsh_xstrdup(value);
	return 0;
}

static int set_prompt(char **prompt, const char *value, struct tsh_err *err)
{
	const char *p;

	for (p = strchr(value, '%'); p; p = strchr(p + 2, '%'))
		if (!p[1] || !strchr(PROMPT_LETTERS, p[1])) {
			tsh_err_set(err, TSH_USAGE, "'%%%.1s' stands for nothing in a prompt", p + 1);
			tsh_err_hint(err, "%s", TSH_PROMPT_HELP);
			return -1;
		}
	free(*prompt);
	*prompt = *value ? tsh_xstrdup(value) : NULL;
	return 0;
}

static int set_columns(char **columns, const char *value, struct tsh_err *err)
{
	struct tsh_line_columns parsed;
	bool usual = !*value || !strcmp(value, tsh_line_columns_usual);

	if (!usual && tsh_line_columns_parse(&parsed, value, err) < 0)
		return -1;
	free(*columns);
	*columns = usual ? NULL : tsh_xstrdup(value);
	return 0;
}

static int set_pool(char **pool, const char *value, struct tsh_err *err)
{
	uint64_t bytes = POOL_MIN;

	if (*value && (tsh_parse_size(value, &bytes) < 0 || bytes > SIZE_MAX)) {
		tsh_err_set(err, TSH_USAGE, "'%s' is no size", value);
		tsh_err_hint(err, "bytes, or as 256K, 8M");
		return -1;
	}
	if (bytes < POOL_MIN)
		return tsh_err_set(err, TSH_USAGE, "a pool has at least 64K");
	free(*pool);
	*pool = *value ? tsh_xstrdup(value) : NULL;
	return 0;
}

static int set_threads(char **threads, const char *value, struct tsh_err *err)
{
	bool usual = !*value || !strcmp(value, threads_usual);
	uint64_t n = 1;

	if (!usual && (tsh_parse_u64(value, &n) < 0 || !n || n > TSH_TEAM_MAX)) {
		tsh_err_set(err, TSH_USAGE, "'%s' is no number of threads", value);
		tsh_err_hint(err, "1 to %d, or auto", TSH_TEAM_MAX);
		return -1;
	}
	free(*threads);
	*threads = usual ? NULL : tsh_xstrdup(value);
	return 0;
}

unsigned int tsh_settings_threads(const struct tsh_settings *set)
{
	unsigned int half;
	uint64_t n;

	if (set->threads && !tsh_parse_u64(set->threads, &n) && n && n <= TSH_TEAM_MAX)
		return (unsigned int)n;
	half = tsh_usable_cpus() / 2;
	return half < 1 ? 1 : half > THREADS_USUAL_MAX ? THREADS_USUAL_MAX : half;
}

size_t tsh_settings_pool(const struct tsh_settings *set)
{
	uint64_t bytes;

	return set->pool && !tsh_parse_size(set->pool, &bytes) ? (size_t)bytes : 0;
}

static int set_value(struct tsh_settings *set, const struct tsh_setting *setting,
		     const char *value, struct tsh_err *err)
{
	char *field = (char *)set + setting->offset;
	int choice;

	if (setting->kind == TSH_SETTING_ZONE)
		return set_zone((char **)(void *)field, value, err);
	if (setting->kind == TSH_SETTING_PROMPT)
		return set_prompt((char **)(void *)field, value, err);
	if (setting->kind == TSH_SETTING_COLUMNS)
		return set_columns((char **)(void *)field, value, err);
	if (setting->kind == TSH_SETTING_THREADS)
		return set_threads((char **)(void *)field, value, err);
	if (setting->kind == TSH_SETTING_SIZE)
		return set_pool((char **)(void *)field, value, err);
	choice = find_choice(setting, value);
	if (choice < 0)
		return bad_choice(setting, value, err);
	if (setting->choices == decoders_names && choice == TSH_DECODERS_ALL && !tsh_libraries->built) {
		tsh_err_set(err, TSH_FAILED, "this build is without %s", tsh_libraries->name);
		tsh_err_hint(err, "what has it is %s", tsh_libraries->needs);
		return -1;
	}
	if (setting->kind == TSH_SETTING_BOOL)
		*(bool *)field = choice;
	else
		*(unsigned int *)(void *)field = (unsigned int)choice;
	return 0;
}

int tsh_settings_assign(struct tsh_settings *set, const char *name, const char *value,
			struct tsh_err *err)
{
	return set_value(set, tsh_setting_find(name), value, err);
}
