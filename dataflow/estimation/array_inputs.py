"""Input functions that read arrays and data frames: numpy_input_fn, pandas_input_fn."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np

from dataflow.estimation.feeding import dequeued_rows

_TARGET: Final = "__target_key__"


def numpy_input_fn(
    x: Any,
    y: Any = None,
    batch_size: int = 128,
    num_epochs: int | None = 1,
    shuffle: bool | None = None,
    queue_capacity: int = 1000,
    num_threads: int = 1,
) -> Callable[[], Any]:
    """An input function that feeds rows of arrays to the model.

    Args:
      x: Features: an array, or a dictionary of arrays.
      y: Labels: an array, a dictionary of arrays, or None.
      batch_size: How many rows a batch has.
      num_epochs: How often all rows are read; None for no end.
      shuffle: Whether in an order of chance; must be said.
      queue_capacity: How many rows wait at most.
      num_threads: How many threads read.

    Raises:
      ValueError: `shuffle` is not said, arrays differ in length, or features and labels have a
        name in common or none at all.
      TypeError: `x` is neither an array nor a dictionary of arrays.
    """
    if not isinstance(shuffle, bool):
        raise ValueError(
            "shuffle must be provided and explicitly set as boolean "
            f"(it is recommended to set it as True for training); got {shuffle}"
        )

    def input_fn() -> Any:
        features = _features_of(x)
        targets = _targets_of(y, features)
        lengths = {name: len(column) for name, column in (features | targets).items()}
        if len(set(lengths.values())) != 1:
            raise ValueError(
                "Length of tensors in x and y is mismatched. All elements in x and y must have "
                "the same length.\nShapes in x: "
                f"{ {name: column.shape for name, column in features.items()} }\nShapes for y: "
                f"{ {name: column.shape for name, column in targets.items()} }\n"
            )
        columns = [*features.values(), *targets.values()]
        taken = dequeued_rows(columns, batch_size, num_epochs, shuffle, queue_capacity, num_threads)
        found: Any = dict(zip(features, taken, strict=False))
        if not isinstance(x, dict):
            (found,) = found.values()
        if y is None:
            return found
        labels: Any = dict(zip(targets, taken[len(features) :], strict=True))
        if not isinstance(y, dict):
            (labels,) = labels.values()
        return found, labels

    return input_fn


def _features_of(x: Any) -> dict[str, np.ndarray]:
    if isinstance(x, dict):
        if not x:
            raise ValueError("x cannot be an empty dict")
        return {name: np.asarray(x[name]) for name in sorted(x)}
    if not isinstance(x, np.ndarray):
        raise TypeError(f"x must be a dict or array; got {type(x).__name__}")
    return {"__direct_np_input__": x}


def _targets_of(y: Any, features: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    if y is None:
        return {}
    if not isinstance(y, dict):
        return {_TARGET: np.asarray(y)}
    if not y:
        raise ValueError("y cannot be empty dict, use None instead.")
    common = sorted(set(features) & set(y))
    if common:
        raise ValueError(f"{len(common)} duplicate keys are found in both x and y: {common}")
    return {name: np.asarray(y[name]) for name in sorted(y)}


def pandas_input_fn(
    x: Any,
    y: Any = None,
    batch_size: int = 128,
    num_epochs: int | None = 1,
    shuffle: bool | None = None,
    queue_capacity: int = 1000,
    num_threads: int = 1,
    target_column: str = "target",
) -> Callable[[], Any]:
    """An input function that feeds rows of a data frame to the model.

    Args:
      x: A pandas DataFrame of features.
      y: A Series of labels, a DataFrame of them, or None.
      batch_size: How many rows a batch has.
      num_epochs: How often all rows are read; None for no end.
      shuffle: Whether in an order of chance; must be said.
      queue_capacity: How many rows wait at most.
      num_threads: How many threads read.
      target_column: A name for the labels that no feature has.

    Raises:
      TypeError: `x` is no DataFrame.
      ValueError: `shuffle` is not said, the rows of `x` and `y` have other indices, or a feature
        has the name of a label.
    """
    if not all(hasattr(x, name) for name in ("columns", "index", "iloc")):
        raise TypeError(f"`x` must be a DataFrame; got {type(x).__name__}")
    if not isinstance(shuffle, bool):
        raise ValueError(
            "shuffle must be provided and explicitly set as boolean "
            f"(it is recommended to set it as True for training); got {shuffle}"
        )
    targets: dict[str, np.ndarray] = {}
    is_frame = hasattr(y, "columns")
    if y is not None:
        if not np.array_equal(x.index, y.index):
            raise ValueError(
                f"Index for x and y are mismatched.\nIndex for x: {x.index}\n"
                f"Index for y: {y.index}\n"
            )
        if is_frame:
            targets = {str(name): y[name].values for name in y.columns}
        else:
            if target_column in x:
                raise ValueError(
                    f"Cannot use name {target_column} for target column: DataFrame already has a "
                    f"column with that name: {x.columns}"
                )
            targets = {target_column: y.values}
    features = {name: x[name].values for name in x.columns}

    def input_fn() -> Any:
        columns = [np.asarray(each) for each in (*features.values(), *targets.values())]
        taken = dequeued_rows(columns, batch_size, num_epochs, shuffle, queue_capacity, num_threads)
        found = dict(zip(features, taken, strict=False))
        labels = dict(zip(targets, taken[len(features) :], strict=True))
        if y is None:
            return found
        return found, labels if is_frame else labels[target_column]

    return input_fn
