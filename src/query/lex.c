/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "lex.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/xmalloc.h"

/* Limits a word; no address, number or field name is longer. */
#define WORD_MAX 256

void query_lexer_init(struct query_lexer *lx, const char *text, size_t len, struct tsh_err *err)
{
	*lx = (struct query_lexer){ .text = text, .len = len, .err = err };
}

static void forget_value(struct query_lexer *lx)
{
	free(lx->value.text);
	tsh_cpuset_release(&lx->value.cpus);
	lx->value = (struct tsh_query_node){ 0 };
}

void query_lexer_release(struct query_lexer *lx)
{
	forget_value(lx);
}

/* Returns the byte `ahead` bytes from the cursor; '\0' at the end. */
static char at(const struct query_lexer *lx, size_t ahead)
{
	return lx->pos + ahead < lx->len ? lx->text[lx->pos + ahead] : '\0';
}

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

static int refuse(struct query_lexer *lx, size_t begin, size_t end, const char *message)
{
	return tsh_err_at(lx->err, (struct tsh_span){ begin, end }, "%s", message);
}

/* Makes the text from `begin` to the cursor an operand. */
static int operand(struct query_lexer *lx, enum tsh_query_kind kind, size_t begin)
{
	lx->token = QUERY_OPERAND;
	lx->span = (struct tsh_span){ begin, lx->pos };
	lx->value.kind = kind;
	lx->value.span = lx->span;
	return 0;
}

/* ---- strings ---- */

static int read_string(struct query_lexer *lx)
{
	size_t begin = lx->pos, end;
	char quote = at(lx, 0);

	for (end = begin + 1; end < lx->len && lx->text[end] != quote; end++)
		if (!lx->text[end])
			return refuse(lx, begin, end, "a string cannot have a NUL byte");
	if (end == lx->len)
		return refuse(lx, begin, lx->len, "missing matching quote");
	lx->value.text = tsh_xstrndup(lx->text + begin + 1, end - begin - 1);
	lx->pos = end + 1;
	return operand(lx, TSH_QUERY_STRING, begin);
}

/* ---- addresses ---- */

/* Returns how many letters of an address follow, and how many colons and dots are among them. */
static size_t address_run(const struct query_lexer *lx, unsigned int *ret_colons,
			  unsigned int *ret_dots)
{
	size_t n;

	*ret_colons = *ret_dots = 0;
	for (n = 0; isxdigit((unsigned char)at(lx, n)) || at(lx, n) == ':' || at(lx, n) == '.'; n++) {
		/* in a range the two dots are no part of the address */
		if (at(lx, n) == '.' && at(lx, n + 1) == '.')
			break;
		*ret_colons += at(lx, n) == ':';
		*ret_dots += at(lx, n) == '.';
	}
	return n;
}

/* Reads the "/24" behind an address. */
static int read_prefix(struct query_lexer *lx, unsigned int most)
{
	unsigned int bits = 0;
	size_t begin = lx->pos, n;

	lx->value.address.bits = (unsigned char)most;
	if (at(lx, 0) != '/' || !isdigit((unsigned char)at(lx, 1)))
		return 0;
	for (n = 1; isdigit((unsigned char)at(lx, n)) && bits <= most; n++)
		bits = bits * 10 + (unsigned int)(at(lx, n) - '0');
	if (bits > most)
		return refuse(lx, begin, begin + n, "the address does not have that many bits");
	lx->value.address.bits = (unsigned char)bits;
	lx->pos += n;
	return 0;
}

/* Says whether an address stands at the cursor: 10.0.0.1, ::1, fe80::/10. */
static bool is_address(const struct query_lexer *lx, size_t *ret_len, bool *ret_v6)
{
	unsigned int colons, dots;
	size_t len = address_run(lx, &colons, &dots);

	*ret_len = len;
	*ret_v6 = colons >= 2;
	return len < WORD_MAX && !is_word(at(lx, len)) &&
	       (colons >= 2 || (dots == 3 && !colons && isdigit((unsigned char)at(lx, 0))));
}

/* Says whether a text is a time of day: 08:56:58, with or without a fraction. */
static bool is_time_of_day(const char *text)
{
	static const char form[] = "dd:dd:dd";
	size_t i;

	for (i = 0; form[i]; i++)
		if (form[i] == 'd' ? !isdigit((unsigned char)text[i]) : text[i] != form[i])
			return false;
	return !text[i] || text[i] == '.';
}

