"""Gradients against differences: the Jacobian of a part of a graph, computed both ways."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from dataflow.differentiation.gradients import gradients
from dataflow.graph import scopes
from dataflow.graph.indexed_slices import IndexedSlices
from dataflow.graph.tensor import Tensor
from dataflow.ops.basic.constant import constant
from dataflow.ops.basic.identity import identity


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
    tensors = x if isinstance(x, list) else [x]
    shapes = x_shape if isinstance(x, list) else [x_shape]
    starts = x_init_value if isinstance(x, list) else [x_init_value]
    derivatives = [_compute_dx_and_dy(each, y, y_shape) for each in tensors]
    if init_targets is not None:
        targets = init_targets if isinstance(init_targets, (list, tuple)) else [init_targets]
        for target in targets:
            scopes.get_default_session().run(target)
    pairs = [
        _compute_gradient(
            each, shape, dx, y, y_shape, dy, start, delta, extra_feed_dict=extra_feed_dict
        )
        for each, shape, (dx, dy), start in zip(
            tensors, shapes, derivatives, starts or [None] * len(tensors), strict=True
        )
    ]
    return pairs if isinstance(x, list) else pairs[0]


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


def _compute_dx_and_dy(x: Any, y: Any, y_shape: Any) -> tuple[Any, Any]:
    """The gradient of `y` for `x`, and the tensor that stands for the gradient of `y`, to feed."""
    with x.graph.as_default():
        fed = constant(1.0, shape=y_shape, dtype=y.dtype)
        # Where dx is dy itself, what is fed could not be fetched.
        (dx,) = gradients(y, x, identity(fed))
    return dx, fed


def _compute_gradient(
    x: Any,
    x_shape: Any,
    dx: Any,
    y: Any,
    y_shape: Any,
    dy: Any,
    x_init_value: Any = None,
    delta: float = 1e-3,
    extra_feed_dict: Mapping[Any, Any] | None = None,
) -> tuple[np.ndarray, np.ndarray]:
    """Both Jacobians, of what `_compute_dx_and_dy` gave."""
    value = _start(x, x_shape, x_init_value)
    return (
        _compute_theoretical_jacobian(x, x_shape, value, dy, y_shape, dx, extra_feed_dict),
        _compute_numeric_jacobian(x, x_shape, value, y, y_shape, delta, extra_feed_dict),
    )


def _start(x: Any, x_shape: Any, value: Any) -> np.ndarray:
    """Where to compute the Jacobian."""
    numpy_type = x.dtype.base_dtype.as_numpy_dtype
    if value is not None:
        return np.array(value, dtype=numpy_type)
    random = np.random.random_sample(x_shape)
    if x.dtype.is_complex:
        random = random + 1j * np.random.random_sample(x_shape)
    return np.asarray(random).astype(numpy_type)


def _compute_theoretical_jacobian(
    x: Any,
    x_shape: Any,
    x_data: Any,
    dy: Any,
    dy_shape: Any,
    dx: Any,
    extra_feed_dict: Mapping[Any, Any] | None = None,
) -> np.ndarray:
    """The Jacobian by gradients, at `x_data`: a column for each element of `dy`."""
    session = scopes.get_default_session()
    seed = np.zeros(dy_shape, dy.dtype.as_numpy_dtype)
    flat_seed = _reals(seed)
    rows = _reals(np.zeros(x_shape, x.dtype.as_numpy_dtype)).size
    jacobian = np.zeros((rows, flat_seed.size), x.dtype.real_dtype.as_numpy_dtype)
    for column in range(flat_seed.size):
        flat_seed[column] = 1
        fed = {**(extra_feed_dict or {}), x: x_data, dy: seed}
        if isinstance(dx, IndexedSlices):
            dense = np.zeros(x_shape, x.dtype.as_numpy_dtype)
            indices, slices = session.run([dx.indices, dx.values], feed_dict=fed)
            np.add.at(dense, indices, slices)
        else:
            assert isinstance(dx, Tensor), f"dx = {dx}"
            dense = session.run(dx, feed_dict=fed)
        jacobian[:, column] = _reals(np.ascontiguousarray(dense))
        flat_seed[column] = 0
    return jacobian


def _compute_numeric_jacobian(
    x: Any,
    x_shape: Any,
    x_data: Any,
    y: Any,
    y_shape: Any,
    delta: float,
    extra_feed_dict: Mapping[Any, Any] | None = None,
) -> np.ndarray:
    """The Jacobian by differences, at `x_data`: a row for each element of `x`."""
    session = scopes.get_default_session()
    value = np.array(x_data, dtype=x.dtype.as_numpy_dtype).reshape(x_shape)
    flat = _reals(value)
    columns = _reals(np.zeros(y_shape, y.dtype.as_numpy_dtype)).size
    jacobian = np.zeros((flat.size, columns), x.dtype.real_dtype.as_numpy_dtype)
    for row in range(flat.size):
        ends = []
        for step in (-delta, delta):
            before = flat[row]
            flat[row] = before + np.asarray(step, flat.dtype)
            # A fed tensor that is fetched as well is the array itself.
            fed = {**(extra_feed_dict or {}), x: value.copy()}
            ends.append(_reals(session.run(y, feed_dict=fed)))
            flat[row] = before
        jacobian[row, :] = (ends[1] - ends[0]) / (2 * delta)
    return jacobian


def _reals(array: Any) -> np.ndarray:
    """The elements in a row, complex ones as pairs; a view where the array is contiguous."""
    flat: np.ndarray = np.asarray(array).reshape(-1)
    return flat.view(flat.real.dtype) if np.iscomplexobj(flat) else flat
