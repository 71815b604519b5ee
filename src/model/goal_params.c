/* goal_params.c - the goal file as a table: every key, its type, its default, its help.
 *
 * To add a key: one row here. Reading, messages, `makegood.yaml(5)`, docs/goal-file.md and
 * the JSON Schema follow. Keys that only a driver acts on are read and checked by everyone.
 */
#include "model/goal.h"

static const char *const effects[] = {"required", "optional", NULL};
static const char *const contexts[] = {"resume", "history", "none", NULL};
static const char *const judge_when[] = {"never", "ambiguous", "always", NULL};
static const char *const providers[] = {"openai", "anthropic", "command", "replay", NULL};

static const mg_param agent_params[] = {
    {"preset", MG_PARAM_TEXT, .help = "an agent that is known by name: claude, codex, ..."},
    {"command", MG_PARAM_COMMAND,
     .help = "any other agent; {prompt} is replaced, or it comes on stdin"},
    {"args", MG_PARAM_TEXTS, .help = "arguments added to the preset's"},
    {"env", MG_PARAM_ENV, .help = "variables for the agent"},
    {"timeout", MG_PARAM_DURATION, .fallback = "20m", .help = "the longest one attempt may take"},
    {"drain", MG_PARAM_DURATION, .fallback = "5s",
     .help = "between one signal and the next when it is stopped"},
    {"context", MG_PARAM_CHOICE, .choices = contexts,
     .help = "what the next attempt is told of the last"},
    {0},
};

static const mg_param service_params[] = {
    {"run", MG_PARAM_COMMAND, .required = true, .help = "the command that serves"},
    {"ready", MG_PARAM_ENTRY, .help = "holds as soon as it can be used"},
    {"timeout", MG_PARAM_DURATION, .fallback = "30s", .help = "how long it may take to be ready"},
    {"cwd", MG_PARAM_PATH, .fallback = ".", .help = "where it runs, beneath the root"},
    {"env", MG_PARAM_ENV, .help = "variables that are let through to it"},
    {0},
};

static const mg_param sandbox_params[] = {
    {"network", MG_PARAM_BOOL, .fallback = "true",
     .help = "whether the network can be reached inside"},
    {0},
};

static const mg_param budget_params[] = {
    {"attempts", MG_PARAM_INT, .fallback = "5", .min = 1, .max = 1000, .help = "attempts at most"},
    {"time", MG_PARAM_DURATION, .fallback = "1h", .help = "time at most, over all attempts"},
    {"tokens", MG_PARAM_INT, .min = 1, .max = INT64_MAX, .help = "model tokens at most"},
    {"cost_usd", MG_PARAM_NUMBER, .help = "money at most"},
    {"stagnation", MG_PARAM_INT, .fallback = "3", .min = 1, .max = 1000,
     .help = "equal results in a row after which it is given up"},
    {0},
};

static const mg_param watch_params[] = {
    {"every", MG_PARAM_DURATION, .fallback = "100ms",
     .help = "how often sockets and HTTP are asked"},
    {"settle", MG_PARAM_DURATION, .fallback = "100ms", .help = "how long the goal must hold"},
    {"commands", MG_PARAM_BOOL, .fallback = "false",
     .help = "whether slow commands are watched too"},
    {0},
};

static const mg_param check_params[] = {
    {"jobs", MG_PARAM_INT, .fallback = "4", .min = 1, .max = 256,
     .help = "how many slow assertions run side by side"},
    {"deadline", MG_PARAM_DURATION, .fallback = "10m",
     .help = "the longest a whole check may take"},
    {0},
};

static const mg_param probe_params[] = {
    {"allow", MG_PARAM_TEXTS,
     .help = "addresses or prefixes that are refused otherwise (link-local, metadata)"},
    {0},
};

static const mg_param silence_params[] = {
    {"rule", MG_PARAM_TEXT, .required = true, .help = "the rule that is not reported"},
    {"path", MG_PARAM_GLOBS, .help = "only in these files"},
    {0},
};

static const mg_param price_params[] = {
    {"input", MG_PARAM_NUMBER, .help = "per million tokens read"},
    {"output", MG_PARAM_NUMBER, .help = "per million tokens written"},
    {0},
};

