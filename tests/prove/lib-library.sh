# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0-or-later
# For the proofs beside libtraceevent and libtracefs: a script that runs itself here and in guests. Behind lib.sh.

helpers=$BUILD/tests/helpers
modules=$helpers/library-modules-$(uname -r)
TRACESH=${TRACESH_VM_PROGRAM:-$TRACESH}

# relay WHERE: TAP of another script, as tests here
relay()
{
	while IFS= read -r line; do
		case $line in
		'ok '*'# SKIP '*)
			relayed=${line#*- }
			skip "$1: ${relayed%% # SKIP*}" "${line##*SKIP }"
			;;
		'ok '*) pass "$1: ${line#*- }" ;;
		'not ok '*) fail "$1: ${line#*- }" ;;
		'1..0 # SKIP '*) skip "$1" "${line#*SKIP }" ;;
		'# '*) echo "$line" ;;
		esac
	done
}

# Whether the guest is to load all modules that have events: their names are in $modules.
with_modules=

# with_events DIR: the names of the modules there that have events
with_events()
{
	find "$1" -name '*.ko' -exec grep -l _ftrace_events {} +
	find "$1" -name '*.ko.xz' | while read -r file; do
		! xz -dc "$file" | grep -q _ftrace_events || echo "$file"
	done
}

# list_modules DIR: the names of those that have events, for the guest: in $modules
list_modules()
{
	with_events "$1/kernel" | sed 's|.*/||; s|[.]ko.*||' | sort >"$helpers/library-modules-${1##*/}"
}

# in_guest KERNEL: the proof, in a guest
in_guest()
{
	image=$("$SRC/tests/vm/initramfs" "$1") || { skip "$1" 'the guest cannot be had'; return; }
	[ -z "$with_modules" ] || list_modules "$(echo "$image" | sed -n 3p)"
	status=0
	TRACESH_VM_LIMIT=3000 "$SRC/tests/vm/boot" -k "$1" "$SRC/tests/prove/${0##*/}" >"$TMP/guest" 2>"$TMP/why" || status=$?
	relay "$1" <"$TMP/guest"
	tail -n 20 "$TMP/why" | diag
	grep -q '^1[.][.]' "$TMP/guest" || fail "$1: ended early, with status $status"
}

# here_and_in_guests KERNEL..: runs the proof and ends; in itself, where it is to go on, it returns
here_and_in_guests()
{
	[ ! -e /run/vm/main ] && [ -z "${TSH_LIBRARY_HERE-}" ] || return 0
	for name in formats texts ask; do
		[ -x "$helpers/library-$name" ] || skip_all "no tests/helpers/library-$name (make check-programs)"
		status=0
		"$helpers/library-$name" >/dev/null 2>&1 || status=$?
		[ "$status" -ne 77 ] || skip_all 'a build without the libraries'
	done
	# shellcheck disable=SC2086 # words
	[ -z "${TRACESH_LIBRARY_KERNELS-}" ] || set -- $TRACESH_LIBRARY_KERNELS
	for kernel; do
		if [ "$kernel" = host ]; then
			TSH_LIBRARY_HERE=yes sh "$0" >"$TMP/here" 2>&1
			relay host <"$TMP/here"
		else
			in_guest "$kernel"
		fi
	done
	done_testing
}
