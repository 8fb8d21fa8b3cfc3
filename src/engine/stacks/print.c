/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "internal.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/number.h"
#include "output/table.h"
#include "session/util.h"

/* Prints counted stacks: as a tree, folded, as JSON and CSV. */

#define BRANCHES 20		/* stacks that are printed without --top */

struct printer {
	struct tsh_out *out;
	const struct tsh_stack_tree *tree;
	uint64_t total;
	uint64_t least;			/* smaller branches are not printed */
	uint64_t hidden;		/* stacks in those branches */
	bool outermost_first;
};

/* Appends the share and the count of a node: " 60.1% 724 ". */
static void add_share(const struct printer *p, const struct tsh_stack_node *node,
		      struct tsh_strbuf *line)
{
	uint64_t permille = (node->count * 1000 + p->total / 2) / p->total;
	struct tsh_strbuf count = TSH_STRBUF_INIT;

	tsh_format_count(node->count, &count);
	tsh_strbuf_addf(line, "%3" PRIu64 ".%" PRIu64 "%%  %10s  ", permille / 10, permille % 10,
			count.buf);
	tsh_strbuf_release(&count);
}

#define SHARE_WIDTH 20
/* Is the number of columns by which a branch is indented. */
#define INDENT 2

static void print_node(struct printer *p, const struct tsh_stack_node *node, unsigned int indent,
		       bool begins)
{
	struct tsh_strbuf line = TSH_STRBUF_INIT;

	if (begins)
		add_share(p, node, &line);
	else
		tsh_strbuf_addn(&line, ' ', SHARE_WIDTH);
	tsh_strbuf_addn(&line, ' ', (size_t)indent * INDENT);
	tsh_strbuf_adds(&line, node->name);
	tsh_out_line(p->out, "%s", line.buf);
	tsh_strbuf_release(&line);
}

/*
 * Prints the tree below a node. A node with a single child and without stacks that end there
 * continues on the next line with the same indent; otherwise each child begins a branch of its own,
 * with its share.
 */
static void print_branches(struct printer *p, const struct tsh_stack_node *parent,
			   unsigned int indent)
{
	size_t i;

	for (i = 0; i < parent->n; i++) {
		const struct tsh_stack_node *node = &p->tree->nodes[parent->first + i];

		if (node->count < p->least) {
			p->hidden += node->count;
			continue;
		}
		print_node(p, node, indent, true);
		while (node->n == 1 && !node->ends) {
			node = &p->tree->nodes[node->first];
			print_node(p, node, indent, false);
		}
		print_branches(p, node, indent + 1);
	}
}

/* Calls add for each frame of the stack that ends at a node, from the root or towards it. */
static void add_frames(const struct tsh_stack_tree *tree, size_t node, bool from_root,
		       void (*add)(void *ctx, const char *name), void *ctx)
{
	const char **names = tsh_xcalloc(tree->nodes[node].depth + 1, sizeof(*names));
	unsigned int n = tree->nodes[node].depth, i;

	for (i = n; i; i--, node = tree->nodes[node].parent)
		names[i - 1] = tree->nodes[node].name;
	for (i = 0; i < n; i++)
		add(ctx, names[from_root ? i : n - 1 - i]);
	free(names);
}

/* Holds a node at which stacks end. */
struct end {
	size_t node;
	uint64_t count;
};

static int compare_ends(const void *a, const void *b)
{
	const struct end *x = a, *y = b;

	if (x->count != y->count)
		return x->count > y->count ? -1 : 1;
	return x->node < y->node ? -1 : x->node > y->node;
}

/* Finds all nodes at which stacks end, the most frequent first. The caller frees the array. */
static struct end *find_ends(const struct tsh_stack_tree *tree, size_t *ret_n)
{
	struct end *ends = tsh_xcalloc(tree->n + 1, sizeof(*ends));
	size_t i, n = 0;

	for (i = 0; i < tree->n; i++)
		if (tree->nodes[i].ends)
			ends[n++] = (struct end){ .node = i, .count = tree->nodes[i].ends };
	qsort(ends, n, sizeof(*ends), compare_ends);
	*ret_n = n;
	return ends;
}

