/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "probe.h"

#include <ctype.h>
#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "events/printfmt/format.h"
#include "session/util.h"
#include "types.h"

/* Translates the words behind the target of a probe, which name what it records. */

struct arguments {
	struct tsh_session *s;
	const struct tsh_target *target;
	struct tsh_probe_line *line;
	struct tsh_types types;
	bool has_types;
};

void tsh_probe_line_release(struct tsh_probe_line *line)
{
	tsh_strbuf_release(&line->text);
	tsh_vec_release(&line->pieces);
	tsh_strlist_release(&line->fields);
}

void tsh_probe_line_add(struct tsh_probe_line *line, const char *text,
			const struct tsh_value *value, size_t from, bool is_same)
{
	struct tsh_probe_piece *piece = tsh_vec_push(&line->pieces);

	piece->begin = line->text.len;
	tsh_strbuf_adds(&line->text, text);
	piece->end = line->text.len;
	piece->value = value;
	piece->from = from;
	piece->is_same = is_same;
}

static int refuse(const struct tsh_value *value, size_t from, struct tsh_err *err)
{
	err->span = tsh_word_span(&value->word, from, value->word.len);
	err->status = TSH_FAILED;
	return -1;
}

/* ---- the field's name ---- */

static size_t name_length(const char *text)
{
	size_t n = 0;

	while (isalnum((unsigned char)text[n]) || text[n] == '_')
		n++;
	return n && text[n] == '=' && !isdigit((unsigned char)*text) ? n : 0;
}

/* Returns a name that no other field has: d_name, then d_name_2. Frees `name`. */
static char *unused_name(struct tsh_probe_line *line, char *name)
{
	char *tried = tsh_xstrdup(name);
	unsigned int n = 2;

	while (tsh_strlist_has(&line->fields, tried)) {
		free(tried);
		tried = tsh_xasprintf("%s_%u", name, n++);
	}
	free(name);
	return tried;
}

/* Appends " NAME=FETCH". Takes ownership of `name`; NULL: the kernel chooses one (arg1, ..).
 * wished: the user has typed the name. */
static void add_field(struct arguments *a, const struct tsh_value *value, char *name, bool wished,
		      const char *fetch, size_t from, bool is_same)
{
	if (name && !wished)
		name = unused_name(a->line, name);
	tsh_strbuf_addc(&a->line->text, ' ');
	if (name) {
		tsh_probe_line_add(a->line, name, value, 0, wished);
		tsh_strbuf_addc(&a->line->text, '=');
		tsh_strlist_add_owned(&a->line->fields, name);
	}
	tsh_probe_line_add(a->line, fetch, value, from, is_same);
}

/* ---- fetch arguments of the kernel ---- */

/* Returns the register of argument number n in a program, where the kernel does not know $arg1;
 * NULL: not known. */
static const char *argument_register(unsigned int machine, unsigned int n)
{
	static const struct {
		unsigned int machine;
		const char *names[8];
	} tables[] = {
		{ EM_X86_64, { "%di", "%si", "%dx", "%cx", "%r8", "%r9" } },
		{ EM_AARCH64, { "%x0", "%x1", "%x2", "%x3", "%x4", "%x5", "%x6", "%x7" } },
		{ EM_ARM, { "%r0", "%r1", "%r2", "%r3" } },
		{ EM_RISCV, { "%a0", "%a1", "%a2", "%a3", "%a4", "%a5", "%a6", "%a7" } },
	};
	size_t i;

	for (i = 0; i < sizeof(tables) / sizeof(tables[0]); i++)
		if (tables[i].machine == machine && n && n <= 8)
			return tables[i].names[n - 1];
	return NULL;
}

/* Replaces the $argN in "+0($arg1):string" by registers; the caller frees it. Returns NULL with
 * err when an argument has no known register. */
