/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TRACESH_CMD_SHOW_PRINT_H
#define TRACESH_CMD_SHOW_PRINT_H

#include "show-layout.h"
#include "tracesh/cmd.h"

/* Items of the `trace` file into text, JSON, CSV, with wall-clock times. */
struct tsh_show_printer {
	struct tsh_out *out;
	const char *instance;		/* borrowed */
	struct tsh_show_layout layout;
	struct tsh_clock clock;
	struct tsh_time_text time;
	struct tsh_table *csv;
	uint64_t events;
};

/* Samples the clock. The instance is borrowed. */
void tsh_show_printer_init(struct tsh_show_printer *p, struct tsh_session *s);
/* The header, once the layout is known. */
void tsh_show_print_start(struct tsh_show_printer *p, const struct tsh_show_layout *layout);
void tsh_show_print(struct tsh_show_printer *p, const struct tsh_show_item *item);
void tsh_show_printer_end(struct tsh_show_printer *p);

#endif
