# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0-or-later
# For the tests on a real tracefs. A test starts with
#
#	. "${SRC:-$(dirname "$0")/../..}/tests/lib.sh"
#	need_tracefs
#	. "$SRC/tests/live/lib-live.sh"
#
# and is a row of cases, `begin NAME` and what it does and checks, ended by `finish`. At the end of each case the
# settings of tracefs are as they were before it, a marker that was written to the top-level buffer is still there, and
# events still come there: an emptied pid list lets nothing pass and looks like the default.
#
# Somebody else may use the top-level instance. Then the cases that say "# needs top" are skipped, nothing is written there,
# and what is there is not looked at. A case needs it when it changes it, or says what is in it.

# Two test files at once would see each other's settings in the top-level instance. A file that says "# beside others" may run
# beside others that say so: it sets nothing there, makes no probe that outlives a session, and neither leaves behind what
# `recover` takes out of tracefs (an instance or a probe of a tracesh that was killed) nor looks for that; a journal, in its own
# /run, it may leave. A guest runs one file at a time.
if [ -z "${TSH_LIVE_ALONE-}" ] && [ ! -e /run/vm/main ]; then
	alone=0
	shares=
	! grep -q '^# beside others' "$0" || shares=-s
	# what is ended with the lock does not go on without it
	tied=
	! setpriv --pdeathsig TERM true 2>/dev/null || tied='setpriv --pdeathsig TERM'
	# shellcheck disable=SC2086 # words, or none
	TSH_LIVE_ALONE=yes TSH_TEST_MOUNTED=yes flock $shares -o -w 200 -E 75 "$TRACING/README" $tied sh "$0" || alone=$?
	[ "$alone" -ne 75 ] || skip_all 'other tests hold this tracefs'
	exit "$alone"
fi
unset TSH_LIVE_ALONE
beside=
[ -e /run/vm/main ] || ! grep -q '^# beside others' "$0" || beside=yes

. "$SRC/tests/live/lib-top.sh"
# who uses the top-level instance, in words, when the rest of the file runs without it
TOP_USER=${TSH_LIVE_TOP_USER-}
unset TSH_LIVE_TOP_USER

# find_owner NAME: $live_owner is the process that is named in the name of an instance; empty where none is
find_owner()
{
	case $1 in
	tracesh-bench-*) live_owner=${1#tracesh-bench-} ;;
	tracesh-*-* | live-*-*) live_owner=${1#*-} ;;
	*) live_owner= ;;
	esac
	live_owner=${live_owner%%-*}
}

# Instances of tests that were killed: nobody else removes them.
for live_left in "$TRACING"/instances/live-*-*/; do
	find_owner "${live_left#"$TRACING"/instances/}"
	[ ! -d "$live_left" ] || [ -d "/proc/$live_owner" ] || rmdir "$live_left" || :
done

case_name='' case_number=0 case_erases=''
children='' D='' I=''
# The systems whose filters and triggers are looked at after each case; all of them at the end of the file.
touched='sched signal task net ftrace raw_syscalls oom'

# ---- the state of tracefs ----

# sum_events DIRECTORY: of all CPUs of an instance, into $live_sum: how many events were written to it, and are not erased.
# Starts no program, which takes long in a guest.
sum_events()
{
	live_sum=0
	for live_stats in "$1"/per_cpu/cpu*/stats; do
		while IFS=: read -r live_word live_number; do
			case $live_word in
			entries | overrun | 'read events') live_sum=$((live_sum + live_number)) ;;
			esac
		done <"$live_stats" || return
	done
}

# count_events DIRECTORY: prints that number
count_events()
{
	sum_events "$1" && echo "$live_sum"
}

# Instances, but not those of programs that run: they are other people's, ours have ended.
list_instances()
(
	for directory in "$TRACING"/instances/*/; do
		[ -d "$directory" ] || continue
		name=${directory%/}
		name=${name##*/}
		find_owner "$name"
		# others have those of a name that nothing here uses
		if [ -z "$live_owner" ]; then
			grep -qsF -e "$name" "$0" "$TMP/examples" || continue
			live_owner=$$
		fi
		[ "$live_owner" != $$ ] && [ -d "/proc/$live_owner" ] || echo "instances/$name"
	done
)

