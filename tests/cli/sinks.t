#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# time limit: 600
# Text of others in every place where it could be more than text: a shell, a terminal, a file that is read back, JSON, CSV.
# shellcheck disable=SC2016 # names that look like commands are not to be executed
. "${SRC:-$(dirname "$0")/../..}/tests/lib.sh"

python=$(command -v python3) || skip_all 'no python3'
cd "$TMP" || exit 1
cp -R "$SRC/examples/recorded" tree
chmod -R u+w tree

# ---- TAB in other shells and in ours ----

# A task is called like that, and the line that TAB completes is executed at once. Each is found by its first letters.
cat >names <<'NAMES'
zza$(echo>pwn)
zzb`echo>pwn`
zzc";echo>pwn;"
zzd';echo>pwn;'
zze\";echo>pwn#
zzf\';echo>pwn#
zzg!echo
zzh${HOME}
zzia  b
zzj|echo>pwn
zzk&echo>pwn&
zzl\
zzm<a>pwn
zzn*?[a]
zzo#x
zzp~x
zzq'"$(echo>pwn
zzr:$(echo>pwn)
zzs=$(echo>pwn)
zzt{a,b}
zzu^a^b
zzv\$(echo>pwn)
zzw%s
zzx"'!echo
zzy$HOME
zzz!
NAMES
awk '{ print 1000 + NR, $0 }' names >tree/saved_cmdlines
# What quotes by itself is asked for some of them.
grep '^zz[acdghlqx]' names >some-names
ln -s "$SRC/completions" completions

# tracesh in a shell: it says what can stand there, and else writes down what it was given.
mkdir bin
cat >bin/tracesh <<WRAPPER
#!/bin/sh
[ "\$1" != --complete ] || exec "$TRACESH" "\$@"
for last; do :; done
printf '%s\n' "\$last" >>got
echo taken
WRAPPER
chmod +x bin/tracesh

# tab QUOTE NAMES LINE SHELL ARG..: types each name's begin behind that quote, TAB and Enter. LINE prepares the shell.
tab()
{
	quote=$1 wanted=$2 first=$3
	shift 3
	rm -f got pwn
	: >got
	{
		printf 'send %s\\r\nexpect ready> \n' "$first"
		cut -c 1-3 "$wanted" | while read -r start; do
			# what is typed ahead of the answer could be read as something else
			printf 'send tracesh --tracefs tree pid %s%s\\t\nexpect %s[^ ]\n' "$quote" "$start" "$start"
			printf 'send \\r\nexpect taken\nexpect ready> \n'
		done
		printf 'send exit\\r\n'
	} >script
	run env ZDOTDIR="$TMP" PATH="$TMP/bin:$PATH" "$python" -I "$SRC/tests/helpers/pty.py" "$@" <script
	is "$(cat got)" "$(cat "$wanted")" "$1: TAB behind ${quote:-no quote}: each name arrives as it is"
	ok "$1: TAB behind ${quote:-no quote}: nothing of it was executed" test ! -e pwn
	[ "$status" -eq 0 ] || diag "$out"
}

for quote in '' "'" '"'; do
	if command -v bash >/dev/null; then
		tab "$quote" names "PS1='rea''dy> ' PS2='more> '; . completions/bash/tracesh" bash --norc --noprofile -i
	else
		skip 'bash: TAB' 'no bash'
	fi
	if command -v zsh >/dev/null; then
		tab "$quote" some-names \
			"PS1='rea''dy> ' PS2='more> '; fpath=(completions/zsh \$fpath); autoload -U compinit; compinit -u -D" zsh -f -i
	else
		skip 'zsh: TAB' 'no zsh'
	fi
	if command -v fish >/dev/null; then
		tab "$quote" some-names 'source completions/fish/tracesh.fish; function fish_prompt; echo -n rea"dy> "; end' \
			fish --no-config -i
	else
		skip 'fish: TAB' 'no fish'
	fi
done

