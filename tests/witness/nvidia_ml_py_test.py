"""NVIDIA's own Python binding (nvidia-ml-py) and our sensor read the fake NVML library: both must
give what the script says, and so the same.

Usage: nvidia_ml_py_test.py FAKE_LIBRARY READ_NVML
Needs nvidia-ml-py, which it installs into a virtual environment in the user's cache; exits 77 with
a reason where that cannot be done.
"""
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

import environment

PINS = ["nvidia-ml-py==13.615.71"]

SCRIPT = """
driver = 580.126.09
clock_file = {clock}
[gpu]
uuid = GPU-51d00000-0000-0000-0000-000000000001
name = Simulated H200
bus_id = 00000000:3B:00.0
architecture = 9
power = 0:100 10:400
start_mj = 5000000
limit_enforced = 600
limit_requested = 600
limit_default = 700
limit_min = 200
limit_max = 700
temperature = 41
sm_clock = 1980
memory_clock = 2619
utilisation = 37
memory_total = 150000000000
memory_used = 120000000000
power_capped_ns = 2000000000
sw_thermal_ns = 1000000000
hw_thermal_ns = 500000000
power_brake_ns = 250000000
processes = 4711:1048576 4712:2097152
[gpu]
uuid = GPU-51d00000-0000-0000-0000-000000000002
name = NVIDIA GH200 480GB
bus_id = 00000000:5E:00.0
architecture = 9
flags = counter power average power_fields module module_counter
power = 400
module_power = 600
[gpu]
uuid = GPU-51d00000-0000-0000-0000-000000000003
name = Tesla P100
bus_id = 00000000:86:00.0
architecture = 4
flags = power
power = 150
"""


