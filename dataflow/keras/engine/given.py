"""Which arguments do not go together with data that comes in batches by itself."""

from __future__ import annotations

import inspect
from typing import Any

from dataflow.keras import backend as K
from dataflow.keras.engine import data

_INFINITE, _UNKNOWN = -1, -2


def check_alone(x: Any, y: Any, batch_size: Any, sample_weight: Any) -> None:
    """Raises ValueError for targets, weights or a size beside what gives all three."""
    if batch_size is not None:
        raise ValueError(
            "The `batch_size` argument must not be specified for the given input type. Received "
            f"input: {x}, batch_size: {batch_size}"
        )
    if data.is_dataset(x) or data.is_iterator(x):
        if y is not None:
            raise ValueError(
                f"You passed a dataset or dataset iterator ({x}) as input `x` to your model. In "
                "that case, you should not specify a target (`y`) argument, since the dataset or "
                f"dataset iterator generates both input data and target data. Received: {y}"
            )
        if sample_weight is not None:
            raise ValueError(
                "`sample_weight` argument is not supported when input `x` is a dataset or a "
                "dataset iterator. Instead, you can provide sample_weight as the third element of "
                "your dataset, i.e. (inputs, targets, sample_weight). Received: "
                f"x={x}, sample_weight={sample_weight}"
            )
    for given, name, place in (
        (y, "y", "targets as the second"),
        (sample_weight, "sample_weight", "sample weights as the third"),
    ):
        if given is not None:
            raise ValueError(
                f"`{name}` argument is not supported when data is a generator or Sequence "
                f"instance. Instead pass {place} element of the generator."
            )


def check_not_split(x: Any, share: float) -> None:
    """Raises ValueError: the last of what comes in batches cannot be taken out."""
    if data.is_dataset(x) or data.is_iterator(x):
        raise ValueError(
            "`validation_split` argument is not supported when input `x` is a dataset or a "
            f"dataset iterator. Received: x={x}, validation_split={share:f}"
        )
    what = "generator" if inspect.isgenerator(x) else "generator or `keras.utils.Sequence`"
    raise ValueError(
        f"If your data is in the form of a Python {what}, you cannot use `validation_split`."
    )


def steps_of(x: Any, name: str) -> int | None:
    """How many batches there are; None if that is seen at their end.

    Args:
      x: A dataset, an iterator or a generator.
      name: The argument that would say it.

    Raises:
      ValueError: They have no end, or it cannot be known.
    """
    if data.is_dataset(x):
        size = int(K.get_value(x.cardinality()))
        if size == _INFINITE:
            raise ValueError(
                "When passing an infinitely repeating dataset, you must specify the "
                f"`{name}` argument."
            )
        return None if size == _UNKNOWN else size
    if data.is_iterator(x):
        return None
    raise ValueError(f"Please specify the number of steps via the `{name}` argument.")
