"""Gradients against differences: the Jacobian of a part of a graph, computed both ways."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from dataflow.differentiation.gradients import gradients
from dataflow.graph import scopes
from dataflow.graph.indexed_slices import IndexedSlices
from dataflow.ops.basic.placeholder import placeholder


def compute_gradient(
    x: Any,
    x_shape: Any,
    y: Any,
    y_shape: Any,
    x_init_value: Any = None,
    delta: float = 1e-3,
    init_targets: Any = None,
    extra_feed_dict: Mapping[Any, Any] | None = None,
) -> Any:
    """The Jacobian dy/dx by `gradients`, and by differences (f(x + d) - f(x - d)) / 2d.

    It is computed in the default session.

    Args:
      x: Tensor, or a list of tensors.
      x_shape: Its shape, or a list of shapes.
      y: Tensor.
      y_shape: Its shape.
      x_init_value: Where to compute it, or a list; random by default.
      delta: Length d of the step.
      init_targets: Operations to run first.
      extra_feed_dict: What to feed besides `x`.

    Returns:
      A pair of arrays of shape `[size of x, size of y]`; a list of pairs for a list. Complex
      elements count as two.
    """
    session = scopes.get_default_session()
    if init_targets is not None:
        for target in init_targets if isinstance(init_targets, (list, tuple)) else [init_targets]:
            session.run(target)
    feeds = dict(extra_feed_dict or {})
    if not isinstance(x, list):
        return _jacobians(session, x, x_shape, y, y_shape, x_init_value, delta, feeds)
    starts = x_init_value if x_init_value is not None else [None] * len(x)
    values = [_start(each, s, v) for each, s, v in zip(x, x_shape, starts, strict=True)]
    return [
        _jacobians(
            session,
            each,
            shape,
            y,
            y_shape,
            value,
            delta,
            {**feeds, **{o: v for o, v in zip(x, values, strict=True) if o is not each}},
        )
        for each, shape, value in zip(x, x_shape, values, strict=True)
    ]


def compute_gradient_error(
    x: Any,
    x_shape: Any,
    y: Any,
    y_shape: Any,
    x_init_value: Any = None,
    delta: float = 1e-3,
    init_targets: Any = None,
    extra_feed_dict: Mapping[Any, Any] | None = None,
) -> float:
    """The largest difference between the two Jacobians of `compute_gradient`."""
    pairs = compute_gradient(
        x, x_shape, y, y_shape, x_init_value, delta, init_targets, extra_feed_dict
    )
    error = 0.0
    for by_gradients, by_differences in pairs if isinstance(pairs, list) else [pairs]:
        if by_gradients.size or by_differences.size:
            error = np.maximum(error, np.fabs(by_gradients - by_differences).max())
    return error


def _start(x: Any, x_shape: Any, value: Any) -> np.ndarray:
    """Where to compute the Jacobian."""
    numpy_type = x.dtype.base_dtype.as_numpy_dtype
    if value is not None:
        return np.array(value, dtype=numpy_type)
    random = np.random.random_sample(x_shape)
    if x.dtype.is_complex:
        random = random + 1j * np.random.random_sample(x_shape)
    return np.asarray(random).astype(numpy_type)


def _jacobians(
    session: Any,
    x: Any,
    x_shape: Any,
    y: Any,
    y_shape: Any,
    start: Any,
    delta: float,
    feeds: Mapping[Any, Any],
) -> tuple[np.ndarray, np.ndarray]:
    value = _start(x, x_shape, start)
    dy = placeholder(y.dtype, shape=y_shape, name="dy")
    dx = gradients(y, x, dy)[0]
    by_gradients = _by_gradients(session, x, value, dx, dy, y_shape, feeds)
    return by_gradients, _by_differences(session, x, value, y, y_shape, delta, feeds)


def _by_gradients(
    session: Any,
    x: Any,
    value: np.ndarray,
    dx: Any,
    dy: Any,
    y_shape: Sequence[int],
    feeds: Mapping[Any, Any],
) -> np.ndarray:
    """A column for each element of y."""
    seed = np.zeros(y_shape, dy.dtype.as_numpy_dtype)
    flat_seed = _reals(seed)
    jacobian = np.zeros((_reals(value).size, flat_seed.size), x.dtype.real_dtype.as_numpy_dtype)
    for column in range(flat_seed.size):
        flat_seed[column] = 1
        fed = {**feeds, x: value, dy: seed}
        if dx is None:
            continue
        if isinstance(dx, IndexedSlices):
            dense = np.zeros_like(value)
            indices, slices = session.run([dx.indices, dx.values], feed_dict=fed)
            np.add.at(dense, indices, slices)
        else:
            dense = session.run(dx, feed_dict=fed)
        jacobian[:, column] = _reals(np.ascontiguousarray(dense))
        flat_seed[column] = 0
    return jacobian


def _by_differences(
    session: Any,
    x: Any,
    value: np.ndarray,
    y: Any,
    y_shape: Sequence[int],
    delta: float,
    feeds: Mapping[Any, Any],
) -> np.ndarray:
    """A row for each element of x."""
    value = value.copy()
    flat = _reals(value)
    columns = _reals(np.zeros(y_shape, y.dtype.as_numpy_dtype)).size
    jacobian = np.zeros((flat.size, columns), x.dtype.real_dtype.as_numpy_dtype)
    for row in range(flat.size):
        ends = []
        for step in (-delta, delta):
            before = flat[row]
            flat[row] = before + np.asarray(step, flat.dtype)
            ends.append(_reals(session.run(y, feed_dict={**feeds, x: value})))
            flat[row] = before
        jacobian[row, :] = (ends[1] - ends[0]) / (2 * delta)
    return jacobian


def _reals(array: Any) -> np.ndarray:
    """The elements in a row, complex ones as pairs; a view where the array is contiguous."""
    flat: np.ndarray = np.asarray(array).reshape(-1)
    return flat.view(flat.real.dtype) if np.iscomplexobj(flat) else flat
