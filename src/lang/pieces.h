/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_LANG_PIECES_H
#define TRACESH_LANG_PIECES_H

/* What the readers of words and of expressions share: the source cut into pieces. */

#include "base/strbuf.h"
#include "base/vec.h"
#include "lexer.h"

enum tsh_piece_kind {
	TSH_PIECE_END,		/* of the command: ';', newline, a comment's '#', no more text */
	TSH_PIECE_PIPE,		/* a lone '|' */
	TSH_PIECE_BLANK,	/* one blank, or a continuation */
	TSH_PIECE_SINGLE,	/* '..' with its quotes */
	TSH_PIECE_DOUBLE,	/* ".." with its quotes */
	TSH_PIECE_OPEN,		/* a quote that nothing closes */
	TSH_PIECE_VARIABLE,	/* ${name} $1 $# $? */
	TSH_PIECE_MALFORMED,	/* the '$' of a "${" that is no variable */
	TSH_PIECE_PLAIN,	/* any other character; also "||" */
};

struct tsh_piece {
	enum tsh_piece_kind kind;
	size_t end;		/* offset behind it; an END is empty, an OPEN is its quote */
};

/* The piece that begins at pos, outside quotes. */
struct tsh_piece tsh_piece_at(const struct tsh_lexer *lx, size_t pos);
/* Behind the blanks and continuations at pos. */
size_t tsh_skip_blanks(const struct tsh_lexer *lx, size_t pos);
/* The newline (or the end of the text) that ends the line of pos; with `continued`
 * the one that no backslash precedes. */
size_t tsh_skip_line(const struct tsh_lexer *lx, size_t pos, bool continued);
/* The raw word at pos; empty when a quote or a variable is in it. */
struct tsh_span tsh_raw_word(const struct tsh_lexer *lx, size_t pos);
bool tsh_span_is(const struct tsh_lexer *lx, struct tsh_span span, const char *text);

/* A word in the making. Zeroed memory is an empty one. */
struct tsh_builder {
	struct tsh_strbuf text;
	TSH_VEC(uint32_t) from;
};

/* One byte that came from offset `from`. */
void tsh_builder_add(struct tsh_builder *b, char c, size_t from);
/* Bytes [begin, end) of the source as they are. */
void tsh_builder_copy(struct tsh_builder *b, const struct tsh_lexer *lx, size_t begin, size_t end);
/* The same, with variables replaced. */
int tsh_builder_expand(struct tsh_builder *b, struct tsh_lexer *lx, size_t begin, size_t end,
		       struct tsh_err *err);
void tsh_builder_truncate(struct tsh_builder *b, size_t len);
/* Moves what was built into ret (NULL: drops it); `end` becomes from[len]. */
void tsh_builder_finish(struct tsh_builder *b, size_t end, struct tsh_span span, bool quoted,
			struct tsh_word *ret);
void tsh_builder_release(struct tsh_builder *b);

#endif
