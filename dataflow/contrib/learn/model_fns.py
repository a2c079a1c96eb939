"""The model functions of linear models, nets, and both together."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from dataflow.contrib.layers.columns.kinds import OlderColumn, OlderEmbeddingColumn
from dataflow.contrib.layers.feature_column_ops import (
    input_from_feature_columns,
    joint_weighted_sum_from_feature_columns,
    weighted_sum_from_feature_columns,
)
from dataflow.contrib.layers.linear import fully_connected
from dataflow.contrib.layers.optimizers import OPTIMIZER_CLS_NAMES, optimize_loss
from dataflow.contrib.layers.plain import dropout
from dataflow.contrib.learn.heads.base import Head
from dataflow.contrib.learn.model_fn import ModeKeys
from dataflow.differentiation.gradients import gradients
from dataflow.estimation.canned.logits import summarize
from dataflow.estimation.canned.optimizers import linear_rate, parted
from dataflow.feature_columns.models import input_layer, linear_model
from dataflow.graph import scopes
from dataflow.library.clipping import clip_by_global_norm
from dataflow.library.sparsity import zero_fraction
from dataflow.library.summaries.values import histogram, scalar
from dataflow.ops.basic.grouping import group
from dataflow.ops.math.sigmoid import sigmoid
from dataflow.ops.math.trig import tanh
from dataflow.ops.nn.activation import relu
from dataflow.training.ftrl import FtrlOptimizer
from dataflow.training.global_step import get_global_step
from dataflow.training.sync_replicas import SyncReplicasOptimizer
from dataflow.variables.scope import variable_scope

DEEP: Final = "dnn"
"""The scope and the collection of a net's variables."""
LINEAR: Final = "linear"
"""Those of a linear model's."""
_ACTIVATIONS: Final = {"relu": relu, "tanh": tanh, "sigmoid": sigmoid}
_DEEP_RATE: Final = 0.05
_LINEAR_RATE: Final = 0.2
_LEAST_BYTES: Final = 64 << 20
"""Of a part of a table of embeddings, or of linear weights."""


def check_columns(linear: Any, deep: Any) -> None:
    """Refuses a model without columns.

    Raises:
      ValueError: There are none.
    """
    if not linear and not deep:
        raise ValueError("Either linear_feature_columns or dnn_feature_columns must be defined.")


def linear_model_fn(
    features: Any,
    labels: Any,
    mode: Any,
    config: Any = None,
    *,
    head: Any,
    columns: Any,
    optimizer: Any = None,
    gradient_clip_norm: float | None = None,
    joint_weights: bool = False,
) -> Any:
    """The model function of a linear model.

    Args:
      features: A tensor, or tensors by name.
      labels: What the head takes.
      mode: One of `ModeKeys`.
      config: How to run.
      head: What makes loss and predictions of logits.
      columns: Columns of the model.
      optimizer: An optimizer, its name, or what gives it; Ftrl if None.
      gradient_clip_norm: The most that the norm of the gradients may be.
      joint_weights: Whether all weights lie in one variable.
    """
    columns = list(columns)
    features = _by_name(features)
    cuts = parted(config, _LEAST_BYTES)
    with variable_scope(LINEAR, values=tuple(features.values()), partitioner=cuts) as scope:
        logits = _linear_logits(features, columns, head.logits_dimension, joint_weights, scope)

        def train_op_fn(loss: Any) -> Any:
            variables = scopes.get_collection(LINEAR)
            found = gradients(loss, variables)
            if gradient_clip_norm:
                found, _ = clip_by_global_norm(found, gradient_clip_norm)
            made: Any = optimizer or FtrlOptimizer(linear_rate(_LINEAR_RATE, len(columns)))
            if isinstance(made, str):
                made = OPTIMIZER_CLS_NAMES[made](learning_rate=_LINEAR_RATE)
            pairs = zip(found, variables, strict=True)
            return _optimizer(made).apply_gradients(pairs, global_step=get_global_step())

        return _with_head(head, features, mode, labels, logits, train_op_fn)


