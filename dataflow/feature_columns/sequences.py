"""Columns whose examples are sequences: a row of numbers for each step, and how many there are."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import dataflow.ops.array.shape as array_shape
import dataflow.ops.reductions.reduce as reductions
from dataflow.feature_columns import categories
from dataflow.feature_columns.inputs import (
    CategoricalColumn,
    FeatureColumn,
    Inputs,
    checked_columns,
)
from dataflow.feature_columns.numbers import NumericColumn, numeric_column
from dataflow.feature_columns.protocols import (
    SequenceNames,
    TensorSequenceLengthPair,
)
from dataflow.graph.scopes import control_dependencies, name_scope
from dataflow.graph.sparse_tensor import SparseTensor
from dataflow.graph.tensor import Tensor
from dataflow.library.check_types import assert_rank, assert_type
from dataflow.library.check_values import assert_equal
from dataflow.library.public_modules import public_module
from dataflow.ops.array.broadcast import tile
from dataflow.ops.array.concat import concat, stack
from dataflow.ops.array.fill import zeros
from dataflow.ops.basic.cast import cast
from dataflow.ops.basic.identity import identity
from dataflow.ops.math.rounding import ceil
from dataflow.ops.reductions.segment import segment_max
from dataflow.ops.sparse.dense import sparse_tensor_to_dense
from dataflow.ops.sparse.reshape import sparse_reshape
from dataflow.values import dtypes
from dataflow.values.shapes import TensorShape
from dataflow.variables.scope import variable_scope


class SequenceDenseColumn(SequenceNames, FeatureColumn):
    """A column that gives numbers for each step of a sequence."""


@dataclass(frozen=True)
class SequenceCategoricalColumn(CategoricalColumn):
    """Categories of each step of a sequence."""

    categorical_column: CategoricalColumn

    @property
    def name(self) -> str:
        """That of the categories."""
        return self.categorical_column.name

    @property
    def num_buckets(self) -> int:
        """See `CategoricalColumn`."""
        return self.categorical_column.num_buckets

    @property
    def parse_example_spec(self) -> dict[str, Any]:
        """See `FeatureColumn`."""
        return self.categorical_column.parse_example_spec

    def transformed(self, inputs: Inputs) -> Any:
        """See `FeatureColumn`."""
        return inputs.get(self.categorical_column)

    def ids_and_weights(self, inputs: Inputs) -> tuple[SparseTensor, SparseTensor | None]:
        """See `CategoricalColumn`; all ids of a step lie in a third dimension."""
        ids, weights = self.categorical_column.ids_and_weights(inputs)
        shape: Any = array_shape.shape(ids, out_type=dtypes.int64)
        steps = stack([shape[0], shape[1], reductions.reduce_prod(shape[2:])])
        return sparse_reshape(ids, steps), (
            None if weights is None else sparse_reshape(weights, steps)
        )


@dataclass(frozen=True)
class SequenceNumericColumn(SequenceDenseColumn):
    """Numbers of each step of a sequence."""

    key: str
    shape: tuple[int, ...]
    default_value: float
    dtype: Any
    normalizer_fn: Callable[[Any], Any] | None

    @property
    def name(self) -> str:
        """The name of the feature."""
        return self.key

    @property
    def parse_example_spec(self) -> dict[str, Any]:
        """See `FeatureColumn`."""
        return {self.key: public_module("io").VarLenFeature(self.dtype)}

    @property
    def variable_shape(self) -> TensorShape:
        """The shape of the numbers of a step."""
        return TensorShape(self.shape)

    def transformed(self, inputs: Inputs) -> Any:
        """The numbers, normalized, as a SparseTensor."""
        sparse = inputs.get(self.key)
        return sparse if self.normalizer_fn is None else self.normalizer_fn(sparse)

    def sequence(
        self, inputs: Inputs, trainable: bool, collections: Any
    ) -> TensorSequenceLengthPair:
        """See `SequenceDenseColumn`."""
        sparse = inputs.get(self)
        dense = sparse_tensor_to_dense(sparse, default_value=self.default_value)
        batch: Any = array_shape.shape(dense)[:1]
        dense = array_shape.reshape(dense, concat([batch, [-1], list(self.shape)], 0))
        width = 1
        if sparse.shape.rank == 2:
            for size in self.shape:
                width *= size
        return TensorSequenceLengthPair(dense, sequence_lengths(sparse, width))


def of_sequence(
    column: Any, kind: str, dense: Callable[[], Tensor], inputs: Inputs
) -> TensorSequenceLengthPair:
    """What a column of categories of steps makes of them, with the lengths.

    Raises:
      ValueError: The categories are not of steps.
    """
    categories_of = column.categorical_column
    if not isinstance(categories_of, SequenceCategoricalColumn):
        raise ValueError(
            f"In {kind}: {column.name}. categorical_column must be of type "
            "SequenceCategoricalColumn to use SequenceFeatures. Suggested fix: Use one of "
            f"sequence_categorical_column_with_*. Given (type {type(categories_of)}): "
            f"{categories_of}"
        )
    ids, _ = categories_of.ids_and_weights(inputs)
    return TensorSequenceLengthPair(dense(), sequence_lengths(ids))


def check_no_sequence(column: Any, kind: str) -> None:
    """Does nothing for a column of categories that are not of steps.

    Raises:
      ValueError: They are.
    """
    categories_of = column.categorical_column
    if isinstance(categories_of, SequenceCategoricalColumn):
        raise ValueError(
            f"In {kind}: {column.name}. categorical_column must not be of type "
            "SequenceCategoricalColumn. Suggested fix A: If you wish to use DenseFeatures, use a "
            "non-sequence categorical_column_with_*. Suggested fix B: If you wish to create "
            "sequence input, use SequenceFeatures instead of DenseFeatures. Given (type "
            f"{type(categories_of)}): {categories_of}"
        )


def sequence_lengths(sparse: SparseTensor, width: int = 1) -> Tensor:
    """How many steps each example of a batch has; a step has some columns of the tensor."""
    with name_scope(None, "sequence_length") as scope:
        indices: Any = sparse.indices
        last = segment_max(indices[:, 1] + 1, indices[:, 0])
        found: Any = cast(ceil(cast(last, dtypes.float64) / float(width)), dtypes.int64)
        batch: Any = array_shape.shape(sparse)
        # Nothing follows the last example that has steps.
        missing = batch[:1] - cast(array_shape.shape(found), batch.dtype)[:1]
        return concat([found, zeros(missing, dtypes.int64)], 0, name=scope)


def sequence_input_layer(
    features: Any, feature_columns: Any, weight_collections: Any = None, trainable: bool = True
) -> tuple[Tensor, Tensor]:
    """The numbers of all columns side by side, for each step of sequences.

    Args:
      features: Tensors by name.
      feature_columns: Columns of sequences of numbers.
      weight_collections: Where variables are put.
      trainable: Whether optimizers train them.

    Returns:
      The numbers, shape `[batch, steps, all columns]`, and the lengths of the sequences.

    Raises:
      ValueError: A column is another, two have one name, or a feature is missing.
    """
    columns = checked_columns(feature_columns, FeatureColumn, "a _FeatureColumn")
    for column in columns:
        if not isinstance(column, SequenceDenseColumn):
            raise ValueError(
                "All feature_columns must be of type _SequenceDenseColumn. You can wrap a "
                "sequence_categorical_column with an embedding_column or indicator_column. Given "
                f"(type {type(column)}): {column}"
            )
    values = list(features.values())
    with variable_scope(None, default_name="sequence_input_layer", values=values):
        return steps_side_by_side(
            features,
            columns,
            lambda column: variable_scope(None, default_name=column.scope_name),
            trainable,
            weight_collections,
        )


def steps_side_by_side(
    features: Any,
    columns: Sequence[Any],
    scope: Callable[[Any], Any],
    trainable: bool = True,
    weight_collections: Any = None,
    state_manager: Any = None,
) -> tuple[Tensor, Tensor]:
    """The numbers of all columns, and the lengths; `scope` opens that of a column's variables."""
    inputs = Inputs(features, state_manager)
    outputs, lengths = [], []
    for column in columns:
        with scope(column):
            dense, length = column.sequence(inputs, trainable, weight_collections)
            width = TensorShape(column.variable_shape).num_elements()
            shape: Any = array_shape.shape(dense)
            output = array_shape.reshape(dense, stack([shape[0], shape[1], width]))
            output.set_shape([None, None, width])
            outputs.append(output)
            lengths.append(length)
    with name_scope(None, "assert_all_equal", values=lengths):
        checks = [assert_equal(lengths[0], each) for each in lengths[1:]]
    with control_dependencies(checks):
        return concat(outputs, -1), identity(lengths[0])


