/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <string.h>

#include "events/clock/clock.h"
#include "gather.h"

/* Reads the members of a line of JSON. */

#define NAME_MAX_LEN 255

/* ---- the name before it ---- */

size_t tsh_host_line_find(const char *line, size_t len, size_t *ret_name)
{
	const char *brace = len && *line == '{' ? line : memchr(line, '{', len);
	size_t end, i;

	*ret_name = 0;
	if (!brace)
		return SIZE_MAX;
	end = (size_t)(brace - line);
	while (end && (line[end - 1] == ' ' || line[end - 1] == '\t'))
		end--;
	if (end && end < (size_t)(brace - line) && line[end - 1] == ':')
		end--;
	/*
	 * Refuses blanks, which only a message has, and quotes and backslashes, which no name has.
	 */
	for (i = 0; i < end; i++)
		if ((unsigned char)line[i] <= ' ' || line[i] == '"' || line[i] == '\\')
			return SIZE_MAX;
	if (end > NAME_MAX_LEN || (end && line + end == brace))
		return SIZE_MAX;
	*ret_name = end;
	return (size_t)(brace - line);
}

/* ---- its members ---- */

static void set_time(struct tsh_host_line *line, const struct tsh_json_text *value)
{
	line->has_wall = tsh_time_read_iso(value->text, value->len, &line->wall);
}

static void set_error(struct tsh_host_line *line, const struct tsh_json_text *value)
{
	line->has_error = tsh_json_to_u64(value, &line->error_ns);
}

static void set_count(struct tsh_host_line *line, const struct tsh_json_text *value)
{
	line->has_count = tsh_json_to_u64(value, &line->count);
}

static void set_cpu(struct tsh_host_line *line, const struct tsh_json_text *value)
{
	if (!tsh_json_to_int(value, &line->cpu) || line->cpu < 0)
		line->cpu = -1;
}

static void set_pid(struct tsh_host_line *line, const struct tsh_json_text *value)
{
	(void)tsh_json_to_int(value, &line->pid);
}

static void set_tgid(struct tsh_host_line *line, const struct tsh_json_text *value)
{
	(void)tsh_json_to_int(value, &line->tgid);
}

static void set_format(struct tsh_host_line *line, const struct tsh_json_text *value)
{
	(void)tsh_json_to_u64(value, &line->format);
}

/* Reads "2.000123"; ignores decimals behind the ninth. */
static void set_seconds(struct tsh_host_line *line, const struct tsh_json_text *value)
{
	const char *dot = memchr(value->text, '.', value->len);
	struct tsh_json_text whole = *value;
	uint64_t seconds, unit = 1000000000, ns = 0;
	size_t i;

	if (dot)
		whole.len = (size_t)(dot - value->text);
	if (!tsh_json_to_u64(&whole, &seconds) || seconds > UINT64_MAX / 2000000000)
		return;
	for (i = whole.len + 1; i < value->len && unit > 1; i++) {
		if (value->text[i] < '0' || value->text[i] > '9')
			break;
		unit /= 10;
		ns += (uint64_t)(value->text[i] - '0') * unit;
	}
	line->ns = seconds * 1000000000 + ns;
}

#define TEXT(member) offsetof(struct tsh_host_line, member)

/* Lists the members that are read: numbers and times by a function, others as text. */
static const struct member {
	const char *name;
	unsigned char len;
	void (*set)(struct tsh_host_line *line, const struct tsh_json_text *value);
	size_t text;
} members[] = {
#define NAMED(name) name, sizeof(name) - 1
	{ NAMED("time"), set_time, 0 },
	{ NAMED("ts"), NULL, TEXT(ts) },
	{ NAMED("error_ns"), set_error, 0 },
	{ NAMED("cpu"), set_cpu, 0 },
	{ NAMED("pid"), set_pid, 0 },
	{ NAMED("tgid"), set_tgid, 0 },
	{ NAMED("comm"), NULL, TEXT(comm) },
	{ NAMED("flags"), NULL, TEXT(flags) },
	{ NAMED("event"), NULL, TEXT(event) },
	{ NAMED("text"), NULL, TEXT(body) },
	{ NAMED("host"), NULL, TEXT(host) },
	{ NAMED("count"), set_count, 0 },
	{ NAMED("seconds"), set_seconds, 0 },
	{ NAMED("format"), set_format, 0 },
	{ NAMED("boot_id"), NULL, TEXT(boot_id) },
	{ NAMED("kernel"), NULL, TEXT(kernel) },
	{ NAMED("instance"), NULL, TEXT(instance) },
	{ NAMED("clock"), NULL, TEXT(clock) },
	{ NAMED("condition"), NULL, TEXT(condition) },
#undef NAMED
};
#define N_MEMBERS (sizeof(members) / sizeof(members[0]))

/* Lists more keys that are known; their values are no strings or numbers. */
static const char *const others[] = {
	"type", "fields", "late", "unordered", "ambiguous", "damaged", "lost_unknown",
};

