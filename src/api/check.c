/* check.c - the public face of evaluating: options in, a report that owns itself out. */
#include "api/api.h"
#include "api/target.h"
#include "report/report.h"

#include <makegood/makegood.h>

const char *mg_version(void)
{
    return MG_VERSION;
}

/* What the caller's struct has, in the fields it knew when it was compiled. */
static mg_run_options known_options(const mg_run_options *given)
{
    mg_run_options options = MG_RUN_INIT;
    if (given != NULL)
        memcpy(&options, given, MG_MIN(given->size, sizeof options));
    options.size = sizeof options;
    return options;
}

/* Texts as the accessors promise them: clean, and ending in NUL. */
static void settle_text(mg_arena *arena, mg_str *text)
{
    *text = mg_str_copy(arena, mg_text_clean(arena, *text));
}

static void settle_results(mg_arena *arena, mg_result *results, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        mg_result *r = &results[i];
        mg_str *const texts[] = {&r->name, &r->message, &r->expected, &r->observed, &r->recovery};
        for (size_t t = 0; t < MG_COUNT(texts); t++)
            settle_text(arena, texts[t]);
        settle_results(arena, r->children, r->child_count);
    }
}

/* Whether it can become readable: a pipe, a socket, an eventfd. */
static mg_status cancel_valid(int fd, mg_err *err)
{
    struct stat st;
    if (fd < 0)
        return MG_OK;
    if (fstat(fd, &st) < 0)
        return mg_fail_errno(err, "cancel_fd %d", fd);
    if (S_ISREG(st.st_mode) || S_ISDIR(st.st_mode))
        return mg_fail(err, MG_ERR_INVALID, "cancel_fd %d is %s, which cannot be waited for", fd,
                       mg_file_type(st.st_mode));
    return MG_OK;
}

static mg_status check(const mg_goal *goal, const mg_run_options *o, mg_arena *arena,
                       mg_report *report, mg_err *err)
{
    MG_AUTO(mg_arena) scratch =
        mg_arena_new(NULL); /* the root is closed before the report is freed */
    mg_world world;
    const mg_cancel cancel = {.fd = o->cancel_fd, .only_fd = true};
    const mg_check_options options = {
        .only = o->only,
        .jobs = o->jobs,
        .fail_fast = o->fail_fast != 0,
        .deadline_ms = o->deadline_ms,
        .wait_ms = o->wait_ms,
        .every_ms = o->every_ms,
    };
    MG_TRY(cancel_valid(o->cancel_fd, err));
    MG_TRY(mg_target_world(goal, goal->directory, o->root, scratch, &world, err));
    const mg_view view = {
        .world = &world,
        .limits = &mg_limits_default,
        .clock = &mg_clock_system,
        .deadline_ms = UINT64_MAX,
        .cancel = o->cancel_fd >= 0 ? &cancel : NULL,
    };
    return mg_check_run(goal, &view, &options, arena, report, err);
}

mg_status mg_goal_check(const mg_goal *goal, const mg_run_options *given, mg_report **out,
                        mg_error *error)
{
    MG_AUTO(mg_arena) arena = mg_arena_new(NULL);
    const mg_run_options options = known_options(given);
    mg_report *report = mg_new(arena, mg_report);
    mg_err err = {0};
    const mg_status s = check(goal, &options, arena, report, &err);
    if (s != MG_OK)
        return mg_api_fail(error, s, mg_str_of(err.text));
    settle_text(arena, &report->goal); /* the goal may be closed before the report is freed */
    settle_text(arena, &report->goal_file);
    settle_text(arena, &report->advice);
    settle_results(arena, report->results, report->result_count);
    report->owner = arena;
    arena = NULL; /* the handle has it now */
    *out = report;
    return MG_OK;
}

void mg_report_free(mg_report *report)
{
    if (report != NULL)
        mg_arena_free(report->owner);
}

mg_status mg_report_write(mg_report *report, const char *format, const char **text, size_t *length,
                          mg_error *error)
{
    const mg_reporter *reporter = mg_reporter_find(format);
    const mg_report_style style = {.version = MG_VERSION};
    mg_err err;
    if (reporter == NULL) {
        const mg_status s = mg_fail(&err, MG_ERR_NOT_FOUND, "there is no format '%s'", format);
        return mg_api_fail(error, s, mg_str_of(err.text));
    }
    mg_buf buf = mg_buf_new(report->owner, mg_limits_default.report_bytes);
    reporter->write(report, &style, report->owner, &buf);
    mg_buf_addc(&buf, '\0');
    const mg_status s = mg_buf_ok(&buf, "the report", &err);
    if (s != MG_OK)
        return mg_api_fail(error, s, mg_str_of(err.text));
    *text = mg_buf_str(&buf).ptr;
    *length = buf.len - 1;
    return MG_OK;
}

size_t mg_report_result_count(const mg_report *report)
{
    return report->result_count;
}

const mg_result *mg_report_result(const mg_report *report, size_t index)
{
    return index < report->result_count ? &report->results[index] : NULL;
}

mg_outcome mg_result_outcome(const mg_result *result)
{
    return result != NULL ? result->outcome : MG_OUTCOME_UNKNOWN;
}

const char *mg_result_kind(const mg_result *result)
{
    return result->kind;
}

const char *mg_result_name(const mg_result *result)
{
    return result->name.ptr;
}

const char *mg_result_message(const mg_result *result)
{
    return result->message.ptr;
}

const char *mg_result_expected(const mg_result *result)
{
    return result->expected.ptr;
}

const char *mg_result_observed(const mg_result *result)
{
    return result->observed.ptr;
}

const char *mg_result_recovery(const mg_result *result)
{
    return result->recovery.ptr;
}

uint64_t mg_result_duration_us(const mg_result *result)
{
    return result->duration_us;
}

size_t mg_result_child_count(const mg_result *result)
{
    return result->child_count;
}

const mg_result *mg_result_child(const mg_result *result, size_t index)
{
    return index < result->child_count ? &result->children[index] : NULL;
}
