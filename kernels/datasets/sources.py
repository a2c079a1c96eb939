"""Datasets that are made of tensors, and of numbers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from dataflow.errors import UnimplementedError
from dataflow.kernels.contract.invalid import invalid
from dataflow.kernels.contract.shape_text import shape_text
from dataflow.kernels.datasets.dataset import INFINITE, Dataset, Element, Stage, Table
from dataflow.kernels.datasets.run import Run
from dataflow.kernels.datasets.seeds import SeedSource, Words
from dataflow.kernels.lists.stacking import slices_of
from dataflow.values import dtypes
from dataflow.values.dtypes import DType
from dataflow.values.shapes import TensorShape

_FEW: Final = 4096
"""Elements whose slices are made at a time."""


class TensorDataset(Dataset):
    """One element."""

    kind = "Tensor"
    __slots__ = ("components",)

    def __init__(
        self, types: Sequence[DType], shapes: Sequence[TensorShape], components: Element
    ) -> None:
        """Takes the element's tensors."""
        super().__init__(types, shapes)
        self.components = components

    def cardinality(self) -> int:
        return 1

    def start(self, run: Run) -> Stage:
        return ListStage(run, [self.components])


class ListStage(Stage):
    """Gives the elements of a list."""

    __slots__ = ("_elements", "_place")

    def __init__(self, run: Run, elements: Sequence[Element]) -> None:
        """Takes the elements."""
        super().__init__(run)
        self._elements = elements
        self._place = 0

    def next(self) -> Element | None:
        if self._place >= len(self._elements):
            return None
        self._place += 1
        return self._elements[self._place - 1]


class ListDataset(Dataset):
    """Elements that are there one by one."""

    kind = "List"
    __slots__ = ("elements",)

    def __init__(
        self,
        types: Sequence[DType],
        shapes: Sequence[TensorShape],
        elements: Sequence[Element],
    ) -> None:
        """Takes the elements."""
        super().__init__(types, shapes)
        self.elements = elements

    def cardinality(self) -> int:
        return len(self.elements)

    def start(self, run: Run) -> Stage:
        return ListStage(run, self.elements)


class TensorSliceDataset(Dataset):
    """The slices of tensors along their first dimension."""

    kind = "TensorSlice"
    __slots__ = ("components", "size", "table")

    def __init__(
        self, types: Sequence[DType], shapes: Sequence[TensorShape], components: Element
    ) -> None:
        """Takes the tensors.

        Raises:
          InvalidArgumentError: One is a scalar, or they have different first dimensions.
        """
        super().__init__(types, shapes)
        self.components = components
        sizes = []
        for component in components:
            shape = np.shape(component)
            if not shape:
                raise invalid("All components must be at least 1-dimensional")
            sizes.append(shape[0])
        if any(size != sizes[0] for size in sizes):
            raise invalid("All components must have the same size in the 0th dimension")
        self.size: int = sizes[0]
        self.table = Table(components, self.types)

    def cardinality(self) -> int:
        return self.size

    def start(self, run: Run) -> Stage:
        return _SliceStage(run, self)


class _SliceStage(Stage):
    __slots__ = ("_dataset", "_place", "_slices")

    def __init__(self, run: Run, dataset: TensorSliceDataset) -> None:
        super().__init__(run)
        self.table = dataset.table
        self.gives_many = True
        self._dataset = dataset
        self._place = 0
        self._slices: list[Element] = []

    def next(self) -> Element | None:
        if not self._slices:
            first = self._place
            if first >= self._dataset.size:
                return None
            self._place = last = min(first + _FEW, self._dataset.size)
            parts = [
                slices_of(component[first:last], dtype)
                for component, dtype in zip(
                    self._dataset.components, self._dataset.types, strict=True
                )
            ]
            self._slices = list(zip(*parts, strict=True))
            self._slices.reverse()
        return self._slices.pop()

    def take(self, most: int) -> Sequence[int]:
        first = self._place - len(self._slices)
        self._slices.clear()
        self._place = min(first + most, self._dataset.size)
        return range(first, self._place)


