/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "engine-internal.h"

#include <errno.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define VARIABLES_MAX (16u << 20)

static size_t count_args(const struct tsh_input *input)
{
	size_t n = 0;

	while (input && input->argv && input->argv[n])
		n++;
	return n;
}

static int by_name(const void *a, const void *b)
{
	const struct tsh_variable *x = a, *y = b;

	return strcmp(x->name, y->name);
}

/* Returns the variable, or NULL. */
static struct tsh_variable *find_variable(const struct tsh_variables *vars, const char *name)
{
	const struct tsh_variable key = { .name = (char *)name };
	struct tsh_variable *const *found = tfind(&key, &vars->by_name, by_name);

	return found ? *found : NULL;
}

/* Adds a variable that does not exist yet. */
static void add_variable(struct tsh_variables *vars, const char *name, const char *value)
{
	struct tsh_variable *var = tsh_xcalloc(1, sizeof(*var));

	var->name = tsh_xstrdup(name);
	var->value = tsh_xstrdup(value);
	*tsh_vec_push(vars) = var;
	/* aborts, as all allocations do */
	if (!tsearch(var, &vars->by_name, by_name))
		abort();
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
	var = find_variable(&e->vars, name);
	return var ? var->value : NULL;
}

int tsh_engine_set_var(struct tsh_engine *e, const char *name, const char *value,
		       struct tsh_err *err)
{
	struct tsh_variable *var = find_variable(&e->vars, name);
	size_t bytes = e->vars.bytes + strlen(value);

	bytes = var ? bytes - strlen(var->value) : bytes + strlen(name);
	if (bytes > VARIABLES_MAX) {
		tsh_err_set(err, TSH_USAGE, "with '%s' all variables together are longer than 16 MB",
			    name);
		tsh_err_hint(err, "empty one that is not needed any more: let NAME = \"\"");
		return -1;
	}
	e->vars.bytes = bytes;
	if (!var) {
		add_variable(&e->vars, name, value);
		return 0;
	}
	free(var->value);
	var->value = tsh_xstrdup(value);
	return 0;
}

void tsh_engine_copy_vars(const struct tsh_engine *e, struct tsh_variables *ret)
{
	size_t i;

	*ret = (struct tsh_variables){ .bytes = e->vars.bytes };
	for (i = 0; i < e->vars.n; i++)
		add_variable(ret, e->vars.v[i]->name, e->vars.v[i]->value);
}

void tsh_engine_exec_sh(const struct tsh_engine *e, const char *command)
{
	size_t i, argc = count_args(e->input);
	const char **argv = tsh_xcalloc(argc + 5, sizeof(*argv));

	argv[0] = "sh";
	argv[1] = "-c";
	argv[2] = command;
	argv[3] = "tracesh";
	for (i = 0; i < argc; i++)
		argv[4 + i] = e->input->argv[i];
	for (i = 0; i < e->vars.n; i++)
		(void)setenv(e->vars.v[i]->name, e->vars.v[i]->value, 1);
	execv("/bin/sh", (char *const *)argv);
	dprintf(STDERR_FILENO, "tracesh: sh cannot be started%s: %s\n", errno == E2BIG ? " with all variables" : "",
		strerror(errno));
	_exit(127);
}

static void free_variable(void *p)
{
	struct tsh_variable *var = p;

	free(var->name);
	free(var->value);
	free(var);
}

void tsh_engine_release_vars(struct tsh_engine *e)
{
	tdestroy(e->vars.by_name, free_variable);
	tsh_vec_release(&e->vars);
	e->vars = (struct tsh_variables){ 0 };
}
