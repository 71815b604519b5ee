/* check_goal.c - asks from C whether a goal holds.
 *
 *     cc check_goal.c $(pkg-config --cflags --libs makegood) -o check_goal
 *     ./check_goal makegood.yaml
 */
#include <makegood/makegood.h>

#include <stdio.h>

static void show(const mg_result *result, int depth)
{
    printf("%*s%-8s%s\n", depth * 2, "", mg_outcome_name(mg_result_outcome(result)),
           mg_result_name(result));
    if (mg_result_outcome(result) != MG_OUTCOME_PASS)
        printf("%*s        %s\n", depth * 2, "", mg_result_message(result));
    for (size_t i = 0; i < mg_result_child_count(result); i++)
        show(mg_result_child(result, i), depth + 1);
}

int main(int argc, char **argv)
{
    mg_goal *goal = NULL;
    mg_report *report = NULL;
    mg_error error;
    mg_run_options options = MG_RUN_INIT;
    options.deadline_ms = 60 * 1000;

    if (mg_goal_open_file(argc > 1 ? argv[1] : "makegood.yaml", &goal, &error) != MG_OK) {
        fprintf(stderr, "%s\n", error.text);
        return 2;
    }
    if (mg_goal_check(goal, &options, &report, &error) != MG_OK) {
        fprintf(stderr, "%s\n", error.text);
        mg_goal_close(goal);
        return 4;
    }
    for (size_t i = 0; i < mg_report_result_count(report); i++)
        show(mg_report_result(report, i), 0);

    const mg_verdict verdict = mg_report_verdict(report);
    printf("%s: %s\n", mg_verdict_name(verdict), mg_report_reason(report));
    mg_report_free(report);
    mg_goal_close(goal);
    return verdict == MG_VERDICT_MET ? 0 : verdict == MG_VERDICT_NOT_MET ? 1 : 3;
}
