"""Ops that change the order of dimensions, or of elements along them."""

from __future__ import annotations

from typing import Any

import numpy as np

import dataflow.ops.array.concat as array_concat
import dataflow.ops.array.shape as array_shape
from dataflow.graph.convert import convert_to_tensor, is_dense_tensor_like
from dataflow.graph.dispatch import dispatched
from dataflow.graph.operation import Operation
from dataflow.graph.scopes import name_scope
from dataflow.graph.tensor import Tensor
from dataflow.ops.basic.shape_parts import replaced, size_at, unknown_of_rank, with_size
from dataflow.ops.basic.single import single
from dataflow.schema.opdef import NOT_DIFFERENTIABLE, InferenceContext, define_op
from dataflow.schema.shape_functions import (
    UNKNOWN,
    merge,
    merge_dim,
    with_rank,
    with_rank_at_least,
    with_rank_at_most,
)
from dataflow.values.deprecated_args import renamed
from dataflow.values.shapes import TensorShape


def _transpose_shape(c: InferenceContext) -> TensorShape:
    shape = c.input(0)
    length = size_at(with_rank(c.input(1), 1), 0)
    rank = shape.rank
    if rank is None:
        rank = length
        if rank is None:
            return UNKNOWN
        if rank < 2:
            # A permutation of one element also stands for that of a scalar.
            return shape
    shape = with_rank(shape, rank)
    with_size(length, rank)
    order = c.constant(1)
    if order is None:
        return unknown_of_rank(rank)
    for axis in order:
        if not -rank < axis < rank:
            raise ValueError(f"perm dim {axis} is out of range of input rank {rank}")
    return TensorShape.of(tuple(size_at(shape, int(axis)) for axis in order))


def _vector(c: InferenceContext) -> TensorShape:
    return with_rank(c.input(0), 1)


def _reverse_v2_shape(c: InferenceContext) -> TensorShape:
    shape = c.input(0)
    with_rank(c.input(1), 1)
    rank, axes = shape.rank, c.constant(1)
    if rank is None:
        return shape
    if rank > 8:
        raise ValueError("reverse does not work on tensors with more than 8 dimensions")
    seen: set[int] = set()
    for i, axis in enumerate(() if axes is None else axes):
        place = int(axis) + rank if axis < 0 else int(axis)
        if not 0 <= place < rank:
            raise ValueError(f"'axis'[{i}] = {axis} is out of valid range [0, {rank - 1}")
        if place in seen:
            raise ValueError(f"axis {place} specified more than once.")
        seen.add(place)
    return shape


def _reverse_shape(c: InferenceContext) -> TensorShape:
    shape = c.input(0)
    count = size_at(with_rank(c.input(1), 1), 0)
    if count is not None:
        shape = with_rank(shape, count)
    if (shape.rank or 0) > 8:
        raise ValueError("reverse does not work on tensors with more than 8 dimensions")
    return shape


def _reverse_sequence_shape(c: InferenceContext) -> TensorShape:
    shape, lengths = c.input(0), with_rank(c.input(1), 1)
    rank = shape.rank
    if rank is None:
        return UNKNOWN
    batch_dim, seq_dim = c.attr("batch_dim"), c.attr("seq_dim")
    if batch_dim >= rank:
        raise ValueError(f"batch_dim must be < input rank: {batch_dim} vs. {rank}")
    if seq_dim >= rank:
        raise ValueError(f"seq_dim must be < input rank: {seq_dim} vs. {rank}")
    if batch_dim < 0:
        raise ValueError(f"batch_dim must be >=0, got {batch_dim}")
    batch = merge_dim(size_at(shape, batch_dim), size_at(lengths, 0))
    return replaced(shape, batch_dim, batch)


def _roll_shape(c: InferenceContext) -> TensorShape:
    with_rank_at_least(c.input(0), 1)
    merge(with_rank_at_most(c.input(1), 1), with_rank_at_most(c.input(2), 1))
    return c.input(0)


