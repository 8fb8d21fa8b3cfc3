/* output/output.h - writes the rows, text and notes of commands */
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

/* Names the colours of words in text output; empty when colour is off. */
enum tsh_style {
	TSH_STYLE_NONE, TSH_STYLE_BOLD, TSH_STYLE_DIM, TSH_STYLE_ERROR, TSH_STYLE_WARNING,
	TSH_STYLE_EVENT, TSH_STYLE_MARK, TSH_STYLE_N
};

struct tsh_writer;

#define TSH_OUT_FULL 65536

/*
 * Is the stdout and the stderr of a command: borrowed descriptors, a buffer, and the format.
 * Commands never use stdout directly, so the prompt, a batch file, a pipe or a test each make one
 * of these.
 */
struct tsh_out {
	struct tsh_strbuf data;		/* not written yet */
	int fd;				/* where data goes; borrowed */
	enum tsh_format format;
	bool is_terminal;		/* fd is a terminal: tables get a header, and are aligned */
	bool may_be_raw;		/* no terminal shows it: see tsh_out_is_raw */
	bool color;
	bool has_old_content;		/* the file still has its old content: see tsh_out_begin */
	bool is_new;			/* the file was made by us: see tsh_output_remove_empty */
	bool closed;			/* the reader has gone away (EPIPE): stop without a message */
	int error;			/* errno of the first failed write (ENOSPC), or 0 */
	const char *name;		/* file name for messages; NULL: stdout; borrowed */
	size_t full;			/* when data is longer, it is written before more is added */
	uint64_t bytes;			/* how many bytes were written */
	uint64_t queued;		/* bytes that were given to the second thread */
	TSH_VEC(uint64_t) ends;	/* ends of events that are not yet written, counted as `bytes`: see tsh_out_add_event */
	uint64_t unprinted;		/* events that were never written completely */
	const struct tsh_waiter *waiter;	/* waits during a flush; NULL: no signal ends that */
	struct {			/* see tsh_out_begin_nonblocking */
		int fd;			/* the same file, opened again; -1, or `fd` itself */
		size_t piece;		/* the most that a single write takes without waiting */
		bool is_on, is_socket;
		int pipe_size;		/* size of the pipe before; 0: unchanged */
		bool keeps_lines;	/* see tsh_out_begin_live */
		unsigned int modes;	/* modes of the terminal before */
	} nonblocking;
	struct tsh_writer *writer;	/* see tsh_out_flush_if_full; or NULL */
	bool is_single_threaded;	/* no second thread will be started */
	/* Is called when the second thread was started, with its number; may be NULL. */
	void (*begun)(void *ctx, pid_t tid);
	void *begun_ctx;

	/* Is called instead of write(2) to fd, if it is set; never after
	 * tsh_out_begin_nonblocking. */
	ssize_t (*write)(void *ctx, const char *data, size_t len);
	void *write_ctx;

	/* Prints one line to the user at once, to stderr or above the prompt. `text` is
	 * sanitized, and has no newline. */
	void (*note)(void *ctx, const char *text);
	void *note_ctx;
	bool quiet;			/* -q: notes are dropped, warnings are not */
};

/* Prepares an output to fd, which is borrowed; the caller may set further members. */
void tsh_out_init(struct tsh_out *out, int fd, enum tsh_format format);
void tsh_out_release(struct tsh_out *out);

/*
 * Drops the file's old content (has_old_content). To be called before the first byte is written to
 * fd, and at the end when there was none. A command that fails before it prints anything leaves the
 * file as it was.
 */
void tsh_out_begin(struct tsh_out *out);
/*
 * Writes everything that is buffered. Continues after EINTR and short writes, and waits for a slow
 * reader; when a signal ends that wait, sets closed. Returns 0, or -errno, which out->error keeps;
 * EPIPE sets closed and is no error (SIGPIPE must be ignored). In all of these cases the buffered
 * rest is dropped. Ends the second thread: call this before fork(2).
 */
