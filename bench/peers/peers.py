#!/usr/bin/env python3
"""Puts the clients of others and ours on the emitter of `tokenjoule selftest`, and prints one Markdown table.

vLLM's `vllm bench serve` (its client files alone), AIPerf and GuideLLM come from PyPI into environments in the user's
cache (1.8 GB), without torch. Each runs pinned to one core with one worker, and with the workers that it takes by
itself on all cores but the emitter's. What cannot be had, or fails, is a row with the reason.
Usage: bench/peers/peers.py PATH_TO_PEER_SERVER [--streams 256,1024] [--rate 20,50] [--seconds 5] [--rounds 5]
       [--only tokenjoule,vllm,aiperf,guidellm]
"""
import argparse
import contextlib
import datetime
import json
import os
import pathlib
import platform
import statistics
import subprocess
import sys
import tempfile
import time

import readings
from client_tree import ClientTree

HERE = pathlib.Path(__file__).resolve().parent
WITNESS = HERE.parents[1] / "tests" / "witness"
sys.path.append(str(WITNESS))
import environment  # noqa: E402
import vllm_bench_test  # noqa: E402

AIPERF = ["aiperf==0.13.0"]
GUIDELLM = ["guidellm==0.8.1"]
# What it asks for, without torch; jinja2 it finds only by torch.
GUIDELLM_NEEDS = [
    "click~=8.4.0", "culsans~=0.10.0", "datasets>=5.0.1", "eval_type_backport", "faker", "ftfy>=6.0.0",
    "httpx[http2]<1.0.0", "jinja2", "loguru", "more-itertools>=10.8.0", "msgpack", "numpy>=2.0.0", "protobuf",
    "pydantic-settings>=2.0.0", "pydantic>=2.11.7", "pyyaml>=6.0.0", "rich", "sanic", "tabulate", "transformers",
    "typing-extensions>=4.15.0", "uvloop>=0.18", "websockets>=13.0",
]
STARTUP = 120  # seconds that a client may take besides the events


class Failed(Exception):
    """A client that gave no figures; says why."""


def environment_of(name, *installs):
    """The Python of an environment of its own in the cache; made once, and marked when whole."""
    folder = environment.CACHE / name
    python, mark = folder / "bin" / "python", folder / "peers.json"
    if mark.exists() and json.loads(mark.read_text()) == list(map(list, installs)):
        return python
    print(f"installing {installs[0][-1]} into {folder}", file=sys.stderr)
    try:
        environment.run(sys.executable, "-m", "venv", folder)
        for install in installs:
            subprocess.run([python, "-m", "pip", "install", "-q", "--disable-pip-version-check", *install], check=True,
                           timeout=900, capture_output=True, text=True)
    except (OSError, subprocess.SubprocessError) as error:
        raise Failed(f"cannot be installed: {environment.last_words(error)}") from error
    mark.write_text(json.dumps(installs))
    return python


def write_tokenizer(folder):
    """AIPerf and GuideLLM want one, although they take the server's counts."""
    words = {"type": "WordLevel", "vocab": {"[UNK]": 0}, "unk_token": "[UNK]"}
    empty = dict.fromkeys(("truncation", "padding", "normalizer", "post_processor", "decoder"))
    (folder / "tokenizer.json").write_text(json.dumps(
        {"version": "1.0", "added_tokens": [], "pre_tokenizer": {"type": "Whitespace"}, "model": words, **empty}))
    (folder / "tokenizer_config.json").write_text(json.dumps(
        {"tokenizer_class": "PreTrainedTokenizerFast", "unk_token": "[UNK]"}))


def write_prompts(folder, column, count):
    """A JSON line each."""
    lines = (json.dumps({column: f"one two three four five six seven {number}"}) for number in range(count))
    (folder / "prompts.jsonl").write_text("\n".join(lines) + "\n")
    return folder / "prompts.jsonl"


