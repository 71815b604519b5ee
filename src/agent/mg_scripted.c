/* mg_scripted.c - mg-scripted SCRIPT.yaml: an agent that does what a file says.
 *
 *     - - read: index.html                  # attempt 1: a list of steps
 *       - end: max_iterations
 *     - - write: {path: style.css, text: ''} # attempt 2
 *     - - patch: {path: a.txt, old: x, new: y}
 *       - run: make
 *       - sleep: 100ms
 *       - print: All done!
 *       - end: {reason: completed, text: Done.}
 *
 * The last item stands for every attempt after it. Further steps, for tests of whoever drives it:
 * fail: text (exit 1), deny: text, limit: 30s, usage: {input_tokens, output_tokens, cost_usd}.
 * Which attempt it is comes from MAKEGOOD_ATTEMPT. Paths are beneath the working directory. What it
 * prints is read_lines.c's format. Exit 0: as the file said; 1: it said to fail; 2: a bad file.
 */
#include "base/fs.h"
#include "data/json.h"
#include "data/text.h"
#include "data/yaml.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { FILE_MAX_BYTES = 16 << 20, OUTPUT_MAX = 1 << 20 };

typedef struct script {
    mg_arena *arena;
    int root;
    const char *file;
    unsigned step;
    mg_str words; /* the last text, for the result */
    int64_t input_tokens, output_tokens;
    double cost_usd;
    int64_t retry_ms;
    bool over;
    int exit_code;
} script;

/* --- What it prints --- */

static void print_line(mg_buf *line)
{
    mg_buf_addc(line, '\n');
    (void)!mg_fd_write_all(STDOUT_FILENO, mg_buf_str(line), NULL); /* nobody reads: nobody cares */
}

static mg_json_out begin(mg_buf *line, const char *type)
{
    mg_json_out out = {.buf = line};
    mg_json_begin(&out, '{');
    mg_json_key(&out, "type");
    mg_json_cstr(&out, type);
    return out;
}

static void put_text(mg_json_out *out, const char *key, mg_str text)
{
    mg_json_key(out, key);
    mg_json_str(out, text);
}

static void print_text(script *s, const char *type, mg_str text)
{
    mg_buf line = mg_buf_new(s->arena, FILE_MAX_BYTES);
    mg_json_out out = begin(&line, type);
    put_text(&out, "text", text);
    mg_json_end(&out, '}');
    print_line(&line);
}

static void print_hello(script *s)
{
    mg_buf line = mg_buf_new(s->arena, FILE_MAX_BYTES);
    mg_json_out out = begin(&line, "makegood");
    mg_json_key(&out, "version");
    mg_json_int(&out, 1);
    mg_json_end(&out, '}');
    print_line(&line);
}

static void print_step(script *s, const char *tool, mg_str output, int64_t exit_code)
{
    mg_buf line = mg_buf_new(s->arena, 2 * FILE_MAX_BYTES);
    mg_json_out out = begin(&line, "step");
    put_text(&out, "id", mg_strf(s->arena, "%u", ++s->step));
    put_text(&out, "tool", mg_str_of(tool));
    put_text(&out, "output", output);
    mg_json_key(&out, "exit_code");
    mg_json_int(&out, exit_code);
    mg_json_end(&out, '}');
    print_line(&line);
}

static void print_result(script *s, mg_str reason, mg_str error)
{
    mg_buf line = mg_buf_new(s->arena, FILE_MAX_BYTES);
    mg_json_out out = begin(&line, "result");
    put_text(&out, "terminal_reason", reason);
    put_text(&out, "text", s->words);
    if (error.len > 0)
        put_text(&out, "error", error);
    if (s->retry_ms > 0) {
        mg_json_key(&out, "retry_ms");
        mg_json_int(&out, s->retry_ms);
    }
    mg_json_key(&out, "usage");
    mg_json_begin(&out, '{');
    mg_json_key(&out, "input_tokens");
    mg_json_int(&out, s->input_tokens);
    mg_json_key(&out, "output_tokens");
    mg_json_int(&out, s->output_tokens);
    mg_json_key(&out, "cost_usd");
    mg_json_number(&out, s->cost_usd);
    mg_json_end(&out, '}');
    mg_json_end(&out, '}');
    print_line(&line);
    s->over = true;
}

/* --- Bad scripts --- */

static mg_status refuse(const mg_node *at, mg_err *err, const char *what)
{
    return mg_fail(err, MG_ERR_INVALID, "line %u: %s", at->line, what);
}

