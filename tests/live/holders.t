#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Who reads the events of an instance: by the file itself, not by a path that looks like it.
. "${SRC:-$(dirname "$0")/../..}/tests/lib.sh"
need_tracefs
. "$SRC/tests/live/lib-live.sh"

begin 'ordinary files of such names'
fresh
for path in "tracing/instances/$I/trace_pipe" "tracing/instances/$I/per_cpu/cpu0/trace_pipe_raw" tracing/trace_pipe; do
	mkdir -p "$TMP/$(dirname "$path")"
	: >"$TMP/$path"
	sleeper "$TMP/$path"
done
t -i "$I" drain
expect 0 'are nobody who reads'
t -i "$I" --json status
unlike "$out" 'sleep' "$case_name: status names none"
t status
unlike "$out" "$TMP|sleep" "$case_name: of the top-level instance neither"

begin 'another mount of tracefs'
# needs top
fresh
mkdir "$TMP/mount"
mount -t tracefs nodev "$TMP/mount" || skip_all 'tracefs cannot be mounted twice'
for path in trace_pipe per_cpu/cpu0/trace_pipe_raw; do
	sleeper "$TMP/mount/instances/$I/$path"
	t -i "$I" drain
	expect 1 "a reader of its $path is seen"
	says "sleep \\($sleeper\\) is reading" 'and named'
	kill "$sleeper"
	await gone "$sleeper"
done
t -i "$I" drain
expect 0 'when it has gone, nobody reads'
sleeper "$TMP/mount/trace_pipe"
t -i "$I" drain
expect 0 'who reads the top-level instance does not read this one'
t drain --cpu 0
expect 1 'but that one'
kill "$sleeper"
await gone "$sleeper"
umount "$TMP/mount"

begin 'a folder or a file of it mounted elsewhere'
fresh
mkdir "$TMP/folder"
mount --bind "$D" "$TMP/folder"
sleeper "$TMP/folder/trace_pipe"
t -i "$I" drain
expect 1 'its reader is seen'
says "sleep \\($sleeper\\)" 'and named'
kill "$sleeper"
await gone "$sleeper"
umount "$TMP/folder"
: >"$TMP/file"
mount --bind "$D/trace_pipe" "$TMP/file"
sleeper "$TMP/file"
t -i "$I" drain
expect 1 'under another name too'
kill "$sleeper"
await gone "$sleeper"
umount "$TMP/file"

# many_files: tasks with so many files open, two million in all, that a look at each takes seconds; $many ends them
many_files()
{
	python3 - "$TMP/many" <<'PROGRAM' &
import os, resource, sys
most = min(resource.getrlimit(resource.RLIMIT_NOFILE)[1], 500000)
resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
end, kept = os.pipe()
for i in range(most - 16):
    os.dup(0)
for i in range(2000000 // most):
    if not os.fork():
        os.close(kept)
        os.read(end, 1)
        os._exit(0)
open(sys.argv[1], "w").close()
os.read(end, 1)
PROGRAM
	many=$!
	children="$children $many"
	await [ -e "$TMP/many" ]
}
looks_at_files() { find "/proc/$1/fd" -lname '/proc/[0-9]*/fd' | grep -q .; }

begin 'more files than can be looked at'
fresh
command -v python3 >/dev/null || skip_all 'no python3'
many_files
sleeper "$D/trace_pipe"
t -i "$I" drain
expect 1 'a reader with few files is found all the same'
says "sleep \($sleeper\) is reading" 'and named'
kill "$sleeper"
await gone "$sleeper"
t -i "$I" drain
expect 0 'with none events are read'
says 'another program may be reading these events, too: more files' 'and it says what is not known'
t -i "$I" --json status -a
like "$out" '"instance":"'"$I"'".*"all_holders_seen":false' "$case_name: status says so to programs"
"$TRACESH" -i "$I" status -a >"$TMP/out" 2>&1 &
looking=$!
await looks_at_files "$looking"
kill "$looking"
status=0
wait "$looking" || status=$?
is "$status" 143 "$case_name: TERM ends the look"
like "$(cat "$TMP/out")" 'not all open files were looked at' "$case_name: which it says"
unlike "$(cat "$TMP/out")" '^instance: *top' "$case_name: and no other instance is looked at"
kill "$many"
await gone "$many"
t -i "$I" --json status -a
like "$out" '"instance":"'"$I"'".*"all_holders_seen":true' "$case_name: without them all are seen"

finish
