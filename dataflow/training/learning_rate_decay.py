"""Learning rates that change with the global step."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import dataflow.ops.array.select as array_select
import dataflow.ops.basic.cast as cast_ops
import dataflow.ops.math.binary as math_binary
import dataflow.ops.math.compare as math_compare
import dataflow.ops.math.division as math_division
import dataflow.ops.math.power as math_power
import dataflow.ops.math.rounding as math_rounding
import dataflow.ops.math.trig as math_trig
import dataflow.ops.math.unary as math_unary
import dataflow.ops.random.stateful as random_ops
from dataflow.control_flow.case import case
from dataflow.control_flow.cond import cond
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.scopes import name_scope
from dataflow.graph.tensor import Tensor
from dataflow.ops.basic.constant import constant
from dataflow.values import dtypes, nest


def exponential_decay(
    learning_rate: Any,
    global_step: Any,
    decay_steps: Any,
    decay_rate: Any,
    staircase: bool = False,
    name: str | None = None,
) -> Tensor:
    """`learning_rate * decay_rate ** (global_step / decay_steps)`.

    Args:
      learning_rate: Where it starts: a number or scalar float tensor.
      global_step: The step: a number, or scalar tensor or variable.
      decay_steps: After so many steps it has fallen by `decay_rate`.
      decay_rate: By what it falls.
      staircase: Rounds the exponent down.
      name: Name of the operation.

    >>> step = tf.constant(20)
    >>> with tf.Session() as session:
    ...     print(session.run(tf.train.exponential_decay(1.0, step, 10, 0.5)))
    0.25
    """
    with name_scope(name or "ExponentialDecay") as scope:
        start, cast = _start(learning_rate)
        steps, rate, step = cast(decay_steps), cast(decay_rate), cast(global_step)
        exponent = step / steps
        if staircase:
            exponent = math_rounding.floor(exponent)
        result: Tensor = math_binary.multiply(start, math_power.pow(rate, exponent), name=scope)
        return result


def piecewise_constant(x: Any, boundaries: Any, values: Any, name: str | None = None) -> Any:
    """`values[0]` up to `boundaries[0]`, then `values[1]` up to `boundaries[1]`, and so on.

    Args:
      x: A scalar tensor or variable, often the global step.
      boundaries: Increasing numbers or scalar tensors of the dtype of `x`; int32 will do for int64.
      values: One more of numbers or tensors, all of one dtype.
      name: Name of the scope of the operations.

    Raises:
      ValueError: Types or lengths do not fit.
    """
    limits = [convert_to_tensor(limit) for limit in nest.flatten(boundaries)]
    choices: list[Any] = [convert_to_tensor(value) for value in nest.flatten(values)]
    at: Any = convert_to_tensor(x)
    wanted = at.dtype.base_dtype
    for i, limit in enumerate(limits):
        dtype = limit.dtype.base_dtype
        if dtype == wanted:
            continue
        # A comparison in another type could give another answer; this cast loses nothing.
        if dtype != dtypes.int32 or wanted != dtypes.int64:
            raise ValueError(f"Boundaries ({dtype}) must have the same dtype as x ({wanted}).")
        limits[i] = cast_ops.cast(limit, wanted)
    for choice in choices[1:]:
        if choice.dtype.base_dtype != choices[0].dtype.base_dtype:
            raise ValueError(
                "Values must have elements all with the same dtype "
                f"({choices[0].dtype.base_dtype} vs {choice.dtype.base_dtype})."
            )
    if len(limits) != len(choices) - 1:
        raise ValueError("The length of boundaries should be 1 less than the length of values")
    with name_scope(name or "PiecewiseConstant"):
        at = convert_to_tensor(x)
        pairs: list[Any] = [
            (at <= limits[0], lambda: choices[0]),
            (at > limits[-1], lambda: choices[-1]),
        ]
        for low, high, choice in zip(limits[:-1], limits[1:], choices[1:-1], strict=True):
            pairs.append(((at > low) & (at <= high), lambda choice=choice: choice))
        return case(pairs, lambda: choices[0], exclusive=True)


def polynomial_decay(
    learning_rate: Any,
    global_step: Any,
    decay_steps: Any,
    end_learning_rate: Any = 0.0001,
    power: Any = 1.0,
    cycle: bool = False,
    name: str | None = None,
) -> Tensor:
    """`(learning_rate - end) * (1 - step / decay_steps) ** power + end`, `end` at last.

    Args:
      learning_rate: Where it starts: a number or scalar float tensor.
      global_step: The step: a number, or scalar tensor or variable.
      decay_steps: After so many steps it has arrived.
      end_learning_rate: Where it ends.
      power: The power; 1 is a straight line.
      cycle: Starts again after `decay_steps`, each time to take the first multiple of
        `decay_steps` beyond the step.
      name: Name of the operation.
    """
    with name_scope(name or "PolynomialDecay") as scope:
        start, cast = _start(learning_rate)
        end, exponent = cast(end_learning_rate), cast(power)
        step, steps = cast(global_step), cast(decay_steps)
        if cycle:
            periods = array_select.where_v2(
                math_compare.equal(step, 0), 1.0, math_rounding.ceil(step / decay_steps)
            )
            steps = math_binary.multiply(steps, periods)
        else:
            step = math_binary.minimum(step, steps)
        done: Any = math_division.divide(step, steps)
        way = start - end
        left = math_power.pow(1 - done, exponent)
        result: Tensor = math_binary.add(math_binary.multiply(way, left), end, name=scope)
        return result


def natural_exp_decay(
    learning_rate: Any,
    global_step: Any,
    decay_steps: Any,
    decay_rate: Any,
    staircase: bool = False,
    name: str | None = None,
) -> Tensor:
    """`learning_rate * exp(-decay_rate * global_step / decay_steps)`; see `exponential_decay`."""
    rate = math_unary.exp(math_unary.negative(decay_rate))
    return exponential_decay(
        learning_rate, global_step, decay_steps, rate, staircase=staircase, name=name
    )


def inverse_time_decay(
    learning_rate: Any,
    global_step: Any,
    decay_steps: Any,
    decay_rate: Any,
    staircase: bool = False,
    name: str | None = None,
) -> Tensor:
    """`learning_rate / (1 + decay_rate * global_step / decay_steps)`; see `exponential_decay`."""
    with name_scope(name or "InverseTimeDecay") as scope:
        start, cast = _start(learning_rate)
        steps, rate, step = cast(decay_steps), cast(decay_rate), cast(global_step)
        periods = step / steps
        if staircase:
            periods = math_rounding.floor(periods)
        one = cast(constant(1))
        divisor = math_binary.add(one, math_binary.multiply(rate, periods))
        result: Tensor = math_division.divide(start, divisor, name=scope)
        return result


def cosine_decay(
    learning_rate: Any,
    global_step: Any,
    decay_steps: Any,
    alpha: Any = 0.0,
    name: str | None = None,
) -> Tensor:
    """Falls along half a cosine (Loshchilov and Hutter, 2017).

    Args:
      learning_rate: Where it starts: a number or scalar float tensor.
      global_step: The step: a number, or scalar tensor or variable.
      decay_steps: After so many steps it has arrived.
      alpha: Where it ends, as a part of `learning_rate`.
      name: Name of the scope of the operations.
    """
    with name_scope(name or "CosineDecay"):
        start, cast = _start(learning_rate)
        steps, step = cast(decay_steps), cast(global_step)
        step = math_binary.minimum(step, steps)
        fraction = _half_cosine(step / steps)
        result: Tensor = math_binary.multiply(start, (1 - alpha) * fraction + alpha)
        return result


def cosine_decay_restarts(
    learning_rate: Any,
    global_step: Any,
    first_decay_steps: Any,
    t_mul: Any = 2.0,
    m_mul: Any = 1.0,
    alpha: Any = 0.0,
    name: str | None = None,
) -> Tensor:
    """Falls along half a cosine, again and again (Loshchilov and Hutter, 2017).

    Args:
      learning_rate: Where it starts: a number or scalar float tensor.
      global_step: The step: a number, or scalar tensor or variable.
      first_decay_steps: Length of the first period in steps.
      t_mul: By what each period is longer than the one before.
      m_mul: By what each start is higher than the one before.
      alpha: Where each period ends, as a part of `learning_rate`.
      name: Name of the operation.
    """
    with name_scope(name or "SGDRDecay") as scope:
        start, cast = _start(learning_rate)
        first, floor = cast(first_decay_steps), cast(alpha)
        longer, higher, step = cast(t_mul), cast(m_mul), cast(global_step)
        completed = step / first

        def level() -> tuple[Any, Any]:
            whole = math_rounding.floor(completed)
            return whole, completed - whole

        def growing() -> tuple[Any, Any]:
            left: Any = math_unary.log(1.0 - completed * (1.0 - longer))
            whole = math_rounding.floor(left / math_unary.log(longer))
            passed = (1.0 - longer**whole) / (1.0 - longer)
            return whole, (completed - passed) / longer**whole

        restarts, within = cond(math_compare.equal(longer, 1.0), level, growing)
        height = 0.5 * higher**restarts
        angle: Any = constant(math.pi)
        cosine: Any = math_trig.cos(angle * within)
        fraction = height * (1.0 + cosine)
        result: Tensor = math_binary.multiply(start, (1 - floor) * fraction + floor, name=scope)
        return result


def linear_cosine_decay(
    learning_rate: Any,
    global_step: Any,
    decay_steps: Any,
    num_periods: Any = 0.5,
    alpha: Any = 0.0,
    beta: Any = 0.001,
    name: str | None = None,
) -> Tensor:
    """`learning_rate * ((alpha + linear) * cosine + beta)` (Bello et al., 2017).

    Args:
      learning_rate: Where it starts: a number or scalar float tensor.
      global_step: The step: a number, or scalar tensor or variable.
      decay_steps: After so many steps it has arrived.
      num_periods: How many periods the cosine has.
      alpha: Added to the line that falls from 1 to 0.
      beta: What is left at the end.
      name: Name of the operation.
    """
    with name_scope(name or "LinearCosineDecay") as scope:
        start, cast = _start(learning_rate)
        steps, periods, lift, rest = cast(decay_steps), cast(num_periods), cast(alpha), cast(beta)
        step = math_binary.minimum(cast(global_step), steps)
        line = (steps - step) / steps
        completed = step / steps
        fraction = _half_cosine(2.0 * periods * completed)
        result: Tensor = math_binary.multiply(start, (lift + line) * fraction + rest, name=scope)
        return result


def noisy_linear_cosine_decay(
    learning_rate: Any,
    global_step: Any,
    decay_steps: Any,
    initial_variance: Any = 1.0,
    variance_decay: Any = 0.55,
    num_periods: Any = 0.5,
    alpha: Any = 0.0,
    beta: Any = 0.001,
    name: str | None = None,
) -> Tensor:
    """Like `linear_cosine_decay`, with normal noise on the line (Neelakantan et al., 2016).

    Args:
      learning_rate: Where it starts: a number or scalar float tensor.
      global_step: The step: a number, or scalar tensor or variable.
      decay_steps: After so many steps it has arrived.
      initial_variance: Variance of the noise at first.
      variance_decay: The variance is divided by `(1 + global_step) ** variance_decay`.
      num_periods: How many periods the cosine has.
      alpha: Added to the line that falls from 1 to 0.
      beta: What is left at the end.
      name: Name of the operation.
    """
    with name_scope(name or "NoisyLinearCosineDecay") as scope:
        start, cast = _start(learning_rate)
        steps, first, decay = cast(decay_steps), cast(initial_variance), cast(variance_decay)
        periods, lift, rest = cast(num_periods), cast(alpha), cast(beta)
        step: Any = math_binary.minimum(cast(global_step), steps)
        line = (steps - step) / steps
        variance = first / math_power.pow(1.0 + step, decay)
        noise: Any = random_ops.random_normal(line.shape, stddev=math_unary.sqrt(variance))
        noisy = line + noise
        completed = step / steps
        fraction = _half_cosine(2.0 * periods * completed)
        result: Tensor = math_binary.multiply(start, (lift + noisy) * fraction + rest, name=scope)
        return result


def _start(learning_rate: Any) -> tuple[Any, Callable[[Any], Any]]:
    """The rate to start with, and what gives everything else its type."""
    start = convert_to_tensor(learning_rate, name="initial_learning_rate")
    return start, lambda value: cast_ops.cast(value, start.dtype)


def _half_cosine(fraction: Any) -> Any:
    """1 at 0, 0 at 1."""
    angle: Any = constant(math.pi)
    cosine: Any = math_trig.cos(angle * fraction)
    return 0.5 * (1.0 + cosine)
