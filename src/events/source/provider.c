/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdlib.h>

#include "provider-internal.h"

/* Provides what the kernel has outside of tracefs. */
static struct tsh_live_provider *new_without_tracefs(void)
{
	struct tsh_live_provider *p = tsh_xcalloc(1, sizeof(*p));

	p->kcore.fd = -1;
	p->provider = (struct tsh_provider){
		.kallsyms = tsh_provide_kallsyms,
		.btf = tsh_provide_btf,
		.module_btf = tsh_provide_module_btf,
		.memory = tsh_provide_memory,
		.ctx = p,
	};
	return p;
}

struct tsh_live_provider *tsh_live_provider_new(const struct tsh_instance *in)
{
	struct tsh_live_provider *p;
	struct tsh_err err = { 0 };

	if (!in)
		return new_without_tracefs();
	p = tsh_xcalloc(1, sizeof(*p));
	p->in = in;
	p->kcore.fd = -1;
	if (in->name && tsh_instance_open(in->dir, NULL, &p->top, &err) < 0)
		p->top = NULL;
	tsh_err_release(&err);
	tsh_provider_tasks_init(p);
	p->provider = (struct tsh_provider){
		.format = tsh_provide_format,
		.cmdlines = tsh_provide_cmdlines,
		.comm = p->has_tasks || p->has_comms ? tsh_provide_comm : NULL,
		.tasks = tsh_provide_tasks,
		.bits = tsh_provide_bits,
		.tgid = tsh_provide_tgid,
		.printk_formats = tsh_provide_printk_formats,
		.kallsyms = tsh_provide_kallsyms,
		.btf = tsh_provide_btf,
		.module_btf = tsh_provide_module_btf,
		.memory = tsh_provide_memory,
		.variable = tsh_provide_variable,
		.dynamic_events = tsh_provide_dynamic_events,
		.option = tsh_provide_option,
		.ctx = p,
		.tasks_change = !tsh_provider_is_tree(p),
	};
	return p;
}

const struct tsh_provider *tsh_live_provider(const struct tsh_live_provider *p)
{
	return &p->provider;
}

void tsh_live_provider_free(struct tsh_live_provider *p)
{
	if (!p)
		return;
	tsh_provider_events_release(p);
	tsh_provider_kernel_release(p);
	tsh_provider_variables_release(p);
	tsh_removal_end(p->removal);
	if (p->top)
		tsh_instance_close(p->top);
	free(p->programs);
	free(p->tgids);
	tsh_vec_release(&p->comms);
	free(p);
}
