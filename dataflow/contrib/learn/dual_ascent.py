"""The model function of linear models that dual coordinate ascent trains."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dataflow.contrib.layers.feature_column_ops import (
    transform_features,
    weighted_sum_from_feature_columns,
)
from dataflow.contrib.layers.feature_columns import real_valued_column
from dataflow.contrib.learn.heads.classes import BinaryLogisticHead, BinarySvmHead
from dataflow.contrib.learn.heads.numbers import RegressionHead
from dataflow.contrib.linear_optimizer.optimizer import SDCAOptimizer
from dataflow.estimation.canned.dual_ascent import UpdateWeights
from dataflow.graph.constant_value import constant_value
from dataflow.graph.sparse_tensor import SparseTensor
from dataflow.ops.array.fill import ones
from dataflow.ops.array.shape import shape
from dataflow.training.global_step import get_global_step
from dataflow.values import dtypes
from dataflow.variables.scope import variable_scope

_BIAS = "tf_virtual_bias_column"
_LOSSES: dict[Any, str] = {
    BinarySvmHead: "hinge_loss",
    BinaryLogisticHead: "logistic_loss",
    RegressionHead: "squared_loss",
}


def sdca_model_fn(
    features: Any,
    labels: Any,
    mode: Any,
    *,
    head: Any,
    columns: Any,
    optimizer: Any,
    weight_column_name: str | None = None,
) -> Any:
    """The model function.

    Args:
      features: Tensors by name.
      labels: What the head takes.
      mode: One of `ModeKeys`.
      head: Of two classes, by logistic or hinge loss, or of one number.
      columns: Columns of the model.
      optimizer: An `SDCAOptimizer`.
      weight_column_name: The feature that tells what examples count.

    Raises:
      ValueError: The optimizer or the head is another, or a column has the name of the bias'.
      AssertionError: There are several numbers.
    """
    if not isinstance(optimizer, SDCAOptimizer):
        raise ValueError("Optimizer must be of type SDCAOptimizer")
    if type(head) not in _LOSSES:
        raise ValueError(f"Unsupported head type: {head}")
    if head.logits_dimension != 1:
        raise AssertionError("SDCA only applies for logits_dimension=1.")
    with variable_scope(
        "linear", values=list(features.values()), partitioner=optimizer.partitioner
    ) as scope:
        features = features | transform_features(features, columns)
        named = {name: each for name, each in features.items() if isinstance(name, str)}
        logits, variables, bias = weighted_sum_from_feature_columns(
            named, columns, num_outputs=1, scope=scope
        )
        _add_bias(columns, features, bias, variables)
    hooks: list[Any] = []

    def train_op_fn(_: Any) -> Any:
        model, step = optimizer.get_train_step(
            variables, weight_column_name, _LOSSES[type(head)], features, labels, get_global_step()
        )
        hooks.append(UpdateWeights(model, step))
        return step

    made = head.create_model_fn_ops(
        features=features, labels=labels, mode=mode, train_op_fn=train_op_fn, logits=logits
    )
    return made._replace(training_chief_hooks=made.training_chief_hooks + hooks)


def _add_bias(columns: Any, features: dict[Any, Any], bias: Any, variables: dict[Any, Any]) -> None:
    """The bias is a column, too, of ones."""
    if any(each.name == _BIAS for each in columns):
        raise ValueError(f"{_BIAS} is a reserved column name.")
    column = real_valued_column(_BIAS)
    features[column] = ones([_batch_size(features), 1], dtype=dtypes.float32)
    variables[column] = [bias]


def _batch_size(features: Mapping[Any, Any]) -> Any:
    for each in features.values():
        if not isinstance(each, SparseTensor):
            return shape(each)[0]
        size = constant_value(each.dense_shape)
        if size is not None:
            return size[0]
    raise ValueError("Could not infer batch size from input features.")
