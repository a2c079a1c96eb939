"""What takes the columns of tf.contrib.layers: nets, linear models, parsers of examples."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from typing import Any

import dataflow.ops.array.shape as array_shape
from dataflow.contrib.framework.variables import add_model_variable
from dataflow.contrib.layers.columns.kinds import OlderCrossedColumn, key_of
from dataflow.contrib.layers.feature_columns import (
    combiner_of,
    create_feature_spec_for_parsing,
    real_valued_column,
)
from dataflow.feature_columns.inputs import CategoricalColumn, DenseColumn, FeatureColumn, Inputs
from dataflow.feature_columns.models import side_by_side
from dataflow.feature_columns.vectors import EmbeddingColumn, IndicatorColumn
from dataflow.graph.keys import GraphKeys
from dataflow.graph.sparse_tensor import SparseTensor
from dataflow.graph.tensor import Tensor
from dataflow.library.embedding_sparse import safe_embedding_lookup_sparse
from dataflow.library.parsing.examples import parse_example
from dataflow.ops.basic.cast import cast
from dataflow.ops.linalg.matmul import matmul
from dataflow.ops.nn.bias import bias_add
from dataflow.ops.reductions.sum import add_n
from dataflow.ops.sparse.concat import sparse_concat
from dataflow.saving.init_from_checkpoint import init_from_checkpoint
from dataflow.values import dtypes
from dataflow.variables.initializers import Zeros
from dataflow.variables.partitioned import PartitionedVariable
from dataflow.variables.scope import get_variable, variable_scope


def input_from_feature_columns(
    columns_to_tensors: Any,
    feature_columns: Any,
    weight_collections: Any = None,
    trainable: bool = True,
    scope: Any = None,
    cols_to_outs: dict[Any, Any] | None = None,
) -> Tensor:
    """The numbers of all columns side by side, for a net.

    Args:
      columns_to_tensors: Tensors by the names of features.
      feature_columns: Dense columns.
      weight_collections: Where variables are put.
      trainable: Whether optimizers train them.
      scope: The scope of the variables.
      cols_to_outs: Is given for each column its numbers.

    Raises:
      ValueError: A column is not dense, or comes twice.
    """
    columns = _sorted(feature_columns)
    for column in columns:
        if not isinstance(column, DenseColumn):
            raise ValueError(
                f"Error creating input layer for column: {column.name}.\nSparseColumn is not "
                f"supported in DNN. Please use embedding_column or one_hot_column. column: {column}"
            )
    collections = [*(weight_collections or ()), GraphKeys.MODEL_VARIABLES]
    values = list(columns_to_tensors.values())
    with variable_scope(scope, default_name="input_from_feature_columns", values=values):
        return side_by_side(
            columns_to_tensors,
            columns,
            lambda column: variable_scope(None, default_name=column.name, values=values),
            trainable,
            collections,
            cols_to_output_tensors=cols_to_outs,
        )


def weighted_sum_from_feature_columns(
    columns_to_tensors: Any,
    feature_columns: Any,
    num_outputs: int,
    weight_collections: Any = None,
    trainable: bool = True,
    scope: Any = None,
) -> tuple[Tensor, dict[Any, list[Any]], Any]:
    """A weight for each number and each category, added up, with a bias.

    Args:
      columns_to_tensors: Tensors by the names of features.
      feature_columns: Columns of numbers or categories.
      num_outputs: How many outputs there are.
      weight_collections: Where variables are put.
      trainable: Whether optimizers train them.
      scope: The scope of the variables.

    Returns:
      The sums, the variables by column, and the bias.

    Raises:
      ValueError: A column is an embedding, or comes twice.
    """
    inputs = Inputs(columns_to_tensors)
    variable = _zeros_made(trainable, weight_collections)
    sums, made = [], {}
    values = list(columns_to_tensors.values())
    default = "weighted_sum_from_feature_columns"
    with variable_scope(scope, default_name=default, values=values):
        for column in _sorted(feature_columns):
            with variable_scope(None, default_name=column.name, values=values):
                if isinstance(column, CategoricalColumn):
                    ids, id_weights = column.ids_and_weights(inputs)
                    weights = variable("weights", [column.num_buckets, num_outputs])
                    if isinstance(column, OlderCrossedColumn) and column.tensor_name_in_ckpt:
                        names = {column.tensor_name_in_ckpt: weights}
                        init_from_checkpoint(column.ckpt_to_load_from, names)
                    name = f"{column.name}_weights"
                    found: Any = safe_embedding_lookup_sparse(
                        weights, ids, id_weights, combiner=combiner_of(column), name=name
                    )
                elif isinstance(column, (EmbeddingColumn, IndicatorColumn)):
                    raise ValueError(
                        f"Error creating weighted sum for column: {column.name}.\nColumn {column} "
                        "is not supported in linear models. Please use sparse_column."
                    )
                else:
                    numbers: Any = side_by_side(
                        columns_to_tensors, [column], lambda _: nullcontext()
                    )
                    weights = variable("weight", [numbers.shape[1].value, num_outputs])
                    found = matmul(numbers, weights, name="matmul")
            sums.append(array_shape.reshape(found, [-1, num_outputs]))
            made[column] = _parts(weights)
        bias = variable("bias_weight", [num_outputs])
        return bias_add(add_n(sums), bias), made, bias


def joint_weighted_sum_from_feature_columns(
    columns_to_tensors: Any,
    feature_columns: Any,
    num_outputs: int,
    weight_collections: Any = None,
    trainable: bool = True,
    scope: Any = None,
) -> tuple[Tensor, list[Any], Any]:
    """As `weighted_sum_from_feature_columns`, with the weights of all categories in one variable.

    Args:
      columns_to_tensors: Tensors by the names of features.
      feature_columns: Columns of categories without weights, whose combiner is "sum".
      num_outputs: How many outputs there are.
      weight_collections: Where variables are put.
      trainable: Whether optimizers train them.
      scope: The scope of the variables.

    Returns:
      The sums, the parts of the variable, and the bias.

    Raises:
      NotImplementedError: A column has numbers.
      ValueError: A column comes twice.
      AssertionError: Categories have weights or are not summed, or there are no columns.
    """
    inputs = Inputs(columns_to_tensors)
    variable = _zeros_made(trainable, weight_collections)
    values = list(columns_to_tensors.values())
    default = "joint_weighted_sum_from_feature_columns"
    with variable_scope(scope, default_name=default, values=values):
        found, before = [], 0
        for column in _sorted(feature_columns):
            if not isinstance(column, CategoricalColumn):
                raise NotImplementedError(
                    "Real-valued columns are not supported. Use weighted_sum_from_feature_columns "
                    "instead, or bucketize these columns."
                )
            ids, weights = column.ids_and_weights(inputs)
            if weights is not None:
                raise AssertionError(
                    "Joint sums for weighted sparse columns are not supported. Please use "
                    "weighted_sum_from_feature_columns instead."
                )
            if combiner_of(column) != "sum":
                raise AssertionError(
                    "Combiners other than sum are not supported for joint sums. Please use "
                    "weighted_sum_from_feature_columns instead."
                )
            places: Any = cast(ids.values, dtypes.int64)
            found.append(SparseTensor(ids.indices, places + before, ids.dense_shape))
            before += column.num_buckets
        if not found:
            raise AssertionError("At least one column must be in the model.")
        joined = sparse_concat(1, found)
        with variable_scope(None, default_name="linear_weights", values=values):
            table = variable("weights", [before, num_outputs])
            sums: Any = safe_embedding_lookup_sparse(
                table, joined, None, combiner="sum", name="_weights"
            )
        bias = variable("bias_weight", [num_outputs])
        return bias_add(sums, bias), _parts(table), bias


def parse_feature_columns_from_examples(
    serialized: Any, feature_columns: Any, name: str | None = None, example_names: Any = None
) -> dict[str, Any]:
    """The features of columns, by name, from serialized examples."""
    spec = create_feature_spec_for_parsing(feature_columns)
    found: dict[str, Any] = parse_example(serialized, spec, name, example_names)
    return found


def transform_features(features: Any, feature_columns: Any) -> dict[Any, Any]:
    """What each column makes of the features."""
    inputs = Inputs(features)
    return {column: inputs.get(column) for column in _sorted(feature_columns)}


def infer_real_valued_columns(features: Any) -> list[Any]:
    """A column of numbers for each feature, or for the only one, which has no name then.

    Raises:
      ValueError: A feature is sparse, or has no numbers.
    """
    given = features if isinstance(features, dict) else {"": features}
    found = []
    for name, tensor in given.items():
        if isinstance(tensor, SparseTensor):
            raise ValueError(
                "SparseTensor is not supported for auto detection. Please define corresponding "
                f"FeatureColumn for tensor {name} {tensor}."
            )
        if not (tensor.dtype.is_integer or tensor.dtype.is_floating):
            raise ValueError(
                "Non integer or non floating types are not supported for auto detection. Please "
                f"define corresponding FeatureColumn for tensor {name} {tensor}."
            )
        dimension = 1
        for size in tensor.shape.as_list()[1:]:
            dimension *= size
        found.append(real_valued_column(name, dimension, dtype=tensor.dtype.base_dtype))
    return found


def check_feature_columns(feature_columns: Any) -> None:
    """Does nothing for columns that differ.

    Raises:
      ValueError: They are a dictionary, one is no column, or two are the same.
    """
    if isinstance(feature_columns, dict):
        raise ValueError("Expected feature_columns to be iterable, found dict.")
    seen = set()
    for column in feature_columns:
        if not isinstance(column, FeatureColumn):
            raise ValueError(f"Column {column} is not supported.")
        key = key_of(column)
        if key in seen:
            raise ValueError(
                f"Duplicate feature column key found for column: {column.name}. This usually means "
                "that the column is almost identical to another column, and one must be discarded."
            )
        seen.add(key)


def _sorted(columns: Any) -> list[Any]:
    listed = list(columns)
    check_feature_columns(listed)
    return sorted(listed, key=key_of)


def _zeros_made(trainable: bool, weight_collections: Any) -> Callable[[str, list[int]], Any]:
    """Makes variables of zeros, which belong to the model."""
    collections = list({*(weight_collections or ()), GraphKeys.GLOBAL_VARIABLES})

    def variable(name: str, shape: list[int]) -> Any:
        made = get_variable(
            name,
            shape=shape,
            dtype=dtypes.float32,
            initializer=Zeros(),
            trainable=trainable,
            collections=collections,
        )
        for part in _parts(made):
            add_model_variable(part)
        return made

    return variable


def _parts(made: Any) -> list[Any]:
    return list(made) if isinstance(made, PartitionedVariable) else [made]
