/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "writer.h"

#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/thread.h"
#include "base/xmalloc.h"

/* Counts the buffers: one is being written, the others wait, while the caller fills its own. */
#define BUFFERS 3

struct tsh_writer {
	int fd;
	pthread_t thread;
	pthread_mutex_t lock;		/* protects everything below */
	pthread_cond_t changed;
	struct tsh_strbuf buffer[BUFFERS];	/* those from `first` on belong to the thread */
	unsigned int first, n;
	pid_t tid;			/* 0: the thread has not begun yet */
	bool ending;
	int error;
	uint64_t bytes;
};

bool tsh_writer_is_useful(int fd)
{
	cpu_set_t cpus;
	struct stat st;

	if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode))
		return false;
	/* EINVAL: there are more CPUs than fit */
	return sched_getaffinity(0, sizeof(cpus), &cpus) < 0 ? errno == EINVAL :
							       CPU_COUNT(&cpus) > 1;
}

/* ---- the thread ---- */

/* Writes everything; drops what cannot be written. Returns the errno, or 0. */
static int write_all(int fd, const char *text, size_t len, size_t *ret_done)
{
	size_t done = 0;
	int error = 0;

	while (done < len && !error) {
		ssize_t n = write(fd, text + done, len - done);

		if (n > 0)
			done += (size_t)n;
		else if (n == 0)
			error = EIO; /* unexpected: without this, the loop might never end */
		else if (errno != EINTR)
			error = errno;
	}
	*ret_done = done;
	return error;
}

/* Writes the oldest buffer, without the lock, which is held before and after. */
static void write_first(struct tsh_writer *w)
{
	struct tsh_strbuf *buffer = &w->buffer[w->first];
	size_t done = 0;
	int error = 0;

	if (!w->error) {
		pthread_mutex_unlock(&w->lock);
		error = write_all(w->fd, buffer->buf, buffer->len, &done);
		pthread_mutex_lock(&w->lock);
	}
	w->bytes += done;
	if (error)
		w->error = error;
	tsh_strbuf_clear(buffer);
	w->first = (w->first + 1) % BUFFERS;
	w->n--;
	pthread_cond_signal(&w->changed);
}

static void *write_all_buffers(void *ctx)
{
	struct tsh_writer *w = ctx;

	pthread_mutex_lock(&w->lock);
	w->tid = (pid_t)syscall(SYS_gettid);
	pthread_cond_signal(&w->changed);
	while (w->n || !w->ending) {
		if (w->n)
			write_first(w);
		else
			pthread_cond_wait(&w->changed, &w->lock);
	}
	pthread_mutex_unlock(&w->lock);
	return NULL;
}

/* ---- public functions ---- */

static void free_writer(struct tsh_writer *w)
{
	unsigned int i;

	for (i = 0; i < BUFFERS; i++)
		tsh_strbuf_release(&w->buffer[i]);
	pthread_cond_destroy(&w->changed);
	pthread_mutex_destroy(&w->lock);
	free(w);
}

struct tsh_writer *tsh_writer_start(int fd)
{
	struct tsh_writer *w = tsh_xcalloc(1, sizeof(*w));
	unsigned int i;

	w->fd = fd;
	pthread_mutex_init(&w->lock, NULL);
	pthread_cond_init(&w->changed, NULL);
	for (i = 0; i < BUFFERS; i++)
		tsh_strbuf_init(&w->buffer[i]);
	if (tsh_thread_start(&w->thread, write_all_buffers, w))
		return w;
	free_writer(w);
	return NULL;
}

pid_t tsh_writer_tid(struct tsh_writer *w)
{
	pid_t tid;

	pthread_mutex_lock(&w->lock);
	while (!w->tid)
		pthread_cond_wait(&w->changed, &w->lock);
	tid = w->tid;
	pthread_mutex_unlock(&w->lock);
	return tid;
}

int tsh_writer_append(struct tsh_writer *w, struct tsh_strbuf *data, uint64_t *ret_bytes)
{
	struct tsh_strbuf *buffer, full = *data;
	int error;

	pthread_mutex_lock(&w->lock);
	while (w->n == BUFFERS)
		pthread_cond_wait(&w->changed, &w->lock);
	buffer = &w->buffer[(w->first + w->n) % BUFFERS];
	*data = *buffer;
	*buffer = full;
	w->n++;
	error = w->error;
	*ret_bytes = w->bytes;
	pthread_cond_signal(&w->changed);
	pthread_mutex_unlock(&w->lock);
	return error;
}

int tsh_writer_end(struct tsh_writer *w, uint64_t *ret_bytes)
{
	int error;

	pthread_mutex_lock(&w->lock);
	w->ending = true;
	pthread_cond_signal(&w->changed);
	pthread_mutex_unlock(&w->lock);
	pthread_join(w->thread, NULL);
	error = w->error;
	*ret_bytes = w->bytes;
	free_writer(w);
	return error;
}
