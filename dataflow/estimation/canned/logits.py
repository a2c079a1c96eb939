"""What canned models make of features: the logits of nets and of linear models."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import nullcontext
from typing import Any

import dataflow.ops.array.shape as array_shape
from dataflow.control_flow.cond import cond
from dataflow.estimation.model_spec import ModeKeys
from dataflow.feature_columns.models import input_layer, linear_model
from dataflow.graph.scopes import name_scope
from dataflow.graph.tensor import Tensor
from dataflow.library.layers.dense import Dense
from dataflow.library.layers.dropout import dropout as drop_out
from dataflow.library.layers.normalization import BatchNormalization
from dataflow.library.sparsity import zero_fraction
from dataflow.library.summaries.values import histogram, scalar
from dataflow.ops.basic.cast import cast
from dataflow.ops.basic.identity import identity
from dataflow.ops.math.compare import equal
from dataflow.ops.reductions.sum import add_n
from dataflow.values import dtypes, nest
from dataflow.variables.scaled_initializers import GlorotUniform
from dataflow.variables.scope import variable_scope


def check_features(features: Any) -> None:
    """Does nothing for a dictionary.

    Raises:
      ValueError: It is another thing.
    """
    if not isinstance(features, dict):
        raise ValueError(
            f"features should be a dictionary of `Tensor`s. Given type: {type(features)}"
        )


def dnn_logit_fn_builder(
    units: int,
    hidden_units: Sequence[int],
    feature_columns: Any,
    activation_fn: Callable[[Any], Any] | None,
    dropout: float | None,
    input_layer_partitioner: Any,
    batch_norm: bool = False,
    tags_from_root: bool = False,
) -> Callable[[Any, Any], Any]:
    """Makes a function of features and mode that builds a net in the open scope.

    Args:
      units: How many logits there are.
      hidden_units: How many numbers each hidden layer gives.
      feature_columns: Dense columns.
      activation_fn: Of hidden layers.
      dropout: Which share of a hidden layer's numbers training leaves out; none if None.
      input_layer_partitioner: Cuts the tables of embeddings into parts.
      batch_norm: Whether hidden layers are normalized.
      tags_from_root: Whether summaries are named by the layers alone, whatever scope is open.

    Raises:
      ValueError: `units` is no integer.
    """
    _check_units(units)

    def dense(inputs: Any, size: int, activation: Any, scope: Any) -> Any:
        layer = Dense(
            size, activation, kernel_initializer=GlorotUniform(), name=scope, _scope=scope
        )
        return layer(inputs)

    def describe(value: Any, tag: str) -> None:
        with name_scope("") if tags_from_root else nullcontext():
            summarize(value, tag)

    def dnn_logit_fn(features: Any, mode: Any) -> Any:
        training = mode == ModeKeys.TRAIN
        with variable_scope("input_from_feature_columns", partitioner=input_layer_partitioner):
            net: Any = input_layer(features, feature_columns)
        for number, size in enumerate(hidden_units):
            with variable_scope(f"hiddenlayer_{number}", values=(net,)) as scope:
                net = dense(net, size, activation_fn, scope)
                if dropout is not None and training:
                    net = drop_out(net, rate=dropout, training=True)
                if batch_norm:
                    name = f"batchnorm_{number}"
                    layer = BatchNormalization(momentum=0.999, name=name, _scope=name)
                    net = layer(net, training=training)
            describe(net, scope.name)
        with variable_scope("logits", values=(net,)) as scope:
            logits = dense(net, units, None, scope)
        describe(logits, scope.name)
        return logits

    return dnn_logit_fn


def linear_logit_fn_builder(
    units: int, feature_columns: Any, sparse_combiner: str = "sum"
) -> Callable[[Any], Any]:
    """Makes a function of features that builds a linear model in the open scope.

    Args:
      units: How many logits there are.
      feature_columns: Columns of categories or numbers.
      sparse_combiner: How weights of an example's categories are combined.

    Raises:
      ValueError: `units` is no integer.
    """
    _check_units(units)

    def linear_logit_fn(features: Any) -> Any:
        return linear_logits(features, feature_columns, units, sparse_combiner)[0]

    return linear_logit_fn


def linear_logits(
    features: Any, feature_columns: Any, units: int, sparse_combiner: str
) -> tuple[Any, dict[Any, list[Any]], list[Any]]:
    """The logits of a linear model with its summaries, the weights by column, and the bias."""
    made: dict[Any, Any] = {}
    logits = linear_model(features, feature_columns, units, sparse_combiner, cols_to_vars=made)
    bias = made.pop("bias")
    if units > 1:
        histogram("bias", bias)
    else:
        scalar("bias", bias[0][0])
    weights = [each for variables in made.values() for each in variables]
    scalar("fraction_of_zero_weights", share_of_zeros(weights))
    return logits, made, bias


def summarize(value: Tensor, tag: str) -> None:
    """Summaries of what a layer gives."""
    scalar(f"{tag}/fraction_of_zero_values", zero_fraction(value))
    histogram(f"{tag}/activation", value)


def _check_units(units: Any) -> None:
    if not isinstance(units, int):
        raise ValueError(f"units must be an int.  Given type: {type(units)}")


def share_of_zeros(variables: Any) -> Any:
    """Which share of all weights of a list, or of lists in it, is 0; NaN if there are none."""
    variables = nest.flatten(variables)
    with name_scope("zero_fraction"):
        sizes = [array_shape.size(each, out_type=dtypes.int64) for each in variables]
        zeros = [_zeros(each, size) for each, size in zip(variables, sizes, strict=True)]
        share: Any = add_n(zeros) / cast(add_n(sizes), dtypes.float32)
        return identity(share, name="zero_fraction_or_nan")


def _zeros(variable: Any, size: Any) -> Any:
    """How many weights are 0; of none there is no share."""
    return cond(
        equal(size, cast(0, dtypes.int64)),
        lambda: cast(0.0, dtypes.float32),
        lambda: zero_fraction(variable) * cast(size, dtypes.float32),
        name="zero_count",
    )
