"""Streams and stalls of known times, from the server's socket to the figures of the command line."""
import http.server
import json
import threading
import time
import unittest

from support import events_of, new_folder, result_of, simulator, tokenjoule

QUICK = ("--idle", "0", "--warmup", "1", "--cooldown", "1", "--ui", "none")


class SpeculativeEngine(http.server.BaseHTTPRequestHandler):
    """An answer is 16 pieces of 8 tokens each, 80 ms apart; only its usage tells how many tokens that is."""

    def do_GET(self):
        body = b'{"data": [{"id": "m"}]}' if self.path == "/v1/models" else b"{}"
        self.send_response(200 if self.path == "/v1/models" else 404)
        self.send_header("Content-Type", "application/json")
        self.end_headers()
        self.wfile.write(body)

    def do_POST(self):
        self.rfile.read(int(self.headers["Content-Length"]))
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.end_headers()
        self.event({"choices": [{"index": 0, "delta": {"role": "assistant", "content": ""}}]})
        due = time.monotonic()
        for _ in range(16):
            due += 0.080
            time.sleep(max(0, due - time.monotonic()))
            self.event({"choices": [{"index": 0, "delta": {"content": "a b c d e f g h"}}]})
        self.event({"choices": [{"index": 0, "delta": {}, "finish_reason": "length"}]})
        self.event({"choices": [], "usage": {"prompt_tokens": 64, "completion_tokens": 128}})
        self.wfile.write(b"data: [DONE]\n\n")

    def event(self, data):
        self.wfile.write(b"data: " + json.dumps(data).encode() + b"\n\n")
        self.wfile.flush()

    def log_message(self, *_):
        pass


class TokenTruth(unittest.TestCase):
    def test_a_piece_of_eight_tokens_is_eight_tokens(self):
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), SpeculativeEngine)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            with simulator() as meter, new_folder() as out:
                done = tokenjoule("measure", "--url", f"http://127.0.0.1:{server.server_address[1]}", "--sensor", meter.sensor,
                                  "--all-gpus", "--out", out, *QUICK, "-c", "2", "--duration", "5", "--output-len", "128")
                self.assertIn(done.returncode, (0, 4), done.stderr)
                result = result_of(out)
                # 1200 ms / 127 = 9.449 ms, and what the server's own sleeps are late; by pieces it would be 80.
                self.assertGreater(1000 * result["figures"]["tpot_seconds"]["p50"], 8)
                self.assertLess(1000 * result["figures"]["tpot_seconds"]["p50"], 25)
                self.assertEqual(result["tokens"]["source"], "usage")
                answers = [line for line in events_of(out) if line["event"] == "request" and line["outcome"] == "completed"]
                self.assertGreater(len(answers), 4)
                for answer in answers:
                    self.assertEqual((answer["output_tokens"], answer["token_events"]), (128, 16))
        finally:
            server.shutdown()
            server.server_close()

    def test_a_server_that_stands_still_is_in_the_latency_of_all_that_was_planned_meanwhile(self):
        # Two streams at most: but for those two, what was planned in the stall is sent behind it.
        with simulator("--fault", "stall:at=6,for=1") as engine, new_folder() as out:
            done = tokenjoule("measure", "--url", engine.url, "--sensor", engine.sensor, "--all-gpus", "--out", out, *QUICK,
                              "--request-rate", "100", "--arrival", "constant", "-c", "2", "--duration", "10", "--input-len", "16",
                              "--output-len", "1")
            self.assertIn(done.returncode, (0, 4), done.stderr)
            requests = [line for line in events_of(out) if line["event"] == "request" and not line["warmup"]]
            ends = sorted(line["end_ns"] for line in requests)
            stood, goes_on = max(zip(ends, ends[1:]), key=lambda pair: pair[1] - pair[0])
            self.assertGreater(goes_on - stood, 0.8e9)
            meanwhile = [line for line in requests if stood <= line["planned_ns"] < goes_on]
            self.assertGreater(len(meanwhile), 80)
            intended = [(line["end_ns"] - line["planned_ns"]) / 1e9 for line in meanwhile]
            service = sorted((line["end_ns"] - line["sent_ns"]) / 1e9 for line in meanwhile)
            self.assertGreater(sum(intended) / len(intended), 0.4)
            # The time of its own shows it of two requests only.
            self.assertLess(service[len(service) // 2], sum(intended) / len(intended) / 2)
            # A tenth of the window's requests were planned meanwhile.
            self.assertGreater(result_of(out)["figures"]["e2e_latency_seconds"]["p95"], 0.3)


if __name__ == "__main__":
    unittest.main()
