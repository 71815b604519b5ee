/* kinds.c - every assertion kind, in the order people see them.
 *
 * To add one: a file beside this one, its declaration and its row here, and a case file in
 * tests/cases/kinds/.
 */
#include "check/check.h"

extern const mg_check_kind mg_check_file_exists, mg_check_dir_exists, mg_check_file_not_empty,
    mg_check_file_size_gt, mg_check_file_contains, mg_check_file_not_contains, mg_check_json_value,
    mg_check_command_returns, mg_check_socket_open, mg_check_http_200, mg_check_http,
    mg_check_content_changed, mg_check_changes, mg_check_response_contains,
    mg_check_output_contains, mg_check_exit_code_eq;

const mg_check_kind *const mg_check_kinds[] = {
    &mg_check_file_exists,
    &mg_check_file_not_empty,
    &mg_check_file_contains,
    &mg_check_file_not_contains,
    &mg_check_file_size_gt,
    &mg_check_dir_exists,
    &mg_check_json_value,
    &mg_check_command_returns,
    &mg_check_http_200,
    &mg_check_http,
    &mg_check_socket_open,
    &mg_check_content_changed,
    &mg_check_changes,
    &mg_check_response_contains,
    &mg_check_output_contains,
    &mg_check_exit_code_eq,
    NULL,
};
