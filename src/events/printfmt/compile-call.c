/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <string.h>

#include "compile-internal.h"

/* Compiles calls of kernel functions whose value is a number. */

struct function;
typedef bool compile_function(struct compiler *c, const struct expr *e,
			      const struct function *function);

struct function {
	const char *name;
	compile_function *compile;
	uint8_t nargs;
	uint8_t size;			/* size of the result; 0: that of the kernel's long */
	bool is_signed;
	uint64_t number;		/* a number that `compile` uses, such as units per second */
};

#define NS_PER_SEC 1000000000

static bool arg(struct compiler *c, const struct expr *e, struct ctype type)
{
	if (!compile_number(c, e->arg[0]))
		return false;
	compile_convert(c, compile_type(e->arg[0]), type);
	return true;
}

/* Compiles a function that only changes the type: PTR_ERR(), ktime_to_ns(). */
static bool convert(struct compiler *c, const struct expr *e, const struct function *function)
{
	struct ctype type = { .size = function->size, .is_signed = function->is_signed };

	if (!type.size)
		type = compile_long(c, function->is_signed);
	return arg(c, e, type);
}

static bool divide(struct compiler *c, const struct expr *e, const struct function *function)
{
	if (!convert(c, e, function))
		return false;
	compile_binary_imm(c, function->is_signed ? INS_DIV_SIGNED : INS_DIV, function->number);
	return true;
}

static bool modulo(struct compiler *c, const struct expr *e, const struct function *function)
{
	if (!arg(c, e, compile_u64))
		return false;
	compile_binary_imm(c, INS_MOD, function->number);
	return true;
}

/* Compiles the kernel's division of 64-bit numbers. */
static bool div_u64(struct compiler *c, const struct expr *e, const struct function *function)
{
	struct expr quotient = { .kind = EXPR_BINARY, .op = EXPR_DIV, .arg = e->arg, .nargs = 2 };

	quotient.type = (struct ctype){ .size = 8, .is_signed = function->is_signed };
	return compile_number(c, &quotient);
}

static bool dynamic_len(struct compiler *c, const struct expr *e, const struct function *function)
{
	struct ins *ins;

	(void)function;
	if (!e->field)
		return compile_fail(c, "'%s' of something that is no field", e->text);
	compile_need(c, (size_t)e->field->offset + 4);
	ins = compile_ins(c, INS_LOAD);
	ins->size = 4;
	ins->at = e->field->offset;
	compile_binary_imm(c, INS_SHR, 16);
	return true;
}

static bool is_error(struct compiler *c, const struct expr *e, const struct function *function)
{
	struct ctype type = compile_long(c, false);

	(void)function;
	if (!arg(c, e, type))
		return false;
	compile_binary_imm(c, INS_GREATER, ctype_wrap(type, (uint64_t)-4096));
	return true;
}

/* ---- byte orders ---- */

static bool swap_if(struct compiler *c, const struct expr *e, const struct function *function,
		    bool is_swapped)
{
	if (!convert(c, e, function))
		return false;
	if (is_swapped)
		compile_ins(c, INS_SWAP)->size = function->size;
	return true;
}

static bool swap(struct compiler *c, const struct expr *e, const struct function *function)
{
	return swap_if(c, e, function, true);
}

static bool little(struct compiler *c, const struct expr *e, const struct function *function)
{
	return swap_if(c, e, function, c->env->layout.big_endian);
}

static bool big(struct compiler *c, const struct expr *e, const struct function *function)
{
	return swap_if(c, e, function, !c->env->layout.big_endian);
}

/* ---- jiffies: kernel/time/time.c ---- */

static uint64_t common_divisor(uint64_t a, uint64_t b)
{
	while (b) {
		uint64_t rest = a % b;

		a = b;
		b = rest;
	}
	return a;
}

/* Converts jiffies to units, of which a second has `number`. Rounds milliseconds up, and other
 * units down. */
static bool from_jiffies(struct compiler *c, const struct expr *e,
			 const struct function *function)
{
	const struct tsh_provider *provider = c->env->provider;
	uint64_t hz, divisor, by;

	if (!provider->variable || !provider->variable(provider->ctx, "HZ", &hz) || !hz)
		return compile_fail(c, "'HZ' is not known");
	if (!arg(c, e, compile_long(c, false)))
		return false;
	divisor = common_divisor(function->number, hz);
	by = hz / divisor;
	if (function->number != divisor)
		compile_binary_imm(c, INS_MUL, function->number / divisor);
	if (by > 1 && function->number == 1000)
		compile_binary_imm(c, INS_ADD, by - 1);
	if (by > 1)
		compile_binary_imm(c, INS_DIV, by);
	compile_ins(c, INS_ZERO_EXTEND)->size = 4;
	return true;
}

/* ---- interrupts: include/linux/trace_events.h, enum trace_flag_type ---- */

