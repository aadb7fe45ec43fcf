"""Run files written by hand give the figures that were worked out beside them."""
import json
import unittest

from support import SOURCE, tokenjoule

RUNS = SOURCE / "tests" / "runs"


def at(document, pointer):
    """The value that a JSON pointer names."""
    for key in pointer.split("/")[1:]:
        document = document[int(key)] if isinstance(document, list) else document[key]
    return document


class KnownAnswers(unittest.TestCase):
    def test_hand_written_runs(self):
        expected = json.loads((RUNS / "expected.json").read_text())
        self.assertGreaterEqual(len(expected), 12)
        for name, figures in expected.items():
            done = tokenjoule("analyze", RUNS / name, "--format", "json")
            self.assertIn(done.returncode, (0, 4), done.stderr)
            result = json.loads(done.stdout)
            for path, value in figures.items():
                with self.subTest(run=name, figure=path):
                    found = at(result, path)
                    if isinstance(value, (int, float)) and not isinstance(value, bool):
                        self.assertIsNotNone(found)
                        self.assertAlmostEqual(found, value, delta=1e-9 * max(1, abs(value)))
                    else:
                        self.assertEqual(found, value)

    def test_the_same_run_as_other_tools_count_it(self):
        # tests/runs/speculative_stream.jsonl says how these come about.
        expected = {
            "vllm": {"TTFT": 0.050, "TPOT": 1.285 / 127, "ITL": (16 * 0.080 + 0.005) / 17, "E2EL": 1.335,
                     "Output token throughput": 128 / 1.335},
            "aiperf": {"Time to First Token": 0.130, "Inter Token Latency": 1.2 / 127, "Inter Chunk Latency": 0.080,
                       "Request Latency": 1.330, "Output Token Throughput Per User": 127 / 1.2},
            "sglang": {"TTFT": 0.130, "TPOT": 1.3 / 127, "ITL": 0.080, "E2E Latency": 1.430, "Concurrency": 1}}
        for tool, figures in expected.items():
            done = tokenjoule("analyze", RUNS / "speculative_stream.jsonl", "--format", "json", "--definitions", tool)
            result = json.loads(done.stdout)
            self.assertAlmostEqual(1000 * result["figures"]["tpot_seconds"]["mean"], 9.449, delta=0.0005)
            view = result["counted_as"]
            self.assertEqual(view["tool"], tool)
            found = {metric["name"]: metric["mean"] if "mean" in metric else metric["value"] for metric in view["metrics"]}
            for name, value in figures.items():
                with self.subTest(tool=tool, metric=name):
                    self.assertAlmostEqual(found[name], value, delta=1e-9 * max(1, value))
        done = tokenjoule("analyze", RUNS / "speculative_stream.jsonl", "--definitions", "vlm")
        self.assertEqual(done.returncode, 2)
        self.assertIn("vllm", done.stderr)

    def test_every_format_is_printed(self):
        name = next(iter(json.loads((RUNS / "expected.json").read_text())))
        for form in ("table", "markdown", "csv", "json"):
            done = tokenjoule("analyze", RUNS / name, "--format", form)
            self.assertTrue(done.stdout, form)


if __name__ == "__main__":
    unittest.main()
