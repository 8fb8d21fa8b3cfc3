# SPDX-License-Identifier: GPL-2.0-or-later
"""Calls getpriority so many times a second, by a clock of its own; what comes too late is left out: steady.py HZ"""
import os
import sys
import time

try:
    os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))
except OSError:
    pass
hz = float(sys.argv[1])
due = time.monotonic()
while True:
    os.getpriority(os.PRIO_PROCESS, 0)
    due += 1 / hz
    left = due - time.monotonic()
    if left > 0:
        time.sleep(left)
    else:
        due -= left
