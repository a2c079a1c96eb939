"""tensorflow.python.ops.inplace_ops: rows of a tensor, changed; here in a copy, always."""

from __future__ import annotations

from typing import Any

import dataflow.ops.array.shape as _shapes
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.tensor import Tensor
from dataflow.ops.basic.cast import cast
from dataflow.ops.basic.single import single
from dataflow.values import dtypes


def _changed(op: str, x: Any, i: Any, v: Any) -> Tensor:
    x = convert_to_tensor(x)
    v = convert_to_tensor(v, x.dtype)
    if i is None:
        whole = single(op, _shapes.reshape(x, [1, -1]), [0], _shapes.reshape(v, [1, -1]))
        return _shapes.reshape(whole, _shapes.shape(x))
    rows = cast(i, dtypes.int32)
    if rows.shape.rank == 0:
        rows, v = _shapes.reshape(rows, [1]), _shapes.expand_dims(v, 0)
    return single(op, x, rows, v)


def inplace_update(x: Any, i: Any, v: Any) -> Tensor:
    """x with `x[i] = v`.

    Args:
      x: A tensor.
      i: None for all of x, an index, or a vector of indices.
      v: A tensor of x's shape, of one row, or of as many rows as there are indices.
    """
    return _changed("InplaceUpdate", x, i, v)


def inplace_add(x: Any, i: Any, v: Any) -> Tensor:
    """x with `x[i] += v`; see `inplace_update`."""
    return _changed("InplaceAdd", x, i, v)


def inplace_sub(x: Any, i: Any, v: Any) -> Tensor:
    """x with `x[i] -= v`; see `inplace_update`."""
    return _changed("InplaceSub", x, i, v)


alias_inplace_update = inplace_update
alias_inplace_add = inplace_add
alias_inplace_sub = inplace_sub


def empty(shape: Any, dtype: Any, init: bool = False, name: str | None = None) -> Tensor:
    """A tensor of a shape: of zeros if `init`, else its values do not matter."""
    return single("Empty", shape, dtype=dtypes.as_dtype(dtype), init=init, name=name)


def empty_like(x: Any, init: bool | None = None) -> Tensor:
    """`empty`, of the shape and type of another tensor."""
    x = convert_to_tensor(x)
    return empty(_shapes.shape(x), x.dtype, init=bool(init))
