"""The examples of a step: dense columns, sparse ones, and what the input spec says of them."""

from __future__ import annotations

import re
from typing import Any, Final, NamedTuple

import numpy as np

from dataflow.kernels.contract.invalid import invalid
from dataflow.kernels.random.simple import Draws

FLOAT: Final = 0
CATEGORICAL: Final = 1

_SPEC = re.compile(r"dense_features_size: (\S*) dense: \[(.*)\] sparse: \[(.*)\]", re.DOTALL)
_COLUMN = re.compile(r"original_type: (\S*) size: (\S*?)\}")


class DataSpec(NamedTuple):
    """What features are."""

    dense_features: int
    dense_types: np.ndarray
    """`FLOAT` or `CATEGORICAL`, of each feature."""
    sparse_type: int
    """Of all sparse features: that of the first column."""


def read_spec(text: bytes) -> DataSpec:
    """Reads what `TensorForestDataSpec.SerializeToString` writes.

    Raises:
      InvalidArgumentError: The text is none of its, or a column's size is not known.
    """
    found = _SPEC.fullmatch(text.decode(errors="replace"))
    try:
        if found is None:
            raise ValueError
        dense = [(int(kind), int(size)) for kind, size in _COLUMN.findall(found[2])]
        sparse = [int(kind) for kind, _ in _COLUMN.findall(found[3])]
        types = [kind for kind, size in dense for _ in range(size)]
        return DataSpec(int(found[1]), np.array(types, np.uint8), sparse[0] if sparse else FLOAT)
    except ValueError:
        raise invalid(
            "input_spec must be like 'dense_features_size: 2 dense: [{name: a original_type: 0"
            f" size: 2}}] sparse: []', with the sizes of dense columns, got {text!r}"
        ) from None


class Examples:
    """Rows of features: the dense ones, then those of a sparse matrix."""

    def __init__(self, spec: DataSpec, dense: Any, indices: Any, values: Any, shape: Any) -> None:
        """Takes an op's inputs.

        Args:
          spec: What the features are.
          dense: A matrix; a vector if there are no dense features.
          indices: Rows and columns of the sparse values, as rows; a vector if there are none.
          values: The sparse values.
          shape: The sparse matrix' shape.

        Raises:
          InvalidArgumentError: The parts of the sparse matrix do not fit.
        """
        self.spec = spec
        self._dense = np.ascontiguousarray(dense) if np.ndim(dense) == 2 else None
        self._keys: np.ndarray | None = None
        self.count = 0
        width = 0 if self._dense is None else self._dense.shape[1]
        # Of bagged features there are fewer than the spec tells.
        self._columns = min(spec.dense_features, width)
        if np.ndim(indices) == 2:
            if np.shape(indices)[1] != 2 or len(indices) != np.size(values) or np.size(shape) != 2:
                raise invalid(
                    "Sparse features must be a matrix: indices of shape [n, 2], n values and a"
                    f" shape of 2 numbers, got shapes {np.shape(indices)}, {np.shape(values)} and"
                    f" {np.shape(shape)}"
                )
            self.count = int(shape[0])
            order = np.lexsort((indices[:, 1], indices[:, 0]))
            self._indices = np.asarray(indices)[order]
            self._width = int(max(shape[1], self._indices[:, 1].max(initial=0) + 1))
            self._keys = self._indices[:, 0] * self._width + self._indices[:, 1]
            self._values = np.asarray(values, np.float32)[order]
        if self._dense is not None:
            self.count = len(self._dense)

    def values(self, rows: np.ndarray, features: np.ndarray) -> np.ndarray:
        """The values of features, with the shape that both have together.

        Raises:
          InvalidArgumentError: A feature is not there.
        """
        if not np.size(features):
            return np.zeros(np.broadcast_shapes(rows.shape, features.shape), np.float32)
        if self._keys is None:
            return self._dense_values(rows, features)
        is_dense = features < self.spec.dense_features
        found = self._sparse_values(rows, features)
        if is_dense.any():
            of_dense = self._dense_values(rows, np.where(is_dense, features, 0))
            found = np.where(is_dense, of_dense, found)
        return found

    def _dense_values(self, rows: np.ndarray, features: np.ndarray) -> np.ndarray:
        width = 0 if self._dense is None else self._dense.shape[1]
        if self._dense is None or int(features.max()) >= width or int(features.min()) < 0:
            raise invalid(
                f"A tree asks for feature {int(features.max())}, and examples have {width} dense"
                " features; trees must get the features that they were trained with"
            )
        found: np.ndarray = self._dense.reshape(-1).take(rows * width + features)
        return found

    def _sparse_values(self, rows: np.ndarray, features: np.ndarray) -> np.ndarray:
        # A node's id of a sparse feature counts the dense ones before it, and TensorFlow looks for
        # the column of that number, not for the one that the value was taken from.
        keys = self._keys
        assert keys is not None
        wanted = rows * np.int64(self._width) + features
        found = np.zeros(wanted.shape, np.float32)
        inside = (features >= 0) & (features < self._width)
        if len(keys):
            places = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
            inside = inside & (keys[places] == wanted)
            found[inside] = self._values[places[inside]]
        return found

    def sample(self, row: int, draws: Draws) -> int | None:
        """A feature of an example, all as likely; None if it has none."""
        begin = end = 0
        if self._keys is not None:
            begin, end = np.searchsorted(self._keys, [row * self._width, (row + 1) * self._width])
        total = self._columns + int(end - begin)
        if not total:
            return None
        chosen = draws.short_below(total)
        if chosen < self._columns:
            return chosen
        return int(self._indices[begin + chosen - self._columns, 1]) + self.spec.dense_features

    def type_of(self, feature: int) -> int:
        """`FLOAT` or `CATEGORICAL`."""
        return int(self.types_of(np.array([feature]))[0])

    def types_of(self, features: np.ndarray) -> np.ndarray:
        """The same for several."""
        types = self.spec.dense_types
        found = np.full(len(features), self.spec.sparse_type, np.uint8)
        is_dense = features < min(self.spec.dense_features, len(types))
        found[is_dense] = types[features[is_dense]]
        return found


class Targets:
    """Labels and weights of a step's examples."""

    def __init__(self, labels: Any, weights: Any, is_regression: bool, outputs: int) -> None:
        """Takes an op's inputs.

        Args:
          labels: A vector, or a matrix with a column for each target.
          weights: A vector; what it lacks weighs 1.
          is_regression: Whether labels are numbers; otherwise they are classes.
          outputs: How many classes there are, or how many targets.

        Raises:
          InvalidArgumentError: A label is no class, or there are fewer targets than outputs.
        """
        self.count = len(labels) if np.ndim(labels) else 0
        flat = np.asarray(labels, np.float32).reshape(-1)
        columns = np.shape(labels)[1] if np.ndim(labels) > 1 else 0
        given = np.asarray(weights, np.float32).reshape(-1)[: self.count]
        self.weights = np.ones(self.count, np.float32)
        self.weights[: given.size] = given
        if is_regression:
            targets = max(1, columns)
            if targets < outputs:
                raise invalid(
                    f"A forest of {outputs} outputs needs labels of as many columns, got labels of"
                    f" shape {list(np.shape(labels))}"
                )
            self.numbers = flat.reshape(self.count, targets)[:, :outputs]
            return
        classes = flat[: self.count]
        wrong = ~((classes > -1) & (classes < outputs))
        if wrong.any():
            raise invalid(
                f"Got label {classes[wrong][0]:g} outside of [0, {outputs}), the indicated number"
                " of classes. Is params.num_classes set correctly?"
            )
        self.classes = classes.astype(np.int64)
