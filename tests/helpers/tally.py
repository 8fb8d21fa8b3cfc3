# SPDX-License-Identifier: GPL-2.0-or-later
# What hist and count should say of a recorded tree, counted from the kernel's own text: the file `trace` in it.
#
#	tally.py TRACE keys NAME..	lines "COUNT KEY KEY..", sorted; NAME is a field of the text, cpu, pid or event
#	tally.py TRACE sums KEY NAME	lines "COUNT KEY SUM MIN MAX"
#	tally.py TRACE log2 NAME	lines "COUNT LOW"
#	tally.py TRACE linear N NAME	the same, of steps
import collections
import re
import sys


def events(path):
    for line in open(path, errors="replace"):
        found = re.match(r"\s*.{16}-(\d+)\s+\[(\d+)\] \S+ +[\d.]+: (\w+)(?:: |\(| -> )(.*)", line)
        if not found:
            continue
        pid, cpu, name, text = found.groups()
        event = {"pid": int(pid), "cpu": int(cpu), "event": name}
        for key, value in re.findall(r"(\w+)=(\S+)", text):
            if re.fullmatch(r"-?\d+", value):
                event[key] = int(value)
        result = re.match(r"\s*.{16}-\d+\s+\[\d+\] \S+ +[\d.]+: sys_\w+ -> (0x[0-9a-f]+)", line)
        if result:
            event["ret"] = (int(result.group(1), 16) ^ 1 << 63) - (1 << 63)
        yield event


def main():
    path, what, *names = sys.argv[1:]
    counts = collections.defaultdict(list)
    width = int(names.pop(0)) if what == "linear" else 0
    for event in events(path):
        if any(name not in event for name in names):
            continue
        values = [event[name] for name in names]
        if what == "keys":
            counts[tuple(values)].append(0)
        elif what == "sums":
            counts[values[0]].append(values[1])
        elif what == "log2":
            low = 0
            while low >= 0 and values[0] >= max(2, low * 2):
                low = max(2, low * 2)
            counts[low if values[0] >= 0 else "below"].append(0)
        else:
            counts[values[0] // width * width].append(0)
    lines = []
    for key, row in counts.items():
        line = [len(row), *(key if isinstance(key, tuple) else [key])]
        if what == "sums":
            line += [sum(row), min(row), max(row)]
        lines.append(" ".join(map(str, line)))
    print("\n".join(sorted(lines)))


main()
