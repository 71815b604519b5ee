/* parts.c - counting, the rows of a report, its summary, and foreign text made safe. */
#include "report/parts.h"

#include "base/vec.h"
#include "data/text.h"

#include <inttypes.h>

static const char our_kind[] = "makegood"; /* told apart by its address, not by its letters */

mg_counts mg_report_counts(const mg_report *report)
{
    mg_counts n = {0};
    for (size_t i = 0; i < report->result_count; i++) {
        const mg_outcome outcome = report->results[i].outcome;
        n.passed += outcome == MG_OUTCOME_PASS;
        n.failed += outcome == MG_OUTCOME_FAIL;
    }
    n.unknown = report->result_count - n.passed - n.failed;
    return n;
}

mg_verdict mg_report_verdict(const mg_report *report)
{
    if (report == NULL)
        return MG_VERDICT_UNKNOWN;
    if (report->verdict == MG_VERDICT_NOT_MET)
        return MG_VERDICT_NOT_MET;
    if (report->verdict != MG_VERDICT_MET)
        return MG_VERDICT_UNKNOWN;
    const mg_counts n = mg_report_counts(report);
    if (n.failed > 0)
        return MG_VERDICT_NOT_MET;
    return n.unknown > 0 || n.passed == 0 ? MG_VERDICT_UNKNOWN : MG_VERDICT_MET;
}

const char *mg_report_reason(const mg_report *report)
{
    if (report != NULL && mg_report_verdict(report) != report->verdict)
        return "results_disagree";
    return report != NULL && report->reason != NULL ? report->reason : "not_given";
}

const char *mg_row_kind(const mg_result *row)
{
    return row->kind != NULL ? row->kind : "unknown";
}

bool mg_row_is_ours(const mg_result *row)
{
    return row->kind == our_kind;
}

/* The row that keeps a report from looking green. */
static mg_result our_row(const mg_report *report, mg_verdict verdict, mg_arena *scratch)
{
    const bool empty = report->result_count == 0;
    const char *name = empty                           ? "nothing was asserted"
                       : verdict == MG_VERDICT_NOT_MET ? "the goal does not hold"
                                                       : "the goal is not proved";
    const char *observed = empty ? "no assertion was evaluated, so nothing is proved"
                                 : "every entry holds, but that does not prove the goal";
    return (mg_result){
        .outcome = verdict == MG_VERDICT_NOT_MET ? MG_OUTCOME_FAIL : MG_OUTCOME_UNKNOWN,
        .kind = our_kind,
        .name = mg_str_of(name),
        .expected = MG_STR("evidence that the goal holds"),
        .observed = mg_strf(scratch, "%s (%s)", observed, mg_report_reason(report)),
        .recovery = report->advice,
    };
}

mg_rows mg_report_rows(const mg_report *report, mg_arena *scratch)
{
    mg_rows rows = {0};
    const mg_counts n = mg_report_counts(report);
    const mg_verdict verdict = mg_report_verdict(report);
    for (size_t i = 0; i < report->result_count; i++)
        mg_vec_push(scratch, &rows, &report->results[i]);
    if (verdict != MG_VERDICT_MET && n.failed + n.unknown == 0) {
        mg_result *ours = mg_new(scratch, mg_result);
        *ours = our_row(report, verdict, scratch);
        mg_vec_push(scratch, &rows, ours);
    }
    return rows;
}

mg_str mg_report_seconds(mg_arena *scratch, uint64_t duration_us)
{
    const uint64_t ms = duration_us / 1000 + (duration_us % 1000 >= 500);
    return mg_strf(scratch, "%" PRIu64 ".%03" PRIu64, ms / 1000, ms % 1000);
}

