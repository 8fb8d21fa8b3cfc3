/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_ENGINE_PROBE_TYPES_H
#define TRACESH_ENGINE_PROBE_TYPES_H

/* Looks up types of the kernel (BTF): of the running one, or of a recording that has its BTF. */

#include "events/symbols/btf.h"
#include "session/session.h"

#define TSH_TYPES_NAMED (TSH_BTF_AGGREGATES | TSH_BTF_ENUMS | TSH_BTF_TYPEDEFS)

struct tsh_types {
	struct tsh_session *session;
	struct tsh_live_provider *provider;
	struct tsh_btf *btf;
	bool is_recorded;	/* the recording has only the types of its events */
};

/* Prepares ret, but reads nothing yet. The session keeps what was read of the running kernel's
 * types. */
void tsh_types_open(struct tsh_session *s, struct tsh_types *ret);
void tsh_types_close(struct tsh_types *types);
/* Returns 0, or -1 with an error that says why there are no types. */
int tsh_types_check(struct tsh_session *s, struct tsh_types *types, struct tsh_err *err);

/* Describes the type or the member that a word NAME[.MEMBER..] names. */
struct tsh_type_place {
	struct tsh_btf_ref ref;		/* type of NAME, or of the last member */
	bool is_member;
	struct tsh_btf_part part;	/* last member */
	struct tsh_btf_type outer;	/* the structure behind the last pointer */
	uint64_t at;			/* offset of the member in `outer`, in bits */
};
/* Finds the type or the member that a word names. Returns 0, or -1 with err (may be NULL), which
 * blames the part of the word that does not exist. */
int tsh_types_resolve(struct tsh_types *types, const struct tsh_value *value,
		      struct tsh_type_place *ret, struct tsh_err *err);

#endif
