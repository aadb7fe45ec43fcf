"""Known joules in, the same joules per token out: four of the runs of bench/truth, in real time."""
import pathlib
import sys
import unittest

import support

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "bench" / "truth"))
import truth  # noqa: E402


class Truth(unittest.TestCase):
    def test_joules_per_token_within_one_percent(self):
        for streams in (1, 8, 64, 256):
            with self.subTest(streams=streams):
                run = truth.measure_once(support, seed=streams, streams=streams, seconds=12)
                self.assertLess(abs(truth.error_of(run)), truth.ALLOWED)
                # One engine step per edge: each gives every stream at most one token.
                off = run["result"]["tokens"]["output"] - run["truth"]["output_tokens"]
                self.assertLessEqual(abs(off), 2 * streams)
                # The negative control: the same record with its readings at another time fails the same test.
                right = run["truth"]["joules"]["total"] / run["truth"]["output_tokens"]
                self.assertGreater(abs(run["shifted"] / right - 1), truth.ALLOWED)

    def test_the_same_through_nvml(self):
        for streams in (8, 256):
            with self.subTest(streams=streams):
                run = truth.measure_once(support, seed=streams, streams=streams, seconds=12, nvml=True)
                self.assertLess(abs(truth.error_of(run)), truth.ALLOWED)
                self.assertTrue(all(instrument["id"].startswith("nvml:") for instrument in run["result"]["instruments"]))
                self.assertIn("nvmlDeviceGetFieldValues(83)", {line["field"] for line in run["result"]["instruments"]})

    def test_events_counted_as_tokens_would_fail(self):
        run = truth.measure_once(support, 5, 8, 6, simulate=("--tokens-per-event", 4))
        self.assertLess(abs(truth.error_of(run)), truth.ALLOWED)
        self.assertLess(run["result"]["tokens"]["text_events_run"], run["client_tokens"] * (1 - truth.ALLOWED))

    def test_the_idle_power_of_an_unused_gpu_would_fail(self):
        run = truth.measure_once(support, 6, 8, 6, simulate=("--idle-gpus", 1))
        self.assertGreater(truth.error_of(run), truth.ALLOWED)
        self.assertIn("gpu_not_loaded", support.codes_of(run["result"]))

    def test_a_gpu_left_out_would_fail(self):
        run = truth.measure_once(support, 7, 8, 6, measure=("--gpus", "0"))
        self.assertLess(truth.error_of(run), -truth.ALLOWED)


if __name__ == "__main__":
    unittest.main()
