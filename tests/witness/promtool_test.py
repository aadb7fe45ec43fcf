"""Prometheus's own promtool (Debian package prometheus) checks the pages that the simulator serves: no
error, and no lint warning but those listed here.

Usage: promtool_test.py TOKENJOULE
Exits 77 with a reason where promtool is not there and cannot be had.
"""
import os
import subprocess
import unittest

import environment

# What promtool finds to say about names that are not ours to choose.
ENGINE_NAMES = [" metric names should not contain ':'"]  # vLLM begins its names with "vllm:"
GPU_NAMES = [
    " label names should be written in 'snake_case' not 'camelCase'",  # dcgm-exporter's modelName
    # DCGM names a field by its C constant, whether it is a counter or not.
    'DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION counter metrics should have "_total" suffix',
    'DCGM_FI_DEV_POWER_VIOLATION counter metrics should have "_total" suffix',
]
LINT_ONLY = (0, 3)  # promtool's exit codes where the page can be read; 3: with lint


def check(page):
    done = subprocess.run([os.environ["PROMTOOL"], "check", "metrics"], input=page, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True)
    return done.returncode, done.stdout.splitlines()


class Accepted(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        version = subprocess.run([os.environ["PROMTOOL"], "--version"], check=True, stdout=subprocess.PIPE, text=True)
        print(version.stdout.splitlines()[0], flush=True)

    def accept(self, page, allowed):
        code, lines = check(page)
        self.assertIn(code, LINT_ONLY, lines)
        self.assertEqual([line for line in lines if line and not line.endswith(tuple(allowed))], [])

    def pages(self, *arguments):
        from support import simulator
        with simulator(*arguments) as running:
            self.accept(running.get("/metrics"), ENGINE_NAMES)
            self.accept(running.get("/dcgm/metrics"), GPU_NAMES)

    def test_pages_of_the_simulator(self):
        self.pages("--gpus", 2, "--idle-gpus", 1)

    def test_names_that_need_escaping(self):
        self.pages("--model", 'a "quoted" \\ n, {x}=1 # \u00e9')

    def test_pages_with_missing_families(self):
        self.pages("--fault", "no_power", "--fault", "no_counter")

    def test_promtool_does_refuse(self):
        self.assertEqual(check("a one\n")[0], 1)
        self.assertEqual(check('a{b="c} 1\n')[0], 1)


if __name__ == "__main__":
    environment.main(__file__, [], [("promtool", environment.promtool)], tokenjoule="the program")
