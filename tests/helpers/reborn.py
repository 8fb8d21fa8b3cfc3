# SPDX-License-Identifier: GPL-2.0-or-later
# Three children, one after the other, that have the same number (clone3 with set_tid); each lives a moment, and there are
# 200 ms between two of them. Begins when it reads a line, and prints the number; status 3: it is not to be had.
import ctypes
import os
import sys
import time

SYS_CLONE3, SIGCHLD = 435, 17


def child(number):
    wanted = (ctypes.c_int * 1)(number)
    args = (ctypes.c_uint64 * 10)()
    args[4] = SIGCHLD
    if number:
        args[8], args[9] = ctypes.addressof(wanted), 1
    return ctypes.CDLL(None).syscall(SYS_CLONE3, args, ctypes.c_size_t(ctypes.sizeof(args)))


sys.stdin.readline()
number = 0
for _ in range(3):
    pid = child(number)
    if pid == 0:
        for _ in range(5):
            os.getppid()
        time.sleep(0.001)
        os._exit(0)
    if pid < 0:
        sys.exit(3)
    number = pid
    os.waitpid(pid, 0)
    time.sleep(0.2)
print(number)
