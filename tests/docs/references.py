"""references.py PROGRAM SOURCE - what the documents name is there: files, links, commands, options;
and what the program has is in the documents."""
import json
import pathlib
import re
import subprocess
import sys

import run
import tap

PROGRAM, SOURCE = sys.argv[1], pathlib.Path(sys.argv[2])
PAGES = {path: path.read_text() for path in [*run.documents(SOURCE), SOURCE / "CHANGELOG.md"]}
README, CHECK, REPORTS, DRIVE, AGENTS, LOOPS = (
    PAGES[SOURCE / name] for name in ("README.md", "docs/check.md", "docs/reports.md",
                                      "docs/drive.md", "docs/agents.md", "docs/loops.md"))
FENCED = re.compile(r"^(```+).*?^\1$", re.M | re.S)


def makegood(*args):
    return subprocess.run([PROGRAM, *args], check=True, capture_output=True, text=True).stdout


def report(problems):
    assert not problems, "\n".join(problems)


def prose():
    """(document, its text without fenced blocks)"""
    return ((path.relative_to(SOURCE), FENCED.sub("", text)) for path, text in PAGES.items())


def inline():
    """(document, what stands in backticks)"""
    return ((path, code) for path, text in prose() for code in re.findall(r"`([^`\n]+)`", text))


def anchors(text):
    """As GitHub makes them from headings."""
    headings = re.findall(r"^#+ (.*)$", FENCED.sub("", text), re.M)
    return {re.sub(r"[^\w\- ]", "", h.lower()).replace(" ", "-") for h in headings}


def every_link_leads_somewhere():
    problems = []
    for path, text in prose():
        for link in re.findall(r"\]\(([^)\s]+)\)", text):
            if link.startswith(("https://", "http://")):
                continue
            name, _, anchor = link.partition("#")
            target = (SOURCE / path.parent / name) if name else SOURCE / path
            if not target.exists():
                problems.append(f"{path}: '{link}' is not there")
            elif anchor and anchor not in anchors(target.read_text()):
                problems.append(f"{path}: '{link}' has no such heading")
    report(problems)


def every_file_that_is_named_exists():
    """NAME, ROOM and the like stand for any name: there must be a file like that."""
    problems, found = [], 0
    for path, code in inline():
        if re.fullmatch(r"(src|tests|include|docs|examples)/[\w./*-]*", code) is None:
            continue
        found += 1
        pattern = re.sub(r"(?<![A-Za-z])[A-Z]{3,}(?![A-Za-z])", "*", code)
        if not list(SOURCE.glob(pattern.rstrip("/"))):
            problems.append(f"{path}: `{code}` does not exist")
    assert found > 20, "the paths in the documents were not found"
    report(problems)


def every_dev_command_exists():
    rows = re.findall(r"^([a-z |-]+)\) \"?cmd_", (SOURCE / "dev").read_text(), re.M)
    known = [word for row in rows for word in row.split(" | ")]
    assert "test" in known and "test-agents" in known, known
    problems = [f"{path}: ./dev {word}" for path, text in PAGES.items()
                for word in re.findall(r"\./dev ([a-z-]+)", text) if word not in known]
    report(problems)


def wrong_in(line):
    """What is wrong with a command line of makegood, or None."""
    command, *words = line.split()[1:] or ["--help"]
    commands = {c["name"] for c in json.loads(makegood("help", "--format", "json"))["commands"]}
    if command.startswith("-"):
        return None
    if command not in commands:
        return f"there is no command '{command}'"
    known = makegood(command, "--help")
    words = words[:words.index("--")] if "--" in words else words  # what follows is the agent's
    options = [w.split("=")[0] for w in words if w.startswith("-") and w != "-"]
    return next((f"'{command}' has no option '{o}'" for o in options
                 if re.search(rf"(^|[\s,]){re.escape(o)}\b", known) is None), None)


def every_makegood_command_that_is_named_exists():
    problems, found = [], 0
    lines = [(path, code) for path, code in inline() if re.match(r"makegood [a-z-]", code)]
    for path, text in PAGES.items():  # blocks that are not run name commands too
        lines += [(path.relative_to(SOURCE), line) for block in run.read_blocks(text)
                  if block.skipped for line in re.findall(r"(makegood [a-z][^#\n]*)", block.text)
                  if re.search(rf"(^|run: |- ){re.escape(line)}", block.text, re.M)]
    for path, line in lines:
        found += 1
        if wrong := wrong_in(line.split(">")[0].strip()):
            problems.append(f"{path}: `{line}`: {wrong}")
    assert found > 10, "the commands in the documents were not found"
    report(problems)


