/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "help.h"

#include <string.h>

/* Holds the topics of `help` that belong to no command. A live test runs their examples. */

static const struct tsh_example intro_examples[] = {
	{ "events '*switch*'", "find an event" },
	{ "info sched_switch", "what it carries" },
	{ "stream -n 5 sched_switch if prev_state != 0", "watch it, filtered by the kernel" },
	{ "run 'syscalls:sys_enter_open*' -- ls /", "watch one program" },
	{ "status", "what is set" },
	{ "enable sched_switch; doctor", "why nothing arrives" },
	{ 0 }
};

static const struct tsh_example filters_examples[] = {
	{ "stream -n 3 sched_switch if prev_state == 1 && next_pid != 0", "a number, and a second one" },
	{ "enable sched_process_exec if filename ~ \"*/bin/*\"", "a string by a glob" },
	{ "enable sched_switch if !(prev_comm == \"bash\" || next_comm == \"bash\")",
	  "neither of two" },
	{ "enable sched_switch if cpu == 0 && comm != \"swapper/0\"",
	  "where it happened, and to whom" },
	{ "filter sched_switch clear", "without a filter again" },
	{ 0 }
};

static const char filters_text[] =
	"A filter stands after `if`, or in `filter EVENT`. It is the kernel's own grammar, taken "
	"as typed, and the kernel judges it before anything is written: a refused one leaves the "
	"old one in place.\n"
	" FIELD == != < <= > >= NUMBER   10, 0x1f, 017 (octal)\n"
	" FIELD & NUMBER                 one of these bits is set\n"
	" FIELD == != ~ \"STRING\"         ~ takes globs: * ? [..]\n"
	" FIELD == != & CPUS{0-3,7}      of masks and cpu, from Linux 6.6 on\n"
	" FIELD.function == NAME         of addresses, from Linux 6.3 on\n"
	" FIELD.ustring ~ \"STRING\"       of a program's strings, from Linux 5.17 on\n"
	" && || !(..)                    and, or, not\n"
	"`info EVENT` lists the fields. All events have common_pid, cpu (where it happened) and "
	"comm (the task's name). TAB offers the fields, the operators that fit, and values by "
	"their names: prev_state == S becomes prev_state == 1. Filters themselves know no such "
	"names, and do not compare two fields with each other.";

static const struct tsh_example where_examples[] = {
	{ "stream -n 3 sched_switch where prev_prio != next_prio || prev_pid > 1",
	  "two fields with each other" },
	{ "stream -n 3 sched_switch where prev_state in {S, D} && next_comm !~ \"^s\"",
	  "values by their names, a regular expression" },
	{ "run sched_process_exec where comm == \"true\" -- sh -c \"true; env true\"",
	  "the name of the task" },
	{ "stream --for 200ms sched_switch where delta > 5ms", "who was quiet for so long" },
	{ "explain stream sched_switch where prev_pid == 1 && prev_prio != next_prio",
	  "which of it the kernel answers" },
	{ 0 }
};

static const char where_text[] =
	"`where EXPR` stands behind `if` and chooses what is printed. It is asked of each event, "
	"and takes what the kernel's filter takes, with the same meaning, and:\n"
	" FIELD == FIELD                  any two values\n"
	" + - * / % << >> & | ^ ~         as in C, but & ^ | bind before ==; | in (..)\n"
	"                                 ! is of all up to && or ||, as in filters\n"
	" =~ \"REGEX\"  !~ \"REGEX\"          POSIX extended regular expressions, of UTF-8\n"
	" ~ \"*sh\"                         the end of a string, also in a char[16]\n"
	" in {1, 5..10, NAME}             one of these, or between two of them\n"
	" sig == SIGKILL, ret == -ENOENT  names of signals, errors, the event's own\n"
	" function == hrtimer_wakeup      an address in that function\n"
	" daddr in 10.0.0.0/8, == ::1     of networks, in place or in a sockaddr\n"
	" dev == \"8,0\"                   a value as the event's text prints it\n"
	" args[2]                         an element of an array\n"
	" 5ms, 4K                         times are ns, sizes bytes\n"
	"Every event has pid, tgid, comm (the task's), cpu, event, system, time (ns since 1970) and "
	"delta (ns since the last recorded event of the same task; unknown for the first one behind lost "
	"events, and for a task that pid does not list or leaves out, of which only sched_switch is recorded); "
	"a field of that name goes before. A number that is compared with a field is cut to the field's size, as "
	"the kernel's filter does it: pid == 4294967296 is pid == 0. The "
	"kernel knows comm at the event; <...> stands for a task whose name was gone when it was "
	"asked for.\n"
	"A field that an event lacks is unknown, and so is a division by zero: !unknown is unknown, "
	"unknown || true is true, and unknown is not printed. With EVENT, terms that the kernel can "
	"answer become its filter; `explain` tells which.";