int tsh_out_flush(struct tsh_out *out);
/*
 * Makes tsh_out_write_some write only what does not block, for output that must not wait for a slow
 * reader (a pager, ssh, a serial line). Does not change the flags of `fd`, which other processes
 * share: opens a pipe or a terminal a second time, and uses MSG_DONTWAIT for a socket. Without
 * /proc, writes pieces that fit according to poll(2).
 */
void tsh_out_begin_nonblocking(struct tsh_out *out);
/*
 * Prepares for printing what happens now; to be called after tsh_out_begin_nonblocking. Gives a
 * pipe its smallest size. Sets the modes of a terminal so that typed keys cannot break lines of
 * JSON and CSV: no echo, and Ctrl-C drops no output that the terminal has not printed yet.
 * tsh_out_end_live ends this.
 */
void tsh_out_begin_live(struct tsh_out *out);
/* Ends what tsh_out_begin_nonblocking and tsh_out_begin_live began; keeps what is buffered. */
void tsh_out_end_live(struct tsh_out *out);
/*
 * Writes what is buffered. After tsh_out_begin_nonblocking, writes only what does not block, and
 * returns how many bytes are still buffered. Otherwise does tsh_out_flush and returns 0; with a
 * second thread, returns before all is written. After an error, or when the reader has gone, drops
 * the rest.
 */
size_t tsh_out_write_some(struct tsh_out *out);
/* Says whether the reader of a pipe, socket or terminal has gone away, and sets closed. */
bool tsh_out_check_reader(struct tsh_out *out);
/* Drops what is buffered, and counts the events of these lines in unprinted. */
void tsh_out_drop_buffered(struct tsh_out *out);
/* Notes the end of an event's text, so that `unprinted` counts the event if it is dropped. To be
 * called when the event cannot be read again. */
static inline void tsh_out_add_event(struct tsh_out *out)
{
	/* counts the event as unprinted: its text was dropped, like all output after an error */
	if (out->error)
		out->unprinted++;
	else
		*tsh_vec_push(&out->ends) = out->bytes + out->queued + out->data.len;
}
/* Returns the descriptor to poll for POLLOUT when tsh_out_write_some has left something. */
int tsh_out_poll_fd(const struct tsh_out *out);
/* Flushes for tsh_out_flush_if_full. */
int tsh_out_flush_full_(struct tsh_out *out);
/*
 * Flushes when more than 64 KB are buffered; after tsh_out_begin_nonblocking only what does not
 * block. For a regular file, starts a second thread if there is a CPU for it, which writes 256 KB
 * at a time until the next tsh_out_flush. Then `bytes`, and some errors, are only known at that
 * flush.
 */
static inline int tsh_out_flush_if_full(struct tsh_out *out)
{
	return out->data.len > out->full ? tsh_out_flush_full_(out) : -out->error;
}
/* Appends what another output has buffered, and its ends of events, and leaves that one empty; then
 * does tsh_out_flush_if_full. */
void tsh_out_append(struct tsh_out *out, struct tsh_out *from);
/* Flushes for the last time. Returns 0, or -1 with "cannot write 'NAME': No space left on
 * device". */
int tsh_out_finish(struct tsh_out *out, struct tsh_err *err);

/* Says whether the kernel format is written byte for byte: not when a terminal shows it, also
 * through a pager, a job of the prompt, or a program behind '|'. */
static inline bool tsh_out_is_raw(const struct tsh_out *out)
{
	return out->format == TSH_FORMAT_KERNEL && out->may_be_raw;
}
/* Writes a text that a program will read, in any format: byte for byte, but sanitized line by
 * line when a terminal shows it. */
void tsh_out_script(struct tsh_out *out, const char *text, size_t len);
/*
 * Writes complete lines of the kernel's text, sanitized, with their newlines. In JSON each line is
 * an object {"type":"text","text":".."}, in CSV a cell. The kernel format is byte for byte if
 * tsh_out_is_raw.
 */
