"""Bad input: one line that says what, where and what to do next, and the documented exit code."""
import json
import pathlib
import resource
import socket
import subprocess
import tempfile
import unittest

from support import PROGRAM, SOURCE, new_folder, simulator, tokenjoule


class Errors(unittest.TestCase):
    def fails(self, code, words, *arguments, **options):
        done = tokenjoule(*arguments, **options)
        self.assertEqual(done.returncode, code, done.stderr)
        self.assertEqual(done.stdout, "")
        lines = done.stderr.splitlines()
        self.assertEqual(len(lines), 1, done.stderr)
        self.assertTrue(lines[0].startswith("tokenjoule: "), lines[0])
        self.assertIn("; ", lines[0])  # what to do next
        for word in words:
            self.assertIn(word, lines[0])

    def measure(self, code, words, *arguments, **options):
        with new_folder() as out:
            self.fails(code, words, "measure", "--out", out, *arguments, **options)
            self.assertFalse(out.exists())

    def test_refused_url(self):
        with socket.socket() as closed:
            closed.bind(("127.0.0.1", 0))  # bound, but nobody listens
            url = f"http://127.0.0.1:{closed.getsockname()[1]}"
            self.measure(3, [url, "refused"], "--url", url)

    def test_html_page_instead_of_the_api(self):
        with simulator("--fault", "html") as engine:
            self.measure(3, ["web page"], "--url", engine.url)

    def test_no_api_key(self):
        with simulator("--fault", "unauthorized") as engine:
            self.measure(3, ["401", "OPENAI_API_KEY"], "--url", engine.url)

    def test_a_model_that_is_not_served(self):
        with simulator() as engine:
            self.measure(3, ["simulated-modle", "simulated-model"], "--url", engine.url, "--model", "simulated-modle")

    def test_no_sensor_found(self):
        with simulator() as engine:
            self.measure(3, ["no sensor found", "--sensor"], "--url", engine.url)

    def test_a_sensor_whose_page_is_refused(self):
        with simulator() as engine:
            self.measure(3, ["127.0.0.1:1"], "--url", engine.url, "--sensor", "dcgm:url=http://127.0.0.1:1/metrics")

    def test_unknown_sensor(self):
        with simulator() as engine:
            self.measure(2, ["dcmg", "dcgm"], "--url", engine.url, "--sensor", "dcmg")

    def test_unknown_sensor_setting(self):
        with simulator() as engine:
            self.measure(2, ["ulr", "url"], "--url", engine.url, "--sensor", "dcgm:ulr=x")

    def test_unknown_option(self):
        self.measure(2, ["--concurency", "--concurrency"], "--url", "http://127.0.0.1:1", "--concurency", "4")

    def test_unknown_command(self):
        self.fails(2, ["mesure", "measure"], "mesure")

    def test_bad_values(self):
        for option, value in [("--duration", "soon"), ("-c", "0"), ("-c", "8,x"), ("--input-len", "0"), ("--input-len", "9-3"),
                              ("--range-ratio", "1"), ("--power-interval", "1ms"), ("--format", "yaml"), ("--url", "ftp://h"),
                              ("--extra-body", "[1]"), ("--boundary", "gpu"), ("--header", "novalue"), ("--seed", "-1"),
                              ("--expect-power-limit", "nan"), ("--prompt-nonce", ""), ("-H", "Content-Length: 5"), ("-H", "Accept-Encoding: gzip"),
                              ("-H", "Expect: 100-continue"), ("-H", "A: \x01"), ("-H", "\u00c4: b"), ("--lora", "a,b,a"), ("-c", "1,,2"), ("--engine-config", "x"), ("--num-requests", "1.5"),
                              ("--request-rate", "0.001"), ("--definitions", "vlm")]:
            with self.subTest(option=option, value=value):
                self.measure(2, [], "--url", "http://127.0.0.1:1", option, value)

    def test_two_ways_to_say_who_asks(self):
        self.measure(2, ["--api-key", "Authorization"], "--url", "http://127.0.0.1:1", "--api-key", "k",
                     "-H", "Authorization: Bearer x")

    def test_models_are_named_in_one_place(self):
        with simulator() as engine, tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "data"
            file.write_text('{"input_tokens": 5, "model": "a"}\n')
            self.measure(2, ["--lora", "model"], "--url", engine.url, "--sensor", engine.sensor, "--all-gpus", "--dataset",
                         "jsonl", "--dataset-path", file, "--lora", "b")

    def test_files_that_cannot_be_used(self):
        self.measure(3, ["--cacert", "/nonexistent"], "--url", "http://127.0.0.1:1", "--cacert", "/nonexistent")
        with simulator() as engine:
            self.measure(2, ["/dev/zero"], "--url", engine.url, "--sensor", engine.sensor, "--all-gpus",
                         "--dataset", "jsonl", "--dataset-path", "/dev/zero")

    def test_a_broken_data_set_names_the_place_and_the_form(self):
        with simulator() as engine, tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "data"
            for kind, text, words in (("jsonl", '{"prompt": "a"}\n{"prompt": 5}\n', [f"{file}:2:", "input_tokens"]),
                                      ("sharegpt", '[{"conversations": [', [str(file), "no JSON", "conversations"])):
                file.write_text(text)
                with self.subTest(kind=kind):
                    self.measure(2, words, "--url", engine.url, "--sensor", engine.sensor, "--all-gpus", "--dataset", kind,
                                 "--dataset-path", file)

    def test_extra_body_may_not_change_the_load(self):
        for name in ("prompt", "max_tokens", "stream", "ignore_eos", "model"):
            self.measure(2, [name], "--url", "http://127.0.0.1:1", "--extra-body", json.dumps({name: 1}))

    def test_a_boundary_that_no_sensor_reads(self):
        with simulator() as engine:
            self.measure(3, ["node_ac"], "--url", engine.url, "--sensor", engine.sensor, "--all-gpus", "--boundary", "node_ac",
                         "--check")

    def test_figures_that_cannot_be_printed_do_not_pass_for_printed(self):
        run = SOURCE / "tests" / "runs" / "constant_power.jsonl"
        for arguments in (["analyze", str(run), "--format", "json"], ["--help"]):
            with open("/dev/full", "w") as full:
                done = subprocess.run([PROGRAM, *arguments], stdout=full, stderr=subprocess.PIPE, text=True, timeout=60)
            self.assertEqual(done.returncode, 3, done.stderr)
            closed = subprocess.run(["/bin/sh", "-c", '"$0" "$@" >&- 2>&-', PROGRAM, *arguments], timeout=60)
            self.assertIn(closed.returncode, (0, 3))

    def test_no_url(self):
        self.measure(2, ["--url"])

    def test_gpus_that_cannot_be_told(self):
        with simulator("--gpus", "2") as engine:
            self.measure(3, ["GPU-51d0", "--gpus", "--all-gpus"], "--url", engine.url, "--sensor", engine.sensor)

    def test_a_gpu_that_is_not_there(self):
        with simulator("--gpus", "2") as engine:
            self.measure(3, ["--gpus 7"], "--url", engine.url, "--sensor", engine.sensor, "--gpus", "7")

    def test_more_streams_than_the_hard_limit_on_open_files_allows(self):
        def hard_limit():
            resource.setrlimit(resource.RLIMIT_NOFILE, (256, 256))

        # Nothing is asked of the server before that.
        self.measure(3, ["1128 open files", "256", "ulimit -n", "--concurrency"], "--url", "http://127.0.0.1:1", "-c", "4,1000",
                     preexec_fn=hard_limit)

    def test_an_output_folder_that_exists(self):
        with simulator() as engine, tempfile.TemporaryDirectory() as folder:
            kept = pathlib.Path(folder) / "result.json"
            kept.write_text("mine")
            self.fails(3, [folder, "overwritten"], "measure", "--url", engine.url, "--sensor", engine.sensor, "--all-gpus",
                       "--out", folder)
            self.assertEqual(kept.read_text(), "mine")

    def test_an_output_folder_that_cannot_be_made(self):
        with simulator() as engine, tempfile.NamedTemporaryFile() as file:
            self.fails(3, [file.name], "measure", "--url", engine.url, "--sensor", engine.sensor, "--all-gpus", "--out",
                       file.name + "/out")

    def test_files_that_are_no_run_file(self):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "x.jsonl"
            for text in ["", "hello\n", json.dumps({"event": "mark"}) + "\n", "{\"schema\": 1}\n", "\0\0\0\n"]:
                file.write_text(text)
                self.fails(3, ["x.jsonl is no run file"], "analyze", file)
        self.fails(3, ["/nowhere/run.jsonl"], "analyze", "/nowhere/run.jsonl")
        self.fails(2, ["no run file"], "analyze")

    def test_secrets_are_never_shown(self):
        done = tokenjoule("measure", "--url", "http://user:hush@127.0.0.1:1", "--api-key", "hush", "-H", "X: hush")
        self.assertEqual(done.returncode, 3)
        self.assertNotIn("hush", done.stdout + done.stderr)