def concatenate_context_input(context_input: Any, sequence_input: Any) -> Tensor:
    """Puts the numbers of an example behind those of each of its steps.

    Args:
      context_input: Floats, shape `[batch, d0]`.
      sequence_input: Floats, shape `[batch, steps, d1]`.

    Returns:
      Floats, shape `[batch, steps, d1 + d0]`.
    """
    checks = []
    for name, tensor, rank in (("sequence", sequence_input, 3), ("context", context_input, 2)):
        found = f"{name}_input must have"
        data = [array_shape.shape(tensor)]
        checks.append(assert_rank(tensor, rank, data, message=f"{found} rank {rank}"))
        message = f"{found} dtype float32; got {tensor.dtype}."
        checks.append(assert_type(tensor, dtypes.float32, message=message))
    with control_dependencies(checks):
        steps: Any = array_shape.shape(sequence_input)[1]
        tiled = tile(array_shape.expand_dims(context_input, 1), stack([1, steps, 1]))
    return concat([sequence_input, tiled], 2)


def sequence_categorical_column_with_identity(
    key: str, num_buckets: int, default_value: int | None = None
) -> SequenceCategoricalColumn:
    """As `categorical_column_with_identity`, for each step of a sequence."""
    return SequenceCategoricalColumn(
        categories.categorical_column_with_identity(key, num_buckets, default_value)
    )


