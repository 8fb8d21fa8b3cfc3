/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "prompt.h"

#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"

/* Limits how many files are read for a prompt. */
#define LOOK_MAX 256

static void add(struct tsh_prompt *p, const char *text)
{
	size_t begin = p->text.len;

	tsh_sanitize(&p->text, text, strlen(text));
	p->width += tsh_utf8_width(p->text.buf + begin, p->text.len - begin);
}

/* ---- styles ---- */

struct style {
	bool color;
	bool active;		/* a style is on */
	const char *code;	/* escape code of that style */
};

static void escape(struct tsh_prompt *p, const char *before, const char *code)
{
	tsh_strbuf_addf(&p->text, "\001\033[%s%sm\002", before, code);
}

/* Switches to a style; NULL: plain. */
static void set_style(struct tsh_prompt *p, struct style *style, const char *code)
{
	if (style->color && code)
		escape(p, style->active ? "0;" : "", code);
	else if (style->color && style->active)
		escape(p, "0", "");
	style->active = code != NULL;
	style->code = code;
}

/* ---- the state; never remembered, because other programs write to tracefs too ---- */

static void add_tracer(struct tsh_prompt *p, const struct tsh_session *s)
{
	char *text = tsh_file_text(s->in, "current_tracer");

	if (text && *text && strcmp(text, "nop") != 0) {
		add(p, " ");
		add(p, text);
	}
	free(text);
}

static void add_events(struct tsh_prompt *p, const struct tsh_session *s)
{
	struct tsh_events enabled = { 0 }, events = { 0 };
	struct tsh_err err = { 0 };
	char *text;

	if (tsh_events_enabled(s->in, &enabled, &err) < 0)
		tsh_err_release(&err);
	tsh_events_add_recording(s->in, &enabled, LOOK_MAX, &events);
	if (events.n) {
		text = tsh_xasprintf(" %zuev", events.n);
		add(p, text);
		free(text);
	}
	tsh_events_release(&events);
	tsh_events_release(&enabled);
}

/* Says whether the instance has lost events since the last prompt. Returns false if that was for
 * another instance. */
static bool was_lost(const struct tsh_session *s, struct tsh_prompt_memory *memory)
{
	const char *instance = tsh_instance_label(s->in);
	uint64_t lost = tsh_cmd_count_lost(s->in);
	bool same = memory->instance && !strcmp(memory->instance, instance);
	bool more = same && lost > memory->lost;

	if (!same) {
		free(memory->instance);
		memory->instance = tsh_xstrdup(instance);
	}
	memory->lost = lost;
	return more;
}

static void add_lost(struct tsh_prompt *p, const struct tsh_session *s, struct style *style,
		     struct tsh_prompt_memory *memory)
{
	const char *code = style->code;

	if (!was_lost(s, memory))
		return;
	set_style(p, style, "1;31");
	add(p, " lost");
	set_style(p, style, code);
}

static void add_status(struct tsh_prompt *p, const struct tsh_session *s)
{
	char *text;

	if (!s->status)
		return;
	text = tsh_xasprintf(" %d", s->status);
	add(p, text);
	free(text);
}

/* ---- the template ---- */

/* Adds a part that needs tracefs. */
static void add_state(struct tsh_prompt *p, const struct tsh_session *s, char letter,
		      struct style *style, struct tsh_prompt_memory *memory)
{
	switch (letter) {
	case 's':
		if (!tsh_file_number(s->in, "tracing_on", 1))
			add(p, " [off]");
		break;
	case 't':
		add_tracer(p, s);
		break;
	case 'n':
		add_events(p, s);
		break;
	case 'l':
		add_lost(p, s, style, memory);
		break;
	case 'r':
		if (s->dir->read_only)
			add(p, " ro");
		break;
	}
}

static void add_letter(struct tsh_prompt *p, const struct tsh_session *s, char letter,
		       struct style *style, struct tsh_prompt_memory *memory)
{
	bool there = s->dir && s->in;

	switch (letter) {
	case '%':
		add(p, "%");
		break;
	case 'b':
		set_style(p, style, "1");
		break;
	case 'd':
		set_style(p, style, "2");
		break;
	case 'p':
		set_style(p, style, NULL);
		break;
	case 'i':
		add(p, there ? tsh_instance_label(s->in) : "no tracefs");
		break;
	case '?':
		add_status(p, s);
		break;
	default:
		if (there)
			add_state(p, s, letter, style, memory);
		break;
	}
}

void tsh_prompt_of(const struct tsh_session *s, bool color, struct tsh_prompt_memory *memory,
		   struct tsh_prompt *ret)
{
	const char *text = s->settings.prompt ? s->settings.prompt : tsh_prompt_default;
	struct style style = { .color = color };

	memset(ret, 0, sizeof(*ret));
	while (*text) {
		size_t len = strcspn(text, "%");
		char *plain = tsh_xstrndup(text, len);

		add(ret, plain);
		free(plain);
		text += len;
		if (!*text || !text[1])
			break;
		add_letter(ret, s, text[1], &style, memory);
		text += 2;
	}
	set_style(ret, &style, NULL);
}

void tsh_prompt_memory_release(struct tsh_prompt_memory *memory)
{
	free(memory->instance);
	*memory = (struct tsh_prompt_memory){ 0 };
}

void tsh_prompt_continuation(char open, struct tsh_prompt *ret)
{
	memset(ret, 0, sizeof(*ret));
	add(ret, open == '\'' ? "..'> " : open == '"' ? "..\"> " : "...> ");
}

void tsh_prompt_release(struct tsh_prompt *prompt)
{
	tsh_strbuf_release(&prompt->text);
}
