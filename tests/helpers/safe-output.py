#!/usr/bin/env -S python3 -I
# SPDX-License-Identifier: GPL-2.0-or-later
"""usage: safe-output.py text|json|csv FILE..: says what in these files could do harm; status 1 if something could.
       safe-output.py --serve: for each line "KIND FILE" of stdin one line: "safe", or what could do harm.

Nothing that a terminal obeys or hides text with; each line of JSON is an object; each row of CSV has as many cells as
the first, and none begins like a formula.
"""

import csv
import json
import re
import sys

BIDI = set(range(0x202A, 0x202F)) | set(range(0x2066, 0x206A)) | {0x200E, 0x200F, 0x061C, 0x2028, 0x2029, 0xFEFF}
NUMBER = re.compile(r"[+-]?[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]+)?")


def is_bad(char):
    code = ord(char)
    return (code < 0x20 and char not in "\n\t") or 0x7F <= code < 0xA0 or code in BIDI


def faults(kind, data):
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as e:
        yield "no UTF-8: %s" % e
        return
    for number, line in enumerate(text.split("\n"), 1):
        if any(map(is_bad, line)):
            yield "line %d: %r" % (number, line)
    if kind == "json":
        for line in text.split("\n")[:-1]:
            try:
                if not isinstance(json.loads(line), dict):
                    yield "no object: %r" % line
            except ValueError as e:
                yield "%s: %r" % (e, line)
    if kind == "csv":
        rows = list(csv.reader(text.splitlines(), strict=True))
        for row in rows:
            # a row of one empty cell is an empty line
            if (len(row) or 1) != len(rows[0]):
                yield "%d cells, the first row has %d: %r" % (len(row), len(rows[0]), row)
            for cell in row:
                if cell[:1] in ("=", "+", "-", "@", "\t", "\r") and cell and not NUMBER.fullmatch(cell):
                    yield "a formula: %r" % cell
    if text and not text.endswith("\n"):
        yield "no newline at the end"


def in_file(kind, name):
    with open(name, "rb") as f:
        return ["%s: %s" % (name, fault) for fault in faults(kind, f.read())]


if sys.argv[1] == "--serve":
    for request in sys.stdin:
        kind, _, name = request.rstrip("\n").partition(" ")
        print("; ".join(in_file(kind, name)[:5]) or "safe", flush=True)
    sys.exit()
found = [fault for name in sys.argv[2:] for fault in in_file(sys.argv[1], name)]
for fault in found[:5]:
    print(fault)
sys.exit(bool(found))
