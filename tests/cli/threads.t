#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Several threads print what one thread prints, byte for byte: recordings, formats, filters, bad input.
. "${SRC:-$(dirname "$0")/../..}/tests/lib.sh"

cd "$TMP" || exit 1
long=$TMP/long
if ! command -v python3 >/dev/null; then
	skip_all 'no python3'
fi
python3 -I "$SRC/tests/helpers/repeat-tree.py" "$SRC/examples/recorded" "$long" 40

# without_seconds FILE: its last line of JSON without the time that it took
without_seconds() { sed 's/,"seconds":[0-9.]*}$/}/' "$1"; }

# same_by_threads NAME ARG..: the same output, errors and status by 1, 2 and 7 threads, but for the time in the sum
same_by_threads()
{
	what=$1
	shift
	for n in 1 2 7; do
		"$TRACESH" --threads $n "$@" >"out.$n" 2>"err.$n"
		echo $? >>"out.$n"
		[ -z "${unmarked-}" ] || sed -i '/^# cpu [0-9]*: /d; /^# the recording ends/d' "out.$n"
		without_seconds "out.$n" >"got.$n"
		sed 's/, [0-9.]* [mu]*s\( (.*\)*$/, SPAN\1/' "err.$n" >"errors.$n"
	done
	ok "$what: 2 threads print the same" cmp got.1 got.2
	ok "$what: 7 threads, too" cmp got.1 got.7
	is "$(cat errors.2 errors.7)" "$(cat errors.1 errors.1)" "$what: and say the same"
}

for format in text json csv kernel; do
	same_by_threads "$format" --format $format --tracefs "$long" -c drain
done
is "$(grep -c . got.1)" "$(grep -c . got.7)" 'no line is missing'
same_by_threads 'nanoseconds' --precision ns --tracefs "$long" -c drain
same_by_threads 'the error of times' --show-error --tracefs "$long" -c drain
same_by_threads 'colours' --color always --tracefs "$long" -c drain
for time in short iso utc rel delta delta-cpu delta-task trace none; do
	same_by_threads "--time $time" --time $time --tracefs "$long" -c drain
done
same_by_threads 'columns' --columns time,comm,delta,event,text --tracefs "$long" -c drain
same_by_threads 'hidden pointers' --tracefs "$long" -c 'set pointers hidden' -c drain
same_by_threads 'little memory' --pool 64K --tracefs "$long" -c drain
same_by_threads 'a few events' --tracefs "$long" -c 'drain -n 1000'
same_by_threads 'one CPU' --tracefs "$long" -c 'drain --cpu 1'
for where in 'prev_pid > 100' 'comm == dd' 'nosuch == 1 || fd == 3' 'fd / 0 == 1' 'delta > 5us' 'comm ~ "r*"' 'pid in {1 .. 200}'; do
	same_by_threads "where $where" --tracefs "$long" -c "drain where $where"
	same_by_threads "where $where as JSON" --json --tracefs "$long" -c "drain where $where"
done
for format in text json csv; do
	same_by_threads "fields as $format" --format $format --tracefs "$long" -c 'drain fields time pid comm next_comm x=fd+1'
done
same_by_threads 'a range of time' --tracefs "$long" -c 'drain --since 2026-11-21T08:58:01 --until 2026-11-21T08:58:05'
same_by_threads 'hist' --tracefs "$long" -c 'hist --drain by next_comm'

# pages that are not whole, and stamps that go back: a damaged page is noted when it is read, and several threads read more at a time
unmarked=yes

