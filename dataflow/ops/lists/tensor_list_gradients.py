"""Gradients of the ops on lists of tensors, in terms of lists of gradients."""

from __future__ import annotations

from typing import Any

import dataflow.ops.array.concat as array_concat
import dataflow.ops.array.fill as array_fill
import dataflow.ops.array.shape as array_shape
import dataflow.ops.array.slice as array_slice
import dataflow.ops.lists.tensor_list_nodes as nodes
from dataflow.graph.apply_op import apply_op
from dataflow.graph.operation import Operation
from dataflow.graph.tensor import Tensor
from dataflow.ops.basic.single import single


def _slice_shape(tensor: Any) -> Tensor:
    """Shape of a tensor's slices along its first dimension."""
    return array_slice.slice(array_shape.shape(tensor), [1], [-1])


def push_back(op: Operation, grad: Any) -> Any:
    """The last of the gradients belongs to the element that was pushed."""
    return list(
        apply_op(
            "TensorListPopBack",
            grad,
            array_shape.shape(op.inputs[1]),
            element_dtype=op.get_attr("element_dtype"),
        )
    )


def pop_back(op: Operation, list_grad: Any, grad: Any) -> list[Any]:
    """Puts the gradient of the element behind those of the rest."""
    if list_grad is None:
        list_grad = nodes.empty_list(nodes.element_shape(op.outputs[0]), grad.dtype)
    if grad is None:
        grad = array_fill.zeros_like(op.outputs[1])
    return [nodes.push_back(list_grad, grad), None]


def stack(op: Operation, grad: Any) -> list[Any]:
    """The slices of the gradient."""
    return [nodes.from_tensor(grad, element_shape=grad.shape[1:]), None]


def _split_like(op: Operation, grad: Any) -> Tensor:
    shape = nodes.element_shape(op.inputs[0])
    return nodes.split(grad, shape, op.outputs[1])


def concat(op: Operation, grad: Any, _: Any) -> Any:
    """The parts of the gradient."""
    return _split_like(op, grad)


def concat_v2(op: Operation, grad: Any, _: Any) -> list[Any]:
    """The parts of the gradient."""
    return [_split_like(op, grad), None, None]


def split(op: Operation, grad: Any) -> list[Any]:
    """Joins the gradients of the parts."""
    tensor, _, lengths = op.inputs
    shape = array_concat.concat([[-1], _slice_shape(tensor)], axis=0)
    joined = apply_op("TensorListConcatV2", grad, shape, lengths, element_dtype=op.inputs[0].dtype)
    return [joined[0], None, None]


def from_tensor(op: Operation, grad: Any) -> list[Any]:
    """Stacks the gradients of the slices."""
    tensor = op.inputs[0]
    dims = tensor.shape.dims_tuple
    if grad is None:
        grad = nodes.empty_list(nodes.element_shape(op.outputs[0]), tensor.dtype)
    stacked = single(
        "TensorListStack",
        grad,
        _slice_shape(tensor),
        element_dtype=tensor.dtype,
        num_elements=dims[0] if dims else None,
    )
    return [stacked, None]


def get_item(op: Operation, grad: Any) -> list[Any]:
    """A list with the gradient at the element's place."""
    size = nodes.length(op.inputs[0])
    empty = single(
        "TensorListReserve",
        nodes.element_shape(op.inputs[0]),
        size,
        element_dtype=grad.dtype,
    )
    filled = single("TensorListSetItem", empty, op.inputs[1], grad)
    return [filled, None, None]


def set_item(op: Operation, grad: Any) -> list[Any]:
    """The element's gradient belongs to the item, not to what was there before."""
    before, index, item = op.inputs
    list_grad = single("TensorListSetItem", grad, index, array_fill.zeros_like(item))
    item_grad = nodes.get_item(
        grad, index, element_dtype=item.dtype, element_shape=array_shape.shape(item)
    )
    if op.get_attr("resize_if_index_out_of_bounds"):
        list_grad = nodes.resize(list_grad, nodes.length(before))
    return [list_grad, None, item_grad]


def resize(op: Operation, grad: Any) -> list[Any]:
    """Back to the size it had."""
    return [nodes.resize(grad, nodes.length(op.inputs[0])), None]


def gather(op: Operation, grad: Any) -> list[Any]:
    """A list with the gradients at the elements' places."""
    values, indices, _ = op.inputs
    shape = nodes.element_shape(values)
    empty = nodes.reserve(shape, nodes.length(values), grad.dtype)
    return [nodes.scatter(grad, indices, handle=empty), None, None]


def _gathered(grad: Any, tensor: Tensor, indices: Tensor) -> Tensor:
    return nodes.gather(
        grad, indices, element_dtype=tensor.dtype, element_shape=_slice_shape(tensor)
    )


def scatter(op: Operation, grad: Any) -> list[Any]:
    """Stacks the gradients of the slices."""
    return [_gathered(grad, op.inputs[0], op.inputs[1]), None, None]


def scatter_v2(op: Operation, grad: Any) -> list[Any]:
    """Stacks the gradients of the slices."""
    return [*scatter(op, grad), None]


def scatter_into(op: Operation, grad: Any) -> list[Any]:
    """The elements' gradients belong to the slices, not to what was there before."""
    _, tensor, indices = op.inputs
    tensor_grad = _gathered(grad, tensor, indices)
    zeros = array_fill.zeros_like(tensor)
    return [nodes.scatter(zeros, indices, indices, handle=grad), tensor_grad, None]