static int refuse_address(struct query_lexer *lx, size_t begin, size_t end, const char *text)
{
	if (!is_time_of_day(text))
		return refuse(lx, begin, end, "this is no address");
	refuse(lx, begin, end, "a time of day is no number");
	tsh_err_hint(lx->err, "drain and show have --since %s and --until; time is in ns since 1970", text);
	return -1;
}

static int read_address(struct query_lexer *lx, size_t len, bool is_v6)
{
	size_t begin = lx->pos;
	char text[WORD_MAX];

	memcpy(text, lx->text + begin, len);
	text[len] = '\0';
	if (inet_pton(is_v6 ? AF_INET6 : AF_INET, text, lx->value.address.bytes) != 1)
		return refuse_address(lx, begin, begin + len, text);
	lx->value.address.is_v6 = is_v6;
	lx->pos += len;
	if (read_prefix(lx, is_v6 ? 128 : 32) < 0)
		return -1;
	return operand(lx, TSH_QUERY_ADDRESS, begin);
}

/* ---- numbers ---- */

/* Parses a number with a unit, "20ms", "64K". Returns false for another text, such as 08, which
 * the kernel refuses too. */
static bool parse_unit(const char *text, struct tsh_query_node *ret)
{
	if (!text[strspn(text, "0123456789.")])
		return false;
	ret->unit = TSH_QUERY_TIME;
	if (!tsh_parse_time(text, &ret->number))
		return true;
	ret->unit = TSH_QUERY_SIZE;
	return !tsh_parse_size(text, &ret->number);
}

static int refuse_number(struct query_lexer *lx, size_t begin, size_t end)
{
	refuse(lx, begin, end, "this is no number");
	tsh_err_hint(lx->err, "numbers are 12, 0x1f, 20ms, 1.5s, 64K");
	return -1;
}

/* Reads a number as the kernel does (kstrtoull base 0); with a unit it is decimal and may have a
 * fraction. */
static int read_number(struct query_lexer *lx)
{
	size_t begin = lx->pos, n = 0;
	char text[WORD_MAX], *end;

	while (is_word(at(lx, n)) || (at(lx, n) == '.' && at(lx, n + 1) != '.'))
		n++;
	if (n >= sizeof(text))
		return refuse_number(lx, begin, begin + n);
	memcpy(text, lx->text + begin, n);
	text[n] = '\0';
	errno = 0;
	lx->value.number = strtoull(text, &end, 0);
	lx->value.unit = TSH_QUERY_PLAIN;
	if (errno == ERANGE)
		return refuse(lx, begin, begin + n, "a number has 64 bits at most");
	if (*end && !parse_unit(text, &lx->value))
		return refuse_number(lx, begin, begin + n);
	lx->pos += n;
	return operand(lx, TSH_QUERY_NUMBER, begin);
}

/* ---- names ---- */

/* Reads CPUS{0-3,7}. */
static int read_cpus(struct query_lexer *lx)
{
	size_t begin = lx->pos, from = begin + strlen("CPUS{"), end = from;
	char *list;
	int r;

	while (end < lx->len && lx->text[end] != '}')
		end++;
	if (end == lx->len)
		return refuse(lx, begin, lx->len, "missing '}'");
	list = tsh_xstrndup(lx->text + from, end - from);
	r = tsh_parse_cpus(list, &lx->value.cpus);
	free(list);
	if (r < 0)
		return refuse(lx, from, end, "this is no list of CPUs");
	lx->pos = end + 1;
	return operand(lx, TSH_QUERY_CPUS, begin);
}

static int read_name(struct query_lexer *lx)
{
	size_t begin = lx->pos, n = 0;

	while (is_word(at(lx, n)))
		n++;
	if (n == 2 && !strncmp(lx->text + begin, "in", 2)) {
		lx->token = QUERY_IN;
		lx->pos += n;
		lx->span = (struct tsh_span){ begin, lx->pos };
		return 0;
	}
	if (n == 4 && !strncmp(lx->text + begin, "CPUS", 4) && at(lx, n) == '{')
		return read_cpus(lx);
	lx->value.text = tsh_xstrndup(lx->text + begin, n);
	lx->pos += n;
	return operand(lx, TSH_QUERY_NAME, begin);
}

/* ---- operators ---- */

struct sign {
	const char *text;
	enum query_token token;
	enum tsh_query_op op;
};

