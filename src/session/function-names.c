/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "function-names.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/suggest.h"

/* Caches the list of functions, because the kernel makes all 60,000 names anew for each reader. */

#define LIST "available_filter_functions"
#define MODULES_MAX (1u << 20)

struct tsh_function_names {
	uint64_t generation;
	char *text;
	size_t len;
};

static uint64_t hash(uint64_t h, const void *data, size_t len)
{
	const unsigned char *p = data;

	while (len--)
		h = (h ^ *p++) * UINT64_C(0x100000001b3);
	return h;
}

/* Hashes the name and size of each module. The third column, the number of users, changes all the
 * time. */
static uint64_t hash_modules(uint64_t h)
{
	struct tsh_strbuf text = TSH_STRBUF_INIT;
	int fd = open("/proc/modules", O_RDONLY | O_CLOEXEC);
	char *line;

	if (fd >= 0) {
		(void)tsh_strbuf_read(&text, fd, MODULES_MAX);
		close(fd);
	}
	for (line = text.buf; *line; line += strcspn(line, "\n"), line += *line == '\n') {
		size_t name = strcspn(line, " \n");

		h = hash(h, line, name + (line[name] == ' ' ? 1 + strcspn(line + name + 1, " \n") : 0));
	}
	tsh_strbuf_release(&text);
	return h;
}

/* Returns a number that changes when the list of functions may have changed: with the modules of
 * the running kernel, or with the file of a recording. */
static uint64_t generation(const struct tsh_dir *dir)
{
	uint64_t h = hash(UINT64_C(0xcbf29ce484222325), &dir, sizeof(dir));
	struct stat st;

	if (dir->kind != TSH_DIR_TREE)
		return hash_modules(h);
	if (!fstatat(dir->fd, LIST, &st, AT_SYMLINK_NOFOLLOW)) {
		h = hash(h, &st.st_ino, sizeof(st.st_ino));
		h = hash(h, &st.st_size, sizeof(st.st_size));
		h = hash(h, &st.st_mtim, sizeof(st.st_mtim));
	}
	return h;
}

/* Splits lines "NAME" and "NAME [MODULE]" into strings. The strings need no more room than the
 * lines and one byte for each line without a module. */
static void split(const struct tsh_strbuf *lines, struct tsh_function_names *names)
{
	const char *line = lines->buf, *end = lines->buf + lines->len;
	size_t n = 0;

	for (; line < end; line++)
		n += *line == '\n';
	names->text = tsh_xcalloc(lines->len + n + 2, 1);
	for (line = lines->buf; line < end; line++) {
		const char *stop = memchr(line, '\n', (size_t)(end - line));
		size_t len = stop ? (size_t)(stop - line) : (size_t)(end - line), name;
		char *to = names->text + names->len;

		/* Skips a line with a NUL in it, which is no name. */
		if (len && !memchr(line, '\0', len)) {
			memcpy(to, line, len);
			name = strcspn(to, " \t");
			to[name] = '\0';
			names->len += name + 1;
			names->len += strlen(names->text + names->len) + 1;
		}
		line += len;
	}
}

const char *tsh_function_names(struct tsh_session *s, size_t *ret_len)
{
	struct tsh_strbuf lines = TSH_STRBUF_INIT;
	struct tsh_instance top = { 0 };
	uint64_t now;

	*ret_len = 0;
	if (!s->dir)
		return NULL;
	now = generation(s->dir);
	if (!s->functions || s->functions->generation != now) {
		top.dir = s->dir;
		top.fd = s->dir->fd;
		tsh_function_names_free(s->functions);
		s->functions = tsh_xcalloc(1, sizeof(*s->functions));
		s->functions->generation = now;
		if (tsh_file_read(&top, LIST, &lines) >= 0)
			split(&lines, s->functions);
		tsh_strbuf_release(&lines);
	}
	*ret_len = s->functions->len;
	return s->functions->text;
}

static bool is_known(const char *glob, const char *name, const char *end)
{
	for (; name < end; name += strlen(name) + 1, name += strlen(name) + 1)
		if (tsh_glob_match(glob, name))
			return true;
	return false;
}

char *tsh_function_names_unknown(struct tsh_session *s, const char *words)
{
	size_t len, word;
	const char *names = tsh_function_names(s, &len);

	for (; names && len && *words; words += word) {
		char *glob;

		words += strspn(words, " \t\n");
		word = strcspn(words, " \t\n");
		glob = tsh_xstrndup(words, word);
		if (word && !strpbrk(glob, ":!#") && strspn(glob, "0123456789") < word &&
		    !is_known(glob, names, names + len))
			return glob;
		free(glob);
	}
	return NULL;
}

static void hint_nearest(struct tsh_session *s, const char *word, struct tsh_err *err)
{
	struct tsh_suggest near;
	size_t len;
	const char *name = tsh_function_names(s, &len), *end = name ? name + len : NULL;

	tsh_suggest_init(&near, word);
	for (; name < end; name += strlen(name) + 1, name += strlen(name) + 1)
		tsh_suggest_offer(&near, name);
	if (strchr(word, '/'))
		tsh_err_hint(err, "for a function of a program: latency PATH:FUNCTION "
				  "PATH:FUNCTION%%return, or probe PATH:FUNCTION");
	else if (tsh_suggest_best(&near) && !tsh_is_glob(word))
		tsh_err_hint(err, "did you mean '%s'?", tsh_suggest_best(&near));
	else if (tsh_is_glob(word))
		tsh_err_hint(err, "functions '*WORD*' searches");
	else
		tsh_err_hint(err, "functions '*%s*' searches", word);
	tsh_suggest_release(&near);
}

static int refuse(struct tsh_session *s, const struct tsh_value *glob, struct tsh_err *err)
{
	tsh_err_at(err, glob->word.span, "the kernel can trace no function '%s'",
		   glob->word.text);
	err->status = TSH_FAILED;
	hint_nearest(s, glob->word.text, err);
	return -1;
}

int tsh_function_names_check(struct tsh_session *s, const struct tsh_call *call,
			     struct tsh_err *err)
{
	const struct tsh_value *glob = NULL;
	char *unknown;

	while ((glob = tsh_args_next(&call->args, "FUNCTION", glob))) {
		unknown = tsh_function_names_unknown(s, glob->word.text);
		free(unknown);
		/* a word with a colon and no slash is checked by the kernel */
		if (unknown || strchr(glob->word.text, '/'))
			return refuse(s, glob, err);
	}
	return 0;
}

int tsh_function_names_blame(struct tsh_session *s, const struct tsh_call *call,
			     struct tsh_err *err)
{
	if (!tsh_function_names_check(s, call, err))
		refuse(s, tsh_args_get(&call->args, "FUNCTION"), err);
	return -1;
}

void tsh_function_names_free(struct tsh_function_names *names)
{
	if (!names)
		return;
	free(names->text);
	free(names);
}
