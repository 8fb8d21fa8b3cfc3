/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "confine.h"

#include <grp.h>
#include <errno.h>
#include <linux/audit.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#define NOBODY 65534
#define MEMORY_MAX (512u << 20)

static void limit(int what, rlim_t most)
{
	const struct rlimit rlimit = { most, most };

	(void)setrlimit(what, &rlimit);
}

/* Drops capabilities that we have without being root, or as root of a user namespace. */
static void drop_capabilities(void)
{
	struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct none[2] = { { 0, 0, 0 }, { 0, 0, 0 } };

	(void)syscall(SYS_capset, &head, none);
}

bool confine_user(void)
{
	limit(RLIMIT_CORE, 0);
	limit(RLIMIT_FSIZE, 0);
	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	if (geteuid() == 0) {
		clearenv();
		if (setgroups(0, NULL) < 0 || setresgid(NOBODY, NOBODY, NOBODY) < 0 ||
		    setresuid(NOBODY, NOBODY, NOBODY) < 0)
			return false;
		/* sets it again, because the change of the user has reset it */
		prctl(PR_SET_PDEATHSIG, 9);
	}
	drop_capabilities();
	return true;
}

/* Is the kernel's name for the system calls that this program is built for; without it there is
 * no filter. */
#if defined(__x86_64__) && defined(__LP64__)
#define ARCH AUDIT_ARCH_X86_64
#elif defined(__aarch64__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define ARCH AUDIT_ARCH_AARCH64
#elif defined(__powerpc64__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define ARCH AUDIT_ARCH_PPC64LE
#elif defined(__s390x__)
#define ARCH AUDIT_ARCH_S390X
#elif defined(__riscv) && __riscv_xlen == 64
#define ARCH AUDIT_ARCH_RISCV64
#endif

/* Refuses (EPERM) all system calls but those for reading, writing, memory and the exit: see
 * seccomp(2). */
static void allow_few_calls(void)
{
#if defined(ARCH) && !defined(__SANITIZE_ADDRESS__)
#define ALLOW(name) \
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_##name, 0, 1), BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, ARCH, 1, 0),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		ALLOW(read), ALLOW(pread64), ALLOW(recvfrom), ALLOW(write), ALLOW(exit), ALLOW(exit_group), ALLOW(rt_sigreturn), ALLOW(rt_sigprocmask),
		ALLOW(brk), ALLOW(mmap), ALLOW(munmap), ALLOW(mremap), ALLOW(mprotect), ALLOW(madvise), ALLOW(futex),
		ALLOW(clock_gettime), ALLOW(gettimeofday), ALLOW(getpid), ALLOW(geteuid),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
	};
	struct sock_fprog program = { .len = sizeof(filter) / sizeof(filter[0]), .filter = filter };

	(void)prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
#endif
}

void confine_process(void)
{
	/* AddressSanitizer maps terabytes, more than MEMORY_MAX */
#ifndef __SANITIZE_ADDRESS__
	limit(RLIMIT_AS, MEMORY_MAX);
#endif
	limit(RLIMIT_NOFILE, 0);
	limit(RLIMIT_NPROC, 0);
	allow_few_calls();
}
