"""The head of classes of which an example may have any number."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from dataflow.estimation.export_outputs import ExportOutput
from dataflow.estimation.heads import measures
from dataflow.estimation.heads.base import CLASSIFY, LossSpec, SingleHead
from dataflow.estimation.heads.checks import (
    checked_labels,
    checked_thresholds,
    checked_vocabulary,
    in_range,
    label_ids,
)
from dataflow.estimation.heads.classes import scores
from dataflow.estimation.heads.measures import MetricKeys, PredictionKeys
from dataflow.graph.scopes import control_dependencies
from dataflow.graph.sparse_tensor import SparseTensor
from dataflow.graph.tensor import Tensor
from dataflow.library.check_types import assert_integer
from dataflow.library.losses.classification import sigmoid_cross_entropy
from dataflow.library.losses.weighted import Reduction
from dataflow.ops.basic.cast import cast
from dataflow.ops.math.sigmoid import sigmoid
from dataflow.ops.reductions.reduce import reduce_mean
from dataflow.ops.sparse.merge import sparse_to_indicator
from dataflow.values import dtypes


class MultiLabelHead(SingleHead):
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
        super().__init__(weight_column, loss_reduction, loss_fn, name)
        if n_classes is None or n_classes < 2:
            raise ValueError(
                f"n_classes must be > 1 for multi-class classification. Given: {n_classes}"
            )
        self._n_classes = n_classes
        self._thresholds = checked_thresholds(thresholds)
        self._label_vocabulary = checked_vocabulary(label_vocabulary)
        if label_vocabulary is not None and len(label_vocabulary) != n_classes:
            raise ValueError(
                f"Length of label_vocabulary must be n_classes ({n_classes}). Given: "
                f"{len(label_vocabulary)}"
            )
        self._own_metrics = [self._id(each) for each in classes_for_class_based_metrics or ()]

    def _id(self, name: Any) -> int:
        if isinstance(name, str):
            if not self._label_vocabulary:
                raise ValueError(
                    "label_vocabulary must be provided when classes_for_class_based_metrics are "
                    "sting."
                )
            return list(self._label_vocabulary).index(name)
        if not 0 <= name < self._n_classes:
            raise ValueError(
                "All classes_for_class_based_metrics must be in range [0, "
                f"{self._n_classes - 1}]. Given: {name}"
            )
        return int(name)

    @property
    def logits_dimension(self) -> int:
        """See `Head`."""
        return self._n_classes

    def _predictions(self, logits: Tensor) -> dict[str, Tensor]:
        return {
            PredictionKeys.LOGITS: logits,
            PredictionKeys.PROBABILITIES: sigmoid(logits, name=PredictionKeys.PROBABILITIES),
        }

    def _exports(self, predictions: Mapping[str, Tensor]) -> dict[str, ExportOutput]:
        return {CLASSIFY: scores(predictions, self._n_classes, self._label_vocabulary)}

    def _labels(self, labels: Any, logits: Tensor) -> Tensor:
        if isinstance(labels, SparseTensor):
            labels = cast(sparse_to_indicator(self._ids(labels), self._n_classes), dtypes.int64)
        labels = checked_labels(labels, logits, self._n_classes)
        return in_range(
            labels, 2, "labels must be an integer indicator Tensor with values in [0, 1]"
        )

    def _ids(self, labels: SparseTensor) -> SparseTensor:
        message = f"labels must be an integer SparseTensor with values in [0, {self._n_classes})"
        if labels.dtype == dtypes.string:
            values = label_ids(labels.values, self._label_vocabulary)
        else:
            with control_dependencies([assert_integer(labels.values, message)]):
                values = in_range(labels.values, self._n_classes, message)
        return SparseTensor(labels.indices, values, labels.dense_shape)

    def _losses(self, labels: Tensor, logits: Tensor) -> Tensor:
        losses = sigmoid_cross_entropy(labels, logits, reduction=Reduction.NONE)
        found: Tensor = reduce_mean(losses, axis=-1, keepdims=True)
        return found

    def _metrics(self, predictions: Mapping[str, Tensor], loss: LossSpec) -> dict[str, Any]:
        labels, weights = loss.processed_labels, loss.weights
        probabilities: Any = predictions[PredictionKeys.PROBABILITIES]
        found = {
            name: measures.area(labels, probabilities, weights, curve, name)
            for name, curve in ((MetricKeys.AUC, "ROC"), (MetricKeys.AUC_PR, "PR"))
        }
        found |= measures.at_thresholds(labels, probabilities, weights, self._thresholds)
        for number in self._own_metrics:
            of_class = probabilities[..., number : number + 1]
            true = labels[..., number : number + 1]
            named = self._label_vocabulary is not None
            key: Any = self._label_vocabulary[number] if named else number
            name = (
                MetricKeys.PROBABILITY_MEAN_AT_NAME
                if named
                else MetricKeys.PROBABILITY_MEAN_AT_CLASS
            )
            found[name % key] = measures.mean_of(of_class, weights, name % key)
            for name, curve in (
                (MetricKeys.AUC_AT_NAME if named else MetricKeys.AUC_AT_CLASS, "ROC"),
                (MetricKeys.AUC_PR_AT_NAME if named else MetricKeys.AUC_PR_AT_CLASS, "PR"),
            ):
                found[name % key] = measures.area(true, of_class, weights, curve, name % key)
        return found
