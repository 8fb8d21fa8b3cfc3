/* library/library.h - uses of libtraceevent and libtracefs */
/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_LIBRARY_LIBRARY_H
#define TRACESH_LIBRARY_LIBRARY_H

#include <sys/types.h>

#include "base/apart.h"
#include "base/err.h"
#include "base/strbuf.h"
#include "base/vec.h"
#include "base/wait.h"

/* Describes a library that a build may have. The last one of the list has no name. */
struct tsh_library {
	const char *name;
	const char *does;	/* what tracesh uses it for */
	const char *needs;	/* how to build with it */
	const char *built;	/* the version of the build; NULL: built without it */
	const char *symbol;	/* one of its functions; NULL: it is loaded when it is needed */
};

extern const struct tsh_library tsh_libraries[];

/* Returns the version of the loaded file, by its name, otherwise that of the build; the caller
 * frees it. NULL: it is not linked. */
char *tsh_library_version(const struct tsh_library *library);
/* Returns ", NAME VERSION" or ", no NAME" for each library; the caller frees it. */
char *tsh_library_versions(void);
/* Returns "1.6.4: what it does", for libtracefs also what it finds in that folder; the caller
 * frees it. */
char *tsh_library_text(const struct tsh_library *library, const char *tracefs);

/* Says which events the libraries print: the setting `decoders`. */
enum tsh_decoders { TSH_DECODERS_ON, TSH_DECODERS_OFF, TSH_DECODERS_ALL };

/* Is a process in which libtraceevent prints; pid 0: there is none. It ends when its descriptor
 * is closed. */
struct tsh_decoders_process {
	pid_t pid;
	int fd;
};

/* Starts such a process, which waits, so that a live trace can leave it out before it runs. Does
 * nothing when there is one, or in a build without the library. */
void tsh_decoders_prepare(struct tsh_decoders_process *process);

struct tsh_decoder;
struct tsh_decoding;
/*
 * Lets libtraceevent and its plugins print what the decoder cannot (ON), or every event (ALL), in a
 * process of its own, which runs as nobody when we are root. What libtraceevent cannot print, or
 * fails at, is printed without it; after a few failures everything is. To be called before a format
 * is asked for. Returns what the decoder owns; NULL for OFF, or in a build without the library.
 * Uses the prepared process first, and then sets its pid to 0. Calls the functions of host for
 * other processes.
 */
struct tsh_decoding *tsh_decoders_attach(struct tsh_decoder *decoder, enum tsh_decoders which,
					 struct tsh_decoders_process *prepared, const struct tsh_apart_host *host);
/* Returns a sentence for each event at which it has failed. */
const struct tsh_strlist *tsh_decoding_failures(const struct tsh_decoding *decoding);

/* Is a question to libtracefs: a statement, the name of its event, and the formats that it may
 * need, each with its system. */
struct tsh_sqlhist {
	const char *statement, *name;
	const char *tracefs;		/* path of tracefs */
	struct tsh_strlist systems, formats;
};
/*
 * Appends the commands for sh that sqlhist would write for the question. Runs libtracefs in a
 * process of its own, which it may crash. Returns -1 with err. When libtracefs refuses the
 * statement, err has its words, TSH_USAGE, and the place in the statement if libtracefs names it;
 * otherwise err says why libtracefs could not be asked.
 */
int tsh_sqlhist(struct tsh_sqlhist *ask, const struct tsh_waiter *waiter, struct tsh_strbuf *ret, struct tsh_err *err);

#endif
