/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "values.h"

#include <stdlib.h>
#include <string.h>

#include "engine/probe/types.h"

/* Completes types of the kernel, and members behind a dot. */

static const char *const kind_help[] = {
	[TSH_BTF_STRUCT] = "struct", [TSH_BTF_UNION] = "union", [TSH_BTF_ENUM] = "enum",
	[TSH_BTF_TYPEDEF] = "typedef", [TSH_BTF_ENUM64] = "enum",
};

static void add_type(void *ctx, const struct tsh_btf_type *type)
{
	tsh_candidate_add(ctx, type->name, kind_help[type->kind], true);
}

struct member_cursor {
	const struct tsh_cursor *at;
	const struct tsh_btf *btf;
	const char *before;		/* "NAME.MEMBER." */
};

static void add_member(void *ctx, const struct tsh_btf_part *part)
{
	const struct member_cursor *m = ctx;
	struct tsh_strbuf help = TSH_STRBUF_INIT;
	char *text = tsh_xasprintf("%s%s", m->before, part->name);

	if (!tsh_btf_declare(m->btf, part->type, "", NULL, &help))
		tsh_strbuf_clear(&help);
	tsh_candidate_add(m->at, text, help.buf, true);
	tsh_strbuf_release(&help);
	free(text);
}

static void add_members(const struct tsh_cursor *at, struct tsh_types *types, const char *dot)
{
	struct tsh_word word = { .text = tsh_xstrndup(at->word, (size_t)(dot - at->word)) };
	struct tsh_value value = { .word = word };
	struct tsh_type_place place;

	if (!tsh_types_resolve(types, &value, &place, NULL)) {
		char *before = tsh_xasprintf("%s.", word.text);
		struct member_cursor m = { at, types->btf, before };

		tsh_btf_members(types->btf, tsh_btf_target(types->btf, place.ref, NULL).ref,
				add_member, &m);
		free(before);
	}
	free(word.text);
}

void tsh_candidates_types(const struct tsh_cursor *at)
{
	const char *dot = strrchr(at->word, '.');
	struct tsh_types types;

	tsh_types_open(at->s, &types);
	if (tsh_btf_state(types.btf) != TSH_BTF_PRESENT)
		;
	else if (dot)
		add_members(at, &types, dot);
	else
		tsh_btf_names(types.btf, TSH_TYPES_NAMED, add_type, (void *)at);
	tsh_types_close(&types);
}
