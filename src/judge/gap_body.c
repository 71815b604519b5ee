/* gap_body.c - everything the next attempt should know, as far as it fits.
 *
 * The body is a list of items in sections. All of it rarely fits where commands print much, so
 * items are chosen in rounds: first what is wrong, in a few lines each; then what the failing
 * commands printed; then what already holds. They are written in the order of the sections, and
 * the last line says what was left out.
 */
#include "judge/gap_body.h"

#include "base/vec.h"
#include "data/text.h"

#include <inttypes.h>

enum {
    NAME_CHARS = 200,
    LINE_CHARS = 500, /* expected, observed, a reason, a message */
    RECOVERY_CHARS = 1000,
    JUDGE_CHARS = 2000,
    TAIL_BYTES = 4096,   /* of the output of a command */
    NOTE_CHARS = 400,    /* kept free for the line about what was left out */
    HOLDING_CHARS = 600, /* what output leaves free for the names of what holds */
    DEEPEST = 8,
};

typedef enum section {
    JUDGED,
    PROTECTED,
    FAILING,
    UNCHECKED,
    DENIED,
    FOUND,
    ENDED,
    HOLDING,
    SECTIONS,
} section;

static const struct {
    const char *heading;
    const char *left_out; /* "5 of the entries that fail" */
} sections[SECTIONS] = {
    [JUDGED] = {"What the judge says:", "of the judge's words"},
    [PROTECTED] = {"Protected paths:", "of the protected paths that were put back"},
    [FAILING] = {"What does not hold:", "of what does not hold"},
    [UNCHECKED] = {"What could not be checked (it counts as not done):",
                   "of what could not be checked"},
    [DENIED] = {"What was denied:", "of what was denied"},
    [FOUND] = {"About changed files:", "of what is to be known about changed files"},
    [ENDED] = {"How the attempt ended:", "of how it ended"},
    [HOLDING] = {"What already holds (keep it so):", "of what already holds"},
};

typedef struct item {
    section section;
    unsigned round; /* 0: what is wrong; 1: output; 2: what holds */
    mg_str text;    /* ends with a line end */
    bool chosen;
} item;

typedef struct body {
    const mg_gap_work *w;
    item *items;
    size_t count, cap;
} body;

static void add(body *b, section where, unsigned round, mg_str text)
{
    mg_vec_push(b->w->arena, b, (item){where, round, text, false});
}

mg_str mg_gap_words(const mg_gap_work *w, mg_str text, size_t max_chars)
{
    const mg_str clean = mg_scrub_apply(w->scrub, MG_SCRUB_TEXT, text, w->arena);
    mg_buf line = mg_buf_new(w->arena, clean.len + 1);
    for (size_t i = 0; i < clean.len; i++) {
        const bool blank = clean.ptr[i] == '\n' || clean.ptr[i] == '\t';
        mg_buf_addc(&line, blank ? ' ' : clean.ptr[i]);
    }
    return mg_text_cut(w->arena, mg_str_trim(mg_buf_str(&line)), max_chars);
}

/* --- What is wrong --- */

static void add_line(mg_buf *buf, const char *indent, const char *label, mg_str text)
{
    if (text.len > 0)
        mg_buf_addf(buf, "%s%s: " MG_FMT "\n", indent, label, MG_ARG(text));
}

/* The parts of a group that make it fail or unknown, down to single assertions. */
static void add_parts(const mg_gap_work *w, const mg_result *group, unsigned depth, mg_buf *buf)
{
    for (size_t i = 0; i < group->child_count && depth < DEEPEST; i++) {
        const mg_result *child = &group->children[i];
        if (child->outcome == MG_OUTCOME_PASS)
            continue;
        if (child->child_count > 0) {
            add_parts(w, child, depth + 1, buf);
            continue;
        }
        const mg_str seen = child->outcome == MG_OUTCOME_FAIL ? child->observed : child->message;
        mg_buf_addf(buf, "  - " MG_FMT ": %s" MG_FMT "\n",
                    MG_ARG(mg_gap_words(w, child->name, NAME_CHARS)),
                    child->outcome == MG_OUTCOME_FAIL ? "" : "could not be checked: ",
                    MG_ARG(mg_gap_words(w, seen, LINE_CHARS)));
        add_line(buf, "    ", "to fix it", mg_gap_words(w, child->recovery, RECOVERY_CHARS));
    }
}

