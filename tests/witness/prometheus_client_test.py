"""prometheus_client (PyPI) and our reader read the same metrics pages and must see the same samples.

Usage: prometheus_client_test.py TOKENJOULE READ_METRICS
Needs prometheus_client, which it installs into a virtual environment in the user's cache; exits 77 with
a reason where that cannot be done.
"""
import json
import os
import pathlib
import subprocess
import tempfile
import unittest
import urllib.request

import environment

PINS = ["prometheus_client==0.26.0"]
SOURCE = pathlib.Path(__file__).resolve().parents[2]
CORPUS = SOURCE / "tests" / "fuzz" / "corpus" / "prometheus_text"

# Pages that prometheus_client refuses as a whole, and what ours makes of them: the number of samples, None where
# it refuses as well.
REFUSED = {
    "bare_word": None,
    "html": None,
    "json": None,
    # llama.cpp once sent its page as one JSON string, which ours unwraps.
    "json_string": 1,
    "llamacpp-b7010-json-quoted-bug.prom": 11,
    # One bad line costs prometheus_client the page; ours counts the line and reads the rest.
    "malformed": 1,
    "edgecases-malformed.prom": 5,
    # MLC writes labels without quotes, which is no Prometheus text: ours counts those lines as refused.
    "mlc-llm-0.20.0-nonstandard.prom": 17,
    # Its OpenMetrics parser wants a time stamp on all samples of a group or on none; ours uses no stamps.
    "openmetrics": 2,
}


def parsers():
    from prometheus_client.openmetrics import parser as openmetrics
    from prometheus_client import parser as text
    return {"text": text.text_string_to_metric_families, "openmetrics": openmetrics.text_string_to_metric_families}


def ours(*pages):
    """What our reader sees in each of the pages (bytes)."""
    with tempfile.TemporaryDirectory() as folder:
        files = [pathlib.Path(folder) / str(i) for i in range(len(pages))]
        for file, page in zip(files, pages):
            file.write_bytes(page)
        done = subprocess.run([os.environ["READ_METRICS"], *files], check=True, stdout=subprocess.PIPE, text=True)
    return [json.loads(line) for line in done.stdout.splitlines()]


def row(name, labels, value):
    return name, tuple(sorted(labels)), repr(float(value))  # as text: NaN is not equal to itself


def our_rows(page):
    """The samples. A counter without "_total" gets it, as prometheus_client gives it that name."""
    rows = []
    for family in page["families"]:
        bare = family["name"] if family["type"] == "counter" and not family["name"].endswith("_total") else None
        for sample in family["samples"]:
            name = sample["name"] + "_total" if sample["name"] == bare else sample["name"]
            rows.append(row(name, map(tuple, sample["labels"]), sample["value"]))
    return sorted(rows)


def their_rows(families):
    return sorted(row(s.name, s.labels.items(), s.value) for family in families for s in family.samples)


def declarations(families):
    """Type and help of (name, type, help) by the name, in which a counter's "_total" does not count."""
    return {name.removesuffix("_total") if kind == "counter" else name: (kind, text)
            for name, kind, text in families if kind not in ("", "unknown", "untyped")}


def dialect(page):
    return "openmetrics" if page.rstrip().endswith(b"# EOF") else "text"


class Comparing:
    maxDiff = 4000

    def compare(self, name, page):
        """Both see the same; the number of samples."""
        (seen,) = ours(page)
        try:
            theirs = list(parsers()[dialect(page)](page.decode()))
        except ValueError as error:
            self.assertIn(name, REFUSED, f"prometheus_client refuses it: {error}")
            found = sum(len(family["samples"]) for family in seen["families"]) if "families" in seen else None
            self.assertEqual(found, REFUSED[name])
            return 0
        self.assertNotIn(name, REFUSED)
        self.assertEqual(seen.get("lines_refused"), 0, seen)
        rows = our_rows(seen)
        self.assertEqual(rows, their_rows(theirs))
        self.assertEqual(declarations((f["name"], f["type"], f["help"]) for f in seen["families"] if f["samples"]),
                         declarations((f.name, f.type, f.documentation) for f in theirs if f.samples))
        return len(rows)

    def compare_simulator(self, *arguments, least):
        from support import simulator
        with simulator("--seed", 7, *arguments) as running:
            for tokens in (3, 40):
                body = json.dumps({"prompt": "one two three", "max_tokens": tokens, "ignore_eos": True}).encode()
                with urllib.request.urlopen(urllib.request.Request(running.url + "/v1/completions", body,
                                                                   {"Content-Type": "application/json"})):
                    pass
            pages = {path: running.get(path).encode() for path in ("/metrics", "/dcgm/metrics")}
        for path, page in pages.items():
            with self.subTest(page=path):
                self.assertGreaterEqual(self.compare(path, page), least[path])


class SameSamples(Comparing, unittest.TestCase):
    def test_pages_of_the_simulator(self):
        self.compare_simulator("--gpus", 2, "--idle-gpus", 1, least={"/metrics": 15, "/dcgm/metrics": 30})

    def test_names_that_need_escaping(self):
        self.compare_simulator("--model", 'a "quoted" \\ n, {x}=1 # \u00e9',
                               least={"/metrics": 15, "/dcgm/metrics": 10})

    def test_pages_with_missing_families(self):
        self.compare_simulator("--fault", "no_power", "--fault", "no_counter",
                               least={"/metrics": 15, "/dcgm/metrics": 6})

    def test_the_parser_s_corpus(self):
        for file in sorted(CORPUS.iterdir()):
            with self.subTest(page=file.name):
                self.compare(file.name, file.read_bytes())


if __name__ == "__main__":
    environment.main(__file__, PINS, tokenjoule="the program", read_metrics="our reader")
