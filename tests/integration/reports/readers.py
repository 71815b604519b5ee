"""Readers that are not ours judge our reports: each made-up report in each format.

    readers.py EMIT NODE_MODULES          prints TAP

What a reader concludes must agree with the verdict: green if and only if the goal is met.
"""
import json
import re
import subprocess
import sys
import tempfile
import urllib.parse
import xml.etree.ElementTree as ElementTree
from pathlib import Path

HERE = Path(__file__).resolve().parent
EMIT = sys.argv[1]
NODE_MODULES = Path(sys.argv[2]).resolve()
SCHEMA = NODE_MODULES / "@microsoft/jest-sarif/lib/schemas/sarif-2.1.0-rtm.5.json"


def emit(format_name, sample):
    run = subprocess.run([EMIT, format_name, sample], capture_output=True, check=True)
    return run.stdout


def samples():
    lines = subprocess.run([EMIT, "--samples"], capture_output=True, check=True, text=True).stdout
    for line in lines.splitlines():
        name, verdict, count = line.split()
        yield name, verdict, int(count)


def read_json(sample, verdict, count):
    report = json.loads(emit("json", sample).decode("utf-8"))
    assert report["schema"] == 1 and report["verdict"] == verdict, report["verdict"]
    assert len(report["results"]) == count == sum(report["counts"].values())
    for result in report["results"]:
        for key in ("kind", "name", "message", "expected", "observed", "recovery"):
            assert isinstance(result[key], str), key
        assert result["verdict"] in ("pass", "fail", "unknown")
        assert isinstance(result["duration_ms"], float)
    return report["verdict"] == "met"


def read_junit(sample, verdict, count):
    xml = emit("junit", sample)
    lint = subprocess.run(
        ["xmllint", "--noout", "--nonet", "--huge", "--schema", HERE / "junit.xsd", "-"],
        input=xml, capture_output=True, check=False)
    assert lint.returncode == 0, lint.stderr.decode("utf-8", "replace")[:400]
    root = ElementTree.fromstring(xml)
    cases = root.findall("./testsuite/testcase")
    failures = root.findall("./testsuite/testcase/failure")
    errors = root.findall("./testsuite/testcase/error")
    assert len(cases) == int(root.get("tests")) >= max(count, 1)
    assert len(failures) == int(root.get("failures"))
    assert len(errors) == int(root.get("errors"))
    return not failures and not errors


def tap13(sample):
    """Perl's parser knows the format up to version 13; the lines it reads are the same."""
    tap = emit("tap", sample)
    assert tap.startswith(b"TAP version 14\n")
    return tap.replace(b"TAP version 14", b"TAP version 13", 1)


def concluded(command, tap, count):
    run = subprocess.run(command, input=tap, capture_output=True, check=True)
    conclusion, tests, *more = run.stdout.decode("utf-8", "replace").splitlines()
    assert int(tests) >= max(count, 1)
    return conclusion == "passed", more


def read_tap(sample, verdict, count):
    tap = tap13(sample)
    green, (blocks, *problems) = concluded(["perl", HERE / "tap_reader.pl"], tap, count)
    assert not problems, problems
    points = [line for line in tap.split(b"\n") if line.lstrip().startswith(b"not ok")]
    assert int(blocks) == len(points), f"{blocks} blocks for {len(points)} points not ok"
    return green


def read_tap14(sample, verdict, count):
    green, problems = concluded(["node", HERE / "tap_reader.mjs", NODE_MODULES],
                                emit("tap", sample), count)
    assert not problems, problems
    return green


def read_prove(sample, verdict, count):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "report.tap"
        path.write_bytes(tap13(sample))
        run = subprocess.run(["prove", path], capture_output=True, check=False)
    assert (b"Result: PASS" in run.stdout) == (run.returncode == 0), run.stdout[-400:]
    return run.returncode == 0


