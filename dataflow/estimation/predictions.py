"""Predictions: those that are wanted, and batches of them taken apart."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any


def chosen_predictions(predictions: Any, keys: Any) -> Any:
    """The predictions of these names; all without names.

    Raises:
      ValueError: There are no names, or none of these.
    """
    if not keys:
        return predictions
    if not isinstance(predictions, dict):
        raise ValueError("predict_keys argument is not valid in case of non-dict predictions.")
    found = {name: value for name, value in predictions.items() if name in keys}
    if not found:
        raise ValueError(
            f"Expected to run at least one output from {predictions.keys()}, provided {keys}."
        )
    return found


def single_examples(values: Any) -> Iterator[Any]:
    """What stands at each place of a batch.

    Raises:
      ValueError: Arrays of a dictionary differ in length.
    """
    if not isinstance(values, dict):
        yield from values
        return
    length: int | None = None
    for name, value in values.items():
        length = len(value) if length is None else length
        if len(value) != length:
            raise ValueError(
                f"Batch length of predictions should be same. {name} has different batch length "
                "than others."
            )
    for index in range(length or 0):
        yield {name: value[index] for name, value in values.items()}
