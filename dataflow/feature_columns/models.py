"""What takes columns: the first layer of a net, a linear model, the parser of examples."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import dataflow.ops.array.concat as array_concat
import dataflow.ops.array.shape as array_shape
from dataflow.feature_columns.inputs import (
    CategoricalColumn,
    DenseColumn,
    FeatureColumn,
    Inputs,
    check_batches,
    checked_columns,
)
from dataflow.graph import scopes
from dataflow.graph.keys import GraphKeys
from dataflow.graph.tensor import Tensor
from dataflow.graph.variable_scope_object import get_variable_scope
from dataflow.library.embedding_sparse import safe_embedding_lookup_sparse
from dataflow.ops.linalg.matmul import matmul
from dataflow.ops.nn.bias import bias_add
from dataflow.ops.reductions.sum import add_n
from dataflow.ops.sparse.reshape import sparse_reshape
from dataflow.values import dtypes
from dataflow.values.shapes import TensorShape
from dataflow.variables.initializers import Zeros
from dataflow.variables.partitioned import PartitionedVariable
from dataflow.variables.scope import get_variable, variable_scope


def input_layer(
    features: Any,
    feature_columns: Any,
    weight_collections: Any = None,
    trainable: bool = True,
    cols_to_vars: dict[Any, Any] | None = None,
    cols_to_output_tensors: dict[Any, Any] | None = None,
) -> Tensor:
    """The numbers of all columns side by side, in the order of the columns' names.

    Args:
      features: Tensors by name.
      feature_columns: Dense columns.
      weight_collections: Where variables are put beside `GLOBAL_VARIABLES` and `MODEL_VARIABLES`.
      trainable: Whether optimizers train them.
      cols_to_vars: Is given for each column its variables.
      cols_to_output_tensors: Is given for each column its numbers.

    Raises:
      ValueError: A column is not dense, two have one name, a feature is missing, or the collection
        of a shared table has something else.
    """
    columns = checked_columns(feature_columns, (DenseColumn,), "a _DenseColumn")
    with variable_scope(None, default_name="input_layer", values=list(features.values())):
        return side_by_side(
            features,
            columns,
            lambda column: variable_scope(None, default_name=column.scope_name),
            trainable,
            chosen_collections(weight_collections),
            cols_to_vars,
            cols_to_output_tensors,
        )


def side_by_side(
    features: Any,
    columns: list[Any],
    scope: Callable[[DenseColumn], Any],
    trainable: bool = True,
    weight_collections: Any = None,
    cols_to_vars: dict[Any, Any] | None = None,
    cols_to_output_tensors: dict[Any, Any] | None = None,
    state_manager: Any = None,
) -> Tensor:
    """The numbers of all columns; `scope` opens that of a column's variables."""
    inputs = Inputs(features, state_manager)
    outputs = []
    for column in columns:
        with scope(column):
            tensor = column.dense(inputs, trainable, weight_collections)
            size = TensorShape(column.variable_shape).num_elements() or 0
            batch: Any = array_shape.shape(tensor)
            output = array_shape.reshape(tensor, array_concat.stack([batch[0], size]))
            output.set_shape([None, size])
            outputs.append(output)
            if cols_to_vars is not None:
                cols_to_vars[column] = _variables_of_scope()
            if cols_to_output_tensors is not None:
                cols_to_output_tensors[column] = output
    check_batches(outputs, columns)
    return array_concat.concat(outputs, 1)


def linear_model(
    features: Any,
    feature_columns: Any,
    units: int = 1,
    sparse_combiner: str = "sum",
    weight_collections: Any = None,
    trainable: bool = True,
    cols_to_vars: dict[Any, Any] | None = None,
) -> Tensor:
    """A weight for each number and each category, added up, with a bias.

    Args:
      features: Tensors by name.
      feature_columns: Columns of categories or numbers.
      units: How many outputs there are.
      sparse_combiner: How weights of an example's categories are combined: "mean", "sqrtn" or
        "sum".
      weight_collections: Where variables are put beside `GLOBAL_VARIABLES` and `MODEL_VARIABLES`.
      trainable: Whether optimizers train them.
      cols_to_vars: Is given for each column its variables, and those of "bias".

    Raises:
      ValueError: A column is another, two have one name, or a feature is missing.
    """
    with variable_scope(None, default_name="linear_model", values=list(features.values())):
        return weighted_total(
            features,
            feature_columns,
            units,
            sparse_combiner,
            weight_collections,
            trainable,
            cols_to_vars,
        )