def sequence_categorical_column_with_hash_bucket(
    key: str, hash_bucket_size: int, dtype: Any = dtypes.string
) -> SequenceCategoricalColumn:
    """As `categorical_column_with_hash_bucket`, for each step of a sequence."""
    return SequenceCategoricalColumn(
        categories.categorical_column_with_hash_bucket(key, hash_bucket_size, dtype)
    )


def sequence_categorical_column_with_vocabulary_file(
    key: str,
    vocabulary_file: Any,
    vocabulary_size: int | None = None,
    num_oov_buckets: int = 0,
    default_value: int | None = None,
    dtype: Any = dtypes.string,
) -> SequenceCategoricalColumn:
    """As `categorical_column_with_vocabulary_file`, for each step of a sequence."""
    return SequenceCategoricalColumn(
        categories.categorical_column_with_vocabulary_file(
            key, vocabulary_file, vocabulary_size, num_oov_buckets, default_value, dtype
        )
    )


def sequence_categorical_column_with_vocabulary_list(
    key: str,
    vocabulary_list: Sequence[Any],
    dtype: Any = None,
    default_value: int = -1,
    num_oov_buckets: int = 0,
) -> SequenceCategoricalColumn:
    """As `categorical_column_with_vocabulary_list`, for each step of a sequence."""
    return SequenceCategoricalColumn(
        categories.categorical_column_with_vocabulary_list(
            key, vocabulary_list, dtype, default_value, num_oov_buckets
        )
    )


def sequence_numeric_column(
    key: str,
    shape: Any = (1,),
    default_value: float = 0.0,
    dtype: Any = dtypes.float32,
    normalizer_fn: Callable[[Any], Any] | None = None,
) -> SequenceNumericColumn:
    """Numbers of each step of a sequence, which come as a SparseTensor.

    Args:
      key: The name of the feature.
      shape: Of the numbers of a step.
      default_value: What is there after the end of a sequence.
      dtype: The type in examples.
      normalizer_fn: A function of the SparseTensor.

    Raises:
      ValueError: The shape is not positive, or the type is none of numbers.
      TypeError: The function cannot be called, or a dimension is no integer.
    """
    column: NumericColumn = numeric_column(key, shape, None, dtype, normalizer_fn)
    return SequenceNumericColumn(key, column.shape, default_value, column.dtype, normalizer_fn)
