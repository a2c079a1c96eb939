"""Kernels that draw from generators whose state is a variable, as TensorFlow's do."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Final

import numpy as np

from dataflow.kernels.contract.registry import KernelNode, kernel
from dataflow.kernels.contract.resources import Variable
from dataflow.kernels.random.fills import (
    Fill,
    many_normal,
    many_truncated,
    many_uniform,
)
from dataflow.kernels.random.generators import STATE_SIZE, check_algorithm, check_scalar, take
from dataflow.kernels.random.integers import between, bits, check_bounds
from dataflow.kernels.random.sizes import sizes_of
from dataflow.values import dtypes

_FLOATS: Final = (dtypes.half, dtypes.bfloat16, dtypes.float32, dtypes.float64)
_WORDS: Final = (dtypes.int32, dtypes.int64, dtypes.uint32, dtypes.uint64)
_SIZES: Final = (dtypes.int32, dtypes.int64)


def _floats(node: KernelNode) -> Fill:
    dtype = node.output_dtypes[0].as_numpy_dtype
    if node.op == "StatefulTruncatedNormal":
        return many_truncated(dtype)
    return many_uniform(dtype) if node.op == "StatefulUniform" else many_normal(dtype)


@kernel(
    "StatefulUniform",
    "StatefulStandardNormalV2",
    "StatefulTruncatedNormal",
    dtypes={"dtype": _FLOATS, "shape_dtype": _SIZES},
    host_inputs=("algorithm", "shape"),
    host_outputs=("output",),
    grows=True,
    handle=Variable,
)
def floats(node: KernelNode, xp: Any) -> Callable[..., Any]:
    dtype, make = node.output_dtypes[0].as_numpy_dtype, _floats(node)

    def run(cell: Variable, algorithm: Any, shape: Any) -> Any:
        check_algorithm(algorithm, "algorithm")
        return drawn(cell, shape, 0)

    def drawn(cell: Variable, shape: Any, first: int) -> Any:
        sizes = sizes_of(shape)
        count = math.prod(sizes)
        _, stream = take(cell, count, first)
        if not count:
            return np.empty(sizes, dtype)
        return make(stream, count).astype(dtype, copy=False).reshape(sizes)

    if node.op == "StatefulStandardNormal":
        return lambda cell, shape: drawn(cell, shape, 1)
    return run


kernel(
    "StatefulStandardNormal",
    dtypes={"dtype": _FLOATS, "shape_dtype": _SIZES},
    host_inputs=("shape",),
    host_outputs=("output",),
    grows=True,
    handle=Variable,
)(floats)


@kernel(
    "StatefulUniformFullInt",
    dtypes={"dtype": _WORDS, "shape_dtype": _SIZES},
    host_inputs=("algorithm", "shape"),
    host_outputs=("output",),
    grows=True,
    handle=Variable,
)
def whole(node: KernelNode, xp: Any) -> Callable[..., Any]:
    dtype = np.dtype(node.output_dtypes[0].as_numpy_dtype)

    def run(cell: Variable, algorithm: Any, shape: Any) -> Any:
        check_algorithm(algorithm, "algorithm")
        sizes = sizes_of(shape)
        count = math.prod(sizes)
        _, stream = take(cell, count)
        return bits(stream, count, dtype).view(dtype).reshape(sizes)

    return run


@kernel(
    "StatefulUniformInt",
    dtypes={"dtype": _SIZES, "shape_dtype": _SIZES},
    host_inputs=("algorithm", "shape", "minval", "maxval"),
    host_outputs=("output",),
    grows=True,
    handle=Variable,
)
def integers(node: KernelNode, xp: Any) -> Callable[..., Any]:
    dtype = np.dtype(node.output_dtypes[0].as_numpy_dtype)

    def run(cell: Variable, algorithm: Any, shape: Any, low: Any, high: Any) -> Any:
        check_bounds(low, high)
        check_algorithm(algorithm, "algorithm")
        sizes = sizes_of(shape)
        return between(lambda: take(cell, math.prod(sizes))[1], sizes, low, high, dtype)

    return run


@kernel("RngSkip", host_inputs=("algorithm", "delta"), handle=Variable)
def skip(node: KernelNode, xp: Any) -> Callable[..., Any]:
    def run(cell: Variable, algorithm: Any, delta: Any) -> None:
        check_algorithm(algorithm, "algorithm")
        check_scalar(delta, "delta")
        take(cell, int(delta))

    return run


@kernel("RngReadAndSkip", host_inputs=("alg", "delta"), host_outputs=("value",), handle=Variable)
def read_and_skip(node: KernelNode, xp: Any) -> Callable[..., Any]:
    def run(cell: Variable, algorithm: Any, delta: Any) -> Any:
        check_algorithm(algorithm, "alg")
        check_scalar(delta, "delta")
        return take(cell, int(delta))[0][:STATE_SIZE]

    return run