static bool in_interrupt(struct compiler *c, const struct expr *e,
			 const struct function *function)
{
	const struct tsh_field *flags = tsh_event_format_field(c->format, "common_flags");
	struct ins *ins;

	if (!flags || flags->kind != TSH_FIELD_INT)
		return compile_fail(c, "'%s' without common_flags", e->text);
	compile_need(c, (size_t)flags->offset + flags->size);
	ins = compile_ins(c, INS_LOAD);
	ins->size = (uint8_t)flags->size;
	ins->at = flags->offset;
	compile_binary_imm(c, INS_AND, function->number);
	return true;
}

/* ---- the table ---- */

#define HARDIRQ	0x08
#define SOFTIRQ	0x10

static const struct function functions[] = {
	{ "__get_dynamic_array_len", dynamic_len, 0, 4, false, 0 },
	{ "__get_rel_dynamic_array_len", dynamic_len, 0, 4, false, 0 },
	{ "__print_ns_to_secs", divide, 1, 8, false, NS_PER_SEC },
	{ "__print_ns_without_secs", modulo, 1, 4, false, NS_PER_SEC },
	{ "__event_in_hardirq", in_interrupt, 0, 4, true, HARDIRQ },
	{ "__event_in_softirq", in_interrupt, 0, 4, true, SOFTIRQ },
	{ "__event_in_irq", in_interrupt, 0, 4, true, HARDIRQ | SOFTIRQ },
	{ "jiffies_to_msecs", from_jiffies, 1, 4, false, 1000 },
	{ "jiffies_to_usecs", from_jiffies, 1, 4, false, 1000000 },
	{ "ktime_to_ns", convert, 1, 8, true, 0 },
	{ "ns_to_ktime", convert, 1, 8, true, 0 },
	{ "ktime_to_us", divide, 1, 8, true, 1000 },
	{ "ktime_to_ms", divide, 1, 8, true, 1000000 },
	{ "div_u64", div_u64, 2, 8, false, 0 },
	{ "div64_u64", div_u64, 2, 8, false, 0 },
	{ "div_s64", div_u64, 2, 8, true, 0 },
	{ "div64_s64", div_u64, 2, 8, true, 0 },
	{ "PTR_ERR", convert, 1, 0, true, 0 },
	{ "IS_ERR", is_error, 1, 4, true, 0 },
	{ "__swab16", swap, 1, 2, false, 0 },
	{ "__swab32", swap, 1, 4, false, 0 },
	{ "__swab64", swap, 1, 8, false, 0 },
	{ "le16_to_cpu", little, 1, 2, false, 0 }, { "__le16_to_cpu", little, 1, 2, false, 0 },
	{ "le32_to_cpu", little, 1, 4, false, 0 }, { "__le32_to_cpu", little, 1, 4, false, 0 },
	{ "le64_to_cpu", little, 1, 8, false, 0 }, { "__le64_to_cpu", little, 1, 8, false, 0 },
	{ "cpu_to_le16", little, 1, 2, false, 0 }, { "cpu_to_le32", little, 1, 4, false, 0 },
	{ "cpu_to_le64", little, 1, 8, false, 0 },
	{ "be16_to_cpu", big, 1, 2, false, 0 }, { "__be16_to_cpu", big, 1, 2, false, 0 },
	{ "be32_to_cpu", big, 1, 4, false, 0 }, { "__be32_to_cpu", big, 1, 4, false, 0 },
	{ "be64_to_cpu", big, 1, 8, false, 0 }, { "__be64_to_cpu", big, 1, 8, false, 0 },
	{ "cpu_to_be16", big, 1, 2, false, 0 }, { "cpu_to_be32", big, 1, 4, false, 0 },
	{ "cpu_to_be64", big, 1, 8, false, 0 },
	{ "ntohs", big, 1, 2, false, 0 }, { "htons", big, 1, 2, false, 0 },
	{ "ntohl", big, 1, 4, false, 0 }, { "htonl", big, 1, 4, false, 0 },
};

static const struct function *find_function(const char *name)
{
	size_t i;

	for (i = 0; i < sizeof(functions) / sizeof(functions[0]); i++)
		if (!strcmp(functions[i].name, name))
			return &functions[i];
	return NULL;
}

bool compile_call_type(const char *name, struct ctype *ret)
{
	const struct function *function = find_function(name);

	if (!function)
		return false;
	*ret = (struct ctype){ .size = function->size ? function->size : 8,
			       .is_signed = function->is_signed };
	return true;
}

bool compile_call(struct compiler *c, const struct expr *e)
{
	const struct function *function = find_function(e->text);

	if (!function)
		return compile_fail(c, "'%s' is not known", e->text);
	if (e->nargs != function->nargs)
		return compile_fail(c, "'%s' with %zu arguments", e->text, e->nargs);
	return function->compile(c, e, function);
}
