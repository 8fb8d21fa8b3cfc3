#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# time limit: 7200
# kill -9 in a 6.1 guest, 100 times at random moments and 100 times at calls: with probes, histograms and synthetic events.
SRC=${SRC:-$(CDPATH='' cd -- "$(dirname "$0")/../.." && pwd)}
if [ -e /run/vm/main ]; then
	TRACESH_KILLS=${TRACESH_KILLS:-100} exec "$SRC/tests/live/kill.t"
fi
SRC=$SRC TRACESH_VM_LIMIT=7000 TRACESH_VM_SILENCE=600 exec "$SRC/tests/vm/boot" -k 6.1 "$SRC/tests/prove/kill-guest.t"
