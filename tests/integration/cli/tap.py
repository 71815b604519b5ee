"""tap.py - tests that drive the real program; output is TAP.

    @test
    def a_goal_that_holds_is_exit_0(t):
        t.write("a.txt", "hello")
        t.goal("assert: [{file_exists: a.txt}]")
        t.expect(t.makegood("check"), code=0)

Each test gets a fresh directory, which is its working directory's root and is removed after
it. MAKEGOOD names the program, MAKEGOOD_DOCS the directory of generated documents,
MAKEGOOD_SOURCE the source tree.
"""
import os
import pathlib
import pty
import shutil
import subprocess
import sys
import tempfile
import traceback

PROGRAM = os.environ["MAKEGOOD"]
DOCS = pathlib.Path(os.environ.get("MAKEGOOD_DOCS", "."))
SOURCE = pathlib.Path(os.environ.get("MAKEGOOD_SOURCE", "."))
TESTS = []


class Skip(Exception):
    """A means that is missing here."""


def test(function):
    TESTS.append(function)
    return function


def need(program):
    if shutil.which(program) is None:
        raise Skip(f"{program} is not installed")
    return program


class Case:
    def __init__(self, directory):
        self.dir = pathlib.Path(directory)
        self.env = {k: v for k, v in os.environ.items()
                    if k not in ("NO_COLOR", "GITHUB_STEP_SUMMARY", "COLUMNS")}

    def write(self, name, text):
        path = self.dir / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    def read(self, name):
        return (self.dir / name).read_text()

    def goal(self, text, name="makegood.yaml"):
        return self.write(name, text)

    def makegood(self, *args, stdin="", env=None, cwd=None, **more):
        return subprocess.run([PROGRAM, *args], cwd=cwd or self.dir, input=stdin, text=True,
                              env={**self.env, **(env or {})}, timeout=120,
                              **{"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **more})

    def expect(self, done, code, out=(), err=(), not_out=(), not_err=()):
        shown = f"{done.args}\nexit {done.returncode}\n-- stdout\n{done.stdout}\n-- stderr\n{done.stderr}"
        assert done.returncode == code, f"expected exit {code}\n{shown}"
        for part in [out] if isinstance(out, str) else out:
            assert part in done.stdout, f"expected {part!r} in stdout\n{shown}"
        for part in [err] if isinstance(err, str) else err:
            assert part in done.stderr, f"expected {part!r} in stderr\n{shown}"
        for part in [not_out] if isinstance(not_out, str) else not_out:
            assert part not in done.stdout, f"unexpected {part!r} in stdout\n{shown}"
        for part in [not_err] if isinstance(not_err, str) else not_err:
            assert part not in done.stderr, f"unexpected {part!r} in stderr\n{shown}"
        return done


def on_terminal(t, args, env=None):
    """Starts the program on a terminal of its own: its pid and our end of the terminal."""
    pid, fd = pty.fork()
    if pid == 0:
        try:
            os.chdir(t.dir)
            os.execve(PROGRAM, [PROGRAM, *args], {**t.env, "TERM": "xterm", **(env or {})})
        finally:
            os._exit(127)
    return pid, fd


def read_terminal(pid, fd):
    """All that it still writes there, and its exit code."""
    data = b""
    try:
        while piece := os.read(fd, 4096):
            data += piece
    except OSError:
        pass  # Linux says EIO when the last writer is gone
    os.close(fd)
    return data, os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


def run_one(number, function):
    name = function.__name__.replace("_", " ")
    with tempfile.TemporaryDirectory(prefix="makegood-cli-") as directory:
        try:
            function(Case(directory))
            print(f"ok {number} - {name}", flush=True)
            return True
        except Skip as why:
            print(f"ok {number} - {name} # SKIP {why}", flush=True)
            return True
        except Exception:
            for line in traceback.format_exc().splitlines():
                print(f"# {line}")
            print(f"not ok {number} - {name}", flush=True)
            return False


def main():
    chosen = [f for f in TESTS if len(sys.argv) < 2 or f.__name__ in sys.argv[1:]]
    print(f"1..{len(chosen)}")
    good = [run_one(i + 1, f) for i, f in enumerate(chosen)]
    sys.exit(0 if good and all(good) else 1)
