#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# time limit: 900
# The commands that only look, on the recorded tree: lists, help, settings, completion, the man page.
. "${SRC:-$(dirname "$0")/../..}/tests/lib.sh"

cd "$TMP" || exit 1
# With the lists that a recording does not have
cp -r "$SRC/examples/recorded" tree && chmod -R u+w tree
mkdir -p tree/options tree/instances/latency
echo 'function_graph function wakeup_rt nop' >tree/available_tracers
for option in record-tgid record-cmd hash-ptr; do
	echo 0 >"tree/options/$option"
done
tab=$(printf '\t')
t()
{
	run timeout -k 5 60 "$TRACESH" --tracefs tree "$@"
}

# prints NAME WANT ARGUMENT..: exactly that, and nothing on stderr
prints()
{
	name=$1
	want=$2
	shift 2
	t "$@"
	is "status $status, $err$out" "status 0, $want" "$name"
}

# events, systems

t events
is "$(sort out)" "$(sort tree/available_events)" 'events: exactly available_events'
is "$(wc -l <out)" "$(wc -l <tree/available_events)" 'each once'
sched=$(grep '^sched:' tree/available_events | sort)
prints 'a system' "$sched" events sched
prints 'a system with a colon' "$sched" events sched:
prints 'a system with a slash' "$sched" events sched/
prints 'a system and a glob' "$sched" events 'sched:*'
prints 'a glob of names' "$(grep ':sched_p' tree/available_events | sort)" events 'sched_p*'
prints 'another' 'sched:sched_switch
syscalls:sys_enter_openat
syscalls:sys_exit_openat
task:task_rename' events 's*:*_[s]witch' '*openat' '????_rename'
prints 'a bare name' sched:sched_switch events sched_switch
prints 'a bare name with a colon' sched:sched_switch events :sched_switch
prints 'an event twice is listed once' sched:sched_switch events sched_switch sched:sched_switch 'sched_sw*'
prints 'events --field NAME' 'sched:sched_switch  prev_state  long' events --field prev_state
prints 'events --field GLOB' 'sched:sched_switch  prev_comm  char[16]
sched:sched_switch  next_comm  char[16]' events --field '*_comm' sched_switch
prints 'events --field TYPE' "$(grep -l 'field:pid_t ' tree/events/*/*/format | cut -d / -f 3,4 | tr / : | sort)" \
	-c "events --field 'pid_[t]' | cut -d ' ' -f 1 | sort -u"
prints 'events --field that no event has' '' events --field nosuchfield
: >tree/set_event
prints 'events --on: none' '' events --on
echo 'sched:sched_switch' >tree/set_event
prints 'events --on: one' sched:sched_switch events --on
prints 'events --on SYSTEM' '' events --on task
prints 'systems' 'net       1  0
sched     5  1
syscalls  2  0
task      1  0' systems

# info

t info sched:sched_switch
awk -F'[:;\t]+' '/^\tfield:/ {
	name = $3
	sub(/\[.*/, "", name)
	sub(/.*[ *]/, "", name)
	for (i = 4; i <= NF; i++) {
		if ($i == "offset") offset = $(i + 1)
		if ($i == "size") size = $(i + 1)
		if ($i == "signed") sign = $(i + 1) ? "yes" : "no"
	}
	print name, offset, size, sign
}' tree/events/sched/sched_switch/format >want
is "$(awk '/^  print:/ { exit } NR > 2 { print $(NF - 3), $(NF - 2), $(NF - 1), $NF }' out)" "$(cat want)" \
	'info: each field with offset, size and sign as the format file has them'
is "$(wc -l <want)" 11 'which are eleven'
like "$out" '^    char\[16\] +prev_comm +8 +16 +yes$' 'with its C type'
is "$(sed -n 's/^  print:    //p' out)" "$(sed -n 's/^print fmt: //p' tree/events/sched/sched_switch/format)" 'the print format'
is "$(sed -n 's/^  id:       //p' out)" "$(cat tree/events/sched/sched_switch/id)" 'the number'
is "$(sed -n 1p out)" sched:sched_switch 'the name'
unlike "$out" 'enabled:' 'and no state, as a recording has none'
t info sched
is "$(grep -c '^sched:' out), $(grep -c '^$' out)" '5, 4' 'info of a system: all its events, an empty line between'

