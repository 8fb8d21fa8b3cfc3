/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The file of a journal: as it is, when it begins with '='; otherwise lines that get their
 * checksums here, which no fuzzer would guess.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "kernel/journal/file.h"
#include "kernel/journal/journal.h"
#include "kernel/tracefs/tracefs.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void add_checksums(const char *text, size_t len, struct tsh_strbuf *out)
{
	const char *end = text + len, *newline;

	for (; text < end; text = newline + 1) {
		newline = memchr(text, '\n', (size_t)(end - text));
		if (!newline)
			newline = end;
		tsh_strbuf_addf(out, "%08" PRIx32 "\t", tsh_crc32(text, (size_t)(newline - text)));
		tsh_strbuf_add(out, text, (size_t)(newline - text));
		tsh_strbuf_addc(out, '\n');
	}
}

static void check(const struct tsh_journal *j)
{
	size_t i;

	for (i = 0; i < j->entries.n; i++) {
		const struct tsh_journal_entry *entry = &j->entries.v[i];

		if (!entry->path || (entry->instance &&
				     !tsh_instance_name_is_valid(entry->instance)))
			abort();
		tsh_file_class(entry->path);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct tsh_strbuf text = TSH_STRBUF_INIT;
	struct tsh_journal_owner owner;
	struct tsh_journal *j = NULL;
	struct tsh_err err = { 0 };

	if (size && *data == '=')
		tsh_strbuf_add(&text, (const char *)data + 1, size - 1);
	else
		add_checksums((const char *)data, size, &text);
	if (!tsh_journal_parse(text.buf, text.len, &owner, &j, &err)) {
		check(j);
		tsh_journal_free(j);
	} else if (!err.message) {
		abort();
	}
	tsh_err_release(&err);
	tsh_strbuf_release(&text);
	return 0;
}
