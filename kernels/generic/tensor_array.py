"""Kernels of tensor arrays; a handle is the array itself, which ends with the step that made it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np

from dataflow import dtypes
from dataflow.dtypes import DType
from dataflow.errors import UnimplementedError
from dataflow.kernels.invalid import invalid
from dataflow.kernels.registry import Bind, KernelNode, kernel
from dataflow.kernels.shape_text import shape_text
from dataflow.kernels.stacking import concatenate_elements, numpy_type, slices_of, stack_elements
from dataflow.kernels.tensor_array import CONTAINER, Dims, TensorArray, dims_text
from dataflow.kernels.type_names import type_name

_ARITHMETIC: Final = (
    *(dtypes.half, dtypes.bfloat16, dtypes.float32, dtypes.float64),
    *(dtypes.complex64, dtypes.complex128, dtypes.bool),
    *(dtypes.int8, dtypes.int16, dtypes.int32, dtypes.int64),
    *(dtypes.uint8, dtypes.uint16, dtypes.uint32, dtypes.uint64),
)
_WRITTEN: Final = (*_ARITHMETIC, dtypes.string, dtypes.variant, dtypes.resource)
_GATHERED: Final = (
    *(*_ARITHMETIC, dtypes.string, dtypes.variant),
    *(dtypes.quint8, dtypes.qint8, dtypes.qint32),
)
_JOINED: Final = tuple(dtype for dtype in _GATHERED if dtype is not dtypes.variant)


def _by_name(bind: Bind) -> Bind:
    """The kernel of an op whose handle is a name that the step knows."""

    def bind_old(node: KernelNode, xp: Any) -> Callable[..., Any]:
        call = bind(node, xp)
        return lambda step, handle, *inputs: call(_find(step, handle), *inputs)

    return bind_old


def _find(step: Any, handle: Any) -> TensorArray:
    names = np.asarray(handle).reshape(-1).tolist()
    if len(names) != 2:
        raise invalid(
            "Tensor array handle must be 2-element vector, but had shape: "
            f"{shape_text(np.shape(handle))}"
        )
    key = b"".join(names).decode(errors="backslashreplace")
    array: TensorArray | None = step.resources.lookup("", key, TensorArray)
    if array is None:
        raise invalid(f"There is no TensorArray {key} in this step.")
    return array


def _keep(step: Any, array: TensorArray) -> TensorArray:
    """Lets the step know the array by name."""
    found: TensorArray = step.resources.lookup_or_create(
        "", array.container + array.name, TensorArray, lambda: array
    )
    return found


def _checked(handle: Any) -> TensorArray:
    """The array behind a handle of dtype resource, which may come from anywhere."""
    if type(handle) is TensorArray:
        return handle
    raise invalid(
        "Trying to access resource using the wrong type. Expected tensorflow::TensorArray got "
        f"{type(handle).__name__}"
    )


def _register(name: str, **options: Any) -> Callable[[Bind], Bind]:
    """Registers a kernel for an op's three forms: handle as resource, as name, as reference."""

    def register(bind: Bind) -> Bind:
        kernel(f"{name}V3", name, **options)(bind)
        kernel(f"{name}V2", needs_step=True, **options)(_by_name(bind))
        return bind

    return register


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
    return np.float32(0) if xp is np else xp.zeros((), np.float32)


@kernel("TensorArrayV3", host_inputs=("size",))
def tensor_array(node: KernelNode, xp: Any) -> Callable[..., Any]:
    """A new array each time it runs, so that iterations and steps share none."""
    make, flow = _bind_maker(node, xp, node.attr("identical_element_shapes")), _flow(xp)
    return lambda size: (make(size), flow)


@kernel("TensorArray", host_inputs=("size",), needs_step=True)
def tensor_array_reference(node: KernelNode, xp: Any) -> Callable[..., Any]:
    make = _bind_maker(node, xp, identical=False)
    return lambda step, size: _keep(step, make(size))


