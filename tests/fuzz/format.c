/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A format file and a record of that event: "FLAGS SYSTEM\nFORMAT\0RECORD", where bit 0
 * of the byte FLAGS is a big-endian kernel, bit 1 a 32-bit one, bit 2 hidden pointers.
 * The format is compiled and the record printed, as a whole and cut short.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/xmalloc.h"
#include "events/decode/decode.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct input {
	char *system;
	char *format;
	unsigned int id;
};

static int provide_format(void *ctx, unsigned int id, char **ret_system, char **ret_text)
{
	struct input *in = ctx;

	if (id != in->id)
		return -ENOENT;
	*ret_system = tsh_xstrdup(in->system);
	*ret_text = tsh_xstrdup(in->format);
	return 0;
}

static char *provide_cmdlines(void *ctx)
{
	(void)ctx;
	return tsh_xstrdup("1 init\n2 kthreadd\n");
}

static char *provide_printk_formats(void *ctx)
{
	(void)ctx;
	return tsh_xstrdup("0xffffffff82800010 : \"n=%d s=%s x=%*pbl %pI4\\n\"\n");
}

static bool provide_variable(void *ctx, const char *name, uint64_t *ret)
{
	(void)ctx;
	*ret = 250;
	return !strcmp(name, "HZ");
}

static void print(struct tsh_decoder *d, const struct tsh_event_format *format,
		  const unsigned char *record, size_t size)
{
	struct tsh_record rec = { .size = (uint32_t)size };
	struct tsh_strbuf out = TSH_STRBUF_INIT;
	struct tsh_field_value value, element;
	unsigned char *copy = malloc(size ? size : 1);
	size_t i, j;

	if (!copy)
		return;
	memcpy(copy, record, size);
	rec.data = copy;
	tsh_decoder_learn(d, format, &rec);
	tsh_decoder_print(d, format, &rec, &out);
	if (format->label_varies)
		tsh_decoder_label(d, format, &rec, &out);
	for (i = 0; i < format->nfields; i++) {
		tsh_decoder_value(d, &format->fields[i], &rec, &value);
		for (j = 0; tsh_decoder_element(d, &format->fields[i], &value, j, &element); j++)
			;
	}
	tsh_strbuf_release(&out);
	free(copy);
}

/* The id that the text states, as load_format compares it. */
static unsigned int find_id(const char *text)
{
	const char *id = strstr(text, "ID:");

	return id ? (unsigned int)strtoul(id + 3, NULL, 10) & 0xffff : 0;
}

static void run(const uint8_t *flags, struct input *in, const unsigned char *record, size_t size)
{
	const struct tsh_page_layout layout = {
		*flags & 2 ? 4 : 8, *flags & 2 ? 12 : 16, 4096, *flags & 1
	};
	const struct tsh_provider provider = {
		.format = provide_format, .cmdlines = provide_cmdlines,
		.printk_formats = provide_printk_formats, .variable = provide_variable,
		.ctx = in,
	};
	struct tsh_decoder *d = tsh_decoder_new(&provider, &layout);
	const struct tsh_event_format *format;

	if (*flags & 4)
		tsh_decoder_hide_pointers(d);
	format = tsh_decoder_format(d, in->id);
	if (format) {
		print(d, format, record, size);
		print(d, format, record, size / 2);
		print(d, format, record, 0);
	}
	tsh_decoder_free(d);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const uint8_t *newline = size ? memchr(data, '\n', size) : NULL, *nul;
	struct input in;

	if (!newline || newline == data)
		return 0;
	nul = memchr(newline, '\0', size - (size_t)(newline - data));
	if (!nul)
		return 0;
	in.system = tsh_xstrndup((const char *)data + 1, (size_t)(newline - data - 1));
	in.format = tsh_xstrndup((const char *)newline + 1, (size_t)(nul - newline - 1));
	in.id = find_id(in.format);
	run(data, &in, nul + 1, size - (size_t)(nul + 1 - data));
	free(in.system);
	free(in.format);
	return 0;
}
