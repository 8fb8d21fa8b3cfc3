/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "symbol-map.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Sets a size that no symbol of a BPF program reaches. */
#define BPF_MAX 65536
/* Sets a size that no function of a module reaches. */
#define FUNCTION_MAX 262144

void symbol_map_release(struct symbol_map *map)
{
	size_t i;

	symbol_table_release(&map->core);
	symbol_table_release(&map->rest.table);
	symbol_table_release(&map->init.table);
	for (i = 0; i < map->modules.n; i++)
		free(map->modules.v[i].name);
	tsh_vec_release(&map->modules);
	tsh_vec_release(&map->rest.owners);
	tsh_vec_release(&map->init.owners);
	memset(map, 0, sizeof(*map));
}

static bool is_in(const struct symbol_range *range, uint64_t address)
{
	return address >= range->begin && address < range->end;
}

/* Says whether an address is in the page of x86's vsyscalls, which counts as the kernel's
 * (in_gate_area_no_mm), and gets the name of the kernel's last symbol. */
static bool is_gate(uint64_t address)
{
	return address >> 12 == UINT64_C(0xffffffffff600);
}

/* Says whether an address is the kernel's own (is_ksym_addr). When kallsyms lists only functions
 * (no _end), addresses of data are not. */
static bool is_core(const struct symbol_map *map, uint64_t address)
{
	if (is_in(&map->known, address) || (map->has_gate && is_gate(address)))
		return true;
	return map->all.end ? is_in(&map->all, address) || is_in(&map->inittext, address) :
	       is_in(&map->text, address) || is_in(&map->inittext, address);
}

static bool find_core(const struct symbol_map *map, uint64_t address, size_t *ret_index,
		      struct tsh_symbol *ret)
{
	uint64_t end;

	if (!symbol_table_find(&map->core, address, ret_index))
		return false;
	if (*ret_index + 1 < map->core.low.n)
		end = symbol_table_address(&map->core, *ret_index + 1);
	else if (is_in(&map->inittext, address))
		end = map->inittext.end;
	else
		end = map->all.end ? map->all.end : map->text.end;
	ret->address = symbol_table_address(&map->core, *ret_index);
	ret->size = end - ret->address;
	ret->module = NULL;
	return true;
}

/* Finds a BPF program, whose size kallsyms does not have. */
static bool find_bpf(uint64_t address, uint64_t next, uint64_t page, struct tsh_symbol *ret)
{
	uint64_t end = next && next - ret->address < BPF_MAX ? next : symbol_page_end(ret->address, page);

	ret->size = end - ret->address;
	ret->module = NULL;
	return address < end;
}

/* Finds the symbol at or before an address, and the address of the module's next symbol; 0: the
 * module has none behind it. */
static bool find_owned(const struct symbol_map *map, const struct symbol_owned *in,
		       uint64_t address, size_t *ret_index, uint64_t *ret_next,
		       const struct symbol_module **ret_module, struct tsh_symbol *ret)
{
	size_t i;

	if (!symbol_table_find(&in->table, address, &i))
		return false;
	*ret_index = i;
	*ret_module = &map->modules.v[in->owners.v[i]];
	*ret_next = 0;
	if (i + 1 < in->table.low.n && in->owners.v[i + 1] == in->owners.v[i])
		*ret_next = symbol_table_address(&in->table, i + 1);
	ret->address = symbol_table_address(&in->table, i);
	ret->module = (*ret_module)->name;
	return true;
}

/*
 * Finds a symbol of a module as find_kallsyms_symbol does (kernel/module/kallsyms.c). A symbol ends
 * where the next begins, or where the module's functions end. In older kernels the end of the
 * functions is also the end of data behind them.
 */
static bool find_rest(const struct symbol_map *map, uint64_t address, size_t *ret_index,
		      struct tsh_symbol *ret)
{
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE), next, end;
	const struct symbol_module *module;

	if (!find_owned(map, &map->rest, address, ret_index, &next, &module, ret))
		return false;
	if (!strcmp(module->name, "bpf"))
		return find_bpf(address, next, page, ret);
	end = next && next < module->text_end ? next : module->text_end;
	if (map->sizes_data && next && ret->address >= module->text_end)
		end = next;
	/* The next symbol is far away, so a module's init code may lie in between. */
	if (end > ret->address && end - ret->address > FUNCTION_MAX)
		end = symbol_page_end(ret->address, page);
	ret->size = end - ret->address;
	/* Behind the page of a module's last symbol another module may begin. */
	return next || address < end || address < symbol_page_end(ret->address, page);
}

/* Finds a symbol as ftrace_func_address_lookup does (kernel/trace/ftrace.c): the last one ends with
 * its page. */
static bool find_init(const struct symbol_map *map, uint64_t address, size_t *ret_index,
		      struct tsh_symbol *ret)
{
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE), next, end;
	const struct symbol_module *module;

	if (!find_owned(map, &map->init, address, ret_index, &next, &module, ret))
		return false;
	end = next && next - ret->address < FUNCTION_MAX ? next : symbol_page_end(ret->address, page);
	ret->size = end - ret->address;
	return address < end;
}

bool symbol_map_find(const struct symbol_map *map, uint64_t address, struct tsh_symbol *ret,
		     char name[SYMBOL_NAME_SIZE])
{
	struct tsh_symbol init;
	bool is_rest;
	size_t i, j;

	if (is_core(map, address)) {
		if (!find_core(map, address, &i, ret))
			return false;
		symbol_table_name(&map->core, i, name);
		return true;
	}
	is_rest = find_rest(map, address, &i, ret);
	/* An address behind a symbol's end may be in init code: behind the functions of a module,
	 * or between its parts. */
	if ((!is_rest || address - ret->address >= ret->size) &&
	    find_init(map, address, &j, &init)) {
		*ret = init;
		symbol_table_name(&map->init.table, j, name);
		return true;
	}
	if (is_rest)
		symbol_table_name(&map->rest.table, i, name);
	return is_rest;
}
