"""Sets in the last dimension of tensors, dense or sparse: their sizes, unions and differences."""

from __future__ import annotations

from typing import Any

from dataflow.graph.apply_op import apply_op
from dataflow.graph.sparse_tensor import SparseTensor, convert_to_tensor_or_sparse_tensor
from dataflow.graph.tensor import Tensor
from dataflow.ops.basic.single import single
from dataflow.schema.opdef import NOT_DIFFERENTIABLE, InferenceContext, define_op
from dataflow.schema.shape_functions import UNKNOWN, merge, with_rank, with_rank_at_least
from dataflow.values import dtypes
from dataflow.values.shapes import TensorShape

_TYPES = (
    dtypes.int8,
    dtypes.int16,
    dtypes.int32,
    dtypes.int64,
    dtypes.uint8,
    dtypes.uint16,
    dtypes.string,
)
_ATTRS = ["validate_indices: bool = true", "T: {int8, int16, int32, int64, uint8, uint16, string}"]
_RESULT = "result_indices: int64, result_values: T, result_shape: int64"


def _result(rank: int | None) -> list[TensorShape]:
    return [TensorShape.of((None, rank)), TensorShape.of((None,)), TensorShape.of((rank,))]


def _sparse_rank(c: InferenceContext, first: int) -> int | None:
    """The rank of a sparse tensor, given as inputs `first` and the two behind it."""
    indices = with_rank(c.input(first), 2).dims_tuple or (None, None)
    with_rank(c.input(first + 1), 1)
    (size,) = with_rank(c.input(first + 2), 1).dims_tuple or (None,)
    merge(TensorShape.of((indices[1],)), TensorShape.of((size,)))
    return size


def _dense_shape(c: InferenceContext) -> list[TensorShape]:
    first, second = c.input(0), c.input(1)
    rank = first.rank if first.rank is not None else second.rank
    for shape in (first, second):
        if shape.rank is not None:
            with_rank_at_least(shape, 2)
    if first.rank is not None and second.rank is not None:
        with_rank(second, first.rank)
        merge(first[:-1], second[:-1])
    return _result(rank)


def _mixed_shape(c: InferenceContext) -> list[TensorShape]:
    rank = with_rank_at_least(c.input(0), 2).rank
    sparse_rank = _sparse_rank(c, 1)
    if rank is None:
        return _result(sparse_rank)
    if sparse_rank is not None and sparse_rank != rank:
        raise ValueError(f"Dimension must be {rank} but is {sparse_rank}")
    return _result(rank)


def _sparse_shape(c: InferenceContext) -> list[TensorShape]:
    first, second = _sparse_rank(c, 0), _sparse_rank(c, 3)
    (rank,) = merge(TensorShape.of((first,)), TensorShape.of((second,))).dims_tuple or (None,)
    if rank is not None and rank < 2:
        raise ValueError(f"Input rank must be >= 2 but is {rank}")
    return _result(rank)


define_op(
    "DenseToDenseSetOperation",
    inputs="set1: T, set2: T",
    outputs=_RESULT,
    attrs=["set_operation: string", *_ATTRS],
    shape=_dense_shape,
    gradient=NOT_DIFFERENTIABLE,
    doc="Sets made of those in the last dimension of two tensors, sorted.",
)
define_op(
    "DenseToSparseSetOperation",
    inputs="set1: T, set2_indices: int64, set2_values: T, set2_shape: int64",
    outputs=_RESULT,
    attrs=["set_operation: string", *_ATTRS],
    shape=_mixed_shape,
    gradient=NOT_DIFFERENTIABLE,
    doc="The same where the second tensor is sparse.",
)
define_op(
    "SparseToSparseSetOperation",
    inputs=(
        "set1_indices: int64, set1_values: T, set1_shape: int64, "
        "set2_indices: int64, set2_values: T, set2_shape: int64"
    ),
    outputs=_RESULT,
    attrs=["set_operation: string", *_ATTRS],
    shape=_sparse_shape,
    gradient=NOT_DIFFERENTIABLE,
    doc="The same where both tensors are sparse.",
)
define_op(
    "SetSize",
    inputs="set_indices: int64, set_values: T, set_shape: int64",
    outputs="size: int32",
    attrs=_ATTRS,
    shape=lambda c: UNKNOWN,
    gradient=NOT_DIFFERENTIABLE,
    doc="The number of distinct elements of each set of a sparse tensor.",
)


