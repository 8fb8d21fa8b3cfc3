#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The recover service: systemd understands it and finds little that it may do beyond its work.
. "${SRC:-$(dirname "$0")/../..}/tests/lib.sh"

unit=$SRC/packaging/tracesh-recover.service
like "$(cat "$unit")" 'ReadWritePaths=.*-/sys/kernel/tracing.* -/run/tracesh' 'tracefs and the journals can be written'
unlike "$(cat "$unit")" '^ProtectKernelTunables=(yes|true|1|on)' 'nothing makes tracefs read-only for good'
unlike "$(cat "$unit")" '^ProtectProc=(invisible|noaccess|ptraceable)' 'nothing hides who is gone'
like "$(cat "$unit")" '^CapabilityBoundingSet=.*CAP_SYS_PTRACE' 'a guard at work is seen'
command -v systemd-analyze >/dev/null || { skip 'what systemd says' 'no systemd-analyze'; done_testing; exit; }

# The program is where it was built, and its manual is not installed.
sed -e "s|/usr/bin/tracesh|$TRACESH|" -e /^Documentation=/d "$unit" >"$TMP/tracesh-recover.service"
cd "$TMP" || exit 1
run systemd-analyze verify ./tracesh-recover.service
is "$status: $out$err" '0: ' 'systemd-analyze verify says nothing'
run systemd-analyze security --offline=true --threshold=25 ./tracesh-recover.service
case $err in
*offline*) skip 'its exposure' 'this systemd-analyze needs a running systemd' ;;
*)
	is "$status" 0 'its exposure is below 2.5'
	like "$out" 'Overall exposure level' 'as systemd-analyze says'
	;;
esac
done_testing
