#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# server-live.sh [PROGRAM]: what tracesh does on this machine while the load of a server runs, which it makes by itself:
# 24 pairs of processes that send, receive, hash, write and fork. Needs root, python3 and a file of tracesh, PROGRAM,
# $TRACESH or ./tracesh; a static one, and this script, are all that has to be copied. Takes less than 100 s, and leaves
# nothing behind: it works in instances of its own, in a private mount namespace, and in a folder in /dev/shm.
# server-live.sh --load SECONDS: makes the load, and nothing else.
set -eu

fail() { echo "server-live: $1" >&2; exit 1; }

command -v python3 >/dev/null || fail 'needs python3'
if [ "${1-}" != --load ]; then
	program=${1:-${TRACESH:-./tracesh}}
	[ "$(id -u)" = 0 ] || fail 'needs root'
	[ -x "$program" ] || fail "no program '$program': give its path"
	set -- "$program"
fi
if [ "$1" != --load ] && [ -z "${TRACESH_SERVER_INSIDE:-}" ]; then
	export TRACESH_SERVER_INSIDE=1
	exec unshare -m "$0" "$@"
fi
[ "$1" = --load ] || [ -e /sys/kernel/tracing/current_tracer ] ||
	mount -t tracefs nodev /sys/kernel/tracing || fail 'no tracefs'
exec 3<<'END'
import contextlib, ctypes, glob, hashlib, os, re, shutil, signal, socket, subprocess, sys, tempfile, time

PAIRS = 24
SYSTEMS = 'sched irq timer syscalls net task signal'.split()
SECONDS = 0.7
LIMIT = 95              # s: after that no other run begins, and whoever still works is ended
TRACING = '/sys/kernel/tracing'
libc = ctypes.CDLL(None)
began = time.monotonic()


# ---- the load ----

def fork(work, *arguments):
    """Runs work() in a process that ends with this one, and after LIMIT seconds at the latest."""
    parent = os.getpid()
    pid = os.fork()
    if pid:
        return pid
    for number in signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGALRM:
        signal.signal(number, signal.SIG_DFL)
    libc.prctl(1, signal.SIGKILL)       # PR_SET_PDEATHSIG
    signal.alarm(LIMIT)
    try:
        if os.getppid() == parent:
            work(*arguments)
    finally:
        os._exit(0)


def serve(end, peer, number):
    """One half of a pair: receives, hashes, writes, answers, and now and then has a child."""
    null = os.open('/dev/null', os.O_WRONLY)
    data = bytes(512)
    end.settimeout(0.2)
    turn = number
    if number % 2:
        end.sendto(data, peer)
    while True:
        try:
            data = end.recv(2048)
        except TimeoutError:
            end.sendto(data, peer)
            continue
        data = (hashlib.sha1(data).digest() * 26)[:512]
        os.write(null, data)
        end.sendto(data, peer)
        turn += 1
        if turn % 200 == 0:
            child = os.fork()
            if not child:
                os._exit(0)
            os.waitpid(child, 0)


def start_load():
    """Returns the processes of the load."""
    pids = []
    for pair in range(PAIRS):
        ends = [socket.socket(socket.AF_INET, socket.SOCK_DGRAM) for _ in range(2)]
        for end in ends:
            end.bind(('127.0.0.1', 0))
        for i in range(2):
            pids.append(fork(serve, ends[i], ends[1 - i].getsockname(), 2 * pair + i))
        for end in ends:
            end.close()
    return pids


def write_at_once(cpu):
    """One process that does nothing but system calls, on a CPU of its own: four events each turn."""
    os.sched_setaffinity(0, {cpu})
    null = os.open('/dev/null', os.O_WRONLY)
    for number, target in (0, os.open('/dev/zero', os.O_RDONLY)), (1, null), (2, null):
        os.dup2(target, number)
    os.execvp('dd', ['dd', 'bs=1'])


def start_writers(cpus):
    return [fork(write_at_once, cpu) for cpu in cpus]


