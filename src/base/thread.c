/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "thread.h"

#include <signal.h>

#define STACK_BYTES 262144

bool tsh_thread_start(pthread_t *ret, void *(*run)(void *), void *ctx)
{
	pthread_attr_t attr;
	sigset_t all, before;
	int r;

	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, STACK_BYTES);
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	r = pthread_create(ret, &attr, run, ctx);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	pthread_attr_destroy(&attr);
	return !r;
}