# offers WORD: how many names bash is offered for it
offers()
{
	PATH="$TMP/bin:$PATH" bash --norc --noprofile -c '. completions/bash/tracesh
		COMP_WORDS=(tracesh --tracefs tree pid "$1") COMP_CWORD=4 COMP_TYPE=9
		COMP_LINE="tracesh --tracefs tree pid $1" COMP_POINT=${#COMP_LINE}
		_tracesh "$TRACESH" 2>/dev/null; echo ${#COMPREPLY[@]}' bash "$1"
}
if command -v bash >/dev/null; then
	is "$(offers "'zza")" 1 'bash: a name behind a quote is offered'
	# in $'..' a backslash escapes the quote
	is "$(offers "\$'zza")" 0 "bash: behind \$' nothing is"
fi

# Our own prompt: what it has put into the line is in the history, and is read back.
{
	printf 'expect > $\n'
	for quote in '' "'" '"'; do
		cut -c 1-3 names | while read -r start; do
			printf 'send pid %s%s\\t\nexpect %s[^ ]\nsend \\r\nexpect > $\n' "$quote" "$start" "$start"
		done
	done
	printf 'send quit\\r\n'
} >script
case $("$TRACESH" --version) in
*'no readline'*) skip 'our own TAB' 'no readline' ;;
*)
	run "$python" -I "$SRC/tests/helpers/pty.py" "$TRACESH" --color never --tracefs tree -q <script
	sed -n 's/^pid /source /p' "$XDG_STATE_HOME/tracesh/history" >typed
	run "$TRACESH" --keep-going -f typed
	sed -n "s/.*error: cannot open '\(.*\)': No such file.*/\1/p" "$TMP/err" >got
	is "$(cat got)" "$(cat names names names)" 'our own TAB: each name is read back as it is'
	rm -f "$XDG_STATE_HOME/tracesh/history"

	# In an expression it stays where it is, or is not offered: behind no quote, and inside of one around the whole.
	grep '[;|$"'"'"']' names | awk '{ print 1000 + NR, $0 }' >tree/saved_cmdlines
	{
		printf 'expect > $\n'
		for start in '' '"' "'" "'\"" "\"'"; do
			for name in a c d h j; do
				# '#' in front: it is not to be executed
				case $start in
				??) begin="${start%?}prev_comm == ${start#?}" ;;
				*) begin="prev_comm == $start" ;;
				esac
				printf 'send filter sched_switch %szz%s\\t\\t\\x01#\\r\nexpect > $\n' "$begin" "$name"
			done
		done
		printf 'send quit\\r\n'
	} >script
	run "$python" -I "$SRC/tests/helpers/pty.py" "$TRACESH" --color never --tracefs tree -q <script
	is "$(sed -n 's/^#filter sched_switch //p' "$XDG_STATE_HOME/tracesh/history")" \
'prev_comm == "zza$(echo>pwn)"
prev_comm == '"'"'zzc";echo>pwn;"'"'"'
prev_comm == "zzd'"'"';echo>pwn;'"'"'"
prev_comm == '"'"'zzh${HOME}'"'"'
prev_comm == "zzj|echo>pwn"
prev_comm == "zza$(echo>pwn)"
prev_comm == "zzc
prev_comm == "zzd'"'"';echo>pwn;'"'"'"
prev_comm == "zzh
prev_comm == "zzj|echo>pwn"
prev_comm == '"'"'zza$(echo>pwn)'"'"'
prev_comm == '"'"'zzc";echo>pwn;"'"'"'
prev_comm == '"'"'zzd
prev_comm == '"'"'zzh${HOME}'"'"'
prev_comm == '"'"'zzj|echo>pwn'"'"'
'"'"'prev_comm == "zza$(echo>pwn)"
'"'"'prev_comm == "zzc
'"'"'prev_comm == "zzd
'"'"'prev_comm == "zzh${HOME}"
'"'"'prev_comm == "zzj|echo>pwn"
"prev_comm == '"'"'zza$(echo>pwn)'"'"'
"prev_comm == '"'"'zzc
"prev_comm == '"'"'zzd
"prev_comm == '"'"'zzh
"prev_comm == '"'"'zzj|echo>pwn'"'" 'our own TAB: in an expression no name ends the quote around it'
	;;
esac

