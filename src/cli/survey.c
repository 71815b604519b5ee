/* survey.c - the detectors of `makegood init`: one row for each file that tells something.
 *
 * To add one: a function that proposes entries, and a row in the table at the end. What a
 * project's files say is quoted, never believed: names may hold anything, and a script that
 * only echoes is proposed as a comment, because it would hold whatever happens.
 */
#include "cli/survey.h"

#include "base/fs.h"
#include "base/vec.h"
#include "data/json.h"
#include "data/text.h"

#include <unistd.h>

enum { FILE_MAX_BYTES = 1 << 20, COMMENT_MAX_BYTES = 90 };

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

static void propose(mg_survey *s, mg_str comment, mg_str yaml, bool live)
{
    for (size_t i = 0; i < s->proposals.count; i++)
        if (mg_str_eq(s->proposals.items[i].yaml, yaml))
            return; /* a makefile under two names */
    const mg_str line = mg_text_line(s->arena, comment, COMMENT_MAX_BYTES);
    mg_vec_push(s->arena, &s->proposals, (mg_proposal){line, yaml, live});
}

static void propose_command(mg_survey *s, mg_str comment, const mg_strs *words, bool live,
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
    propose(s, comment, mg_buf_str(&yaml), live);
}

/* A fixed command line: its words are ours and need no quoting. */
static void propose_line(mg_survey *s, const char *comment, const char *line, bool live,
                         const char *recovery)
{
    mg_strs words = {0};
    mg_str rest = mg_str_of(line), word;
    while (mg_str_split(&rest, ' ', &word))
        mg_strs_add(s->arena, &words, word);
    propose_command(s, mg_str_of(comment), &words, live, recovery);
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

/* Whether a script says nothing about the project, like the one that `npm init` writes. */
static bool script_is_idle(mg_str script)
{
    const mg_str text = mg_str_trim(script);
    static const char *const idle[] = {"", "true", ":", "exit 0", "exit"};
    for (size_t i = 0; i < MG_COUNT(idle); i++)
        if (mg_str_is(text, idle[i]))
            return true;
    const bool chained = mg_str_has(text, "&&") || mg_str_has(text, ";") || mg_str_has(text, "|");
    return mg_str_has(text, "no test specified") || (mg_str_starts(text, "echo") && !chained);
}

static void propose_script(void *survey, mg_str name, const mg_json *value)
{
    mg_survey *s = survey;
    mg_str script;
    if (!script_judges(name) || !mg_json_is_text(value, &script))
        return;
    const bool live = !script_is_idle(script);
    mg_strs words = {0};
    mg_strs_add(s->arena, &words, mg_str_of(package_manager(s)));
    mg_strs_add(s->arena, &words, MG_STR("run"));
    mg_strs_add(s->arena, &words, name);
    propose_command(s,
                    mg_strf(s->arena, "package.json, script " MG_FMT ": " MG_FMT "%s", MG_ARG(name),
                            MG_ARG(mg_text_line(s->arena, script, 60)),
                            live ? "" : " (says nothing yet)"),
                    &words, live, NULL);
}

static void from_package_json(mg_survey *s, mg_str text)
{
    mg_err err;
    const mg_json *json, *scripts;
    if (mg_json_parse(text, &mg_limits_default, MG_JSON_PLAIN, s->arena, &json, &err) != MG_OK) {
        mg_strs_add(s->arena, &s->notes,
                    mg_strf(s->arena, "package.json was left out: %s", err.text));
        return;
    }
    if (mg_json_at(json, MG_STR("/scripts"), &scripts, NULL) == MG_OK)
        mg_json_each(scripts, propose_script, s);
}

/* --- Makefile --- */

/* Whether some rule makes `target` by doing something: it has a recipe or needs other targets. */
static bool makes(mg_str text, const char *target)
{
    mg_str line;
    while (mg_str_split(&text, '\n', &line)) {
        const size_t colon = mg_str_find(line, ':', 0);
        mg_str names = mg_str_first(line, colon), name;
        const mg_str after = mg_str_from(line, colon + 1);
        /* A '=' makes it a variable, of the file or of the target. */
        if (colon == line.len || mg_str_starts(line, "\t") || mg_str_find(line, '=', 0) < line.len)
            continue;
        bool named = false;
        while (mg_str_split(&names, ' ', &name))
            named = named || mg_str_is(name, target);
        const mg_str needs = mg_str_trim(mg_str_starts(after, ":") ? mg_str_from(after, 1) : after);
        if (named && ((needs.len > 0 && needs.ptr[0] != '#') || mg_str_starts(text, "\t")))
            return true;
    }
    return false;
}

static void from_makefile(mg_survey *s, mg_str text)
{
    /* `check` and `test` are two names for the same thing; the first that is there will do. */
    if (makes(text, "test"))
        propose_line(s, "Makefile, target test", "make test", true, NULL);
    else if (makes(text, "check"))
        propose_line(s, "Makefile, target check", "make check", true, NULL);
    if (makes(text, "lint"))
        propose_line(s, "Makefile, target lint", "make lint", true, NULL);
}

/* --- The rest --- */

static void from_meson(mg_survey *s, mg_str text)
{
    (void)text;
    propose_line(s, "meson.build: the tests of the project, rebuilt first", "meson test -C build",
                 true, "Set the build directory up first: meson setup build");
}

static void from_cmake(mg_survey *s, mg_str text)
{
    propose_line(s, "CMakeLists.txt: it builds", "cmake --build build", true,
                 "Configure it first: cmake -B build");
    const bool tests = mg_str_has(text, "enable_testing") || mg_str_has(text, "CTest");
    propose_line(s, "CMakeLists.txt: its tests pass (none at all is an error)",
                 "ctest --test-dir build --output-on-failure --no-tests=error", tests, NULL);
}

static void from_cargo(mg_survey *s, mg_str text)
{
    (void)text;
    propose_line(s, "Cargo.toml: it builds and its tests pass", "cargo test", true, NULL);
    propose_line(s, "Cargo.toml: no lint, where clippy is installed",
                 "cargo clippy --all-targets -- -D warnings", false, NULL);
}

static void from_python(mg_survey *s, mg_str text)
{
    const bool pytest = mg_str_has(text, "pytest") || there(s, "pytest.ini") ||
                        there(s, "conftest.py") || there(s, "tests/conftest.py");
    propose_line(s, "pyproject.toml: its tests pass (none at all is an error)", "python3 -m pytest",
                 pytest, NULL);
}

static void from_go(mg_survey *s, mg_str text)
{
    (void)text;
    propose_line(s, "go.mod: every package builds and vets", "go vet ./...", true, NULL);
    propose_line(s, "go.mod: its tests pass", "go test ./...", true, NULL);
}

static void from_page(mg_survey *s, mg_str text)
{
    (void)text;
    propose(s, MG_STR("index.html: the page has a title"),
            MG_STR("- file_contains:\n    path: index.html\n"
                   "    pattern: '(?i)<title>[^<]*[^<\\s][^<]*</title>'\n"
                   "    recovery: Give the page a title.\n"),
            true);
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
}
