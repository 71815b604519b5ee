"""Help, man pages, completions and documents: made from one table, read by real readers."""
import json
import os
import re
import subprocess

from tap import DOCS, PROGRAM, SOURCE, Skip, main, need, test

COMMANDS = ["check", "drive", "loop", "init", "kinds", "doctor", "demo", "version", "help"]


def run(*args, **more):
    return subprocess.run(args, capture_output=True, text=True, timeout=60, **more)


@test
def help_lists_every_command(t):
    done = t.expect(t.makegood("--help"), 0, not_err="makegood")
    for name in COMMANDS:
        assert re.search(rf"^  {name} +\S", done.stdout, re.M), name
    assert t.makegood("-h").stdout == t.makegood("help").stdout == done.stdout
    nothing = t.makegood()
    assert nothing.returncode == 2 and nothing.stderr == done.stdout and nothing.stdout == ""


@test
def every_command_explains_itself_in_three_ways(t):
    for name in COMMANDS:
        done = t.expect(t.makegood(name, "--help"), 0,
                        out=["Usage: makegood " + name, "Options:", "--format", "--quiet",
                             "--no-color", "--help", "Examples:", "Exit status:"])
        assert t.makegood("help", name).stdout == t.makegood(name, "-h").stdout == done.stdout
        assert max(map(len, done.stdout.splitlines())) <= 80


@test
def help_wins_over_what_follows_it(t):
    t.expect(t.makegood("check", "--help", "--nonsense"), 0, out="Usage:")


@test
def the_command_table_is_there_for_programs(t):
    got = json.loads(t.makegood("help", "--format", "json").stdout)
    assert [c["name"] for c in got["commands"]] == COMMANDS and got["schema"] == 1


@test
def version_in_both_forms(t):
    text = t.expect(t.makegood("version"), 0).stdout
    assert re.fullmatch(r"makegood \d+\.\d+\.\d+\n", text), text
    assert t.makegood("--version").stdout == t.makegood("-V").stdout == text
    got = json.loads(t.makegood("version", "--format", "json").stdout)
    assert got == {"schema": 1, "name": "makegood", "version": text.split()[1]}


def pages():
    return [DOCS / "makegood.1", DOCS / "makegood.yaml.5",
            *(DOCS / f"makegood-{name}.1" for name in COMMANDS)]


@test
def man_pages_have_no_warnings(t):
    need("man")
    for page in pages():
        done = run("man", "-l", "--warnings", str(page), env={**t.env, "MANWIDTH": "80"})
        assert done.returncode == 0 and done.stderr == "", (page.name, done.stderr)


@test
def man_pages_pass_mandoc(t):
    need("mandoc")
    for page in pages():
        done = run("mandoc", "-T", "lint", "-W", "warning", str(page))
        assert done.returncode == 0 and done.stdout == "", (page.name, done.stdout)


@test
def man_pages_say_what_help_says(t):
    need("mandoc")
    page = run("mandoc", "-T", "utf8", "-O", "width=200", str(DOCS / "makegood-check.1")).stdout
    page = re.sub(r".\x08", "", page)
    for option in json.loads(t.makegood("help", "check", "--format", "json").stdout)["commands"][0]["options"]:
        assert "--" + option["name"] in page, option
    drive = re.sub(r".\x08", "", run("mandoc", "-T", "utf8", str(DOCS / "makegood-drive.1")).stdout)
    for name in ["ENVIRONMENT", "XDG_STATE_HOME", "MAKEGOOD_LIBEXEC", "NO_COLOR", "MAKEGOOD_ATTEMPT",
                 "MAKEGOOD_GOAL", "MAKEGOOD_FEEDBACK", "MAKEGOOD_ROOT"]:
        assert name in drive, name
    five = re.sub(r".\x08", "", run("mandoc", "-T", "utf8", str(DOCS / "makegood.yaml.5")).stdout)
    for kind in json.loads(t.makegood("kinds", "--format", "json").stdout)["kinds"]:
        assert kind["name"] in five, kind
    assert r"background:\s*darkgreen" in five


