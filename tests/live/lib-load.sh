# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0-or-later
# For tests of texts: all events of an instance, and what makes as many of them happen as can be. Behind lib-live.sh.

# Types of whose text a part need not be equal, and the part.
parts='
writeback_single_inode_start age=[0-9]+
writeback_single_inode age=[0-9]+
writeback_sb_inodes_requeue age=[0-9]+
f2fs_unlink_enter name = .*
initcall_start func=.*
initcall_finish func=.* ret=
kfree call_site=[A-Za-z0-9_.]*init[A-Za-z0-9_.]*[+][^ ]* \[[a-z0-9_]+\]
kmalloc call_site=[A-Za-z0-9_.]*init[A-Za-z0-9_.]*[+][^ ]* \[[a-z0-9_]+\]
kmalloc_node call_site=[A-Za-z0-9_.]*init[A-Za-z0-9_.]*[+][^ ]* \[[a-z0-9_]+\]
kmem_cache_alloc call_site=[A-Za-z0-9_.]*init[A-Za-z0-9_.]*[+][^ ]* \[[a-z0-9_]+\]
kmem_cache_alloc_node call_site=[A-Za-z0-9_.]*init[A-Za-z0-9_.]*[+][^ ]* \[[a-z0-9_]+\]
kmem_cache_free call_site=[A-Za-z0-9_.]*init[A-Za-z0-9_.]*[+][^ ]* \[[a-z0-9_]+\]
'
# why_part TYPE
why_part()
{
	case $1 in
	writeback_*) echo 'the age of an inode is counted up to the moment of printing' ;;
	f2fs_unlink_enter) echo 'the name is read when it is printed, from memory that is free by then' ;;
	kfree | kmalloc* | kmem_cache_*)
		echo "a module's init function is gone when it is printed: its address may have another name" ;;
	initcall_*) echo 'what a module runs when it is loaded is gone when it is printed, and its name may be, too' ;;
	esac
}

# Systems that are not enabled with the others, as SYSTEM REASON.
excluded='
ftrace cannot be enabled
'

# In a guest the build is on a slow file system, whose events are many.
workload=$TMP/workload
cp "$BUILD/tests/helpers/workload" "$workload"

in_guest=
[ ! -e /run/vm/main ] || in_guest=yes

# ---- what is made to happen ----

# make_file_system TYPE [OPTIONS [MOUNT_OPTIONS]]: in a file, $TMP/TYPE.image, to be mounted at $TMP/TYPE while all is
# traced
file_systems=
make_file_system()
{
	command -v "mkfs.$1" >/dev/null || return 0
	modprobe -q "$1" 2>/dev/null
	modprobe -q loop 2>/dev/null
	grep -qw "$1" /proc/filesystems || return 0
	mkdir "$TMP/$1"
	truncate -s 320M "$TMP/$1.image"
	# shellcheck disable=SC2086 # words
	"mkfs.$1" -q ${2-} "$TMP/$1.image" >"$TMP/log" 2>&1 || return 0
	echo "${3-defaults}" >"$TMP/$1.options"
	file_systems="$file_systems $1"
}

# A control group with a limit of memory at $cgroup, of whichever version has the controller.
make_cgroup()
{
	mkdir "$TMP/cgroup"
	cgroup=
	for options in '-t cgroup2' '-t cgroup -o memory'; do
		# shellcheck disable=SC2086 # words
		mount $options none "$TMP/cgroup" 2>/dev/null || continue
		echo +memory >"$TMP/cgroup/cgroup.subtree_control"
		cgroup=$TMP/cgroup/live-parity-$$
		mkdir "$cgroup"
		{ echo 8M >"$cgroup/memory.max" || echo 8M >"$cgroup/memory.limit_in_bytes"; } && break
		rmdir "$cgroup"
		umount "$TMP/cgroup"
		cgroup=
	done 2>/dev/null
	[ -z "$cgroup" ] || at_exit "rmdir '$cgroup'; umount '$TMP/cgroup'"
}

