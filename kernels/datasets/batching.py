"""Datasets whose elements are several of another one, stacked, and the way back."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from math import prod
from typing import Any, ClassVar, Final

import numpy as np

from dataflow.errors import CancelledError, DataLossError, InvalidArgumentError, OpError
from dataflow.kernels.contract.invalid import invalid
from dataflow.kernels.contract.shape_text import shape_text
from dataflow.kernels.contract.type_names import type_name
from dataflow.kernels.datasets.dataset import INFINITE, UNKNOWN, Dataset, Element, Stage
from dataflow.kernels.datasets.run import Run
from dataflow.kernels.lists.optional import TENSOR, Optional
from dataflow.kernels.lists.stacking import numpy_type, slices_of, stack_elements
from dataflow.values import dtypes
from dataflow.values.dtypes import DType
from dataflow.values.shapes import TensorShape

Dims = tuple[int, ...]

_STRINGS: Final = {bytes}


class BatchDataset(Dataset):
    """Elements stacked along a new first dimension."""

    kind = "Batch"
    stacks_only: ClassVar[bool] = True
    """Whether nothing else is done to elements of one shape."""
    __slots__ = ("drop_remainder", "size")

    def __init__(
        self,
        types: Sequence[DType],
        shapes: Sequence[TensorShape],
        source: Dataset,
        size: int,
        drop_remainder: bool,
    ) -> None:
        """Takes the size of a batch.

        Args:
          types: Element types.
          shapes: Shapes.
          source: Where elements come from.
          size: How many there are in a batch.
          drop_remainder: Whether a last batch with fewer elements is left out.

        Raises:
          InvalidArgumentError: The size is not positive.
        """
        if size <= 0:
            raise invalid("Batch size must be greater than zero.")
        super().__init__(types, shapes, source)
        self.size = size
        self.drop_remainder = drop_remainder

    def cardinality(self) -> int:
        return batches(self.inputs[0].cardinality(), self.size, self.drop_remainder)

    def start(self, run: Run) -> Stage:
        return BatchStage(run, self.inputs[0].start(run), self)

    def stacked(self, elements: list[Element]) -> Element:
        """A batch of elements.

        Raises:
          InvalidArgumentError: They have different shapes.
        """
        return stacked(elements, self.inputs[0].types)


class MapAndBatchDataset(BatchDataset):
    """Batches of what a function makes: one with an element that failed, fails as a whole."""

    kind = "MapAndBatch"
    __slots__ = ()

    def start(self, run: Run) -> Stage:
        return _MapAndBatchStage(run, self.inputs[0].start(run), self)

    def stacked(self, elements: list[Element]) -> Element:
        """A batch in the shapes of the first element, whatever shapes the same numbers are in.

        Raises:
          InvalidArgumentError: Elements hold more or less than the first one.
        """
        types = self.inputs[0].types
        try:
            return stacked(elements, types)
        except InvalidArgumentError:
            first = [np.shape(value) for value in elements[0]]
            return stacked([_alike(element, first) for element in elements], types)


def _alike(element: Element, shapes: Sequence[Dims]) -> Element:
    found = [np.shape(value) for value in element]
    if found == shapes:
        return element
    for there, wanted in zip(found, shapes, strict=True):
        if prod(there) != prod(wanted):
            raise invalid(
                "Cannot add tensor to the batch: number of elements does not match. Shapes are: "
                f"[tensor]: {shape_text(there)}, [batch]: {shape_text(wanted)}"
            )
    return tuple(np.reshape(value, shape) for value, shape in zip(element, shapes, strict=True))


def batches(count: int, size: int, drop_remainder: bool) -> int:
    """How many batches there are of so many elements."""
    if count < 0:
        return count
    return count // size if drop_remainder else -(-count // size)


def stacked(elements: list[Element], types: Sequence[DType]) -> Element:
    """Elements along a new first dimension.

    Raises:
      InvalidArgumentError: They have different shapes.
    """
    columns = []
    for place, (column, dtype) in enumerate(zip(zip(*elements, strict=True), types, strict=True)):
        if type(column[0]) is bytes and set(map(type, column)) == _STRINGS:
            strings = np.empty(len(column), object)
            strings[:] = column
            columns.append(strings)
            continue
        shape = np.shape(column[0])
        if shape or not isinstance(column[0], np.generic):
            shapes = [v.shape if type(v) is np.ndarray else np.shape(v) for v in column]
            if shapes.count(shape) < len(shapes):
                row = next(row for row, other in enumerate(shapes) if other != shape)
                raise invalid(
                    "Cannot batch tensors with different shapes in component "
                    f"{place}. First element had shape {shape_text(shape)} and element {row} "
                    f"had shape {shape_text(shapes[row])}."
                )
        columns.append(stack_elements(np, column, dtype))
    return tuple(columns)


class BatchStage(Stage):
    """Collects elements, and makes a batch of them."""

    __slots__ = ("_dataset", "_size", "_source")

    def __init__(self, run: Run, source: Stage, dataset: BatchDataset) -> None:
        """Takes elements from a stage."""
        super().__init__(run, source)
        self._source: Stage | None = source
        self._size = dataset.size
        self._dataset = dataset

    def next(self) -> Element | None:
        source = self._source
        if source is None:
            return None
        if source.gives_many:
            return self._of_many(source)
        elements: list[Element] = []
        pull = source.next
        while len(elements) < self._size:
            element = pull()
            if element is None:
                self._source = None
                break
            elements.append(element)
            if not len(elements) & 255:
                self.run.check()
        return self._of_all(elements)

    def _of_all(self, elements: list[Element]) -> Element | None:
        if not elements or (self._dataset.drop_remainder and len(elements) < self._size):
            return None
        return self._dataset.stacked(elements)

    def _of_many(self, source: Stage) -> Element | None:
        found: list[Sequence[Any]] = []
        missing = self._size
        while missing:
            self.run.check()
            some = source.take(missing)
            if not some:
                self._source = None
                break
            found.append(some)
            missing -= len(some)
        dataset, table = self._dataset, source.table
        if not found or (dataset.drop_remainder and missing):
            return None
        together = found[0] if len(found) == 1 else list(itertools.chain.from_iterable(found))
        if table is None:
            return dataset.stacked(list(together))
        if dataset.stacks_only:
            return table.stacked(together)
        return dataset.stacked([table.row(number) for number in together])


class PaddedBatchDataset(BatchDataset):
    """Elements that are padded to one shape, stacked along a new first dimension."""

    kind = "PaddedBatch"
    stacks_only = False
    __slots__ = ("padded_shapes", "padding_values")

    def __init__(
        self,
        types: Sequence[DType],
        shapes: Sequence[TensorShape],
        source: Dataset,
        size: int,
        drop_remainder: bool,
        padded_shapes: Sequence[Dims],
        padding_values: Sequence[Any],
    ) -> None:
        """Takes the shapes, where -1 stands for the largest of a batch, and what is filled in.

        Raises:
          InvalidArgumentError: A number or a shape does not fit.
        """
        super().__init__(types, shapes, source, size, drop_remainder)
        if len(padded_shapes) != len(source.types):
            raise invalid(
                f"Number of padded shapes ({len(padded_shapes)}) must match the number of "
                f"components in the input dataset's elements ({len(source.types)})"
            )
        for place, value in enumerate(padding_values):
            if np.ndim(value):
                raise invalid("All padding values must be scalars")
            if (
                place < len(source.types)
                and numpy_type(source.types[place]) != np.asarray(value).dtype
            ):
                raise invalid(
                    f"Mismatched type between padding value {place} and input dataset's component "
                    f"{place}: {np.asarray(value).dtype} vs. {type_name(source.types[place])}"
                )
        self.padded_shapes = tuple(padded_shapes)
        self.padding_values = tuple(padding_values)

    def stacked(self, elements: list[Element]) -> Element:
        columns = list(zip(*elements, strict=True))
        return tuple(
            _padded(place, column, *rest)
            for place, (column, *rest) in enumerate(
                zip(
                    columns,
                    self.padded_shapes,
                    self.padding_values,
                    self.inputs[0].types,
                    strict=True,
                )
            )
        )


def _padded(place: int, column: Sequence[Any], wanted: Dims, value: Any, dtype: DType) -> Any:
    shapes = [np.shape(part) for part in column]
    rank = len(wanted)
    for shape in shapes:
        if len(shape) != rank:
            raise invalid(
                "All elements in a batch must have the same rank as the padded shape for component"
                f"{place}: expected rank {rank} but got element with rank {len(shape)}"
            )
    largest = [
        size if size >= 0 else max(shape[axis] for shape in shapes)
        for axis, size in enumerate(wanted)
    ]
    for shape in shapes:
        for axis, size in enumerate(shape):
            if size > largest[axis]:
                raise DataLossError(
                    None, None, "Attempted to pad to a smaller size than the input element."
                )
    if all(list(shape) == largest for shape in shapes):
        return stack_elements(np, column, dtype)
    batch = np.empty((len(column), *largest), numpy_type(dtype))
    batch[...] = value
    for row, part in enumerate(column):
        where: Any = (row, *map(slice, shapes[row]))
        batch[where] = part
    return batch


class DenseToSparseBatchDataset(BatchDataset):
    """Elements of any size as the rows of sparse tensors, each kept as a vector of three."""

    kind = "DenseToSparseBatch"
    stacks_only = False
    __slots__ = ("row_shape",)

    def __init__(
        self,
        types: Sequence[DType],
        shapes: Sequence[TensorShape],
        source: Dataset,
        size: int,
        row_shape: Dims,
    ) -> None:
        """Takes the shape of the rows, where -1 stands for the largest of a batch."""
        super().__init__(types, shapes, source, size, False)
        if len(source.types) != 1:
            raise invalid(
                "DenseToSparseBatchDataset only supports input datasets with a single component."
            )
        if any(size < -1 for size in row_shape):
            raise invalid(f"row_shape must have dimensions of -1 or more, got {row_shape}")
        self.row_shape = row_shape

    def start(self, run: Run) -> Stage:
        return BatchStage(run, _RowsStage(run, self.inputs[0].start(run), self.row_shape), self)

    def stacked(self, elements: list[Element]) -> Element:
        rows = [element[0] for element in elements]
        shape = [len(rows), *self.row_shape]
        indices, values = [], []
        for place, row in enumerate(rows):
            for axis, size in enumerate(np.shape(row)):
                wanted = self.row_shape[axis]
                if wanted == -1:
                    shape[axis + 1] = max(shape[axis + 1], size)
            inner = np.indices(np.shape(row), np.int64).reshape(np.ndim(row), -1).T
            first = np.full((len(inner), 1), place, np.int64)
            indices.append(np.concatenate([first, inner], axis=1))
            values.append(np.ravel(row))
        # A batch of empty rows alone has no size.
        full = [max(size, 0) for size in shape]
        parts = np.concatenate(indices), np.concatenate(values), np.array(full, np.int64)
        kept = np.empty(3, object)
        for column, kind in enumerate((dtypes.int64, self.inputs[0].types[0], dtypes.int64)):
            kept[column] = Optional((parts[column],), (kind,), TENSOR)
        return (kept,)


class _RowsStage(Stage):
    """Elements that fit in a row; what came of a batch before one that does not is lost."""

    __slots__ = ("_row_shape", "_source")

    def __init__(self, run: Run, source: Stage, row_shape: Dims) -> None:
        super().__init__(run, source)
        self._source = source
        self._row_shape = row_shape

    def next(self) -> Element | None:
        element, wanted = self._source.next(), self._row_shape
        if element is None:
            return None
        shape = np.shape(element[0])
        if len(shape) != len(wanted):
            raise invalid(_unfitting(shape, "incompatible with", wanted))
        if any(size > most >= 0 for size, most in zip(shape, wanted, strict=True)):
            raise DataLossError(None, None, _unfitting(shape, "larger than", wanted))
        return element


def _unfitting(shape: Dims, how: str, row_shape: Dims) -> str:
    return (
        f"Input element had shape ({shape_text(shape)}) that is {how} the row shape "
        f"({_partial_text(row_shape)})."
    )


def _partial_text(dims: Dims) -> str:
    return "[" + ",".join("?" if size < 0 else str(size) for size in dims) + "]"


class UnbatchDataset(Dataset):
    """The slices of elements along their first dimension."""

    kind = "Unbatch"
    __slots__ = ()

    def cardinality(self) -> int:
        source = self.inputs[0]
        count = source.cardinality()
        if count in (0, INFINITE):
            return count
        sizes = {shape.as_list()[0] for shape in source.shapes if shape.rank}
        if count < 0 or len(sizes) != 1:
            return UNKNOWN
        (size,) = sizes
        return UNKNOWN if size is None else size * count

    def start(self, run: Run) -> Stage:
        return _UnbatchStage(run, self.inputs[0].start(run), self.inputs[0].types)


class _UnbatchStage(Stage):
    __slots__ = ("_slices", "_source", "_types")

    def __init__(self, run: Run, source: Stage, types: Sequence[DType]) -> None:
        super().__init__(run, source)
        self._source = source
        self._types = types
        self._slices: list[Element] = []

    def next(self) -> Element | None:
        while not self._slices:
            whole = self._source.next()
            if whole is None:
                return None
            self.run.check()
            sizes = [np.shape(part)[:1] for part in whole]
            if any(not size for size in sizes):
                raise invalid("Input element must have a non-scalar value in each component.")
            if any(size != sizes[0] for size in sizes):
                raise invalid(
                    "Input element must have the same batch size in each component. Component 0 "
                    f"had size {sizes[0][0]} but component "
                    f"{next(i for i, size in enumerate(sizes) if size != sizes[0])} had size, "
                    f"{next(size[0] for size in sizes if size != sizes[0])}."
                )
            parts = [slices_of(part, dtype) for part, dtype in zip(whole, self._types, strict=True)]
            self._slices = list(zip(*parts, strict=True))
            self._slices.reverse()
        return self._slices.pop()


class _MapAndBatchStage(BatchStage):
    __slots__ = ()

    def next(self) -> Element | None:
        source = self._source
        if source is None or source.gives_many:
            return super().next()
        elements: list[Element] = []
        failed: list[OpError] = []
        while len(elements) + len(failed) < self._size:
            self.run.check()
            try:
                element = source.next()
            except CancelledError:
                raise
            except OpError as error:
                failed.append(error)
                continue
            if element is None:
                self._source = None
                break
            elements.append(element)
        if failed:
            raise failed[0]
        return self._of_all(elements)


class WindowDataset(Dataset):
    """Elements as datasets: each component of some elements in a row."""

    kind = "Window"
    __slots__ = ("drop_remainder", "shift", "size", "stride", "wrap")

    def __init__(
        self,
        types: Sequence[DType],
        shapes: Sequence[TensorShape],
        source: Dataset,
        size: int,
        shift: int,
        stride: int,
        drop_remainder: bool,
        wrap: Callable[[Dataset, list[Element]], Element],
    ) -> None:
        """Takes the size of a window, how far it is to the next one, and which elements it has.

        Args:
          types: Element types.
          shapes: Shapes.
          source: Where elements come from.
          size: How many elements a window has.
          shift: How far it is to the next window.
          stride: How far it is to the next element of the window.
          drop_remainder: Whether windows with fewer elements are left out.
          wrap: Makes the element of the elements in a window.

        Raises:
          InvalidArgumentError: A number is not positive.
        """
        for name, number in (("size", size), ("shift", shift), ("stride", stride)):
            if number <= 0:
                raise invalid(f"Window {name} must be greater than zero.")
        super().__init__(types, shapes, source)
        self.size, self.shift, self.stride = size, shift, stride
        self.drop_remainder = drop_remainder
        self.wrap = wrap

    def cardinality(self) -> int:
        count = self.inputs[0].cardinality()
        if count < 0:
            return count
        if self.drop_remainder:
            rest = count - ((self.size - 1) * self.stride + 1)
            return 0 if rest < 0 else rest // self.shift + 1
        return -(-count // self.shift)

    def start(self, run: Run) -> Stage:
        return _WindowStage(run, self.inputs[0].start(run), self)


class _WindowStage(Stage):
    __slots__ = ("_buffer", "_dataset", "_skip", "_source")

    def __init__(self, run: Run, source: Stage, dataset: WindowDataset) -> None:
        super().__init__(run, source)
        self._source: Stage | None = source
        self._dataset = dataset
        self._buffer: list[Element | OpError] = []
        """An error counts if a window has its element."""
        self._skip = 0

    def next(self) -> Element | None:
        dataset = self._dataset
        wanted = (dataset.size - 1) * dataset.stride + 1
        while self._source is not None and len(self._buffer) < wanted:
            self.run.check()
            element: Element | OpError | None
            try:
                element = self._source.next()
            except CancelledError:
                raise
            except OpError as error:
                element = error
            if element is None:
                self._source = None
            elif self._skip:
                self._skip -= 1
            else:
                self._buffer.append(element)
        buffer = self._buffer
        if not buffer or (dataset.drop_remainder and len(buffer) < wanted):
            return None
        window = buffer[: wanted : dataset.stride]
        self._skip = max(0, dataset.shift - len(buffer))
        self._buffer = buffer[dataset.shift :]
        elements = []
        for element in window:
            if isinstance(element, OpError):
                raise element
            elements.append(element)
        return dataset.wrap(dataset.inputs[0], elements)


def batch_window(source: Dataset, elements: list[Element]) -> Element:
    """A window as a batch."""
    return stacked(elements, source.types)
