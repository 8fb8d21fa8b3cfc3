/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "engine/diagnose/caps.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/machine.h"
#include "base/xmalloc.h"
#include "cmd/commands.h"
#include "engine/probe/probe.h"
#include "library/library.h"
#include "session/names.h"
#include "session/own-instance.h"

/* Declares caps: lists what this kernel can do, and what it lacks for the rest. */

/* Holds what is read once for all rows. */
struct reading {
	struct tsh_session *session;
	struct tsh_instance *top;
	char *readme;
	struct tsh_strlist tracers, clocks, options;
	unsigned int version;	/* tsh_kernel_version; 0: not known, of a recording */
};

static int begin_reading(struct reading *r, struct tsh_session *s, struct tsh_err *err)
{
	struct tsh_session top = { .dir = s->dir };

	*r = (struct reading){ .session = s, .version = tsh_kernel_version() };
	if (tsh_instance_open(s->dir, NULL, &r->top, err) < 0)
		return -1;
	top.in = r->top;
	r->readme = tsh_file_text(r->top, "README");
	tsh_names_tracers(&top, &r->tracers);
	tsh_names_clocks(&top, &r->clocks);
	tsh_names_options(&top, &r->options);
	return 0;
}

static void end_reading(struct reading *r)
{
	tsh_strlist_release(&r->tracers);
	tsh_strlist_release(&r->clocks);
	tsh_strlist_release(&r->options);
	free(r->readme);
	tsh_instance_close(r->top);
}

/* Says whether the machine's policy refuses the file: it may refuse reading and writing to root,
 * too. */
static bool is_refused(const struct reading *r, const struct tsh_cap *cap)
{
	int fd = cap->how == TSH_CAP_FILE ? tsh_file_open(r->top, cap->what, 0) : -ENOENT;

	if (fd >= 0)
		close(fd);
	return fd == -EPERM;
}

/* Says whether modules are missing: tracefs' README names them in any case. */
static bool lacks_modules(const struct tsh_cap *cap)
{
	return cap->needs && !strcmp(cap->needs, "CONFIG_MODULES") && !access("/proc/self", F_OK) &&
	       access("/proc/modules", F_OK);
}

static bool has(const struct reading *r, const struct tsh_cap *cap)
{
	switch (cap->how) {
	case TSH_CAP_FILE:
		return tsh_file_exists(r->top, cap->what) && !is_refused(r, cap);
	case TSH_CAP_README:
		return r->readme && strstr(r->readme, cap->what) && !lacks_modules(cap);
	case TSH_CAP_TRACER:
		return tsh_strlist_has(&r->tracers, cap->what);
	case TSH_CAP_CLOCK:
		return tsh_strlist_has(&r->clocks, cap->what);
	case TSH_CAP_OPTION:
		return tsh_strlist_has(&r->options, cap->what);
	case TSH_CAP_PATH:
		return !access(cap->what, R_OK);
	case TSH_CAP_SYMBOL:
		return tsh_symbol_exists(cap->what) > 0;
	default:
		return r->version >= cap->since;
	}
}

/* Returns the reason why it is not known whether the kernel has the capability: /proc or /sys is
 * not mounted, or /proc/kallsyms cannot be read. NULL: it is known. */
static const char *unknown(const struct tsh_cap *cap)
{
	if (cap->how == TSH_CAP_SYMBOL)
		return tsh_symbol_exists(cap->what) < 0 ? "/proc/kallsyms cannot be read" : NULL;
	if (cap->how != TSH_CAP_PATH)
		return NULL;
	if (!strncmp(cap->what, "/proc/", 6))
		return access("/proc/self", F_OK) ? "/proc is not mounted" : NULL;
	return access("/sys/kernel", F_OK) ? "/sys is not mounted" : NULL;
}

/* Returns what the kernel lacks for the capability; the caller frees it. */
static char *missing(const struct reading *r, const struct tsh_cap *cap)
{
	if (is_refused(r, cap))
		return tsh_xstrdup("a policy of this machine that lets root have it");
	if (r->version < cap->since)
		return tsh_xasprintf("Linux %u.%u%s%s", cap->since >> 16, cap->since >> 8 & 255,
				     cap->needs ? ", " : "", cap->needs ? cap->needs : "");
	return tsh_xstrdup(cap->needs ? cap->needs : "not in this kernel");
}

static bool is_wanted(const struct tsh_call *call, const struct tsh_cap *cap)
{
	const struct tsh_value *word = NULL;

	while ((word = tsh_args_next(&call->args, "WORD", word)))
		if (!strcasestr(cap->group, word->word.text) &&
		    !strcasestr(cap->name, word->word.text) &&
		    !strcasestr(cap->summary, word->word.text) &&
		    !(cap->needs && strcasestr(cap->needs, word->word.text)))
			return false;
	return true;
}

/* Adds a row for each library that was asked for. Returns how many. */
static size_t add_libraries(const struct reading *r, struct tsh_table *table, const struct tsh_call *call,
			    bool with_tried)
{
	const struct tsh_library *library;
	size_t n = 0;

	for (library = tsh_libraries; library->name; library++) {
		struct tsh_cap cap = { .group = "libraries", .name = library->name, .summary = library->does };
		char *text = tsh_library_text(library, r->top->dir->path);

		if (is_wanted(call, &cap)) {
			tsh_table_texts(table, cap.group, cap.name, library->built ? "yes" : "no", text,
					library->built ? "" : library->needs);
			if (with_tried)
				tsh_table_text(table, "");
			n++;
		}
		free(text);
	}
	return n;
}