def deep_model_fn(
    features: Any,
    labels: Any,
    mode: Any,
    config: Any = None,
    *,
    head: Any,
    hidden_units: Sequence[int],
    columns: Any,
    optimizer: Any = None,
    activation_fn: Any = None,
    dropout_rate: float | None = None,
    gradient_clip_norm: float | None = None,
    embedding_lr_multipliers: Mapping[Any, float] | None = None,
    input_layer_min_slice_size: int | None = None,
) -> Any:
    """The model function of a net.

    Args:
      features: A tensor, or tensors by name.
      labels: What the head takes.
      mode: One of `ModeKeys`.
      config: How to run.
      head: What makes loss and predictions of logits.
      hidden_units: How many numbers each hidden layer gives.
      columns: Columns of the net.
      optimizer: An optimizer, its name, or what gives it; Adagrad if None.
      activation_fn: Of hidden layers, a function or "relu", "tanh" or "sigmoid"; none if None.
      dropout_rate: Which share of a hidden layer's numbers training leaves out.
      gradient_clip_norm: The most that the norm of the gradients may be.
      embedding_lr_multipliers: For columns of embeddings what their gradients are multiplied by.
      input_layer_min_slice_size: The least bytes of a part of a table of embeddings.

    Raises:
      ValueError: There is no such activation, or a multiplier belongs to no table.
    """
    features = _by_name(features)
    activation = _activation(activation_fn)
    cuts = parted(config, input_layer_min_slice_size or _LEAST_BYTES)
    values = tuple(features.values())
    with variable_scope(DEEP, values=values, partitioner=parted(config)):
        net, scope = _deep_inputs(features, list(columns), cuts)
        for number, size in enumerate(hidden_units):
            net, tag = _layer(net, size, activation, f"hiddenlayer_{number}", dropout_rate, mode)
            _summarize(net, tag)
        logits, tag = _layer(net, head.logits_dimension, None, "logits")
        _summarize(logits, tag)

        def train_op_fn(loss: Any) -> Any:
            return optimize_loss(
                loss,
                get_global_step(),
                _DEEP_RATE,
                _optimizer(optimizer or "Adagrad"),
                gradient_multipliers=_multipliers(embedding_lr_multipliers, scope),
                clip_gradients=gradient_clip_norm,
                name=DEEP,
                summaries=[],
            )

        return _with_head(head, features, mode, labels, logits, train_op_fn)


def combined_model_fn(
    features: Any,
    labels: Any,
    mode: Any,
    config: Any = None,
    *,
    head: Any,
    linear_columns: Any = None,
    linear_optimizer: Any = None,
    joint_linear_weights: bool = False,
    deep_columns: Any = None,
    deep_optimizer: Any = None,
    hidden_units: Sequence[int] | None = None,
    activation_fn: Any = None,
    dropout_rate: float | None = None,
    gradient_clip_norm: float | None = None,
    embedding_lr_multipliers: Mapping[Any, float] | None = None,
    counts_once: bool = True,
    input_layer_partitioner: Any = None,
) -> Any:
    """The model function of a linear model and a net, whose logits are added.

    Args:
      features: A tensor, or tensors by name.
      labels: What the head takes.
      mode: One of `ModeKeys`.
      config: How to run.
      head: What makes loss and predictions of logits.
      linear_columns: Columns of the linear model; there is none without them.
      linear_optimizer: Trains the linear model; Ftrl if None.
      joint_linear_weights: Whether all linear weights lie in one variable.
      deep_columns: Columns of the net; there is none without them.
      deep_optimizer: Trains the net; Adagrad if None.
      hidden_units: How many numbers each hidden layer gives.
      activation_fn: Of hidden layers; `relu` if None.
      dropout_rate: Which share of a hidden layer's numbers training leaves out.
      gradient_clip_norm: The most that the norm of the gradients of a model may be.
      embedding_lr_multipliers: For columns of embeddings what their gradients are multiplied by.
      counts_once: Whether a step of both models counts once.
      input_layer_partitioner: Cuts the tables of embeddings into parts.

    Raises:
      ValueError: There are no columns, or no sizes of hidden layers for a net, or an optimizer
        waits for replicas.
    """
    linear, deep = list(linear_columns or ()), list(deep_columns or ())
    check_columns(linear, deep)
    features = _by_name(features)
    of_linear = _for_both(linear_optimizer or "Ftrl")
    of_deep = _for_both(deep_optimizer or "Adagrad")
    values = tuple(features.values())
    logits: Any = None
    scope_of_inputs = ""
    if deep:
        if not hidden_units:
            raise ValueError(
                "dnn_hidden_units must be defined when dnn_feature_columns is specified."
            )
        cuts = input_layer_partitioner or parted(config, _LEAST_BYTES)
        with variable_scope(DEEP, values=values, partitioner=parted(config)):
            net, scope_of_inputs = _deep_inputs(features, deep, cuts)
            activation = activation_fn or relu
            for number, size in enumerate(hidden_units):
                name = f"hiddenlayer_{number}"
                net, tag = _layer(net, size, activation, name, dropout_rate, mode)
                summarize(net, tag)
            logits, tag = _layer(net, head.logits_dimension, None, "logits")
            summarize(logits, tag)
    if linear:
        cuts = parted(config, _LEAST_BYTES)
        with variable_scope(LINEAR, values=values, partitioner=cuts) as scope:
            size = head.logits_dimension
            found = _linear_logits(features, linear, size, joint_linear_weights, scope)
            summarize(found, scope.name)
        logits = found if logits is None else logits + found

    def train_op_fn(loss: Any) -> Any:
        step = get_global_step()
        options: dict[str, Any] = {
            "clip_gradients": gradient_clip_norm,
            "summaries": [],
            "increment_global_step": not counts_once,
        }
        steps = []
        if deep:
            multipliers = _multipliers(embedding_lr_multipliers, scope_of_inputs)
            steps.append(
                optimize_loss(
                    loss,
                    step,
                    _DEEP_RATE,
                    of_deep,
                    gradient_multipliers=multipliers,
                    variables=scopes.get_collection(DEEP),
                    name=DEEP,
                    **options,
                )
            )
        if linear:
            steps.append(
                optimize_loss(
                    loss,
                    step,
                    linear_rate(_LINEAR_RATE, len(linear)),
                    of_linear,
                    variables=scopes.get_collection(LINEAR),
                    name=LINEAR,
                    **options,
                )
            )
        both = group(*steps)
        if not counts_once:
            return both
        with scopes.control_dependencies([both]), scopes.colocate_with(step):
            return step.assign_add(1).op

    return _with_head(head, features, mode, labels, logits, train_op_fn)


