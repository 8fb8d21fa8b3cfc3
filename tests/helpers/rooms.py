#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""rooms.py includes TREE | symbols TREE BUILD | state TREE BUILD: prints what breaks the rules, a line each.

The first two hold TREE/tests/rooms, the last one TREE/tests/state: the variables outside of functions and structs.

What breaks them still, and may, stands in TREE/tests/rooms-owed. The list only gets shorter: what stands there and is gone
is told, too. Its lines are

	FILE FILE	the first one uses a symbol of the second, whose room it may not use
	FILE HEADER	it includes a header of such a room, and owes no file of that room
	circle FILE	it is one of more than four files of its room that use each other
	large ROOM N	the room has more than 8,000 lines, N at most"""
import os
import re
import subprocess
import sys

LIBRARIES = re.compile(r"(^|/)(event-parse|event-utils|trace-seq|kbuffer|tracefs|libdwfl?|dwarf|gelf|libelf)\.h$")
# What the library leaves to main and ui: stdout, the terminal, the end of the process.
BANNED = set("stdout exit isatty ttyname ttyname_r printf vprintf puts putchar __printf_chk __vprintf_chk".split())
CIRCLE_MAX = 4
LINES_MAX = 8000


def room_of(path):
    """Gives the room of "src/events/decode/page.c"."""
    folder = os.path.dirname(path)[len("src/"):]
    return "main" if not folder else "cmd" if folder.split("/")[0] == "cmd" else folder


def read_rules(tree):
    """Gives for each room the set of those that it may use, itself among them."""
    uses = {}
    with open(f"{tree}/tests/rooms", encoding="utf-8") as lines:
        for line in lines:
            room, colon, below = line.split("#")[0].partition(":")
            wrong = [other for other in below.split() if other not in uses]
            if wrong:
                sys.exit(f"tests/rooms: {room} names {wrong[0]}, which does not stand above it")
            if colon:
                uses[room] = {room}.union(*(uses[other] for other in below.split()))
    return uses


def read_owed(tree):
    with open(f"{tree}/tests/rooms-owed", encoding="utf-8") as lines:
        return {tuple(line.split()) for line in lines if not line.startswith("#")}


def sources(tree):
    for folder, _, names in os.walk(f"{tree}/src"):
        for name in names:
            if name.endswith((".c", ".h")):
                yield os.path.relpath(f"{folder}/{name}", tree)


def read_lines(tree, path):
    with open(f"{tree}/{path}", encoding="utf-8") as lines:
        return lines.readlines()


def gone(entries):
    for entry in sorted(entries):
        yield f"tests/rooms-owed: '{' '.join(entry)}' is gone: strike it"


def wrong_include(path, name, quoted, known):
    """Says what is wrong with an #include, whatever the rooms are."""
    room = room_of(path)
    target = f"src/{name}" if "/" in name or room == "main" else f"{os.path.dirname(path)}/{name}"
    if name.startswith("readline/") and room != "ui":
        return None, "only ui uses readline"
    if LIBRARIES.search(name) and not (quoted and target in known) and room != "library":
        return None, "only library uses libtraceevent, libtracefs and libdw"
    if not quoted or name == "config.h":
        return None, None
    if ".." in name:
        return None, "reaches into another folder"
    if target not in known:
        return None, "no such header"
    return target, None


def check_includes(tree):
    uses, owed, known = read_rules(tree), read_owed(tree), set(sources(tree))
    # Who owes a file of a room owes its headers, too.
    owing = {(entry[0], room_of(f"src/{entry[1]}")) for entry in owed if len(entry) == 2}
    sizes, seen = dict.fromkeys(uses, 0), set()
    for path in sorted(known):
        room = room_of(path)
        if room not in uses:
            yield f"{path}: {room} is in no line of tests/rooms"
            continue
        lines = read_lines(tree, path)
        sizes[room] += len(lines)
        for line in lines:
            include = re.match(r'[ \t]*#[ \t]*include[ \t]*(["<])([^">]+)[">]', line)
            if not include:
                continue
            target, fault = wrong_include(path, include[2], include[1] == '"', known)
            if fault:
                yield f"{path}: {fault}: {include[2]}"
            if not target or room_of(target) in uses[room]:
                continue
            arrow = (path[len("src/"):], target[len("src/"):])
            seen.add(arrow)
            if arrow not in owed and (arrow[0], room_of(target)) not in owing:
                yield f"{path}: {room} uses {room_of(target)}: {include[2]}"
    limits = {entry[1]: entry for entry in owed if entry[0] == "large"}
    for room, size in sizes.items():
        # The commands are in folders of their own.
        if room != "cmd" and size > LINES_MAX:
            seen.add(limits.get(room))
            if room not in limits or size > int(limits[room][2]):
                yield f"src/{room}: a room of {size} lines is too large"
    yield from gone({entry for entry in owed if entry[0] == "large" or entry[1].endswith(".h")} - seen)