def bash_completes(t, line):
    """What bash itself offers for a line, the last word being completed."""
    script = """
        source "$1"; shift
        COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMP_LINE="$*"; COMP_POINT=${#COMP_LINE}
        _makegood makegood "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}" 2>/dev/null
        printf '%s\\n' "${COMPREPLY[@]}"
        complete -p makegood >&2
    """
    done = run("bash", "-c", script, "bash", str(DOCS / "makegood"), *line, cwd=t.dir)
    assert "_makegood" in done.stderr, done.stderr
    return [word for word in done.stdout.splitlines() if word]


@test
def bash_completes_commands_options_values_and_files(t):
    t.write("goal one.yaml", "")
    t.write("folder/x", "")
    assert bash_completes(t, ["makegood", "che"]) == ["check"]
    assert set(COMMANDS) <= set(bash_completes(t, ["makegood", ""]))
    assert bash_completes(t, ["makegood", "check", "--fai"]) == ["--fail-fast"]
    assert bash_completes(t, ["makegood", "check", "--format", "ju"]) == ["junit"]
    assert bash_completes(t, ["makegood", "check", "--format", "=", "ju"]) == ["junit"]
    assert "sarif" in bash_completes(t, ["makegood", "check", "--format", "="])
    assert bash_completes(t, ["makegood", "check", "-f", "goal"]) == ["goal one.yaml"]
    assert bash_completes(t, ["makegood", "init", ""]) == ["folder"]
    assert bash_completes(t, ["makegood", "kinds", "file_exi"]) == ["file_exists"]
    assert bash_completes(t, ["makegood", "help", "ver"]) == ["version"]
    assert bash_completes(t, ["makegood", "check", "--wait", ""]) == []
    assert bash_completes(t, ["makegood", "version", "--fail"]) == []


@test
def fish_completes_them_too(t):
    need("fish")
    t.write("goal.yaml", "")
    t.write("folder/x", "")
    def offers(line):
        script = f"source '{DOCS}/makegood.fish'; complete -C '{line}'"
        done = run("fish", "--no-config", "-c", script, cwd=t.dir,
                   env={**t.env, "HOME": str(t.dir), "XDG_CONFIG_HOME": str(t.dir / "c"),
                        "XDG_DATA_HOME": str(t.dir / "d")})
        assert done.returncode == 0, done.stderr
        return [l.split("\t")[0] for l in done.stdout.splitlines()]
    assert set(COMMANDS) <= set(offers("makegood "))
    assert offers("makegood check --fail") == ["--fail-fast"]
    assert "junit" in " ".join(offers("makegood check --format ju"))
    assert offers("makegood kinds file_exi") == ["file_exists"]
    assert "goal.yaml" in offers("makegood check -f go")
    assert offers("makegood init fol") == ["folder/"]
    assert offers("makegood version --fail") == []


@test
def zsh_completes_them_too(t):
    need("zsh")
    assert run("zsh", "-n", str(DOCS / "_makegood")).stderr == ""
    # A real zsh in a terminal of its own; what it offers is listed by the completion system.
    script = r'''
        zmodload zsh/zpty
        zpty z zsh -f -i
        zpty -w z "PS1=; unsetopt beep; fpath=('$1' \$fpath); autoload -Uz compinit; compinit -u -d '$2'"
        zpty -w z "zstyle ':completion:*' list-prompt ''; zstyle ':completion:*' menu no; LISTMAX=1000; echo rea''dy"
        zpty -r -m z x '*ready*'
        for line in "${@:3}"; do
            zpty -w -n z "$line"$'\t'
            sleep 1
            zpty -w -n z $'\x15'"echo e''nd"$'\n'
            zpty -r -m z x '*end*'
            print -r -- "$line => ${x//$'\r'/}"
        done
        zpty -d z
    '''
    done = run("zsh", "-f", "-c", script, "zsh", str(DOCS), str(t.dir / "dump"),
               "makegood check --fail", "makegood kinds file_exi", "makegood check --format=ju",
               "makegood ", env={**t.env, "TERM": "vt100", "HOME": str(t.dir)}, cwd=t.dir)
    clean = re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", done.stdout)
    for word in ["--fail-fast", "file_exists", "--format=junit", "say whether the goal holds now"]:
        assert word in clean, (word, clean, done.stderr)


def same(t, document, command):
    path = SOURCE / "docs" / document
    done = run(*command)
    assert done.returncode == 0 and len(done.stdout) > 1000
    assert path.read_text() == done.stdout, \
        f"docs/{document} is out of date: {' '.join(map(str, command))} > docs/{document}"


