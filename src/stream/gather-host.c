/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "gather-parts.h"
#include "tracesh/strbuf.h"
#include "tracesh/utf8.h"
#include "tracesh/xmalloc.h"

/* The hosts that lines are of. */

/* More is no name of a machine's. */
#define NAME_MAX_LEN 64

/* A string of a line, fit to be shown. */
static char *clean_text(const struct tsh_json_text *text, size_t max)
{
	struct tsh_strbuf raw = TSH_STRBUF_INIT, clean = TSH_STRBUF_INIT;

	if (text->text)
		tsh_json_unescape(text, &raw);
	tsh_strbuf_truncate(&raw, max);
	tsh_sanitize(&clean, raw.buf, raw.len);
	tsh_strbuf_release(&raw);
	return tsh_strbuf_detach(&clean);
}

/* board.json of a path is board */
static char *file_name(const char *path)
{
	const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
	size_t len = strlen(base);
	struct tsh_strbuf clean = TSH_STRBUF_INIT;

	if (len > 5 && !strcmp(base + len - 5, ".json"))
		len -= 5;
	tsh_sanitize(&clean, base, len);
	return tsh_strbuf_detach(&clean);
}

/* "boards.json", "boards.json: board1" */
static char *origin(const struct stream *stream)
{
	struct tsh_strbuf clean = TSH_STRBUF_INIT;

	tsh_sanitize(&clean, stream->in->report.name, strlen(stream->in->report.name));
	if (*stream->label && stream->in->report.has_mix) {
		tsh_strbuf_adds(&clean, ": ");
		tsh_sanitize(&clean, stream->label, strlen(stream->label));
	}
	return tsh_strbuf_detach(&clean);
}

static struct tsh_host *by_name(const struct hosts *hosts, const char *name)
{
	size_t i;

	for (i = 0; i < hosts->all.n; i++)
		if (!strcmp(hosts->all.v[i]->name, name))
			return hosts->all.v[i];
	return NULL;
}

static bool is_same_boot(const struct tsh_host *host, const char *boot_id)
{
	return !*boot_id || !*host->boot_id || !strcmp(host->boot_id, boot_id);
}

/* The one of that boot among those of the name, or a name that is free yet, in *name. */
static struct tsh_host *find_boot(const struct hosts *hosts, char **name, const char *boot_id)
{
	struct tsh_host *host = by_name(hosts, *name);
	char *first = *name;
	unsigned int i = 1;

	while (host && !is_same_boot(host, boot_id)) {
		char *other = tsh_xasprintf("%s#%u", first, ++i);

		host = by_name(hosts, other);
		if (*name != first)
			free(*name);
		*name = other;
	}
	if (*name != first)
		free(first);
	return host;
}

static void learn_boot(struct tsh_host *host, char *boot_id)
{
	if (!*boot_id) {
		free(boot_id);
		return;
	}
	free(host->boot_id);
	host->boot_id = boot_id;
}

/* Whether that name is the one of `now`, or was until another machine had it. */
static bool is_called(const struct tsh_host *now, const char *name)
{
	size_t len = strlen(name);

	return !strncmp(now->name, name, len) && (!now->name[len] || now->name[len] == '#');
}

struct tsh_host *hosts_find(struct hosts *hosts, const struct tsh_json_text *name,
			    const struct tsh_json_text *boot_id, struct tsh_host *now,
			    const struct stream *stream)
{
	char *clean = name->len ? clean_text(name, NAME_MAX_LEN) :
				  file_name(stream->in->report.name);
	char *boot = clean_text(boot_id, NAME_MAX_LEN);
	struct tsh_host *host = now && is_called(now, clean) ? now : NULL;

	if (!host)
		host = find_boot(hosts, &clean, boot);
	if (!host) {
		host = tsh_xcalloc(1, sizeof(*host));
		host->name = clean;
		host->boot_id = tsh_xstrdup("");
		host->from = origin(stream);
		host->number = hosts->all.n;
		*tsh_vec_push(&hosts->all) = host;
	} else {
		free(clean);
	}
	learn_boot(host, boot);
	return host;
}

void host_comes_from(struct tsh_host *host, const struct stream *stream)
{
	free(host->from);
	host->from = origin(stream);
}

void hosts_release(struct hosts *hosts)
{
	size_t i;

	for (i = 0; i < hosts->all.n; i++) {
		free(hosts->all.v[i]->name);
		free(hosts->all.v[i]->boot_id);
		free(hosts->all.v[i]->from);
		free(hosts->all.v[i]->clock);
		free(hosts->all.v[i]);
	}
	tsh_vec_release(&hosts->all);
}
