/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <string.h>

#include "print-parser.h"

/* Finds members of structures in a record: REC->hdr.epoch. Format files do not have the members'
 * offsets. These structures go over networks or to user space, so they never change. */

struct member {
	const char *structure;
	uint8_t structure_size;
	const char *name;
	uint8_t offset;
	uint8_t size;			/* 0: the member is a structure */
	bool is_signed;
};

/* fs/afs/afs.h, net/rxrpc/protocol.h, include/drm/drm_rect.h, include/uapi/linux/{errqueue,
 * rxrpc}.h */
static const struct member members[] = {
	{ "afs_fid", 24, "vid", 0, 8, false },
	{ "afs_fid", 24, "vnode", 8, 8, false },
	{ "afs_fid", 24, "vnode_hi", 16, 4, false },
	{ "afs_fid", 24, "unique", 20, 4, false },
	{ "rxrpc_host_header", 28, "epoch", 0, 4, false },
	{ "rxrpc_host_header", 28, "cid", 4, 4, false },
	{ "rxrpc_host_header", 28, "callNumber", 8, 4, false },
	{ "rxrpc_host_header", 28, "seq", 12, 4, false },
	{ "rxrpc_host_header", 28, "serial", 16, 4, false },
	{ "rxrpc_host_header", 28, "type", 20, 1, false },
	{ "rxrpc_host_header", 28, "flags", 21, 1, false },
	{ "rxrpc_host_header", 28, "userStatus", 22, 1, false },
	{ "rxrpc_host_header", 28, "securityIndex", 23, 1, false },
	{ "rxrpc_host_header", 28, "serviceId", 26, 2, false },
	{ "sockaddr_rxrpc", 36, "transport", 8, 0, false },
	{ "sock_extended_err", 16, "ee_errno", 0, 4, false },
	{ "sock_extended_err", 16, "ee_origin", 4, 1, false },
	{ "sock_extended_err", 16, "ee_type", 5, 1, false },
	{ "sock_extended_err", 16, "ee_code", 6, 1, false },
	{ "sock_extended_err", 16, "ee_info", 8, 4, false },
	{ "sock_extended_err", 16, "ee_data", 12, 4, false },
	{ "drm_rect", 16, "x1", 0, 4, true },
	{ "drm_rect", 16, "y1", 4, 4, true },
	{ "drm_rect", 16, "x2", 8, 4, true },
	{ "drm_rect", 16, "y2", 12, 4, true },
};

/* Returns the name behind "struct " in the words of a type, or NULL. */
static const char *structure_name(const char *words)
{
	const char *name = words ? strstr(words, "struct ") : NULL;

	return name ? name + 7 : NULL;
}

/* Finds a member. `size` is that of the field that is this structure, or 0 behind a pointer. */
static const struct member *find_member(const char *words, size_t size, const char *name)
{
	const char *structure = structure_name(words);
	size_t i, len;

	/* uses the same layout: on the network only the order of bytes differs */
	if (structure && !strcmp(structure, "rxrpc_wire_header"))
		structure = "rxrpc_host_header";
	for (i = 0; structure && i < sizeof(members) / sizeof(members[0]); i++) {
		len = strlen(members[i].structure);
		if (!strncmp(structure, members[i].structure, len) &&
		    (!structure[len] || structure[len] == ' ') &&
		    !strcmp(members[i].name, name) && (!size || size == members[i].structure_size))
			return &members[i];
	}
	return NULL;
}

/* Makes *(type *)((u8 *)base + offset). */
static struct expr *load_member(struct tree *t, struct expr *base, const struct member *member)
{
	struct ctype pointer = {
		.size = (uint8_t)t->long_size,
		.stars = 1,
		.target_size = 1,
	};

	base = tree_cast(t, pointer, base);
	if (member->offset)
		base = tree_binary(t, EXPR_ADD, base, tree_int(t, member->offset));
	pointer.target_size = member->size;
	pointer.target_signed = member->is_signed;
	pointer.target_is_struct = !member->size;
	return tree_deref(t, tree_cast(t, pointer, base));
}

struct expr *parse_member_of(struct parser *p, struct expr *e, const char *name)
{
	const struct member *member = NULL;

	if (e->kind == EXPR_FIELD)
		member = find_member(e->field->type, e->field->size, name);
	else if (e->kind == EXPR_CAST && e->type.stars == 1)
		member = find_member(e->text, 0, name);
	if (!member) {
		tree_fail(&p->tree, "the member '%s' of a structure", name);
		return e;
	}
	if (!e->type.stars)
		e = tree_address(&p->tree, e);
	return load_member(&p->tree, e, member);
}
