/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A saved state, as save and diff read it: from a file that anybody may have changed.
 * Each setting that was read is printed, read and printed again: the same both times.
 */
#include <stdlib.h>
#include <string.h>

#include "engine/state/state.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_items(const struct tsh_state *state)
{
	size_t i;

	for (i = 0; i < state->items.n; i++) {
		const struct tsh_state_item *item = &state->items.v[i];

		/* A remark is a comment, which is not read. */
		if (!*item->path || !item->value ||
		    (item->instance && !tsh_strlist_has(&state->instances, item->instance)))
			abort();
		tsh_file_class(item->path);
	}
}

/* What diff writes of one is read as that one. */
static void check_printed(const struct tsh_state_item *item)
{
	struct tsh_strbuf first = TSH_STRBUF_INIT, second = TSH_STRBUF_INIT;
	struct tsh_state back = { 0 };
	struct tsh_err err = { 0 };

	tsh_state_print_item(item, &first);
	if (tsh_state_parse(NULL, first.buf, first.len, &back, &err) < 0)
		abort();
	/* on is what a section is without a word */
	if (back.items.n != (strcmp(first.buf, "on") != 0))
		abort();
	if (back.items.n)
		tsh_state_print_item(&back.items.v[0], &second);
	if (back.items.n && strcmp(first.buf, second.buf) != 0)
		abort();
	tsh_state_release(&back);
	tsh_strbuf_release(&first);
	tsh_strbuf_release(&second);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	/* Of its own, so that a byte too far is seen; a file with a NUL is not read at all. */
	char *text = tsh_xstrndup((const char *)data, size);
	struct tsh_state state = { 0 };
	struct tsh_err err = { 0 };
	size_t len = strlen(text), i;

	if (!tsh_state_parse(NULL, text, len, &state, &err)) {
		check_items(&state);
		for (i = 0; i < state.items.n; i++)
			check_printed(&state.items.v[i]);
	} else if (!err.message || err.span.begin > err.span.end || err.span.end > len) {
		abort();
	}
	tsh_state_release(&state);
	tsh_err_release(&err);
	free(text);
	return 0;
}
