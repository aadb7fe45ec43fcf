"""Starts the program and its simulator for the whole-program tests."""
import contextlib
import json
import os
import pathlib
import signal
import ssl
import subprocess
import tempfile
import time
import urllib.request

PROGRAM = os.environ.get("TOKENJOULE", "")
FAKE_NVML = pathlib.Path(PROGRAM).resolve().parent / "libtokenjoule-fake-nvml.so"
UNVERIFIED = ssl._create_unverified_context()
SOURCE = pathlib.Path(__file__).resolve().parents[2]


def tokenjoule(*arguments, timeout=120, **options):
    """Runs the program to its end."""
    environment = {key: value for key, value in os.environ.items() if key != "OPENAI_API_KEY"}
    environment.update(options.pop("environment", {}))
    return subprocess.run([PROGRAM, *(part if isinstance(part, bytes) else str(part) for part in arguments)], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True,
                          timeout=timeout, env=environment, **options)


class Simulator:
    """A running `tokenjoule simulate`; its GPUs are read from its exporter's page, or with nvml through the fake NVML library."""

    def __init__(self, folder, *arguments, nvml=False):
        port_file = pathlib.Path(folder) / f"port{time.monotonic_ns()}"
        self.started = time.time()
        self.environment = {}
        if nvml:
            state = str(pathlib.Path(folder) / "nvml")
            self.environment = {"TOKENJOULE_FAKE_NVML": state}
            arguments += ("--nvml-state", state)
        self.process = subprocess.Popen([PROGRAM, "simulate", "--port", "0", "--port-file", port_file, *map(str, arguments)],
                                        stdout=subprocess.DEVNULL)
        deadline = time.monotonic() + 20
        while not (port_file.exists() and port_file.read_text().strip()):
            if self.process.poll() is not None or time.monotonic() > deadline:
                raise AssertionError("the simulator did not start")
            time.sleep(0.02)
        scheme = "https" if {"--tls", "--tls-cert"} & set(arguments) else "http"
        self.url = f"{scheme}://127.0.0.1:{port_file.read_text().strip()}"
        self.sensor = f"nvml:library={FAKE_NVML}" if nvml else f"dcgm:url={self.url}/dcgm/metrics"

    def get(self, path):
        with urllib.request.urlopen(self.url + path, timeout=10, context=UNVERIFIED) as answer:
            return answer.read().decode()

    def truth(self, start, end):
        return json.loads(self.get(f"/truth?from={start!r}&to={end!r}"))

    def stop(self):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        self.process.wait(10)


@contextlib.contextmanager
def simulator(*arguments, nvml=False):
    with tempfile.TemporaryDirectory() as folder:
        running = Simulator(folder, *arguments, nvml=nvml)
        try:
            yield running
        finally:
            running.stop()


def counters(page):
    """The values of a metrics page by name, summed over all labels."""
    totals = {}
    for line in page.splitlines():
        if line and not line.startswith("#"):
            name = line.split("{")[0].split(" ")[0]
            totals[name] = totals.get(name, 0) + float(line.rsplit(" ", 1)[1])
    return totals


@contextlib.contextmanager
def new_folder():
    """A path for --out that does not exist yet."""
    with tempfile.TemporaryDirectory() as folder:
        yield pathlib.Path(folder) / "out"


def result_of(folder):
    return json.loads((pathlib.Path(folder) / "result.json").read_text())


def events_of(folder):
    return [json.loads(line) for line in (pathlib.Path(folder) / "run.jsonl").read_text().splitlines()]


def codes_of(result):
    return {reason["code"] for reason in result["verdict"]["reasons"]}


def wait_for(out, text):
    """Until that stands in the record of a run that goes on."""
    deadline = time.monotonic() + 60
    path = pathlib.Path(out) / "run.jsonl"
    while time.monotonic() < deadline:
        if path.exists() and text in path.read_text():
            return
        time.sleep(0.05)
    raise AssertionError(f"no {text} in the record within 60 s")


def assert_killed_can_be_judged(test, running, out):
    """Kills a run two seconds later: its record is judged, as interrupted."""
    time.sleep(2)
    running.kill()
    running.communicate()
    done = tokenjoule("analyze", out, "--format", "json")
    test.assertIn(done.returncode, (0, 4), done.stderr)
    test.assertIn("interrupted", codes_of(json.loads(done.stdout)))
