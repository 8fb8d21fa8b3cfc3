# What an event costs of a server's load, many CPUs and kinds of records that do not repeat, beside a reference binary.
#
# TRACESH_SERVER_RECORDING: a recording, a folder or a .tar.xz with one; without it one is made here, of the load of
#	server-live.sh, by as many CPUs as there are.
# TRACESH_REFERENCE: the other binary; without it TRACESH_REFERENCE_COMMIT is built, once, in $BUILD/bench-reference.
# TRACESH_REPEAT: how often each runs, in turns; figures are medians. 5.
repeat=${TRACESH_REPEAT:-5}
commit=${TRACESH_REFERENCE_COMMIT:-94182df}

# make_recording: into $server
make_recording()
{
	server=$work/server-recording
	command -v python3 >/dev/null || { echo 'skipped: no python3, which makes the load'; return 1; }
	"$SRC/tests/bench/server-live.sh" --load 3 &
	load=$!
	sleep 1
	"$TRACESH" -q record --for 1s "$server" sched irq timer syscalls net task signal || return 1
	wait $load || :
	echo "the recording was made here: 24 pairs of processes that send, receive, hash, write and fork"
}

# find_recording: sets $server, a folder that tracesh reads, and $events
find_recording()
{
	case ${TRACESH_SERVER_RECORDING:-} in
	'') make_recording || return 1 ;;
	*.tar.xz | *.txz)
		mkdir "$work/server"
		tar xJf "$TRACESH_SERVER_RECORDING" -C "$work/server" || return 1
		server=$(find "$work/server" -path '*/tracesh/info' | head -n 1)
		server=${server%/tracesh/info}
		;;
	*) server=$TRACESH_SERVER_RECORDING ;;
	esac
	[ -e "$server/tracesh/info" ] || { echo "skipped: no recording in '${TRACESH_SERVER_RECORDING:-$server}'"; return 1; }
	events=$("$TRACESH" -q --tracefs "$server" drain | grep -c '^[^#]')
	echo "$events events of $(find "$server/per_cpu" -size +0 -name trace_pipe_raw | wc -l) CPUs," \
		"$(du -Dsm "$server" | cut -f 1) MB"
}

# find_reference: sets $reference
find_reference()
{
	reference=${TRACESH_REFERENCE:-$BUILD/bench-reference/$commit/src/tracesh}
	[ ! -x "$reference" ] || return 0
	[ -z "${TRACESH_REFERENCE:-}" ] || { echo "skipped: no program '$TRACESH_REFERENCE'"; return 1; }
	if ! git -C "$SRC" cat-file -e "$commit^{commit}" 2>/dev/null; then
		echo "skipped: no commit $commit here to build a reference of; TRACESH_REFERENCE=PATH names one"
		return 1
	fi
	echo "building the reference, $commit, into ${reference%/src/tracesh}"
	mkdir -p "$work/reference" "${reference%/src/tracesh}"
	git -C "$SRC" archive "$commit" | tar x -C "$work/reference"
	(cd "$work/reference" && autoreconf -fi && cd "${reference%/src/tracesh}" && "$work/reference/configure" -q &&
		make -s -j2) >"$work/reference.log" 2>&1 && return 0
	echo 'skipped: the reference does not build:'
	tail -n 3 "$work/reference.log"
	return 1
}

# has_option PROGRAM WORD..: it knows these options
has_option() { "$@" -q -c 'print x' >/dev/null 2>&1; }

