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
#include "complete-program.h"
#include "library/library.h"
#include "output/output-file.h"
#include "shell/engine.h"
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

enum {
	OPT_KEEP_GOING = 256, OPT_RESTORE, OPT_READ_ONLY, OPT_TRACEFS, OPT_FORMAT, OPT_JSON,
	OPT_TIME, OPT_PRECISION, OPT_SHOW_ERROR, OPT_COLUMNS, OPT_TZ, OPT_COLOR, OPT_POOL,
	OPT_HELP_MAN, OPT_HELP_EXAMPLES,
	OPT_COMPLETE, OPT_PRIVATE, OPT_YES, OPT_DRY_RUN, OPT_NO_RC,
};

static const struct option long_options[] = {
	{ "check", no_argument, NULL, 'n' },
	{ "dry-run", no_argument, NULL, OPT_DRY_RUN },
	{ "keep-going", no_argument, NULL, OPT_KEEP_GOING },
	{ "restore", no_argument, NULL, OPT_RESTORE },
	{ "private", no_argument, NULL, OPT_PRIVATE },
	{ "read-only", no_argument, NULL, OPT_READ_ONLY },
	{ "yes", no_argument, NULL, OPT_YES },
	{ "tracefs", required_argument, NULL, OPT_TRACEFS },
	{ "format", required_argument, NULL, OPT_FORMAT },
	{ "json", no_argument, NULL, OPT_JSON },
	{ "time", required_argument, NULL, OPT_TIME },
	{ "precision", required_argument, NULL, OPT_PRECISION },
	{ "columns", required_argument, NULL, OPT_COLUMNS },
	{ "show-error", no_argument, NULL, OPT_SHOW_ERROR },
	{ "tz", required_argument, NULL, OPT_TZ },
	{ "pool", required_argument, NULL, OPT_POOL },
	{ "color", required_argument, NULL, OPT_COLOR },
	{ "no-rc", no_argument, NULL, OPT_NO_RC },
	{ "quiet", no_argument, NULL, 'q' },
	{ "verbose", no_argument, NULL, 'v' },
	{ "version", no_argument, NULL, 'V' },
	{ "help", no_argument, NULL, 'h' },
	{ "help-man", no_argument, NULL, OPT_HELP_MAN },
	{ "help-examples", no_argument, NULL, OPT_HELP_EXAMPLES },
	{ "complete", no_argument, NULL, OPT_COMPLETE },
	{ 0 }
};

/* Begins with how getopt behaves: the first operand ends the options, and what lacks a value is told apart. */
static const char short_options[] = "+:c:f:i:I:no:qvVh";

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
	"      --tracefs DIR   another mount, a recording, a text of one; none: --dry-run\n"
	"      --format F      text, json, csv, kernel (--json is short for json)\n"
	"  -o FILE             write the output there; - is stdout\n"
	"      --time STYLE    wall, short, iso, utc, rel, delta[-cpu|-task], trace, none\n"
	"      --precision P   us or ns        --tz ZONE   Europe/Berlin, UTC\n"
	"      --columns LIST  of events in text, as time,comm,event,text\n"
	"      --show-error    the bound of its error behind each wall-clock time\n"
	"      --pool SIZE     memory for what is read and decoded, as 256K\n"
	"      --color WHEN    auto, always, never   --no-rc   without the rc files\n"
	"  -q quiet  -v show every write  -V version  -h this text\n"
	"\n"
	"An invocation is a transaction: an error or a signal takes its settings back.\n"
	"'tracesh help' lists the commands; the manual is tracesh(1).\n";

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

/* An error before there is an engine to print it. */
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

/* An option that is a setting too: the same names, the same checks. */
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
static int given_twice(const char *option)
{
	fprintf(stderr, "tracesh: error: option '%s' given twice\nhint: leave one of the two out\n", option);
	return TSH_USAGE;
}

/* Refuses two places to work in. */
static int check_place(const struct tsh_engine_options *engine)
{
	const char *option = engine->create_instance ? "-I" : "-i";

	if (!engine->private_instance || !engine->instance)
		return 0;
	fprintf(stderr, "tracesh: error: option '%s' beside '--private', which works in an instance of its own\n"
		"hint: leave one of the two out\n", option);
	return TSH_USAGE;
}

