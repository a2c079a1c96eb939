"""Columns of categories as vectors: counts of ids, and embeddings, also shared ones."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import dataflow.ops.reductions.reduce as reductions
from dataflow.feature_columns.inputs import CategoricalColumn, DenseColumn, Inputs
from dataflow.feature_columns.sequences import (
    SequenceDenseColumn,
    TensorSequenceLengthPair,
    check_no_sequence,
    of_sequence,
)
from dataflow.graph import scopes
from dataflow.graph.keys import GraphKeys
from dataflow.graph.tensor import Tensor
from dataflow.library.embedding_sparse import safe_embedding_lookup_sparse
from dataflow.ops.array.select import one_hot
from dataflow.ops.array.shape import expand_dims
from dataflow.ops.sparse.dense import sparse_tensor_to_dense
from dataflow.saving.init_from_checkpoint import init_from_checkpoint
from dataflow.values import dtypes
from dataflow.variables.initializers import TruncatedNormal
from dataflow.variables.scope import get_variable


@dataclass(frozen=True)
class IndicatorColumn(DenseColumn, SequenceDenseColumn):
    """How often each id is there."""

    categorical_column: CategoricalColumn

    @property
    def name(self) -> str:
        """That of the categories, with "_indicator"."""
        return f"{self.categorical_column.name}_indicator"

    @property
    def parse_example_spec(self) -> dict[str, Any]:
        """See `FeatureColumn`."""
        return self.categorical_column.parse_example_spec

    @property
    def variable_shape(self) -> list[int]:
        """See `DenseColumn`."""
        return [self.categorical_column.num_buckets]

    def transformed(self, inputs: Inputs) -> Tensor:
        """The counts, or sums of weights."""
        ids, weights = self.categorical_column.ids_and_weights(inputs)
        dense = sparse_tensor_to_dense(ids, default_value=-1)
        hot: Any = one_hot(dense, self.categorical_column.num_buckets, 1.0, 0.0)
        if weights is not None:
            hot = hot * expand_dims(sparse_tensor_to_dense(weights), -1)
        found: Tensor = reductions.reduce_sum(hot, axis=-2)
        return found

    def dense(self, inputs: Inputs, trainable: bool, collections: Any) -> Tensor:
        """See `DenseColumn`."""
        check_no_sequence(self, "indicator_column")
        found: Tensor = inputs.get(self)
        return found

    def sequence(
        self, inputs: Inputs, trainable: bool, collections: Any
    ) -> TensorSequenceLengthPair:
        """See `SequenceDenseColumn`."""
        return of_sequence(self, "indicator_column", lambda: inputs.get(self), inputs)


@dataclass(frozen=True)
class EmbeddingColumn(DenseColumn, SequenceDenseColumn):
    """The vectors of an example's ids, combined to one."""

    categorical_column: CategoricalColumn
    dimension: int
    combiner: str
    initializer: Any
    ckpt_to_load_from: Any
    tensor_name_in_ckpt: str | None
    max_norm: float | None
    trainable: bool
    shared_name: str | None = None

    @property
    def shared_collection(self) -> str | None:
        """The collection that a shared table is in, alone; None if it is not shared."""
        return self.shared_name

    @property
    def table_name(self) -> str:
        """The name of the variable, in the column's scope."""
        return "embedding_weights"

    @property
    def name(self) -> str:
        """That of the categories, with "_embedding"."""
        kind = "embedding" if self.shared_name is None else "shared_embedding"
        return f"{self.categorical_column.name}_{kind}"

    @property
    def scope_name(self) -> str:
        """See `DenseColumn`; of a shared table that of all its columns."""
        return self.name if self.shared_name is None else self.shared_name

    @property
    def parse_example_spec(self) -> dict[str, Any]:
        """See `FeatureColumn`."""
        return self.categorical_column.parse_example_spec

    @property
    def variable_shape(self) -> list[int]:
        """See `DenseColumn`."""
        return [self.dimension]

    def transformed(self, inputs: Inputs) -> Any:
        """The ids."""
        return inputs.get(self.categorical_column)

    def dense(self, inputs: Inputs, trainable: bool, collections: Any) -> Tensor:
        """See `DenseColumn`."""
        check_no_sequence(self, "embedding_column")
        return self._vectors(inputs, trainable, collections)

    def sequence(
        self, inputs: Inputs, trainable: bool, collections: Any
    ) -> TensorSequenceLengthPair:
        """See `SequenceDenseColumn`."""
        return of_sequence(
            self,
            "embedding_column",
            lambda: self._vectors(inputs, trainable, collections),
            inputs,
        )

    def _vectors(self, inputs: Inputs, trainable: bool, collections: Any) -> Tensor:
        ids, weights = self.categorical_column.ids_and_weights(inputs)
        return safe_embedding_lookup_sparse(
            self._table(trainable, collections),
            ids,
            weights,
            combiner=self.combiner,
            name=f"{self.name}_weights",
            max_norm=self.max_norm,
        )

    def _table(self, trainable: bool, collections: Any) -> Any:
        shape = [self.categorical_column.num_buckets, self.dimension]
        if self.shared_collection is not None:
            found = scopes.get_collection(self.shared_collection)
            if found:
                return _only_table(found, self.shared_collection, shape)
        table = get_variable(
            self.table_name,
            shape=shape,
            dtype=dtypes.float32,
            initializer=self.initializer,
            trainable=self.trainable and trainable,
            collections=[*(collections or ()), GraphKeys.GLOBAL_VARIABLES],
        )
        if self.ckpt_to_load_from is not None and self.tensor_name_in_ckpt is not None:
            init_from_checkpoint(self.ckpt_to_load_from, {self.tensor_name_in_ckpt: table})
        if self.shared_collection is not None:
            scopes.add_to_collection(self.shared_collection, table)
        return table


