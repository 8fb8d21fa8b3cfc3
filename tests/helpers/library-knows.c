/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * library-knows EVENTS SYSTEM:EVENT..: who prints each, by libtraceevent and its plugins alone: EVENT WHO TEXT, separated by tabs.
 * WHO is "parser", "handler" (of a plugin), "function" (the parser, with one that a plugin knows), or "nobody"; TEXT is what
 * it makes of a record of zeros, "died" where that ends it. EVENTS is a folder of formats. Status 77: this build has no
 * libtraceevent.
 */
#include <stdio.h>

#ifndef LIBTRACEEVENT_VERSION
int main(void)
{
	return 77;
}
#else
#include <event-parse.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <trace-seq.h>
#include <unistd.h>

#define RECORD_SIZE 65536

static struct tep_event *parse(struct tep_handle *tep, const char *text, size_t len, const char *system, const char *name)
{
	(void)tep_parse_event(tep, text, len, system);
	return tep_find_event_by_name(tep, system, name);
}

static int is_parsed(const struct tep_event *event)
{
	return event && !(event->flags & TEP_EVENT_FL_FAILED);
}

/* Prints in a process of its own, which may die of it. */
static void print_zeros(struct tep_handle *tep, const struct tep_event *event)
{
	struct tep_record rec = { .size = RECORD_SIZE, .record_size = RECORD_SIZE, .ref_count = 1 };
	struct trace_seq seq;
	int status = 0;
	pid_t pid;
	char *p;

	fflush(stdout);
	pid = fork();
	if (pid > 0) {
		(void)waitpid(pid, &status, 0);
		fputs(status ? "died" : "", stdout);
		return;
	}
	alarm(20);
	rec.data = calloc(2, RECORD_SIZE);
	if (pid < 0 || !rec.data)
		_exit(1);
	/* The type, in the first field of each. */
	memcpy(rec.data, &(unsigned short){ (unsigned short)event->id }, sizeof(unsigned short));
	trace_seq_init(&seq);
	tep_print_event(tep, &seq, &rec, "%s", TEP_PRINT_INFO);
	trace_seq_terminate(&seq);
	for (p = seq.buffer; *p; p++)
		putchar(*p == '\n' || *p == '\t' ? ' ' : *p);
	fflush(stdout);
	_exit(0);
}

/* The handles: without plugins, and with. */
static void look(struct tep_handle *const handles[2], const char *events, const char *label)
{
	static char text[1 << 18];
	char path[4096], *system = strdup(label), *name = strchr(system, ':');
	struct tep_event *plain, *with;
	FILE *file = NULL;
	size_t len;

	if (name)
		*name++ = '\0';
	if (!name || snprintf(path, sizeof(path), "%s/%s/%s/format", events, system, name) >= (int)sizeof(path) ||
	    !(file = fopen(path, "r"))) {
		printf("%s\tno format\t\n", label);
		free(system);
		return;
	}
	len = fread(text, 1, sizeof(text) - 1, file);
	text[len] = '\0';
	fclose(file);
	plain = parse(handles[0], text, len, system, name);
	with = parse(handles[1], text, len, system, name);
	printf("%s\t%s\t", label, with && with->handler ? "handler" : is_parsed(plain) ? "parser" :
	       is_parsed(with) ? "function" : "nobody");
	if (with && (with->handler || is_parsed(with)))
		print_zeros(handles[1], with);
	putchar('\n');
	free(system);
}

int main(int argc, char **argv)
{
	struct tep_handle *handles[2] = { tep_alloc(), tep_alloc() };
	int i;

	if (argc < 2 || !handles[0] || !handles[1])
		return 2;
	tep_set_loglevel(TEP_LOG_NONE);
	if (!tep_load_plugins(handles[1]))
		fputs("no plugins\n", stderr);
	for (i = 2; i < argc; i++)
		look(handles, argv[1], argv[i]);
	return 0;
}
#endif
