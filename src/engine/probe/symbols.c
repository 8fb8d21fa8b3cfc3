/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "probe.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/suggest.h"
#include "session/function-names.h"

/* Reads /proc/kallsyms, lines "ADDRESS TYPE NAME[\t[MODULE]]", one by one, because the whole
 * file has several megabytes. */

#define KALLSYMS "/proc/kallsyms"
#define LINES_MAX (1u << 21)

struct symbols {
	FILE *file;			/* NULL: it cannot be read, or its end was reached */
	unsigned int lines;
	char line[1024];		/* a name has at most 512 bytes */
};

struct symbol {
	uint64_t address;
	const char *name, *module;
	size_t len, module_len;
	bool is_code;
};

static bool parse_symbol(const char *line, struct symbol *ret)
{
	char *end;

	ret->address = strtoull(line, &end, 16);
	if (end == line || *end != ' ' || !end[1] || end[2] != ' ')
		return false;
	ret->is_code = strchr("tTwW", end[1]);
	ret->name = end + 3;
	ret->len = strcspn(ret->name, "\t\n ");
	ret->module = ret->name + ret->len + strspn(ret->name + ret->len, "\t ");
	ret->module_len = *ret->module == '[' ? strcspn(++ret->module, "]\n") : 0;
	return ret->len > 0;
}

/* Reads the next symbol, which is valid until the next call. Closes the file at its end. */
static bool next_symbol(struct symbols *all, struct symbol *ret)
{
	while (all->file && all->lines++ < LINES_MAX && fgets(all->line, sizeof(all->line), all->file))
		if (parse_symbol(all->line, ret))
			return true;
	if (all->file)
		(void)fclose(all->file);
	all->file = NULL;
	return false;
}

/* Name the symbols at both ends of sections in which the kernel allows no probes. */
static const char *const forbidden[][2] = {
	{ "__kprobes_text_start", "__kprobes_text_end" },
	{ "__noinstr_text_start", "__noinstr_text_end" },
	{ "__entry_text_start", "__entry_text_end" },
};
#define FORBIDDEN (sizeof(forbidden) / sizeof(forbidden[0]))

struct search {
	struct tsh_symbol_find *ret;
	const char *name, *module;
	uint64_t ends[FORBIDDEN][2];
	struct tsh_suggest near;
};

static bool is_name(const struct symbol *symbol, const char *name)
{
	return strlen(name) == symbol->len && !memcmp(symbol->name, name, symbol->len);
}

/* Says whether a symbol is a copy of the function that the compiler has made: NAME.isra.0. */
static bool is_variant(const struct symbol *symbol, const char *name)
{
	size_t len = strlen(name);

	return symbol->len > len && !memcmp(symbol->name, name, len) && symbol->name[len] == '.' &&
	       !memmem(symbol->name, symbol->len, ".cold", 5);
}

static void note_section(struct search *search, const struct symbol *symbol)
{
	size_t i;

	for (i = 0; i < FORBIDDEN * 2; i++)
		if (is_name(symbol, forbidden[i / 2][i % 2]))
			search->ends[i / 2][i % 2] = symbol->address;
}

static bool is_in_module(const struct symbol *symbol, const char *module)
{
	return !module || (strlen(module) == symbol->module_len &&
			   !memcmp(symbol->module, module, symbol->module_len));
}

static void note_symbol(struct search *search, const struct symbol *symbol)
{
	size_t len = strlen(search->name);
	char *name;

	if (symbol->len > 2 && symbol->name[0] == '_' && symbol->name[1] == '_')
		note_section(search, symbol);
	if (!symbol->is_code || !is_in_module(symbol, search->module))
		return;
	if (is_name(symbol, search->name)) {
		if (search->ret->n++)
			return;
		search->ret->address = symbol->address;
		if (symbol->module_len)
			search->ret->module = tsh_xstrndup(symbol->module, symbol->module_len);
		return;
	}
	if (!search->ret->variant && is_variant(symbol, search->name))
		search->ret->variant = tsh_xstrndup(symbol->name, symbol->len);
	/* skip names of very different length: an edit distance for each name would take a
	 * second */
	if (search->ret->n || symbol->len > len + 8 || symbol->len + 4 < len)
		return;
	name = tsh_xstrndup(symbol->name, symbol->len);
	tsh_suggest_offer(&search->near, name);
	free(name);
}

