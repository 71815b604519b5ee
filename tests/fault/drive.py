"""Faults while an agent is driven: the n-th open, read, stat, ... of makegood fails, for every n.

The agent never does the work: it claims, it weakens the protected test, or it writes what was
there. Whatever fails, the loop must not end with 0, and nothing of the agent may be left running.
Prints TAP. usage: drive.py MAKEGOOD SHIM
"""
import concurrent.futures
import errno
import os
import shutil
import signal
import subprocess
import sys
import tempfile

makegood, shim = (os.path.abspath(p) for p in sys.argv[1:3])
CALLS = ["open", "read", "stat", "pipe", "fork", "wait", "write", "pidfd"]
MOST = 600  # faults of one kind; a drive makes fewer calls than that
GOAL = """
goal: Make it work.
agent: {command: [./agent.sh], drain: 200ms}
protect: [test.sh]
assert:
  - command_returns: sh test.sh
"""
AGENTS = {
    "an agent that only claims": "echo 'All tests passed.'",
    "an agent that weakens the protected test": "echo 'exit 0' > test.sh",
    "an agent that empties the protected test and leaves a process":
        ": > test.sh; (sleep 5; : > test.sh) > /dev/null 2>&1 &",
}


def run(directory, agent, fault):
    """The exit code of a drive under a fault, whether it struck, and all that was said."""
    shutil.rmtree(directory, ignore_errors=True)
    root = os.path.join(directory, "root")
    os.makedirs(root)
    for name, text in {"makegood.yaml": GOAL, "test.sh": "test -f done.txt\n",
                       "agent.sh": "#!/bin/sh\n" + agent + "\n"}.items():
        with open(os.path.join(root, name), "w") as f:
            f.write(text)
    os.chmod(os.path.join(root, "agent.sh"), 0o755)
    log = os.path.join(directory, "log")
    env = dict(os.environ, LD_PRELOAD=shim, MG_FAULT=fault, MG_FAULT_LOG=log,
               XDG_STATE_HOME=os.path.join(directory, "state"))
    done = subprocess.run([makegood, "drive", "-q", "-n", "1"], cwd=root, env=env,
                          stdin=subprocess.DEVNULL, capture_output=True, timeout=60)
    with open(log) as f:
        return done.returncode, bool(f.read()), done


def strike_all(directory, agent, call):
    """Every fault of one sort: how many struck, and what was wrong."""
    wrong, strikes = "", 0
    for n in range(1, MOST):
        code, struck, done = run(directory, agent, f"{call}:{n}:{errno.EIO}")
        # libuv aborts where it is denied a pipe of its own; that is no answer, and so no success.
        aborted = code == -signal.SIGABRT and call in ("pipe", "write", "open", "read")
        if code == 0 or (code < 0 and not aborted):
            wrong += f"{call}:{n} gave {code}\n{done.stdout}{done.stderr}\n"
        strikes += struck
        if not struck:
            break
    return strikes, wrong


def main():
    failed = 0
    with tempfile.TemporaryDirectory(prefix="makegood-fault-") as tmp, \
            concurrent.futures.ThreadPoolExecutor(max_workers=2) as pool:
        plan = [(name, agent, call) for name, agent in AGENTS.items() for call in CALLS]
        print(f"1..{len(AGENTS) + len(plan)}", flush=True)
        number = 0
        for name, agent in AGENTS.items():
            code, _, done = run(os.path.join(tmp, "plain"), agent, "none:1:5")
            number += 1
            failed += code != 1
            print(f"{'ok' if code == 1 else 'not ok'} {number} - {name}: exit {code} without a fault")
        jobs = [pool.submit(strike_all, os.path.join(tmp, str(i)), agent, call)
                for i, (_, agent, call) in enumerate(plan)]
        for (name, _, call), job in zip(plan, jobs):
            strikes, wrong = job.result()
            number += 1
            failed += bool(wrong)
            print(f"{'not ok' if wrong else 'ok'} {number} - {name}: never 0 when a {call} fails "
                  f"({strikes} faults)", flush=True)
            for line in wrong[:3000].splitlines():
                print(f"# {line}")
    sys.exit(failed > 0)


main()
