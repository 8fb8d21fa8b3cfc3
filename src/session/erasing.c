/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "erasing.h"

#include <stdlib.h>
#include <string.h>

#include "ask.h"
#include "kernel/tracefs/trigger.h"
#include "read-ahead.h"
#include "util.h"

static bool is_live(const struct tsh_dir *dir)
{
	return dir->kind != TSH_DIR_TREE && !dir->dry;
}

static void count_events(struct tsh_erasing *e, const struct tsh_instance *in)
{
	bool snapshot = e->what & (TSH_ERASES_SNAPSHOT | TSH_ERASES_SNAPSHOT_SOME | TSH_ERASES_ELSEWHERE);
	struct tsh_erasing_counts *held = tsh_vec_push(&e->held);

	*held = (struct tsh_erasing_counts){
		.instance = in->name ? tsh_xstrdup(in->name) : NULL, .entries = tsh_cmd_entries(in),
		.written = tsh_cmd_written(in), .overrun = tsh_cmd_overrun(in),
		.snapshot = snapshot ? tsh_snapshot_entries(in) : 0,
	};
}

static uint64_t subbuf_of(const struct tsh_instance *in)
{
	return tsh_file_number(in, "buffer_subbuf_size_kb", 0);
}

void tsh_erasing_begin(struct tsh_erasing *e, const struct tsh_instance *in, unsigned int what)
{
	struct tsh_strlist names = { 0 };
	size_t i;

	*e = (struct tsh_erasing){ .what = is_live(in->dir) ? what : 0 };
	if (!e->what)
		return;
	e->subbuf = subbuf_of(in);
	if (!(what & TSH_ERASES_ELSEWHERE)) {
		count_events(e, in);
		return;
	}
	tsh_instance_list(in->dir, &names);
	for (i = 0; i < names.n + 1; i++) {
		const char *name = i ? names.v[i - 1] : NULL;
		struct tsh_instance *each;

		if ((name && tsh_instance_owner(name)) || tsh_instance_open_any(in->dir, name, &each) < 0)
			continue;
		count_events(e, each);
		tsh_instance_close(each);
	}
	tsh_strlist_release(&names);
}

/* Returns how many events of the buffer the change has erased. */
static uint64_t count_erased(const struct tsh_erasing *e, const struct tsh_erasing_counts *held,
			     const struct tsh_instance *in,
			     bool is_sure)
{
	uint64_t overrun, now;

	if (e->what & TSH_ERASES_SOME) {
		overrun = tsh_cmd_overrun(in);
		return overrun > held->overrun ? overrun - held->overrun : 0;
	}
	if (!(e->what & (TSH_ERASES_BUFFER | TSH_ERASES_ELSEWHERE)))
		return 0;
	if (is_sure)
		return held->entries;
	now = tsh_cmd_entries(in);
	return tsh_cmd_written(in) >= held->written ? 0 : held->entries - (now < held->entries ? now : 0);
}

static void warn_of_erased(struct tsh_session *s, const char *by, const char *label, uint64_t events, uint64_t snapshot)
{
	struct tsh_strbuf text = TSH_STRBUF_INIT;

	if (!events && !snapshot)
		return;
	tsh_strbuf_addf(&text, "%s erased ", by ? by : "the change");
	if (events)
		tsh_strbuf_addf(&text, "%llu event%s of '%s'", (unsigned long long)events, tsh_plural(events), label);
	if (events && snapshot)
		tsh_strbuf_addf(&text, " and %llu of its snapshot", (unsigned long long)snapshot);
	else if (snapshot)
		tsh_strbuf_addf(&text, "%llu event%s of the snapshot of '%s'", (unsigned long long)snapshot,
				tsh_plural(snapshot), label);
	tsh_cmd_warn_or_store(s, &text);
	tsh_strbuf_release(&text);
}

static void compare(struct tsh_session *s, const struct tsh_erasing *e, const struct tsh_erasing_counts *held,
		    bool is_sure)
{
	struct tsh_instance *in;
	uint64_t events, snapshot = 0;

	if (tsh_instance_open_any(s->dir, held->instance, &in) < 0)
		return;
	events = count_erased(e, held, in, is_sure);
	if (held->snapshot)
		snapshot = tsh_snapshot_entries(in);
	snapshot = is_sure && e->what & TSH_ERASES_SNAPSHOT ? held->snapshot :
		   held->snapshot > snapshot		      ? held->snapshot - snapshot : 0;
	if (events && !(e->what & TSH_ERASES_SOME))
		tsh_reader_drop(s, held->instance);
	warn_of_erased(s, e->by, tsh_instance_label(in), events, snapshot);
	tsh_instance_close(in);
}

