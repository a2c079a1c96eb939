"""Metrics of right and wrong decisions at thresholds."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from dataflow.keras import backend as K
from dataflow.keras import ops
from dataflow.keras.engine.weighting import fitted_weights, squeeze_or_expand
from dataflow.keras.metrics.kinds import AUCCurve, AUCSummationMethod
from dataflow.keras.metrics.means import Metric

_COUNTS = ("true_positives", "true_negatives", "false_positives", "false_negatives")


def decisions(
    dtype: Any,
    y_true: Any,
    y_pred: Any,
    thresholds: Any,
    weights: Any,
    top_k: int | None = None,
    class_id: int | None = None,
) -> dict[str, Any]:
    """How many decisions of each kind there are at each threshold.

    Args:
      dtype: Element type of the numbers.
      y_true: Ones and zeros.
      y_pred: How likely ones are.
      thresholds: Above which these are taken for ones.
      weights: What a decision counts, or None.
      top_k: How many of a row may be taken for ones, or None.
      class_id: The only column that counts, or None.
    """
    y_true, y_pred = (ops.cast(each, dtype) for each in (y_true, y_pred))
    zero, one = (ops.constant(each, dtype=dtype) for each in (0.0, 1.0))
    in_range = [
        ops.assert_greater_equal(y_pred, zero, message="predictions must be >= 0"),
        ops.assert_less_equal(y_pred, one, message="predictions must be <= 1"),
    ]
    # Only what is reshaped here waits for the checks: logits in the labels' shape have none.
    with ops.control_dependencies(in_range):
        y_pred, y_true = squeeze_or_expand(y_pred, y_true)
    if top_k is not None:
        places = ops.top_k(y_pred, top_k, sorted=False)[1]
        chosen = ops.reduce_sum(ops.one_hot(places, ops.shape(y_pred)[-1]), axis=-2)
        y_pred = ops.where(chosen > 0.0, y_pred, -np.inf * ops.ones_like(y_pred))
    if class_id is not None:
        y_true, y_pred = y_true[..., class_id], y_pred[..., class_id]
    scale = ops.ones_like(y_true)
    if weights is not None:
        scale = scale * fitted_weights(y_true, weights)
    found = ops.reshape(y_pred, [1, -1]) > ops.reshape(
        ops.constant(thresholds, dtype=dtype), [-1, 1]
    )
    happens = ops.reshape(ops.cast(y_true, "bool"), [1, -1])
    flat = ops.reshape(scale, [1, -1])

    def count(first: Any, second: Any) -> Any:
        return ops.reduce_sum(ops.cast(ops.logical_and(first, second), dtype) * flat, axis=1)

    negative, absent = ops.logical_not(found), ops.logical_not(happens)
    return {
        "true_positives": count(found, happens),
        "true_negatives": count(negative, absent),
        "false_positives": count(found, absent),
        "false_negatives": count(negative, happens),
    }


def _checked(thresholds: Any, default: float) -> list[float]:
    known = default if thresholds is None else thresholds
    listed = list(known) if isinstance(known, (list, tuple)) else [known]
    if any(each is None or not (-np.inf < each <= 1) for each in listed) or (
        thresholds is not None and any(each < 0 for each in listed)
    ):
        wrong = [each for each in listed if each is None or not 0 <= each <= 1]
        raise ValueError(f"Threshold values must be in [0, 1]. Invalid values: {wrong}")
    return listed


class _Counting(Metric):
    """Keeps the numbers of decisions named in `_kept`, one for each of `_thresholds`."""

    _kept: ClassVar[tuple[str, ...]] = _COUNTS
    top_k: int | None = None
    class_id: int | None = None

    def _start(self, thresholds: list[float]) -> None:
        self._thresholds = thresholds
        for kind in self._kept:
            label = "accumulator" if len(self._kept) == 1 else kind
            setattr(self, label, self.add_weight(label, (len(thresholds),)))

    def update_state(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> Any:
        """Adds a batch."""
        made = decisions(
            self.dtype, y_true, y_pred, self._thresholds, sample_weight, self.top_k, self.class_id
        )
        variables = self._non_trainable_weights
        return ops.group(
            *[
                ops.assign_add(variable, made[kind])
                for variable, kind in zip(variables, self._kept, strict=True)
            ]
        )


class _Count(_Counting):
    """The number of decisions of one kind, at one threshold or several."""

    def __init__(self, thresholds: Any = None, name: str | None = None, dtype: Any = None) -> None:
        super().__init__(name=name, dtype=dtype)
        self.init_thresholds = thresholds
        self.thresholds = _checked(thresholds, 0.5)
        self._start(self.thresholds)

    def result(self) -> Any:
        """The numbers so far."""
        count = ops.identity(self.accumulator)
        return count[0] if len(self.thresholds) == 1 else count

    def get_config(self) -> dict[str, Any]:
        """The arguments."""
        return {**super().get_config(), "thresholds": self.init_thresholds}


class FalsePositives(_Count):
    """How many zeros are above the threshold."""

    _kept = ("false_positives",)


class FalseNegatives(_Count):
    """How many ones are below the threshold."""

    _kept = ("false_negatives",)


class TrueNegatives(_Count):
    """How many zeros are below the threshold."""

    _kept = ("true_negatives",)


class TruePositives(_Count):
    """How many ones are above the threshold."""

    _kept = ("true_positives",)


class _Share(_Counting):
    """Right decisions for one over these and the others of a kind."""

    def __init__(
        self,
        thresholds: Any = None,
        top_k: int | None = None,
        class_id: int | None = None,
        name: str | None = None,
        dtype: Any = None,
    ) -> None:
        super().__init__(name=name, dtype=dtype)
        self.init_thresholds, self.top_k, self.class_id = thresholds, top_k, class_id
        self.thresholds = _checked(thresholds, 0.5 if top_k is None else -1e10)
        self._start(self.thresholds)

    def result(self) -> Any:
        """The share so far."""
        right, other = (ops.identity(each) for each in self._non_trainable_weights)
        share = ops.div_no_nan(right, right + other)
        return share[0] if len(self.thresholds) == 1 else share

    def get_config(self) -> dict[str, Any]:
        """The arguments."""
        return {
            **super().get_config(),
            "thresholds": self.init_thresholds,
            "top_k": self.top_k,
            "class_id": self.class_id,
        }


class Precision(_Share):
    """How many of what is taken for one are one."""

    _kept = ("true_positives", "false_positives")


class Recall(_Share):
    """How many ones are taken for one."""

    _kept = ("true_positives", "false_negatives")


class _AtValue(_Counting):
    """The best of one share where another has at least a value."""

    def _settle(self, name: str, value: float, num_thresholds: int) -> None:
        if not 0 <= value <= 1:
            raise ValueError(f"`{name}` must be in the range [0, 1].")
        if num_thresholds <= 0:
            raise ValueError("`num_thresholds` must be > 0.")
        self.value, self.num_thresholds = value, num_thresholds
        if num_thresholds == 1:
            self._start([0.5])
        else:
            inner = [(i + 1) / (num_thresholds - 1) for i in range(num_thresholds - 2)]
            self._start([0.0, *inner, 1.0])

    def _shares(self) -> tuple[Any, Any]:
        """Sensitivity and specificity."""
        right, absent, wrong, missed = (ops.identity(v) for v in self._non_trainable_weights)
        return ops.div_no_nan(right, right + missed), ops.div_no_nan(absent, absent + wrong)

    def _best(self, wanted: Any, bound: Any) -> Any:
        nearest = ops.argmin(ops.abs(bound - self.value), axis=0)
        return wanted[nearest]


class SensitivityAtSpecificity(_AtValue):
    """The sensitivity at the threshold whose specificity is nearest to a value."""

    def __init__(
        self,
        specificity: float,
        num_thresholds: int = 200,
        name: str | None = None,
        dtype: Any = None,
    ) -> None:
        super().__init__(name=name, dtype=dtype)
        self.specificity = specificity
        self._settle("specificity", specificity, num_thresholds)

    def result(self) -> Any:
        """The value so far."""
        sensitivity, specificity = self._shares()
        return self._best(sensitivity, specificity)

    def get_config(self) -> dict[str, Any]:
        """The arguments."""
        own = {"num_thresholds": self.num_thresholds, "specificity": self.specificity}
        return {**super().get_config(), **own}


class SpecificityAtSensitivity(_AtValue):
    """The specificity at the threshold whose sensitivity is nearest to a value."""

    def __init__(
        self,
        sensitivity: float,
        num_thresholds: int = 200,
        name: str | None = None,
        dtype: Any = None,
    ) -> None:
        super().__init__(name=name, dtype=dtype)
        self.sensitivity = sensitivity
        self._settle("sensitivity", sensitivity, num_thresholds)

    def result(self) -> Any:
        """The value so far."""
        sensitivity, specificity = self._shares()
        return self._best(specificity, sensitivity)

    def get_config(self) -> dict[str, Any]:
        """The arguments."""
        own = {"num_thresholds": self.num_thresholds, "sensitivity": self.sensitivity}
        return {**super().get_config(), **own}


class AUC(_Counting):
    """The area under a curve of shares at many thresholds, as Riemann's sum.

    Args:
      num_thresholds: Number of thresholds between 0 and 1.
      curve: "ROC" or "PR", or an `AUCCurve`.
      summation_method: "interpolation", "minoring" or "majoring", or an `AUCSummationMethod`.
      name: Its name.
      dtype: See `Metric`.
      thresholds: Thresholds to be taken instead.

    Raises:
      ValueError: An argument has a value that it cannot have.
    """

    def __init__(
        self,
        num_thresholds: int = 200,
        curve: Any = "ROC",
        summation_method: Any = "interpolation",
        name: str | None = None,
        dtype: Any = None,
        thresholds: Any = None,
    ) -> None:
        if not isinstance(curve, AUCCurve):
            curve = AUCCurve.from_str(curve)
        if not isinstance(summation_method, AUCSummationMethod):
            summation_method = AUCSummationMethod.from_str(summation_method)
        if thresholds is not None:
            inner = sorted(thresholds)
        elif num_thresholds <= 1:
            raise ValueError("`num_thresholds` must be > 1.")
        else:
            inner = [(i + 1) / (num_thresholds - 1) for i in range(num_thresholds - 2)]
        super().__init__(name=name, dtype=dtype)
        self.num_thresholds = len(inner) + 2
        self.curve, self.summation_method = curve, summation_method
        self.thresholds = [-K.epsilon(), *inner, 1.0 + K.epsilon()]
        self._start(self.thresholds)

    def result(self) -> Any:
        """The area so far."""
        right, absent, wrong, missed = (ops.identity(v) for v in self._non_trainable_weights)
        recall = ops.div_no_nan(right, right + missed)
        if self.curve is AUCCurve.ROC:
            x, y = ops.div_no_nan(wrong, wrong + absent), recall
        elif self.summation_method is AUCSummationMethod.INTERPOLATION:
            return self.interpolate_pr_auc()
        else:
            x, y = recall, ops.div_no_nan(right, right + wrong)
        heights = (y[:-1] + y[1:]) / 2.0
        if self.summation_method is not AUCSummationMethod.INTERPOLATION:
            least = self.summation_method is AUCSummationMethod.MINORING
            heights = (ops.minimum if least else ops.maximum)(y[:-1], y[1:])
        return ops.reduce_sum((x[:-1] - x[1:]) * heights)

    def interpolate_pr_auc(self) -> Any:
        """The area under precision by recall so far.

        Between two thresholds precision is a share of straight lines (Davis and Goadrich).
        """
        right, _, wrong, missed = (ops.identity(v) for v in self._non_trainable_weights)
        taken = right + wrong
        more_right, more_taken = right[:-1] - right[1:], taken[:-1] - taken[1:]
        slope = ops.div_no_nan(more_right, ops.maximum(more_taken, 0.0))
        start = right[1:] - slope * taken[1:]
        both = ops.logical_and(taken[:-1] > 0, taken[1:] > 0)
        ratio = ops.where(
            both,
            ops.div_no_nan(taken[:-1], ops.maximum(taken[1:], 0.0)),
            ops.ones_like(taken[1:]),
        )
        area = slope * (more_right + start * ops.log(ratio))
        return ops.reduce_sum(ops.div_no_nan(area, ops.maximum(right[1:] + missed[1:], 0.0)))

    def get_config(self) -> dict[str, Any]:
        """The arguments."""
        return {
            **super().get_config(),
            "num_thresholds": self.num_thresholds,
            "curve": self.curve.value,
            "summation_method": self.summation_method.value,
            "thresholds": self.thresholds[1:-1],
        }
