#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Recorded trees: whole ones, damaged ones, those of other machines. No root, nothing is traced.
. "${SRC:-$(dirname "$0")/../..}/tests/lib.sh"

recorded=$SRC/examples/recorded
[ -d "$recorded" ] || skip_all 'no recorded tree'
PYTHON=$(command -v python3 || :)
cd "$TMP" || exit 1

# t ARGUMENT..: on the tree in ./tree
t()
{
	run "$TRACESH" --tracefs tree "$@"
}

# fresh: ./tree is the recorded one again
fresh()
{
	rm -rf tree
	cp -R "$recorded" tree
	chmod -R u+w tree
}

# events [FILE]: how many lines are events
events()
{
	grep -vc '^#' "${1-out}"
}

# The whole one

fresh
t --format kernel drain
is "$status" 0 'drain: succeeds'
cp out whole
is "$(events)" "$(events tree/trace)" 'as many events as in the text of the kernel'
t --format kernel drain
ok 'nothing is consumed' cmp out whole
t --format kernel stream
is "$(events)" "$(events whole)" 'stream prints them too'
rm tree/trace
t --format kernel show
is "$status" 0 'show without the text of the kernel: succeeds'
ok 'it prints the pages' cmp out whole
t --format kernel show -n 2
is "$(cat out)" "$(tail -n 2 whole)" 'show -n 2: the last two'
like "$err" '^2 events, ' 'and counts those'
t --format kernel show -n 1000000
ok 'show -n with more than there are: all' cmp out whole
t --json show -n 1
is "$(grep -c '"type":"event"' out)" 1 'JSON: one event'

# Each command of a session answers of all that was recorded

fresh
rm tree/trace
wakeups=$(grep -c ': sched_wakeup: ' whole)
t -q -c 'drain -n 3' -c 'drain -n 3' -c 'hist by event' -c 'count where pid == 1' -c 'hist by event' \
	-c 'stream -n 1' -c show
is "$status" 0 'several questions in one session: succeed'
is "$(sed -n 's/^sched_wakeup *\([0-9]*\) .*/\1/p' out)" "$wakeups
$wakeups" 'each counts all'
t -q --format kernel -c 'drain -n 3' -c 'drain -n 3' -c 'stream -n 3' -c drain -c drain
grep -v '^#' out >again
{ for i in 1 2 3; do grep -v '^#' whole | head -n 3; done; grep -v '^#' whole; grep -v '^#' whole; } >want
ok 'each prints from the start' cmp again want
fresh
t -c 'drain -n 3' -c 'show -n 1'
unlike "$err" 'read ahead' 'nothing is said to be read ahead'

# Events whose formats are not there

fresh
rm -r tree/events/sched/sched_switch tree/tracesh/clock
t drain
like "$out" ' unknown:319: ' 'an event without a format'
like "$err" '^the recording has no format of 1 event \(unknown:319\): collect.sh -a takes the formats of all$' 'what takes it along is said'
t count
like "$err" 'collect.sh -a' 'where it is counted, too'
fresh
rm tree/tracesh/clock
t drain
unlike "$err" 'collect.sh' 'not said where all are there'

# With little memory

fresh
for pool in 64K 256K 1G; do
	t --pool $pool --format kernel drain
	is "$status, $(cmp out whole 2>&1)" '0, ' "--pool $pool: the same"
done
t --pool 64 drain
is "$status" 2 'a pool of 64 bytes is none'
like "$err" '^tracesh: error: a pool has at least 64K$' 'and it is said what one is'
t -c 'set pool 12X'
is "$status" 2 'nor is 12X a size'
like "$err" "^hint: bytes, or as 256K, 8M\$" 'here too'
t -c 'set pool 256K' -c 'set pool' -c "set pool ''" -c 'set pool'
is "$(cat out)" 'pool:  256K
pool:  8M' 'set pool'

# What tracesh/info says

fresh
cat >tree/tracesh/info <<'END'
format 1
host board
kernel 5.4.0-odd
boot_id 00000000-1111-2222-3333-444444444444
instance little
byte_order little
migrate_depth no
cpu0 events 3 lost 0 overwritten 12
cpu1 events 3 lost 0 overwritten 0
END
t --json drain
for pair in host:board kernel:5.4.0-odd boot_id:00000000-1111-2222-3333-444444444444 instance:little; do
	like "$(sed -n 1p out)" "\"${pair%%:*}\":\"${pair#*:}\"" "JSON: ${pair%%:*}"
