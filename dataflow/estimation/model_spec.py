"""What a model function gives to its estimator: EstimatorSpec, checked when it is made."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, NamedTuple

from dataflow.estimation.export_outputs import DEFAULT_KEY, ExportOutput, PredictOutput
from dataflow.graph import scopes
from dataflow.graph.keys import GraphKeys
from dataflow.graph.operation import Operation
from dataflow.graph.tensor import Tensor
from dataflow.ops.array.shape import reshape
from dataflow.ops.basic.grouping import group
from dataflow.training.hooks.session_run_hook import SessionRunHook
from dataflow.training.monitored.scaffold import Scaffold
from dataflow.values import nest
from dataflow.variables.base import BaseVariable


class ModeKeys:
    """What a model function builds its graph for."""

    TRAIN: ClassVar[str] = "train"
    EVAL: ClassVar[str] = "eval"
    PREDICT: ClassVar[str] = "infer"


class _Fields(NamedTuple):
    mode: Any
    predictions: Any
    loss: Any
    train_op: Any
    eval_metric_ops: Any
    export_outputs: Any
    training_chief_hooks: Any
    training_hooks: Any
    scaffold: Any
    evaluation_hooks: Any
    prediction_hooks: Any


class EstimatorSpec(_Fields):
    """The operations and tensors of a model, as an estimator needs them."""

    __slots__ = ()

    def __new__(
        cls,
        mode: Any,
        predictions: Any = None,
        loss: Any = None,
        train_op: Any = None,
        eval_metric_ops: Any = None,
        export_outputs: Any = None,
        training_chief_hooks: Any = None,
        training_hooks: Any = None,
        scaffold: Any = None,
        evaluation_hooks: Any = None,
        prediction_hooks: Any = None,
    ) -> EstimatorSpec:
        """Checks what a mode needs, and that all of it is in the default graph.

        Args:
          mode: One of `ModeKeys`.
          predictions: A tensor or a dictionary of tensors; PREDICT needs it.
          loss: A scalar tensor, or one of shape [1]; TRAIN and EVAL need it.
          train_op: Makes a step of training; TRAIN needs it.
          eval_metric_ops: By name, pairs of a metric's value and its update, or tf.keras's metrics.
          export_outputs: By name of a signature, an ExportOutput.
          training_chief_hooks: Hooks of the chief when it trains.
          training_hooks: Hooks of all workers when they train.
          scaffold: A `tf.train.Scaffold`.
          evaluation_hooks: Hooks of evaluation.
          prediction_hooks: Hooks of prediction.

        Raises:
          ValueError: Something that the mode needs is missing, or is of another graph.
          TypeError: Something is of another type.
        """
        if train_op is None:
            if mode == ModeKeys.TRAIN:
                raise ValueError("Missing train_op.")
        else:
            _is_node(train_op, "train_op")
        loss = _checked_loss(loss, mode)
        if predictions is None:
            if mode == ModeKeys.PREDICT:
                raise ValueError("Missing predictions.")
            predictions = {}
        elif isinstance(predictions, dict):
            predictions = {
                key: _is_tensor(value, f"predictions[{key}]") for key, value in predictions.items()
            }
        else:
            predictions = _is_tensor(predictions, "predictions")
        eval_metric_ops = _checked_metrics(eval_metric_ops)
        if mode == ModeKeys.PREDICT:
            export_outputs = checked_export_outputs(export_outputs, predictions)
        _are_in_the_graph(loss, train_op, predictions, eval_metric_ops)
        hooks = [
            tuple(each or ())
            for each in (training_chief_hooks, training_hooks, evaluation_hooks, prediction_hooks)
        ]
        for hook in (hook for each in hooks for hook in each):
            if not isinstance(hook, SessionRunHook):
                raise TypeError(f"All hooks must be SessionRunHook instances, given: {hook}")
        scaffold = scaffold or Scaffold()
        if not isinstance(scaffold, Scaffold):
            raise TypeError(f"scaffold must be tf.train.Scaffold. Given: {scaffold}")
        return super().__new__(
            cls,
            mode=mode,
            predictions=predictions,
            loss=loss,
            train_op=train_op,
            eval_metric_ops=eval_metric_ops,
            export_outputs=export_outputs,
            training_chief_hooks=hooks[0],
            training_hooks=hooks[1],
            scaffold=scaffold,
            evaluation_hooks=hooks[2],
            prediction_hooks=hooks[3],
        )

    def _replace(self, **kwds: Any) -> EstimatorSpec:
        """As a named tuple's, checked again; the mode stays."""
        if "mode" in kwds and self.mode != kwds["mode"]:
            raise ValueError(f"mode of EstimatorSpec cannot be changed. Given: {kwds['mode']}")
        fields = [kwds.pop(name, value) for name, value in zip(self._fields, self, strict=True)]
        if kwds:
            raise ValueError(f"Got unexpected field names: {list(kwds)!r}")
        return EstimatorSpec(*fields)


