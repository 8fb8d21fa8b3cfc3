/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "errlog.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const char command_mark[] = "  Command: ";

/*
 * Parses an entry: "[ts] LOCATION: error: MESSAGE\n  Command: CMD\n" and a caret below CMD. CMD may
 * contain newlines, and even lines that look like an entry, so the caller knows it: line is that
 * of "  Command: " in the text, and CMD has len bytes.
 */
static bool parse_entry(const char *text, const char *line, size_t len, struct tsh_errlog_entry *ret)
{
	static const char error[] = ": error: ";
	const char *begin = line, *message, *caret, *command = line + strlen(command_mark);

	*ret = (struct tsh_errlog_entry){ 0 };
	while (begin > text && (begin == line || begin[-1] != '\n'))
		begin--;
	message = strstr(begin, error);
	if (!message || message > line)
		return false;
	message += strlen(error);
	ret->message = tsh_xstrndup(message, strcspn(message, "\n"));
	ret->command = tsh_xstrndup(command, len);
	line = command + len + 1;
	caret = line + strspn(line, " ");
	ret->has_pos = *caret == '^' && (size_t)(caret - line) >= strlen(command_mark);
	if (ret->has_pos)
		ret->pos = (size_t)(caret - line) - strlen(command_mark);
	return true;
}

/* Returns the line "  Command: .." of the last entry for that command, or NULL. */
static const char *find_command(const char *text, const char *command, size_t len)
{
	char *wanted = tsh_xasprintf("\n%s%.*s\n", command_mark, (int)len, command);
	const char *found = NULL, *p = text;

	while ((p = strstr(p, wanted)))
		found = ++p;
	free(wanted);
	return found;
}

/* Returns the length without blanks at the end: the kernel removes those of a filter before it logs
 * it. */
static size_t trimmed_length(const char *command)
{
	size_t len = strlen(command);

	while (len && isspace((unsigned char)command[len - 1]))
		len--;
	return len;
}

bool tsh_errlog_parse(const char *text, const char *command, struct tsh_errlog_entry *ret)
{
	size_t len = trimmed_length(command);
	const char *line = find_command(text, command, len);

	*ret = (struct tsh_errlog_entry){ 0 };
	return line && parse_entry(text, line, len, ret);
}

bool tsh_errlog_find(const struct tsh_instance *in, const char *command,
		     struct tsh_errlog_entry *ret)
{
	char *text = tsh_file_text(in, "error_log");
	char *ended = text ? tsh_xasprintf("%s\n", text) : NULL;
	bool found = ended && tsh_errlog_parse(ended, command, ret);

	free(ended);
	free(text);
	return found;
}

void tsh_errlog_entry_release(struct tsh_errlog_entry *entry)
{
	free(entry->message);
	free(entry->command);
	*entry = (struct tsh_errlog_entry){ 0 };
}

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '.' || c == '"' || c == '\'';
}

/* Finds the word that a caret of the kernel means: the caret may be behind a bad name, on a bad
 * parenthesis, or in or before a bad value. */
struct tsh_span tsh_errlog_blame(const char *text, size_t pos)
{
	size_t len = strlen(text), begin, end;

	if (pos > len)
		pos = len;
	while (pos > 0 && (pos == len || isspace((unsigned char)text[pos])) &&
	       !is_word(text[pos - 1]) && isspace((unsigned char)text[pos - 1]))
		pos--;
	begin = end = pos;
	while (begin > 0 && is_word(text[begin - 1]) && (pos == len || text[pos] != '('))
		begin--;
	while (end < len && is_word(text[end]))
		end++;
	if (begin == end && end < len && !isspace((unsigned char)text[end]))
		end++;
	else if (begin == end && begin > 0)
		begin--;
	return (struct tsh_span){ begin, end };
}

char *tsh_errlog_mark(const struct tsh_instance *in)
{
	return tsh_file_text(in, "error_log");
}

/* Converts the position of a caret into one of our text. The kernel may log only the end of it (a
 * trigger's filter), or may have changed its blanks. */
static size_t place_in(const char *text, const struct tsh_errlog_entry *entry)
{
	size_t i, solid = 0, pos = 0, len = entry->command ? strlen(entry->command) : 0;
	size_t whole = trimmed_length(text);

	if (!len)
		return entry->pos;
	if (len <= whole && !memcmp(text + whole - len, entry->command, len))
		return whole - len + entry->pos;
	for (i = 0; i < entry->pos && entry->command[i]; i++)
		solid += !isspace((unsigned char)entry->command[i]);
	for (; solid && text[pos]; pos++)
		solid -= !isspace((unsigned char)text[pos]);
	/* Moves to the beginning of the next word, when the caret was on a word. */
	if (entry->command[i] && !isspace((unsigned char)entry->command[i]))
		pos += strspn(text + pos, " \t");
	return pos;
}

/* Returns a copy without blanks. The caller frees it. */
static char *without_blanks(const char *text)
{
	char *copy = tsh_xstrdup(text), *out = copy;
	const char *p;

	for (p = copy; *p; p++)
		if (!isspace((unsigned char)*p))
			*out++ = *p;
	*out = '\0';
	return copy;
}

/* Says whether a command is that text or a part of it, ignoring blanks. */
static bool is_about(const char *command, const char *text)
{
	char *part = without_blanks(command), *whole = without_blanks(text);
	bool is = strstr(whole, part) != NULL;

	free(whole);
	free(part);
	return is;
}

/* Parses the newest entry of a log, when it is about that text: a write of somebody else may have
 * been refused meanwhile. */
static bool parse_last(const char *log, const char *text, struct tsh_errlog_entry *ret)
{
	const char *end = strrchr(log, '\n'), *line = log;
	bool found = false;

	while (!found && end && (line = strstr(line, command_mark)) && line + strlen(command_mark) <= end) {
		const char *begin = line + strlen(command_mark);
		char *command = tsh_xstrndup(begin, (size_t)(end - begin));

		found = line > log && line[-1] == '\n' && is_about(command, text) &&
			parse_entry(log, line, (size_t)(end - begin), ret);
		free(command);
		line++;
	}
	return found;
}

bool tsh_errlog_explain(const struct tsh_instance *in, const char *mark, const char *what,
			const char *text, struct tsh_err *err)
{
	char *now = tsh_errlog_mark(in);
	struct tsh_errlog_entry entry = { 0 };
	int number = err->number;
	bool found;

	found = now && (!mark || strcmp(now, mark) != 0) && parse_last(now, text, &entry);
	free(now);
	if (!found)
		return false;
	tsh_err_set(err, TSH_FAILED, "the kernel refuses %s: %s", what, entry.message);
	err->number = number;
	err->span = (struct tsh_span){ 0, 0 };
	if (entry.has_pos)
		err->span = tsh_errlog_blame(text, place_in(text, &entry));
	tsh_errlog_entry_release(&entry);
	return true;
}
