/* pursuit_text.c - a loop for people: a row for each attempt, then the evidence, then the end.
 *
 * As in text.c the last lines are the ones that are read, so the verdict stands there, with the
 * next step below it.
 */
#include "report/parts.h"
#include "report/pursuit.h"

#include "base/vec.h"
#include "data/text.h"

#include <inttypes.h>

enum {
    INDENT = 2,
    ROOT_COLUMNS = 34,
    GOAL_COLUMNS = 48,
    CHANGES_SHOWN = 30,
    FINDINGS_SHOWN = 20, /* of one rule */
    MESSAGE_LINES = 20,
};

/* --- Tables: cells first, so that their widths are known --- */

typedef struct cell {
    mg_str text;
    const char *color; /* NULL: none */
} cell;

typedef struct table {
    cell *items;
    size_t count, cap, columns;
} table;

static void add_cell(mg_arena *arena, table *t, const char *color, mg_str text)
{
    mg_vec_push(arena, t, (cell){text, color});
}

static void put_table(const mg_pen *pen, const table *t)
{
    size_t widths[16] = {0};
    for (size_t i = 0; i < t->count; i++) {
        const size_t columns = mg_utf8_columns(t->items[i].text);
        widths[i % t->columns] = MG_MAX(widths[i % t->columns], columns);
    }
    for (size_t i = 0; i < t->count; i++) {
        const size_t at = i % t->columns;
        const cell *c = &t->items[i];
        const bool last = at + 1 == t->columns;
        mg_buf_fill(pen->out, ' ', INDENT); /* before the first, and between the others */
        if (c->color != NULL && c->text.len > 0)
            mg_pen_paint(pen, c->color, c->text);
        else
            mg_buf_add(pen->out, c->text);
        if (last)
            mg_buf_addc(pen->out, '\n');
        else
            mg_buf_fill(pen->out, ' ', widths[at] - mg_utf8_columns(c->text));
    }
}

/* --- Attempts --- */

static mg_str seconds(mg_arena *scratch, uint64_t ms)
{
    if (ms < 1000)
        return mg_strf(scratch, "%" PRIu64 " ms", ms);
    if (ms >= 600000)
        return mg_duration_text(scratch, ms / 1000 * 1000);
    return mg_strf(scratch, "%" PRIu64 ".%" PRIu64 " s", ms / 1000, ms / 100 % 10);
}

static mg_str changed_text(mg_arena *scratch, const mg_attempt *a)
{
    const size_t changed = mg_attempt_changed(a);
    int64_t added = 0, deleted = 0;
    for (size_t i = 0; i < a->changes.count; i++) {
        const mg_change *c = &a->changes.items[i];
        added += c->lines_added > 0 && !c->no_op ? c->lines_added : 0;
        deleted += c->lines_deleted > 0 && !c->no_op ? c->lines_deleted : 0;
    }
    if (changed == 0)
        return mg_attempt_judged(a) ? MG_STR("nothing") : MG_STR("-");
    return mg_strf(scratch, "%zu %s +%" PRId64 " -%" PRId64, changed,
                   changed == 1 ? "file" : "files", added, deleted);
}

static const char *color_of(mg_verdict verdict)
{
    if (verdict == MG_VERDICT_MET)
        return "32";
    return verdict == MG_VERDICT_NOT_MET ? "31" : "33";
}

static const char *word_of(const mg_attempt *a)
{
    if (!mg_attempt_judged(a))
        return "not judged";
    if (a->verdict == MG_VERDICT_MET)
        return "met";
    return a->verdict == MG_VERDICT_NOT_MET ? "not met" : "unknown";
}

static void add_attempt(const mg_pen *pen, table *t, const mg_attempt *a)
{
    mg_arena *scratch = pen->scratch;
    size_t holding = 0;
    for (size_t i = 0; i < a->result_count; i++)
        holding += a->results[i].outcome == MG_OUTCOME_PASS;
    add_cell(scratch, t, NULL, mg_strf(scratch, "%u", a->number));
    add_cell(scratch, t, NULL, mg_str_of(mg_attempt_status_name(a->status)));
    add_cell(scratch, t, color_of(a->verdict), mg_str_of(word_of(a)));
    add_cell(
        scratch, t, NULL,
        mg_strf(scratch, "%s%s", mg_terminal_name(a->terminal), a->watched ? " (watched)" : ""));
    add_cell(scratch, t, NULL,
             mg_attempt_judged(a) ? mg_strf(scratch, "%zu/%zu", holding, a->result_count)
                                  : MG_STR("-"));
    add_cell(scratch, t, NULL, changed_text(scratch, a));
    add_cell(scratch, t, NULL, seconds(scratch, a->duration_ms));
    add_cell(scratch, t, NULL,
             mg_strf(scratch, "%s%s", a->reason != NULL ? a->reason : "",
                     a->counted ? "" : " (not counted)"));
}

