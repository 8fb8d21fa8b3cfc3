#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""A program whose file lies on a file system that does not answer.

silent-fuse.py DIR FILE SECONDS [locked|slow]: mounts such a system at DIR by /dev/fuse, with FILE in it as `lib`, which a child maps as
code. From then on it answers nobody. It prints the child's number, which asks the kernel for something all the time, and ends after
SECONDS, the child with it; then everybody who waits gets an error. With `locked` the child's mappings are locked meanwhile.
With `slow` there is no child: it answers late, that there is nothing. The messages: linux/fuse.h, fuse(4).
"""

import ctypes
import errno
import mmap
import os
import signal
import struct
import sys
import threading
import time

LOOKUP, FORGET, GETATTR, OPEN, READ, INIT, OPENDIR, INTERRUPT, DESTROY, BATCH_FORGET = 1, 2, 3, 14, 15, 26, 27, 36, 38, 42
FOR_LONG = 3600
DIRECT_IO, MAP_FIXED, MCL_CURRENT, MCL_FUTURE = 1, 16, 1, 2
ROOT, LIB = 1, 2


class Refused(Exception):
    pass


def attributes(node, size):
    mode = 0o40755 if node == ROOT else 0o100755
    return struct.pack("<QQQQQQIIIIIIIIII", node, size, 0, 0, 0, 0, 0, 0, 0, mode, 1, 0, 0, 0, 4096, 0)


def answer(opcode, node, body, data):
    if opcode == INIT:
        return struct.pack("<IIIIHHIIHHI28x", 7, 31, 65536, 0, 12, 9, 65536, 1, 32, 0, 0)
    if opcode == LOOKUP and body == b"lib\0":
        return struct.pack("<QQQQII", LIB, 0, FOR_LONG, FOR_LONG, 0, 0) + attributes(LIB, len(data))
    if opcode == LOOKUP:
        time.sleep(0.7 if slow else 0)
        raise Refused(errno.ENOENT)
    if opcode == GETATTR:
        return struct.pack("<QII", FOR_LONG, 0, 0) + attributes(node, len(data))
    if opcode in (OPEN, OPENDIR):
        return struct.pack("<QII", 0, DIRECT_IO if struct.unpack_from("<I", body)[0] & os.O_SYNC else 0, 0)
    if opcode == READ and locks:
        fall_silent()
    if opcode == READ:
        _, offset, size = struct.unpack_from("<QQI", body)
        return data[offset:offset + size]
    raise Refused(errno.ENOSYS)


def serve(fuse, data):
    while True:
        message = os.read(fuse, 1 << 20)
        _, opcode, unique, node = struct.unpack_from("<IIQQ", message)
        if opcode == DESTROY:
            return
        if opcode in (FORGET, INTERRUPT, BATCH_FORGET):
            continue
        try:
            body, error = answer(opcode, node, message[40:], data), 0
        except Refused as refused:
            body, error = b"", -refused.args[0]
        os.write(fuse, struct.pack("<IiQ", 16 + len(body), error, unique) + body)


def use(path):
    parent = os.getppid()
    os.close(device)
    with open(path, "rb") as file:
        mapped = mmap.mmap(file.fileno(), 0, mmap.MAP_PRIVATE, mmap.PROT_READ | mmap.PROT_EXEC)
    os.kill(parent, signal.SIGUSR1)
    while mapped and os.getppid() == parent:
        pass
    os._exit(0)


def state(thread):
    with open(f"/proc/{child}/task/{thread}/stat") as stat:
        return stat.read().rpartition(")")[2].split()[0]


def use_locked(path):
    """Puts a mapping in the place of another: that has the lock, and waits for a page which another file descriptor reads."""
    parent = os.getppid()
    os.close(device)
    direct = os.open(path, os.O_RDONLY | os.O_SYNC)
    place = mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE)
    address = ctypes.addressof(ctypes.c_char.from_buffer(place))
    libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_long]
    if not os.fork():
        os.read(os.open(path, os.O_RDONLY), 1)
        os._exit(0)
    # no page fault from here on: before Linux 6.4 it takes the lock
    libc.mlockall(MCL_CURRENT | MCL_FUTURE)
    os.read(told, 1)
    threading.Thread(target=libc.mmap, args=(address, 4096, mmap.PROT_READ, mmap.MAP_PRIVATE | MAP_FIXED, direct, 0)).start()
    while os.getppid() == parent:
        pass
    os._exit(0)


def fall_silent(*_):
    if locks:
        os.write(tell, b"!")
        while not any(state(thread) == "D" for thread in os.listdir(f"/proc/{child}/task")):
            time.sleep(0.01)
    print(child, flush=True)
    while True:
        signal.pause()


folder, file, seconds = sys.argv[1:4]
locks = sys.argv[4:] == ["locked"]
slow = sys.argv[4:] == ["slow"]
with open(file, "rb") as source:
    content = source.read()
device = os.open("/dev/fuse", os.O_RDWR)
options = f"fd={device},rootmode=40000,user_id=0,group_id=0".encode()
libc = ctypes.CDLL(None, use_errno=True)
if libc.mount(b"silent", folder.encode(), b"fuse", 0, options) < 0:
    sys.exit(os.strerror(ctypes.get_errno()))
signal.alarm(int(seconds))
if slow:
    print(os.getpid(), flush=True)
    serve(device, content)
    sys.exit()
signal.signal(signal.SIGUSR1, fall_silent)
told, tell = os.pipe()
child = os.fork()
if not child:
    (use_locked if locks else use)(folder + "/lib")
serve(device, content)
