#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Sessions that set the same things at the same moment, and are killed at any.

usage: storm.py TRACESH TRACING COUNT [SEED [ONLY|- [KIND..]]]

In a storm two to four sessions write some few settings of one instance without a pause; each ends by itself, or by a signal at
a random moment, in the middle of a write too. When all of them and their guards have ended, everything must read what it did
before. What a storm does comes from the seed, when its signals come does not."""
import ctypes
import os
import random
import signal
import subprocess
import sys
import time

sys.dont_write_bytecode = True
import sessions  # noqa: E402

PR_SET_CHILD_SUBREAPER = 36
ENDS = (None, None, signal.SIGKILL, signal.SIGKILL, signal.SIGTERM, signal.SIGHUP)


def command_of(rng, kind):
    if kind in ('pid', 'not'):
        task = rng.choice(sessions.SLEEPERS)
        file = 'set_event_pid' if kind == 'pid' else 'set_event_notrace_pid'
        return '%s %s %d' % (rng.choice(('append', 'append', 'write')), file, task)
    if kind == 'hist':
        now = rng.choice(('none', 'active', 'paused'))
        text, _ = sessions.lists.change_hist(now, rng.randrange(2))
        return 'append %s %s' % (sessions.HIST_FILE, text)
    if kind in sessions.LISTS:
        text, replaces, _ = sessions.lists.change(kind, '', rng.randrange(1 << 16))
        return '%s %s %s' % ('write' if replaces else 'append', sessions.LISTS[kind], text)
    words = ('0', '1', '1') if kind in sessions.BITS else sessions.Files.WORDS[kind]
    return sessions.as_command(kind, rng.choice(words))


class Storm:
    def __init__(self, rng, name, kinds):
        self.files = sessions.Files(os.path.join(sessions.TRACING, 'instances', name))
        self.name = name
        kinds = rng.sample(kinds, min(len(kinds), rng.choice((1, 2, 3))))
        self.scripts = [[command_of(rng, rng.choice(kinds)) for _ in range(rng.randint(2, 8))]
                        for _ in range(rng.randint(2, 4))]
        self.ends = [(rng.choice(ENDS), rng.random()) for _ in self.scripts]

    def start(self, script):
        process = subprocess.Popen(
            [sessions.PROGRAM, '-i', self.name, '--restore', '--keep-going', '-c', '\n'.join(script)],
            env=sessions.ENVIRONMENT, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        return process

    def carry_out(self, took):
        """Returns what is wrong, or None, and how long it took."""
        before = self.files.look()
        began = time.monotonic()
        running = [self.start(script) for script in self.scripts]
        for (number, part), process in sorted(zip(self.ends, running), key=lambda pair: pair[0][1]):
            if number:
                time.sleep(max(0, began + part * took - time.monotonic()))
                process.send_signal(number)
        said = [process.communicate()[1].decode(errors='replace') for process in running]
        wait_for_guards()
        took = time.monotonic() - began
        # Killed before it had a guard: its journal says that nothing was set.
        if journals():
            recover('--all')
        now = self.files.look()
        wrong = {key: (value, now[key]) for key, value in before.items() if now[key] != value}
        kept = journals()
        if wrong or kept:
            return '%s%s\n%s' % (wrong, ', journals: %s' % kept if kept else '', '\n'.join(said)), took
        return None, took

    def __str__(self):
        return '\n'.join('\t%s, %s at %.2f' % (script, end, part)
                         for script, (end, part) in zip(self.scripts, self.ends))


def wait_for_guards():
    """They are ours once their sessions have ended."""
    sleepers = set(sessions.SLEEPERS)
    while set(sessions.children_of(os.getpid())) - sleepers:
        for pid in set(sessions.children_of(os.getpid())) - sleepers:
            try:
                os.waitpid(pid, os.WNOHANG)
            except ChildProcessError:
                pass
        time.sleep(0.001)


def journals():
    return [os.path.join(place, file) for place in ('/run/tracesh', '/var/lib/tracesh')
            for file in (os.listdir(place) if os.path.isdir(place) else []) if file.endswith('.journal')]


def recover(*options):
    subprocess.run([sessions.PROGRAM, 'recover', *options], env=sessions.ENVIRONMENT, check=False, stdin=subprocess.DEVNULL,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def clean(folder):
    recover('--all', '--forget', '-q')
    sessions.remove(folder)
    make(folder)


def make(folder):
    os.mkdir(folder)
    with open(os.path.join(folder, 'buffer_size_kb'), 'w', encoding='ascii') as file:
        file.write('256\n')


def main():
    count = int(sys.argv[3])
    seed = int(sys.argv[4]) if len(sys.argv) > 4 else random.SystemRandom().randrange(1 << 24)
    only = int(sys.argv[5]) if len(sys.argv) > 5 and sys.argv[5] != '-' else None
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    tasks = [subprocess.Popen(['sleep', '100000'], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
             for _ in range(3)]
    sessions.SLEEPERS.extend(task.pid for task in tasks)
    name = 'live-%d-1' % os.getppid()
    folder = os.path.join(sessions.TRACING, 'instances', name)
    make(folder)
    kinds = sys.argv[6:] or sessions.Files(folder).kinds()
    failures, took = 0, 0.1
    print('# %d storms, seed %d' % (count, seed), flush=True)
    try:
        for n in range(count) if only is None else [only] * count:
            storm = Storm(random.Random('%d/%d' % (seed, n)), name, kinds)
            wrong, last = storm.carry_out(took)
            took = 0.8 * took + 0.2 * min(last, 2)
            if wrong:
                failures += 1
                print('storm %d of seed %d: %s\n%s' % (n, seed, wrong, storm), flush=True)
                clean(folder)
            if failures == 5:
                break
    finally:
        sessions.remove(folder)
        for task in tasks:
            task.kill()
            task.wait()
    print('%d of %d storms failed' % (failures, count))
    return failures > 0


if __name__ == '__main__':
    sys.exit(main())