class Vllm:
    name = f"vllm bench serve {vllm_bench_test.VLLM}"
    workers = False  # one process, one loop

    def prepare(self):
        try:
            self.python = environment.python_with(*vllm_bench_test.PINS)
            self.sources = environment.vllm_benchmarks(vllm_bench_test.VLLM)
        except SystemExit as error:  # it said why
            raise Failed("cannot be fetched from PyPI (see above)") from error

    def command(self, url, load, folder, one_worker):
        return [self.python, WITNESS / "vllm_bench_client.py", self.sources, "--backend", "vllm", "--endpoint",
                "/v1/completions", "--base-url", url, "--model", "bench", "--dataset-name", "random",
                "--random-input-len", 8, "--random-output-len", load.events, "--num-prompts", load.streams,
                "--max-concurrency", load.streams, "--ignore-eos", "--save-result", "--save-detailed", "--result-dir",
                folder, "--result-filename", "result.json", "--disable-tqdm", "--ready-check-timeout-sec", 0], {}

    def read(self, folder):
        return readings.of_vllm(folder)


class AiPerf:
    name = "AIPerf " + AIPERF[0].partition("==")[2]
    workers = True

    def prepare(self):
        self.python = environment_of("peers-venv", AIPERF)

    def command(self, url, load, folder, one_worker):
        write_tokenizer(folder)
        prompts = write_prompts(folder, "text", load.streams)
        one = ["--workers-max", 1, "--record-processor-service-count", 1] if one_worker else []
        return [self.python.with_name("aiperf"), "profile", "-m", "bench", "--url", url, "--endpoint-type",
                "completions", "--streaming", "--concurrency", load.streams, "--request-count", load.streams,
                "--input-file", prompts, "--custom-dataset-type", "single-turn", "--tokenizer", folder,
                "--use-server-token-count", "--export-level", "raw", "--no-gpu-telemetry", "--no-server-metrics",
                "--ui-type", "none", "--output-artifact-dir", folder, *one], {}

    def read(self, folder):
        return readings.of_aiperf(folder)


class GuideLlm:
    name = "GuideLLM " + GUIDELLM[0].partition("==")[2]
    workers = True

    def prepare(self):
        self.python = environment_of("peers-guidellm", ["--no-deps", *GUIDELLM], GUIDELLM_NEEDS)

    def command(self, url, load, folder, one_worker):
        write_tokenizer(folder)
        prompts = write_prompts(folder, "prompt", load.streams)
        variables = {"GUIDELLM__MAX_WORKER_PROCESSES": "1"} if one_worker else {}
        backend = f"kind=openai_http,target={url},model=bench,request_format=/v1/completions,validate_backend=false"
        return [self.python, HERE / "guidellm_client.py", "run", "--backend", f"{backend},http2=false", "--profile",
                f"kind=concurrent,streams={load.streams}", "--constraint", f"kind=max_requests,count={load.streams}",
                "--tokenizer", f"kind=huggingface_auto,model={folder}", "--data",
                f"kind=json_file,path={prompts}", "--output", f"kind=json,path={folder / 'result.json'}",
                "--disable-console-interactive"], variables

    def read(self, folder):
        return readings.of_guidellm(folder, time.time() - time.monotonic())


class Load:
    def __init__(self, streams, rate, seconds):
        self.streams, self.rate, self.seconds = streams, rate, seconds
        self.events = None  # of a stream: the server says

    def server(self, program, *options):
        return [program, "--streams", str(self.streams), "--rate", str(self.rate), "--seconds", str(self.seconds),
                *options]


@contextlib.contextmanager
def tree_of(process, cpus):
    tree = ClientTree(process.pid, cpus)
    tree.start()
    try:
        yield tree
    finally:
        tree.ended.set()
        tree.join()


def usage(tree, found, begin, end):
    """CPU and memory of the client's tree."""
    seen = tree.between(begin, end) if end else None
    return {"cpu": seen and seen[0] * 1e6 / max(1, found), "others": seen and seen[1],
            "cpu_all": sum(tree.cpu.values()) * 1e6 / max(1, found), "rss": tree.peak_rss / 1e6}


