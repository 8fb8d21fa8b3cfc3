/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cmd/commands.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/state/save-file.h"
#include "engine/state/state.h"
#include "kernel/tracefs/size.h"
#include "session/util.h"

/* Declares diff: compares two saves, or a save and the present settings. */

/* ---- what is compared ---- */

/* Compares the names of instances. NULL is the same as "top": a state without sections has no
 * names. */
static int compare_names(const char *a, const char *b)
{
	return strcmp(a ? a : "top", b ? b : "top");
}

static int compare_keys(const struct tsh_state_item *a, const struct tsh_state_item *b)
{
	int r = compare_names(a->instance, b->instance);

	if (!r)
		r = strcmp(a->path, b->path);
	/* Compares each line of a list as a setting of its own. */
	if (!r)
		r = a->line - b->line;
	return !r && a->line ? strcmp(a->value, b->value) : r;
}

static int compare_items(const void *a, const void *b)
{
	const struct tsh_state_item *const *x = a, *const *y = b;

	return compare_keys(*x, *y);
}

/* Holds the items of a state sorted by key, without remarks; of equal keys only the last one. */
struct index {
	const struct tsh_state_item **v;
	size_t n;
};

static void sort_items(const struct tsh_state *state, struct index *ret)
{
	size_t i, n = 0;

	ret->v = tsh_xcalloc(state->items.n + 1, sizeof(struct tsh_state_item *));
	for (i = 0; i < state->items.n; i++)
		if (*state->items.v[i].path)
			ret->v[n++] = &state->items.v[i];
	qsort(ret->v, n, sizeof(*ret->v), compare_items);
	for (i = 0, ret->n = 0; i < n; i++) {
		if (ret->n && !compare_keys(ret->v[ret->n - 1], ret->v[i])) {
			if (ret->v[i] > ret->v[ret->n - 1])
				ret->v[ret->n - 1] = ret->v[i];
		} else {
			ret->v[ret->n++] = ret->v[i];
		}
	}
}

/* ---- the differences ---- */

struct difference {
	struct tsh_session *s;
	struct tsh_table *table;	/* NULL: prints lines */
	const char *names[2];
	const char *instance;		/* of the last line */
	size_t n;
};

/* Prints the names of both states first, and a line where another instance begins. */
static void print_section(struct difference *d, const char *instance)
{
	if (!d->n) {
		tsh_out_line(d->s->out, "--- %s", d->names[0]);
		tsh_out_line(d->s->out, "+++ %s", d->names[1]);
	}
	if (instance && (!d->instance || strcmp(instance, d->instance))) {
		tsh_out_line(d->s->out, "@@ instance %s", instance);
		d->instance = instance;
	}
}

static void print_line(struct difference *d, char sign, const struct tsh_state_item *item)
{
	struct tsh_strbuf text = TSH_STRBUF_INIT;

	tsh_state_print_item(item, &text);
	tsh_out_line(d->s->out, "%c%s", sign, text.buf);
	tsh_strbuf_release(&text);
}

/* Prints one difference; old or new can be NULL, but not both. */
static void print_difference(struct difference *d, const struct tsh_state_item *old,
			     const struct tsh_state_item *new)
{
	const struct tsh_state_item *one = old ? old : new;

	if (!d->table) {
		print_section(d, one->instance);
		if (old)
			print_line(d, '-', old);
		if (new)
			print_line(d, '+', new);
	} else {
		tsh_table_texts(d->table, one->instance, one->path, old ? old->value : NULL,
				new ? new->value : NULL);
	}
	d->n++;
}

/* Returns the size of an instance's sub-buffers that a state sets, in KB; a page where it sets
 * none. */
static uint64_t subbuf_of(const struct tsh_state *state, const char *instance)
{
	uint64_t kb = (uint64_t)sysconf(_SC_PAGESIZE) / 1024;
	size_t i;

	for (i = 0; i < state->items.n; i++)
		if (!strcmp(state->items.v[i].path, "buffer_subbuf_size_kb") &&
		    !compare_names(state->items.v[i].instance, instance))
			(void)tsh_parse_kernel(state->items.v[i].value, 10, &kb);
	return kb ? kb : 1;
}

