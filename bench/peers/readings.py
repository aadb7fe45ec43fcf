"""What a client gave, held against the send times that the emitter put into each event."""
import json
import pathlib
import re
import statistics

LEAD = 0.5  # seconds of events before the window, as in src/selftest/emitter.hpp


class Stream:
    """One answer: when its events were sent and came, in seconds of CLOCK_MONOTONIC."""

    def __init__(self, sent, came):
        self.sent = sent
        self.came = came  # in step with `sent`; None where the client does not tell


def send_times(text):
    return [int(digits, 16) * 1e-9 for digits in re.findall(r" ([0-9a-f]{16})", text)]


def quantile(values, share):
    """The value of rank ceil(share * n); None of nothing."""
    ordered = sorted(values)
    return ordered[max(0, -int(-share * len(ordered) // 1) - 1)] if ordered else None


def of_vllm(folder):
    """result.json of --save-detailed: stamps are time.perf_counter(), which is CLOCK_MONOTONIC on Linux."""
    result = json.loads((pathlib.Path(folder) / "result.json").read_text())
    streams = []
    for start, ttft, gaps, text in zip(*(result[key] for key in ("start_times", "ttfts", "itls", "generated_texts"))):
        sent, came = send_times(text), [start + ttft]
        for gap in gaps:  # one more than there are gaps between tokens: the event with the finish reason
            came.append(came[-1] + gap)
        streams.append(Stream(sent, (came + [None] * len(sent))[:len(sent)]))
    return streams, result["mean_tpot_ms"]


def of_aiperf(folder):
    """profile_export_raw.jsonl: each event as it came, with time.perf_counter_ns()."""
    streams = []
    with open(pathlib.Path(folder) / "profile_export_raw.jsonl") as file:
        for line in file:
            events = [(send_times(packet["value"] or ""), answer["perf_ns"] * 1e-9)
                      for answer in json.loads(line).get("responses") or [] for packet in answer.get("packets", [])]
            events = [(sent[0], came) for sent, came in events if sent]
            streams.append(Stream([sent for sent, _ in events], [came for _, came in events]))
    summary = json.loads((pathlib.Path(folder) / "profile_export_aiperf.json").read_text())
    return streams, summary["inter_token_latency"]["avg"]


def of_guidellm(folder, wall_minus_monotonic):
    """result.json: the text, and the wall time of the first and last token only. What it calls "time per output
    token" has the TTFT in it; its "inter token latency" is the (last - first) / (tokens - 1) of the others."""
    benchmark = json.loads((pathlib.Path(folder) / "result.json").read_text())["benchmarks"][0]
    streams = []
    for request in benchmark["requests"]["successful"]:
        timings, sent = request["info"]["timings"], send_times(request["output"] or "")
        came = [None] * len(sent)
        if len(sent) > 1:
            came[0] = timings["first_token_iteration"] - wall_minus_monotonic
            came[-1] = timings["last_token_iteration"] - wall_minus_monotonic
        streams.append(Stream(sent, came))
    return streams, benchmark["metrics"]["inter_token_latency_ms"]["successful"]["mean"]


def figures(streams, tpot, begin, seconds):
    """Of events sent inside the window: delays (where none of them is known: of all) and errors. Of all: the rest. Microseconds, milliseconds for TPOT."""
    delays, errors, all_delays = [], [], []
    for stream in streams:
        before = None
        for sent, came in zip(stream.sent, stream.came):
            if came is not None:
                all_delays.append(came - sent)
            if came is not None and begin + LEAD <= sent < begin + LEAD + seconds:
                delays.append(came - sent)
                if before:
                    errors.append(abs((came - before[1]) - (sent - before[0])))
            before = None if came is None else (sent, came)
    found = sum(len(stream.sent) for stream in streams)
    known = [came for stream in streams for came in stream.came if came is not None]
    true = [(s.sent[-1] - s.sent[0]) * 1e3 / (len(s.sent) - 1) for s in streams if len(s.sent) > 1]
    delays = delays or all_delays  # first and last tokens only, which the window cuts off
    micro = lambda seconds: None if seconds is None else seconds * 1e6
    return {
        "found": found,
        "last": max(known, default=None),
        "events_s": found / (max(known) - min(known)) if len(known) > 1 else None,
        "delay_p50": micro(quantile(delays, 0.5)), "delay_p99": micro(quantile(delays, 0.99)),
        "itl_p50": micro(quantile(errors, 0.5)), "itl_p99": micro(quantile(errors, 0.99)),
        "tpot": tpot, "tpot_true": statistics.fmean(true) if true else None,
    }
