"""The solver of differential equations that chooses its steps by the error of each.

Dormand and Prince's pair of orders 5 and 4, with Shampine's value in the middle of a step: Some
practical Runge-Kutta formulas, Mathematics of Computation 46 (173), 1986, section 4.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, NamedTuple

import dataflow.ops.array.shape as array_shape
import dataflow.ops.math.unary as math_unary
from dataflow.contrib.integrate.checks import check_types, increasing
from dataflow.control_flow.assertion import Assert
from dataflow.control_flow.cond import cond
from dataflow.control_flow.tensor_array import TensorArray
from dataflow.control_flow.while_loop import while_loop
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.scopes import control_dependencies, name_scope
from dataflow.ops.basic.cast import cast
from dataflow.ops.math.binary import maximum, minimum
from dataflow.ops.math.compare import logical_and
from dataflow.ops.math.rounding import is_finite
from dataflow.ops.reductions.reduce import reduce_all, reduce_mean
from dataflow.ops.reductions.sum import add_n
from dataflow.values import dtypes

_STAGES: Final = (
    (1 / 5, (1 / 5,)),
    (3 / 10, (3 / 40, 9 / 40)),
    (4 / 5, (44 / 45, -56 / 15, 32 / 9)),
    (8 / 9, (19372 / 6561, -25360 / 2187, 64448 / 6561, -212 / 729)),
    (1.0, (9017 / 3168, -355 / 33, 46732 / 5247, 49 / 176, -5103 / 18656)),
    (1.0, (35 / 384, 0.0, 500 / 1113, 125 / 192, -2187 / 6784, 11 / 84)),
)
"""When each slope is taken, in parts of the step, and the weights of those before it."""
_FOURTH: Final = (1951 / 21600, 0.0, 22642 / 50085, 451 / 720, -12231 / 42400, 649 / 6300, 1 / 60)
"""The weights of the solution of order 4."""
_MIDDLE: Final = (
    6025192743 / 60171106304,
    0.0,
    51252292925 / 130801643196,
    -2691868925 / 90256659456,
    187940372067 / 3189068634112,
    -1776094331 / 39487288512,
    11237099 / 470086768,
)
"""The weights of the state in the middle of the step."""
_ORDER: Final = 5


class _Limits(NamedTuple):
    """What decides how long steps are."""

    rtol: Any
    atol: Any
    safety: Any
    ifactor: Any
    dfactor: Any
    max_num_steps: Any


class _Solved(NamedTuple):
    """How far the equation is solved."""

    y: Any
    slope: Any
    start: Any
    """Where the last step began,"""
    end: Any
    """and ended."""
    step: Any
    """How long the next one is to be."""
    polynomial: Any
    """The state in the last step, from 0 to 1: coefficients, the highest power first."""


def odeint(
    func: Callable[[Any, Any], Any],
    y0: Any,
    t: Any,
    rtol: Any = 1e-6,
    atol: Any = 1e-12,
    method: str | None = None,
    options: Mapping[str, Any] | None = None,
    full_output: bool = False,
    name: str | None = None,
) -> Any:
    """Solves dy/dt = func(y, t), for equations that are not stiff.

    Args:
      func: Gives the slope, of the shape of the state, for a state and a time.
      y0: The state at the first time, floats or complex numbers of any shape.
      t: Increasing times, a vector of floats; float64 unless it is a tensor.
      rtol: How large the error of a step may be for each number of the state, in parts of it,
      atol: and how large beside that.
      method: "dopri5" or None.
      options: With a method: `first_step` (1.0), `safety` (0.9), `ifactor` (10.0) and `dfactor`
        (0.2), by which a step is at most made longer and shorter, and `max_num_steps` between two
        times (1,000).
      full_output: Whether a dictionary comes with the states: `num_func_evals`,
        `integrate_points`, the ends of all steps that were tried, and their `error_ratio`, above 1
        where a step was tried again.
      name: Name of the scope of the operations.

    Returns:
      The states at all times, along a new first axis.

    Raises:
      TypeError: An argument is of a wrong type.
      ValueError: There is no such method, or there are options without a method. When run,
        InvalidArgumentError: times do not increase, the state is not finite any more, or the steps
        became too short or too many.
    """
    if method not in (None, "dopri5"):
        raise ValueError(f"invalid method: {method!r}")
    if options is not None and method is None:
        raise ValueError("cannot supply `options` without specifying `method`")
    with name_scope(name, "odeint", [y0, t, rtol, atol]) as scope:
        y0 = convert_to_tensor(y0, name="y0")
        t = convert_to_tensor(t, preferred_dtype=dtypes.float64, name="t")
        check_types(y0, t=t)
        errors = y0.dtype.real_dtype
        rtol = convert_to_tensor(rtol, dtype=errors, name="rtol")
        atol = convert_to_tensor(atol, dtype=errors, name="atol")
        with name_scope("dopri5"):
            return _solved(func, y0, t, rtol, atol, full_output, scope, **(options or {}))


def _solved(
    func: Callable[[Any, Any], Any],
    y0: Any,
    t: Any,
    rtol: Any,
    atol: Any,
    full_output: bool,
    scope: str,
    first_step: Any = None,
    safety: Any = 0.9,
    ifactor: Any = 10.0,
    dfactor: Any = 0.2,
    max_num_steps: Any = 1000,
) -> Any:
    def number(value: Any, name: str) -> Any:
        return convert_to_tensor(value, dtype=t.dtype, name=name)

    limits = _Limits(
        rtol,
        atol,
        number(safety, "safety"),
        number(ifactor, "ifactor"),
        number(dfactor, "dfactor"),
        convert_to_tensor(max_num_steps, dtype=dtypes.int32, name="max_num_steps"),
    )
    step = number(1.0 if first_step is None else first_step, "first_step")

    def advance(solved: _Solved, ends: Any, ratios: Any, taken: Any) -> Any:
        solved, end, ratio = _advanced(func, solved, limits, taken)
        return solved, ends.write(ends.size(), end), ratios.write(ratios.size(), ratio), taken + 1

    def reach(states: Any, solved: _Solved, ends: Any, ratios: Any, place: Any) -> Any:
        solved, ends, ratios, _ = while_loop(
            lambda solved, ends, ratios, taken: t[place] > solved.end,
            advance,
            (solved, ends, ratios, 0),
            name="integrate_loop",
        )
        return states.write(place, _between(solved, t[place])), solved, ends, ratios, place + 1

    with increasing(t):
        times: Any = array_shape.size(t)
    states = TensorArray(y0.dtype, size=times).write(0, y0)
    ends = TensorArray(t.dtype, size=0, dynamic_size=True)
    ratios = TensorArray(rtol.dtype, size=0, dynamic_size=True)
    solved = _Solved(y0, func(y0, t[0]), t[0], t[0], step, [y0] * 5)
    states, _, ends, ratios, _ = while_loop(
        lambda states, solved, ends, ratios, place: place < times,
        reach,
        (states, solved, ends, ratios, 1),
        name="interpolate_loop",
    )
    found: Any = states.stack(name=scope)
    found.set_shape(t.shape.concatenate(y0.shape))
    if not full_output:
        return found
    points = ends.stack()
    evaluations: Any = array_shape.size(points)
    return found, {
        "num_func_evals": len(_STAGES) * evaluations + 1,
        "integrate_points": points,
        "error_ratio": ratios.stack(),
    }


def _advanced(
    func: Callable[[Any, Any], Any], solved: _Solved, limits: _Limits, taken: Any
) -> tuple[_Solved, Any, Any]:
    """Tries a step; also gives its end and its error in parts of what is allowed."""
    y, slope, _, start, step, polynomial = solved
    end = start + step
    with name_scope("assertions"):
        size: Any = math_unary.abs(y)
        checks = [
            Assert(end > start, ["underflow in dt", step]),
            Assert(taken < limits.max_num_steps, ["max_num_steps exceeded"]),
            Assert(reduce_all(is_finite(size)), ["non-finite values in state `y`", y]),
        ]
    with control_dependencies(checks), name_scope("runge_kutta_step"):
        by: Any = cast(step, y.dtype)
        slopes = [slope]
        for when, weights in _STAGES:
            # The last state is the result: its weights are those of order 5.
            reached = y + _weighted(by, weights, slopes)
            slopes.append(func(reached, start + when * step))
        fifth = (*_STAGES[-1][1], 0.0)
        apart = [b - a for a, b in zip(fifth, _FOURTH, strict=True)]
        error: Any = math_unary.abs(_weighted(by, apart, slopes))
    with name_scope("error_ratio"):
        allowed = limits.atol + limits.rtol * maximum(size, math_unary.abs(reached))
        ratio: Any = math_unary.sqrt(reduce_mean(math_unary.square(error / allowed)))
    with name_scope("update"):
        y, slope, reached_end, polynomial = cond(
            ratio <= 1,
            lambda: [reached, slopes[-1], end, _fitted(y, reached, slopes, by)],
            lambda: [y, slope, start, polynomial],
        )
        # The error stays in the numerator, as it may be 0.
        change = cast(ratio, step.dtype) ** (1 / _ORDER) / limits.safety
        change = maximum(1 / limits.ifactor, minimum(change, 1 / limits.dfactor))
    return _Solved(y, slope, start, reached_end, step / change, polynomial), end, ratio


def _weighted(step: Any, weights: Sequence[float], slopes: Sequence[Any]) -> Any:
    pairs = zip(weights, slopes, strict=True)
    return add_n([(step * weight) * slope for weight, slope in pairs if weight])


def _fitted(y0: Any, y1: Any, slopes: Sequence[Any], step: Any) -> list[Any]:
    """The polynomial with the states and slopes at both ends, and the state in the middle."""
    middle = y0 + _weighted(step, _MIDDLE, slopes)
    first, last = step * slopes[0], step * slopes[-1]
    return [
        2 * (last - first) - 8 * (y0 + y1) + 16 * middle,
        5 * first - 3 * last + 18 * y0 + 14 * y1 - 32 * middle,
        last - 4 * first - 11 * y0 - 5 * y1 + 16 * middle,
        first,
        y0,
    ]


def _between(solved: _Solved, time: Any) -> Any:
    with name_scope("interpolate"):
        inside = logical_and(solved.start <= time, time <= solved.end)
        text = "invalid interpolation, fails `t0 <= t <= t1`:"
        with control_dependencies([Assert(inside, [text, solved.start, time, solved.end])]):
            place: Any = (time - solved.start) / (solved.end - solved.start)
        place = cast(place, solved.y.dtype)
        found = solved.polynomial[0]
        for coefficient in solved.polynomial[1:]:
            found = found * place + coefficient
        return found
