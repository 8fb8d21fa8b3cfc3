/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdlib.h>

#include "base/thread.h"
#include "base/xmalloc.h"
#include "journal.h"
#include "kernel/tracefs/tracefs.h"
#include "kernel/tracefs/write.h"

struct tsh_removal {
	struct tsh_dir *dir;
	char *name;
	pthread_t thread;
	int result;
};

static void *run(void *ctx)
{
	struct tsh_removal *removal = ctx;

	removal->result = tsh_instance_remove(removal->dir, removal->name);
	return NULL;
}

struct tsh_removal *tsh_removal_begin(struct tsh_dir *dir, const char *name)
{
	struct tsh_removal *removal = tsh_xcalloc(1, sizeof(*removal));
	struct tsh_err ignored = { 0 };

	removal->dir = dir;
	removal->name = tsh_xstrdup(name);
	if (tsh_thread_start(&removal->thread, run, removal))
		return removal;
	if (tsh_instance_delete(dir, name, &ignored) < 0)
		tsh_err_release(&ignored);
	free(removal->name);
	free(removal);
	return NULL;
}

void tsh_removal_end(struct tsh_removal *removal)
{
	if (!removal)
		return;
	pthread_join(removal->thread, NULL);
	/* An instance that still exists stays in the journal until the end of the session. */
	if (!removal->result)
		tsh_journal_forget_instance(removal->dir->journal, removal->name);
	free(removal->name);
	free(removal);
}
