"""AMD's own Python binding (amdsmi) and our sensor read the fake AMD SMI library, in the structs of each version that
our sensor knows: both must give what the script says, and so the same.

Usage: amdsmi_test.py READ_SENSOR FAKE_LIBRARY_24 FAKE_LIBRARY_25 FAKE_LIBRARY_26
Needs amdsmi from PyPI, a version for each library, which it unpacks in the user's cache; exits 77 with a reason where
that cannot be done.

The binding looks up each of the library's functions when it is imported, of which the fake one has those that are
called here: the others answer "not yet implemented" (FakeLibrary below). Everything else of the binding, its structs
above all, is as AMD ships it.
"""
import ctypes
import os
import pathlib
import subprocess
import sys
import tempfile
import threading
import time
import unittest

import environment
from sensor_reader import read

PINS = {"24": "amdsmi==6.2.4", "25": "amdsmi==6.4.3", "26": "amdsmi==7.0.2"}
NOT_YET_IMPLEMENTED = 3
JOULES_PER_COUNT = 2.0**-16
WATTS = 600

GPU = """
[gpu]
bdf = 0000:c1:00.0
name = Simulated MI300X
pci_device = 0x74a1
energy_counts = {counts}
current_w = 600
average_w = 590
cap_w = 700
default_cap_w = 750
max_cap_w = 760
junction_c = 61
edge_c = 45
graphics_mhz = 2100
memory_mhz = 1300
utilisation_percent = 97
memory_used_bytes = 120000000000
[gpu]
bdf = 0001:05:1f.0
name = Simulated MI210
pci_device = 0x740f
energy_counts = {other_counts}
average_w = 300
edge_c = 50
"""


class FakeLibrary(ctypes.CDLL):
    def __getattr__(self, name):
        try:
            return super().__getattr__(name)
        except AttributeError:
            if not name.startswith("amdsmi_"):
                raise
            return ctypes.CFUNCTYPE(ctypes.c_int)(lambda: NOT_YET_IMPLEMENTED)


class Script:
    """The fake library's script while its GPUs draw the power that they show: rewritten each 2 ms, whole or not at all."""

    def __init__(self, path):
        self.path = pathlib.Path(path)
        self.begin = time.monotonic()
        self.seconds_of = ({}, {})  # of each GPU: when a count was written
        self.over = threading.Event()
        self.thread = threading.Thread(target=self.run)

    def write(self):
        seconds = time.monotonic() - self.begin
        counts = [int((1000 + watts * seconds) / JOULES_PER_COUNT) for watts in (WATTS, WATTS / 2)]
        for times, count in zip(self.seconds_of, counts):
            times[count] = seconds
        new = self.path.with_suffix(".new")
        new.write_text(GPU.format(counts=counts[0], other_counts=counts[1]))
        new.rename(self.path)

    def run(self):
        while not self.over.wait(0.002):
            self.write()

    def __enter__(self):
        self.write()
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.over.set()
        self.thread.join()