def weighted_total(
    features: Any,
    feature_columns: Any,
    units: int,
    sparse_combiner: str,
    weight_collections: Any,
    trainable: bool,
    cols_to_vars: dict[Any, Any] | None,
) -> Tensor:
    """What `linear_model` adds up, with its variables in the open scope."""
    kinds = (DenseColumn, CategoricalColumn)
    columns = checked_columns(feature_columns, kinds, "either a _DenseColumn or _CategoricalColumn")
    collections = chosen_collections(weight_collections)
    again = get_variable_scope().reuse

    def variable(name: str, shape: list[int]) -> Any:
        return get_variable(
            name,
            shape=shape,
            dtype=dtypes.float32,
            initializer=Zeros(),
            trainable=trainable,
            collections=collections,
        )

    sums = weighted_sums(
        Inputs(features),
        columns,
        units,
        sparse_combiner,
        lambda scope: variable_scope(scope if again else None, default_name=scope),
        variable,
        trainable,
        collections,
        cols_to_vars,
    )
    bias = variable("bias_weights", [units])
    if cols_to_vars is not None:
        cols_to_vars["bias"] = list(bias) if isinstance(bias, PartitionedVariable) else [bias]
    return bias_add(add_n(sums, name="weighted_sum_no_bias"), bias, name="weighted_sum")


def weighted_sums(
    inputs: Inputs,
    columns: list[Any],
    units: int,
    sparse_combiner: str,
    open_scope: Callable[[str], Any],
    variable: Callable[[str, list[int]], Any],
    trainable: bool = True,
    collections: Any = None,
    cols_to_vars: dict[Any, Any] | None = None,
) -> list[Any]:
    """For each column its weights times its numbers, or added up over its categories.

    Args:
      inputs: The features.
      columns: The columns.
      units: How many outputs there are.
      sparse_combiner: How weights of an example's categories are combined.
      open_scope: Opens the scope of a column's variables, by its name.
      variable: Makes a variable of a name and a shape.
      trainable: Whether optimizers train what columns make themselves.
      collections: Where these are put.
      cols_to_vars: Is given for each column its variables.
    """
    sums = []
    for column in columns:
        with open_scope(column.scope_name if isinstance(column, DenseColumn) else column.name):
            if isinstance(column, CategoricalColumn):
                ids, id_weights = (
                    each if each is None else sparse_reshape(each, [array_shape.shape(each)[0], -1])
                    for each in column.ids_and_weights(inputs)
                )
                weights = variable("weights", [column.num_buckets, units])
                sums.append(
                    safe_embedding_lookup_sparse(
                        weights, ids, id_weights, combiner=sparse_combiner, name="weighted_sum"
                    )
                )
            else:
                size = TensorShape(column.variable_shape).num_elements() or 0
                weights = variable("weights", [size, units])
                tensor = column.dense(inputs, trainable, collections)
                batch: Any = array_shape.shape(tensor)
                flat = array_shape.reshape(tensor, array_concat.stack([batch[0], size]))
                flat.set_shape([None, size])
                sums.append(matmul(flat, weights, name="weighted_sum"))
            if cols_to_vars is not None:
                cols_to_vars[column] = _variables_of_scope()
    check_batches(sums, columns)
    return sums


def chosen_collections(chosen: Any) -> list[str]:
    """Those of a program, and those of all variables and of models."""
    own = (GraphKeys.GLOBAL_VARIABLES, GraphKeys.MODEL_VARIABLES)
    return list(dict.fromkeys([*(chosen or ()), *own]))


def make_parse_example_spec(feature_columns: Any) -> dict[str, Any]:
    """What `tf.io.parse_example` is to take for all columns.

    Raises:
      ValueError: One is no column, or two want the same feature in different forms.
    """
    found: dict[str, Any] = {}
    for column in feature_columns:
        if not isinstance(column, FeatureColumn):
            raise ValueError(
                f"All feature_columns must be _FeatureColumn instances. Given: {column}"
            )
        for key, value in column.parse_example_spec.items():
            if key in found and value != found[key]:
                raise ValueError(
                    f"feature_columns contain different parse_spec for key {key}. Given {value} "
                    f"and {found[key]}"
                )
            found[key] = value
    return found


def _variables_of_scope() -> list[Any]:
    """Those of the open scope, also where it reuses them."""
    scope: Any = get_variable_scope()
    return list(scopes.get_collection(GraphKeys.GLOBAL_VARIABLES, scope.name))
