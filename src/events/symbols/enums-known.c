/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "btf-internal.h"

#include <string.h>

/* Lists enumerators that format files name without their number (no TRACE_DEFINE_ENUM), for kernels
 * without BTF, such as 32-bit ARM's. Has only enumerators whose number has never changed. */

/* include/net/tcp_states.h, counted from 1 */
static const char *const tcp_states[] = {
	"ESTABLISHED", "SYN_SENT", "SYN_RECV", "FIN_WAIT1", "FIN_WAIT2", "TIME_WAIT", "CLOSE",
	"CLOSE_WAIT", "LAST_ACK", "LISTEN", "CLOSING", "NEW_SYN_RECV", "BOUND_INACTIVE",
};

/* include/linux/hrtimer.h; "ABS_PINNED_HARD" is the sum of its words */
static const struct {
	const char *word;
	int64_t value;
} timer_modes[] = {
	{ "ABS", 0 }, { "REL", 1 }, { "PINNED", 2 }, { "SOFT", 4 }, { "HARD", 8 },
};

static bool timer_mode(const char *words, int64_t *ret)
{
	size_t len, i;

	for (*ret = 0; *words; words += len + (words[len] == '_')) {
		len = strcspn(words, "_");
		for (i = 0; i < sizeof(timer_modes) / sizeof(timer_modes[0]); i++)
			if (strlen(timer_modes[i].word) == len &&
			    !memcmp(timer_modes[i].word, words, len))
				break;
		if (i == sizeof(timer_modes) / sizeof(timer_modes[0]))
			return false;
		*ret |= timer_modes[i].value;
	}
	return true;
}

bool enums_known(const char *name, int64_t *ret)
{
	size_t i;

	if (!strncmp(name, "HRTIMER_MODE_", 13))
		return name[13] && timer_mode(name + 13, ret);
	for (i = 0; i < sizeof(tcp_states) / sizeof(tcp_states[0]); i++)
		if (!strncmp(name, "TCP_", 4) && !strcmp(name + 4, tcp_states[i])) {
			*ret = (int64_t)i + 1;
			return true;
		}
	return false;
}
