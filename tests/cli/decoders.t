#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Events that tracesh cannot print, printed by libtraceevent and its plugins: of a recording, whose format a test has changed.
. "${SRC:-$(dirname "$0")/../..}/tests/lib.sh"

cd "$TMP" || exit 1
cp -r "$SRC/examples/recorded" tree && chmod -R u+w tree
HOME=$TMP/home
export HOME
mkdir -p home
t()
{
	run timeout -k 5 120 "$TRACESH" --tracefs tree "$@" </dev/null
}
# print_format TEXT: sched_switch's is that
format=tree/events/sched/sched_switch/format
cp "$format" format.is
print_format()
{
	sed '/^print fmt:/d' format.is >"$format"
	printf 'print fmt: %s\n' "$1" >>"$format"
}
# switches [WHO..]: what is printed behind sched_switch's name in the first lines
switches()
{
	timeout -k 5 120 "${@:-env}" "$TRACESH" --tracefs tree drain >all 2>said </dev/null
	sed -n 's/.* sched_switch: //p' all | head -n 3
}

print_format '"pid=%d op=%s", REC->next_pid, nosuch_function(REC->next_prio)'
fields=$(switches)
like "$fields" '^prev_comm=.* next_prio=[0-9]+$' 'what nobody knows is name=value'
t info sched_switch
like "$out" "^  text: +name=value of the fields, for 'nosuch_function' is not known" 'info says so'
print_format '"pid=%d op=%s %s %s %s", REC->next_pid, other_function(1, third_function(REC->next_prio)), nosuch_function(REC->next_prio), other_function(2, 3), REC->prev_comm'
t info sched_switch
like "$out" "for 'other_function', 'third_function' and 'nosuch_function' are not known" 'info names all, once each'
print_format '"pid=%d op=%s", REC->next_pid, nosuch_function(REC->next_prio)'
case $("$TRACESH" --version) in
*'no libtraceevent'*)
	like "$out" '; this build is without libtraceevent$' 'and what the build is without'
	t set decoders all
	like "$err" 'error: this build is without libtraceevent$' 'all cannot be set then'
	skip 'what libtraceevent prints' 'a build without libtraceevent'
	done_testing
	;;
esac

print_format '"prio=%d", nosuch_constant + REC->next_prio'
is "$(switches)" "$fields" 'a name that its parser would take for 0 is no number'

# A plugin of the distribution's

folder=$(ldd "$TRACESH" 2>/dev/null | sed -n 's/.*libtraceevent[^ ]* => \(.*\)\/[^/]* (.*/\1/p')
folder=$(realpath "${folder:-/}")/traceevent/plugins
xen='"op=%s", xen_hypercall_name(REC->next_pid)'
print_format "$xen"
if [ -f "$folder/plugin_xen.so" ]; then
	like "$(switches)" '^op=\(set_timer_op\)$' 'a plugin that knows the function is asked'
	t info sched_switch
	like "$out" "^  text: +by libtraceevent's plugin xen, for 'xen_hypercall_name' is not known$" 'info names it'
	t --json info sched_switch
	like "$out" "\"printed_by\":\"libtraceevent's plugin xen\"" 'as JSON'
	t -c 'set decoders off' -c 'info sched_switch'
	like "$out" '^  text: +name=value of the fields, for' 'not when decoders are off'
	t -q -c 'set decoders off' -c drain
	like "$out" ' sched_switch: prev_comm=' 'nor in a stream'
	print_format '"%#x %#06x %#llx %#4x %d%% op=%s", REC->prev_pid, REC->next_pid, (u64)REC->prev_pid, REC->next_pid, REC->next_pid, xen_hypercall_name(REC->next_pid)'
	is "$(switches | head -n 1)" '0x0 0x000f 0x0  0xf 15% op=(set_timer_op)' 'numbers as the kernel has them'
	print_format '"%s res %s", xen_hypercall_name(0), REC->next_prio == 120 ? "one" : REC->next_prio == 2 ? "two" : "???"'
	is "$(switches | head -n 1)" '(set_trap_table) res one' 'a condition behind another one'
	for doubtful in 'REC->next_prio - 5 - 1' 'REC->next_prio & (1 | 2)' 'REC->next_prio > 120 - 1' 'REC->next_prio < 0'; do
		print_format "\"%s res %d\", xen_hypercall_name(0), $doubtful"
		is "$(switches)" "$fields" "$doubtful: its parser would take it for another, and is not asked"
	done
	cp format.is "$format"
	usual=$(switches)
	t -q -c 'set decoders all' -c 'info sched_switch'
	like "$out" "^  text: +by libtraceevent's plugin sched_switch$" 'all: what tracesh prints, too'
	t -q -c 'set decoders all' -c drain
	like "$out" ' sched_switch: [^ ].*:[0-9]+ \[[0-9]+\] .* ==> ' 'as other programs print it'
	t -q -c 'set decoders on' -c drain
	is "$(printf '%s\n' "$out" | sed -n 's/.* sched_switch: //p' | head -n 3)" "$usual" 'on: not what tracesh prints'
else
	skip "a plugin of the distribution's" 'no plugin_xen.so'
