"""Heads of classes: two of them, several, or any number in one example."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import dataflow.estimation.heads.classes as first
import dataflow.estimation.heads.labels as first_labels
from dataflow.estimation.heads.base import LossSpec
from dataflow.estimation.heads.measures import MetricKeys, PredictionKeys
from dataflow.keras.heads.base import Head, KerasHead, add_mean
from dataflow.keras.losses import Reduction
from dataflow.keras.metrics import AUC, Accuracy, BinaryAccuracy, Mean, Precision, Recall
from dataflow.library.weights import broadcast_weights
from dataflow.ops.basic.identity import no_op
from dataflow.ops.math.binary import maximum


class MultiClassHead(KerasHead, first.MultiClassHead, Head):  # type: ignore[misc]
    """Of several classes that exclude each other; labels are numbers, or names of classes."""

    def __init__(
        self,
        n_classes: int,
        weight_column: Any = None,
        label_vocabulary: Sequence[str] | None = None,
        loss_reduction: str = Reduction.SUM_OVER_BATCH_SIZE,
        loss_fn: Callable[..., Any] | None = None,
        name: str | None = None,
    ) -> None:
        """Makes a head.

        Args:
          n_classes: How many classes there are, more than two.
          weight_column: The feature with the weights of examples; all weigh the same if None.
          label_vocabulary: The names of the classes, if labels are such.
          loss_reduction: How the losses of a batch become one number, one of
            `tf.keras.losses.Reduction`.
          loss_fn: Takes `labels` and `logits`, and `features` if it wants to; gives losses of shape
            `[..., 1]`. Cross entropy if None.
          name: Ends the names of metrics.

        Raises:
          ValueError: There are not more than two classes, or an argument is wrong.
        """
        super().__init__(
            n_classes,
            weight_column,
            label_vocabulary,
            loss_reduction=loss_reduction,
            loss_fn=loss_fn,
            name=name,
        )

    def _measures(self) -> dict[str, Any]:
        return {MetricKeys.ACCURACY: Accuracy(name=MetricKeys.ACCURACY)}

    def _measure(
        self,
        find: Callable[[str], Any],
        predictions: Mapping[str, Any],
        loss: LossSpec,
        labels: Any,
    ) -> None:
        ids = predictions[PredictionKeys.CLASS_IDS]
        find(MetricKeys.ACCURACY).update_state(
            loss.processed_labels, ids, sample_weight=loss.weights
        )


class _AtThresholds(KerasHead):
    """Has metrics at thresholds."""

    _thresholds: tuple[float, ...]

    def _measures_at_thresholds(self) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for threshold in self._thresholds:
            for name, metric, argument in (
                (MetricKeys.ACCURACY_AT_THRESHOLD, BinaryAccuracy, "threshold"),
                (MetricKeys.PRECISION_AT_THRESHOLD, Precision, "thresholds"),
                (MetricKeys.RECALL_AT_THRESHOLD, Recall, "thresholds"),
            ):
                key = name % threshold
                given: dict[str, Any] = {argument: threshold, "name": self._key(key)}
                found[key] = metric(**given)
        return found

    def _measure_at_thresholds(
        self, find: Callable[[str], Any], loss: LossSpec, probabilities: Any
    ) -> None:
        for threshold in self._thresholds:
            for name in (
                MetricKeys.ACCURACY_AT_THRESHOLD,
                MetricKeys.PRECISION_AT_THRESHOLD,
                MetricKeys.RECALL_AT_THRESHOLD,
            ):
                find(name % threshold).update_state(
                    loss.processed_labels, probabilities, sample_weight=loss.weights
                )


class BinaryClassHead(_AtThresholds, first.BinaryClassHead, Head):  # type: ignore[misc]
    """Of two classes, of which one logit tells; labels are 0 and 1, or names of classes."""

    def __init__(
        self,
        weight_column: Any = None,
        thresholds: Sequence[float] | None = None,
        label_vocabulary: Sequence[str] | None = None,
        loss_reduction: str = Reduction.SUM_OVER_BATCH_SIZE,
        loss_fn: Callable[..., Any] | None = None,
        name: str | None = None,
    ) -> None:
        """Makes a head; see `MultiClassHead`.

        Args:
          weight_column: See there.
          thresholds: Probabilities for each of which there are metrics of their own.
          label_vocabulary: See there.
          loss_reduction: See there.
          loss_fn: See there.
          name: See there.

        Raises:
          ValueError: A threshold is not between 0 and 1, or an argument is wrong.
        """
        super().__init__(
            weight_column,
            thresholds,
            label_vocabulary,
            loss_reduction=loss_reduction,
            loss_fn=loss_fn,
            name=name,
        )

    def _measures(self) -> dict[str, Any]:
        return {
            MetricKeys.ACCURACY: Accuracy(name=MetricKeys.ACCURACY),
            MetricKeys.PRECISION: Precision(name=MetricKeys.PRECISION),
            MetricKeys.RECALL: Recall(name=MetricKeys.RECALL),
            MetricKeys.PREDICTION_MEAN: Mean(MetricKeys.PREDICTION_MEAN),
            MetricKeys.LABEL_MEAN: Mean(MetricKeys.LABEL_MEAN),
            MetricKeys.ACCURACY_BASELINE: Mean(MetricKeys.ACCURACY_BASELINE),
            MetricKeys.AUC: AUC(name=MetricKeys.AUC),
            MetricKeys.AUC_PR: AUC(curve="PR", name=MetricKeys.AUC_PR),
        }

    def _measure(
        self,
        find: Callable[[str], Any],
        predictions: Mapping[str, Any],
        loss: LossSpec,
        labels: Any,
    ) -> None:
        true, weights = loss.processed_labels, loss.weights
        ids = predictions[PredictionKeys.CLASS_IDS]
        for name in (MetricKeys.ACCURACY, MetricKeys.PRECISION, MetricKeys.RECALL):
            find(name).update_state(true, ids, sample_weight=weights)
        logistic = predictions[PredictionKeys.LOGISTIC]
        add_mean(find(MetricKeys.PREDICTION_MEAN), logistic, weights)
        add_mean(find(MetricKeys.LABEL_MEAN), true, weights)
        _take_larger_share(find(MetricKeys.ACCURACY_BASELINE), find(MetricKeys.LABEL_MEAN))
        for name in (MetricKeys.AUC, MetricKeys.AUC_PR):
            of_each = broadcast_weights(weights, logistic)
            find(name).update_state(true, logistic, sample_weight=of_each)
        self._measure_at_thresholds(find, loss, logistic)


def _take_larger_share(baseline: Any, labels: Any) -> None:
    """The accuracy of one who always predicts the more frequent class follows from the labels."""
    if not baseline.updates:
        baseline.add_update(no_op())
    baseline.total = maximum(labels.total, labels.count - labels.total)
    baseline.count = labels.count


class MultiLabelHead(_AtThresholds, first_labels.MultiLabelHead, Head):  # type: ignore[misc]
    """Labels are 0 or 1 for each class, or sparse: the numbers or names of an example's classes."""

    def __init__(
        self,
        n_classes: int | None,
        weight_column: Any = None,
        thresholds: Sequence[float] | None = None,
        label_vocabulary: Sequence[str] | None = None,
        loss_reduction: str = Reduction.SUM_OVER_BATCH_SIZE,
        loss_fn: Callable[..., Any] | None = None,
        classes_for_class_based_metrics: Sequence[Any] | None = None,
        name: str | None = None,
    ) -> None:
        """Makes a head; see `MultiClassHead` and `BinaryClassHead`.

        Args:
          n_classes: How many classes there are, two or more.
          weight_column: See there.
          thresholds: See there.
          label_vocabulary: See there.
          loss_reduction: See there.
          loss_fn: See there.
          classes_for_class_based_metrics: Numbers or names of the classes that have metrics of
            their own.
          name: See there.

        Raises:
          ValueError: An argument is wrong.
        """
        if n_classes is None or n_classes < 2:
            raise ValueError(
                f"n_classes must be > 1 for multi-label classification. Given: {n_classes}"
            )
        for threshold in thresholds or ():
            if not 0.0 < threshold < 1.0:
                raise ValueError(f"thresholds must be in (0, 1) range. Given: {threshold}")
        super().__init__(
            n_classes,
            weight_column,
            thresholds,
            label_vocabulary,
            loss_reduction=loss_reduction,
            loss_fn=loss_fn,
            classes_for_class_based_metrics=classes_for_class_based_metrics,
            name=name,
        )

    def _names_of(self, number: int) -> tuple[str, str, str]:
        """The names of the metrics of a class: its probability and two areas."""
        if self._label_vocabulary is None:
            return (
                MetricKeys.PROBABILITY_MEAN_AT_CLASS % number,
                MetricKeys.AUC_AT_CLASS % number,
                MetricKeys.AUC_PR_AT_CLASS % number,
            )
        label = self._label_vocabulary[number]
        return (
            MetricKeys.PROBABILITY_MEAN_AT_NAME % label,
            MetricKeys.AUC_AT_NAME % label,
            MetricKeys.AUC_PR_AT_NAME % label,
        )

    def _measures(self) -> dict[str, Any]:
        return {
            MetricKeys.AUC: AUC(name=MetricKeys.AUC),
            MetricKeys.AUC_PR: AUC(curve="PR", name=MetricKeys.AUC_PR),
        }

    def _measures_at_thresholds(self) -> dict[str, Any]:
        found = super()._measures_at_thresholds()
        for number in self._own_metrics:
            mean, roc, curve = self._names_of(number)
            found[mean] = Mean(self._key(mean))
            found[roc] = AUC(name=self._key(roc))
            found[curve] = AUC(curve="PR", name=self._key(curve))
        return found

    def _measure(
        self,
        find: Callable[[str], Any],
        predictions: Mapping[str, Any],
        loss: LossSpec,
        labels: Any,
    ) -> None:
        true, weights = loss.processed_labels, loss.weights
        probabilities = predictions[PredictionKeys.PROBABILITIES]
        for name in (MetricKeys.AUC, MetricKeys.AUC_PR):
            find(name).update_state(true, probabilities, sample_weight=weights)
        self._measure_at_thresholds(find, loss, probabilities)
        for number in self._own_metrics:
            of_class = probabilities[..., number : number + 1]
            mean, *areas = self._names_of(number)
            add_mean(find(mean), of_class, weights)
            for name in areas:
                find(name).update_state(
                    true[..., number : number + 1], of_class, sample_weight=weights
                )
