/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/strbuf.h"
#include "base/vec.h"
#include "base/xmalloc.h"
#include "format.h"

/* Limits offsets and sizes: a record fits into a sub-buffer, and a word of __data_loc reaches 64
 * KB. */
#define FIELD_MAX	65535
#define FIELDS_MAX	1024
#define TEXT_MAX	(1U << 20)

struct text {
	const char *p;
	const char *end;
};

static size_t text_len(struct text t)
{
	return (size_t)(t.end - t.p);
}

static bool text_is(struct text t, const char *word)
{
	return text_len(t) == strlen(word) && !memcmp(t.p, word, strlen(word));
}

static char *text_dup(struct text t)
{
	return tsh_xstrndup(t.p, text_len(t));
}

static struct text trim(struct text t)
{
	while (t.p < t.end && isspace((unsigned char)*t.p))
		t.p++;
	while (t.p < t.end && isspace((unsigned char)t.end[-1]))
		t.end--;
	return t;
}

/* Removes `word` from the front of t. Returns false when t begins with something else. */
static bool skip_word(struct text *t, const char *word)
{
	size_t len = strlen(word);

	if (text_len(*t) < len || memcmp(t->p, word, len))
		return false;
	t->p += len;
	return true;
}

/* Removes a number up to FIELD_MAX from the front of t and returns it; -1 when there is none. */
static long read_number(struct text *t)
{
	const char *begin = t->p;
	long value = 0;

	while (t->p < t->end && isdigit((unsigned char)*t->p)) {
		value = value * 10 + (*t->p++ - '0');
		if (value > FIELD_MAX)
			return -1;
	}
	return t->p > begin ? value : -1;
}

