"""A layer in one call: a convolution with its bias, an array that is added, and an activation.

What a shape of images needs is found once and kept, so that a step only calls it. The last two are
done by oneDNN while the sums are in registers; Relu and Relu6 behind an addition, where TensorFlow
keeps NaNs, are not.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, Final, NamedTuple

import numpy as np

from dataflow.kernels.convolution.calls import Calls
from dataflow.kernels.convolution.convolutions import calls_of, threads_now, together_of
from dataflow.kernels.convolution.kept import Kept
from dataflow.kernels.convolution.plans import RESIDUAL, CompiledConvolution, Geometry
from dataflow.kernels.convolution.together import Together
from dataflow.kernels.convolution.whole_axes import folded, is_one_place, lengthwise
from dataflow.kernels.convolution.windows import Window, outputs
from dataflow.kernels.memory import aligned
from dataflow.kernels.onednn import library as onednn
from dataflow.kernels.onednn.addresses import address_of
from dataflow.kernels.onednn.library import CONVOLVE, FLOAT32
from dataflow.kernels.onednn.primitive import plain

Checked = Callable[[Any, Any], tuple[Any, Any, Sequence[Window]]]
"""`f(x, filters)`: images with their channels last, filters with those of a group, and windows.

Raises:
  OpError: They do not fit.
"""
Border = Sequence[tuple[int, int]]
"""For each spatial axis how much lies in front and behind."""
LOSING: Final = frozenset({"Relu", "Relu6"})
"""Activations that make 0 of a NaN in registers."""
_KEPT: Final = 64
"""Shapes of images of which it is known what they need."""


class Layered:
    """A convolution's callable of which layers can be made."""

    __slots__ = ("_run", "checked")

    def __init__(self, run: Callable[..., Any], checked: Checked) -> None:
        self._run = run
        self.checked: Final = checked

    def __call__(self, x: Any, filters: Any) -> Any:
        """The convolution alone."""
        return self._run(x, filters)


class _Ready(NamedTuple):
    """What is known of a shape of images."""

    calls: Calls
    together: Together | None
    """What does them where several threads may."""
    lone: CompiledConvolution | None
    """What does all of them in one call, on one thread, if that is how they are done."""
    with_bias: bool
    result: tuple[int, ...]
    finish: Callable[..., Any] | None
    """What is called with results and `out=`, in the end."""


class Layer:
    """A layer whose convolution and activation are known."""

    def __init__(
        self,
        checked: Checked,
        activation: str,
        finish: Callable[..., Any] | None,
        kept: Kept | None,
        border: Border = (),
        varying: Sequence[int] | None = None,
    ) -> None:
        """Does nothing yet.

        Args:
          checked: Says what images and filters need.
          activation: One of `ACTIVATIONS`; empty for none.
          finish: The same as a function of an array that takes `out=`, or None.
          kept: Keeps the filters in other layouts; None where they may change unseen.
          border: Zeros around the images that the convolution sees as well; none if it is empty.
          varying: Places of the values that are not the same in each step, or not `is_readable`;
            None for all.
        """
        self._checked = checked
        self._activation = activation
        self._finish = finish
        self._kept = kept
        self._border = border
        self._varying = varying
        self._ready: dict[Any, _Ready | None] = {}

    def run(self, values: Sequence[Any]) -> Any:
        """The layer's results.

        Args:
          values: Images, filters, and what is added in turn: a vector, an array like the result, or
            both.

        Returns:
          The results, or None if it cannot compute them.

        Raises:
          OpError: Images and filters do not fit.
        """
        varying = range(len(values)) if self._varying is None else self._varying
        key = (threads_now(), *[values[place].shape for place in varying])
        try:
            ready = self._ready[key]
        except KeyError:
            if len(self._ready) >= _KEPT:
                self._ready.clear()
            ready = self._ready[key] = self._prepare(*values)
        if ready is None:
            return None
        arrays = [*values]
        for place in varying:
            if arrays[place].dtype != FLOAT32:
                return None
            arrays[place] = plain(arrays[place])
        result = aligned.empty(ready.result, FLOAT32)
        own = None
        if ready.lone is not None and self._kept is not None:
            own = self._kept.find(ready.lone, arrays[1])
        if ready.lone is not None and own is not None:
            # Of many layers this is the way, and the rest of it takes as long as they do.
            touched = (arrays[0], result, own, *arrays[2:])
            ready.lone.primitive.run(*map(address_of, touched))
        else:
            count = 2 + ready.with_bias
            added = arrays[count] if len(arrays) > count else None
            if ready.together is None:
                ready.calls.run(arrays[:count], result, None, added, self._kept)
            else:
                ready.together.run(arrays[:count], result, added, self._kept)
        if ready.finish is not None:
            ready.finish(result, out=result)
        return result

    def _bordered(self, x: Any, filters: Any) -> tuple[Any, Any, Sequence[Window]]:
        """As `_checked`, with windows that see the border as padding of their own."""
        batch, *spatial, channels = x.shape
        sizes = [a + n + b for n, (a, b) in zip(spatial, self._border, strict=True)]
        whole = np.broadcast_to(np.zeros((), x.dtype), (batch, *sizes, channels))
        _, own, windows = self._checked(whole, filters)
        moved = [
            replace(w, input=n, before=w.before + a, after=w.after + b)
            for w, n, (a, b) in zip(windows, spatial, self._border, strict=True)
        ]
        return x, own, moved

    def _prepare(self, x: Any, filters: Any, *operands: Any) -> _Ready | None:
        if onednn.find() is None:
            return None
        if self._border:
            if len(self._border) != x.ndim - 2:
                return None
            images, own, windows = self._bordered(x, filters)
        else:
            images, own, windows = self._checked(x, filters)
        width = own.shape[-1]
        places, channels, depth = folded(windows, images.shape[-1], own.shape[-2])
        if places != tuple(windows) and is_one_place(places):
            return None
        whole = Geometry(lengthwise(places), channels, depth, width)
        result = (images.shape[0], *outputs(windows), width)
        if not (x.size and filters.size and math.prod(result)):
            return None
        after: list[str] = []
        has_bias = False
        for place, operand in enumerate(operands):
            is_vector = operand.shape[-1:] == (width,) and operand.size == width
            if is_vector and operand.ndim <= len(result) and not place:
                has_bias = True
            elif operand.shape == result:
                after.append(RESIDUAL)
            else:
                return None
        is_late = bool(after) and self._activation in LOSING
        if self._activation and not is_late:
            after.append(self._activation)
        geometry = replace(whole, with_bias=has_bias, after=tuple(after))
        count = images.shape[0]
        calls = calls_of(CONVOLVE, geometry, count, threads_now())
        if calls is None:
            return None
        together = together_of(CONVOLVE, geometry, count)
        lone = calls.lone if together is None else None
        finish = self._finish if is_late else None
        return _Ready(calls, together, lone, has_bias, result, finish)


def is_readable(value: Any) -> bool:
    """Whether oneDNN can read a value as it is."""
    return isinstance(value, np.ndarray) and value.dtype == FLOAT32 and plain(value) is value
