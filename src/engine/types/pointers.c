/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pointers.h"

#include <stdlib.h>
#include <string.h>

/* ---- the tracepoint ---- */

/*
 * Finds the arguments of a tracepoint. The function that calls its probes has names for them
 * (5.10); the type of a probe, made for BPF (4.20), has none. The first argument of both belongs to
 * the probe.
 */
static void find_proto(struct tsh_pointers *p, const char *event)
{
	char *function = tsh_xasprintf("__traceiter_%s", event);
	char *type = tsh_xasprintf("btf_trace_%s", event);
	struct tsh_btf *btf = p->types->btf;
	struct tsh_btf_ref ref;

	p->proto = tsh_btf_prototype(btf, function);
	p->has_names = p->proto.kind == TSH_BTF_FUNC_PROTO;
	if (p->proto.kind != TSH_BTF_FUNC_PROTO && tsh_btf_find(btf, type, TSH_BTF_TYPEDEFS, &ref))
		p->proto = tsh_btf_target(btf, ref, NULL);
	if (p->proto.kind != TSH_BTF_FUNC_PROTO)
		p->proto.kind = TSH_BTF_NONE;
	free(function);
	free(type);
}

void tsh_pointers_begin(struct tsh_types *types, const struct tsh_event_format *format,
			struct tsh_pointers *ret)
{
	bool has_pointer = false;
	size_t i;

	*ret = (struct tsh_pointers){ .types = types, .proto = { .kind = TSH_BTF_NONE } };
	for (i = 0; i < format->nfields; i++)
		has_pointer |= format->fields[i].kind == TSH_FIELD_POINTER;
	/* all system calls share one tracepoint */
	if (has_pointer && strcmp(format->system, "syscalls"))
		find_proto(ret, format->name);
}

char *tsh_pointer_arguments(const struct tsh_pointers *p)
{
	struct tsh_strbuf text = TSH_STRBUF_INIT;

	if (p->proto.kind == TSH_BTF_NONE || p->proto.n < 2)
		return NULL;
	if (tsh_btf_parameters(p->types->btf, &p->proto, 1, NULL, &text))
		return tsh_strbuf_detach(&text);
	tsh_strbuf_release(&text);
	return NULL;
}

/* ---- a field ---- */

/* Returns the structure in a field's type, "struct timer_list *" for "const struct timer_list *
 * restrict"; the caller frees it. NULL: there is none. */
static char *type_in_format(const char *type)
{
	static const char *const words[] = { "struct ", "union " };
	size_t i, len;

	for (i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		const char *at = strstr(type, words[i]);

		if (!at || (at != type && at[-1] != ' '))
			continue;
		len = strcspn(at, "*[");
		while (len && at[len - 1] == ' ')
			len--;
		return tsh_xasprintf("%.*s *", (int)len, at);
	}
	return NULL;
}

/* Says whether a field has the value of an argument, by its name: skb, skbaddr, skb_ptr. */
static bool is_made_of(const char *field, const char *argument)
{
	static const char *const ends[] = { "", "addr", "_addr", "ptr", "_ptr" };
	size_t i, len = strlen(argument);

	if (!len || strncmp(field, argument, len) != 0)
		return false;
	for (i = 0; i < sizeof(ends) / sizeof(ends[0]); i++)
		if (!strcmp(field + len, ends[i]))
			return true;
	return false;
}

static char *type_of_argument(const struct tsh_pointers *p, struct tsh_btf_ref ref)
{
	struct tsh_btf_type type = tsh_btf_bare(p->types->btf, ref, true), target;
	struct tsh_strbuf text = TSH_STRBUF_INIT;

	if (type.kind != TSH_BTF_PTR)
		return NULL;
	target = tsh_btf_bare(p->types->btf, type.to, true);
	if (target.kind != TSH_BTF_STRUCT && target.kind != TSH_BTF_UNION &&
	    target.kind != TSH_BTF_FWD)
		return NULL;
	if (tsh_btf_declare(p->types->btf, type.ref, "", NULL, &text))
		return tsh_strbuf_detach(&text);
	tsh_strbuf_release(&text);
	return NULL;
}

char *tsh_pointer_type(const struct tsh_pointers *p, const struct tsh_field *field)
{
	char *type = NULL;
	uint32_t i;

	if (field->kind != TSH_FIELD_POINTER)
		return NULL;
	type = type_in_format(field->type);
	if (p->proto.kind == TSH_BTF_NONE || !p->has_names)
		return type;
	for (i = 1; !type && i < p->proto.n; i++) {
		struct tsh_btf_part part = tsh_btf_part(p->types->btf, &p->proto, i);

		if (is_made_of(field->name, part.name))
			type = type_of_argument(p, part.type);
	}
	return type;
}