/* What a model provider is given; a judge may override each. */
#define LLM_ROWS                                                                                  \
    {"provider", MG_PARAM_CHOICE, .choices = providers, .help = "which protocol it speaks"},      \
        {"base_url", MG_PARAM_TEXT, .help = "where it is"},                                       \
        {"model", MG_PARAM_TEXT, .help = "which model"},                                          \
        {"command", MG_PARAM_COMMAND, .help = "of provider: command, what to run"},               \
        {"file", MG_PARAM_TEXT, .help = "of provider: replay, the recorded answers"},             \
        {"api_key_env", MG_PARAM_TEXT, .help = "the variable that holds the key, never the key"}, \
        {"timeout", MG_PARAM_DURATION, .fallback = "60s", .help = "for one answer"},              \
    {                                                                                             \
        "price", MG_PARAM_OBJECT, .fields = price_params, .help = "for the cost budget, in USD"   \
    }

static const mg_param judge_params[] = {
    {"when", MG_PARAM_CHOICE, .choices = judge_when, .fallback = "ambiguous",
     .help = "when the judge is asked"},
    {"votes", MG_PARAM_INT, .fallback = "1", .min = 1, .max = 99, .help = "how often it is asked"},
    LLM_ROWS,
    {0},
};

static const mg_param llm_params[] = {LLM_ROWS, {0}};

static const mg_param signal_params[] = {
    {"webhook", MG_PARAM_TEXT, .help = "a URL that is sent to"},
    {"command", MG_PARAM_COMMAND, .help = "a command that sends"},
    {0},
};

const mg_param mg_goal_params[] = {
    {"$schema", MG_PARAM_TEXT, .help = "where an editor finds the JSON Schema; not read here"},
    {"version", MG_PARAM_INT, .fallback = "1", .min = 1, .max = 1, .help = "of this format"},
    {"goal", MG_PARAM_TEXT, .help = "the sentence that says what is wanted"},
    {"root", MG_PARAM_TEXT, .fallback = ".", .help = "the workspace, relative to this file"},
    {"effect", MG_PARAM_CHOICE, .choices = effects, .fallback = "required",
     .help = "whether a run that changed nothing can have met the goal"},
    {"agent", MG_PARAM_OBJECT, .fields = agent_params, .help = "who does the work"},
    {"assert", MG_PARAM_ENTRIES, .help = "what must hold for the goal to be met"},
    {"invariant", MG_PARAM_ENTRIES, .help = "what must hold before and after every attempt"},
    {"protect", MG_PARAM_GLOBS, .help = "paths the agent may not change"},
    {"hide", MG_PARAM_GLOBS, .help = "paths the agent may not read (needs the sandbox)"},
    {"ignore", MG_PARAM_GLOBS,
     .help = "paths besides .gitignore that are not part of the snapshot"},
    {"service", MG_PARAM_OBJECTS, .fields = service_params,
     .help = "servers that are started for the verification"},
    {"sandbox", MG_PARAM_OBJECT, .fields = sandbox_params, .or_bool = true, .fallback = "false",
     .help = "bubblewrap around the agent"},
    {"budget", MG_PARAM_OBJECT, .fields = budget_params, .help = "when to give up"},
    {"watch", MG_PARAM_OBJECT, .fields = watch_params, .or_bool = true, .fallback = "true",
     .help = "stop the agent the instant the goal holds"},
    {"check", MG_PARAM_OBJECT, .fields = check_params, .help = "how assertions are evaluated"},
    {"probe", MG_PARAM_OBJECT, .fields = probe_params,
     .help = "what may be asked over the network"},
    {"silence", MG_PARAM_OBJECTS, .fields = silence_params,
     .help = "findings that are not reported"},
    {"judge", MG_PARAM_OBJECT, .fields = judge_params,
     .help = "the model that settles what is ambiguous"},
    {"llm", MG_PARAM_OBJECT, .fields = llm_params, .help = "the model that planner and judge use"},
    {"signal", MG_PARAM_OBJECT, .fields = signal_params, .help = "what signal_send uses"},
    {0},
};
