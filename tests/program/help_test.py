"""Help shows every option and runs as it stands; README and program agree."""
import re
import unittest

from support import SOURCE, tokenjoule

COMMANDS = ("measure", "record", "analyze", "sensors", "simulate", "selftest", "plan", "published", "import", "estimate")


class Help(unittest.TestCase):
    def test_each_command_has_help(self):
        overview = tokenjoule("--help").stdout
        for command in COMMANDS:
            self.assertIn(command, overview)
            done = tokenjoule(command, "--help")
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertIn("Usage: tokenjoule " + command, done.stdout)
            self.assertLessEqual(max(map(len, done.stdout.splitlines())), 110)

    def test_nothing_given_is_a_usage_error(self):
        self.assertEqual(tokenjoule().returncode, 2)

    def test_version(self):
        self.assertEqual(tokenjoule("--version").stdout, f"tokenjoule {(SOURCE / 'VERSION').read_text().strip()}\n")

    def test_options_named_in_the_readme_exist(self):
        known = set()
        for command in COMMANDS:
            known |= set(re.findall(r"--[a-z][a-z-]+", tokenjoule(command, "--help").stdout))
        readme = (SOURCE / "README.md").read_text()
        for line in readme.splitlines():
            if "tokenjoule measure" in line or "./run measure" in line or "tokenjoule simulate" in line:
                self.assertLessEqual(set(re.findall(r" (--[a-z][a-z-]+)", line)), known, line)


if __name__ == "__main__":
    unittest.main()
