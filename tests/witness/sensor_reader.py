"""Runs read_sensor and takes its lines apart."""
import os
import subprocess
from typing import NamedTuple


class Signal(NamedTuple):
    device: str
    measurand: str
    kind: str
    boundary: str
    raw_unit: str
    to_si: float


class Reading(NamedTuple):
    signal: int
    raw: float
    begin: float
    end: float


class Readings(NamedTuple):
    signals: list
    readings: list
    losses: list
    code: int
    stderr: str

    def si(self, measurand):
        """(device, SI value) of the last reading of each signal of that measurand."""
        last = {reading.signal: reading.raw for reading in self.readings}
        return {signal.device: last[i] * signal.to_si for i, signal in enumerate(self.signals)
                if signal.measurand == measurand and i in last}


def read(spec, seconds=0.3, **environment):
    done = subprocess.run([os.environ["READ_SENSOR"], spec, str(seconds)], capture_output=True, text=True, timeout=60,
                          env=dict(os.environ, **environment))
    signals, readings, losses = [], [], []
    for line in done.stdout.splitlines():
        kind, *fields = line.split("\t")
        if kind == "signal":
            signals.append(Signal(*fields[1:6], float(fields[6])))
        elif kind == "reading":
            readings.append(Reading(int(fields[0]), *map(float, fields[1:])))
        else:
            losses.append(fields[0])
    return Readings(signals, readings, losses, done.returncode, done.stderr)
