"""Embeddings that share a table, which each graph has once: those of tf.compat.v2."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from weakref import WeakKeyDictionary

from dataflow.feature_columns.inputs import CategoricalColumn, DenseColumn, Inputs
from dataflow.feature_columns.protocols import TensorSequenceLengthPair
from dataflow.feature_columns.sequences import (
    SequenceDenseColumn,
    check_no_sequence,
    of_sequence,
)
from dataflow.feature_columns.vectors import check_table, load_table, shared_table
from dataflow.graph.scopes import get_default_graph, name_scope
from dataflow.graph.tensor import Tensor
from dataflow.library.embedding_sparse import safe_embedding_lookup_sparse
from dataflow.values import dtypes
from dataflow.values.shapes import TensorShape
from dataflow.variables.scope import get_variable


class SharedEmbeddingColumnCreator:
    """A table of vectors; called, a column of them.

    Args:
      dimension: How long the vectors are.
      initializer: Of the table.
      ckpt_to_load_from: A checkpoint that it begins with.
      tensor_name_in_ckpt: Its name there.
      num_buckets: How many vectors there are.
      trainable: Whether optimizers train it.
      name: Name of the variable.
    """

    def __init__(
        self,
        dimension: int,
        initializer: Any,
        ckpt_to_load_from: Any,
        tensor_name_in_ckpt: str | None,
        num_buckets: int,
        trainable: bool,
        name: str = "shared_embedding_column_creator",
    ) -> None:
        self._dimension, self._num_buckets = dimension, num_buckets
        self._initializer, self._trainable, self._name = initializer, trainable, name
        self._checkpoint = (ckpt_to_load_from, tensor_name_in_ckpt)
        self._tables: WeakKeyDictionary[Any, Any] = WeakKeyDictionary()

    def __call__(self, categorical_column: Any, combiner: str, max_norm: Any) -> Any:
        """A column whose vectors are in the table."""
        return SharedEmbeddingColumn(categorical_column, self, combiner, max_norm)

    @property
    def dimension(self) -> int:
        """How long the vectors are."""
        return self._dimension

    @property
    def embedding_weights(self) -> Any:
        """The table of the default graph, which is made if it is not there."""
        graph = get_default_graph()
        if graph not in self._tables:
            table = get_variable(
                name=self._name,
                shape=(self._num_buckets, self._dimension),
                dtype=dtypes.float32,
                initializer=self._initializer,
                trainable=self._trainable,
            )
            load_table(table, *self._checkpoint)
            self._tables[graph] = table
        return self._tables[graph]


@dataclass(frozen=True)
class SharedEmbeddingColumn(DenseColumn, SequenceDenseColumn):
    """The vectors of an example's ids, of a table that others have, too, combined to one."""

    categorical_column: CategoricalColumn
    shared_embedding_column_creator: SharedEmbeddingColumnCreator
    combiner: str
    max_norm: float | None

    @property
    def name(self) -> str:
        """That of the categories, with "_shared_embedding"."""
        return f"{self.categorical_column.name}_shared_embedding"

    @property
    def parse_example_spec(self) -> dict[str, Any]:
        """See `FeatureColumn`."""
        return self.categorical_column.parse_example_spec

    @property
    def variable_shape(self) -> TensorShape:
        """See `DenseColumn`."""
        return TensorShape([self.shared_embedding_column_creator.dimension])

    def transformed(self, inputs: Inputs) -> Any:
        """The ids."""
        return inputs.get(self.categorical_column)

    def dense(self, inputs: Inputs, trainable: bool, collections: Any) -> Tensor:
        """See `DenseColumn`."""
        check_no_sequence(self, "embedding_column")
        return self._vectors(inputs)

    def sequence(
        self, inputs: Inputs, trainable: bool, collections: Any
    ) -> TensorSequenceLengthPair:
        """See `SequenceDenseColumn`."""
        return of_sequence(self, "embedding_column", lambda: self._vectors(inputs), inputs)

    def _vectors(self, inputs: Inputs) -> Tensor:
        with name_scope(None, self.name):
            ids, weights = self.categorical_column.ids_and_weights(inputs)
            return safe_embedding_lookup_sparse(
                self.shared_embedding_column_creator.embedding_weights,
                ids,
                weights,
                combiner=self.combiner,
                name=f"{self.name}_weights",
                max_norm=self.max_norm,
            )


def shared_embeddings(
    categorical_columns: Sequence[Any],
    dimension: int,
    combiner: str = "mean",
    initializer: Any = None,
    shared_embedding_collection_name: str | None = None,
    ckpt_to_load_from: Any = None,
    tensor_name_in_ckpt: str | None = None,
    max_norm: float | None = None,
    trainable: bool = True,
) -> list[SharedEmbeddingColumn]:
    """Several columns of as many categories as vectors of one table.

    Args:
      categorical_columns: The columns.
      dimension: How long the vectors are.
      combiner: "mean", "sqrtn" or "sum", of an example with several ids.
      initializer: Of the table; truncated normal if None.
      shared_embedding_collection_name: Name of the variable; made of the columns' if None.
      ckpt_to_load_from: A checkpoint that the table begins with.
      tensor_name_in_ckpt: Its name there.
      max_norm: How long vectors may be.
      trainable: Whether optimizers train the table.

    Raises:
      ValueError: The columns do not fit together, the dimension is not positive, or of the
        checkpoint only one thing is said.
    """
    check_table(dimension, ckpt_to_load_from, tensor_name_in_ckpt)
    name, initializer = shared_table(
        categorical_columns,
        dimension,
        initializer,
        shared_embedding_collection_name,
        "CategoricalColumn",
    )
    creator = SharedEmbeddingColumnCreator(
        dimension,
        initializer,
        ckpt_to_load_from,
        tensor_name_in_ckpt,
        categorical_columns[0].num_buckets,
        trainable,
        name,
    )
    return [creator(each, combiner, max_norm) for each in categorical_columns]
