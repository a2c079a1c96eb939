"""Heads of classes that exclude each other, of which there are several, or two."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import dataflow.ops.array.shape as array_shape
from dataflow.estimation.export_outputs import ClassificationOutput, ExportOutput, RegressionOutput
from dataflow.estimation.heads import measures
from dataflow.estimation.heads.base import CLASSIFY, REGRESS, LossSpec, SingleHead
from dataflow.estimation.heads.checks import (
    checked_labels,
    checked_thresholds,
    checked_vocabulary,
    in_range,
    label_ids,
)
from dataflow.estimation.heads.measures import MetricKeys, PredictionKeys
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.tensor import Tensor
from dataflow.library.lookup.vocabularies import index_to_string_table_from_tensor
from dataflow.library.losses.classification import sparse_softmax_cross_entropy
from dataflow.library.losses.weighted import Reduction
from dataflow.library.metrics.counts import precision, recall
from dataflow.library.metrics.means import accuracy
from dataflow.ops.array.broadcast import tile
from dataflow.ops.array.concat import concat
from dataflow.ops.array.fill import zeros_like
from dataflow.ops.basic.cast import cast
from dataflow.ops.basic.range import range as range_of
from dataflow.ops.math.sigmoid import sigmoid
from dataflow.ops.nn.losses import sigmoid_cross_entropy_with_logits
from dataflow.ops.nn.softmax import softmax
from dataflow.ops.reductions.arg import argmax
from dataflow.ops.text.numbers import as_string
from dataflow.values import dtypes


class MultiClassHead(SingleHead):
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
          loss_reduction: How the losses of a batch become one number.
          loss_fn: Takes `labels` and `logits`, and `features` if it wants to; gives losses of shape
            `[..., 1]`. Cross entropy if None.
          name: Ends the names of metrics.

        Raises:
          ValueError: There are not more than two classes, or an argument is wrong.
        """
        super().__init__(weight_column, loss_reduction, loss_fn, name)
        if n_classes is None:
            raise ValueError("n_classes cannot be None")
        if n_classes <= 2:
            raise ValueError(f"n_classes must be > 2: {n_classes}.")
        self._n_classes = n_classes
        self._label_vocabulary = checked_vocabulary(label_vocabulary)

    @property
    def logits_dimension(self) -> int:
        """See `Head`."""
        return self._n_classes

    def _predictions(self, logits: Tensor) -> dict[str, Tensor]:
        return {
            PredictionKeys.LOGITS: logits,
            PredictionKeys.PROBABILITIES: softmax(logits, name=PredictionKeys.PROBABILITIES),
        } | most_likely(logits, self._n_classes, self._label_vocabulary)

    def _exports(self, predictions: Mapping[str, Tensor]) -> dict[str, ExportOutput]:
        return {CLASSIFY: scores(predictions, self._n_classes, self._label_vocabulary)}

    def _labels(self, labels: Any, logits: Tensor) -> Tensor:
        labels = checked_labels(labels, logits, 1)
        if self._label_vocabulary is None and not labels.dtype.is_integer:
            raise ValueError(f"Labels dtype should be integer. Instead got {labels.dtype}.")
        if self._label_vocabulary is not None and labels.dtype != dtypes.string:
            raise ValueError(
                "Labels dtype should be string if there is a vocabulary. Instead got "
                f"{labels.dtype}"
            )
        return in_range(label_ids(labels, self._label_vocabulary), self._n_classes)

    def _losses(self, labels: Tensor, logits: Tensor) -> Tensor:
        losses = sparse_softmax_cross_entropy(labels, logits, reduction=Reduction.NONE)
        return array_shape.expand_dims(losses, -1)

    def _metrics(self, predictions: Mapping[str, Tensor], loss: LossSpec) -> dict[str, Any]:
        name = MetricKeys.ACCURACY
        ids = predictions[PredictionKeys.CLASS_IDS]
        return {name: accuracy(loss.processed_labels, ids, loss.weights, name=name)}