# Probes of all kinds and argument types; what this kernel does not know is left out. No symstr: for it up to 6.12 at
# least kallsyms_lookup clears the last of KSYM_NAME_LEN bytes, 500 behind the end of the name's room, and guests died.
make_probes()
{
	"$workload" --probes >"$TMP/uprobes"
	while read -r probe; do
		echo "$probe" >>"$TRACING/uprobe_events"
	done <"$TMP/uprobes" 2>/dev/null
	while read -r probe; do
		echo "$probe" >>"$TRACING/dynamic_events"
	done 2>/dev/null <<'PROBES'
p:kprobes/parity_open do_sys_openat2 dfd=%di:s32 name=+0(%si):ustring how=%dx:x64 flags=+0(%dx):x64 ip=%ip:symbol stack=$stack comm=$comm
p:kprobes/parity_array do_sys_openat2 bytes=+0($stack):x8[8] words=+8($stack):u32[3] bits=+0($stack):b5@2/32
p:kprobes/parity_char do_sys_openat2 char=+0(%si):char
p:kprobes/parity_strings do_sys_openat2 names=+0(%si):ustring[1]
r:kprobes/parity_opened do_sys_openat2 fd=$retval:s64 low=$retval:u8 any=$retval
p:kprobes/parity_file vfs_open+0 path=%di:%pd
p:kprobes/parity_inside vfs_read+8
e:eprobes/parity_exec sched/sched_process_exec pid=$pid:s32 file=+0($filename):string
f:fprobes/parity_read vfs_read
f:fprobes/parity_read_ret vfs_read%return value=$retval:s64
t:tprobes/parity_fork sched_process_fork
s:synthetic/parity_slept int pid; char comm[16]; u64 delta; char dynamic[]
PROBES
	at_exit remove_probes
	# The synthetic event, where there are histograms; the $ are the kernel's.
	# shellcheck disable=SC2016
	took='hist:keys=pid:took=common_timestamp.usecs-$start:onmatch(sched.sched_process_fork)'
	echo 'hist:keys=pid:start=common_timestamp.usecs' >"$D/events/sched/sched_process_fork/trigger"
	# shellcheck disable=SC2016
	echo "$took"'.trace(parity_slept,pid,comm,$took,comm)' >"$D/events/sched/sched_process_exit/trigger"
} 2>/dev/null

remove_probes()
{
	grep -Eo '^[a-z0-9]+:[a-z]+/(parity|workload)_[^ ]*' "$TRACING/dynamic_events" | sed 's/^[^:]*:/-:/' >"$TMP/remove"
	while read -r probe; do
		echo "$probe" >>"$TRACING/dynamic_events"
	done <"$TMP/remove"
} 2>/dev/null

btrfs_tools()
{
	command -v btrfs >/dev/null || return 0
	btrfs subvolume create "$TMP/btrfs/one"
	btrfs subvolume snapshot "$TMP/btrfs/one" "$TMP/btrfs/two"
	btrfs balance start --full-balance "$TMP/btrfs"
	btrfs scrub start -B "$TMP/btrfs"
	btrfs filesystem sync "$TMP/btrfs"
} >/dev/null 2>&1

network()
{
	command -v ip >/dev/null || return 0
	unshare -n sh -c '
		ip link set lo up
		ip link add v0 type veth peer name v1
		ip link add b0 type bridge
		ip link set v1 master b0
		for link in v0 v1 b0; do ip link set $link up; done
		ip address add 192.0.2.1/24 dev v0
		ip address add 2001:db8::1/64 dev v0
		ip route add 198.51.100.0/24 via 192.0.2.9
		ip neigh add 192.0.2.7 lladdr 02:00:00:00:00:07 dev v0
		ip neigh del 192.0.2.7 dev v0
		bridge fdb add 02:00:00:00:00:08 dev v1 master
		bash -c "echo one >/dev/udp/192.0.2.5/9; echo two >/dev/udp/198.51.100.1/9"
		tc qdisc add dev lo root netem loss 20% delay 1ms
		timeout 3 "$0" net' "$workload"
} >/dev/null 2>&1

# Set where events of modules are enabled: the kernel empties all buffers when such a module goes.
modules_stay=

