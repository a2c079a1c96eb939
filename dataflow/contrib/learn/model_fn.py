"""What a model function of tf.contrib.learn is called with and gives."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar, NamedTuple

from dataflow.contrib.learn.alternatives import export_outputs
from dataflow.estimation.functions import argument_names
from dataflow.estimation.model_spec import EstimatorSpec
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.operation import Operation
from dataflow.graph.sparse_tensor import convert_to_tensor_or_sparse_tensor
from dataflow.ops.array.shape import reshape
from dataflow.training.hooks.session_run_hook import SessionRunHook


class ModeKeys:
    """What a model function builds its graph for."""

    TRAIN: ClassVar[str] = "train"
    EVAL: ClassVar[str] = "eval"
    INFER: ClassVar[str] = "infer"

    @classmethod
    def validate(cls, key: Any) -> None:
        """Raises ValueError for what is none of these."""
        if key not in (cls.TRAIN, cls.EVAL, cls.INFER):
            raise ValueError(f"Invalid mode {key}.")


class _Operations(NamedTuple):
    mode: Any
    predictions: Any
    loss: Any
    train_op: Any
    eval_metric_ops: Any
    output_alternatives: Any
    training_chief_hooks: Any
    training_hooks: Any
    scaffold: Any


class ModelFnOps(_Operations):
    """The operations and tensors of a model."""

    __slots__ = ()

    def __new__(
        cls,
        mode: Any,
        predictions: Any = None,
        loss: Any = None,
        train_op: Any = None,
        eval_metric_ops: Any = None,
        output_alternatives: Any = None,
        training_chief_hooks: Any = None,
        training_hooks: Any = None,
        scaffold: Any = None,
    ) -> ModelFnOps:
        """Makes one.

        Args:
          mode: One of `ModeKeys`.
          predictions: A tensor, or tensors by name; needed unless the model trains.
          loss: A scalar; needed unless it infers.
          train_op: The training step; needed when it trains.
          eval_metric_ops: Metrics by name.
          output_alternatives: By the names of heads a `ProblemType` and predictions by name.
          training_chief_hooks: Hooks of the chief's training.
          training_hooks: Hooks of all workers' training.
          scaffold: A `tf.train.Scaffold`.

        Raises:
          ValueError: Something is missing, the mode is none, the loss no scalar or metrics have no
            names.
          TypeError: A hook is none.
        """
        if mode not in (ModeKeys.TRAIN, ModeKeys.EVAL, ModeKeys.INFER):
            raise ValueError(f"Invalid mode {mode}.")
        if train_op is None:
            if mode == ModeKeys.TRAIN:
                raise ValueError("Missing train_op.")
        elif not isinstance(train_op, Operation):
            train_op = convert_to_tensor(train_op).op
        if loss is None:
            if mode != ModeKeys.INFER:
                raise ValueError("Missing loss.")
        else:
            loss = convert_to_tensor(loss)
            if loss.shape.num_elements() not in (None, 1):
                raise ValueError(f"Loss must be scalar: {loss}.")
            loss = loss if loss.shape.is_compatible_with([]) else reshape(loss, [])
        if predictions is None:
            if mode != ModeKeys.TRAIN:
                raise ValueError("Missing predictions.")
        elif isinstance(predictions, dict):
            predictions = {
                key: convert_to_tensor_or_sparse_tensor(each) for key, each in predictions.items()
            }
        else:
            predictions = convert_to_tensor_or_sparse_tensor(predictions)
        if not isinstance(eval_metric_ops, (dict, type(None))):
            raise ValueError("eval_metric_ops must be a dict.")
        for hook in [*(training_hooks or ()), *(training_chief_hooks or ())]:
            if not isinstance(hook, SessionRunHook):
                raise TypeError(
                    "All hooks returned from model_fn must be SessionRunHook instances, got "
                    f"instance of {type(hook)}: {hook}"
                )
        return super().__new__(
            cls,
            mode,
            predictions,
            loss,
            train_op,
            eval_metric_ops or {},
            output_alternatives,
            training_chief_hooks or [],
            training_hooks or [],
            scaffold,
        )

    def estimator_spec(self, default_serving_output_alternative_key: Any = None) -> EstimatorSpec:
        """The same as an EstimatorSpec.

        Args:
          default_serving_output_alternative_key: Which of several outputs a request gets that names
            none.

        Raises:
          ValueError: An output is of an unknown kind of problem, or there are several and none of
            them is that of the key.
        """
        return EstimatorSpec(
            mode=self.mode,
            predictions=self.predictions,
            loss=self.loss,
            train_op=self.train_op,
            eval_metric_ops={
                key: metric for key, metric in self.eval_metric_ops.items() if key != "loss"
            },
            export_outputs=export_outputs(
                self.output_alternatives, default_serving_output_alternative_key
            ),
            training_chief_hooks=self.training_chief_hooks,
            training_hooks=self.training_hooks,
            scaffold=self.scaffold,
        )


class MetricSpec:
    """A metric, and of which predictions and labels it is."""

    def __init__(
        self,
        metric_fn: Callable[..., Any],
        prediction_key: Any = None,
        label_key: Any = None,
        weight_key: Any = None,
    ) -> None:
        """Takes a function of `predictions`, `labels` and `weights`, by these or other names.

        Args:
          metric_fn: Gives a value and its update.
          prediction_key: Which predictions, of a dictionary.
          label_key: Which labels, of a dictionary.
          weight_key: Which features are the weights; none if None.
        """
        self._metric_fn = metric_fn
        self._prediction_key = prediction_key
        self._label_key = label_key
        self._weight_key = weight_key

    @property
    def prediction_key(self) -> Any:
        """Which predictions."""
        return self._prediction_key

    @property
    def label_key(self) -> Any:
        """Which labels."""
        return self._label_key

    @property
    def weight_key(self) -> Any:
        """Which features are the weights."""
        return self._weight_key

    @property
    def metric_fn(self) -> Callable[..., Any]:
        """The function."""
        return self._metric_fn

    def create_metric_ops(self, inputs: Any, labels: Any, predictions: Any) -> Any:
        """Calls the function.

        Raises:
          ValueError: A key is missing where there is a dictionary of several, or is unknown.
        """
        given = {
            "predictions": _chosen(predictions, self._prediction_key, "prediction"),
            "labels": _chosen(labels, self._label_key, "label"),
        }
        if self._weight_key is not None:
            given["weights"] = inputs[self._weight_key]
        names = argument_names(self._metric_fn)
        if not names:
            return self._metric_fn(**given)
        taken = {kind: _taken(kind, names) for kind in given}
        kept = {name: given[kind] for kind, name in taken.items() if name is not None}
        if taken["predictions"] is not None:
            return self._metric_fn(**kept)
        # Predictions go without a name, and labels with them where they come first.
        labels = kept.pop(names[0]) if taken["labels"] == names[0] else None
        first = [given["predictions"]] if labels is None else [labels, given["predictions"]]
        return self._metric_fn(*first, **kept)


_SPELLINGS = {
    "predictions": ("predictions", "prediction", "logits", "logit"),
    "labels": ("labels", "label", "targets", "target"),
    "weights": ("weights", "weight"),
}
"""What functions may call each of their arguments."""


def _taken(kind: str, names: Sequence[str]) -> str | None:
    """The name by which a function takes an argument; None if it takes it by none.

    Raises:
      ValueError: It has several such names.
    """
    found = [name for name in names if name in _SPELLINGS[kind]]
    if len(found) > 1:
        raise ValueError(
            f"Ambiguous arguments {found}, must provide only one of {_SPELLINGS[kind]}."
        )
    return found[0] if found else None


def metric_ops(
    metrics: Mapping[Any, Any], features: Any, labels: Any, predictions: Any
) -> dict[str, Any]:
    """What metrics give, by name.

    Args:
      metrics: By name a MetricSpec or a function of predictions and labels; by a pair of a name and
        a key of the predictions such a function.
      features: What the model was given.
      labels: A tensor, or tensors by name.
      predictions: A tensor, or tensors by name.

    Raises:
      ValueError: A name is no name nor pair, or does not fit predictions.
    """
    alone = next(iter(labels.values())) if isinstance(labels, dict) and len(labels) == 1 else labels
    found: dict[str, Any] = {}
    for name, metric in sorted(metrics.items(), key=lambda item: item[0]):
        if isinstance(metric, MetricSpec):
            found[name] = metric.create_metric_ops(features, labels, predictions)
        elif isinstance(name, tuple):
            if len(name) != 2:
                raise ValueError(
                    f"Invalid metric for {name}. It returned a tuple with len {len(name)}, "
                    "expected 2."
                )
            if not isinstance(predictions, dict):
                raise ValueError(
                    "Metrics passed provide (name, prediction), but predictions are not dict. "
                    f"Metrics: {metrics}, Predictions: {predictions}."
                )
            short, key = name
            given = labels[key] if isinstance(labels, dict) and key in labels else alone
            found[short] = metric(predictions[key], given)
        elif isinstance(predictions, dict):
            raise ValueError(
                "Metrics passed provide only name, no prediction, but predictions are dict. "
                f"Metrics: {metrics}, Labels: {alone}."
            )
        else:
            found[name] = metric(predictions, alone)
    return found


def _chosen(values: Any, key: Any, kind: str) -> Any:
    if not isinstance(values, dict):
        if key is not None:
            raise ValueError(
                f"MetricSpec with {kind}_key specified requires {kind}s dict, got {values}."
            )
        return values
    if key is None:
        if len(values) != 1:
            raise ValueError(
                f"MetricSpec without specified {kind}_key requires {kind}s tensor or single "
                f"element dict, got {values}"
            )
        return next(iter(values.values()))
    if key not in values:
        raise KeyError(f"MetricSpec with {kind}_key [{key}] does not match any {kind}: {values}.")
    return values[key]
