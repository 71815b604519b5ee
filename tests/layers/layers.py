"""Holds the design's line of layers against every include, and the house rules that go with it.

A module may include what stands to its left in LINE, and itself; never what is beside it or to
its right. To change the design, change DESIGN.md's line and this table in the same commit.
"""
import pathlib
import re
import subprocess
import sys
import tempfile

LINE = "base < data < model < io < scan world vcs llm store < check < judge < agent < loop report < api < serve < cli"
LEVEL = {room: level for level, rooms in enumerate(LINE.split(" < ")) for room in rooms.split()}

source = pathlib.Path(sys.argv[1])
system_includes = sys.argv[2]
compiler = sys.argv[3:]
src = source / "src"
number = failed = 0


def report(name, problems):
    """One TAP line; each problem is a sentence under it."""
    global number, failed
    number += 1
    failed += bool(problems)
    for problem in problems:
        print("#", problem)
    print(f"{'not ok' if problems else 'ok'} {number} - {name}", flush=True)


def files(*suffixes):
    return sorted(path for path in src.rglob("*") if path.suffix in suffixes)


def code(path):
    """The text without comments and strings, so that a word in one of them is no finding."""
    text = path.read_text(encoding="utf-8")
    pattern = r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"'
    return re.sub(pattern, lambda m: re.sub(r"[^\n]", " ", m.group()), text, flags=re.S)


def room_of(path):
    return path.relative_to(src).parts[0]


def include_problems():
    for path in files(".c", ".h"):
        room = room_of(path)
        if room not in LEVEL:
            yield f"{path.relative_to(source)}: the room '{room}' is not on the line"
            continue
        text = path.read_text(encoding="utf-8")
        for line, include in enumerate(text.splitlines(), 1):
            found = re.match(r'\s*#\s*include\s+"([^"]+)"', include)
            if found is None:
                continue
            where = f"{path.relative_to(source)}:{line}: includes \"{found[1]}\""
            other = found[1].split("/")[0]
            if "/" not in found[1] or ".." in found[1]:
                yield f"{where}; write it as room/file.h"
            elif other not in LEVEL:
                yield f"{where}, of a room that is not on the line"
            elif other != room and LEVEL[other] >= LEVEL[room]:
                yield f"{where}, but {room} may only use what stands to its left: {LINE}"
            elif not (src / found[1]).exists():
                yield f"{where}, which does not exist"


def document_problems():
    """The document shows the rooms that exist so far, in the order of the line."""
    text = (source / "docs/architecture.md").read_text(encoding="utf-8")
    shown = re.search(r"^ *(base < .*)$", text, flags=re.M)
    rooms = {path.name for path in src.iterdir() if path.is_dir()}
    levels = [[room for room in level.split() if room in rooms] for level in LINE.split(" < ")]
    want = " < ".join(" ".join(level) for level in levels if level)
    if shown is None or shown[1] != want:
        yield f"it should have the line '{want}', it has '{shown[1] if shown else 'none'}'"


# What only programs do. A library neither prints nor ends the process nor asks the environment.
FORBIDDEN = {
    r"\b(?:v?printf|puts|putchar|perror)\s*\(": "prints",
    r"\bfprintf\s*\(\s*(?:stdout|stderr)\b": "prints",
    r"\b(?:fputs|fputc|fwrite)\s*\([^;]*\b(?:stdout|stderr)\b": "prints",
    r"\b(?:_?exit|_Exit|quick_exit)\s*\(": "ends the process",
    r"\b(?:secure_)?getenv\s*\(": "reads the environment",
    r"\bsetenv\s*\(|\bputenv\s*\(": "changes the environment",
}


def rule_problems():
    for path in files(".c", ".h"):
        # mg_*.c are programs of libexec, of their own and never part of the library.
        if room_of(path) == "cli" or path.name.startswith("mg_"):
            continue
        text = code(path)
        for pattern, what in FORBIDDEN.items():
            for found in re.finditer(pattern, text):
                line = text.count("\n", 0, found.start()) + 1
                if ALLOWED.get((str(path.relative_to(src)), found.group().split("(")[0].strip())):
                    continue
                yield f"{path.relative_to(source)}:{line}: {found.group()} {what}; only src/cli may"


# Reasoned exceptions: (file, call) and why.
ALLOWED = {
    ("io/process.c", "_exit"): "in the child, between fork and exec",
}


def compile_problems(headers, command, flags, extension):
    with tempfile.TemporaryDirectory() as directory:
        for header, name in headers:
            unit = pathlib.Path(directory) / f"unit.{extension}"
            # Twice, so that a missing guard shows as well.
            unit.write_text(f'#include {name}\n#include {name}\n', encoding="utf-8")
            run = subprocess.run([*command, *flags, "-fsyntax-only", str(unit)],
                                 capture_output=True, text=True, check=False)
            if run.returncode != 0:
                first = [line for line in run.stderr.splitlines() if "error:" in line] or [run.stderr]
                yield f"{header.relative_to(source)}: {first[0]}"


def compiler_for_cxx():
    for name in ("g++", "clang++"):
        try:
            subprocess.run([name, "--version"], capture_output=True, check=True)
            return name
        except (OSError, subprocess.CalledProcessError):
            pass
    return None


report("every include follows the line of layers", list(include_problems()))
report("docs/architecture.md shows the same line", list(document_problems()))
report("only the program prints, exits and reads the environment", list(rule_problems()))

warnings = ["-Wall", "-Wextra", "-Wpedantic", "-Werror"]
private = [(path, f'"{path.relative_to(src)}"') for path in files(".h")]
report("every header of src compiles alone",
       list(compile_problems(private, compiler,
                             ["-std=gnu17", "-D_GNU_SOURCE", *warnings, f"-I{src}", f"-I{source / 'include'}",
                              f"-isystem{system_includes}"], "c")))
public = [(path, f"<{path.relative_to(source / 'include')}>")
          for path in sorted((source / "include").rglob("*.h"))]
report("there are public headers", [] if public else ["none found under include/"])
only_public = [*warnings, f"-I{source / 'include'}"]
report("every public header compiles alone as C17",
       list(compile_problems(public, compiler, ["-std=c17", *only_public], "c")))
cxx = compiler_for_cxx()
if cxx is None:
    report("a C++ compiler is there (package g++)", ["neither g++ nor clang++ was found"])
else:
    for standard in ("c++11", "c++20"):
        report(f"every public header compiles alone as {standard}",
               list(compile_problems(public, [cxx], [f"-std={standard}", *only_public], "cc")))
print(f"1..{number}")
sys.exit(1 if failed else 0)
