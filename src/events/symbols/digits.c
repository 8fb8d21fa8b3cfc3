/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "digits.h"

#define SMALL(h, t, o) { (h) ? '0' + (h) : (t) ? '0' + (t) : '0' + (o), (h) ? '0' + (t) : '0' + (o), '0' + (o), \
			 (h) ? 3 : (t) ? 2 : 1 }
#define SMALL_10(h, t) SMALL(h, t, 0), SMALL(h, t, 1), SMALL(h, t, 2), SMALL(h, t, 3), SMALL(h, t, 4), \
		       SMALL(h, t, 5), SMALL(h, t, 6), SMALL(h, t, 7), SMALL(h, t, 8), SMALL(h, t, 9)
#define SMALL_100(h) SMALL_10(h, 0), SMALL_10(h, 1), SMALL_10(h, 2), SMALL_10(h, 3), SMALL_10(h, 4), \
		     SMALL_10(h, 5), SMALL_10(h, 6), SMALL_10(h, 7), SMALL_10(h, 8), SMALL_10(h, 9)
const char digits_small[DIGITS_SMALL][4] = {
	SMALL_100(0), SMALL_100(1), SMALL_100(2), SMALL_100(3), SMALL_100(4),
	SMALL_100(5), SMALL_100(6), SMALL_100(7), SMALL_100(8), SMALL_100(9),
};
