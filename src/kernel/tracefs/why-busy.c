/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "why-busy.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "trigger.h"
#include "write.h"

/* Finds out why rmdir of an instance fails although no process has a file of it open: the kernel
 * counts a histogram with variables as a user (trace_events_hist.c, save_hist_vars). */

/* Says whether an attribute like "ts=common_timestamp" defines a variable: its name is none of the
 * known ones. */
static bool is_variable(const char *attribute, size_t len)
{
	static const char *const others[] = { "keys", "key", "values", "vals", "val", "sort",
					      "size", "clock", "name", NULL };
	const char *equals = memchr(attribute, '=', len);
	size_t i;

	if (!equals || memchr(attribute, '(', (size_t)(equals - attribute)))
		return false;
	for (i = 0; others[i]; i++)
		if (strlen(others[i]) == (size_t)(equals - attribute) &&
		    !memcmp(others[i], attribute, strlen(others[i])))
			return false;
	return true;
}

static bool has_variables(const struct tsh_trigger *hist)
{
	const char *p = hist->command;
	size_t len;

	for (;; p += len + 1) {
		len = strcspn(p, ":");
		if (is_variable(p, len))
			return true;
		if (!p[len])
			return false;
	}
}

/* Calls `found` for every histogram of the instance, until it returns false. */
static void each_hist(const struct tsh_instance *in,
		      bool (*found)(void *ctx, const char *path, const struct tsh_trigger *hist),
		      void *ctx)
{
	struct tsh_events events = { 0 };
	struct tsh_err ignored = { 0 };
	bool go_on = true;
	size_t i, k;

	(void)tsh_events_available(in->dir, &events, &ignored);
	tsh_err_release(&ignored);
	for (i = 0; go_on && i < events.n; i++) {
		struct tsh_triggers triggers = { 0 };
		char *path = tsh_event_path(&events.v[i], "trigger");

		(void)tsh_triggers_read(in, &events.v[i], &triggers);
		for (k = 0; go_on && k < triggers.n; k++)
			if (triggers.v[k].is_hist)
				go_on = found(ctx, path, &triggers.v[k]);
		tsh_triggers_release(&triggers);
		free(path);
	}
	tsh_events_release(&events);
}

static bool store_variables_path(void *ctx, const char *path, const struct tsh_trigger *hist)
{
	char **ret = ctx;

	if (has_variables(hist))
		*ret = tsh_xstrdup(path);
	return !*ret;
}

/* Returns the path of the trigger file of a histogram with variables, or NULL. The caller frees
 * it. */
static char *find_variables(struct tsh_dir *dir, const char *name)
{
	struct tsh_err ignored = { 0 };
	struct tsh_instance *in;
	char *path = NULL;

	if (tsh_instance_open(dir, name, &in, &ignored) < 0) {
		tsh_err_release(&ignored);
		return NULL;
	}
	each_hist(in, store_variables_path, &path);
	tsh_instance_close(in);
	return path;
}

struct removal {
	struct tsh_instance *in;
	unsigned int removed, left;
};

static bool remove_hist(void *ctx, const char *path, const struct tsh_trigger *hist)
{
	struct removal *removal = ctx;
	char *text = tsh_trigger_removal(hist);

	if (tsh_write_raw(removal->in, path, false, text) < 0)
		removal->left++;
	else
		removal->removed++;
	free(text);
	return true;
}

static void remove_hists(struct tsh_dir *dir, const char *name)
{
	struct removal removal = { .left = 1 };
	struct tsh_err ignored = { 0 };
	unsigned int round;

	if (tsh_instance_open(dir, name, &removal.in, &ignored) < 0) {
		tsh_err_release(&ignored);
		return;
	}
	/* A histogram whose variables are used by others stays busy until those are removed, so it
	 * takes several rounds. */
	for (round = 0; removal.left && (!round || removal.removed) && round < 16; round++) {
		removal.left = removal.removed = 0;
		each_hist(removal.in, remove_hist, &removal);
	}
	tsh_instance_close(removal.in);
}

/* Returns a process that has a file of the instance open, or NULL. *ret_all: all processes were
 * examined; meaningless when one was found. */
static char *find_holder(const struct tsh_dir *dir, const char *name, bool *ret_all)
{
	struct tsh_strlist holders = { 0 };
	char *holder = NULL;

	*ret_all = tsh_instance_holders(dir, name, &holders);
	if (holders.n)
		holder = tsh_xstrdup(holders.v[0]);
	tsh_strlist_release(&holders);
	return holder;
}

int tsh_instance_remove_whole(struct tsh_dir *dir, const char *name)
{
	int r = tsh_instance_remove(dir, name);
	char *holder;
	bool all;

	if (r != -EBUSY)
		return r;
	/* An open file keeps the instance in any case, so its histograms are not removed. */
	holder = find_holder(dir, name, &all);
	if (!holder) {
		remove_hists(dir, name);
		r = tsh_instance_remove(dir, name);
	}
	free(holder);
	return r;
}

char *tsh_instance_why_busy(struct tsh_dir *dir, const char *name)
{
	bool all;
	char *who = find_holder(dir, name, &all), *why = NULL;

	if (who) {
		why = tsh_xasprintf("%s has a file of it open", who);
	} else {
		who = find_variables(dir, name);
		if (who)
			why = tsh_xasprintf("%s has a histogram with variables", who);
		else if (!all)
			why = tsh_xasprintf("the process that has a file of it open was not found in %d s: too "
					    "many files are open",
					    TSH_HOLDERS_SECONDS);
	}
	free(who);
	return why;
}