static void put_attempts(const mg_pen *pen, const mg_pursuit *p)
{
    static const char *const heads[] = {"attempt", "status",  "verdict", "ended",
                                        "hold",    "changed", "time",    "why"};
    table t = {.columns = MG_COUNT(heads)};
    if (p->attempt_count == 0)
        return;
    for (size_t i = 0; i < MG_COUNT(heads); i++)
        add_cell(pen->scratch, &t, "2", mg_str_of(heads[i]));
    for (size_t i = 0; i < p->attempt_count; i++)
        add_attempt(pen, &t, &p->attempts[i]);
    put_table(pen, &t);
    mg_buf_addc(pen->out, '\n');
}

/* --- Evidence --- */

static void put_labelled(const mg_pen *pen, const char *color, const char *label, mg_str text)
{
    mg_pen_paint(pen, color, mg_str_of(label));
    mg_buf_addc(pen->out, ' ');
    mg_pen_wrap(pen, strlen(label) + 1, mg_report_line(pen->scratch, text, MG_REPORT_SENTENCE));
    mg_buf_addc(pen->out, '\n');
}

/* Evidence that is older than the last thing that happened says how old it is. */
static void put_results(const mg_pen *pen, const mg_pursuit *p)
{
    const mg_look look = mg_pursuit_last_look(p);
    const bool current = mg_look_is_current(p, &look);
    if (look.count == 0 || (!current && pen->style->quiet))
        return;
    if (!current && look.after == NULL)
        mg_buf_adds(pen->out, "before any attempt:\n");
    else if (!current)
        mg_buf_addf(pen->out, "after attempt %u:\n", look.after->number);
    const size_t before = pen->out->len;
    for (size_t i = 0; i < look.count && !pen->style->quiet; i++)
        if (look.results[i].outcome == MG_OUTCOME_PASS)
            mg_pen_head(pen, &look.results[i], INDENT, 0);
    for (size_t i = 0; i < look.count; i++)
        if (look.results[i].outcome != MG_OUTCOME_PASS)
            mg_pen_block(pen, &look.results[i], INDENT);
    if (pen->out->len > before)
        mg_buf_addc(pen->out, '\n');
}

static void add_change(mg_arena *scratch, table *t, const mg_change *c)
{
    add_cell(scratch, t, NULL, mg_str_of(mg_change_name(c->type)));
    add_cell(scratch, t, NULL, mg_report_line(scratch, c->path, MG_REPORT_NAME));
    add_cell(scratch, t, "2",
             c->lines_added >= 0 && c->lines_deleted >= 0
                 ? mg_strf(scratch, "+%" PRId64 " -%" PRId64, c->lines_added, c->lines_deleted)
                 : MG_STR(""));
}

static void put_changes(const mg_pen *pen, const mg_attempt *a)
{
    const size_t all = mg_attempt_changed(a);
    table t = {.columns = 3};
    for (size_t i = 0; i < a->changes.count && t.count < (size_t)CHANGES_SHOWN * 3; i++)
        if (!a->changes.items[i].no_op)
            add_change(pen->scratch, &t, &a->changes.items[i]);
    put_table(pen, &t);
    if (all > CHANGES_SHOWN)
        mg_buf_addf(pen->out, "  and %zu more\n", all - CHANGES_SHOWN);
    if (all > 0)
        mg_buf_addc(pen->out, '\n');
}

/* The first line behind the label, the others on lines of their own below it. */
static void put_finding(const mg_pen *pen, const mg_finding *f)
{
    mg_str rest = mg_str_trim(f->message), line;
    const mg_str path = mg_report_line(pen->scratch, f->path, MG_REPORT_NAME);
    if (!mg_str_split(&rest, '\n', &line))
        line = MG_STR("");
    put_labelled(pen, f->level == MG_LEVEL_HIGH ? "31" : "33", "finding:",
                 mg_strf(pen->scratch, "%s: " MG_FMT "%s" MG_FMT, mg_level_name(f->level),
                         MG_ARG(path), path.len > 0 ? ": " : "", MG_ARG(line)));
    for (size_t n = 0; n < MESSAGE_LINES && mg_str_split(&rest, '\n', &line); n++)
        mg_buf_addf(pen->out, "         " MG_FMT "\n",
                    MG_ARG(mg_report_line(pen->scratch, line, MG_REPORT_LINE)));
}