class SameValues(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        ctypes.CDLL = FakeLibrary
        import amdsmi
        cls.smi = amdsmi
        with Script(os.environ["TOKENJOULE_FAKE_AMD_SMI_SCRIPT"]) as script:
            amdsmi.amdsmi_init()
            cls.gpus = amdsmi.amdsmi_get_processor_handles()
            cls.before = [cls.counts(gpu) for gpu in cls.gpus]
            # Our sensor leaves out a counter that does not grow as power says while it looks: again where the
            # machine was too busy to rewrite the script meanwhile.
            for _ in range(5):
                cls.ours = read(f"amd:library={os.environ['LIBRARY']}", seconds=1)
                if [signal.measurand for signal in cls.ours.signals].count("energy") == len(cls.gpus):
                    break
        cls.seconds_of = script.seconds_of  # and the counters stand still from now on

    @classmethod
    def tearDownClass(cls):
        cls.smi.amdsmi_shut_down()

    @classmethod
    def counts(cls, gpu):
        count = cls.smi.amdsmi_get_energy_count(gpu)
        return count.get("energy_accumulator", count.get("power"))  # the key was renamed in 6.4

    def value(self, gpu, measurand):
        """All SI values of ours of a measurand."""
        device = ("pci:0000:c1:00.0", "pci:0001:05:1f.0")[gpu]
        wanted = {i: signal for i, signal in enumerate(self.ours.signals)
                  if (signal.device, signal.measurand) == (device, measurand)}
        found = [reading.raw * wanted[reading.signal].to_si for reading in self.ours.readings if reading.signal in wanted]
        self.assertTrue(found, (device, measurand, self.ours.stderr))
        return found

    def same(self, theirs, expected, gpu, measurand):
        self.assertEqual(theirs, expected)
        for value in self.value(gpu, measurand):
            self.assertAlmostEqual(value, expected, places=6)

    def test_both_open(self):
        self.assertEqual(self.ours.code, 0, self.ours.stderr)
        self.assertEqual(len(self.gpus), 2)
        self.assertEqual(self.smi.amdsmi_get_lib_version()["build"], "f")  # of "fake": the binding reads one character

    def test_identity(self):
        self.assertEqual([self.smi.amdsmi_get_gpu_device_bdf(gpu) for gpu in self.gpus], ["0000:c1:00.0", "0001:05:1f.0"])
        self.assertEqual({signal.device for signal in self.ours.signals}, {"pci:0000:c1:00.0", "pci:0001:05:1f.0"})
        self.assertEqual({signal.boundary for signal in self.ours.signals}, {"gpu_board"})
        names = [self.smi.amdsmi_get_gpu_asic_info(gpu)["market_name"] for gpu in self.gpus]
        self.assertEqual(names, ["Simulated MI300X", "Simulated MI210"])

    def test_power(self):
        theirs = [self.smi.amdsmi_get_power_info(gpu) for gpu in self.gpus]
        self.assertEqual([power["current_socket_power"] for power in theirs], [600, "N/A"])
        self.assertEqual([power["average_socket_power"] for power in theirs], [590, 300])
        self.assertEqual(set(self.value(0, "power")), {600.0, 590.0})
        self.assertEqual(set(self.value(1, "power")), {300.0})  # what is not available is no signal

    def test_energy(self):
        for gpu, written in enumerate(self.seconds_of):
            self.assertEqual(self.counts(self.gpus[gpu]), max(written))
            ours = [joules / JOULES_PER_COUNT for joules in self.value(gpu, "energy")]
            self.assertGreater(len(set(ours)), 1)
            self.assertEqual(ours, sorted(ours))
            self.assertLessEqual(set(ours), set(written))
            # Between what the binding read before and what it reads now.
            self.assertLessEqual(self.before[gpu], ours[0])
            self.assertLessEqual(ours[-1], self.counts(self.gpus[gpu]))

    def test_energy_is_power_times_time_by_our_unit_and_not_by_the_stated_one(self):
        stated = self.smi.amdsmi_get_energy_count(self.gpus[0])["counter_resolution"]
        self.assertAlmostEqual(stated, 15.3, places=5)
        ours = self.value(0, "energy")
        first, last = (self.seconds_of[0][joules / JOULES_PER_COUNT] for joules in (ours[0], ours[-1]))
        self.assertAlmostEqual((ours[-1] - ours[0]) / (last - first), WATTS, delta=0.001 * WATTS)
        by_stated = stated * 1e-6 * (ours[-1] - ours[0]) / JOULES_PER_COUNT / (last - first)
        self.assertAlmostEqual(by_stated, 1.0027 * WATTS, delta=0.001 * WATTS)

    def test_limits(self):
        theirs = self.smi.amdsmi_get_power_cap_info(self.gpus[0])
        self.same(theirs["power_cap"] / 1e6, 700, 0, "power_limit_enforced")
        self.same(theirs["default_power_cap"] / 1e6, 750, 0, "power_limit_default")
        self.same(theirs["max_power_cap"] / 1e6, 760, 0, "power_limit_max")
        with self.assertRaises(self.smi.AmdSmiLibraryException):
            self.smi.amdsmi_get_power_cap_info(self.gpus[1])
        self.assertFalse([signal for signal in self.ours.signals
                          if signal.device.endswith("1f.0") and signal.measurand.startswith("power_limit")])

    def test_state(self):
        smi, gpu = self.smi, self.gpus[0]
        kind, now = smi.AmdSmiTemperatureType, smi.AmdSmiTemperatureMetric.CURRENT
        junction = getattr(kind, "JUNCTION", None) or kind.HOTSPOT
        self.same(smi.amdsmi_get_temp_metric(gpu, junction, now), 61, 0, "temperature")
        self.same(smi.amdsmi_get_temp_metric(self.gpus[1], kind.EDGE, now), 50, 1, "temperature")
        self.same(smi.amdsmi_get_clock_info(gpu, smi.AmdSmiClkType.GFX)["clk"], 2100, 0, "sm_clock")
        self.same(smi.amdsmi_get_clock_info(gpu, smi.AmdSmiClkType.MEM)["clk"], 1300, 0, "memory_clock")
        self.same(smi.amdsmi_get_gpu_activity(gpu)["gfx_activity"] / 100, 0.97, 0, "utilisation")
        self.same(smi.amdsmi_get_gpu_memory_usage(gpu, smi.AmdSmiMemoryType.VRAM), 120_000_000_000, 0, "memory_used")


def run_in(major, library, read_sensor):
    """The tests themselves, where the binding finds the fake library under AMD's name."""
    packages = environment.packages_of(PINS[major])
    with tempfile.TemporaryDirectory() as folder:
        (pathlib.Path(folder) / "lib").mkdir()
        (pathlib.Path(folder) / "lib" / "libamd_smi.so").symlink_to(library)
        print(f"{PINS[major]} and version {major} of the fake library", flush=True)
        variables = dict(os.environ, ROCM_PATH=folder, ROCM_HOME=folder, PYTHONPATH=str(packages), LIBRARY=str(library),
                         READ_SENSOR=read_sensor, PYTHONDONTWRITEBYTECODE="1",
                         TOKENJOULE_FAKE_AMD_SMI_SCRIPT=str(pathlib.Path(folder) / "script"))
        return subprocess.run([sys.executable, __file__, environment.INSIDE], env=variables).returncode


if __name__ == "__main__":
    if sys.argv[1:] == [environment.INSIDE]:
        unittest.main(argv=sys.argv[:1], verbosity=2)
    if len(sys.argv) != 2 + len(PINS):
        sys.exit(__doc__)
    codes = [run_in(major, pathlib.Path(library).resolve(), sys.argv[1]) for major, library in zip(PINS, sys.argv[2:])]
    sys.exit(max(codes))
