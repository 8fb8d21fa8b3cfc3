/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "expected.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/number.h"
#include "base/safe-file.h"
#include "kernel/tracefs/lines.h"
#include "kernel/tracefs/size.h"
#include "setting.h"

/* Finds the result of a write that was interrupted: a tracesh that was killed leaves the record of
 * what it wrote, but not of the result. Others may have written to the same file since. */

/* ---- values ---- */

static bool same_numbers(const char *a, const char *b, bool *ret_are_numbers)
{
	uint64_t x = 0, y = 0;

	*ret_are_numbers = !tsh_parse_kernel(a, 10, &x) && !tsh_parse_kernel(b, 10, &y);
	return *ret_are_numbers && x == y;
}

/* Says whether the kernel has refused a filter: it is in the file with an error message below
 * it. */
static bool is_refused(const char *text, const char *now)
{
	size_t len = strlen(text);

	return !strncmp(now, text, len) && now[len] == '\n';
}

static bool rounds_to(uint64_t asked, const char *subbuf, uint64_t is)
{
	uint64_t kb;

	return subbuf && !tsh_parse_kernel(subbuf, 10, &kb) && kb && kb < UINT32_MAX &&
	       tsh_rounded_size(asked, kb) == is;
}

/* Returns the size of an instance's sub-buffers in KB; kernels without that setting have pages. The
 * caller frees it. */
static char *subbuf_of(const struct tsh_dir *dir, const char *instance)
{
	char *path = tsh_xasprintf("%s%s/buffer_subbuf_size_kb", instance ? "instances/" : ".",
				   instance ? instance : "");
	struct tsh_strbuf text = TSH_STRBUF_INIT;
	int fd = tsh_open_beneath(dir->fd, path, O_RDONLY);

	free(path);
	if (fd < 0 || tsh_strbuf_read(&text, fd, 64) < 0 || !text.len) {
		tsh_strbuf_release(&text);
		tsh_strbuf_addf(&text, "%ld", sysconf(_SC_PAGESIZE) / 1024);
	}
	if (fd >= 0)
		close(fd);
	return tsh_strbuf_detach(&text);
}

bool tsh_is_rounded(const struct tsh_dir *dir, const struct tsh_journal *j, const struct tsh_journal_entry *entry,
		    const char *text, const char *now)
{
	uint64_t asked, is;
	bool does;
	char *subbuf;
	size_t i;

	if (tsh_file_class(entry->path)->compare != TSH_SAME_SIZE || tsh_parse_kernel(text, 10, &asked) ||
	    tsh_parse_kernel(now, 10, &is) || is <= asked)
		return false;
	subbuf = subbuf_of(dir, entry->instance);
	does = rounds_to(asked, subbuf, is);
	free(subbuf);
	for (i = 0; !does && i < j->entries.n; i++)
		does = tsh_sets_subbuf(&j->entries.v[i], entry) && (rounds_to(asked, j->entries.v[i].before, is) ||
								    rounds_to(asked, j->entries.v[i].text, is));
	return does;
}

static char *expected_value(const struct tsh_dir *dir, const struct tsh_journal *j,
			    const struct tsh_journal_entry *entry, const char *now)
{
	const struct tsh_file_class *cls = tsh_file_class(entry->path);
	bool are_numbers, same = same_numbers(entry->text, now, &are_numbers);

	if (tsh_class_equal(cls, entry->before, now))
		return tsh_xstrdup(entry->before);
	if (same || tsh_class_equal(cls, entry->text, now) || tsh_is_rounded(dir, j, entry, entry->text, now) ||
	    ((cls->flags & TSH_CLASS_FILTER) && is_refused(entry->text, now)))
		return tsh_xstrdup(now);
	/* It is unknown how the kernel spells texts in files of no special class, so the present
	 * text is used. */
	return tsh_xstrdup(!strcmp(cls->pattern, "*") && !are_numbers ? now : entry->text);
}

/* ---- lists ---- */

/* Says whether one of the written words or lines has added the line, or, with is_removal, removed
 * it. */
