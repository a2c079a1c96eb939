"""Kernels that make tensors of one value."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from dataflow.kernels.contract.handles import OBJECTS, in_array
from dataflow.kernels.contract.invalid import invalid
from dataflow.kernels.contract.registry import KernelNode, kernel
from dataflow.kernels.contract.shape_text import shape_text
from dataflow.values import dtypes


def sizes_of(dims: Any) -> list[int]:
    """A shape given as a vector.

    Raises:
      InvalidArgumentError: A size is negative.
    """
    sizes: list[int] = dims.reshape(-1).tolist()
    for n in sizes:
        if n < 0:
            raise invalid(f"Dimension {n} must be >= 0")
    return sizes


@kernel("Fill", host_inputs=("dims",), grows=True)
def fill(node: KernelNode, xp: Any) -> Callable[..., Any]:
    if node.output_dtypes[0] in OBJECTS:
        return _fill_with_object
    dtype = node.output_dtypes[0].as_numpy_dtype

    def run(dims: Any, value: Any) -> Any:
        _check_fill(dims, value)
        return xp.full(sizes_of(dims), value.reshape(()), dtype)

    return run


def _check_fill(dims: Any, value: Any) -> None:
    if value.ndim and value.size != 1:
        raise invalid(f"value must represent a scalar, got shape {shape_text(value.shape)}")
    if dims.ndim > 1:
        raise invalid(f"dims must represent a vector, got shape {shape_text(dims.shape)}")


def _fill_with_object(dims: Any, value: Any) -> Any:
    value = in_array(value)
    _check_fill(dims, value)
    sizes = sizes_of(dims)
    return np.full(sizes, value.reshape(()), object) if sizes else value.item()


@kernel("ZerosLike", elementwise=True)
def zeros_like(node: KernelNode, xp: Any) -> Callable[..., Any]:
    if node.input_dtypes[0] == dtypes.string:
        return lambda value: np.full(value.shape, b"", object)
    return xp.zeros_like  # type: ignore[no-any-return]


@kernel("OnesLike")
def ones_like(node: KernelNode, xp: Any) -> Callable[..., Any]:
    return xp.ones_like  # type: ignore[no-any-return]


@kernel("Empty", host_inputs=("shape",), grows=True)
def empty(node: KernelNode, xp: Any) -> Callable[..., Any]:
    dtype = node.output_dtypes[0]

    def run(shape: Any) -> Any:
        if shape.ndim != 1:
            raise invalid(f"shape must be a vector of int32, got shape {shape_text(shape.shape)}")
        sizes = sizes_of(shape)
        if dtype == dtypes.string:
            return np.full(sizes, b"", object)
        return xp.zeros(sizes, dtype.as_numpy_dtype)

    return run
