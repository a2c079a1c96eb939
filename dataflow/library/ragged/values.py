"""RaggedTensorValue: what sessions give for a ragged tensor."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np


class RaggedTensorValue:
    """Values and the row splits that cut them, as arrays.

    Args:
      values: An array, or another RaggedTensorValue.
      row_splits: A vector of int32 or int64.

    Raises:
      TypeError: One of them is something else.
    """

    def __init__(self, values: Any, row_splits: Any) -> None:
        is_array = isinstance(row_splits, (np.ndarray, np.generic))
        if not (is_array and row_splits.dtype in (np.int64, np.int32) and row_splits.ndim == 1):
            raise TypeError("row_splits must be a 1D int32 or int64 numpy array")
        if not isinstance(values, (np.ndarray, np.generic, RaggedTensorValue)):
            raise TypeError("values must be a numpy array or a RaggedTensorValue")
        if isinstance(values, RaggedTensorValue) and row_splits.dtype != values.row_splits.dtype:
            raise ValueError("row_splits and values.row_splits must have the same dtype")
        self._values = values
        self._row_splits = row_splits

    row_splits = property(
        lambda self: self._row_splits, doc="Where rows begin and end, shape `[nrows + 1]`."
    )
    values = property(lambda self: self._values, doc="The rows behind each other.")
    dtype = property(lambda self: self._values.dtype, doc="Element type of the values.")

    @property
    def flat_values(self) -> Any:
        """The innermost values: an array."""
        values = self._values
        while isinstance(values, RaggedTensorValue):
            values = values.values
        return values

    @property
    def nested_row_splits(self) -> tuple[Any, ...]:
        """The row splits of all levels, the outermost first."""
        values = self._values
        splits = [self._row_splits]
        while isinstance(values, RaggedTensorValue):
            splits.append(values.row_splits)
            values = values.values
        return tuple(splits)

    @property
    def ragged_rank(self) -> int:
        """How often the values are cut into rows."""
        return len(self.nested_row_splits)

    @property
    def shape(self) -> tuple[int | None, ...]:
        """Sizes, None for rows that may have different lengths."""
        return (self._row_splits.shape[0] - 1, None, *self._values.shape[1:])

    @property
    def _nested_row_partitions(self) -> tuple[Any, ...]:
        return self.nested_row_splits

    def to_list(self) -> Any:
        """The values in nested lists."""
        values = self._values
        items = values.to_list() if isinstance(values, RaggedTensorValue) else values.tolist()
        ends = self._row_splits.tolist()
        return [items[begin:end] for begin, end in itertools.pairwise(ends)]

    def __str__(self) -> str:
        return f"<tf.RaggedTensorValue {self.to_list()}>"

    def __repr__(self) -> str:
        return f"tf.RaggedTensorValue(values={self._values!r}, row_splits={self._row_splits!r})"
