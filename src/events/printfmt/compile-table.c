/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <string.h>

#include "compile-internal.h"
#include "events/symbols/btf-internal.h"

/* Compiles __print_symbolic and __print_flags. */

#define ENTRIES_MAX	16384
#define DENSE_MIN	64		/* slots that are always allowed, even for few entries */
#define DENSE_MAX	4096
#define NUMBER_ROOM	20		/* room for "0x", 16 digits, "?" */

static bool is_u64(const struct expr *call)
{
	return call->len > 4 && !memcmp(call->text + call->len - 4, "_u64", 4);
}

/* Reads the entries whose values are known. */
static bool read_entries(struct compiler *c, const struct expr *e, struct ctype type,
			 struct table *table)
{
	size_t i;

	if (e->kind != EXPR_TABLE || e->nargs / 2 > ENTRIES_MAX)
		return compile_fail(c, "a table that is malformed");
	table->value = tsh_xcalloc(e->nargs / 2 + 1, sizeof(*table->value));
	table->name = tsh_xcalloc(e->nargs / 2 + 1, sizeof(*table->name));
	for (i = 0; i + 1 < e->nargs; i += 2) {
		const struct expr *value = e->arg[i], *name = e->arg[i + 1];

		if (name->kind != EXPR_STRING)
			return compile_fail(c, "a table with a name that is no text");
		if (value->kind != EXPR_NUMBER) {
			table->is_incomplete = true;
			continue;
		}
		table->value[table->n] = ctype_wrap(type, value->number);
		table->name[table->n++] = compile_pool(c, name->text, name->len);
	}
	return true;
}

static size_t longest_name(const struct table *table)
{
	size_t max = NUMBER_ROOM > table->otherwise.len ? NUMBER_ROOM : table->otherwise.len;
	uint32_t i;

	for (i = 0; i < table->n; i++)
		if (table->name[i].len > max)
			max = table->name[i].len;
	return max;
}

static size_t all_names(const struct table *table)
{
	size_t sum = NUMBER_ROOM;
	uint32_t i;

	for (i = 0; i < table->n; i++)
		sum += table->name[i].len + table->delimiter.len;
	return sum;
}

/* ---- looking up ---- */

/* Makes an array by value, when the values lie close together. The first of equal entries wins. */
static bool make_dense(struct table *table)
{
	uint64_t low = UINT64_MAX, high = 0, limit = 8 * (uint64_t)table->n;
	uint32_t i;

	for (i = 0; i < table->n; i++) {
		low = table->value[i] < low ? table->value[i] : low;
		high = table->value[i] > high ? table->value[i] : high;
	}
	limit = limit < DENSE_MIN ? DENSE_MIN : limit > DENSE_MAX ? DENSE_MAX : limit;
	if (!table->n || high - low >= limit)
		return false;
	table->is_dense = true;
	table->base = low;
	table->nslots = (uint32_t)(high - low) + 1;
	table->slot = tsh_xcalloc(table->nslots, sizeof(*table->slot));
	for (i = 0; i < table->n; i++)
		if (!table->slot[table->value[i] - low])
			table->slot[table->value[i] - low] = (uint16_t)(i + 1);
	return true;
}

static void make_hashed(struct table *table)
{
	uint32_t i, at, mask;

	for (table->nslots = 2; table->nslots < 2 * table->n + 2; )
		table->nslots *= 2;
	mask = table->nslots - 1;
	table->slot = tsh_xcalloc(table->nslots, sizeof(*table->slot));
	for (i = 0; i < table->n; i++) {
		at = table_hash(table->value[i]) & mask;
		while (table->slot[at] &&
		       table->value[table->slot[at] - 1] != table->value[i])
			at = (at + 1) & mask;
		if (!table->slot[at])
			table->slot[at] = (uint16_t)(i + 1);
	}
}

/* ---- calls ---- */

/* Compiles the value, converted to the type of the kernel function's parameter, and the table. */
static bool compile_table(struct compiler *c, const struct expr *call, size_t table_arg,
			  uint32_t *ret_source, struct table **ret_table)
{
	const struct ctype type = is_u64(call) ? compile_u64 : compile_long(c, false);
	const struct expr empty = { .kind = EXPR_TABLE };

	if (call->nargs != table_arg && call->nargs != table_arg + 1)
		return compile_fail(c, "'%s' with %zu arguments", call->text, call->nargs);
	if (!compile_source(c, call->arg[0], type, ret_source))
		return false;
	*ret_table = tsh_vec_push(&c->tables);
	return read_entries(c, call->nargs > table_arg ? call->arg[table_arg] : &empty, type,
			    *ret_table);
}

static bool symbolic_op(struct compiler *c, struct table *table, uint32_t source)
{
	struct op *op;

	if (!make_dense(table))
		make_hashed(table);
	op = compile_op(c, OP_SYMBOLIC, longest_name(table));
	op->a = source;
	op->b = (uint32_t)c->tables.n - 1;
	return true;
}

