"""tokenjoule plan: known answers to the printed digit, every example of its help, errors in one line."""
import json
import pathlib
import shlex
import tempfile
import unittest

from support import tokenjoule


def plan(*arguments):
    done = tokenjoule("plan", *arguments, "--format", "json")
    if done.returncode:
        raise AssertionError(done.stderr)
    return json.loads(done.stdout)["sections"]


class KnownAnswers(unittest.TestCase):
    def test_one_joule_a_token(self):
        table = tokenjoule("plan", "--energy", "1J/token").stdout
        self.assertIn("277.78 Wh/Mtok", table)
        self.assertIn("3 600 000 tokens/kWh", table)

    def test_ceilings(self):
        for joules, printed in (("0.150", "41.7"), ("0.1605", "44.6")):
            wh = plan("--energy", joules + "J/token")["energy_per_token"]["watt_hours_per_million_tokens"]["value"]
            self.assertEqual(f"{wh:.1f}", printed)

    def test_eight_boards_for_a_day(self):
        table = tokenjoule("plan", "--power", "8x600W").stdout
        for text in ("115.2 kWh", "414.72 MJ", "16 378 BTU/h"):
            self.assertIn(text, table)

    def test_both_ways(self):
        for power in ("115.2kWh/day", "414.72MJ/day", "16378.28BTU/h", "42048kWh/year"):
            self.assertAlmostEqual(plan("--power", power)["power"]["watts"]["value"], 4800, places=2)
        for energy in ("41.66667Wh/Mtok", "0.04166667kWh/Mtok", "24e6tokens/kWh"):
            self.assertAlmostEqual(plan("--energy", energy)["energy_per_token"]["joules_per_token"]["value"], 0.15, places=7)
        amperes = plan("--power", "4.8kW", "--voltage", "400V", "--phases", 3, "--power-factor", 0.98)
        back = plan("--current", f"{amperes['current']['amperes_per_phase']['value']!r}A", "--voltage", "400V", "--phases", 3,
                    "--power-factor", 0.98)
        self.assertAlmostEqual(back["power"]["watts"]["value"], 4800)

    def test_every_line_has_its_formula_and_kind(self):
        sections = plan("--energy", "0.15J/token", "--tokens-per-second", 32000, "--pue", 1.2, "--grid-location", "381g/kWh",
                        "--electricity-price", "0.12EUR/kWh", "--token-price", "0.4EUR/Mtok", "--installed-power", "520kW")
        for name, section in sections.items():
            for key, line in section.items():
                self.assertTrue(line["value"] is None and line["reason"] or line["formula"] and line["kind"], (name, key))

    def test_a_result_is_taken_with_what_it_is(self):
        with tempfile.TemporaryDirectory() as folder:
            result = {"schema": "tokenjoule.result/1", "simulated": True, "boundary": {"name": "gpu_board"},
                      "idle": {"watts": 900}, "verdict": {"status": "care"},
                      "figures": {"joules_per_output_token": {"value": 0.15}, "mean_watts": {"value": 4800},
                                  "output_tokens_per_second": {"value": 32000}}}
            (pathlib.Path(folder) / "result.json").write_text(json.dumps(result))
            sections = plan("--from", folder, "--busy-hours", 12)
            self.assertEqual(sections["energy_per_token"]["joules_per_token"]["kind"], "simulated")
            self.assertAlmostEqual(sections["idle_hours"]["joules_per_token_with_idle_hours"]["value"], 0.178125)


class HelpAndErrors(unittest.TestCase):
    def test_every_example_runs(self):
        examples = [line.strip() for line in tokenjoule("plan", "--help").stdout.split("Examples:\n")[1].splitlines()]
        self.assertGreater(len(examples), 4)
        for example in examples:
            for form in ("table", "json", "markdown"):
                done = tokenjoule(*shlex.split(example)[1:], "--format", form)
                self.assertEqual((done.returncode, done.stderr), (0, ""), example)
                self.assertGreater(len(done.stdout), 100)

    def test_errors_say_what_is_missing(self):
        cases = {"": "nothing to plan from", "--power 4.8": "has no unit", "--power 4.8KW": "did you mean kW?",
                 "--pue 1.2 --pue 1.3 --power 5kW": "given twice", "--power 5kW --idle-power 6kW --busy-hours 8": "is above",
                 "--power 5kWh": "is an energy, where a power is wanted", "--power 5kW --busy-hours 8": "--idle-power",
                 "--power 5kW --voltage 230V": "--phases 1 or 3, --power-factor", "--pue 0.9": "out of range",
                 "--token-price 1EUR/Mtok": "--electricity-price", "--from /no/such/file": "/no/such/file",
                 "--electricity-price 0.12/kWh": "has no currency", "--format xml --power 1W": "--format table"}
        for arguments, text in cases.items():
            done = tokenjoule("plan", *arguments.split())
            self.assertIn(done.returncode, (2, 3), arguments)
            self.assertEqual((done.stdout, len(done.stderr.splitlines())), ("", 1), arguments)
            self.assertIn(text, done.stderr)


if __name__ == "__main__":
    unittest.main()
