/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_SESSION_DEFAULTS_H
#define TRACESH_SESSION_DEFAULTS_H

#include "kernel/tracefs/tracefs.h"

/* Appends the mask of all CPUs that are present; appends no text when per_cpu cannot be read. */
void tsh_default_cpumask(const struct tsh_instance *in, struct tsh_strbuf *ret);

/* Names a file that holds a number, and its value when the kernel starts. */
struct tsh_default_number {
	const char *path;
	const char *value;
};
extern const struct tsh_default_number tsh_default_numbers[];	/* ends without a path */

#endif
