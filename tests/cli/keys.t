#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Keys of events that have one field in different ways: each row is one thing that is shown, and it is
# shown as its event has it.
. "${SRC:-$(dirname "$0")/../..}/tests/lib.sh"

command -v python3 >/dev/null || skip_all 'no python3'
command -v jq >/dev/null || skip_all 'no jq'
cd "$TMP" || exit 1
export TZ=UTC

cat >make.py <<'END'
import os, shutil, struct, sys
# make.py BITS NAME:VALUE..: a recording of these events
HEAD = '''\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;
\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;
\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;
\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;

'''
EVENTS = {
    'bare': ('u32 f', 4, 0, 'f=%u', 'REC->f'),
    'hex': ('u64 f', 8, 0, 'f=%llx', 'REC->f'),
    'wide': ('u64 f', 8, 0, 'f=%016llx', 'REC->f'),
    'octal': ('unsigned short f', 2, 0, 'f=0%o', 'REC->f'),
    'eight': ('unsigned short f', 2, 0, 'f=%o', 'REC->f'),
    'named': ('u32 f', 4, 0, 'f=%s', '__print_flags(REC->f, "|", {1, "NEW"}, {2, "SYNC"})'),
    'said': ('u32 f', 4, 0, 'f=%s', '__print_symbolic(REC->f, {80, "80"}, {1, "one"})'),
    'truth': ('int f', 4, 1, 'f=%s', 'REC->f ? "handled" : "unhandled"'),
    'divided': ('u64 f', 8, 0, 'f=%llu', 'REC->f / 1000'),
    'masked': ('u32 f', 4, 0, 'f=%02x:%02x', 'REC->f >> 8, REC->f & 0xff'),
    'cut': ('char f[8]', 8, 0, 'f=%.3s', 'REC->f'),
    'counted': ('u32 count', 4, 0, 'count=%u', 'REC->count'),
    'sys_exit_openat': ('long ret', 0, 1, '0x%lx', 'REC->ret'),
}
bits = int(sys.argv[1])
shutil.rmtree('tree', ignore_errors=True)
for folder in ('per_cpu/cpu0', 'tracesh', 'events'):
    os.makedirs('tree/' + folder)
size = bits // 8
open('tree/events/header_page', 'w').write(
    '\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n'
    f'\tfield: local_t commit;\toffset:8;\tsize:{size};\tsigned:1;\n'
    '\tfield: int overwrite;\toffset:8;\tsize:1;\tsigned:1;\n'
    f'\tfield: char data;\toffset:{8 + size};\tsize:{4096 - 8 - size};\tsigned:1;\n')
data = b''
for i, (name, (field, n, signed, fmt, arg)) in enumerate(EVENTS.items()):
    n = n or size
    os.makedirs('tree/events/made/' + name)
    open(f'tree/events/made/{name}/format', 'w').write(
        f'name: {name}\nID: {700 + i}\nformat:\n{HEAD}\tfield:{field};\toffset:8;\tsize:{n};\tsigned:{signed};\n\n'
        f'print fmt: "{fmt}", {arg}\n')