void tsh_symbol_find(const char *name, const char *module, struct tsh_symbol_find *ret)
{
	struct search search = { .ret = ret, .name = name, .module = module };
	struct symbols all = { .file = fopen(KALLSYMS, "re") };
	struct symbol symbol;
	size_t i;

	*ret = (struct tsh_symbol_find){ .is_unknown = true };
	tsh_suggest_init(&search.near, name);
	while (next_symbol(&all, &symbol)) {
		ret->is_unknown = false;
		note_symbol(&search, &symbol);
	}
	for (i = 0; i < FORBIDDEN; i++)
		ret->is_forbidden |= ret->address && ret->address >= search.ends[i][0] &&
				     ret->address < search.ends[i][1];
	if (tsh_suggest_best(&search.near))
		ret->near = tsh_xstrdup(tsh_suggest_best(&search.near));
	tsh_suggest_release(&search.near);
}

void tsh_symbol_find_release(struct tsh_symbol_find *found)
{
	free(found->near);
	free(found->variant);
	free(found->module);
	*found = (struct tsh_symbol_find){ 0 };
}

int tsh_symbol_exists(const char *name)
{
	struct symbols all = { .file = fopen(KALLSYMS, "re") };
	struct symbol symbol;
	int r = -1;

	while (next_symbol(&all, &symbol))
		if (r < 1)
			r = symbol.is_code && (is_name(&symbol, name) || is_variant(&symbol, name));
	return r;
}

/* ---- functions of a glob ---- */

/* Lists matching functions of kallsyms as "NAME MODULE"; "NAME " for the kernel itself. */
static void list_functions(const char *glob, const char *module, struct tsh_strlist *ret)
{
	struct symbols all = { .file = fopen(KALLSYMS, "re") };
	struct symbol symbol;

	while (next_symbol(&all, &symbol)) {
		char *name;

		if (!symbol.is_code || memchr(symbol.name, '.', symbol.len) || !is_in_module(&symbol, module))
			continue;
		name = tsh_xstrndup(symbol.name, symbol.len);
		if (tsh_glob_match(glob, name))
			tsh_strlist_add_owned(ret, symbol.module_len ?
						      tsh_xasprintf("%s %.*s", name, (int)symbol.module_len,
								    symbol.module) :
						      tsh_xasprintf("%s ", name));
		free(name);
	}
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static bool is_traceable(const struct tsh_strlist *sorted, const char *name)
{
	return tsh_vec_find(sorted, &name, by_name) != NULL;
}

/* Lists matching functions that the function tracer knows, sorted by name. */
static void list_traceable(struct tsh_session *s, const char *glob, struct tsh_strlist *ret)
{
	size_t len;
	const char *name = tsh_function_names(s, &len), *end = name ? name + len : NULL;

	for (; name < end; name += strlen(name) + 1, name += strlen(name) + 1)
		if (tsh_glob_match(glob, name))
			tsh_strlist_add(ret, name);
	tsh_strlist_sort(ret);
}

static size_t name_length(const char *line)
{
	return strcspn(line, " ");
}

static bool is_same_name(const char *a, const char *b)
{
	return name_length(a) == name_length(b) && !memcmp(a, b, name_length(a));
}

void tsh_symbol_functions(struct tsh_session *s, const char *glob, const char *module,
			  struct tsh_strlist *ret, size_t *ret_several)
{
	struct tsh_strlist all = { 0 }, traceable = { 0 };
	size_t i, same, names;

	(void)tsh_function_names(s, &names);
	if (names)
		list_traceable(s, glob, &traceable);
	list_functions(glob, module, &all);
	tsh_strlist_sort(&all);
	*ret_several = 0;
	for (i = 0; i < all.n; i += same) {
		size_t len = name_length(all.v[i]);
		char *name = tsh_xstrndup(all.v[i], len);

		for (same = 1; i + same < all.n && is_same_name(all.v[i], all.v[i + same]);)
			same++;
		if (names && !is_traceable(&traceable, name))
			;
		else if (same > 1)
			*ret_several += same;
		else if (all.v[i][len + 1])
			tsh_strlist_add_owned(ret, tsh_xasprintf("%s:%s", all.v[i] + len + 1, name));
		else
			tsh_strlist_add(ret, name);
		free(name);
	}
	tsh_strlist_release(&all);
	tsh_strlist_release(&traceable);
}

void tsh_symbol_each(const char *start, void (*each)(void *ctx, const char *name, const char *module), void *ctx)
{
	struct symbols all = { .file = fopen(KALLSYMS, "re") };
	struct symbol symbol;

	while (next_symbol(&all, &symbol)) {
		char *name, *module;

		if (!symbol.is_code || strncmp(symbol.name, start, strlen(start)) != 0 ||
		    memchr(symbol.name, '.', symbol.len))
			continue;
		name = tsh_xstrndup(symbol.name, symbol.len);
		module = tsh_xstrndup(symbol.module, symbol.module_len);
		each(ctx, name, module);
		free(module);
		free(name);
	}
}
