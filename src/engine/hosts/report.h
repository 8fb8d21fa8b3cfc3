/* engine/hosts/report.h - prints the summary of a merge */
/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_ENGINE_HOSTS_REPORT_H
#define TRACESH_ENGINE_HOSTS_REPORT_H

#include "engine/pipeline/range.h"
#include "gather.h"
#include "output/output.h"

/* Holds a merge that is over; all of it is borrowed. */
struct tsh_merge_report {
	struct tsh_out *out;
	const struct tsh_gather *gather;
	const struct tsh_range *range;
	enum tsh_gather_end end;
	uint64_t printed;		/* events */
};

/* Says whether a signal ended the merge before all that was there was read. (Nobody knows how much
 * more a pipe would have had.) */
bool tsh_merge_is_unread(const struct tsh_gather *g, enum tsh_gather_end end);
/* Prints notes: faults of inputs, a line for each host, and "801 events of 2 hosts, 0 lost". */
void tsh_merge_report_text(const struct tsh_merge_report *r);
/* Prints the same sums as an object {"type":"merged",..}. */
void tsh_merge_report_json(const struct tsh_merge_report *r);

#endif
