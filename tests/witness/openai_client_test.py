"""The openai Python client (PyPI) drives the simulator; the usage that it reads equals the simulator's truth
and its engine counters.

Usage: openai_client_test.py TOKENJOULE
Needs openai, which it installs into a virtual environment in the user's cache; exits 77 with a reason
where that cannot be done.
"""
import time
import unittest
import warnings

import environment

PINS = ["openai==3.57.0"]
PROMPT = "Why is the sky blue?"
LENGTHS = (1, 2, 7, 40)


class Totals:
    def __init__(self):
        self.prompt = self.output = self.answers = 0

    def add(self, usage):
        assert usage.total_tokens == usage.prompt_tokens + usage.completion_tokens
        self.prompt += usage.prompt_tokens
        self.output += usage.completion_tokens
        self.answers += 1


class OpenAiClient(unittest.TestCase):
    def setUp(self):
        from support import simulator
        warnings.simplefilter("error", UserWarning)  # what pydantic says of a field of another type
        self.simulator = self.enterContext(simulator("--seed", 11, "--model", "some/model"))
        self.client = self.connect(strict=True)
        self.started = time.time()
        self.model = next(iter(self.client.models.list())).id

    def connect(self, strict):
        """A client; a strict one raises where an answer is not of the types that OpenAI's API has."""
        import openai
        return self.enterContext(openai.OpenAI(base_url=self.simulator.url + "/v1", api_key="none", max_retries=0,
                                               _strict_response_validation=strict))

    def check(self, totals):
        """The client's totals, the truth of the time since the start, and the counters: all the same."""
        from support import counters
        truth = self.simulator.truth(self.started, time.time())
        self.assertEqual((truth["output_tokens"], truth["prompt_tokens"]), (totals.output, totals.prompt))
        counted = counters(self.simulator.get("/metrics"))
        self.assertEqual(counted["vllm:generation_tokens_total"], totals.output)
        self.assertEqual(counted["vllm:prompt_tokens_total"], totals.prompt)
        self.assertEqual(counted["vllm:request_success_total"], totals.answers)

    def ask(self, chat, length, **more):
        body = {"ignore_eos": True}
        if chat:
            return self.client.chat.completions.create(
                model=self.model, messages=[{"role": "system", "content": "Be brief."},
                                            {"role": "user", "content": PROMPT}],
                max_completion_tokens=length, temperature=0, extra_body=body, **more)
        return self.client.completions.create(model=self.model, prompt=PROMPT, max_tokens=length, temperature=0,
                                              extra_body=body, **more)

    def whole_answers(self, chat):
        totals = Totals()
        for length in LENGTHS:
            answer = self.ask(chat, length)
            choice = answer.choices[0]
            self.assertEqual((answer.model, choice.finish_reason), (self.model, "length"))
            self.assertTrue(choice.message.content if chat else choice.text)
            self.assertEqual(answer.usage.completion_tokens, length)
            totals.add(answer.usage)
        self.check(totals)

    def streams(self, chat):
        totals = Totals()
        for length in LENGTHS:
            events = text = finished = 0
            usages = []
            for chunk in self.ask(chat, length, stream=True, stream_options={"include_usage": True}):
                self.assertEqual(chunk.model, self.model)
                if chunk.usage:
                    usages.append(chunk.usage)
                    self.assertEqual(chunk.choices, [])
                for choice in chunk.choices:
                    text = (choice.delta.content if chat else choice.text) or ""
                    events += bool(text)
                    finished += choice.finish_reason == "length"
            self.assertEqual((len(usages), finished, events), (1, 1, length))
            self.assertEqual(usages[0].completion_tokens, length)
            totals.add(usages[0])
        self.check(totals)

    def test_completions(self):
        self.whole_answers(chat=False)

    def test_completions_in_a_stream(self):
        # Until the end of an answer its finish_reason is null, as vLLM sends it; the client's type does not allow that.
        self.client = self.connect(strict=False)
        self.streams(chat=False)

    def test_chat(self):
        self.whole_answers(chat=True)

    def test_chat_in_a_stream(self):
        self.streams(chat=True)

    def test_a_stream_without_usage(self):
        chunks = list(self.ask(True, 5, stream=True))
        self.assertEqual([chunk.usage for chunk in chunks], [None] * len(chunks))
        self.assertEqual(sum(bool(choice.delta.content) for chunk in chunks for choice in chunk.choices), 5)

    def test_prompts_as_token_ids(self):
        answer = self.client.completions.create(model=self.model, prompt=[5, 6, 7, 8], max_tokens=3)
        self.assertEqual(answer.usage.prompt_tokens, 4)
        totals = Totals()
        totals.add(answer.usage)
        self.check(totals)

    def test_errors_have_the_form_that_the_client_knows(self):
        import openai
        with self.assertRaises(openai.NotFoundError) as caught:
            self.client.completions.create(model="another", prompt=PROMPT)
        self.assertEqual(caught.exception.param, "model")
        with self.assertRaises(openai.BadRequestError):
            self.client.completions.create(model=self.model, prompt="")


if __name__ == "__main__":
    environment.main(__file__, PINS, tokenjoule="the program")
