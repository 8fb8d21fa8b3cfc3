/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "library.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/now.h"
#include "base/vec.h"
#include "base/xmalloc.h"
#include "events/decode/decode.h"
#include "events/symbols/symbols.h"
#include "decoder-process.h"

#ifndef LIBTRACEEVENT_VERSION
void tsh_decoders_prepare(struct tsh_decoders_process *process)
{
	(void)process;
}

struct tsh_decoding *tsh_decoders_attach(struct tsh_decoder *decoder, enum tsh_decoders which,
					 struct tsh_decoders_process *prepared, const struct tsh_apart_host *host)
{
	(void)decoder;
	(void)which;
	(void)prepared;
	(void)host;
	return NULL;
}

const struct tsh_strlist *tsh_decoding_failures(const struct tsh_decoding *decoding)
{
	(void)decoding;
	return NULL;
}
#else
/*
 * Limit the wait for an answer. It takes microseconds, but an emulated machine may need long to
 * begin. A single try ends after PIECE_MS, and the last one after PATIENCE_MS. When a try has taken
 * PIECE_MS and a signal such as Ctrl-C has come, the wait ends after DEAF_MS.
 */
#define PIECE_MS 100
#define PATIENCE_MS 5000
#define DEAF_MS 500
/* Limits the failures, so that a bad recording cannot delay us again and again. */
#define FAILURES_MAX 3
/* Limits the functions that one event may ask for. */
#define SYMBOLS_MAX 1024
/* Limits the checks, one a millisecond, for the end of a process that has closed its socket. */
#define CHECKS_MAX 100

/* Holds an event that the other process prints. */
struct accepted {
	unsigned int id;
	char *label;			/* system:name */
	char *system, *text;		/* for a new process */
	uint32_t need;			/* bytes of a record without its dynamic fields */
	uint32_t number;		/* number of the event in the process */
	bool is_doubtful;
	unsigned int run;		/* number of the process that knows it */
	bool failed;			/* it has failed before: it is reported only once */
};

struct tsh_decoding {
	struct tsh_decoder *decoder;	/* owns this */
	bool all;
	struct tsh_decoders_process *prepared;
	struct tsh_apart_host host;
	struct tsh_decoders_process now;
	unsigned int run;		/* counts the processes */
	int64_t asked;			/* when it was asked, CLOCK_MONOTONIC */
	bool is_slow;			/* an answer took long, so that signals are checked before the next question */
	TSH_VEC(struct accepted) taken;	/* indexed by number - 1 */
	struct tsh_strlist failures;
};

/* ---- the process ---- */

/* Kills the process. It only computes, so that SIGKILL ends it at once. */
static void end_process(struct tsh_decoders_process *process)
{
	if (!process->pid)
		return;
	close(process->fd);
	if (process->pid > 0) {
		kill(process->pid, SIGKILL);
		(void)waitpid(process->pid, NULL, 0);
	}
	process->pid = 0;
}

/* Starts a process, and tells the host (may be NULL). */
static void begin_process(struct tsh_decoders_process *process, const struct tsh_apart_host *host)
{
	const struct timeval patience = { .tv_usec = PIECE_MS * 1000 };
	pid_t parent = getpid();
	int ends[2];

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) < 0)
		return;
	process->pid = tsh_apart_fork(host);
	if (!process->pid)
		decoder_serve(ends[1], parent);
	close(ends[1]);
	process->fd = ends[0];
	if (process->pid < 0 || setsockopt(ends[0], SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience)) < 0 ||
	    setsockopt(ends[0], SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience)) < 0)
		end_process(process);
}

void tsh_decoders_prepare(struct tsh_decoders_process *process)
{
	if (!process->pid)
		begin_process(process, NULL);
}

/* Waits for a process that has closed its socket, as a dead one does. Returns the signal that
 * killed it; 0: none. */
