/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "values.h"

#include "engine/probe/probe.h"
#include "session/function-names.h"

void tsh_candidates_functions(const struct tsh_cursor *at)
{
	size_t len;
	const char *name = tsh_function_names(at->s, &len), *end = name + len, *module;

	for (; name && name < end; name = module + strlen(module) + 1) {
		module = name + strlen(name) + 1;
		tsh_candidate_add(at, name, *module ? module : "function", false);
	}
}

static void add_symbol(void *ctx, const char *name, const char *module)
{
	tsh_candidate_add(ctx, name, *module ? module : "function", true);
}

void tsh_candidates_symbols(const struct tsh_cursor *at)
{
	tsh_symbol_each(at->word, add_symbol, (void *)at);
}