static char *with_registers(const struct arguments *a, const struct tsh_value *value, size_t from,
			    const char *text, struct tsh_err *err)
{
	struct tsh_strbuf out = TSH_STRBUF_INIT;
	const char *p = text, *found;

	while ((found = strstr(p, "$arg"))) {
		char *end;
		unsigned long n = strtoul(found + 4, &end, 10);
		const char *name = argument_register(a->target->machine,
						     n > 8 ? 0 : (unsigned int)n);

		tsh_strbuf_add(&out, p, (size_t)(found - p));
		if (end == found + 4 || !name) {
			tsh_err_set(err, TSH_FAILED, "the register of '%.*s' in this program is not "
						     "known", (int)(end - found), found);
			from += (size_t)(found - text);
			err->span = tsh_word_span(&value->word, from,
						  from + (size_t)(end - found));
			tsh_strbuf_release(&out);
			return NULL;
		}
		tsh_strbuf_adds(&out, name);
		p = end;
	}
	tsh_strbuf_adds(&out, p);
	return tsh_strbuf_detach(&out);
}

static bool is_fetch(const char *text)
{
	return *text && strchr("$%@+-\\", *text);
}

/* Returns ret for "$retval" and di for "%di"; NULL for "+0(%si)" and the like: the kernel
 * chooses a name. The caller frees it. */
static char *name_of_fetch(const char *text)
{
	size_t len = 1;

	if (!strncmp(text, "$retval", strlen("$retval")))
		return tsh_xstrdup("ret");
	while (isalnum((unsigned char)text[len]) || text[len] == '_')
		len++;
	if ((*text != '$' && *text != '%') || len == 1 || (text[len] && text[len] != ':'))
		return NULL;
	return tsh_xstrndup(text + 1, len - 1);
}

static int add_fetch(struct arguments *a, const struct tsh_value *value, size_t from,
		     struct tsh_err *err)
{
	const char *text = value->word.text + from;
	char *name = from ? tsh_xstrndup(value->word.text, from - 1) : name_of_fetch(text);
	char *fetch = NULL;

	if (a->target->kind == TSH_TARGET_PROGRAM && strstr(text, "$arg")) {
		fetch = with_registers(a, value, from, text, err);
		if (!fetch) {
			free(name);
			return -1;
		}
	}
	add_field(a, value, name, from > 0, fetch ? fetch : text, from, !fetch);
	free(fetch);
	return 0;
}

/* ---- fields of an event ---- */

/* Returns the type of a field for the kernel, which would otherwise record a number of 64 bits.
 * The caller frees it. */
static char *field_type(const struct tsh_field *field)
{
	switch (field->kind) {
	case TSH_FIELD_CHARS:
	case TSH_FIELD_STRING:
		return tsh_xstrdup(":string");
	case TSH_FIELD_INT:
		return tsh_xasprintf(":%c%u", field->is_signed ? 's' : 'u', field->size * 8);
	case TSH_FIELD_POINTER:
		return tsh_xasprintf(":x%u", field->size * 8);
	default:
		return tsh_xstrdup("");
	}
}

static int unknown_field(const struct arguments *a, const struct tsh_event_format *format,
			 const struct tsh_value *value, size_t from, const char *name,
			 struct tsh_err *err)
{
	struct tsh_strlist names = { 0 };
	size_t i;

	tsh_err_set(err, TSH_FAILED, "'%s:%s' has no field '%s'", a->target->event.system,
		    a->target->event.name, name);
	for (i = 0; i < format->nfields; i++)
		tsh_strlist_add(&names, format->fields[i].name);
	tsh_cmd_suggest(err, name, &names);
	tsh_strlist_release(&names);
	return refuse(value, from, err);
}

static int add_event_field(struct arguments *a, const struct tsh_value *value, size_t from,
			   struct tsh_err *err)
{
	struct tsh_instance top = tsh_top(a->s->dir);
	char *path = tsh_event_path(&a->target->event, "format"), *text = tsh_file_text(&top, path);
	const char *typed = value->word.text + from;
	char *name = tsh_xstrndup(typed, strcspn(typed, ":")), *type, *fetch;
	struct tsh_event_format *format = NULL;
	const struct tsh_field *field;
	int r = -1;

	if (!text || tsh_event_format_parse(a->target->event.system, text, strlen(text), &format) < 0) {
		tsh_err_set(err, TSH_FAILED, "the fields of '%s:%s' cannot be read",
			    a->target->event.system, a->target->event.name);
		refuse(value, from, err);
	} else if (!(field = tsh_event_format_field(format, name))) {
		unknown_field(a, format, value, from, name, err);
	} else {
		type = field_type(field);
		fetch = tsh_xasprintf("$%s%s", name,
				      typed[strlen(name)] ? typed + strlen(name) : type);
		add_field(a, value,
			  from ? tsh_xstrndup(value->word.text, from - 1) : tsh_xstrdup(name),
			  from > 0, fetch, from, false);
		free(fetch);
		free(type);
		r = 0;
	}
	tsh_event_format_free(format);
	free(name);
	free(text);
	free(path);
	return r;
}