@test
def the_documents_are_what_the_program_says(t):
    same(t, "kinds.md", [PROGRAM, "kinds", "--format", "markdown"])
    same(t, "goal-file.md", [str(DOCS / "docgen"), "--goal-file"])


@test
def examples_of_the_kinds_are_goal_files(t):
    got = json.loads(t.makegood("kinds", "--format", "json").stdout)
    assert len(got["kinds"]) >= 16 and len(got["groups"]) == 3, got
    for kind in got["kinds"] + got["groups"]:
        lines = kind["example"].strip().splitlines()
        dash = [] if lines[0].startswith("- ") else ["- " + lines[0], *("  " + l for l in lines[1:])]
        t.goal("assert:\n" + "\n".join("  " + l for l in (dash or lines)) + "\n")
        done = t.makegood("check", "--deadline", "1ms")
        assert done.returncode in (0, 1, 3), (kind["name"], done.stdout, done.stderr)


@test
def kinds_shows_one_or_all(t):
    t.expect(t.makegood("kinds"), 0, out=["file_exists", "command_returns", "any", "claude", "codex",
                                          "unproven"])
    agents = {a["name"]: a for a in json.loads(t.makegood("kinds", "--format", "json").stdout)["agents"]}
    assert agents["aider"]["unproven"] is True and agents["claude"]["unproven"] is False
    assert agents["claude"]["resumes"] is True
    t.expect(t.makegood("kinds", "file_contains"), 0, out=["pattern", "Example:"])
    for group in ["all", "any", "not"]:
        t.expect(t.makegood("kinds", group), 0, out=[group + ":", "Example:"])
        t.expect(t.makegood("kinds", group, "--format", "markdown"), 0, out=f"## `{group}`")
    schema = json.loads(t.expect(t.makegood("kinds", "--format", "json-schema"), 0).stdout)
    assert "2020-12" in schema["$schema"]
    one = json.loads(t.makegood("kinds", "http", "--format", "json").stdout)["kinds"]
    assert [k["name"] for k in one] == ["http"]


@test
def an_agent_is_shown_by_its_name(t):
    t.expect(t.makegood("kinds", "claude"), 0, out=["claude: ", "--agent claude"])
    got = json.loads(t.makegood("kinds", "goose", "--format", "json").stdout)
    assert [a["name"] for a in got["agents"]] == ["goose"] and got["kinds"] == [], got
    for line in t.makegood("kinds").stdout.splitlines():
        assert line.count("only the prompt is passed") <= 1, line


@test
def doctor_says_what_is_missing(t):
    t.expect(t.makegood("doctor"), 0, out=["libyaml", "Everything that check and drive need is there."])
    got = json.loads(t.makegood("doctor", "--format", "json").stdout)
    assert got["ok"] is True and all(p["there"] for p in got["parts"] if p["needed"])
    t.expect(t.makegood("doctor", env={"PATH": str(t.dir)}), 1, out=["MISSING", "command_returns"])
    got = t.makegood("doctor", "--format", "json", env={"PATH": str(t.dir)})
    assert got.returncode == 1 and json.loads(got.stdout)["ok"] is False
    t.write("a_file", "")
    done = t.makegood("doctor", env={"XDG_STATE_HOME": str(t.dir / "a_file/state")})
    t.expect(done, 1, out="MISSING  state directory")
    t.expect(done, 1, out=[f"'{t.dir}/a_file/state/makegood' cannot be used", "Not a directory"])
    done = t.makegood("doctor", env={"XDG_STATE_HOME": str(t.dir / "new/state")})
    t.expect(done, 0, out=["SQLite", "mg-supervise"])
    assert not (t.dir / "new").exists()  # looking makes nothing


@test
def start_up_loads_nothing_that_is_not_needed(t):
    need("strace")
    done = run("strace", "-f", "-e", "trace=openat,clone,fork,execve", PROGRAM, "version")
    if done.returncode != 0:
        raise Skip("strace may not trace here")
    opened = re.findall(r'openat\([^"]*"([^"]+)"[^=]*= \d', done.stderr)
    assert not any("curl" in name for name in opened), opened
    assert done.stderr.count("execve(") == 1


main()