# beside NAME OPTION..: a drain, or what follows -- instead of it, by both programs, in ns an event of CPU and of wall time
beside()
{
	name=$1
	shift
	# shellcheck disable=SC2086 # words
	set -- $("$measure" both "$repeat" "$reference" $threads_of_reference -q --tracefs "$server" "$@" :: \
		"$TRACESH" $threads_of_ours -q --tracefs "$server" "$@")
	[ $# = 8 ] || { printf '%-34s failed\n' "$name"; return 0; }
	printf '%-34s %8s %8s %7.2f x %12s %8s %7.2f x %9s %8s\n' "$name" "$(per_event "$1" "$events")" "$(per_event "$2" "$events")" "$3" \
		"$(per_event "$4" "$events")" "$(per_event "$5" "$events")" "$6" "${7%.*}" "${8%.*}"
}

# peer_cost NAME EVENTS PROGRAM..: ns an event of a program that prints so many
peer_cost()
{
	name=$1
	peer_events=$2
	shift 2
	printf '%-34s %8s (%s events of the same kind of load, not the same ones)\n' "$name" \
		"$(per_event "$(median "$("$measure" 3 "$@")")" "$peer_events")" "$peer_events"
}

# perf_peer: perf script of a perf.data of a like load, 0.3 s
perf_peer()
{
	command -v perf >/dev/null || { echo 'perf script: skipped, no perf'; return 0; }
	command -v python3 >/dev/null || { echo 'perf script: skipped, no python3, which makes the load'; return 0; }
	"$SRC/tests/bench/server-live.sh" --load 3 &
	load=$!
	sleep 1
	perf record -q -a -o "$work/perf.data" -e 'sched:*,irq:*,timer:*,raw_syscalls:*,net:*,task:*,signal:*' -m 4M sleep 0.3 \
		>"$work/perf.log" 2>&1 || :
	kill $load 2>/dev/null || :
	wait $load || :
	peer_events=$(perf script -i "$work/perf.data" 2>/dev/null | wc -l)
	if [ "$peer_events" -lt 1000 ]; then
		echo "perf script: skipped, perf record says: $(grep -v '^$' "$work/perf.log" | head -n 1)"
		return 0
	fi
	peer_cost 'perf script' "$peer_events" perf script -i "$work/perf.data"
	rm -f "$work/perf.data"
}

compare_both()
{
	threads_of_reference= threads_of_ours=
	! has_option "$reference" --threads 1 || threads_of_reference='--threads 1'
	! has_option "$TRACESH" --threads 1 || threads_of_ours='--threads 1'
	printf '%-34s %29s %32s %18s\n' '' 'ns an event: ref., ours, ratio' 'of CPU: ref., ours, ratio' 'RSS KB: both'
	beside 'drain, text, one thread' drain
	beside 'drain, JSON' --format json drain
	beside 'drain, CSV' --format csv drain
	beside 'drain where none matches' drain where 'prev_pid == 99999999'
	beside 'drain, fields cpu,comm,event' drain fields cpu,comm,event
	beside 'hist by next_comm' hist by next_comm
	if [ -z "$threads_of_ours" ]; then
		echo 'drain, text, several threads: skipped, the program has no --threads'
	elif [ "$(nproc)" -lt 2 ]; then
		echo 'drain, text, several threads: skipped, one CPU'
	else
		threads_of_ours=
		beside 'drain, text, threads as it likes' drain
		threads_of_ours='--threads 2'
		beside 'drain, text, two threads' drain
	fi
	# shellcheck disable=SC2046 # words
	set -- $("$measure" both 21 "$reference" status :: "$TRACESH" status)
	printf '%-34s %8s %8s %7.2f x  (ms; RSS %s and %s KB)\n' 'status, start' "$1" "$2" "$3" "${7%.*}" "${8%.*}"
	# shellcheck disable=SC2046 # words
	set -- $("$measure" both 21 "$reference" --tracefs "$server" status :: "$TRACESH" --tracefs "$server" status)
	printf '%-34s %8s %8s %7.2f x  (ms; RSS %s and %s KB)\n' 'status of the recording' "$1" "$2" "$3" "${7%.*}" "${8%.*}"
	for file in "$reference" "$TRACESH" ${TRACESH_STATIC:-"$BUILD/tracesh-static"}; do
		[ -x "$file" ] || { echo "static file: skipped, no '$file' (TRACESH_STATIC)"; continue; }
		readelf -l "$file" 2>/dev/null | grep -q INTERP || echo "static file $file: $(stat -Lc %s "$file") bytes"
	done
}

if find_recording && find_reference; then
	before=$(stolen)
	compare_both
	echo 'trace-cmd report: skipped, tracesh writes no trace.dat yet'
	perf_peer
	tell_stolen "$before"
fi
rm -rf "$work/server" "$work/server-recording"