static bool is_from_any(const char *path, const char *line, const struct tsh_strlist *written,
			bool is_removal)
{
	const struct tsh_file_class *cls = tsh_file_class(path);
	size_t i;

	for (i = 0; i < written->n; i++)
		if (tsh_line_removes_others(cls, written->v[i]) == is_removal &&
		    tsh_line_is_from(path, line, written->v[i]))
			return true;
	return false;
}

static void expect_lines(const struct tsh_file_class *cls, const struct tsh_journal_entry *entry,
			 const struct tsh_strlist *before, const struct tsh_strlist *now,
			 struct tsh_strlist *ret)
{
	struct tsh_strlist written = { 0 }, missing = { 0 }, added = { 0 }, none = { 0 };
	bool adds = entry->how == TSH_WRITE_ADD;
	size_t i;

	tsh_lines_written(cls, entry->text, &written);
	tsh_lines_without(cls, before, now, &missing);
	tsh_lines_without(cls, now, adds ? before : &none, &added);
	/* Puts our lines first, since the kernel lists the newest trigger first. */
	for (i = 0; i < added.n && (cls->flags & TSH_CLASS_TRIGGER); i++)
		if (is_from_any(entry->path, added.v[i], &written, false))
			tsh_strlist_add(ret, added.v[i]);
	for (i = 0; i < before->n; i++) {
		/* Truncating set_ftrace_filter leaves its commands. */
		bool stays = adds || (cls->compare == TSH_SAME_FUNCTIONS &&
				      tsh_line_is_command(before->v[i]));

		if (stays && !(tsh_strlist_has(&missing, before->v[i]) &&
			       is_from_any(entry->path, before->v[i], &written, true)))
			tsh_strlist_add(ret, before->v[i]);
	}
	for (i = 0; i < added.n && !(cls->flags & TSH_CLASS_TRIGGER); i++)
		if (is_from_any(entry->path, added.v[i], &written, false) &&
		    !tsh_strlist_has(ret, added.v[i]))
			tsh_strlist_add(ret, added.v[i]);
	tsh_strlist_release(&written);
	tsh_strlist_release(&missing);
	tsh_strlist_release(&added);
}

/* Finds the pids after the write: the old ones, unless it truncated the list, and those of the
 * written ones that are listed now. */
static void expect_pids(const struct tsh_journal_entry *entry, const struct tsh_strlist *before,
			const struct tsh_strlist *now, struct tsh_strlist *ret)
{
	struct tsh_strlist written = { 0 };
	size_t i;

	tsh_strlist_split_words(&written, entry->text);
	for (i = 0; i < before->n && entry->how == TSH_WRITE_ADD; i++)
		tsh_strlist_add(ret, before->v[i]);
	for (i = 0; i < written.n; i++)
		if (tsh_strlist_has(now, written.v[i]) && !tsh_strlist_has(ret, written.v[i]))
			tsh_strlist_add(ret, written.v[i]);
	tsh_strlist_release(&written);
}

char *tsh_expected_after(const struct tsh_dir *dir, const struct tsh_journal *j, const struct tsh_journal_entry *entry,
			 const char *now)
{
	const struct tsh_file_class *cls = tsh_file_class(entry->path);
	struct tsh_strlist before = { 0 }, present = { 0 }, lines = { 0 };
	struct tsh_strbuf out = TSH_STRBUF_INIT;
	size_t i;

	if (!(cls->flags & (TSH_CLASS_LIST | TSH_CLASS_ADD_ONLY)))
		return expected_value(dir, j, entry, now);
	tsh_lines_split(entry->before, &before);
	tsh_lines_split(now, &present);
	if (cls->compare == TSH_SAME_PIDS)
		expect_pids(entry, &before, &present, &lines);
	else if (tsh_class_equal(cls, entry->before, now))
		tsh_lines_split(now, &lines);
	else
		expect_lines(cls, entry, &before, &present, &lines);
	for (i = 0; i < lines.n; i++)
		tsh_strbuf_addf(&out, "%s%s", i ? "\n" : "", lines.v[i]);
	tsh_strlist_release(&before);
	tsh_strlist_release(&present);
	tsh_strlist_release(&lines);
	return tsh_strbuf_detach(&out);
}
