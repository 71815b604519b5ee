/* scrub_names.c - markers that give orders, names of scanners, and what a blocked step may say.
 *
 * An agent is told that something was rejected, not which tool did it nor why: that would be a
 * recipe for getting past it.
 */
#include "data/scrub_rows.h"

#include <stddef.h>

/* Word-bounded; '_' and a change of case (SemgrepError, runTrivy) are borders of a word too. */
#define NAME(names) \
    "(?:(?<![A-Za-z0-9])|(?<=[a-z0-9])(?=[A-Z]))(?i:" names ")(?:(?![A-Za-z0-9])|(?=[A-Z][a-z]))"

#define GAP "[\\s_.-]{0,3}" /* PromptGuard, prompt-guard, prompt guard, prompt_guard */

#define AGO     "(?:previous|prior|above|earlier|preceding|foregoing)"
#define FILLERS "(?:(?:all|any|every|the|your|my|of|these|those|this)\\s+){0,5}"
#define ORDERS \
    "(?:instructions?|prompts?|rules|directions|directives|commands|messages?|guidelines)"

const mg_scrub_row mg_scrub_names[] = {
    /* Orders */
    {MG_SCRUB_ORDER, 0,
     "(?i)\\bignore\\s+" FILLERS AGO "\\b(?:\\s+(?:[a-z]+\\s+){0,2}" ORDERS "\\b)?"},
    {MG_SCRUB_ORDER, 0,
     "(?i)\\b(?:disregard|forget|override|bypass|ignore)\\s+" FILLERS "(?:" AGO
     "\\s+|system\\s+|safety\\s+)?(?:[a-z]+\\s+)?" ORDERS "\\b"},
    {MG_SCRUB_ORDER, 0,
     "(?i)^[ \\t>*#|-]{0,40}(?:system|assistant|developer|human)(?:\\s+(?:prompt|message))?[*]{0,2}"
     "\\s?:"},
    {MG_SCRUB_ORDER, 0, "(?i)^[ \\t>*#|-]{0,40}new\\s+(?:system\\s+)?instructions?\\s*:"},
    {MG_SCRUB_ORDER, 0, "<\\s?\\|[A-Za-z0-9_ /-]{1,40}\\|\\s?>"}, /* <|im_start|> */
    {MG_SCRUB_ORDER, 0, "\\[/?INST\\]|<</?SYS>>"},
    {MG_SCRUB_ORDER, 0, "<(?:start|end)_of_turn>"},
    {MG_SCRUB_ORDER, 0,
     "(?i)</?(?:system|assistant|system[_-]reminder|system[_-]prompt|developer|instructions?|"
     "tool_result|tool_use|function_calls|function_results|invoke)(?:\\s[^<>\\n]{0,80})?/?>"},

    /* Products */
    {MG_SCRUB_PRODUCT, 0,
     NAME("sem" GAP "grep|open" GAP "grep|yara(?:" GAP "x)?|clam" GAP "(?:av|scan|d(?:scan)?)|"
          "freshclam|code" GAP "shield|(?:llama" GAP ")?prompt" GAP "guard|llama" GAP "(?:guard|"
          "firewall)|purple" GAP "llama|lakera|nemo" GAP "guardrails|llm" GAP "guard")},
    {MG_SCRUB_PRODUCT, 0,
     NAME("bandit|trivy|grype|git" GAP "leaks|truffle" GAP "hog|detect[_-]?secrets|git" GAP
          "guardian|gg" GAP "shield|snyk|sonar" GAP "(?:qube|cloud|scanner|lint)|code" GAP "ql|"
          "checkov|tfsec|terrascan|kics|gosec|brakeman|veracode|checkmarx|"
          "virus" GAP "total|horusec|spotbugs|find[_-]?sec[_-]?bugs|njsscan|bearer" GAP
          "cli|owasp" GAP "zap|zap" GAP "roxy|osv" GAP "scanner|crowd" GAP "strike|"
          "sentinel" GAP "one")},

    /* Words about scanning */
    {MG_SCRUB_GENERIC, 0,
     NAME("(?:security|malware|secret|virus|vulnerability|content|output|code)?" GAP "scanners?|"
          "scan" GAP "(?:ning" GAP ")?pipelines?|rule" GAP "ids?|inner" GAP "html" GAP "xss|no" GAP
          "new" GAP "privileges|security" GAP "opts?|antivirus|moderation|guard" GAP "rails?|"
          "seccomp|app" GAP "armor|se" GAP "linux")},
    {0},
};

const char mg_scrub_allowed[] =
    "(?i)not found|matched \\d+ rules?|no such file|already exists|syntax|time(?:d )?[- ]?out|empty|"
    "too large|exceeds|use a more specific|re-read the file|unknown tool|is disabled|is required|"
    "must be a valid|failed:|could not (?:find|parse|read|resolve)|invalid|path.{0,80}outside|"
    "permission|approval";
