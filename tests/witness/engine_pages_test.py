"""prometheus_client (PyPI) and our reader on pages in the forms of engines and exporters, which are not a part of the
project: exits 77 with the reason where they are not at hand.

Usage: engine_pages_test.py TOKENJOULE READ_METRICS
"""
import sys
import unittest

import environment
from prometheus_client_test import PINS, SOURCE, Comparing

# Written after the definitions of engines and exporters; none is a capture.
WRITTEN = SOURCE.parent / "shared" / "data" / "metrics"


class EnginePages(Comparing, unittest.TestCase):
    def test_pages_in_the_forms_of_engines_and_exporters(self):
        files = sorted(WRITTEN.glob("*.prom"))
        self.assertTrue(files)
        samples = 0
        for file in files:
            with self.subTest(page=file.name):
                samples += self.compare(file.name, file.read_bytes())
        print(f"{len(files)} pages, {samples} samples compared")


if __name__ == "__main__":
    if not WRITTEN.is_dir() and sys.argv[1:] != [environment.INSIDE]:
        environment.skip("the pages in the forms of engines and exporters are not part of this checkout")
    environment.main(__file__, PINS, tokenjoule="the program", read_metrics="our reader")
