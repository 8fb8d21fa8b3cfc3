#!/usr/bin/env -S python3 -I
# SPDX-License-Identifier: GPL-2.0-or-later
"""Makes a longer recording of a recorded tree: its pages again and again, each time later.

usage: repeat-tree.py TREE NEW TIMES

Writes NEW, a copy of TREE whose pages come TIMES times. Only the stamp at a page's beginning
changes (include/linux/ring_buffer_types.h), so TREE should have no absolute stamps behind it.
"""

import os
import shutil
import struct
import sys

PAGE = 4096


def pages(tree, cpu):
    path = os.path.join(tree, "per_cpu", cpu, "trace_pipe_raw")
    with open(path, "rb") as file:
        data = file.read()
    return [data[i : i + PAGE] for i in range(0, len(data), PAGE)]


def main():
    tree, new, times = sys.argv[1], sys.argv[2], int(sys.argv[3])
    shutil.copytree(tree, new)
    cpus = sorted(os.listdir(os.path.join(tree, "per_cpu")))
    stamps = [struct.unpack_from("<Q", page)[0] for cpu in cpus for page in pages(tree, cpu)]
    span = max(stamps) - min(stamps) + 10**8
    for cpu in cpus:
        with open(os.path.join(new, "per_cpu", cpu, "trace_pipe_raw"), "wb") as file:
            for i in range(times):
                for page in pages(tree, cpu):
                    stamp = struct.unpack_from("<Q", page)[0] + i * span
                    file.write(struct.pack("<Q", stamp) + page[8:])


main()
