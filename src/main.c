/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/machine.h"
#include "base/suggest.h"
#include "base/utf8.h"
#include "cmd/table.h"
#include "help/help.h"
#include "library/library.h"
#include "output/output-file.h"
#include "program-options.h"
#include "shell/engine.h"
#include "tracedat/trace-dat.h"
#include "ui/ui.h"

/* Options and wiring only. */

enum work_kind { WORK_COMMAND, WORK_FILE };

struct work {
	enum work_kind kind;
	const char *text;
};

struct options {
	struct tsh_engine_options engine;
	TSH_VEC(struct work) work;	/* -c and -f, in their order */
	const char *color;		/* auto, always, never */
	bool no_rc;
	bool has_output;		/* -o was given */
	bool complete;			/* print what can follow the operands */
};

/* Numbers the options for getopt_long(3), those without a letter. */
#define OPTION_VALUE 256

/* The options as getopt_long(3) wants them. */
struct getopt_tables {
	struct option longer[TSH_PROGRAM_OPTIONS + 1];
	char letters[2 + 2 * TSH_PROGRAM_OPTIONS + 1];
};

/* Begins with how getopt behaves: the first operand ends the options, and what lacks a value is told apart. */
static void fill_getopt_tables(struct getopt_tables *ret)
{
	struct option *longer = ret->longer;
	char *letter = ret->letters;
	int i;

	*ret = (struct getopt_tables){ 0 };
	letter = stpcpy(letter, "+:");
	for (i = 0; i < TSH_PROGRAM_OPTIONS; i++) {
		const struct tsh_program_option *o = &tsh_program_options[i];

		if (o->name)
			*longer++ = (struct option){ o->name + 2, o->values ? required_argument : no_argument, NULL,
						     OPTION_VALUE + i };
		if (o->shorter)
			letter = stpcpy(letter, o->shorter + 1);
		if (o->shorter && o->values)
			*letter++ = ':';
	}
}

/* Finds the option that getopt_long(3) has returned as c; NULL: there is none. */
static const struct tsh_program_option *option_of(int c)
{
	const struct tsh_program_option *o;

	if (c >= OPTION_VALUE)
		return &tsh_program_options[c - OPTION_VALUE];
	for (o = tsh_program_options; o->name || o->shorter; o++)
		if (o->shorter && o->shorter[1] == c)
			return o;
	return NULL;
}

static const char usage_text[] =
	"usage: tracesh [OPTION].. [COMMAND.. | FILE [ARG]..]\n"
	"  tracesh                                  the shell\n"
	"  tracesh stream sched_switch -n 10        one command\n"
	"  tracesh look.tsh 1234                    a batch file ('/' or '.' in its name)\n"
	"\n"
	"  -c COMMAND          run it; may be repeated\n"
	"  -f FILE             run a batch file; - is stdin\n"
	"  -i, -I INSTANCE     work in an instance; -I creates it when it is missing\n"
	"  -n, --check         parse and resolve everything, write nothing\n"
	"      --dry-run       print the writes as a script for sh, write nothing\n"
	"      --restore       take all changes back at the end\n"
	"      --keep-going    an error does not end the batch, nor take it back\n"
	"      --private       work in an instance of its own, which goes at the end\n"
	"      --read-only     refuse to write\n"
	"      --yes           do also what one would be asked about at the prompt\n"
	"      --tracefs DIR   another mount, a recording, a text of one\n"
	"      --format F      text, json, csv, kernel (--json is short for json)\n"
	"  -o FILE             write the output there; - is stdout\n"
	"      --time STYLE    wall, short, iso, utc, rel, delta[-cpu|-task], trace, none\n"
	"      --precision P   us or ns        --tz ZONE   Europe/Berlin, UTC\n"
	"      --columns LIST  of events in text, as time,comm,event,text\n"
	"      --show-error    the bound of its error behind each wall-clock time\n"
	"      --pool SIZE     memory for what is read and decoded, as 256K\n"
	"      --threads N     how many threads print or record: 1 to 64, or auto\n"
	"      --color WHEN    auto, always, never   --no-rc   without the rc files\n"
	"  -q quiet  -v show every write  -V version  -h this text\n"
	"\n"
	"An invocation is a transaction: an error or a signal takes its settings back.\n"
	"'tracesh help' lists the commands; the manual is tracesh(1).\n";

