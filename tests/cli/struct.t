#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# time limit: 300
# struct, and the pointers of info: of this machine's kernel, where it tells its types.
. "${SRC:-$(dirname "$0")/../..}/tests/lib.sh"

cd "$TMP" || exit 1
btf=/sys/kernel/btf/vmlinux
cp -r "$SRC/examples/recorded" tree && chmod -R u+w tree
t()
{
	run timeout -k 5 60 "$TRACESH" --tracefs tree "$@"
}

# fails NAME STATUS WANT ARGUMENT..: with that message
fails()
{
	name=$1 want_status=$2 want=$3
	shift 3
	t "$@"
	is "$status" "$want_status" "$name: the status"
	like "$err" "$want" "$name: the message"
}

# Without types

fails 'a recording without types' 3 'recording has no type information \(BTF\)$' struct list_head
like "$err" "'.*/btf' would be /sys/kernel/btf/vmlinux" 'what it would take'
printf 'no BTF at all, but long enough' >tree/btf
fails 'types that are none' 3 'BTF\) cannot be understood$' struct list_head
t info netif_receive_skb
is "$status" 0 'info does without'
unlike "$out" '^  (pointer|args):' 'and has nothing to say of pointers'
is "$("$TRACESH" --tracefs tree --complete struct list_)" '' 'nothing to complete'

[ -r "$btf" ] || {
	skip 'the types of this kernel' "no $btf (CONFIG_DEBUG_INFO_BTF)"
	done_testing
	exit
}
rm -f tree/btf
head -c 100000 "$btf" >tree/btf
fails 'half of the types' 3 'cannot be understood$' struct list_head
cp "$btf" tree/btf

# A session reads them once.

{
	echo struct list_head
	for _ in $(seq 600); do [ -s kept ] || sleep 0.1; done
	rm tree/btf
	echo struct list_head
} | timeout -k 5 120 "$TRACESH" --tracefs tree >kept 2>&1
is "$(grep -c 'struct list_head {$' kept)" 2 'a session keeps the types that it has read'
cp "$btf" tree/btf

# What is printed

t struct list_head
if [ "$(getconf LONG_BIT)" = 64 ]; then
	is "$out" '  OFFSET   SIZE  struct list_head {
       0      8      struct list_head *next;
       8      8      struct list_head *prev;
                 };  /* 16 bytes, 2 members */' 'a structure'
	t --json struct list_head
	is "$out" '{"type":"member","offset":0,"bit":null,"bits":null,"size":16,"type":"struct list_head","name":"list_head","depth":0,"value":null}
{"type":"member","offset":0,"bit":null,"bits":null,"size":8,"type":"struct list_head *","name":"next","depth":1,"value":null}
{"type":"member","offset":8,"bit":null,"bits":null,"size":8,"type":"struct list_head *","name":"prev","depth":1,"value":null}' 'as JSON'
else
	skip 'a structure, and as JSON' 'no 64-bit machine'
fi
cp out before
run timeout -k 5 60 "$TRACESH" --json --tracefs /nowhere struct list_head
is "$status $out" "0 $(cat before)" 'it needs no tracefs'
t struct task_struct.se.load
like "$out" '^struct load_weight load;  /\* struct task_struct: at [0-9]+, 16 bytes \*/' 'a member of a member'
like "$out" 'struct load_weight \{' 'its structure'
like "$out" ' weight;' 'its members'
t struct task_struct.mm.mmap_lock
like "$out" 'mmap_lock;  /\* struct mm_struct: at ' 'behind a pointer it counts anew'
t struct hrtimer_restart atomic_t u32
like "$out" '^enum hrtimer_restart \{' 'an enumeration'
like "$out" '^    HRTIMER_RESTART = 1,$' 'its values'
like "$out" '^ +\} atomic_t;  /\* 4 bytes, 1 member \*/$' 'a typedef of a structure without a name'
like "$out" '^typedef __u32 u32;  /\* 4 bytes \*/$' 'a typedef of a number'
t --format csv struct hrtimer_restart
like "$out" '^,,,,,HRTIMER_RESTART,1,1$' 'an enumerator in CSV'
t struct iphdr
like "$out" '^ +0:[04] +1      __u8 version:4;$' 'a bit field'
t struct task_struct
unlike "$out" ' (and more|\?)' 'a large structure is there as a whole'

# Errors, completion

