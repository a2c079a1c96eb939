"""Kernels of slices: those that take one out of a tensor are views of it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from dataflow.kernels.contract.handles import OBJECTS, in_array
from dataflow.kernels.contract.invalid import invalid
from dataflow.kernels.contract.parameters import is_fixed
from dataflow.kernels.contract.registry import KernelNode, kernel
from dataflow.kernels.contract.shape_text import shape_text
from dataflow.kernels.ops.state.resource import held
from dataflow.values import dtypes
from dataflow.values.strided_slices import Masks, Window, window

_BOUNDS = ("begin", "end", "strides")


@kernel("Slice", host_inputs=("begin", "size"))
def take_block(node: KernelNode, xp: Any) -> Callable[..., Any]:
    def run(value: Any, begin: Any, size: Any) -> Any:
        rank = value.ndim
        if begin.shape != (rank,) or size.shape != (rank,):
            raise invalid(
                f"Expected begin and size arguments to be 1-D tensors of size {rank}, but got "
                f"shapes {shape_text(begin.shape)} and {shape_text(size.shape)} instead."
            )
        index: list[Any] = []
        for i, (first, count, dim) in enumerate(
            zip(begin.tolist(), size.tolist(), value.shape, strict=True)
        ):
            if not 0 <= first <= dim:
                raise invalid(f"Expected begin[{i}] in [0, {dim}], but got {first}")
            taken = dim - first if count == -1 else count
            if not 0 <= taken <= dim - first:
                raise invalid(f"Expected size[{i}] in [0, {dim - first}], but got {count}")
            index.append(slice(first, first + taken))
        return value[(*index, Ellipsis)]

    return run


class _Windows:
    """Resolves the bounds of one node; remembers the last ones, which seldom change."""

    def __init__(self, node: KernelNode) -> None:
        self._masks = Masks.read(node.attr)
        self._last: tuple[Any, Window] | None = None
        self._fixed: tuple[Any, ...] = (None,) * 5
        """The last bounds that cannot change, with the shape and its window."""

    def of(self, dims: tuple[int, ...], begin: Any, end: Any, strides: Any) -> Window:
        """The window the bounds take of a shape.

        Raises:
          InvalidArgumentError: They do not fit it.
        """
        shape, first, last_end, steps, known = self._fixed
        if begin is first and end is last_end and strides is steps and dims == shape:
            return known  # type: ignore[no-any-return]
        found = self._of_values(dims, begin, end, strides)
        if is_fixed(begin) and is_fixed(end) and is_fixed(strides):
            self._fixed = (dims, begin, end, strides, found)
        return found

    def _of_values(self, dims: tuple[int, ...], begin: Any, end: Any, strides: Any) -> Window:
        key = (dims, begin.tobytes(), end.tobytes(), strides.tobytes(), begin.shape, end.shape)
        last = self._last
        if last is not None and last[0] == key:
            return last[1]
        found = self._resolved(dims, begin, end, strides)
        self._last = (key, found)
        return found

    def _resolved(self, dims: tuple[int, ...], begin: Any, end: Any, strides: Any) -> Window:
        if strides.ndim != 1 or begin.shape != strides.shape or end.shape != strides.shape:
            raise invalid(
                "Expected begin, end, and strides to be 1D equal size tensors, but got shapes "
                f"{shape_text(begin.shape)}, {shape_text(end.shape)}, and "
                f"{shape_text(strides.shape)} instead."
            )
        try:
            return window(dims, begin.tolist(), end.tolist(), strides.tolist(), self._masks)
        except ValueError as error:
            raise invalid(str(error)) from None


@kernel("StridedSlice", host_inputs=_BOUNDS, grows=True)
def strided_slice(node: KernelNode, xp: Any) -> Callable[..., Any]:
    windows = _Windows(node)

    def run(value: Any, begin: Any, end: Any, strides: Any) -> Any:
        return value[windows.of(value.shape, begin, end, strides).index]

    def run_on_objects(value: Any, begin: Any, end: Any, strides: Any) -> Any:
        found = run(in_array(value), begin, end, strides)
        return found if found.ndim else found.item()

    return run_on_objects if node.input_dtypes[0] in OBJECTS else run


@kernel("StridedSliceGrad", host_inputs=("shape", *_BOUNDS), grows=True)
def strided_slice_grad(node: KernelNode, xp: Any) -> Callable[..., Any]:
    windows = _Windows(node)
    dtype = node.output_dtypes[0]

    def run(shape: Any, begin: Any, end: Any, strides: Any, dy: Any) -> Any:
        if shape.ndim != 1:
            raise invalid(f"shape must be 1-D, got shape.shape = {shape_text(shape.shape)}")
        dims = tuple(shape.tolist())
        found = windows.of(dims, begin, end, strides)
        if dy.shape != found.shape:
            raise invalid(
                f"shape of dy was {shape_text(dy.shape)} instead of "
                f"{shape_text(n or 0 for n in found.shape)}"
            )
        if dtype == dtypes.string:
            whole = np.full(dims, b"", object)
        else:
            whole = xp.zeros(dims, dtype.as_numpy_dtype)
        whole[found.index] = dy
        return whole

    return run


def _check_value(found: Window, value: Any) -> None:
    shape = tuple(n or 0 for n in found.shape)
    try:
        fits = np.broadcast_shapes(value.shape, shape) == shape
    except ValueError:
        fits = False
    if not fits:
        raise invalid(
            f"Cannot broadcast input shape {shape_text(value.shape)} into final shape "
            f"{shape_text(shape)}"
        )


@kernel("TensorStridedSliceUpdate", host_inputs=_BOUNDS)
def update(node: KernelNode, xp: Any) -> Callable[..., Any]:
    windows = _Windows(node)

    def run(source: Any, begin: Any, end: Any, strides: Any, value: Any) -> Any:
        found = windows.of(source.shape, begin, end, strides)
        _check_value(found, value)
        whole = xp.array(source, copy=True)
        whole[found.index] = value
        return whole

    return run


def _assign(
    windows: _Windows, xp: Any, cell: Any, begin: Any, end: Any, strides: Any, value: Any
) -> None:
    def change(current: Any, alone: bool) -> Any:
        found = windows.of(current.shape, begin, end, strides)
        _check_value(found, value)
        whole = current if alone else xp.array(current, copy=True)
        whole[found.index] = value
        return whole

    cell.update(change)


@kernel("StridedSliceAssign", host_inputs=_BOUNDS)
def assign(node: KernelNode, xp: Any) -> Callable[..., Any]:
    windows = _Windows(node)

    def run(cell: Any, begin: Any, end: Any, strides: Any, value: Any) -> Any:
        _assign(windows, xp, cell, begin, end, strides, value)
        return cell

    return run


@kernel("ResourceStridedSliceAssign", host_inputs=_BOUNDS)
def assign_resource(node: KernelNode, xp: Any) -> Callable[..., Any]:
    windows = _Windows(node)

    def run(cell: Any, begin: Any, end: Any, strides: Any, value: Any) -> None:
        held(cell)
        _assign(windows, xp, cell, begin, end, strides, value)

    return run