done
t drain
like "$out" '^# tracesh: instance little, ' 'text: the instance'
like "$out" '^# cpu 0: 12 older events were overwritten by newer ones' 'what --max gave up'
unlike "$out" '^# cpu 1: ' 'and nothing where nothing was'
t --json count
like "$(tail -n 1 out)" '"overwritten":12,' 'count: JSON, too'
sed 's/^instance .*/instance own/' tree/tracesh/info >info
printf 'pages in order\nnanoseconds 20000000000\n' | cat - info >tree/tracesh/info
t --json count where 'event == sched_switch'
like "$out" '"count":489,"rate":1718}' 'of a recording that gave some up the rate is of the time that it kept'
t --json count by time where 'cpu == 1'
like "$(sort -t : -k 4 out | grep -m 1 '"rate"')" '"count":1,"rate":0\.0}' 'and not from before the first of a CPU that gave some up'
sed 's/overwritten 12/overwritten 0/' tree/tracesh/info >info
cp info tree/tracesh/info
t --json count where 'event == sched_switch'
like "$out" '"count":489,"rate":24}' 'else of all of its time'
unlike "$(grep -v '^#' out | sed -n 1p)" '\] [^ ]{5} ' 'four letters of a kernel without the fifth'
printf 'host \033[31mred\nbyte_order middle\npages upside down\ncpu0 overwritten many\n\001\n' >tree/tracesh/info
t --json drain
is "$status" 0 'an info of nonsense: succeeds'
is "$(LC_ALL=C tr -d '\n -~\200-\377' <out | wc -c | tr -d ' ')" 0 'and no control character comes through'

fresh
t hist by comm
unlike "$err" '^names are' 'names with their changes'
rm -r tree/events/task
t hist by comm
like "$err" '^names are those of the end of the recording: it has no task:task_rename$' 'names without: it is said'
t --json drain
like "$err" '^names are those of the end of the recording: ' 'names without: with events in JSON'
t drain
like "$out" '^# tracesh: .*, names those of the end of the recording$' 'names without: above a text'
t hist by pid
unlike "$err" '^names are' 'but only where they are asked for'

# A ring that was left behind

fresh
size=$(sed -n 's/.*field: char data;.*offset:\([0-9]*\);.*size:\([0-9]*\);.*/\1 \2/p' tree/events/header_page |
	awk '{ print $1 + $2 }')
for cpu in 0 1; do
	file=tree/per_cpu/cpu$cpu/trace_pipe_raw
	pages=$(($(wc -c <"$file") / size))
	[ "$pages" -ge 2 ] || continue
	# the last page comes first, as in a ring whose writer has begun anew
	dd if="$file" bs="$size" skip=$((pages - 1)) of=ring 2>/dev/null
	dd if="$file" bs="$size" count=$((pages - 1)) 2>/dev/null >>ring
	cp ring "$file"
done
echo 'pages ring' >tree/tracesh/info
t --format kernel drain
ok 'a ring is read from its oldest page on' cmp out whole

# Damaged ones

fresh
printf 'half a page' >>tree/per_cpu/cpu0/trace_pipe_raw
t drain
is "$status" 0 'half a page at the end: succeeds'
like "$out" 'cpu 0: the recording ends inside a page \(11 of [0-9]+ bytes\)' 'and says so'
is "$(events)" "$(events whole)" 'no event is missing'

fresh
: >tree/per_cpu/cpu0/trace_pipe_raw
rm tree/per_cpu/cpu1/trace_pipe_raw
t drain
is "$status" 0 'no pages at all: succeeds'
is "$(events)" 0 'and prints nothing'

fresh
rm -rf tree/tracesh tree/saved_cmdlines tree/available_events tree/set_event
t drain
is "$status" 0 'only pages and formats: succeeds'
is "$(events)" "$(events whole)" 'no event is missing'
like "$out" 'no wall-clock time' 'the clock is said to be unknown'

fresh
rm -rf tree/events/sched
t drain
is "$status" 0 'formats that are missing: succeeds'
is "$(events)" "$(events whole)" 'their events are still there'