@contextlib.contextmanager
def running(pids):
    try:
        time.sleep(0.3)
        yield
    finally:
        for pid in pids:
            os.kill(pid, signal.SIGKILL)
        for pid in pids:
            os.waitpid(pid, 0)


if sys.argv[1] == '--load':
    with running(start_load()):
        time.sleep(min(float(sys.argv[2]), LIMIT))
    sys.exit()


# ---- what is measured ----

program = sys.argv[1]
cpus = sorted(os.sched_getaffinity(0))
shm = tempfile.mkdtemp(prefix='tracesh-server-', dir='/dev/shm')
null = open(os.devnull, 'r+b')


class Skip(Exception):
    pass


def ended(number, frame):
    raise SystemExit(128 + number)


for number in signal.SIGTERM, signal.SIGHUP, signal.SIGALRM:
    signal.signal(number, ended)
signal.alarm(LIMIT + 3)


def run(arguments, stop_after=None):
    """Runs a program with its output thrown away: seconds, seconds of CPU, what it said."""
    said = tempfile.TemporaryFile(dir=shm)
    start = time.monotonic()
    child = subprocess.Popen(arguments, stdin=null, stdout=null, stderr=said)
    try:
        if stop_after:
            time.sleep(stop_after)
            child.terminate()
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = 0
    except BaseException:
        # it puts back what it has changed; its guard does when it cannot
        child.terminate()
        try:
            child.wait(10)
        except subprocess.TimeoutExpired:
            child.kill()
            child.wait()
        raise
    said.seek(0)
    text = said.read().decode(errors='replace')
    if status and not stop_after:
        raise Skip(([line for line in text.split('\n') if 'error' in line] or ['failed'])[-1])
    return time.monotonic() - start, usage.ru_utime + usage.ru_stime, text


def row(name, events='', rate='', lost='', cpu='', note=''):
    print(f'{name:<44} {events:>12} {rate:>12} {lost:>8} {cpu:>7}  {note}'.rstrip(), flush=True)


def percent(lost, events):
    return f'{100 * lost / (lost + events):.2f} %' if lost + events else '0 %'


def summary(text):
    """Events, lost, seconds of what tracesh says at its end."""
    match = re.findall(r'([\d,]+) events?, (?:[^\n]*?, )?(?:at least )?([\d,]+) lost[^\n]*?, ([\d.]+) ?(s|ms)\b', text)
    if not match:
        raise Skip('no sum: ' + text[-200:].replace('\n', ' '))
    events, lost, seconds, unit = match[-1]
    return int(events.replace(',', '')), int(lost.replace(',', '')), float(seconds) / (1000 if unit == 'ms' else 1)


@contextlib.contextmanager
def rows(name):
    """One row: an error is its text, and the next one is tried."""
    try:
        if time.monotonic() - began > LIMIT - 15:
            raise Skip('no time left')
        yield
    except Skip as why:
        row(name, note=str(why))


def live(name, arguments, option=f'{SECONDS * 1000:.0f}ms'):
    """Measures a command that works while the load runs, for SECONDS. Returns how many events it had."""
    with rows(name):
        words = arguments.split()
        seconds, cpu, text = run([program, words[0], '--for', option] + words[1:])
        events, lost, seconds = summary(text)
        row(name, f'{events:,}', f'{events / seconds:,.0f}', percent(lost, events), f'{cpu:.2f}')
        return events


def drain(name, tree, events, threads):
    with rows(name):
        if not events:
            raise Skip('nothing was recorded')
        options = ['--threads', str(threads)] if has_threads else []
        seconds, cpu, _ = run([program, '-q', *options, '--tracefs', tree, 'drain'])
        row(name, f'{events:,}', f'{events / seconds:,.0f}', '', f'{cpu:.2f}', f'{seconds * 1e9 / events:.1f} ns an event')
        return seconds


