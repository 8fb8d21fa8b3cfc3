/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "kernel-strings.h"

#include <stdlib.h>
#include <string.h>

#include "base/xmalloc.h"
#include "printk-formats.h"

#define STRING_MAX	256
#define READ_SIZE	64		/* divides a page, so that no read crosses its end */
#define ENTRIES_MAX	8192
#define FIRST_SLOTS	64

/* Holds the string at an address; text is NULL when it is not known. */
struct entry {
	uint64_t address;
	char *text;
	size_t len;
};

struct kernel_strings {
	const struct tsh_provider *provider;
	struct printk_formats *formats;
	struct entry *slots;		/* a hash table; address 0 marks a free slot */
	size_t nslots;			/* a power of 2 */
	size_t n;
};

struct kernel_strings *kernel_strings_new(const struct tsh_provider *provider,
					  struct printk_formats *formats)
{
	struct kernel_strings *strings = tsh_xcalloc(1, sizeof(*strings));

	strings->provider = provider;
	strings->formats = formats;
	return strings;
}

void kernel_strings_forget(struct kernel_strings *strings)
{
	size_t i;

	for (i = 0; i < strings->nslots; i++)
		free(strings->slots[i].text);
	free(strings->slots);
	*strings = (struct kernel_strings){
		.provider = strings->provider, .formats = strings->formats,
	};
}

void kernel_strings_free(struct kernel_strings *strings)
{
	if (!strings)
		return;
	kernel_strings_forget(strings);
	free(strings);
}

/* ---- the table ---- */

/* Returns the slot of an address, or the free slot where it belongs. */
static struct entry *find_slot(const struct kernel_strings *strings, uint64_t address)
{
	size_t mask = strings->nslots - 1;
	size_t i = (size_t)((address * UINT64_C(0x9e3779b97f4a7c15)) >> 32) & mask;

	while (strings->slots[i].address && strings->slots[i].address != address)
		i = (i + 1) & mask;
	return &strings->slots[i];
}

static void grow(struct kernel_strings *strings)
{
	struct kernel_strings bigger = *strings;
	size_t i;

	bigger.nslots = strings->nslots ? 2 * strings->nslots : FIRST_SLOTS;
	bigger.slots = tsh_xcalloc(bigger.nslots, sizeof(*bigger.slots));
	for (i = 0; i < strings->nslots; i++)
		if (strings->slots[i].address)
			*find_slot(&bigger, strings->slots[i].address) = strings->slots[i];
	free(strings->slots);
	*strings = bigger;
}

/* Adds a string, and owns `text` from then on. Returns NULL when there are too many. */
static struct entry *add_string(struct kernel_strings *strings, uint64_t address, char *text, size_t len)
{
	struct entry *entry;

	if (2 * strings->n >= strings->nslots)
		grow(strings);
	entry = find_slot(strings, address);
	if (entry->address || strings->n >= ENTRIES_MAX) {
		free(text);
		return entry->address ? entry : NULL;
	}
	strings->n++;
	*entry = (struct entry){ .address = address, .text = text, .len = len };
	return entry;
}

/* ---- the kernel's memory ---- */

/* Reads a string of the kernel's memory, as far as it can be read; NULL: it cannot be
 * read at all. */
static char *read_memory(const struct tsh_provider *provider, uint64_t address, size_t *ret_len)
{
	char text[STRING_MAX];
	size_t len = 0, n, found;

	while (len < STRING_MAX) {
		n = READ_SIZE - (address + len) % READ_SIZE;
		if (n > STRING_MAX - len)
			n = STRING_MAX - len;
		if (!provider->memory(provider->ctx, address + len, text + len, n))
			break;
		found = strnlen(text + len, n);
		len += found;
		if (found < n) {
			*ret_len = len;
			return tsh_xstrndup(text, len);
		}
	}
	*ret_len = len;
	return len ? tsh_xstrndup(text, len) : NULL;
}

/* Returns a string from the formats, or from memory; malloc'd, or NULL. */
static char *ask_provider(const struct kernel_strings *strings, uint64_t address, size_t *ret_len)
{
	const struct tsh_provider *provider = strings->provider;
	const char *known = strings->formats ?
		printk_formats_find(strings->formats, address) : NULL;

	if (!known)
		return provider->memory ? read_memory(provider, address, ret_len) : NULL;
	*ret_len = strnlen(known, STRING_MAX);
	return tsh_xstrndup(known, *ret_len);
}

const char *kernel_strings_find(struct kernel_strings *strings, uint64_t address, size_t *ret_len)
{
	struct entry *entry;
	char *text = NULL;
	size_t len = 0;

	if (!address)
		return NULL;
	entry = strings->nslots ? find_slot(strings, address) : NULL;
	if (!entry || !entry->address) {
		if (strings->n < ENTRIES_MAX)
			text = ask_provider(strings, address, &len);
		entry = add_string(strings, address, text, len);
	}
	if (!entry || !entry->text)
		return NULL;
	*ret_len = entry->len;
	return entry->text;
}
