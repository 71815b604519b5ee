/* survey.c - the detectors of `makegood init`: one row for each file that tells something.
 *
 * To add one: a function that proposes entries, and a row in the table at the end. What a
 * project's files say is quoted, never believed: names may hold anything, and a script that
 * cannot fail is proposed as a comment, because it would hold whatever happens. Whether it can
 * is asked of the same judge that warns of such entries in goal files.
 */
#include "cli/survey.h"

#include "base/fs.h"
#include "base/vec.h"
#include "check/check.h"
#include "data/json.h"
#include "data/text.h"

#include <unistd.h>

enum { FILE_MAX_BYTES = 1 << 20, COMMENT_MAX_BYTES = 90, REASON_MAX_BYTES = 300 };

/* --- Writing what was found so that it reads back --- */

static bool only_of(mg_str text, const char *also)
{
    for (size_t i = 0; i < text.len; i++) {
        const char c = text.ptr[i];
        const bool plain =
            (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
        if (!plain && (c == '\0' || strchr(also, c) == NULL))
            return false;
    }
    return text.len > 0;
}

static bool plain_scalar(mg_str text)
{
    static const char *const words[] = {"true",  "True", "TRUE", "false", "False",
                                        "FALSE", "null", "Null", "NULL"};
    for (size_t i = 0; i < MG_COUNT(words); i++)
        if (mg_str_is(text, words[i]))
            return false;
    const mg_str first = mg_str_first(text, 1);
    const bool letter = only_of(first, "") && (first.ptr[0] < '0' || first.ptr[0] > '9');
    return letter && only_of(text, " _./-") && text.ptr[text.len - 1] != ' ';
}

void mg_yaml_scalar(mg_buf *out, mg_str text)
{
    if (plain_scalar(text)) {
        mg_buf_add(out, text);
        return;
    }
    mg_buf_addc(out, '"');
    while (text.len > 0) {
        const unsigned char c = (unsigned char)text.ptr[0];
        const size_t len = MG_MAX(mg_utf8_len(text), (size_t)1);
        const unsigned char second = len > 1 ? (unsigned char)text.ptr[1] : 0;
        if (c == '"' || c == '\\')
            mg_buf_addf(out, "\\%c", c);
        else if (c < 0x20 || c == 0x7f)
            mg_buf_addf(out, "\\x%02x", c);
        else if (c == 0xc2 && second < 0xa0) /* U+0080 to U+009F: control characters too */
            mg_buf_addf(out, "\\x%02x", second);
        else
            mg_buf_add(out, mg_str_first(text, len));
        text = mg_str_from(text, len);
    }
    mg_buf_addc(out, '"');
}

/* A command as YAML: a line for the shell, or a list where a word needs quoting. */
static void add_command(mg_buf *out, const mg_strs *words)
{
    mg_buf line = mg_buf_new(out->arena, out->max);
    bool simple = true;
    for (size_t i = 0; i < words->count; i++) {
        simple = simple && only_of(words->items[i], "_./:@=+-");
        mg_buf_addf(&line, "%s" MG_FMT, i > 0 ? " " : "", MG_ARG(words->items[i]));
    }
    if (simple) {
        mg_yaml_scalar(out, mg_buf_str(&line));
        return;
    }
    for (size_t i = 0; i < words->count; i++) {
        mg_buf_adds(out, i > 0 ? ", " : "[");
        mg_yaml_scalar(out, words->items[i]);
    }
    mg_buf_addc(out, ']');
}

/* --- Proposing --- */

/* why_not: NULL where the entry is live. */
static void propose(mg_survey *s, mg_str comment, mg_str yaml, const char *why_not)
{
    for (size_t i = 0; i < s->proposals.count; i++)
        if (mg_str_eq(s->proposals.items[i].yaml, yaml))
            return; /* a makefile under two names */
    if (s->proposals.count == MG_PROPOSALS_MAX) {
        s->dropped++;
        return;
    }
    const mg_str line = mg_text_line(s->arena, comment, COMMENT_MAX_BYTES);
    const mg_str why = mg_text_line(s->arena, mg_str_of(why_not), REASON_MAX_BYTES);
    mg_vec_push(s->arena, &s->proposals, (mg_proposal){line, yaml, why_not == NULL, why});
}

static void propose_command(mg_survey *s, mg_str comment, const mg_strs *words, const char *why_not,
                            const char *recovery)
{
    mg_buf yaml = mg_buf_new(s->arena, 64u << 10);
    mg_buf_adds(&yaml, "- command_returns:\n    run: ");
    add_command(&yaml, words);
    mg_buf_adds(&yaml, "\n    timeout: 10m\n");
    if (recovery != NULL) {
        mg_buf_adds(&yaml, "    recovery: ");
        mg_yaml_scalar(&yaml, mg_str_of(recovery));
        mg_buf_addc(&yaml, '\n');
    }
    if (yaml.cut) {
        mg_strs_add(s->arena, &s->notes,
                    mg_strf(s->arena, MG_FMT " was left out: its name is too long",
                            MG_ARG(mg_text_line(s->arena, comment, COMMENT_MAX_BYTES))));
        return;
    }
    propose(s, comment, mg_buf_str(&yaml), why_not);
}

/* A fixed command line: its words are ours and need no quoting. */
static void propose_line(mg_survey *s, const char *comment, const char *line, const char *why_not,
                         const char *recovery)
{
    mg_strs words = {0};
    mg_str rest = mg_str_of(line), word;
    while (mg_str_split(&rest, ' ', &word))
        mg_strs_add(s->arena, &words, word);
    propose_command(s, mg_str_of(comment), &words, why_not, recovery);
}

/* Why a command line of the shell could not tell anything, as check would warn; NULL: it can. */
static const char *cannot_tell(mg_arena *arena, mg_str script)
{
    mg_buf text = mg_buf_new(arena, mg_limits_default.goal_bytes);
    mg_problems problems = {0};
    const mg_goal *goal;
    mg_buf_adds(&text, "assert: [{command_returns: {run: ");
    mg_yaml_scalar(&text, script);
    mg_buf_adds(&text, "}}]\n");
    if (mg_str_trim(script).len == 0)
        return "it is empty";
    if (text.cut || mg_goal_read(mg_buf_str(&text), MG_STR(""), mg_check_kinds, &mg_limits_default,
                                 arena, &goal, &problems) != MG_OK)
        return "it is not a command that check takes";
    return goal->entries.count == 1 ? goal->entries.items[0]->vacuous : NULL;
}

static bool there(const mg_survey *s, const char *file)
{
    struct stat st;
    return mg_file_stat(s->dir, mg_str_of(file), &st, NULL) == MG_OK;
}

/* --- package.json --- */

static const char *package_manager(const mg_survey *s)
{
    static const char *const locks[][2] = {{"pnpm-lock.yaml", "pnpm"},
                                           {"yarn.lock", "yarn"},
                                           {"bun.lockb", "bun"},
                                           {"bun.lock", "bun"}};
    for (size_t i = 0; i < MG_COUNT(locks); i++)
        if (there(s, locks[i][0]))
            return locks[i][1];
    return "npm";
}

/* Scripts that judge the project; the others serve, deploy or build for somebody else. */
static bool script_judges(mg_str name)
{
    static const char *const names[] = {"test",       "lint",  "typecheck",
                                        "type-check", "check", "build"};
    for (size_t i = 0; i < MG_COUNT(names); i++) {
        const size_t len = strlen(names[i]);
        if (mg_str_starts(name, names[i]) && (name.len == len || name.ptr[len] == ':'))
            return !mg_str_has(name, "watch");
    }
    return false;
}

/* Why a script says nothing about the project; NULL: it may. */
static const char *script_is_idle(mg_arena *arena, mg_str script)
{
    if (mg_str_has(script, "no test specified"))
        return "it is the placeholder that npm writes, which always fails";
    return cannot_tell(arena, script);
}

typedef struct scripts {
    mg_survey *survey;
    const char *manager;
} scripts;

static void propose_script(void *data, mg_str name, const mg_json *value)
{
    mg_survey *s = ((scripts *)data)->survey;
    mg_str script;
    if (!script_judges(name) || !mg_json_is_text(value, &script))
        return;
    if (s->proposals.count == MG_PROPOSALS_MAX) {
        s->dropped++; /* without looking at it: there may be very many */
        return;
    }
    mg_strs words = {0};
    mg_strs_add(s->arena, &words, mg_str_of(((scripts *)data)->manager));
    mg_strs_add(s->arena, &words, MG_STR("run"));
    mg_strs_add(s->arena, &words, name);
    propose_command(s,
                    mg_strf(s->arena, "package.json, script " MG_FMT ": " MG_FMT, MG_ARG(name),
                            MG_ARG(mg_text_line(s->arena, script, 60))),
                    &words, script_is_idle(s->arena, script), NULL);
}

static void from_package_json(mg_survey *s, mg_str text)
{
    mg_err err;
    const mg_json *json, *list;
    if (mg_json_parse(text, &mg_limits_default, MG_JSON_PLAIN, s->arena, &json, &err) != MG_OK) {
        mg_strs_add(s->arena, &s->notes,
                    mg_strf(s->arena, "package.json was left out: %s", err.text));
        return;
    }
    if (mg_json_at(json, MG_STR("/scripts"), &list, NULL) == MG_OK)
        mg_json_each(list, propose_script, &(scripts){s, package_manager(s)});
}

/* --- Makefile --- */

typedef enum rule { NO_RULE = 0, IDLE_RULE, RULE } rule; /* what is made for a target */

/* A line of a recipe. `-` before it hides its failure; `@` and `+` change nothing here. */
static rule judge_recipe(mg_arena *arena, mg_str line, const char **why)
{
    bool hidden = false;
    line = mg_str_trim(line);
    for (; line.len > 0 && strchr("@+-", line.ptr[0]) != NULL; line = mg_str_from(line, 1))
        hidden = hidden || line.ptr[0] == '-';
    if (line.len == 0 || line.ptr[0] == '#')
        return NO_RULE;
    const char *idle = hidden ? "make ignores its failure ('-')" : cannot_tell(arena, line);
    if (idle == NULL)
        return RULE;
    *why = idle;
    return IDLE_RULE;
}

/* Takes one line with those that continue it, joined by blanks. */
static bool take_line(mg_arena *arena, mg_str *rest, mg_str *out)
{
    mg_str line;
    if (!mg_str_split(rest, '\n', out))
        return false;
    while (mg_str_ends(*out, "\\") && mg_str_split(rest, '\n', &line)) {
        const mg_str before = mg_str_first(*out, out->len - 1);
        *out = mg_strf(arena, MG_FMT " " MG_FMT, MG_ARG(before), MG_ARG(mg_str_trim(line)));
    }
    return true;
}

/* Whether the line begins a rule for the target; *after: what stands behind its colon. */
static bool begins_rule(mg_str line, const char *target, mg_str *after)
{
    const size_t colon = mg_str_find(line, ':', 0);
    mg_str names = mg_str_first(line, colon), name;
    *after = mg_str_from(line, colon + 1);
    const size_t recipe = mg_str_find(*after, ';', 0);
    /* A '=' makes it a variable, of the file or of the target. */
    if (colon == line.len || mg_str_starts(line, "\t") || mg_str_find(names, '=', 0) < names.len ||
        mg_str_find(mg_str_first(*after, recipe), '=', 0) < recipe)
        return false;
    if (mg_str_starts(*after, ":"))
        *after = mg_str_from(*after, 1);
    while (mg_str_split(&names, ' ', &name))
        if (mg_str_is(name, target))
            return true;
    return false;
}

/* What the makefile does for a target: what it needs is made, or its recipe can fail. */
static rule makes(mg_arena *arena, mg_str text, const char *target, const char **why)
{
    rule best = NO_RULE;
    bool inside = false;
    mg_str line, after;
    while (best != RULE && take_line(arena, &text, &line)) {
        if (inside && (mg_str_starts(line, "\t") || mg_str_trim(line).len == 0)) {
            best = MG_MAX(best, judge_recipe(arena, line, why));
            continue;
        }
        inside = begins_rule(line, target, &after);
        if (!inside)
            continue;
        const size_t recipe = mg_str_find(after, ';', 0);
        const mg_str needs = mg_str_trim(mg_str_first(after, recipe));
        if (needs.len > 0 && needs.ptr[0] != '#')
            best = RULE;
        else
            best = MG_MAX(best, judge_recipe(arena, mg_str_from(after, recipe + 1), why));
    }
    return best;
}

static rule propose_target(mg_survey *s, mg_str text, const char *target)
{
    const char *why = NULL;
    const rule made = makes(s->arena, text, target, &why);
    if (made != NO_RULE)
        propose_line(s, mg_strf(s->arena, "Makefile, target %s", target).ptr,
                     mg_strf(s->arena, "make %s", target).ptr, made == RULE ? NULL : why, NULL);
    return made;
}

static void from_makefile(mg_survey *s, mg_str text)
{
    /* `check` and `test` are two names for the same thing; the first that is there will do. */
    if (propose_target(s, text, "test") != RULE)
        (void)propose_target(s, text, "check");
    (void)propose_target(s, text, "lint");
}

/* --- The rest --- */

static void from_meson(mg_survey *s, mg_str text)
{
    (void)text;
    propose_line(s, "meson.build: the tests of the project, rebuilt first", "meson test -C build",
                 NULL, "Set the build directory up first: meson setup build");
}

static void from_cmake(mg_survey *s, mg_str text)
{
    propose_line(s, "CMakeLists.txt: it builds", "cmake --build build", NULL,
                 "Configure it first: cmake -B build");
    const bool tests = mg_str_has(text, "enable_testing") || mg_str_has(text, "CTest");
    propose_line(s, "CMakeLists.txt: its tests pass (none at all is an error)",
                 "ctest --test-dir build --output-on-failure --no-tests=error",
                 tests ? NULL : "CMakeLists.txt does not say that there are tests", NULL);
}

static void from_cargo(mg_survey *s, mg_str text)
{
    (void)text;
    propose_line(s, "Cargo.toml: it builds and its tests pass", "cargo test", NULL, NULL);
    propose_line(s, "Cargo.toml: no lint", "cargo clippy --all-targets -- -D warnings",
                 "clippy may not be installed, and not everybody wants all of it", NULL);
}

static void from_python(mg_survey *s, mg_str text)
{
    const bool pytest = mg_str_has(text, "pytest") || there(s, "pytest.ini") ||
                        there(s, "conftest.py") || there(s, "tests/conftest.py");
    propose_line(s, "pyproject.toml: its tests pass (none at all is an error)", "python3 -m pytest",
                 pytest ? NULL : "nothing here says that pytest is used", NULL);
}

static void from_go(mg_survey *s, mg_str text)
{
    (void)text;
    propose_line(s, "go.mod: every package builds and vets", "go vet ./...", NULL, NULL);
    propose_line(s, "go.mod: its tests pass", "go test ./...", NULL, NULL);
}

static void from_page(mg_survey *s, mg_str text)
{
    (void)text;
    propose(s, MG_STR("index.html: the page has a title"),
            MG_STR("- file_contains:\n    path: index.html\n"
                   "    pattern: '(?i)<title>[^<]*[^<\\s][^<]*</title>'\n"
                   "    recovery: Give the page a title.\n"),
            NULL);
}

static const struct {
    const char *file, *meaning;
    void (*look)(mg_survey *s, mg_str text);
} detectors[] = {
    {"package.json", "a Node.js package", from_package_json},
    {"GNUmakefile", "a project that uses make", from_makefile},
    {"makefile", "a project that uses make", from_makefile},
    {"Makefile", "a project that uses make", from_makefile},
    {"meson.build", "a Meson project", from_meson},
    {"CMakeLists.txt", "a CMake project", from_cmake},
    {"Cargo.toml", "a Rust crate", from_cargo},
    {"pyproject.toml", "a Python project", from_python},
    {"go.mod", "a Go module", from_go},
    {"index.html", "a web page", from_page},
};

void mg_survey_project(mg_survey *s)
{
    for (size_t i = 0; i < MG_COUNT(detectors); i++) {
        mg_err err;
        mg_str text;
        const mg_status status = mg_file_read(s->dir, mg_str_of(detectors[i].file), FILE_MAX_BYTES,
                                              s->arena, &text, &err);
        if (status == MG_ERR_NOT_FOUND)
            continue;
        if (status != MG_OK) {
            mg_strs_add(s->arena, &s->notes,
                        mg_strf(s->arena, "%s was left out: %s", detectors[i].file, err.text));
            continue;
        }
        mg_vec_push(s->arena, &s->found, (mg_found){detectors[i].file, detectors[i].meaning});
        detectors[i].look(s, text);
    }
    if (s->dropped > 0)
        mg_strs_add(s->arena, &s->notes,
                    mg_strf(s->arena,
                            "%zu more that could be asserted were left out: %d entries are enough "
                            "to begin with",
                            s->dropped, MG_PROPOSALS_MAX));
}
