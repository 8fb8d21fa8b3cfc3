/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sh-functions.h"

/*
 * Holds the functions of sh by which a script undoes its writes as a session does, but on the
 * machine where it runs: it saves the text of a file before each write, and restores it by the
 * inverse of the file's class (src/kernel/tracefs/class.c). They run in any POSIX shell, also dash
 * and old busybox, and need no programs but cat, ls, mkdir, rmdir, sleep and tail. Those that read
 * events also need grep, head and sh (sh-functions-run.c).
 */

static const char find_text[] =
	"# mounted [DIR]: finds $place in the kernel's table; a folder that looks like tracefs may be anybody's\n"
	"mounted()\n"
	"{\n"
	"\twhile read -r _ place type _; do\n"
	"\t\tcase $type in\n"
	"\t\ttracefs) ;;\n"
	"\t\tdebugfs) place=$place/tracing ;;\n"
	"\t\t*) continue ;;\n"
	"\t\tesac\n"
	"\t\tplace=$(printf %b \"$place\")\n"
	"\t\t[ ! -e \"$place/current_tracer\" ] || [ \"${1-$place}\" != \"$place\" ] || return 0\n"
	"\tdone </proc/mounts\n"
	"\treturn 1\n"
	"}\n"
	"find_tracefs()\n"
	"{\n"
	"\tfor TRACEFS in /sys/kernel/tracing /sys/kernel/debug/tracing; do\n"
	"\t\t[ ! -e \"$TRACEFS/current_tracer\" ] || return 0\n"
	"\tdone\n"
	"\tmounted || {\n"
	"\t\techo \"$0: tracefs is not mounted, or this user may not read it. As root:\" >&2\n"
	"\t\techo \"mount -t tracefs nodev /sys/kernel/tracing\" >&2\n"
	"\t\techo \"(before Linux 4.1: mount -t debugfs nodev /sys/kernel/debug)\" >&2\n"
	"\t\texit 3\n"
	"\t}\n"
	"\tTRACEFS=$place\n"
	"}\n"
	"# is_ours DIR: and nobody else makes files in it\n"
	"is_ours()\n"
	"{\n"
	"\tcase $(ls -ld -- \"$1/.\" 2>/dev/null) in\n"
	"\tdrwx[!w]-[!w][!w]-*) ;;\n"
	"\t*) return 1 ;;\n"
	"\tesac\n"
	"\t# shellcheck disable=SC3067 # a shell without -O says no\n"
	"\t[ -e \"$1/current_tracer\" ] && [ -O \"$1\" ]\n"
	"}\n"
	"if [ -z \"${TRACEFS-}\" ]; then\n"
	"\tfind_tracefs\n"
	"elif ! mounted \"${TRACEFS%/}\" && ! is_ours \"$TRACEFS\"; then\n"
	"\techo \"$0: $TRACEFS is no tracefs that is mounted: not written to\" >&2\n"
	"\texit 3\n"
	"fi\n";

