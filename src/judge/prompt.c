/* prompt.c - what an attempt is told.
 *
 * The goal and its entries are the user's own words and stand as they are; gaps were sanitised
 * when they were made. What has to go so that the whole stays within its bound is the oldest
 * history, and the prompt says how much of it.
 */
#include "judge/prompt.h"

#include "check/command.h"
#include "data/scrub.h"
#include "data/text.h"
#include "judge/history.h"

#include <inttypes.h>

enum {
    GOAL_BYTES = 24 * 1024, /* a longer goal is cut, and says so */
    LIST_BYTES = 4 * 1024,  /* names of entries, invariants, globs: each list */
    LINE_BYTES = 300,
    CLOSING_BYTES = 256,
};

/* --- Without a goal text: its commands --- */

static bool is_command(const mg_entry *entry)
{
    return entry->type == MG_ENTRY_LEAF && entry->kind != NULL &&
           strcmp(entry->kind->name, "command_returns") == 0;
}

static mg_str command_text(const mg_entry *entry, mg_arena *arena)
{
    const mg_value *run = mg_arg(entry->args, "run");
    if (run->text.len > 0)
        return mg_str_trim(run->text);
    mg_buf buf = mg_buf_new(arena, GOAL_BYTES);
    for (size_t i = 0; i < run->texts.count; i++)
        mg_buf_addf(&buf, "%s" MG_FMT, i > 0 ? " " : "", MG_ARG(run->texts.items[i]));
    return mg_buf_str(&buf);
}

static void add_command(mg_buf *buf, const mg_entry *entry, mg_arena *arena)
{
    const int64_t code = mg_arg_int(entry->args, "exit_code");
    mg_str rest = command_text(entry, arena), line;
    while (mg_str_split(&rest, '\n', &line))
        mg_buf_addf(buf, "    " MG_FMT "\n", MG_ARG(line));
    if (code != 0)
        mg_buf_addf(buf, "(it has to end with exit code %" PRId64 ")\n", code);
}

static void add_commands(mg_buf *buf, const mg_goal *goal, mg_arena *arena)
{
    size_t commands = 0;
    for (size_t i = 0; i < goal->entries.count; i++)
        commands += !goal->entries.items[i]->invariant && is_command(goal->entries.items[i]);
    if (commands == 0) {
        mg_buf_adds(buf, "Make the entries listed below hold.\n");
        return;
    }
    mg_buf_adds(buf, commands == 1 ? "Make this command succeed:\n\n"
                                   : "Make these commands succeed, all of them:\n\n");
    for (size_t i = 0; i < goal->entries.count; i++) {
        if (!goal->entries.items[i]->invariant && is_command(goal->entries.items[i]))
            add_command(buf, goal->entries.items[i], arena);
    }
}

/* --- Goal, entries, protected paths --- */

static mg_str goal_text(const mg_goal *goal, mg_arena *arena)
{
    const mg_str given = mg_str_trim(goal->goal);
    mg_buf buf = mg_buf_new(arena, GOAL_BYTES);
    if (given.len > 0)
        mg_buf_addf(&buf, MG_FMT "\n", MG_ARG(given));
    else
        add_commands(&buf, goal, arena);
    mg_str text = mg_buf_str(&buf);
    if (!buf.cut)
        return text;
    text.len -= mg_utf8_cut(text);
    return mg_strf(arena, MG_FMT "\n[the goal is longer than %d bytes and was cut here]\n",
                   MG_ARG(text), GOAL_BYTES);
}

static void add_list(mg_buf *buf, const char *heading, const mg_strs *lines, mg_arena *arena)
{
    const size_t start = buf->len;
    if (lines == NULL || lines->count == 0)
        return;
    mg_buf_addf(buf, "\n%s\n", heading);
    for (size_t i = 0; i < lines->count; i++) {
        if (buf->len - start > LIST_BYTES - LINE_BYTES) {
            mg_buf_addf(buf, "- and %zu more\n", lines->count - i);
            return;
        }
        mg_buf_addf(buf, "- " MG_FMT "\n",
                    MG_ARG(mg_text_line(arena, lines->items[i], LINE_BYTES)));
    }
}

/* A name that the user gave says what is meant, but not what will be run. */
static mg_str entry_line(const mg_entry *entry, mg_arena *arena)
{
    if (!entry->named || !is_command(entry))
        return entry->name;
    return mg_strf(arena, MG_FMT ": `" MG_FMT "`", MG_ARG(entry->name),
                   MG_ARG(mg_command_line(mg_arg(entry->args, "run"), LINE_BYTES, arena)));
}

static mg_strs entry_names(const mg_goal *goal, bool invariant, mg_arena *arena)
{
    mg_strs names = {0};
    for (size_t i = 0; i < goal->entries.count; i++) {
        if (goal->entries.items[i]->invariant == invariant)
            mg_strs_add(arena, &names, entry_line(goal->entries.items[i], arena));
    }
    return names;
}

static void add_goal(mg_buf *buf, const mg_prompt_facts *facts, mg_arena *arena)
{
    const mg_strs wanted = entry_names(facts->goal, false, arena);
    const mg_strs kept = entry_names(facts->goal, true, arena);
    mg_buf_add(buf, goal_text(facts->goal, arena));
    mg_buf_adds(buf,
                "\nWhen you stop, makegood checks the result itself: it looks at the files and "
                "runs the commands. What you say about your work is not evidence.\n");
    add_list(buf, "What must hold then:", &wanted, arena);
    add_list(buf, "What holds now and must keep holding:", &kept, arena);
    add_list(buf,
             "Do not create, change, move or delete these paths; that would be undone, and the "
             "attempt would fail:",
             facts->protect, arena);
}

/* --- By the mode --- */

static const mg_attempt *last_with_gap(const mg_prompt_facts *facts)
{
    for (size_t i = facts->attempt_count; i-- > 0;) {
        if (facts->attempts[i].gap.text.len > 0)
            return &facts->attempts[i];
    }
    return NULL;
}

static const char closing[] = "\nFix this, with a different approach from the one that did not "
                              "work, and leave alone what already holds.\n";

mg_str mg_prompt_make(const mg_prompt_facts *facts, mg_arena *arena)
{
    MG_AUTO(mg_arena) scratch = mg_arena_new(NULL);
    const mg_attempt *last = last_with_gap(facts);
    mg_buf buf = mg_buf_new(scratch, MG_PROMPT_BYTES - CLOSING_BYTES);
    if (last == NULL || facts->mode != MG_CONTEXT_RESUME)
        add_goal(&buf, facts, scratch);
    if (last == NULL)
        return mg_str_copy(arena, mg_buf_str(&buf));
    if (facts->mode == MG_CONTEXT_HISTORY) {
        mg_history_add(&buf, facts->attempts, facts->attempt_count, scratch);
    } else {
        if (facts->mode == MG_CONTEXT_NONE)
            mg_buf_addf(&buf, "\nAttempt %" PRIu32 " did not reach this:\n\n", last->number);
        mg_buf_add(&buf, mg_str_trim(last->gap.text));
        mg_buf_addc(&buf, '\n');
    }
    mg_str text = mg_buf_str(&buf);
    text.len -= mg_utf8_cut(text);
    return mg_strf(arena, MG_FMT "%s", MG_ARG(text), closing);
}
