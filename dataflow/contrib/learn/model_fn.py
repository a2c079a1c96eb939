"""What a model function of tf.contrib.learn is called with and gives."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar, NamedTuple

from dataflow.estimation.functions import argument_names
from dataflow.estimation.model_spec import EstimatorSpec


class ModeKeys:
    """What a model function builds its graph for."""

    TRAIN: ClassVar[str] = "train"
    EVAL: ClassVar[str] = "eval"
    INFER: ClassVar[str] = "infer"


class ModelFnOps(NamedTuple):
    """The operations and tensors of a model."""

    mode: Any
    predictions: Any = None
    loss: Any = None
    train_op: Any = None
    eval_metric_ops: Any = None
    output_alternatives: Any = None
    training_chief_hooks: Any = None
    training_hooks: Any = None
    scaffold: Any = None

    def estimator_spec(self, default_serving_output_alternative_key: Any = None) -> EstimatorSpec:
        """The same as an EstimatorSpec."""
        return EstimatorSpec(
            mode=self.mode,
            predictions=self.predictions,
            loss=self.loss,
            train_op=self.train_op,
            eval_metric_ops=self.eval_metric_ops,
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
        if "predictions" in names or not names:
            return self._metric_fn(**{n: v for n, v in given.items() if n in names or not names})
        weights = [given["weights"]] if "weights" in given else []
        return self._metric_fn(given["predictions"], given["labels"], *weights)


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
