"""Kernels of the matrix products."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from dataflow.errors import InvalidArgumentError
from dataflow.kernels.contract.element_types import COMPLEX, FLOATS
from dataflow.kernels.contract.invalid import invalid
from dataflow.kernels.contract.precision import NARROW
from dataflow.kernels.contract.registry import KernelNode, kernel
from dataflow.kernels.contract.shape_text import shape_text
from dataflow.kernels.narrow.conversion import narrow, widen
from dataflow.values import dtypes

_TYPES = (*FLOATS, *COMPLEX, dtypes.int16, dtypes.int32, dtypes.int64)

Multiply = Callable[[Any, Any], Any]
"""Multiplies matrices; ValueError if these do not fit."""


@kernel("MatMul", dtypes={"T": _TYPES})
def matmul(node: KernelNode, xp: Any) -> Callable[..., Any]:
    return matmul_by(node, in_type(node, xp.matmul))


def matmul_by(node: KernelNode, dot: Multiply) -> Callable[..., Any]:
    """The callable of `MatMul`."""
    transpose_a, transpose_b = node.attr("transpose_a"), node.attr("transpose_b")

    def run(a: Any, b: Any) -> Any:
        if transpose_a:
            a = a.T
        if transpose_b:
            b = b.T
        if a.ndim != 2 or b.ndim != 2:
            raise _mismatch(a, b, transpose_a, transpose_b)
        try:
            return dot(a, b)
        except ValueError:
            raise _mismatch(a, b, transpose_a, transpose_b) from None

    return run


def _mismatch(a: Any, b: Any, transposed_a: bool, transposed_b: bool) -> InvalidArgumentError:
    given = (a.T if transposed_a else a, b.T if transposed_b else b)
    for which, array in enumerate(given):
        if array.ndim < 2:
            return invalid(f"In[{which}] ndims must be >= 2: {array.ndim}")
    for which, array in enumerate(given):
        if array.ndim > 2:
            return invalid(f"In[{which}] must be a matrix, but has shape {shape_text(array.shape)}")
    shapes = ", ".join(f"In[{i}]: {shape_text(x.shape)}" for i, x in enumerate(given))
    return invalid(f"Matrix size-incompatible: {shapes}")


@kernel("BatchMatMul")
@kernel("BatchMatMulV2", dtypes={"T": _TYPES})
@kernel(
    "BatchMatMulV3",
    dtypes={
        "Ta": [t for t in (*_TYPES, dtypes.int8, dtypes.uint8) if t is not dtypes.half],
        "Tb": [t for t in (*_TYPES, dtypes.int8, dtypes.uint8) if t is not dtypes.half],
        "Tout": [t for t in _TYPES if t is not dtypes.half],
    },
)
def batch_matmul(node: KernelNode, xp: Any) -> Callable[..., Any]:
    return batch_matmul_by(node, xp, xp.matmul)


def batch_matmul_by(node: KernelNode, xp: Any, multiply: Multiply) -> Callable[..., Any]:
    """The callable of `BatchMatMul` and its versions."""
    adjoint_x, adjoint_y = node.attr("adj_x"), node.attr("adj_y")
    is_complex = node.input_dtypes[0].is_complex
    broadcasts = node.op != "BatchMatMul"
    dot = in_type(node, multiply)

    def adjoint(x: Any) -> Any:
        swapped = xp.swapaxes(x, -1, -2)
        return xp.conj(swapped) if is_complex else swapped

    def run(x: Any, y: Any) -> Any:
        if x.ndim < 2 or y.ndim < 2 or not (broadcasts or x.shape[:-2] == y.shape[:-2]):
            raise _batch_mismatch(x, y, adjoint_x, adjoint_y)
        try:
            return dot(adjoint(x) if adjoint_x else x, adjoint(y) if adjoint_y else y)
        except ValueError:
            raise _batch_mismatch(x, y, adjoint_x, adjoint_y) from None

    return run


def _batch_mismatch(x: Any, y: Any, adjoint_x: bool, adjoint_y: bool) -> InvalidArgumentError:
    shapes = f"In[0]: {shape_text(x.shape)}, In[1]: {shape_text(y.shape)}"
    for which, array in (("0", x), ("1", y)):
        if array.ndim < 2:
            text = f"In[{which}] ndims must be >= 2: {array.ndim}"
            return invalid(text)
    inner_x, inner_y = x.shape[-2 if adjoint_x else -1], y.shape[-1 if adjoint_y else -2]
    if inner_x != inner_y:
        return invalid(f"Matrix size-incompatible: {shapes}")
    text = "In[0] and In[1] must have compatible batch dimensions: "
    text += f"{shape_text(x.shape)} vs. {shape_text(y.shape)}"
    return invalid(text)


@kernel("SparseMatMul")
def sparse_matmul(node: KernelNode, xp: Any) -> Callable[..., Any]:
    """The dense product: zeros cost less than finding them."""
    return sparse_matmul_by(node, xp.matmul)


def sparse_matmul_by(node: KernelNode, dot: Multiply) -> Callable[..., Any]:
    """The callable of `SparseMatMul`."""
    transpose_a, transpose_b = node.attr("transpose_a"), node.attr("transpose_b")

    def run(a: Any, b: Any) -> Any:
        a, b = widen(a), widen(b)
        if a.ndim != 2 or b.ndim != 2:
            raise _mismatch(a, b, False, False)
        try:
            return dot(a.T if transpose_a else a, b.T if transpose_b else b)
        except ValueError:
            raise _mismatch(a, b, False, False) from None

    return run


def in_type(node: KernelNode, matmul: Multiply) -> Multiply:
    """The product in the result's type; of 16-bit floats summed up in float32."""
    types = {t.base_dtype for t in (*node.input_dtypes, *node.output_dtypes)}
    result = node.output_dtypes[0].as_numpy_dtype
    if len(types) == 1 and not types & NARROW:
        return matmul
    if node.output_dtypes[0] in NARROW:
        return lambda a, b: narrow(matmul(widen(a), widen(b)), result)
    return lambda a, b: matmul(a.astype(result), b.astype(result))
