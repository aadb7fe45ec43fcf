"""Published results: tables of files as they are found, and one clear line for each that is none."""
import gzip
import json
import os
import pathlib
import shutil
import subprocess
import unittest
import zipfile

from support import PROGRAM, SOURCE, new_folder, tokenjoule

SAMPLES = SOURCE / "src" / "published" / "testdata"
ROWS = SAMPLES / "inferencex.api_rows.json"


class Published(unittest.TestCase):
    def shown(self, *arguments):
        done = tokenjoule("published", *arguments)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def rows(self, *arguments):
        return json.loads(self.shown("table", *arguments, "--format", "json"))["rows"]

    def refused(self, *words, files):
        done = tokenjoule("published", "table", *files)
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertEqual(done.stdout, "")
        lines = done.stderr.splitlines()
        self.assertEqual(len(lines), 2, done.stderr)  # what is wrong with the file; nothing is left
        for word in words:
            self.assertIn(word, lines[0])

    def test_without_a_file_there_are_headlines(self):
        text = self.shown()
        self.assertIn("0.24", text)
        self.assertIn("published table FILE", text)

    def test_a_moved_program_still_has_its_tables(self):
        with new_folder() as folder:
            pathlib.Path(folder).mkdir(parents=True)
            moved = pathlib.Path(folder) / "tj"
            shutil.copy(PROGRAM, moved)
            done = subprocess.run([moved, "published", "table", ROWS], stdout=subprocess.PIPE, cwd="/", text=True)
            self.assertEqual(done.returncode, 0)
            self.assertIn("1370", done.stdout)

    def test_the_same_rows_packed_and_in_folders_count_once(self):
        with new_folder() as folder:
            folder = pathlib.Path(folder)
            folder.mkdir(parents=True)
            (folder / "a.json.gz").write_bytes(gzip.compress(ROWS.read_bytes()))
            with zipfile.ZipFile(folder / "b.zip", "w", zipfile.ZIP_DEFLATED) as archive:
                archive.write(ROWS, "inside/rows.json")
            (folder / "README.md").write_text("no results\n")
            done = tokenjoule("published", "table", folder, ROWS, "--format", "json")
            self.assertEqual(done.returncode, 0, done.stderr)
            table = json.loads(done.stdout)
            self.assertEqual(len(table["rows"]), 2)
            self.assertEqual(table["duplicates_dropped"], 4)
            self.assertIn("1 files of folders or archives are nobody's results", done.stderr)

    def test_figures_follow_the_watts(self):
        row = next(row for row in self.rows(ROWS) if row["gpu"] == "h200")
        self.assertEqual(row["energy_kind"], "provisioned")
        self.assertEqual(row["limit_source"], "catalogue")
        self.assertAlmostEqual(row["figures"]["joules_per_total_token"]["value"], 1370 / 1332.8, places=12)
        row = self.rows(ROWS, "--where", "gpu=h200", "--watts", "H200=1000", "--compare-to", "ps5")[0]
        self.assertEqual(row["limit_source"], "option")
        self.assertAlmostEqual(row["figures"]["ps5_minutes"]["value"], 1000 / 1332.8 * 9216 / 3600 * 0.3, places=12)

    def test_days_stand_beside_each_other(self):
        watts = [row["watts_per_gpu"] for row in
                 self.rows(ROWS, "--where", "gpu=h200", "--power-as-of", "2025-12-15,2026-07-14")]
        self.assertEqual(sorted(watts), [1370, 1730])

    def test_own_tables_replace_those_built_in(self):
        with new_folder() as folder:
            pathlib.Path(folder).mkdir(parents=True)
            table = pathlib.Path(folder) / "power.csv"
            table.write_text("gpu,watts,from\nh200,999,2026-01-01\n")
            self.assertEqual(self.rows(ROWS, "--power-table", table, "--where", "gpu=h200")[0]["watts_per_gpu"], 999)
            table.write_text("gpu,limit_w\nh200,555\ngb200,1\n")
            text = self.shown("ceiling", ROWS, "--hardware-table", table, "--columns", "gpu,watts")
            self.assertIn("555", text)

    def test_json_fits_its_schema(self):
        try:
            import jsonschema
        except ImportError:
            self.skipTest("python3-jsonschema is not installed")
        schema = json.loads((SOURCE / "docs" / "published.schema.json").read_text())
        validator = jsonschema.Draft202012Validator(schema)
        files = [path for path in SAMPLES.iterdir() if "power_" not in path.name]
        for arguments in (["--watts", "b200=1,mi355x=2,h200=3,gb200=4,h100=5", "--compare-to", "ps5", "--achieved", "0.5"],
                          ["--kind", "ceiling,provisioned", "--where", "scenario!=x"]):
            done = tokenjoule("published", "table", *files, *arguments, "--format", "json")
            self.assertEqual(done.returncode, 0, done.stderr)
            validator.validate(json.loads(done.stdout))
        table = json.loads(done.stdout)
        for path, value in ((("schema",), "tokenjoule.published/2"), (("rows", 0, "energy_kind"), "guessed"),
                            (("rows", 0, "figures", "joules_per_output_token"), 3)):
            broken = json.loads(done.stdout)
            parent = broken
            for key in path[:-1]:
                parent = parent[key]
            parent[path[-1]] = value
            self.assertFalse(validator.is_valid(broken), path)
        self.assertTrue(validator.is_valid(table))

    def test_each_wrong_file_gets_one_clear_line(self):
        with new_folder() as folder:
            folder = pathlib.Path(folder)
            folder.mkdir(parents=True)

            def file(name, content):
                path = folder / name
                path.write_bytes(content if isinstance(content, bytes) else content.encode())
                return path

            self.refused("HTML page", files=[file("page.json", "<!DOCTYPE html>\n<html>")])
            self.refused("no key", files=[file("other.json", '{"a": 1}')])
            self.refused("empty", files=[file("empty.json", "")])
            self.refused("cut off", files=[file("cut.json", '[{"hw": "h200", "tput_per_gpu": 1, "tp"')])
            self.refused("deeper", files=[file("deep.json", '[{"tput_per_gpu": ' + "[" * 200000)])
            csv = (SAMPLES / "inferencex.dashboard.csv").read_text().splitlines()
            shifted = csv[2] + "\n" + csv[3].replace("1024,1024,h200,", "1024,h200,", 1) + ",\n"
            self.refused("shifted", files=[file("shifted.csv", shifted)])
            twice = shifted + csv[3].replace("1024,1024,h200,", "1024,h200,", 1) + ",\n"
            self.refused("shifted", "1 more problems in this file", files=[file("shifted.csv", twice)])
            self.refused("longer than", files=[file("line.csv", csv[2] + "\n" + "x" * 3_000_000)])
            self.refused("zip bomb", files=[file("bomb.json.gz", gzip.compress(bytes(64 << 20)))])
            large = file("large.json", "")
            os.truncate(large, 2 << 30)  # sparse
            self.refused("2.1 GB", files=[large])
            self.refused("no regular file", files=["/dev/zero"])

    def test_a_cut_off_file_still_gives_its_whole_rows(self):
        with new_folder() as folder:
            pathlib.Path(folder).mkdir(parents=True)
            path = pathlib.Path(folder) / "cut.json"
            path.write_text(ROWS.read_text()[:-40])
            done = tokenjoule("published", "table", path, "--format", "json")
            self.assertEqual(done.returncode, 0, done.stderr)
            table = json.loads(done.stdout)
            self.assertEqual(len(table["rows"]), 1)
            self.assertEqual(len(table["problems"]), 1)

    def test_rows_with_errors_are_marked_in_every_format_and_lead_nothing(self):
        with new_folder() as folder:
            path = pathlib.Path(folder)
            path.mkdir(parents=True)
            path /= "rows.json"
            # The second says 25 tokens/s of a user and 1 s a token: R04. It would take least, and be fastest.
            path.write_text(json.dumps([{"hw": "h200", "infmax_model_prefix": "dsr1", "conc": 4, "isl": 1024, "osl": 1024, "tp": 8,
                                         "tput_per_gpu": rate, "mean_intvty": user, "mean_tpot": 1 / 20} for rate, user in
                                        ((100, 20), (200, 25))]))
            rows = self.rows(path)
            self.assertEqual([row["audit_errors"] for row in rows], [[], ["R04"]])
            self.assertEqual([row["flags"] for row in rows], [[], ["error:R04"]])
            self.assertEqual([row["origin"]["row"] for row in rows], [1, 2])
            for form in ("table", "markdown", "csv"):
                self.assertIn("error:R04", self.shown("table", path, "--format", form, "--columns", "model,j_total"), form)
            done = tokenjoule("published", "table", path, "--pareto", "--format", "json")
            self.assertEqual(len(json.loads(done.stdout)["rows"]), 1)
            self.assertIn("1 lines are of rows that the audit calls errors", done.stderr)
            self.assertEqual(len(self.rows(path, "--where", "flags~error")), 1)

    def test_every_row_says_whose_it_is(self):
        text = self.shown("table", SAMPLES / "mlperf.v6_0.json", ROWS)
        self.assertIn("] MLPerf Inference, v6.0, 6.0-", text)
        self.assertIn("our calculation, not an MLPerf metric", text)
        self.assertIn("MLPerf is a registered trademark", text)
        self.assertIn("] InferenceX, 2025-12-15", text)
        self.assertIn("attribution to InferenceX is required", text)
        header, first = [line for line in self.shown("table", ROWS, "--format", "csv").splitlines() if not line.startswith("#")][:2]
        self.assertTrue(header.endswith(",attribution"))
        self.assertIn("InferenceX, ", first)

    def test_agents_traces_alone_say_what_to_do(self):
        done = tokenjoule("published", "table", SAMPLES / "inferencex.agentic.json")
        self.assertEqual(done.returncode, 3)
        self.assertIn("all rows are agents' traces", done.stderr)
        self.assertIn("--where scenario=agentic", done.stderr)

    def test_wrong_options_are_said(self):
        for words, arguments in (
                (["takes no --kind"], ["ceiling", ROWS, "--kind", "ceiling"]),
                (["did you mean model"], ["table", ROWS, "--where", "modle=x"]),
                (["no GPU=WATTS"], ["table", ROWS, "--watts", "h200"]),
                (["no day"], ["table", ROWS, "--power-as-of", "2025"]),
                (["2026-02-31"], ["table", ROWS, "--power-as-of", "2026-02-31"]),
                (["given twice", "csv"], ["table", ROWS, "--format", "csv", "--format", "json"]),
                (["achieved"], ["table", ROWS, "--achieved", "2"]),
                (["needs files"], ["table"]),
                (["needs files"], ["--pareto"])):
            done = tokenjoule("published", *arguments)
            self.assertEqual(done.returncode, 2, done.stderr)
            for word in words:
                self.assertIn(word, done.stderr)


