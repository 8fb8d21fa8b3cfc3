# SPDX-License-Identifier: GPL-2.0-or-later
"""Random questions of a recorded tree, answered by tracesh and here: where-random.py TRACESH TREE COUNT SEED FOLDER

The answers here come from what `drain` prints as JSON and from the format files, by an evaluator that shares nothing with
tracesh's but the rules: C's types, the kernel's comparison of a field with a number (the number is cut to the field's
size), unknown where an event has not got a field or is divided by zero. Prints what differs, and a line of counts."""

import json
import os
import random
import re
import subprocess
import sys

UNKNOWN = None


class Type:
    def __init__(self, size, signed):
        self.size, self.signed = size, signed

    def wrap(self, value):
        value &= (1 << 8 * self.size) - 1
        if self.signed and value >> (8 * self.size - 1):
            value -= 1 << 8 * self.size
        return value

    def promoted(self):
        return self if self.size >= 4 else Type(4, True)

    def common(self, other):
        a, b = self.promoted(), other.promoted()
        if a.size != b.size:
            return a if a.size > b.size else b
        return Type(a.size, a.signed and b.signed)


INT, LONG = Type(4, True), Type(8, True)


# ---- numbers: text(), type, value(event) ----

class Literal:
    def __init__(self, value):
        self.value_, self.type = value, INT if -2**31 <= value < 2**31 else LONG

    def text(self):
        return str(self.value_)

    def value(self, event):
        return self.value_


class Field:
    def __init__(self, name):
        self.name = name

    def text(self):
        return self.name

    def kind(self, event):
        return event.types.get(self.name) or {"pid": INT, "cpu": INT}.get(self.name)

    def value(self, event):
        return event.number(self.name)


class Binary:
    def __init__(self, op, a, b):
        self.op, self.a, self.b = op, a, b

    def text(self):
        return "(%s %s %s)" % (self.a.text(), self.op, self.b.text())


class Unary:
    def __init__(self, op, a):
        self.op, self.a = op, a

    def text(self):
        return "%s%s" % (self.op, self.a.text())


def evaluate(node, event):
    """(type, value), or UNKNOWN."""
    if isinstance(node, Literal):
        return node.type, node.value_
    if isinstance(node, Field):
        kind, value = node.kind(event), node.value(event)
        return UNKNOWN if kind is None or value is None else (kind, value)
    if isinstance(node, Unary):
        a = evaluate(node.a, event)
        if a is UNKNOWN:
            return UNKNOWN
        kind = a[0].promoted()
        return kind, kind.wrap(-a[1] if node.op == "-" else ~a[1])
    a, b = evaluate(node.a, event), evaluate(node.b, event)
    if a is UNKNOWN or b is UNKNOWN:
        return UNKNOWN
    return calculate(node.op, a, b)


def calculate(op, a, b):
    if op in ("<<", ">>"):
        kind, count = a[0].promoted(), b[1]
        value = kind.wrap(a[1])
        all_of_them = count < 0 or count >= 8 * kind.size
        if op == "<<":
            return kind, kind.wrap(0 if all_of_them else value << count)
        return kind, (-1 if value < 0 else 0) if all_of_them else value >> count
    kind = a[0].common(b[0])
    x, y = kind.wrap(a[1]), kind.wrap(b[1])
    if op in ("/", "%"):
        if y == 0:
            return UNKNOWN
        quotient = abs(x) // abs(y) * (1 if (x < 0) == (y < 0) else -1)
        return kind, kind.wrap(quotient if op == "/" else x - y * quotient)
    return kind, kind.wrap({"+": x + y, "-": x - y, "*": x * y, "&": x & y, "|": x | y, "^": x ^ y}[op])


# ---- truths: text(), truth(event) gives True, False or UNKNOWN ----

COMPARE = {
    "==": lambda a, b: a == b, "!=": lambda a, b: a != b, "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b, ">": lambda a, b: a > b, ">=": lambda a, b: a >= b,
}


class Compare:
    def __init__(self, op, a, b):
        self.op, self.a, self.b = op, a, b

    def text(self):
        return "%s %s %s" % (self.a.text(), self.op, self.b.text())

    def truth(self, event):
        a, b = evaluate(self.a, event), evaluate(self.b, event)
        if a is UNKNOWN or b is UNKNOWN:
            return UNKNOWN
        # the kernel's: the number becomes one of the field's type; pid and cpu are no fields
        is_field = isinstance(self.a, Field) and self.a.name in event.types
        kind = a[0] if is_field and isinstance(self.b, Literal) else a[0].common(b[0])
        return COMPARE[self.op](kind.wrap(a[1]), kind.wrap(b[1]))


