/* base/safe-file.h - opens and replaces files and folders that other users could swap */
/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_BASE_SAFE_FILE_H
#define TRACESH_BASE_SAFE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>

struct tsh_strbuf;

/*
 * A path can lead elsewhere between a check and its use. So everything that is opened, made,
 * renamed or removed below /tmp, /run, $HOME or a given folder is reached by the descriptor of its
 * folder, and checks look at the descriptor. A function that returns a descriptor sets O_CLOEXEC,
 * and returns -errno on errors.
 */

/* ---- who can write to a file ---- */

/* Checks that root, we, or the user who called sudo own a file. */
bool tsh_is_owned(const struct stat *st);
/* Checks that only root and we can write to a file: for files that we read without being asked. */
bool tsh_is_safe(const struct stat *st);
/*
 * Checks a file that a person has named. The user who called sudo (SUDO_UID) may own it. Its group
 * may write to it when it is the owner's private group (same number, as with umask 002) and the
 * file has no ACL: the group bits of the mode include what an ACL allows. A group must not write to
 * a file of root. fd may be O_PATH.
 */
bool tsh_is_trusted(int fd, const struct stat *st);
/* Returns the kind of a file by its mode: "a symbolic link", "a FIFO", "a folder".. */
const char *tsh_kind_name(mode_t mode);
/* Appends an owner: "nobody (user 65534)", or "user 65534" where /etc/passwd has no name. */
void tsh_owner_name(uid_t uid, struct tsh_strbuf *out);

/* ---- beneath a folder that is open ---- */

/*
 * Does what openat(2) does, but cannot leave `dirfd`: no "..", no absolute path, no symlink in any
 * component. Uses openat2(2), or opens by components where the kernel lacks it.
 */
int tsh_open_beneath(int dirfd, const char *path, int flags);
/* Creates a file (0600, O_RDWR) that must not exist, and missing folders above it (0700). */
int tsh_create_beneath(int dirfd, const char *path);
/* Writes a whole file, which then replaces the old one; after an error the old one is still
 * there. Returns 0 or -errno. */
int tsh_replace_beneath(int dirfd, const char *path, const char *text, size_t len);
/* Renames a file within its folder: the last component of `path` becomes `name`. Returns 0 or
 * -errno. */
int tsh_rename_beneath(int dirfd, const char *path, const char *name);
/* Removes one file. Returns 0 or -errno. */
int tsh_unlink_beneath(int dirfd, const char *path);
/* Removes a file, or a folder with all that is in it. Returns 0 or -errno. */
int tsh_remove_beneath(int dirfd, const char *name);
/* Removes all that is in a folder, as far as possible. */
void tsh_empty_beneath(int dirfd);
/* Opens the folder that `path` lies in as O_PATH, and makes it (0700) if `make`. *ret_name
 * points to the last component. */
int tsh_parent_beneath(int dirfd, const char *path, bool make, const char **ret_name);

/* ---- by a path ---- */

/*
 * Opens the folder that the last component of a path lies in, as O_PATH. Follows a symlink of root,
 * of ours, or of the user who called sudo; returns -ELOOP for any other. *ret_name: the last
 * component without a '/'; the caller frees it.
 */
int tsh_open_parent(const char *path, char **ret_name);
/* Checks that a name in a folder is that of an open file, by device and inode. Follows no link. */
bool tsh_is_named(int fd, int folder, const char *name);
/* Returns the current path of an open file, from /proc, or NULL when it cannot be known. The
 * caller frees it. */
char *tsh_path_of(int fd);
/*
 * Opens the folder `path` as O_PATH; links are followed as by tsh_open_parent. With `make`, makes
 * what is missing (0700) inside a folder that tsh_is_trusted; returns -EPERM inside another.
 */
int tsh_open_folder(const char *path, bool make);
/* Opens a file in a folder that is found as by tsh_open_parent. Does not follow a link as the
 * last component. Adds O_NOCTTY; `mode` is for O_CREAT. */
int tsh_open_file(const char *path, int flags, mode_t mode);
/* Checks that a path names one of our own descriptors (/dev/stdin, /dev/fd/N) or /dev/tty. Such
 * links are followed wherever they lead. */
bool tsh_is_own_descriptor(const char *path);
/* Opens a file as tsh_open_file does, but follows a link as the last component by the same rule,
 * and names of our own descriptors. */
int tsh_open_linked(const char *path, int flags);
/*
 * Opens as O_PATH what a path leads to, when nobody but root, we, or the user who called sudo can
 * replace any folder or link on the way, so that whoever gets the path later (the kernel) finds the
 * same file. Returns -EXDEV when somebody else can. The owner of the file itself does not matter.
 */
int tsh_open_protected(const char *path);
/* Says whether tsh_open_protected opens a path, or finds no file there. Does not check who can
 * create the missing file. */
bool tsh_is_protected(const char *path);
/* Checks that an open file is on procfs, where a file of root may hold text of others. */
bool tsh_is_on_proc(int fd);
/* Does tsh_replace_beneath for a file whose folder is found as by tsh_open_parent. */
int tsh_replace_file(const char *path, const char *text, size_t len);

/* ---- only regular files ---- */

/*
 * Open a regular file without waiting, for reading or with `flags`. For anything else, return
 * -EOPNOTSUPP without opening it: opening acts on some devices, and wakes the writer of a FIFO.
 * (Without /proc it is opened and closed.) The path is resolved as by tsh_open_linked, as by
 * tsh_open_beneath, or as by openat(2); a link that is not followed gives -ELOOP.
 */
int tsh_open_regular(const char *path);
int tsh_open_regular_beneath(int dirfd, const char *path);
int tsh_open_regular_at(int dirfd, const char *name, int flags);
/* Opens, with flags, the file of the O_PATH descriptor `place`, and closes `place`. Returns a
 * negative `place` as it is, and -ENOSYS when there is no /proc. */
int tsh_reopen_regular(int place, int flags);

#endif
