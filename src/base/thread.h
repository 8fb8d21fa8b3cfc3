/* base/thread.h - a second thread */
/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_BASE_THREAD_H
#define TRACESH_BASE_THREAD_H

#include <pthread.h>
#include <stdbool.h>

/* Starts a thread as pthread_create(3) does, with a small stack and all signals blocked, because
 * another thread waits for those. Returns false when there cannot be one. */
bool tsh_thread_start(pthread_t *ret, void *(*run)(void *), void *ctx);

#endif
