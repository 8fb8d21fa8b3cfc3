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
mkdir "$TMP/mount" "$TMP/folder"
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

begin 'a folder or a file of it mounted elsewhere'
fresh
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
umount "$TMP/file" "$TMP/mount"

finish
