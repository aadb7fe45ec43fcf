"""The client of `vllm bench serve` (PyPI's vllm, its client files alone), the openai client and tokenjoule put
load on the same simulator: each one's tokens equal the simulator's truth and counter, and all agree.

Usage: vllm_bench_test.py TOKENJOULE
Needs these packages, which it keeps in the user's cache; exits 77 with a reason where that cannot be done.
"""
import concurrent.futures
import contextlib
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time
import unittest

import environment

VLLM = "0.33.0"
PINS = ["aiohttp==3.14.5", "numpy==2.4.6", "openai==3.57.0", "pybase64==1.5.1", "regex==2026.11.19", "tqdm==4.70.1"]
MODEL = "simulated-model"
CLIENT = pathlib.Path(__file__).resolve().with_name("vllm_bench_client.py")
REQUESTS, STREAMS, INPUT, OUTPUT = 50, 8, 64, 32


class Engine:
    """A simulator; counts the tokens of a span of time by its counter and by its truth."""

    def __init__(self, simulator):
        self.simulator = simulator
        self.url = simulator.url

    def totals(self):
        from support import counters
        counted = counters(self.simulator.get("/metrics"))
        return [counted[f"vllm:{name}_total"] for name in ("generation_tokens", "prompt_tokens", "request_success")]

    def counted(self, load):
        """What the load gives; output tokens, prompt tokens and requests by the counters while it ran."""
        before, start = self.totals(), time.time()
        result = load()
        after, truth = self.totals(), self.simulator.truth(start, time.time())
        output, prompt, requests = (late - early for early, late in zip(before, after))
        if (output, prompt) != (truth["output_tokens"], truth["prompt_tokens"]):
            raise AssertionError(f"the counters gave {output}, {prompt}, the truth is {truth}")
        return result, (output, prompt, requests)


@contextlib.contextmanager
def engine(*arguments):
    from support import simulator
    with simulator("--seed", 3, *arguments) as running:
        yield Engine(running)


def vllm_bench(url, backend, *options):
    endpoint = "/v1/chat/completions" if backend == "openai-chat" else "/v1/completions"
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(
            [sys.executable, CLIENT, os.environ["VLLM_SOURCES"], "--backend", backend, "--endpoint", endpoint,
             "--base-url", url, "--model", MODEL, "--dataset-name", "random", "--random-input-len", str(INPUT),
             "--random-output-len", str(OUTPUT), "--num-prompts", str(REQUESTS), "--max-concurrency", str(STREAMS),
             "--ignore-eos", "--save-result", "--result-dir", folder, "--result-filename", "result.json",
             "--disable-tqdm", "--ready-check-timeout-sec", "0", *options],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=120)
        if done.returncode != 0:
            raise AssertionError(done.stdout[-3000:])
        return json.loads((pathlib.Path(folder) / "result.json").read_text())


def openai_total(url):
    """Output tokens of as many requests by the openai client, in as many streams."""
    import openai
    client = openai.OpenAI(base_url=url + "/v1", api_key="none", max_retries=0)

    def one(number):
        chunks = client.completions.create(model=MODEL, prompt=[number + 1] * INPUT, max_tokens=OUTPUT, stream=True,
                                           stream_options={"include_usage": True}, extra_body={"ignore_eos": True})
        return sum(chunk.usage.completion_tokens for chunk in chunks if chunk.usage)

    with client, concurrent.futures.ThreadPoolExecutor(STREAMS) as pool:
        return sum(pool.map(one, range(REQUESTS)))


def measured(running, *options):
    """A run of tokenjoule: its events and its result."""
    from support import events_of, new_folder, result_of, tokenjoule
    with new_folder() as out:
        done = tokenjoule("measure", "--url", running.url, "--sensor", running.simulator.sensor, "--all-gpus",
                          "--out", out, "--idle", 1, "--warmup", 1, "--cooldown", 1, "-c", STREAMS, "--input-len", INPUT,
                          "--output-len", OUTPUT, "--num-requests", REQUESTS, *options)
        if done.returncode != 0:
            raise AssertionError(done.stderr)
        return events_of(out), result_of(out)


class SameTokens(unittest.TestCase):
    def check_vllm(self, backend, *options, simulated=()):
        with engine(*simulated) as running:
            result, (output, prompt, requests) = running.counted(lambda: vllm_bench(running.url, backend, *options))
        self.assertEqual((result["completed"], result["failed"], requests), (REQUESTS, 0, REQUESTS))
        self.assertEqual(result["total_output_tokens"], output)
        self.assertEqual(result["total_input_tokens"], prompt)
        return output

    def test_vllm_completions(self):
        self.assertEqual(self.check_vllm("vllm"), REQUESTS * OUTPUT)

    def test_vllm_openai_completions_of_several_lengths(self):
        self.check_vllm("openai", "--random-range-ratio", "0.5")

    def test_vllm_chat_of_several_lengths(self):
        self.check_vllm("openai-chat", "--random-range-ratio", "0.5")

    def test_vllm_with_several_tokens_in_an_event(self):
        self.assertEqual(self.check_vllm("vllm", simulated=("--tokens-per-event", 3)), REQUESTS * OUTPUT)

    def test_tokenjoule_counts_what_the_engine_counts(self):
        for options in (("--range-ratio", 0.5), ("--endpoint", "chat")):
            with self.subTest(options=options), engine() as running:
                (events, result), (output, _, requests) = running.counted(lambda: measured(running, *options))
                sent = [event for event in events if event["event"] == "request"]
                tokens = sum(event["output_tokens"] for event in sent)
                self.assertEqual(result["tokens"]["client_output_run"], tokens)
                self.assertEqual(result["tokens"]["engine_counter_output_run"], tokens)
                # Before the load it asks a short question, to see what the engine takes.
                asked = next(event for event in events if event["event"] == "counters")["values"]
                self.assertEqual((output - tokens, requests - len(sent)),
                                 (asked["output_tokens"], asked["requests_finished"]))

    def test_the_three_clients_agree(self):
        with engine() as running:
            vllm, vllm_counted = running.counted(lambda: vllm_bench(running.url, "vllm"))
            openai, openai_counted = running.counted(lambda: openai_total(running.url))
            (events, _), _ = running.counted(lambda: measured(running))
        end = next(event["at_ns"] for event in events if event["event"] == "mark" and event["phase"] == "cooldown")
        window = [event for event in events
                  if event["event"] == "request" and not event["warmup"] and event["sent_ns"] <= end]
        ours = (*(sum(event[key] for event in window) for key in ("output_tokens", "prompt_tokens")), len(window))
        expected = (REQUESTS * OUTPUT, REQUESTS * INPUT, REQUESTS)
        self.assertEqual((vllm["total_output_tokens"], vllm["total_input_tokens"], vllm["completed"]), expected)
        self.assertEqual(openai, REQUESTS * OUTPUT)
        self.assertEqual(ours, expected)
        self.assertEqual((vllm_counted, openai_counted), (expected, expected))


if __name__ == "__main__":
    environment.main(__file__, PINS, [("vllm_sources", lambda: environment.vllm_benchmarks(VLLM))],
                     tokenjoule="the program")
