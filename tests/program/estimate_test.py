"""Estimates for lengths that nobody published, and MLPerf files as they are found."""
import json
import pathlib
import unittest

from support import SOURCE, new_folder, tokenjoule

SAMPLES = SOURCE / "src" / "published" / "testdata"


def rows(model="m"):
    """Queries of 0.01 mWh per input and 0.1 mWh per output token, on one board at 1000 W."""
    text = "model,gpu,gpus,conc,isl,osl,tok_s,measured_gpu_w\n"
    for isl, osl in ((1000, 1000), (1000, 8000), (8000, 1000)):
        text += f"{model},h200,1,64,{isl},{osl},{1000 * (isl + osl) / 3600 / (isl * 1e-5 + osl * 1e-4)},1000\n"
    return text


class Estimate(unittest.TestCase):
    def setUp(self):
        folder = self.enterContext(new_folder())
        self.folder = pathlib.Path(folder)
        self.folder.mkdir(parents=True)
        self.file = self.folder / "rows.csv"
        self.file.write_text(rows())

    def estimate(self, *arguments):
        return tokenjoule("estimate", "--from", self.file, *arguments)

    def test_energy_of_other_lengths_is_modelled(self):
        done = self.estimate("--input-len", "2000", "--output-len", "3000", "--format", "json")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        made = json.loads(done.stdout)
        self.assertEqual(made["schema"], "tokenjoule.estimate/1")
        (estimate,) = made["estimates"]
        self.assertAlmostEqual(estimate["watt_hours_per_query"], 0.32, places=9)
        self.assertEqual(estimate["energy_kind"], "modelled")
        self.assertEqual(estimate["from_energy_kind"], "measured_gpu")
        self.assertEqual([row["row"] for row in estimate["rows"]], [1, 2, 3])

    def test_the_table_says_its_rows_and_its_residual(self):
        text = self.estimate("--input-len", "2000", "--output-len", "3000").stdout
        for part in ("0.32 Wh", "modelled from measured_gpu", "residual 0.0 %", "row 2 of", "1000/8000 tokens"):
            self.assertIn(part, text)

    def test_lengths_outside_of_the_rows_are_refused(self):
        done = self.estimate("--input-len", "8000", "--output-len", "8000")
        self.assertEqual((done.returncode, done.stdout), (3, ""))
        self.assertIn("8000/8000 is outside", done.stderr)

    def test_wrong_options_are_said(self):
        for words, arguments in (
                ("needs --output-len", ["--input-len", "1"]),
                ("not by energy", ["--input-len", "1", "--output-len", "1", "--where", "j_output<1"]),
                ("--format xml is none", ["--input-len", "1", "--output-len", "1", "--format", "xml"]),
                ("--kind modelled", ["--input-len", "1", "--output-len", "1", "--kind", "modelled"])):
            done = self.estimate(*arguments)
            self.assertEqual((done.returncode, done.stdout), (2, ""), arguments)
            self.assertIn(words, done.stderr)
        self.assertEqual(tokenjoule("estimate", "--input-len", "1", "--output-len", "1").returncode, 2)


class Mlperf(unittest.TestCase):
    def table(self, verb, *files):
        done = tokenjoule("published", verb, *(SAMPLES / file for file in files), "--format", "json")
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def test_ceilings_stand_on_the_submissions_own_limit(self):
        table = self.table("ceiling", "mlperf.v6_0.json", "mlperf.systems.jsonl", "mlperf.loadgen.csv")
        found = {(row["attribution"]["id"], row["scenario"]): row for row in table["rows"]}
        row = found["6.0-0021", "Offline"]
        self.assertEqual(row["limit_source"], "submission")
        self.assertEqual(round(row["figures"]["joules_per_output_token"]["value"], 4), 0.15)
        self.assertEqual(round(row["figures"]["joules_per_query"]["value"], 1), 44.0)
        self.assertIn("not an MLPerf metric", row["attribution"]["words"])
        self.assertTrue(any("registered trademark" in notice for notice in table["notices"]))

    def test_a_table_says_which_round_and_row_each_line_is(self):
        text = tokenjoule("published", "ceiling", SAMPLES / "mlperf.v6_0.json").stdout
        for part in ("6.0-0021", "closed", "available", "Interactive", "not an MLPerf metric"):
            self.assertIn(part, text)
        text = tokenjoule("published", "ceiling", SAMPLES / "mlperf.v6_0.json", "--columns", "id").stdout
        self.assertNotIn("Interactive", text)

    def test_measured_rows_are_wall_energy_only(self):
        rows_ = self.table("table", "mlperf.measured.json")["rows"]
        self.assertEqual(len(rows_), 20)
        self.assertEqual({row["energy_kind"] for row in rows_}, {"measured_wall"})


if __name__ == "__main__":
    unittest.main()
