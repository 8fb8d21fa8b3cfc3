/* base/safe-file.h - files and folders that nobody else can swap under us */
/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_BASE_SAFE_FILE_H
#define TRACESH_BASE_SAFE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>

struct tsh_strbuf;

/*
 * A path can lead elsewhere between a check and the use. So all that is opened, made,
 * renamed or removed below /tmp, /run, $HOME or a folder that was given goes by the
 * descriptor of its folder, and what is checked is what the descriptor shows.
 * Where a function returns a descriptor, it has O_CLOEXEC, and an error is -errno.
 */

/* ---- who can write to it ---- */

/* Check that it is root's, ours, or of the user who called sudo. */
bool tsh_is_owned(const struct stat *st);
/* Check that nobody but root and us can write to it: for what we read without being asked. */
bool tsh_is_safe(const struct stat *st);
/*
 * Check the same for what a person has named: the user who called sudo (SUDO_UID) may own
 * it, and its group may write to it when that is a private one (its number is the owner's,
 * as with umask 002), and there is no ACL: one that lets others write shows as a group that may.
 * Root's has no group that may write. fd may be O_PATH.
 */
bool tsh_is_trusted(int fd, const struct stat *st);
/* Name what is there by its mode: "a symbolic link", "a FIFO", "a folder".. */
const char *tsh_kind_name(mode_t mode);
/* Append whose it is: "nobody (user 65534)"; "user 65534" where /etc/passwd has no name. */
void tsh_owner_name(uid_t uid, struct tsh_strbuf *out);

/* ---- beneath a folder that is open ---- */

/*
 * openat(2) that cannot leave `dirfd`: no "..", no absolute path, no symlink in
 * any component. openat2(2), or by components where the kernel has none.
 */
int tsh_open_beneath(int dirfd, const char *path, int flags);
/* Create a file (0600, O_RDWR), which must not be there, and the folders above it (0700). */
int tsh_create_beneath(int dirfd, const char *path);
/* Write a whole file in the place of an old one, or leave that as it is. 0 or -errno. */
int tsh_replace_beneath(int dirfd, const char *path, const char *text, size_t len);
/* Rename within the folder that both lie in: the last component of `path` becomes `name`. 0 or
 * -errno. */
int tsh_rename_beneath(int dirfd, const char *path, const char *name);
int tsh_unlink_beneath(int dirfd, const char *path);
/* Remove a file, or a folder with all that is in it. 0 or -errno. */
int tsh_remove_beneath(int dirfd, const char *name);
/* Remove all that is in a folder, as far as it can be removed. */
void tsh_empty_beneath(int dirfd);
/* Open the folder that `path` lies in, which is made (0700) if `make`; *ret_name points to the
 * last component. The descriptor is O_PATH. */
int tsh_parent_beneath(int dirfd, const char *path, bool make, const char **ret_name);

/* ---- by a path ---- */

/*
 * Open the folder that the last component of a path lies in, as O_PATH. A symlink on the way
 * is followed if it is root's, ours, or that of the user who called sudo; -ELOOP for one of
 * anybody else. *ret_name: the last component without a '/'; the caller frees it.
 */
int tsh_open_parent(const char *path, char **ret_name);
/* Check that a name in a folder is that of an open file, by device and inode; a link is followed to none. */
bool tsh_is_named(int fd, int folder, const char *name);
/* Give the path that an open file has now, by /proc; NULL where that cannot be known. The caller frees it. */
char *tsh_path_of(int fd);
/* Open the folder `path` itself by the same rule, as O_PATH; with `make` what is missing of it
 * is made (0700) in a folder that tsh_is_trusted; -EPERM in another. */
int tsh_open_folder(const char *path, bool make);
/* Open a file in a folder that is found by that rule; its last component is never a link.
 * O_NOCTTY is added, `mode` is for O_CREAT. */
int tsh_open_file(const char *path, int flags, mode_t mode);
/* Check that a path is a name of one of our own descriptors (/dev/stdin, /dev/fd/N), or /dev/tty:
 * links that are followed whatever they lead to. */
bool tsh_is_own_descriptor(const char *path);
/* Open a file by that rule, which holds for its last component too; and by the name of a
 * descriptor of our own. */
int tsh_open_linked(const char *path, int flags);
/*
 * Open what a path leads to as O_PATH, where nobody else can change that: no folder and no link on
 * the way that anybody but root, us, or the user who called sudo could put another in the place of.
 * -EXDEV where somebody can. Whose the file itself is does not matter. So whoever is given the path
 * later (the kernel) finds the same.
 */
int tsh_open_firm(const char *path);
/* Check that nobody else can change by that rule what a path leads to, or make it where nothing is. */
bool tsh_is_firm(const char *path);
/* Check that a descriptor's file is on procfs, where root's file may hold the text of others. */
bool tsh_is_on_proc(int fd);
/* tsh_replace_beneath of a file in a folder that is found by that rule. */
int tsh_replace_file(const char *path, const char *text, size_t len);

/* ---- regular files alone ---- */

/*
 * Open a regular file without waiting, for reading where no flags are given; anything else is not
 * opened at all, which a device or the writer of a FIFO would notice: -EOPNOTSUPP. (Where /proc is
 * missing it is opened and closed.) By the rule of tsh_open_linked, that of tsh_open_beneath, or
 * as openat(2) does; -ELOOP for a link that is not followed.
 */
int tsh_open_regular(const char *path);
int tsh_open_regular_beneath(int dirfd, const char *path);
int tsh_open_regular_at(int dirfd, const char *name, int flags);
/* Open with flags what an O_PATH descriptor, which is closed, is of. An error number is given back as
 * it is; -ENOSYS: there is no /proc. */
int tsh_reopen_regular(int place, int flags);

#endif
