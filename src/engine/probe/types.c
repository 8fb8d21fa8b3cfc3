/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "types.h"

#include <stdlib.h>
#include <string.h>

#include "base/suggest.h"
#include "events/source/stream.h"

void tsh_types_open(struct tsh_session *s, struct tsh_types *ret)
{
	ret->provider = tsh_live_provider_new(s->in);
	ret->is_recorded = s->dir && s->dir->kind == TSH_DIR_TREE;
	ret->session = s;
	/* Read another copy while the session's copy is in use. */
	ret->btf = s->btf ? s->btf : tsh_btf_new(NULL);
	s->btf = NULL;
	tsh_btf_resume(ret->btf, tsh_live_provider(ret->provider));
}

void tsh_types_close(struct tsh_types *types)
{
	if (tsh_btf_suspend(types->btf) && !types->session->btf)
		types->session->btf = types->btf;
	else
		tsh_btf_free(types->btf);
	tsh_live_provider_free(types->provider);
}

int tsh_types_check(struct tsh_session *s, struct tsh_types *types, struct tsh_err *err)
{
	bool is_tree = s->dir && s->dir->kind == TSH_DIR_TREE;

	switch (tsh_btf_state(types->btf)) {
	case TSH_BTF_PRESENT:
		return 0;
	case TSH_BTF_DAMAGED:
		return tsh_err_set(err, TSH_ENVIRONMENT,
				   "the kernel's type information (BTF) cannot be understood");
	default:
		break;
	}
	tsh_err_set(err, TSH_ENVIRONMENT, is_tree ? "the recording has no type information (BTF)" :
		    "this kernel has no type information (BTF): it needs CONFIG_DEBUG_INFO_BTF");
	if (is_tree)
		tsh_err_hint(err, "'%s/btf' would be /sys/kernel/btf/vmlinux of its kernel",
			     s->dir->path);
	return -1;
}

/* ---- NAME.MEMBER.MEMBER ---- */

static void offer_type(void *ctx, const struct tsh_btf_type *type)
{
	tsh_suggest_offer(ctx, type->name);
}

static void offer_member(void *ctx, const struct tsh_btf_part *part)
{
	tsh_suggest_offer(ctx, part->name);
}

static void hint_near(struct tsh_suggest *near, const char *before, struct tsh_err *err)
{
	if (tsh_suggest_best(near))
		tsh_err_hint(err, "did you mean '%s%s'?", before, tsh_suggest_best(near));
	tsh_suggest_release(near);
}

/* Returns the span of bytes [from, to) of the value's word; that of the whole word when it has
 * quotes. */
static struct tsh_span part_of(const struct tsh_value *value, size_t from, size_t to)
{
	struct tsh_span span = value->word.span;

	if (span.end - span.begin == strlen(value->word.text)) {
		span.end = span.begin + to;
		span.begin += from;
	}
	return span;
}

static int unknown_type(struct tsh_types *types, const struct tsh_value *value, const char *name,
			struct tsh_err *err)
{
	struct tsh_suggest near;

	tsh_err_at(err, part_of(value, 0, strlen(name)), "%s has no structure '%s'",
		   types->is_recorded ? "the recording" : "the kernel", name);
	err->status = TSH_FAILED;
	tsh_err_hint(err, "TAB completes names; info EVENT names those that its pointers have");
	if (types->is_recorded)
		tsh_err_hint(err, "it has what its events need; with its kernel's "
			     "/sys/kernel/btf/vmlinux as its file btf it would have all");
	tsh_suggest_init(&near, name);
	tsh_btf_names(types->btf, TSH_TYPES_NAMED, offer_type, &near);
	hint_near(&near, "", err);
	return -1;
}

static int unknown_member(struct tsh_types *types, const struct tsh_value *value, size_t from,
			  const char *name, const struct tsh_btf_type *type, struct tsh_err *err)
{
	struct tsh_strbuf outer = TSH_STRBUF_INIT;
	struct tsh_suggest near;

	tsh_btf_base(type, &outer);
	tsh_err_at(err, part_of(value, from, from + strlen(name)), "%s has no %smember%s%s%s",
		   outer.buf, type->kind == TSH_BTF_STRUCT || type->kind == TSH_BTF_UNION ? "" :
		   "members: no ", *name ? " '" : "", name, *name ? "'" : "");
	err->status = TSH_FAILED;
	tsh_suggest_init(&near, name);
	tsh_btf_members(types->btf, type->ref, offer_member, &near);
	hint_near(&near, "", err);
	tsh_strbuf_release(&outer);
	return -1;
}

/* Moves the place to one of its members. Returns false when there is none. */
static bool enter_member(struct tsh_types *types, const char *name, struct tsh_type_place *place,
			 struct tsh_btf_type *ret_type)
{
	unsigned int pointers;
	uint64_t at;

	*ret_type = tsh_btf_target(types->btf, place->ref, &pointers);
	if (!tsh_btf_member(types->btf, ret_type->ref, name, &place->part, &at))
		return false;
	if (!place->is_member || pointers) {
		place->outer = *ret_type;
		place->at = 0;
	}
	place->at += at;
	place->ref = place->part.type;
	place->is_member = true;
	return true;
}

int tsh_types_resolve(struct tsh_types *types, const struct tsh_value *value,
		      struct tsh_type_place *ret, struct tsh_err *err)
{
	const char *text = value->word.text, *p = text;
	char *name = tsh_xstrndup(text, strcspn(text, "."));
	struct tsh_btf_type type;
	int r = 0;

	memset(ret, 0, sizeof(*ret));
	if (!tsh_btf_find_type(types->btf, name, &ret->ref))
		r = err ? unknown_type(types, value, name, err) : -1;
	for (p += strlen(name); !r && *p; p += strlen(name)) {
		p++;
		free(name);
		name = tsh_xstrndup(p, strcspn(p, "."));
		if (!enter_member(types, name, ret, &type))
			r = err ? unknown_member(types, value, (size_t)(p - text), name, &type,
						 err) : -1;
	}
	free(name);
	return r;
}
