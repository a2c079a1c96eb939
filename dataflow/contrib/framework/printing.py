"""Prints tensors of all kinds when they are worked out, with what they are."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from dataflow.control_flow.tensor_array import TensorArray
from dataflow.graph.scopes import control_dependencies
from dataflow.graph.sparse_tensor import SparseTensor
from dataflow.graph.tensor import Tensor
from dataflow.ops.basic.cast import cast
from dataflow.ops.basic.constant import constant
from dataflow.ops.basic.identity import identity
from dataflow.ops.reductions.arg import argmax
from dataflow.ops.text.printing import Print
from dataflow.values import dtypes
from dataflow.variables.base import BaseVariable


def print_op(
    input_: Any,
    data: Iterable[Any] | None = None,
    message: str | None = None,
    first_n: int | None = None,
    summarize: int = 20,
    print_tensor_name: bool = True,
    print_tensor_type: bool = True,
    print_shape: bool = True,
    summarize_indicator_vector: bool = True,
    name: str | None = None,
) -> Any:
    """Passes a value on, and prints it and others to the standard error stream when it does.

    Args:
      input_: A tensor, SparseTensor, TensorArray or variable.
      data: Others.
      message: What is printed in front of them.
      first_n: How many times it is printed; negative for always.
      summarize: How many elements of each.
      print_tensor_name: Whether names of tensors are printed.
      print_tensor_type: Whether types are.
      print_shape: Whether shapes are.
      summarize_indicator_vector: Whether of bools it is printed where the first True is.
      name: Name of the operation.

    Raises:
      ValueError: A value is something else.
    """
    if input_ is None:
        raise ValueError("input_ must be of type Tensor, SparseTensor or TensorArray")
    shown: list[Any] = []
    for value in (input_, *(data or ())):
        shown += _name_and_type(value, print_tensor_name, print_tensor_type)
        shown += _shape(value) if print_shape else []
        if summarize_indicator_vector and value.dtype == dtypes.bool:
            bits = cast(value, dtypes.uint8)
            shown += [constant("First True in Boolean tensor at:"), argmax(bits, 0)]
        shown += _values(value)
    options = (shown, message or "", first_n, summarize, name)
    if isinstance(input_, Tensor | BaseVariable):
        return Print(input_, *options)
    with control_dependencies([Print(constant([]), *options)]):
        if isinstance(input_, SparseTensor):
            parts = (input_.indices, input_.values, input_.dense_shape)
            return SparseTensor(*map(identity, parts))
        return TensorArray(dtype=input_.dtype, handle=input_.handle, flow=input_.flow)


def _name_and_type(value: Any, with_name: bool, with_type: bool) -> list[Tensor]:
    kinds: dict[str, Any] = {
        "Tensor": Tensor,
        "SparseTensor": SparseTensor,
        "TensorArray": TensorArray,
        "Variable": BaseVariable,
    }
    found = []
    if with_name and isinstance(value, Tensor):
        found.append(constant(f"Name: {value.name}"))
    if with_type:
        for kind, kind_of in kinds.items():
            if isinstance(value, kind_of):
                found.append(constant(f"Type: {kind} ({value.dtype.name})"))
                return found
        raise ValueError("t must be a Tensor, SparseTensor, TensorArray or Variable.")
    return found


def _shape(value: Any) -> list[Tensor]:
    if isinstance(value, SparseTensor):
        return [constant("Shape:"), value.dense_shape]
    if isinstance(value, Tensor):
        return [constant(f"Shape: {value.shape.dims}")]
    if isinstance(value, TensorArray):
        return [constant("Size:"), value.size()]
    return []


def _values(value: Any) -> list[Tensor]:
    if isinstance(value, SparseTensor):
        return [
            constant("Sparse indices:"),
            value.indices,
            constant("Sparse values:"),
            value.values,
        ]
    if isinstance(value, Tensor):
        return [constant("Value:"), value]
    if isinstance(value, TensorArray):
        return [constant("Value:"), value.stack()]
    return []
