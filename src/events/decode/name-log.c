/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "name-log.h"

#include <string.h>

#include "names.h"

void tsh_name_changes_clear(struct tsh_name_changes *changes)
{
	changes->ops.n = 0;
	memset(changes->last, 0, sizeof(changes->last));
}

void tsh_name_changes_release(struct tsh_name_changes *changes)
{
	tsh_vec_release(&changes->ops);
}

void tsh_name_changes_add(struct tsh_name_changes *changes, const struct tsh_name_op *op)
{
	const struct tsh_name_op *before = tsh_name_changes_last(changes, op->pid);

	if (before && op->kind == TSH_NAME_LEARN && before->kind == TSH_NAME_LEARN && before->pid == op->pid &&
	    !memcmp(before->comm, op->comm, TSH_COMM_SIZE))
		return;
	*tsh_vec_push(&changes->ops) = *op;
	changes->last[(unsigned int)op->pid % TSH_NAME_CHANGES] = changes->ops.n;
}

void tsh_names_apply(struct tsh_names *names, const struct tsh_name_op *op)
{
	switch (op->kind) {
	case TSH_NAME_LEARN:
		tsh_names_learn(names, op->pid, op->comm, strlen(op->comm));
		break;
	case TSH_NAME_GUESS:
		tsh_names_guess(names, op->pid, op->comm, strlen(op->comm), op->ends);
		break;
	case TSH_NAME_BIRTH:
		tsh_names_note_birth(names, op->pid, op->stamp);
		break;
	case TSH_NAME_AHEAD:
		tsh_names_learn_ahead(names, op->pid, op->stamp, op->has_comm ? op->comm : NULL,
				      strlen(op->comm));
		break;
	case TSH_NAME_COMPLETE:
		tsh_names_set_complete(names);
		break;
	case TSH_NAME_DOUBT:
		tsh_names_doubt(names);
		break;
	}
}