/* An option has printed what it was asked for: nothing else is to be done. */
#define OPTION_PRINTED (-1)

static int usage_error(const char *what, const char *value)
{
	char *clean = tsh_sanitize_dup(value);

	fprintf(stderr, "tracesh: error: %s '%s'\nTry 'tracesh --help'.\n", what, clean);
	free(clean);
	return TSH_USAGE;
}

static void print_version(void)
{
	char *libraries = tsh_library_versions();

	printf("tracesh %s (%s%s", PACKAGE_VERSION,
#ifdef HAVE_READLINE
	       "readline",
#else
	       "no readline",
#endif
	       libraries);
	free(libraries);
#ifdef STATIC_BINARY
	printf(", static");
#endif
	printf(")\n");
}

/* Prints an error while there is no engine yet. */
static void print_error(const struct tsh_err *err)
{
	char *message = tsh_sanitize_dup(err->message);

	fprintf(stderr, "tracesh: error: %s\n", message);
	free(message);
	if (!err->hint)
		return;
	message = tsh_sanitize_dup(err->hint);
	fprintf(stderr, "hint: %s\n", message);
	free(message);
}

/* Sets a setting for an option; its value is checked as `set` does. */
static int set_setting(struct options *opt, const char *name, const char *value)
{
	struct tsh_err err = { 0 };

	if (tsh_settings_assign(&opt->engine.settings, name, value, &err) == 0)
		return 0;
	print_error(&err);
	tsh_err_release(&err);
	return TSH_USAGE;
}

static void add_work(struct options *opt, enum work_kind kind, const char *text)
{
	struct work *work = tsh_vec_push(&opt->work);

	work->kind = kind;
	work->text = text;
}

/* Refuses what can be one place only. Of settings the last one counts: an alias of the shell's may have others. */
static int refuse_repeated(const char *option)
{
	fprintf(stderr, "tracesh: error: option '%s' given twice\nhint: remove one of the two\n", option);
	return TSH_USAGE;
}

/* Refuses two places to work in. */
static int check_place(const struct tsh_engine_options *engine)
{
	const char *option = engine->create_instance ? "-I" : "-i";

	if (!engine->private_instance || !engine->instance)
		return 0;
	fprintf(stderr, "tracesh: error: option '%s' beside '--private', which works in an instance of its own\n"
		"hint: remove one of the two\n", option);
	return TSH_USAGE;
}

/* Prints what a function makes. */
static int print_made(void (*make)(const struct tsh_cmd *const *commands, struct tsh_strbuf *out))
{
	struct tsh_strbuf out = TSH_STRBUF_INIT;

	make(tsh_commands, &out);
	fwrite(out.buf, 1, out.len, stdout);
	tsh_strbuf_release(&out);
	return OPTION_PRINTED;
}

static int set_output(struct options *opt, const char *name)
{
	if (opt->has_output)
		return refuse_repeated("-o");
	opt->has_output = true;
	opt->engine.out_name = tsh_is_standard_output(name) ? NULL : name;
	return 0;
}

static int set_color(struct options *opt, const char *when)
{
	opt->color = when;
	if (!strcmp(when, "auto") || !strcmp(when, "always") || !strcmp(when, "never"))
		return 0;
	return usage_error("--color is auto, always or never, not", when);
}

/* Does what an option asks for. 0; OPTION_PRINTED: that was all; otherwise the exit status. */
static int apply_option(struct options *opt, const struct tsh_program_option *o, const char *value)
{
	struct tsh_engine_options *engine = &opt->engine;

	if (o->setting)
		return set_setting(opt, o->setting, o->fixed ? o->fixed : value);
	if (o->flag)
		*(bool *)((char *)engine + o->flag - 1) = true;
	switch (o->action) {
	case TSH_PROGRAM_NONE:
		return 0;
	case TSH_PROGRAM_COMMAND:
		add_work(opt, WORK_COMMAND, value);
		return 0;
	case TSH_PROGRAM_FILE:
		add_work(opt, WORK_FILE, value);
		return 0;
	case TSH_PROGRAM_INSTANCE:
	case TSH_PROGRAM_NEW_INSTANCE:
		if (engine->instance)
			return refuse_repeated("-i");
		engine->instance = value;
		engine->create_instance = o->action == TSH_PROGRAM_NEW_INSTANCE;
		return 0;
	case TSH_PROGRAM_TRACEFS:
		if (engine->tracefs)
			return refuse_repeated("--tracefs");
		engine->tracefs = value;
		return 0;
	case TSH_PROGRAM_OUTPUT:
		return set_output(opt, value);
	case TSH_PROGRAM_COLOR:
		return set_color(opt, value);
	case TSH_PROGRAM_NO_RC:
		opt->no_rc = true;
		return 0;
	case TSH_PROGRAM_COMPLETE:
		opt->complete = true;
		return 0;
	case TSH_PROGRAM_VERSION:
		print_version();
		return OPTION_PRINTED;
	case TSH_PROGRAM_HELP:
		fputs(usage_text, stdout);
		return OPTION_PRINTED;
	case TSH_PROGRAM_HELP_MAN:
		return print_made(tsh_help_man);
	case TSH_PROGRAM_HELP_EXAMPLES:
		return print_made(tsh_help_examples);
	}
	return 0;
}