/* Lists the operators; a longer one stands before its beginnings. */
static const struct sign signs[] = {
	{ "||", QUERY_OPERATOR, TSH_QUERY_OR }, { "&&", QUERY_OPERATOR, TSH_QUERY_AND },
	{ "==", QUERY_OPERATOR, TSH_QUERY_EQ }, { "!=", QUERY_OPERATOR, TSH_QUERY_NE },
	{ "=~", QUERY_OPERATOR, TSH_QUERY_MATCH }, { "!~", QUERY_OPERATOR, TSH_QUERY_NO_MATCH },
	{ "<<", QUERY_OPERATOR, TSH_QUERY_SHL }, { ">>", QUERY_OPERATOR, TSH_QUERY_SHR },
	{ "<=", QUERY_OPERATOR, TSH_QUERY_LE }, { ">=", QUERY_OPERATOR, TSH_QUERY_GE },
	{ "..", QUERY_DOTS, 0 },
	{ "<", QUERY_OPERATOR, TSH_QUERY_LT }, { ">", QUERY_OPERATOR, TSH_QUERY_GT },
	{ "~", QUERY_OPERATOR, TSH_QUERY_GLOB }, { "!", QUERY_OPERATOR, TSH_QUERY_NOT },
	{ "|", QUERY_OPERATOR, TSH_QUERY_BIT_OR }, { "^", QUERY_OPERATOR, TSH_QUERY_BIT_XOR },
	{ "&", QUERY_OPERATOR, TSH_QUERY_BIT_AND }, { "+", QUERY_OPERATOR, TSH_QUERY_ADD },
	{ "-", QUERY_OPERATOR, TSH_QUERY_SUB }, { "*", QUERY_OPERATOR, TSH_QUERY_MUL },
	{ "/", QUERY_OPERATOR, TSH_QUERY_DIV }, { "%", QUERY_OPERATOR, TSH_QUERY_MOD },
	{ "(", QUERY_OPEN, 0 }, { ")", QUERY_CLOSE, 0 }, { "{", QUERY_OPEN_SET, 0 },
	{ "}", QUERY_CLOSE_SET, 0 }, { "[", QUERY_OPEN_INDEX, 0 }, { "]", QUERY_CLOSE_INDEX, 0 },
	{ ",", QUERY_COMMA, 0 },
};

static int read_sign(struct query_lexer *lx)
{
	size_t i, len;

	for (i = 0; i < sizeof(signs) / sizeof(signs[0]); i++) {
		len = strlen(signs[i].text);
		if (len > lx->len - lx->pos || memcmp(lx->text + lx->pos, signs[i].text, len) != 0)
			continue;
		lx->token = signs[i].token;
		lx->op = signs[i].op;
		lx->span = (struct tsh_span){ lx->pos, lx->pos + len };
		lx->pos += len;
		return 0;
	}
	refuse(lx, lx->pos, lx->pos + 1, "this is no operator");
	if (at(lx, 0) == '=')
		tsh_err_hint(lx->err, "'==' compares");
	return -1;
}

/* Reads ".function" behind a name. */
static int read_suffix(struct query_lexer *lx)
{
	size_t begin = lx->pos++, n = 0;

	while (is_word(at(lx, n)))
		n++;
	lx->value.text = tsh_xstrndup(lx->text + lx->pos, n);
	lx->pos += n;
	lx->token = QUERY_SUFFIX;
	lx->span = (struct tsh_span){ begin, lx->pos };
	return 0;
}

int query_lexer_next(struct query_lexer *lx, bool wants_operand)
{
	bool is_v6;
	size_t len;

	forget_value(lx);
	while (lx->pos < lx->len && strchr(" \t\n", lx->text[lx->pos]) && lx->text[lx->pos])
		lx->pos++;
	if (lx->pos == lx->len) {
		lx->token = QUERY_END;
		lx->span = (struct tsh_span){ lx->len, lx->len };
		return 0;
	}
	if (at(lx, 0) == '"' || at(lx, 0) == '\'')
		return read_string(lx);
	if (wants_operand && is_address(lx, &len, &is_v6))
		return read_address(lx, len, is_v6);
	if (isdigit((unsigned char)at(lx, 0)))
		return read_number(lx);
	if (is_word(at(lx, 0)))
		return read_name(lx);
	if (at(lx, 0) == '.' && is_word(at(lx, 1)))
		return read_suffix(lx);
	return read_sign(lx);
}