/* Where output was kept from its middle on, the first line is half a line: half a secret has no
 * shape by which it could be known. */
static mg_str from_whole_line(mg_str detail)
{
    const size_t line = mg_str_find(detail, '\n', 0);
    return mg_str_starts(detail, "...") && line < detail.len ? mg_str_from(detail, line + 1)
                                                             : detail;
}

static void add_output(body *b, section where, const mg_result *result, unsigned depth)
{
    const mg_gap_work *w = b->w;
    if (result->outcome == MG_OUTCOME_PASS || depth > DEEPEST)
        return;
    for (size_t i = 0; i < result->child_count; i++)
        add_output(b, where, &result->children[i], depth + 1);
    const mg_str detail =
        mg_scrub_apply(w->scrub, MG_SCRUB_TEXT, from_whole_line(result->detail), w->arena);
    if (mg_str_trim(detail).len == 0)
        return;
    const mg_str label = mg_strf(w->arena, "Output of '" MG_FMT "'",
                                 MG_ARG(mg_gap_words(w, result->name, NAME_CHARS)));
    add(b, where, 1, mg_fence(w->arena, label.ptr, detail, TAIL_BYTES));
}

static void add_failing(body *b, const mg_result *result)
{
    const mg_gap_work *w = b->w;
    mg_buf buf = mg_buf_new(w->arena, MG_GAP_TEXT * 4);
    mg_buf_addf(&buf, "- " MG_FMT "%s\n", MG_ARG(mg_gap_words(w, result->name, NAME_CHARS)),
                result->invariant ? " (it held before you began and must keep holding)" : "");
    add_line(&buf, "  ", "expected", mg_gap_words(w, result->expected, LINE_CHARS));
    add_line(&buf, "  ", "observed", mg_gap_words(w, result->observed, LINE_CHARS));
    add_line(&buf, "  ", "to fix it", mg_gap_words(w, result->recovery, RECOVERY_CHARS));
    add_parts(w, result, 0, &buf);
    add(b, FAILING, 0, mg_buf_str(&buf));
    add_output(b, FAILING, result, 0);
}

static void add_unchecked(body *b, const mg_result *result)
{
    const mg_gap_work *w = b->w;
    mg_buf buf = mg_buf_new(w->arena, MG_GAP_TEXT * 4);
    const mg_str why = result->message.len > 0 ? result->message : result->observed;
    mg_buf_addf(&buf, "- " MG_FMT "\n", MG_ARG(mg_gap_words(w, result->name, NAME_CHARS)));
    add_line(&buf, "  ", "why", mg_gap_words(w, why, LINE_CHARS));
    add_line(&buf, "  ", "to fix it", mg_gap_words(w, result->recovery, RECOVERY_CHARS));
    add_parts(w, result, 0, &buf);
    add(b, UNCHECKED, 0, mg_buf_str(&buf));
    add_output(b, UNCHECKED, result, 0);
}

static void add_tampered(body *b)
{
    const mg_attempt *a = b->w->facts->attempt;
    for (size_t i = 0; i < a->tampered.count; i++) {
        const mg_str path = mg_gap_words(b->w, a->tampered.items[i], NAME_CHARS);
        add(b, PROTECTED, 0,
            mg_strf(b->w->arena,
                    "- You changed '" MG_FMT "', which is protected%s. Do not change it.\n",
                    MG_ARG(path), a->restored ? "; that was undone" : ""));
    }
}

static bool is_name_char(char c)
{
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-' || c == '.';
}

