"""The features of a batch, and what columns have made of them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, ClassVar

import dataflow.ops.array.shape as array_shape
from dataflow.control_flow.cond import cond
from dataflow.feature_columns.protocols import CategoricalNames, ColumnNames, DenseNames
from dataflow.graph.scopes import control_dependencies, name_scope
from dataflow.graph.sparse_tensor import SparseTensor, convert_to_tensor_or_sparse_tensor
from dataflow.library.check_values import assert_positive
from dataflow.ops.array.gather import gather_nd
from dataflow.ops.array.select import where
from dataflow.ops.basic.cast import cast
from dataflow.ops.math.compare import equal, not_equal
from dataflow.ops.sparse.reshape import sparse_reshape
from dataflow.values import dtypes


class FeatureColumn(ColumnNames, ABC):
    """A feature, or something that is made of features."""

    @property
    @abstractmethod
    def name(self) -> str:
        """Its name, by which columns are sorted and variables are called."""


class DenseColumn(DenseNames, FeatureColumn):
    """A column that gives numbers."""


class CategoricalColumn(CategoricalNames, FeatureColumn):
    """A column that gives sets of ids."""


class Inputs:
    """Features by name, and what columns have made of them."""

    _kind: ClassVar[str] = "FeatureColumn"

    def __init__(self, features: Mapping[str, Any], state_manager: Any = None) -> None:
        """Takes the features, and what has the variables of columns, if it is not the scope."""
        self._features = dict(features)
        self._made: dict[Any, Any] = {}
        self.state_manager = state_manager

    @contextmanager
    def managed(self, state_manager: Any) -> Iterator[None]:
        """Columns take their variables of a state manager within, if there is one."""
        before = self.state_manager
        self.state_manager = before if state_manager is None else state_manager
        try:
            yield
        finally:
            self.state_manager = before

    def get(self, key: Any, state_manager: Any = None) -> Any:
        """The feature of a name, of rank 2 at least, or what a column makes of features.

        Args:
          key: The name or the column.
          state_manager: What has the variables of columns.

        Raises:
          TypeError: It is neither.
          ValueError: There is no such feature, or it is a scalar, or the column makes nothing.
        """
        if key not in self._made:
            if isinstance(key, str):
                self._made[key] = self._feature(key)
            elif not isinstance(key, FeatureColumn):
                raise TypeError(f'"key" must be either a "str" or "{self._kind}". Provided: {key}')
            else:
                with self.managed(state_manager):
                    made = key.transformed(self)
                if made is None:
                    raise ValueError(f"Column {key.name} is not supported.")
                self._made[key] = made
        return self._made[key]

    def sparse(self, key: str) -> SparseTensor:
        """A feature as a SparseTensor, without "" or -1 if it was none."""
        return as_sparse(self.get(key))

    def _feature(self, key: str) -> Any:
        if key not in self._features:
            raise ValueError(f"Feature {key} is not in features dictionary.")
        value = convert_to_tensor_or_sparse_tensor(self._features[key])
        rank = value.shape.rank
        text = f"Feature (key: {key}) cannot have rank 0. Given: {value}"
        if rank == 0:
            raise ValueError(text)
        if rank is None:
            with control_dependencies([assert_positive(array_shape.rank(value), message=text)]):
                return cond(
                    equal(1, array_shape.rank(value)), lambda: _with_column(value), lambda: value
                )
        return value if rank != 1 else _with_column(value)


def _with_column(value: Any) -> Any:
    """One of rank 1 as a column."""
    if isinstance(value, SparseTensor):
        return sparse_reshape(value, [array_shape.shape(value)[0], 1])
    return array_shape.expand_dims(value, -1)


def as_sparse(value: Any, ignored: Any = None) -> SparseTensor:
    """A tensor as a SparseTensor, without "", -1 or 0.0 by its type, or `ignored`."""
    value = convert_to_tensor_or_sparse_tensor(value)
    if isinstance(value, SparseTensor):
        return value
    with name_scope(None, "to_sparse_input", [value]):
        if ignored is None:
            kind = value.dtype.base_dtype
            ignored = "" if kind == dtypes.string else -1 if kind.is_integer else 0.0
        other = not_equal(value, cast_constant(ignored, value.dtype))
        indices = where(other, name="indices")
        return SparseTensor(
            indices,
            gather_nd(value, indices, name="values"),
            array_shape.shape(value, out_type=dtypes.int64, name="dense_shape"),
        )


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
    older = wanted.startswith("_") or " _" in wanted
    column: Any
    for column in found:
        if not isinstance(column, FeatureColumn):
            raise ValueError(
                f"Items of feature_columns must be a {'_' * older}FeatureColumn. Given (type "
                f"{type(column)}): {column}."
            )
    if not found:
        raise ValueError("feature_columns must not be empty.")
    names: dict[str, Any] = {}
    for column in found:
        if not isinstance(column, kinds):
            advice = (
                "You can wrap a categorical column with an embedding_column or indicator_column. "
                if isinstance(column, CategoricalColumn)
                else ""
            )
            raise ValueError(f"Items of feature_columns must be {wanted}. {advice}Given: {column}")
        if column.name in names:
            raise ValueError(
                f"Duplicate feature column name found for columns: {column} and "
                f"{names[column.name]}. This usually means that these columns refer to same base "
                "feature. Either one must be discarded or a duplicated but renamed item must be "
                "inserted in features dict."
            )
        names[column.name] = column
    return sorted(found, key=lambda column: str(column.name))


def check_batches(tensors: Sequence[Any], columns: Sequence[Any]) -> None:
    """Does nothing where all sizes of batches that are known are one.

    Raises:
      ValueError: They differ.
    """
    known = [
        (each.shape.dims[0].value, column.name)
        for each, column in zip(tensors, columns, strict=True)
        if each.shape.rank and each.shape.dims[0].value is not None
    ]
    for size, name in known[1:]:
        if size != known[0][0]:
            raise ValueError(
                "Batch size (first dimension) of each feature must be same. Batch size of columns "
                f"({known[0][1]}, {name}): ({known[0][0]}, {size})"
            )