fresh
rm tree/events/header_page
t drain
is "$status" 1 'no header_page: refused'
like "$err" "events/header_page" 'with its name'
for text in '' 'nothing' 'field: char data; offset:16; size:999999999; signed:1;'; do
	printf '%s' "$text" >tree/events/header_page
	t drain
	is "$status" 1 "a header_page of '$text': refused"
done

if [ -n "$PYTHON" ]; then
	for seed in 1 2 3 4 5 6 7 8; do
		fresh
		"$PYTHON" - "$seed" <<'END'
import glob, os, random, sys
random.seed(int(sys.argv[1]))
files = [f for f in glob.glob('tree/**', recursive=True) if os.path.isfile(f)]
raw = glob.glob('tree/per_cpu/*/trace_pipe_raw')
for name in raw * 20 + random.sample(files, 10):
    data = bytearray(open(name, 'rb').read())
    if not data:
        continue
    for _ in range(3):
        data[random.randrange(len(data))] = random.randrange(256)
    open(name, 'wb').write(data)
END
		for command in drain show stream status events 'info sched:sched_switch'; do
			run timeout -k 5 20 "$TRACESH" --tracefs tree -c "$command"
			case $status in
			0 | 1 | 2 | 3) pass "damaged $seed: $command ends properly" ;;
			*)
				fail "damaged $seed: $command ends properly"
				diag "status $status"
				tail -n 5 err | diag
				;;
			esac
		done
	done
else
	skip 'damaged trees' 'no python3'
fi

# What is no file (somebody else may have packed the tree): nobody waits for a writer that never comes

fresh
files="$(cd tree && find . -type f) ./tracesh/info ./tracesh/samples ./tracesh/home ./tracesh/comms ./tracesh/tgids
./kallsyms ./btf ./btf-modules/x ./memory ./variables ./printk_formats ./trace_options ./options/stacktrace ./saved_tgids"
waited=
for file in $files; do
	fresh
	mkdir -p "tree/${file%/*}"
	rm -f "tree/$file"
	mkfifo "tree/$file"
	run timeout -k 5 30 "$TRACESH" --tracefs tree --keep-going -c drain -c show -c 'show -n 1' -c status -c 'events sched' \
		-c 'info sched_switch' -c 'stats' -c 'time now' -c 'count sched_switch by prev_comm' -c 'cat trace' </dev/null
	[ "$status" -lt 4 ] || waited="$waited $file($status)"
done
is "$waited" '' 'a FIFO in the place of a file is not waited for'
rm tree/options/stacktrace tree/saved_tgids 2>/dev/null
mkfifo tree/per_cpu/cpu9 tree/events/fifo tree/events/sched/fifo 2>/dev/null
run timeout -k 5 30 "$TRACESH" --tracefs tree --keep-going -c drain -c 'events' </dev/null
ok 'nor one in the place of a folder' test "$status" -lt 4

# What is there in place of a file is said

# in_place_of FILE: says so of a link, a FIFO and a folder
in_place_of()
{
	for kind in 'symbolic link' FIFO folder; do
		fresh
		rm "tree/$1"
		case $kind in
		FIFO) mkfifo "tree/$1" ;;
		folder) mkdir "tree/$1" ;;
		*) cp "$recorded/$1" elsewhere && ln -s ../../../elsewhere "tree/$1" ;;
		esac
		run timeout 10 "$TRACESH" --tracefs tree "$2"
		is "$status, $(printf '%s\n' "$err" | head -n 1)" \
			"1, <arguments>: error: '$1' of the recording is a $kind, not a file" "$1: a $kind"
		like "$err" "^hint: (no link in a recording is followed: put the file itself there|record and collect.sh make files alone: do not trust it)\$" \
			'and what to do'
	done
}
in_place_of per_cpu/cpu0/trace_pipe_raw drain
in_place_of events/header_page count

# Of another machine: 32 bits, the other byte order

