/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "engine/probe/probe.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The C way, through the types of the kernel that runs. */

static int open_btf(void *ctx)
{
	(void)ctx;
	return open("/sys/kernel/btf/vmlinux", O_RDONLY | O_CLOEXEC);
}

static const struct tsh_provider provider = { .btf = open_btf };
static struct tsh_types types;

static int setup(void **state)
{
	(void)state;
	types.btf = tsh_btf_new(&provider);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	tsh_btf_free(types.btf);
	return 0;
}

/* Tells 1: done; 0: refused. *ret is the fetch argument or the message. */
static bool resolve(const char *function, bool is_return, const char *text, char **ret,
		    char **ret_name)
{
	struct tsh_target target = { .kind = TSH_TARGET_FUNCTION, .function = (char *)function,
				     .is_return = is_return };
	const struct tsh_value value = { 0 };
	struct tsh_err err = { 0 };
	int r = tsh_probe_member(&types, &target, &value, 0, text, ret, ret_name, &err);

	if (r < 0)
		*ret = strdup(err.message);
	tsh_err_release(&err);
	return !r;
}

static uint64_t offset_of(const char *type, const char *member)
{
	struct tsh_btf_part part;
	struct tsh_btf_ref ref;
	uint64_t at;

	assert_true(tsh_btf_find(types.btf, type, TSH_BTF_AGGREGATES, &ref));
	assert_true(tsh_btf_member(types.btf, ref, member, &part, &at));
	return at / 8;
}

static void expect(const char *function, bool is_return, const char *text, const char *want,
		   const char *name)
{
	char *got, *its_name;

	assert_true(resolve(function, is_return, text, &got, &its_name));
	assert_string_equal(got, want);
	assert_string_equal(its_name, name);
	free(got);
	free(its_name);
}

static void expect_refusal(const char *function, bool is_return, const char *text,
			   const char *want)
{
	char *got, *name;

	assert_false(resolve(function, is_return, text, &got, &name));
	assert_non_null(strstr(got, want));
	free(got);
}

static void need_btf(void)
{
	if (tsh_btf_state(types.btf) != TSH_BTF_PRESENT)
		skip();
}

static void test_members(void **state)
{
	char *want;

	(void)state;
	need_btf();
	expect("vfs_open", false, "path", "$arg1:x64", "path");
	want = tsh_xasprintf("+0(+%llu(+%llu($arg1))):string",
			     (unsigned long long)(offset_of("dentry", "d_name") +
						  offset_of("qstr", "name")),
			     (unsigned long long)offset_of("path", "dentry"));
	expect("vfs_open", false, "path->dentry->d_name.name", want, "name");
	/* a dot follows a pointer as well */
	expect("vfs_open", false, "path.dentry.d_name.name", want, "name");
	free(want);
	want = tsh_xasprintf("+%llu($arg2):u32", (unsigned long long)offset_of("file", "f_flags"));
	expect("vfs_open", false, "file->f_flags", want, "f_flags");
	free(want);
	want = tsh_xasprintf("+%llu($arg2):x8", (unsigned long long)offset_of("file", "f_flags"));
	expect("vfs_open", false, "file->f_flags:x8", want, "f_flags");
	free(want);
	expect("vfs_open", true, "$retval", "$retval:s32", "ret");
	/* an array of characters is a string where it lies */
	want = tsh_xasprintf("+%llu($arg1):string",
			     (unsigned long long)offset_of("task_struct", "comm"));
	expect("wake_up_new_task", false, "p->comm", want, "comm");
	free(want);
}

static void test_bits(void **state)
{
	char *got, *name;

	(void)state;
	need_btf();
	/* of a word that has all of them */
	if (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__)
		skip();
	assert_true(resolve("wake_up_new_task", false, "p->in_execve", &got, &name));
	assert_non_null(strstr(got, "($arg1):b1@"));
	free(got);
	free(name);
}

static void test_refusals(void **state)
{
	(void)state;
	need_btf();
	expect_refusal("vfs_open", false, "pth", "has no parameter 'pth'");
	expect_refusal("vfs_open", false, "path->dentri", "has no member 'dentri'");
	expect_refusal("vfs_open", false, "path->dentry->d_name", "as a whole");
	expect_refusal("vfs_open", false, "path->dentry->", "no member's name");
	expect_refusal("vfs_open", false, "path-dentry", "no member's name");
	expect_refusal("vfs_open", false, "path[", "no number");
	expect_refusal("vfs_open", false, "path[x]", "no number");
	expect_refusal("vfs_open", false, "path[99999999999999999999]", "no number");
	expect_refusal("vfs_open", false, "file->f_flags->x", "which has none");
	expect_refusal("vfs_open", false, "file->f_flags[1]", "not an array");
	expect_refusal("vfs_open", false, "", "no parameter's name");
	expect_refusal("vfs_open", true, "path", "gone when it returns");
	expect_refusal("no_such_function", false, "path", "no function");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_members),
		cmocka_unit_test(test_bits),
		cmocka_unit_test(test_refusals),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
