#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
# damage-dat.py TRACESH FILE..: lets TRACESH read each trace.dat cut at many places, and with wrong numbers in it. Fails
# when it crashes, takes long, or refuses a file without saying why.
import random
import re
import subprocess
import sys
import tempfile


def damaged(data, rng):
    """Yields copies of a file: cut, with bits turned over, with numbers that are too large."""
    for part in range(24):
        yield 'cut', data[:len(data) * part // 24]
    for end in range(1, 120, 7):
        yield 'cut', data[:end]
    for _ in range(60):
        copy = bytearray(data)
        at = rng.randrange(min(len(copy), 40000))
        size = rng.choice((1, 2, 4, 8))
        copy[at:at + size] = rng.choice((b'\xff', b'\0', b'\x7f', b'\x01')) * size
        yield 'byte %d' % at, bytes(copy)
    for _ in range(20):
        copy = bytearray(data)
        for _ in range(10):
            copy[rng.randrange(len(copy))] ^= 1 << rng.randrange(8)
        yield 'bits', bytes(copy)


def main():
    program, names = sys.argv[1], sys.argv[2:]
    rng = random.Random(46)
    bad = 0
    with tempfile.NamedTemporaryFile(suffix='.dat') as file:
        for name in names:
            with open(name, 'rb') as source:
                data = source.read()
            for what, copy in damaged(data, rng):
                file.seek(0)
                file.truncate()
                file.write(copy)
                file.flush()
                run = subprocess.run([program, '-q', '--tracefs', file.name, '-c', 'drain'], stdin=subprocess.DEVNULL,
                                     stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, timeout=120, check=False)
                said = run.stderr.decode(errors='replace')
                if run.returncode not in (0, 1, 3) or (run.returncode and not re.search(r'error: .', said)):
                    print('%s, %s: status %d: %s' % (name, what, run.returncode, said[-2000:]))
                    bad += 1
    sys.exit(bad > 0)


main()