static void add_row(struct tsh_table *table, const struct reading *r, const struct tsh_cap *cap,
		    struct tsh_instance *own)
{
	bool can = has(r, cap);
	const char *why;
	/* Tries it: the kernel of a vendor can do more than its version tells. */
	char *tried = own && (can || cap->how == TSH_CAP_VERSION) ? tsh_cap_try(r->session, own, cap) : NULL;
	char *text;

	can = can || (tried && !strcmp(tried, "works"));
	why = can ? NULL : unknown(cap);
	text = can ? NULL : why ? tsh_xstrdup(why) : missing(r, cap);
	tsh_table_texts(table, cap->group, cap->name, can ? "yes" : why ? "?" : "no", cap->summary,
			text ? text : "");
	free(text);
	if (own)
		tsh_table_text(table, tried ? tried : "");
	free(tried);
}

/* Says that lockdown is on: it limits all rows. */
static void note_lockdown(struct tsh_session *s)
{
	char text[128];
	const char *on;

	if (!tsh_read_small("/sys/kernel/security/lockdown", text, sizeof(text)))
		return;
	on = strchr(text, '[');
	if (on && strncmp(on, "[none]", strlen("[none]")) != 0)
		tsh_out_note(s->out, "the kernel is locked down (%.*s): probes and more are refused",
			     (int)strcspn(on + 1, "]"), on + 1);
}

static int print(const struct reading *r, const struct tsh_call *call, struct tsh_instance *own)
{
	static const struct tsh_column columns[] = {
		{ "group", TSH_COLUMN_TEXT }, { "capability", TSH_COLUMN_TEXT },
		{ "have", TSH_COLUMN_TEXT }, { "for", TSH_COLUMN_TEXT },
		{ "needs", TSH_COLUMN_TEXT }, { 0 }
	};
	static const struct tsh_column tried[] = {
		{ "group", TSH_COLUMN_TEXT }, { "capability", TSH_COLUMN_TEXT },
		{ "have", TSH_COLUMN_TEXT }, { "for", TSH_COLUMN_TEXT },
		{ "needs", TSH_COLUMN_TEXT }, { "tried", TSH_COLUMN_TEXT }, { 0 }
	};
	struct tsh_table *table = tsh_table_begin(r->session->out, "capability",
						  own ? tried : columns);
	const struct tsh_cap *cap;
	size_t found = 0;

	for (cap = tsh_caps; cap->name; cap++)
		if (is_wanted(call, cap) && !r->session->aborted) {
			add_row(table, r, cap, own);
			found++;
		}
	found += add_libraries(r, table, call, own != NULL);
	tsh_table_end(table);
	return found ? 0 : -1;
}

static int caps_run(struct tsh_session *s, const struct tsh_call *call, struct tsh_err *err)
{
	const struct tsh_value *word = tsh_args_get(&call->args, "WORD");
	bool tries = tsh_args_has(&call->args, "try");
	struct tsh_instance *own = NULL;
	struct reading r;
	int result = 0;

	if (begin_reading(&r, s, err) < 0)
		return -1;
	if (tries && tsh_instance_create_own(s->dir, &own, err) < 0) {
		end_reading(&r);
		return -1;
	}
	if (print(&r, call, own) < 0) {
		bool are_many = tsh_args_count(&call->args, "WORD") > 1;

		tsh_err_at(err, word->word.span, are_many ? "no capability is about '%s' and the other words, too" :
							    "no capability is about '%s'", word->word.text);
		err->status = TSH_FAILED;
		tsh_err_hint(err, are_many ? "a line has to have all of the words: ask for one after the other" : "caps lists all");
		result = -1;
	}
	if (own)
		tsh_own_close(s, own);
	note_lockdown(s);
	end_reading(&r);
	return result;
}

static const struct tsh_arg caps_args[] = {
	{ .name = "try", .option = "--try", .type = TSH_ARG_FLAG,
	  .help = "do it, in an instance of its own that goes again: does it work?" },
	{ .name = "WORD", .type = TSH_ARG_WORD, .flags = TSH_ARG_OPTIONAL | TSH_ARG_MANY,
	  .help = "those about it; of several words all" },
	{ 0 }
};

static const struct tsh_example caps_examples[] = {
	{ "caps", "all of it" },
	{ "caps probes", "of one group" },
	{ "try caps --try clocks", "whether they can be set" },
	{ 0 }
};

const struct tsh_cmd tsh_cmd_caps = {
	.name = "caps", .group = TSH_GROUP_FIND,
	.summary = "say what this kernel can do, and what it would need",
	.description = "By reading: nothing is written. What is missing stands with the version "
		       "of Linux that has it, the option of its configuration, or the boot "
		       "parameter.",
	.see_also = "doctor status",
	.args = caps_args, .examples = caps_examples,
	.flags = TSH_CMD_NEEDS_TRACEFS | TSH_CMD_PRINTS | TSH_CMD_PAGES | TSH_CMD_LIVE,
	.run = caps_run,
};
