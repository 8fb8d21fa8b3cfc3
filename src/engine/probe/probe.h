/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_ENGINE_PROBE_PROBE_H
#define TRACESH_ENGINE_PROBE_PROBE_H

#include "base/elf.h"
#include "kernel/tracefs/probe.h"
#include "session/session.h"
#include "types.h"

/* Is a register of this machine, for examples. */
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
	TSH_TARGET_FUNCTION,	/* function of the kernel */
	TSH_TARGET_PROGRAM,
	TSH_TARGET_TRACEPOINT,
	TSH_TARGET_EVENT,
};

/* Describes the place of a probe, parsed from [NAME=]TARGET. Zeroed memory is empty. */
struct tsh_target {
	enum tsh_target_kind kind;
	bool is_return;
	/* Limits the calls that wait for their return at the same time; 0: the kernel's limit. */
	unsigned int at_once;
	char *name;		/* name of the event that the user asked for; or NULL */
	char *base;		/* name of the event when the user has given none */
	char *place;		/* place as the kernel's line has it */
	char *function;		/* function of the kernel; NULL: an address */
	uint64_t offset;	/* bytes from the beginning of the function */
	unsigned int machine;	/* e_machine of a program: EM_X86_64, .. */
	struct tsh_event event;	/* event of EVENT; name of TRACEPOINT */
	size_t begin;		/* offset of the target in the word, behind NAME= */
};

/* Parses a target, and checks that its place exists. Returns 0, or -1 with err, which blames the
 * part that is wrong. The caller releases *ret in both cases. */
int tsh_target_parse(struct tsh_session *s, const struct tsh_value *value, struct tsh_target *ret,
		     struct tsh_err *err);
void tsh_target_release(struct tsh_target *target);
/* Returns where "%return" or "%return:N" begins at the end of a word; NULL: the word has none.
 * *ret_at_once: N, or 0. */
const char *tsh_target_return(const char *text, unsigned int *ret_at_once);
/* Returns the first letter of the kernel's line: 'p', 'r', 'e' or 't'. */
char tsh_target_letter(const struct tsh_target *target);
/* Parses PATH:FUNCTION of a program (program.c). `at` is its offset in the word. Returns as
 * tsh_target_parse. */
int tsh_target_program(struct tsh_session *s, const struct tsh_value *value, const char *text, size_t at,
		       struct tsh_target *ret, struct tsh_err *err);
/*
 * Opens the file of a program by its path, which it follows as the kernel does. Does not block, and
 * opens nothing but regular files. Returns a descriptor, or -errno: -ENOEXEC: no regular file;
 * -EXDEV: other users can change where the path leads; -EWOULDBLOCK: another process has a lease on
 * it.
 */
int tsh_probe_open_program(const char *path);
/* Cuts "+0x10" or "+16" from the end of a function's name, and returns it in *ret (0: there is
 * none). Returns false when no number is behind the plus. */
bool tsh_target_offset(char *name, uint64_t *ret);

/* Holds facts about a function from the kernel's list of symbols (symbols.c). */
struct tsh_symbol_find {
	size_t n;		/* functions with that name */
	uint64_t address;	/* address of the first function; 0: hidden */
	bool is_forbidden;	/* belongs to a section in which the kernel allows no probe */
	char *near, *variant;	/* similar name; name that the compiler has made of it; or NULL */
	char *module;		/* module of the first function; NULL: the kernel itself */
	bool is_unknown;	/* the list cannot be read */
};
/* Is a function of kernels that have probes of events (Linux 5.15 and newer). */
#define TSH_EPROBE_FUNCTION "eprobe_dyn_event_create"
/* Says whether the kernel has a function of that name, perhaps with a suffix of the compiler
 * (.isra.0). Returns 1, 0, or -1 when the list cannot be read. */
int tsh_symbol_exists(const char *name);
void tsh_symbol_find(const char *name, const char *module, struct tsh_symbol_find *ret);
void tsh_symbol_find_release(struct tsh_symbol_find *found);
/*
 * Lists the functions that a glob matches, as NAME or MODULE:NAME. Excludes names that several
 * functions have, parts that the compiler has split off (NAME.cold), and functions that the
 * function tracer does not know, if it has a list. module: the functions of that module only; NULL:
 * of the kernel and of all modules. *ret_several: the number of functions with a shared name.
 */
void tsh_symbol_functions(struct tsh_session *s, const char *glob, const char *module,
			  struct tsh_strlist *ret, size_t *ret_several);
/* Calls `each` for each function whose name begins with `start`, except for names with a suffix
 * of the compiler. module is "" for functions of the kernel itself. */
void tsh_symbol_each(const char *start, void (*each)(void *ctx, const char *name, const char *module), void *ctx);

/* Maps a part of the kernel's line to the word of the user from which it was made. */
struct tsh_probe_piece {
	size_t begin, end;		/* offsets in the line */
	const struct tsh_value *value;
	size_t from;			/* offset of the part in the word */
	/* Says that the part is copied from the word; otherwise it is translated from the rest
	 * of the word. */
	bool is_same;
};
struct tsh_probe_line {
	struct tsh_strbuf text;
	TSH_VEC(struct tsh_probe_piece) pieces;
	struct tsh_strlist fields;	/* names of fields that are in use */
};
void tsh_probe_line_release(struct tsh_probe_line *line);
/* Appends a text that is made of the word from offset `from` on. */
void tsh_probe_line_add(struct tsh_probe_line *line, const char *text,
			const struct tsh_value *value, size_t from, bool is_same);

/* Appends " NAME=FETCH" for each of the ARG words (args.c). Returns 0, or -1 with err. */
int tsh_probe_args(struct tsh_session *s, const struct tsh_target *target,
		   const struct tsh_args *args, struct tsh_probe_line *line, struct tsh_err *err);

/*
 * Translates a C expression, "path->dentry->d_name.name", to a fetch argument of the kernel with
 * its type (member.c). *ret_name is a name for the field. The caller frees both. Returns 0, or -1
 * with err.
 */
int tsh_probe_member(struct tsh_types *types, const struct tsh_target *target,
		     const struct tsh_value *value, size_t from, const char *text,
		     char **ret_fetch, char **ret_name, struct tsh_err *err);

/* Finds the structure to which the members of such an expression belong, behind pointers.
 * Returns false when there is none. */
bool tsh_probe_member_type(struct tsh_types *types, const struct tsh_target *target,
			   const char *text, struct tsh_btf_ref *ret);

/* Declare the words of a probe, TARGET and its ARG.. (make.c). */
extern const struct tsh_arg tsh_probe_words[];
/* Makes the probe of a call with these words, or one for each function of the kernel that a glob
 * matches. Appends its events to *ret. Returns 0, or -1 with err. */
int tsh_probe_make(struct tsh_session *s, const struct tsh_call *call, struct tsh_events *ret,
		   struct tsh_err *err);
/* Prints the rows of `explain` for such a call: the kernel's line and its file. Returns 0, or -1
 * with err. */
int tsh_probe_explain(struct tsh_session *s, const struct tsh_call *call, struct tsh_err *err);

#endif
