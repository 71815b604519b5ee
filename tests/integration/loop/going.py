"""going.py - what the tests of the loop share: one drive, and what its record says.

The tools of tests/integration/cli (tap.py, loops.py) are used; PYTHONPATH names their directory.
"""
import contextlib
import http.server
import json
import threading
import time

from loops import agent, drive, sandbox


def go(t, goal, script, *args, name="makegood.yaml", env=None):
    """Drives a shell script at the goal: the whole answer, with exit code, events and seconds."""
    sandbox(t)
    t.goal(goal, f"root/{name}")
    began = time.monotonic()
    done = drive(t, "--format", "json", "--events", str(t.dir / "events"), *args, "--",
                 agent(t, script), env=env)
    try:
        got = json.loads(done.stdout)
    except json.JSONDecodeError:
        raise AssertionError(f"exit {done.returncode}\n{done.stdout}\n{done.stderr}") from None
    got["exit"], got["seconds"], got["stderr"] = done.returncode, time.monotonic() - began, done.stderr
    got["events"] = [json.loads(line) for line in t.read("events").splitlines()]
    return got


def prompts(got):
    return [e["prompt"] for e in got["events"] if e["type"] == "attempt_started"]


def expect(got, code, end=None, why=None, /, **attempt):
    """The exit code, the loop's status and reason, and fields of the last attempt."""
    shown = json.dumps({k: v for k, v in got.items() if k != "events"}, indent=1)
    assert got["exit"] == code, f"expected exit {code}\n{shown}"
    assert end in (None, got["status"]), f"expected status {end}\n{shown}"
    assert why in (None, got["reason"]), f"expected reason {why}\n{shown}"
    assert got["verified"] is (code == 0), shown
    for key, want in attempt.items():
        have = got["attempts"][-1][key]
        assert have == want, f"expected {key} = {want!r}, got {have!r}\n{shown}"
    return got


@contextlib.contextmanager
def server(answer):
    """A server of ours on loopback; answer(path) gives the status. Yields its port."""
    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(answer(self.path))
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_):
            pass

    httpd = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=httpd.serve_forever, args=(0.05,))
    thread.start()
    try:
        yield httpd.server_address[1]
    finally:
        httpd.shutdown()
        httpd.server_close()
        thread.join()
