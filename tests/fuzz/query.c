/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Questions: the text before the first NUL is asked of the record behind it, as a truth and as a
 * value. What becomes the kernel's filter has to keep every record that matches.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/xmalloc.h"
#include "query/bound.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char format_text[] =
	"name: sample\nID: 77\nformat:\n"
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"
	"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n"
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n"
	"\n"
	"\tfield:u8 a;\toffset:8;\tsize:1;\tsigned:0;\n"
	"\tfield:s8 b;\toffset:9;\tsize:1;\tsigned:1;\n"
	"\tfield:u16 c;\toffset:10;\tsize:2;\tsigned:0;\n"
	"\tfield:int d;\toffset:12;\tsize:4;\tsigned:1;\n"
	"\tfield:u64 e;\toffset:16;\tsize:8;\tsigned:0;\n"
	"\tfield:s64 f;\toffset:24;\tsize:8;\tsigned:1;\n"
	"\tfield:char s[16];\toffset:32;\tsize:16;\tsigned:0;\n"
	"\tfield:__data_loc char[] p;\toffset:48;\tsize:4;\tsigned:0;\n"
	"\tfield:__u8 v[4];\toffset:52;\tsize:4;\tsigned:0;\n"
	"\tfield:__u8 w[28];\toffset:56;\tsize:28;\tsigned:0;\n"
	"\tfield:__data_loc unsigned long[] m;\toffset:84;\tsize:4;\tsigned:0;\n"
	"\tfield:void * x;\toffset:88;\tsize:8;\tsigned:0;\n"
	"\nprint fmt: \"%s %s\", REC->s, __print_symbolic(REC->d, { 1, \"ONE\" }, { 7, \"SEVEN\" })\n";

static int no_format(void *ctx, unsigned int id, char **ret_system, char **ret_text)
{
	(void)ctx;
	(void)id;
	(void)ret_system;
	(void)ret_text;
	return -ENOENT;
}

static char *no_text(void *ctx)
{
	(void)ctx;
	return NULL;
}

static bool no_comm(void *ctx, int pid, char comm[16])
{
	(void)ctx;
	(void)pid;
	strcpy(comm, "task");
	return true;
}

static int no_tgid(void *ctx, int pid)
{
	(void)ctx;
	(void)pid;
	return 7;
}

static const struct tsh_provider provider = { .format = no_format, .cmdlines = no_text,
					      .comm = no_comm, .tgid = no_tgid,
					      .printk_formats = no_text };

struct fixture {
	struct tsh_event_format *format;
	struct tsh_decoder *decoder;
	struct tsh_record rec;
};

/* QUERY_UNKNOWN too when it cannot be bound; QUERY_YES when it is too deep to be read. */
/* The task of a record that is long enough to have one. */
static int pid_of(const struct tsh_record *rec)
{
	int pid = 0;

	if (rec->size >= TSH_COMMON_SIZE)
		memcpy(&pid, rec->data + 4, sizeof(pid));
	return pid;
}

static enum query_truth ask(const struct fixture *fix, const char *text, struct tsh_query_split *split)
{
	struct tsh_strlist unknown = { 0 };
	struct tsh_err err = { 0 };
	const struct query_binding to = { .format = fix->format, .decoder = fix->decoder,
					  .long_size = 8, .unknown = &unknown, .err = &err };
	struct query_run run = { .decoder = fix->decoder, .rec = &fix->rec,
				 .pid = pid_of(&fix->rec) };
	struct tsh_query_node *node = tsh_query_parse(text, strlen(text), &err);
	struct bound *b = node ? query_bind(node, &to) : NULL;
	enum query_truth truth = b ? query_eval(b, &run) : QUERY_UNKNOWN;

	if ((b == NULL) != tsh_err_is_set(&err))
		abort();
	if (err.span.begin > strlen(text) || err.span.end > strlen(text) + 1)
		abort();
	if (b && split)
		query_split(node, b, split);
	if (!b && !split && strstr(err.message, "too deep"))
		truth = QUERY_YES;
	query_bound_free(b);
	tsh_query_node_free(node);
	tsh_strlist_release(&unknown);
	tsh_err_release(&err);
	return truth;
}

static void ask_value(const struct fixture *fix, const char *text)
{
	struct tsh_strlist unknown = { 0 };
	struct tsh_err err = { 0 };
	const struct query_binding to = { .format = fix->format, .decoder = fix->decoder,
					  .long_size = 8, .unknown = &unknown, .err = &err };
	struct query_run run = { .decoder = fix->decoder, .rec = &fix->rec,
				 .pid = pid_of(&fix->rec) };
	struct tsh_query_node *node = tsh_query_parse(text, strlen(text), &err);
	struct bound_value *v = node ? query_bind_value(node, &to) : NULL;
	struct tsh_query_value value;

	if (v)
		query_eval_value(v, &run, &value);
	query_value_free(v);
	tsh_query_node_free(node);
	tsh_strlist_release(&unknown);
	tsh_err_release(&err);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct tsh_page_layout layout = { .long_size = 8, .data_offset = 16, .page_size = 4096 };
	const uint8_t *nul = size ? memchr(data, '\0', size) : NULL;
	size_t text_len = nul ? (size_t)(nul - data) : size, len = nul ? size - text_len - 1 : 0;
	char *text = tsh_xstrndup((const char *)data, text_len);
	unsigned char *record = tsh_xcalloc(1, len ? len : 1);
	struct tsh_query_split split = { 0 };
	struct fixture fix = { .rec = { .cpu = 1, .size = (uint32_t)len, .data = record } };

	if (len)
		memcpy(record, nul + 1, len);
	if (text_len < 4096 && len >= TSH_COMMON_SIZE && !tsh_event_format_parse("made", format_text, strlen(format_text), &fix.format)) {
		fix.decoder = tsh_decoder_new(&provider, &layout);
		if (ask(&fix, text, &split) == QUERY_YES && split.filter.len &&
		    ask(&fix, split.filter.buf, NULL) != QUERY_YES)
			abort();	/* the kernel would hold back what matches */
		ask_value(&fix, text);
		tsh_decoder_free(fix.decoder);
		tsh_event_format_free(fix.format);
	}
	tsh_query_split_release(&split);
	free(record);
	free(text);
	return 0;
}
