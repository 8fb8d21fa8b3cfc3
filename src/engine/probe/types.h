/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_ENGINE_PROBE_TYPES_H
#define TRACESH_ENGINE_PROBE_TYPES_H

/* The kernel's types: of the running kernel, or of a tree that has its BTF. */

#include "events/symbols/btf.h"
#include "session/session.h"

#define TSH_TYPES_NAMED (TSH_BTF_AGGREGATES | TSH_BTF_ENUMS | TSH_BTF_TYPEDEFS)

struct tsh_types {
	struct tsh_session *session;
	struct tsh_live_provider *provider;
	struct tsh_btf *btf;
	bool is_recorded;	/* only what its events use */
};

/* Reads nothing yet. What was read of the kernel's own types the session keeps. */
void tsh_types_open(struct tsh_session *s, struct tsh_types *ret);
void tsh_types_close(struct tsh_types *types);
/* -1 with the reason when there are none. */
int tsh_types_need(struct tsh_session *s, struct tsh_types *types, struct tsh_err *err);

/* What a word NAME[.MEMBER..] stands for. */
struct tsh_type_place {
	struct tsh_btf_ref ref;		/* the type, or that of the member */
	bool is_member;
	struct tsh_btf_part part;	/* the last member */
	struct tsh_btf_type outer;	/* which it is counted from: behind the last pointer */
	uint64_t at;			/* bits from there */
};
/* -1 with err (may be NULL), which blames the part of the word that there is not. */
int tsh_types_resolve(struct tsh_types *types, const struct tsh_value *value,
		      struct tsh_type_place *ret, struct tsh_err *err);

#endif
