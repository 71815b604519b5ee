"""makegood init: on each kind of project it writes a file that check takes and that can fail."""
import json
import os
import time

from tap import main, test

NPM_DEFAULT = 'echo "Error: no test specified" && exit 1'


def entries(t, name="makegood.yaml"):
    """The commands that were written, read back by the program itself."""
    done = t.makegood("check", "-f", name, "--format", "json", "--deadline", "1ms")
    assert done.returncode in (1, 3), (done.returncode, done.stdout, done.stderr)
    got = json.loads(done.stdout)
    assert not got["warnings"], got["warnings"]
    return [r["name"] for r in got["results"]]


@test
def each_project_type_is_recognised(t):
    projects = {
        "package.json": ('{"scripts": {"test": "vitest run", "start": "vite"}}', "npm run test"),
        "Makefile": ("all: x\n\ntest: all\n\t./run\n", "make test"),
        "meson.build": ("project('x')", "meson test -C build"),
        "CMakeLists.txt": ("project(x)\nenable_testing()\n", "ctest --test-dir build"),
        "Cargo.toml": ("[package]\nname='x'", "cargo test"),
        "pyproject.toml": ("[tool.pytest.ini_options]\n", "python3 -m pytest"),
        "go.mod": ("module x\n", "go test"),
        "index.html": ("<title></title>", "index.html"),
    }
    for number, (file, (text, expected)) in enumerate(projects.items()):
        directory = f"p{number}"
        t.write(f"{directory}/{file}", text)
        done = t.expect(t.makegood("init", directory), 0,
                        out=[f"found {file}", f"next: makegood check -f {directory}/makegood.yaml"])
        assert expected in t.read(f"{directory}/makegood.yaml"), done.stdout
        assert entries(t, f"{directory}/makegood.yaml")


@test
def all_at_once_is_one_file(t):
    t.write("package.json", '{"scripts": {"test": "jest", "lint": "eslint ."}}')
    t.write("Makefile", "test:\n\tpytest\nlint:\n\truff .\n")
    t.write("makefile", "test:\n\tpytest\n")
    t.write("index.html", "<title>x</title>")
    t.expect(t.makegood("init"), 0)
    assert len(entries(t)) == 5


@test
def it_never_overwrites_without_force(t):
    t.goal("mine")
    t.expect(t.makegood("init"), 1, err="--force")
    assert t.read("makegood.yaml") == "mine"
    t.expect(t.makegood("init", "--force"), 0)
    assert "assert:" in t.read("makegood.yaml")


@test
def it_does_not_write_through_a_link(t):
    os.symlink("elsewhere.yaml", t.dir / "makegood.yaml")
    t.expect(t.makegood("init"), 1)
    assert not (t.dir / "elsewhere.yaml").exists()


@test
def scripts_that_say_nothing_are_commented_out(t):
    for script in [NPM_DEFAULT, "true", "exit 0", "echo ok", ""]:
        t.write("package.json", json.dumps({"scripts": {"test": script}}))
        t.expect(t.makegood("init", "--force"), 0, out="commented out")
        text = t.read("makegood.yaml")
        assert "  # - command_returns:" in text and "\n  - command_returns:" not in text, text
        assert entries(t) == ["file_not_empty result.txt"]


@test
def a_target_that_does_nothing_is_not_taken(t):
    t.write("Makefile", "test :=\nCHECK = test: x\n.PHONY: test lint\nlint:\n\ntest:\n")
    t.expect(t.makegood("init"), 0)
    assert entries(t) == ["file_not_empty result.txt"]


@test
def strange_names_are_quoted(t):
    names = ["test:it's \"quoted\": {yes}", "test:#hash", "test:a\tb\u0085c", "test:$(touch owned)",
             "test:\u00fcml\U0001f600", "test:- dash", "lint:'", "build:\\", "test:*"]
    t.write("package.json", json.dumps({"scripts": {n: "jest" for n in names}}))
    t.expect(t.makegood("init"), 0)
    assert len(entries(t)) == len(names)
    # The command is what npm is asked for, to the letter.
    t.write("bin/npm", '#!/bin/sh\nprintf "%s\\0" "$2" >> asked\n')
    os.chmod(t.dir / "bin/npm", 0o755)
    t.expect(t.makegood("check", "--jobs", "1", env={"PATH": f"{t.dir}/bin:{os.environ['PATH']}"}), 0)
    assert sorted(t.read("asked").split("\0")[:-1]) == sorted(names)
    assert not (t.dir / "owned").exists()


