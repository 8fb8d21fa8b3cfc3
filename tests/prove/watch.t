#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# time limit: 900
# A guest that locks up is ended by the watch on the host, what it had not finished runs in another one, and that is said.
. "${SRC:-$(dirname "$0")/../..}/tests/lib.sh"

"$SRC/tests/vm/initramfs" 6.1 >/dev/null 2>"$TMP/err" || skip_all "$(tail -n 1 "$TMP/err")"
mkdir "$TMP/live" "$TMP/work"
printf '#!/bin/sh\necho 1..1; echo ok 1 - before\n' >"$TMP/live/a.t"
printf '#!/bin/sh\necho 1..1; echo ok 1 - after\n' >"$TMP/live/c.t"
# Nothing but its two loops runs any more, until somebody has seen that.
cat >"$TMP/live/b.t" <<LOCK
#!/bin/sh
echo 1..1
if [ ! -e '$TMP/seen' ]; then
	echo -1 >/proc/sys/kernel/sched_rt_runtime_us
	: >/run/vm/locking
	taskset -c 1 chrt -f 99 sh -c 'while :; do :; done' &
	exec taskset -c 0 chrt -f 99 sh -c 'while :; do :; done'
fi
echo ok 1 - at the second try
LOCK
chmod +x "$TMP/live"/*.t

TMPDIR=$TMP/work TRACESH_LIVE_DIR=$TMP/live TRACESH_VM_SILENCE=30 "$SRC/tests/vm/run" 6.1 >"$TMP/out" 2>"$TMP/err" &
runner=$!
until ls "$TMP/work"/*/locking >"$TMP/seen.now" 2>/dev/null || ! kill -0 "$runner" 2>/dev/null; do sleep 0.2; done
mv "$TMP/seen.now" "$TMP/seen"
status=0
wait "$runner" || status=$?
is "$status" 0 'all files have passed in the end'
[ "$status" -eq 0 ] || cat "$TMP/out" "$TMP/err" | diag
for name in 'a.t: before' 'b.t: at the second try' 'c.t: after'; do
	is "$(grep -c "^ok .* - vm 6.1: $name\$" "$TMP/out")" 1 "once: $name"
done
like "$(cat "$TMP/out")" '^# flaky: b.t: the guest ended in it: .* has written nothing for 30 s' 'it is said'
like "$(cat "$TMP/out")" '^# flaky file: vm/b.t$' 'for the runner to count'
is "$(pgrep -f "qemu-system-x86_64.*$TMP/work")" '' 'no guest is left'
done_testing