static bool is_name_char(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

/* Removes the last identifier of t and returns it. */
static struct text cut_last_name(struct text *t)
{
	struct text name;

	*t = trim(*t);
	name.end = t->end;
	while (t->p < t->end && is_name_char(t->end[-1]))
		t->end--;
	name.p = t->end;
	*t = trim(*t);
	return name;
}

/* ---- types ---- */

/* Checks for "void *", and "const void *const" of system calls. */
static bool is_pointer(struct text type)
{
	struct text before = type, word = cut_last_name(&before);

	if (text_is(word, "const") || text_is(word, "volatile") || text_is(word, "restrict"))
		type = before;
	return type.p < type.end && type.end[-1] == '*';
}

/*
 * Returns the size of an array's element by the name of its type; 0: the kernel's long. Is used
 * when the array's own size does not give it. For types that are printed byte by byte, 1 is enough.
 */
static uint32_t size_of_type(struct text type)
{
	static const struct {
		const char *name;
		uint32_t size;
	} known[] = {
		{ "short", 2 }, { "u16", 2 }, { "s16", 2 }, { "uint16_t", 2 }, { "__be16", 2 },
		{ "__le16", 2 }, { "umode_t", 2 }, { "int", 4 }, { "unsigned", 4 },
		{ "u32", 4 }, { "s32", 4 }, { "uint32_t", 4 }, { "__be32", 4 }, { "__le32", 4 },
		{ "int32_t", 4 }, { "pid_t", 4 }, { "gfp_t", 4 }, { "dev_t", 4 }, { "u64", 8 },
		{ "s64", 8 }, { "uint64_t", 8 }, { "int64_t", 8 }, { "__be64", 8 },
		{ "__le64", 8 }, { "loff_t", 8 }, { "sector_t", 8 }, { "dma_addr_t", 8 },
		{ "long", 0 }, { "size_t", 0 }, { "cpumask_t", 0 }, { "uintptr_t", 0 },
	};
	struct text name;
	size_t i;

	type = trim(type);
	if (is_pointer(type))
		return 0;
	if (text_is(type, "long long") || text_is(type, "unsigned long long"))
		return 8;
	name = cut_last_name(&type);
	/* __u32 means u32, __s8 means s8 */
	if (text_len(name) > 3 && name.p[0] == '_' && name.p[1] == '_' &&
	    (name.p[2] == 'u' || name.p[2] == 's'))
		name.p += 2;
	if (text_is(name, "int") && text_len(type) >= 5) {
		/* handles "unsigned long int" and "short int" */
		struct text before = cut_last_name(&type);

		if (text_is(before, "long") || text_is(before, "short"))
			name = before;
	}
	for (i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (text_is(name, known[i].name))
			return known[i].size;
	return text_is(type, "enum") ? 4 : 1;
}

static bool is_char(struct text type)
{
	return text_is(type, "char") || text_is(type, "const char");
}

/* Parses `__data_loc char[] name` and `__rel_loc u32[] name`. */
static bool parse_dynamic(struct tsh_field *field, struct text declaration)
{
	struct text type = declaration, element;
	struct text name = cut_last_name(&type);

	if (skip_word(&declaration, "__rel_loc "))
		field->is_relative = true;
	else if (!skip_word(&declaration, "__data_loc "))
		return false;
	/* accepts 8 for synthetic events: the first four bytes are the word of __data_loc */
	if (field->size != 4 && field->size != 8)
		return false;
	element = (struct text){ declaration.p, type.end };
	if (element.p > element.end)
		return false;
	if (element.p < element.end && element.end[-1] == ']')
		while (element.p < element.end && *--element.end != '[')
			;
	element = trim(element);
	field->kind = is_char(element) ? TSH_FIELD_STRING : TSH_FIELD_DYNAMIC;
	field->element_size = is_char(element) ? 1 : size_of_type(element);
	field->type = text_dup(type);
	field->name = text_dup(name);
	return true;
}

/* Parses `char comm[16]`, `unsigned long args[6]`, `char buf[]`, `char comm[TASK_COMM_LEN]`. */
static void parse_array(struct tsh_field *field, struct text declaration)
{
	const char *open = memchr(declaration.p, '[', text_len(declaration));
	struct text type = { declaration.p, open ? open : declaration.end };
	struct text count = { open ? open + 1 : declaration.end, declaration.end - 1 };
	struct text name = cut_last_name(&type);
	long n = open ? read_number(&count) : -1;

	field->kind = is_char(type) ? TSH_FIELD_CHARS : TSH_FIELD_ARRAY;
	if (is_char(type))
		field->element_size = 1;
	else if (n > 0 && field->size && field->size % (unsigned long)n == 0)
		field->element_size = (uint32_t)(field->size / (unsigned long)n);
	else
		field->element_size = size_of_type(type);
	/* shows arrays of structures and of arrays as bytes */
	if (field->element_size & (field->element_size - 1) || field->element_size > 8)
		field->element_size = 1;
	field->name = text_dup(name);
	field->type = tsh_xasprintf("%.*s%.*s", (int)text_len(type), type.p,
				    open ? (int)(declaration.end - open) : 0,
				    open ? open : "");
}

/* Parses a declaration. A field with a declaration of an unknown form has the whole text as its
 * type. */
static void parse_declaration(struct tsh_field *field, struct text declaration)
{
	struct text type = declaration, name;

	if (parse_dynamic(field, declaration))
		return;
	field->is_relative = false;
	if (declaration.end[-1] == ']') {
		parse_array(field, declaration);
		return;
	}
	name = cut_last_name(&type);
	if (is_pointer(type) && (field->size == 4 || field->size == 8)) {
		field->kind = TSH_FIELD_POINTER;
	} else if (field->size && field->size <= 8 && !(field->size & (field->size - 1))) {
		field->kind = TSH_FIELD_INT;
	} else if (!field->size && is_char(type)) {
		/* `char buf[]`, as kernels before 5.9 write it */
		field->kind = TSH_FIELD_CHARS;
		field->element_size = 1;
	} else {
		field->kind = TSH_FIELD_ARRAY;
		field->element_size = field->size ? 1 : size_of_type(type);
	}
	field->type = text_dup(type);
	field->name = text_dup(name);
}

/* ---- lines ---- */

/* Returns the number behind "\toffset:" and the like. */
static long member(struct text line, const char *name)
{
	const char *p = memmem(line.p, text_len(line), name, strlen(name));

	if (!p)
		return -1;
	line.p = p + strlen(name);
	return read_number(&line);
}

static int parse_field(struct tsh_event_format *format, size_t *cap, struct text line)
{
	struct text declaration;
	struct tsh_field *field;
	const char *semicolon;
	long offset, size;

	if (!skip_word(&line, "field:") && !skip_word(&line, "field special:"))
		return 0;
	semicolon = memchr(line.p, ';', text_len(line));
	if (!semicolon)
		return -EINVAL;
	declaration = trim((struct text){ line.p, semicolon });
	line.p = semicolon;
	offset = member(line, "offset:");
	size = member(line, "size:");
	if (declaration.p == declaration.end || offset < 0 || size < 0 ||
	    format->nfields >= FIELDS_MAX)
		return -EINVAL;
	field = tsh_vec_push_(&format->fields, &format->nfields, cap, sizeof(*field));
	field->offset = (uint32_t)offset;
	field->size = (uint32_t)size;
	field->is_signed = member(line, "signed:") == 1;
	parse_declaration(field, declaration);
	field->is_network = !strncmp(field->type, "__be16", 6) || !strncmp(field->type, "__be32", 6) ||
			    !strncmp(field->type, "__be64", 6);
	field->is_common = !strncmp(field->name, "common_", 7);
	return 0;
}

static void set_label(struct tsh_event_format *format)
{
	static const char *const nameless[] = {
		"function", "kernel_stack", "user_stack", "raw_data", "bprint", "bputs",
	};
	size_t i;

	format->label = format->name;
	if (!strcmp(format->system, "syscalls")) {
		format->label_in_text = !strncmp(format->name, "sys_enter_", 10) ||
					!strncmp(format->name, "sys_exit_", 9);
	} else if (!strcmp(format->system, "ftrace")) {
		format->is_tracer = true;
		/* The label is the name of the function that has written the event,
		 * often a marker. */
		if (!strcmp(format->name, "print")) {
			format->label = "tracing_mark_write";
			format->label_varies = true;
		}
		format->newline_in_text = format->label_varies ||
					  !strcmp(format->name, "bprint") ||
					  !strcmp(format->name, "bputs");
		for (i = 0; i < sizeof(nameless) / sizeof(nameless[0]); i++)
			format->label_in_text |= !strcmp(format->name, nameless[i]);
	}
}

/* Says whether a name can be printed as it is: visible ASCII only. */
static bool is_event_name(struct text t)
{
	const char *p;

	for (p = t.p; p < t.end; p++)
		if (*p <= ' ' || *p >= 0x7f)
			return false;
	return t.p < t.end;
}

/* Says whether a name needs no escape and no quotes in any format. */
static bool is_plain_name(const char *name)
{
	while (is_name_char(*name) || *name == ':')
		name++;
	return !*name;
}

/* Parses one line before the print format. */
static int parse_line(struct tsh_event_format *format, size_t *cap, struct text line,
		      bool *ret_has_id)
{
	long id;

	line = trim(line);
	if (skip_word(&line, "name:")) {
		line = trim(line);
		if (format->name || !is_event_name(line))
			return -EINVAL;
		format->name = text_dup(line);
	} else if (skip_word(&line, "ID:")) {
		line = trim(line);
		id = read_number(&line);
		if (*ret_has_id || id < 0 || line.p != line.end)
			return -EINVAL;
		format->id = (unsigned int)id;
		*ret_has_id = true;
	} else {
		return parse_field(format, cap, line);
	}
	return 0;
}

/* Marks big-endian fields of probes by the end of their name (src/engine/probe/member.c): probes
 * have no type __be16. */
static void find_network(struct tsh_event_format *format)
{
	static const char *const ends[] = { "_be16", "_be32", "_be64" };
	bool is_probe = false;
	size_t i, len, k;

	for (i = 0; i < format->nfields; i++) {
		struct tsh_field *field = &format->fields[i];

		is_probe = is_probe || !strncmp(field->name, "__probe_", strlen("__probe_"));
		len = strlen(field->name);
		for (k = 0; is_probe && len > 5 && k < sizeof(ends) / sizeof(ends[0]); k++)
			if (field->kind == TSH_FIELD_INT && !strcmp(field->name + len - 5, ends[k]))
				field->is_network = field->size == UINT32_C(2) << k;
	}
}

int tsh_event_format_parse(const char *system, const char *text, size_t len,
			   struct tsh_event_format **ret)
{
	struct tsh_event_format *format;
	struct text rest = { text, text + len };
	bool has_id = false;
	size_t cap = 0;
	int r = 0;

	if (len > TEXT_MAX)
		return -EINVAL;
	format = tsh_xcalloc(1, sizeof(*format));
	format->system = tsh_xstrdup(system);
	while (!r && rest.p < rest.end) {
		const char *newline = memchr(rest.p, '\n', text_len(rest));
		struct text line = { rest.p, newline ? newline : rest.end };

		/* reads to the end: a print format is always last, and may have newlines */
		if (skip_word(&rest, "print fmt:")) {
			format->print_fmt = text_dup(trim(rest));
			break;
		}
		r = parse_line(format, &cap, line, &has_id);
		rest.p = newline ? newline + 1 : rest.end;
	}
	if (!r && (!format->name || !has_id))
		r = -EINVAL;
	if (r) {
		tsh_event_format_free(format);
		return r;
	}
	if (!format->print_fmt)
		format->print_fmt = tsh_xstrdup("");
	find_network(format);
	set_label(format);
	format->label_len = strlen(format->label);
	format->heading = tsh_xcalloc(1, format->label_len + 2 + TSH_HEADING_COPY);
	memcpy(mempcpy(format->heading, format->label, format->label_len), ": ", 2);
	format->full_name = tsh_xasprintf("%s:%s", format->system, format->name);
	format->full_len = strlen(format->full_name);
	format->has_plain_name = is_plain_name(format->full_name);
	*ret = format;
	return 0;
}

void tsh_event_format_free(struct tsh_event_format *format)
{
	size_t i;

	if (!format)
		return;
	for (i = 0; i < format->nfields; i++) {
		free(format->fields[i].type);
		free(format->fields[i].name);
	}
	free(format->fields);
	free(format->system);
	free(format->name);
	free(format->print_fmt);
	free(format->unprintable);
	free(format->printed_by);
	free(format->heading);
	free(format->full_name);
	free(format);
}

const struct tsh_field *tsh_event_format_field(const struct tsh_event_format *format,
					       const char *name)
{
	size_t i;

	for (i = 0; i < format->nfields; i++)
		if (!strcmp(format->fields[i].name, name))
			return &format->fields[i];
	return NULL;
}
