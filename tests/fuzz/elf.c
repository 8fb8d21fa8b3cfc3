/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A program or library of somebody else: its symbols by both tables, what find says of each,
 * and the places of their code, which lie inside of the file.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/elf.h"
#include "base/vec.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* How many of the names are looked for. */
#define FOUND_MAX 8

struct input {
	struct tsh_elf *elf;
	size_t size, n;
	struct tsh_strlist names;
};

static bool take(void *ctx, const struct tsh_elf_symbol *symbol)
{
	struct input *in = ctx;
	uint64_t offset;

	if (!*symbol->name || strlen(symbol->name) > TSH_ELF_NAME_MAX ||
	    strchr(symbol->name, '@') || memcmp(symbol->name, symbol->text, strlen(symbol->name)))
		abort();
	if (tsh_elf_offset(in->elf, symbol->address, &offset) && offset >= in->size)
		abort();
	if (in->names.n < FOUND_MAX && !symbol->is_cut)
		tsh_strlist_add(&in->names, symbol->name);
	in->n++;
	return true;
}

static void find_names(struct input *in)
{
	struct tsh_elf_symbol found;
	size_t i;

	for (i = 0; i < in->names.n; i++)
		if (!tsh_elf_find(in->elf, in->names.v[i], &found) ||
		    strcmp(found.name, in->names.v[i]) != 0)
			abort();
}

/* The first byte chooses how many bytes of names may be kept. */
static void take_file(struct input *in, int fd, unsigned char first)
{
	const uint64_t names_max = first % 4 ? TSH_ELF_BYTES_MAX : 16;
	struct tsh_err err = { 0 };
	uint64_t offset;

	if (!tsh_elf_open(fd, names_max, NULL, &in->elf, &err)) {
		tsh_elf_each_symbol(in->elf, take, in);
		if (tsh_elf_has_symbols(in->elf) != (in->n > 0) ||
		    tsh_elf_bytes(in->elf) > names_max)
			abort();
		find_names(in);
		(void)tsh_elf_machine(in->elf);
		if (tsh_elf_offset(in->elf, UINT64_MAX, &offset) && offset >= in->size)
			abort();
		tsh_elf_close(in->elf);
	} else if (!err.message) {
		abort();
	}
	tsh_err_release(&err);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input in = { .size = size };
	int fd = memfd_create("elf", MFD_CLOEXEC);

	if (fd < 0 || write(fd, data, size) != (ssize_t)size)
		abort();
	/* Nothing reads e_version. */
	take_file(&in, fd, size > 20 ? data[20] : 1);
	tsh_strlist_release(&in.names);
	close(fd);
	return 0;
}
