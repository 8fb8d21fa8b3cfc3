#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Random schedules of two or three sessions on the files of one instance, and a model of them.

usage: sessions.py TRACESH TRACING COUNT [SEED [ONLY]]

A schedule is a row of steps: sessions start, set, undo, end, are killed, with their guards or
without, and a third party writes. After each step every file must read what the model says, and
at the end, when nobody else has written, what it read at the beginning. A schedule that fails is
tried again with steps left out, and the shortest one that fails still is printed. TRACESH_KINDS='sub cpu':
settings of these kinds only. TRACESH_CUT=LIBRARY (cut-at.c): some sessions, and recover, are killed in the middle of
taking back; what is there until recover has gone through is not looked at then.
TRACESH_TOP=yes: in the top instance, whose lists of functions, and size, are nobody else's."""
import os
import random
import signal
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True
import lists  # noqa: E402
from lists import LISTS  # noqa: E402

PROGRAM, TRACING = sys.argv[1], sys.argv[2]
SIGNALS = {'term': signal.SIGTERM, 'int': signal.SIGINT, 'hup': signal.SIGHUP}
SLEEPERS = []           # three tasks for the lists, the last one nobody's child
PAGE = os.sysconf('SC_PAGESIZE') // 1024   # of one that is so near the size is there
CUT = os.environ.get('TRACESH_CUT')
ENVIRONMENT = dict(os.environ, TRACESH_PAGER='cat')


class Wrong(Exception):
    pass


# ---- the model ----

class Entry:
    def __init__(self, session, command, when, before, after):
        self.session, self.command, self.when = session, command, when
        self.before, self.after, self.left = before, after, False
        self.given = False      # by another session that has ended


class Cell:
    """One setting: a value, or whether a line stands in a list."""

    def __init__(self, value, merges, always=False, folds=False):
        self.initial = self.value = value
        self.folds = folds      # a write that reverts that of another session forgets both
        self.merges = merges    # writes that follow each other go back as one
        self.always = always    # asking for what is there is recorded in any case
        self.stack = []

    def write(self, model, session, value, is_there=True, others=False):
        others = others or any(e.session is not session for e in self.stack)
        if self.value == value and is_there and not others and not self.always:
            return
        self.stack.append(Entry(session, session.command, model.tick(), self.value, value))
        self.value = value

    def theirs_next(self, newest):
        """The next write of another session."""
        for e in self.stack[self.stack.index(newest) + 1:]:
            if e.session is not newest.session and (e.session.lives or e.before != e.after):
                return e
        return None

    def steps(self, session, mark):
        """What goes back, newest first: pairs of the oldest and the newest entry."""
        mine = [e for e in self.stack if e.session is session and e.command > mark]
        steps = []
        while mine:
            newest = oldest = mine.pop()
            while self.merges and mine and mine[-1].after == oldest.before and not any(
                    e.session is not session for e in
                    self.stack[self.stack.index(mine[-1]):self.stack.index(oldest)]):
                oldest = mine.pop()
            steps.append((oldest, newest))
        return steps

    def drop(self, oldest, newest):
        session = newest.session
        low, high = self.stack.index(oldest), self.stack.index(newest)
        self.stack = [e for i, e in enumerate(self.stack)
                      if e.session is not session or not low <= i <= high]

    def keep(self, session, asks=True):
        """What others had set before is not theirs any more, where it has set the same."""
        for mine in [e for e in self.stack if e.session is session and asks]:
            for e in self.stack[:self.stack.index(mine)]:
                if e.session is not session:
                    e.before = e.after
        self.stack = [e for e in self.stack if e.session is not session or (e.given and not asks)]

    def take_back(self, session, mark):
        """Returns whether something came back."""
        did = False
        for oldest, newest in self.steps(session, mark):
            before, after = oldest.before, newest.after
            above = self.theirs_next(newest)
            seen = above.before if above else self.value
            if above and self.folds and above.before == after and above.after == before:
                above.before = before
            elif above and before != after and seen == after:
                given = Entry(above.session, above.command, newest.when, before, after)
                given.given = True
                self.stack.insert(self.stack.index(above), given)
            elif above and before != after and seen != before:
                oldest.left = newest.left = True
                continue
            elif not above and before != after and seen == after:
                self.value = before
            elif not above and before != after and seen != before:
                oldest.left = newest.left = True
                continue
            self.drop(oldest, newest)
            did = True
        return did


