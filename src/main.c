/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tracesh/complete.h"
#include "tracesh/engine.h"
#include "tracesh/ui.h"
#include "tracesh/utf8.h"

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
	bool complete;			/* print what can follow the operands */
};

enum {
	OPT_KEEP_GOING = 256, OPT_RESTORE, OPT_READ_ONLY, OPT_TRACEFS, OPT_FORMAT, OPT_JSON,
	OPT_TIME, OPT_PRECISION, OPT_TZ, OPT_COLOR, OPT_HELP_MAN, OPT_HELP_EXAMPLES,
	OPT_COMPLETE,
};

static const struct option long_options[] = {
	{ "check", no_argument, NULL, 'n' },
	{ "keep-going", no_argument, NULL, OPT_KEEP_GOING },
	{ "restore", no_argument, NULL, OPT_RESTORE },
	{ "read-only", no_argument, NULL, OPT_READ_ONLY },
	{ "tracefs", required_argument, NULL, OPT_TRACEFS },
	{ "format", required_argument, NULL, OPT_FORMAT },
	{ "json", no_argument, NULL, OPT_JSON },
	{ "time", required_argument, NULL, OPT_TIME },
	{ "precision", required_argument, NULL, OPT_PRECISION },
	{ "tz", required_argument, NULL, OPT_TZ },
	{ "color", required_argument, NULL, OPT_COLOR },
	{ "quiet", no_argument, NULL, 'q' },
	{ "verbose", no_argument, NULL, 'v' },
	{ "version", no_argument, NULL, 'V' },
	{ "help", no_argument, NULL, 'h' },
	{ "help-man", no_argument, NULL, OPT_HELP_MAN },
	{ "help-examples", no_argument, NULL, OPT_HELP_EXAMPLES },
	{ "complete", no_argument, NULL, OPT_COMPLETE },
	{ 0 }
};

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
	"      --restore       take all changes back at the end\n"
	"      --keep-going    an error does not end the batch, nor take it back\n"
	"      --read-only     refuse to write\n"
	"      --tracefs DIR   another mount, or a recorded tree\n"
	"      --format F      text, json, csv, kernel (--json is short for json)\n"
	"  -o FILE             write the output there\n"
	"      --time STYLE    wall, short, iso, utc, rel, delta, trace, none\n"
	"      --precision P   us or ns        --tz ZONE   Europe/Berlin, UTC\n"
	"      --color WHEN    auto, always, never\n"
	"  -q quiet  -v show every write  -V version  -h this text\n"
	"\n"
	"An invocation is a transaction: an error or a signal takes its settings back.\n"
	"'tracesh help' lists the commands; the manual is tracesh(1).\n";

static int usage_error(const char *what, const char *value)
{
	fprintf(stderr, "tracesh: error: %s '%s'\nTry 'tracesh --help'.\n", what, value);
	return TSH_USAGE;
}

static void print_version(void)
{
	printf("tracesh %s (%s%s)\n", PACKAGE_VERSION,
#ifdef HAVE_READLINE
	       "readline",
#else
	       "no readline",
#endif
#ifdef STATIC_BINARY
	       ", static");
#else
	       "");
#endif
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
		engine->instance = optarg;
		engine->create_instance = c == 'I';
		return 0;
	case 'n':
		engine->check = true;
		return 0;
	case 'o':
		engine->out_name = optarg;
		return 0;
	case 'q':
		engine->quiet = true;
		return 0;
	case 'v':
		engine->settings.show_writes = true;
		return 0;
	case OPT_KEEP_GOING:
		engine->keep_going = true;
		return 0;
	case OPT_RESTORE:
		engine->restore = true;
		return 0;
	case OPT_READ_ONLY:
		engine->read_only = true;
		return 0;
	case OPT_TRACEFS:
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
	case OPT_TZ:
		return set_setting(opt, "tz", optarg);
	case OPT_COLOR:
		opt->color = optarg;
		if (!strcmp(optarg, "auto") || !strcmp(optarg, "always") ||
		    !strcmp(optarg, "never"))
			return 0;
		return usage_error("--color is auto, always or never, not", optarg);
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
		fputs("Try 'tracesh --help'.\n", stderr);
		return TSH_USAGE;
	}
}