# without_others_probes: of the lines of a dump, not those of a probe whose group nothing here names, or of a program that
# runs: others may make one, and delete it, at any time
without_others_probes()
{
	if ! read -r live_line 2>/dev/null <"$TRACING/dynamic_events"; then
		cat
		return
	fi
	awk -v file="$0" '
		BEGIN {
			while ((getline line <file) > 0)
				text = text line "\n"
		}
		{ line = $0 }
		sub(/^([kud]|synth)[a-z]*_events:/, "", line) || /^[a-z][0-9]*:/ {
			sub(/^[a-z][0-9]*:/, "", line)
			sub(/[\/ \t].*/, "", line)
			if (line !~ /^(tracesh|live|tsh)/ && !index(text, line))
				next
			comm = sub(/^tracesh_/, "/proc/", line) ? line "/comm" : "/dev/null"
			runs = (getline other <comm) > 0
			close(comm)
			if (runs)
				next
		}
		{ print }'
}

# dump [SYSTEM..]: every setting, one a line as FILE:TEXT, with the filters and triggers of these systems, or of all
dump()
{
	[ $# -gt 0 ] || set -- '*'
	list_instances
	if [ -n "$TOP_USER" ]; then
		cat "$TRACING/dynamic_events" 2>&1 | without_others_probes
		return
	fi
	(
		cd "$TRACING" || exit 1
		files=
		live_systems=$*
		for system; do
			files="$files events/$system/*/filter events/$system/*/trigger"
		done
		set --
		for name in tracing_on current_tracer trace_clock buffer_size_kb per_cpu/cpu*/buffer_size_kb \
			buffer_percent buffer_subbuf_size_kb saved_cmdlines_size tracing_cpumask tracing_thresh \
			trace_options options/* set_event set_event_pid set_event_notrace_pid set_ftrace_pid \
			set_ftrace_notrace_pid set_ftrace_filter set_ftrace_notrace set_graph_function \
			set_graph_notrace max_graph_depth kprobe_events uprobe_events synthetic_events \
			dynamic_events stack_trace_filter; do
			[ ! -e "$name" ] || set -- "$@" "$name"
		done
		# What cannot be read says so, each time the same. Of a few systems in one go: of all that would be long.
		# shellcheck disable=SC2086 # globs
		if [ "$live_systems" != '*' ]; then
			grep -H '' "$@" $files 2>&1
		else
			grep -H '' "$@" 2>&1
			grep -Hsv -e '^none$' -e '^#' $files
		fi
	) | without_others_probes
}

# Whether the top-level buffer takes events; not beside others, who would see the event enabled. As few as it can be: whoever
# looks for a marker there, as each case does at its end, reads all of them.
events_come()
{
	sum_events "$TRACING"
	live_count=$live_sum
	read -r live_state <"$TRACING/events/sched/sched_switch/enable"
	live_tries=0
	while [ $live_tries -lt 100 ]; do
		echo 1 >"$TRACING/events/sched/sched_switch/enable"
		# who waits for a child lets others run
		(:)
		echo "${live_state%\*}" >"$TRACING/events/sched/sched_switch/enable"
		sum_events "$TRACING"
		[ "$live_sum" -le "$live_count" ] || return 0
		live_tries=$((live_tries + 1))
	done
	return 1
}

# state_is BEFORE [SYSTEM..]: the dump is what it was. What a tracesh that was killed before the file began had left may be
# gone: the next one sweeps it.
state_is()
{
	live_before_file=$1
	shift
	dump "$@" >"$TMP/state"
	! cmp -s "$live_before_file" "$TMP/state" || return 0
	# never empty: busybox's grep -v takes no line at all then
	{ echo instances/none && grep '^instances/tracesh-' "$TMP/first" | grep -Fvxf "$TMP/state"; } >"$TMP/swept"
	grep -Fvxf "$TMP/swept" "$live_before_file" >"$TMP/expected"
	cmp -s "$TMP/expected" "$TMP/state"
}

# same_state BEFORE NAME [SYSTEM..]: the dump is what it was; the difference names the file. Beside others an instance of a
# tracesh that they have killed may be there until its guard has removed it, or a probe until its session ends.
same_state()
{
	live_before=$1 live_name=$2
	shift 2
	! state_is "$live_before" "$@" || return 0
	[ -z "$beside" ] || ! (await_most=40 && await state_is "$live_before" "$@") || return 0
	fail "$live_name: tracefs is as it was before"
	diff "$TMP/expected" "$TMP/state" | sed -n 's/^</before:/p; s/^>/now:/p' | cat -v | diag
	return 1
}

# ---- cases ----

# begin NAME: a new case, after the end of the one before
begin()
{
	end_case
	case_name=$1
	case_number=$((case_number + 1))
	case_erases=
	[ -n "$TOP_USER" ] || printf 'live-%s-%s' $$ "$case_number" >"$TRACING/trace_marker"
}

# leave_out NAME: a case that needs the top-level instance, which somebody uses
leave_out()
{
	end_case
	skip "$1" "top-level instance in use: $TOP_USER"
}

# find_usual_options: as the kernel sets those that somebody has set otherwise. A new instance begins with theirs.
find_usual_options()
{
	sed -n -e 's/^no\(print-parent\|context-info\|annotate\|record-cmd\|overwrite\|irq-info\|markers\)$/\1/p' \
		-e '/^\(sym-offset\|sym-addr\|sym-userobj\|verbose\|raw\|hex\|bin\|block\|fields\|record-tgid\)$/s/^/no/p' \
		-e '/^\(stacktrace\|userstacktrace\|latency-format\|disable_on_free\|pause-on-trace\)$/s/^/no/p' "$TRACING/trace_options"
}

# fresh: an instance of the case's own, called $I, at $D, as mkdir makes it
fresh()
{
	remove_instance
	I=live-$$-$case_number
	D=$TRACING/instances/$I
	mkdir "$D" || fail "$case_name: no instance for the test"
	for live_option in $usual_options; do
		echo "$live_option" >"$D/trace_options"
	done
}

# real_pointers: the kernel prints the case's instance with its pointers as they are, where it can. Where it was booted
# so the option stays alone: off, it makes 6.1 lose the strings as well.
real_pointers()
{
	grep -qw no_hash_pointers /proc/cmdline || [ ! -e "$D/options/hash-ptr" ] || echo 0 >"$D/options/hash-ptr"
}

# only_ours: in the case's instance come events of this test's tasks alone, where two texts of them are compared: the name of
# another one may become known in between, or be of several lines
only_ours()
{
	echo 1 >"$D/options/event-fork"
	echo $$ >"$D/set_event_pid"
}

# register: one that this machine has, as probes are written
register()
{
	case $(uname -m) in
	aarch64) echo %x0 ;;
	arm*) echo %r0 ;;
	ppc64*) echo %gpr3 ;;
	s390x) echo %r2 ;;
	*) echo %di ;;
	esac
}

remove_instance()
{
	[ -n "$I" ] || return 0
	live_tries=0
	while [ -d "$D" ] && ! rmdir "$D" 2>/dev/null; do
		live_tries=$((live_tries + 1))
		if [ $live_tries -gt 40 ]; then
			fail "$case_name: the test's instance can be removed"
			break
		fi
		sleep 0.05
	done
	D='' I=''
}

end_case()
{
	[ -n "$case_name" ] || return 0
	reap
	remove_instance
	! case_is_clean || pass "$case_name: leaves tracefs as it was"
	case_name=
}

case_is_clean()
{
	live_clean=0
	# shellcheck disable=SC2086
	same_state "$TMP/before" "$case_name" $touched || live_clean=1
	cmp -s "$TMP/state" "$TMP/before" || mv "$TMP/state" "$TMP/before"
	[ -n "$TOP_USER" ] || top_is_as_it_was || live_clean=1
	return $live_clean
}

# top_is_as_it_was: the case has taken nothing out of the top-level buffer, and events still come there
top_is_as_it_was()
{
	top_clean=0
	if [ -z "$case_erases" ] && ! grep -q "live-$$-$case_number\$" "$TRACING/trace"; then
		fail "$case_name: the marker in the top-level buffer is still there"
		top_clean=1
	fi
	if [ -z "$beside" ] && ! events_come; then
		fail "$case_name: sched_switch enabled in the top-level buffer shows events"
		top_clean=1
	fi
	return $top_clean
}

# erases: this case is about erasing the top-level buffer
erases()
{
	# shellcheck disable=SC2034
	case_erases=yes
}

# finish: the end of the file
finish()
{
	end_case
	if same_state "$TMP/first" "all filters and triggers"; then
		pass "all filters and triggers are as they were"
	fi
	done_testing
}

# ---- running tracesh ----

# t ARGUMENT..: as run
t()
{
	run "$TRACESH" "$@"
}

# start OUT COMMAND..: in the background, its stdout in OUT and its stderr in OUT.err; its pid is $child
start()
{
	start_out=$1
	shift
	# What is there of a case before must not be taken for its output.
	: >"$start_out"
	: >"$start_out.err"
	# A shell's background processes ignore SIGINT. With its path: the sh of a board would take its own env.
	/usr/bin/env --default-signal=INT,QUIT "$@" >"$start_out" 2>"$start_out.err" </dev/null &
	child=$!
	children="$children $child"
}

# await COMMAND..: until it succeeds; false after a long time ($await_most tries), which is said, as no test may live on it.
# Most of what is awaited comes at once.
await()
{
	await_tries=0
	until "$@" >/dev/null 2>&1; do
		await_tries=$((await_tries + 1))
		[ $await_tries -lt "${await_most:-600}" ] || { diag "${case_name-}: waited in vain: $*"; return 1; }
		if [ $await_tries -lt 10 ]; then sleep 0.01; else sleep 0.05; fi
	done
}

# more_events_than N: were written to the case's instance
more_events_than()
{
	[ "$(count_events "$D")" -gt "$1" ]
}

# preload NAME: $PRELOAD is tests/helpers/NAME.c built for LD_PRELOAD; false, and the case is skipped: there is no compiler
preload()
{
	PRELOAD=$TMP/$1.so
	if ! "${CC:-cc}" -shared -fPIC -o "$PRELOAD" "$SRC/tests/helpers/$1.c" -ldl 2>"$TMP/cc.err"; then
		skip "$case_name" "no compiler: $(head -n 1 "$TMP/cc.err")"
		return 1
	fi
	# the sanitizer wants to be the first
	PRELOAD="$(ldd "$TRACESH" | sed -n 's/.*=> \(.*libasan[^ ]*\).*/\1/p') $PRELOAD"
}

# mount_new TYPE: a new file system at $TMP/small, or says why there is none
mount_new()
{
	mkdir -p "$TMP/small"
	if [ "$1" = tmpfs ]; then
		mount -t tmpfs -o size=40m,nr_inodes=10000 none "$TMP/small" 2>/dev/null || echo 'no tmpfs can be mounted'
		return
	fi
	command -v "mkfs.$1" >/dev/null || { echo "no mkfs.$1"; return; }
	modprobe -q "$1" 2>/dev/null
	modprobe -q loop 2>/dev/null
	rm -f "$TMP/image"
	# what root alone may use is none
	case $1 in ext4) set -- "$1" 40M -m 0 ;; *) set -- "$1" 320M ;; esac
	truncate -s "$2" "$TMP/image"
	{ "mkfs.$1" -q ${3+"$3" "$4"} "$TMP/image" && mount -t "$1" -o loop "$TMP/image" "$TMP/small"; } >"$TMP/log" 2>&1 ||
		echo "$1 cannot be mounted: $(tail -n 1 "$TMP/log")"
}

