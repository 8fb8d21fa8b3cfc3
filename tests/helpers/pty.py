#!/usr/bin/env -S python3 -I
# SPDX-License-Identifier: GPL-2.0-or-later
"""Runs a program on a terminal of its own and types what a script says.

usage: pty.py PROGRAM [ARG]..   <SCRIPT

A line of the script is one of
    expect REGEX    wait until the output, from behind the last match on, matches
    trickle REGEX   the same of a slow reader, who takes some bytes and pauses
    shell COMMAND   run it, and wait for its end
    send TEXT       type it; escapes as in Python: \\r \\t \\x03
    signal NAME     send it to the program: TERM
    size ROWS COLS  another size of the window
    hangup          close the terminal
Other lines are ignored. Then the program must end by itself. All its output goes to
stdout, without carriage returns, and "[exit STATUS]" or "[signal N]" as the last line.
The status is 1 when something that was expected did not come within a minute, or was not
taken.

python3 needs -I, or it would take this file for its module of the same name.
"""

import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import termios
import time

PATIENCE = 60.0


def resize(fd, rows, columns):
    fcntl.ioctl(fd, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))


class Terminal:
    def __init__(self, argv):
        self.output = b""
        self.seen = 0
        self.open = True
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            # Started in the background this would ignore Ctrl-C, and so would the program.
            for name in ("SIGINT", "SIGQUIT", "SIGPIPE", "SIGXFSZ"):
                signal.signal(getattr(signal, name), signal.SIG_DFL)
            resize(0, 24, 100)
            os.execvp(argv[0], argv)

    def read(self, seconds, size=65536):
        """Reads what comes within that time; False when nothing did."""
        if not self.open or not select.select([self.fd], [], [], seconds)[0]:
            return False
        try:
            data = os.read(self.fd, size)
        except OSError:
            data = b""
        self.open = bool(data)
        self.output += data
        return self.open

    def expect(self, pattern, size=65536, pause=0.0):
        regex = re.compile(pattern.encode())
        end = time.monotonic() + PATIENCE
        while True:
            match = regex.search(self.output, self.seen)
            if match:
                self.seen = match.end()
                return True
            left = end - time.monotonic()
            if left <= 0 or (not self.read(left, size) and not self.open):
                return False
            time.sleep(pause)

    def send(self, text):
        """Types it; False when not all of it was taken."""
        keys = text.encode("latin-1").decode("unicode_escape").encode("latin-1")
        end = time.monotonic() + PATIENCE
        os.set_blocking(self.fd, False)
        while keys and time.monotonic() < end:
            if select.select([], [self.fd], [], 0.05)[1]:
                keys = keys[os.write(self.fd, keys):]
            self.read(0)
        os.set_blocking(self.fd, True)
        return not keys

    def hang_up(self):
        os.close(self.fd)
        self.open = False

    def finish(self):
        """Waits for the end; None when the program had to be killed."""
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            self.read(0.05)
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                while self.read(0.05):
                    pass
                return status
            if not self.open:
                time.sleep(0.02)
        os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)
        return None


def step(terminal, line):
    """Does one line of the script; an error text when it failed."""
    word, _, rest = line.rstrip("\n").partition(" ")
    if word == "expect":
        if not terminal.expect(rest):
            return "did not come: " + rest
    elif word == "trickle":
        if not terminal.expect(rest, 256, 0.01):
            return "did not come: " + rest
    elif word == "shell":
        if subprocess.call(["sh", "-c", rest], stdin=subprocess.DEVNULL):
            return "failed: " + rest
    elif word == "send":
        if not terminal.send(rest):
            return "was not taken: " + rest[:60]
    elif word == "signal":
        os.kill(terminal.pid, getattr(signal, "SIG" + rest))
    elif word == "size":
        resize(terminal.fd, *map(int, rest.split()))
    elif word == "hangup":
        terminal.hang_up()
    return None


def main():
    terminal = Terminal(sys.argv[1:])
    error = None
    for line in sys.stdin:
        error = step(terminal, line)
        if error:
            os.kill(terminal.pid, signal.SIGTERM)
            break
    status = terminal.finish()
    sys.stdout.buffer.write(terminal.output.replace(b"\r", b""))
    if error:
        print("\n[" + error + "]")
    if status is None:
        print("\n[did not end]")
    elif os.WIFSIGNALED(status):
        print("\n[signal %d]" % os.WTERMSIG(status))
    else:
        print("\n[exit %d]" % os.WEXITSTATUS(status))
    return 1 if error or status is None else 0


sys.exit(main())