static bool wants_color(const struct options *opt, int fd)
{
	const char *no_color = getenv("NO_COLOR");
	const char *term = getenv("TERM");

	if (strcmp(opt->color, "auto"))
		return !strcmp(opt->color, "always");
	return isatty(fd) && !(no_color && *no_color) && term && strcmp(term, "dumb");
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

static int print_man(void)
{
	struct tsh_strbuf out = TSH_STRBUF_INIT;

	tsh_help_man(&out);
	fwrite(out.buf, 1, out.len, stdout);
	tsh_strbuf_release(&out);
	return finish_stdout();
}

/* "COMMAND<TAB>EXAMPLE" lines, for the test that runs them. */
static int print_examples(void)
{
	const struct tsh_example *example;
	size_t i;

	for (i = 0; tsh_commands[i]; i++)
		for (example = tsh_commands[i]->examples; example && example->text; example++)
			printf("%s\t%s\n", tsh_commands[i]->name, example->text);
	return finish_stdout();
}

/* -c and -f, then the operands; with neither, the prompt or stdin. */
static bool run_work(struct tsh_engine *e, const struct options *opt, char **operands,
		     bool *ret_restore)
{
	bool carry_on = true;
	char name[32];
	size_t i, commands = 0;

	for (i = 0; carry_on && i < opt->work.n; i++) {
		const struct work *work = &opt->work.v[i];

		if (work->kind == WORK_COMMAND) {
			snprintf(name, sizeof(name), "<-c %zu>", ++commands);
			carry_on = tsh_engine_run_text(e, name, work->text,
						       strlen(work->text), NULL);
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
	if (opt->engine.interactive)
		return tsh_ui_run(e, opt->engine.loop, wants_color(opt, STDOUT_FILENO),
				  ret_restore) == 0;
	return tsh_engine_run_fd(e, "<stdin>", STDIN_FILENO);
}

/* For the completions of bash, zsh and fish: VALUE<TAB>DESCRIPTION lines. */
static void print_completions(struct tsh_engine *e, char **words)
{
	struct tsh_strbuf out = TSH_STRBUF_INIT;

	tsh_complete_words(tsh_engine_session(e), words, &out);
	fwrite(out.buf, 1, out.len, stdout);
	fflush(stdout);
	tsh_strbuf_release(&out);
}

static int open_output(struct options *opt)
{
	struct tsh_engine_options *engine = &opt->engine;
	struct tsh_err err = { 0 };

	engine->out_fd = STDOUT_FILENO;
	if (!engine->out_name)
		return 0;
	engine->out_fd = open(engine->out_name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	if (engine->out_fd >= 0)
		return 0;
	tsh_err_errno(&err, errno, "cannot open '%s'", engine->out_name);
	print_error(&err);
	tsh_err_release(&err);
	return TSH_FAILED;
}

static int run_session(struct options *opt, char **operands)
{
	struct tsh_engine_options *engine = &opt->engine;
	struct tsh_err err = { 0 };
	struct tsh_loop loop;
	struct tsh_engine *e;
	bool restore = false;
	int status;

	engine->err_fd = STDERR_FILENO;
	engine->interactive = !opt->work.n && !*operands && isatty(STDIN_FILENO) &&
			      isatty(STDOUT_FILENO);
	engine->out_is_terminal = isatty(engine->out_fd);
	engine->out_color = wants_color(opt, engine->out_fd);
	engine->err_color = wants_color(opt, STDERR_FILENO);
	if (tsh_loop_init(&loop) < 0) {
		perror("tracesh: error: cannot wait for signals");
		return TSH_ENVIRONMENT;
	}
	engine->loop = &loop;
	if (tsh_engine_new(engine, &e, &err) < 0) {
		print_error(&err);
		status = err.status;
		tsh_err_release(&err);
	} else {
		if (opt->complete)
			print_completions(e, operands);
		else
			run_work(e, opt, operands, &restore);
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

	while ((c = getopt_long(argc, argv, "+c:f:i:I:no:qvVh", long_options, NULL)) != -1) {
		if (c == OPT_HELP_MAN)
			return print_man();
		if (c == OPT_HELP_EXAMPLES)
			return print_examples();
		r = take_option(&opt, c);
		if (r)
			return r < 0 ? finish_stdout() : r;
	}
	r = open_output(&opt);
	if (!r)
		r = run_session(&opt, argv + optind);
	tsh_vec_release(&opt.work);
	return r;
}