/* ---- C expressions ---- */

static int need_types(struct arguments *a, const struct tsh_value *value, size_t from,
		      struct tsh_err *err)
{
	if (!a->has_types)
		tsh_types_open(a->s, &a->types);
	a->has_types = true;
	if (!tsh_types_check(a->s, &a->types, err))
		return 0;
	tsh_err_hint(err, "by number, or from a register: name=$arg1, name=%s", TSH_REGISTER);
	tsh_err_blame(err, tsh_word_span(&value->word, from, value->word.len));
	return -1;
}

static int add_member(struct arguments *a, const struct tsh_value *value, size_t from,
		      struct tsh_err *err)
{
	char *fetch, *name;

	if (need_types(a, value, from, err) < 0 ||
	    tsh_probe_member(&a->types, a->target, value, from, value->word.text + from, &fetch,
			     &name, err) < 0)
		return -1;
	if (from) {
		free(name);
		name = tsh_xstrndup(value->word.text, from - 1);
	}
	add_field(a, value, name, from > 0, fetch, from, false);
	free(fetch);
	return 0;
}

/* Says whether the argument is `$retval` alone: it can get the return type of the function. */
static bool may_have_type(const struct arguments *a, const char *text)
{
	return a->target->kind == TSH_TARGET_FUNCTION && a->target->function &&
	       a->target->is_return && !strcmp(text, "$retval");
}

static bool has_function(struct arguments *a)
{
	struct tsh_btf_ref ignored;

	if (!a->has_types)
		tsh_types_open(a->s, &a->types);
	a->has_types = true;
	return tsh_btf_state(a->types.btf) == TSH_BTF_PRESENT &&
	       tsh_btf_find(a->types.btf, a->target->function, TSH_BTF_FUNCS, &ignored);
}

/* Says whether an argument begins with "$retval->MEMBER" or the like, which the kernel does not
 * accept. */
static bool goes_on_from_return(const char *text)
{
	return tsh_begins_with(text, "$retval->") || tsh_begins_with(text, "$retval.") ||
	       tsh_begins_with(text, "$retval[");
}

static int add_argument(struct arguments *a, const struct tsh_value *value, struct tsh_err *err)
{
	size_t from = name_length(value->word.text);
	const char *text;

	from += from > 0;
	text = value->word.text + from;
	if (!*text) {
		tsh_err_at(err, value->word.span, "what it is to record is missing");
		return -1;
	}
	if (goes_on_from_return(text) || (may_have_type(a, text) && has_function(a)))
		return add_member(a, value, from, err);
	if (is_fetch(text))
		return add_fetch(a, value, from, err);
	switch (a->target->kind) {
	case TSH_TARGET_EVENT:
		return add_event_field(a, value, from, err);
	case TSH_TARGET_FUNCTION:
		return add_member(a, value, from, err);
	case TSH_TARGET_TRACEPOINT:
		/* Kernels with probes of tracepoints know the types themselves. */
		add_field(a, value, from ? tsh_xstrndup(value->word.text, from - 1) : NULL, from > 0,
			  text, from, true);
		return 0;
	default:
		tsh_err_set(err, TSH_FAILED, "the types of programs are not known: '%s' cannot be found",
			    text);
		tsh_err_hint(err, "by number: name=$arg1, name=+0($arg1):string");
		return refuse(value, from, err);
	}
}

int tsh_probe_args(struct tsh_session *s, const struct tsh_target *target,
		   const struct tsh_args *args, struct tsh_probe_line *line, struct tsh_err *err)
{
	struct arguments a = { .s = s, .target = target, .line = line };
	const struct tsh_value *value = NULL;
	int r = 0;

	while (!r && (value = tsh_args_next(args, "ARG", value)))
		r = add_argument(&a, value, err);
	if (a.has_types)
		tsh_types_close(&a.types);
	return r;
}
