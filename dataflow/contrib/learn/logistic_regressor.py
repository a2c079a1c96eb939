"""An estimator of chances, with metrics of its own."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import dataflow.contrib.learn.heads.metrics as metrics
import dataflow.contrib.metrics.streaming as streaming
from dataflow.contrib.layers.targets import ProblemType
from dataflow.contrib.learn.estimator import Estimator
from dataflow.contrib.learn.heads.keys import MetricKey
from dataflow.contrib.learn.model_fn import ModeKeys, ModelFnOps
from dataflow.ops.basic.cast import cast
from dataflow.ops.math.compare import greater_equal
from dataflow.values import dtypes


def LogisticRegressor(
    model_fn: Callable[..., Any],
    thresholds: Sequence[float] | None = None,
    model_dir: Any = None,
    config: Any = None,
    feature_engineering_fn: Any = None,
) -> Estimator:
    """An estimator whose predictions are chances of class 1.

    Args:
      model_fn: Takes `features`, `labels` and `mode`, and gives `(predictions, loss, train_op)`.
      thresholds: From which chances on metrics count class 1; 0.5 if None.
      model_dir: Folder of checkpoints and summaries.
      config: How to run.
      feature_engineering_fn: Features and labels for features and labels.
    """

    def with_metrics(features: Any, labels: Any, mode: str) -> ModelFnOps:
        predictions, loss, train_op = model_fn(features, labels, mode)
        found = None
        if mode == ModeKeys.EVAL:
            found = _metrics(labels, predictions, thresholds or [0.5])
        outputs = {"head": (ProblemType.LOGISTIC_REGRESSION, {"predictions": predictions})}
        return ModelFnOps(mode, predictions, loss, train_op, found, outputs)

    return Estimator(with_metrics, model_dir, config, None, feature_engineering_fn)


def _metrics(labels: Any, predictions: Any, thresholds: Sequence[float]) -> dict[str, Any]:
    if isinstance(labels, dict) and len(labels) == 1:
        (labels,) = labels.values()
    found = {
        MetricKey.PREDICTION_MEAN: streaming.streaming_mean(predictions),
        MetricKey.LABEL_MEAN: streaming.streaming_mean(labels),
        MetricKey.ACCURACY_BASELINE: streaming.streaming_mean(labels),
        MetricKey.AUC: metrics.area(predictions, labels, None),
    }
    for threshold in thresholds:
        name = f"predictions_at_threshold_{threshold:f}"
        above = cast(greater_equal(predictions, threshold), dtypes.float32, name=name)
        for key, function in (
            (MetricKey.ACCURACY_MEAN, streaming.streaming_accuracy),
            (MetricKey.PRECISION_MEAN, streaming.streaming_precision),
            (MetricKey.RECALL_MEAN, streaming.streaming_recall),
        ):
            found[key % threshold] = function(above, labels)
    return found
