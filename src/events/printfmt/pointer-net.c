/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <string.h>

#include "base/load.h"
#include "pointer.h"

#define FAMILY_INET	2
#define FAMILY_INET6	10
#define FLOWINFO_MASK	0x0fffffff

/* struct sockaddr_in, struct sockaddr_in6 */
#define PORT_OFFSET	2
#define IP4_OFFSET	4
#define FLOWINFO_OFFSET	4
#define IP6_OFFSET	8
#define SCOPE_OFFSET	24

#define IP4_SIZE	4
#define IP6_SIZE	16
#define MAC_SIZE	6

static void append_ip4(struct tsh_strbuf *out, const unsigned char *addr, bool has_zeros,
		       bool is_reversed)
{
	unsigned int i;

	for (i = 0; i < IP4_SIZE; i++) {
		unsigned char part = addr[is_reversed ? IP4_SIZE - 1 - i : i];

		if (i)
			tsh_strbuf_addc(out, '.');
		if (has_zeros && part < 100)
			tsh_strbuf_addc(out, '0');
		if (has_zeros && part < 10)
			tsh_strbuf_addc(out, '0');
		tsh_strbuf_addu(out, part);
	}
}

static bool is_reversed_order(char order, const struct pointer_env *env)
{
	return order == 'l' || (order == 'h' && !env->big_endian);
}

/* Appends all 32 digits. */
static void append_ip6(struct tsh_strbuf *out, const unsigned char *addr, bool has_colons)
{
	unsigned int i;

	for (i = 0; i < IP6_SIZE; i++) {
		if (has_colons && i && i % 2 == 0)
			tsh_strbuf_addc(out, ':');
		pointer_append_byte(out, addr[i], false);
	}
}

static unsigned int word_at(const unsigned char *addr, unsigned int i)
{
	return load_u16(addr + 2 * i, true);
}

static void append_word(struct tsh_strbuf *out, unsigned int word)
{
	static const char digits[] = "0123456789abcdef";
	int shift = word > 0xfff ? 12 : word > 0xff ? 8 : word > 0xf ? 4 : 0;

	for (; shift >= 0; shift -= 4)
		tsh_strbuf_addc(out, digits[word >> shift & 15]);
}

/* Says whether an address ends in an IPv4 one: ::ffff:1.2.3.4, and ISATAP's ..:0:5efe:1.2.3.4 (RFC
 * 5214). */
static bool ends_in_ip4(const unsigned char *addr)
{
	static const unsigned char mapped[12] = { [10] = 0xff, [11] = 0xff };

	return !memcmp(addr, mapped, sizeof(mapped)) ||
	       ((load_u32(addr + 8, true) | 0x02000000) == 0x02005efe);
}

/* Finds the first of the longest runs of at least two zero words among `count`. Returns its length,
 * or 0. */
static unsigned int find_zeros(const unsigned char *addr, unsigned int count,
			       unsigned int *ret_begin)
{
	unsigned int i, run = 0, longest = 1;

	for (i = 0; i < count; i++) {
		run = word_at(addr, i) ? 0 : run + 1;
		if (run > longest) {
			longest = run;
			*ret_begin = i + 1 - run;
		}
	}
	return longest > 1 ? longest : 0;
}

/* Appends an address as RFC 5952 says. */
static void append_ip6_compressed(struct tsh_strbuf *out, const unsigned char *addr)
{
	bool has_ip4 = ends_in_ip4(addr);
	unsigned int i, begin = 0, count = has_ip4 ? 6 : 8;
	unsigned int zeros = find_zeros(addr, count, &begin);
	bool needs_colon = false;

	for (i = 0; i < count; i++) {
		if (zeros && i == begin) {
			tsh_strbuf_adds(out, "::");
			needs_colon = false;
			i += zeros - 1;
			continue;
		}
		if (needs_colon)
			tsh_strbuf_addc(out, ':');
		append_word(out, word_at(addr, i));
		needs_colon = true;
	}
	if (!has_ip4)
		return;
	if (needs_colon)
		tsh_strbuf_addc(out, ':');
	append_ip4(out, addr + 12, false, false);
}

/* Appends a port, flow or scope behind the character `before`, with the flags and the width of the
 * whole directive. */
static void append_part(struct tsh_strbuf *out, const struct directive *d, char before,
			uint32_t value)
{
	struct directive number = *d;

	number.base = 10;
	number.size = sizeof(value);
	number.is_signed = false;
	tsh_strbuf_addc(out, before);
	directive_number(out, &number, value);
}