/* Says whether the kernel rounds both sizes to the same one. subbuf: the size of sub-buffers in KB.
 * A present buffer is not rounded again when the size of sub-buffers changes. */
static bool same_size(const char *a, const char *b, uint64_t subbuf)
{
	uint64_t x, y;

	return !tsh_parse_kernel(a, 10, &x) && !tsh_parse_kernel(b, 10, &y) && x < UINT32_MAX && y < UINT32_MAX &&
	       subbuf < UINT32_MAX && tsh_rounded_size(x, subbuf) == tsh_rounded_size(y, subbuf);
}

static bool same_value(const struct tsh_state_item *a, const struct tsh_state_item *b, const struct tsh_state *state)
{
	const struct tsh_file_class *cls = tsh_file_class(a->path);

	if (!strcmp(a->value, b->value))
		return true;
	if (cls->compare == TSH_SAME_SIZE)
		return same_size(a->value, b->value, subbuf_of(state, b->instance));
	/* Compares masks by their CPUs, as their texts can differ. */
	return cls->compare == TSH_SAME_MASK && tsh_class_equal(cls, a->value, b->value);
}

static void compare(struct difference *d, const struct tsh_state *old,
		    const struct tsh_state *new)
{
	struct index a, b;
	size_t i = 0, k = 0;
	int order;

	sort_items(old, &a);
	sort_items(new, &b);
	while (i < a.n || k < b.n) {
		if (i < a.n && k < b.n)
			order = compare_keys(a.v[i], b.v[k]);
		else
			order = i < a.n ? -1 : 1;
		if (order < 0)
			print_difference(d, a.v[i++], NULL);
		else if (order > 0)
			print_difference(d, NULL, b.v[k++]);
		else if (!same_value(a.v[i++], b.v[k++], new))
			print_difference(d, a.v[i - 1], b.v[k - 1]);
	}
	free(a.v);
	free(b.v);
}

/* ---- where the two come from ---- */

/* Names the event that a word without a system means, where there is only one. */
static void hint_event(struct tsh_session *s, const char *word, size_t len, struct tsh_err *err)
{
	struct tsh_events all = { 0 };
	struct tsh_err ignored = { 0 };
	const struct tsh_event *one = NULL;
	size_t i, n = 0;
	char *full;

	while (len && (*word == ' ' || *word == '\t')) {
		word++;
		len--;
	}
	if (s->dir && tsh_events_available(s->dir, &all, &ignored) == 0)
		for (i = 0; i < all.n; i++)
			if (strlen(all.v[i].name) == len && !memcmp(all.v[i].name, word, len)) {
				one = &all.v[i];
				n++;
			}
	if (n == 1) {
		full = tsh_xasprintf("%s:%s", one->system, one->name);
		tsh_err_hint_word(err, "write ", full, "");
		free(full);
	}
	tsh_events_release(&all);
	tsh_err_release(&ignored);
}

static int load(struct tsh_session *s, const struct tsh_value *file, struct tsh_state *ret,
		struct tsh_err *err)
{
	struct tsh_strbuf text = TSH_STRBUF_INIT;
	int r = tsh_save_file_read(s->waiter, file->word.text, &text, err);

	if (!r) {
		r = tsh_state_parse(s->waiter, text.buf, text.len, ret, err);
		if (r < 0 && !ret->stopped) {
			struct tsh_place place = tsh_place_of(text.buf, text.len, err->span.begin, NULL);
			char *hint;

			if (!err->hint && strstr(err->message, "is no event"))
				hint_event(s, text.buf + err->span.begin,
					   err->span.end - err->span.begin, err);
			hint = err->hint ? tsh_xstrdup(err->hint) : NULL;
			tsh_err_set(err, TSH_USAGE, "%s:%u: %s", file->word.text, place.line,
				    err->message);
			if (hint)
				tsh_err_hint(err, "%s", hint);
			free(hint);
			err->span = file->word.span;
		}
	}
	if (ret->stopped && tsh_wait(s->waiter, NULL, 0, 0) == TSH_WAIT_ABORT)
		s->aborted = true;
	tsh_err_blame(err, file->word.span);
	tsh_strbuf_release(&text);
	return r;
}

