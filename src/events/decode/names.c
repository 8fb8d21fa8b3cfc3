/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "names.h"

#include <stdlib.h>
#include <string.h>

#include "base/now.h"
#include "base/strbuf.h"
#include "base/utf8.h"
#include "base/vec.h"
#include "base/xmalloc.h"

#define CACHE_LINE	64
#define NAMES_MIN	256	/* slots; a power of two */
#define NAMES_MAX	(1U << 17)	/* a power of two; at most half of it is used */
/*
 * Limits the reading of saved_cmdlines for unknown tasks to 1/SAVED_PART of the time. The kernel
 * saves a task's name when it is switched out, after its first events. It saves no name while a
 * program reads the file (trace_cmdline_lock).
 */
#define SAVED_PART	20

enum name_source {
	NAME_NONE,		/* not known */
	NAME_ASKED,		/* from saved_cmdlines or the provider: it may be old */
	NAME_LEARNED,		/* from an event: right at that time */
};

struct name {
	_Alignas(CACHE_LINE) int pid;	/* 0: a free slot; idle tasks need none */
	int tgid;
	/* generation in which the name was asked for; asked_tgid: the tgid */
	unsigned int asked;
	unsigned int asked_tgid;
	/* value of tsh_names.saved_reads when the name was asked for */
	unsigned int saved_reads;
	unsigned int doubted;		/* value of tsh_names.doubted when the name was set */
	unsigned char source;
	bool is_passed;		/* known from the stream when later records are read */
	uint64_t born;		/* stamp of its birth; 0: unknown */
	/* stamp of the later record that the name is from; 0: it is from no later record */
	uint64_t foreseen;
	char comm[TSH_COMM_SIZE];
};

struct tsh_names {
	const struct tsh_provider *provider;
	bool saved_only;
	bool tells_births;		/* an event has started a task, so `born` is used */
	bool tells_all;			/* tsh_names_set_complete was called */
	struct tsh_name_ops *log;	/* see tsh_names_set_log; or NULL */
	unsigned int doubted;		/* how often tsh_names_doubt was called */
	unsigned int version;		/* version of all columns */
	/* Reads all later records (tsh_names_learn_ahead), before the first name is asked for; NULL: it has
	 * done so, or need not. */
	void (*ahead)(void *ctx);
	void *ahead_ctx;
	struct tsh_task_columns *columns;
	struct tsh_strbuf long_column;	/* a column that is too long when it is escaped */
	struct name *slots;
	size_t nslots;
	size_t used;
	unsigned int generation;
	struct tsh_saved_comms saved;	/* sorted by pid */
	unsigned int saved_generation, saved_reads;
	/* saved_cmdlines is not read again before this time (CLOCK_MONOTONIC, ns) */
	int64_t saved_until;
};

static void set_comm(char ret[TSH_COMM_SIZE], const char *comm, size_t len)
{
	if (len > TSH_COMM_SIZE - 1)
		len = TSH_COMM_SIZE - 1;
	len = strnlen(comm, len);
	memcpy(ret, comm, len);
	memset(ret + len, 0, TSH_COMM_SIZE - len);
}

/* Appends a change to the log. comm NULL: the op has none. */
static void log_change(struct tsh_names *names, struct tsh_name_op op, const char *comm, size_t len)
{
	if (!names->log)
		return;
	op.has_comm = comm;
	if (comm)
		set_comm(op.comm, comm, len);
	*tsh_vec_push(names->log) = op;
}

/* ---- saved_cmdlines ---- */

static bool is_comm(const char name[TSH_COMM_SIZE], const char *comm, size_t len)
{
	size_t have = strlen(name);

	return have <= len && !memcmp(name, comm, have) && (have == len || !comm[have]);
}

static int by_pid(const void *a, const void *b)
{
	const struct tsh_saved_comm *x = a, *y = b;

	return (x->pid > y->pid) - (x->pid < y->pid);
}

/* Says whether the saved names are too old: the pid of a new task may have been another task's when
 * they were read. */
static bool is_saved_old(const struct tsh_names *names)
{
	return names->saved_generation != names->generation ||
	       (names->provider->tasks_change &&
		tsh_now_ns(CLOCK_MONOTONIC) >= names->saved_until);
}

