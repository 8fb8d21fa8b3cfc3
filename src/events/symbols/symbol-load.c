/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "symbol-map.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MODULES_MAX 4096

/* Holds a symbol that is not sorted yet. */
struct loose {
	uint64_t address;
	uint32_t name;			/* offset in .names */
	uint16_t len;
	uint16_t owner;
};

/* Holds a symbol next to the wanted address. */
struct near {
	bool is_there;
	uint64_t address;
	uint16_t owner, len;
	char name[SYMBOL_NAME_SIZE];
};

struct loose_list {
	TSH_VEC(struct loose) list;
	struct tsh_strbuf names;
	struct near before, behind;	/* used instead of .list when is_narrow */
};

struct symbol_loader {
	struct symbol_map *map;
	struct symbol_reader reader;
	bool in_steps;			/* the file is sorted, so it can be read in steps */
	bool done;			/* all lines have been read */
	bool unsorted;			/* the kernel's own symbols go into .core, to be sorted */
	/* a symbol of the kernel itself was lower than the one before it */
	bool fallen;
	size_t bound;			/* limit in bytes; 0: none */
	bool is_narrow;			/* keep only the symbols next to .address */
	uint64_t address;
	uint64_t first, last;		/* range of the kernel's own symbols, when is_narrow */
	struct loose_list core, rest, init;
	int owner;			/* module whose symbols are being read; -1: none */
	uint64_t page;
};

static void set_near(struct near *near, const struct symbol_line *line, uint16_t owner)
{
	near->is_there = true;
	near->address = line->address;
	near->owner = owner;
	near->len = (uint16_t)line->len;
	memcpy(near->name, line->name, line->len);
}

/* Stores a symbol when it is the nearest to the address on its side. Of several symbols at one
 * address, the first in the file counts. */
static void store_near(struct loose_list *to, uint64_t address, const struct symbol_line *line,
		       uint16_t owner)
{
	if (line->address <= address) {
		if (!to->before.is_there || line->address > to->before.address)
			set_near(&to->before, line, owner);
	} else if (!to->behind.is_there || line->address < to->behind.address) {
		set_near(&to->behind, line, owner);
	}
}

static void store_loose(const struct symbol_loader *l, struct loose_list *to,
			const struct symbol_line *line, uint16_t owner)
{
	struct loose *loose;

	if (l->is_narrow) {
		store_near(to, l->address, line, owner);
		return;
	}
	if (to->names.len + line->len > UINT32_MAX)
		return;
	loose = tsh_vec_push(&to->list);
	loose->address = line->address;
	loose->name = (uint32_t)to->names.len;
	loose->len = (uint16_t)line->len;
	loose->owner = owner;
	tsh_strbuf_add(&to->names, line->name, line->len);
}

/* Orders by address; at one address by the order of the file. */
static int compare_loose(const void *a, const void *b)
{
	const struct loose *x = a, *y = b;

	if (x->address != y->address)
		return x->address < y->address ? -1 : 1;
	return x->name < y->name ? -1 : x->name > y->name;
}

static bool is_text(const struct symbol_line *line, const char *text)
{
	return line->len == strlen(text) && !memcmp(line->name, text, line->len);
}

/* Notes the ends of the sections that kernel/kallsyms.c knows. */
static void note_section(struct symbol_map *map, const struct symbol_line *line)
{
	const struct {
		const char *name;
		uint64_t *address;
	} sections[] = {
		{ "_stext", &map->text.begin },
		{ "_etext", &map->text.end },
		{ "_sinittext", &map->inittext.begin },
		{ "_einittext", &map->inittext.end },
		{ "_end", &map->all.end },
	};
	size_t i;

	if (line->name[0] != '_' || line->len > strlen("_sinittext"))
		return;
	for (i = 0; i < sizeof(sections) / sizeof(sections[0]); i++)
		if (is_text(line, sections[i].name))
			*sections[i].address = line->address;
}

static void note_order(struct symbol_loader *l, uint64_t address)
{
	l->fallen |= address < l->last;
	l->first = l->first && l->first < address ? l->first : address;
	l->last = l->last > address ? l->last : address;
}

static bool add_core(struct symbol_loader *l, const struct symbol_line *line)
{
	note_section(l->map, line);
	if (l->is_narrow) {
		note_order(l, line->address);
		store_loose(l, &l->core, line, 0);
		return true;
	}
	if (l->unsorted)
		store_loose(l, &l->core, line, 0);
	else if (!symbol_table_add(&l->map->core, line->address, line->name, line->len))
		l->fallen = true;
	return !l->fallen;
}

