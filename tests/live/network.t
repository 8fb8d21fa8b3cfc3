#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# beside others
# UDP over lo, filtered by the pid of the sender.
. "${SRC:-$(dirname "$0")/../..}/tests/lib.sh"
need_tracefs
. "$SRC/tests/live/lib-live.sh"

[ -n "$PYTHON" ] || { skip 'UDP over lo' 'no python3'; finish; }
if ! grep -qx 'net:netif_receive_skb' "$TRACING/available_events"; then
	skip 'UDP over lo' 'this kernel has no net:netif_receive_skb'
	finish
fi

# In a network namespace of its own lo may be down.
"$PYTHON" -c '
import socket
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
s.bind(("127.0.0.1", 0))
s.sendto(b"x", s.getsockname())' 2>/dev/null || { skip 'UDP over lo' 'lo takes no datagram'; finish; }

# Sends a datagram to itself for each line of stdin; its pid is $sender.
cat >"$TMP/sender.py" <<'END'
import socket, sys
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
s.bind(("127.0.0.1", 0))
s.settimeout(20)
print("ready", flush=True)
for line in sys.stdin:
    s.sendto(b"tracesh " + line.encode(), s.getsockname())
    s.recv(100)
    print("sent", line.strip(), flush=True)
END
sender()
{
	rm -f "$TMP/$1.fifo" "$TMP/$1.said"
	mkfifo "$TMP/$1.fifo"
	"$PYTHON" "$TMP/sender.py" <"$TMP/$1.fifo" >"$TMP/$1.said" 2>&1 &
	sender=$!
	children="$children $sender"
}

begin 'filter, enable, show'
fresh
sender one
exec 7>"$TMP/one.fifo"
one=$sender
true_that 'the sender is ready' await grep -q ready "$TMP/one.said"
sender two
exec 8>"$TMP/two.fifo"
true_that 'another one too' await grep -q ready "$TMP/two.said"
t -i "$I" -c "filter net:netif_receive_skb common_pid == $one" -c 'enable net:netif_receive_skb'
expect 0 'set'
for n in 1 2 3 4 5 6 7 8 9; do
	echo $n >&7
	echo $n >&8
done
true_that 'both have sent' await sh -c "grep -q 'sent 9' '$TMP/one.said' && grep -q 'sent 9' '$TMP/two.said'"
echo 0 >"$D/tracing_on"
t -i "$I" show
expect 0 'show'
same "$(grep -v '^#' "$TMP/out" | grep -vc -- "-$one  *\[")" 0 'every line has that pid'
true_that 'there are more than none' test "$(grep -c 'netif_receive_skb: dev=lo' "$TMP/out")" -gt 0
lines=$(grep -c 'netif_receive_skb: dev=lo' "$TMP/out")
t -i "$I" drain
same "$(grep -v '^#' "$TMP/out" | grep -vc -- "-$one  *\[")" 0 'drain: every line has that pid'
same "$(grep -c 'netif_receive_skb: dev=lo' "$TMP/out")" "$lines" 'drain: as many lines'
exec 7>&- 8>&-

begin 'stream .. if, live'
sender one
exec 7>"$TMP/one.fifo"
true_that 'the sender is ready' await grep -q ready "$TMP/one.said"
start "$TMP/live" "$TRACESH" --json stream net:netif_receive_skb if "common_pid == $sender"
true_that 'the stream is ready' await grep -q '"type":"start"' "$TMP/live"
n=0
until grep -q '"type":"event"' "$TMP/live" || [ $n -ge 200 ]; do
	n=$((n + 1))
	echo $n >&7
	sleep 0.05
done
exec 7>&-
kill -INT "$child"
true_that 'ended by Ctrl-C' ended "$child"
same "$status" 0 'successfully'
true_that 'every event has that pid, and there are some' "$PYTHON" -c "
import json
rows = [row for row in map(json.loads, open('$TMP/live')) if row['type'] == 'event']
assert any(row['fields']['name'] == 'lo' for row in rows), rows
for row in rows:
    # what comes by another interface while it runs counts as its own
    assert row['pid'] == $sender and row['event'] == 'net:netif_receive_skb', row"

finish
