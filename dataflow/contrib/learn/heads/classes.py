"""Heads of classes: of two, of several, of several at a time, and of support vector machines."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import dataflow.contrib.learn.heads.losses as losses
import dataflow.contrib.learn.heads.metrics as metrics
from dataflow.contrib.layers.targets import ProblemType
from dataflow.contrib.learn.heads.base import SingleHead, exported_classes
from dataflow.contrib.learn.heads.keys import MetricKey, PredictionKey
from dataflow.contrib.learn.heads.metrics import Metric
from dataflow.graph.sparse_tensor import SparseTensor
from dataflow.library.lookup.vocabularies import (
    index_table_from_tensor,
    index_to_string_table_from_tensor,
)
from dataflow.library.metrics.means import accuracy
from dataflow.ops.array.concat import concat
from dataflow.ops.array.fill import zeros_like
from dataflow.ops.basic.cast import cast
from dataflow.ops.math.compare import greater
from dataflow.ops.math.sigmoid import sigmoid
from dataflow.ops.nn.softmax import softmax
from dataflow.ops.reductions.arg import argmax
from dataflow.ops.sparse.merge import sparse_to_indicator
from dataflow.values import dtypes


class BinaryLogisticHead(SingleHead):
    """A head of two classes with one logit."""

    _scope = "binary_logistic_head"
    _problem = ProblemType.LOGISTIC_REGRESSION

    def __init__(self, thresholds: Sequence[float] | None, *args: Any) -> None:
        """Takes thresholds of metrics, and what `SingleHead` takes."""
        super().__init__(1, *args)
        self._thresholds = thresholds or (0.5,)

    def _predictions(self, logits: Any) -> dict[str, Any]:
        of_both = _of_both(logits)
        return {
            PredictionKey.LOGITS: logits,
            PredictionKey.LOGISTIC: sigmoid(logits, name=PredictionKey.LOGISTIC),
            PredictionKey.PROBABILITIES: softmax(of_both, name=PredictionKey.PROBABILITIES),
            PredictionKey.CLASSES: argmax(of_both, 1, name=PredictionKey.CLASSES),
        }

    def _exported(self, predictions: dict[str, Any]) -> dict[str, Any]:
        return exported_classes(predictions)

    def _metrics(self, predictions: dict[str, Any], labels: Any, weights: Any) -> dict[str, Metric]:
        chances = predictions[PredictionKey.LOGISTIC]
        found = {
            MetricKey.ACCURACY: accuracy(labels, predictions[PredictionKey.CLASSES], weights),
            MetricKey.PREDICTION_MEAN: metrics.mean(chances, weights),
            MetricKey.LABEL_MEAN: metrics.mean(labels, weights),
            MetricKey.ACCURACY_BASELINE: metrics.mean(labels, weights),
            MetricKey.AUC: metrics.area(chances, labels, weights),
            MetricKey.AUC_PR: metrics.area(chances, labels, weights, curve="PR"),
        }
        for threshold in self._thresholds:
            for key, function in (
                (MetricKey.ACCURACY_MEAN, metrics.accuracy_at),
                (MetricKey.PRECISION_MEAN, metrics.precision_at),
                (MetricKey.RECALL_MEAN, metrics.recall_at),
            ):
                found[key % threshold] = function(chances, labels, weights, threshold)
        return found


class BinarySvmHead(SingleHead):
    """A head of two classes that a hinge loss parts."""

    _scope = "binary_svm_head"
    _problem = ProblemType.LOGISTIC_REGRESSION

    def _predictions(self, logits: Any) -> dict[str, Any]:
        classes = argmax(_of_both(logits), 1, name=PredictionKey.CLASSES)
        return {PredictionKey.LOGITS: logits, PredictionKey.CLASSES: classes}

    def _metrics(self, predictions: dict[str, Any], labels: Any, weights: Any) -> dict[str, Metric]:
        classes = predictions[PredictionKey.CLASSES]
        return {MetricKey.ACCURACY: accuracy(labels, classes, weights)}


class _OfSeveral(SingleHead):
    _problem = ProblemType.CLASSIFICATION

    def __init__(self, n_classes: int, metric_class_ids: Sequence[int] | None, *args: Any) -> None:
        super().__init__(n_classes, *args)
        self._metric_class_ids = tuple(metric_class_ids or ())
        for class_id in self._metric_class_ids:
            if not 0 <= class_id < n_classes:
                raise ValueError(f"Class ID {class_id} not in [0, {n_classes}).")


class MultiClassHead(_OfSeveral):
    """A head of several classes."""

    _scope = "multi_class_head"

    def __init__(
        self,
        n_classes: int,
        label_keys: Sequence[str] | None,
        metric_class_ids: Sequence[int] | None,
        *args: Any,
    ) -> None:
        """Takes how many classes, their names, which have metrics, and what `SingleHead` takes.

        Raises:
          ValueError: There are not as many names as classes.
        """
        super().__init__(n_classes, metric_class_ids, *args)
        if label_keys and len(label_keys) != n_classes:
            raise ValueError("Length of label_keys must equal n_classes.")
        self._names = label_keys or None

    def _transformed(self, labels: Any) -> Any:
        labels = super()._transformed(labels)
        if self._names is None:
            return labels, labels
        table = index_table_from_tensor(self._names, name="label_id_lookup")
        return labels, table.lookup(labels)

    def _loss(self, labels: Any, logits: Any, weights: Any = None) -> Any:
        return self._loss_fn(labels[1], logits, weights)

    def _predictions(self, logits: Any) -> dict[str, Any]:
        classes = argmax(logits, 1, name=PredictionKey.CLASSES)
        if self._names is not None:
            table = index_to_string_table_from_tensor(self._names, name="class_string_lookup")
            classes = table.lookup(classes)
        return {
            PredictionKey.LOGITS: logits,
            PredictionKey.PROBABILITIES: softmax(logits, name=PredictionKey.PROBABILITIES),
            PredictionKey.CLASSES: classes,
        }

    def _exported(self, predictions: dict[str, Any]) -> dict[str, Any]:
        return exported_classes(predictions, self._names)

    def _metrics(self, predictions: dict[str, Any], labels: Any, weights: Any) -> dict[str, Metric]:
        classes = predictions[PredictionKey.CLASSES]
        found = {MetricKey.ACCURACY: accuracy(labels[0], classes, weights)}
        if self._names is not None:
            return found
        for each in self._metric_class_ids:
            chances = predictions[PredictionKey.PROBABILITIES]
            logits = predictions[PredictionKey.LOGITS]
            found[MetricKey.CLASS_PREDICTION_MEAN % each] = metrics.share(classes, weights, each)
            found[MetricKey.CLASS_LABEL_MEAN % each] = metrics.share(labels[1], weights, each)
            found[MetricKey.CLASS_PROBABILITY_MEAN % each] = metrics.mean(chances, weights, each)
            found[MetricKey.CLASS_LOGITS_MEAN % each] = metrics.mean(logits, weights, each)
        return found


class MultiLabelHead(_OfSeveral):
    """A head of classes each of which is there or not."""

    _scope = "multi_label_head"

    def _transformed(self, labels: Any) -> Any:
        if not isinstance(labels, SparseTensor):
            return labels
        count = self._logits_dimension
        if count < 2:
            raise ValueError("Must set num_classes >= 2 when passing labels as a SparseTensor.")
        return cast(sparse_to_indicator(labels, count), dtypes.int64)

    def _predictions(self, logits: Any) -> dict[str, Any]:
        return {
            PredictionKey.LOGITS: logits,
            PredictionKey.PROBABILITIES: sigmoid(logits, name=PredictionKey.PROBABILITIES),
            PredictionKey.CLASSES: cast(
                greater(logits, 0), dtypes.int64, name=PredictionKey.CLASSES
            ),
        }

    def _exported(self, predictions: dict[str, Any]) -> dict[str, Any]:
        return exported_classes(predictions)

    def _metrics(self, predictions: dict[str, Any], labels: Any, weights: Any) -> dict[str, Metric]:
        classes = predictions[PredictionKey.CLASSES]
        chances = predictions[PredictionKey.PROBABILITIES]
        found = {
            MetricKey.ACCURACY: accuracy(labels, classes, weights),
            MetricKey.AUC: metrics.area(chances, labels, weights),
            MetricKey.AUC_PR: metrics.area(chances, labels, weights, curve="PR"),
        }
        for each in self._metric_class_ids:
            for key, values in (
                (MetricKey.CLASS_PREDICTION_MEAN, classes),
                (MetricKey.CLASS_LABEL_MEAN, labels),
                (MetricKey.CLASS_PROBABILITY_MEAN, chances),
                (MetricKey.CLASS_LOGITS_MEAN, predictions[PredictionKey.LOGITS]),
            ):
                found[key % each] = metrics.mean(values, weights, each)
            for key, curve in ((MetricKey.CLASS_AUC, "ROC"), (MetricKey.CLASS_AUC_PR, "PR")):
                found[key % each] = metrics.area(chances, labels, weights, each, curve)
        return found


def multi_class_head(
    n_classes: int,
    label_name: str | None = None,
    weight_column_name: str | None = None,
    enable_centered_bias: bool = False,
    head_name: str | None = None,
    thresholds: Sequence[float] | None = None,
    metric_class_ids: Sequence[int] | None = None,
    loss_fn: Callable[..., Any] | None = None,
    label_keys: Sequence[str] | None = None,
) -> SingleHead:
    """A head of classes, whose loss is the cross entropy; two have one logit.

    Args:
      n_classes: How many classes.
      label_name: The labels' name, if they are in a dictionary.
      weight_column_name: The feature that holds the weights of examples.
      enable_centered_bias: Whether a bias is learnt beside the model.
      head_name: Ends names of metrics.
      thresholds: Of two classes: from which probabilities on metrics count class 1.
      metric_class_ids: Of more: which have metrics of their own.
      loss_fn: Takes `labels`, `logits` and `weights`, and gives a scalar.
      label_keys: Of more: the names that labels have.

    Raises:
      ValueError: There are fewer than two classes, two have names or metrics of their own, there
        are not as many names as classes, or `loss_fn` takes other arguments.
    """
    if not n_classes or n_classes < 2:
        raise ValueError(f"n_classes must be > 1 for classification: {n_classes}.")
    loss = losses.own(loss_fn) if loss_fn else None
    common = (label_name, weight_column_name, enable_centered_bias, head_name)
    if n_classes > 2:
        of_several = loss or losses.several_classes
        return MultiClassHead(n_classes, label_keys, metric_class_ids, of_several, *common)
    if metric_class_ids:
        raise ValueError("metric_class_ids invalid for n_classes==2.")
    if label_keys:
        raise ValueError("label_keys is not supported for n_classes=2.")
    return BinaryLogisticHead(thresholds, loss or losses.two_classes, *common)


def binary_svm_head(
    label_name: str | None = None,
    weight_column_name: str | None = None,
    enable_centered_bias: bool = False,
    head_name: str | None = None,
    thresholds: Sequence[float] | None = None,
) -> SingleHead:
    """A head of two classes whose loss is the hinge loss; see `multi_class_head`."""
    return BinarySvmHead(
        1, losses.hinge, label_name, weight_column_name, enable_centered_bias, head_name
    )


def multi_label_head(
    n_classes: int,
    label_name: str | None = None,
    weight_column_name: str | None = None,
    enable_centered_bias: bool = False,
    head_name: str | None = None,
    thresholds: Sequence[float] | None = None,
    metric_class_ids: Sequence[int] | None = None,
    loss_fn: Callable[..., Any] | None = None,
) -> SingleHead:
    """A head of classes each of which is there or not; see `multi_class_head`.

    Labels are 0 and 1 [batch_size, n_classes], or a sparse tensor of the classes that are there.
    """
    if n_classes < 2:
        raise ValueError("n_classes must be > 1 for classification.")
    return MultiLabelHead(
        n_classes,
        metric_class_ids,
        losses.own(loss_fn) if loss_fn else losses.several_labels,
        label_name,
        weight_column_name,
        enable_centered_bias,
        head_name,
    )


def _of_both(logits: Any) -> Any:
    return concat((zeros_like(logits), logits), 1)
