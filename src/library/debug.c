/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "debug.h"

const char tsh_debug_died[] = "libdw died, or did not answer in time";

#ifdef LIBDW_VERSION
#include <dlfcn.h>
#include <dwarf.h>
#include <elfutils/libdwfl.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/process.h"
#include "base/xmalloc.h"
#include "confine.h"

/* Limits the wait for the answer to BEGIN, which takes seconds for a large program. */
#define BEGIN_MS 5000
#define ANSWER_MS 1000
/* Limit the bytes of an answer, and the functions in it. */
#define ANSWER_MAX 65536
#define FUNCTIONS_MAX 32
/* Limits how many scopes are entered within each other: blocks, classes, name spaces, functions. */
#define SCOPES_MAX 128
/* Asks, in the place of an offset, whether there is debug information. The answer is HAS or
 * HAS_NONE, followed by SHUT, NO_SPLIT or NO_FILE when something could not be read. */
#define BEGIN UINT64_MAX
#define HAS 'y'
#define HAS_NONE 'n'
#define SHUT 's'
#define NO_SPLIT 'd'
#define NO_FILE 'f'

/* Lists the functions of libdw, which is loaded when it is needed: it and its own libraries take
 * 2 ms to load. */
#define LIBDW_FUNCTIONS(f) \
	f(dwfl_begin) f(dwfl_build_id_find_debuginfo) f(dwfl_build_id_find_elf) f(dwfl_standard_find_debuginfo) \
	f(dwfl_offline_section_address) f(dwfl_report_offline) f(dwfl_report_end) f(dwfl_module_getelf) f(dwfl_module_getdwarf) \
	f(dwfl_module_addrdie) f(dwfl_module_nextcu) f(dwfl_module_addrname) f(dwfl_module_build_id) f(dwfl_module_info) \
	f(elf_getphdrnum) f(gelf_getphdr) f(dwarf_child) f(dwarf_siblingof) f(dwarf_haspc) f(dwarf_get_units) f(dwarf_cu_info) f(dwarf_tag) \
	f(dwarf_attr_integrate) f(dwarf_formstring)
#define LIBDW "libdw.so.1"

struct libdw {
#define MEMBER(name) __typeof__(name) *name;
	LIBDW_FUNCTIONS(MEMBER)
#undef MEMBER
};

struct tsh_debug {
	struct tsh_apart_helper helper;
	tsh_debug_open_file *open_file;
	void *ctx;
	const char *path;
	/* used in the process apart only */
	struct libdw dw;
	Dwfl_Module *module;
	bool is_shut;			/* a debug file is there, but the process may not read it */
	bool is_no_file;		/* .gnu_debuglink has a '/', or names no regular file */
	bool lacks_split;		/* a .dwo file, which has a part of it, was not read */
};

struct question {
	struct tsh_debug *debug;	/* the process has a copy at the same address */
	uint64_t offset;
};

/* ---- in the process apart ---- */