class SparseTensorSliceDataset(Dataset):
    """The slices of a sparse tensor along its first dimension: indices, values and shape."""

    kind = "SparseTensorSlice"
    __slots__ = ("dense_shape", "firsts", "indices", "values")

    def __init__(self, dtype: DType, indices: Any, values: Any, dense_shape: Any) -> None:
        """Takes the parts of the sparse tensor.

        Raises:
          InvalidArgumentError: They do not fit together, or indices are not in order.
        """
        if np.ndim(indices) != 2:
            raise invalid(f"Input indices must be a matrix. Got: {shape_text(np.shape(indices))}")
        if np.ndim(values) != 1:
            raise invalid(f"Input values must be a vector. Got: {shape_text(np.shape(values))}")
        if np.ndim(dense_shape) != 1:
            raise invalid(f"Input shape must be a vector. Got: {shape_text(np.shape(dense_shape))}")
        if len(indices) != len(values):
            raise invalid(
                f"Number of values must match first dimension of indices. Got {len(values)} "
                f"values, indices shape: {shape_text(np.shape(indices))}"
            )
        if indices.shape[1] != len(dense_shape):
            raise invalid(
                "Number of dimensions must match second dimension of indices. Got "
                f"{len(dense_shape)} dimensions, indices shape: {shape_text(np.shape(indices))}"
            )
        if not len(dense_shape):
            raise invalid("The shape argument requires at least one element.")
        if (np.asarray(dense_shape) < 0).any():
            raise invalid(f"The dense shape must not be negative: {np.asarray(dense_shape)}")
        firsts = np.asarray(indices[:, 0])
        if (np.diff(firsts) < 0).any():
            raise UnimplementedError(
                None,
                None,
                "The SparseTensor must be ordered in the batch dimension; handling arbitrarily "
                "ordered input is not currently supported.",
            )
        rank = len(dense_shape) - 1
        static = [
            TensorShape([None, rank]),
            TensorShape([None]),
            TensorShape([rank]),
        ]
        super().__init__((dtypes.int64, dtype, dtypes.int64), static)
        self.indices, self.values, self.dense_shape = indices, values, dense_shape
        self.firsts = firsts

    def cardinality(self) -> int:
        return int(self.dense_shape[0])

    def start(self, run: Run) -> Stage:
        return _SparseSliceStage(run, self)


class _SparseSliceStage(Stage):
    __slots__ = ("_dataset", "_place")

    def __init__(self, run: Run, dataset: SparseTensorSliceDataset) -> None:
        super().__init__(run)
        self._dataset = dataset
        self._place = 0

    def next(self) -> Element | None:
        dataset, place = self._dataset, self._place
        if place >= dataset.dense_shape[0]:
            return None
        self._place += 1
        low, high = np.searchsorted(dataset.firsts, [place, place + 1])
        return (
            dataset.indices[low:high, 1:].copy(),
            dataset.values[low:high],
            dataset.dense_shape[1:],
        )


class RangeDataset(Dataset):
    """Numbers at equal distances."""

    kind = "Range"
    __slots__ = ("numbers",)

    def __init__(
        self, types: Sequence[DType], shapes: Sequence[TensorShape], numbers: range
    ) -> None:
        """Takes the numbers."""
        super().__init__(types, shapes)
        self.numbers = numbers

    def cardinality(self) -> int:
        start, stop, step = self.numbers.start, self.numbers.stop, self.numbers.step
        return max(0, (stop - start + step - (1 if step > 0 else -1)) // step)

    def start(self, run: Run) -> Stage:
        return _RangeStage(run, self)


class _RangeStage(Stage):
    __slots__ = ("_make", "_numbers")

    def __init__(self, run: Run, dataset: RangeDataset) -> None:
        super().__init__(run)
        self._numbers = iter(dataset.numbers)
        self._make: Any = dataset.types[0].as_numpy_dtype

    def next(self) -> Element | None:
        for number in self._numbers:
            return (self._make(number),)
        return None


class RandomDataset(Dataset):
    """Numbers of 32 random bits, without end."""

    kind = "Random"
    __slots__ = ("seeds",)

    def __init__(
        self, types: Sequence[DType], shapes: Sequence[TensorShape], seeds: SeedSource
    ) -> None:
        """Takes what seeds each run."""
        super().__init__(types, shapes)
        self.seeds = seeds

    def cardinality(self) -> int:
        return INFINITE

    def start(self, run: Run) -> Stage:
        return _RandomStage(run, Words(*self.seeds.next()))


class _RandomStage(Stage):
    __slots__ = ("_words",)

    def __init__(self, run: Run, words: Words) -> None:
        super().__init__(run)
        self._words = words

    def next(self) -> Element | None:
        return (np.int64(self._words.next()),)