/* Adds what a long option may be that is not one: those that begin so, or one that looks like it. */
static void add_meant(const char *typed, size_t len, struct tsh_err *err)
{
	struct tsh_strbuf names = TSH_STRBUF_INIT;
	const struct tsh_program_option *option;
	struct tsh_suggest near;
	char *name = tsh_xstrndup(typed, len);

	tsh_suggest_init(&near, name);
	for (option = tsh_program_options; option->name || option->shorter; option++) {
		if (!option->name)
			continue;
		tsh_suggest_offer(&near, option->name + 2);
		if (!strncmp(option->name + 2, name, len))
			tsh_strbuf_addf(&names, "%s'%s'", names.len ? ", " : "", option->name);
	}
	if (names.len)
		tsh_err_hint(err, "which of these: %s", names.buf);
	else if (tsh_suggest_best(&near))
		tsh_err_hint(err, "did you mean '--%s'?", tsh_suggest_best(&near));
	tsh_suggest_release(&near);
	tsh_strbuf_release(&names);
	free(name);
}

/* Says what is wrong with an option: c is what getopt_long(3) has returned, typed is the word. */
static int wrong_option(int c, const char *typed)
{
	const char letter[] = { '-', (char)optopt, '\0' };
	bool has_value = c == '?' && option_of(optopt);
	/* Only of a long one: no letter is refused for its value, and none is beyond a byte. */
	bool is_long = !optopt || optopt >= OPTION_VALUE || has_value;
	const char *name = is_long ? typed : letter;
	int len = (int)strcspn(name, "=");
	struct tsh_err err = { 0 };

	if (c == ':') {
		tsh_err_set(&err, TSH_USAGE, "option '%.*s' needs a value", len, name);
	} else if (has_value) {
		tsh_err_set(&err, TSH_USAGE, "option '%.*s' takes no value", len, name);
	} else {
		tsh_err_set(&err, TSH_USAGE, "unknown option '%.*s'", len, name);
		if (is_long && len > 2)
			add_meant(name + 2, (size_t)len - 2, &err);
	}
	print_error(&err);
	tsh_err_release(&err);
	fputs("Try 'tracesh --help'.\n", stderr);
	return TSH_USAGE;
}

static bool is_set(const char *variable)
{
	const char *value = getenv(variable);

	return value && *value;
}

/* Asks the option, then NO_COLOR, then the variables that force colours, then the descriptor. */
static bool wants_color(const struct options *opt, int fd)
{
	static const char *const force[] = { "CLICOLOR_FORCE", "FORCE_COLOR" };
	size_t i;

	if (strcmp(opt->color, "auto"))
		return !strcmp(opt->color, "always");
	if (is_set("NO_COLOR"))
		return false;
	for (i = 0; i < 2; i++)
		if (is_set(force[i]) && strcmp(getenv(force[i]), "0"))
			return true;
	return isatty(fd) && tsh_terminal_can_move_cursor();
}

/* Writes out what stdio has kept, and says it when the disk is full. */
static int finish_stdout(void)
{
	if (!fflush(stdout) && !ferror(stdout))
		return TSH_OK;
	fprintf(stderr, "tracesh: error: cannot write to standard output: %s\n",
		strerror(errno));
	return TSH_FAILED;
}

