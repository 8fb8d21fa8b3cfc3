/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "engine-internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static size_t count_args(const struct tsh_input *input)
{
	size_t n = 0;

	while (input && input->argv && input->argv[n])
		n++;
	return n;
}

const char *tsh_engine_get_var(void *engine, const char *name)
{
	struct tsh_engine *e = engine;
	size_t i, argc = count_args(e->input);

	if (!strcmp(name, "?")) {
		snprintf(e->number, sizeof(e->number), "%d", e->session.status);
		return e->number;
	}
	if (!strcmp(name, "#")) {
		snprintf(e->number, sizeof(e->number), "%zu", argc);
		return e->number;
	}
	if (name[0] >= '1' && name[0] <= '9' && !name[1]) {
		i = (size_t)(name[0] - '1');
		return i < argc ? e->input->argv[i] : NULL;
	}
	for (i = 0; i < e->vars.n; i++)
		if (!strcmp(e->vars.v[i].name, name))
			return e->vars.v[i].value;
	return NULL;
}

void tsh_engine_set_var(struct tsh_engine *e, const char *name, const char *value)
{
	struct tsh_variable *var;
	size_t i;

	for (i = 0; i < e->vars.n; i++) {
		if (strcmp(e->vars.v[i].name, name))
			continue;
		free(e->vars.v[i].value);
		e->vars.v[i].value = tsh_xstrdup(value);
		return;
	}
	var = tsh_vec_push(&e->vars);
	var->name = tsh_xstrdup(name);
	var->value = tsh_xstrdup(value);
}

void tsh_engine_copy_vars(const struct tsh_engine *e, struct tsh_variables *ret)
{
	size_t i;

	*ret = (struct tsh_variables){ 0 };
	for (i = 0; i < e->vars.n; i++) {
		struct tsh_variable *var = tsh_vec_push(ret);

		var->name = tsh_xstrdup(e->vars.v[i].name);
		var->value = tsh_xstrdup(e->vars.v[i].value);
	}
}

void tsh_engine_release_vars(struct tsh_engine *e)
{
	size_t i;

	for (i = 0; i < e->vars.n; i++) {
		free(e->vars.v[i].name);
		free(e->vars.v[i].value);
	}
	tsh_vec_release(&e->vars);
}
