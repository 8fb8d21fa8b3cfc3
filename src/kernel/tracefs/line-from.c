/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "lines.h"

#include <stdlib.h>
#include <string.h>

#include "base/suggest.h"
#include "event.h"
#include "trigger.h"

/* Compares a line of a file with one that was written: the kernel may have changed its spelling. */

static bool same_text(const char *a, size_t a_len, const char *b, size_t b_len)
{
	return a_len == b_len && !memcmp(a, b, a_len);
}

/* Returns the length of a histogram's keys, and in *ret their start. The kernel writes other parts
 * in full, but the keys as they were typed. */
static size_t hist_keys(const char *command, const char **ret)
{
	const char *p = command, *next;

	for (; p; p = next) {
		p += *p == ':';
		next = strchr(p, ':');
		if (!strncmp(p, "keys=", 5) || !strncmp(p, "key=", 4)) {
			*ret = strchr(p, '=') + 1;
			return strcspn(*ret, ":");
		}
	}
	*ret = "";
	return 0;
}

static bool same_filters(const struct tsh_trigger *a, const struct tsh_trigger *b)
{
	return !strcmp(a->filter ? a->filter : "", b->filter ? b->filter : "");
}

/* Says whether a trigger comes from a written line. is_removal: the line removes triggers; then the
 * kernel compares the filters of histograms only. */
static bool trigger_is_from(const char *line, const char *written, bool is_removal)
{
	struct tsh_trigger ours, its;
	const char *a, *b;
	size_t a_len, b_len;
	bool is = !tsh_trigger_parse(written, &ours);

	is = !tsh_trigger_parse(line, &its) && is && ours.is_hist == its.is_hist;
	if (is && its.is_hist) {
		a_len = hist_keys(ours.command, &a);
		b_len = hist_keys(its.command, &b);
		is = same_text(a, a_len, b, b_len) && same_filters(&ours, &its);
	} else if (is) {
		is = is_removal ? tsh_trigger_collides(&ours, &its) :
				  tsh_trigger_same(&ours, &its);
	}
	tsh_trigger_release(&ours);
	tsh_trigger_release(&its);
	return is;
}

/* Says whether an event "SYSTEM:EVENT" comes from a word that was written. */
static bool event_is_from(const char *line, const char *written)
{
	size_t len = strcspn(line, ":");
	char *system = tsh_xstrndup(line, len);
	bool is = tsh_event_word_selects(written, system, line + len + (line[len] == ':'));

	free(system);
	return is;
}

struct probe {
	char letter;
	const char *group, *name, *place;
	size_t group_len, name_len;	/* 0: not given */
};

/* Splits "p:GROUP/NAME PLACE ..", "r10 PLACE ..", "NAME FIELDS" or "-:NAME". */
static struct probe split_probe(const char *line, bool synthetic)
{
	struct probe p = { .letter = *line };
	size_t word = strcspn(line, " \t;");
	const char *begin = memchr(line, ':', word);
	size_t slash;

	begin = begin ? begin + 1 : synthetic ? line : line + word;
	p.place = line + word + strspn(line + word, " \t");
	word -= (size_t)(begin - line);
	slash = strcspn(begin, "/.");
	if (slash < word) {
		p.group = begin;
		p.group_len = slash;
		slash++;
	} else {
		slash = 0;
	}
	p.name = begin + slash;
	p.name_len = word - slash;
	return p;
}

/* Returns the length of a place without "+16" or ":0x10" at its end. */
static size_t place_length(const char *place, size_t len)
{
	size_t n = len;

	while (n && place[n - 1] != '+' && place[n - 1] != ':')
		n--;
	return n && place[n] >= '0' && place[n] <= '9' ? n - 1 : len;
}

/* Compares places; the kernel may print the offset in another base. */
static bool same_places(const char *a, const char *b)
{
	size_t x_all = strcspn(a, " \t"), x = place_length(a, x_all);
	size_t y_all = strcspn(b, " \t"), y = place_length(b, y_all);

	return same_text(a, x, b, y) &&
	       (x < x_all ? strtoull(a + x + 1, NULL, 0) : 0) ==
		       (y < y_all ? strtoull(b + y + 1, NULL, 0) : 0);
}

static bool probe_is_from(const char *line, const char *written, bool is_removal, bool synthetic)
{
	struct probe its = split_probe(line, synthetic);
	struct probe ours = split_probe(written, synthetic);

	if (ours.group_len && its.group_len &&
	    !same_text(ours.group, ours.group_len, its.group, its.group_len))
		return false;
	if (is_removal || synthetic)
		return !ours.name_len ||
		       same_text(ours.name, ours.name_len, its.name, its.name_len);
	if (ours.letter != its.letter)
		return false;
	return ours.name_len ? same_text(ours.name, ours.name_len, its.name, its.name_len) :
			       same_places(ours.place, its.place);
}

/* Says whether a line of set_ftrace_filter comes from "GLOB", "GLOB:mod:MODULE" or
 * "GLOB:COMMAND[:COUNT]". A number is an index into the list of functions, which is not read here:
 * it matches all. */
static bool function_is_from(const char *line, const char *written)
{
	size_t glob_len = strcspn(written, ":"), name_len = strcspn(line, " :");
	bool is_command = written[glob_len] && strncmp(written + glob_len, ":mod:", 5) != 0;
	char *glob = tsh_xstrndup(written, glob_len), *name = tsh_xstrndup(line, name_len);
	char *text = tsh_line_text(tsh_file_class("set_ftrace_filter"), line);
	struct tsh_trigger ours = { 0 }, its = { 0 };
	bool is = is_command == tsh_line_is_command(line) &&
		  (tsh_glob_match(glob, name) || (*glob >= '0' && *glob <= '9'));

	if (is && is_command) {
		is = !tsh_trigger_parse(written, &ours) && !tsh_trigger_parse(text, &its) &&
		     (ours.left < 0) == (its.left < 0) &&
		     !strcmp(ours.command + glob_len, its.command + strcspn(its.command, ":"));
		tsh_trigger_release(&its);
		tsh_trigger_release(&ours);
	}
	free(text);
	free(name);
	free(glob);
	return is;
}

bool tsh_line_removes_others(const struct tsh_file_class *cls, const char *written)
{
	return *written == '!' || (*written == '-' && (cls->flags & TSH_CLASS_PROBE));
}

bool tsh_line_is_from(const char *path, const char *line, const char *written)
{
	const struct tsh_file_class *cls = tsh_file_class(path);
	bool is_removal = tsh_line_removes_others(cls, written);

	/* Does not skip the "-" of "-:NAME": other lines have their letter there. */
	written += *written == '!';
	if (cls->flags & TSH_CLASS_TRIGGER)
		return trigger_is_from(line, written, is_removal);
	if (cls->flags & TSH_CLASS_PROBE)
		return probe_is_from(line, written, is_removal,
				     cls->inverse == TSH_BACK_SYNTHETIC);
	if (cls->inverse == TSH_BACK_LINES)
		return event_is_from(line, written);
	return function_is_from(line, written);
}