def _transpose_gradient(op: Operation, grad: Any) -> Any:
    return [transpose(grad, invert_permutation(op.inputs[1])), None]


def _conjugate_transpose_gradient(op: Operation, grad: Any) -> Any:
    return [transpose(grad, invert_permutation(op.inputs[1]), conjugate=True), None]


def _reverse_v2_gradient(op: Operation, grad: Any) -> Any:
    return reverse(grad, op.inputs[1]), None


def _reverse_gradient(op: Operation, grad: Any) -> Any:
    return single("Reverse", grad, op.inputs[1]), None


def _reverse_sequence_gradient(op: Operation, grad: Any) -> Any:
    reversed_grad = reverse_sequence(
        grad,
        op.inputs[1],
        batch_axis=op.attrs["batch_dim"],
        seq_axis=op.attrs["seq_dim"],
    )
    return [reversed_grad, None]


def _roll_gradient(op: Operation, grad: Any) -> Any:
    shift: Any = op.inputs[1]
    return roll(grad, -shift, op.inputs[2]), None, None


for _name, _gradient, _doc in (
    ("Transpose", _transpose_gradient, "The dimensions in another order."),
    (
        "ConjugateTranspose",
        _conjugate_transpose_gradient,
        "The dimensions in another order, the elements conjugated.",
    ),
):
    define_op(
        _name,
        inputs="x: T, perm: Tperm",
        outputs="y: T",
        attrs=["T: type", "Tperm: {int32, int64} = int32"],
        shape=_transpose_shape,
        gradient=_gradient,
        doc=_doc,
    )

define_op(
    "InvertPermutation",
    inputs="x: T",
    outputs="y: T",
    attrs=["T: {int32, int64} = int32"],
    shape=_vector,
    gradient=NOT_DIFFERENTIABLE,
    doc="The permutation that undoes another: y[x[i]] = i.",
)

_REVERSIBLE = "bool, bfloat16, half, float32, float64, complex64, complex128, string}"

define_op(
    "ReverseV2",
    inputs="tensor: T, axis: Tidx",
    outputs="output: T",
    attrs=[
        "Tidx: {int32, int64} = int32",
        "T: {uint8, int8, uint16, int16, int32, uint32, int64, uint64, " + _REVERSIBLE,
    ],
    shape=_reverse_v2_shape,
    gradient=_reverse_v2_gradient,
    doc="The elements in reverse order along some axes.",
)

define_op(
    "Reverse",
    inputs="tensor: T, dims: bool",
    outputs="output: T",
    attrs=["T: {uint8, int8, uint16, int16, uint32, int32, uint64, int64, " + _REVERSIBLE],
    shape=_reverse_shape,
    gradient=_reverse_gradient,
    doc="The elements in reverse order along the axes that a boolean vector marks.",
)

define_op(
    "ReverseSequence",
    inputs="input: T, seq_lengths: Tlen",
    outputs="output: T",
    attrs=["seq_dim: int", "batch_dim: int = 0", "T: type", "Tlen: {int32, int64} = int64"],
    shape=_reverse_sequence_shape,
    gradient=_reverse_sequence_gradient,
    doc="Reverses the first seq_lengths[i] elements of each entry i of a batch.",
)

define_op(
    "Roll",
    inputs="input: T, shift: Tshift, axis: Taxis",
    outputs="output: T",
    attrs=["T: type", "Tshift: {int32, int64}", "Taxis: {int32, int64}"],
    shape=_roll_shape,
    gradient=_roll_gradient,
    doc="Moves elements along axes; those that leave at one end come in at the other.",
)


