/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tracefs.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/number.h"
#include "lines.h"
#include "pids.h"
#include "size.h"

/* Compares readings of files by class. */

/* Returns the word in [brackets], or the whole text when there are none. The caller frees it. */
static char *chosen(const char *text)
{
	const char *open = strchr(text, '[');
	const char *close = open ? strchr(open, ']') : NULL;

	return close ? tsh_xstrndup(open + 1, (size_t)(close - open - 1)) : tsh_xstrdup(text);
}

/* Returns the size in KB: of "7 (expanded: 1408)" the 1408 that the buffer has as soon as it is
 * used. The caller frees it. */
static char *buffer_size(const char *text)
{
	const char *expanded = strstr(text, "(expanded: ");
	char *size;
	uint64_t kb;

	if (expanded)
		text = expanded + strlen("(expanded: ");
	size = tsh_xstrndup(text, strcspn(text, " )\n"));
	if (!tsh_parse_kernel(size, 10, &kb)) {
		free(size);
		size = tsh_xasprintf("%llu", (unsigned long long)kb);
	}
	return size;
}

static char *list_text(const struct tsh_file_class *cls, const char *text)
{
	struct tsh_strbuf out = TSH_STRBUF_INIT;
	struct tsh_strlist lines = { 0 };
	size_t i;

	tsh_lines_split(text, &lines);
	for (i = 0; i < lines.n; i++) {
		char *line = tsh_line_text(cls, lines.v[i]);

		if (out.len)
			tsh_strbuf_addc(&out, '\n');
		tsh_strbuf_adds(&out, line);
		free(line);
	}
	tsh_strlist_release(&lines);
	return tsh_strbuf_detach(&out);
}

static bool is_list(const struct tsh_file_class *cls)
{
	return cls->compare == TSH_SAME_LINES || cls->compare == TSH_SAME_TRIGGERS ||
	       cls->compare == TSH_SAME_FUNCTIONS || cls->compare == TSH_SAME_PIDS;
}

/* Says whether an event has no filter: "none", or the message of a filter that the kernel
 * refused. */
static bool is_no_filter(const char *text)
{
	return !strcmp(text, "none") || strstr(text, "\nparse_error: ") ||
	       strstr(text, "^\nError: (");
}

char *tsh_class_normalize(const struct tsh_file_class *cls, const char *text)
{
	struct tsh_strbuf out = TSH_STRBUF_INIT;
	uint64_t bit;

	if (cls->compare == TSH_SAME_CHOICE)
		return chosen(text);
	if (cls->compare == TSH_SAME_SIZE && *text != 'X')
		return buffer_size(text);
	if (is_list(cls))
		return list_text(cls, text);
	if (cls->compare == TSH_SAME_FILTER && is_no_filter(text))
		return tsh_xstrdup("0");
	tsh_strbuf_adds(&out, text);
	tsh_strbuf_rtrim(&out);
	if (cls->compare == TSH_SAME_BIT && out.len && out.buf[out.len - 1] == '*')
		tsh_strbuf_truncate(&out, out.len - 1);
	/* The kernel takes any number, and reads back 1. */
	if (cls->compare == TSH_SAME_BIT && !tsh_parse_kernel(out.buf, 10, &bit)) {
		tsh_strbuf_clear(&out);
		tsh_strbuf_addc(&out, bit ? '1' : '0');
	}
	return tsh_strbuf_detach(&out);
}

char *tsh_size_of_cpu(const char *text, int cpu)
{
	struct tsh_strlist lines = { 0 };
	char *start, *size = NULL;
	size_t i;

	if (*text != 'X')
		return tsh_class_normalize(tsh_file_class("buffer_size_kb"), text);
	start = tsh_xasprintf("%d ", cpu);
	tsh_lines_split(text, &lines);
	for (i = 1; i < lines.n && !size; i++)
		if (!strncmp(lines.v[i], start, strlen(start)))
			size = tsh_xstrdup(lines.v[i] + strlen(start));
	tsh_strlist_release(&lines);
	free(start);
	return size;
}