static mg_status text_of(const mg_node *step, const mg_node *value, const char *what, mg_str *out,
                         mg_err *err)
{
    if (value == NULL || value->type == MG_NODE_LIST || value->type == MG_NODE_MAP ||
        value->type == MG_NODE_NULL)
        return mg_fail(err, MG_ERR_INVALID, "line %u: %s must be text", step->line, what);
    *out = value->text;
    return MG_OK;
}

/* --- Steps --- */

/* The directories on the way to path. A link that leads out is refused by the next open. */
static void make_directories(const script *s, mg_str path)
{
    for (size_t end = mg_str_find(path, '/', 0); end < path.len;
         end = mg_str_find(path, '/', end + 1)) {
        const mg_str dir = mg_str_first(path, end);
        size_t name = dir.len;
        while (name > 0 && dir.ptr[name - 1] != '/')
            name--;
        const mg_str parent = name > 0 ? mg_str_first(dir, name - 1) : MG_STR(".");
        MG_AUTO_FD at =
            mg_open_beneath(s->root, parent.len > 0 ? parent : MG_STR("."), O_RDONLY | O_DIRECTORY);
        if (at >= 0)
            (void)mkdirat(at, mg_str_cstr(s->arena, mg_str_from(dir, name)), 0777);
    }
}

static mg_status write_file(const script *s, mg_str path, mg_str text, mg_err *err)
{
    make_directories(s, path);
    MG_AUTO_FD fd = mg_open_beneath(s->root, path, O_WRONLY | O_CREAT | O_TRUNC | O_NONBLOCK);
    if (fd < 0)
        return mg_fail_errno(err, "'" MG_FMT "'", MG_ARG(path));
    return mg_fd_write_all(fd, text, err);
}

static mg_status do_read(script *s, const mg_node *step, const mg_node *value, mg_err *err)
{
    mg_str path = {0}, text = {0};
    MG_TRY(text_of(step, value, "read", &path, err));
    const mg_status got = mg_file_read(s->root, path, FILE_MAX_BYTES, s->arena, &text, err);
    print_step(s, "file_read", got == MG_OK ? text : mg_str_of(err->text), got == MG_OK ? 0 : 1);
    return MG_OK;
}

static mg_status do_write(script *s, const mg_node *step, const mg_node *value, mg_err *err)
{
    mg_str path = {0}, text = {0};
    MG_TRY(text_of(step, mg_node_get(value, "path"), "path of write", &path, err));
    MG_TRY(text_of(step, mg_node_get(value, "text"), "text of write", &text, err));
    const mg_status got = write_file(s, path, text, err);
    print_step(s, "file_write",
               got == MG_OK
                   ? mg_strf(s->arena, "wrote %zu bytes to '" MG_FMT "'", text.len, MG_ARG(path))
                   : mg_str_of(err->text),
               got == MG_OK ? 0 : 1);
    return MG_OK;
}

static mg_status patch_file(script *s, mg_str path, mg_str old, mg_str new, mg_err *err)
{
    mg_str text = {0};
    MG_TRY(mg_file_read(s->root, path, FILE_MAX_BYTES, s->arena, &text, err));
    const char *at = old.len > 0 ? memmem(text.ptr, text.len, old.ptr, old.len) : NULL;
    if (at == NULL)
        return mg_fail(err, MG_ERR_NOT_FOUND, "the old text is not in '" MG_FMT "'", MG_ARG(path));
    const size_t before = (size_t)(at - text.ptr);
    mg_buf patched = mg_buf_new(s->arena, 2 * FILE_MAX_BYTES);
    mg_buf_add(&patched, mg_str_first(text, before));
    mg_buf_add(&patched, new);
    mg_buf_add(&patched, mg_str_from(text, before + old.len));
    return write_file(s, path, mg_buf_str(&patched), err);
}

static mg_status do_patch(script *s, const mg_node *step, const mg_node *value, mg_err *err)
{
    mg_str path = {0}, old = {0}, new = {0};
    MG_TRY(text_of(step, mg_node_get(value, "path"), "path of patch", &path, err));
    MG_TRY(text_of(step, mg_node_get(value, "old"), "old of patch", &old, err));
    MG_TRY(text_of(step, mg_node_get(value, "new"), "new of patch", &new, err));
    const mg_status got = patch_file(s, path, old, new, err);
    print_step(s, "file_patch",
               got == MG_OK ? mg_strf(s->arena, "patched '" MG_FMT "'", MG_ARG(path))
                            : mg_str_of(err->text),
               got == MG_OK ? 0 : 1);
    return MG_OK;
}

