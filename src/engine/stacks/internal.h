/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_ENGINE_STACKS_INTERNAL_H
#define TRACESH_ENGINE_STACKS_INTERNAL_H

/* The parts of the command stacks. */

#include "base/apart.h"
#include "base/vec.h"
#include "base/wait.h"
#include "engine/tally/stacks.h"
#include "library/debug.h"
#include "session/session.h"

/* Prints what was counted as the options of the call want it (print.c). */
/* Whether a line is one stack, as flame graphs take them. */
bool stacks_are_folded(const struct tsh_call *call);
void stacks_print(struct tsh_session *s, const struct tsh_call *call,
		  const struct tsh_stacks *stacks, tsh_stack_name *name, void *name_ctx);

/*
 * Functions of programs by the addresses in their processes (users.c). They are looked
 * up when a stack comes, as a process may have ended when it is printed, and numbered. What
 * processes can make us read and keep has limits; what is beyond them has the object's name.
 */
struct stacks_users;

/* A signal ends the reading of files, and so does the end of max_ns from now (0: none), but for a moment. The processes
 * that read are left out of the instance's trace. Where the kernel does not tell what processes map, that is said. */
struct stacks_users *stacks_users_new(struct tsh_session *s, struct tsh_instance *in, uint64_t max_ns);
/* NULL is fine. */
void stacks_users_free(struct stacks_users *users);
/* For the stream: it hears the signals that came while files were read, too. */
const struct tsh_waiter *stacks_users_waiter(const struct stacks_users *users);
/* Gives the numbers of the functions at an address of a process at a time of the instance's clock, at most max: where
 * debug information tells, those that the compiler has put into another one before it. Returns how many, 1 at least. */
size_t stacks_users_look(struct stacks_users *users, int tgid, uint64_t stamp, uint64_t address, uint64_t *ret,
			 size_t max);
/* Says whether a process reads files for us. */
bool stacks_users_are(const struct stacks_users *users, int tgid);
/* Gives how many frames have no name since it is not known what their process had mapped then. */
uint64_t stacks_users_unknown(const struct stacks_users *users);
/* "readline [bash]"; "[bash]" where it has no symbol, "[unknown]" where the process has ended.
 * Borrowed. */
const char *stacks_users_name(const struct stacks_users *users, uint64_t number);
/* Appends the programs whose debug information could not be read, each once, with the reason; nothing: there are none. */
void stacks_users_unused(const struct stacks_users *users, struct tsh_strbuf *text);
/* Appends what was beyond the limits, and these; nothing: all was looked at. */
void stacks_users_left_out(const struct stacks_users *users, struct tsh_strbuf *text);

/* ---- what processes have mapped, and when (processes.c) ---- */

struct stacks_objects;
struct stacks_processes;

/* A place in a program or library, which a process has mapped. */
struct stacks_place {
	size_t object;
	uint64_t offset;
	uint64_t begin, end;		/* of the mapping */
};

enum stacks_found {
	STACKS_FOUND,
	STACKS_NOTHING,			/* no code is mapped there */
	STACKS_UNKNOWN,			/* what the process had mapped then is not known */
};

/* Begins to listen to what is mapped. The host and the objects are borrowed. */
struct stacks_processes *stacks_processes_new(const struct tsh_instance *in, const struct tsh_apart_host *host,
					      struct tsh_waiter waiter, struct stacks_objects *objects);
void stacks_processes_free(struct stacks_processes *all);
/* Gives why the kernel does not tell what is mapped, -errno; 0: it does. */
int stacks_processes_deaf(const struct stacks_processes *all);
/* Takes up what was mapped meanwhile, so that the kernel has room. */
void stacks_processes_hear(struct stacks_processes *all);
/* Finds what a process had mapped at an address, at a time of the instance's clock. */
enum stacks_found stacks_processes_find(struct stacks_processes *all, int tgid, uint64_t stamp, uint64_t address,
					struct stacks_place *ret);
