"""Datasets whose batches have other sizes than those of another one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from dataflow.kernels.contract.invalid import invalid
from dataflow.kernels.contract.shape_text import shape_text
from dataflow.kernels.datasets.dataset import INFINITE, Dataset, Element, Stage
from dataflow.kernels.datasets.run import Run
from dataflow.values.dtypes import DType
from dataflow.values.shapes import TensorShape


class RebatchDataset(Dataset):
    """The rows of batches in batches of other sizes."""

    kind = "Rebatch"
    __slots__ = ("drop_remainder", "sizes")

    def __init__(
        self,
        types: Sequence[DType],
        shapes: Sequence[TensorShape],
        source: Dataset,
        sizes: Sequence[int],
        drop_remainder: bool,
    ) -> None:
        """Takes the sizes, which batches have in turns.

        Raises:
          InvalidArgumentError: There are none, or one is negative.
        """
        if not sizes or min(sizes) < 0:
            raise invalid("batch_sizes must have at least one size, and none that is negative.")
        super().__init__(types, shapes, source)
        self.sizes = tuple(sizes)
        self.drop_remainder = drop_remainder

    def cardinality(self) -> int:
        count = self.inputs[0].cardinality()
        return INFINITE if count == INFINITE else super().cardinality()

    def start(self, run: Run) -> Stage:
        return _RebatchStage(run, self, self.inputs[0].start(run))


class _RebatchStage(Stage):
    """Keeps the batch whose rows come next."""

    __slots__ = ("_at", "_batch", "_dataset", "_source", "_turn")

    def __init__(self, run: Run, dataset: RebatchDataset, source: Stage) -> None:
        super().__init__(run, source)
        self._dataset = dataset
        self._source = source
        self._batch: Element | None = None
        self._at = 0
        self._turn = 0

    def next(self) -> Element | None:
        sizes = self._dataset.sizes
        wanted = sizes[self._turn]
        parts: list[Element] = []
        count = 0
        while count < wanted or self._batch is None:
            batch = self._batch
            if batch is None or self._at == len(batch[0]):
                following = self._source.next()
                if following is None:
                    break
                self._batch, self._at = _checked(following), 0
                continue
            rows = min(wanted - count, len(batch[0]) - self._at)
            parts.append(tuple(part[self._at : self._at + rows] for part in batch))
            self._at += rows
            count += rows
        batch = self._batch
        if batch is None or (count < wanted and (not count or self._dataset.drop_remainder)):
            return None
        self._turn = (self._turn + 1) % len(sizes)
        if not parts:
            return tuple(part[:0] for part in batch)
        return parts[0] if len(parts) == 1 else _joined(parts)


class SplitBatchesDataset(Dataset):
    """Each batch cut into so many, of one size, but for the last ones."""

    kind = "Rebatch"
    __slots__ = ("count",)

    def __init__(
        self,
        types: Sequence[DType],
        shapes: Sequence[TensorShape],
        source: Dataset,
        count: int,
    ) -> None:
        """Takes the number of pieces.

        Raises:
          InvalidArgumentError: It is not positive.
        """
        if count <= 0:
            raise invalid("num_replicas must be greater than zero.")
        super().__init__(types, shapes, source)
        self.count = count

    def cardinality(self) -> int:
        found = self.inputs[0].cardinality()
        return found * self.count if found > 0 else found

    def start(self, run: Run) -> Stage:
        return _SplitStage(run, self.count, self.inputs[0].start(run))


class _SplitStage(Stage):
    """Gives the pieces of one batch after the other."""

    __slots__ = ("_batch", "_count", "_piece", "_source")

    def __init__(self, run: Run, count: int, source: Stage) -> None:
        super().__init__(run, source)
        self._source = source
        self._count = count
        self._piece = count
        self._batch: Element = ()

    def next(self) -> Element | None:
        if self._piece == self._count:
            following = self._source.next()
            if following is None:
                return None
            self._batch, self._piece = _checked(following), 0
        size = -(-len(self._batch[0]) // self._count)
        first = size * self._piece
        self._piece += 1
        return tuple(part[first : first + size] for part in self._batch)


def _checked(batch: Element) -> Element:
    """A batch whose components have as many rows.

    Raises:
      InvalidArgumentError: They have not.
    """
    if not all(np.ndim(part) for part in batch):
        raise invalid("Input element must have a non-scalar value in each component.")
    if len({len(part) for part in batch}) > 1:
        sizes = ", ".join(str(len(part)) for part in batch)
        raise invalid(
            f"Input element must have the same batch size in each component. Found {sizes}."
        )
    return batch


def _joined(parts: list[Element]) -> Element:
    columns: list[Any] = []
    for place, column in enumerate(zip(*parts, strict=True)):
        shapes = {np.shape(part)[1:] for part in column}
        if len(shapes) > 1:
            found = " and ".join(sorted(shape_text(shape) for shape in shapes))
            raise invalid(
                f"Cannot join batches whose rows have different shapes in component {place}: "
                f"{found}."
            )
        columns.append(np.concatenate(column))
    return tuple(columns)
