# SPDX-License-Identifier: GPL-2.0-or-later
"""Random questions whose answers are known: answers.py TRACESH LOAD FOLDER COUNT SEED [NUMBER]

LOAD (answers-load) does known things. COUNT commands at random from SEED ask for them: half of a recording, which
answers_tree.py reads by itself, and half live, against LOAD's own log. Prints each command whose answer differs, made as
short as it can be, with its number (NUMBER alone asks that one again), and a line of counts."""

import collections
import copy
import csv
import datetime
import decimal
import errno
import io
import ipaddress
import json
import os
import random
import re
import signal
import subprocess
import sys
import time

from answers_tree import Failure, read_tree

TRACING = "/sys/kernel/tracing"
UNKNOWN = None
NUMBERS = "s8 u8 s16 u16 s32 u32 s64 u64 x8 x16 x32 x64 bits".split()
FUNCTIONS = {"sum": sum, "avg": lambda n: decimal.Decimal(sum(n)) / len(n), "min": min, "max": max}


# What the kernel calls the numbers of fields, by their names.
SPELLED = {}


# ---- what LOAD does ----

class Load:
    def __init__(self, program, path):
        self.path, self.place = path, 0
        self.child = subprocess.Popen([program, path], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.pid = self.child.pid

    def go(self, count, seed, cpu=None):
        self.child.stdin.write(f"go {count} {seed}" + ("" if cpu is None else f" {cpu}") + "\n")
        self.child.stdin.flush()

    def wait(self):
        if self.child.stdout.readline() != "done\n":
            raise Failure("the load has ended")

    def take(self):
        """What it has done since this was last called."""
        with open(self.path, errors="surrogateescape") as lines:
            lines.seek(self.place)
            text = lines.read()
            self.place = lines.tell()
        return [Act(json.loads(line)) for line in text.splitlines()]

    def end(self):
        self.child.stdin.close()
        self.child.wait()


class Act:
    """One thing that it did; its values have the names of an event's fields."""

    def __init__(self, said):
        self.act, self.fields = said["act"], said
        self.pid, self.cpu, self.comm = said["pid"], said["cpu"], said["comm"]

    def value(self, name):
        return self.fields.get(name)


class World:
    """The probes, the loads, a recording, and ways to ask tracesh."""

    def __init__(self, tracesh, load, folder):
        self.tracesh, self.load, self.folder = tracesh, load, folder
        self.group, self.instance = f"answers{os.getpid()}", f"live-{os.getpid()}-answers"
        self.probes, self.loads, self.events = [], [], []
        self.tree = folder + "/tree"
        self.environment = dict(os.environ, TZ="UTC", LC_ALL="C.UTF-8")
        self.has_graphs = False
        self.has_histograms = os.path.exists(f"{TRACING}/events/sched/sched_switch/hist")

    def put(self, name, text):
        """Writes to a file as it is: another mode of open would empty it, or seek."""
        file = os.open(f"{TRACING}/{name}", os.O_WRONLY)
        try:
            os.write(file, text.encode())
        finally:
            os.close(file)

    def begin(self):
        lines = subprocess.run([self.load, "--probes", self.group], check=True, capture_output=True, text=True).stdout
        for line in lines.splitlines():
            self.put("uprobe_events", line + "\n")
            self.probes.append(line.split()[0][2:])
        self.loads = [Load(self.load, f"{self.folder}/{name}.log") for name in ("one", "two")]

    def end(self):
        for load in self.loads:
            load.end()
        if os.path.isdir(f"{TRACING}/instances/{self.instance}"):
            os.rmdir(f"{TRACING}/instances/{self.instance}")
        for probe in self.probes:
            self.put("uprobe_events", f"-:{probe}\n")

    def record(self, seed):
        top = f"instances/{self.instance}"
        os.mkdir(f"{TRACING}/{top}")
        self.has_graphs = "function_graph" in read(f"{TRACING}/{top}/available_tracers").split()
        self.put(f"{top}/trace_clock", "boot")
        self.put(f"{top}/buffer_size_kb", "4096")
        self.put(f"{top}/options/hash-ptr", "0")  # the kernel's text shall have the numbers that are in its records
        self.put(f"{top}/options/event-fork", "1")
        self.put(f"{top}/set_event_pid", " ".join(str(load.pid) for load in self.loads))
        for event in (
            self.group, "sock/inet_sock_set_state", "signal", "task", "oom/oom_score_adj_update", "filelock/posix_lock_inode",
            "syscalls/sys_enter_lseek", "syscalls/sys_exit_lseek", "sched/sched_process_fork",
            "sched/sched_process_exit", "raw_syscalls", "sched/sched_switch", "sched/sched_waking",
        ):
            # these come when one of the two tasks is listed, and what another one was called then nobody knows
            if event in ("sched/sched_switch", "sched/sched_waking"):
                ours = " || ".join(f"common_pid == {load.pid}" for load in self.loads)
                self.put(f"{top}/events/{event}/filter", ours)
            self.put(f"{top}/events/{event}/enable", "1")
        for load in self.loads:
            load.go(200, seed)
        for load in self.loads:
            load.wait()
            load.take()
        self.put(f"{top}/tracing_on", "0")
        with open(f"{TRACING}/{top}/trace", errors="surrogateescape") as text:
            kernel = text.read()
        self.run(["-i", self.instance, "record", self.tree])
        os.rmdir(f"{TRACING}/{top}")
        with open(self.tree + "/trace", "w", errors="surrogateescape") as text:
            text.write(kernel)
        self.events = read_tree(self.tree)
        before = {}
        for event in self.events:
            for name in event.types:
                if isinstance(event.fields[name], int) and event.printed(name):
                    SPELLED.setdefault(name, {})[event.printed(name)] = event.fields[name]
            event.fields.setdefault("delta", event.ts - before[event.pid] if event.pid in before else UNKNOWN)
            before[event.pid] = event.ts

    def run(self, words):
        done = subprocess.run([self.tracesh, "-q", *words], capture_output=True, text=True, errors="surrogateescape",
                              env=self.environment, timeout=120)
        if done.returncode:
            raise Failure(f"status {done.returncode}: {done.stderr.strip()}")
        return done.stdout

    def ask(self, form, words):
        """Asks of the recording."""
        return self.run(["--tracefs", self.tree, "--format", form, *words])

    def fill(self, words, plans, flushed):
        """Asks of a buffer that the loads have filled, which is emptied by that; flushed: what they did before."""
        top = f"instances/{self.instance}"
        os.mkdir(f"{TRACING}/{top}")
        try:
            self.put(f"{top}/events/{self.group}/row/enable", "1")
            if flushed:
                self.act(flushed)
                self.run(["-i", self.instance, "clear"])
            log = self.act(plans)
            self.put(f"{top}/events/{self.group}/row/enable", "0")
            return objects(self.run(["--json", "-i", self.instance, *words])), log
        finally:
            os.rmdir(f"{TRACING}/{top}")

    def act(self, plans):
        log = []
        for load, count, seed, cpu in plans:
            load.go(count, seed, cpu)
        for load, *_ in plans:
            load.wait()
            log += load.take()
        return log

    def live(self, words, plans):
        """Asks while the loads do what the plans say; the answer and their log."""
        out, errors = open(self.folder + "/answer", "w+", errors="surrogateescape"), open(self.folder + "/errors", "w+")
        with out, errors:
            child = subprocess.Popen([self.tracesh, "-q", "--json", *words], stdout=out, stderr=errors, env=self.environment)
            limit, log = time.monotonic() + 60, []
            while child.poll() is None and not is_on(child.pid, f"{self.group}/row"):
                if time.monotonic() > limit:
                    child.send_signal(signal.SIGINT)
                    child.wait(timeout=120)
                    raise Failure("it has not begun within a minute")
                time.sleep(0.003)
            if child.poll() is None:
                log = self.act(plans)
                child.send_signal(signal.SIGINT)
            status = child.wait(timeout=120)
            out.seek(0)
            errors.seek(0)
            if status:
                raise Failure(f"status {status}: {errors.read().strip()}")
            return objects(out.read()), log


def is_on(pid, row):
    """Whether the events of a tracesh are all on: what it does last is to switch its instance on, or to have a histogram."""
    folders = [f"{TRACING}/instances/tracesh-{pid}-{number}" for number in (1, 2)]
    # older kernels have function_graph in the top instance alone
    return has_begun(TRACING, "function_graph") or any(
        has_begun(folder) or read(f"{folder}/events/{row}/trigger").startswith("hist:") for folder in folders)


def has_begun(folder, tracer=None):
    # in this order: a new instance is on before tracesh switches it off, and then enables its events
    events = not tracer and ":" in read(folder + "/set_event").replace("task:task_", "")
    return (events or read(folder + "/current_tracer") == "function_graph") and read(folder + "/tracing_on") == "1"


def read(path):
    try:
        with open(path) as file:
            return file.read().strip()
    except OSError:
        return ""


def objects(text):
    return [json.loads(line, parse_float=decimal.Decimal) for line in text.splitlines()]


# ---- parts of a question ----

class Term:
    def __init__(self, name, op, constant):
        self.name, self.op, self.constant = name, op, constant

    def text(self):
        if isinstance(self.constant, str):
            quote = "'" if '"' in self.constant else '"'
            return f"{self.name} {self.op} {quote}{self.constant}{quote}"
        return f"{self.name} {self.op} {self.constant}"

    def holds(self, event):
        a, b = event.value(self.name), self.constant
        if a is UNKNOWN or isinstance(a, list):
            return UNKNOWN
        return {"==": a == b, "!=": a != b}[self.op] if isinstance(b, str) else {
            "==": a == b, "!=": a != b, "<": a < b, ">": a > b, "<=": a <= b, ">=": a >= b}[self.op]

    def smaller(self):
        return []


class Both:
    def __init__(self, a, op, b):
        self.a, self.op, self.b = a, op, b

    def text(self):
        return f"({self.a.text()} {self.op} {self.b.text()})"

    def holds(self, event):
        a, b = self.a.holds(event), self.b.holds(event)
        if self.op == "&&":
            return False if False in (a, b) else UNKNOWN if UNKNOWN in (a, b) else True
        return True if True in (a, b) else UNKNOWN if UNKNOWN in (a, b) else False

    def smaller(self):
        return [self.a, self.b]


class Key:
    """One key of a table: its words, its value of an event, and the same of what JSON says."""

    def __init__(self, name, suffix="", step=0):
        self.name, self.suffix, self.step = name, suffix, step

    def text(self):
        return self.name + {"": "", "linear": f".linear({self.step})"}.get(self.suffix, "." + self.suffix)

    def value(self, event):
        value = event.value(self.name)
        if value is UNKNOWN:
            return UNKNOWN
        if self.suffix == "log2":
            return -1 if value < 0 else max(value.bit_length() - 1, 0)
        if self.suffix == "linear":
            return max(value // self.step * self.step, -(1 << 63))
        return "0x%x" % (value & (1 << 64) - 1) if self.suffix == "hex" else plain(value)

    def said(self, value):
        if self.suffix == "log2":
            low = int(value[0])
            return -1 if low < 0 else max(low.bit_length() - 1, 0)
        if self.suffix == "linear":
            return int(value[0])
        return value if self.suffix == "hex" else plain(value, SPELLED.get(self.name))


def plain(value, spelled=None):
    """A value as the record has it: JSON has large numbers, addresses, errors and what has a name as strings."""
    if isinstance(value, list):
        return tuple(map(plain, value))
    if not isinstance(value, str):
        return value
    if spelled and value in spelled:
        return spelled[value]
    if re.fullmatch(r"-?\d{16,20}|0x[0-9a-f]+", value):
        return int(value, 0)
    if re.fullmatch(r"\{-?\d+(,-?\d+)*\}", value):
        return tuple(map(int, value[1:-1].split(",")))
    if re.fullmatch(r"-E[A-Z]+", value):
        return -getattr(errno, value[1:])
    try:
        return tuple(ipaddress.ip_address(value).packed)
    except ValueError:
        return value


# ---- questions ----

class Question:
    """A command with parts that can be left out: parts is {name of a list: how many must stay}."""

    parts = {}
    live = False

    def __init__(self, world, **values):
        self.world = world
        self.options, self.terms, self.plans, self.pid, self.cpu = [], [], [], None, None
        self.__dict__.update(values)

    def smaller(self):
        for name, least in self.parts.items():
            values = getattr(self, name)
            for i, value in enumerate(values):
                if len(values) > least:
                    yield self.but(name, values[:i] + values[i + 1:])
                for less in value.smaller() if name == "terms" else []:
                    yield self.but(name, [*values[:i], less, *values[i + 1:]])

    def but(self, name, value):
        other = copy.copy(self)
        setattr(other, name, value)
        return other

    def condition(self):
        return " && ".join(term.text() for term in self.terms)

    def clause(self, word):
        return [word, self.condition()] if self.terms else []

    def holds(self, event):
        return all(term.holds(event) is True for term in self.terms)

    def kept(self, log, act):
        """What the options and the terms let through of what the loads did."""
        pids = {load.pid for load in self.world.loads} if self.pid is None else {self.pid}
        pids |= {a.fields["child_pid"] for a in log if a.act == "child" and a.pid in pids}
        return [a for a in log if a.act == act and a.pid in pids and self.cpu in (None, a.cpu) and self.holds(a)]

    def narrow(self):
        words = [] if self.pid is None else ["--pid", str(self.pid)]
        return words + ([] if self.cpu is None else ["--cpu", str(self.cpu)])


class Table(Question):
    parts = {"functions": 0, "terms": 0, "keys": 1}

    def clauses(self):
        words = ["by", ",".join(key.text() for key in self.keys)]
        for function, field in self.functions:
            words += [function, field]
        return words

    def rows(self, events):
        """{key: [count, the values of each field]}"""
        rows = collections.defaultdict(lambda: [0, *[[] for _ in self.functions]])
        for event in events:
            key = tuple(key.value(event) for key in self.keys)
            if UNKNOWN in key:
                continue
            row = rows[key]
            row[0] += 1
            for numbers, (_, field) in zip(row[1:], self.functions):
                if event.value(field) is not UNKNOWN:
                    numbers.append(event.value(field))
        return rows

    def differing(self, lines, want):
        said = {}
        for line in lines:
            if line["type"] in ("hist", "count"):
                key = tuple(key.said(line["key"][key.text()]) for key in self.keys)
                if key in said:
                    yield f"two rows of {key}"
                said[key] = line
        for key in sorted(set(want) - set(said), key=str)[:3]:
            yield f"missing: {key}: {want[key][0]}"
        for key in sorted(set(said) - set(want), key=str)[:3]:
            yield f"too many: {key}: {said[key]['count']}"
        for key in set(said) & set(want):
            if said[key]["count"] != want[key][0]:
                yield f"{key}: {said[key]['count']}, not {want[key][0]}"
            yield from self.differing_sums(said[key], want[key][1:], key)

    def differing_sums(self, row, values, key):
        for (function, _), numbers in zip(self.functions, values):
            if numbers:
                want, said = FUNCTIONS[function](numbers), decimal.Decimal(row[function])
                if abs(said - want) > (decimal.Decimal("0.005") if function == "avg" else 0):
                    yield f"{key}: {function} is {said}, not {want}"


class RecordedTable(Table):
    parts = {"functions": 0, "terms": 1, "keys": 1}

    def words(self):
        return [self.command, *self.clauses(), *self.clause("where")]

    def wrong(self):
        want = self.rows(event for event in self.world.events if self.holds(event))
        lines = objects(self.world.ask("json", self.words()))
        yield from self.differing(lines, want)
        counts = sorted(row[0] for row in want.values())
        table = list(csv.reader(io.StringIO(self.world.ask("csv", self.words()))))
        said = sorted(int(row[table[0].index("count")]) for row in table[1:])
        if said != counts:
            yield f"CSV counts {said}, not {counts}"
        text = self.world.ask("text", self.words()).splitlines()
        if self.keys[-1].suffix in ("log2", "linear") or not want:
            return
        place = re.search(r"(?<![^ ])COUNT(?= |$)", text[0]).end()
        said = sorted(int(line[:place].split()[-1]) for line in text[1:len(want) + 1])
        if said != counts:
            yield f"text counts {said}, not {counts}"


class LiveTable(Table):
    live = True

    def smaller(self):
        # the others' rows are known by the key pid
        return super().smaller() if self.act == "row" else []

    def words(self):
        return [self.command, *self.options, *self.narrow(), self.event, *self.clauses(), *self.clause(self.word)]

    def wrong(self):
        lines, log = self.world.live(self.words(), self.plans)
        # others seek, too
        pids = None if self.act == "row" else {a.pid for a in log}
        lines = [line for line in lines if pids is None or "key" not in line or line["key"].get("pid") in pids]
        yield from self.differing(lines, self.rows(self.kept(log, self.act)))


class BufferTable(Table):
    live = True
    parts = {**Table.parts, "flushed": 0}

    def words(self):
        return [self.command, "--drain", *self.clauses(), *self.clause("where")]

    def wrong(self):
        lines, log = self.world.fill(self.words(), self.plans, self.flushed)
        yield from self.differing(lines, self.rows(self.kept(log, "row")))


class LiveSql(Table):
    live = True

    def words(self):
        items = [*[key.name for key in self.keys], "COUNT(*)", *[f"{f.upper()}({field})" for f, field in self.functions]]
        where = f" WHERE {self.condition()}" if self.terms else ""
        return ["sql", *self.options, f"SELECT {', '.join(items)} FROM {self.world.group}.row{where}"]

    def wrong(self):
        lines, log = self.world.live(self.words(), self.plans)
        yield from self.differing(lines, self.rows(self.kept(log, "row")))


class Rows(Question):
    parts = {"columns": 1, "terms": 1, "options": 0}

    def words(self):
        return ["drain", *[word for option in self.options for word in option], *self.clause("where"), "fields", *self.columns]

    def wrong(self):
        kept = [event for event in self.world.events if self.holds(event)]
        options = {option[0]: option[-1] for option in self.options}
        if "--since" in options:
            kept = [event for event in kept if event.ts > self.moment]
        if "--until" in options:
            kept = [event for event in kept if event.ts < self.moment]
        if "--cpu" in options:
            kept = [event for event in kept if event.cpu == int(options["--cpu"])]
        if "-n" in options:
            kept = kept[:int(options["-n"])]
        said = [line for line in objects(self.world.ask("json", self.words())) if line["type"] == "event"]
        if len(said) != len(kept):
            yield f"{len(said)} rows, not {len(kept)}"
            return
        before = {}
        for line, event in zip(sorted(said, key=lambda line: int(line["ts"])), kept):
            event = copy.copy(event)
            event.fields = dict(event.fields, delta=event.ts - before.get(event.pid, event.ts) or UNKNOWN)
            before[event.pid] = event.ts
            where = f"{line['event']} at {line['ts']}"
            for name in self.columns:
                want, got = plain(event.value(name)), line["fields"][name]
                printed = isinstance(want, int) and name != "ret" and "--raw" not in options and event.printed(name)
                # a large number is a string in JSON
                if isinstance(got, str) and printed and not got.lstrip("-").isdigit():
                    want = printed
                else:
                    got = plain(got)
                if got != want:
                    yield f"{where}: {name} is {got!r}, not {want!r}"
            if (int(line["ts"]), line["cpu"], line["pid"]) != (event.ts, event.cpu, event.pid):
                yield f"{where} is not the event at {event.ts}"
            if line["comm"] != event.comm:
                yield f"{where}: its task is {line['comm']!r}, not {event.comm!r}"


class LiveRows(Question):
    live = True
    parts = {"terms": 0}

    def words(self):
        return ["stream", *self.narrow(), f"{self.world.group}:row", *self.clause(self.word)]

    def wrong(self):
        lines, log = self.world.live(self.words(), self.plans)
        names = [*NUMBERS, "text", "list"]
        said = collections.Counter(
            (line["pid"], line["comm"], line["cpu"], *[str(plain(line["fields"][name])) for name in names])
            for line in lines if line["type"] == "event")
        want = collections.Counter(
            (act.pid, act.comm, act.cpu, *[str(plain(act.fields[name])) for name in names]) for act in self.kept(log, "row"))
        for row in list((said - want).items())[:3]:
            yield f"too many: {row}"
        for row in list((want - said).items())[:3]:
            yield f"missing: {row}"


class Pairs(Question):
    parts = {"by": 0}

    def words(self):
        on = ["on", self.on] if self.on else []
        return ["latency", self.start, self.end, *on, *(["by", self.by[0].text()] if self.by else [])]

    def wrong(self):
        names = [(name.split("=") * 2)[:2] for name in self.on.split(",")] if self.on else [("common_pid", "common_pid")]
        waiting, spans = {}, collections.defaultdict(list)
        for event in self.world.events:
            if event.name == self.end:
                key = tuple(event.value(right) for _, right in names)
                if key in waiting:
                    begin = waiting.pop(key)
                    spans[tuple(key.value(begin) for key in self.by)].append(event.ts - begin.ts)
            if event.name == self.start:
                waiting[tuple(event.value(left) for left, _ in names)] = event
        said = {tuple(key.said(line["key"][key.text()]) for key in self.by): line
                for line in objects(self.world.ask("json", self.words())) if line["type"] == "latency"}
        yield from differing_keys(said, spans)
        for key in set(said) & set(spans):
            yield from differing_spans(key, said[key], spans[key])


def differing_keys(said, want):
    if set(said) != set(want):
        yield f"missing: {sorted(set(want) - set(said), key=str)}, too many: {sorted(set(said) - set(want), key=str)}"


def differing_spans(key, row, numbers):
    for name, want in (("count", len(numbers)), ("min_ns", min(numbers)), ("max_ns", max(numbers)),
                       ("avg_ns", sum(numbers) // len(numbers))):
        if abs(row[name] - want) > (name == "avg_ns"):
            yield f"{key}: {name} is {row[name]}, not {want}"
    numbers.sort()
    for name, permille in (("p50_ns", 500), ("p90_ns", 900), ("p99_ns", 990), ("p999_ns", 999)):
        want = numbers[max((len(numbers) * permille + 999) // 1000, 1) - 1]
        if not want <= row[name] <= want + want // 16:
            yield f"{key}: {name} is {row[name]}, not {want}"


class LivePairs(Question):
    live = True
    parts = {"by": 0}

    def words(self):
        return ["latency", *self.options, *self.narrow(), f"{self.world.group}:begin", f"{self.world.group}:end",
                *(["on", self.on] if self.on else []), *(["by", self.by[0].text()] if self.by else [])]

    def wrong(self):
        lines, log = self.world.live(self.words(), self.plans)
        want = collections.defaultdict(list)
        for act in self.kept(log, "span"):
            want[tuple(key.value(act) for key in self.by)].append(act)
        said = {tuple(key.said(line["key"][key.text()]) for key in self.by): line
                for line in lines if line["type"] == "latency"}
        yield from differing_keys(said, want)
        for key in set(said) & set(want):
            yield from between(key, said[key], want[key], slack_of("--in-kernel" in self.options))


def slack_of(by_kernel):
    """How far a time may be off, in ns: the kernel's pairs have its clock "global", which without tsc is right to a tick."""
    return 10**7 if by_kernel and read("/sys/devices/system/clocksource/clocksource0/current_clocksource") != "tsc" else 1


def between(key, row, acts, slack):
    """Whether numbers can be those of spans that lie between what the load has measured."""
    short, long = [act.fields["shortest"] for act in acts], [act.fields["longest"] for act in acts]
    if row["count"] != len(acts):
        yield f"{key}: {row['count']}, not {len(acts)}"
        return
    for name, of in (("min_ns", min), ("max_ns", max), ("avg_ns", lambda n: sum(n) // len(n))):
        if not of(short) - slack <= row[name] <= of(long) + slack:
            yield f"{key}: {name} is {row[name]}, not between {of(short)} and {of(long)}"


class LiveJoin(Question):
    live = True

    def words(self):
        group = self.world.group
        return ["sql", *self.options, "SELECT e.id AS which, (e.TIMESTAMP - s.TIMESTAMP) AS ns "
                f"FROM {group}.begin s JOIN {group}.end e ON s.id = e.id"]

    def wrong(self):
        lines, log = self.world.live(self.words(), self.plans)
        yield from self.differing(lines, log)

    def differing(self, lines, log):
        acts = sorted(self.kept(log, "span"), key=lambda act: act.fields["id"])
        rows = sorted((line["fields"] for line in lines if line["type"] == "event"), key=lambda row: int(row["which"]))
        if [int(row["which"]) for row in rows] != [act.fields["id"] for act in acts]:
            yield f"{len(rows)} rows, not {len(acts)}, or of others"
            return
        slack = slack_of(self.world.has_histograms and "--no-kernel" not in self.options)
        for row, act in zip(rows, acts):
            if not act.fields["shortest"] - slack <= int(row["ns"]) <= act.fields["longest"] + slack:
                yield f"{row}, not between {act.fields['shortest']} and {act.fields['longest']}"


class LiveSynth(LiveJoin):
    """An event of each pair, that the kernel makes, and that is deleted again."""

    def words(self):
        # it is called as the columns of a question in SQL are
        return ["stream", "synthetic:answers", "fields", "which=id", "ns=lat"]

    def wrong(self):
        group = self.world.group
        self.world.run(["synth", "answers", f"{group}:begin", f"{group}:end", "on", "id"])
        try:
            yield from super().wrong()
        finally:
            self.world.run(["synth", "delete", "answers"])


class LiveStacks(Question):
    live = True
    parts = {"terms": 0}

    def words(self):
        return ["stacks", *self.narrow(), "sys_enter_lseek", *self.clause("if")]

    def wrong(self):
        lines, log = self.world.live(self.words(), self.plans)
        said, want = sum(line["count"] for line in lines if line["type"] == "stack"), len(self.kept(log, "seek"))
        if said != want:
            yield f"{said} events, not {want}"


class LiveProfile(Question):
    live = True
    function = "__x64_sys_lseek"

    def words(self):
        return ["profile", *self.narrow(), self.function]

    def wrong(self):
        lines, log = self.world.live(self.words(), self.plans)
        said, want = sum(line["count"] for line in lines if line["type"] == "profile"), len(self.kept(log, "seek"))
        if said != want:
            yield f"{said} calls, not {want}"


# ---- which question is asked ----

class Asker:
    def __init__(self, world, seed):
        self.world, self.random = world, random.Random(seed)

    def choose(self):
        kinds = [self.recorded_table] * 4 + [self.rows] * 3 + [self.pairs] * 2 + [self.live_table] * 4
        kinds += [self.live_rows, self.live_pairs, self.live_sql, self.live_join, self.live_stacks]
        kinds += [self.live_profile] * self.world.has_graphs + [self.live_synth] * self.world.has_histograms
        return self.random.choice(kinds)()

    def live_profile(self):
        question = LiveProfile(self.world, plans=self.plans())
        question.pid = self.world.loads[0].pid
        return question

    def chance(self, of):
        return self.random.random() < of

    def term(self, events, names):
        """A comparison of a field with a value that some event has of it."""
        name = self.random.choice(names)
        values = [value for value in (event.value(name) for event in events) if isinstance(value, (int, str))]
        constant = self.random.choice(values) if values else 0
        if isinstance(constant, str):
            return Term(name, self.random.choice(["==", "!="]), constant)
        return Term(name if values else "cpu", self.random.choice("== != < > <= >=".split()), constant)

    def terms(self, events, names):
        first = self.term(events, names)
        more = self.random.choice([[], [], [self.term(events, names)]])
        return [Both(first, self.random.choice(["&&", "||"]), more[0])] if more else [first]

    def key(self, events, names):
        name = self.random.choice(names)
        value = next((v for v in (event.value(name) for event in events) if v is not UNKNOWN), UNKNOWN)
        if isinstance(value, int) and self.chance(0.4):
            return Key(name, self.random.choice(["log2", "linear", "hex"]), self.random.choice([1, 3, 10, 1000, 4096]))
        return Key(name)

    def keys(self, events, names):
        chosen = [self.key(events, names) for _ in range(self.random.choice([1, 1, 2, 3]))]
        return list({key.text(): key for key in chosen}.values())

    def functions(self, names, chance=0.4):
        """Some of them, each of a field, in the order in which the command takes them."""
        if not names or not self.chance(chance):
            return []
        chosen = self.random.sample(sorted(FUNCTIONS), self.random.choice([1, 2, 4]))
        return [(function, self.random.choice(names)) for function in FUNCTIONS if function in chosen]

    # -- of the recording --

    def events_of_one(self):
        """The events of one name, or of two, with a term that only they fulfil, and the names of their fields."""
        kinds = {event.name: event for event in self.world.events}
        chosen = self.random.sample(sorted(kinds), self.random.choice([1, 1, 1, 2]))
        term = Term("event", "==", chosen[0])
        if len(chosen) == 2:
            term = Both(term, "||", Term("event", "==", chosen[1]))
        inside = [event for event in self.world.events if event.name in chosen]
        names = {name for kind in chosen for name in kinds[kind].fields if not name.startswith("__")}
        return inside, term, sorted({*names, "pid", "cpu", "comm"} - {"delta"})

    def recorded_table(self):
        inside, term, names = self.events_of_one()
        numbers = [name for name in names if any(isinstance(event.value(name), int) for event in inside)]
        return RecordedTable(
            self.world, command="hist", keys=self.keys(inside, [*names, "event"]), functions=self.functions(numbers),
            terms=[term, *(self.terms(inside, [*names, "delta"]) if self.chance(0.6) else [])])

    def rows(self):
        inside, term, names = self.events_of_one()
        options, moment = [["--raw"]] if self.chance(0.5) else [], None
        if self.chance(0.3):
            options.append(["--cpu", self.random.choice("01")])
        if self.chance(0.3):
            options.append(["-n", str(self.random.randint(1, 50))])
        if self.chance(0.3):
            text, moment = self.moment()
            options.append([self.random.choice(["--since", "--until"]), text])
        narrow = any(option[0] == "--cpu" for option in options)
        names += ["event"] if narrow else ["delta", "event"]  # tracesh refuses delta of some CPUs
        return Rows(self.world, columns=self.random.sample(names, self.random.randint(1, 4)), options=options, moment=moment,
                    terms=[term, *self.terms(inside, names[:-1])])

    def moment(self):
        """A time between two events of the recording, as it is typed."""
        times = [event.ts for event in self.world.events]
        gaps = [i for i in range(1, len(times)) if times[i] - times[i - 1] > 2500]
        first = objects(self.world.ask("json", ["drain", "-n", "1"]))[1]
        day, rest = first["time"].split("T")
        clock, _, nanoseconds = rest.partition("+")[0].partition(".")
        begin = datetime.datetime.fromisoformat(f"{day}T{clock}") - datetime.datetime(1970, 1, 1)
        offset = int(begin.total_seconds()) * 10**9 + int(nanoseconds) - int(first["ts"])
        i = self.random.choice(gaps)
        moment = (times[i] + times[i - 1]) // 2
        at = (moment + offset) // 1000
        return (datetime.datetime(1970, 1, 1) + datetime.timedelta(microseconds=at)).isoformat(" ", "microseconds"), moment

    def pairs(self):
        start, end, on = self.random.choice([
            ("begin", "end", "id,common_pid"), ("begin", "end", ""), ("sys_enter_lseek", "sys_exit_lseek", ""),
            ("sys_enter", "sys_exit", ""), ("sched_process_fork", "sched_process_exit", "child_pid=pid"),
            ("begin", "row", ""), ("row", "row", "u8=u16,common_pid"), ("row", "row", "s8=s16,common_pid"),
            ("row", "row", "x32=u32,common_pid"),
        ])
        inside = [event for event in self.world.events if event.name == start]
        names = [name for name in inside[0].fields if not name.startswith("__") and name != "delta"]
        by = [self.key(inside, [*names, "comm", "pid", "cpu"])] if self.chance(0.5) else []
        return Pairs(self.world, start=start, end=end, on=on, by=by)

    # -- live --

    def plans(self):
        cpus = sorted(os.sched_getaffinity(0))
        return [(load, self.random.randint(20, 80), self.random.getrandbits(32), self.random.choice([None, *cpus]))
                for load in self.world.loads]

    def narrowed(self, with_cpu=True):
        return {
            "plans": self.plans(),
            "pid": self.world.loads[0].pid if self.chance(0.4) else None,
            "cpu": self.random.choice(sorted(os.sched_getaffinity(0))) if with_cpu and self.chance(0.3) else None,
        }

    def live_terms(self, names):
        if self.chance(0.35):
            return []
        numbers = (-1, 0, 1, 7, 127, 128, 255, 256, 32767, 65535, 2**31 - 1, 2**31, 2**32 - 1, 2**63 - 1, 2**64 - 1)
        known = []
        for number in numbers:
            act = {"act": "row", "pid": 0, "cpu": 0, "comm": "", "bits": number & 31, "text": "x,y", "offset": number & 0xFFFF}
            for size in (8, 16, 32, 64):
                low = number & (1 << size) - 1
                act |= {f"u{size}": low, f"x{size}": low, f"s{size}": low - (1 << size) if low >> size - 1 else low}
            known.append(Act(act))
        return self.terms(known, names)

    def live_table(self):
        if self.chance(0.25):
            keys = [Key(name) for name in self.random.sample(["ret", "comm"], self.random.choice([1, 2]))]
            return LiveTable(self.world, command="hist", event="sys_exit_lseek", act="seek", word="if",
                             keys=[*keys, Key("pid")], functions=[], **self.narrowed())
        command = self.random.choice(["hist", "count"])
        names = [*NUMBERS, "text", "pid", "cpu", "comm"]
        known = [Act({"act": "row", "pid": 0, "cpu": 0, "comm": "", "text": "", **dict.fromkeys(NUMBERS, 0)})]
        question = LiveTable(
            self.world, command=command, event=f"{self.world.group}:row", act="row",
            word=self.random.choice(["if", "where"]), keys=self.keys(known, names[:-1] if self.chance(0.5) else names),
            functions=self.functions(NUMBERS) if command == "hist" else [], terms=self.live_terms([*NUMBERS, "text"]),
            **self.narrowed())
        if self.chance(0.2):
            # what it was called before anybody looked, nothing tells
            question.keys = [key for key in question.keys if key.name != "comm"] or [Key("pid")]
            return BufferTable(self.world, command=command, keys=question.keys, functions=question.functions,
                               terms=question.terms, plans=question.plans, flushed=self.random.choice([[], self.plans()]))
        if question.word == "if" and all(key.name != "comm" and key.suffix != "linear" for key in question.keys):
            return self.in_kernel(question)
        return question

    def live_rows(self):
        return LiveRows(self.world, word=self.random.choice(["if", "where"]), terms=self.live_terms([*NUMBERS, "text"]),
                        **self.narrowed())

    def live_pairs(self):
        question = LivePairs(self.world, on=self.random.choice(["", "id,common_pid"]),
                             by=self.random.choice([[], [Key("comm")], [Key("pid")]]), **self.narrowed(with_cpu=False))
        return self.in_kernel(question)

    def in_kernel(self, question):
        """Has the kernel count or pair now and then, where it can, which takes no list of tasks or CPUs."""
        if self.world.has_histograms and self.chance(0.4):
            question.options, question.pid, question.cpu = ["--in-kernel"], None, None
            if isinstance(question, Table):
                question.functions = [of for of in question.functions if of[0] in ("sum", "avg")]
        return question

    def live_sql(self):
        keys = [Key(name) for name in self.random.sample([*NUMBERS, "text"], self.random.choice([1, 2]))]
        return LiveSql(self.world, keys=keys, functions=self.functions(NUMBERS, 0.7), plans=self.plans(),
                       terms=self.live_terms(NUMBERS))

    def live_join(self):
        return LiveJoin(self.world, options=self.random.choice([[], ["--no-kernel"]]), plans=self.plans())

    def live_synth(self):
        return LiveSynth(self.world, plans=self.plans())

    def live_stacks(self):
        question = LiveStacks(self.world, terms=[], **self.narrowed())
        question.pid = self.world.loads[0].pid
        return question


def find_wrong(question):
    try:
        return list(question.wrong())
    except (Failure, KeyError, ValueError, IndexError, TypeError, decimal.InvalidOperation) as error:
        return [f"{type(error).__name__}: {error}"]


def shorten(question, wrong):
    """The shortest that still differs, and how."""
    again = True
    while again:
        again = False
        for smaller in question.smaller():
            found = find_wrong(smaller)
            if found:
                question, wrong, again = smaller, found, True
                break
    return question, wrong


def shell(words):
    return " ".join(word if re.fullmatch(r"[\w.,:=/@-]+", word) else "'" + word.replace("'", "'\\''") + "'" for word in words)


def main():
    tracesh, load, folder, count, seed, *number = sys.argv[1:]
    world = World(tracesh, load, folder)
    wrong = asked = 0
    try:
        world.begin()
        world.record(int(seed))
        for index in [int(number[0])] if number else range(int(count)):
            question = Asker(world, f"{seed}/{index}").choose()
            asked += 1
            found = find_wrong(question)
            if found:
                wrong += 1
                question, found = shorten(question, found)
                print(f"{index}: {'' if question.live else 'recorded: '}tracesh {shell(question.words())}")
                print("".join(f"\t{line[:300]}\n" for line in found[:6]), end="", flush=True)
    finally:
        world.end()
    print(f"{asked - wrong} of {asked} answers are right")


if __name__ == "__main__":
    main()
