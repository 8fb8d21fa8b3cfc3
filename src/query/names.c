/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "names.h"

#include <signal.h>
#include <stddef.h>
#include <string.h>

#include "events/decode/value-names.h"

struct constant {
	const char *name;
	int value;
};

#define C(name) { #name, name }
static const struct constant signals[] = {
	C(SIGHUP), C(SIGINT), C(SIGQUIT), C(SIGILL), C(SIGTRAP), C(SIGABRT), C(SIGBUS), C(SIGFPE),
	C(SIGKILL), C(SIGUSR1), C(SIGSEGV), C(SIGUSR2), C(SIGPIPE), C(SIGALRM), C(SIGTERM),
	C(SIGCHLD), C(SIGCONT), C(SIGSTOP), C(SIGTSTP), C(SIGTTIN), C(SIGTTOU), C(SIGURG),
	C(SIGXCPU), C(SIGXFSZ), C(SIGVTALRM), C(SIGPROF), C(SIGWINCH), C(SIGIO), C(SIGPWR),
	C(SIGSYS),
};
#undef C

bool query_constant(const char *name, uint64_t *ret)
{
	int number = tsh_error_number(name);
	size_t i;

	for (i = 0; !number && i < sizeof(signals) / sizeof(signals[0]); i++)
		if (!strcmp(signals[i].name, name))
			number = signals[i].value;
	*ret = (uint64_t)number;
	return number > 0;
}

bool query_value_of(const struct tsh_decoder *decoder, const struct tsh_event_format *format,
		    const struct tsh_field *field, const char *name, uint64_t *ret)
{
	struct tsh_value_names names = { 0 };
	bool found = false;
	size_t i;

	tsh_value_names_of(decoder, format, field, &names);
	for (i = 0; i < names.n && !found; i++) {
		found = !strcmp(names.v[i].name, name);
		*ret = names.v[i].value;
	}
	tsh_value_names_release(&names);
	return found;
}
