/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "line-help.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <readline/readline.h>

#include "complete/complete.h"

/* Points to the struct for readline's callbacks, which have no argument of ours; there is one
 * terminal. */
static struct tsh_line_help *current;

/* Returns the command up to the byte `end` of the line, with its earlier lines. */
static char *command_up_to(size_t end)
{
	struct tsh_strbuf text = TSH_STRBUF_INIT;

	tsh_strbuf_adds(&text, current->before);
	tsh_strbuf_add(&text, rl_line_buffer, end);
	return tsh_strbuf_detach(&text);
}

/* Prints a text below the line, and draws the line again below the text. */
static void show_below(const char *text)
{
	tsh_line_hint_erase(current->hint);
	rl_crlf();
	fputs(text, rl_outstream);
	rl_forced_update_display();
}

/* Shows the command's usage instead of ringing a bell, once for the same line. */
static void show_usage(const char *command)
{
	struct tsh_strbuf usage = TSH_STRBUF_INIT;

	tsh_complete_usage(current->session, command, strlen(command), &usage);
	tsh_strbuf_addc(&usage, '\n');
	if (current->shown_text && !strcmp(current->shown_text, usage.buf)) {
		tsh_strbuf_release(&usage);
		return;
	}
	show_below(usage.buf);
	free(current->shown_text);
	current->shown_text = tsh_strbuf_detach(&usage);
	/* readline rings the bell when this returns nothing */
	current->is_muted = true;
	rl_variable_bind("bell-style", "none");
}

static char **complete(const char *word, int start, int end)
{
	bool partial = false;
	char **matches;
	char *command;

	(void)word;
	/* keeps readline from offering names of files */
	rl_attempted_completion_over = 1;
	if (!current->before)
		return NULL;
	command = command_up_to((size_t)end);
	matches = tsh_matches_find(&current->matches, current->session, command,
				   strlen(current->before) + (size_t)start, &partial);
	rl_completion_suppress_append = partial;
	if (!matches)
		show_usage(command);
	free(command);
	return matches;
}

/* Shows the matches. readline's own list would ask "Display all 5001 possibilities?", and would not
 * wait for the answer in callback mode. */
static void show_matches(char **matches, int n, int longest)
{
	int rows, columns;

	(void)matches;
	(void)n;
	(void)longest;
	rl_get_screen_size(&rows, &columns);
	tsh_line_hint_erase(current->hint);
	rl_crlf();
	tsh_matches_show(&current->matches, rl_outstream, rows > 0 ? (size_t)rows : 24,
			 columns > 0 ? (size_t)columns : 80, current->color);
	rl_forced_update_display();
}

/* Handles '?' at the end of the line, where a word could begin: shows help for this place. */
static int explain(int count, int key)
{
	struct tsh_strbuf ignored = TSH_STRBUF_INIT;
	int rows, columns;
	char *command;
	bool wanted;

	if (rl_point != rl_end || !current->before)
		return rl_insert(count, key);
	command = command_up_to((size_t)rl_end);
	wanted = tsh_complete_explain(current->session, command, strlen(command), &ignored);
	if (wanted) {
		rl_get_screen_size(&rows, &columns);
		tsh_line_hint_erase(current->hint);
		rl_crlf();
		tsh_matches_explain(&current->matches, current->session, command, rl_outstream,
				    rows > 0 ? (size_t)rows : 24,
				    columns > 0 ? (size_t)columns : 80, current->color);
		rl_forced_update_display();
	}
	current->explained = wanted;
	tsh_strbuf_release(&ignored);
	free(command);
	return wanted ? 0 : rl_insert(count, key);
}

void tsh_line_help_install(struct tsh_line_help *help)
{
	current = help;
	rl_attempted_completion_function = complete;
	rl_completion_display_matches_hook = show_matches;
	rl_completer_word_break_characters = " \t\n";
	rl_sort_completion_matches = 0;
	rl_bind_key_in_map('?', explain, emacs_standard_keymap);
	/* in vi's command mode '?' searches */
	rl_bind_key_in_map('?', explain, vi_insertion_keymap);
}

void tsh_line_help_end(struct tsh_line_help *help)
{
	free(help->shown_text);
	help->shown_text = NULL;
}

void tsh_line_help_key(struct tsh_line_help *help)
{
	char *bell = tsh_xstrdup(rl_variable_value("bell-style"));

	help->explained_before = help->explained;
	help->explained = false;
	rl_callback_read_char();
	if (help->is_muted)
		rl_variable_bind("bell-style", bell);
	help->is_muted = false;
	free(bell);
}