def drains(name, tree, events):
    """Drains with one thread and with more, as many as there are CPUs for."""
    counts = [n for n in (1, 2, 4, 8) if n <= len(cpus)] if has_threads else [1]
    times = {n: drain(f'drain of {name}, {n} thread{"s"[:n > 1]}', tree, events, n) for n in counts}
    if not has_threads:
        row('', note='this program has no --threads')
    elif times[1] and times[counts[-1]]:
        row('', note=f'{times[1] / times[counts[-1]]:.2f} times as fast with {counts[-1]} as with one')


@contextlib.contextmanager
def instance():
    path = f'{TRACING}/instances/tracesh-server-{os.getpid()}'
    os.mkdir(path)
    try:
        yield path
    finally:
        write(path, 'tracing_on', '0')
        os.rmdir(path)


def write(path, name, text):
    with open(f'{path}/{name}', 'w') as file:
        file.write(text)


def stats(path, *names):
    text = ''.join(open(file).read() for file in glob.glob(f'{path}/per_cpu/cpu*/stats'))
    return [sum(int(n) for n in re.findall(rf'^{name}: (\d+)$', text, re.M)) for name in names]


def peer(name, events):
    """cat trace_pipe of the same events, in an instance with buffers as tracesh has them."""
    with rows(name), instance() as path:
        write(path, 'tracing_on', '0')
        for event in events:
            write(path, f'events/{event}/enable', '1')
        with running([fork(switch_on, path)]):
            seconds, cpu, _ = run(['cat', f'{path}/trace_pipe'], stop_after=SECONDS)
        left, lost, dropped, read = stats(path, 'entries', 'overrun', 'dropped events', 'read events')
        row(name, f'{read:,}', f'{read / SECONDS:,.0f}', percent(lost + dropped, read + left), f'{cpu:.2f}')


def switch_on(path):
    time.sleep(0.3)
    write(path, 'tracing_on', '1')
    time.sleep(SECONDS)
    write(path, 'tracing_on', '0')


has_threads = not subprocess.run([program, '-q', '--threads', '1', '-c', 'print x'], stdin=null, stdout=null,
                                 stderr=null).returncode
ALL = ' '.join(SYSTEMS)
try:
    version = subprocess.run([program, '--version'], stdin=null, capture_output=True, text=True).stdout.split('\n')[0]
    print(f'{version}; kernel {os.uname().release}, {len(cpus)} CPUs, load {os.getloadavg()[0]:.2f}')
    row('', 'events', 'a second', 'lost', 'CPU s')
    row(f'-- {PAIRS} pairs of processes, {SECONDS} s')
    with running(start_load()):
        live('stream of seven systems', 'stream ' + ALL)
        live('stream sched', 'stream sched')
        live('stream sched_switch', 'stream sched_switch')
        live('hist sched_switch by next_comm', 'hist sched_switch by next_comm')
        live('count of four systems', 'count sched irq timer net')
        live('latency wakeup', 'latency wakeup')
        live('latency syscall sendto', 'latency syscall sendto')
        recorded = live('record of seven systems', f'record {shm}/mixed {ALL}')
        peer('cat trace_pipe of seven systems', SYSTEMS)
        peer('cat trace_pipe of sched', ['sched'])
    drains('that', f'{shm}/mixed', recorded)
    shutil.rmtree(f'{shm}/mixed', ignore_errors=True)
    writers = cpus[1:16] or cpus
    row(f'-- {len(writers)} writer{"s"[:len(writers) > 1]} at full speed, {SECONDS} s')
    # some 100 MB a second and writer
    room = os.statvfs(shm).f_bavail * os.statvfs(shm).f_frsize
    if room < len(writers) * 250e6:
        row('record of seven systems', note=f'{room / 1e9:.1f} GB are free in /dev/shm')
    else:
        with running(start_writers(writers)):
            recorded = live('record of seven systems', f'record {shm}/full {ALL}')
        drains('that', f'{shm}/full', recorded)
    print(f'{time.monotonic() - began:.0f} s')
except KeyboardInterrupt:
    sys.exit(130)
finally:
    for number in signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGALRM:
        signal.signal(number, signal.SIG_IGN)
    shutil.rmtree(shm, ignore_errors=True)
END
exec python3 -I /dev/fd/3 "$@"
