"""Signatures of SavedModels, of pairs of inputs and outputs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from dataflow.contrib.layers.targets import ProblemType
from dataflow.contrib.learn.alternatives import DEFAULT_INPUT
from dataflow.contrib.learn.heads.keys import PredictionKey
from dataflow.contrib.learn.utils.input_fn_utils import InputFnOps
from dataflow.saving.saved_model.signature_constants import DEFAULT_SERVING_SIGNATURE_DEF_KEY
from dataflow.saving.saved_model.signature_defs import (
    classification_signature_def,
    predict_signature_def,
    regression_signature_def,
)
from dataflow.values import dtypes

DEFAULT_INPUT_ALTERNATIVE_KEY: Final = DEFAULT_INPUT
FEATURES_INPUT_ALTERNATIVE_KEY: Final = "features_input_alternative"
_ONLY_OUTPUT: Final = "default_output_alternative"
_CLASSES = (ProblemType.CLASSIFICATION, ProblemType.LOGISTIC_REGRESSION)


def build_standardized_signature_def(
    input_tensors: Mapping[str, Any], output_tensors: Mapping[str, Any], problem_type: int
) -> Any:
    """The SignatureDef of a kind of problem: classes or numbers of one input, or all by name.

    Args:
      input_tensors: Tensors by name.
      output_tensors: Tensors by name.
      problem_type: A `ProblemType`.

    Raises:
      ValueError: There are no inputs or no outputs, or the only input, or what is told of it, has
        another type than such a signature has.
    """
    if not input_tensors:
        raise ValueError("input_tensors must be provided.")
    if not output_tensors:
        raise ValueError("output_tensors must be provided.")
    if len(input_tensors) == 1:
        (examples,) = input_tensors.values()
        if problem_type in _CLASSES:
            classes, scores = _classes(output_tensors), _scores(output_tensors)
            if classes is None and scores is None and len(output_tensors) == 1:
                (only,) = output_tensors.values()
                classes, scores = (only, None) if only.dtype == dtypes.string else (None, only)
            if classes is not None or scores is not None:
                return classification_signature_def(examples, classes, scores)
        if problem_type == ProblemType.LINEAR_REGRESSION and len(output_tensors) == 1:
            return regression_signature_def(examples, *output_tensors.values())
    return predict_signature_def(dict(input_tensors), dict(output_tensors))


def _classes(outputs: Mapping[str, Any]) -> Any:
    found = outputs.get(PredictionKey.CLASSES)
    return found if found is not None and found.dtype == dtypes.string else None


def _scores(outputs: Mapping[str, Any]) -> Any:
    return outputs.get(PredictionKey.SCORES, outputs.get(PredictionKey.PROBABILITIES))


def get_input_alternatives(input_ops: Any) -> tuple[dict[str, Any], Any]:
    """What is fed, by the name of the way, and the features that are made of it.

    Args:
      input_ops: InputFnOps, or features and labels, of which nothing is fed.

    Raises:
      ValueError: There are no features.
    """
    alternatives = {}
    if isinstance(input_ops, InputFnOps):
        features, _, default_inputs = input_ops
        alternatives[DEFAULT_INPUT_ALTERNATIVE_KEY] = default_inputs
    else:
        features, _ = input_ops
    if not features:
        raise ValueError("Features must be defined.")
    return alternatives, features


def get_output_alternatives(
    model_fn_ops: Any, default_output_alternative_key: str | None = None
) -> tuple[dict[Any, Any], Any]:
    """Problem types and outputs by the name of the head, and which a request gets by default.

    Args:
      model_fn_ops: ModelFnOps; if it tells no alternatives all its predictions are one.
      default_output_alternative_key: The head; not needed if there is one.

    Raises:
      ValueError: There is no such head, or several of which none is chosen.
    """
    found = model_fn_ops.output_alternatives
    key = default_output_alternative_key
    if key and key not in (found or {}):
        raise ValueError(
            f"Requested default_output_alternative: {key}, but available output_alternatives are: "
            f"{sorted(found or {})}"
        )
    if not found:
        outputs = model_fn_ops.predictions
        if not isinstance(outputs, dict):
            outputs = {PredictionKey.GENERIC: outputs}
        return {_ONLY_OUTPUT: (ProblemType.UNSPECIFIED, outputs)}, _ONLY_OUTPUT
    if key:
        return found, key
    if len(found) > 1:
        raise ValueError(
            "Please specify a default_output_alternative.  Available output_alternatives are: "
            f"{sorted(found)}"
        )
    return found, next(iter(found))


def build_all_signature_defs(
    input_alternatives: Mapping[str, Any],
    output_alternatives: Mapping[Any, tuple[int, Any]],
    actual_default_output_alternative_key: Any,
) -> dict[str, Any]:
    """SignatureDefs of all pairs of inputs and outputs, as `<input>:<output>`, and the default one.

    Raises:
      ValueError: There is no default input.
    """
    made = {
        f"{input_key}:{output_key or 'None'}": build_standardized_signature_def(
            inputs, outputs, problem_type
        )
        for input_key, inputs in input_alternatives.items()
        for output_key, (problem_type, outputs) in output_alternatives.items()
    }
    inputs = input_alternatives.get(DEFAULT_INPUT_ALTERNATIVE_KEY)
    if not inputs:
        raise ValueError("A default input_alternative must be provided.")
    problem_type, outputs = output_alternatives[actual_default_output_alternative_key]
    made[DEFAULT_SERVING_SIGNATURE_DEF_KEY] = build_standardized_signature_def(
        inputs, outputs, problem_type
    )
    return made