# blocks_behind: of 512 bytes, in the files of pages beyond the block in which each ends
blocks_behind()
{
	find "$1" -name trace_pipe_raw -exec stat -c '%b %s' {} + |
		awk '{ n = $1 - int(($2 + 4095) / 4096) * 8; if (n > 0) sum += n } END { print sum + 0 }'
}

# date, also where the shell would take its own, which knows no %N
date()
{
	/usr/bin/env date "$@"
}

# sleeper [FILE]: a task that sleeps, and has this file open; its pid is $sleeper
sleeper()
{
	sleep 3000 <"${1-/dev/null}" &
	sleeper=$!
	children="$children $sleeper"
	await grep -qx sleep "/proc/$sleeper/comm"
}

# quiet_tasks: two that neither fork nor end before the test does, $quiet_task and $other_quiet_task. With event-fork the
# kernel lists what a listed task forks, and takes out one that exits; and a number that no task has is soon somebody's.
quiet_tasks()
{
	sleep 3000 </dev/null >/dev/null 2>&1 &
	quiet_task=$!
	sleep 3000 </dev/null >/dev/null 2>&1 &
	other_quiet_task=$!
	at_exit "kill -KILL $quiet_task $other_quiet_task"
}

# let_go: no journal is held any more. A guard that was killed holds it, as its session did, until it has ended. By a
# descriptor: flock makes a file of a name that has just gone.
let_go()
{
	for live_journal in /run/tracesh/*.journal /var/lib/tracesh/*.journal; do
		[ ! -e "$live_journal" ] || flock -n /proc/self/fd/9 true 9<"$live_journal" || return 1
	done
}

# free_number: one that no process has, here or in a namespace inside, in $free. The next ones that are given are above
# ours.
free_number()
{
	free=$(($$ - 100))
	[ $free -gt 1000 ] || free=$(($(cat /proc/sys/kernel/pid_max) - 1000))
	while [ -d "/proc/$free" ] || [ -d "/proc/$((free + 1))" ] || grep -qsE "^NSpid:.*[[:space:]]$free\$" /proc/[0-9]*/status; do
		free=$((free - 7))
	done
}

