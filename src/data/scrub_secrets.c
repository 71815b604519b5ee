/* scrub_secrets.c - secrets by their shape: tokens with a known prefix, keys, credentials. */
#include "data/scrub_rows.h"

#include <stddef.h>

/* Names of settings that hold a secret, and what may stand behind them in the name. */
#define PASSWORD                                                                             \
    "(?:pass(?:word|wd|phrase)|pwd|secret|credentials?|api[_-]?key|access[_-]?key|auth[_-]?" \
    "token|private[_-]?key|encryption[_-]?key|client[_-]?secret)"
#define NAME_END "s?(?:[_-][A-Za-z0-9_-]{0,24})?[\"']?"

/* Not a secret but the place of one: ${X}, $X, %s, {x}, ***, <x>, and what was taken out. */
#define NO_VALUE \
    "(?!\\$\\{|\\$[A-Z_][A-Z0-9_]*(?![A-Za-z0-9])|%[a-z](?![A-Za-z0-9])|\\*{3}|<|\\[redacted)"

const mg_scrub_row mg_scrub_secrets[] = {
    /* Amazon, Google, Azure */
    {MG_SCRUB_SECRET, 0,
     "\\b(?:AKIA|ASIA|ABIA|ACCA|AGPA|AIDA|AROA|ANPA|ANVA)[A-Z0-9]{16}(?![A-Za-z0-9])"},
    {MG_SCRUB_SECRET, 0, "\\bAIza[A-Za-z0-9_-]{30,}"},
    {MG_SCRUB_SECRET, 0, "\\b(?:ya29\\.|GOCSPX-)[A-Za-z0-9_.-]{20,}"},
    {MG_SCRUB_SECRET, 1, "(?i)\\b(?:AccountKey|SharedAccessKey|sig)=([A-Za-z0-9+/%=]{20,})"},
    /* GitHub, GitLab, Slack, package registries */
    {MG_SCRUB_SECRET, 0, "\\b(?:gh[pousr]_|github_pat_)[A-Za-z0-9_]{16,}"},
    {MG_SCRUB_SECRET, 0, "\\bgl(?:[a-z]{2,6})-[A-Za-z0-9_-]{16,}"},
    {MG_SCRUB_SECRET, 0, "\\bx(?:ox[a-z]|app)-[A-Za-z0-9-]{8,}"},
    {MG_SCRUB_SECRET, 1, "hooks\\.slack\\.com/(?:services|workflows)/([A-Za-z0-9/_-]{8,})"},
    {MG_SCRUB_SECRET, 0, "\\b(?:npm_|hf_|glsa_|dop_v1_|doo_v1_|shpat_|lin_api_)[A-Za-z0-9_]{20,}"},
    {MG_SCRUB_SECRET, 0, "\\bpypi-[A-Za-z0-9_-]{32,}"},
    {MG_SCRUB_SECRET, 0, "\\bSG\\.[A-Za-z0-9_-]{16,}\\.[A-Za-z0-9_-]{16,}"},
    /* Model providers, payment */
    {MG_SCRUB_SECRET, 0, "\\bsk-[A-Za-z0-9_-]{16,}"},
    {MG_SCRUB_SECRET, 0, "\\b(?:[sr]k_(?:live|test)|whsec)_[A-Za-z0-9]{10,}"},
    {MG_SCRUB_SECRET, 0, "\\b(?:gsk|xai|r8|pplx)[_-][A-Za-z0-9]{24,}"},
    /* JWT; with the signature missing it is still somebody's name */
    {MG_SCRUB_SECRET, 0, "\\beyJ[A-Za-z0-9_-]{8,}\\.[A-Za-z0-9_-]{8,}(?:\\.[A-Za-z0-9_-]*)?"},
    /* PEM. Where the end is missing: as far as it looks like one. */
    {MG_SCRUB_SECRET, 0,
     "-----BEGIN [A-Z0-9 ]{1,40}-----(?:[\\s\\S]{0,20000}?-----END [A-Z0-9 ]{1,40}-----"
     "|(?:[A-Za-z0-9+/=:,\\s-]|\\\\[nr])*+)"},
    /* Headers */
    {MG_SCRUB_SECRET, 1, "(?i)\\bbearer\\s+((?=[^\\s]*[0-9]|[^\\s]{20})[A-Za-z0-9._~+/=-]{8,})"},
    {MG_SCRUB_SECRET, 1,
     "(?i)\\b(?:proxy-)?authorization[\"']?\\s*[:=]\\s*[\"']?(?:basic|bearer|token|digest)\\s+"
     "([^\\s\"']{4,})"},
    {MG_SCRUB_SECRET, 1, "(?i)^\\s*(?:[<>*]\\s+)?(?:set-)?cookie:\\s*(\\S.*)$"},
    /* URLs with credentials; git@ is nobody's secret */
    {MG_SCRUB_SECRET, 1, "(?<=://)(?!git@)([^\\s/?#\"'<>]{1,512})@"},
    /* NAME=value as in an environment, a URL or on a command line */
    {MG_SCRUB_SECRET, 1,
     "(?i:" PASSWORD "|token)" NAME_END "=(?![=>])[\"']?" NO_VALUE "([^\\s\"'&;,()<>]{3,})"},
    {MG_SCRUB_SECRET, 1,
     "--(?i:" PASSWORD "|token)" NAME_END "\\s+(?!-)" NO_VALUE "[\"']?([^\\s\"']{3,})"},
    /* name: "value" as in JSON, YAML and code */
    {MG_SCRUB_SECRET, 1,
     "(?i:" PASSWORD "|token)" NAME_END "\\s*[:=]\\s*\"" NO_VALUE "([^\"\\n]{3,})\""},
    {MG_SCRUB_SECRET, 1,
     "(?i:" PASSWORD "|token)" NAME_END "\\s*[:=]\\s*'" NO_VALUE "([^'\\n]{3,})'"},
    /* name: value; with a digit, or every type in a signature would be one */
    {MG_SCRUB_SECRET, 1,
     "(?i:" PASSWORD ")" NAME_END "\\s*[:=]\\s*" NO_VALUE
     "((?=[^\\s]{0,200}[0-9])[^\\s\"'(){},;]{6,})"},
    {0},
};
