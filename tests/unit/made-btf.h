/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TESTS_UNIT_MADE_BTF_H
#define TESTS_UNIT_MADE_BTF_H

/* Makes a BTF type by type, and provides it to the code under test. */

#include "events/symbols/btf.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/strbuf.h"

/* ---- a BTF file made by hand (Documentation/bpf/btf.rst) ---- */

struct made {
	struct tsh_strbuf types, strings;
	uint32_t base_strings;		/* length of the kernel's strings, for a module */
	uint32_t n;			/* types so far, including the kernel's */
	uint32_t last;			/* offset of the last type */
};

#define BIT_FIELDS (UINT32_C(1) << 31)

static inline void word(struct tsh_strbuf *to, uint32_t value)
{
	tsh_strbuf_add(to, &value, sizeof(value));
}

static inline uint32_t string(struct made *m, const char *text)
{
	uint32_t at = m->base_strings + (uint32_t)m->strings.len;

	if (!*text)
		return 0;
	tsh_strbuf_add(&m->strings, text, strlen(text) + 1);
	return at;
}

static inline void begin(struct made *m, const struct made *kernel)
{
	memset(m, 0, sizeof(*m));
	m->base_strings = kernel ? (uint32_t)kernel->strings.len : 0;
	m->n = kernel ? kernel->n : 0;
	tsh_strbuf_addc(&m->strings, '\0');
}

static inline uint32_t type(struct made *m, uint32_t kind, const char *name, uint32_t info, uint32_t size)
{
	word(&m->types, string(m, name));
	word(&m->types, kind << 24 | info);
	word(&m->types, size);
	return ++m->n;
}

static inline uint32_t integer(struct made *m, const char *name, uint32_t size, uint32_t encoding)
{
	uint32_t id = type(m, TSH_BTF_INT, name, 0, size);

	word(&m->types, encoding << 24 | size * 8);
	return id;
}

static inline uint32_t array(struct made *m, uint32_t element, uint32_t n)
{
	uint32_t id = type(m, TSH_BTF_ARRAY, "", 0, 0);

	word(&m->types, element);
	word(&m->types, element);
	word(&m->types, n);
	return id;
}

static inline void member(struct made *m, const char *name, uint32_t its_type, uint32_t at)
{
	word(&m->types, string(m, name));
	word(&m->types, its_type);
	word(&m->types, at);
}

static inline void bit_field(struct made *m, const char *name, uint32_t its_type, uint32_t at,
		      uint32_t bits)
{
	member(m, name, its_type, bits << 24 | at);
}

static inline void parameter(struct made *m, const char *name, uint32_t its_type)
{
	word(&m->types, string(m, name));
	word(&m->types, its_type);
}

static inline void made_text(const struct made *m, struct tsh_strbuf *out)
{
	static const unsigned char magic[] = { 0x9f, 0xeb, 1, 0 }, other[] = { 0xeb, 0x9f, 1, 0 };
	const uint16_t one = 1;
	uint8_t low;

	memcpy(&low, &one, 1);
	tsh_strbuf_add(out, low ? magic : other, 4);
	word(out, 24);
	word(out, 0);
	word(out, (uint32_t)m->types.len);
	word(out, (uint32_t)m->types.len);
	word(out, (uint32_t)m->strings.len);
	tsh_strbuf_add(out, m->types.buf, m->types.len);
	tsh_strbuf_add(out, m->strings.buf, m->strings.len);
}

static inline void made_release(struct made *m)
{
	tsh_strbuf_release(&m->types);
	tsh_strbuf_release(&m->strings);
}

/* ---- a provider of the made files ---- */

struct asked {
	struct tsh_strbuf kernel, module;
	struct tsh_provider provider;
	struct tsh_btf *btf;
};

static inline int give(const struct tsh_strbuf *text)
{
	int fd = memfd_create("btf", MFD_CLOEXEC);

	assert_true(fd >= 0);
	if (text->len)
		assert_int_equal(write(fd, text->buf, text->len), text->len);
	assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
	return fd;
}

static inline int give_kernel(void *ctx)
{
	return give(&((struct asked *)ctx)->kernel);
}

static inline int give_module(void *ctx, unsigned int index)
{
	return index ? -1 : give(&((struct asked *)ctx)->module);
}

static inline void ask_text(struct asked *a)
{
	a->provider = (struct tsh_provider){ .btf = give_kernel, .ctx = a };
	a->provider.module_btf = a->module.len ? give_module : NULL;
	a->btf = tsh_btf_new(&a->provider);
}

/* Starts a reader of both files. Releases `kernel` and `module`; module may be NULL. */
static inline void ask(struct asked *a, struct made *kernel, struct made *module)
{
	memset(a, 0, sizeof(*a));
	made_text(kernel, &a->kernel);
	if (module) {
		made_text(module, &a->module);
		made_release(module);
	}
	made_release(kernel);
	ask_text(a);
}

static inline void finish(struct asked *a)
{
	tsh_btf_free(a->btf);
	tsh_strbuf_release(&a->kernel);
	tsh_strbuf_release(&a->module);
}

static inline struct tsh_btf_ref find(struct asked *a, const char *name)
{
	struct tsh_btf_ref ref;

	assert_true(tsh_btf_find_type(a->btf, name, &ref));
	return ref;
}

/* ---- types that several tests have: a list of nodes ---- */

enum { INT_ID = 1, LONG_ID, CHAR_ID, NODE_ID, NODE_PTR, NAME_ID, UNION_ID, CONST_CHAR, STRING_ID,
       PROTO_ID, CALL_ID, U32_ID };

static inline void fill(struct made *m)
{
	begin(m, NULL);
	assert_int_equal(integer(m, "int", 4, 1), INT_ID);
	assert_int_equal(integer(m, "long unsigned int", 8, 0), LONG_ID);
	assert_int_equal(integer(m, "char", 1, 1), CHAR_ID);
	/* makes a cycle: each node points to the next */
	assert_int_equal(type(m, TSH_BTF_STRUCT, "node", BIT_FIELDS | 8, 64), NODE_ID);
	bit_field(m, "next", NODE_PTR, 0, 0);
	bit_field(m, "low", INT_ID, 64, 3);
	bit_field(m, "high", INT_ID, 70, 10);
	bit_field(m, "count", U32_ID, 96, 0);
	bit_field(m, "", UNION_ID, 128, 0);
	bit_field(m, "name", NAME_ID, 192, 0);
	bit_field(m, "call", CALL_ID, 320, 0);
	bit_field(m, "text", STRING_ID, 384, 0);
	assert_int_equal(type(m, TSH_BTF_PTR, "", 0, NODE_ID), NODE_PTR);
	assert_int_equal(array(m, CHAR_ID, 13), NAME_ID);
	assert_int_equal(type(m, TSH_BTF_UNION, "", 2, 8), UNION_ID);
	member(m, "owner", NODE_PTR, 0);
	member(m, "flags", INT_ID, 0);
	assert_int_equal(type(m, TSH_BTF_CONST, "", 0, CHAR_ID), CONST_CHAR);
	assert_int_equal(type(m, TSH_BTF_PTR, "", 0, CONST_CHAR), STRING_ID);
	assert_int_equal(type(m, TSH_BTF_FUNC_PROTO, "", 2, INT_ID), PROTO_ID);
	parameter(m, "node", NODE_PTR);
	parameter(m, "", STRING_ID);
	assert_int_equal(type(m, TSH_BTF_PTR, "", 0, PROTO_ID), CALL_ID);
	assert_int_equal(type(m, TSH_BTF_TYPEDEF, "u32", 0, INT_ID), U32_ID);
}

#endif