def set_size(a: Any, validate_indices: bool = True) -> Tensor:
    """The number of distinct elements in each set of the last dimension.

    Args:
      a: A sparse tensor of shape `[..., n]`, of integers or strings, its indices in order.
      validate_indices: Whether order and range of the indices are checked.

    Returns:
      int32, of shape `[...]`.

    Raises:
      TypeError: `a` is dense, or of another type.
    """
    a = convert_to_tensor_or_sparse_tensor(a, name="a")
    if not isinstance(a, SparseTensor):
        raise TypeError(f"Expected `SparseTensor`, got {a}.")
    _check_type(a)
    return single("SetSize", a.indices, a.values, a.dense_shape, validate_indices=validate_indices)


def set_intersection(a: Any, b: Any, validate_indices: bool = True) -> SparseTensor:
    """The elements of the last dimension that both have; see `set_union`."""
    a, b, _ = _in_order(a, b)
    return _operation(a, b, "intersection", validate_indices)


def set_difference(
    a: Any, b: Any, aminusb: bool = True, validate_indices: bool = True
) -> SparseTensor:
    """The elements of the last dimension that one has and not the other; see `set_union`.

    Args:
      a: As there.
      b: As there.
      aminusb: Whether those of `a` are kept that are not in `b`, rather than the other way round.
      validate_indices: As there.
    """
    a, b, flipped = _in_order(a, b)
    operation = "a-b" if aminusb != flipped else "b-a"
    return _operation(a, b, operation, validate_indices)


def set_union(a: Any, b: Any, validate_indices: bool = True) -> SparseTensor:
    """The elements of the last dimension that either has, sorted, each once.

    Args:
      a: A tensor or sparse tensor of shape `[..., n]`, of integers or strings; the indices of a
        sparse one are in order.
      b: A tensor or sparse tensor of the same type, of shape `[..., m]`.
      validate_indices: Whether order and range of sparse indices are checked.

    Returns:
      A sparse tensor of shape `[..., k]` with `k` the size of the largest set.

    Raises:
      TypeError: The types differ or are not for sets.
    """
    a, b, _ = _in_order(a, b)
    return _operation(a, b, "union", validate_indices)


def _check_type(value: Any) -> None:
    if value.dtype.base_dtype not in _TYPES:
        raise TypeError(f"'a' invalid dtype {value.dtype}.")


def _in_order(a: Any, b: Any) -> tuple[Any, Any, bool]:
    """Both, a dense one first; whether they have changed places."""
    a = convert_to_tensor_or_sparse_tensor(a, name="a")
    _check_type(a)
    b = convert_to_tensor_or_sparse_tensor(b, name="b")
    if a.dtype.base_dtype != b.dtype.base_dtype:
        raise TypeError(f"Types don't match, {a.dtype} vs {b.dtype}.")
    if isinstance(a, SparseTensor) and not isinstance(b, SparseTensor):
        return b, a, True
    return a, b, False


def _operation(a: Any, b: Any, operation: str, validate_indices: bool) -> SparseTensor:
    parts: list[Any] = []
    for each in (a, b):
        is_sparse_one = isinstance(each, SparseTensor)
        parts += [each.indices, each.values, each.dense_shape] if is_sparse_one else [each]
    op = {2: "DenseToDense", 4: "DenseToSparse", 6: "SparseToSparse"}[len(parts)]
    results = apply_op(
        f"{op}SetOperation", *parts, set_operation=operation, validate_indices=validate_indices
    )
    return SparseTensor(*results)
