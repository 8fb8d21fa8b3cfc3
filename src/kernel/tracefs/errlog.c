/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "errlog.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const char command_mark[] = "  Command: ";

/*
 * Reads the text "[ts] LOCATION: error: MESSAGE\n  Command: CMD\n" and a caret below CMD. CMD may
 * contain newlines, so the entry is parsed from both ends.
 */
bool tsh_errlog_last(const struct tsh_instance *in, struct tsh_errlog_entry *ret)
{
	static const char error[] = ": error: ";
	char *text = tsh_file_text(in, "error_log");
	const char *found = NULL, *next, *line, *p;
	size_t len;

	for (p = text; p && (next = strstr(p, error)); p = next + 1)
		found = next;
	if (!found) {
		free(text);
		return false;
	}
	found += strlen(error);
	len = strcspn(found, "\n");
	ret->message = tsh_xstrndup(found, len);
	line = strrchr(text, '\n');
	line = line ? line + 1 : text;
	p = line + strspn(line, " ");
	ret->has_pos = *p == '^' && (size_t)(p - line) >= strlen(command_mark);
	if (ret->has_pos)
		ret->pos = (size_t)(p - line) - strlen(command_mark);
	found += len + (found[len] == '\n');
	ret->command = NULL;
	if (found < line && !strncmp(found, command_mark, strlen(command_mark))) {
		found += strlen(command_mark);
		ret->command = tsh_xstrndup(found, (size_t)(line - found) - (line > found));
	}
	free(text);
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

/* Finds the entry of a command in the same text. CMD may contain newlines, and even lines that look
 * like an entry. So the text is searched for the command that we wrote; the message is on the line
 * before it. */
bool tsh_errlog_parse(const char *text, const char *command, struct tsh_errlog_entry *ret)
{
	static const char error[] = ": error: ";
	size_t len = trimmed_length(command);
	const char *found = find_command(text, command, len), *line, *message, *caret;

	*ret = (struct tsh_errlog_entry){ 0 };
	if (!found)
		return false;
	for (line = found - 1; line > text && line[-1] != '\n'; line--)
		;
	message = strstr(line, error);
	if (!message || message > found)
		return false;
	message += strlen(error);
	ret->message = tsh_xstrndup(message, strcspn(message, "\n"));
	line = found + strlen(command_mark) + len + 1;
	caret = line + strspn(line, " ");
	ret->has_pos = *caret == '^' && (size_t)(caret - line) >= strlen(command_mark);
	if (ret->has_pos)
		ret->pos = (size_t)(caret - line) - strlen(command_mark);
	return true;
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

/* Says whether the entry is about that text or a part of it, ignoring blanks. A write of somebody
 * else may have been refused meanwhile. */
static bool is_about(const struct tsh_errlog_entry *entry, const char *text)
{
	char *part, *whole;
	bool is;

	if (!entry->command)
		return true;
	part = without_blanks(entry->command);
	whole = without_blanks(text);
	is = strstr(whole, part) != NULL;
	free(whole);
	free(part);
	return is;
}

bool tsh_errlog_explain(const struct tsh_instance *in, const char *mark, const char *what,
			const char *text, struct tsh_err *err)
{
	char *now = tsh_errlog_mark(in);
	struct tsh_errlog_entry entry = { 0 };
	int number = err->number;
	bool found;

	found = now && (!mark || strcmp(now, mark) != 0) && tsh_errlog_last(in, &entry) &&
		is_about(&entry, text);
	free(now);
	if (!found) {
		tsh_errlog_entry_release(&entry);
		return false;
	}
	tsh_err_set(err, TSH_FAILED, "the kernel refuses %s: %s", what, entry.message);
	err->number = number;
	err->span = (struct tsh_span){ 0, 0 };
	if (entry.has_pos)
		err->span = tsh_errlog_blame(text, place_in(text, &entry));
	tsh_errlog_entry_release(&entry);
	return true;
}
