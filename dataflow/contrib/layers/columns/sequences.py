"""What takes columns of tf.contrib.layers for sequences: inputs of nets, parsers of examples."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import dataflow.ops.array.shape as array_shape
from dataflow.contrib.layers.columns.kinds import (
    OlderBucketizedColumn,
    OlderCrossedColumn,
    OneHotColumn,
    RealValuedColumn,
    key_of,
)
from dataflow.contrib.layers.columns.scattered import ScatteredEmbeddingColumn
from dataflow.contrib.layers.feature_column_ops import check_feature_columns
from dataflow.contrib.layers.feature_columns import create_feature_spec_for_parsing
from dataflow.feature_columns.inputs import Inputs
from dataflow.feature_columns.numbers import BucketizedColumn, NumericColumn
from dataflow.feature_columns.vectors import EmbeddingColumn, IndicatorColumn
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.keys import GraphKeys
from dataflow.graph.sparse_tensor import SparseTensor
from dataflow.graph.tensor import Tensor
from dataflow.library.parsing.sequence_examples import parse_single_sequence_example
from dataflow.library.public_modules import public_module
from dataflow.ops.array.concat import concat
from dataflow.ops.basic.cast import cast
from dataflow.ops.sparse.reshape import sparse_reshape
from dataflow.values import dtypes, logging
from dataflow.variables.scope import variable_scope

_RANK = 3


class _Sequences(Inputs):
    """Features of rank 3: examples, steps, and what a step has."""

    def __init__(self, features: Mapping[str, Any], column_name: str) -> None:
        super().__init__(features)
        self._column_name = column_name

    def _feature(self, key: str) -> Any:
        if key not in self._features:
            raise ValueError(f"Feature {key} is not in features dictionary.")
        value = self._features[key]
        is_sparse = isinstance(value, SparseTensor)
        if not is_sparse:
            value = convert_to_tensor(value)
        rank = value.shape.rank
        if rank is None and is_sparse:
            rank = value.dense_shape.shape.as_list()[0]
        if rank is None:
            raise ValueError(
                f"Error while processing column {self._column_name}. Rank of input Tensor can not "
                "be None."
            )
        if rank < _RANK - 1:
            raise ValueError(
                f"Error while processing column {self._column_name}. Rank of input Tensor ({rank}) "
                f"should be the same as output_rank ({_RANK}). For example, sequence data should "
                "typically be 3 dimensional (rank 3) while non-sequence data is typically 2 "
                "dimensional (rank 2)."
            )
        if rank == _RANK:
            return value
        if is_sparse:
            tail = [1] if rank < _RANK else [-1]
            return sparse_reshape(value, concat([value.dense_shape[: _RANK - 1], tail], 0))
        if rank < _RANK:
            return array_shape.expand_dims(value, -1)
        return _flattened(value)


def sequence_input_from_feature_columns(
    columns_to_tensors: Any,
    feature_columns: Any,
    weight_collections: Any = None,
    trainable: bool = True,
    scope: Any = None,
) -> Tensor:
    """The numbers of all columns side by side for each step, for a recurrent net.

    Args:
      columns_to_tensors: Tensors by the names of features: examples, steps, and perhaps more.
      feature_columns: Columns of numbers, one-hot columns and embeddings.
      weight_collections: Where variables are put.
      trainable: Whether optimizers train them.
      scope: The scope of the variables.

    Raises:
      ValueError: A column is of another kind or comes twice, or a feature has a lower rank.
    """
    columns = list(feature_columns)
    for column in columns:
        _check_kinds(column)
    for column in _with_sources(columns):
        if isinstance(column, (ScatteredEmbeddingColumn, BucketizedColumn, OlderCrossedColumn)):
            raise ValueError(
                f"Column {column.name} is of type {_kind(column)}, which is not currently "
                "supported for sequences."
            )
    check_feature_columns(columns)
    collections = [*(weight_collections or ()), GraphKeys.MODEL_VARIABLES]
    values = list(columns_to_tensors.values())
    outputs = []
    with variable_scope(scope, default_name="sequence_input_from_feature_columns", values=values):
        for column in sorted(columns, key=key_of):
            with variable_scope(None, default_name=column.name, values=values):
                inputs = _Sequences(columns_to_tensors, column.name)
                outputs.append(column.dense(inputs, trainable, collections))
        return concat([_as_floats(output) for output in outputs], _RANK - 1)


def parse_feature_columns_from_sequence_examples(
    serialized: Any,
    context_feature_columns: Any,
    sequence_feature_columns: Any,
    name: str | None = None,
    example_name: Any = None,
) -> tuple[dict[str, Any], dict[str, Any]]:
    """The features of columns, by name, from one serialized SequenceExample.

    Args:
      serialized: The message: a scalar, or a tensor of one element.
      context_feature_columns: Columns of its context, or None.
      sequence_feature_columns: Columns of its lists, or None.
      name: Name of the operation.
      example_name: What the message is called in errors.

    Returns:
      The features of the context, and of the lists.

    Raises:
      ValueError: There are several messages, or a column comes twice.
    """
    try:
        serialized = array_shape.reshape(serialized, [])
    except ValueError as error:
        raise ValueError(
            "serialized must contain as single sequence example. Batching must be done after "
            f"parsing for sequence examples. Error: {error}"
        ) from error
    specs = []
    for columns in (context_feature_columns or [], sequence_feature_columns or []):
        check_feature_columns(columns)
        specs.append(create_feature_spec_for_parsing(columns))
    context, lists = specs
    found: tuple[dict[str, Any], dict[str, Any]] = parse_single_sequence_example(
        serialized,
        context,
        {key: _of_steps(key, feature) for key, feature in lists.items()},
        example_name,
        name,
    )
    return found


def _of_steps(key: str, feature: Any) -> Any:
    """What a feature is to parse for each step."""
    io = public_module("io")
    if isinstance(feature, io.VarLenFeature):
        return feature
    may_miss = feature.default_value is not None
    if may_miss:
        logging.warning(
            'Found default value %s for feature "%s". Ignoring this value and setting '
            "`allow_missing=True` instead.",
            feature.default_value,
            key,
        )
    return io.FixedLenSequenceFeature(feature.shape, feature.dtype, allow_missing=may_miss)


def _check_kinds(column: Any) -> None:
    kinds = (IndicatorColumn, EmbeddingColumn, RealValuedColumn, NumericColumn)
    if not isinstance(column, kinds):
        raise ValueError(
            f"FeatureColumn type {_kind(column)} is not currently supported for sequence data."
        )


def _with_sources(columns: list[Any]) -> Iterator[Any]:
    """Columns, and those that they are made of."""
    for column in columns:
        yield column
        source = getattr(column, "categorical_column", None)
        if source is None:
            source = getattr(column, "sparse_id_column", None)
        if source is not None:
            yield from _with_sources([source])


def _kind(column: Any) -> str:
    """What TensorFlow calls the kind of a column."""
    for kind, name in (
        (ScatteredEmbeddingColumn, "_ScatteredEmbeddingColumn"),
        (OlderBucketizedColumn, "_BucketizedColumn"),
        (OlderCrossedColumn, "_CrossedColumn"),
        (OneHotColumn, "_OneHotColumn"),
    ):
        if isinstance(column, kind):
            return name
    return repr(column).partition("(")[0]


def _flattened(value: Any) -> Any:
    """The dimensions behind the steps as one."""
    sizes = value.shape.as_list()
    inner = 1
    for size in sizes[_RANK - 1 :]:
        inner = -1 if size is None or inner < 0 else inner * size
    shape = concat([array_shape.shape(value)[: _RANK - 1], [inner]], 0)
    made = array_shape.reshape(value, shape)
    made.set_shape([*sizes[: _RANK - 1], None if inner < 0 else inner])
    return made


def _as_floats(value: Any) -> Any:
    return value if value.dtype == dtypes.float32 else cast(value, dtypes.float32)
