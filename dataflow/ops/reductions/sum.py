"""Sums of many tensors of one shape."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from dataflow.graph.convert import convert_to_tensor
from dataflow.graph.dispatch import dispatched
from dataflow.graph.indexed_slices import IndexedSlices, convert_n_to_tensor_or_indexed_slices
from dataflow.graph.operation import Operation
from dataflow.graph.tensor import Tensor
from dataflow.ops.basic.handle_shapes import merged_handles
from dataflow.ops.basic.identity import identity
from dataflow.ops.basic.single import single
from dataflow.ops.math.types import NUMBER
from dataflow.schema.opdef import InferenceContext, define_op
from dataflow.schema.shape_functions import merge, merged_inputs
from dataflow.values.shapes import TensorShape, as_shape


def _sum_gradient(op: Operation, grad: Any) -> Any:
    return [grad] * len(op.inputs)


def _sum_shape(c: InferenceContext) -> TensorShape:
    c.set_output_handle(0, merged_handles(c))
    shape = c.input(c.num_inputs - 1)
    for i in reversed(range(c.num_inputs - 1)):
        try:
            shape = merge(c.input(i), shape)
        except ValueError as error:
            text = f"{error}\n\tFrom merging shape {i} with other shapes."
            raise ValueError(text) from None
    return shape


def _accumulated_shape(c: InferenceContext) -> TensorShape:
    return merge(c.attr("shape"), merged_inputs(c))


define_op(
    "AddN",
    inputs="inputs: N * T",
    outputs="sum: T",
    attrs=["N: int >= 1", NUMBER.replace("uint64}", "uint64, variant}")],
    shape=_sum_shape,
    gradient=_sum_gradient,
    doc="The sum of tensors of one shape.",
    commutative=True,
    aggregate=True,
)
define_op(
    "AccumulateNV2",
    inputs="inputs: N * T",
    outputs="sum: T",
    attrs=["N: int >= 1", NUMBER, "shape: shape"],
    shape=_accumulated_shape,
    gradient=_sum_gradient,
    doc="The sum of tensors of one known shape.",
    commutative=True,
    aggregate=True,
)


@dispatched
def add_n(inputs: Any, name: str | None = None) -> Tensor:
    """The sum of tensors (or `IndexedSlices`) of one shape and dtype, without broadcasting.

    Raises:
      ValueError: There is no input, or one is no tensor.
    """
    if not inputs or not isinstance(inputs, Iterable):
        raise ValueError(_NO_INPUTS)
    tensors = convert_n_to_tensor_or_indexed_slices(inputs)
    if not all(isinstance(t, (Tensor, IndexedSlices)) for t in tensors):
        raise ValueError(_NO_INPUTS)
    if len(tensors) > 1:
        return single("AddN", tensors, name=name)
    only = convert_to_tensor(tensors[0])
    return identity(only, name=name) if name else only


_NO_INPUTS = (
    "inputs must be a list of at least one Tensor/IndexedSlices with the same dtype and shape"
)


def accumulate_n(
    inputs: Any, shape: Any = None, tensor_dtype: Any = None, name: str | None = None
) -> Tensor:
    """The sum of tensors of one shape and dtype; like `add_n`.

    Args:
      inputs: List of tensors.
      shape: The shape of each.
      tensor_dtype: The dtype of each.
      name: Name of the operation.

    Raises:
      ValueError: There is no input, one is no tensor, or the shapes or dtypes differ.
      TypeError: The tensors are not of type `tensor_dtype`.
    """
    refused = "inputs must be a list of at least one Tensor with the same dtype and shape"
    if not inputs or not isinstance(inputs, (list, tuple)):
        raise ValueError(refused)
    tensors = convert_n_to_tensor_or_indexed_slices(inputs)
    if not all(isinstance(t, Tensor) and t.dtype == tensors[0].dtype for t in tensors):
        raise ValueError(refused)
    known = as_shape(shape)
    for tensor in tensors:
        known = known.merge_with(tensor.shape)
    if tensor_dtype is not None and tensor_dtype != tensors[0].dtype:
        raise TypeError(f"tensor_dtype is {tensor_dtype}, but input is of type {tensors[0].dtype}")
    if len(tensors) == 1:
        only: Tensor = tensors[0]
        return only if name is None else identity(only, name=name)
    total = add_n(tensors, name=name)
    total.set_shape(known)
    return total
