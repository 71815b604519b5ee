/* decision.c - what a goal function says: done, again with this feedback, or it cannot be told. */
#include "data/text.h"
#include "loop/pursue.h"

static void say(mg_decision *decision, mg_decided what, const char *text)
{
    decision->what = what;
    (void)snprintf(decision->feedback, sizeof decision->feedback, "%s", text != NULL ? text : "");
    decision->feedback[strlen(decision->feedback) - mg_utf8_cut(mg_str_of(decision->feedback))] =
        '\0';
}

void mg_done(mg_decision *decision)
{
    say(decision, MG_DECIDED_DONE, NULL);
}

void mg_retry(mg_decision *decision, const char *feedback)
{
    say(decision, MG_DECIDED_RETRY, feedback);
}

void mg_undecided(mg_decision *decision, const char *why)
{
    say(decision, MG_DECIDED_NOTHING, why);
}
