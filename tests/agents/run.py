"""Drives real agents (codex, pi) against a scripted model server (aimock): none of them is ours.

Attempt 1 claims that the work is done and does nothing; attempt 2, which goes on with the same
conversation and is told what is missing, does it. Then the same with a model that keeps lying.

usage: run.py MAKEGOOD NODE_MODULES WORK_DIRECTORY        (./dev test-agents)
"""
import json
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request

makegood, modules, base = (pathlib.Path(arg).resolve() for arg in sys.argv[1:4])
GOAL = "MARK-GOAL: hello.txt shall say hello."
RECOVERY = "MARK-RECOVERY: write the word hello into hello.txt."
CLAIM = "Done: hello.txt is written."

GOAL_FILE = f"""version: 1
goal: '{GOAL}'
assert:
  - file_contains: {{path: hello.txt, pattern: '^hello$', recovery: '{RECOVERY}'}}
budget: {{attempts: 3, time: 5m}}
"""

# How each model call looks: pi has a tool to write with, codex runs a command.
TOOLS = {
    "pi": {"name": "write", "arguments": json.dumps({"path": "hello.txt", "content": "hello\n"})},
    "codex": {"name": "exec_command", "arguments": json.dumps({"cmd": "echo hello > hello.txt"})},
}


def fixtures(agent, honest):
    """What the model answers: the first fixture that matches the last message of the user."""
    claim = {"match": {"userMessage": "MARK-"}, "response": {"content": CLAIM}}
    if not honest:
        return {"fixtures": [claim]}
    told = {"userMessage": "MARK-RECOVERY"}
    return {"fixtures": [
        {"match": {**told, "hasToolResult": True}, "response": {"content": "Now it is done."}},
        {"match": told, "response": {"toolCalls": [TOOLS[agent]]}},
        claim,
    ]}


class Model:
    """aimock on a port of its own; `requests` is its journal."""

    def __init__(self, work, script):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        (work / "fixtures.json").write_text(json.dumps(script))
        server = modules / "@copilotkit/aimock/dist/cli.js"
        self.log = open(work / "aimock.log", "w")
        self.process = subprocess.Popen(
            ["node", server, "-p", str(self.port), "-f", work / "fixtures.json", "--strict"],
            stdout=self.log, stderr=subprocess.STDOUT)

    def __enter__(self):
        for _ in range(200):
            try:
                self.requests()
                return self
            except OSError:
                time.sleep(0.05)
        raise SystemExit("aimock does not answer")

    def __exit__(self, *_):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(10)
        self.log.close()

    def requests(self):
        with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/v1/_requests") as answer:
            return [entry for entry in json.load(answer) if entry["method"] == "POST"]


def configure(agent, home, port):
    """The agent's own configuration, and the arguments that go with it."""
    url = f"http://127.0.0.1:{port}/v1"
    if agent == "codex":
        (home / "codex").mkdir()
        (home / "codex/config.toml").write_text(
            f'model="stub-model"\nmodel_provider="stub"\n[model_providers.stub]\nname="stub"\n'
            f'base_url="{url}"\nenv_key="STUB_KEY"\nwire_api="responses"\n'
            "request_max_retries=1\nstream_max_retries=1\n")
        return []
    (home / ".pi/agent").mkdir(parents=True)
    (home / ".pi/agent/models.json").write_text(json.dumps({"providers": {"stub": {
        "baseUrl": url, "api": "openai-completions", "apiKey": "k", "models": [{"id": "stub-model"}]}}}))
    return ["--provider", "stub", "--model", "stub-model"]


def drive(agent, honest, work):
    """One loop; its exit code, its report, what the model was asked, what is on disk."""
    root, home, scratch = work / "root", work / "home", work / "tmp"
    for directory in (root, home, scratch):
        directory.mkdir()
    (root / "makegood.yaml").write_text(GOAL_FILE)
    with Model(work, fixtures(agent, honest)) as model:
        args = configure(agent, home, model.port)
        # CODEX_HOME must not lie beneath TMPDIR: codex refuses to put its sandbox helper there.
        env = {"PATH": f"{modules / '.bin'}:{os.environ['PATH']}", "HOME": str(home), "TMPDIR": str(scratch),
               "CODEX_HOME": str(home / "codex"), "STUB_KEY": "k", "PI_OFFLINE": "1",
               "XDG_STATE_HOME": str(work / "state"), "LANG": "C.UTF-8"}
        run = subprocess.run([makegood, "drive", "--agent", agent, "--format", "json", "--", *args],
                             cwd=root, env=env, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                             timeout=300, check=False)
        asked = [json.dumps(entry["body"]) for entry in model.requests()]
    try:
        report = json.loads(run.stdout)
    except ValueError:
        report = {}
    written = (root / "hello.txt").read_text() if (root / "hello.txt").exists() else None
    return run, report, asked, written


def judge_honest(run, report, asked, written):
    attempts = report.get("attempts", [])
    yield run.returncode == 0, f"exit 0, not {run.returncode}"
    yield report.get("status") == "succeeded" and report.get("verified") is True, "succeeded, verified"
    yield len(attempts) == 2, f"two attempts, not {len(attempts)}"
    yield [a.get("verdict") for a in attempts] == ["not_met", "met"], "not met, then met"
    ends = [a.get("terminal_reason") for a in attempts]
    # The second is stopped the moment the file is right, unless it is faster.
    yield ends[:1] == ["completed"] and ends[1:] in (["completed"], ["cancelled"]), f"ordinary ends, not {ends}"
    yield ends[1:] != ["cancelled"] or attempts[1].get("watched") is True, "stopped by a watcher"
    yield written == "hello\n", f"hello.txt is there: {written!r}"
    resumed = [text for text in asked if "MARK-RECOVERY" in text]
    yield bool(resumed), "the second attempt is told what is missing"
    yield all("MARK-GOAL" in text and CLAIM in text for text in resumed), \
        "in the conversation of the first: its goal and its claim stand before it"
    yield not any("MARK-RECOVERY" in text for text in asked[:1]), "and the first attempt was not"


def judge_liar(run, report, asked, written):
    attempts = report.get("attempts", [])
    yield run.returncode == 1, f"exit 1, not {run.returncode}"
    yield report.get("status") == "gave_up" and report.get("verified") is False, "gave up, not verified"
    yield len(attempts) == 3, f"three attempts, not {len(attempts)}"
    yield all(a.get("verdict") == "not_met" for a in attempts), "never met"
    yield written is None and len(asked) >= 3, "nothing was written, however often it was asked"


def main():
    base.mkdir(parents=True, exist_ok=True)
    number = failed = 0
    for agent in ("codex", "pi"):
        for name, honest, judge in (("does the work in its second attempt", True, judge_honest),
                                    ("keeps lying", False, judge_liar)):
            work = pathlib.Path(tempfile.mkdtemp(prefix=f"{agent}-", dir=base))
            result = drive(agent, honest, work)
            wrong = [what for holds, what in judge(*result) if not holds]
            number += 1
            failed += bool(wrong)
            for what in wrong:
                print(f"# expected: {what}")
            if wrong:
                print("".join(f"# {line}\n" for line in (result[0].stderr + result[0].stdout).splitlines()[-60:]))
                print(f"# everything is in {work}")
            else:
                shutil.rmtree(work)
            print(f"{'not ok' if wrong else 'ok'} {number} - {agent} {name}", flush=True)
    print(f"1..{number}")
    print(f"{number - failed} passed, {failed} failed")
    return 1 if failed else 0


sys.exit(main())
