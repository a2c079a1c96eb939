"""tf.compat.v2.sparse where it is not tf.sparse."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from dataflow.porting.v2.respell import respelled

add = respelled("sparse.add", "a b", threshold=0)
concat = respelled("sparse.concat", "axis sp_inputs", expand_nonconcat_dims=False, name=None)
split = respelled("sparse.split", "", sp_input=None, num_split=None, axis=None, name=None)


def _segments(name: str) -> Callable[..., Any]:
    return respelled(f"sparse.{name}", "data indices segment_ids", num_segments=None, name=None)


segment_mean = _segments("segment_mean")
segment_sqrt_n = _segments("segment_sqrt_n")
segment_sum = _segments("segment_sum")
_reduce_max = respelled("sparse.reduce_max", "sp_input axis keepdims")
_reduce_max_sparse = respelled("sparse.reduce_max_sparse", "sp_input axis keepdims")
_reduce_sum = respelled("sparse.reduce_sum", "sp_input axis keepdims")
_reduce_sum_sparse = respelled("sparse.reduce_sum_sparse", "sp_input axis keepdims")


def reduce_max(
    sp_input: Any,
    axis: Any = None,
    keepdims: bool | None = None,
    output_is_sparse: bool = False,
    name: str | None = None,
) -> Any:
    """`tf.sparse.reduce_max`, or `reduce_max_sparse` if `output_is_sparse`; has its own name."""
    return (_reduce_max_sparse if output_is_sparse else _reduce_max)(sp_input, axis, keepdims)


def reduce_sum(
    sp_input: Any,
    axis: Any = None,
    keepdims: bool | None = None,
    output_is_sparse: bool = False,
    name: str | None = None,
) -> Any:
    """`tf.sparse.reduce_sum`, or `reduce_sum_sparse` if `output_is_sparse`; has its own name."""
    return (_reduce_sum_sparse if output_is_sparse else _reduce_sum)(sp_input, axis, keepdims)
