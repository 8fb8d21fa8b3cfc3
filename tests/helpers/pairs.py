# SPDX-License-Identifier: GPL-2.0-or-later
# Whether `latency --slower 0ns --json` says of events what a plain loop over them says.
#
#	pairs.py EVENTS ANSWER START END ON [BY]
#
# EVENTS is the JSON of drain, ANSWER that of latency on the same events; START is "system:name", ON "A=B,C" and BY
# "KEY,KEY" as there, KEY@end of END. Prints "N pairs are the same" or what differs.
import collections
import errno
import json
import sys


def value(event, name):
    if name in event["fields"]:
        number = event["fields"][name]
        # what a system call returned has a name
        if name == "ret" and -4096 < number < 0:
            return "-" + errno.errorcode[-number]
        return str(number)
    return str(event["pid" if name == "common_pid" else name])


def pair_up(events, start, end, on, by):
    left = [item.split("=")[0] for item in on.split(",")]
    right = [item.split("=")[-1] for item in on.split(",")]
    waiting, pairs, account = {}, [], collections.Counter()
    gaps = 0
    nobody = ("0",) if on == "prev_pid=next_pid" else None
    for event in events:
        if event["type"] == "lost":
            gaps += 1
        if event.get("event") == end == start:
            # the one that is left begins, the one that comes ends; idle is nobody
            key = tuple(value(event, name) for name in right)
            if key in waiting:
                begin, before = waiting.pop(key)
                if before != gaps:
                    account["across_loss"] += 1
                else:
                    group = tuple(value(begin, name) for name in by)
                    pairs.append((int(begin["ts"]), int(event["ts"]), begin["cpu"], event["cpu"], key, group))
            elif key != nobody:
                account["ends_alone"] += 1
            key = tuple(value(event, name) for name in left)
            # who ends never comes back
            ends = nobody and int(event["fields"]["prev_state"]) & 0x30
            if key != nobody and not ends:
                account["started_again"] += key in waiting
                waiting[key] = (event, gaps)
        elif event.get("event") == start:
            key = tuple(value(event, name) for name in left)
            account["started_again"] += key in waiting
            waiting[key] = (event, gaps)
        elif event.get("event") == end:
            if "sched:sched_wak" in start and on == "pid=next_pid":
                # preempted: what woke it came while it ran
                preempted = not int(event["fields"]["prev_state"]) & 0xFF
                out = (str(event["fields"]["prev_pid"]),)
                if preempted and out in waiting:
                    del waiting[out]
                    account["woken_running"] += 1
            key = tuple(value(event, name) for name in right)
            if key not in waiting:
                account["ends_alone"] += 1
                continue
            begin, before = waiting.pop(key)
            if before != gaps and "cpu" not in left:
                account["across_loss"] += 1
                continue
            group = tuple(
                value(event if name.endswith("@end") else begin, name.split("@")[0]) for name in by
            )
            pairs.append((int(begin["ts"]), int(event["ts"]), begin["cpu"], event["cpu"], key, group))
    account["pairs"] = len(pairs)
    account["starts_open"] = len(waiting)
    return pairs, account


def rank(numbers, permille):
    return sorted(numbers)[max((len(numbers) * permille + 999) // 1000, 1) - 1]


def check_row(row, numbers):
    exact = {
        "count": len(numbers),
        "min_ns": min(numbers),
        "max_ns": max(numbers),
        "avg_ns": sum(numbers) // len(numbers),
    }
    for name, want in exact.items():
        if abs(row[name] - want) > (name == "avg_ns"):
            yield f"{row['key']}: {name} is {row[name]}, not {want}"
    for name, permille in (("p50_ns", 500), ("p90_ns", 900), ("p99_ns", 990), ("p999_ns", 999)):
        want = rank(numbers, permille)
        if not want <= row[name] <= want + want // 16:
            yield f"{row['key']}: {name} is {row[name]}, not {want}"
    buckets = collections.Counter(max(number.bit_length() - 1, 0) for number in numbers)
    want = [[2**b if b else 0, 2 ** (b + 1) - 1, n] for b, n in sorted(buckets.items())]
    if row["buckets"] != want:
        yield f"{row['key']}: buckets are {row['buckets']}, not {want}"


def differences(pairs, account, lines):
    ours = sorted(
        (int(p["since_ts"]), int(p["ts"]), p["since_cpu"], p["cpu"],
         tuple(map(str, p["on"].values())), tuple(map(str, p["key"].values())))
        for p in lines if p["type"] == "pair"
    )
    for pair in sorted(set(pairs) - set(ours)):
        yield f"missing: {pair}"
    for pair in sorted(set(ours) - set(pairs)):
        yield f"too many: {pair}"
    if len(ours) != len(pairs):
        yield f"{len(ours)} pairs, not {len(pairs)}"
    rows = {tuple(map(str, p["key"].values())): p for p in lines if p["type"] == "latency"}
    groups = collections.defaultdict(list)
    for pair in pairs:
        groups[pair[5]].append(pair[1] - pair[0])
    if set(rows) != set(groups):
        yield f"rows {sorted(rows)}, not {sorted(groups)}"
    for group in set(rows) & set(groups):
        yield from check_row(rows[group], groups[group])
    said = [p for p in lines if p["type"] == "pairs"][0]
    for name in ("pairs", "ends_alone", "starts_open", "started_again", "woken_running", "across_loss"):
        if said[name] != account[name]:
            yield f"{name} is {said[name]}, not {account[name]}"


def main():
    events, answer, start, end, on, *by = sys.argv[1:]
    with open(events) as lines:
        events = [json.loads(line) for line in lines]
    with open(answer) as lines:
        answer = [json.loads(line) for line in lines]
    pairs, account = pair_up(events, start, end, on, by[0].split(",") if by else [])
    found = list(differences(pairs, account, answer))
    print("\n".join(found[:20]) if found else f"{len(pairs)} pairs are the same")


main()
