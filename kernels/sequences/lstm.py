"""Steps of an LSTM, forward and back; arrays of either library."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from dataflow.kernels.elementwise.quick import quick


@dataclass(frozen=True, slots=True)
class Weights:
    """What all steps share: the kernel, the peepholes of three gates (or None) and the bias."""

    w: Any
    peepholes: tuple[Any, Any, Any] | None
    b: Any
    forget_first: bool
    """Whether columns are input gate, forget gate, new values, and not the last two swapped."""

    @property
    def units(self) -> int:
        """Size of the memory."""
        return self.w.shape[1] // 4  # type: ignore[no-any-return]

    def parted(self, sums: Any) -> tuple[Any, Any, Any, Any]:
        """Input gate, new values, forget gate and output gate of sums."""
        parts = [sums[:, n * self.units : (n + 1) * self.units] for n in range(4)]
        if self.forget_first:
            parts[1], parts[2] = parts[2], parts[1]
        return parts[0], parts[1], parts[2], parts[3]

    def joined(self, xp: Any, admit: Any, new: Any, forget: Any, show: Any) -> Any:
        """The reverse of `parted`."""
        middle = (forget, new) if self.forget_first else (new, forget)
        return xp.concatenate([admit, *middle, show], 1)


def sigmoid(xp: Any, x: Any) -> Any:
    """The logistic function."""
    with np.errstate(over="ignore"):
        return 1 / (1 + quick(xp).exp(-x))


def forward(
    xp: Any, sums: Any, c: Any, weights: Weights, forget_bias: float, clip: float
) -> tuple[Any, ...]:
    """Input gate, memory, forget gate, output gate, new values, tanh of the memory, output.

    Args:
      xp: The array library.
      sums: Inputs and last output by their weights, and the bias.
      c: The memory before the step.
      weights: What all steps share.
      forget_bias: What is added to the sums of the forget gate.
      clip: The memory stays between this and its negative, if it is positive.
    """
    admit, new, forget, show = weights.parted(sums)
    forget = forget + forget.dtype.type(forget_bias)
    if weights.peepholes is not None:
        admit, forget = admit + weights.peepholes[0] * c, forget + weights.peepholes[1] * c
    i, f, ci = sigmoid(xp, admit), sigmoid(xp, forget), quick(xp).tanh(new)
    cs = ci * i + c * f
    if clip > 0:
        cs = xp.clip(cs, cs.dtype.type(-clip), cs.dtype.type(clip))
    if weights.peepholes is not None:
        show = show + weights.peepholes[2] * cs
    o, co = sigmoid(xp, show), quick(xp).tanh(cs)
    return i, cs, f, o, ci, co, co * o


def backward(
    xp: Any, c: Any, parts: Sequence[Any], cs_grad: Any, h_grad: Any, weights: Weights
) -> tuple[Any, Any, tuple[Any, Any, Any] | None]:
    """Gradients with respect to the memory before the step, to the sums, and to the peepholes.

    Args:
      xp: The array library.
      c: The memory before the step.
      parts: The first six results of the step.
      cs_grad: Gradient of the memory behind it.
      h_grad: Gradient of the output.
      weights: What all steps share.
    """
    i, cs, f, o, ci, co = parts
    show = o * (1 - o) * h_grad * co
    memory = (1 - co * co) * h_grad * o + cs_grad
    if weights.peepholes is not None:
        memory = memory + show * weights.peepholes[2]
    new = (1 - ci * ci) * memory * i
    forget = f * (1 - f) * memory * c
    admit = i * (1 - i) * memory * ci
    before = memory * f
    peephole_grads = None
    if weights.peepholes is not None:
        before = before + admit * weights.peepholes[0] + forget * weights.peepholes[1]
        peephole_grads = ((admit * c).sum(0), (forget * c).sum(0), (show * cs).sum(0))
    return before, weights.joined(xp, admit, new, forget, show), peephole_grads
