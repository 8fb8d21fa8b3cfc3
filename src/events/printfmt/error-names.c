/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "format.h"
#include "pointer.h"

/* Names the error numbers of this machine. They differ on mips and others, whose kernels have the
 * numbers of their C library. */
#define E(name) [name] = #name,
static const char *const names[] = {
	E(E2BIG) E(EACCES) E(EADDRINUSE) E(EADDRNOTAVAIL) E(EADV) E(EAFNOSUPPORT) E(EAGAIN)
	E(EALREADY) E(EBADE) E(EBADF) E(EBADFD) E(EBADMSG) E(EBADR) E(EBADRQC) E(EBADSLT)
	E(EBFONT) E(EBUSY) E(ECANCELED) E(ECHILD) E(ECHRNG) E(ECOMM) E(ECONNABORTED)
	E(ECONNREFUSED) E(ECONNRESET) E(EDEADLK) E(EDESTADDRREQ) E(EDOM) E(EDOTDOT) E(EDQUOT)
	E(EEXIST) E(EFAULT) E(EFBIG) E(EHOSTDOWN) E(EHOSTUNREACH) E(EHWPOISON) E(EIDRM)
	E(EILSEQ) E(EINPROGRESS) E(EINTR) E(EINVAL) E(EIO) E(EISCONN) E(EISDIR) E(EISNAM)
	E(EKEYEXPIRED) E(EKEYREJECTED) E(EKEYREVOKED) E(EL2HLT) E(EL2NSYNC) E(EL3HLT) E(EL3RST)
	E(ELIBACC) E(ELIBBAD) E(ELIBEXEC) E(ELIBMAX) E(ELIBSCN) E(ELNRNG) E(ELOOP)
	E(EMEDIUMTYPE) E(EMFILE) E(EMLINK) E(EMSGSIZE) E(EMULTIHOP) E(ENAMETOOLONG) E(ENAVAIL)
	E(ENETDOWN) E(ENETRESET) E(ENETUNREACH) E(ENFILE) E(ENOANO) E(ENOBUFS) E(ENOCSI)
	E(ENODATA) E(ENODEV) E(ENOENT) E(ENOEXEC) E(ENOKEY) E(ENOLCK) E(ENOLINK) E(ENOMEDIUM)
	E(ENOMEM) E(ENOMSG) E(ENONET) E(ENOPKG) E(ENOPROTOOPT) E(ENOSPC) E(ENOSR) E(ENOSTR)
	E(ENOSYS) E(ENOTBLK) E(ENOTCONN) E(ENOTDIR) E(ENOTEMPTY) E(ENOTNAM) E(ENOTRECOVERABLE)
	E(ENOTSOCK) E(ENOTTY) E(ENOTUNIQ) E(ENXIO) E(EOPNOTSUPP) E(EOVERFLOW) E(EOWNERDEAD)
	E(EPERM) E(EPFNOSUPPORT) E(EPIPE) E(EPROTO) E(EPROTONOSUPPORT) E(EPROTOTYPE) E(ERANGE)
	E(EREMCHG) E(EREMOTE) E(EREMOTEIO) E(ERESTART) E(ERFKILL) E(EROFS) E(ESHUTDOWN)
	E(ESOCKTNOSUPPORT) E(ESPIPE) E(ESRCH) E(ESRMNT) E(ESTALE) E(ESTRPIPE) E(ETIME)
	E(ETIMEDOUT) E(ETOOMANYREFS) E(ETXTBSY) E(EUCLEAN) E(EUNATCH) E(EUSERS) E(EXDEV)
	E(EXFULL)
};
#undef E

/* include/linux/errno.h: errors that stay inside the kernel, but occur in traces */
#define FIRST_INTERNAL	512
static const char *const internal[] = {
	"ERESTARTSYS", "ERESTARTNOINTR", "ERESTARTNOHAND", "ENOIOCTLCMD",
	"ERESTART_RESTARTBLOCK", "EPROBE_DEFER", "EOPENSTALE", "ENOPARAM", NULL, "EBADHANDLE",
	"ENOTSYNC", "EBADCOOKIE", "ENOTSUPP", "ETOOSMALL", "ESERVERFAULT", "EBADTYPE",
	"EJUKEBOX", "EIOCBQUEUED", "ERECALLCONFLICT", "ENOGRACE",
};

const char *tsh_error_name(unsigned int number)
{
	if (number < sizeof(names) / sizeof(names[0]))
		return names[number];
	if (number >= FIRST_INTERNAL &&
	    number - FIRST_INTERNAL < sizeof(internal) / sizeof(internal[0]))
		return internal[number - FIRST_INTERNAL];
	return NULL;
}

int tsh_error_number(const char *name)
{
	unsigned int number;
	const char *text;

	for (number = 1; number < FIRST_INTERNAL + sizeof(internal) / sizeof(internal[0]); number++) {
		text = tsh_error_name(number);
		if (text && !strcmp(text, name))
			return (int)number;
	}
	return 0;
}
