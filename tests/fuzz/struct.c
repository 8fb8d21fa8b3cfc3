/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The BTF of a recorded tree through the command struct: its types by their names, as text, as
 * rows, and as source in C and Rust, and members of them. What is printed can be shown on a
 * terminal.
 */
#include "trees.h"

#include "events/symbols/btf.h"
#include "lang/lexer.h"

#define TYPES_MAX   8
#define MEMBERS_MAX 1

static const struct fuzz_file given[] = { { "events/header_page", "" }, { NULL, NULL } };

struct input {
	const uint8_t *data;
	size_t size;
	struct tsh_btf *btf;
	struct tsh_strbuf types, source;
	const char *outer;
	unsigned int n, members;
};

static int provide_btf(void *ctx)
{
	struct input *in = ctx;
	int fd = open_memory();

	if (write(fd, in->data, in->size) != (ssize_t)in->size || lseek(fd, 0, SEEK_SET) < 0)
		abort();
	return fd;
}

static void add_command(struct tsh_strbuf *out, const char *command, const char *name)
{
	tsh_strbuf_adds(out, command);
	tsh_lexer_quote(out, name);
	tsh_strbuf_addc(out, '\n');
}

static void take_member(void *ctx, const struct tsh_btf_part *part)
{
	struct input *in = ctx;
	char *name;

	if (in->members++ >= MEMBERS_MAX)
		return;
	name = tsh_xasprintf("%s.%s", in->outer, part->name);
	add_command(&in->types, "try struct ", name);
	add_command(&in->source, "try struct --lang c ", name);
	free(name);
}

static void take(void *ctx, const struct tsh_btf_type *type)
{
	struct input *in = ctx;

	if (in->n++ >= TYPES_MAX)
		return;
	add_command(&in->types, "try struct ", type->name);
	add_command(&in->source, "try struct --lang c ", type->name);
	add_command(&in->source, "try struct --lang rust ", type->name);
	in->members = 0;
	in->outer = type->name;
	tsh_btf_members(in->btf, type->ref, take_member, in);
}

static void print_types(const struct input *in)
{
	const char *types = in->types.buf;
	char top[64], *all = tsh_xasprintf("%sset format json\n%sset format text\n%s", types, types,
					   in->source.buf);
	int fd = open_memory();

	name_tree(top, sizeof(top));
	make_tree(top, given, "", 0);
	make_file(top, "btf", (const char *)in->data, in->size);
	run_on_tree(top, TSH_FORMAT_TEXT, all, fd);
	check_printed(fd);
	remove_tree(top);
	free(all);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input in = { .data = data, .size = size, .types = TSH_STRBUF_INIT,
			    .source = TSH_STRBUF_INIT };
	const struct tsh_provider provider = { .btf = provide_btf, .ctx = &in };

	in.btf = tsh_btf_new(&provider);
	tsh_btf_names(in.btf, TSH_BTF_AGGREGATES | TSH_BTF_ENUMS | TSH_BTF_TYPEDEFS, take, &in);
	tsh_btf_free(in.btf);
	if (in.n)
		print_types(&in);
	tsh_strbuf_release(&in.types);
	tsh_strbuf_release(&in.source);
	return 0;
}
