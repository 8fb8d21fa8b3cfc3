/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "share.h"

#include <stdlib.h>

#include "kernel/journal/setting.h"
#include "kernel/journal/others.h"

/*
 * Settles a value that a trigger of ours switches; it fires between the writes of other sessions,
 * and after them. Whenever one of these found another value than the write before it left, the
 * trigger has fired: that is an older write of ours, which is handed over.
 */

/* Hands over the switch from `last` to `found`, to be undone after e. */
static bool hand_over_switch(const struct tsh_other_entry *e, const struct tsh_journal_entry *newest,
			     bool is_first, const char *last, const char *found, struct tsh_rest *rest)
{
	struct tsh_journal_entry mine = *newest;

	mine.how = TSH_WRITE_EXPECTED;
	/* Makes it newer than the writes before e. */
	if (!is_first)
		mine.at = e->at - 1;
	rest->heir = e->other->owner.pid;
	return rest->only_predicts || tsh_share_hand_over(e, &mine, last, found);
}

enum tsh_share tsh_share_resolve_switched(const struct tsh_other_entries *later,
					  const struct tsh_journal_entry *newest, struct tsh_rest *rest,
					  const char *now)
{
	const struct tsh_file_class *cls = tsh_file_class(newest->path);
	char *last = tsh_xstrdup(rest->before), *found;
	enum tsh_share share = TSH_SHARE_OURS;
	size_t i;

	for (i = 0; i < later->n && last && share != TSH_SHARE_FAILED; i++) {
		const struct tsh_journal_entry *theirs = tsh_other_entry(&later->v[i]);

		found = tsh_share_is_relevant(&later->v[i]) ? tsh_setting_convert_text(theirs, theirs->before,
										       newest) : NULL;
		if (!found)
			continue;
		if (!tsh_class_equal(cls, last, found) &&
		    !hand_over_switch(&later->v[i], newest, share == TSH_SHARE_OURS, last, found, rest))
			share = TSH_SHARE_FAILED;
		else
			share = TSH_SHARE_BACK;
		free(found);
		free(last);
		/* The result of a write that was interrupted is unknown. */
		theirs = tsh_other_entry(&later->v[i]);
		last = theirs && theirs->after ? tsh_setting_convert_text(theirs, theirs->after, newest) : NULL;
	}
	/* The trigger has fired after all of these writes. */
	if (share == TSH_SHARE_BACK && last && !tsh_class_equal(cls, last, now)) {
		free(rest->before);
		free(rest->after);
		rest->before = last;
		rest->after = tsh_xstrdup(now);
		return TSH_SHARE_OURS;
	}
	free(last);
	return share;
}