/* Chooses between two saved names of one task: stores the certain one in `kept`, or
 * TSH_COMM_UNKNOWN when both are equally certain. */
static void choose_certain(struct tsh_saved_comm *kept, const struct tsh_saved_comm *other)
{
	if (kept->doubtful && !other->doubtful) {
		*kept = *other;
	} else if (kept->doubtful == other->doubtful) {
		set_comm(kept->comm, TSH_COMM_UNKNOWN, strlen(TSH_COMM_UNKNOWN));
		kept->doubtful = true;
	}
}

static void load_saved(struct tsh_names *names)
{
	int64_t begin, cost;
	char *text;
	size_t i, n = 0;

	if (!is_saved_old(names))
		return;
	names->saved_generation = names->generation;
	names->saved_reads++;
	names->saved.n = 0;
	begin = tsh_now_ns(CLOCK_MONOTONIC);
	text = names->provider->cmdlines ? names->provider->cmdlines(names->provider->ctx) : NULL;
	if (text)
		tsh_saved_comms_parse(&names->saved, text);
	free(text);
	cost = tsh_now_ns(CLOCK_MONOTONIC) - begin;
	names->saved_until = begin + cost * SAVED_PART;
	if (!names->saved.n)
		return;
	qsort(names->saved.v, names->saved.n, sizeof(*names->saved.v), by_pid);
	/* The kernel saves one name for each task. When there are two, a task has forged one by a
	 * newline in its own name. */
	for (i = 0; i < names->saved.n; i++) {
		if (n && names->saved.v[n - 1].pid == names->saved.v[i].pid)
			choose_certain(&names->saved.v[n - 1], &names->saved.v[i]);
		else
			names->saved.v[n++] = names->saved.v[i];
	}
	names->saved.n = n;
}

static const struct tsh_saved_comm *find_saved(struct tsh_names *names, int pid)
{
	struct tsh_saved_comm key = { .pid = pid };

	load_saved(names);
	return names->saved.n ? bsearch(&key, names->saved.v, names->saved.n,
					sizeof(*names->saved.v), by_pid) : NULL;
}

/* ---- the table ---- */

static struct name *find_slot(struct name *slots, size_t nslots, int pid)
{
	size_t i = (uint32_t)pid * 0x9e3779b1U >> 7 & (nslots - 1);

	while (slots[i].pid && slots[i].pid != pid)
		i = (i + 1) & (nslots - 1);
	return &slots[i];
}

/* Makes a table in which no slot lies in two lines of the cache. */
static struct name *new_slots(size_t nslots)
{
	struct name *slots = tsh_xaligned(CACHE_LINE, nslots * sizeof(*slots));

	memset(slots, 0, nslots * sizeof(*slots));
	return slots;
}

static void grow(struct tsh_names *names)
{
	size_t nslots = names->nslots * 2, i;
	struct name *slots;

	/* Empties a full table. Most of its tasks have ended long ago; names of the others are
	 * asked for again. */
	if (names->nslots == NAMES_MAX) {
		memset(names->slots, 0, names->nslots * sizeof(*names->slots));
		names->used = 0;
		return;
	}
	slots = new_slots(nslots);
	for (i = 0; i < names->nslots; i++)
		if (names->slots[i].pid)
			*find_slot(slots, nslots, names->slots[i].pid) = names->slots[i];
	free(names->slots);
	names->slots = slots;
	names->nslots = nslots;
}

/* Returns the slot of a task; makes one when it has none. */
static struct name *get_slot(struct tsh_names *names, int pid)
{
	struct name *name = find_slot(names->slots, names->nslots, pid);

	if (name->pid)
		return name;
	if (names->used >= names->nslots / 2) {
		grow(names);
		name = find_slot(names->slots, names->nslots, pid);
	}
	name->pid = pid;
	name->tgid = -1;
	names->used++;
	return name;
}

/* Reads later records, if that was put off. The stream has learnt names since its beginning: these
 * are newer than what the records say of the time before them. */
