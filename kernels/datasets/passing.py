"""Datasets that stand for another one, and those that say how it is run."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

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
