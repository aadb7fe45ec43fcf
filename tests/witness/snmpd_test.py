"""Debian's snmpd (net-snmp) as a PDU, read by our sensor beside Debian's snmpget: v2c and v3, the OIDs of four makers.

Usage: snmpd_test.py READ_SENSOR
Exits 77 with a reason where snmpd or snmpget are not there.
"""
import pathlib
import shutil
import socket
import subprocess
import tempfile
import time
import unittest

import environment
from sensor_reader import read

ENTERPRISES = ".1.3.6.1.4.1."
COMMUNITY = "read-this-pdu"
AUTH, PRIV = "an-auth-password", "a-priv-password"

# What the PDUs say: OID below enterprises, type as snmpd's `override` takes it, value.
VALUES = [
    ("318.1.1.26.4.3.1.5.1", "integer", 412),  # APC: 4.12 kW
    ("318.1.1.26.4.3.1.9.1", "integer", 170982),  # 17098.2 kWh
    ("318.1.1.26.9.4.3.1.7.3", "integer", 350),
    ("318.1.1.26.9.4.3.1.7.4", "integer", -1),  # not supported
    ("318.1.1.26.9.4.3.1.11.3", "integer", 77),
    ("1718.4.1.8.3.1.7.1.1.2", "integer", 575),  # Server Technology, outlet 2
    ("1718.4.1.8.3.1.14.1.1.2", "integer", 120000),
    ("534.6.6.7.3.5.1.4.0.1", "integer", 2345),  # Eaton, input 1 of unit 0
    ("534.6.6.7.3.5.1.5.0.1", "uinteger", 3000000000),  # above 2^31 Wh
    ("99999.1", "counter", 4000000000),
    ("99999.2", "octet_str", "412.5"),
]
# Raritan by a script (snmpd's `pass`): power 123.4 W with one digit, energy in Wh.
RARITAN = {"5.4.3.1.4.1.6.5": ("gauge", 1234), "3.5.4.1.7.1.6.5": ("gauge", 1), "3.5.4.1.6.1.6.5": ("integer", 3),
           "5.4.3.1.4.1.6.8": ("gauge", 98765), "3.5.4.1.7.1.6.8": ("gauge", 0), "3.5.4.1.6.1.6.8": ("integer", 5)}


def free_port():
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Snmpd:
    def __init__(self, folder):
        self.folder, self.port = folder, free_port()
        cases = "\n".join(f"{ENTERPRISES}13742.6.{oid}) echo \"$2\"; echo {kind}; echo {value};;"
                          for oid, (kind, value) in RARITAN.items())
        script = folder / "raritan.sh"
        script.write_text(f"[ \"$1\" = -g ] || exit 0\ncase $2 in\n{cases}\nesac\n")
        lines = [f"agentaddress udp:127.0.0.1:{self.port}", f"rocommunity {COMMUNITY} 127.0.0.1",
                 f"createUser reader SHA-256 {AUTH} AES {PRIV}", f"createUser checker SHA {AUTH}",
                 "rouser reader authpriv", "rouser checker authnopriv",
                 f"pass {ENTERPRISES}13742.6 /bin/sh {script}"]
        lines += [f"override {ENTERPRISES}{oid} {kind} {value}" for oid, kind, value in VALUES]
        (folder / "snmpd.conf").write_text("\n".join(lines) + "\n")
        state = folder / "state"
        state.mkdir()
        self.log = open(folder / "snmpd.log", "w")
        self.process = subprocess.Popen(
            [shutil.which("snmpd", path="/usr/sbin:/usr/bin:/sbin:/bin"), "-f", "-Lo", "-C", "-c", folder / "snmpd.conf"],
            stdout=self.log, stderr=subprocess.STDOUT,
            env={"PATH": "/usr/bin:/bin", "SNMP_PERSISTENT_DIR": str(state), "MIBS": ""})

    def get(self, oid, *login):
        login = login or ("-v2c", "-c", COMMUNITY)
        return subprocess.run(["snmpget", *login, "-Oqvt", "-t", "1", "-r", "0", f"127.0.0.1:{self.port}",
                               ENTERPRISES + oid], capture_output=True, text=True,
                              env={"PATH": "/usr/bin:/bin", "MIBS": "", "SNMP_PERSISTENT_DIR": str(self.folder / "client")})

    def wait(self):
        deadline = time.monotonic() + 15
        while self.get(VALUES[0][0]).returncode != 0:
            if time.monotonic() > deadline or self.process.poll() is not None:
                raise RuntimeError("snmpd does not answer: " + (self.folder / "snmpd.log").read_text()[-500:])

    def stop(self):
        self.process.terminate()
        self.process.wait(10)
        self.log.close()


