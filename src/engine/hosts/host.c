/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "base/strbuf.h"
#include "base/utf8.h"
#include "base/xmalloc.h"
#include "internal.h"

/* Finds the hosts that lines belong to. */

/* Limits a machine's name. */
#define NAME_MAX_LEN 64

/* Returns a string of a line, sanitized and cut to max bytes; the caller frees it. */
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

/* Returns "board" for "boards/board.json"; the caller frees it. */
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

/*
 * Returns where a stream comes from: "boards.json" or "boards.json: board1"; the caller frees it.
 */
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

/* Returns the label that the transport has put before lines; "" for a host that merge has added. */
static const char *label_of(const struct stream *stream)
{
	return stream->in->has_labels ? stream->label : "";
}

static bool is_same(const char *a, const char *b)
{
	return !*a || !*b || !strcmp(a, b);
}

static bool is_same_machine(const struct tsh_host *host, const char *boot_id, const char *label)
{
	return is_same(host->boot_id, boot_id) && is_same(host->label, label);
}

/* Says whether the label has the host's name in it: "board1", "root@board1.example.org",
 * "trace/board1/sched". */
static bool has_name(const char *label, const char *name)
{
	size_t len = strlen(name);
	const char *p;

	for (p = label; len && (p = strstr(p, name)); p++)
		if ((p == label || strchr("/@", p[-1])) && strchr("/.", p[len]))
			return true;
	return false;
}

/* Returns the name that is shown, with the label where needed; takes over the name. */
static char *shown_name(char *name, const char *label)
{
	struct tsh_strbuf text = TSH_STRBUF_INIT;

	if (!*label || has_name(label, name))
		return name;
	tsh_strbuf_addf(&text, "%s@", name);
	tsh_sanitize(&text, label, strlen(label));
	free(name);
	return tsh_strbuf_detach(&text);
}

/* Returns the hosts that have that name: NAME, NAME#2, .. */
static struct namesakes *find_namesakes(struct hosts *hosts, const char *name)
{
	struct namesakes *namesakes;
	size_t i;

	for (i = 0; i < hosts->namesakes.n; i++)
		if (!strcmp(hosts->namesakes.v[i].name, name))
			return &hosts->namesakes.v[i];
	namesakes = tsh_vec_push(&hosts->namesakes);
	namesakes->name = tsh_xstrdup(name);
	return namesakes;
}

/* Returns the host of that boot and label among those of the name; else NULL, and a free name in
 * *name. */
static struct tsh_host *find_machine(struct hosts *hosts, char **name, const char *boot_id,
				     const char *label)
{
	struct namesakes *same = find_namesakes(hosts, *name);
	struct tsh_host *host;
	size_t i;

	for (i = 0;; i++) {
		if (i == same->hosts.n) {
			if (i) {
				free(*name);
				*name = tsh_xasprintf("%s#%zu", same->name, i + 1);
			}
			host = by_name(hosts, *name);
			if (!host)
				return NULL;
			*tsh_vec_push(&same->hosts) = host;
		}
		if (is_same_machine(same->hosts.v[i], boot_id, label))
			return same->hosts.v[i];
	}
}

/* Replaces *known by a text that is not empty; takes the text over. */
static void learn(char **known, char *text)
{
	if (!*text) {
		free(text);
		return;
	}
	free(*known);
	*known = text;
}

/* Says whether `now` has that name, or has it with a number: NAME#2. */
static bool is_called(const struct tsh_host *now, const char *name)
{
	size_t len = strlen(name);

	return !strncmp(now->name, name, len) && (!now->name[len] || now->name[len] == '#');
}

/* Adds a host; takes over the name. */
static struct tsh_host *add_host(struct hosts *hosts, char *name, const struct stream *stream)
{
	struct tsh_host *host = tsh_xcalloc(1, sizeof(*host));

	host->name = name;
	host->boot_id = tsh_xstrdup("");
	host->called = tsh_xstrdup("");
	host->label = tsh_xstrdup("");
	host->from = origin(stream);
	host->number = hosts->all.n;
	*tsh_vec_push(&hosts->all) = host;
	return host;
}

struct tsh_host *hosts_find(struct hosts *hosts, const struct tsh_json_text *name,
			    const struct tsh_json_text *boot_id, struct tsh_host *now,
			    const struct stream *stream)
{
	const char *label = label_of(stream);
	char *called = name->len ? clean_text(name, NAME_MAX_LEN) :
				   file_name(stream->in->report.name);
	char *shown = shown_name(tsh_xstrdup(called), label);
	char *boot = clean_text(boot_id, NAME_MAX_LEN);
	struct tsh_host *host = now && is_called(now, shown) ? now : NULL;

	if (!host && (hosts->all.n < TSH_HOSTS_MAX || by_name(hosts, shown)))
		host = find_machine(hosts, &shown, boot, label);
	if (!host && hosts->all.n < TSH_HOSTS_MAX)
		host = add_host(hosts, shown, stream);
	else
		free(shown);
	if (host) {
		learn(&host->boot_id, boot);
		learn(&host->called, called);
		learn(&host->label, tsh_xstrdup(label));
	} else {
		free(boot);
		free(called);
	}
	return host;
}

void host_set_stream(struct tsh_host *host, const struct stream *stream)
{
	free(host->from);
	host->from = origin(stream);
}

static bool are_twins(const struct tsh_host *a, const struct tsh_host *b)
{
	return *a->label && *b->label && strcmp(a->label, b->label) != 0 &&
	       !strcmp(a->called, b->called) && !strcmp(a->boot_id, b->boot_id);
}

const struct tsh_host *hosts_find_twin(const struct hosts *hosts, const struct tsh_host *host)
{
	size_t i;

	for (i = 0; i < host->number; i++)
		if (are_twins(hosts->all.v[i], host))
			return hosts->all.v[i];
	return NULL;
}

void hosts_release(struct hosts *hosts)
{
	size_t i;

	for (i = 0; i < hosts->all.n; i++) {
		free(hosts->all.v[i]->name);
		free(hosts->all.v[i]->boot_id);
		free(hosts->all.v[i]->called);
		free(hosts->all.v[i]->label);
		free(hosts->all.v[i]->from);
		free(hosts->all.v[i]->clock);
		free(hosts->all.v[i]);
	}
	tsh_vec_release(&hosts->all);
	for (i = 0; i < hosts->namesakes.n; i++) {
		free(hosts->namesakes.v[i].name);
		tsh_vec_release(&hosts->namesakes.v[i].hosts);
	}
	tsh_vec_release(&hosts->namesakes);
}
