"""Products, softmax, dropout, bits and partitions of ragged tensors."""

from __future__ import annotations

from typing import Any

import dataflow.ops.array.bits as array_bits
import dataflow.ops.linalg.matmul as linalg_matmul
import dataflow.ops.math.unary as math_unary
import dataflow.ops.nn.softmax as nn_softmax
import dataflow.ops.nn.sparsity as nn_sparsity
from dataflow.graph import scopes
from dataflow.library.check_types import assert_type as assert_dense_type
from dataflow.library.ragged import reductions
from dataflow.library.ragged.concatenation import stack_dynamic_partitions
from dataflow.library.ragged.elementwise import map_flat_values
from dataflow.library.ragged.tensor import RaggedTensor, as_ragged_or_tensor, normalized_axis
from dataflow.ops.basic.identity import identity as pass_on
from dataflow.ops.reductions.sum import add_n as add_dense
from dataflow.values.dtypes import as_dtype


def bitcast(input: Any, type: Any, name: str | None = None) -> Any:
    """The bytes of the values as values of another type.

    Raises:
      ValueError: The innermost rows would change.
    """
    with scopes.name_scope(name, "Bitcast", [input]):
        kind = as_dtype(type)
        if input.flat_values.shape.rank == 1 and kind.size > input.dtype.size:
            raise ValueError(
                f"`input.flat_values` is required to have rank >= 2 when input.dtype.size < "
                f"type.size. Actual rank: {input.flat_values.shape.rank}"
            )
        return input.with_flat_values(array_bits.bitcast(input.flat_values, type))


def identity(input: Any, name: str | None = None) -> Any:
    """The ragged tensor passed on, tensor by tensor."""
    with scopes.name_scope(name, "RaggedIdentity", [input]):
        x = as_ragged_or_tensor(input)
        return x._from_components([pass_on(part) for part in x._components()])


def add_n(inputs: Any, name: str | None = None) -> Any:
    """The sum of ragged tensors with the same rows.

    Raises:
      ValueError: There are none.
    """
    if not inputs:
        raise ValueError("tf.add_n: expected at least one input.")
    with scopes.name_scope(name, "RaggedAddN", inputs):
        return map_flat_values(lambda *flat: add_dense(list(flat)), *inputs)


def dynamic_partition(
    data: Any, partitions: Any, num_partitions: Any, name: str | None = None
) -> Any:
    """The entries of each partition, as a list of ragged tensors.

    Raises:
      TypeError: `num_partitions` is no integer.
      ValueError: It is not positive.
    """
    if not isinstance(num_partitions, int) or num_partitions < 0:
        raise TypeError("num_partitions must be a non-negative integer")
    made = stack_dynamic_partitions(data, partitions, num_partitions, name)
    return [made[place] for place in range(num_partitions)]


def matmul(
    a: Any,
    b: Any,
    transpose_a: bool = False,
    transpose_b: bool = False,
    adjoint_a: bool = False,
    adjoint_b: bool = False,
    a_is_sparse: bool = False,
    b_is_sparse: bool = False,
    name: str | None = None,
    output_type: Any = None,
) -> Any:
    """Products of matrices, filled up with zeros where their rows end.

    Raises:
      ValueError: A rank is not known, they differ, or a factor is both transposed and adjoint.
    """
    if transpose_a and adjoint_a:
        raise ValueError("Only one of transpose_a and adjoint_a can be True.")
    if transpose_b and adjoint_b:
        raise ValueError("Only one of transpose_b and adjoint_b can be True.")
    with scopes.name_scope(name, "RaggedMatMul", [a, b]):
        first, second = as_ragged_or_tensor(a, name="a"), as_ragged_or_tensor(b, name="b")
        rank = first.shape.rank
        if rank is None or second.shape.rank is None:
            raise ValueError("matmul requires at least one input to have known rank")
        if rank != second.shape.rank:
            raise ValueError("`a` and `b` must have the same rank.")
        if rank < 2:
            raise ValueError("`a` and `b` must have at least two dimensions.")
        dense = [x.to_tensor() if isinstance(x, RaggedTensor) else x for x in (first, second)]
        product = linalg_matmul.matmul(
            dense[0],
            dense[1],
            transpose_a=transpose_a,
            transpose_b=transpose_b,
            adjoint_a=adjoint_a,
            adjoint_b=adjoint_b,
            a_is_sparse=a_is_sparse,
            b_is_sparse=b_is_sparse,
        )
        if rank == 2:
            return product
        rows = first if isinstance(first, RaggedTensor) else second
        kept = (
            rows.row_lengths()
            if isinstance(first, RaggedTensor) and not (transpose_a or adjoint_a)
            else None
        )
        if kept is None:
            return RaggedTensor.from_tensor(product, row_splits_dtype=rows.row_splits.dtype)
        return RaggedTensor.from_tensor(
            product, lengths=kept, row_splits_dtype=rows.row_splits.dtype
        )


def softmax(logits: Any, axis: Any = None, name: str | None = None, dim: Any = None) -> Any:
    """exp(x) over the sum of exp(x) along the last dimension, or another one."""
    axis = (dim if axis is None else axis) if dim is not None or axis is not None else -1
    with scopes.name_scope(name, "RaggedSoftmax", [logits]):
        place = normalized_axis(axis, logits.shape.rank, "rank(logits)")
        if place > logits.ragged_rank:
            return logits.with_flat_values(
                nn_softmax.softmax(logits.flat_values, axis=place - logits.ragged_rank)
            )
        most = reductions.reduce_max(logits, axis=place, keepdims=True)
        powers = math_unary.exp(logits - most)
        return powers / reductions.reduce_sum(powers, axis=place, keepdims=True)


def dropout(x: Any, *args: Any, **options: Any) -> Any:
    """Some of the values set to 0, the others made larger.

    Raises:
      ValueError: `noise_shape` is given.
    """
    if options.get("noise_shape") is not None or (len(args) > 1 and args[1] is not None):
        raise ValueError("noise_shape is not supported yet for RaggedTensor x")
    return x.with_flat_values(nn_sparsity.dropout(x.flat_values, *args, **options))


def assert_type(tensor: Any, tf_type: Any, message: Any = None, name: str | None = None) -> Any:
    """That the values are of a type."""
    return assert_dense_type(tensor.flat_values, tf_type, message=message, name=name)
