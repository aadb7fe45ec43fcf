"""Shapes of load from the command line: what was planned is what was sent, and the record tells of it."""
import json
import resource
import unittest

from support import events_of, new_folder, result_of, simulator, tokenjoule

QUICK = ("--idle", "0", "--warmup", "1", "--cooldown", "1", "--input-len", "64", "--output-len", "8")


def measure(engine, out, *arguments, timing=QUICK, **options):
    done = tokenjoule("measure", "--url", engine.url, "--sensor", engine.sensor, "--all-gpus", "--out", out, *timing, *arguments,
                      **options)
    # A window this short may be unusable; what is looked at here is the load.
    assert done.returncode in (0, 4), done.stderr
    return done


def requests_of(out):
    return sorted((line for line in events_of(out) if line["event"] == "request"), key=lambda line: line["planned_ns"])


def measured_of(out):
    return sorted((line for line in requests_of(out) if not line["warmup"]), key=lambda line: line["id"])


class LoadShapes(unittest.TestCase):
    def test_a_constant_rate_keeps_its_times_over_the_hand_over(self):
        with simulator() as engine, new_folder() as out:
            measure(engine, out, "--request-rate", "50", "--arrival", "constant", "--duration", "3")
            planned = [line["planned_ns"] for line in requests_of(out)]
            gaps = {later - earlier for earlier, later in zip(planned, planned[1:])}
            self.assertEqual(gaps, {20_000_000})
            result = result_of(out)
            self.assertEqual(result["load"]["mode"], "open")
            self.assertEqual(result["load"]["arrival"], "constant")
            self.assertEqual(result["load"]["request_rate_per_s"], 50)
            self.assertEqual(result["client"]["stream_wait_seconds"]["max"], 0)
            self.assertGreater(result["client"]["send_lateness_seconds"]["p99"], 0)

    def test_the_wait_for_a_stream_is_in_the_latency_and_told_apart(self):
        with simulator() as engine, new_folder() as out:
            # Each takes about 0.27 s, so that the wait grows by a third of a second a second.
            measure(engine, out, "--request-rate", "5", "-c", "1", "--duration", "6", "--output-len", "32", timing=QUICK[:-2])
            result = result_of(out)
            wait = result["client"]["stream_wait_seconds"]["p50"]
            self.assertGreater(wait, 0.1)
            self.assertGreater(result["figures"]["ttft_seconds"]["p50"], wait)
            self.assertIn("concurrency_capped", [reason["code"] for reason in result["verdict"]["reasons"]])

    def test_rates_are_measured_one_after_another(self):
        with simulator() as engine, new_folder() as out:
            measure(engine, out, "--request-rate", "5,20", "--ramp-up", "1", "--duration", "2")
            self.assertEqual([result_of(out / name)["load"]["request_rate_per_s"] for name in ("r5", "r20")], [5, 20])

    def test_a_trace_is_replayed_by_its_times(self):
        with simulator() as engine, new_folder() as out:
            trace = out.parent / "trace.jsonl"
            rows = [{"at_s": 10 + at, "input_tokens": 50 + at, "output_tokens": 4} for at in (1, 0, 0, 0, 4)]
            trace.write_text("\n".join(json.dumps(row) for row in rows))
            measure(engine, out, "--dataset", "jsonl", "--dataset-path", trace, "--speed", "2", timing=QUICK[:6])
            measured = measured_of(out)[:5]
            begin = measured[0]["planned_ns"]
            self.assertEqual([(line["planned_ns"] - begin) / 1e9 for line in measured], [0, 0, 0, 0.5, 2])
            self.assertEqual([line["input_tokens_asked"] for line in measured], [50, 50, 50, 51, 54])
            mark = next(line for line in events_of(out) if line["event"] == "mark" and line["phase"] == "measure")
            self.assertEqual(begin, mark["at_ns"])
            end = next(line for line in events_of(out) if line["event"] == "mark" and line["phase"] == "cooldown")
            self.assertGreater(end["at_ns"], max(line["end_ns"] for line in measured))
            self.assertEqual(result_of(out)["load"]["arrival"], "trace")
            self.assertGreater(result_of(out)["client"]["send_lateness_seconds"]["max"], 0)

    def test_a_thousand_streams_where_256_open_files_are_usual(self):
        def soft_limit():
            resource.setrlimit(resource.RLIMIT_NOFILE, (256, 4096))

        with simulator() as engine, new_folder() as out:
            measure(engine, out, "-c", "1000", "--duration", "2", timing=QUICK[:-4] + ("--input-len", "8", "--output-len", "64"),
                    preexec_fn=soft_limit)
            result = result_of(out)
            self.assertEqual(result["requests"]["failed"], 0)
            self.assertGreater(result["requests"]["completed"], 0)
            self.assertEqual(result["client"]["connections_opened"], 1000)

    def test_mixes_limits_prefixes_and_adapters_are_recorded(self):
        with simulator() as engine, new_folder() as out:
            measure(engine, out, "-c", "4", "--duration", "2", "--mix", "100/8:1,30/16:1", "--prefix-len", "20", "--sampling",
                    "permute", "--goodput", "ttft:60000,tpot:60000", "--lora", "simulated-model=1", timing=QUICK[:6])
            kinds = {(line["input_tokens_asked"], line["output_tokens_asked"]) for line in requests_of(out)}
            self.assertEqual(kinds, {(120, 8), (50, 16)})
            result = result_of(out)
            self.assertEqual(result["figures"]["good_request_share"]["value"], 1)
            self.assertEqual(result["configuration"]["mix"], "100/8:1,30/16:1")
            self.assertEqual(result["configuration"]["lora"], {"simulated-model": 1})

    def test_a_conversation_goes_on_behind_its_think_time(self):
        with simulator() as engine, new_folder() as out:
            talk = out.parent / "talk.jsonl"
            talk.write_text(json.dumps({"turns": [{"input_tokens": 40, "output_tokens": 8},
                                                  {"input_tokens": 10, "output_tokens": 8, "think_s": 0.2}]}))
            measure(engine, out, "--dataset", "jsonl", "--dataset-path", talk, "-c", "2", "--duration", "2", timing=QUICK[:6])
            by_id = {line["id"]: line for line in requests_of(out)}
            later = {identity: line for identity, line in by_id.items() if identity % 10**12 >= 10**9}
            self.assertGreater(len(later), 3)
            for identity, line in later.items():
                self.assertEqual(line["planned_ns"], by_id[identity - 10**9]["end_ns"] + 200_000_000)
                self.assertEqual(line["input_tokens_asked"], 58)

    def test_inferencex_load_is_driven_and_counted_both_ways(self):
        with simulator("--tokens-per-second", "1000") as engine, new_folder() as out:
            done = measure(engine, out, "--preset", "inferencex-1k1k", "-c", "2", timing=("--idle", "0"))
            requests = requests_of(out)
            self.assertEqual(sum(line["warmup"] for line in requests), 4)
            measured = measured_of(out)
            self.assertEqual(len(measured), 20)
            for line in measured:
                self.assertTrue(819 <= line["input_tokens_asked"] <= 1024 and 819 <= line["output_tokens_asked"] <= 1024)
            self.assertGreaterEqual(min(line["sent_ns"] for line in measured), max(line["end_ns"] for line in requests if line["warmup"]))
            harness = result_of(out)["harness"]
            self.assertEqual(harness["name"], "inferencex-1k1k")
            self.assertEqual(harness["requests"], 20)
            self.assertEqual(harness["output_tokens"], sum(line["output_tokens"] for line in measured))
            self.assertIn("as inferencex-1k1k counts it", done.stdout)

    def test_what_does_not_go_together_is_refused_in_one_line(self):
        for arguments, said in (
                (("--request-rate", "0"), "above 0"),
                (("--request-rate", "inf"), "-c 64"),
                (("--request-rate", "4", "-c", "1,2"), "several values of -c"),
                (("--arrival", "constant"), "open loop"),
                (("--request-rate", "4", "--arrival", "poison"), "did you mean poisson"),
                (("--dataset", "azure"), "--dataset-path"),
                (("--mix", "8/8:0"), "--mix"),
                (("--goodput", "mlperf:llama"), "presets are"),
                (("--preset", "inferencex-1k1k", "--input-len", "8"), "--preset"),
                (("--speed", "2"), "--speed")):
            done = tokenjoule("measure", "--url", "http://127.0.0.1:1", *arguments)
            self.assertEqual(done.returncode, 2, arguments)
            self.assertIn(said, done.stderr)
            self.assertEqual(len(done.stderr.splitlines()), 1)

    def test_a_conversation_by_chat_is_sent_as_messages(self):
        with simulator() as engine, new_folder() as out:
            talk = out.parent / "talk.jsonl"
            talk.write_text(json.dumps({"turns": [{"prompt": "aaaa", "answer": "bbbb", "output_tokens": 4},
                                                  {"prompt": "cccc", "output_tokens": 4}]}))
            measure(engine, out, "--dataset", "jsonl", "--dataset-path", talk, "--endpoint", "chat", "-c", "1", "-n", "2",
                    timing=QUICK[:6])
            # A conversation that the warm-up began, under a number of its own and with other words, may go on meanwhile.
            prompts = [line["prompt_tokens"] for line in measured_of(out) if line["id"] < 10**12]
            # A token a text, four more a message, three that open the answer.
            self.assertEqual(set(prompts), {1 + 4 + 3, 3 * (1 + 4) + 3})

    def test_the_model_of_each_request_is_in_the_record_where_there_are_several(self):
        with simulator() as engine, new_folder() as out:
            measure(engine, out, "-c", "2", "--lora", "simulated-model", "--duration", "2")
            self.assertEqual({line["model"] for line in requests_of(out)}, {"simulated-model"})
        with simulator() as engine, new_folder() as out:
            measure(engine, out, "-c", "2", "--duration", "2")
            self.assertFalse(any("model" in line for line in requests_of(out)))

    def test_tokens_are_counted_by_ids_where_the_engine_lists_them(self):
        for extra, source in (((), "event_ids"), (("--no-return-token-ids",), "usage")):
            with simulator("--tokens-per-event", "3") as engine, new_folder() as out:
                measure(engine, out, "-c", "2", "--duration", "2", *extra)
                told = next(line for line in events_of(out) if line["event"] == "engine")
                self.assertEqual(told.get("token_ids_listed", False), source == "event_ids")
                self.assertEqual(result_of(out)["tokens"]["source"], source)
                self.assertNotIn("tokens_disagree", [reason["code"] for reason in result_of(out)["verdict"]["reasons"]])


if __name__ == "__main__":
    unittest.main()
