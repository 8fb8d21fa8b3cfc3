/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "line-hint.h"

#include <stdio.h>
#include <string.h>

#include <readline/readline.h>

#include "base/utf8.h"
#include "complete/complete.h"

/* Points to the struct for readline's functions, which have no argument of ours. */
static struct tsh_line_hint *current;

size_t tsh_line_prompt_width(const char *prompt)
{
	struct tsh_strbuf visible = TSH_STRBUF_INIT;
	bool hidden = false;
	size_t width;

	for (; *prompt; prompt++) {
		if (*prompt == '\001' || *prompt == '\002')
			hidden = *prompt == '\001';
		else if (!hidden)
			tsh_strbuf_addc(&visible, *prompt);
	}
	width = tsh_utf8_width(visible.buf, visible.len);
	tsh_strbuf_release(&visible);
	return width;
}

void tsh_line_hint_erase(struct tsh_line_hint *hint)
{
	if (!hint->is_shown)
		return;
	fputs("\033[K", rl_outstream);
	fflush(rl_outstream);
	hint->is_shown = false;
}

/* Returns the columns from the cursor to the end of its row; 0 when that is not known. */
static size_t room_behind(const struct tsh_line_hint *hint)
{
	int rows, columns;
	size_t column;

	rl_get_screen_size(&rows, &columns);
	/* gives up: a control character takes two columns, a tab several */
	if (columns < 1 || !tsh_is_clean(rl_line_buffer, (size_t)rl_end))
		return 0;
	column = (hint->prompt_width + (size_t)rl_end) % (size_t)columns;
	return column ? (size_t)columns - column - 1 : 0;
}

static bool is_wanted(const struct tsh_line_hint *hint)
{
	return hint->is_possible && hint->before && !hint->session->settings.hints_off &&
	       rl_point == rl_end && rl_end &&
	       !RL_ISSTATE(RL_STATE_ISEARCH | RL_STATE_NSEARCH | RL_STATE_DONE);
}

/* Returns the length of as many words as there is room for. */
static size_t cut_at_word(const char *text, size_t len, size_t room)
{
	if (len <= room)
		return len;
	for (len = room > 3 ? room - 3 : 0; len && text[len] != ' '; len--)
		;
	return len;
}

static void draw(struct tsh_line_hint *hint)
{
	struct tsh_strbuf line = TSH_STRBUF_INIT, text = TSH_STRBUF_INIT;
	size_t room = room_behind(hint), len;

	tsh_strbuf_adds(&line, hint->before);
	tsh_strbuf_add(&line, rl_line_buffer, (size_t)rl_end);
	tsh_complete_hint(hint->session, line.buf, line.len, &text);
	len = cut_at_word(text.buf, text.len, room);
	if (len && tsh_is_clean(text.buf, text.len)) {
		fprintf(rl_outstream, "\0337\033[K\033[2m%.*s%s\033[0m\0338", (int)len, text.buf,
			len < text.len ? " .." : "");
		hint->is_shown = true;
	}
	fflush(rl_outstream);
	tsh_strbuf_release(&text);
	tsh_strbuf_release(&line);
}

static void redisplay(void)
{
	tsh_line_hint_erase(current);
	rl_redisplay();
	if (is_wanted(current))
		draw(current);
}

void tsh_line_hint_install(struct tsh_line_hint *hint)
{
	current = hint;
	rl_redisplay_function = redisplay;
}

void tsh_line_hint_resize(struct tsh_line_hint *hint)
{
	tsh_line_hint_erase(hint);
	rl_redisplay_function = rl_redisplay;
	rl_resize_terminal();
	rl_redisplay_function = redisplay;
}
