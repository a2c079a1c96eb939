"""Kernels of casts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from dataflow import dtypes
from dataflow.errors import UnimplementedError
from dataflow.kernels.registry import KernelNode, kernel

_OPAQUE = (dtypes.string, dtypes.resource, dtypes.variant)


@kernel("Cast", elementwise=True, aliases_input=True)
def cast(node: KernelNode, xp: Any) -> Callable[..., Any]:
    source, target = node.attr("SrcT"), node.attr("DstT")
    if source is target:
        return lambda x: x
    if source in _OPAQUE or target in _OPAQUE or source.is_quantized or target.is_quantized:
        raise UnimplementedError(
            None, None, f"Cast {_name(source)} to {_name(target)} is not supported"
        )
    dtype = target.as_numpy_dtype
    if source.is_complex and not target.is_complex:
        return lambda x: x.real.astype(dtype)
    return lambda x: x.astype(dtype)


def _name(dtype: dtypes.DType) -> str:
    return {"float32": "float", "float64": "double", "float16": "half"}.get(dtype.name, dtype.name)
