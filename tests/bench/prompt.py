#!/usr/bin/env -S python3 -I
# SPDX-License-Identifier: GPL-2.0-or-later
"""Types at the prompt and takes the time.

usage: prompt.py TRACESH TREE NAME=KEYS..   (TREE may be empty: the machine's tracefs)
       prompt.py --redraw TRACESH RATE

Prints "MS start", "MS NAME" for each (KEYS, then TAB: until nothing more comes,
the best of five), "KB rss-before" and "KB rss-after". With --redraw "MS MS RATE": how long
a key takes to be shown while that many events a second come to a job that prints above the
prompt (of more than some thousand lines it shows the last), half of the keys and nine
tenths of them, and the rate that there was.
"""

import fcntl
import os
import pty
import re
import select
import struct
import subprocess
import sys
import termios
import time


def read_until(fd, end, patience=10.0):
    data = b""
    limit = time.monotonic() + patience
    while not data.rstrip(b"\a").endswith(end):
        if not select.select([fd], [], [], max(0, limit - time.monotonic()))[0]:
            raise SystemExit("prompt.py: nothing came after %r" % data[-80:])
        data += os.read(fd, 65536)
    return data


def start(argv, term="dumb"):
    begin = time.monotonic()
    pid, fd = pty.fork()
    if pid == 0:
        os.environ["TERM"] = term
        os.execvp(argv[0], argv)
    fcntl.ioctl(fd, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 120, 0, 0))
    read_until(fd, b"> ")
    return pid, fd, (time.monotonic() - begin) * 1000


def quiet(fd):
    """Reads until nothing comes for 50 ms: the time of the last byte."""
    last = time.monotonic()
    while select.select([fd], [], [], 0.05)[0]:
        os.read(fd, 65536)
        last = time.monotonic()
    return last


def tab(fd, keys, times):
    best = None
    for _ in range(times):
        os.write(fd, keys.encode())
        quiet(fd)
        begin = time.monotonic()
        os.write(fd, b"\t")
        spent = quiet(fd) - begin
        os.write(fd, b"\x15")
        quiet(fd)
        best = spent if best is None else min(best, spent)
    return best * 1000


def rss(pid):
    with open("/proc/%d/status" % pid) as f:
        return [line.split()[1] for line in f if line.startswith("VmRSS")][0]


# A system call each time: two events.
LOAD = """
import os, time
then = time.monotonic()
while True:
    for _ in range(%d): os.getppid()
    then += 0.001
    time.sleep(max(0, then - time.monotonic()))
"""


def read_for(fd, seconds):
    """Reads what comes within that time."""
    limit, data = time.monotonic() + seconds, b""
    while select.select([fd], [], [], max(0, limit - time.monotonic()))[0]:
        data += os.read(fd, 1 << 16)
        if time.monotonic() > limit:
            break
    return data


def redraw(tracesh, rate):
    load = subprocess.Popen([sys.executable, "-I", "-c", LOAD % (rate // 2000)])
    pid, fd, _ = start([tracesh, "--color=never"], "xterm")
    os.write(fd, b"stream 'syscalls:sys_*_getppid' if common_pid == %d &\r" % load.pid)
    spent, typed, end = [], b"", b""
    try:
        read_for(fd, 2)
        for key in b"abcdefghijklmnopqrstuvwxyz" * 4:
            if len(typed) == 26:
                os.write(fd, b"\x15")
                typed = b""
            typed += bytes([key])
            read_for(fd, 0.02)
            begin = time.monotonic()
            os.write(fd, bytes([key]))
            seen = b""
            # alone behind the line, or with the whole line behind events
            while not re.search(rb"> " + typed + rb"$|^" + bytes([key]), seen):
                seen += os.read(fd, 1 << 16)
            spent.append((time.monotonic() - begin) * 1000)
        os.write(fd, b"\x15kill 1\r")
        while not re.search(rb"(done|ended): stream", end):
            end += os.read(fd, 1 << 16)
    finally:
        load.kill()
        os.close(fd)
        os.waitpid(pid, 0)
    # "57,360 events, 0 lost, 2.87 s"
    events, lost, took = re.search(rb"([0-9,]+) events, ([0-9,]+) lost.*, ([0-9.]+) s", end).groups()
    if lost != b"0":
        raise SystemExit("prompt.py: %s events were lost" % lost.decode())
    spent.sort()
    print("%.2f %.2f %d" % (spent[len(spent) // 2], spent[len(spent) * 9 // 10],
                            int(events.replace(b",", b"")) / float(took)))


def main():
    if sys.argv[1] == "--redraw":
        redraw(sys.argv[2], int(sys.argv[3]))
        return
    argv = [sys.argv[1], "-q"] + (["--tracefs", sys.argv[2]] if sys.argv[2] else [])
    spent = []
    for _ in range(5):
        pid, fd, ms = start(argv)
        spent.append(ms)
        os.write(fd, b"\x04")
        os.waitpid(pid, 0)
        os.close(fd)
    print("%.1f start" % min(spent))
    pid, fd, _ = start(argv)
    before = rss(pid)
    for pair in sys.argv[3:]:
        name, _, keys = pair.partition("=")
        print("%.1f %s" % (tab(fd, keys, 1 if name.endswith("first") else 5), name))
    print(before, "rss-before")
    print(rss(pid), "rss-after")
    os.write(fd, b"\x04")
    os.waitpid(pid, 0)


main()
