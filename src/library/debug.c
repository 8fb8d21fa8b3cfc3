/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tracesh/debug.h"

#ifdef LIBDW_VERSION
#include <dlfcn.h>
#include <dwarf.h>
#include <elfutils/libdwfl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "confine.h"
#include "tracesh/process.h"
#include "tracesh/xmalloc.h"

/* A large program takes seconds to begin. */
#define BEGIN_MS 5000
#define ANSWER_MS 1000
/* Bytes of an answer, and functions in it. */
#define ANSWER_MAX 65536
#define FUNCTIONS_MAX 32
/* Asks whether there is any: the answer is a word, or nothing. */
#define BEGIN UINT64_MAX

/* Loaded when it is needed: it and what it needs take 2 ms to load. */
#define LIBDW_FUNCTIONS(f) \
	f(dwfl_begin) f(dwfl_build_id_find_elf) f(dwfl_standard_find_debuginfo) f(dwfl_offline_section_address) \
	f(dwfl_report_offline) f(dwfl_report_end) f(dwfl_module_getelf) f(dwfl_module_getdwarf) \
	f(dwfl_module_addrdie) f(dwfl_module_addrname) f(elf_getphdrnum) f(gelf_getphdr) f(dwarf_getscopes) \
	f(dwarf_getscopes_die) f(dwarf_dieoffset) f(dwarf_offdie) f(dwarf_tag) f(dwarf_attr_integrate) f(dwarf_formstring)
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
	/* in the process */
	struct libdw dw;
	Dwfl_Module *module;
};

struct question {
	struct tsh_debug *debug;	/* the process has a copy at the same place */
	uint64_t offset;
};

/* ---- in the process ---- */

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

/* Reads all there is, as no file can be opened afterwards. */
static bool begin(struct tsh_debug *d)
{
	static char *folders = NULL;	/* NULL: libdw's own: beside the program, and /usr/lib/debug */
	Dwfl_Callbacks callbacks = { .debuginfo_path = &folders };
	int fd = d->open_file(d->ctx);
	Dwfl *dwfl;
	Dwarf_Addr bias;
	bool has;

	tsh_process_rename("trsh-debug");
	unsetenv("DEBUGINFOD_URLS");
	if (fd < 0 || !load(&d->dw) || !confine_user())
		return false;
	callbacks.find_elf = d->dw.dwfl_build_id_find_elf;
	callbacks.find_debuginfo = d->dw.dwfl_standard_find_debuginfo;
	callbacks.section_address = d->dw.dwfl_offline_section_address;
	dwfl = d->dw.dwfl_begin(&callbacks);
	if (!dwfl)
		return false;
	d->module = d->dw.dwfl_report_offline(dwfl, d->path, d->path, fd);
	(void)d->dw.dwfl_report_end(dwfl, NULL, NULL);
	has = d->module && d->dw.dwfl_module_getdwarf(d->module, &bias);
	confine_process();
	return has;
}

/* Finds the address at which libdw has a place of the file. */
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

/* Appends the name as the symbols have it, so that all names of a stack are alike. */
static void add_function(const struct tsh_debug *d, Dwarf_Die *die, struct tsh_strbuf *ret)
{
	const struct libdw *dw = &d->dw;
	Dwarf_Attribute attribute;
	const char *name = dw->dwarf_formstring(dw->dwarf_attr_integrate(die, DW_AT_linkage_name, &attribute));

	if (!name)
		name = dw->dwarf_formstring(dw->dwarf_attr_integrate(die, DW_AT_name, &attribute));
	tsh_strbuf_adds(ret, name ? name : "?");
	tsh_strbuf_addc(ret, '\n');
}

/* Appends those that lie in each other at an address, but for the outermost. See dwarf_getscopes_die in libdw.h. */
static void add_inlined(const struct tsh_debug *d, GElf_Addr address, struct tsh_strbuf *ret)
{
	Dwarf_Die *unit, *scopes = NULL, *parents = NULL, inner;
	Dwarf_Addr bias;
	int n, i, functions = 0;

	unit = d->dw.dwfl_module_addrdie(d->module, address, &bias);
	if (!unit || d->dw.dwarf_getscopes(unit, address - bias, &scopes) <= 0 ||
	    !d->dw.dwarf_offdie(d->dw.dwfl_module_getdwarf(d->module, &bias), d->dw.dwarf_dieoffset(&scopes[0]), &inner)) {
		free(scopes);
		return;
	}
	n = d->dw.dwarf_getscopes_die(&inner, &parents);
	for (i = 0; i < n && functions < FUNCTIONS_MAX && d->dw.dwarf_tag(&parents[i]) != DW_TAG_subprogram; i++) {
		if (d->dw.dwarf_tag(&parents[i]) != DW_TAG_inlined_subroutine)
			continue;
		add_function(d, &parents[i], ret);
		functions++;
	}
	free(parents);
	free(scopes);
}

/* Answers a question, as struct tsh_apart_helper has it. */
static void answer(void *ctx, int out)
{
	const struct question *question = ctx;
	struct tsh_debug *d = question->debug;
	struct tsh_strbuf text = TSH_STRBUF_INIT;
	GElf_Addr address;
	const char *name;

	if (question->offset == BEGIN) {
		if (begin(d))
			tsh_strbuf_addc(&text, '\n');
	} else if (find_address(d, question->offset, &address)) {
		add_inlined(d, address, &text);
		name = d->dw.dwfl_module_addrname(d->module, address);
		if (name)
			tsh_strbuf_addf(&text, "%s\n", name);
		else
			tsh_strbuf_clear(&text);
	}
	if (tsh_write_all(out, text.buf, text.len) < 0)
		_exit(1);
	tsh_strbuf_release(&text);
}

/* ---- of it ---- */

bool tsh_debug_functions(struct tsh_debug *debug, uint64_t offset, struct tsh_strbuf *ret)
{
	const struct question question = { debug, offset };

	return debug->helper.pid &&
	       tsh_apart_ask(&debug->helper, &question, NULL, ANSWER_MS, ANSWER_MAX, ret) == TSH_APART_DONE;
}

struct tsh_debug *tsh_debug_open(tsh_debug_open_file *open_file, void *ctx, const char *path,
				 const struct tsh_apart_host *host, const struct tsh_waiter *waiter, bool *ret_failed)
{
	struct tsh_debug *debug = tsh_xcalloc(1, sizeof(*debug));
	const struct question question = { debug, BEGIN };
	struct tsh_strbuf text = TSH_STRBUF_INIT;
	enum tsh_apart result;

	*debug = (struct tsh_debug){ .open_file = open_file, .ctx = ctx, .path = path,
				     .helper = { .work = answer, .size = sizeof(struct question), .host = host } };
	result = tsh_apart_ask(&debug->helper, &question, waiter, BEGIN_MS, ANSWER_MAX, &text);
	*ret_failed = result == TSH_APART_SILENT || result == TSH_APART_FAILED;
	if (result != TSH_APART_DONE || !text.len) {
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
				 const struct tsh_apart_host *host, const struct tsh_waiter *waiter, bool *ret_failed)
{
	*ret_failed = false;
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
