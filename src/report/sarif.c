/* sarif.c - SARIF 2.1.0 for code scanning: what does not pass, at its line of the goal file.
 *
 * A failure is level error, an unknown one level warning. Fingerprints come from what an
 * entry is (kind, name), not from what it said or where it stood, so an alert stays the same
 * alert from run to run.
 */
#include "report/parts.h"

#include "base/clock.h"
#include "data/hash.h"
#include "data/json.h"

static const char schema[] =
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/os/schemas/sarif-schema-2.1.0.json";

static void put_text(mg_json_out *json, const char *key, mg_str text)
{
    mg_json_key(json, key);
    mg_json_str(json, text);
}

static void put_message(mg_json_out *json, const char *key, mg_str text)
{
    mg_json_key(json, key);
    mg_json_begin(json, '{');
    put_text(json, "text", text);
    mg_json_end(json, '}');
}

/* A path as a URI reference (RFC 3986): whatever is not unreserved is percent-encoded, so a
 * name with a colon is not taken for a scheme, nor one with a blank for two. */
static mg_str uri_of(mg_arena *scratch, mg_str path)
{
    static const char plain[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/";
    mg_buf uri = mg_buf_new(scratch, path.len * 3 + 8);
    if (mg_str_starts(path, "/"))
        mg_buf_adds(&uri, "file://");
    for (size_t i = 0; i < path.len; i++) {
        const char c = path.ptr[i];
        if (c != '\0' && strchr(plain, c) != NULL)
            mg_buf_addc(&uri, c);
        else
            mg_buf_addf(&uri, "%%%02X", (unsigned)(unsigned char)c);
    }
    return mg_buf_str(&uri);
}

static void put_location(mg_json_out *json, const mg_report *report, const mg_result *row,
                         mg_arena *scratch)
{
    if (report->goal_file.len == 0)
        return;
    mg_json_key(json, "locations");
    mg_json_begin(json, '[');
    mg_json_begin(json, '{');
    mg_json_key(json, "physicalLocation");
    mg_json_begin(json, '{');
    mg_json_key(json, "artifactLocation");
    mg_json_begin(json, '{');
    put_text(json, "uri", uri_of(scratch, report->goal_file));
    mg_json_end(json, '}');
    mg_json_key(json, "region");
    mg_json_begin(json, '{');
    mg_json_key(json, "startLine"); /* code scanning shows nothing that has no line */
    mg_json_int(json, row->line > 0 ? row->line : 1);
    mg_json_end(json, '}');
    mg_json_end(json, '}');
    mg_json_end(json, '}');
    mg_json_end(json, ']');
}

static void put_fingerprint(mg_json_out *json, const mg_result *row, mg_map *seen,
                            mg_arena *scratch)
{
    const mg_str kind = mg_str_of(mg_row_kind(row));
    const size_t times = mg_report_occurrence(seen, kind, row->name);
    mg_buf identity = mg_buf_new(scratch, kind.len + row->name.len + 32);
    mg_buf_add(&identity, kind);
    mg_buf_addc(&identity, '\0');
    mg_buf_add(&identity, row->name);
    mg_buf_addf(&identity, "%c%zu", '\0', times);
    mg_json_key(json, "partialFingerprints");
    mg_json_begin(json, '{');
    put_text(json, "makegoodEntry/v1", mg_sha256_hex(scratch, mg_buf_str(&identity)));
    mg_json_end(json, '}');
}

static mg_str message_of(const mg_report *report, const mg_result *row, mg_arena *scratch)
{
    const mg_str name = mg_report_line(scratch, row->name, MG_REPORT_NAME);
    const mg_str sentence = mg_report_sentence(row, scratch);
    const mg_str block = mg_str_trim(mg_report_block(report, row, scratch));
    return mg_strf(scratch, MG_FMT ": " MG_FMT "\n\n" MG_FMT, MG_ARG(name), MG_ARG(sentence),
                   MG_ARG(block));
}

static void put_properties(mg_json_out *json, const mg_result *row, mg_arena *scratch)
{
    const struct {
        const char *key;
        mg_str text;
    } texts[] = {
        {"name", row->name},
        {"expected", row->expected},
        {"observed", row->observed},
        {"recovery", row->recovery},
    };
    mg_json_key(json, "properties");
    mg_json_begin(json, '{');
    put_text(json, "verdict", mg_str_of(mg_outcome_name(row->outcome)));
    for (size_t i = 0; i < MG_COUNT(texts); i++)
        put_text(json, texts[i].key, mg_report_line(scratch, texts[i].text, MG_REPORT_SENTENCE));
    mg_json_key(json, "invariant");
    mg_json_bool(json, row->invariant);
    mg_json_end(json, '}');
}

static void put_results(mg_json_out *json, const mg_report *report, const mg_rows *rows,
                        mg_arena *scratch)
{
    mg_map seen = mg_map_new(scratch);
    mg_json_key(json, "results");
    mg_json_begin(json, '[');
    for (size_t i = 0; i < rows->count; i++) {
        const mg_result *row = rows->items[i];
        if (row->outcome == MG_OUTCOME_PASS)
            continue;
        const bool error = row->outcome == MG_OUTCOME_FAIL || mg_row_is_ours(row);
        mg_json_begin(json, '{');
        put_text(json, "ruleId", mg_str_of(mg_row_kind(row)));
        put_text(json, "level", mg_str_of(error ? "error" : "warning"));
        put_message(json, "message", message_of(report, row, scratch));
        put_location(json, report, row, scratch);
        put_fingerprint(json, row, &seen, scratch);
        put_properties(json, row, scratch);
        mg_json_end(json, '}');
    }
    mg_json_end(json, ']');
}

/* One rule for each kind that was used, passing ones included. */
static void put_rules(mg_json_out *json, const mg_rows *rows, mg_arena *scratch)
{
    mg_strs kinds = {0};
    mg_json_key(json, "rules");
    mg_json_begin(json, '[');
    for (size_t i = 0; i < rows->count; i++) {
        const mg_str kind = mg_str_of(mg_row_kind(rows->items[i]));
        if (mg_strs_has(&kinds, kind))
            continue;
        mg_strs_add(scratch, &kinds, kind);
        mg_json_begin(json, '{');
        put_text(json, "id", kind);
        put_message(json, "shortDescription",
                    mg_row_is_ours(rows->items[i])
                        ? MG_STR("the goal is proved by its assertions")
                        : mg_strf(scratch, "the assertion '" MG_FMT "' holds", MG_ARG(kind)));
        mg_json_end(json, '}');
    }
    mg_json_end(json, ']');
}

static void put_tool(mg_json_out *json, const mg_rows *rows, const char *version, mg_arena *scratch)
{
    mg_json_key(json, "tool");
    mg_json_begin(json, '{');
    mg_json_key(json, "driver");
    mg_json_begin(json, '{');
    put_text(json, "name", MG_STR("makegood"));
    if (version != NULL)
        put_text(json, "version", mg_str_of(version));
    put_rules(json, rows, scratch);
    mg_json_end(json, '}');
    mg_json_end(json, '}');
}

/* The check itself ran, whatever it found; its warnings are notes about the goal file. */
static void put_invocation(mg_json_out *json, const mg_report *report, mg_arena *scratch)
{
    mg_json_key(json, "invocations");
    mg_json_begin(json, '[');
    mg_json_begin(json, '{');
    mg_json_key(json, "executionSuccessful");
    mg_json_bool(json, true);
    put_text(json, "startTimeUtc", mg_time_rfc3339(scratch, report->started_ms));
    mg_json_key(json, "toolConfigurationNotifications");
    mg_json_begin(json, '[');
    for (size_t i = 0; i < report->warnings.count; i++) {
        mg_json_begin(json, '{');
        put_text(json, "level", MG_STR("warning"));
        put_message(json, "message",
                    mg_report_line(scratch, report->warnings.items[i], MG_REPORT_SENTENCE));
        mg_json_end(json, '}');
    }
    mg_json_end(json, ']');
    mg_json_end(json, '}');
    mg_json_end(json, ']');
}

static void write(const mg_report *report, const mg_report_style *style, mg_arena *scratch,
                  mg_buf *out)
{
    mg_json_out json = {.buf = out, .pretty = true};
    const mg_rows rows = mg_report_rows(report, scratch);
    mg_json_begin(&json, '{');
    put_text(&json, "$schema", mg_str_of(schema));
    put_text(&json, "version", MG_STR("2.1.0"));
    mg_json_key(&json, "runs");
    mg_json_begin(&json, '[');
    mg_json_begin(&json, '{');
    put_tool(&json, &rows, style->version, scratch);
    put_invocation(&json, report, scratch);
    put_results(&json, report, &rows, scratch);
    mg_json_key(&json, "properties");
    mg_json_begin(&json, '{');
    put_text(&json, "verdict", mg_str_of(mg_verdict_name(mg_report_verdict(report))));
    put_text(&json, "reason", mg_str_of(mg_report_reason(report)));
    if (report->left_out > 0) {
        mg_json_key(&json, "left_out");
        mg_json_int(&json, (int64_t)report->left_out);
    }
    mg_json_end(&json, '}');
    mg_json_end(&json, '}');
    mg_json_end(&json, ']');
    mg_json_end(&json, '}');
    mg_buf_addc(out, '\n');
}

const mg_reporter mg_reporter_sarif = {
    .name = "sarif",
    .summary = "SARIF 2.1.0 for code scanning; only what does not pass",
    .write = write,
};