cp -r "$long" cut
dd if="$long/per_cpu/cpu1/trace_pipe_raw" of=cut/per_cpu/cpu1/trace_pipe_raw bs=1000 count=300 2>/dev/null
same_by_threads 'a file that ends inside a page' --tracefs cut -c drain
cp -r "$long" broken
printf '\377\377\377\377' | dd of=broken/per_cpu/cpu0/trace_pipe_raw bs=1 seek=$((100 * 4096 + 16)) conv=notrunc 2>/dev/null
same_by_threads 'a page with wrong lengths' --tracefs broken -c drain
unmarked=
cp -r "$long" back
dd if="$long/per_cpu/cpu0/trace_pipe_raw" of=back/per_cpu/cpu0/trace_pipe_raw bs=4096 skip=10 seek=60 count=20 conv=notrunc 2>/dev/null
same_by_threads 'stamps that go back' --tracefs back -c drain
cp -r "$long" unnamed
rm -r unnamed/events/syscalls/sys_enter_openat
same_by_threads 'an event without a format' --tracefs unnamed -c drain
for tree in "$SRC"/tests/unit/trees/*/; do
	same_by_threads "$(basename "$tree")" --tracefs "$tree" -c drain
done

# one CPU's pages are damaged in the middle, while the others go on. What is read ahead decides where a wrong stamp is put, so
# the pool is the same.
for damage in zeros ones lengths commit past future; do
	rm -rf damaged
	cp -r "$long" damaged
	python3 -I - "$damage" damaged/per_cpu/cpu1/trace_pipe_raw <<'END'
import struct, sys
kind, path = sys.argv[1:]
data = bytearray(open(path, "rb").read())
for page in range(60, 66):
    at = page * 4096
    stamp, commit = struct.unpack_from("<QQ", data, at)
    if kind == "zeros":
        data[at + 16 : at + 4096] = bytes(4080)
    elif kind == "ones":
        data[at : at + 4096] = b"\xff" * 4096
    elif kind == "lengths":
        data[at + 16 + page : at + 216 + page] = bytes(range(200))
    elif kind == "commit":
        struct.pack_into("<Q", data, at + 8, [0, 4081, 1 << 40, commit | 1 << 31, 7, 1 << 30][page - 60])
    elif kind == "past":
        struct.pack_into("<Q", data, at, stamp // 2)
    else:
        struct.pack_into("<Q", data, at, (1 << 64) - 1000)
open(path, "wb").write(data)
END
	same_by_threads "a CPU with damaged pages ($damage)" --pool 1M --tracefs damaged -c drain
done

# many CPUs, and few threads
rm -rf damaged
cp -r "$SRC/examples/recorded" many
for cpu in $(seq 2 299); do
	cp -r many/per_cpu/cpu$((cpu % 2)) "many/per_cpu/cpu$cpu"
done
"$TRACESH" --threads 1 --tracefs many -c drain >want 2>/dev/null
"$TRACESH" --threads 3 --tracefs many -c drain >got 2>/dev/null
ok '300 CPUs by 3 threads: the same' cmp got want

# a format that prints much for each event: all threads wait for their turn, and none keeps a whole slice of it
cp -r "$long" fat
for format in fat/events/*/*/format; do
	sed -i "s/^print fmt: .*/print fmt: \"$(printf '%060000d' 0)\"/" "$format"
done
"$TRACESH" -q --threads 1 --tracefs fat -c drain 2>/dev/null | head -c 300000000 | cksum >want
for n in 4 16; do
	/usr/bin/env python3 -I -c 'import resource, subprocess, sys
status = subprocess.call(sys.argv[1:], stderr=subprocess.DEVNULL)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss, file=sys.stderr)' \
		"$TRACESH" -q --threads $n --tracefs fat -c drain 2>memory | head -c 300000000 | cksum >got
	ok "long texts, $n threads: the same" cmp got want
	if grep -qs -e __asan_init -e __tsan_init "$TRACESH"; then
		skip "long texts, $n threads: memory is bounded" 'a sanitizer keeps what was freed'
	else
		ok "long texts, $n threads: memory is bounded" test "$(cat memory)" -lt $((16384 + n * 4096))
	fi
done
rm -rf fat many

# threads that cannot be had

"$TRACESH" --threads 1 --tracefs "$long" -c drain >want 2>/dev/null
if [ "$(id -u)" -ne 0 ] || ! setpriv --reuid 65534 --clear-groups bash -c 'ulimit -u 1'; then
	skip 'no thread can be started' 'needs root, setpriv and a limit of processes'
else
	chmod 755 "$TMP"
	cp "$TRACESH" tracesh
	setpriv --reuid 65534 --clear-groups bash -c "ulimit -u 1; exec '$TMP/tracesh' --threads 4 --tracefs '$long' -c drain" >got 2>/dev/null
	ok 'no thread can be started: the same' cmp got want
fi
taskset -c 0 "$TRACESH" --threads 3 --tracefs "$long" -c drain >got 2>/dev/null
ok 'more threads than CPUs: the same' cmp got want
"$TRACESH" --threads 2 --tracefs "$long" -c drain 2>/dev/null | head -n 1000 >got
head -n 1000 want >some
ok 'a reader that goes away' cmp got some
"$TRACESH" --threads 2 --tracefs "$long" -o /dev/full -c drain 2>err
is "$?" 1 'a full disk: fails'
like "$(cat err)" 'cannot write .*: No space left on device' 'a full disk: is said'

# the setting

run "$TRACESH" --threads 0 -c 'print x'
is "$status" 2 '0 is no number of threads'
like "$err" "'0' is no number of threads" 'which is said'
like "$err" "^hint: 1 to 64, or auto$" 'with what is one'
run "$TRACESH" -c 'set threads many'
is "$status" 2 'nor is a word'
run "$TRACESH" -c "set threads 3" -c "set threads" -c "set threads auto" -c "set threads"
is "$out" 'threads:  3
threads:  auto' 'the setting says its value'

done_testing
