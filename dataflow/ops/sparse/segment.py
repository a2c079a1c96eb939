"""Sums and means over segments of rows that are picked by index."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import dataflow.ops.array.shape as array_shape
from dataflow.graph.apply_op import apply_op
from dataflow.graph.indexed_slices import IndexedSlices
from dataflow.graph.operation import Operation
from dataflow.graph.tensor import Tensor
from dataflow.ops.basic.shape_parts import vector
from dataflow.ops.basic.single import single
from dataflow.ops.math.types import REAL
from dataflow.schema.opdef import MISSING_GRADIENT, InferenceContext, define_op
from dataflow.schema.shape_functions import UNKNOWN, merge, with_rank, with_rank_at_least
from dataflow.values.shapes import TensorShape

_FLOATS = "T: {bfloat16, half, float32, float64}"
_INDICES = ["Tidx: {int32, int64} = int32", "Tsegmentids: {int32, int64} = int32"]
_SPARSE_GRADIENT = "sparse_gradient: bool = false"


def _rows(c: InferenceContext, count: int | None) -> TensorShape:
    """So many rows of the shape of those of the first input."""
    data = with_rank_at_least(c.input(0), 1).dims_tuple
    merge(with_rank(c.input(1), 1), with_rank(c.input(2), 1))
    return UNKNOWN if data is None else TensorShape.of((count, *data[1:]))


def _shape(c: InferenceContext) -> TensorShape:
    return _rows(c, None)


def _known_shape(c: InferenceContext) -> TensorShape:
    with_rank(c.input(3), 0)
    count = c.constant(3)
    if count is not None and int(count) < 0:
        raise ValueError("Cannot specify a negative value for num_segments")
    return _rows(c, None if count is None else int(count))


def _gradient_shape(c: InferenceContext) -> TensorShape:
    with_rank(c.input(3), 0)
    count = c.constant(3)
    if count is not None and int(count) < 0:
        raise ValueError("Cannot specify a negative value for output_dim0")
    return _rows(c, None if count is None else int(count))


def _unique_gradient_shape(c: InferenceContext) -> list[TensorShape]:
    with_rank(c.input(3), 0)
    return [_rows(c, None), vector(None)]


def _gradient_of(kind: str) -> Callable[[Operation, Any], Any]:
    """Each row that was picked takes its share of its segment's gradient."""

    def gradient(op: Operation, grad: Any) -> Any:
        data, indices, ids, *others = op.inputs
        shape: Any = array_shape.shape(data)
        nothing = [None] * (2 + len(others))
        if op.get_attr("sparse_gradient"):
            values, rows = apply_op(f"SparseSegment{kind}GradV2", grad, indices, ids, shape[0])
            return IndexedSlices(values, rows, shape), *nothing
        return single(f"SparseSegment{kind}Grad", grad, indices, ids, shape[0]), *nothing

    return gradient


for _kind, _types, _doc in (
    ("Sum", REAL, "Sums over segments of rows that are picked by index."),
    ("Mean", _FLOATS, "Means over segments of rows that are picked by index."),
    ("SqrtN", _FLOATS, "Sums over segments of picked rows, each over the root of their number."),
):
    define_op(
        f"SparseSegment{_kind}",
        inputs="data: T, indices: Tidx, segment_ids: Tsegmentids",
        outputs="output: T",
        attrs=[_types, *_INDICES, _SPARSE_GRADIENT],
        shape=_shape,
        gradient=_gradient_of(_kind),
        doc=_doc,
    )
    define_op(
        f"SparseSegment{_kind}WithNumSegments",
        inputs="data: T, indices: Tidx, segment_ids: Tsegmentids, num_segments: Tnumsegments",
        outputs="output: T",
        attrs=[
            _types,
            _INDICES[0],
            "Tnumsegments: {int32, int64} = int32",
            _INDICES[1],
            _SPARSE_GRADIENT,
        ],
        shape=_known_shape,
        gradient=_gradient_of(_kind),
        doc=f"{_doc[:-1]}, with the number of segments given.",
    )
    define_op(
        f"SparseSegment{_kind}Grad",
        inputs="grad: T, indices: Tidx, segment_ids: Tsegmentids, output_dim0: int32",
        outputs="output: T",
        attrs=[_FLOATS, *_INDICES],
        shape=_gradient_shape,
        gradient=MISSING_GRADIENT,
        doc="The gradient of the rows that were picked from.",
    )
    define_op(
        f"SparseSegment{_kind}GradV2",
        inputs="grad: T, indices: Tidx, segment_ids: Tsegmentids, dense_output_dim0: int32",
        outputs="output: T, sorted_unique_indices: Tidx",
        attrs=[_FLOATS, *_INDICES],
        shape=_unique_gradient_shape,
        gradient=MISSING_GRADIENT,
        doc="The gradient of the rows that were picked, and which these are.",
    )


def _segments(
    kind: str,
    data: Any,
    indices: Any,
    segment_ids: Any,
    name: str | None,
    num_segments: Any,
    sparse_gradient: bool,
) -> Tensor:
    inputs = [data, indices, segment_ids]
    op_type = f"SparseSegment{kind}"
    if num_segments is not None:
        op_type += "WithNumSegments"
        inputs.append(num_segments)
    return single(op_type, *inputs, sparse_gradient=sparse_gradient, name=name)


def sparse_segment_sum(
    data: Any,
    indices: Any,
    segment_ids: Any,
    name: str | None = None,
    num_segments: Any = None,
    sparse_gradient: bool = False,
) -> Tensor:
    """Sums over segments of rows that are picked by index.

    Args:
      data: Tensor of shape `[rows, ...]`.
      indices: Rows that are picked: integers of shape `[n]`.
      segment_ids: The segment of each: integers of shape `[n]`, sorted; may be left out or occur
        several times.
      name: Name of the operation.
      num_segments: The number of segments; one more than the last id if None.
      sparse_gradient: Whether the gradient of `data` has only the rows that were picked.

    Returns:
      Tensor of shape `[segments, ...]`, 0 for a segment without rows.

    Raises:
      InvalidArgumentError: In the run: an index is out of range, or ids are not sorted.
    """
    return _segments("Sum", data, indices, segment_ids, name, num_segments, sparse_gradient)


def sparse_segment_mean(
    data: Any,
    indices: Any,
    segment_ids: Any,
    name: str | None = None,
    num_segments: Any = None,
    sparse_gradient: bool = False,
) -> Tensor:
    """Means over segments of rows that are picked by index; see `sparse_segment_sum`."""
    return _segments("Mean", data, indices, segment_ids, name, num_segments, sparse_gradient)


def sparse_segment_sqrt_n(
    data: Any,
    indices: Any,
    segment_ids: Any,
    name: str | None = None,
    num_segments: Any = None,
    sparse_gradient: bool = False,
) -> Tensor:
    """Sums over segments, each over the root of its number of rows; see `sparse_segment_sum`."""
    return _segments("SqrtN", data, indices, segment_ids, name, num_segments, sparse_gradient)
