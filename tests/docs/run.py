"""run.py - does what the documents show, and compares what happens with what they say.

    run.py --program makegood --source TREE [--build DIR --cc 'COMPILER ARGS'] [DOCUMENT...]

A document is a story told in one fresh directory, from its first line to its last:

    ```yaml file=NAME     (any language) writes the file
    ```console            runs each line that begins with `$ `, and compares what is printed,
                          stdout and stderr together, with the lines below it. A line `...`
                          stands for any lines. Durations, times, versions and the ids of loops
                          are not compared. The directory of the story is /home/ada/work.
    ```yaml               without a file: a goal file, or one entry of it, that must be readable
    ```LANG from=PATH     is part of that file of the source tree, word for word
    <!-- not run: WHY --> before a block leaves it alone
    <!-- reset -->        goes on in a fresh directory

A command that fails without the document saying so (`$ echo $?` comes next) is a mistake; only
`makegood check` may answer 1 or 3 without that. A block that is none of these is a mistake too,
so nothing that is shown goes untested. Output is TAP, a point a block.
"""
import argparse
import os
import pathlib
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile

import installed

SECONDS = 60  # for one command
HOME = "/home/ada/work"  # what the directory of a story is called in the documents

# What differs from run to run, on both sides of the comparison.
CHANGING = [
    # An entry that took longer than usual says so; on a busy machine any entry may.
    (re.compile(r"^( *(?:ok|FAIL|unknown) .*?) +\(\d{1,2}\.\d+ s\)$", re.M), r"\1"),
    (re.compile(r"^( *(?:ok|FAIL|unknown) .*\()\d{1,2}\.\d+ s, ", re.M), r"\1"),
    (re.compile(r"\(\d+(?:\.\d+ s| ms)\)"), "(SECONDS)"),
    # A loop: its id, its age, how long its attempts took. The columns of its table move with them.
    (re.compile(r"\b[0-9a-f]{8}-[0-9a-f]{3,4}(-[0-9a-f]{4}){0,2}(-[0-9a-f]{12})?(?![\w-])"), "ID"),
    (re.compile(r"(?<= )\d+(?:\.\d)? m?s(?=  | *$)", re.M), "TIME"),
    (re.compile(r"^  [0-9a-f]{8}(?:-[0-9a-f]+)?(?=  )", re.M), "  ID"),
    (re.compile(r"^(  ID .*  )(?:now|\d+s)(?=  )", re.M), r"\1AGE"),
    # An agent that is about to end by itself may be stopped just before.
    (re.compile(r"^(  \d+ +success .*?)(?:completed|cancelled \(watched\))", re.M), r"\1ENDED"),
    (re.compile(r"^  (?:\d+  |ID |attempt  |id  ).*", re.M), lambda m: re.sub(" +", " ", m[0])),
    (re.compile(r"\bmakegood \d+\.\d+\.\d+"), "makegood VERSION"),
    (re.compile(r'("(?:version|semanticVersion)": *)"\d+\.\d+\.\d+"'), r'\1"VERSION"'),
    (re.compile(r"\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?"), "TIME"),
    (re.compile(r'\btime="\d+\.\d+"'), 'time="SECONDS"'),
    (re.compile(r'("duration_ms": *)[\d.]+'), r"\1MS"),
    (re.compile(r"(_seconds\{.*\}) [\d.]+"), r"\1 SECONDS"),
]


class Mistake(Exception):
    """Something that a document says and that is not so."""


class Block:
    def __init__(self, line, info, text, skipped, fresh):
        self.line, self.text, self.skipped, self.fresh = line, text, skipped, fresh
        words = info.split()
        self.language = words[0] if words else ""
        self.options = dict(word.partition("=")[::2] for word in words[1:])