/* Appends what was beyond the limits, as stacks_users_left_out. */
void stacks_processes_left_out(const struct stacks_processes *all, struct tsh_strbuf *text);

/* ---- a program or library (file.c) ---- */

/* Names a file as a line of /proc/PID/maps does. */
struct stacks_file_id {
	uint64_t device, inode;
};

struct stacks_file {
	struct stacks_file_id id;
	int tgid;			/* who has it mapped, */
	const char *range, *path;	/* where, as map_files has it, and what the maps call it; borrowed */
	uint64_t functions_max, bytes_max;	/* that may be read: of their names */
};

struct stacks_function;

/* Parses the words of such a line, the device in hexadecimal. */
struct stacks_file_id stacks_file_id(const char *device, const char *inode);
/* Reads the functions of the file in a process apart, two seconds without a word at most; text is
 * for stacks_file_next. */
enum tsh_apart stacks_file_read(struct stacks_file *file, const struct tsh_apart_host *host,
				const struct tsh_waiter *waiter, struct tsh_strbuf *text);
/* Opens the file, for tsh_debug_open. */
int stacks_file_open(void *file);
/* Parses the next function; *at begins at 0. False: there are no more; left_out has grown by the
 * symbols that are too many. The name lies in the text. */
bool stacks_file_next(const struct tsh_strbuf *text, size_t *at, struct stacks_function *ret,
		      uint64_t *left_out);

/* ---- programs and libraries (objects.c) ---- */

/* A function of a file, by its place there. */
struct stacks_function {
	uint64_t offset;
	const char *name;		/* in the object's names, see stacks_function_length */
	uint32_t size;			/* 0: not known */
	uint32_t number;		/* in the names of stacks_users; 0: not asked for yet */
};

struct stacks_object {
	uint64_t device, inode;		/* as the maps have them */
	char *path;			/* where it was first mapped; or "[vdso]" */
	char *label;			/* "[bash]" */
	uint32_t number;		/* of the label, as in a function */
	struct tsh_strbuf text;		/* has the names */
	TSH_VEC(struct stacks_function) functions;	/* by offset, one for each */
	struct tsh_debug *debug;	/* NULL: there is no debug information */
	const char *debug_why;		/* it could not be read; NULL: it was, or there is none */
	unsigned int tries;		/* to read it, the last one by the process `tried` */
	int tried;
};

/* The host is borrowed. */
struct stacks_objects *stacks_objects_new(const struct tsh_apart_host *host, struct tsh_waiter waiter);
void stacks_objects_free(struct stacks_objects *objects);
/* Finds what is mapped under a path, as /proc/PID/maps has it. An index. */
size_t stacks_object_find(struct stacks_objects *objects, const struct stacks_file_id *id, const char *path);
/* Reads its symbols the first time, by a process that has it mapped there. */
void stacks_object_read(struct stacks_objects *objects, size_t i, int tgid, uint64_t begin, uint64_t end);
/* Borrowed until the next one is found. */
struct stacks_object *stacks_object(struct stacks_objects *objects, size_t i);
/* The function at a place of the file; NULL: none has a name there. */
struct stacks_function *stacks_object_function(const struct stacks_object *object, uint64_t offset);
/* Bytes of its name without the version, and never more than TSH_ELF_NAME_MAX. */
size_t stacks_function_length(const struct stacks_function *function);
/* Appends the functions there that are put into others, as tsh_debug_functions. */
void stacks_object_inlined(struct stacks_objects *objects, struct stacks_object *object, uint64_t offset,
			   struct tsh_strbuf *ret);
/* Appends those whose debug information could not be read, as stacks_users_unused. */
void stacks_objects_unused(const struct stacks_objects *objects, struct tsh_strbuf *text);
/* Appends what was beyond the limits, as stacks_users_left_out. */
void stacks_objects_left_out(const struct stacks_objects *objects, struct tsh_strbuf *text);

#endif