void tsh_out_text(struct tsh_out *out, const char *text, size_t len);
/* Writes one line of our own to stdout (nothing in JSON and CSV), sanitized as a whole. */
void tsh_out_line(struct tsh_out *out, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* Prints a note to the user: what was done, or what to expect; sanitized as a whole. Writes what
 * is buffered for a terminal first, so that both appear in order. */
void tsh_out_note(struct tsh_out *out, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* Prints a note that -q does not suppress. */
void tsh_out_warn(struct tsh_out *out, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* Returns the escape sequence that begins a style; "" without colour, and in formats other than
 * text. TSH_STYLE_NONE ends a style. */
const char *tsh_out_style(const struct tsh_out *out, enum tsh_style style);
/* Returns a style for a task: always the same for a pid, and mostly different for another. */
const char *tsh_out_task_style(const struct tsh_out *out, int pid);

/* Appends a CSV cell: sanitized, so that a row is one line; quoted by RFC 4180; with a ' before
 * what a spreadsheet would run as a formula (it begins with = + - @ TAB CR, and is no number). */
void tsh_csv_cell(struct tsh_strbuf *out, const char *text, size_t len);
/* Makes a cell of what `out` has from `begin` on. */
void tsh_csv_make_cell(struct tsh_strbuf *out, size_t begin);

/*
 * Prints tables, as rows of cells. Text (and the kernel format): aligned columns, two blanks apart,
 * with a header on a terminal; all rows are kept until the end. With one column, or after
 * tsh_table_set_plain: only the cells, separated by a tab, each row at once (one column still has
 * its header on a terminal). JSON: an object for each row, with "type":.type first. CSV: a header,
 * and RFC 4180 rows that end in LF. Missing cells at the end of a row are empty, in JSON null.
 */
enum tsh_column_kind { TSH_COLUMN_TEXT, TSH_COLUMN_NUMBER, TSH_COLUMN_SIZE, TSH_COLUMN_BOOL };
struct tsh_column {
	const char *name;	/* key in JSON and header in CSV; in text the header, in capitals */
	enum tsh_column_kind kind;
};
struct tsh_table;

/* Begins a table. `columns` ends with an entry without a name, and must outlive the table. */
struct tsh_table *tsh_table_begin(struct tsh_out *out, const char *type,
				  const struct tsh_column *columns);
/* Does the same, but prints no header in CSV, where rows of the same columns are above. */
struct tsh_table *tsh_table_continue(struct tsh_out *out, const char *type, const struct tsh_column *columns);
/* Switches header and alignment of text off, also on a terminal. To be called before the first
 * row. */
void tsh_table_set_plain(struct tsh_table *table);
/* Prints a header in text also when the output is no terminal, because the numbers need one.
 * Does not apply to a table of one column. */
void tsh_table_set_titled(struct tsh_table *table);
void tsh_table_row(struct tsh_table *table);		/* begins a row */
void tsh_table_text(struct tsh_table *table, const char *text);	/* NULL: empty, or null */
/* Begins a row and fills its first cells with these texts. */
#define tsh_table_texts(table, ...) tsh_table_texts_((table), (const char *const []){ __VA_ARGS__ }, \
	sizeof((const char *const []){ __VA_ARGS__ }) / sizeof(const char *))
void tsh_table_texts_(struct tsh_table *table, const char *const texts[], size_t n);
void tsh_table_number(struct tsh_table *table, uint64_t value);
/* Adds "*" or "" in text; otherwise true or false. */
void tsh_table_bool(struct tsh_table *table, bool value);
/* Prints the rows that were kept for alignment, and frees the table. */
void tsh_table_end(struct tsh_table *table);

struct tsh_fields;

/* Begins a list of named fields, which tsh_fields_end prints: in text lines "name: value", values
 * aligned; in JSON one object; in CSV a header and one row. */
struct tsh_fields *tsh_fields_begin(struct tsh_out *out, const char *type);
void tsh_fields_text(struct tsh_fields *f, const char *name, const char *text);
void tsh_fields_number(struct tsh_fields *f, const char *name, uint64_t value);
void tsh_fields_end(struct tsh_fields *f);

#endif
