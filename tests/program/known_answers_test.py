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
        # Two answers of 24 tokens in 2 s behind the first event, one of 16 in 3 s.
        per_token = {}
        for tool, name in (("vllm", "TPOT"), ("aiperf", "Inter Token Latency"), ("sglang", "TPOT")):
            done = tokenjoule("analyze", RUNS / "several_tokens_per_event.jsonl", "--format", "json", "--definitions", tool)
            view = json.loads(done.stdout)["counted_as"]
            self.assertEqual(view["tool"], tool)
            per_token[tool] = next(metric["mean"] for metric in view["metrics"] if metric["name"] == name)
        self.assertAlmostEqual(per_token["aiperf"], (2 / 23 + 2 / 23 + 3 / 15) / 3, delta=1e-9)
        done = tokenjoule("analyze", RUNS / "several_tokens_per_event.jsonl", "--definitions", "vlm")
        self.assertEqual(done.returncode, 2)
        self.assertIn("vllm", done.stderr)

    def test_every_format_is_printed(self):
        name = next(iter(json.loads((RUNS / "expected.json").read_text())))
        for form in ("table", "markdown", "csv", "json"):
            done = tokenjoule("analyze", RUNS / name, "--format", form)
            self.assertTrue(done.stdout, form)


if __name__ == "__main__":
    unittest.main()