def transpose(
    a: Any, perm: Any = None, name: str | None = "transpose", conjugate: bool = False
) -> Tensor:
    """The dimensions of a tensor in another order.

    Args:
      a: Any tensor.
      perm: Dimension i of the result is dimension perm[i] of `a`; reverses all if None.
      name: Name of the operation.
      conjugate: Also takes the complex conjugate of each element.

    Raises:
      ValueError: `perm` is known not to be a permutation of that rank.

    >>> tf.transpose(tf.zeros([2, 3, 4]), [1, 0, 2]).shape.as_list()
    [3, 2, 4]
    """
    with name_scope(name, "transpose", [a]) as scope:
        tensor = a if is_dense_tensor_like(a) else convert_to_tensor(a, name="a")
        op_type = "ConjugateTranspose" if conjugate and tensor.dtype.is_complex else "Transpose"
        if perm is None:
            count = tensor.shape.rank
            if count is None:
                known: Any = single("Rank", tensor)
                perm = single("Range", known - 1, -1, -1)
            else:
                perm = np.arange(count - 1, -1, -1, dtype=np.int32)
        return single(op_type, tensor, perm, name=scope)


def matrix_transpose(
    a: Any, name: str | None = "matrix_transpose", conjugate: bool = False
) -> Tensor:
    """Swaps the last two dimensions.

    Args:
      a: A matrix or a batch of them.
      name: Name of the scope of the operations.
      conjugate: Also takes the complex conjugate of each element.

    Raises:
      ValueError: The rank is known to be below 2.
    """
    with name_scope(name, values=[a]):
        tensor = convert_to_tensor(a, name="a")
        count = tensor.shape.rank
        perm: Any
        if count is None:
            last: Any = array_shape.rank(tensor)
            batch = single("Range", 0, last - 2, 1)
            perm = array_concat.concat((batch, [last - 1, last - 2]), 0)
        elif count < 2:
            raise ValueError(
                f"Argument 'a' should be a (batch) matrix, with rank >= 2.  Found: {tensor.shape}"
            )
        else:
            perm = [*range(count - 2), count - 1, count - 2]
        return transpose(tensor, perm=perm, conjugate=conjugate)


def invert_permutation(x: Any, name: str | None = None) -> Tensor:
    """The permutation that undoes `x`: result[x[i]] = i.

    Args:
      x: A vector with each of 0 to n - 1 once.
      name: Name of the operation.
    """
    return single("InvertPermutation", x, name=name)


@dispatched
def reverse(tensor: Any, axis: Any, name: str | None = None) -> Tensor:
    """The elements in reverse order along some axes.

    Args:
      tensor: A tensor of up to 8 dimensions.
      axis: Vector of axes; negative ones count from the end.
      name: Name of the operation.
    """
    return single("ReverseV2", tensor, axis, name=name)


def reverse_sequence(
    input: Any,
    seq_lengths: Any,
    seq_axis: int | None = None,
    batch_axis: int | None = None,
    name: str | None = None,
    seq_dim: int | None = None,
    batch_dim: int | None = None,
) -> Tensor:
    """Reverses the first `seq_lengths[i]` elements of entry i of a batch; the rest stays.

    Args:
      input: Any tensor.
      seq_lengths: Integer vector, one length for each entry of the batch.
      seq_axis: The axis that is reversed.
      batch_axis: The axis of the batch; 0 if None.
      name: Name of the operation.
      seq_dim: Old name of `seq_axis`.
      batch_dim: Old name of `batch_axis`.
    """
    seq_axis = renamed("seq_axis", seq_axis, "seq_dim", seq_dim)
    batch_axis = renamed("batch_axis", batch_axis, "batch_dim", batch_dim)
    return single(
        "ReverseSequence", input, seq_lengths, name=name, seq_dim=seq_axis, batch_dim=batch_axis
    )


def roll(input: Any, shift: Any, axis: Any, name: str | None = None) -> Tensor:
    """Moves elements along axes; those that leave at one end come in at the other.

    Args:
      input: A tensor of at least one dimension.
      shift: By how many places, for each axis: a scalar or vector.
      axis: The axes: a scalar or vector; an axis that comes twice is moved by the sum.
      name: Name of the operation.
    """
    return single("Roll", input, shift, axis, name=name)
