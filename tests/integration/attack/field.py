"""field.py - where the tests of drive meet agents that cheat and drivers that die.

Each test has a directory of its own with a root, a state directory, a directory of programs and a
place for marks, and gets it as a Field. What every one of them ends with, asked for or not: no
process of it is left, and whatever was not announced as a success is none anywhere: not in the
exit code, the answer, the events or the store.

    @attack
    def an_agent_that_only_claims(f):
        f.lose(f.drive("echo All tests passed"), 1)

Tests run three at a time; the output is TAP, in the order in which they are written.
"""
import concurrent.futures
import json
import os
import pathlib
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
import traceback

PROGRAM = os.environ["MAKEGOOD"]
SANITIZED = bool(os.environ.get("MAKEGOOD_SANITIZED"))
PYTHON = "/usr/bin/python3" if os.path.exists("/usr/bin/python3") else sys.executable
STRANGER = 64321  # a user who owns nothing here
TESTS = []

CHECK = "grep -q '^good$' out.txt\n"
GOAL = """
goal: Make the test pass.
assert:
  - command_returns: {run: sh tests/check.sh}
protect: [tests/**]
watch: false
agent: {drain: 200ms}
"""
GOOD = "echo good > out.txt\n"


class Skip(Exception):
    """A means that is missing here."""


def attack(function):
    TESTS.append(function)
    return function


def wait_for(what, seconds=20, every=0.005):
    until = time.monotonic() + seconds
    while True:
        got = what()
        if got:
            return got
        assert time.monotonic() < until, "it did not happen in time"
        time.sleep(every)


def claims(value, path=""):
    """Everywhere in a JSON value where a success is told."""
    if isinstance(value, dict):
        for key, part in value.items():
            here = f"{path}/{key}"
            if (key == "verified" and part is True) or \
               (key == "status" and part in ("succeeded", "success")) or \
               (key == "verdict" and part == "met"):
                yield f"{here}: {part}"
            yield from claims(part, here)
    elif isinstance(value, list):
        for i, part in enumerate(value):
            yield from claims(part, f"{path}/{i}")


class Ran:
    """One run of the program: how it ended, and what it told."""

    def __init__(self, code, out, err, events, seconds, rss):
        self.code, self.out, self.err, self.seconds, self.rss = code, out, err, seconds, rss
        self.events = events
        try:
            self.json = json.loads(out)
        except ValueError:
            self.json = None

    def __str__(self):
        return (f"exit {self.code} after {self.seconds:.1f} s\n-- stdout\n{self.out[:6000]}\n"
                f"-- stderr\n{self.err[:3000]}")

    @property
    def attempts(self):
        return self.json["attempts"]


