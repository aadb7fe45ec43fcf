"""Runs the client of `vllm bench serve` without vLLM's engine: its own code, with stand-ins for the heavy
modules that it imports and, for text prompts, does not use.

Usage: vllm_bench_client.py FOLDER_WITH_VLLM_BENCHMARKS OPTIONS_OF_VLLM_BENCH_SERVE…
"""
import argparse
import importlib.abc
import importlib.machinery
import logging
import pathlib
import re
import sys
import types


class Words:
    """A tokenizer whose tokens are a blank and three letters, as the simulator cuts such a text too."""
    vocab_size = 26 ** 3
    all_special_ids = ()

    def num_special_tokens_to_add(self):
        return 0

    def decode(self, ids):
        return "".join(" " + "".join(chr(97 + int(i) // power % 26) for power in (676, 26, 1)) for i in ids)

    def encode(self, text, add_special_tokens=False):
        words = re.findall(" ([a-z]{3})", text)
        return [sum((ord(letter) - 97) * power for letter, power in zip(word, (676, 26, 1))) for word in words]

    def __call__(self, text, add_special_tokens=False):
        raise AssertionError("the client counts tokens by its tokenizer: the server gave no usage")


class Named(type):
    def __getattr__(cls, name):  # PIL's Image.Image in an annotation
        return Unused


class Unused(metaclass=Named):
    """What a text benchmark names, and must not call."""

    def __init__(self, *arguments):
        raise AssertionError("a stand-in was used")


class Placeholder:
    """vLLM's own placeholder of a package that is not there."""

    def __init__(self, name):
        self.name = name

    def placeholder_attr(self, name):
        return Unused


USED = {
    "vllm.logger": {"init_logger": logging.getLogger},
    "vllm.tokenizers": {"get_tokenizer": lambda *_, **__: Words()},
    "vllm.utils.argparse_utils": {"FlexibleArgumentParser": argparse.ArgumentParser},
    "vllm.utils.gc_utils": {"freeze_gc_heap": lambda: None},
    "vllm.utils.import_utils": {"PlaceholderModule": Placeholder},
    "vllm.utils.mistral": {"is_mistral_tokenizer": lambda tokenizer: False},
    "vllm.utils.network_utils": {"join_host_port": lambda host, port: f"{host}:{port}"},
}


class StandIn(types.ModuleType):
    __path__ = ()

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return USED.get(self.__name__, {}).get(name, Unused)


class StandIns(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds what is in the folder where it is, and a stand-in for all else of vLLM and for the image library."""

    def find_spec(self, name, path, target=None):
        if name.split(".")[0] not in ("vllm", "PIL") or f"{name}.".startswith("vllm.benchmarks."):
            return None
        return importlib.machinery.ModuleSpec(name, self, is_package=True)

    def create_module(self, spec):
        return StandIn(spec.name)

    def exec_module(self, module):
        pass


def main(folder, options):
    sys.meta_path.insert(0, StandIns())
    import vllm
    vllm.__path__ = [str(pathlib.Path(folder) / "vllm")]
    from vllm.benchmarks import serve
    parser = argparse.ArgumentParser()
    serve.add_cli_args(parser)
    serve.main(parser.parse_args(options))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
