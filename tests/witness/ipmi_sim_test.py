"""The ipmi sensor against OpenIPMI's simulator of a management controller (Debian package openipmi), which a
module of ours teaches DCMI, and beside ipmitool's own reading of it.

Usage: ipmi_sim_test.py READ_SENSOR MODULE
Exits 77 with a reason where the simulator, ipmitool or the headers for the module are not there.
"""
import os
import pathlib
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import unittest

import environment

LAN = """name "bmc"
loadlib "{module}" "{reply}"
set_working_mc 0x20
  startlan 1
    addr 127.0.0.1 {port}
    priv_limit admin
    allowed_auths_callback none md2 md5 straight
    allowed_auths_user none md2 md5 straight
    allowed_auths_operator none md2 md5 straight
    allowed_auths_admin none md2 md5 straight
    guid a123456789abcdefa123456789abcdef
  endlan
  user 1 true "" "" user 10 none md2 md5 straight
  user 2 true "reader" "s3cret" admin 10 none md2 md5 straight
"""
CONTROLLER = """mc_setbmc 0x20
mc_add 0x20 0 no-device-sdrs 0x23 9 8 0x9f 0x1291 0xf02 persist_sdr
mc_enable 0x20
"""


def free_udp_port():
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def reply(watts, average=0, period_ms=1000, state=0x40):
    """Get Power Reading: code, group, now, minimum, maximum, average, time, period, state."""
    data = [0x00, 0xDC]
    for value in (watts, max(watts - 10, 0), watts + 10, average):
        data += value.to_bytes(2, "little")
    data += (1_700_000_000).to_bytes(4, "little") + period_ms.to_bytes(4, "little") + bytes([state])
    return " ".join(f"{byte:02x}" for byte in data)


class Simulator(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(cls.enterClassContext(tempfile.TemporaryDirectory()))
        cls.port = free_udp_port()
        cls.reply_file = cls.folder / "reply.txt"
        cls.answer(reply(412))
        (cls.folder / "state").mkdir()
        (cls.folder / "lan.conf").write_text(LAN.format(module=os.environ["MODULE_FILE"], reply=cls.reply_file, port=cls.port))
        (cls.folder / "controller.emu").write_text(CONTROLLER)
        cls.process = subprocess.Popen(
            [os.environ["IPMI_SIM"], "-c", "lan.conf", "-f", "controller.emu", "-s", "state/", "-n"], cwd=cls.folder,
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        cls.addClassCleanup(cls.process.wait)
        cls.addClassCleanup(cls.process.kill)
        deadline = time.monotonic() + 30
        while cls.ipmitool().returncode != 0:
            if time.monotonic() > deadline or cls.process.poll() is not None:
                raise AssertionError("ipmi_sim does not answer")

    @classmethod
    def answer(cls, text):
        """Whole or not at all, since it may be read meanwhile."""
        new = cls.reply_file.with_suffix(".new")
        new.write_text(text)
        new.rename(cls.reply_file)

    @classmethod
    def ipmitool(cls):
        return subprocess.run(
            [os.environ["IPMITOOL"], "-I", "lanplus", "-C", "3", "-H", "127.0.0.1", "-p", str(cls.port), "-U", "reader", "-E",
             "-N", "1", "-R", "1", "dcmi", "power", "reading"],
            env=dict(os.environ, IPMI_PASSWORD="s3cret"), capture_output=True, text=True)

    def ours(self, settings=",cipher=3", password="s3cret", privilege="ADMINISTRATOR"):
        settings += f",privilege={privilege}"
        spec = f"ipmi:host=127.0.0.1,port={self.port},user=reader,password_env=BMC_PASSWORD{settings}"
        return subprocess.run([os.environ["READ_SENSOR"], spec], env=dict(os.environ, BMC_PASSWORD=password),
                              capture_output=True, text=True)

    def reading(self, settings=",cipher=3"):
        done = self.ours(settings)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout.rstrip("\n").split("\t")

    def test_reads_what_ipmitool_reads(self):
        for watts, average in ((412, 408), (5713, 4999)):
            self.answer(reply(watts, average))
            theirs = self.ipmitool().stdout
            now = int(re.search(r"Instantaneous power reading: +(\d+) Watts", theirs).group(1))
            mean = int(re.search(r"Average power reading over sample period: +(\d+) Watts", theirs).group(1))
            self.assertEqual((now, mean), (watts, average))
            device, measurand, boundary, _, value = self.reading()
            self.assertEqual((device, measurand, boundary, float(value)),
                             ("ipmi:a123456789abcdefa123456789abcdef", "power", "node_ac", now))
            self.assertEqual(float(self.reading(",cipher=3,value=average")[4]), mean)

    def test_the_cipher_suite_need_not_be_given(self):
        self.answer(reply(300))
        self.assertEqual(float(self.reading("")[4]), 300)

    def test_a_session_that_may_not_read_is_told_what_to_ask_for(self):
        """The simulator lets none but administrators use what it does not know itself."""
        done = self.ours(privilege="USER")
        self.assertEqual(done.returncode, 3)
        self.assertIn("0xd4", done.stderr)
        self.assertIn("privilege=", done.stderr)

    def test_what_is_not_being_measured_is_absent(self):
        self.answer(reply(0, state=0))
        self.assertIn("deactivated", self.ipmitool().stdout)
        done = self.ours()
        self.assertEqual(done.returncode, 3)
        self.assertIn("not measuring", done.stderr)
        self.assertIn("accept_inactive=yes", done.stderr)

    def test_a_controller_without_dcmi_says_so(self):
        self.answer("c1")
        done = self.ours()
        self.assertEqual(done.returncode, 3)
        self.assertIn("0xc1", done.stderr)

    def test_a_wrong_password_is_told_and_shown_to_nobody(self):
        done = self.ours(password="wr0ng")
        self.assertEqual(done.returncode, 3)
        self.assertIn("RMCP+ session", done.stderr)
        self.assertNotIn("wr0ng", done.stderr)


def program(name):
    """Also where a plain user's PATH has no folders of the administrator's."""
    found = shutil.which(name) or shutil.which(name, path="/usr/sbin:/sbin")
    return found or environment.skip(f"{name} is not installed (Debian packages openipmi and ipmitool)")


def module(path):
    return path if os.path.isfile(path) else environment.skip("the module is not built (Debian package libopenipmi-dev)")


if __name__ == "__main__":
    environment.main(__file__, pins=(), prepared=(("IPMI_SIM", lambda: program("ipmi_sim")),
                                                  ("IPMITOOL", lambda: program("ipmitool")),
                                                  ("MODULE_FILE", lambda: module(sys.argv[2]))),
                     READ_SENSOR="the program that prints a sensor's readings", MODULE="the simulator's module")
