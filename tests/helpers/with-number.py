# SPDX-License-Identifier: GPL-2.0-or-later
# with-number.py NUMBER COMMAND..: starts COMMAND as a process of this number, and waits for its end; its status is the signal that
# ended it. It says so when the number is taken, or the kernel is older than 5.5. Writing ns_last_pid instead would have the
# kernel give the numbers after it once more, too, while others may still mean by them what they have just ended.
import ctypes, os, signal, sys

CLONE3, PR_SET_PDEATHSIG = 435, 1
libc = ctypes.CDLL(None, use_errno=True)
number = (ctypes.c_int * 1)(int(sys.argv[1]))
# struct clone_args: exit_signal is the fifth, set_tid and its size are the last two
args = (ctypes.c_uint64 * 10)(0, 0, 0, 0, signal.SIGCHLD, 0, 0, 0, ctypes.addressof(number), 1)
pid = libc.syscall(CLONE3, args, ctypes.c_size_t(ctypes.sizeof(args)))
if pid < 0:
    sys.exit("with-number: " + os.strerror(ctypes.get_errno()))
if not pid:
    libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    os.execvp(sys.argv[2], sys.argv[2:])
sys.exit(os.waitpid(pid, 0)[1] & 127)