# second_is OPTIONS: the second place of journals is a file system of its own, mounted so
second_is()
{
	mkdir -p -m 700 /var/lib/tracesh
	mount -t tmpfs -o "mode=700,$1" tmpfs /var/lib/tracesh
}

# is_streaming PID: the instance of that tracesh records. It is on at first, too, before an event is enabled in it.
is_streaming()
{
	[ -n "$(cat "$TRACING/instances/tracesh-$1-"*/set_event 2>/dev/null)" ] &&
		[ "$(cat "$TRACING/instances/tracesh-$1-"*/tracing_on 2>/dev/null)" = 1 ]
}

# names_are_noted: of all who were traced. The kernel notes a name at the next switch on the event's CPU; while tracing is
# off the names stay then as they are, and texts that are made one after the other have the same.
names_are_noted()
{
	for live_cpu in $(seq 0 $(($(getconf _NPROCESSORS_ONLN) - 1))); do
		taskset -c "$live_cpu" true
	done
}

# gone PID: it has ended. An orphan may stay a zombie for seconds: whoever inherits it reaps it when it likes.
gone()
{
	! grep -qs '^State:[[:space:]]*[^Z[:space:]]' "/proc/$1/status"
}

# ended PID: waits for a child, into $status; false, and the child killed, when it does not end
ended()
{
	status=
	await gone "$1" || {
		kill -KILL "$1" 2>/dev/null
		wait "$1" 2>/dev/null
		status=hangs
		return 1
	}
	status=0
	wait "$1" || status=$?
}