class AgainstSnmpd(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.snmpd = Snmpd(pathlib.Path(cls.folder.name))
        cls.addClassCleanup(cls.folder.cleanup)
        cls.addClassCleanup(cls.snmpd.stop)
        cls.snmpd.wait()

    def ours(self, settings, login=None, seconds=0.3, **variables):
        login = login or "community_env=COMMUNITY"
        if "timeout" not in settings:
            settings += ",timeout=5s"  # a busy machine
        return read(f"snmp:host=127.0.0.1:{self.snmpd.port},{login},{settings}", seconds, COMMUNITY=COMMUNITY, AUTH=AUTH,
                    PRIV=PRIV, **variables)

    def theirs(self, oid, *login):
        done = self.snmpd.get(oid, *login)
        self.assertEqual(done.returncode, 0, done.stderr)
        return float(done.stdout.strip().strip('"'))

    def same(self, readings, *oids):
        self.assertEqual(readings.code, 0, readings.stderr)
        raw = {reading.signal: reading.raw for reading in readings.readings}
        self.assertEqual([raw[i] for i in sorted(raw)], [self.theirs(oid) for oid in oids], readings.stderr)

    def test_apc_power_and_energy(self):
        found = self.ours("profile=apc")
        self.same(found, "318.1.1.26.4.3.1.5.1", "318.1.1.26.4.3.1.9.1")
        self.assertEqual(found.si("power"), {"127.0.0.1/inlet-1": 4120})
        self.assertAlmostEqual(found.si("energy")["127.0.0.1/inlet-1"], 17098.2 * 3.6e6, delta=1)
        self.assertEqual([signal.boundary for signal in found.signals], ["rack", "rack"])

    def test_server_technology_and_eaton(self):
        self.same(self.ours("profile=servertech,outlet=2"), "1718.4.1.8.3.1.7.1.1.2", "1718.4.1.8.3.1.14.1.1.2")
        self.same(self.ours("profile=eaton"), "534.6.6.7.3.5.1.4.0.1", "534.6.6.7.3.5.1.5.0.1")

    def test_raritan_with_its_digits(self):
        found = self.ours("profile=raritan,outlet=6")
        self.same(found, "13742.6.5.4.3.1.4.1.6.5", "13742.6.5.4.3.1.4.1.6.8")
        self.assertAlmostEqual(found.si("power")["127.0.0.1/outlet-6"], 123.4)
        self.assertEqual(found.si("energy"), {"127.0.0.1/outlet-6": 98765 * 3600})

    def test_any_oid(self):
        self.same(self.ours("oid=1.3.6.1.4.1.99999.1,unit=Wh,boundary=node_ac"), "99999.1")
        self.same(self.ours("oid=1.3.6.1.4.1.99999.2,unit=0.1W,boundary=node_ac"), "99999.2")

    def test_not_supported_and_not_there_are_absent(self):
        for outlet, reason in ((4, "not supported"), (9, "no such")):
            found = self.ours(f"profile=apc,outlet={outlet}")
            self.assertEqual((found.code, found.readings), (3, []), found)
            self.assertIn(reason, found.stderr)

    def test_version_3(self):
        private = "user=reader,auth=SHA-256,auth_password_env=AUTH,priv=AES,priv_password_env=PRIV"
        self.same(self.ours("profile=apc,outlet=3", private), "318.1.1.26.9.4.3.1.7.3", "318.1.1.26.9.4.3.1.11.3")
        only_signed = "version=3,user=checker,auth=SHA,auth_password_env=AUTH"
        self.same(self.ours("profile=apc,outlet=3", only_signed), "318.1.1.26.9.4.3.1.7.3", "318.1.1.26.9.4.3.1.11.3")
        self.assertEqual(self.theirs("318.1.1.26.9.4.3.1.7.3", "-v3", "-u", "reader", "-l", "authPriv", "-a", "SHA-256",
                                     "-A", AUTH, "-x", "AES", "-X", PRIV), 350)

    def test_wrong_secrets_are_refused_and_not_shown(self):
        quick = "profile=apc,timeout=200ms,retries=0"
        for login in ("community_env=WRONG",
                      "user=reader,auth=SHA-256,auth_password_env=WRONG,priv=AES,priv_password_env=PRIV",
                      "user=reader,auth=SHA-256,auth_password_env=AUTH,priv=AES,priv_password_env=WRONG",
                      "user=nobody,auth=SHA-256,auth_password_env=AUTH"):
            found = self.ours(quick, login, WRONG="not-the-password")
            self.assertEqual((found.code, found.readings), (3, []), login)
            self.assertRegex(found.stderr, "error: .*\nhint: .*")
            self.assertNotIn("not-the-password", found.stderr)

    def test_the_library_leaves_no_file_and_no_log(self):
        with tempfile.TemporaryDirectory() as home:
            private = "user=reader,auth=SHA-256,auth_password_env=AUTH,priv=AES,priv_password_env=PRIV"
            found = self.ours("profile=apc", private, HOME=home, SNMP_PERSISTENT_DIR=f"{home}/state", MIBS="ALL")
            self.assertEqual((found.code, found.stderr), (0, ""))
            self.assertEqual(list(pathlib.Path(home).iterdir()), [])


if __name__ == "__main__":
    if not shutil.which("snmpd", path="/usr/sbin:/usr/bin:/sbin:/bin"):
        environment.skip("snmpd is not installed (Debian package snmpd)")
    if not shutil.which("snmpget"):
        environment.skip("snmpget is not installed (Debian package snmp)")
    environment.main(__file__, [], read_sensor="the program read_sensor")