/* One option. 0: go on; -1: done, exit 0; otherwise the exit status. */
static int take_option(struct options *opt, int c)
{
	struct tsh_engine_options *engine = &opt->engine;

	switch (c) {
	case 'c':
		add_work(opt, WORK_COMMAND, optarg);
		return 0;
	case 'f':
		add_work(opt, WORK_FILE, optarg);
		return 0;
	case 'i':
	case 'I':
		if (engine->instance)
			return given_twice("-i");
		engine->instance = optarg;
		engine->create_instance = c == 'I';
		return 0;
	case 'n':
		engine->check = true;
		return 0;
	case 'o':
		if (opt->has_output)
			return given_twice("-o");
		opt->has_output = true;
		engine->out_name = tsh_is_standard_output(optarg) ? NULL : optarg;
		return 0;
	case 'q':
		engine->quiet = true;
		return 0;
	case 'v':
		engine->settings.show_writes = true;
		return 0;
	case OPT_DRY_RUN:
		engine->dry_run = true;
		return 0;
	case OPT_KEEP_GOING:
		engine->keep_going = true;
		return 0;
	case OPT_RESTORE:
		engine->restore = true;
		return 0;
	case OPT_PRIVATE:
		engine->private_instance = true;
		return 0;
	case OPT_READ_ONLY:
		engine->read_only = true;
		return 0;
	case OPT_YES:
		return set_setting(opt, "confirm", "off");
	case OPT_TRACEFS:
		if (engine->tracefs)
			return given_twice("--tracefs");
		engine->tracefs = optarg;
		return 0;
	case OPT_FORMAT:
		return set_setting(opt, "format", optarg);
	case OPT_JSON:
		return set_setting(opt, "format", "json");
	case OPT_TIME:
		return set_setting(opt, "time", optarg);
	case OPT_PRECISION:
		return set_setting(opt, "precision", optarg);
	case OPT_COLUMNS:
		return set_setting(opt, "columns", optarg);
	case OPT_SHOW_ERROR:
		return set_setting(opt, "show-error", "on");
	case OPT_TZ:
		return set_setting(opt, "tz", optarg);
	case OPT_POOL:
		return set_setting(opt, "pool", optarg);
	case OPT_COLOR:
		opt->color = optarg;
		if (!strcmp(optarg, "auto") || !strcmp(optarg, "always") ||
		    !strcmp(optarg, "never"))
			return 0;
		return usage_error("--color is auto, always or never, not", optarg);
	case OPT_NO_RC:
		opt->no_rc = true;
		return 0;
	case OPT_COMPLETE:
		opt->complete = true;
		return 0;
	case 'V':
		print_version();
		return -1;
	case 'h':
		fputs(usage_text, stdout);
		return -1;
	default:
		return -1;
	}
}

/* Check that getopt knows the option that it stumbles over. */
static bool is_known(int c)
{
	return c >= OPT_KEEP_GOING || (c > 0 && c < 128 && c != '+' && c != ':' && strchr(short_options, c));
}

/* Add what a long option may be that is not one: those that begin so, or one that looks like it. */
static void add_meant(const char *typed, size_t len, struct tsh_err *err)
{
	struct tsh_strbuf names = TSH_STRBUF_INIT;
	const struct option *option;
	struct tsh_suggest near;
	char *name = tsh_xstrndup(typed, len);

	tsh_suggest_init(&near, name);
	for (option = long_options; option->name; option++) {
		tsh_suggest_offer(&near, option->name);
		if (!strncmp(option->name, name, len))
			tsh_strbuf_addf(&names, "%s'--%s'", names.len ? ", " : "", option->name);
	}
	if (names.len)
		tsh_err_hint(err, "which of these: %s", names.buf);
	else if (tsh_suggest_best(&near))
		tsh_err_hint(err, "did you mean '--%s'?", tsh_suggest_best(&near));
	tsh_suggest_release(&near);
	tsh_strbuf_release(&names);
	free(name);
}

/* Say what is wrong with an option: c is what getopt has returned, typed is the word. */
static int wrong_option(int c, const char *typed)
{
	const char letter[] = { '-', (char)optopt, '\0' };
	bool has_value = c == '?' && is_known(optopt);
	/* Only of a long one: no letter is refused for its value, and none is beyond a byte. */
	bool is_long = !optopt || optopt >= OPT_KEEP_GOING || has_value;
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

/* The option, then NO_COLOR, then what forces it, then what the descriptor is. */
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
	return isatty(fd) && tsh_terminal_moves();
}

/* What stdio printed; a full disk is known only now. */
static int finish_stdout(void)
{
	if (!fflush(stdout) && !ferror(stdout))
		return TSH_OK;
	fprintf(stderr, "tracesh: error: cannot write to standard output: %s\n",
		strerror(errno));
	return TSH_FAILED;
}

