"""Solvers of differential equations that take steps of given lengths."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import dataflow.ops.array.shape as array_shape
from dataflow.contrib.integrate.checks import check_types, increasing
from dataflow.control_flow.tensor_array import TensorArray
from dataflow.control_flow.while_loop import while_loop
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.scopes import name_scope
from dataflow.graph.tensor import Tensor
from dataflow.ops.basic.cast import cast
from dataflow.ops.math.rounding import ceil
from dataflow.values import dtypes


def odeint_fixed(
    func: Callable[[Any, Any], Any],
    y0: Any,
    t: Any,
    dt: Any = None,
    method: str = "rk4",
    name: str | None = None,
) -> Tensor:
    """Solves dy/dt = func(y, t) by steps whose lengths do not depend on the error.

    Args:
      func: Gives the slope, of the shape of the state, for a state and a time.
      y0: The state at the first time, floats or complex numbers of any shape.
      t: Increasing times, a vector of floats; float64 unless it is a tensor.
      dt: How long a step may be, a number or one for each interval of `t`; as the intervals if
        None. Steps are made shorter so that intervals have a whole number of them.
      method: "midpoint", of second order, or "rk4", the classical one of Runge and Kutta.
      name: Name of the scope of the operations.

    Returns:
      The states at all times, along a new first axis.

    Raises:
      TypeError: An argument is of a wrong type.
      ValueError: The method is none of the two, or there is not one step for each interval. When
        run, InvalidArgumentError: times do not increase.
    """
    if method not in _STEPS:
        raise ValueError(f"method not supported: {method}")
    with name_scope(name, "odeint_fixed", [y0, t, dt]):
        t = convert_to_tensor(t, preferred_dtype=dtypes.float64, name="t")
        y0 = convert_to_tensor(y0, name="y0")
        intervals = t[1:] - t[:-1]
        dt = convert_to_tensor(
            intervals if dt is None else dt, preferred_dtype=dtypes.float64, name="dt"
        )
        check_types(y0, t=t, dt=dt)
        counts: Any = ceil(intervals / dt)
        if t.shape.rank != 1 or counts.shape.rank != 1:
            raise ValueError("t must be a 1D tensor")
        if not intervals.shape.is_compatible_with(counts.shape):
            raise ValueError("t and dt have incompatible lengths, must be N and N-1")
        steps = intervals / counts
        counts = cast(counts, dtypes.int32)
        step = _STEPS[method]

        def advance(states: Any, y: Any, time: Any, number: Any) -> Any:
            length: Any = steps[number - 1]
            y, time, _ = while_loop(
                lambda y, time, taken: taken < counts[number - 1],
                lambda y, time, taken: (
                    y + cast(step(func, y, time, length), y.dtype),
                    time + length,
                    taken + 1,
                ),
                (y, time, 0),
            )
            return states.write(number, y), y, time, number + 1

        with increasing(t), name_scope(method):
            times: Any = array_shape.size(t)
            states = TensorArray(y0.dtype, times).write(0, y0)
            states, _, _, _ = while_loop(
                lambda states, y, time, number: number < times, advance, (states, y0, t[0], 1)
            )
            found: Tensor = states.stack()
        found.set_shape(t.shape.concatenate(y0.shape))
        return found


def _midpoint(func: Callable[[Any, Any], Any], y: Any, time: Any, length: Any) -> Any:
    by: Any = cast(length, y.dtype)
    return by * func(y + func(y, time) * by / 2, time + length / 2)


def _runge_kutta(func: Callable[[Any, Any], Any], y: Any, time: Any, length: Any) -> Any:
    by: Any = cast(length, y.dtype)
    first = func(y, time)
    second = func(y + by * first / 2, time + length / 2)
    third = func(y + by * second / 2, time + length / 2)
    fourth = func(y + by * third, time + length)
    return (first + 2 * second + 2 * third + fourth) * (by / 6)


_STEPS: Final = {"midpoint": _midpoint, "rk4": _runge_kutta}