def every_option_is_explained():
    """Of check in its own pages, and so on; -o FILE and the like stand for their long forms."""
    told = {"check": CHECK + REPORTS, "drive": DRIVE, "loop": LOOPS + DRIVE}
    problems = []
    for command, text in told.items():
        options = set(re.findall(r"(--[a-z-]+)", makegood(command, "--help").split("Examples:")[0]))
        assert len(options) > 5, options
        problems += [f"no page explains '{command} {o}'" for o in sorted(options)
                     if o not in text and o not in ("--help", "--file", "--output")]
    report(problems)


def every_exit_code_is_in_the_tables():
    problems = []
    pages = (("README.md", README, "drive"), ("docs/check.md", CHECK, "check"),
             ("docs/drive.md", DRIVE, "drive"), ("docs/loops.md", LOOPS, "loop"))
    for name, text, command in pages:
        status = makegood(command, "--help").split("Exit status:")[1]
        codes = set(re.findall(r"^  (\d+) ", status, re.M))
        table = set(re.findall(r"^\| (\d+) \|", text, re.M))
        if table != codes or not codes:
            problems.append(f"{name} has {sorted(table)}, the program {sorted(codes)}")
    report(problems)


def named_in(path, array):
    """The names of a table of texts in a C file."""
    text = (SOURCE / path).read_text()
    rows = re.search(rf"\b{array}\[\] = \{{(.*?)\}};", text, re.S)
    assert rows is not None, f"{path} has no table {array}"
    return re.findall(r'"([a-z_]+)"', rows[1])


def every_status_and_reason_is_explained():
    """What a loop, an attempt and a verdict can say of themselves is in the tables of drive.md."""
    tables = (("src/model/pursuit.c", "status_names"), ("src/model/pursuit.c", "why_names"),
              ("src/model/attempt.c", "status_names"), ("src/model/attempt.c", "terminal_names"))
    rows = (("src/judge/tier1.c", r'(?:reason = |return |[?:] )"([a-z]+_?[a-z_]*)"'),
            ("src/judge/gap.c", r'\{"([a-z_]+)", [a-z_]+\}'),
            ("src/loop/findings.c", r'\(mg_finding\)\{"([a-z_]+)"'))
    words = [word for path, array in tables for word in named_in(path, array)]
    words += [word for path, row in rows for word in re.findall(row, (SOURCE / path).read_text())]
    assert len(words) > 45, words
    later = ("steps_unfinished",)  # of a planner
    report([f"docs/drive.md does not explain `{w}`" for w in words
            if f"`{w}`" not in DRIVE and w not in later])


def every_agent_is_explained():
    listed = makegood("kinds").split("\nAgents (")[1].split("\n\n")[0]
    presets = re.findall(r"^(\w+) ", listed.partition("\n")[2], re.M)
    steps = re.findall(r'\{"([a-z]+)", do_', (SOURCE / "src/agent/mg_scripted.c").read_text())
    assert len(presets) > 8 and len(steps) > 8, (presets, steps)
    report([f"docs/agents.md does not explain `{name}`"
            for name, row in [*((p, f"| `{p}` |") for p in presets),
                              *((s, f"| `{s}: ") for s in steps)] if row not in AGENTS])


def every_kind_and_format_is_in_the_documents():
    kinds = re.findall(r"^## `(\w+)`", makegood("kinds", "--format", "markdown"), re.M)
    assert len(kinds) > 15, kinds
    missing = [k for k in kinds if k not in CHECK]
    assert not missing, f"docs/check.md does not say how {', '.join(missing)} is decided"
    formats = re.search(r"how to show it: ([^(]*)", makegood("check", "--help"))[1]
    missing = [f for f in re.findall(r"\w+", formats) if f"`{f}`" not in REPORTS]
    assert not missing, f"docs/reports.md does not explain {', '.join(missing)}"


def notice_names_every_library():
    wanted = re.findall(r"^  dependency\('([^']+)'", (SOURCE / "meson.build").read_text(), re.M)
    assert len(wanted) > 5, wanted
    notice = (SOURCE / "NOTICE").read_text()
    missing = [w for w in wanted if f"({w})" not in notice]
    assert not missing, f"NOTICE does not name {', '.join(missing)}"


def the_changelog_knows_this_version():
    version = makegood("version").split()[1]
    assert re.search(rf"^## {re.escape(version)} \(", PAGES[SOURCE / "CHANGELOG.md"], re.M), version


def the_readme_stays_short():
    assert len(README.splitlines()) < 150, "README.md is for newcomers: under 150 lines"


if __name__ == "__main__":
    tap.run([every_link_leads_somewhere, every_file_that_is_named_exists, every_dev_command_exists,
             every_makegood_command_that_is_named_exists, every_option_is_explained,
             every_exit_code_is_in_the_tables, every_status_and_reason_is_explained,
             every_agent_is_explained, every_kind_and_format_is_in_the_documents,
             notice_names_every_library, the_changelog_knows_this_version, the_readme_stays_short])
