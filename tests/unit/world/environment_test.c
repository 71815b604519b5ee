/* What a command inherits. */
#include "test.h"
#include "world/world.h"

static const char *value_of(const char *const *env, const char *name)
{
    const char *found = NULL;
    for (; *env != NULL; env++) {
        const size_t len = strlen(name);
        if (strncmp(*env, name, len) == 0 && (*env)[len] == '=') {
            EXPECT(found == NULL); /* each name once */
            found = *env + len + 1;
        }
    }
    return found;
}

TEST(names_are_judged_word_by_word)
{
    static const char *const secret[] = {
        "GITHUB_TOKEN",
        "OPENAI_API_KEY",
        "AWS_SECRET_ACCESS_KEY",
        "AWS_SESSION_TOKEN",
        "APIKEY",
        "apiKey",
        "api-key",
        "DB_PASSWORD",
        "PGPASSWORD",
        "MYSQL_PWD",
        "DB_PASS",
        "GH_PAT",
        "NPM_AUTH",
        "npm_config__auth",
        "SSH_AUTH_SOCK",
        "SESSION_COOKIE",
        "GOOGLE_CREDENTIALS",
        "SECRET",
        "TOKEN2",
        "githubToken",
        "APIKey",
        "CLIENTSECRET",
        "KEY",
        "SSH_PASSPHRASE",
        "JWT",
        "TOKENS",
        "X_AUTHORIZATION",
    };
    static const char *const harmless[] = {
        "PATH",
        "HOME",
        "PWD",
        "OLDPWD",
        "KEYBOARD",
        "KEYBOARD_LAYOUT",
        "AUTHOR",
        "GIT_AUTHOR_NAME",
        "LANG",
        "LD_PRELOAD",
        "PYTHONPATH",
        "XAUTHORITY",
        "TERM",
        "MONKEY",
        "TOKENIZERS_PARALLELISM",
        "COMPASS",
        "BYPASS",
        "PASSAGE",
        "PATTERN",
        "SECRETARY",
        "DISPLAY",
        "MANPATH",
        "CI",
        "",
        "_",
        "A1",
    };
    for (size_t i = 0; i < MG_COUNT(secret); i++)
        if (!mg_env_secret(mg_str_of(secret[i]), MG_STR("x")))
            test_fail(__FILE__, __LINE__, "'%s' should be a secret", secret[i]);
    for (size_t i = 0; i < MG_COUNT(harmless); i++)
        if (mg_env_secret(mg_str_of(harmless[i]), MG_STR("x")))
            test_fail(__FILE__, __LINE__, "'%s' should be harmless", harmless[i]);
}

TEST(values_are_judged_by_their_shape)
{
    static const char *const secret[] = {
        "postgres://user:hunter2@db.example/x",
        "redis://:hunter2@cache:6379",
        "sk-abcdefghijklmnopqrstuvwx",
        "ghp_abcdefghijklmnopqrstuvwxyz0123456789",
        "AKIAIOSFODNN7EXAMPLE",
        "token is ghp_abcdefghijklmnopqrstuvwxyz0123456789!",
        "-----BEGIN RSA PRIVATE KEY-----\nMIIE",
        "xoxb-123456789012-abcdef",
        "a http://u:p@h b",
        "glpat-abcdefghijklmnopqrst",
    };
    static const char *const harmless[] = {
        "",
        "/usr/bin:/bin",
        "http://proxy:8080",
        "http://proxy:8080/a@b",
        "ssh://git@github.com/x",
        "user@host",
        "sk-short",
        "task-abcdefghijklmnopqrstuvwx",
        "http://u:@h",
        "a:b@c",
        "ghp_",
        "AKIA",
        "http://h/?q=a:b@c",
        "://",
        "x://",
    };
    for (size_t i = 0; i < MG_COUNT(secret); i++)
        if (!mg_env_secret(MG_STR("NAME"), mg_str_of(secret[i])))
            test_fail(__FILE__, __LINE__, "'%s' should be a secret", secret[i]);
    for (size_t i = 0; i < MG_COUNT(harmless); i++)
        if (mg_env_secret(MG_STR("NAME"), mg_str_of(harmless[i])))
            test_fail(__FILE__, __LINE__, "'%s' should be harmless", harmless[i]);
}

static const char *const inherited[] = {"PATH=/bin",    "API_KEY=k", "GH_TOKEN=t",
                                        "EMPTY=",       "nothing",   "=odd",
                                        "PATH=/second", "EQ=a=b",    NULL};

TEST(secrets_stay_behind_and_the_rest_comes_along)
{
    const char *const *env = mg_environment(inherited, NULL, 0, t->arena);
    EXPECT_STR("/bin", mg_str_of(value_of(env, "PATH")));
    EXPECT(value_of(env, "API_KEY") == NULL);
    EXPECT(value_of(env, "GH_TOKEN") == NULL);
    EXPECT_STR("", mg_str_of(value_of(env, "EMPTY")));
    EXPECT_STR("a=b", mg_str_of(value_of(env, "EQ")));
    EXPECT(mg_environment(NULL, NULL, 0, t->arena)[0] == NULL);
}

TEST(what_the_goal_names_is_let_through_or_set)
{
    const mg_env_var let[] = {
        {.name = MG_STR("API_KEY")},
        {.name = MG_STR("PATH"), .has_value = true, .value = MG_STR("/mine")},
        {.name = MG_STR("NEW_SECRET"), .has_value = true, .value = MG_STR("s")},
        {.name = MG_STR("ABSENT")},
        {.name = MG_STR("TWICE"), .has_value = true, .value = MG_STR("1")},
        {.name = MG_STR("TWICE"), .has_value = true, .value = MG_STR("2")},
    };
    const char *const *env = mg_environment(inherited, let, MG_COUNT(let), t->arena);
    EXPECT_STR("k", mg_str_of(value_of(env, "API_KEY")));
    EXPECT_STR("/mine", mg_str_of(value_of(env, "PATH")));
    EXPECT_STR("s", mg_str_of(value_of(env, "NEW_SECRET")));
    EXPECT(value_of(env, "ABSENT") == NULL);
    EXPECT(value_of(env, "GH_TOKEN") == NULL);
    EXPECT_STR("2", mg_str_of(value_of(env, "TWICE")));
}
