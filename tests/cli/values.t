#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# A value of each kind of field reads the same as a key and a column, in text, JSON and CSV, and a question finds it by that.
. "${SRC:-$(dirname "$0")/../..}/tests/lib.sh"

python=$(command -v python3) || skip_all 'no python3'
cd "$TMP" || exit 1
LC_ALL=C
export LC_ALL
t()
{
	run timeout -k 5 60 "$TRACESH" --tracefs tree -q "$@"
}

# Makes a tree of two events each of two types, whose fields have known values; of each the second is another one.
make_tree()
{
	rm -rf tree
	mkdir -p tree/events/made/kinds tree/events/made/other tree/per_cpu/cpu0 tree/tracesh
	"$python" -I - "$1" <<'END'
import struct, sys
order = sys.argv[1]
e = '>' if order == 'big' else '<'
open('tree/events/header_page', 'w').write(
    '\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n'
    '\tfield: local_t commit;\toffset:8;\tsize:8;\tsigned:1;\n'
    '\tfield: int overwrite;\toffset:8;\tsize:1;\tsigned:1;\n'
    '\tfield: char data;\toffset:16;\tsize:4080;\tsigned:1;\n')
# declaration, size, signed, the values as struct.pack takes them, print format, arguments
kinds = [
    ('u8 v4[4]', 4, 0, '4s', (bytes([127, 0, 0, 1]), bytes([127, 0, 0, 2])), '%pI4', 'REC->v4'),
    ('u8 v6[16]', 16, 0, '16s', (bytes(15) + b'\1', bytes.fromhex('20010db8') + bytes(11) + b'\2'), '%pI6c', 'REC->v6'),
    ('dev_t dev', 4, 0, 'I', (254 << 20, 8 << 20 | 1), '%d,%d',
     '((unsigned int) ((REC->dev) >> 20)), ((unsigned int) ((REC->dev) & ((1U << 20) - 1)))'),
    ('unsigned long site', 8, 0, 'Q', (0xffffffff81000010, 0xffffffff81000100), '%pS', '(void *)REC->site'),
    ('void * fn', 8, 0, 'Q', (0xffffffff81000000, 0xffffffff81000100), '%ps', 'REC->fn'),
    ('void * bare', 8, 0, 'Q', (0xffff888100000000, 0xffff888100000040), '%p', 'REC->bare'),
    ('void * unsaid', 8, 0, 'Q', (0xffff888100000000, 0xffff888100000040), None, None),
    ('__be16 port', 2, 0, '2s', (struct.pack('>H', 7778), struct.pack('>H', 80)), '%u', 'REC->port'),
    ('__be32 net', 4, 0, '4s', (struct.pack('>I', 7), struct.pack('>I', 1 << 20)), None, None),
    ('int state', 4, 1, 'i', (1, 7), '%s', '__print_symbolic(REC->state, { 1, "TCP_ESTABLISHED" }, { 7, "TCP_CLOSE" })'),
    ('u32 flags', 4, 0, 'I', (3, 20), '%s', '__print_flags(REC->flags, "|", { 1, "A" }, { 2, "B" }, { 4, "C" })'),
    ('u8 mac[6]', 6, 0, '6s', (bytes.fromhex('525400123456'), bytes(6)), '%pM', 'REC->mac'),
    ('u8 fsid[16]', 16, 0, '16s', (bytes(range(16)), bytes(16)), '%pU', 'REC->fsid'),
    ('char name[8]', 8, 0, '8s', (b'one two', b'x'), '%s', 'REC->name'),
    ('u16 list[3]', 6, 0, '3H', ((1, 2, 65535), (0, 0, 0)), None, None),
    ('unsigned long args[3]', 24, 0, '3Q', ((1, 2, 3), (1, 2, 4)), '(%lx, %lx, %lx)', 'REC->args[0], REC->args[1], REC->args[2]'),
    ('u16 pair[2]', 4, 0, '2H', ((10, 11), (10, 12)), '{%x,%x}', 'REC->pair[0], REC->pair[1]'),
    ('u16 some[2]', 4, 0, '2H', ((10, 11), (10, 12)), '%u', 'REC->some[0]'),
    ('u8 hw[3]', 3, 0, '3s', (bytes.fromhex('525410'), bytes(3)), '%02x:%02x:%02x', 'REC->hw[0], REC->hw[1], REC->hw[2]'),
    ('bool yes', 1, 0, 'B', (1, 0), None, None),
    ('int cpu_nr', 4, 1, 'i', (3, -1), '%03d', 'REC->cpu_nr'),
    ('s16 small', 2, 1, 'h', (-2, 300), '%d', 'REC->small'),
    ('u64 wide', 8, 0, 'Q', (1 << 52, 0), '%llu', 'REC->wide'),
    ('u32 parts', 4, 0, 'I', (0x10002, 0x20003), 'low=%u high=%u', 'REC->parts & 0xffff, REC->parts >> 16'),
]
head = '''\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;
\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;
\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;
\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;

'''
lines, prints, args, at = '', [], [], 8
records = [bytearray(), bytearray()]
for declaration, size, signed, pack, values, fmt, arg in kinds:
    name = declaration.split()[-1].split('[')[0]
    lines += f'\tfield:{declaration};\toffset:{at};\tsize:{size};\tsigned:{signed};\n'
    at += size
    if fmt:
        prints.append(f'{name}={fmt}')
        args.append(arg)
    for record, value in zip(records, values):
        record += struct.pack(e + pack, *value) if isinstance(value, tuple) else struct.pack(e + pack, value)
lines += f'\tfield:__data_loc char[] text;\toffset:{at};\tsize:4;\tsigned:0;\n'
at += 4
lines += f'\tfield:__data_loc u8[] sock;\toffset:{at};\tsize:4;\tsigned:0;\n'
at += 4
prints += ['text=%s', 'sock=%pISpc']
args += ['__get_str(text)', '__get_dynamic_array(sock)']
texts = (b'a, b\0', b'c\0')
socks = (struct.pack(e + 'H', 2) + struct.pack('>H', 80) + bytes([10, 0, 0, 1]) + bytes(8),
         struct.pack(e + 'H', 2) + struct.pack('>H', 443) + bytes([10, 0, 0, 2]) + bytes(8))
for record, text, sock in zip(records, texts, socks):
    end = at
    record += struct.pack(e + 'II', len(text) << 16 | end, len(sock) << 16 | (end + len(text)))
    record += text + sock
joined = ' '.join(prints)
open('tree/events/made/kinds/format', 'w').write(
    f'name: kinds\nID: 700\nformat:\n{head}{lines}\nprint fmt: "{joined}", {", ".join(args)}\n')
# the same number of a field of that name is called otherwise
open('tree/events/made/other/format', 'w').write(
    f'name: other\nID: 701\nformat:\n{head}\tfield:u32 flags;\toffset:8;\tsize:4;\tsigned:0;\n\n'
    'print fmt: "%s", __print_flags(REC->flags, "|", { 1, "X" }, { 2, "Y" }, { 16, "0x10" })\n')
data = b''
def add(number, body):
    global data
    rec = struct.pack(e + 'HBBi', number, 0, 0, 41) + bytes(body)
    rec += bytes(-len(rec) % 4)
    if len(rec) // 4 <= 28:
        word, more = (len(rec) // 4), b''
    else:
        word, more = 0, struct.pack(e + 'I', len(rec) + 4)
    data += struct.pack(e + 'I', word << 27 if order == 'big' else word) + more + rec
add(700, records[0])
add(700, records[0])
add(700, records[1])
add(701, struct.pack(e + 'I', 3))
page = struct.pack(e + 'QQ', 5_000_000_000, len(data)) + data
open('tree/per_cpu/cpu0/trace_pipe_raw', 'wb').write(page.ljust(4096, b'\0'))
open('tree/trace_clock', 'w').write('local [boot]\n')
open('tree/saved_cmdlines', 'w').write('41 one\n')
open('tree/kallsyms', 'w').write('ffffffff81000000 T first\nffffffff81000100 T second\nffffffff81000200 T third\n')
open('tree/tracesh/info', 'w').write(f'format 1\nbyte_order {order}\nkernel 6.1.0\nmachine other\n')
END
}

# FIELD, its value as it reads everywhere, how a question names it
cat >kinds <<'END'
v4	127.0.0.1	127.0.0.1
v6	::1	::1
dev	254,0	"254,0"
site	first+0x10/0x100	"first+0x10/0x100"
site	first+0x10/0x100	first
fn	first	first
fn	first	"first"
unsaid	0xffff888100000000	0xffff888100000000
bare	0xffff888100000000	"0xffff888100000000"
port	7778	7778
net	7	7
state	TCP_ESTABLISHED	TCP_ESTABLISHED
state	TCP_ESTABLISHED	"TCP_ESTABLISHED"
flags	A|B	"A|B"
mac	52:54:00:12:34:56	"52:54:00:12:34:56"
fsid	00010203-0405-0607-0809-0a0b0c0d0e0f	"00010203-0405-0607-0809-0a0b0c0d0e0f"
name	one two	"one two"
list	{1,2,65535}	"{1,2,65535}"
args	{1,2,3}	"{1,2,3}"
pair	{a,b}	"{a,b}"
some	{10,11}	"{10,11}"
hw	52:54:10	"52:54:10"
yes	true	true
cpu_nr	3	3
small	-2	-2
wide	4503599627370496	4503599627370496
parts	65538	65538
text	a, b	"a, b"
sock	10.0.0.1:80	"10.0.0.1:80"
sock	10.0.0.1:80	10.0.0.1
END

# json FILTER: what jq makes of the answer
json()
{
	jq -r "$1" out
}

command -v jq >/dev/null || skip_all 'no jq'
for order in little big; do
	make_tree "$order"
	t drain -n 1
	is "$status" 0 "$order: the tree reads"
	while IFS='	' read -r field want named; do
		here="$order: $field"
		t --json drain where "event == kinds && $field == $named" fields "$field"
		is "$(json "select(.type == \"event\") | .fields.$field")" "$want
$want" "$here: a question for $named finds it, a column of JSON has it"
		t --json hist by "$field" where 'event == kinds'
		is "$(json "select(.type == \"hist\") | [.count, .key.$field] | map(tostring) | join(\" \")" | head -n 1)" \
			"2 $want" "$here: a key"
		[ "$order" = little ] || continue
		t --format csv hist by "$field" where 'event == kinds'
		hist=$(sed -n '2s/,2$//p' out)
		t --format csv drain where "event == kinds" fields "$field"
		is "$hist" "$(sed -n 2p out)" "$here: a key in CSV is the column"
		case $hist in
		"$want" | "'$want" | "\"$want\"") ok "$here: which has it" true ;;
		*) is "$hist" "$want" "$here: which has it" ;;
		esac
		t hist by "$field" where 'event == kinds'
		is "$(sed -n '2s/^ *\(.*[^ ]\) *2  [^ ]*$/\1/p' out)" "$want" "$here: the table"
		is "$(sed 1d out | grep -c .)" 2 "$here: two values are two rows"
	done <kinds
	t --json hist by flags
	is "$(json 'select(.type == "hist") | [.count, .key.flags] | join(" ")' | sort)" '1 C|0x10
1 X|Y
2 A|B' "$order: each event's names are its own"
done

done_testing
