"""Columns of categories as vectors: counts of ids, and embeddings, also shared ones."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import dataflow.ops.reductions.reduce as reductions
from dataflow.feature_columns.categories import WeightedCategoricalColumn
from dataflow.feature_columns.inputs import CategoricalColumn, DenseColumn, Inputs
from dataflow.feature_columns.protocols import TensorSequenceLengthPair
from dataflow.feature_columns.sequences import (
    SequenceDenseColumn,
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
from dataflow.values.shapes import TensorShape
from dataflow.variables.initializers import TruncatedNormal
from dataflow.variables.partitioned import PartitionedVariable
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
    def variable_shape(self) -> TensorShape:
        """See `DenseColumn`."""
        return TensorShape([1, self.categorical_column.num_buckets])

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

    @property
    def shared_collection(self) -> str | None:
        """The collection that a shared table is in, alone; None if it is not shared."""
        return None

    @property
    def table_name(self) -> str:
        """The name of the variable, in the column's scope."""
        return "embedding_weights"

    @property
    def name(self) -> str:
        """That of the categories, with "_embedding"."""
        return f"{self.categorical_column.name}_embedding"

    @property
    def parse_example_spec(self) -> dict[str, Any]:
        """See `FeatureColumn`."""
        return self.categorical_column.parse_example_spec

    @property
    def variable_shape(self) -> TensorShape:
        """See `DenseColumn`."""
        return TensorShape([self.dimension])

    def transformed(self, inputs: Inputs) -> Any:
        """The ids."""
        return inputs.get(self.categorical_column)

    def create_state(self, state_manager: Any) -> None:
        """See `FeatureColumn`: the table."""
        if self.shared_collection is None:
            state_manager.create_variable(
                self,
                name=self.table_name,
                shape=(self.categorical_column.num_buckets, self.dimension),
                dtype=dtypes.float32,
                trainable=self.trainable,
                use_resource=True,
                initializer=self.initializer,
            )

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
            self._table(inputs, trainable, collections),
            ids,
            weights,
            combiner=self.combiner,
            name=f"{self.name}_weights",
            max_norm=self.max_norm,
        )

    def _table(self, inputs: Inputs, trainable: bool, collections: Any) -> Any:
        table = self._found_table(inputs, trainable, collections)
        load_table(table, self.ckpt_to_load_from, self.tensor_name_in_ckpt)
        return table

    def _found_table(self, inputs: Inputs, trainable: bool, collections: Any) -> Any:
        shape = [self.categorical_column.num_buckets, self.dimension]
        collection = self.shared_collection
        if collection is None and inputs.state_manager is not None:
            return inputs.state_manager.get_variable(self, name=self.table_name)
        if collection is not None:
            found = scopes.get_collection(collection)
            if found:
                return _only_table(found, collection, shape)
        table = get_variable(
            self.table_name,
            shape=shape,
            dtype=dtypes.float32,
            initializer=self.initializer,
            trainable=self.trainable and trainable,
            collections=list(dict.fromkeys([*(collections or ()), GraphKeys.GLOBAL_VARIABLES])),
        )
        if collection is not None:
            scopes.add_to_collection(collection, table)
        return table


@dataclass(frozen=True)
class CollectedEmbeddingColumn(EmbeddingColumn):
    """The same with a table that is shared: it is alone in a collection."""

    shared_embedding_collection_name: str

    @property
    def shared_collection(self) -> str | None:
        """See `EmbeddingColumn`."""
        return self.shared_embedding_collection_name

    @property
    def name(self) -> str:
        """That of the categories, with "_shared_embedding"."""
        return f"{self.categorical_column.name}_shared_embedding"

    @property
    def scope_name(self) -> str:
        """See `DenseColumn`; that of all columns of the table."""
        return self.shared_embedding_collection_name


def load_table(table: Any, checkpoint: Any, tensor_name: str | None) -> None:
    """Has a table begin with a checkpoint's values, if there is one."""
    if checkpoint is not None and tensor_name is not None:
        whole = list(table) if isinstance(table, PartitionedVariable) else table
        init_from_checkpoint(checkpoint, {tensor_name: whole})


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
    check_table(dimension, ckpt_to_load_from, tensor_name_in_ckpt)
    if initializer is not None and not callable(initializer):
        raise ValueError(
            "initializer must be callable if specified. Embedding of column_name: "
            f"{categorical_column.name}"
        )
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
) -> list[CollectedEmbeddingColumn]:
    """Several columns of as many categories as vectors of one table; see `embedding_column`.

    Raises:
      ValueError: Their numbers of categories or their kinds differ, or as there.
    """
    check_table(dimension, ckpt_to_load_from, tensor_name_in_ckpt)
    name, initializer = shared_table(
        categorical_columns,
        dimension,
        initializer,
        shared_embedding_collection_name,
        "_CategoricalColumn",
    )
    return [
        CollectedEmbeddingColumn(
            column,
            dimension,
            combiner,
            initializer,
            ckpt_to_load_from,
            tensor_name_in_ckpt,
            max_norm,
            trainable,
            name,
        )
        for column in categorical_columns
    ]


def check_table(dimension: Any, checkpoint: Any, tensor_name: Any) -> None:
    """Does nothing for a table that can be made.

    Raises:
      ValueError: The dimension is not positive, or of the checkpoint only one thing is said.
    """
    if dimension is None or dimension < 1:
        raise ValueError(f"Invalid dimension {dimension}.")
    if (checkpoint is None) != (tensor_name is None):
        raise ValueError(
            "Must specify both `ckpt_to_load_from` and `tensor_name_in_ckpt` or none of them."
        )


def shared_table(
    columns: Sequence[Any], dimension: int, initializer: Any, name: str | None, kind: str
) -> tuple[str, Any]:
    """The name of a table that columns share, and what it begins with.

    Raises:
      ValueError: They are no columns of categories, or of several kinds, or their numbers of
        categories differ, or the initializer cannot be called.
    """
    if initializer is not None and not callable(initializer):
        raise ValueError("initializer must be callable if specified.")
    by_name = sorted(columns, key=lambda column: str(column.name))
    first, *others = [
        each.categorical_column if isinstance(each, WeightedCategoricalColumn) else each
        for each in by_name
    ]
    if not isinstance(first, CategoricalColumn):
        raise ValueError(
            f"All categorical_columns must be subclasses of {kind}. Given: {first}, of type: "
            f"{type(first)}"
        )
    want = "To use shared_embedding_column, all categorical_columns must have the same"
    for other in others:
        if not isinstance(other, type(first)):
            raise ValueError(
                f"{want} type, or be weighted_categorical_column of the same type. Given column: "
                f"{first} of type: {type(first)} does not match given column: {other} of type: "
                f"{type(other)}"
            )
        if other.num_buckets != first.num_buckets:
            raise ValueError(
                f"{want} number of buckets. Given column: {first} with buckets: "
                f"{first.num_buckets} does  not match column: {other} with buckets: "
                f"{other.num_buckets}"
            )
    return (
        name or "_".join([*(column.name for column in by_name), "shared_embedding"]),
        initializer or TruncatedNormal(0.0, 1 / math.sqrt(dimension)),
    )


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
