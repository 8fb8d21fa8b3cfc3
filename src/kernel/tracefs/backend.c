/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "backend.h"

const struct tsh_model *tsh_dir_model(const struct tsh_dir *dir)
{
	return dir && dir->backend ? dir->backend->model : NULL;
}

bool tsh_dir_is_script(const struct tsh_dir *dir)
{
	return tsh_dir_model(dir) != NULL;
}
