/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_LANG_PIECES_H
#define TRACESH_LANG_PIECES_H

/* Cuts the source into pieces, for the readers of words and of expressions. */

#include "base/strbuf.h"
#include "base/vec.h"
#include "lexer.h"

enum tsh_piece_kind {
	TSH_PIECE_END,		/* end of the command: ';', newline, the '#' of a comment, end of the text */
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
	size_t end;		/* offset behind the piece; END: empty; OPEN: only the quote */
};

/* Returns the piece that begins at pos, outside of quotes. */
struct tsh_piece tsh_piece_at(const struct tsh_lexer *lx, size_t pos);
/* Returns the place behind the blanks and continuations at pos. */
size_t tsh_skip_blanks(const struct tsh_lexer *lx, size_t pos);
/* Returns the place of the newline (or of the end of the text) that ends the line of pos. With
 * `continued`, a backslash before a newline continues the line. */
size_t tsh_skip_line(const struct tsh_lexer *lx, size_t pos, bool continued);
/* Returns the word at pos as it stands in the source; empty when it has a quote or a variable. */
struct tsh_span tsh_raw_word(const struct tsh_lexer *lx, size_t pos);
bool tsh_span_is(const struct tsh_lexer *lx, struct tsh_span span, const char *text);

/* Builds a word. Zeroed memory is an empty one. */
struct tsh_builder {
	struct tsh_strbuf text;
	TSH_VEC(uint32_t) from;
};

/* Adds one byte that came from offset `from`. */
void tsh_builder_add(struct tsh_builder *b, char c, size_t from);
/* Adds bytes [begin, end) of the source as they are. */
void tsh_builder_copy(struct tsh_builder *b, const struct tsh_lexer *lx, size_t begin, size_t end);
/* Does the same, with variables replaced. Returns 0, or -1 with err. */
int tsh_builder_expand(struct tsh_builder *b, struct tsh_lexer *lx, size_t begin, size_t end,
		       struct tsh_err *err);
void tsh_builder_truncate(struct tsh_builder *b, size_t len);
/* Moves the word that was built into ret (NULL: drops it); `end` becomes from[len]. */
void tsh_builder_finish(struct tsh_builder *b, size_t end, struct tsh_span span, bool quoted,
			struct tsh_word *ret);
void tsh_builder_release(struct tsh_builder *b);

#endif