echo 0 >tree/events/sched/sched_switch/enable
echo 'prev_pid == 1' >tree/events/sched/sched_switch/filter
printf '# Available triggers:\n# traceon\n' >tree/events/sched/sched_switch/trigger
t info sched_switch
is "$(sed -n '/^  id:/,$p' out | sed 1d)" '  enabled:  no
  filter:   prev_pid == 1
  trigger:  none' 'info: enabled state, filter, triggers'
echo '1*' >tree/events/sched/sched_switch/enable
echo 'none' >tree/events/sched/sched_switch/filter
echo 'traceoff:count=3' >tree/events/sched/sched_switch/trigger
t info sched_switch
is "$(sed -n '/^  id:/,$p' out | sed 1d)" '  enabled:  yes, a trigger can disable it
  filter:   none
  trigger:  traceoff:count=3' 'info: an event with a trigger'

# As bcc's `tplist -v`: the words before the last are the type.
plain()
{
	for event; do
		echo "$event"
		awk -F'[:;]' '/field:/ {
			n = split($2, word, /[ \t]+/)
			if (word[n] ~ /^common_/)
				next
			type = word[1]
			for (i = 2; i < n; i++)
				type = type " " word[i]
			print "    " type " " word[n] ";"
		}' "tree/events/$(echo "$event" | tr : /)/format"
	done
}
while read -r event; do
	prints "info --plain $event" "$(plain "$event")" info --plain "$event" </dev/null
done <tree/available_events
is "$(t info --plain sched_switch; cat out)" 'sched:sched_switch
    char prev_comm[16];
    pid_t prev_pid;
    int prev_prio;
    long prev_state;
    char next_comm[16];
    pid_t next_pid;
    int next_prio;' 'info --plain: an example'
# shellcheck disable=SC2046 # names of events
prints 'info --plain of all' "$(plain $(sort tree/available_events))" info --plain '*:*'

# States

prints 'tracer' '   function
   function_graph
*  nop
   wakeup_rt' tracer
t clock
is "$(awk '$1 == "*" { print $2 }' out)" boot 'clock: the present one is marked'
like "$out" '^wall_offset: +[0-9]+\.[0-9]{9} s, error \+-' 'clock: and what it is off the wall clock in the recording'
unlike "$out" '^(ntp|better|change):' 'nothing of this machine'
is "$(awk '!NF { exit } { print $1 == "*" ? $2 : $1 }' out | tr '\n' ' ')" "$(tr -d '[]' <tree/trace_clock) " 'and all are listed'
prints 'cat' "$(cat tree/trace_clock)" cat trace_clock
prints 'cat of a file further down' "$(cat tree/events/sched/sched_switch/format)" cat events/sched/sched_switch/format
for path in ../tree/trace_clock /etc/passwd events/../../secret nosuchfile events/sched/nosuch/id; do
	t cat "$path"
	ok "cat $path fails" test "$status" -ne 0
	is "$out" '' "and prints nothing: $path"
done
echo secret >secret
ln -s ../secret tree/link
t cat link
is "$(printf '%s' "$out" | grep -c secret)" 0 'cat does not follow a link out of the tree'

# set

t set
is "$(awk '{ print $1 }' out | tr '\n' ' ')" 'format time precision columns show-error tz pointers decoders pipefail show-writes hints confirm at-exit prompt pool threads pager ' 'set lists the settings'
for pair in time:wall time:short time:iso time:utc time:rel time:delta time:delta-cpu time:delta-task time:trace time:none precision:us precision:ns \
	show-error:on show-error:off pipefail:on pipefail:off show-writes:on at-exit:ask at-exit:keep at-exit:restore format:text pager:off pager:on; do
	prints "set ${pair%%:*} ${pair#*:}" "${pair%%:*}:  ${pair#*:}" -c "set ${pair%%:*} ${pair#*:}; set ${pair%%:*}"
