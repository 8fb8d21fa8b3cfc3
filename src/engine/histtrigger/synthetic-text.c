/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "engine/pair/plan.h"

#include <stdlib.h>
#include <string.h>

/*
 * Makes the texts of a synthetic event and its triggers. A histogram on START saves its time and
 * fields by the keys; one on END with the same keys makes the event
 * (kernel/trace/trace_events_hist.c, trace_events_synth.c; Documentation/trace/histogram.rst).
 */

/* Is the length of the shortest word that parse_action_params takes. */
#define WORD_LEAST 3

/* Returns whose trigger computes a field. END's trigger gets values of START in variables only. */
static enum latency_role where_of(const struct synth_field *field)
{
	return field->of[0].role == LATENCY_END || (field->op && field->of[1].role == LATENCY_END) ?
		       LATENCY_END :
		       LATENCY_BEGIN;
}

static bool is_saved(const struct synth_field *field)
{
	return field->op || where_of(field) == LATENCY_BEGIN ||
	       !strncmp(field->of[0].name, SYNTH_TIME, strlen(SYNTH_TIME)) ||
	       !strcmp(field->of[0].name, SYNTH_STACK) ||
	       strlen(field->of[0].name) < WORD_LEAST;
}

/*
 * Appends the name of variable i: the value of field i, or its operand of START, with which END
 * computes.
 */
static void add_variable(size_t i, enum latency_role role, struct tsh_strbuf *to)
{
	tsh_strbuf_addf(to, "%c%zu", role == LATENCY_BEGIN ? 'b' : 'e', i + 1);
}

/* Appends ",b2=prio". */
static void add_begin(const struct synth_field *field, size_t i, struct tsh_strbuf *to)
{
	const struct synth_operand *of = field->of;
	bool whole = where_of(field) == LATENCY_BEGIN;

	if (!whole && of[0].role == LATENCY_END && (!field->op || of[1].role == LATENCY_END))
		return;
	tsh_strbuf_addc(to, ',');
	add_variable(i, LATENCY_BEGIN, to);
	if (whole && field->op)
		tsh_strbuf_addf(to, "=%s%c%s", of[0].name, field->op, of[1].name);
	else
		tsh_strbuf_addf(to, "=%s", of[of[0].role == LATENCY_BEGIN ? 0 : 1].name);
}

static void add_end_operand(const struct synth_operand *of, size_t i, struct tsh_strbuf *to)
{
	if (of->role == LATENCY_END) {
		tsh_strbuf_adds(to, of->name);
		return;
	}
	tsh_strbuf_addc(to, '$');
	add_variable(i, LATENCY_BEGIN, to);
}

/* Appends ",e1=common_timestamp-$b1". */
static void add_end(const struct synth_field *field, size_t i, struct tsh_strbuf *to)
{
	if (where_of(field) == LATENCY_BEGIN || !is_saved(field))
		return;
	tsh_strbuf_addc(to, ',');
	add_variable(i, LATENCY_END, to);
	tsh_strbuf_addc(to, '=');
	add_end_operand(&field->of[0], i, to);
	if (field->op) {
		tsh_strbuf_addc(to, field->op);
		add_end_operand(&field->of[1], i, to);
	}
}

/*
 * Says whether END computes with a variable of START: reading it uses it up (resolve_var_refs,
 * read_once), so that no further END is paired with it.
 */
static bool is_used_up(const struct synth_plan *plan)
{
	size_t i;

	for (i = 0; i < plan->fields.n; i++) {
		const struct synth_field *field = &plan->fields.v[i];

		if (field->op && where_of(field) == LATENCY_END &&
		    (field->of[0].role == LATENCY_BEGIN || field->of[1].role == LATENCY_BEGIN))
			return true;
	}
	return false;
}

/* Appends "hist:keys=pid,prio:b1=common_timestamp,b2=prio". */
static void add_trigger(const struct synth_plan *plan, enum latency_role role,
			struct tsh_strbuf *to)
{
	size_t begin, i;

	for (i = 0; i < plan->spec.nkeys; i++)
		tsh_strbuf_addf(to, "%s%s", i ? "," : "hist:keys=", plan->spec.keys[role][i].title);
	begin = to->len;
	for (i = 0; i < plan->fields.n; i++) {
		if (role == LATENCY_BEGIN)
			add_begin(&plan->fields.v[i], i, to);
		else
			add_end(&plan->fields.v[i], i, to);
	}
	if (!is_used_up(plan))
		tsh_strbuf_adds(to, role == LATENCY_BEGIN ? ",b0=" SYNTH_TIME :
							    ",e0=" SYNTH_TIME "-$b0");
	if (to->len > begin)
		to->buf[begin] = ':';
}

/* Appends ":onmatch(sched.sched_waking).trace(NAME,$e1,next_pid)". */
static void add_action(const struct synth_plan *plan, struct tsh_strbuf *to)
{
	const struct tsh_event *begin = &plan->spec.events[LATENCY_BEGIN];
	size_t i;

	tsh_strbuf_addf(to, ":onmatch(%s.%s).trace(%s", begin->system, begin->name, plan->name);
	for (i = 0; i < plan->fields.n; i++) {
		const struct synth_field *field = &plan->fields.v[i];

		tsh_strbuf_adds(to, is_saved(field) ? ",$" : ",");
		if (is_saved(field))
			add_variable(i, where_of(field), to);
		else
			tsh_strbuf_adds(to, field->of[0].name);
	}
	tsh_strbuf_addc(to, ')');
}

static char *definition_of(const struct synth_plan *plan)
{
	struct tsh_strbuf text = TSH_STRBUF_INIT;
	size_t i;

	tsh_strbuf_adds(&text, plan->name);
	for (i = 0; i < plan->fields.n; i++) {
		const struct synth_field *field = &plan->fields.v[i];

		tsh_strbuf_addf(&text, "%s %s %s%s", i ? ";" : "", field->of[0].type, field->name,
				field->of[0].suffix);
	}
	return tsh_strbuf_detach(&text);
}

void synth_texts_make(const struct synth_plan *plan, struct synth_texts *ret)
{
	struct tsh_strbuf text = TSH_STRBUF_INIT;
	unsigned int role;

	ret->definition = definition_of(plan);
	for (role = 0; role < LATENCY_ROLES; role++) {
		add_trigger(plan, role, &text);
		if (role == LATENCY_END)
			add_action(plan, &text);
		if (plan->filters[role])
			tsh_strbuf_addf(&text, " if %s", plan->filters[role]);
		ret->triggers[role] = tsh_strbuf_detach(&text);
	}
}

void synth_texts_release(struct synth_texts *texts)
{
	unsigned int role;

	free(texts->definition);
	for (role = 0; role < LATENCY_ROLES; role++)
		free(texts->triggers[role]);
	*texts = (struct synth_texts){ 0 };
}