def read_blocks(text):
    """The fenced blocks of a document, in order."""
    blocks, skipped, fresh, begin = [], None, False, None
    for number, line in enumerate(text.splitlines(), 1):
        fence = re.match(r"^( *)(```+)(.*)$", line)
        if begin is None and fence:
            begin, indent, ticks, info, body = number, fence[1], fence[2], fence[3].strip(), []
        elif begin is None:
            if note := re.match(r"^<!-- not run: (.+) -->$", line):
                skipped = note[1]
            elif line == "<!-- reset -->":
                fresh = True
            elif line.strip():
                skipped = None
        elif fence and fence[2] == ticks and not fence[3].strip():
            blocks.append(Block(begin, info, "".join(f"{b}\n" for b in body), skipped, fresh))
            begin, skipped, fresh = None, None, False
        else:
            body.append(line.removeprefix(indent))
    if begin is not None:
        raise Mistake(f"line {begin}: the block has no end")
    return blocks


def normal(text):
    for pattern, instead in CHANGING:
        text = pattern.sub(instead, text)
    return [line.rstrip() for line in text.splitlines()]


def same(expected, got):
    """Whether lines are as expected, where `...` stands for any lines."""
    if "..." not in expected:
        return expected == got
    gap = expected.index("...")
    if expected[:gap] != got[:gap]:
        return False
    rest = expected[gap + 1:]
    return any(same(rest, got[i:]) for i in range(gap, len(got) + 1))


class Story:
    """A document being told: a directory, the last exit code, whatever was left running. Loops are
    kept beside it, so each story has its own."""

    def __init__(self, world):
        self.world, self.groups, self.directory = world, [], None
        self.reset()

    def reset(self):
        self.end()
        self.directory = tempfile.TemporaryDirectory(prefix="makegood-docs-")
        self.work = pathlib.Path(self.directory.name) / "work"
        self.work.mkdir()
        self.where, self.status = self.work, 0

    def end(self):
        for group in self.groups:
            try:
                os.killpg(group, signal.SIGKILL)
            except ProcessLookupError:
                pass
        self.groups = []
        if self.directory is not None:
            self.directory.cleanup()

    def run(self, command, stdin=""):
        """What it prints and its exit code. A background process does not hold us up."""
        here = pathlib.Path(self.directory.name)
        script = '(exit "$1"); eval "$2"; s=$?; pwd > "$3"; exit $s'
        with open(here / "out", "w+", encoding="utf-8", errors="replace") as out:
            child = subprocess.Popen(
                ["bash", "-c", script, "bash", str(self.status), command, str(here / "pwd")],
                cwd=self.where, env={**self.world.env, "XDG_STATE_HOME": str(here / "state")},
                stdin=subprocess.PIPE, stdout=out, stderr=out, start_new_session=True, text=True)
            self.groups.append(child.pid)
            child.communicate(stdin, timeout=SECONDS)
            self.status = child.returncode
            self.where = pathlib.Path((here / "pwd").read_text().rstrip("\n"))
            text = (here / "out").read_text(encoding="utf-8", errors="replace")
            return text.replace(str(self.work.resolve()), HOME)

    # --- The kinds of block ---

    def write(self, block):
        path = self.work / block.options["file"]
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(block.text)

    def console(self, block):
        commands, lines = [], block.text.splitlines()
        for line in lines:
            if line.startswith("$ "):
                commands.append((line[2:], []))
            elif line.startswith("> ") and commands and not commands[-1][1]:
                commands[-1] = (commands[-1][0] + "\n" + line[2:], [])
            elif commands:
                commands[-1][1].append(line)
            else:
                raise Mistake("a console block begins with a line '$ COMMAND'")
        for number, (command, expected) in enumerate(commands):
            said = number + 1 < len(commands) and commands[number + 1][0] == "echo $?"
            self.compare(command, expected, said)

    def compare(self, command, expected, status_said):
        expected = normal("\n".join(expected))
        while expected and not expected[-1]:
            expected.pop()  # a blank line before the next command is for the eye
        if expected == ["..."]:
            raise Mistake(f"$ {command}\nis shown without a line of what it prints")
        text = self.run(command)
        got = normal(text)
        while got and not got[-1]:
            got.pop()
        if not same(expected, got):
            shown = "\n".join(expected)
            raise Mistake(f"$ {command}\n--- the document says\n{shown}\n--- it prints\n{text}")
        answer = self.status in (1, 3) and command.startswith("makegood check")
        if self.status != 0 and not status_said and not answer:
            raise Mistake(f"$ {command}\nends with {self.status}, and the document does not say so"
                          f"\n{text}")

    def fragment(self, block):
        """A goal file, or an entry of one: it is read, and nothing of it is run."""
        entry = "\n    ".join(block.text.removeprefix("- ").splitlines())
        complaints = []
        for text in (block.text, f"assert:\n  - {entry}\n"):
            got = self.run("makegood check -f - --only 'an entry that is not there'", text)
            if self.status == 2 and "no entry is called" in got:
                self.status = 0
                return
            complaints.append(got)
        raise Mistake("\n".join(["it is not a goal file, nor an entry of one:", *complaints]))

    def excerpt(self, block):
        path = self.world.source / block.options["from"]
        if block.text not in path.read_text():
            raise Mistake(f"it is not in {block.options['from']} word for word")

    def tell(self, block):
        if block.fresh:
            self.reset()
        if "from" in block.options:
            self.excerpt(block)
        if "file" in block.options:
            self.write(block)
        elif block.language == "console":
            self.console(block)
        elif block.language == "yaml":
            self.fragment(block)
        elif "from" not in block.options:
            raise Mistake(f"nothing tests a block of '{block.language or 'no language'}'; "
                          "say '<!-- not run: WHY -->' before it if nothing can")


