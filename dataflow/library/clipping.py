"""Clipping: tensors kept within bounds, by value or by norm."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

import dataflow.ops.array.concat as array_concat
import dataflow.ops.array.fill as array_fill
import dataflow.ops.array.select as array_select
import dataflow.ops.array.shape as array_shape
import dataflow.ops.basic.range as range_ops
import dataflow.ops.math.binary as math_binary
import dataflow.ops.math.unary as math_unary
import dataflow.ops.reductions.reduce as reductions
from dataflow.graph import scopes
from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.dispatch import unary
from dataflow.graph.indexed_slices import IndexedSlices
from dataflow.graph.tensor import Tensor
from dataflow.ops.basic.cast import cast
from dataflow.ops.basic.constant import constant
from dataflow.ops.basic.identity import identity
from dataflow.ops.basic.single import single
from dataflow.values import dtypes


@unary
def clip_by_value(t: Any, clip_value_min: Any, clip_value_max: Any, name: str | None = None) -> Any:
    """The values, those beyond a bound replaced by it.

    Args:
      t: A tensor or IndexedSlices.
      clip_value_min: Lower bound: a scalar, or of the shape of `t`.
      clip_value_max: Upper bound: likewise.
      name: Name of the operation.

    Raises:
      ValueError: The bounds would change the shape.
    """
    with scopes.name_scope(name, "clip_by_value", [t, clip_value_min, clip_value_max]) as scope:
        values = _values(t, "t")
        below = math_binary.minimum(values, clip_value_max)
        values.shape.assert_is_compatible_with(below.shape)
        clipped = math_binary.maximum(below, clip_value_min, name=scope)
        values.shape.assert_is_compatible_with(clipped.shape)
        return _like(t, clipped)


def clip_by_norm(t: Any, clip_norm: Any, axes: Any = None, name: str | None = None) -> Any:
    """`t * clip_norm / l2norm(t)` if the norm is above `clip_norm`, else `t`.

    Args:
      t: A tensor or IndexedSlices.
      clip_norm: The largest norm: a scalar, at least zero.
      axes: The axes the norm is taken over; all if None.
      name: Name of the operation.
    """
    with scopes.name_scope(name, "clip_by_norm", [t, clip_norm]) as scope:
        values: Any = _values(t, "t")
        if np.isscalar(clip_norm):
            clip_norm = 0 if clip_norm < 0 else clip_norm  # type: ignore[operator]
        else:
            clip_norm = cast(math_binary.maximum(clip_norm, 0), dtype=values.dtype)
        total: Any = reductions.reduce_sum(values * values, axes, keepdims=True)
        is_positive = total > 0
        # The root has no gradient at zero, which `where` alone would turn into NaN.
        safe = array_select.where(is_positive, total, array_fill.ones_like(total))
        norm = array_select.where(is_positive, math_unary.sqrt(safe), total)
        scaled = values * clip_norm
        values.shape.assert_is_compatible_with(scaled.shape)
        return _like(t, identity(scaled / math_binary.maximum(norm, clip_norm), name=scope))


def global_norm(t_list: Sequence[Any], name: str | None = None) -> Any:
    """The L2 norm of several tensors taken together: a scalar.

    Args:
      t_list: Tensors, IndexedSlices, and None, which does not count.
      name: Name of the operation.

    Raises:
      TypeError: `t_list` is no sequence.
    """
    _check_sequence(t_list)
    items = list(t_list)
    with scopes.name_scope(name, "global_norm", items):
        halves = []
        for values in _all_values(items):
            if values is not None:
                with scopes.colocate_with(values):
                    halves.append(single("L2Loss", values))
        half: Any = reductions.reduce_sum(array_concat.stack(halves))
        return math_unary.sqrt(half * constant(2.0, dtype=half.dtype), name="global_norm")


def clip_by_global_norm(
    t_list: Sequence[Any], clip_norm: Any, use_norm: Any = None, name: str | None = None
) -> tuple[list[Any], Any]:
    """Tensors scaled by one factor, so that their global norm is at most `clip_norm`.

    Args:
      t_list: Tensors, IndexedSlices, and None, which stays None.
      clip_norm: The largest norm: a scalar above zero.
      use_norm: The global norm, if it is known already.
      name: Name of the scope of the operations.

    Returns:
      The scaled tensors, all NaN if the norm is not finite, and the global norm before.

    Raises:
      TypeError: `t_list` is no sequence.

    >>> clipped, norm = tf.clip_by_global_norm([tf.constant([3.0]), tf.constant([4.0])], 1.0)
    >>> with tf.Session() as session:
    ...     print(session.run(norm))
    5.0
    """
    _check_sequence(t_list)
    items = list(t_list)
    if use_norm is None:
        use_norm = global_norm(items, name)
    with scopes.name_scope(name, "clip_by_global_norm", [*items, clip_norm]) as scope:
        inverse = 1.0 / use_norm
        one: Any = constant(1.0, dtype=use_norm.dtype)
        factor = clip_norm * math_binary.minimum(inverse, one / clip_norm)
        # Nothing for a finite norm, NaN for any other.
        factor = factor + (use_norm - use_norm)
        clipped: list[Any] = []
        for i, (item, values) in enumerate(zip(items, _all_values(items), strict=True)):
            if values is None:
                clipped.append(None)
                continue
            with scopes.colocate_with(values):
                scaled = values * cast(factor, values.dtype)
                clipped.append(_like(item, identity(scaled, name=f"{scope}_{i}")))
    return clipped, use_norm


def clip_by_average_norm(t: Any, clip_norm: Any, name: str | None = None) -> Tensor:
    """`t * clip_norm / average` if the average norm is above `clip_norm`, else `t`.

    The average norm is the L2 norm divided by the number of elements.

    Args:
      t: A float32 tensor.
      clip_norm: The largest average norm: a scalar.
      name: Name of the operation.
    """
    with scopes.name_scope(name, "clip_by_average_norm", [t, clip_norm]) as scope:
        values: Any = convert_to_tensor(t, name="t")
        count = cast(array_shape.size(values), dtypes.float32)
        squares = values * values
        axes = range_ops.range(array_shape.rank(values))
        inverse: Any = math_unary.rsqrt(reductions.reduce_sum(squares, axes))
        scaled = values * clip_norm
        mean = inverse * count
        one: Any = constant(1.0)
        result: Tensor = identity(scaled * math_binary.minimum(mean, one / clip_norm), name=scope)
        return result


def _check_sequence(t_list: Any) -> None:
    if not isinstance(t_list, Sequence) or isinstance(t_list, str):
        raise TypeError("t_list should be a sequence")


def _values(t: Any, name: str) -> Tensor:
    return convert_to_tensor(t.values if isinstance(t, IndexedSlices) else t, name=name)


def _all_values(items: Sequence[Any]) -> list[Any]:
    return [None if t is None else _values(t, f"t_{i}") for i, t in enumerate(items)]


def _like(t: Any, values: Any) -> Any:
    """New values for `t`, sparse if it is."""
    return (
        IndexedSlices(values, t.indices, t.dense_shape) if isinstance(t, IndexedSlices) else values
    )