static const char undo_functions[] =
	"\n"
	"# Undo: HOW FILE OLD NEW of each write, and the number of its call.\n"
	"\n"
	"# What runs behind it, and whether this is the shell of a pipe.\n"
	"child='' timer='' piped=''\n"
	"n=0 calls=0\n"
	"\n"
	"save()\n"
	"{\n"
	"\t# complete before it counts\n"
	"\tnext=$((n + 1))\n"
	"\teval \"how_$next=\\$1 file_$next=\\$2 old_$next=\\$3 new_$next= call_$next=$calls\"\n"
	"\tn=$next\n"
	"}\n"
	"\n"
	"take_back()\n"
	"{\n"
	"\thow='' file='' new=''\n"
	"\teval \"how=\\$how_$n file=\\$file_$n old=\\$old_$n new=\\$new_$n\"\n"
	"\t[ ! -e \"$TRACEFS/$file\" ] || \"$how\" \"$TRACEFS/$file\" \"$old\" \"$new\"\n"
	"}\n"
	"\n"
	"# undo_to N: undoes all after the Nth call, newest first; tries again what is busy\n"
	"undo_to()\n"
	"{\n"
	"\tleft=\n"
	"\twhile [ \"$n\" -gt 0 ] && eval \"[ \\\"\\$call_$n\\\" -gt $1 ]\"; do\n"
	"\t\ttake_back 2>/dev/null || {\n"
	"\t\t\tsleep 1\n"
	"\t\t\ttake_back || left=\"$left $file\"\n"
	"\t\t}\n"
	"\t\tn=$((n - 1))\n"
	"\tdone\n"
	"\tcalls=$1\n"
	"\t[ -z \"$left\" ] || printf '%s\\n' \"$0: not taken back:$left\" >&2\n"
	"\t[ -z \"$left\" ]\n"
	"}\n"
	"\n"
	"end()\n"
	"{\n"
	"\ttrap '' INT TERM HUP\n"
	"\ttrap - EXIT\n"
	"\tfor one in \"$child\" \"$timer\"; do\n"
	"\t\t[ -z \"$one\" ] || kill \"$one\" 2>/dev/null || :\n"
	"\tdone\n"
	"\t[ -z \"$piped\" ] || exit \"$1\"\n"
	"\tif [ \"$1\" -ne 0 ] && [ \"$n\" -gt 0 ]; then\n"
	"\t\tundo_to 0 && echo \"$0: what was written is taken back\" >&2\n"
	"\tfi\n"
	"\texit \"$1\"\n"
	"}\n"
	"trap 'end $(($? > 0))' EXIT\n"
	"trap 'end 129' HUP\n"
	"trap 'end 130' INT\n"
	"trap 'end 143' TERM\n"
	"\n"
	"# text TEXT: prints by cat, which uses one write(2) and reports why it fails; the printf of a shell may do neither\n"
	"text()\n"
	"{\n"
	"\tcat <<END\n"
	"$1\n"
	"END\n"
	"}\n"
	"\n"
	"# logged FILE: into $record, the last one in the log of its instance\n"
	"logged()\n"
	"{\n"
	"\tlog=error_log\n"
	"\tcase $1 in\n"
	"\tinstances/*/*) log=${1#instances/} log=instances/${log%%/*}/error_log ;;\n"
	"\tesac\n"
	"\trecord=$(tail -n 3 \"$TRACEFS/$log\" 2>/dev/null) || :\n"
	"}\n"
	"\n"
	"# refused FILE TEXT: with what the kernel has logged of it since $record; otherwise with the error in $said\n"
	"refused()\n"
	"{\n"
	"\treason=${said##*: } before=$record\n"
	"\tlogged \"$1\"\n"
	"\tcommand=${record#*Command: }\n"
	"\tcommand=${command%%\"\n"
	"\"*}\n"
	"\t[ \"$record\" != \"$before\" ] || command=\n"
	"\tcase $record:$2 in\n"
	"\t*\"Command: $command\"*:*\"${command:-:none}\"*) reason=${record#*] } ;;\n"
	"\tesac\n"
	"\tprintf '%s\\n' \"$0: $1 does not take: $2\" \"$reason\" >&2\n"
	"\texit 1\n"
	"}\n"
	"\n"
	"# value FILE: sets $old to the value in the form in which it is written\n"
	"value()\n"
	"{\n"
	"\told=$(cat \"$1\") || return\n"
	"\tcase $1:$old in\n"
	"\t*/filter:none) old=0 ;;\n"
	"\t# The message of a refused filter means none, too, but has to be removed.\n"
	"\t*/filter:*parse_error:* | */filter:*\"Error: (\"*) old='0 ' ;;\n"
	"\t*/enable:?\\*) old=${old%\\*} ;;\n"
	"\t*/trace_clock:*\\[* | */mode:*\\[*) old=${old#*\\[} old=${old%%\\]*} ;;\n"
	"\t*_size_kb:*\"(expanded: \"*) old=${old#*\"(expanded: \"} old=${old%)*} ;;\n"
	"\tesac\n"
	"}\n"
	"\n"
	"back()\n"
	"{\n"
	"\tvalue \"$1\" || return\n"
	"\t[ \"$old\" = \"$2\" ] || text \"$2\" >\"$1\"\n"
	"}\n"
	"\n"
	"# changes FILE: saves its value before it is changed\n"
	"changes()\n"
	"{\n"
	"\tcalls=$((calls + 1))\n"
	"\tlogged \"$1\"\n"
	"\tvalue \"$TRACEFS/$1\" || exit 1\n"
	"\tsave back \"$1\" \"$old\"\n"
	"}\n";

