/* tracesh/library.h - what libtraceevent and libtracefs do for tracesh (src/library) */
/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_LIBRARY_H
#define TRACESH_LIBRARY_H

/* A library that a build may have. The last one of the list has no name. */
struct tsh_library {
	const char *name;
	const char *does;	/* what for */
	const char *needs;	/* how a build gets it */
	const char *built;	/* the version that it was built with; NULL: without */
	const char *symbol;	/* one of its functions */
};

extern const struct tsh_library tsh_libraries[];

/* Gives the path of the file that is loaded, in which links are followed; the caller frees it. NULL: nobody knows. */
char *tsh_library_path(const struct tsh_library *library);
/* Gives the version of the file that is loaded, by its name, or else the one of the build; the caller frees it. NULL:
 * it is not linked. */
char *tsh_library_version(const struct tsh_library *library);
/* Gives "1.6.4: what it does", and of libtracefs what it finds in that folder; the caller frees it. */
char *tsh_library_text(const struct tsh_library *library, const char *tracefs);

#endif
