"""The features of a batch of examples: numbers that all have, numbers and categories of some."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from dataflow.kernels.contract.invalid import invalid
from dataflow.kernels.contract.shape_text import shape_text


class SparseColumn:
    """Values at (example, dimension) places."""

    def __init__(self, indices: Any, values: Any, shape: Any, kind: str) -> None:
        """Takes the parts of a sparse tensor; `kind` says which, for messages.

        Raises:
          InvalidArgumentError: They are not those of a matrix.
        """
        if np.ndim(indices) != 2 or indices.shape[1] != 2:
            raise invalid(
                f"Sparse {kind} feature indices must be a matrix of two columns, got shape "
                f"{shape_text(np.shape(indices))}"
            )
        if np.ndim(values) != 1:
            raise invalid(f"Sparse {kind} feature values must be a vector.")
        if np.ndim(shape) != 1:
            raise invalid(f"Sparse {kind} feature shape must be a vector.")
        if len(shape) != 2:
            raise invalid(f"Sparse {kind} feature column must be two-dimensional.")
        if len(values) != len(indices):
            raise invalid(
                f"Sparse {kind} feature column has {len(indices)} indices and {len(values)} values"
            )
        self.examples = int(shape[0])
        rows = indices[:, 0]
        if rows.size and (rows.min() < 0 or rows.max() >= self.examples):
            raise invalid(
                f"Sparse {kind} feature indices name examples out of [0, {self.examples})"
            )
        self._rows, self._dimensions, self._values = rows, indices[:, 1], values
        self._known: dict[int, Any] = {}
        self._sorted: tuple[Any, Any] | None = None

    def of_dimension(self, dimension: int) -> tuple[Any, Any]:
        """Which examples have a value in a dimension, and the values."""
        if dimension not in self._known:
            here = self._dimensions == dimension
            has, values = np.zeros(self.examples, bool), np.zeros(self.examples, np.float32)
            has[self._rows[here]] = True
            values[self._rows[here]] = self._values[here]
            self._known[dimension] = has, values
        found: tuple[Any, Any] = self._known[dimension]
        return found

    def have(self, category: int) -> Any:
        """Which examples have a category."""
        if category not in self._known:
            if self._sorted is None:
                order = np.argsort(self._values, kind="stable")
                self._sorted = self._values[order], self._rows[order]
            values, rows = self._sorted
            first = np.searchsorted(values, category)
            behind = np.searchsorted(values, category, side="right")
            has = np.zeros(self.examples, bool)
            has[rows[first:behind]] = True
            self._known[category] = has
        return self._known[category]


class Features:
    """All features of a batch, by their kind and place."""

    def __init__(
        self,
        dense: Sequence[Any],
        sparse: Sequence[tuple[Any, Any, Any]],
        categories: Sequence[tuple[Any, Any, Any]],
    ) -> None:
        """Takes matrices of one column, and indices, values and shape of sparse features.

        Raises:
          InvalidArgumentError: There is no feature, one has another shape, or they are of
            different numbers of examples.
        """
        self._count = _examples(dense, sparse, categories)
        for place, column in enumerate(dense):
            self._check_dense(column, place)
        self.dense = [np.reshape(column, -1) for column in dense]
        self.sparse = [SparseColumn(*parts, "float") for parts in sparse]
        self.categories = [SparseColumn(*parts, "int") for parts in categories]
        for kind, columns in (("float", self.sparse), ("int", self.categories)):
            for column in columns:
                if column.examples != self._count:
                    raise invalid(
                        f"Sparse {kind} feature shape incompatible with batch size: "
                        f"{column.examples} vs. {self._count}"
                    )

    def __len__(self) -> int:
        return self._count

    def _check_dense(self, column: Any, place: int) -> None:
        shape = np.shape(column)
        if len(shape) != 2:
            raise invalid(
                f"Dense float feature must be a matrix, got shape {shape_text(shape)} at index "
                f"{place}"
            )
        if shape[0] != self._count:
            raise invalid(
                f"Dense float vector must have batch_size rows: {self._count} vs. {shape[0]}"
            )
        if shape[1] != 1:
            raise invalid(f"Dense float features may not be multivalent: dim_size(1) = {shape[1]}")


def _examples(dense: Sequence[Any], sparse: Sequence[Any], categories: Sequence[Any]) -> int:
    """How many examples there are."""
    if dense:
        return int(np.shape(dense[0])[0]) if np.ndim(dense[0]) else 1
    for columns in (sparse, categories):
        if columns:
            shape = columns[0][2]
            if np.ndim(shape) != 1 or not len(shape):
                raise invalid("The shape of a sparse feature must be a vector of two elements.")
            return int(shape[0])
    raise invalid("Must have at least one feature column.")
