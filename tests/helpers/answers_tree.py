# SPDX-License-Identifier: GPL-2.0-or-later
"""Reads a recorded folder without tracesh: its pages, its formats, and the kernel's own text in the file `trace`.

For answers.py. The layout of pages is that of the kernel's Documentation/trace/ring-buffer-design.rst and header_page,
for 64-bit kernels with the lowest byte first."""

import os
import re
import struct


class Failure(Exception):
    """Says what of a question cannot be asked."""


FIELD = re.compile(r"\tfield:(.+?)([A-Za-z_]\w*)(?:\[(\d*)\])?;\toffset:(\d+);\tsize:(\d+);(?:\tsigned:(\d+);)?")


class Field:
    def __init__(self, match):
        kind, self.name, length, offset, size, signed = match.groups()
        self.kind = kind.strip()
        self.offset, self.size, self.signed = int(offset), int(size), signed == "1"
        self.dynamic = self.kind.startswith("__data_loc")
        self.array = length is not None or self.kind.endswith("[]")
        self.text = re.search(r"\bchar\b", self.kind) and "unsigned" not in self.kind and self.array
        self.width = self.size
        if self.array:
            base = re.search(r"[us]?(8|16|32|64)\b", self.kind)
            self.width = 1 if "char" in self.kind else int(base.group(1)) // 8 if base else 8 if "long" in self.kind else 4

    def value(self, data):
        if self.dynamic:
            where = struct.unpack_from("<I", data, self.offset)[0]
            raw = data[where & 0xFFFF:(where & 0xFFFF) + (where >> 16)]
        else:
            raw = data[self.offset:self.offset + self.size]
        if self.text:
            return raw.split(b"\0")[0].decode("utf-8", "surrogateescape")
        numbers = [
            int.from_bytes(raw[i:i + self.width], "little", signed=self.signed) for i in range(0, len(raw), self.width)
        ]
        return numbers if self.array else numbers[0]


def read_formats(tree):
    formats = {}
    for system in os.listdir(tree + "/events"):
        if not os.path.isdir(f"{tree}/events/{system}"):
            continue
        for name in os.listdir(f"{tree}/events/{system}"):
            try:
                with open(f"{tree}/events/{system}/{name}/format") as lines:
                    text = lines.read()
            except OSError:
                continue
            number = re.search(r"^ID: (\d+)", text, re.M)
            fields = [Field(match) for match in FIELD.finditer(text)]
            formats[int(number.group(1))] = (system, name, fields)
    return formats


def records(page):
    """The records of one page: (time, bytes)."""
    now, commit = struct.unpack_from("<QQ", page, 0)
    place, end = 16, 16 + (commit & 0xFFFFF)
    while place < end:
        head = struct.unpack_from("<I", page, place)[0]
        kind, delta = head & 31, head >> 5
        place += 4
        if kind == 29:
            if delta == 0:
                return
            place += struct.unpack_from("<I", page, place)[0]
            now += delta
            continue
        if kind in (30, 31):
            whole = delta + (struct.unpack_from("<I", page, place)[0] << 27)
            now = now + whole if kind == 30 else now & ~((1 << 59) - 1) | whole
            place += 4
            continue
        now += delta
        if kind == 0:
            size = struct.unpack_from("<I", page, place)[0]
            yield now, page[place + 4:place + size]
            place += size
        else:
            yield now, page[place:place + kind * 4]
            place += kind * 4


class Event:
    def __init__(self, ts, cpu, system, name, fields, data):
        self.ts, self.cpu, self.system, self.name = ts, cpu, system, name
        self.fields = {field.name: field.value(data) for field in fields}
        self.types = {field.name: field for field in fields}
        self.pid = self.fields["common_pid"]
        self.comm = None
        self.kernel = ""  # the kernel's text of it

    def printed(self, name):
        """How the kernel prints a number; None: its text has it not, or nobody knows where."""
        for prefix in ("", r"\w+_"):
            found = re.search(rf"(?<!\w){prefix}{name}[=:] ?([^ ,)]+)", self.kernel)
            if found:
                text = found.group(1)
                # tracesh writes the 0x that "%p" leaves out
                is_bare = re.fullmatch("[0-9a-f]{16}", text) and int(text, 16) == self.fields[name] & (1 << 64) - 1
                return "0x" + text if is_bare else text
        return None

    def value(self, name):
        if name == "event":
            return self.fields.get("event", self.name)
        if name in self.fields:
            return self.fields[name]
        return {"pid": self.pid, "cpu": self.cpu, "comm": self.comm}.get(name)


def read_tree(tree):
    formats = read_formats(tree)
    events = []
    for folder in os.listdir(tree + "/per_cpu"):
        with open(f"{tree}/per_cpu/{folder}/trace_pipe_raw", "rb") as file:
            raw = file.read()
        for start in range(0, len(raw), 4096):
            for ts, data in records(raw[start:start + 4096]):
                system, name, fields = formats[struct.unpack_from("<H", data, 0)[0]]
                events.append(Event(ts, int(folder[3:]), system, name, fields, data))
        read_text(tree, int(folder[3:]), [event for event in events if event.cpu == int(folder[3:])])
    # of one time the kernel prints that of the lowest CPU first
    events.sort(key=lambda event: (event.ts, event.cpu))
    name_tasks(events, tree)
    return events


def read_text(tree, cpu, events):
    """The kernel's own text, whose lines of a CPU are in the order of its events."""
    with open(tree + "/trace", errors="surrogateescape") as lines:
        texts = [line[24:].rstrip("\n") for line in lines if re.match(rf".{{16}}-\d+ +\[0*{cpu}\] ", line)]
    if len(texts) != len(events):
        raise Failure(f"the kernel prints {len(texts)} events of CPU {cpu}, and {len(events)} were recorded")
    for event, text in zip(events, texts):
        event.kernel = text


def name_tasks(events, tree):
    """What each task was called at each event: by the renames, before the first one by what that says it was."""
    comms = {}
    with open(tree + "/saved_cmdlines", errors="surrogateescape") as lines:
        for line in lines:
            pid, _, comm = line.rstrip("\n").partition(" ")
            # the rest of a name with a newline stands on a line of its own
            if pid.isdigit():
                comms[int(pid)] = comm
    for event in reversed(events):
        if event.name == "task_rename":
            comms[event.fields["pid"]] = event.fields["oldcomm"]
        elif event.name == "task_newtask":
            comms[event.fields["pid"]] = event.fields["comm"]
    for event in events:
        if event.name == "task_newtask":
            comms[event.fields["pid"]] = event.fields["comm"]
        # what prints the rename knows the new name
        if event.name == "task_rename":
            comms[event.fields["pid"]] = event.fields["newcomm"]
        if event.name == "sched_switch" and event.fields["prev_pid"] == event.pid:
            comms[event.pid] = event.fields["prev_comm"]
        event.comm = comms.get(event.pid, "<...>") if event.pid else "<idle>"
