/* presets.c - how each agent is run: a row each, in the order people see them.
 *
 * What was seen of the real programs decides a row, not their manuals. A prompt may begin with a
 * dash and hold anything, so it goes to stdin, behind "--", or into one argument with its flag.
 * The defaults let an agent edit files in its workspace and no more; whoever wants more says so in
 * their own arguments, which come later, and a default that they replace is left out (codex
 * refuses a flag that is given twice).
 */
#include "agent/kinds.h"

static const mg_preset presets[] = {
    {
        .info = {"claude", "claude", "Claude Code, by its JSON stream", .resumes = true},
        .first = {"-p", "--output-format", "stream-json", "--verbose", "{args}"},
        .again = {"-p", "--output-format", "stream-json", "--verbose", "--resume", "{session}",
                  "{args}"},
        .defaults = {{"--permission-mode", "acceptEdits", "--dangerously-skip-permissions"}},
        .env = {"DISABLE_AUTOUPDATER=1"},
        .format = &mg_format_claude,
        .denial_setting = "allow the tool with '--allowedTools NAME', or choose another "
                          "'--permission-mode' (the preset's is acceptEdits)",
    },
    {
        .info = {"codex", "codex", "OpenAI Codex, by `codex exec --json`", .resumes = true},
        .first = {"exec", "--json", "--skip-git-repo-check", "{args}", "-"},
        .again = {"exec", "--json", "--skip-git-repo-check", "{args}", "resume", "{session}", "-"},
        .defaults = {{"--sandbox", "workspace-write",
                      "-s --approve-for-me --dangerously-bypass-approvals-and-sandbox"}},
        .format = &mg_format_codex,
        .denial_setting = "choose another '--sandbox' (the preset's is workspace-write), or allow "
                          "more directories with '--add-dir'",
    },
    {
        .info = {"gemini", "gemini", "Gemini CLI, by its JSON stream", .resumes = true},
        .first = {"--output-format", "stream-json", "{args}", "--prompt={prompt}"},
        .again = {"--output-format", "stream-json", "--resume", "{session}", "{args}",
                  "--prompt={prompt}"},
        .defaults = {{"--approval-mode", "auto_edit", "-y --yolo"}},
        .format = &mg_format_gemini,
        .denial_setting = "choose another '--approval-mode' (the preset's is auto_edit; yolo "
                          "allows everything), and trust the workspace",
    },
    {
        .info = {"opencode", "opencode", "opencode, by `opencode run --format json`",
                 .resumes = true},
        .first = {"run", "--format", "json", "{args}", "--", "{prompt}"},
        .again = {"run", "--format", "json", "--session", "{session}", "{args}", "--", "{prompt}"},
        .env = {"OPENCODE_DISABLE_AUTOUPDATE=1"},
        .format = &mg_format_opencode,
        .denial_setting = "set \"permission\": {\"edit\": \"allow\", \"bash\": \"allow\"} in "
                          "opencode.json",
    },
    {
        .info = {"qwen", "qwen", "Qwen Code, by its JSON output", .resumes = true},
        .first = {"--output-format", "json", "{args}", "--prompt={prompt}"},
        .again = {"--output-format", "json", "--resume", "{session}", "{args}",
                  "--prompt={prompt}"},
        .defaults = {{"--approval-mode", "auto-edit", "-y --yolo"}},
        .format = &mg_format_claude,
        .denial_setting = "choose another '--approval-mode' (the preset's is auto-edit; yolo "
                          "allows everything)",
    },
    {
        .info = {"pi", "pi", "pi, by its JSON lines", .resumes = true},
        .first = {"--mode", "json", "-p", "{args}"},
        .again = {"--mode", "json", "-p", "--session", "{session}", "{args}"},
        .format = &mg_format_pi,
        .denial_setting = "allow the tool with '--tools'",
    },
    {
        .info = {"cn", "cn", "Continue CLI, by its JSON answer", .resumes = false},
        .first = {"-p", "--format", "json", "{args}", "--", "{prompt}"},
        .defaults = {{"--auto", NULL, "--readonly --allow --ask --exclude"}},
        .format = &mg_format_cn,
        .denial_setting = "allow the tool with '--allow NAME' (the preset gives --auto)",
    },
    {
        .info = {"scripted", "mg-scripted",
                 "what a YAML file says, attempt by attempt: for demos "
                 "and tests",
                 .resumes = false},
        .first = {"{args}"},
        .format = &mg_format_lines,
        .ours = true,
        .file_args = true,
    },
    {
        .info = {"copilot", "copilot", "GitHub Copilot CLI; only the prompt is passed",
                 .unproven = true},
        .first = {"{args}", "--prompt={prompt}"},
        .format = &mg_format_text,
        .denial_setting = "allow the tool with '--allow-tool NAME'",
    },
    {
        .info = {"aider", "aider", "aider; only the prompt is passed", .unproven = true},
        .first = {"--no-stream", "{args}", "--message={prompt}"},
        .defaults = {{"--yes-always", NULL, "--yes"}},
        .format = &mg_format_text,
    },
    {
        .info = {"goose", "goose", "goose; only the prompt is passed", .unproven = true},
        .first = {"run", "{args}", "-i", "-"},
        .format = &mg_format_text,
    },
};

const mg_preset_info *mg_preset_at(size_t index)
{
    return index < MG_COUNT(presets) ? &presets[index].info : NULL;
}

const mg_preset *mg_preset_find(const char *name)
{
    for (size_t i = 0; i < MG_COUNT(presets); i++)
        if (strcmp(presets[i].info.name, name) == 0)
            return &presets[i];
    return NULL;
}