# is_ours PID: this shell has started it, or something that did. Its number is somebody else's when it has ended and was waited for.
is_ours()
{
	live_parent=
	while read -r live_word live_parent; do
		[ "$live_word" != PPid: ] || break
	done 2>/dev/null <"/proc/$1/status" || return 1
	[ "$live_parent" = $$ ] || grep -qsF "HOME=$HOME" "/proc/$1/environ"
}

# What the case has started ends with it.
reap()
{
	for live_one in $children; do
		! is_ours "$live_one" || kill -KILL "$live_one" 2>/dev/null
		wait "$live_one" 2>/dev/null
	done
	children=
}

# ---- checks; the case's name stands before theirs ----

# expect STATUS WHAT: of the last t or run; what it printed is shown otherwise
expect()
{
	if [ "$status" = "$1" ]; then
		pass "$case_name: $2"
		return 0
	fi
	fail "$case_name: $2"
	diag "status $status, not $1"
	head -c 2000 "$TMP/out" | cat -v | sed 's/^/stdout: /' | diag
	head -c 2000 "$TMP/err" | cat -v | sed 's/^/stderr: /' | diag
}

# says REGEX WHAT, prints REGEX WHAT: a line of its stderr, of its stdout
says()
{
	like "$err" "$1" "$case_name: $2"
}

