"""What exported models give, made of the outputs that a model function names by problem."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from dataflow.contrib.layers.targets import ProblemType
from dataflow.contrib.learn.heads.keys import PredictionKey
from dataflow.estimation.export_outputs import (
    DEFAULT_KEY,
    ClassificationOutput,
    ExportOutput,
    PredictOutput,
    RegressionOutput,
)
from dataflow.values import dtypes

DEFAULT_INPUT: Final = "default_input_alternative"
"""Begins the names of signatures."""
_CLASSES = (ProblemType.CLASSIFICATION, ProblemType.LOGISTIC_REGRESSION)


class Alternative(ExportOutput):
    """Classes or numbers of serialized examples, where it has these; otherwise all by name."""

    def __init__(self, problem_type: int, predictions: Mapping[str, Any]) -> None:
        """Takes a `ProblemType` and tensors by name.

        Raises:
          ValueError: There is no such type.
        """
        if problem_type not in (
            ProblemType.UNSPECIFIED,
            ProblemType.LINEAR_REGRESSION,
            *_CLASSES,
        ):
            raise ValueError(f"Unknown problem_type={problem_type}")
        self._problem_type = problem_type
        self._predictions = dict(predictions)

    def as_signature_def(self, receiver_tensors: Mapping[str, Any]) -> Any:
        """See `ExportOutput`."""
        return self._of(receiver_tensors).as_signature_def(receiver_tensors)

    def _of(self, receivers: Mapping[str, Any]) -> ExportOutput:
        found = self._predictions
        is_examples = [each.dtype.base_dtype for each in receivers.values()] == [dtypes.string]
        if is_examples and self._problem_type in _CLASSES:
            scores = found.get(PredictionKey.SCORES, found.get(PredictionKey.PROBABILITIES))
            classes = found.get(PredictionKey.CLASSES)
            if classes is not None and classes.dtype != dtypes.string:
                classes = None
            if scores is not None or classes is not None:
                return ClassificationOutput(scores, classes)
        if is_examples and self._problem_type == ProblemType.LINEAR_REGRESSION and len(found) == 1:
            return RegressionOutput(next(iter(found.values())))
        return PredictOutput(found)


def export_outputs(
    alternatives: Mapping[Any, tuple[int, Any]] | None, default: Any
) -> dict[str, ExportOutput] | None:
    """By name: what `EstimatorSpec` calls them.

    Args:
      alternatives: By name a `ProblemType` and tensors by name.
      default: Of several the one that a request gets which names none.

    Raises:
      ValueError: The type is unknown, or there is no such default.
    """
    if not alternatives:
        return None
    found = {key: Alternative(*value) for key, value in alternatives.items()}
    outputs: dict[str, ExportOutput] = {
        key if key == DEFAULT_KEY else f"{DEFAULT_INPUT}:{key}": value
        for key, value in found.items()
    }
    if DEFAULT_KEY not in found:
        outputs[DEFAULT_KEY] = found[chosen(found, default)]
    return outputs


def chosen(alternatives: Mapping[Any, Any], key: Any) -> Any:
    """The key of the only output, or that of one among several.

    Raises:
      ValueError: There is none of that key.
    """
    if len(alternatives) == 1 and key is None:
        return next(iter(alternatives))
    if key not in alternatives:
        names = sorted(map(str, alternatives))
        raise ValueError(
            f"Please specify default_output_alternative_key. Available keys are: {names}; got "
            f"{key}."
        )
    return key