done

# help

t help
is "$(wc -l <out | awk '{ print ($1 <= 24) }'), $(awk 'length > 79' out)" '1, ' 'help fits a screen of 24 rows and 80 columns'
for word in $("$TRACESH" help --all | awk '/^  / { print $1 }'); do
	like "$out" "(^| )$word( |\$)" "help names $word"
done
t help --all
help=$(sed '/^Topics$/,$d' out)
topics=$(sed -n '/^Topics$/,$s/^  \([a-z]*\) .*/\1/p' out)
for command in save diff events systems info functions struct ps enable disable filter pid tracer on off clear clock buffer option cpus \
	marker cat write append show stream drain run record status stats doctor stacks graph profile instance journal undo redo restore keep recover trigger snapshot reset set let alias unalias source try wait history \
	help quit; do
	like "$help" "^  $command +[a-z]" "help lists $command"
done
run "$TRACESH" --help-examples
cp out examples.list
ln -s "$SRC/examples" examples
run "$TRACESH" --help-man
cp out man
commands=$(printf '%s\n' "$help" | awk '/^  / { print $1 }')
# as a word between blanks
names=" $(echo $commands) $(echo $topics) "
# sees WORD NAME: there is such a help
sees()
{
	case $names in
	*" $1 "*) pass "$2" ;;
	*) fail "$2" ;;
	esac
}
for command in $commands; do
	t help "$command"
	cp out whole
	# a topic of that name follows
	sed '/^$/,$d' whole >out
	is "status $status, $(head -n 1 out | cut -d ' ' -f 1)" "status 0, $command" "help $command"
	is "$(sed -n 2p out)" "  $(printf '%s\n' "$help" | sed -n "s/^  $command  *//p")" 'begins with what the list says'
	is "$(sed -n '/^Examples$/,/^See also$/p' out | grep -c '^  [^ ]')" "$(grep -c "^$command$tab" examples.list)" 'has all its examples'
	ok 'at least one' grep -q "^$command$tab" examples.list
	for word in $(sed -n '/^See also$/,$p' out | sed 1d); do
		sees "$word" "help $command: see $word"
	done
	# every word of the usage that is an option or an argument is explained
	explained=$(sed '1,/^Arguments$/d; /^Examples$/,$d' out)
	for word in $(head -n 1 out | grep -o -e '--*[a-z][a-z-]*' -e '[A-Z][A-Z]*'); do
		# of PROGRAM [ARG].. and NAME = VALUE the first explains both
		case $command:$word in run:ARG | record:ARG | let:VALUE) continue ;; esac
		like "$explained" "(^|[^A-Za-z0-9_])$word([^A-Za-z0-9_]|\$)" "help $command explains $word"
	done
	t "$command" --help
	is "status $status, $out" "status 0, $(cat whole)" "$command --help is the same"
	ok "the man page has $command" grep -qF "\\fB$(printf '%s' "$command" | sed 's/-/\\-/g')" man
done
for topic in $topics; do
	t help "$topic"
	like "$out" "^$topic: [a-z]" "help $topic"
	is "$(sed -n "/^$topic: /,\$p" out | awk 'length > 79')" '' 'fits 80 columns'
	is "$(grep -c "^topic:$topic$tab" examples.list)" "$(sed -n "/^$topic: /,\$p" out | sed -n '/^Examples$/,/^See also$/p' | grep -c '^  [^ ]')" \
		'has all its examples'
	for word in $(sed -n "/^$topic: /,\$p" out | sed -n '/^See also$/,$p' | sed 1d); do
		sees "$word" "topic $topic: see $word"
	done
	ok "the man page has the topic $topic" sh -c "sed -n '/^.SH TOPICS/,\$p' man | grep -qF '\\fB$topic'"