class In:
    def __init__(self, field, ranges):
        self.field, self.ranges = field, ranges

    def text(self):
        return "%s in {%s}" % (self.field.text(), ", ".join(
            str(low) if low == high else "%d..%d" % (low, high) for low, high in self.ranges))

    def truth(self, event):
        a = evaluate(self.field, event)
        if a is UNKNOWN:
            return UNKNOWN
        return any(a[0].wrap(low) <= a[1] <= a[0].wrap(high) for low, high in self.ranges)


class Text:
    def __init__(self, name, op, pattern):
        self.name, self.op, self.pattern = name, op, pattern

    def text(self):
        return '%s %s "%s"' % (self.name, self.op, self.pattern)

    def truth(self, event):
        value = event.string(self.name)
        if value is None:
            return UNKNOWN
        if self.op in ("==", "!="):
            return (value == self.pattern) == (self.op == "==")
        if self.op == "~":
            return re.fullmatch(re.escape(self.pattern).replace("\\*", ".*").replace("\\?", "."), value, re.S) is not None
        return (re.search(self.pattern, value) is not None) == (self.op == "=~")


class Not:
    def __init__(self, a):
        self.a = a

    def text(self):
        return "!(%s)" % self.a.text()

    def truth(self, event):
        a = self.a.truth(event)
        return UNKNOWN if a is UNKNOWN else not a


class Both:
    def __init__(self, op, a, b):
        self.op, self.a, self.b = op, a, b

    def text(self):
        # without parentheses && binds tighter, as the evaluation of `a || b && c` here is (a || (b && c))
        return "(%s) %s (%s)" % (self.a.text(), self.op, self.b.text())

    def truth(self, event):
        a, b = self.a.truth(event), self.b.truth(event)
        decides = self.op == "||"
        if a is decides or b is decides:
            return decides
        return UNKNOWN if a is UNKNOWN or b is UNKNOWN else not decides


# ---- the events ----

class Event:
    def __init__(self, line, formats):
        self.line = line
        self.fields = line["fields"]
        self.types, self.strings = formats.get(line["event"], ({}, set()))

    def number(self, name):
        value = self.fields.get(name)
        if name not in self.types:
            return self.line[name] if name in ("pid", "cpu") else None
        return int(value, 0) if isinstance(value, str) else value

    def string(self, name):
        if name in self.strings:
            return self.fields.get(name)
        return self.line["comm"] if name == "comm" else None


def read_formats(tree):
    formats = {}
    for folder, _, files in os.walk(os.path.join(tree, "events")):
        if "format" not in files:
            continue
        types, strings = {}, set()
        for line in open(os.path.join(folder, "format")):
            found = re.match(r"\s+field:(.*[ *])(\w+)(\[\d*\])?;\s+offset:\d+;\s+size:(\d+);\s+signed:(\d);", line)
            if not found or found[2].startswith("common_"):
                continue
            if re.search(r"\bchar\b", found[1]) and (found[3] or "__data_loc" in found[1]):
                strings.add(found[2])
            elif not found[3] and "__data_loc" not in found[1] and int(found[4]) in (1, 2, 4, 8):
                types[found[2]] = Type(int(found[4]), found[5] == "1")
        name = ":".join(folder.split(os.sep)[-2:])
        formats[name] = types, strings
    return formats


# ---- random ones ----