def indicator_column(categorical_column: Any) -> IndicatorColumn:
    """Categories as counts of each id."""
    return IndicatorColumn(categorical_column)


def embedding_column(
    categorical_column: Any,
    dimension: int,
    combiner: str = "mean",
    initializer: Any = None,
    ckpt_to_load_from: Any = None,
    tensor_name_in_ckpt: str | None = None,
    max_norm: float | None = None,
    trainable: bool = True,
    use_safe_embedding_lookup: bool = True,
) -> EmbeddingColumn:
    """Categories as vectors, which are trained.

    Args:
      categorical_column: The categories.
      dimension: How long the vectors are.
      combiner: "mean", "sqrtn" or "sum", of an example with several ids.
      initializer: Of the table; truncated normal if None.
      ckpt_to_load_from: A checkpoint that the table begins with.
      tensor_name_in_ckpt: Its name there.
      max_norm: How long vectors may be.
      trainable: Whether optimizers train the table.
      use_safe_embedding_lookup: Not used: ids that are none are always left out.

    Raises:
      ValueError: The dimension is not positive, or of the checkpoint only one thing is said.
    """
    _check(dimension, ckpt_to_load_from, tensor_name_in_ckpt, initializer)
    return EmbeddingColumn(
        categorical_column,
        dimension,
        combiner,
        initializer or TruncatedNormal(0.0, 1 / math.sqrt(dimension)),
        ckpt_to_load_from,
        tensor_name_in_ckpt,
        max_norm,
        trainable,
    )


def shared_embedding_columns(
    categorical_columns: Sequence[Any],
    dimension: int,
    combiner: str = "mean",
    initializer: Any = None,
    shared_embedding_collection_name: str | None = None,
    ckpt_to_load_from: Any = None,
    tensor_name_in_ckpt: str | None = None,
    max_norm: float | None = None,
    trainable: bool = True,
    use_safe_embedding_lookup: bool = True,
) -> list[EmbeddingColumn]:
    """Several columns of as many categories as vectors of one table; see `embedding_column`.

    Raises:
      ValueError: Their numbers of categories differ, or as there.
    """
    _check(dimension, ckpt_to_load_from, tensor_name_in_ckpt, initializer)
    columns = list(categorical_columns)
    first = columns[0]
    for other in columns[1:]:
        if other.num_buckets != first.num_buckets:
            raise ValueError(
                "To use shared_embedding_column, all categorical_columns must have the same number "
                f"of buckets. Given column: {first} with buckets: {first.num_buckets} does  not "
                f"match column: {other} with buckets: {other.num_buckets}"
            )
    name = shared_embedding_collection_name
    if not name:
        name = "_".join([*sorted(column.name for column in columns), "shared_embedding"])
    return [
        EmbeddingColumn(
            column,
            dimension,
            combiner,
            initializer or TruncatedNormal(0.0, 1 / math.sqrt(dimension)),
            ckpt_to_load_from,
            tensor_name_in_ckpt,
            max_norm,
            trainable,
            name,
        )
        for column in columns
    ]


def _check(dimension: Any, checkpoint: Any, tensor_name: Any, initializer: Any) -> None:
    if dimension is None or dimension < 1:
        raise ValueError(f"Invalid dimension {dimension}.")
    if (checkpoint is None) != (tensor_name is None):
        raise ValueError(
            "Must specify both `ckpt_to_load_from` and `tensor_name_in_ckpt` or none of them."
        )
    if initializer is not None and not callable(initializer):
        raise ValueError("initializer must be callable if specified.")


def _only_table(found: list[Any], collection: str, shape: list[int]) -> Any:
    advice = (
        "Suggested fix A: Choose a unique name for this collection. Suggested fix B: Do not add "
        "any variables to this collection. The feature_column library already adds a variable "
        "under the hood."
    )
    if len(found) > 1:
        raise ValueError(f"Collection {found} can only contain one variable. {advice}")
    table = found[0]
    if table.shape.as_list() != shape:
        raise ValueError(
            f"Shared embedding collection {collection} contains variable {table.name} of "
            f"unexpected shape {table.shape}. Expected shape is {tuple(shape)}. {advice}"
        )
    return table