class BinaryClassHead(SingleHead):
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
        super().__init__(weight_column, loss_reduction, loss_fn, name)
        self._thresholds = checked_thresholds(thresholds)
        self._label_vocabulary = checked_vocabulary(label_vocabulary)

    @property
    def logits_dimension(self) -> int:
        """See `Head`."""
        return 1

    def _predictions(self, logits: Tensor) -> dict[str, Tensor]:
        both = concat((zeros_like(logits), logits), -1, name="two_class_logits")
        return {
            PredictionKeys.LOGITS: logits,
            PredictionKeys.LOGISTIC: sigmoid(logits, name=PredictionKeys.LOGISTIC),
            PredictionKeys.PROBABILITIES: softmax(both, name=PredictionKeys.PROBABILITIES),
        } | most_likely(both, 2, self._label_vocabulary)

    def _exports(self, predictions: Mapping[str, Tensor]) -> dict[str, ExportOutput]:
        return {
            CLASSIFY: scores(predictions, 2, self._label_vocabulary),
            REGRESS: RegressionOutput(predictions[PredictionKeys.LOGISTIC]),
        }

    def _labels(self, labels: Any, logits: Tensor) -> Tensor:
        labels = label_ids(checked_labels(labels, logits, 1), self._label_vocabulary)
        return in_range(cast(labels, dtypes.float32), 2)

    def _losses(self, labels: Tensor, logits: Tensor) -> Tensor:
        return sigmoid_cross_entropy_with_logits(labels=labels, logits=logits)

    def _metrics(self, predictions: Mapping[str, Tensor], loss: LossSpec) -> dict[str, Any]:
        labels, weights = loss.processed_labels, loss.weights
        ids = predictions[PredictionKeys.CLASS_IDS]
        logistic = predictions[PredictionKeys.LOGISTIC]
        labels_mean = measures.mean_of(labels, weights, MetricKeys.LABEL_MEAN)
        found = {
            name: metric(labels, ids, weights, name=name)
            for name, metric in (
                (MetricKeys.ACCURACY, accuracy),
                (MetricKeys.PRECISION, precision),
                (MetricKeys.RECALL, recall),
            )
        }
        name = MetricKeys.PREDICTION_MEAN
        found[name] = measures.mean_of(logistic, weights, name)
        found[MetricKeys.LABEL_MEAN] = labels_mean
        found[MetricKeys.ACCURACY_BASELINE] = measures.accuracy_baseline(labels_mean)
        for name, curve in ((MetricKeys.AUC, "ROC"), (MetricKeys.AUC_PR, "PR")):
            found[name] = measures.area(labels, logistic, weights, curve, name)
        return found | measures.at_thresholds(labels, logistic, weights, self._thresholds)


def class_head(
    n_classes: int, weight_column: Any, label_vocabulary: Any, loss_reduction: str
) -> SingleHead:
    """The head of two or of more classes."""
    if n_classes == 2:
        return BinaryClassHead(
            weight_column, label_vocabulary=label_vocabulary, loss_reduction=loss_reduction
        )
    return MultiClassHead(n_classes, weight_column, label_vocabulary, loss_reduction)


def most_likely(logits: Tensor, count: int, vocabulary: Any) -> dict[str, Tensor]:
    """The class with the largest logit, by number and name, and for each example all classes."""
    ids = array_shape.expand_dims(argmax(logits, axis=-1, name=PredictionKeys.CLASS_IDS), -1)
    if vocabulary:
        names = index_to_string_table_from_tensor(vocabulary, name="class_string_lookup")
        classes = names.lookup(ids)
    else:
        classes = as_string(ids, name="str_classes")
    return {
        PredictionKeys.CLASS_IDS: ids,
        PredictionKeys.CLASSES: classes,
        PredictionKeys.ALL_CLASS_IDS: _for_each(logits, range_of(count)),
        PredictionKeys.ALL_CLASSES: _for_each(logits, _names(count, vocabulary)),
    }


def scores(predictions: Mapping[str, Tensor], count: int, vocabulary: Any) -> ClassificationOutput:
    """The probabilities of all classes, with their names, for export."""
    probabilities = predictions[PredictionKeys.PROBABILITIES]
    return ClassificationOutput(probabilities, _for_each(probabilities, _names(count, vocabulary)))


def _names(count: int, vocabulary: Any) -> Tensor:
    return convert_to_tensor(vocabulary) if vocabulary else as_string(range_of(count))


def _for_each(rows: Tensor, values: Tensor) -> Tensor:
    batch: Any = array_shape.shape(rows)[0]
    return tile(array_shape.expand_dims(values, 0), [batch, 1])