static const struct tsh_example fields_examples[] = {
	{ "stream -n 3 sched_switch fields time cpu prev_comm prev_state next_comm",
	  "a table of these" },
	{ "stream -n 3 hrtimer_start fields function expires slack=expires-softexpires",
	  "a column that is computed" },
	{ "stream -n 3 timer_start fields time function wait=expires-now", "ticks as a time" },
	{ "stream -n 3 --raw sched_switch fields prev_pid prev_state", "as numbers" },
	{ 0 }
};

static const char fields_text[] =
	"`fields LIST` is the last clause: the events become rows of a table with these columns, in "
	"JSON their fields. Each is a field, one of the names that every event has (`help where`), or "
	"NAME=EXPR, an expression without blanks, or with them in parentheses.\n"
	"A value is printed as in the event's own text: an address as its symbol, a state by its "
	"letters, a device as its two numbers; what a system call returned as a number or the name "
	"of its error; ticks (timer_start's expires and now) as seconds since boot, and their "
	"difference as a time. So are the keys of hist, count, latency and sql, in JSON and CSV, too. --raw prints "
	"numbers. For what an event does not have there is a -, null in "
	"JSON, nothing in CSV.\n"
	"delta is here the time since the row before of the same task.";

static const struct tsh_example time_examples[] = {
	{ "set time utc", "UTC in place of the machine's zone" },
	{ "set time delta", "the time since the line before" },
	{ "set show-error on", "with each time the bound of its error" },
	{ "set columns time,delta,comm,event,text", "when, and how long after the line before" },
	{ "time now", "this moment on the trace clock" },
	{ "show --since -5s", "the last five seconds of the buffer" },
	{ 0 }
};

static const char time_text[] =
	"Events are printed with the wall clock's time, which is computed from the trace clock, "
	"with a bound for its error in the header. `set time` chooses the form, `set tz` the zone, "
	"`set precision ns` nine digits.\n"
	"A moment (`time`, --since, --until) is a time of day, a date with a time as it stands in "
	"logs, @SECONDS since 1970, now, or an age: -5s, -2h30m, -1d. What is typed stands for all "
	"that it may mean: 03:15:42 is that whole second.\n"
	"A step of the wall clock, a suspend and a change of the trace clock are said where they "
	"happen; a time with a ? before it may be before or after one.";

static const struct tsh_example batch_examples[] = {
	{ "let pid = 1; enable sched_switch if next_pid == ${pid}; wait 10ms",
	  "a variable, and commands one after the other" },
	{ "try enable nosuch:event else marker this kernel has no nosuch:event",
	  "what may fail" },
	{ "events sched | head -n 2", "the rest of the line is for sh" },
	{ "source examples/first-look.tsh", "a file of commands" },
	{ 0 }
};

