"""Kernels that tell how far an iterator has come, and have another one go on from there.

What is kept is how many elements were given, and where the random numbers of the dataset began: an
iterator that goes on makes these elements again, for nobody. So it depends on no buffer, and on
nothing that threads decide, as long as the dataset itself gives the same elements.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from typing import Any, Final

import numpy as np

from dataflow.checkpoints.variants import SavedVariant
from dataflow.errors import FailedPreconditionError
from dataflow.kernels.contract.invalid import invalid
from dataflow.kernels.contract.registry import KernelNode, kernel
from dataflow.kernels.datasets.dataset import Dataset
from dataflow.kernels.datasets.iterator import Iterator, Pull
from dataflow.kernels.datasets.seeds import seed_sources
from dataflow.values.crc32c import crc32c

_KIND: Final = "dataflow::IteratorState"
_HEAD: Final = struct.Struct("<QQQ")
_PLACE: Final = struct.Struct("<qqQ")
_MOST_RUNS: Final = 1 << 32
_HALF: Final = 1 << 63


@kernel("SerializeIterator", device="CPU", handle=Iterator)
def serialize(node: KernelNode, xp: Any) -> Callable[[Iterator], Any]:
    def run(iterator: Iterator) -> Any:
        pull = iterator.pull
        if pull is None:
            raise FailedPreconditionError(
                None,
                None,
                "Save() failed because the iterator has not been initialized. Ensure that you "
                "have run the initializer operation for this iterator before saving it.",
            )
        made = np.empty(1, object)
        made[0] = SavedVariant(_KIND, _state(pull))
        return made

    return run


@kernel("DeserializeIterator", device="CPU", handle=Iterator)
def deserialize(node: KernelNode, xp: Any) -> Callable[[Iterator, Any], None]:
    def run(iterator: Iterator, serialized: Any) -> None:
        pull = iterator.pull
        if pull is None:
            raise FailedPreconditionError(
                None,
                None,
                "Restore() failed because the iterator has not been initialized. Ensure that you "
                "have run the initializer operation for this iterator before restoring it.",
            )
        items = np.asarray(serialized, object).reshape(-1)
        item = items[0] if items.size == 1 else None
        if not isinstance(item, SavedVariant) or item.type_name != _KIND:
            raise invalid("`serialized` is not the state of an iterator that was saved here.")
        passed, kinds, places = _read(item.metadata)
        if kinds != _kinds(pull.dataset):
            raise invalid("The state is that of a dataset of another form.")
        sources = seed_sources(pull.dataset)
        if len(places) != len(sources):
            raise invalid(
                f"The state is that of a dataset with {len(places)} sources of random numbers, "
                f"and this one has {len(sources)}."
            )
        for source, place in zip(sources, places, strict=True):
            source.go_to(place)
        iterator.set_dataset(pull.dataset, passed)

    return run


def _state(pull: Pull) -> bytes:
    parts = [_HEAD.pack(pull.passed, _kinds(pull.dataset), len(pull.began))]
    for seed, seed2, runs in pull.began:
        parts.append(_PLACE.pack(_signed(seed), _signed(seed2), runs))
    return b"".join(parts)


def _kinds(dataset: Dataset) -> int:
    """Stands for the kinds of the datasets that one is made of."""
    inside = [_kinds(each) for each in dataset.inputs]
    return crc32c(f"{dataset.kind}{inside}".encode())


def _signed(seed: int) -> int:
    """64 bits of a seed, which may be one of either kind."""
    seed %= 2 * _HALF
    return seed - 2 * _HALF if seed >= _HALF else seed


def _read(data: bytes) -> tuple[int, int, list[tuple[int, int, int]]]:
    rest = len(data) - _HEAD.size
    passed, kinds, count = _HEAD.unpack_from(data) if rest >= 0 else (0, 0, -1)
    if rest != count * _PLACE.size:
        raise invalid("The state of an iterator is damaged.")
    places = list(_PLACE.iter_unpack(data[_HEAD.size :]))
    if any(runs > _MOST_RUNS for _, _, runs in places):
        raise invalid("The state of an iterator is damaged.")
    return passed, kinds, places
