"""Monotonic attention: what is attended to never moves back (Raffel et al., 2017)."""

from __future__ import annotations

from typing import Any

import numpy as np

from dataflow.contrib.seq2seq.training_inputs import steps_of
from dataflow.control_flow.tensor_array import TensorArray
from dataflow.control_flow.while_loop import while_loop
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.scopes import name_scope
from dataflow.graph.tensor import Tensor
from dataflow.library.clipping import clip_by_value
from dataflow.ops.array.concat import concat
from dataflow.ops.array.fill import ones_like, zeros_like
from dataflow.ops.array.shape import shape
from dataflow.ops.array.transpose import transpose
from dataflow.ops.basic.cast import cast
from dataflow.ops.basic.constant import constant
from dataflow.ops.math.sigmoid import sigmoid
from dataflow.ops.math.unary import exp, log
from dataflow.ops.random.stateful import random_normal
from dataflow.ops.reductions.scan import cumprod, cumsum


def safe_cumprod(x: Any, *args: Any, **kwargs: Any) -> Any:
    """Products of what came before, by sums of logarithms, which do not underflow to NaN slopes.

    Args:
      x: Floats from 0 to 1.
      *args: What `tf.cumsum` takes behind its tensor.
      **kwargs: The same.

    Returns:
      A tensor of the shape of `x`.
    """
    with name_scope(None, "SafeCumprod", [x]):
        x = convert_to_tensor(x, name="x")
        tiny = float(np.finfo(x.dtype.as_numpy_dtype).tiny)
        return exp(cumsum(log(clip_by_value(x, tiny, 1)), *args, **kwargs))


def monotonic_attention(p_choose_i: Any, previous_attention: Any, mode: str) -> Any:
    """Probability that each place is attended to, which is not before the place of the last step.

    Starting where the last step was, places are looked at in their order, and place `i` is taken
    with probability `p_choose_i`.

    Args:
      p_choose_i: Floats from 0 to 1, [batch, places].
      previous_attention: Probabilities of the last step, [batch, places].
      mode: "recursive" computes them place by place; "parallel" all at once, which is inexact
        where probabilities are near 0 or 1; "hard" needs probabilities that are 0 or 1.

    Returns:
      Floats [batch, places], whose sum may be less than 1: perhaps no place is taken.

    Raises:
      ValueError: `mode` is no mode.
    """
    p_choose_i = convert_to_tensor(p_choose_i, name="p_choose_i")
    previous_attention = convert_to_tensor(previous_attention, name="previous_attention")
    if mode == "recursive":
        return _place_by_place(p_choose_i, previous_attention)
    if mode == "parallel":
        passed = safe_cumprod(1 - p_choose_i, axis=1, exclusive=True)
        # Where nothing is passed on, nothing is divided by it, either.
        arrived = cumsum(previous_attention / clip_by_value(passed, 1e-10, 1.0), axis=1)
        return p_choose_i * passed * arrived
    if mode == "hard":
        reached = p_choose_i * cumsum(previous_attention, axis=1)
        return reached * cumprod(1 - reached, axis=1, exclusive=True)
    raise ValueError("mode must be 'recursive', 'parallel', or 'hard'.")


def _place_by_place(p_choose_i: Tensor, previous_attention: Tensor) -> Any:
    """What arrives at a place: what the last step left there, and what the place before passed."""
    passes = transpose(concat([ones_like(p_choose_i[:, :1]), 1 - p_choose_i[:, :-1]], 1), [1, 0])
    before = transpose(previous_attention, [1, 0])
    count = shape(passes)[0]
    probabilities, left = steps_of(passes), steps_of(before)
    arrived = TensorArray(passes.dtype, size=count, element_shape=passes.shape[1:])

    def place(index: Any, last: Any, arrived: Any) -> Any:
        new = probabilities.read(index) * last + left.read(index)
        return index + 1, new, arrived.write(index, new)

    _, _, arrived = while_loop(
        lambda index, *_: index < count,
        place,
        (constant(0), zeros_like(p_choose_i[:, 0]), arrived),
    )
    attention = p_choose_i * transpose(arrived.stack(), [1, 0])
    attention.set_shape(p_choose_i.shape)
    return attention


def choosing(
    score: Tensor, previous_alignments: Tensor, sigmoid_noise: Any, mode: str, seed: int | None
) -> Any:
    """`monotonic_attention` whose probabilities are sigmoids of scores.

    Args:
      score: Floats [batch, places].
      previous_alignments: Probabilities of the last step.
      sigmoid_noise: Size of the noise that is added to scores.
      mode: See `monotonic_attention`; with "hard", a score above 0 is the probability 1.
      seed: Of the noise.
    """
    if sigmoid_noise > 0:
        noise = random_normal(shape(score), dtype=score.dtype, seed=seed)
        score += sigmoid_noise * noise
    p_choose_i = cast(score > 0, score.dtype) if mode == "hard" else sigmoid(score)
    return monotonic_attention(p_choose_i, previous_alignments, mode)
