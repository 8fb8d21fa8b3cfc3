/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "prompt.h"

#include <stdlib.h>
#include <string.h>

#include "tracesh/utf8.h"

static void add(struct tsh_prompt *p, const char *text)
{
	size_t begin = p->text.len;

	tsh_sanitize(&p->text, text, strlen(text));
	p->width += tsh_utf8_width(p->text.buf + begin, p->text.len - begin);
}

static void style(struct tsh_prompt *p, bool color, const char *code)
{
	if (color)
		tsh_strbuf_addf(&p->text, "\001\033[%sm\002", code);
}

/* Other programs write tracefs too, so nothing of this is remembered. */
static void add_state(struct tsh_prompt *p, const struct tsh_session *s)
{
	struct tsh_events events = { 0 };
	struct tsh_err err = { 0 };
	char *text;

	if (!tsh_file_number(s->in, "tracing_on", 1))
		add(p, " [off]");
	text = tsh_file_text(s->in, "current_tracer");
	if (text && *text && strcmp(text, "nop") != 0) {
		add(p, " ");
		add(p, text);
	}
	free(text);
	if (tsh_events_enabled(s->in, &events, &err) < 0)
		tsh_err_release(&err);
	if (events.n) {
		text = tsh_xasprintf(" %zuev", events.n);
		add(p, text);
		free(text);
	}
	tsh_events_release(&events);
	if (s->dir->read_only)
		add(p, " ro");
}

void tsh_prompt_of(const struct tsh_session *s, bool color, struct tsh_prompt *ret)
{
	bool there = s->dir && s->in;

	memset(ret, 0, sizeof(*ret));
	style(ret, color, "1");
	add(ret, "tracesh:");
	add(ret, there ? tsh_instance_label(s->in) : "no tracefs");
	style(ret, color, "0;2");
	if (there)
		add_state(ret, s);
	style(ret, color, "0");
	add(ret, "> ");
}

void tsh_prompt_more(struct tsh_prompt *ret)
{
	memset(ret, 0, sizeof(*ret));
	add(ret, "...> ");
}

void tsh_prompt_release(struct tsh_prompt *prompt)
{
	tsh_strbuf_release(&prompt->text);
}