class World:
    """What every story finds: the program first in PATH, and the library as it is installed."""

    def __init__(self, args, directory):
        self.source = pathlib.Path(args.source)
        bin_dir = pathlib.Path(directory) / "bin"
        bin_dir.mkdir()
        (bin_dir / "makegood").symlink_to(pathlib.Path(args.program).resolve())
        self.env = {k: v for k, v in os.environ.items()
                    if k not in ("NO_COLOR", "GITHUB_STEP_SUMMARY", "COLUMNS", "LINES")}
        self.env["PATH"] = f"{bin_dir}:{self.env['PATH']}"
        self.env["LC_ALL"] = "C.UTF-8"
        if args.build:
            tree = installed.Tree(args.build, pathlib.Path(directory) / "installed")
            self.env.update(tree.env())
        if args.cc:
            words = [shutil.which(word) or word for word in args.cc.split()]
            compiler = bin_dir / "cc"
            compiler.write_text(f'#!/bin/sh\nexec {shlex.join(words)} "$@"\n')
            compiler.chmod(0o755)


def documents(source):
    return [source / "README.md", source / "CONTRIBUTING.md",
            *sorted((source / "docs").glob("*.md"))]


def tell_all(world, paths):
    """Every block of every document: (document, block, complaint or None)."""
    for path in paths:
        blocks = read_blocks(path.read_text())
        story = Story(world)
        try:
            for block in blocks:
                if block.skipped:
                    yield path, block, None
                    continue
                try:
                    story.tell(block)
                    yield path, block, None
                except (Mistake, OSError, subprocess.TimeoutExpired) as error:
                    yield path, block, str(error)
        finally:
            story.end()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", required=True)
    parser.add_argument("--source", required=True)
    parser.add_argument("--build")
    parser.add_argument("--cc", help="what `cc` is, where it is not the usual one")
    parser.add_argument("documents", nargs="*", type=pathlib.Path)
    args = parser.parse_args()
    number, failed = 0, 0
    with tempfile.TemporaryDirectory(prefix="makegood-docs-") as directory:
        world = World(args, directory)
        for path, block, complaint in tell_all(world, args.documents or documents(world.source)):
            number += 1
            failed += complaint is not None
            name = path.relative_to(world.source) if path.is_relative_to(world.source) else path
            skip = f" # SKIP not run: {block.skipped}" if block.skipped else ""
            for line in (complaint or "").splitlines():
                print(f"# {line}")
            print(f"{'ok' if complaint is None else 'not ok'} {number} - {name}:{block.line} "
                  f"{block.language}{skip}", flush=True)
    print(f"1..{number}")
    sys.exit(0 if number > 0 and failed == 0 else 1)


if __name__ == "__main__":
    main()
