"""Runs GuideLLM's command line without torch, of which it uses nothing but the loop over the prompts: stand-ins
take its place. Its worker processes are spawned, import this file too, and so find the same.

Usage: guidellm_client.py OPTIONS_OF_GUIDELLM…
"""
import importlib.machinery
import sys
import types
import typing

T = typing.TypeVar("T")


class Generator:
    def manual_seed(self, seed):
        return self


class Tensor:
    """What others ask an object to be an instance of; none is."""


class IterableDataset(typing.Generic[T]):
    pass


class DataLoader(typing.Generic[T]):
    """Goes through the dataset in batches of one."""

    def __init__(self, dataset, batch_size, collate_fn, **_):
        if batch_size != 1:
            raise ValueError("the stand-in takes batches of one")
        self.dataset, self.collate_fn = dataset, collate_fn

    def __iter__(self):
        for item in self.dataset:
            yield self.collate_fn([item])


def stand_in(name, **members):
    module = types.ModuleType(name)
    module.__spec__ = importlib.machinery.ModuleSpec(name, None, is_package=True)
    module.__path__ = []
    vars(module).update(members)
    sys.modules[name] = module
    return module


data = stand_in("torch.utils.data", get_worker_info=lambda: None, DataLoader=DataLoader, IterableDataset=IterableDataset,
                dataloader=stand_in("torch.utils.data.dataloader", DataLoader=DataLoader),
                dataset=stand_in("torch.utils.data.dataset", IterableDataset=IterableDataset))
stand_in("torch", __version__="0", Generator=Generator, Tensor=Tensor, nn=stand_in("torch.nn", Module=Tensor),
         utils=stand_in("torch.utils", data=data))

if __name__ == "__main__":
    from guidellm.__main__ import cli
    cli()
