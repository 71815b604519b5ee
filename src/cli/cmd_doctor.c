/* cmd_doctor.c - makegood doctor: what is there, what is missing, and what that affects. */
#include "cli/cli.h"

#include "base/fs.h"
#include "data/json.h"
#include "data/text.h"
#include "io/net.h"
#include "io/program.h"
#include "io/supervise.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <json-c/json_c_version.h>
#include <linux/openat2.h>
#include <sodium.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <uv.h>
#include <xxhash.h>
#include <yaml.h>
#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

/* What was found ("0.16", "/usr/bin/git"); NULL ptr: nothing. */
typedef mg_str (*probe)(mg_cli *cli);

static mg_str find_json_c(mg_cli *cli)
{
    (void)cli;
    return mg_str_of(json_c_version());
}

static mg_str find_yaml(mg_cli *cli)
{
    (void)cli;
    return mg_str_of(yaml_get_version_string());
}

static mg_str find_pcre2(mg_cli *cli)
{
    char version[64];
    uint32_t jit = 0;
    if (pcre2_config(PCRE2_CONFIG_VERSION, NULL) > (int)sizeof version ||
        pcre2_config(PCRE2_CONFIG_VERSION, version) < 0)
        return (mg_str){0};
    (void)pcre2_config(PCRE2_CONFIG_JIT, &jit);
    return mg_strf(cli->arena, "%s%s", version, jit != 0 ? ", JIT" : ", no JIT");
}

static mg_str find_uv(mg_cli *cli)
{
    (void)cli;
    return mg_str_of(uv_version_string());
}

static mg_str find_xxhash(mg_cli *cli)
{
    const unsigned v = XXH_versionNumber();
    return mg_strf(cli->arena, "%u.%u.%u", v / 10000, v / 100 % 100, v % 100);
}

static mg_str find_sodium(mg_cli *cli)
{
    (void)cli;
    return mg_str_of(sodium_version_string());
}

static mg_str find_curl(mg_cli *cli)
{
    (void)cli;
    const char *version = mg_net_version();
    const mg_str whole = mg_str_of(version);
    return version != NULL ? mg_str_first(whole, mg_str_find(whole, ' ', 0)) : (mg_str){0};
}

/* Opened as the store opens it, on first use. */
static mg_str find_sqlite(mg_cli *cli)
{
    void *library = dlopen("libsqlite3.so.0", RTLD_NOW | RTLD_LOCAL);
    const char *(*version)(void) = NULL;
    if (library != NULL)
        *(void **)&version = dlsym(library, "sqlite3_libversion");
    const mg_str found =
        version != NULL ? mg_str_copy(cli->arena, mg_str_of(version())) : (mg_str){0};
    if (library != NULL)
        (void)dlclose(library);
    return found;
}

static mg_str find_supervisor(mg_cli *cli)
{
    const char *path;
    if (mg_libexec_find("mg-supervise", cli->environ, cli->arena, &path, NULL) != MG_OK)
        return (mg_str){0};
    return mg_str_of(path);
}

/* Asked of the kernel itself: a container's filter may refuse what its version promises. */
static mg_str find_openat2(mg_cli *cli)
{
    (void)cli;
    struct open_how how = {.flags = O_PATH | O_DIRECTORY | O_CLOEXEC, .resolve = RESOLVE_BENEATH};
    MG_AUTO_FD fd = (int)syscall(SYS_openat2, AT_FDCWD, ".", &how, sizeof how);
    return fd >= 0 ? MG_STR("works") : (mg_str){0};
}

/* By the search that commands are started with. */
static mg_str find_program(mg_cli *cli, const char *name)
{
    const char *path;
    if (mg_program_find(name, cli->environ, AT_FDCWD, cli->arena, &path, NULL) != MG_OK)
        return (mg_str){0};
    return path[0] == '/' ? mg_str_of(path) : (mg_str){0}; /* not what happens to lie here */
}

static mg_str find_sh(mg_cli *cli)
{
    return find_program(cli, "sh");
}

static mg_str find_git(mg_cli *cli)
{
    return find_program(cli, "git");
}

static mg_str find_bwrap(mg_cli *cli)
{
    return find_program(cli, "bwrap");
}

/* Where it is, or would be; empty: nothing in the environment says so. */
static mg_str state_path(mg_cli *cli)
{
    const char *state = mg_cli_getenv(cli, "XDG_STATE_HOME");
    const char *home = mg_cli_getenv(cli, "HOME");
    if (state != NULL && state[0] == '/')
        return mg_strf(cli->arena, "%s/makegood", state);
    if (home != NULL && home[0] == '/')
        return mg_strf(cli->arena, "%s/.local/state/makegood", home);
    return MG_STR("");
}

/* Whether the state directory could be made: the nearest part of its path that is there. errno
 * has the reason where it could not. */
static bool state_works(mg_cli *cli, mg_str path, mg_str *there)
{
    *there = path;
    while (there->len > 1 && access(mg_str_cstr(cli->arena, *there), F_OK) != 0) {
        while (there->len > 1 && there->ptr[there->len - 1] != '/')
            there->len--;
        there->len -= there->len > 1; /* the slash, unless it is all */
    }
    /* "/." asks whether it is a directory as well. */
    const mg_str as_directory = mg_strf(cli->arena, MG_FMT "/.", MG_ARG(*there));
    return access(as_directory.ptr, W_OK | X_OK) == 0;
}

