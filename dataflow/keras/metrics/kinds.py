"""Kinds: of decisions, of curves and of the sums under them, as programs name them."""

from __future__ import annotations

from enum import Enum
from typing import Any


class ConfusionMatrix(Enum):
    """What a decision was."""

    TRUE_POSITIVES = "tp"
    FALSE_POSITIVES = "fp"
    TRUE_NEGATIVES = "tn"
    FALSE_NEGATIVES = "fn"


class AUCCurve(Enum):
    """The shares that a curve is made of."""

    ROC = "ROC"
    PR = "PR"

    @staticmethod
    def from_str(key: Any) -> AUCCurve:
        """The curve of a name, in large or small letters.

        Raises:
          ValueError: There is none.
        """
        for each in AUCCurve:
            if key in (each.value, each.value.lower()):
                return each
        raise ValueError(f'Invalid AUC curve value "{key}".')


class AUCSummationMethod(Enum):
    """Which heights a Riemann sum has."""

    INTERPOLATION = "interpolation"
    MAJORING = "majoring"
    MINORING = "minoring"

    @staticmethod
    def from_str(key: Any) -> AUCSummationMethod:
        """The method of a name, with a small or a large first letter.

        Raises:
          ValueError: There is none.
        """
        for each in AUCSummationMethod:
            if key in (each.value, each.value.capitalize()):
                return each
        raise ValueError(f'Invalid AUC summation method value "{key}".')
