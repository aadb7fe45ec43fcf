"""tokenjoule import: other tools' records with a power log, from files to the verdict; wrong files in one line."""
import contextlib
import datetime
import gzip
import json
import pathlib
import tempfile
import unittest

from support import SOURCE, codes_of, result_of, tokenjoule

SAMPLES = SOURCE / "src/record/import/testdata"
BEGIN = 1790000000


def nvidia_smi(folder, gpus=1, zone_hours=0, loaded=(0, 60)):
    """One reading a second from 30 s before to 30 s behind the load: 100 W, under load 400 W."""
    lines = ["timestamp, index, power.draw.instant [W]"]
    for second in range(-30, 91):
        stamp = datetime.datetime.fromtimestamp(BEGIN + second + 3600 * zone_hours, datetime.timezone.utc)
        watts = 400 if loaded[0] < second <= loaded[1] else 100
        lines += [f"{stamp:%Y/%m/%d %H:%M:%S}.000, {gpu}, {watts}.00 W" for gpu in range(gpus)]
    path = pathlib.Path(folder) / "power.csv"
    path.write_text("\n".join(lines) + "\n")
    return path


@contextlib.contextmanager
def scratch():
    with tempfile.TemporaryDirectory() as folder:
        yield pathlib.Path(folder)


class Import(unittest.TestCase):
    def test_totals_with_a_power_log(self):
        with scratch() as folder:
            done = tokenjoule("import", "auto", SAMPLES / "inferencex_raw.json", nvidia_smi(folder, gpus=2), "--out", folder / "out",
                              "--clock-offset", "0", "--format", "json")
            self.assertEqual(done.returncode, 0, done.stderr)
            result = json.loads(done.stdout)
            # Of each GPU 250 + 59 x 400 J; 640 queries, 589961 output tokens.
            self.assertAlmostEqual(result["figures"]["watt_hours_per_query"]["value"], 47700 / 640 / 3600, places=7)
            self.assertAlmostEqual(result["figures"]["joules_per_output_token"]["value"], 47700 / 589961, places=7)
            self.assertEqual(result["configuration"]["import"]["power"][0]["inferencex"], {"power_valid": True, "reasons": []})
            again = tokenjoule("analyze", folder / "out", "--format", "json")
            self.assertEqual(again.stdout, done.stdout)
            self.assertEqual((folder / "out/result.json").read_text(), done.stdout)

    def test_packed_files_are_read_and_imports_of_one_second_do_not_clash(self):
        with scratch() as folder:
            for path in (SAMPLES / "inferencex_raw.json", nvidia_smi(folder)):
                (folder / (path.name + ".gz")).write_bytes(gzip.compress(path.read_bytes()))
            for _ in range(3):
                done = tokenjoule("import", "auto", folder / "inferencex_raw.json.gz", folder / "power.csv.gz", "--clock-offset", "0",
                                  cwd=folder)
                self.assertEqual(done.returncode, 0, done.stderr)
            made = sorted(folder.glob("tokenjoule-import-*"))
            self.assertEqual(len(made), 3)
            files = result_of(made[0])["configuration"]["import"]["files"]
            self.assertEqual([entry["file"] for entry in files], ["inferencex_raw.json", "power.csv"])
            (folder / "broken.json.gz").write_bytes(b"\x1f\x8bnothing")
            done = tokenjoule("import", "auto", folder / "broken.json.gz", folder / "power.csv.gz", "--out", folder / "out")
            self.assertEqual(done.returncode, 3)
            self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)

    def test_how_requests_were_sent_is_not_made_up(self):
        with scratch() as folder:
            done = tokenjoule("import", "auto", SAMPLES / "mlperf_log_detail.txt", nvidia_smi(folder), "--clock-offset", "0", "--out",
                              folder / "out")
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIsNone(result_of(folder / "out")["load"]["mode"])
            self.assertNotIn("closed loop", done.stdout)

    def test_the_time_zone_is_found_and_an_offset_estimated(self):
        with scratch() as folder:
            done = tokenjoule("import", "inferencex", SAMPLES / "inferencex_raw.json", nvidia_smi(folder, zone_hours=2), "--out",
                              folder / "out")
            self.assertEqual(done.returncode, 0, done.stderr)
            join = result_of(folder / "out")["configuration"]["import"]["power"][0]
            self.assertEqual((join["zone_shift_s"], join["clock_offset_s"], join["clock_estimated"]), (-7200, 0, False))
            done = tokenjoule("import", "auto", SAMPLES / "inferencex_raw.json", nvidia_smi(folder, loaded=(-12, 48)),
                              "--power-timezone", "UTC", "--out", folder / "behind")
            self.assertEqual(done.returncode, 0, done.stderr)
            join = result_of(folder / "behind")["configuration"]["import"]["power"][0]
            self.assertTrue(join["clock_estimated"])
            self.assertLessEqual(abs(join["clock_offset_s"] - 12), join["clock_bound_s"])
            self.assertIn("import_clock", codes_of(result_of(folder / "behind")))

    def test_sglang_says_no_time_and_the_step_does(self):
        with scratch() as folder:
            done = tokenjoule("import", "auto", SAMPLES / "sglang.jsonl", nvidia_smi(folder), "--out", folder / "out")
            self.assertEqual(done.returncode, 0, done.stderr)
            figures = result_of(folder / "out")["figures"]
            bound = figures["joules_per_output_token"]["systematic_bound"]
            self.assertLessEqual(abs(figures["joules_per_output_token"]["value"] - 23850 / 8000), bound)

    def test_any_meter_by_its_columns(self):
        with scratch() as folder:
            meter = folder / "meter.csv"
            meter.write_text("t,p\n" + "".join(f"{BEGIN + s},{4000 if 0 < s <= 60 else 1000}\n" for s in range(-30, 91)))
            done = tokenjoule("import", "mlperf", SAMPLES / "mlperf_log_detail.txt", meter, "--power-format", "csv", "--columns",
                              "time=t,watts=p", "--power-boundary", "node_ac", "--clock-offset", "0", "--out", folder / "out")
            self.assertEqual(done.returncode, 0, done.stderr)
            result = result_of(folder / "out")
            self.assertEqual(result["boundary"]["name"], "node_ac")
            self.assertAlmostEqual(result["figures"]["joules_per_output_token"]["value"], 238500 / 60000, places=6)

    def test_no_text_of_prompts_or_answers_is_taken_over(self):
        with scratch() as folder:
            power = nvidia_smi(folder, loaded=(0, 6))
            tokenjoule("import", "auto", SAMPLES / "vllm_detailed.json", power, "--start", BEGIN, "--out", folder / "out")
            self.assertNotIn("secret", (folder / "out/run.jsonl").read_text())
            self.assertIn('"event":"request"', (folder / "out/run.jsonl").read_text())

    def test_the_record_keeps_to_the_schema_of_runs(self):
        with scratch() as folder:
            tokenjoule("import", "auto", SAMPLES / "aiperf_profile_export.jsonl", nvidia_smi(folder), "--power-timezone", "UTC",
                       "--out", folder / "out")
            events = [json.loads(line)["event"] for line in (folder / "out/run.jsonl").read_text().splitlines()]
            self.assertEqual((events[0], events[-1]), ("header", "close"))
            self.assertEqual(events.count("request"), 4)


