/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_ENGINE_STACKS_INTERNAL_H
#define TRACESH_ENGINE_STACKS_INTERNAL_H

/* Declares functions that the files of the command stacks share. */

#include "base/apart.h"
#include "base/vec.h"
#include "base/wait.h"
#include "engine/tally/stacks.h"
#include "library/debug.h"
#include "session/session.h"

/* Says whether each stack is printed as one line, for flame graphs. */
bool stacks_are_folded(const struct tsh_call *call);
void stacks_print(struct tsh_session *s, const struct tsh_call *call,
		  const struct tsh_stacks *stacks, tsh_stack_name *name, void *name_ctx);

/*
 * Finds functions of programs by addresses of their processes (users.c), and numbers them. Looks
 * them up when a stack is read, because the process may have ended when it is printed. Limits the
 * bytes that are read from files and stored, because a process chooses which files it maps; beyond
 * the limits, a frame has only the name of its file.
 */
struct stacks_users;

/*
 * Begins to follow what processes map, and warns when the kernel does not report it. Reading files
 * ends with a signal, and about a second after max_ns from now (0: no limit). Processes that read
 * files are left out of the instance's trace.
 */
struct stacks_users *stacks_users_new(struct tsh_session *s, struct tsh_instance *in, uint64_t max_ns);
/* Accepts NULL. */
void stacks_users_free(struct stacks_users *users);
/* Returns a waiter for the stream, which also reports signals that came while files were read. */
const struct tsh_waiter *stacks_users_waiter(const struct stacks_users *users);
/*
 * Finds the functions at an address of a process at a time of the instance's clock, and writes
 * their numbers to ret, at most max. With debug information these are the inlined functions,
 * innermost first, and last the function that contains them. Returns how many, at least 1.
 */
size_t stacks_users_find(struct stacks_users *users, int tgid, uint64_t stamp, uint64_t address, uint64_t *ret,
			 size_t max);
/* Says whether a process is one that reads files for this command. */
bool stacks_users_is_reader(const struct stacks_users *users, int tgid);
/* Returns how many frames have no name, because the mappings of their process at that time are
 * unknown. */
uint64_t stacks_users_unknown(const struct stacks_users *users);
/* Returns a function's name: "readline [bash]"; "[bash]" when it has no symbol, "[unknown]" when
 * the mappings are not known. Borrowed. */
const char *stacks_users_name(const struct stacks_users *users, uint64_t number);
/* Appends the programs whose debug information could not be read, with the reason; nothing when
 * there are none. */
void stacks_users_append_failed_debug(const struct stacks_users *users, struct tsh_strbuf *text);
/* Appends what was left out because of limits, with the limits; nothing when there is nothing. */
void stacks_users_left_out(const struct stacks_users *users, struct tsh_strbuf *text);

/* ---- mappings of processes and their times (processes.c) ---- */

struct stacks_objects;
struct stacks_processes;

/* Describes a place in a program or library that a process has mapped. */
struct stacks_place {
	size_t object;
	uint64_t offset;
	uint64_t begin, end;		/* addresses of the mapping */
};

enum stacks_found {
	STACKS_FOUND,
	STACKS_NOTHING,			/* no code is mapped there */
	STACKS_UNKNOWN,			/* the mappings at that time are not known */
};

/* Begins to record mappings. Borrows the host and the objects. */
struct stacks_processes *stacks_processes_new(const struct tsh_instance *in, const struct tsh_apart_host *host,
					      struct tsh_waiter waiter, struct stacks_objects *objects);
void stacks_processes_free(struct stacks_processes *all);
/* Returns -errno when the kernel does not report mappings; 0: it does. */
int stacks_processes_report_error(const struct stacks_processes *all);
/* Reads what the kernel has reported since the last call, so that its buffer has room. */
void stacks_processes_read_reports(struct stacks_processes *all);
/* Finds what a process had mapped at an address, at a time of the instance's clock. */
enum stacks_found stacks_processes_find(struct stacks_processes *all, int tgid, uint64_t stamp, uint64_t address,
					struct stacks_place *ret);
/* Appends what was left out because of limits, as stacks_users_left_out does. */
void stacks_processes_left_out(const struct stacks_processes *all, struct tsh_strbuf *text);

