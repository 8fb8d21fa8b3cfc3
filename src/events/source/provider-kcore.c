/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "provider-internal.h"

/* Reads /proc/kcore (fs/proc/kcore.c), an ELF core whose segments are the kernel's addresses. */

static void add_segment(struct tsh_kcore *kcore, uint32_t type, uint64_t address, uint64_t size,
			uint64_t offset)
{
	struct tsh_kcore_segment *segment;

	if (type != PT_LOAD || offset > INT64_MAX || size > INT64_MAX - offset)
		return;
	segment = tsh_vec_push(&kcore->segments);
	segment->address = address;
	segment->size = size;
	segment->offset = offset;
}

/* Reads the program headers of a 64-bit or a 32-bit kernel, whose structures only differ in the
 * sizes of their members. */
#define READ_SEGMENTS(name, ehdr, phdr) \
static bool name(struct tsh_kcore *kcore) \
{ \
	ehdr head; \
	phdr part; \
	size_t i; \
\
	if (!tsh_read_at(kcore->fd, 0, &head, sizeof(head)) || head.e_phentsize != sizeof(part)) \
		return false; \
	for (i = 0; i < head.e_phnum; i++) { \
		if (!tsh_read_at(kcore->fd, head.e_phoff + i * sizeof(part), &part, sizeof(part))) \
			return false; \
		add_segment(kcore, part.p_type, part.p_vaddr, part.p_memsz, part.p_offset); \
	} \
	return true; \
}

READ_SEGMENTS(read_segments_64, Elf64_Ehdr, Elf64_Phdr)
READ_SEGMENTS(read_segments_32, Elf32_Ehdr, Elf32_Phdr)

static bool read_kcore(struct tsh_kcore *kcore)
{
	unsigned char ident[EI_NIDENT];
	bool is_64;

	kcore->fd = open("/proc/kcore", O_RDONLY | O_CLOEXEC);
	if (kcore->fd < 0)
		return false;
	if (!tsh_read_at(kcore->fd, 0, ident, sizeof(ident)) || memcmp(ident, ELFMAG, SELFMAG))
		return false;
	is_64 = ident[EI_CLASS] == ELFCLASS64;
	kcore->long_size = is_64 ? 8 : 4;
	return is_64 ? read_segments_64(kcore) : read_segments_32(kcore);
}

bool tsh_kcore_open(struct tsh_kcore *kcore)
{
	if (kcore->tried)
		return kcore->fd >= 0;
	if (!read_kcore(kcore))
		tsh_kcore_release(kcore);
	kcore->tried = true;
	return kcore->fd >= 0;
}

bool tsh_kcore_read(struct tsh_kcore *kcore, uint64_t address, void *ret, size_t len)
{
	size_t i;

	if (!tsh_kcore_open(kcore))
		return false;
	for (i = 0; i < kcore->segments.n; i++) {
		const struct tsh_kcore_segment *s = &kcore->segments.v[i];
		uint64_t in = address - s->address;

		if (address >= s->address && in < s->size && len <= s->size - in)
			return tsh_read_at(kcore->fd, s->offset + in, ret, len);
	}
	return false;
}

bool tsh_kcore_long(struct tsh_kcore *kcore, uint64_t address, uint64_t *ret)
{
	uint32_t half;

	if (!tsh_kcore_open(kcore))
		return false;
	if (kcore->long_size == 8)
		return tsh_kcore_read(kcore, address, ret, sizeof(*ret));
	if (!tsh_kcore_read(kcore, address, &half, sizeof(half)))
		return false;
	*ret = half;
	return true;
}

void tsh_kcore_release(struct tsh_kcore *kcore)
{
	if (kcore->fd >= 0)
		close(kcore->fd);
	tsh_vec_release(&kcore->segments);
	kcore->fd = -1;
}
