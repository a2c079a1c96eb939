"""Kernels that make tensor arrays, and write and read single elements."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from dataflow.kernels.contract.invalid import invalid
from dataflow.kernels.contract.registry import KernelNode, kernel
from dataflow.kernels.contract.shape_text import shape_text
from dataflow.kernels.lists.tensor_array import CONTAINER, TensorArray
from dataflow.kernels.lists.tensor_array_handles import (
    WRITTEN,
    array_of,
    find_array,
    keep_array,
    register_forms,
    wrong_read,
    wrong_write,
)


def _bind_maker(node: KernelNode, xp: Any, identical: bool) -> Callable[[Any], TensorArray]:
    dtype, dims = node.attr("dtype"), node.attr("element_shape").dims_tuple
    dynamic, clear = node.attr("dynamic_size"), node.attr("clear_after_read")
    prefix = node.attr("tensor_array_name").decode(errors="backslashreplace") or node.name

    def make(size: Any) -> TensorArray:
        if np.ndim(size):
            raise invalid(
                f"TensorArray size must be scalar, but had shape: {shape_text(np.shape(size))}"
            )
        if size < 0:
            raise invalid("Size should be >= 0.")
        return TensorArray.named(
            prefix,
            dtype,
            int(size),
            dims,
            xp,
            identical=identical,
            dynamic=dynamic,
            clear=clear,
        )

    return make


def _flow(xp: Any) -> Any:
    """The value of every flow; only its being there matters."""
    return xp.zeros((), np.float32)[()]


@kernel("TensorArrayV3", host_inputs=("size",))
def tensor_array(node: KernelNode, xp: Any) -> Callable[..., Any]:
    """A new array each time it runs, so that iterations and steps share none."""
    make, flow = _bind_maker(node, xp, node.attr("identical_element_shapes")), _flow(xp)
    return lambda size: (make(size), flow)


@kernel("TensorArray", host_inputs=("size",), needs_step=True)
def tensor_array_reference(node: KernelNode, xp: Any) -> Callable[..., Any]:
    make = _bind_maker(node, xp, identical=False)
    return lambda step, size: keep_array(step, make(size))


@kernel("TensorArrayV2", host_inputs=("size",), needs_step=True)
def tensor_array_by_name(node: KernelNode, xp: Any) -> Callable[..., Any]:
    make = _bind_maker(node, xp, identical=False)
    return lambda step, size: keep_array(step, make(size)).value


@kernel("TensorArrayGradV3")
def gradient_array(node: KernelNode, xp: Any) -> Callable[..., Any]:
    source = node.attr("source").decode(errors="backslashreplace")
    return lambda array, flow: (array_of(array).gradient(source), flow)


@kernel("TensorArrayGradWithShape", host_inputs=("shape_to_prepend",))
def shaped_gradient_array(node: KernelNode, xp: Any) -> Callable[..., Any]:
    source = node.attr("source").decode(errors="backslashreplace")

    def run(array: Any, flow: Any, shape: Any) -> Any:
        if np.ndim(shape) != 1:
            raise invalid(
                f"shape_to_prepend must be a vector, got shape {shape_text(np.shape(shape))}"
            )
        outer = tuple(shape.tolist())
        if any(size < 0 for size in outer):
            raise invalid(f"shape_to_prepend must not be negative, got {shape_text(outer)}")
        return array_of(array).gradient(source, outer), flow

    return run


@kernel("TensorArrayGrad", needs_step=True)
def gradient_array_reference(node: KernelNode, xp: Any) -> Callable[..., Any]:
    source = node.attr("source").decode(errors="backslashreplace")
    return lambda step, handle, flow: keep_array(step, _forward(step, handle).gradient(source))


@kernel("TensorArrayGradV2", needs_step=True)
def gradient_array_by_name(node: KernelNode, xp: Any) -> Callable[..., Any]:
    source = node.attr("source").decode(errors="backslashreplace")
    return lambda step, handle, flow: (
        keep_array(step, _forward(step, handle).gradient(source)).value
    )


def _forward(step: Any, handle: Any) -> TensorArray:
    array = find_array(step, handle)
    if array.container != CONTAINER:
        raise invalid(f"Input container should be '{CONTAINER}',  but received '{array.container}'")
    return array


@register_forms("TensorArrayWrite", host_inputs=("index",), dtypes={"T": WRITTEN})
def write(node: KernelNode, xp: Any) -> Callable[..., Any]:
    dtype = node.attr("T")

    def run(array: Any, index: Any, value: Any, flow: Any) -> Any:
        if type(array) is not TensorArray:
            array = array_of(array)
        if array.dtype is not dtype:
            raise wrong_write(array, dtype)
        array.write(_index(index), value)
        return flow

    return run


@register_forms("TensorArrayRead", host_inputs=("index",), dtypes={"dtype": WRITTEN})
def read(node: KernelNode, xp: Any) -> Callable[..., Any]:
    dtype = node.attr("dtype")

    def run(array: Any, index: Any, flow: Any) -> Any:
        if type(array) is not TensorArray:
            array = array_of(array)
        if array.dtype is not dtype:
            raise wrong_read(array, dtype)
        return array.read(_index(index))

    return run


@register_forms("TensorArraySize", host_outputs=("size",))
def size(node: KernelNode, xp: Any) -> Callable[..., Any]:
    return lambda array, flow: np.int32(array_of(array).size)


@register_forms("TensorArrayClose")
def close(node: KernelNode, xp: Any) -> Callable[..., Any]:
    def run(array: Any) -> None:
        array_of(array).close()

    return run


def _index(index: Any) -> int:
    if type(index) is not np.int32 and np.ndim(index):
        raise invalid(
            f"TensorArray index must be scalar, but had shape: {shape_text(np.shape(index))}"
        )
    return int(index)
