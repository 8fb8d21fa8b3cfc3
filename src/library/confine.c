/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "confine.h"

#include <grp.h>
#include <linux/capability.h>
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

/* Without what it was given beside root, too, or as root of a namespace. */
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
		/* That has taken back what the fork asked for. */
		prctl(PR_SET_PDEATHSIG, 9);
	}
	drop_capabilities();
	return true;
}

void confine_process(void)
{
	/* A sanitizer has terabytes mapped. */
#ifndef __SANITIZE_ADDRESS__
	limit(RLIMIT_AS, MEMORY_MAX);
#endif
	limit(RLIMIT_NOFILE, 0);
	limit(RLIMIT_NPROC, 0);
}