def read_symbols(tree, build):
    """Gives who defines each symbol, which ones each file wants, and what was not built."""
    owner, wants, unbuilt, built = {}, {}, [], {}
    for path in sorted(path for path in sources(tree) if path.endswith(".c")):
        if os.path.exists(f"{build}/{path[:-1]}o"):
            built[f"{path[:-1]}o"] = path
            wants[path] = set()
        else:
            unbuilt.append(path)
    # All in one run: one for each file takes a minute on a busy machine.
    listing = subprocess.run(["nm", "-PA", *built], capture_output=True, cwd=build, text=True, check=True).stdout if built else ""
    for line in listing.splitlines():
        name, symbol, kind = line.split()[:3]
        path = built[name.rstrip(":")]
        if kind in "TDBRVWCS":
            owner[symbol] = path
        elif kind in "Uw":
            wants[path].add(symbol)
    return owner, wants, unbuilt


def circles(arrows):
    """Gives the sets of files that reach each other, as Tarjan has it."""
    order, low, stack, found = {}, {}, [], []

    def visit(node):
        order[node] = low[node] = len(order)
        stack.append(node)
        for other in sorted(arrows.get(node, ())):
            if other not in order:
                visit(other)
            if other in stack:
                low[node] = min(low[node], low[other])
        if low[node] == order[node]:
            at = stack.index(node)
            found.append(stack[at:])
            del stack[at:]

    for node in sorted(arrows):
        if node not in order:
            visit(node)
    return found


def check_symbols(tree, build):
    uses, owed = read_rules(tree), read_owed(tree)
    owner, wants, unbuilt = read_symbols(tree, build)
    for path in unbuilt:
        # A build has one or the other of these.
        if not re.match(r"src/ui/(inputrc|line-\w+)\.c", path):
            yield f"{path}: not built: is it in a Makemodule.am?"
    seen, inner = set(), {}
    for path, symbols in wants.items():
        room = room_of(path)
        for symbol in sorted(symbols):
            other = owner.get(symbol)
            if room not in ("ui", "main") and (symbol in BANNED or symbol.startswith("rl_")):
                yield f"{path}: not for the library: {symbol}"
            if not other:
                continue
            arrow = (path[len("src/"):], other[len("src/"):])
            if room_of(other) == room:
                inner.setdefault(path, set()).add(other)
            elif room_of(other) not in uses[room]:
                seen.add(arrow)
                if arrow not in owed:
                    yield f"{path}: {room} uses {room_of(other)}: {symbol} of {other}"
    for files in circles(inner):
        for path in files if len(files) > CIRCLE_MAX else ():
            name = ("circle", path[len("src/"):])
            seen.add(name)
            if name not in owed:
                yield f"{path}: in a circle of {len(files)} files of its room"
    yield from gone({entry for entry in owed if entry[-1].endswith(".c")} - seen)


def is_writable(section):
    """Says whether a section holds variables, and not constants with addresses in them."""
    return re.match(r"\.t?(bss|data)\b|\*COM\*", section) and not section.startswith(".data.rel.ro")


def read_variables(tree, build):
    """Gives (FILE, NAME) of each variable of file scope and each static one, and the files that were built."""
    built = {f"{path[:-1]}o": path for path in sources(tree) if path.endswith(".c") and os.path.exists(f"{build}/{path[:-1]}o")}
    listing = subprocess.run(["nm", "-A", "-f", "sysv", *built], capture_output=True, cwd=build, text=True, check=True).stdout if built else ""
    found = set()
    for line in listing.splitlines():
        columns = [column.strip() for column in line.split("|")]
        if len(columns) < 7 or columns[2] not in "bBdDC" or not is_writable(columns[6]):
            continue
        file, _, name = columns[0].rpartition(":")
        # A static variable of a function is NAME.1 of GCC, FUNCTION.NAME of clang; the sanitizers have variables of their own.
        if not name.startswith("__odr_asan"):
            found.add((built[file], re.sub(r"\.\d+$|^\w+\.(?=[A-Za-z_])", "", name)))
    return found, set(built.values())


def check_state(tree, build):
    with open(f"{tree}/tests/state", encoding="utf-8") as lines:
        allowed = {tuple(line.split("#")[0].split()) for line in lines if not line.startswith("#")}
    found, built = read_variables(tree, build)
    for path, name in sorted(found - allowed):
        yield f"{path}: {name} is state outside of a struct"
    for path, name in sorted(allowed - found):
        if path in built or not os.path.exists(f"{tree}/{path}"):
            yield f"tests/state: '{path} {name}' is gone: strike it"


def main():
    check = {"includes": check_includes, "symbols": check_symbols, "state": check_state}[sys.argv[1]]
    for fault in check(*sys.argv[2:]):
        print(fault)


main()