@kernel("TensorArrayV2", host_inputs=("size",), needs_step=True)
def tensor_array_by_name(node: KernelNode, xp: Any) -> Callable[..., Any]:
    make = _bind_maker(node, xp, identical=False)
    return lambda step, size: _keep(step, make(size)).value


@kernel("TensorArrayGradV3")
def gradient_array(node: KernelNode, xp: Any) -> Callable[..., Any]:
    source = node.attr("source").decode(errors="backslashreplace")
    return lambda array, flow: (_checked(array).gradient(source), flow)


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
        return _checked(array).gradient(source, outer), flow

    return run


@kernel("TensorArrayGrad", needs_step=True)
def gradient_array_reference(node: KernelNode, xp: Any) -> Callable[..., Any]:
    source = node.attr("source").decode(errors="backslashreplace")
    return lambda step, handle, flow: _keep(step, _forward(step, handle).gradient(source))


@kernel("TensorArrayGradV2", needs_step=True)
def gradient_array_by_name(node: KernelNode, xp: Any) -> Callable[..., Any]:
    source = node.attr("source").decode(errors="backslashreplace")
    return lambda step, handle, flow: _keep(step, _forward(step, handle).gradient(source)).value


def _forward(step: Any, handle: Any) -> TensorArray:
    array = _find(step, handle)
    if array.container != CONTAINER:
        raise invalid(f"Input container should be '{CONTAINER}',  but received '{array.container}'")
    return array


@_register("TensorArrayWrite", host_inputs=("index",), dtypes={"T": _WRITTEN}, aliases_input=True)
def write(node: KernelNode, xp: Any) -> Callable[..., Any]:
    dtype = node.attr("T")

    def run(array: Any, index: Any, value: Any, flow: Any) -> Any:
        if type(array) is not TensorArray:
            array = _checked(array)
        if array.dtype is not dtype:
            raise _wrong_write(array, dtype)
        array.write(_index(index), value)
        return flow

    return run


@_register("TensorArrayRead", host_inputs=("index",), dtypes={"dtype": _WRITTEN})
def read(node: KernelNode, xp: Any) -> Callable[..., Any]:
    dtype = node.attr("dtype")

    def run(array: Any, index: Any, flow: Any) -> Any:
        if type(array) is not TensorArray:
            array = _checked(array)
        if array.dtype is not dtype:
            raise _wrong_read(array, dtype)
        return array.read(_index(index))

    return run


@_register("TensorArrayGather", host_inputs=("indices",), dtypes={"dtype": _GATHERED})
def gather(node: KernelNode, xp: Any) -> Callable[..., Any]:
    collect = _bind_collect(node, xp)

    def run(array: Any, indices: Any, flow: Any) -> Any:
        array = _checked(array)
        return collect(array, lambda: _indices(indices))

    return run


@kernel("TensorArrayPack", dtypes={"dtype": _GATHERED})
def pack(node: KernelNode, xp: Any) -> Callable[..., Any]:
    collect = _bind_collect(node, xp)
    return lambda array, flow: collect(array, lambda: list(range(array.whole_size)))


def _bind_collect(
    node: KernelNode, xp: Any
) -> Callable[[TensorArray, Callable[[], list[int]]], Any]:
    """Stacks the elements at the places that its second argument gives."""
    dtype, dims = node.attr("dtype"), node.attr("element_shape").dims_tuple

    def collect(array: TensorArray, places: Callable[[], list[int]]) -> Any:
        if array.dtype is not dtype:
            raise _wrong_read(array, dtype)
        array.merge_dims(dims)
        indices = places()
        if not indices:
            return _nothing(xp, dtype, dims, "element shape", "packing")
        values = array.read_many(indices)
        shape = np.shape(values[0])
        if not _agrees(dims, shape):
            raise invalid(
                f"TensorArray was passed element_shape {dims_text(dims)} which does not match the "
                f"Tensor at index 0: {shape_text(shape)}"
            )
        for place, value in enumerate(values):
            if np.shape(value) != shape:
                raise invalid(
                    f"TensorArray has inconsistent shapes.  Index 0 has shape: {shape_text(shape)} "
                    f"but index {place} has shape: {shape_text(np.shape(value))}"
                )
        return stack_elements(xp, values, dtype)

    return collect


