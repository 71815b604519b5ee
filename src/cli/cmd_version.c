/* cmd_version.c - makegood version. */
#include "cli/cli.h"

#include "data/json.h"

int mg_cmd_version(mg_cli *cli, const mg_cli_args *args)
{
    mg_buf text = mg_cli_buf(cli);
    if (strcmp(mg_cli_text(args, "format"), "json") != 0) {
        mg_buf_addf(&text, "makegood %s\n", cli->version);
        return mg_cli_show(cli, &text, MG_EXIT_MET);
    }
    mg_json_out out = {.buf = &text, .pretty = true};
    mg_json_begin(&out, '{');
    mg_json_key(&out, "schema");
    mg_json_int(&out, 1);
    mg_json_key(&out, "name");
    mg_json_cstr(&out, "makegood");
    mg_json_key(&out, "version");
    mg_json_cstr(&out, cli->version);
    mg_json_end(&out, '}');
    mg_buf_addc(&text, '\n');
    return mg_cli_show(cli, &text, MG_EXIT_MET);
}
