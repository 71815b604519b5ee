"""Fault injection: the n-th open, read, stat, pipe, spawn, wait or write fails, for every n.

For each kind there is a goal that holds and one that does not. Under a fault the goal that
does not hold must never come out as met, and the one that holds must not come out as met
either when the fault struck something its answer rests on: every fault here does.
Prints TAP. usage: run.py MAKEGOOD SHIM
"""
import errno
import os
import signal
import subprocess
import sys
import tempfile

makegood, shim = (os.path.abspath(p) for p in sys.argv[1:3])
CALLS = ["open", "read", "fionread", "stat", "pipe", "fork", "wait", "write", "pidfd"]
# Faults that do not touch what the answer rests on, or that have a way round: then "met" may be
# seen truly.
#   pidfd         waiting falls back to asking now and then
#   read, fionread of the pipe that is not judged, or after the match was there; see PIPES
#   any open      one of two files is enough
COMMANDS = ("command_returns", "command output", "not exit code", "not output", "not errors")
HARMLESS = {(name, "pidfd") for name in COMMANDS} | {("any", "open")}
# The two pipes of a command are the last that are made: its stdout is 2, its stderr 1. For each
# goal, where the log of a failing read or ioctl(FIONREAD) may say that the answer did not rest on it.
PIPES = {
    "command_returns": ("pipe 1", "pipe 2"),
    "not exit code": ("pipe 1", "pipe 2"),
    "command output": ("pipe 1", "pipe 2 after 1"),
    "not output": ("pipe 1",),
    "not errors": ("pipe 2",),
}
# libuv aborts when it is denied a pipe of its own or cannot write to it. That is no answer, and
# so no success; mg_loop_open() looks first whether descriptors can be had.
ABORTS = {"pipe", "write"}
GOALS = {
    "file_exists": ("file_exists: a.txt", "file_exists: none.txt"),
    "dir_exists": ("dir_exists: d", "dir_exists: none"),
    "file_not_empty": ("file_not_empty: a.txt", "file_not_empty: empty.txt"),
    "file_size_gt": ("file_size_gt: {path: a.txt, bytes: 3}", "file_size_gt: {path: a.txt, bytes: 3k}"),
    "file_contains": ("file_contains: {path: a.txt, pattern: hello}", "file_contains: {path: a.txt, pattern: bye}"),
    "file_not_contains": ("file_not_contains: {path: a.txt, pattern: bye}",
                          "file_not_contains: {path: a.txt, pattern: hello}"),
    "large file": ("file_not_contains: {path: large.txt, pattern: needle}",
                   "file_not_contains: {path: late.txt, pattern: needle}"),
    "json_value": ("json_value: {path: a.json, pointer: /n, equals: 1}",
                   "json_value: {path: a.json, pointer: /n, equals: 2}"),
    "command_returns": ("command_returns: test -f a.txt", "command_returns: test -f none.txt"),
    "command output": ("command_returns: {run: cat a.txt, stdout: hello}",
                       "command_returns: {run: cat a.txt, stdout: bye}"),
    "not exit code": ("not: {command_returns: test -f none.txt}", "not: {command_returns: test -f a.txt}"),
    "not output": ("not: {command_returns: {run: cat a.txt, stdout: bye}}",
                   "not: {command_returns: {run: cat a.txt, stdout: hello}}"),
    "not errors": ("not: {command_returns: {run: cat a.txt >&2, stderr: bye}}",
                   "not: {command_returns: {run: cat a.txt >&2, stderr: hello}}"),
    "not": ("not: {file_exists: none.txt}", "not: {file_exists: a.txt}"),
    "any": ("any: [{file_exists: none.txt}, {file_exists: a.txt}]",
            "any: [{file_exists: none.txt}, {file_exists: none2.txt}]"),
}


def run(goal, fault, log):
    """The exit code under a fault, and what the log says if it struck."""
    open(log, "w").close()
    env = dict(os.environ, LD_PRELOAD=shim, MG_FAULT=fault, MG_FAULT_LOG=log)
    done = subprocess.run([makegood, "check", "-f", goal, "--format", "json"], env=env,
                          stdin=subprocess.DEVNULL, capture_output=True, timeout=60)
    with open(log) as f:
        return done.returncode, f.read(), done


def harmless(name, call, struck):
    return (name, call) in HARMLESS or (
        call in ("read", "fionread") and any(where in struck for where in PIPES.get(name, ())))


number = failed = 0


def report(ok, name, why=""):
    global number, failed
    number += 1
    failed += not ok
    print(f"{'ok' if ok else 'not ok'} {number} - {name}")
    for line in [] if ok else str(why).splitlines():
        print(f"# {line}")


with tempfile.TemporaryDirectory() as tmp:
    os.chdir(tmp)
    os.mkdir("d")
    for name, text in {"a.txt": "hello\n", "empty.txt": "", "a.json": '{"n": 1}',
                       "large.txt": "line of text\n" * 100000,
                       "late.txt": "line of text\n" * 100000 + "needle\n"}.items():
        with open(name, "w") as f:
            f.write(text)
    log = os.path.join(tmp, "log")
    for name, (true_entry, false_entry) in GOALS.items():
        for goal, entry in (("true.yaml", true_entry), ("false.yaml", false_entry)):
            with open(goal, "w") as f:
                f.write(f"assert:\n  - {entry}\n")
        code, _, done = run("true.yaml", "none:1:5", log)
        report(code == 0, f"{name}: holds without a fault", done.stdout + done.stderr)
        code, _, done = run("false.yaml", "none:1:5", log)
        report(code == 1, f"{name}: fails without a fault", done.stdout + done.stderr)
        for call in CALLS:
            wrong, strikes, n = "", 0, 0
            while n < 400:
                n += 1
                fault = f"{call}:{n}:{errno.EIO}"
                code, struck, done = run("false.yaml", fault, log)
                if code == 0 or (code < 0 and not (code == -signal.SIGABRT and call in ABORTS)):
                    wrong += f"{fault}: false goal gave {code}\n{done.stdout}{done.stderr}"
                true_code, true_struck, true_done = run("true.yaml", fault, log)
                crashed = true_code < 0 and not (true_code == -signal.SIGABRT and call in ABORTS)
                if crashed or (true_code == 0 and true_struck and not harmless(name, call, true_struck)):
                    wrong += f"{fault}: true goal gave {true_code}, {true_struck}\n{true_done.stdout}{true_done.stderr}"
                strikes += bool(struck) + bool(true_struck)
                if not struck and not true_struck:
                    break
            report(not wrong, f"{name}: never met when a {call} fails ({strikes} faults)", wrong[:2000])
print(f"1..{number}")
sys.exit(failed > 0)
