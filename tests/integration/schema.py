"""The JSON Schema for editors and the reader of goal files must agree.

What the reader takes, the schema takes; the mistakes that a schema can see, both refuse.
Prints TAP. usage: schema.py MAKEGOOD GOALS_DIRECTORY
"""
import glob
import json
import os
import subprocess
import sys

import jsonschema
import yaml

makegood, goals = sys.argv[1:3]
ENTRY = {"file_exists": "a"}
GOOD = [
    {},
    {"assert": [ENTRY]},
    {"version": 1, "goal": "x", "assert": [{"all": [ENTRY, {"not": ENTRY}]}]},
    {"assert": [{"any": {"min": 1, "of": [ENTRY]}, "name": "n", "recovery": "r"}]},
    {"assert": [{"assert": "file_contains", "path": "a", "pattern": "b"}]},
    {"assert": [{"file_contains": {"path": "a", "pattern": 404, "retry": {"times": 2, "every": "1s"}}}]},
    {"assert": [{"command_returns": ["make", "test"]}, {"command_returns": {"run": "make", "env": {"A": "b"}}}]},
    {"assert": [{"socket_open": "127.0.0.1:80"}], "watch": False, "sandbox": {"network": False}},
    {"budget": {"attempts": 3, "time": "1h30m", "cost_usd": 2.5}, "protect": "tests/**"},
    {"service": [{"run": "npm start", "ready": {"http_200": "http://127.0.0.1/"}, "timeout": "30s"}]},
]
BAD = [
    [],
    "text",
    {"gaol": "x"},
    {"assert": ENTRY},
    {"assert": [{"file_exist": "a"}]},
    {"assert": [{}]},
    {"assert": [{"name": "alone"}]},
    {"assert": [{"file_exists": "a", "dir_exists": "b"}]},
    {"assert": [{"file_exists": ["a"]}]},
    {"assert": [{"file_exists": "/etc/passwd"}]},
    {"assert": [{"file_contains": {"path": "a"}}]},
    {"assert": [{"file_contains": {"path": "a", "pattern": "b", "more": 1}}]},
    {"assert": [{"file_size_gt": {"path": "a", "bytes": "lots"}}]},
    {"assert": [{"all": []}]},
    {"assert": [{"any": {"min": 0, "of": [ENTRY]}}]},
    {"assert": [{"assert": "no_such_kind"}]},
    {"effect": "maybe"},
    {"budget": {"attempts": 0}},
    {"check": {"deadline": "soon"}},
    {"agent": {"timeout": True}},
    {"watch": "no"},
]

number = failed = 0


def report(ok, name, why=""):
    global number, failed
    number += 1
    failed += not ok
    print(f"{'ok' if ok else 'not ok'} {number} - {name}")
    for line in [] if ok else str(why).splitlines():
        print(f"# {line}")


def reader_takes(document):
    """Whether the goal can be read; nothing runs, for no entry is called so."""
    done = subprocess.run([makegood, "check", "-f", "-", "--only", "no entry has this name"],
                          input=json.dumps(document).encode(), capture_output=True)
    return b"no entry is called" in done.stderr or b"nothing was run" not in done.stderr, done.stderr.decode()


schema = json.loads(subprocess.run([makegood, "kinds", "--format", "json-schema"],
                                   capture_output=True, check=True).stdout)
try:
    jsonschema.Draft202012Validator.check_schema(schema)
    report(True, "the schema is a schema")
except jsonschema.SchemaError as error:
    report(False, "the schema is a schema", error)
validator = jsonschema.Draft202012Validator(schema)

for document in GOOD:
    problems = [e.message for e in validator.iter_errors(document)]
    taken, said = reader_takes(document)
    report(not problems and taken, f"both take {json.dumps(document)[:70]}", f"{problems}\n{said}")
for document in BAD:
    taken, said = reader_takes(document)
    report(not validator.is_valid(document) and not taken, f"both refuse {json.dumps(document)[:70]}",
           f"schema refuses: {not validator.is_valid(document)}, reader: {said}")
for path in sorted(glob.glob(os.path.join(goals, "*.expect"))):
    with open(path) as f:
        if f.readline() != "ok\n":
            continue
    with open(path.replace(".expect", ".yaml")) as f:
        problems = [e.message for e in validator.iter_errors(yaml.safe_load(f))]
    report(not problems, f"the schema takes {os.path.basename(path)[:-7]}.yaml", problems)
print(f"1..{number}")
sys.exit(failed > 0)
