/* steering.c - files that decide what a command of the goal really runs, without being named in it.
 *
 * A goal runs `make test` and protects Makefile; an agent that writes GNUmakefile has changed the
 * test all the same. What takes the place of something protected, or of the runner itself, is a
 * HIGH finding; what only configures the runner is one to know about. To add one: a row.
 */
#include "check/command.h"
#include "loop/state.h"

enum { COMMAND_BYTES = 65536 };

typedef struct steering {
    const char *program; /* a word of the command */
    const char *file;    /* beneath the command's directory */
    const char *over;    /* what it takes the place of; NULL: it configures the program */
} steering;

static const steering rows[] = {
    {"make", "GNUmakefile", "Makefile"},   {"make", "GNUmakefile", "makefile"},
    {"make", "makefile", "Makefile"},      {"pytest", "conftest.py", NULL},
    {"pytest", "pytest.ini", NULL},        {"pytest", "tox.ini", NULL},
    {"pytest", "setup.cfg", NULL},         {"pytest", "pyproject.toml", NULL},
    {"npm", "package.json", NULL},         {"npm", ".npmrc", NULL},
    {"jest", "jest.config.js", NULL},      {"vitest", "vitest.config.ts", NULL},
    {"cargo", ".cargo/config.toml", NULL}, {"ctest", "CMakeLists.txt", NULL},
};

/* Modules that test: with `python -m NAME` a file of that name in the workspace comes first. */
static const char *const test_modules[] = {"unittest", "pytest", "doctest", "nose2", "coverage",
                                           "mypy",     "pylint", "flake8",  "ruff",  "tox"};

/* The words of a command, as far as blanks and operators part them. */
static bool next_word(mg_str *rest, mg_str *word)
{
    static const char parts[] = " \t\n;&|()<>'\"`";
    while (rest->len > 0 && strchr(parts, rest->ptr[0]) != NULL)
        *rest = mg_str_from(*rest, 1);
    size_t end = 0;
    while (end < rest->len && rest->ptr[end] != '\0' && strchr(parts, rest->ptr[end]) == NULL)
        end++;
    *word = mg_str_first(*rest, end);
    *rest = mg_str_from(*rest, MG_MAX(end, (size_t)(rest->len > 0)));
    return word->len > 0 || rest->len > 0;
}

static bool has_word(mg_str command, const char *wanted)
{
    mg_str word;
    while (next_word(&command, &word)) {
        const char *slash = word.len > 0 ? memrchr(word.ptr, '/', word.len) : NULL;
        const mg_str name =
            slash != NULL ? mg_str_from(word, (size_t)(slash - word.ptr) + 1) : word;
        if (mg_str_is(name, wanted))
            return true;
    }
    return false;
}

static mg_str beneath(mg_str cwd, const char *file, mg_arena *arena)
{
    return mg_str_is(cwd, ".") || cwd.len == 0 ? mg_strf(arena, "%s", file)
                                               : mg_strf(arena, MG_FMT "/%s", MG_ARG(cwd), file);
}

static bool find_row(const mg_driver *d, const steering *row, mg_str cwd, const mg_change *c,
                     mg_arena *arena, mg_finding *out)
{
    const bool front = row->over != NULL;
    const mg_str over = front ? beneath(cwd, row->over, arena) : MG_STR("");
    if (!mg_str_eq(c->path, beneath(cwd, row->file, arena)) ||
        (front && (c->type != MG_CHANGE_CREATED || !mg_scope_protects(d->scope, over))))
        return false;
    const mg_str path = mg_str_copy(arena, c->path);
    const mg_str message =
        front
            ? mg_strf(arena,
                      "'" MG_FMT "' is read by %s instead of '" MG_FMT "', which is protected.",
                      MG_ARG(path), row->program, MG_ARG(over))
            : mg_strf(arena,
                      "'" MG_FMT "' steers %s, which verifies the goal, and it changed. If the "
                      "agent is not to touch it, the goal file says so by: protect: ['" MG_FMT "']",
                      MG_ARG(path), row->program, MG_ARG(path));
    *out = (mg_finding){front ? "verifier_shadowed" : "verifier_changed",
                        front ? MG_LEVEL_HIGH : MG_LEVEL_MEDIUM, path, message};
    return true;
}

static bool find_module(const char *module, mg_str cwd, const mg_change *c, mg_arena *arena,
                        mg_finding *out)
{
    static const char *const endings[] = {".py", "/__init__.py", "/__main__.py"};
    char file[64];
    for (size_t i = 0; i < MG_COUNT(endings); i++) {
        (void)snprintf(file, sizeof file, "%s%s", module, endings[i]);
        if (!mg_str_eq(c->path, beneath(cwd, file, arena)))
            continue;
        const mg_str path = mg_str_copy(arena, c->path);
        *out = (mg_finding){"verifier_shadowed", MG_LEVEL_HIGH, path,
                            mg_strf(arena,
                                    "'" MG_FMT "' is run instead of the module '%s', which "
                                    "verifies the goal.",
                                    MG_ARG(path), module)};
        return true;
    }
    return false;
}

static bool find_in(const mg_driver *d, const mg_entry *entry, const mg_change *c, mg_arena *arena,
                    mg_finding *out)
{
    for (size_t i = 0; i < entry->children.count; i++)
        if (find_in(d, entry->children.items[i], c, arena, out))
            return true;
    if (entry->type != MG_ENTRY_LEAF || !entry->kind->runs_command)
        return false;
    const mg_str command = mg_command_line(mg_arg(entry->args, "run"), COMMAND_BYTES, arena),
                 cwd = mg_arg_text(entry->args, "cwd");
    for (size_t i = 0; i < MG_COUNT(rows); i++)
        if (has_word(command, rows[i].program) && find_row(d, &rows[i], cwd, c, arena, out))
            return true;
    const bool modules = c->type == MG_CHANGE_CREATED && has_word(command, "-m");
    for (size_t i = 0; modules && i < MG_COUNT(test_modules); i++)
        if (has_word(command, test_modules[i]) && find_module(test_modules[i], cwd, c, arena, out))
            return true;
    return false;
}

/* Most changes need no look at the commands. */
static bool might_steer(mg_str path)
{
    for (size_t i = 0; i < MG_COUNT(rows); i++)
        if (mg_str_ends(path, rows[i].file))
            return true;
    for (size_t i = 0; i < MG_COUNT(test_modules); i++)
        if (mg_str_ends(path, ".py") && mg_str_has(path, test_modules[i]))
            return true;
    return false;
}

bool mg_steering_find(const mg_driver *d, const mg_change *change, mg_arena *arena, mg_finding *out)
{
    const mg_entries *entries = &d->o->goal->entries;
    if (change->no_op || !might_steer(change->path) || mg_scope_protects(d->scope, change->path))
        return false;
    for (size_t i = 0; i < entries->count; i++)
        if (find_in(d, entries->items[i], change, arena, out))
            return true;
    return false;
}