class Generator:
    def __init__(self, rng, formats, events):
        self.rng, self.events = rng, events
        used = [formats[name] for name in {event.line["event"] for event in events} if name in formats]
        numbers = {name for types, _ in used for name in types}
        strings = {name for _, texts in used for name in texts}
        # a name that is a number here and a string there is refused in one of them
        self.numbers = sorted((numbers | {"pid", "cpu"}) - strings - {"comm"})
        self.strings = sorted((strings | {"comm"}) - numbers)

    def literal(self, field=None):
        rng = self.rng
        if field and rng.random() < 0.7:
            value = rng.choice(self.events).number(field.name)
            if value is not None and -2**62 < value < 2**62:
                return Literal(value + rng.choice((0, 0, 0, 1, -1)))
        return Literal(rng.choice((0, 1, 2, 3, 7, 10, 100, 120, 255, 256, 65535, 2**31 - 1, 2**31, 2**32, 2**40, -1, -2, -100)))

    def number(self, depth):
        roll = self.rng.random()
        if depth <= 0 or roll < 0.45:
            return Field(self.rng.choice(self.numbers))
        if roll < 0.55:
            return Literal(abs(self.literal().value_))
        if roll < 0.65:
            # with parentheses: `- -1` is one thing, `--1` another
            return Unary(self.rng.choice("-~"), Binary("+", self.unwritten(depth - 1), Literal(1)))
        op = self.rng.choice(("+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>"))
        b = Literal(self.rng.randrange(31)) if op in ("<<", ">>") and self.rng.random() < 0.8 else self.number(depth - 1)
        if isinstance(b, Literal) and op in ("<<", ">>"):
            b = Literal(b.value_ % 31)
        if isinstance(b, Literal) and op in ("/", "%") and not b.value_:
            # one that is written is refused
            b = Field(self.rng.choice(self.numbers))
        a = self.unwritten(depth - 1) if isinstance(b, Literal) else self.number(depth - 1)
        return Binary(op, a, b)

    def unwritten(self, depth):
        """No literal: two of them are one more, and what that gives with a third is refused where it is beyond their type."""
        a = self.number(depth)
        return Field(self.rng.choice(self.numbers)) if isinstance(a, Literal) else a

    def string(self):
        name = self.rng.choice(self.strings)
        value = self.rng.choice(self.events).string(name) or "sh"
        value = re.sub(r"[^A-Za-z0-9_/. -]", "", value) or "x"
        op = self.rng.choice(("==", "!=", "~", "=~", "!~"))
        if op == "~":
            at = self.rng.randrange(len(value) + 1)
            value = self.rng.choice((value[:at] + "*", "*" + value[at:], "*" + value[at:at + 3] + "*", value[:at] + "?" + value[at + 1:]))
        elif op in ("=~", "!~"):
            at = self.rng.randrange(len(value))
            part = re.sub(r"[^A-Za-z0-9_/]", ".", value[at:at + 4])
            value = self.rng.choice((part, "^" + part, part + "$", part + "|sh", "[a-f]" + part))
        return Text(name, op, value)

    def truth(self, depth):
        roll = self.rng.random()
        if depth > 0 and roll < 0.35:
            return Both(self.rng.choice(("&&", "||")), self.truth(depth - 1), self.truth(depth - 1))
        if depth > 0 and roll < 0.45:
            return Not(self.truth(depth - 1))
        if roll < 0.6:
            return self.string()
        op = self.rng.choice(tuple(COMPARE))
        if roll < 0.8:
            field = Field(self.rng.choice(self.numbers))
            return Compare(op, field, self.literal(field))
        if roll < 0.88:
            field = Field(self.rng.choice(self.numbers))
            low = [self.rng.randrange(200) for _ in range(self.rng.randrange(1, 4))]
            return In(field, [(n, n + self.rng.choice((0, 0, 5, 50))) for n in low])
        return Compare(op, self.number(3), self.number(2))


def stamps(path):
    answer = []
    for line in open(path):
        row = json.loads(line)
        if row["type"] == "event":
            answer.append((row["cpu"], row["ts"]))
    return sorted(answer)


def main():
    tracesh, tree, count, seed, folder = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4]), sys.argv[5]
    everything = os.path.join(folder, "everything")
    run = [tracesh, "-q", "--json", "--tracefs", tree]
    subprocess.run(run + ["drain", "-o", everything], check=True)
    formats = read_formats(tree)
    events = [Event(row, formats) for row in map(json.loads, open(everything)) if row["type"] == "event"]
    generator = Generator(random.Random(seed), formats, events)
    questions = [generator.truth(3) for _ in range(count)]
    refused = differ = matches = 0
    path = os.path.join(folder, "answer")
    for question in questions:
        done = subprocess.run(run + ["-o", path, "-c", "drain where " + question.text()], stderr=subprocess.PIPE, text=True)
        if done.returncode:
            refused += 1
            print(done.stderr)
            continue
        want = sorted((e.line["cpu"], e.line["ts"]) for e in events if question.truth(e) is True)
        got = stamps(path)
        matches += len(want)
        if want != got:
            differ += 1
            print("where %s: %d events, not %d" % (question.text(), len(got), len(want)))
    print("%d expressions, %d refused, %d matches among %d events, %d differ" %
          (count, refused, matches, len(events), differ))
    return 1 if differ or refused else 0


sys.exit(main())