mg_str mg_gap_denial(const mg_gap_work *w, mg_str denial)
{
    size_t end = 0;
    const mg_str text = mg_str_trim(denial);
    while (end < text.len && end < 40 && is_name_char(text.ptr[end]))
        end++;
    /* "Write", "Bash(npm test)", "edit: ...", "Write index.html": a tool stands in front. */
    const bool has_tool = end > 0 && (end == text.len || strchr("(: ", text.ptr[end]) != NULL);
    const mg_str tool = has_tool ? mg_gap_words(w, mg_str_first(text, end), 40) : MG_STR("a step");
    mg_str rest = mg_str_trim(mg_str_from(text, has_tool ? end : 0));
    if (mg_str_starts(rest, ":"))
        rest = mg_str_trim(mg_str_from(rest, 1));
    /* A path is what the agent asked for, not why it was refused. */
    const bool path = mg_str_has(rest, "/") && !mg_str_has(rest, " ");
    const mg_str why = path ? mg_gap_words(w, rest, LINE_CHARS)
                            : mg_scrub_apply(w->scrub, MG_SCRUB_BLOCKED, rest, w->arena);
    return why.len > 0 ? mg_strf(w->arena, MG_FMT ": " MG_FMT, MG_ARG(tool), MG_ARG(why)) : tool;
}

static void add_denials(body *b)
{
    const mg_gap_facts *facts = b->w->facts;
    const mg_strs *denials = facts->denials;
    if (denials == NULL || denials->count == 0)
        return;
    if (facts->denial_setting.len > 0)
        add(b, DENIED, 0,
            mg_strf(b->w->arena, "- For the person who runs this: " MG_FMT "\n",
                    MG_ARG(mg_gap_words(b->w, facts->denial_setting, LINE_CHARS))));
    for (size_t i = 0; i < denials->count; i++)
        add(b, DENIED, 0,
            mg_strf(b->w->arena, "- " MG_FMT "\n", MG_ARG(mg_gap_denial(b->w, denials->items[i]))));
}

static void add_findings(body *b, mg_level level)
{
    const mg_findings *findings = &b->w->facts->attempt->findings;
    for (size_t i = 0; i < findings->count; i++) {
        const mg_finding *f = &findings->items[i];
        if (f->level != level)
            continue;
        add(b, FOUND, 0,
            mg_strf(b->w->arena, "- " MG_FMT ": " MG_FMT " (%s, %s)\n",
                    MG_ARG(mg_gap_words(b->w, f->path, NAME_CHARS)),
                    MG_ARG(mg_gap_words(b->w, f->message, LINE_CHARS)), mg_level_name(level),
                    f->rule != NULL ? f->rule : "finding"));
    }
}

static void add_end(body *b)
{
    static const char *const limits[] = {
        [MG_TERMINAL_MAX_ITERATIONS] = "- It ran out of turns: make the change first.\n",
        [MG_TERMINAL_CANCELLED] = "- It was stopped from outside.\n",
        [MG_TERMINAL_TIMEOUT] = "- It ran out of time and was stopped.\n",
    };
    const mg_attempt *a = b->w->facts->attempt;
    if ((size_t)a->terminal < MG_COUNT(limits) && limits[a->terminal] != NULL && !a->watched)
        add(b, ENDED, 0, mg_str_of(limits[a->terminal]));
    else if (a->has_exit && a->exit_code != 0)
        add(b, ENDED, 0, mg_strf(b->w->arena, "- Exit code %" PRId64 ".\n", a->exit_code));
    if (a->error.len > 0)
        add(b, ENDED, 0,
            mg_strf(b->w->arena, "- " MG_FMT "\n",
                    MG_ARG(mg_gap_words(b->w, a->error, LINE_CHARS))));
    if (a->leftovers > 0)
        add(b, ENDED, 0,
            mg_strf(b->w->arena,
                    "- %u process%s still ran when it ended and %s stopped: start nothing that has "
                    "to stay.\n",
                    a->leftovers, a->leftovers == 1 ? "" : "es",
                    a->leftovers == 1 ? "was" : "were"));
}