/* Prints what a function makes. */
static int print_made(void (*make)(const struct tsh_cmd *const *commands, struct tsh_strbuf *out))
{
	struct tsh_strbuf out = TSH_STRBUF_INIT;

	make(tsh_commands, &out);
	fwrite(out.buf, 1, out.len, stdout);
	tsh_strbuf_release(&out);
	return finish_stdout();
}

/* Check whether run_work reads commands from a stdin that is no terminal. */
static bool reads_stdin(const struct options *opt, char *const *operands)
{
	bool reads = !opt->work.n && !*operands;
	size_t i;

	for (i = 0; i < opt->work.n; i++)
		reads |= opt->work.v[i].kind != WORK_COMMAND && !strcmp(opt->work.v[i].text, "-");
	return reads && !isatty(STDIN_FILENO);
}

/* -c and -f, then the operands; with neither, the prompt or stdin. */
/* Run the -c from here to the next file, of which the last one is *i then; *count is how many there were so far. */
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

/* What an earlier one has left; recover says it by itself. */
static void note_orphans(struct tsh_session *s, const struct options *opt, char **operands)
{
	if (s->dir && !opt->engine.check && !opt->engine.quiet &&
	    !(*operands && !strcmp(*operands, "recover")))
		tsh_cmd_note_orphans(s);
}

/* For the completions of bash, zsh and fish: VALUE<TAB>DESCRIPTION lines. */
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
	/* A check writes nothing: not even an empty file over a full one. */
	if (!engine->out_name || engine->check)
		return 0;
	engine->out_fd = tsh_output_open(engine->out_name, NULL, &engine->out_is_new, &err);
	if (engine->out_fd >= 0)
		return 0;
	print_error(&err);
	tsh_err_release(&err);
	return TSH_FAILED;
}

/* What is completed is a command line of its own, with options that matter for it. */
static void take_program_words(struct tsh_engine_options *engine, char **operands,
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
	bool restore = false;
	int status, r;

	engine->err_fd = STDERR_FILENO;
	engine->interactive = !opt->work.n && !*operands && isatty(STDIN_FILENO) &&
			      isatty(STDOUT_FILENO);
	engine->out_is_terminal = isatty(engine->out_fd);
	engine->out_color = wants_color(opt, engine->out_fd);
	engine->err_color = wants_color(opt, STDERR_FILENO);
	engine->err_is_terminal = isatty(STDERR_FILENO);
	/* A shell's background ignores them, and a prompt cannot. */
	if (engine->interactive) {
		signal(SIGINT, SIG_DFL);
		signal(SIGQUIT, SIG_DFL);
	}
	if (tsh_loop_init(&loop) < 0) {
		fprintf(stderr, "tracesh: error: cannot wait for signals: %s\n", strerror(errno));
		return TSH_ENVIRONMENT;
	}
	engine->loop = &loop;
	if (opt->complete)
		take_program_words(engine, operands, &words);
	/* TAB makes nothing. */
	words.creates |= opt->complete && engine->create_instance;
	engine->create_instance &= !opt->complete;
	r = tsh_engine_new(engine, &e, &err);
	if (r < 0 && opt->complete && words.creates) {
		tsh_err_release(&err);
		engine->instance = NULL;
		r = tsh_engine_new(engine, &e, &err);
	}
	if (r < 0) {
		/* Nobody wants to see that between the words that he types. */
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

/* Where one of the three is closed, the next file that is opened would be taken for it. */
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
	int c, r;

	open_standard_files();

	/* Its own words would print a control sequence as it was typed. */
	opterr = 0;
	while ((c = getopt_long(argc, argv, short_options, long_options, NULL)) != -1) {
		if (c == OPT_HELP_MAN)
			return print_made(tsh_help_man);
		if (c == OPT_HELP_EXAMPLES)
			return print_made(tsh_help_examples);
		if (c == '?' || c == ':')
			return wrong_option(c, argv[optind - 1]);
		r = take_option(&opt, c);
		if (r)
			return r < 0 ? finish_stdout() : r;
	}
	/* TAB completes a line that is not whole. */
	r = opt.complete ? 0 : check_place(&opt.engine);
	if (!r)
		r = open_output(&opt, argv + optind);
	if (!r)
		r = run_session(&opt, argv + optind);
	tsh_vec_release(&opt.work);
	return r;
}
