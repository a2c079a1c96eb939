"""Kernels of casts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from dataflow.errors import UnimplementedError
from dataflow.kernels.contract.carriers import carried, carrier, quantized
from dataflow.kernels.contract.precision import NARROW
from dataflow.kernels.contract.registry import KernelNode, kernel
from dataflow.kernels.narrow.conversion import narrow, widen
from dataflow.kernels.narrow.functions import is_numpy
from dataflow.values import dtypes

_OPAQUE = (dtypes.string, dtypes.resource, dtypes.variant)


@kernel("Cast", elementwise=True)
def cast(node: KernelNode, xp: Any) -> Callable[..., Any]:
    source, target = node.attr("SrcT"), node.attr("DstT")
    if source is target:
        return lambda x: x
    if source in _OPAQUE or target in _OPAQUE:
        raise UnimplementedError(
            None, None, f"Cast {_name(source)} to {_name(target)} is not supported"
        )
    if source.is_quantized or target.is_quantized:
        return _of_carriers(source, target)
    dtype = target.as_numpy_dtype
    if node.attr("Truncate") and (source, target) in _SURPLUS_BITS:
        return _truncation(source, target)
    if source.is_complex and not target.is_complex:
        return lambda x: x.real.astype(dtype)
    if not is_numpy(xp):
        return lambda x: x.astype(dtype)
    is_exact = source is dtypes.bool or (target is dtypes.half and source.is_integer)
    if target in NARROW and is_exact:
        # Integers that float32 rounds are infinite as float16 anyway.
        return lambda x: narrow(x.astype(np.float32), dtype)
    if target in NARROW:
        return lambda x: narrow(x, dtype)
    if source in NARROW and target is dtypes.float32:
        return widen
    return lambda x: x.astype(dtype)


def _of_carriers(source: dtypes.DType, target: dtypes.DType) -> Callable[..., Any]:
    """A cast that takes quantized elements for the integers that carry them."""
    integers = carrier(target)

    def run(x: Any) -> Any:
        values = carried(x)
        if source.is_complex:
            values = values.real
        found = np.asarray(values).astype(integers)
        return quantized(found, target) if target.is_quantized else found

    return run


_SURPLUS_BITS = {
    (dtypes.float64, dtypes.half): 42,
    (dtypes.float64, dtypes.float32): 29,
    (dtypes.float32, dtypes.half): 13,
    (dtypes.float32, dtypes.bfloat16): 16,
}
"""Bits of the fraction that the narrower type has no room for."""


def _truncation(source: dtypes.DType, target: dtypes.DType) -> Callable[..., Any]:
    """A cast that drops the surplus bits, where a plain one rounds."""
    bits, dtype = np.dtype(f"u{source.size}").type, target.as_numpy_dtype
    mask = ~bits((1 << _SURPLUS_BITS[source, target]) - 1)
    return lambda x: (x.view(bits) & mask).view(x.dtype).astype(dtype)


def _name(dtype: dtypes.DType) -> str:
    return {"float32": "float", "float64": "double", "float16": "half"}.get(dtype.name, dtype.name)