static const char put_function[] =
	"\n"
	"# put FILE TEXT\n"
	"put()\n"
	"{\n"
	"\tchanges \"$1\"\n"
	"\t[ \"$old\" = \"$2\" ] || said=$(text \"$2\" 2>&1 >\"$TRACEFS/$1\") || refused \"$1\" \"$2\"\n"
	"}\n";

static const char size_function[] =
	"\n"
	"sized=''\n"
	"\n"
	"# size FILE KB: the buffers of all CPUs, whose sizes may differ, or that of one\n"
	"size()\n"
	"{\n"
	"\tchanges \"$1\"\n"
	"\tsized=\"$sized $TRACEFS/$1 \"\n"
	"\tcase $old in\n"
	"\tX)\n"
	"\t\tn=$((n - 1))\n"
	"\t\tfor buffer in \"$TRACEFS/${1%buffer_size_kb}\"per_cpu/cpu*/buffer_size_kb; do\n"
	"\t\t\tvalue \"$buffer\"\n"
	"\t\t\tsave back \"${buffer#\"$TRACEFS/\"}\" \"$old\"\n"
	"\t\tdone\n"
	"\t\t;;\n"
	"\t\"$2\") return ;;\n"
	"\tesac\n"
	"\tsaid=$(text \"$2\" 2>&1 >\"$TRACEFS/$1\") || refused \"$1\" \"$2\"\n"
	"}\n"
	"\n"
	"# back_size FILE OLD: of a CPU, if it was written\n"
	"back_size()\n"
	"{\n"
	"\tcase $sized in\n"
	"\t*\" $1 \"* | *\" ${1%per_cpu/*}buffer_size_kb \"*) back \"$1\" \"$2\" ;;\n"
	"\tesac\n"
	"}\n"
	"\n"
	"# subbuf FILE KB: a size is rounded to whole sub-buffers when it is written, so sizes go back once more behind them\n"
	"subbuf()\n"
	"{\n"
	"\tcalls=$((calls + 1))\n"
	"\tfor buffer in \"$TRACEFS/${1%buffer_subbuf_size_kb}\"per_cpu/cpu*/buffer_size_kb; do\n"
	"\t\tvalue \"$buffer\" || exit 1\n"
	"\t\tsave back_size \"${buffer#\"$TRACEFS/\"}\" \"$old\"\n"
	"\tdone\n"
	"\tcalls=$((calls - 1))\n"
	"\tput \"$1\" \"$2\"\n"
	"}\n";

static const char option_function[] =
	"\n"
	"# option FILE NAME: of trace_options, or with no before it; in an instance it may have no file of its own\n"
	"option()\n"
	"{\n"
	"\tcalls=$((calls + 1))\n"
	"\tlogged \"$1\"\n"
	"\toptions=$(cat \"$TRACEFS/$1\") || exit 1\n"
	"\told=''\n"
	"\twhile IFS= read -r line; do\n"
	"\t\tcase $line in\n"
	"\t\t\"$2\" | \"no$2\" | \"${2#no}\") old=$line ;;\n"
	"\t\tesac\n"
	"\tdone <<END\n"
	"$options\n"
	"END\n"
	"\t[ -z \"$old\" ] || save back \"$1\" \"$old\"\n"
	"\t[ \"$old\" = \"$2\" ] || said=$(text \"$2\" 2>&1 >\"$TRACEFS/$1\") || refused \"$1\" \"$2\"\n"
	"}\n";

static const char cpus_function[] =
	"\n"
	"# all_cpus FILE: the mask of all that this machine may have, 16 of them at a time\n"
	"all_cpus()\n"
	"{\n"
	"\ttop=0 mask=''\n"
	"\tfor cpu in \"$TRACEFS\"/per_cpu/cpu*; do\n"
	"\t\t[ \"${cpu##*/cpu}\" -lt \"$top\" ] || top=${cpu##*/cpu}\n"
	"\tdone\n"
	"\ttop=$((top / 16))\n"
	"\twhile [ \"$top\" -ge 0 ]; do\n"
	"\t\tbits=0\n"
	"\t\tfor cpu in \"$TRACEFS\"/per_cpu/cpu*; do\n"
	"\t\t\tcpu=${cpu##*/cpu}\n"
	"\t\t\t[ \"$((cpu / 16))\" -ne \"$top\" ] || bits=$((bits | 1 << cpu % 16))\n"
	"\t\tdone\n"
	"\t\tmask=$mask$(printf %04x \"$bits\")\n"
	"\t\t[ \"$((top % 2))\" -ne 0 ] || [ \"$top\" -eq 0 ] || mask=$mask,\n"
	"\t\ttop=$((top - 1))\n"
	"\tdone\n"
	"\tput \"$1\" \"$mask\"\n"
	"}\n";

