/* drive_agent.c - drives an attempt function until a file really says what it should.
 *
 *     cc drive_agent.c $(pkg-config --cflags --libs makegood) -o drive_agent && ./drive_agent DIR
 *
 * The "agent" is a function that claims to be done the first time and does the work the second.
 * Exit codes are those of `makegood drive`: 0 the goal holds, verified; 1 it was given up; 4 the
 * attempt could not be run.
 */
#include <makegood/makegood.h>

#include <stdio.h>
#include <string.h>

static char path[4096];

/* The goal looks at the world, never at what the attempt said. */
static int greeting_is_there(void *data)
{
    char line[64] = "";
    FILE *file = fopen(path, "r");
    (void)data;
    if (file == NULL)
        return 0;
    const char *got = fgets(line, sizeof line, file);
    fclose(file);
    return got != NULL && strcmp(line, "hello\n") == 0;
}

static void attempt(void *data, const mg_try *given, mg_try_result *result)
{
    (void)data;
    result->text = "Done!"; /* a claim */
    result->end = MG_END_COMPLETED;
    if (given->number == 1)
        return;
    FILE *file = fopen(path, "w");
    if (file == NULL || fputs("hello\n", file) < 0) {
        result->end = MG_END_ERROR;
        result->error = "greeting.txt cannot be written";
    }
    if (file != NULL)
        fclose(file);
}

static void show(void *data, const mg_attempt_report *report)
{
    (void)data;
    printf("attempt %u: %s\n", report->number, report->label);
}

int main(int argc, char **argv)
{
    mg_error error;
    mg_watcher watcher;
    mg_drive_options options = MG_DRIVE_INIT;
    mg_drive_outcome outcome = MG_DRIVE_OUTCOME_INIT;

    snprintf(path, sizeof path, "%s/greeting.txt", argc > 1 ? argv[1] : ".");
    const mg_aim goal = mg_until(greeting_is_there, NULL,
                                 "greeting.txt does not say hello yet; write it", &watcher);
    const mg_drive_request request = {.size = sizeof request,
                                      .attempt = attempt,
                                      .prompt = "Write hello into greeting.txt.",
                                      .goal = &goal,
                                      .watcher = &watcher};
    options.max_attempts = 4;
    options.on_attempt = show;
    if (mg_drive(&request, &options, &outcome, &error) != MG_OK) {
        fprintf(stderr, "%s\n", error.text);
        return 4;
    }
    if (outcome.status == MG_DRIVE_ERRORED) {
        printf("error after %u attempts: %s\n", outcome.attempts, outcome.error);
        return 4;
    }
    const int verified = outcome.status == MG_DRIVE_SUCCEEDED && outcome.verified;
    printf("%s after %u attempts\n", verified ? "verified" : "given up", outcome.attempts);
    return verified ? 0 : 1;
}
