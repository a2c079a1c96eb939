"""tensorflow.python.ops.gradient_checker_v2: Jacobians, by gradients and by differences."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from dataflow.graph import scopes
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.indexed_slices import IndexedSlicesValue
from dataflow.ops.basic.placeholder import placeholder
from dataflow.testing.gradient_checker import compute_gradient as _of_tensors

_Arrays = list[np.ndarray[Any, Any]]


def _to_numpy(value: Any) -> Any:
    """What a session gives for a tensor or for IndexedSlices, as one array."""
    if not isinstance(value, IndexedSlicesValue):
        return value
    dense = np.zeros(value.dense_shape, value.values.dtype)
    np.add.at(dense, value.indices, value.values)
    return dense


def compute_gradient(f: Callable[..., Any], x: Any, delta: float = 1e-3) -> tuple[_Arrays, _Arrays]:
    """The Jacobians of a function for each of its arguments, in the default session.

    Args:
      f: The function, of tensors.
      x: A list of the arguments' values.
      delta: How far the values are moved for the differences.

    Returns:
      Those by gradients and those by differences, of shape `[y size, x size]`.

    Raises:
      ValueError: `x` is no list, or there is no default session.
    """
    if not isinstance(x, list):
        raise ValueError(f"`x` must be a list of Tensors (arguments to `f`), not a {type(x)}")
    session = scopes.get_default_session()
    if session is None:
        raise ValueError("There is no default session to compute Jacobians in.")
    values = session.run([convert_to_tensor(each) for each in x])
    arguments = [placeholder(each.dtype, shape=each.shape) for each in values]
    y = f(*arguments)
    feeds = dict(zip(arguments, values, strict=True))
    y_shape = session.run(y, feeds).shape
    theoretical, numerical = [], []
    for argument, value in feeds.items():
        others = {key: each for key, each in feeds.items() if key is not argument}
        first, second = _of_tensors(
            argument, value.shape, y, y_shape, value, delta, extra_feed_dict=others
        )
        theoretical.append(np.transpose(first))
        numerical.append(np.transpose(second))
    return theoretical, numerical


def max_error(grad1: Sequence[Any], grad2: Sequence[Any]) -> float:
    """The greatest difference of any two elements of Jacobians."""
    differences = (np.abs(one - other) for one, other in zip(grad1, grad2, strict=True))
    return float(max((each.max() for each in differences if each.size), default=0))
