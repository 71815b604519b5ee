/* sqlite_rows.h - loops and attempts as rows. Private to store/. */
#ifndef MG_STORE_SQLITE_ROWS_H
#define MG_STORE_SQLITE_ROWS_H

#include "store/kinds.h"
#include "store/sqlite_db.h"

/* The columns that mg_row_loop() reads, in its order. */
#define MG_LOOP_COLUMNS                                                                        \
    "id, user, root, scope, goal, goal_file, agent, message, status, reason, verdict,"         \
    " verified, created_ms, finished_ms, attempt_count, owner_boot, owner_pid, owner_started," \
    " budget_attempts, budget_time_ms, budget_tokens, budget_cost_usd, budget_stagnation,"     \
    " spent_attempts, spent_time_ms, spent_input_tokens, spent_output_tokens, spent_cost_usd"

/* The loop of the row at hand. A word that is none of ours is MG_ERR_INVALID, naming the loop. */
MG_MUST_CHECK mg_status mg_row_loop(mg_db *db, sqlite3_stmt *stmt, mg_arena *arena, mg_pursuit *out,
                                    mg_owner *owner, mg_err *err);

MG_MUST_CHECK mg_status mg_row_insert_loop(mg_db *db, const mg_pursuit *pursuit,
                                           const mg_owner *owner, int64_t now_ms, mg_err *err);
MG_MUST_CHECK mg_status mg_row_insert_attempt(mg_db *db, mg_str loop_id, const mg_attempt *attempt,
                                              mg_err *err);
MG_MUST_CHECK mg_status mg_row_save_baseline(mg_db *db, const mg_pursuit *pursuit, int *changed,
                                             mg_err *err);
MG_MUST_CHECK mg_status mg_row_save_keep(mg_db *db, const mg_pursuit *pursuit, mg_err *err);
MG_MUST_CHECK mg_status mg_row_save_warnings(mg_db *db, const mg_pursuit *pursuit, mg_err *err);

/* What a list does not need: frozen goal, request, baseline, warnings. A text that is not the one
 * that was stored is an error. */
MG_MUST_CHECK mg_status mg_row_load_texts(mg_db *db, mg_arena *arena, mg_pursuit *loop,
                                          mg_err *err);

/* The attempts. One whose record is broken is there with its number and nothing known of it: the
 * verdict is unknown, its error and a warning of the loop say why. */
MG_MUST_CHECK mg_status mg_row_load_attempts(mg_db *db, mg_arena *arena, mg_pursuit *loop,
                                             mg_err *err);

#endif
