/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "compile-internal.h"

/* Makes a text that depends on a few bits of one field (the state of a task, a byte of flags) once
 * for each value of these bits, because its conditions and loops would be mispredicted. */

#define VALUES_MAX	256
#define POOL_MAX	8192		/* limit of all texts together */

static bool same_source(const struct source *a, const struct source *b)
{
	return a->load == b->load && a->at == b->at && a->shift == b->shift && a->mask == b->mask;
}

/* Returns the source of ops[begin..] when there is only one, or NULL. */
static const struct source *only_source(const struct compiler *c, size_t begin)
{
	const struct source *only = NULL, *source;
	size_t i;

	for (i = begin; i < c->ops.n; i++) {
		switch ((enum op_code)c->ops.v[i].code) {
		case OP_LITERAL:
		case OP_TEXT:
		case OP_JUMP:
			continue;
		case OP_FLAGS:
		case OP_SYMBOLIC:
		case OP_CHOICE:
		case OP_BRANCH:
			break;
		default:
			return NULL;
		}
		source = &c->sources.v[c->ops.v[i].a];
		if (only && !same_source(only, source))
			return NULL;
		only = source;
	}
	return only;
}

/* Returns the bits that a source can have set. */
static uint64_t source_bits(const struct source *source)
{
	switch ((enum load)source->load) {
	case LOAD_U1: return UINT8_MAX >> source->shift & source->mask;
	case LOAD_U2: return UINT16_MAX >> source->shift & source->mask;
	case LOAD_CODE: return UINT64_MAX;
	default: return source->mask;
	}
}

/* Runs the ops on a record that has the value in its field. */
static void run_for(const struct compiler *c, size_t begin, const struct source *source,
		    uint64_t value, unsigned char *data, struct tsh_strbuf *ret)
{
	const struct program p = {
		.env = c->env, .room = c->room + ROOM_MARGIN, .ops = c->ops.v + begin,
		.code = c->code.v, .sources = c->sources.v, .texts = c->texts.v,
		.tables = c->tables.v, .pool = c->pool.buf,
	};
	const struct tsh_record rec = { .data = data, .size = c->need };
	const uint64_t u8 = value << source->shift;
	const uint32_t u4 = (uint32_t)u8;
	const uint16_t u2 = (uint16_t)u8;
	unsigned char *at = data + source->at;

	if (source->load == LOAD_U8)
		memcpy(at, &u8, sizeof(u8));
	else if (source->load == LOAD_U4 || source->load == LOAD_S4)
		memcpy(at, &u4, sizeof(u4));
	else if (source->load == LOAD_U2 || source->load == LOAD_S2)
		memcpy(at, &u2, sizeof(u2));
	else
		*at = (unsigned char)u8;
	(void)program_run(&p, &rec, ret);
}

/* Lets jumps count from the op `begin`, because these ops become a program of their own. */
static void rebase(struct compiler *c, size_t begin)
{
	size_t i;

	for (i = begin; i < c->ops.n; i++)
		if (c->ops.v[i].code == OP_JUMP || c->ops.v[i].code == OP_BRANCH)
			c->ops.v[i].b -= (uint32_t)begin;
}

/* Makes the texts of all values, one behind the other. Returns false when they are too long. */
static bool make_texts(struct compiler *c, size_t begin, const struct source *source,
		       uint64_t mask, struct tsh_strbuf *all, struct text_ref *ret)
{
	unsigned char *data = tsh_xcalloc(c->need, 1);
	uint64_t value;

	for (value = 0; value <= mask && all->len <= POOL_MAX; value++) {
		ret[value].at = (uint32_t)all->len;
		if (!(value & ~mask))
			run_for(c, begin, source, value, data, all);
		ret[value].len = (uint32_t)all->len - ret[value].at;
	}
	free(data);
	return all->len <= POOL_MAX;
}

/* Makes the texts of the ops from begin on, for all values of their source. Returns false when
 * there is more than one source, or too many values. */
static bool tabulate(struct compiler *c, size_t begin, struct source *ret_source,
		     struct tsh_strbuf *all, struct text_ref *texts)
{
	static const char overread[TEXT_OVERREAD];
	const struct source *only = only_source(c, begin);

	if (!only || source_bits(only) >= VALUES_MAX)
		return false;
	*ret_source = *only;
	compile_op(c, OP_END, 0);
	compile_pool(c, overread, sizeof(overread));
	rebase(c, begin);
	return make_texts(c, begin, ret_source, source_bits(ret_source), all, texts);
}

/* Adds the op that has the texts. */
static void add_indexed(struct compiler *c, const struct source *source,
			const struct tsh_strbuf *all, const struct text_ref *texts)
{
	struct text_ref pool = compile_pool(c, all->buf, all->len);
	uint64_t i, last = source_bits(source);
	size_t longest = 0;
	struct op *op;

	for (i = 0; i <= last; i++) {
		*tsh_vec_push(&c->texts) = (struct text_ref){ pool.at + texts[i].at, texts[i].len };
		longest = texts[i].len > longest ? texts[i].len : longest;
	}
	*tsh_vec_push(&c->sources) = *source;
	op = compile_op(c, OP_INDEXED, longest);
	op->a = (uint32_t)c->sources.n - 1;
	op->b = (uint32_t)(c->texts.n - 1 - last);
}

bool compile_tabulated(struct compiler *c, const struct expr *e)
{
	struct compiler_mark mark = compile_mark(c);
	struct tsh_strbuf literal = c->literal, all = TSH_STRBUF_INIT;
	struct text_ref texts[VALUES_MAX];
	struct source source;
	bool is_good, is_tabulated;

	/* Compiles without the pending literal, which is no part of the texts. */
	tsh_strbuf_init(&c->literal);
	is_good = compile_string(c, e);
	is_tabulated = is_good && tabulate(c, mark.ops, &source, &all, texts);
	tsh_strbuf_release(&c->literal);
	c->literal = literal;
	compile_rollback(c, &mark);
	if (is_tabulated)
		add_indexed(c, &source, &all, texts);
	else if (is_good)
		is_good = compile_string(c, e);
	tsh_strbuf_release(&all);
	return is_good;
}
