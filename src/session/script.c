/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "script.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/dryrun/dryrun.h"

bool tsh_script_lacks(struct tsh_session *s, const struct tsh_call *call,
		      const char *const *known)
{
	size_t i, k;

	for (i = 0; i < call->args.n; i++) {
		const struct tsh_arg *arg = call->args.v[i].arg;
		char *text;

		for (k = 0; known[k] && strcmp(known[k], arg->name); k++)
			;
		/* accepts -o FILE, which becomes > FILE in sh */
		if (known[k] || !strcmp(arg->name, "OUTPUT"))
			continue;
		text = tsh_xasprintf("  (not in this script: sh cannot do '%s')",
				     arg->option ? arg->option : arg->clause ? arg->clause : arg->name);
		tsh_dry_run_comment(s->dir->dry, text);
		free(text);
		return true;
	}
	return false;
}

static void add_seconds(struct tsh_strbuf *sh, uint64_t ns)
{
	uint64_t ms = (ns + 999999) / 1000000;

	tsh_strbuf_addf(sh, "%" PRIu64, ms / 1000);
	if (ms % 1000)
		tsh_strbuf_addf(sh, ".%03u", (unsigned int)(ms % 1000));
}

bool tsh_script_cat(struct tsh_session *s, const struct tsh_call *call, struct tsh_strbuf *sh)
{
	const char *path = tsh_args_text(&call->args, "FILE");
	struct tsh_strlist names = { 0 };
	bool is_directory = !tsh_file_list(s->in, path, &names);

	tsh_strlist_release(&names);
	if (tsh_file_class(path)->flags & TSH_CLASS_NO_READ)
		return false;
	tsh_strbuf_adds(sh, is_directory ? "ls " : "cat ");
	tsh_sh_path(sh, s->in, path);
	return true;
}

/* Appends the command that prints the kernel's own text of a buffer, with times of the trace clock:
 * all of it, or the last -n lines. */
static bool show_file(struct tsh_session *s, const struct tsh_call *call, const char *file, struct tsh_strbuf *sh)
{
	static const char *const known[] = { "N", "ACTION", NULL };
	const struct tsh_value *count = tsh_args_get(&call->args, "N");

	if (tsh_script_lacks(s, call, known))
		return false;
	if (count)
		tsh_strbuf_addf(sh, "tail -n %" PRIu64 " ", count->number);
	else
		tsh_strbuf_adds(sh, "cat ");
	tsh_sh_path(sh, s->in, file);
	return true;
}

bool tsh_script_show(struct tsh_session *s, const struct tsh_call *call, struct tsh_strbuf *sh)
{
	return show_file(s, call, "trace", sh);
}

bool tsh_script_snapshot(struct tsh_session *s, const struct tsh_call *call, struct tsh_strbuf *sh)
{
	return tsh_args_has(&call->args, "ACTION") && show_file(s, call, "snapshot", sh);
}

bool tsh_script_drain(struct tsh_session *s, const struct tsh_call *call, struct tsh_strbuf *sh)
{
	static const char *const known[] = { NULL };

	if (tsh_script_lacks(s, call, known))
		return false;
	tsh_strbuf_adds(sh, "{ cat ");
	tsh_sh_path(sh, s->in, "trace");
	tsh_strbuf_adds(sh, "; : > ");
	tsh_sh_path(sh, s->in, "trace");
	tsh_strbuf_adds(sh, "; }");
	return true;
}

bool tsh_script_wait(struct tsh_session *s, const struct tsh_call *call, struct tsh_strbuf *sh)
{
	uint64_t ns = tsh_args_get(&call->args, "TIME")->number;

	tsh_dry_run_use(s->dir->dry, TSH_SH_PAUSE);
	tsh_strbuf_adds(sh, "pause ");
	add_seconds(sh, ns);
	/* adds whole seconds for a sleep that takes no fractions, which POSIX allows */
	if (ns % 1000000000)
		tsh_strbuf_addf(sh, " %" PRIu64, ns / 1000000000 + 1);
	return true;
}

bool tsh_script_none(struct tsh_session *s, const struct tsh_call *call, struct tsh_strbuf *sh)
{
	(void)s, (void)call, (void)sh;
	return false;
}