/* ---- a program or library (file.c) ---- */

/* Identifies a file as a line of /proc/PID/maps does. */
struct stacks_file_id {
	uint64_t device, inode;
};

struct stacks_file {
	struct stacks_file_id id;
	int tgid;			/* a process that has the file mapped */
	/* Are the address range of the file's mapping, as in /proc/PID/map_files, and its path, as
	 * in /proc/PID/maps; borrowed. */
	const char *range, *path;
	uint64_t functions_max, bytes_max;	/* limits: functions, bytes of names */
};

struct stacks_function;

/* Parses the device (hexadecimal) and the inode of a line of the maps. */
struct stacks_file_id stacks_file_id(const char *device, const char *inode);
/* Reads the functions of the file in a process of its own, and waits at most two seconds for
 * each piece. text is the input of stacks_file_next. */
enum tsh_apart_result stacks_file_read(struct stacks_file *file, const struct tsh_apart_host *host,
				       const struct tsh_waiter *waiter, struct tsh_strbuf *text);
/* Opens a struct stacks_file, for tsh_debug_open. Returns a descriptor, or a negative number. */
int stacks_file_open(void *file);
/* Parses the next function of the text; *at is 0 at the beginning. The name points into the
 * text. Returns false at the end, and adds the number of symbols beyond the limits to *left_out. */
bool stacks_file_next(const struct tsh_strbuf *text, size_t *at, struct stacks_function *ret,
		      uint64_t *left_out);

/* ---- programs and libraries (objects.c) ---- */

/* Holds a function of a file. */
struct stacks_function {
	uint64_t offset;
	const char *name;		/* in the object's text, see stacks_function_length */
	uint32_t size;			/* 0: unknown */
	uint32_t number;		/* number in the names of stacks_users; 0: none yet */
};

struct stacks_object {
	uint64_t device, inode;		/* same numbers as in the maps */
	char *path;			/* path of its first mapping; or "[vdso]" */
	char *label;			/* "[bash]" */
	uint32_t number;		/* number of the label, as in a function */
	struct tsh_strbuf text;		/* the functions' names */
	TSH_VEC(struct stacks_function) functions;	/* sorted by offset, one for each */
	struct tsh_debug *debug;	/* NULL: no debug information */
	const char *debug_why;		/* error of reading it; NULL: none */
	/* Counts the attempts to read the functions; `tried` is the process of the last attempt. */
	unsigned int tries;
	int tried;
};

/* Borrows the host. */
struct stacks_objects *stacks_objects_new(const struct tsh_apart_host *host, struct tsh_waiter waiter);
void stacks_objects_free(struct stacks_objects *objects);
/* Finds or adds the file that is mapped with this path, as in /proc/PID/maps. Returns its index;
 * 0 stands for all files beyond the limit. */
size_t stacks_object_find(struct stacks_objects *objects, const struct stacks_file_id *id, const char *path);
/* Reads the functions of object i at the first call, from a process that has it mapped at that
 * address. */
void stacks_object_read(struct stacks_objects *objects, size_t i, int tgid, uint64_t begin, uint64_t end);
/* Returns object i, borrowed until the next one is added. */
struct stacks_object *stacks_object(struct stacks_objects *objects, size_t i);
/* Returns the function at an offset of the file; NULL: there is none. */
struct stacks_function *stacks_object_function(const struct stacks_object *object, uint64_t offset);
/* Returns the length of a function's name without its version, at most TSH_ELF_NAME_MAX. */
size_t stacks_function_length(const struct stacks_function *function);
/* Appends the inlined functions at an offset, as tsh_debug_functions does. */
void stacks_object_inlined(struct stacks_objects *objects, struct stacks_object *object, uint64_t offset,
			   struct tsh_strbuf *ret);
/* Appends the files whose debug information could not be read, as stacks_users_append_failed_debug
 * does. */
void stacks_objects_append_failed_debug(const struct stacks_objects *objects, struct tsh_strbuf *text);
/* Appends what was left out because of limits, as stacks_users_left_out does. */
void stacks_objects_left_out(const struct stacks_objects *objects, struct tsh_strbuf *text);

#endif
