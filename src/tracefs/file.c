/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tracesh/tracefs.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "beneath.h"
#include "tracesh/number.h"

/* A file of the kernel that never ends would fill the memory. */
#define FILE_MAX (256u << 20)

int tsh_file_open(const struct tsh_instance *in, const char *path, int flags)
{
	return tsh_open_beneath(in->fd, path, O_RDONLY | O_NOCTTY | flags);
}

static int read_all(int fd, struct tsh_strbuf *out)
{
	ssize_t n;

	for (;;) {
		/* Formats and settings fit in one read, lists come by the page. */
		tsh_strbuf_grow(out, 4096);
		n = read(fd, out->buf + out->len, out->cap - out->len - 1);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if (n == 0)
			return 0;
		out->len += (size_t)n;
		out->buf[out->len] = '\0';
		if (out->len > FILE_MAX)
			return -EFBIG;
	}
}

int tsh_file_read(const struct tsh_instance *in, const char *path, struct tsh_strbuf *out)
{
	int fd, r;

	if (tsh_file_class(path)->flags & TSH_CLASS_NO_READ)
		return -EPERM;
	fd = tsh_file_open(in, path, 0);
	if (fd < 0)
		return fd;
	r = read_all(fd, out);
	close(fd);
	return r;
}

char *tsh_file_text(const struct tsh_instance *in, const char *path)
{
	struct tsh_strbuf text = TSH_STRBUF_INIT;

	if (tsh_file_read(in, path, &text) < 0) {
		tsh_strbuf_release(&text);
		return NULL;
	}
	if (text.len && text.buf[text.len - 1] == '\n')
		tsh_strbuf_truncate(&text, text.len - 1);
	return tsh_strbuf_detach(&text);
}

uint64_t tsh_file_number(const struct tsh_instance *in, const char *path, uint64_t otherwise)
{
	char *text = tsh_file_text(in, path);
	uint64_t value = otherwise;

	if (text)
		text[strcspn(text, " \t\n")] = '\0';
	if (!text || tsh_parse_u64(text, &value) < 0)
		value = otherwise;
	free(text);
	return value;
}

bool tsh_file_exists(const struct tsh_instance *in, const char *path)
{
	int fd = tsh_open_beneath(in->fd, path, O_PATH);

	if (fd < 0)
		return false;
	close(fd);
	return true;
}

int tsh_file_list(const struct tsh_instance *in, const char *path, struct tsh_strlist *ret)
{
	int fd = tsh_file_open(in, path, O_DIRECTORY);
	struct dirent *entry;
	DIR *d;

	if (fd < 0)
		return fd;
	d = fdopendir(fd);
	if (!d) {
		close(fd);
		return -ENOMEM;
	}
	while ((entry = readdir(d)))
		if (strcmp(entry->d_name, ".") && strcmp(entry->d_name, ".."))
			tsh_strlist_add(ret, entry->d_name);
	closedir(d);
	tsh_strlist_sort(ret);
	return 0;
}

static int compare_cpus(const void *a, const void *b)
{
	unsigned int x = *(const unsigned int *)a, y = *(const unsigned int *)b;

	return (x > y) - (x < y);
}

size_t tsh_cpus_present(const struct tsh_instance *in, unsigned int **ret_cpus)
{
	struct tsh_strlist names = { 0 };
	unsigned int *cpus = NULL;
	size_t i, n = 0;

	if (!tsh_file_list(in, "per_cpu", &names) && names.n)
		cpus = tsh_xcalloc(names.n, sizeof(*cpus));
	for (i = 0; i < names.n; i++) {
		uint64_t cpu;

		if (!strncmp(names.v[i], "cpu", 3) && !tsh_parse_u64(names.v[i] + 3, &cpu) &&
		    cpu < TSH_CPU_MAX)
			cpus[n++] = (unsigned int)cpu;
	}
	if (n)
		qsort(cpus, n, sizeof(*cpus), compare_cpus);
	tsh_strlist_release(&names);
	*ret_cpus = cpus;
	return n;
}