@test
def the_package_manager_is_the_one_with_the_lock_file(t):
    for lock, manager in [("pnpm-lock.yaml", "pnpm"), ("yarn.lock", "yarn"), ("bun.lockb", "bun")]:
        t.write(f"{manager}/package.json", '{"scripts": {"test": "jest"}}')
        t.write(f"{manager}/{lock}", "")
        t.expect(t.makegood("init", manager), 0)
        assert f"run: {manager} run test" in t.read(f"{manager}/makegood.yaml")


@test
def broken_files_are_named_and_left_out(t):
    t.write("package.json", "{not json")
    (t.dir / "Makefile").mkdir()
    os.mkfifo(t.dir / "go.mod")
    os.symlink("/etc/passwd", t.dir / "Cargo.toml")
    t.write("index.html", b"\xff\xfe\x00")
    t.expect(t.makegood("init"), 0, err=["package.json", "Makefile", "go.mod", "Cargo.toml"],
             not_out="found Cargo.toml")
    assert len(entries(t)) == 1


@test
def with_nothing_to_go_by_it_says_so(t):
    t.write("result.txt", "already there")
    t.expect(t.makegood("init"), 0, out="does not hold yet")
    t.expect(t.makegood("check"), 1, out="result-2.txt")


@test
def for_programs_there_is_json(t):
    t.write("go.mod", "module x\n")
    got = json.loads(t.expect(t.makegood("init", "--format", "json"), 0).stdout)
    assert got == {"schema": 1, "file": "makegood.yaml", "entries": 2, "found": ["go.mod"],
                   "notes": []}


@test
def a_directory_that_is_not_there_is_2(t):
    t.expect(t.makegood("init", "nowhere"), 2, err="nowhere")
    t.write("file", "")
    t.expect(t.makegood("init", "file"), 2)


@test
def its_file_really_judges(t):
    t.write("Makefile", "test:\n\ttest -e done\n")
    t.expect(t.makegood("init"), 0)
    t.expect(t.makegood("check"), 1)
    t.write("done", "")
    t.expect(t.makegood("check"), 0)


@test
def scripts_that_cannot_fail_are_commented_out_with_the_reason(t):
    for script, reason in [("echo no tests yet && exit 0", ""), ("jest || true", ""),
                           (NPM_DEFAULT, "placeholder"), ("", "empty")]:
        t.write("package.json", json.dumps({"scripts": {"test": script}}))
        t.expect(t.makegood("init", "--force"), 0, out="1 commented out")
        text = t.read("makegood.yaml")
        assert "\n  - command_returns:" not in text and "# left out: " in text, text
        assert reason == "" or reason in text, (script, text)
    for recipe in ["\t@echo no tests\n", "\t-./run\n", "\t@true\n\t@echo done\n",
                   "\t./run || true\n", "\techo a; \\\n\t echo b\n"]:
        t.write("mk/Makefile", "test:\n" + recipe)
        t.expect(t.makegood("init", "mk", "--force"), 0, out="1 commented out")
        assert "\n  - command_returns:" not in t.read("mk/makegood.yaml"), recipe
    t.write("mk/Makefile", "test: ; @echo no tests\n")
    t.expect(t.makegood("init", "mk", "--force"), 0, out="1 commented out")
    for recipe in ["\t@echo testing\n\t./run\n", "\t$(RUN) tests\n", "\t@./run\n"]:
        t.write("mk/Makefile", "test:\n" + recipe)
        t.expect(t.makegood("init", "mk", "--force"), 0, not_out="commented out")
        assert "\n  - command_returns:" in t.read("mk/makegood.yaml"), recipe


@test
def a_package_with_very_many_scripts_is_read_quickly_and_cut(t):
    t.write("package.json", json.dumps({"scripts": {f"test:{i}": "jest" for i in range(20000)}}))
    began = time.monotonic()
    t.expect(t.makegood("init"), 0, err="19950", out="50 entries")
    assert time.monotonic() - began < 5
    assert len(entries(t)) == 50


main()