class SameValues(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        import pynvml
        cls.nvml = pynvml
        pynvml.nvmlInit()
        cls.gpus = [pynvml.nvmlDeviceGetHandleByIndex(i) for i in range(pynvml.nvmlDeviceGetCount())]
        cls.rows = {}
        ours = subprocess.run([os.environ["READ_NVML"], os.environ["FAKE_NVML"]], check=True, stdout=subprocess.PIPE,
                              text=True)
        for line in ours.stdout.splitlines():
            device, what, boundary, source, value = line.split("\t")
            cls.rows[device[-1], what, boundary, source] = value

    @classmethod
    def tearDownClass(cls):
        cls.nvml.nvmlShutdown()

    def ours(self, gpu, what, source="", boundary=None):
        found = [value for (device, name, edge, read), value in self.rows.items()
                 if (device, name) == (str(gpu + 1), what) and source in read and boundary in (None, edge)]
        self.assertEqual(len(found), 1, (gpu, what, source, found))
        return found[0]

    def same(self, theirs, expected, *ours):
        self.assertAlmostEqual(theirs, expected, places=6)
        self.assertAlmostEqual(float(self.ours(*ours)), expected, places=6)

    def field(self, gpu, field, scope=0):
        value = self.nvml.nvmlDeviceGetFieldValues(self.gpus[gpu], [(field, scope)])[0]
        self.assertEqual(value.nvmlReturn, 0)
        self.assertIn(value.valueType, (self.nvml.NVML_VALUE_TYPE_UNSIGNED_INT,
                                        self.nvml.NVML_VALUE_TYPE_UNSIGNED_LONG_LONG))
        wide = value.valueType == self.nvml.NVML_VALUE_TYPE_UNSIGNED_LONG_LONG
        return value.value.ullVal if wide else value.value.uiVal

    def test_identity(self):
        n = self.nvml
        self.assertEqual(len(self.gpus), 3)
        self.assertEqual(n.nvmlSystemGetDriverVersion(), "580.126.09")
        self.assertEqual(n.nvmlDeviceGetUUID(self.gpus[0]), "GPU-51d00000-0000-0000-0000-000000000001")
        self.assertEqual(n.nvmlDeviceGetName(self.gpus[0]), "Simulated H200")
        self.assertEqual(self.ours(0, "name"), "Simulated H200")
        self.assertEqual(n.nvmlDeviceGetArchitecture(self.gpus[0]), n.NVML_DEVICE_ARCH_HOPPER)
        self.assertEqual(self.ours(0, "architecture"), "Hopper")
        pci = n.nvmlDeviceGetPciInfo(self.gpus[0])
        self.assertEqual(pci.busId, "00000000:3B:00.0")
        self.assertEqual((pci.domain, pci.bus, pci.device), (0, 0x3B, 0))
        self.assertEqual(self.ours(0, "pci_address"), "0000:3b:00.0")
        by_uuid = n.nvmlDeviceGetHandleByUUID("GPU-51d00000-0000-0000-0000-000000000002")
        self.assertEqual(n.nvmlDeviceGetName(by_uuid), "NVIDIA GH200 480GB")

    def test_energy_and_power(self):
        n = self.nvml
        # 5 000 J at the start, 10 s of 100 W and half a second of 400 W.
        self.same(n.nvmlDeviceGetTotalEnergyConsumption(self.gpus[0]) / 1000, 6200, 0, "energy")
        self.same(self.field(0, n.NVML_FI_DEV_TOTAL_ENERGY_CONSUMPTION) / 1000, 6200, 0, "energy")
        self.same(self.field(0, n.NVML_FI_DEV_POWER_AVERAGE) / 1000, 250, 0, "power", "185")
        self.same(self.field(0, n.NVML_FI_DEV_POWER_INSTANT) / 1000, 400, 0, "power", "186")
        self.assertEqual(n.nvmlDeviceGetPowerUsage(self.gpus[0]), 250_000)

    def test_limits(self):
        n = self.nvml
        self.same(n.nvmlDeviceGetEnforcedPowerLimit(self.gpus[0]) / 1000, 600, 0, "power_limit_enforced")
        self.same(n.nvmlDeviceGetPowerManagementDefaultLimit(self.gpus[0]) / 1000, 700, 0, "power_limit_default")
        self.same(self.field(0, n.NVML_FI_DEV_POWER_MAX_LIMIT) / 1000, 700, 0, "power_limit_max")
        self.assertEqual(n.nvmlDeviceGetPowerManagementLimitConstraints(self.gpus[0]), [200_000, 700_000])
        self.same(self.field(0, n.NVML_FI_DEV_POWER_MIN_LIMIT) / 1000, 200, 0, "power_limit_min")

    def test_state(self):
        n = self.nvml
        gpu = self.gpus[0]
        self.same(n.nvmlDeviceGetTemperature(gpu, n.NVML_TEMPERATURE_GPU), 41, 0, "temperature")
        self.same(n.nvmlDeviceGetClockInfo(gpu, n.NVML_CLOCK_SM), 1980, 0, "sm_clock")
        self.same(n.nvmlDeviceGetClockInfo(gpu, n.NVML_CLOCK_MEM), 2619, 0, "memory_clock")
        self.same(n.nvmlDeviceGetUtilizationRates(gpu).gpu / 100, 0.37, 0, "utilisation")
        self.same(n.nvmlDeviceGetMemoryInfo(gpu).used, 120e9, 0, "memory_used")
        self.same(n.nvmlDeviceGetMemoryInfo(gpu, n.nvmlMemory_v2).used, 120e9, 0, "memory_used")
        self.assertEqual(n.nvmlDeviceGetPersistenceMode(gpu), 1)
        self.assertEqual(n.nvmlDeviceGetMigMode(gpu), [0, 0])

    def test_slowdown(self):
        n = self.nvml
        times = [n.NVML_FI_DEV_CLOCKS_EVENT_REASON_SW_THERM_SLOWDOWN, n.NVML_FI_DEV_CLOCKS_EVENT_REASON_HW_THERM_SLOWDOWN,
                 n.NVML_FI_DEV_CLOCKS_EVENT_REASON_HW_POWER_BRAKE_SLOWDOWN]
        self.same(sum(self.field(0, field) for field in times) * 1e-9, 1.75, 0, "throttled_time")
        capped = self.field(0, n.NVML_FI_DEV_CLOCKS_EVENT_REASON_SW_POWER_CAP)
        self.same(capped * 1e-9, 2, 0, "power_capped_time")

    def test_processes(self):
        processes = self.nvml.nvmlDeviceGetComputeRunningProcesses(self.gpus[0])
        self.assertEqual([(p.pid, p.usedGpuMemory) for p in processes], [(4711, 1048576), (4712, 2097152)])
        self.assertEqual(self.nvml.nvmlDeviceGetComputeRunningProcesses(self.gpus[1]), [])

    def test_superchip(self):
        n = self.nvml
        self.same(n.nvmlDeviceGetTotalEnergyConsumption(self.gpus[1]) / 1000, 6300, 1, "energy", "", "gpu_module")
        self.same(self.field(1, n.NVML_FI_DEV_POWER_AVERAGE, 0) / 1000, 400, 1, "power", "185", "gpu_board")
        self.same(self.field(1, n.NVML_FI_DEV_POWER_AVERAGE, 1) / 1000, 600, 1, "power", "185", "gpu_module")

    def test_what_a_pascal_has_not(self):
        n = self.nvml
        with self.assertRaises(n.NVMLError_NotSupported):
            n.nvmlDeviceGetTotalEnergyConsumption(self.gpus[2])
        value = n.nvmlDeviceGetFieldValues(self.gpus[2], [n.NVML_FI_DEV_POWER_INSTANT])[0]
        self.assertEqual(value.nvmlReturn, n.NVML_ERROR_NOT_SUPPORTED)
        self.same(n.nvmlDeviceGetPowerUsage(self.gpus[2]) / 1000, 150, 2, "power", "nvmlDeviceGetPowerUsage")
        self.assertFalse([key for key in self.rows if key[:2] == ("3", "energy")])


def run_in(python, library, read_nvml):
    """The tests themselves, where the loader finds the fake library under the driver's name."""
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        (folder / "libnvidia-ml.so.1").symlink_to(library)
        (folder / "clock").write_text("10.5")
        (folder / "script").write_text(SCRIPT.format(clock=folder / "clock"))
        environment = dict(os.environ, LD_LIBRARY_PATH=str(folder), FAKE_NVML=str(library), READ_NVML=read_nvml,
                           TOKENJOULE_FAKE_NVML_SCRIPT=str(folder / "script"), PYTHONDONTWRITEBYTECODE="1")
        return subprocess.run([str(python), __file__, "--in-environment"], env=environment).returncode


if __name__ == "__main__":
    if sys.argv[1:] == ["--in-environment"]:
        unittest.main(argv=sys.argv[:1], verbosity=2)
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    sys.exit(run_in(environment.python_with(*PINS), pathlib.Path(sys.argv[1]).resolve(), sys.argv[2]))
