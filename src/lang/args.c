/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "grammar.h"

#include <stdlib.h>
#include <string.h>

const struct tsh_value *tsh_args_next(const struct tsh_args *args, const char *name,
				      const struct tsh_value *prev)
{
	size_t i = prev ? (size_t)(prev - args->v) + 1 : 0;

	for (; i < args->n; i++) {
		if (!strcmp(args->v[i].arg->name, name))
			return &args->v[i];
	}
	return NULL;
}

const struct tsh_value *tsh_args_get(const struct tsh_args *args, const char *name)
{
	return tsh_args_next(args, name, NULL);
}

const char *tsh_args_text(const struct tsh_args *args, const char *name)
{
	const struct tsh_value *value = tsh_args_get(args, name);

	return value ? value->word.text : NULL;
}

uint64_t tsh_args_number(const struct tsh_args *args, const char *name)
{
	const struct tsh_value *value = tsh_args_get(args, name);

	return value ? value->number : 0;
}

bool tsh_args_has(const struct tsh_args *args, const char *name)
{
	return tsh_args_get(args, name) != NULL;
}

size_t tsh_args_count(const struct tsh_args *args, const char *name)
{
	const struct tsh_value *value = NULL;
	size_t n = 0;

	while ((value = tsh_args_next(args, name, value)))
		n++;
	return n;
}

void tsh_args_release(struct tsh_args *args)
{
	size_t i;

	for (i = 0; i < args->n; i++) {
		tsh_word_release(&args->v[i].word);
		tsh_cpuset_release(&args->v[i].cpus);
	}
	free(args->v);
	*args = (struct tsh_args){ 0 };
}