# foreign LONG ORDER: a tree with two events on a kernel whose long has so many bytes
foreign()
{
	rm -rf tree
	mkdir -p tree/events/made/up tree/per_cpu/cpu0 tree/tracesh
	"$PYTHON" - "$1" "$2" <<'END'
import struct, sys
size, order = int(sys.argv[1]), sys.argv[2]
e = '>' if order == 'big' else '<'
head = 8 + size
open('tree/events/header_page', 'w').write(
    '\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n'
    f'\tfield: local_t commit;\toffset:8;\tsize:{size};\tsigned:1;\n'
    '\tfield: int overwrite;\toffset:8;\tsize:1;\tsigned:1;\n'
    f'\tfield: char data;\toffset:{head};\tsize:{4096 - head};\tsigned:1;\n')
open('tree/events/made/up/format', 'w').write(f'''name: up
ID: 700
format:
	field:unsigned short common_type;	offset:0;	size:2;	signed:0;
	field:unsigned char common_flags;	offset:2;	size:1;	signed:0;
	field:unsigned char common_preempt_count;	offset:3;	size:1;	signed:0;
	field:int common_pid;	offset:4;	size:4;	signed:1;

	field:s16 small;	offset:8;	size:2;	signed:1;
	field:unsigned long where;	offset:12;	size:{size};	signed:0;
	field:u64 wide;	offset:20;	size:8;	signed:0;

print fmt: "small=%d where=%lx wide=%llu", REC->small, REC->where, REC->wide
''')
data = b''
for n in (1, 2):
    rec = struct.pack(e + 'HBBihxx', 700, 0, 0, 40 + n, -n)
    where = struct.pack(e + ('Q' if size == 8 else 'I'), 0xc0001000 + n)
    rec += where.ljust(8, b'\0') + struct.pack(e + 'Q', 1 << 40 | n)
    words = len(rec) // 4
    word = words << 27 | n if order == 'big' else n << 5 | words
    data += struct.pack(e + 'I', word) + rec
commit = struct.pack(e + ('Q' if size == 8 else 'I'), len(data))
page = struct.pack(e + 'Q', 5_000_000_000) + commit + data
open('tree/per_cpu/cpu0/trace_pipe_raw', 'wb').write(page.ljust(4096, b'\0'))
open('tree/trace_clock', 'w').write('local [boot]\n')
open('tree/saved_cmdlines', 'w').write('41 one\n42 two\n')
open('tree/tracesh/info', 'w').write(f'format 1\nbyte_order {order}\nkernel 6.1.0\nmachine other\n')
END
}

if [ -n "$PYTHON" ]; then
	for kind in '4 big' '4 little' '8 big' '8 little'; do
		# shellcheck disable=SC2086 # two words
		foreign $kind
		t --time trace drain
		is "$status" 0 "$kind: succeeds"
		is "$(grep -v '^#' out | sed 's/^ *//')" \
			'one-41      [000] .....     5.000000: up: small=-1 where=c0001001 wide=1099511627777
two-42      [000] .....     5.000000: up: small=-2 where=c0001002 wide=1099511627778' "$kind: its events"
	done
else
	skip 'trees of other machines' 'no python3'
fi

fresh
t drain
whole=$(grep -c . out)
cp -r tree/per_cpu/cpu0 tree/per_cpu/cpu00
cp -r tree/per_cpu/cpu0 tree/per_cpu/cpu0x0
t drain
is "$(grep -c . out)" "$whole" 'folders that no kernel calls so are no CPUs'

fresh
t drain
all=$(events)
t drain --limit-rate 1
same=$(events)
seconds=$(printf '%s\n' "$out" | grep -c 'more events* in that second not printed (--limit-rate 1)')
is "$status:$((same == 1 && seconds == 1))" 0:1 '--limit-rate: so many of each second'
like "$err" "^$same events*, $((all - same)) over the rate not printed, " 'the others are counted'
t --json drain --limit-rate 1
like "$out" "\"over_rate\":$((all - same))" 'in JSON, too'
t drain --limit-rate 0
is "$status" 2 'no limit is an error'
t drain -n 3 --limit-rate 2 where pid == 0
like "$err" '^[0-3] events?, .* not matching, ' 'what does not match does not count'
t -n stream --limit-rate 3
is "$status" 0 'stream has it'

