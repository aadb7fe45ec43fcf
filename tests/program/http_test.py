"""TLS, several servers and refusals, from the command line to the result."""
import contextlib
import pathlib
import shutil
import subprocess
import tempfile
import unittest

from support import codes_of, events_of, new_folder, result_of, simulator, tokenjoule

SHORT = ("--idle", "0", "--warmup", "1", "--input-len", "64", "--output-len", "16", "-c", "4", "--duration", "3")


@contextlib.contextmanager
def certificate():
    """A self-signed certificate for 127.0.0.1, and its key."""
    with tempfile.TemporaryDirectory() as folder:
        cert, key = pathlib.Path(folder) / "cert.pem", pathlib.Path(folder) / "key.pem"
        subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2",
                        "-subj", "/CN=test", "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", key, "-out", cert],
                       check=True, stderr=subprocess.DEVNULL)
        yield cert, key


def measure(url, engine, out, *arguments):
    return tokenjoule("measure", "--url", url, "--sensor", engine.sensor, "--all-gpus", "--out", out, *SHORT, *arguments)


class Http(unittest.TestCase):
    @unittest.skipUnless(shutil.which("openssl"), "needs the openssl command to make a certificate")
    def test_tls_with_a_trusted_certificate_end_to_end(self):
        with certificate() as (cert, key), simulator("--tls-cert", cert, "--tls-key", key) as engine, new_folder() as out:
            done = measure(engine.url, engine, out, "--cacert", cert)
            self.assertEqual(done.returncode, 0, done.stderr)
            result = result_of(out)
            self.assertEqual(result["requests"]["failed"], 0, result["requests"])
            self.assertGreater(result["requests"]["completed"], 0)
            self.assertEqual(result["client"]["stamps"], "kernel")
            self.assertNotIn("tls_not_verified", codes_of(result))

    @unittest.skipUnless(shutil.which("openssl"), "needs the openssl command to make a certificate")
    def test_who_is_not_trusted_is_refused_unless_told_otherwise_which_the_result_shows(self):
        with certificate() as (cert, key), simulator("--tls-cert", cert, "--tls-key", key) as engine, new_folder() as out:
            refused = measure(engine.url, engine, out)
            self.assertEqual(refused.returncode, 3, refused.stderr)
            self.assertIn("self-signed", refused.stderr)
            self.assertIn("--cacert", refused.stderr)
            self.assertFalse(out.exists())
            done = measure(engine.url, engine, out, "--insecure")
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("tls_not_verified", codes_of(result_of(out)))
            self.assertEqual(events_of(out)[0]["configuration"]["tls_not_verified"],
                             [engine.url, engine.url + "/dcgm/metrics"])
            self.assertIn("tls_not_verified", (out / "report.md").read_text())

    def test_a_certificate_that_the_simulator_made_is_trusted_by_its_file(self):
        with new_folder() as folder, new_folder() as out:
            folder.mkdir()
            with simulator("--tls", folder / "cert.pem") as engine:
                done = measure(engine.url, engine, out, "--cacert", folder / "cert.pem")
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertEqual(result_of(out)["requests"]["failed"], 0, done.stderr)
                self.assertNotIn("PRIVATE", (folder / "cert.pem").read_text())

    def test_a_certificate_without_its_key_is_refused(self):
        done = tokenjoule("simulate", "--tls-cert", "cert.pem")
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn("--tls-key", done.stderr)

    def test_a_file_without_a_certificate_is_refused(self):
        done = tokenjoule("simulate", "--port", "0", "--tls-cert", __file__, "--tls-key", __file__)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn("no certificate", done.stderr)

    def test_streams_are_dealt_out_to_several_servers_and_their_counters_added(self):
        with simulator() as first, simulator() as second, new_folder() as out:
            done = measure(f"{first.url},{second.url}", first, out)
            self.assertEqual(done.returncode, 0, done.stderr)
            result = result_of(out)
            self.assertEqual(result["requests"]["failed"], 0, result["requests"])
            self.assertNotIn("tokens_disagree", codes_of(result))
            self.assertIsNotNone(result["tokens"]["engine_counter_output"])
            counted = [float(line.split()[1]) for engine in (first, second) for line in engine.get("/metrics").splitlines()
                       if line.startswith("vllm:generation_tokens_total")]
            self.assertEqual(len(counted), 2)
            self.assertGreater(min(counted), 0)
            self.assertAlmostEqual(counted[0] / counted[1], 1, delta=0.3)  # two streams each

    def test_a_server_named_twice_is_refused(self):
        with new_folder() as out:
            done = tokenjoule("measure", "--url", "http://127.0.0.1:1,http://127.0.0.1:1/v1", "--out", out)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn("twice", done.stderr)

    def test_refusals_are_counted_by_class_with_the_first_message(self):
        with simulator("--fault", "http_429:every=5") as engine, new_folder() as out:
            done = measure(engine.url, engine, out)
            requests = result_of(out)["requests"]
            self.assertGreater(requests["failures"]["rate_limited"], 0, done.stderr)
            self.assertTrue(requests["failure_messages"]["rate_limited"].startswith("http 429"))
            self.assertEqual(set(requests["failures"]), {"rate_limited"})


if __name__ == "__main__":
    unittest.main()