static bool same_masks(const char *a, const char *b)
{
	struct tsh_cpuset x = { 0 }, y = { 0 };
	struct tsh_strbuf xs = TSH_STRBUF_INIT, ys = TSH_STRBUF_INIT;
	bool same = !strcmp(a, b);

	if (!tsh_cpuset_parse_mask(a, &x) && !tsh_cpuset_parse_mask(b, &y)) {
		tsh_cpuset_format_list(&x, &xs);
		tsh_cpuset_format_list(&y, &ys);
		same = !strcmp(xs.buf, ys.buf);
	}
	tsh_cpuset_release(&x);
	tsh_cpuset_release(&y);
	tsh_strbuf_release(&xs);
	tsh_strbuf_release(&ys);
	return same;
}

static bool same_sizes(const char *a, const char *b);

/* Compares a list of the sizes of CPUs with another list, or with one size for all CPUs. */
static bool same_lists_of_sizes(const char *list, const char *other)
{
	struct tsh_strlist lines = { 0 };
	bool same = true;
	const char *end;
	uint64_t cpu;
	char *size;
	size_t i;

	tsh_lines_split(list, &lines);
	for (i = 1; i < lines.n && same; i++) {
		end = lines.v[i];
		size = tsh_parse_u64_prefix(&end, &cpu) && cpu <= INT_MAX && *end == ' ' ?
			       tsh_size_of_cpu(other, (int)cpu) : NULL;
		same = size && same_sizes(end + 1, size);
		free(size);
	}
	same = same && lines.n > 1;
	tsh_strlist_release(&lines);
	return same;
}

/* Compares sizes in KB. A buffer has whole pages, and each page holds less than its size. */
static bool same_sizes(const char *a, const char *b)
{
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE) / 1024, x, y;

	if (!strcmp(a, b))
		return true;
	if (*a == 'X')
		return same_lists_of_sizes(a, b) && (*b != 'X' || same_lists_of_sizes(b, a));
	if (*b == 'X')
		return same_lists_of_sizes(b, a);
	if (tsh_parse_kernel(a, 10, &x) < 0 || tsh_parse_kernel(b, 10, &y) < 0)
		return false;
	return x == y || (x > y ? x - y : y - x) < page;
}

bool tsh_class_equal(const struct tsh_file_class *cls, const char *wanted, const char *now)
{
	char *a, *b;
	bool same;

	if (cls->compare == TSH_SAME_PIDS || cls->compare == TSH_SAME_ANY)
		return true;
	if (is_list(cls))
		return tsh_lines_same(cls, wanted, now);
	a = tsh_class_normalize(cls, wanted);
	b = tsh_class_normalize(cls, now);
	if (cls->compare == TSH_SAME_MASK)
		same = same_masks(a, b);
	else if (cls->compare == TSH_SAME_SIZE)
		same = same_sizes(a, b);
	else
		same = !strcmp(a, b);
	free(a);
	free(b);
	return same;
}

/* ---- whose value it is now ---- */

/* Compares only our own lines: those that our write added, and those that it removed. */
static enum tsh_standing lines_standing(const struct tsh_file_class *cls,
					const struct tsh_strlist *before,
					const struct tsh_strlist *after,
					const struct tsh_strlist *now)
{
	struct tsh_strlist added = { 0 }, removed = { 0 }, gone = { 0 }, missing = { 0 };
	bool theirs = false, ours;
	size_t i;

	tsh_lines_without(cls, after, before, &added);
	tsh_lines_without(cls, before, after, &removed);
	tsh_lines_removed_since(cls, &added, &removed, now, &gone);
	tsh_lines_without(cls, &removed, now, &missing);
	ours = gone.n < added.n;
	for (i = 0; i < gone.n; i++)
		theirs = theirs || tsh_lines_replaced(cls, now, gone.v[i]);
	for (i = 0; i < missing.n; i++) {
		bool replaced = tsh_lines_replaced(cls, now, missing.v[i]) &&
				!tsh_lines_replaced(cls, after, missing.v[i]);

		/* Our write only paused or continued this histogram; `added` has its other line,
		 * which was counted above. */
		if (tsh_lines_twin(cls, &added, missing.v[i]))
			continue;
		theirs = theirs || replaced;
		ours = ours || !replaced;
	}
	tsh_strlist_release(&added);
	tsh_strlist_release(&removed);
	tsh_strlist_release(&gone);
	tsh_strlist_release(&missing);
	return ours ? TSH_STANDS_OURS : theirs ? TSH_STANDS_THEIRS : TSH_STANDS_BEFORE;
}

/* Compares lists of tasks. The kernel removes tasks that exit, and adds children. So a list is
 * somebody else's only when it has none of our pids any more, although one of these tasks still
 * runs. */