# Names of a recording: of fields, in an expression and in SQL, and those of tasks that look like options.
cp -R tree named
sed 's/prev_comm\[/e|echo>pwn[/; s/prev_pid;/f;pwn;/; s/prev_prio;/g '"'"';/' tree/events/sched/sched_switch/format \
	>named/events/sched/sched_switch/format
printf '%s\n' '7 --yes' '8 -f/tmp/x' '9 fine' >named/saved_cmdlines
for words in 'filter sched_switch' 'filter sched_switch next_pid == 1 &&' 'stream sched_switch where' 'sql SELECT' \
	'sql SELECT next_comm FROM sched_switch WHERE'; do
	# shellcheck disable=SC2086 # words
	run "$TRACESH" --complete --tracefs named $words ''
	unlike "$(cut -f 1 "$TMP/out")" "[;|'>]" "TAB: no field's name ends the command: $words"
	[ "$words" = 'sql SELECT' ] || like "$out" '^(next|[A-Z])' 'and others are offered'
done
run "$TRACESH" --complete --tracefs named pid ''
is "$(cut -f 1 "$TMP/out" | tr '\n' ' ')" 'add clear del fine not tid: ' 'TAB: no name of a task passes for an option'

# ---- a table of names ----

# named WANT SAVED COMMS WHAT: the name of task 124, of whom no event tells, by saved_cmdlines and tracesh/comms of a recording
cp -R "$SRC/examples/recorded" table
chmod -R u+w table
sed -i 's/comm\[/what[/' table/events/*/*/format
named()
{
	printf '%b' "$2" >table/saved_cmdlines
	rm -f table/tracesh/comms
	[ -z "$3" ] || printf '%b' "$3" >table/tracesh/comms
	run "$TRACESH" --tracefs table drain -n 1
	is "$(sed -n 's/^ *\(.*\)-124 .*/\1/p' "$TMP/out")" "$1" "$4"
}
named '<...>' '1 init\n' '' 'a task without a name'
named spin '1 init\n' '# escaped\n77 a\n124 spin\n' 'a recording with escaped names'
named spin '1 init\n' '# escaped\n77 a\\x0a124 ssh\n124 spin\n' 'a name with a newline is the one of its task'
named 'a\nb\x1b\x5cx' '1 init\n' '# escaped\n124 a\\x0ab\\x1b\\x5cx5cx\n' 'escapes are read back'
named '<...>' '1 init\n' '77 a\n124 ssh\n' 'an old recording: a line that may be the rest of a name names nobody'
named spin '1 init\n' '77 a\n124 ssh\n78 a-long-name\n124 spin\n' 'an old recording: a line that cannot be is believed'
named ssh '1 init\n' '78 a-long-name\n124 ssh\n' 'an old recording: and so without another'
named spin '77 a\n124 ssh\n' '# escaped\n124 spin\n' 'saved_cmdlines: the recording knows better'
named '<...>' '77 a\n124 ssh\n' '# escaped\n77 a\\x0a124 ssh\n' 'saved_cmdlines: a recording without the name knows that there is none'
named spin '77 a\n124 ssh\n78 a-long-name\n124 spin\n' '' 'saved_cmdlines: of two names the certain one'
named '<...>' '77 a\n124 ssh\n78 b\n124 spin\n' '' 'saved_cmdlines: of two doubtful names none'

# ---- a batch file ----

# Names and values of a recording in what `save` writes: none is an option of the batch, a job's '&', or a command of sh.
cp -R "$SRC/examples/recorded" opts
chmod -R u+w opts
mkdir opts/options opts/instances
: >opts/set_event
printf '%s\n' '-o victim' -ovictim -o=victim --yes '&' else '$(>pwn)' >words
for list in set_ftrace_filter set_ftrace_notrace set_graph_function set_graph_notrace set_event_pid set_event_notrace_pid \
	set_ftrace_pid dynamic_events; do
	cp words "opts/$list"