static void read_ahead(struct tsh_names *names)
{
	void (*ahead)(void *ctx) = names->ahead;
	size_t i;

	names->ahead = NULL;
	if (!ahead || names->saved_only)
		return;
	for (i = 0; i < names->nslots; i++)
		names->slots[i].is_passed = names->slots[i].source != NAME_NONE;
	ahead(names->ahead_ctx);
	for (i = 0; i < names->nslots; i++)
		names->slots[i].is_passed = false;
}

/* Says whether a name is unknown; it may be known soon. */
static bool is_unknown(const struct tsh_names *names, int pid)
{
	return pid > 0 && find_slot(names->slots, names->nslots, pid)->source == NAME_NONE;
}

/* Says whether a name was learnt, but a change of it may have been lost. */
static bool is_doubtful(const struct tsh_names *names, const struct name *name)
{
	return name->source != NAME_NONE && name->doubted != names->doubted;
}

/* ---- columns ---- */

static struct tsh_task_column *column_of(const struct tsh_names *names, int pid)
{
	return &names->columns->of[(unsigned int)pid % TSH_TASK_COLUMNS];
}

static void forget_column(struct tsh_names *names, int pid)
{
	struct tsh_task_column *column = column_of(names, pid);

	names->version++;
	if (column->pid == pid)
		column->len = 0;
}

static void forget_columns(struct tsh_names *names)
{
	names->version++;
	memset(names->columns->of, 0, sizeof(names->columns->of));
}

static void make_column(struct tsh_names *names, int pid, bool raw, struct tsh_strbuf *out)
{
	const char *comm = tsh_names_comm(names, pid);
	struct tsh_strbuf text = TSH_STRBUF_INIT;
	size_t pad;

	if (raw)
		tsh_strbuf_adds(&text, comm);
	else
		tsh_sanitize(&text, comm, strlen(comm));
	tsh_strbuf_clear(out);
	pad = text.len < TSH_COMM_SIZE ? TSH_COMM_SIZE - text.len : 0;
	tsh_strbuf_addn(out, ' ', pad);
	tsh_strbuf_addf(out, "%s-%-7d ", text.buf, pid);
	tsh_strbuf_release(&text);
}

const char *tsh_names_column(struct tsh_names *names, int pid, bool raw, size_t *ret_len)
{
	const struct tsh_task_column *known = tsh_task_columns_find(names->columns, pid);
	struct tsh_task_column *column = column_of(names, pid);
	struct tsh_strbuf *text = &names->long_column;

	if (known) {
		*ret_len = known->len;
		return known->text;
	}
	make_column(names, pid, raw, text);
	*ret_len = text->len;
	if (text->len > sizeof(column->text) || is_unknown(names, pid)) {
		tsh_strbuf_addn(text, ' ', TSH_TASK_COLUMN);
		return text->buf;
	}
	column->pid = pid;
	column->len = (unsigned char)text->len;
	memcpy(column->text, text->buf, text->len);
	return column->text;
}

/* ---- public functions ---- */

struct tsh_names *tsh_names_new(const struct tsh_provider *provider)
{
	struct tsh_names *names = tsh_xcalloc(1, sizeof(*names));

	names->provider = provider;
	names->generation = 1;
	names->nslots = NAMES_MIN;
	names->slots = new_slots(names->nslots);
	names->columns = tsh_xcalloc(1, sizeof(*names->columns));
	tsh_strbuf_init(&names->long_column);
	return names;
}

void tsh_names_free(struct tsh_names *names)
{
	if (!names)
		return;
	tsh_vec_release(&names->saved);
	tsh_strbuf_release(&names->long_column);
	free(names->columns);
	free(names->slots);
	free(names);
}

bool tsh_names_repeats(const struct tsh_names *names, int pid, const char *comm, size_t len)
{
	const struct name *name;
	uint64_t known[2], other[2];

	if (pid <= 0 || names->saved_only)
		return true;
	name = find_slot(names->slots, names->nslots, pid);
	if (name->source != NAME_LEARNED || name->foreseen || name->doubted != names->doubted)
		return false;
	if (len != TSH_COMM_SIZE)
		return len && len < TSH_COMM_SIZE && !comm[len - 1] && !memcmp(name->comm, comm, len);
	memcpy(known, name->comm, sizeof(known));
	memcpy(other, comm, sizeof(other));
	return known[0] == other[0] && known[1] == other[1];
}