@_register(
    "TensorArrayScatter", host_inputs=("indices",), dtypes={"T": _WRITTEN}, aliases_input=True
)
def scatter(node: KernelNode, xp: Any) -> Callable[..., Any]:
    dtype = node.attr("T")

    def run(array: Any, indices: Any, value: Any, flow: Any) -> Any:
        array = _checked(array)
        if array.dtype is not dtype:
            raise _wrong_write(array, dtype)
        count = _rows(value)
        places = _indices(indices)
        if len(places) != count:
            raise invalid(
                f"Expected len(indices) == values.shape[0], but saw: {len(places)} vs. {count}"
            )
        size, last = array.size, max(places, default=-1)
        if last >= size and not array.dynamic:
            raise invalid(f"Max scatter index must be < array size ({last} vs. {size})")
        array.write_many(places, slices_of(value, dtype))
        return flow

    return run


@kernel("TensorArrayUnpack", dtypes={"T": _WRITTEN}, aliases_input=True)
def unpack(node: KernelNode, xp: Any) -> Callable[..., Any]:
    dtype = node.attr("T")

    def run(array: TensorArray, value: Any, flow: Any) -> Any:
        if array.dtype is not dtype:
            raise _wrong_write(array, dtype)
        count, size = _rows(value), array.size
        if array.dynamic:
            size = max(size, count)
        if count != size:
            raise invalid(
                "Input value must have first dimension equal to the array size "
                f"({count} vs. {size})"
            )
        array.marked_size = size
        array.write_many(range(count), slices_of(value, dtype))
        return flow

    return run


@_register("TensorArrayConcat", host_outputs=("lengths",), dtypes={"dtype": _JOINED})
def concat(node: KernelNode, xp: Any) -> Callable[..., Any]:
    dtype, dims = node.attr("dtype"), node.attr("element_shape_except0").dims_tuple

    def run(array: Any, flow: Any) -> Any:
        array = _checked(array)
        if array.dtype is not dtype:
            raise _wrong_read(array, dtype)
        size = array.whole_size
        if size < 0:
            raise invalid(
                f"TensorArray {array.name}: Could not concat gradients of an array that was never "
                "split"
            )
        if not size:
            value = _nothing(xp, dtype, dims, "element_shape_except0", "concatenating")
            return value, np.empty(0, np.int64)
        values = array.read_many(range(size))
        _check_joinable(values, dims)
        lengths = np.array([len(value) for value in values], np.int64)
        return concatenate_elements(xp, values), lengths

    return run


def _check_joinable(values: list[Any], dims: Dims | None) -> None:
    """Refuses elements that differ in more than their first dimension."""
    rest: tuple[int, ...] = ()
    for place, value in enumerate(values):
        shape = np.shape(value)
        if not shape:
            raise invalid(
                f"Concat saw a scalar shape at index {place} but requires at least vectors.  "
                "Did you mean to call pack?"
            )
        if not place:
            rest = shape[1:]
            if not _agrees(dims, rest):
                raise invalid(
                    f"TensorArray was passed element_shape_except0 {dims_text(dims)} but index 0 "
                    f"has (excepting dimension 0) shape: {shape_text(rest)} which does not match."
                )
        elif shape[1:] != rest:
            raise invalid(
                "TensorArray has inconsistent shapes.  Index 0 has (excepting dimension 0) shape: "
                f"{shape_text(rest)} but index {place} has (excepting dimension 0) shape: "
                f"{shape_text(shape[1:])}"
            )