static bool load(struct libdw *ret)
{
	void *object = dlopen(LIBDW, RTLD_NOW);

	if (!object)
		return false;
#define LOAD(name) \
	ret->name = (__typeof__(name) *)dlsym(object, #name); \
	if (!ret->name) \
		return false;
	LIBDW_FUNCTIONS(LOAD)
#undef LOAD
	return true;
}

/* ---- what could not be read ---- */

static void check_access(struct tsh_debug *d, const char *folder, const char *name, const char *suffix)
{
	char *path = tsh_xasprintf("%s/%s%s", folder, name, suffix);

	d->is_shut |= access(path, R_OK) < 0 && errno == EACCES;
	free(path);
}

/* Sets is_shut when there is a file that libdw finds by build ID, and the process may not read
 * it. */
static void check_file_by_id(struct tsh_debug *d)
{
	struct tsh_strbuf name = TSH_STRBUF_INIT;
	const unsigned char *id;
	GElf_Addr address;
	int i, n = d->dw.dwfl_module_build_id(d->module, &id, &address);

	for (i = 0; i < n; i++)
		tsh_strbuf_addf(&name, "%02x%s", id[i], i ? "" : "/");
	if (n > 1)
		check_access(d, "/usr/lib/debug/.build-id", name.buf, ".debug");
	tsh_strbuf_release(&name);
}

/*
 * Checks the file that libdw finds by .gnu_debuglink, or by NAME.debug without one. Returns false
 * when libdw must not open it: the author of the program has written the link. It has a '/', or
 * names something that is no regular file, and whose open could block for ever. Sets is_shut as
 * above.
 */
static bool check_file_by_link(struct tsh_debug *d, const char *link)
{
	static const char *const folders[][2] = { { "", "" }, { "", "/.debug" }, { "/usr/lib/debug", "" } };
	int len = strrchr(d->path, '/') ? (int)(strrchr(d->path, '/') - d->path) : 0;
	bool good = !strchr(link, '/');
	struct stat st;
	size_t i;

	for (i = 0; good && i < sizeof(folders) / sizeof(folders[0]); i++) {
		char *folder = tsh_xasprintf("%s%.*s%s", folders[i][0], len, d->path, folders[i][1]);
		char *path = tsh_xasprintf("%s/%s", folder, link);

		good = stat(path, &st) < 0 || S_ISREG(st.st_mode);
		check_access(d, folder, link, "");
		free(path);
		free(folder);
	}
	d->is_no_file = !good;
	return good;
}

/* Finds the file as libdw does; see Dwfl_Callbacks in libdwfl.h. */
static int find_file(Dwfl_Module *module, void **userdata, const char *name, Dwarf_Addr base, const char *file,
		     const char *link, GElf_Word crc, char **ret)
{
	struct tsh_debug *d = *userdata;
	const char *last = strrchr(d->path, '/');
	char *own = tsh_xasprintf("%s.debug", last ? last + 1 : d->path);
	int fd;

	check_file_by_id(d);
	if (check_file_by_link(d, link ? link : own))
		fd = d->dw.dwfl_standard_find_debuginfo(module, userdata, name, base, file, link, crc, ret);
	else
		fd = d->dw.dwfl_build_id_find_debuginfo(module, userdata, name, base, file, link, crc, ret);
	if (fd >= 0 || *ret)
		d->is_shut = d->is_no_file = false;
	free(own);
	return fd;
}

/* Opens the files that the units are split into, which libdw would otherwise open only when they
 * are asked for. */
static void open_split(struct tsh_debug *d, Dwarf *dwarf)
{
	Dwarf_CU *unit = NULL;
	Dwarf_Half version;
	Dwarf_Die die, split;
	uint8_t type;

	while (!d->dw.dwarf_get_units(dwarf, unit, &unit, &version, &type, &die, &split))
		d->lacks_split |= type == DW_UT_skeleton && !split.addr;
}

/* ---- the beginning ---- */

/* Reads everything, because no file can be opened afterwards. */
static bool begin(struct tsh_debug *d)
{
	char *folders = NULL;	/* NULL: libdw's own: beside the program, and /usr/lib/debug */
	Dwfl_Callbacks callbacks = { .debuginfo_path = &folders, .find_debuginfo = find_file };
	int fd = d->open_file(d->ctx);
	void **userdata;
	Dwarf *dwarf = NULL;
	Dwfl *dwfl;
	Dwarf_Addr bias;

	tsh_process_rename("trsh-debug");
	unsetenv("DEBUGINFOD_URLS");
	if (fd < 0 || !load(&d->dw) || !confine_user())
		return false;
	callbacks.find_elf = d->dw.dwfl_build_id_find_elf;
	callbacks.section_address = d->dw.dwfl_offline_section_address;
	dwfl = d->dw.dwfl_begin(&callbacks);
	if (!dwfl)
		return false;
	d->module = d->dw.dwfl_report_offline(dwfl, d->path, d->path, fd);
	(void)d->dw.dwfl_report_end(dwfl, NULL, NULL);
	if (d->module && d->dw.dwfl_module_info(d->module, &userdata, NULL, NULL, NULL, NULL, NULL, NULL)) {
		*userdata = d;
		dwarf = d->dw.dwfl_module_getdwarf(d->module, &bias);
	}
	if (dwarf)
		open_split(d, dwarf);
	confine_process();
	return dwarf != NULL;
}

/* Finds libdw's address for a place in the file. */
static bool find_address(const struct tsh_debug *d, uint64_t offset, GElf_Addr *ret)
{
	Elf *elf = d->dw.dwfl_module_getelf(d->module, ret);
	size_t n, i;
	GElf_Phdr head;

	if (!elf || d->dw.elf_getphdrnum(elf, &n) < 0)
		return false;
	for (i = 0; i < n && d->dw.gelf_getphdr(elf, (int)i, &head); i++) {
		if (head.p_type != PT_LOAD || offset < head.p_offset || offset - head.p_offset >= head.p_filesz)
			continue;
		*ret += offset - head.p_offset + head.p_vaddr;
		return true;
	}
	return false;
}

/* Holds the functions that are inlined into each other, and at last the real one. */
struct inlined {
	Dwarf_Die dies[FUNCTIONS_MAX];
	size_t n;
};

/* Appends a name and a newline; newlines within the name are replaced. */
static void add_name(struct tsh_strbuf *ret, const char *name)
{
	for (; *name; name++)
		if (*name == '\n')
			tsh_strbuf_adds(ret, "\\n");
		else
			tsh_strbuf_addc(ret, *name);
	tsh_strbuf_addc(ret, '\n');
}

/* Appends the name as the symbol table has it (DW_AT_linkage_name), so that all names of a stack
 * look alike. */
static void add_function(const struct tsh_debug *d, Dwarf_Die *die, struct tsh_strbuf *ret)
{
	const struct libdw *dw = &d->dw;
	Dwarf_Attribute attribute;
	const char *name = dw->dwarf_formstring(dw->dwarf_attr_integrate(die, DW_AT_linkage_name, &attribute));

	if (!name)
		name = dw->dwarf_formstring(dw->dwarf_attr_integrate(die, DW_AT_name, &attribute));
	add_name(ret, name ? name : "?");
}

/* Says whether a scope has no addresses of its own, but may contain scopes that have. */
static bool is_open(int tag)
{
	return tag == DW_TAG_namespace || tag == DW_TAG_module || tag == DW_TAG_class_type || tag == DW_TAG_structure_type;
}

/*
 * Finds the functions that are inlined at an address below a scope, the outermost first.
 * dwarf_getscopes(3) finds none when another unit describes the function, as after -flto.
 */
static bool find_inlined(const struct tsh_debug *d, Dwarf_Die *scope, Dwarf_Addr pc, int depth, struct inlined *ret)
{
	const struct libdw *dw = &d->dw;
	Dwarf_Die die;
	int r;

	for (r = depth < SCOPES_MAX ? dw->dwarf_child(scope, &die) : 1; !r; r = dw->dwarf_siblingof(&die, &die)) {
		int tag = dw->dwarf_tag(&die);

		if (is_open(tag) && find_inlined(d, &die, pc, depth + 1, ret))
			return true;
		if (is_open(tag) || dw->dwarf_haspc(&die, pc) <= 0)
			continue;
		if (tag == DW_TAG_inlined_subroutine && ret->n < FUNCTIONS_MAX)
			ret->dies[ret->n++] = die;
		(void)find_inlined(d, &die, pc, depth + 1, ret);
		return true;
	}
	return false;
}

/* Finds the unit of an address. Does not rely on the table of ranges, which some compilers
 * (clang) do not write. */
static Dwarf_Die *find_unit(const struct tsh_debug *d, GElf_Addr address, Dwarf_Addr *ret_bias)
{
	Dwarf_Die *unit = d->dw.dwfl_module_addrdie(d->module, address, ret_bias);

	if (unit)
		return unit;
	while ((unit = d->dw.dwfl_module_nextcu(d->module, unit, ret_bias)))
		if (d->dw.dwarf_haspc(unit, address - *ret_bias) > 0)
			break;
	return unit;
}

/* Appends the functions at an address, except for the outermost. */
static void add_inlined(const struct tsh_debug *d, GElf_Addr address, struct tsh_strbuf *ret)
{
	struct inlined inlined = { .n = 0 };
	Dwarf_Die *unit, die, split;
	Dwarf_Half version;
	Dwarf_Addr bias;
	uint8_t type;

	unit = find_unit(d, address, &bias);
	if (!unit)
		return;
	if (!d->dw.dwarf_cu_info(unit->cu, &version, &type, &die, &split, NULL, NULL, NULL) && type == DW_UT_skeleton && split.addr)
		unit = &split;
	(void)find_inlined(d, unit, address - bias, 0, &inlined);
	while (inlined.n)
		add_function(d, &inlined.dies[--inlined.n], ret);
}

/* Answers the question BEGIN. */
static void answer_begin(struct tsh_debug *d, struct tsh_strbuf *ret)
{
	tsh_strbuf_addc(ret, begin(d) ? HAS : HAS_NONE);
	if (*ret->buf == HAS_NONE && d->is_no_file)
		tsh_strbuf_addc(ret, NO_FILE);
	else if (*ret->buf == HAS_NONE && d->is_shut)
		tsh_strbuf_addc(ret, SHUT);
	else if (d->lacks_split)
		tsh_strbuf_addc(ret, NO_SPLIT);
}

/* Answers a question of struct tsh_apart_helper. */
static void answer(void *ctx, int out)
{
	const struct question *question = ctx;
	struct tsh_debug *d = question->debug;
	struct tsh_strbuf text = TSH_STRBUF_INIT;
	GElf_Addr address;
	const char *name;

	if (question->offset == BEGIN) {
		answer_begin(d, &text);
	} else if (find_address(d, question->offset, &address)) {
		add_inlined(d, address, &text);
		name = d->dw.dwfl_module_addrname(d->module, address);
		if (name)
			add_name(&text, name);
		else
			tsh_strbuf_clear(&text);
	}
	if (tsh_write_all(out, text.buf, text.len) < 0)
		_exit(1);
	tsh_strbuf_release(&text);
}

/* ---- in tracesh ---- */

bool tsh_debug_functions(struct tsh_debug *debug, uint64_t offset, struct tsh_strbuf *ret)
{
	const struct question question = { debug, offset };

	return debug->helper.pid &&
	       tsh_apart_ask(&debug->helper, &question, NULL, ANSWER_MS, ANSWER_MAX, ret) == TSH_APART_DONE;
}

/* Returns the reason that a word stands for; NULL: everything could be read. */
static const char *reason(const struct tsh_strbuf *text)
{
	switch (text->len > 1 ? text->buf[1] : '\0') {
	case SHUT:
		return "its file is not readable for the user nobody, who reads it";
	case NO_FILE:
		return "its .gnu_debuglink names no file beside it";
	case NO_SPLIT:
		return "its .dwo files are missing, or not readable for the user nobody; libdw reads "
		       "a .dwp since 0.191";
	default:
		return NULL;
	}
}

struct tsh_debug *tsh_debug_open(tsh_debug_open_file *open_file, void *ctx, const char *path,
				 const struct tsh_apart_host *host, const struct tsh_waiter *waiter, const char **ret_why)
{
	struct tsh_debug *debug = tsh_xcalloc(1, sizeof(*debug));
	const struct question question = { debug, BEGIN };
	struct tsh_strbuf text = TSH_STRBUF_INIT;
	enum tsh_apart_result result;

	*debug = (struct tsh_debug){ .open_file = open_file, .ctx = ctx, .path = path,
				     .helper = { .work = answer, .size = sizeof(struct question), .host = host } };
	result = tsh_apart_ask(&debug->helper, &question, waiter, BEGIN_MS, ANSWER_MAX, &text);
	*ret_why = result == TSH_APART_SILENT || result == TSH_APART_FAILED ? tsh_debug_died : reason(&text);
	if (result != TSH_APART_DONE || !text.len || *text.buf != HAS) {
		tsh_debug_close(debug);
		debug = NULL;
	}
	tsh_strbuf_release(&text);
	return debug;
}

void tsh_debug_close(struct tsh_debug *debug)
{
	if (!debug)
		return;
	tsh_apart_end(&debug->helper);
	free(debug);
}

bool tsh_debug_can(void)
{
	void *object = dlopen(LIBDW, RTLD_LAZY);

	if (object)
		dlclose(object);
	return object != NULL;
}
#else
struct tsh_debug *tsh_debug_open(tsh_debug_open_file *open_file, void *ctx, const char *path,
				 const struct tsh_apart_host *host, const struct tsh_waiter *waiter, const char **ret_why)
{
	*ret_why = NULL;
	(void)open_file;
	(void)ctx;
	(void)path;
	(void)host;
	(void)waiter;
	return NULL;
}

void tsh_debug_close(struct tsh_debug *debug)
{
	(void)debug;
}

bool tsh_debug_functions(struct tsh_debug *debug, uint64_t offset, struct tsh_strbuf *ret)
{
	(void)debug;
	(void)offset;
	(void)ret;
	return false;
}

bool tsh_debug_can(void)
{
	return false;
}
#endif
