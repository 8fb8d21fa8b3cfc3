/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "util.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "reader.h"
#include "tracesh/suggest.h"

static void show_write(struct tsh_session *s, const char *path, enum tsh_write_how how,
		       const char *text)
{
	const char *slash = s->in->name ? "instances/" : "";
	const char *name = s->in->name ? s->in->name : "";
	const char *after = s->in->name ? "/" : "";
	char *line = tsh_xstrdup(text ? text : ""), *p;

	/* The lists take blanks as well, and a shell reads this line back. */
	for (p = line; *p; p++)
		if (*p == '\n')
			*p = ' ';
	tsh_out_note(s->out, "+ echo '%s' %s %s/%s%s%s%s", line,
		     how == TSH_WRITE_ADD ? ">>" : ">", s->dir->path, slash, name, after, path);
	free(line);
}

int tsh_put_file(struct tsh_session *s, const char *path, enum tsh_write_how how,
		  const char *text, const struct tsh_value *value, struct tsh_err *err)
{
	int r = tsh_file_write(s->in, path, how, text, err);

	if (r < 0 && value)
		tsh_err_blame(err, value->word.span);
	/* What was read ahead belongs to a buffer that is no more. */
	if (r > 0 && (tsh_file_class(path)->flags & TSH_CLASS_ERASES))
		tsh_reader_drop(s, s->in->name);
	if (r > 0 && s->settings.show_writes)
		show_write(s, path, how, text);
	return r;
}

int tsh_cmd_needs_file(struct tsh_session *s, const char *path, const char *what,
		       struct tsh_err *err)
{
	if (tsh_file_exists(s->in, path))
		return 0;
	tsh_err_set(err, TSH_ENVIRONMENT, "this kernel has no %s here", what);
	tsh_err_hint(err, "there is no file '%s' in the instance '%s'", path,
		     tsh_instance_label(s->in));
	return -1;
}

uint64_t tsh_cmd_stat(const char *stats, const char *name)
{
	size_t len = strlen(name);
	const char *line = stats;
	uint64_t value = 0;

	for (; line && *line; line = strchr(line, '\n'), line = line ? line + 1 : NULL) {
		if (strncmp(line, name, len) || line[len] != ':')
			continue;
		for (line += len + 1; *line == ' '; line++)
			;
		for (; *line >= '0' && *line <= '9'; line++)
			value = value * 10 + (uint64_t)(*line - '0');
		break;
	}
	return value;
}

uint64_t tsh_cmd_entries(const struct tsh_instance *in)
{
	unsigned int *cpus;
	size_t i, n = tsh_cpus_present(in, &cpus);
	uint64_t entries = 0;

	for (i = 0; i < n; i++) {
		char *path = tsh_xasprintf("per_cpu/cpu%u/stats", cpus[i]);
		char *stats = tsh_file_text(in, path);

		if (stats)
			entries += tsh_cmd_stat(stats, "entries");
		free(stats);
		free(path);
	}
	free(cpus);
	return entries;
}

const char *tsh_plural(uint64_t n)
{
	return n == 1 ? "" : "s";
}

void tsh_cmd_suggest(struct tsh_err *err, const char *typed, const struct tsh_strlist *names)
{
	struct tsh_suggest near;
	size_t i;

	tsh_suggest_init(&near, typed);
	for (i = 0; i < names->n; i++)
		tsh_suggest_offer(&near, names->v[i]);
	if (tsh_suggest_best(&near)) {
		tsh_err_hint(err, "did you mean '%s'?", tsh_suggest_best(&near));
	} else if (names->n && names->n <= 12) {
		struct tsh_strbuf list = TSH_STRBUF_INIT;

		for (i = 0; i < names->n; i++)
			tsh_strbuf_addf(&list, "%s%s", i ? ", " : "", names->v[i]);
		tsh_err_hint(err, "there is %s", list.buf);
		tsh_strbuf_release(&list);
	}
	tsh_suggest_release(&near);
}

int tsh_get_file(struct tsh_session *s, const char *path, struct tsh_strbuf *out,
		 struct tsh_err *err)
{
	int r = tsh_file_read(s->in, path, out);

	return r < 0 ? tsh_err_errno(err, -r, "cannot read '%s'", path) : 0;
}

uint64_t tsh_cmd_memory_available(void)
{
	static const char key[] = "MemAvailable:";
	int fd = open("/proc/meminfo", O_RDONLY | O_CLOEXEC);
	char buf[2048];
	const char *p;
	uint64_t kb = 0;
	ssize_t n;

	if (fd < 0)
		return UINT64_MAX;
	n = read(fd, buf, sizeof(buf) - 1);
	close(fd);
	buf[n > 0 ? n : 0] = '\0';
	p = strstr(buf, key);
	if (!p)
		return UINT64_MAX;
	for (p += strlen(key); *p == ' '; p++)
		;
	for (; *p >= '0' && *p <= '9'; p++)
		kb = kb * 10 + (uint64_t)(*p - '0');
	return kb * 1024;
}
