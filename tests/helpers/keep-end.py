# SPDX-License-Identifier: GPL-2.0-or-later
# A program whose end a process of its own user keeps: keep-end.py process|thread|exit FILE. The process holds it, or one of
# its threads, as a debugger that waits for nothing; exit: it also lets it stand still on its way out, where no signal ends it. FILE
# gets both numbers; the debugger ends by itself after a minute.
import ctypes, os, signal, sys, threading, time

what, path = sys.argv[1:]
libc = ctypes.CDLL(None, use_errno=True)
libc.ptrace.argtypes = [ctypes.c_long] * 4
PR_SET_PTRACER, ANY, PTRACE_SEIZE, PTRACE_O_TRACEEXIT = 0x59616D61, -1, 0x4206, 0x40


def hold(number, go, ready):
    """Become nobody's child, hold the process, and say so."""
    if os.fork():
        os._exit(0)
    os.setsid()
    for number_of in signal.SIGHUP, signal.SIGINT, signal.SIGTERM:
        signal.signal(number_of, signal.SIG_IGN)
    # A SIGCHLD that is still to come would stop who is held.
    os.read(go, 1)
    held = libc.ptrace(PTRACE_SEIZE, number, 0, PTRACE_O_TRACEEXIT if what == "exit" else 0) == 0
    with open(path, "w") as f:
        f.write("%d %d\n" % (os.getpid(), number))
    os.write(ready, b"y" if held else b"n")
    os.closerange(0, 64)
    time.sleep(60)
    os._exit(0)


libc.prctl(PR_SET_PTRACER, ctypes.c_ulong(ANY & (2**64 - 1) if ctypes.sizeof(ctypes.c_long) == 8 else 2**32 - 1), 0, 0, 0)
end = threading.Event()
number = os.getpid()
if what == "thread":
    thread = threading.Thread(target=end.wait)
    thread.start()
    number = thread.native_id
reads, writes = os.pipe()
waits, goes = os.pipe()
child = os.fork()
if not child:
    hold(number, waits, writes)
os.waitpid(child, 0)
os.write(goes, b"g")
held = os.read(reads, 1) == b"y"
end.set()
if what == "thread":
    while open("/proc/self/task/%d/stat" % number).read().rpartition(")")[2].split()[0] != "Z":
        time.sleep(0.01)
print("held" if held else "not held", flush=True)
os._exit(0)