static void add_json_frame(void *ctx, const char *name)
{
	tsh_json_string(ctx, name, strlen(name));
}

/* Appends a frame; escapes ';' and control bytes, because a program can choose its file's name. */
static void add_folded_frame(void *ctx, const char *name)
{
	struct tsh_strbuf *line = ctx;

	if (line->len)
		tsh_strbuf_addc(line, ';');
	for (; *name; name++) {
		unsigned char c = (unsigned char)*name;

		if (c == ';' || c < 0x20 || c == 0x7f)
			tsh_strbuf_addf(line, "\\x%02x", c);
		else
			tsh_strbuf_addc(line, *name);
	}
}

/* Prints a line for flame graphs: "entry_SYSCALL_64;do_syscall_64;schedule 724". */
static void print_folded(const struct printer *p, const struct end *end)
{
	struct tsh_strbuf line = TSH_STRBUF_INIT;

	add_frames(p->tree, end->node, p->outermost_first, add_folded_frame, &line);
	tsh_out_line(p->out, "%s %" PRIu64, line.buf, end->count);
	tsh_strbuf_release(&line);
}

static void print_row(const struct printer *p, struct tsh_table *table, const struct end *end)
{
	struct tsh_strbuf frames = TSH_STRBUF_INIT;
	struct tsh_json *js;

	tsh_table_row(table);
	tsh_table_number(table, end->count);
	if (p->out->format == TSH_FORMAT_JSON) {
		js = tsh_table_json(table);
		tsh_json_array(js);
		add_frames(p->tree, end->node, !p->outermost_first, add_json_frame, js);
		tsh_json_array_end(js);
		return;
	}
	add_frames(p->tree, end->node, p->outermost_first, add_folded_frame, &frames);
	tsh_table_text(table, frames.buf);
	tsh_strbuf_release(&frames);
}

static void print_each(const struct printer *p, const struct end *ends, size_t n)
{
	const struct tsh_column columns[] = {
		{ "count", TSH_COLUMN_NUMBER },
		{ p->out->format == TSH_FORMAT_JSON ? "frames" : "stack", TSH_COLUMN_TEXT }, { 0 }
	};
	bool is_table = p->out->format == TSH_FORMAT_JSON || p->out->format == TSH_FORMAT_CSV;
	struct tsh_table *table = is_table ? tsh_table_begin(p->out, "stack", columns) : NULL;
	size_t i;

	for (i = 0; i < n; i++) {
		if (table)
			print_row(p, table, &ends[i]);
		else
			print_folded(p, &ends[i]);
		if (tsh_out_flush_if_full(p->out) || p->out->closed)
			break;
	}
	if (table)
		tsh_table_end(table);
}

bool stacks_are_folded(const struct tsh_call *call)
{
	const char *format = tsh_args_text(&call->args, "FORMAT");

	return tsh_args_has(&call->args, "folded") || (format && !strcmp(format, "folded"));
}

void stacks_print(struct tsh_session *s, const struct tsh_call *call,
		  const struct tsh_stacks *stacks, tsh_stack_name *name, void *name_ctx)
{
	const struct tsh_value *top = tsh_args_get(&call->args, "N");
	bool folded = stacks_are_folded(call);
	struct tsh_stack_tree tree;
	struct printer p = {
		.out = s->out, .tree = &tree, .total = tsh_stacks_total(stacks),
		.outermost_first = tsh_args_has(&call->args, "from-entry"),
	};
	struct end *ends;
	size_t n;

	tsh_stacks_tree(stacks, p.outermost_first, name, name_ctx, &tree);
	ends = find_ends(&tree, &n);
	if (folded || s->out->format == TSH_FORMAT_JSON || s->out->format == TSH_FORMAT_CSV) {
		print_each(&p, ends, top && top->number < n ? top->number : n);
	} else if (n) {
		uint64_t most = top ? top->number : BRANCHES;

		p.least = n > most ? ends[most - 1].count : 1;
		print_branches(&p, &tree.nodes[0], 0);
	}
	if (p.hidden)
		tsh_out_note(s->out, "%" PRIu64 " stacks of rarer branches are not printed: --top "
			     "%zu prints all", p.hidden, n);
	free(ends);
	tsh_stack_tree_release(&tree);
}
