/* run_cases.c - runs case files: input and expectation as plain YAML, no C needed.
 *
 *     about: what this file is about
 *     world: {files: {a.css: "..."}, dirs: [d], links: {name: target}, fifos: [f], modes: {a: 0}}
 *     attempt: {response: text, steps: [{id, output, cut, exit}], changes: [{path, change, from}],
 *               baseline: {path: "text" | null}}
 *     cases:
 *       - it: finds the colour
 *         assert: {file_contains: {path: a.css, pattern: green}}
 *         verdict: pass | fail | unknown | refused
 *         says: part of the message
 *         proves: true
 *
 * `refused` is a goal file error. One TAP line a case.
 */
#include "check/check.h"
#include "data/json.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <unistd.h>

static mg_arena *arena;

static _Noreturn void die(const char *what, const char *why)
{
    printf("Bail out! %s: %s\n", what, why);
    exit(1);
}

static mg_str text_of(const mg_node *map, const char *key)
{
    const mg_node *node = mg_node_get(map, key);
    return node != NULL ? node->text : (mg_str){"", 0};
}

/* --- The world --- */

static void write_file(int dir, const char *path, mg_str text)
{
    for (const char *slash = strchr(path, '/'); slash != NULL; slash = strchr(slash + 1, '/'))
        (void)mkdirat(dir, mg_str_cstr(arena, (mg_str){path, (size_t)(slash - path)}), 0777);
    MG_AUTO_FD fd = openat(dir, path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    mg_err err;
    if (fd < 0 || mg_fd_write_all(fd, text, &err) != MG_OK)
        die(path, strerror(errno));
}

static void build_world(int dir, const mg_node *world)
{
    const mg_node *dirs = mg_node_get(world, "dirs"), *files = mg_node_get(world, "files");
    const mg_node *links = mg_node_get(world, "links"), *fifos = mg_node_get(world, "fifos");
    for (size_t i = 0; dirs != NULL && i < dirs->list.count; i++)
        (void)mkdirat(dir, dirs->list.items[i].text.ptr, 0777);
    for (size_t i = 0; files != NULL && i < files->map.count; i++)
        write_file(dir, files->map.items[i].key.ptr, files->map.items[i].value.text);
    for (size_t i = 0; links != NULL && i < links->map.count; i++) {
        if (symlinkat(links->map.items[i].value.text.ptr, dir, links->map.items[i].key.ptr) < 0)
            die(links->map.items[i].key.ptr, strerror(errno));
    }
    for (size_t i = 0; fifos != NULL && i < fifos->list.count; i++)
        (void)mkfifoat(dir, fifos->list.items[i].text.ptr, 0666);
}

/* --- Made-up evidence: what a driver would have seen --- */

static void read_steps(const mg_node *list, mg_evidence *out)
{
    mg_step *steps = mg_new_array(arena, mg_step, list->list.count);
    for (size_t i = 0; i < list->list.count; i++) {
        const mg_node *step = &list->list.items[i], *code = mg_node_get(step, "exit");
        const mg_node *cut = mg_node_get(step, "cut");
        steps[i] = (mg_step){
            .id = text_of(step, "id"),
            .output = text_of(step, "output"),
            .output_cut = cut != NULL && cut->boolean,
            .has_exit = code != NULL,
            .exit_code = code != NULL ? code->integer : 0,
        };
    }
    out->steps = steps;
    out->step_count = list->list.count;
    out->steps_known = true;
}

static mg_change_type change_type(mg_str name)
{
    static const char *const names[] = {
        [MG_CHANGE_CREATED] = "created", [MG_CHANGE_MODIFIED] = "modified",
        [MG_CHANGE_DELETED] = "deleted", [MG_CHANGE_RENAMED] = "renamed",
        [MG_CHANGE_MODE] = "mode",       [MG_CHANGE_LINK] = "link",
    };
    for (size_t i = 1; i < MG_COUNT(names); i++) {
        if (mg_str_is(name, names[i]))
            return (mg_change_type)i;
    }
    die("change", "unknown");
}

static void read_changes(const mg_node *list, mg_evidence *out)
{
    mg_change *changes = mg_new_array(arena, mg_change, list->list.count);
    for (size_t i = 0; i < list->list.count; i++) {
        const mg_node *item = &list->list.items[i], *no_op = mg_node_get(item, "no_op");
        changes[i] = (mg_change){
            .path = text_of(item, "path"),
            .old_path = text_of(item, "from"),
            .type = change_type(text_of(item, "change")),
            .no_op = no_op != NULL && no_op->boolean,
        };
    }
    mg_changes *all = mg_new(arena, mg_changes);
    *all = (mg_changes){changes, list->list.count};
    out->changes = all;
}

static void read_baseline(const mg_node *map, mg_evidence *out)
{
    mg_baseline_file *files = mg_new_array(arena, mg_baseline_file, map->map.count);
    for (size_t i = 0; i < map->map.count; i++) {
        const mg_pair *pair = &map->map.items[i];
        files[i] = (mg_baseline_file){
            .path = pair->key,
            .existed = pair->value.type != MG_NODE_NULL,
            .hash = mg_hash_bytes(pair->value.text),
        };
    }
    out->baseline = files;
    out->baseline_count = map->map.count;
}

static const mg_evidence *read_attempt(const mg_node *node)
{
    if (node == NULL)
        return NULL;
    mg_evidence *out = mg_new(arena, mg_evidence);
    const mg_node *response = mg_node_get(node, "response"), *steps = mg_node_get(node, "steps");
    const mg_node *changes = mg_node_get(node, "changes"),
                  *baseline = mg_node_get(node, "baseline");
    if (response != NULL)
        out->response = &response->text;
    if (steps != NULL)
        read_steps(steps, out);
    if (changes != NULL)
        read_changes(changes, out);
    if (baseline != NULL)
        read_baseline(baseline, out);
    return out;
}

/* --- One case --- */

typedef struct outcome {
    const char *verdict; /* pass, fail, unknown, refused */
    mg_str message;
    bool proves;
} outcome;

static outcome evaluate(const mg_node *entry, const mg_view *view)
{
    mg_buf text = mg_buf_new(arena, 1u << 20);
    mg_json_out json = {.buf = &text};
    mg_json_begin(&json, '{');
    mg_json_key(&json, "assert");
    mg_json_begin(&json, '[');
    mg_json_node(&json, entry);
    mg_json_end(&json, ']');
    mg_json_end(&json, '}');
    const mg_goal *goal;
    mg_problems problems = {0};
    if (mg_goal_read(mg_buf_str(&text), MG_STR(""), mg_check_kinds, view->limits, arena, &goal,
                     &problems) != MG_OK) {
        mg_buf said = mg_buf_new(arena, 1u << 16);
        mg_problems_text(&problems, MG_STR(""), &said);
        return (outcome){"refused", mg_buf_str(&said), false};
    }
    mg_report report = {0};
    mg_err err = {0};
    if (mg_check_run(goal, view, &(mg_check_options){0}, arena, &report, &err) != MG_OK)
        return (outcome){"error", mg_str_copy(arena, mg_str_of(err.text)), false};
    const mg_result *r = &report.results[0];
    return (outcome){mg_outcome_name(r->outcome), r->message, r->proves};
}

static bool run_case(const mg_node *c, const mg_view *view, int number)
{
    const outcome got = evaluate(mg_node_get(c, "assert"), view);
    const mg_str want = text_of(c, "verdict"), says = text_of(c, "says");
    const mg_node *proves = mg_node_get(c, "proves");
    const bool right = mg_str_is(want, got.verdict) && mg_str_has(got.message, says.ptr) &&
                       (proves == NULL || proves->boolean == got.proves);
    const mg_str it = text_of(c, "it");
    printf("%s %d - " MG_FMT "\n", right ? "ok" : "not ok", number, MG_ARG(it));
    if (!right)
        printf("# line %u: expected " MG_FMT " '" MG_FMT "'\n# got %s '" MG_FMT "'%s\n", c->line,
               MG_ARG(want), MG_ARG(says), got.verdict, MG_ARG(got.message),
               got.proves ? ", proves" : "");
    return right;
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
    (void)st;
    (void)type;
    (void)ftw;
    return remove(path);
}

int main(int argc, char **argv)
{
    if (argc != 2)
        die("usage", "run_cases FILE");
    arena = mg_arena_new(NULL);
    mg_err err = {0};
    mg_str text;
    mg_node *file;
    uint32_t line, column;
    char dir[] = "/tmp/makegood-cases-XXXXXX";
    MG_AUTO_FD input = open(argv[1], O_RDONLY | O_CLOEXEC);
    mg_buf buf = mg_buf_new(arena, 4u << 20);
    if (input < 0 || mg_fd_read_all(input, &buf, &err) != MG_OK)
        die(argv[1], strerror(errno));
    text = mg_buf_str(&buf);
    if (mg_yaml_parse(text, &mg_limits_default, arena, &file, &line, &column, &err) != MG_OK)
        die(argv[1], err.text);
    mg_world world;
    if (mkdtemp(dir) == NULL || mg_world_open(dir, arena, &world, &err) != MG_OK)
        die(dir, err.text);
    world.environ = (const char *const *)environ;
    if (mg_node_get(file, "world") != NULL)
        build_world(world.root, mg_node_get(file, "world"));
    const mg_view view = {
        .world = &world,
        .attempt = read_attempt(mg_node_get(file, "attempt")),
        .limits = &mg_limits_default,
        .clock = &mg_clock_system,
        .deadline_ms = UINT64_MAX,
    };
    const mg_node *cases = mg_node_get(file, "cases");
    int failed = 0;
    for (size_t i = 0; i < cases->list.count; i++)
        failed += !run_case(&cases->list.items[i], &view, (int)i + 1);
    printf("1..%zu\n", cases->list.count);
    mg_arena_free(arena);
    (void)nftw(dir, remove_one, 16, FTW_DEPTH | FTW_PHYS);
    return failed > 0 || argc < 2;
}
