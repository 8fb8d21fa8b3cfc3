/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cmd/commands.h"

#include <errno.h>
#include <string.h>

#include "base/new-file.h"
#include "base/number.h"
#include "base/utf8.h"
#include "engine/export/trace-dat.h"
#include "session/script.h"
#include "session/util.h"

/* Declares export: writes a recording as a file of other programs. */

struct format {
	const char *name;
	const char *ending;		/* of FILE, which chooses the format; NULL: --to alone does */
	unsigned int version;
	bool packs;			/* where tracesh can */
};

static const struct format formats[] = {
	{ "trace.dat", ".dat", 6, false },
	{ "trace.dat:6", NULL, 6, false },
	{ "trace.dat:7", NULL, 7, true },
	{ "trace.dat:7:none", NULL, 7, false },
};
#define FORMATS (sizeof(formats) / sizeof(formats[0]))

/* Finds the format by --to, or by FILE's ending. Returns NULL with err. */
static const struct format *resolve_format(const struct tsh_call *call, struct tsh_err *err)
{
	const struct tsh_value *file = tsh_args_get(&call->args, "FILE"), *to = tsh_args_get(&call->args, "FORMAT");
	size_t i;

	for (i = 0; i < FORMATS; i++)
		if (to ? !strcmp(to->word.text, formats[i].name) :
			 formats[i].ending && tsh_export_is_dat(file->word.text))
			return &formats[i];
	if (to)
		tsh_err_at(err, to->word.span, "no format '%s'", to->word.text);
	else
		tsh_err_at(err, file->word.span, "the ending of '%s' is none of a format", file->word.text);
	tsh_err_hint(err, to ? "trace.dat, trace.dat:7, trace.dat:7:none" : "name it FILE.dat, or say --to trace.dat");
	return NULL;
}

static int refuse_live(const struct tsh_session *s, struct tsh_err *err)
{
	if (s->dir->kind == TSH_DIR_TREE)
		return 0;
	tsh_err_set(err, TSH_USAGE, "export writes a recording, and this is the running kernel");
	tsh_err_hint(err, "record DIR EVENT.. first, then: tracesh --tracefs DIR -c 'export FILE.dat'");
	return -1;
}

static void summarize(const struct tsh_session *s, const struct tsh_trace_dat_summary *sum, const char *path)
{
	struct tsh_strbuf text = TSH_STRBUF_INIT;

	tsh_format_size(sum->bytes, &text);
	tsh_out_note(s->out, "%s of pages in '%s'%s", text.buf, path,
		     sum->has_wall ? "" : "; without wall-clock times: other programs see the trace clock");
	if (sum->cut)
		tsh_out_warn(s->out, "%llu bytes of pages that are not whole are left out", (unsigned long long)sum->cut);
	if (sum->left_out)
		tsh_out_warn(s->out, "%zu file%s of the recording %s too large to be kept: names may be missing",
			     sum->left_out, sum->left_out == 1 ? "" : "s", sum->left_out == 1 ? "is" : "are");
	tsh_strbuf_release(&text);
}

static int export_run(struct tsh_session *s, const struct tsh_call *call, struct tsh_err *err)
{
	const struct tsh_value *file = tsh_args_get(&call->args, "FILE");
	bool replaces = tsh_args_has(&call->args, "f");
	const struct format *format = resolve_format(call, err);
	struct tsh_trace_dat_options opt = { .waiter = s->waiter };
	struct tsh_trace_dat_summary sum;
	struct tsh_instance top;
	struct tsh_new_file new;
	int r;

	if (!format || refuse_live(s, err) < 0)
		return -1;
	opt.version = format->version;
	opt.packs = format->packs && tsh_trace_dat_can_pack();
	top = tsh_top(s->dir);
	if (tsh_new_file_open(&new, file->word.text, replaces, err) < 0) {
		tsh_err_blame(err, file->word.span);
		if (err->number == EEXIST)
			tsh_err_hint(err, "export -f replaces it");
		return -1;
	}
	r = tsh_trace_dat_write(&top, new.fd, &opt, &sum, err);
	if (!r)
		r = tsh_new_file_end(&new, file->word.text, replaces, err);
	tsh_new_file_drop(&new);
	if (!r)
		summarize(s, &sum, file->word.text);
	else if (r > 0)
		tsh_out_note(s->out, "ended by a signal: '%s' was not written", file->word.text);
	return r < 0 ? -1 : 0;
}

static const struct tsh_arg export_args[] = {
	{ .name = "f", .option = "-f", .type = TSH_ARG_FLAG, .flags = TSH_ARG_OPTIONAL, .help = "replace FILE" },
	{ .name = "FORMAT", .option = "--to", .type = TSH_ARG_WORD, .flags = TSH_ARG_OPTIONAL,
	  .help = "trace.dat, trace.dat:7, trace.dat:7:none; else by FILE's ending" },
	{ .name = "FILE", .type = TSH_ARG_FILE, .help = "the file to write: NAME.dat" },
	{ 0 }
};

static const struct tsh_example export_examples[] = {
	{ "report examples/recorded export /tmp/exported.dat", "for trace-cmd report and KernelShark" },
	{ "report examples/recorded export --to trace.dat:7 /tmp/small.dat", "the same, compressed" },
	{ 0 }
};

const struct tsh_cmd tsh_cmd_export = {
	.name = "export", .group = TSH_GROUP_SEE, .summary = "write a recording as a file of other programs",
	.description =
		"trace.dat is what trace-cmd and KernelShark read. Version 6 is read by all of them; version 7 is compressed "
		"with zstd where tracesh was built with it, and trace-cmd before 3.0 cannot read it. Times are wall-clock times in both: "
		"trace-cmd prints them as seconds since 1970.\n"
		"What trace.dat has no place for (the error of the clock, names, settings) is kept where other programs do not "
		"look: tracesh --tracefs FILE.dat reads the recording as it was.\n"
		"The file appears when it is whole.",
	.see_also = "record drain",
	.args = export_args, .examples = export_examples,
	.flags = TSH_CMD_NEEDS_TRACEFS | TSH_CMD_JOB,
	.run = export_run, .script = tsh_script_none,
};
