/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "visit.h"

#include "events/symbols/btf.h"
#include "function-names.h"
#include "kernel/journaled/journaled.h"
#include "tracedat/trace-dat.h"

int tsh_visit_begin(struct tsh_visit *visit, struct tsh_session *s, const char *path, struct tsh_err *err)
{
	struct tsh_dir *dir;
	struct tsh_instance *in;

	if (tsh_trace_dir_open(path, &dir, err) < 0)
		return -1;
	if (dir->kind != TSH_DIR_TREE) {
		tsh_err_set(err, TSH_USAGE, "'%s' is no recording", path);
		tsh_err_hint(err, "give a folder of record, a trace.dat, or a text of a trace");
	} else if (!tsh_instance_open(dir, NULL, &in, err)) {
		tsh_journaled_open(dir);
		*visit = (struct tsh_visit){ s->dir, s->in, s->functions, s->btf, s->came_from };
		dir->waiter = s->dir ? s->dir->waiter : NULL;
		s->dir = dir;
		s->in = in;
		s->functions = NULL;
		s->btf = NULL;
		s->came_from = (struct tsh_strlist){ 0 };
		return 0;
	}
	tsh_dir_close(dir);
	return -1;
}

void tsh_visit_end(struct tsh_visit *visit, struct tsh_session *s)
{
	tsh_function_names_free(s->functions);
	tsh_btf_free(s->btf);
	tsh_strlist_release(&s->came_from);
	tsh_instance_close(s->in);
	tsh_dir_close(s->dir);
	s->dir = visit->dir;
	s->in = visit->in;
	s->functions = visit->functions;
	s->btf = visit->btf;
	s->came_from = visit->came_from;
}
