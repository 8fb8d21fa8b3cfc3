/* tracesh/dry-run.h - the writes of a session as a script of sh (src/tracefs) */
/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_DRY_RUN_H
#define TRACESH_DRY_RUN_H

#include <stdbool.h>
#include <stddef.h>

#include "tracesh/strbuf.h"
#include "tracesh/tracefs.h"

/*
 * While dir->dry is set nothing is written: each write becomes a line of a script for the
 * POSIX shell, and what a file would read then is remembered, so that commands that look at
 * it see what they have done. tsh_dir_close frees it.
 */
struct tsh_dry_run;

struct tsh_dry_run *tsh_dry_run_new(void);
void tsh_dry_run_free(struct tsh_dry_run *dry);

/* The script so far, whole lines; the caller may take it out of there. */
struct tsh_strbuf *tsh_dry_run_script(struct tsh_dry_run *dry);
/* A comment; each line of the text is one. */
void tsh_dry_run_comment(struct tsh_dry_run *dry, const char *text);

/* A word of sh: '..', with apostrophes as '\''. */
void tsh_sh_quote(struct tsh_strbuf *out, const char *text);
/* The same, but left as it is where sh reads nothing into it. */
void tsh_sh_word(struct tsh_strbuf *out, const char *text);
/* "$TRACEFS"/FILE of the instance, as the script names it; appends to out. */
void tsh_sh_path(struct tsh_strbuf *out, const struct tsh_instance *in, const char *path);

/* What a probe file would read with this line in it, and the event that it makes, are there
 * from now on for whoever looks; nothing is put into the script. */
void tsh_dry_run_imagine(const struct tsh_instance *in, const char *path, const char *line);

#endif
