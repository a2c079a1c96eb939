"""tf.contrib.integrate against SciPy, known solutions, and the order of each method."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
import pytest
import scipy.integrate

import dataflow as tf
from tests.conftest import SessionFactory

odeint, odeint_fixed = tf.contrib.integrate.odeint, tf.contrib.integrate.odeint_fixed
TIMES = np.array([0.0, 0.3, 1.0, 4.5, 10.0])


def lorenz(y: Any, t: Any) -> Any:
    return [10 * (y[1] - y[0]), y[0] * (28 - y[2]) - y[1], y[0] * y[1] - 8 / 3 * y[2]]


def test_steps_by_the_error(session_factory: SessionFactory) -> None:
    times = np.linspace(0, 2, 11)
    start = np.array([1.0, 2.0, 3.0])
    found, told = odeint(lambda y, t: tf.stack(lorenz(y, t)), start, times, full_output=True)
    assert found.shape.as_list() == [11, 3]
    values, told = session_factory().run([found, told])
    expected = scipy.integrate.solve_ivp(
        lambda t, y: lorenz(y, t), (0, 2), start, "DOP853", times, rtol=1e-12, atol=1e-12
    )
    np.testing.assert_allclose(values, expected.y.T, rtol=2e-4)
    points, ratios = told["integrate_points"], told["error_ratio"]
    assert told["num_func_evals"] == 6 * len(points) + 1
    # A step that was not accepted begins again where it began, and is shorter.
    starts = np.concatenate([[0.0], np.where(ratios <= 1, points, np.nan)[:-1]])
    lengths = points - np.where(np.isnan(starts), np.nan, starts)
    again = np.flatnonzero(ratios > 1)
    assert len(again) and (points[again + 1] < points[again]).all()
    assert np.nanmin(lengths) > 0 and points[-1] >= 2


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.complex64, np.complex128])
def test_exponentials(dtype: Any) -> None:
    rate = dtype(-0.5 + 1j) if np.iscomplexobj(dtype(0)) else dtype(-0.5)
    start = np.array([[1, 2]], dtype)
    with tf.Session() as session:
        for found in (
            odeint(lambda y, t: rate * y, start, TIMES),
            odeint_fixed(lambda y, t: rate * y, start, TIMES, 0.05),
        ):
            values = session.run(found)
            assert values.dtype == dtype and values.shape == (5, 1, 2)
            expected = start * np.exp(rate * TIMES.astype(dtype))[:, None, None]
            np.testing.assert_allclose(values, expected, rtol=2e-5, atol=1e-6)


@pytest.mark.parametrize(("method", "order"), [("midpoint", 2), ("rk4", 4)])
def test_orders_of_fixed_steps(method: str, order: int) -> None:
    def slope(y: Any, t: Any) -> Any:
        return y * tf.cos(t)

    expected = np.exp(np.sin(TIMES))
    with tf.Session() as session:
        errors = [
            np.abs(session.run(odeint_fixed(slope, 1.0 + 0 * y, TIMES, dt, method)) - expected)
            for dt in (0.1, 0.05)
            for y in (np.float64(0),)
        ]
        # Each interval has a whole number of steps, as many as it needs.
        exact = session.run(odeint_fixed(slope, np.float64(1), TIMES, [0.3, 0.7, 3.5, 5.5], method))
        alike = session.run(odeint_fixed(slope, np.float64(1), TIMES, None, method))
    ratio = errors[0][2:].max() / errors[1][2:].max()
    assert 2 ** (order - 0.4) < ratio < 2 ** (order + 0.6)
    np.testing.assert_array_equal(exact, alike)


def test_gradients_of_the_solution() -> None:
    rate = tf.constant(0.3, tf.float64)
    with tf.Session() as session:
        for solve in (functools.partial(odeint, rtol=1e-10), odeint_fixed):
            end = solve(lambda y, t: rate * y * t, np.float64(2), np.linspace(0, 1.5, 30))[-1]
            # y = 2 exp(rate t t / 2)
            value, slope = session.run([end, tf.gradients(end, rate)[0]])
            np.testing.assert_allclose(value, 2 * np.exp(0.3 * 1.125), rtol=1e-6)
            np.testing.assert_allclose(slope, 1.125 * value, rtol=1e-5)


def test_wrong_arguments() -> None:
    def slope(y: Any, t: Any) -> Any:
        return y

    for solve in (odeint, odeint_fixed):
        with pytest.raises(TypeError, match="`y0` must have a floating point"):
            solve(slope, 1, TIMES)
        with pytest.raises(TypeError, match="`t` must have a floating point"):
            solve(slope, 1.0, tf.constant([1, 2]))
        with tf.Session() as session, pytest.raises(tf.errors.InvalidArgumentError) as caught:
            session.run(solve(slope, 1.0, [0.0, 2.0, 1.0]))
        assert "monotonic increasing" in caught.value.message
    with pytest.raises(ValueError, match="invalid method: 'rk4'"):
        odeint(slope, 1.0, TIMES, method="rk4")
    with pytest.raises(ValueError, match="without specifying `method`"):
        odeint(slope, 1.0, TIMES, options={"safety": 0.5})
    with pytest.raises(ValueError, match="method not supported: dopri5"):
        odeint_fixed(slope, 1.0, TIMES, method="dopri5")
    with pytest.raises(ValueError, match="incompatible lengths"):
        odeint_fixed(slope, 1.0, [0.0, 1.0], [0.1, 0.2])


@pytest.mark.parametrize(
    ("start", "options", "text"),
    [
        (1.0, {}, "underflow in dt"),
        (0.3, {"max_num_steps": 3}, "max_num_steps exceeded"),
        (np.inf, {}, "non-finite values in state `y`"),
    ],
)
def test_what_has_no_solution_is_told(start: float, options: Any, text: str) -> None:
    """From 1 on it is infinite at 1."""
    end = odeint(lambda y, t: y * y, start, [0.0, 2.0], method="dopri5", options=options)
    with tf.Session() as session, pytest.raises(tf.errors.InvalidArgumentError) as caught:
        session.run(end)
    assert text in caught.value.message


def test_options_bound_the_steps() -> None:
    def ends(**options: float) -> Any:
        _, told = odeint(
            lambda y, t: -y, np.float64(1), [0.0, 2.0], 1e-8, 0.0, "dopri5", options, True
        )
        with tf.Session() as session:
            return session.run([told["integrate_points"], told["error_ratio"]])

    points, ratios = ends(first_step=1e-3, ifactor=1.5)
    assert points[0] == 1e-3 and (ratios < 1).all()
    np.testing.assert_allclose(points[1:4], 1e-3 * np.cumsum(1.5 ** np.arange(4))[1:])
    points, ratios = ends(first_step=50.0, dfactor=0.25)
    assert ratios[0] > 1
    np.testing.assert_allclose(points[1], 12.5)
    # The next step would have an error of safety ** 5 of what is allowed, by its order.
    points, ratios = ends(first_step=0.05, safety=0.8)
    assert ratios[0] < 1
    lengths = np.diff(points, prepend=0.0)
    np.testing.assert_allclose(lengths[1] / lengths[0], 0.8 * ratios[0] ** -0.2)
