/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "saved-comms.h"

#include <limits.h>
#include <string.h>

#include "base/strbuf.h"
#include "base/vec.h"

/* Returns the length of the "PID " of a line "PID COMM"; 0: it is no such line. */
static size_t pid_len(const char *line, size_t len, int *ret_pid)
{
	long pid = 0;
	size_t i;

	for (i = 0; i < len && line[i] >= '0' && line[i] <= '9'; i++) {
		pid = pid * 10 + (line[i] - '0');
		if (pid > INT_MAX / 16)
			return 0;
	}
	if (!i || i == len || line[i] != ' ' || !pid)
		return 0;
	*ret_pid = (int)pid;
	return i + 1;
}

static struct tsh_saved_comm *add(struct tsh_saved_comms *comms, int pid, bool doubtful)
{
	struct tsh_saved_comm *comm = tsh_vec_push(comms);

	*comm = (struct tsh_saved_comm){ .pid = pid, .doubtful = doubtful };
	return comm;
}

void tsh_saved_comms_parse(struct tsh_saved_comms *comms, const char *text)
{
	struct tsh_saved_comm *last = NULL;

	while (*text) {
		size_t len = strcspn(text, "\n");
		size_t used = last ? strlen(last->comm) : TSH_COMM_SIZE, skip, n;
		bool fits = used + 1 + len < TSH_COMM_SIZE;
		int pid;

		skip = pid_len(text, len, &pid);
		if (skip) {
			last = add(comms, pid, fits);
			n = len - skip;
			memcpy(last->comm, text + skip, n < TSH_COMM_SIZE ? n : TSH_COMM_SIZE - 1);
		} else if (fits) {
			last->comm[used] = '\n';
			memcpy(last->comm + used + 1, text, len);
		}
		text += len + (text[len] == '\n');
	}
}

void tsh_saved_comms_write(struct tsh_strbuf *out, int pid, const char *comm)
{
	tsh_strbuf_addf(out, "%d ", pid);
	for (; *comm; comm++) {
		unsigned char c = (unsigned char)*comm;

		if (c < ' ' || c == 0x7f || c == '\\')
			tsh_strbuf_addf(out, "\\x%02x", c);
		else
			tsh_strbuf_addc(out, *comm);
	}
	tsh_strbuf_addc(out, '\n');
}

/* Returns the value of a small hexadecimal digit; -1: it is none. */
static int hex_digit(char c)
{
	static const char digits[] = "0123456789abcdef";
	const char *at = c ? strchr(digits, c) : NULL;

	return at ? (int)(at - digits) : -1;
}

/* Undoes the escapes of tsh_saved_comms_write; leaves anything else. */
static void unescape(char comm[TSH_COMM_SIZE], const char *text, size_t len)
{
	size_t i = 0, n = 0;

	while (i < len && n < TSH_COMM_SIZE - 1) {
		if (len - i >= 4 && text[i] == '\\' && text[i + 1] == 'x' &&
		    hex_digit(text[i + 2]) >= 0 && hex_digit(text[i + 3]) >= 0) {
			comm[n++] = (char)(hex_digit(text[i + 2]) << 4 | hex_digit(text[i + 3]));
			i += 4;
		} else {
			comm[n++] = text[i++];
		}
	}
}

void tsh_saved_comms_read(struct tsh_saved_comms *comms, const char *text)
{
	if (strncmp(text, TSH_COMMS_ESCAPED, strlen(TSH_COMMS_ESCAPED)) != 0) {
		tsh_saved_comms_parse(comms, text);
		return;
	}
	while (*text) {
		size_t len = strcspn(text, "\n"), skip;
		int pid;

		skip = pid_len(text, len, &pid);
		if (skip)
			unescape(add(comms, pid, false)->comm, text + skip, len - skip);
		text += len + (text[len] == '\n');
	}
}
