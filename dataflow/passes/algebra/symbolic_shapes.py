"""Arithmetic on shapes with sizes that are not known but have a name.

A size is a number; one that is not known is a symbol, a number below -1. Equal symbols are equal
sizes. A shape of unknown rank is None.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

from dataflow.values.shapes import TensorShape

Dims = tuple[int, ...] | None
"""Sizes and symbols of a shape."""
Fresh = Callable[[], int]
"""Makes a new symbol."""


def to_shape(dims: Dims) -> TensorShape:
    """The shape without the names of unknown sizes."""
    if dims is None:
        return TensorShape.of(None)
    return TensorShape.of(tuple(None if n < 0 else n for n in dims))


def is_known(dims: Dims) -> bool:
    """True if every size is a number."""
    return dims is not None and min(dims, default=0) >= 0


def broadcast_dims(a: Dims, b: Dims, fresh: Fresh) -> Dims:
    """The shape that two shapes broadcast to; None if they do not fit, as far as is known."""
    if a is None or b is None:
        return None
    if a == b:
        return a
    size = max(len(a), len(b))
    a, b = (1,) * (size - len(a)) + a, (1,) * (size - len(b)) + b
    joined: list[int] = []
    for m, n in zip(a, b, strict=True):
        if m == n or n == 1:
            joined.append(m)
        elif m == 1:
            joined.append(n)
        elif m >= 0 and n >= 0:
            return None
        else:
            # A symbol against a number other than 1 can only be that number or 1.
            joined.append(max(m, n) if max(m, n) >= 0 else fresh())
    return tuple(joined)


def product_dims(a: Dims, b: Dims, attrs: Mapping[str, Any]) -> Dims:
    """The shape of `MatMul`."""
    if a is None or b is None or len(a) != 2 or len(b) != 2:
        return None
    return a[1 if attrs["transpose_a"] else 0], b[0 if attrs["transpose_b"] else 1]


def batch_product_dims(a: Dims, b: Dims, attrs: Mapping[str, Any], fresh: Fresh) -> Dims:
    """The shape of `BatchMatMul` and its later versions."""
    if a is None or b is None or len(a) < 2 or len(b) < 2:
        return None
    batch = broadcast_dims(a[:-2], b[:-2], fresh)
    if batch is None:
        return None
    return (*batch, a[-1 if attrs["adj_x"] else -2], b[-2 if attrs["adj_y"] else -1])


def reduced_dims(dims: Dims, axes: Dims, keep_dims: bool) -> Dims:
    """The shape of a reduction along axes."""
    if dims is None or axes is None:
        return None
    rank = len(dims)
    # Below -1 an axis would be taken for a symbol: such vectors are not known at all.
    taken = {axis + rank if axis < 0 else axis for axis in axes}
    if not all(0 <= axis < rank for axis in taken):
        return None
    if keep_dims:
        return tuple(1 if axis in taken else n for axis, n in enumerate(dims))
    return tuple(n for axis, n in enumerate(dims) if axis not in taken)


def reshaped_dims(dims: Dims, target: Dims, fresh: Fresh) -> Dims:
    """The shape of `Reshape`, given its input's shape and what it asks for."""
    if target is None or target.count(-1) > 1:
        return None
    if -1 not in target:
        return target
    others = [n for n in target if n != -1]
    rest = fresh()
    if dims is not None:
        inside, outside = list(dims), list(others)
        for n in others:
            if n < 0 and n in inside:
                inside.remove(n)
                outside.remove(n)
        known = math.prod(n for n in inside if n >= 0)
        symbols = [n for n in inside if n < 0]
        given = math.prod(outside) if min(outside, default=0) >= 0 else 0
        if given > 0 and not symbols:
            rest = known // given
        elif given > 0 and len(symbols) == 1 and known == given:
            rest = symbols[0]
    return tuple(rest if n == -1 else n for n in target)