static void add_results(body *b)
{
    const mg_attempt *a = b->w->facts->attempt;
    for (size_t i = 0; i < a->result_count; i++) {
        const mg_result *result = &a->results[i];
        if (result->outcome == MG_OUTCOME_FAIL)
            add_failing(b, result);
        else if (result->outcome != MG_OUTCOME_PASS)
            add_unchecked(b, result);
        else
            add(b, HOLDING, 2,
                mg_strf(b->w->arena, "- " MG_FMT "\n",
                        MG_ARG(mg_gap_words(b->w, result->name, NAME_CHARS))));
    }
}

/* --- Choosing and writing --- */

static size_t chars_of_round(const body *b, unsigned round)
{
    size_t chars = 0;
    for (size_t i = 0; i < b->count; i++)
        chars += b->items[i].round == round ? mg_utf8_columns(b->items[i].text) : 0;
    return chars;
}

/* Everything of a round is tried: a short item may fit where a long one did not. */
static void choose(body *b, size_t room)
{
    const size_t holding = MG_MIN(chars_of_round(b, 2), (size_t)HOLDING_CHARS);
    bool begun[SECTIONS] = {false};
    for (unsigned round = 0; round <= 2; round++) {
        const size_t kept = round == 1 ? holding : 0;
        for (size_t i = 0; i < b->count; i++) {
            item *it = &b->items[i];
            const size_t heading =
                begun[it->section] ? 0 : strlen(sections[it->section].heading) + 2;
            const size_t chars = mg_utf8_columns(it->text) + heading;
            if (it->round != round || chars + kept > room)
                continue;
            it->chosen = begun[it->section] = true;
            room -= chars;
        }
    }
}

static void write_sections(const body *b, mg_buf *buf)
{
    for (section s = JUDGED; s < SECTIONS; s++) {
        bool begun = false;
        for (size_t i = 0; i < b->count; i++) {
            if (!b->items[i].chosen || b->items[i].section != s)
                continue;
            if (!begun)
                mg_buf_addf(buf, "\n%s\n", sections[s].heading);
            begun = true;
            mg_buf_add(buf, b->items[i].text);
        }
    }
}

static void write_left_out(const body *b, mg_buf *buf)
{
    size_t outputs = 0, said = 0, counts[SECTIONS] = {0};
    for (size_t i = 0; i < b->count; i++) {
        outputs += !b->items[i].chosen && b->items[i].round == 1;
        counts[b->items[i].section] += !b->items[i].chosen && b->items[i].round != 1;
    }
    for (section s = JUDGED; s < SECTIONS; s++) {
        if (counts[s] > 0)
            mg_buf_addf(buf, "%s%zu %s", said++ > 0 ? ", " : "\nLeft out for length: ", counts[s],
                        sections[s].left_out);
    }
    if (outputs > 0)
        mg_buf_addf(buf, "%sthe output of %zu command%s",
                    said++ > 0 ? ", " : "\nLeft out for length: ", outputs,
                    outputs == 1 ? "" : "s");
    if (said > 0)
        mg_buf_adds(buf, ".\n");
}

mg_str mg_gap_text(const mg_gap_work *w, mg_str headline, mg_arena *arena)
{
    body b = {.w = w};
    const mg_str judged = mg_gap_words(w, w->facts->judge_gap, JUDGE_CHARS);
    if (!mg_str_eq(judged, headline) && judged.len > 0)
        add(&b, JUDGED, 0, mg_strf(w->arena, "- " MG_FMT "\n", MG_ARG(judged)));
    add_tampered(&b);
    add_results(&b);
    add_denials(&b);
    add_findings(&b, MG_LEVEL_HIGH);
    add_findings(&b, MG_LEVEL_MEDIUM);
    add_end(&b);
    choose(&b, MG_GAP_TEXT - NOTE_CHARS - mg_utf8_columns(headline) - 1);
    mg_buf buf = mg_buf_new(arena, (size_t)MG_GAP_TEXT * 4);
    mg_buf_add(&buf, headline);
    mg_buf_addc(&buf, '\n');
    write_sections(&b, &buf);
    write_left_out(&b, &buf);
    return mg_text_cut(arena, mg_buf_str(&buf), MG_GAP_TEXT);
}