class Field:
    def __init__(self, directory):
        self.dir = pathlib.Path(directory)
        self.root, self.state = self.dir / "root", self.dir / "state"
        self.bin, self.marks = self.dir / "bin", self.dir / "marks"
        for made in (self.root, self.state, self.bin, self.marks):
            made.mkdir()
        self.env = {k: v for k, v in os.environ.items()
                    if k not in ("NO_COLOR", "GITHUB_STEP_SUMMARY", "COLUMNS", "MAKEGOOD_LIBEXEC")}
        self.env.update(XDG_STATE_HOME=str(self.state), MG_FIELD=str(self.dir), HOME=str(self.dir),
                        MARKS=str(self.marks), BIN=str(self.bin), PATH="/usr/bin:/bin",
                        PYTHONDONTWRITEBYTECODE="1")
        self.program = PROGRAM
        self.user = None
        self.won = False  # a success was announced by the test
        self.number = 0
        self.write("tests/check.sh", CHECK)

    # --- What there is ---

    def write(self, name, text, mode=None, at=None):
        path = (at or self.root) / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        if mode is not None:
            path.chmod(mode)
        return path

    def goal(self, text):
        return self.write("makegood.yaml", text)

    def read(self, name):
        return (self.root / name).read_text()

    def agent(self, text, name="agent"):
        """The agent: a shell script, or one of Python if its first line imports something."""
        python = text.lstrip().startswith(("import ", "from "))
        head = f"#!{PYTHON}\n" if python else "#!/bin/sh\n"
        return str(self.write(name, head + text, 0o755, self.dir))

    def as_stranger(self, processes=None):
        """From now on the program runs as a user without any rights; as that user if we are one."""
        import resource
        if os.getuid() == 0:
            for folder, _, files in os.walk(self.dir):
                os.chown(folder, STRANGER, STRANGER)
                for name in files:
                    os.chown(os.path.join(folder, name), STRANGER, STRANGER, follow_symlinks=False)
            if not os.access(PROGRAM, os.X_OK) or not self.reachable():
                raise Skip("the program is where another user cannot reach it")
            self.user = {"user": STRANGER, "group": STRANGER, "extra_groups": []}
        elif processes:
            raise Skip("only root can give a process limit of its own")
        if processes:
            self.user["preexec_fn"] = lambda: resource.setrlimit(resource.RLIMIT_NPROC,
                                                                 (processes, processes))

    def reachable(self):
        done = subprocess.run([PROGRAM, "version"], user=STRANGER, group=STRANGER, extra_groups=[],
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd="/",
                              check=False)
        return done.returncode == 0

    # --- Running ---

    def start(self, *args, **more):
        """The program, going on by itself; its output goes to files."""
        self.number += 1
        out = open(self.dir / f"out{self.number}", "wb")
        err = open(self.dir / f"err{self.number}", "wb")
        with out, err:
            process = subprocess.Popen([self.program, *args], cwd=more.pop("cwd", self.root),
                                       env={**self.env, **more.pop("env", {})},
                                       stdin=subprocess.DEVNULL, stdout=out, stderr=err,
                                       start_new_session=True, **(self.user or {}), **more)
        process.number, process.began = self.number, time.monotonic()
        process.events = None
        return process

    def start_drive(self, agent, *args, events=True, **more):
        """agent: its text, or the whole command as a list."""
        words = agent if isinstance(agent, list) else [self.agent(agent)]
        if not (self.root / "makegood.yaml").exists() and "--until" not in args:
            self.goal(GOAL)
            if self.user:
                os.chown(self.root / "makegood.yaml", STRANGER, STRANGER)
        tell = self.dir / f"events{self.number + 1}"
        extra = ["--events", str(tell)] if events else []
        process = self.start("drive", "--format", "json", *extra, *args, "--", *words, **more)
        process.events = tell
        return process

    def start_resume(self, *args, **more):
        tell = self.dir / f"events{self.number + 1}"
        process = self.start("loop", "resume", "--format", "json", "--events", str(tell), *args,
                             cwd="/", **more)
        process.events = tell
        return process

    def end(self, process, timeout=60):
        until = time.monotonic() + timeout
        rss = 0
        while process.returncode is None:  # wait4 tells the memory, too
            pid, status, usage = os.wait4(process.pid, os.WNOHANG)
            if pid:
                process.returncode, rss = os.waitstatus_to_exitcode(status), usage.ru_maxrss * 1024
                break
            if time.monotonic() > until:
                process.kill()
                process.wait()
                raise AssertionError(f"the driver did not end in {timeout} s\n" +
                                     (self.dir / f"err{process.number}").read_text()[-2000:])
            time.sleep(0.005)
        return Ran(process.returncode, self.text(f"out{process.number}"),
                   self.text(f"err{process.number}"), self.events_of(process),
                   time.monotonic() - process.began, rss)

    def text(self, name):
        return (self.dir / name).read_text(errors="replace")

    def events_of(self, process):
        if process.events is None or not process.events.exists():
            return []
        lines = process.events.read_text(errors="replace").split("\n")
        return [json.loads(line) for line in lines[:-1]]  # a killed driver may leave half a line

    def drive(self, agent, *args, timeout=60, **more):
        return self.end(self.start_drive(agent, *args, **more), timeout)

    def resume(self, *args, timeout=60, **more):
        return self.end(self.start_resume(*args, **more), timeout)

    def makegood(self, *args, **more):
        return self.end(self.start(*args, **more))

    # --- What came of it ---

    def lose(self, ran, *codes, reason=None, attempt_reason=None):
        """Not a success, anywhere; and if named, with these exit codes and reasons."""
        self.no_success(ran)
        assert not codes or ran.code in codes, f"expected exit {codes}\n{ran}"
        if reason:
            assert ran.json["reason"] == reason, f"expected {reason}\n{ran}"
        if attempt_reason:
            assert ran.attempts[-1]["reason"] == attempt_reason, f"expected {attempt_reason}\n{ran}"
        return ran

    def win(self, ran):
        """The same goal can be met: by whoever does the work."""
        assert ran.code == 0 and ran.json["verified"] is True, str(ran)
        assert ran.json["status"] == "succeeded", str(ran)
        assert [e for e in ran.events if e["type"] == "loop_finished"][0]["verified"] is True
        self.won = True
        return ran

    def no_success(self, ran):
        assert ran.code != 0, f"it ended as a success\n{ran}"
        told = list(claims(ran.json))
        for event in ran.events:
            if event["type"] != "output":
                told += claims(event, f"event {event['seq']}")
        assert not told, f"a success was told: {told}\n{ran}"
        stored = [] if self.won else self.stored_success()
        assert not stored, f"the store tells of a success: {stored}\n{ran}"

    def database(self):
        found = list((self.state / "makegood").glob("*.db")) if self.state.exists() else []
        return found[0] if found else None

    def query(self, text, *values):
        path = self.database()
        if path is None:
            return []
        db = sqlite3.connect(path, timeout=10)
        try:
            got = db.execute(text, values).fetchall()
            db.commit()
            return got
        finally:
            db.close()

    def forget(self):
        """What was driven until now, also what a test has forged itself."""
        for table in ("events", "attempts", "loop_texts", "loops"):
            self.query(f"DELETE FROM {table}")
        shutil.rmtree(self.state / "makegood/loops", ignore_errors=True)

    def stored_success(self):
        """What the store says of successes."""
        told = []
        for row in self.query("SELECT id, status, verified, verdict FROM loops"):
            if row[1] == "succeeded" or row[2] or row[3] == "met":
                told.append(row)
        for number, text in self.query("SELECT number, json FROM attempts"):
            told += claims(json.loads(text), f"attempt {number}")
        for seq, text in self.query("SELECT seq, json FROM events"):
            told += claims(json.loads(text), f"event {seq}")
        return told

    def loops(self):
        done = self.makegood("loop", "list", "--format", "json", cwd="/")
        assert done.code == 0, str(done)
        return done.json["loops"]

    def processes(self):
        """Every process that has our mark in its environment: drivers, agents, commands."""
        mark = f"MG_FIELD={self.dir}".encode()
        found = []
        for pid in filter(str.isdigit, os.listdir("/proc")):
            try:
                with open(f"/proc/{pid}/stat") as stat:
                    if stat.read().rsplit(")", 1)[1].split()[0] == "Z":
                        continue
                with open(f"/proc/{pid}/environ", "rb") as environ:
                    if mark in environ.read().split(b"\0"):
                        found.append(int(pid))
            except OSError:
                continue
        return found

    def nobody_left(self, seconds=2):
        until = time.monotonic() + seconds
        while found := self.processes():
            if time.monotonic() > until:
                names = []
                for pid in found:
                    try:
                        names.append(pathlib.Path(f"/proc/{pid}/cmdline").read_bytes())
                    except OSError:
                        pass
                raise AssertionError(f"still running after {seconds} s: {found} {names}")
            time.sleep(0.01)

    def close(self):
        for _ in range(50):
            found = self.processes()
            for pid in found:
                try:
                    os.kill(pid, signal.SIGKILL)
                except ProcessLookupError:
                    pass
            if not found:
                return
            time.sleep(0.02)


