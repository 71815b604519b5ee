"""install.py BUILD SOURCE COMPILER [ARGUMENT...] - `meson install`, then what a user does with it:
the program, the headers alone, and the C examples built with what pkg-config says."""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

import installed
import tap

BUILD, SOURCE, COMPILER = sys.argv[1], pathlib.Path(sys.argv[2]), sys.argv[3:]
HERE = tempfile.TemporaryDirectory(prefix="makegood-install-")
DIR = pathlib.Path(HERE.name)
TREE = installed.Tree(BUILD, DIR / "root")
ENV = {**os.environ, **TREE.env()}
ENV.setdefault("UBSAN_OPTIONS", "halt_on_error=1")  # its report is then a failure


def run(*args, code=0, extra=None, **more):
    done = subprocess.run([str(a) for a in args], capture_output=True, text=True, timeout=60,
                          env={**ENV, **(extra or {})}, **more)
    said = f"exit {done.returncode}, expected {code}\n{done.stdout}{done.stderr}"
    assert done.returncode == code, f"{' '.join(map(str, args))}\n{said}"
    return done.stdout


def flags(*what):
    return run("pkg-config", *what, "makegood").split()


def the_program_runs_from_where_it_is_installed():
    program = TREE.find("bin/makegood")
    assert run(program, "version").startswith("makegood ")
    assert "not met" in run(program, "check", cwd=SOURCE / "examples/site", code=1)


def man_pages_and_completions_are_there():
    for pattern in ("man1/makegood.1", "man1/makegood-check.1", "man1/makegood-drive.1",
                    "man1/makegood-loop.1", "man5/makegood.yaml.5",
                    "completions/makegood", "_makegood", "makegood.fish"):
        assert TREE.find(f"**/{pattern}").stat().st_size > 0, pattern


def pkg_config_knows_the_version_of_the_program():
    version = run(TREE.find("bin/makegood"), "version").split()[1]
    assert flags("--modversion") == [version]


def the_soname_is_0():
    library = TREE.find("libmakegood.so").resolve()
    assert "[libmakegood.so.0]" in run("readelf", "-d", library)
    assert TREE.find("libmakegood.so.0").resolve() == library


def nothing_but_the_public_headers_is_installed():
    ours = sorted(p.name for p in (SOURCE / "include/makegood").glob("*.h"))
    assert sorted(p.name for p in TREE.root.rglob("*.h")) == ours


def compile_alone(compiler, header, language, standard):
    text = f"#include <makegood/{header}>\n#include <makegood/{header}>\n"
    run(*compiler, "-x", language, f"-std={standard}", "-Wall", "-Wextra", "-Wpedantic", "-Werror",
        "-fsyntax-only", *flags("--cflags"), "-", input=text)


def every_header_compiles_alone_as_c17():
    for header in (SOURCE / "include/makegood").glob("*.h"):
        compile_alone(COMPILER, header.name, "c", "c17")


def every_header_compiles_alone_as_cplusplus():
    compiler = shutil.which("clang") or shutil.which("g++")
    if compiler is None:
        raise tap.Skip("no C++ compiler is installed")
    for header in (SOURCE / "include/makegood").glob("*.h"):
        compile_alone([compiler], header.name, "c++", "c++17")


def build_example(name="check_goal"):
    example = DIR / name
    if not example.exists():
        run(*COMPILER, "-std=c17", "-Wall", "-Wextra", "-Wpedantic", "-Werror",
            SOURCE / f"examples/c/{name}.c", *flags("--cflags", "--libs"), "-o", example)
    return example


def goal(text):
    path = DIR / "goal.yaml"
    path.write_text(text)
    return path


def the_example_says_met_only_when_the_goal_holds():
    example = build_example()
    (DIR / "a.txt").write_text("hello\n")
    holds = goal("assert: [{file_contains: {path: a.txt, pattern: hello}}]")
    assert run(example, holds).endswith("met: assertions_hold\n")
    (DIR / "a.txt").unlink()
    assert run(example, holds, code=1).endswith("not_met: assertion_failed\n")


def the_example_says_unknown_where_nothing_is_known():
    example = build_example()
    assert "unknown: no_assertions" in run(example, goal("assert: []"), code=3)
    unanswerable = goal("assert: [{content_changed: a}]")
    assert "unknown: unknown_results" in run(example, unanswerable, code=3)


def the_example_shows_every_mistake_of_a_goal_file():
    done = subprocess.run([build_example(), goal("gaol: x\nassert: [{file_exist: a}]")], env=ENV,
                          capture_output=True, text=True, timeout=60)
    assert done.returncode == 2 and done.stdout == "", done
    assert "did you mean 'goal'?" in done.stderr and "'file_exist'" in done.stderr, done.stderr


def the_installed_program_drives_an_agent():
    """It finds the supervisor and the scripted agent where they were installed to."""
    work = DIR / "driven"
    work.mkdir()
    (work / "agent.yaml").write_text("- - print: Done!\n- - write: {path: a.txt, text: hello}\n")
    env = {"XDG_STATE_HOME": str(DIR / "state")}
    drive = [TREE.find("bin/makegood"), "drive", "--until", "grep -q hello *.txt", "--agent",
             "scripted", "--", "agent.yaml"]
    assert "verified (goal_met)" in run(*drive, cwd=work, extra=env)
    assert (work / "a.txt").read_text() == "hello"


def the_drive_example_is_verified_only_when_the_file_is_there():
    example, place = build_example("drive_agent"), DIR / "place"
    place.mkdir()
    said = run(example, place)
    assert said.endswith("verified after 2 attempts\n"), said
    assert (place / "greeting.txt").read_text() == "hello\n"
    said = run(example, DIR / "no/such/place", code=4)
    assert "verified" not in said, said


def the_example_links_nothing_but_the_library():
    lines = run("readelf", "-d", build_example()).splitlines()
    needed = [line for line in lines if "NEEDED" in line]
    assert any("libmakegood.so.0" in line for line in needed), needed
    for private in ("json-c", "yaml", "pcre2", "sodium", "xxhash", "libuv", "curl", "sqlite"):
        assert not any(private in line for line in needed), needed


tap.run([the_program_runs_from_where_it_is_installed, man_pages_and_completions_are_there,
         pkg_config_knows_the_version_of_the_program, the_soname_is_0,
         nothing_but_the_public_headers_is_installed, every_header_compiles_alone_as_c17,
         every_header_compiles_alone_as_cplusplus, the_example_says_met_only_when_the_goal_holds,
         the_example_says_unknown_where_nothing_is_known,
         the_example_shows_every_mistake_of_a_goal_file,
         the_drive_example_is_verified_only_when_the_file_is_there,
         the_installed_program_drives_an_agent, the_example_links_nothing_but_the_library])
