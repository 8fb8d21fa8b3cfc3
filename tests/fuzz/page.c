/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A page of the ring buffer: the first byte says which kernel wrote it (bit 0 big endian,
 * bit 1 a 32-bit one, bit 2 a longer sub-buffer), the rest is the page as read(2) gave it.
 */
#include <stdlib.h>
#include <string.h>

#include "events/decode/page.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static unsigned int sum;

/* Reads every byte of an event: the sanitizer knows where the page ends. */
static void touch(const struct tsh_page_event *event)
{
	uint32_t i;

	for (i = 0; i < event->size; i++)
		sum += event->data[i];
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct tsh_page_layout layout = { 8, 16, 4096, false };
	struct tsh_page_event event;
	struct tsh_page_walk walk;
	unsigned char *page;
	size_t events = 0;

	if (!size)
		return 0;
	layout.big_endian = data[0] & 1;
	if (data[0] & 2)
		layout.long_size = 4, layout.data_offset = 12;
	if (data[0] & 4)
		layout.page_size = 65536;
	size--;
	/* Of its own, so that a byte too far is seen. */
	page = malloc(size ? size : 1);
	if (!page)
		return 0;
	memcpy(page, data + 1, size);
	if (tsh_page_walk_begin(&walk, &layout, page, size)) {
		while (tsh_page_walk_next(&walk, &event)) {
			touch(&event);
			if (++events > size)
				abort();	/* it does not come to an end */
		}
	}
	free(page);
	return 0;
}