@_register("TensorArraySplit", host_inputs=("lengths",), dtypes={"T": _WRITTEN}, aliases_input=True)
def split(node: KernelNode, xp: Any) -> Callable[..., Any]:
    dtype = node.attr("T")

    def run(array: Any, value: Any, lengths: Any, flow: Any) -> Any:
        array = _checked(array)
        if array.dtype is not dtype:
            raise _wrong_write(array, dtype)
        ends = _ends(value, lengths)
        size = array.size
        if array.dynamic:
            size = max(size, len(ends))
        if size != len(ends):
            raise invalid(
                f"TensorArray's size is not equal to the size of lengths ({size} vs. {len(ends)}), "
                "and the TensorArray is not marked as dynamically resizeable"
            )
        array.marked_size = size
        parts = (value[s:e] for s, e in zip([0, *ends], ends, strict=False))
        array.write_many(range(len(ends)), parts)
        return flow

    return run


def _ends(value: Any, lengths: Any) -> list[int]:
    """Where the parts of a tensor end along its first dimension."""
    if np.ndim(lengths) != 1:
        raise invalid(
            f"Expected lengths to be a vector, received shape: {shape_text(np.shape(lengths))}"
        )
    shape = np.shape(value)
    if not shape:
        raise invalid(
            f"Expected value to be at least a vector, but received shape: {shape_text(shape)}"
        )
    if lengths.size and lengths.min() < 0:
        raise invalid(f"Expected lengths to be >= 0, but got {lengths.min()}")
    ends: list[int] = np.cumsum(lengths).tolist()
    total = ends[-1] if ends else 0
    if total != shape[0]:
        raise invalid(
            "Expected sum of lengths to be equal to values.shape[0], but sum of lengths is "
            f"{total} and value's shape is: {shape_text(shape)} "
        )
    return ends


@_register("TensorArraySize", host_outputs=("size",))
def size(node: KernelNode, xp: Any) -> Callable[..., Any]:
    return lambda array, flow: np.int32(_checked(array).size)


@_register("TensorArrayClose")
def close(node: KernelNode, xp: Any) -> Callable[..., Any]:
    def run(array: Any) -> None:
        _checked(array).close()

    return run


def _index(index: Any) -> int:
    if type(index) is not np.int32 and np.ndim(index):
        raise invalid(
            f"TensorArray index must be scalar, but had shape: {shape_text(np.shape(index))}"
        )
    return int(index)


def _indices(indices: Any) -> list[int]:
    if np.ndim(indices) != 1:
        raise invalid(
            f"Expected indices to be a vector, but received shape: {shape_text(np.shape(indices))}"
        )
    found: list[int] = indices.tolist()
    return found


def _rows(value: Any) -> int:
    shape = np.shape(value)
    if not shape:
        raise invalid(
            "Input value for unpack must be at least a vector but received shape: "
            f"{shape_text(shape)}"
        )
    return int(shape[0])


def _agrees(dims: Dims | None, shape: tuple[int, ...]) -> bool:
    return dims is None or (
        len(dims) == len(shape)
        and all(a is None or a == b for a, b in zip(dims, shape, strict=True))
    )


def _nothing(xp: Any, dtype: DType, dims: Dims | None, what: str, doing: str) -> Any:
    """The result of stacking or joining no elements."""
    if dims is None or None in dims:
        raise UnimplementedError(
            None,
            None,
            f"TensorArray has size zero, but {what} {dims_text(dims)} is not fully defined. "
            f"Currently only static shapes are supported when {doing} zero-size TensorArrays.",
        )
    return xp.empty((0, *dims), numpy_type(dtype))


def _wrong_write(array: TensorArray, dtype: DType) -> Exception:
    return invalid(
        f"TensorArray dtype is {type_name(array.dtype)} but Op is trying to write dtype "
        f"{type_name(dtype)}."
    )


def _wrong_read(array: TensorArray, dtype: DType) -> Exception:
    return invalid(
        f"TensorArray dtype is {type_name(array.dtype)} but Op requested dtype {type_name(dtype)}."
    )