def _by_name(features: Any) -> dict[str, Any]:
    return features if isinstance(features, dict) else {"": features}


def _activation(given: Any) -> Any:
    if not isinstance(given, str):
        return given
    if given not in _ACTIVATIONS:
        raise ValueError(
            f"Activation name should be one of [{', '.join(_ACTIVATIONS)}], you provided {given}."
        )
    return _ACTIVATIONS[given]


def _optimizer(given: Any) -> Any:
    return given() if callable(given) else given


def _for_both(given: Any) -> Any:
    made = _optimizer(given)
    if isinstance(made, SyncReplicasOptimizer):
        raise ValueError(
            "SyncReplicasOptimizer is not supported in DNNLinearCombined model. If you want to use "
            "this optimizer, please use either DNN or Linear model."
        )
    return made


def _are_older(columns: Sequence[Any]) -> bool:
    return all(isinstance(each, OlderColumn) for each in columns)


def _linear_logits(
    features: Any, columns: Sequence[Any], size: int, joint_weights: bool, scope: Any
) -> Any:
    if not _are_older(columns):
        return linear_model(features, columns, size, weight_collections=[LINEAR])
    make = (
        joint_weighted_sum_from_feature_columns
        if joint_weights
        else weighted_sum_from_feature_columns
    )
    return make(features, columns, size, weight_collections=[LINEAR], scope=scope)[0]


def _deep_inputs(features: Any, columns: Sequence[Any], cuts: Any) -> tuple[Any, str]:
    """The numbers of all columns, and the name of the scope of their tables."""
    values = tuple(features.values())
    with variable_scope("input_from_feature_columns", values=values, partitioner=cuts) as scope:
        if _are_older(columns):
            return input_from_feature_columns(features, columns, [DEEP], scope=scope), scope.name
        return input_layer(features, columns, weight_collections=[DEEP]), scope.name


def _layer(
    net: Any,
    size: int,
    activation: Callable[[Any], Any] | None,
    name: str,
    rate: float | None = None,
    mode: Any = None,
) -> tuple[Any, str]:
    """What a layer gives, and the name of its scope."""
    with variable_scope(name, values=(net,)) as scope:
        made = fully_connected(
            net, size, activation_fn=activation, variables_collections=[DEEP], scope=scope
        )
        if rate is not None and mode == ModeKeys.TRAIN:
            made = dropout(made, keep_prob=1.0 - rate)
    return made, scope.name


def _summarize(value: Any, tag: str) -> None:
    scalar(f"{tag}_fraction_of_zero_values", zero_fraction(value))
    histogram(f"{tag}_activation", value)


def _multipliers(given: Mapping[Any, float] | None, scope: str) -> dict[Any, float] | None:
    """By variable what its gradient is multiplied by."""
    if not given:
        return None
    found = {}
    for column, factor in given.items():
        if not isinstance(column, OlderEmbeddingColumn):
            raise ValueError(
                "learning rate multipler can only be defined for embedding columns. It is defined "
                f"for {column}"
            )
        tables = scopes.get_collection(DEEP, f"{scope}/{column.name}")
        if not tables:
            raise ValueError(f"Couldn't find a variable for column {column}")
        found.update(dict.fromkeys(tables, factor))
    return found


def _with_head(
    head: Any, features: Any, mode: Any, labels: Any, logits: Any, train_op_fn: Any
) -> Any:
    given = {"features": features, "mode": mode, "labels": labels, "logits": logits}
    if isinstance(head, Head):
        return head.create_model_fn_ops(**given, train_op_fn=train_op_fn)
    return head.create_estimator_spec(**given, train_op_fn=train_op_fn)
