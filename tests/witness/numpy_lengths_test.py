"""numpy's RandomState and our generator draw the same lengths.

Usage: numpy_lengths_test.py TOKEN_TOTALS
Needs numpy, which it installs into a virtual environment in the user's cache; exits 77 with a reason where
that cannot be done.
"""
import os
import random
import subprocess
import unittest

import environment

PINS = ["numpy==2.2.6"]


def totals_of_numpy(isl, osl, ratio, seed, requests):
    """As InferenceX's load client draws them: all prompts, then all answers."""
    import numpy
    numpy.random.seed(seed)
    prompts = numpy.random.randint(int(isl * ratio), isl + 1, size=requests)
    answers = numpy.random.randint(int(osl * ratio), osl + 1, size=requests)
    return int(prompts.sum()), int(answers.sum())


def ours(cases):
    lines = "".join(" ".join(map(repr, case)) + "\n" for case in cases)
    done = subprocess.run([os.environ["TOKEN_TOTALS"]], input=lines, stdout=subprocess.PIPE, check=True, text=True)
    return [tuple(map(int, line.split())) for line in done.stdout.splitlines()]


class SameLengths(unittest.TestCase):
    def compare(self, cases):
        found = ours(cases)
        self.assertEqual(len(found), len(cases))
        for case, totals in zip(cases, found):
            self.assertEqual(totals, totals_of_numpy(*case), case)

    def test_a_thousand_random_workloads(self):
        draw = random.Random(1)
        self.compare([(draw.randint(1, 40_000), draw.randint(1, 40_000), draw.random(), draw.choice([0, draw.getrandbits(32)]),
                       draw.randint(1, 3_000)) for _ in range(1000)])

    def test_the_published_workloads(self):
        self.compare([(isl, osl, 0.8, 0, 10 * streams) for isl, osl in [(1024, 1024), (1024, 8192), (8192, 1024)]
                      for streams in [1, 4, 16, 64, 256, 1024, 4096]])

    def test_lengths_without_a_range_on_either_side(self):
        self.compare([(1024, 1024, 1.0, 0, 50), (1, 1024, 1.0, 0, 50), (1, 1000, 0.9999, 0, 50), (1000, 1, 0.9999, 3, 50),
                      (1, 1, 0.0, 7, 50)])


if __name__ == "__main__":
    environment.main(__file__, PINS, token_totals="our generator")
