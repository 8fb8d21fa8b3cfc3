/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "snapshot-size.h"

#include "memory.h"
#include "util.h"

uint64_t tsh_snapshot_size(const struct tsh_instance *in)
{
	return tsh_file_number(in, "buffer_total_size_kb", 0) * 1024;
}

int tsh_snapshot_check_memory(struct tsh_session *s, const struct tsh_value *word,
			      struct tsh_err *err)
{
	if (!tsh_memory_check_snapshot(s->in, err))
		return 0;
	tsh_err_hint(err, "to make the buffer and its snapshot smaller: buffer SIZE");
	tsh_err_blame(err, word->word.span);
	return -1;
}