class WrongFiles(unittest.TestCase):
    def refused(self, code, text, *arguments):
        with scratch() as folder:
            done = tokenjoule("import", *arguments, "--out", folder / "out")
            self.assertEqual((done.returncode, done.stdout, len(done.stderr.splitlines())), (code, "", 1), done.stderr)
            self.assertIn(text, done.stderr)
            self.assertFalse((folder / "out").exists())

    def test_each_gets_one_line(self):
        load, power = SAMPLES / "inferencex_raw.json", SAMPLES / "nvidia_smi.csv"
        with scratch() as folder:
            def file(name, text):
                (folder / name).write_text(text)
                return folder / name
            self.refused(3, "no log that is known", "auto", load, file("page.html", "<html><body>404</body></html>"))
            self.refused(3, "is not JSON", "inferencex", file("cut.json", load.read_text()[:100]), power)
            self.refused(3, "no column of power", "auto", load, file("other.csv", "timestamp,index,fan\n1,2,3\n"),
                         "--power-format", "nvidia-smi")
            self.refused(3, "telemetry_file_empty", "auto", load, file("empty.csv", ""))
            self.refused(3, "does not cover it", "auto", load, nvidia_smi(folder, zone_hours=24 * 30))
            self.refused(3, "none of the files is a record of a load", "auto", power, power)
        self.refused(2, "both are records of a load", "auto", load, load)
        self.refused(2, "did you mean vllm?", "vlm", load, power)
        self.refused(2, "an import needs", "auto", load)
        self.refused(2, "names of its columns", "auto", load, power, "--power-format", "csv")
        self.refused(3, "cannot read", "auto", load, "/no/such/file")
        self.refused(2, "no time zone", "auto", load, power, "--power-timezone", "CET")
        self.refused(3, "no power log has a device", "auto", load, power, "--gpus", "9")


if __name__ == "__main__":
    unittest.main()
