"""Kernels that build complex numbers and take them apart."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from dataflow.kernels.contract.registry import KernelNode, kernel
from dataflow.values import dtypes


@kernel("Conj", elementwise=True, dtypes={"T": (dtypes.complex64, dtypes.complex128)})
def conj(node: KernelNode, xp: Any) -> Callable[..., Any]:
    return xp.conj  # type: ignore[no-any-return]


@kernel("Real", elementwise=True)
def real(node: KernelNode, xp: Any) -> Callable[..., Any]:
    dtype = node.output_dtypes[0].as_numpy_dtype
    return lambda x: x.real.astype(dtype, copy=False)


@kernel("Imag", elementwise=True)
def imag(node: KernelNode, xp: Any) -> Callable[..., Any]:
    dtype = node.output_dtypes[0].as_numpy_dtype
    return lambda x: x.imag.astype(dtype, copy=False)


@kernel("ComplexAbs", elementwise=True)
def modulus(node: KernelNode, xp: Any) -> Callable[..., Any]:
    dtype = node.output_dtypes[0].as_numpy_dtype
    return lambda x: xp.absolute(x).astype(dtype, copy=False)


@kernel("Angle", elementwise=True)
def angle(node: KernelNode, xp: Any) -> Callable[..., Any]:
    dtype = node.output_dtypes[0].as_numpy_dtype
    return lambda x: xp.arctan2(x.imag, x.real).astype(dtype, copy=False)


@kernel("Complex", elementwise=True)
def build(node: KernelNode, xp: Any) -> Callable[..., Any]:
    dtype = node.output_dtypes[0].as_numpy_dtype

    def run(re: Any, im: Any) -> Any:
        # Not re + 1j * im: an infinite part would make the other one NaN.
        out = xp.empty(xp.broadcast(re, im).shape, dtype=dtype)
        out.real = re
        out.imag = im
        return out[()]

    return run