def read_sarif(sample, verdict, count):
    log = json.loads(emit("sarif", sample).decode("utf-8"))
    assert log["version"] == "2.1.0"
    (run,) = log["runs"]
    rules = [rule["id"] for rule in run["tool"]["driver"]["rules"]]
    assert len(rules) == len(set(rules))
    assert run["invocations"][0]["executionSuccessful"] is True
    prints = [json.dumps(result["partialFingerprints"]) for result in run["results"]]
    assert len(prints) == len(set(prints))
    for result in run["results"]:
        assert result["ruleId"] in rules and result["message"]["text"]
        for location in result["locations"]:
            uri = location["physicalLocation"]["artifactLocation"]["uri"]
            assert re.fullmatch(r"[A-Za-z0-9._~/%-]+", uri), uri[:200]
            assert not urllib.parse.urlsplit(uri).scheme
    return not run["results"]


def read_sarif_schema(sample, verdict, count):
    import jsonschema
    schema = json.loads(SCHEMA.read_text(encoding="utf-8"))
    log = json.loads(emit("sarif", sample).decode("utf-8"))
    validator = jsonschema.validators.validator_for(schema)  # the draft it is written in
    validator(schema, format_checker=jsonschema.FormatChecker()).validate(log)
    return all(not run["results"] for run in log["runs"])


def read_github(sample, verdict, count):
    """The rules of the runner: a line is a command, or it is not."""
    errors = warnings = 0
    lines = emit("github", sample).decode("utf-8").split("\n")
    assert lines.pop() == ""
    for line in lines:
        command = re.fullmatch(r"::(error|warning) ([^:]*(?:=[^:]*)?)::(.*)", line)
        if command is None:
            assert line.startswith("makegood: "), line
            continue
        errors += command[1] == "error"
        warnings += command[1] == "warning"
        keys = [item.split("=", 1)[0] for item in command[2].split(",")]
        assert set(keys) <= {"file", "line", "title"} and len(keys) == len(set(keys)), keys
    assert errors <= 10 and warnings <= 10
    return errors + warnings == 0


def read_prometheus(sample, verdict, count):
    from prometheus_client.parser import text_string_to_metric_families
    text = emit("prometheus", sample).decode("utf-8")
    families = {family.name: family for family in text_string_to_metric_families(text)}
    seen = set()
    for family in families.values():
        assert family.type == "gauge" and family.documentation
        for s in family.samples:
            series = (s.name, tuple(sorted(s.labels.items())))
            assert series not in seen, series
            seen.add(series)
    passes = families["makegood_assertion_pass"].samples
    assert len(passes) == count
    words = families["makegood_goal_verdict"].samples
    assert [s.labels["verdict"] for s in words if s.value == 1] == [verdict]
    (met,) = families["makegood_goal_met"].samples
    return met.value == 1


READERS = {
    "python's json": read_json,
    "xmllint and a schema": read_junit,
    "perl's TAP::Parser": read_tap,
    "prove": read_prove,
    "the TAP 14 parser": read_tap14,
    "python on SARIF": read_sarif,
    "the SARIF schema": read_sarif_schema,
    "GitHub's rules": read_github,
    "the Prometheus client": read_prometheus,
}


def missing(reader):
    """Why a reader cannot be asked here, or nothing. ./dev test installs them all."""
    try:
        if reader is read_prometheus:
            import prometheus_client  # noqa: F401
        if reader is read_sarif_schema:
            import jsonschema  # noqa: F401
    except ImportError as error:
        return str(error)
    if reader is read_sarif_schema and not SCHEMA.exists():
        return "the npm package with the schema is not installed"
    if reader is read_tap14 and not (NODE_MODULES / "tap-parser").exists():
        return "the npm package with the parser is not installed"
    return None


def main():
    number = failed = 0
    for name, reader in READERS.items():
        skip = missing(reader)
        for sample, verdict, count in samples():
            number += 1
            line = f"{number} - {name} reads '{sample}', which is {verdict}"
            if skip:
                print(f"ok {line} # SKIP {skip}")
                continue
            try:
                green = reader(sample, verdict, count)
                assert green == (verdict == "met"), f"a reader's conclusion: green is {green}"
                print(f"ok {line}")
            except Exception as error:  # whatever it is, the reader did not get on with it
                failed += 1
                print(f"not ok {line}")
                for text in f"{type(error).__name__}: {error}"[:1000].splitlines():
                    print(f"# {text}")
    print(f"1..{number}")
    return 1 if failed else 0


sys.exit(main())