static int read_now(struct tsh_session *s, bool all, struct tsh_state *ret, struct tsh_err *err)
{
	if (s->dir && all && tsh_state_read_all(s->dir, ret, err) < 0)
		return -1;
	if (s->dir && !all)
		tsh_state_read(s->in, NULL, ret);
	if (s->dir) {
		tsh_state_note_unread(s, ret);
		if (tsh_state_finish(s, ret, err) == 0)
			return 0;
		/* Sets 2, as 1 means that they differ. */
		err->status = TSH_USAGE;
		return -1;
	}
	tsh_err_set(err, TSH_USAGE, "%s", s->dir_err.message);
	if (s->dir_err.hint)
		tsh_err_hint(err, "%s", s->dir_err.hint);
	return -1;
}

static void print_all(struct tsh_session *s, const struct tsh_state *old,
		      const struct tsh_state *new, struct difference *d)
{
	static const struct tsh_column columns[] = {
		{ "instance", TSH_COLUMN_TEXT }, { "file", TSH_COLUMN_TEXT },
		{ "before", TSH_COLUMN_TEXT }, { "after", TSH_COLUMN_TEXT }, { 0 }
	};

	if (s->out->format == TSH_FORMAT_JSON || s->out->format == TSH_FORMAT_CSV)
		d->table = tsh_table_begin(s->out, "difference", columns);
	compare(d, old, new);
	if (d->table)
		tsh_table_end(d->table);
	/* Sets $? as diff(1) does: a difference is no failure. */
	s->run_status = d->n ? 1 : 0;
}

static int diff_run(struct tsh_session *s, const struct tsh_call *call, struct tsh_err *err)
{
	const struct tsh_value *first = tsh_args_get(&call->args, "FILE");
	const struct tsh_value *second = tsh_args_get(&call->args, "OTHER");
	struct difference d = { .s = s, .names = { "as the kernel starts", "now" } };
	struct tsh_state old = { 0 }, new = { 0 };
	int r = 0;

	if (first) {
		d.names[0] = first->word.text;
		r = load(s, first, &old, err);
	}
	if (!r && second) {
		d.names[1] = second->word.text;
		r = load(s, second, &new, err);
	} else if (!r) {
		r = read_now(s, old.instances.n > 0, &new, err);
		if (!r && first && s->dir->kind != TSH_DIR_TREE) {
			tsh_state_drop_ended(&old, false);
			tsh_state_drop_ended(&new, false);
		}
	}
	if (!r)
		print_all(s, &old, &new, &d);
	tsh_state_release(&old);
	tsh_state_release(&new);
	return r;
}

static const struct tsh_arg diff_args[] = {
	{ .name = "FILE", .type = TSH_ARG_FILE, .flags = TSH_ARG_OPTIONAL,
	  .help = "what save wrote; - is stdin; none: the settings that a kernel starts with" },
	{ .name = "OTHER", .type = TSH_ARG_FILE, .flags = TSH_ARG_OPTIONAL,
	  .help = "what save wrote at another time; none: the settings as they are now" },
	{ 0 }
};

static const struct tsh_example diff_examples[] = {
	{ "diff", "what is set here at all" },
	{ "try diff before.tsh", "what has changed since: save before.tsh" },
	{ 0 }
};

const struct tsh_cmd tsh_cmd_diff = {
	.name = "diff", .group = TSH_GROUP_SESSION,
	.summary = "compare a save with the settings, or with another save",
	.description = "Lines of - and +, each a command: - is what was, + what is. A setting that "
		       "stands on one side only is as the kernel starts on the other.\n"
		       "The status is that of diff(1): 0 the same, 1 different, 2 trouble.",
	.see_also = "save",
	.args = diff_args, .examples = diff_examples,
	.flags = TSH_CMD_PRINTS | TSH_CMD_PAGES,
	.run = diff_run,
};
