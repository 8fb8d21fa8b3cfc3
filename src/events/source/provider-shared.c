/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/strbuf.h"
#include "base/xmalloc.h"
#include "stream.h"

/* Lets decoders of several threads use one provider. */

enum shared_text { TEXT_CMDLINES, TEXT_PRINTK_FORMATS, TEXT_DYNAMIC_EVENTS, TEXTS };

struct tsh_shared_provider {
	struct tsh_provider provider;
	const struct tsh_provider *of;
	pthread_mutex_t lock;		/* protects everything below, and `of` */
	bool keeps;			/* a recording: its texts do not change */
	struct shared_format {
		bool is_known;
		int result;
		char *system, *text;
	} *formats;			/* by id */
	size_t nformats;
	struct {
		bool is_known;
		char *text;
	} texts[TEXTS];
};

void tsh_shared_provider_lock(struct tsh_shared_provider *p)
{
	pthread_mutex_lock(&p->lock);
}

void tsh_shared_provider_unlock(struct tsh_shared_provider *p)
{
	pthread_mutex_unlock(&p->lock);
}

/* ---- texts ---- */

static char *copy_of(const char *text)
{
	return text ? tsh_xstrdup(text) : NULL;
}

/* Returns the kept format of an id, which is read if it is not known. */
static const struct shared_format *keep_format(struct tsh_shared_provider *p, unsigned int id)
{
	struct shared_format *format;

	if (id >= p->nformats) {
		size_t n = (id | 255U) + 1;

		p->formats = tsh_xreallocarray(p->formats, n, sizeof(*p->formats));
		memset(p->formats + p->nformats, 0, (n - p->nformats) * sizeof(*p->formats));
		p->nformats = n;
	}
	format = &p->formats[id];
	if (!format->is_known)
		format->result = p->of->format(p->of->ctx, id, &format->system, &format->text);
	format->is_known = true;
	return format;
}

static int provide_format(void *ctx, unsigned int id, char **ret_system, char **ret_text)
{
	struct tsh_shared_provider *p = ctx;
	int r;

	pthread_mutex_lock(&p->lock);
	if (p->keeps && id <= UINT16_MAX) {
		const struct shared_format *format = keep_format(p, id);

		r = format->result;
		*ret_system = copy_of(r < 0 ? NULL : format->system);
		*ret_text = copy_of(r < 0 ? NULL : format->text);
	} else {
		r = p->of->format(p->of->ctx, id, ret_system, ret_text);
	}
	pthread_mutex_unlock(&p->lock);
	return r;
}

static char *provide_text(struct tsh_shared_provider *p, enum shared_text which, char *(*read)(void *ctx))
{
	char *text;

	pthread_mutex_lock(&p->lock);
	if (!p->keeps) {
		text = read(p->of->ctx);
	} else {
		if (!p->texts[which].is_known)
			p->texts[which].text = read(p->of->ctx);
		p->texts[which].is_known = true;
		text = copy_of(p->texts[which].text);
	}
	pthread_mutex_unlock(&p->lock);
	return text;
}

static char *provide_cmdlines(void *ctx)
{
	struct tsh_shared_provider *p = ctx;

	return provide_text(p, TEXT_CMDLINES, p->of->cmdlines);
}

static char *provide_printk_formats(void *ctx)
{
	struct tsh_shared_provider *p = ctx;

	return provide_text(p, TEXT_PRINTK_FORMATS, p->of->printk_formats);
}

static char *provide_dynamic_events(void *ctx)
{
	struct tsh_shared_provider *p = ctx;

	return provide_text(p, TEXT_DYNAMIC_EVENTS, p->of->dynamic_events);
}

/* ---- others ---- */

/* Calls a function of the provider while no other thread does. */
#define WITH_LOCK(type, call) \
	do { \
		type result; \
		pthread_mutex_lock(&p->lock); \
		result = call; \
		pthread_mutex_unlock(&p->lock); \
		return result; \
	} while (0)

static bool provide_comm(void *ctx, int pid, char comm[16])
{
	struct tsh_shared_provider *p = ctx;

	WITH_LOCK(bool, p->of->comm(p->of->ctx, pid, comm));
}

static unsigned int provide_bits(void *ctx, int pid)
{
	struct tsh_shared_provider *p = ctx;

	WITH_LOCK(unsigned int, p->of->bits(p->of->ctx, pid));
}

static int provide_tgid(void *ctx, int pid)
{
	struct tsh_shared_provider *p = ctx;

	WITH_LOCK(int, p->of->tgid(p->of->ctx, pid));
}

static int provide_kallsyms(void *ctx)
{
	struct tsh_shared_provider *p = ctx;

	WITH_LOCK(int, p->of->kallsyms(p->of->ctx));
}

static int provide_btf(void *ctx)
{
	struct tsh_shared_provider *p = ctx;

	WITH_LOCK(int, p->of->btf(p->of->ctx));
}

static int provide_module_btf(void *ctx, unsigned int index)
{
	struct tsh_shared_provider *p = ctx;

	WITH_LOCK(int, p->of->module_btf(p->of->ctx, index));
}

static bool provide_memory(void *ctx, uint64_t address, void *ret, size_t len)
{
	struct tsh_shared_provider *p = ctx;

	WITH_LOCK(bool, p->of->memory(p->of->ctx, address, ret, len));
}

static bool provide_variable(void *ctx, const char *name, uint64_t *ret)
{
	struct tsh_shared_provider *p = ctx;

	WITH_LOCK(bool, p->of->variable(p->of->ctx, name, ret));
}

static int provide_option(void *ctx, const char *name)
{
	struct tsh_shared_provider *p = ctx;

	WITH_LOCK(int, p->of->option(p->of->ctx, name));
}

/* ---- the provider ---- */

struct tsh_shared_provider *tsh_shared_provider_new(const struct tsh_provider *of)
{
	struct tsh_shared_provider *p = tsh_xcalloc(1, sizeof(*p));

	p->of = of;
	p->keeps = !of->tasks_change;
	pthread_mutex_init(&p->lock, NULL);
	/* `tasks` stays NULL: names come from the decoder that lists them */
	p->provider = (struct tsh_provider){
		.format = provide_format,
		.cmdlines = of->cmdlines ? provide_cmdlines : NULL,
		.comm = of->comm ? provide_comm : NULL,
		.bits = of->bits ? provide_bits : NULL,
		.tgid = of->tgid ? provide_tgid : NULL,
		.printk_formats = of->printk_formats ? provide_printk_formats : NULL,
		.kallsyms = of->kallsyms ? provide_kallsyms : NULL,
		.btf = of->btf ? provide_btf : NULL,
		.module_btf = of->module_btf ? provide_module_btf : NULL,
		.memory = of->memory ? provide_memory : NULL,
		.variable = of->variable ? provide_variable : NULL,
		.dynamic_events = of->dynamic_events ? provide_dynamic_events : NULL,
		.option = of->option ? provide_option : NULL,
		.ctx = p,
		.tasks_change = of->tasks_change,
	};
	return p;
}

const struct tsh_provider *tsh_shared_provider(const struct tsh_shared_provider *p)
{
	return &p->provider;
}

void tsh_shared_provider_free(struct tsh_shared_provider *p)
{
	size_t i;

	if (!p)
		return;
	for (i = 0; i < p->nformats; i++) {
		free(p->formats[i].system);
		free(p->formats[i].text);
	}
	free(p->formats);
	for (i = 0; i < TEXTS; i++)
		free(p->texts[i].text);
	pthread_mutex_destroy(&p->lock);
	free(p);
}