/* Returns the number of a name in `members`, then in `others`; -1: it is in neither. */
static int find_member(const char *name, size_t len)
{
	size_t i;

	for (i = 0; i < N_MEMBERS; i++)
		if (members[i].len == len && !memcmp(members[i].name, name, len))
			return (int)i;
	for (i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		if (strlen(others[i]) == len && !memcmp(others[i], name, len))
			return (int)(N_MEMBERS + i);
	return -1;
}

bool tsh_host_line_has_member(const char *name, size_t len)
{
	return find_member(name, len) >= 0;
}

static void set_value(struct tsh_host_line *line, int number, const struct tsh_json_text *value)
{
	const struct member *m;

	if (number < 0 || (size_t)number >= N_MEMBERS)
		return;
	m = &members[number];
	if (m->set)
		m->set(line, value);
	else
		memcpy((char *)line + m->text, value, sizeof(*value));
}

static void set_flag(struct tsh_host_line *line, const struct tsh_json_text *key)
{
	if (tsh_json_is(key, "late"))
		line->late = true;
	else if (tsh_json_is(key, "unordered"))
		line->unordered = true;
	else if (tsh_json_is(key, "ambiguous"))
		line->ambiguous = true;
	else if (tsh_json_is(key, "damaged"))
		line->damaged = true;
	else if (tsh_json_is(key, "lost_unknown"))
		line->lost_unknown = true;
}

/* Notes that a member was there. Returns false where it comes a second time. */
static bool note_member(struct tsh_host_line *line, const struct tsh_json_text *key, int number,
			uint32_t *seen)
{
	line->is_rewritten |= !key->is_plain || tsh_json_is(key, "host") ||
			      tsh_json_is(key, "late") || tsh_json_is(key, "unordered");
	if (number < 0)
		return true;
	if (*seen & UINT32_C(1) << number)
		return false;
	*seen |= UINT32_C(1) << number;
	return true;
}

/* Skips an object or array; keeps the place of the object "fields". */
static bool read_nested(struct tsh_host_line *line, struct tsh_json_reader *rd,
			const struct tsh_json_text *key, enum tsh_json_token token)
{
	const char *begin = rd->at - 1;

	if (!tsh_json_skip(rd, token))
		return false;
	if (token == TSH_JSON_OBJECT && tsh_json_is(key, "fields"))
		line->fields = (struct tsh_json_text){ begin, (size_t)(rd->at - begin), false };
	return true;
}

static const char *const kinds[] = {
	[TSH_HOST_START] = "start", [TSH_HOST_EVENT] = "event", [TSH_HOST_LOST] = "lost",
	[TSH_HOST_NOTE] = "note", [TSH_HOST_END] = "end",
};

static enum tsh_host_line_kind find_kind(const struct tsh_json_text *type)
{
	size_t i;

	for (i = 0; i < TSH_HOST_OTHER; i++)
		if (tsh_json_is(type, kinds[i]))
			break;
	return (enum tsh_host_line_kind)i;
}

/* Reads all members of the object. Returns false for bad JSON. */
static bool read_members(struct tsh_json_reader *rd, struct tsh_host_line *line,
			 struct tsh_json_text *ret_type)
{
	enum tsh_json_token token = tsh_json_next(rd);
	uint32_t seen = 0;

	for (; token == TSH_JSON_KEY; token = tsh_json_next(rd)) {
		struct tsh_json_text key = rd->value;
		int number = find_member(key.text, key.len);

		if (!note_member(line, &key, number, &seen))
			return false;
		token = tsh_json_next(rd);
		if (token == TSH_JSON_STRING && tsh_json_is(&key, "type"))
			*ret_type = rd->value;
		else if (token == TSH_JSON_STRING ||
			 (token == TSH_JSON_NUMBER && !tsh_json_is(&key, "host")))
			set_value(line, number, &rd->value);
		else if (token == TSH_JSON_TRUE)
			set_flag(line, &key);
		else if (!read_nested(line, rd, &key, token))
			return false;
	}
	return token == TSH_JSON_OBJECT_END && tsh_json_next(rd) == TSH_JSON_DONE;
}

bool tsh_host_line_read(const char *text, size_t len, struct tsh_host_line *ret)
{
	struct tsh_json_text type = { 0 };
	struct tsh_json_reader rd;

	*ret = (struct tsh_host_line){ .text = text, .cpu = -1, .pid = TSH_NO_PID };
	/* removes the end of a DOS line */
	while (len && (text[len - 1] == '\r' || text[len - 1] == ' ' || text[len - 1] == '\t'))
		len--;
	ret->len = len;
	tsh_json_read(&rd, text, len);
	if (tsh_json_next(&rd) != TSH_JSON_OBJECT || !read_members(&rd, ret, &type) || !type.text)
		return false;
	ret->kind = find_kind(&type);
	return true;
}
