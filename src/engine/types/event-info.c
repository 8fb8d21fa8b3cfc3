/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "event-info.h"

#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/utf8.h"
#include "events/decode/decode.h"
#include "events/source/stream.h"
#include "kernel/tracefs/lines.h"
#include "pointers.h"
#include "session/event-format.h"
#include "session/util.h"

/* Prints the fields, print format and settings of events. */

struct info {
	const struct tsh_event *event;
	char *label;			/* system:name */
	struct tsh_strbuf text;		/* text of the format file */
	struct tsh_event_format *format;
	struct tsh_pointers pointers;
	const char *unprintable;	/* why its text is name=value; NULL: it is not */
	const char *printed_by;		/* library that prints it; or NULL: tracesh does */
	char *enable;			/* NULL: a recorded tree has none */
	char *filter;
	struct tsh_strlist triggers;
};

static char *event_file(const struct tsh_session *s, const struct tsh_event *event,
			const char *file)
{
	char *path = tsh_event_path(event, file);
	char *text = tsh_file_text(s->in, path);

	free(path);
	return text;
}

/* Reads the triggers; without any the file has only comments, which are no lines. */
static void read_triggers(const struct tsh_session *s, struct info *info)
{
	char *text = event_file(s, info->event, "trigger");

	if (text)
		tsh_lines_split(text, &info->triggers);
	free(text);
}

static int read_info(struct tsh_session *s, const struct tsh_event *event, bool with_state,
		     struct info *info, struct tsh_err *err)
{
	char *path = tsh_event_path(event, "format");
	int r;

	memset(info, 0, sizeof(*info));
	info->event = event;
	info->label = tsh_xasprintf("%s:%s", event->system, event->name);
	r = tsh_cmd_read_file(s, path, &info->text, err);
	if (!r && tsh_event_format_parse(event->system, info->text.buf, info->text.len,
					 &info->format) < 0)
		r = tsh_err_set(err, TSH_FAILED, "'%s' cannot be understood", path);
	free(path);
	if (r < 0 || !with_state)
		return r;
	info->enable = event_file(s, event, "enable");
	info->filter = tsh_event_filter(s->in, event);
	read_triggers(s, info);
	return 0;
}

static void release_info(struct info *info)
{
	free(info->label);
	tsh_strbuf_release(&info->text);
	tsh_event_format_free(info->format);
	free(info->enable);
	free(info->filter);
	tsh_strlist_release(&info->triggers);
}

/* Says in words whether the event is enabled. "0*", "1*": a trigger can change it. */
static const char *state_words(const struct info *info)
{
	if (!info->enable)
		return NULL;
	if (!strcmp(info->enable, "0"))
		return "no";
	if (!strcmp(info->enable, "1"))
		return "yes";
	if (!strcmp(info->enable, "0*"))
		return "no, a trigger can enable it";
	return "yes, a trigger can disable it";
}

/* ---- how its text is made ---- */

/* Holds what is read once for all events. decoder is NULL when the tree has no header_page. */
struct reader {
	struct tsh_live_provider *provider;
	struct tsh_decoder *decoder;
	struct tsh_own_place place;	/* instance that is decoded */
	struct tsh_decoding *decoding;	/* NULL: no library prints events */
	struct tsh_types types;		/* open also without a decoder */
};

static void open_reader(struct tsh_session *s, struct reader *reader)
{
	struct tsh_page_layout layout;
	char *text = tsh_file_text(s->in, "events/header_page");

	*reader = (struct reader){ 0 };
	tsh_types_open(s, &reader->types);
	if (text && !tsh_page_layout_parse(&layout, text, strlen(text))) {
		reader->provider = tsh_live_provider_new(s->in);
		reader->decoder = tsh_decoder_new(tsh_live_provider(reader->provider), &layout);
		reader->place = (struct tsh_own_place){ s, s->in };
		reader->decoding = tsh_attach_decoders(&reader->place, reader->decoder);
	}
	free(text);
}

static void close_reader(struct reader *reader)
{
	tsh_types_close(&reader->types);
	if (!reader->decoder)
		return;
	tsh_decoder_free(reader->decoder);
	tsh_live_provider_free(reader->provider);
}

static void ask_reader(struct reader *reader, struct info *info)
{
	const struct tsh_event_format *format = NULL;

	if (reader->decoder) {
		tsh_live_provider_add_event(reader->provider, info->event->system, info->event->name,
				       info->format->id);
		format = tsh_decoder_format(reader->decoder, info->format->id);
	}
	info->unprintable = format ? format->unprintable : NULL;
	info->printed_by = format ? format->printed_by : NULL;
	if (format && reader->decoding && reader->place.s->settings.decoders == TSH_DECODERS_ALL &&
	    !info->printed_by && !info->unprintable)
		info->printed_by = "tracesh, as libtraceevent has no text for its format";
	tsh_pointers_begin(&reader->types, info->format, &info->pointers);
}