static bool same_rule(const mg_finding *a, const mg_finding *b)
{
    return a->rule == b->rule ||
           (a->rule != NULL && b->rule != NULL && strcmp(a->rule, b->rule) == 0);
}

/* The findings of the rule of the first: some in full, the others counted. */
static void put_rule(const mg_pen *pen, const mg_findings *all, size_t first)
{
    size_t count = 0;
    for (size_t i = first; i < all->count; i++)
        if (same_rule(&all->items[first], &all->items[i]) && count++ < FINDINGS_SHOWN)
            put_finding(pen, &all->items[i]);
    if (count > FINDINGS_SHOWN)
        mg_buf_addf(pen->out, "         and %zu more\n", count - FINDINGS_SHOWN);
}

static void put_tampered(const mg_pen *pen, const mg_attempt *a)
{
    const bool paint = !a->restored && pen->style->color;
    for (size_t i = 0; i < a->tampered.count && i < FINDINGS_SHOWN; i++) {
        mg_buf_adds(pen->out, paint ? "\033[31m" : "");
        put_labelled(pen, a->restored || !paint ? "1;31" : "1", "tampered:",
                     mg_strf(pen->scratch, "'" MG_FMT "' is protected and was changed%s",
                             MG_ARG(a->tampered.items[i]),
                             a->restored ? "; everything protected is as it was again"
                                         : ", and it could not be put back"));
        mg_buf_adds(pen->out, paint ? "\033[0m" : "");
    }
    if (a->tampered.count > FINDINGS_SHOWN)
        mg_buf_addf(pen->out, "          and %zu more\n", a->tampered.count - FINDINGS_SHOWN);
}

static void put_findings(const mg_pen *pen, const mg_attempt *a)
{
    for (size_t i = 0; i < a->findings.count; i++) {
        bool told = false;
        for (size_t k = 0; k < i && !told; k++)
            told = same_rule(&a->findings.items[k], &a->findings.items[i]);
        if (!told)
            put_rule(pen, &a->findings, i);
    }
    put_tampered(pen, a);
    if (a->findings.count + a->tampered.count > 0)
        mg_buf_addc(pen->out, '\n');
}

/* --- The end --- */

static mg_str summary(const mg_pursuit *p, mg_arena *scratch)
{
    mg_look look = mg_pursuit_last_look(p);
    mg_buf out = mg_buf_new(scratch, 400);
    const bool current = mg_look_is_current(p, &look);
    const bool unjudged = p->status == MG_PURSUIT_CANCELLED && !current;
    const char *why = mg_why_name(p->reason);
    mg_buf_adds(&out, mg_pursuit_word(p));
    if (unjudged) {
        mg_buf_adds(&out, "; the goal was not judged");
        why = NULL; /* it would be the same word again */
    } else if (mg_pursuit_holds(p)) {
        mg_buf_adds(&out, ", verified");
    }
    if (!unjudged && !mg_pursuit_holds(p) &&
        (p->status == MG_PURSUIT_GAVE_UP || p->status == MG_PURSUIT_CANCELLED))
        mg_buf_addf(&out, ", %s",
                    p->last == MG_VERDICT_NOT_MET ? "the goal is not met" : "nothing is proved");
    if (why != NULL)
        mg_buf_addf(&out, " (%s)", why);
    if (!current && p->status != MG_PURSUIT_RUNNING)
        look = (mg_look){0}; /* what was seen before is not what there is */
    if (look.count > 0)
        mg_buf_addf(&out, " - %zu of %zu hold", look.holding, look.count);
    if (p->attempt_count == 0)
        mg_buf_adds(&out, look.count > 0 ? ", without an attempt" : " - without an attempt");
    else
        mg_buf_addf(&out, " %s %zu %s", unjudged ? "-" : "after", p->attempt_count,
                    p->attempt_count == 1 ? "attempt" : "attempts");
    mg_buf_addf(&out, " (" MG_FMT ")", MG_ARG(seconds(scratch, p->spent.time_ms)));
    if (p->spent.usage.cost_known)
        mg_buf_addf(&out, ", $%.2f", p->spent.usage.cost_usd);
    if (p->spent.usage.tokens_known)
        mg_buf_addf(&out, ", %" PRId64 " tokens",
                    p->spent.usage.input_tokens + p->spent.usage.output_tokens);
    return mg_buf_str(&out);
}

static const char *color_of_end(const mg_pursuit *p)
{
    if (mg_pursuit_holds(p))
        return "1;32";
    const bool failed = p->status == MG_PURSUIT_ERRORED ||
                        (p->status == MG_PURSUIT_GAVE_UP && p->last == MG_VERDICT_NOT_MET);
    return failed ? "1;31" : "1;33";
}