static mg_str find_state(mg_cli *cli)
{
    mg_str there;
    const mg_str path = state_path(cli);
    return path.len > 0 && state_works(cli, path, &there) ? path : (mg_str){0};
}

static mg_str why_no_state(mg_cli *cli)
{
    mg_str there;
    const mg_str path = state_path(cli);
    if (path.len == 0)
        return MG_STR("neither XDG_STATE_HOME nor HOME is an absolute path");
    if (state_works(cli, path, &there))
        return MG_STR("");
    return mg_strf(cli->arena, "'" MG_FMT "' cannot be used: '" MG_FMT "': %s", MG_ARG(path),
                   MG_ARG(there), strerrordesc_np(errno));
}

static const struct part {
    const char *name;
    probe find;
    bool needed; /* by check or by drive */
    const char *affects;
    probe why; /* it was not found, in a sentence; may be NULL */
} parts[] = {
    {"sh", find_sh, true, .affects = "command_returns with a command line"},
    {"libcurl", find_curl, true, .affects = "http, http_200 and socket_open"},
    {"json-c", find_json_c, true, .affects = "JSON"},
    {"libyaml", find_yaml, true, .affects = "goal files"},
    {"PCRE2", find_pcre2, true, .affects = "patterns"},
    {"libuv", find_uv, true, .affects = "commands, HTTP and sockets"},
    {"xxHash", find_xxhash, true, .affects = "content_changed"},
    {"libsodium", find_sodium, true, .affects = "SHA-256"},
    {"SQLite", find_sqlite, true, .affects = "drive and loop, which keep loops in it"},
    {"mg-supervise", find_supervisor, true, .affects = "drive, which runs every agent under it"},
    {"state directory", find_state, true, .affects = "drive and loop, which keep loops there",
     .why = why_no_state},
    {"openat2", find_openat2, false, .affects = "opening files; without it a slower way is used"},
    {"git", find_git, false, .affects = "nothing yet"},
    {"bwrap", find_bwrap, false, .affects = "sandbox and hide, which are not there yet"},
};

static void write_text(mg_cli *cli, const mg_str *found, mg_buf *out)
{
    for (size_t i = 0; i < MG_COUNT(parts); i++) {
        const struct part *p = &parts[i];
        const bool there = found[i].ptr != NULL;
        if (there && cli->quiet)
            continue;
        const char *word = there ? "ok" : p->needed ? "MISSING" : "absent";
        const char *color = !cli->color ? ""
                            : there     ? "\033[32m"
                            : p->needed ? "\033[31m"
                                        : "\033[33m";
        mg_buf_addf(out, "%s%-8s%s %-16s ", color, word, cli->color ? "\033[0m" : "", p->name);
        if (there)
            mg_buf_addf(out, MG_FMT "\n", MG_ARG(mg_text_line(cli->arena, found[i], 500)));
        else
            mg_buf_addf(out, "affects: %s\n", p->affects);
        if (!there && p->why != NULL)
            mg_buf_addf(out, "%-25s " MG_FMT "\n", "",
                        MG_ARG(mg_text_line(cli->arena, p->why(cli), 1000)));
    }
}

static void write_json(mg_cli *cli, const mg_str *found, bool ok, mg_buf *out)
{
    mg_json_out json = {.buf = out, .pretty = true};
    mg_json_begin(&json, '{');
    mg_json_key(&json, "schema");
    mg_json_int(&json, 1);
    mg_json_key(&json, "version");
    mg_json_cstr(&json, cli->version);
    mg_json_key(&json, "ok");
    mg_json_bool(&json, ok);
    mg_json_key(&json, "parts");
    mg_json_begin(&json, '[');
    for (size_t i = 0; i < MG_COUNT(parts); i++) {
        mg_json_begin(&json, '{');
        mg_json_key(&json, "name");
        mg_json_cstr(&json, parts[i].name);
        mg_json_key(&json, "there");
        mg_json_bool(&json, found[i].ptr != NULL);
        mg_json_key(&json, "needed");
        mg_json_bool(&json, parts[i].needed);
        mg_json_key(&json, "found");
        if (found[i].ptr != NULL)
            mg_json_str(&json, found[i]);
        else
            mg_json_null(&json);
        mg_json_key(&json, "affects");
        mg_json_cstr(&json, parts[i].affects);
        if (found[i].ptr == NULL && parts[i].why != NULL) {
            mg_json_key(&json, "why");
            mg_json_str(&json, parts[i].why(cli));
        }
        mg_json_end(&json, '}');
    }
    mg_json_end(&json, ']');
    mg_json_end(&json, '}');
    mg_buf_addc(out, '\n');
}

int mg_cmd_doctor(mg_cli *cli, const mg_cli_args *args)
{
    mg_str found[MG_COUNT(parts)];
    size_t missing = 0;
    for (size_t i = 0; i < MG_COUNT(parts); i++) {
        found[i] = parts[i].find(cli);
        missing += parts[i].needed && found[i].ptr == NULL;
    }
    mg_buf text = mg_cli_buf(cli);
    if (strcmp(mg_cli_text(args, "format"), "json") == 0) {
        write_json(cli, found, missing == 0, &text);
    } else {
        write_text(cli, found, &text);
        if (missing > 0)
            mg_buf_addf(&text, "\n%zu of the parts that check and drive need %s missing.\n",
                        missing, missing == 1 ? "is" : "are");
        else
            mg_buf_adds(&text, "\nEverything that check and drive need is there.\n");
    }
    return mg_cli_show(cli, &text, missing == 0 ? MG_EXIT_MET : MG_EXIT_NOT_MET);
}