for word in sys.argv[2:]:
    name, value = word.split(':')
    signed, n = EVENTS[name][2], EVENTS[name][1] or size
    rec = struct.pack('<HBBi', 700 + list(EVENTS).index(name), 0, 0, 41)
    rec += (int(value, 0) % (1 << 8 * n)).to_bytes(n, 'little')
    rec += bytes(-len(rec) % 4)
    data += struct.pack('<I', len(rec) // 4) + rec
page = struct.pack('<QQ' if size == 8 else '<QI', 5_000_000_000, len(data)) + data
open('tree/per_cpu/cpu0/trace_pipe_raw', 'wb').write(page.ljust(4096, b'\0'))
open('tree/available_events', 'w').write(''.join(f'made:{name}\n' for name in EVENTS))
open('tree/trace_clock', 'w').write('local [boot]\n')
open('tree/saved_cmdlines', 'w').write('41 one\n')
open('tree/tracesh/info', 'w').write('format 1\nbyte_order little\nkernel 6.1.0\nmachine other\n')
END

# make [-32] NAME:VALUE..
make()
{
	bits=64
	[ "$1" != -32 ] || { bits=32; shift; }
	python3 make.py $bits "$@"
}
t() { run "$TRACESH" -q --tracefs tree "$@"; }
# the rows of hist by KEYS: "COUNT KEY.." as JSON, in order of their text
rows()
{
	t --json hist by "$1"
	printf '%s\n' "$out" | jq -c 'select(.type == "hist") | [.count, .key[]]' | LC_ALL=C sort
}

# ---- several events ----

for order in 'named:1 bare:1 bare:3 bare:8 named:2' 'bare:1 bare:3 named:1 named:2 bare:8'; do
	make $order
	is "$(rows event,f)" '[1,"bare",1]
[1,"bare",3]
[1,"bare",8]
[1,"named","NEW"]
[1,"named","SYNC"]' "$order: a bare number has no names of another event"
done
make hex:80 bare:80 bare:50 hex:128
is "$(rows f)" '[1,128]
[1,50]
[2,80]' 'one number is one row, in whatever base events have it'
make said:1 named:1 bare:1 named:16
is "$(rows f)" '[1,"NEW"]
[1,"one"]
[1,16]
[1,1]' 'each event has its names'

make cut:0x35 bare:5
is "$(rows f)" '[1,"5"]
[1,5]' 'a string and a number that reads like it are two keys, which JSON tells apart'
make cut:0xff cut:0xbfc3 cut:0xff
is "$(rows f | cut -c 1-3)" '[1,
[2,' 'a byte that is not UTF-8 is no character, but for JSON, which has no bytes'

# ---- pairs ----

make named:2 bare:2 named:1 truth:2 truth:1
t --json latency made:named made:bare on f
is "$(printf '%s\n' "$out" | jq -c 'select(.type == "latency" and .count) | .count')" 1 'events are paired by a number, whatever they call it'
t --json latency made:named made:truth on f by f
is "$(printf '%s\n' "$out" | jq -c 'select(.key) | [.count, .key.f]' | LC_ALL=C sort)" '[1,"NEW"]
[1,"SYNC"]' 'and counted by the name'

# ---- what one event has in one text ----

make truth:1 truth:2 truth:0 truth:1
is "$(rows f)" '[1,"unhandled"]
[3,"handled"]' 'numbers of one text are one row'
make divided:1000 divided:1999 divided:80 divided:0
is "$(rows f)" '[2,0]
[2,1]' 'so are those of one quotient'
t hist by f
is "$(printf '%s\n' "$out" | awk 'NR > 1 { print $1, $2 }' | sort)" '0 2
1 2' 'which the table has'
make masked:258 masked:258 masked:0x10102
t --format csv hist by f
is "$out" 'f,count
01:02,2
101:02,1' 'a pair is one key'

# ---- columns ----

make counted:7 counted:7
t --format csv hist by count
is "$out" 'key.count,count
7,2' 'a key that is called as another column'
t --format csv latency counted counted on common_pid by count
is "$(printf '%s\n' "$out" | sed -n '1s/,avg.*//p; 2s/^\([^,]*,[^,]*\).*/\1/p')" 'key.count,count
7,1' 'of latency, too'

# column FIELD: what the lines of the events have of it
column() { t --format csv drain fields "$1"; printf '%s\n' "$out" | sed 1d; }
json() { t --json drain fields f; printf '%s\n' "$out" | jq -c 'select(.type == "event") | .fields.f' | paste -s -d ' '; }
make hex:18874368 hex:0 octal:33188 octal:0 eight:420 hex:0xffff888100
is "$(column f | paste -s -d ' ')" '0x1200000 0x0 0100644 00 0644 0xffff888100' 'a number of another base says which'
is "$(json)" '18874368 0 "0100644" "00" "0644" 1099503796480' 'in JSON a hexadecimal one is a number'
make hex:18874368 octal:33188
is "$(rows f)" '[1,"0100644"]
[1,18874368]' 'as keys are'
make cut:0x6665646362 cut:0x66656463
is "$(column f | paste -s -d ' ')" 'bcd cde' 'a string that the event cuts is cut'

# ---- 32-bit machines ----

make -32 sys_exit_openat:0xb6f00000 sys_exit_openat:-2 sys_exit_openat:3
is "$(column ret | paste -s -d ' ')" '0xb6f00000 '\''-ENOENT 3' 'an address that a call returned has 32 bits'
is "$(rows ret.hex)" '[1,"0x3"]
[1,"0xb6f00000"]
[1,"0xfffffffe"]' 'in .hex, too'
make sys_exit_openat:0xffffffffb6f00000 sys_exit_openat:-2
is "$(column ret | paste -s -d ' ')" '0xffffffffb6f00000 '\''-ENOENT' 'and else 64'

# ---- patterns ----

make masked:258 masked:0x10102 masked:1
t drain where 'f ~ "01:*"' fields f
is "$(printf '%s\n' "$out" | grep -c 01:02)" 1 'a pattern of what is shown may begin with a digit'
t drain where 'f ~ "!01:*"' fields f
is "$(printf '%s\n' "$out" | grep -c :0)" 2 'or with ! before one'
make bare:1 bare:2
mv tree/events/made tree/events/9p
echo 9p:bare >tree/available_events
t drain where 'system ~ "9p*"' fields f
is "$(printf '%s\n' "$out" | grep -c '^[12]$')" 2 'so may one of a system'

done_testing
