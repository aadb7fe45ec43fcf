"""The client's own ceiling: every event arrives, every promised figure is there, refusals are one clear line."""
import json
import unittest

from support import tokenjoule

POINT = {"streams", "rate_per_stream", "events_per_s", "loop_cpu_us_per_event", "bare_loop_cpu_us_per_event", "stamp_delay_us",
         "itl_error_us", "lost", "memory_mb"}


class SelfTest(unittest.TestCase):
    def test_json_has_every_figure_and_no_event_is_lost(self):
        done = tokenjoule("selftest", "--streams", "8,64", "--rate", 20, "--seconds", 0.5, "--format", "json")
        self.assertEqual(done.returncode, 0, done.stderr)
        result = json.loads(done.stdout)
        self.assertEqual([(point["streams"], point["lost"]) for point in result["points"]], [(8, 0), (64, 0)])
        for point in result["points"]:
            self.assertLessEqual(POINT, set(point))
            self.assertLessEqual({"p50", "p99"}, set(point["stamp_delay_us"]))
            self.assertLessEqual({"p50", "p99"}, set(point["itl_error_us"]))
        self.assertGreater(result["decoded_events_per_s"], 0)
        self.assertGreater(result["unpaced_events_per_s"], result["decoded_events_per_s"])
        self.assertIn("loopback", result["network"])

    def test_stalls_make_the_client_limited(self):
        done = tokenjoule("selftest", "--streams", 64, "--rate", 50, "--seconds", 1, "--stall", "20ms/200ms", "--format", "json")
        limited = json.loads(done.stdout)["points"][0]["client_limited"]
        self.assertTrue(limited["limited"])
        self.assertIn("late", limited["reason"])
        self.assertIn("client_limited", done.stderr)

    def test_refusals_are_one_line_with_what_to_do(self):
        for code, arguments, word in ((2, ("--streams", "0"), "--streams"), (2, ("--stall", "5ms"), "TIME/PERIOD"),
                                      (2, ("--seconds", "0.1"), "--seconds"), (3, ("--streams", "100000"), "fewer --streams")):
            done = tokenjoule("selftest", *arguments)
            self.assertEqual(done.returncode, code, done.stderr)
            self.assertEqual(len(done.stderr.splitlines()), 1)
            self.assertIn(word, done.stderr)


if __name__ == "__main__":
    unittest.main()