fi
t set decoders some
like "$err" "hint: .*one of: on, off, all" 'a value that is none is refused'

# Plugins of our own

cat >plugin.c <<'C'
#include <event-parse.h>
#include <stdlib.h>
#include <string.h>
#include <trace-seq.h>
static int print(struct trace_seq *s, struct tep_record *record, struct tep_event *event, void *context)
{
	(void)record; (void)context;
	if (!strcmp(WHAT, "dies"))
		((volatile char *)0)[0] = 0;
	if (!strcmp(WHAT, "loops"))
		for (volatile int i = 0;; i++)
			;
	if (!strcmp(WHAT, "ends"))
		exit(3);
	if (!strcmp(WHAT, "names")) {
		trace_seq_printf(s, "%s %s", tep_find_function(event->tep, 0x1020), tep_find_function(event->tep, 0x1120));
	} else if (strcmp(WHAT, "nothing")) {
		int file = open("/etc/passwd", O_RDONLY), child = fork();

		if (!child)
			_exit(0);
		trace_seq_printf(s, "%s uid %d, file %d, child %d, signal %d", WHAT, (int)geteuid(), file, child, kill(getppid(), 0));
	}
	return 0;
}
int TEP_PLUGIN_LOADER(struct tep_handle *tep)
{
	tep_register_event_handler(tep, -1, "sched", "sched_switch", print, NULL);
	return 0;
}
C
# plugin WHAT FOLDER: makes one
plugin()
{
	mkdir -p "$2"
	# shellcheck disable=SC2046 # a list of words
	"${CC:-cc}" -include unistd.h -include fcntl.h -include signal.h -DWHAT="\"$1\"" -shared -fPIC -o "$2/plugin_ours.so" plugin.c $(pkg-config --cflags libtraceevent) 2>cc.log
}
print_format '"pid=%d", nosuch_function(REC->next_pid)'
chmod 755 . home
if ! plugin mine "$TMP/own" || ! plugin mine home/.local/lib/traceevent/plugins; then
	skip 'plugins of our own' "no compiler, or no headers: $(head -n 1 cc.log)"
	done_testing
fi
if [ "$(id -u)" -ne 0 ]; then
	like "$(switches)" "^mine uid $(id -u), file -1, child -1, signal -1$" "a user's own plugin is taken"
	skip 'as root' 'not root'
	done_testing
fi
is "$(switches env TRACEEVENT_PLUGIN_DIR="$TMP/own")" "$fields" 'as root no folder is looked at that the environment names'
if ! unshare -m true 2>/dev/null || [ ! -d "$folder" ]; then
	skip "in the distribution's folder" 'no mount namespace, or no folder of plugins'
	done_testing
fi
# there WHAT: what is printed when the distribution has that plugin
there()
{
	plugin "$1" "$TMP/there" && switches unshare -m sh -c 'mount --bind "$0" "$1" && shift && exec "$@"' "$TMP/there" "$folder"
}
is "$(there mine | sort -u)" 'mine uid 65534, file -1, child -1, signal -1' "root's plugins are run by nobody"
is "$(there nothing)" "$fields" 'one that prints nothing: name=value'
unlike "$(cat said)" libtraceevent 'which is no failure'
printf '%s T %s\n' 0000000000001000 first 0000000000001100 last >tree/kallsyms
is "$(there names | sort -u)" 'first last' 'functions have the names that tracesh gives them'
is "$(there dies)" "$fields" 'one that dies: name=value'
is "$(grep -cE 'libtraceevent (died at sched:sched_switch \(Segm|ended at sched)' said)" 1 'which is said once'
is "$(there ends)" "$fields" 'one that ends: name=value'
is "$(grep -c 'libtraceevent ended at sched:sched_switch: the event is printed without it' said)" 1 'which is said once, too'
is "$(there loops)" "$fields" 'one that loops: name=value'
is "$(grep -c 'libtraceevent did not answer for sched:sched_switch: the event is printed without it' said)" 1 'which is said once, as well'
t -c 'set decoders all' -c 'set pointers hidden' -c 'drain -n 1'
like "$err" 'pointers are hidden, so tracesh prints all events itself' 'hidden pointers are not shown by it'
if [ -n "$PYTHON" ]; then
	plugin loops "$TMP/there"
	unshare -m sh -c 'mount --bind "$0" "$1" && shift && exec "$@"' "$TMP/there" "$folder" \
		"$PYTHON" -I "$SRC/tests/helpers/pty.py" "$TRACESH" -q --color never --tracefs tree >typed 2>&1 <<-'S'
		expect > $
		send drain\r
		shell until grep -q [t]rsh-decoders /proc/[0-9]*/comm 2>/dev/null; do :; done
		send \x03
		expect > $
		send quit\r
	S
	unlike "$(cat typed)" 'is silent' 'Ctrl-C ends the wait for one that loops'
	like "$(cat typed)" '\[exit 0\]$' 'and nothing else'
fi
is "$(plugin mine "$TMP/there" && chmod 666 "$TMP/there/plugin_ours.so" &&
	switches unshare -m sh -c 'mount --bind "$0" "$1" && shift && exec "$@"' "$TMP/there" "$folder")" "$fields" \
	'one that others can write to is not loaded'
done_testing
