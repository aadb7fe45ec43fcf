"""tokenjoule record: meters while others drive the load."""
import http.server
import json
import os
import pathlib
import shlex
import signal
import subprocess
import tempfile
import threading
import time
import unittest

from support import (PROGRAM, assert_killed_can_be_judged, codes_of, events_of, new_folder, result_of, simulator, tokenjoule,
                     wait_for)

LINE = '{"signal": "power", "device": "meter-1", "boundary": "node_ac", "watts": 200}'
# 200 W, said ten times a second.
STEADY = f"exec:command=while echo {shlex.quote(LINE)}; do sleep 0.1; done"


def record(out, *arguments, sensor=STEADY, **options):
    return tokenjoule("record", "--sensor", sensor, "--out", out, *arguments, **options)


def record_in_background(out, *arguments, sensor=STEADY):
    return subprocess.Popen([PROGRAM, "record", "--sensor", sensor, "--out", out, *arguments], stdin=subprocess.DEVNULL,
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


class EnginePages:
    """A page as vLLM writes it, on which each GET finds four more requests."""

    def __init__(self):
        self.finished = 0
        pages = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                body = pages.body(self.path).encode()
                self.send_response(200 if body else 404)
                self.send_header("Content-Type", "text/plain; version=0.0.4")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.url = f"http://127.0.0.1:{self.server.server_port}/metrics"

    def body(self, path):
        if path != "/metrics":
            return ""
        self.finished += 4  # a quarter of them aborted; prompts of 100 and 300 tokens, answers of 10
        n, model = self.finished, 'engine="0",model_name="m"'
        rows = [f'vllm:generation_tokens_total{{{model}}} {10 * n}', f'vllm:prompt_tokens_total{{{model}}} {200 * n}',
                f'vllm:request_success_total{{{model},finished_reason="stop"}} {3 * n // 4}',
                f'vllm:request_success_total{{{model},finished_reason="abort"}} {n // 4}',
                f'vllm:num_requests_running{{{model}}} 2', 'process_start_time_seconds 1000']
        for name, edges, total in (("prompt", ((50, 0), (200, 3 * n // 4), (500, n)), 200 * n),
                                   ("generation", ((5, 0), (20, n)), 10 * n)):
            for edge, count in (*edges, ("+Inf", n)):
                rows.append(f'vllm:request_{name}_tokens_bucket{{{model},le="{edge}"}} {count}')
            rows += [f'vllm:request_{name}_tokens_sum{{{model}}} {total}', f'vllm:request_{name}_tokens_count{{{model}}} {n}']
        return "\n".join(rows) + "\n"

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()


class Record(unittest.TestCase):
    def test_around_a_command_the_energy_is_power_times_its_run(self):
        with new_folder() as out:
            before = time.monotonic()
            done = record(out, "--label", "a nap", "--", "sleep", "3")
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertLess(time.monotonic() - before, 30)
            self.assertEqual(done.stdout, "")  # that is the command's
            result = result_of(out)
            length = result["window"]["duration_s"]
            self.assertGreaterEqual(length, 3)
            self.assertLess(length, 4)
            energy = result["energy"][0]
            self.assertEqual(energy["boundary"], "node_ac")
            self.assertAlmostEqual(energy["joules"] / (200 * length), 1, places=9)
            self.assertIn("the command sleep", done.stderr)
            self.assertIn("node, at its AC inlets", done.stderr)
            # No token source: the figures are null, and that alone spoils nothing.
            figure = result["figures"]["joules_per_output_token"]
            self.assertIsNone(figure["value"])
            self.assertTrue(figure["reason"])
            self.assertIn("window_too_short", codes_of(result))
            self.assertNotIn("no_tokens", codes_of(result))
            marks = [line["phase"] for line in events_of(out) if line["event"] == "mark"]
            self.assertEqual(marks, ["warmup", "measure", "cooldown", "end"])
            again = tokenjoule("analyze", out, "--format", "json")
            self.assertEqual(again.stdout.encode(), (out / "result.json").read_bytes())

    def test_the_exit_code_of_the_command_is_ours(self):
        for command, code in ((("false",), 1), (("sh", "-c", "exit 41"), 41), (("sh", "-c", "kill -TERM $$"), 143)):
            with new_folder() as out:
                done = record(out, "--", *command)
                self.assertEqual(done.returncode, code, done.stderr)
                self.assertTrue((out / "result.json").exists())

    def test_standard_input_and_output_are_the_commands(self):
        with new_folder() as out:
            done = record(out, "--", "sh", "-c", "cat; echo --help >&2", "--help", input="through\n")
            self.assertEqual((done.returncode, done.stdout), (0, "through\n"), done.stderr)
            self.assertIn("--help\n", done.stderr)

    def test_arguments_of_the_command_are_not_kept(self):
        with new_folder() as out:
            record(out, "--", "true", "--api-key", "hush-hush")
            for path in out.iterdir():
                self.assertNotIn("hush-hush", path.read_text(), path.name)

    def test_a_signal_is_sent_on_to_the_command(self):
        with new_folder() as out:
            ready = pathlib.Path(out.parent) / "ready"
            running = record_in_background(out, "--", "sh", "-c", f"trap 'echo got it; exit 9' TERM; touch {ready}; "
                                           "while :; do sleep 0.05; done")
            wait_for(out, '"phase":"measure"')
            while not ready.exists():
                time.sleep(0.05)
            running.send_signal(signal.SIGTERM)
            stdout, stderr = running.communicate(timeout=60)
            self.assertEqual((running.returncode, stdout), (9, "got it\n"), stderr)
            self.assertNotIn("interrupted", codes_of(result_of(out)))

    def test_control_c_is_the_planned_end_of_a_window_without_one(self):
        with new_folder() as out:
            running = record_in_background(out)
            wait_for(out, '"phase":"measure"')
            time.sleep(2)
            running.send_signal(signal.SIGINT)
            stdout, stderr = running.communicate(timeout=60)
            self.assertIn(running.returncode, (0, 4), stderr)  # 4: a busy machine left gaps in its readings
            self.assertIn("verdict", stdout)
            result = result_of(out)
            self.assertNotIn("interrupted", codes_of(result))
            self.assertFalse(result["interrupted"])
            self.assertAlmostEqual(result["energy"][0]["joules"] / (200 * result["window"]["duration_s"]), 1, places=9)

    def test_control_c_before_the_planned_end_is_an_interruption_that_is_saved(self):
        with new_folder() as out:
            running = record_in_background(out, "--duration", "300")
            wait_for(out, '"phase":"measure"')
            time.sleep(1)
            running.send_signal(signal.SIGINT)
            _, stderr = running.communicate(timeout=60)
            self.assertEqual(running.returncode, 130, stderr)
            self.assertIn("interrupted", codes_of(result_of(out)))
            self.assertIsNotNone(result_of(out)["energy"][0]["joules"])

    def test_a_time_that_was_given(self):
        with new_folder() as out:
            done = record(out, "--duration", "2", "--idle", "2", "--format", "json")
            self.assertIn(done.returncode, (0, 4), done.stderr)
            result = json.loads(done.stdout)
            self.assertEqual(result["window"]["duration_s"], 2)
            self.assertAlmostEqual(result["energy"][0]["joules"], 400, places=6)
            self.assertAlmostEqual(result["idle"]["watts"], 200)
            self.assertEqual(result["idle"]["state"], "as_found")

    def test_kill_leaves_a_record_that_can_be_judged(self):
        with new_folder() as out:
            running = record_in_background(out)
            wait_for(out, '"phase":"measure"')
            assert_killed_can_be_judged(self, running, out)

    def test_the_engines_own_counters_make_it_energy_per_token(self):
        with EnginePages() as engine, new_folder() as out:
            done = record(out, "--server-metrics", engine.url, "--duration", "4")
            self.assertIn(done.returncode, (0, 4), done.stderr)
            result = result_of(out)
            self.assertEqual(result["engine"]["kind"], "vllm")
            self.assertEqual(result["tokens"]["source"], "engine_counter")
            output = result["tokens"]["output"]
            self.assertGreater(output, 0)
            if done.returncode == 0:
                self.assertAlmostEqual(result["figures"]["joules_per_output_token"]["value"], 800 / output)
            requests = result["engine"]["requests"]
            # Ten tokens a request; a quarter of them is aborted.
            self.assertAlmostEqual(requests["finished"], output / 10, delta=1)
            self.assertAlmostEqual(requests["by_reason"]["abort"] / requests["finished"], 0.25, delta=0.1)
            self.assertAlmostEqual(requests["completed"], requests["by_reason"]["stop"])
            self.assertAlmostEqual(requests["prompt_tokens"]["mean"], 200, delta=1e-6)
            # Three of four prompts lie in (50, 200], the others in (200, 500]: p90 = 200 + 300 x (0.9 - 0.75) / 0.25.
            self.assertEqual(requests["prompt_tokens"]["p50"]["bucket"], [50, 200])
            self.assertEqual(requests["prompt_tokens"]["p90"]["bucket"], [200, 500])
            self.assertAlmostEqual(requests["prompt_tokens"]["p90"]["value"], 380, delta=1e-6)
            self.assertEqual(requests["output_tokens"]["p50"]["bucket"], [5, 20])
            query = result["figures"]["watt_hours_per_query"]
            if done.returncode == 0:
                self.assertAlmostEqual(query["value"], 800 / 3600 / requests["completed"])
            self.assertEqual(query["denominator"], "engine.requests.completed")
            again = tokenjoule("analyze", out, "--format", "json")
            self.assertEqual(again.stdout.encode(), (out / "result.json").read_bytes())

    def test_an_engine_that_makes_no_token_is_no_result(self):
        with simulator() as engine, new_folder() as out:
            done = tokenjoule("record", "--sensor", engine.sensor, "--all-gpus", "--out", out, "--duration", "2",
                              "--server-metrics", engine.url + "/metrics")
            self.assertEqual(done.returncode, 4, done.stderr)
            self.assertIn("no_tokens", codes_of(result_of(out)))
            self.assertTrue(result_of(out)["simulated"])

    def test_check_records_nothing(self):
        with new_folder() as out:
            done = record(out, "--check", "--", "touch", str(out))
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("from start to end of the command", done.stdout)
            self.assertFalse(out.exists())


class RecordErrors(unittest.TestCase):
    def fails(self, code, words, *arguments):
        with new_folder() as out:
            done = tokenjoule("record", "--out", out, *arguments)
            self.assertEqual((done.returncode, done.stdout), (code, ""), done.stderr)
            lines = done.stderr.splitlines()
            self.assertEqual(len(lines), 1, done.stderr)
            for word in ("tokenjoule: ", "; ", *words):
                self.assertIn(word, lines[0])
            self.assertFalse(out.exists())

    def test_what_cannot_be(self):
        self.fails(2, ["sleep", "-- COMMAND"], "--sensor", STEADY, "sleep")
        self.fails(2, ["--duration"], "--sensor", STEADY, "--duration", "5", "--", "sleep", "1")
        self.fails(2, ["--server-metrics"], "--sensor", STEADY, "--dialect", "vllm")
        self.fails(3, ["no-such-program-here"], "--sensor", STEADY, "--", "no-such-program-here")
        self.fails(3, ["connection refused"], "--sensor", STEADY, "--server-metrics", "http://127.0.0.1:1/metrics")


if __name__ == "__main__":
    unittest.main()
