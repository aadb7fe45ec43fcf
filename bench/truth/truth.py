#!/usr/bin/env python3
"""Measures the simulator in real time and compares J/output token with its own truth.

Ten seeds at 1, 8, 64 and 256 streams (--seeds, --streams), with power and token rate that drift in
different proportions. Prints a Markdown table; exit code 1 if one run is off by more than 1 %.
With --nvml the GPUs are read by the nvml sensor from the fake NVML library, else by dcgm from the simulator's page.
Usage: bench/truth/truth.py PATH_TO_TOKENJOULE [--nvml] [--seeds 10] [--streams 1,8,64,256] [--seconds 12]
"""
import argparse
import json
import os
import pathlib
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tests" / "program"))

ALLOWED = 0.01
SHIFTS = (0.666, -0.666, 1.332)  # seconds, the shifted windows of the negative control: one may fall on a like stretch


def shifted_value(support, out, shift):
    """What the program makes of the same record with all its sensor readings so many seconds late; None for nothing."""
    events = support.events_of(out)
    for event in events:
        if event["event"] == "sample":
            event["begin_ns"] += int(shift * 1e9)
            event["end_ns"] += int(shift * 1e9)
    shifted = pathlib.Path(out) / f"shifted{shift}.jsonl"
    shifted.write_text("".join(json.dumps(event) + "\n" for event in events))
    done = support.tokenjoule("analyze", shifted, "--format", "json")
    return json.loads(done.stdout)["figures"]["joules_per_output_token"]["value"]


def measure_once(support, seed, streams, seconds, simulate=(), measure=(), nvml=False):
    """One run; the result the truth of the same window and of sixths of the loaded run, and a wrong one."""
    with support.simulator("--seed", seed, "--gpus", 2, "--drift", "--drift-period", f"{2 * seconds}s", *simulate,
                           nvml=nvml) as engine, \
            support.new_folder() as out:
        done = support.tokenjoule("measure", "--url", engine.url, "--sensor", engine.sensor, "--out", out, "-c", streams,
                                  "--idle", "2", "--warmup", "2", "--duration", seconds, "--input-len", "64-192",
                                  "--output-len", "32-96", "--seed", seed, *(measure or ("--all-gpus",)), environment=engine.environment)
        if done.returncode not in (0, 4):
            raise AssertionError(done.stderr)
        result = support.result_of(out)
        start, end = result["window"]["start_unix_s"], result["window"]["end_unix_s"]
        begin = start - 2  # the warm-up drifts too
        sixth = (end - begin) / 6
        requests = [line for line in support.events_of(out) if line["event"] == "request"]
        truth_of_window = engine.truth(start, end)
        right = truth_of_window["joules"]["total"] / truth_of_window["output_tokens"]
        shifted = [value for value in (shifted_value(support, out, shift) for shift in SHIFTS) if value is not None]
        return {
            "result": result,
            "truth": truth_of_window,
            "shifted": max(shifted, key=lambda value: abs(value / right - 1)),
            "sixths": [engine.truth(begin + i * sixth, begin + (i + 1) * sixth) for i in range(6)],
            "client_tokens": sum(request["output_tokens"] or 0 for request in requests),
        }


def error_of(run):
    truth = run["truth"]["joules"]["total"] / run["truth"]["output_tokens"]
    return run["result"]["figures"]["joules_per_output_token"]["value"] / truth - 1


def swing(values):
    return max(values) / min(values) - 1


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("tokenjoule")
    arguments.add_argument("--seeds", type=int, default=10)
    arguments.add_argument("--streams", default="1,8,64,256")
    arguments.add_argument("--seconds", type=float, default=12)
    arguments.add_argument("--nvml", action="store_true")
    options = arguments.parse_args()
    os.environ["TOKENJOULE"] = options.tokenjoule
    import support
    print("| streams | seed | J/token measured | J/token true | off by | tokens measured | tokens true | power swing | rate swing |")
    print("|---|---|---|---|---|---|---|---|---|")
    worst = 0
    for streams in map(int, options.streams.split(",")):
        for seed in range(1, options.seeds + 1):
            run = measure_once(support, seed, streams, options.seconds, nvml=options.nvml)
            off = error_of(run)
            worst = max(worst, abs(off))
            power = swing([sixth["joules"]["total"] for sixth in run["sixths"]])
            rate = swing([sixth["output_tokens"] for sixth in run["sixths"]])
            found = run["result"]["figures"]["joules_per_output_token"]["value"]
            true = run["truth"]["joules"]["total"] / run["truth"]["output_tokens"]
            print(f"| {streams} | {seed} | {found:.6g} | {true:.6g} | {off:+.3%} | {run['result']['tokens']['output']:.1f} | "
                  f"{run['truth']['output_tokens']} | {power:.0%} | {rate:.0%} |", flush=True)
    print(f"\nWorst: {worst:.3%} (allowed: {ALLOWED:.0%})")
    return 0 if worst <= ALLOWED else 1


if __name__ == "__main__":
    sys.exit(main())
