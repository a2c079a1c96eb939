"""Kernels of special functions, on scipy."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np

from dataflow.kernels.contract.invalid import invalid
from dataflow.kernels.contract.registry import KernelNode, kernel
from dataflow.kernels.contract.shape_text import shape_text
from dataflow.kernels.elementwise import error_function
from dataflow.kernels.elementwise import special as functions
from dataflow.kernels.elementwise.formula import computed
from dataflow.kernels.elementwise.quick import QuickFunction
from dataflow.kernels.elementwise.usual import (
    is_usual_polygamma,
    is_usual_zeta,
    quick_where_usual,
)
from dataflow.values import dtypes


def _scipy() -> Any:
    """scipy.special, imported by the first plan that needs it."""
    import scipy.special

    return scipy.special


def _register(op: str, bind: Callable[[KernelNode, Any], Callable[..., Any]]) -> None:
    dtypes = functions.types_of(op)
    kernel(op, device="CPU", elementwise=True, takes_out=True, dtypes=dtypes)(bind)


def _named(node: KernelNode, xp: Any) -> Callable[..., Any]:
    return functions.in_type(node, getattr(_scipy(), functions.UNARY[node.op]))


def _quick(node: KernelNode, name: str, otherwise: Callable[..., Any]) -> Callable[..., Any]:
    """The formula in machine code, which there is for float32."""
    is_float = node.input_dtypes[0] == dtypes.float32
    return QuickFunction(name, otherwise, 1) if is_float else otherwise


def _bessel(node: KernelNode, xp: Any) -> Callable[..., Any]:
    return _quick(node, functions.UNARY[node.op], _named(node, xp))


_QUICK: Final = ("BesselI0", "BesselI0e", "BesselI1", "BesselI1e")


def _binary(node: KernelNode, xp: Any) -> Callable[..., Any]:
    run = functions.in_type(node, functions.binary(node.op, _scipy(), xp))
    is_zeta = node.op == "Zeta" and node.input_dtypes[0] == dtypes.float32
    return quick_where_usual("zeta", is_usual_zeta, run) if is_zeta else run


for _op in functions.UNARY:
    if _op not in ("Erf", "Erfc"):
        _register(_op, _bessel if _op in _QUICK else _named)
for _op in functions.BINARY:
    _register(_op, _binary)


def _error_function(node: KernelNode, xp: Any) -> Callable[..., Any]:
    if node.input_dtypes[0] == dtypes.float64:
        return _named(node, xp)
    return computed(node, xp, getattr(error_function, functions.UNARY[node.op]))


for _op in ("Erf", "Erfc"):
    _register(_op, _error_function)


def _lgamma(node: KernelNode, xp: Any) -> Callable[..., Any]:
    run = functions.in_type(node, functions.lgamma(_scipy(), xp))
    return _quick(node, "gammaln", run)


def _digamma(node: KernelNode, xp: Any) -> Callable[..., Any]:
    return _quick(node, "digamma", functions.in_type(node, functions.digamma(_scipy(), xp)))


def _polygamma(node: KernelNode, xp: Any) -> Callable[..., Any]:
    run = functions.in_type(node, functions.polygamma(_scipy(), xp))
    if node.input_dtypes[0] != dtypes.float32:
        return run
    return quick_where_usual("polygamma", is_usual_polygamma, run)


def _fresnel(node: KernelNode, xp: Any) -> Callable[..., Any]:
    fresnel = _scipy().fresnel
    part = 0 if node.op == "FresnelSin" else 1
    return functions.in_type(node, lambda x: fresnel(x)[part])


_register("Lgamma", _lgamma)
_register("Digamma", _digamma)
_register("Polygamma", _polygamma)
_register("FresnelSin", _fresnel)
_register("FresnelCos", _fresnel)


@kernel("IgammaGradA", device="CPU", elementwise=True)
def igamma_grad_a(node: KernelNode, xp: Any) -> Callable[..., Any]:
    special = _scipy()
    return functions.in_type(node, lambda a, x: functions.slope_by_order(special, a, x))


def _betainc(a: Any, b: Any, x: Any) -> Any:
    """scipy's, without its limits: no number where a parameter is not positive or not finite."""
    found = _scipy().betainc(a, b, x)
    limited = ~(np.isfinite(a) & np.isfinite(b) & (a > 0) & (b > 0))
    if not np.any(limited):
        return found
    ends = np.where((x == 0) | (x == 1), x, np.nan)
    return np.where(limited, np.where((a <= 0) | (b <= 0), np.nan, ends), found)


@kernel("Betainc", device="CPU", elementwise=True)
def betainc(node: KernelNode, xp: Any) -> Callable[..., Any]:
    compute = functions.in_type(node, _betainc)

    def run(a: Any, b: Any, x: Any) -> Any:
        for second, name, other in ((b, "b", a), (x, "x", a), (x, "x", b)):
            if second.ndim and other.ndim and second.shape != other.shape:
                first = "a" if other is a else "b"
                raise invalid(
                    f"Shapes of {first} and {name} are inconsistent: "
                    f"{shape_text(other.shape)} vs. {shape_text(second.shape)}"
                )
        return compute(a, b, x)

    return run
