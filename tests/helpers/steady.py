# SPDX-License-Identifier: GPL-2.0-or-later
"""steady.py HZ: calls getpriority so many times a second, and prints when; what comes too late is left out.
steady.py RATES TIMES: whether what count has said is a rate at which so many of these calls came, one after the other"""
import json
import os
import sys
import time


def call(hz):
    try:
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))
    except OSError:
        pass
    due = time.monotonic()
    while True:
        os.getpriority(os.PRIO_PROCESS, 0)
        print(time.monotonic(), flush=True)
        due += 1 / hz
        left = due - time.monotonic()
        if left > 0:
            time.sleep(left)
        else:
            due -= left


def check(rates, log):
    with open(rates) as lines:
        row = next(row for row in map(json.loads, lines) if row.get("key", {}).get("event", "").endswith("getpriority"))
    with open(log) as lines:
        times = [float(line) for line in lines if line.endswith("\n")]
    n, said = row["count"], row["rate"]
    own = [(n - 1) / (times[i + n - 1] - times[i]) for i in range(len(times) - n + 1)]
    near = min(own, key=lambda rate: abs(rate - said))
    print("right" if abs(near - said) < near / 10 else f"{said}, and {near} by its own clock")


if len(sys.argv) == 2:
    call(float(sys.argv[1]))
check(*sys.argv[1:])