static int start_shell(const char *command, int output, pid_t *pid)
{
    extern char **environ;
    static char shell[] = "sh", flag[] = "-c";
    char *const argv[] = {shell, flag, (char *)(uintptr_t)command, NULL};
    posix_spawn_file_actions_t actions;
    int rc = posix_spawn_file_actions_init(&actions);
    if (rc != 0)
        return rc;
    rc = posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
    rc = rc != 0 ? rc : posix_spawn_file_actions_adddup2(&actions, output, STDERR_FILENO);
    rc = rc != 0 ? rc : posix_spawn(pid, "/bin/sh", &actions, NULL, argv, environ);
    (void)posix_spawn_file_actions_destroy(&actions);
    return rc;
}

/* Into a file, not a pipe: what a command leaves running must not hold this one up. */
static mg_status do_run(script *s, const mg_node *step, const mg_node *value, mg_err *err)
{
    mg_str command = {0};
    MG_TRY(text_of(step, value, "run", &command, err));
    MG_AUTO_FD output = memfd_create("output", MFD_CLOEXEC);
    pid_t pid = 0;
    int status = 0;
    const int rc = output < 0 ? errno : start_shell(mg_str_cstr(s->arena, command), output, &pid);
    if (rc != 0) {
        print_step(s, "shell", mg_str_of(strerror(rc)), 127);
        return MG_OK;
    }
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    mg_buf said = mg_buf_new(s->arena, OUTPUT_MAX);
    (void)lseek(output, 0, SEEK_SET);
    (void)!mg_fd_read_all(output, &said, NULL);
    print_step(s, "shell", mg_buf_str(&said),
               WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
    return MG_OK;
}

static mg_status do_sleep(script *s, const mg_node *step, const mg_node *value, mg_err *err)
{
    (void)s;
    mg_str text = {0};
    uint64_t ms = 0;
    MG_TRY(text_of(step, value, "sleep", &text, err));
    const mg_status got = mg_parse_duration(text, &ms, err);
    if (got != MG_OK)
        return mg_context(err, got, "line %u: sleep", step->line);
    struct timespec left = {(time_t)(ms / 1000), (long)(ms % 1000) * 1000000};
    while (nanosleep(&left, &left) < 0 && errno == EINTR)
        ;
    return MG_OK;
}

static mg_status do_print(script *s, const mg_node *step, const mg_node *value, mg_err *err)
{
    MG_TRY(text_of(step, value, "print", &s->words, err));
    print_text(s, "text", s->words);
    return MG_OK;
}

static mg_status do_deny(script *s, const mg_node *step, const mg_node *value, mg_err *err)
{
    mg_str text = {0};
    MG_TRY(text_of(step, value, "deny", &text, err));
    print_text(s, "denied", text);
    return MG_OK;
}

static mg_status do_fail(script *s, const mg_node *step, const mg_node *value, mg_err *err)
{
    mg_str text = {0};
    MG_TRY(text_of(step, value, "fail", &text, err));
    s->exit_code = 1;
    print_result(s, MG_STR("error"), text);
    return MG_OK;
}

static mg_status do_limit(script *s, const mg_node *step, const mg_node *value, mg_err *err)
{
    mg_str text = {0};
    uint64_t ms = 0;
    MG_TRY(text_of(step, value, "limit", &text, err));
    const mg_status got = mg_parse_duration(text, &ms, err);
    if (got != MG_OK)
        return mg_context(err, got, "line %u: limit", step->line);
    s->exit_code = 1;
    s->retry_ms = (int64_t)MG_MAX(ms, 1);
    print_result(s, MG_STR("error"), MG_STR("rate limit reached"));
    return MG_OK;
}

static mg_status do_end(script *s, const mg_node *step, const mg_node *value, mg_err *err)
{
    static const char *const reasons[] = {"completed", "max_iterations", "error"};
    const bool map = value->type == MG_NODE_MAP;
    mg_str reason = {0};
    MG_TRY(text_of(step, map ? mg_node_get(value, "reason") : value, "the reason of end", &reason,
                   err));
    if (map && mg_node_get(value, "text") != NULL)
        MG_TRY(text_of(step, mg_node_get(value, "text"), "text of end", &s->words, err));
    for (size_t i = 0; i < MG_COUNT(reasons); i++)
        if (mg_str_is(reason, reasons[i])) {
            const bool failed = mg_str_is(reason, "error");
            s->exit_code = failed ? 1 : 0;
            print_result(s, reason, failed ? MG_STR("the script says so") : (mg_str){0});
            return MG_OK;
        }
    return refuse(step, err, "end is one of completed, max_iterations, error");
}

static double number_of(const mg_node *map, const char *key)
{
    const mg_node *node = mg_node_get(map, key);
    if (node == NULL)
        return 0;
    return node->type == MG_NODE_INT      ? (double)node->integer
           : node->type == MG_NODE_NUMBER ? node->number
                                          : 0;
}

static mg_status do_usage(script *s, const mg_node *step, const mg_node *value, mg_err *err)
{
    if (value->type != MG_NODE_MAP)
        return refuse(step, err, "usage is {input_tokens, output_tokens, cost_usd}");
    s->input_tokens += (int64_t)number_of(value, "input_tokens");
    s->output_tokens += (int64_t)number_of(value, "output_tokens");
    s->cost_usd += number_of(value, "cost_usd");
    return MG_OK;
}

typedef struct step_kind {
    const char *name;
    mg_status (*act)(script *s, const mg_node *step, const mg_node *value, mg_err *err);
} step_kind;

static const step_kind step_kinds[] = {
    {"read", do_read},   {"write", do_write}, {"patch", do_patch}, {"run", do_run},
    {"sleep", do_sleep}, {"print", do_print}, {"fail", do_fail},   {"end", do_end},
    {"deny", do_deny},   {"limit", do_limit}, {"usage", do_usage},
};

/* --- The script --- */

static const step_kind *kind_of(const mg_node *step)
{
    if (step->type != MG_NODE_MAP || step->map.count != 1)
        return NULL;
    for (size_t i = 0; i < MG_COUNT(step_kinds); i++)
        if (mg_str_is(step->map.items[0].key, step_kinds[i].name))
            return &step_kinds[i];
    return NULL;
}

/* All of it before any of it is done: a bad script does nothing. */
static mg_status check_script(const mg_node *all, mg_err *err)
{
    if (all->type != MG_NODE_LIST || all->list.count == 0)
        return refuse(all, err, "the script is a list with an item for each attempt");
    for (size_t i = 0; i < all->list.count; i++) {
        const mg_node *attempt = &all->list.items[i];
        if (attempt->type != MG_NODE_LIST)
            return refuse(attempt, err, "an attempt is a list of steps");
        for (size_t j = 0; j < attempt->list.count; j++)
            if (kind_of(&attempt->list.items[j]) == NULL)
                return refuse(&attempt->list.items[j], err,
                              "a step is one of read, write, patch, run, sleep, print, fail, deny, "
                              "limit, usage, end, as in 'read: index.html'");
    }
    return MG_OK;
}

static mg_status load(script *s, const char *path, mg_node **out, mg_err *err)
{
    MG_AUTO_FD fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return mg_fail_errno(err, "it cannot be opened");
    mg_buf text = mg_buf_new(s->arena, mg_limits_default.goal_bytes);
    uint32_t line = 0, column = 0;
    MG_TRY(mg_fd_read_all(fd, &text, err));
    const mg_status got =
        mg_yaml_parse(mg_buf_str(&text), &mg_limits_default, s->arena, out, &line, &column, err);
    if (got != MG_OK)
        return mg_context(err, got, "line %u", line);
    return check_script(*out, err);
}

static size_t attempt_number(void)
{
    const char *text = getenv("MAKEGOOD_ATTEMPT");
    int64_t number = 1;
    if (text != NULL && (mg_parse_int(mg_str_of(text), &number, NULL) != MG_OK || number < 1))
        number = 1;
    return (size_t)number;
}

static mg_status play(script *s, const mg_node *all, mg_err *err)
{
    const mg_node *attempt = &all->list.items[MG_MIN(attempt_number(), all->list.count) - 1];
    print_hello(s);
    for (size_t i = 0; i < attempt->list.count && !s->over; i++) {
        const mg_node *step = &attempt->list.items[i];
        const step_kind *kind = kind_of(step); /* there: the script was checked */
        if (kind != NULL)
            MG_TRY(kind->act(s, step, &step->map.items[0].value, err));
    }
    if (!s->over)
        print_result(s, MG_STR("completed"), (mg_str){0});
    return MG_OK;
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        (void)fprintf(stderr, "usage: mg-scripted SCRIPT.yaml\n");
        return 2;
    }
    MG_AUTO(mg_arena) arena = mg_arena_new(NULL);
    script s = {.arena = arena, .file = argv[1]};
    mg_err err = {0};
    mg_node *all = NULL;
    MG_AUTO_FD root = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    s.root = root;
    mg_status got = load(&s, argv[1], &all, &err);
    got = got == MG_OK ? play(&s, all, &err) : got;
    if (got != MG_OK) {
        (void)fprintf(stderr, "mg-scripted: '%s': %s\n", argv[1], err.text);
        return 2;
    }
    return s.exit_code;
}
