"""What a process and all that it starts take: CPU time and memory, by /proc."""
import os
import threading
import time

TICK = 1 / os.sysconf("SC_CLK_TCK")
PAGE = os.sysconf("SC_PAGE_SIZE")


def processes():
    """pid: (parent, name, CPU seconds, resident bytes) of all processes."""
    found = {}
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/stat") as file:
                name, _, rest = file.read().partition("(")[2].rpartition(")")
        except OSError:
            continue  # it ended meanwhile
        fields = rest.split()
        found[int(pid)] = (int(fields[1]), name, (int(fields[11]) + int(fields[12])) * TICK, int(fields[21]) * PAGE)
    return found


def busy_seconds(cpus):
    """Seconds that these CPUs worked for anybody."""
    total = 0
    with open("/proc/stat") as file:
        for line in file:
            name, *ticks = line.split()
            if name.startswith("cpu") and name[3:].isdigit() and int(name[3:]) in cpus:
                total += sum(int(ticks[i]) for i in (0, 1, 2, 5, 6)) * TICK
    return total


class ClientTree(threading.Thread):
    """Looks every 0.2 s. The emitter is left out, by its name, also where it is a child of the client."""

    def __init__(self, root, cpus):
        super().__init__(daemon=True)
        self.root, self.cpus = root, cpus
        self.cpu = {}  # by process: those that ended keep what they took
        self.peak_rss = 0
        self.series = []  # CLOCK_MONOTONIC, CPU seconds of the tree, busy seconds of the CPUs
        self.ended = threading.Event()

    def look(self):
        found = processes()
        tree, size = {self.root}, 0
        while len(tree) > size:
            size = len(tree)
            tree |= {pid for pid, (parent, name, *_) in found.items() if parent in tree and name != "tj-emitter"}
        alive = [found[pid] for pid in tree if pid in found]
        self.cpu.update((pid, found[pid][2]) for pid in tree if pid in found)
        self.peak_rss = max(self.peak_rss, sum(process[3] for process in alive))
        self.series.append((time.monotonic(), sum(self.cpu.values()), busy_seconds(self.cpus)))

    def run(self):
        while not self.ended.wait(0.2):
            self.look()

    def between(self, begin, end):
        """CPU seconds of the tree, and the share of the CPUs' time that others had; None where nothing was seen."""
        inside = [look for look in self.series if begin <= look[0] <= end]
        if len(inside) < 2:
            return None
        (t0, own0, busy0), (t1, own1, busy1) = inside[0], inside[-1]
        # The looks cover a little less than the span.
        return (own1 - own0) * (end - begin) / (t1 - t0), max(0, busy1 - busy0 - own1 + own0) / ((t1 - t0) * len(self.cpus))
