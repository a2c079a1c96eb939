"""The features of a batch, and what columns have made of them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any

import dataflow.ops.array.shape as array_shape
from dataflow.control_flow.cond import cond
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.sparse_tensor import SparseTensor
from dataflow.graph.tensor import Tensor
from dataflow.ops.array.gather import gather_nd
from dataflow.ops.array.select import where
from dataflow.ops.basic.cast import cast
from dataflow.ops.math.compare import equal, not_equal
from dataflow.values import dtypes


class FeatureColumn(ABC):
    """A feature, or something that is made of features."""

    @property
    @abstractmethod
    def name(self) -> str:
        """Its name, by which columns are sorted and variables are called."""

    @property
    @abstractmethod
    def parse_example_spec(self) -> dict[str, Any]:
        """By name what `tf.io.parse_example` is to take."""

    @abstractmethod
    def transformed(self, inputs: Inputs) -> Any:
        """What the column makes of the features, once for a batch."""


class DenseColumn(FeatureColumn):
    """A column that gives numbers."""

    @property
    @abstractmethod
    def variable_shape(self) -> list[int]:
        """The shape of the numbers of an example."""

    @abstractmethod
    def dense(self, inputs: Inputs, trainable: bool, collections: Any) -> Tensor:
        """The numbers of a batch; makes variables in the open scope if it has some."""

    @property
    def scope_name(self) -> str:
        """The scope of its variables."""
        return self.name


class CategoricalColumn(FeatureColumn):
    """A column that gives sets of ids."""

    @property
    @abstractmethod
    def num_buckets(self) -> int:
        """How many ids there are."""

    def ids_and_weights(self, inputs: Inputs) -> tuple[SparseTensor, SparseTensor | None]:
        """The ids of each example, and their weights, if they have some."""
        return inputs.get(self), None


class Inputs:
    """Features by name, and what columns have made of them."""

    def __init__(self, features: Mapping[str, Any]) -> None:
        """Takes the features."""
        self._features = dict(features)
        self._made: dict[Any, Any] = {}

    def get(self, key: Any) -> Any:
        """The feature of a name, of rank 2 at least, or what a column makes of features.

        Raises:
          ValueError: There is no such feature, or it is a scalar.
        """
        if key not in self._made:
            if isinstance(key, str):
                self._made[key] = self._feature(key)
            else:
                self._made[key] = key.transformed(self)
        return self._made[key]

    def sparse(self, key: str, ignored: Any = None) -> SparseTensor:
        """A feature as a SparseTensor, without "" or -1 if it was none, or `ignored`."""
        value = self.get(key)
        if isinstance(value, SparseTensor):
            return value
        if ignored is None:
            ignored = "" if value.dtype.base_dtype == dtypes.string else -1
        indices = where(not_equal(value, cast_constant(ignored, value.dtype)))
        return SparseTensor(
            indices, gather_nd(value, indices), array_shape.shape(value, out_type=dtypes.int64)
        )

    def _feature(self, key: str) -> Any:
        if key not in self._features:
            raise ValueError(f"Feature {key} is not in features dictionary.")
        value = self._features[key]
        if isinstance(value, SparseTensor):
            return value
        value = convert_to_tensor(value)
        rank = value.shape.rank
        if rank == 0:
            raise ValueError(f"Feature (key: {key}) cannot have rank 0. Given: {value}")
        if rank is None:
            return cond(
                equal(1, array_shape.rank(value)),
                lambda: array_shape.expand_dims(value, -1),
                lambda: value,
            )
        return value if rank != 1 else array_shape.expand_dims(value, -1)


def cast_constant(value: Any, dtype: Any) -> Any:
    """A constant of an element type."""
    if dtype.base_dtype == dtypes.string:
        return value
    return cast(value, dtype.base_dtype)


def checked_columns(columns: Any, kinds: Any, wanted: str) -> list[Any]:
    """Columns as a list by name.

    Raises:
      ValueError: There are none, one is another thing, or two have one name.
    """
    if isinstance(columns, FeatureColumn):
        columns = [columns]
    if isinstance(columns, Mapping):
        raise ValueError("Expected feature_columns to be iterable, found dict.")
    found = list(columns)
    if not found:
        raise ValueError("feature_columns must not be empty.")
    names: dict[str, Any] = {}
    column: Any
    for column in found:
        if not isinstance(column, kinds):
            raise ValueError(f"Items of feature_columns must be a {wanted}. Given: {column}.")
        if column.name in names:
            raise ValueError(
                f"Duplicate feature column name found for columns: {column} and "
                f"{names[column.name]}. This usually means that these columns refer to same base "
                "feature. Either one must be discarded or a duplicated but renamed item must be "
                "inserted in features dict."
            )
        names[column.name] = column
    return sorted(found, key=lambda column: str(column.name))
