/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <ctype.h>
#include <string.h>

#include "expr.h"

#define LONG	0			/* means the size of the kernel's long in tables */

struct word {
	const char *p;
	size_t len;
};

static bool word_is(struct word word, const char *text)
{
	return word.len == strlen(text) && !memcmp(word.p, text, word.len);
}

/* Reads an identifier or a star from the front; its length is 0 at the end. */
static bool read_word(const char **p, const char *end, struct word *ret)
{
	while (*p < end && isspace((unsigned char)**p))
		(*p)++;
	ret->p = *p;
	if (*p < end && **p == '*')
		(*p)++;
	else
		while (*p < end && (isalnum((unsigned char)**p) || **p == '_'))
			(*p)++;
	ret->len = (size_t)(*p - ret->p);
	return ret->len || *p == end;
}

/* ---- typedefs ---- */

struct known_type {
	const char *name;
	uint8_t size;
	bool is_signed;
};

/* Lists types of include/linux/types.h, include/uapi/asm-generic/posix_types.h and of
 * subsystems. */
static const struct known_type typedefs[] = {
	{ "u8", 1, false }, { "u16", 2, false }, { "u32", 4, false }, { "u64", 8, false },
	{ "s8", 1, true }, { "s16", 2, true }, { "s32", 4, true }, { "s64", 8, true },
	{ "uint8_t", 1, false }, { "uint16_t", 2, false }, { "uint32_t", 4, false },
	{ "uint64_t", 8, false }, { "int8_t", 1, true }, { "int16_t", 2, true },
	{ "int32_t", 4, true }, { "int64_t", 8, true }, { "u_int8_t", 1, false },
	{ "u_int16_t", 2, false }, { "u_int32_t", 4, false }, { "u_int64_t", 8, false },
	{ "__le16", 2, false }, { "__le32", 4, false }, { "__le64", 8, false },
	{ "__be16", 2, false }, { "__be32", 4, false }, { "__be64", 8, false },
	{ "__sum16", 2, false }, { "__wsum", 4, false }, { "uchar", 1, false },
	{ "unchar", 1, false }, { "u_char", 1, false }, { "ushort", 2, false },
	{ "u_short", 2, false }, { "uint", 4, false }, { "u_int", 4, false },
	{ "ulong", LONG, false }, { "u_long", LONG, false }, { "size_t", LONG, false },
	{ "ssize_t", LONG, true }, { "ptrdiff_t", LONG, true }, { "intptr_t", LONG, true },
	{ "uintptr_t", LONG, false }, { "off_t", LONG, true }, { "loff_t", 8, true },
	{ "dev_t", 4, false }, { "ino_t", LONG, false }, { "mode_t", 4, false },
	{ "umode_t", 2, false }, { "fmode_t", 4, false }, { "nlink_t", 4, false },
	{ "pid_t", 4, true }, { "uid_t", 4, false }, { "gid_t", 4, false }, { "qid_t", 4, false },
	{ "projid_t", 4, false }, { "key_t", 4, true }, { "key_serial_t", 4, true },
	{ "mqd_t", 4, true }, { "timer_t", 4, true }, { "clockid_t", 4, true },
	{ "time_t", LONG, true }, { "clock_t", LONG, true }, { "time64_t", 8, true },
	{ "ktime_t", 8, true }, { "sector_t", 8, false }, { "blkcnt_t", 8, false },
	{ "pgoff_t", LONG, false }, { "gfp_t", 4, false }, { "slab_flags_t", 4, false },
	{ "__poll_t", 4, false }, { "__kernel_rwf_t", 4, true }, { "rwf_t", 4, true },
	{ "blk_opf_t", 4, false }, { "blk_mode_t", 4, false }, { "blk_qc_t", 4, false },
	{ "blk_status_t", 1, false }, { "req_flags_t", 4, false }, { "vm_flags_t", LONG, false },
	{ "vm_fault_t", 4, false }, { "isolate_mode_t", 4, false }, { "errseq_t", 4, false },
	{ "phys_addr_t", LONG, false }, { "dma_addr_t", LONG, false },
	{ "resource_size_t", LONG, false }, { "gpa_t", 8, false }, { "gfn_t", 8, false },
	{ "hpa_t", 8, false }, { "hfn_t", 8, false }, { "gva_t", LONG, false },
	{ "hva_t", LONG, false }, { "kvm_pfn_t", 8, false }, { "netdev_features_t", 8, false },
	{ "pteval_t", LONG, false }, { "pmdval_t", LONG, false }, { "pudval_t", LONG, false },
	{ "p4dval_t", LONG, false }, { "pgdval_t", LONG, false }, { "pgprotval_t", LONG, false },
	{ "netmem_ref", LONG, false }, { "ext4_lblk_t", 4, false }, { "ext4_fsblk_t", 8, false },
	{ "tid_t", 4, false }, { "OM_uint32", 4, false }, { "snd_pcm_state_t", 4, true },
	{ "fl_owner_t", LONG, false },
};

