#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# time limit: 2400
# No event of the newest kernel, with all modules that have events, is name=value where libtraceevent's parser or a plugin of it
# knows better. The formats are a guest's (TRACESH_PRINTERS_KERNEL); tracesh and the library alone are asked here, those that
# are installed and those of Debian sid.
. "${SRC:-$(dirname "$0")/../..}/tests/lib-build.sh"
. "$SRC/tests/prove/lib-library.sh"

# In the guest: all formats and types, as lines; the files' names stand behind @@.
if [ -e /run/vm/main ]; then
	while read -r module; do
		timeout 60 modprobe -q "$module" || :
	done <"$modules" 2>/dev/null
	cd /sys/kernel/tracing || exit
	echo '@@ available_events'
	cat available_events
	find events \( \( -name format ! -path '*/ftrace/*' \) -o -name header_page -o -name header_event \) \
		-exec awk 'FNR == 1 { print "@@ " FILENAME } { print }' {} +
	for file in /sys/kernel/btf/*; do
		echo "@@ btf-modules/${file##*/}"
		base64 "$file"
	done
	echo '@@ end'
	exit
fi

[ -x "$helpers/library-knows" ] || skip_all 'no tests/helpers/library-knows (make check-programs)'
status=0
"$helpers/library-knows" >/dev/null 2>&1 || status=$?
[ "$status" -ne 77 ] || skip_all 'a build without libtraceevent'
kernel=${TRACESH_PRINTERS_KERNEL:-sid}
image=$("$SRC/tests/vm/initramfs" "$kernel") || skip_all "the guest of $kernel cannot be had"
list_modules "$(echo "$image" | sed -n 3p)"
TRACESH_VM_LIMIT=1800 "$SRC/tests/vm/boot" -k "$kernel" "$SRC/tests/prove/printers.t" >"$TMP/lines" 2>"$TMP/why" || diag <"$TMP/why"
if [ "$(tail -n 1 "$TMP/lines")" != '@@ end' ]; then
	fail "$kernel: the guest ended early"
	done_testing
fi

# The tree that tracesh reads. What it would ask a live kernel's memory for need only be there.
tree=$TMP/tree
mkdir "$tree"
sed -n 's|^@@ \(.*\)/[^/]*$|\1|p' "$TMP/lines" | sort -u | (cd "$tree" && xargs mkdir -p)
awk -v tree="$tree" '/^@@ / { close(file); file = tree "/" $2; next } { print >file }' "$TMP/lines"
rm "$TMP/lines"
for file in "$tree"/btf-modules/*; do
	base64 -d "$file" >"$TMP/btf" && mv "$TMP/btf" "$file"
done
[ ! -e "$tree/btf-modules/vmlinux" ] || mv "$tree/btf-modules/vmlinux" "$tree/btf"
cat >"$tree/variables" <<'VARIABLES'
HZ 0xfa
LINUX_VERSION_CODE 0x70200
nr_cpu_ids 0x2
jiffies 0x100000000
vmemmap_base 0xffffea0000000000
sizeof(struct page) 0x40
VARIABLES
diag "$(find "$tree/events" -name format | wc -l) formats"

# What the library has a text for that is not the kernel's, as "EVENT|REASON".
cat >"$TMP/rows" <<'ROWS'
kvmmmu:kvm_mmu_*|the plugin knows the bits of another kernel: no "gen", no "l1 8-byte"
surface_aggregator:ssam_*|its parser takes "flags" for 0, so that ty= and sta= are empty; name=value has the state
ROWS

# here COMMAND..: with the libraries that are installed
here() { "$@"; }

# tracesh_prints WITH DECODERS: EVENT WHO WHY of the events that tracesh's own decoder prints as name=value, separated by tabs
tracesh_prints()
{
	$1 "$TRACESH" -q --json --tracefs "$tree" -c "set decoders $2" -c "info '*:*'" 2>"$TMP/err" |
		sed -nE 's/^\{"type":"info","event":"([^"]*)".*,"unprintable":"(([^"\\]|\\.)*)"(,"printed_by":"([^"]*)")?.*/\1\t\5\t\2/p'
	diag <"$TMP/err" >&2
}

# check NAME WITH: by the libraries that WITH runs a command with
check()
{
	tracesh_prints "$2" off >"$TMP/off"
	tracesh_prints "$2" on >"$TMP/on"
	# shellcheck disable=SC2046 # words
	$2 "$helpers/library-knows" "$tree/events" $(cut -f 1 "$TMP/off") >"$TMP/theirs" 2>"$TMP/err"
	diag <"$TMP/err"
	is "$(cut -f 1 "$TMP/on")" "$(cut -f 1 "$TMP/off")" "$1: the same events are asked for"
	awk -F '\t' 'NR == FNR { who[$1] = $2; next } !who[$1] && $2 != "nobody"' "$TMP/on" "$TMP/theirs" >"$TMP/better"
	awk -F '\t' 'NR == FNR { theirs[$1] = $2; next } $2 && theirs[$1] == "nobody"' "$TMP/theirs" "$TMP/on" >"$TMP/claims"
	: >"$TMP/unknown"
	while IFS="$tab" read -r event who text; do
		why=$(known "$event")
		[ -n "$why" ] || printf '%s\t%s\t%s\n' "$event" "$who" "$text" >>"$TMP/unknown"
		diag "$1: $event: by $who, not better: $why"
	done <"$TMP/better"
	diag "$1: name=value without the library $(wc -l <"$TMP/off"), with it $(awk -F '\t' '!$2' "$TMP/on" | wc -l); better known: $(wc -l <"$TMP/unknown")"
	is "$(cat "$TMP/unknown")" '' "$1: none is name=value that the library knows better"
	is "$(cat "$TMP/claims")" '' "$1: what the library is said to print it prints"
}
tab=$(printf '\t')

# known EVENT: why the library's text is none, by the table
known()
{
	while IFS='|' read -r glob why; do
		# shellcheck disable=SC2254 # a glob
		case $1 in $glob)
			echo "$why"
			return
			;;
		esac
	done <"$TMP/rows"
}

check here here
# sid COMMAND..: with sid's libraries and their plugins, where they can be had
sid() { with_root "$BUILD/other/libraries/sid" "$@"; }
# shellcheck disable=SC2086 # words
set -- $library_packages
if ! can_overlay; then
	skip sid 'that takes root and overlayfs'
elif ! "$SRC/packaging/fetch" sid "$(dpkg --print-architecture)" "$BUILD/other/libraries/sid" "$@" 2>"$TMP/err"; then
	skip sid "$(cat "$TMP/err")"
else
	check sid sid
fi
done_testing