def remove(directory):
    """Also what an agent has closed."""
    def open_up(function, path, _):
        os.chmod(os.path.dirname(path), 0o700)
        os.chmod(path, 0o700, follow_symlinks=False) if not os.path.islink(path) else None
        if function in (os.rmdir, os.unlink):
            function(path)
        else:
            shutil.rmtree(path, onerror=open_up)
    shutil.rmtree(directory, onerror=open_up)


def run_one(function):
    directory = tempfile.mkdtemp(prefix="makegood-attack-")
    os.chmod(directory, 0o755)
    field = None
    began = time.monotonic()
    try:
        field = Field(directory)
        function(field)
        field.nobody_left()
        if not field.won:
            told = field.stored_success()
            assert not told, f"the store tells of a success: {told}"
        return "ok", "", time.monotonic() - began
    except Skip as why:
        return "skip", str(why), time.monotonic() - began
    except Exception:
        return "not ok", traceback.format_exc(), time.monotonic() - began
    finally:
        if field is not None:
            field.close()
        remove(directory)


def main(jobs=3):
    chosen = [f for f in TESTS if len(sys.argv) < 2 or f.__name__ in sys.argv[1:]]
    print(f"1..{len(chosen)}", flush=True)
    failed = not chosen
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        for number, (function, (how, text, seconds)) in enumerate(
                zip(chosen, pool.map(run_one, chosen)), 1):
            name = function.__name__.replace("_", " ")
            failed = failed or how == "not ok"
            for line in text.splitlines() if how == "not ok" else []:
                print(f"# {line}")
            if how == "skip":
                print(f"ok {number} - {name} # SKIP {text}", flush=True)
            else:
                print(f"{how} {number} - {name}\n# {seconds:.1f} s", flush=True)
    sys.exit(1 if failed else 0)