static int reap(struct tsh_decoding *d)
{
	int status = 0, i;

	for (i = 0; i < CHECKS_MAX && d->now.pid; i++) {
		if (waitpid(d->now.pid, &status, WNOHANG) == d->now.pid) {
			close(d->now.fd);
			d->now.pid = 0;
		} else {
			usleep(1000);
		}
	}
	end_process(&d->now);
	return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

/* Says whether a signal has come that ends the command. Leaves the signal pending for
 * src/shell/loop.c. */
static bool is_interrupted(void)
{
	sigset_t set;

	return !sigpending(&set) && (sigismember(&set, SIGINT) || sigismember(&set, SIGTERM) ||
				     sigismember(&set, SIGHUP) || sigismember(&set, SIGQUIT));
}

/*
 * Says whether to try again after a try that returned n. All parts of an answer share one time
 * limit, so that one that comes byte by byte fails too.
 */
static bool may_wait(struct tsh_decoding *d, ssize_t n)
{
	int64_t ms = (tsh_now_ns(CLOCK_MONOTONIC) - d->asked) / 1000000;

	if (!n || (n < 0 && errno != EINTR && errno != EAGAIN))
		return false;
	d->is_slow |= ms >= PIECE_MS;
	if (ms < (d->is_slow && is_interrupted() ? DEAF_MS : PATIENCE_MS))
		return true;
	errno = EAGAIN;
	return false;
}

static bool send_all(struct tsh_decoding *d, const void *from, size_t len)
{
	size_t sent = 0;
	ssize_t n = 1;

	for (; sent < len && may_wait(d, n); sent += n > 0 ? (size_t)n : 0)
		n = send(d->now.fd, (const char *)from + sent, len - sent, MSG_NOSIGNAL);
	return sent == len;
}

static bool receive_all(struct tsh_decoding *d, void *to, size_t len)
{
	size_t got = 0;
	ssize_t n = 1;

	for (; got < len && may_wait(d, n); got += n > 0 ? (size_t)n : 0)
		n = recv(d->now.fd, (char *)to + got, len - got, 0);
	/* the end of the stream */
	if (!n)
		errno = 0;
	return got == len;
}

static bool answer_symbol(struct tsh_decoding *d, uint64_t address)
{
	struct tsh_strbuf bytes = TSH_STRBUF_INIT;
	struct decoder_head answer = { .number = DECODER_SYMBOL, .stamp = address };
	struct tsh_symbol symbol;
	bool sent;

	if (tsh_symbols_find(tsh_decoder_symbols(d->decoder), address, &symbol)) {
		answer.stamp = symbol.address;
		tsh_strbuf_add(&bytes, symbol.name, strlen(symbol.name) + 1);
		if (symbol.module)
			tsh_strbuf_add(&bytes, symbol.module, strlen(symbol.module) + 1);
	}
	answer.len = (uint32_t)bytes.len;
	sent = send_all(d, &answer, sizeof(answer)) && send_all(d, bytes.buf, bytes.len);
	tsh_strbuf_release(&bytes);
	return sent;
}

/* Uses the prepared process, or starts one. */
static bool start_process(struct tsh_decoding *d)
{
	const struct tsh_page_layout *layout = tsh_decoder_layout(d->decoder);
	char *strings = tsh_decoder_printk_formats(d->decoder);
	const struct decoder_begin begin = { .long_size = layout->long_size, .big_endian = layout->big_endian,
					     .all = d->all,
					     .strings = strings ? (uint32_t)strnlen(strings, DECODER_BYTES_MAX) : 0 };
	bool begun;

	if (d->prepared->pid) {
		d->now = *d->prepared;
		d->prepared->pid = 0;
	} else {
		begin_process(&d->now, &d->host);
	}
	d->run++;
	begun = d->now.pid && send_all(d, &begin, sizeof(begin)) && send_all(d, strings, begin.strings);
	free(strings);
	return begun;
}

/* Asks a question, and appends the answer. Returns false when the process is gone. */
static bool ask_process(struct tsh_decoding *d, const struct decoder_head *question, const void *bytes,
			uint32_t *ret_number, struct tsh_strbuf *out)
{
	struct decoder_head answer = { .number = DECODER_SYMBOL };
	unsigned int symbols = 0;
	size_t begin = out->len;

	if (!send_all(d, question, sizeof(*question)) || !send_all(d, bytes, question->len))
		return false;
	while (answer.number == DECODER_SYMBOL) {
		if (!receive_all(d, &answer, sizeof(answer)) || answer.len > DECODER_BYTES_MAX)
			return false;
		if (answer.number == DECODER_SYMBOL && (symbols++ == SYMBOLS_MAX || !answer_symbol(d, answer.stamp)))
			return false;
	}
	tsh_strbuf_grow(out, answer.len);
	if (!receive_all(d, out->buf + begin, answer.len))
		return false;
	out->len += answer.len;
	out->buf[out->len] = '\0';
	*ret_number = answer.number;
	return true;
}

/* Notes a failure, and that the event is printed without the library from now on; others get a
 * new process. */
static void note_failure(struct tsh_decoding *d, struct accepted *e)
{
	bool silent = errno == EAGAIN || errno == EWOULDBLOCK;
	int was = silent ? 0 : reap(d);
	char *sentence;

	end_process(&d->now);
	e->failed = true;
	/* gives no reason: the user has ended the command */
	if (is_interrupted())
		return;
	if (was)
		sentence = tsh_xasprintf("libtraceevent died at %s (%s): the event is printed "
					 "without it", e->label,
					 strsignal(was));
	else
		sentence = tsh_xasprintf("libtraceevent %s %s: the event is printed without it",
					 silent ? "did not answer for" : "ended at", e->label);
	tsh_strlist_add(&d->failures, sentence);
	free(sentence);
}

/* ---- a decoder's printer ---- */

/* Says whether to stop asking the process: its answers take time, and a signal ends the command. */
static bool has_failed(const struct tsh_decoding *d)
{
	return d->is_slow && is_interrupted();
}

/* Sends the format of an event to the present process. Returns false when that cannot print the
 * event. */
static bool send_format(struct tsh_decoding *d, struct accepted *e, struct tsh_strbuf *who)
{
	struct tsh_strbuf bytes = TSH_STRBUF_INIT;
	struct decoder_head question = { .id = e->id, .is_doubtful = e->is_doubtful };
	bool heard;

	if (d->failures.n == FAILURES_MAX || has_failed(d))
		return false;
	errno = 0;
	d->asked = tsh_now_ns(CLOCK_MONOTONIC);
	if (!d->now.pid && !start_process(d)) {
		note_failure(d, e);
		return false;
	}
	tsh_strbuf_add(&bytes, e->system, strlen(e->system) + 1);
	tsh_strbuf_add(&bytes, e->text, strlen(e->text) + 1);
	question.len = (uint32_t)bytes.len;
	heard = bytes.len <= DECODER_BYTES_MAX && ask_process(d, &question, bytes.buf, &e->number, who);
	tsh_strbuf_release(&bytes);
	if (!heard)
		note_failure(d, e);
	e->run = d->run;
	return heard && e->number;
}

static void release_accepted(struct accepted *e)
{
	free(e->label);
	free(e->system);
	free(e->text);
}

static unsigned int accept_event(void *ctx, const struct tsh_event_format *format, const char *text, bool is_doubtful,
				 char **ret_who)
{
	struct tsh_decoding *d = ctx;
	struct accepted e = { .id = format->id, .is_doubtful = is_doubtful };
	struct tsh_strbuf who = TSH_STRBUF_INIT;
	size_t i;

	e.label = tsh_xasprintf("%s:%s", format->system, format->name);
	e.system = tsh_xstrdup(format->system);
	e.text = tsh_xstrdup(text);
	for (i = 0; i < format->nfields; i++)
		if (format->fields[i].offset + format->fields[i].size > e.need)
			e.need = format->fields[i].offset + format->fields[i].size;
	if (!send_format(d, &e, &who)) {
		release_accepted(&e);
		tsh_strbuf_release(&who);
		return 0;
	}
	*ret_who = tsh_strbuf_detach(&who);
	*tsh_vec_push(&d->taken) = e;
	return (unsigned int)d->taken.n;
}

static bool print(void *ctx, unsigned int number, const struct tsh_record *rec, struct tsh_strbuf *out)
{
	struct tsh_decoding *d = ctx;
	struct accepted *e = &d->taken.v[number - 1];
	struct tsh_strbuf again = TSH_STRBUF_INIT;
	struct decoder_head question = { .len = rec->size, .cpu = rec->cpu, .stamp = rec->stamp };
	size_t begin = out->len;
	uint32_t good = 0;

	if (e->failed || rec->size < e->need || rec->size > DECODER_BYTES_MAX || has_failed(d))
		return false;
	if (!d->now.pid || e->run != d->run) {
		e->failed = !send_format(d, e, &again);
		tsh_strbuf_release(&again);
	}
	if (e->failed)
		return false;
	errno = 0;
	d->asked = tsh_now_ns(CLOCK_MONOTONIC);
	question.number = e->number;
	if (!ask_process(d, &question, rec->data, &good, out))
		note_failure(d, e);
	if (!good)
		tsh_strbuf_truncate(out, begin);
	return good;
}

static void forget(void *ctx)
{
	struct tsh_decoding *d = ctx;
	size_t i;

	end_process(&d->now);
	for (i = 0; i < d->taken.n; i++)
		release_accepted(&d->taken.v[i]);
	tsh_vec_release(&d->taken);
}

static void free_decoding(void *ctx)
{
	struct tsh_decoding *d = ctx;

	forget(d);
	tsh_strlist_release(&d->failures);
	free(d);
}

struct tsh_decoding *tsh_decoders_attach(struct tsh_decoder *decoder, enum tsh_decoders which,
					 struct tsh_decoders_process *prepared, const struct tsh_apart_host *host)
{
	struct tsh_decoding *d;

	if (which == TSH_DECODERS_OFF)
		return NULL;
	d = tsh_xcalloc(1, sizeof(*d));
	d->decoder = decoder;
	d->prepared = prepared;
	d->host = *host;
	d->all = which == TSH_DECODERS_ALL;
	tsh_decoder_set_printer(decoder, &(struct tsh_printer){ .ctx = d, .all = d->all, .accept = accept_event,
								.print = print, .forget = forget,
								.free = free_decoding });
	return d;
}

const struct tsh_strlist *tsh_decoding_failures(const struct tsh_decoding *decoding)
{
	return &decoding->failures;
}
#endif
