"""Model functions of forests, for estimators of both kinds."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, ClassVar, Final, NamedTuple

from dataflow.contrib.estimator.heads import regression_head as core_regression_head
from dataflow.contrib.layers.feature_column_ops import transform_features
from dataflow.contrib.layers.targets import ProblemType
from dataflow.contrib.learn.heads.classes import multi_class_head
from dataflow.contrib.learn.heads.numbers import regression_head
from dataflow.contrib.learn.model_fn import ModeKeys, ModelFnOps
from dataflow.contrib.tensor_forest.client import eval_metrics
from dataflow.contrib.tensor_forest.client.hooks import (
    TensorForestLossHook,
    TensorForestRunOpAtEndHook,
)
from dataflow.estimation.export_outputs import PredictOutput
from dataflow.estimation.heads.classes import BinaryClassHead, MultiClassHead
from dataflow.feature_columns.inputs import Inputs
from dataflow.graph.scopes import control_dependencies
from dataflow.graph.sparse_tensor import SparseTensor
from dataflow.graph.tensor import Tensor
from dataflow.library.losses.weighted import Reduction
from dataflow.library.summaries.values import scalar as scalar_summary
from dataflow.ops.array.concat import concat, stack
from dataflow.ops.array.slice import slice as sliced
from dataflow.ops.basic.grouping import group
from dataflow.ops.basic.single import single
from dataflow.ops.math.binary import maximum
from dataflow.ops.math.unary import log
from dataflow.ops.reductions.reduce import reduce_sum
from dataflow.ops.state.reference import assign_add
from dataflow.training.global_step import get_global_step
from dataflow.variables.scope import variable_scope

TREE_PATHS_PREDICTION_KEY: Final = "tree_paths"
VARIANCE_PREDICTION_KEY: Final = "prediction_variance"
ALL_SERVING_KEY: Final = "tensorforest_all"
EPSILON: Final = 0.000001


class ModelBuilderOutputType:
    """What a model function gives."""

    MODEL_FN_OPS: ClassVar[int] = 0
    ESTIMATOR_SPEC: ClassVar[int] = 1


def get_default_head(
    params: Any, weights_name: str | None, output_type: int, name: str | None = None
) -> Any:
    """The head of a problem: numbers, two classes or more.

    Args:
      params: Hyperparameters that were filled.
      weights_name: The feature that holds the weights of examples.
      output_type: Of `ModelBuilderOutputType`.
      name: The head's name.
    """
    if output_type == ModelBuilderOutputType.MODEL_FN_OPS:
        common: dict[str, Any] = {
            "weight_column_name": weights_name,
            "enable_centered_bias": False,
            "head_name": name,
        }
        if params.regression:
            return regression_head(label_dimension=params.num_outputs, **common)
        return multi_class_head(params.num_classes, **common)
    common = {
        "weight_column": weights_name,
        "name": name,
        "loss_reduction": Reduction.SUM_OVER_BATCH_SIZE,
    }
    if params.regression:
        return core_regression_head(label_dimension=params.num_outputs, **common)
    if params.num_classes == 2:
        return BinaryClassHead(**common)
    return MultiClassHead(params.num_classes, **common)


class _Forest(NamedTuple):
    """What a forest's graph gives beside its predictions."""

    logits: Any
    tree_paths: Any
    variance: Any
    hooks: list[Any]


