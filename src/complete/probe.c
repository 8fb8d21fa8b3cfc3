/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "values.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/probe/probe.h"
#include "engine/probe/types.h"
#include "events/printfmt/format.h"

/* Completes the target of a probe and the arguments that are recorded there. */

/* Holds the cursor, and the beginning of its word, which all candidates have. */
struct place {
	const struct tsh_cursor *at;
	const char *before;		/* "NAME=", "/bin/bash:" */
};

static void add_behind(const struct place *place, const char *text, const char *help)
{
	char *whole = tsh_xasprintf("%s%s", place->before, text);

	tsh_candidate_add(place->at, whole, help, true);
	free(whole);
}

/* ---- targets ---- */

static bool add_symbol(void *ctx, const struct tsh_elf_symbol *symbol)
{
	if (!symbol->is_cut)
		add_behind(ctx, symbol->name, "function");
	return true;
}

/* Adds the functions of a program, for [NAME=]PATH:FUNCTION. */
static void add_program_symbols(const struct tsh_cursor *at)
{
	const char *equals = strchr(at->word, '='), *begin = equals ? equals + 1 : at->word;
	const char *colon = strrchr(begin, ':');
	char *path = tsh_xstrndup(begin, (size_t)(colon - begin));
	char *before = tsh_xstrndup(at->word, (size_t)(colon + 1 - at->word));
	struct place place = { at, before };
	int fd = tsh_probe_open_program(path);
	struct tsh_err ignored = { 0 };
	struct tsh_elf *elf;

	if (fd >= 0 && !tsh_elf_open(fd, TSH_ELF_BYTES_MAX, NULL, &elf, &ignored)) {
		tsh_elf_each_symbol(elf, add_symbol, &place);
		tsh_elf_close(elf);
	}
	if (fd >= 0)
		close(fd);
	tsh_err_release(&ignored);
	free(before);
	free(path);
}

static void add_own(const struct tsh_cursor *at)
{
	struct tsh_probes probes = { 0 };
	size_t i;

	tsh_probes_read(at->s->dir, &probes);
	for (i = 0; i < probes.n; i++)
		if (probes.v[i].is_ours)
			tsh_candidate_add(at, probes.v[i].name, probes.v[i].place, false);
	tsh_probes_release(&probes);
}

void tsh_candidates_probe(const struct tsh_cursor *at)
{
	const char *equals = strchr(at->word, '='), *begin = equals ? equals + 1 : at->word;
	const char *colon = strrchr(begin, ':');

	if (!at->s->dir)
		return;
	if (at->choice && !strcmp(at->choice, "delete"))
		add_own(at);
	else if (at->choice)
		return;
	else if (*begin == '/' && colon)
		tsh_candidates_apart(at, add_program_symbols);
	else if (*begin == '/' && begin == at->word)
		tsh_candidates_files(at);
	else if (*begin && begin == at->word)
		tsh_candidates_symbols(at);
}

/* ---- arguments ---- */

static void add_member(void *ctx, const struct tsh_btf_part *part)
{
	add_behind(ctx, part->name, "member");
}

static void add_parameters(const struct place *place, struct tsh_types *types,
			   const struct tsh_target *target)
{
	struct tsh_btf_type proto;
	uint32_t i;

	if (target->is_return) {
		add_behind(place, "$retval", "what it returns");
		return;
	}
	proto = tsh_btf_prototype(types->btf, target->function);
	for (i = 0; i < proto.n; i++)
		add_behind(place, tsh_btf_part(types->btf, &proto, i).name, "parameter");
}

/* Adds the parameters of a function; behind a -> or . the members of the expression before it. */
static void add_parameters_or_members(const struct tsh_cursor *at, const struct tsh_target *target,
				      size_t from)
{
	const char *text = at->word + from, *p, *cut = NULL;
	struct tsh_types types;
	struct place place = { at, NULL };
	struct tsh_btf_ref type;
	char *before;

	for (p = text; *p; p++)
		if (*p == '.' || (*p == '-' && p[1] == '>'))
			cut = p;
	before = tsh_xstrndup(at->word, cut ? (size_t)(cut - at->word) + (*cut == '.' ? 1 : 2) : from);
	place.before = before;
	tsh_types_open(at->s, &types);
	if (tsh_btf_state(types.btf) == TSH_BTF_PRESENT && !cut) {
		add_parameters(&place, &types, target);
	} else if (tsh_btf_state(types.btf) == TSH_BTF_PRESENT) {
		char *head = tsh_xstrndup(text, (size_t)(cut - text));

		if (tsh_probe_member_type(&types, target, head, &type))
			tsh_btf_members(types.btf, type, add_member, &place);
		free(head);
	}
	tsh_types_close(&types);
	free(before);
}

static void add_fields(const struct tsh_cursor *at, const struct tsh_target *target, size_t from)
{
	struct tsh_instance top = tsh_top(at->s->dir);
	char *path = tsh_event_path(&target->event, "format"), *text = tsh_file_text(&top, path);
	char *before = tsh_xstrndup(at->word, from);
	struct place place = { at, before };
	struct tsh_event_format *format = NULL;
	size_t i;

	if (text && !tsh_event_format_parse(target->event.system, text, strlen(text), &format))
		for (i = 0; i < format->nfields; i++)
			if (!format->fields[i].is_common)
				add_behind(&place, format->fields[i].name, format->fields[i].type);
	tsh_event_format_free(format);
	free(before);
	free(text);
	free(path);
}

void tsh_candidates_probe_arg(const struct tsh_cursor *at)
{
	const char *equals = strchr(at->word, '=');
	size_t from = equals ? (size_t)(equals + 1 - at->word) : 0;
	struct tsh_target target = { 0 };
	struct tsh_err ignored = { 0 };
	struct tsh_value value = { 0 };

	if (!at->s->dir || !at->probe)
		return;
	if (at->choice) {
		if (!strcmp(at->choice, "delete"))
			add_own(at);
		return;
	}
	value.word.text = (char *)at->probe;
	value.word.len = strlen(at->probe);
	if (!tsh_target_parse(at->s, &value, &target, &ignored)) {
		if (target.kind == TSH_TARGET_FUNCTION && target.function)
			add_parameters_or_members(at, &target, from);
		else if (target.kind == TSH_TARGET_EVENT)
			add_fields(at, &target, from);
		else if (target.is_return)
			add_behind(&(struct place){ at, "" }, "$retval", "what it returns");
	}
	tsh_target_release(&target);
	tsh_err_release(&ignored);
}