static const char batch_text[] =
	"A batch file has the same commands, one a line or with ; between them. # begins a "
	"comment, \\ at the end of a line continues it. `tracesh FILE ARG..` runs it (with / or . in "
	"the name), so does #!/usr/bin/env tracesh in its first line. Where a recipe has that name, "
	"too, the file is run, which is said.\n"
	"Nobody else may be able to write to it: root, you or the user who called sudo must own the "
	"file, and a link to it. A group may write to it only if it is the owner's private group, "
	"and the owner is not root.\n"
	"Variables are ${name} (`let`), $1 to $9, $# and $? (the last status). '..' is literal, in "
	"\"..\" variables are replaced. | gives the rest of the line to sh as the reader of the "
	"output; it has $1 to $9, and the variables by their names.\n"
	"It is a transaction: an error, SIGTERM or SIGHUP takes its settings back. --keep-going "
	"goes on after a command that fails; a file with a syntax error is not started. --restore "
	"takes back at the end of success too. `tracesh -n FILE` reports every error and writes "
	"nothing; --dry-run prints the same work as a script for sh.\n"
	"The status is 0; 1 a command failed; 2 usage; 3 the environment (no tracefs, no "
	"permission, a missing kernel feature); 128+signal.";

static const struct tsh_example clocks_examples[] = {
	{ "clock", "the clocks, and the error of their times" },
	{ "clock boot", "this instance's clock; it erases the buffer" },
	{ 0 }
};

static const char clocks_text[] =
	"The trace clock belongs to the instance; changing it erases the instance's buffer.\n"
	" boot        goes on in suspend; most exact: the wall clock minus a constant\n"
	" mono        as boot, but stands still in suspend\n"
	" tai         as the wall clock, without its leap seconds\n"
	" mono_raw    not steered by NTP\n"
	" local       the kernel's default: fast, but CPUs differ by microseconds\n"
	" global      as local, but in order across CPUs: slower\n"
	" perf        as perf has it; x86-tsc: the CPU's counter\n"
	" uptime      in ticks of some milliseconds; counter: no time at all\n"
	"`stream EVENT..` and `run` take boot in their own instance, or local where the machine's "
	"clocksource is slow (hpet, acpi_pm).";

static const struct tsh_example boards_examples[] = {
	{ "buffer", "what a buffer takes; `buffer 256K` makes it smaller" },
	{ "save", "the settings as a batch file" },
	{ "record --for 200ms /tmp/board sched", "a recording for another machine" },
	{ 0 }
};

static const char boards_text[] =
	"tracesh is one binary; configured with --enable-static-binary it needs no library, and with "
	"--without-readline no terminal description. It works with tracefs or, on older kernels, "
	"debugfs, wherever that is mounted; where it is not, `mount -t tracefs nodev "
	"/sys/kernel/tracing` does it, also on a root that is read-only.\n"
	"The buffer is memory for every CPU: `buffer 256K` before much is enabled. `record DIR` "
	"writes what `tracesh --tracefs DIR drain` prints on a larger machine, formats and names of "
	"tasks included.\n"
	"A serial line of 115200 baud carries 57 lines of sched_switch a second, 73 with `--time short "
	"--columns time,event,text`, 237 with `fields time prev_comm next_comm` and --time short, and 34 "
	"objects of JSON. `stream` prints what happens now all the same, and counts what it skips for it "
	"(--lag). JSON comes through whole: `tracesh -q --json stream .. 2>/dev/null` on the board, and "
	"`stty -F /dev/ttyUSB0 115200 raw -echo; jq -c . </dev/ttyUSB0` at the other end.\n"
	"`tracesh --dry-run FILE` prints a batch file as a script for sh, for boards without "
	"tracesh: it finds tracefs, and an error or a signal takes back what it wrote. With "
	"--tracefs TREE it is for the kernel of a recording, and names of tasks are looked for where it runs. What "
	"sh cannot do (hist, latency, reset) is left out; then the script, and tracesh when it makes it, end "
	"with status 1. "
	"`save --boot` prints kernel parameters that trace from the start.\n"
	"What is in such a board's buffer comes home by examples/board/collect.sh, which needs "
	"busybox alone; it empties (consumes) the buffer:\n"
	" ssh BOARD sh -s <collect.sh >tree.tar; mkdir DIR; tar -C DIR -xf tree.tar\n"
	" tracesh --tracefs DIR drain\n"
	"It takes the formats of the events that are enabled there or in the buffer; an event that is `unknown:N` "
	"all the same has one where it takes all, which is slow: `sh -s -- -a <collect.sh`.\n"
	"If the board's clock was not set, its times are its own, and the header says so. For times by "
	"this machine's clock, within half of what this line takes, while the board is still up:\n"
	" (date +%s.%N; ssh BOARD cat /proc/timer_list; date +%s.%N) \\\n"
	"     >DIR/tracesh/home";

