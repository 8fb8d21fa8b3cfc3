/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "decoder-process.h"

#ifdef LIBTRACEEVENT_VERSION
#include <ctype.h>
#include <dlfcn.h>
#include <event-parse.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <trace-seq.h>
#include <unistd.h>

#include "base/apart.h"
#include "base/process.h"
#include "base/safe-file.h"
#include "base/strbuf.h"
#include "base/vec.h"
#include "base/xmalloc.h"
#include "confine.h"

/* Is how many zeros stand behind a record, for code that reads too far. */
#define PADDING 4096

/* Limits the functions that one event may name. */
#define SYMBOLS_KEPT 64

/* Holds a plugin, with a handle of its own, so that it is known which one prints an event. */
struct plugin {
	char *name;
	struct tep_handle *tep;
	bool is_wrong;
};

struct theirs {
	int fd;
	struct decoder_begin begin;
	char *strings;				/* printk_formats */
	char *symbols[SYMBOLS_KEPT];	/* the last ones that were asked for, because the library makes no copy */
	size_t nsymbols;
	struct tep_handle *plain;
	TSH_VEC(struct plugin) plugins;
	TSH_VEC(struct tep_handle *) known;	/* indexed by number - 1 */
};

static bool read_all(int fd, void *to, size_t len)
{
	size_t got = 0;

	while (got < len) {
		ssize_t n = read(fd, (char *)to + got, len - got);

		if (n <= 0)
			return false;
		got += (size_t)n;
	}
	return true;
}

/* Finds the function at an address, for tep_set_function_resolver(3). Returns NULL when it is
 * unknown. */
static char *resolve(void *ctx, unsigned long long *address, char **ret_module)
{
	struct theirs *t = ctx;
	struct decoder_head head = { .number = DECODER_SYMBOL, .stamp = *address };
	char **symbol, *module;

	if (tsh_write_all(t->fd, (const char *)&head, sizeof(head)) < 0 || !read_all(t->fd, &head, sizeof(head)) ||
	    head.len > DECODER_BYTES_MAX)
		_exit(1);
	symbol = &t->symbols[t->nsymbols++ % SYMBOLS_KEPT];
	free(*symbol);
	*symbol = tsh_xcalloc(1, head.len + 2);
	if (!read_all(t->fd, *symbol, head.len))
		_exit(1);
	*address = head.stamp;
	module = *symbol + strlen(*symbol) + 1;
	*ret_module = *module ? module : NULL;
	return head.len ? *symbol : NULL;
}

static struct tep_handle *new_handle(struct theirs *t)
{
	struct tep_handle *tep = tep_alloc();

	if (!tep)
		_exit(1);
	tep_set_long_size(tep, (int)t->begin.long_size);
	tep_set_local_bigendian(tep, __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? TEP_BIG_ENDIAN : TEP_LITTLE_ENDIAN);
	tep_set_file_bigendian(tep, t->begin.big_endian ? TEP_BIG_ENDIAN : TEP_LITTLE_ENDIAN);
	(void)tep_set_function_resolver(tep, resolve, t);
	(void)tep_parse_printk_formats(tep, t->strings);
	return tep;
}

/*
 * Says whether a plugin's texts differ from the kernel's: milliseconds that are jiffies (jbd2),
 * fields that present events do not have, or bits of another kernel (kvm). Found by comparing with
 * the kernel's own text.
 */
