/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "journaled.h"

#include "kernel/tracefs/backend.h"

static const struct tsh_backend journaled = {
	.write = tsh_journaled_write,
	.may_begin = tsh_journal_may_begin,
	.begin_instance = tsh_journaled_begin_instance,
	.end_instance = tsh_journaled_end_instance,
	.forget_instance = tsh_journaled_forget_instance,
	.close = tsh_journaled_close,
};

void tsh_journaled_open(struct tsh_dir *dir)
{
	dir->journal = tsh_journal_new();
	dir->backend = &journaled;
}

void tsh_journaled_begin_instance(struct tsh_dir *dir, const char *name, bool own)
{
	const struct tsh_instance made = { .dir = dir, .name = (char *)name, .own = own };

	tsh_journal_add(dir->journal, &made, "")->op = TSH_JOURNAL_MKDIR;
	tsh_journal_record(dir->journal, dir);
}

void tsh_journaled_end_instance(struct tsh_dir *dir, bool made, uint64_t identity)
{
	struct tsh_journal_entries *entries = &dir->journal->entries;

	if (!made) {
		tsh_journal_drop_last(dir->journal);
		return;
	}
	entries->v[entries->n - 1].identity = identity;
	tsh_journal_record_success(dir->journal);
}

void tsh_journaled_forget_instance(struct tsh_dir *dir, const char *name)
{
	tsh_journal_forget_instance(dir->journal, name);
}

void tsh_journaled_close(struct tsh_dir *dir)
{
	tsh_journal_free(dir->journal);
}