void tsh_erasing_end(struct tsh_session *s, struct tsh_erasing *e, bool is_sure)
{
	size_t i;

	for (i = 0; i < e->held.n; i++) {
		compare(s, e, &e->held.v[i], is_sure);
		free(e->held.v[i].instance);
	}
	tsh_vec_release(&e->held);
}

void *tsh_cmd_watch_removal(struct tsh_session *s, const struct tsh_instance *in, void *held)
{
	struct tsh_erasing *e = held;

	if (e) {
		tsh_erasing_end(s, e, false);
		free(e);
		return NULL;
	}
	e = tsh_xcalloc(1, sizeof(*e));
	tsh_erasing_begin(e, in, TSH_ERASES_ELSEWHERE);
	e->by = "taking a probe back";
	return e;
}

/* Reports how many rows of the histogram the change has erased. */
static void warn_of_rows(struct tsh_session *s, const struct tsh_instance *in, const char *path, uint64_t rows)
{
	struct tsh_strbuf text = TSH_STRBUF_INIT;
	char *event = rows ? tsh_trigger_event(path) : NULL;

	if (!rows)
		return;
	tsh_strbuf_addf(&text, "the change erased %llu row%s of the histogram of '%s' in '%s'", (unsigned long long)rows,
			tsh_plural(rows), event, tsh_instance_label(in));
	tsh_cmd_warn_or_store(s, &text);
	tsh_strbuf_release(&text);
	free(event);
}

uint64_t tsh_cmd_count_names(const struct tsh_session *s)
{
	struct tsh_strlist names = { 0 };
	struct tsh_instance *in;
	uint64_t events = 0, n = 0;
	char *text = NULL;
	size_t i;

	if (!is_live(s->dir))
		return 0;
	tsh_instance_list(s->dir, &names);
	for (i = 0; i < names.n + 1; i++) {
		/* Reads the top-level instance last, which has the file with the names. */
		if (tsh_instance_open_any(s->dir, i < names.n ? names.v[i] : NULL, &in) < 0)
			continue;
		if (!events)
			events = tsh_cmd_count_unread_of(s, in) + tsh_snapshot_entries(in);
		if (events && i == names.n)
			text = tsh_file_text(in, "saved_cmdlines");
		tsh_instance_close(in);
	}
	for (i = 0; text && text[i]; i++)
		n += text[i] == '\n' || !text[i + 1];
	free(text);
	tsh_strlist_release(&names);
	return n;
}

void tsh_cmd_note_names(struct tsh_session *s, const char *what, uint64_t names)
{
	struct tsh_strbuf text = TSH_STRBUF_INIT;

	if (!names)
		return;
	tsh_strbuf_addf(&text, "%s the name%s of %llu task%s, in all instances", what, tsh_plural(names),
			(unsigned long long)names, tsh_plural(names));
	tsh_cmd_warn_or_store(s, &text);
	tsh_strbuf_release(&text);
}

int tsh_session_write_in(struct tsh_session *s, struct tsh_instance *in, const char *path, enum tsh_write_how how,
			 const char *text, struct tsh_err *err)
{
	const struct tsh_file_class *cls = tsh_file_class(path);
	struct tsh_erasing e;
	uint64_t rows, names, left = 0;
	unsigned int what;
	size_t histograms;
	bool is_sure;
	int r;

	rows = tsh_hist_rows_emptied(in, path, text, &histograms);
	what = tsh_write_erases(in, path, how, text);
	names = what & TSH_ERASES_NAMES ? tsh_cmd_count_names(s) : 0;
	tsh_erasing_begin(&e, in, what & ~(unsigned int)TSH_ERASES_NAMES);
	r = tsh_file_write(in, path, how, text, err);
	/* Takes all events as erased after such a write. After a new size of sub-buffers the
	 * kernel's counters go on, and would not show it. A size that stays the same erases no
	 * event. */
	is_sure = r > 0 && e.what && (cls->flags & TSH_CLASS_ERASES || !strcmp(path, "trace")) &&
		  (strcmp(path, "buffer_subbuf_size_kb") != 0 || subbuf_of(in) != e.subbuf);
	/* Drops what was read ahead of the erased buffer. */
	if (is_sure)
		tsh_reader_drop(s, in->name);
	tsh_erasing_end(s, &e, is_sure);
	/* Counts again only where the text may mean several histograms, of which the kernel empties
	 * one. (A single histogram may have new rows by now.) */
	if (histograms > 1)
		left = tsh_hist_rows_emptied(in, path, text, &histograms);
	if (r > 0 && rows > left)
		warn_of_rows(s, in, path, rows - left);
	if (r > 0)
		tsh_cmd_note_names(s, "the change erased", names);
	return r;
}