/* Returns the number of a module, or -1 when there are too many. */
static int module_of(struct symbol_map *map, const struct symbol_line *line, bool *ret_is_new)
{
	size_t i;

	*ret_is_new = false;
	for (i = map->modules.n; i--;)
		if (strlen(map->modules.v[i].name) == line->module_len &&
		    !memcmp(map->modules.v[i].name, line->module, line->module_len))
			return (int)i;
	if (map->modules.n == MODULES_MAX)
		return -1;
	*ret_is_new = true;
	tsh_vec_push(&map->modules)->name = tsh_xstrndup(line->module, line->module_len);
	return (int)map->modules.n - 1;
}

/* Says whether a symbol is a mark of the assembler (include/linux/module_symbol.h). */
static bool is_mapping_symbol(const struct symbol_line *line)
{
	return line->name[0] == '$' ||
	       (line->len >= 2 && (!memcmp(line->name, ".L", 2) || !memcmp(line->name, "L0", 2)));
}

/* Says whether a symbol is a page of ftrace or kprobes. kallsyms lists them for profilers, but
 * kallsyms_lookup does not find them. */
static bool is_builtin(const struct symbol_line *line)
{
	static const char builtin[] = "__builtin__";

	return line->module_len >= sizeof(builtin) - 1 &&
	       !memcmp(line->module, builtin, sizeof(builtin) - 1);
}

static void add_rest(struct symbol_loader *l, const struct symbol_line *line)
{
	struct symbol_module *module;
	bool is_new;
	int owner;

	/* 'a': in the percpu area, or a plain number */
	if (is_builtin(line) || is_mapping_symbol(line) || line->type == 'a')
		return;
	owner = module_of(l->map, line, &is_new);
	if (owner < 0)
		return;
	/*
	 * A second block of a module's symbols, behind those of other modules, has freed functions
	 * that ftrace still lists (kernel/trace/ftrace.c, mod_maps). They go into .init. The first
	 * block is complete.
	 */
	if (!is_new && owner != l->owner) {
		l->owner = -1;
		store_loose(l, &l->init, line, (uint16_t)owner);
		return;
	}
	l->owner = owner;
	store_loose(l, &l->rest, line, (uint16_t)owner);
	module = &l->map->modules.v[owner];
	if (strchr("tTwW", line->type) && line->address >= module->text_end)
		module->text_end = symbol_page_end(line->address, l->page);
}

static bool add_line(void *ctx, const struct symbol_line *line)
{
	struct symbol_loader *l = ctx;

	/* with kptr_restrict all addresses are 0 */
	if (!line->address)
		return true;
	if (!line->module)
		return add_core(l, line);
	add_rest(l, line);
	return true;
}

static void release_loose(struct loose_list *loose)
{
	tsh_vec_release(&loose->list);
	tsh_strbuf_release(&loose->names);
}

static void sort(struct loose_list *loose)
{
	if (loose->list.n)
		qsort(loose->list.v, loose->list.n, sizeof(*loose->list.v), compare_loose);
}

static void add_near(struct symbol_table *to, struct symbol_owned *owned,
		     const struct near *near)
{
	if (!near->is_there)
		return;
	symbol_table_add(to, near->address, near->name, near->len);
	if (owned)
		*tsh_vec_push(&owned->owners) = near->owner;
}

/* Sorts symbols and adds them to a table. owned: the struct that `to` is part of, when the symbols
 * have owners; or NULL. */
static void add_sorted(struct symbol_table *to, struct symbol_owned *owned,
		       struct loose_list *from)
{
	size_t i;

	add_near(to, owned, &from->before);
	add_near(to, owned, &from->behind);
	sort(from);
	for (i = 0; i < from->list.n; i++) {
		const struct loose *loose = &from->list.v[i];
		size_t n = to->low.n;

		symbol_table_add(to, loose->address, from->names.buf + loose->name, loose->len);
		if (owned && to->low.n > n)
			*tsh_vec_push(&owned->owners) = loose->owner;
	}
	release_loose(from);
}

/* Finds the ends of the kernel's own symbols, where no symbol marks them. */
static void find_ends(const struct symbol_loader *l)
{
	struct symbol_map *map = l->map;
	size_t n = map->core.low.n;
	uint64_t first = l->first, last = l->last;

	if (!n)
		return;
	if (!l->is_narrow) {
		first = symbol_table_address(&map->core, 0);
		last = symbol_table_address(&map->core, n - 1);
	}
	if (!map->text.begin)
		map->text.begin = first;
	if (!map->all.end && !map->text.end)
		map->all.end = symbol_page_end(last, l->page);
	map->all.begin = map->text.begin;
}

