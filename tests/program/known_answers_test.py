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

    def test_every_format_is_printed(self):
        name = next(iter(json.loads((RUNS / "expected.json").read_text())))
        for form in ("table", "markdown", "csv", "json"):
            done = tokenjoule("analyze", RUNS / name, "--format", form)
            self.assertTrue(done.stdout, form)


if __name__ == "__main__":
    unittest.main()