static bool is_wrong(const char *name)
{
	static const char *const wrong[] = { "hrtimer", "jbd2", "kmem", "kvm", "sched_switch", "tlb" };
	size_t i;

	for (i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		if (!strcmp(name, wrong[i]))
			return true;
	return false;
}

/* Returns "scsi" for "plugin_scsi.so". */
static char *plugin_name(const char *file)
{
	const char *begin = strncmp(file, "plugin_", 7) ? file : file + 7;

	return tsh_xasprintf("%.*s", (int)strcspn(begin, "."), begin);
}

/* Loads a plugin that libtraceevent has found, if nobody else can write to it. */
static void load_plugin(struct tep_handle *unused, const char *folder, const char *file, void *ctx)
{
	struct theirs *t = ctx;
	char *path = tsh_xasprintf("%s/%s", folder, file);
	tep_plugin_load_func load = NULL;
	struct stat st;
	void *object = NULL;

	(void)unused;
	if (!stat(path, &st) && tsh_is_safe(&st))
		object = dlopen(path, RTLD_NOW);
	if (object)
		load = (tep_plugin_load_func)dlsym(object, TEP_PLUGIN_LOADER_NAME);
	if (load) {
		struct plugin plugin = { .name = plugin_name(file), .tep = new_handle(t) };

		plugin.is_wrong = is_wrong(plugin.name);
		if (!load(plugin.tep))
			*tsh_vec_push(&t->plugins) = plugin;
	}
	free(path);
}

/* ---- words that the parser does not know, and takes for 0 ---- */

/*
 * Says whether a word is a name that only the kernel knows, neither a number nor one of the
 * format's own texts. Returns false for `p`, the kernel's output buffer, which some functions get.
 */
static bool is_name(const char *text, const char *word)
{
	char *quoted;
	bool is_text;

	if (!word || !strcmp(word, "p") || !(isalpha((unsigned char)*word) || *word == '_'))
		return false;
	quoted = tsh_xasprintf("\"%s\"", word);
	is_text = strstr(text, quoted) != NULL;
	free(quoted);
	return !is_text;
}

static bool has_name(const char *text, const struct tep_print_flag_sym *row)
{
	while (row && !is_name(text, row->value))
		row = row->next;
	return row != NULL;
}

static bool is_guess(const char *text, const struct tep_print_arg *arg)
{
	for (; arg; arg = arg->next) {
		bool guess = false;

		if (arg->type == TEP_PRINT_ATOM)
			guess = is_name(text, arg->atom.atom);
		else if (arg->type == TEP_PRINT_FLAGS)
			guess = is_guess(text, arg->flags.field) || has_name(text, arg->flags.flags);
		else if (arg->type == TEP_PRINT_SYMBOL)
			guess = is_guess(text, arg->symbol.field) || has_name(text, arg->symbol.symbols);
		else if (arg->type == TEP_PRINT_TYPE)
			guess = is_guess(text, arg->typecast.item);
		else if (arg->type == TEP_PRINT_OP)
			guess = is_guess(text, arg->op.left) || is_guess(text, arg->op.right);
		else if (arg->type == TEP_PRINT_FUNC)
			guess = is_guess(text, arg->func.args);
		if (guess)
			return true;
	}
	return false;
}

/* ---- answers ---- */

static const struct tep_event *parse(struct tep_handle *tep, unsigned int id, const char *system, const char *text)
{
	(void)tep_parse_event(tep, text, strlen(text), system);
	return tep_find_event(tep, (int)id);
}

static bool is_good(const struct theirs *t, const struct decoder_head *head, const struct tep_event *event,
		    const char *text)
{
	return !(event->flags & TEP_EVENT_FL_FAILED) &&
	       (t->begin.all || (!head->is_doubtful && !is_guess(text, event->print_fmt.args)));
}

/* Finds a printer for an event; NULL: there is none. *ret_plugin is NULL for the library itself. */
static struct tep_handle *find_printer(struct theirs *t, const struct decoder_head *head, const char *system,
				       const char *text, const char **ret_plugin)
{
	const struct tep_event *event;
	struct tep_handle *plain = NULL;
	size_t i;

	*ret_plugin = NULL;
	event = parse(t->plain, head->id, system, text);
	if (event && is_good(t, head, event, text))
		plain = t->plain;
	/* with `all`, plugins come before the library, as in other programs that use it */
	for (i = 0; (t->begin.all || !plain) && i < t->plugins.n; i++) {
		const struct plugin *plugin = &t->plugins.v[i];

		event = plugin->is_wrong && !t->begin.all ? NULL : parse(plugin->tep, head->id, system, text);
		if (event && (event->handler || (!plain && is_good(t, head, event, text)))) {
			*ret_plugin = plugin->name;
			return plugin->tep;
		}
	}
	return plain;
}

static uint32_t accept_format(struct theirs *t, const struct decoder_head *head, const char *system,
			      struct tsh_strbuf *who)
{
	const char *plugin, *text = system + strlen(system) + 1;
	struct tep_handle *tep = find_printer(t, head, system, text, &plugin);

	if (!tep)
		return 0;
	*tsh_vec_push(&t->known) = tep;
	tsh_strbuf_addf(who, plugin ? "libtraceevent's plugin %s" : "libtraceevent", plugin);
	return (uint32_t)t->known.n;
}

static uint32_t print(struct theirs *t, const struct decoder_head *head, char *data, struct tsh_strbuf *text)
{
	struct tep_record rec = { .ts = head->stamp, .size = (int)head->len, .record_size = (int)head->len,
				  .data = data, .cpu = head->cpu, .ref_count = 1 };
	struct trace_seq seq;
	bool good;

	if (head->number > t->known.n)
		return 0;
	trace_seq_init(&seq);
	tep_print_event(t->known.v[head->number - 1], &seq, &rec, "%s", TEP_PRINT_INFO);
	good = seq.state == TRACE_SEQ__GOOD && seq.len > 0;
	if (good)
		tsh_strbuf_add(text, seq.buffer, seq.len);
	trace_seq_destroy(&seq);
	while (text->len && text->buf[text->len - 1] == '\n')
		tsh_strbuf_truncate(text, text->len - 1);
	return good;
}

void decoder_serve(int fd, pid_t parent)
{
	struct theirs t = { .fd = fd };
	struct tsh_strbuf said = TSH_STRBUF_INIT;
	struct decoder_head head;

	tsh_apart_begin(fd, parent);
	tsh_process_rename("trsh-decoders");
	if (!read_all(fd, &t.begin, sizeof(t.begin)) || t.begin.strings > DECODER_BYTES_MAX)
		_exit(0);
	t.strings = tsh_xcalloc(1, t.begin.strings + 1);
	if (!read_all(fd, t.strings, t.begin.strings))
		_exit(0);
	if (!confine_user())
		_exit(1);
	tep_set_loglevel(TEP_LOG_NONE);
	t.plain = new_handle(&t);
	tep_load_plugins_hook(t.plain, ".so", load_plugin, &t);
	confine_process();
	while (read_all(fd, &head, sizeof(head)) && head.len <= DECODER_BYTES_MAX) {
		struct decoder_head answer = { 0 };
		char *bytes = tsh_xcalloc(1, head.len + PADDING);

		if (!read_all(fd, bytes, head.len))
			break;
		tsh_strbuf_clear(&said);
		answer.number = head.number ? print(&t, &head, bytes, &said) : accept_format(&t, &head, bytes, &said);
		answer.len = (uint32_t)said.len;
		free(bytes);
		if (tsh_write_all(fd, (const char *)&answer, sizeof(answer)) < 0 ||
		    tsh_write_all(fd, said.buf, said.len) < 0)
			break;
	}
	_exit(0);
}
#endif
