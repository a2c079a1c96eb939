"""Kernels of the resources without names that functions of TensorFlow 2 make for datasets."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any, Final

from dataflow.kernels.contract.registry import KernelNode, kernel
from dataflow.kernels.datasets.caching import MemoryCache
from dataflow.kernels.datasets.iterator import Iterator
from dataflow.kernels.datasets.seeds import SeedSource
from dataflow.kernels.ops.datasets.arguments import described, flag, number

_NUMBERS: Final = itertools.count()


class Deleter:
    """The value of a variant that stands for the right to end a resource."""


class OfItsOwn:
    """What a handle refers to that leaves a dataset to its own seeds, or its own place."""


@kernel("AnonymousIterator", "AnonymousIteratorV2", "AnonymousIteratorV3", device="CPU")
def anonymous_iterator(node: KernelNode, xp: Any) -> Callable[[], Any]:
    types, shapes = described(node)
    owned = node.op == "AnonymousIteratorV2"

    def run() -> Any:
        made = Iterator(f"AnonymousIterator{next(_NUMBERS)}", types, shapes)
        return (made, Deleter()) if owned else made

    return run


@kernel("AnonymousSeedGenerator", device="CPU")
def seed_generator(node: KernelNode, xp: Any) -> Callable[..., Any]:
    def run(seed: Any, seed2: Any, reshuffle: Any) -> Any:
        seeds = number(seed, "seed"), number(seed2, "seed2")
        return SeedSource(*seeds, flag(reshuffle, "reshuffle")), Deleter()

    return run


@kernel("AnonymousMemoryCache", device="CPU")
def memory_cache(node: KernelNode, xp: Any) -> Callable[[], Any]:
    return lambda: (MemoryCache(), Deleter())


@kernel("DummyMemoryCache", "DummySeedGenerator", device="CPU")
def of_its_own(node: KernelNode, xp: Any) -> Callable[[], OfItsOwn]:
    return OfItsOwn


@kernel("DeleteIterator", device="CPU", handle=Iterator)
def delete_iterator(node: KernelNode, xp: Any) -> Callable[..., None]:
    return lambda iterator, deleter: iterator.when_forgotten()