/* Finds a typedef; __u32 is the same as u32. */
static const struct known_type *find_typedef(struct word name)
{
	size_t i;

	if (name.len > 3 && !memcmp(name.p, "__", 2) && (name.p[2] == 'u' || name.p[2] == 's') &&
	    isdigit((unsigned char)name.p[3])) {
		name.p += 2;
		name.len -= 2;
	}
	for (i = 0; i < sizeof(typedefs) / sizeof(typedefs[0]); i++)
		if (word_is(name, typedefs[i].name))
			return &typedefs[i];
	return NULL;
}

/* Returns the size of a structure with whose pointers print formats compute:
 * `(struct page *)vmemmap_base + pfn`. Returns 0 for others. */
static uint8_t struct_size(struct word name, unsigned int long_size)
{
	static const struct {
		const char *name;
		uint8_t size;
	} known[] = {
		{ "in_addr", 4 }, { "in6_addr", 16 }, { "sockaddr", 16 }, { "sockaddr_in", 16 },
		{ "sockaddr_in6", 28 }, { "sockaddr_storage", 128 },
	};
	size_t i;

	if (word_is(name, "page"))
		return long_size == 8 ? 64 : 32;
	for (i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (word_is(name, known[i].name))
			return known[i].size;
	return 0;
}

/* ---- declarations ---- */

/* Collects the words of a type. */
struct specifiers {
	struct ctype base;		/* type of a typedef, an enum or a structure */
	bool has_base;
	bool is_struct, is_page, is_unknown;
	bool is_void, is_char, is_bool, is_int, is_short, is_signed, is_unsigned;
	unsigned int longs;
	unsigned int stars;
};

static bool is_qualifier(struct word word)
{
	static const char *const names[] = {
		"const", "volatile", "static", "register", "restrict", "__const", "__volatile__",
		"__restrict", "__user", "__iomem", "__rcu", "__force", "__percpu", "__seg_gs",
		"__seg_fs", "__extension__",
	};
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (word_is(word, names[i]))
			return true;
	return false;
}

/* Adds a keyword of C's number types. */
static bool add_keyword(struct specifiers *s, struct word word)
{
	if (word_is(word, "unsigned"))
		s->is_unsigned = true;
	else if (word_is(word, "signed") || word_is(word, "__signed__"))
		s->is_signed = true;
	else if (word_is(word, "long"))
		s->longs++;
	else if (word_is(word, "short"))
		s->is_short = true;
	else if (word_is(word, "int"))
		s->is_int = true;
	else if (word_is(word, "char"))
		s->is_char = true;
	else if (word_is(word, "bool") || word_is(word, "_Bool"))
		s->is_bool = true;
	else if (word_is(word, "void"))
		s->is_void = true;
	else
		return false;
	return true;
}

static bool has_keyword(const struct specifiers *s)
{
	return s->is_void || s->is_char || s->is_bool || s->is_int || s->is_short ||
	       s->is_signed || s->is_unsigned || s->longs;
}

static struct ctype number_type(unsigned int size, bool is_signed)
{
	return (struct ctype){ .size = (uint8_t)size, .is_signed = is_signed };
}

/* Adds a name that is no keyword: `enum x`, `struct x`, a typedef. */
static bool add_name(struct specifiers *s, struct word word, const char **p, const char *end,
		     unsigned int long_size)
{
	bool is_struct = word_is(word, "struct") || word_is(word, "union");
	const struct known_type *known;

	if (s->has_base || has_keyword(s))
		return false;
	s->has_base = true;
	if (is_struct || word_is(word, "enum")) {
		if (!read_word(p, end, &word) || !word.len || *word.p == '*')
			return false;
		s->is_struct = is_struct;
		s->is_page = is_struct && word_is(word, "page");
		/* an enum is unsigned: nearly all have no negative enumerators */
		s->base = number_type(is_struct ? struct_size(word, long_size) : 4, false);
		return true;
	}
	known = find_typedef(word);
	s->is_unknown = !known;
	if (known)
		s->base = number_type(known->size ? known->size : long_size, known->is_signed);
	return true;
}

/* Returns the type of the words without stars. A char is unsigned, as in Linux 6.2 and later. */
static struct ctype base_type(const struct specifiers *s, unsigned int long_size)
{
	struct ctype type;

	if (s->has_base)
		return s->base;
	if (s->is_void)
		return (struct ctype){ 0 };
	if (s->is_bool)
		return (struct ctype){ .size = 1, .is_bool = true };
	if (s->is_char)
		return number_type(1, s->is_signed);
	type = number_type(4, !s->is_unsigned);
	if (s->is_short)
		type.size = 2;
	else if (s->longs)
		type.size = (uint8_t)(s->longs > 1 ? 8 : long_size);
	return type;
}

static struct ctype pointer_type(const struct specifiers *s, struct ctype target,
				 unsigned int long_size)
{
	return (struct ctype){
		.size = (uint8_t)long_size,
		.stars = (uint8_t)s->stars,
		.target_size = target.size,
		.target_signed = target.is_signed,
		.target_is_char = s->is_char && s->stars == 1,
		.target_is_struct = s->is_struct || s->is_unknown,
		.target_is_page = s->is_page && s->stars == 1,
	};
}

bool ctype_parse(const char *words, size_t len, unsigned int long_size, struct ctype *ret)
{
	const char *p = words, *end = words + len;
	struct specifiers s = { .stars = 0 };
	struct word word;

	for (;;) {
		if (!read_word(&p, end, &word))
			return false;
		if (!word.len)
			break;
		if (is_qualifier(word))
			continue;
		if (*word.p == '*' && (s.has_base || has_keyword(&s)) && s.stars < 8)
			s.stars++;
		else if (*word.p == '*' || s.stars ||
			 (!(!s.has_base && add_keyword(&s, word)) &&
			  !add_name(&s, word, &p, end, long_size)))
			return false;
	}
	if (!s.has_base && !has_keyword(&s))
		return false;
	*ret = base_type(&s, long_size);
	if (s.stars)
		*ret = pointer_type(&s, *ret, long_size);
	else if (s.is_struct)
		*ret = (struct ctype){ .target_size = ret->size, .target_is_struct = true };
	return s.stars || !s.is_unknown;
}

enum ctype_word ctype_word(const char *text, size_t len)
{
	struct specifiers ignored = { .stars = 0 };
	struct word word = { text, len };

	if (is_qualifier(word))
		return CTYPE_QUALIFIER;
	if (add_keyword(&ignored, word))
		return CTYPE_SPECIFIER;
	if (word_is(word, "struct") || word_is(word, "union") || word_is(word, "enum"))
		return CTYPE_TAG;
	return CTYPE_OTHER;
}

struct ctype ctype_of_field(const struct tsh_field *field, unsigned int long_size)
{
	struct ctype type = { 0 };
	bool is_char = field->kind == TSH_FIELD_CHARS || field->kind == TSH_FIELD_STRING;

	switch (field->kind) {
	case TSH_FIELD_INT:
		type = number_type(field->size, field->is_signed);
		type.is_bool = !strcmp(field->type, "bool") && field->size == 1;
		return type;
	case TSH_FIELD_POINTER:
		if (!ctype_parse(field->type, strlen(field->type), long_size, &type) ||
		    !type.stars)
			type = (struct ctype){ .stars = 1 };
		type.size = (uint8_t)field->size;
		return type;
	default:
		break;
	}
	type.size = (uint8_t)long_size;
	type.stars = 1;
	type.target_size = (uint8_t)(is_char ? 1 : field->element_size ? field->element_size :
				     long_size);
	type.target_signed = field->is_signed;
	type.target_is_char = is_char;
	return type;
}

/* ---- arithmetic ---- */

struct ctype ctype_promote(struct ctype type)
{
	if (!type.stars && type.size && type.size < 4)
		return number_type(4, true);
	return type;
}

struct ctype ctype_common(struct ctype a, struct ctype b, unsigned int long_size)
{
	(void)long_size;		/* the result does not depend on it */
	a = ctype_promote(a);
	b = ctype_promote(b);
	if (a.stars || !b.size)
		return a;
	if (b.stars || !a.size)
		return b;
	if (a.size != b.size)
		return a.size > b.size ? a : b;
	return a.is_signed ? b : a;
}

uint64_t ctype_wrap(struct ctype type, uint64_t value)
{
	unsigned int shift;

	if (type.is_bool && !type.stars)
		return value != 0;
	if (!type.size || type.size >= 8)
		return value;
	shift = 64 - 8U * type.size;
	value <<= shift;
	if (type.is_signed && !type.stars)
		return (uint64_t)((int64_t)value >> shift);
	return value >> shift;
}

static bool divide(bool is_signed, bool want_rest, uint64_t a, uint64_t b, uint64_t *ret)
{
	if (!b)
		return false;
	if (!is_signed)
		*ret = want_rest ? a % b : a / b;
	else if ((int64_t)b == -1)
		*ret = want_rest ? 0 : 0 - a;
	else
		*ret = (uint64_t)(want_rest ? (int64_t)a % (int64_t)b : (int64_t)a / (int64_t)b);
	return true;
}

static bool is_less(bool is_signed, uint64_t a, uint64_t b)
{
	return is_signed ? (int64_t)a < (int64_t)b : a < b;
}

bool ctype_apply(enum expr_op op, struct ctype type, uint64_t a, uint64_t b, uint64_t *ret)
{
	bool is_signed = type.is_signed && !type.stars;
	unsigned int width = type.size < 8 && type.size ? 32 : 64;
	uint64_t r = 0;

	switch (op) {
	case EXPR_ADD: r = a + b; break;
	case EXPR_SUB: r = a - b; break;
	case EXPR_MUL: r = a * b; break;
	case EXPR_DIV:
	case EXPR_MOD:
		if (!divide(is_signed, op == EXPR_MOD, a, b, &r))
			return false;
		break;
	/* masks the count as processors do, where C leaves it undefined */
	case EXPR_SHL: r = a << (b & (width - 1)); break;
	case EXPR_SHR:
		b &= width - 1;
		r = is_signed ? (uint64_t)((int64_t)a >> b) : a >> b;
		break;
	case EXPR_AND: r = a & b; break;
	case EXPR_OR: r = a | b; break;
	case EXPR_XOR: r = a ^ b; break;
	case EXPR_NEG: r = 0 - a; break;
	case EXPR_COMPL: r = ~a; break;
	case EXPR_PLUS: r = a; break;
	case EXPR_EQ: *ret = a == b; return true;
	case EXPR_NE: *ret = a != b; return true;
	case EXPR_LT: *ret = is_less(is_signed, a, b); return true;
	case EXPR_GE: *ret = !is_less(is_signed, a, b); return true;
	case EXPR_GT: *ret = is_less(is_signed, b, a); return true;
	case EXPR_LE: *ret = !is_less(is_signed, b, a); return true;
	case EXPR_NOT: *ret = !a; return true;
	case EXPR_LOGICAL_AND: *ret = a && b; return true;
	case EXPR_LOGICAL_OR: *ret = a || b; return true;
	}
	*ret = ctype_wrap(type, r);
	return true;
}
