# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0-or-later
# For the tests of the examples; after lib-live.sh. Every example of every command works and leaves nothing behind; of which
# `chosen TEXT` is true.

limit=60
[ ! -e /run/vm/main ] || limit=120
tab=$(printf '\t')
# examples name files as seen from here
cd "$SRC" || exit 1

# example WHAT ARGUMENT..: succeeds; in an instance, as some erase or consume what is in the buffer: that is other people's
example()
{
	what=$1
	shift
	run timeout -k 5 "$limit" "$TRACESH" -i "$I" --restore "$@" </dev/null
	expect 0 "$what"
}

"$TRACESH" --help-examples >"$TMP/examples"
true_that 'there are examples' test -s "$TMP/examples"
version=$("$TRACESH" --version)

# left_out COMMAND EXAMPLE: prints why it is not run; nothing when it is
left_out()
{
	case $2 in
	'!'* | *' &') echo 'for the prompt only' ;;
	'probe vfs_'* | "probe 'vfs_"*)
		if [ ! -e "$TRACING/kprobe_events" ]; then
			echo 'this kernel has no kprobes'
		elif [ ! -e /sys/kernel/btf/vmlinux ] && [ "${2%->*}" != "$2" ]; then
			echo 'this kernel has no BTF'
		fi
		;;
	'probe '*/bin/bash:*) { [ -e "$TRACING/uprobe_events" ] && [ -x /bin/bash ]; } || echo 'no uprobes, or no bash' ;;
	*' --sqlhist'*)
		case $version in *'no libtracefs'*) echo 'a build without libtracefs' ;; esac
		;;
	'instance create '*)
		[ ! -d "$TRACING/instances/${2##* }" ] || echo 'somebody has an instance of that name'
		;;
	esac
}

# An idle machine would keep the examples waiting: here two tasks go to sleep, one for the other.
one_cpu=
! command -v taskset >/dev/null || one_cpu='taskset -c 0'
# They end with this test, also when it is killed.
# shellcheck disable=SC2086,SC2016 # a command with its arguments; the inner shell's
$one_cpu sh -c 'while sleep 0.02 && kill -0 "$0"; do echo; done' $$ 2>/dev/null | $one_cpu cat >/dev/null &
at_exit "kill $!"

# makes_events EXAMPLE: or an instance that others see, by its name or by its kind
makes_events()
{
	case $1 in
	*probe* | *synth* | *--in-kernel* | *JOIN* | 'instance create '*) ;;
	*) return 1 ;;
	esac
}

while IFS="$tab" read -r name text; do
	! chosen "$text" || echo "$name"
done <"$TMP/examples" | uniq >"$TMP/commands"
for command in $(cat "$TMP/commands"); do
	begin "$command"
	fresh
	# an instance is deleted with its events; the others have some to show
	echo "an example" >"$D/trace_marker"
	while IFS="$tab" read -r name text <&3; do
		[ "$name" = "$command" ] && chosen "$text" || continue
		reason=$(left_out "$command" "$text")
		if [ -n "$reason" ]; then
			skip "$text" "$reason"
			continue
		fi
		# a recording goes into the test's folder, what goes on until Ctrl-C goes on once, and seconds need not be whole
		example "$text" -c "$(printf %s "$text" |
			sed "s, /tmp/, $TMP/recorded-,; s,^watch \([0-9]\),watch --count 1 \1,; s,--for [0-9]*s,--for 100ms,")"
		unlike "$err" '(^|[ :])error: ' "$case_name: no error is said: $text"
	done 3<"$TMP/examples"
	# what --restore gives back is looked at in the instance too
	same "$(cat "$D/set_event" "$D/set_event_pid")" '' 'no event and no pid is left in the instance'
done
