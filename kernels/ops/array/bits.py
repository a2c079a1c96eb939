"""Kernel of Bitcast."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from dataflow.kernels.contract.element_types import NUMBERS
from dataflow.kernels.contract.invalid import invalid
from dataflow.kernels.contract.registry import KernelNode, kernel
from dataflow.values.dtypes import QUANTIZED_DTYPES

_BITS: Final = (*NUMBERS, *(dtype for dtype in QUANTIZED_DTYPES if dtype is dtype.base_dtype))


@kernel("Bitcast", dtypes={"T": _BITS, "type": _BITS}, grows=True)
def bitcast(node: KernelNode, xp: Any) -> Callable[..., Any]:
    source, target = node.input_dtypes[0], node.attr("type")
    dtype = target.as_numpy_dtype
    if source.size == target.size:
        return lambda value: value.view(dtype)
    if source.size > target.size:
        return lambda value: xp.ascontiguousarray(value.reshape((*value.shape, 1))).view(dtype)
    ratio = target.size // source.size

    def widen(value: Any) -> Any:
        if not value.ndim or value.shape[-1] != ratio:
            raise invalid(
                f"Cannot bitcast from {source.as_datatype_enum} to {target.as_datatype_enum}"
            )
        return xp.ascontiguousarray(value).view(dtype).reshape(value.shape[:-1])

    return widen