/* ---- --plain: "    TYPE NAME;" as the format file declares it ---- */

/* Gives the declaration between "field:" and ";" with single blanks, as tplist -v prints it.
 * Returns false for common fields. */
static bool plain_field(const char *line, struct tsh_strbuf *ret)
{
	static const char key[] = "field:";
	const char *p = strstr(line, key), *end, *name;

	tsh_strbuf_clear(ret);
	if (!p)
		return false;
	p += sizeof(key) - 1;
	end = strchr(p, ';');
	for (; end && p < end; p++)
		if (*p != ' ' && *p != '\t')
			tsh_strbuf_addc(ret, *p);
		else if (ret->len && ret->buf[ret->len - 1] != ' ')
			tsh_strbuf_addc(ret, ' ');
	tsh_strbuf_rtrim(ret);
	if (!ret->len)
		return false;
	name = strrchr(ret->buf, ' ');
	return strncmp(name ? name + 1 : ret->buf, "common_", 7) != 0;
}

static void print_plain(struct tsh_out *out, const struct info *info)
{
	struct tsh_strbuf field = TSH_STRBUF_INIT;
	struct tsh_strlist lines = { 0 };
	size_t i;

	tsh_out_line(out, "%s", info->label);
	tsh_strlist_split_lines(&lines, info->text.buf);
	for (i = 0; i < lines.n; i++)
		if (plain_field(lines.v[i], &field))
			tsh_out_line(out, "    %s;", field.buf);
	tsh_strlist_release(&lines);
	tsh_strbuf_release(&field);
}

/* ---- text ---- */

static void add_cell(struct tsh_strbuf *line, const char *text, size_t width)
{
	char *clean = tsh_sanitize_dup(text);
	size_t columns = tsh_utf8_width(clean, strlen(clean));

	tsh_strbuf_adds(line, clean);
	tsh_strbuf_addn(line, ' ', (columns < width ? width - columns : 0) + 2);
	free(clean);
}

static void print_fields(struct tsh_out *out, const struct tsh_event_format *format)
{
	struct tsh_strbuf line = TSH_STRBUF_INIT;
	size_t i, width = strlen("TYPE"), name_width = strlen("FIELD");

	for (i = 0; i < format->nfields; i++) {
		const struct tsh_field *f = &format->fields[i];
		size_t type = tsh_utf8_width(f->type, strlen(f->type));
		size_t name = tsh_utf8_width(f->name, strlen(f->name));

		width = type > width ? type : width;
		name_width = name > name_width ? name : name_width;
	}
	add_cell(&line, "TYPE", width);
	add_cell(&line, "FIELD", name_width);
	tsh_out_line(out, "    %sOFFSET  SIZE  SIGNED", line.buf);
	for (i = 0; i < format->nfields; i++) {
		const struct tsh_field *f = &format->fields[i];

		tsh_strbuf_clear(&line);
		add_cell(&line, f->type, width);
		add_cell(&line, f->name, name_width);
		tsh_out_line(out, "    %s%6u  %4u  %s", line.buf, f->offset, f->size,
			     f->is_signed ? "yes" : "no");
	}
	tsh_strbuf_release(&line);
}

/* Prints the types that pointers point to, and the arguments of the tracepoint, from which the
 * fields are made. */
static void print_pointers(struct tsh_out *out, const struct info *info)
{
	char *arguments = tsh_pointer_arguments(&info->pointers);
	size_t i;

	for (i = 0; i < info->format->nfields; i++) {
		const struct tsh_field *f = &info->format->fields[i];
		char *type = tsh_pointer_type(&info->pointers, f);

		if (type)
			tsh_out_line(out, "  pointer:  %s is a %s", f->name, type);
		free(type);
	}
	if (arguments)
		tsh_out_line(out, "  args:     %s", arguments);
	free(arguments);
}

static void print_text(struct tsh_out *out, const struct info *info)
{
	const char *state = state_words(info);
	size_t i;

	tsh_out_line(out, "%s", info->label);
	print_fields(out, info->format);
	print_pointers(out, info);
	tsh_out_line(out, "  print:    %s", info->format->print_fmt ? info->format->print_fmt : "");
	if (info->printed_by)
		tsh_out_line(out, "  text:     by %s%s%s", info->printed_by, info->unprintable ? ", for " : "",
			     info->unprintable ? info->unprintable : "");
	else if (info->unprintable)
		tsh_out_line(out, "  text:     name=value of the fields, for %s%s", info->unprintable,
			     tsh_libraries->built ? "" : "; this build is without libtraceevent");
	tsh_out_line(out, "  id:       %u", info->format->id);
	/* prints the filter of a recording, too, which has no state */
	if (state)
		tsh_out_line(out, "  enabled:  %s", state);
	if (state || info->filter)
		tsh_out_line(out, "  filter:   %s", info->filter ? info->filter : "none");
	for (i = 0; i < info->triggers.n; i++)
		tsh_out_line(out, "  trigger:  %s", info->triggers.v[i]);
	if (state && !info->triggers.n)
		tsh_out_line(out, "  trigger:  none");
}

