"""Embeddings whose numbers are looked up in one vector, by hashes of value and place."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import dataflow.ops.array.shape as array_shape
from dataflow.contrib.layers.columns.crosses import sparse_feature_cross
from dataflow.contrib.layers.columns.kinds import OlderColumn
from dataflow.feature_columns.inputs import DenseColumn, Inputs
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.scopes import name_scope
from dataflow.graph.sparse_tensor import SparseTensor
from dataflow.graph.tensor import Tensor
from dataflow.library.embedding import embedding_lookup
from dataflow.library.public_modules import public_module
from dataflow.ops.array.broadcast import tile
from dataflow.ops.array.concat import concat
from dataflow.ops.array.unique import unique
from dataflow.ops.basic.cast import cast
from dataflow.ops.basic.range import range as range_of
from dataflow.ops.sparse.dense import sparse_tensor_to_dense
from dataflow.ops.sparse.rows import sparse_fill_empty_rows
from dataflow.ops.sparse.segment import (
    sparse_segment_mean,
    sparse_segment_sqrt_n,
    sparse_segment_sum,
)
from dataflow.values import dtypes, logging
from dataflow.variables.initializers import TruncatedNormal
from dataflow.variables.partitioned import PartitionedVariable
from dataflow.variables.scope import get_variable

_COMBINED: dict[str, Callable[..., Any]] = {
    "sum": sparse_segment_sum,
    "mean": sparse_segment_mean,
    "sqrtn": sparse_segment_sqrt_n,
}


@dataclass(frozen=True)
class ScatteredEmbeddingColumn(OlderColumn, DenseColumn):
    """An embedding of words, without a vocabulary."""

    column_name: str
    size: int
    dimension: int
    hash_key: int | None
    combiner: str
    initializer: Any

    @property
    def name(self) -> str:
        """That of the feature, with "_scattered_embedding"."""
        return f"{self.column_name}_scattered_embedding"

    @property
    def parse_example_spec(self) -> dict[str, Any]:
        """See `FeatureColumn`."""
        return {self.column_name: public_module("io").VarLenFeature(dtypes.string)}

    @property
    def key(self) -> str:
        """See `OlderColumn`; initializers do not count."""
        return (
            f"_ScatteredEmbeddingColumn(column_name={self.column_name}, size={self.size}, "
            f"dimension={self.dimension}, hash_key={self.hash_key}, combiner={self.combiner})"
        )

    @property
    def variable_shape(self) -> list[int]:
        """See `DenseColumn`."""
        return [self.dimension]

    def transformed(self, inputs: Inputs) -> Any:
        """The words."""
        return inputs.get(self.column_name)

    def dense(self, inputs: Inputs, trainable: bool, collections: Any) -> Tensor:
        """See `DenseColumn`."""
        words = inputs.get(self)
        numbers = get_variable(
            "weights",
            shape=[self.size],
            dtype=dtypes.float32,
            initializer=self.initializer,
            trainable=trainable,
            collections=[*(collections or ()), "variables"],
        )
        return scattered_embedding_lookup_sparse(
            numbers,
            words,
            self.dimension,
            hash_key=self.hash_key,
            combiner=self.combiner,
            name="lookup",
        )


def scattered_embedding_column(
    column_name: str,
    size: int,
    dimension: int,
    hash_key: int | None,
    combiner: str = "mean",
    initializer: Any = None,
) -> ScatteredEmbeddingColumn:
    """Words as vectors, each number of which is one of `size`, found by a hash.

    Args:
      column_name: The name of the feature.
      size: How many numbers there are.
      dimension: How long the vectors are.
      hash_key: What hashes begin with.
      combiner: "mean", "sqrtn" or "sum", of an example with several words.
      initializer: Of the numbers; truncated normal if None.

    Raises:
      ValueError: A size is not positive, the combiner none of these, or the initializer no
        function.
    """
    if dimension < 1 or size < 1:
        raise ValueError(
            f"Dimension and size must be greater than 0. dimension: {dimension}, size: {size}, "
            f"column_name: {column_name}"
        )
    if combiner not in _COMBINED:
        raise ValueError(
            f"Combiner must be one of 'mean', 'sqrtn' or 'sum'. combiner: {combiner}, column_name: "
            f"{column_name}"
        )
    if initializer is not None and not callable(initializer):
        raise ValueError(f"initializer must be callable if specified. column_name: {column_name}")
    made = initializer or TruncatedNormal(0.0, 0.1)
    return ScatteredEmbeddingColumn(column_name, size, dimension, hash_key, combiner, made)


def scattered_embedding_lookup(
    params: Any,
    values: Any,
    dimension: int,
    name: str | None = None,
    hash_key: int | None = None,
) -> Tensor:
    """The vector of each value, whose numbers are looked up by hashes.

    Args:
      params: A vector of numbers, or its parts: of one length, the first perhaps one longer.
      values: Words or integers of any shape.
      dimension: How long the vectors are.
      name: Name of the scope.
      hash_key: What hashes begin with.

    Returns:
      Of the shape of the values, with `dimension` at its end.

    Raises:
      ValueError: The dimension is not positive, or the parts have other lengths.
    """
    if dimension is None:
        raise ValueError("You must specify dimension.")
    parts = _parts(params)
    with name_scope(name, "scattered_embedding_lookup", [*parts, dimension, values]):
        values = convert_to_tensor(values)
        shape = array_shape.shape(values)
        flat = array_shape.reshape(values, [-1, 1])
        if dimension <= 0:
            raise ValueError(f"Dimension must be >0. Given is {dimension}")
        places = tile(array_shape.expand_dims(range_of(0, dimension), 0), array_shape.shape(flat))
        sizes = [part.shape.as_list()[0] for part in parts]
        total = sum(sizes)
        for index, size in enumerate(sizes):
            expected = (total - index - 1) // len(sizes) + 1
            if size != expected:
                raise ValueError(f"Tensor {index} in params has size {size}, expected {expected}.")
        ids = sparse_feature_cross([places, flat], True, total, hash_key=hash_key)
        found = embedding_lookup(parts, sparse_tensor_to_dense(ids), partition_strategy="div")
        return array_shape.reshape(found, concat([shape, [dimension]], 0))


def scattered_embedding_lookup_sparse(
    params: Any,
    sparse_values: Any,
    dimension: int,
    combiner: str | None = None,
    default_value: Any = None,
    name: str | None = None,
    hash_key: int | None = None,
) -> Tensor:
    """The vectors of each row's values, combined.

    Args:
      params: See `scattered_embedding_lookup`.
      sparse_values: A sparse matrix of words or integers.
      dimension: See there.
      combiner: "mean", "sqrtn" or "sum".
      default_value: The value of a row that has none.
      name: Name of the scope.
      hash_key: See there.

    Raises:
      TypeError: The values are not sparse.
      ValueError: The combiner is none of these.
    """
    if combiner is None:
        logging.warn(
            'The default value of combiner will change from "mean" to "sqrtn" after 2016/11/01.'
        )
        combiner = "mean"
    parts = _parts(params)
    if not isinstance(sparse_values, SparseTensor):
        raise TypeError("sparse_values must be SparseTensor")
    with name_scope(name, "scattered_embedding_lookup_sparse", [*parts, sparse_values]) as scope:
        if default_value is None:
            # Hardly anything is called that, or has that number: no other value has its vector.
            is_text = sparse_values.dtype.base_dtype == dtypes.string
            default_value = "6ZxWzWOHxZ" if is_text else 1288896567
        filled, _ = sparse_fill_empty_rows(sparse_values, default_value)
        indices: Any = filled.indices
        rows = cast(indices[:, 0], dtypes.int32)
        values, places = unique(filled.values)
        vectors = scattered_embedding_lookup(parts, values, dimension, hash_key=hash_key)
        if combiner not in _COMBINED:
            raise ValueError("Combiner must be one of 'mean', 'sqrtn' or 'sum'.")
        found: Tensor = _COMBINED[combiner](vectors, places, rows, name=scope)
        return found


def _parts(params: Any) -> list[Any]:
    if isinstance(params, (list, PartitionedVariable)):
        return list(params)
    return [params]
