/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A BTF file: every type that it names is laid out, declared, and printed as source; what
 * takes its parameters for those of a tracepoint does so, too.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/strbuf.h"
#include "engine/types/struct.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define TYPES_MAX 50

struct input {
	const uint8_t *data;
	size_t size;
	struct tsh_btf *btf;
	struct tsh_out *out;
	unsigned int n;
};

static int provide_btf(void *ctx)
{
	struct input *in = ctx;
	int fd = memfd_create("btf", MFD_CLOEXEC);

	if (fd < 0 || write(fd, in->data, in->size) != (ssize_t)in->size ||
	    lseek(fd, 0, SEEK_SET) < 0)
		abort();
	return fd;
}

static ssize_t drop(void *ctx, const char *data, size_t len)
{
	(void)ctx;
	(void)data;
	return (ssize_t)len;
}

static void take_member(void *ctx, const struct tsh_btf_part *part)
{
	struct input *in = ctx;
	struct tsh_btf_part found;
	uint64_t at;

	if (++in->n % 16 == 0)
		tsh_btf_member(in->btf, part->type, part->name, &found, &at);
}

static void take_layout(struct input *in, struct tsh_btf_ref ref)
{
	struct tsh_strbuf text = TSH_STRBUF_INIT;
	struct tsh_btf_layout layout = { 0 };
	size_t i;

	tsh_btf_layout(in->btf, ref, &layout);
	for (i = 0; i < layout.n && i < 100; i++) {
		tsh_strbuf_clear(&text);
		(void)tsh_btf_declare(in->btf, layout.v[i].type, layout.v[i].name, NULL, &text);
	}
	tsh_btf_layout_release(&layout);
	tsh_strbuf_release(&text);
}

static void take(void *ctx, const struct tsh_btf_type *type)
{
	struct input *in = ctx;
	struct tsh_btf_type target;
	struct tsh_strbuf text = TSH_STRBUF_INIT;

	if (++in->n > TYPES_MAX)
		return;
	(void)tsh_btf_declare(in->btf, type->ref, "x", NULL, &text);
	target = tsh_btf_target(in->btf, type->ref, NULL);
	if (target.kind == TSH_BTF_FUNC_PROTO)
		(void)tsh_btf_parameters(in->btf, &target, 1, NULL, &text);
	tsh_strbuf_release(&text);
	take_layout(in, type->ref);
	tsh_btf_members(in->btf, type->ref, take_member, in);
	if (target.kind == TSH_BTF_STRUCT || target.kind == TSH_BTF_UNION ||
	    target.kind == TSH_BTF_ENUM || target.kind == TSH_BTF_ENUM64) {
		tsh_struct_print_c(in->out, in->btf, &target, type->name);
		tsh_struct_print_rust(in->out, in->btf, &target, type->name);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input in = { .data = data, .size = size };
	const struct tsh_provider provider = { .btf = provide_btf, .ctx = &in };
	struct tsh_out out;

	tsh_out_init(&out, -1, TSH_FORMAT_TEXT);
	out.write = drop;
	in.out = &out;
	in.btf = tsh_btf_new(&provider);
	tsh_btf_names(in.btf, TSH_BTF_AGGREGATES | TSH_BTF_ENUMS | TSH_BTF_TYPEDEFS | TSH_BTF_FUNCS,
		      take, &in);
	(void)tsh_out_flush(&out);
	tsh_btf_free(in.btf);
	tsh_out_release(&out);
	return 0;
}