/* Says whether run_work reads commands from a stdin that is no terminal. */
static bool reads_stdin(const struct options *opt, char *const *operands)
{
	bool reads = !opt->work.n && !*operands;
	size_t i;

	for (i = 0; i < opt->work.n; i++)
		reads |= opt->work.v[i].kind != WORK_COMMAND && !strcmp(opt->work.v[i].text, "-");
	return reads && !isatty(STDIN_FILENO);
}

/* Runs the -c from number *i to the next -f, and sets *i to the last of them; *count counts all -c so far. */
static bool run_commands(struct tsh_engine *e, const struct options *opt, size_t *i, size_t *count)
{
	TSH_VEC(struct tsh_text) texts = { 0 };
	bool carry_on;
	size_t k;

	for (k = *i; k < opt->work.n && opt->work.v[k].kind == WORK_COMMAND; k++) {
		struct tsh_text *text = tsh_vec_push(&texts);

		snprintf(text->name, sizeof(text->name), "<-c %zu>", ++*count);
		text->text = opt->work.v[k].text;
	}
	*i = k - 1;
	carry_on = tsh_engine_read_ahead(e, texts.v, texts.n);
	for (k = 0; carry_on && k < texts.n; k++)
		carry_on = tsh_engine_run_text(e, texts.v[k].name, texts.v[k].text,
					       strlen(texts.v[k].text), NULL);
	tsh_vec_release(&texts);
	return carry_on;
}

/* Runs -c and -f, then the operands; with neither, the prompt or stdin. Returns whether all ended well. */
static bool run_work(struct tsh_engine *e, const struct options *opt, char **operands,
		     bool *ret_restore)
{
	bool carry_on = true;
	size_t i, commands = 0;

	for (i = 0; carry_on && i < opt->work.n; i++) {
		const struct work *work = &opt->work.v[i];

		if (work->kind == WORK_COMMAND) {
			carry_on = run_commands(e, opt, &i, &commands);
		} else if (!strcmp(work->text, "-")) {
			carry_on = tsh_engine_run_fd(e, "<stdin>", STDIN_FILENO);
		} else {
			carry_on = tsh_engine_run_file(e, work->text, NULL);
		}
	}
	if (!carry_on)
		return false;
	if (*operands && strpbrk(*operands, "/."))
		return tsh_engine_run_file(e, *operands, operands + 1);
	if (*operands)
		return tsh_engine_run_words(e, operands);
	if (opt->work.n)
		return true;
	if (opt->engine.interactive && !opt->no_rc && !tsh_engine_run_rc(e))
		return false;
	if (opt->engine.interactive)
		return tsh_ui_run(e, opt->engine.loop, wants_color(opt, STDOUT_FILENO),
				  ret_restore) == 0;
	return tsh_engine_run_fd(e, "<stdin>", STDIN_FILENO);
}

/* Says what an earlier session has left; recover says it by itself. */
static void note_orphans(struct tsh_session *s, const struct options *opt, char **operands)
{
	if (s->dir && !opt->engine.check && !opt->engine.quiet &&
	    !(*operands && !strcmp(*operands, "recover")))
		tsh_cmd_note_orphans(s);
}

/* Prints lines of VALUE<TAB>DESCRIPTION for the completions of bash, zsh and fish. */
static void print_completions(struct tsh_engine *e, const struct tsh_program_words *words)
{
	struct tsh_strbuf out = TSH_STRBUF_INIT;

	tsh_program_words_complete(tsh_engine_session(e), words, &out);
	fwrite(out.buf, 1, out.len, stdout);
	fflush(stdout);
	tsh_strbuf_release(&out);
}

static int open_output(struct options *opt, char *const *operands)
{
	struct tsh_engine_options *engine = &opt->engine;
	struct tsh_err err = { 0 };

	engine->out_fd = STDOUT_FILENO;
	/* Refuses a command's name as FILE: it was left out, and an empty file would be made. */
	if (engine->out_name && !opt->work.n && !*operands && tsh_cmd_find(engine->out_name)) {
		fprintf(stderr, "tracesh: error: '%1$s' is the file of -o, and no command follows\n"
			"hint: tracesh -o FILE %1$s; a file of that name is ./%1$s\n", engine->out_name);
		return TSH_USAGE;
	}
	/* Opens nothing in a check: an empty file would take the place of a full one. */
	if (!engine->out_name || engine->check)
		return 0;
	engine->out_fd = tsh_output_open(engine->out_name, NULL, &engine->out_is_new, &err);
	if (engine->out_fd >= 0)
		return 0;
	print_error(&err);
	tsh_err_release(&err);
	return TSH_FAILED;
}