mg_str mg_report_summary(const mg_report *report, mg_arena *scratch)
{
    static const char *const words[] = {
        [MG_VERDICT_UNKNOWN] = "unverified",
        [MG_VERDICT_MET] = "met",
        [MG_VERDICT_NOT_MET] = "not met",
    };
    const mg_verdict verdict = mg_report_verdict(report);
    const mg_counts n = mg_report_counts(report);
    mg_buf buf = mg_buf_new(scratch, 400);
    mg_buf_addf(&buf, "%s - ", words[verdict]);
    if (report->result_count == 0)
        mg_buf_adds(&buf, "nothing was asserted, so nothing is proved");
    else
        mg_buf_addf(&buf, "%zu of %zu passed", n.passed, report->result_count);
    if (n.failed > 0)
        mg_buf_addf(&buf, ", %zu failed", n.failed);
    if (n.unknown > 0)
        mg_buf_addf(&buf, ", %zu unknown", n.unknown);
    if (verdict != MG_VERDICT_MET && n.passed > 0 && n.passed == report->result_count)
        mg_buf_adds(&buf, verdict == MG_VERDICT_NOT_MET ? ", and yet the goal does not hold"
                                                        : ", but that proves nothing");
    if (report->left_out > 0)
        mg_buf_addf(&buf, "; %zu %s not asked (--only)", report->left_out,
                    report->left_out == 1 ? "entry was" : "entries were");
    const mg_str seconds = mg_report_seconds(scratch, report->duration_us);
    mg_buf_addf(&buf, " (" MG_FMT " s)", MG_ARG(seconds));
    return mg_buf_str(&buf);
}

/* Harmless in a terminal, but not in every format: U+FFFE and U+FFFF may stand neither in XML
 * nor in YAML, and some readers take U+2028 and U+2029 for line ends. */
static bool is_trick(const unsigned char *p)
{
    return (p[0] == 0xef && p[1] == 0xbf && p[2] >= 0xbe) ||
           (p[0] == 0xe2 && p[1] == 0x80 && (p[2] == 0xa8 || p[2] == 0xa9));
}

static mg_str without_tricks(mg_arena *scratch, mg_str s)
{
    size_t i = 0;
    while (i + 2 < s.len && !is_trick((const unsigned char *)s.ptr + i))
        i++;
    if (i + 2 >= s.len)
        return s;
    char *bytes = mg_arena_alloc(scratch, s.len);
    memcpy(bytes, s.ptr, s.len);
    for (; i + 2 < s.len; i++) {
        if (is_trick((const unsigned char *)bytes + i))
            memcpy(bytes + i, "\xef\xbf\xbd", 3); /* U+FFFD, just as long */
    }
    return (mg_str){bytes, s.len};
}

mg_str mg_report_line(mg_arena *scratch, mg_str s, size_t max_bytes)
{
    return without_tricks(scratch, mg_text_line(scratch, s, max_bytes));
}

mg_strs mg_report_tail(mg_arena *scratch, mg_str output, size_t *left_out)
{
    mg_strs lines = {0};
    size_t total = 0;
    mg_str text = output;
    while (text.len > 0 && (text.ptr[text.len - 1] == '\n' || text.ptr[text.len - 1] == '\r'))
        text.len--;
    for (size_t at = 0; text.len > 0 && at <= text.len; total++)
        at = mg_str_find(text, '\n', at) + 1;

    *left_out = total > MG_REPORT_TAIL ? total - MG_REPORT_TAIL : 0;
    mg_str rest = text.len > 0 ? text : (mg_str){0}, line;
    for (size_t number = 0; mg_str_split(&rest, '\n', &line); number++) {
        if (number < *left_out)
            continue;
        const bool cut = line.len > MG_REPORT_LINE;
        mg_str shown = mg_str_first(line, MG_REPORT_LINE);
        if (cut)
            shown.len -= mg_utf8_cut(shown);
        else if (shown.len > 0 && shown.ptr[shown.len - 1] == '\r')
            shown.len--;
        shown = without_tricks(scratch, mg_text_clean(scratch, shown));
        mg_strs_add(scratch, &lines, cut ? mg_strf(scratch, MG_FMT "...", MG_ARG(shown)) : shown);
    }
    return lines;
}

size_t mg_report_occurrence(mg_map *seen, mg_str kind, mg_str name)
{
    mg_buf key = mg_buf_new(seen->arena, kind.len + name.len + 1);
    mg_buf_add(&key, kind);
    mg_buf_addc(&key, '\0');
    mg_buf_add(&key, name);
    size_t *times = mg_map_get(seen, mg_buf_str(&key));
    if (times == NULL) {
        times = mg_new(seen->arena, size_t);
        (void)mg_map_put(seen, mg_buf_str(&key), times);
    }
    return ++*times;
}