def get_model_fn(
    params: Any,
    graph_builder_class: Any,
    device_assigner: Any,
    feature_columns: Any = None,
    weights_name: str | None = None,
    model_head: Any = None,
    keys_name: str | None = None,
    early_stopping_rounds: int = 100,
    early_stopping_loss_threshold: float = 0.001,
    num_trainers: int = 1,
    trainer_id: int = 0,
    report_feature_importances: bool = False,
    local_eval: bool = False,
    head_scope: Any = None,
    include_all_in_serving: bool = False,
    output_type: int = ModelBuilderOutputType.MODEL_FN_OPS,
) -> Callable[..., Any]:
    """A model function.

    Args:
      params: Hyperparameters that were filled.
      graph_builder_class: Makes the graphs, as `RandomForestGraphs` does.
      device_assigner: A device function for trees.
      feature_columns: Columns that are made of features, and become features.
      weights_name: The feature that holds the weights of examples.
      model_head: Makes losses and metrics; one that fits the problem if None.
      keys_name: A feature that predictions hold as it is.
      early_stopping_rounds: For how many steps the loss may stand still; training goes on if 0.
      early_stopping_loss_threshold: By which part of itself it must fall.
      num_trainers: Among how many trainers the trees are divided.
      trainer_id: Which of them this is.
      report_feature_importances: Whether the end of training logs them.
      local_eval: Whether evaluation ignores the device function, as prediction does.
      head_scope: The variable scope of a head of tf.contrib.learn.
      include_all_in_serving: Whether an output of exported models has all predictions.
      output_type: Of `ModelBuilderOutputType`.
    """
    gives_ops = output_type == ModelBuilderOutputType.MODEL_FN_OPS
    if model_head is None:
        model_head = get_default_head(params, weights_name, output_type)

    def build(features: Any, labels: Any, mode: Any) -> tuple[Any, Any, _Forest]:
        """The head's operations, the keys and the rest."""
        if isinstance(features, (Tensor, SparseTensor)):
            features = {"features": features}
        features = dict(features)
        if feature_columns:
            features.update(_columns(features, feature_columns, gives_ops))
        weights = features.pop(weights_name) if weights_name in features else None
        keys = features.pop(keys_name) if keys_name in features else None
        is_local = mode == ModeKeys.INFER or (local_eval and mode == ModeKeys.EVAL)
        graphs = graph_builder_class(params, device_assigner=None if is_local else device_assigner)
        logits, tree_paths, variance = graphs.inference_graph(features)
        scalar_summary("average_tree_size", graphs.average_size())
        if not params.regression and params.num_classes == 2:
            logits = _logit(sliced(logits, [0, 1], [-1, 1]))
        training: Any = None
        if labels is not None and mode == ModeKeys.TRAIN:
            with control_dependencies([logits.op]):
                training = group(
                    graphs.training_graph(
                        features,
                        labels,
                        input_weights=weights,
                        num_trainers=num_trainers,
                        trainer_id=trainer_id,
                    ),
                    assign_add(get_global_step(), 1),
                )
        if weights is not None:
            features[weights_name] = weights
        at_end = {"9: clean up resources": _without(graphs.get_all_resource_handles())}
        if report_feature_importances:
            at_end["1: feature_importances"] = graphs.feature_importances()
        given = {
            "features": features,
            "mode": mode,
            "labels": labels,
            "train_op_fn": lambda loss: training,
            "logits": logits,
        }
        if gives_ops:
            made = model_head.create_model_fn_ops(**given, scope=head_scope)
        else:
            made = model_head.create_estimator_spec(**given)
        hooks: list[Any] = [TensorForestRunOpAtEndHook(at_end)]
        if early_stopping_rounds:
            hooks.append(
                TensorForestLossHook(
                    early_stopping_rounds,
                    early_stopping_loss_threshold=early_stopping_loss_threshold,
                    loss_op=made.loss,
                )
            )
        return made, keys, _Forest(logits, tree_paths, variance, hooks)

    def model_fn(features: Any, labels: Any, mode: Any) -> Any:
        """What the forest gives for features and labels, as ModelFnOps or an EstimatorSpec."""
        made, keys, forest = build(features, labels, mode)
        if made.predictions is not None:
            if keys is not None:
                made.predictions[keys_name] = keys
            if params.inference_tree_paths:
                made.predictions[TREE_PATHS_PREDICTION_KEY] = forest.tree_paths
            made.predictions[VARIANCE_PREDICTION_KEY] = forest.variance
        if gives_ops:
            made.training_hooks.extend(forest.hooks)
            if include_all_in_serving:
                every = (ProblemType.UNSPECIFIED, made.predictions)
                alternatives = {**(made.output_alternatives or {}), ALL_SERVING_KEY: every}
                made = made._replace(output_alternatives=alternatives)
            return made
        made = made._replace(training_hooks=forest.hooks + list(made.training_hooks))
        if include_all_in_serving and mode == ModeKeys.INFER:
            outputs = {ALL_SERVING_KEY: PredictOutput(made.predictions)}
            made = made._replace(export_outputs=outputs)
        return made

    return model_fn


def _columns(features: Any, columns: Any, are_contribs: bool) -> dict[Any, Any]:
    """What columns make of features."""
    if are_contribs:
        return transform_features(features, columns)
    return {column.name: Inputs(features).get(column) for column in columns}


def _logit(chances: Any) -> Any:
    """The logits of chances, which may be 0 or 1."""
    return log(maximum(chances / maximum(1.0 - chances, EPSILON), EPSILON))


def _without(handles: Sequence[Any]) -> Any:
    """An operation that forgets resources."""
    return group(*[single("DestroyResourceOp", handle) for handle in handles if handle is not None])


def get_combined_model_fn(model_fns: Sequence[Callable[..., Any]]) -> Callable[..., Any]:
    """A model function of several, each of which has a column of the labels.

    Training operations are run together, the loss is the average, probabilities stand side by side
    in one matrix and classes in columns.

    Args:
      model_fns: Functions that `get_model_fn` has made.
    """

    def model_fn(features: Any, labels: Any, mode: Any) -> ModelFnOps:
        """What all forests give for features and labels."""
        made = []
        for place, each in enumerate(model_fns):
            with variable_scope(f"label_{place}"):
                # A model that only predicts has no labels.
                mine = None if labels is None else sliced(labels, [0, place], [-1, 1])
                made.append(each(features, mine, mode))
        hooks = [hook for each in made for hook in each.training_hooks]
        predictions = {}
        if mode in (ModeKeys.EVAL, ModeKeys.INFER):
            chances, classes = eval_metrics.INFERENCE_PROB_NAME, eval_metrics.INFERENCE_PRED_NAME
            predictions[chances] = concat([each.predictions[chances] for each in made], axis=1)
            predictions[classes] = stack([each.predictions[classes] for each in made], axis=1)
        loss = None
        if mode in (ModeKeys.EVAL, ModeKeys.TRAIN):
            loss = reduce_sum(stack([each.loss for each in made])) / len(made)
        train_op = group(*[each.train_op for each in made]) if mode == ModeKeys.TRAIN else None
        return ModelFnOps(mode, predictions, loss, train_op, training_hooks=hooks)

    return model_fn