/* Reads the command line that is to be completed; its own -i, -I and --tracefs count for it. */
static void read_program_words(struct tsh_engine_options *engine, char **operands,
			       struct tsh_program_words *ret)
{
	tsh_program_words_read(operands, ret);
	if (ret->instance)
		engine->instance = ret->instance;
	if (ret->tracefs)
		engine->tracefs = ret->tracefs;
}

static int run_session(struct options *opt, char **operands)
{
	struct tsh_engine_options *engine = &opt->engine;
	struct tsh_program_words words = { 0 };
	struct tsh_err err = { 0 };
	struct tsh_loop loop;
	struct tsh_engine *e;
	bool restore = false, may_be_missing = false;
	int status, r;

	engine->err_fd = STDERR_FILENO;
	engine->interactive = !opt->work.n && !*operands && isatty(STDIN_FILENO) &&
			      isatty(STDOUT_FILENO);
	engine->out_is_terminal = isatty(engine->out_fd);
	engine->out_color = wants_color(opt, engine->out_fd);
	engine->err_color = wants_color(opt, STDERR_FILENO);
	engine->err_is_terminal = isatty(STDERR_FILENO);
	/* Ends to ignore them, as a shell's background does: a prompt has to hear them. */
	if (engine->interactive) {
		signal(SIGINT, SIG_DFL);
		signal(SIGQUIT, SIG_DFL);
	}
	if (tsh_loop_init(&loop) < 0) {
		fprintf(stderr, "tracesh: error: cannot wait for signals: %s\n", strerror(errno));
		return TSH_ENVIRONMENT;
	}
	engine->loop = &loop;
	/* TAB makes no instance; one that -I would make may be missing. */
	if (opt->complete) {
		read_program_words(engine, operands, &words);
		may_be_missing = words.creates || engine->create_instance;
		engine->create_instance = false;
	}
	r = tsh_engine_new(engine, &e, &err);
	if (r < 0 && may_be_missing) {
		tsh_err_release(&err);
		engine->instance = NULL;
		r = tsh_engine_new(engine, &e, &err);
	}
	if (r < 0) {
		/* Keeps errors of TAB from the line that is being typed. */
		if (!opt->complete)
			print_error(&err);
		status = err.status;
		tsh_err_release(&err);
	} else {
		if (opt->complete) {
			print_completions(e, &words);
		} else {
			note_orphans(tsh_engine_session(e), opt, operands);
			tsh_engine_session(e)->reads_stdin = reads_stdin(opt, operands);
			run_work(e, opt, operands, &restore);
		}
		status = tsh_engine_finish(e, restore);
		tsh_engine_free(e);
	}
	tsh_loop_release(&loop);
	return status;
}

/* Opens those of the three that are closed, so that no other file gets their numbers. */
static void open_standard_files(void)
{
	int fd;

	for (fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", O_RDONLY) < 0)
			return;
}

int main(int argc, char **argv)
{
	struct options opt = { .color = "auto" };
	struct getopt_tables tables;
	char **operands;
	int c, r;

	open_standard_files();

	/* Keeps getopt_long(3) from printing control sequences as they were typed. */
	opterr = 0;
	fill_getopt_tables(&tables);
	while ((c = getopt_long(argc, argv, tables.letters, tables.longer, NULL)) != -1) {
		if (c == '?' || c == ':')
			return wrong_option(c, argv[optind - 1]);
		r = apply_option(&opt, option_of(c), optarg);
		if (r)
			return r == OPTION_PRINTED ? finish_stdout() : r;
	}
	/* TAB completes a line that is not whole. */
	operands = argv + optind;
	if (*operands && strpbrk(*operands, "/.") && !opt.complete && !opt.engine.tracefs && tsh_is_recording(*operands))
		opt.engine.tracefs = *operands++;
	r = opt.complete ? 0 : check_place(&opt.engine);
	if (!r)
		r = open_output(&opt, operands);
	if (!r)
		r = run_session(&opt, operands);
	tsh_vec_release(&opt.work);
	return r;
}
