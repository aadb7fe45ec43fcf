"""The check for real GPUs, run against the fake library: its numbers must be those of the script."""
import contextlib
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent

# A constant power: whatever the moments of the reads, the counter and the integral must agree.
SCRIPT = """
driver = 580.126.09
[gpu]
uuid = GPU-51d00000-0000-0000-0000-000000000001
name = Simulated H200
architecture = 9
power = 300
start_mj = 5000000
counter_step = 0.1
limit_enforced = 600
limit_default = 700
temperature = 41
sm_clock = 1980
[gpu]
uuid = GPU-51d00000-0000-0000-0000-000000000002
name = Tesla P100
architecture = 4
flags = power
power = 150
"""


@contextlib.contextmanager
def check(*arguments, script=SCRIPT, library=None):
    """Runs the check; gives what it was, and the folder with its files."""
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "script").write_text(script)
        command = [sys.executable, HERE / "check", "--program", os.environ["GPU_CHECK"], "--seconds", "2",
                   "--settle", "0", "--library", library or os.environ["FAKE_NVML"],
                   "--json", folder / "found.json", "--markdown", folder / "found.md", *arguments]
        yield subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=100,
                             env=dict(os.environ, TOKENJOULE_FAKE_NVML_SCRIPT=str(folder / "script"))), folder


class OnTheFakeLibrary(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        with check("--load", "exec sleep 60") as (ended, folder):
            assert ended.returncode == 0, ended.stderr
            cls.printed = ended.stdout
            cls.table = (folder / "found.md").read_text()
            cls.found = json.loads((folder / "found.json").read_text())

    def value(self, gpu, source, state="idle"):
        values = self.found[state]["gpus"][gpu]["values"]
        return next(value for value in values if value["source"] == source)

    def test_values_with_their_units(self):
        self.assertEqual([gpu["name"] for gpu in self.found["idle"]["gpus"]], ["Simulated H200", "Tesla P100"])
        for source, value, unit in [("nvmlDeviceGetFieldValues(185)", 300_000, "mW"),
                                    ("nvmlDeviceGetEnforcedPowerLimit", 600_000, "mW"),
                                    ("nvmlDeviceGetTemperature", 41, "degC")]:
            read = self.value(0, source)
            self.assertEqual((read["value"], read["unit"], read["status"]), (value, unit, "ok"))
        self.assertGreaterEqual(self.value(0, "nvmlDeviceGetFieldValues(83)")["value"], 5_000_000)

    def test_what_is_missing_has_its_reason_and_no_number(self):
        energy = self.value(1, "nvmlDeviceGetTotalEnergyConsumption")
        self.assertIsNone(energy["value"])
        self.assertIn("not supported", energy["status"])

    def test_step_of_the_counter(self):
        for state in ("idle", "load"):
            counters = self.found[state]["energy"]["counters"]
            self.assertEqual(len(counters), 1)
            self.assertAlmostEqual(counters[0]["step_s"]["median"], 0.1, delta=0.01)
            self.assertGreaterEqual(counters[0]["step_s"]["n"], 10)

    def test_counter_and_power_agree(self):
        for state in ("idle", "load"):
            energy = self.found[state]["energy"]
            self.assertAlmostEqual(energy["counters"][0]["joules"], 600, delta=30)  # 2 s * 300 W
            first = [power for power in energy["powers"] if power["uuid"].endswith("1")]
            self.assertEqual(len(first), 2)  # the mean over 1 s and the instantaneous one
            for power in first:
                self.assertAlmostEqual(power["mean_watts"], 300, places=3)
                self.assertAlmostEqual(power["integrated_per_counter"], 1, delta=0.05)
            second = next(power for power in energy["powers"] if power["uuid"].endswith("2"))
            self.assertAlmostEqual(second["mean_watts"], 150, places=3)
            self.assertIsNone(second["integrated_per_counter"])

    def test_costs_of_all_reads_that_gave_something(self):
        costs = {cost["source"]: cost["us"] for cost in self.found["idle"]["costs"]}
        self.assertIn("nvmlDeviceGetFieldValues(83)", costs)
        self.assertIn("nvmlDeviceGetPowerUsage", costs)
        for us in costs.values():
            self.assertTrue(0 < us["median"] <= us["p99"] <= us["max"], us)

    def test_one_table(self):
        self.assertEqual(self.printed, self.table)
        self.assertEqual(self.table.count("\n|---"), 1)
        self.assertIn("| 0 | temperature | nvmlDeviceGetTemperature | 41 | 41 | degC |  |", self.table)
        self.assertIn("(simulated)", self.table)
        self.assertNotIn("no load made", self.table)


# As much of PyTorch as the load asks for.
TORCH = """
import time
class Factor:
    def __matmul__(self, other): return self
class cuda:
    is_available = staticmethod(lambda: DEVICES > 0)
    device_count = staticmethod(lambda: DEVICES)
    synchronize = staticmethod(lambda gpu: time.sleep(0.01))
float16 = None
randn = lambda *shape, device, dtype: Factor()
DEVICES = """


class Otherwise(unittest.TestCase):
    def with_python(self, options, torch=None):
        """What is found with a Python of these options, which has that module torch or none."""
        with tempfile.TemporaryDirectory() as name:
            python = pathlib.Path(name) / "python"
            python.write_text(f'#!/bin/sh\nPYTHONPATH={name} exec {sys.executable} {options} "$@"\n')
            python.chmod(0o755)
            if torch:
                (pathlib.Path(name) / "torch.py").write_text(torch)
            with check("--seconds", "1", "--python", python) as (ended, folder):
                self.assertEqual(ended.returncode, 0, ended.stderr)
                return json.loads((folder / "found.json").read_text()), ended

    def test_the_load_is_made_with_pytorch(self):
        found, _ = self.with_python("-S", TORCH + "2")
        self.assertIsNone(found["no_load_because"])
        self.assertAlmostEqual(found["load"]["energy"]["powers"][0]["mean_watts"], 300, places=3)

    def test_pytorch_without_a_gpu_makes_no_load(self):
        found, _ = self.with_python("-S", TORCH + "0")
        self.assertIsNone(found["load"])
        self.assertEqual(found["no_load_because"], "PyTorch finds no CUDA device")

    def test_without_pytorch_there_is_no_load_and_all_say_so(self):
        found, ended = self.with_python("-I -S")
        self.assertIsNone(found["load"])
        self.assertEqual(found["no_load_because"], "PyTorch absent")
        self.assertIn("**no load made: PyTorch absent**", ended.stdout)
        self.assertIn("| 41 | no load made | degC |", ended.stdout)

    def fails(self, code, words, *arguments, **world):
        with check(*arguments, **world) as (ended, folder):
            self.assertEqual(ended.returncode, code, ended.stderr)
            self.assertIn(words, ended.stderr)
            self.assertEqual(ended.stdout, "")
            self.assertFalse((folder / "found.json").exists())
            return ended.stderr

    def test_no_gpu_is_one_line_and_exit_3(self):
        for lines in (self.fails(3, "/no/such/library.so", library="/no/such/library.so"),
                      self.fails(3, "no NVIDIA GPU here", "--program", "", library="/no/such/library.so"),
                      self.fails(3, "finds no GPU", script="driver = 580.126.09\n"),
                      self.fails(3, "driver is not loaded", script="init_result = 9\n")):
            self.assertEqual(lines.count("\n"), 1, lines)

    def test_bad_options_are_usage(self):
        self.fails(2, "--seconds", "--seconds", "0")
        self.fails(2, "unrecognized", "--set-limit", "300")


if __name__ == "__main__":
    unittest.main()
