/* scope.h - what a scope is made of. Private to scope.c and to saved.c, which keeps it. */
#ifndef MG_WORLD_SCOPE_H
#define MG_WORLD_SCOPE_H

#include "base/map.h"
#include "data/ignore.h"
#include "world/snapshot.h"

typedef struct mg_scope_source { /* a .gitignore as it was */
    mg_str dir, text;
} mg_scope_source;

struct mg_scope {
    mg_strs ignore, protect, named;      /* as they were given */
    mg_strs ignore_globs, protect_globs; /* the same, and what lies beneath a directory named */
    mg_map names;                        /* named paths */
    mg_map parents;                      /* directories on the way to them */
    mg_ignore *rules;
    struct {
        mg_scope_source *items;
        size_t count, cap;
    } sources;
};

/* A scope without the rules of any .gitignore, and adding the rules of one. */
MG_MUST_CHECK mg_status mg_scope_make(const mg_scope_rules *rules, mg_arena *arena, mg_scope **out,
                                      mg_err *err);
MG_MUST_CHECK mg_status mg_scope_add(mg_scope *scope, mg_str dir, mg_str text, mg_arena *arena,
                                     mg_err *err);

#endif