def _is_tensor(value: Any, name: str) -> Any:
    if not isinstance(value, (Tensor, BaseVariable)):
        parts = [getattr(value, part, None) for part in ("values", "indices", "dense_shape")]
        if not all(isinstance(part, Tensor) for part in parts):
            raise TypeError(f"{name} must be Tensor, given: {value}")
    return value


def _is_node(value: Any, name: str) -> Any:
    if not isinstance(value, (Tensor, Operation, BaseVariable)):
        raise TypeError(f"{name} must be Operation or Tensor, given: {value}")
    return value


def _checked_loss(loss: Any, mode: Any) -> Any:
    if loss is None:
        if mode in (ModeKeys.TRAIN, ModeKeys.EVAL):
            raise ValueError("Missing loss.")
        return None
    loss = _is_tensor(loss, "loss")
    shape = loss.get_shape()
    if shape.num_elements() not in (None, 1):
        raise ValueError(f"Loss must be scalar, given: {loss}")
    return loss if shape.is_compatible_with([]) else reshape(loss, [])


def _checked_metrics(metrics: Any) -> dict[str, Any]:
    if metrics is None:
        return {}
    if not isinstance(metrics, dict):
        raise TypeError(f"eval_metric_ops must be a dict, given: {metrics}")
    pairs = {key: _pair(metric) for key, metric in metrics.items()}
    for key, pair in pairs.items():
        if not isinstance(pair, tuple) or len(pair) != 2:
            raise TypeError(
                "Values of eval_metric_ops must be (metric_value, update_op) tuples, given: "
                f"{pair} for key: {key}"
            )
        # A value may be a structure: then each part must be a tensor.
        for value in nest.flatten(pair):
            _is_node(value, f"eval_metric_ops[{key}]")
    return pairs


def _pair(metric: Any) -> Any:
    """The value and the update of a metric that is an object of tf.keras; others as they are."""
    if not (hasattr(metric, "result") and hasattr(metric, "updates")):
        return metric
    if not metric.updates:
        raise ValueError(f'Please call update_state(...) on the "{metric.name}" metric')
    for key in (GraphKeys.LOCAL_VARIABLES, GraphKeys.METRIC_VARIABLES):
        known = {id(each) for each in scopes.get_collection(key)}
        for variable in metric.variables:
            if id(variable) not in known:
                scopes.add_to_collection(key, variable)
    return metric.result(), group(*metric.updates)


def checked_export_outputs(exports: Any, predictions: Any) -> Any:
    """What PREDICT exports; one of it is the default."""
    if exports is None:
        exports = {DEFAULT_KEY: PredictOutput(predictions)}
    if not isinstance(exports, dict):
        raise TypeError(f"`export_outputs` must be dict, given: {exports}")
    for value in exports.values():
        if not isinstance(value, ExportOutput):
            raise TypeError(
                f"Values in `export_outputs` must be ExportOutput objects. Given: {exports}"
            )
    if len(exports) == 1:
        ((key, value),) = exports.items()
        exports = {**exports, DEFAULT_KEY: value} if key != DEFAULT_KEY else dict(exports)
    elif exports and DEFAULT_KEY not in exports:
        raise ValueError(
            "Multiple `export_outputs` were provided, but none of them is specified as the "
            "default.  Do this by naming one of them with "
            "`signature_constants.DEFAULT_SERVING_SIGNATURE_DEF_KEY`."
        )
    return exports


def _are_in_the_graph(loss: Any, train_op: Any, predictions: Any, metrics: Any) -> None:
    graph = scopes.get_default_graph()
    named: list[tuple[str, Any]] = [("loss", loss), ("train_op", train_op)]
    if isinstance(predictions, Mapping):
        named += [("prediction values", value) for value in predictions.values()]
    else:
        named.append(("prediction values", predictions))
    named += [("eval_metric_ops", value) for value in nest.flatten(list(metrics.values()))]
    for name, value in named:
        if value is not None and value.graph is not graph:
            raise ValueError(
                f'{value.name} with "{name}" must be from the default graph. Possible causes of '
                f"this error include: \n\n1) {value.name} was created outside the context of the "
                "default graph.\n\n2) The object passed through to EstimatorSpec was not created "
                'in the most recent call to "model_fn".'
            )
