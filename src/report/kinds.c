/* kinds.c - the formats, in the order people see them. */
#include "report/kinds.h"

const mg_reporter *const mg_reporters[] = {
    &mg_reporter_text,  &mg_reporter_json,   &mg_reporter_junit,      &mg_reporter_tap,
    &mg_reporter_sarif, &mg_reporter_github, &mg_reporter_prometheus, NULL,
};

const mg_reporter *mg_reporter_find(const char *name)
{
    for (size_t i = 0; mg_reporters[i] != NULL; i++) {
        if (strcmp(mg_reporters[i]->name, name) == 0)
            return mg_reporters[i];
    }
    return NULL;
}