done
while read -r word; do
	echo 1 >"opts/options/$word"
	mkdir -p "opts/instances/$word"
	for event in "$word/x" "sched/$word"; do
		mkdir -p "opts/events/$event"
		echo 1 >"opts/events/$event/enable"
		echo "$word" >"opts/events/$event/filter"
		printf '%s\n' "$word" "traceoff if $word" "traceoff:$word" >"opts/events/$event/trigger"
		echo "$event" | tr / : | tee -a opts/set_event >>opts/available_events
	done
done <words
for word in -ovictim -o=victim --yes; do
	echo "[$word]" >opts/trace_clock
	echo "$word" >opts/current_tracer
	run "$TRACESH" --tracefs opts save -a
	cp "$TMP/out" saved.tsh
	is "$(grep -E '^(clock|tracer)' saved.tsh | tr '\n' ' ')" "clock '$word' tracer '$word' " "in quotes: clock and tracer $word"
done
is "$(sed "s/'[^']*'//g" saved.tsh | grep -E '^[^#]* -')" '' 'no word of others begins with a dash'
for line in 'functions notrace $(>pwn)' "append set_ftrace_filter '-ovictim'" "append set_ftrace_filter '-o victim'" \
	"append set_event_pid '&'" "option '-o=victim' on" "append dynamic_events '-ovictim'" "enable '--yes:x'" \
	"write events/sched/else/filter 'else'" "write events/-o=victim/x/filter '-o=victim'" \
	"append events/sched/-ovictim/trigger 'traceoff if -ovictim'" "append events/--yes/x/trigger '--yes'" \
	"# instance -ovictim is left out: its name begins with '-'" "try instance create 'else' else instance use 'else'"; do
	ok "save: $line" grep -qxF -e "$line" saved.tsh
done
cp saved.tsh again.tsh
run "$TRACESH" --tracefs opts diff saved.tsh again.tsh
is "$status, $err" '0, ' 'diff reads it'
run "$TRACESH" --complete --tracefs opts option ''
like "$out" '^else' 'TAB: names of options'
unlike "$out" '^-' 'TAB: but none that would be one of the command'

# ---- a terminal ----

# What the kernel's own format prints goes to a terminal by a job, a pager and a program too; to a file byte for byte.
cp -R "$SRC/examples/recorded" evil
chmod -R u+w evil
"$python" -I "$SRC/tests/helpers/hostile-tree.py" evil
printf 'local\n' >evil/current_tracer
cat >script <<'S'
expect > $
send set format kernel\r
expect > $
send drain -n 9 &\r
expect done: drain
send drain -n 8 -o /dev/stdout &\r
expect done: drain
send drain -n 7 | cat &\r
expect done: drain
send drain -n 9\r
expect > $
send drain -n 6 | cat\r
expect > $
send drain -n 5 -o /dev/tty\r
expect > $
send show -n 9\r
expect > $
send show | tail -n 9\r
expect > $
send cat trace\r
expect > $
send cat saved_cmdlines | cat\r
expect > $
send save | cat\r
expect > $
send set pager on\r
expect > $
send cat trace\r
expect > $
send set pager off\r
expect > $
send drain -n 60 -o raw-job &\r
expect done: drain
send drain -o raw\r
expect > $
send quit\r
S
run env PAGER=cat "$python" -I "$SRC/tests/helpers/pty.py" "$TRACESH" --color never --tracefs evil <script
is "$status" 0 'the kernel format on a terminal'
[ "$status" -eq 0 ] || diag "$out"
# what readline sends itself
LC_ALL=C sed 's/\x1b\[?2004[hl]//g; s/\x1b\[K//g; s/\x1b\[[0-9]*[CD]//g; s/\x1b\[[0-9]*[PG@]//g; s/[\x07\x08]//g' "$TMP/out" >screen
ok 'nothing of it moves the cursor' "$python" -I "$SRC/tests/helpers/safe-output.py" text screen
ok 'the text is there' grep -q 'comm=.x1b]0;evil.x07' screen
raw=$(printf 'comm=\033.0;evil')
run "$TRACESH" --tracefs evil --format kernel drain -n 9
like "$out" "$raw" 'to a pipe: byte for byte'
like "$(cat raw)" "$raw" 'to a file'
like "$(cat raw-job)" "$raw" 'to the file of a job'

# ---- names of files, and the environment ----

evil=$(printf 'e\033]0;x\007\nv\342\200\256\302\233=\377')
mkdir "$evil"
printf 'nosuch\n' >"$evil/$evil.tsh"
{
	printf '{"type":"start","format":1,"host":"","boot_id":"1"}\n'
	printf '{"type":"event","time":"2024-01-02T22:47:01Z","comm":"x","pid":1}\nx\n'
} >"$evil/$evil.json"
mkdir files
n=0
# tried KIND COMMAND..: what it prints and says is kept
tried()
{
	n=$((n + 1)) kind=$1
	shift
	run timeout -k 5 60 "$@"
	cp "$TMP/out" "files/$n.$kind"
	cp "$TMP/err" "files/$n.err"
}
for kind in text json csv; do
	tried $kind "$TRACESH" --format $kind "./$evil/$evil.tsh"
	tried $kind "$TRACESH" --format $kind merge "$evil/$evil.json"
	tried $kind "$TRACESH" --format $kind merge "$evil/none"
	tried $kind "$TRACESH" --format $kind --tracefs "$evil" status
	tried $kind "$TRACESH" --format $kind -o "$evil/none/x" help quit
	tried $kind env "TZ=$evil" "XDG_STATE_HOME=$TMP/$evil" "HOME=$TMP/$evil" "TRACESH_RECIPES=$TMP/$evil" "TERM=$evil" \
		"$TRACESH" --format $kind --tracefs tree -c 'drain -n 3' -c status -c "source $evil"
	tried $kind env "TRACESH_PAGER=$evil" "LANG=$evil" "LC_ALL=$evil" "$TRACESH" --format $kind --tracefs tree drain -n 3
	tried $kind env -i "$TRACESH" --format $kind --tracefs tree drain -n 3
done
ok 'text' "$python" -I "$SRC/tests/helpers/safe-output.py" text files/*.text
ok 'JSON' "$python" -I "$SRC/tests/helpers/safe-output.py" json files/*.json
ok 'CSV' "$python" -I "$SRC/tests/helpers/safe-output.py" text files/*.csv
ok 'messages' "$python" -I "$SRC/tests/helpers/safe-output.py" text files/*.err
is "$(find files -name '*.err' | wc -l)" 24 'all were tried'
for kind in text json csv err; do
	# in JSON it is \u001b
	ok "the name is in some of them: $kind" grep -rqE 'e..?(x1b|u001b)\]0;x' files --include="*.$kind"
done

# ---- where each source is tried at each sink ----

# H live/hostile, C cli/hostile, S here, L live/sinks, M cli/merge. A small letter says why there is nothing to try:
# w it is no word that TAB offers; k the kernel's own format has only events; s it is written into no script or batch;
# n it names no task; t it comes from a stream, which has none of it; o it stays on this machine
cat >table.txt <<'TABLE'
source                    text json csv kernel tab script batch names merge
task's_name               H    H    H   S      S   L      L     L     M
marker's_text             H    H    H   S      w   L      s     n     M
string_of_a_field         C    C    C   S      w   s      s     n     M
name_of_a_program         H    H    H   S      w   s      s     n     M
event_and_field           C    C    C   S      S   s      S     n     M
path_of_a_probe           H    H    H   k      w   s      S     n     t
instance                  H    H    H   k      C   s      S     n     M
filter_and_trigger        H    H    H   k      w   L      L     n     t
error_log                 C    C    C   k      w   L      s     n     t
option_tracer_clock       C    C    C   k      S   s      S     n     M
host_of_a_stream          M    M    M   k      w   s      s     n     M
key_of_a_stream           M    M    M   k      w   s      s     n     M
info_of_a_recording       C    C    C   k      w   s      s     n     o
comms_of_a_recording      S    S    S   S      S   s      s     S     o
name_of_a_file            S    S    S   k      w   s      s     n     S
environment               S    S    S   k      w   s      s     n     o
TABLE
is "$(awk 'NF != 10 || (NR > 1 && $0 !~ /^[a-z_'"'"']+( +[HCSLMwksnto])+$/)' table.txt)" '' 'no cell of the table is empty'

done_testing