run "$TRACESH" --tracefs "$SRC/examples/recorded" drain where nosuch == 1
is "$status" 1 'a field that no event has is an error'
like "$err" "error: 'nosuch' is no field of any of the events" 'and is named'
run "$TRACESH" --tracefs "$SRC/examples/recorded" drain where ret == -ENOETN
is "$status" 1 'a name of an error that there is not'
like "$err" "error: 'ENOETN' is neither a field nor the name of an error$" 'is called that, behind a sign, too'
like "$err" "^hint: did you mean 'ENOENT'\? its number is 2$" 'with the next one'
run "$TRACESH" --tracefs "$SRC/examples/recorded" drain where 'ret in {-EXYZZY, 1}'
like "$err" '^hint: what a call returns is one of these below 0, as -ENOENT, or its number$' 'or how they stand there'
run "$TRACESH" --tracefs "$SRC/examples/recorded" drain where prev_state == ENO
like "$err" "error: 'ENO' is neither a field nor a name of a value of 'prev_state'$" 'beside a field that has names these are told'
run "$TRACESH" --tracefs "$SRC/examples/recorded" drain where prev_comm == EVIL
like "$err" "error: 'EVIL' is neither a field nor a name of a value of 'prev_comm'$" 'beside a string it is no error'
like "$err" '^hint: strings need quotes: prev_comm == "EVIL"$' 'but one without its quotes'
run "$TRACESH" --tracefs "$SRC/examples/recorded" drain where buf == '"x"'
is "$status" 0 'one that only a tracer has is none'

run "$TRACESH" --tracefs "$recorded" -q drain where 'event == sched_wakeup && comm == "bash"'
quoted=$out
run "$TRACESH" --tracefs "$recorded" -q drain where 'event == sched_wakeup && comm == bash'
is "$out" "$quoted" "a word beside comm is a name, where the event has such a field, too"
like "$out" 'sched_wakeup: comm=bash' 'which some have'
# sched_wakeup has no prev_comm, sched_switch no comm but the task's
for question in 'prev_comm != comm' 'COMM != prev_comm' '!(comm in {prev_comm, bash})'; do
	run "$TRACESH" --tracefs "$recorded" --format csv count by event where "$question"
	is "$status:$(printf '%s\n' "$out" | sed '1d; s/,.*//' | grep -v '^sched_switch$')" 0: \
		"$question: a string of another event is no name of a task"
	run "$TRACESH" --tracefs "$recorded" drain where "event == sched_wakeup && $question"
	like "$err" "^sched:sched_[a-z_]* has no 'prev_comm'" "$question: that some lack it is said"
done
run "$TRACESH" --tracefs "$recorded" -q drain where 'delta > 1ms' fields time
printf '%s\n' "$out" | grep '^20' >rows
at=$(sed -n 40p rows)
run "$TRACESH" --tracefs "$recorded" -q drain --since "$at" where 'delta > 1ms' fields time
is "$(printf '%s\n' "$out" | grep '^20')" "$(sed 1,39d rows)" '--since: delta counts from events before it'

# What stands in the top instance of a machine is not in one that a script makes.
fresh
mkdir -p tree/instances
echo 1 >tree/events/enable
t --dry-run -c 'instance create mine' -c undo
is "$status, $err" '0, ' 'dry-run: an instance that is made and taken back'

# ---- the text of a buffer, as somebody has posted it ----

cp "$SRC/examples/recorded/trace" "$TMP/posted.txt"
run "$TRACESH" --tracefs "$TMP/posted.txt" show
# but for a name with what moves a cursor
is "$status $(grep -v '^#\|x-1 \[0\]' "$TMP/out" | cksum)" "0 $(grep -v '^#\|x-1 \[0\]' "$TMP/posted.txt" | cksum)" 'a text: show prints it'
unlike "$out" "$(printf '\033')" 'without control sequences'
run "$TRACESH" --tracefs "$TMP/posted.txt" --json show -n 1
like "$out" '"type":"event".*"comm":"record-tree.sh"' 'as JSON, too'
for command in drain 'hist --drain by comm' events; do
	# shellcheck disable=SC2086 # words
	run "$TRACESH" --tracefs "$TMP/posted.txt" $command
	is "$status" 3 "a text: $command"
	like "$err" "'$TMP/posted.txt' is a text, and no recording" 'is said'
	like "$err" '^hint: show prints it' 'with what can be done'
done
run "$TRACESH" --tracefs /dev/zero show
is "$status" 3 'a device is no text'

done_testing
