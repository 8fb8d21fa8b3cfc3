# What the prompt costs: TAB on each kind of argument, asked 50 ms; from the start to the prompt, 30 ms; memory. The events
# are the kernel's own; 60,000 functions are made up, in a copy of the recorded tree.
cp -r "$SRC/examples/recorded" "$work/functions"
chmod -R u+w "$work/functions"
awk 'BEGIN { for (i = 0; i < 60000; i++) printf "%s_function_%05d%s\n", substr("vfs_ext4tcp_sys_", 1 + i % 4 * 4, 4), i, i % 3 ? "" : " [module]" }' \
	>"$work/functions/available_filter_functions"

# at_prompt TREE KEYS..: asks each at the prompt, prints "NAME MS" lines and "rss-before KB", "rss-after KB"
at_prompt()
{
	tree=$1
	shift
	python3 -I "$SRC/tests/bench/prompt.py" "$TRACESH" "$tree" "$@"
}

if command -v python3 >/dev/null; then
	at_prompt "" 'command=sta' 'option=stream --' 'event=info sched:' 'any event=enable ' 'inside of names=info switch' \
		'field=enable sched_switch if ' 'operator=enable sched_switch if prev_pid ' \
		'value=enable sched_switch if prev_state == ' 'pid=enable sched_switch if prev_pid == ' \
		'task=pid ' 'tracer=tracer ' 'clock=clock ' 'kernel option=option ' 'CPU=cpus ' 'file=cat events/sched/' \
		'setting=set ' 'zone=set tz ' 'nothing=events zzzz' >"$work/tabs"
	at_prompt "$work/functions" 'function, first=functions vfs_' 'function=functions vfs_' 'any function=functions ' \
		'function, inside=functions tion_0' >"$work/tabs-functions"
	while read -r ms name; do
		case $name in
		start) figure "start to prompt" 30 "$ms" ms ;;
		rss-*) ;;
		*) figure "TAB: $name" 50 "$ms" ms ;;
		esac
	done <<LINES
$(cat "$work/tabs"; grep -v ' start$' "$work/tabs-functions")
LINES
	python3 -I "$SRC/tests/bench/prompt.py" --redraw "$TRACESH" 20000 >"$work/redraw"
	read -r half most rate <"$work/redraw"
	figure "a key below $rate events/s" 2 "$half" ms
	echo "	nine tenths of the keys within $most ms"
	figure "memory at the prompt" 6 "$(awk '$2 == "rss-before" { print $1 / 1024 }' "$work/tabs-functions")" MB
	figure "memory after 60,000 functions" 12 "$(awk '$2 == "rss-after" { print $1 / 1024 }' "$work/tabs-functions")" MB
else
	echo "skipped: no python3"
fi
