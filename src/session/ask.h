/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_SESSION_ASK_H
#define TRACESH_SESSION_ASK_H

#include "session.h"

/*
 * Before what cannot be taken back, or floods the machine. `fmt` is a sentence that says
 * what would happen ("this enables all 1,826 events"). At the prompt it is asked; in a
 * batch it is an error that blames `value` (may be NULL) and names --yes, and `instead` (may
 * be NULL), what else one could type. 0: go on, also under --yes and `set confirm off`;
 * -1; where it was answered with no, err->number is ECANCELED.
 */
int tsh_cmd_confirm(struct tsh_session *s, const struct tsh_value *value, const char *instead,
		    struct tsh_err *err, const char *fmt, ...)
	__attribute__((format(printf, 5, 6)));

/*
 * The same before a change that erases events of an instance (enum tsh_erases): how many that nobody has read would go.
 * `sentence` is its beginning: "another clock". In a batch it goes on, as scripts expect, and so it does when there are
 * none.
 */
int tsh_cmd_confirm_erase(struct tsh_session *s, const struct tsh_instance *in, unsigned int what, const char *sentence,
			  struct tsh_err *err);
/* The same before a file is written. */
int tsh_cmd_confirm_write(struct tsh_session *s, const struct tsh_instance *in, const char *path,
			  enum tsh_write_how how, const char *text, struct tsh_err *err);
/* The same before so many rows of histograms are erased; 0: none. event: whose histogram it is, NULL: several have one. */
int tsh_cmd_confirm_rows(struct tsh_session *s, const struct tsh_instance *in, const char *event, uint64_t rows,
			 struct tsh_err *err);
/* Events in the buffer of an instance, and those that were read ahead and not printed. */
uint64_t tsh_cmd_unread_of(const struct tsh_session *s, const struct tsh_instance *in);

#endif