class Audit(unittest.TestCase):
    def audit(self, *arguments, code=0):
        done = tokenjoule("published", "audit", *arguments)
        self.assertEqual(done.returncode, code, done.stderr)
        return done.stdout

    def broken(self, folder):
        folder = pathlib.Path(folder)
        folder.mkdir(parents=True)
        path = folder / "rows.json"
        path.write_text(json.dumps([{"hw": "h200", "conc": 4, "isl": 1024, "osl": 1024, "tp": 8, "tput_per_gpu": rate,
                                     "median_e2el": latency} for rate, latency in ((100, 5), (200, 0))]))
        return path

    def test_findings_are_listed_and_the_exit_code_stays_0(self):
        text = self.audit(ROWS)
        self.assertIn("R10 stated_gpus: 1 note", text)
        self.assertIn("row 1 (h200 trt dsr1 fp8 8192/1024 c64 2025-12-15)", text)

    def test_strict_is_4_where_an_error_or_a_warning_is_found(self):
        with new_folder() as folder:
            path = self.broken(folder)
            self.assertIn("R02 placeholder_latency: 1 error", self.audit(path))
            self.audit(path, "--strict", code=4)
            self.audit(path, "--strict", "--rule", "R03")
            self.audit(path, "--strict", "--where", "tok_s_gpu=100")
            self.audit(path, "--strict", "--where", "tok_s_gpu=200", code=4)

    def test_json_and_csv_have_every_finding(self):
        with new_folder() as folder:
            path = self.broken(folder)
            found = json.loads(self.audit(path, "--format", "json", "--rule", "R02"))
            self.assertEqual(found["counts"]["error"], 1)
            self.assertEqual([(f["rule"], f["row"], f["values"]) for f in found["findings"]],
                             [("R02", 2, {"median_e2e_s": 0.0})])
            lines = self.audit(path, "--format", "csv", "--rule", "R02").splitlines()
            self.assertEqual(len(lines), 2)

    def test_what_is_not_known_is_refused_in_one_line(self):
        for arguments, code, word in ((["--rule", "R09"], 2, "R09"), (["--format", "html"], 2, "html"),
                                      (["--where", "wh_query>1"], 2, "wh_query"), (["--where", "isl=7"], 3, "--where"),
                                      (["--watts", "h200=1"], 2, "--watts")):
            done = tokenjoule("published", "audit", ROWS, *arguments)
            self.assertEqual(done.returncode, code, done.stderr)
            self.assertEqual(done.stdout, "")
            self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
            self.assertIn(word, done.stderr)


if __name__ == "__main__":
    unittest.main()