# What only a machine of our own may be asked for.
guest()
{
	[ -n "$in_guest" ] || return 0
	for file in compact_memory drop_caches; do echo 1 >/proc/sys/vm/$file; done
	echo 1 >/sys/kernel/mm/ksm/run
	for scheduler in kyber bfq mq-deadline none; do
		echo "$scheduler" >/sys/block/loop0/queue/scheduler
	done
	modprobe null_blk && dd if=/dev/zero of=/dev/nullb0 bs=4k count=20 oflag=direct
	modprobe scsi_debug dev_size_mb=8 && dd if=/dev/zero of=/dev/sda bs=4k count=20 oflag=direct
	modprobe mac80211_hwsim && ip link set wlan0 up
	modprobe dummy_hcd && modprobe g_zero
	modprobe vkms
	modprobe gpio-mockup gpio_mockup_ranges=-1,8
	modprobe i2c-stub chip_addr=0x10
	for module in g_zero dummy_hcd mac80211_hwsim scsi_debug null_blk i2c-stub gpio-mockup; do
		[ -n "$modules_stay" ] || rmmod $module
	done
	echo 0 >/sys/devices/system/cpu/cpu1/online && echo 1 >/sys/devices/system/cpu/cpu1/online
	echo 3 >/proc/sys/vm/drop_caches
} >/dev/null 2>&1

# with_bpf_trace COMMAND..: leaves the event as it was that a bpf program that prints enables, in the top-level instance
with_bpf_trace()
{
	read -r bpf_trace 2>/dev/null <"$TRACING/events/bpf_trace/bpf_trace_printk/enable" || bpf_trace=
	"$@"
	[ "$bpf_trace" != 0 ] || echo 0 >"$TRACING/events/bpf_trace/bpf_trace_printk/enable"
}

# everything [OPTION..]: these are the workload's
everything()
{
	for name in $file_systems; do
		mount -o "loop,$(cat "$TMP/$name.options")" "$TMP/$name.image" "$TMP/$name" 2>/dev/null ||
			mount -o loop "$TMP/$name.image" "$TMP/$name" && set -- "$@" -d "$TMP/$name"
	done
	mkdir -p "$TMP/huge"
	mount -t hugetlbfs none "$TMP/huge" && set -- "$@" -d "$TMP/huge"
	"$workload" ${cgroup:+-g "$cgroup"} "$@" >/dev/null 2>&1
	umount "$TMP/huge"
	for name in $file_systems; do
		[ "$name" != btrfs ] || btrfs_tools
		umount "$TMP/$name"
	done
	network
	guest
}

# ---- tracing, and comparing ----

# show_pointers: that the kernel prints pointers as they are, where it can; $hashed says that it cannot. The option is
# missing before 5.12; later kernels up to 6.12 or so, with the option off, print nothing for %s.
show_pointers()
{
	hashed=
	! grep -qw no_hash_pointers /proc/cmdline || return 0
	hashed=1
	[ -e "$D/options/hash-ptr" ] || return 0
	echo 0 >"$D/options/hash-ptr"
	echo 1 >"$D/events/task/task_newtask/enable"
	trace /bin/true
	echo 0 >"$D/events/task/task_newtask/enable"
	if grep -q ' comm= ' "$D/trace"; then
		echo 1 >"$D/options/hash-ptr"
	else
		hashed=
	fi
	echo >"$D/trace"
}

# prepare: an instance of the case's own, off, with buffers for all that comes
prepare()
{
	fresh
	echo 0 >"$D/tracing_on"
	show_pointers
	# a fifth of the memory, at most 768 MB for each CPU: others work meanwhile
	awk -v cpus="$(getconf _NPROCESSORS_ONLN)" '/^MemAvailable/ {
		kb = $2 / 5 / cpus
		print int(kb > 786432 ? 786432 : kb)
	}' /proc/meminfo >"$D/buffer_size_kb"
}

enable_all()
{
	for directory in "$D"/events/*/; do
		name=${directory%/}
		name=${name##*/}
		echo "$excluded" | grep -q "^$name " || echo 1 >"$directory/enable"
	done 2>/dev/null
}

# trace COMMAND..: with tracing on
trace()
{
	echo 1 >"$D/tracing_on"
	"$@"
	echo 0 >"$D/tracing_on"
}

lost()
{
	awk '/^(overrun|commit overrun|dropped events):/ { n += $NF } END { print n + 0 }' "$D"/per_cpu/cpu*/stats
}
