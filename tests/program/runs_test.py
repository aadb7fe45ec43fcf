"""Runs that go wrong on the way: what was measured is saved, and never a wrong number."""
import json
import os
import signal
import subprocess
import sys
import time
import unittest

from support import (PROGRAM, assert_killed_can_be_judged, codes_of, events_of, new_folder, result_of, simulator, tokenjoule,
                     wait_for)

TIMES = ("--idle", "2", "--warmup", "2", "--input-len", "64", "--output-len", "32")
SHORT = (*TIMES, "-c", "8")


def measure(engine, out, *arguments, seconds=6):
    return tokenjoule("measure", "--url", engine.url, "--sensor", engine.sensor, "--all-gpus", "--out", out, *SHORT,
                      "--duration", seconds, *arguments)


def measure_in_background(engine, out, *arguments):
    return subprocess.Popen([PROGRAM, "measure", "--url", engine.url, "--sensor", engine.sensor, "--all-gpus", "--out", out,
                             *SHORT, "--duration", "30", *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


class Runs(unittest.TestCase):
    def test_a_good_run_leaves_four_files_that_agree(self):
        with simulator("--gpus", "2") as engine, new_folder() as out:
            done = measure(engine, out)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("SIMULATED", done.stdout)
            self.assertEqual({path.name for path in out.iterdir()}, {"run.jsonl", "result.json", "result.csv", "report.md"})
            again = tokenjoule("analyze", out, "--format", "json")
            self.assertEqual(again.stdout.encode(), (out / "result.json").read_bytes())
            result = result_of(out)
            self.assertTrue(result["simulated"])
            self.assertEqual(result["requests"]["failed"], 0)
            self.assertEqual(len(result["energy"][0]["devices"]), 2)
            self.assertIsNotNone(result["idle"]["watts"])

    def test_several_points_give_one_table(self):
        with simulator() as engine, new_folder() as out:
            done = tokenjoule("measure", "--url", engine.url, "--sensor", engine.sensor, "--all-gpus", "--out", out, *TIMES,
                              "--duration", "3", "-c", "1,4", "--prompt-nonce", "n", "--label", b"\xff")
            self.assertEqual(done.returncode, 0, done.stderr)
            # Each point has prompts of its own, or the second would find the first one's in a cache.
            self.assertEqual([result_of(out / f"c{c}")["load"]["prompt_nonce"] for c in (1, 4)], ["n-c1", "n-c4"])
            rows = (out / "result.csv").read_text().splitlines()
            self.assertEqual(len(rows), 3)
            self.assertEqual([result_of(out / f"c{c}")["load"]["concurrency"] for c in (1, 4)], [1, 4])

    def test_so_many_requests(self):
        with simulator() as engine, new_folder() as out:
            done = tokenjoule("measure", "--url", engine.url, "--sensor", engine.sensor, "--all-gpus", "--out", out, *SHORT,
                              "--num-requests", "100")
            self.assertEqual(done.returncode, 0, done.stderr)
            events = events_of(out)
            end = next(line["at_ns"] for line in events if line["event"] == "mark" and line["phase"] == "cooldown")
            measured = [line for line in events if line["event"] == "request" and not line["warmup"]]
            # The load goes on behind the window, so that its end is under load too.
            self.assertEqual(len([line for line in measured if line["sent_ns"] <= end]), 100)
            self.assertGreater(len(measured), 100)

    def test_check_measures_nothing(self):
        with simulator("--gpus", "2") as engine, new_folder() as out:
            done = measure(engine, out, "--check")
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("Nothing was measured", done.stdout)
            self.assertFalse(out.exists())

    def test_kill_leaves_a_record_that_is_called_interrupted(self):
        with simulator() as engine, new_folder() as out:
            running = measure_in_background(engine, out)
            wait_for(out, '"phase":"measure"')
            assert_killed_can_be_judged(self, running, out)

    def test_control_c_saves_and_reports(self):
        with simulator() as engine, new_folder() as out:
            running = measure_in_background(engine, out)
            wait_for(out, '"phase":"measure"')
            time.sleep(3)
            running.send_signal(signal.SIGINT)
            stdout, stderr = running.communicate(timeout=60)
            self.assertEqual(running.returncode, 130, stderr)
            self.assertTrue(stdout)
            self.assertGreater(result_of(out)["tokens"]["output"], 0)
            self.assertIn("interrupted", codes_of(result_of(out)))

    def test_control_c_twice_ends_at_once_with_a_record_that_can_be_read(self):
        with simulator() as engine, new_folder() as out:
            running = measure_in_background(engine, out)
            wait_for(out, '"phase":"measure"')
            time.sleep(2)
            running.send_signal(signal.SIGSTOP)  # both signals are there before it does anything
            running.send_signal(signal.SIGINT)
            running.send_signal(signal.SIGTERM)
            running.send_signal(signal.SIGCONT)
            _, stderr = running.communicate(timeout=5)
            self.assertEqual(running.returncode, 130, stderr)
            self.assertFalse((out / "result.json").exists())
            done = tokenjoule("analyze", out, "--format", "json")
            self.assertIn(done.returncode, (0, 4), done.stderr)
            self.assertIn("interrupted", codes_of(json.loads(done.stdout)))

    def test_a_client_that_gets_too_little_of_its_cpu_is_called_limited(self):
        cpu = min(os.sched_getaffinity(0))
        others = [subprocess.Popen([sys.executable, "-c", "while True: pass"], preexec_fn=lambda: os.sched_setaffinity(0, {cpu}))
                  for _ in range(4)]
        try:
            with simulator("--tokens-per-second", "400") as engine, new_folder() as out:
                done = tokenjoule("measure", "--url", engine.url, "--sensor", engine.sensor, "--all-gpus", "--out", out, *SHORT[:-2],
                                  "-c", "256", "--duration", "4", "--strict",
                                  preexec_fn=lambda: os.sched_setaffinity(0, {cpu}))
                self.assertEqual(done.returncode, 4, done.stderr)
                self.assertIn("client_limited", codes_of(result_of(out)))
                self.assertTrue(result_of(out)["client"]["limited"])
                self.assertIn("client_limited", done.stdout)
        finally:
            for other in others:
                other.kill()
                other.wait()

    def test_a_gpu_lost_in_mid_run_is_no_result(self):
        with simulator("--gpus", "2", "--fault", "lost:at=9,gpu=1") as engine, new_folder() as out:
            done = measure(engine, out, seconds=8)
            self.assertEqual(done.returncode, 4, done.stderr)
            result = result_of(out)
            self.assertIn("device_lost", codes_of(result))
            self.assertIsNone(result["figures"]["joules_per_output_token"]["value"])
            self.assertGreater(result["tokens"]["output"], 0)

    def test_a_reset_counter_never_gives_a_wrong_number(self):
        with simulator("--fault", "counter_reset:at=8") as engine, new_folder() as out:
            done = measure(engine, out, seconds=8)
            result = result_of(out)
            self.assertIn("counter_backward", codes_of(result), done.stderr)
            truth = engine.truth(result["window"]["start_unix_s"], result["window"]["end_unix_s"])
            found = result["figures"]["joules_per_output_token"]["value"]
            if found is not None:
                right = truth["joules"]["total"] / truth["output_tokens"]
                self.assertAlmostEqual(found / right, 1, delta=0.05)

    def test_an_engine_that_dies_is_noticed(self):
        with simulator() as engine, new_folder() as out:
            running = measure_in_background(engine, out)
            wait_for(out, '"phase":"measure"')
            engine.process.kill()
            _, stderr = running.communicate(timeout=90)
            self.assertEqual(running.returncode, 4, stderr)
            self.assertTrue((out / "result.json").exists())

    def test_failures_are_counted_and_named(self):
        with simulator("--fault", "http_500:every=10") as engine, new_folder() as out:
            done = measure(engine, out)
            result = result_of(out)
            self.assertGreater(result["requests"]["failed"], 0, done.stderr)
            self.assertIn("failures", codes_of(result))

    def test_secrets_are_nowhere_in_the_files(self):
        with simulator() as engine, new_folder() as out:
            done = measure(engine, out, "--api-key", "hush-hush", "-H", "X-Key: hush-hush", "--extra-body",
                           '{"user": "hush-hush"}', seconds=2)
            self.assertEqual(done.returncode, 0, done.stderr)
            for path in out.iterdir():
                self.assertNotIn("hush-hush", path.read_text(), path.name)
            self.assertNotIn("hush-hush", done.stdout + done.stderr)


if __name__ == "__main__":
    unittest.main()
