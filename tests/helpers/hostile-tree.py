#!/usr/bin/env -S python3 -I
# SPDX-License-Identifier: GPL-2.0-or-later
"""usage: hostile-tree.py TREE: puts evil text into every name and text of a recorded tree."""

import os
import struct
import sys

EVIL = (b"\x1b]0;evil\x07", b"\x1b[2J", b"a\xe2\x80\xaeb\xe2\x81\xa6", b"a\xc2\x9b31m",
        b"a\rb", b"a\xff\xc0\x80b", b"=cmd|' /C calc'!A0", b"+1+1", b"@x", b"-2+3",
        b"\xe2\x80\xa8x", b"\x7fdel", b"\x0b\x0c\x08")
SHORT = b"\x1b[31m\xe2\x80\xae\xff\t="

top = sys.argv[1].encode()


def path(name):
    return os.path.join(top, name)


def read(name):
    with open(path(name), "rb") as f:
        return f.read()


def write(name, data):
    os.makedirs(os.path.dirname(path(name)), exist_ok=True)
    with open(path(name), "wb") as f:
        f.write(data)


def evil_event(system, name, number):
    """An event whose every name and text is evil; sched_switch's record fits it."""
    write(b"events/" + system + b"/" + name + b"/format",
          b"name: " + name + b"\nID: %d\nformat:\n" % number +
          b"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
          b"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"
          b"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n"
          b"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
          b"\tfield:char \x1b[31mf\xe2\x80\xae[16];\toffset:8;\tsize:16;\tsigned:0;\n"
          b"\tfield:evil\x1b[2J_t =x;\toffset:24;\tsize:4;\tsigned:1;\n\n"
          b"print fmt: \"=\x1b[31m %s\\x1b\\033 %d\", REC->f, REC->x\n")
    write(b"events/" + system + b"/" + name + b"/id", b"%d\n" % number)


def evil_format(name):
    """The kernel's print format, with escapes between its words."""
    text = read(name)
    write(name, text.replace(b'print fmt: "', b'print fmt: "=\x1b[31m\xe2\x80\xae\xc2\x9b\xff\t '))


def evil_btf():
    """Types whose names are evil, in the byte order of this machine (include/uapi/linux/btf.h)."""
    names = [b""]

    def name(text):
        names.append(text)
        return sum(len(n) + 1 for n in names[:-1])

    types = struct.pack("=IIII", name(SHORT), 1 << 24, 4, 32)
    types += struct.pack("=III", name(b"node"), 4 << 24 | len(EVIL), 4 * len(EVIL))
    for i, evil in enumerate(EVIL):
        types += struct.pack("=III", name(evil), 4 if i % 2 else 1, 32 * i)
    types += struct.pack("=III", name(b"en"), 6 << 24 | 2, 4)
    types += struct.pack("=IIII", name(EVIL[0]), 1, name(b"*/ x"), 2)
    types += struct.pack("=III", name(b"*/ =\x1b[31m\n"), 8 << 24, 3)
    types += struct.pack("=III", name(b"outer"), 4 << 24 | 1, 8)
    types += struct.pack("=III", name(b"e"), 6, 0)
    types += struct.pack("=III", 0, 2 << 24, 7)
    types += struct.pack("=III", name(EVIL[1]), 4 << 24, 0)
    strings = b"\0".join(names) + b"\0"
    write(b"btf", struct.pack("=HBBIIIII", 0xeb9f, 1, 0, 24, 0, len(types), len(types), len(strings)) +
          types + strings)


def evil_pages():
    """Task names in the records themselves."""
    for cpu in os.listdir(path(b"per_cpu")):
        name = b"per_cpu/" + cpu + b"/trace_pipe_raw"
        data = read(name)
        for i, word in enumerate((b"rcu_preempt", b"sh\0\0\0\0\0\0\0\0\0", b"swapper/0\0\0", b"swapper/1\0\0",
                                  b"kworker/0:1", b"kworker/1:1", b"kworker/u4:")):
            data = data.replace(word, EVIL[i][:11].ljust(11, b"\0"))
        write(name, data)


def names():
    lines = []
    for i, line in enumerate(read(b"saved_cmdlines").splitlines()):
        pid = line.split(b" ", 1)[0]
        lines.append(pid + b" " + EVIL[i % len(EVIL)].replace(b"\n", b"")[:15])
    write(b"saved_cmdlines", b"\n".join(lines) + b"\n")


def main():
    for name in (b"events/sched/sched_switch/format", b"events/sched/sched_process_exec/format"):
        evil_format(name)
    evil_btf()
    evil_pages()
    names()
    evil_event(b"sys" + SHORT, b"event" + SHORT, 60001)
    evil_event(b"=sys", b"@event", 60002)
    evil_event(b"evil", b"plain", 60003)
    listed = read(b"available_events") + b"sys" + SHORT + b":event" + SHORT + b"\n=sys:@event\nevil:plain\n"
    write(b"available_events", listed)
    write(b"set_event", read(b"set_event") + b"sys" + SHORT + b":event" + SHORT + b"\nevil:plain\n")
    for i, name in enumerate((b"current_tracer", b"tracing_on", b"buffer_size_kb", b"set_event_pid", b"tracing_cpumask",
                              b"set_ftrace_filter", b"saved_tgids", b"buffer_percent", b"tracing_thresh",
                              b"set_event_notrace_pid", b"error_log", b"trace_options", b"set_graph_function",
                              b"max_graph_depth", b"dynamic_events", b"kprobe_events", b"available_tracers",
                              b"available_filter_functions", b"set_ftrace_pid", b"synthetic_events", b"uprobe_events",
                              b"printk_formats")):
        write(name, EVIL[i % len(EVIL)] + b"\n" + EVIL[(i + 6) % len(EVIL)] + b" x\n")
    write(b"trace_clock", b"local [bo\x1b[31mot] =x\n")
    write(b"options/ev\x1b[31mil", b"1\n")
    write(b"options/=x", b"1\n")
    for i, event in enumerate((b"sched/sched_switch", b"evil/plain")):
        write(b"events/" + event + b"/filter", b'prev_comm == "' + EVIL[i] + b'" ' + EVIL[6] + b"\n")
        write(b"events/" + event + b"/trigger", b'traceon if comm == "' + EVIL[i + 2] + b'"\n')
        write(b"events/" + event + b"/enable", b"1\x1b[31m\n")
    for i, name in enumerate((b"in" + SHORT, b"=in")):
        write(b"instances/" + name + b"/tracing_on", b"1\n")
    info = b"format 1\nhost \x1b[31mh\nkernel =6.1\x1b[2J\nversion \xff\nmachine \xe2\x80\xae\ninstance @\x1b[31m\n"
    write(b"tracesh/info", info + b"began \x1b[31m\nended \xc2\x9b\nended_by \r\x1b\n")
    trace = read(b"trace")
    write(b"trace", trace.replace(b"swapper/0", EVIL[0]).replace(b"sched_switch:", b"\x1b[31msched_switch:") +
          b"".join(b"%16s-%-7d [000] d..2.     3.170348: " % (text[:16], 5) + text + b": " + text + b"\n" for text in EVIL))


main()
