/* output/output.h - where commands write rows, text and notes */
/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_OUTPUT_OUTPUT_H
#define TRACESH_OUTPUT_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"
#include "base/strbuf.h"
#include "base/vec.h"
#include "base/wait.h"

enum tsh_format { TSH_FORMAT_TEXT, TSH_FORMAT_JSON, TSH_FORMAT_CSV, TSH_FORMAT_KERNEL };
extern const char *const tsh_format_names[];	/* "text", "json", ..; NULL at the end */

/* Colours of a word in text output; empty when colour is off. */
enum tsh_style {
	TSH_STYLE_NONE, TSH_STYLE_BOLD, TSH_STYLE_DIM, TSH_STYLE_ERROR, TSH_STYLE_WARNING,
	TSH_STYLE_EVENT, TSH_STYLE_MARK, TSH_STYLE_N
};

struct tsh_writer;

#define TSH_OUT_FULL 65536

/*
 * The stdout of a command and its stderr: descriptors that are lent, a buffer, and
 * the shape of what goes out. The library never touches stdout by itself, so the
 * prompt, a batch file, a pipe and a test plug in by making one of these.
 */
struct tsh_out {
	struct tsh_strbuf data;		/* not written yet */
	int fd;				/* of data; borrowed */
	enum tsh_format format;
	bool is_terminal;		/* of fd: tables get a header and are aligned */
	bool may_be_raw;		/* no terminal shows it: see tsh_out_is_raw */
	bool color;
	bool holds_old;			/* fd's file has its old content: tsh_out_begin */
	bool is_new;			/* we have made fd's file: tsh_output_remove_empty */
	bool closed;			/* the reader went away (EPIPE): stop quietly */
	int error;			/* errno of the first failed write (ENOSPC), or 0 */
	const char *name;		/* file name for messages; NULL: stdout; borrowed */
	size_t full;			/* more than that is written before more is added */
	uint64_t bytes;			/* written so far */
	uint64_t handed;		/* and so many are the second thread's */
	TSH_VEC(uint64_t) ends;		/* in `bytes`, of events that are not written whole: see tsh_out_event */
	uint64_t unprinted;		/* events that were never written whole */
	const struct tsh_waiter *waiter;	/* how a flush waits; NULL: no signal ends it */
	struct {			/* see tsh_out_hurry */
		int fd;			/* the same file, opened anew; -1 or `fd` itself */
		size_t piece;		/* the most that one write takes without waiting */
		bool is_on, is_socket;
		int pipe_size;		/* that the pipe had; 0: it has it */
		bool keeps_lines;	/* see tsh_out_keep_up */
		unsigned int modes;	/* that the terminal had */
	} hurry;
	struct tsh_writer *writer;	/* see tsh_out_flush_if_full; or NULL */
	bool stays_alone;		/* there will be none */

	/* Instead of write(2) to fd, if it is set; never in a hurry. */
	ssize_t (*write)(void *ctx, const char *data, size_t len);
	void *write_ctx;

	/* Chatter for the person: one line, printed at once to stderr or above the
	 * prompt. `text` is sanitized, without a newline. */
	void (*note)(void *ctx, const char *text);
	void *note_ctx;
	bool quiet;			/* -q: notes are dropped; warnings stay */
};

void tsh_out_init(struct tsh_out *out, int fd, enum tsh_format format);
void tsh_out_release(struct tsh_out *out);

/*
 * Before the first byte goes to fd, and at the end when none did: the file's old content goes
 * (holds_old). What fails before it prints anything leaves the file as it was.
 */
void tsh_out_begin(struct tsh_out *out);
/* Writes everything buffered. 0, or -errno which is kept in out->error; EPIPE sets
 * closed and is no error (SIGPIPE must be ignored). Restarts on EINTR and short writes;
 * a slow reader is waited for; when a signal ends that, closed is set too. After any of
 * these what is buffered is dropped. Afterwards there
 * is no second thread: call it before fork(2). */
int tsh_out_flush(struct tsh_out *out);
/*
 * For what must not wait for a slow reader (a pager, ssh, a serial line): from now on
 * tsh_out_try writes what goes out at once. The flags of `fd`, which others share, stay:
 * a pipe and a terminal are opened a second time, a socket is asked at each write.
 * Without /proc, pieces that poll(2) says there is room for.
 */
void tsh_out_hurry(struct tsh_out *out);
/*
 * In a hurry, for who prints what happens now: a pipe holds as little as it can, and lines of
 * data (not text) stay whole where somebody types at their terminal: it does not echo, nor at
 * Ctrl-C throw away what it has not shown yet. Until tsh_out_calm.
 */
void tsh_out_keep_up(struct tsh_out *out);
/* Back to waiting. What is buffered stays. */
void tsh_out_calm(struct tsh_out *out);
/* In a hurry: how much is still buffered after writing what goes out at once; otherwise
 * tsh_out_flush and 0, or, where a second thread writes, 0 before it is written. An error
 * or a closed reader drops it, as there. */
