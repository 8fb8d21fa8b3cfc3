/* library/library.h - what libtraceevent and libtracefs do for tracesh */
/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_LIBRARY_LIBRARY_H
#define TRACESH_LIBRARY_LIBRARY_H

#include <sys/types.h>

#include "base/apart.h"
#include "base/err.h"
#include "base/strbuf.h"
#include "base/vec.h"
#include "base/wait.h"

/* A library that a build may have. The last one of the list has no name. */
struct tsh_library {
	const char *name;
	const char *does;	/* what for */
	const char *needs;	/* how a build gets it */
	const char *built;	/* the version that it was built with; NULL: without */
	const char *symbol;	/* one of its functions; NULL: it is loaded when it is needed */
};

extern const struct tsh_library tsh_libraries[];

/* Gives the version of the file that is loaded, by its name, or else the one of the build; the caller frees it. NULL:
 * it is not linked. */
char *tsh_library_version(const struct tsh_library *library);
/* Gives ", NAME VERSION" or ", no NAME" of each; the caller frees it. */
char *tsh_library_versions(void);
/* Gives "1.6.4: what it does", and of libtracefs what it finds in that folder; the caller frees it. */
char *tsh_library_text(const struct tsh_library *library, const char *tracefs);

/* Says who prints the events that a decoder cannot: the setting `decoders`. */
enum tsh_decoders { TSH_DECODERS_ON, TSH_DECODERS_OFF, TSH_DECODERS_ALL };

/* A process in which libtraceevent prints; pid 0: there is none. It ends when its descriptor is closed. */
struct tsh_decoders_process {
	pid_t pid;
	int fd;
};

/* Begins one that waits, so that a live trace can leave it out before it runs; where there is one already that is it.
 * In a build without the library there never is. */
void tsh_decoders_prepare(struct tsh_decoders_process *process);

struct tsh_decoder;
struct tsh_decoding;
/*
 * Lets libtraceevent and its plugins print what the decoder cannot (ON), or every event (ALL): in a process of its
 * own, which is nobody where we are root. What it cannot print, and where it fails, is printed as without it; after a
 * few failures all is. Before a format is asked for. Borrowed from the decoder; NULL: OFF, or a build without the
 * library. A prepared process is taken, the host is told of others.
 */
struct tsh_decoding *tsh_decoders_attach(struct tsh_decoder *decoder, enum tsh_decoders which,
					 struct tsh_decoders_process *prepared, const struct tsh_apart_host *host);
/* A sentence for each event at which it has failed. */
const struct tsh_strlist *tsh_decoding_failures(const struct tsh_decoding *decoding);

/* A question to libtracefs: a statement, the name of its event, and the formats that it may need, each with its system. */
struct tsh_sqlhist {
	const char *statement, *name;
	const char *tracefs;		/* where it lies */
	struct tsh_strlist systems, formats;
};
/* Appends the commands that sqlhist writes for it, for sh, in a process of its own, which it may end; -1 with err:
 * in libtracefs' words, TSH_USAGE, with the place in the statement where it tells one, or why it cannot be asked. */
int tsh_sqlhist(struct tsh_sqlhist *ask, const struct tsh_waiter *waiter, struct tsh_strbuf *ret, struct tsh_err *err);

#endif
