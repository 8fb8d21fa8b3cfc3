# SPDX-License-Identifier: GPL-2.0-or-later
"""Lists of functions, and a histogram, for sessions.py: what is written to them, and what they read then.

A list is a text here: its lines, sorted, with blanks between them."""
import os
import re

LISTS = {'functions': 'set_ftrace_filter', 'commands': 'set_ftrace_filter', 'exclude': 'set_ftrace_notrace',
         'graph': 'set_graph_function', 'nograph': 'set_graph_notrace'}
FUNCTIONS = ('vfs_link', 'vfs_mknod', 'vfs_fallocate')
# Nobody makes a device node here; we make symbolic links, when these are to fire.
COMMANDS = {'functions': ('vfs_mknod:traceoff', 'vfs_mknod:traceoff:3', 'vfs_mknod:stacktrace'),
            'commands': ('vfs_symlink:enable_event:sched:sched_process_wait:2', 'vfs_symlink:stacktrace:2',
                         'vfs_symlink:disable_event:sched:sched_process_wait')}
HIST = 'hist:keys=pid'


def as_written(line):
    """A line of functions without how often its command is to fire yet."""
    return re.sub(':(count=)?[0-9]+$', ':count', line.replace(':unlimited', ''))


def change(kind, now, number):
    """What is written to a list of functions, whether it replaces the names, and what is there then."""
    lines = now.split()
    names, commands = [x for x in lines if ':' not in x], [x for x in lines if ':' in x]
    how, name = number % 6, FUNCTIONS[number // 6 % 3]
    if how >= 3 and kind in COMMANDS:
        text = COMMANDS[kind][number // 6 % 3]
        if as_written(text) in commands:
            commands.remove(as_written(text))
            return '!' + text, False, ' '.join(sorted(names + commands))
        return text, False, ' '.join(sorted(lines + [as_written(text)]))
    if how == 0:
        return name, True, ' '.join(sorted([name] + commands))
    if name in names and how != 1:
        return '!' + name, False, ' '.join(x for x in lines if x != name)
    return name, False, ' '.join(sorted({*lines, name}))


def change_hist(now, number):
    """What is written to the triggers of an event that has one histogram or none, and which it has then: none, active, paused."""
    value = ('active', 'paused', 'none')[number % 3]
    if value == 'none':
        return ('!' + HIST, value) if now != 'none' else None
    if now == 'none':
        return HIST + (':pause' if value == 'paused' else ''), value
    return HIST + (':pause' if value == 'paused' else ':cont'), value


def look_hist(text):
    """Which one the triggers of an event have."""
    lines = [x for x in text.split('\n') if x.startswith('hist:')]
    return lines[0].split('[')[1][:-1] if lines else 'none'


def clear(folder):
    """Empties all of them."""
    for name in {*LISTS.values()} & {*os.listdir(folder)}:
        path = os.path.join(folder, name)
        with open(path, encoding='ascii') as file:
            commands = [as_written(x).replace(':count', ':0') for x in file.read().split('\n') if ':' in x]
        for text in ['', *('!' + command for command in commands)]:
            fd = os.open(path, os.O_WRONLY | (0 if text else os.O_TRUNC))
            try:
                os.write(fd, (text + '\n').encode())
            finally:
                os.close(fd)