static enum tsh_standing pids_standing(const struct tsh_file_class *cls, const struct tsh_strlist *before,
				       const struct tsh_strlist *after, const struct tsh_strlist *now)
{
	struct tsh_strlist gone = { 0 }, came = { 0 };
	bool left, as_before, alive = false;
	size_t i;

	tsh_lines_without(cls, after, now, &gone);
	tsh_lines_without(cls, now, before, &came);
	left = gone.n < after->n;
	as_before = before->n == now->n && !came.n;
	for (i = 0; i < after->n && !left && !alive; i++)
		alive = tsh_pid_is_alive(after->v[i]);
	tsh_strlist_release(&gone);
	tsh_strlist_release(&came);
	if (!now->n || left || as_before || (after->n && !alive))
		return TSH_STANDS_OURS;
	return TSH_STANDS_THEIRS;
}

static enum tsh_standing list_standing(const struct tsh_file_class *cls, bool as_pids,
				       const char *before, const char *after, const char *now)
{
	struct tsh_strlist b = { 0 }, a = { 0 }, n = { 0 };
	enum tsh_standing standing;

	tsh_lines_split(before, &b);
	tsh_lines_split(after ? after : now, &a);
	tsh_lines_split(now, &n);
	if (as_pids)
		standing = pids_standing(cls, &b, &a, &n);
	else
		standing = lines_standing(cls, &b, &a, &n);
	tsh_strlist_release(&b);
	tsh_strlist_release(&a);
	tsh_strlist_release(&n);
	return standing;
}

enum tsh_standing tsh_lines_standing(const struct tsh_file_class *cls, const char *before,
				     const char *after, const char *now)
{
	return list_standing(cls, false, before, after, now);
}

/* Says whether `now` is exactly the size after our write, and not exactly the size before it. Sizes
 * that differ by less than a page are equal for tsh_class_equal, but not here. */
static bool is_this_size(const struct tsh_file_class *cls, const char *before, const char *after,
			 const char *now)
{
	char *b, *a, *n;
	bool is;

	if (cls->compare != TSH_SAME_SIZE || !after)
		return false;
	b = tsh_class_normalize(cls, before);
	a = tsh_class_normalize(cls, after);
	n = tsh_class_normalize(cls, now);
	is = !strcmp(a, n) && strcmp(b, n) != 0;
	free(b);
	free(a);
	free(n);
	return is;
}

/* Says whether each CPU's buffer has the size from before or from after: a process that was killed
 * during resizing has changed only some of them. */
static bool is_half_resized(const struct tsh_file_class *cls, const char *before, const char *after,
			    const char *now)
{
	struct tsh_strlist lines = { 0 };
	bool is = cls->compare == TSH_SAME_SIZE && *now == 'X';
	size_t i;

	tsh_lines_split(now, &lines);
	for (i = 1; i < lines.n && is; i++) {
		int cpu = (int)strtol(lines.v[i], NULL, 10);
		char *old = tsh_size_of_cpu(before, cpu), *new = tsh_size_of_cpu(after, cpu);
		char *size = tsh_size_of_cpu(now, cpu);

		is = old && new && size && (same_sizes(old, size) || same_sizes(new, size));
		free(old);
		free(new);
		free(size);
	}
	tsh_strlist_release(&lines);
	return is;
}

enum tsh_standing tsh_class_standing(const struct tsh_file_class *cls, const char *before,
				     const char *after, const char *now)
{
	if (cls->compare == TSH_SAME_PIDS || (cls->flags & TSH_CLASS_ADD_ONLY))
		return list_standing(cls, cls->compare == TSH_SAME_PIDS, before, after, now);
	if (cls->compare == TSH_SAME_ANY || is_this_size(cls, before, after, now))
		return TSH_STANDS_OURS;
	/* The message of a refused filter means "no filter", but has to be removed: it is not
	 * BEFORE. */
	if (tsh_class_equal(cls, before, now) &&
	    !(cls->compare == TSH_SAME_FILTER && is_no_filter(now) && strcmp(now, "none") != 0 &&
	      strcmp(now, before) != 0))
		return TSH_STANDS_BEFORE;
	return !after || tsh_class_equal(cls, after, now) || is_half_resized(cls, before, after, now) ?
		       TSH_STANDS_OURS : TSH_STANDS_THEIRS;
}
