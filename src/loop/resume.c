/* resume.c - what a resumed loop must find as it was: scope, start, restore copies, programs.
 *
 * The files lie in the loop's directory, where an agent may find them; their SHA-256 is in the
 * store. A resume that finds something else refuses: going on would judge by what an agent wrote.
 */
#include "base/vec.h"
#include "loop/state.h"

static void put(mg_json_out *json, const char *key, mg_str text)
{
    mg_json_key(json, key);
    mg_json_str(json, text);
}

typedef struct hashes {
    mg_str scope, start, guard, programs;
} hashes;

static mg_status write_keep(mg_driver *d, const hashes *h, mg_err *err)
{
    mg_buf text = mg_buf_new(d->arena, d->o->limits->report_bytes);
    mg_json_out json = {.buf = &text};
    mg_json_begin(&json, '{');
    put(&json, "scope", h->scope);
    put(&json, "start", h->start);
    put(&json, "guard", h->guard);
    put(&json, "programs", h->programs);
    mg_json_key(&json, "ours");
    mg_json_begin(&json, '[');
    for (size_t i = 0; i < d->ours.count; i++)
        mg_json_str(&json, d->ours.items[i]);
    mg_json_end(&json, ']');
    mg_json_end(&json, '}');
    d->p->keep = mg_buf_str(&text);
    return mg_buf_ok(&text, "what verification wrote", err);
}

static mg_status text_at(const mg_json *json, const char *pointer, mg_arena *arena, mg_str *out,
                         mg_err *err)
{
    const mg_json *value;
    mg_str text;
    MG_TRY(mg_json_at(json, mg_str_of(pointer), &value, err));
    if (!mg_json_is_text(value, &text))
        return mg_fail(err, MG_ERR_INVALID, "'%s' is not a text", pointer);
    *out = mg_str_copy(arena, text);
    return MG_OK;
}

static mg_status read_hashes(mg_driver *d, const mg_json *json, hashes *h, mg_err *err)
{
    MG_TRY(text_at(json, "/scope", d->arena, &h->scope, err));
    MG_TRY(text_at(json, "/start", d->arena, &h->start, err));
    MG_TRY(text_at(json, "/guard", d->arena, &h->guard, err));
    return text_at(json, "/programs", d->arena, &h->programs, err);
}

static mg_status parse(mg_driver *d, mg_arena *scratch, const mg_json **out, mg_err *err)
{
    const mg_limits limits = {.json_bytes = d->o->limits->report_bytes, .json_depth = 8};
    return mg_json_parse(d->p->keep, &limits, MG_JSON_UNIQUE_KEYS, scratch, out, err);
}

mg_status mg_resume_save(mg_driver *d, mg_err *err)
{
    hashes h = {.guard = mg_guard_sha256(d->guard),
                .programs = mg_programs_text(d->programs, &d->world, d->arena)};
    if (d->o->store == NULL)
        return MG_OK; /* nobody could resume it */
    MG_TRY(mg_scope_save(d->scope, d->dir, "scope", &h.scope, d->arena, err));
    MG_TRY(mg_snapshot_save(d->start.snapshot, d->dir, "start", &h.start, d->arena, err));
    return write_keep(d, &h, err);
}

mg_status mg_resume_note(mg_driver *d, mg_err *err)
{
    MG_AUTO(mg_arena) scratch = mg_arena_new(NULL);
    const mg_json *json;
    hashes h;
    if (d->o->store == NULL)
        return MG_OK;
    MG_TRY(parse(d, scratch, &json, err));
    MG_TRY(read_hashes(d, json, &h, err));
    return write_keep(d, &h, err);
}

static mg_status load(mg_driver *d, const mg_json *json, mg_err *err)
{
    hashes h;
    MG_TRY(read_hashes(d, json, &h, err));
    if (!mg_str_eq(h.programs, mg_programs_text(d->programs, &d->world, d->arena)))
        return mg_fail(err, MG_ERR_INVALID,
                       "a program that verifies the goal is not what it was when the loop began");
    MG_TRY(mg_scope_load(d->dir, "scope", h.scope, d->arena, &d->scope, err));
    MG_TRY(mg_snapshot_load(d->dir, "start", h.start, d->arena, &d->start.snapshot, err));
    MG_TRY(mg_guard_reopen(&d->world, d->scope, d->start.snapshot, d->dir, h.guard, d->arena,
                           &d->guard, err));
    for (size_t i = 0;; i++) {
        MG_AUTO(mg_arena) scratch = mg_arena_new(NULL);
        mg_err none;
        mg_str path;
        const char *pointer = mg_strf(scratch, "/ours/%zu", i).ptr;
        if (text_at(json, pointer, d->arena, &path, &none) != MG_OK)
            return MG_OK;
        mg_strs_add(d->arena, &d->ours, path);
    }
}

mg_status mg_resume_load(mg_driver *d, mg_err *err)
{
    MG_AUTO(mg_arena) scratch = mg_arena_new(NULL);
    const mg_json *json;
    mg_status s = parse(d, scratch, &json, err);
    if (s == MG_OK)
        s = load(d, json, err);
    return s == MG_OK ? s
                      : mg_context(err, s, "loop " MG_FMT " cannot be resumed", MG_ARG(d->p->id));
}
