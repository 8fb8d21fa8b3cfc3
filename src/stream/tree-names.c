/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tree.h"

#include <stdlib.h>
#include <string.h>

#include "tracesh/number.h"
#include "tracesh/xmalloc.h"

/*
 * saved_cmdlines has the last 128 tasks: in a long recording it is looked at again and
 * again, and the newest name of each task is kept.
 */

#define COMM_SIZE 16		/* TASK_COMM_LEN */
#define SLOTS (1u << 16)
#define NAMES_MAX (SLOTS / 2)

struct name {
	int pid;		/* 0: a free place */
	char comm[COMM_SIZE];
};

struct tsh_tree_names {
	struct name *slots;
	size_t n;
};

struct tsh_tree_names *tsh_tree_names_new(void)
{
	struct tsh_tree_names *names = tsh_xcalloc(1, sizeof(*names));

	names->slots = tsh_xcalloc(SLOTS, sizeof(*names->slots));
	return names;
}

void tsh_tree_names_free(struct tsh_tree_names *names)
{
	if (!names)
		return;
	free(names->slots);
	free(names);
}

static void add(struct tsh_tree_names *names, int pid, const char *comm)
{
	size_t i = (uint32_t)pid * 0x9e3779b1u >> 16, len = strlen(comm);

	while (names->slots[i].pid && names->slots[i].pid != pid)
		i = (i + 1) % SLOTS;
	if (!names->slots[i].pid && names->n++ >= NAMES_MAX)
		return;
	names->slots[i].pid = pid;
	memset(names->slots[i].comm, 0, COMM_SIZE);
	memcpy(names->slots[i].comm, comm, len < COMM_SIZE ? len : COMM_SIZE - 1);
}

/* "PID COMM". The rest of a name with a newline in it may look like one; but these names
 * are asked for last. */
static void add_line(struct tsh_tree_names *names, char *line)
{
	char *blank = strchr(line, ' ');
	int pid;

	if (!blank)
		return;
	*blank = '\0';
	if (!tsh_parse_int(line, &pid) && pid > 0)
		add(names, pid, blank + 1);
}

void tsh_tree_names_look(struct tsh_tree_names *names, const struct tsh_instance *top)
{
	char *text = tsh_file_text(top, "saved_cmdlines");
	struct tsh_strlist lines = { 0 };
	size_t i;

	tsh_strlist_split_lines(&lines, text ? text : "");
	for (i = 0; i < lines.n; i++)
		add_line(names, lines.v[i]);
	tsh_strlist_release(&lines);
	free(text);
}

void tsh_tree_names_text(const struct tsh_tree_names *names, struct tsh_strbuf *out)
{
	size_t i;

	for (i = 0; i < SLOTS; i++)
		if (names->slots[i].pid)
			tsh_strbuf_addf(out, "%d %s\n", names->slots[i].pid,
					names->slots[i].comm);
}
