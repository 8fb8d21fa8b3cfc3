/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "engine-internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define VARIABLES_MAX (16u << 20)

static size_t count_args(const struct tsh_input *input)
{
	size_t n = 0;

	while (input && input->argv && input->argv[n])
		n++;
	return n;
}

/* The variable, or NULL. */
static struct tsh_variable *find(struct tsh_engine *e, const char *name)
{
	size_t i;

	for (i = 0; i < e->vars.n; i++)
		if (!strcmp(e->vars.v[i].name, name))
			return &e->vars.v[i];
	return NULL;
}

const char *tsh_engine_get_var(void *engine, const char *name)
{
	struct tsh_engine *e = engine;
	const struct tsh_variable *var;
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
	var = find(e, name);
	return var ? var->value : NULL;
}

int tsh_engine_set_var(struct tsh_engine *e, const char *name, const char *value,
		       struct tsh_err *err)
{
	struct tsh_variable *var = find(e, name);
	size_t bytes = e->vars.bytes + strlen(value);

	bytes = var ? bytes - strlen(var->value) : bytes + strlen(name);
	if (bytes > VARIABLES_MAX) {
		tsh_err_set(err, TSH_USAGE, "with '%s' all variables together are longer than 16 MB",
			    name);
		tsh_err_hint(err, "empty one that is not needed any more: let NAME = \"\"");
		return -1;
	}
	if (!var) {
		var = tsh_vec_push(&e->vars);
		var->name = tsh_xstrdup(name);
	}
	free(var->value);
	var->value = tsh_xstrdup(value);
	e->vars.bytes = bytes;
	return 0;
}

void tsh_engine_copy_vars(const struct tsh_engine *e, struct tsh_variables *ret)
{
	size_t i;

	*ret = (struct tsh_variables){ .bytes = e->vars.bytes };
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
	e->vars.bytes = 0;
}