fails 'no such structure' 1 "the recording has no structure 'list_haed'" struct list_haed
like "$err" '^ +\^~{8}$' 'the caret'
like "$err" "did you mean 'list_head'" 'what was meant'
run timeout -k 5 60 "$TRACESH" struct qqqqqqqq
like "$err" "the kernel has no structure 'qqqqqqqq'" 'nor one like it'
like "$err" '^hint: TAB completes names; info EVENT names those that its pointers have$' 'how to find one'
fails 'no such member' 1 "struct list_head has no member 'nxt'" struct list_head.nxt
like "$err" "did you mean 'next'" 'which member was meant'
fails 'no structure' 1 "enum hrtimer_restart has no members: no member 'x'" struct hrtimer_restart.x
fails 'an empty member' 1 'struct list_head has no member' struct list_head.
fails 'a number as source' 1 "'u32' has no definition of its own" struct --lang c u32
fails 'no name' 2 'NAME' struct
is "$("$TRACESH" --tracefs tree --complete struct list_hea | grep -w list_head)" 'list_head	struct' 'names are completed'
is "$("$TRACESH" --tracefs tree --complete struct list_head.ne)" 'list_head.next	struct list_head *' 'members, too'
is "$("$TRACESH" --tracefs tree --complete struct list_head.next.p)" 'list_head.next.prev	struct list_head *' 'behind a pointer'

# info: the format says void *

t info netif_receive_skb
if t struct sk_buff && [ "$status" -eq 0 ]; then
	t info netif_receive_skb
	like "$out" '^  pointer:  skbaddr is a (const )?struct sk_buff \*$' 'info: what a pointer points to'
	like "$out" '^  args:     struct sk_buff \*skb$' 'info: what the event is made of'
	t --json info netif_receive_skb
	like "$out" '"name":"skbaddr",[^}]*"pointer":"struct sk_buff \*"' 'the same in JSON'
else
	skip 'info: what a pointer points to' 'a kernel without network'
fi

# The layout of what the C library's headers have, too: it is not only consistent

cc=${CC:-cc}
structures='list_head hlist_node timer_list hrtimer work_struct task_struct mm_struct file inode dentry
super_block page cred sk_buff net_device tcphdr iphdr perf_event request bio epoll_event'

# offsets NAME KIND: assertions of the offsets of its members
offsets()
{
	"$TRACESH" --tracefs tree --format csv struct "$1" | awk -F, -v name="$1" '
		NR > 2 && $2 == "" && $(NF - 1) == 1 && $(NF - 2) ~ /^[A-Za-z_0-9]+$/ {
			printf "_Static_assert(__builtin_offsetof(struct %s, %s) == %d, \"%s\");\n", name, $(NF - 2), $1, $(NF - 2)
		}'
}

compiles()
{
	"$cc" -std=gnu11 -Wall -Werror -Wno-attributes -Wno-packed-bitfield-compat -c "$1" -o object.o
}

if command -v "$cc" >/dev/null; then
	n=0
	for name in $structures; do
		"$TRACESH" --tracefs tree struct --lang c "$name" >one.c 2>/dev/null || continue
		offsets "$name" >asserted
		cat asserted >>one.c
		ok "struct $name in C, with $(wc -l <asserted) offsets" compiles one.c
		n=$((n + 1))
	done
	ok 'there are a dozen' test "$n" -ge 12
	for pair in tcphdr:linux/tcp.h iphdr:linux/ip.h udphdr:linux/udp.h epoll_event:linux/eventpoll.h sockaddr_un:linux/un.h; do
		name=${pair%%:*}
		{
			printf '#include <%s>\n' "${pair#*:}"
			offsets "$name"
		} >one.c
		if echo "#include <${pair#*:}>" | "$cc" -E - >/dev/null 2>&1; then
			ok "struct $name is that of ${pair#*:}" compiles one.c
		else
			skip "struct $name is that of ${pair#*:}" 'no such header'
		fi
	done
	printf 'enum broken { A = 1 };\n_Static_assert(A == 2, "caught");\n' >one.c
	ok 'a wrong offset would be caught' sh -c "! '$cc' -std=gnu11 -c one.c -o object.o 2>/dev/null"
else
	skip 'definitions in C compile' 'no C compiler'
fi

if rustc --version >/dev/null 2>&1; then
	for name in $structures; do
		"$TRACESH" --tracefs tree struct --lang rust "$name" >one.rs 2>/dev/null || continue
		ok "struct $name in Rust" rustc --crate-type lib --emit metadata -o one.rmeta one.rs
	done
else
	skip 'definitions in Rust compile' 'no rustc, or none that runs here'
fi

done_testing
