"""Engines that die, limit the rate, lead elsewhere or are too small: said in words that name it."""
import http.server
import json
import pathlib
import signal
import subprocess
import tempfile
import threading
import time
import unittest

from support import PROGRAM, events_of, new_folder, result_of, simulator, tokenjoule

MODELS = json.dumps({"data": [{"id": "m", "owned_by": "vllm"}]}).encode()


class Stand:
    """A server of few words: `answer(method, path)` gives status, headers and body."""

    def __init__(self, answer):
        self.requests = []
        stand = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def reply(self):
                self.rfile.read(int(self.headers.get("Content-Length", 0)))
                stand.requests.append((self.command, self.path))
                status, headers, body = answer(self.command, self.path)
                self.send_response(status)
                for name, value in {"Content-Length": str(len(body)), **headers}.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(body)

            do_GET = do_POST = reply

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}"

    def __enter__(self):
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()


class EngineTrouble(unittest.TestCase):
    def fails(self, code, words, *arguments):
        done = tokenjoule("measure", *arguments)
        self.assertEqual(done.returncode, code, done.stderr)
        for word in words:
            self.assertIn(word, done.stderr)
        return done

    def test_an_engine_that_dies_in_the_window_is_named(self):
        with simulator() as meter, simulator() as engine, new_folder() as out:
            def kill_in_window():
                record = pathlib.Path(out) / "run.jsonl"
                deadline = time.monotonic() + 60
                while time.monotonic() < deadline:
                    if record.exists() and '"phase":"measure"' in record.read_text():
                        break
                    time.sleep(0.05)
                engine.process.kill()

            killer = threading.Thread(target=kill_in_window)
            killer.start()
            done = tokenjoule("measure", "--url", engine.url, "--sensor", meter.sensor, "--all-gpus", "--out", out, "-c", "4",
                              "--idle", "0", "--warmup", "1", "--duration", "6", "--drain", "1", "--ui", "none")
            killer.join()
            self.assertEqual(done.returncode, 4, done.stderr)
            reasons = {reason["code"]: reason for reason in result_of(out)["verdict"]["reasons"]}
            self.assertIn("engine_lost", reasons)
            self.assertEqual(reasons["engine_lost"]["severity"], "unusable")
            self.assertIn("the engine was lost", reasons["engine_lost"]["message"])
            self.assertIn("engine_lost", done.stdout)
            self.assertNotIn("client_limited", reasons)

    def test_a_rate_limit_is_named_and_a_retry_after_heeded(self):
        def limited(method, _):
            if method == "GET":
                return 200, {}, MODELS
            return 429, {"Retry-After": "1"}, b'{"error": {"message": "slow down"}}'

        with Stand(limited) as stand:
            done = self.fails(3, ["limits the rate", "slow down", "429"], "--url", stand.url)
            self.assertEqual(done.stderr.count("asks to wait 1 s (Retry-After); waiting"), 3)
            self.assertEqual(sum(method == "POST" for method, _ in stand.requests), 4)

    def test_control_c_while_a_server_asks_to_wait_is_an_interrupt(self):
        with Stand(lambda *_: (429, {"Retry-After": "50"}, b'{"error": "slow down"}')) as stand, new_folder() as out:
            running = subprocess.Popen([PROGRAM, "measure", "--url", stand.url, "--all-gpus", "--out", out], stdout=subprocess.PIPE,
                                       stderr=subprocess.PIPE, text=True)
            first_line = running.stderr.readline()
            self.assertIn("asks to wait 50 s (Retry-After); waiting", first_line)
            running.send_signal(signal.SIGINT)
            _, stderr = running.communicate(timeout=30)
            self.assertEqual(running.returncode, 130, stderr)
            self.assertEqual(stderr, "tokenjoule: interrupted while the server asked to wait (status 429)\n")
            self.assertFalse(out.exists())

    def test_control_c_while_an_engine_is_asked_is_an_interrupt_though_it_then_fails(self):
        asked, answer = threading.Event(), threading.Event()

        def slow(method, _):
            if method == "GET":
                return 200, {}, MODELS
            asked.set()
            answer.wait(30)
            return 500, {}, b'{"error": "broken"}'

        with Stand(slow) as stand:
            running = subprocess.Popen([PROGRAM, "measure", "--url", stand.url, "--all-gpus"], stdout=subprocess.PIPE,
                                       stderr=subprocess.PIPE, text=True)
            self.assertTrue(asked.wait(30))
            running.send_signal(signal.SIGINT)
            # Pending for the whole process until the thread that waits for it takes it.
            while any(line.startswith("ShdPnd:") and int(line.split()[1], 16) & 1 << signal.SIGINT - 1
                      for line in pathlib.Path(f"/proc/{running.pid}/status").read_text().splitlines()):
                time.sleep(0.01)
            time.sleep(0.1)
            answer.set()
            _, stderr = running.communicate(timeout=30)
            self.assertEqual(running.returncode, 130, stderr)
            self.assertIn("interrupted before the load began", stderr)

    def test_a_gateway_without_its_engine_is_named(self):
        with Stand(lambda *_: (502, {"Content-Type": "text/html"}, b"<html>Bad Gateway</html>")) as stand:
            self.fails(3, ["a gateway answers", "502"], "--url", stand.url)

    def test_a_redirect_says_which_url_to_give(self):
        with Stand(lambda _, path: (308, {"Location": "https://h.example" + path}, b"")) as stand:
            self.fails(3, ["--url https://h.example"], "--url", stand.url)

    def test_the_server_that_lacks_the_model_is_named(self):
        with simulator() as first, simulator("--model", "other") as second:
            self.fails(3, [second.url + ": the engine has no model", "it serves: other"], "--url", f"{first.url},{second.url}")

    def test_a_load_that_does_not_fit_the_context_is_refused_before_the_run(self):
        with simulator("--max-model-len", "2000") as engine, new_folder() as out:
            sensor = ("--sensor", engine.sensor, "--all-gpus", "--out", out)
            self.fails(2, ["1900 prompt and 101 answer tokens", "2000"], "--url", engine.url, *sensor, "--input-len", "1900",
                       "--output-len", "101")
            self.fails(2, ["--preset inferencex-1k1k", "2000"], "--url", engine.url, *sensor, "--preset", "inferencex-1k1k")
            self.assertFalse(out.exists())
            with tempfile.TemporaryDirectory() as folder:
                data = pathlib.Path(folder) / "data.jsonl"
                data.write_text('{"input_tokens": 10, "output_tokens": 5}\n{"input_tokens": 2000, "output_tokens": 5}\n')
                done = tokenjoule("measure", "--url", engine.url, *sensor, "--dataset", "jsonl", "--dataset-path", data, "--check")
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertIn("1 of 2 requests of the data set", done.stderr)

    def test_of_several_servers_the_shortest_context_counts_and_its_url_is_named(self):
        with simulator() as first, simulator("--max-model-len", "1000") as second:
            urls = ("--url", f"{first.url},{second.url}", "--sensor", first.sensor, "--all-gpus", "--check")
            self.fails(2, [f"1024 prompt and 128 answer tokens is longer than the 1000 tokens that {second.url} takes"], *urls)
            done = tokenjoule("measure", *urls, "--input-len", "500", "-c", "2")
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn(f"{second.url} takes 1000 tokens (max_model_len), the fewest", done.stdout)

    def test_a_preset_on_an_engine_that_cannot_hold_lengths_blames_no_option(self):
        with simulator() as engine:
            done = self.fails(2, ["--preset inferencex-1k1k needs"], "--url", engine.url, "--dialect", "openai", "--sensor",
                              engine.sensor, "--all-gpus", "--preset", "inferencex-1k1k")
            self.assertNotIn("--ignore-eos", done.stderr)

    def test_what_the_client_knows_of_itself_is_in_the_result(self):
        with simulator() as engine, new_folder() as out:
            done = tokenjoule("measure", "--url", engine.url, "--sensor", engine.sensor, "--all-gpus", "--out", out, "-c", "4",
                              "--load-threads", "2", "--idle", "0", "--warmup", "1", "--duration", "3", "--ui", "none")
            self.assertIn(done.returncode, (0, 4), done.stderr)
            client = result_of(out)["client"]
            self.assertEqual(len(client["threads"]), 2)
            self.assertGreater(client["threads"][0]["cpu_share"], 0)
            self.assertGreater(client["loop_seconds"]["p99"], 0)
            self.assertGreaterEqual(client["ports"]["used"], 4)
            self.assertGreater(client["ports"]["allowed"], client["ports"]["used"])
            self.assertGreaterEqual(client["descriptors"]["allowed"], 4)
            state = [event for event in events_of(out) if event["event"] == "client"][1]
            self.assertEqual(state["connections_open"], 4)
            opened = [event for event in events_of(out) if event["event"] == "request" and "connecting_ns" in event]
            self.assertEqual(len(opened), 4)


if __name__ == "__main__":
    assert PROGRAM
    unittest.main()
