#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Programs that are made to be too large, and a process that has one of them mapped.

make FILE SYMBOLS BYTES [SIZE]: an ELF file whose SYMBOLS names are the rests of one string of
BYTES letters; with SIZE the first of its functions has that many bytes, and so has the file.
map FILE: maps it as code and asks the kernel for something until it is ended; says "mapped".
"""

import mmap
import os
import struct
import sys


def make(path, symbols, length, size):
    header, program, section, symbol = 64, 56, 64, 24
    names = header + program + 3 * section
    table = names + length + 1
    end = max(table + symbols * symbol, size)
    with open(path, "wb") as out:
        out.write(b"\x7fELF\x02\x01\x01" + bytes(9))
        out.write(struct.pack("<HHIQQQIHHHHHH", 3, 62, 1, 0, header, header + program, 0, header, program, 1,
                              section, 3, 0))
        out.write(struct.pack("<IIQQQQQQ", 1, 5, 0, 0x10000, 0, end, end, 1))
        out.write(bytes(section))
        out.write(struct.pack("<IIQQQQIIQQ", 0, 2, 0, 0, table, symbols * symbol, 2, 0, 8, symbol))
        out.write(struct.pack("<IIQQQQIIQQ", 0, 3, 0, 0, names, length + 1, 0, 0, 1, 0))
        out.write(b"A" * length + b"\0")
        for i in range(symbols):
            out.write(struct.pack("<IBBHQQ", i % length, 0x12, 0, 1, 0x10000 + i, size or 1))
        out.truncate(end)


def use(path):
    with open(path, "rb") as file:
        mapped = mmap.mmap(file.fileno(), 0, mmap.MAP_PRIVATE, mmap.PROT_READ | mmap.PROT_EXEC)
    print("mapped", flush=True)
    while mapped:
        os.getppid()


if sys.argv[1] == "make":
    make(sys.argv[2], int(sys.argv[3]), int(sys.argv[4]), int(sys.argv[5]) if len(sys.argv) > 5 else 0)
else:
    use(sys.argv[2])