void mg_pursuit_text(const mg_pursuit *p, const mg_report_style *style, mg_arena *scratch,
                     mg_buf *out)
{
    const mg_report frame = {.goal = p->goal, .goal_file = p->goal_file};
    const mg_pen pen = {&frame, style, scratch, out};
    const mg_attempt *last = p->attempt_count > 0 ? &p->attempts[p->attempt_count - 1] : NULL;
    if (!style->quiet && p->goal.len > 0) {
        put_labelled(&pen, "1", "goal:", p->goal);
        mg_buf_addc(out, '\n');
    }
    if (!style->quiet)
        put_attempts(&pen, p);
    put_results(&pen, p);
    if (last != NULL && !style->quiet)
        put_changes(&pen, last);
    if (last != NULL)
        put_findings(&pen, last);
    for (size_t i = 0; i < p->warnings.count && !style->quiet; i++)
        put_labelled(&pen, "33", "warning:", p->warnings.items[i]);
    mg_pen_paint(&pen, "1", MG_STR("makegood:"));
    mg_buf_addc(out, ' ');
    mg_pen_paint(&pen, color_of_end(p), summary(p, scratch));
    mg_buf_addc(out, '\n');
    if (p->message.len > 0)
        put_labelled(&pen, "1", "next:", p->message);
}

/* --- The list --- */

static mg_str age(mg_arena *scratch, int64_t ms)
{
    static const struct {
        int64_t ms;
        const char *unit;
    } units[] = {{86400000, "d"}, {3600000, "h"}, {60000, "m"}, {1000, "s"}};
    for (size_t i = 0; i < MG_COUNT(units); i++)
        if (ms >= units[i].ms)
            return mg_strf(scratch, "%" PRId64 "%s", ms / units[i].ms, units[i].unit);
    return MG_STR("now");
}

/* The end of a path says more than its beginning. */
static mg_str short_path(mg_arena *scratch, mg_str path)
{
    const mg_str clean = mg_report_line(scratch, path, MG_REPORT_NAME);
    if (clean.len <= ROOT_COLUMNS)
        return clean;
    mg_str tail = mg_str_from(clean, clean.len - (ROOT_COLUMNS - 3));
    while (tail.len > 0 && ((unsigned char)tail.ptr[0] & 0xc0) == 0x80)
        tail = mg_str_from(tail, 1);
    return mg_strf(scratch, "..." MG_FMT, MG_ARG(tail));
}

/* As few characters of an id as tell it from the others here, but not fewer than 8. */
static size_t id_length(const mg_pursuit *items, size_t count)
{
    size_t longest = 8;
    for (size_t i = 0; i + 1 < count; i++) {
        for (size_t j = i + 1; j < MG_MIN(count, i + 64); j++) { /* those near in time are alike */
            const mg_str a = items[i].id, b = items[j].id;
            size_t same = 0;
            while (same < a.len && same < b.len && a.ptr[same] == b.ptr[same])
                same++;
            longest = MG_MAX(longest, same + 1);
        }
    }
    return longest;
}

void mg_pursuits_text(const mg_pursuit *items, size_t count, int64_t now_ms,
                      const mg_report_style *style, mg_arena *scratch, mg_buf *out)
{
    static const char *const heads[] = {"id",  "status", "reason", "attempts",
                                        "age", "root",   "goal"};
    const mg_report frame = {0};
    const mg_pen pen = {&frame, style, scratch, out};
    const size_t shown = id_length(items, count);
    table t = {.columns = MG_COUNT(heads)};
    for (size_t i = 0; i < MG_COUNT(heads) && !style->quiet; i++)
        add_cell(scratch, &t, "2", mg_str_of(heads[i]));
    for (size_t i = 0; i < count; i++) {
        const mg_pursuit *p = &items[i];
        const char *why = mg_why_name(p->reason);
        const mg_str title = mg_pursuit_title(p, scratch);
        const mg_str what = title.len > 0 ? title : MG_STR("-");
        add_cell(scratch, &t, NULL, mg_report_line(scratch, mg_str_first(p->id, shown), 40));
        add_cell(scratch, &t, color_of_end(p), mg_str_of(mg_pursuit_word(p)));
        add_cell(scratch, &t, NULL, mg_str_of(why != NULL ? why : "-"));
        add_cell(scratch, &t, NULL, mg_strf(scratch, "%u", p->attempt_total));
        add_cell(scratch, &t, NULL, age(scratch, now_ms - p->created_ms));
        add_cell(scratch, &t, NULL, short_path(scratch, p->root));
        add_cell(scratch, &t, NULL, mg_report_line(scratch, what, GOAL_COLUMNS));
    }
    if (count > 0)
        put_table(&pen, &t);
}
