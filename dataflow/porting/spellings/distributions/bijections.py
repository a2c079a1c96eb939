"""tensorflow.python.ops.distributions.bijector_test_util: whether a bijector is what it says."""

from __future__ import annotations

from typing import Any

import numpy as np

from dataflow.graph import scopes
from dataflow.ops.math.unary import exp
from dataflow.ops.random.stateful import random_uniform
from dataflow.ops.reductions.reduce import reduce_mean


def assert_finite(array: Any) -> None:
    """All elements are finite."""
    if not np.isfinite(array).all():
        raise AssertionError(f"array was not all finite. {np.ravel(array)[:15]}")


def assert_strictly_increasing(array: Any) -> None:
    """Each element is greater than the one before."""
    np.testing.assert_array_less(0.0, np.diff(array))


def assert_strictly_decreasing(array: Any) -> None:
    """Each element is less than the one before."""
    np.testing.assert_array_less(np.diff(array), 0.0)


def assert_strictly_monotonic(array: Any) -> None:
    """The elements go up, or they go down."""
    if array[0] < array[-1]:
        assert_strictly_increasing(array)
    else:
        assert_strictly_decreasing(array)


def assert_scalar_congruency(
    bijector: Any,
    lower_x: Any,
    upper_x: Any,
    n: int = 10_000,
    rtol: float = 0.01,
    sess: Any = None,
) -> None:
    """A bijector of scalars goes forth and back, one way, and by the measure that it says.

    Args:
      bijector: The bijector.
      lower_x: Where the interval begins on which that is looked at,
      upper_x: and where it ends.
      n: How many numbers are drawn.
      rtol: How close the interval's length must come out.
      sess: The session; the default one if None.
    """
    session = sess or scopes.get_default_session()
    points = np.linspace(lower_x, upper_x, num=10).astype(np.float32)
    if bijector.dtype is not None:
        points = points.astype(bijector.dtype.as_numpy_dtype)
    ends = session.run([bijector.forward(lower_x), bijector.forward(upper_x)])
    lower_y, upper_y = sorted(ends)
    xs = random_uniform([n], lower_x, upper_x, seed=0)
    ys = random_uniform([n], lower_y, upper_y, seed=1)
    back = bijector.inverse(ys)
    inward = exp(bijector.inverse_log_det_jacobian(ys, event_ndims=0))
    outward = exp(bijector.forward_log_det_jacobian(back, event_ndims=0))
    length: Any = reduce_mean(inward)
    images, x, y, x_again, y_again, inward, outward, length = session.run(
        [
            bijector.forward(points),
            xs,
            ys,
            bijector.inverse(bijector.forward(xs)),
            bijector.forward(back),
            inward,
            outward,
            length * (upper_y - lower_y),
        ]
    )
    assert_strictly_monotonic(images)
    for actual, expected in ((x_again, x), (y_again, y), (inward, np.divide(1.0, outward))):
        np.testing.assert_allclose(actual, expected, atol=1e-5, rtol=1e-3)
    np.testing.assert_allclose(upper_x - lower_x, length, atol=0, rtol=rtol)


def assert_bijective_and_finite(
    bijector: Any,
    x: Any,
    y: Any,
    event_ndims: int,
    atol: float = 0,
    rtol: float = 1e-5,
    sess: Any = None,
) -> None:
    """Values go forth and back, and all that is said of them is finite.

    Args:
      bijector: The bijector.
      x: Values of its domain.
      y: Values of its range.
      event_ndims: How many dimensions an event has.
      atol: How close values must come back, absolutely,
      rtol: and relatively.
      sess: The session; the default one if None.
    """
    session = sess or scopes.get_default_session()
    forward, inverse = bijector.forward(x), bijector.inverse(y)
    found = session.run(
        [
            forward,
            inverse,
            bijector.inverse(forward),
            bijector.forward(inverse),
            bijector.inverse_log_det_jacobian(forward, event_ndims=event_ndims),
            bijector.forward_log_det_jacobian(x, event_ndims=event_ndims),
            bijector.inverse_log_det_jacobian(y, event_ndims=event_ndims),
            bijector.forward_log_det_jacobian(inverse, event_ndims=event_ndims),
        ]
    )
    for each in (x, y, *found):
        assert_finite(each)
    _, _, x_again, y_again, inward_x, outward_x, inward_y, outward_y = found
    pairs = ((x_again, x), (y_again, y), (-inward_x, outward_x), (-inward_y, outward_y))
    for actual, expected in pairs:
        np.testing.assert_allclose(actual, expected, atol=atol, rtol=rtol)