class Session:
    def __init__(self, name):
        self.name, self.lives, self.command, self.process = name, True, 0, None
        self.took = 0           # the command that took tasks away last
        self.began = 0


class Model:
    def __init__(self, cells):
        self.cells, self.now, self.sessions = cells, 0, []

    def tick(self):
        self.now += 1
        return self.now

    def take_back(self, session, mark=0):
        return any([cell.take_back(session, mark) for cell in self.cells.values()])

    def undo(self, session):
        mine = [e for c in self.cells.values() for e in c.stack if e.session is session]
        fresh = [e for e in mine if not e.left]
        if mine:
            self.take_back(session, max(e.command for e in (fresh or mine)) - 1)

    def recover(self):
        gone = [s for s in self.sessions if not s.lives]
        # Who is recovered counts as one that lives.
        while any([self.take_back(s) for s in gone]) and len(gone) > 1:
            pass


# ---- the files ----

def read(path):
    with open(path, encoding='utf-8', errors='replace') as f:
        return f.read()


class Files:
    """How each kind of setting is made, by a session and by a third party, and read."""

    EVENT = 'sched:sched_process_exit'
    # What switches that one fires when we rename ourselves, and never else.
    TARGET, SWITCH = 'sched:sched_process_wait', '%%s_event:sched:sched_process_wait if common_pid == %d' % os.getpid()
    LINE, LINE2, BOTH = 'signal:signal_generate', 'signal:signal_deliver', 'signal'
    WORDS = {'buffer': ('512', '768', '1024', '1280', '1536'), 'cpu': ('1792', '2048', '512'),
             'percent': ('11', '12', '13', '14', '15'), 'clock': ('mono', 'boot', 'global', 'tai', 'perf'),
             'sub': ('4', '8', '16', '64', '32'), 'mask': ('1', '2', '3'), 'trigger': ('stacktrace', 'stacktrace if pid == 2', 'none'),
             'switch': (SWITCH % 'enable', SWITCH % 'disable', 'none'), 'filter': ('1', '2', '3', '4', '5')}

    def __init__(self, folder):
        self.folder = folder
        self.has = {name for name in os.listdir(folder) if self.is_readable(name)}

    def is_readable(self, name):
        if name not in (*LISTS.values(), 'set_event_notrace_pid', 'buffer_percent'):
            return name in ('set_event_pid',)
        try:
            read(self.path(name))
        except OSError:
            return False
        return True

    def path(self, name):
        return os.path.join(self.folder, name)

    def has_sub(self):
        return os.path.exists(self.path('buffer_subbuf_size_kb'))

    def has_hist(self):
        return os.path.exists(self.path(HIST_FILE.replace('trigger', 'hist')))

    def sizes(self):
        """Those of the first two CPUs' buffers, in KB."""
        return [int(read(self.path('per_cpu/cpu%d/buffer_size_kb' % cpu)).split()[0])
                for cpu in range(min(2, len(os.listdir(self.path('per_cpu')))))]

    def kinds(self):
        kinds = ['event', 'line', 'filter', 'trigger', 'pid', 'not', 'fork', 'option', 'named', 'on', 'clock', 'buffer',
                 'also-event', 'also-option', 'lines', 'switch']
        if 'buffer_percent' in self.has:
            kinds.append('percent')
        if self.has_sub():
            kinds.append('sub')
        if self.has_hist():
            kinds.append('hist')
        kinds += [kind for kind, file in LISTS.items() if file in self.has]
        if len(os.listdir(self.path('per_cpu'))) > 1:
            kinds += ['mask', 'cpu']
        if 'set_event_notrace_pid' not in self.has:
            kinds.remove('not')
        return kinds

    def look(self):
        """Every setting as it is now: a dictionary of what the model has cells for."""
        now = {}
        event = self.path('events/sched/sched_process_exit/')
        now['event'] = read(event + 'enable').strip().rstrip('*')
        text = read(event + 'filter').strip()
        now['filter'] = text.split()[-1] if text != 'none' else 'none'
        lines = read(self.path('set_event')).split()
        now['line'] = '1' if self.LINE in lines else '0'
        now['line2'] = '1' if self.LINE2 in lines else '0'
        now['target'] = read(self.path('events/sched/sched_process_wait/enable')).strip().rstrip('*')
        for kind, file in TRIGGERS.items():
            lines = [x for x in read(self.path(file)).splitlines() if x[0] != '#']
            now[kind] = lines[0].replace(':unlimited', '') if lines else 'none'
        for kind, name in (('pid', 'set_event_pid'), ('not', 'set_event_notrace_pid')):
            if name in self.has:
                words = read(self.path(name)).split()
                for i, pid in enumerate(SLEEPERS):
                    now['%s%d' % (kind, i)] = '1' if str(pid) in words else '0'
        now['option'] = read(self.path('options/sym-offset')).strip()
        now['fork'] = read(self.path('options/event-fork')).strip()
        now['named'] = '1' if 'sym-addr' in read(self.path('trace_options')).split() else '0'
        now['on'] = read(self.path('tracing_on')).strip()
        now['clock'] = read(self.path('trace_clock')).split('[')[1].split(']')[0]
        # The kernel rounds them up to sub-buffers.
        for cpu, size in enumerate(self.sizes()):
            now['size%d' % cpu] = str(size // 256 * 256)
        if self.has_sub():
            now['sub'] = read(self.path('buffer_subbuf_size_kb')).strip()
        if 'buffer_percent' in self.has:
            now['percent'] = read(self.path('buffer_percent')).strip()
        for kind, name in LISTS.items():
            if name in self.has and kind not in ALSO:
                lines = [x for x in read(self.path(name)).split('\n') if x and x[0] != '#']
                now[kind] = ' '.join(sorted(lists.as_written(x) for x in lines))
        if self.has_hist():
            now['hist'] = lists.look_hist(read(self.path(HIST_FILE)))
        now['mask'] = read(self.path('tracing_cpumask')).strip().replace(',', '').lstrip('0')
        return now

    def cells(self):
        lines = ('line', 'line2', 'trigger', 'switch', 'hist')
        return {key: Cell(value, not key.startswith(('pid', 'not')) and key not in lines,
                          key.startswith(('pid', 'not')), key in lines)
                for key, value in self.look().items()}


FILE_OF = {'option': 'options/sym-offset', 'fork': 'options/event-fork', 'on': 'tracing_on', 'clock': 'trace_clock', 'buffer': 'buffer_size_kb',
           'cpu': 'per_cpu/cpu1/buffer_size_kb', 'percent': 'buffer_percent', 'sub': 'buffer_subbuf_size_kb', 'mask': 'tracing_cpumask',
           'named': 'trace_options'}
# By another file that is the same setting: what it sets.
ALSO = {'also-event': 'event', 'also-option': 'option', 'commands': 'functions'}
HIST_FILE = 'events/oom/mark_victim/trigger'
EVENT_FOLDER = 'events/sched/sched_process_exit/'
TRIGGERS = {'trigger': 'events/task/task_newtask/trigger', 'switch': 'events/task/task_rename/trigger'}
BITS = ('event', 'target', 'line', 'lines', 'option', 'fork', 'named', 'on', 'also-event', 'also-option')


def as_command(kind, value):
    """What a session is told for that."""
    if kind in ('event', 'target'):
        event = Files.EVENT if kind == 'event' else Files.TARGET
        return '%s %s' % ('enable' if value == '1' else 'disable', event)
    if kind in ('line', 'lines', 'also-event'):
        names = {'line': Files.LINE, 'lines': Files.BOTH, 'also-event': Files.EVENT}
        return 'append set_event %s%s' % ('' if value == '1' else '!', names[kind])
    if kind == 'also-option':
        return 'write trace_options %ssym-offset' % ('' if value == '1' else 'no')
    if kind == 'trigger':
        return 'append %s %s' % (TRIGGERS[kind], '!stacktrace' if value == 'none' else value)
    if kind == 'switch':
        return 'trigger task:task_rename ' + value.replace('none', 'clear')
    if kind == 'filter':
        return 'filter %s %s' % (Files.EVENT, 'clear' if value == 'none' else 'pid == ' + value)
    if kind == 'named':
        return 'write trace_options %ssym-addr' % ('' if value == '1' else 'no')
    return 'write %s %s' % (FILE_OF[kind], value)


def as_echo(kind, value):
    """What a third party writes, and where."""
    if kind == 'event':
        return EVENT_FOLDER + 'enable', value
    if kind == 'line':
        return 'set_event', ('' if value == '1' else '!') + Files.LINE
    if kind == 'trigger':
        return TRIGGERS[kind], '!stacktrace' if value == 'none' else value
    if kind == 'filter':
        return EVENT_FOLDER + 'filter', '0' if value == 'none' else 'pid == ' + value
    if kind == 'named':
        return 'trace_options', ('' if value == '1' else 'no') + 'sym-addr'
    return FILE_OF[kind], value


# ---- steps ----

def random_steps(rng, kinds):
    steps, live = [], set()
    for name in 'ABC'[:rng.choice((2, 2, 3))]:
        if rng.random() < 0.8:
            steps.append(('start', name))
    # Few kinds, so that they meet; nobody but the sessions, half of the time.
    kinds = rng.sample(kinds, min(len(kinds), rng.choice((1, 1, 2, 3))))
    third = rng.random() < 0.5
    # Of one setting by two files the model knows what sessions do, and not where one of them is disturbed.
    for kind, other in (('sub', 'buffer'), ('cpu', 'buffer'), ('lines', 'line'), ('switch', 'target'),
                        ('commands', 'target'), *ALSO.items()):
        if kind in kinds:
            kinds, third = kinds + [other], False
    for _ in range(rng.randint(4, 10)):
        name = rng.choice('ABC')
        live = {s[1] for s in steps if s[0] == 'start'}
        c = rng.random()
        kind = rng.choice(kinds)
        if name not in live:
            steps.append(('start', name))
        if c < 0.60:
            steps.append(('set', name, kind, rng.randrange(1 << 16)))
        elif c < 0.68:
            # Of what triggers have switched the model knows that nothing is left in the end.
            steps.append(('fire',) if {'switch', 'commands'} & set(kinds) else
                         (rng.choice(('undo', 'undo', 'restore', 'keep')), name))
        elif c < 0.78 and third:
            steps.append(('third', kind, rng.randrange(1 << 16)))
        else:
            how = rng.choice(('end', 'end', 'term', 'int', 'hup', 'kill', 'both'))
            steps.append((how, name))
    if CUT and not third and not [step for step in steps if step[0] == 'keep']:
        steps = [('cut', step[1], rng.randrange(20)) if step[0] in ('end', 'kill') and rng.random() < 0.6 else step
                 for step in steps]
        steps += [('cut', rng.choice('ABC'), rng.randrange(20)), ('cut-recover', rng.randrange(40))]
    return steps


class Run:
    """Carries out a schedule in a fresh instance."""

    def __init__(self, steps, name):
        self.steps, self.name, self.log = steps, name, []
        self.folder = folder_of(name)
        # One that nobody but sessions has changed is as good as new: the end of the one before has looked.
        if not os.path.isdir(self.folder):
            os.mkdir(self.folder)
            self.echo('buffer_size_kb', '256')
            # Nobody in a list is taken for a child of whoever else is in it.
            self.echo('options/event-fork', '1')
        self.files = Files(self.folder)
        self.model = Model(self.files.cells())
        self.sizes = self.files.sizes()
        self.live, self.disturbed, self.unsure = {}, False, False

    def echo(self, name, text, append=True):
        fd = os.open(os.path.join(self.folder, name), os.O_WRONLY | (0 if append else os.O_TRUNC))
        try:
            os.write(fd, (text + '\n').encode())
        except OSError as error:
            raise SystemExit("echo '%s' >%s: %s" % (text, name, error.strerror)) from error
        finally:
            os.close(fd)

    def carry_out(self):
        is_good = False
        try:
            for step in self.steps:
                getattr(self, 'do_' + step[0].replace('-', '_'))(*step[1:])
                self.check(step)
            for name in sorted(self.live):
                self.do_end(name)
                self.check(('end', name))
            if self.unsure:
                self.recover()
            if not self.disturbed:
                now = self.files.look()
                wrong = {k: (c.initial, now[k]) for k, c in self.model.cells.items() if now[k] != c.initial}
                if wrong:
                    raise Wrong('not as it was at the beginning: %s' % wrong)
                if self.sizes != self.files.sizes():
                    raise Wrong('sizes were %s, are %s' % (self.sizes, self.files.sizes()))
                if os.listdir('/run/tracesh') if os.path.isdir('/run/tracesh') else []:
                    raise Wrong('a journal is left')
            is_good = True
        finally:
            self.close(is_good)

    def close(self, is_good):
        for session in self.live.values():
            session.process.kill()
            session.process.wait()
        for session in self.model.sessions:
            wait_gone(session.guards)
        if is_good and not self.disturbed:
            return
        subprocess.run([PROGRAM, 'recover', '--all', '--forget', '-q'], env=ENVIRONMENT, check=False,
                       stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        remove(self.folder)

    def check(self, step):
        # What sub-buffers have rounded waits for who has set them: then sizes are looked at in the end.
        if self.unsure:
            return
        later = ('target', 'size' if any('sub' in s[1:] for s in self.steps) else '-')
        now = self.files.look()
        wrong = {k: 'is %s, expected %s' % (now[k], c.value)
                 for k, c in self.model.cells.items() if now[k] != c.value and not k.startswith(later)}
        if wrong:
            raise Wrong('after %s: %s' % (' '.join(str(x) for x in step), wrong))

    def do_start(self, name):
        if name in self.live:
            return
        session = Session(name)
        session.process = subprocess.Popen(
            [PROGRAM, '-i', self.name, '--restore', '--keep-going', '-f', '-'], env=self.cut_environment(name),
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        session.guards = []
        self.live[name] = session
        self.model.sessions.append(session)
        self.log.append('%s: tracesh -i %s --restore --keep-going -f -' % (name, self.name))

    def tell(self, session, command):
        self.log.append('%s: %s' % (session.name, command))
        pipe = session.process.stdin
        pipe.write((command + '\ncat tracing_cpumask\n').encode())
        pipe.flush()
        if not session.process.stdout.readline():
            raise Wrong('session %s ended by itself' % session.name)
        session.command += 1
        if not session.guards:
            session.guards = children_of(session.process.pid)

    def do_set(self, name, kind, number):
        session = self.live.get(name)
        if session is None:
            return
        cells = self.model.cells
        if kind in ('pid', 'not'):
            return self.set_tasks(session, kind, number)
        if kind == 'hist':
            change = lists.change_hist(cells[kind].value, number)
            if change:
                self.tell(session, 'append %s %s' % (HIST_FILE, change[0]))
                cells[kind].write(self.model, session, change[1])
            return None
        if kind in LISTS:
            cell = cells[ALSO.get(kind, kind)]
            text, replaces, value = lists.change(kind, cell.value, number)
            self.tell(session, '%s %s %s' % ('write' if replaces else 'append', LISTS[kind], text))
            cell.write(self.model, session, value, replaces)
            return None
        value = self.value_of(kind, number % 3)
        if not self.can_set(kind, value):
            return None
        sizes = self.files.sizes()
        self.tell(session, as_command(kind, value))
        # What stands in a list is asked for once more when another one has written to the list.
        others = kind in ('line', 'lines', 'also-event') and any(
            e.session is not session for key in ('line', 'line2') for e in cells[key].stack)
        for cell in self.cells_of(kind):
            is_there = not cell.startswith('size') or abs(sizes[int(cell[4:])] - int(value)) < PAGE
            cells[cell].write(self.model, session, value, is_there, others)
        return None

    def can_set(self, kind, value):
        now = self.model.cells[kind].value if kind in self.model.cells else None
        if kind in TRIGGERS:    # one of a kind: the kernel refuses another one, and to remove none
            return value != now if value == 'none' else now in (value, 'none')
        if kind == 'lines':
            now = max(self.model.cells['line'].value, self.model.cells['line2'].value)
        return kind not in ('line', 'lines') or '1' in (value, now)

    def cells_of(self, kind):
        if kind == 'buffer':
            return [key for key in self.model.cells if key.startswith('size')]
        if kind == 'lines':
            return ['line', 'line2']
        return ['size1' if kind == 'cpu' else ALSO.get(kind, kind)]

    def value_of(self, kind, n):
        """Of five values a third party has the last two."""
        if kind in BITS:
            return '0' if n % 3 == 2 else '1'
        words = Files.WORDS[kind]
        return words[n % len(words)]

    def set_tasks(self, session, kind, number):
        cells = self.model.cells
        i, how = number % 3, number // 3 % 5
        listed = [n for n in range(3) if cells['%s%d' % (kind, n)].value == '1']
        file = 'set_event_pid' if kind == 'pid' else 'set_event_notrace_pid'
        if how < 2:
            self.tell(session, 'append %s %d' % (file, SLEEPERS[i]))
            cells['%s%d' % (kind, i)].write(self.model, session, '1')
        elif how == 2 or (how == 3 and i not in listed):
            self.tell(session, 'write %s %d' % (file, SLEEPERS[i]))
            for n in range(3):
                cells['%s%d' % (kind, n)].write(self.model, session, '1' if n == i else '0')
        elif how == 4:
            self.tell(session, 'pid clear')
            session.took = session.command
            for each in ('pid', 'not'):
                tasks = [cells[key] for key in ('%s%d' % (each, n) for n in range(3)) if key in cells]
                # a list that is empty, and that no other session has set, is not written
                if all(c.value == '0' and all(e.session is session for e in c.stack) for c in tasks):
                    continue
                for cell in tasks:
                    cell.write(self.model, session, '0')
            if 'fork' in cells:
                cells['fork'].write(self.model, session, '0')
        else:
            self.tell(session, 'pid del tid:%d' % SLEEPERS[i])
            session.took = session.command
            for each in [k for k in ('pid', 'not') if cells.get('%s%d' % (k, i))]:
                listed = [n for n in range(3) if cells['%s%d' % (each, n)].value == '1']
                for n in listed if i in listed else []:
                    cells['%s%d' % (each, n)].write(self.model, session, '0' if n == i else '1')

    def do_fire(self):
        self.log.append('the triggers of task_rename, and of vfs_symlink, fire')
        with open('/proc/self/comm', 'w', encoding='ascii') as file:
            file.write('sessions.py')
        with tempfile.TemporaryDirectory() as folder:
            os.symlink('.', os.path.join(folder, 'link'))

    def do_undo(self, name):
        session = self.live.get(name)
        if session is None:
            return
        self.tell(session, 'undo')
        self.model.undo(session)

    def do_restore(self, name):
        session = self.live.get(name)
        if session is None:
            return
        self.tell(session, 'restore')
        self.model.take_back(session)

    def do_keep(self, name):
        session = self.live.get(name)
        if session is None:
            return
        self.tell(session, 'keep')
        asks = {each: self.asks(session, each) for each in ('pid', 'not')}
        for key, cell in self.model.cells.items():
            cell.keep(session, asks.get(key.rstrip('012'), True))
        self.disturbed = True

    def asks(self, session, each):
        """Whether a session asks for what it has listed: not when it took back in the end what it did first."""
        mine = [[e for e in cell.stack if e.session is session and not e.given]
                for cell in (self.model.cells.get('%s%d' % (each, n)) for n in range(3)) if cell]
        mine = [entries for entries in mine if entries]
        first = min((entries[0].command for entries in mine), default=0)
        last = max((entries[-1].command for entries in mine), default=0)
        return (first == last or last != session.took or any(entries[0].before != entries[-1].after for entries in mine) or
                all(e.before == e.after for entries in mine for e in entries if e.command == first))

    def do_third(self, kind, number):
        cells = self.model.cells
        if kind in ('pid', 'not'):
            return
        if kind == 'hist':
            change = lists.change_hist(cells[kind].value, number)
            if change:
                self.disturbed = True
                self.log.append("echo '%s' >>%s" % (change[0], HIST_FILE))
                self.echo(HIST_FILE, change[0])
                cells[kind].value = change[1]
            return
        if kind in LISTS:
            text, replaces, cells[kind].value = lists.change(kind, cells[kind].value, number)
            self.disturbed = True
            self.log.append("echo '%s' %s %s" % (text, '>' if replaces else '>>', LISTS[kind]))
            self.echo(LISTS[kind], text, not replaces)
            return
        value = self.value_of(kind, number % 3 if kind in BITS or kind in ('mask', 'trigger') else 3 + number % 2)
        if not self.can_set(kind, value) or (kind in ('line', 'trigger') and value == cells[kind].value):
            return
        self.disturbed = True
        file, text = as_echo(kind, value)
        self.log.append("echo '%s' >>%s" % (text, file))
        self.echo(file, text)
        for cell in self.cells_of(kind):
            cells[cell].value = value

    def over(self, name):
        session = self.live.pop(name)
        session.process.stdin.close()
        session.process.stdout.read()
        session.process.wait()
        wait_gone(session.guards)
        session.lives = False
        self.model.take_back(session)

    def do_end(self, name):
        if name in self.live:
            self.log.append('%s: end of input' % name)
            self.over(name)

    def signalled(self, name, number, word):
        if name in self.live:
            self.log.append('kill -%s %s' % (word, name))
            self.live[name].process.send_signal(number)
            self.over(name)

    def do_term(self, name):
        self.signalled(name, signal.SIGTERM, 'TERM')

    def do_int(self, name):
        self.signalled(name, signal.SIGINT, 'INT')

    def do_hup(self, name):
        self.signalled(name, signal.SIGHUP, 'HUP')

    def do_kill(self, name):
        self.signalled(name, signal.SIGKILL, 'KILL')

    def do_both(self, name):
        session = self.live.pop(name, None)
        if session is None:
            return
        self.log.append('kill -KILL %s and its guard' % name)
        self.kill_guards(session)
        session.process.kill()
        session.process.wait()
        session.lives = False
        self.recover()
        self.model.recover()

    def recover(self, environment=None):
        self.log.append('tracesh recover --all')
        subprocess.run([PROGRAM, 'recover', '--all'], env=environment or ENVIRONMENT, check=False, stdin=subprocess.DEVNULL,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    @staticmethod
    def kill_guards(session):
        for pid in session.guards:
            os.kill(pid, signal.SIGKILL)
        wait_gone(session.guards)

    def cut_file(self, name):
        return '%s.%s' % (CUT, name)

    def cut_environment(self, name):
        if not CUT:
            return ENVIRONMENT
        if os.path.exists(self.cut_file(name)):
            os.unlink(self.cut_file(name))
        return dict(ENVIRONMENT, LD_PRELOAD=os.environ.get('TRACESH_CUT_FIRST', '') + ' ' + CUT, CUT_AT=self.cut_file(name))

    def cut_at(self, name, number):
        with open(self.cut_file(name), 'w', encoding='ascii') as file:
            file.write(str(number))

    def do_cut(self, name, number):
        """It is killed in the middle of taking back, when its guard is gone already."""
        session = self.live.get(name)
        if session is None:
            return
        self.kill_guards(session)
        self.log.append('kill -KILL the guard of %s; it ends, and is killed at moment %d' % (name, number))
        self.cut_at(name, number)
        self.over(name)
        self.unsure |= session.process.returncode == -signal.SIGKILL

    def do_cut_recover(self, number):
        environment = self.cut_environment('recover')
        self.cut_at('recover', number)
        self.log.append('at moment %d of recover it is killed:' % number)
        self.recover(environment)
        self.unsure = True


def folder_of(name):
    return TRACING if name == 'top' else os.path.join(TRACING, 'instances', name)


def remove(folder):
    if folder == TRACING:
        lists.clear(folder)
        return
    for _ in range(100):
        try:
            os.rmdir(folder)
            return
        except FileNotFoundError:
            return
        except OSError:
            time.sleep(0.02)
    raise SystemExit('%s cannot be removed' % folder)


def children_of(pid):
    with open('/proc/%d/task/%d/children' % (pid, pid), encoding='ascii') as f:
        return [int(word) for word in f.read().split()]


def field_of(pid, number):
    """A field of /proc/PID/stat, behind the name."""
    with open('/proc/%d/stat' % pid, encoding='ascii', errors='replace') as f:
        return f.read().rsplit(')', 1)[1].split()[number - 3]


def start_daemon():
    """A task whose parent is gone, as that of a service is; it is there for a while before anybody lists it."""
    made = subprocess.run(['sh', '-c', 'setsid sleep 100000 >/dev/null & echo $!'], stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, check=True)
    pid = int(made.stdout)
    while time.clock_gettime(time.CLOCK_BOOTTIME) < int(field_of(pid, 22)) / os.sysconf('SC_CLK_TCK') + 0.5:
        time.sleep(0.02)
    return pid


def is_gone(pid):
    try:
        return field_of(pid, 3) in 'ZX'
    except OSError:
        return True


def wait_gone(pids):
    for pid in pids:
        until = time.monotonic() + 60
        while not is_gone(pid):
            if time.monotonic() > until:
                raise Wrong('the guard %d does not end' % pid)
            time.sleep(0.002)


# ---- failures ----

def try_steps(steps, name):
    """Returns what is wrong, with the commands, or None."""
    run = Run(steps, name)
    try:
        run.carry_out()
    except Wrong as wrong:
        return str(wrong), run.log
    return None


def shrink(steps, name, found):
    """Leaves out what it fails without, too."""
    smaller = True
    while smaller:
        smaller = False
        for i in range(len(steps)):
            fewer = steps[:i] + steps[i + 1:]
            again = try_steps(fewer, name)
            if again:
                steps, found, smaller = fewer, again, True
                break
    return found


def main():
    count = int(sys.argv[3])
    seed = int(sys.argv[4]) if len(sys.argv) > 4 else random.SystemRandom().randrange(1 << 24)
    only = int(sys.argv[5]) if len(sys.argv) > 5 else None
    name = 'top' if os.environ.get('TRACESH_TOP') else 'live-%d-1' % os.getppid()
    tasks = [subprocess.Popen(['sleep', '100000'], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
             for _ in range(2)]
    SLEEPERS.extend(task.pid for task in tasks)
    SLEEPERS.append(start_daemon())
    failures = 0
    folder = folder_of(name)
    if name != 'top':
        os.mkdir(folder)
    else:
        with open(os.path.join(folder, 'buffer_size_kb'), 'w', encoding='ascii') as file:
            file.write('256\n')
    kinds = os.environ.get('TRACESH_KINDS', '').split() or Files(folder).kinds()
    print('# %d schedules, seed %d' % (count, seed), flush=True)
    try:
        for n in range(count) if only is None else [only]:
            if n and n % 1000 == 0:
                print('# %d' % n, flush=True)
            rng = random.Random('%d/%d' % (seed, n))
            steps = random_steps(rng, kinds)
            found = try_steps(steps, name)
            if found is None:
                continue
            failures += 1
            found = shrink(steps, name, found)
            print('schedule %d of seed %d: %s' % (n, seed, found[0]))
            for line in found[1]:
                print('\t' + line)
            sys.stdout.flush()
            if failures == 5:
                break
    finally:
        remove(folder)
        os.kill(SLEEPERS[2], signal.SIGKILL)
        for task in tasks:
            task.kill()
            task.wait()
    print('%d of %d schedules failed' % (failures, count))
    return failures > 0


if __name__ == '__main__':
    sys.exit(main())