static const struct tsh_example hosts_examples[] = {
	{ "try merge board1.json board2.json", "what two boards have sent, by the wall clock" },
	{ "try merge --skew 500us board1.json board2.json",
	  "the same; their clocks are within 500 us of each other" },
	{ 0 }
};

static const char hosts_text[] =
	"A batch file goes to a board by ssh, and its data come back, with the exit status:\n"
	" ssh board1 tracesh --json -f - <x.tsh >board1.json\n"
	"To many boards, with a file for each, and then as one:\n"
	" parallel -j0 'ssh {} tracesh --json -f - <x.tsh >{}.json' ::: board1 board2\n"
	" tracesh merge board1.json board2.json\n"
	"While it goes on, in a pipe: the board's name stands before each line:\n"
	" pdsh -R ssh -w board[1-9] tracesh --json stream sched_process_exec |\n"
	"     tracesh merge -\n"
	" parallel -j0 --tag --line-buffer ssh {} .. does the same\n"
	"Through a broker, which the boards send to as they can:\n"
	" tracesh --json stream .. | mosquitto_pub -q 1 -l -t trace/$(uname -n)\n"
	" mosquitto_sub -q 1 -F '%t\\t%p' -t 'trace/#' | tracesh merge -\n"
	"The name before a line counts more than the host in the line: a host that is not part of that "
	"name is shown as HOST@NAME, and lines with different names before them are never of one host. "
	"The broker decides who may write to whose topic.\n"
	"The times are the boards' own: their clocks should be kept in step (chrony, PTP), and "
	"`merge --skew TIME` be told by how much they may differ. An event that may have been before "
	"one of another board above it has a ~ before its time.\n"
	"When the connection goes, a stream ends as if its reader had gone: with --restore what was "
	"set is taken back. With a terminal (ssh -t) it is taken back in any case, and Ctrl-C "
	"arrives; without one Ctrl-C ends ssh, and so the stream.";

static const char keys_text[] =
	"The prompt shows the instance, off when nothing is recorded, the tracer, the events that "
	"are enabled, and ro where nothing can be written. `!COMMAND` runs a program.\n"
	" TAB           completes; twice: lists what there is\n"
	" ?             as a word of its own at the end: what can stand here\n"
	" Up, Ctrl-R    the lines before, of other sessions too; search in them\n"
	" Ctrl-C        discards the line; ends stream, drain, run and wait, and\n"
	"               what was typed behind them\n"
	" Ctrl-D        on an empty line leaves, and asks about changed settings\n"
	" Ctrl-Z        stops tracesh; fg brings it back\n"
	" Ctrl-\\        while a command runs as Ctrl-C; else nothing\n"
	"While a stream runs in the foreground:\n"
	" q             ends it, as Ctrl-C does\n"
	" space         stops the printing, and goes on; 8 MB of events are kept\n"
	" /             asks for another filter (Enter: none, Escape: the same)\n"
	" c, t          clear the screen (never the buffer); change the times\n"
	" Enter         an empty line, to find the place again; ? lists the keys\n"
	"Dim text behind the cursor is what can come next: `set hints off` hides it. Other keys are "
	"readline's, see ~/.inputrc and `$if tracesh` in it; it is not read where others may write to it.";

static const struct tsh_example output_examples[] = {
	{ "set format json; stream -n 3 sched_switch | cat", "for jq and other programs" },
	{ "show -o /tmp/trace.txt -n 10", "into a file, which is replaced" },
	{ "set format csv; events sched", "a table for a spreadsheet" },
	{ 0 }
};

