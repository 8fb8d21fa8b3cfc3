/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cmd/commands.h"

#include <string.h>

#include "engine/types/struct.h"

/* Declares struct: prints the layout of the kernel's structures. */

static int print_source(struct tsh_session *s, struct tsh_types *types, const char *language,
			const struct tsh_value *value, const struct tsh_type_place *place,
			const struct tsh_btf_type *type, struct tsh_err *err)
{
	const char *name = place->is_member ? NULL : value->word.text;

	if (!tsh_struct_is_aggregate(type) && !tsh_struct_is_enum(type)) {
		tsh_err_at(err, value->word.span, "'%s' has no definition of its own",
			   value->word.text);
		err->status = TSH_FAILED;
		return -1;
	}
	if (!strcmp(language, "c"))
		tsh_struct_print_c(s->out, types->btf, type, name);
	else
		tsh_struct_print_rust(s->out, types->btf, type, name);
	return 0;
}

static int print_word(struct tsh_session *s, struct tsh_types *types, struct tsh_table *table,
		      const struct tsh_call *call, const struct tsh_value *value,
		      struct tsh_err *err)
{
	const char *language = tsh_args_text(&call->args, "LANGUAGE");
	struct tsh_type_place place;
	struct tsh_btf_type type;

	if (tsh_types_resolve(types, value, &place, err) < 0)
		return -1;
	type = tsh_btf_target(types->btf, place.ref, NULL);
	if (language)
		return print_source(s, types, language, value, &place, &type, err);
	if (table)
		tsh_struct_add_rows(table, types->btf, value->word.text, &place, &type);
	else
		tsh_struct_print(s->out, types->btf, value->word.text, &place, &type);
	return 0;
}

static int struct_run(struct tsh_session *s, const struct tsh_call *call, struct tsh_err *err)
{
	bool in_rows = s->out->format == TSH_FORMAT_JSON || s->out->format == TSH_FORMAT_CSV;
	const struct tsh_value *value = NULL;
	struct tsh_table *table = NULL;
	struct tsh_types types;
	int r;

	tsh_types_open(s, &types);
	r = tsh_types_check(s, &types, err);
	if (!r && in_rows && !tsh_args_has(&call->args, "LANGUAGE"))
		table = tsh_struct_table(s->out);
	while (!r && (value = tsh_args_next(&call->args, "NAME", value)))
		r = print_word(s, &types, table, call, value, err);
	if (table)
		tsh_table_end(table);
	tsh_types_close(&types);
	return r;
}

static const char *const languages[] = { "c", "rust", NULL };

static const struct tsh_arg struct_args[] = {
	{ .name = "LANGUAGE", .option = "--lang", .type = TSH_ARG_CHOICE, .choices = languages,
	  .flags = TSH_ARG_OPTIONAL,
	  .help = "print a definition that compiles by itself, with the same layout" },
	{ .name = "NAME", .type = TSH_ARG_TYPE, .flags = TSH_ARG_MANY,
	  .help = "structures, unions, enumerations, typedefs; a member behind a dot" },
	{ 0 }
};

static const struct tsh_example struct_examples[] = {
	{ "try struct timer_list", "its members, with offsets, sizes and holes" },
	{ "try struct task_struct.se.load", "a member's own structure" },
	{ "try struct sk_buff.dev", "what a pointer points to" },
	{ "try struct --lang c list_head", "as source in C" },
	{ 0 }
};

const struct tsh_cmd tsh_cmd_struct = {
	.name = "struct", .group = TSH_GROUP_FIND,
	.summary = "show how a structure of the kernel lies in memory",
	.description = "From the running kernel's type information (BTF), and that of its "
		       "modules: types, offsets, sizes, bit fields (4:2 is bit 2 of byte 4), "
		       "holes. It needs no tracefs, and a kernel with CONFIG_DEBUG_INFO_BTF.",
	.see_also = "info",
	.args = struct_args, .examples = struct_examples,
	.flags = TSH_CMD_PRINTS | TSH_CMD_PAGES,
	.run = struct_run,
};