size_t tsh_out_try(struct tsh_out *out);
/* Whether the reader of a pipe, socket or terminal went away meanwhile: sets closed. */
bool tsh_out_is_deserted(struct tsh_out *out);
/* Drops what is buffered: what of the events' lines was not written by now is counted in unprinted. */
void tsh_out_give_up(struct tsh_out *out);
/* Notes that the text of an event ends here, whom nobody can read again. */
static inline void tsh_out_event(struct tsh_out *out)
{
	/* After an error all is dropped, maybe just now. */
	if (out->error)
		out->unprinted++;
	else
		*tsh_vec_push(&out->ends) = out->bytes + out->handed + out->data.len;
}
/* What to poll for POLLOUT when tsh_out_try left something. */
int tsh_out_poll_fd(const struct tsh_out *out);
/* tsh_out_flush_if_full when it is. */
int tsh_out_flush_full_(struct tsh_out *out);
/*
 * Flushes when more than 64 KB are waiting, without waiting when in a hurry. To a regular file
 * a second thread writes from then on until the next tsh_out_flush, if there is a CPU for it:
 * 256 KB at a time. `bytes`, and often an error too, is known at that flush only.
 */
static inline int tsh_out_flush_if_full(struct tsh_out *out)
{
	return out->data.len > out->full ? tsh_out_flush_full_(out) : -out->error;
}
/* The last flush: 0, or -1 with "cannot write 'NAME': No space left on device". */
int tsh_out_finish(struct tsh_out *out, struct tsh_err *err);

/* Whether the kernel format is byte for byte here: off where a terminal shows what is written,
 * be it through a pager, a job of the prompt or the program behind '|'. */
static inline bool tsh_out_is_raw(const struct tsh_out *out)
{
	return out->format == TSH_FORMAT_KERNEL && out->may_be_raw;
}
/* A text that is read back by a program, in any format: byte for byte where no terminal shows
 * it, else sanitized by lines. */
void tsh_out_script(struct tsh_out *out, const char *text, size_t len);
/* Whole lines of kernel text, sanitized; newlines kept. Under JSON one object a line:
 * {"type":"text","text":".."}, under CSV one cell a line. The kernel format is byte for
 * byte, if tsh_out_is_raw. */
void tsh_out_text(struct tsh_out *out, const char *text, size_t len);
/* One line of our own words on stdout (not under JSON and CSV), sanitized as a whole. */
void tsh_out_line(struct tsh_out *out, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* Chatter: what was done, what to expect. Arguments are sanitized as a whole. What is
 * buffered for a terminal goes first, so that both appear in order. */
void tsh_out_note(struct tsh_out *out, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* A note that -q does not silence. */
void tsh_out_warn(struct tsh_out *out, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* The escape sequence that starts a style, "" without colour and in other formats than
 * text; TSH_STYLE_NONE resets. */
const char *tsh_out_style(const struct tsh_out *out, enum tsh_style style);
/* A task's: the same for the same pid, and mostly another one for another. */
const char *tsh_out_task_style(const struct tsh_out *out, int pid);

/* One CSV cell, as the tables print it: sanitized, so a row is always one line; quoted
 * by RFC 4180; what a spreadsheet would run as a formula (= + - @ TAB CR first, and no
 * number) gets a ' before it. */
void tsh_csv_cell(struct tsh_strbuf *out, const char *text, size_t len);

/*
 * Tables: rows of cells by column. Text (and the kernel format): columns separated
 * by two blanks and aligned, which keeps all rows until the end; on a terminal with a
 * header. With one column or after tsh_table_plain just the cells, separated by one
 * tab, each row at once (one column on a terminal still has its header). JSON: an
 * object a row with "type":.type first. CSV: a header and RFC 4180 rows that end in
 * LF. A row that ends early has empty cells, null in JSON.
 */
enum tsh_column_kind { TSH_COLUMN_TEXT, TSH_COLUMN_NUMBER, TSH_COLUMN_SIZE, TSH_COLUMN_BOOL };
struct tsh_column {
	const char *name;	/* JSON key and CSV header; the text header in capitals */
	enum tsh_column_kind kind;
};
struct tsh_table;

/* `columns` ends with an entry without a name and outlives the table. */
struct tsh_table *tsh_table_begin(struct tsh_out *out, const char *type,
				  const struct tsh_column *columns);
/* The same, but in CSV, where rows of the same columns are above it, without another header. */
struct tsh_table *tsh_table_more(struct tsh_out *out, const char *type, const struct tsh_column *columns);
/* Text mode: no header and no alignment, also on a terminal. Before the first row. */
void tsh_table_plain(struct tsh_table *table);
/* Text mode: a header also where it is no terminal, for numbers that say nothing without one. Of one column there is none. */
void tsh_table_titled(struct tsh_table *table);
void tsh_table_row(struct tsh_table *table);		/* starts a row */
void tsh_table_text(struct tsh_table *table, const char *text);	/* NULL: empty, null */
void tsh_table_number(struct tsh_table *table, uint64_t value);
/* Text: "*" or ""; else true, false. */
void tsh_table_bool(struct tsh_table *table, bool value);
/* Prints what was kept for the alignment, and frees the table. */
void tsh_table_end(struct tsh_table *table);

/* A record of named fields: text "name: value" lines, values aligned; one JSON object;
 * CSV a header and one row. All is printed at the end. */
struct tsh_fields;
struct tsh_fields *tsh_fields_begin(struct tsh_out *out, const char *type);
void tsh_fields_text(struct tsh_fields *f, const char *name, const char *text);
void tsh_fields_number(struct tsh_fields *f, const char *name, uint64_t value);
void tsh_fields_bool(struct tsh_fields *f, const char *name, bool value);
void tsh_fields_end(struct tsh_fields *f);

#endif
