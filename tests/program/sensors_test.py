"""tokenjoule sensors: what is here, why the rest is not, and how good it is."""
import json
import pathlib
import shlex
import tempfile
import unittest

from support import new_folder, result_of, simulator, tokenjoule

LINE = '{"signal": "power", "device": "meter-1", "boundary": "node_ac", "watts": 200}'
STEADY = f"while echo {shlex.quote(LINE)}; do sleep 0.1; done"


class Sensors(unittest.TestCase):
    def test_every_kind_is_listed_with_its_rights_and_why_it_is_absent(self):
        done = tokenjoule("sensors", "--format", "json")
        self.assertEqual(done.returncode, 0, done.stderr)
        listed = json.loads(done.stdout)["sensors"]
        for sensor in listed:
            self.assertTrue(sensor["rights"], sensor["name"])
            if not sensor["here"]:
                self.assertTrue(sensor["reason"], sensor["name"])
                self.assertTrue(sensor["advice"], sensor["name"])
        self.assertLessEqual({"nvml", "dcgm", "exec"}, {sensor["type"] for sensor in listed})
        text = tokenjoule("sensors").stdout
        for sensor in listed:
            self.assertIn(sensor["name"], text)

    def test_a_measurement_without_any_says_the_same(self):
        listed = json.loads(tokenjoule("sensors", "--format", "json").stdout)["sensors"]
        absent = {sensor["name"]: sensor for sensor in listed if not sensor["here"]}
        if not {"nvml", "dcgm"} <= set(absent):
            self.skipTest("this machine has GPUs that are read without being asked for")
        with simulator() as engine, new_folder() as out:
            done = tokenjoule("measure", "--url", engine.url, "--out", out)
            if done.returncode != 3:
                self.skipTest("this machine has a sensor that is read without being asked for")
            self.assertIn(absent["nvml"]["reason"], done.stderr)
            self.assertIn(absent["nvml"]["advice"], done.stderr)

    def test_a_steady_meter_is_tried(self):
        done = tokenjoule("sensors", "--test", "--duration", "3", "--sensor", "exec:command=" + STEADY, "--format", "json")
        self.assertEqual(done.returncode, 0, done.stderr)
        (sensor,) = json.loads(done.stdout)["sensors"]
        trial = sensor["trial"]
        self.assertEqual(trial["verdict"], "good", trial)
        self.assertGreater(trial["signals"][0]["readings"], 10)
        self.assertEqual(trial["signals"][0]["noise_relative"], 0)
        table = tokenjoule("sensors", "--test", "--duration", "2", "--sensor", "exec:command=" + STEADY)
        self.assertTrue(table.stdout.startswith("exec         good: "), table.stdout)

    def test_a_counter_that_disagrees_is_bad(self):
        lines = ('import time,sys\nfor i in range(400):\n'
                 ' print(\'{"signal":"e","device":"m","boundary":"node_ac","joules":%f}\' % (i * 0.05 * 1000))\n'
                 ' print(\'{"signal":"p","device":"m","boundary":"node_ac","watts":%f}\' % (100 + i % 2))\n'
                 ' sys.stdout.flush(); time.sleep(0.05)\n')
        with tempfile.TemporaryDirectory() as folder:
            script = pathlib.Path(folder) / "meter.py"
            script.write_text(lines)
            done = tokenjoule("sensors", "--test", "--duration", "3", "--sensor", f"exec:command=exec python3 {script}",
                              "--format", "json")
            trial = json.loads(done.stdout)["sensors"][0]["trial"]
            self.assertEqual(done.returncode, 4)
            self.assertEqual(trial["verdict"], "bad", trial)
            self.assertIn("disagree", trial["words"])

    def test_simulated_gpus_are_tried_for_step_cost_and_agreement(self):
        with simulator("--gpus", "1") as engine:
            done = tokenjoule("sensors", "--test", "--duration", "4", "--sensor", engine.sensor, "--format", "json")
            trial = json.loads(done.stdout)["sensors"][0]["trial"]
            self.assertGreater(trial["read_worst_s"], 0)
            energy = next(signal for signal in trial["signals"] if signal["measurand"] == "energy")
            self.assertGreater(energy["step_s"], 0)
            self.assertAlmostEqual(trial["devices"][0]["power_over_counter"], 1, delta=0.1)
            self.assertIsNotNone(trial["devices"][0]["watts_read_often"])


