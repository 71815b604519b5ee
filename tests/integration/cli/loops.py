"""loops.py - what the tests of drive and loop share: a state directory, an agent, a way to wait."""
import json
import os
import subprocess
import time

from tap import PROGRAM

GOAL = """
goal: Make the file.
assert:
  - file_contains: {path: out.txt, pattern: '^good$'}
"""


def sandbox(t):
    """A root to work in and a state directory beside it."""
    (t.dir / "root").mkdir(exist_ok=True)
    t.root = t.dir / "root"
    t.env["XDG_STATE_HOME"] = str(t.dir / "state")
    return t


def agent(t, text, name="agent.sh"):
    path = t.write(name, "#!/bin/sh\n" + text)
    path.chmod(0o755)
    return str(path)


def drive(t, *args, **more):
    return t.makegood("drive", *args, cwd=t.root, **more)


def start(t, *args, **more):
    """A driver that goes on by itself, in a session of its own."""
    return subprocess.Popen([PROGRAM, "drive", *args], cwd=t.root, env=t.env, text=True,
                            stdin=subprocess.DEVNULL,
                            **{"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **more})


def loops(t):
    done = t.expect(t.makegood("loop", "list", "--format", "json"), 0)
    got = json.loads(done.stdout)
    assert got["schema"] == 1, got
    return got["loops"]


def wait_for(what, seconds=30):
    until = time.monotonic() + seconds
    while not what():
        assert time.monotonic() < until, "it did not happen in time"
        time.sleep(0.02)


def alive(pid):
    try:
        os.kill(pid, 0)
        with open(f"/proc/{pid}/stat") as stat:
            return stat.read().rsplit(")", 1)[1].split()[0] != "Z"
    except (ProcessLookupError, FileNotFoundError):
        return False


def run_agent_that_waits(t):
    """A driver whose agent waits; its process and the agent's pid."""
    program = agent(t, f"echo $$ > {t.dir}/pid.new; mv {t.dir}/pid.new {t.dir}/pid; sleep 60\n")
    t.goal(GOAL, "root/makegood.yaml")
    driver = start(t, "--", program)
    wait_for(lambda: (t.dir / "pid").exists())
    return driver, int(t.read("pid"))
