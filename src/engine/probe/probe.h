/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_ENGINE_PROBE_PROBE_H
#define TRACESH_ENGINE_PROBE_PROBE_H

#include "base/elf.h"
#include "kernel/tracefs/probe.h"
#include "session/session.h"
#include "types.h"

/* A register as one writes it on this machine, for examples. */
#if defined(__aarch64__)
#define TSH_REGISTER "%x0"
#elif defined(__arm__)
#define TSH_REGISTER "%r0"
#elif defined(__riscv)
#define TSH_REGISTER "%a0"
#elif defined(__powerpc__)
#define TSH_REGISTER "%gpr3"
#elif defined(__s390__)
#define TSH_REGISTER "%r2"
#else
#define TSH_REGISTER "%di"
#endif

enum tsh_target_kind {
	TSH_TARGET_FUNCTION,	/* of the kernel */
	TSH_TARGET_PROGRAM,
	TSH_TARGET_TRACEPOINT,
	TSH_TARGET_EVENT,
};

/* Where a probe stands: [NAME=]TARGET taken apart. Zeroed memory is none. */
struct tsh_target {
	enum tsh_target_kind kind;
	bool is_return;
	unsigned int at_once;	/* returns that the kernel keeps room for; 0: as many as it likes */
	char *name;		/* of its event, as wished; or NULL */
	char *base;		/* what it is called otherwise */
	char *place;		/* as the kernel takes it */
	char *function;		/* of the kernel; NULL: an address */
	uint64_t offset;	/* into the function */
	unsigned int machine;	/* of a program: EM_X86_64, .. */
	struct tsh_event event;	/* of EVENT, TRACEPOINT (name) */
	size_t begin;		/* where it stands in the word, behind NAME= */
};

/* Takes it apart, and looks whether it is there. -1 with err, which blames the part in question. */
int tsh_target_parse(struct tsh_session *s, const struct tsh_value *value, struct tsh_target *ret,
		     struct tsh_err *err);
void tsh_target_release(struct tsh_target *target);
/* Where "%return" or "%return:N" ends a word; NULL: it does not. *ret_at_once: N, or 0. */
const char *tsh_target_return(const char *text, unsigned int *ret_at_once);
/* "p", "r", "e" or "t". */
char tsh_target_letter(const struct tsh_target *target);
/* PATH:FUNCTION of a program (program.c). `at` is where it stands in the word. */
int tsh_target_program(struct tsh_session *s, const struct tsh_value *value, const char *text, size_t at,
		       struct tsh_target *ret, struct tsh_err *err);
/* Opens a program's file where its path leads, as the kernel does, and without waiting; nothing else is opened to see
 * what it is. A descriptor, or -errno: -ENOEXEC: it is no file; -EXDEV: others can change where the path leads;
 * -EWOULDBLOCK: somebody has a lease of it. */
int tsh_probe_open_program(const char *path);
/* "+0x10", "+16" at the end of a function's name, which is cut there. False: no number. */
bool tsh_target_offset(char *name, uint64_t *ret);

/* Holds what the kernel's list of symbols says of a function (symbols.c). */
struct tsh_symbol_look {
	size_t n;		/* functions of that name */
	uint64_t address;	/* of the first; 0: hidden */
	bool is_forbidden;	/* in a section where the kernel allows no probe */
	char *near, *variant;	/* NULL: none */
	char *module;		/* of the first; NULL: the kernel itself */
	bool is_unknown;	/* there is no list */
};
/* A kernel that makes probes of events has it, since Linux 5.15. */
#define TSH_EPROBE_FUNCTION "eprobe_dyn_event_create"
/* Says whether the kernel has a function of that name, as the compiler may have changed it: 1, 0, -1: there is no list. */
int tsh_symbol_is_there(const char *name);
void tsh_symbol_look(const char *name, const char *module, struct tsh_symbol_look *ret);
void tsh_symbol_look_release(struct tsh_symbol_look *look);
/* The functions that a glob matches, each name once: those that several have, and what the compiler
 * has cut off (NAME.cold), are left out. module: NULL: of the kernel and all modules. Those that the
 * function tracer knows, where it tells. *ret_several: how many have no name of their own. */
void tsh_symbol_functions(struct tsh_session *s, const char *glob, const char *module,
			  struct tsh_strlist *ret, size_t *ret_several);
/* Shows each whose name begins so, but for what the compiler has cut off; module: "": it is the kernel's own. */
void tsh_symbol_each(const char *start, void (*see)(void *ctx, const char *name, const char *module), void *ctx);

/* A part of the kernel's line, and the word that it is from. */
struct tsh_probe_piece {
	size_t begin, end;		/* in the line */
	const struct tsh_value *value;
	size_t from;			/* where it begins in the word.. */
	bool is_same;			/* ..byte for byte; else the word from there on is meant */
};
struct tsh_probe_line {
	struct tsh_strbuf text;
	TSH_VEC(struct tsh_probe_piece) pieces;
	struct tsh_strlist fields;	/* names that are used up */
};
void tsh_probe_line_release(struct tsh_probe_line *line);
/* Adds text that is made of the word from `from` on. */
void tsh_probe_line_add(struct tsh_probe_line *line, const char *text,
			const struct tsh_value *value, size_t from, bool is_same);

/* Adds " NAME=FETCH" for each of the ARG words (args.c). 0, or -1 with err. */
int tsh_probe_args(struct tsh_session *s, const struct tsh_target *target,
		   const struct tsh_args *args, struct tsh_probe_line *line, struct tsh_err *err);

/* The C way: "path->dentry->d_name.name" as the kernel's fetch argument with its type
 * (member.c). *ret_name is what the field is called; both are the caller's. */
int tsh_probe_member(struct tsh_types *types, const struct tsh_target *target,
		     const struct tsh_value *value, size_t from, const char *text,
		     char **ret_fetch, char **ret_name, struct tsh_err *err);

/* The structure that the members of such a text are of, behind pointers. */
bool tsh_probe_member_type(struct tsh_types *types, const struct tsh_target *target,
			   const char *text, struct tsh_btf_ref *ret);

/* TARGET and its ARG..: the words of a probe (make.c). */
extern const struct tsh_arg tsh_probe_words[];
/* Makes the probe of a call that has them, or one for each function of the kernel that a glob
 * matches. *ret gets its events. */
int tsh_probe_make(struct tsh_session *s, const struct tsh_call *call, struct tsh_events *ret,
		   struct tsh_err *err);
/* Adds what is written for a probe to the rows of explain. */
int tsh_probe_explain(struct tsh_session *s, const struct tsh_call *call, struct tsh_err *err);

#endif
