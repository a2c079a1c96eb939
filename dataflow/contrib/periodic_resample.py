"""tf.contrib.periodic_resample: pixels that change their axis, as in sub-pixel convolutions (Shi et
al., Real-Time Single Image and Video Super-Resolution, 2016)."""

from __future__ import annotations

from math import prod as _prod
from typing import Any as _Any

from dataflow.graph.convert import convert_to_tensor as _convert_to_tensor
from dataflow.graph.scopes import name_scope as _name_scope
from dataflow.graph.tensor import Tensor as _Tensor
from dataflow.ops.array.concat import stack as _stack
from dataflow.ops.array.gather import gather as _gather
from dataflow.ops.array.shape import reshape as _reshape
from dataflow.ops.array.shape import shape as _shape
from dataflow.ops.basic.range import range as _range
from dataflow.ops.reductions.reduce import reduce_prod as _reduce_prod
from dataflow.values.shapes import TensorShape as _TensorShape


def periodic_resample(values: _Any, shape: _Any, name: str | None = None) -> _Tensor:
    """A tensor whose axes are as long as is said: they get what one of them has.

    Place s of the result has what stands at h of `values`. Where the axis i grows to g[i] times its
    length, rounded up, h[i] is s[i] // g[i]; on the axis that is free h is
    s + length * sum_i(G[i] * (s[i] mod g[i])), where G[i] is the product of all g before.

    Args:
      values: A tensor of rank n.
      shape: n lengths, one of which is None or -1.
      name: The name scope.

    Returns:
      A tensor with this shape; its free axis is as long as the values suffice for. There is a
      gradient.

    Raises:
      ValueError: There is not one free length, there are not as many as axes, or an axis is to
        become shorter.
    """
    with _name_scope(name, "PeriodicResample", [values]):
        values = _convert_to_tensor(values, name="values")
        lengths = [-1 if each is None else each for each in _TensorShape(shape).as_list()]
        if lengths.count(-1) != 1:
            raise ValueError(
                f"shape must have exactly one dimension that is unknown; got {lengths}."
            )
        values.shape.assert_has_rank(len(lengths))
        before = values.shape.as_list()
        free = lengths.index(-1)
        for had, gets in zip(before, lengths, strict=True):
            if had is not None and gets != -1 and gets < had:
                raise ValueError(f"Dimensions must not shrink from {before} to {lengths}.")
        old = [
            size if size is not None else _shape(values)[axis] for axis, size in enumerate(before)
        ]
        fixed = _prod(length for length in lengths if length != -1)
        total: _Any = _prod(old) if None not in before else _reduce_prod(_shape(values))
        new = [total // fixed if length == -1 else length for length in lengths]
        rest: _Any = _range(new[free] * fixed)
        places: list[_Any] = []
        for length in reversed(new):
            places.insert(0, rest % length)
            rest = rest // length
        sources: list[_Any] = list(places)
        turns: _Any = 1
        along = places[free]
        for axis, (place, length) in enumerate(zip(places, new, strict=True)):
            if axis != free:
                factor = -(-length // old[axis])
                sources[axis] = place // factor
                along += new[free] * turns * (place % factor)
                turns *= factor
        sources[free] = along
        at: _Any = 0
        for source, length in zip(sources, old, strict=True):
            at = at * length + source
        found = _reshape(_gather(_reshape(values, [-1]), at), _stack(new))
        found.set_shape([length if isinstance(length, int) else None for length in new])
        return found
