/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "struct.h"

#include <ctype.h>

bool tsh_struct_is_name(const char *name)
{
	if (!isalpha((unsigned char)*name) && *name != '_')
		return false;
	while (isalnum((unsigned char)*name) || *name == '_')
		name++;
	return !*name;
}

void tsh_struct_enumerator(const struct tsh_btf_type *type, const struct tsh_btf_part *part,
			   struct tsh_strbuf *out)
{
	if (type->flag)
		tsh_strbuf_addf(out, "%lld", (long long)part->value);
	else
		tsh_strbuf_addf(out, "%llu", (unsigned long long)part->value);
}
