/* docgen.h - man pages and completions from the command table; at build time only. */
#ifndef MG_CLI_DOCGEN_H
#define MG_CLI_DOCGEN_H

#include "cli/cli.h"

/* makegood(1), makegood-COMMAND(1), makegood.yaml(5). */
void mg_man_program(const char *version, mg_arena *arena, mg_buf *out);
void mg_man_command(const mg_command *command, const char *version, mg_arena *arena, mg_buf *out);
void mg_man_goal_file(const char *version, mg_arena *arena, mg_buf *out);

void mg_complete_bash(mg_arena *arena, mg_buf *out);
void mg_complete_zsh(mg_arena *arena, mg_buf *out);
void mg_complete_fish(mg_arena *arena, mg_buf *out);

#endif