done
t apropos SNAPSHOT
like "$out" '^snapshot +command +[a-z]' 'apropos finds a command'
t apropos octal
like "$out" '^filters +topic +[a-z]' 'apropos finds a topic'
t apropos erase buffer
like "$out" '^clear +command' 'apropos with two words'
# what others call it
while read -r word name; do
	t apropos "$word"
	like "$out" "^$name +(command|topic) " "apropos $word"
done <<END
container pid
docker pid
kprobe probe
uprobe probe
kretprobe probe
32-bit hist
compat hist
oops save
dmesg show
perfetto record
sleep latency
duration latency
futex latency
lock latency
permission doctor
STRACE run
END
t apropos xyzzy
is "status $status, $out" 'status 1, ' 'apropos of nothing'
t help start
is "$(head -n 1 out)" on 'help of another name'
t --json help stream
like "$out" '^\{"type":"command","command":"stream","group":"see","usage":"stream \[-n N\].*","summary":".*"\}$' 'help as JSON'

# Each example can be read: no error of syntax, whatever the machine has.
while IFS="$tab" read -r command example; do
	# what goes on until Ctrl-C goes on once
	run timeout -k 5 60 "$TRACESH" --tracefs tree -c "$(printf %s "$example" | sed 's,^watch \([0-9]\),watch --count 1 \1,')" </dev/null
	case $status in
	2) unlike "$err" 'error' "the example can be read: $example" ;;
	124 | 137) fail "the example ends: $example" ;;
	*) pass "the example can be read: $example" ;;
	esac
	case $command in topic:*) continue ;; esac
	like " $example " " $command " 'and is of its command'
done <examples.list

# The man page

if [ -f "$BUILD/src/tracesh.1" ]; then
	page=$BUILD/src/tracesh.1
	ok 'the man page has the COMMANDS' grep -qx '.SH COMMANDS' "$page"
	is "$(sed -n '/^\.SH COMMANDS/,/^\.SH [^C]/p' "$page" | grep -c '^.fB[a-z]*')" "$(sed -n '/^\.SH COMMANDS/,/^\.SH [^C]/p' man | grep -c '^.fB[a-z]*')" \
		'all of them'
	if command -v groff >/dev/null; then
		run groff -man -ww -Tutf8 -P-c -P-b -P-u -rLL=300n "$page"
		is "status $status, $err" 'status 0, ' 'groff has nothing to say about it'
		for word in NAME SYNOPSIS OPTIONS COMMANDS 'EXIT STATUS'; do
			like "$out" "^$word\$" "it has $word"
		done
		for option in $("$TRACESH" --help | grep -o -e '--[a-z-]*' | sort -u); do
			[ "$option" = -- ] || like "$out" "(^|[^a-z-])$option([^a-z-]|\$)" "it explains $option"
		done
	else
		skip 'the man page is formatted' 'no groff'
	fi
else
	skip 'the man page' 'not built'
fi

# Completion

