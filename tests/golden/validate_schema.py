#!/usr/bin/env python3
"""validate_schema.py DOCS RENDERED: JSON outputs against their schemas in DOCS.

Each RENDERED/*.result.json must fit result.schema.json, each line of RENDERED/*.run.jsonl
run.schema.json; and documents broken on purpose must not. Exit code 77: jsonschema is missing.
"""
import copy
import json
import pathlib
import sys

try:
    import jsonschema
except ImportError:
    print("SKIPPED: python3-jsonschema is not installed")
    sys.exit(77)


def no_constant(name):
    raise ValueError(f"{name} is no JSON")


def parsed(text):
    return json.loads(text, parse_constant=no_constant)


def validator_of(path):
    schema = parsed(path.read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(schema)


def broken(document, path, change):
    """A copy of the document in which `change` was applied to the parent of the last key."""
    copied = copy.deepcopy(document)
    parent = copied
    for key in path[:-1]:
        parent = parent[key]
    change(parent, path[-1])
    return copied


def remove(parent, key):
    del parent[key]


def put(value):
    def change(parent, key):
        parent[key] = value

    return change


PER_TOKEN = ("figures", "joules_per_output_token")
BROKEN_RESULTS = [
    (("schema",), put("tokenjoule.result/2")),
    (("simulated",), remove),
    (("simulated",), put("yes")),
    (("verdict", "status"), put("fine")),
    (("verdict", "reasons", 0, "severity"), put("fatal")),
    (("boundary", "name"), put("gpu")),
    (("boundary", "name"), put(None)),  # without a reason
    (("window", "duration_s"), put(-1)),
    (("window", "duration_s"), put(None)),
    (("engine",), put(None)),
    (("tokens", "output"), put("472123")),
    (("tokens", "output"), put(None)),
    (("tokens", "source"), put("guess")),
    (("requests", "completed"), put(1.5)),
    (("energy", 0, "method"), put("simulated")),
    (("energy", 0, "joules"), put(None)),
    (("energy", 0, "devices", 0, "method"), put("simulated")),
    (("energy", 0, "devices", 0, "mean_watts"), remove),
    (("idle", "watts"), put(None)),
    (PER_TOKEN + ("value",), put(None)),
    (PER_TOKEN + ("interval95",), put([0.07])),
    (PER_TOKEN + ("interval95_reason",), remove),
    (PER_TOKEN + ("uncertainty", "components", 0, "half_width"), put(-0.1)),
    (("figures", "ttft_seconds", "p99"), remove),
    (("figures", "ttft_seconds"), put(0.2)),
    (("figures_by_boundary", "moon"), put({})),
    (("full_run", "joules"), put(None)),
    (("client", "stamps"), put("wall")),
    (("record", "sha256"), put("abc")),
]
BROKEN_LINES = [
    (("event",), remove),
    (("event",), put("")),
    (("event",), put(3)),
]


def failures_of(validator, name, document):
    return [f"{name}: {e.json_path}: {e.message[:200]}" for e in validator.iter_errors(document)]


def check_results(validator, folder):
    failures, files = [], sorted(folder.glob("*.result.json"))
    if not files:
        failures.append(f"no *.result.json in {folder}")
    for file in files:
        failures += failures_of(validator, file.name, parsed(file.read_text(encoding="utf-8")))
    full = parsed((folder / "simulated.result.json").read_text(encoding="utf-8"))
    for path, change in BROKEN_RESULTS:
        if validator.is_valid(broken(full, path, change)):
            failures.append(f"the schema takes a result broken at {path}")
    if not validator.is_valid(broken(full, ("an_addition",), put({"x": 1}))):
        failures.append("the schema refuses an addition")
    return failures, len(files)


def check_runs(validator, folder):
    failures, lines = [], []
    for file in sorted(folder.glob("*.run.jsonl")):
        for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
            lines.append(parsed(line))
            failures += failures_of(validator, f"{file.name}:{number}", lines[-1])
    kinds = {line["event"] for line in lines}
    known = {key.removeprefix("event_") for key in validator.schema["$defs"]}
    if kinds != known:
        failures.append(f"kinds of events only in the lines or the schema: {sorted(kinds ^ known)}")
    for line in lines:
        rules = validator.schema["$defs"]["event_" + line["event"]]
        for key in rules["required"]:
            if validator.is_valid(broken(line, (key,), remove)):
                failures.append(f"the schema takes a {line['event']} without {key}")
        for path, change in BROKEN_LINES:
            if validator.is_valid(broken(line, path, change)):
                failures.append(f"the schema takes a line broken at {path}")
    if not validator.is_valid({"event": "of a newer version", "x": 1}):
        failures.append("the schema refuses an event of a newer version")
    return failures, len(lines)


def main():
    docs, rendered = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    failures, results = check_results(validator_of(docs / "result.schema.json"), rendered)
    run_failures, lines = check_runs(validator_of(docs / "run.schema.json"), rendered)
    for failure in failures + run_failures:
        print(failure)
    print(f"{results} results and {lines} lines of runs checked")
    return 1 if failures or run_failures else 0


if __name__ == "__main__":
    sys.exit(main())