static bool append_sockaddr4(struct tsh_strbuf *out, const struct directive *d,
			     const struct pointer_env *env, const unsigned char *bytes, size_t len)
{
	const char *option;
	bool has_port = false;
	char order = 'n';

	if (len < IP4_OFFSET + IP4_SIZE)
		return false;
	for (option = d->extension + 2; *option; option++) {
		if (*option == 'p')
			has_port = true;
		else if (strchr("hlnb", *option))
			order = *option;
	}
	append_ip4(out, bytes + IP4_OFFSET, d->extension[0] == 'i', is_reversed_order(order, env));
	if (has_port)
		append_part(out, d, ':', load_u16(bytes + PORT_OFFSET, true));
	return true;
}

static bool append_sockaddr6(struct tsh_strbuf *out, const struct directive *d,
			     const struct pointer_env *env, const unsigned char *bytes, size_t len)
{
	const char *options = d->extension + 2;
	bool has_port = strchr(options, 'p'), has_flow = strchr(options, 'f');
	bool has_scope = strchr(options, 's');
	bool has_brackets = has_port || has_flow || has_scope;

	if (len < IP6_OFFSET + IP6_SIZE || (has_scope && len < SCOPE_OFFSET + 4))
		return false;
	if (has_brackets)
		tsh_strbuf_addc(out, '[');
	if (d->extension[0] == 'I' && strchr(options, 'c'))
		append_ip6_compressed(out, bytes + IP6_OFFSET);
	else
		append_ip6(out, bytes + IP6_OFFSET, d->extension[0] == 'I');
	if (has_brackets)
		tsh_strbuf_addc(out, ']');
	if (has_port)
		append_part(out, d, ':', load_u16(bytes + PORT_OFFSET, true));
	if (has_flow)
		append_part(out, d, '/', load_u32(bytes + FLOWINFO_OFFSET, true) & FLOWINFO_MASK);
	if (has_scope)
		append_part(out, d, '%', load_u32(bytes + SCOPE_OFFSET, env->big_endian));
	return true;
}

/* Appends a struct sockaddr of either family. */
static bool append_sockaddr(struct tsh_strbuf *out, const struct directive *d,
			    const struct pointer_env *env, const unsigned char *bytes, size_t len)
{
	if (len < 2)
		return false;
	switch (load_u16(bytes, env->big_endian)) {
	case FAMILY_INET:
		return append_sockaddr4(out, d, env, bytes, len);
	case FAMILY_INET6:
		return append_sockaddr6(out, d, env, bytes, len);
	}
	tsh_strbuf_adds(out, "(einval)");
	return true;
}

bool pointer_print_ip(struct tsh_strbuf *out, const struct directive *d,
		      const struct pointer_env *env, const unsigned char *bytes, size_t len)
{
	const char *extension = d->extension;
	bool is_raw = extension[0] == 'i';
	size_t begin = out->len;

	switch (extension[1]) {
	case '4':
		if (len < IP4_SIZE)
			return false;
		append_ip4(out, bytes, is_raw, is_reversed_order(extension[2], env));
		break;
	case '6':
		if (len < IP6_SIZE)
			return false;
		if (!is_raw && extension[2] == 'c')
			append_ip6_compressed(out, bytes);
		else
			append_ip6(out, bytes, !is_raw);
		break;
	case 'S':
		if (!append_sockaddr(out, d, env, bytes, len))
			return false;
		break;
	default:
		tsh_strbuf_adds(out, is_raw ? "(%pi?)" : "(%pI?)");
	}
	directive_pad(out, d, begin);
	return true;
}

bool pointer_print_mac(struct tsh_strbuf *out, const struct directive *d,
		       const struct pointer_env *env, const unsigned char *bytes, size_t len)
{
	bool is_reversed = d->extension[1] == 'R';
	size_t begin = out->len;
	unsigned int i;

	(void)env;
	if (len < MAC_SIZE)
		return false;
	for (i = 0; i < MAC_SIZE; i++) {
		if (i && d->extension[0] == 'M')
			tsh_strbuf_addc(out, d->extension[1] == 'F' ? '-' : ':');
		pointer_append_byte(out, bytes[is_reversed ? MAC_SIZE - 1 - i : i], false);
	}
	directive_pad(out, d, begin);
	return true;
}