struct symbol_loader *symbol_loader_new(struct symbol_map *map, int fd, size_t bound)
{
	struct symbol_loader *l = tsh_xcalloc(1, sizeof(*l));
	long page = sysconf(_SC_PAGESIZE);
	struct stat st;

	l->map = map;
	l->bound = bound;
	l->reader.fd = fd;
	l->owner = -1;
	l->page = page > 0 ? (uint64_t)page : 4096;
	/* The real /proc/kallsyms, which has no size, is sorted; a copy of it need not be. */
	l->in_steps = !fstat(fd, &st) && !st.st_size;
	return l;
}

/* Estimates the memory that is used. */
static size_t size_of(const struct symbol_loader *l)
{
	const struct symbol_table *core = &l->map->core;

	return core->low.cap * sizeof(*core->low.v) + core->names.len +
	       (l->rest.list.cap + l->init.list.cap) * sizeof(struct loose) + l->rest.names.len +
	       l->init.names.len;
}

bool symbol_loader_is_full(const struct symbol_loader *l)
{
	return l->bound && size_of(l) > l->bound;
}

static void read_all(struct symbol_loader *l)
{
	while (symbol_reader_next(&l->reader, add_line, l) && !symbol_loader_is_full(l))
		;
}

static void read_unsorted(struct symbol_loader *l)
{
	bool has_gate = l->map->has_gate, sizes_data = l->map->sizes_data;

	symbol_map_release(l->map);
	l->map->has_gate = has_gate;
	l->map->sizes_data = sizes_data;
	release_loose(&l->rest);
	release_loose(&l->init);
	l->owner = -1;
	l->fallen = false;
	l->unsorted = true;
	symbol_reader_release(&l->reader);
	read_all(l);
}

static void finish(struct symbol_loader *l)
{
	read_all(l);
	if (l->fallen && !l->is_narrow && lseek(l->reader.fd, 0, SEEK_SET) == 0)
		read_unsorted(l);
	if (symbol_loader_is_full(l))
		return;
	add_sorted(&l->map->core, NULL, &l->core);
	add_sorted(&l->map->rest.table, &l->map->rest, &l->rest);
	add_sorted(&l->map->init.table, &l->map->init, &l->init);
	find_ends(l);
	memset(&l->map->known, 0, sizeof(l->map->known));
	l->done = true;
}

/* Says whether the function at an address has been read. Functions come before data, modules and
 * the rest. The last one read has no known end yet. */
static bool is_known(const struct symbol_loader *l, uint64_t address)
{
	return address >= l->map->known.begin && address < l->map->known.end;
}

/* Says whether all functions have been read. */
static bool are_over(const struct symbol_map *map)
{
	return map->text.end || map->all.end;
}

/* Says whether an address is in the half of the address space that programs have. */
static bool is_programs(const struct symbol_map *map, uint64_t address)
{
	return map->text.begin >> 63 && !(address >> 63);
}

static void read_step(struct symbol_loader *l)
{
	struct symbol_map *map = l->map;
	size_t n;

	if (!symbol_reader_next(&l->reader, add_line, l)) {
		finish(l);
		return;
	}
	n = map->core.low.n;
	if (!map->text.begin || are_over(map))
		return;
	if (l->is_narrow ? l->fallen || !l->core.behind.is_there : !n)
		return;
	map->known.begin = map->text.begin;
	map->known.end = l->is_narrow ? l->core.behind.address :
					symbol_table_address(&map->core, n - 1);
}

bool symbol_loader_reach(struct symbol_loader *l, uint64_t address)
{
	while (!l->done && !symbol_loader_is_full(l) && !is_known(l, address) &&
	       !is_programs(l->map, address)) {
		/* Reads the whole file when the address is in no function, or when the file cannot
		 * be read in steps. */
		if (!l->in_steps || are_over(l->map) ||
		    (l->map->text.begin && address < l->map->text.begin))
			finish(l);
		else
			read_step(l);
	}
	return !l->done && !symbol_loader_is_full(l);
}

void symbol_loader_free(struct symbol_loader *l)
{
	if (!l)
		return;
	release_loose(&l->core);
	release_loose(&l->rest);
	release_loose(&l->init);
	symbol_reader_release(&l->reader);
	close(l->reader.fd);
	free(l);
}

void symbol_map_read_near(struct symbol_map *map, int fd, uint64_t address)
{
	struct symbol_loader *l = symbol_loader_new(map, fd, 0);

	l->is_narrow = true;
	l->address = address;
	if (symbol_loader_reach(l, address))
		add_sorted(&map->core, NULL, &l->core);
	symbol_loader_free(l);
}