/* ---- JSON, CSV ---- */

static void json_fields(struct tsh_json *js, const struct info *info)
{
	const struct tsh_event_format *format = info->format;
	size_t i;

	tsh_json_key(js, "fields");
	tsh_json_array(js);
	for (i = 0; i < format->nfields; i++) {
		const struct tsh_field *f = &format->fields[i];
		char *pointer = tsh_pointer_type(&info->pointers, f);

		tsh_json_object(js);
		tsh_json_kstr(js, "name", f->name);
		tsh_json_kstr(js, "type", f->type);
		tsh_json_ku64(js, "offset", f->offset);
		tsh_json_ku64(js, "size", f->size);
		tsh_json_kbool(js, "signed", f->is_signed);
		tsh_json_kbool(js, "common", f->is_common);
		if (pointer)
			tsh_json_kstr(js, "pointer", pointer);
		free(pointer);
		tsh_json_object_end(js);
	}
	tsh_json_array_end(js);
}

static void print_json(struct tsh_out *out, const struct info *info)
{
	struct tsh_json js;
	size_t i;

	tsh_json_line(&js, &out->data, "info");
	tsh_json_kstr(&js, "event", info->label);
	tsh_json_ku64(&js, "id", info->format->id);
	json_fields(&js, info);
	tsh_json_kstr(&js, "print", info->format->print_fmt);
	if (info->unprintable)
		tsh_json_kstr(&js, "unprintable", info->unprintable);
	if (info->printed_by)
		tsh_json_kstr(&js, "printed_by", info->printed_by);
	if (info->enable)
		tsh_json_kbool(&js, "enabled", info->enable[0] == '1');
	if (info->enable || info->filter)
		tsh_json_kstr(&js, "filter", info->filter);
	if (info->enable) {
		tsh_json_key(&js, "triggers");
		tsh_json_array(&js);
		for (i = 0; i < info->triggers.n; i++)
			tsh_json_str(&js, info->triggers.v[i]);
		tsh_json_array_end(&js);
	}
	tsh_json_line_end(&js);
	tsh_out_flush_if_full(out);
}

static void csv_rows(struct tsh_table *table, const struct info *info)
{
	size_t i;

	for (i = 0; i < info->format->nfields; i++) {
		const struct tsh_field *f = &info->format->fields[i];

		tsh_table_row(table);
		tsh_table_text(table, info->label);
		tsh_table_text(table, f->name);
		tsh_table_text(table, f->type);
		tsh_table_number(table, f->offset);
		tsh_table_number(table, f->size);
		tsh_table_bool(table, f->is_signed);
	}
}

/* ---- any format ---- */

static void print_info(struct tsh_session *s, struct tsh_table *csv, const struct info *info,
		       bool plain, bool first)
{
	if (csv) {
		csv_rows(csv, info);
	} else if (s->out->format == TSH_FORMAT_JSON) {
		print_json(s->out, info);
	} else if (plain) {
		print_plain(s->out, info);
	} else {
		if (!first)
			tsh_out_line(s->out, "%s", "");
		print_text(s->out, info);
	}
}

int tsh_event_info_print(struct tsh_session *s, const struct tsh_events *events, bool plain, struct tsh_err *err)
{
	static const struct tsh_column columns[] = {
		{ "event", TSH_COLUMN_TEXT }, { "field", TSH_COLUMN_TEXT },
		{ "type", TSH_COLUMN_TEXT }, { "offset", TSH_COLUMN_NUMBER },
		{ "size", TSH_COLUMN_NUMBER }, { "signed", TSH_COLUMN_BOOL }, { 0 }
	};
	bool with_state = !plain && s->out->format != TSH_FORMAT_CSV;
	struct tsh_table *csv = NULL;
	struct reader reader;
	struct info info;
	int r = 0;
	size_t i;

	if (s->out->format == TSH_FORMAT_CSV)
		csv = tsh_table_begin(s->out, "field", columns);
	open_reader(s, &reader);
	for (i = 0; !r && i < events->n && !s->out->closed; i++) {
		if (tsh_cmd_is_aborted(s)) {
			r = -1;
			break;
		}
		r = read_info(s, &events->v[i], with_state, &info, err);
		if (!r) {
			ask_reader(&reader, &info);
			print_info(s, csv, &info, plain, i == 0);
		}
		release_info(&info);
	}
	if (csv)
		tsh_table_end(csv);
	tsh_warn_of_decoders(s, reader.decoding);
	close_reader(&reader);
	return r;
}
