"""Datasets that stand for another one, and those that say how it is run."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Final

from dataflow.kernels.contract.invalid import invalid
from dataflow.kernels.datasets.dataset import Dataset, Stage
from dataflow.kernels.datasets.run import Run
from dataflow.values.dtypes import DType
from dataflow.values.shapes import TensorShape

_OUT_OF_ORDER: Final = b"\x08\x00"
"""How options begin, with their first field, that say that the order of elements does not count."""


class PassingDataset(Dataset):
    """The elements of another dataset."""

    kind = "Passing"
    __slots__ = ()

    def cardinality(self) -> int:
        return self.inputs[0].cardinality()

    def start(self, run: Run) -> Stage:
        return self.inputs[0].start(run)


def pool_size(wanted: int) -> int:
    """How many threads a pool has that is to have so many, 0 for a good number.

    Raises:
      InvalidArgumentError: The number is negative.
    """
    if wanted < 0:
        raise invalid("`num_threads` must be >= 0")
    return wanted or os.cpu_count() or 1


class ThreadPoolDataset(PassingDataset):
    """The elements of another dataset, whose stages have no more threads than a pool."""

    kind = "ThreadPool"
    __slots__ = ("threads",)

    def __init__(
        self, types: Sequence[DType], shapes: Sequence[TensorShape], source: Dataset, threads: int
    ) -> None:
        """Takes how many threads there are."""
        super().__init__(types, shapes, source)
        self.threads = threads

    def start(self, run: Run) -> Stage:
        outer = run.most_threads
        run.most_threads = self.threads
        try:
            return super().start(run)
        finally:
            run.most_threads = outer


class OptionsDataset(PassingDataset):
    """The elements of another dataset, with options for the whole pipeline."""

    kind = "Options"
    __slots__ = ("options",)

    def __init__(
        self, types: Sequence[DType], shapes: Sequence[TensorShape], source: Dataset, options: bytes
    ) -> None:
        """Takes the options, a serialized message."""
        super().__init__(types, shapes, source)
        self.options = options

    def start(self, run: Run) -> Stage:
        if self.options.startswith(_OUT_OF_ORDER):
            run.in_order = False
        return super().start(run)
