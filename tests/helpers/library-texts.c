/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * library-texts EVENTS PRINTK-FORMATS KALLSYMS PAGE-SIZE FILE..: the events in files of a CPU's pages, as they were read from
 * trace_pipe_raw, by libtraceevent alone, as: the file's number from 0 on, SYSTEM:EVENT, TEXT, separated by \001; a newline in
 * a text is a \n, as two characters. EVENTS is a folder of formats.
 * Status 77: this build has no libtraceevent.
 */
#include <stdio.h>

#ifndef LIBTRACEEVENT_VERSION
int main(void)
{
	return 77;
}
#else
#include <event-parse.h>
#include <kbuffer.h>
#include <stdlib.h>
#include <string.h>
#include <trace-seq.h>

#include "formats.h"

/* What a page ends with is read on, by code that trusts it. */
#define PADDING 65536

static char *read_file(const char *path, size_t *ret_len)
{
	FILE *file = fopen(path, "r");
	char *text = NULL;
	size_t len = 0, room = 0, n;

	if (!file)
		return NULL;
	do {
		room = room ? room * 2 : 1 << 16;
		text = realloc(text, room + PADDING);
		if (!text)
			exit(1);
		n = fread(text + len, 1, room - len, file);
		len += n;
	} while (len == room);
	fclose(file);
	memset(text + len, 0, PADDING);
	*ret_len = len;
	return text;
}

static void learn_format(struct tep_handle *tep, const char *path, const char *system)
{
	size_t len;
	char *text = read_file(path, &len);

	if (text && len)
		(void)tep_parse_event(tep, text, len, system);
	free(text);
}

static void print_record(struct tep_handle *tep, int number, void *data, int size)
{
	struct tep_record rec = { .size = size, .record_size = size, .data = data, .cpu = number, .ref_count = 1 };
	struct tep_event *event = tep_find_event_by_record(tep, &rec);
	struct trace_seq seq;
	const char *p;

	if (!event) {
		printf("%d\001?:?\001\n", number);
		return;
	}
	trace_seq_init(&seq);
	tep_print_event(tep, &seq, &rec, "%s", TEP_PRINT_INFO);
	trace_seq_terminate(&seq);
	printf("%d\001%s:%s\001", number, event->system, event->name);
	for (p = seq.buffer; *p; p++)
		if (*p == '\n')
			fputs("\\n", stdout);
		else if (*p == 1)
			fputs("\\001", stdout);
		else
			putchar(*p);
	putchar('\n');
	trace_seq_destroy(&seq);
}

static void print_pages(struct tep_handle *tep, int number, char *pages, size_t len, size_t page_size)
{
	struct kbuffer *buffer = kbuffer_alloc(KBUFFER_LSIZE_SAME_AS_HOST, KBUFFER_ENDIAN_SAME_AS_HOST);
	unsigned long long stamp;
	size_t at;
	void *data;

	for (at = 0; buffer && at + page_size <= len; at += page_size) {
		if (kbuffer_load_subbuffer(buffer, pages + at))
			continue;
		for (data = kbuffer_read_event(buffer, &stamp); data; data = kbuffer_next_event(buffer, &stamp))
			print_record(tep, number, data, kbuffer_event_size(buffer));
	}
	kbuffer_free(buffer);
}

int main(int argc, char **argv)
{
	struct tep_handle *tep = tep_alloc();
	size_t len, page_size;
	char *text;
	int i;

	if (argc < 6 || !tep)
		return 2;
	tep_set_loglevel(TEP_LOG_NONE);
	each_format(tep, argv[1], learn_format);
	text = read_file(argv[2], &len);
	if (text)
		(void)tep_parse_printk_formats(tep, text);
	text = read_file(argv[3], &len);
	if (text)
		(void)tep_parse_kallsyms(tep, text);
	page_size = strtoul(argv[4], NULL, 10);
	for (i = 5; i < argc && page_size; i++) {
		text = read_file(argv[i], &len);
		if (text)
			print_pages(tep, i - 5, text, len, page_size);
	}
	return 0;
}
#endif