prints()
{
	like "$out" "$1" "$case_name: $2"
}

same()
{
	is "$1" "$2" "$case_name: $3"
}

# file_is FILE TEXT WHAT: a file below the case's instance
file_is()
{
	is "$1: $(cat "$D/$1" 2>&1)" "$1: $2" "$case_name: $3"
}

# true_that WHAT COMMAND..
true_that()
{
	live_what=$1
	shift
	ok "$case_name: $live_what" "$@"
}

# false_that WHAT COMMAND..: it fails
false_that()
{
	live_what=$1
	shift
	if "$@" >"$TMP/ok" 2>&1; then
		fail "$case_name: $live_what"
		diag "succeeds: $*"
		head -n 20 "$TMP/ok" | cat -v | diag
	else
		pass "$case_name: $live_what"
	fi
}

# json FILE SCRIPT: python over the lines of FILE, as objects in `rows`; skipped without python3
json()
{
	if [ -z "$PYTHON" ]; then
		skip "$case_name: $1" 'no python3'
		return
	fi
	true_that "$1" "$PYTHON" -c "
import json, sys
rows = [json.loads(line) for line in open('$2')]
events = [row for row in rows if row['type'] == 'event']
$3"
}

# Instances of tracesh's own, of programs that have ended: there should be none that was not there before.
no_own_instance()
{
	! list_instances | grep "/tracesh-" | grep -Fqvxf "$TMP/first"
}

# ---- before the first case ----

[ -x "$TRACESH" ] || { fail "no program $TRACESH"; done_testing; }
# A wrapper around it would take seconds in the emulated guest.
PYTHON=$(command -v /usr/bin/python3 || command -v python3 || :)
at_exit 'reap; remove_instance'
# without_top WHO: runs the rest of the file without what needs the top-level instance, which WHO uses
without_top()
{
	awk -f "$SRC/tests/live/leave-out.awk" "$0" >"$TMP/${0##*/}"
	[ -s "$TMP/${0##*/}" ] || skip_all "top-level instance in use: $1"
	export SRC BUILD TRACESH
	TSH_LIVE_TOP_USER=$1 TSH_LIVE_ALONE=yes TSH_TEST_MOUNTED=yes sh "$TMP/${0##*/}"
	exit
}

# expand_buffer: to the size that it says, which the first event would do; that is no setting
expand_buffer()
{
	live_size=$(sed -n 's/.*(expanded: \([0-9]*\))$/\1/p' "$TRACING/buffer_size_kb")
	[ -z "$live_size" ] || echo "$live_size" >"$TRACING/buffer_size_kb"
}

if [ -z "$TOP_USER" ]; then
	# nobody does in a guest without a setup
	live_user=
	[ -e /run/vm/main ] && [ -z "${TRACESH_VM_SETUP-}" ] || live_user=$(top_user)
	[ -z "$live_user" ] || without_top "$live_user"
	expand_buffer
	[ -n "$beside" ] || events_come || without_top 'it lets no events through'
fi
usual_options=$(find_usual_options)
dump >"$TMP/first"
# shellcheck disable=SC2086 # a list of words
dump $touched >"$TMP/before"