bool compile_symbolic(struct compiler *c, const struct expr *call)
{
	struct table *table;
	uint32_t source;

	return compile_table(c, call, 1, &source, &table) && symbolic_op(c, table, source);
}

bool compile_flags(struct compiler *c, const struct expr *call)
{
	const struct expr *delimiter;
	struct table *table;
	struct op *op;
	uint32_t source;

	if (!compile_table(c, call, 2, &source, &table))
		return false;
	delimiter = call->arg[1];
	if (delimiter->kind == EXPR_STRING)
		table->delimiter = compile_pool(c, delimiter->text, delimiter->len);
	else if (delimiter->kind != EXPR_NUMBER || delimiter->number)
		return compile_fail(c, "'%s' with a delimiter that is no text", call->text);
	op = compile_op(c, OP_FLAGS, all_names(table));
	op->a = source;
	op->b = (uint32_t)c->tables.n - 1;
	return true;
}

/* ---- functions that are tables ---- */

/* include/linux/edac.h, mc_event_error_type() */
static const char *const memory_errors[] = { "Corrected", "Uncorrected", "Deferred", "Fatal" };

/* drivers/firmware/efi/cper.c, cper_severity_str() */
static const char *const severities[] = { "recoverable", "fatal", "corrected", "info" };
/* drivers/usb/host/xhci.h, xhci_ring_type_string() */
static const char *const usb_rings[] = { "CTRL", "ISOC", "BULK", "INTR", "STREAM", "CMD", "EVENT" };

/* block/blk-core.c, blk_op_name[]; the numbers of those from ZONE_ on change */
static const char *const block_ops[] = {
	"READ", "WRITE", "FLUSH", "DISCARD", "SECURE_ERASE", "ZONE_RESET", "ZONE_RESET_ALL",
	"ZONE_OPEN", "ZONE_CLOSE", "ZONE_FINISH", "ZONE_APPEND", "WRITE_SAME", "WRITE_ZEROES",
	"SCSI_IN", "SCSI_OUT", "DRV_IN", "DRV_OUT",
};

static const struct names {
	const char *function;
	const char *const *name;	/* names of 0, 1, .. */
	size_t n;
	const char *otherwise;
	/* Makes a name an enumerator of the kernel, which gives the name's number. The first
	 * `nstable` names need none: their number is their place in all kernels. */
	const char *prefix;
	size_t nstable;
} all_functions[] = {
	{ "mc_event_error_type", memory_errors, 4, "Info", NULL, 4 },
	{ "cper_severity_str", severities, 4, "unknown", NULL, 4 },
	{ "xhci_ring_type_string", usb_rings, 7, "UNKNOWN", NULL, 7 },
	{ "blk_op_str", block_ops, sizeof(block_ops) / sizeof(block_ops[0]), "UNKNOWN",
	  "REQ_OP_", 4 },
};

/* Finds the number of a name. Returns false when this kernel has none of that name. */
static bool number_of_name(const struct compiler *c, const struct names *names, size_t i,
			   uint64_t *ret)
{
	char *enumerator;
	int64_t value;
	bool known;

	*ret = i;
	if (i < names->nstable)
		return true;
	enumerator = tsh_xasprintf("%s%s", names->prefix, names->name[i]);
	known = c->env->enums && tsh_enums_value(c->env->enums, enumerator, &value);
	free(enumerator);
	if (known)
		*ret = (uint64_t)value;
	return known;
}

static void add_names(struct compiler *c, const struct names *names, struct table *table)
{
	size_t i;

	table->value = tsh_xcalloc(names->n, sizeof(*table->value));
	table->name = tsh_xcalloc(names->n, sizeof(*table->name));
	for (i = 0; i < names->n; i++) {
		if (!number_of_name(c, names, i, &table->value[table->n]))
			continue;
		table->name[table->n++] = compile_pool(c, names->name[i],
						       strlen(names->name[i]));
	}
	table->otherwise = compile_pool(c, names->otherwise, strlen(names->otherwise));
}

static const struct names *find_names(const char *function)
{
	size_t i;

	for (i = 0; i < sizeof(all_functions) / sizeof(all_functions[0]); i++)
		if (!strcmp(all_functions[i].function, function))
			return &all_functions[i];
	return NULL;
}

bool compile_has_names(const char *function)
{
	return find_names(function) != NULL;
}

bool compile_named(struct compiler *c, const struct expr *call)
{
	const struct names *names = find_names(call->text);
	struct table *table;
	uint32_t source;

	if (!names)
		return compile_fail(c, "'%s' is not known", call->text);
	if (call->nargs != 1)
		return compile_fail(c, "'%s' with %zu arguments", call->text, call->nargs);
	if (!compile_source(c, call->arg[0], (struct ctype){ .size = 4 }, &source))
		return false;
	table = tsh_vec_push(&c->tables);
	add_names(c, names, table);
	return symbolic_op(c, table, source);
}
