/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "journaled.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/number.h"
#include "base/safe-file.h"

/* Handles the option trace_printk_dest, which only one instance can have at a time. */

/* Refuses to switch the option when an instance has it that cannot be opened by its name, because
 * undo could not restore it there. Returns 0, or -1 with err. */
static int refuse_unopened(const struct tsh_instance *in, const char *option, const char *name, struct tsh_err *err)
{
	char *path = tsh_xasprintf("instances/%s/%s", name, option);
	int fd = tsh_instance_name_is_valid(name) ? -1 : tsh_open_beneath(in->dir->fd, path, O_RDONLY);
	char is = '0';

	free(path);
	if (fd < 0)
		return 0;
	if (read(fd, &is, 1) != 1)
		is = '0';
	close(fd);
	if (is == '0')
		return 0;
	tsh_err_set(err, TSH_FAILED, "instance '%s' has trace_printk_dest, and undo cannot restore it in an instance "
		    "with this name", tsh_instance_word(name));
	path = tsh_xasprintf("%s%s%s/%s", in->dir->path, in->name ? "/instances/" : "", in->name ? in->name : "", option);
	tsh_err_hint_word(err, "by hand: echo 1 >", path, "");
	free(path);
	return -1;
}

int tsh_switch_printk_off(struct tsh_instance *in, const char *path, const char *text, struct tsh_err *err)
{
	static const char option[] = "options/trace_printk_dest", *const name = option + sizeof("options");
	bool switches_on = !strcmp(path, option) ? text && !strcmp(text, "1") :
						   !strcmp(path, "trace_options") && text && !strcmp(text, name);
	struct tsh_strlist names = { 0 };
	int r = 0;
	size_t i;

	if (switches_on && !tsh_dir_is_script(in->dir) && !tsh_file_number(in, option, 1))
		tsh_instance_list(in->dir, &names);
	for (i = 0; r >= 0 && i < names.n; i++) {
		struct tsh_instance *other;
		struct tsh_err gone = { 0 };

		if (tsh_instance_open(in->dir, names.v[i], &other, &gone) < 0) {
			tsh_err_release(&gone);
			r = refuse_unopened(in, option, names.v[i], err);
			continue;
		}
		/* Writes it even when another session has switched it off, too: that session must
		 * not restore it before we end. */
		if (tsh_file_exists(other, option))
			r = tsh_file_write(other, option, TSH_WRITE_SET, "0", err);
		tsh_instance_close(other);
	}
	tsh_strlist_release(&names);
	return r < 0 ? -1 : 0;
}
