"""Losses of dual coordinate ascent: what an example's dual becomes, and what it costs.

Shalev-Shwartz and Zhang, "Stochastic dual coordinate ascent methods for regularized loss
minimization" (2012); over several partitions as Ma et al., "Adding vs. averaging in distributed
primal-dual optimization" (2015).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

from dataflow.kernels.contract.invalid import invalid

_STEPS: Final = 10
"""Of Newton's method, which is at the end of doubles by then."""
_LARGEST: Final = 1.7976931348623157e308


@dataclass(frozen=True)
class Coordinate:
    """Where an example stands.

    Attributes:
        label: Its label, as the loss has it.
        dual: Its dual.
        prediction: What the weights make of it.
        pull: How much its prediction moves with its dual: the squared norm over L2, times its
            weight and the partitions.
    """

    label: float
    dual: float
    prediction: float
    pull: float


class SquaredLoss:
    """Half the square of how far a prediction is off."""

    smoothness = 1.0

    def label(self, given: float) -> float:
        """The label that stands for the one of the example."""
        return given

    def best(self, at: Coordinate) -> float:
        """The dual that raises the objective most."""
        return at.dual + (at.label - at.prediction - at.dual) / (1 + at.pull)

    def primal(self, prediction: float, label: float) -> float:
        """The loss."""
        return (prediction - label) ** 2 / 2

    def slope(self, prediction: float, label: float) -> float:
        """The loss's derivative."""
        return prediction - label

    def dual(self, dual: float, label: float) -> float:
        """The loss's conjugate."""
        return dual * (dual / 2 - label)


class _OfSides:
    """Base of losses whose labels are 0 and 1, for the sides -1 and 1."""

    def label(self, given: float) -> float:
        """The side."""
        if given not in (0, 1):
            raise invalid(
                "Only labels of 0.0 or 1.0 are supported right now. Found example with label: "
                f"{given:g}"
            )
        return 1.0 if given else -1.0


class HingeLoss(_OfSides):
    """How far a prediction is from 1 on its side."""

    smoothness = 0.0
    _gamma = 0.0

    def best(self, at: Coordinate) -> float:
        """The dual that raises the objective most, between none and the side's."""
        missing = at.label - at.prediction - self._gamma * at.dual
        dual = at.dual + _ratio(missing, at.pull + self._gamma)
        if at.label * dual < 0:
            return 0.0
        return at.label if at.label * dual > 1 else dual

    def primal(self, prediction: float, label: float) -> float:
        """The loss."""
        return max(0.0, 1 - label * prediction)

    def slope(self, prediction: float, label: float) -> float:
        """The loss's derivative."""
        return -label if label * prediction < 1 else 0.0

    def dual(self, dual: float, label: float) -> float:
        """The loss's conjugate."""
        on_side = dual * label
        if not 0 <= on_side <= 1:
            return _LARGEST
        return self._gamma * dual * dual / 2 - on_side


class SmoothHingeLoss(HingeLoss):
    """The hinge loss, with a parabola where it bends."""

    smoothness = 1.0
    _gamma = 1.0

    def primal(self, prediction: float, label: float) -> float:
        """The loss."""
        missing = 1 - label * prediction
        if missing <= 0:
            return 0.0
        return missing - self._gamma / 2 if missing >= self._gamma else missing**2 / 2 / self._gamma

    def slope(self, prediction: float, label: float) -> float:
        """The loss's derivative."""
        if label * prediction >= 1:
            return 0.0
        if label * prediction <= 1 - self._gamma:
            return -label
        return (prediction - label) / self._gamma


class LogisticLoss(_OfSides):
    """The logarithm of how likely a prediction's side is, turned round."""

    smoothness = 4.0

    def best(self, at: Coordinate) -> float:
        """The dual that raises the objective most, by Newton's method on its logit."""
        x = 0.0
        for _ in range(_STEPS):
            tanh = math.tanh(x)
            dual = (1 + tanh) / 2 / at.label
            value = -2 * at.label * x - at.prediction - at.pull * (dual - at.dual)
            slope = -2 * at.label - at.pull * (1 - tanh * tanh) / 2 / at.label
            x -= _ratio(value, slope)
        return (1 + math.tanh(x)) / 2 / at.label

    def primal(self, prediction: float, label: float) -> float:
        """The loss."""
        on_side = label * prediction
        return math.log1p(math.exp(-abs(on_side))) + max(0.0, -on_side)

    def slope(self, prediction: float, label: float) -> float:
        """The loss's derivative."""
        on_side = label * prediction
        small = math.exp(-abs(on_side))
        return -label * (small if on_side > 0 else 1.0) / (1 + small)

    def dual(self, dual: float, label: float) -> float:
        """The loss's conjugate."""
        return sum(part * math.log(part) for part in (dual * label, 1 - dual * label) if part > 0)


class PoissonLoss:
    """That of counts whose logarithms are predicted."""

    smoothness = 1.0

    def label(self, given: float) -> float:
        """The count."""
        if given < 0:
            raise invalid(
                "Only non-negative labels can be used with the Poisson log loss. Found example "
                f"with label: {given:g}"
            )
        return given

    def best(self, at: Coordinate) -> float:
        """The dual that raises the objective most, by Newton's method on a logarithm."""
        rest = at.label - at.dual
        x = math.log(rest) if rest > 0 else 0.0
        for _ in range(_STEPS):
            exp = _exp(x)
            value = x - at.prediction - at.pull * (rest - exp)
            x -= _ratio(value, 1 + at.pull * exp)
        return at.label - _exp(x)

    def primal(self, prediction: float, label: float) -> float:
        """The loss."""
        return _exp(prediction) - prediction * label

    def slope(self, prediction: float, label: float) -> float:
        """The loss's derivative."""
        return _exp(prediction) - label

    def dual(self, dual: float, label: float) -> float:
        """The loss's conjugate."""
        rest = label - dual
        if rest <= 0:
            return _LARGEST if rest else 0.0
        return rest * (math.log(rest) - 1)


Loss = SquaredLoss | HingeLoss | LogisticLoss | PoissonLoss

LOSSES: Final[dict[bytes, Loss]] = {
    b"logistic_loss": LogisticLoss(),
    b"squared_loss": SquaredLoss(),
    b"hinge_loss": HingeLoss(),
    b"smooth_hinge_loss": SmoothHingeLoss(),
    b"poisson_loss": PoissonLoss(),
}


def _ratio(a: float, b: float) -> float:
    """The quotient, as C has it where it divides by nothing."""
    if b:
        return a / b
    return math.copysign(math.inf, a) if a else math.nan


def _exp(x: float) -> float:
    try:
        return math.exp(x)
    except OverflowError:
        return math.inf
