"""What the witnesses run in: programs of others, pinned, kept in the user's cache outside the repository."""
import contextlib
import fcntl
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

CACHE = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache") / "tokenjoule"
INSIDE = "--in-environment"
sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "program"))  # the simulator's support.py


def skip(reason):
    print(f"SKIPPED: {reason}")
    sys.exit(77)


@contextlib.contextmanager
def one_at_a_time():
    """Several tests may want the cache at once."""
    CACHE.mkdir(parents=True, exist_ok=True)
    with open(CACHE / "witness.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def run(*command, **options):
    return subprocess.run([str(part) for part in command], check=True, timeout=300, capture_output=True, text=True,
                          **options)


def last_words(error):
    """Why a command failed, in one line."""
    lines = (getattr(error, "stderr", None) or "").strip().splitlines()
    return f"{error}: {lines[-1]}" if lines else str(error)


def python_with(*pins):
    """The Python of an environment that has these packages ("name==version")."""
    python = CACHE / "venv" / "bin" / "python"
    pairs = [pin.split("==") for pin in pins]
    check = f"import importlib.metadata as m; assert all(m.version(n) == v for n, v in {pairs})"
    with one_at_a_time():
        try:
            if python.exists() and subprocess.run([python, "-c", check], stderr=subprocess.DEVNULL).returncode == 0:
                return python
            print(f"installing {', '.join(pins)} into {CACHE / 'venv'}", flush=True)
            run(sys.executable, "-m", "venv", CACHE / "venv")
            run(python, "-m", "pip", "install", "-q", "--disable-pip-version-check", *pins)
        except (OSError, subprocess.SubprocessError) as error:
            skip(f"{', '.join(pins)} cannot be installed from PyPI: {last_words(error)}")
    return python


def packages_of(pin):
    """A folder with that one package ("name==version") and none that it depends on, for tests of several versions."""
    folder = CACHE / pin.replace("==", "-")
    with one_at_a_time():
        if folder.exists():
            return folder
        print(f"fetching {pin} into {folder}", flush=True)
        with tempfile.TemporaryDirectory(dir=CACHE) as temporary:
            try:
                run(sys.executable, "-m", "pip", "install", "-q", "--disable-pip-version-check", "--no-deps", "--target",
                    pathlib.Path(temporary) / "packages", pin)
            except (OSError, subprocess.SubprocessError) as error:
                skip(f"{pin} cannot be installed from PyPI: {last_words(error)}")
            (pathlib.Path(temporary) / "packages").rename(folder)  # whole or not at all
    return folder


def promtool():
    """Prometheus's promtool: the installed one, else the one in Debian's package, which is unpacked and
    not installed, as installing it would start a server."""
    program = shutil.which("promtool") or CACHE / "promtool" / "usr" / "bin" / "promtool"
    if pathlib.Path(program).exists():
        return program
    with one_at_a_time(), tempfile.TemporaryDirectory() as folder:
        try:
            run("apt-get", "download", "-q", "prometheus", cwd=folder)
            package = next(pathlib.Path(folder).glob("*.deb"))
            run("dpkg-deb", "-x", package, pathlib.Path(folder) / "unpacked")
            program.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(pathlib.Path(folder) / "unpacked" / "usr" / "bin" / "promtool", program.with_suffix(".new"))
            program.with_suffix(".new").rename(program)  # whole or not at all
        except (OSError, subprocess.SubprocessError) as error:
            skip(f"promtool is not installed and Debian's prometheus package cannot be had: {last_words(error)}")
    return program


def vllm_benchmarks(version):
    """A folder with vllm/benchmarks of vLLM's source package. pip fetches and unpacks the package, then asks for
    its metadata, which needs torch and so fails; --no-clean leaves what was unpacked. In isolation it would fetch
    torch instead."""
    folder = CACHE / f"vllm-{version}"
    if folder.exists():
        return folder
    with one_at_a_time(), tempfile.TemporaryDirectory() as temporary:
        print(f"fetching vllm {version}'s source package (47 MB, once)", flush=True)
        reason = "its source package has no vllm/benchmarks"
        try:
            run(CACHE / "venv" / "bin" / "python", "-m", "pip", "download", "-q", "--disable-pip-version-check",
                "--no-deps", "--no-binary", "vllm", "--no-build-isolation", "--no-clean", "-d", temporary, f"vllm=={version}",
                env=dict(os.environ, TMPDIR=temporary))
        except (OSError, subprocess.SubprocessError) as error:
            reason = last_words(error)
        found = list(pathlib.Path(temporary).glob("pip-download-*/vllm_*/vllm/benchmarks"))
        if not found:
            skip(f"vllm {version} cannot be fetched from PyPI: {reason}")
        shutil.rmtree(folder.with_suffix(".new"), ignore_errors=True)
        shutil.copytree(found[0], folder.with_suffix(".new") / "vllm" / "benchmarks")
        folder.with_suffix(".new").rename(folder)  # whole or not at all
    return folder


def main(file, pins, prepared=(), **programs):
    """Runs the file's tests in an environment that has the packages. The tests find in the environment, under
    names in capitals, the arguments that the file takes (`programs`: each with what it is) and what is to be
    `prepared` (pairs of a name and how to get it)."""
    if sys.argv[1:] == [INSIDE]:
        unittest.main(argv=sys.argv[:1], verbosity=2)
    if len(sys.argv) != 1 + len(programs):
        sys.exit(f"usage: {pathlib.Path(file).name} {' '.join(name.upper() for name in programs)}")
    python = python_with(*pins) if pins else sys.executable
    variables = dict(zip(programs, sys.argv[1:]))
    variables.update((name, str(prepare())) for name, prepare in prepared)
    variables["pythondontwritebytecode"] = "1"
    variables = {name.upper(): value for name, value in variables.items()}
    sys.exit(subprocess.run([python, file, INSIDE], env=dict(os.environ, **variables)).returncode)