static const char output_text[] =
	"What is printed goes to stdout, and all that is said about it to stderr. `-o FILE` and `| "
	"PROGRAM` go with any command that prints. `set format`, or the option --format of tracesh "
	"itself, chooses:\n"
	" text      for people: events as the kernel has them, with wall-clock times\n"
	" json      an object a line, each with a type\n"
	" csv       RFC 4180, the names in the first line\n"
	" kernel    events byte for byte as `cat trace` prints them\n"
	"The objects of a stream: start (host, kernel, instance, clock, error_ns), event (time with "
	"nanoseconds and zone, ts on the trace clock, error_ns, cpu, pid, tgid, comm, flags, event, "
	"fields), lost (cpu, count; null when it is not known), skipped (count, reason), note, end (events, lost, seconds). Numbers "
	"beyond 2^53 and ts are strings, pointers \"0x..\", a time that nobody knows is null. JSON has Unicode "
	"alone: a byte that is not UTF-8 is the character of its number there (\\u00ff), so two names can read alike.\n"
	"A new FILE is for its owner alone when root makes it. What others may have put there is not "
	"written to: no link but /dev/stdout, /dev/stderr and /dev/fd/N, and in a folder that others "
	"may write to no file or FIFO of theirs.\n"
	"Escapes and control bytes of task names, strings and markers are never printed as they are.";

static const struct tsh_example settings_examples[] = {
	{ "set", "all of them, with what they are" },
	{ "set time short", "the time of day without the date" },
	{ "alias sw = stream sched_switch", "a command of one's own" },
	{ 0 }
};

static const char settings_text[] =
	"`set` lists what tracesh can be told about itself, and what each is for; `set NAME VALUE` "
	"changes it for this session. What is set in the kernel is another matter: `status`.\n"
	"A session at the prompt begins with the commands of the system's tracesh.rc and of "
	"tracesh/rc in $XDG_CONFIG_HOME (~/.config): `set` and `alias` lines, mostly. They must belong to root or "
	"to whoever runs tracesh, and nobody else may write to them; --no-rc leaves them out.\n"
	"The history, and events that were saved before they were erased, are in /var/lib/tracesh for "
	"root, in ~/.local/state/tracesh otherwise; $XDG_STATE_HOME names another place.";

const struct tsh_topic tsh_topics[] = {
	{ .name = "intro", .summary = "first steps", .examples = intro_examples,
	  .text = "An event is a place in the kernel that makes a record each time it is passed, with some fields. "
		  "Find one, look at what it carries, watch it.",
	  .see_also = "filters keys" },
	{ .name = "filters", .summary = "what stands after if: the kernel's filters",
	  .text = filters_text, .examples = filters_examples, .see_also = "where enable filter info" },
	{ .name = "where", .summary = "what stands after where: questions of events",
	  .text = where_text, .examples = where_examples, .see_also = "fields filters explain stream" },
	{ .name = "fields", .summary = "what stands after fields: tables of events",
	  .text = fields_text, .examples = fields_examples, .see_also = "where stream info" },
	{ .name = "time", .summary = "times of events, and moments that one types",
	  .text = time_text, .examples = time_examples, .see_also = "show set clocks" },
	{ .name = "batch", .summary = "files of commands, variables, errors in them",
	  .text = batch_text, .examples = batch_examples, .see_also = "source try let save" },
	{ .name = "clocks", .summary = "the trace clocks and what they are good for",
	  .text = clocks_text, .examples = clocks_examples, .see_also = "clock time" },
	{ .name = "boards", .summary = "small machines, and machines without tracesh",
	  .text = boards_text, .examples = boards_examples, .see_also = "hosts record save buffer" },
	{ .name = "hosts", .summary = "many boards: ssh, brokers, and their streams as one",
	  .text = hosts_text, .examples = hosts_examples, .see_also = "merge boards batch output" },
	{ .name = "output", .summary = "text, JSON and CSV, files and programs",
	  .text = output_text, .examples = output_examples, .see_also = "fields set stream" },
	{ .name = "settings", .summary = "settings of tracesh, aliases, rc files, the history",
	  .text = settings_text, .examples = settings_examples, .see_also = "set alias history" },
	{ .name = "keys", .summary = "the prompt and its keys",
	  .text = keys_text, .see_also = "set help" },
	{ 0 }
};

const struct tsh_topic *tsh_topic_find(const char *name)
{
	const struct tsh_topic *topic;

	for (topic = tsh_topics; topic->name; topic++)
		if (!strcmp(topic->name, name))
			return topic;
	return NULL;
}
