/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * replay FILE|DIR..: gives the fuzz target that it is linked with each file, and each file of a
 * folder, once, in the order of their names; the last line says how many. What is wrong is the
 * sanitizers' to find: it needs neither clang nor its libFuzzer.
 */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/strbuf.h"
#include "base/xmalloc.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static unsigned int inputs;

static void replay_file(const char *path)
{
	struct tsh_strbuf text = TSH_STRBUF_INIT;
	FILE *file = fopen(path, "r");
	char part[4096];
	uint8_t *data;
	size_t n;

	if (!file) {
		perror(path);
		exit(1);
	}
	while ((n = fread(part, 1, sizeof(part), file)))
		tsh_strbuf_add(&text, part, n);
	fclose(file);
	/* Exactly as long as it is, so that a byte too far is seen. */
	data = tsh_xmalloc(text.len ? text.len : 1);
	memcpy(data, text.len ? text.buf : "", text.len);
	fprintf(stderr, "%s\n", path);
	LLVMFuzzerTestOneInput(data, text.len);
	free(data);
	tsh_strbuf_release(&text);
	inputs++;
}

static int is_visible(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

static void replay_folder(const char *path)
{
	struct dirent **entries;
	int i, n = scandir(path, &entries, is_visible, alphasort);

	if (n < 0) {
		perror(path);
		exit(1);
	}
	for (i = 0; i < n; i++) {
		char *file = tsh_xasprintf("%s/%s", path, entries[i]->d_name);

		replay_file(file);
		free(file);
		free(entries[i]);
	}
	free(entries);
}

int main(int argc, char **argv)
{
	struct stat st;
	int i;

	for (i = 1; i < argc; i++) {
		if (!stat(argv[i], &st) && S_ISDIR(st.st_mode))
			replay_folder(argv[i]);
		else
			replay_file(argv[i]);
	}
	printf("%u inputs\n", inputs);
	return 0;
}