def stop(process):
    """With all that it started."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, 9)
    process.wait()


def said(text, needed):
    """The last JSON line that has this key."""
    lines = [json.loads(line) for line in text.splitlines() if line.startswith("{")]
    found = [line for line in lines if needed in line]
    if not found:
        raise Failed(f"the emitter did not say \"{needed}\": the client did not ask for all streams")
    return found[-1]


def run_peer(peer, load, program, cpus_for, one_worker):
    server = subprocess.Popen(load.server(program, "--stamp-in-text"), stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                              text=True)
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        where = json.loads(server.stdout.readline())
        load.events = where["events_per_stream"]
        cpus = cpus_for(where, one_worker)
        command, variables = peer.command(where["url"], load, folder, one_worker)
        with open(folder / "log", "w+") as log:
            client = subprocess.Popen([str(part) for part in command], cwd=folder, stdout=log, stderr=subprocess.STDOUT,
                                      env={**os.environ, "USE_TORCH": "0", **variables},
                                      start_new_session=True, preexec_fn=lambda: os.sched_setaffinity(0, cpus))
            with tree_of(client, cpus) as tree:
                try:
                    code = client.wait(STARTUP + 3 * load.seconds)
                except subprocess.TimeoutExpired:
                    code = None
                finally:
                    stop(client)
            text, _ = server.communicate()
            if code != 0:
                log.seek(0)
                last = (log.read().strip().splitlines() or ["nothing said"])[-1]
                raise Failed(f"ended with {code}: {last[:150]}" if code is not None else "did not end in time")
        begin, counts = said(text, "begin_ns")["begin_ns"] * 1e-9, said(text, "sent")
        figures = readings.figures(*peer.read(folder), begin, load.seconds)
    return {**figures, **usage(tree, figures["found"], begin, figures["last"]), **emitter_figures(counts),
            "lost": counts["sent"] - figures["found"]}


def emitter_figures(counts):
    return {"late": counts["late"] / max(1, counts["sent"]), "emitter_wait": counts["emitter_wait"]}


def run_tokenjoule(load, program):
    process = subprocess.Popen(load.server(program, "--read"), stdout=subprocess.PIPE, stdin=subprocess.DEVNULL,
                               text=True, start_new_session=True)
    cpus = {json.loads(process.stdout.readline())["client_cpu"]}
    with tree_of(process, cpus) as tree:
        try:
            text, _ = process.communicate(timeout=STARTUP + 3 * load.seconds)
        finally:
            stop(process)
    if process.returncode != 0:
        raise Failed(f"ended with {process.returncode}")
    read, counts = said(text, "events"), said(text, "sent")
    begin = read["begin_ns"] * 1e-9
    found = read["events"]
    return {"events_s": read["window_events"] / load.seconds, "delay_p50": read["delay_p50_us"],
            "delay_p99": read["delay_p99_us"], "receive_p50": read["receive_p50_us"],
            "receive_p99": read["receive_p99_us"], "itl_p50": read["itl_error_p50_us"], "itl_p99": read["itl_error_p99_us"],
            "tpot": read["tpot_ms"], "tpot_true": counts["tpot_ms"], "lost": counts["sent"] - found,
            **usage(tree, found, begin, begin + readings.LEAD + load.seconds), "cpu": read["cpu_s"] * 1e6 / found,
            **emitter_figures(counts)}


def text_of(value, digits=0, unit=1):
    return "n/a" if value is None else f"{value * unit:,.{digits}f}".replace(",", " ")


def kernels_word(middle):
    """Of a client whose latencies are not made from its own stamps."""
    if middle["receive_p50"] is None:
        return ""
    return f"; the kernel's {text_of(middle['receive_p50'])} / {text_of(middle['receive_p99'])}"


def row_of(load, name, how, rounds, failure):
    head = f"| {load.streams:,} × {load.rate:g} | {name} | {how} | ".replace(",", " ")
    if not rounds:
        return f"{head}{failure} |" + " |" * 9
    middle = {}
    for key in [*rounds[0], "receive_p50", "receive_p99"]:
        known = [figures[key] for figures in rounds if figures.get(key) is not None]
        middle[key] = statistics.median(known) if known else None
    cells = [text_of(middle["events_s"]), f"{text_of(middle['cpu'], 1)} ({text_of(middle['cpu_all'], 1)})",
             f"{text_of(middle['delay_p50'])} / {text_of(middle['delay_p99'])}{kernels_word(middle)}",
             f"{text_of(middle['itl_p50'], 1)} / {text_of(middle['itl_p99'], 1)}", text_of(middle["rss"]),
             text_of(middle["lost"]), f"{text_of(middle['tpot'], 3)} / {text_of(middle['tpot_true'], 3)}",
             f"{text_of(middle['others'], 0, 100)} %",
             f"{text_of(middle['emitter_wait'], 0, 100)} %, {text_of(middle['late'], 0, 100)} %",
             f"{len(rounds)}" + (f" ({failure})" if failure else "")]
    return head + " | ".join(cells) + " |"


def several(count, run):
    """The rounds that worked, and why the last other did not."""
    rounds, failure = [], ""
    for _ in range(count):
        try:
            rounds.append(run())
        except (Failed, OSError, ValueError, KeyError, IndexError, subprocess.SubprocessError) as error:
            failure = f"failed: {type(error).__name__}: {error}" if not isinstance(error, Failed) else f"failed: {error}"
            failure = " ".join(failure.replace("|", "/").split())
    return rounds, failure


def cpus_for(where, one_worker):
    if where["emitter_cpu"] < 0:
        return os.sched_getaffinity(0)
    return {where["client_cpu"]} if one_worker else os.sched_getaffinity(0) - {where["emitter_cpu"]}


def run_load(load, options, peers):
    if "tokenjoule" in options.only:
        rounds, failure = several(options.rounds, lambda: run_tokenjoule(load, options.peer_server))
        yield row_of(load, "tokenjoule " + (HERE.parents[1] / "VERSION").read_text().strip(), "one core", rounds, failure)
    for peer, cannot in peers:
        for one_worker, how in ((True, "one core"), (False, "all cores but one")):
            if cannot:
                yield row_of(load, peer.name, how, [], cannot)
                continue
            if not one_worker and not peer.workers:
                yield row_of(load, peer.name, how, [], "one process: as above")
                continue
            rounds, failure = several(options.rounds,
                                      lambda: run_peer(peer, load, options.peer_server, cpus_for, one_worker))
            yield row_of(load, peer.name, how, rounds, failure)


def prepared(only):
    for name, peer in (("vllm", Vllm()), ("aiperf", AiPerf()), ("guidellm", GuideLlm())):
        if name in only:
            try:
                peer.prepare()
                yield peer, ""
            except Failed as error:
                yield peer, f"skipped: {error}"


def options_of():
    parser = argparse.ArgumentParser()
    parser.add_argument("peer_server", type=lambda path: str(pathlib.Path(path).resolve()))
    parser.add_argument("--streams", default="256,1024", help="with --rate, in step")
    parser.add_argument("--rate", default="20,50", help="events per second of each stream")
    parser.add_argument("--seconds", type=float, default=5)
    parser.add_argument("--rounds", type=int, default=5, help="the table has their medians")
    parser.add_argument("--only", default="tokenjoule,vllm,aiperf,guidellm")
    options = parser.parse_args()
    options.only = options.only.split(",")
    streams, rates = list(map(int, options.streams.split(","))), list(map(float, options.rate.split(",")))
    if len(streams) != len(rates):
        parser.error("--streams and --rate: as many of the one as of the other, \"256,1024\" and \"20,50\"")
    options.loads = [Load(*pair, options.seconds) for pair in zip(streams, rates)]
    return options


def main():
    options = options_of()
    peers = list(prepared(options.only))
    allowed = len(os.sched_getaffinity(0))
    print(f"{datetime.date.today()}, {allowed} CPUs, Linux {platform.release()}, Python {platform.python_version()}, "
          f"windows of {options.seconds:g} s, load average {os.getloadavg()[0]:.1f} when it began. loopback; a network card adds "
          "tens of microseconds\n")
    print("| streams × events/s | client | on | events/s | CPU µs/event (whole run) | stamp delay µs p50 / p99 | ITL error µs "
          "p50 / p99 | peak RSS MB | lost | TPOT ms reported / true | others on its CPUs | emitter waited, late | rounds |")
    print("|" + "---|" * 13)
    for load in options.loads:
        for row in run_load(load, options, peers):
            print(row, flush=True)
    print(f"\nLoad average {os.getloadavg()[0]:.1f} when it ended.")


if __name__ == "__main__":
    main()