class Configuration(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def write(self, text):
        (pathlib.Path(self.folder.name) / "tokenjoule.toml").write_text(text)

    def run_there(self, *arguments):
        return tokenjoule(*arguments, cwd=self.folder.name)

    def meter(self, name, watts):
        line = json.dumps({"signal": "power", "device": f"{name}/outlet-1", "boundary": "node_ac", "watts": watts})
        return f"[sensor.{name}]\ntype = \"exec\"\ncommand = '''while echo '{line}'; do sleep 0.1; done'''\n"

    def test_feeds_of_a_node_are_added_with_their_calibration(self):
        self.write(self.meter("pdu-a", 100) + self.meter("pdu-b", 60) + '[node.n1]\nfeeds = ["pdu-a", "pdu-b"]\n'
                   '[calibration.pdu-a]\ngain = 1.01\nhalf_width = 0.002\ncertificate = "C-17"\ndate = 2026-03-01\n')
        done = self.run_there("record", "--sensor", "pdu-a", "--sensor", "pdu-b", "--duration", "2", "--out", "out")
        self.assertIn(done.returncode, (0, 4), done.stderr)  # 4: a busy machine left gaps in its readings
        self.assertIn("configuration: ./tokenjoule.toml", done.stderr)
        out = pathlib.Path(self.folder.name) / "out"
        result = result_of(out)
        self.assertAlmostEqual(result["energy"][0]["joules"], (101 + 60) * 2, places=6)
        calibrated = next(item for item in result["instruments"] if item["id"].startswith("pdu-a:"))
        self.assertEqual(calibrated["calibration"],
                         {"gain": 1.01, "half_width_relative": 0.002, "certificate": "C-17", "date": "2026-03-01"})
        # The record keeps what was read.
        raw = [line for line in (out / "run.jsonl").read_text().splitlines() if '"event":"sample"' in line]
        self.assertEqual({json.loads(line)["values"][0][1] for line in raw}, {100, 60})
        again = tokenjoule("analyze", out, "--format", "json")
        self.assertEqual(again.stdout.encode(), (out / "result.json").read_bytes())

    def test_a_feed_that_is_not_read_is_no_figure_of_the_node(self):
        self.write(self.meter("pdu-a", 100) + self.meter("pdu-b", 60) + '[node.n1]\nfeeds = ["pdu-a", "pdu-b"]\n')
        done = self.run_there("record", "--sensor", "pdu-a", "--duration", "2", "--out", "out")
        self.assertEqual(done.returncode, 4, done.stderr)
        result = result_of(pathlib.Path(self.folder.name) / "out")
        self.assertIn("partial_node", {reason["code"] for reason in result["verdict"]["reasons"]})
        self.assertIsNone(result["figures"]["mean_watts"]["value"])

    def test_what_is_wrong_with_it_is_said_with_its_line(self):
        self.write('[sensor.a]\ntype = "exec"\ncomand = "true"\n')
        for command in ("record", "sensors"):
            done = self.run_there(command)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn("tokenjoule.toml, line 3", done.stderr)
            self.assertIn("did you mean command", done.stderr)
        self.write('[sensor.a]\ntype = "dcgm"\npassword = "hush-hush"\n')
        done = self.run_there("measure", "--url", "http://127.0.0.1:1")
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn("password_env", done.stderr)
        self.assertNotIn("hush", done.stderr)
        done = self.run_there("record", "--config", "absent.toml")
        self.assertEqual(done.returncode, 3, done.stderr)


if __name__ == "__main__":
    unittest.main()
