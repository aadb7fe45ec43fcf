"""Debian's Prometheus scrapes the simulator's page of GPUs; our sensor `prometheus` reads it there. The energy found
through it is compared with what the simulator knows, and the last values with the simulator's own page.

Usage: prometheus_server_test.py TOKENJOULE READ_SENSOR
Exits 77 with a reason where Prometheus is not there.
"""
import os
import pathlib
import re
import shutil
import socket
import subprocess
import tempfile
import threading
import time
import unittest
import urllib.error
import urllib.request

import environment
from sensor_reader import read

ENERGY = "DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION"
POWER = "DCGM_FI_DEV_POWER_USAGE"
SCRAPES_S = 0.2
STEP_S = 0.1  # of the simulated GPUs' counters
MOST_W = 800  # one simulated GPU


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Prometheus:
    def __init__(self, folder, target):
        self.port = free_port()
        host, path = re.fullmatch(r"http://([^/]+)(/.*)", target).groups()
        (folder / "prometheus.yml").write_text(
            f"global: {{scrape_interval: {SCRAPES_S:g}s, scrape_timeout: {SCRAPES_S:g}s}}\n".replace("0.2s", "200ms")
            + f"scrape_configs: [{{job_name: gpus, metrics_path: {path}, static_configs: [{{targets: ['{host}']}}]}}]\n")
        self.log = open(folder / "prometheus.log", "w")
        self.process = subprocess.Popen(
            ["prometheus", f"--config.file={folder}/prometheus.yml", f"--storage.tsdb.path={folder}/data",
             f"--web.listen-address=127.0.0.1:{self.port}"], stdout=self.log, stderr=subprocess.STDOUT)
        self.url = f"http://127.0.0.1:{self.port}"

    def has(self, metric):
        try:
            with urllib.request.urlopen(f"{self.url}/api/v1/query?query={metric}", timeout=5) as answer:
                return b'"value"' in answer.read()
        except (urllib.error.URLError, ConnectionError, TimeoutError):
            return False

    def stop(self):
        self.process.terminate()
        self.process.wait(15)
        self.log.close()


def wait_until(condition, what):
    deadline = time.monotonic() + 30
    while not condition():
        if time.monotonic() > deadline:
            raise AssertionError(what)
        time.sleep(0.05)


class Load:
    """Asks the simulated engine for answers, so that power is not flat."""

    def __init__(self, url):
        self.body = b'{"model": "simulated-model", "prompt": [5, 6, 7, 8], "max_tokens": 200, "ignore_eos": true}'
        self.url, self.stopped = url + "/v1/completions", threading.Event()
        self.thread = threading.Thread(target=self.ask)
        self.thread.start()

    def ask(self):
        while not self.stopped.is_set():
            request = urllib.request.Request(self.url, self.body, {"Content-Type": "application/json"})
            urllib.request.urlopen(request, timeout=30).read()
            self.stopped.wait(0.5)

    def stop(self):
        self.stopped.set()
        self.thread.join()


class ThroughPrometheus(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        from support import simulator
        folder = pathlib.Path(cls.enterClassContext(tempfile.TemporaryDirectory()))
        cls.simulator = cls.enterClassContext(simulator("--gpus", 2))
        cls.prometheus = Prometheus(folder, cls.simulator.url + "/dcgm/metrics")
        cls.addClassCleanup(cls.prometheus.stop)
        wait_until(lambda: cls.prometheus.has(ENERGY), "Prometheus does not scrape the simulator")
        cls.load = Load(cls.simulator.url)
        cls.addClassCleanup(cls.load.stop)

    def sensor(self, settings, seconds, device=",device_label=UUID"):
        return read(f"prometheus:url={self.prometheus.url},boundary=gpu_board{device},{settings}", seconds)

    def test_energy_is_the_simulators(self):
        found = self.sensor(f"query={ENERGY},unit=mJ,kind=counter", 5)
        self.assertEqual((found.code, found.losses, len(found.signals)), (0, [], 2), found.stderr)
        truth_of = []
        for number, signal in enumerate(found.signals):
            rows = [reading for reading in found.readings if reading.signal == number]
            self.assertGreater(len(rows), 5)
            self.assertEqual(sorted(rows, key=lambda row: row.begin), rows)
            middle = [(row.begin + row.end) / 2 for row in (rows[0], rows[-1])]
            joules = (rows[-1].raw - rows[0].raw) * signal.to_si
            truth = self.simulator.truth(*middle)["joules"][signal.device]
            # At each end: a step of the counter, and the time between the stamp of a scrape and its answer.
            self.assertAlmostEqual(joules, truth, delta=2 * MOST_W * (STEP_S + SCRAPES_S))
            self.assertGreater(joules, 4 * 50)
            truth_of.append(truth)
        self.assertEqual(len(truth_of), 2)

    def test_a_scrape_gives_one_reading_however_often_it_is_asked_for(self):
        found = self.sensor(f"query={POWER}{{gpu=\"0\"}},unit=W,period=100ms", 3)
        self.assertEqual(len(found.signals), 1, found.stderr)
        stamps = [reading.begin for reading in found.readings]
        apart = [later - earlier for earlier, later in zip(stamps, stamps[1:])]
        self.assertGreater(len(apart), 3)
        self.assertGreater(min(apart), SCRAPES_S / 2)

    def test_the_last_value_is_that_of_the_page(self):
        found = self.sensor(f"query={ENERGY},unit=mJ,kind=counter", 2)
        page = dict(re.findall(rf'^{ENERGY}{{.*?UUID="(.*?)".*}} (\S+)$', self.simulator.get("/dcgm/metrics"), re.M))
        self.assertEqual(set(page), {signal.device for signal in found.signals})
        for device, joules in found.si("energy").items():
            behind = float(page[device]) / 1000 - joules
            self.assertGreaterEqual(behind, 0)
            self.assertLess(behind, MOST_W * 10)  # the page was asked later, on a machine that may be busy

    def test_an_expression(self):
        found = self.sensor(f"query=sum({POWER}),unit=W", 2, device="")
        self.assertEqual((found.code, len(found.signals)), (0, 1), found.stderr)
        self.assertGreater(len(found.readings), 0)
        for reading in found.readings:
            self.assertTrue(2 * 20 < reading.raw < 2 * MOST_W, reading)

    def test_a_query_that_is_no_promql_is_refused_in_prometheus_words(self):
        found = self.sensor("query=sum(,unit=W", 0.1)
        self.assertEqual(found.code, 3)
        self.assertIn("parse error", found.stderr)


if __name__ == "__main__":
    if not shutil.which("prometheus"):
        environment.skip("prometheus is not installed (Debian package prometheus)")
    environment.main(__file__, [], tokenjoule="the program", read_sensor="the program read_sensor")
