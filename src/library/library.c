/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "library.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#ifdef LIBTRACEFS_VERSION
#include <tracefs.h>
#else
#define LIBTRACEFS_VERSION NULL
#define tracefs_event_systems(dir)	((void)(dir), (char **)NULL)
#define tracefs_list_free(list)		((void)(list))
#endif
#ifndef LIBDW_VERSION
#define LIBDW_VERSION NULL
#endif
#ifndef LIBZSTD_VERSION
#define LIBZSTD_VERSION NULL
#endif
#ifndef LIBZ_VERSION
#define LIBZ_VERSION NULL
#endif
#ifndef LIBTRACEEVENT_VERSION
#define LIBTRACEEVENT_VERSION NULL
#endif

#include "base/xmalloc.h"
#include "debug.h"

const struct tsh_library tsh_libraries[] = {
	{ "libtraceevent", "prints events that tracesh cannot: set decoders", "a build with libtraceevent-dev",
	  LIBTRACEEVENT_VERSION, "tep_alloc" },
	{ "libtracefs", "writes what sqlhist would: sql --sqlhist", "a build with libtracefs-dev", LIBTRACEFS_VERSION,
	  "tracefs_event_systems" },
	{ "libdw", "names functions that are inlined, and by debug files: stacks --user", "a build with libdw-dev",
	  LIBDW_VERSION, NULL },
	{ "libzstd", "unpacks and packs trace.dat: export", "a build with libzstd-dev", LIBZSTD_VERSION, "ZSTD_createDCtx" },
	{ "zlib", "unpacks trace.dat of trace-cmd", "a build with zlib1g-dev", LIBZ_VERSION, "inflate" },
	{ 0 }
};

#ifdef STATIC_BINARY
/* Returns NULL: a static build has no library files, and dladdr(3) would link the loader of the
 * C library. */
static char *library_path(const struct tsh_library *library)
{
	(void)library;
	return NULL;
}
#else
static char *library_path(const struct tsh_library *library)
{
	/* finds the function by its name, because its address, taken in a program at fixed
	 * addresses, lies in the program itself */
	void *function = library->built && library->symbol ? dlsym(RTLD_DEFAULT, library->symbol) : NULL;
	Dl_info info;

	return function && dladdr(function, &info) ? realpath(info.dli_fname, NULL) : NULL;
}
#endif

char *tsh_library_version(const struct tsh_library *library)
{
	static const char mark[] = ".so.";
	char *path = library_path(library), *at = path ? strstr(path, mark) : NULL;
	const char *version = at && strchr(at + strlen(mark), '.') ? at + strlen(mark) : library->built;
	char *ret = version ? tsh_xstrdup(version) : NULL;

	free(path);
	return ret;
}

char *tsh_library_versions(void)
{
	struct tsh_strbuf ret = TSH_STRBUF_INIT;
	const struct tsh_library *library;

	for (library = tsh_libraries; library->name; library++) {
		char *version = tsh_library_version(library);

		if (version)
			tsh_strbuf_addf(&ret, ", %s %s", library->name, version);
		else
			tsh_strbuf_addf(&ret, ", no %s", library->name);
		free(version);
	}
	return tsh_strbuf_detach(&ret);
}

char *tsh_library_text(const struct tsh_library *library, const char *tracefs)
{
	char *version = tsh_library_version(library), *ret;
	char **systems = NULL;
	size_t n;

	if (!version)
		return tsh_xstrdup(library->does);
	if (!library->symbol && !tsh_debug_can()) {
		ret = tsh_xasprintf("%s: %s, is not installed here", version, library->does);
		free(version);
		return ret;
	}
	if (!strcmp(library->name, "libtracefs"))
		systems = tracefs_event_systems(tracefs);
	for (n = 0; systems && systems[n]; n++)
		;
	if (systems)
		ret = tsh_xasprintf("%s: %s, finds %zu systems of events", version, library->does, n);
	else
		ret = tsh_xasprintf("%s: %s", version, library->does);
	tracefs_list_free(systems);
	free(version);
	return ret;
}