void tsh_names_learn(struct tsh_names *names, int pid, const char *comm, size_t len)
{
	struct name *name;
	bool same;

	if (pid <= 0 || names->saved_only)
		return;
	name = get_slot(names, pid);
	same = name->source == NAME_LEARNED && is_comm(name->comm, comm, len);
	if (!same || name->foreseen || name->doubted != names->doubted)
		log_change(names, (struct tsh_name_op){ .kind = TSH_NAME_LEARN, .pid = pid }, comm, len);
	name->foreseen = 0;
	name->doubted = names->doubted;
	if (same)
		return;
	name->source = NAME_LEARNED;
	set_comm(name->comm, comm, len);
	forget_column(names, pid);
}

void tsh_names_guess(struct tsh_names *names, int pid, const char *comm, size_t len, bool ends)
{
	struct name *name;

	if (pid <= 0 || names->saved_only)
		return;
	log_change(names, (struct tsh_name_op){ .kind = TSH_NAME_GUESS, .pid = pid, .ends = ends }, comm, len);
	name = get_slot(names, pid);
	name->foreseen = 0;
	name->doubted = names->doubted;
	name->source = NAME_ASKED;
	name->asked = ends ? names->generation : 0;
	set_comm(name->comm, comm, len);
	forget_column(names, pid);
}

void tsh_names_note_birth(struct tsh_names *names, int pid, uint64_t stamp)
{
	log_change(names, (struct tsh_name_op){ .kind = TSH_NAME_BIRTH, .pid = pid, .stamp = stamp }, NULL, 0);
	if (pid > 0)
		get_slot(names, pid)->born = stamp;
	names->tells_births = true;
}

uint64_t tsh_names_birth(const struct tsh_names *names, int pid)
{
	return names->tells_births && pid > 0 ? find_slot(names->slots, names->nslots, pid)->born : 0;
}

void tsh_names_set_first(struct tsh_names *names, int pid, const char *comm)
{
	read_ahead(names);
	if (pid > 0 && get_slot(names, pid)->source == NAME_NONE)
		tsh_names_guess(names, pid, comm, strlen(comm), true);
}

void tsh_names_learn_ahead(struct tsh_names *names, int pid, uint64_t stamp, const char *comm,
			   size_t len)
{
	struct name *name;
	bool doubtful;

	if (pid <= 0 || names->saved_only)
		return;
	name = get_slot(names, pid);
	if (name->is_passed)
		return;
	doubtful = is_doubtful(names, name);
	/* A name from an event stays. Of two later records the earlier one counts. */
	if (name->source == NAME_LEARNED && !doubtful && stamp >= name->foreseen)
		return;
	log_change(names, (struct tsh_name_op){ .kind = TSH_NAME_AHEAD, .pid = pid, .stamp = stamp }, comm, len);
	if (comm)
		set_comm(name->comm, comm, len);
	else if (name->source != NAME_ASKED || doubtful)
		set_comm(name->comm, TSH_COMM_UNKNOWN, strlen(TSH_COMM_UNKNOWN));
	name->source = NAME_LEARNED;
	name->doubted = names->doubted;
	name->foreseen = stamp;
	forget_column(names, pid);
}

void tsh_names_set_ahead(struct tsh_names *names, void (*ahead)(void *ctx), void *ctx)
{
	names->ahead = ahead;
	names->ahead_ctx = ctx;
}

void tsh_names_each(struct tsh_names *names, void (*each)(void *ctx, int pid, const char *comm), void *ctx)
{
	size_t i;

	read_ahead(names);
	for (i = 0; i < names->nslots; i++)
		if (names->slots[i].pid && names->slots[i].source != NAME_NONE)
			each(ctx, names->slots[i].pid, names->slots[i].comm);
}

void tsh_names_set_complete(struct tsh_names *names)
{
	log_change(names, (struct tsh_name_op){ .kind = TSH_NAME_COMPLETE }, NULL, 0);
	names->tells_all = true;
}

void tsh_names_doubt(struct tsh_names *names)
{
	log_change(names, (struct tsh_name_op){ .kind = TSH_NAME_DOUBT }, NULL, 0);
	names->tells_all = false;
	names->doubted++;
	forget_columns(names);
}