static const char make_function[] = "\n"
				    "back_make()\n"
				    "{\n"
				    "\trmdir \"$1\"\n"
				    "}\n"
				    "\n"
				    "# make NAME: an instance\n"
				    "make()\n"
				    "{\n"
				    "\tcalls=$((calls + 1))\n"
				    "\t[ ! -e \"$TRACEFS/instances/$1\" ] || {\n"
				    "\t\tprintf '%s\\n' \"$0: the instance $1 exists already\" >&2\n"
				    "\t\texit 1\n"
				    "\t}\n"
				    "\tsave back_make \"instances/$1\" \"\"\n"
				    "\tmkdir \"$TRACEFS/instances/$1\"\n"
				    "}\n";

static const char remove_function[] =
	"\n"
	"# remove NAME: an instance; what is in use for a moment yet, is tried again\n"
	"remove()\n"
	"{\n"
	"\tcalls=$((calls + 1))\n"
	"\trmdir \"$TRACEFS/instances/$1\" 2>/dev/null || {\n"
	"\t\tsleep 1\n"
	"\t\trmdir \"$TRACEFS/instances/$1\"\n"
	"\t}\n"
	"}\n";

static const char pause_function[] =
	"\n"
	"# pause SECONDS [SECONDS]: the second ones where sleep takes whole ones only\n"
	"pause()\n"
	"{\n"
	"\tfor seconds; do\n"
	"\t\t# behind it, so that a signal is heard at once\n"
	"\t\tsleep \"$seconds\" 2>/dev/null &\n"
	"\t\tchild=$!\n"
	"\t\t! wait \"$child\" || break\n"
	"\tdone\n"
	"\tchild=''\n"
	"}\n";

static const struct {
	enum tsh_sh_function function;
	unsigned int needs;
	const char *text;
} functions[] = {
	{ TSH_SH_FIND, 0, find_text },
	{ TSH_SH_UNDO, TSH_SH_FIND, undo_functions },
	{ TSH_SH_PUT, TSH_SH_UNDO, put_function },
	{ TSH_SH_SIZE, TSH_SH_PUT, size_function },
	{ TSH_SH_OPTION, TSH_SH_UNDO, option_function },
	{ TSH_SH_LINES, TSH_SH_UNDO, tsh_sh_lines_functions },
	{ TSH_SH_LIST, TSH_SH_LINES, tsh_sh_list_functions },
	{ TSH_SH_ADD, TSH_SH_LINES, tsh_sh_add_functions },
	{ TSH_SH_DROP, TSH_SH_ADD, tsh_sh_drop_function },
	{ TSH_SH_CPUS, TSH_SH_PUT, cpus_function },
	{ TSH_SH_MAKE, TSH_SH_UNDO, make_function },
	{ TSH_SH_REMOVE, TSH_SH_UNDO, remove_function },
	{ TSH_SH_TASKS, TSH_SH_LIST, tsh_sh_tasks_functions },
	{ TSH_SH_OWN, TSH_SH_PUT | TSH_SH_LIST | TSH_SH_MAKE, tsh_sh_own_functions },
	{ TSH_SH_PAUSE, TSH_SH_UNDO, pause_function },
};

#define N_FUNCTIONS (sizeof(functions) / sizeof(functions[0]))

unsigned int tsh_sh_functions_needed(unsigned int wanted)
{
	size_t i = N_FUNCTIONS;

	/* Goes backwards, because a function stands behind those that it needs. */
	while (i-- > 0)
		if (wanted & functions[i].function)
			wanted |= functions[i].needs;
	return wanted;
}

void tsh_sh_functions(struct tsh_strbuf *out, unsigned int wanted)
{
	size_t i;

	for (i = 0; i < N_FUNCTIONS; i++)
		if (wanted & functions[i].function)
			tsh_strbuf_adds(out, functions[i].text);
}