# completes NAME WANT WORD..: the values, without their descriptions, in one line
completes()
{
	name=$1
	want=$2
	shift 2
	t --complete -- "$@"
	is "status $status, $err$(cut -f 1 out | tr '\n' ' ' | sed 's/ $//')" "status 0, $want" "completion: $name"
}
completes 'a command' 'save set show snapshot source sql stacks start stats status stop stream struct synth systems' s
completes 'one command' events ev
completes 'none' '' xyz
completes 'an event' 'sched_switch' info sched_s
completes 'a system and its events' 'sched:sched_process_exec sched:sched_process_exit sched:sched_process_fork' events sched:sched_p
completes 'a second event' 'task_rename' enable sched_switch task_
completes 'a field in a filter' 'prev_comm prev_pid prev_prio prev_state' enable sched_switch if prev_
completes 'a field behind &&' 'next_comm next_pid next_prio' enable sched_switch if prev_pid == 1 '&&' next_
completes 'a clock' 'mono mono_raw' clock mono
completes 'a tracer' 'function function_graph' tracer func
completes 'an option' 'record-cmd record-tgid' option rec
completes 'on or off' 'off on' option hash-ptr o
completes 'a setting' 'threads time tz' set t
completes 'a time zone' 'local' set tz loc
completes 'its value' 'trace' set time t
completes 'a command behind help' 'tracer trigger try' help tr
completes 'a trigger' 'traceoff traceon' trigger sched_switch tr
completes 'an event behind a trigger' 'enable_event:sched:sched_switch' trigger sched_switch enable_event:sched:sched_sw
completes 'what to reset' 'filters functions' reset f
completes 'what to do with the snapshot' 'clear' snapshot c
completes 'a command behind try' 'enable' try ena
completes 'behind that' 'task:task_rename' try enable task:
completes 'options of a command' '--cpu' drain --c
completes 'its flags' '--field --help --on' events --
completes 'an action' 'create' instance cr
completes 'a file' "$TMP/secret" source "$TMP/sec"
completes 'a file of the tree' 'trace_clock' cat trace_c
completes 'and further down' 'events/sched/sched_switch/format' cat events/sched/sched_switch/for
completes 'a moment before now' '-1d -1m30s -2h30m -5s' show --since -
completes 'this moment' 'now' drain --until n
completes 'a moment, of time' 'now' time n
t --complete -- drain --since ''
# sorted once more: in the evening the time of day stands behind the date
is "$(cut -f 1 out | sed 's/[0-9]/N/g' | sort | tr '\n' ' ')" '-Nd -NhNNm -NmNNs -Ns @NNNNNNNNNN NN:NN:NN NNNN-NN-NNTNN:NN:NN now ' \
	'completion: the forms of a moment'
is "$(awk -F'\t' 'NF != 2 || $2 == ""' out)" '' 'each with what it means'
for form in $(cut -f 1 out); do
	t -n show --since "$form"
	is "$status" 0 "completion: $form is one"
done
completes 'nothing behind an unknown command' '' bogus x
t --complete -- ''
is "$(cut -f 1 out | sort | tr '\n' ' ')" "$( (printf '%s\n' "$help" | awk '/^  / { print $1 }'; printf '%s\n' start stop exit) | sort | tr '\n' ' ')" \
	'completion: of nothing all commands, and their other names'
is "$(awk -F'\t' 'NF != 2 || $2 == ""' out)" '' 'each with a description behind a tab'
run "$TRACESH" --tracefs /nonexistent --complete -- info sched
is "status $status, $out$err" 'status 0, ' 'completion without tracefs is quiet'

t apropos exit
like "$err" "^and 2 events: events '.exit.'" 'apropos says how many events have it in their names'
t apropos pager
like "$out" '^set pager +setting +lists at the prompt' 'apropos looks in the settings'
for topic in output settings; do
	t help $topic
	is "$status" 0 "there is help on $topic"
done

t recipes
like "$out" '^packets.tsh PID +Packets that are received' 'recipes: what each shows'
t recipes nosuchword
is "$status" 1 'recipes of nothing'
run env TRACESH_RECIPES=/nonexistent "$TRACESH" recipes
like "$err" "there are no recipes in '/nonexistent'" 'where there are none that is said'
cp "$SRC/examples/packets.tsh" mine.tsh
run env TRACESH_RECIPES="$TMP" "$TRACESH" --tracefs tree -n "${TMP##*/}-no.tsh"
is "$status" 2 'one that is not there'
(mkdir -p elsewhere && cd elsewhere && env TRACESH_RECIPES="$TMP" "$TRACESH" --tracefs "$TMP/tree" -n mine.tsh 1 2>"$TMP/recipe.err")
like "$(cat recipe.err)" '^mine.tsh:' 'a recipe is found from anywhere'
t --complete -- source pack
like "$out" "^packets.tsh${tab}Packets that are received" 'and completed'

done_testing