void tsh_names_set_log(struct tsh_names *names, struct tsh_name_ops *log)
{
	names->log = log;
}

void tsh_names_copy(struct tsh_names *to, struct tsh_names *from)
{
	read_ahead(from);
	free(to->slots);
	to->slots = new_slots(from->nslots);
	memcpy(to->slots, from->slots, from->nslots * sizeof(*to->slots));
	to->nslots = from->nslots;
	to->used = from->used;
	to->generation = from->generation;
	to->tells_births = from->tells_births;
	to->tells_all = from->tells_all;
	to->doubted = from->doubted;
	to->saved_only = from->saved_only;
}

/* Says whether a task was unknown before. */
static bool is_news(const struct tsh_names *names, const struct name *name)
{
	return name->asked != names->generation || name->saved_reads != names->saved_reads ||
	       is_saved_old(names);
}

/*
 * Asks for the name of a task. When no source knows it any more, the old name stays, unless it is
 * doubtful. The provider is asked first: /proc knows living tasks, and a recording knows tasks that
 * lived during it. saved_cmdlines may have the name of another task that had the pid before.
 */
static void ask_for_name(struct tsh_names *names, struct name *name)
{
	const struct tsh_provider *provider = names->provider;
	char comm[TSH_COMM_SIZE];
	bool knows = !names->saved_only && provider->comm &&
		     provider->comm(provider->ctx, name->pid, comm);
	const struct tsh_saved_comm *saved = knows ? NULL : find_saved(names, name->pid);
	bool trusts = names->saved_only || provider->tasks_change || !provider->comm;
	bool doubtful = is_doubtful(names, name);

	name->asked = names->generation;
	name->doubted = names->doubted;
	name->saved_reads = names->saved_reads;
	if (name->source == NAME_NONE)
		forget_column(names, name->pid);
	if (knows || (saved && (trusts || !saved->doubtful))) {
		set_comm(name->comm, knows ? comm : saved->comm, TSH_COMM_SIZE);
		name->source = NAME_ASKED;
	} else if (doubtful) {
		name->source = NAME_NONE;
	}
}

/* Says whether other sources may know the name better by now. */
static bool is_old(const struct tsh_names *names, const struct name *name)
{
	switch (name->source) {
	case NAME_NONE:
		return is_news(names, name);
	case NAME_LEARNED:
		return is_doubtful(names, name);
	default:
		return is_doubtful(names, name) || (name->asked != names->generation && !names->tells_all);
	}
}

const char *tsh_names_comm(struct tsh_names *names, int pid)
{
	struct name *name;

	/* as in __trace_find_cmdline */
	if (pid <= 0)
		return pid ? "<XXX>" : TSH_COMM_IDLE;
	if (++names->columns->lookups >= TSH_TASK_LOOKUPS)
		tsh_names_refresh(names);
	name = get_slot(names, pid);
	if (names->ahead && name->source == NAME_NONE) {
		read_ahead(names);
		name = get_slot(names, pid);
	}
	if (is_old(names, name))
		ask_for_name(names, name);
	return name->source == NAME_NONE ? TSH_COMM_UNKNOWN : name->comm;
}

int tsh_names_tgid(struct tsh_names *names, int pid)
{
	struct name *name;
	int tgid;

	if (pid <= 0 || !names->provider->tgid)
		return -1;
	name = get_slot(names, pid);
	if (name->asked_tgid != names->generation) {
		name->asked_tgid = names->generation;
		tgid = names->provider->tgid(names->provider->ctx, pid);
		if (tgid > 0)
			name->tgid = tgid;
	}
	return name->tgid;
}

void tsh_names_refresh(struct tsh_names *names)
{
	names->columns->lookups = 0;
	forget_columns(names);
	/* skips 0, which means "never" */
	if (!++names->generation)
		names->generation = 1;
}

void tsh_names_set_saved_only(struct tsh_names *names)
{
	names->saved_only = true;
	names->version++;
}

struct tsh_task_columns *tsh_names_columns(const struct tsh_names *names)
{
	return names->columns;
}

const unsigned int *tsh_names_version(const struct tsh_names *names)
{
	return &names->version;
}
