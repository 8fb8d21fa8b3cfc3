/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_SESSION_ASK_H
#define TRACESH_SESSION_ASK_H

#include "session.h"

/*
 * Asks before a step that cannot be undone, or that floods the machine. `fmt` makes a sentence that
 * says what would happen ("this enables all 1,826 events"). At the prompt the user is asked. In a
 * batch this is an error that blames `value` (may be NULL) and whose hint names --yes, and
 * `instead`, another command to type (may be NULL). Returns 0 to go on, always so under --yes and
 * `set confirm off`; otherwise -1 with err. err->number is ECANCELED when the user answered no.
 */
int tsh_cmd_confirm(struct tsh_session *s, const struct tsh_value *value, const char *instead,
		    struct tsh_err *err, const char *fmt, ...)
	__attribute__((format(printf, 5, 6)));

/*
 * Asks before a change that erases events of an instance; the question counts the events that
 * nobody has read. what: bits of enum tsh_erases. sentence: the beginning of the question ("another
 * clock"). Does not ask when no event would be erased. Does not ask in a batch either, because
 * scripts expect the change. Returns as tsh_cmd_confirm does.
 */
int tsh_cmd_confirm_erase(struct tsh_session *s, const struct tsh_instance *in, unsigned int what, const char *sentence,
			  struct tsh_err *err);
/* Asks before a write of a file that erases events, rows of a histogram, or names of tasks. Returns
 * as tsh_cmd_confirm does. */
int tsh_cmd_confirm_write(struct tsh_session *s, const struct tsh_instance *in, const char *path,
			  enum tsh_write_how how, const char *text, struct tsh_err *err);
/* Asks before `rows` rows of histograms are erased; does not ask for 0 rows. event: the histogram's
 * event, or NULL when several events have one. Returns as tsh_cmd_confirm does. */
int tsh_cmd_confirm_rows(struct tsh_session *s, const struct tsh_instance *in, const char *event, uint64_t rows,
			 struct tsh_err *err);
/* Counts the events in the buffer of an instance, and those that were read ahead and not
 * printed. */
uint64_t tsh_cmd_count_unread_of(const struct tsh_session *s, const struct tsh_instance *in);

#endif
